/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encoders.h - the two encoders of the example: all-MiniLM-L6-v2 for texts, SqueezeNet 1.1 for
 * pictures.
 *
 * Creators return NULL with the error in the context, or, for the tokenizer, on stderr.
 */
#ifndef ENCODERS_H
#define ENCODERS_H

#include <weft/store.h>
#include <weft/tensor.h>

#include "inputs.h"

enum { TEXT_SIZE = 384, TEXT_LAYERS = 6 };

typedef struct MiniLM MiniLM;

MiniLM      *minilm_create(weft_context *ctx, const char *folder);
void         minilm_release(MiniLM *m);
/* The hidden states after the embedding and each layer, [1, count, 384]. False: an error. */
bool         minilm_states(weft_tensor *out[TEXT_LAYERS + 1], const MiniLM *m,
                           const int32_t *tokens, uint32_t count);
uint32_t     minilm_tokens(int32_t *out, uint32_t limit, const MiniLM *m, const char *text);
/* [count, 384], each row of length 1. */
weft_tensor *minilm_encode(const MiniLM *m, const char *const *texts, uint32_t count);

typedef struct SqueezeNet SqueezeNet;

SqueezeNet  *squeezenet_create(weft_context *ctx, const char *folder);
void         squeezenet_release(SqueezeNet *n);
/* x[N, 3, 224, 224] -> scores[N, 1000] */
weft_tensor *squeezenet_scores(const SqueezeNet *n, weft_tensor *x);
/* Probabilities [count, 1000]. */
weft_tensor *squeezenet_encode(const SqueezeNet *n, const Picture *pictures, uint32_t count);

#endif
