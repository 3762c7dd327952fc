// SPDX-License-Identifier: Apache-2.0
/*
 * math.c - functions that no single instruction computes.
 *
 * in     operands of f32 or f16, scalars or vectors of lanes
 * out    code that is as accurate as WGSL 15.7.4 asks
 */
#include "emit/llvm/emit_priv.h"

LlvmValue math_call(Emit *e, IrOp op, LlvmValue x, LlvmValue y)
{
    (void)y;
    if (op == IR_RSQRT) {
        LlvmValue root = intrinsic1(e, "llvm.sqrt", x);
        LlvmValue one = LLVMConstReal(is_vector(x) ? LLVMGetElementType(LLVMTypeOf(x))
                                                   : LLVMTypeOf(x), 1);
        return LLVMBuildFDiv(e->builder, is_vector(x) ? splat(e, one) : one, root, "");
    }
    emit_fail(e, "there is no code for '%s'", ir_op_name(op));
    return x;
}
