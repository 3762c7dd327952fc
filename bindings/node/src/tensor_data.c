// SPDX-License-Identifier: Apache-2.0
/*
 * tensor_data.c - elements of tensors in and out of JavaScript.
 *
 * in     calls of lib/tensor/data.js
 * out    ArrayBuffers, each filled by one copy out of the library
 * knows  futures: reads are asked for and answered later
 * not    which typed array is made of the bytes
 */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

/* tensorEval(tensors): submits their work */
static napi_value tensor_eval(Call *c)
{
    uint32_t     count = 0;
    void *const *list = arg_owned_list(c, 0, KIND_TENSOR, &count);
    weft_tensor **all = c->bad ? NULL : call_alloc(c, count ? count : 1, sizeof *all);
    for (uint32_t i = 0; all && i < count; i++)
        all[i] = list[i];
    if (!call_ok(c) || count == 0)
        return NULL;
    return call_enter(c) ? call_done(c, weft_tensor_eval(all, count)) : NULL;
}

/* ---- reading ---- */

typedef struct Bytes {
    size_t size;
    void  *data;                        /* from malloc() */
} Bytes;

static napi_value bytes_build(napi_env napi, void *data)
{
    Bytes *b = data;
    void  *bytes = b->data;
    b->data = NULL;
    return js_bytes(napi, bytes, b->size);
}

static void bytes_end(void *data)
{
    Bytes *b = data;
    free(b->data);
    free(b);
}

static Bytes *bytes_copy(const void *data, uint64_t size)
{
    Bytes *b = calloc(1, sizeof *b);
    if (b && !(b->data = malloc(size ? (size_t)size : 1))) {
        free(b);
        return NULL;
    }
    if (b && size)
        memcpy(b->data, data, (size_t)size);
    if (b)
        b->size = (size_t)size;
    return b;
}

static void on_read(void *user, bool ok, const void *data, uint64_t size)
{
    Bytes *b = ok ? bytes_copy(data, size) : NULL;
    if (b)
        answer_done(user, bytes_build, bytes_end, b);
    else if (ok)
        answer_refused(user, WEFT_ERROR_MEMORY, "no memory for the elements of a tensor");
    else
        answer_failed(user);
}

/* tensorRead(slot, waitNs, tensor): the elements as an ArrayBuffer */
static napi_value tensor_read(Call *c)
{
    weft_tensor *t = arg_owned(c, 2, KIND_TENSOR);
    Answer      *a = call_enter(c) ? answer_new(c) : NULL;
    if (!a)
        return NULL;
    WGPUFuture future = { 0 };
    if (weft_tensor_bytes(t) == 0)
        on_read(a, weft_tensor_eval(&t, 1), NULL, 0);
    else
        future = weft_tensor_read_async(t, on_read, a);
    return call_answer(c, a, future);
}

/* tensorReadSync(tensor): the elements as an ArrayBuffer, after waiting for the device */
static napi_value tensor_read_sync(Call *c)
{
    weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    if (!call_enter(c))
        return NULL;
    const uint64_t size = weft_tensor_bytes(t);
    void          *data = malloc(size ? (size_t)size : 1);
    if (!data) {
        call_fail(c, WEFT_ERROR_MEMORY, "no memory for %llu bytes", (unsigned long long)size);
        return NULL;
    }
    if (!weft_tensor_read(data, size, t)) {
        free(data);
        return call_throw(c);
    }
    return js_bytes(c->napi, data, (size_t)size);
}

/* tensorReadInto(tensor, bytes): into memory of JavaScript, after waiting */
static napi_value tensor_read_into(Call *c)
{
    weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    size_t       size = 0;
    void        *data = arg_bytes(c, 1, &size);
    return call_enter(c) ? call_done(c, weft_tensor_read(data, size, t)) : NULL;
}

static napi_value tensor_item(Call *c)
{
    weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    double       value = 0;
    if (!call_enter(c))
        return NULL;
    return weft_tensor_item(&value, t) ? js_number(c->napi, value) : call_throw(c);
}

/* ---- writing ---- */

/* tensorWrite(tensor, bytes) */
static napi_value tensor_write(Call *c)
{
    weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    size_t       size = 0;
    const void  *data = arg_bytes(c, 1, &size);
    return call_enter(c) ? call_done(c, weft_tensor_write(t, data, size)) : NULL;
}

/* tensorAssign(tensor, from) */
static napi_value tensor_assign(Call *c)
{
    weft_tensor *t = arg_owned(c, 0, KIND_TENSOR), *from = arg_owned(c, 1, KIND_TENSOR);
    return call_enter(c) ? call_done(c, weft_tensor_assign(t, from)) : NULL;
}

const Function tensor_data_functions[] = {
    { "tensorEval",     tensor_eval },
    { "tensorRead",     tensor_read },
    { "tensorReadSync", tensor_read_sync },
    { "tensorReadInto", tensor_read_into },
    { "tensorItem",     tensor_item },
    { "tensorWrite",    tensor_write },
    { "tensorAssign",   tensor_assign },
    { 0 },
};
