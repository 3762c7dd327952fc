/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - bench/pool: what the pool costs, and what it gains.
 *
 *     build/release/bench/pool [--small] [--seconds=S] [ROW...]
 *
 * Rows: overhead kernels stream contexts fairness choice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/pool_bench.h"

static const struct {
    const char *name;
    void      (*run)(const Options *o);
} rows[] = {
    {"overhead", bench_overhead}, {"kernels", bench_kernels}, {"stream", bench_stream},
    {"contexts", bench_contexts}, {"fairness", bench_fairness}, {"choice", bench_choice},
};

#define ROWS (sizeof rows / sizeof *rows)

void row(const char *what, double figure, const char *unit, double bar, double aim,
         bool smaller_is_better)
{
    bool met = smaller_is_better ? figure <= bar : figure >= bar;
    bool aimed = smaller_is_better ? figure <= aim : figure >= aim;
    printf("%-44s %10.3f %-4s  bar %8.3g  aim %8.3g  %s\n", what, figure, unit, bar, aim,
           aimed ? "aim met" : met ? "bar met" : "MISSED");
    fflush(stdout);
}

weft_pool *cpu_pool(void)
{
    static const char *const cpu[] = {"cpu", NULL};
    weft_pool *pool = weft_pool_create(&(weft_pool_desc){
        .adapters = cpu, .benchmark_timeout = WEFT_OFF});
    if (weft_pool_device_count(pool) == 0)
        stop("there is no CPU device");
    return pool;
}

void need(bool ok, const weft_execute_report *r)
{
    if (!ok)
        stop("%s", r->error.message);
}

static int compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

double percentile(double *values, uint32_t count, double share)
{
    qsort(values, count, sizeof *values, compare);
    uint32_t at = (uint32_t)(share * count);
    return count ? values[at < count ? at : count - 1] : 0;
}

int main(int argc, char **argv)
{
    Options o = {.seconds = 3};
    bool    wanted[ROWS] = {0}, any = false;
    for (int i = 1; i < argc; i++) {
        bool known = strcmp(argv[i], "--small") == 0 || strncmp(argv[i], "--seconds=", 10) == 0;
        o.small = o.small || strcmp(argv[i], "--small") == 0;
        if (strncmp(argv[i], "--seconds=", 10) == 0)
            o.seconds = atof(argv[i] + 10);
        for (size_t k = 0; k < ROWS; k++) {
            if (strcmp(argv[i], rows[k].name) != 0)
                continue;
            wanted[k] = any = known = true;
        }
        if (!known)
            stop("%s is neither an option nor a row", argv[i]);
    }
    if (o.small)
        o.seconds = 0.05;
    for (size_t k = 0; k < ROWS; k++)
        if (!any || wanted[k])
            rows[k].run(&o);
    return 0;
}
