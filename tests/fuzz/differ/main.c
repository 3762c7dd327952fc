// SPDX-License-Identifier: Apache-2.0
/*
 * main.c - runs random programs for some time, and makes those that fail small.
 *
 *   test_differ [--seconds N] [--seed S] [--count N] [--print] [--all] [--no-shrink]
 *               [--no-code] [--device] [--text FILE]
 *
 *     --seconds N    how long                                   default 10
 *     --seed S       of the first program; the next has S + 1   default 1
 *     --count N      programs at most                           default: no limit
 *     --print        the texts, nothing is run
 *     --all          every number of lanes, not two of them
 *     --no-code      no machine code: valid, and the same after all passes
 *     --device       on the device that WEFT_TEST_BACKEND names, not as machine code
 *     --no-shrink    a program that fails is shown as it is
 *     --text FILE    another text for the buffers of the program
 *
 * Programs run in a process of their own: one that crashes or hangs is a failure like
 * any other. Ends at the first failure with 1.
 */
#define _DEFAULT_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "base/macro.h"
#include "device.h"
#include "run.h"
#include "shrink.h"

typedef struct Options {
    double   seconds;
    uint64_t seed, count;
    bool     print, all, keep, no_code, device;
    const char *text;
} Options;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool read_options(Options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--print") == 0)
            o->print = true;
        else if (strcmp(argv[i], "--all") == 0)
            o->all = true;
        else if (strcmp(argv[i], "--no-shrink") == 0)
            o->keep = true;
        else if (strcmp(argv[i], "--no-code") == 0)
            o->no_code = true;
        else if (strcmp(argv[i], "--device") == 0)
            o->device = true;
        else if (next && strcmp(argv[i], "--text") == 0)
            o->text = argv[++i];
        else if (next && strcmp(argv[i], "--seconds") == 0)
            o->seconds = strtod(argv[++i], NULL);
        else if (next && strcmp(argv[i], "--seed") == 0)
            o->seed = strtoull(argv[++i], NULL, 0);
        else if (next && strcmp(argv[i], "--count") == 0)
            o->count = strtoull(argv[++i], NULL, 0);
        else
            return false;
    }
    return true;
}

/* ---- one program ---- */

static void print_program(const GenProgram *p)
{
    printf("// groups %u %u %u\n%.*s", p->groups[0], p->groups[1], p->groups[2],
           STR_ARG(p->text));
}

static RunOptions run_options(const Options *o, uint64_t seed)
{
    return (RunOptions){.all = o->all, .no_code = o->no_code, .choice = (uint32_t)seed,
                        .device = o->device ? &run_device : NULL};
}

static bool show_failure(Arena *a, GenProgram *p, uint64_t seed, const Trial *t,
                         const Options *o)
{
    printf("seed %llu: %s\n", (unsigned long long)seed, t->why);
    if (!o->keep && t->verdict == VERDICT_DIFFERENT) {
        RunOptions same = run_options(o, seed);
        Trial smallest = shrink(a, p, &same);
        printf("made smaller: %s\n", smallest.why);
    }
    print_program(p);
    return false;
}

static void read_text(Arena *a, const char *path, Str *out)
{
    static char buffer[1 << 18];
    FILE *in = fopen(path, "rb");
    BUG_IF(!in, "%s cannot be read", path);
    uint32_t n = (uint32_t)fread(buffer, 1, sizeof buffer, in);
    fclose(in);
    *out = (Str){arena_copy(a, buffer, n), n};
}

static bool run_seed(uint64_t seed, const Options *o, uint64_t *left_out)
{
    Arena arena;
    GenProgram p;
    bool ok = true;
    arena_init(&arena, 0);
    gen_from_seed(&p, &arena, seed);
    if (o->text)
        read_text(&arena, o->text, &p.text);
    if (o->print) {
        print_program(&p);
    } else {
        RunOptions options = run_options(o, seed);
        Trial t = trial(&arena, &p, &options);
        *left_out += t.verdict == VERDICT_LEFT_OUT;
        ok = t.verdict == VERDICT_SAME || t.verdict == VERDICT_LEFT_OUT
             || show_failure(&arena, &p, seed, &t, o);
    }
    arena_fini(&arena);
    return ok;
}

int main(int argc, char **argv)
{
    Options o = {.seconds = 10, .seed = 1, .count = UINT64_MAX};
    if (!read_options(&o, argc, argv)) {
        fprintf(stderr, "usage: test_differ [--seconds N] [--seed S] [--count N] [--print] "
                        "[--all] [--no-shrink] [--no-code] [--device] "
                        "[--text FILE]\n");
        return 2;
    }
    double start = now();
    uint64_t n = 0, left_out = 0;
    bool ok = true;
    for (; ok && n < o.count && now() - start < o.seconds; n++)
        ok = run_seed(o.seed + n, &o, &left_out);
    if (left_out)
        printf("%llu need what the device does not have\n", (unsigned long long)left_out);
    if (!o.print)
        printf("%llu programs, %s\n", (unsigned long long)n, ok ? "all as they should be"
                                                                : "the last one is not");
    return !ok;
}
