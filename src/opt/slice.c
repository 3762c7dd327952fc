// SPDX-License-Identifier: Apache-2.0
/*
 * slice.c - long loops over memory that workgroups share, a slice for all of them at a
 * time.
 *
 * in     an Ir without barriers; loops such as for (k = 0; k < n; k++) that load
 *        from a column of a matrix whose rows all fall into the same few sets of a
 *        cache, the same column for workgroups that follow each other along x
 * out    the loop in slices with a barrier after each, and Ir.team: so many workgroups
 *        run as if they were one, so that what a slice loads is still in the cache
 *        when the next one of them wants it
 * why    each row of such a column throws out another one, so that it is fetched from
 *        far away for each workgroup anew
 */
#include "opt/opt_priv.h"

#define SLICE     8u                /* rounds: lines that one set of a cache has     */
#define TEAM      3u                /* workgroups: what else they load may fall into
                                       the same set                                  */
#define FAR       4096u             /* bytes after which sets of a cache come again  */
#define LONG      64u               /* rounds that are worth it                      */
#define MAX_STEP  1024u
#define MAX_DEPTH 12u

typedef struct Sliced {
    Inst    *loop, *guard, *test;
    uint32_t counter;               /* which parameter                             */
    uint32_t step;
} Sliced;

/* ---- which loop ---- */

static bool uses(const Inst *v, const Inst *what, uint32_t depth)
{
    if (v == what)
        return true;
    for (uint32_t i = 0; depth && i < v->nargs; i++)
        if (uses(v->args[i], what, depth - 1))
            return true;
    return false;
}

/* Does v, made from the counter among others, depend on an input? `unknown`: the answer
 * where that does not show. */
static bool uses_input(const Inst *v, const Inst *counter, IrInput first, IrInput last,
                       bool unknown, uint32_t depth)
{
    if (v->op == IR_INPUT)
        return v->input >= first && v->input <= last;
    if (v == counter || v->op == IR_CONST)
        return false;
    if (depth == 0 || v->op == IR_PARAM || v->op == IR_RESULT ||
        (ir_op_effect((IrOp)v->op) != EFFECT_PURE && !value_is_fixed(v)))
        return unknown;
    for (uint32_t i = 0; i < v->nargs && v->op != IR_LOAD; i++)
        if (uses_input(v->args[i], counter, first, last, unknown, depth - 1))
            return true;
    return false;
}

/* Is a multiple of the counter in it, so that rounds fall into the same set? */
static bool comes_again(const Inst *v, const Inst *counter, uint32_t stride, uint32_t depth)
{
    for (uint32_t i = 0; v->op == IR_IMUL && i < 2; i++) {
        const Inst *by = v->args[1 - i];
        uint64_t bytes = by->op == IR_CONST ? (uint64_t)by->constant.bits[0] * stride : 0;
        if (bytes && bytes % FAR == 0 && uses(v->args[i], counter, depth))
            return true;
    }
    for (uint32_t i = 0; depth && v->op == IR_IADD && i < 2; i++)
        if (comes_again(v->args[i], counter, stride, depth - 1))
            return true;
    return false;
}

/* Do workgroups along x load the same there, each lane something else? */
static bool is_shared_column(const Inst *load, const Inst *counter)
{
    const Inst *place = load->args[0];
    if (place->op != IR_ELEM || place->args[0]->op != IR_VAR ||
        place->args[0]->var->space != IRSPACE_STORAGE ||
        place->args[0]->mem->kind != MEM_ARRAY)
        return false;
    const Inst *index = place->args[1];
    return comes_again(index, counter, place->args[0]->mem->array.stride, MAX_DEPTH) &&
           uses_input(index, counter, INPUT_LOCAL_ID_X, INPUT_LOCAL_INDEX, false, MAX_DEPTH) &&
           !uses_input(index, counter, INPUT_WORKGROUP_ID_X, INPUT_WORKGROUP_ID_X, true,
                       MAX_DEPTH);
}

