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

#include "bound.h"
#include "kernel.h"

#define COUNT     (1u << 18)            /* numbers in one run: two rounds         */
#define FEW       (1u << 14)
#define GROUP     64u

/* ---- the second operand ---- */

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float any_number(uint32_t noise)
{
    return from_bits(noise);
}

/* Two to the -10th to the 10th, and some whole numbers and halves. */
static float power(uint32_t noise)
{
    if (noise % 4 == 0)
        return (float)(noise >> 8 & 127) / 2 - 32;
    return from_bits((noise & 0x807fffffu) | ((noise >> 23) % 20 + 117) << 23);
}

static float shift(uint32_t noise)
{
    return (float)(int)(noise % 700) - 350;
}

/* ---- the functions ---- */

static double ref_rsqrt(double x) { return 1 / sqrt(x); }
static double ref_sin(double x) { return x == 0 ? 0 : sin(x); }

static double ref_fract(double x)
{
    int e;
    return isfinite(x) ? frexp(x, &e) : x;
}

static double ref_exponent(double x)
{
    int e = 0;
    if (isfinite(x))
        frexp(x, &e);
    return e;
}

/* The conversion to i32 saturates, and makes NaN zero. */
static double ref_ldexp(double x, double n)
{
    return ldexp(x, isnan(n) ? 0 : (int)fmax(fmin(n, 10000), -10000));
}

static double ref_pow(double x, double y)
{
    if (y == 0)
        return 1;
    return x >= 0 && !isnan(y) && !(x == 1 && isinf(y)) ? pow(fabs(x), y) : NAN;
}

typedef struct Case {
    const char *call;                   /* of x and y                             */
    Bound      *bound;
    double      ulp;                    /* our own promise: either so many ULP,   */
    double      low, high;              /* where to look closely                  */
    double      absolute;               /* or this far away,                      */
    double      reach;                  /* for |x| up to this        0: any       */
    double      limit;                  /* no result is larger       0: any is    */
    double    (*ref)(double);           /* of x, or                               */
    double    (*ref2)(double, double);  /* of x and y                             */
    float     (*y)(uint32_t noise);
} Case;

/* call, bound, our promise in ULP, the ends of where to look closely, and the rest. */
static const Case cases[] = {
    {"inverseSqrt(x)",     bound_two_ulp, 2,    0.25, 4,   .ref = ref_rsqrt},
    {"exp(x)",             bound_exp,     5.5,  -104, 89,  .ref = exp},
    {"exp2(x)",            bound_exp,     2.1,  -150, 129, .ref = exp2},
    {"log(x)",             bound_log,     1.5,  0.4,  2.5, .ref = log},
    {"log2(x)",            bound_log,     2,    0.4,  2.5, .ref = log2},
    {"pow(x, y)",          bound_pow,     1,    0,    10,  .ref2 = ref_pow, .y = power},
    {"sin(x)",             bound_sin,     2,    -10,  10,  .ref = ref_sin, .limit = 1,
     .absolute = 0x1p-23, .reach = 1e6},
    {"cos(x)",             bound_sin,     2,    -10,  10,  .ref = cos, .limit = 1,
     .absolute = 0x1p-23, .reach = 1e6},
    {"tan(x)",             bound_tan,     3,    -10,  10,  .ref = tan, .reach = 100,
     .absolute = 0x1p-40},
    {"asin(x)",            bound_asin,    2.5,  -1,   1,   .ref = asin},
    {"acos(x)",            bound_asin,    2,    -1,   1,   .ref = acos},
    {"atan(x)",            bound_atan,    3,    -4,   4,   .ref = atan},
    {"atan2(x, y)",        bound_atan2,   3,    -4,   4,   .ref2 = atan2, .y = any_number},
    {"sinh(x)",            bound_sinh,    3,    -91,  91,  .ref = sinh},
    {"cosh(x)",            bound_sinh,    3,    -91,  91,  .ref = cosh},
    {"tanh(x)",            bound_tanh,    3.5,  -11,  11,  .ref = tanh, .limit = 1},
    {"asinh(x)",           bound_asinh,   4,    -5,   5,   .ref = asinh},
    {"acosh(x)",           bound_acosh,   4,    1,    5,   .ref = acosh},
    {"atanh(x)",           bound_atanh,   4,    -1,   1,   .ref = atanh},
    {"ldexp(x, i32(y))",   bound_rounded, 0.5,  -4,   4,   .ref2 = ref_ldexp, .y = shift},
    {"frexp(x).fract",     bound_exact,   0,    -4,   4,   .ref = ref_fract},
    {"TYPE(frexp(x).exp)", bound_exact,   0,    -4,   4,   .ref = ref_exponent},
};

