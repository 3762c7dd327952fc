/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - bench/solve: least squares beside Ceres, and the problems of NIST.
 *
 * in     sections and options
 * out    tables; results that are wrong, or worse than the rival's, make it fail
 * why    on a busy machine --threads=1 --cpu-time counts the time that the process had a
 *        processor: OpenMP's threads and the device's wait in different ways
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weft/solve.h>

#include "bench_solve.h"
#include "solve/nist.h"

static clockid_t bench_clock = CLOCK_MONOTONIC;

double now(void)
{
    struct timespec t;
    clock_gettime(bench_clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_double);
    return values[count / 2];
}

/* ---- the problems of NIST ---- */

/* The number of digits that all parameters have. */
static double digits_of(weft_context *ctx, const Nist *n, int start)
{
    weft_solve_guess guesses[NIST_PARAMETERS] = {{0}};
    double digits = 11;
    for (uint32_t i = 0; i < n->parameters; i++)
        guesses[i] = (weft_solve_guess){.name = n->names[i], .start = n->start[start][i]};
    weft_solve_fit *fit = weft_solve_fit_create(ctx, &(weft_solve_fit_desc){
        .formula = n->formula, .columns = (const char *const *)n->columns,
        .column_count = n->column_count, .data = n->data, .count = n->rows, .guesses = guesses,
        .guess_count = n->parameters});
    for (uint32_t i = 0; i < n->parameters; i++) {
        weft_solve_fit_parameter p = {.name = ""};
        for (uint32_t k = 0; k < n->parameters && strcmp(p.name, n->names[i]) != 0; k++)
            if (!weft_solve_fit_parameter_get(&p, fit, k))
                return 0;
        digits = fmin(digits, nist_digits(p.value, n->certified[i]));
    }
    weft_solve_fit_release(fit);
    return digits;
}

void section_nist(const Options *o)
{
    weft_context *ctx = weft_context_create(&(weft_context_desc){
        .adapter = "cpu", .threads = o->threads});
    uint32_t good = 0, all = 0, count = o->small ? 3 : NIST_COUNT;
    double least = 11, begin = now();
    Nist n;
    for (uint32_t i = 0; i < count; i++) {
        if (!nist_read(&n, o->nist, nist_names[i])) {
            fprintf(stderr, "%s/%s.dat: cannot be read\n", o->nist, nist_names[i]);
            break;
        }
        for (int start = 0; start < 2; start++, all++) {
            double digits = digits_of(ctx, &n, start);
            good += digits >= 6;
            least = fmin(least, digits);
            if (digits < 6)
                printf("  %-9s from start %d: %.1f digits\n", nist_names[i], start + 1, digits);
        }
    }
    if (all > 0)
        printf("  %u of %u have 6 digits, all at least %.1f; %.2f s\n", good, all, least,
               now() - begin);
    weft_context_release(ctx);
}

/* ---- main ---- */

static const struct {
    const char *name;
    void      (*run)(const Options *o);
} sections[] = {
    {"nist", section_nist}, {"bundle", section_bundle}, {"many", section_many},
    {"sphere", section_sphere},
};

enum { SECTIONS = sizeof sections / sizeof sections[0] };

static bool option(Options *o, const char *arg)
{
    if (strncmp(arg, "--threads=", 10) == 0)
        o->threads = (uint32_t)strtoul(arg + 10, NULL, 10);
    else if (strncmp(arg, "--turns=", 8) == 0)
        o->turns = (uint32_t)strtoul(arg + 8, NULL, 10);
    else if (strncmp(arg, "--fits=", 7) == 0)
        o->fits = (uint32_t)strtoul(arg + 7, NULL, 10);
    else if (strncmp(arg, "--bundle=", 9) == 0)
        o->bundle = arg + 9;
    else if (strncmp(arg, "--nist=", 7) == 0)
        o->nist = arg + 7;
    else if (strcmp(arg, "--cpu-time") == 0)
        bench_clock = CLOCK_PROCESS_CPUTIME_ID;
    else if (strcmp(arg, "--small") == 0)
        o->small = true;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    Options o = {.bundle = BENCH_DATA "/nls/problem-49-7776-pre.txt",
                 .nist = BENCH_DATA "/nls/nist", .threads = 2, .turns = 3, .fits = 1000000,
                 .iterations = 200};
    uint32_t wanted = 0;
    for (int i = 1; i < argc; i++) {
        uint32_t s = 0;
        if (option(&o, argv[i]))
            continue;
        while (s < SECTIONS && strcmp(argv[i], sections[s].name) != 0)
            s++;
        if (s == SECTIONS) {
            fprintf(stderr, "usage: solve [nist bundle many sphere] [--threads=N] [--turns=N] "
                    "[--fits=N] [--bundle=FILE] [--nist=FOLDER] [--cpu-time] [--small]\n");
            return 2;
        }
        wanted |= 1u << s;
    }
    if (o.small) {
        o.turns = 1;
        o.fits = 1000;
        o.iterations = 3;
    }
    if (o.threads == 0 || o.turns == 0 || o.turns > 60 || o.fits == 0 || o.fits > 10000000) {
        fprintf(stderr, "solve: threads, turns (at most 60) and fits (at most 10,000,000) are at "
                "least 1\n");
        return 2;
    }
    for (uint32_t s = 0; s < SECTIONS; s++)
        if (!wanted || wanted >> s & 1) {
            printf("%s\n", sections[s].name);
            fflush(stdout);
            sections[s].run(&o);
        }
    return 0;
}
