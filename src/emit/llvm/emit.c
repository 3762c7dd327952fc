// SPDX-License-Identifier: Apache-2.0
/*
 * emit.c - the function around the kernel: KernelFn.
 *
 * in     an Ir with Facts
 * out    an LLVM module: arguments, memory, a loop over workgroups, the body
 * knows  kernel_abi.h
 * not    what instructions do, LLVM's passes (target.c)
 */
#include "emit/llvm/place_priv.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "emit/llvm/target_priv.h"

void emit_fail(Emit *e, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    diag_add(e->diag, DIAG_kernel_too_large, (Span){0}, "%s", text);
    e->failed = true;
}

/* ---- inputs ---- */

LlvmValue local_group(Emit *e)
{
    return e->team_groups ? LLVMBuildURem(e->builder, e->group, const_i32(e, e->groups), "")
                          : e->group;
}

/* Workgroups of a team follow each other along x, those of a band along y. */
static LlvmValue workgroup_id(Emit *e, uint32_t axis)
{
    if (!e->team_groups || axis != (e->band ? 1 : 0))
        return e->workgroup_id[axis];
    LlvmValue own = LLVMBuildUDiv(e->builder, e->group, const_i32(e, e->groups), "");
    return LLVMBuildAdd(e->builder, e->workgroup_id[axis], own, "");
}

/* What the lanes of the n-th lane group count from 0 on. */
static LlvmValue lanes_of(Emit *e, LlvmValue n, bool lanes)
{
    LlvmValue base = LLVMBuildMul(e->builder, n, const_i32(e, e->lanes), "");
    return lanes ? LLVMBuildAdd(e->builder, splat(e, base), const_lanes(e, 0, 1), "") : base;
}

static LlvmValue local_index(Emit *e, bool lanes)
{
    bool row = e->ir->workgroup_size[1] == 1 && e->ir->workgroup_size[2] == 1;
    return lanes_of(e, e->column && row ? e->column : local_group(e), lanes);
}

static LlvmValue modulo(Emit *e, LlvmValue x, uint32_t n)
{
    LlvmValue by = const_i32(e, n);
    return LLVMBuildURem(e->builder, x, is_vector(x) ? splat(e, by) : by, "");
}

static LlvmValue quotient(Emit *e, LlvmValue x, uint32_t n)
{
    LlvmValue by = const_i32(e, n);
    return LLVMBuildUDiv(e->builder, x, is_vector(x) ? splat(e, by) : by, "");
}

static LlvmValue local_id(Emit *e, uint32_t axis, bool lanes)
{
    const uint32_t *size = e->ir->workgroup_size;
    if (axis == 0 && e->column)
        return lanes_of(e, e->column, lanes);
    LlvmValue index = local_index(e, lanes);
    if (axis == 0)
        return modulo(e, index, size[0]);
    if (axis == 1)
        return modulo(e, quotient(e, index, size[0]), size[1]);
    return quotient(e, index, size[0] * size[1]);
}

LlvmValue input_value(Emit *e, const Inst *inst)
{
    bool lanes = shape_of(e, inst) == SHAPE_VARYING && e->lanes > 1;
    IrInput input = inst->input;
    switch (input) {
    case INPUT_LOCAL_ID_X: case INPUT_LOCAL_ID_Y: case INPUT_LOCAL_ID_Z:
        return local_id(e, input - INPUT_LOCAL_ID_X, lanes);
    case INPUT_LOCAL_INDEX:
        return local_index(e, lanes);
    case INPUT_WORKGROUP_ID_X: case INPUT_WORKGROUP_ID_Y: case INPUT_WORKGROUP_ID_Z:
        return workgroup_id(e, input - INPUT_WORKGROUP_ID_X);
    case INPUT_NUM_WORKGROUPS_X: case INPUT_NUM_WORKGROUPS_Y: case INPUT_NUM_WORKGROUPS_Z:
        return e->num_workgroups[input - INPUT_NUM_WORKGROUPS_X];
    case INPUT_SUBGROUP_LANE:
        return lanes ? const_lanes(e, 0, 1) : const_i32(e, 0);
    case INPUT_SUBGROUP_SIZE:
        return const_i32(e, e->lanes);
    case INPUT_SUBGROUP_ID:
        return local_group(e);
    default:
        return const_i32(e, e->groups);
    }
}

