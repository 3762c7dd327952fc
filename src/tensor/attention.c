// SPDX-License-Identifier: Apache-2.0
/*
 * attention.c - softmax(q k^T scale + mask) v, without the scores in memory.
 *
 * in     q[B, H, T, D], k[B, G, S, D], v[B, G, S, E]
 * out    pending tensors; kernels/attention.wgsl, with the keys in panels of 64 before it
 *        (matmul_pack.wgsl) where enough queries read them
 *
 * The H / G heads of queries that share keys are rows of one problem: row r is query r % T of
 * head r / T.
 */
#include <math.h>

#include "tensor/compose_priv.h"
#include "tensor/tensor_priv.h"

#define LANES      64u
#define MOST_ROWS  8u               /* of a workgroup                                       */
#define BLOCK      256u             /* keys at a time: scores of 8 rows are 8 KiB           */
#define MANY_ROWS  16u              /* for which keys are packed                            */
#define MOST_VALUE 512u             /* elements of a value                                  */
#define WORKGROUP_BYTES 16384u      /* that every device has                                */

/* attr.f: scale, soft cap; attr.i: causal, window, mask (0 none, 1 bool, 2 added) */
enum { CAUSAL, WINDOW, MASK };

typedef struct AttentionSize {
    uint64_t batch, heads, groups, t, s, d, e, rows;    /* rows: of a group                 */
} AttentionSize;

static AttentionSize size_of(const weft_tensor *node)
{
    const weft_tensor *q = node->inputs[0], *k = node->inputs[1], *v = node->inputs[2];
    AttentionSize      z = {q->shape[0], q->shape[1], k->shape[1], q->shape[2], k->shape[2],
                            q->shape[3], v->shape[3], 0};
    z.rows = z.heads / z.groups * z.t;
    return z;
}

/* Heads of all batches, queries, elements. */
static uint32_t attention_hook(const weft_tensor *t, uint64_t size[3])
{
    size[0] = t->shape[0] * t->shape[1];
    size[1] = t->shape[2];
    size[2] = t->shape[3];
    return 3;
}

static const char *number(LibraryPlan *p, uint64_t v)
{
    return library_u32(p, v);
}

/* k[B, G, S, D] as panels[B * G][S / 64][D][64]. */
static bool plan_keys(LibraryPlan *p, const AttentionSize *z, uint32_t temp)
{
    const LibraryInput *k = &p->in[1];
    const char *start = arena_printf(p->arena, "%s + batch / %s * %s + batch %% %s * %s",
                                     number(p, k->offset), number(p, z->groups),
                                     number(p, k->strides[0]), number(p, z->groups),
                                     number(p, k->strides[1]));
    return library_kernel(p, &(LibraryKernel){
        .name = "matmul_pack",
        .numbers = {{"K", z->d}, {"N", z->s}, {"WIDE", LANES},
                    {"PANELS", (z->s + LANES - 1) / LANES}, {"B_ROW", k->strides[3]},
                    {"B_COLUMN", k->strides[2]}},
        .params = {"T", "f32",
                   "B_START", start,
                   "ALONG_K", "x", "ALONG_N", "y"},
        .bindings = {{"b", USE_INPUT, 1, NULL}, {"panels", USE_TEMP_WRITE, temp, "f32"}},
        .groups = {(uint32_t)((z->d + 15) / 16), (uint32_t)((z->s + 15) / 16),
                   (uint32_t)(z->batch * z->groups)} });
}

/* The statements that turn the score `s` of row i and key j into what is hidden or added. */
static const char *mask_text(LibraryPlan *p, const AttentionSize *z)
{
    const weft_tensor *t = p->node;
    Text     text = {.arena = p->arena};
    bool     limited = t->attr.i[CAUSAL] || t->attr.i[WINDOW];
    if (t->attr.f[1] != 0) {
        const char *cap = writer_literal(p->arena, WRITER_F32, (double)(float)t->attr.f[1]);
        text_printf(&text, "score = %s * tanh_f32(score / %s);\n", cap, cap);
    }
    if (t->attr.i[MASK]) {
        const LibraryInput *m = &p->in[3];
        const char *at = arena_printf(
            p->arena, "mask_at(%s + batch * %s + head * %s + query * %s + key * %s)",
            number(p, m->offset), number(p, m->strides[0]),
            number(p, m->strides[1]), number(p, m->strides[2]),
            number(p, m->strides[3]));
        text_printf(&text, t->attr.i[MASK] == 1 ? "score = select(HIDDEN, score, %s);\n"
                                                : "score += %s;\n", at);
    }
    if (limited) {
        text_printf(&text, "let last = i32(query) + %lld;\n",
                    (long long)z->s - (long long)z->t);
        if (t->attr.i[CAUSAL])
            text_printf(&text, "score = select(score, HIDDEN, i32(key) > last);\n");
        if (t->attr.i[WINDOW])
            text_printf(&text, "score = select(score, HIDDEN, i32(key) <= last - %lld);\n",
                        (long long)t->attr.i[WINDOW]);
    }
    text_char(&text, '\0');
    return text.data;
}

