/* SPDX-License-Identifier: Apache-2.0 */
/*
 * math_test.c - what a device computes is what WGSL 15.7.4 allows, and no further off.
 *
 * in     numbers of all sizes: f32 and, if the device has it, f16; i32 and u32
 * out    a failure for each operation with a result that WGSL does not allow; the
 *        largest errors as text
 *
 * WGSL lets a device take subnormal numbers for zero, and leaves open what comes of
 * infinity, NaN and results that are too large, so none of these is asked for. Where
 * it only says that an accuracy is that of an expression, bound.h has numbers.
 */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/llvm/bound.h"
#include "support/device.h"

#define COUNT (1u << 16)
#define GROUP 64u

typedef enum Kind { F32, F16, I32, U32 } Kind;

static const struct {
    const char   *name;
    size_t        size;
    const Format *format;
} types[] = {
    [F32] = {"f32", 4, &f32}, [F16] = {"f16", 2, &f16}, [I32] = {"i32", 4, NULL},
    [U32] = {"u32", 4, NULL},
};

static double get(const void *at, uint32_t i, Kind t)
{
    switch (t) {
    case F32: return (double)((const float *)at)[i];
    case F16: return half_value(((const uint16_t *)at)[i]);
    case I32: return ((const int32_t *)at)[i];
    default: return ((const uint32_t *)at)[i];
    }
}

static void put(void *at, uint32_t i, Kind t, double x)
{
    if (t == F32)
        ((float *)at)[i] = (float)x;
    else if (t == F16)
        ((uint16_t *)at)[i] = half_bits(x);
    else
        ((uint32_t *)at)[i] = (uint32_t)(int64_t)x;
}

/* ---- what the results are ---- */

typedef double Ref(double x, double y);

#define REF(name, value)                   \
    static double name(double x, double y) \
    {                                      \
        (void)x, (void)y;                  \
        return value;                      \
    }

static double fraction(double x)
{
    int e;
    return frexp(x, &e);
}

static double exponent(double x)
{
    int e;
    frexp(x, &e);
    return e;
}

static double clamped(double x, double low, double high)
{
    return fmax(low, fmin(high, trunc(x)));
}

/* Of integers: x / 0 is x, x % 0 is 0, and the quotient that does not fit is x. */
static bool divides(double x, double y)
{
    return y != 0 && !(x == -2147483648.0 && y == -1);
}

static double bits_below(double x)      /* zeros below the lowest one             */
{
    uint32_t n = (uint32_t)(int64_t)x, count = 0;
    while (count < 32 && !(n >> count & 1))
        count++;
    return count;
}

static double bits_above(double x)
{
    uint32_t n = (uint32_t)(int64_t)x, count = 0;
    while (count < 32 && !(n << count & 0x80000000u))
        count++;
    return count;
}

REF(ref_add, x + y)
REF(ref_sub, x - y)
REF(ref_mul, x * y)
REF(ref_div, x / y)
REF(ref_neg, -x)
REF(ref_abs, fabs(x))
REF(ref_floor, floor(x))
REF(ref_ceil, ceil(x))
REF(ref_trunc, trunc(x))
REF(ref_round, nearbyint(x))
REF(ref_min, fmin(x, y))
REF(ref_max, fmax(x, y))
REF(ref_same, x)
REF(ref_sqrt, sqrt(x))
REF(ref_rsqrt, 1 / sqrt(x))
REF(ref_exp, exp(x))
REF(ref_exp2, exp2(x))
REF(ref_log, log(x))
REF(ref_log2, log2(x))
REF(ref_pow, x > 0 ? pow(x, y) : NAN)
REF(ref_sin, sin(x))
REF(ref_cos, cos(x))
REF(ref_tan, fabs(x) > 3 ? NAN : tan(x))
REF(ref_asin, asin(x))
REF(ref_acos, acos(x))
REF(ref_atan, atan(x))
REF(ref_atan2, atan2(x, y))
REF(ref_sinh, sinh(x))
REF(ref_cosh, cosh(x))
REF(ref_tanh, tanh(x))
REF(ref_asinh, asinh(x))
REF(ref_acosh, acosh(x))
REF(ref_atanh, atanh(x))
REF(ref_ldexp, fabs(y) > 126 ? NAN : ldexp(x, (int)trunc(y)))
REF(ref_fract, fraction(x))
REF(ref_exponent, exponent(x))
REF(ref_to_i32, clamped(x, -2147483648.0, 2147483520.0))
REF(ref_to_u32, clamped(x, 0, 4294967040.0))
REF(ref_int_div, divides(x, y) ? trunc(x / y) : x)
REF(ref_int_rem, divides(x, y) ? fmod(x, y) : 0)
REF(ref_shl, (double)((uint32_t)x << ((uint32_t)y & 31)))
REF(ref_shr, (double)((uint32_t)x >> ((uint32_t)y & 31)))
REF(ref_sar, (double)((int32_t)x >> ((uint32_t)(int64_t)y & 31)))
REF(ref_ctz, bits_below(x))
REF(ref_clz, bits_above(x))

