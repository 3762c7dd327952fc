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
    work_run(w, NULL, w->size[0] / 16, w->size[0] / 16, 0);
}

static void tiled_make(Work *w)
{
    matmul_arrays(w, 5);
    work_run(w, NULL, w->size[0] / 16, w->size[0] / 16, 0);
}

static void strip_make(Work *w)
{
    matmul_arrays(w, 5);
    work_run(w, NULL, w->size[0] / 4, w->size[0] / 32, 0);
}

static void block_make(Work *w)
{
    matmul_arrays(w, 5);
    work_run(w, NULL, w->size[0] / 64, w->size[0] / 16, 0);
}

static void naive_native(const Work *w)
{
    native_matmul(w->array[2].data, w->array[0].data, w->array[1].data, w->size[0]);
}

static void tiled_native(const Work *w)
{
    native_matmul_tiled(w->array[2].data, w->array[0].data, w->array[1].data, w->size[0]);
}

static void strip_native(const Work *w)
{
    native_matmul_strip(w->array[2].data, w->array[0].data, w->array[1].data, w->size[0]);
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

#define IN_REGISTERS(shape, full, small)                                            \
    .name = "matmul_" #shape "_" #full, .set = "blas", .wgsl = "matmul_" #shape ".wgsl", \
    .sizes = {{"n", full, small}}, .make = shape##_make, .native = strip_native,     \
    .check = matmul_check, .rival = {"sgemm", sgemm}

const Bench bench_matmul_strip_512 = {IN_REGISTERS(strip, 512, 64)};
const Bench bench_matmul_strip_1024 = {IN_REGISTERS(strip, 1024, 96)};
const Bench bench_matmul_block_512 = {IN_REGISTERS(block, 512, 128)};
const Bench bench_matmul_block_1024 = {IN_REGISTERS(block, 1024, 256)};

/* ---- a sparse matrix times a vector ---- */

#define ROW_MOST 32u                /* entries; between 1 and this many           */

static void spmv_make(Work *w)
{
    uint32_t rows = w->size[0], seed = 31, n = 0;
    uint32_t *start = work_array(w, (rows + 1) * sizeof *start);
    for (uint32_t r = 0; r <= rows; r++) {
        start[r] = n;
        if (r < rows)
            n += 1 + (uint32_t)(ROW_MOST * random_next(&seed));
    }
    uint32_t *column = work_array(w, n * sizeof *column);
    for (uint32_t i = 0; i < n; i++)
        column[i] = (uint32_t)(rows * random_next(&seed));
    work_floats(w, n, 32, -1, 1);
    work_floats(w, rows, 33, -1, 1);
    work_array(w, rows * sizeof(float));
    work_run(w, NULL, (rows + 63) / 64, 1, 0);
    w->out = 4;
    w->flops = 2.0 * n;
    w->bytes = 12.0 * n + 8.0 * rows;
}

static void spmv_native(const Work *w)
{
    native_spmv(w->array[4].data, w->array[0].data, w->array[1].data, w->array[2].data,
                w->array[3].data, w->size[0]);
}

static double spmv_want(const Work *w, size_t r)
{
    const uint32_t *start = w->array[0].data, *column = w->array[1].data;
    const float *value = w->array[2].data, *x = w->array[3].data;
    double sum = 0;
    for (uint32_t i = start[r]; i < start[r + 1]; i++)
        sum += (double)value[i] * (double)x[column[i]];
    return sum;
}

static const char *spmv_check(const Work *w, const void *out)
{
    return check_sample(w, out, w->size[0], w->size[0], spmv_want, 1e-5);
}

const Bench bench_spmv = {
    .name = "spmv", .set = "more", .sizes = {{NULL, 1 << 17, 1000}},
    .make = spmv_make, .native = spmv_native, .check = spmv_check,
};

/* ---- 8-bit integers ---- */

static int8_t *bytes_make(Work *w, size_t n, uint32_t seed)
{
    int8_t *data = work_array(w, n);
    for (size_t i = 0; i < n; i++)
        data[i] = (int8_t)(255 * random_next(&seed) - 127);
    return data;
}

static void q8_make(Work *w)
{
    size_t cols = 4 * (size_t)w->size[0], rows = w->size[1];
    bytes_make(w, rows * cols, 34);
    bytes_make(w, cols, 35);
    work_floats(w, rows, 36, 0.001, 0.002);
    work_array(w, rows * sizeof(float));
    work_run(w, NULL, (uint32_t)rows, 1, 0);
    w->out = 3;
    w->flops = 2.0 * (double)(rows * cols);
    w->bytes = (double)(rows * cols);
}

static void q8_native(const Work *w)
{
    native_q8(w->array[3].data, w->array[0].data, w->array[1].data, w->array[2].data,
              w->size[1], 4 * (size_t)w->size[0]);
}

static double q8_want(const Work *w, size_t r)
{
    const int8_t *a = w->array[0].data, *x = w->array[1].data;
    const float *scale = w->array[2].data;
    size_t cols = 4 * (size_t)w->size[0];
    int sum = 0;
    for (size_t i = 0; i < cols; i++)
        sum += a[r * cols + i] * x[i];
    return (double)scale[r] * sum;
}

static const char *q8_check(const Work *w, const void *out)
{
    return check_sample(w, out, w->size[1], w->size[1], q8_want, 1e-6);
}

const Bench bench_q8 = {
    .name = "q8", .set = "more", .sizes = {{"words", 1024, 64}, {NULL, 2048, 16}},
    .make = q8_make, .native = q8_native, .check = q8_check,
};
