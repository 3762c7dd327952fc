// SPDX-License-Identifier: Apache-2.0
/*
 * fold.c - the operators of WGSL on values known early; indexing and swizzles.
 *
 * in     operators and operands that type checking has accepted
 * out    the value, or NULL after a diagnostic
 * knows  WGSL 8.6 to 8.9: arithmetic, comparison, bit and logical expressions
 * not    trees; && and ||, whose right side may not be evaluated
 */
#include "check/fold_priv.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const un_texts[] = {
#define UNOP(kind, text) text,
#include "syntax/ops.def"
#undef UNOP
};

static const char *const bin_texts[] = {
#define BINOP(kind, text) text,
#include "syntax/ops.def"
#undef BINOP
};

/* ---- failure ---- */

bool fold_fail(Eval *e, DiagId id, const char *fmt, ...)
{
    if (!e->f->diag)
        return false;
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    BUG_IF(len < 0, "bad format '%s'", fmt);
    char *message = arena_alloc(e->f->arena, (size_t)len + 1);
    vsnprintf(message, (size_t)len + 1, fmt, again);
    va_end(again);
    va_end(args);
    diag_add(e->f->diag, id, e->span, "%s", message);
    return false;
}

const char *fold_text(Eval *e, const Value *v)
{
    Text out = {.arena = e->f->arena};
    value_print_plain(&out, v);
    return out.data;
}

const char *fold_type_text(Eval *e, const Type *t)
{
    return type_string(e->f->arena, t);
}

const char *fold_what(Eval *e)
{
    Text out = {.arena = e->f->arena};
    if (e->form == FORM_INFIX) {
        value_print_plain(&out, e->args[0]);
        text_printf(&out, " %s ", e->name);
        value_print_plain(&out, e->args[1]);
        return out.data;
    }
    text_printf(&out, "%s", e->name);
    if (e->form == FORM_CALL)
        text_char(&out, '(');
    for (uint32_t i = 0; i < e->nargs; i++) {
        if (i)
            text_add(&out, STR(", "));
        value_print_plain(&out, e->args[i]);
    }
    if (e->form == FORM_CALL)
        text_char(&out, ')');
    return out.data;
}

bool fold_overflow(Eval *e, const Type *t)
{
    return fold_fail(e, DIAG_overflow, "%s does not fit in '%s'", fold_what(e),
                     fold_type_text(e, t));
}

/* ---- component by component ---- */

const Value *fold_part(Eval *e, const Value *v, uint64_t i)
{
    return value_part(e->f->arena, e->f->types, v, i);
}

const Value *fold_keep(Eval *e, Value v)
{
    return arena_copy(e->f->arena, &v, sizeof v);
}

static const Value *map_scalar(Eval *e, const Type *result, const Value *const *args,
                               uint32_t nargs, ScalarFn fn)
{
    Value out = {.type = result};
    Eval  one = *e;
    one.args = args;
    one.nargs = nargs;
    return fn(&one, &out) ? fold_keep(e, out) : NULL;
}

const Value *fold_map(Eval *e, const Type *result, const Value *const *args,
                      uint32_t nargs, ScalarFn fn)
{
    if (type_is_scalar(result))
        return map_scalar(e, result, args, nargs, fn);

    const Type *of = type_element(e->f->types, result);
    const Value *parts[4] = {0};
    uint64_t count = value_part_count(result);
    for (uint64_t i = 0; i < count; i++) {
        const Value *sub[FOLD_MAX_ARGS] = {0};
        for (uint32_t j = 0; j < nargs; j++)
            sub[j] = type_is_scalar(args[j]->type) ? args[j] : fold_part(e, args[j], i);
        parts[i] = fold_map(e, of, sub, nargs, fn);
        if (!parts[i])
            return NULL;
    }
    return value_composite(e->f->arena, result, parts);
}

/* ---- numbers ---- */

bool fold_real(Eval *e, double x, Value *out)
{
    out->real = fold_round(out->type, x);
    if (isnan(out->real))
        return fold_fail(e, DIAG_not_finite, "%s is not a number", fold_what(e));
    return isfinite(out->real) || fold_overflow(e, out->type);
}

static int64_t signed_64(uint64_t bits)
{
    return bits <= INT64_MAX ? (int64_t)bits : -(int64_t)~bits - 1;
}