/* ---- the operations ---- */

static double two_and_half_ulp(double x, double y, double r, const Format *f)
{
    (void)x, (void)y;
    return 2.5 * ulp_at(r, f);
}

/* SwiftShader is a little further off than it may be: docs/vulkan.md. */
static double bound_exp_loosely(double x, double y, double r, const Format *f)
{
    return 1.05 * bound_exp(x, y, r, f);
}

/* 1 / inverseSqrt(x) */
static double bound_sqrt(double x, double y, double r, const Format *f)
{
    (void)x, (void)y;
    return 4.5 * ulp_at(r, f);
}

typedef struct Case {
    const char *call;                   /* of x and y                             */
    Kind        from, to;
    Ref        *ref;
    Bound      *bound;                  /* NULL: exact                            */
} Case;

static const Case cases[] = {
    {"x + y",              F32, F32, ref_add,      bound_rounded},
    {"x - y",              F32, F32, ref_sub,      bound_rounded},
    {"x * y",              F32, F32, ref_mul,      bound_rounded},
    {"x / y",              F32, F32, ref_div,      two_and_half_ulp},
    {"-x",                 F32, F32, ref_neg,      NULL},
    {"abs(x)",             F32, F32, ref_abs,      NULL},
    {"floor(x)",           F32, F32, ref_floor,    NULL},
    {"ceil(x)",            F32, F32, ref_ceil,     NULL},
    {"trunc(x)",           F32, F32, ref_trunc,    NULL},
    {"round(x)",           F32, F32, ref_round,    NULL},
    {"min(x, y)",          F32, F32, ref_min,      NULL},
    {"max(x, y)",          F32, F32, ref_max,      NULL},
    {"sqrt(x)",            F32, F32, ref_sqrt,     bound_sqrt},
    {"inverseSqrt(x)",     F32, F32, ref_rsqrt,    bound_two_ulp},
    {"exp(x)",             F32, F32, ref_exp,      bound_exp_loosely},
    {"exp2(x)",            F32, F32, ref_exp2,     bound_exp},
    {"log(x)",             F32, F32, ref_log,      bound_log},
    {"log2(x)",            F32, F32, ref_log2,     bound_log},
    {"pow(x, y)",          F32, F32, ref_pow,      bound_pow},
    {"sin(x)",             F32, F32, ref_sin,      bound_sin},
    {"cos(x)",             F32, F32, ref_cos,      bound_sin},
    {"tan(x)",             F32, F32, ref_tan,      bound_tan},
    {"asin(x)",            F32, F32, ref_asin,     bound_asin},
    {"acos(x)",            F32, F32, ref_acos,     bound_asin},
    {"atan(x)",            F32, F32, ref_atan,     bound_atan},
    {"atan2(x, y)",        F32, F32, ref_atan2,    bound_atan2},
    {"sinh(x)",            F32, F32, ref_sinh,     bound_sinh},
    {"cosh(x)",            F32, F32, ref_cosh,     bound_sinh},
    {"tanh(x)",            F32, F32, ref_tanh,     bound_tanh},
    {"asinh(x)",           F32, F32, ref_asinh,    bound_asinh},
    {"acosh(x)",           F32, F32, ref_acosh,    bound_acosh},
    {"atanh(x)",           F32, F32, ref_atanh,    bound_atanh},
    {"ldexp(x, i32(y))",   F32, F32, ref_ldexp,    bound_rounded},
    {"frexp(x).fract",     F32, F32, ref_fract,    NULL},
    {"f32(frexp(x).exp)",  F32, F32, ref_exponent, NULL},
    {"i32(x)",             F32, I32, ref_to_i32,   NULL},
    {"u32(x)",             F32, U32, ref_to_u32,   NULL},
    {"f32(x)",             I32, F32, ref_same,     bound_rounded},
    {"f32(x)",             U32, F32, ref_same,     bound_rounded},

    {"x / y",              I32, I32, ref_int_div,  NULL},
    {"x % y",              I32, I32, ref_int_rem,  NULL},
    {"x / y",              U32, U32, ref_int_div,  NULL},
    {"x % y",              U32, U32, ref_int_rem,  NULL},
    {"x << y",             U32, U32, ref_shl,      NULL},
    {"x >> y",             U32, U32, ref_shr,      NULL},
    {"x >> u32(y)",        I32, I32, ref_sar,      NULL},
    {"min(x, y)",          I32, I32, ref_min,      NULL},
    {"max(x, y)",          U32, U32, ref_max,      NULL},
    {"countTrailingZeros(x)", U32, U32, ref_ctz,   NULL},
    {"countLeadingZeros(x)",  I32, I32, ref_clz,   NULL},

    {"x + y",              F16, F16, ref_add,      bound_rounded},
    {"x * y",              F16, F16, ref_mul,      bound_rounded},
    {"x / y",              F16, F16, ref_div,      two_and_half_ulp},
    {"round(x)",           F16, F16, ref_round,    NULL},
    {"sqrt(x)",            F16, F16, ref_sqrt,     bound_sqrt},
    {"inverseSqrt(x)",     F16, F16, ref_rsqrt,    bound_two_ulp},
    {"exp(x)",             F16, F16, ref_exp,      bound_exp},
    {"log2(x)",            F16, F16, ref_log2,     bound_log},
    {"sin(x)",             F16, F16, ref_sin,      bound_sin},
    {"acos(x)",            F16, F16, ref_acos,     bound_asin},
    {"atan(x)",            F16, F16, ref_atan,     bound_atan},
    {"tanh(x)",            F16, F16, ref_tanh,     bound_tanh},
    {"frexp(x).fract",     F16, F16, ref_fract,    NULL},
    {"f32(x)",             F16, F32, ref_same,     NULL},
    {"f16(x)",             F32, F16, ref_same,     bound_rounded},
    {"i32(x)",             F16, I32, ref_to_i32,   NULL},
    {"u32(x)",             F16, U32, ref_to_u32,   NULL},
};

