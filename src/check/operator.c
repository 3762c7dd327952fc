// SPDX-License-Identifier: Apache-2.0
/*
 * operator.c - the typing of unary and binary operators.
 *
 * in     an operation whose operands are checked and loaded
 * out    its type, stage and, if it is constant, its value; operands converted
 * knows  operators.def, WGSL 8.6 to 8.9
 * not    memory: & and * of pointers, assignment itself (expr.c, stmt.c)
 */
#include "check/call_priv.h"

static const Overload unary_rows[] = {
#define UNARY(op, operand, result, where) { "", operand, result, WHERE_##where },
#include "check/operators.def"
#undef UNARY
};

static const UnOp unary_ops[] = {
#define UNARY(op, operand, result, where) UNOP_##op,
#include "check/operators.def"
#undef UNARY
};

static const Overload binary_rows[] = {
#define BINARY(op, operands, result, where) { "", operands, result, WHERE_##where },
#include "check/operators.def"
#undef BINARY
};

static const BinOp binary_ops[] = {
#define BINARY(op, operands, result, where) BINOP_##op,
#include "check/operators.def"
#undef BINARY
};

Overloads operator_unary_rows(UnOp op)
{
    for (uint32_t i = 0; i < COUNTOF(unary_ops); i++)
        if (unary_ops[i] == op)
            return (Overloads){&unary_rows[i], 1};
    BUG("'%s' is not an operator of values", un_op_text(op));
}

Overloads operator_binary_rows(BinOp op)
{
    uint32_t first = 0, end;
    while (first < COUNTOF(binary_ops) && binary_ops[first] != op)
        first++;
    for (end = first; end < COUNTOF(binary_ops) && binary_ops[end] == op;)
        end++;
    BUG_IF(first == end, "'%s' has no rows", bin_op_text(op));
    return (Overloads){&binary_rows[first], end - first};
}

static bool is_error(const Type *t)
{
    return t->kind == TYPE_ERROR;
}

static EvalStage later(EvalStage a, EvalStage b)
{
    return MAX_OF(a, b);
}

/* ---- messages ---- */

/* The word that would make `from` fit beside `to`, or NULL: "f32". */
static const Type *convertible_to(Checker *c, const Type *from, const Type *to)
{
    const Type *scalar = type_scalar_of(to);
    if (type_is_abstract(to) || !type_is_numeric_scalar(scalar)
        || !type_is_numeric_scalar(type_scalar_of(from)) || type_scalar_of(from) == scalar)
        return NULL;
    if (type_is_scalar(from))
        return scalar;
    return from->kind == TYPE_VECTOR ? type_vector(c->types, scalar, from->vector.width) : NULL;
}

static bool fits(Checker *c, BinOp op, const Type *lhs, const Type *rhs)
{
    const Type *types[] = {lhs, rhs};
    OverloadMatch match;
    OverloadQuery q = {.types = c->types, .f16 = true, .f64 = true, .args = types, .nargs = 2};
    return overload_resolve(&q, operator_binary_rows(op), &match);
}

static void note_pointer(Checker *c, Diagnostic *d, const Expr *e, const Type *t)
{
    if (t->kind == TYPE_POINTER)
        diag_note(c->diag, d, e->span, "this is a pointer; '*' reads what it points to");
}

/* What could be done about operands that do not go together. */
static void note_remedy(Checker *c, Diagnostic *d, BinOp op, const Type *lhs, const Expr *rhs)
{
    const Type *to = convertible_to(c, rhs->type, lhs);
    if (op == BINOP_SHL || op == BINOP_SHR)
        to = convertible_to(c, rhs->type, c->types->u32);
    if (to && fits(c, op, lhs, to))
        diag_note(c->diag, d, rhs->span, "write '%s(...)' to convert this operand",
                  type_string(c->arena, to));
    else
        note_pointer(c, d, rhs, rhs->type);
}

static void report_binary(Checker *c, Span at, BinOp op, const char *assign, const Expr *lhs,
                          const Type *lhs_type, const Expr *rhs)
{
    Diagnostic *d = diag_add(c->diag, DIAG_operand_type, at,
                             "'%s%s' cannot be applied to '%s' and '%s'", bin_op_text(op),
                             assign, type_string(c->arena, lhs_type),
                             type_string(c->arena, rhs->type));
    if (lhs && lhs_type->kind == TYPE_POINTER)
        note_pointer(c, d, lhs, lhs_type);
    else
        note_remedy(c, d, op, lhs_type, rhs);
}

/* ---- unary ---- */

