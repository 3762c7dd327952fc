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
#include <string.h>

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

/* A kernel, ready to run. */
typedef struct Form {
    const CompiledObject *object;
    LoadedCode     code;
    KernelBuffer  *buffers;
    ProofBuffer   *proof_buffers;
} Form;

static const char *form_open(Arena *a, Form *f, const RunCase *c)
{
    const CompiledObject *o = f->object;
    const char *why = NULL;
    f->buffers = ARENA_ARRAY(a, KernelBuffer, o->nbindings + 1);
    f->proof_buffers = ARENA_ARRAY(a, ProofBuffer, o->nbindings + 1);
    for (uint32_t i = 0; i < o->nbindings; i++) {
        KernelBuffer b = buffer_for(c, o->bindings[i]);
        f->buffers[i] = b;
        f->proof_buffers[i] = (ProofBuffer){b.data, b.size};
    }
    bool ok = loader_open(&f->code, o->emitted.object, o->emitted.object_size, "weft_kernel",
                          &why);
    return ok ? NULL : why;
}

static void form_close(Form *f)
{
    loader_close(&f->code);
}

static bool form_suits(const Form *f, const uint32_t n[3], uint32_t x, uint32_t y, uint32_t z)
{
    ProofGiven given = {f->proof_buffers, {n[0], n[1], n[2]}};
    ProofBox   box = {{x, y, z}, {x + 1, y + 1, z + 1}};
    return proof_holds(&f->object->proof, &given, &box);
}

/* Each workgroup by the first form that may run it; the last may run all. */
static const char *execute(Arena *a, RunCase *c, Form *forms, uint32_t nforms, bool backwards)
{
    const atomic_uint stop = 0;
    uint32_t n[3];                  /* workgroups, for all forms alike */
    kernel_groups(n, c->groups, forms[0].object->turned);
    uint64_t size = 0, groups = (uint64_t)n[0] * n[1] * n[2];
    runfile_fill(a, c);
    for (uint32_t i = 0; i < nforms; i++) {
        const char *why = form_open(a, &forms[i], c);
        if (why)
            return why;
        if (forms[i].object->emitted.memory_size > size)
            size = forms[i].object->emitted.memory_size;
    }
    void *memory = aligned_alloc(KERNEL_ALIGN, size + KERNEL_ALIGN);
    for (uint64_t i = 0; i < groups; i++) {
        uint64_t at = backwards ? groups - 1 - i : i, row = at / n[0];
        uint32_t x = (uint32_t)(at % n[0]), y = (uint32_t)(row % n[1]);
        uint32_t z = (uint32_t)(row / n[1]);
        const Form *f = forms;
        while (f < forms + nforms - 1 && !form_suits(f, n, x, y, z))
            f++;
        KernelDispatch k = {.buffers = f->buffers, .immediates = immediates_of(c),
                            .stop = &stop, .num_workgroups = {n[0], n[1], n[2]}};
        ((KernelFn *)f->code.entry)(&k, memory, x, x + 1, y, z);
    }
    free(memory);
    return runfile_difference(a, c);
}

/* One way to run a case. */
typedef struct Way {
    uint32_t    lanes;
    bool        shuffle;
    Assumptions assume;
    bool        quick;
} Way;

static const Way ways[] = {
    {.lanes = 1}, {.lanes = 1, .quick = true}, {.lanes = 4}, {.lanes = 8}, {.lanes = 16},
    {.lanes = 8, .shuffle = true}, {.lanes = 8, .assume = ASSUME_BOUNDS},
    {.lanes = 8, .assume = ASSUME_INNER}, {.lanes = 16, .assume = ASSUME_USUAL},
    {.lanes = 4, .shuffle = true, .assume = ASSUME_BOUNDS},
};

#define NWAYS (sizeof ways / sizeof *ways)

typedef struct CompiledForm {
    bool           there, ok;
    CompiledObject object;
} CompiledForm;

/* What was compiled last: runs of one file mostly differ in their data alone. */
typedef struct Compiled {
    unsigned        file;           /* RunDir.files; 0: none                      */
    const RunCase  *like;
    CompiledForm    of[NWAYS][2];   /* without and with what the way assumes      */
} Compiled;

static Compiled compiled;

static void compiled_fini(void)
{
    for (size_t i = 0; i < NWAYS; i++)
        for (size_t k = 0; k < 2; k++)
            if (compiled.of[i][k].there)
                compiled_object_fini(&compiled.of[i][k].object);
    compiled = (Compiled){0};
}

static bool is_same_kernel(const RunCase *x, const RunCase *y)
{
    bool same = x->entry == y->entry && x->overrides.len == y->overrides.len;
    for (uint32_t i = 0; same && i < x->overrides.len; i++)
        same = str_eq(x->overrides.data[i].key, y->overrides.data[i].key) &&
               memcmp(&x->overrides.data[i].value, &y->overrides.data[i].value,
                      sizeof(double)) == 0;
    return same;
}

/* Forgets what was compiled for another kernel. */
static void compiled_begin(const RunDir *d, const RunCase *c)
{
    if (compiled.file == d->files && is_same_kernel(compiled.like, c))
        return;
    compiled_fini();
    compiled.file = d->files;
    compiled.like = c;
}

static const CompiledObject *compile(const Module *m, const RunCase *c, size_t way, bool assuming,
                                     Diag *diag)
{
    const Way *w = &ways[way];
    CompileJob job = {.source = {m, c->entry, c->overrides.data, c->overrides.len},
                      .options = {.lanes = w->lanes, .shuffle = w->shuffle, .quick = w->quick,
                                  .assume = assuming ? w->assume : ASSUME_NOTHING}};
    CompiledForm *form = &compiled.of[way][assuming];
    if (!form->there)
        form->ok = pipeline_run(&form->object, &job, diag);
    form->there = true;
    return form->ok ? &form->object : NULL;
}

static void run_native(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c,
                       size_t way)
{
    static const char *const assuming[] = {"", ", assuming bounds", ", assuming more",
                                           ", assuming most"};
    char what[64];
    const Way *w = &ways[way];
    Diag diag = {.arena = a};
    Form forms[2] = {0};
    uint32_t nforms = w->assume ? 2 : 1;
    bool ok = true;
    snprintf(what, sizeof what, "%u lanes%s%s%s", w->lanes, w->shuffle ? ", backwards" : "",
             assuming[w->assume], w->quick ? ", quick" : "");
    for (uint32_t i = 0; i < nforms && ok; i++) {
        forms[i].object = compile(m, c, way, i + 1 < nforms, &diag);
        ok = forms[i].object;
    }
    const char *wrong = ok ? execute(a, c, forms, nforms, w->shuffle) : NULL;
    if (!ok)
        rundir_complain_diag(d, path, m, a, &diag);
    else if (wrong)
        rundir_complain(d, path, c->line, what, wrong);
    for (uint32_t i = 0; i < nforms; i++)
        form_close(&forms[i]);
}

static bool uses_subgroups(const Module *m)
{
    return m->info->features.enabled & 1u << ENABLE_subgroups;
}

static void run_case(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c)
{
    compiled_begin(d, c);
    run_passes(d, path, a, m, c);
    for (size_t i = 0; i < NWAYS; i++)
        if (!uses_subgroups(m) || ways[i].lanes == c->subgroup_size)
            run_native(d, path, a, m, c, i);
}

int main(int argc, char **argv)
{
    int status = rundir_main(argc, argv, "native", WEFT_TEST_DIR "/../run", run_case);
    compiled_fini();
    return status;
}
