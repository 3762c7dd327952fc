/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage.h - the stages of a model: how they are made, and what its weights take.
 */
#ifndef WEFT_MODEL_RUNTIME_STAGE_H
#define WEFT_MODEL_RUNTIME_STAGE_H

#include "model/runtime/runtime_priv.h"

/* Bytes on devices. */
typedef struct Sizes {
    uint64_t *layers;                   /* [count]                                 */
    uint32_t  count;
    uint64_t  ends, total;              /* ends: embeddings and head               */
} Sizes;

/* In the arena. False after an error. */
bool     stages_measure(Sizes *out, weft_context *ctx, Arena *arena, const weft_gguf *file,
                        const Params *p);
uint64_t stages_room(weft_context *ctx);        /* bytes left in its budget        */
/* `ctx` is the model's, with the devices of the description beside it, or one instead of all of
 * them. What was made before an error is for stages_release(). */
bool     stages_make(weft_model *m, weft_context *ctx, const weft_model_desc *d,
                     const Sizes *sizes);
void     stages_release(weft_model *m);

/* ---- selftest.c ---- */

/* Compares kernels with plain arithmetic on the model's own weights. */
bool     selftest_run(weft_model *m);

#endif
