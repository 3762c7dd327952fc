// SPDX-License-Identifier: Apache-2.0
/*
 * sums.c - adds up contributions without atomics and in a fixed order.
 *
 * in     contributions with the target each belongs to
 * out    one sum for each target: lists of up to 256 contributions are summed one after the
 *        other, the sums of longer lists' pieces likewise, level by level
 * knows  kernels/sum_lists.wgsl, weft/context.h
 * not    what is summed
 */
#include "grad/sums_priv.h"

#include <stdlib.h>
#include <string.h>

#define PIECE 256u                  /* contributions that are summed in one go               */
#define STRIDE_GROUPS 32768u        /* workgroups in x, as the kernel has it                 */

extern const EmbeddedKernel grad_kernels[];

/* ---- the plan ---- */

/* By 16 bits at a time, from the lowest; passes in which all digits agree are skipped. */
static bool sort(Contribution *c, size_t count)
{
    bool sorted = true;
    for (size_t i = 1; sorted && i < count; i++)
        sorted = c[i - 1].key <= c[i].key;
    if (sorted)
        return true;
    Contribution *other = malloc((count + 1) * sizeof *other), *from = c, *to = other;
    size_t *at = malloc(65537 * sizeof *at);
    for (unsigned shift = 0; other && at && shift < 64; shift += 16) {
        memset(at, 0, 65537 * sizeof *at);
        for (size_t i = 0; i < count; i++)
            at[(from[i].key >> shift & 0xffff) + 1]++;
        if (count > 0 && at[(from[0].key >> shift & 0xffff) + 1] == count)
            continue;
        for (size_t d = 0; d < 65536; d++)
            at[d + 1] += at[d];
        for (size_t i = 0; i < count; i++)
            to[at[from[i].key >> shift & 0xffff]++] = from[i];
        Contribution *swap = from;
        from = to;
        to = swap;
    }
    if (other && from != c)
        memcpy(c, from, count * sizeof *c);
    bool ok = other && at;
    free(other);
    free(at);
    return ok;
}

/* One level: every target of the sorted keys gets pieces of at most PIECE entries. next[]
 * receives a contribution for each piece. Returns the number of pieces. */
static size_t cut(SumsLevel *level, const Contribution *c, size_t count, Contribution *next)
{
    size_t pieces = 0;
    for (size_t i = 0; i < count; i++) {
        level->list[i] = c[i].element;
        if (i == 0 || c[i].key != c[i - 1].key || i - level->start[pieces - 1] == PIECE) {
            level->start[pieces] = (uint32_t)i;
            next[pieces] = (Contribution){c[i].key, (uint32_t)pieces};
            pieces++;
        }
    }
    level->start[pieces] = (uint32_t)count;
    level->targets = (uint32_t)pieces;
    return pieces;
}

static bool make_levels(Sums *s, const Contribution *c, size_t count, Contribution *work)
{
    size_t distinct = count > 0;
    for (size_t i = 1; i < count; i++)
        distinct += c[i].key != c[i - 1].key;
    s->targets = (uint32_t)distinct;
    const Contribution *from = c;
    do {
        if (s->level_count == SUMS_LEVELS)
            return false;
        SumsLevel *level = &s->levels[s->level_count++];
        level->start = malloc((count + 2) * sizeof *level->start);
        level->list = malloc((count + 1) * sizeof *level->list);
        if (!level->start || !level->list)
            return false;
        count = cut(level, from, count, work);
        from = work;
    } while (count > distinct);
    s->keys = malloc((distinct + 1) * sizeof *s->keys);
    for (size_t i = 0; s->keys && i < distinct; i++)
        s->keys[i] = from[i].key;
    return s->keys != NULL;
}

bool sums_make(Sums *s, Contribution *c, size_t count)
{
    *s = (Sums){0};
    if (count > UINT32_MAX - 2)
        return false;
    Contribution *work = malloc((count + 1) * sizeof *work);
    bool ok = work && sort(c, count) && make_levels(s, c, count, work);
    free(work);
    if (!ok)
        sums_fini(s);
    return ok;
}

