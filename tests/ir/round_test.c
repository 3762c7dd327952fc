// SPDX-License-Identifier: Apache-2.0
/*
 * round_test.c - the IR of every run test, after every pass: what is printed is
 * read back, and prints the same again.
 *
 *     test_ir_round [FILE...]      default: every file below tests/run
 */
#include "support/test.h"

#include <stdio.h>

#include "lower/lower.h"
#include "opt/opt.h"
#include "support/rundir.h"

static const char *printed(Arena *a, const Ir *ir, Str *out)
{
    Text t = {.arena = a};
    ir_print(&t, ir);
    *out = (Str){t.data, (uint32_t)t.len};
    return t.data;
}

/* What is wrong with the way to text and back, or NULL. */
static const char *round_trip(Arena *a, const Ir *ir)
{
    Str once, twice;
    Diag diag = {.arena = a};
    printed(a, ir, &once);
    Ir *again = ir_read(a, once, &diag);
    if (!again)
        return diag.list.data[0].message;
    printed(a, again, &twice);
    return str_eq(once, twice) ? NULL : "it is printed differently";
}

static void run_case(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c)
{
    Ir *ir = rundir_lower(d, path, a, m, c);
    if (!ir)
        return;
    const char *wrong = round_trip(a, ir);
    if (wrong)
        rundir_complain(d, path, c->line, "lower", wrong);
    for (uint32_t i = 0; i < opt_pass_count && !wrong; i++) {
        opt_passes[i].run(ir);
        wrong = round_trip(a, ir);
        if (wrong)
            rundir_complain(d, path, c->line, opt_passes[i].name, wrong);
    }
}

int main(int argc, char **argv)
{
    return rundir_main(argc, argv, "ir_round", WEFT_TEST_DIR "/../run", run_case);
}
