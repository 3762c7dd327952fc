// SPDX-License-Identifier: Apache-2.0
/*
 * accumulate.c - atomics that each thread adds up for itself.
 *
 * in     storage variables whose every access is an atomic of one operation without a used
 *        result (counters, histograms)
 * out    places known when compiling: a vector for each atomic, combined lane by lane; other
 *        places: a copy of the variable in the thread's memory, if a call has atomics enough
 *        to pay for it. Both are combined with the variable when the call ends
 * why    atomics that several threads make at the same places take a hundred times as long as
 *        plain additions. WGSL's atomics are relaxed, and the kernel itself cannot see when
 *        they are made; what can see it runs after the dispatch
 * not    variables that the kernel also reads
 */
#include "emit/llvm/emit_priv.h"

#define COPY_LIMIT  (64u << 10)         /* bytes of a copy                         */
#define LEAST_TURNS 2u                  /* atomics for each word of it             */
#define LOOP_TURNS  8u                  /* rounds of a loop, for all that is known */

typedef struct Sum {
    struct Sum *next;
    const Inst *inst;
    LlvmValue   slot;                   /* a vector: the sum of each lane          */
    LlvmValue   where;                  /* slot: the place, once there is a sum    */
} Sum;

/* What is known of a storage variable. */
typedef struct Adds {
    bool      any, others;              /* such atomics; other accesses            */
    IrAtomic  op;                       /* of all of them; SUB is ADD              */
    uint64_t  turns;                    /* at places not known, of an invocation   */
    LlvmValue copied;                   /* i1: there is a copy; NULL: never        */
    LlvmValue copy, original;
} Adds;

struct Accumulators {
    Adds *of;                           /* [ir->vars.len]                          */
    Sum  *sums;
};

/* ---- which variables ---- */

static IrAtomic operation(const Inst *inst)
{
    return inst->atomic == ATOMIC_SUB ? ATOMIC_ADD : (IrAtomic)inst->atomic;
}

static bool is_known_place(const Inst *place)
{
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op != IR_FIELD && (place->op != IR_ELEM || place->args[1]->op != IR_CONST))
            return false;
    return true;
}

static bool only_adds(const Emit *e, const Inst *inst)
{
    return inst->op == IR_ATOMIC && !e->uses[inst->id] && inst->atomic != ATOMIC_STORE &&
           atomic_reduction((IrAtomic)inst->atomic);
}

static void note_access(Emit *e, const Inst *inst, uint64_t turns)
{
    Adds *v = &e->accumulators->of[ir_place_root(inst->args[0])->id];
    v->others |= !only_adds(e, inst) || (v->any && v->op != operation(inst));
    v->any = true;
    v->op = operation(inst);
    v->turns += is_known_place(inst->args[0]) ? 0 : turns;
}

static void survey(Emit *e, const Region *region, uint64_t turns)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_LOAD || inst->op == IR_STORE || inst->op == IR_ATOMIC)
            note_access(e, inst, turns);
        uint64_t inside = inst->op == IR_LOOP && turns < COPY_LIMIT ? turns * LOOP_TURNS : turns;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                survey(e, inst->flow.regions[i], inside);
    }
}

static Adds *adds_of(const Emit *e, const Inst *place)
{
    const IrVar *var = ir_place_root(place);
    Adds *v = &e->accumulators->of[var->id];
    return var->space == IRSPACE_STORAGE && v->any && !v->others ? v : NULL;
}

/* ---- copies ---- */

/* Are all bits of what changes nothing the same? */
static bool is_filled(IrAtomic op)
{
    return op != ATOMIC_SMIN && op != ATOMIC_SMAX;
}

/* i64: bytes that accesses may reach. */
static LlvmValue bytes_of(Emit *e, const IrVar *var)
{
    return e->vars[var->id].size ? e->vars[var->id].size : const_i64(e, var->type->size);
}

/* i1, at entry: does this call make so many atomics that a copy is worth it? */
static LlvmValue pays(Emit *e, const IrVar *var, const Adds *v)
{
    LLVMBuilderRef b = e->entry;
    LlvmValue groups = LLVMBuildSub(b, LLVMGetParam(e->function, 3),
                                    LLVMGetParam(e->function, 2), "");
    LlvmValue turns = LLVMBuildMul(b, LLVMBuildZExt(b, groups, e->i64, ""),
                                   const_i64(e, v->turns * e->invocations * 4 / LEAST_TURNS), "");
    LlvmValue bytes = bytes_of(e, var);
    LlvmValue small = LLVMBuildICmp(b, LLVMIntULE, bytes, const_i64(e, COPY_LIMIT), "");
    LlvmValue enough = LLVMBuildICmp(b, LLVMIntUGE, turns, bytes, "");
    LlvmValue among = LLVMBuildNot(b, flag_is_set(e, KERNEL_ALONE), "");
    return LLVMBuildAnd(b, among, LLVMBuildAnd(b, small, enough, ""), "copied");
}

static void copy_new(Emit *e, const IrVar *var, Adds *v)
{
    VarState *s = &e->vars[var->id];
    v->copied = pays(e, var, v);
    v->copy = emit_thread_memory(e, COPY_LIMIT);
    v->original = s->base;
    s->base = LLVMBuildSelect(e->entry, v->copied, v->copy, v->original, "");
}

