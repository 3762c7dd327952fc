/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bits_test.c - bits of integers that are known to be zero.
 */
#include "support/test.h"

#include "analysis/analysis.h"
#include "support/irtext.h"

/* %9 is any word, %10 below 16, %11 a vector of two words. */
#define HEAD                                                                       \
    "kernel \"k\" size 16 1 1\n"                                                   \
    "type t0 = value i32 stride 4\n"                                               \
    "type t1 = array t0 count 0 stride 4\n"                                        \
    "var v0 storage \"out\" t1 group 0 binding 0\n"                                \
    "{\n"                                                                          \
    "  %0 = var v0\n"                                                              \
    "  %1 = const i32 0x0\n"                                                       \
    "  %2 = const i32 0x4\n"                                                       \
    "  %3 = const i32 0xf0f0f0f\n"                                                 \
    "  %4 = elem %0 %1\n"                                                          \
    "  %9 = load i32 %4\n"                                                         \
    "  %10 = input i32 #3\n"                                                       \
    "  %11 = vec i32x2 %9 %3\n"                                                    \
    "  %12 = ult bool %9 %2\n"
#define TAIL "  %99 = return\n}\n"

static void test_zero_bits(void **state)
{
    static const struct {
        const char *what, *value;
        uint32_t    zero;
    } cases[] = {
        {"a mask", "%20 = and i32 %9 %3", 0xf0f0f0f0},
        {"anything", "%20 = iadd i32 %9 %3", 0},
        {"a shift to the right", "%20 = shr i32 %9 %2", 0xf0000000},
        {"one that keeps the sign", "%20 = sar i32 %9 %2", 0},
        {"a shift to the left", "%20 = shl i32 %9 %2", 0xf},
        {"a shift to the right by any number", "%20 = shr i32 %3 %9", 0xf0000000},
        {"a shift to the left by any number", "%20 = shl i32 %3 %9", 0},
        {"a number with a range", "%20 = or i32 %10 %10", 0xfffffff0},
        {"either of two", "%20 = select i32 %12 %3 %10", 0xf0f0f0f0},
        {"a component", "%20 = extract i32 %11 #1", 0xf0f0f0f0},
        {"another component", "%20 = extract i32 %11 #0", 0},
        {"bits of both", "%20 = xor i32 %3 %9", 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Arena arena;
        arena_init(&arena, 0);
        const char *text = arena_printf(&arena, "%s  %s\n%s", HEAD, cases[i].value, TAIL);
        Ir *ir = irtext_read(&arena, text);
        Facts *facts = analysis_run(&arena, ir, 16, 16);
        uint32_t zero = analysis_zero_bits(facts, irtext_inst(ir, 20));
        if (zero != cases[i].zero)
            fail_msg("%s: 0x%x", cases[i].what, zero);
        arena_fini(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_zero_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
