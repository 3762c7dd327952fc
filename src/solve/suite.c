// SPDX-License-Identifier: Apache-2.0
/*
 * suite.c - CHOLMOD of SuiteSparse, from the library that a user has installed.
 *
 * in     a BlockMatrix
 * out    its factor and solutions, by CHOLMOD
 * knows  cholmod.h at build time; the library is opened at run time and never linked: parts of it
 *        are under the GPL
 * not    how Weft factorises matrices itself
 */
#include "solve/sparse_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <suitesparse/cholmod.h>
#include <weft/solve.h>

/* The functions that are used, with their types. */
typedef struct Functions {
    bool            found;
    char            version[32];
    int             (*version_of)(int version[3]);
    int             (*start)(cholmod_common *);
    int             (*finish)(cholmod_common *);
    cholmod_factor *(*analyze)(cholmod_sparse *, cholmod_common *);
    int             (*factorize)(cholmod_sparse *, cholmod_factor *, cholmod_common *);
    cholmod_dense  *(*solve)(int, cholmod_factor *, cholmod_dense *, cholmod_common *);
    int             (*free_dense)(cholmod_dense **, cholmod_common *);
    int             (*free_factor)(cholmod_factor **, cholmod_common *);
} Functions;

struct Suite {
    Functions         library;
    cholmod_common    common;
    cholmod_sparse    a;
    cholmod_factor   *factor;
    Upper             upper;
    SuiteSparse_long *start, *row;
    double           *values;
};

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define LIBRARY         "libcholmod.so." TEXT(CHOLMOD_MAIN_VERSION)

static bool load(Functions *f)
{
    void *library = platform_open(LIBRARY);
    if (!library)
        return false;
    struct { const char *name; void *to; } wanted[] = {
        {"cholmod_l_version", &f->version_of},   {"cholmod_l_start", &f->start},
        {"cholmod_l_finish", &f->finish},        {"cholmod_l_analyze", &f->analyze},
        {"cholmod_l_factorize", &f->factorize},  {"cholmod_l_solve", &f->solve},
        {"cholmod_l_free_dense", &f->free_dense}, {"cholmod_l_free_factor", &f->free_factor},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        void (*symbol)(void) = platform_symbol(library, wanted[i].name);
        if (!symbol)
            return false;
        memcpy(wanted[i].to, &symbol, sizeof symbol);
    }
    int version[3] = {0};
    f->version_of(version);
    snprintf(f->version, sizeof f->version, "%d.%d.%d", version[0], version[1], version[2]);
    /* the layout of cholmod_common changes between versions */
    f->found = version[0] == CHOLMOD_MAIN_VERSION && version[1] == CHOLMOD_SUB_VERSION;
    return f->found;
}

const char *suite_version(void)
{
    static _Thread_local Functions f;
    return load(&f) ? f.version : NULL;
}

const char *weft_solve_cholmod_version(void)
{
    return suite_version();
}

static bool fill_structure(Suite *s, const BlockMatrix *m)
{
    if (!upper_make(&s->upper, m, NULL))
        return false;
    uint64_t entries = s->upper.start[m->dims];
    s->start = malloc((m->dims + 1ull) * sizeof *s->start);
    s->row = malloc((entries + 1) * sizeof *s->row);
    s->values = malloc((entries + 1) * sizeof *s->values);
    if (!s->start || !s->row || !s->values)
        return false;
    for (uint32_t i = 0; i <= m->dims; i++)
        s->start[i] = (SuiteSparse_long)s->upper.start[i];
    for (uint64_t i = 0; i < entries; i++)
        s->row[i] = s->upper.row[i];
    s->a = (cholmod_sparse){.nrow = m->dims, .ncol = m->dims, .nzmax = entries, .p = s->start,
                            .i = s->row, .x = s->values, .stype = 1, .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE, .packed = 1};
    return true;
}

static void fill_values(Suite *s, const BlockMatrix *m, const double *damping)
{
    for (uint32_t k = 0; k < m->dims; k++)
        for (uint64_t p = s->upper.start[k]; p < s->upper.start[k + 1]; p++)
            s->values[p] = m->values[s->upper.from[p]] +
                           (damping && s->upper.row[p] == k ? damping[k] : 0);
}

Suite *suite_make(const BlockMatrix *m)
{
    Suite *s = calloc(1, sizeof *s);
    if (!s || !load(&s->library)) {
        free(s);
        return NULL;
    }
    s->library.start(&s->common);
    s->common.print = 0;
    if (fill_structure(s, m)) {
        fill_values(s, m, NULL);
        s->factor = s->library.analyze(&s->a, &s->common);
    }
    if (s->factor)
        return s;
    suite_release(s);
    return NULL;
}

void suite_release(Suite *s)
{
    if (!s)
        return;
    s->library.free_factor(&s->factor, &s->common);
    s->library.finish(&s->common);
    upper_fini(&s->upper);
    free(s->start);
    free(s->row);
    free(s->values);
    free(s);
}

bool suite_factor(Suite *s, const BlockMatrix *m, const double *damping)
{
    fill_values(s, m, damping);
    return s->library.factorize(&s->a, s->factor, &s->common) &&
           s->common.status == CHOLMOD_OK && s->factor->minor == s->factor->n;
}

bool suite_solve(Suite *s, double *x)
{
    cholmod_dense b = {.nrow = s->a.nrow, .ncol = 1, .nzmax = s->a.nrow, .d = s->a.nrow, .x = x,
                       .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
    cholmod_dense *solution = s->library.solve(CHOLMOD_A, s->factor, &b, &s->common);
    if (solution)
        memcpy(x, solution->x, s->a.nrow * sizeof *x);
    bool ok = solution != NULL;
    s->library.free_dense(&solution, &s->common);
    return ok;
}

uint64_t suite_entries(const Suite *s)
{
    return s->factor->is_super ? s->factor->xsize : s->factor->nzmax;
}
