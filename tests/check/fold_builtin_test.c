/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold_builtin_test.c - builtin functions on known arguments: results, and what
 * is rejected.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#include "check/fold_priv.h"

static Bench bench;
static const Span span = {10, 20};

static int setup(void **state)
{
    (void)state;
    bench_init(&bench);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    bench_fini(&bench);
    return 0;
}

/* `result` NULL: the type of the first argument. */
typedef struct Case {
    BuiltinId   id;
    const char *args[4], *result, *want;
} Case;

static uint32_t read_args(const Case *c, const Value **args)
{
    uint32_t nargs = 0;
    for (; nargs < 4 && c->args[nargs]; nargs++)
        args[nargs] = bench_value(&bench, c->args[nargs]);
    return nargs;
}

static void run(const Case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const Case *c = &cases[i];
        const Value *args[4];
        uint32_t nargs = read_args(c, args);
        const Type *result = c->result ? bench_type(&bench, c->result) : args[0]->type;
        char what[512];
        snprintf(what, sizeof what, "%s(%s%s%s%s%s)", builtin_name(c->id), c->args[0],
                 nargs > 1 ? ", " : "", nargs > 1 ? c->args[1] : "", nargs > 2 ? ", " : "",
                 nargs > 2 ? c->args[2] : "");
        const Value *got = fold_builtin(&bench.fold, span, c->id, result, args, nargs);
        if (got)
            assert_ptr_equal(got->type, result);
        bench_expect(&bench, what, got, c->want);
    }
}

#define B(name) BUILTIN_##name
#define RUN(cases) run(cases, COUNTOF(cases))

static void test_every_function_that_may_be_constant_is_evaluated(void **state)
{
    (void)state;
    for (int id = 0; id < BUILTIN_ID_COUNT; id++) {
        bool constant = builtin_flags((BuiltinId)id) & BUILTIN_CONST;
        if (constant != fold_has_builtin((BuiltinId)id))
            fail_msg("'%s'", builtin_name((BuiltinId)id));
    }
}

static void test_signs_and_order(void **state)
{
    (void)state;
    static const Case cases[] = {
        { B(abs), { "-5i" }, NULL, "5i" }, { B(abs), { "5u" }, NULL, "5u" },
        { B(abs), { "i32(-2147483648)" }, NULL, "i32(-2147483648)" },
        { B(abs), { "int(-9223372036854775808)" }, NULL, "int(-9223372036854775808)" },
        { B(abs), { "-0.0f" }, NULL, "0f" },
        { B(abs), { "vec2<f16>(-1, 2)" }, NULL, "vec2<f16>(1, 2)" },
        { B(sign), { "-5i" }, NULL, "-1i" }, { B(sign), { "0i" }, NULL, "0i" },
        { B(sign), { "7" }, NULL, "1" }, { B(sign), { "-0.5f" }, NULL, "-1f" },
        { B(sign), { "-0.0f" }, NULL, "0f" },
        { B(sign), { "vec2<float>(3, -3)" }, NULL, "vec2<float>(1, -1)" },
        { B(min), { "1i", "2i" }, NULL, "1i" }, { B(max), { "1i", "2i" }, NULL, "2i" },
        { B(min), { "-1i", "1i" }, NULL, "-1i" },
        { B(max), { "4294967295u", "1u" }, NULL, "4294967295u" },
        { B(min), { "1.5", "0.5" }, NULL, "0.5" },
        { B(max), { "vec2<f32>(1, 4)", "vec2<f32>(2, 3)" }, NULL, "vec2<f32>(2, 4)" },
        { B(clamp), { "5i", "1i", "3i" }, NULL, "3i" },
        { B(clamp), { "0i", "1i", "3i" }, NULL, "1i" },
        { B(clamp), { "2u", "1u", "3u" }, NULL, "2u" },
        { B(clamp), { "1f", "1f", "1f" }, NULL, "1f" },
        { B(clamp), { "1f", "2f", "1f" }, NULL, "!domain" },
        { B(clamp), { "1", "2", "1" }, NULL, "!domain" },
        { B(clamp), { "vec2<f32>(0, 9)", "vec2<f32>(1, 1)", "vec2<f32>(2, 2)" }, NULL,
          "vec2<f32>(1, 2)" },
        { B(clamp), { "vec2<i32>(0, 9)", "vec2<i32>(1, 3)", "vec2<i32>(2, 2)" }, NULL, "!domain" },
        { B(saturate), { "2f" }, NULL, "1f" }, { B(saturate), { "-2h" }, NULL, "0h" },
        { B(saturate), { "0.25" }, NULL, "0.25" },
        { B(select), { "1i", "2i", "true" }, NULL, "2i" },
        { B(select), { "1i", "2i", "false" }, NULL, "1i" },
        { B(select), { "vec2<f32>(1, 2)", "vec2<f32>(3, 4)", "true" }, NULL, "vec2<f32>(3, 4)" },
        { B(select), { "vec2<f32>(1, 2)", "vec2<f32>(3, 4)", "vec2<bool>(true, false)" }, NULL,
          "vec2<f32>(3, 2)" },
        { B(select), { "true", "false", "true" }, NULL, "false" },
        { B(all), { "vec3<bool>(true, true, true)" }, "bool", "true" },
        { B(all), { "vec3<bool>(true, false, true)" }, "bool", "false" },
        { B(all), { "true" }, "bool", "true" },
        { B(any), { "vec3<bool>(false, true, false)" }, "bool", "true" },
        { B(any), { "vec2<bool>()" }, "bool", "false" }, { B(any), { "false" }, "bool", "false" },
        { B(step), { "1f", "1f" }, NULL, "1f" }, { B(step), { "1f", "0.5f" }, NULL, "0f" },
    };
    RUN(cases);
}

