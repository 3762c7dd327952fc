// SPDX-License-Identifier: Apache-2.0
/*
 * flow.c - statements that branch, and what crosses their borders.
 *
 * in     if, switch, loop, for, while, break, continue; && and ||
 * out    IF, SWITCH, LOOP and BLOCK, their regions ended as ir.h asks
 * knows  WGSL 9.4; which values a continuing part can see
 * not    expressions, other statements
 */
#include "check/behavior.h"
#include "lower/lower_priv.h"

/* Longer chains of `else if` are laid out flat: nothing that walks the IR must
 * recurse as deep as a chain is long. */
#define MAX_NESTED_CLAUSES 32u

static void leave(Lower *l, IrOp op, Inst *target)
{
    ir_leave(&l->c, op, target, 0, NULL);
    l->ended = true;
}

void lower_unreachable(Lower *l, const Stmt *s)
{
    const Frame *f = l->frame;
    bool may_end = f->is_entry || f->block || f->flow;
    if (may_end && !(s->behavior & BEHAVIOR_NEXT))
        leave(l, IR_UNREACHABLE, NULL);
}

static bool known_condition(Lower *l, const Expr *e, bool *out)
{
    const Value *v = lower_constant(l, e);
    if (v)
        *out = v->boolean;
    return v != NULL;
}

/* A block as the whole of a region that ends with `op`. True if its end is
 * reached. */
static bool fill(Lower *l, Region *region, const Block *block, IrOp op, Inst *target)
{
    Saved saved = lower_region_enter(l, region);
    if (block)
        lower_block(l, block);
    bool reached = !l->ended;
    if (reached)
        leave(l, op, target);
    lower_region_leave(l, saved);
    return reached;
}

/* ---- if ---- */

static bool if_from(Lower *l, const Stmt *s, uint32_t clause);

/* The clauses from `clause` on, as the whole of an else region. */
static bool fill_else(Lower *l, Region *region, const Stmt *s, uint32_t clause)
{
    if (clause == s->if_.nclauses)
        return fill(l, region, s->if_.otherwise, IR_YIELD, NULL);
    Saved saved = lower_region_enter(l, region);
    bool reached = if_from(l, s, clause);
    if (!l->ended)
        leave(l, reached ? IR_YIELD : IR_UNREACHABLE, NULL);
    lower_region_leave(l, saved);
    return reached;
}

/* True if the end of a clause is reached. */
static bool if_from(Lower *l, const Stmt *s, uint32_t clause)
{
    if (clause == s->if_.nclauses) {
        if (s->if_.otherwise)
            lower_block(l, s->if_.otherwise);
        return !l->ended;
    }
    const IfClause *c = &s->if_.clauses[clause];
    bool known;
    if (known_condition(l, c->condition, &known)) {
        if (!known)
            return if_from(l, s, clause + 1);
        lower_block(l, c->block);
        return !l->ended;
    }
    Inst *i = ir_if(&l->c, lower_scalar(l, c->condition));
    bool then = fill(l, i->flow.regions[0], c->block, IR_YIELD, NULL);
    bool otherwise = fill_else(l, i->flow.regions[1], s, clause + 1);
    return then || otherwise;
}

/* BLOCK { IF a { ...; BREAK } IF b { ...; BREAK } ...; BREAK } */
static bool if_flat(Lower *l, const Stmt *s)
{
    Inst *block = ir_block(&l->c);
    bool reached = false;
    Saved saved = lower_region_enter(l, block->flow.regions[0]);
    for (uint32_t k = 0; k < s->if_.nclauses; k++) {
        const IfClause *c = &s->if_.clauses[k];
        Inst *i = ir_if(&l->c, lower_scalar(l, c->condition));
        reached |= fill(l, i->flow.regions[0], c->block, IR_BREAK, block);
        fill(l, i->flow.regions[1], NULL, IR_YIELD, NULL);
    }
    if (s->if_.otherwise)
        lower_block(l, s->if_.otherwise);
    if (!l->ended) {
        leave(l, IR_BREAK, block);
        reached = true;
    }
    lower_region_leave(l, saved);
    return reached;
}

void lower_if(Lower *l, const Stmt *s)
{
    bool reached = s->if_.nclauses > MAX_NESTED_CLAUSES ? if_flat(l, s)
                                                        : if_from(l, s, 0);
    if (!reached && !l->ended)
        lower_unreachable(l, s);
}

