// SPDX-License-Identifier: Apache-2.0
/*
 * tensor.c - tensors for JavaScript: creation, facts, places, sharing.
 *
 * in     calls of lib/tensor/
 * out    tensors, facts about them
 * knows  weft/tensor.h
 * not    operators (tensor_ops.c), elements (tensor_data.c), own kernels (tensor_kernel.c)
 */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

weft_dtype arg_dtype(Call *c, size_t i)
{
    const uint32_t n = arg_u32_or(c, i, WEFT_DTYPE_NONE);
    if (n >= WEFT_DTYPE_COUNT)
        c->bad = true;
    return (weft_dtype)n;
}

/* dtypes(): [name, bits], the place being the number */
static napi_value dtypes(Call *c)
{
    static const struct { const char *name; uint32_t bits; } rows[] = {
        { "none", 0 },
#define X(name, text, bits, compute, what) { text, bits },
        WEFT_DTYPES(X)
#undef X
    };
    napi_value list = js_array(c->napi, COUNTOF(rows));
    for (uint32_t i = 0; i < COUNTOF(rows); i++) {
        napi_value row = js_array(c->napi, 2);
        js_push(c->napi, row, 0, js_text(c->napi, rows[i].name));
        js_push(c->napi, row, 1, js_number(c->napi, rows[i].bits));
        js_push(c->napi, list, i, row);
    }
    return list;
}

/* ---- from memory ---- */

/* The product of the sizes; false: too many elements for any memory. */
static bool count_elements(uint64_t *out, const weft_tensor_desc *d)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < d->rank; i++) {
        if (d->shape[i] && n > (UINT64_C(1) << 56) / d->shape[i])
            return false;
        n *= d->shape[i];
    }
    *out = n;
    return true;
}

/* create(context, dtype, shape, bytes, label). The library takes `data_size` 0 as "enough":
 * whether there is enough is checked here. */
static weft_tensor_desc read_desc(Call *c)
{
    weft_tensor_desc d = { .dtype = arg_dtype(c, 1) };
    uint64_t         count = 0;
    size_t           size = 0;
    d.rank = arg_shape(c, 2, d.shape);
    d.label = arg_text(c, 4);
    if (c->bad || c->argc < 4 || value_is_undefined(c, c->argv[3]))
        return d;
    d.data = arg_bytes(c, 3, &size);
    d.data_size = size;
    if (c->bad || !count_elements(&count, &d))
        return d;                       /* which the library refuses */
    const uint64_t bytes = weft_dtype_bytes(d.dtype ? d.dtype : WEFT_F32, count);
    if (bytes != size)
        call_fail(c, WEFT_ERROR_SHAPE, "the shape needs %llu bytes, data has %llu",
                  (unsigned long long)bytes, (unsigned long long)size);
    if (size == 0)
        d.data = NULL;
    return d;
}

static napi_value tensor_create(Call *c)
{
    weft_context    *ctx = arg_context(c, 0);
    weft_tensor_desc d = read_desc(c);
    return call_enter(c) ? call_give(c, KIND_TENSOR, weft_tensor_create(ctx, &d)) : NULL;
}

/* An ArrayBuffer that the library reads from, kept from collection. */
typedef struct Loan {
    Event   *end;
    napi_ref memory;
} Loan;

static napi_value loan_give_up(napi_env napi, void *data)
{
    const Loan *loan = data;
    napi_delete_reference(napi, loan->memory);
    return js_undefined(napi);
}

/* On any thread: the reference is given up in the loop. If that has ended, it has gone. */
static void loan_end(void *data)
{
    Loan *loan = data;
    event_payload(loan->end, loan_give_up, free, loan);
    event_post(loan->end, 1, 0);
}

static Loan *loan_new(Call *c, napi_value memory)
{
    Loan *loan = calloc(1, sizeof *loan);
    if (loan)
        loan->end = event_new(c, 0, EVENT_WATCHES);
    if (!loan || !loan->end
        || napi_create_reference(c->napi, memory, 1, &loan->memory) != napi_ok) {
        event_drop(loan ? loan->end : NULL);
        free(loan);
        call_fail(c, WEFT_ERROR_MEMORY, "no memory for a tensor");
        return NULL;
    }
    return loan;
}

/* tensorBorrow(...): as tensorCreate(), but the bytes are read on first use. No other tensor may
 * borrow them. */
static napi_value tensor_borrow(Call *c)
{
    weft_context    *ctx = arg_context(c, 0);
    weft_tensor_desc d = read_desc(c);
    Loan            *loan = NULL;
    if (!call_ok(c))
        return NULL;
    if (d.data && !(loan = loan_new(c, c->argv[3])))
        return NULL;
    d.borrow = loan != NULL;
    d.borrow_end = loan ? loan_end : NULL;
    d.borrow_user = loan;
    call_enter(c);
    weft_tensor *t = weft_tensor_create(ctx, &d);
    if (!t && loan)
        loan_end(loan);
    return call_give(c, KIND_TENSOR, t);
}

