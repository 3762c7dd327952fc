// SPDX-License-Identifier: Apache-2.0
/*
 * gguf_parse.c - the bytes of one GGUF file into metadata and a list of tensors.
 *
 * in     bytes from outside, of any length
 * out    GgufContents in the file's arena; every count, length, type, alignment and
 *        offset has been checked, so that users need not check again
 * knows  GGUF versions 2 and 3, little-endian
 * not    files, split models, what keys mean (but general.alignment)
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "model/dequant.h"
#include "model/gguf_priv.h"

enum {
    MAX_KEY = 65535,                /* bytes of a key, as the format says          */
    MAX_NAME = 63,                  /* of a tensor's name, as in ggml              */
    MIN_VALUE = 8 + 1 + 4 + 1,      /* least bytes of a key with its value         */
    MIN_TENSOR = 8 + 1 + 4 + 4 + 8, /* least bytes of an entry of the tensor list  */
};

typedef struct Reader {
    weft_gguf      *file;
    const GgufPart *part;
    uint64_t        at;
} Reader;

bool gguf_fail(const weft_gguf *file, const GgufPart *part, uint64_t at, const char *field,
               const char *fmt, ...)
{
    char    text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const char *names[] = {part->name, field, NULL};
    return context_fail_names(file->ctx, WEFT_ERROR_FORMAT, names,
                              "%s: %s: %s (at byte %" PRIu64 ")", part->name, field, text,
                              at);
}

/* Are there `size` more bytes? */
static bool need(Reader *r, uint64_t size, const char *field)
{
    uint64_t left = r->part->size - r->at;
    if (size <= left)
        return true;
    return gguf_fail(r->file, r->part, r->at, field,
                     "needs %" PRIu64 " bytes, but the file ends after %" PRIu64, size, left);
}

static bool read_u32(Reader *r, uint32_t *out, const char *field)
{
    if (!need(r, 4, field))
        return false;
    *out = load_u32(r->part->data + r->at);
    r->at += 4;
    return true;
}

static bool read_u64(Reader *r, uint64_t *out, const char *field)
{
    if (!need(r, 8, field))
        return false;
    *out = load_u64(r->part->data + r->at);
    r->at += 8;
    return true;
}

/* A key or a name: copied, NUL-terminated. */
static bool read_name(Reader *r, const char **out, uint64_t limit, const char *field)
{
    uint64_t size, start = r->at;
    if (!read_u64(r, &size, field))
        return false;
    if (size == 0)
        return gguf_fail(r->file, r->part, start, field, "is empty");
    if (size > limit)
        return gguf_fail(r->file, r->part, start, field,
                         "has %" PRIu64 " bytes, more than %" PRIu64, size, limit);
    if (!need(r, size, field))
        return false;
    const char *text = (const char *)r->part->data + r->at;
    if (memchr(text, 0, (size_t)size))
        return gguf_fail(r->file, r->part, start, field, "holds a NUL");
    char *copy = arena_alloc(&r->file->arena, (size_t)size + 1);
    memcpy(copy, text, (size_t)size);
    r->at += size;
    *out = copy;
    return true;
}

/* ---- metadata ---- */

static void number_load(weft_gguf_value *v, const uint8_t *p)
{
    uint64_t bits;
    switch (v->element) {
    case WEFT_GGUF_U8:   v->u = p[0];                 break;
    case WEFT_GGUF_BOOL: v->u = p[0] != 0;            break;
    case WEFT_GGUF_I8:   v->i = (int8_t)p[0];         break;
    case WEFT_GGUF_U16:  v->u = load_u16(p);          break;
    case WEFT_GGUF_I16:  v->i = (int16_t)load_u16(p); break;
    case WEFT_GGUF_U32:  v->u = load_u32(p);          break;
    case WEFT_GGUF_I32:  v->i = (int32_t)load_u32(p); break;
    case WEFT_GGUF_U64:  v->u = load_u64(p);          break;
    case WEFT_GGUF_I64:  v->i = (int64_t)load_u64(p); break;
    case WEFT_GGUF_F32:  v->f = (double)float_of_bits(load_u32(p)); return;
    case WEFT_GGUF_F64:
        bits = load_u64(p);
        memcpy(&v->f, &bits, sizeof v->f);
        return;
    default:
        return;
    }
    bool is_signed = v->element == WEFT_GGUF_I8 || v->element == WEFT_GGUF_I16
                  || v->element == WEFT_GGUF_I32 || v->element == WEFT_GGUF_I64;
    v->f = is_signed ? (double)v->i : (double)v->u;
    if (is_signed)
        v->u = (uint64_t)v->i;
    else
        v->i = (int64_t)v->u;
}

