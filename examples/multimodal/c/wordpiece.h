/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wordpiece.h - text to the tokens of BERT models.
 *
 * in     tokenizer.json with a WordPiece vocabulary; UTF-8
 * out    numbers of tokens with [CLS] and [SEP] around them
 * not    lower case and accents of other than Latin letters: these stay as they are
 */
#ifndef WORDPIECE_H
#define WORDPIECE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct WordPiece WordPiece;

/* NULL: the reason is on stderr. */
WordPiece *wordpiece_open(const char *path);
void       wordpiece_close(WordPiece *w);
/* At most `limit` tokens into ids; how many. */
uint32_t   wordpiece_encode(int32_t *ids, uint32_t limit, const WordPiece *w, const char *text);

#endif
