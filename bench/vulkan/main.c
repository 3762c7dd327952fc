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
    "  NAME          a kernel of the common set, `empty`, `dispatches`, `upload` or\n"
    "                `readback`; default: all\n"
    "  --seconds=S   for each kernel; default: 2\n"
    "  --turns=N     of each player, at least; default: 3\n"
    "  --cpu-time    count the time that processors worked, not what passed\n"
    "  --small       tiny data, one turn: are the results right?\n"
    "  --json        one line of JSON a kernel instead of the table\n";

enum { HAND, WEFT };

static const Bench *const benches[] = {
#define BENCH(name) &bench_##name,
#include "kernels/kernels.def"
#undef BENCH
};

typedef struct Pair {
    Hand   *hand;
    Runner *runner;
    void   *to;                     /* as large as the array w->out; NULL: none    */
} Pair;

/* What both do in a turn. */
typedef struct Deed {
    void (*hand)(void *pair), (*weft)(void *pair);
} Deed;

static void launch_hand(void *pair)
{
    hand_launch(((Pair *)pair)->hand);
}

static void launch_weft(void *pair)
{
    runner_launch(((Pair *)pair)->runner);
}

static void write_hand(void *pair)
{
    hand_write(((Pair *)pair)->hand, 0);
}

static void write_weft(void *pair)
{
    runner_write(((Pair *)pair)->runner, 0);
}

static void read_hand(void *pair)
{
    hand_read(((Pair *)pair)->hand, ((Pair *)pair)->to);
}

static void read_weft(void *pair)
{
    runner_read(((Pair *)pair)->runner, ((Pair *)pair)->to);
}

static const Deed launches = {launch_hand, launch_weft};
static const Deed writes = {write_hand, write_weft};
static const Deed reads = {read_hand, read_weft};

static bool is_right(const Bench *b, const Work *w, const char *who, const void *out)
{
    const char *what = b->check ? b->check(w, out) : NULL;
    if (what)
        fprintf(stderr, "%s: the result of %s is wrong: %s\n", b->name, who, what);
    return !what;
}

static bool is_same(const Bench *b, const Array *a, const char *who, const void *out)
{
    bool same = memcmp(a->data, out, a->size) == 0;
    if (!same)
        fprintf(stderr, "%s: %s brings other data\n", b->name, who);
    return same;
}

/* Of work without a kernel: what is on both sides, and what comes from there. */
static bool check_data(const Bench *b, const Work *w, Pair *p)
{
    if (!w->narrays)
        return true;
    const Array *a = &w->array[w->out];
    bool ok = is_same(b, a, "the hand-written Vulkan", hand_result(p->hand));
    memset(p->to, 0, a->size);
    hand_read(p->hand, p->to);
    ok = is_same(b, a, "the hand-written Vulkan", p->to) && ok;
    memset(p->to, 0, a->size);
    runner_read(p->runner, p->to);
    return is_same(b, a, "Weft", p->to) && ok;
}

static bool check_both(const Bench *b, const Work *w, Pair *p)
{
    if (!b->check)
        return check_data(b, w, p);
    void *weft = runner_result(p->runner);
    bool  ok = is_right(b, w, "the hand-written Vulkan", hand_result(p->hand));
    ok = is_right(b, w, "Weft", weft) && ok;
    memory_free(weft, w->array[w->out].size);
    return ok;
}

/* ---- a kernel ---- */

