// SPDX-License-Identifier: Apache-2.0
/*
 * context.c - values that one segment makes and another uses.
 *
 * in     the kernel's body, cut into segments at its barriers
 * out    a context for each such value: one place for each lane group, or one in all if
 *        the workgroup shares it; the value from there
 * knows  in which order segments may come; what is cheap to make again from the inputs,
 *        which is made again instead
 * not    what a segment does (flow.c), or for whom (segment.c)
 *
 * A value that a loop carries to the next iteration is updated in place if the old value
 * is dead.
 */
#include "emit/llvm/wide_priv.h"

#define REMAKE_COST 12u             /* most instructions to make a value again   */
#define STACK_LIMIT (128u << 10)    /* bytes of contexts that stay on the stack  */

/* A parameter or result that the workgroup shares: its lane groups take turns, so
 * the new value waits aside until all of them have read the old one. */
typedef struct Given {
    LlvmValue slot, aside;
    LlvmType  type;
} Given;

typedef struct Contexts {
    uint32_t  *segment;             /* [next_id] where each instruction belongs  */
    uint8_t   *cost;                /* [next_id] of making it again; 255: never  */
    bool      *crosses;             /* [next_id] another segment uses it         */
    uint32_t  *last;                /* [next_id] last segment that uses it       */
    uint32_t  *home;                /* [next_id] whose context it is kept in     */
    LlvmValue *context;             /* [next_id * 4]                             */
    uint32_t   nsegments;
    bool       straight;            /* each segment runs once, in their order    */
    VEC(const Inst *) kept;         /* owners of contexts, if straight           */
    uint64_t   stack;               /* bytes of contexts so far                  */
    LLVMBuilderRef preamble;        /* start of the segment being emitted        */
    LLVMBuilderRef before;          /* before its first lane group               */
    VEC(Given) given;               /* in the segment being emitted              */
} Contexts;

static bool is_wide(const Emit *e, const Inst *inst)
{
    return e->facts->of[inst->id].wide;
}

/* ---- which segment ---- */

bool context_cuts(const Emit *e, const Inst *inst)
{
    return inst->op == IR_BARRIER || is_wide(e, inst);
}

static void number_region(Emit *e, const Region *region, bool wide);

static void number_list(Emit *e, Inst *const *list, uint32_t n, uint32_t segment)
{
    for (uint32_t i = 0; i < n; i++)
        e->contexts->segment[list[i]->id] = segment;
}

static void number_construct(Emit *e, const Inst *inst)
{
    Contexts *cs = e->contexts;
    bool wide = is_wide(e, inst);
    /* What a wide construct takes and gives belongs to no segment: 0. */
    uint32_t own = wide ? 0 : cs->nsegments;
    number_list(e, inst->flow.results, inst->flow.nresults, own);
    for (uint32_t i = 0; i < inst->flow.nregions; i++) {
        const Region *r = inst->flow.regions[i];
        number_list(e, r->params, r->nparams, own);
        number_region(e, r, wide);
    }
}

static void number_region(Emit *e, const Region *region, bool wide)
{
    Contexts *cs = e->contexts;
    if (wide)
        cs->nsegments++;
    if (region->owner && wide)
        cs->straight = false;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        cs->segment[inst->id] = cs->nsegments;
        if (ir_op_is_construct((IrOp)inst->op))
            number_construct(e, inst);
        if (wide && context_cuts(e, inst))
            cs->nsegments++;
    }
}

/* ---- making again ---- */

static bool may_remake(const Inst *inst)
{
    return ir_op_effect((IrOp)inst->op) == EFFECT_PURE && inst->op != IR_PARAM &&
           inst->op != IR_RESULT && inst->type.kind != SCALAR_PLACE;
}

static bool is_shared(const Emit *e, const Inst *inst)
{
    return shape_of(e, inst) == SHAPE_WORKGROUP || e->all_groups == 1;
}

/* A parameter that the workgroup shares is one number, and stays that for as long as
 * anything can be made from it: until the next round. */
static uint32_t cost_of_use(const Emit *e, const Inst *inst)
{
    bool shared = inst->op == IR_PARAM && is_wide(e, inst->region->owner) && is_shared(e, inst);
    return shared ? 1 : e->contexts->cost[inst->id];
}