void fold_wrap(uint64_t bits, Value *out)
{
    uint32_t low = (uint32_t)bits;
    switch (out->type->kind) {
    case TYPE_ABSTRACT_INT:
        out->integer = signed_64(bits);
        break;
    case TYPE_U32:
        out->integer = low;
        break;
    case TYPE_I32:
        out->integer = (int64_t)low - (low > INT32_MAX ? (int64_t)1 << 32 : 0);
        break;
    default:
        BUG("an integer of another type");
    }
}

static bool add_overflows(int64_t x, int64_t y)
{
    return y > 0 ? x > INT64_MAX - y : x < INT64_MIN - y;
}

static bool mul_overflows(int64_t x, int64_t y)
{
    if (x == 0 || y == 0)
        return false;
    if (x > 0)
        return y > 0 ? x > INT64_MAX / y : y < INT64_MIN / x;
    return y > 0 ? x < INT64_MIN / y : y < INT64_MAX / x;
}

bool fold_int_add(Eval *e, int64_t x, int64_t y, Value *out)
{
    if (out->type->kind == TYPE_ABSTRACT_INT && add_overflows(x, y))
        return fold_overflow(e, out->type);
    fold_wrap((uint64_t)x + (uint64_t)y, out);
    return true;
}

bool fold_int_mul(Eval *e, int64_t x, int64_t y, Value *out)
{
    if (out->type->kind == TYPE_ABSTRACT_INT && mul_overflows(x, y))
        return fold_overflow(e, out->type);
    fold_wrap((uint64_t)x * (uint64_t)y, out);
    return true;
}

static int64_t int_min(const Type *t)
{
    switch (t->kind) {
    case TYPE_ABSTRACT_INT: return INT64_MIN;
    case TYPE_I32:          return INT32_MIN;
    default:                return 0;
    }
}

/* ---- unary ---- */

static bool negate(Eval *e, Value *out)
{
    const Value *x = e->args[0];
    if (type_is_float_scalar(x->type))
        out->real = -x->real;
    else                                /* the least value is its own negative */
        fold_wrap(0 - (uint64_t)x->integer, out);
    return true;
}

static bool complement(Eval *e, Value *out)
{
    fold_wrap(~(uint64_t)e->args[0]->integer, out);
    return true;
}

static bool logical_not(Eval *e, Value *out)
{
    out->boolean = !e->args[0]->boolean;
    return true;
}

const Value *fold_unary(FoldContext *f, Span span, UnOp op, const Type *result,
                        const Value *x)
{
    Eval e = {.f = f, .span = span, .form = FORM_PREFIX, .name = un_texts[op]};
    switch (op) {
    case UNOP_NEGATE:     return fold_map(&e, result, &x, 1, negate);
    case UNOP_COMPLEMENT: return fold_map(&e, result, &x, 1, complement);
    case UNOP_NOT:        return fold_map(&e, result, &x, 1, logical_not);
    default:              BUG("'%s' works on memory", un_texts[op]);
    }
}

/* ---- arithmetic ---- */

static bool divides_by_zero(Eval *e)
{
    return fold_fail(e, DIAG_division_by_zero, "%s divides by zero", fold_what(e));
}

static bool int_divide(Eval *e, Value *out)
{
    int64_t x = e->args[0]->integer, y = e->args[1]->integer;
    if (y == 0)
        return divides_by_zero(e);
    if (y == -1 && x == int_min(out->type))
        return fold_overflow(e, out->type);
    out->integer = e->op == BINOP_DIV ? x / y : x % y;
    return true;
}

static bool int_arithmetic(Eval *e, Value *out)
{
    int64_t x = e->args[0]->integer, y = e->args[1]->integer;
    switch (e->op) {
    case BINOP_ADD:
        return fold_int_add(e, x, y, out);
    case BINOP_SUB:
        if (out->type->kind == TYPE_ABSTRACT_INT
                && (y == INT64_MIN ? x >= 0 : add_overflows(x, -y)))
            return fold_overflow(e, out->type);
        fold_wrap((uint64_t)x - (uint64_t)y, out);
        return true;
    case BINOP_MUL:
        return fold_int_mul(e, x, y, out);
    default:
        return int_divide(e, out);
    }
}

