/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - Weft beside C, kernel by kernel, in one run.
 *
 *     kernels [OPTION...] [NAME...]
 *
 * in     names of kernels, of sets of them, of sections
 * out    tables (README.md explains them); status 1 if a result is wrong
 * knows  the list of kernels
 * not    how a kernel is launched
 */
#include "kernels/main_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "native/native.h"

const Bench *const all_benches[] = {
#define BENCH(name) &bench_##name,
#include "kernels/kernels.def"
#undef BENCH
    NULL,
};

static const char *const usage =
    "usage: kernels [OPTION...] [NAME...]\n"
    "\n"
    "  NAME          a kernel, a set (common, more, blas), or a section\n"
    "                (launch, compile, threads); default: everything\n"
    "  --list        name them and stop\n"
    "  --threads=N   of Weft, OpenMP and BLAS; default: one a core\n"
    "  --seconds=S   for each kernel; default: 3\n"
    "  --cpu-time    count the time that processors worked, not what passed: for\n"
    "                a machine that is busy with other things; with --threads=1\n"
    "  --small       tiny data, one turn, no times: are the results right?\n"
    "  --json        one line of JSON a figure instead of the tables\n"
    "  --export=DIR  no times: write kernels and their data into this folder\n"
    "  --judge=DIR   no times: are the results right that are in this folder?\n";

static const char *const sections[] = {"launch", "compile", "threads", NULL};

static void list(void)
{
    for (uint32_t i = 0; all_benches[i]; i++)
        printf("%-20s %s\n", all_benches[i]->name, all_benches[i]->set);
    for (uint32_t i = 0; sections[i]; i++)
        printf("%-20s section\n", sections[i]);
}

bool chosen(const Options *o, const char *name)
{
    for (uint32_t i = 0; i < o->nnames; i++)
        if (strcmp(o->names[i], name) == 0)
            return true;
    return o->nnames == 0;
}

MatchDesc match_desc(const Options *o)
{
    return (MatchDesc){o->seconds, o->small ? 1 : 5, o->cpu_time};
}

static bool is_known(const char *name)
{
    for (uint32_t i = 0; all_benches[i]; i++)
        if (strcmp(all_benches[i]->name, name) == 0 || strcmp(all_benches[i]->set, name) == 0)
            return true;
    for (uint32_t i = 0; sections[i]; i++)
        if (strcmp(sections[i], name) == 0)
            return true;
    return false;
}

static uint32_t core_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

static void read_option(Options *o, const char *text)
{
    double number = 0;
    if (strcmp(text, "--list") == 0) {
        list();
        exit(0);
    } else if (strcmp(text, "--small") == 0) {
        o->small = true;
        o->seconds = 0;
    } else if (strcmp(text, "--cpu-time") == 0) {
        o->cpu_time = true;
    } else if (strcmp(text, "--json") == 0) {
        o->json = true;
    } else if (strncmp(text, "--export=", 9) == 0) {
        o->export = text + 9;
    } else if (strncmp(text, "--judge=", 8) == 0) {
        o->judge = text + 8;
    } else if (sscanf(text, "--threads=%lf", &number) == 1 && number >= 1 && number <= 1024) {
        o->threads = (uint32_t)number;
    } else if (sscanf(text, "--seconds=%lf", &number) == 1 && number >= 0) {
        o->seconds = number;
    } else if (text[0] == '-' || !is_known(text)) {
        fprintf(stderr, "kernels: '%s' is neither an option nor a name\n%s", text, usage);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    Options o = {.threads = core_count(), .seconds = 3};
    o.names = calloc((size_t)argc, sizeof *o.names);
    if (!o.names)
        stop("no memory");
    for (int i = 1; i < argc; i++) {
        read_option(&o, argv[i]);
        if (argv[i][0] != '-')
            o.names[o.nnames++] = argv[i];
    }
    native_threads((int)o.threads);
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool files = o.export || o.judge;
    bool ok = files ? files_kernels(&o) : table_kernels(&o);
    if (!o.small && !files) {
        if (chosen(&o, "launch"))
            section_launch(&o);
        if (chosen(&o, "compile"))
            section_compile(&o);
        if (chosen(&o, "threads"))
            section_threads(&o);
    }
    free(o.names);
    return ok ? 0 : 1;
}
