// SPDX-License-Identifier: Apache-2.0
/*
 * scatter.c - a tensor with some elements replaced or combined, by indices; positions that are
 * not zero.
 *
 * in     a tensor, indices of an integer type, updates
 * out    plans of kernels/scatter*.wgsl: accumulators as words, an atomic operation an update,
 *        the result
 *
 * Of several updates that replace one element the last counts: the accumulators then hold the
 * number of that update. Indices beyond an axis have no effect.
 */
#include <string.h>

#include "tensor/compose_priv.h"
#include "tensor/tensor_priv.h"

/* attr.i: how, axis or -1 (tuples), length of a tuple */
enum { HOW, AXIS, TUPLE };

/* ---- kernels ---- */

static uint64_t stride_of(const weft_tensor *t, uint32_t axis)
{
    uint64_t n = 1;
    for (uint32_t d = axis + 1; d < t->rank; d++)
        n *= t->shape[d];
    return n;
}

static void add_index(Text *text, LibraryPlan *p, const char *name, const char *load, uint32_t axis)
{
    const weft_tensor *t = p->node;
    text_printf(text, "var %s = i32(%s);\n    %s = select(%s, %s + %lld, %s < 0);\n"
                "    inside = inside && %s >= 0 && %s < %lld;\n"
                "    place += u32(%s) * %lluu;\n    ", name, load, name, name, name,
                (long long)t->shape[axis], name, name, name, (long long)t->shape[axis], name,
                (unsigned long long)stride_of(t, axis));
}

/* Statements that find `place` and `inside` of update number u: by the index on one axis. */
static const char *axis_place(LibraryPlan *p)
{
    const LibraryInput *in = &p->in[1], *up = &p->in[2];
    uint32_t axis = (uint32_t)p->node->attr.i[AXIS];
    Text     text = {.arena = p->arena};
    uint64_t inner = 1;
    for (uint32_t d = up->rank; d-- > 0;) {
        if (d != axis && up->shape[d] > 1)
            text_printf(&text, "place += u / %lluu %% %lluu * %lluu;\n    ",
                        (unsigned long long)inner, (unsigned long long)up->shape[d],
                        (unsigned long long)stride_of(p->node, d));
        inner *= up->shape[d];
    }
    const char *load = arena_printf(p->arena, "indices_at(%uu + %s)", (uint32_t)in->offset,
                                    library_axes_start(p, in, 0, in->rank, "u"));
    add_index(&text, p, "index", load, axis);
    text_char(&text, '\0');
    return text.data;
}

/* By tuples of indices: updates have the axes of the indices but the last, then a slice. */
static const char *tuple_place(LibraryPlan *p)
{
    const LibraryInput *in = &p->in[1];
    uint32_t tuple = (uint32_t)p->node->attr.i[TUPLE];
    uint64_t slice = 1;
    Text     text = {.arena = p->arena};
    for (uint32_t d = tuple; d < p->node->rank; d++)
        slice *= p->node->shape[d];
    text_printf(&text, "let line = u / %lluu;\n    place = u %% %lluu;\n    ",
                (unsigned long long)slice, (unsigned long long)slice);
    for (uint32_t j = 0; j < tuple; j++)
        add_index(&text, p, arena_printf(p->arena, "index%u", j),
                  arena_printf(p->arena, "indices_at(%uu + %s)",
                               (uint32_t)(in->offset + j * in->strides[in->rank - 1]),
                               library_axes_start(p, in, 0, in->rank - 1, "line")), j);
    text_char(&text, '\0');
    return text.data;
}

/* The statement that combines accumulator `place` with the update `v`. */
static const char *combine_text(LibraryPlan *p, weft_scatter how, const char **type)
{
    const char *t = library_type(p);
    bool        is_float = dtype_is_float((weft_dtype)p->node->dtype);
    static const char *const native[] = {"atomicMax(&acc[place], u + 1u);",
                                         "atomicAdd(&acc[place], v);", NULL,
                                         "atomicMax(&acc[place], v);",
                                         "atomicMin(&acc[place], v);"};
    static const char *const of_float[] = {NULL, "old + v", "old * v", "max_f32(v, old)",
                                           "min_f32(v, old)"};
    *type = how == WEFT_SCATTER_SET || is_float ? "u32" : t;
    if (how == WEFT_SCATTER_SET || (!is_float && native[how]))
        return native[how];
    return arena_printf(p->arena,
                        "var seen = atomicLoad(&acc[place]);\n"
                        "    loop {\n"
                        "      let old = bitcast<%s>(seen);\n"
                        "      let result = atomicCompareExchangeWeak(&acc[place], seen,\n"
                        "                                             bitcast<%s>(%s));\n"
                        "      if result.exchanged { break; }\n"
                        "      seen = result.old_value;\n"
                        "    }", t, *type, of_float[how]);
}

