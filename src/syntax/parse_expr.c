// SPDX-License-Identifier: Apache-2.0
/*
 * parse_expr.c - expressions, types, template lists.
 *
 * in     tokens
 * out    Expr; after a mistake EXPR_ERROR and a panic
 * knows  WGSL "Expression Grammar": precedence, and which operators may meet
 *        without parentheses
 * not    types: "vec2<f32>" and "a < b" differ only by what template.c found
 */
#include "syntax/parse_priv.h"

static Expr *expr_new(Parser *p, ExprKind kind, Span span)
{
    Expr *e = ARENA_NEW(p->arena, Expr);
    e->kind = kind;
    e->span = span;
    return e;
}

Expr *parse_error_expr(Parser *p, Span span)
{
    return expr_new(p, EXPR_ERROR, span);
}

bool parse_starts_expression(TokenKind kind)
{
    switch (kind) {
    case TOKEN_NAME: case TOKEN_RESERVED: case TOKEN_NUMBER: case TOKEN_TRUE:
    case TOKEN_FALSE: case TOKEN_PAREN_LEFT: case TOKEN_MINUS: case TOKEN_BANG:
    case TOKEN_TILDE: case TOKEN_STAR: case TOKEN_AND: case TOKEN_AND_AND:
    case TOKEN_MINUS_MINUS:
        return true;
    default:
        return false;
    }
}

/* ---- primary expressions ---- */

/* e, e, and so on up to `close`, which is taken too. */
void parse_arguments(Parser *p, ExprVec *args, TokenKind close)
{
    while (!p->panic && p->token.kind != close) {
        VEC_PUSH(p->arena, args, parse_expression(p));
        if (!parse_accept(p, TOKEN_COMMA))
            break;
    }
    if (p->panic || parse_accept(p, close))
        return;
    Diagnostic *d = parse_expected(
        p, "expected ',' or %s in %s", close == TOKEN_PAREN_RIGHT ? "')'" : "'>'",
        close == TOKEN_PAREN_RIGHT ? "the list of arguments" : "the template list");
    slip_found(p, d);
}

/* <A, B>; the '<' is the token. */
static void template_list(Parser *p, Expr *name)
{
    uint32_t open = p->token.span.start;
    if (!parse_enter(p))
        return;
    parse_advance(p);
    ExprVec args = {0};
    parse_arguments(p, &args, TOKEN_TEMPLATE_END);
    if (args.len == 0)
        parse_error(p, DIAG_unexpected_token, parse_span_from(p, open),
                    "a template list needs at least one argument");
    name->name.has_template = true;
    name->name.args = args.data;
    name->name.nargs = args.len;
    name->span.end = MAX_OF(p->last_end, name->span.end);
    parse_leave(p);
    if (p->panic)
        name->kind = EXPR_ERROR;
}

static Expr *name_expr(Parser *p, const char *what)
{
    Expr *e = expr_new(p, EXPR_NAME, p->token.span);
    if (parse_at(p, TOKEN_RESERVED) && parse_peek(p).kind == TOKEN_NAME) {
        parse_reserved(p);              /* "goto end": more than a bad name */
        p->panic = true;
    }
    e->name.ident = parse_ident(p, what);
    if (!e->name.ident.name) {
        e->kind = EXPR_ERROR;
        return e;
    }
    if (parse_at(p, TOKEN_TEMPLATE_START))
        template_list(p, e);
    return e;
}

static Expr *call_expr(Parser *p, Expr *callee)
{
    Expr *e = expr_new(p, EXPR_CALL, callee->span);
    e->call.callee = callee;
    if (!parse_enter(p))
        return e;
    parse_advance(p);
    ExprVec args = {0};
    parse_arguments(p, &args, TOKEN_PAREN_RIGHT);
    e->call.args = args.data;
    e->call.nargs = args.len;
    e->span.end = MAX_OF(p->last_end, e->span.end);
    parse_leave(p);
    return e;
}

static Expr *number_expr(Parser *p)
{
    Span span = p->token.span;
    Str text = {p->module->source.data + span.start, span.end - span.start};
    Number number;
    DiagId id;
    const char *fault = literal_read(text, &number, &id);
    parse_advance(p);
    if (fault) {
        parse_error(p, id, span, "'%s' %s", parse_quote(p, span), fault);
        p->panic = false;               /* the number is understood, if wrong */
        return parse_error_expr(p, span);
    }
    Expr *e = expr_new(p, EXPR_LITERAL, span);
    e->literal.kind = number.kind;
    e->literal.integer = number.integer;
    e->literal.real = number.real;
    return e;
}

