// SPDX-License-Identifier: Apache-2.0
/*
 * math_root.c - the inverse square root.
 */
#include "emit/llvm/math_priv.h"

LlvmValue math_rsqrt(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue root = intrinsic1(e, "llvm.sqrt", x);
    return LLVMBuildFDiv(e->builder, math_const(e, x, 1), root, "");
}
