// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline.c - the compiler, in the order it happens.
 *
 * in     a typed module, an entry point, override values
 * out    an object file; or what one stage leaves, as text
 * knows  all stages
 * not    how any of them works; caches, loading
 */
#include "compile/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/exit.h"
#include "compile/spirv.h"
#include "opt/opt.h"
#include "syntax/syntax.h"

#define QUICK_STEPS  1000000u           /* take about as long as optimising         */
#define LEAST_LANES  4u                 /* of subgroups, as WGSL has it             */
#define MOST_LANES   32u
#define MEMORY_LIMIT ((size_t)1 << 30)  /* bytes for the IR of one kernel          */

typedef struct Run {
    const CompileJob *job;
    Arena       *arena;
    Diag        *diag;
    Ir          *ir;
    const Machine *machine;
    Proof        proof;
    uint32_t     most_lanes;            /* that assumptions hold for; 0: any       */
    Facts       *facts;
    Text         portable;              /* the IR before anything is assumed       */
    bool         quick;                 /* EmitOptions                             */
    const char  *until;                 /* stage whose result is wanted, or NULL   */
    Text        *dump;
    bool         dumped;
    bool         ok;
} Run;

static Span span_of(const CompileJob *job)
{
    return job->source.entry ? job->source.entry->span : (Span){0};
}

/* MiddleJob.look: prints the IR after the stage that is asked for. */
static bool dump_ir(void *context, const Ir *ir, const char *stage)
{
    Run *r = context;
    if (r->until && strcmp(r->until, stage) == 0) {
        ir_print(r->dump, ir);
        r->dumped = true;
    }
    return !r->dumped;
}

/* A subgroup is what runs in lanes side by side. 0: as many as suit. */
static uint32_t lanes_asked(const Run *r)
{
    return r->ir->subgroup_size ? r->ir->subgroup_size : r->job->options.lanes;
}

static uint32_t lanes_for(const Run *r)
{
    uint32_t asked = lanes_asked(r);
    uint32_t lanes = asked ? asked : analysis_choose_lanes(r->ir, r->machine->lanes);
    return r->most_lanes ? MIN_OF(lanes, r->most_lanes) : lanes;
}

/* Devices say so before, commands do not. */
static bool has_lanes(Run *r)
{
    uint32_t size = r->ir->subgroup_size;
    if (size == 0 || (size >= LEAST_LANES && size <= MOST_LANES))
        return true;
    diag_add(r->diag, DIAG_pipeline_size, span_of(r->job),
             "subgroups of %u are not made for this machine, but of %u to %u", size,
             LEAST_LANES, MOST_LANES);
    return false;
}

/* Workgroups of so few steps, one invocation each, that it is not worth the time to
 * optimise them; 0: none. */
static uint32_t few_groups(const Ir *ir)
{
    const uint32_t *size = ir->workgroup_size;
    uint64_t steps = analysis_steps(ir);
    if (size[0] != 1 || size[1] != 1 || size[2] != 1 || steps > QUICK_STEPS)
        return 0;
    return (uint32_t)(QUICK_STEPS / (steps + 1)) + 1;
}

/* Drops the checks that a dispatch can prove needless. */
static void assume(Run *r)
{
    Assumptions what = r->job->options.assume;
    uint32_t most = what >= ASSUME_INNER && lanes_for(r) == 1 ? few_groups(r->ir) : 0;
    r->quick |= most > 0;
    uint32_t lanes = lanes_for(r);
    const Facts *facts = what >= ASSUME_USUAL && lanes > 1
                             ? analysis_run(r->arena, r->ir, lanes, r->machine->lanes)
                             : NULL;
    opt_assume(r->ir, what, most, facts, &r->proof);
    r->most_lanes = r->proof.usual ? lanes : 0;
    opt_simplify(r->ir);
    opt_flatten(r->ir);
    opt_simplify(r->ir);
    opt_prune(r->ir);
}

static void turn(Run *r)
{
    opt_turn(r->ir, lanes_asked(r), r->machine->lanes);
}

static void unroll(Run *r)
{
    opt_unroll(r->ir);
    opt_merge(r->ir);
    opt_simplify(r->ir);
    opt_prune(r->ir);
}

static void untile(Run *r)
{
    opt_untile(r->ir, lanes_for(r), r->machine->lanes);
    opt_merge(r->ir);
    opt_simplify(r->ir);
    opt_prune(r->ir);
}

static void peel(Run *r)
{
    opt_peel(r->ir);
    opt_simplify(r->ir);
    opt_prune(r->ir);
}

static void sink(Run *r)
{
    opt_sink(r->ir);
    opt_merge(r->ir);
    opt_keep(r->ir);
    opt_sink(r->ir);
    opt_flatten(r->ir);
    opt_simplify(r->ir);
    opt_prune(r->ir);
}

static void slice(Run *r)
{
    opt_slice(r->ir);
}

static void band(Run *r)
{
    opt_band(r->ir, lanes_for(r), r->machine->lanes);
}

