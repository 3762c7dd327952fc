// SPDX-License-Identifier: Apache-2.0
/*
 * stage.c - which layers are on which device.
 *
 * in     contexts, bytes of each layer, shares
 * out    the stages of a model, or an error that says what does not fit
 * knows  memory of contexts; how to measure their speed
 * not    what layers do
 */
#include "model/runtime/stage.h"

#include <stdlib.h>

#include "base/clock.h"

#define MOST_STAGES 64u

bool model_fail(weft_model *m)
{
    for (uint32_t i = 0; i < m->nstages; i++) {
        weft_context     *ctx = m->stages[i].ctx;
        const weft_error *e = weft_context_error(ctx);
        if (ctx == m->ctx || e->kind == WEFT_ERROR_NONE)
            continue;
        context_fail(m->ctx, e->kind, "%s", e->message);
        weft_context_error_clear(ctx);
    }
    return false;
}

/* ---- sizes ---- */

bool stages_measure(Sizes *out, weft_context *ctx, Arena *arena, const weft_gguf *file,
                    const Params *p)
{
    Weights w = {0};
    Loader  l = {.ctx = ctx, .file = file, .arena = arena, .measure = true};
    *out = (Sizes){.layers = ARENA_ARRAY(arena, uint64_t, p->layers), .count = p->layers};
    l.layer_bytes = out->layers;
    if (!weights_load(&w, &l, p))
        return false;
    out->total = out->ends = l.device_bytes;
    for (uint32_t i = 0; i < p->layers; i++)
        out->ends -= out->layers[i];
    return true;
}

uint64_t stages_room(weft_context *ctx)
{
    weft_memory memory;
    weft_context_memory(&memory, ctx);
    return memory.budget > memory.live ? memory.budget - memory.live : 0;
}

static bool no_room(weft_context *ctx, uint64_t need, uint64_t room)
{
    return context_fail(ctx, WEFT_ERROR_MEMORY,
                        "the model needs %.0f MB of device memory, and %.0f MB are left in the "
                        "budget", (double)need / 1e6, (double)room / 1e6);
}

/* ---- speed ---- */

enum { PROBE_K = 1024, PROBE_ROWS = 4096, PROBE_RUNS = 8 };

typedef struct Probe {
    weft_context *ctx;
    weft_buffer  *weights, *scales, *x, *xs, *y;
} Probe;

static weft_buffer *words(weft_context *ctx, uint64_t count)
{
    return weft_buffer_create(ctx, &(weft_buffer_desc){.size = count * 4, .label = "probe"});
}

static bool probe_run(const Probe *b, weft_pipeline *pipeline)
{
    struct { uint32_t stride, first; float unit; uint32_t pad; } p = {PROBE_ROWS, 0, 1, 0};
    weft_binding bindings[] = {
        {.buffer = b->weights}, {.buffer = b->scales}, {.buffer = b->x}, {.buffer = b->xs},
        {.buffer = b->y}, {.data = &p, .data_size = sizeof p},
    };
    return weft_context_dispatch(b->ctx, &(weft_dispatch){
        .pipeline = pipeline, .bindings = bindings, .binding_count = COUNTOF(bindings),
        .groups = {1, PROBE_ROWS / 16, 1}});
}

/* Products a second of weights of eight bits; 0 after an error. */
static double speed_of(const Stage *stage)
{
    weft_context *ctx = stage->ctx;
    RowWords n = repack_words(FORMAT_Q8, PROBE_K);
    Probe b = {ctx, words(ctx, (uint64_t)n.weights * PROBE_ROWS),
               words(ctx, (uint64_t)n.scales * PROBE_ROWS), words(ctx, PROBE_K / 4),
               words(ctx, PROBE_K / 8), words(ctx, PROBE_ROWS)};
    KernelKey key = {.kind = KERNEL_MUL, .format = FORMAT_Q8, .tile = 1, .i8 = 1, .k = PROBE_K,
                     .groups = 1};
    weft_pipeline *pipeline = pipelines_get(stage->pipelines, &key);
    double speed = 0;
    bool   ok = pipeline && b.y && probe_run(&b, pipeline) && weft_context_wait(ctx);
    uint64_t start = clock_ns();
    for (int i = 0; i < PROBE_RUNS && ok; i++)
        ok = probe_run(&b, pipeline);
    if (ok && weft_context_wait(ctx))
        speed = PROBE_RUNS * 1e9 / (double)(clock_ns() - start + 1);
    weft_buffer *all[] = {b.weights, b.scales, b.x, b.xs, b.y};
    for (size_t i = 0; i < COUNTOF(all); i++)
        weft_buffer_release(all[i]);
    return speed;
}

/* ---- layers ---- */

