// SPDX-License-Identifier: Apache-2.0
/*
 * npy.h - NumPy's .npy files: arrays of numbers with a shape.
 *
 * in     bytes of a file, which may be anything; shapes to write
 * out    where the numbers are and of what type; the bytes before them
 * not    buffers, WGSL types
 */
#ifndef WEFT_STORE_NPY_H
#define WEFT_STORE_NPY_H

#include "base/text.h"

#define NPY_MAX_DIMS 32

typedef struct Npy {
    char     kind;                      /* 'f' float, 'i' and 'u' integer, 'b' bool  */
    uint32_t item;                      /* bytes of a number: 1, 2, 4, 8             */
    bool     swapped;                   /* its bytes are in the other order          */
    bool     fortran;                   /* the first dimension varies fastest        */
    uint32_t ndims;
    uint64_t dims[NPY_MAX_DIMS];        /* the last one varies fastest, as a rule    */
    uint64_t count;                     /* of all numbers                            */
    const uint8_t *data;                /* [count * item], inside the file           */
} Npy;

/* Finds the numbers in a file. On failure false, with *why in the arena. */
bool npy_open(Npy *out, Arena *arena, const uint8_t *bytes, uint64_t size, const char **why);

/* What stands before the numbers: `type` is "<f4" or the like, in this machine's
 * order, and the numbers follow row by row. */
void npy_write_head(Text *out, const char *type, const uint64_t *dims, uint32_t ndims);

#endif
