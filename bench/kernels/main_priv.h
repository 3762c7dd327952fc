/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main_priv.h - the parts of the program `kernels`.
 *
 *   main.c       the command line
 *   table.c      kernel by kernel, Weft beside C
 *   export.c     kernels for others
 *   sections.c   launch, compile, threads
 *   precision.c  f64 beside f32
 */
#ifndef WEFT_BENCH_MAIN_PRIV_H
#define WEFT_BENCH_MAIN_PRIV_H

#include "kernels/kernels.h"

typedef struct Options {
    Choice      choice;
    uint32_t    threads;
    const char *cpu;            /* that Weft compiles for; NULL: this machine     */
    const char *export, *judge; /* folders; NULL: no                              */
} Options;

extern const Bench *const all_benches[];        /* ends with NULL                 */

/* ---- table.c ---- */

bool table_kernels(const Options *o);           /* false: a result was wrong      */

/* A kernel with its data, on a device and in C. */
typedef struct Pair {
    const Bench *bench;
    Work         work;
    char        *wgsl;
    Runner      *runner;
} Pair;

void pair_init(Pair *p, const Bench *b, Device *d, bool small);
void pair_fini(Pair *p);
/* As players: */
void pair_native(void *pair);
void pair_rival(void *pair);
void pair_weft(void *pair);

/* ---- export.c ---- */

/* Writes the kernels into o->export, or reads results from o->judge. False: one was
 * wrong. */
bool files_kernels(const Options *o);

/* ---- sections.c ---- */

void section_launch(const Options *o);
void section_compile(const Options *o);
void section_threads(const Options *o);

/* ---- precision.c ---- */

void section_precision(const Options *o);

#endif
