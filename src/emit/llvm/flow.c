// SPDX-License-Identifier: Apache-2.0
/*
 * flow.c - regions and constructs, and everything that has to do with masks.
 *
 * in     instructions of a region, the lanes that are active (Emit.mask)
 * out    LLVM blocks; Emit.mask is what is active afterwards
 * knows  which constructs diverge (Facts), how lanes part and meet
 * not    numbers, memory
 *
 * Where all active lanes go the same way, control flow is real. Where they may
 * part, each way runs under its own mask and is jumped over when no lane takes
 * it. Whoever reaches the exit of a construct says so in its `arrived` mask, so
 * that the mask after it is simply what arrived: lanes that left further out, or
 * returned, are missing. Values under a mask are garbage in the lanes that are
 * off: only memory and the meeting points care.
 */
#include "emit/llvm/emit_priv.h"

#include <llvm-c/DebugInfo.h>

/* ---- masks ---- */

LlvmValue mask_and(Emit *e, LlvmValue x, LlvmValue y)
{
    if (!x)
        return y;
    return y ? LLVMBuildAnd(e->builder, x, y, "") : x;
}

LlvmValue mask_and_not(Emit *e, LlvmValue x, LlvmValue y)
{
    return mask_and(e, x, LLVMBuildNot(e->builder, y, ""));
}

LlvmValue mask_vector(Emit *e)
{
    return e->mask ? e->mask : splat(e, LLVMConstInt(e->i1, 1, false));
}

LlvmValue mask_bits(Emit *e, LlvmValue mask)
{
    if (e->lanes == 1)
        return mask;
    LlvmType bits = LLVMIntTypeInContext(e->context, e->lanes);
    return LLVMBuildBitCast(e->builder, mask, bits, "");
}

LlvmValue mask_has(Emit *e, LlvmValue mask, uint32_t lane)
{
    LlvmValue bits = mask_bits(e, mask);
    if (e->lanes == 1)
        return bits;
    LlvmValue bit = LLVMConstInt(LLVMTypeOf(bits), 1ull << lane, false);
    bits = LLVMBuildAnd(e->builder, bits, bit, "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

LlvmValue mask_any(Emit *e, LlvmValue mask)
{
    LlvmValue bits = mask_bits(e, mask);
    return LLVMBuildICmp(e->builder, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

LlvmValue mask_all(Emit *e, LlvmValue mask)
{
    LlvmValue bits = mask_bits(e, mask);
    return LLVMBuildICmp(e->builder, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)),
                         "");
}

LlvmValue blend(Emit *e, LlvmValue mask, LlvmValue yes, LlvmValue no)
{
    return mask ? LLVMBuildSelect(e->builder, mask, yes, no, "") : yes;
}

static LlvmType mask_type(Emit *e)
{
    return lane_type(e, e->i1);
}

static LlvmValue mask_slot_new(Emit *e, const char *name)
{
    return slot_new(e, mask_type(e), name);
}

static LlvmValue mask_slot_load(Emit *e, LlvmValue slot)
{
    return slot_load(e, mask_type(e), slot);
}

static void mask_slot_clear(Emit *e, LlvmValue slot)
{
    slot_store(e, slot, LLVMConstNull(mask_type(e)));
}

static void mask_slot_add(Emit *e, LlvmValue slot, LlvmValue mask)
{
    LlvmValue more = mask ? mask : mask_vector(e);
    LlvmValue all = LLVMBuildOr(e->builder, mask_slot_load(e, slot), more, "");
    slot_store(e, slot, all);
}

/* ---- slots of parameters and results: [i][component][side] ---- */

static size_t slot_index(uint32_t i, uint32_t c, uint32_t side)
{
    return ((size_t)i * 4 + c) * MAX_JAM + side;
}

static LlvmValue *slot_table(Emit *e, uint32_t n)
{
    return ARENA_ARRAY(e->arena, LlvmValue, ((size_t)n * 4 + 1) * MAX_JAM);
}

static LlvmValue *slots_new(Emit *e, Inst *const *insts, uint32_t n)
{
    LlvmValue *slots = slot_table(e, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < insts[i]->type.width; c++)
            for (uint32_t k = 0; k < side_count(e, insts[i]); k++)
                slots[slot_index(i, c, k)] = slot_new(e, value_type(e, insts[i]), "");
    return slots;
}

static void slots_load(Emit *e, Inst *const *insts, uint32_t n, const LlvmValue *slots)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < side_count(e, insts[i]); k++) {
            side_set(e, k);
            for (uint32_t c = 0; c < insts[i]->type.width; c++)
                set_value(e, insts[i], c, slot_load(e, value_type(e, insts[i]),
                                                    slots[slot_index(i, c, k)]));
        }
        side_set(e, 0);
        wide_defined(e, insts[i]);
    }
}

