// SPDX-License-Identifier: Apache-2.0
/*
 * twister.h - random numbers that a seed reproduces: the Mersenne Twister MT19937.
 *
 * The same numbers as C++'s std::mt19937 with std::uniform_real_distribution from 0 to 1 in
 * libstdc++, so that a seed draws what other runtimes draw with it.
 */
#ifndef WEFT_MODEL_TWISTER_H
#define WEFT_MODEL_TWISTER_H

#include <stdint.h>

#define TWISTER_WORDS 624

typedef struct Twister {
    uint32_t words[TWISTER_WORDS];
    uint32_t at;
} Twister;

void     twister_init(Twister *r, uint32_t seed);
uint32_t twister_next(Twister *r);
double   twister_double(Twister *r);      /* in [0, 1), two words                            */
float    twister_float(Twister *r);       /* in [0, 1), one word                             */

#endif