void check_unary(Checker *c, Expr *e)
{
    Expr *of = e->unary.of;
    OverloadMatch match;
    if (is_error(of->type)) {
        expr_fail(e, c);
        return;
    }
    OverloadQuery q = {
        .types = c->types, .f16 = true, .f64 = true, .all_const = of->stage == EVAL_CONST,
        .args = &(const Type *){of->type}, .nargs = 1,
    };
    if (!overload_resolve(&q, operator_unary_rows(e->unary.op), &match)) {
        Diagnostic *d = diag_add(c->diag, DIAG_operand_type, e->span,
                                 "'%s' cannot be applied to '%s'", un_op_text(e->unary.op),
                                 type_string(c->arena, of->type));
        note_pointer(c, d, of, of->type);
        expr_fail(e, c);
        return;
    }
    if (!call_convert(c, &e->unary.of, match.params[0])) {
        expr_fail(e, c);
        return;
    }
    of = e->unary.of;
    e->type = match.result;
    e->stage = of->stage;
    if (e->stage == EVAL_CONST && of->value)
        call_set_value(c, e, fold_unary(&c->fold, e->span, e->unary.op, e->type, of->value));
}

/* ---- binary ---- */

/* Resolves `lhs op rhs`; false without a message. */
static bool resolve(Checker *c, BinOp op, const Type *lhs, const Type *rhs, bool all_const,
                    OverloadMatch *match)
{
    const Type *types[] = {lhs, rhs};
    OverloadQuery q = {
        .types = c->types, .f16 = feature_enabled(c, ENABLE_f16),
        .f64 = feature_enabled(c, ENABLE_weft_f64), .all_const = all_const,
        .args = types, .nargs = 2,
    };
    return overload_resolve(&q, operator_binary_rows(op), match);
}

void check_binary(Checker *c, Expr *e)
{
    Expr **lhs = &e->binary.lhs, **rhs = &e->binary.rhs;
    OverloadMatch match;
    if (is_error((*lhs)->type) || is_error((*rhs)->type)) {
        expr_fail(e, c);
        return;
    }
    EvalStage stage = later((*lhs)->stage, (*rhs)->stage);
    if (!resolve(c, e->binary.op, (*lhs)->type, (*rhs)->type, stage == EVAL_CONST, &match)) {
        report_binary(c, e->binary.op_span, e->binary.op, "", *lhs, (*lhs)->type, *rhs);
        expr_fail(e, c);
        return;
    }
    if (!call_convert(c, lhs, match.params[0]) || !call_convert(c, rhs, match.params[1])) {
        expr_fail(e, c);
        return;
    }
    e->type = match.result;
    e->stage = stage;
    const Value *x = (*lhs)->value, *y = (*rhs)->value;
    if (stage != EVAL_CONST)
        fold_check_binary(&c->fold, e->span, e->binary.op, (*lhs)->type, x, y);
    else if (x && y)
        call_set_value(c, e, fold_binary(&c->fold, e->span, e->binary.op, e->type, x, y));
}

const Type *check_compound(Checker *c, Span span, BinOp op, const Type *lhs, Expr **rhs)
{
    OverloadMatch match;
    if (is_error(lhs) || is_error((*rhs)->type))
        return c->types->error;
    if (!resolve(c, op, lhs, (*rhs)->type, false, &match) || match.result != lhs) {
        report_binary(c, span, op, "=", NULL, lhs, *rhs);
        return c->types->error;
    }
    if (!call_convert(c, rhs, match.params[1]))
        return c->types->error;
    fold_check_binary(&c->fold, (*rhs)->span, op, lhs, NULL, (*rhs)->value);
    return match.result;
}

/* ---- && and || ---- */

static bool check_condition(Checker *c, const Expr *operand, BinOp op)
{
    if (operand->type->kind == TYPE_BOOL)
        return true;
    if (!is_error(operand->type)) {
        Diagnostic *d = diag_add(c->diag, DIAG_operand_type, operand->span,
                                 "an operand of '%s' must be 'bool', but this is '%s'",
                                 bin_op_text(op), type_string(c->arena, operand->type));
        if (operand->type->kind == TYPE_VECTOR && operand->type->vector.of->kind == TYPE_BOOL)
            diag_note(c->diag, d, operand->span,
                      "'%s' works on each component; 'all' and 'any' reduce a vector",
                      op == BINOP_LOGICAL_AND ? "&" : "|");
    }
    return false;
}

void check_logical(Checker *c, Expr *e)
{
    Expr *lhs = e->binary.lhs, *rhs = e->binary.rhs;
    bool ok = check_condition(c, lhs, e->binary.op);
    ok &= check_condition(c, rhs, e->binary.op);
    if (!ok) {
        expr_fail(e, c);
        return;
    }
    e->type = c->types->boolean;
    e->stage = later(lhs->stage, rhs->stage);
    if (e->stage != EVAL_CONST || !lhs->value)
        return;
    bool decides = lhs->value->boolean == (e->binary.op == BINOP_LOGICAL_OR);
    e->value = decides ? lhs->value : rhs->value;
}