static bool find_counter(Sliced *s)
{
    const Region *body = s->loop->flow.regions[0];
    s->test = s->guard->args[0];
    if ((s->test->op != IR_ULT && s->test->op != IR_SLT) || !value_is_fixed(s->test->args[1]) ||
        !region_only(s->guard->flow.regions[0], IR_YIELD))
        return false;
    const Inst *p = s->test->args[0];
    if (p->op != IR_PARAM || p->region != body || s->loop->args[p->index]->op != IR_CONST)
        return false;
    const Inst *next = s->loop->flow.regions[1]->last->args[p->index];
    if (next->op != IR_IADD || next->args[0] != p || next->args[1]->op != IR_CONST)
        return false;
    s->counter = p->index;
    s->step = next->args[1]->constant.bits[0];
    return s->step > 0 && s->step <= MAX_STEP;
}

/* Few rounds are one slice anyway. */
static bool is_long(const Sliced *s)
{
    const Inst *limit = s->test->args[1];
    uint32_t first = s->loop->args[s->counter]->constant.bits[0];
    return limit->op != IR_CONST ||
           (limit->constant.bits[0] > first &&
            (limit->constant.bits[0] - first) / s->step >= LONG);
}

/* What comes before the test is done once more for each slice. */
static bool may_repeat(const Sliced *s)
{
    const Inst *inst = s->loop->flow.regions[0]->first;
    while (inst != s->guard && ir_op_effect((IrOp)inst->op) <= EFFECT_READ)
        inst = inst->next;
    return inst == s->guard;
}

static bool loads_column(const Sliced *s)
{
    const Inst *counter = s->loop->flow.regions[0]->params[s->counter];
    for (const Inst *inst = s->loop->flow.regions[0]->first; inst; inst = inst->next)
        if (inst->op == IR_LOAD && is_shared_column(inst, counter))
            return true;
    return false;
}

/* ---- which kernels ---- */

/* Nothing but one loop, at the top, and no way around it? */
static bool is_simple(const Region *region, const Region *top, Inst **loop)
{
    for (Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_BARRIER || inst->op == IR_ATOMIC || inst->op == IR_SUBGROUP ||
            (inst->op == IR_RETURN && inst != top->last) ||
            (inst->op == IR_LOOP && (region != top || *loop)))
            return false;
        if (inst->op == IR_LOOP)
            *loop = inst;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (!is_simple(inst->flow.regions[i], top, loop))
                    return false;
    }
    return true;
}

/* ---- the change ---- */

/* Do all slices have the same number of rounds? */
static bool is_even(const Sliced *s)
{
    const Inst *limit = s->test->args[1];
    uint32_t first = s->loop->args[s->counter]->constant.bits[0];
    return limit->op == IR_CONST &&
           (limit->constant.bits[0] - first) % (SLICE * s->step) == 0;
}

/* Where this slice ends: counter + min(limit - counter, rounds); no sum wraps. */
static Inst *slice_end(const Sliced *s, IrCursor *c, Inst *counter, Inst *limit)
{
    Inst *left = ir_op2(c, IR_ISUB, limit, counter);
    Inst *some = ir_op2(c, IR_UMIN, left, ir_i32(c, SLICE * s->step));
    return ir_op2(c, IR_IADD, counter, some);
}

/* The test of the loop over rounds: a count of its own if all slices are the same, so that
 * it can be unrolled. */
static Inst *inner_test(const Sliced *s, IrCursor *c, const Region *body, Inst *end)
{
    uint32_t n = s->loop->flow.regions[0]->nparams;
    return end ? ir_op2(c, (IrOp)s->test->op, body->params[s->counter], end)
               : ir_op2(c, IR_ULT, body->params[n], ir_i32(c, SLICE));
}

