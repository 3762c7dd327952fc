// SPDX-License-Identifier: Apache-2.0
/*
 * math_root.c - the inverse square root.
 *
 * Square roots and divisions have a unit of their own, which works beside those
 * for sums and products. An estimate that is refined to the last bits takes half
 * the time alone, but no less between other arithmetic, where it is always found.
 */
#include "emit/llvm/math_priv.h"

LlvmValue math_rsqrt(Emit *e, LlvmValue x, LlvmValue y)
{
    (void)y;
    LlvmValue root = intrinsic1(e, "llvm.sqrt", x);
    return LLVMBuildFDiv(e->builder, math_const(e, x, 1), root, "");
}
