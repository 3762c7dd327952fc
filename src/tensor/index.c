// SPDX-License-Identifier: Apache-2.0
/*
 * index.c - elements and slices by indices: take, gather, gather_nd, slice_update, searchsorted.
 *
 * in     a tensor, indices of an integer type
 * out    nodes whose elements come from computed places
 * knows  coordinates as WGSL
 *
 * Negative indices count from the end; an index beyond the axis gives 0, in checked contexts an
 * error.
 */
#include <string.h>

#include "tensor/tensor.h"
#include "tensor/tensor_priv.h"

static bool is_index_type(weft_dtype dtype)
{
    return dtype == WEFT_I32 || dtype == WEFT_U32 || dtype == WEFT_I64 || dtype == WEFT_I8 ||
           dtype == WEFT_U8;
}

static bool indices_inside(weft_tensor *indices, uint64_t n, const char *what)
{
    double       low = 0, high = 0;
    weft_tensor *least = weft_tensor_min(indices, NULL), *most = weft_tensor_max(indices, NULL);
    bool         ok = weft_tensor_item(&low, least) && weft_tensor_item(&high, most);
    weft_tensor_release(least);
    weft_tensor_release(most);
    if (ok && (low < -(double)n || high >= (double)n))
        return context_fail(indices->ctx, WEFT_ERROR_INVALID,
                            "%s: index %g is outside of an axis of "
                            "%llu elements",
                            what, high >= (double)n ? high : low, (unsigned long long)n);
    return ok;
}

bool tensor_check_indices(weft_tensor *indices, uint64_t n, const char *what)
{
    if (!is_index_type((weft_dtype)indices->dtype))
        return context_fail(indices->ctx, WEFT_ERROR_TYPE, "%s needs indices of an integer type, "
                            "not %s", what, weft_dtype_name((weft_dtype)indices->dtype));
    if (!context_desc(indices->ctx)->checked || indices->count == 0)
        return true;
    return indices_inside(indices, n, what);
}

static bool check_indices(const weft_tensor *x, weft_tensor *indices, int axis, uint32_t *k,
                          const char *what)
{
    if (dtype_is_block((weft_dtype)x->dtype))
        return context_fail(x->ctx, WEFT_ERROR_TYPE, "%s: %s must be dequantized first", what,
                            tensor_text(x));
    return tensor_axis(k, x, axis, what) && tensor_check_indices(indices, x->shape[*k], what);
}

/* Assigns x->out the element at `at`, whose coordinate on `axis` is the index `i`. */
static void write_element(IndexedWrite *x, const char **at, uint32_t axis, const char *index)
{
    long long   n = (long long)x->node->inputs[0]->shape[axis];
    const char *i = arena_printf(x->arena, "%s_i", x->out);
    writer_line(x->w, "var %s = i32(%s);", i, index);
    writer_line(x->w, "%s = select(%s, %s + %lld, %s < 0);", i, i, i, n, i);
    writer_open(x->w, "if %s >= 0 && %s < %lld", i, i, n);
    at[axis] = arena_printf(x->arena, "u32(%s)", i);
    writer_line(x->w, "%s = %s;", x->out, indexed_load(x, 0, at));
    writer_close(x->w);
}

/* ---- take ---- */

/* attr.i: axis. The result has the axes of the indices in its place. */
static void write_take(IndexedWrite *x)
{
    const char *at[MAX_RANK], *from[MAX_RANK];
    uint32_t    axis = (uint32_t)x->node->attr.i[0];
    uint32_t    rank = weft_tensor_rank(x->node->inputs[0]);
    uint32_t    inner = weft_tensor_rank(x->node->inputs[1]);
    for (uint32_t j = 0; j < rank; j++)
        at[j] = j < axis ? x->coord[j] : j > axis ? x->coord[j - 1 + inner] : "0u";
    for (uint32_t j = 0; j < inner; j++)
        from[j] = x->coord[axis + j];
    write_element(x, at, axis, indexed_load(x, 1, from));
}

static const TensorOp op_take = {.name = "take", .kind = OP_INDEXED, .cost = 4,
                                 .write = write_take};

weft_tensor *weft_tensor_take(weft_tensor *x, weft_tensor *indices, int axis)
{
    uint64_t      shape[2 * MAX_RANK];
    uint32_t      k, n = 0;
    weft_context *ctx = TENSOR_ARGS("take", x, indices);
    if (!ctx || !check_indices(x, indices, axis, &k, "take"))
        return NULL;
    for (uint32_t j = 0; j < k; j++)
        shape[n++] = x->shape[j];
    for (uint32_t j = 0; j < indices->rank; j++)
        shape[n++] = indices->shape[j];
    for (uint32_t j = k + 1; j < x->rank; j++)
        shape[n++] = x->shape[j];
    if (n > MAX_RANK) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "take gives rank %u; the most is %u", n, MAX_RANK);
        return NULL;
    }
    return tensor_node(ctx, &(NodeDesc){
        .op = &op_take, .dtype = weft_tensor_dtype(x), .rank = n, .shape = shape,
        .inputs = (weft_tensor *const[]){x, indices}, .input_count = 2, .attr = {{0}, {k}}});
}