static uint8_t cost_of(const Emit *e, const Inst *inst)
{
    if (!may_remake(inst))
        return UINT8_MAX;
    uint32_t cost = inst->op != IR_CONST;
    for (uint32_t i = 0; i < inst->nargs && cost <= REMAKE_COST; i++)
        cost += cost_of_use(e, inst->args[i]);
    bool slow = inst->op >= IR_FDIV && inst->op <= IR_FREXP_EXP && inst->op != IR_FNEG;
    return cost > REMAKE_COST || slow ? UINT8_MAX : (uint8_t)cost;
}

/* ---- what crosses ---- */

static void note_use(Emit *e, const Inst *user, const Inst *used);

/* Of a condition, and of an index x ^ d, the emitters read the two sides, too (condition.c,
 * partner.c), if lanes count up there or share a number. */
static void note_sides(Emit *e, const Inst *user, const Inst *used)
{
    const uint32_t *segment = e->contexts->segment;
    bool two_sided = condition_is_order(used) || used->op == IR_XOR;
    if (segment[used->id] == segment[user->id] || !two_sided)
        return;
    for (uint32_t i = 0; i < used->nargs; i++)
        if (shape_of(e, used->args[i]) <= SHAPE_AFFINE)
            note_use(e, user, used->args[i]);
}

static void note_use(Emit *e, const Inst *user, const Inst *used)
{
    Contexts *cs = e->contexts;
    if (used->type.kind == SCALAR_PLACE) {
        for (uint32_t i = 0; i < used->nargs; i++) {
            note_use(e, user, used->args[i]);
            note_sides(e, user, used->args[i]);
        }
        return;
    }
    cs->last[used->id] = MAX_OF(cs->last[used->id], cs->segment[user->id]);
    if (cs->segment[used->id] == cs->segment[user->id] && cs->segment[used->id])
        return;
    cs->crosses[used->id] = true;
}

static void survey_region(Emit *e, const Region *region);

static void survey_list(Contexts *cs, Inst *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        cs->cost[list[i]->id] = UINT8_MAX;
}

/* The condition of a wide construct is read between segments. */
static bool is_read_between(const Emit *e, const Inst *inst)
{
    if (inst->op == IR_BREAK_IF)
        return is_wide(e, inst->region->owner);
    return (inst->op == IR_IF || inst->op == IR_SWITCH) && is_wide(e, inst);
}

static void survey_inst(Emit *e, const Inst *inst)
{
    Contexts *cs = e->contexts;
    if (ir_op_is_construct((IrOp)inst->op)) {
        for (uint32_t i = 0; i < inst->flow.nregions; i++) {
            survey_list(cs, inst->flow.regions[i]->params, inst->flow.regions[i]->nparams);
            survey_region(e, inst->flow.regions[i]);
        }
        survey_list(cs, inst->flow.results, inst->flow.nresults);
    }
    cs->cost[inst->id] = cost_of(e, inst);
    if (inst->type.kind != SCALAR_PLACE)
        for (uint32_t i = 0; i < inst->nargs; i++)
            note_use(e, inst, inst->args[i]);
    if (inst->op == IR_IF)
        note_sides(e, inst, inst->args[0]);
    if (is_read_between(e, inst)) {
        cs->crosses[inst->args[0]->id] = true;
        cs->last[inst->args[0]->id] = UINT32_MAX;
        /* By then parameters are the next round's. */
        if (inst->op == IR_BREAK_IF && inst->args[0]->op != IR_CONST)
            cs->cost[inst->args[0]->id] = UINT8_MAX;
    }
}

static void survey_region(Emit *e, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next)
        survey_inst(e, inst);
}

bool context_is_kept(const Emit *e, const Inst *inst)
{
    const Contexts *cs = e->contexts;
    return cs->crosses[inst->id] && cs->cost[inst->id] == UINT8_MAX;
}

/* ---- which contexts are one ---- */

static bool same_form(const Emit *e, const Inst *x, const Inst *y)
{
    return ir_type_eq(x->type, y->type) && shape_of(e, x) == shape_of(e, y) &&
           whole_is(e, x) == whole_is(e, y);
}

/*
 * Parameter `to` of a loop's body, what becomes of it at the end of the body, and the
 * parameter of the continuing region in between: one context, if the segment that makes
 * the new value is the last that looks at the old one. It has fetched that before.
 */
