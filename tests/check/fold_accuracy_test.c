/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold_accuracy_test.c - f32 and f16 results against long double, over samples of
 * all exponents, subnormals and the ends of the ranges.
 *
 * Operators must give the nearest value of the type, ties to even. Functions may
 * miss it only where the exact result is nearly half way between two values.
 * Neighbours come from bit patterns, so nothing here shares code with the rounding
 * that is tested.
 */
#include "bench.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef WEFT_STRESS
#define SAMPLES 300                     /* every value is a block there */
#else
#define SAMPLES 4000
#endif

/* Slack beyond half a unit, for functions that double cannot round correctly. */
#define FUNCTION_SLACK 1e-6L

static Bench bench;
static uint64_t seed;

static int setup(void **state)
{
    (void)state;
    seed = 0x243f6a8885a308d3u;
    bench_init(&bench);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    bench_fini(&bench);
    return 0;
}

static uint32_t next_random(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

/* ---- floats as bit patterns ---- */

typedef enum Width { F16, F32 } Width;

static double decode(Width w, uint32_t bits)
{
    int fraction_bits = w == F16 ? 10 : 23, exponent_bits = w == F16 ? 5 : 8;
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint32_t fraction = bits & ((1u << fraction_bits) - 1);
    int exponent = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1));
    double magnitude = exponent == 0
        ? ldexp(fraction, 1 - bias - fraction_bits)
        : ldexp(fraction + (double)(1u << fraction_bits), exponent - bias - fraction_bits);
    return bits >> (fraction_bits + exponent_bits) & 1 ? -magnitude : magnitude;
}

/* The bits of the largest finite value. */
static uint32_t max_bits(Width w) { return w == F16 ? 0x7bff : 0x7f7fffff; }

static const Type *type_of(Width w) { return w == F16 ? bench.types.f16 : bench.types.f32; }

/* Magnitudes near the ends, then anything. */
static double sample(Width w, uint32_t i)
{
    uint32_t normal = w == F16 ? 1u << 10 : 1u << 23;
    uint32_t one = w == F16 ? 0x3c00 : 0x3f800000;
    const uint32_t edges[] = {
        0, 1, 2, 3, normal - 1, normal, normal + 1, one - 1, one, one + 1, one + normal,
        max_bits(w) - 1, max_bits(w),
    };
    if (i < 2 * COUNTOF(edges))
        return (i % 2 ? -1 : 1) * decode(w, edges[i / 2]);
    uint32_t r = next_random();
    double magnitude = decode(w, r % (max_bits(w) + 1));
    return next_random() & 1 ? -magnitude : magnitude;
}

/* The bits of a finite magnitude; found by bisection, so with nothing but decode(). */
static uint32_t encode(Width w, double magnitude)
{
    uint32_t low = 0, high = max_bits(w);
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (decode(w, middle) <= magnitude)
            low = middle;
        else
            high = middle - 1;
    }
    assert_true(decode(w, low) == magnitude);
    return low;
}

/* Where the next value above the largest would be. */
static long double beyond(Width w)
{
    return w == F16 ? 65536.0L : 0x1p128L;
}

/*
 * Is `got` the value nearest to `want`, or at most `slack` units farther away than
 * the nearest? Exact ties must be even if there is no slack.
 */
static bool is_nearest(Width w, double got, long double want, long double slack)
{
    if (want != 0 && got != 0 && (got < 0) != (want < 0))
        return false;
    long double magnitude = fabsl(want);
    uint32_t bits = encode(w, fabs(got));
    long double at = (long double)fabs(got);
    long double above = bits == max_bits(w) ? beyond(w) : (long double)decode(w, bits + 1);
    long double below = bits == 0 ? -above : (long double)decode(w, bits - 1);
    long double up = (above - at) / 2, down = (at - below) / 2;
    long double error = magnitude - at;
    if (slack == 0 && (error == up || -error == down))
        return bits % 2 == 0;
    return error <= up * (1 + slack) && -error <= down * (1 + slack);
}