static void runs(Run *r)
{
    if (!opt_unroll_runs(r->ir, lanes_for(r), r->machine->lanes))
        return;
    opt_simplify(r->ir);
    opt_merge(r->ir);
    opt_simplify(r->ir);
    opt_prune(r->ir);
}

static void quotients(Run *r)
{
    uint32_t lanes = r->facts->lanes;
    if (lanes > 1 && opt_quotients(r->ir, r->facts))
        r->facts = analysis_run(r->arena, r->ir, lanes, r->machine->lanes);
}

/* One more stage, if what it leaves may still be wanted. */
static void then(Run *r, void (*stage)(Run *), const char *name)
{
    if (r->dumped)
        return;
    stage(r);
    middle_verify(r->ir, name);
    dump_ir(r, r->ir, name);
}

/* The IR that all back ends and all assumptions share: lowered, or read again. */
static Ir *portable_ir(Run *r)
{
    const CompileJob *job = r->job;
    if (job->source.module)
        return middle_run(r->arena,
                          &(MiddleJob){job->source, r->diag, r->machine->has_fma, dump_ir,
                                       r});
    Ir *ir = ir_read(r->arena, job->ir, r->diag);
    if (ir)
        ir->fuses_f64 = r->machine->has_fma;
    return ir;
}

static const Machine *machine_of_job(const CompileJob *job)
{
    return job->options.machine ? job->options.machine : emit_host();
}

/* Everything up to machine code; runs under arena_try(). */
static void middle(void *context)
{
    Run *r = context;
    const CompileJob *job = r->job;
    r->ir = portable_ir(r);
    if (!r->ir || !has_lanes(r))
        return;
    if ((job->options.assume || job->options.quick) && !r->until)
        ir_print(&r->portable, r->ir);
    then(r, turn, "turn");
    then(r, unroll, "unroll");
    then(r, sink, "sink");
    if (job->options.assume)
        then(r, assume, "assume");
    if (lanes_for(r) > 1) {
        then(r, untile, "untile");
        then(r, runs, "runs");
    }
    then(r, peel, "peel");
    if (lanes_for(r) > 1) {
        then(r, slice, "slice");
        then(r, band, "band");
    }
    r->facts = analysis_run(r->arena, r->ir, lanes_for(r), r->machine->lanes);
    bool asked = job->options.lanes || r->ir->subgroup_size;
    if (!asked && analysis_suits_native_lanes(r->facts))
        r->facts = analysis_run(r->arena, r->ir, r->machine->lanes, r->machine->lanes);
    if (!asked && analysis_suits_one_lane(r->facts))
        r->facts = analysis_run(r->arena, r->ir, 1, r->machine->lanes);
    then(r, quotients, "quotients");
    r->ok = true;
}

static EmitOptions emit_options(const Run *r)
{
    return (EmitOptions){.machine = r->machine, .shuffle = r->job->options.shuffle,
                         .quick = r->quick};
}

static bool run_middle(Run *r)
{
    if (!arena_try(r->arena, middle, r))
        diag_add(r->diag, DIAG_out_of_memory, span_of(r->job),
                 "the kernel '%.*s' needs more memory to compile than it may use",
                 STR_ARG(r->ir ? r->ir->name : STR("")));
    return r->ok;
}

/* ---- an object ---- */

static bool is_buffer(const IrVar *var)
{
    return var->space == IRSPACE_UNIFORM || var->space == IRSPACE_STORAGE;
}

/* In the order in which the code looks for them: emit.c counts the same way. */
static bool list_bindings(CompiledObject *out, const Ir *ir)
{
    out->bindings = calloc(ir->vars.len + 1, sizeof *out->bindings);
    for (uint32_t i = 0; out->bindings && i < ir->vars.len; i++) {
        const IrVar *var = ir->vars.data[i];
        if (is_buffer(var))
            out->bindings[out->nbindings++] = (KernelBinding){var->group, var->binding};
    }
    return out->bindings != NULL;
}

static bool copy_proof(CompiledObject *out, const Proof *p)
{
    out->proof = *p;
    out->proof.nodes = malloc((p->nnodes + 1) * sizeof *p->nodes);
    out->proof.checks = malloc((p->nchecks + 1) * sizeof *p->checks);
    if (!out->proof.nodes || !out->proof.checks)
        return false;
    if (p->nnodes)
        memcpy(out->proof.nodes, p->nodes, p->nnodes * sizeof *p->nodes);
    if (p->nchecks)
        memcpy(out->proof.checks, p->checks, p->nchecks * sizeof *p->checks);
    return true;
}

static bool copy_ir(CompiledObject *out, const Text *portable)
{
    if (!portable->len)
        return true;
    out->ir = malloc(portable->len);
    out->ir_size = (uint32_t)portable->len;
    if (out->ir)
        memcpy(out->ir, portable->data, portable->len);
    return out->ir != NULL;
}

