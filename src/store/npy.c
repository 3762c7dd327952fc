// SPDX-License-Identifier: Apache-2.0
/*
 * npy.c - NumPy's .npy files: arrays of numbers with a shape.
 *
 * in     bytes of a file, which may be anything; shapes to write
 * out    where the numbers are and of what type; the bytes before them
 * knows  format versions 1 to 3: a magic word, the length of the head, the head (a
 *        Python dictionary with three entries), the numbers
 * not    buffers, WGSL types
 */
#include "store/npy.h"

#include <string.h>

#define MAGIC      "\x93NUMPY"
#define MAGIC_SIZE 6
#define ALIGNMENT  64                   /* of the first number in the file           */
#define MAX_HEAD   (1u << 20)           /* bytes; far more than any head needs       */

/* ---- the head: a Python dictionary ---- */

typedef struct Reader {
    Npy        *npy;
    Arena      *arena;
    Str         text;
    uint32_t    at;
    const char *why;                    /* NULL: all is well so far                  */
    bool        has_type, has_order, has_shape, fortran;
} Reader;

static bool fail(Reader *r, const char *why)
{
    if (!r->why)
        r->why = why;
    return false;
}

static void skip_blanks(Reader *r)
{
    while (r->at < r->text.len && strchr(" \t\n\r", r->text.data[r->at])
           && r->text.data[r->at])
        r->at++;
}

static bool comes(Reader *r, char c)
{
    skip_blanks(r);
    return r->at < r->text.len && r->text.data[r->at] == c;
}

/* Takes the character if it comes next. */
static bool take(Reader *r, char c)
{
    bool found = comes(r, c);
    r->at += found;
    return found;
}

static bool take_word(Reader *r, Str word)
{
    skip_blanks(r);
    if (r->text.len - r->at < word.len
        || memcmp(r->text.data + r->at, word.data, word.len) != 0)
        return false;
    r->at += word.len;
    return true;
}

/* 'text' or "text", without escapes. */
static bool take_string(Reader *r, Str *out)
{
    char quote = take(r, '\'') ? '\'' : take(r, '"') ? '"' : '\0';
    if (!quote)
        return false;
    const char *start = r->text.data + r->at;
    const char *end = memchr(start, quote, r->text.len - r->at);
    if (!end)
        return fail(r, "a string in its head does not end");
    *out = (Str){start, (uint32_t)(end - start)};
    r->at += out->len + 1;
    return true;
}

static bool take_size(Reader *r, uint64_t *out)
{
    uint32_t start = r->at;
    *out = 0;
    for (; r->at < r->text.len; r->at++) {
        char c = r->text.data[r->at];
        if (c < '0' || c > '9')
            break;
        uint64_t digit = (uint64_t)(c - '0');
        if (*out > (UINT64_MAX - digit) / 10)
            return fail(r, "a dimension of its shape is too large");
        *out = *out * 10 + digit;
    }
    return r->at > start;
}

/* "(3, 4)", "(3,)", "()". */
static bool read_shape(Reader *r)
{
    Npy *npy = r->npy;
    if (!take(r, '('))
        return fail(r, "its shape is not a tuple");
    while (!take(r, ')')) {
        skip_blanks(r);
        if (npy->ndims == NPY_MAX_DIMS)
            return fail(r, "its shape has more than 32 dimensions");
        if (!take_size(r, &npy->dims[npy->ndims]))
            return fail(r, "its shape is not a tuple of whole numbers");
        npy->ndims++;
        if (!take(r, ',') && !comes(r, ')'))
            return fail(r, "its shape is not a tuple of whole numbers");
    }
    r->has_shape = true;
    return true;
}

static bool host_is_little(void)
{
    const uint16_t one = 1;
    uint8_t low;
    memcpy(&low, &one, 1);
    return low == 1;
}

static const char *unknown_type(Reader *r, Str type)
{
    return arena_printf(r->arena, "its numbers are of type '%.*s'; known are f2 f4 f8, "
                        "i1 i2 i4 i8, u1 u2 u4 u8 and b1",
                        (int)MIN_OF(type.len, 20), type.data);
}

/* "<f4": the order of bytes, the kind, the size. */
static bool read_type(Reader *r)
{
    Npy *npy = r->npy;
    Str  type = {0};
    if (!take_string(r, &type))
        return fail(r, "its type is a structure, not a number");
    bool ok = type.len == 3 && memchr("<>|=", type.data[0], 4)
           && memchr("fiub", type.data[1], 4) && memchr("1248", type.data[2], 4);
    if (ok) {
        npy->kind = type.data[1];
        npy->item = (uint32_t)(type.data[2] - '0');
        npy->swapped = npy->item > 1 && type.data[0] == (host_is_little() ? '>' : '<');
        ok = (npy->kind != 'f' || npy->item > 1) && (npy->kind != 'b' || npy->item == 1);
    }
    r->has_type = true;
    return ok || fail(r, unknown_type(r, type));
}

