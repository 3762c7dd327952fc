/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels.c - the common kernels through weft_execute() with resident data, beside C with
 * OpenMP; a stream beside the memory bandwidth that C reaches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "native/native.h"
#include "pool/pool_bench.h"

typedef struct Pair {
    const Bench       *bench;
    Work               work;
    char              *wgsl;
    weft_pool_context *ctx;
    weft_pool_data    *data[MAX_BUFFERS];
    char               names[MAX_BUFFERS][64];      /* of binding i                         */
    void              *zeros;
} Pair;

static const Bench *const common[] = {
    &bench_saxpy, &bench_matmul_naive, &bench_matmul_tiled, &bench_softmax, &bench_mandelbrot,
    &bench_nbody, &bench_histogram,
};

#define COMMON (sizeof common / sizeof *common)

/* ---- a launch ---- */

/* The names of bindings, by their numbers. */
static void find_names(Pair *p)
{
    weft_wgsl *m = weft_wgsl_create(&(weft_wgsl_desc){.source = p->wgsl});
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(m); i++) {
        const weft_entry_point *e = weft_wgsl_entry_point_get(m, i);
        for (uint32_t k = 0; k < e->binding_count; k++)
            if (e->bindings[k].binding < MAX_BUFFERS)
                snprintf(p->names[e->bindings[k].binding], sizeof p->names[0], "%s",
                         e->bindings[k].name);
    }
    weft_wgsl_release(m);
}

static void run_step(Pair *p, const Step *s)
{
    weft_execute_input  in[MAX_BUFFERS];
    weft_execute_output out[MAX_BUFFERS];
    weft_execute_report r;
    uint32_t ins = 0, outs = 0;
    for (uint32_t i = 0; i < p->work.narrays; i++) {
        const Array *a = &p->work.array[i];
        if (!p->names[i][0] || (s->bound && !(s->bound >> i & 1)))
            continue;
        if (a->is_uniform)
            in[ins++] = (weft_execute_input){.name = p->names[i],
                                             .data = (char *)a->data + s->offset,
                                             .size = s->size ? s->size : a->size};
        else
            in[ins++] = (weft_execute_input){.name = p->names[i], .resident = p->data[i]};
        if (i == p->work.out)
            out[outs++] = (weft_execute_output){.name = p->names[i], .resident = p->data[i]};
    }
    need(weft_execute(p->ctx, &(weft_execute_desc){
        .wgsl = p->wgsl, .entry = s->entry, .inputs = in, .input_count = ins, .outputs = out,
        .output_count = outs, .groups = {s->groups[0], s->groups[1], 1}}, &r), &r);
}

static void pair_pool(void *user)
{
    Pair *p = user;
    for (uint32_t i = 0; i < p->work.nsteps; i++) {
        const Step *s = &p->work.step[i];
        if (s->kind == STEP_CLEAR)
            weft_pool_data_write(p->data[s->to], 0, p->zeros, p->work.array[s->to].size);
        else if (s->kind == STEP_RUN)
            run_step(p, s);
        else
            stop("copies are not part of the common kernels");
    }
}

static void pair_native(void *user)
{
    const Pair *p = user;
    p->bench->native(&p->work);
}

static void pair_init(Pair *p, const Bench *b, weft_pool_context *ctx, bool small)
{
    size_t most = 0;
    *p = (Pair){.bench = b, .ctx = ctx};
    work_init(&p->work, b, small);
    p->wgsl = kernel_source(b, &p->work);
    find_names(p);
    for (uint32_t i = 0; i < p->work.narrays; i++) {
        const Array *a = &p->work.array[i];
        most = a->size > most ? a->size : most;
        p->data[i] = weft_pool_data_create(ctx, &(weft_pool_data_desc){
            .size = a->size, .data = a->data, .device_only = true});
    }
    p->zeros = calloc(1, most);
}

static void pair_fini(Pair *p)
{
    for (uint32_t i = 0; i < p->work.narrays; i++)
        weft_pool_data_release(p->data[i]);
    free(p->zeros);
    free(p->wgsl);
    work_fini(&p->work);
}

static void check(Pair *p)
{
    size_t size = p->work.array[p->work.out].size;
    void  *got = malloc(size);
    pair_pool(p);
    if (!weft_pool_data_read(got, p->data[p->work.out], 0, size))
        stop("%s: the result cannot be read", p->bench->name);
    const char *why = p->bench->check(&p->work, got);
    if (why)
        stop("%s: %s", p->bench->name, why);
    free(got);
}

