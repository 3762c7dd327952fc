// SPDX-License-Identifier: Apache-2.0
/*
 * target.c - the machine, LLVM's passes, object files and dumps.
 *
 * in     an Emit to fill
 * out    bytes of an object file, or text
 * knows  LLVM's target machines and pass builder
 * not    kernels
 *
 * LLVM keeps no state of ours between calls: each compilation has a context of
 * its own, so any number may run at once.
 */
#include "emit/llvm/target_priv.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By default this pass, asked for by name, aborts the process if one round of it
 * leaves something to combine. */
#if LLVM_VERSION_MAJOR >= 18
#define COMBINE "instcombine<no-verify-fixpoint>,"
#else
#define COMBINE "instcombine,"
#endif

/* What pays for whole-lane code: slots become registers, invariants leave loops,
 * small constant loops are unrolled. LLVM's own vectorisers have nothing to do, and
 * each further pass costs more than it gains. */
static const char passes[] =
    "function(sroa,early-cse<memssa>,simplifycfg," COMBINE
    "loop-mssa(loop-rotate,licm),loop(indvars,loop-unroll-full),"
    "sroa,gvn," COMBINE "adce,simplifycfg)";
/* The same without what takes loops in turn: where there are thousands, each of these
 * passes looks at most of the function for each. */
static const char huge_passes[] =
    "function(sroa,early-cse<memssa>,simplifycfg," COMBINE "sroa,gvn," COMBINE "adce,simplifycfg)";
#define HUGE_BLOCKS 6000u
/* What pays for itself in less to generate. */
static const char quick_passes[] = "function(sroa)";

/* ---- LLVM's last resort ---- */

/*
 * Where LLVM finds itself unable to go on it calls a handler and then ends the
 * process. Ours leaves through the compilation that asked, which is given up with
 * all its memory: rare, and better than the end. One a thread, since LLVM's handler
 * has no other way to tell whose compilation it is.
 */
static _Thread_local jmp_buf *fatal_escape;
static _Thread_local char fatal_reason[256];

static void on_fatal(const char *reason)
{
    if (!fatal_escape)
        return;
    snprintf(fatal_reason, sizeof fatal_reason, "%s", reason);
    longjmp(*fatal_escape, 1);
}

/* ---- the machine ---- */

typedef struct Machine {
    const char *triple, *cpu, *features;
    LLVMTargetMachineRef machine;
} Machine;

/* Names of the machine we run on: asked for once, since the answer takes as long as
 * a good part of a small kernel's compilation. */
static Machine host;

static void initialize(void)
{
    LLVMInstallFatalErrorHandler(on_fatal);
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
    host.triple = LLVMGetDefaultTargetTriple();
    host.cpu = LLVMGetHostCPUName();
    host.features = LLVMGetHostCPUFeatures();
}

static const Machine *host_names(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize);
    return &host;
}

static void machine_fini(Machine *m)
{
    if (m->machine)
        LLVMDisposeTargetMachine(m->machine);
    *m = (Machine){0};
}

static Machine machine_names(const EmitOptions *options)
{
    const Machine *here = host_names();
    return (Machine){
        .triple = here->triple,
        .cpu = options->cpu ? options->cpu : here->cpu,
        .features = options->features ? options->features : here->features,
    };
}

static bool machine_init(Machine *m, const EmitOptions *options, Diag *diag)
{
    char *message = NULL;
    LLVMTargetRef target = NULL;
    *m = machine_names(options);
    if (LLVMGetTargetFromTriple(m->triple, &target, &message)) {
        diag_add(diag, DIAG_kernel_too_large, (Span){0},
                 "LLVM has no code generator for '%s': %s", m->triple, message);
        LLVMDisposeMessage(message);
        machine_fini(m);
        return false;
    }
    m->machine = LLVMCreateTargetMachine(
        target, m->triple, m->cpu, m->features,
        /* Not None: what chooses instructions then makes 16 bytes of a load of 4. */
        options->quick ? LLVMCodeGenLevelLess : LLVMCodeGenLevelDefault, LLVMRelocPIC,
        LLVMCodeModelDefault);
    return true;
}

