// SPDX-License-Identifier: Apache-2.0
/*
 * expr.c - expressions that denote values.
 *
 * in     typed expressions
 * out    values (Val), in the order of evaluation that WGSL gives: left to right
 * knows  which kind of expression is lowered where
 * not    what the operators and builtin functions do
 */
#include "lower/lower_priv.h"

/* ---- binary operations ----
 * The chain of left operands may be a million long, so it is walked, not
 * recursed into. */

static bool is_chain_link(const Lower *l, const Expr *e)
{
    return e->kind == EXPR_BINARY && !lower_constant(l, e);
}

static Val apply_binary(Lower *l, const Expr *e, Val x)
{
    BinOp op = e->binary.op;
    const Expr *rhs = e->binary.rhs;
    l->c.span = e->span;
    if (op == BINOP_LOGICAL_AND || op == BINOP_LOGICAL_OR)
        return val_one(lower_short_circuit(l, op == BINOP_LOGICAL_AND, x.inst, rhs));
    Val y = lower_value(l, rhs);
    return lower_binary(l, op, e->binary.lhs->type, x, rhs->type, y);
}

static Val binary(Lower *l, const Expr *e)
{
    VEC(const Expr *) chain = {0};
    for (; is_chain_link(l, e); e = e->binary.lhs)
        VEC_PUSH(l->arena, &chain, e);
    Val x = lower_value(l, e);
    while (chain.len)
        x = apply_binary(l, chain.data[--chain.len], x);
    return x;
}

/* ---- the others ---- */

static Val unary(Lower *l, const Expr *e)
{
    if (e->unary.op == UNOP_ADDRESS)
        return lower_place(l, e->unary.of);
    return lower_unary(l, e->unary.op, lower_value(l, e->unary.of));
}

static Val call(Lower *l, const Expr *e)
{
    switch (e->call.kind) {
    case CALL_FUNCTION:  return lower_call(l, e);
    case CALL_BUILTIN:   return lower_builtin(l, e);
    case CALL_CONSTRUCT: return lower_construct(l, e);
    default:             BUG("a call that was not resolved");
    }
}

static Val runtime_value(Lower *l, const Expr *e)
{
    switch (e->kind) {
    case EXPR_NAME:   return lower_local(l, e->name.decl);
    case EXPR_CALL:   return call(l, e);
    case EXPR_MEMBER: return lower_member(l, e);
    case EXPR_INDEX:  return lower_index(l, e);
    case EXPR_UNARY:  return unary(l, e);
    case EXPR_BINARY: return binary(l, e);
    case EXPR_LOAD:   return lower_slot_load(l, lower_slot(l, e->load.of));
    default:          BUG("no value: %s", expr_kind_name(e->kind));
    }
}

Val lower_value(Lower *l, const Expr *e)
{
    Span outer = lower_enter(l, e->span);
    const Value *known = lower_constant(l, e);
    Val v = known ? lower_value_val(l, known) : runtime_value(l, e);
    lower_leave(l, outer);
    return v;
}

Inst *lower_scalar(Lower *l, const Expr *e)
{
    Val v = lower_value(l, e);
    BUG_IF(v.n != 1, "a value of %u parts where one is needed", v.n);
    return v.inst;
}

/* ---- values that are not needed as such ---- */

static void constant_into(Lower *l, Inst *place, const Value *v)
{
    if (lower_leaves(place->mem) > LOWER_MAX_LEAVES && value_is_zero(v))
        lower_clear(l, place);
    else
        lower_store(l, place, lower_value_val(l, v));
}

void lower_into(Lower *l, Inst *place, const Expr *e)
{
    Span outer = lower_enter(l, e->span);
    const Value *known = lower_constant(l, e);
    bool large = lower_leaves(place->mem) > LOWER_MAX_LEAVES;
    if (known)
        constant_into(l, place, known);
    else if (large && lower_is_aggregate_construct(e))
        lower_construct_into(l, place, e);
    else if (large && e->kind == EXPR_LOAD)
        lower_copy(l, place, lower_place(l, e->load.of).inst);
    else
        lower_store(l, place, lower_value(l, e));
    lower_leave(l, outer);
}

void lower_effects(Lower *l, const Expr *e)
{
    if (lower_constant(l, e))
        return;
    if (e->kind == EXPR_LOAD)
        lower_place(l, e->load.of);
    else if (e->type->kind == TYPE_REFERENCE)
        lower_place(l, e);
    else
        lower_value(l, e);
}