static void print_line(const Choice *c, const char *name, const Match *m, double spirv)
{
    const double hand = 1e3 * match_median(m, HAND), weft = 1e3 * match_median(m, WEFT);
    const double best_hand = 1e3 * match_best(m, HAND), best_weft = 1e3 * match_best(m, WEFT);
    const double share = 1 / match_ratio(m, WEFT, HAND);
    if (c->json)
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
static double measure(const Choice *c, const Bench *b, const char *wgsl, const Work *w,
                      Device *d, const Deed *deed)
{
    static Match m;
    char spv[600];
    snprintf(spv, sizeof spv, "%s/%s.spv", BENCH_SHADERS, b->check ? b->name : "empty");
    Pair p = {hand_new(spv, w), runner_new(d, wgsl, w), NULL};
    const Player players[] = {[HAND] = {deed->hand, &p}, [WEFT] = {deed->weft, &p}};
    size_t size = w->narrays ? w->array[w->out].size : 0;
    p.to = size ? memory_new(size) : NULL;
    deed->hand(&p);
    deed->weft(&p);
    bool ok = check_both(b, w, &p);
    match_play(&m, &c->match, players, 2);
    ok = check_both(b, w, &p) && ok;
    print_line(c, b->name, &m, spirv_seconds(wgsl));
    memory_free(p.to, size);
    hand_free(p.hand);
    runner_free(p.runner);
    return ok ? 1 / match_ratio(&m, WEFT, HAND) : 0;
}

static double measure_kernel(const Choice *c, const Bench *b, Device *d)
{
    Work  w;
    work_init(&w, b, c->small);
    char *wgsl = kernel_source(b, &w);
    double share = measure(c, b, wgsl, &w, d, &launches);
    free(wgsl);
    work_fini(&w);
    return share;
}

/* ---- what is not a kernel ---- */

typedef struct Extra {
    const char *name;
    uint32_t    runs;               /* dispatches of nothing                      */
    size_t      bytes;              /* of an array; 0: none                       */
    const Deed *deed;
} Extra;

static const Extra extras[] = {
    {"empty",      1,         0,                &launches},
    {"dispatches", MAX_STEPS, 0,                &launches},
    {"upload",     1,         (size_t)4 << 20,  &writes},
    {"readback",   1,         (size_t)4 << 20,  &reads},
};

static bool measure_extra(const Choice *c, const Extra *x, Device *d)
{
    const Bench b = {.name = x->name};
    Work  w = {0};
    if (x->bytes)
        memset(work_array(&w, x->bytes), 1, x->bytes);
    for (uint32_t i = 0; i < x->runs; i++)
        work_run(&w, NULL, 1, 1, 0);
    const char *wgsl = x->bytes ? "@group(0) @binding(0) var<storage, read_write> a : array<u32>;"
                                  "@compute @workgroup_size(1) fn main() { _ = &a; }"
                                : "@compute @workgroup_size(1) fn main() {}";
    double share = measure(c, &b, wgsl, &w, d, x->deed);
    work_fini(&w);
    return share > 0;
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
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++)
        if (strcmp(extras[i].name, name) == 0)
            return true;
    return false;
}

static void print_head(const Choice *c)
{
    if (c->json)
        return;
    printf("Vulkan written by hand, and Weft's device on the same driver; ms %sa launch\n\n",
           c->match.cpu_time ? "of processor time " : "");
    printf("%-14s %30s   %30s\n", "", "median of the turns    ", "shortest turn      ");
    printf("%-14s %10s %10s %8s   %10s %10s %8s %9s\n", "kernel", "by hand", "Weft", "speed",
           "by hand", "Weft", "speed", "SPIR-V");
}

static bool measure_all(const Choice *c, Device *d)
{
    double   shares[sizeof benches / sizeof *benches];
    uint32_t n = 0;
    bool     ok = true;
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
        if (is_common(benches[i]) && chosen(c, benches[i]->name)) {
            shares[n] = measure_kernel(c, benches[i], d);
            ok = shares[n++] > 0 && ok;
        }
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++)
        if (chosen(c, extras[i].name))
            ok = measure_extra(c, &extras[i], d) && ok;
    if (n && !c->json)
        printf("\ngeometric mean of the kernels: %.0f %%\n", 100 * geometric_mean(shares, n));
    return ok;
}

int main(int argc, char **argv)
{
    Choice c;
    choice_init(&c, &(ChoiceDesc){.program = "vulkan", .usage = usage, .match = {2, 3, false},
                                  .is_name = is_known}, argc, argv);
    Device *d = device_open(&(DeviceDesc){.vulkan = true});
    print_head(&c);
    bool ok = measure_all(&c, d);
    device_close(d);
    choice_fini(&c);
    return !ok;
}
