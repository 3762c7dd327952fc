// SPDX-License-Identifier: Apache-2.0
/*
 * literal_test.c - every form of number: its kind and value, or what is wrong.
 */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "syntax/lex_priv.h"

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        LiteralKind kind;
        uint64_t    value;
    } rows[] = {
        {"0", LITERAL_ABSTRACT_INT, 0},
        {"0i", LITERAL_I32, 0},
        {"0u", LITERAL_U32, 0},
        {"1", LITERAL_ABSTRACT_INT, 1},
        {"123", LITERAL_ABSTRACT_INT, 123},
        {"94i", LITERAL_I32, 94},
        {"42u", LITERAL_U32, 42},
        {"2147483647i", LITERAL_I32, 2147483647},
        {"4294967295u", LITERAL_U32, 4294967295},
        {"9223372036854775807", LITERAL_ABSTRACT_INT, INT64_MAX},
        {"0x0", LITERAL_ABSTRACT_INT, 0},
        {"0x123", LITERAL_ABSTRACT_INT, 0x123},
        {"0X123u", LITERAL_U32, 0x123},
        {"0x3f", LITERAL_ABSTRACT_INT, 0x3f},
        {"0xABCDEF", LITERAL_ABSTRACT_INT, 0xabcdef},
        {"0xabcdefi", LITERAL_I32, 0xabcdef},
        {"0x7fffffffi", LITERAL_I32, 0x7fffffff},
        {"0xffffffffu", LITERAL_U32, 0xffffffff},
        {"0x7fffffffffffffff", LITERAL_ABSTRACT_INT, INT64_MAX},
        {"0x00000000000000000000000001", LITERAL_ABSTRACT_INT, 1},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        Number n;
        DiagId id;
        const char *fault = literal_read(str_of(rows[i].text), &n, &id);
        if (fault || n.kind != rows[i].kind || n.integer != rows[i].value)
            fail_msg("%s: %s", rows[i].text, fault ? fault : "wrong value or kind");
    }
}