LlvmValue flag_is_set(Emit *e, uint32_t flag)
{
    LlvmValue bit = LLVMBuildAnd(e->entry, e->flags, const_i32(e, flag), "");
    return LLVMBuildICmp(e->entry, LLVMIntNE, bit, const_i32(e, 0), "");
}

/* ---- variables ---- */

static LlvmValue entry_field(Emit *e, LlvmValue base, size_t offset, LlvmType type)
{
    LlvmValue at = const_i64(e, offset);
    LlvmValue p = LLVMBuildGEP2(e->entry, e->i8, base, &at, 1, "");
    return LLVMBuildLoad2(e->entry, type, p, "");
}

static void var_buffer(Emit *e, VarState *v, LlvmValue buffers, uint32_t index)
{
    size_t at = index * sizeof(KernelBuffer);
    v->base = entry_field(e, buffers, at + offsetof(KernelBuffer, data), e->ptr);
    v->size = entry_field(e, buffers, at + offsetof(KernelBuffer, size), e->i64);
}

static uint64_t reserve(Emit *e, uint64_t bytes)
{
    uint64_t at = e->memory_size;
    e->memory_size += (bytes + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN;
    return at;
}

static LlvmValue memory_at(Emit *e, uint64_t offset)
{
    LlvmValue at = const_i64(e, offset);
    return LLVMBuildGEP2(e->entry, e->i8, e->memory, &at, 1, "");
}

LlvmValue emit_thread_memory(Emit *e, uint64_t bytes)
{
    return memory_at(e, reserve(e, bytes));
}

#define STACK_LIMIT (256u << 10)        /* bytes of private variables on the stack */

/* All lanes; all lane groups, if they take turns, else those that go side by side. */
static uint64_t private_bytes(const Emit *e, const IrVar *var)
{
    return var->type->size * e->lanes * (e->facts->has_barrier ? e->groups : e->most_jam);
}

static LlvmValue private_memory(Emit *e, const IrVar *var)
{
    uint64_t bytes = private_bytes(e, var);
    if (bytes > STACK_LIMIT - e->stack)
        return memory_at(e, reserve(e, bytes));
    e->stack += bytes;
    LlvmValue words = LLVMBuildAlloca(e->entry, LLVMArrayType2(e->i8, bytes), "");
    LLVMSetAlignment(words, KERNEL_ALIGN);
    return words;
}

static LlvmValue constant_table(Emit *e, const IrVar *var)
{
    uint32_t n = (uint32_t)(var->type->size / 4);
    LlvmValue *words = ARENA_ARRAY(e->arena, LlvmValue, n);
    for (uint32_t i = 0; i < n; i++)
        words[i] = const_i32(e, var->data ? var->data[i] : 0);
    LlvmValue table = LLVMConstArray2(e->i32, words, n);
    LlvmValue global = LLVMAddGlobal(e->module, LLVMTypeOf(table), "table");
    LLVMSetInitializer(global, table);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetAlignment(global, KERNEL_ALIGN);
    return global;
}

static void var_place(Emit *e, const IrVar *var, LlvmValue buffers, uint32_t *buffer)
{
    VarState *v = &e->vars[var->id];
    switch (var->space) {
    case IRSPACE_UNIFORM: case IRSPACE_STORAGE:
        var_buffer(e, v, buffers, (*buffer)++);
        break;
    case IRSPACE_IMMEDIATE:
        v->base = e->immediates;
        break;
    case IRSPACE_WORKGROUP:
        v->offset = reserve(e, var->type->size);
        v->base = memory_at(e, v->offset);
        break;
    case IRSPACE_CONSTANT:
        v->base = constant_table(e, var);
        break;
    default:
        v->base = private_memory(e, var);
        break;
    }
}

/* One alias scope a variable: what is bound to two variables may not be written
 * through either, so no access to one concerns another. */
static void var_scopes(Emit *e)
{
    uint32_t n = e->ir->vars.len;
    LLVMMetadataRef *scopes = ARENA_ARRAY(e->arena, LLVMMetadataRef, n + 1);
    LLVMMetadataRef *others = ARENA_ARRAY(e->arena, LLVMMetadataRef, n + 1);
    LLVMMetadataRef name = LLVMMDStringInContext2(e->context, "weft", 4);
    LLVMMetadataRef domain = LLVMMDNodeInContext2(e->context, &name, 1);
    for (uint32_t i = 0; i < n; i++) {
        char text[32];
        int len = snprintf(text, sizeof text, "v%u", i);
        LLVMMetadataRef parts[2] = {
            LLVMMDStringInContext2(e->context, text, (size_t)len), domain};
        scopes[i] = LLVMMDNodeInContext2(e->context, parts, 2);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < n && n <= 64; k++)
            if (k != i)
                others[count++] = scopes[k];
        LLVMMetadataRef own = LLVMMDNodeInContext2(e->context, &scopes[i], 1);
        LLVMMetadataRef rest = LLVMMDNodeInContext2(e->context, others, count);
        e->vars[i].scope = LLVMMetadataAsValue(e->context, own);
        e->vars[i].noalias = LLVMMetadataAsValue(e->context, rest);
    }
}

