// SPDX-License-Identifier: Apache-2.0
/*
 * data.c - elements in and out: evaluation on demand, reads, writes, moves, pins.
 *
 * in     tensors
 * out    bytes, last axis fastest
 * not    kernels
 */
#include <string.h>

#include "tensor/elementwise_priv.h"
#include "tensor/strided_priv.h"

bool weft_tensor_eval(weft_tensor *const *tensors, uint32_t count)
{
    weft_context *ctx = count && tensors ? tensor_args("eval", tensors, count) : NULL;
    if (count == 0)
        return true;
    return ctx && tensor_evaluate(tensor_state(ctx), tensors, count) && weft_context_submit(ctx);
}

static bool evaluate_one(weft_tensor *t)
{
    return !tensor_is_pending(t) || tensor_evaluate(t->state, &t, 1);
}

/* t itself or a copy whose elements lie together, evaluated; to be released. */
static weft_tensor *packed(weft_tensor *t)
{
    weft_tensor *p = tensor_is_contiguous(t) ? weft_tensor_retain(t) : weft_tensor_copy(t);
    if (p && !evaluate_one(p)) {
        weft_tensor_release(p);
        p = NULL;
    }
    return p;
}

static uint64_t byte_offset(const weft_tensor *t)
{
    return weft_dtype_bytes((weft_dtype)t->dtype, (uint64_t)t->offset);
}

static bool size_fits(const weft_tensor *t, uint64_t bytes, const char *what)
{
    if (bytes == weft_tensor_bytes(t))
        return true;
    return context_fail(t->ctx, WEFT_ERROR_SHAPE, "%s: %s has %llu bytes, not %llu", what,
                        tensor_text(t), (unsigned long long)weft_tensor_bytes(t),
                        (unsigned long long)bytes);
}

bool weft_tensor_read(void *out, uint64_t bytes, weft_tensor *t)
{
    if (!TENSOR_ARGS("read", t) || !size_fits(t, bytes, "read"))
        return false;
    if (bytes == 0)
        return evaluate_one(t);
    if (!out)
        return context_fail(t->ctx, WEFT_ERROR_INVALID, "read: no place to read to");
    weft_tensor *p = packed(t);
    if (!p)
        return false;
    Storage    *st = tensor_root(p)->storage;
    const void *host = storage_host(st);
    bool        ok = true;
    if (host)
        memcpy(out, (const char *)host + byte_offset(p), bytes);
    else
        ok = storage_device(st) && weft_buffer_read(out, st->buffer, byte_offset(p), bytes);
    weft_tensor_release(p);
    return ok;
}

/* ---- asynchronous ---- */

/* The copy to the staging buffer is submitted in the call, so the read needs no tensor after it
 * and keeps no context alive. */
WGPUFuture weft_tensor_read_async(weft_tensor *t, weft_read_callback callback, void *user)
{
    WGPUFuture future = {0};
    if (!callback)
        return future;
    weft_tensor *p = TENSOR_ARGS("read", t) ? packed(t) : NULL;
    weft_buffer *buffer = p ? storage_device(tensor_root(p)->storage) : NULL;
    if (buffer)
        future = weft_buffer_read_async(buffer, byte_offset(p), weft_tensor_bytes(p), callback,
                                        user);
    else
        callback(user, false, NULL, 0);
    weft_tensor_release(p);
    return future;
}

/* ---- one number ---- */

bool weft_tensor_item(double *out, weft_tensor *t)
{
    if (!TENSOR_ARGS("item", t))
        return false;
    if (t->count != 1 || !out)
        return context_fail(t->ctx, WEFT_ERROR_SHAPE, "item: %s has %llu elements, not one",
                            tensor_text(t), (unsigned long long)t->count);
    if (t->dtype == WEFT_F64)
        return weft_tensor_read(out, sizeof *out, t);
    if (t->dtype == WEFT_I64) {
        int64_t i;
        bool    ok = weft_tensor_read(&i, sizeof i, t);
        *out = ok ? (double)i : *out;
        return ok;
    }
    weft_dtype   as = t->dtype == WEFT_I32 || t->dtype == WEFT_I8 ? WEFT_I32
                      : t->dtype == WEFT_U32 || t->dtype == WEFT_U8 ? WEFT_U32 : WEFT_F32;
    weft_tensor *x = tensor_as(t, as);
    union { float f; int32_t i; uint32_t u; } word = {0};
    bool ok = x && weft_tensor_read(&word, sizeof word, x);
    weft_tensor_release(x);
    if (ok)
        *out = as == WEFT_I32 ? word.i : as == WEFT_U32 ? word.u : (double)word.f;
    return ok;
}

