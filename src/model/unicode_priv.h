// SPDX-License-Identifier: Apache-2.0
/*
 * unicode_priv.h - the properties of characters that tokenizers ask about.
 */
#ifndef WEFT_MODEL_UNICODE_PRIV_H
#define WEFT_MODEL_UNICODE_PRIV_H

#include <stdint.h>

/* The class of a character: one bit for its general category, one more for white space.
 * Never 0: that stands for "no character". As in tools/gen-unicode. */
enum {
    UNICODE_NUMBER = 1,             /* \p{N}                                       */
    UNICODE_LETTER = 2,             /* \p{L}                                       */
    UNICODE_MARK = 4,               /* \p{M}                                       */
    UNICODE_PUNCTUATION = 8,        /* \p{P}                                       */
    UNICODE_SYMBOL = 16,            /* \p{S}                                       */
    UNICODE_CONTROL = 32,           /* \p{C}, without unassigned characters        */
    UNICODE_SPACE = 64,             /* White_Space, separators among them          */
    UNICODE_UNASSIGNED = 128,
};

/* ---- tables (unicode_table.c) ---- */

typedef struct UnicodeLower {
    uint32_t first, last, step;
    int32_t  difference;
} UnicodeLower;

extern const uint8_t      unicode_ascii[128];
extern const uint32_t     unicode_classes[];
extern const uint32_t     unicode_class_count;
extern const UnicodeLower unicode_lowers[];
extern const uint32_t     unicode_lower_count;
extern const uint32_t     unicode_bases[][2];
extern const uint32_t     unicode_base_count;

/* ---- questions ---- */

uint8_t unicode_class_beyond_ascii(uint32_t c);

static inline uint8_t unicode_class(uint32_t c)
{
    return c < 128 ? unicode_ascii[c] : unicode_class_beyond_ascii(c);
}

/* The lower case; c itself if it has none. */
uint32_t unicode_lower(uint32_t c);
/* The first character of the canonical decomposition: of an accented letter the letter,
 * of a Hangul syllable its first consonant. */
uint32_t unicode_base(uint32_t c);

/* Writes the UTF-8 of c, up to four bytes; returns their number. */
uint32_t unicode_write(char *out, uint32_t c);

#endif
