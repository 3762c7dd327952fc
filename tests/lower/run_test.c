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

static const char *interpret(Arena *a, RunCase *c, const Ir *ir, bool backwards)
{
    InterpDesc desc = {
        .ir = ir,
        .buffers = ARENA_ARRAY(a, InterpBuffer, c->buffers.len),
        .num_workgroups = {c->groups[0], c->groups[1], c->groups[2]},
        .subgroup_size = c->subgroup_size,
        .backwards = backwards,
    };
    runfile_fill(a, c);
    for (uint32_t i = 0; i < c->buffers.len; i++) {
        const RunBuffer *b = &c->buffers.data[i];
        if (b->var->var.space == SPACE_IMMEDIATE) {
            desc.immediates = b->data;
            desc.immediate_size = b->size;
            continue;
        }
        desc.buffers[desc.nbuffers++] = (InterpBuffer){
            b->var->var.group, b->var->var.binding, b->data, b->size,
        };
    }
    const char *wrong = interp_run(a, &desc);
    return wrong ? wrong : runfile_difference(a, c);
}

static void run_case(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c)
{
    Diag diag = {.arena = a};
    Specialization s;
    Ir *ir = NULL;
    if (check_specialize(&s, a, m, c->entry, c->overrides.data, c->overrides.len, &diag))
        ir = lower_entry_point(a, m, c->entry, &s, &diag);
    if (!ir) {
        rundir_complain_diag(d, path, m, a, &diag);
        return;
    }
    const char *fault = ir_verify(ir);
    if (fault)
        rundir_complain(d, path, c->line, "lower", fault);
    for (int backwards = 0; backwards < 2 && !fault; backwards++) {
        const char *wrong = interpret(a, c, ir, backwards);
        if (wrong)
            rundir_complain(d, path, c->line, backwards ? "backwards" : "forwards", wrong);
    }
}

static void test_every_file_runs_as_it_says(void **state)
{
    (void)state;
    RunDir d = {.run = run_case};
    rundir_folder(&d, WEFT_TEST_DIR "/../run");
    assert_true(d.runs > 0);
    assert_int_equal(d.failures, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_file_runs_as_it_says),
    };
    RunDir d = {.run = run_case};
    for (int i = 1; i < argc; i++)
        rundir_file(&d, argv[i]);
    if (argc > 1) {
        printf("%u runs, %u failures\n", d.runs, d.failures);
        return d.failures != 0;
    }
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
