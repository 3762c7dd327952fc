// SPDX-License-Identifier: Apache-2.0
/*
 * fold_math.c - the builtin functions that work on single numbers.
 *
 * in     scalars, one for each parameter, of the types the overload asks for
 * out    a scalar
 * knows  WGSL 17.5 (numeric builtin functions) and their domains; 15.7.4 (accuracy)
 *
 * Functions without a formula in WGSL 15.7.4 are computed in double and rounded
 * once: for f32 and f16 nearly always the correctly rounded result, so within any
 * bound. Those with a formula ("inherited from") round at each of its steps, as a
 * device does, so that they overflow here when they would there.
 */
#include <math.h>

#include "check/fold_priv.h"

/* ---- one float to one float ---- */

#define PI 3.14159265358979323846

static double degrees_of(double x)      { return x * (180 / PI); }
static double radians_of(double x)      { return x * (PI / 180); }
static double fract_of(double x)        { return x - floor(x); }
static double inverse_sqrt_of(double x) { return 1 / sqrt(x); }
static double saturate_of(double x)     { return x < 0 ? 0 : x > 1 ? 1 : x; }

typedef struct UnaryRow {
    double    (*fn)(double);
    double      low, high;          /* the domain                                */
    bool        open;               /* without its ends                          */
    const char *domain;             /* how to say it      NULL: all numbers      */
} UnaryRow;

static const UnaryRow unary_rows[BUILTIN_ID_COUNT] = {
    [BUILTIN_acos]        = { acos,  -1, 1,        false, "between -1.0 and 1.0" },
    [BUILTIN_acosh]       = { acosh, 1,  INFINITY, false, "at least 1.0" },
    [BUILTIN_asin]        = { asin,  -1, 1,        false, "between -1.0 and 1.0" },
    [BUILTIN_asinh]       = { .fn = asinh },
    [BUILTIN_atan]        = { .fn = atan },
    [BUILTIN_atanh]       = { atanh, -1, 1,        true,  "between -1.0 and 1.0, and neither" },
    [BUILTIN_ceil]        = { .fn = ceil },
    [BUILTIN_cos]         = { .fn = cos },
    [BUILTIN_cosh]        = { .fn = cosh },
    [BUILTIN_degrees]     = { .fn = degrees_of },
    [BUILTIN_exp]         = { .fn = exp },
    [BUILTIN_exp2]        = { .fn = exp2 },
    [BUILTIN_floor]       = { .fn = floor },
    [BUILTIN_fract]       = { .fn = fract_of },
    [BUILTIN_inverseSqrt] = { inverse_sqrt_of, 0, INFINITY, true, "greater than 0.0" },
    [BUILTIN_log]         = { log,   0,  INFINITY, true,  "greater than 0.0" },
    [BUILTIN_log2]        = { log2,  0,  INFINITY, true,  "greater than 0.0" },
    [BUILTIN_radians]     = { .fn = radians_of },
    [BUILTIN_round]       = { .fn = rint },         /* halves to even */
    [BUILTIN_saturate]    = { .fn = saturate_of },
    [BUILTIN_sin]         = { .fn = sin },
    [BUILTIN_sinh]        = { .fn = sinh },
    [BUILTIN_sqrt]        = { sqrt,  0,  INFINITY, false, "at least 0.0" },
    [BUILTIN_tan]         = { .fn = tan },
    [BUILTIN_tanh]        = { .fn = tanh },
    [BUILTIN_trunc]       = { .fn = trunc },
};

bool fold_unary_math(Eval *e, Value *out)
{
    const UnaryRow *row = &unary_rows[e->builtin];
    double x = e->args[0]->real;
    BUG_IF(!row->fn, "'%s' is not computed here", e->name);
    bool inside = !row->domain
               || (row->open ? x > row->low && x < row->high
                             : x >= row->low && x <= row->high);
    if (!inside)
        return fold_fail(e, DIAG_domain, "%s is not defined: the argument must be %s",
                         fold_what(e), row->domain);
    return fold_real(e, row->fn(x), out);
}

