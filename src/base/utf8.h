// SPDX-License-Identifier: Apache-2.0
/*
 * utf8.h - decoding UTF-8, and the Unicode properties WGSL asks about.
 */
#ifndef WEFT_BASE_UTF8_H
#define WEFT_BASE_UTF8_H

#include "base/str.h"

/*
 * Decodes the code point at byte `at` (below s.len) into *c and returns its
 * length in bytes, 1 to 4; 0 if the bytes are not valid UTF-8 (overlong,
 * surrogate, above U+10FFFF, cut short).
 */
uint32_t utf8_decode(Str s, uint32_t at, uint32_t *c);

/* The first byte at or after `at` that is NUL or not part of valid UTF-8;
 * s.len if there is none. Plain ASCII costs an eighth of a step a byte. */
uint32_t utf8_find_invalid(Str s, uint32_t at);

/* Unicode's XID_Start and XID_Continue: what names are made of (xid.c). */
bool xid_is_start(uint32_t c);
bool xid_is_continue(uint32_t c);

#endif