static void place_vars(Emit *e)
{
    LlvmValue buffers = entry_field(e, e->dispatch, offsetof(KernelDispatch, buffers), e->ptr);
    uint32_t buffer = 0;
    const bool *zeros = analysis_zeros(e->arena, e->ir);
    /* Workgroup variables first, of which those that must be are zeroed in one go. */
    for (uint32_t i = 0; i < e->ir->vars.len; i++)
        if (e->ir->vars.data[i]->space == IRSPACE_WORKGROUP && zeros[i])
            var_place(e, e->ir->vars.data[i], buffers, &buffer);
    e->zeroed_bytes = e->memory_size;
    for (uint32_t i = 0; i < e->ir->vars.len; i++)
        if (e->ir->vars.data[i]->space == IRSPACE_WORKGROUP && !zeros[i])
            var_place(e, e->ir->vars.data[i], buffers, &buffer);
    e->workgroup_bytes = e->memory_size;
    for (uint32_t i = 0; i < e->ir->vars.len; i++)
        if (e->ir->vars.data[i]->space != IRSPACE_WORKGROUP)
            var_place(e, e->ir->vars.data[i], buffers, &buffer);
    var_scopes(e);
}

static void zero(Emit *e, LlvmValue pointer, uint64_t bytes)
{
    LLVMBuildMemSet(e->builder, pointer, LLVMConstInt(e->i8, 0, false),
                    const_i64(e, bytes), KERNEL_ALIGN);
}

void emit_zero_private(Emit *e)
{
    for (uint32_t i = 0; i < e->ir->vars.len; i++) {
        const IrVar *var = e->ir->vars.data[i];
        uint64_t turns = e->facts->has_barrier ? e->groups : e->jam;
        if (var->space == IRSPACE_PRIVATE)
            zero(e, e->vars[i].base, var->type->size * e->lanes * turns);
    }
}

/* ---- the function ---- */

/* Workgroups from y on that are a band: min(dispatch.band, dispatch.band_end - y), or 1. */
static LlvmValue band_of(Emit *e)
{
    LLVMBuilderRef b = e->entry;
    if (!e->ir->band)
        return NULL;
    LlvmValue one = const_i32(e, 1);
    LlvmValue most = entry_field(e, e->dispatch, offsetof(KernelDispatch, band), e->i32);
    LlvmValue end = entry_field(e, e->dispatch, offsetof(KernelDispatch, band_end), e->i32);
    LlvmValue left = LLVMBuildSub(b, end, e->workgroup_id[1], "");
    LlvmValue less = LLVMBuildICmp(b, LLVMIntULT, left, most, "");
    LlvmValue some = LLVMBuildICmp(b, LLVMIntUGT, most, one, "");
    return LLVMBuildSelect(b, some, LLVMBuildSelect(b, less, left, most, ""), one, "band");
}

static void function_begin(Emit *e)
{
    LlvmType params[6] = {e->ptr, e->ptr, e->i32, e->i32, e->i32, e->i32};
    LlvmType type = LLVMFunctionType(e->i32, params, 6, false);
    e->function = LLVMAddFunction(e->module, EMIT_ENTRY_NAME, type);
    target_survey(e);
    target_attributes(e, e->function);
    for (LLVMAttributeIndex i = 1; i <= 2; i++)
        target_enum_attribute(e, e->function, i, "noalias", 0);
    LLVMPositionBuilderAtEnd(e->entry, block_new(e, "entry"));
    e->dispatch = LLVMGetParam(e->function, 0);
    e->memory = LLVMGetParam(e->function, 1);
    e->workgroup_id[1] = LLVMGetParam(e->function, 4);
    e->workgroup_id[2] = LLVMGetParam(e->function, 5);
    for (uint32_t i = 0; i < 3; i++) {
        size_t at = offsetof(KernelDispatch, num_workgroups) + i * sizeof(uint32_t);
        e->num_workgroups[i] = entry_field(e, e->dispatch, at, e->i32);
    }
    e->stop = entry_field(e, e->dispatch, offsetof(KernelDispatch, stop), e->ptr);
    e->immediates = entry_field(e, e->dispatch, offsetof(KernelDispatch, immediates), e->ptr);
    e->flags = entry_field(e, e->dispatch, offsetof(KernelDispatch, flags), e->i32);
    e->band = band_of(e);
    e->leave = block_new(e, "leave");
}