/* ---- patterns ---- */

/* tensorFull(context, dtype, shape, value) */
static napi_value tensor_full(Call *c)
{
    weft_context    *ctx = arg_context(c, 0);
    const weft_dtype dtype = arg_dtype(c, 1);
    uint64_t         shape[WEFT_MAX_RANK] = { 0 };
    const uint32_t   rank = arg_shape(c, 2, shape);
    const double     value = arg_double(c, 3);
    return call_enter(c)
               ? call_give(c, KIND_TENSOR, weft_tensor_full(ctx, dtype, rank, shape, value))
               : NULL;
}

static napi_value tensor_scalar(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    const double  value = arg_double(c, 1);
    return call_enter(c) ? call_give(c, KIND_TENSOR, weft_tensor_scalar(ctx, value)) : NULL;
}

/* tensorArange(context, dtype, start, stop, step) */
static napi_value tensor_arange(Call *c)
{
    weft_context    *ctx = arg_context(c, 0);
    const weft_dtype dtype = arg_dtype(c, 1);
    const double     start = arg_double(c, 2), stop = arg_double(c, 3), step = arg_double(c, 4);
    return call_enter(c)
               ? call_give(c, KIND_TENSOR, weft_tensor_arange(ctx, dtype, start, stop, step))
               : NULL;
}

/* tensorLinspace(context, dtype, start, stop, count) */
static napi_value tensor_linspace(Call *c)
{
    weft_context    *ctx = arg_context(c, 0);
    const weft_dtype dtype = arg_dtype(c, 1);
    const double     start = arg_double(c, 2), stop = arg_double(c, 3);
    const uint64_t   count = arg_u64(c, 4);
    return call_enter(c)
               ? call_give(c, KIND_TENSOR, weft_tensor_linspace(ctx, dtype, start, stop, count))
               : NULL;
}

/* tensorEye(context, dtype, rows, columns, diagonal) */
static napi_value tensor_eye(Call *c)
{
    weft_context    *ctx = arg_context(c, 0);
    const weft_dtype dtype = arg_dtype(c, 1);
    const uint64_t   rows = arg_u64(c, 2), columns = arg_u64(c, 3);
    const int64_t    diagonal = arg_i64(c, 4);
    return call_enter(c) ? call_give(c, KIND_TENSOR,
                                     weft_tensor_eye(ctx, dtype, rows, columns, diagonal))
                         : NULL;
}

/* ---- facts ---- */

/* tensorInfo(tensor): [dtype, bytes, isView, ...shape], which never change */
static napi_value tensor_info(Call *c)
{
    const weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    if (!call_enter(c))
        return NULL;
    const uint32_t  rank = weft_tensor_rank(t);
    const uint64_t *shape = weft_tensor_shape(t);
    napi_value list = js_array(c->napi, rank + 3);
    js_push(c->napi, list, 0, js_number(c->napi, weft_tensor_dtype(t)));
    js_push(c->napi, list, 1, js_number(c->napi, (double)weft_tensor_bytes(t)));
    js_push(c->napi, list, 2, js_bool(c->napi, weft_tensor_is_view(t)));
    for (uint32_t i = 0; i < rank; i++)
        js_push(c->napi, list, i + 3, js_number(c->napi, (double)shape[i]));
    return list;
}

/* tensorType(tensor): the dtype alone */
static napi_value tensor_type(Call *c)
{
    const weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    return call_enter(c) ? js_number(c->napi, weft_tensor_dtype(t)) : NULL;
}

static napi_value tensor_location(Call *c)
{
    const weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    return call_enter(c) ? js_number(c->napi, weft_tensor_location(t)) : NULL;
}

static napi_value tensor_label(Call *c)
{
    const weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    return call_enter(c) ? js_text(c->napi, weft_tensor_label(t)) : NULL;
}

static napi_value tensor_set_label(Call *c)
{
    weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    const char  *label = arg_text(c, 1);
    if (call_enter(c))
        weft_tensor_set_label(t, label);
    return NULL;
}

static napi_value tensor_references(Call *c)
{
    const weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    return call_enter(c) ? js_number(c->napi, weft_tensor_references(t)) : NULL;
}

static napi_value tensor_pin(Call *c)
{
    weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    return call_enter(c) ? call_done(c, weft_tensor_pin(t)) : NULL;
}

static napi_value tensor_unpin(Call *c)
{
    weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    if (call_enter(c))
        weft_tensor_unpin(t);
    return NULL;
}

static napi_value tensor_explain(Call *c)
{
    weft_tensor *t = arg_owned(c, 0, KIND_TENSOR);
    if (!call_enter(c))
        return NULL;
    char *text = weft_tensor_explain(t);
    if (!text)
        return call_throw(c);
    napi_value v = js_text(c->napi, text);
    weft_string_release(text);
    return v;
}

/* ---- moving: may wait for the device and for files ---- */

