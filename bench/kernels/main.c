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
    "  NAME          a kernel, a set (common, more, quant, f64, blas), or a section\n"
    "                (launch, compile, threads, precision); default: everything\n"
    "  --list        name them and stop\n"
    "  --threads=N   of Weft, OpenMP and BLAS; default: one a core\n"
    "  --cpu=NAME    processor that Weft compiles for, such as x86-64-v3;\n"
    "                default: this one (the C is always compiled for this one)\n"
    "  --seconds=S   for each kernel; default: 3\n"
    "  --turns=N     of each player, at least; default: 5\n"
    "  --cpu-time    count the time that processors worked, not what passed: for\n"
    "                a machine that is busy with other things; with --threads=1\n"
    "  --small       tiny data, one turn, no times: are the results right?\n"
    "  --json        one line of JSON a figure instead of the tables\n"
    "  --export=DIR  no times: write kernels and their data into this folder\n"
    "  --judge=DIR   no times: are the results right that are in this folder?\n";

static const char *const sections[] = {"launch", "compile", "threads", "precision", NULL};

static void list(void)
{
    for (uint32_t i = 0; all_benches[i]; i++)
        printf("%-20s %s\n", all_benches[i]->name, all_benches[i]->set);
    for (uint32_t i = 0; sections[i]; i++)
        printf("%-20s section\n", sections[i]);
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

/* ChoiceDesc.read */
static bool read_option(void *user, const char *text)
{
    Options *o = user;
    uint32_t threads;
    if (strcmp(text, "--list") == 0) {
        list();
        exit(0);
    } else if (strncmp(text, "--export=", 9) == 0) {
        o->export = text + 9;
    } else if (strncmp(text, "--judge=", 8) == 0) {
        o->judge = text + 8;
    } else if (sscanf(text, "--threads=%u", &threads) == 1 && threads >= 1 && threads <= 1024) {
        o->threads = threads;
    } else if (strncmp(text, "--cpu=", 6) == 0) {
        o->cpu = text + 6;
    } else {
        return false;
    }
    return true;
}

/* A kernel is timed in its fast version from the start, and compiled as a program would have it,
 * unless WEFT_TIERS says otherwise. */
static void set_tiers(bool fast_only)
{
    static bool is_ours;
    if (fast_only && !getenv("WEFT_TIERS"))
        is_ours = setenv("WEFT_TIERS", "off", 1) == 0;
    else if (!fast_only && is_ours)
        unsetenv("WEFT_TIERS");
}

int main(int argc, char **argv)
{
    Options o = {.threads = core_count()};
    const ChoiceDesc desc = {.program = "kernels", .usage = usage, .match = {3, 5, false},
                             .is_name = is_known, .read = read_option, .user = &o};
    choice_init(&o.choice, &desc, argc, argv);
    native_threads((int)o.threads);
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool files = o.export || o.judge;
    set_tiers(true);
    bool ok = files ? files_kernels(&o) : table_kernels(&o);
    if (!o.choice.small && !files) {
        if (chosen(&o.choice, "launch"))
            section_launch(&o);
        if (chosen(&o.choice, "threads"))
            section_threads(&o);
        if (chosen(&o.choice, "precision"))
            section_precision(&o);
        set_tiers(false);
        if (chosen(&o.choice, "compile"))
            section_compile(&o);
    }
    choice_fini(&o.choice);
    return ok ? 0 : 1;
}