Inst *lower_short_circuit(Lower *l, bool is_and, Inst *a, const Expr *b)
{
    Inst *i = ir_if(&l->c, a);
    Inst *result = ir_result(l->ir, i, IR_BOOL);
    uint32_t evaluates = is_and ? 0 : 1;

    Saved saved = lower_region_enter(l, i->flow.regions[evaluates]);
    Inst *value = lower_scalar(l, b);
    ir_leave(&l->c, IR_YIELD, NULL, 1, &value);
    lower_region_leave(l, saved);

    saved = lower_region_enter(l, i->flow.regions[1 - evaluates]);
    value = ir_bool(&l->c, !is_and);
    ir_leave(&l->c, IR_YIELD, NULL, 1, &value);
    lower_region_leave(l, saved);
    return result;
}

/* ---- break and continue ---- */

static void flow_push(Lower *l, Flow *f, Inst *construct, bool is_loop)
{
    *f = (Flow){.outer = l->frame->flow, .construct = construct, .is_loop = is_loop};
    l->frame->flow = f;
}

static void flow_pop(Lower *l)
{
    l->frame->flow = l->frame->flow->outer;
}

void lower_break(Lower *l)
{
    Flow *f = l->frame->flow;
    BUG_IF(!f, "break outside of everything");
    f->exits++;
    leave(l, IR_BREAK, f->construct);
}

void lower_continue(Lower *l)
{
    Flow *f = l->frame->flow;
    while (f && !f->is_loop)
        f = f->outer;
    BUG_IF(!f, "continue outside of loops");
    VEC_PUSH(l->arena, &f->continues, ir_leave(&l->c, IR_CONTINUE, f->construct, 0, NULL));
    l->ended = true;
}

/* ---- switch ---- */

static bool is_default(const SwitchClause *c)
{
    for (uint32_t i = 0; i < c->nselectors; i++)
        if (!c->selectors[i])
            return true;
    return false;
}

/* The values of all clauses but the default; fills those clauses' regions. */
static IrCases switch_cases(Lower *l, const Stmt *s)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < s->switch_.nclauses; i++)
        total += s->switch_.clauses[i].nselectors;
    IrCases cases = {
        .values = ARENA_ARRAY(l->arena, uint32_t, total),
        .regions = ARENA_ARRAY(l->arena, uint32_t, total),
    };
    uint32_t region = 0;
    for (uint32_t i = 0; i < s->switch_.nclauses; i++) {
        const SwitchClause *c = &s->switch_.clauses[i];
        if (is_default(c))
            continue;
        for (uint32_t k = 0; k < c->nselectors; k++) {
            const Value *v = lower_constant(l, c->selectors[k]);
            cases.values[cases.count] = (uint32_t)v->integer;
            cases.regions[cases.count++] = region;
        }
        region++;
    }
    return cases;
}

static Inst *switch_construct(Lower *l, const Stmt *s)
{
    if (s->switch_.nclauses == 1) {     /* the default alone */
        lower_effects(l, s->switch_.selector);
        return ir_block(&l->c);
    }
    Inst *selector = lower_scalar(l, s->switch_.selector);
    Inst *i = ir_switch(&l->c, selector, s->switch_.nclauses);
    i->flow.cases = switch_cases(l, s);
    return i;
}

void lower_switch(Lower *l, const Stmt *s)
{
    Flow f;
    Inst *construct = switch_construct(l, s);
    uint32_t region = 0, last = s->switch_.nclauses - 1;
    flow_push(l, &f, construct, false);
    for (uint32_t i = 0; i <= last; i++) {
        const SwitchClause *c = &s->switch_.clauses[i];
        Region *r = construct->flow.regions[is_default(c) ? last : region++];
        f.exits += fill(l, r, c->block, IR_BREAK, construct);
    }
    flow_pop(l);
    if (!f.exits)
        lower_unreachable(l, s);
}

/* ---- loops ---- */

/* The body: leaves the loop where `condition` (NULL: none) is false. */
static void loop_body(Lower *l, Flow *f, const Expr *condition, const Block *body)
{
    bool known;
    Saved saved = lower_region_enter(l, f->construct->flow.regions[0]);
    if (condition && !known_condition(l, condition, &known)) {
        Inst *i = ir_if(&l->c, lower_scalar(l, condition));
        fill(l, i->flow.regions[0], NULL, IR_YIELD, NULL);
        fill(l, i->flow.regions[1], NULL, IR_BREAK, f->construct);
        f->exits++;
    }
    lower_block(l, body);
    if (!l->ended)
        lower_continue(l);
    lower_region_leave(l, saved);
}

