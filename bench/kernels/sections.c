/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sections.c - what is not one kernel's time: an empty launch, compiling, threads.
 *
 * in     the common set
 * out    lines of text, or of JSON
 * not    Weft's insides
 */
#define _XOPEN_SOURCE 700
#include "kernels/main_priv.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "native/native.h"

/* ---- an empty launch ---- */

static const char *const empty_wgsl = "@compute @workgroup_size(1) fn main() {}";

#define LAUNCHES 2000u

void section_launch(const Options *o)
{
    static double times[LAUNCHES];
    const uint32_t n = LAUNCHES;
    Device *d = device_open(&(DeviceDesc){.threads = o->threads, .cpu = o->cpu});
    Work w = {.nsteps = 1, .step = {{.kind = STEP_RUN, .groups = {1, 1}}}};
    Runner *r = runner_new(d, empty_wgsl, &w);
    runner_launch(r);
    for (uint32_t i = 0; i < n; i++) {
        double begin = now();
        runner_launch(r);
        times[i] = now() - begin;
    }
    double middle = median(times, n);
    printf(o->choice.json ? "{\"section\":\"launch\",\"median_us\":%.3f,\"best_us\":%.3f}\n"
                   : "\nempty launch, submit to completion: median %.1f us, shortest %.1f us\n",
           1e6 * middle, 1e6 * times[0]);
    runner_free(r);
    device_close(d);
}

/* ---- compiling ---- */

#define COMPILES 9u

/* The median of `n` times, each with a device of its own: nothing is in memory. */
static double compile_time(const Options *o, const char *wgsl, const char *cache, uint32_t n,
                           double (*clock)(void))
{
    double times[COMPILES];
    for (uint32_t i = 0; i < n; i++) {
        Device *d = device_open(&(DeviceDesc){.threads = 1, .cache = cache, .cpu = o->cpu});
        double begin = clock();
        device_compile(d, wgsl, "main");
        times[i] = clock() - begin;
        device_close(d);
    }
    return median(times, n);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void remove_folder(const char *folder)
{
    if (nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0)
        fprintf(stderr, "bench: %s is left behind\n", folder);
}

static void print_compile(const Options *o, const char *name, double cold, double warm)
{
    printf(o->choice.json ? "{\"section\":\"compile\",\"name\":\"%s\",\"anew_ms\":%.4f,"
                     "\"disk_ms\":%.4f}\n"
                   : "%-35s %9.2f %11.2f\n",
           name, 1e3 * cold, 1e3 * warm);
}

void section_compile(const Options *o)
{
    double cold[64], warm[64];
    double (*clock)(void) = o->choice.match.cpu_time ? cpu_now : now;
    uint32_t n = 0;
    char folder[] = "/tmp/weft-bench-XXXXXX";
    if (!mkdtemp(folder))
        stop("no folder for the cache");
    if (!o->choice.json)
        printf("\ncompiling (WGSL to pipeline), ms         anew   from disk\n");
    for (uint32_t i = 0; all_benches[i] && n < 64; i++) {
        if (strcmp(all_benches[i]->set, "common") != 0)
            continue;
        Work w;
        work_init(&w, all_benches[i], true);
        char *wgsl = kernel_source(all_benches[i], &w);
        cold[n] = compile_time(o, wgsl, NULL, COMPILES, clock);
        compile_time(o, wgsl, folder, 1, clock);          /* puts it there */
        warm[n] = compile_time(o, wgsl, folder, COMPILES, clock);
        print_compile(o, all_benches[i]->name, cold[n], warm[n]);
        n++;
        free(wgsl);
        work_fini(&w);
    }
    print_compile(o, "median", median(cold, n), median(warm, n));
    remove_folder(folder);
}

/* ---- threads ---- */

typedef struct Threaded {
    Pair    *pair;
    uint32_t threads;
} Threaded;

static void run_threaded(void *user)
{
    const Threaded *t = user;
    native_threads((int)t->threads);
    pair_native(t->pair);
}

static void print_speed_up(const Options *o, const char *name, double c, double weft)
{
    if (o->choice.json)
        printf("{\"section\":\"threads\",\"name\":\"%s\",\"threads\":%u,\"c\":%.4f,"
               "\"weft\":%.4f}\n", name, o->threads, c, weft);
    else
        printf("%-18s %9.2f %9.2f\n", name, c, weft);
}

static void speed_up(double out[2], const Options *o, const Bench *b, Device *one,
                     Device *many)
{
    Pair p, q;
    Match m;
    MatchDesc desc = o->choice.match;
    pair_init(&p, b, one, false);
    pair_init(&q, b, many, false);
    Threaded a = {&p, 1}, z = {&p, o->threads};
    Player players[4] = {{run_threaded, &a}, {run_threaded, &z}, {pair_weft, &p},
                         {pair_weft, &q}};
    match_play(&m, &desc, players, 4);
    out[0] = match_ratio(&m, 0, 1);
    out[1] = match_ratio(&m, 2, 3);
    print_speed_up(o, b->name, out[0], out[1]);
    pair_fini(&p);
    pair_fini(&q);
}

void section_threads(const Options *o)
{
    double c[64], weft[64];
    uint32_t n = 0;
    Device *one = device_open(&(DeviceDesc){.threads = 1, .cpu = o->cpu});
    Device *many = device_open(&(DeviceDesc){.threads = o->threads, .cpu = o->cpu});
    if (!o->choice.json)
        printf("\n%u threads: times as fast as one\n%-18s %9s %9s\n", o->threads, "", "C", "Weft");
    for (uint32_t i = 0; all_benches[i] && n < 64; i++) {
        double pair[2];
        if (strcmp(all_benches[i]->set, "common") != 0)
            continue;
        speed_up(pair, o, all_benches[i], one, many);
        c[n] = pair[0];
        weft[n++] = pair[1];
    }
    print_speed_up(o, "geometric mean", geometric_mean(c, n), geometric_mean(weft, n));
    native_threads((int)o->threads);
    device_close(one);
    device_close(many);
}