void sums_fini(Sums *s)
{
    for (uint32_t i = 0; i < s->level_count; i++) {
        free(s->levels[i].start);
        free(s->levels[i].list);
        weft_buffer_release(s->levels[i].start_buffer);
        weft_buffer_release(s->levels[i].list_buffer);
        weft_buffer_release(s->levels[i].to);
    }
    free(s->keys);
    *s = (Sums){0};
}

/* ---- on the device ---- */

static bool upload(Sums *s, weft_context *ctx, bool f64)
{
    for (uint32_t i = 0; !s->uploaded && i < s->level_count; i++) {
        SumsLevel *l = &s->levels[i];
        uint64_t entries = l->start[l->targets];
        l->start_buffer = weft_buffer_create(ctx, &(weft_buffer_desc){
            .data = l->start, .data_size = (l->targets + 1ull) * 4, .label = "sum starts"});
        l->list_buffer = weft_buffer_create(ctx, &(weft_buffer_desc){
            .data = l->list, .data_size = entries * 4, .label = "sum lists"});
        l->to = weft_buffer_create(ctx, &(weft_buffer_desc){
            .size = (uint64_t)l->targets * (f64 ? 8 : 4), .uninitialized = true,
            .label = "sums"});
        if (!l->start_buffer || !l->list_buffer || !l->to)
            return false;
    }
    s->uploaded = true;
    return true;
}

static bool run_level(const SumsLevel *l, weft_context *ctx, weft_pipeline *pipeline,
                      weft_buffer *from)
{
    uint32_t groups = (l->targets + 63) / 64, rows = (groups + STRIDE_GROUPS - 1) / STRIDE_GROUPS;
    weft_binding bindings[4] = {{.buffer = from}, {.buffer = l->start_buffer},
                                {.buffer = l->list_buffer}, {.buffer = l->to}};
    context_count(ctx, "grad.sums", "count", 1);
    return weft_context_dispatch(ctx, &(weft_dispatch){
        .pipeline = pipeline, .bindings = bindings, .binding_count = 4,
        .groups = {rows > 1 ? STRIDE_GROUPS : groups, rows, 1}});
}

bool sums_run(Sums *s, weft_context *ctx, weft_buffer *from, bool f64)
{
    if (s->targets == 0)
        return true;
    Arena arena;
    arena_init(&arena, 0);
    const char *text = context_kernel_text(&arena, context_kernel_find(grad_kernels, "sum_lists"),
                                           "REAL", f64 ? "f64" : "f32", "ENABLE",
                                           f64 ? "enable weft_f64;" : "", NULL);
    weft_pipeline *pipeline = !text ? NULL : weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = text, .label = "sum_lists"});
    arena_fini(&arena);
    bool ok = pipeline && upload(s, ctx, f64);
    for (uint32_t i = 0; ok && i < s->level_count; i++)
        ok = run_level(&s->levels[i], ctx, pipeline, i == 0 ? from : s->levels[i - 1].to);
    weft_pipeline_release(pipeline);
    return ok;
}

weft_buffer *sums_result(const Sums *s)
{
    return s->level_count == 0 ? NULL : s->levels[s->level_count - 1].to;
}

/* ---- on the host ---- */

bool sums_host(double *out, const Sums *s, const void *from, bool f64)
{
    const double *wide = from;
    const float *narrow = from;
    double *previous = NULL;
    for (uint32_t i = 0; i < s->level_count; i++) {
        const SumsLevel *l = &s->levels[i];
        double *to = malloc((l->targets + 1u) * sizeof *to);
        if (!to) {
            free(previous);
            return false;
        }
        for (uint32_t t = 0; t < l->targets; t++) {
            double sum = 0;
            for (uint32_t k = l->start[t]; k < l->start[t + 1]; k++)
                sum += previous ? previous[l->list[k]] : f64 ? wide[l->list[k]]
                                                             : (double)narrow[l->list[k]];
            to[t] = sum;
        }
        free(previous);
        previous = to;
    }
    if (previous)
        memcpy(out, previous, s->targets * sizeof *out);
    free(previous);
    return true;
}
