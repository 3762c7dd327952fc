/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arith_test.c - operations on numbers that must be exact, or rounded once.
 *
 * in     operands of each type: all of f16, the ends and the middle of the others
 * out    a failure for each operation whose result is not that of double, rounded
 *
 * The f16 operations are computed in f32 and rounded again. With 24 and 11 bits
 * the second rounding changes nothing for + - * / and sqrt; for fma it may take the
 * other neighbour when the sum is almost in the middle.
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "kernel.h"

#define COUNT (1u << 17)            /* numbers an operation: all of f16 twice */
#define GROUP 64u

/* ---- numbers of a type, in memory ---- */

typedef enum Kind { F32, F16, I32, U32 } Kind;

static const struct {
    const char *name;
    size_t      size;
} types[] = {
    [F32] = {"f32", 4}, [F16] = {"f16", 2}, [I32] = {"i32", 4}, [U32] = {"u32", 4},
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

static uint32_t scramble(uint32_t n)
{
    n ^= n >> 16;
    n *= 0x7feb352du;
    n ^= n >> 15;
    n *= 0x846ca68bu;
    return n ^ n >> 16;
}

/* Of 32 bits: any, small ones, and ones next to powers of two. */
static uint32_t word(uint32_t noise)
{
    uint32_t shift = noise >> 27;
    switch (noise % 4) {
    case 0: return scramble(noise);
    case 1: return scramble(noise) >> shift;
    case 2: return (1u << shift) + (noise >> 8) % 5 - 2;
    default: return 0u - ((1u << shift) + (noise >> 8) % 5 - 2);
    }
}

/* The first operand goes through all of f16; the others are any. */
static void fill(void *at, Kind t, uint32_t salt)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t noise = scramble(i * 4 + salt);
        if (t == F16)
            ((uint16_t *)at)[i] = (uint16_t)(salt ? noise >> 7 : i);
        else if (t == F32)
            ((uint32_t *)at)[i] = noise % 3 ? noise : 0x3f800000u + word(noise);
        else
            ((uint32_t *)at)[i] = word(noise);
    }
}

/* ---- what the results are ---- */

typedef double Ref(double x, double y, double z);

#define REF(name, value)                                                                 \
    static double name(double x, double y, double z)                                     \
    {                                                                                    \
        (void)x, (void)y, (void)z;                                                       \
        return value;                                                                    \
    }

REF(ref_add, x + y)
REF(ref_sub, x - y)
REF(ref_mul, x * y)
REF(ref_div, x / y)
REF(ref_neg, -x)
REF(ref_abs, fabs(x))
REF(ref_sqrt, sqrt(x))
REF(ref_fma, fma(x, y, z))
REF(ref_floor, floor(x))
REF(ref_ceil, ceil(x))
REF(ref_trunc, trunc(x))
REF(ref_round, nearbyint(x))
REF(ref_same, x)
REF(ref_rem, fmod(x, y))

static double clamped(double x, double low, double high)
{
    return isnan(x) ? 0 : fmax(low, fmin(high, trunc(x)));
}

REF(ref_to_i32, clamped(x, -2147483648.0, 2147483520.0))
REF(ref_to_u32, clamped(x, 0, 4294967040.0))
REF(ref_half_to_i32, clamped(x, -65504, 65504))
REF(ref_half_to_u32, clamped(x, 0, 65504))

/* Of integers: x / 0 is x, x % 0 is 0, and the quotient that does not fit is x. */
static bool divides(double x, double y)
{
    return y != 0 && !(x == -2147483648.0 && y == -1);
}

REF(ref_int_div, divides(x, y) ? trunc(x / y) : x)
REF(ref_int_rem, divides(x, y) ? fmod(x, y) : 0)

typedef struct Case {
    const char *call;                   /* of x, y and z                          */
    Kind        from, to;
    Ref        *ref;
    bool        either;                 /* both neighbours of the result will do  */
} Case;