static bool scatter_plan(LibraryPlan *p)
{
    const LibraryInput *x = &p->in[0], *up = &p->in[2];
    weft_scatter how = (weft_scatter)p->node->attr.i[HOW];
    bool         set = how == WEFT_SCATTER_SET;
    uint64_t     count = p->node->count, updates = 1;
    const char  *type, *combine = combine_text(p, how, &type);
    uint32_t     temp = library_temp(p, count);
    const char  *x_at = arena_printf(p->arena, "%s(x_at(%uu + %s))", library_type(p),
                                     (uint32_t)x->offset,
                                     library_axes_start(p, x, 0, x->rank, "i"));
    const char  *update = arena_printf(p->arena, "%s(updates_at(%uu + %s))", library_type(p),
                                       (uint32_t)up->offset,
                                       library_axes_start(p, up, 0, up->rank, "u"));
    for (uint32_t d = 0; d < up->rank; d++)
        updates *= up->shape[d];
    LibraryKernel start = {
        .name = "scatter_start", .numbers = {{"COUNT", count}},
        .params = {"FIRST", set ? "0u" : arena_printf(p->arena, "bitcast<%s>(%s)", type, x_at)},
        .bindings = {{"acc", USE_TEMP_WRITE, temp, type}, {set ? NULL : "x", USE_INPUT, 0, NULL}}};
    library_flat(start.groups, count);
    LibraryKernel each = {
        .name = "scatter", .numbers = {{"COUNT", updates}},
        .params = {"PLACE", p->node->attr.i[AXIS] >= 0 ? axis_place(p) : tuple_place(p),
                   "UPDATE", set ? "" : arena_printf(p->arena, "let v = %s;", update),
                   "COMBINE", combine},
        .bindings = {{"acc", USE_TEMP_WRITE, temp, arena_printf(p->arena, "atomic<%s>", type)},
                     {"indices", USE_INPUT, 1, NULL},
                     {set ? NULL : "updates", USE_INPUT, 2, NULL}}};
    library_flat(each.groups, updates);
    LibraryKernel end = {
        .name = "scatter_end", .numbers = {{"COUNT", count}},
        .params = {"VALUE", !set ? arena_printf(p->arena, "bitcast<%s>(acc[i])", library_type(p))
                            : "value",
                   "REPLACED", !set ? "" : arena_printf(p->arena, "let u = acc[i] - 1u;\n    "
                                                        "var value = %s;\n    "
                                                        "if acc[i] > 0u { value = %s; }", x_at,
                                                        update)},
        .bindings = {{"acc", USE_TEMP_READ, temp, type}, {"y", USE_OUTPUT, 0, NULL},
                     {set ? "x" : NULL, USE_INPUT, 0, NULL}, {"updates", USE_INPUT, 2, NULL}},
        .finish = true};
    library_flat(end.groups, count);
    return library_kernel(p, &start) && (updates == 0 || library_kernel(p, &each))
           && library_kernel(p, &end);
}

static uint32_t scatter_hook(const weft_tensor *t, uint64_t size[3])
{
    size[0] = t->count;
    return 1;
}

static const TensorOp op_scatter = {.name = "scatter", .kind = OP_LIBRARY, .plan = scatter_plan,
                                    .hook = scatter_hook};

/* ---- the operators ---- */

static bool scatter_types(const weft_tensor *x, weft_scatter how, const char *what)
{
    if (dtype_is_block((weft_dtype)x->dtype) || (unsigned)how > WEFT_SCATTER_MIN)
        return context_fail(x->ctx, (unsigned)how > WEFT_SCATTER_MIN ? WEFT_ERROR_INVALID
                                                                     : WEFT_ERROR_TYPE,
                            "%s: cannot combine elements of %s in way %d", what, tensor_text(x),
                            (int)how);
    if (x->dtype == WEFT_F64 && how != WEFT_SCATTER_SET)
        return context_fail(x->ctx, WEFT_ERROR_UNSUPPORTED, "%s: f64 elements can be replaced, not "
                            "combined", what);
    if (x->count >= UINT32_MAX)
        return context_fail(x->ctx, WEFT_ERROR_UNSUPPORTED, "%s: %s has too many elements", what,
                            tensor_text(x));
    return true;
}

static weft_tensor *scatter_node(weft_tensor *x, weft_tensor *indices, weft_tensor *updates,
                                 const OpAttr *attr)
{
    weft_dtype   d = (weft_dtype)x->dtype;
    Compute      c = dtype_compute(d);
    weft_dtype   direct = c == COMPUTE_F32 ? WEFT_F32 : c == COMPUTE_F64 ? WEFT_F64
                          : c == COMPUTE_I32 ? WEFT_I32 : WEFT_U32;
    weft_tensor *same = tensor_as(updates, d);
    weft_tensor *t = !same ? NULL : tensor_node(x->ctx, &(NodeDesc){
        .op = &op_scatter, .dtype = direct, .rank = x->rank, .shape = x->shape,
        .inputs = (weft_tensor *const[]){x, indices, same}, .input_count = 3, .attr = *attr });
    weft_tensor *out = t ? tensor_as(t, d) : NULL;
    weft_tensor_release(same);
    weft_tensor_release(t);
    return out;
}