static void test_floats(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        LiteralKind kind;
        double      value;
    } rows[] = {
        {"0f", LITERAL_F32, 0},
        {"0h", LITERAL_F16, 0},
        {"1f", LITERAL_F32, 1},
        {"42h", LITERAL_F16, 42},
        {"0.0", LITERAL_ABSTRACT_FLOAT, 0},
        {".0", LITERAL_ABSTRACT_FLOAT, 0},
        {"0.", LITERAL_ABSTRACT_FLOAT, 0},
        {"12.", LITERAL_ABSTRACT_FLOAT, 12},
        {"00012.", LITERAL_ABSTRACT_FLOAT, 12},
        {"01.", LITERAL_ABSTRACT_FLOAT, 1},
        {"012e0", LITERAL_ABSTRACT_FLOAT, 12},
        {".12", LITERAL_ABSTRACT_FLOAT, .12},
        {"12.34", LITERAL_ABSTRACT_FLOAT, 12.34},
        {"12.223f", LITERAL_F32, (double)12.223f},
        {"12.f", LITERAL_F32, 12},
        {".12f", LITERAL_F32, (double).12f},
        {"0.e+4f", LITERAL_F32, 0},
        {"2.4e+4f", LITERAL_F32, 24000},
        {"2.4E-2f", LITERAL_F32, (double)2.4e-2f},
        {"1e5", LITERAL_ABSTRACT_FLOAT, 1e5},
        {"1e-3", LITERAL_ABSTRACT_FLOAT, 1e-3},
        {"1e-4f", LITERAL_F32, (double)1e-4f},
        {"0e0", LITERAL_ABSTRACT_FLOAT, 0},
        {"0.1", LITERAL_ABSTRACT_FLOAT, 0.1},
        {"0.1f", LITERAL_F32, (double)0.1f},
        {".1h", LITERAL_F16, 0.0999755859375},
        {"1.1e2h", LITERAL_F16, 110},
        {"65504h", LITERAL_F16, 65504},
        {"65519.9h", LITERAL_F16, 65504},
        {"5.9604645e-8h", LITERAL_F16, 0x1p-24},
        {"1e-30h", LITERAL_F16, 0},
        {"3.40282347e+38f", LITERAL_F32, (double)FLT_MAX},
        {"1.401298464e-45f", LITERAL_F32, 0x1p-149},
        {"1e-60f", LITERAL_F32, 0},
        {"1.7976931348623157e308", LITERAL_ABSTRACT_FLOAT, DBL_MAX},
        {"4.9406564584124654e-324", LITERAL_ABSTRACT_FLOAT, 0x1p-1074},
        {"1e-400", LITERAL_ABSTRACT_FLOAT, 0},
        {"0e999999999999999999999", LITERAL_ABSTRACT_FLOAT, 0},
        {"1e-999999999999999999999", LITERAL_ABSTRACT_FLOAT, 0},
        /* Halfway between two doubles, and one digit past it. */
        {"9007199254740993.0", LITERAL_ABSTRACT_FLOAT, 9007199254740992},
        {"9007199254740993.00000000000000000000000000001", LITERAL_ABSTRACT_FLOAT,
         9007199254740994},
        /* Rounded once: by way of a double it would be 1. */
        {"1.000000059604644775390626f", LITERAL_F32, 0x1.000002p0},
        /* The same with hexadecimal digits. */
        {"0xa.fp+2", LITERAL_ABSTRACT_FLOAT, 43.75},
        {"0x1P+4f", LITERAL_F32, 16},
        {"0X.3", LITERAL_ABSTRACT_FLOAT, 0.1875},
        {"0x3.", LITERAL_ABSTRACT_FLOAT, 3},
        {"0x3p+2h", LITERAL_F16, 12},
        {"0X1.fp-4", LITERAL_ABSTRACT_FLOAT, 0.12109375},
        {"0x3.2p+2h", LITERAL_F16, 12.5},
        {"0xEp-2h", LITERAL_F16, 3.5},
        {"0x1p0", LITERAL_ABSTRACT_FLOAT, 1},
        {"0x1.8f", LITERAL_ABSTRACT_FLOAT, 0x1.8fp0},
        {"0x0p0f", LITERAL_F32, 0},
        {"0x0p9999999999999999999f", LITERAL_F32, 0},
        {"0x1.fffffep127f", LITERAL_F32, (double)FLT_MAX},
        {"0x1p-149f", LITERAL_F32, 0x1p-149},
        {"0x0.000002p-126f", LITERAL_F32, 0x1p-149},
        {"0x1.ffcp15h", LITERAL_F16, 65504},
        {"0x1p-24h", LITERAL_F16, 0x1p-24},
        {"0x1.fffffffffffffp1023", LITERAL_ABSTRACT_FLOAT, DBL_MAX},
        {"0x1p-1074", LITERAL_ABSTRACT_FLOAT, 0x1p-1074},
        {"0x1p-1075", LITERAL_ABSTRACT_FLOAT, 0},
        {"0x1.8p-1075", LITERAL_ABSTRACT_FLOAT, 0x1p-1074},
        /* Without a suffix it is rounded, to even where it lies halfway. */
        {"0x1.00000000000008p0", LITERAL_ABSTRACT_FLOAT, 1},
        {"0x1.00000000000018p0", LITERAL_ABSTRACT_FLOAT, 0x1.0000000000002p0},
        {"0x1.000000000000080000000001p0", LITERAL_ABSTRACT_FLOAT, 0x1.0000000000001p0},
        {"0x1000000000000000000000000p-96", LITERAL_ABSTRACT_FLOAT, 1},
        {"0x0.000000000000000000000001p96", LITERAL_ABSTRACT_FLOAT, 1},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        Number n;
        DiagId id;
        const char *fault = literal_read(str_of(rows[i].text), &n, &id);
        if (fault || n.kind != rows[i].kind || n.real != rows[i].value)
            fail_msg("%s: %s, %a", rows[i].text, fault ? fault : "wrong value or kind",
                     n.real);
    }
}

