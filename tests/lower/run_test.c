/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_test.c - every run test, lowered and interpreted.
 *
 * in     the .wgsl files below tests/run (support/runfile.h)
 * out    a failure for each that does not parse, check, lower or verify, or whose
 *        buffers are not as expected: invocations forwards, and backwards
 * knows  the stages up to the IR; the interpreter
 *
 *     test_run [FILE...]      default: all of them
 */
#include "support/test.h"

#include <stdio.h>

#include "lower/lower.h"
#include "support/interp.h"
#include "support/rundir.h"

/* ---- one run ---- */

static void run_case(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c)
{
    Ir *ir = rundir_lower(d, path, a, m, c);
    if (!ir)
        return;
    const char *fault = ir_verify(ir);
    if (fault)
        rundir_complain(d, path, c->line, "lower", fault);
    for (int backwards = 0; backwards < 2 && !fault; backwards++) {
        const char *wrong = interp_case(a, c, ir, backwards);
        if (wrong)
            rundir_complain(d, path, c->line, backwards ? "backwards" : "forwards", wrong);
    }
}

int main(int argc, char **argv)
{
    return rundir_main(argc, argv, "run", WEFT_TEST_DIR "/../run", run_case);
}