/* The statements of a continuing part; the condition of its break-if, or NULL. */
static Inst *continuing_block(Lower *l, const Block *block)
{
    Inst *done = NULL;
    for (uint32_t i = 0; i < block->len && !l->ended; i++) {
        const Stmt *s = block->stmts[i];
        if (s->kind == STMT_BREAK_IF)
            done = lower_scalar(l, s->break_if.condition);
        else
            lower_stmt(l, s);
    }
    return done;
}

/* The continuing region: a block, or the update of a `for`. What no `continue`
 * comes to is left empty. */
static void loop_continuing(Lower *l, Flow *f, const Block *block, const Stmt *update)
{
    Inst *done = NULL;
    bool runs = f->continues.len > 0;
    Saved saved = lower_region_enter(l, f->construct->flow.regions[1]);
    f->in_continuing = true;
    if (runs && block)
        done = continuing_block(l, block);
    if (runs && update)
        lower_stmt(l, update);
    if (done)
        f->exits++;
    if (!l->ended)
        ir_leave(&l->c, done ? IR_BREAK_IF : IR_NEXT, NULL, done ? 1 : 0, &done);
    lower_region_leave(l, saved);
}

void lower_loop(Lower *l, const Stmt *s)
{
    Flow f;
    flow_push(l, &f, ir_loop(&l->c, 0, NULL), true);
    loop_body(l, &f, NULL, s->loop.body);
    loop_continuing(l, &f, s->loop.continuing, NULL);
    flow_pop(l);
    if (!f.exits)
        lower_unreachable(l, s);
}

static void conditional_loop(Lower *l, const Expr *condition, const Stmt *update,
                             const Block *body, const Stmt *s)
{
    bool known;
    if (condition && known_condition(l, condition, &known) && !known)
        return;
    Flow f;
    flow_push(l, &f, ir_loop(&l->c, 0, NULL), true);
    loop_body(l, &f, condition, body);
    loop_continuing(l, &f, NULL, update);
    flow_pop(l);
    if (!f.exits)
        lower_unreachable(l, s);
}

void lower_for(Lower *l, const Stmt *s)
{
    if (s->for_.init)
        lower_stmt(l, s->for_.init);
    conditional_loop(l, s->for_.condition, s->for_.update, s->for_.body, s);
}

void lower_while(Lower *l, const Stmt *s)
{
    conditional_loop(l, s->while_.condition, NULL, s->while_.body, s);
}

/* ---- what a continuing part sees of the body ---- */

static Inst *import(Lower *l, Flow *f, Inst *value)
{
    for (uint32_t i = 0; i < f->imports.len; i++)
        if (f->imports.data[i].value == value)
            return f->imports.data[i].param;
    Inst *param = ir_param(l->ir, f->construct->flow.regions[1], value->type);
    for (uint32_t i = 0; i < f->continues.len; i++)
        ir_add_arg(l->ir, f->continues.data[i], value);
    VEC_PUSH(l->arena, &f->imports, ((Import){value, param}));
    return param;
}

/* Places cannot be passed on: they are made again. */
static Inst *remake_place(Lower *l, Inst *place)
{
    Inst *made;
    switch (place->op) {
    case IR_VAR:
        return ir_place_var(&l->c, place->var);
    case IR_FIELD:
        return ir_place_field(&l->c, lower_visible(l, place->args[0]), place->index);
    case IR_ELEM:
        made = ir_place_elem(&l->c, lower_visible(l, place->args[0]),
                             lower_visible(l, place->args[1]));
        made->in_bounds = place->in_bounds;
        return made;
    case IR_VIEW:
        return ir_place_view(&l->c, lower_visible(l, place->args[0]),
                             lower_visible(l, place->args[1]), place->mem);
    default:
        BUG("not a place");
    }
}

Inst *lower_visible(Lower *l, Inst *inst)
{
    if (!inst)
        return NULL;
    for (Flow *f = l->frame->flow; f; f = f->outer) {
        if (!f->in_continuing || inst->region != f->construct->flow.regions[0])
            continue;
        return inst->type.kind == SCALAR_PLACE ? remake_place(l, inst)
                                               : import(l, f, inst);
    }
    return inst;
}
