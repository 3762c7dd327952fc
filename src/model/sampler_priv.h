// SPDX-License-Identifier: Apache-2.0
/*
 * sampler_priv.h - the insides of a sampler.
 */
#ifndef WEFT_MODEL_SAMPLER_PRIV_H
#define WEFT_MODEL_SAMPLER_PRIV_H

#include <weft/model.h>

#include "model/sample.h"

/* Token sequences at which DRY starts anew; freed by breakers_fini(). */
typedef struct Breakers {
    Breaker *data;                  /* sorted by head                                      */
    size_t   count, cap;
} Breakers;

/* All ways in which tokens can spell one of the texts. False if there is no memory. */
bool breakers_init(Breakers *b, weft_model_tokenizer *tokenizer, const char *const *texts,
                   size_t count);
/* A copy; false if there is no memory. */
bool breakers_copy(Breakers *to, const Breakers *from);
void breakers_fini(Breakers *b);

#endif
