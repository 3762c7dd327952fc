/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zeros_test.c - which workgroup variables must start with zeros.
 */
#include "support/test.h"

#include "analysis/analysis.h"
#include "support/irtext.h"

/* 8 x 8 invocations; the workgroup variables v1 of 64 numbers, v2 of 8 rows of 8, v3 of
 * one number, v4 of 64 pairs, v5 of 128 numbers, v6 of atomics. */
#define HEAD                                                                       \
    "kernel \"k\" size 8 8 1\n"                                                    \
    "type t0 = value i32 stride 4\n"                                               \
    "type t1 = array t0 count 0 stride 4\n"                                        \
    "type t2 = array t0 count 64 stride 4\n"                                       \
    "type t3 = array t0 count 8 stride 4\n"                                        \
    "type t4 = array t3 count 8 stride 32\n"                                       \
    "type t5 = value i32x2 stride 4\n"                                             \
    "type t6 = array t5 count 64 stride 8\n"                                       \
    "type t7 = array t0 count 128 stride 4\n"                                      \
    "type t8 = value i32 stride 4 atomic\n"                                        \
    "type t9 = array t8 count 64 stride 4\n"                                       \
    "var v0 storage \"out\" t1 group 0 binding 0\n"                                \
    "var v1 workgroup \"flat\" t2\n"                                               \
    "var v2 workgroup \"rows\" t4\n"                                               \
    "var v3 workgroup \"one\" t0\n"                                                \
    "var v4 workgroup \"pairs\" t6\n"                                              \
    "var v5 workgroup \"long\" t7\n"                                               \
    "var v6 workgroup \"atomics\" t9\n"                                            \
    "{\n"                                                                          \
    "  %0 = var v0\n"                                                              \
    "  %1 = var v1\n"                                                              \
    "  %2 = var v2\n"                                                              \
    "  %3 = var v3\n"                                                              \
    "  %4 = var v4\n"                                                              \
    "  %5 = var v5\n"                                                              \
    "  %6 = var v6\n"                                                              \
    "  %7 = input i32 #0\n"                                                        \
    "  %8 = input i32 #1\n"                                                        \
    "  %9 = input i32 #3\n"                                                        \
    "  %10 = const i32 0x0\n"                                                      \
    "  %11 = const i32 0x40\n"                                                     \
    "  %12 = const i32 0x3\n"                                                      \
    "  %13 = ult bool %9 %12\n"                                                    \
    "  %14 = elem %0 %10\n"
#define TAIL "  %99 = return\n}\n"

#define BARRIER "  %20 = barrier #1\n"
#define READ(place)                                                                \
    "  %30 = elem " place " %12\n"                                                 \
    "  %31 = load i32 %30\n"                                                       \
    "  %32 = store %14 %31\n"