static bool read_string(Reader *r, weft_gguf_value *v)
{
    uint64_t         size;
    v->data = r->part->data + r->at;
    if (!read_u64(r, &size, v->key) || !need(r, size, v->key))
        return false;
    char *copy = arena_alloc(&r->file->arena, (size_t)size + 1);
    memcpy(copy, r->part->data + r->at, (size_t)size);
    v->text = copy;
    v->size = (size_t)size;
    r->at += size;
    return true;
}

static bool read_strings(Reader *r, weft_gguf_value *v)
{
    uint64_t count = v->count, start = r->at;
    if (count > (r->part->size - r->at) / 8)
        return gguf_fail(r->file, r->part, r->at, v->key,
                         "an array of %" PRIu64 " strings does not fit into the file", count);
    uint64_t *offsets = ARENA_ARRAY(&r->file->arena, uint64_t, (size_t)count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t size;
        offsets[i] = r->at - start;
        if (!read_u64(r, &size, v->key) || !need(r, size, v->key))
            return false;
        r->at += size;
    }
    v->offsets = offsets;
    return true;
}

static bool read_array(Reader *r, weft_gguf_value *v)
{
    uint32_t         element;
    uint64_t         start = r->at;
    if (!read_u32(r, &element, v->key) || !read_u64(r, &v->count, v->key))
        return false;
    v->element = (weft_gguf_kind)element;
    v->data = r->part->data + r->at;
    if (element == WEFT_GGUF_ARRAY)
        return gguf_fail(r->file, r->part, start, v->key, "arrays of arrays are not supported");
    if (element == WEFT_GGUF_STRING)
        return read_strings(r, v);
    uint32_t size = gguf_kind_size(v->element);
    if (size == 0)
        return gguf_fail(r->file, r->part, start, v->key, "unknown type %" PRIu32 " of elements",
                         element);
    if (v->count > (r->part->size - r->at) / size)
        return gguf_fail(r->file, r->part, r->at, v->key,
                         "an array of %" PRIu64 " elements of %" PRIu32
                         " bytes does not fit into the file", v->count, size);
    r->at += v->count * size;
    return true;
}

static bool read_value(Reader *r, weft_gguf_value *v, uint64_t index)
{
    char             field[48];
    uint32_t         kind;
    snprintf(field, sizeof field, "metadata key %" PRIu64, index);
    if (!read_name(r, &v->key, MAX_KEY, field))
        return false;
    uint64_t start = r->at;
    if (!read_u32(r, &kind, v->key))
        return false;
    v->kind = v->element = (weft_gguf_kind)kind;
    v->count = 1;
    if (kind == WEFT_GGUF_STRING)
        return read_string(r, v);
    if (kind == WEFT_GGUF_ARRAY)
        return read_array(r, v);
    uint32_t size = gguf_kind_size(v->kind);
    if (size == 0)
        return gguf_fail(r->file, r->part, start, v->key, "unknown type %" PRIu32, kind);
    if (!need(r, size, v->key))
        return false;
    v->data = r->part->data + r->at;
    number_load(v, v->data);
    r->at += size;
    return true;
}

bool weft_gguf_element(weft_gguf_value *out, const weft_gguf *file, const weft_gguf_value *value,
                       uint64_t index)
{
    if (!out || !file || !value || index >= value->count)
        return false;
    const uint8_t  *p = value->data;
    weft_gguf_value v = {.key = "", .kind = value->element, .element = value->element, .count = 1};
    if (value->element == WEFT_GGUF_STRING) {
        p += value->offsets ? value->offsets[index] : 0;
        v.size = (size_t)load_u64(p);
        v.text = (const char *)p + 8;
    } else {
        p += index * gguf_kind_size(value->element);
        number_load(&v, p);
    }
    v.data = p;
    *out = v;
    return true;
}

