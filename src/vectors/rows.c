// SPDX-License-Identifier: Apache-2.0
/*
 * rows.c - brings rows to the device in chunks, and checks them there.
 *
 * in     rows of a caller: memory or a tensor
 * out    buffers [rows][dim] with a factor for each row; an error with the number of the first
 *        bad row
 * knows  kernels/check_rows.wgsl, kernels/prepare_rows.wgsl
 * not    what the rows are for
 */
#include <stdlib.h>
#include <string.h>

#include "vectors/vectors_priv.h"

/* ---- opening ---- */

static bool rows_fault(weft_context *ctx, const RowsDesc *d)
{
    const weft_vectors_rows *rows = d->rows;
    if (!rows || (!rows->data && !rows->tensor))
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: there are no rows", d->label);
    if (rows->data && rows->tensor)
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: rows are given twice, as data and as a "
                            "tensor", d->label);
    if (rows->count > UINT32_MAX)
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: %llu rows at once are too many",
                            d->label, (unsigned long long)rows->count);
    return true;
}

/* A tensor of any numbers becomes a contiguous one of f32. */
static bool open_tensor(RowReader *r, weft_context *owner, weft_tensor *t)
{
    uint32_t rank = weft_tensor_rank(t);
    if (weft_tensor_context(t) != owner)
        return context_fail(owner, WEFT_ERROR_INVALID, "%s: the rows belong to another context",
                            r->label);
    if (rank < 1 || rank > 2 || weft_tensor_size(t, -1) != r->dim)
        return context_fail(owner, WEFT_ERROR_SHAPE, "%s: rows have the shape [count, %u], the "
                            "tensor has rank %u and %llu in its last axis", r->label, r->dim,
                            rank, (unsigned long long)weft_tensor_size(t, -1));
    r->count = rank == 1 ? 1 : weft_tensor_size(t, 0);
    weft_tensor *cast = weft_tensor_cast(t, WEFT_F32);
    r->tensor = weft_tensor_contiguous(cast);
    weft_tensor_release(cast);
    if (r->count == 0)
        return r->tensor != NULL;
    if (!weft_tensor_memory_get(&r->memory, r->tensor)) {
        weft_tensor_release(r->tensor);
        r->tensor = NULL;
        return false;
    }
    return weft_context_submit(owner);
}

static bool open_buffers(RowReader *r)
{
    const weft_device_info *device = weft_context_device(r->ctx);
    if (!context_need_device(r->ctx))
        return false;
    uint64_t bytes = MIN_OF(CHUNK_BYTES, device->limits.maxStorageBufferBindingSize);
    uint64_t fit = bytes / ((uint64_t)r->dim * 4);
    if (fit <= TILE)
        return context_fail(r->ctx, WEFT_ERROR_INVALID, "%s: rows of %u numbers are above the "
                            "device's limit", r->label, r->dim);
    r->chunk = (uint32_t)MIN_OF(MIN_OF(fit - TILE, CHUNK_ROWS), MAX_OF(r->count, 1));
    r->raw = rows_buffer(r, "rows");
    r->scale = device_bytes(r->ctx, (uint64_t)(r->chunk + TILE) * 4, "factors of rows");
    r->fault = device_bytes(r->ctx, (uint64_t)r->chunk * 4, "faults of rows");
    r->faults = host_array(r->ctx, r->chunk, sizeof *r->faults);
    return r->raw && r->scale && r->fault && r->faults;
}

bool rows_open(RowReader *r, weft_context *ctx, weft_context *owner, const RowsDesc *d)
{
    *r = (RowReader){.ctx = ctx, .label = d->label, .dim = d->dim, .normalise = d->normalise};
    if (!rows_fault(ctx, d))
        return false;
    r->data = d->rows->data;
    r->count = d->rows->count;
    if ((d->rows->tensor && !open_tensor(r, owner, d->rows->tensor)) || !open_buffers(r)) {
        rows_close(r);
        return false;
    }
    return true;
}

void rows_close(RowReader *r)
{
    if (r->memory.buffer)
        weft_tensor_unpin(r->tensor);
    weft_tensor_release(r->tensor);
    weft_buffer_release(r->raw);
    weft_buffer_release(r->scale);
    weft_buffer_release(r->fault);
    free(r->faults);
    *r = (RowReader){0};
}

weft_buffer *rows_buffer(const RowReader *r, const char *label)
{
    return device_bytes(r->ctx, (uint64_t)(r->chunk + TILE) * r->dim * 4, label);
}

/* ---- chunks ---- */

static bool upload(RowReader *r)
{
    uint64_t bytes = (uint64_t)r->rows * r->dim * 4;
    uint64_t offset = r->first * r->dim * 4;
    if (r->data)
        return weft_buffer_write(r->raw, 0, (const char *)r->data + offset, bytes);
    return weft_buffer_copy(r->raw, 0, r->memory.buffer, r->memory.offset * 4 + offset, bytes);
}

static bool check(RowReader *r)
{
    static const char *const faults[] = {
        "", "has a number that is not finite", "has a number above 1e15",
        "consists of zeros: it has no direction",
    };
    struct { uint32_t rows, dim; } p = {r->rows, r->dim};
    if (!vectors_run(r->ctx, &(KernelRun){
            .pipeline = vectors_kernel(r->ctx, KERNEL_CHECK_ROWS, r->normalise),
            .buffers = {r->raw, r->scale, r->fault}, .params = &p, .params_size = sizeof p,
            .groups = {(r->rows + 63) / 64}})
        || !weft_buffer_read(r->faults, r->fault, 0, (uint64_t)r->rows * 4))
        return false;
    for (uint32_t i = 0; i < r->rows; i++)
        if (r->faults[i])
            return context_fail(r->ctx, WEFT_ERROR_INVALID, "%s: row %llu %s", r->label,
                                (unsigned long long)(r->first + i),
                                faults[MIN_OF(r->faults[i], COUNTOF(faults) - 1)]);
    return true;
}

bool rows_next(RowReader *r)
{
    if (r->at >= r->count)
        return false;
    r->first = r->at;
    r->rows = (uint32_t)MIN_OF(r->count - r->at, r->chunk);
    r->at += r->rows;
    return upload(r) && check(r);
}

bool rows_prepare(const RowReader *r, weft_buffer *out, weft_buffer *centre)
{
    struct { uint32_t rows, dim; } p = {r->rows, r->dim};
    return vectors_run(r->ctx, &(KernelRun){
        .pipeline = vectors_kernel(r->ctx, KERNEL_PREPARE_ROWS, false),
        .buffers = {r->raw, r->scale, centre, out}, .params = &p, .params_size = sizeof p,
        .groups = {(r->dim + 15) / 16, (r->rows + 3) / 4}});
}

bool rows_shift(weft_context *ctx, weft_buffer *out, weft_buffer *rows, weft_buffer *centre,
                uint32_t count, uint32_t dim)
{
    weft_buffer *ones = device_ones(ctx, count);
    RowReader    r = {.ctx = ctx, .dim = dim, .rows = count, .raw = rows, .scale = ones};
    bool         ok = ones && rows_prepare(&r, out, centre);
    weft_buffer_release(ones);
    return ok;
}