static void share_home(Emit *e, const Inst *leave, const Inst *next, const Inst *to)
{
    Contexts *cs = e->contexts;
    const Inst *between = next->args[to->index];
    if (between->op != IR_PARAM || between->region != next->region ||
        cs->last[to->id] > cs->segment[leave->id] || is_shared(e, to) ||
        !same_form(e, between, to) || cs->home[between->id] != between->id)
        return;
    cs->home[between->id] = to->id;
    const Inst *made = leave->args[between->index];
    if (made->op != IR_PARAM && made->region == leave->region && context_is_kept(e, made) &&
        cs->segment[made->id] && cs->last[to->id] <= cs->segment[made->id] &&
        same_form(e, made, to) && cs->home[made->id] == made->id)
        cs->home[made->id] = to->id;
}

static void share_homes(Emit *e, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (!ir_op_is_construct((IrOp)inst->op) || !is_wide(e, inst))
            continue;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            share_homes(e, inst->flow.regions[i]);
        if (inst->op != IR_LOOP || !e->facts->of[inst->id].continues_once)
            continue;
        const Region *body = inst->flow.regions[0], *next = inst->flow.regions[1];
        bool plain = body->last->op == IR_CONTINUE && body->last->target == inst &&
                     next->last->op == IR_NEXT;
        for (uint32_t i = 0; plain && i < body->nparams; i++)
            share_home(e, body->last, next->last, body->params[i]);
    }
}

bool context_has(const Emit *e, const Inst *to, const Inst *from)
{
    const Contexts *cs = e->contexts;
    bool kept = from->op == IR_PARAM || cs->crosses[from->id];
    return kept && cs->home[from->id] == cs->home[to->id];
}

/* ---- before the first segment ---- */

void context_init(Emit *e)
{
    uint32_t n = e->ir->next_id;
    e->contexts = ARENA_NEW(e->arena, Contexts);
    *e->contexts = (Contexts){
        .segment = ARENA_ARRAY(e->arena, uint32_t, n),
        .cost = ARENA_ARRAY(e->arena, uint8_t, n),
        .crosses = ARENA_ARRAY(e->arena, bool, n),
        .last = ARENA_ARRAY(e->arena, uint32_t, n),
        .home = ARENA_ARRAY(e->arena, uint32_t, n),
        .context = ARENA_ARRAY(e->arena, LlvmValue, (size_t)n * 4),
        .straight = true,
    };
    for (uint32_t i = 0; i < n; i++)
        e->contexts->home[i] = i;
    number_region(e, e->ir->body, true);
    survey_region(e, e->ir->body);
    share_homes(e, e->ir->body);
}

/* ---- contexts ---- */

/* Takes over a context that no later segment looks at. */
static bool context_reuse(Emit *e, const Inst *inst)
{
    Contexts *cs = e->contexts;
    for (uint32_t i = 0; cs->straight && i < cs->kept.len; i++) {
        const Inst *old = cs->kept.data[i];
        if (cs->last[old->id] >= cs->segment[inst->id] || !same_form(e, old, inst))
            continue;
        for (uint32_t c = 0; c < inst->type.width; c++)
            cs->context[inst->id * 4u + c] = cs->context[old->id * 4u + c];
        cs->kept.data[i] = inst;
        return true;
    }
    if (cs->straight)
        VEC_PUSH(e->arena, &cs->kept, inst);
    return false;
}