/* ---- gather ---- */

static void write_gather(IndexedWrite *x)
{
    const char *at[MAX_RANK];
    for (uint32_t j = 0; j < x->node->rank; j++)
        at[j] = x->coord[j];
    const char *index = indexed_load(x, 1, x->coord);
    write_element(x, at, (uint32_t)x->node->attr.i[0], index);
}

static const TensorOp op_gather = {.name = "gather", .kind = OP_INDEXED, .cost = 4,
                                   .write = write_gather};

weft_tensor *weft_tensor_gather(weft_tensor *x, weft_tensor *indices, int axis)
{
    uint32_t      k;
    weft_context *ctx = TENSOR_ARGS("gather", x, indices);
    if (!ctx || !check_indices(x, indices, axis, &k, "gather"))
        return NULL;
    bool fits = x->rank == indices->rank;
    for (uint32_t j = 0; fits && j < x->rank; j++)
        fits = j == k || indices->shape[j] <= x->shape[j];
    if (!fits) {
        context_fail(ctx, WEFT_ERROR_SHAPE,
                     "gather needs indices of the rank of x, and no longer on any other axis");
        return NULL;
    }
    return tensor_node(ctx, &(NodeDesc){
        .op = &op_gather, .dtype = weft_tensor_dtype(x), .rank = x->rank, .shape = indices->shape,
        .inputs = (weft_tensor *const[]){x, indices}, .input_count = 2, .attr = {{0}, {k}}});
}

/* ---- gather_nd ---- */

/* attr.i: batch axes, length of a tuple */
static void write_gather_nd(IndexedWrite *x)
{
    const weft_tensor *in = x->node->inputs[0], *indices = x->node->inputs[1];
    uint32_t    batch = (uint32_t)x->node->attr.i[0], tuple = (uint32_t)x->node->attr.i[1];
    const char *at[MAX_RANK], *from[MAX_RANK];
    Text        inside = {.arena = x->arena};
    for (uint32_t j = 0; j + 1 < indices->rank; j++)
        from[j] = x->coord[j];
    for (uint32_t j = 0; j < batch; j++)
        at[j] = x->coord[j];
    for (uint32_t j = 0; j < tuple; j++) {
        long long n = (long long)in->shape[batch + j];
        from[indices->rank - 1] = arena_printf(x->arena, "%uu", j);
        const char *load = indexed_load(x, 1, from),
                   *i = arena_printf(x->arena, "%s_i%u", x->out, j);
        writer_line(x->w, "let %s_raw = i32(%s);", i, load);
        writer_line(x->w, "let %s = select(%s_raw, %s_raw + %lld, %s_raw < 0);", i, i, i, n, i);
        text_printf(&inside, "%s%s >= 0 && %s < %lld", j ? " && " : "", i, i, n);
        at[batch + j] = arena_printf(x->arena, "u32(%s)", i);
    }
    for (uint32_t j = batch + tuple; j < in->rank; j++)
        at[j] = x->coord[indices->rank - 1 + j - batch - tuple];
    writer_open(x->w, "if %s", inside.data);
    writer_line(x->w, "%s = %s;", x->out, indexed_load(x, 0, at));
    writer_close(x->w);
}

static const TensorOp op_gather_nd = {.name = "gather_nd", .kind = OP_INDEXED, .cost = 6,
                                      .write = write_gather_nd};

/* Each component of the tuples inside its axis; only checked contexts look at values. */
bool tensor_check_tuples(weft_tensor *indices, const weft_tensor *x, uint32_t first,
                         const char *what)
{
    uint32_t tuple = (uint32_t)indices->shape[indices->rank - 1];
    for (uint32_t j = 0; j < tuple; j++) {
        weft_tensor *part = weft_tensor_select(indices, -1, j);
        bool ok = part && tensor_check_indices(part, x->shape[first + j], what);
        weft_tensor_release(part);
        if (!ok)
            return false;
    }
    return is_index_type((weft_dtype)indices->dtype) || tensor_check_indices(indices, 1, what);
}

static bool gather_nd_fits(const weft_tensor *x, const weft_tensor *indices, uint32_t batch)
{
    bool fits = indices->rank > batch && x->rank > batch && !dtype_is_block((weft_dtype)x->dtype);
    for (uint32_t j = 0; fits && j < batch; j++)
        fits = x->shape[j] == indices->shape[j];
    fits = fits && indices->shape[indices->rank - 1] + batch <= x->rank;
    if (!fits)
        return context_fail(x->ctx, WEFT_ERROR_SHAPE, "gather_nd: indices %s do not fit %s with %u "
                            "batch axes", tensor_text(indices), tensor_text(x), batch);
    return true;
}

