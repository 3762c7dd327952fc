/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f64_test.c - what a device computes in f64.
 *
 * in     numbers of all sizes, dense where a function changes its ways, and the special
 *        ones: zeros, subnormals, infinities, NaN
 * out    a failure for each operation that is not rounded correctly, and for each
 *        function that is more than 2 ulp from the exact result or whose special values
 *        are not those of IEEE 754
 *
 * Functions are compared with those of the C library in long double, which has eleven
 * bits more. A device without f64 has nothing to show.
 */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"

#define COUNT (1u << 16)
#define GROUP 64u

/* ---- numbers ---- */

static uint64_t scramble(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double unit(uint64_t i)
{
    return ldexp((double)(scramble(i) >> 11), -53);
}

static const double special[] = {
    0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 0.3, -0.3, 1e22, -1e22, INFINITY, -INFINITY,
    NAN, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1023, DBL_MAX, -DBL_MAX,
    0x1.fffffffffffffp-1, 0x1.0000000000001p0, 709.78271289338397, 709.782712893384,
    -745.13321910194111, -745.13321910194122, -708.5, 1023.9, 1024, -1074, -1075, -1076,
    710.47586007394386, 710.47586007394398, 22, -22.5, 0x1p40, 0x1.0000000000001p40, 0x1p53,
    0x1p53 + 2, 0x1.921fb54442d18p-1, 0x1.921fb54442d18p0, 0x1.921fb54442d18p1,
    6381956970095103 * 0x1p797,         /* nearest to a multiple of pi / 2        */
    478249.3620449549,                  /* sin: rounding may go beyond -1         */
    -0.12247925556307049,               /* sinh: e^x - 1 has too few bits         */
};

/* Where numbers are taken from: an interval, or all numbers between two exponents. */
typedef struct Source {
    double low, high;
    bool   exponents, positive;
} Source;

static double number_from(const Source *s, uint64_t i)
{
    double t = s->low + unit(2 * i) * (s->high - s->low);
    if (!s->exponents)
        return t;
    double x = ldexp(1 + unit(4 * i + 1), (int)floor(t));
    return !s->positive && scramble(3 * i) & 1 ? -x : x;
}

typedef long double Ref(long double x, long double y);

typedef struct Case {
    const char *call;
    Ref        *ref;
    bool        exact;                  /* rounded correctly                      */
    Source      x[4], y[4];             /* the first with low == high ends them   */
} Case;

/* Number i of an operand: special ones first, each x with each y. */
static double operand(const Case *c, bool second, uint32_t i)
{
    const Source *s = second ? c->y : c->x;
    uint32_t n = 0;
    if (i < COUNTOF(special) * COUNTOF(special))
        return special[second ? i / COUNTOF(special) : i % COUNTOF(special)];
    while (n < 4 && s[n].low < s[n].high)
        n++;
    return n ? number_from(&s[i % n], (uint64_t)i * 2 + second) : 0;
}

/* ---- what the results are ---- */

#define REF1(name, value)                                 \
    static long double name(long double x, long double y) \
    {                                                     \
        (void)y;                                          \
        return value;                                     \
    }
#define REF2(name, value)                                                                    \
    static long double name(long double x, long double y) { return value; }

REF1(ref_exp, expl(x))
REF1(ref_exp2, exp2l(x))
REF1(ref_log, logl(x))
REF1(ref_log2, log2l(x))
REF1(ref_sin, sinl(x))
REF1(ref_cos, cosl(x))
REF1(ref_tan, tanl(x))
REF1(ref_asin, asinl(x))
REF1(ref_acos, acosl(x))
REF1(ref_atan, atanl(x))
REF1(ref_sinh, sinhl(x))
REF1(ref_cosh, coshl(x))
REF1(ref_tanh, tanhl(x))
REF1(ref_asinh, asinhl(x))
REF1(ref_acosh, acoshl(x))
REF1(ref_atanh, atanhl(x))
REF1(ref_rsqrt, 1 / sqrtl(x))
REF2(ref_pow, powl(x, y))
REF2(ref_atan2, atan2l(x, y))
REF2(ref_add, (double)x + (double)y)
REF2(ref_sub, (double)x - (double)y)
REF2(ref_mul, (double)x * (double)y)
REF2(ref_div, (double)x / (double)y)
REF1(ref_sqrt, sqrt((double)x))
REF1(ref_floor, floor((double)x))
REF1(ref_ceil, ceil((double)x))
REF1(ref_trunc, trunc((double)x))
REF1(ref_round, nearbyint((double)x))
REF1(ref_abs, fabs((double)x))
REF1(ref_single, isnan(x) ? x : (float)(double)x)
REF2(ref_apart, (double)((double)x * (double)y) + (double)x)

/* The nearest f16, ties to even. */
static double nearest_half(double x)
{
    if (isnan(x) || isinf(x) || x == 0)
        return x;
    int    exponent = ilogb(x);
    double step = ldexp(1, (exponent < -14 ? -14 : exponent > 16 ? 16 : exponent) - 10);
    double r = fabs(x) < 0x1p17 ? nearbyint(x / step) * step : x;
    return fabs(r) > 65504 ? copysign(INFINITY, x) : copysign(r, x);
}

REF1(ref_half, nearest_half((double)x))
REF1(ref_half_single, isnan(x) ? x : nearest_half((float)(double)x))

static long double ref_int(long double x, long double y)
{
    (void)y;
    return isnan(x) ? 0 : truncl(fminl(fmaxl(x, INT32_MIN), INT32_MAX));
}

static long double ref_ldexp(long double x, long double y)
{
    return isnan(y) ? x : ldexp((double)x, (int)fminl(fmaxl(truncl(y), -2000), 1000));
}

#define NONE  {{0, 0, false, false}}
#define ALL   {{-1074, 1023, true, false}}
#define WIDE  {{-300, 300, true, false}, {-2, 2, false, false}}
#define ANGLES                                                                               \
    {{-1000, 1023, true, false}, {-100, 100, false, false}, {-1e6, 1e6, false, false},       \
     {30, 60, true, false}}
#define HALVES {{-27, 18, true, false}, {-2049, 2049, false, false}}
#define ARCS {{-1, 1, false, false}, {-60, 0, true, false}}

static const Case cases[] = {
    {"exp(x)", ref_exp, false,
     {{-750, 715, false, false}, {-2, 2, false, false}, {-60, 10, true, false}}, NONE},
    {"exp2(x)", ref_exp2, false,
     {{-1080, 1030, false, false}, {-2, 2, false, false}, {-60, 10, true, false}}, NONE},
    {"log(x)", ref_log, false, {{-1074, 1023, true, true}, {0.5, 2, false, true}}, NONE},
    {"log2(x)", ref_log2, false,
     {{-1074, 1023, true, true}, {0.5, 2, false, true}, {1.4, 1.4143, false, true}}, NONE},
    {"sin(x)", ref_sin, false, ANGLES, NONE},
    {"cos(x)", ref_cos, false, ANGLES, NONE},
    {"tan(x)", ref_tan, false, ANGLES, NONE},
    {"asin(x)", ref_asin, false, ARCS, NONE},
    {"acos(x)", ref_acos, false, ARCS, NONE},
    {"atan(x)", ref_atan, false,
     {{-5, 5, false, false}, {-1000, 1000, true, false}, {0.41, 0.44, false, false}}, NONE},
    {"sinh(x)", ref_sinh, false,
     {{-715, 715, false, false}, {-2, 2, false, false}, {-1000, 9, true, false},
      {-0.5, 0.5, false, false}}, NONE},
    {"cosh(x)", ref_cosh, false, {{-715, 715, false, false}, {-2, 2, false, false}}, NONE},
    {"tanh(x)", ref_tanh, false,
     {{-25, 25, false, false}, {-1, 1, false, false}, {-1000, 9, true, false}}, NONE},
    {"asinh(x)", ref_asinh, false, {{-5, 5, false, false}, {-1000, 1023, true, false}}, NONE},
    {"acosh(x)", ref_acosh, false, {{1, 5, false, true}, {0, 1023, true, true}}, NONE},
    {"atanh(x)", ref_atanh, false, ARCS, NONE},
    {"pow(x, y)", ref_pow, false,
     {{-1000, 1000, true, true}, {0.5, 2, false, true}, {0, 100, false, true}},
     {{-1, 1, false, false}, {-1000, 1000, false, false}, {-20, 20, false, false}}},
    {"atan2(x, y)", ref_atan2, false, {{-1074, 1023, true, false}, {-2, 2, false, false}},
     {{-1074, 1023, true, false}, {-2, 2, false, false}}},
    {"inverseSqrt(x)", ref_rsqrt, false, {{-1074, 1023, true, true}}, NONE},
    {"x + y", ref_add, true, ALL, ALL},
    {"x - y", ref_sub, true, WIDE, WIDE},
    {"x * y", ref_mul, true, WIDE, WIDE},
    {"x / y", ref_div, true, WIDE, WIDE},
    {"sqrt(x)", ref_sqrt, true, ALL, NONE},
    {"floor(x)", ref_floor, true, WIDE, NONE},
    {"ceil(x)", ref_ceil, true, WIDE, NONE},
    {"trunc(x)", ref_trunc, true, WIDE, NONE},
    {"round(x)", ref_round, true, {{-1000, 1000, false, false}, {0, 60, true, false}}, NONE},
    {"abs(x)", ref_abs, true, ALL, NONE},
    {"f64(f32(x))", ref_single, true, {{-160, 140, true, false}}, NONE},
    {"f64(f16(x))", ref_half, true, HALVES, NONE},
    {"f64(f16(f32(x)))", ref_half_single, true, HALVES, NONE},
    {"f64(i32(x))", ref_int, true, {{-3e9, 3e9, false, false}}, NONE},
    {"x * y + x", ref_apart, true, WIDE, WIDE},
    {"ldexp(x, clamp(i32(y), -2000, 1000))", ref_ldexp, true, ALL,
     {{-1100, 1100, false, false}}},
};

/* ---- one case ---- */

static long double ulps(double got, long double want)
{
    int e;
    frexpl(want, &e);
    return fabsl((long double)got - want) / ldexpl(1, e - 53 < -1074 ? -1074 : e - 53);
}

/* Where the exact result is beyond the largest number, rounding decides. */
static bool is_border(double got, long double want)
{
    return fabsl(want) >= DBL_MAX && (isinf(got) || fabs(got) == DBL_MAX);
}

static bool is_right(const Case *c, double got, long double want, long double *worst)
{
    double near = (double)want;
    if (isnan(near) || isnan(got))
        return isnan(near) && isnan(got);
    if (c->exact || near == 0)
        return got == near && (!signbit(got) == !signbit(near) || strchr(c->call, '('));
    if (isinf(near) || isinf(got))
        return got == near || is_border(got, want);
    long double u = ulps(got, want);
    *worst = fmaxl(*worst, u);
    return u <= 2;
}

static unsigned compare(const Case *c, const double *x, const double *y, const double *r)
{
    unsigned    wrong = 0;
    long double worst = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        long double want = c->ref((long double)x[i], (long double)y[i]);
        if (!is_right(c, r[i], want, &worst) && !wrong++)
            print_error("%s: x = %.17g, y = %.17g: %.17g, not %.17Lg\n", c->call, x[i], y[i],
                        r[i], want);
    }
    if (!c->exact)
        print_message("%s: %.2Lf ulp\n", c->call, worst);
    return wrong;
}

