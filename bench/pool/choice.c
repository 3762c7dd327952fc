/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choice.c - does the pool pick the right one of three devices?
 *
 * Three stand-ins have set rates, latency and memory, which the pool has to measure; 40
 * kernels at three sizes run on each of them and where the pool wants. What a kernel costs
 * there is said in its text, counted by hand; the pool knows only its analysis.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/pool_bench.h"
#include "standin.h"

#define KERNELS 40
#define SIZES   3

typedef struct Kernel {
    const char *name;
    const char *body;               /* y[i] from x[], w[]; K is replaced by `k`             */
    uint32_t    k;
    double      flops, functions, bytes;    /* per invocation, with k; bytes of memory      */
} Kernel;

/* Bytes: what has to come from memory at least once, 4 for each element of x, y and w that
 * an invocation is the first to touch. */
#define FMA(K)  {"fma " #K, "for (var j = 0u; j < Ku; j++) { a = fma(a, 1.01, 0.5); }", K,   \
                 2.0 * K, 0, 8}
#define EXP(K)  {"exp " #K, "for (var j = 0u; j < Ku; j++) { a = exp(-a); }", K, K, K, 8}
#define SUM(K)  {"sum " #K, "for (var j = 0u; j < Ku; j++) { a += w[j]; }", K, K, 0, 8}
#define POLY(K) {"poly " #K, "for (var j = 0u; j < Ku; j++) { a = a * a + w[j]; }", K,       \
                 2.0 * K, 0, 8}
#define NEAR(K) {"near " #K, "for (var j = 0u; j < Ku; j++) { a += x[(i + j) % n] * w[j]; }", K, \
                 2.0 * K, 0, 8}
#define HASH(K) {"hash " #K, "var h = i; for (var j = 0u; j < Ku; j++) { h = (h ^ (h >> 3u)) * "  \
                 "1664525u; } a = f32(h & 1u);", K, 0, 0, 4}

static const Kernel kernels[KERNELS] = {
    {"copy", "", 0, 0, 0, 8},
    {"scale", "a = a * 3.0;", 0, 1, 0, 8},
    {"axpy", "a = a * 3.0 + w[i];", 0, 2, 0, 12},
    {"triad", "a = a + w[i] * w[n - 1u - i];", 0, 2, 0, 12},
    {"root", "a = sqrt(a * a + 1.0);", 0, 3, 0, 8},
    {"square", "a = a * a;", 0, 1, 0, 8},
    {"select", "a = select(a, -a, a > 0.5);", 0, 2, 0, 8},
    {"blend", "a = mix(a, w[i], 0.25);", 0, 3, 0, 12},
    {"fill", "a = 1.0;", 0, 0, 0, 4},
    {"index", "a = f32(i) * 0.5;", 0, 1, 0, 4},
    FMA(4), FMA(16), FMA(64), FMA(128), FMA(256), FMA(512), FMA(1024), FMA(2048),
    EXP(1), EXP(4), EXP(16), EXP(64),
    SUM(4), SUM(16), SUM(64), SUM(256),
    POLY(4), POLY(16), POLY(64), POLY(256), POLY(512),
    NEAR(3), NEAR(5), NEAR(9), NEAR(27), NEAR(81),
    HASH(2), HASH(4),
    {"two", "a = a * w[i] + w[i];", 0, 2, 0, 12},
    {"clamp", "a = clamp(a, 0.25, 0.75) * 2.0;", 0, 3, 0, 8},
};

static const uint32_t sizes[SIZES] = {1024, 8192, 65536};

static const StandinSettings settings[3] = {
    {.name = "near", .f32_rate = 8e8, .function_rate = 8e7, .bandwidth = 1.6e8,
     .launch_ns = 90e3, .upload_rate = 2.5e8, .read_rate = 2.5e8, .memory = (uint64_t)4 << 30},
    {.name = "wide", .type = "discrete", .f32_rate = 6.5e10, .function_rate = 6.5e9,
     .bandwidth = 8e9, .launch_ns = 950e3, .upload_rate = 2e8, .read_rate = 2e8,
     .memory = (uint64_t)1 << 30},
    {.name = "middle", .type = "integrated", .f32_rate = 8e9, .function_rate = 8e8,
     .bandwidth = 1e9, .launch_ns = 525e3, .upload_rate = 2.1e8, .read_rate = 2.1e8,
     .memory = (uint64_t)2 << 30},
};

/* ---- stand-ins ---- */

static StandinState *open_standin(const char *path, const StandinSettings *s)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*configure)(const StandinSettings *);
    StandinState *(*get)(void);
    if (!handle)
        stop("%s", dlerror());
    void *symbol = dlsym(handle, "standin_configure");
    memcpy(&configure, &symbol, sizeof symbol);
    symbol = dlsym(handle, "standin_state");
    memcpy(&get, &symbol, sizeof symbol);
    configure(s);
    return get();
}

/* ---- kernels ---- */

static void write_text(char *out, size_t size, const Kernel *k)
{
    char number[16], body[512] = "";
    snprintf(number, sizeof number, "%u", k->k);
    for (const char *at = k->body; *at; at++) {
        char one[2] = {*at, 0};
        bool here = at[0] == 'K' && at[1] == 'u';
        strncat(body, here ? number : one, sizeof body - strlen(body) - 1);
    }
    snprintf(out, size,
             "//! flops %g functions %g bytes %g\n"
             "@group(0) @binding(0) var<storage, read> x : array<f32>;\n"
             "@group(0) @binding(1) var<storage, read> w : array<f32>;\n"
             "@group(0) @binding(2) var<storage, read_write> y : array<f32>;\n"
             "@compute @workgroup_size(64)\n"
             "fn main(@builtin(global_invocation_id) id : vec3u) {\n"
             "    let i = id.x;\n"
             "    let n = arrayLength(&y);\n"
             "    var a = x[i] + 0.0 * w[0];\n"
             "    %s\n"
             "    y[i] = a;\n"
             "}\n", k->flops, k->functions, k->bytes, body);
}