static void context_new(Emit *e, const Inst *inst)
{
    Contexts *cs = e->contexts;
    if (context_reuse(e, inst))
        return;
    LlvmType type = slot_type(e, value_type(e, inst));
    if (!is_shared(e, inst))
        type = LLVMArrayType2(type, e->all_groups);
    uint64_t each = inst->type.kind == SCALAR_F64 ? 8 : 4;
    uint64_t bytes = each * (is_shared(e, inst) ? 1 : e->all_groups) * e->lanes;
    for (uint32_t c = 0; c < inst->type.width; c++) {
        LlvmValue *slot = &cs->context[cs->home[inst->id] * 4u + c];
        cs->stack += bytes;
        if (cs->stack <= STACK_LIMIT) {
            *slot = LLVMBuildAlloca(e->entry, type, "context");
            continue;
        }
        LlvmValue offset = const_i64(e, e->memory_size);
        *slot = LLVMBuildGEP2(e->entry, e->i8, e->memory, &offset, 1, "context");
        e->memory_size += (bytes + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN;
    }
}

static LlvmValue slot_of(Emit *e, const Inst *inst, uint32_t c)
{
    Contexts *cs = e->contexts;
    if (!cs->context[cs->home[inst->id] * 4u])
        context_new(e, inst);
    LlvmValue slot = cs->context[cs->home[inst->id] * 4u + c];
    if (is_shared(e, inst))
        return slot;
    LlvmType type = slot_type(e, value_type(e, inst));
    return LLVMBuildGEP2(e->builder, type, slot, &e->group, 1, "");
}

LlvmValue context_given_slot(Emit *e, const Inst *inst, uint32_t c)
{
    LlvmValue slot = slot_of(e, inst, c);
    Contexts *cs = e->contexts;
    if (!is_shared(e, inst) || e->all_groups == 1)
        return slot;
    for (uint32_t i = 0; i < cs->given.len; i++)
        if (cs->given.data[i].slot == slot)
            return cs->given.data[i].aside;
    /* No lane may assign it: then it keeps its value. */
    LlvmType type = slot_type(e, value_type(e, inst));
    Given given = {slot, LLVMBuildAlloca(e->entry, type, "aside"), type};
    LLVMBuildStore(cs->before, LLVMBuildLoad2(cs->before, type, slot, ""), given.aside);
    VEC_PUSH(e->arena, &cs->given, given);
    return given.aside;
}

void context_take_given(Emit *e)
{
    Contexts *cs = e->contexts;
    for (uint32_t i = 0; cs && i < cs->given.len; i++) {
        const Given *g = &cs->given.data[i];
        LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, g->type, g->aside, ""), g->slot);
    }
    if (cs)
        cs->given.len = 0;
}

/* ---- keeping and fetching ---- */

void context_start(Emit *e, LLVMBuilderRef before, LLVMBuilderRef preamble)
{
    e->contexts->before = before;
    e->contexts->preamble = preamble;
}

void context_keep(Emit *e, const Inst *inst)
{
    if (!e->contexts || !context_is_kept(e, inst))
        return;
    for (uint32_t i = 0; i < side_count(e, inst); i++) {
        side_set(e, i);
        for (uint32_t c = 0; c < inst->type.width; c++)
            slot_store(e, slot_of(e, inst, c), e->values[inst->id].c[c][i]);
    }
    side_set(e, 0);
}

static void fetch_side(Emit *e, const Inst *inst)
{
    if (e->contexts->cost[inst->id] != UINT8_MAX) {
        arith_inst(e, inst);
        return;
    }
    for (uint32_t c = 0; c < inst->type.width; c++)
        set_value(e, inst, c, slot_load(e, value_type(e, inst), slot_of(e, inst, c)));
}

Val context_fetch(Emit *e, const Inst *inst)
{
    Contexts *cs = e->contexts;
    BUG_IF(!cs, "%%%u (%s) is used before it is made", inst->id,
           ir_op_name((IrOp)inst->op));
    LLVMBuilderRef builder = e->builder;
    uint32_t side = e->side;
    e->builder = cs->preamble;
    for (uint32_t i = 0; i < side_count(e, inst); i++) {
        side_set(e, i);
        fetch_side(e, inst);
    }
    side_set(e, side);
    e->builder = builder;
    return e->values[inst->id];
}

LlvmValue context_between(Emit *e, const Inst *inst)
{
    if (inst->op == IR_CONST) {
        e->segment++;
        arith_inst(e, inst);
        return e->values[inst->id].c[0][0];
    }
    Contexts *cs = e->contexts;
    e->segment++;
    if (cs->cost[inst->id] != UINT8_MAX && shape_of(e, inst) == SHAPE_WORKGROUP) {
        cs->preamble = e->builder;           /* that of the last segment is gone */
        return as_scalar(e, inst, 0);
    }
    e->sides[0] = const_i32(e, 0);
    side_set(e, 0);
    LlvmValue v = slot_load(e, value_type(e, inst), slot_of(e, inst, 0));
    return is_vector(v) ? lane_get(e, v, 0) : v;
}
