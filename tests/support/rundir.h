/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/rundir.h - walks over run tests (runfile.h): every .wgsl file of a folder
 * and its folders, read and checked, with one call for each run it describes.
 */
#ifndef WEFT_SUPPORT_RUNDIR_H
#define WEFT_SUPPORT_RUNDIR_H

#include "ir/ir.h"
#include "support/runfile.h"

typedef struct RunDir RunDir;
struct RunDir {
    /* Does one run; tells of what is wrong with rundir_complain(). */
    void   (*run)(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c);
    void    *context;
    unsigned files, runs, failures;
};

/*
 * The main() of a test that does `run` for every run test: of the files that are
 * named on the command line, or as one cmocka test of those in `folder`.
 */
int  rundir_main(int argc, char **argv, const char *name, const char *folder,
                 void (*run)(RunDir *d, const char *path, Arena *a, const Module *m,
                             RunCase *c));

/* The IR of a run's kernel; NULL after a complaint. */
Ir  *rundir_lower(RunDir *d, const char *path, Arena *a, const Module *m, const RunCase *c);

void rundir_folder(RunDir *d, const char *folder);
void rundir_file(RunDir *d, const char *path);
void rundir_complain(RunDir *d, const char *path, uint32_t line, const char *what,
                     const char *why);
void rundir_complain_diag(RunDir *d, const char *path, const Module *m, Arena *a,
                          const Diag *diag);

#endif