static void test_rounding_functions(void **state)
{
    (void)state;
    static const Case cases[] = {
        { B(floor), { "-1.5f" }, NULL, "-2f" }, { B(ceil), { "-1.5f" }, NULL, "-1f" },
        { B(ceil), { "-0.5f" }, NULL, "-0.0f" }, { B(trunc), { "-1.5h" }, NULL, "-1h" },
        { B(round), { "2.5f" }, NULL, "2f" }, { B(round), { "3.5f" }, NULL, "4f" },
        { B(round), { "-2.5" }, NULL, "-2.0" }, { B(round), { "8388609.0f" }, NULL, "8388609f" },
        { B(fract), { "1.25f" }, NULL, "0.25f" }, { B(fract), { "-1.25f" }, NULL, "0.75f" },
        { B(fract), { "-1e-30f" }, NULL, "1f" }, { B(fract), { "-0.0001h" }, NULL, "1h" },
        { B(fract), { "3.4028234663852886e38f" }, NULL, "0f" },
        { B(modf), { "1.25f" }, "modf<f32>", "modf<f32>(0.25, 1)" },
        { B(modf), { "-1.25" }, "modf<float>", "modf<float>(-0.25, -1)" },
        { B(modf), { "vec2<f16>(1.5, -2)" }, "modf<vec2<f16>>",
          "modf<vec2<f16>>(vec2<f16>(0.5, 0.0), vec2<f16>(1, -2))" },
        { B(frexp), { "6f" }, "frexp<f32>", "frexp<f32>(0.75, 3)" },
        { B(frexp), { "0f" }, "frexp<f32>", "frexp<f32>(0, 0)" },
        { B(frexp), { "-0.375" }, "frexp<float>", "frexp<float>(-0.75, -1)" },
        { B(frexp), { "0x1p-24h" }, "frexp<f16>", "frexp<f16>(0.5, -23)" },
        { B(frexp), { "0x1p-149f" }, "frexp<f32>", "frexp<f32>(0.5, -148)" },
        { B(frexp), { "vec2<f32>(1, 8)" }, "frexp<vec2<f32>>",
          "frexp<vec2<f32>>(vec2<f32>(0.5, 0.5), vec2<i32>(1, 4))" },
        { B(ldexp), { "0.75f", "3i" }, NULL, "6f" },
        { B(ldexp), { "0.5f", "128i" }, NULL, "0x1p127f" },
        { B(ldexp), { "1f", "128i" }, NULL, "!overflow" },
        { B(ldexp), { "0f", "129i" }, NULL, "!domain" },
        { B(ldexp), { "1f", "-149i" }, NULL, "0x1p-149f" },
        { B(ldexp), { "1f", "-150i" }, NULL, "0f" },
        { B(ldexp), { "1f", "i32(-2147483648)" }, NULL, "0f" },
        { B(ldexp), { "0x1p-149f", "128i" }, NULL, "0x1p-21f" },
        { B(ldexp), { "1h", "16i" }, NULL, "!overflow" },
        { B(ldexp), { "1h", "17i" }, NULL, "!domain" },
        { B(ldexp), { "0.5", "1024" }, NULL, "0x1p1023" },
        { B(ldexp), { "0.5", "1025" }, NULL, "!domain" },
        { B(ldexp), { "1.0", "int(-9223372036854775808)" }, NULL, "0.0" },
        { B(ldexp), { "vec2<f32>(1, 2)", "vec2<i32>(1, 129)" }, NULL, "!domain" },
        { B(quantizeToF16), { "0.1f" }, NULL, "0.0999755859f" },
        { B(quantizeToF16), { "65504f" }, NULL, "65504f" },
        { B(quantizeToF16), { "65505f" }, NULL, "!conversion_range" },
        { B(quantizeToF16), { "vec2<f32>(1, -70000)" }, NULL, "!conversion_range" },
        { B(quantizeToF16), { "0x1p-25f" }, NULL, "0f" },
        { B(quantizeToF16), { "0x1.8p-25f" }, NULL, "0x1p-24f" },
    };
    RUN(cases);
}