static Expr *bool_expr(Parser *p)
{
    Expr *e = expr_new(p, EXPR_LITERAL, p->token.span);
    e->literal.kind = LITERAL_BOOL;
    e->literal.boolean = parse_at(p, TOKEN_TRUE);
    parse_advance(p);
    return e;
}

static Expr *paren_expr(Parser *p)
{
    uint32_t start = p->token.span.start;
    if (!parse_enter(p))
        return parse_error_expr(p, p->token.span);
    parse_advance(p);
    Expr *e = parse_expression(p);
    if (!p->panic && !parse_accept(p, TOKEN_PAREN_RIGHT)) {
        Diagnostic *d = parse_expected(p, "expected ')' to close the parenthesis");
        slip_found(p, d);
    }
    e->parenthesized = true;
    e->span = parse_span_from(p, start);
    parse_leave(p);
    return e;
}

static Expr *primary(Parser *p)
{
    switch (p->token.kind) {
    case TOKEN_NUMBER:
        return number_expr(p);
    case TOKEN_TRUE:
    case TOKEN_FALSE:
        return bool_expr(p);
    case TOKEN_PAREN_LEFT:
        return paren_expr(p);
    case TOKEN_NAME:
    case TOKEN_RESERVED: {
        Expr *name = name_expr(p, "a value");
        return !p->panic && parse_at(p, TOKEN_PAREN_LEFT) ? call_expr(p, name) : name;
    }
    default: {
        Expr *e = parse_error_expr(p, p->token.span);
        Diagnostic *d = parse_expected(p, "expected an expression");
        if (parse_at(p, TOKEN_PLUS))
            parse_hint(p, d, "WGSL has no unary '+'");
        slip_found(p, d);
        return e;
    }
    }
}

/* ---- accesses and unary operators ---- */

static Expr *index_expr(Parser *p, Expr *of)
{
    Expr *e = expr_new(p, EXPR_INDEX, of->span);
    parse_advance(p);
    e->index.of = of;
    e->index.at = parse_expression(p);
    parse_expect(p, TOKEN_BRACKET_RIGHT, "the index");
    e->span.end = MAX_OF(p->last_end, e->span.end);
    return e;
}

static Expr *member_expr(Parser *p, Expr *of)
{
    Expr *e = expr_new(p, EXPR_MEMBER, of->span);
    parse_advance(p);
    e->member.of = of;
    e->member.field = parse_ident(p, "a member or of components");
    e->span.end = MAX_OF(p->last_end, e->span.end);
    return e;
}

/* Each access is one level of the tree: a.b.c is ((a).b).c. */
static Expr *accesses(Parser *p, Expr *e)
{
    uint32_t entered = 0;
    while (!p->panic && (parse_at(p, TOKEN_BRACKET_LEFT) || parse_at(p, TOKEN_DOT))) {
        if (!parse_enter(p))
            break;
        entered++;
        e = parse_at(p, TOKEN_DOT) ? member_expr(p, e) : index_expr(p, e);
    }
    p->depth -= entered;
    return e;
}

static bool unary_op(TokenKind kind, UnOp *op)
{
    switch (kind) {
    case TOKEN_MINUS: case TOKEN_MINUS_MINUS: *op = UNOP_NEGATE;  return true;
    case TOKEN_AND:   case TOKEN_AND_AND:     *op = UNOP_ADDRESS; return true;
    case TOKEN_BANG:  *op = UNOP_NOT;        return true;
    case TOKEN_TILDE: *op = UNOP_COMPLEMENT; return true;
    case TOKEN_STAR:  *op = UNOP_DEREF;      return true;
    default:          return false;
    }
}

Expr *parse_unary(Parser *p)
{
    UnOp op;
    if (!unary_op(p->token.kind, &op))
        return accesses(p, primary(p));
    uint32_t start = p->token.span.start;
    Expr *e = expr_new(p, EXPR_UNARY, p->token.span);
    if (!parse_enter(p))
        return parse_error_expr(p, e->span);
    /* The longest token that fits the grammar: here "&&" is two of "&". */
    if (parse_at(p, TOKEN_AND_AND))
        parse_split(p, TOKEN_AND);
    else if (parse_at(p, TOKEN_MINUS_MINUS))
        parse_split(p, TOKEN_MINUS);
    else
        parse_advance(p);
    e->unary.op = op;
    e->unary.of = parse_unary(p);
    e->span = parse_span_from(p, start);
    parse_leave(p);
    return e;
}

/* ---- binary operators ---- */

