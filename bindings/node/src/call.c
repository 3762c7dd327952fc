// SPDX-License-Identifier: Apache-2.0
/*
 * call.c - arguments in, results out.
 *
 * in     napi values
 * out    C values, and memory that lives until the call is over
 * knows  Node-API
 * not    webgpu.h, but for its strings
 */
#include <stdlib.h>
#include <string.h>

#include "addon.h"

typedef struct Block {
    struct Block *next;
    max_align_t   data[];
} Block;

bool call_ok(Call *c)
{
    if (!c->bad)
        return true;
    bool thrown = false;
    napi_is_exception_pending(c->napi, &thrown);
    if (!thrown)
        napi_throw_type_error(c->napi, NULL, "weft.node: an argument of the wrong kind");
    return false;
}

void *call_alloc(Call *c, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - sizeof(Block)) / size)
        return c->bad = true, NULL;
    Block *b = calloc(1, sizeof *b + count * size);
    if (!b) {
        napi_throw_range_error(c->napi, NULL, "out of memory");
        c->bad = true;
        return NULL;
    }
    b->next = c->blocks;
    c->blocks = b;
    return b->data;
}

void call_end(Call *c)
{
    for (Block *b = c->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

/* ---- values ---- */

static napi_valuetype type_of(Call *c, napi_value v)
{
    napi_valuetype type = napi_undefined;
    if (!v || napi_typeof(c->napi, v, &type) != napi_ok)
        c->bad = true;
    return type;
}

bool value_is_undefined(Call *c, napi_value v)
{
    return type_of(c, v) == napi_undefined;
}

double value_double(Call *c, napi_value v)
{
    double n = 0;
    if (napi_get_value_double(c->napi, v, &n) != napi_ok)
        c->bad = true;
    return n;
}

uint32_t value_u32(Call *c, napi_value v)
{
    uint32_t n = 0;
    if (napi_get_value_uint32(c->napi, v, &n) != napi_ok)
        c->bad = true;
    return n;
}

/* Numbers come with at most 53 bits. */
uint64_t value_u64_or(Call *c, napi_value v, uint64_t otherwise)
{
    if (value_is_undefined(c, v))
        return otherwise;
    const double n = value_double(c, v);
    if (!(n >= 0 && n <= 9007199254740991.0)) {
        c->bad = true;
        return 0;
    }
    return (uint64_t)n;
}

static char *string_space(Call *c, size_t size)
{
    if (size <= sizeof c->small - c->small_used) {
        char *s = c->small + c->small_used;
        c->small_used += size;
        return s;
    }
    return call_alloc(c, size, 1);
}

WGPUStringView value_string(Call *c, napi_value v)
{
    WGPUStringView s = WGPU_STRING_VIEW_INIT;
    size_t length = 0;
    if (value_is_undefined(c, v))
        return s;
    if (napi_get_value_string_utf8(c->napi, v, NULL, 0, &length) != napi_ok) {
        c->bad = true;
        return s;
    }
    char *text = string_space(c, length + 1);
    if (!text)
        return s;
    napi_get_value_string_utf8(c->napi, v, text, length + 1, &length);
    return (WGPUStringView){ text, length };
}

void *value_object(Call *c, napi_value v, Kind kind)
{
    void *object = v ? handle_get(c->napi, v, kind) : NULL;
    if (!object)
        c->bad = true;
    return object;
}

/* ---- arguments ---- */

static napi_value arg(Call *c, size_t i)
{
    return i < c->argc && i < CALL_ARGS ? c->argv[i] : js_undefined(c->napi);
}

void *arg_object(Call *c, size_t i, Kind kind)
{
    return value_object(c, arg(c, i), kind);
}

void *arg_object_or_null(Call *c, size_t i, Kind kind)
{
    const napi_valuetype type = type_of(c, arg(c, i));
    return type == napi_null || type == napi_undefined ? NULL : arg_object(c, i, kind);
}

uint32_t arg_u32(Call *c, size_t i)
{
    return value_u32(c, arg(c, i));
}

uint32_t arg_u32_or(Call *c, size_t i, uint32_t otherwise)
{
    return value_is_undefined(c, arg(c, i)) ? otherwise : arg_u32(c, i);
}

uint64_t arg_u64(Call *c, size_t i)
{
    if (value_is_undefined(c, arg(c, i)))
        c->bad = true;
    return value_u64_or(c, arg(c, i), 0);
}

uint64_t arg_u64_or(Call *c, size_t i, uint64_t otherwise)
{
    return value_u64_or(c, arg(c, i), otherwise);
}

bool arg_bool(Call *c, size_t i)
{
    bool b = false;
    if (napi_get_value_bool(c->napi, arg(c, i), &b) != napi_ok)
        c->bad = true;
    return b;
}

WGPUStringView arg_string(Call *c, size_t i)
{
    return value_string(c, arg(c, i));
}

void *arg_bytes(Call *c, size_t i, size_t *size)
{
    void *data = NULL;
    *size = 0;
    if (napi_get_typedarray_info(c->napi, arg(c, i), NULL, size, &data, NULL, NULL)
        != napi_ok)
        c->bad = true;
    return data;
}

uint32_t arg_length(Call *c, size_t i)
{
    uint32_t n = 0;
    if (napi_get_array_length(c->napi, arg(c, i), &n) != napi_ok)
        c->bad = true;
    return n;
}

napi_value arg_element(Call *c, size_t i, uint32_t at)
{
    napi_value v = NULL;
    if (napi_get_element(c->napi, arg(c, i), at, &v) != napi_ok)
        c->bad = true;
    return v;
}

/* ---- results ---- */

napi_value js_undefined(napi_env napi)
{
    napi_value v = NULL;
    napi_get_undefined(napi, &v);
    return v;
}

napi_value js_null(napi_env napi)
{
    napi_value v = NULL;
    napi_get_null(napi, &v);
    return v;
}

napi_value js_number(napi_env napi, double value)
{
    napi_value v = NULL;
    napi_create_double(napi, value, &v);
    return v;
}

napi_value js_string(napi_env napi, WGPUStringView s)
{
    napi_value v = NULL;
    const size_t length = !s.data                   ? 0
                          : s.length == WGPU_STRLEN ? strlen(s.data)
                                                    : s.length;
    napi_create_string_utf8(napi, s.data ? s.data : "", length, &v);
    return v;
}

napi_value js_array(napi_env napi, size_t length)
{
    napi_value v = NULL;
    napi_create_array_with_length(napi, length, &v);
    return v;
}

void js_push(napi_env napi, napi_value array, uint32_t at, napi_value value)
{
    napi_set_element(napi, array, at, value);
}