/* ---- tensors ---- */

/* Sets the sizes that follow from shape and type. */
static bool tensor_measure(Reader *r, weft_gguf_tensor *t, uint64_t start)
{
    uint32_t block = weft_gguf_type_elements(t->type), bytes = weft_gguf_type_bytes(t->type);
    if (block == 0)
        return gguf_fail(r->file, r->part, start, t->name, "unknown element type %d", (int)t->type);
    if (t->shape[0] % block)
        return gguf_fail(r->file, r->part, start, t->name,
                         "rows of %" PRIu64 " elements are not whole blocks of %" PRIu32 " (%s)",
                         t->shape[0], block, weft_gguf_type_name(t->type));
    uint64_t elements = 1;
    bool     empty = false;
    for (int i = 0; i < 4; i++)
        empty = empty || t->shape[i] == 0;
    for (int i = 0; i < 4 && !empty; i++) {
        if (t->shape[i] > INT64_MAX / elements)
            return gguf_fail(r->file, r->part, start, t->name,
                             "the shape has more than 2^63 elements");
        elements *= t->shape[i];
    }
    t->elements = empty ? 0 : elements;
    if (t->elements / block > (uint64_t)INT64_MAX / bytes)
        return gguf_fail(r->file, r->part, start, t->name, "the data has more than 2^63 bytes");
    t->size = t->elements / block * bytes;
    return true;
}

static bool read_tensor(Reader *r, weft_gguf_tensor *t, uint64_t index)
{
    char     field[48];
    uint32_t type;
    snprintf(field, sizeof field, "name of tensor %" PRIu64, index);
    if (!read_name(r, &t->name, MAX_NAME, field))
        return false;
    uint64_t start = r->at;
    if (!read_u32(r, &t->rank, t->name))
        return false;
    if (t->rank > 4)
        return gguf_fail(r->file, r->part, start, t->name,
                         "has %" PRIu32 " dimensions, more than 4", t->rank);
    for (uint32_t i = 0; i < 4; i++) {
        t->shape[i] = 1;
        if (i < t->rank && !read_u64(r, &t->shape[i], t->name))
            return false;
        if (t->shape[i] > INT64_MAX)
            return gguf_fail(r->file, r->part, start, t->name,
                             "dimension %" PRIu32 " is negative or above 2^63", i);
    }
    start = r->at;
    if (!read_u32(r, &type, t->name))
        return false;
    t->type = (weft_gguf_type)type;
    return tensor_measure(r, t, start) && read_u64(r, &t->offset, t->name);
}

static int by_offset(const void *a, const void *b)
{
    const weft_gguf_tensor *x = *(const weft_gguf_tensor *const *)a;
    const weft_gguf_tensor *y = *(const weft_gguf_tensor *const *)b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->size < y->size ? -1 : x->size > y->size;
}

/* Data is padded up to the alignment. Some writers leave out the padding at the end of the
 * file; a file that ends within it was cut. */
static bool last_is_whole(Reader *r, const GgufContents *c, const weft_gguf_tensor *last,
                          uint64_t room)
{
    uint64_t end = last->offset + last->size, mask = c->alignment - 1;
    if (r->file->header_only || room == end || room >= ((end + mask) & ~mask))
        return true;
    return gguf_fail(r->file, r->part, r->at, last->name,
                     "the file ends within the padding behind the data; is the file complete?");
}

