// SPDX-License-Identifier: Apache-2.0
/*
 * copy.c - operators that put elements elsewhere: concatenation, repetition, padding, rotation.
 *
 * in     tensors
 * out    pending tensors; the WGSL of one element from its coordinates
 * not    views, which copy nothing (view.c, slice.c)
 */
#include <string.h>

#include "tensor/tensor_priv.h"

#define CONCAT_WIDTH 5u             /* inputs of one kernel                                 */

static bool copyable(const weft_tensor *t, const char *what)
{
    if (!dtype_is_block((weft_dtype)t->dtype))
        return true;
    return context_fail(t->ctx, WEFT_ERROR_TYPE, "%s: %s must be dequantized first", what,
                        tensor_text(t));
}

static void coords_copy(IndexedWrite *x, const char **at)
{
    for (uint32_t j = 0; j < x->node->rank; j++)
        at[j] = x->coord[j];
}

/* ---- concatenation ---- */

/* attr.i[0]: the axis. */
static void write_concat(IndexedWrite *x)
{
    const weft_tensor *t = x->node;
    uint32_t    axis = (uint32_t)t->attr.i[0];
    uint64_t    start = 0;
    const char *at[MAX_RANK];
    for (uint32_t k = 0; k < t->input_count; k++) {
        const weft_tensor *in = t->inputs[k];
        coords_copy(x, at);
        if (start)
            at[axis] = arena_printf(x->arena, "%s - %lluu", x->coord[axis],
                                    (unsigned long long)start);
        start += in->shape[axis];
        bool last = k + 1 == t->input_count;
        if (!last)
            writer_open(x->w, "if %s < %lluu", x->coord[axis], (unsigned long long)start);
        writer_line(x->w, "%s = %s;", x->out, indexed_load(x, k, at));
        if (!last)
            writer_else(x->w);
    }
    for (uint32_t k = 1; k < t->input_count; k++)
        writer_close(x->w);
}

static const TensorOp op_concat = {.name = "concat", .kind = OP_INDEXED, .cost = 2,
                                   .write = write_concat};

/* Inputs have one type and agree in all axes but one. */
static weft_tensor *concat_node(weft_tensor *const *list, uint32_t count, uint32_t axis)
{
    uint64_t shape[MAX_RANK];
    memcpy(shape, list[0]->shape, sizeof shape);
    for (uint32_t i = 1; i < count; i++)
        shape[axis] += list[i]->shape[axis];
    return tensor_node(list[0]->ctx, &(NodeDesc){
        .op = &op_concat, .dtype = (weft_dtype)list[0]->dtype, .rank = list[0]->rank,
        .shape = shape, .inputs = list, .input_count = count, .attr.i = {axis} });
}

/* In a tree, since a kernel has few bindings. */
static weft_tensor *concat_tree(weft_tensor *const *list, uint32_t count, uint32_t axis)
{
    weft_tensor *parts[CONCAT_WIDTH] = {NULL};
    uint32_t     n = 0;
    if (count <= CONCAT_WIDTH)
        return count == 1 ? weft_tensor_copy(list[0]) : concat_node(list, count, axis);
    bool ok = true;
    for (uint32_t i = 0; i < CONCAT_WIDTH && ok; i++, n++) {
        uint32_t from = (uint32_t)((uint64_t)count * i / CONCAT_WIDTH);
        uint32_t to = (uint32_t)((uint64_t)count * (i + 1) / CONCAT_WIDTH);
        parts[i] = to - from == 1 ? weft_tensor_retain(list[from])
                                  : concat_tree(list + from, to - from, axis);
        ok = parts[i] != NULL;
    }
    weft_tensor *t = ok ? concat_node(parts, n, axis) : NULL;
    for (uint32_t i = 0; i < n; i++)
        weft_tensor_release(parts[i]);
    return t;
}