static void test_domains(void **state)
{
    (void)state;
    static const Case cases[] = {
        { B(acos), { "1f" }, NULL, "0f" }, { B(acos), { "1.5f" }, NULL, "!domain" },
        { B(acos), { "-1.0001" }, NULL, "!domain" }, { B(asin), { "0h" }, NULL, "0h" },
        { B(asin), { "2h" }, NULL, "!domain" }, { B(acosh), { "1f" }, NULL, "0f" },
        { B(acosh), { "0.999f" }, NULL, "!domain" }, { B(atanh), { "1f" }, NULL, "!domain" },
        { B(atanh), { "-1.0" }, NULL, "!domain" }, { B(atanh), { "0f" }, NULL, "0f" },
        { B(log), { "0f" }, NULL, "!domain" }, { B(log), { "-1f" }, NULL, "!domain" },
        { B(log), { "1h" }, NULL, "0h" }, { B(log2), { "0.0" }, NULL, "!domain" },
        { B(log2), { "8f" }, NULL, "3f" }, { B(log2), { "32.0" }, NULL, "5.0" },
        { B(sqrt), { "-1f" }, NULL, "!domain" }, { B(sqrt), { "-0.0f" }, NULL, "-0.0f" },
        { B(sqrt), { "4h" }, NULL, "2h" }, { B(inverseSqrt), { "4f" }, NULL, "0.5f" },
        { B(inverseSqrt), { "0f" }, NULL, "!domain" },
        { B(inverseSqrt), { "-4f" }, NULL, "!domain" },
        { B(pow), { "2f", "10f" }, NULL, "1024f" }, { B(pow), { "-2f", "2f" }, NULL, "!domain" },
        { B(pow), { "0f", "0f" }, NULL, "!domain" }, { B(pow), { "0f", "-1f" }, NULL, "!domain" },
        { B(pow), { "0f", "2f" }, NULL, "0f" }, { B(pow), { "1e20f", "2f" }, NULL, "!overflow" },
        { B(pow), { "vec2<float>(2, -1)", "vec2<float>(2, 2)" }, NULL, "!domain" },
        { B(exp), { "0f" }, NULL, "1f" }, { B(exp), { "89f" }, NULL, "!overflow" },
        { B(exp), { "12h" }, NULL, "!overflow" }, { B(exp), { "710.0" }, NULL, "!overflow" },
        { B(exp), { "-200f" }, NULL, "0f" }, { B(exp2), { "127f" }, NULL, "0x1p127f" },
        { B(exp2), { "128f" }, NULL, "!overflow" }, { B(exp2), { "-149f" }, NULL, "0x1p-149f" },
        { B(sinh), { "100f" }, NULL, "!overflow" }, { B(cosh), { "-100f" }, NULL, "!overflow" },
        { B(cosh), { "0f" }, NULL, "1f" }, { B(tanh), { "100f" }, NULL, "1f" },
        { B(degrees), { "3e37f" }, NULL, "!overflow" },
        { B(degrees), { "2000h" }, NULL, "!overflow" },
        { B(radians), { "180f" }, NULL, "3.14159274f" }, { B(degrees), { "0.0" }, NULL, "0.0" },
        { B(atan2), { "0f", "0f" }, NULL, "0f" }, { B(atan2), { "1f", "0f" }, NULL, "1.57079637f" },
        { B(atan2), { "0f", "-1f" }, NULL, "3.14159274f" }, { B(sin), { "0f" }, NULL, "0f" },
        { B(cos), { "3.4028234663852886e38f" }, NULL, "0.85302105f" },
        { B(smoothstep), { "0f", "1f", "0.5f" }, NULL, "0.5f" },
        { B(smoothstep), { "0f", "1f", "2f" }, NULL, "1f" },
        { B(smoothstep), { "1f", "0f", "0.25f" }, NULL, "0.84375f" },
        { B(smoothstep), { "1f", "1f", "2f" }, NULL, "!domain" },
        { B(smoothstep), { "-3e38f", "3e38f", "0f" }, NULL, "!overflow" },
        { B(smoothstep), { "vec2<f16>(0, 2)", "vec2<f16>(1, 2)", "vec2<f16>(0, 0)" }, NULL,
          "!domain" },
    };
    RUN(cases);
}