/* ---- order ---- */

static bool less(const Value *x, const Value *y)
{
    return type_is_float_scalar(x->type) ? x->real < y->real : x->integer < y->integer;
}

static bool choose(const Value *x, Value *out)
{
    *out = *x;
    return true;
}

bool fold_max(Eval *e, Value *out)
{
    return choose(less(e->args[0], e->args[1]) ? e->args[1] : e->args[0], out);
}

bool fold_min(Eval *e, Value *out)
{
    return choose(less(e->args[1], e->args[0]) ? e->args[1] : e->args[0], out);
}

bool fold_rule_clamp(Eval *e, const Value *low, const Value *high)
{
    if (!less(high, low))
        return true;
    return fold_fail(e, DIAG_domain, "clamp to an empty range: low is %s, high is %s",
                     fold_text(e, low), fold_text(e, high));
}

bool fold_clamp(Eval *e, Value *out)
{
    const Value *x = e->args[0], *low = e->args[1], *high = e->args[2];
    if (!fold_rule_clamp(e, low, high))
        return false;
    return choose(less(x, low) ? low : less(high, x) ? high : x, out);
}

bool fold_select(Eval *e, Value *out)
{
    return choose(e->args[2]->boolean ? e->args[1] : e->args[0], out);
}

/* ---- signs ---- */

bool fold_abs(Eval *e, Value *out)
{
    const Value *x = e->args[0];
    if (type_is_float_scalar(x->type))
        out->real = fabs(x->real);
    else                                /* the least value has no opposite */
        fold_wrap(x->integer < 0 ? 0 - (uint64_t)x->integer : (uint64_t)x->integer, out);
    return true;
}

bool fold_sign(Eval *e, Value *out)
{
    const Value *x = e->args[0];
    if (type_is_float_scalar(x->type))
        out->real = (x->real > 0) - (x->real < 0);
    else
        out->integer = (x->integer > 0) - (x->integer < 0);
    return true;
}

/* ---- several floats ---- */

bool fold_atan2(Eval *e, Value *out)
{
    return fold_real(e, atan2(e->args[0]->real, e->args[1]->real), out);
}

/*
 * Rounded once. In f32 the sum of an exact product and a third number may need
 * more than the digits of a double, so it is left to fmaf(). In f16 the double is
 * exact wherever it could decide: a product has 22 digits, and where it is too far
 * below the addend to be added exactly it is also far below half its last digit.
 */
bool fold_fma(Eval *e, Value *out)
{
    double x = e->args[0]->real, y = e->args[1]->real, z = e->args[2]->real;
    switch (out->type->kind) {
    case TYPE_F32: return fold_real(e, (double)fmaf((float)x, (float)y, (float)z), out);
    case TYPE_F16: return fold_real(e, x * y + z, out);
    default:       return fold_real(e, fma(x, y, z), out);
    }
}

/* e1 * (1 - e3) + e2 * e3 */
bool fold_mix(Eval *e, Value *out)
{
    double x = e->args[0]->real, y = e->args[1]->real, part = e->args[2]->real;
    Steps s = {.type = out->type};
    double rest = fold_step(&s, 1 - part);
    out->real = fold_step(&s, fold_step(&s, x * rest) + fold_step(&s, y * part));
    return !s.overflowed || fold_overflow(e, out->type);
}

/* Computed as exp2(y * log2(x)) on devices: not defined below zero, and at zero
 * only for positive exponents. */
bool fold_pow(Eval *e, Value *out)
{
    double x = e->args[0]->real, y = e->args[1]->real;
    if (x < 0)
        return fold_fail(e, DIAG_domain, "%s is not defined: the base is negative",
                         fold_what(e));
    if (x == 0 && y <= 0)
        return fold_fail(e, DIAG_domain, "%s is not defined: the base is zero, and the "
                         "exponent is not positive", fold_what(e));
    return fold_real(e, pow(x, y), out);
}