/* Component c of `arg` in the form that `as` (a parameter or result) is kept. For
 * what the whole workgroup shares, any lane may speak. */
static LlvmValue in_form_of(Emit *e, const Inst *as, const Inst *arg, uint32_t c)
{
    if (whole_is(e, as))
        return whole_piece(e, arg, c);
    if (shape_of(e, as) == SHAPE_VARYING)
        return as_lanes(e, arg, c);
    if (shape_of(e, arg) == SHAPE_VARYING)
        return lane_get(e, as_lanes(e, arg, c), 0);
    return as_scalar(e, arg, c);
}

/* Gives `args` to the slots of `insts`; `slots` NULL: to their contexts. With
 * `meet`, lanes that are off keep what they had. All values are read before any
 * is written: parameters may swap. */
static void slots_give(Emit *e, Inst *const *insts, uint32_t n, Inst *const *args,
                       const LlvmValue *slots, LlvmValue meet)
{
    LlvmValue *values = slot_table(e, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < side_count(e, insts[i]); k++) {
            side_set(e, k);
            for (uint32_t c = 0; c < insts[i]->type.width; c++)
                values[slot_index(i, c, k)] = in_form_of(e, insts[i], args[i], c);
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < side_count(e, insts[i]); k++) {
            side_set(e, k);
            for (uint32_t c = 0; c < insts[i]->type.width; c++) {
                size_t at = slot_index(i, c, k);
                LlvmValue v = values[at];
                LlvmValue slot = slots ? slots[at] : wide_given_slot(e, insts[i], c);
                if (meet && shape_of(e, insts[i]) == SHAPE_VARYING)
                    v = blend(e, whole_is(e, insts[i]) ? whole_lanes(e, meet, c) : meet, v,
                              slot_load(e, LLVMTypeOf(v), slot));
                slot_store(e, slot, v);
            }
        }
    side_set(e, 0);
}

void flow_give_wide(Emit *e, Inst *const *insts, uint32_t n, Inst *const *args,
                    LlvmValue meet)
{
    Inst **to = ARENA_ARRAY(e->arena, Inst *, n + 1);
    Inst **from = ARENA_ARRAY(e->arena, Inst *, n + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!wide_has(e, insts[i], args[i])) {
            to[count] = insts[i];
            from[count++] = args[i];
        }
    slots_give(e, to, count, from, NULL, meet);
}

/* ---- targets ---- */

/* With no lane left the rest is jumped over, since loops in it could be waiting for
 * stores that nobody makes. */
static void go_on_if_any(Emit *e, LlvmBlock otherwise)
{
    LlvmBlock on = block_new(e, "some");
    jump_if(e, mask_any(e, e->mask), on, otherwise);
    block_start(e, on);
}

static Target *target_of(const Emit *e, const Inst *construct)
{
    Target *t = e->target;
    while (t && t->construct != construct)
        t = t->outer;
    BUG_IF(!t, "leaves a construct that is not open");
    return t;
}

static const Fact *fact_of(const Emit *e, const Inst *inst)
{
    return &e->facts->of[inst->id];
}

static void target_open(Emit *e, Target *t, const Inst *construct, const char *exit)
{
    *t = (Target){.outer = e->target, .construct = construct};
    t->exit = t->way_end = block_new(e, exit);
    t->results = slots_new(e, construct->flow.results, construct->flow.nresults);
    if (fact_of(e, construct)->apart) {
        t->arrived = mask_slot_new(e, "arrived");
        mask_slot_clear(e, t->arrived);
        t->meets = construct->op != IR_IF;
    }
    e->target = t;
}

/* After a construct: what arrived is active, its results are values. */
static void target_close(Emit *e, Target *t, LlvmValue mask_before)
{
    const Inst *construct = t->construct;
    e->target = t->outer;
    block_start(e, t->exit);
    e->mask = t->arrived ? mask_slot_load(e, t->arrived) : mask_before;
    slots_load(e, construct->flow.results, construct->flow.nresults, t->results);
    if (t->arrived)
        go_on_if_any(e, e->region_end);
}