/* How tightly an operator binds; classes that may not meet without parentheses
 * still have an order, so that a tree can be made and the mistake named. */
typedef enum Class {
    CLASS_NONE,
    CLASS_LOGICAL_OR,
    CLASS_LOGICAL_AND,
    CLASS_OR,
    CLASS_XOR,
    CLASS_AND,
    CLASS_RELATION,
    CLASS_SHIFT,
    CLASS_SUM,
    CLASS_PRODUCT,
} Class;

static const struct {
    BinOp   op;
    uint8_t class;
} binary_ops[TOKEN_KIND_COUNT] = {
    [TOKEN_OR_OR]         = {BINOP_LOGICAL_OR,  CLASS_LOGICAL_OR},
    [TOKEN_AND_AND]       = {BINOP_LOGICAL_AND, CLASS_LOGICAL_AND},
    [TOKEN_OR]            = {BINOP_OR,          CLASS_OR},
    [TOKEN_XOR]           = {BINOP_XOR,         CLASS_XOR},
    [TOKEN_AND]           = {BINOP_AND,         CLASS_AND},
    [TOKEN_EQUAL_EQUAL]   = {BINOP_EQ,          CLASS_RELATION},
    [TOKEN_NOT_EQUAL]     = {BINOP_NE,          CLASS_RELATION},
    [TOKEN_LESS]          = {BINOP_LT,          CLASS_RELATION},
    [TOKEN_LESS_EQUAL]    = {BINOP_LE,          CLASS_RELATION},
    [TOKEN_GREATER]       = {BINOP_GT,          CLASS_RELATION},
    [TOKEN_GREATER_EQUAL] = {BINOP_GE,          CLASS_RELATION},
    [TOKEN_SHIFT_LEFT]    = {BINOP_SHL,         CLASS_SHIFT},
    [TOKEN_SHIFT_RIGHT]   = {BINOP_SHR,         CLASS_SHIFT},
    [TOKEN_PLUS]          = {BINOP_ADD,         CLASS_SUM},
    [TOKEN_MINUS]         = {BINOP_SUB,         CLASS_SUM},
    [TOKEN_STAR]          = {BINOP_MUL,         CLASS_PRODUCT},
    [TOKEN_SLASH]         = {BINOP_DIV,         CLASS_PRODUCT},
    [TOKEN_PERCENT]       = {BINOP_REM,         CLASS_PRODUCT},
};

static const uint8_t op_classes[BINOP_COUNT] = {
    [BINOP_LOGICAL_OR] = CLASS_LOGICAL_OR, [BINOP_LOGICAL_AND] = CLASS_LOGICAL_AND,
    [BINOP_OR] = CLASS_OR, [BINOP_XOR] = CLASS_XOR, [BINOP_AND] = CLASS_AND,
    [BINOP_EQ] = CLASS_RELATION, [BINOP_NE] = CLASS_RELATION,
    [BINOP_LT] = CLASS_RELATION, [BINOP_LE] = CLASS_RELATION,
    [BINOP_GT] = CLASS_RELATION, [BINOP_GE] = CLASS_RELATION,
    [BINOP_SHL] = CLASS_SHIFT, [BINOP_SHR] = CLASS_SHIFT,
    [BINOP_ADD] = CLASS_SUM, [BINOP_SUB] = CLASS_SUM,
    [BINOP_MUL] = CLASS_PRODUCT, [BINOP_DIV] = CLASS_PRODUCT,
    [BINOP_REM] = CLASS_PRODUCT,
};

#define BIT(class) (1u << CLASS_##class)

/* The classes that an operand may have without parentheses, by the class of the
 * operator. The right operand of a chain cannot have the chain's own class: it
 * would have been taken to the left. */
static const uint16_t may_hold[] = {
    [CLASS_LOGICAL_OR]  = BIT(LOGICAL_OR) | BIT(RELATION) | BIT(SHIFT) | BIT(SUM)
                          | BIT(PRODUCT),
    [CLASS_LOGICAL_AND] = BIT(LOGICAL_AND) | BIT(RELATION) | BIT(SHIFT) | BIT(SUM)
                          | BIT(PRODUCT),
    [CLASS_OR]          = BIT(OR),
    [CLASS_XOR]         = BIT(XOR),
    [CLASS_AND]         = BIT(AND),
    [CLASS_RELATION]    = BIT(SHIFT) | BIT(SUM) | BIT(PRODUCT),
    [CLASS_SHIFT]       = 0,
    [CLASS_SUM]         = BIT(SUM) | BIT(PRODUCT),
    [CLASS_PRODUCT]     = BIT(PRODUCT),
};

