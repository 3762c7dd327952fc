// SPDX-License-Identifier: Apache-2.0
/*
 * units.c - units with weights: which of them is nearest to a row, and the sums of their rows.
 *
 * in     weights; prepared rows on the device
 * out    the two nearest units of each row; sums, hits and means
 * knows  kernels/best.wgsl, sum_members.wgsl, take_means.wgsl, bias.wgsl
 * not    grids, clusters
 *
 * Rows are sorted by their unit in memory, as that is planning; they are added on the device,
 * in the order of their numbers, so that the same rows give the same sums.
 */
#include <stdlib.h>
#include <string.h>

#include "vectors/vectors_priv.h"

bool units_init(Units *u, weft_context *ctx, uint32_t count, uint32_t dim)
{
    uint64_t room = ((uint64_t)count + BLOCK - 1) / BLOCK * BLOCK;
    *u = (Units){.count = count, .dim = dim, .blocks = (count + BLOCK - 1) / BLOCK};
    u->weights = weft_buffer_create(ctx, &(weft_buffer_desc){
        .size = room * dim * 4, .label = "weights of units"});
    u->bias = device_bytes(ctx, room * 4, "biases of units");
    u->sums = device_bytes(ctx, (uint64_t)count * dim * 4, "sums of units");
    u->hits = device_bytes(ctx, (uint64_t)count * 4, "hits of units");
    u->counts = host_array(ctx, count, sizeof *u->counts);
    u->start = host_array(ctx, (uint64_t)count + 1, sizeof *u->start);
    if (u->weights && u->bias && u->sums && u->hits && u->counts && u->start)
        return true;
    units_fini(u);
    return false;
}

void units_fini(Units *u)
{
    weft_buffer_release(u->weights);
    weft_buffer_release(u->bias);
    weft_buffer_release(u->sums);
    weft_buffer_release(u->hits);
    free(u->counts);
    free(u->start);
    *u = (Units){0};
}

/* ---- weights ---- */

/* weights[block][d][lane] = rows[unit][d], or back. */
static void transpose(float *blocked, float *rows, const Units *u, bool back)
{
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t d = 0; d < u->dim; d++) {
            float *b = &blocked[((uint64_t)(i / BLOCK) * u->dim + d) * BLOCK + i % BLOCK];
            float *r = &rows[(uint64_t)i * u->dim + d];
            if (back)
                *r = *b;
            else
                *b = *r;
        }
}

static uint64_t weight_count(const Units *u)
{
    return (uint64_t)u->blocks * BLOCK * u->dim;
}

bool units_set(Units *u, weft_context *ctx, const float *rows)
{
    float *blocked = host_array(ctx, weight_count(u), sizeof *blocked);
    if (!blocked)
        return false;
    transpose(blocked, (float *)(uintptr_t)rows, u, false);
    bool ok = weft_buffer_write(u->weights, 0, blocked, weight_count(u) * 4)
           && units_update_bias(u, ctx);
    free(blocked);
    return ok;
}

bool units_get(float *out, const Units *u, weft_context *ctx)
{
    float *blocked = host_array(ctx, weight_count(u), sizeof *blocked);
    bool   ok = blocked && weft_buffer_read(blocked, u->weights, 0, weight_count(u) * 4);
    if (ok)
        transpose(blocked, out, u, true);
    free(blocked);
    return ok;
}

bool units_update_bias(Units *u, weft_context *ctx)
{
    struct { uint32_t dim, units, width; } p = {u->dim, u->count, GROUPS};
    uint32_t groups[2];
    vectors_groups(groups, u->blocks);
    return vectors_run(ctx, &(KernelRun){
        .pipeline = vectors_kernel(ctx, KERNEL_BIAS, false), .buffers = {u->weights, u->bias},
        .params = &p, .params_size = sizeof p, .groups = {groups[0], groups[1]}});
}