static unsigned run_case(TestDevice *d, const Case *c, double *x, double *y, double *r)
{
    char text[1024];
    for (uint32_t i = 0; i < COUNT; i++) {
        x[i] = operand(c, false, i);
        y[i] = operand(c, true, i);
    }
    bool halves = strstr(c->call, "f16");
    if (halves && !d->has_f16)
        return 0;
    snprintf(text, sizeof text,
             "%senable weft_f64; @group(0) @binding(0) var<storage> a : array<f64>;"
             "@group(0) @binding(1) var<storage> b : array<f64>;"
             "@group(0) @binding(2) var<storage, read_write> r : array<f64>;"
             "@compute @workgroup_size(%u)"
             "fn main(@builtin(global_invocation_id) id : vec3u) {"
             "  let x = a[id.x]; let y = b[id.x]; r[id.x] = %s; }",
             halves ? "enable f16; " : "", GROUP, c->call);
    const TestBuffer buffers[] = {{0, 0, false, x, COUNT * sizeof *x},
                                  {0, 1, false, y, COUNT * sizeof *y},
                                  {0, 2, false, r, COUNT * sizeof *r}};
    const char *fault = test_device_run(d, &(TestRun){
        .wgsl = str_of(text), .buffers = buffers, .nbuffers = 3,
        .groups = {COUNT / GROUP, 1, 1}});
    if (fault)
        fail_msg("%s: %s", c->call, fault);
    return compare(c, x, y, r);
}

static void check_device(const char *cpu)
{
    TestDevice d;
    double *n = calloc(3 * (size_t)COUNT, sizeof *n);
    unsigned wrong = 0;
    assert_non_null(n);
    test_device_open_for(&d, cpu);
    for (size_t i = 0; d.has_f64 && i < COUNTOF(cases); i++)
        wrong += run_case(&d, &cases[i], n, n + COUNT, n + 2 * (size_t)COUNT) != 0;
    test_device_close(&d);
    free(n);
    assert_int_equal(wrong, 0);
}

static void test_f64_is_that_of_ieee_754(void **state)
{
    (void)state;
    check_device(NULL);
}

/* There functions are computed without FMA. */
static void test_an_old_processor(void **state)
{
    (void)state;
#if defined(__x86_64__)
    if (!test_device_is_vulkan())
        check_device("x86-64-v2");
#endif
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f64_is_that_of_ieee_754),
        cmocka_unit_test(test_an_old_processor),
    };
    return cmocka_run_group_tests_name("gpu_f64", tests, NULL, NULL);
}
