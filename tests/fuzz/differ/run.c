// SPDX-License-Identifier: Apache-2.0
/*
 * run.c - one program, on every way that Weft has to run it.
 *
 * in     a program with its buffers
 * out    whether all ways agree; if not, which and where
 * knows  the stages of the compiler, the interpreter, how kernels are called
 */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>

#include "check/module.h"
#include "compile/loader.h"
#include "compile/pipeline.h"
#include "guard.h"
#include "lower/lower.h"
#include "opt/opt.h"
#include "support/interp.h"
#include "syntax/syntax.h"

/* The contents of all buffers. */
typedef struct Buffers {
    uint8_t *data[GEN_MAX_BUFFERS];
} Buffers;

typedef struct Job {
    Arena  *arena;
    const GenProgram *p;
    const RunOptions *options;
    Module *module;
    const Decl *entry;
    OverrideSetting settings[GEN_MAX_OVERRIDES];
    const char *why;
    uint32_t    subgroup_size;      /* that `right` is for                        */
    Buffers     right;
} Job;

static void doing(const Job *j, const char *what, uint32_t n)
{
    if (j->options->doing)
        snprintf(j->options->doing, 64, "%s %u", what, n);
}

/* ---- the front ---- */

static bool front(Job *j)
{
    Diag diag = {.arena = j->arena};
    j->module = syntax_parse(j->arena, j->p->text, &diag);
    bool ok = !diag.errors && check_module(j->module, &(CheckOptions){0}, &diag) && !diag.errors;
    if (ok && j->module->info->entry_points.len == 1) {
        j->entry = j->module->info->entry_points.data[0];
        return true;
    }
    j->why = "no entry point";
    for (uint32_t i = 0; i < diag.list.len; i++) {
        LineTable lines;
        const Diagnostic *d = &diag.list.data[i];
        if (d->severity != SEVERITY_ERROR)
            continue;
        line_table_init(&lines, j->arena, j->p->text);
        j->why = arena_printf(j->arena, "line %u: %s", line_table_place(&lines, d->span).line,
                              d->message);
        break;
    }
    return false;
}

static Ir *lowered(Job *j)
{
    Diag diag = {.arena = j->arena};
    Specialization s;
    Ir *ir = NULL;
    if (check_specialize(&s, j->arena, j->module, j->entry, j->settings, j->p->noverrides, &diag))
        ir = lower_entry_point(j->arena, j->module, j->entry, &s, &diag);
    if (!ir)
        j->why = diag.list.data[0].message;
    return ir;
}

/* ---- comparing ---- */

static uint32_t word_at(const uint8_t *data, uint32_t i)
{
    uint32_t w;
    memcpy(&w, data + 4 * i, 4);
    return w;
}

/* Equal but for the sign of a zero: of a float, or of one of two halves. */
static bool same_floats(uint32_t x, uint32_t y)
{
    if ((x | y) == 0x80000000u)
        return true;
    for (int i = 0; i < 2; i++, x >>= 16, y >>= 16)
        if ((x & 0xffff) != (y & 0xffff) && ((x | y) & 0xffff) != 0x8000)
            return false;
    return true;
}

static const char *difference(Job *j, const Buffers *is)
{
    for (uint32_t i = 0; i < j->p->nbuffers; i++) {
        const GenBuffer *b = &j->p->buffers[i];
        for (uint32_t k = 0; !b->ignored && k < b->size / 4; k++) {
            uint32_t x = word_at(is->data[i], k), y = word_at(j->right.data[i], k);
            if (x != y && !(b->floats && same_floats(x, y)))
                return arena_printf(j->arena, "%s, word %u: 0x%08x instead of 0x%08x", b->name, k,
                                    x, y);
        }
    }
    return NULL;
}

/* ---- the interpreter ---- */

static Buffers buffers_copy(const Job *j)
{
    Buffers b = {{0}};
    for (uint32_t i = 0; i < j->p->nbuffers; i++)
        b.data[i] = arena_copy(j->arena, j->p->buffers[i].data, j->p->buffers[i].size);
    return b;
}

static const char *interpret(Job *j, const Ir *ir, uint32_t subgroup, bool backwards,
                             Buffers *out)
{
    InterpBuffer list[GEN_MAX_BUFFERS];
    *out = buffers_copy(j);
    for (uint32_t i = 0; i < j->p->nbuffers; i++)
        list[i] = (InterpBuffer){0, j->p->buffers[i].binding, out->data[i],
                                 j->p->buffers[i].size};
    InterpDesc desc = {
        .ir = ir, .buffers = list, .nbuffers = j->p->nbuffers, .backwards = backwards,
        .num_workgroups = {j->p->groups[0], j->p->groups[1], j->p->groups[2]},
        .subgroup_size = subgroup, .max_steps = 20000000,
        .immediates = j->p->immediates, .immediate_size = j->p->immediate_size,
    };
    return interp_run(j->arena, &desc);
}