bool units_best(const Units *u, weft_context *ctx, weft_buffer *nearest, weft_buffer *rows,
                uint32_t row_count)
{
    struct { uint32_t rows, dim, blocks, width; } p = {row_count, u->dim, u->blocks, GROUPS};
    uint32_t groups[2];
    vectors_groups(groups, (row_count + TILE - 1) / TILE);
    return vectors_run(ctx, &(KernelRun){
        .pipeline = vectors_kernel(ctx, KERNEL_BEST, false),
        .buffers = {rows, u->weights, u->bias, nearest}, .params = &p, .params_size = sizeof p,
        .groups = {groups[0], groups[1]}});
}

/* ---- sums ---- */

bool units_begin_pass(Units *u, weft_context *ctx)
{
    void *zeros = host_array(ctx, (uint64_t)u->count * u->dim, 4);
    bool  ok = zeros && weft_buffer_write(u->sums, 0, zeros, (uint64_t)u->count * u->dim * 4);
    memset(u->counts, 0, u->count * sizeof *u->counts);
    free(zeros);
    return ok;
}

/* The rows in the order of their units, and where each unit's begin. */
static void sort_rows(uint32_t *order, Units *u, const uint32_t *nearest, uint32_t row_count)
{
    uint32_t *start = u->start;
    memset(start, 0, ((size_t)u->count + 1) * sizeof *start);
    for (uint32_t i = 0; i < row_count; i++)
        start[nearest[2 * i] + 1]++;
    for (uint32_t i = 0; i < u->count; i++) {
        u->counts[i] += start[i + 1];
        start[i + 1] += start[i];
    }
    for (uint32_t i = 0; i < row_count; i++)
        order[start[nearest[2 * i]]++] = i;
    memmove(start + 1, start, u->count * sizeof *start);
    start[0] = 0;
}

bool units_add(Units *u, weft_context *ctx, weft_buffer *rows, const uint32_t *nearest,
               uint32_t row_count)
{
    struct { uint32_t dim, units, width; } p = {u->dim, u->count, GROUPS};
    uint32_t    *order = host_array(ctx, row_count, sizeof *order);
    weft_buffer *order_buffer = NULL, *start = NULL;
    uint32_t     groups[2];
    bool         ok = false;
    if (!order)
        return false;
    sort_rows(order, u, nearest, row_count);
    vectors_groups(groups, u->count);
    order_buffer = device_copy(ctx, order, (uint64_t)row_count * 4, "order of rows");
    start = device_copy(ctx, u->start, ((uint64_t)u->count + 1) * 4, "rows of units");
    ok = order_buffer && start && vectors_run(ctx, &(KernelRun){
        .pipeline = vectors_kernel(ctx, KERNEL_SUM_MEMBERS, false),
        .buffers = {rows, order_buffer, start, u->sums}, .params = &p, .params_size = sizeof p,
        .groups = {(u->dim + 63) / 64, groups[0], groups[1]}});
    weft_buffer_release(order_buffer);
    weft_buffer_release(start);
    free(order);
    return ok;
}

bool units_end_pass(Units *u, weft_context *ctx)
{
    float *hits = host_array(ctx, u->count, sizeof *hits);
    if (!hits)
        return false;
    for (uint32_t i = 0; i < u->count; i++)
        hits[i] = (float)u->counts[i];
    bool ok = weft_buffer_write(u->hits, 0, hits, (uint64_t)u->count * 4);
    free(hits);
    return ok;
}

bool units_take_means(Units *u, weft_context *ctx)
{
    struct { uint32_t dim, units, width; } p = {u->dim, u->count, GROUPS};
    uint32_t groups[2];
    vectors_groups(groups, u->count);
    return vectors_run(ctx, &(KernelRun){
        .pipeline = vectors_kernel(ctx, KERNEL_TAKE_MEANS, false),
        .buffers = {u->sums, u->hits, u->weights}, .params = &p, .params_size = sizeof p,
        .groups = {(u->dim + 63) / 64, groups[0], groups[1]}})
        && units_update_bias(u, ctx);
}