/* The active lanes, with their values, arrive at the exit of `t`. */
static void arrive(Emit *e, Target *t, Inst *const *args)
{
    const Inst *construct = t->construct;
    slots_give(e, construct->flow.results, construct->flow.nresults, args, t->results,
               t->meets || t->wide ? e->mask : NULL);
    if (t->arrived)
        mask_slot_add(e, t->arrived, e->mask);
}

/*
 * ---- leaving: a jump, or the active lanes are taken away ----
 *
 * Lanes that leave a wide construct from inside a segment have nothing more to do in
 * it: no barrier comes until the others leave it, too. wide.c keeps them off until then.
 */

static void leave_segment(Emit *e, bool apart)
{
    if (!apart)
        jump(e, e->group_end);
}

static void emit_break(Emit *e, const Inst *inst)
{
    Target *t = target_of(e, inst->target);
    arrive(e, t, inst->args);
    if (t->wide) {
        wide_leave(e, t);
        leave_segment(e, fact_of(e, inst->target)->apart);
    } else if (!t->arrived) {
        jump(e, t->way_end);
    }
}

static void emit_continue(Emit *e, const Inst *inst)
{
    Target *t = target_of(e, inst->target);
    const Region *next = inst->target->flow.regions[1];
    slots_give(e, next->params, next->nparams, inst->args, t->continued,
               t->continuing || t->wide ? e->mask : NULL);
    if (t->wide)
        leave_segment(e, fact_of(e, inst->target)->continues_apart);
    else if (t->continuing)
        mask_slot_add(e, t->continuing, e->mask);
    else
        jump(e, t->again);
}

static void emit_return(Emit *e)
{
    wide_leave(e, NULL);
    if (!e->facts->returns_apart)
        jump(e, e->group_end);
}

/* ---- conditions of lanes that count up ---- */

/* Whether any and whether all lanes fulfil a condition: i1. */
typedef struct Test {
    LlvmValue any, all;
} Test;

/* The operand of a comparison that goes up or down from lane to lane without passing
 * zero, while the other is the same for all lanes; -1: none. With all lanes active,
 * ranges hold for each of them. */
static int monotonic_operand(const Emit *e, const Inst *c)
{
    for (int i = 0; i < 2; i++) {
        const Fact *x = fact_of(e, c->args[i]), *y = fact_of(e, c->args[1 - i]);
        if (x->shape == SHAPE_AFFINE && y->shape <= SHAPE_GROUP && x->high < 0x80000000u &&
            x->stride > -0x10000 && x->stride < 0x10000)
            return i;
    }
    return -1;
}

static bool is_order(const Inst *c)
{
    return c->op == IR_ULT || c->op == IR_ULE || c->op == IR_SLT || c->op == IR_SLE;
}

static LlvmValue ordered(Emit *e, const Inst *c, LlvmValue x, LlvmValue y)
{
    LLVMIntPredicate p = c->op == IR_ULT   ? LLVMIntULT
                         : c->op == IR_ULE ? LLVMIntULE
                         : c->op == IR_SLT ? LLVMIntSLT
                                           : LLVMIntSLE;
    return LLVMBuildICmp(e->builder, p, x, y, "");
}

/* "l < n": what the first and the last lane say goes for all, and no mask is needed to
 * find out. */
static bool test_order(Emit *e, const Inst *c, Test *out)
{
    int moving = is_order(c) ? monotonic_operand(e, c) : -1;
    if (e->mask || e->lanes == 1 || moving < 0)
        return false;
    int32_t stride = fact_of(e, c->args[moving])->stride;
    LlvmValue first = as_scalar(e, c->args[moving], 0);
    LlvmValue other = as_scalar(e, c->args[1 - moving], 0);
    LlvmValue span = const_i32(e, (uint32_t)(stride * (int32_t)(e->lanes - 1)));
    LlvmValue last = LLVMBuildAdd(e->builder, first, span, "");
    bool low_wins = moving == 0;
    bool first_is_low = stride >= 0;
    LlvmValue easy = low_wins == first_is_low ? first : last;
    LlvmValue hard = easy == first ? last : first;
    out->any = moving == 0 ? ordered(e, c, easy, other) : ordered(e, c, other, easy);
    out->all = moving == 0 ? ordered(e, c, hard, other) : ordered(e, c, other, hard);
    return true;
}

static Test test_of(Emit *e, const Inst *c)
{
    Test t;
    if (test_order(e, c, &t))
        return t;
    LlvmValue lanes = as_lanes(e, c, 0);
    return (Test){mask_any(e, mask_and(e, e->mask, lanes)), mask_all(e, lanes)};
}

