// SPDX-License-Identifier: Apache-2.0
/*
 * unicode.c - looks characters up in unicode_table.c.
 *
 * in     a code point
 * out    its class, its lower case, its base letter
 * not    texts
 */
#include "model/unicode_priv.h"

/* The last run that starts at or before c. */
uint8_t unicode_class_beyond_ascii(uint32_t c)
{
    uint32_t low = 0, high = unicode_class_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (unicode_classes[middle] >> 8 <= c)
            low = middle;
        else
            high = middle;
    }
    return (uint8_t)unicode_classes[low];
}

uint32_t unicode_lower(uint32_t c)
{
    uint32_t low = 0, high = unicode_lower_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (unicode_lowers[middle].first <= c)
            low = middle;
        else
            high = middle;
    }
    const UnicodeLower *run = &unicode_lowers[low];
    if (c < run->first || c > run->last || (c - run->first) % run->step)
        return c;
    return c + (uint32_t)run->difference;
}

uint32_t unicode_base(uint32_t c)
{
    if (c >= 0xac00 && c < 0xd7a4)
        return 0x1100 + (c - 0xac00) / 588;
    uint32_t low = 0, high = unicode_base_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (unicode_bases[middle][0] <= c)
            low = middle;
        else
            high = middle;
    }
    return unicode_bases[low][0] == c ? unicode_bases[low][1] : c;
}

uint32_t unicode_write(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    uint32_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (uint32_t i = size - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[size] | c);
    return size;
}
