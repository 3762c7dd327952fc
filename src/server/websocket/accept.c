// SPDX-License-Identifier: Apache-2.0
/*
 * accept.c - the answer to a WebSocket handshake: base64 of SHA-1 (RFC 6455 4.2.2).
 *
 * in     the client's key
 * out    Sec-WebSocket-Accept
 * knows  SHA-1 (FIPS 180-4), which serves no security here: it only shows that the server
 *        understood the handshake
 */
#include <sodium.h>
#include <string.h>

#include "server/websocket/websocket.h"

typedef struct Sha1 {
    uint32_t h[5];
} Sha1;

static uint32_t rotate(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

static void block(Sha1 *s, const uint8_t *p)
{
    uint32_t w[80], a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16
             | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 80; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        uint32_t f = i < 20 ? ((b & c) | (~b & d)) + 0x5a827999
                   : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                   : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                            : (b ^ c ^ d) + 0xca62c1d6;
        uint32_t t = rotate(a, 5) + f + e + w[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = t;
    }
    s->h[0] += a;
    s->h[1] += b;
    s->h[2] += c;
    s->h[3] += d;
    s->h[4] += e;
}

void websocket_accept(const char *key, char out[32])
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    uint8_t text[192] = {0}, hash[20];
    Sha1    s = {{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
    size_t  length = strlen(key) < 40 ? strlen(key) : 40;
    memcpy(text, key, length);
    memcpy(text + length, guid, sizeof guid - 1);
    length += sizeof guid - 1;
    text[length] = 0x80;
    size_t blocks = (length + 9 + 63) / 64;
    for (int i = 0; i < 8; i++)
        text[blocks * 64 - 1 - (size_t)i] = (uint8_t)((uint64_t)length * 8 >> (8 * i));
    for (size_t i = 0; i < blocks; i++)
        block(&s, text + i * 64);
    for (int i = 0; i < 20; i++)
        hash[i] = (uint8_t)(s.h[i / 4] >> (24 - i % 4 * 8));
    sodium_bin2base64(out, 32, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL);
}
