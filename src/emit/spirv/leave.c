// SPDX-License-Identifier: Apache-2.0
/*
 * leave.c - ways out of constructs.
 *
 * in     YIELD, BREAK, CONTINUE, RETURN, UNREACHABLE
 * out    a branch; the values it brings, as phis where it arrives
 * knows  which branches SPIR-V lets leave a construct (2.11)
 *
 * SPIR-V allows a branch to the merge block or the continue target of the innermost
 * loop, also from inside selections, and to the merge block of the innermost OpSwitch
 * if no loop is in between. Any other way out has a loop or an OpSwitch in its way.
 * It goes in steps: to the merge block of what is in its way, with a number that says
 * where it wants to go (its route; 0: nowhere else) and its values beside those of
 * others that arrive there; and from that block on as if it stood there, which may
 * take another step.
 *
 * Every path through a continue construct must lead to its back edge, unreachable ones as
 * well: so UNREACHABLE becomes OpUnreachable elsewhere only.
 */
#include "emit/spirv/spirv_priv.h"

/* ---- arriving ---- */

static void arrive(Spirv *s, Arrivals *a, uint32_t route, uint32_t n, const SpvId *values)
{
    const SpvId *kept = arena_copy(s->arena, values, n * sizeof *values);
    VEC_PUSH(s->arena, a, ((Arrival){s->block, route, kept}));
}

void spv_leave_arrive(Spirv *s, Frame *f, const Inst *leaver)
{
    uint32_t n = f->construct->flow.nresults, first = leaver->op == IR_BREAK_IF;
    SpvId *values = ARENA_ARRAY(s->arena, SpvId, n);
    for (uint32_t i = 0; i < n; i++)
        values[i] = spv_value(s, leaver->args[first + i]);
    arrive(s, &f->arrivals, 0, n, values);
}

/* Value `i` of those who took `route`, at the block where all arrive. */
static SpvId join(Spirv *s, const Arrivals *a, uint32_t route, uint32_t i, IrType type)
{
    Words w = {0};
    SpvId id = spv_type_value(s, type), same = 0;
    bool all_same = true;
    for (uint32_t k = 0; k < a->len; k++) {
        const Arrival *x = &a->data[k];
        SpvId v = x->route == route ? x->values[i] : 0;
        if (!v)
            v = spv_undef(s, id);
        else if (!same)
            same = v;
        all_same = all_same && v == same && x->route == route;
        VEC_PUSH(s->arena, &w, v);
        VEC_PUSH(s->arena, &w, x->from);
    }
    if (!same)
        return spv_undef(s, id);
    return all_same ? same : spv_op_new(s, SpvOpPhi, id, w.len, w.data);
}

void spv_leave_join(Spirv *s, const Arrivals *a, Inst *const *to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        s->values[to[i]->id] = join(s, a, 0, i, to[i]->type);
}

/* ---- leaving ---- */

static bool is_switch(const Frame *f)
{
    return f->construct->op == IR_SWITCH || (f->construct->op == IR_BLOCK && !f->fused);
}

/* The innermost construct that a branch to `target` may not jump out of; or the
 * target itself, with *direct. */
static Frame *next_stop(const Spirv *s, const Inst *target, bool *direct)
{
    bool to_loop = target->op == IR_LOOP;
    for (Frame *f = s->frame; f; f = f->outer) {
        *direct = f->construct == target;
        if (*direct || f->construct->op == IR_LOOP || (!to_loop && is_switch(f)))
            return f;
    }
    BUG("a way out of what is not around it");
}

static uint32_t route_number(Spirv *s, Frame *f, IrOp op, const Inst *target, uint32_t n,
                             const IrType *types)
{
    for (uint32_t i = 0; i < f->routes.len; i++)
        if (f->routes.data[i].op == op && f->routes.data[i].target == target)
            return i + 1;
    Route r = {op, target, n, arena_copy(s->arena, types, n * sizeof *types)};
    VEC_PUSH(s->arena, &f->routes, r);
    return f->routes.len;
}

/* Where a branch goes that takes these values along. */
static SpvId target_of(Spirv *s, IrOp op, const Inst *target, uint32_t n,
                       const SpvId *values, const IrType *types)
{
    bool direct;
    Frame *f = next_stop(s, target, &direct);
    uint32_t route = direct ? 0 : route_number(s, f, op, target, n, types);
    if (direct && op == IR_CONTINUE) {
        arrive(s, &f->continued, 0, n, values);
        return f->again;
    }
    arrive(s, &f->arrivals, route, n, values);
    return f->merge;
}

