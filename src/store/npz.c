// SPDX-License-Identifier: Apache-2.0
/*
 * npz.c - NumPy's files: npy holds one array, npz is a zip archive of them.
 *
 * in     a mapped file
 * out    entries; new files, whose arrays are not packed
 * knows  which types of NumPy are types of tensors
 * not    the head of an array (npy.c), the archive (zip.c)
 */
#include <stdlib.h>

#include "store/npy.h"
#include "store/zip_priv.h"

#define MAX_HEAD ((uint64_t)(1u << 20) + 12)    /* bytes before the elements           */

/* ---- types ---- */

static const struct {
    char       kind;
    uint32_t   item;
    weft_dtype dtype;
    Convert    convert;
    const char *text;                   /* as NumPy writes it; NULL: is not written    */
} types[] = {
    {'f', 4, WEFT_F32, CONVERT_NONE, "<f4"},  {'f', 2, WEFT_F16, CONVERT_NONE, "<f2"},
    {'f', 8, WEFT_F64, CONVERT_NONE, "<f8"},  {'i', 4, WEFT_I32, CONVERT_NONE, "<i4"},
    {'u', 4, WEFT_U32, CONVERT_NONE, "<u4"},  {'i', 1, WEFT_I8, CONVERT_NONE, "|i1"},
    {'u', 1, WEFT_U8, CONVERT_NONE, "|u1"},   {'i', 8, WEFT_I64, CONVERT_NONE, "<i8"},
    {'b', 1, WEFT_BOOL, CONVERT_BOOL, "|b1"}, {'i', 2, WEFT_I32, CONVERT_I16, NULL},
    {'u', 2, WEFT_U32, CONVERT_U16, NULL},
};

static const char *type_text(weft_dtype dtype)
{
    for (size_t i = 0; i < COUNTOF(types); i++)
        if (types[i].text && types[i].dtype == dtype)
            return types[i].text;
    return NULL;
}

bool npy_can_write(weft_store *s, const char *name, weft_dtype dtype)
{
    const char *names[] = {name, NULL};
    return type_text(dtype)
        || context_fail_names(s->ctx, WEFT_ERROR_UNSUPPORTED, names,
                              "'%s': NumPy has no type %s", name, weft_dtype_name(dtype));
}

/* ---- arrays ---- */

/* Fills the entry from a head; `data` has at least the first MAX_HEAD of `size` bytes. */
static bool read_array(weft_store *s, Entry *e, const uint8_t *data, uint64_t size)
{
    Npy         npy;
    const char *why = NULL;
    if (!npy_open(&npy, &s->arena, data, size, &why))
        return store_fail_format(s, s->desc.path, e->name, "%s", why);
    if (npy.ndims > WEFT_MAX_RANK)
        return store_fail_format(s, s->desc.path, e->name, "it has %u axes; at most %u are "
                                 "possible", npy.ndims, WEFT_MAX_RANK);
    e->rank = npy.ndims;
    memcpy(e->shape, npy.dims, npy.ndims * sizeof *npy.dims);
    e->fortran = npy.fortran;
    e->swapped = npy.swapped;
    e->head = (uint64_t)(npy.data - data);
    e->count = npy.count;
    e->bytes = npy.count * npy.item;
    e->type = arena_printf(&s->arena, "%c%c%u", npy.item == 1 ? '|' : npy.swapped ? '>' : '<',
                           npy.kind, npy.item);
    for (size_t i = 0; i < COUNTOF(types); i++)
        if (types[i].kind == npy.kind && types[i].item == npy.item) {
            e->dtype = types[i].dtype;
            e->convert = types[i].convert;
        }
    if (npy.swapped && e->convert == CONVERT_NONE)
        e->convert = CONVERT_SWAP;
    return true;
}

bool npy_read(weft_store *s)
{
    Mapping *file = store_map(s, s->desc.path);
    Entry    e = {.name = "array", .file = file};
    if (!file || !read_array(s, &e, file->data, file->size))
        return false;
    e.offset = e.head;
    return store_add_entry(s, s->desc.path, &e);
}

/* The name of a member without its ending. */
static const char *array_name(weft_store *s, const char *member)
{
    size_t length = strlen(member);
    if (length > 4 && strcmp(member + length - 4, ".npy") == 0)
        length -= 4;
    return arena_printf(&s->arena, "%.*s", (int)length, member);
}

static bool read_packed(weft_store *s, Entry *e)
{
    uint64_t size = MIN_OF(e->unpacked, MAX_HEAD);
    uint8_t *head = malloc((size_t)size + 1);
    bool     ok = head ? zip_unpack(s, e, head, size) && read_array(s, e, head, e->unpacked)
                       : context_fail(s->ctx, WEFT_ERROR_MEMORY, "no memory for a head");
    free(head);
    return ok;
}

static bool read_member(weft_store *s, Mapping *file, const ZipMember *m)
{
    Entry e = {.name = array_name(s, m->name), .file = file, .deflated = m->method == 8,
               .crc = m->crc, .member = m->data, .packed = m->packed, .unpacked = m->unpacked};
    bool  ok = e.deflated ? read_packed(s, &e)
                          : read_array(s, &e, file->data + m->data, m->packed);
    e.offset = e.member + e.head;
    return ok && store_add_entry(s, s->desc.path, &e);
}

bool npz_read(weft_store *s)
{
    ZipReader z;
    ZipMember m;
    Mapping  *file = store_map(s, s->desc.path);
    if (!file || !zip_open(&z, s, file))
        return false;
    for (uint64_t i = 0; i < z.count; i++)
        if (!zip_next(&z, &m) || !read_member(s, file, &m))
            return false;
    return store_sort(s, s->desc.path);
}

/* ---- writing ---- */

