// SPDX-License-Identifier: Apache-2.0
/*
 * kernel.c - the kernels of a context by topology, products and layout.
 *
 * in     a canonical graph, what to compute, how it is laid out
 * out    a program and its pipeline; equal requests share one
 * knows  program.c, emit.c, the slot of this layer on a context
 * not    batches
 */
#include "grad/kernel_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define KERNEL_LIMIT 512u           /* kept without users; the oldest leave                  */

typedef struct KernelCache {
    GradKernel *kernels[KERNEL_LIMIT];
    uint32_t    count, oldest;
} KernelCache;

static void cache_free(void *state)
{
    KernelCache *cache = state;
    for (uint32_t i = 0; i < cache->count; i++)
        grad_kernel_release(cache->kernels[i]);
    free(cache);
}

static KernelCache *cache_of(weft_context *ctx)
{
    KernelCache *cache = context_slot(ctx, CONTEXT_GRAD);
    if (!cache && (cache = calloc(1, sizeof *cache)))
        context_set_slot(ctx, CONTEXT_GRAD, cache, cache_free);
    return cache;
}

static bool same_program(const ProgramSpec *a, const ProgramSpec *b)
{
    return a->products == b->products && a->weights == b->weights && a->uniform == b->uniform &&
           a->fuse == b->fuse;
}

static bool same_layout(const KernelSpec *a, const KernelSpec *b)
{
    return a->dialect == b->dialect && a->layout == b->layout && a->mode == b->mode &&
           a->run == b->run && a->uneven == b->uneven && a->large == b->large &&
           a->sums_f64 == b->sums_f64;
}

static GradKernel *find(const KernelCache *cache, const Canon *canon, const ProgramSpec *what,
                        const KernelSpec *how)
{
    for (uint32_t i = 0; i < cache->count; i++) {
        GradKernel *k = cache->kernels[i];
        if (memcmp(k->hash, canon->hash, 32) == 0 && same_program(&k->what, what) &&
            same_layout(&k->how, how) && canon_equal(k->graph, canon->graph))
            return k;
    }
    return NULL;
}

static bool compile(GradKernel *k, weft_context *ctx)
{
    uint64_t start = clock_ns();
    grad_program_make(&k->program, k->graph, &k->what);
    grad_emit(&k->text, &k->arena, &k->program, &k->how);
    uint64_t emitted = clock_ns();
    k->pipeline = weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = k->text.text, .label = k->graph->label});
    context_count(ctx, "grad.transform_ns", "ns", emitted - start);
    context_count(ctx, "grad.compile_ns", "ns", clock_ns() - emitted);
    context_count(ctx, "grad.kernels", "count", 1);
    context_count(ctx, "grad.nodes", "count", k->program.statements);
    context_log(ctx, WEFT_LOG_COMPILE, "gradient kernel of %s: %u statements, %u entries",
                k->graph->label, k->program.statements, k->program.entries.len);
    return k->pipeline != NULL;
}

static GradKernel *make(weft_context *ctx, const Canon *canon, const ProgramSpec *what,
                        const KernelSpec *how)
{
    GradKernel *k = calloc(1, sizeof *k);
    if (!k) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a kernel");
        return NULL;
    }
    k->references = 1;
    memcpy(k->hash, canon->hash, 32);
    k->what = *what;
    k->how = *how;
    k->graph = weft_grad_graph_retain(canon->graph);
    arena_init(&k->arena, 0);
    if (!compile(k, ctx)) {
        grad_kernel_release(k);
        return NULL;
    }
    return k;
}

static void keep(KernelCache *cache, GradKernel *k)
{
    k->references++;
    if (cache->count < KERNEL_LIMIT) {
        cache->kernels[cache->count++] = k;
        return;
    }
    grad_kernel_release(cache->kernels[cache->oldest]);
    cache->kernels[cache->oldest] = k;
    cache->oldest = (cache->oldest + 1) % KERNEL_LIMIT;
}

bool grad_kernel_known(weft_context *ctx, const Canon *canon, const ProgramSpec *what,
                       const KernelSpec *how)
{
    const KernelCache *cache = context_slot(ctx, CONTEXT_GRAD);
    return cache && find(cache, canon, what, how);
}

GradKernel *grad_kernel_get(weft_context *ctx, const Canon *canon, const ProgramSpec *what,
                       const KernelSpec *how)
{
    KernelCache *cache = cache_of(ctx);
    if (!cache) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for the cache of kernels");
        return NULL;
    }
    GradKernel *k = find(cache, canon, what, how);
    if (k) {
        context_count(ctx, "grad.cache_hits", "count", 1);
        k->references++;
        return k;
    }
    k = make(ctx, canon, what, how);
    if (k)
        keep(cache, k);
    return k;
}

bool grad_kernel_wait(weft_context *ctx, GradKernel *k)
{
    if (k->compiled)
        return true;
    uint64_t start = clock_ns();
    k->compiled = context_pipeline_wait(ctx, k->pipeline);
    context_count(ctx, "grad.compile_ns", "ns", clock_ns() - start);
    return k->compiled;
}

void grad_kernel_release(GradKernel *k)
{
    if (!k || --k->references > 0)
        return;
    weft_pipeline_release(k->pipeline);
    grad_program_fini(&k->program);
    arena_fini(&k->arena);
    weft_grad_graph_release(k->graph);
    free(k);
}
