/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archs.h - small models of every architecture as GGUF files in memory, and what they compute:
 * a plain implementation in f64 that shares nothing with the library but the reading of files.
 */
#ifndef WEFT_TESTS_MODEL_ARCHS_H
#define WEFT_TESTS_MODEL_ARCHS_H

#include <weft/model.h>

#include "../build.h"

enum { ARCHS_VOCABULARY = 40, ARCHS_EMBEDDING = 64, ARCHS_CONTEXT = 64 };

/* One model; several may be of the same architecture. */
typedef struct ArchCase {
    const char *label, *arch;
    uint32_t    layers;
    uint32_t    experts;                /* 0: none                                 */
    uint32_t    flags;                  /* ARCHS_...                               */
} ArchCase;

enum {
    ARCHS_YARN = 1,                     /* rotations scaled                        */
    ARCHS_LINEAR = 2,
    ARCHS_TWO_NORMS = 4,                /* falcon 40B                              */
    ARCHS_SERIAL = 8,                   /* gptneox without parallel residuals      */
    ARCHS_FREQS = 16,                   /* factors of rotations in a tensor        */
    ARCHS_BIAS = 32,                    /* biases of queries, keys and values      */
};

extern const ArchCase arch_cases[];
extern const size_t   arch_case_count;

/* `seed` chooses the weights, in f32. */
void archs_build(Build *out, Arena *arena, const ArchCase *c, uint32_t seed);

/* out[count][vocabulary], or hidden states [count][embedding] of models that only embed, after
 * `layers` layers (UINT32_MAX: all). */
void archs_reference(float *out, const weft_gguf *file, const weft_token *tokens, uint32_t count,
                     uint32_t layers);

#endif