typedef struct Split {
    double   share[MOST_STAGES];
    uint32_t most[MOST_STAGES], layers[MOST_STAGES];
} Split;

static bool find_shares(Split *s, weft_model *m, const weft_model_desc *d)
{
    double all = 0;
    for (uint32_t i = 0; i < m->nstages; i++) {
        s->share[i] = d->shares ? d->shares[i] : speed_of(&m->stages[i]);
        if (!d->shares && s->share[i] == 0)
            return false;
        if (!(s->share[i] >= 0))
            return context_fail(m->ctx, WEFT_ERROR_INVALID, "the share of device %u is negative",
                                i);
        all += s->share[i];
    }
    if (!(all > 0))
        return context_fail(m->ctx, WEFT_ERROR_INVALID, "the shares of all devices are zero");
    for (uint32_t i = 0; i < m->nstages; i++)
        s->share[i] /= all;
    return true;
}

static void find_most(Split *s, const weft_model *m, const Sizes *sizes)
{
    uint64_t largest = 1;
    for (uint32_t i = 0; i < sizes->count; i++)
        largest = sizes->layers[i] > largest ? sizes->layers[i] : largest;
    for (uint32_t i = 0; i < m->nstages; i++) {
        uint64_t room = stages_room(m->stages[i].ctx);
        if (i == 0)
            room = room > sizes->ends ? room - sizes->ends : 0;
        uint64_t fit = room / largest;
        s->most[i] = fit < sizes->count ? (uint32_t)fit : sizes->count;
        s->layers[i] = 0;
    }
}

/* Gives each layer to the device that is furthest below its share and has room. */
static bool spread(Split *s, const weft_model *m, uint32_t layers)
{
    for (uint32_t k = 0; k < layers; k++) {
        uint32_t best = UINT32_MAX;
        double   lack = 0;
        for (uint32_t i = 0; i < m->nstages; i++) {
            double mine = s->share[i] * (k + 1) - s->layers[i];
            if (s->layers[i] < s->most[i] && (best == UINT32_MAX || mine > lack)) {
                best = i;
                lack = mine;
            }
        }
        if (best == UINT32_MAX)
            return false;
        s->layers[best]++;
    }
    return true;
}

static bool split(weft_model *m, const weft_model_desc *d, const Sizes *sizes)
{
    Split s;
    if (!find_shares(&s, m, d))
        return false;
    find_most(&s, m, sizes);
    if (!spread(&s, m, sizes->count)) {
        uint64_t room = 0;
        for (uint32_t i = 0; i < m->nstages; i++)
            room += stages_room(m->stages[i].ctx);
        return no_room(m->ctx, sizes->total, room);
    }
    for (uint32_t i = 0, at = 0; i < m->nstages; i++) {
        m->stages[i].first = at;
        m->stages[i].end = at += s.layers[i];
    }
    return true;
}

/* ---- the whole ---- */

static bool stage_init(Stage *s, weft_context *ctx)
{
    *s = (Stage){.ctx = weft_context_retain(ctx)};
    if (!context_need_device(ctx))
        return false;
    s->pipelines = pipelines_create(ctx);
    s->nothing = weft_buffer_create(ctx, &(weft_buffer_desc){.size = 256, .label = "nothing"});
    return s->nothing && (s->pipelines || context_fail(ctx, WEFT_ERROR_MEMORY,
                                                       "no memory for a list of kernels"));
}

bool stages_make(weft_model *m, weft_context *ctx, const weft_model_desc *d, const Sizes *sizes)
{
    uint32_t more = ctx == m->ctx ? (uint32_t)d->device_count : 0;
    if (d->device_count >= MOST_STAGES)
        return context_fail(m->ctx, WEFT_ERROR_INVALID, "more than %u devices", MOST_STAGES);
    m->stages = ARENA_ARRAY(&m->arena, Stage, more + 1);
    for (uint32_t i = 0; i <= more; i++) {
        m->nstages = i + 1;
        if (!stage_init(&m->stages[i], i ? d->devices[i - 1] : ctx))
            return false;
    }
    if (d->memory_limit && sizes->total > d->memory_limit)
        return no_room(m->ctx, sizes->total, d->memory_limit);
    if (more)
        return split(m, d, sizes);
    m->stages[0].end = m->params.layers;
    uint64_t room = stages_room(ctx);
    return sizes->total <= room || no_room(m->ctx, sizes->total, room);
}

void stages_release(weft_model *m)
{
    for (uint32_t i = 0; i < m->nstages; i++) {
        weft_buffer_release(m->stages[i].nothing);
        pipelines_release(m->stages[i].pipelines);
        weft_context_release(m->stages[i].ctx);
    }
    m->nstages = 0;
}