/* Does `want` round to infinity (or is it so near that either will do)? */
static bool may_overflow(Width w, long double want, long double slack)
{
    long double half = ((long double)decode(w, max_bits(w)) + beyond(w)) / 2;
    return fabsl(want) >= half * (1 - slack);
}

static bool must_overflow(Width w, long double want, long double slack)
{
    return may_overflow(w, want, 0) && fabsl(want) >= beyond(w) * (1 - slack);
}

static void judge(Width w, const char *what, double x, double y, const Value *got,
                  long double want, long double slack)
{
    bool good = got ? is_nearest(w, got->real, want, slack) && !must_overflow(w, want, slack)
                    : may_overflow(w, want, slack);
    if (!good)
        fail_msg("%s of %a and %a in %s: %a, exact %.21Lg", what, x, y,
                 w == F16 ? "f16" : "f32", got ? got->real : (double)INFINITY, want);
    bench.diag.list.len = 0;
}

/* ---- operators ---- */

static long double exact(BinOp op, double x, double y)
{
    long double a = (long double)x, b = (long double)y;
    switch (op) {
    case BINOP_ADD: return a + b;
    case BINOP_SUB: return a - b;
    case BINOP_MUL: return a * b;
    case BINOP_DIV: return a / b;
    default:        return fmodl(a, b);
    }
}

static void check_operator(Width w, BinOp op, double x, double y)
{
    static const Span span = {1, 2};
    static const char *const names[] = {"+", "-", "*", "/", "%"};
    if (y == 0 && (op == BINOP_DIV || op == BINOP_REM))
        return;
    const Type *t = type_of(w);
    const Value *got = fold_binary(&bench.fold, span, op, t, value_real(&bench.arena, t, x),
                                   value_real(&bench.arena, t, y));
    judge(w, names[op], x, y, got, exact(op, x, y), 0);
}

static void check_operators(Width w)
{
    static const BinOp ops[] = {BINOP_ADD, BINOP_SUB, BINOP_MUL, BINOP_DIV, BINOP_REM};
    for (uint32_t i = 0; i < SAMPLES; i++) {
        double x = sample(w, i % 64), y = sample(w, i / 64);
        if (i % 3 == 0) {               /* neighbouring exponents: cancellation, ties */
            uint32_t near = encode(w, fabs(x)) + next_random() % 4096;
            y = decode(w, MIN_OF(near, max_bits(w)));
        }
        for (size_t k = 0; k < COUNTOF(ops); k++)
            check_operator(w, ops[k], x, y);
        if (i % 500 == 499)
            bench_reset(&bench);
    }
}

static void test_f32_operators_round_to_nearest(void **state)
{
    (void)state;
    check_operators(F32);
}

static void test_f16_operators_round_to_nearest(void **state)
{
    (void)state;
    check_operators(F16);
}

/* ---- fma: in long double only where that is exact enough ---- */

static void check_fma(Width w)
{
    static const Span span = {1, 2};
    const uint32_t one = w == F16 ? 0x3c00 : 0x3f800000;
    const uint32_t spread = w == F16 ? 0x2000 : 0x4000000;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        double v[3];
        for (int k = 0; k < 3; k++)
            v[k] = decode(w, one - spread / 2 + next_random() % spread)
                 * (next_random() & 1 ? -1 : 1);
        if (i % 4 == 0)                 /* the sum nearly cancels */
            v[2] = -fold_round_f32(v[0] * v[1]);
        if (w == F16)
            v[2] = fold_round_f16(v[2]);
        const Type *t = type_of(w);
        const Value *args[3];
        for (int k = 0; k < 3; k++)
            args[k] = value_real(&bench.arena, t, v[k]);
        const Value *got = fold_builtin(&bench.fold, span, BUILTIN_fma, t, args, 3);
        /* 64 bits hold the product and what it is added to, but for a last part
         * that is far below half a unit of the result. */
        long double want = (long double)v[0] * (long double)v[1] + (long double)v[2];
        judge(w, "fma", v[0], v[1], got, want, want == 0 ? 0 : 1e-9L);
        if (i % 500 == 499)
            bench_reset(&bench);
    }
}