/* ---- one function, many numbers ---- */

typedef struct Error {
    double absolute, ulp;
} Error;

typedef struct Worst {
    double x, y, got, want;             /* the first that is wrong                */
    unsigned wrong;
    Error  error;                       /* the largest                            */
} Worst;

/* Inside of what WGSL allows? Also sets the error of what we promise more of. */
static bool is_allowed(const Case *c, const Format *f, double x, double y, double got,
                       double want, Error *error)
{
    *error = (Error){0};
    if (isnan(want))
        return isnan(got);
    if (c->limit != 0 && !(fabs(got) <= c->limit))
        return false;
    if (isinf(want) || fabs(want) >= f->max + ulp_at(f->max, f) / 2)
        return fabs(got) >= f->max && signbit(got) == signbit(want);
    if (fabs(want) < f->normal && got == 0)
        return want != 0 || signbit(got) == signbit(want);  /* flushed, or so     */
    if (c->reach == 0 || fabs(x) <= c->reach)
        *error = (Error){fabs(got - want), fabs(got - want) / ulp_at(want, f)};
    return fabs(got - want) <= c->bound(x, y, want, f);
}

/* f16: the error of f32, and the rounding, which is right almost always. */
static bool is_promised(const Case *c, const Format *f, Error error)
{
    if (f == &f16)
        return error.ulp <= 0.502 || error.absolute <= c->absolute;
    return error.ulp <= c->ulp || error.absolute <= c->absolute;
}

/* ---- numbers in memory ---- */

typedef struct Numbers {
    const Format *format;
    const Machine *machine;         /* NULL: this one                         */
    uint32_t count;
    void    *x, *y, *r;                 /* [count] of the format                  */
} Numbers;

static size_t number_size(const Format *f)
{
    return f == &f32 ? sizeof(float) : sizeof(uint16_t);
}

static double get(const Numbers *n, const void *at, uint32_t i)
{
    return n->format == &f32 ? (double)((const float *)at)[i]
                             : half_value(((const uint16_t *)at)[i]);
}

static void put(const Numbers *n, void *at, uint32_t i, float x)
{
    if (n->format == &f32)
        ((float *)at)[i] = x;
    else
        ((uint16_t *)at)[i] = half_bits(x);
}

static void numbers_init(Numbers *n, const Format *f, uint32_t count)
{
    size_t size = number_size(f) * count;
    *n = (Numbers){f, NULL, count, malloc(size), malloc(size), malloc(size)};
    assert_true(n->x && n->y && n->r);
}

static void numbers_fini(Numbers *n)
{
    free(n->x);
    free(n->y);
    free(n->r);
}

static uint32_t scramble(uint32_t n)
{
    n ^= n >> 16;
    n *= 0x7feb352du;
    n ^= n >> 15;
    n *= 0x846ca68bu;
    return n ^ n >> 16;
}

/* The i-th of `count` numbers that go through all exponents. */
static float any_of(uint32_t i, uint32_t count, uint32_t noise)
{
    uint32_t step = UINT32_MAX / count + 1;
    return from_bits(i * step + noise % step);
}

/* Both operands, each with each. */
static void fill_special(Numbers *n)
{
    const double s[] = {
        0, 1, 2, 0.5, 3, n->format->normal, n->format->max, INFINITY,
        ldexp(1, n->format->least), n->format->normal - ldexp(1, n->format->least),
    };
    const uint32_t k = 2 * COUNTOF(s) + 1;
    for (uint32_t i = 0; i < k * k; i++) {
        double x = i % k ? s[i % k / 2 % COUNTOF(s)] : NAN;
        double y = i / k ? s[i / k / 2 % COUNTOF(s)] : NAN;
        put(n, n->x, i, (float)(i % k & 1 ? -x : x));
        put(n, n->y, i, (float)(i / k & 1 ? -y : y));
    }
}