weft_tensor *weft_tensor_scatter(weft_tensor *x, weft_tensor *indices, weft_tensor *updates,
                                 int axis, weft_scatter how)
{
    uint32_t      k;
    weft_context *ctx = TENSOR_ARGS("scatter", x, indices, updates);
    if (!ctx || !scatter_types(x, how, "scatter") || !tensor_axis(&k, x, axis, "scatter")
        || !tensor_check_indices(indices, x->shape[k], "scatter"))
        return NULL;
    bool fits = indices->rank == x->rank && updates->rank == x->rank
                && updates->count < UINT32_MAX;
    for (uint32_t d = 0; fits && d < x->rank; d++)
        fits = indices->shape[d] == updates->shape[d]
               && (d == k || updates->shape[d] <= x->shape[d]);
    if (!fits) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "scatter: indices %s and updates %s do not fit %s "
                     "along axis %u", tensor_text(indices), tensor_text(updates), tensor_text(x),
                     k);
        return NULL;
    }
    return scatter_node(x, indices, updates, &(OpAttr){{0}, {how, k, 0}});
}

weft_tensor *weft_tensor_scatter_nd(weft_tensor *x, weft_tensor *indices, weft_tensor *updates,
                                    weft_scatter how)
{
    weft_context *ctx = TENSOR_ARGS("scatter_nd", x, indices, updates);
    if (!ctx || !scatter_types(x, how, "scatter_nd"))
        return NULL;
    uint32_t outer = indices->rank ? indices->rank - 1 : 0;
    uint64_t tuple = indices->rank ? indices->shape[outer] : UINT64_MAX;
    bool     fits = tuple <= x->rank && updates->rank == outer + x->rank - tuple
                    && updates->count < UINT32_MAX;
    for (uint32_t d = 0; fits && d < updates->rank; d++)
        fits = updates->shape[d] == (d < outer ? indices->shape[d] : x->shape[tuple + d - outer]);
    if (!fits) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "scatter_nd: indices %s and updates %s do not fit %s",
                     tensor_text(indices), tensor_text(updates), tensor_text(x));
        return NULL;
    }
    if (!tensor_check_tuples(indices, x, 0, "scatter_nd"))
        return NULL;
    return scatter_node(x, indices, updates, &(OpAttr){{0}, {how, -1, (int64_t)tuple}});
}

/* ---- positions that are not zero ---- */

/* Number of each element that is not zero, in order: flags summed up. */
static weft_tensor *flat_positions(Temps *t, weft_tensor *x, uint64_t *count)
{
    weft_context *ctx = weft_tensor_context(x);
    double        last = 0;
    weft_tensor  *flat = compose_temp(t, weft_tensor_reshape(x, 1, (uint64_t[]){WEFT_INFER}));
    weft_tensor  *flag = compose_temp(t, weft_tensor_cast(
        compose_temp(t, weft_tensor_cast(flat, WEFT_BOOL)), WEFT_I32));
    weft_tensor  *sums = compose_temp(t, weft_tensor_cumsum(flag, 0, NULL));
    weft_tensor  *end = compose_temp(t, weft_tensor_select(sums, 0, -1));
    if (!sums || !weft_tensor_eval(&sums, 1) || !weft_tensor_item(&last, end))
        return NULL;
    *count = (uint64_t)last;
    uint64_t n = weft_tensor_count(x), shape[] = {*count};
    weft_tensor *place = compose_temp(t, weft_tensor_add_scalar(sums, -1));
    weft_tensor *none = compose_temp(t, weft_tensor_scalar(ctx, (double)n));
    /* Elements that are zero go to a place that does not exist. */
    place = compose_temp(t, weft_tensor_where(flag, place, none));
    weft_tensor *number = compose_temp(t, weft_tensor_arange(ctx, WEFT_I32, 0, (double)n, 1));
    weft_tensor *zeros = compose_temp(t, weft_tensor_zeros(ctx, WEFT_I32, 1, shape));
    return compose_temp(t, scatter_node(zeros, place, number,
                                        &(OpAttr){{0}, {WEFT_SCATTER_SET, 0, 0}}));
}

weft_tensor *weft_tensor_nonzero(weft_tensor *x)
{
    Temps         t = {0};
    uint64_t      count = 0;
    weft_context *ctx = TENSOR_ARGS("nonzero", x);
    weft_tensor  *rows[MAX_RANK];
    if (!ctx)
        return NULL;
    if (x->rank == 0 || dtype_is_block((weft_dtype)x->dtype) || x->count >= INT32_MAX) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "nonzero: %s has no axis, or too many elements",
                     tensor_text(x));
        return NULL;
    }
    if (x->count == 0)
        return weft_tensor_zeros(ctx, WEFT_I32, 2, (uint64_t[]){x->rank, 0});
    weft_tensor *flat = flat_positions(&t, x, &count), *rest = flat;
    if (!flat)
        return compose_end(&t, NULL);
    for (uint32_t d = x->rank; d-- > 0;) {
        weft_tensor *n = compose_temp(&t, weft_tensor_scalar(ctx, (double)x->shape[d]));
        rows[d] = compose_temp(&t, weft_tensor_remainder(rest, n));
        rest = compose_temp(&t, weft_tensor_floor_div(rest, n));
    }
    return compose_end(&t, compose_temp(&t, weft_tensor_stack(rows, x->rank, 0)));
}