static void test_fma_rounds_once(void **state)
{
    (void)state;
    check_fma(F32);
    check_fma(F16);
}

/* ---- functions ---- */

static long double deg(long double x)     { return x * (180 / 3.14159265358979323846264338328L); }
static long double rad(long double x)     { return x * (3.14159265358979323846264338328L / 180); }
static long double fract(long double x)   { return x - floorl(x); }
static long double inv_sqrt(long double x) { return 1 / sqrtl(x); }

static const struct Function {
    BuiltinId     id;
    long double (*fn)(long double);
    double        low, high;            /* the open interval where it is defined  */
} functions[] = {
    { BUILTIN_acos, acosl, -1, 1 }, { BUILTIN_acosh, acoshl, 1, INFINITY },
    { BUILTIN_asin, asinl, -1, 1 }, { BUILTIN_asinh, asinhl, -INFINITY, INFINITY },
    { BUILTIN_atan, atanl, -INFINITY, INFINITY }, { BUILTIN_atanh, atanhl, -1, 1 },
    { BUILTIN_ceil, ceill, -INFINITY, INFINITY }, { BUILTIN_cos, cosl, -INFINITY, INFINITY },
    { BUILTIN_cosh, coshl, -INFINITY, INFINITY }, { BUILTIN_degrees, deg, -INFINITY, INFINITY },
    { BUILTIN_exp, expl, -INFINITY, INFINITY }, { BUILTIN_exp2, exp2l, -INFINITY, INFINITY },
    { BUILTIN_floor, floorl, -INFINITY, INFINITY }, { BUILTIN_fract, fract, -INFINITY, INFINITY },
    { BUILTIN_inverseSqrt, inv_sqrt, 0, INFINITY }, { BUILTIN_log, logl, 0, INFINITY },
    { BUILTIN_log2, log2l, 0, INFINITY }, { BUILTIN_radians, rad, -INFINITY, INFINITY },
    { BUILTIN_round, rintl, -INFINITY, INFINITY }, { BUILTIN_sin, sinl, -INFINITY, INFINITY },
    { BUILTIN_sinh, sinhl, -INFINITY, INFINITY }, { BUILTIN_sqrt, sqrtl, 0, INFINITY },
    { BUILTIN_tan, tanl, -INFINITY, INFINITY }, { BUILTIN_tanh, tanhl, -INFINITY, INFINITY },
    { BUILTIN_trunc, truncl, -INFINITY, INFINITY },
};

/* A number inside the domain, of any size or of a moderate one. */
static double argument(const struct Function *f, Width w, uint32_t i)
{
    double x = sample(w, i);
    if (i % 2) {                        /* where most of a curve is */
        x = ldexp((double)(next_random() % 65536), -12) - 8;
        x = w == F16 ? fold_round_f16(x) : fold_round_f32(x);
    }
    if (f->low == 0 || f->low == 1)
        x = fabs(x);
    if (f->low == 1 && x < 1)
        x += 1;
    if (f->high == 1 && fabs(x) >= 1)
        x = 1 / (2 + fabs(x));
    return w == F16 ? fold_round_f16(x) : fold_round_f32(x);
}

static void check_functions(Width w)
{
    static const Span span = {1, 2};
    for (size_t k = 0; k < COUNTOF(functions); k++) {
        const struct Function *f = &functions[k];
        for (uint32_t i = 0; i < SAMPLES / 4; i++) {
            double x = argument(f, w, i);
            if (!isfinite(x) || x <= f->low || x >= f->high)
                continue;
            const Type *t = type_of(w);
            const Value *arg = value_real(&bench.arena, t, x);
            const Value *got = fold_builtin(&bench.fold, span, f->id, t, &arg, 1);
            judge(w, builtin_name(f->id), x, x, got, f->fn((long double)x), FUNCTION_SLACK);
        }
        bench_reset(&bench);
    }
}

