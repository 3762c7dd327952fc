/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - Weft's Vulkan device beside Vulkan written by hand, on the same driver.
 *
 * in     the common kernels in WGSL; the same in GLSL, compiled by glslang
 * out    a table: milliseconds a launch, and Weft's speed as a share of the other's
 *
 * VK_ICD_FILENAMES chooses the driver, as for every program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "vulkan/hand.h"

enum { HAND, WEFT };

static const Bench *const benches[] = {
#define BENCH(name) &bench_##name,
#include "kernels/kernels.def"
#undef BENCH
};

typedef struct Pair {
    Hand   *hand;
    Runner *runner;
} Pair;

static void launch_hand(void *pair)
{
    hand_launch(((Pair *)pair)->hand);
}

static void launch_weft(void *pair)
{
    runner_launch(((Pair *)pair)->runner);
}

static bool is_right(const Bench *b, const Work *w, const char *who, const void *out)
{
    const char *what = b->check ? b->check(w, out) : NULL;
    if (what)
        fprintf(stderr, "%s: the result of %s is wrong: %s\n", b->name, who, what);
    return !what;
}

static bool check_both(const Bench *b, const Work *w, Pair *p)
{
    if (!w->narrays)
        return true;
    launch_hand(p);
    launch_weft(p);
    void *weft = runner_result(p->runner);
    bool  ok = is_right(b, w, "the hand-written Vulkan", hand_result(p->hand));
    ok = is_right(b, w, "Weft", weft) && ok;
    memory_free(weft, w->array[w->out].size);
    return ok;
}

/* One line of the table; its ratio, or 0 if a result is wrong. */
static double measure(const Bench *b, const char *wgsl, const Work *w, Device *d, double seconds)
{
    static Match m;
    char spv[600];
    snprintf(spv, sizeof spv, "%s/%s.spv", BENCH_SHADERS, b->name);
    Pair p = {hand_new(spv, w), runner_new(d, wgsl, w)};
    const Player players[] = {[HAND] = {launch_hand, &p}, [WEFT] = {launch_weft, &p}};
    bool ok = check_both(b, w, &p);
    match_play(&m, &(MatchDesc){.seconds = seconds, .turns = 3}, players, 2);
    ok = check_both(b, w, &p) && ok;
    double share = 1 / match_ratio(&m, WEFT, HAND);
    printf("%-16s %10.3f %10.3f %8.0f %%   %10.3f %10.3f %8.0f %%\n", b->name,
           1e3 * match_median(&m, HAND), 1e3 * match_median(&m, WEFT), 100 * share,
           1e3 * match_best(&m, HAND), 1e3 * match_best(&m, WEFT),
           100 * match_best(&m, HAND) / match_best(&m, WEFT));
    fflush(stdout);
    hand_free(p.hand);
    runner_free(p.runner);
    return ok ? share : 0;
}

static double measure_kernel(const Bench *b, Device *d, bool small, double seconds)
{
    Work  w;
    work_init(&w, b, small);
    char *wgsl = kernel_source(b, &w);
    double share = measure(b, wgsl, &w, d, seconds);
    free(wgsl);
    work_fini(&w);
    return share;
}

static double measure_empty(Device *d, double seconds)
{
    static const Bench empty = {.name = "empty"};
    Work w = {.nsteps = 1, .step = {{.kind = STEP_RUN, .groups = {1, 1}}}};
    return measure(&empty, "@compute @workgroup_size(1) fn main() {}", &w, d, seconds);
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) == 0)
            continue;
        any = true;
        if (strcmp(argv[i], name) == 0)
            return true;
    }
    return !any;
}

int main(int argc, char **argv)
{
    bool   small = false, ok = true;
    double seconds = 2, shares[64];
    uint32_t n = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--small") == 0) {
            small = true;
            seconds = 0;
        } else if (strncmp(argv[i], "--seconds=", 10) == 0) {
            seconds = atof(argv[i] + 10);
        }
    }
    Device *d = device_open(&(DeviceDesc){.vulkan = true});
    printf("Vulkan written by hand, and Weft's device on the same driver; ms a launch\n\n");
    printf("%-16s %32s   %32s\n", "", "median of the turns     ", "shortest turn       ");
    printf("%-16s %10s %10s %10s   %10s %10s %10s\n", "kernel", "by hand", "Weft", "speed",
           "by hand", "Weft", "speed");
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
        if (strcmp(benches[i]->set, "common") == 0 && is_wanted(benches[i]->name, argc, argv)) {
            shares[n] = measure_kernel(benches[i], d, small, seconds);
            ok = shares[n++] > 0 && ok;
        }
    if (is_wanted("empty", argc, argv))
        ok = measure_empty(d, seconds) > 0 && ok;
    if (n)
        printf("\ngeometric mean of the kernels: %.0f %%\n", 100 * geometric_mean(shares, n));
    device_close(d);
    return !ok;
}
