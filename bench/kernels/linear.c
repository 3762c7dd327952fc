/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear.c - benchmarks: products of matrices and vectors.
 */
#include "kernels/kernels.h"
#include "native/native.h"

/* ---- matrix products ---- */

static void matmul_arrays(Work *w, uint32_t seed)
{
    size_t n = w->size[0];
    work_floats(w, n * n, seed, -1, 1);
    work_floats(w, n * n, seed + 1, -1, 1);
    work_array(w, n * n * sizeof(float));
    w->out = 2;
    w->flops = 2.0 * (double)n * (double)n * (double)n;
    w->bytes = 12.0 * (double)n * (double)n;
}

static void naive_make(Work *w)
{
    matmul_arrays(w, 3);
    work_run(w, NULL, w->size[0] / 16, w->size[0] / 16, 1);
}

static void tiled_make(Work *w)
{
    matmul_arrays(w, 5);
    work_run(w, NULL, w->size[0] / 16, w->size[0] / 16, 1);
}

static void strip_make(Work *w)
{
    matmul_arrays(w, 5);
    work_run(w, NULL, w->size[0] / 8, w->size[0] / 32, 1);
}

static void naive_native(const Work *w)
{
    native_matmul(w->array[2].data, w->array[0].data, w->array[1].data, w->size[0]);
}

static void tiled_native(const Work *w)
{
    native_matmul_tiled(w->array[2].data, w->array[0].data, w->array[1].data, w->size[0]);
}

static void sgemm(const Work *w)
{
    native_sgemm(w->array[2].data, w->array[0].data, w->array[1].data, w->size[0]);
}

static double matmul_want(const Work *w, size_t i)
{
    const float *a = w->array[0].data, *b = w->array[1].data;
    size_t n = w->size[0], row = i / n, col = i % n;
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += (double)a[row * n + k] * (double)b[k * n + col];
    return sum;
}

static const char *matmul_check(const Work *w, const void *out)
{
    return check_sample(w, out, w->array[2].size / sizeof(float), 60, matmul_want, 1e-3);
}

const Bench bench_matmul_naive = {
    .name = "matmul_naive", .set = "common", .sizes = {{"n", 512, 32}},
    .make = naive_make, .native = naive_native, .check = matmul_check,
    .rival = {"sgemm", sgemm},
};

const Bench bench_matmul_tiled = {
    .name = "matmul_tiled", .set = "common", .sizes = {{"n", 512, 32}},
    .make = tiled_make, .native = tiled_native, .check = matmul_check,
    .rival = {"sgemm", sgemm},
};

const Bench bench_matmul_strip_512 = {
    .name = "matmul_strip_512", .set = "blas", .wgsl = "matmul_strip.wgsl",
    .sizes = {{"n", 512, 64}},
    .make = strip_make, .native = tiled_native, .check = matmul_check,
    .rival = {"sgemm", sgemm},
};

const Bench bench_matmul_strip_1024 = {
    .name = "matmul_strip_1024", .set = "blas", .wgsl = "matmul_strip.wgsl",
    .sizes = {{"n", 1024, 96}},
    .make = strip_make, .native = tiled_native, .check = matmul_check,
    .rival = {"sgemm", sgemm},
};