static void test_fma_and_mix(void **state)
{
    (void)state;
    static const Case cases[] = {
        { B(fma), { "2f", "3f", "4f" }, NULL, "10f" },
        /* Rounded once: x * x is 1 + 2^-11 + 2^-24, a tie that the last part decides. */
        { B(fma), { "0x1.001p0f", "0x1.001p0f", "0x1p-40f" }, NULL, "0x1.002002p0f" },
        { B(fma), { "0x1.001p0f", "0x1.001p0f", "0f" }, NULL, "0x1.002p0f" },
        { B(fma), { "0x1.04p0h", "0x1.08p0h", "0x1p-24h" }, NULL, "0x1.0c4p0h" },
        { B(fma), { "3e38f", "2f", "-3e38f" }, NULL, "3e38f" },
        { B(fma), { "3e38f", "2f", "0f" }, NULL, "!overflow" },
        { B(fma), { "256h", "256h", "-32h" }, NULL, "65504h" },
        { B(fma), { "256h", "256h", "0h" }, NULL, "!overflow" },
        { B(fma), { "1e200", "1e200", "1.0" }, NULL, "!overflow" },
        { B(mix), { "1f", "3f", "0.5f" }, NULL, "2f" },
        { B(mix), { "1.0", "3.0", "0.0" }, NULL, "1.0" },
        { B(mix), { "vec2<f32>(1, 2)", "vec2<f32>(3, 4)", "0.5f" }, NULL, "vec2<f32>(2, 3)" },
        { B(mix), { "vec2<f32>(1, 2)", "vec2<f32>(3, 4)", "vec2<f32>(0, 1)" }, NULL,
          "vec2<f32>(1, 4)" },
        { B(mix), { "3e38f", "3e38f", "3f" }, NULL, "!overflow" },
        { B(mix), { "60000h", "60000h", "-2h" }, NULL, "!overflow" },
    };
    RUN(cases);
}

static void test_bits(void **state)
{
    (void)state;
    static const Case cases[] = {
        { B(countLeadingZeros), { "0u" }, NULL, "32u" },
        { B(countLeadingZeros), { "1i" }, NULL, "31i" },
        { B(countLeadingZeros), { "-1i" }, NULL, "0i" },
        { B(countTrailingZeros), { "0i" }, NULL, "32i" },
        { B(countTrailingZeros), { "8u" }, NULL, "3u" },
        { B(countTrailingZeros), { "i32(-2147483648)" }, NULL, "31i" },
        { B(countOneBits), { "-1i" }, NULL, "32i" },
        { B(countOneBits), { "vec2<u32>(0, 5)" }, NULL, "vec2<u32>(0, 2)" },
        { B(firstLeadingBit), { "0u" }, NULL, "4294967295u" },
        { B(firstLeadingBit), { "1u" }, NULL, "0u" },
        { B(firstLeadingBit), { "4294967295u" }, NULL, "31u" },
        { B(firstLeadingBit), { "0i" }, NULL, "-1i" },
        { B(firstLeadingBit), { "-1i" }, NULL, "-1i" },
        { B(firstLeadingBit), { "-2i" }, NULL, "0i" },
        { B(firstLeadingBit), { "i32(-2147483648)" }, NULL, "30i" },
        { B(firstLeadingBit), { "5i" }, NULL, "2i" },
        { B(firstTrailingBit), { "0i" }, NULL, "-1i" },
        { B(firstTrailingBit), { "0u" }, NULL, "4294967295u" },
        { B(firstTrailingBit), { "12u" }, NULL, "2u" },
        { B(firstTrailingBit), { "i32(-2147483648)" }, NULL, "31i" },
        { B(reverseBits), { "1u" }, NULL, "2147483648u" },
        { B(reverseBits), { "1i" }, NULL, "i32(-2147483648)" },
        { B(reverseBits), { "0x12345678u" }, NULL, "0x1e6a2c48u" },
        { B(extractBits), { "0xf0u", "4u", "4u" }, NULL, "15u" },
        { B(extractBits), { "0xf0i", "4u", "4u" }, NULL, "-1i" },
        { B(extractBits), { "0x70i", "4u", "4u" }, NULL, "7i" },
        { B(extractBits), { "5i", "0u", "32u" }, NULL, "5i" },
        { B(extractBits), { "-5i", "0u", "32u" }, NULL, "-5i" },
        { B(extractBits), { "5i", "32u", "0u" }, NULL, "0i" },
        { B(extractBits), { "5i", "3u", "0u" }, NULL, "0i" },
        { B(extractBits), { "5u", "1u", "32u" }, NULL, "!domain" },
        { B(extractBits), { "5u", "4294967295u", "1u" }, NULL, "!domain" },
        { B(extractBits), { "vec2<i32>(15, 240)", "4u", "4u" }, NULL, "vec2<i32>(0, -1)" },
        { B(insertBits), { "0u", "0xffu", "8u", "4u" }, NULL, "0xf00u" },
        { B(insertBits), { "-1i", "0i", "0u", "31u" }, NULL, "i32(-2147483648)" },
        { B(insertBits), { "1i", "2i", "0u", "32u" }, NULL, "2i" },
        { B(insertBits), { "1i", "2i", "32u", "0u" }, NULL, "1i" },
        { B(insertBits), { "1i", "2i", "20u", "13u" }, NULL, "!domain" },
        { B(insertBits), { "vec2<u32>(1, 2)", "vec2<u32>(3, 3)", "4u", "2u" }, NULL,
          "vec2<u32>(49, 50)" },
    };
    RUN(cases);
}

