/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - kernel by kernel: C, Weft and where there is one a rival, in turns.
 *
 * in     the kernels that were chosen
 * out    one line each, and the geometric mean of the ratios
 * not    which kernels there are
 */
#include "kernels/main_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/native.h"

enum { NATIVE, WEFT, RIVAL };

typedef struct Row {
    const char *name, *set, *rival;
    double      median[3], best[3], ratio;
    double      rival_ratio;    /* time of Weft / time of the rival               */
    double      flops, bytes;
} Row;

/* ---- a pair ---- */

void pair_init(Pair *p, const Bench *b, Device *d, bool small)
{
    p->bench = b;
    work_init(&p->work, b, small);
    p->wgsl = kernel_source(b, &p->work);
    p->runner = runner_new(d, p->wgsl, &p->work);
}

void pair_fini(Pair *p)
{
    runner_free(p->runner);
    free(p->wgsl);
    work_fini(&p->work);
}

void pair_native(void *pair)
{
    const Pair *p = pair;
    p->bench->native(&p->work);
}

void pair_rival(void *pair)
{
    const Pair *p = pair;
    p->bench->rival.run(&p->work);
}

void pair_weft(void *pair)
{
    const Pair *p = pair;
    runner_launch(p->runner);
}

/* ---- results ---- */

static bool is_right(const Pair *p, const char *who, const void *out)
{
    const char *what = p->bench->check(&p->work, out);
    if (what)
        fprintf(stderr, "%s: the result of %s is wrong: %s\n", p->bench->name, who, what);
    return !what;
}

/* Each in its own memory, so that neither is checked against the other's result. */
static bool check_all(Pair *p, bool has_rival)
{
    Array *out = &p->work.array[p->work.out];
    runner_launch(p->runner);
    void *weft = runner_result(p->runner);
    bool ok = is_right(p, "Weft", weft);
    memory_free(weft, out->size);
    memset(out->data, 0x55, out->size);
    pair_native(p);
    ok = is_right(p, "C", out->data) && ok;
    if (has_rival) {
        memset(out->data, 0x55, out->size);
        pair_rival(p);
        ok = is_right(p, p->bench->rival.name, out->data) && ok;
    }
    return ok;
}

/* ---- a row ---- */

static bool has_rival(const Bench *b)
{
    if (!b->rival.name)
        return false;
    return strcmp(b->rival.name, "sgemm") == 0 ? native_has_blas()
         : strcmp(b->rival.name, "ggml") == 0  ? native_has_ggml() : true;
}

static bool measure(Row *row, const Options *o, const Bench *b, Device *d)
{
    Pair p;
    Match m;
    MatchDesc desc = o->choice.match;
    bool rival = has_rival(b);
    pair_init(&p, b, d, o->choice.small);
    bool ok = check_all(&p, rival);
    Player players[3] = {{pair_native, &p}, {pair_weft, &p}, {pair_rival, &p}};
    match_play(&m, &desc, players, rival ? 3 : 2);
    *row = (Row){.name = b->name, .set = b->set, .rival = rival ? b->rival.name : NULL,
                 .ratio = match_ratio(&m, WEFT, NATIVE),
                 .flops = p.work.flops, .bytes = p.work.bytes};
    for (uint32_t i = 0; i < m.nplayers; i++) {
        row->median[i] = match_median(&m, i);
        row->best[i] = match_best(&m, i);
    }
    if (rival)
        row->rival_ratio = match_ratio(&m, WEFT, RIVAL);
    ok = check_all(&p, rival) && ok;
    pair_fini(&p);
    return ok;
}

static void print_row(const Row *r)
{
    printf("%-18s %9.3f %9.3f %7.2f   %9.3f %9.3f %7.2f   %s\n", r->name,
           1e3 * r->median[NATIVE], 1e3 * r->median[WEFT], r->ratio, 1e3 * r->best[NATIVE],
           1e3 * r->best[WEFT], r->best[WEFT] / r->best[NATIVE], ratio_bar(r->ratio));
}

