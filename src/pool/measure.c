// SPDX-License-Identifier: Apache-2.0
/*
 * measure.c - measures a device: rates, bandwidth, latency, transfers.
 *
 * in     the descriptor that opens it, a time by which to end
 * out    a profile; what there was no time for stays as it was guessed
 * knows  weft/context.h, the kernels of this folder
 * not    where profiles are kept (profile.c), processes (probe.c)
 */
#include <stdio.h>
#include <string.h>

#include "context/context.h"
#include "pool/pool_priv.h"

#define LEAST_NS    3000000u            /* that one measurement takes                  */
#define MOST_REPEAT 256u
#define TURNS       3u
#define INVOCATIONS (1u << 16)
#define MOST_BYTES  ((uint64_t)128 << 20)   /* of buffers beyond the caches            */
#define MOVE_BYTES  ((uint64_t)16 << 20)    /* of transfers                            */
#define LONG_NS     1e8                     /* a copy beyond the caches takes less     */

extern const EmbeddedKernel pool_kernels[];

typedef struct Bench {
    weft_context *ctx;
    weft_profile *p;
    uint64_t      until;
} Bench;

typedef struct Job {
    weft_pipeline *pipeline;
    weft_buffer   *buffers[2];
    uint32_t       count, groups;
} Job;

/* ---- timing ---- */

/* ns of `repeat` dispatches in one submit; 0 on failure. */
static uint64_t time_batch(Bench *b, const Job *j, uint32_t repeat)
{
    weft_binding bindings[2] = {{.buffer = j->buffers[0]}, {.buffer = j->buffers[1]}};
    uint64_t     start = clock_ns();
    for (uint32_t i = 0; i < repeat; i++)
        if (!weft_context_dispatch(b->ctx, &(weft_dispatch){
                .pipeline = j->pipeline, .bindings = bindings, .binding_count = j->count,
                .groups = {j->groups, 1, 1}}))
            return 0;
    if (!weft_context_wait(b->ctx))
        return 0;
    uint64_t ns = clock_ns() - start;
    return ns ? ns : 1;
}

/* The shortest ns of one dispatch; 0 on failure. */
static double time_job(Bench *b, const Job *j)
{
    double   best = 0;
    uint64_t first = time_batch(b, j, 1) ? time_batch(b, j, 1) : 0;
    if (!first)
        return 0;
    uint32_t repeat = first >= LEAST_NS ? 1 : (uint32_t)(LEAST_NS / first) + 1;
    repeat = repeat < MOST_REPEAT ? repeat : MOST_REPEAT;
    for (uint32_t i = 0; i < TURNS && (i == 0 || clock_ns() < b->until); i++) {
        double ns = (double)time_batch(b, j, repeat) / repeat;
        if (ns > 0 && (best == 0 || ns < best))
            best = ns;
    }
    return best;
}

static weft_pipeline *pipeline(Bench *b, const char *name)
{
    return weft_pipeline_create(b->ctx, &(weft_pipeline_desc){
        .wgsl = context_kernel_find(pool_kernels, name), .label = name});
}

/* ---- what is measured ---- */

/* True if the device computes at all. */
static bool measure_launch(Bench *b)
{
    uint32_t out[4] = {0};
    Job      j = {.pipeline = pipeline(b, "empty"), .count = 1, .groups = 1};
    double   least = 0;
    j.buffers[0] = weft_buffer_create(b->ctx, &(weft_buffer_desc){.size = sizeof out});
    for (uint32_t i = 0; i < 64 && (i < 4 || clock_ns() < b->until); i++) {
        double ns = (double)time_batch(b, &j, 1);
        if (ns > 0 && (least == 0 || ns < least))
            least = ns;
    }
    bool ok = least > 0 && weft_buffer_read(out, j.buffers[0], 0, sizeof out) && out[0] == 1;
    if (ok)
        b->p->launch_ns = least;
    weft_buffer_release(j.buffers[0]);
    weft_pipeline_release(j.pipeline);
    return ok;
}

/* Operations a second of one of the kernels of arithmetic. */
static void measure_rate(Bench *b, const char *kernel, double operations, double *rate)
{
    if (clock_ns() >= b->until)
        return;
    Job j = {.pipeline = pipeline(b, kernel), .count = 1, .groups = INVOCATIONS / 64};
    j.buffers[0] = weft_buffer_create(b->ctx, &(weft_buffer_desc){
        .size = (uint64_t)INVOCATIONS * 4});
    double ns = time_job(b, &j) - b->p->launch_ns / MOST_REPEAT;
    if (ns > 0)
        *rate = operations * INVOCATIONS / ns * 1e9;
    weft_buffer_release(j.buffers[0]);
    weft_pipeline_release(j.pipeline);
}

