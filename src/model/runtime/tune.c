// SPDX-License-Identifier: Apache-2.0
/*
 * tune.c - how many runs of 16 rows a workgroup of a product computes.
 *
 * in     a product that is about to run
 * out    the fastest number for its device, found once by the context's tuner
 * knows  that a product can run again: it writes the same numbers
 * not    how kernels are written (kernels.c)
 *
 * On the CPU device a workgroup of 16 is a vector of AVX-512 or two of AVX2, and larger ones only
 * spread the weights that are read at a time. GPUs have 32 or 64 invocations in step, so that
 * workgroups of 16 leave most of them idle.
 */
#include <stdio.h>
#include <string.h>

#include "model/runtime/runtime_priv.h"

#define USUAL     4u                    /* runs where it does not matter           */
#define SMALL     (1u << 20)            /* multiplications that take no time       */
#define MOST_TIME 60000000u             /* ns to measure a product                 */

typedef struct Trial {
    const Call *call;
    KernelKey   key;
    const void *params;
    uint32_t    size, runs;
} Trial;

static bool run_trial(void *user, weft_context *ctx, const uint32_t size[3])
{
    const Trial *t = user;
    const Batch *b = t->call->b;
    KernelKey    key = t->key;
    weft_binding bindings[MAX_BINDINGS];
    uint32_t     n = t->call->count;
    key.groups = size[0] / 16;
    memcpy(bindings, t->call->bindings, n * sizeof *bindings);
    bindings[n++] = (weft_binding){.data = t->params, .data_size = t->size};
    weft_pipeline *pipeline = pipelines_get(b->stage->pipelines, &key);
    return pipeline && weft_context_dispatch(ctx, &(weft_dispatch){
        .pipeline = pipeline, .bindings = bindings, .binding_count = n,
        .groups = {(b->rows + key.tile - 1) / key.tile, t->runs / key.groups, 1}});
}

/* Sizes that divide the rows; the usual one is first. */
static uint32_t candidates(uint32_t out[5][3], weft_context *ctx, uint32_t runs)
{
    static const uint32_t all[] = {USUAL, 2, 8, 1, 16};
    uint32_t most = weft_context_device(ctx)->limits.maxComputeInvocationsPerWorkgroup, n = 0;
    for (size_t i = 0; i < COUNTOF(all); i++) {
        if (runs % all[i] != 0 || 16 * all[i] > most)
            continue;
        out[n][0] = 16 * all[i];
        out[n][1] = out[n][2] = 1;
        n++;
    }
    return n;
}

static uint32_t measure(const Trial *t, weft_context *ctx)
{
    char     name[96];
    uint32_t sizes[5][3], best[3] = {16, 1, 1}, n = candidates(sizes, ctx, t->runs);
    uint64_t work = (uint64_t)t->key.k * t->runs * 16 * t->key.tile;
    snprintf(name, sizeof name, "model.multiply format %u%s %ux%u, %u tokens", t->key.format,
             t->key.i8 ? " i8" : "", t->key.k, t->runs * 16, t->key.tile);
    if (n == 0 || work < SMALL)
        return n ? sizes[0][0] / 16 : 1;
    weft_context_tune(best, ctx, &(weft_tune_desc){
        .kernel = name, .candidates = sizes, .candidate_count = n, .run = run_trial,
        .user = (void *)(uintptr_t)t, .time_limit = MOST_TIME});
    return best[0] / 16;
}

uint32_t tune_groups(const Call *c, const KernelKey *key, const void *params, uint32_t size,
                     uint32_t runs)
{
    const Stage *stage = c->b->stage;
    if (c->b->failed || strcmp(weft_context_device(stage->ctx)->backend, "cpu") == 0)
        return 1;
    uint32_t *known = pipelines_groups(stage->pipelines, key, runs);
    if (*known == 0)
        *known = measure(&(Trial){c, *key, params, size, runs}, stage->ctx);
    return *known;
}