static void print_json(const Row *r)
{
    printf("{\"name\":\"%s\",\"set\":\"%s\",\"c_ms\":%.6f,\"weft_ms\":%.6f,\"ratio\":%.4f,"
           "\"c_best_ms\":%.6f,\"weft_best_ms\":%.6f",
           r->name, r->set, 1e3 * r->median[NATIVE], 1e3 * r->median[WEFT], r->ratio,
           1e3 * r->best[NATIVE], 1e3 * r->best[WEFT]);
    if (r->rival)
        printf(",\"rival\":\"%s\",\"rival_ms\":%.6f,\"rival_best_ms\":%.6f,"
               "\"rival_ratio\":%.4f", r->rival, 1e3 * r->median[RIVAL], 1e3 * r->best[RIVAL],
               r->rival_ratio);
    printf("}\n");
}

/* ---- the table ---- */

static void print_head(const Options *o)
{
    printf("Weft beside C with OpenMP, %u thread%s; ms a launch, ratio = Weft / C\n\n",
           o->threads, o->threads == 1 ? "" : "s");
    printf("%-18s %29s   %27s\n", "", "median of the turns      ", "shortest turn       ");
    printf("%-18s %9s %9s %7s   %9s %9s %7s   %s\n", "kernel", "C", "Weft", "ratio", "C",
           "Weft", "ratio", "0        1        2        3");
}

static void print_mean(const Row *rows, uint32_t n, const char *set)
{
    double ratio[64], best[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n && count < 64; i++)
        if (!set || strcmp(rows[i].set, set) == 0) {
            ratio[count] = rows[i].ratio;
            best[count++] = rows[i].best[WEFT] / rows[i].best[NATIVE];
        }
    if (count > 1)
        printf("%-18s %9s %9s %7.2f   %9s %9s %7.2f   %s\n", set ? set : "all", "", "",
               geometric_mean(ratio, count), "", "", geometric_mean(best, count),
               "geometric mean");
}

/* Rate in units of 1e9 a second: of bytes where the memory limits, else of flops. */
static void print_rivals(const Row *rows, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        const Row *r = &rows[i];
        if (!r->rival)
            continue;
        if (!any)
            printf("\n%-18s %-12s %12s %12s %14s\n", "beside", "", "its rate", "Weft's rate",
                   "Weft / it");
        any = true;
        bool by_bytes = r->flops < r->bytes;
        double amount = by_bytes ? r->bytes : r->flops;
        const char *unit = by_bytes ? "GB/s" : "GF/s";
        printf("%-18s %-12s %7.1f %s %7.1f %s %12.0f %%\n", r->name, r->rival,
               1e-9 * amount / r->median[RIVAL], unit, 1e-9 * amount / r->median[WEFT], unit,
               100 / r->rival_ratio);
    }
    if (!native_has_blas())
        printf("\nsgemm: left out, OpenBLAS (libopenblas-dev) was not there at the build\n");
    if (!native_has_ggml())
        printf("%sggml: left out, there was none at the build (cmake -DWEFT_GGML=FOLDER)\n",
               native_has_blas() ? "\n" : "");
}

static const char *const sets[] = {"common", "more", "quant", "f64", "blas"};

bool table_kernels(const Options *o)
{
    Row rows[64];
    uint32_t n = 0;
    bool ok = true;
    Device *d = NULL;
    for (uint32_t i = 0; all_benches[i] && n < 64; i++) {
        const Bench *b = all_benches[i];
        if (!chosen(&o->choice, b->name) && !chosen(&o->choice, b->set))
            continue;
        if (!d)
            d = device_open(&(DeviceDesc){.threads = o->threads, .cpu = o->cpu});
        if (n == 0 && !o->choice.json && !o->choice.small)
            print_head(o);
        ok = measure(&rows[n], o, b, d) && ok;
        if (o->choice.json)
            print_json(&rows[n++]);
        else if (o->choice.small)
            printf("%s\n", rows[n++].name);
        else
            print_row(&rows[n++]);
    }
    device_close(d);
    if (n && !o->choice.json && !o->choice.small) {
        printf("\n");
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
            print_mean(rows, n, sets[i]);
        print_mean(rows, n, NULL);
        print_rivals(rows, n);
    }
    return ok;
}
