// SPDX-License-Identifier: Apache-2.0
/*
 * random.c - random numbers: a function of a key and a position (Philox 4x32-10), so that they do
 * not depend on the device, the order of evaluation or what is fused.
 *
 * in     a key, where the stream starts, a distribution
 * out    pending tensors, computed inside the kernels that use them
 */
#include "tensor/compose_priv.h"
#include "tensor/tensor_priv.h"

#include <math.h>

typedef enum RandomKind { RANDOM_BITS, RANDOM_UNIFORM, RANDOM_NORMAL, RANDOM_INTEGER,
                          RANDOM_BERNOULLI } RandomKind;

/* ---- kernels ---- */

/* The key is the last input: four words. */
static const char *words_text(IndexedWrite *x, uint32_t input)
{
    const char *word[4];
    for (uint32_t i = 0; i < 4; i++) {
        const char *at[1] = {arena_printf(x->arena, "%uu", i)};
        word[i] = indexed_load(x, input, at);
    }
    return arena_printf(x->arena, "random_words(%s, %s, %s, %s, %s)", word[0], word[1], word[2],
                        word[3], indexed_linear(x));
}

/* A float in [0, 1) with all bits of its type. */
static const char *unit_text(IndexedWrite *x, const char *r, bool wide, const char *a,
                             const char *b)
{
    if (wide)
        return arena_printf(x->arena, "(f64(%s.%s >> 5u) * 67108864.0lf + f64(%s.%s >> 6u)) * "
                            "0x1p-53lf", r, a, r, b);
    return arena_printf(x->arena, "f32(%s.%s >> 8u) * 0x1p-24f", r, a);
}

static void write_normal(IndexedWrite *x, const char *r, bool wide)
{
    const char *t = wide ? "f64" : "f32", *o = x->out;
    writer_line(x->w, "let %s_u = 1.0 - (%s);", o, unit_text(x, r, wide, "x", "y"));
    writer_line(x->w, "let %s_a = 6.283185307179586 * (%s);", o,
                unit_text(x, r, wide, wide ? "z" : "y", "w"));
    writer_line(x->w, "%s = fma(sqrt(%s(-2.0) * log(%s_u)) * cos(%s_a), %s, %s);", o, t, o, o,
                indexed_literal(x, x->node->attr.f[1]), indexed_literal(x, x->node->attr.f[0]));
}

/* attr.f: low, width or mean, deviation; attr.i: kind */
static void write_random(IndexedWrite *x)
{
    const weft_tensor *t = x->node;
    bool        wide = t->dtype == WEFT_F64;
    const char *o = x->out, *r = arena_printf(x->arena, "%s_r", o);
    writer_line(x->w, "let %s = %s;", r, words_text(x, t->input_count - 1));
    switch ((RandomKind)t->attr.i[0]) {
    case RANDOM_BITS:
        writer_line(x->w, "%s = %s.x;", o, r);
        break;
    case RANDOM_UNIFORM:
        writer_line(x->w, "%s = fma(%s, %s, %s);", o, unit_text(x, r, wide, "x", "y"),
                    indexed_literal(x, t->attr.f[1]), indexed_literal(x, t->attr.f[0]));
        break;
    case RANDOM_NORMAL:
        write_normal(x, r, wide);
        break;
    case RANDOM_INTEGER:
        writer_line(x->w, "%s = bitcast<i32>(mul_wide(%s.x, %lluu).y + %lluu);", o, r,
                    (unsigned long long)t->attr.i[2],
                    (unsigned long long)(uint32_t)(int32_t)t->attr.i[1]);
        break;
    case RANDOM_BERNOULLI:
        writer_line(x->w, "%s = %s < f32(%s);", o, unit_text(x, r, false, "x", "y"),
                    indexed_load(x, 0, x->coord));
        break;
    }
}

static const TensorOp op_random = {.name = "random", .kind = OP_INDEXED, .cost = 40,
                                   .write = write_random};

/* ---- nodes ---- */

static weft_tensor *key_tensor(weft_context *ctx, uint64_t key, uint64_t first)
{
    uint32_t words[4] = {(uint32_t)key, (uint32_t)(key >> 32), (uint32_t)first,
                         (uint32_t)(first >> 32)};
    return weft_tensor_create(ctx, &(weft_tensor_desc){
        .dtype = WEFT_U32, .rank = 1, .shape = {4}, .data = words, .label = "key" });
}

static weft_tensor *random_node(weft_context *ctx, const weft_random *r, weft_dtype dtype,
                                const OpAttr *attr, const char *what)
{
    uint64_t count;
    if (!context_ok(ctx))
        return NULL;
    if (!r) {
        context_fail(ctx, WEFT_ERROR_INVALID, "%s: no description of the numbers", what);
        return NULL;
    }
    if (!tensor_shape_ok(&count, ctx, what, dtype, r->rank, r->shape))
        return NULL;
    if (count > UINT32_MAX) {
        context_fail(ctx, WEFT_ERROR_UNSUPPORTED, "%s: %s has more than 2^32 elements", what,
                     shape_text(r->rank, r->shape));
        return NULL;
    }
    weft_tensor *key = key_tensor(ctx, r->key, r->first);
    weft_tensor *t = !key ? NULL : tensor_node(ctx, &(NodeDesc){
        .op = &op_random, .dtype = dtype, .rank = r->rank, .shape = r->shape, .inputs = &key,
        .input_count = 1, .attr = *attr });
    weft_tensor_release(key);
    return t;
}