typedef struct MoveJob {
    Job           job;
    weft_tensor  *t;
    weft_location to;
} MoveJob;

static bool move_run(Job *job)
{
    const MoveJob *m = (MoveJob *)job;
    return weft_tensor_move(m->t, m->to);
}

static void move_fini(Job *job)
{
    weft_tensor_release(((MoveJob *)job)->t);
}

/* tensorMove(tensor, location, token) */
static napi_value tensor_move(Call *c)
{
    weft_tensor        *t = arg_owned(c, 0, KIND_TENSOR);
    const weft_location to = (weft_location)arg_u32(c, 1);
    const uint32_t      token = arg_u32(c, 2);
    MoveJob            *m = call_ok(c) ? calloc(1, sizeof *m) : NULL;
    if (!m)
        return NULL;
    home_enter(c->home);
    *m = (MoveJob){ .job = { .run = move_run, .fini = move_fini, .home = c->home },
                    .t = weft_tensor_retain(t), .to = to };
    home_leave(c->home);
    return job_start(c, &m->job, token);
}

/* ---- sharing ---- */

/* sharePut(context, owner, name, tensor) */
static napi_value share_put(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    const char   *owner = arg_text(c, 1), *name = arg_text(c, 2);
    weft_tensor  *t = arg_owned(c, 3, KIND_TENSOR);
    return call_enter(c) ? call_done(c, weft_share_put(ctx, owner, name, t)) : NULL;
}

/* shareGet(context, owner, name, reader) */
static napi_value share_get(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    const char   *owner = arg_text(c, 1), *name = arg_text(c, 2), *reader = arg_text(c, 3);
    return call_enter(c)
               ? call_give(c, KIND_TENSOR, weft_share_get(ctx, owner, name, reader))
               : NULL;
}

typedef bool (*ShareFn)(weft_context *ctx, const char *owner, const char *name,
                        const char *reader);

static napi_value share_call(Call *c, ShareFn f)
{
    weft_context *ctx = arg_context(c, 0);
    const char   *owner = arg_text(c, 1), *name = arg_text(c, 2), *reader = arg_text(c, 3);
    return call_enter(c) ? call_done(c, f(ctx, owner, name, reader)) : NULL;
}

static napi_value share_grant(Call *c)  { return share_call(c, weft_share_grant); }
static napi_value share_revoke(Call *c) { return share_call(c, weft_share_revoke); }
static napi_value share_drop(Call *c)   { return share_call(c, weft_share_drop); }

static napi_value share_release(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    const char   *owner = arg_text(c, 1);
    return call_enter(c) ? js_number(c->napi, weft_share_release(ctx, owner)) : NULL;
}

static napi_value share_bytes(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    const char   *owner = arg_text(c, 1);
    return call_enter(c) ? js_number(c->napi, (double)weft_share_bytes(ctx, owner)) : NULL;
}

/* shareList(context): [owner, name, bytes, location, references, readers] of each */
static napi_value share_list(Call *c)
{
    weft_context   *ctx = arg_context(c, 0);
    weft_share_info s;
    if (!call_enter(c))
        return NULL;
    napi_env   n = c->napi;
    napi_value list = js_array(n, 0);
    for (uint32_t i = 0; weft_share_get_info(&s, ctx, i); i++) {
        napi_value row = js_array(n, 6);
        js_push(n, row, 0, js_text(n, s.owner));
        js_push(n, row, 1, js_text(n, s.name));
        js_push(n, row, 2, js_number(n, (double)s.bytes));
        js_push(n, row, 3, js_number(n, s.location));
        js_push(n, row, 4, js_number(n, s.references));
        js_push(n, row, 5, js_number(n, s.reader_count));
        js_push(n, list, i, row);
    }
    return list;
}

const Function tensor_functions[] = {
    { "dtypes",           dtypes },
    { "tensorCreate",     tensor_create },
    { "tensorBorrow",     tensor_borrow },
    { "tensorFull",       tensor_full },
    { "tensorScalar",     tensor_scalar },
    { "tensorArange",     tensor_arange },
    { "tensorLinspace",   tensor_linspace },
    { "tensorEye",        tensor_eye },
    { "tensorInfo",       tensor_info },
    { "tensorType",       tensor_type },
    { "tensorLocation",   tensor_location },
    { "tensorLabel",      tensor_label },
    { "tensorSetLabel",   tensor_set_label },
    { "tensorReferences", tensor_references },
    { "tensorPin",        tensor_pin },
    { "tensorUnpin",      tensor_unpin },
    { "tensorExplain",    tensor_explain },
    { "tensorMove",       tensor_move },
    { "sharePut",         share_put },
    { "shareGet",         share_get },
    { "shareGrant",       share_grant },
    { "shareRevoke",      share_revoke },
    { "shareDrop",        share_drop },
    { "shareRelease",     share_release },
    { "shareBytes",       share_bytes },
    { "shareList",        share_list },
    { 0 },
};
