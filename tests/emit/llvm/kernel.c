/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.c - a kernel of WGSL text, compiled for a number of lanes and run.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "lower/lower.h"
#include "opt/opt.h"
#include "support/test.h"
#include "syntax/syntax.h"

static Module *checked(Arena *arena, const char *wgsl, Diag *diag)
{
    Module *m = syntax_parse(arena, (Str){wgsl, (uint32_t)strlen(wgsl)}, diag);
    CheckOptions check = {0};
    return check_module(m, &check, diag) ? m : NULL;
}

/* As the pipeline does, for this machine. */
static void compile(TestKernel *k, Arena *arena, const char *wgsl, uint32_t lanes, Diag *diag)
{
    Module *m = checked(arena, wgsl, diag);
    if (!m)
        return;
    CompileJob job = {.source = {m, m->info->entry_points.data[0], NULL, 0},
                      .options = {.lanes = lanes}};
    pipeline_run(&k->object, &job, diag);
}

/* After the portable passes; NULL after a diagnostic. */
static Facts *facts_of(Arena *arena, const char *wgsl, uint32_t lanes, Diag *diag)
{
    Module *m = checked(arena, wgsl, diag);
    Specialization special;
    if (!m || !check_specialize(&special, arena, m, m->info->entry_points.data[0], NULL, 0,
                                diag))
        return NULL;
    Ir *ir = lower_entry_point(arena, m, m->info->entry_points.data[0], &special, diag);
    for (uint32_t i = 0; ir && i < opt_pass_count; i++)
        opt_passes[i].run(ir);
    return ir ? analysis_run(arena, ir, lanes, lanes) : NULL;
}

/* For a machine that the pipeline would not choose. */
static void compile_for(TestKernel *k, Arena *arena, const char *wgsl, uint32_t lanes,
                        const Machine *machine, Diag *diag)
{
    Facts *facts = facts_of(arena, wgsl, lanes, diag);
    if (facts)
        emit_llvm(&k->object.emitted, facts, &(EmitOptions){.machine = machine}, diag);
}

const char *test_kernel_assembly(Arena *arena, const char *wgsl, uint32_t lanes,
                                 const Machine *machine)
{
    Diag diag = {.arena = arena};
    Text text = {.arena = arena};
    Facts *facts = facts_of(arena, wgsl, lanes, &diag);
    assert_non_null(facts);
    emit_llvm_dump(&text, EMIT_DUMP_ASM, facts, &(EmitOptions){.machine = machine}, &diag);
    assert_int_equal(diag.errors, 0);
    return text.data;
}

static void load(TestKernel *k)
{
    const char *why = NULL;
    assert_non_null(k->object.emitted.object);
    if (!loader_open(&k->code, k->object.emitted.object, k->object.emitted.object_size,
                     "weft_kernel", &why))
        fail_msg("the code does not load: %s", why);
    uint64_t size = k->object.emitted.memory_size + KERNEL_ALIGN;
    k->memory = aligned_alloc(KERNEL_ALIGN, size / KERNEL_ALIGN * KERNEL_ALIGN);
    assert_non_null(k->memory);
}

void test_kernel_open(TestKernel *k, const char *wgsl, uint32_t lanes,
                      const Machine *machine)
{
    Arena arena;
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    *k = (TestKernel){0};
    if (machine)
        compile_for(k, &arena, wgsl, lanes, machine, &diag);
    else
        compile(k, &arena, wgsl, lanes, &diag);
    for (uint32_t i = 0; i < diag.list.len && diag.errors; i++)
        print_error("%s\n", diag.list.data[i].message);
    load(k);
    arena_fini(&arena);
}

void test_kernel_close(TestKernel *k)
{
    free(k->memory);
    loader_close(&k->code);
    compiled_object_fini(&k->object);
}

void test_kernel_run(const TestKernel *k, const KernelBuffer *buffers, uint32_t groups)
{
    test_kernel_run_with(k, buffers, groups, 0);
}

void test_kernel_run_with(const TestKernel *k, const KernelBuffer *buffers, uint32_t groups,
                          uint32_t flags)
{
    const atomic_uint stop = 0;
    KernelDispatch d = {
        .buffers = buffers, .num_workgroups = {groups, 1, 1}, .flags = flags, .stop = &stop,
    };
    KernelFn *run = NULL;
    memcpy(&run, &k->code.entry, sizeof run);
    assert_int_equal(run(&d, k->memory, 0, groups, 0, 0), 0);
}