static void test_f32_functions_are_accurate(void **state)
{
    (void)state;
    check_functions(F32);
}

static void test_f16_functions_are_accurate(void **state)
{
    (void)state;
    check_functions(F16);
}

static void test_powers_and_angles_are_accurate(void **state)
{
    (void)state;
    static const Span span = {1, 2};
    for (int w = F16; w <= F32; w++)
        for (uint32_t i = 0; i < SAMPLES / 2; i++) {
            const Type *t = type_of((Width)w);
            double x = fabs(sample((Width)w, i)), y = sample((Width)w, i + 1);
            if (i % 2)
                y = fold_round_f16(ldexp((double)(next_random() % 65536), -13) - 4);
            const Value *args[] = {value_real(&bench.arena, t, x), value_real(&bench.arena, t, y)};
            if (x > 0) {
                const Value *got = fold_builtin(&bench.fold, span, BUILTIN_pow, t, args, 2);
                judge((Width)w, "pow", x, y, got, powl((long double)x, (long double)y),
                      FUNCTION_SLACK);
            }
            const Value *got = fold_builtin(&bench.fold, span, BUILTIN_atan2, t, args, 2);
            judge((Width)w, "atan2", x, y, got, atan2l((long double)x, (long double)y),
                  FUNCTION_SLACK);
            if (i % 500 == 499)
                bench_reset(&bench);
        }
}

/* ---- rounding itself ---- */

static void test_every_f16_is_its_own_rounding(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits <= max_bits(F16); bits++) {
        double x = decode(F16, bits), next = decode(F16, bits + 1);
        assert_true(fold_round_f16(x) == x);
        assert_true(fold_round_f16(-x) == -x && signbit(fold_round_f16(-x)));
        if (bits == max_bits(F16))
            break;
        double middle = (x + next) / 2;
        assert_true(fold_round_f16(middle) == (bits % 2 ? next : x));
        assert_true(fold_round_f16(nextafter(middle, 0)) == x);
        assert_true(fold_round_f16(nextafter(middle, INFINITY)) == next);
    }
    assert_true(fold_round_f16(65519.999) == 65504);
    assert_true(isinf(fold_round_f16(65520)));
    assert_true(isinf(fold_round_f16(DBL_MAX)) && fold_round_f16(-DBL_MAX) < 0);
    assert_true(fold_round_f16(DBL_MIN) == 0 && fold_round_f16(0x1p-1074) == 0);
    assert_true(isnan(fold_round_f16((double)NAN)));
}

static void test_f32_rounding_at_its_ends(void **state)
{
    (void)state;
    assert_true(fold_round_f32(0x1.fffffep127) == 0x1.fffffep127);
    assert_true(fold_round_f32(nextafter(0x1.ffffffp127, 0)) == 0x1.fffffep127);
    assert_true(isinf(fold_round_f32(0x1.ffffffp127)));
    assert_true(isinf(fold_round_f32(-1e300)) && fold_round_f32(-1e300) < 0);
    assert_true(fold_round_f32(0x1p-150) == 0 && fold_round_f32(0x1.8p-150) == 0x1p-149);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_f32_operators_round_to_nearest),
        TEST(test_f16_operators_round_to_nearest),
        TEST(test_fma_rounds_once),
        TEST(test_f32_functions_are_accurate),
        TEST(test_f16_functions_are_accurate),
        TEST(test_powers_and_angles_are_accurate),
        TEST(test_every_f16_is_its_own_rounding),
        TEST(test_f32_rounding_at_its_ends),
    };
    return cmocka_run_group_tests_name("fold_accuracy", tests, NULL, NULL);
}