weft_tensor *weft_tensor_gather_nd(weft_tensor *x, weft_tensor *indices, uint32_t batch)
{
    uint64_t      shape[2 * MAX_RANK];
    uint32_t      n = 0;
    weft_context *ctx = TENSOR_ARGS("gather_nd", x, indices);
    if (!ctx || !gather_nd_fits(x, indices, batch)
        || !tensor_check_tuples(indices, x, batch, "gather_nd"))
        return NULL;
    uint32_t tuple = (uint32_t)indices->shape[indices->rank - 1];
    if (tuple == 0 && indices->rank > batch + 1) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "gather_nd: the tuples of %s are empty",
                     tensor_text(indices));
        return NULL;
    }
    if (tuple == 0)
        return weft_tensor_copy(x);
    for (uint32_t j = 0; j + 1 < indices->rank; j++)
        shape[n++] = indices->shape[j];
    for (uint32_t j = batch + tuple; j < x->rank; j++)
        shape[n++] = x->shape[j];
    if (n > MAX_RANK) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "gather_nd gives rank %u; the most is %u", n, MAX_RANK);
        return NULL;
    }
    return tensor_node(ctx, &(NodeDesc){
        .op = &op_gather_nd, .dtype = (weft_dtype)x->dtype, .rank = n, .shape = shape,
        .inputs = (weft_tensor *const[]){x, indices}, .input_count = 2,
        .attr.i = {batch, tuple} });
}

/* ---- slice_update ---- */

typedef struct Updated {
    int64_t  first[MAX_RANK], by[MAX_RANK];
    uint64_t count[MAX_RANK];
} Updated;

/* The coordinate in the updates of a place on axis j, and the condition that it is updated. */
static const char *updated_coord(IndexedWrite *x, Text *inside, uint32_t j)
{
    const Updated *u = x->node->extra;
    const char    *c = x->coord[j], *name = arena_printf(x->arena, "%s_u%u", x->out, j);
    uint64_t       n = u->count[j];
    int64_t        by = u->by[j], last = u->first[j] + by * ((int64_t)n - 1);
    if (n == x->node->shape[j] && by >= 0)
        return c;
    int64_t low = by < 0 ? last : u->first[j];
    if (by <= 1 && by >= -1) {
        writer_line(x->w, "let %s_d = %s - %lluu;", name, c, (unsigned long long)low);
        text_printf(inside, "%s%s_d < %lluu", inside->len ? " && " : "", name,
                    (unsigned long long)n);
    } else {
        unsigned long long step = (unsigned long long)(by < 0 ? -by : by);
        writer_line(x->w, "let %s_t = %s - %lluu;", name, c, (unsigned long long)low);
        writer_line(x->w, "let %s_d = %s_t / %lluu;", name, name, step);
        text_printf(inside, "%s%s >= %lluu && %s_t %% %lluu == 0u && %s_d < %lluu",
                    inside->len ? " && " : "", c, (unsigned long long)low, name, step, name,
                    (unsigned long long)n);
    }
    return by < 0 ? arena_printf(x->arena, "%lluu - %s_d", (unsigned long long)(n - 1), name)
                  : arena_printf(x->arena, "%s_d", name);
}

static void write_slice_update(IndexedWrite *x)
{
    const char *at[MAX_RANK];
    Text        inside = {.arena = x->arena};
    for (uint32_t j = 0; j < x->node->rank; j++)
        at[j] = updated_coord(x, &inside, j);
    writer_line(x->w, "%s = %s;", x->out, indexed_load(x, 0, x->coord));
    writer_open(x->w, "if %s", inside.data);
    writer_line(x->w, "%s = %s;", x->out, indexed_load(x, 1, at));
    writer_close(x->w);
}

static const TensorOp op_slice_update = {.name = "slice_update", .kind = OP_INDEXED, .cost = 2,
                                         .write = write_slice_update};