static const Case cases[] = {
    {"x + y",    F16, F16, ref_add,   false},
    {"x - y",    F16, F16, ref_sub,   false},
    {"x * y",    F16, F16, ref_mul,   false},
    {"x / y",    F16, F16, ref_div,   false},
    {"-x",       F16, F16, ref_neg,   false},
    {"abs(x)",   F16, F16, ref_abs,   false},
    {"sqrt(x)",  F16, F16, ref_sqrt,  false},
    {"fma(x, y, z)", F16, F16, ref_fma, true},
    {"floor(x)", F16, F16, ref_floor, false},
    {"ceil(x)",  F16, F16, ref_ceil,  false},
    {"trunc(x)", F16, F16, ref_trunc, false},
    {"round(x)", F16, F16, ref_round, false},

    {"x + y",    F32, F32, ref_add,   false},
    {"x - y",    F32, F32, ref_sub,   false},
    {"x * y",    F32, F32, ref_mul,   false},
    {"x / y",    F32, F32, ref_div,   false},
    {"sqrt(x)",  F32, F32, ref_sqrt,  false},
    {"fma(x, y, z)", F32, F32, ref_fma, true},
    {"floor(x)", F32, F32, ref_floor, false},
    {"ceil(x)",  F32, F32, ref_ceil,  false},
    {"trunc(x)", F32, F32, ref_trunc, false},
    {"round(x)", F32, F32, ref_round, false},

    {"f16(x)",   F32, F16, ref_same,  false},
    {"f32(x)",   F16, F32, ref_same,  false},
    {"i32(x)",   F32, I32, ref_to_i32, false},
    {"u32(x)",   F32, U32, ref_to_u32, false},
    {"i32(x)",   F16, I32, ref_half_to_i32, false},
    {"u32(x)",   F16, U32, ref_half_to_u32, false},
    {"f32(x)",   I32, F32, ref_same,  false},
    {"f32(x)",   U32, F32, ref_same,  false},
    {"f16(x)",   I32, F16, ref_same,  false},
    {"f16(x)",   U32, F16, ref_same,  false},

    {"x / y",    I32, I32, ref_int_div, false},
    {"x % y",    I32, I32, ref_int_rem, false},
    {"x / y",    U32, U32, ref_int_div, false},
    {"x % y",    U32, U32, ref_int_rem, false},
};

/* ---- one operation ---- */

/* Rounded to the nearest number of a type. */
static double rounded(double x, Kind t)
{
    if (t == F32)
        return (double)(float)x;
    return t == F16 ? half_value(half_bits(x)) : x + 0.0;   /* integers have no -0  */
}

static bool is_right(const Case *c, double got, double exact)
{
    double want = rounded(exact, c->to);
    if (isnan(want))
        return isnan(got);
    if (got == want)
        return signbit(got) == signbit(want);
    const Format *f = c->to == F16 ? &f16 : &f32;
    return c->either && fabs(got - exact) < ulp_at(exact, f);
}

static unsigned compare(const Case *c, void *const operands[3], const void *r, uint32_t lanes)
{
    unsigned wrong = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        double x = get(operands[0], i, c->from), y = get(operands[1], i, c->from);
        double z = get(operands[2], i, c->from), got = get(r, i, c->to);
        if (is_right(c, got, c->ref(x, y, z)))
            continue;
        if (!wrong++)
            print_error("%s of %s, %u lanes: x = %.9g, y = %.9g, z = %.9g: %.9g, not %.9g\n",
                        c->call, types[c->from].name, lanes, x, y, z, got,
                        rounded(c->ref(x, y, z), c->to));
    }
    return wrong;
}

static void wgsl_of(char *text, size_t size, const Case *c)
{
    const char *from = types[c->from].name, *to = types[c->to].name;
    snprintf(text, size,
             "%s @group(0) @binding(0) var<storage> a : array<%s>;"
             "@group(0) @binding(1) var<storage> b : array<%s>;"
             "@group(0) @binding(2) var<storage> c : array<%s>;"
             "@group(0) @binding(3) var<storage, read_write> r : array<%s>;"
             "@compute @workgroup_size(%u)"
             "fn main(@builtin(global_invocation_id) id : vec3u) {"
             "  let x = a[id.x]; let y = b[id.x]; let z = c[id.x];"
             "  r[id.x] = %s; }",
             c->from == F16 || c->to == F16 ? "enable f16;" : "", from, from, from, to, GROUP,
             c->call);
}