/* The rounds of one slice, in the body of the loop over slices; `end` NULL: SLICE. */
static Inst *inner_loop(const Sliced *s, Copy *p, IrCursor *c, Inst *const *inits, Inst *end)
{
    const Region *body = s->loop->flow.regions[0], *next = s->loop->flow.regions[1];
    uint32_t n = body->nparams;
    Inst **args = ARENA_ARRAY(p->ir->arena, Inst *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        args[i] = inits[i];
    args[n] = end ? NULL : ir_i32(c, 0);
    Inst   *inner = ir_loop(c, end ? n : n + 1, args);
    Region *to = inner->flow.regions[0], *again = inner->flow.regions[1];
    for (uint32_t i = 0; i < n; i++)
        p->map[body->params[i]->id] = to->params[i];
    IrCursor in = {p->ir, to, NULL, s->loop->span};
    copy_range(p, &in, body->first, s->guard);
    Inst *guard = ir_if(&in, inner_test(s, &in, to, end));
    IrCursor yes = {p->ir, guard->flow.regions[0], NULL, s->loop->span};
    ir_leave(&yes, IR_YIELD, NULL, 0, NULL);
    IrCursor no = {p->ir, guard->flow.regions[1], NULL, s->loop->span};
    ir_leave(&no, IR_BREAK, inner, n, to->params);
    p->map[s->loop->id] = inner;
    copy_range(p, &in, s->guard->next, NULL);
    for (uint32_t i = 0; i < next->nparams; i++)
        p->map[next->params[i]->id] = ir_param(p->ir, again, next->params[i]->type);
    copy_region(p, again, next->first);
    if (!end) {
        IrCursor last = {p->ir, again, again->last, s->loop->span};
        ir_add_arg(p->ir, again->last, ir_op2(&last, IR_IADD, to->params[n], ir_i32(&last, 1)));
    }
    return inner;
}

static void slice(Ir *ir, const Sliced *s)
{
    Inst    *loop = s->loop;
    const Region *body = loop->flow.regions[0];
    uint32_t n = body->nparams;
    Copy     p = copy_new(ir);
    Forward  forward;
    IrCursor c = {ir, loop->region, loop, loop->span};
    forward_init(&forward, ir);
    Inst   *outer = ir_loop(&c, n, loop->args);
    Region *to = outer->flow.regions[0], *again = outer->flow.regions[1];
    for (uint32_t i = 0; i < n; i++)
        p.map[body->params[i]->id] = to->params[i];
    for (uint32_t i = 0; i < loop->flow.nresults; i++)
        forward_set(&forward, loop->flow.results[i],
                    ir_result(ir, outer, loop->flow.results[i]->type));
    p.map[loop->id] = outer;
    IrCursor in = {ir, to, NULL, loop->span};
    copy_range(&p, &in, body->first, s->guard);
    Inst *guard = copy_inst(&p, &in, s->guard);
    IrCursor before = {ir, to, guard, loop->span};
    guard->args[0] = ir_op1(&before, IR_UNIFORM, guard->args[0]);
    Inst *end = is_even(s) ? NULL
                           : slice_end(s, &in, to->params[s->counter],
                                       copy_of(&p, s->test->args[1]));
    Inst *inner = inner_loop(s, &p, &in, to->params, end);
    Inst **given = ARENA_ARRAY(ir->arena, Inst *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        given[i] = ir_result(ir, inner, body->params[i]->type);
    ir_barrier(&in, BARRIER_WORKGROUP);
    ir_leave(&in, IR_CONTINUE, outer, n, given);
    for (uint32_t i = 0; i < n; i++)
        given[i] = ir_param(ir, again, body->params[i]->type);
    IrCursor last = {ir, again, NULL, loop->span};
    ir_leave(&last, IR_NEXT, NULL, n, given);
    ir_remove(loop);
    forward_region(&forward, ir->body);
    ir->team = TEAM;
}

void opt_slice(Ir *ir)
{
    Sliced     s = {.loop = NULL};
    LoopSurvey survey;
    if (ir_has_own_memory(ir) || !is_simple(ir->body, ir->body, &s.loop) || !s.loop)
        return;
    s.guard = loop_guard(s.loop);
    if (loop_is_plain(s.loop, s.guard, &survey) && find_counter(&s) && is_long(&s) &&
        may_repeat(&s) && loads_column(&s))
        slice(ir, &s);
}
