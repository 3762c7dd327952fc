// SPDX-License-Identifier: Apache-2.0
/*
 * layer.c - arguments and results of calls of libweft.
 *
 * in     napi values
 * out    objects with their context, numbers, texts, options; handles, bytes
 * knows  that these values come from users: what is wrong with them is a WeftError
 * not    what the calls do
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

/* ---- objects ---- */

static void *owned(Call *c, napi_value v, Kind kind)
{
    Handle *h = v ? handle_find(c->napi, v) : NULL;
    void   *object = handle_object(h, kind);
    if (!object) {
        if (h && handle_is_closed(h))
            call_fail(c, WEFT_ERROR_INVALID, "the object was disposed of");
        c->bad = true;
        return NULL;
    }
    if (!c->home)
        c->home = handle_home(h);
    return object;
}

static napi_value arg(Call *c, size_t i)
{
    return i < c->argc && i < CALL_ARGS ? c->argv[i] : js_undefined(c->napi);
}

static bool is_nothing(Call *c, napi_value v)
{
    napi_valuetype type = napi_undefined;
    napi_typeof(c->napi, v, &type);
    return type == napi_undefined || type == napi_null;
}

void *arg_owned(Call *c, size_t i, Kind kind)
{
    return owned(c, arg(c, i), kind);
}

void *arg_owned_or_null(Call *c, size_t i, Kind kind)
{
    return is_nothing(c, arg(c, i)) ? NULL : arg_owned(c, i, kind);
}

void *const *arg_owned_list(Call *c, size_t i, Kind kind, uint32_t *count)
{
    *count = arg_length(c, i);
    void **list = c->bad ? NULL : call_alloc(c, *count ? *count : 1, sizeof *list);
    for (uint32_t at = 0; list && at < *count && !c->bad; at++)
        list[at] = owned(c, arg_element(c, i, at), kind);
    return list;
}

weft_context *arg_context(Call *c, size_t i)
{
    const Handle *h = handle_find(c->napi, arg(c, i));
    Home         *home = handle_object(h, KIND_CONTEXT);
    if (!home) {
        if (h && handle_is_closed(h))
            call_fail(c, WEFT_ERROR_INVALID, "the context was disposed of");
        c->bad = true;
        return NULL;
    }
    c->home = home;
    return home_context(home);
}

/* ---- numbers and texts ---- */

static int64_t value_i64(Call *c, napi_value v, const char *what)
{
    double n = 0;
    if (!v || napi_get_value_double(c->napi, v, &n) != napi_ok || n != floor(n)
        || fabs(n) > 9007199254740991.0)
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected a whole number", what);
    return c->bad ? 0 : (int64_t)n;
}

int64_t arg_i64(Call *c, size_t i)
{
    return value_i64(c, arg(c, i), "argument");
}

int arg_i32(Call *c, size_t i)
{
    const int64_t n = arg_i64(c, i);
    if (n < INT32_MIN || n > INT32_MAX) {
        call_fail(c, WEFT_ERROR_INVALID, "%lld is not a 32-bit number", (long long)n);
        return 0;
    }
    return (int)n;
}

double arg_double(Call *c, size_t i)
{
    double n = 0;
    if (napi_get_value_double(c->napi, arg(c, i), &n) != napi_ok)
        call_fail(c, WEFT_ERROR_INVALID, "expected a number");
    return n;
}

static const char *value_text(Call *c, napi_value v, const char *what)
{
    if (is_nothing(c, v))
        return NULL;
    const bool           was_bad = c->bad;
    const WGPUStringView s = value_string(c, v);
    if (!c->bad && s.data && strlen(s.data) != s.length)
        call_fail(c, WEFT_ERROR_INVALID, "%s: a text with a NUL character", what);
    else if (c->bad && !was_bad)
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected a text", what);
    return c->bad ? NULL : s.data;
}

const char *arg_text(Call *c, size_t i)
{
    return value_text(c, arg(c, i), "argument");
}

