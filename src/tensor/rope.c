// SPDX-License-Identifier: Apache-2.0
/*
 * rope.c - rotary position embedding: pairs of elements turned by an angle that grows with the
 * position.
 *
 * in     x[..., T, D], positions, frequencies
 * out    a pending tensor, computed inside the kernels that use it
 */
#include <math.h>
#include <stdlib.h>

#include "tensor/compose_priv.h"
#include "tensor/tensor_priv.h"

/* attr.i: dims, interleaved; inputs: x, frequencies[dims / 2], positions[T] or [B, T] */
static void write_rope(IndexedWrite *x)
{
    const weft_tensor *t = x->node, *positions = t->inputs[2];
    uint32_t    last = t->rank - 1;
    unsigned    dims = (unsigned)t->attr.i[0], half = dims / 2;
    bool        pairs = t->attr.i[1] != 0;
    const char *at[MAX_RANK], *d = x->coord[last], *o = x->out;
    const char *where[2] = {x->coord[0], x->coord[last - 1]};
    for (uint32_t j = 0; j < t->rank; j++)
        at[j] = x->coord[j];
    writer_line(x->w, "%s = %s;", o, indexed_load(x, 0, at));
    if (dims < t->shape[last])
        writer_open(x->w, "if %s < %uu", d, dims);
    else
        writer_open(x->w, "if true");
    if (pairs)
        writer_line(x->w, "let %s_p = %s / 2u;", o, d);
    else
        writer_line(x->w, "let %s_p = %s %% %uu;", o, d, half);
    writer_line(x->w, "let %s_first = %s;", o,
                pairs ? arena_printf(x->arena, "%s %% 2u == 0u", d)
                      : arena_printf(x->arena, "%s < %uu", d, half));
    writer_line(x->w, "let %s_other = select(%s - %uu, %s + %uu, %s_first);", o, d,
                pairs ? 1 : half, d, pairs ? 1 : half, o);
    at[last] = arena_printf(x->arena, "%s_other", o);
    const char *other = indexed_load(x, 0, at);
    const char *pair[1] = {arena_printf(x->arena, "%s_p", o)};
    const char *frequency = indexed_load(x, 1, pair);
    const char *position = indexed_load(x, 2, positions->rank == 2 ? where : where + 1);
    const char *angle = arena_printf(x->arena, "f32(%s) * %s", position, frequency);
    const char *c = compute_text(dtype_compute((weft_dtype)t->dtype));
    writer_line(x->w, "let %s_a = turn_f32(%s);", o, angle);
    writer_line(x->w, "let %s_s = select(sin(%s_a), -sin(%s_a), %s_first);", o, o, o, o);
    writer_line(x->w, "%s = fma(%s, %s(cos(%s_a)), %s * %s(%s_s));", o, o, c, o, other, c, o);
    writer_close(x->w);
}

static const TensorOp op_rope = {.name = "rope", .kind = OP_INDEXED, .cost = 30,
                                 .write = write_rope};

static weft_tensor *frequencies_of(weft_context *ctx, uint32_t dims, double base)
{
    uint32_t half = dims / 2;
    float   *f = malloc((half + 1) * sizeof *f);
    if (!f) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for rope");
        return NULL;
    }
    for (uint32_t i = 0; i < half; i++)
        f[i] = (float)pow(base != 0 ? base : 10000, -2.0 * i / dims);
    weft_tensor *t = weft_tensor_create(ctx, &(weft_tensor_desc){
        .rank = 1, .shape = {half}, .data = f, .label = "frequencies" });
    free(f);
    return t;
}

static bool rope_fits(const weft_tensor *x, const weft_rope *r, uint64_t dims)
{
    const weft_tensor *p = r->positions, *f = r->frequencies;
    if (x->rank < 2 || !dtype_is_float((weft_dtype)x->dtype) || dtype_is_block((weft_dtype)x->dtype)
        || dims % 2 || dims == 0 || dims > x->shape[x->rank - 1] || dims > UINT32_MAX)
        return context_fail(x->ctx, WEFT_ERROR_SHAPE,
                            "rope: %s has no %llu elements to turn in pairs",
                            tensor_text(x), (unsigned long long)dims);
    uint64_t t = x->shape[x->rank - 2];
    if (p && !((p->rank == 1 && p->shape[0] == t)
               || (p->rank == 2 && x->rank > 2 && p->shape[0] == x->shape[0] && p->shape[1] == t)))
        return context_fail(x->ctx, WEFT_ERROR_SHAPE, "rope: positions %s do not fit %s",
                            tensor_text(p), tensor_text(x));
    if (p && (dtype_is_block((weft_dtype)p->dtype) || p->dtype == WEFT_BOOL))
        return context_fail(x->ctx, WEFT_ERROR_TYPE, "rope: %s are not positions", tensor_text(p));
    if (f && (f->rank != 1 || f->shape[0] != dims / 2 || f->dtype != WEFT_F32))
        return context_fail(x->ctx, WEFT_ERROR_SHAPE, "rope: frequencies %s are not [%llu] f32",
                            tensor_text(f), (unsigned long long)(dims / 2));
    return true;
}

weft_tensor *weft_tensor_rope(weft_tensor *x, const weft_rope *options)
{
    static const weft_rope defaults;
    const weft_rope *r = options ? options : &defaults;
    Temps         t = {0};
    weft_context *ctx = TENSOR_ARGS("rope", x);
    if (!ctx || (r->positions && !TENSOR_ARGS("rope", x, r->positions))
        || (r->frequencies && !TENSOR_ARGS("rope", x, r->frequencies)))
        return NULL;
    uint64_t dims = r->dims ? r->dims : weft_tensor_size(x, -1);
    if (!rope_fits(x, r, dims))
        return NULL;
    weft_tensor *f = r->frequencies ? r->frequencies
                     : compose_temp(&t, frequencies_of(ctx, (uint32_t)dims, r->base));
    weft_tensor *p = r->positions;
    double       last = (double)x->shape[x->rank - 2];
    if (!p)
        p = compose_temp(&t, weft_tensor_arange(ctx, WEFT_I32, 0, last, 1));
    weft_tensor *y = !f || !p ? NULL : compose_temp(&t, tensor_node(ctx, &(NodeDesc){
        .op = &op_rope, .dtype = (weft_dtype)x->dtype, .rank = x->rank, .shape = x->shape,
        .inputs = (weft_tensor *const[]){x, f, p}, .input_count = 3,
        .attr.i = {(int64_t)dims, r->interleaved} }));
    return compose_end(&t, y);
}