static bool concat_fits(weft_tensor *const *list, uint32_t count, uint32_t axis)
{
    const weft_tensor *first = list[0];
    uint64_t all = first->shape[axis];
    for (uint32_t i = 1; i < count; i++) {
        const weft_tensor *t = list[i];
        bool same = t->rank == first->rank && t->dtype == first->dtype;
        for (uint32_t d = 0; d < first->rank && same; d++)
            same = d == axis || t->shape[d] == first->shape[d];
        if (!same)
            return context_fail(first->ctx, WEFT_ERROR_SHAPE, "concat: %s and %s differ in type or "
                                "in another axis than %u", tensor_text(first), tensor_text(t),
                                axis);
        if (t->shape[axis] > UINT32_MAX || (all += t->shape[axis]) > UINT32_MAX)
            return context_fail(first->ctx, WEFT_ERROR_SHAPE, "concat: axis %u becomes too long",
                                axis);
    }
    return true;
}

weft_tensor *weft_tensor_concat(weft_tensor *const *tensors, uint32_t count, int axis)
{
    uint32_t k;
    if (!tensors || count == 0 || !tensor_args("concat", tensors, count)
        || !copyable(tensors[0], "concat") || !tensor_axis(&k, tensors[0], axis, "concat")
        || !concat_fits(tensors, count, k))
        return NULL;
    return concat_tree(tensors, count, k);
}

weft_tensor *weft_tensor_stack(weft_tensor *const *tensors, uint32_t count, int axis)
{
    weft_tensor *views[64], *out = NULL;
    uint32_t     n = 0;
    if (!tensors || count == 0 || !tensor_args("stack", tensors, count))
        return NULL;
    if (count > COUNTOF(views)) {   /* halves, joined along the new axis */
        weft_tensor *a = weft_tensor_stack(tensors, count / 2, axis);
        weft_tensor *b = weft_tensor_stack(tensors + count / 2, count - count / 2, axis);
        if (a && b)
            out = weft_tensor_concat((weft_tensor *const[]){a, b}, 2, axis);
        weft_tensor_release(a);
        weft_tensor_release(b);
        return out;
    }
    while (n < count && (views[n] = weft_tensor_unsqueeze(tensors[n], axis)) != NULL)
        n++;
    if (n == count)
        out = weft_tensor_concat(views, count, axis);
    for (uint32_t i = 0; i < n; i++)
        weft_tensor_release(views[i]);
    return out;
}

/* ---- repetition ---- */

static void write_tile(IndexedWrite *x)
{
    const weft_tensor *in = x->node->inputs[0];
    const char *at[MAX_RANK];
    for (uint32_t j = 0; j < in->rank; j++)
        at[j] = in->shape[j] == x->node->shape[j] ? x->coord[j]
                : arena_printf(x->arena, "%s %% %lluu", x->coord[j],
                               (unsigned long long)in->shape[j]);
    writer_line(x->w, "%s = %s;", x->out, indexed_load(x, 0, at));
}

static const TensorOp op_tile = {.name = "tile", .kind = OP_INDEXED, .cost = 2,
                                 .write = write_tile};

static weft_tensor *indexed_node(weft_tensor *t, const TensorOp *op, const uint64_t *shape,
                                 const OpAttr *attr, const void *extra, uint32_t extra_size)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (shape[i] > UINT32_MAX) {
            context_fail(t->ctx, WEFT_ERROR_SHAPE, "%s: axis %u of %s becomes too long", op->name,
                         i, tensor_text(t));
            return NULL;
        }
    return tensor_node(t->ctx, &(NodeDesc){
        .op = op, .dtype = (weft_dtype)t->dtype, .rank = t->rank, .shape = shape, .inputs = &t,
        .input_count = 1, .attr = attr ? *attr : (OpAttr){{0}, {0}}, .extra = extra,
        .extra_size = extra_size });
}