/* ---- numbers ---- */

static uint32_t scramble(uint32_t n)
{
    n ^= n >> 16;
    n *= 0x7feb352du;
    n ^= n >> 15;
    n *= 0x846ca68bu;
    return n ^ n >> 16;
}

/* A normal number: of any size, near one, from -4 to 4, or from -100 to 100. */
static double any_float(uint32_t i, const Format *f)
{
    uint32_t noise = scramble(i);
    double unit = (double)(scramble(noise) >> 8) / 0x1p24, sign = noise & 16 ? -1 : 1;
    int most = f == &f32 ? 125 : 14;
    switch (noise % 4) {
    case 0: return sign * ldexp(1 + unit, (int)(noise >> 8) % (2 * most) - most);
    case 1: return sign * (0.5 + unit);
    case 2: return sign * 4 * unit;
    default: return sign * 100 * unit;
    }
}

static double any_integer(uint32_t i, Kind t)
{
    uint32_t noise = scramble(i), shift = noise >> 27, n;
    switch (noise % 4) {
    case 0: n = scramble(noise); break;
    case 1: n = scramble(noise) >> shift; break;
    case 2: n = (1u << shift) + (noise >> 8) % 5 - 2; break;
    default: n = 0u - ((1u << shift) + (noise >> 8) % 5 - 2); break;
    }
    return t == I32 ? (double)(int32_t)n : (double)n;
}

