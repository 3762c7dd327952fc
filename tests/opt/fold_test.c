/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold_test.c - which constant powers become roots and products.
 */
#include "support/test.h"

#include "opt/opt.h"
#include "support/irtext.h"

/* %4 is any f32, stored as bits after %20 was made from it. */
#define HEAD                                                                       \
    IRTEXT_HEAD "{\n"                                                              \
    "  %1 = var v0\n"                                                              \
    "  %2 = const i32 0x0\n"                                                       \
    "  %3 = elem %1 %2\n"                                                          \
    "  %4 = load i32 %3\n"                                                         \
    "  %5 = bitcast f32 %4\n"
#define TAIL                                                                       \
    "  %20 = pow f32 %5 %6\n"                                                      \
    "  %21 = bitcast i32 %20\n"                                                    \
    "  %22 = store %3 %21\n"                                                       \
    "  %99 = return\n}\n"

static void test_powers(void **state)
{
    static const struct {
        const char *what, *power;       /* how %6 is made                           */
        uint32_t    roots, inverse_roots, products, quotients, powers;
    } cases[] = {
        {"1/2", "const f32 0x3f000000", 1, 0, 0, 0, 0},
        {"3/2", "const f32 0x3fc00000", 1, 0, 1, 0, 0},
        {"-1/2", "const f32 0xbf000000", 0, 1, 0, 0, 0},
        {"-3/2", "const f32 0xbfc00000", 0, 1, 0, 1, 0},
        {"3", "const f32 0x40400000", 0, 0, 2, 0, 0},
        {"2.2", "const f32 0x400ccccd", 0, 0, 0, 0, 1},
        {"somewhat above 1/2", "const f32 0x3f000001", 0, 0, 0, 0, 1},
        {"5/2", "const f32 0x40200000", 0, 0, 0, 0, 1},
        {"any number", "bitcast f32 %4", 0, 0, 0, 0, 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Arena arena;
        arena_init(&arena, 0);
        const char *text = arena_printf(&arena, "%s  %%6 = %s\n%s", HEAD, cases[i].power, TAIL);
        Ir *ir = irtext_read(&arena, text);
        opt_simplify(ir);
        opt_prune(ir);
        if (irtext_count(ir, IR_SQRT) != cases[i].roots ||
            irtext_count(ir, IR_RSQRT) != cases[i].inverse_roots ||
            irtext_count(ir, IR_FMUL) != cases[i].products ||
            irtext_count(ir, IR_FDIV) != cases[i].quotients ||
            irtext_count(ir, IR_POW) != cases[i].powers)
            fail_msg("to the power of %s:\n%s", cases[i].what, irtext_body(ir));
        arena_fini(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_powers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