static bool has_feature(const char *features, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = features; (at = strstr(at, name)); at += len)
        if (at > features && at[-1] == '+' && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

uint32_t emit_native_lanes(void)
{
    const char *features = host_names()->features;
    if (has_feature(features, "avx512f"))
        return 16;
    return has_feature(features, "avx2") ? 8 : 4;
}

bool emit_has_f16(void)
{
    const Machine *here = host_names();
    bool x86 = strncmp(here->triple, "x86_64", 6) == 0;
    return !x86 || has_feature(here->features, "f16c");
}

const char *emit_target_name(Arena *arena, const EmitOptions *options)
{
    Machine m = machine_names(options);
    return arena_printf(arena, "llvm %s %s %s %s", LLVM_VERSION_STRING, m.triple, m.cpu,
                        m.features);
}

static void attribute(Emit *e, const char *name, const char *value)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(
        e->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

void target_attributes(Emit *e)
{
    Machine m = machine_names(e->options);
    attribute(e, "target-cpu", m.cpu);
    attribute(e, "target-features", m.features);
    if (has_feature(m.features, "avx512f"))
        attribute(e, "prefer-vector-width", "512");
    bool x86 = strncmp(m.triple, "x86", 3) == 0;
    e->has_avx2 = has_feature(m.features, "avx2");
    e->has_fma = !x86 || has_feature(m.features, "fma");
    e->has_stream = x86 && has_feature(m.features, "avx");
    if (x86 && e->has_fma)
        e->estimate_lanes = has_feature(m.features, "avx512f") ? 16 : 8;
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(e->context, nounwind, 0));
    unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
    for (unsigned i = 1; i <= 2; i++)
        LLVMAddAttributeAtIndex(e->function, i,
                                LLVMCreateEnumAttribute(e->context, noalias, 0));
}

/* ---- one compilation ---- */

typedef struct Job {
    Emit    emit;
    Machine machine;
    Arena   arena;
} Job;

static void build_work(void *job)
{
    emit_module(&((Job *)job)->emit);
}

static void context_init(Emit *e)
{
    e->context = LLVMContextCreate();
    e->module = LLVMModuleCreateWithNameInContext("weft", e->context);
    e->builder = LLVMCreateBuilderInContext(e->context);
    e->entry = LLVMCreateBuilderInContext(e->context);
}

static void job_fini(Job *job)
{
    Emit *e = &job->emit;
    if (e->context) {
        LLVMDisposeBuilder(e->builder);
        LLVMDisposeBuilder(e->entry);
        LLVMDisposeModule(e->module);
        LLVMContextDispose(e->context);
    }
    machine_fini(&job->machine);
    arena_fini(&job->arena);
}

static bool verified(Emit *e)
{
    char *message = NULL;
    bool broken = LLVMVerifyModule(e->module, LLVMReturnStatusAction, &message);
    if (broken)
        emit_fail(e, "the generated code is not valid: %s", message);
    LLVMDisposeMessage(message);
    return !broken;
}

static bool job_build(Job *job, const Facts *facts, const EmitOptions *options, Diag *diag)
{
    Emit *e = &job->emit;
    arena_init(&job->arena, 0);
    if (!machine_init(&job->machine, options, diag))
        return false;
    context_init(e);
    e->ir = facts->ir;
    e->facts = facts;
    e->options = options;
    e->arena = &job->arena;
    e->diag = diag;
    e->lanes = facts->lanes;
    LLVMSetTarget(e->module, job->machine.triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(job->machine.machine);
    LLVMSetModuleDataLayout(e->module, layout);
    LLVMDisposeTargetData(layout);
    if (!arena_try(&job->arena, build_work, job)) {
        diag_add(diag, DIAG_out_of_memory, (Span){0}, "no memory to compile the kernel");
        return false;
    }
    return !e->failed && verified(e);
}

static const char *passes_for(const Emit *e)
{
    uint64_t blocks = 0;
    LLVMValueRef fn = LLVMGetFirstFunction(e->module);
    for (; fn; fn = LLVMGetNextFunction(fn))
        blocks += LLVMCountBasicBlocks(fn);
    return e->options->quick ? quick_passes : blocks > HUGE_BLOCKS ? huge_passes : passes;
}

static bool job_optimize(Job *job)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(job->emit.module, passes_for(&job->emit),
                                       job->machine.machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error) {
        if (!has_feature(job->machine.features, "avx512f") && job->emit.lanes > 1)
            widen_masks(&job->emit);
        return true;
    }
    char *message = LLVMGetErrorMessage(error);
    emit_fail(&job->emit, "LLVM's passes fail: %s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static LLVMMemoryBufferRef job_generate(Job *job, LLVMCodeGenFileType type)
{
    LLVMMemoryBufferRef buffer = NULL;
    char *message = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(job->machine.machine, job->emit.module, type,
                                            &message, &buffer)) {
        emit_fail(&job->emit, "LLVM generates no code: %s", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    return buffer;
}

static void report_fatal(Diag *diag)
{
    fatal_escape = NULL;
    diag_add(diag, DIAG_kernel_too_large, (Span){0}, "LLVM gives up: %s", fatal_reason);
}

static bool emit_object(EmitResult *out, const Facts *facts, const EmitOptions *options,
                        Diag *diag)
{
    bool ok = false;
    Job job = {0};
    LLVMMemoryBufferRef buffer = NULL;
    if (!job_build(&job, facts, options, diag) || !job_optimize(&job))
        goto done;
    buffer = job_generate(&job, LLVMObjectFile);
    if (!buffer)
        goto done;
    size_t size = LLVMGetBufferSize(buffer);
    void *object = malloc(size);
    if (!object) {
        diag_add(diag, DIAG_out_of_memory, (Span){0}, "no memory for the compiled kernel");
        goto done;
    }
    memcpy(object, LLVMGetBufferStart(buffer), size);
    *out = (EmitResult){object, size, job.emit.memory_size, facts->lanes};
    ok = true;
done:
    if (buffer)
        LLVMDisposeMemoryBuffer(buffer);
    job_fini(&job);
    return ok;
}

bool emit_llvm(EmitResult *out, const Facts *facts, const EmitOptions *options, Diag *diag)
{
    jmp_buf escape;
    if (setjmp(escape)) {
        report_fatal(diag);
        return false;
    }
    fatal_escape = &escape;
    bool ok = emit_object(out, facts, options, diag);
    fatal_escape = NULL;
    return ok;
}

void emit_result_fini(EmitResult *r)
{
    free(r->object);
    *r = (EmitResult){0};
}

/* ---- dumps ---- */

static void dump_module(Text *out, Job *job)
{
    char *text = LLVMPrintModuleToString(job->emit.module);
    text_add(out, str_of(text));
    LLVMDisposeMessage(text);
}

static void dump_assembly(Text *out, Job *job)
{
    LLVMMemoryBufferRef buffer = job_generate(job, LLVMAssemblyFile);
    if (!buffer)
        return;
    text_add(out, (Str){LLVMGetBufferStart(buffer), (uint32_t)LLVMGetBufferSize(buffer)});
    LLVMDisposeMemoryBuffer(buffer);
}

static void dump(Text *out, EmitDump what, const Facts *facts, const EmitOptions *options,
                 Diag *diag)
{
    Job job = {0};
    if (job_build(&job, facts, options, diag)) {
        if (what == EMIT_DUMP_LLVM)
            dump_module(out, &job);
        else if (job_optimize(&job) && what == EMIT_DUMP_LLVM_OPT)
            dump_module(out, &job);
        else if (!job.emit.failed)
            dump_assembly(out, &job);
    }
    job_fini(&job);
}

void emit_llvm_dump(Text *out, EmitDump what, const Facts *facts,
                    const EmitOptions *options, Diag *diag)
{
    jmp_buf escape;
    if (setjmp(escape)) {
        report_fatal(diag);
        return;
    }
    fatal_escape = &escape;
    dump(out, what, facts, options, diag);
    fatal_escape = NULL;
}