weft_tensor *weft_tensor_slice_update(weft_tensor *x, weft_tensor *updates, uint32_t count,
                                      const weft_range *ranges)
{
    Updated       u;
    weft_context *ctx = TENSOR_ARGS("slice_update", x, updates);
    if (!ctx)
        return NULL;
    if (count > x->rank || (count && !ranges) || dtype_is_block((weft_dtype)x->dtype)) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "slice_update: %u ranges for %s", count,
                     tensor_text(x));
        return NULL;
    }
    memset(&u, 0, sizeof u);
    bool empty = false, whole = true;       /* nothing, or all of x is replaced */
    for (uint32_t j = 0; j < x->rank; j++) {
        range_resolve(&u.first[j], &u.by[j], &u.count[j], j < count ? &ranges[j] : &(weft_range){0},
                      x->shape[j]);
        empty |= u.count[j] == 0;
        whole &= u.count[j] == x->shape[j] && u.by[j] >= 0;
    }
    weft_tensor *all = weft_tensor_expand(updates, x->rank, u.count);
    weft_tensor *same = all ? tensor_as(all, (weft_dtype)x->dtype) : NULL;
    weft_tensor *y = !same ? NULL : empty || whole ? weft_tensor_copy(empty ? x : same)
                     : tensor_node(ctx, &(NodeDesc){
        .op = &op_slice_update, .dtype = (weft_dtype)x->dtype, .rank = x->rank, .shape = x->shape,
        .inputs = (weft_tensor *const[]){x, same}, .input_count = 2, .extra = &u,
        .extra_size = sizeof u });
    weft_tensor_release(all);
    weft_tensor_release(same);
    return y;
}

/* ---- searchsorted ---- */

/* attr.i: right. The sorted lines are the last axis of input 0. NaN is after everything. */
static void write_searchsorted(IndexedWrite *x)
{
    const weft_tensor *sorted = x->node->inputs[0], *values = x->node->inputs[1];
    const char *at[MAX_RANK], *from[MAX_RANK], *o = x->out;
    bool        right = x->node->attr.i[0] != 0;
    bool        is_float = dtype_is_float((weft_dtype)values->dtype);
    for (uint32_t j = 0; j < values->rank; j++)
        from[j] = x->coord[j];
    for (uint32_t j = 0; j + 1 < sorted->rank; j++)
        at[j] = x->coord[j];
    at[sorted->rank - 1] = arena_printf(x->arena, "%s_m", o);
    writer_line(x->w, "let %s_v = %s;", o, indexed_load(x, 1, from));
    writer_line(x->w, "var %s_low = 0u;", o);
    writer_line(x->w, "var %s_high = %lluu;", o,
                (unsigned long long)sorted->shape[sorted->rank - 1]);
    writer_open(x->w, "while %s_low < %s_high", o, o);
    writer_line(x->w, "let %s_m = (%s_low + %s_high) / 2u;", o, o, o);
    writer_line(x->w, "let %s_s = %s;", o, indexed_load(x, 0, at));
    const char *t = compute_text(dtype_compute((weft_dtype)values->dtype));
    /* before: the element at m is left of the value */
    if (is_float)
        writer_line(x->w, "let %s_before = select(%s_s %s %s_v, %s, is_nan_%s(%s_v));", o, o,
                    right ? "<=" : "<", o,
                    right ? "true" : arena_printf(x->arena, "!is_nan_%s(%s_s)", t, o), t, o);
    else
        writer_line(x->w, "let %s_before = %s_s %s %s_v;", o, o, right ? "<=" : "<", o);
    writer_line(x->w, "%s_low = select(%s_low, %s_m + 1u, %s_before);", o, o, o, o);
    writer_line(x->w, "%s_high = select(%s_m, %s_high, %s_before);", o, o, o, o);
    writer_close(x->w);
    writer_line(x->w, "%s = i32(%s_low);", o, o);
}

static const TensorOp op_searchsorted = {.name = "searchsorted", .kind = OP_INDEXED, .cost = 8,
                                         .write = write_searchsorted};

weft_tensor *weft_tensor_searchsorted(weft_tensor *sorted, weft_tensor *values, bool right)
{
    weft_context *ctx = TENSOR_ARGS("searchsorted", sorted, values);
    if (!ctx)
        return NULL;
    bool fits = sorted->rank >= 1 && (sorted->rank == 1 || sorted->rank == values->rank)
                && sorted->shape[sorted->rank - 1] < INT32_MAX;
    for (uint32_t j = 0; fits && j + 1 < sorted->rank; j++)
        fits = sorted->shape[j] == values->shape[j];
    weft_dtype d = tensor_promote(sorted, values);
    if (!fits || dtype_is_block(d) || dtype_compute(d) == COMPUTE_BOOL) {
        context_fail(ctx, fits ? WEFT_ERROR_TYPE : WEFT_ERROR_SHAPE, "searchsorted: lines %s and "
                     "values %s do not fit", tensor_text(sorted), tensor_text(values));
        return NULL;
    }
    weft_tensor *a = tensor_as(sorted, d), *b = tensor_as(values, d);
    weft_tensor *y = !a || !b ? NULL : tensor_node(ctx, &(NodeDesc){
        .op = &op_searchsorted, .dtype = WEFT_I32, .rank = values->rank, .shape = values->shape,
        .inputs = (weft_tensor *const[]){a, b}, .input_count = 2, .attr.i = {right} });
    weft_tensor_release(a);
    weft_tensor_release(b);
    return y;
}
