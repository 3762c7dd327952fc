/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiny.h - a small model of random weights as a GGUF file in memory, in any type.
 */
#ifndef WEFT_TESTS_MODEL_TINY_H
#define WEFT_TESTS_MODEL_TINY_H

#include <weft/model.h>

#include "../build.h"

enum { TINY_VOCABULARY = 48, TINY_EMBEDDING = 256, TINY_HEADS = 4, TINY_KV_HEADS = 2,
       TINY_FEED_FORWARD = 512, TINY_LAYERS = 2, TINY_CONTEXT = 64 };

/* Matrices have the type `type`; or, with `plain`, the same weights as F32. Vectors are F32. */
void tiny_build(Build *out, Arena *arena, weft_gguf_type type, bool plain, uint32_t seed);
/* The same with another type for some of the matrices that are computed together with others. */
void tiny_build_mixed(Build *out, Arena *arena, weft_gguf_type type, weft_gguf_type other,
                      bool plain, uint32_t seed);
/* With a tensor that multiplies the logits. */
void tiny_build_scaled(Build *out, Arena *arena, float scale);
/* Sum of squared differences, beside the sum of squares of `y`. */
double tiny_nmse(const float *x, const float *y, size_t n);

#endif
