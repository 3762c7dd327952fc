// SPDX-License-Identifier: Apache-2.0
#include "emit/llvm/emit_priv.h"
LlvmValue math_call(Emit *e, IrOp op, LlvmValue x, LlvmValue y)
{
    (void)y;
    if (op == IR_RSQRT) {
        LlvmValue one = LLVMConstReal(e->f32, 1);
        return LLVMBuildFDiv(e->builder, is_vector(x) ? splat(e, one) : one, intrinsic1(e, "llvm.sqrt", x), "");
    }
    emit_fail(e, "no %s", ir_op_name(op));
    return x;
}