static bool read_order(Reader *r)
{
    r->has_order = true;
    r->fortran = take_word(r, STR("True"));
    return r->fortran || take_word(r, STR("False")) || fail(r, "its order is unclear");
}

static bool read_entry(Reader *r)
{
    Str key;
    if (!take_string(r, &key) || !take(r, ':'))
        return fail(r, "its head is not a dictionary");
    if (str_eq(key, STR("descr")) && !r->has_type)
        return read_type(r);
    if (str_eq(key, STR("fortran_order")) && !r->has_order)
        return read_order(r);
    if (str_eq(key, STR("shape")) && !r->has_shape)
        return read_shape(r);
    return fail(r, "its head has an entry that is unknown or there twice");
}

static bool read_head(Reader *r)
{
    if (!take(r, '{'))
        return fail(r, "its head is not a dictionary");
    while (!take(r, '}')) {
        if (!read_entry(r))
            return false;
        if (!take(r, ',') && !comes(r, '}'))
            return fail(r, "its head is not a dictionary");
    }
    if (!r->has_type || !r->has_order || !r->has_shape)
        return fail(r, "its head lacks the type, the order or the shape");
    return true;
}

/* ---- the file ---- */

/* Rows and columns are the same thing where only one dimension is longer than 1. */
static bool order_matters(const Npy *npy)
{
    uint32_t longer = 0;
    for (uint32_t i = 0; i < npy->ndims; i++)
        longer += npy->dims[i] > 1;
    return longer > 1;
}

/* The product of the dimensions, which must fit in `room` bytes. */
static bool count_numbers(Reader *r, uint64_t room)
{
    Npy     *npy = r->npy;
    uint64_t most = room / npy->item;
    npy->count = 1;
    for (uint32_t i = 0; i < npy->ndims; i++)
        if (npy->dims[i] == 0) {
            npy->count = 0;
            return true;
        }
    for (uint32_t i = 0; i < npy->ndims; i++) {
        if (npy->dims[i] > most / npy->count)
            return fail(r, "it is cut short: its shape needs more numbers than it holds");
        npy->count *= npy->dims[i];
    }
    return npy->count <= most || fail(r, "it is cut short: its number is missing");
}

/* Where the head is; what follows it are the numbers. */
static bool find_head(Reader *r, const uint8_t *bytes, uint64_t size)
{
    if (size < MAGIC_SIZE + 4 || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0)
        return fail(r, "it is no .npy file");
    uint32_t version = bytes[MAGIC_SIZE];
    uint32_t start = version == 1 ? MAGIC_SIZE + 4 : MAGIC_SIZE + 6;
    if (version < 1 || version > 3)
        return fail(r, "it has an unknown version of the format");
    if (size < start)
        return fail(r, "it is cut short in its head");
    const uint8_t *at = bytes + MAGIC_SIZE + 2;
    uint32_t length = (uint32_t)at[0] | (uint32_t)at[1] << 8;
    if (version > 1)
        length |= (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    if (length > size - start)
        return fail(r, "it is cut short in its head");
    if (length > MAX_HEAD)
        return fail(r, "its head is too long");
    r->text = (Str){(const char *)bytes + start, length};
    return true;
}

bool npy_open(Npy *out, Arena *arena, const uint8_t *bytes, uint64_t size, const char **why)
{
    Npy    npy = {0};
    Reader r = {.npy = &npy, .arena = arena};
    bool   ok = find_head(&r, bytes, size) && read_head(&r);
    if (ok) {
        npy.data = (const uint8_t *)r.text.data + r.text.len;
        ok = count_numbers(&r, size - (uint64_t)(npy.data - bytes));
    }
    npy.fortran = r.fortran && order_matters(&npy);
    if (!ok) {
        *why = r.why;
        return false;
    }
    *out = npy;
    return true;
}

/* ---- writing ---- */

void npy_write_head(Text *out, const char *type, const uint64_t *dims, uint32_t ndims)
{
    Text head = {.arena = out->arena};
    text_printf(&head, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (uint32_t i = 0; i < ndims; i++)
        text_printf(&head, "%s%llu%s", i ? ", " : "", (unsigned long long)dims[i],
                    ndims == 1 ? "," : "");
    text_add(&head, STR("), }"));
    while ((MAGIC_SIZE + 4 + head.len + 1) % ALIGNMENT != 0)
        text_char(&head, ' ');
    text_char(&head, '\n');
    text_add(out, STR(MAGIC "\x01"));
    text_char(out, '\0');
    text_char(out, (char)(head.len & 255));
    text_char(out, (char)(head.len >> 8));
    text_add(out, (Str){head.data, (uint32_t)head.len});
}
