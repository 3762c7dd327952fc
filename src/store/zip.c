// SPDX-License-Identifier: Apache-2.0
/*
 * zip.c - the members of a zip archive, as npz files are.
 *
 * in     a mapped file
 * out    where the data of each member is, and how it is packed
 * knows  zip with its extension to 64 bits; methods 0 (stored) and 8 (deflated, by zlib)
 * not    what is in the members
 */
#include "store/zip_priv.h"

#include <zlib.h>

#define END_SIZE      22u               /* bytes of the end record                     */
#define LOCATOR_SIZE  20u
#define END64_SIZE    56u
#define ENTRY_SIZE    46u               /* of a member in the central directory        */
#define LOCAL_SIZE    30u               /* of the head before a member's data          */
#define MAX_MEMBERS   (1u << 20)
#define MAX_RATIO     1040u             /* deflate cannot do better than 1 : 1032      */

static uint32_t u16_at(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u32_at(const uint8_t *p)
{
    return u16_at(p) | u16_at(p + 2) << 16;
}

static uint64_t u64_at(const uint8_t *p)
{
    return u32_at(p) | (uint64_t)u32_at(p + 4) << 32;
}

static bool fail(ZipReader *z, const char *field, const char *why)
{
    return store_fail_format(z->store, z->store->desc.path, field, "%s", why);
}

/* ---- the end of the archive ---- */

/* The directory's place by the 64-bit record, if there is one before the end record. */
static bool read_end64(ZipReader *z, uint64_t end)
{
    const Mapping *f = z->file;
    if (end < LOCATOR_SIZE || u32_at(f->data + end - LOCATOR_SIZE) != 0x07064b50)
        return true;
    uint64_t at = u64_at(f->data + end - LOCATOR_SIZE + 8);
    if (at > end || end - at < END64_SIZE || u32_at(f->data + at) != 0x06064b50)
        return fail(z, "zip64 end", "it is not where the locator says");
    z->count = u64_at(f->data + at + 32);
    z->size = u64_at(f->data + at + 40);
    z->at = u64_at(f->data + at + 48);
    return true;
}

bool zip_open(ZipReader *z, weft_store *s, Mapping *file)
{
    *z = (ZipReader){.store = s, .file = file};
    if (file->size < END_SIZE)
        return fail(z, "end", "the file is too short for a zip archive");
    uint64_t end = file->size - END_SIZE, last = end > 65535 ? end - 65535 : 0;
    while (u32_at(file->data + end) != 0x06054b50) {
        if (end == last)
            return fail(z, "end", "there is no end record: it is no zip archive, or cut short");
        end--;
    }
    z->count = u16_at(file->data + end + 10);
    z->size = u32_at(file->data + end + 12);
    z->at = u32_at(file->data + end + 16);
    if (!read_end64(z, end))
        return false;
    if (z->at > end || z->size > end - z->at)
        return fail(z, "directory", "it is beyond the file");
    if (z->count > MAX_MEMBERS || z->count > z->size / ENTRY_SIZE)
        return fail(z, "directory", "it claims more members than it can hold");
    return true;
}

/* ---- members ---- */

/* Sizes and offset that do not fit 32 bits are in an extra field. */
static bool read_extra64(ZipReader *z, ZipMember *m, const uint8_t *extra, uint32_t size)
{
    for (uint32_t at = 0; size - at >= 4 && at < size;) {
        uint32_t id = u16_at(extra + at), length = u16_at(extra + at + 2);
        const uint8_t *p = extra + at + 4, *end = p + length;
        if (length > size - at - 4)
            return fail(z, m->name, "an extra field is beyond its place");
        uint64_t *fields[] = {&m->unpacked, &m->packed, &m->local};
        for (uint32_t i = 0; id == 1 && i < 3; i++) {
            if (*fields[i] != UINT32_MAX)
                continue;
            if (end - p < 8)
                return fail(z, m->name, "its zip64 field is too short");
            *fields[i] = u64_at(p);
            p += 8;
        }
        at += 4 + length;
    }
    return true;
}

/* The data follow the local head, whose own name and extra field may differ. */
static bool find_data(ZipReader *z, ZipMember *m)
{
    const Mapping *f = z->file;
    if (m->local > f->size || f->size - m->local < LOCAL_SIZE
        || u32_at(f->data + m->local) != 0x04034b50)
        return fail(z, m->name, "its head is not where the directory says");
    uint64_t skip = LOCAL_SIZE + (uint64_t)u16_at(f->data + m->local + 26)
                  + u16_at(f->data + m->local + 28);
    if (skip > f->size - m->local || m->packed > f->size - m->local - skip)
        return fail(z, m->name, "its data are beyond the file");
    m->data = m->local + skip;
    return true;
}

static bool check_member(ZipReader *z, const ZipMember *m)
{
    if (m->flags & 1)
        return fail(z, m->name, "it is encrypted");
    if (m->method != 0 && m->method != 8)
        return fail(z, m->name, "it is packed with an unknown method");
    if (m->method == 0 && m->packed != m->unpacked)
        return fail(z, m->name, "its two sizes differ though it is not packed");
    if (m->method == 8 && m->unpacked / MAX_RATIO > m->packed)
        return fail(z, m->name, "it claims to unpack to more than deflate can hold");
    return true;
}

bool zip_next(ZipReader *z, ZipMember *m)
{
    const uint8_t *p = z->file->data + z->at;
    if (z->size < ENTRY_SIZE || u32_at(p) != 0x02014b50)
        return fail(z, "directory", "a member's record is missing");
    uint32_t name = u16_at(p + 28), extra = u16_at(p + 30), comment = u16_at(p + 32);
    uint64_t whole = ENTRY_SIZE + (uint64_t)name + extra + comment;
    if (whole > z->size)
        return fail(z, "directory", "a member's record is beyond its end");
    *m = (ZipMember){
        .name = arena_printf(&z->store->arena, "%.*s", (int)name, (const char *)p + ENTRY_SIZE),
        .flags = u16_at(p + 8), .method = u16_at(p + 10), .crc = u32_at(p + 16),
        .packed = u32_at(p + 20), .unpacked = u32_at(p + 24), .local = u32_at(p + 42),
    };
    z->at += whole;
    z->size -= whole;
    return read_extra64(z, m, p + ENTRY_SIZE + name, extra) && check_member(z, m)
        && find_data(z, m);
}

/* ---- unpacking ---- */

bool zip_unpack(weft_store *s, const Entry *e, void *out, uint64_t size)
{
    z_stream stream = {0};
    uint64_t done = 0, taken = 0;
    int      status = inflateInit2(&stream, -MAX_WBITS);
    bool     ok = status == Z_OK;
    while (ok && done < size && status != Z_STREAM_END) {
        const uint8_t *from = e->file->data + e->member + taken;
        memcpy(&stream.next_in, &from, sizeof from);
        stream.avail_in = (uInt)MIN_OF(e->packed - taken, 1u << 30);
        stream.next_out = (Bytef *)out + done;
        stream.avail_out = (uInt)MIN_OF(size - done, 1u << 30);
        uInt in = stream.avail_in, room = stream.avail_out;
        status = inflate(&stream, Z_NO_FLUSH);
        taken += in - stream.avail_in;
        done += room - stream.avail_out;
        ok = (status == Z_OK || status == Z_STREAM_END)
          && (in != stream.avail_in || room != stream.avail_out);
    }
    inflateEnd(&stream);
    return (ok && done == size)
        || store_fail_format(s, s->desc.path, e->name, "its packed data are damaged");
}

uint32_t zip_crc(uint32_t crc, const void *data, uint64_t size)
{
    uLong          sum = crc;
    const uint8_t *at = data;
    for (; size; at += MIN_OF(size, 1u << 30), size -= MIN_OF(size, 1u << 30))
        sum = crc32(sum, at, (uInt)MIN_OF(size, 1u << 30));
    return (uint32_t)sum;
}