void accumulate_survey(Emit *e)
{
    e->accumulators = ARENA_NEW(e->arena, struct Accumulators);
    e->accumulators->of = ARENA_ARRAY(e->arena, Adds, e->ir->vars.len + 1);
    survey(e, e->ir->body, 1);
    for (uint32_t i = 0; i < e->ir->vars.len; i++) {
        const IrVar *var = e->ir->vars.data[i];
        Adds *v = &e->accumulators->of[i];
        if (var->space == IRSPACE_STORAGE && v->any && !v->others && v->turns &&
            is_filled(v->op) && var->type->size <= COPY_LIMIT)
            copy_new(e, var, v);
    }
}

void accumulate_begin(Emit *e)
{
    for (uint32_t i = 0; i < e->ir->vars.len; i++) {
        Adds *v = &e->accumulators->of[i];
        if (!v->copied)
            continue;
        bool ones = v->op == ATOMIC_AND || v->op == ATOMIC_UMIN;
        LlvmBlock fill = block_new(e, "fill"), after = block_new(e, "filled");
        jump_if(e, v->copied, fill, after);
        block_start(e, fill);
        LLVMBuildMemSet(e->builder, v->copy, LLVMConstInt(e->i8, ones ? 255 : 0, false),
                        bytes_of(e, e->ir->vars.data[i]), 4);
        jump(e, after);
        block_start(e, after);
    }
}

LlvmValue accumulate_is_plain(Emit *e, const Inst *place)
{
    const Adds *v = &e->accumulators->of[ir_place_root(place)->id];
    LlvmValue alone = flag_is_set(e, KERNEL_ALONE);
    return v->copied ? LLVMBuildOr(e->entry, alone, v->copied, "") : alone;
}

/* ---- sums of lanes ---- */

static Sum *sum_of(Emit *e, const Inst *inst)
{
    Sum *s = e->accumulators->sums;
    while (s && s->inst != inst)
        s = s->next;
    if (s)
        return s;
    s = ARENA_NEW(e->arena, Sum);
    *s = (Sum){e->accumulators->sums, inst, slot_new(e, lane_type(e, e->i32), "sum"),
               slot_new(e, e->ptr, "where")};
    LLVMBuildStore(e->entry, splat(e, atomic_neutral(e, operation(inst))), s->slot);
    LLVMBuildStore(e->entry, e->vars[ir_place_root(inst->args[0])->id].base, s->where);
    e->accumulators->sums = s;
    return s;
}

bool accumulate_lanes(Emit *e, const Inst *inst, LlvmValue pointer, LlvmValue v)
{
    if (!adds_of(e, inst->args[0]) || !is_known_place(inst->args[0]))
        return false;
    Sum *s = sum_of(e, inst);
    LlvmValue old = slot_load(e, lane_type(e, e->i32), s->slot);
    slot_store(e, s->where, pointer);
    slot_store(e, s->slot, atomic_combine(e, (IrAtomic)inst->atomic, old, v));
    return true;
}

/* ---- the end of a call ---- */

/* Combines a sum with what it is a sum for, if it has changed. */
static void give(Emit *e, IrAtomic op, LlvmValue pointer, LlvmValue sum)
{
    LlvmBlock some = block_new(e, "give"), after = block_new(e, "given");
    LlvmValue changed = LLVMBuildICmp(e->builder, LLVMIntNE, sum, atomic_neutral(e, op), "");
    jump_if(e, changed, some, after);
    block_start(e, some);
    LLVMBuildAtomicRMW(e->builder, atomic_machine_op(op), pointer, sum,
                       LLVMAtomicOrderingMonotonic, false);
    jump(e, after);
    block_start(e, after);
}

static void give_sum(Emit *e, const Sum *s)
{
    IrAtomic op = operation(s->inst);
    LlvmValue lanes = slot_load(e, lane_type(e, e->i32), s->slot);
    LlvmValue where = slot_load(e, e->ptr, s->where);
    give(e, op, where, intrinsic1(e, atomic_reduction(op), lanes));
}

/* for (at = 0; at < bytes; at += 4) give word `at` of the copy */
static void give_copy(Emit *e, const IrVar *var, const Adds *v)
{
    LlvmBlock start = block_new(e, "copied"), word = block_new(e, "word");
    LlvmBlock after = block_new(e, "copies");
    LlvmValue slot = slot_new(e, e->i64, "at");
    jump_if(e, v->copied, start, after);
    block_start(e, start);
    slot_store(e, slot, const_i64(e, 0));
    jump(e, word);
    block_start(e, word);
    LlvmValue at = slot_load(e, e->i64, slot);
    LlvmValue sum = LLVMBuildLoad2(e->builder, e->i32,
                                   LLVMBuildGEP2(e->builder, e->i8, v->copy, &at, 1, ""), "");
    LLVMSetAlignment(sum, 4);
    give(e, v->op, LLVMBuildGEP2(e->builder, e->i8, v->original, &at, 1, ""), sum);
    LlvmValue next = LLVMBuildAdd(e->builder, at, const_i64(e, 4), "");
    slot_store(e, slot, next);
    LlvmValue more = LLVMBuildICmp(e->builder, LLVMIntULT, next, bytes_of(e, var), "");
    jump_if(e, more, word, after);
    block_start(e, after);
}

/* Sums come first: their places may be in a copy. */
void accumulate_end(Emit *e)
{
    for (const Sum *s = e->accumulators->sums; s; s = s->next)
        give_sum(e, s);
    for (uint32_t i = 0; i < e->ir->vars.len; i++)
        if (e->accumulators->of[i].copied)
            give_copy(e, e->ir->vars.data[i], &e->accumulators->of[i]);
}