static void test_products(void **state)
{
    (void)state;
    static const Case cases[] = {
        { B(dot), { "vec3<f32>(1, 2, 3)", "vec3<f32>(4, 5, 6)" }, "f32", "32f" },
        { B(dot), { "vec2<i32>(65536, 1)", "vec2<i32>(65536, 1)" }, "i32", "1i" },
        { B(dot), { "vec2<u32>(4294967295, 2)", "vec2<u32>(2, 1)" }, "u32", "0u" },
        { B(dot), { "vec2<int>(4611686018427387904, 1)", "vec2<int>(1, 1)" }, "int",
          "4611686018427387905" },
        { B(dot), { "vec2<int>(4611686018427387904, 1)", "vec2<int>(2, 1)" }, "int", "!overflow" },
        { B(dot), { "vec2<int>(9223372036854775807, 1)", "vec2<int>(1, 1)" }, "int", "!overflow" },
        { B(dot), { "vec2<f32>(1e30, 0)", "vec2<f32>(1e30, 0)" }, "f32", "!overflow" },
        { B(dot), { "vec2<f32>(3e38, -3e38)", "vec2<f32>(1, 1)" }, "f32", "0f" },
        { B(dot), { "vec2<f16>(60000, 60000)", "vec2<f16>(1, 1)" }, "f16", "!overflow" },
        { B(cross), { "vec3<f32>(1, 2, 3)", "vec3<f32>(4, 5, 6)" }, NULL, "vec3<f32>(-3, 6, -3)" },
        { B(cross), { "vec3<f32>(1e30, 1e30, 1e30)", "vec3<f32>(1e30, 1e30, 1e30)" }, NULL,
          "!overflow" },
        { B(length), { "vec2<f32>(3, 4)" }, "f32", "5f" },
        { B(length), { "-3e38f" }, "f32", "3e38f" },
        { B(length), { "vec2<f32>(1e30, 0)" }, "f32", "!overflow" },
        { B(length), { "vec4<float>(1, 1, 1, 1)" }, "float", "2.0" },
        { B(distance), { "vec2<f32>(1, 2)", "vec2<f32>(4, 6)" }, "f32", "5f" },
        { B(distance), { "1h", "-2h" }, "f16", "3h" },
        { B(distance), { "3e38f", "-3e38f" }, "f32", "!overflow" },
        { B(distance), { "vec2<f32>(1e30, 0)", "vec2<f32>()" }, "f32", "!overflow" },
        { B(normalize), { "vec2<f32>(3, 4)" }, NULL, "vec2<f32>(0.6, 0.8)" },
        { B(normalize), { "vec3<f32>()" }, NULL, "!domain" },
        { B(normalize), { "vec2<f32>(1e-30, 0)" }, NULL, "!domain" },
        { B(normalize), { "vec2<f32>(1e30, 0)" }, NULL, "!overflow" },
        { B(normalize), { "vec2<float>(1e-30, 0)" }, NULL, "vec2<float>(1, 0)" },
        { B(faceForward), { "vec2<f32>(1, 2)", "vec2<f32>(1, 0)", "vec2<f32>(-1, 0)" }, NULL,
          "vec2<f32>(1, 2)" },
        { B(faceForward), { "vec2<f32>(1, 2)", "vec2<f32>(1, 0)", "vec2<f32>(1, 0)" }, NULL,
          "vec2<f32>(-1, -2)" },
        { B(faceForward), { "vec2<f32>(1, 2)", "vec2<f32>(1, 0)", "vec2<f32>(0, 1)" }, NULL,
          "vec2<f32>(-1, -2)" },
        { B(faceForward), { "vec2<f32>(1, 2)", "vec2<f32>(1e30, 0)", "vec2<f32>(1e30, 0)" }, NULL,
          "!overflow" },
        { B(reflect), { "vec2<f32>(1, -1)", "vec2<f32>(0, 1)" }, NULL, "vec2<f32>(1, 1)" },
        { B(reflect), { "vec2<f16>(300, 300)", "vec2<f16>(300, 300)" }, NULL, "!overflow" },
        { B(refract), { "vec2<f32>(0, -1)", "vec2<f32>(0, 1)", "1f" }, NULL, "vec2<f32>(0, -1)" },
        { B(refract), { "vec2<f32>(1, 0)", "vec2<f32>(0, 1)", "2f" }, NULL, "vec2<f32>()" },
        { B(refract), { "vec2<float>(0, -1)", "vec2<float>(0, 1)", "0.5" }, NULL,
          "vec2<float>(0, -1)" },
        { B(refract), { "vec2<f32>(1, 0)", "vec2<f32>(0, 1)", "1e30f" }, NULL, "!overflow" },
        { B(determinant), { "mat2x2<f32>(1, 2, 3, 4)" }, "f32", "-2f" },
        { B(determinant), { "mat3x3<float>(2, 0, 1, 1, 3, 2, 1, 1, 1)" }, "float", "0.0" },
        { B(determinant), { "mat3x3<f16>(2, 0, 1, 1, 3, 2, 1, 1, 2)" }, "f16", "6h" },
        { B(determinant), { "mat4x4<f32>(1, 0, 2, -1, 3, 0, 0, 5, 2, 1, 4, -3, 1, 0, 5, 0)" },
          "f32", "30f" },
        { B(determinant), { "mat2x2<f32>(1e30, 0, 0, 1e30)" }, "f32", "!overflow" },
        { B(transpose), { "mat2x3<f32>(1, 2, 3, 4, 5, 6)" }, "mat3x2<f32>",
          "mat3x2<f32>(1, 4, 2, 5, 3, 6)" },
        { B(transpose), { "mat4x2<float>(1, 2, 3, 4, 5, 6, 7, 8)" }, "mat2x4<float>",
          "mat2x4<float>(1, 3, 5, 7, 2, 4, 6, 8)" },
    };
    RUN(cases);
}

