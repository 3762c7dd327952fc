/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - how fast WGSL is read and checked, and whether twice the text takes
 * twice the time.
 *
 *     front [--small]
 *
 * in     modules made by shapes.c
 * out    tables (README.md explains them); status 1 if a module is not accepted
 * knows  the stages of the front end
 */
#include "front/front.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check/check.h"
#include "harness/bench.h"
#include "syntax/lex_priv.h"
#include "syntax/syntax.h"

#define DOUBLINGS 3u            /* sizes 1, 2, 4                                  */
#define KEEP      (1 << 30)     /* bytes                                          */
#define LINES     2000u         /* of the realistic module, about                 */

enum { LEX, PARSE, CHECK, STAGES };     /* PARSE includes LEX */

typedef struct Times {
    double stage[STAGES];       /* seconds                                        */
    size_t memory;              /* bytes of the checked module                    */
} Times;

/* ---- one module ---- */

static double lex_time(Str source)
{
    Arena a;
    arena_init(&a, 0);
    Module *m = ARENA_NEW(&a, Module);
    *m = (Module){.arena = &a, .source = source};
    Lexer x;
    double begin = cpu_now();
    lex_init(&x, m);
    while (lex_next(&x).kind != TOKEN_END)
        continue;
    double time = cpu_now() - begin;
    arena_fini(&a);
    return time;
}

static void check_times(Times *out, Str source)
{
    Arena a;
    arena_init(&a, 0);
    Diag diag = {.arena = &a};
    double begin = cpu_now();
    Module *m = syntax_parse(&a, source, &diag);
    double parsed = cpu_now();
    bool ok = check_module(m, &(CheckOptions){0}, &diag);
    double checked = cpu_now();
    if (!ok)
        stop("a module is not accepted: %s", diag.list.data[0].message);
    out->stage[PARSE] = parsed - begin;
    out->stage[CHECK] = checked - parsed;
    out->memory = a.used;
    arena_fini(&a);
}

/* The best of several: the work is the same each time, what is more is noise. */
static Times best_times(Str source, double seconds)
{
    Times best = {{INFINITY, INFINITY, INFINITY}, 0}, t;
    double begin = now();
    uint32_t n = 0;
    do {
        t.stage[LEX] = lex_time(source);
        check_times(&t, source);
        for (uint32_t i = 0; i < STAGES; i++)
            best.stage[i] = fmin(best.stage[i], t.stage[i]);
        best.memory = t.memory;
        n++;
    } while (n < 3 || now() - begin < seconds);
    return best;
}

static Str text_of(const Text *t)
{
    return (Str){t->data, (uint32_t)t->len};
}

static uint32_t line_count(Str s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s.len; i++)
        n += s.data[i] == '\n';
    return n;
}

/* ---- tables ---- */

static double whole(const Times *t)
{
    return t->stage[PARSE] + t->stage[CHECK];
}

static void print_stage(const char *name, Str source, double time)
{
    printf("  %-16s %9.3f ms %9.0f lines/s %9.1f MB/s\n", name, 1e3 * time,
           line_count(source) / time, 1e-6 * source.len / time);
}

static void realistic(double seconds)
{
    Arena a;
    arena_init(&a, 0);
    Text out = {.arena = &a};
    shapes[0].write(&out, LINES / 61);
    Str source = text_of(&out);
    Times t = best_times(source, seconds);
    printf("%s: %u lines, %u KB; takes %zu KB\n", shapes[0].what, line_count(source),
           source.len / 1000, t.memory / 1000);
    print_stage("lex", source, t.stage[LEX]);
    print_stage("parse with lex", source, t.stage[PARSE]);
    print_stage("check", source, t.stage[CHECK]);
    print_stage("all", source, whole(&t));
    arena_fini(&a);
}

static void growth(const Shape *s, double seconds)
{
    Times t[DOUBLINGS];
    uint32_t lines = 0, size = 0;
    for (uint32_t i = 0; i < DOUBLINGS; i++) {
        Arena a;
        arena_init(&a, 0);
        Text out = {.arena = &a};
        s->write(&out, s->count << i);
        t[i] = best_times(text_of(&out), seconds);
        if (i == 0) {
            lines = line_count(text_of(&out));
            size = text_of(&out).len;
        }
        arena_fini(&a);
    }
    printf("%-13s %-31s %6u %6u %9.3f", s->name, s->what, lines, size / 1000,
           1e3 * whole(&t[0]));
    for (uint32_t i = 1; i < DOUBLINGS; i++)
        printf("%s%5.2f", i == 1 ? "  " : "", whole(&t[i]) / whole(&t[i - 1]));
    for (uint32_t k = 0; k < STAGES; k++)
        for (uint32_t i = 1; i < DOUBLINGS; i++)
            printf("%s%5.2f", i == 1 ? "  " : "", t[i].stage[k] / t[i - 1].stage[k]);
    printf("\n");
}

int main(int argc, char **argv)
{
    bool small = argc > 1 && strcmp(argv[1], "--small") == 0;
    if (argc > 2 || (argc > 1 && !small)) {
        fprintf(stderr, "usage: front [--small]\n");
        return 2;
    }
    /* Memory once taken is kept: whether malloc() gives it back to the system, and has
     * to be given zeroed pages again, depends on the size and not on the front end. */
    mallopt(M_MMAP_THRESHOLD, KEEP);
    mallopt(M_TRIM_THRESHOLD, KEEP);
    double seconds = small ? 0 : 0.3;
    setvbuf(stdout, NULL, _IOLBF, 0);
    realistic(seconds);
    printf("\nsizes 1, 2 and 4: the time by the time at half the size\n\n"
           "%-13s %-31s %6s %6s %9s %12s%12s%12s%12s\n", "", "", "lines", "KB", "ms",
           "all", "lex", "parse", "check");
    for (const Shape *s = shapes; s->name; s++)
        growth(s, seconds);
    return 0;
}