/* ---- writes ---- */

/* Ready to be changed in place: evaluated, and read by nothing pending. */
static bool prepare_write(weft_tensor *t)
{
    return evaluate_one(t) && tensor_evaluate_readers(tensor_root(t))
           && storage_device(tensor_root(t)->storage) != NULL;
}

bool weft_tensor_write(weft_tensor *t, const void *data, uint64_t bytes)
{
    if (!TENSOR_ARGS("write", t) || !size_fits(t, bytes, "write"))
        return false;
    if (bytes && !data)
        return context_fail(t->ctx, WEFT_ERROR_INVALID, "write: no data");
    if (!prepare_write(t))
        return false;
    if (bytes == 0)
        return true;
    if (!tensor_is_contiguous(t)) {
        weft_tensor_desc d = {.dtype = (weft_dtype)t->dtype, .rank = t->rank, .data = data};
        memcpy(d.shape, t->shape, sizeof t->shape);
        weft_tensor *from = weft_tensor_create(t->ctx, &d);
        bool         ok = from && weft_tensor_assign(t, from);
        weft_tensor_release(from);
        return ok;
    }
    Storage *st = tensor_root(t)->storage;
    if (!weft_buffer_write(st->buffer, byte_offset(t), data, bytes))
        return false;
    storage_written(st);
    uint64_t at;
    if (t->dtype == WEFT_I64)
        storage_scan_i64(st, data, bytes, &at);
    return true;
}

bool weft_tensor_assign(weft_tensor *t, weft_tensor *from)
{
    weft_context *ctx = TENSOR_ARGS("assign", t, from);
    if (!ctx)
        return false;
    if (dtype_is_block((weft_dtype)t->dtype) || dtype_is_block((weft_dtype)from->dtype))
        return context_fail(ctx, WEFT_ERROR_TYPE, "assign: quantised tensors are written whole, "
                            "with weft_tensor_write");
    if (!evaluate_one(t))
        return false;
    weft_tensor *wide = weft_tensor_expand(from, t->rank, t->shape);
    weft_tensor *cast = wide ? weft_tensor_cast(wide, (weft_dtype)t->dtype) : NULL;
    bool ok = cast && evaluate_one(cast) && prepare_write(t);
    if (ok && t->count)
        ok = strided_store(t, cast);
    if (ok)
        storage_written(tensor_root(t)->storage);
    weft_tensor_release(cast);
    weft_tensor_release(wide);
    return ok;
}

/* ---- memory ---- */

bool weft_tensor_memory_get(weft_tensor_memory *out, weft_tensor *t)
{
    if (!TENSOR_ARGS("memory_get", t) || !out || !evaluate_one(t))
        return false;
    Storage *st = tensor_root(t)->storage;
    if (!storage_device(st))
        return false;
    /* The caller may write there: copies elsewhere no longer count. */
    storage_written(st);
    st->pins++;
    *out = (weft_tensor_memory){.buffer = st->buffer, .offset = (uint64_t)t->offset};
    memcpy(out->strides, t->strides, sizeof t->strides);
    return true;
}

bool weft_tensor_move(weft_tensor *t, weft_location to)
{
    return TENSOR_ARGS("move", t) && evaluate_one(t)
           && storage_move(tensor_root(t)->storage, to);
}

bool weft_tensor_pin(weft_tensor *t)
{
    if (!TENSOR_ARGS("pin", t) || !evaluate_one(t)
        || !storage_device(tensor_root(t)->storage))
        return false;
    tensor_root(t)->storage->pins++;
    return true;
}

void weft_tensor_unpin(weft_tensor *t)
{
    Storage *st = t && t->alive == TENSOR_ALIVE ? tensor_root(t)->storage : NULL;
    if (st && st->pins)
        st->pins--;
}

/* ---- 64-bit integers ---- */

bool tensor_check_i64(weft_tensor *t, const char *what)
{
    Storage    *st = tensor_root(t)->storage;
    const void *host = st ? storage_host(st) : NULL;
    uint64_t    at;
    if (st && host && !st->i64_known && !storage_scan_i64(st, host, st->bytes, &at)) {
        int64_t value;
        memcpy(&value, (const char *)host + 8 * at, sizeof value);
        return context_fail(t->ctx, WEFT_ERROR_INVALID, "%s: element %llu of %s is %lld, outside "
                            "of i32", what, (unsigned long long)at, tensor_text(t),
                            (long long)value);
    }
    if (st && st->i64_bad)
        return context_fail(t->ctx, WEFT_ERROR_INVALID, "%s: %s holds numbers outside of i32",
                            what, tensor_text(t));
    return true;
}
