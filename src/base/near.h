// SPDX-License-Identifier: Apache-2.0
/*
 * near.h - what a misspelt word may have meant.
 *
 *     Near near = near_begin(word);
 *     for (...)
 *         near_consider(&near, candidate);
 *     if (near.found.data) ...
 */
#ifndef WEFT_BASE_NEAR_H
#define WEFT_BASE_NEAR_H

#include "base/str.h"

typedef struct Near {
    Str      word;
    uint32_t limit;                 /* most changes that are still near; 0: none   */
    Str      found;                 /* the nearest so far; data NULL: none         */
} Near;

/* Short words allow one change, longer ones two; words of one letter, and words
 * of more than 64 bytes, are near to nothing. */
Near near_begin(Str word);

/* True if the candidate is nearer than all before it. The word itself is not. */
bool near_consider(Near *near, Str candidate);

#endif
