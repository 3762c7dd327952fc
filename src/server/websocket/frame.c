// SPDX-License-Identifier: Apache-2.0
/*
 * frame.c - frames as bytes (RFC 6455 5.2), and permessage-deflate (RFC 7692).
 *
 * in     messages
 * out    counted frames, the same for every client; decompressed messages
 * knows  zlib
 * not    sockets
 *
 * Without context takeover every message is compressed by itself, so that one result serves all
 * clients.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/macro.h"
#include "server/websocket/websocket_priv.h"

#define FIN     0x80u
#define RSV1    0x40u
#define LEVEL   3                       /* of compression: little time, most of the gain  */

static size_t put_head(uint8_t *out, uint8_t first, size_t size)
{
    out[0] = first;
    if (size < 126) {
        out[1] = (uint8_t)size;
        return 2;
    }
    uint32_t bytes = size < 65536 ? 2 : 8;
    out[1] = bytes == 2 ? 126 : 127;
    for (uint32_t i = 0; i < bytes; i++)
        out[2 + i] = (uint8_t)((uint64_t)size >> (8 * (bytes - 1 - i)));
    return 2 + bytes;
}

static Frame *frame_new(uint8_t first, const void *head, size_t head_size, const void *data,
                        size_t size)
{
    uint8_t start[10];
    size_t  n = put_head(start, first, head_size + size);
    if (size > UINT32_MAX - head_size - n)
        return NULL;
    Frame *f = malloc(sizeof *f + n + head_size + size);
    if (!f)
        return NULL;
    atomic_init(&f->refs, 1);
    f->size = (uint32_t)(n + head_size + size);
    memcpy(f->bytes, start, n);
    if (head_size)
        memcpy(f->bytes + n, head, head_size);
    if (size)
        memcpy(f->bytes + n + head_size, data, size);
    return f;
}

Frame *frame_text(const char *text, size_t size)
{
    return frame_new(FIN | WSLAY_TEXT_FRAME, NULL, 0, text, size);
}

Frame *frame_binary(const void *head, size_t head_size, const void *data, size_t size)
{
    return frame_new(FIN | WSLAY_BINARY_FRAME, head, head_size, data, size);
}

Frame *frame_raw(const void *bytes, size_t size)
{
    Frame *f = size <= UINT32_MAX ? malloc(sizeof *f + size) : NULL;
    if (!f)
        return NULL;
    atomic_init(&f->refs, 1);
    f->size = (uint32_t)size;
    memcpy(f->bytes, bytes, size);
    return f;
}

Frame *frame_retain(Frame *frame)
{
    if (frame)
        atomic_fetch_add_explicit(&frame->refs, 1, memory_order_relaxed);
    return frame;
}

void frame_release(Frame *frame)
{
    if (frame && atomic_fetch_sub_explicit(&frame->refs, 1, memory_order_acq_rel) == 1)
        free(frame);
}

size_t frame_size(const Frame *frame)
{
    return frame->size;
}

/* ---- compression ---- */

Frame *frame_deflated(const char *text, size_t size)
{
    z_stream z = {0};
    if (size > UINT32_MAX / 2
        || deflateInit2(&z, LEVEL, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    size_t   room = deflateBound(&z, (uLong)size) + 16;
    uint8_t *out = malloc(room);
    Frame   *f = NULL;
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)size;
    z.next_out = out;
    z.avail_out = (uInt)room;
    /* A flush ends with 00 00 ff ff, which is not sent (RFC 7692 7.2.1). */
    if (out && deflate(&z, Z_SYNC_FLUSH) == Z_OK && z.avail_in == 0 && z.total_out >= 4)
        f = frame_new(FIN | RSV1 | WSLAY_TEXT_FRAME, NULL, 0, out, z.total_out - 4);
    deflateEnd(&z);
    free(out);
    return f;
}

/* Grows *out to hold more, up to `limit` and one byte, which shows that there is too much. */
static bool grow(uint8_t **out, size_t *room, size_t limit)
{
    size_t   more = MIN_OF(*room * 2, limit + 1);
    uint8_t *grown = more > *room ? realloc(*out, more) : NULL;
    if (!grown)
        return false;
    *out = grown;
    *room = more;
    return true;
}

/* Inflates until the input is used up. */
static bool inflate_part(z_stream *z, uint8_t **out, size_t *room, size_t limit)
{
    do {
        if (z->total_out == *room && !grow(out, room, limit))
            return false;
        z->next_out = *out + z->total_out;
        z->avail_out = (uInt)(*room - z->total_out);
        int status = inflate(z, Z_SYNC_FLUSH);
        if (status == Z_STREAM_END)
            return true;
        if (status != Z_OK && status != Z_BUF_ERROR)
            return false;
    } while (z->avail_in || z->avail_out == 0);
    return true;
}

uint8_t *frame_inflate(const void *data, size_t size, size_t limit, size_t *out_size,
                       bool *large)
{
    static const uint8_t tail[] = {0, 0, 0xff, 0xff};
    z_stream z = {0};
    size_t   room = MIN_OF(MAX_OF(size * 4, 256), limit + 1);
    uint8_t *out = malloc(room);
    *large = false;
    if (!out || size > UINT32_MAX || inflateInit2(&z, -15) != Z_OK) {
        free(out);
        return NULL;
    }
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    bool ok = inflate_part(&z, &out, &room, limit);
    z.next_in = (Bytef *)(uintptr_t)tail;
    z.avail_in = sizeof tail;
    ok = ok && inflate_part(&z, &out, &room, limit);
    *out_size = z.total_out;
    *large = z.total_out > limit;
    inflateEnd(&z);
    if (ok && !*large)
        return out;
    free(out);
    return NULL;
}
