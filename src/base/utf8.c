// SPDX-License-Identifier: Apache-2.0
/*
 * utf8.c - decoding UTF-8.
 */
#include "base/utf8.h"

/* Length and smallest code point, by the lead byte's class. */
static uint32_t sequence_length(uint8_t lead, uint32_t *bits, uint32_t *least)
{
    if (lead < 0x80) {
        *bits = lead;
        *least = 0;
        return 1;
    }
    if (lead >= 0xc2 && lead < 0xe0) {
        *bits = lead & 0x1fu;
        *least = 0x80;
        return 2;
    }
    if (lead >= 0xe0 && lead < 0xf0) {
        *bits = lead & 0x0fu;
        *least = 0x800;
        return 3;
    }
    if (lead >= 0xf0 && lead < 0xf5) {
        *bits = lead & 0x07u;
        *least = 0x10000;
        return 4;
    }
    return 0;
}

uint32_t utf8_decode(Str s, uint32_t at, uint32_t *c)
{
    uint32_t code = 0, least = 0;
    uint32_t n = sequence_length((uint8_t)s.data[at], &code, &least);
    if (n == 0 || n > s.len - at)
        return 0;
    for (uint32_t i = 1; i < n; i++) {
        uint8_t byte = (uint8_t)s.data[at + i];
        if ((byte & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (byte & 0x3fu);
    }
    if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    *c = code;
    return n;
}

/* Eight bytes at `p`, all ASCII and none NUL? */
static bool all_plain(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    uint64_t high = 0x8080808080808080u, ones = 0x0101010101010101u;
    return ((word | (word - ones)) & high) == 0;
}

uint32_t utf8_find_invalid(Str s, uint32_t at)
{
    while (at < s.len) {
        while (s.len - at >= 8 && all_plain(s.data + at))
            at += 8;
        if (at == s.len)
            break;
        uint32_t c;
        uint32_t n = utf8_decode(s, at, &c);
        if (n == 0 || c == 0)
            return at;
        at += n;
    }
    return s.len;
}
