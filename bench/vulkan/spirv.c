/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv.c - how long Weft takes to make SPIR-V of a kernel.
 *
 * in     WGSL
 * out    seconds
 * knows  compile/spirv.h
 * not    Vulkan: what the driver makes of the words is its own affair
 */
#include "vulkan/spirv.h"

#include "compile/compile.h"
#include "compile/spirv.h"
#include "harness/bench.h"

#define TIMES 15u

typedef struct Source {
    Arena        *arena;
    const char   *wgsl;
    Diag         *diag;
    const Module *module;
} Source;

static void read_source(void *context)
{
    Source *s = context;
    s->module = compile_front(s->arena, str_of(s->wgsl), s->diag);
}

/* The device makes the second form where the driver does not keep accesses inside of
 * buffers; there may be nothing to prove. */
static void translate(Arena *arena, const char *wgsl)
{
    const SpirvTarget least = {0};
    SpirvKernel kernel;
    Diag   diag = {.arena = arena};
    Source source = {arena, wgsl, &diag, NULL};
    if (!arena_try(arena, read_source, &source) || !source.module)
        stop("the kernel is not accepted");
    const Decl *entry = module_find_entry_point(source.module, STR("main"));
    if (!entry || !spirv_compile(&kernel, arena, source.module, entry, NULL, 0, &least, &diag))
        stop("the kernel has no SPIR-V");
    spirv_compile_assuming(&kernel, arena, source.module, entry, NULL, 0, &least, &diag);
}

double spirv_seconds(const char *wgsl)
{
    double times[TIMES];
    for (uint32_t i = 0; i < TIMES; i++) {
        Arena  arena;
        double begin = cpu_now();
        arena_init(&arena, 0);
        translate(&arena, wgsl);
        arena_fini(&arena);
        times[i] = cpu_now() - begin;
    }
    return median(times, TIMES);
}