static uint64_t product(uint64_t a, uint64_t b)
{
    return a && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

weft_tensor *weft_tensor_tile(weft_tensor *t, const uint64_t *repeats)
{
    uint64_t shape[MAX_RANK];
    if (!TENSOR_ARGS("tile", t) || !copyable(t, "tile"))
        return NULL;
    if (t->rank && !repeats) {
        context_fail(t->ctx, WEFT_ERROR_INVALID, "tile: no repeats");
        return NULL;
    }
    for (uint32_t i = 0; i < t->rank; i++)
        shape[i] = product(t->shape[i], repeats[i]);
    return indexed_node(t, &op_tile, shape, NULL, NULL, 0);
}

/* attr.i: axis, repeats */
static void write_repeat(IndexedWrite *x)
{
    const char *at[MAX_RANK];
    uint32_t    axis = (uint32_t)x->node->attr.i[0];
    coords_copy(x, at);
    at[axis] = arena_printf(x->arena, "%s / %lluu", x->coord[axis],
                            (unsigned long long)x->node->attr.i[1]);
    writer_line(x->w, "%s = %s;", x->out, indexed_load(x, 0, at));
}

static const TensorOp op_repeat = {.name = "repeat", .kind = OP_INDEXED, .cost = 2,
                                   .write = write_repeat};

weft_tensor *weft_tensor_repeat(weft_tensor *t, int axis, uint64_t repeats)
{
    uint64_t shape[MAX_RANK];
    uint32_t k;
    if (!TENSOR_ARGS("repeat", t) || !copyable(t, "repeat") || !tensor_axis(&k, t, axis, "repeat"))
        return NULL;
    memcpy(shape, t->shape, sizeof shape);
    shape[k] = product(shape[k], repeats);
    return indexed_node(t, &op_repeat, shape, &(OpAttr){{0}, {k, (int64_t)(repeats & UINT32_MAX)}},
                        NULL, 0);
}

/* ---- padding ---- */

typedef struct PadExtra {
    int64_t before[MAX_RANK];
} PadExtra;

/* The input's coordinate on an axis: shifted, then brought into range by the mode. */
static const char *pad_coord(IndexedWrite *x, uint32_t j, weft_pad_mode mode)
{
    const weft_tensor *in = x->node->inputs[0];
    const PadExtra    *extra = x->node->extra;
    int64_t  n = (int64_t)in->shape[j], before = extra->before[j];
    const char *c = x->coord[j];
    if (before == 0 && x->node->shape[j] == in->shape[j])
        return c;
    if (mode == WEFT_PAD_CONSTANT)
        return before >= 0 ? arena_printf(x->arena, "%s - %lldu", c, (long long)before)
                           : arena_printf(x->arena, "%s + %lldu", c, (long long)-before);
    const char *name = arena_printf(x->arena, "%s_p%u", x->out, j);
    if (mode == WEFT_PAD_EDGE) {
        writer_line(x->w, "let %s = u32(clamp(i32(%s) - %lld, 0, %lld));", name, c,
                    (long long)before, (long long)n - 1);
    } else if (mode == WEFT_PAD_WRAP) {
        long long turns = before > 0 ? (before + n - 1) / n * n : 0;
        writer_line(x->w, "let %s = u32(i32(%s) + %lld) %% %lldu;", name, c,
                    turns - (long long)before, (long long)n);
    } else {
        long long period = n > 1 ? 2 * (n - 1) : 1;
        long long turns = before > 0 ? (before + period - 1) / period * period : 0;
        writer_line(x->w, "let %s_t = u32(i32(%s) + %lld) %% %lldu;", name, c,
                    turns - (long long)before, period);
        writer_line(x->w, "let %s = min(%s_t, %lldu - %s_t);", name, name, n > 1 ? period : 0,
                    name);
    }
    return name;
}

/* attr.f[0]: value, attr.i[0]: mode */
static void write_pad(IndexedWrite *x)
{
    const weft_tensor *t = x->node, *in = t->inputs[0];
    weft_pad_mode mode = (weft_pad_mode)t->attr.i[0];
    const char   *at[MAX_RANK];
    Text          inside = {.arena = x->arena};
    for (uint32_t j = 0; j < t->rank; j++) {
        at[j] = pad_coord(x, j, mode);
        if (at[j] != x->coord[j])
            text_printf(&inside, "%s%s < %lluu", inside.len ? " && " : "", at[j],
                        (unsigned long long)in->shape[j]);
    }
    bool test = mode == WEFT_PAD_CONSTANT && inside.len;
    if (test) {
        writer_line(x->w, "%s = %s;", x->out, indexed_literal(x, t->attr.f[0]));
        writer_open(x->w, "if %s", inside.data);
    }
    writer_line(x->w, "%s = %s;", x->out, indexed_load(x, 0, at));
    if (test)
        writer_close(x->w);
}

static const TensorOp op_pad = {.name = "pad", .kind = OP_INDEXED, .cost = 2,
                                .write = write_pad};

static bool pad_shape(uint64_t *shape, const weft_tensor *t, const int64_t *before,
                      const int64_t *after, weft_pad_mode mode)
{
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t most = INT64_C(1) << 30, n = (int64_t)t->shape[i];
        bool    fits = before[i] < most && after[i] < most && before[i] > -most && after[i] > -most
                       && n < most && n + before[i] + after[i] >= 0 && n + before[i] >= 0
                       && n + after[i] >= 0;
        bool    grows = before[i] > 0 || after[i] > 0;
        if (!fits || (n == 0 && grows && mode != WEFT_PAD_CONSTANT))
            return context_fail(t->ctx, WEFT_ERROR_SHAPE, "pad: %lld before and %lld after do not "
                                "fit axis %u of %s", (long long)before[i], (long long)after[i], i,
                                tensor_text(t));
        shape[i] = (uint64_t)(n + before[i] + after[i]);
    }
    return true;
}

