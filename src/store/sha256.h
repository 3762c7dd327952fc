// SPDX-License-Identifier: Apache-2.0
/*
 * sha256.h - SHA-256 (FIPS 180-4), the name of an object in a folder.
 */
#ifndef WEFT_STORE_SHA256_H
#define WEFT_STORE_SHA256_H

#include <stdint.h>

#define SHA256_HEX 65                   /* bytes of the text with its NUL               */

typedef struct Sha256 {
    uint32_t state[8];
    uint64_t size;                      /* bytes so far                                 */
    uint8_t  block[64];
} Sha256;

void sha256_init(Sha256 *s);
void sha256_add(Sha256 *s, const void *data, uint64_t size);
/* Lower-case hex digits. The state must not be used any more. */
void sha256_hex(char out[SHA256_HEX], Sha256 *s);

#endif