/* Numbers of all exponents, or of f16 all; then evenly spaced ones. */
static void fill(Numbers *n, const Case *c, uint32_t round)
{
    for (uint32_t i = 0; i < n->count; i++) {
        uint32_t noise = scramble(i * 2 + round);
        float even = (float)(c->low + (c->high - c->low) * i / n->count);
        if (round == 0 && n->format == &f16)
            ((uint16_t *)n->x)[i] = (uint16_t)i;
        else
            put(n, n->x, i, round == 0 ? any_of(i, n->count, noise) : even);
        put(n, n->y, i, c->y ? c->y(noise) : 0);
    }
    if (round == 1)
        fill_special(n);
}

/* ---- one function, many numbers ---- */

static void wgsl_of(char *text, size_t size, const char *call, const Format *f)
{
    snprintf(text, size,
             "%s alias TYPE = %s;"
             "@group(0) @binding(0) var<storage> a : array<TYPE>;"
             "@group(0) @binding(1) var<storage> b : array<TYPE>;"
             "@group(0) @binding(2) var<storage, read_write> r : array<TYPE>;"
             "@compute @workgroup_size(%u)"
             "fn main(@builtin(global_invocation_id) id : vec3u) {"
             "  let x = a[id.x]; let y = b[id.x]; r[id.x] = %s; }",
             f == &f16 ? "enable f16;" : "", f->name, GROUP, call);
}

static void compare(const Case *c, const Numbers *n, Worst *w)
{
    for (uint32_t i = 0; i < n->count; i++) {
        double x = get(n, n->x, i), y = get(n, n->y, i), got = get(n, n->r, i);
        double want = c->ref ? c->ref(x) : c->ref2(x, y);
        Error error;
        bool right = is_allowed(c, n->format, x, y, got, want, &error) &&
                     (n->machine || is_promised(c, n->format, error));
        w->error.ulp = fmax(w->error.ulp, error.ulp);
        w->error.absolute = fmax(w->error.absolute, error.absolute);
        if (!right && !w->wrong++)
            w->x = x, w->y = y, w->got = got, w->want = want;
    }
}

static unsigned run_case(const Case *c, uint32_t lanes, Numbers *n)
{
    char text[1024];
    TestKernel k;
    Worst w = {0};
    wgsl_of(text, sizeof text, c->call, n->format);
    test_kernel_open(&k, text, lanes, n->machine);
    size_t bytes = n->count * number_size(n->format);
    KernelBuffer buffers[3] = {{n->x, bytes}, {c->y ? n->y : n->r, bytes}, {n->r, bytes}};
    for (uint32_t round = 0; round < 2; round++) {
        fill(n, c, round);
        test_kernel_run(&k, buffers, n->count / GROUP);
        compare(c, n, &w);
    }
    test_kernel_close(&k);
    print_message("%-20s %s lanes %2u  %.3f ULP, %.3g\n", c->call, n->format->name, lanes,
                  w.error.ulp, w.error.absolute);
    if (w.wrong)
        print_error("%s: %u wrong, first x = %a (%.9g), y = %.9g: %.9g, not %.9g\n", c->call,
                    w.wrong, w.x, w.x, w.y, w.got, w.want);
    return w.wrong;
}

static void run_cases(uint32_t lanes, const Format *f, uint32_t count,
                      const Machine *machine)
{
    Numbers n;
    unsigned wrong = 0;
    numbers_init(&n, f, count);
    n.machine = machine;
    for (size_t i = 0; i < COUNTOF(cases); i++)
        wrong += run_case(&cases[i], lanes, &n);
    numbers_fini(&n);
    assert_int_equal(wrong, 0);
}

/* A root whose argument is known to be no special number. */
static double ref_softened(double x)
{
    double near = fmax(fmin(x, 200), -200);
    return 1 / sqrt(near * near + 0.25);
}