SpvId spv_leave_target(Spirv *s, const Inst *inst)
{
    SpvId  *values = ARENA_ARRAY(s->arena, SpvId, inst->nargs);
    IrType *types = ARENA_ARRAY(s->arena, IrType, inst->nargs);
    for (uint32_t i = 0; i < inst->nargs; i++) {
        values[i] = spv_value(s, inst->args[i]);
        types[i] = inst->args[i]->type;
    }
    return target_of(s, (IrOp)inst->op, inst->target, inst->nargs, values, types);
}

bool spv_leave_is_direct(const Spirv *s, const Inst *inst)
{
    bool direct = false;
    if (inst->op == IR_BREAK || inst->op == IR_CONTINUE)
        next_stop(s, inst->target, &direct);
    return direct && inst->target->op == IR_LOOP;
}

/* The end of a BLOCK that is no construct of SPIR-V: the code just goes on. */
static bool is_fused(const Spirv *s, const Inst *inst)
{
    for (const Frame *f = s->frame; f; f = f->outer)
        if (f->construct == inst->target)
            return f->fused;
    return false;
}

/* Of an IF that is no construct of SPIR-V. */
static void yield_fused(Spirv *s, const Inst *inst)
{
    for (uint32_t i = 0; i < inst->nargs; i++)
        s->values[s->frame->construct->flow.results[i]->id] = spv_value(s, inst->args[i]);
}

/* To the end of the innermost construct, with values that are not looked at. */
static void leave_unreachable(Spirv *s)
{
    if (!s->continuing) {
        spv_put(s, SECTION_CODE, SpvOpUnreachable, 0, NULL);
        return;
    }
    Frame *f = s->frame;
    uint32_t n = f->construct->flow.nresults;
    arrive(s, &f->arrivals, 0, n, ARENA_ARRAY(s->arena, SpvId, n));
    spv_branch(s, f->merge);
}

void spv_leave_inst(Spirv *s, const Inst *inst)
{
    switch (inst->op) {
    case IR_YIELD:
        if (s->frame->fused) {
            yield_fused(s, inst);
            return;
        }
        spv_leave_arrive(s, s->frame, inst);
        spv_branch(s, s->frame->merge);
        return;
    case IR_RETURN:
        spv_put(s, SECTION_CODE, SpvOpReturn, 0, NULL);
        return;
    case IR_UNREACHABLE:
        leave_unreachable(s);
        return;
    default:
        break;
    }
    if (inst->op != IR_BREAK || !is_fused(s, inst))
        spv_branch(s, spv_leave_target(s, inst));
}

/* ---- behind a construct ---- */

/* Which route was taken, as a number. */
static SpvId route_taken(Spirv *s, const Arrivals *a)
{
    Words w = {0};
    for (uint32_t k = 0; k < a->len; k++) {
        VEC_PUSH(s->arena, &w, spv_const_u32(s, a->data[k].route));
        VEC_PUSH(s->arena, &w, a->data[k].from);
    }
    return spv_op_new(s, SpvOpPhi, spv_type_u32(s), w.len, w.data);
}

static void go_on(Spirv *s, const Route *r, const SpvId *values)
{
    spv_branch(s, target_of(s, r->op, r->target, r->nvalues, values, r->types));
}

/* Those who only pass here go on; the others fall through. */
static void put_routes(Spirv *s, const Frame *f, SpvId taken, SpvId *const *values)
{
    for (uint32_t i = 0; i < f->routes.len; i++) {
        SpvId here = spv_new_id(s), next = spv_new_id(s);
        SpvId type = spv_type_value(s, IR_BOOL);
        SpvId mine = spv_op2(s, SpvOpIEqual, type, taken, spv_const_u32(s, i + 1));
        spv_selection_merge(s, next);
        spv_branch_if(s, mine, here, next);
        spv_block_start(s, here);
        go_on(s, &f->routes.data[i], values[i]);
        spv_block_start(s, next);
    }
}

void spv_leave_merge(Spirv *s, Frame *f, Inst *const *results, uint32_t n)
{
    spv_leave_join(s, &f->arrivals, results, n);
    if (f->routes.len == 0)
        return;
    SpvId **values = ARENA_ARRAY(s->arena, SpvId *, f->routes.len);
    for (uint32_t i = 0; i < f->routes.len; i++) {
        const Route *r = &f->routes.data[i];
        values[i] = ARENA_ARRAY(s->arena, SpvId, r->nvalues);
        for (uint32_t k = 0; k < r->nvalues; k++)
            values[i][k] = join(s, &f->arrivals, i + 1, k, r->types[k]);
    }
    put_routes(s, f, route_taken(s, &f->arrivals), values);
}