weft_tensor *weft_tensor_pad(weft_tensor *t, const int64_t *before, const int64_t *after,
                             weft_pad_mode mode, double value)
{
    uint64_t shape[MAX_RANK];
    PadExtra extra = {{0}};
    if (!TENSOR_ARGS("pad", t) || !copyable(t, "pad"))
        return NULL;
    if ((t->rank && (!before || !after)) || (unsigned)mode > WEFT_PAD_WRAP) {
        context_fail(t->ctx, WEFT_ERROR_INVALID, "pad: no amounts, or an unknown mode");
        return NULL;
    }
    if (!pad_shape(shape, t, before, after, mode))
        return NULL;
    if (t->rank)
        memcpy(extra.before, before, t->rank * sizeof *before);
    return indexed_node(t, &op_pad, shape, &(OpAttr){{value}, {mode}}, &extra, sizeof extra);
}

/* attr.i: axis, shift in [0, n) */
static void write_roll(IndexedWrite *x)
{
    const char *at[MAX_RANK];
    uint32_t    axis = (uint32_t)x->node->attr.i[0];
    uint64_t    n = x->node->shape[axis];
    coords_copy(x, at);
    at[axis] = arena_printf(x->arena, "(%s + %lluu) %% %lluu", x->coord[axis],
                            (unsigned long long)(n - (uint64_t)x->node->attr.i[1]),
                            (unsigned long long)n);
    writer_line(x->w, "%s = %s;", x->out, indexed_load(x, 0, at));
}

static const TensorOp op_roll = {.name = "roll", .kind = OP_INDEXED, .cost = 2,
                                 .write = write_roll};

weft_tensor *weft_tensor_roll(weft_tensor *t, int axis, int64_t shift)
{
    uint32_t k;
    if (!TENSOR_ARGS("roll", t) || !copyable(t, "roll") || !tensor_axis(&k, t, axis, "roll"))
        return NULL;
    int64_t n = (int64_t)t->shape[k];
    int64_t by = n ? (shift % n + n) % n : 0;
    return indexed_node(t, &op_roll, t->shape, &(OpAttr){{0}, {k, by}}, NULL, 0);
}