static void test_packing(void **state)
{
    (void)state;
    static const Case cases[] = {
        { B(pack4x8snorm), { "vec4<f32>(1, -1, 0, 2)" }, "u32", "0x7f00817fu" },
        { B(pack4x8snorm), { "vec4<f32>(0.5, -0.5, 0.25, -9)" }, "u32", "0x8120c140u" },
        { B(pack4x8unorm), { "vec4<f32>(1, 0, 0.5, -1)" }, "u32", "0x008000ffu" },
        { B(pack2x16snorm), { "vec2<f32>(1, -1)" }, "u32", "0x80017fffu" },
        { B(pack2x16unorm), { "vec2<f32>(0.5, 7)" }, "u32", "0xffff8000u" },
        { B(pack2x16float), { "vec2<f32>(1, -2)" }, "u32", "0xc0003c00u" },
        { B(pack2x16float), { "vec2<f32>(65504, 5.9604645e-8)" }, "u32", "0x00017bffu" },
        { B(pack2x16float), { "vec2<f32>(65505, 0)" }, "u32", "!conversion_range" },
        { B(pack2x16float), { "vec2<f32>(0, -65505)" }, "u32", "!conversion_range" },
        { B(pack4xI8), { "vec4<i32>(1, -1, 128, 255)" }, "u32", "0xff80ff01u" },
        { B(pack4xU8), { "vec4<u32>(1, 255, 256, 511)" }, "u32", "0xff00ff01u" },
        { B(pack4xI8Clamp), { "vec4<i32>(1, -1, 128, -129)" }, "u32", "0x807fff01u" },
        { B(pack4xU8Clamp), { "vec4<u32>(1, 255, 256, 511)" }, "u32", "0xffffff01u" },
        { B(unpack4x8snorm), { "0x7f008180u" }, "vec4<f32>", "vec4<f32>(-1, -1, 0, 1)" },
        { B(unpack4x8unorm), { "0xff000033u" }, "vec4<f32>", "vec4<f32>(0.2, 0, 0, 1)" },
        { B(unpack2x16snorm), { "0x80007fffu" }, "vec2<f32>", "vec2<f32>(1, -1)" },
        { B(unpack2x16unorm), { "0xffff0000u" }, "vec2<f32>", "vec2<f32>(0, 1)" },
        { B(unpack2x16float), { "0xc0003c00u" }, "vec2<f32>", "vec2<f32>(1, -2)" },
        { B(unpack2x16float), { "0x80000001u" }, "vec2<f32>", "vec2<f32>(0x1p-24, -0.0)" },
        { B(unpack2x16float), { "0x00007c00u" }, "vec2<f32>", "!not_finite" },
        { B(unpack2x16float), { "0xfc010000u" }, "vec2<f32>", "!not_finite" },
        { B(unpack4xI8), { "0xff807f01u" }, "vec4<i32>", "vec4<i32>(1, 127, -128, -1)" },
        { B(unpack4xU8), { "0xff807f01u" }, "vec4<u32>", "vec4<u32>(1, 127, 128, 255)" },
        { B(dot4U8Packed), { "0xffffffffu", "0xffffffffu" }, "u32", "260100u" },
        { B(dot4I8Packed), { "0x80808080u", "0x80808080u" }, "i32", "65536i" },
        { B(dot4I8Packed), { "0x80808080u", "0x7f7f7f7fu" }, "i32", "-65024i" },
        { B(dot4I8Packed), { "0x04030201u", "0x010101ffu" }, "i32", "8i" },
    };
    RUN(cases);
}