static void emit_workgroup(Emit *e)
{
    loop_stop_check(e);
    if (e->zeroed_bytes)
        zero(e, e->memory, e->zeroed_bytes);
    wide_body(e);
}

/* if (first < last) all workgroups, row by row (segment.c) */
static void emit_rows(Emit *e)
{
    LlvmValue first = LLVMGetParam(e->function, 2), last = LLVMGetParam(e->function, 3);
    LlvmBlock start = block_new(e, "start"), rows = block_new(e, "rows");
    LlvmBlock done = block_new(e, "done");
    LLVMPositionBuilderAtEnd(e->builder, start);
    LlvmValue any = LLVMBuildICmp(e->builder, LLVMIntULT, first, last, "");
    jump_if(e, any, rows, done);
    block_start(e, rows);
    wide_body(e);
    jump(e, done);
    block_start(e, done);
    LLVMBuildRet(e->builder, const_i32(e, 0));
    LLVMBuildBr(e->entry, start);
}

/* Lane groups of the workgroups from x on that are a team, or of a band. */
static LlvmValue team_groups(Emit *e, LlvmValue x, LlvmValue last)
{
    if (e->band)
        return LLVMBuildMul(e->builder, e->band, const_i32(e, e->groups), "");
    if (!e->ir->team)
        return NULL;
    LlvmValue left = LLVMBuildSub(e->builder, last, x, "");
    LlvmValue count = intrinsic2(e, "llvm.umin", left, const_i32(e, e->ir->team));
    return LLVMBuildMul(e->builder, count, const_i32(e, e->groups), "");
}

/* for (x = first; x < last; x += team) workgroups(x, y, z) */
static void emit_workgroups(Emit *e)
{
    LlvmValue first = LLVMGetParam(e->function, 2), last = LLVMGetParam(e->function, 3);
    LlvmBlock header = block_new(e, "workgroups"), body = block_new(e, "workgroup");
    LlvmBlock done = block_new(e, "done"), start = block_new(e, "start");
    LLVMPositionBuilderAtEnd(e->builder, start);
    LlvmValue x = slot_new(e, e->i32, "x");
    accumulate_begin(e);
    slot_store(e, x, first);
    jump(e, header);
    block_start(e, header);
    e->workgroup_id[0] = slot_load(e, e->i32, x);
    LlvmValue more = LLVMBuildICmp(e->builder, LLVMIntULT, e->workgroup_id[0], last, "");
    jump_if(e, more, body, done);
    block_start(e, body);
    e->team_groups = team_groups(e, e->workgroup_id[0], last);
    emit_workgroup(e);
    uint32_t step = e->ir->team ? e->ir->team : 1;
    LlvmValue next = LLVMBuildAdd(e->builder, e->workgroup_id[0], const_i32(e, step), "");
    /* Past the last, or past the end of all numbers. */
    next = step == 1 ? next : LLVMBuildSelect(e->builder,
               LLVMBuildICmp(e->builder, LLVMIntULT, next, e->workgroup_id[0], ""), last, next, "");
    slot_store(e, x, next);
    jump(e, header);
    block_start(e, done);
    accumulate_end(e);
    stream_end(e);
    LLVMBuildRet(e->builder, const_i32(e, 0));
    LLVMBuildBr(e->entry, start);
}

static void note_uses(Emit *e, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_LOAD || inst->op == IR_ATOMIC)
            e->vars[ir_place_root(inst->args[0])->id].read = true;
        math_count(e, inst);
        for (uint32_t i = 0; i < inst->nargs; i++)
            e->uses[inst->args[i]->id]++;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                note_uses(e, inst->flow.regions[i]);
    }
}

