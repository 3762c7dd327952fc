/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.c - a kernel of WGSL text, compiled for a number of lanes and run.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "syntax/syntax.h"

static void compile(TestKernel *k, Arena *arena, const char *wgsl, uint32_t lanes, Diag *diag)
{
    Module *m = syntax_parse(arena, (Str){wgsl, (uint32_t)strlen(wgsl)}, diag);
    CheckOptions check = {0};
    if (!check_module(m, &check, diag))
        return;
    CompileJob job = {m, m->info->entry_points.data[0], NULL, 0, {.lanes = lanes}};
    pipeline_run(&k->object, &job, diag);
}

void test_kernel_open(TestKernel *k, const char *wgsl, uint32_t lanes)
{
    Arena arena;
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    const char *why = NULL;
    *k = (TestKernel){0};
    compile(k, &arena, wgsl, lanes, &diag);
    for (uint32_t i = 0; i < diag.list.len && diag.errors; i++)
        print_error("%s\n", diag.list.data[i].message);
    assert_non_null(k->object.emitted.object);
    if (!loader_open(&k->code, k->object.emitted.object, k->object.emitted.object_size,
                     "weft_kernel", &why))
        fail_msg("the code does not load: %s", why);
    uint64_t size = k->object.emitted.memory_size + KERNEL_ALIGN;
    k->memory = aligned_alloc(KERNEL_ALIGN, size / KERNEL_ALIGN * KERNEL_ALIGN);
    assert_non_null(k->memory);
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
    const atomic_uint stop = 0;
    KernelDispatch d = {
        .buffers = buffers, .num_workgroups = {groups, 1, 1}, .stop = &stop,
    };
    KernelFn *run = NULL;
    memcpy(&run, &k->code.entry, sizeof run);
    assert_int_equal(run(&d, k->memory, 0, groups, 0, 0), 0);
}
