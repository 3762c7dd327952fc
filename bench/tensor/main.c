// SPDX-License-Identifier: Apache-2.0
/*
 * main.c - times operations on tensors: one line for each row, `name milliseconds`.
 *
 *     bench/tensor [--small] [--threads=N] [--cpu-time] [part of a name]
 *
 * in     weft/tensor.h alone, as a user has it
 * out    the least time of an evaluation that is waited for, after the first; bench/tensor.sh
 *        puts PyTorch and ONNX Runtime beside it (rivals.py has the same rows)
 */
#include "tensor_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weft/tensor.h>

typedef struct Bench {
    weft_context *ctx;
    bool          small;
    weft_tensor  *in[6];
} Bench;

typedef struct Row {
    const char *name;
    uint64_t    shapes[6][4];       /* of the inputs; the first 0 ends a shape              */
    weft_tensor *(*run)(weft_tensor *const *in);
    double      indices;            /* the second input becomes integers in [0, indices)    */
} Row;

static clockid_t clock_used = CLOCK_MONOTONIC;

double bench_now(void)
{
    struct timespec t;
    clock_gettime(clock_used, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static weft_tensor *random_tensor(weft_context *ctx, uint32_t rank, const uint64_t *shape)
{
    uint64_t count = 1, seed = rank + shape[0];
    for (uint32_t i = 0; i < rank; i++)
        count *= shape[i];
    float *v = malloc(count * sizeof *v);
    if (!v)
        return NULL;
    for (uint64_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        v[i] = (float)(seed >> 40) / 16777216.0f - 0.5f;
    }
    weft_tensor_desc d = {.rank = rank, .data = v};
    memcpy(d.shape, shape, rank * sizeof *shape);
    weft_tensor *t = weft_tensor_create(ctx, &d);
    free(v);
    return t;
}

/* ---- rows ---- */

static weft_tensor *chain(weft_tensor *const *in)
{
    weft_tensor *y = weft_tensor_add(weft_tensor_mul(in[0], in[1]), in[2]);
    return weft_tensor_add(weft_tensor_gelu(y, WEFT_GELU_ERF), in[3]);
}

/* The same, each operator evaluated on its own. */
static weft_tensor *unfused(weft_tensor *const *in)
{
    weft_tensor *y = weft_tensor_mul(in[0], in[1]);
    weft_tensor_eval(&y, 1);
    y = weft_tensor_add(y, in[2]);
    weft_tensor_eval(&y, 1);
    y = weft_tensor_gelu(y, WEFT_GELU_ERF);
    weft_tensor_eval(&y, 1);
    return weft_tensor_add(y, in[3]);
}

static weft_tensor *sum_0(weft_tensor *const *in)
{
    return weft_tensor_sum(in[0], WEFT_AXIS(0));
}

static weft_tensor *sum_1(weft_tensor *const *in)
{
    return weft_tensor_sum(in[0], WEFT_AXIS(-1));
}

static weft_tensor *sum_all(weft_tensor *const *in)
{
    return weft_tensor_sum(in[0], NULL);
}

static weft_tensor *permute(weft_tensor *const *in)
{
    return weft_tensor_copy(weft_tensor_permute(in[0], (const int[]){0, 2, 1, 3}));
}

static weft_tensor *transpose(weft_tensor *const *in)
{
    return weft_tensor_copy(weft_tensor_transpose(in[0], 0, 1));
}

static weft_tensor *argmax(weft_tensor *const *in)
{
    return weft_tensor_argmax(in[0], -1, false);
}

static weft_tensor *cumsum(weft_tensor *const *in)
{
    return weft_tensor_cumsum(in[0], -1, NULL);
}

static weft_tensor *concat(weft_tensor *const *in)
{
    return weft_tensor_concat(in, 2, 0);
}

static weft_tensor *bias_relu(weft_tensor *const *in)
{
    return weft_tensor_relu(weft_tensor_add(in[0], in[1]));
}

static weft_tensor *matmul(weft_tensor *const *in)
{
    return weft_tensor_matmul(in[0], in[1]);
}

static weft_tensor *linear(weft_tensor *const *in)
{
    return weft_tensor_linear(in[0], in[1], in[2], WEFT_ACTIVATION_GELU);
}

/* gelu(x w + b) + r, with the product */
static weft_tensor *product_chain(weft_tensor *const *in)
{
    weft_tensor *y = weft_tensor_add(weft_tensor_matmul(in[0], in[1]), in[2]);
    return weft_tensor_add(weft_tensor_gelu(y, WEFT_GELU_ERF), in[3]);
}

static weft_tensor *softmax(weft_tensor *const *in)
{
    return weft_tensor_softmax(in[0], -1);
}

static weft_tensor *layer_norm(weft_tensor *const *in)
{
    return weft_tensor_layer_norm(in[0], in[1], in[1], 0);
}

static weft_tensor *conv(weft_tensor *const *in)
{
    return weft_tensor_conv2d(in[0], in[1], NULL, &(weft_conv){
        .pad_before = {1, 1}, .pad_after = {1, 1} });
}

static weft_tensor *pointwise(weft_tensor *const *in)
{
    return weft_tensor_conv2d(in[0], in[1], NULL, NULL);
}

static weft_tensor *depthwise(weft_tensor *const *in)
{
    return weft_tensor_conv2d(in[0], in[1], NULL, &(weft_conv){
        .pad_before = {1, 1}, .pad_after = {1, 1},
        .groups = (uint32_t)weft_tensor_size(in[0], 1) });
}

static weft_tensor *attention(weft_tensor *const *in)
{
    return weft_tensor_attention(in[0], in[1], in[2], NULL);
}

/* Rows of a table by numbers spread over it. */
static weft_tensor *take(weft_tensor *const *in)
{
    return weft_tensor_take(in[0], in[1], 0);
}

static weft_tensor *topk(weft_tensor *const *in)
{
    weft_tensor *values = NULL;
    uint64_t     n = weft_tensor_size(in[0], -1);
    weft_tensor_topk(&values, NULL, in[0], n < 50 ? n : 50, -1, false);
    return values;
}

static weft_tensor *sort(weft_tensor *const *in)
{
    return weft_tensor_sort(in[0], -1, false);
}

static const Row rows[] = {
    {"matmul 1024", {{1024, 1024}, {1024, 1024}}, matmul, 0},
    {"matvec 4096", {{1, 4096}, {4096, 4096}}, matmul, 0},
    {"bmm 12x128x64x128", {{12, 128, 64}, {12, 64, 128}}, matmul, 0},
    {"gelu(x*w+b)+r", {{4096, 1024}, {4096, 1024}, {1024}, {4096, 1024}}, chain, 0},
    {"gelu(x*w+b)+r unfused", {{4096, 1024}, {4096, 1024}, {1024}, {4096, 1024}}, unfused, 0},
    {"linear 128x768x3072", {{128, 768}, {3072, 768}, {3072}}, linear, 0},
    {"gelu(x@w+b)+r", {{4096, 1024}, {1024, 1024}, {1024}, {4096, 1024}}, product_chain, 0},
    {"softmax", {{64, 32000}}, softmax, 0},
    {"layer_norm", {{512, 768}, {768}}, layer_norm, 0},
    {"conv 3x3", {{1, 64, 56, 56}, {64, 64, 3, 3}}, conv, 0},
    {"conv 1x1", {{1, 256, 56, 56}, {64, 256, 1, 1}}, pointwise, 0},
    {"conv 3x3 512", {{1, 512, 7, 7}, {512, 512, 3, 3}}, conv, 0},
    {"depthwise", {{1, 96, 112, 112}, {96, 1, 3, 3}}, depthwise, 0},
    {"attention", {{1, 12, 512, 64}, {1, 12, 512, 64}, {1, 12, 512, 64}}, attention, 0},
    {"take 4096", {{30522, 384}, {4096}}, take, 30522},
    {"topk 50", {{64, 32000}}, topk, 0},
    {"sort 1000000", {{1000000}}, sort, 0},
    {"relu(x+b)", {{4096, 1024}, {1024}}, bias_relu, 0},
    {"sum axis 0", {{4096, 4096}}, sum_0, 0},
    {"sum axis -1", {{4096, 4096}}, sum_1, 0},
    {"sum all", {{4096, 4096}}, sum_all, 0},
    {"argmax axis -1", {{64, 32000}}, argmax, 0},
    {"cumsum axis -1", {{64, 32000}}, cumsum, 0},
    {"permute 0213", {{8, 512, 12, 64}}, permute, 0},
    {"transpose 2048", {{2048, 2048}}, transpose, 0},
    {"concat", {{2048, 1024}, {2048, 1024}}, concat, 0},
};

/* ---- measuring ---- */

static bool setup(Bench *b, const Row *row)
{
    memset(b->in, 0, sizeof b->in);
    for (uint32_t i = 0; i < 6 && row->shapes[i][0]; i++) {
        uint64_t shape[4];
        uint32_t rank = 0;
        for (; rank < 4 && row->shapes[i][rank]; rank++)
            shape[rank] = b->small && row->shapes[i][rank] > 64 ? 64 : row->shapes[i][rank];
        b->in[i] = random_tensor(b->ctx, rank, shape);
        if (!b->in[i])
            return false;
    }
    if (row->indices > 0) {
        double last = b->small ? 64 : row->indices;
        b->in[1] = weft_tensor_cast(weft_tensor_mul_scalar(
            weft_tensor_add_scalar(b->in[1], 0.5), last), WEFT_I32);
        if (!weft_tensor_eval(&b->in[1], 1))
            return false;
    }
    return weft_context_wait(b->ctx);
}

static double time_once(Bench *b, const Row *row)
{
    double start = bench_now();
    weft_tensor_scope_begin(b->ctx);
    weft_tensor *y = row->run(b->in);
    bool ok = y && weft_tensor_eval(&y, 1) && weft_context_wait(b->ctx);
    double took = bench_now() - start;
    weft_tensor_scope_end(b->ctx, NULL, 0);
    return ok ? took : -1;
}

static bool measure(Bench *b, const Row *row)
{
    weft_tensor_scope_begin(b->ctx);
    bool   ok = setup(b, row);
    double first = ok ? time_once(b, row) : -1, best = first, spent = 0;
    for (int i = 0; i < 60 && best >= 0 && (spent < 700 || i < 3) && !(b->small && i); i++) {
        double t = time_once(b, row);
        spent += t;
        if (t < best)
            best = t;
    }
    weft_tensor_scope_end(b->ctx, NULL, 0);
    if (best < 0) {
        printf("%s failed: %s\n", row->name, weft_context_error(b->ctx)->message);
        return false;
    }
    printf("%-24s %9.3f ms   first %8.1f ms\n", row->name, best, first);
    fflush(stdout);
    return true;
}

/* 1,000 independent small additions, each evaluated. */
static bool measure_adds(Bench *b)
{
    uint64_t     n = 256;
    double       best = 1e30;
    weft_tensor *x = random_tensor(b->ctx, 1, &n), *y = random_tensor(b->ctx, 1, &n);
    bool         ok = x && y;
    for (int round = 0; round < 20 && ok; round++) {
        double start = bench_now();
        for (int i = 0; i < 1000 && ok; i++) {
            weft_tensor *z = weft_tensor_add(x, y);
            ok = weft_tensor_eval(&z, 1);
            weft_tensor_release(z);
        }
        ok = ok && weft_context_wait(b->ctx);
        best = bench_now() - start < best ? bench_now() - start : best;
    }
    weft_tensor_release(x);
    weft_tensor_release(y);
    printf("%-24s %9.3f ms\n", "1000 adds", best);
    return ok;
}

int main(int argc, char **argv)
{
    Bench             b = {.small = false};
    weft_context_desc desc = {.threads = 0};
    const char       *only = "";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--small") == 0)
            b.small = true;
        else if (strcmp(argv[i], "--cpu-time") == 0)
            clock_used = CLOCK_PROCESS_CPUTIME_ID;
        else if (strncmp(argv[i], "--threads=", 10) == 0)
            desc.threads = (uint32_t)atoi(argv[i] + 10);
        else
            only = argv[i];
    }
    b.ctx = weft_context_create(&desc);
    bool ok = weft_context_device(b.ctx) != NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && ok; i++)
        if (strstr(rows[i].name, only))
            ok = measure(&b, &rows[i]);
    if (ok && strstr("1000 adds", only))
        ok = measure_adds(&b);
    if (ok && strstr("encoder", only))
        ok = bench_encoder(b.ctx, b.small);
    weft_context_release(b.ctx);
    return ok ? 0 : 1;
}