/* The first key that no query of a workgroup sees. */
static const char *end_text(LibraryPlan *p, const AttentionSize *z)
{
    if (!p->node->attr.i[CAUSAL] || z->heads != z->groups)
        return number(p, z->s);
    return arena_printf(p->arena, "u32(clamp(i32(first + R) + %lld, 0, %lld))",
                        (long long)z->s - (long long)z->t, (long long)z->s);
}

/* Queries of a workgroup: what fits its memory, and no more than there are. */
static uint64_t rows_of(const AttentionSize *z)
{
    uint64_t rows = 1;
    while (rows < MOST_ROWS && rows < z->rows
           && 2 * rows * (BLOCK + LANES + z->e + 3) * 4 <= WORKGROUP_BYTES)
        rows *= 2;
    return rows;
}

/* Element d of the key that an invocation has. */
static const char *key_text(LibraryPlan *p, const AttentionSize *z, bool packed)
{
    const LibraryInput *k = &p->in[1];
    uint64_t panels = (z->s + LANES - 1) / LANES;
    if (packed)
        return arena_printf(p->arena, "keys_at(((batch * %s + of_group) * %s + (block + at) / 64u) "
                            "* %s + d * 64u + index)", number(p, z->groups), number(p, panels),
                            number(p, z->d * LANES));
    return arena_printf(p->arena, "keys_at(%s + batch * %s + of_group * %s + key * %s + d * %s)",
                        number(p, k->offset), number(p, k->strides[0]), number(p, k->strides[1]),
                        number(p, k->strides[2]), number(p, k->strides[3]));
}

static bool plan_main(LibraryPlan *p, const AttentionSize *z, bool packed, uint32_t temp)
{
    const LibraryInput *q = &p->in[0], *v = &p->in[2];
    uint64_t    rows = rows_of(z);
    bool        mask = p->node->attr.i[MASK] != 0, one = z->heads == z->groups;
    const char *head = arena_printf(p->arena, "of_group * %s + row / %s",
                                    number(p, z->heads / z->groups), number(p, z->t));
    const char *value = arena_printf(p->arena, "%s + batch * %s + of_group * %s",
                                     number(p, v->offset), number(p, v->strides[0]),
                                     number(p, v->strides[1]));
    return library_kernel(p, &(LibraryKernel){
        .name = "attention",
        .numbers = {{"R", rows}, {"ROWS", z->rows}, {"HEADS", z->heads}, {"T_COUNT", z->t},
                    {"S", z->s}, {"D", z->d}, {"E", z->e}, {"Q_START", q->offset},
                    {"Q_BATCH", q->strides[0]}, {"Q_HEAD", q->strides[1]},
                    {"Q_ROW", q->strides[2]}, {"Q_STEP", q->strides[3]},
                    {"V_ROW", v->strides[2]}, {"V_STEP", v->strides[3]}},
        .params = {"HEAD", one ? "of_group" : head,
                   "QUERY", one ? "row" : arena_printf(p->arena, "row %% %s", number(p, z->t)),
                   "KEY", key_text(p, z, packed), "V_START", value,
                   "SCALE", writer_literal(p->arena, WRITER_F32, (double)(float)p->node->attr.f[0]),
                   "MASKED", mask_text(p, z), "END", end_text(p, z)},
        .bindings = {{"q", USE_INPUT, 0, NULL},
                     {"keys", packed ? USE_TEMP_READ : USE_INPUT, packed ? temp : 1, "f32"},
                     {"values", USE_INPUT, 2, NULL}, {"y", USE_OUTPUT, 0, NULL},
                     {mask ? "mask" : NULL, USE_INPUT, 3, NULL}},
        .groups = {(uint32_t)((z->rows + rows - 1) / rows), (uint32_t)z->groups,
                   (uint32_t)z->batch},
        .repeat = (uint32_t)rows,
        .finish = true });
}

static bool attention_plan(LibraryPlan *p)
{
    AttentionSize z = size_of(p->node);
    bool     packed = z.rows >= MANY_ROWS && z.batch * z.groups <= 65535;
    uint32_t temp = 0;
    if (packed) {
        temp = library_temp(p, z.batch * z.groups * ((z.s + LANES - 1) / LANES) * LANES * z.d);
        if (!plan_keys(p, &z, temp))
            return false;
    }
    return plan_main(p, &z, packed, temp);
}

