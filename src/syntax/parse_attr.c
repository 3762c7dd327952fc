// SPDX-License-Identifier: Apache-2.0
/*
 * parse_attr.c - attributes and diagnostic filters.
 *
 * in     tokens from '@' on
 * out    Attrs: known attributes with the right number of arguments
 * knows  attr.def
 * not    where an attribute makes sense and what its arguments mean (check/)
 */
#include "base/near.h"
#include "syntax/parse_priv.h"

typedef enum Takes { VALUES, NAMES } Takes;

static const struct {
    const char *text;
    uint8_t     min, max;
    Takes       takes;
} rows[] = {
#define ATTR(kind, text, min, max, takes) {text, min, max, takes},
#include "syntax/attr.def"
#undef ATTR
};
_Static_assert(COUNTOF(rows) == ATTR_KIND_COUNT, "an attribute has no row");

const char *attr_kind_name(AttrKind kind)
{
    return rows[kind].text;
}

static bool find_kind(Str text, AttrKind *kind)
{
    for (uint32_t i = 0; i < COUNTOF(rows); i++) {
        if (str_eq(text, str_of(rows[i].text))) {
            *kind = (AttrKind)i;
            return true;
        }
    }
    return false;
}

static const char *candidate(Str text)
{
    const char *best = NULL;
    Near near = near_begin(text);
    for (uint32_t i = 0; i < COUNTOF(rows); i++)
        if (near_consider(&near, str_of(rows[i].text)))
            best = rows[i].text;
    return best;
}

static void unknown(Parser *p, Ident ident)
{
    Diagnostic *d = parse_error(p, DIAG_unknown_attribute, ident.span,
                                "there is no attribute '@%s'",
                                parse_quote(p, ident.span));
    const char *near = candidate(ident.name->text);
    if (near)
        parse_hint(p, d, "did you mean '@%s'?", near);
    p->panic = false;
}

/* (a, b, c,) */
static void values(Parser *p, ExprVec *args)
{
    if (!parse_enter(p))
        return;
    parse_advance(p);
    parse_arguments(p, args, TOKEN_PAREN_RIGHT);
    parse_leave(p);
}

static void names(Parser *p, IdentVec *args, const char *what)
{
    parse_advance(p);
    while (!p->panic && !parse_at(p, TOKEN_PAREN_RIGHT)) {
        Ident ident = parse_ident(p, what);
        VEC_PUSH(p->arena, args, ident);
        if (!parse_accept(p, TOKEN_COMMA))
            break;
    }
    if (!p->panic && !parse_accept(p, TOKEN_PAREN_RIGHT))
        parse_expected(p, "expected ',' or ')' in the arguments of the attribute");
}

void parse_diagnostic_control(Parser *p, Attr *out)
{
    parse_expect(p, TOKEN_PAREN_LEFT, "'diagnostic'");
    out->names[0] = parse_ident(p, "a severity");
    parse_expect(p, TOKEN_COMMA, "the severity");
    out->names[1] = parse_ident(p, "a diagnostic rule");
    if (parse_accept(p, TOKEN_DOT))
        out->names[2] = parse_ident(p, "a diagnostic rule");
    parse_accept(p, TOKEN_COMMA);
    parse_expect(p, TOKEN_PAREN_RIGHT, "the diagnostic rule");
    out->nargs = 2;
}

static void wrong_count(Parser *p, const Attr *attr, bool parens, uint32_t count)
{
    uint32_t min = rows[attr->kind].min, max = rows[attr->kind].max;
    const char *text = rows[attr->kind].text;
    if (max == 0)
        parse_error(p, DIAG_attribute_arguments, attr->span,
                    "'@%s' takes no arguments%s", text,
                    count == 0 ? ", and no parentheses" : "");
    else if (!parens)
        parse_error(p, DIAG_attribute_arguments, attr->span,
                    "'@%s' needs an argument in parentheses", text);
    else if (min == max)
        parse_error(p, DIAG_attribute_arguments, attr->span,
                    "'@%s' takes %u argument%s, not %u", text, min,
                    min == 1 ? "" : "s", count);
    else
        parse_error(p, DIAG_attribute_arguments, attr->span,
                    "'@%s' takes %u to %u arguments, not %u", text, min, max, count);
    p->panic = false;
}

