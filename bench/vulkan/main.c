/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - Weft's Vulkan device beside Vulkan written by hand, on the same driver.
 *
 *     vulkan [OPTION...] [NAME...]
 *
 * in     the common kernels in WGSL; the same in GLSL, compiled by glslang
 * out    a table: milliseconds a launch, Weft's speed as a share of the other's, and
 *        what it takes to make SPIR-V; status 1 if a result is wrong
 *
 * VK_ICD_FILENAMES chooses the driver, as for every program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "vulkan/hand.h"
#include "vulkan/spirv.h"

static const char *const usage =
    "usage: vulkan [OPTION...] [NAME...]\n"
    "\n"
    "  NAME          a kernel of the common set, or `empty`; default: all\n"
    "  --seconds=S   for each kernel; default: 2\n"
    "  --turns=N     of each player, at least; default: 3\n"
    "  --cpu-time    count the time that processors worked, not what passed\n"
    "  --small       tiny data, few turns: are the results right?\n"
    "  --json        one line of JSON a kernel instead of the table\n";

enum { HAND, WEFT };

static const Bench *const benches[] = {
#define BENCH(name) &bench_##name,
#include "kernels/kernels.def"
#undef BENCH
};

typedef struct Options {
    bool         small, cpu_time, json;
    double       seconds;
    uint32_t     turns;
    const char **names;
    uint32_t     nnames;
} Options;

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
    void *weft = runner_result(p->runner);
    bool  ok = is_right(b, w, "the hand-written Vulkan", hand_result(p->hand));
    ok = is_right(b, w, "Weft", weft) && ok;
    memory_free(weft, w->array[w->out].size);
    return ok;
}

/* ---- a kernel ---- */

static void print_line(const Options *o, const char *name, const Match *m, double spirv)
{
    const double hand = 1e3 * match_median(m, HAND), weft = 1e3 * match_median(m, WEFT);
    const double best_hand = 1e3 * match_best(m, HAND), best_weft = 1e3 * match_best(m, WEFT);
    const double share = 1 / match_ratio(m, WEFT, HAND);
    if (o->json)
        printf("{\"name\":\"%s\",\"hand_ms\":%.4f,\"weft_ms\":%.4f,\"speed\":%.4f,"
               "\"best_hand_ms\":%.4f,\"best_weft_ms\":%.4f,\"spirv_ms\":%.4f}\n",
               name, hand, weft, share, best_hand, best_weft, 1e3 * spirv);
    else
        printf("%-14s %10.3f %10.3f %6.0f %%   %10.3f %10.3f %6.0f %% %9.2f\n", name, hand,
               weft, 100 * share, best_hand, best_weft, 100 * best_hand / best_weft,
               1e3 * spirv);
    fflush(stdout);
}

/* One line of the table; Weft's share, or 0 if a result is wrong. */
static double measure(const Options *o, const Bench *b, const char *wgsl, const Work *w,
                      Device *d)
{
    static Match m;
    char spv[600];
    snprintf(spv, sizeof spv, "%s/%s.spv", BENCH_SHADERS, b->name);
    Pair p = {hand_new(spv, w), runner_new(d, wgsl, w)};
    const Player players[] = {[HAND] = {launch_hand, &p}, [WEFT] = {launch_weft, &p}};
    launch_hand(&p);
    launch_weft(&p);
    bool ok = check_both(b, w, &p);
    match_play(&m, &(MatchDesc){o->seconds, o->turns, o->cpu_time}, players, 2);
    ok = check_both(b, w, &p) && ok;
    print_line(o, b->name, &m, spirv_seconds(wgsl));
    hand_free(p.hand);
    runner_free(p.runner);
    return ok ? 1 / match_ratio(&m, WEFT, HAND) : 0;
}

static double measure_kernel(const Options *o, const Bench *b, Device *d)
{
    Work  w;
    work_init(&w, b, o->small);
    char *wgsl = kernel_source(b, &w);
    double share = measure(o, b, wgsl, &w, d);
    free(wgsl);
    work_fini(&w);
    return share;
}

static double measure_empty(const Options *o, Device *d)
{
    static const Bench empty = {.name = "empty"};
    Work w = {.nsteps = 1, .step = {{.kind = STEP_RUN, .groups = {1, 1}}}};
    return measure(o, &empty, "@compute @workgroup_size(1) fn main() {}", &w, d);
}

/* ---- the command ---- */

static bool is_common(const Bench *b)
{
    return strcmp(b->set, "common") == 0;
}

static bool is_known(const char *name)
{
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
        if (is_common(benches[i]) && strcmp(benches[i]->name, name) == 0)
            return true;
    return strcmp(name, "empty") == 0;
}

static bool is_wanted(const Options *o, const char *name)
{
    for (uint32_t i = 0; i < o->nnames; i++)
        if (strcmp(o->names[i], name) == 0)
            return true;
    return o->nnames == 0;
}

static void read_option(Options *o, const char *text)
{
    if (strcmp(text, "--small") == 0) {
        o->small = true;
        o->seconds = 0;
    } else if (strcmp(text, "--cpu-time") == 0) {
        o->cpu_time = true;
    } else if (strcmp(text, "--json") == 0) {
        o->json = true;
    } else if (sscanf(text, "--seconds=%lf", &o->seconds) == 1 && o->seconds >= 0) {
        return;
    } else if (sscanf(text, "--turns=%u", &o->turns) == 1 && o->turns > 0) {
        return;
    } else if (text[0] != '-' && is_known(text)) {
        o->names[o->nnames++] = text;
    } else {
        fprintf(stderr, "vulkan: '%s' is neither an option nor a name\n%s", text, usage);
        exit(2);
    }
}

static void print_head(const Options *o)
{
    if (o->json)
        return;
    printf("Vulkan written by hand, and Weft's device on the same driver; ms %sa launch\n\n",
           o->cpu_time ? "of processor time " : "");
    printf("%-14s %30s   %30s\n", "", "median of the turns    ", "shortest turn      ");
    printf("%-14s %10s %10s %8s   %10s %10s %8s %9s\n", "kernel", "by hand", "Weft", "speed",
           "by hand", "Weft", "speed", "SPIR-V");
}

static bool measure_all(const Options *o, Device *d)
{
    double   shares[sizeof benches / sizeof *benches];
    uint32_t n = 0;
    bool     ok = true;
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
        if (is_common(benches[i]) && is_wanted(o, benches[i]->name)) {
            shares[n] = measure_kernel(o, benches[i], d);
            ok = shares[n++] > 0 && ok;
        }
    if (is_wanted(o, "empty"))
        ok = measure_empty(o, d) > 0 && ok;
    if (n && !o->json)
        printf("\ngeometric mean of the kernels: %.0f %%\n", 100 * geometric_mean(shares, n));
    return ok;
}

int main(int argc, char **argv)
{
    Options o = {.seconds = 2, .turns = 3, .names = calloc((size_t)argc, sizeof *o.names)};
    if (!o.names)
        stop("no memory");
    for (int i = 1; i < argc; i++)
        read_option(&o, argv[i]);
    Device *d = device_open(&(DeviceDesc){.vulkan = true});
    print_head(&o);
    bool ok = measure_all(&o, d);
    device_close(d);
    free(o.names);
    return !ok;
}
