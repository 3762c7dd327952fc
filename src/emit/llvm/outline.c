// SPDX-License-Identifier: Apache-2.0
/*
 * outline.c - functions of the module beside the kernel, for what it does often.
 *
 * in     a name, a type, what memory it touches
 * out    a function that is never inlined; the builder is in its body
 * why    hundreds of copies of the same hundred instructions take long to compile
 * not    what the functions compute (math.c, gather.c)
 */
#include "emit/llvm/outline_priv.h"

#include <string.h>

#include "emit/llvm/target_priv.h"

bool outline_open(Emit *e, Outline *o, const char *name, LlvmType type, OutlineMemory memory)
{
    const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    o->back = LLVMGetInsertBlock(e->builder);
    o->type = type;
    o->fn = LLVMGetNamedFunction(e->module, name);
    if (o->fn)
        return false;
    o->fn = LLVMAddFunction(e->module, name, type);
    LLVMSetLinkage(o->fn, LLVMInternalLinkage);
    target_attributes(e, o->fn);
    target_enum_attribute(e, o->fn, whole, "noinline", 0);
    target_enum_attribute(e, o->fn, whole, "willreturn", 0);
    target_enum_attribute(e, o->fn, whole, "memory", memory);
    LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, o->fn, ""));
    return true;
}

void outline_close(Emit *e, const Outline *o, LlvmValue result)
{
    if (result)
        LLVMBuildRet(e->builder, result);
    else
        LLVMBuildRetVoid(e->builder);
    LLVMPositionBuilderAtEnd(e->builder, o->back);
}

LlvmValue outline_call(Emit *e, const Outline *o, LlvmValue *args, uint32_t nargs)
{
    return LLVMBuildCall2(e->builder, o->type, o->fn, args, nargs, "");
}
