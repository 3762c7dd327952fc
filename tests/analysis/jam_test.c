/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jam_test.c - how many lane groups go side by side.
 */
#include "support/test.h"

#include "analysis/analysis.h"
#include "support/irtext.h"

/* A product of matrices of TYPE, with BODY between the two loads and the next iteration. */
#define PRODUCT(type, stride, zero, body)                                              \
    "kernel \"k\" size 16 16 1\n"                                               \
    "type t0 = value " type " stride " stride "\n"                                      \
    "type t1 = array t0 count 0 stride " stride "\n"                                    \
    "var v0 storage \"a\" t1 group 0 binding 0 read\n"                             \
    "var v1 storage \"c\" t1 group 0 binding 1\n"                                  \
    "{\n"                                                                       \
    "  %1 = const i32 0x1\n  %2 = const i32 0x1f4\n  %3 = const i32 0x0\n"         \
    "  %4 = const " type " " zero "\n  %5 = var v0\n  %6 = var v1\n"               \
    "  %7 = input i32 #0\n  %8 = input i32 #1\n"                                   \
    "  %20 = loop %4 %3 -> %57 " type " { %59 " type " %60 i32\n"                  \
    "    %23 = ult bool %60 %2\n"                                               \
    "    %24 = if %23 {\n      %25 = yield\n    } {\n      %26 = break %59 of %20\n    }\n" \
    "    %29 = imul i32 %8 %2\n    %31 = iadd i32 %29 %60\n"                       \
    "    %32 = elem %5 %31\n    %33 = load " type " %32\n"                         \
    "    %36 = imul i32 %60 %2\n    %38 = iadd i32 %36 %7\n"                       \
    "    %39 = elem %5 %38\n    %40 = load " type " %39\n"                         \
    body                                                                        \
    "    %44 = continue %42 of %20\n"                                              \
    "  } { %61 " type "\n    %47 = iadd i32 %60 %1\n    %49 = next %61 %47\n  }\n" \
    "  %51 = elem %6 %7\n  %53 = store %51 %57\n  %54 = return\n}\n"

#define F32 PRODUCT("f32", "4", "0x0", "    %42 = fma f32 %33 %40 %59\n")
#define F64 PRODUCT("f64", "8", "0x0 0x0", "    %42 = fma f64 %33 %40 %59\n")
#define OTHER PRODUCT("f64", "8", "0x0 0x0", "    %41 = fsub f64 %33 %40\n" \
                                        "    %42 = fma f64 %41 %41 %59\n")

/* Sums fill three quarters of the registers: 12 of 16, and 24 of the 32 that machines with 16
 * lanes have; other values 12 of either. */
static void test_sums_fill_registers(void **state)
{
    static const struct {
        const char *what, *text;
        uint32_t    native, jam, products;
    } cases[] = {
        {"f32, 8 lanes", F32, 8, 4, 6},
        {"f64, 8 lanes", F64, 8, 2, 3},
        {"f32, 16 lanes", F32, 16, 8, 24},
        {"f64, 16 lanes", F64, 16, 8, 12},
        {"f64, not sums of products", OTHER, 16, 4, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Arena arena;
        arena_init(&arena, 0);
        Ir *ir = irtext_read(&arena, cases[i].text);
        Facts *f = analysis_run(&arena, ir, 16, cases[i].native);
        uint32_t jam = analysis_jam(&arena, f, ir->body->first, NULL);
        uint32_t products = analysis_jam_products(&arena, f, ir->body->first, NULL);
        if (jam != cases[i].jam || products != cases[i].products)
            fail_msg("%s: %u, %u", cases[i].what, jam, products);
        arena_fini(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums_fill_registers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