static const TensorOp op_attention = {.name = "attention", .kind = OP_LIBRARY,
                                      .plan = attention_plan, .hook = attention_hook};

/* ---- of other operators: f64, and values with very many elements ---- */

static double scale_of(const weft_tensor *q, const weft_attention *o)
{
    uint64_t d = weft_tensor_size(q, 3);
    return o->scale != 0 ? o->scale : 1 / sqrt((double)(d ? d : 1));
}

/* Which of S positions each of T sees: [T, S]; NULL: all. */
static weft_tensor *seen(Temps *t, weft_context *ctx, const weft_attention *o, uint64_t rows,
                         uint64_t columns)
{
    if (!o->causal && !o->window)
        return NULL;
    double shift = (double)columns - (double)rows;
    double end = (double)columns;
    weft_tensor *row = compose_temp(t, weft_tensor_arange(ctx, WEFT_I32, shift, end, 1));
    weft_tensor *column = compose_temp(t, weft_tensor_arange(ctx, WEFT_I32, 0, end, 1));
    row = compose_temp(t, weft_tensor_unsqueeze(row, 1));
    weft_tensor *before = compose_temp(t, weft_tensor_less_equal(column, row));
    if (!o->window)
        return before;
    weft_tensor *first = compose_temp(t, weft_tensor_add_scalar(row, -(double)o->window));
    weft_tensor *near = compose_temp(t, weft_tensor_greater(column, first));
    return o->causal ? compose_temp(t, weft_tensor_logical_and(before, near)) : near;
}

static weft_tensor *hidden(Temps *t, weft_tensor *scores, weft_tensor *visible)
{
    weft_tensor *none = compose_temp(t, weft_tensor_scalar(weft_tensor_context(scores), -INFINITY));
    return visible ? compose_temp(t, weft_tensor_where(visible, scores, none)) : scores;
}

/* A mask for [B, H, T, S] as one for [B, G, H / G, T, S]. */
static weft_tensor *masked(Temps *t, weft_tensor *scores, weft_tensor *mask, const uint64_t *full,
                           const uint64_t *grouped)
{
    if (!mask)
        return scores;
    mask = compose_temp(t, weft_tensor_expand(mask, 4, full));
    mask = compose_temp(t, weft_tensor_reshape(mask, 5, grouped));
    return weft_tensor_dtype(mask) == WEFT_BOOL ? hidden(t, scores, mask)
                                                : compose_temp(t, weft_tensor_add(scores, mask));
}

static weft_tensor *by_parts(Temps *t, weft_tensor *q, weft_tensor *k, weft_tensor *v,
                              const weft_attention *o)
{
    const uint64_t *sq = weft_tensor_shape(q), *sk = weft_tensor_shape(k);
    uint64_t groups = sk[1], each = sq[1] / groups;
    uint64_t full[] = {sq[0], sq[1], sq[2], sk[2]};
    uint64_t grouped[] = {sq[0], groups, each, sq[2], sk[2]};
    uint64_t queries[] = {sq[0], groups, each, sq[2], sq[3]};
    weft_tensor *x = compose_temp(t, weft_tensor_reshape(q, 5, queries));
    weft_tensor *y = compose_temp(t, weft_tensor_transpose(k, 2, 3));
    y = compose_temp(t, weft_tensor_unsqueeze(y, 2));
    weft_tensor *s = compose_temp(t, weft_tensor_matmul(x, y));
    s = compose_temp(t, weft_tensor_mul_scalar(s, scale_of(q, o)));
    if (o->soft_cap != 0)
        s = compose_temp(t, weft_tensor_mul_scalar(compose_temp(t, weft_tensor_tanh(compose_temp(t,
                weft_tensor_mul_scalar(s, 1 / o->soft_cap)))), o->soft_cap));
    s = masked(t, s, o->mask, full, grouped);
    s = hidden(t, s, seen(t, weft_tensor_context(q), o, sq[2], sk[2]));
    s = compose_temp(t, weft_tensor_softmax(s, -1));
    s = compose_temp(t, weft_tensor_matmul(s, compose_temp(t, weft_tensor_unsqueeze(v, 2))));
    uint64_t result[] = {sq[0], sq[1], sq[2], weft_tensor_size(v, 3)};
    return compose_temp(t, weft_tensor_reshape(s, 4, result));
}

/* ---- the operator ---- */

