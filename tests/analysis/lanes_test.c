/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes_test.c - how many lanes a kernel gets.
 */
#include "support/test.h"

#include <stdio.h>

#include "analysis/analysis.h"
#include "support/irtext.h"

#define BODY(text) "  %1 = input i32 #0\n  %2 = input i32 #4\n" text "  %99 = return\n}\n"
#define CUT(op, by) "  %3 = const i32 " by "\n  %4 = " op " i32 %1 %3\n"

static void test_rows_that_kernels_cut(void **state)
{
    static const struct {
        const char *what, *body;
        uint32_t    lanes;              /* where a register has 8 */
    } cases[] = {
        {"none",                 BODY(""),                            16},
        {"rows of 8",            BODY(CUT("udiv", "0x8")),             8},
        {"places in rows of 8",  BODY(CUT("urem", "0x8")),             8},
        {"rows of 24",           BODY(CUT("udiv", "0x18")),            8},
        {"by shifting",          BODY(CUT("shr", "0x3")),              8},
        {"by masking",           BODY(CUT("and", "0x7")),              8},
        {"rows of 16",           BODY(CUT("urem", "0x10")),           16},
        {"rows of 4, short for both", BODY(CUT("udiv", "0x4")),       16},
        {"bits that are no row", BODY(CUT("and", "0x8")),             16},
        {"of all invocations",   BODY("  %3 = const i32 0x8\n  %5 = iadd i32 %2 %1\n"
                                      "  %4 = udiv i32 %5 %3\n"),      8},
        {"of workgroups",        BODY("  %3 = const i32 0x8\n  %4 = udiv i32 %2 %3\n"), 16},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Arena arena;
        char  text[2048];
        arena_init(&arena, 0);
        snprintf(text, sizeof text, IRTEXT_HEAD "{\n%s", cases[i].body);
        uint32_t lanes = analysis_choose_lanes(irtext_read(&arena, text), 8);
        if (lanes != cases[i].lanes)
            fail_msg("%s: %u lanes", cases[i].what, lanes);
        arena_fini(&arena);
    }
}

/* A loop that reads a buffer. */
#define LOOP                                                                       \
    "  %20 = const i32 0x0\n  %21 = var v0\n"                                      \
    "  %22 = loop {\n    %23 = elem %21 %20\n    %24 = load i32 %23\n"             \
    "    %25 = break of %22\n  } {\n    %26 = next\n  }\n"

/* Half a register is filled by a row; the other half would belong to the next one. */
static void test_rows_of_half_a_register(void **state)
{
    static const struct {
        const char *what, *size, *body;
        uint32_t    lanes;              /* where a register has 16 */
    } cases[] = {
        {"x is used", "8 8 1", "  %1 = input i32 #0\n" LOOP, 8},
        {"y is used", "8 8 1", "  %1 = input i32 #1\n" LOOP, 8},
        {"the index alone", "8 8 1", "  %1 = input i32 #3\n" LOOP, 16},
        {"no memory in a loop", "8 8 1", "  %1 = input i32 #0\n", 16},
        {"one row", "8 1 1", "  %1 = input i32 #0\n" LOOP, 8},
        {"rows of a register", "16 4 1", "  %1 = input i32 #0\n" LOOP, 16},
        {"rows of a quarter", "4 8 1", "  %1 = input i32 #0\n" LOOP, 16},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Arena arena;
        arena_init(&arena, 0);
        const char *text = arena_printf(&arena,
            "kernel \"k\" size %s\ntype t0 = value i32 stride 4\n"
            "type t1 = array t0 count 0 stride 4\nvar v0 storage \"o\" t1 group 0 binding 0\n"
            "{\n%s  %%99 = return\n}\n", cases[i].size, cases[i].body);
        uint32_t lanes = analysis_choose_lanes(irtext_read(&arena, text), 16);
        if (lanes != cases[i].lanes)
            fail_msg("%s: %u lanes", cases[i].what, lanes);
        arena_fini(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_half_a_register),
        cmocka_unit_test(test_rows_that_kernels_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