bool pipeline_run(CompiledObject *out, const CompileJob *job, Diag *diag)
{
    Arena arena;
    CompiledObject made = {0};
    if (!exit_hold()) {
        diag_add(diag, DIAG_not_compiled, span_of(job), "the program is ending");
        return false;
    }
    if (exit_is_broken()) {
        diag_add(diag, DIAG_not_compiled, span_of(job),
                 "a kernel was being compiled when this process was forked: compile in a "
                 "process that is not");
        exit_release();
        return false;
    }
    arena_init(&arena, MEMORY_LIMIT);
    Run r = {.job = job, .machine = machine_of_job(job), .arena = &arena,
             .diag = diag, .quick = job->options.quick,
             .portable = {.arena = &arena}};
    bool ok = run_middle(&r);
    EmitOptions options = emit_options(&r);
    ok = ok && emit_llvm(&made.emitted, r.facts, &options, diag);
    if (ok && (!list_bindings(&made, r.ir) || !copy_proof(&made, &r.proof) ||
               !copy_ir(&made, &r.portable))) {
        diag_add(diag, DIAG_out_of_memory, span_of(job), "no memory for a kernel");
        ok = false;
    }
    if (ok) {
        made.turned = r.ir->turned;
        made.band = r.ir->band;
        kernel_groups(made.workgroup_size, r.ir->workgroup_size, made.turned);
        made.has_barrier = r.facts->has_barrier;
        *out = made;
    } else {
        compiled_object_fini(&made);
    }
    arena_fini(&arena);
    exit_release();
    return ok;
}

void compiled_object_fini(CompiledObject *o)
{
    emit_result_fini(&o->emitted);
    free(o->bindings);
    free(o->proof.nodes);
    free(o->proof.checks);
    free(o->ir);
    *o = (CompiledObject){0};
}

/* ---- the front end ---- */

const Module *compile_front(Arena *arena, Str source, Diag *diag)
{
    const CheckOptions everything = {0};
    uint32_t errors = diag->errors;
    Module  *m = syntax_parse(arena, source, diag);
    bool     ok = check_module(m, &everything, diag);
    return ok && diag->errors == errors ? m : NULL;
}

bool compile_has_f16(void)
{
    return emit_host()->converts_f16;
}

/* ---- dumps ---- */

static const char *const stages[] = {
    "tokens", "ast", "typed", "lower", "promote", "simplify", "prune", "arrays", "flatten", "f64",
    "merge", "again", "settle", "induction", "unsigned", "trim", "vars", "turn", "unroll", "sink",
    "assume", "untile", "runs", "peel", "slice", "band", "quotients", "facts", "llvm", "llvm-opt",
    "asm", "spirv", NULL,
};

const char *const *compile_stages(void)
{
    return stages;
}

static bool dump_front(Text *out, const char *stage, const Module *m)
{
    if (strcmp(stage, "tokens") == 0)
        syntax_dump_tokens(out, m->source);
    else if (strcmp(stage, "ast") == 0)
        syntax_dump_module(out, m);
    else if (strcmp(stage, "typed") == 0)
        check_dump_module(out, m);
    else
        return false;
    return true;
}

static void dump_back(Run *r, Text *out, const char *stage)
{
    EmitOptions options = emit_options(r);
    if (strcmp(stage, "facts") == 0)
        analysis_print(out, r->facts);
    else if (strcmp(stage, "llvm") == 0)
        emit_llvm_dump(out, EMIT_DUMP_LLVM, r->facts, &options, r->diag);
    else if (strcmp(stage, "llvm-opt") == 0)
        emit_llvm_dump(out, EMIT_DUMP_LLVM_OPT, r->facts, &options, r->diag);
    else
        emit_llvm_dump(out, EMIT_DUMP_ASM, r->facts, &options, r->diag);
}

/* For a driver with what most have. */
static void dump_spirv(Text *out, Arena *arena, const KernelSource *from, Diag *diag)
{
    const SpirvTarget common = {
        .has_f16 = true, .has_f64 = true, .has_storage16 = true, .has_uniform16 = true,
        .has_uniform_standard_layout = true, .has_zero_workgroup = true,
    };
    SpirvKernel kernel;
    if (spirv_compile(&kernel, arena, from->module, from->entry, from->settings, from->nsettings,
                      &common, diag))
        spirv_print(out, kernel.code);
}

bool compile_dump(Text *out, const char *stage, const Module *m, const Decl *entry,
                  const OverrideSetting *settings, uint32_t nsettings,
                  const CompileOptions *options, Diag *diag)
{
    if (dump_front(out, stage, m))
        return true;
    Arena arena;
    uint32_t errors = diag->errors;
    CompileJob job = {.source = {m, entry, settings, nsettings}, .options = *options};
    arena_init(&arena, MEMORY_LIMIT);
    Run r = {.job = &job, .machine = machine_of_job(&job), .arena = &arena,
             .diag = diag, .quick = options->quick,
             .until = stage, .dump = out};
    if (strcmp(stage, "spirv") == 0)
        dump_spirv(out, &arena, &job.source, diag);
    else if (run_middle(&r) && !r.dumped)
        dump_back(&r, out, stage);
    arena_fini(&arena);
    return diag->errors == errors;
}