void *arg_array(Call *c, size_t i, napi_typedarray_type type, size_t *count)
{
    napi_typedarray_type actual = type;
    void                *data = NULL;
    *count = 0;
    if (i >= c->argc || value_is_undefined(c, c->argv[i]))
        return NULL;
    if (napi_get_typedarray_info(c->napi, c->argv[i], &actual, count, &data, NULL, NULL) != napi_ok
        || actual != type)
        c->bad = true;
    return data;
}

uint32_t arg_i64_list(Call *c, size_t i, int64_t *out, uint32_t limit)
{
    const uint32_t count = arg_length(c, i);
    if (!c->bad && count > limit)
        call_fail(c, WEFT_ERROR_INVALID, "at most %u numbers are allowed, not %u", limit, count);
    for (uint32_t at = 0; at < count && !c->bad; at++)
        out[at] = value_i64(c, arg_element(c, i, at), "list");
    return c->bad ? 0 : count;
}

uint32_t arg_shape(Call *c, size_t i, uint64_t out[WEFT_MAX_RANK])
{
    const uint32_t count = arg_length(c, i);
    if (!c->bad && count > WEFT_MAX_RANK)
        call_fail(c, WEFT_ERROR_SHAPE, "a shape of %u axes; tensors have at most %d", count,
                  WEFT_MAX_RANK);
    for (uint32_t at = 0; at < count && !c->bad; at++) {
        double n = 0;
        if (napi_get_value_double(c->napi, arg_element(c, i, at), &n) != napi_ok)
            call_fail(c, WEFT_ERROR_SHAPE, "shape[%u] is not a number", at);
        else if (n == -1)
            out[at] = WEFT_INFER;
        else if (n >= 0 && n <= 9007199254740991.0 && n == floor(n))
            out[at] = (uint64_t)n;
        else
            call_fail(c, WEFT_ERROR_SHAPE, "a shape has sizes of 0 or more, not %g", n);
    }
    return c->bad ? 0 : count;
}

/* ---- options ---- */