static void numbers_init(void *numbers[4])
{
    for (size_t i = 0; i < 4; i++) {
        numbers[i] = calloc(COUNT, 4);
        assert_non_null(numbers[i]);
    }
}

static void numbers_fini(void *numbers[4])
{
    for (size_t i = 0; i < 4; i++)
        free(numbers[i]);
}

/* Fills the operands that the kernel has, and runs it. */
static void run_kernel(const Case *c, uint32_t lanes, void *const operands[3], void *r)
{
    char text[1024];
    TestKernel k;
    KernelBuffer buffers[4];
    wgsl_of(text, sizeof text, c);
    test_kernel_open(&k, text, lanes, NULL);
    for (uint32_t i = 0; i < k.object.nbindings; i++) {
        uint32_t binding = k.object.bindings[i].binding;
        Kind t = binding == 3 ? c->to : c->from;
        void *data = binding == 3 ? r : operands[binding];
        if (binding < 3)
            fill(data, t, binding);
        buffers[i] = (KernelBuffer){data, COUNT * types[t].size};
    }
    test_kernel_run(&k, buffers, COUNT / GROUP);
    test_kernel_close(&k);
}

/* x - y * trunc(x / y): fmod(x, y), or a quotient that is rounded away from it. */
static void test_remainders(void **state)
{
    (void)state;
    static const Case c = {"x % y", F32, F32, ref_rem, false};
    void *numbers[4];
    numbers_init(numbers);
    run_kernel(&c, 8, numbers, numbers[3]);
    for (uint32_t i = 0; i < COUNT; i++) {
        double x = get(numbers[0], i, F32), y = get(numbers[1], i, F32);
        double got = get(numbers[3], i, F32), want = fmod(x, y);
        if (!(fabs(x / y) < 0x1p20) || isinf(y))
            continue;
        double off = fmin(fabs(got - want), fabs(fabs(got - want) - fabs(y)));
        if (!(off <= ulp_at(x, &f32)))
            fail_msg("%.9g %% %.9g is %.9g, not %.9g", x, y, got, want);
    }
    numbers_fini(numbers);
}

static void run_cases(uint32_t lanes)
{
    void *numbers[4];
    unsigned wrong = 0;
    numbers_init(numbers);
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        run_kernel(&cases[i], lanes, numbers, numbers[3]);
        wrong += compare(&cases[i], numbers, numbers[3], lanes);
    }
    numbers_fini(numbers);
    assert_int_equal(wrong, 0);
}

static void test_lanes(void **state)
{
    (void)state;
    run_cases(8);
}

static void test_one_lane(void **state)
{
    (void)state;
    run_cases(1);
}

#if defined(__x86_64__)
/* LLVM exchanges the operands of masked vcmpph without its condition. */
static void test_halves_are_ordered_as_floats(void **state)
{
    static const char wgsl[] =
        "enable f16; @group(0) @binding(0) var<storage, read_write> x : array<f16>;"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {"
        "  let a = x[id.x]; let b = x[id.x + 64];"
        "  if (a < b) { if (a * b >= a) { x[id.x] = b; } }"
        "}";
    static const char *const orders[] = {"vcmpltph", "vcmpleph", "vcmpgtph", "vcmpgeph"};
    Arena   arena;
    Machine m;
    (void)state;
    arena_init(&arena, 0);
    assert_true(machine_find(&m, "sapphirerapids"));
    const char *text = test_kernel_assembly(&arena, wgsl, 16, &m);
    assert_non_null(strstr(text, "vmulph"));
    for (size_t i = 0; i < COUNTOF(orders); i++)
        assert_null(strstr(text, orders[i]));
    arena_fini(&arena);
}
#endif

int main(void)
{
    static const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
        cmocka_unit_test(test_halves_are_ordered_as_floats),
#endif
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_one_lane),
        cmocka_unit_test(test_remainders),
    };
    return cmocka_run_group_tests_name("arith", tests, NULL, NULL);
}
