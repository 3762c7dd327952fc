/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/runfile.h - what a run test expects: kernels with their inputs and
 * outputs beside them.
 *
 *     // run: groups 2, in a = [1, 2, 3, 4], out b = [1, 3, 6, 10]
 *
 * Clauses are separated by commas, or go on in the following lines of the comment.
 * A file may have several such comments, one for each run.
 *
 *   entry NAME             the entry point           default: the only one
 *   groups X Y Z           of the dispatch           default: 1 1 1
 *   override NAME = NUMBER by name or @id
 *   in NAME = [...]        the contents of a buffer before; default: zeros
 *   out NAME = [...]       and after
 *   within NUMBER          relative error of floats  default: 1e-6
 *   elsewhere NUMBER       relative or absolute error on devices whose functions are
 *                          not ours                  default: as within
 *   subgroup N             subgroup size             default: 8
 *
 * A list has a number for each scalar of the variable's type, in the order of
 * memory, without padding. In a list N*x stands for x N times, a..b for all whole
 * numbers from a to b, _ for anything. The length of a runtime-sized array follows
 * from the longest list; the others go on with zeros, or with anything.
 */
#ifndef WEFT_SUPPORT_RUNFILE_H
#define WEFT_SUPPORT_RUNFILE_H

#include "check/check.h"

typedef struct RunNumber {
    double value;
    bool   any;                         /* _                                      */
} RunNumber;

typedef struct RunBuffer {
    const Decl *var;
    VEC(RunNumber) in, out;
    bool        has_out;
    uint8_t    *data;                   /* [size]; made by runfile_fill()         */
    uint32_t    size;
} RunBuffer;

typedef struct RunCase {
    uint32_t     line;                  /* of the file, from 1                    */
    const Decl  *entry;
    uint32_t     groups[3];
    VEC(OverrideSetting) overrides;
    VEC(RunBuffer) buffers;             /* every variable with a binding, and the
                                           immediates, that the entry point uses  */
    double       within, elsewhere;
    double       absolute;              /* error that is allowed beside `within`  */
    uint32_t     subgroup_size;
} RunCase;

typedef struct RunFile {
    VEC(RunCase) cases;
    const char  *error;                 /* what is wrong with the comments, or NULL */
} RunFile;

/* Reads the comments of a checked module. */
RunFile runfile_parse(Arena *a, const Module *m);
/* Gives the buffers their contents, as before the run. */
void runfile_fill(Arena *a, RunCase *c);
/* What differs from what is expected, or NULL. */
const char *runfile_difference(Arena *a, const RunCase *c);

#endif
