// SPDX-License-Identifier: Apache-2.0
/*
 * gen.h - random WGSL kernels that are valid and have one right answer.
 *
 * in     a string of choices: random numbers from a seed, or a fuzzer's bytes
 * out    the text of a module with one entry point "main", and its buffers
 * knows  WGSL: what is valid, what is defined, what is exact
 * not    how Weft compiles it
 *
 * One right answer, bit for bit, means:
 *   floats    every value is a multiple of a power of two that is small enough for
 *             all of its arithmetic to be exact, fused or not; only the sign of a
 *             zero is open, and no integer is made from it
 *   memory    an invocation writes only slots of its own, in storage and workgroup
 *             memory; workgroup memory is read by others only after a barrier
 *   atomics   of others' memory: operations of one kind that commute, results unused
 *   indices   in bounds; those that are not read and write only what nobody looks at
 *   loops     end after a few rounds, whatever the data
 */
#ifndef WEFT_FUZZ_DIFFER_GEN_H
#define WEFT_FUZZ_DIFFER_GEN_H

#include "base/arena.h"
#include "base/str.h"

#define GEN_MAX_BUFFERS 24u
#define GEN_MAX_OVERRIDES 6u

typedef struct GenBuffer {
    const char *name;
    uint32_t    binding;            /* of group 0                                 */
    uint8_t    *data;               /* before the run                             */
    uint32_t    size;               /* bytes                                      */
    bool        floats;             /* has some: zeros of either sign are equal   */
    bool        ignored;            /* nobody looks at what is left in it         */
} GenBuffer;

/* A value for an override, from outside. */
typedef struct GenOverride {
    const char *name;
    double      value;
} GenOverride;

typedef struct GenProgram {
    Str       text;
    GenBuffer buffers[GEN_MAX_BUFFERS];
    uint32_t  nbuffers;
    GenOverride overrides[GEN_MAX_OVERRIDES];
    uint32_t  noverrides;
    uint8_t  *immediates;
    uint32_t  immediate_size;       /* bytes; 0: there is no such variable        */
    uint32_t  groups[3];            /* of the dispatch                            */
    bool      subgroups;            /* its results depend on the subgroup size    */
} GenProgram;

/* From a seed; from bytes, after whose end every choice is the first. */
void gen_from_seed(GenProgram *out, Arena *a, uint64_t seed);
void gen_from_bytes(GenProgram *out, Arena *a, const uint8_t *bytes, size_t size);

#endif