static bool real_arithmetic(Eval *e, Value *out)
{
    double x = e->args[0]->real, y = e->args[1]->real;
    switch (e->op) {
    case BINOP_ADD: return fold_real(e, x + y, out);
    case BINOP_SUB: return fold_real(e, x - y, out);
    case BINOP_MUL: return fold_real(e, x * y, out);
    case BINOP_DIV:
        return y == 0 ? divides_by_zero(e) : fold_real(e, x / y, out);
    default:
        /* x - y * trunc(x / y), without the errors of its steps: what fmod() and
         * the devices' remainder give. It is exact. */
        return y == 0 ? divides_by_zero(e) : fold_real(e, fmod(x, y), out);
    }
}

static bool arithmetic(Eval *e, Value *out)
{
    return type_is_float_scalar(out->type) ? real_arithmetic(e, out)
                                           : int_arithmetic(e, out);
}

/* ---- comparison ---- */

/* -1, 0 or 1. Values are never NaN. */
static int compare(const Value *x, const Value *y)
{
    if (x->type->kind == TYPE_BOOL)
        return x->boolean - y->boolean;
    if (type_is_float_scalar(x->type))
        return (x->real > y->real) - (x->real < y->real);
    return (x->integer > y->integer) - (x->integer < y->integer);
}

static bool comparison(Eval *e, Value *out)
{
    int order = compare(e->args[0], e->args[1]);
    switch (e->op) {
    case BINOP_EQ: out->boolean = order == 0; break;
    case BINOP_NE: out->boolean = order != 0; break;
    case BINOP_LT: out->boolean = order < 0;  break;
    case BINOP_LE: out->boolean = order <= 0; break;
    case BINOP_GT: out->boolean = order > 0;  break;
    default:       out->boolean = order >= 0; break;
    }
    return true;
}

/* ---- bits ---- */

static bool bitwise(Eval *e, Value *out)
{
    const Value *x = e->args[0], *y = e->args[1];
    if (out->type->kind == TYPE_BOOL) {
        out->boolean = e->op == BINOP_AND ? x->boolean && y->boolean
                     : e->op == BINOP_OR  ? x->boolean || y->boolean
                                          : x->boolean != y->boolean;
        return true;
    }
    uint64_t a = (uint64_t)x->integer, b = (uint64_t)y->integer;
    fold_wrap(e->op == BINOP_AND ? a & b : e->op == BINOP_OR ? a | b : a ^ b, out);
    return true;
}

static uint32_t bit_width(const Type *t)
{
    return t->kind == TYPE_ABSTRACT_INT ? 64 : 32;
}

/* Only abstract integers may be shifted by their whole width. */
static bool shift_rule(Eval *e, const Type *shifted, const Value *amount)
{
    if (shifted->kind == TYPE_ABSTRACT_INT || amount->integer < bit_width(shifted))
        return true;
    return fold_fail(e, DIAG_shift_amount, "cannot shift a value of type '%s' by %lld bits",
                     fold_type_text(e, shifted), (long long)amount->integer);
}

/*
 * Nothing that matters may be shifted out: bits that are not the sign of a
 * signed result, ones of an unsigned result. So x * 2^amount must fit the type.
 */
static bool shift_left(Eval *e, Value *out)
{
    int64_t x = e->args[0]->integer, amount = e->args[1]->integer;
    if (!shift_rule(e, out->type, e->args[1]))
        return false;
    if (x == 0)
        return true;
    if (amount >= 64)
        return fold_overflow(e, out->type);
    uint64_t bits = (uint64_t)x << amount;
    fold_wrap(bits, out);
    /* Shifted back it must be what it was: arithmetic, as x may be negative. */
    uint64_t back = (uint64_t)out->integer >> amount;
    if (out->integer < 0 && amount > 0)
        back |= ~(uint64_t)0 << (64 - amount);
    return back == (uint64_t)x || fold_overflow(e, out->type);
}

static bool shift_right(Eval *e, Value *out)
{
    int64_t x = e->args[0]->integer, amount = MIN_OF(e->args[1]->integer, 63);
    if (!shift_rule(e, out->type, e->args[1]))
        return false;
    uint64_t bits = (uint64_t)x >> amount;
    if (x < 0 && amount > 0)
        bits |= ~(uint64_t)0 << (64 - amount);
    fold_wrap(bits, out);
    return true;
}

/* ---- binary ---- */