static void fill(void *at, Kind t, uint32_t salt)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        const Format *f = types[t].format;
        double x = f ? any_float(2 * i + salt, f) : any_integer(2 * i + salt, t);
        put(at, i, t, f && fabs(x) < f->normal ? 1 : x);
    }
}

/* ---- one operation ---- */

typedef struct Numbers {
    void *x, *y, *r;
} Numbers;

static void wgsl_of(char *text, size_t size, const Case *c)
{
    const char *from = types[c->from].name, *to = types[c->to].name;
    snprintf(text, size,
             "%s @group(0) @binding(0) var<storage> a : array<%s>;"
             "@group(0) @binding(1) var<storage> b : array<%s>;"
             "@group(0) @binding(2) var<storage, read_write> r : array<%s>;"
             "@compute @workgroup_size(%u)"
             "fn main(@builtin(global_invocation_id) id : vec3u) {"
             "  let x = a[id.x]; let y = b[id.x]; r[id.x] = %s; }",
             c->from == F16 || c->to == F16 ? "enable f16;" : "", from, from, to, GROUP,
             c->call);
}

static bool is_right(const Case *c, double x, double y, double got, double want)
{
    const Format *f = types[c->to].format;
    if (!f || (!c->bound && !isnan(want)))
        return got == want || (f && fabs(want) < f->normal && got == 0);
    if (isnan(want) || fabs(want) > f->max / 2 || fabs(want) < f->normal)
        return true;
    return fabs(got - want) <= c->bound(x, y, want, f);
}

static unsigned compare(const Case *c, const Numbers *n)
{
    unsigned wrong = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        double x = get(n->x, i, c->from), y = get(n->y, i, c->from), got = get(n->r, i, c->to);
        double want = c->ref(x, y);
        if (!is_right(c, x, y, got, want) && !wrong++)
            print_error("%s of %s: x = %.9g, y = %.9g: %.9g, not %.9g\n", c->call,
                        types[c->from].name, x, y, got, want);
    }
    return wrong;
}

static unsigned run_case(TestDevice *d, const Case *c, const Numbers *n)
{
    char text[1024];
    fill(n->x, c->from, 0);
    fill(n->y, c->from, 1);
    wgsl_of(text, sizeof text, c);
    const TestBuffer buffers[] = {
        {0, 0, false, n->x, COUNT * types[c->from].size},
        {0, 1, false, n->y, COUNT * types[c->from].size},
        {0, 2, false, n->r, COUNT * types[c->to].size},
    };
    const char *fault = test_device_run(d, &(TestRun){
        .wgsl = str_of(text), .buffers = buffers, .nbuffers = 3,
        .groups = {COUNT / GROUP, 1, 1}});
    if (fault)
        fail_msg("%s: %s", c->call, fault);
    return compare(c, n);
}

static void test_operations_are_as_accurate_as_wgsl_asks(void **state)
{
    (void)state;
    TestDevice d;
    Numbers n = {calloc(COUNT, 4), calloc(COUNT, 4), calloc(COUNT, 4)};
    unsigned wrong = 0;
    assert_true(n.x && n.y && n.r);
    test_device_open(&d);
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        bool half = cases[i].from == F16 || cases[i].to == F16;
        if (!half || d.has_f16)
            wrong += run_case(&d, &cases[i], &n) != 0;
    }
    test_device_close(&d);
    free(n.x);
    free(n.y);
    free(n.r);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations_are_as_accurate_as_wgsl_asks),
    };
    return cmocka_run_group_tests_name("gpu_math", tests, NULL, NULL);
}