/* Bytes a second of a copy between buffers that have `bytes` together; 0 on failure. */
static double copy_rate(Bench *b, uint64_t bytes)
{
    uint64_t half = bytes / 2;
    uint32_t groups = (uint32_t)(half / 16 / 256);
    Job      j = {.pipeline = pipeline(b, "bandwidth"), .count = 2, .groups = groups};
    for (int i = 0; i < 2; i++)
        j.buffers[i] = weft_buffer_create(b->ctx, &(weft_buffer_desc){.size = half});
    double ns = j.buffers[1] ? time_job(b, &j) : 0;
    for (int i = 0; i < 2; i++)
        weft_buffer_release(j.buffers[i]);
    weft_pipeline_release(j.pipeline);
    weft_context_error_clear(b->ctx);
    return ns > 0 ? (double)bytes / ns * 1e9 : 0;
}

static void measure_memory(Bench *b)
{
    const WGPULimits *l = &weft_context_device(b->ctx)->limits;
    uint64_t most = MOST_BYTES, small[] = {256 << 10, 1 << 20, 4 << 20, 16 << 20};
    double   rates[COUNTOF(small)] = {0};
    while (most > MOVE_BYTES
           && (most / 2 > l->maxStorageBufferBindingSize || most / 2 > l->maxBufferSize
               || (b->p->memory && most > b->p->memory / 4)
               || most / 2 / 16 / 256 > l->maxComputeWorkgroupsPerDimension))
        most /= 2;
    if (clock_ns() >= b->until)
        return;
    double rate = copy_rate(b, MOVE_BYTES), large = 0;
    if (rate > 0 && (double)most / rate * 1e9 < LONG_NS)
        large = copy_rate(b, most);
    rate = large > 0 ? large : rate;
    if (rate > 0)
        b->p->bandwidth = b->p->cache_bandwidth = rate;
    for (uint32_t i = 0; i < COUNTOF(small) && clock_ns() < b->until; i++) {
        rates[i] = copy_rate(b, small[i]);
        if (rates[i] > b->p->cache_bandwidth)
            b->p->cache_bandwidth = rates[i];
    }
    b->p->cache_size = 0;
    for (uint32_t i = 0; i < COUNTOF(small); i++)
        if (rates[i] > (b->p->bandwidth + b->p->cache_bandwidth) / 2)
            b->p->cache_size = small[i];
}

static void measure_transfers(Bench *b, Arena *arena)
{
    uint64_t     bytes = MOVE_BYTES;
    uint8_t     *host = arena_alloc(arena, (size_t)bytes);
    weft_buffer *buffer = clock_ns() < b->until
        ? weft_buffer_create(b->ctx, &(weft_buffer_desc){.size = bytes}) : NULL;
    double up = 0, down = 0;
    memset(host, 1, (size_t)bytes);
    weft_context_wait(b->ctx);
    for (uint32_t i = 0; buffer && i <= TURNS && (i < 2 || clock_ns() < b->until); i++) {
        uint64_t start = clock_ns();
        bool     ok = weft_buffer_write(buffer, 0, host, bytes) && weft_context_wait(b->ctx);
        uint64_t middle = clock_ns();
        ok = ok && weft_buffer_read(host, buffer, 0, bytes);
        double up_ns = (double)(middle - start) + 1, down_ns = (double)(clock_ns() - middle) + 1;
        if (ok && i > 0) {              /* the first turn touches new pages */
            up = up == 0 || up_ns < up ? up_ns : up;
            down = down == 0 || down_ns < down ? down_ns : down;
        }
    }
    if (up > 0)
        b->p->upload_rate = (double)bytes / up * 1e9;
    if (down > 0)
        b->p->read_rate = (double)bytes / down * 1e9;
    weft_buffer_release(buffer);
    weft_context_error_clear(b->ctx);
}

/* ---- all of it ---- */

static void measure_all(Bench *b)
{
    Arena arena;
    arena_init(&arena, 0);
    measure_memory(b);
    measure_transfers(b, &arena);
    measure_rate(b, "f32_rate", 2.0 * 16 * 64, &b->p->f32_rate);
    measure_rate(b, "i32_rate", 2.0 * 16 * 64, &b->p->i32_rate);
    measure_rate(b, "function_rate", 8.0 * 16, &b->p->function_rate);
    if (weft_context_device(b->ctx)->f16)
        measure_rate(b, "f16_rate", 2.0 * 16 * 64, &b->p->f16_rate);
    arena_fini(&arena);
}

bool measure_device(weft_profile *out, const weft_context_desc *open, uint64_t until, char *why,
                    size_t why_size)
{
    Bench b = {.ctx = weft_context_create(open), .p = out, .until = until};
    bool  ok = b.ctx && !weft_context_error(b.ctx)->kind && measure_launch(&b);
    if (ok)
        measure_all(&b);
    const weft_error *e = weft_context_error(b.ctx);
    if (e->kind == WEFT_ERROR_DEVICE_LOST)
        ok = false;
    if (!ok)
        snprintf(why, why_size, "%s", e->kind ? e->message : "it computes wrong results");
    out->measured = ok;
    weft_context_release(b.ctx);
    return ok;
}
