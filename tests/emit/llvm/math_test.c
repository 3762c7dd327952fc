/* SPDX-License-Identifier: Apache-2.0 */
/*
 * math_test.c - how accurate the functions of WGSL are in generated code.
 *
 * in     f32 of all exponents and mantissas, and more of them where a function is
 *        difficult; all numbers of f16
 * out    a failure for each function that is further from the C library's double
 *        than WGSL 15.7.4 allows, or than we promise; the largest errors as text
 */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

#define COUNT     (1u << 18)            /* numbers in one run                     */
#define GROUP     64u

/* ---- how far from the truth ---- */

/* The distance of neighbours in a format with `bits` of mantissa at x. */
static double ulp_at(double x, int bits, int least)
{
    int e = -2000;
    if (x != 0)
        frexp(x, &e);
    return ldexp(1, e - bits < least ? least : e - bits);
}

typedef struct Format {
    const char *name;
    int    bits, least;                 /* of mantissa; exponent of the least one */
    double max, normal;                 /* largest, least normal                  */
} Format;

static const Format f32 = {"f32", 24, -149, FLT_MAX, FLT_MIN};

/* What WGSL allows: an absolute error, or one in ULP, at x for the result r. */
typedef double Bound(double x, double y, double r, const Format *f);

static double ulps(double n, double r, const Format *f)
{
    return n * ulp_at(r, f->bits, f->least);
}

static double bound_exp(double x, double y, double r, const Format *f)
{
    (void)y;
    return ulps((f == &f32 ? 3 : 1) + 2 * fabs(x), r, f);
}

static double bound_log(double x, double y, double r, const Format *f)
{
    (void)y;
    if (x >= 0.5 && x <= 2)
        return ldexp(1, f == &f32 ? -21 : -7);
    return ulps(3, r, f);
}

static double bound_sin(double x, double y, double r, const Format *f)
{
    (void)y;
    (void)r;
    if (fabs(x) > 3.1415927410125732)
        return 2;                       /* nothing is asked                       */
    return ldexp(1, f == &f32 ? -11 : -7);
}

static double bound_rsqrt(double x, double y, double r, const Format *f)
{
    (void)x;
    (void)y;
    return ulps(2, r, f);
}

/* exp2(y * log2(x)): the error of log2, y times, rounded, and that of exp2. */
static double bound_pow(double x, double y, double r, const Format *f)
{
    double l = log2(x), z = y * l;
    double in_z = fabs(y) * bound_log(x, 0, l, f) + ulps(1, z, f);
    return r * expm1(in_z * 0.6931471805599453) + bound_exp(z, 0, r, f);
}

/* ---- the functions ---- */

static double ref_rsqrt(double x) { return 1 / sqrt(x); }

typedef struct Case {
    const char *call;                   /* of x and y                             */
    double    (*ref)(double);
    double    (*ref2)(double, double);
    Bound      *bound;
    double      ulp;                    /* our own promise: either so many ULP,   */
    double      absolute;               /* or this far away                       */
    double      low, high;              /* where to look closely                  */
    double      promise;                /* largest |x| of our promise; 0: any     */
} Case;

static const Case cases[] = {
    {"inverseSqrt(x)", ref_rsqrt, NULL, bound_rsqrt, 2, 0, 0.25, 4, 0},
    {"exp(x)", exp, NULL, bound_exp, 1.5, 0, -104, 89, 0},
    {"exp2(x)", exp2, NULL, bound_exp, 1.5, 0, -150, 129, 0},
    {"log(x)", log, NULL, bound_log, 1.5, 0, 0.4, 2.5, 0},
    {"log2(x)", log2, NULL, bound_log, 1.5, 0, 0.4, 2.5, 0},
    {"sin(x)", sin, NULL, bound_sin, 0, 0x1p-23, -10, 10, 1e6},
    {"cos(x)", cos, NULL, bound_sin, 0, 0x1p-23, -10, 10, 1e6},
    {"pow(x, y)", NULL, pow, bound_pow, 1.5, 0, 0, 10, 0},
};

/* ---- one function, many numbers ---- */

typedef struct Worst {
    double x, y, got, want, error;      /* in units of what is promised           */
    double ulp, absolute;               /* the largest errors                     */
    unsigned wrong;
} Worst;