/* What is right, whatever the order of invocations. */
static bool find_right(Job *j, uint32_t subgroup)
{
    Buffers again;
    if (j->subgroup_size == subgroup)
        return true;
    doing(j, "lower", subgroup);
    Ir *ir = lowered(j);
    if (!ir)
        return false;
    doing(j, "interpret", subgroup);
    j->why = ir_verify(ir);
    if (!j->why)
        j->why = interpret(j, ir, subgroup, false, &j->right);
    if (!j->why)
        j->why = interpret(j, ir, subgroup, true, &again);
    if (!j->why)
        j->why = difference(j, &again);
    j->subgroup_size = subgroup;
    return !j->why;
}

/* After each of the passes, if after all there is a difference. */
static const char *fault_after(Job *j, uint32_t passes)
{
    Buffers is;
    Ir *ir = lowered(j);
    for (uint32_t i = 0; i < passes; i++)
        opt_passes[i].run(ir);
    const char *wrong = ir_verify(ir);
    if (!wrong)
        wrong = interpret(j, ir, j->subgroup_size, false, &is);
    return wrong ? wrong : difference(j, &is);
}

static bool check_passes(Job *j)
{
    doing(j, "passes", opt_pass_count);
    if (!fault_after(j, opt_pass_count))
        return true;
    for (uint32_t i = 1; i <= opt_pass_count; i++) {
        const char *wrong = fault_after(j, i);
        if (wrong) {
            j->why = arena_printf(j->arena, "after %s: %s", opt_passes[i - 1].name, wrong);
            break;
        }
    }
    return false;
}

/* ---- machine code ---- */

static uint32_t buffer_index(const GenProgram *p, uint32_t binding)
{
    for (uint32_t i = 0; i < p->nbuffers; i++)
        if (p->buffers[i].binding == binding)
            return i;
    BUG("a binding without a buffer");
}

/* As many rows at a time as the kernel may run. */
static void dispatch_bands(KernelFn *run, const KernelDispatch *k, void *memory)
{
    const uint32_t *n = k->num_workgroups;
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y += k->band)
            run(k, memory, 0, n[0], y, z);
}

static void dispatch(KernelFn *run, const KernelDispatch *k, void *memory, bool backwards)
{
    const uint32_t *n = k->num_workgroups;
    if (k->band) {
        dispatch_bands(run, k, memory);
        return;
    }
    for (uint32_t i = 0; i < n[1] * n[2]; i++) {
        uint32_t row = backwards ? n[1] * n[2] - 1 - i : i;
        if (!backwards) {
            run(k, memory, 0, n[0], row % n[1], row / n[1]);
            continue;
        }
        for (uint32_t x = n[0]; x-- > 0;)
            run(k, memory, x, x + 1, row % n[1], row / n[1]);
    }
}

static const char *check_native(Job *j, Guarded *memory, const Guarded *scratch)
{
    Buffers is = {{0}};
    for (uint32_t i = 0; i < j->p->nbuffers; i++) {
        is.data[i] = memory[i].data;
        if (guarded_damage(&memory[i]))
            return arena_printf(j->arena, "bytes before %s are written", j->p->buffers[i].name);
    }
    if (guarded_damage(scratch))
        return "bytes before workgroup memory are written";
    return difference(j, &is);
}

static const char *execute(Job *j, const CompiledObject *o, bool backwards, uint32_t flags)
{
    const char *wrong = NULL;
    const atomic_uint stop = 0;
    LoadedCode code = {0};
    Guarded memory[GEN_MAX_BUFFERS] = {{0}};
    KernelBuffer buffers[GEN_MAX_BUFFERS] = {{0}};
    if (!loader_open(&code, o->emitted.object, o->emitted.object_size, "weft_kernel", &wrong))
        return wrong;
    Guarded scratch = guarded_new((o->emitted.memory_size + KERNEL_ALIGN - 1) / KERNEL_ALIGN
                                  * KERNEL_ALIGN);
    memset(scratch.data, 0x5a, scratch.size);
    for (uint32_t i = 0; i < j->p->nbuffers; i++) {
        memory[i] = guarded_new(j->p->buffers[i].size);
        memcpy(memory[i].data, j->p->buffers[i].data, memory[i].size);
    }
    for (uint32_t i = 0; i < o->nbindings; i++) {
        const Guarded *m = &memory[buffer_index(j->p, o->bindings[i].binding)];
        buffers[i] = (KernelBuffer){m->data, m->size};
    }
    KernelDispatch k = {.buffers = buffers, .immediates = j->p->immediates, .stop = &stop,
                        .flags = flags};
    kernel_groups(k.num_workgroups, j->p->groups, o->turned);
    k.band = backwards ? 0 : o->band;
    k.band_end = k.num_workgroups[1];
    dispatch((KernelFn *)code.entry, &k, scratch.data, backwards);
    wrong = check_native(j, memory, &scratch);
    for (uint32_t i = 0; i < j->p->nbuffers; i++)
        guarded_free(&memory[i]);
    guarded_free(&scratch);
    loader_close(&code);
    return wrong;
}