static void array_head(Text *out, const Item *item)
{
    uint32_t        rank;
    const uint64_t *shape = item_shape(item, &rank);
    npy_write_head(out, type_text(item_dtype(item)), shape, rank);
}

bool npy_write(weft_store *s, const Items *items, Arena *arena)
{
    Text    head = {.arena = arena};
    OutFile file;
    if (items->len != 1)
        return context_fail(s->ctx, WEFT_ERROR_INVALID, "%s: a npy file has one tensor, not %u",
                            s->desc.path, items->len);
    array_head(&head, &items->data[0]);
    bool ok = file_begin(&file, s->ctx, s->desc.path) && file_write(&file, head.data, head.len)
           && item_write(s, &file, &items->data[0]) && file_replace(&file);
    file_abandon(&file);
    return ok;
}

/* A member of the new archive. */
typedef struct Written {
    uint64_t at, size;                  /* of its head and of its data                 */
    uint32_t crc;
} Written;

static void put16(Text *t, uint32_t value)
{
    text_char(t, (char)(value & 255));
    text_char(t, (char)(value >> 8 & 255));
}

static void put32(Text *t, uint32_t value)
{
    put16(t, value & 0xffff);
    put16(t, value >> 16);
}

static void put64(Text *t, uint64_t value)
{
    put32(t, (uint32_t)value);
    put32(t, (uint32_t)(value >> 32));
}

/* The fields that local head and directory share; sizes are in the zip64 field. */
static void put_common(Text *t, uint32_t crc, size_t name, uint32_t extra)
{
    put16(t, 45);                       /* version that is needed: zip64               */
    put16(t, 0x0800);                   /* names are UTF-8                             */
    put16(t, 0);                        /* stored                                      */
    put32(t, 0x00210000);               /* 1980-01-01, 0:00                            */
    put32(t, crc);
    put32(t, UINT32_MAX);
    put32(t, UINT32_MAX);
    put16(t, (uint32_t)name);
    put16(t, extra);
}

/* Elements as they are written into the file, in memory; malloc'ed, NULL with the error. */
static uint8_t *item_load(weft_store *s, const Item *item)
{
    uint64_t bytes = item_bytes(item);
    uint8_t *data = malloc((size_t)bytes + 1);
    bool     ok = data || context_fail(s->ctx, WEFT_ERROR_MEMORY, "'%s': no memory", item->name);
    if (ok && item->entry)
        ok = entry_read(s, item->entry, data);
    else if (ok)
        ok = spool_read(s->ctx, s->spool, item->put->at, data, bytes);
    if (ok)
        return data;
    free(data);
    return NULL;
}

static bool write_member(weft_store *s, OutFile *file, const Item *item, Written *w, Arena *arena)
{
    Text        array = {.arena = arena}, head = {.arena = arena};
    const char *name = arena_printf(arena, "%s.npy", item->name);
    array_head(&array, item);
    uint8_t *data = item_load(s, item);
    if (!data)
        return false;
    uint64_t bytes = item_bytes(item);
    *w = (Written){.at = file->size, .size = array.len + bytes,
                   .crc = zip_crc(zip_crc(0, array.data, array.len), data, bytes)};
    put32(&head, 0x04034b50);
    put_common(&head, w->crc, strlen(name), 20);
    text_add(&head, str_of(name));
    put16(&head, 1);
    put16(&head, 16);
    put64(&head, w->size);
    put64(&head, w->size);
    bool ok = file_write(file, head.data, head.len) && file_write(file, array.data, array.len)
           && file_write(file, data, bytes);
    free(data);
    return ok;
}

static void put_directory(Text *t, const Items *items, const Written *all, uint64_t at)
{
    for (uint32_t i = 0; i < items->len; i++) {
        size_t name = strlen(items->data[i].name) + 4;
        put32(t, 0x02014b50);
        put16(t, 45);
        put_common(t, all[i].crc, name, 28);
        put16(t, 0);                    /* comment                                     */
        put16(t, 0);
        put16(t, 0);
        put32(t, 0);
        put32(t, UINT32_MAX);           /* offset                                      */
        text_printf(t, "%s.npy", items->data[i].name);
        put16(t, 1);
        put16(t, 24);
        put64(t, all[i].size);
        put64(t, all[i].size);
        put64(t, all[i].at);
    }
    uint64_t size = t->len;
    put32(t, 0x06064b50);               /* zip64 end                                   */
    put64(t, 44);
    put16(t, 45);
    put16(t, 45);
    put32(t, 0);
    put32(t, 0);
    put64(t, items->len);
    put64(t, items->len);
    put64(t, size);
    put64(t, at);
    put32(t, 0x07064b50);               /* its locator                                 */
    put32(t, 0);
    put64(t, at + size);
    put32(t, 1);
    put32(t, 0x06054b50);               /* the end                                     */
    put32(t, 0);
    put16(t, MIN_OF(items->len, 0xffff));
    put16(t, MIN_OF(items->len, 0xffff));
    put32(t, (uint32_t)MIN_OF(size, UINT32_MAX));
    put32(t, (uint32_t)MIN_OF(at, UINT32_MAX));
    put16(t, 0);
}

bool npz_write(weft_store *s, const Items *items, Arena *arena)
{
    Written *all = ARENA_ARRAY(arena, Written, items->len + 1);
    Text     directory = {.arena = arena};
    OutFile  file;
    bool     ok = file_begin(&file, s->ctx, s->desc.path);
    for (uint32_t i = 0; ok && i < items->len; i++)
        ok = write_member(s, &file, &items->data[i], &all[i], arena);
    if (ok) {
        put_directory(&directory, items, all, file.size);
        ok = file_write(&file, directory.data, directory.len) && file_replace(&file);
    }
    file_abandon(&file);
    return ok;
}