static void test_bitcasts(void **state)
{
    (void)state;
    static const Case cases[] = {
        { B(bitcast), { "1f" }, "u32", "0x3f800000u" },
        { B(bitcast), { "-0.0f" }, "i32", "i32(-2147483648)" },
        { B(bitcast), { "0x3f800000u" }, "f32", "1f" },
        { B(bitcast), { "-1i" }, "u32", "4294967295u" },
        { B(bitcast), { "1u" }, "f32", "0x1p-149f" },
        { B(bitcast), { "0x7f800000u" }, "f32", "!not_finite" },
        { B(bitcast), { "-1i" }, "f32", "!not_finite" },
        { B(bitcast), { "0x7f7fffffi" }, "f32", "3.4028234663852886e38f" },
        { B(bitcast), { "vec2<f32>(1, 2)" }, "vec2<u32>", "vec2<u32>(1065353216, 1073741824)" },
        { B(bitcast), { "vec2<u32>(0, 2139095040)" }, "vec2<f32>", "!not_finite" },
        { B(bitcast), { "vec2<f16>(1, -2)" }, "u32", "0xc0003c00u" },
        { B(bitcast), { "0xc0003c00u" }, "vec2<f16>", "vec2<f16>(1, -2)" },
        { B(bitcast), { "vec4<f16>(1, 2, 3, 4)" }, "vec2<u32>",
          "vec2<u32>(0x40003c00, 0x44004200)" },
        { B(bitcast), { "vec2<i32>(0x40003c00, 0x44004200)" }, "vec4<f16>",
          "vec4<f16>(1, 2, 3, 4)" },
        { B(bitcast), { "0x7c000000u" }, "vec2<f16>", "!not_finite" },
        { B(bitcast), { "vec2<f16>(0, 0x1p-24)" }, "f32", "0x1p-133f" },
        { B(bitcast), { "vec2<f16>(0, 65504)" }, "f32", "0x1.fep120f" },
        { B(bitcast), { "1.5f" }, "f32", "1.5f" },
        { B(bitcast), { "4294967295" }, "u32", "4294967295u" },
        { B(bitcast), { "4294967296" }, "u32", "!conversion_range" },
        { B(bitcast), { "1" }, "f32", "0x1p-149f" },
        { B(bitcast), { "1.0" }, "u32", "0x3f800000u" },
        { B(bitcast), { "vec2<int>(1, -1)" }, "vec2<i32>", "vec2<i32>(1, -1)" },
    };
    RUN(cases);
}