/* ---- regions ---- */

/* Emits a region under `mask`; what does not jump falls to `after`. */
static void emit_region(Emit *e, const Region *region, LlvmValue mask, LlvmBlock after)
{
    LlvmBlock outer = e->region_end;
    e->region_end = after;
    e->mask = mask;
    flow_insts(e, region->first, NULL);
    jump(e, after);
    e->region_end = outer;
}

/* One way of a divergent construct: runs if any lane takes it (`any` says so, or NULL). */
static void emit_way(Emit *e, const Region *region, LlvmValue mask, LlvmValue any,
                     LlvmBlock after)
{
    LlvmBlock way = block_new(e, "way");
    jump_if(e, any ? any : mask_any(e, mask), way, after);
    block_start(e, way);
    emit_region(e, region, mask, after);
}

/* ---- if ---- */

static void emit_if_uniform(Emit *e, const Inst *inst, Target *t)
{
    LlvmValue before = e->mask;
    LlvmBlock yes = block_new(e, "then"), no = block_new(e, "else");
    jump_if(e, as_scalar(e, inst->args[0], 0), yes, no);
    block_start(e, yes);
    emit_region(e, inst->flow.regions[0], before, t->exit);
    block_start(e, no);
    emit_region(e, inst->flow.regions[1], before, t->exit);
}

static void emit_if_divergent(Emit *e, const Inst *inst, Target *t)
{
    LlvmValue before = e->mask, condition = as_lanes(e, inst->args[0], 0);
    LlvmBlock second = block_new(e, "otherwise");
    Test test = {NULL, NULL};
    bool simple = test_order(e, inst->args[0], &test);
    emit_way(e, inst->flow.regions[0], mask_and(e, before, condition), test.any, second);
    block_start(e, second);
    t->meets = true;
    LlvmValue any_not = simple ? LLVMBuildNot(e->builder, test.all, "") : NULL;
    emit_way(e, inst->flow.regions[1], mask_and_not(e, before, condition), any_not, t->exit);
}

/* ---- switch ---- */

static void emit_switch_uniform(Emit *e, const Inst *inst, Target *t)
{
    LlvmValue before = e->mask;
    const IrCases *cases = &inst->flow.cases;
    uint32_t n = inst->flow.nregions;
    LlvmBlock *ways = ARENA_ARRAY(e->arena, LlvmBlock, n);
    for (uint32_t i = 0; i < n; i++)
        ways[i] = block_new(e, "case");
    LlvmValue choice = LLVMBuildSwitch(e->builder, as_scalar(e, inst->args[0], 0),
                                       ways[n - 1], cases->count);
    for (uint32_t i = 0; i < cases->count; i++)
        LLVMAddCase(choice, const_i32(e, cases->values[i]), ways[cases->regions[i]]);
    for (uint32_t i = 0; i < n; i++) {
        block_start(e, ways[i]);
        emit_region(e, inst->flow.regions[i], before, t->exit);
    }
}

/* For each region the lanes whose selector is one of its values. */
static LlvmValue *switch_masks(Emit *e, const Inst *inst)
{
    const IrCases *cases = &inst->flow.cases;
    LlvmValue selector = as_lanes(e, inst->args[0], 0);
    LlvmValue *masks = ARENA_ARRAY(e->arena, LlvmValue, inst->flow.nregions);
    LlvmValue any = LLVMConstNull(mask_type(e));
    for (uint32_t i = 0; i < cases->count; i++) {
        LlvmValue value = splat(e, const_i32(e, cases->values[i]));
        LlvmValue hit = LLVMBuildICmp(e->builder, LLVMIntEQ, selector, value, "");
        LlvmValue *mask = &masks[cases->regions[i]];
        *mask = *mask ? LLVMBuildOr(e->builder, *mask, hit, "") : hit;
        any = LLVMBuildOr(e->builder, any, hit, "");
    }
    LlvmValue *rest = &masks[inst->flow.nregions - 1];
    LlvmValue none = LLVMBuildNot(e->builder, any, "");
    *rest = *rest ? LLVMBuildOr(e->builder, *rest, none, "") : none;
    return masks;
}

static void emit_switch_divergent(Emit *e, const Inst *inst, Target *t)
{
    LlvmValue before = e->mask, *masks = switch_masks(e, inst);
    uint32_t n = inst->flow.nregions;
    for (uint32_t i = 0; i < n; i++) {
        LlvmValue mask = masks[i] ? masks[i] : LLVMConstNull(mask_type(e));
        t->way_end = i + 1 == n ? t->exit : block_new(e, "case");
        emit_way(e, inst->flow.regions[i], mask_and(e, before, mask), NULL, t->way_end);
        t->meets = true;
        if (i + 1 < n)
            block_start(e, t->way_end);
    }
}