static void test_wrong_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        DiagId      id;
        const char *why;
    } rows[] = {
        {"0123", DIAG_invalid_literal, "octal"},
        {"00", DIAG_invalid_literal, "octal"},
        {"01u", DIAG_invalid_literal, "octal"},
        {"00f", DIAG_invalid_literal, "octal"},
        {"0x", DIAG_invalid_literal, "no digits"},
        {"0xu", DIAG_invalid_literal, "no digits"},
        {"0x.", DIAG_invalid_literal, "no digits"},
        {"0x.p2", DIAG_invalid_literal, "no digits"},
        {"0x1p", DIAG_invalid_literal, "exponent"},
        {"0x1pf0", DIAG_invalid_literal, "exponent"},
        {"1e", DIAG_invalid_literal, "exponent"},
        {"1.e", DIAG_invalid_literal, "exponent"},
        {"1.ef", DIAG_invalid_literal, "exponent"},
        {"1e5e5", DIAG_invalid_literal, ""},
        {"1.0u", DIAG_invalid_literal, "integer"},
        {"1e2i", DIAG_invalid_literal, "integer"},
        {"0x1.8u", DIAG_invalid_literal, "integer"},
        {"0x1p2u", DIAG_invalid_literal, "integer"},
        {"0x3h", DIAG_invalid_literal, "exponent before the suffix"},
        {"0xf.h", DIAG_invalid_literal, "exponent before the suffix"},
        {"1u32", DIAG_invalid_literal, "suffix"},
        {"1l", DIAG_invalid_literal, "suffix"},
        {"1F", DIAG_invalid_literal, "suffix"},
        {"1U", DIAG_invalid_literal, "suffix"},
        {"1uu", DIAG_invalid_literal, "suffix"},
        {"1_000", DIAG_invalid_literal, "suffix"},
        {"0b1", DIAG_invalid_literal, "suffix"},
        {"0xg", DIAG_invalid_literal, "no digits"},
        {"1.0fh", DIAG_invalid_literal, "suffix"},
        {"2147483648i", DIAG_literal_range, "largest i32"},
        {"0x80000000i", DIAG_literal_range, "largest i32"},
        {"4294967296u", DIAG_literal_range, "largest u32"},
        {"0x100000000u", DIAG_literal_range, "largest u32"},
        {"99999999999999999999u", DIAG_literal_range, "largest u32"},
        {"9223372036854775808", DIAG_literal_range, "largest integer"},
        {"18446744073709551616", DIAG_literal_range, "largest integer"},
        {"0x8000000000000000", DIAG_literal_range, "largest integer"},
        {"1e39f", DIAG_literal_range, "largest f32"},
        {"3.4028236e38f", DIAG_literal_range, "largest f32"},
        {"1.0e+999999999999f", DIAG_literal_range, "largest f32"},
        {"65520h", DIAG_literal_range, "largest f16"},
        {"1.0e+999999h", DIAG_literal_range, "largest f16"},
        {"1e309", DIAG_literal_range, "largest float"},
        {"1.8e308", DIAG_literal_range, "largest float"},
        {"1e99999999999999999999999", DIAG_literal_range, "largest float"},
        {"0x1p128f", DIAG_literal_range, "largest f32"},
        {"0x1.0p+999999999999f", DIAG_literal_range, "largest f32"},
        {"0x1p16h", DIAG_literal_range, "largest f16"},
        {"0x1.0p+999999h", DIAG_literal_range, "largest f16"},
        {"0x1p1024", DIAG_literal_range, "largest float"},
        {"0x1.fffffffffffff8p1023", DIAG_literal_range, "largest float"},
        {"0x1.00000001p0f", DIAG_literal_range, "exactly as an f32"},
        {"0x1.ffffffp0f", DIAG_literal_range, "exactly as an f32"},
        {"0x1p-150f", DIAG_literal_range, "exactly as an f32"},
        {"0x1.8p-149f", DIAG_literal_range, "exactly as an f32"},
        {"0x1p-999999999999f", DIAG_literal_range, "exactly as an f32"},
        {"0x1.000000000000000000000000001p0f", DIAG_literal_range, "exactly as an f32"},
        {"0x1.002p0h", DIAG_literal_range, "exactly as an f16"},
        {"0x1p-25h", DIAG_literal_range, "exactly as an f16"},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        Number n;
        DiagId id;
        const char *fault = literal_read(str_of(rows[i].text), &n, &id);
        if (!fault || id != rows[i].id || !strstr(fault, rows[i].why))
            fail_msg("%s: %s", rows[i].text, fault ? fault : "accepted");
    }
}

/* A number of `len` bytes: `head`, then `fill` over and over, then `tail`. */
static Str long_number(const char *head, char fill, const char *tail, size_t len)
{
    char *text = malloc(len);
    assert_non_null(text);
    memset(text, fill, len);
    memcpy(text, head, strlen(head));
    memcpy(text + len - strlen(tail), tail, strlen(tail));
    return (Str){text, (uint32_t)len};
}

static void test_numbers_of_megabytes(void **state)
{
    (void)state;
    static const struct {
        const char *head, *tail;
        char        fill;
        bool        fine;
        double      value;
    } rows[] = {
        {"0.", "1e4000005", '0', true, 0},      /* 4,000,012 digits and the exponent */
        {"1.", "1", '0', true, 1},
        {"1", ".0e-10", '0', false, 0},
        {"0x1.", "p0", '0', true, 1},
        {"0x", "1p0", '0', true, 1},
        {"1e", "1", '0', true, 10},
        {"0x1p", "1", '0', true, 2},
        {"1", "", '1', false, 0},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        Number n;
        DiagId id;
        Str text = long_number(rows[i].head, rows[i].fill, rows[i].tail, 4000012);
        const char *fault = literal_read(text, &n, &id);
        free((void *)(uintptr_t)text.data);
        assert_int_equal(fault == NULL, rows[i].fine);
        if (i == 0)
            assert_true(n.real > 0 && n.real < 1e10);
        else if (!fault)
            assert_true(n.real == rows[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_wrong_numbers),
        cmocka_unit_test(test_numbers_of_megabytes),
    };
    return cmocka_run_group_tests_name("literal", tests, NULL, NULL);
}
