// SPDX-License-Identifier: Apache-2.0
/*
 * twister.c - MT19937 after Matsumoto and Nishimura, 1998.
 *
 * in     a seed
 * out    words, and numbers in [0, 1)
 * not    what they are drawn for
 */
#include "model/twister.h"

#include <math.h>

#define SHIFT 397u

void twister_init(Twister *r, uint32_t seed)
{
    r->words[0] = seed;
    for (uint32_t i = 1; i < TWISTER_WORDS; i++)
        r->words[i] = 1812433253u * (r->words[i - 1] ^ r->words[i - 1] >> 30) + i;
    r->at = TWISTER_WORDS;
}

static void refill(Twister *r)
{
    for (uint32_t i = 0; i < TWISTER_WORDS; i++) {
        uint32_t y = (r->words[i] & 0x80000000u)
                     | (r->words[(i + 1) % TWISTER_WORDS] & 0x7fffffffu);
        uint32_t far = r->words[(i + SHIFT) % TWISTER_WORDS];
        r->words[i] = far ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    r->at = 0;
}

uint32_t twister_next(Twister *r)
{
    if (r->at >= TWISTER_WORDS)
        refill(r);
    uint32_t y = r->words[r->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

double twister_double(Twister *r)
{
    double low = twister_next(r);
    double high = twister_next(r);
    double x = (low + high * 0x1p32) * 0x1p-64;
    return x < 1 ? x : nextafter(1, 0);
}

float twister_float(Twister *r)
{
    float x = (float)twister_next(r) * 0x1p-32f;
    return x < 1 ? x : nextafterf(1, 0);
}