/* Offsets, so far from the start of the data, become places in the file. */
static bool tensors_place(Reader *r, GgufContents *c, uint64_t data_start)
{
    weft_gguf_tensor **order =
        ARENA_ARRAY(&r->file->arena, weft_gguf_tensor *, (size_t)c->ntensors);
    uint64_t           room = r->file->header_only ? INT64_MAX
                            : r->part->size > data_start ? r->part->size - data_start : 0;
    for (uint64_t i = 0; i < c->ntensors; i++) {
        weft_gguf_tensor *t = order[i] = &c->tensors[i];
        if (t->offset % c->alignment)
            return gguf_fail(r->file, r->part, r->at, t->name,
                             "the offset %" PRIu64 " is not a multiple of the alignment %" PRIu32,
                             t->offset, c->alignment);
        if (t->offset > room || t->size > room - t->offset)
            return gguf_fail(r->file, r->part, r->at, t->name,
                             "the data, %" PRIu64 " bytes at %" PRIu64 " of the data section, "
                             "is beyond the end of the file; is the file complete?",
                             t->size, t->offset);
    }
    if (c->ntensors)
        qsort(order, (size_t)c->ntensors, sizeof *order, by_offset);
    for (uint64_t i = 1; i < c->ntensors; i++)
        if (order[i]->offset < order[i - 1]->offset + order[i - 1]->size)
            return gguf_fail(r->file, r->part, r->at, order[i]->name,
                             "the data overlaps that of '%s'", order[i - 1]->name);
    if (c->ntensors && !last_is_whole(r, c, order[c->ntensors - 1], room))
        return false;
    for (uint64_t i = 0; i < c->ntensors; i++)
        c->tensors[i].offset += data_start;
    return true;
}

/* ---- the whole ---- */

static bool read_header(Reader *r, GgufContents *c)
{
    if (!need(r, 4, "magic"))
        return false;
    if (memcmp(r->part->data, "GGUF", 4) != 0)
        return gguf_fail(r->file, r->part, 0, "magic", "is not \"GGUF\": this is not a GGUF file");
    r->at = 4;
    if (!read_u32(r, &c->version, "version"))
        return false;
    if (c->version && (c->version & 0xffff) == 0)
        return gguf_fail(r->file, r->part, 4, "version",
                         "is %#" PRIx32 ": a big-endian file, which is not supported", c->version);
    if (c->version != 2 && c->version != 3)
        return gguf_fail(r->file, r->part, 4, "version", "is %" PRIu32 ", not 2 or 3", c->version);
    if (!read_u64(r, &c->ntensors, "tensor count") || !read_u64(r, &c->nvalues, "metadata count"))
        return false;
    uint64_t left = r->part->size - r->at;
    if (c->ntensors > left / MIN_TENSOR)
        return gguf_fail(r->file, r->part, 8, "tensor count",
                         "%" PRIu64 " tensors do not fit into the file", c->ntensors);
    if (c->nvalues > left / MIN_VALUE)
        return gguf_fail(r->file, r->part, 16, "metadata count",
                         "%" PRIu64 " values do not fit into the file", c->nvalues);
    return true;
}

static bool find_alignment(Reader *r, GgufContents *c)
{
    c->alignment = 32;
    for (uint64_t i = 0; i < c->nvalues; i++) {
        const weft_gguf_value *v = &c->values[i];
        if (strcmp(v->key, "general.alignment") != 0)
            continue;
        if (v->kind != WEFT_GGUF_U32)
            return gguf_fail(r->file, r->part, r->at, v->key, "has type %d instead of u32",
                             (int)v->kind);
        if (v->u == 0 || (v->u & (v->u - 1)))
            return gguf_fail(r->file, r->part, r->at, v->key,
                             "%" PRIu64 " is not a power of two", v->u);
        c->alignment = (uint32_t)v->u;
    }
    return true;
}

bool gguf_parse(weft_gguf *file, uint32_t index, GgufContents *out)
{
    Reader       r = {.file = file, .part = &file->parts[index]};
    GgufContents c = {0};
    if (!read_header(&r, &c))
        return false;
    c.values = ARENA_ARRAY(&file->arena, weft_gguf_value, (size_t)c.nvalues);
    for (uint64_t i = 0; i < c.nvalues; i++)
        if (!read_value(&r, &c.values[i], i))
            return false;
    if (!find_alignment(&r, &c))
        return false;
    c.tensors = ARENA_ARRAY(&file->arena, weft_gguf_tensor, (size_t)c.ntensors);
    for (uint64_t i = 0; i < c.ntensors; i++) {
        if (!read_tensor(&r, &c.tensors[i], i))
            return false;
        c.tensors[i].part = index;
    }
    uint64_t mask = c.alignment - 1;
    if (!tensors_place(&r, &c, (r.at + mask) & ~mask))
        return false;
    *out = c;
    return true;
}