/* ---- loop ---- */

void flow_stop_check(Emit *e)
{
    LlvmValue stop = LLVMBuildLoad2(e->builder, e->i32, e->stop, "stop");
    LLVMSetOrdering(stop, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(stop, 4);
    LlvmValue seen = LLVMBuildICmp(e->builder, LLVMIntNE, stop, const_i32(e, 0), "");
    LlvmBlock on = block_new(e, "on");
    jump_if(e, seen, e->leave, on);
    block_start(e, on);
}

#define MAX_UNROLLED 1024u          /* instructions that a loop may become        */
#define MAX_ALL      (8 * MAX_UNROLLED) /* and all loops of a kernel              */
#define FUNCTION     16u            /* instructions of one like exp               */

static bool unrolls(const Emit *e, uint64_t round, uint32_t rounds)
{
    return rounds && round * rounds * e->jam <= MAX_UNROLLED;
}

static uint64_t weight_of(Emit *e, const Inst *inst);

/* Instructions for one lane group, roughly. */
static uint64_t weight(Emit *e, const Region *region)
{
    uint64_t n = 0;
    for (const Inst *inst = region->first; inst && n <= MAX_UNROLLED; inst = inst->next)
        n += weight_of(e, inst);
    return n;
}

static uint64_t weight_of(Emit *e, const Inst *inst)
{
    IrOp op = (IrOp)inst->op;
    uint64_t n = 1;
    if (op == IR_ATOMIC || op == IR_LOAD || op == IR_STORE) {
        bool easy = op == IR_ATOMIC ? memory_place_is_uniform(e, inst->args[0])
                                    : memory_is_in_order(e, inst->args[0]);
        return easy ? n : e->lanes;
    }
    if (op >= IR_EXP && op <= IR_FREXP_EXP)
        return FUNCTION;
    if (!ir_op_is_construct(op))
        return n;
    for (uint32_t i = 0; i < inst->flow.nregions; i++)
        n += weight(e, inst->flow.regions[i]);
    uint32_t rounds = op == IR_LOOP ? analysis_rounds(inst) : 0;
    return unrolls(e, n, rounds) ? n * rounds : n;
}

/* Asks LLVM to make one round after the other of a loop that has few. */
static void ask_to_unroll(Emit *e, LlvmValue back)
{
    static const char full[] = "llvm.loop.unroll.full";
    LLVMMetadataRef name = LLVMMDStringInContext2(e->context, full, sizeof full - 1);
    LLVMMetadataRef ask = LLVMMDNodeInContext2(e->context, &name, 1);
    LLVMMetadataRef self = LLVMTemporaryMDNode(e->context, NULL, 0);
    LLVMMetadataRef parts[2] = {self, ask};
    LLVMMetadataRef loop = LLVMMDNodeInContext2(e->context, parts, 2);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(back, LLVMGetMDKindIDInContext(e->context, "llvm.loop", 9),
                    LLVMMetadataAsValue(e->context, loop));
}

static bool is_worth_unrolling(Emit *e, const Inst *loop)
{
    uint32_t rounds = analysis_rounds(loop);
    uint64_t n = rounds ? weight(e, loop->flow.regions[0]) + weight(e, loop->flow.regions[1]) : 0;
    if (!unrolls(e, n, rounds) || e->unrolled + n * rounds * e->jam > MAX_ALL)
        return false;
    e->unrolled += n * rounds * e->jam;
    return true;
}

/* The end of the continuing region: once more, for those who stay. Somebody does:
 * wherever lanes are taken away, it is looked whether any are left. */
static void emit_next(Emit *e, Target *t, LlvmBlock header, Inst *const *args)
{
    const Region *body = t->construct->flow.regions[0];
    slots_give(e, body->params, body->nparams, args, t->params, NULL);
    if (!fact_of(e, t->construct)->ends_soon)
        flow_stop_check(e);
    if (t->looping)
        slot_store(e, t->looping, mask_vector(e));
    LlvmValue back = LLVMBuildBr(e->builder, header);
    if (is_worth_unrolling(e, t->construct))
        ask_to_unroll(e, back);
}

static void emit_break_if(Emit *e, Target *t, const Inst *end, LlvmBlock header)
{
    Inst *const *results = end->args + 1;
    Inst *const *next = results + t->construct->flow.nresults;
    LlvmValue before = e->mask;
    if (t->arrived) {
        LlvmValue condition = as_lanes(e, end->args[0], 0);
        e->mask = mask_and(e, before, condition);
        arrive(e, t, results);
        e->mask = mask_and_not(e, before, condition);
        go_on_if_any(e, t->exit);
    } else {
        LlvmBlock out = block_new(e, "out"), on = block_new(e, "again");
        jump_if(e, as_scalar(e, end->args[0], 0), out, on);
        block_start(e, out);
        arrive(e, t, results);
        jump(e, t->exit);
        block_start(e, on);
    }
    emit_next(e, t, header, next);
}

static void emit_continuing(Emit *e, Target *t, LlvmBlock header, LlvmValue before)
{
    const Region *region = t->construct->flow.regions[1];
    block_start(e, t->again);
    e->mask = before;
    if (t->continuing) {
        e->mask = mask_slot_load(e, t->continuing);
        go_on_if_any(e, t->exit);
    }
    slots_load(e, region->params, region->nparams, t->continued);
    const Inst *inst = region->first;
    for (; inst != region->last; inst = inst->next)
        flow_inst(e, inst);
    if (inst->op == IR_NEXT)
        emit_next(e, t, header, inst->args);
    else if (inst->op == IR_BREAK_IF)
        emit_break_if(e, t, inst, header);
    else
        flow_inst(e, inst);
    jump(e, t->exit);
}

/* Is the end of the body the only way to the continuing region? Then whoever is
 * active there goes on, and nobody has to be remembered. */
static bool continues_straight(const Emit *e, const Inst *loop)
{
    const Inst *end = loop->flow.regions[0]->last;
    return end->op == IR_CONTINUE && end->target == loop && fact_of(e, loop)->continues_once;
}

void flow_params(Emit *e, const Target *t)
{
    const Region *body = t->construct->flow.regions[0];
    slots_load(e, body->params, body->nparams, t->params);
}

/* One round of a loop that all lanes go through (strip.c), from parameters to
 * parameters. The test has come out true. */
static void emit_round(Emit *e, Target *t, const Inst *test)
{
    const Region *body = t->construct->flow.regions[0], *next = t->construct->flow.regions[1];
    flow_params(e, t);
    for (const Inst *inst = body->first; inst != body->last; inst = inst->next)
        if (inst != test)
            flow_inst(e, inst);
    slots_give(e, next->params, next->nparams, body->last->args, t->continued, NULL);
    slots_load(e, next->params, next->nparams, t->continued);
    for (const Inst *inst = next->first; inst != next->last; inst = inst->next)
        flow_inst(e, inst);
    slots_give(e, body->params, body->nparams, next->last->args, t->params, NULL);
}

static void emit_loop(Emit *e, const Inst *inst, Target *t)
{
    LlvmValue before = e->mask;
    LlvmBlock outer = e->region_end, header = block_new(e, "loop");
    const Region *body = inst->flow.regions[0], *next = inst->flow.regions[1];
    t->again = block_new(e, "continuing");
    t->params = slots_new(e, body->params, body->nparams);
    t->continued = slots_new(e, next->params, next->nparams);
    slots_give(e, body->params, body->nparams, inst->args, t->params, NULL);
    if (t->arrived) {
        t->looping = mask_slot_new(e, "looping");
        slot_store(e, t->looping, mask_vector(e));
    }
    bool straight = continues_straight(e, inst);
    if (!straight && (t->arrived || fact_of(e, inst)->continues_apart))
        t->continuing = mask_slot_new(e, "continuing");
    if (!before && strip_suits(e, inst))
        strip_loop(e, t, emit_round);
    jump(e, header);
    block_start(e, header);
    if (t->continuing)
        mask_slot_clear(e, t->continuing);
    slots_load(e, body->params, body->nparams, t->params);
    LlvmValue mask = t->looping ? mask_slot_load(e, t->looping) : before;
    emit_region(e, body, mask, straight ? t->exit : t->again);
    e->region_end = t->exit;
    emit_continuing(e, t, header, straight ? e->mask : before);
    e->region_end = outer;
}

/* ---- ifs that only take lanes away ---- */

#define MAX_DOUBLED 400u            /* instructions that are worth a second copy  */
#define MAX_DOUBLED_WIDE 40u        /* the same between barriers                  */

static bool only_yields(const Region *r)
{
    return r->first == r->last && r->last->op == IR_YIELD && r->last->nargs == 0;
}

static bool never_yields(const Region *r)
{
    return r->last->op != IR_YIELD;
}

/* The region of a divergent IF that takes lanes away while the others just go on;
 * UINT32_MAX: it is no such IF. */
static uint32_t leaving_region(const Emit *e, const Inst *inst)
{
    if (inst->op != IR_IF || !fact_of(e, inst)->divergent || inst->flow.nresults)
        return UINT32_MAX;
    for (uint32_t i = 0; i < 2; i++)
        if (never_yields(inst->flow.regions[i]) && only_yields(inst->flow.regions[1 - i]))
            return i;
    return UINT32_MAX;
}

static LlvmValue condition_of(Emit *e, const Inst *inst, uint32_t region)
{
    LlvmValue c = as_lanes(e, inst->args[0], 0);
    return region == 0 ? c : LLVMBuildNot(e->builder, c, "");
}

/* If some lanes leave, they do; the mask afterwards is that of the others. */
static void emit_leaving(Emit *e, const Inst *inst, uint32_t region)
{
    LlvmValue before = e->mask, leave = condition_of(e, inst, region);
    LlvmValue staying = mask_slot_new(e, "staying");
    LlvmBlock way = block_new(e, "leaving"), left = block_new(e, "left");
    LlvmBlock after = block_new(e, "staying");
    LlvmValue gone = mask_and(e, before, leave);
    slot_store(e, staying, mask_vector(e));
    jump_if(e, mask_any(e, gone), way, after);
    block_start(e, way);
    emit_region(e, inst->flow.regions[region], gone, left);
    block_start(e, left);
    e->mask = mask_and_not(e, before, leave);
    slot_store(e, staying, e->mask);
    go_on_if_any(e, e->region_end);
    jump(e, after);
    block_start(e, after);
    e->mask = mask_slot_load(e, staying);
}

static uint32_t count_insts(const Inst *first, uint32_t limit)
{
    uint32_t n = 0;
    for (const Inst *inst = first; inst && n <= limit; inst = inst->next) {
        n++;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                n += count_insts(inst->flow.regions[i]->first, limit);
    }
    return n;
}

/* A guard like "if (i >= n) { return; }" is seldom true for any lane. What follows
 * is there twice: for all lanes, without a mask, and for the rest. */
static bool may_double(const Emit *e, const Inst *first)
{
    uint32_t most = e->wide ? MAX_DOUBLED_WIDE : MAX_DOUBLED;
    return !e->mask && !e->doubled && count_insts(first, most) <= most;
}

static void emit_guard(Emit *e, const Inst *inst, uint32_t region)
{
    LlvmValue leave = condition_of(e, inst, region);
    LlvmBlock some = block_new(e, "some.leave"), none = block_new(e, "none.leaves");
    e->doubled = true;
    jump_if(e, mask_any(e, leave), some, none);
    block_start(e, none);
    flow_insts(e, inst->next, NULL);
    jump(e, e->region_end);
    block_start(e, some);
    e->mask = NULL;
    emit_leaving(e, inst, region);
    flow_insts(e, inst->next, NULL);
    jump(e, e->region_end);
    e->doubled = false;
}

/* ---- ifs that all lanes take, mostly ---- */

#define MAX_INSIDE 40u              /* instructions that are worth a second copy  */

/* "if (i < n) { ... }": the same for the region. */
static bool is_likely_all(const Emit *e, const Inst *inst)
{
    return inst->flow.nresults == 0 && only_yields(inst->flow.regions[1]) &&
           may_double(e, inst->flow.regions[0]->first);
}

/* Is a condition made from comparisons of lanes that count up? Then all lanes mostly
 * fulfil it, but for those at a border. */
static bool is_border(const Emit *e, const Inst *c, uint32_t depth)
{
    if (shape_of(e, c) <= SHAPE_GROUP)
        return true;
    if (depth && c->op == IR_AND)
        return is_border(e, c->args[0], depth - 1) && is_border(e, c->args[1], depth - 1);
    bool compares = is_order(c) || c->op == IR_INE;
    return compares && shape_of(e, c->args[0]) <= SHAPE_AFFINE &&
           shape_of(e, c->args[1]) <= SHAPE_AFFINE;
}

/* Does it ask whether a place is inside a grid? */
static bool is_likely_inside(const Emit *e, const Inst *inst)
{
    return !e->mask && !e->inside && e->lanes > 1 &&
           inst->flow.regions[1]->first == inst->flow.regions[1]->last &&
           is_border(e, inst->args[0], 8) &&
           count_insts(inst->flow.regions[0]->first, MAX_INSIDE) <= MAX_INSIDE;
}

/* What says, in a second copy of the region of an IF, that it is one: copies have no
 * copies. NULL: it is not worth one. */
static bool *copy_flag(Emit *e, const Inst *inst)
{
    if (inst->op != IR_IF || !fact_of(e, inst)->divergent || fact_of(e, inst)->apart)
        return NULL;
    return is_likely_all(e, inst) ? &e->doubled : is_likely_inside(e, inst) ? &e->inside : NULL;
}

/* Without a mask if all lanes take it; else as any IF. */
static void emit_likely(Emit *e, const Inst *inst, bool *flag)
{
    Target t;
    Test test = test_of(e, inst->args[0]);
    LlvmBlock all = block_new(e, "all"), not_all = block_new(e, "not.all");
    target_open(e, &t, inst, "endif");
    *flag = true;
    jump_if(e, test.all, all, not_all);
    block_start(e, all);
    emit_region(e, inst->flow.regions[0], NULL, t.exit);
    block_start(e, not_all);
    e->mask = NULL;
    emit_if_divergent(e, inst, &t);
    *flag = false;
    target_close(e, &t, NULL);
}

/* ---- any construct, any instruction ---- */

static void emit_construct(Emit *e, const Inst *inst)
{
    Target t;
    LlvmValue before = e->mask;
    bool divergent = fact_of(e, inst)->divergent;
    uint32_t leaving = leaving_region(e, inst);
    if (leaving != UINT32_MAX) {
        emit_leaving(e, inst, leaving);
        return;
    }
    bool *flag = copy_flag(e, inst);
    if (flag) {
        emit_likely(e, inst, flag);
        return;
    }
    target_open(e, &t, inst, ir_op_name((IrOp)inst->op));
    if (inst->op == IR_IF && divergent)
        emit_if_divergent(e, inst, &t);
    else if (inst->op == IR_IF)
        emit_if_uniform(e, inst, &t);
    else if (inst->op == IR_SWITCH && divergent)
        emit_switch_divergent(e, inst, &t);
    else if (inst->op == IR_SWITCH)
        emit_switch_uniform(e, inst, &t);
    else if (inst->op == IR_LOOP)
        emit_loop(e, inst, &t);
    else
        emit_region(e, inst->flow.regions[0], before, t.exit);
    target_close(e, &t, before);
}

static void emit_plain(Emit *e, const Inst *inst)
{
    switch (inst->op) {
    case IR_LENGTH:   memory_length(e, inst); break;
    case IR_LOAD:     memory_load(e, inst); break;
    case IR_STORE:    memory_store(e, inst); break;
    case IR_ATOMIC:   atomic_inst(e, inst); break;
    case IR_SUBGROUP: subgroup_inst(e, inst); break;
    default:          arith_inst(e, inst); break;
    }
}

/* For all sides. Places are emitted where they are used; at barriers wide.c has
 * cut. */
static void emit_sides(Emit *e, const Inst *inst)
{
    if (inst->type.kind == SCALAR_PLACE || inst->op == IR_BARRIER)
        return;
    uint32_t n = inst->type.width ? side_count(e, inst) : e->jam;
    for (uint32_t i = 0; i < n; i++) {
        side_set(e, i);
        emit_plain(e, inst);
    }
    side_set(e, 0);
    if (inst->type.width)
        wide_defined(e, inst);
}

void flow_inst(Emit *e, const Inst *inst)
{
    if (ir_op_is_construct((IrOp)inst->op)) {
        emit_construct(e, inst);
        return;
    }
    switch (inst->op) {
    case IR_YIELD:
        arrive(e, e->target, inst->args);
        break;
    case IR_BREAK:
        emit_break(e, inst);
        break;
    case IR_CONTINUE:
        emit_continue(e, inst);
        break;
    case IR_RETURN:
        emit_return(e);
        break;
    case IR_UNREACHABLE:
        break;
    default:
        emit_sides(e, inst);
        break;
    }
}

void flow_insts(Emit *e, const Inst *first, const Inst *end)
{
    for (const Inst *inst = first; inst != end; inst = inst->next) {
        uint32_t leaving = leaving_region(e, inst);
        if (leaving != UINT32_MAX && !end && !e->wide && may_double(e, inst->next)) {
            emit_guard(e, inst, leaving);
            return;
        }
        flow_inst(e, inst);
    }
}