static void test_arguments_that_are_known_alone(void **state)
{
    (void)state;
    /* "?": not known */
    static const Case cases[] = {
        { B(clamp), { "?", "1i", "2i" }, "i32", NULL },
        { B(clamp), { "?", "2i", "1i" }, "i32", "domain" },
        { B(clamp), { "?", "2i", "?" }, "i32", NULL },
        { B(clamp), { "1i", "?", "0i" }, "i32", NULL },
        { B(clamp), { "?", "vec2<f32>(0, 2)", "vec2<f32>(1, 1)" }, "vec2<f32>", "domain" },
        { B(smoothstep), { "1f", "1f", "?" }, "f32", "domain" },
        { B(smoothstep), { "1f", "?", "1f" }, "f32", NULL },
        { B(smoothstep), { "vec2<f16>(1, 2)", "vec2<f16>(2, 2)", "?" }, "vec2<f16>", "domain" },
        { B(extractBits), { "?", "16u", "17u" }, "i32", "domain" },
        { B(extractBits), { "?", "16u", "16u" }, "u32", NULL },
        { B(extractBits), { "?", "33u", "?" }, "u32", NULL },
        { B(insertBits), { "?", "?", "16u", "17u" }, "vec3<u32>", "domain" },
        { B(insertBits), { "?", "1u", "16u", "?" }, "u32", NULL },
        { B(ldexp), { "?", "128i" }, "f32", NULL }, { B(ldexp), { "?", "129i" }, "f32", "domain" },
        { B(ldexp), { "?", "17i" }, "f16", "domain" }, { B(ldexp), { "?", "?" }, "f16", NULL },
        { B(ldexp), { "?", "vec2<i32>(0, 129)" }, "vec2<f32>", "domain" },
        { B(sqrt), { "?" }, "f32", NULL },
        { B(atan2), { "?", "0f" }, "f32", NULL },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const Value *args[4] = {0};
        uint32_t nargs = 0;
        for (; nargs < 4 && cases[i].args[nargs]; nargs++)
            if (strcmp(cases[i].args[nargs], "?") != 0)
                args[nargs] = bench_value(&bench, cases[i].args[nargs]);
        bool ok = fold_check_builtin(&bench.fold, span, cases[i].id,
                                     bench_type(&bench, cases[i].result), args, nargs);
        if (ok != (cases[i].want == NULL) || bench.diag.list.len != !ok)
            fail_msg("case %zu of '%s'", i, builtin_name(cases[i].id));
        if (!ok)
            assert_string_equal(diag_id_name(bench.diag.list.data[0].id), cases[i].want);
        bench.diag.list.len = 0;
    }
}

static void test_messages_say_what_is_needed(void **state)
{
    (void)state;
    static const struct { Case call; const char *message; } cases[] = {
        { { B(sqrt), { "-1f" }, NULL, NULL },
          "sqrt(-1.0) is not defined: the argument must be at least 0.0" },
        { { B(clamp), { "1f", "2f", "1f" }, NULL, NULL },
          "clamp to an empty range: low is 2.0, high is 1.0" },
        { { B(ldexp), { "1f", "129i" }, NULL, NULL },
          "ldexp with the exponent 129: for 'f32' it must be at most 128" },
        { { B(extractBits), { "1u", "30u", "3u" }, NULL, NULL },
          "extractBits of 3 bits from bit 30 reaches past bit 31" },
        { { B(length), { "vec2<f32>(1e30, 2)" }, "f32", NULL },
          "length(vec2<f32>(1e+30, 2.0)) does not fit in 'f32'" },
        { { B(quantizeToF16), { "65505f" }, NULL, NULL }, "65505.0 does not fit in 'f16'" },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const Value *args[4];
        uint32_t nargs = read_args(&cases[i].call, args);
        const Type *result = cases[i].call.result ? bench_type(&bench, cases[i].call.result)
                                                  : args[0]->type;
        assert_null(fold_builtin(&bench.fold, span, cases[i].call.id, result, args, nargs));
        assert_string_equal(bench.diag.list.data[0].message, cases[i].message);
        bench.diag.list.len = 0;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_every_function_that_may_be_constant_is_evaluated),
        TEST(test_signs_and_order),
        TEST(test_rounding_functions),
        TEST(test_domains),
        TEST(test_fma_and_mix),
        TEST(test_bits),
        TEST(test_products),
        TEST(test_packing),
        TEST(test_bitcasts),
        TEST(test_arguments_that_are_known_alone),
        TEST(test_messages_say_what_is_needed),
    };
    return cmocka_run_group_tests_name("fold_builtin", tests, NULL, NULL);
}