static bool attention_fits(weft_tensor *q, weft_tensor *k, weft_tensor *v)
{
    const uint64_t *a = q->shape, *b = k->shape, *c = v->shape;
    if (b[1] == 0 || a[1] % b[1] || b[1] != c[1])
        return context_fail(q->ctx, WEFT_ERROR_SHAPE, "attention: the heads of queries %s must be "
                            "a multiple of those of keys %s and values %s", tensor_text(q),
                            tensor_text(k), tensor_text(v));
    if (a[0] != b[0] || a[0] != c[0] || a[3] != b[3] || b[2] != c[2])
        return context_fail(q->ctx, WEFT_ERROR_SHAPE, "attention: queries %s, keys %s and values "
                            "%s differ in batches, positions or elements", tensor_text(q),
                            tensor_text(k), tensor_text(v));
    return true;
}

static weft_tensor *as_f32(Temps *t, weft_tensor *x)
{
    bool half = x->dtype == WEFT_F16 || x->dtype == WEFT_BF16 || x->dtype == WEFT_F32;
    return half ? x : compose_temp(t, weft_tensor_cast(x, WEFT_F32));
}

static weft_tensor *by_kernel(Temps *t, weft_tensor *q, weft_tensor *k, weft_tensor *v,
                              const weft_attention *o)
{
    uint64_t     shape[] = {q->shape[0], q->shape[1], q->shape[2], v->shape[3]};
    uint64_t     full[] = {q->shape[0], q->shape[1], q->shape[2], k->shape[2]};
    weft_dtype   d = tensor_promote(q, v);
    weft_tensor *mask = o->mask ? compose_temp(t, weft_tensor_expand(o->mask, 4, full)) : NULL;
    if (o->mask && !mask)
        return NULL;
    bool seen_only = mask && mask->dtype == WEFT_BOOL;
    if (mask && !seen_only)
        mask = as_f32(t, mask);
    d = dtype_is_float(d) ? d : WEFT_F32;
    weft_dtype direct = tensor_stores_direct(q->ctx, d) ? d : WEFT_F32;
    weft_tensor *y = compose_temp(t, tensor_node(q->ctx, &(NodeDesc){
        .op = &op_attention, .dtype = direct, .rank = 4, .shape = shape,
        .inputs = (weft_tensor *const[]){as_f32(t, q), as_f32(t, k), as_f32(t, v), mask},
        .input_count = mask ? 4 : 3,
        .attr = {{scale_of(q, o), o->soft_cap},
                 {[CAUSAL] = o->causal, [WINDOW] = o->window,
                  [MASK] = !mask ? 0 : seen_only ? 1 : 2}} }));
    return y ? compose_temp(t, tensor_as(y, d)) : NULL;
}

static weft_tensor *attention(Temps *t, weft_tensor *q, weft_tensor *k, weft_tensor *v,
                              const weft_attention *o)
{
    bool wide = q->dtype == WEFT_F64 || k->dtype == WEFT_F64 || v->dtype == WEFT_F64
                || (o->mask && o->mask->dtype == WEFT_F64);
    if (!attention_fits(q, k, v))
        return NULL;
    bool empty = q->count == 0 || k->count == 0 || v->count == 0;
    return wide || empty || v->shape[3] > MOST_VALUE || q->shape[0] > 65535
           || k->shape[1] > 65535
               ? by_parts(t, q, k, v, o) : by_kernel(t, q, k, v, o);
}

weft_tensor *weft_tensor_attention(weft_tensor *q, weft_tensor *k, weft_tensor *v,
                                   const weft_attention *options)
{
    static const weft_attention defaults;
    const weft_attention *o = options ? options : &defaults;
    Temps         t = {0};
    weft_context *ctx = TENSOR_ARGS("attention", q, k, v);
    if (!ctx || (o->mask && !TENSOR_ARGS("attention", q, o->mask)))
        return NULL;
    uint32_t rank = q->rank;
    if ((rank != 3 && rank != 4) || k->rank != rank || v->rank != rank
        || dtype_is_block((weft_dtype)q->dtype) || dtype_is_block((weft_dtype)k->dtype)
        || dtype_is_block((weft_dtype)v->dtype))
        return compose_fail(q, WEFT_ERROR_SHAPE, "attention needs queries, keys and values of rank "
                                                 "3 or of rank 4");
    if (rank == 3) {
        q = compose_temp(&t, weft_tensor_unsqueeze(q, 0));
        k = compose_temp(&t, weft_tensor_unsqueeze(k, 0));
        v = compose_temp(&t, weft_tensor_unsqueeze(v, 0));
    }
    weft_tensor *y = q && k && v ? attention(&t, q, k, v, o) : NULL;
    return compose_end(&t, rank == 3 && y ? compose_temp(&t, weft_tensor_squeeze(y, 0)) : y);
}