static bool is_known(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

void options_check(Call *c, napi_value object, const char *what, const char *const *names)
{
    napi_value     keys = NULL;
    napi_valuetype type = napi_undefined;
    uint32_t       count = 0;
    napi_typeof(c->napi, object, &type);
    if (type != napi_object || napi_get_property_names(c->napi, object, &keys) != napi_ok) {
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected an object of options", what);
        return;
    }
    napi_get_array_length(c->napi, keys, &count);
    for (uint32_t i = 0; i < count && !c->bad; i++) {
        napi_value key = NULL;
        napi_get_element(c->napi, keys, i, &key);
        const WGPUStringView name = value_string(c, key);
        if (!c->bad && !is_known(name.data, names))
            call_fail(c, WEFT_ERROR_INVALID, "%s: there is no option '%s'", what, name.data);
    }
}

napi_value option(Call *c, napi_value object, const char *name)
{
    napi_value     v = NULL;
    napi_valuetype type = napi_undefined;
    if (c->bad || !object)
        return NULL;
    napi_typeof(c->napi, object, &type);
    if (type != napi_object || napi_get_named_property(c->napi, object, name, &v) != napi_ok) {
        c->bad |= type == napi_object;          /* a getter that threw */
        return NULL;
    }
    return is_nothing(c, v) ? NULL : v;
}

double option_number(Call *c, napi_value object, const char *name, double otherwise)
{
    napi_value v = option(c, object, name);
    double     n = otherwise;
    if (v && napi_get_value_double(c->napi, v, &n) != napi_ok)
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected a number", name);
    return n;
}

uint64_t option_u64(Call *c, napi_value object, const char *name, uint64_t otherwise)
{
    napi_value v = option(c, object, name);
    double     n = 0;
    if (!v)
        return otherwise;
    if (napi_get_value_double(c->napi, v, &n) == napi_ok && n == INFINITY)
        return UINT64_MAX;
    const int64_t whole = value_i64(c, v, name);
    if (whole < 0)
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected a whole number of 0 or more", name);
    return c->bad ? otherwise : (uint64_t)whole;
}

bool option_bool(Call *c, napi_value object, const char *name)
{
    napi_value v = option(c, object, name);
    bool       b = false;
    if (v && napi_get_value_bool(c->napi, v, &b) != napi_ok)
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected true or false", name);
    return b;
}

const char *option_text(Call *c, napi_value object, const char *name)
{
    napi_value v = option(c, object, name);
    return v ? value_text(c, v, name) : NULL;
}

uint32_t option_word(Call *c, napi_value object, const char *name, const char *const *words)
{
    const char *text = option_text(c, object, name);
    for (uint32_t i = 0; text && words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    if (text)
        call_fail(c, WEFT_ERROR_INVALID, "%s: there is no '%s'", name, text);
    return 0;
}

/* ---- results ---- */

bool call_enter(Call *c)
{
    if (!call_ok(c))
        return false;
    home_enter(c->home);
    c->entered = true;
    return true;
}

/* V8 should know of the memory that a collection would free. */
static uint64_t bytes_of(Kind kind, const void *object)
{
    return kind == KIND_TENSOR && !weft_tensor_is_view(object) ? weft_tensor_bytes(object) : 0;
}

napi_value call_give(Call *c, Kind kind, void *object)
{
    if (!object)
        return call_throw(c);
    return handle_new_owned(c->napi, kind, object, bytes_of(kind, object), c->home);
}

napi_value call_done(Call *c, bool ok)
{
    return ok ? NULL : call_throw(c);
}

static void bytes_free(napi_env napi, void *data, void *hint)
{
    (void)napi, (void)hint;
    free(data);
}

napi_value js_bytes(napi_env napi, void *data, size_t size)
{
    enum { SMALL = 16384 };             /* below this a copy is cheaper than a finalizer */
    napi_value v = NULL;
    void      *to = NULL;
    if (size > SMALL
        && napi_create_external_arraybuffer(napi, data, size, bytes_free, NULL, &v) == napi_ok)
        return v;
    if (napi_create_arraybuffer(napi, size, &to, &v) == napi_ok && size)
        memcpy(to, data, size);
    free(data);
    return v;
}

napi_value js_text(napi_env napi, const char *text)
{
    return text ? js_string(napi, (WGPUStringView){ text, WGPU_STRLEN }) : js_null(napi);
}

napi_value js_bool(napi_env napi, bool value)
{
    napi_value v = NULL;
    napi_get_boolean(napi, value, &v);
    return v;
}

napi_value js_object(napi_env napi)
{
    napi_value v = NULL;
    napi_create_object(napi, &v);
    return v;
}

void js_set(napi_env napi, napi_value object, const char *name, napi_value value)
{
    napi_set_named_property(napi, object, name, value);
}

/* ---- functions for all layers ---- */

/* close(handle): gives its object back now */
static napi_value close_handle(Call *c)
{
    handle_close(c->napi, arg(c, 0));
    return NULL;
}

static napi_value is_open(Call *c)
{
    const Handle *h = handle_find(c->napi, arg(c, 0));
    return js_bool(c->napi, h && !handle_is_closed(h));
}

/* errorKinds(): [name, meaning] of each */
static napi_value error_kinds(Call *c)
{
    napi_value rows = js_array(c->napi, 0);
    for (weft_error_kind k = 1; k < WEFT_ERROR_KIND_COUNT; k++) {
        napi_value row = js_array(c->napi, 2);
        js_push(c->napi, row, 0, js_text(c->napi, weft_error_kind_name(k)));
        js_push(c->napi, row, 1, js_text(c->napi, weft_error_kind_meaning(k)));
        js_push(c->napi, rows, k - 1, row);
    }
    return rows;
}

const Function layer_functions[] = {
    { "close",      close_handle },
    { "isOpen",     is_open },
    { "errorKinds", error_kinds },
    { "jobCancel",  job_cancel },
    { 0 },
};
