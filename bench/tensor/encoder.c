// SPDX-License-Identifier: Apache-2.0
/*
 * encoder.c - a text encoder with the shapes of BERT-base and random weights: its time, and the
 * device memory that it needs beyond the weights.
 *
 * in     weft/tensor.h alone
 * out    two rows of bench/tensor
 */
#include "tensor_bench.h"

#include <stdio.h>
#include <weft/tensor.h>

#define MOST_LAYERS 12

typedef struct Sizes {
    uint64_t layers, tokens, width, heads, inner;
} Sizes;

static const Sizes base = {12, 128, 768, 12, 3072}, small = {2, 16, 64, 4, 128};

typedef struct Linear {
    weft_tensor *weight, *bias;         /* [N, K], [N]                                      */
} Linear;

typedef struct Layer {
    Linear       q, k, v, out, up, down;
    weft_tensor *gain[2], *bias[2];     /* [width]: after attention, after the two products  */
} Layer;

typedef struct Encoder {
    weft_context *ctx;
    Sizes         s;
    uint64_t      key;                  /* of the next random tensor                         */
    Layer         layers[MOST_LAYERS];
    bool          ok;
} Encoder;

/* ---- weights ---- */

static weft_tensor *weight(Encoder *e, uint64_t rows, uint64_t columns)
{
    weft_random  r = {.key = ++e->key, .rank = columns ? 2 : 1, .shape = {rows, columns}};
    weft_tensor *t = weft_tensor_normal(e->ctx, &r, 0, 0.02);
    e->ok = e->ok && weft_tensor_eval(&t, 1);
    return t;
}

static Linear linear(Encoder *e, uint64_t to, uint64_t from)
{
    return (Linear){weight(e, to, from), weight(e, to, 0)};
}

static void make_layers(Encoder *e)
{
    uint64_t w = e->s.width, n = e->s.inner;
    for (uint64_t i = 0; i < e->s.layers; i++) {
        Layer *l = &e->layers[i];
        *l = (Layer){linear(e, w, w), linear(e, w, w), linear(e, w, w), linear(e, w, w),
                     linear(e, n, w), linear(e, w, n), {weight(e, w, 0), weight(e, w, 0)},
                     {weight(e, w, 0), weight(e, w, 0)}};
    }
}

/* ---- the way through ---- */

static weft_tensor *apply(weft_tensor *x, const Linear *l, weft_activation a)
{
    return weft_tensor_linear(x, l->weight, l->bias, a);
}

/* [1, T, width] to [1, heads, T, width / heads] */
static weft_tensor *heads(const Sizes *s, weft_tensor *x)
{
    const uint64_t shape[] = {1, s->tokens, s->heads, s->width / s->heads};
    return weft_tensor_permute(weft_tensor_reshape(x, 4, shape), (const int[]){0, 2, 1, 3});
}

static weft_tensor *attend(const Sizes *s, const Layer *l, weft_tensor *x)
{
    const uint64_t shape[] = {1, s->tokens, s->width};
    weft_tensor *q = heads(s, apply(x, &l->q, WEFT_ACTIVATION_NONE));
    weft_tensor *k = heads(s, apply(x, &l->k, WEFT_ACTIVATION_NONE));
    weft_tensor *v = heads(s, apply(x, &l->v, WEFT_ACTIVATION_NONE));
    weft_tensor *y = weft_tensor_attention(q, k, v, NULL);      /* [1, heads, T, D] */
    y = weft_tensor_reshape(weft_tensor_permute(y, (const int[]){0, 2, 1, 3}), 3, shape);
    return apply(y, &l->out, WEFT_ACTIVATION_NONE);
}

static weft_tensor *forward(const Encoder *e, weft_tensor *x)
{
    for (uint64_t i = 0; i < e->s.layers; i++) {
        const Layer *l = &e->layers[i];
        x = weft_tensor_layer_norm(weft_tensor_add(x, attend(&e->s, l, x)), l->gain[0],
                                   l->bias[0], 0);
        weft_tensor *y = apply(apply(x, &l->up, WEFT_ACTIVATION_GELU), &l->down,
                               WEFT_ACTIVATION_NONE);
        x = weft_tensor_layer_norm(weft_tensor_add(x, y), l->gain[1], l->bias[1], 0);
    }
    return x;
}

static double run_once(Encoder *e, weft_tensor *x)
{
    double start = bench_now();
    weft_tensor_scope_begin(e->ctx);
    weft_tensor *y = forward(e, x);
    e->ok = e->ok && weft_tensor_eval(&y, 1) && weft_context_wait(e->ctx);
    weft_tensor_scope_end(e->ctx, NULL, 0);
    return bench_now() - start;
}

bool bench_encoder(weft_context *ctx, bool is_small)
{
    Encoder     e = {.ctx = ctx, .s = is_small ? small : base, .ok = true};
    weft_memory before, after;
    weft_tensor_scope_begin(ctx);
    make_layers(&e);
    weft_random  r = {.key = 99, .rank = 3, .shape = {1, e.s.tokens, e.s.width}};
    weft_tensor *x = weft_tensor_normal(ctx, &r, 0, 1);
    e.ok = e.ok && weft_tensor_eval(&x, 1) && weft_context_wait(ctx);
    weft_context_trim(ctx, 0);
    weft_context_memory(&before, ctx);
    weft_context_memory_reset_peak(ctx);
    double first = e.ok ? run_once(&e, x) : 0, best = first;
    for (int i = 0; i < 10 && e.ok && !is_small; i++) {
        double t = run_once(&e, x);
        best = t < best ? t : best;
    }
    weft_context_memory(&after, ctx);
    weft_tensor_scope_end(ctx, NULL, 0);
    if (!e.ok) {
        printf("encoder failed: %s\n", weft_context_error(ctx)->message);
        return false;
    }
    printf("%-24s %9.3f ms   first %8.1f ms\n", "encoder 1x128", best, first);
    printf("%-24s %9.3f MB   beyond %.1f MB of weights\n", "encoder peak",
           (double)(after.peak - before.live) / 1e6, (double)before.live / 1e6);
    return true;
}
