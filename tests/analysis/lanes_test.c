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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_that_kernels_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