/* Says which operators need parentheses; the tree stays good. */
static void check_mix(Parser *p, BinOp op, Span op_span, const Expr *operand)
{
    if (operand->kind != EXPR_BINARY || operand->parenthesized || p->mixed)
        return;
    BinOp inner = operand->binary.op;
    if (may_hold[op_classes[op]] & (1u << op_classes[inner]))
        return;
    p->mixed = true;
    Diagnostic *d;
    if (op_classes[op] == op_classes[inner])
        d = parse_error(p, DIAG_mixed_operators, op_span,
                        "'%s' and '%s' cannot follow one another without parentheses",
                        bin_op_text(inner), bin_op_text(op));
    else
        d = parse_error(p, DIAG_mixed_operators, op_span,
                        "'%s' and '%s' cannot be combined without parentheses",
                        bin_op_text(inner), bin_op_text(op));
    if (d)
        diag_note(p->diag, d, operand->span, "put parentheses around this");
    p->panic = false;
}

static Expr *binary_expr(Parser *p, BinOp op, Span op_span, Expr *lhs, Expr *rhs)
{
    Expr *e = expr_new(p, EXPR_BINARY, span_join(lhs->span, rhs->span));
    e->binary.op = op;
    e->binary.op_span = op_span;
    e->binary.lhs = lhs;
    e->binary.rhs = rhs;
    if (!p->panic) {
        check_mix(p, op, op_span, lhs);
        check_mix(p, op, op_span, rhs);
    }
    return e;
}

/* The operator that the token is. "a--b" is "a - -b", the longest tokens that
 * fit; "a--" alone is not an expression. */
static Class class_of_token(Parser *p, BinOp *op)
{
    TokenKind kind = p->token.kind;
    if (kind == TOKEN_MINUS_MINUS && parse_starts_expression(parse_peek(p).kind))
        kind = TOKEN_MINUS;
    *op = binary_ops[kind].op;
    return (Class)binary_ops[kind].class;
}

static Span take_operator(Parser *p)
{
    Span span = p->token.span;
    if (parse_at(p, TOKEN_MINUS_MINUS)) {
        parse_split(p, TOKEN_MINUS);
        span.end--;
    } else {
        parse_advance(p);
    }
    return span;
}

/* A chain of operators that bind at least as tightly as `least`. */
static Expr *binary(Parser *p, Class least)
{
    Expr *lhs = parse_unary(p);
    while (!p->panic) {
        BinOp op;
        Class class = class_of_token(p, &op);
        if (class == CLASS_NONE || class < least || !parse_enter(p))
            break;
        Span op_span = take_operator(p);
        Expr *rhs = binary(p, (Class)(class + 1));
        parse_leave(p);
        lhs = binary_expr(p, op, op_span, lhs, rhs);
    }
    return lhs;
}

Expr *parse_expression(Parser *p)
{
    bool was_mixed = p->mixed;
    p->mixed = false;
    Expr *e = p->panic ? parse_error_expr(p, (Span){p->last_end, p->last_end})
                       : binary(p, CLASS_LOGICAL_OR);
    p->mixed = was_mixed;
    if (parse_at(p, TOKEN_PLUS_PLUS) || parse_at(p, TOKEN_MINUS_MINUS)
        || parse_at(p, TOKEN_ARROW) || parse_at(p, TOKEN_INVALID)) {
        Diagnostic *d = parse_expected(p, "expected the end of the expression");
        slip_found(p, d);
    }
    return p->panic ? parse_error_expr(p, e->span) : e;
}

Expr *parse_type(Parser *p, const char *what)
{
    if (p->panic)
        return parse_error_expr(p, (Span){p->last_end, p->last_end});
    if (!parse_at(p, TOKEN_NAME) && !parse_at(p, TOKEN_RESERVED)) {
        Expr *e = parse_error_expr(p, p->token.span);
        parse_expected(p, "expected the type of %s", what);
        return e;
    }
    Expr *e = name_expr(p, "a type");
    if (!p->panic && parse_at(p, TOKEN_LESS))
        parse_error(p, DIAG_unexpected_token, p->token.span,
                    "this '<' opens a template list that no '>' closes");
    if (!p->panic && parse_at(p, TOKEN_BRACKET_LEFT)) {
        Diagnostic *d = parse_error(p, DIAG_unexpected_token, p->token.span,
                                    "a type cannot be followed by '['");
        parse_hint(p, d, "an array type is written array<%s, N>",
                   parse_quote(p, e->span));
    }
    if (p->panic)
        e->kind = EXPR_ERROR;
    return e;
}