static void test_root_of_squares(void **state)
{
    (void)state;
    const Case c = {
        "inverseSqrt(clamp(x, -200, 200) * clamp(x, -200, 200) + 0.25)",
        bound_two_ulp, 2, -4, 4, .ref = ref_softened,
    };
    Numbers n;
    numbers_init(&n, &f32, COUNT);
    unsigned wrong = run_case(&c, 8, &n) + run_case(&c, 1, &n) + run_case(&c, 32, &n);
    numbers_fini(&n);
    assert_int_equal(wrong, 0);
}

static void test_one_lane(void **state)
{
    (void)state;
    run_cases(1, &f32, FEW, NULL);
}

static void test_4_lanes(void **state)
{
    (void)state;
    run_cases(4, &f32, FEW, NULL);
}

static void test_8_lanes(void **state)
{
    (void)state;
    run_cases(8, &f32, COUNT, NULL);
}

static void test_16_lanes(void **state)
{
    (void)state;
    run_cases(16, &f32, FEW, NULL);
}

/* What people expect to come out as if there were no rounding. */
static const struct {
    const char *call;
    float x, y, want;
} exact[] = {
    {"exp(x)", 0, 0, 1},          {"exp2(x)", 10, 0, 1024},      {"exp2(x)", -126, 0, FLT_MIN},
    {"log(x)", 1, 0, 0},          {"log2(x)", 1024, 0, 10},      {"log2(x)", 0x1p-149f, 0, -149},
    {"pow(x, y)", 2, 3, 8},       {"pow(x, y)", 3, 2, 9},        {"pow(x, y)", 10, 3, 1000},
    {"pow(x, y)", 7.3f, 1, 7.3f}, {"pow(x, y)", 0, 0, 1},        {"pow(x, y)", 4, 0.5f, 2},
    {"pow(x, y)", 0, 2, 0},       {"pow(x, y)", 2, -149, 0x1p-149f},
    {"cos(x)", 0, 0, 1},          {"sin(x)", 1.57079637f, 0, 1}, {"tan(x)", 0, 0, 0},
    {"acos(x)", 1, 0, 0},         {"atan(x)", 1, 0, 0.785398163f},
    {"atan2(x, y)", 0, -1, 3.14159265f}, {"atan2(x, y)", 1, 0, 1.57079633f},
    {"tanh(x)", 20, 0, 1},        {"cosh(x)", 0, 0, 1},          {"inverseSqrt(x)", 4, 0, 0.5f},
};

static void test_exact_results(void **state)
{
    (void)state;
    char text[1024];
    for (size_t i = 0; i < COUNTOF(exact); i++) {
        float x[GROUP] = {exact[i].x}, y[GROUP] = {exact[i].y}, r[GROUP] = {0};
        TestKernel k;
        wgsl_of(text, sizeof text, exact[i].call, &f32);
        test_kernel_open(&k, text, 8, NULL);
        bool both = k.object.nbindings == 3;
        KernelBuffer buffers[3] = {{x, sizeof x}, {both ? y : r, sizeof y}, {r, sizeof r}};
        test_kernel_run(&k, buffers, 1);
        test_kernel_close(&k);
        if (r[0] != exact[i].want)
            fail_msg("%s of %.9g, %.9g is %.9g, not %.9g", exact[i].call, (double)exact[i].x,
                     (double)exact[i].y, (double)r[0], (double)exact[i].want);
    }
}

/* Without fused multiply-add we promise no more than WGSL asks. */
static void test_an_older_machine(void **state)
{
    (void)state;
#ifdef __x86_64__
    Machine old;
    assert_true(machine_find(&old, "x86-64-v2"));
    run_cases(4, &f32, FEW, &old);
#endif
}

static void test_every_half(void **state)
{
    (void)state;
    run_cases(8, &f16, 65536, NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_8_lanes),
        cmocka_unit_test(test_root_of_squares),
        cmocka_unit_test(test_one_lane),
        cmocka_unit_test(test_4_lanes),
        cmocka_unit_test(test_16_lanes),
        cmocka_unit_test(test_an_older_machine),
        cmocka_unit_test(test_every_half),
        cmocka_unit_test(test_exact_results),
    };
    return cmocka_run_group_tests_name("math", tests, NULL, NULL);
}