/* Whether a kernel that assumes something may run this dispatch. */
static bool suits(const Job *j, const CompiledObject *o)
{
    ProofBuffer buffers[GEN_MAX_BUFFERS];
    for (uint32_t i = 0; i < o->nbindings; i++) {
        const GenBuffer *b = &j->p->buffers[buffer_index(j->p, o->bindings[i].binding)];
        buffers[i] = (ProofBuffer){b->data, b->size};
    }
    uint32_t n[3];
    kernel_groups(n, j->p->groups, o->turned);
    ProofGiven given = {buffers, {n[0], n[1], n[2]}};
    ProofBox   all = {{0, 0, 0}, {n[0], n[1], n[2]}};
    return proof_holds(&o->proof, &given, &all);
}

typedef struct Way {
    uint32_t    lanes;
    bool        shuffle;
    Assumptions assume;
    bool        quick;
} Way;

static bool check_way(Job *j, Way w)
{
    Diag diag = {.arena = j->arena};
    CompiledObject o = {0};
    CompileJob job = {.source = {j->module, j->entry, j->settings, j->p->noverrides},
                      .options = {.lanes = w.lanes, .shuffle = w.shuffle, .assume = w.assume,
                       .quick = w.quick}};
    if (!find_right(j, j->p->subgroups ? w.lanes : 8))
        return false;
    doing(j, w.assume ? "compile, assuming," : w.shuffle ? "compile, shuffled," : "compile",
          w.lanes);
    if (!pipeline_run(&o, &job, &diag)) {
        j->why = arena_printf(j->arena, "not compiled: %s", diag.list.data[0].message);
        return false;
    }
    doing(j, w.assume ? "run, assuming," : w.shuffle ? "run, shuffled," : "run", w.lanes);
    uint32_t flags = w.assume ? KERNEL_STREAMS | KERNEL_ALONE : 0;
    const char *wrong = suits(j, &o) ? execute(j, &o, w.shuffle, flags) : NULL;
    compiled_object_fini(&o);
    if (wrong)
        j->why = arena_printf(j->arena, "%u lanes%s%s%s: %s", w.lanes,
                              w.shuffle ? ", shuffled" : "", w.assume ? ", assuming" : "",
                              w.quick ? ", quick" : "", wrong);
    return !wrong;
}

static const Way ways[] = {
    {.lanes = 8}, {.lanes = 4}, {.lanes = 16, .assume = ASSUME_USUAL},
    {.lanes = 8, .shuffle = true}, {.lanes = 16}, {.lanes = 1, .quick = true},
    {.lanes = 8, .assume = ASSUME_INNER}, {.lanes = 1}, {.lanes = 8, .assume = ASSUME_USUAL},
    {.lanes = 4, .shuffle = true, .assume = ASSUME_BOUNDS},
    {.lanes = 1, .assume = ASSUME_INNER, .quick = true}, {.lanes = 16, .quick = true},
    {.lanes = 8, .assume = ASSUME_USUAL, .quick = true},
};

static bool check_ways(Job *j)
{
    uint32_t first = j->options->choice % COUNTOF(ways);
    uint32_t count = j->options->all ? COUNTOF(ways) : 2;
    for (uint32_t i = 0; i < count; i++) {
        Way w = ways[(first + i * (j->options->all ? 1 : 3)) % COUNTOF(ways)];
        if (j->p->subgroups && w.lanes < 4)
            continue;
        if (!check_way(j, w))
            return false;
    }
    return true;
}

/* ---- a device ---- */

static bool check_device(Job *j, uint32_t subgroup_size)
{
    if (!find_right(j, j->p->subgroups ? subgroup_size : 8))
        return false;
    Buffers is = buffers_copy(j);
    doing(j, "device", subgroup_size);
    const char *wrong = j->options->device->run(j->p, is.data);
    if (!wrong)
        wrong = difference(j, &is);
    if (wrong)
        j->why = arena_printf(j->arena, "on the device: %s", wrong);
    return !wrong;
}

Verdict run_program(Arena *a, const GenProgram *p, const RunOptions *options, const char **why)
{
    Job *j = ARENA_NEW(a, Job);
    *j = (Job){.arena = a, .p = p, .options = options};
    for (uint32_t i = 0; i < p->noverrides; i++)
        j->settings[i] = (OverrideSetting){str_of(p->overrides[i].name), p->overrides[i].value};
    uint32_t subgroup_size = 0;
    doing(j, "open", 0);
    if (options->device && !options->device->can_run(p, &subgroup_size))
        return VERDICT_LEFT_OUT;
    doing(j, "check", 0);
    bool valid = front(j) && find_right(j, p->subgroups ? 4 : 8);
    bool same = valid && check_passes(j)
                && (options->device ? check_device(j, subgroup_size)
                                    : options->no_code || check_ways(j));
    *why = j->why;
    return same ? VERDICT_SAME : valid ? VERDICT_DIFFERENT : VERDICT_INVALID;
}
