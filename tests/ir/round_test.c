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

#define LANES 8u

static void turn(Ir *ir)
{
    opt_turn(ir, LANES, LANES);
}

static void untile(Ir *ir)
{
    opt_untile(ir, LANES, LANES);
}

static const OptPass for_lanes[] = {
    {"turn",   turn,       "Ir.turned"},
    {"untile", untile,     "loads at places of others"},
    {"sink",   opt_sink,   "results of IFs"},
    {"keep",   opt_keep,   "stores of all"},
    {"slice",  opt_slice,  "Ir.team"},
};

static const char *round_trips(Arena *a, Ir *ir, const OptPass *passes, uint32_t n,
                               const char **after)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < n && !wrong; i++) {
        passes[i].run(ir);
        *after = passes[i].name;
        wrong = round_trip(a, ir);
    }
    return wrong;
}

static void run_case(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c)
{
    Ir *ir = rundir_lower(d, path, a, m, c);
    if (!ir)
        return;
    const char *after = "lower", *wrong = round_trip(a, ir);
    if (!wrong)
        wrong = round_trips(a, ir, opt_passes, opt_pass_count, &after);
    if (!wrong)
        wrong = round_trips(a, ir, for_lanes, COUNTOF(for_lanes), &after);
    if (wrong)
        rundir_complain(d, path, c->line, after, wrong);
}

int main(int argc, char **argv)
{
    return rundir_main(argc, argv, "ir_round", WEFT_TEST_DIR "/../run", run_case);
}