static void keep_names(Attr *attr, const Ident *idents, uint32_t count)
{
    attr->nargs = MIN_OF(count, rows[attr->kind].max);
    for (uint32_t i = 0; i < attr->nargs; i++)
        attr->names[i] = idents[i];
}

/* What is missing is made up, so that the attribute itself is not missed. */
static void keep_values(Parser *p, Attr *attr, Expr **exprs, uint32_t count)
{
    attr->nargs = MAX_OF(MIN_OF(count, rows[attr->kind].max), rows[attr->kind].min);
    for (uint32_t i = 0; i < attr->nargs; i++)
        attr->args[i] = i < count ? exprs[i] : parse_error_expr(p, attr->span);
}

/* The arguments of a known attribute; false: it is of no use. */
static bool arguments(Parser *p, Attr *attr)
{
    bool parens = parse_at(p, TOKEN_PAREN_LEFT);
    uint32_t count = 0;
    ExprVec exprs = {0};
    IdentVec idents = {0};
    if (attr->kind == ATTR_DIAGNOSTIC) {
        parse_diagnostic_control(p, attr);
        return !p->panic;
    }
    if (parens && rows[attr->kind].takes == NAMES) {
        names(p, &idents, attr->kind == ATTR_BUILTIN ? "a builtin value"
                                                     : "a kind of interpolation");
        count = idents.len;
    } else if (parens) {
        values(p, &exprs);
        count = exprs.len;
    }
    if (p->panic)
        return false;
    bool fits = count >= rows[attr->kind].min && count <= rows[attr->kind].max
                && parens == (rows[attr->kind].max > 0);
    attr->span.end = MAX_OF(p->last_end, attr->span.end);
    if (!fits)
        wrong_count(p, attr, parens, count);
    if (rows[attr->kind].takes == NAMES)
        keep_names(attr, idents.data, idents.len);
    else
        keep_values(p, attr, exprs.data, exprs.len);
    return fits || rows[attr->kind].takes == VALUES;
}

/* The name after '@'. Two attributes are called as keywords are. */
static bool attribute_name(Parser *p, Ident *ident)
{
    *ident = (Ident){p->token.name, p->token.span};
    if (parse_at(p, TOKEN_NAME) || parse_at(p, TOKEN_CONST)
        || parse_at(p, TOKEN_DIAGNOSTIC)) {
        parse_advance(p);
        return true;
    }
    *ident = parse_ident(p, "an attribute");
    return false;
}

static bool attribute(Parser *p, Attr *attr)
{
    uint32_t start = p->token.span.start;
    Ident ident;
    ExprVec skipped = {0};
    parse_advance(p);
    if (!attribute_name(p, &ident)) {
        if (!p->panic && parse_at(p, TOKEN_PAREN_LEFT))
            values(p, &skipped);
        return false;
    }
    *attr = (Attr){.span = parse_span_from(p, start)};
    if (find_kind(ident.name->text, &attr->kind)) {
        bool fine = arguments(p, attr);
        attr->span = parse_span_from(p, start);
        return fine;
    }
    unknown(p, ident);
    if (parse_at(p, TOKEN_PAREN_LEFT))
        values(p, &skipped);
    return false;
}

Attrs parse_attributes(Parser *p)
{
    VEC(Attr) list = {0};
    while (!p->panic && parse_at(p, TOKEN_AT)) {
        Attr attr;
        if (attribute(p, &attr))
            VEC_PUSH(p->arena, &list, attr);
    }
    return (Attrs){list.data, list.len};
}

void parse_no_attributes(Parser *p, Attrs attrs, const char *before)
{
    if (attrs.len == 0 || p->panic)
        return;
    parse_error(p, DIAG_misplaced_attribute, attrs.data[0].span,
                "'@%s' cannot be used before %s", rows[attrs.data[0].kind].text, before);
    p->panic = false;
}