static void test_variables_that_need_zeros(void **state)
{
    static const struct {
        const char *what;
        uint32_t    var;
        bool        needed;
        const char *body;
    } cases[] = {
        {"one that is never read", 1, false,
         "  %15 = elem %1 %12\n  %16 = store %15 %10\n"},
        {"one that is only read", 1, true, READ("%1")},
        {"an element for each invocation", 1, false,
         "  %15 = elem %1 %9\n  %16 = store %15 %10\n" BARRIER READ("%1")},
        {"no barrier", 1, true,
         "  %15 = elem %1 %9\n  %16 = store %15 %10\n" READ("%1")},
        {"the barrier comes first", 1, true,
         BARRIER "  %15 = elem %1 %9\n  %16 = store %15 %10\n" READ("%1")},
        {"a barrier of storage", 1, true,
         "  %15 = elem %1 %9\n  %16 = store %15 %10\n  %20 = barrier #2\n" READ("%1")},
        {"all at the same element", 1, true,
         "  %15 = elem %1 %12\n  %16 = store %15 %10\n" BARRIER READ("%1")},
        {"an index from memory", 1, true,
         "  %17 = load i32 %14\n  %15 = elem %1 %17\n  %16 = store %15 %10\n" BARRIER
         READ("%1")},
        {"half of the elements", 1, true,
         "  %17 = or i32 %9 %12\n  %15 = elem %1 %17\n  %16 = store %15 %10\n" BARRIER
         READ("%1")},
        {"the elements in another order", 1, false,
         "  %17 = xor i32 %9 %12\n  %15 = elem %1 %17\n  %16 = store %15 %10\n" BARRIER
         READ("%1")},
        {"only some invocations", 1, true,
         "  %15 = elem %1 %9\n  %16 = if %13 {\n    %17 = store %15 %10\n    %18 = yield\n"
         "  } {\n    %19 = yield\n  }\n" BARRIER READ("%1")},
        {"the barrier inside of a construct", 1, true,
         "  %15 = elem %1 %9\n  %16 = store %15 %10\n  %17 = if %13 {\n    %20 = barrier #1\n"
         "    %18 = yield\n  } {\n    %19 = yield\n  }\n" READ("%1")},
        {"the read inside of a construct", 1, false,
         "  %15 = elem %1 %9\n  %16 = store %15 %10\n" BARRIER
         "  %17 = if %13 {\n" READ("%1") "    %18 = yield\n  } {\n    %19 = yield\n  }\n"},
        {"rows and columns", 2, false,
         "  %15 = elem %2 %8\n  %16 = elem %15 %7\n  %17 = store %16 %10\n" BARRIER
         "  %18 = elem %2 %12\n" READ("%18")},
        {"the diagonal", 2, true,
         "  %15 = elem %2 %7\n  %16 = elem %15 %7\n  %17 = store %16 %10\n" BARRIER
         "  %18 = elem %2 %12\n" READ("%18")},
        {"one number, by all", 3, false,
         "  %15 = store %3 %10\n" BARRIER "  %31 = load i32 %3\n  %32 = store %14 %31\n"},
        {"components of vectors", 4, true,
         "  %15 = elem %4 %9\n  %16 = elem %15 %10\n  %17 = store %16 %10\n" BARRIER
         "  %18 = elem %4 %12\n" READ("%18")},
        {"one store of two", 5, true,
         "  %15 = elem %5 %9\n  %16 = store %15 %10\n" BARRIER READ("%5")},
        {"two stores", 5, false,
         "  %15 = elem %5 %9\n  %16 = store %15 %10\n  %17 = iadd i32 %9 %11\n"
         "  %18 = elem %5 %17\n  %19 = store %18 %10\n" BARRIER READ("%5")},
        {"two stores, the second in a construct", 5, true,
         "  %15 = elem %5 %9\n  %16 = store %15 %10\n  %17 = iadd i32 %9 %11\n"
         "  %18 = elem %5 %17\n  %21 = if %13 {\n    %19 = store %18 %10\n    %22 = yield\n"
         "  } {\n    %23 = yield\n  }\n" BARRIER READ("%5")},
        {"atomic stores", 6, false,
         "  %15 = elem %6 %9\n  %16 = atomic %15 %10 #1\n" BARRIER
         "  %17 = atomic i32 %15 #0\n"},
        {"other atomics", 6, true,
         "  %15 = elem %6 %9\n  %16 = atomic i32 %15 %10 #2\n" BARRIER
         "  %17 = atomic i32 %15 #0\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Arena a;
        arena_init(&a, 0);
        const Ir *ir = irtext_read(&a, arena_printf(&a, "%s%s%s", HEAD, cases[i].body, TAIL));
        const bool *zeros = analysis_zeros(&a, ir);
        if (zeros[cases[i].var] != cases[i].needed)
            fail_msg("%s: %s", cases[i].what, zeros[cases[i].var] ? "needed" : "not needed");
        assert_false(zeros[0]);
        arena_fini(&a);
    }
}

/* In a loop the first round stores before it reads. */
static void test_a_loop_that_stores_first(void **state)
{
    Arena a;
    (void)state;
    arena_init(&a, 0);
    const Ir *ir = irtext_read(&a, HEAD
        "  %15 = loop {\n"
        "    %16 = elem %1 %9\n"
        "    %17 = store %16 %10\n"
        "    %20 = barrier #1\n"
        "    %18 = load i32 %16\n"
        "    %19 = store %14 %18\n"
        "    %21 = load i32 %3\n"
        "    %22 = if %13 {\n"
        "      %23 = break of %15\n"
        "    } {\n"
        "      %24 = yield\n"
        "    }\n"
        "    %25 = continue of %15\n"
        "  } {\n"
        "    %26 = next\n"
        "  }\n" TAIL);
    const bool *zeros = analysis_zeros(&a, ir);
    assert_false(zeros[1]);
    assert_true(zeros[3]);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables_that_need_zeros),
        cmocka_unit_test(test_a_loop_that_stores_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