static weft_tensor *random_float(weft_context *ctx, const weft_random *r, RandomKind kind, double a,
                                 double b, const char *what)
{
    weft_dtype d = r && r->dtype ? r->dtype : WEFT_F32;
    if (!isfinite(a) || !isfinite(b) || b < 0) {
        context_fail(ctx, WEFT_ERROR_INVALID,
                     "%s: the parameters %g and %g are not finite or not in "
                     "order",
                     what, a, b);
        return NULL;
    }
    if (!dtype_is_float(d) || dtype_is_block(d)) {
        context_fail(ctx, WEFT_ERROR_TYPE, "%s gives floats, not %s", what,
                     weft_dtype_name(d) ? weft_dtype_name(d) : "an unknown type");
        return NULL;
    }
    return random_node(ctx, r, d, &(OpAttr){{a, b}, {kind}}, what);
}

/* ---- the operators ---- */

weft_tensor *weft_tensor_random_bits(weft_context *ctx, const weft_random *r)
{
    return random_node(ctx, r, WEFT_U32, &(OpAttr){{0}, {RANDOM_BITS}}, "random_bits");
}

weft_tensor *weft_tensor_uniform(weft_context *ctx, const weft_random *r, double low, double high)
{
    return random_float(ctx, r, RANDOM_UNIFORM, low, high - low, "uniform");
}

weft_tensor *weft_tensor_normal(weft_context *ctx, const weft_random *r, double mean,
                                double deviation)
{
    return random_float(ctx, r, RANDOM_NORMAL, mean, deviation, "normal");
}

weft_tensor *weft_tensor_randint(weft_context *ctx, const weft_random *r, int64_t low, int64_t high)
{
    weft_dtype d = r && r->dtype ? r->dtype : WEFT_I32;
    if (low >= high || low < INT32_MIN || high > (int64_t)INT32_MAX + 1) {
        context_fail(ctx, WEFT_ERROR_INVALID, "randint: no integers of 32 bits from %lld to below "
                     "%lld", (long long)low, (long long)high);
        return NULL;
    }
    if (!dtype_is_integer(d) || dtype_is_block(d)) {
        context_fail(ctx, WEFT_ERROR_TYPE, "randint gives integers, not %s",
                     weft_dtype_name(d) ? weft_dtype_name(d) : "an unknown type");
        return NULL;
    }
    /* A width of 2^32 would be 0: the largest integer is then left out. */
    int64_t      width = high - low <= UINT32_MAX ? high - low : UINT32_MAX;
    weft_tensor *t = random_node(ctx, r, WEFT_I32, &(OpAttr){{0}, {RANDOM_INTEGER, low, width}},
                                 "randint");
    weft_tensor *out = t ? tensor_as(t, d) : NULL;
    weft_tensor_release(t);
    return out;
}

weft_tensor *weft_tensor_bernoulli(weft_tensor *p, uint64_t key)
{
    weft_context *ctx = TENSOR_ARGS("bernoulli", p);
    if (!ctx)
        return NULL;
    if (!dtype_is_float((weft_dtype)p->dtype) || dtype_is_block((weft_dtype)p->dtype)
        || p->count > UINT32_MAX) {
        context_fail(ctx, WEFT_ERROR_TYPE, "bernoulli: %s are not probabilities", tensor_text(p));
        return NULL;
    }
    weft_tensor *k = key_tensor(ctx, key, 0);
    weft_tensor *t = !k ? NULL : tensor_node(ctx, &(NodeDesc){
        .op = &op_random, .dtype = WEFT_BOOL, .arg_dtype = (weft_dtype)p->dtype, .rank = p->rank,
        .shape = p->shape, .inputs = (weft_tensor *const[]){p, k}, .input_count = 2,
        .attr.i = {RANDOM_BERNOULLI} });
    weft_tensor_release(k);
    return t;
}

weft_tensor *weft_tensor_permutation(weft_context *ctx, uint64_t n, uint64_t key)
{
    Temps t = {0};
    if (n > INT32_MAX) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "permutation: %llu are too many",
                     (unsigned long long)n);
        return NULL;
    }
    weft_tensor *bits = compose_temp(&t, weft_tensor_random_bits(ctx, &(weft_random){
        .key = key, .rank = 1, .shape = {n} }));
    return compose_end(&t, bits ? compose_temp(&t, weft_tensor_argsort(bits, 0, false)) : NULL);
}

weft_tensor *weft_tensor_dropout(weft_tensor *x, double rate, uint64_t key)
{
    Temps         t = {0};
    weft_context *ctx = TENSOR_ARGS("dropout", x);
    if (!ctx)
        return NULL;
    if (!(rate >= 0 && rate < 1) || !dtype_is_float((weft_dtype)x->dtype)
        || dtype_is_block((weft_dtype)x->dtype)) {
        context_fail(ctx, WEFT_ERROR_INVALID, "dropout: the rate %g is not in [0, 1), or %s are no "
                     "floats", rate, tensor_text(x));
        return NULL;
    }
    weft_random r = {.key = key, .rank = x->rank};
    for (uint32_t i = 0; i < x->rank; i++)
        r.shape[i] = x->shape[i];
    weft_tensor *u = compose_temp(&t, weft_tensor_uniform(ctx, &r, 0, 1));
    weft_tensor *limit = compose_temp(&t, weft_tensor_scalar(ctx, rate));
    weft_tensor *kept = u ? compose_temp(&t, weft_tensor_greater_equal(u, limit)) : NULL;
    weft_tensor *scaled = compose_temp(&t, weft_tensor_mul_scalar(x, 1 / (1 - rate)));
    weft_tensor *zero = compose_temp(&t, weft_tensor_scalar(ctx, 0));
    return compose_end(&t, kept ? compose_temp(&t, weft_tensor_where(kept, scaled, zero)) : NULL);
}