bool fold_step_edge(Eval *e, Value *out)
{
    out->real = e->args[0]->real <= e->args[1]->real;
    return true;
}

bool fold_rule_smoothstep(Eval *e, const Value *edge0, const Value *edge1)
{
    if (edge0->real != edge1->real)
        return true;
    return fold_fail(e, DIAG_domain, "smoothstep between equal edges: both are %s",
                     fold_text(e, edge0));
}

/* t * t * (3 - 2 * t) with t = clamp((x - edge0) / (edge1 - edge0), 0, 1) */
bool fold_smoothstep(Eval *e, Value *out)
{
    double edge0 = e->args[0]->real, edge1 = e->args[1]->real, x = e->args[2]->real;
    Steps s = {.type = out->type};
    if (!fold_rule_smoothstep(e, e->args[0], e->args[1]))
        return false;
    double from = fold_step(&s, x - edge0), span = fold_step(&s, edge1 - edge0);
    double t = saturate_of(fold_step(&s, from / span));
    double square = fold_step(&s, t * t);
    out->real = fold_step(&s, square * fold_step(&s, 3 - fold_step(&s, 2 * t)));
    return !s.overflowed || fold_overflow(e, out->type);
}

bool fold_quantize_to_f16(Eval *e, Value *out)
{
    double x = e->args[0]->real;
    if (fabs(x) > 65504.0)
        return fold_fail(e, DIAG_conversion_range, "%s does not fit in 'f16'",
                         fold_text(e, e->args[0]));
    out->real = fold_round_f16(x);
    return true;
}

/* ---- exponents ---- */

static int exponent_bias(const Type *t)
{
    return t->kind == TYPE_F32 ? 127 : t->kind == TYPE_F16 ? 15 : 1023;
}

bool fold_rule_ldexp(Eval *e, const Type *scalar, const Value *exponent)
{
    int64_t most = exponent_bias(scalar) + 1;
    if (exponent->integer <= most)
        return true;
    return fold_fail(e, DIAG_domain, "ldexp with the exponent %lld: for '%s' it must be at "
                     "most %lld", (long long)exponent->integer, fold_type_text(e, scalar),
                     (long long)most);
}

bool fold_ldexp(Eval *e, Value *out)
{
    if (!fold_rule_ldexp(e, out->type, e->args[1]))
        return false;
    /* Below this everything is zero. */
    int64_t exponent = MAX_OF(e->args[1]->integer, -4096);
    return fold_real(e, ldexp(e->args[0]->real, (int)exponent), out);
}

static bool frexp_fract(Eval *e, Value *out)
{
    int exponent;
    out->real = frexp(e->args[0]->real, &exponent);
    return true;
}

static bool frexp_exp(Eval *e, Value *out)
{
    int exponent;
    frexp(e->args[0]->real, &exponent);
    out->integer = exponent;
    return true;
}

static bool modf_fract(Eval *e, Value *out)
{
    double x = e->args[0]->real;
    out->real = x - trunc(x);           /* exact */
    return true;
}

static bool modf_whole(Eval *e, Value *out)
{
    out->real = trunc(e->args[0]->real);
    return true;
}

/* A structure of two members, each computed component by component. */
static const Value *two_members(Eval *e, const Type *result, ScalarFn first,
                                ScalarFn second)
{
    const Member *m = result->structure.decl->structure.members;
    const Value *parts[2];
    parts[0] = fold_map(e, m[0].type, e->args, 1, first);
    parts[1] = fold_map(e, m[1].type, e->args, 1, second);
    return value_composite(e->f->arena, result, parts);
}

const Value *fold_frexp(Eval *e, const Type *result)
{
    return two_members(e, result, frexp_fract, frexp_exp);
}

const Value *fold_modf(Eval *e, const Type *result)
{
    return two_members(e, result, modf_fract, modf_whole);
}
