/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_test.c - every run test, compiled and run by this machine: with 1, 4, 8 and
 * 16 lanes, lane groups forwards and backwards, workgroups in any order; and the IR
 * after each pass interpreted.
 *
 * in     the .wgsl files below tests/run (support/runfile.h)
 * out    a failure for each whose buffers are not as expected
 *
 *     test_native [FILE...]      default: all of them
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "compile/loader.h"
#include "compile/pipeline.h"
#include "lower/lower.h"
#include "opt/opt.h"
#include "support/interp.h"
#include "support/rundir.h"

/* ---- the passes, interpreted ---- */

static void run_passes(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c)
{
    Ir *ir = rundir_lower(d, path, a, m, c);
    for (uint32_t i = 0; ir && i < opt_pass_count; i++) {
        opt_passes[i].run(ir);
        const char *wrong = ir_verify(ir);
        if (!wrong)
            wrong = interp_case(a, c, ir, false);
        if (wrong) {
            rundir_complain(d, path, c->line, opt_passes[i].name, wrong);
            return;
        }
    }
}

/* ---- machine code ---- */

static const KernelBuffer no_buffer;

static KernelBuffer buffer_for(const RunCase *c, KernelBinding want)
{
    for (uint32_t i = 0; i < c->buffers.len; i++) {
        const RunBuffer *b = &c->buffers.data[i];
        if (b->var->var.space == SPACE_IMMEDIATE || b->var->var.group != want.group ||
            b->var->var.binding != want.binding)
            continue;
        return (KernelBuffer){b->data, b->size};
    }
    return no_buffer;
}

static const void *immediates_of(const RunCase *c)
{
    for (uint32_t i = 0; i < c->buffers.len; i++)
        if (c->buffers.data[i].var->var.space == SPACE_IMMEDIATE)
            return c->buffers.data[i].data;
    return NULL;
}

static void dispatch(KernelFn *run, const KernelDispatch *k, void *memory, bool backwards)
{
    uint32_t rows = k->num_workgroups[1] * k->num_workgroups[2];
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = backwards ? rows - 1 - i : i;
        uint32_t y = row % k->num_workgroups[1], z = row / k->num_workgroups[1];
        for (uint32_t x = 0; x < k->num_workgroups[0]; x++) {
            uint32_t at = backwards ? k->num_workgroups[0] - 1 - x : x;
            run(k, memory, at, at + 1, y, z);
        }
    }
}

/* Does this run fulfil what the kernel assumes? */
static bool is_suited(Arena *a, const RunCase *c, const CompiledObject *o)
{
    ProofBuffer *buffers = ARENA_ARRAY(a, ProofBuffer, o->nbindings + 1);
    for (uint32_t i = 0; i < o->nbindings; i++) {
        KernelBuffer b = buffer_for(c, o->bindings[i]);
        buffers[i] = (ProofBuffer){b.data, b.size};
    }
    return proof_holds(&o->proof, buffers, o->nbindings, c->groups);
}

static const char *execute(Arena *a, RunCase *c, const CompiledObject *o, bool backwards)
{
    const char *why = NULL;
    const atomic_uint stop = 0;
    LoadedCode code = {0};
    if (!loader_open(&code, o->emitted.object, o->emitted.object_size, "weft_kernel", &why))
        return why;
    runfile_fill(a, c);
    if (!is_suited(a, c, o)) {
        loader_close(&code);
        return NULL;
    }
    KernelBuffer *buffers = ARENA_ARRAY(a, KernelBuffer, o->nbindings + 1);
    for (uint32_t i = 0; i < o->nbindings; i++)
        buffers[i] = buffer_for(c, o->bindings[i]);
    KernelDispatch k = {.buffers = buffers, .immediates = immediates_of(c), .stop = &stop,
                        .num_workgroups = {c->groups[0], c->groups[1], c->groups[2]}};
    void *memory = aligned_alloc(KERNEL_ALIGN, o->emitted.memory_size + KERNEL_ALIGN);
    dispatch((KernelFn *)code.entry, &k, memory, backwards);
    free(memory);
    loader_close(&code);
    return runfile_difference(a, c);
}

static void run_native(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c,
                       uint32_t lanes, bool shuffle, bool assume)
{
    char what[32];
    Diag diag = {.arena = a};
    CompiledObject o = {0};
    CompileJob job = {m, c->entry, c->overrides.data, c->overrides.len,
                      {.lanes = lanes, .shuffle = shuffle, .assume = assume}};
    snprintf(what, sizeof what, "%u lanes%s%s", lanes, shuffle ? ", backwards" : "",
             assume ? ", assuming" : "");
    if (!pipeline_run(&o, &job, &diag)) {
        rundir_complain_diag(d, path, m, a, &diag);
        return;
    }
    const char *wrong = execute(a, c, &o, shuffle);
    if (wrong)
        rundir_complain(d, path, c->line, what, wrong);
    compiled_object_fini(&o);
}

static bool uses_subgroups(const Module *m)
{
    return m->info->features.enabled & 1u << ENABLE_subgroups;
}

static void run_case(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c)
{
    static const uint32_t widths[] = {1, 4, 8, 16};
    run_passes(d, path, a, m, c);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if (uses_subgroups(m) && widths[i] != c->subgroup_size)
            continue;
        run_native(d, path, a, m, c, widths[i], false, false);
        if (widths[i] != 8)
            continue;
        run_native(d, path, a, m, c, widths[i], true, false);
        run_native(d, path, a, m, c, widths[i], false, true);
    }
}

int main(int argc, char **argv)
{
    return rundir_main(argc, argv, "native", WEFT_TEST_DIR "/../run", run_case);
}