static bool same_or_near(const Case *c, const Format *f, double x, double y, double got,
                         double want, Worst *w)
{
    if (isnan(want))
        return isnan(got);
    if (fabs(want) > f->max)
        return fabs(got) >= f->max && signbit(got) == signbit(want);
    if (fabs(want) < f->normal && got == 0)
        return true;                    /* flushed                                */
    double error = fabs(got - want), ulp = error / ulp_at(want, f->bits, f->least);
    bool promised = c->promise == 0 || fabs(x) <= c->promise;
    if (promised && ulp > w->ulp)
        w->ulp = ulp;
    if (promised && error > w->absolute)
        w->absolute = error;
    if (!(error <= c->bound(x, y, want, f)))
        return false;
    return !promised || ulp <= c->ulp || error <= c->absolute;
}

static double reference(const Case *c, double x, double y)
{
    if (c->ref)
        return c->ref(x);
    if (x < 0)
        return NAN;                     /* outside of pow's domain                */
    return c->ref2(x, y);
}

static void compare(const Case *c, const float *x, const float *y, const float *got, Worst *w)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        double want = reference(c, x[i], y[i]);
        if (same_or_near(c, &f32, x[i], y[i], got[i], want, w))
            continue;
        if (!w->wrong++)
            *w = (Worst){x[i], y[i], got[i], want, 0, w->ulp, w->absolute, 1};
    }
}

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t scramble(uint32_t n)
{
    n ^= n >> 16;
    n *= 0x7feb352du;
    n ^= n >> 15;
    n *= 0x846ca68bu;
    return n ^ n >> 16;
}

/* All exponents; or evenly spaced between the ends. */
static void fill(float *x, float *y, const Case *c, uint32_t round)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t noise = scramble(i * 2 + round);
        x[i] = round == 0 ? from_bits(i << 14 | (noise & 0x3fffu))
                          : (float)(c->low + (c->high - c->low) * i / COUNT);
        y[i] = round == 0 ? from_bits((noise & 0x807fffffu) + 0x3a000000u + (i % 20 << 23))
                          : (float)(int32_t)(noise % 4096) / 64.0f - 32;
    }
}

static void wgsl_of(char *text, size_t size, const char *call)
{
    snprintf(text, size,
             "@group(0) @binding(0) var<storage> a : array<f32>;"
             "@group(0) @binding(1) var<storage> b : array<f32>;"
             "@group(0) @binding(2) var<storage, read_write> r : array<f32>;"
             "@compute @workgroup_size(%u)"
             "fn main(@builtin(global_invocation_id) id : vec3u) {"
             "  let x = a[id.x]; let y = b[id.x]; _ = y; r[id.x] = %s; }",
             GROUP, call);
}

static void run_case(const Case *c, uint32_t lanes, float *x, float *y, float *r)
{
    char text[1024];
    TestKernel k;
    Worst w = {0};
    wgsl_of(text, sizeof text, c->call);
    test_kernel_open(&k, text, lanes);
    size_t bytes = COUNT * sizeof *x;
    bool both = k.object.nbindings == 3;
    KernelBuffer buffers[3] = {{x, bytes}, {both ? y : r, bytes}, {r, bytes}};
    for (uint32_t round = 0; round < 2; round++) {
        fill(x, y, c, round);
        test_kernel_run(&k, buffers, COUNT / GROUP);
        compare(c, x, y, r, &w);
    }
    test_kernel_close(&k);
    print_message("%-16s lanes %2u  %.3f ULP, %.3g\n", c->call, lanes, w.ulp, w.absolute);
    if (w.wrong)
        fail_msg("%s: %u wrong, first x = %a (%.9g), y = %.9g: %.9g, not %.9g", c->call,
                 w.wrong, w.x, w.x, w.y, w.got, w.want);
}

static void test_accuracy(void **state)
{
    static const uint32_t widths[] = {8, 1, 4, 16};
    (void)state;
    float *x = malloc(COUNT * sizeof *x), *y = malloc(COUNT * sizeof *y);
    float *r = malloc(COUNT * sizeof *r);
    assert_true(x && y && r);
    for (size_t i = 0; i < COUNTOF(cases); i++)
        for (size_t k = 0; k < COUNTOF(widths); k++)
            run_case(&cases[i], widths[k], x, y, r);
    free(x);
    free(y);
    free(r);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
