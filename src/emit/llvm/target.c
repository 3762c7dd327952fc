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
#include "emit/llvm/fatal_priv.h"
#include "emit/llvm/target_priv.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the machine ---- */

/* LLVM's object for a machine. */
typedef struct Generator {
    const char *triple;
    LLVMTargetMachineRef machine;
} Generator;

/* The machine we run on: asked for once, since the answer takes as long as a good part of
 * a small kernel's compilation. */
static Machine host;
static const char *host_triple;

static MachineArch arch_of(const char *triple)
{
    return strncmp(triple, "x86_64", 6) == 0    ? MACHINE_X86_64
           : strncmp(triple, "aarch64", 7) == 0 ? MACHINE_AARCH64
                                                : MACHINE_OTHER;
}

static void initialize(void)
{
    fatal_install();
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
#ifdef WEFT_LLVM_AARCH64
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
#endif
    host_triple = LLVMGetDefaultTargetTriple();
    host = machine_of(arch_of(host_triple), LLVMGetHostCPUName(), LLVMGetHostCPUFeatures());
}

const Machine *emit_host(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize);
    return &host;
}

static const Machine *machine_for(const EmitOptions *options)
{
    const Machine *here = emit_host();
    return options->machine ? options->machine : here;
}

static const char *triple_of(const Machine *m)
{
    return m->triple ? m->triple : host_triple;
}

bool emit_has_target(const Machine *m)
{
    char *message = NULL;
    LLVMTargetRef target = NULL;
    emit_host();
    bool none = LLVMGetTargetFromTriple(triple_of(m), &target, &message);
    LLVMDisposeMessage(message);
    return !none;
}

static void generator_fini(Generator *g)
{
    if (g->machine)
        LLVMDisposeTargetMachine(g->machine);
    *g = (Generator){0};
}

static bool generator_init(Generator *g, const EmitOptions *options, LLVMCodeGenOptLevel level,
                           Diag *diag)
{
    char *message = NULL;
    LLVMTargetRef target = NULL;
    const Machine *m = machine_for(options);
    g->triple = triple_of(m);
    if (LLVMGetTargetFromTriple(g->triple, &target, &message)) {
        diag_add(diag, DIAG_kernel_too_large, (Span){0},
                 "LLVM has no code generator for '%s': %s", g->triple, message);
        LLVMDisposeMessage(message);
        return false;
    }
    g->machine = LLVMCreateTargetMachine(target, g->triple, m->name, m->features, level,
                                         LLVMRelocPIC, LLVMCodeModelDefault);
#if LLVM_VERSION_MAJOR >= 18
    /* The fast selector makes one instruction of a load of 4 bytes and a choice between
     * numbers, which reads 16 bytes: they may end after the buffer. */
    LLVMSetTargetMachineFastISel(g->machine, false);
#endif
    return true;
}

const char *emit_target_name(Arena *arena, const EmitOptions *options)
{
    const Machine *m = machine_for(options);
    return arena_printf(arena, "llvm %s %s %s %s", LLVM_VERSION_STRING, triple_of(m), m->name,
                        m->features);
}

static void attribute(Emit *e, LlvmValue fn, const char *name, const char *value)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(
        e->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

void target_enum_attribute(Emit *e, LlvmValue fn, LLVMAttributeIndex at, const char *name,
                           uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(fn, at, LLVMCreateEnumAttribute(e->context, kind, value));
}

void target_attributes(Emit *e, LlvmValue fn)
{
    const Machine *m = machine_for(e->options);
    attribute(e, fn, "target-cpu", m->name);
    attribute(e, fn, "target-features", m->features);
    if (m->has_mask_registers)
        attribute(e, fn, "prefer-vector-width", "512");
    target_enum_attribute(e, fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind",
                          0);
}

void target_survey(Emit *e)
{
    const Machine *m = machine_for(e->options);
    e->x86 = m->arch == MACHINE_X86_64;
    e->has_avx2 = m->has_avx2;
    e->has_fma = m->has_fma;
    e->has_f16 = m->has_f16;
    e->has_stream = m->has_stream;
    e->dot_lanes = m->dot_lanes;
    e->estimate_lanes = m->estimate_lanes;
}

/* ---- one compilation ---- */

typedef struct Job {
    Emit    emit;
    Generator generator;
    Effort  effort;
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
    generator_fini(&job->generator);
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
    if (!generator_init(&job->generator, options, LLVMCodeGenLevelDefault, diag))
        return false;
    context_init(e);
    e->ir = facts->ir;
    e->facts = facts;
    e->options = options;
    e->arena = &job->arena;
    e->diag = diag;
    e->lanes = facts->lanes;
    LLVMSetTarget(e->module, job->generator.triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(job->generator.machine);
    LLVMSetModuleDataLayout(e->module, layout);
    LLVMDisposeTargetData(layout);
    if (!arena_try(&job->arena, build_work, job)) {
        if (!e->failed)
            diag_add(diag, DIAG_out_of_memory, (Span){0}, "no memory to compile the kernel");
        return false;
    }
    return !e->failed && verified(e);
}

/* Code is generated by another machine than the one that passes ask for costs. */
static bool job_choose_effort(Job *job)
{
    job->effort = effort_for(&job->emit);
    if (job->effort.level == LLVMCodeGenLevelDefault)
        return true;
    generator_fini(&job->generator);
    return generator_init(&job->generator, job->emit.options, job->effort.level, job->emit.diag);
}

static bool job_optimize(Job *job)
{
    if (!job_choose_effort(job))
        return false;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(job->emit.module, job->effort.passes,
                                       job->generator.machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error) {
        bool mask_registers = machine_for(job->emit.options)->has_mask_registers;
        if (job->emit.lanes > 1 && mask_registers)
            ternary_untie(&job->emit);
        else if (job->emit.lanes > 1)
            widen_masks(&job->emit);
        if (mask_registers && job->emit.has_f16)
            halves_widen(&job->emit);
        prefetch_unite(&job->emit);
        cut_blocks(&job->emit);
        constants_load(&job->emit);
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
    if (LLVMTargetMachineEmitToMemoryBuffer(job->generator.machine, job->emit.module, type,
                                            &message, &buffer)) {
        emit_fail(&job->emit, "LLVM generates no code: %s", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    return buffer;
}

static void report_fatal(Diag *diag)
{
    bool memory = fatal_is_memory();
    fatal_leave();
    diag_add(diag, memory ? DIAG_out_of_memory : DIAG_kernel_too_large, (Span){0},
             memory ? "no memory to compile the kernel (%s)" : "LLVM gives up: %s",
             fatal_reason());
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
    fatal_enter(&escape);
    bool ok = emit_object(out, facts, options, diag);
    fatal_leave();
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
    fatal_enter(&escape);
    dump(out, what, facts, options, diag);
    fatal_leave();
}