void bench_kernels(const Options *o)
{
    static Match m;
    double   ratios[COMMON];
    uint32_t count = 0;
    weft_pool         *pool = cpu_pool();
    weft_pool_context *ctx = weft_pool_context_create(pool, NULL);
    for (uint32_t i = 0; i < COMMON; i++) {
        Pair p;
        pair_init(&p, common[i], ctx, o->small);
        pair_native(&p);
        check(&p);
        const Player players[] = {{pair_pool, &p}, {pair_native, &p}};
        match_play(&m, &(MatchDesc){.seconds = o->seconds / 2, .turns = o->small ? 1 : 9},
                   players, 2);
        ratios[count] = match_ratio(&m, 0, 1);
        printf("  %-14s execute %8.3f ms, C %8.3f ms, ratio %.3f\n", p.bench->name,
               match_median(&m, 0) * 1e3, match_median(&m, 1) * 1e3, ratios[count]);
        count++;
        pair_fini(&p);
    }
    row("kernels beside C with OpenMP, geometric mean", geometric_mean(ratios, count), "", 1,
        0.6, true);
    weft_pool_context_release(ctx);
    weft_pool_release(pool);
}

/* ---- a stream ---- */

typedef struct Stream {
    weft_pool_context  *ctx;
    weft_execute_input  in[2];
    weft_execute_output out;
    weft_execute_desc   desc;
    float              *x, *y, *z;
    size_t              n;
} Stream;

static const char stream_text[] =
    "@group(0) @binding(0) var<storage, read> x : array<vec4<f32>>;\n"
    "@group(0) @binding(1) var<storage, read> y : array<vec4<f32>>;\n"
    "@group(0) @binding(2) var<storage, read_write> z : array<vec4<f32>>;\n"
    "@compute @workgroup_size(256)\n"
    "fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "    if id.x < arrayLength(&z) { z[id.x] = 3.0 * x[id.x] + y[id.x]; }\n"
    "}\n";

static void stream_pool(void *user)
{
    Stream             *s = user;
    weft_execute_report r;
    need(weft_execute(s->ctx, &s->desc, &r), &r);
}

static void stream_native(void *user)
{
    Stream *s = user;
    native_saxpy_stream(s->z, s->x, s->y, 3, s->n);
}

static void stream_plain(void *user)
{
    Stream *s = user;
    native_saxpy(s->z, s->x, s->y, 3, s->n);
}

void bench_stream(const Options *o)
{
    static Match m;
    weft_pool *pool = cpu_pool();
    Stream     s = {.ctx = weft_pool_context_create(pool, NULL),
                    .n = o->small ? 1 << 12 : 1 << 24};
    size_t     bytes = s.n * sizeof(float);
    weft_pool_data *data[3];
    s.x = memory_new(bytes);
    s.y = memory_new(bytes);
    s.z = memory_new(bytes);
    for (size_t i = 0; i < s.n; i++)
        s.x[i] = s.y[i] = (float)(i % 100);
    for (int i = 0; i < 3; i++)
        data[i] = weft_pool_data_create(s.ctx, &(weft_pool_data_desc){
            .size = bytes, .data = i < 2 ? s.x : NULL, .device_only = true});
    s.in[0] = (weft_execute_input){.name = "x", .resident = data[0]};
    s.in[1] = (weft_execute_input){.name = "y", .resident = data[1]};
    s.out = (weft_execute_output){.name = "z", .resident = data[2]};
    s.desc = (weft_execute_desc){.wgsl = stream_text, .inputs = s.in, .input_count = 2,
                                 .outputs = &s.out, .output_count = 1};
    const Player players[] = {{stream_pool, &s}, {stream_native, &s}, {stream_plain, &s}};
    stream_pool(&s);
    match_play(&m, &(MatchDesc){.seconds = o->seconds, .turns = o->small ? 2 : 20}, players, 3);
    double best = match_median(&m, 1) < match_median(&m, 2) ? match_median(&m, 1)
                                                            : match_median(&m, 2);
    printf("  execute %.2f GB/s, C past the caches %.2f, plain C %.2f\n",
           3.0 * (double)bytes / match_median(&m, 0) * 1e-9,
           3.0 * (double)bytes / match_median(&m, 1) * 1e-9,
           3.0 * (double)bytes / match_median(&m, 2) * 1e-9);
    row("stream, share of memory bandwidth", 100 * best / match_median(&m, 0), "%", 85, 95,
        false);
    for (int i = 0; i < 3; i++)
        weft_pool_data_release(data[i]);
    memory_free(s.x, bytes);
    memory_free(s.y, bytes);
    memory_free(s.z, bytes);
    weft_pool_context_release(s.ctx);
    weft_pool_release(pool);
}