typedef struct Run {
    weft_pool_context  *ctx;
    StandinState       *states[3];
    weft_execute_input  in[2];
    weft_execute_output out;
    weft_execute_desc   desc;
    char                text[2048];
} Run;

/* Nanoseconds on the device that the policy takes; it goes to *device. */
static double run(Run *r, const char *word, uint32_t *device)
{
    unsigned long long before[3];
    weft_execute_report report;
    for (int i = 0; i < 3; i++)
        before[i] = atomic_load(&r->states[i]->simulated_ns);
    r->desc.device = word;
    need(weft_execute(r->ctx, &r->desc, &report), &report);
    *device = report.device_index;
    return (double)(atomic_load(&r->states[*device]->simulated_ns) - before[*device]);
}

typedef struct Score {
    uint32_t cases, good, best[3];
    double   worst;
} Score;

/* All kernels at all sizes: first where the pool wants, then on each device. */
static void play(Run *r, Score *s, const Options *o, bool known)
{
    for (uint32_t k = 0; k < KERNELS; k++) {
        if (o->small && k % 10)
            continue;
        write_text(r->text, sizeof r->text, &kernels[k]);
        if (known)                      /* what runs on one device tells of the others, too */
            for (uint32_t d = 0; d < 3; d++) {
                uint32_t at;
                r->in[0].size = r->in[1].size = r->out.size = sizes[1] * 4;
                run(r, settings[d].name, &at);
                run(r, settings[d].name, &at);
            }
        for (uint32_t z = 0; z < (o->small ? 1 : SIZES); z++) {
            double   times[3], least = INFINITY, ratio;
            uint32_t chosen, at, best = 0;
            r->in[0].size = r->in[1].size = r->out.size = sizes[z] * 4;
            double time = run(r, NULL, &chosen);
            for (uint32_t d = 0; d < 3; d++) {
                times[d] = run(r, settings[d].name, &at);
                best = times[d] < least ? d : best;
                least = fmin(least, times[d]);
            }
            ratio = time / least;
            s->cases++;
            s->good += ratio <= 1.1;
            s->best[best]++;
            s->worst = fmax(s->worst, ratio);
            if (ratio > 1.1)
                printf("    %-10s %7u: took %s, %.0f us; near %.0f, wide %.0f, middle %.0f\n",
                       kernels[k].name, sizes[z], settings[chosen].name, time * 1e-3,
                       times[0] * 1e-3, times[1] * 1e-3, times[2] * 1e-3);
        }
    }
}

static void report(const char *what, const Score *s)
{
    printf("  %u cases; best: near %.0f %%, wide %.0f %%, middle %.0f %%; worst choice %.2f "
           "times the best\n", s->cases, 100.0 * s->best[0] / s->cases,
           100.0 * s->best[1] / s->cases, 100.0 * s->best[2] / s->cases, s->worst);
    row(what, 100.0 * s->good / s->cases, "%", 90, 98, false);
}

/* Measured over set. */
static void tell_profiles(const weft_pool *pool)
{
    for (uint32_t i = 0; i < 3; i++) {
        const StandinSettings *s = &settings[i];
        weft_pool_device d;
        weft_pool_device_get(&d, pool, i);
        printf("  %-7s measured / set: f32 %.3f, functions %.3f, bandwidth %.3f, launch %.3f, "
               "upload %.3f, read %.3f\n", s->name, d.profile.f32_rate / s->f32_rate,
               d.profile.function_rate / s->function_rate, d.profile.bandwidth / s->bandwidth,
               d.profile.launch_ns / s->launch_ns, d.profile.upload_rate / s->upload_rate,
               d.profile.read_rate / s->read_rate);
    }
}

void bench_choice(const Options *o)
{
    static const char *const paths[] = {STANDIN_A, STANDIN_B, STANDIN_C, NULL};
    static Run r;
    Score first = {0}, later = {0};
    for (int i = 0; i < 3; i++)
        r.states[i] = open_standin(paths[i], &settings[i]);
    float *x = calloc(sizes[SIZES - 1], sizeof *x), *y = calloc(sizes[SIZES - 1], sizeof *y);
    for (int turn = 0; turn < 2; turn++) {
        weft_pool *pool = weft_pool_create(&(weft_pool_desc){
            .libraries = paths, .no_own = true, .no_cache = true,
            .benchmark_timeout = o->small ? 50000000 : 0});
        if (weft_pool_device_count(pool) != 3)
            stop("three stand-ins are %u devices", weft_pool_device_count(pool));
        tell_profiles(pool);
        r.ctx = weft_pool_context_create(pool, NULL);
        r.in[0] = (weft_execute_input){.name = "x", .data = x};
        r.in[1] = (weft_execute_input){.name = "w", .data = x};
        r.out = (weft_execute_output){.name = "y", .data = y};
        r.desc = (weft_execute_desc){.wgsl = r.text, .inputs = r.in, .input_count = 2,
                                     .outputs = &r.out, .output_count = 1};
        play(&r, turn ? &later : &first, o, turn);
        weft_pool_context_release(r.ctx);
        weft_pool_release(pool);
    }
    free(x);
    free(y);
    report("choice of a kernel that never ran", &first);
    report("choice of a kernel that ran before", &later);
}