static ScalarFn binary_fn(BinOp op)
{
    switch (op) {
    case BINOP_ADD: case BINOP_SUB: case BINOP_MUL: case BINOP_DIV: case BINOP_REM:
        return arithmetic;
    case BINOP_AND: case BINOP_OR: case BINOP_XOR:
        return bitwise;
    case BINOP_SHL:
        return shift_left;
    case BINOP_SHR:
        return shift_right;
    case BINOP_EQ: case BINOP_NE: case BINOP_LT: case BINOP_LE: case BINOP_GT:
    case BINOP_GE:
        return comparison;
    default:
        BUG("'%s' does not always evaluate both sides", bin_texts[op]);
    }
}

static bool is_matrix_product(BinOp op, const Value *x, const Value *y)
{
    bool matrix = x->type->kind == TYPE_MATRIX || y->type->kind == TYPE_MATRIX;
    return op == BINOP_MUL && matrix && !type_is_scalar(x->type)
        && !type_is_scalar(y->type);
}

const Value *fold_binary(FoldContext *f, Span span, BinOp op, const Type *result,
                         const Value *x, const Value *y)
{
    const Value *const args[] = {x, y};
    Eval e = {.f = f, .span = span, .form = FORM_INFIX, .name = bin_texts[op], .op = op,
              .args = args, .nargs = 2};
    if (is_matrix_product(op, x, y))
        return fold_matrix_product(&e, result);
    return fold_map(&e, result, args, 2, binary_fn(op));
}

static bool check_right(Eval *e, const Type *lhs, const Value *y)
{
    if (e->op == BINOP_SHL || e->op == BINOP_SHR)
        return shift_rule(e, lhs, y);
    if (type_is_integer_scalar(y->type) && y->integer == 0)
        return fold_fail(e, DIAG_division_by_zero, "the divisor is zero");
    return true;
}

bool fold_check_binary(FoldContext *f, Span span, BinOp op, const Type *lhs,
                       const Value *x, const Value *y)
{
    (void)x;                            /* no rule is about the left side alone */
    Eval e = {.f = f, .span = span, .op = op};
    bool has_rule = op == BINOP_DIV || op == BINOP_REM || op == BINOP_SHL
                 || op == BINOP_SHR;
    if (!y || !has_rule)
        return true;
    const Type *shifted = type_scalar_of(lhs);
    if (type_is_scalar(y->type))
        return check_right(&e, shifted, y);
    if (y->type->kind == TYPE_VECTOR)
        for (uint32_t i = 0; i < y->type->vector.width; i++)
            if (!check_right(&e, shifted, fold_part(&e, y, i)))
                return false;
    return true;
}

/* ---- parts ---- */

static const char *parts_name(const Type *t)
{
    return t->kind == TYPE_VECTOR ? "components"
         : t->kind == TYPE_MATRIX ? "columns" : "elements";
}

bool fold_check_index(FoldContext *f, Span span, const Type *of, const Value *at)
{
    Eval e = {.f = f, .span = span};
    bool counted = of->kind != TYPE_ARRAY || of->array.count_kind == COUNT_FIXED;
    uint64_t count = value_part_count(of);
    if (at->integer < 0)
        return fold_fail(&e, DIAG_index_out_of_bounds, "the index %lld is negative",
                         (long long)at->integer);
    if (counted && (uint64_t)at->integer >= count)
        return fold_fail(&e, DIAG_index_out_of_bounds,
                         "the index %lld is out of bounds: '%s' has %llu %s",
                         (long long)at->integer, fold_type_text(&e, of),
                         (unsigned long long)count, parts_name(of));
    return true;
}

const Value *fold_index(FoldContext *f, Span span, const Value *of, const Value *at)
{
    if (!fold_check_index(f, span, of->type, at))
        return NULL;
    return value_part(f->arena, f->types, of, (uint64_t)at->integer);
}

const Value *fold_swizzle(FoldContext *f, const Type *result, const Value *of,
                          const uint8_t *components, uint32_t width)
{
    if (width == 1)
        return value_part(f->arena, f->types, of, components[0]);
    const Value *parts[4] = {0};
    for (uint32_t i = 0; i < width; i++)
        parts[i] = value_part(f->arena, f->types, of, components[i]);
    return value_composite(f->arena, result, parts);
}
