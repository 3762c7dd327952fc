// SPDX-License-Identifier: Apache-2.0
/*
 * vocab.h - small vocabularies of each kind, for tests.
 */
#ifndef WEFT_TESTS_MODEL_VOCAB_H
#define WEFT_TESTS_MODEL_VOCAB_H

#include "model/build.h"

/* 0 <unk>  1 <s>  2 </s>  3..258 the bytes  259.. pieces, see vocab.c */
void vocab_spm(Build *b);
/* 0..255 the bytes, in order  256.. merges, see vocab.c; then <|end|>, <user> */
void vocab_bpe(Build *b, const char *pre);
/* 0 [PAD]  1 [UNK]  2 [CLS]  3 [SEP]  4.. words, see vocab.c */
void vocab_wpm(Build *b);

/* A tokenizer of one of them. NULL after an error. */
weft_model_tokenizer *vocab_tokenizer(weft_context *ctx, const Build *b);

#endif