static void types_init(Emit *e)
{
    e->void_ = LLVMVoidTypeInContext(e->context);
    e->i1 = LLVMInt1TypeInContext(e->context);
    e->i8 = LLVMInt8TypeInContext(e->context);
    e->i16 = LLVMInt16TypeInContext(e->context);
    e->i32 = LLVMInt32TypeInContext(e->context);
    e->i64 = LLVMInt64TypeInContext(e->context);
    e->f16 = LLVMHalfTypeInContext(e->context);
    e->f32 = LLVMFloatTypeInContext(e->context);
    e->f64 = LLVMDoubleTypeInContext(e->context);
    e->ptr = LLVMPointerTypeInContext(e->context, 0);
}

/* Bytes of all private variables, of one lane group. */
static uint64_t all_private_bytes(const Emit *e)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < e->ir->vars.len; i++)
        if (e->ir->vars.data[i]->space == IRSPACE_FUNCTION ||
            e->ir->vars.data[i]->space == IRSPACE_PRIVATE)
            bytes += e->ir->vars.data[i]->type->size * e->lanes;
    return bytes;
}

#define NEAR_MEMORY (16u << 10)         /* bytes: half of a small first cache      */

/* As many lane groups side by side as divide the workgroup evenly, and have their private
 * variables in the first cache together. */
static uint32_t most_jam(const Emit *e)
{
    uint32_t jam = MAX_JAM;
    uint64_t bytes = e->private_bytes;
    if (e->invocations % e->lanes)
        return 1;
    while (jam > 1 && (e->groups % jam || bytes * jam > NEAR_MEMORY))
        jam /= 2;
    return jam;
}

/* No long loops, and all memory is accessed in the order of lanes? */
static bool is_in_order(Emit *e, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_ATOMIC || (inst->op == IR_LOOP && !e->facts->of[inst->id].ends_soon) ||
            ((inst->op == IR_LOAD || inst->op == IR_STORE) &&
             !memory_is_in_order(e, inst->args[0])))
            return false;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (!is_in_order(e, inst->flow.regions[i]))
                    return false;
    }
    return true;
}

/* Images have long rows, workgroups short ones: to go through a workgroup is to jump from
 * row to row of the image, at distances that caches and prefetching are bad at. Where
 * nothing keeps the invocations of a workgroup together, all workgroups' first rows come
 * first, then their second ones. But sums of products go through columns that the rows of
 * a workgroup share. */
static uint32_t row_of_groups(Emit *e)
{
    const uint32_t *size = e->ir->workgroup_size;
    bool rows = size[0] % e->lanes == 0 && size[0] < e->invocations;
    if (!rows || e->ir->band || e->facts->has_barrier || e->workgroup_bytes ||
        !is_in_order(e, e->ir->body) ||
        analysis_jam_products(e->arena, e->facts, e->ir->body->first, NULL))
        return 0;
    return size[0] / e->lanes;
}

#define MEMORY_LIMIT (256ull << 20)     /* bytes a thread                          */

void emit_module(Emit *e)
{
    const uint32_t *size = e->ir->workgroup_size;
    types_init(e);
    e->invocations = size[0] * size[1] * size[2];
    e->groups = (e->invocations + e->lanes - 1) / e->lanes;
    e->all_groups = e->groups * MAX_OF(MAX_OF(e->ir->team, e->ir->band), 1u);
    e->private_bytes = all_private_bytes(e);
    e->most_jam = most_jam(e);
    e->jam = 1;
    e->values = ARENA_ARRAY(e->arena, Val, e->ir->next_id);
    e->vars = ARENA_ARRAY(e->arena, VarState, e->ir->vars.len + 1);
    e->uses = ARENA_ARRAY(e->arena, uint32_t, e->ir->next_id);
    note_uses(e, e->ir->body);
    contract_survey(e);
    lanewise_survey(e);
    runs_survey(e);
    function_begin(e);
    place_vars(e);
    accumulate_survey(e);
    whole_survey(e);
    beside_survey(e);
    e->row = row_of_groups(e);
    if (e->row)
        emit_rows(e);
    else
        emit_workgroups(e);
    LLVMPositionBuilderAtEnd(e->builder, e->leave);
    stream_end(e);
    LLVMBuildRet(e->builder, const_i32(e, 1));
    if (e->memory_size > MEMORY_LIMIT)
        emit_fail(e, "the kernel needs %llu bytes of memory a thread, more than %llu",
                  (unsigned long long)e->memory_size, (unsigned long long)MEMORY_LIMIT);
}
