/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear.c - benchmarks: products of matrices and vectors.
 */
#include "kernels/kernels.h"
#include "native/native.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- a matrix times a vector ---- */

static void matvec_make(Work *w)
{
    uint32_t rows = w->size[0], cols = w->size[1], *size = work_array(w, 2 * sizeof *size);
    w->array[0].is_uniform = true;
    size[0] = rows;
    size[1] = cols;
    work_floats(w, (size_t)rows * cols, 61, -1, 1);
    work_floats(w, cols, 62, -1, 1);
    work_array(w, rows * sizeof(float));
    work_run(w, NULL, (rows + 63) / 64, 1, 0)->size = 2 * sizeof *size;
    w->out = 3;
    w->flops = 2.0 * rows * cols;
    w->bytes = 4.0 * rows * cols;
}

static void matvec_native(const Work *w)
{
    native_matvec(w->array[3].data, w->array[1].data, w->array[2].data, w->size[0], w->size[1]);
}

static double matvec_want(const Work *w, size_t r)
{
    const float *a = w->array[1].data, *x = w->array[2].data;
    size_t cols = w->size[1];
    double sum = 0;
    for (size_t i = 0; i < cols; i++)
        sum += (double)a[r * cols + i] * (double)x[i];
    return sum;
}

static const char *matvec_check(const Work *w, const void *out)
{
    return check_sample(w, out, w->size[0], 200, matvec_want, 1e-4);
}

const Bench bench_matvec = {
    .name = "matvec", .set = "more", .sizes = {{NULL, 1000, 70}, {NULL, 1000, 37}},
    .make = matvec_make, .native = matvec_native, .check = matvec_check,
};

/* ---- paths ---- */

enum { PATH_STEPS, DISTANCE, FIRST_DISTANCE };      /* arrays */

#define PATH_STEP_SIZE 256u         /* bytes from one to the next: an offset's alignment */

static void paths_make(Work *w)
{
    uint32_t nodes = w->size[0], steps = w->size[1];
    size_t n = (size_t)nodes * nodes;
    uint32_t *step = work_array(w, steps * PATH_STEP_SIZE);
    w->array[PATH_STEPS].is_uniform = true;
    work_array(w, n * sizeof(float));
    float *distance = work_floats(w, n, 63, 1, 100);
    for (uint32_t i = 0; i < nodes; i++)
        distance[(size_t)i * nodes + i] = 0;
    Step *copy = work_step(w, STEP_COPY);
    copy->from = FIRST_DISTANCE;
    copy->to = DISTANCE;
    for (uint32_t k = 0; k < steps; k++) {
        Step *s = work_run(w, NULL, (nodes + 15) / 16, (nodes + 15) / 16,
                           1 << PATH_STEPS | 1 << DISTANCE);
        s->offset = k * PATH_STEP_SIZE;
        s->size = 2 * sizeof *step;
        step[s->offset / sizeof *step] = nodes;
        step[s->offset / sizeof *step + 1] = k;
    }
    w->out = DISTANCE;
}

static void paths_native(const Work *w)
{
    memcpy(w->array[DISTANCE].data, w->array[FIRST_DISTANCE].data, w->array[DISTANCE].size);
    native_paths(w->array[DISTANCE].data, w->size[0], w->size[1]);
}

static const char *paths_check(const Work *w, const void *out)
{
    size_t nodes = w->size[0], n = nodes * nodes;
    const float *first = w->array[FIRST_DISTANCE].data, *got = out;
    float *want = malloc(n * sizeof *want);
    const char *what = want ? NULL : "no memory";
    if (want)
        memcpy(want, first, n * sizeof *want);
    for (size_t k = 0; want && k < w->size[1]; k++)
        for (size_t i = 0; i < n; i++) {
            float around = want[i / nodes * nodes + k] + want[k * nodes + i % nodes];
            want[i] = around < want[i] ? around : want[i];
        }
    for (size_t i = 0; want && !what && i < n; i++)
        if (got[i] != want[i])
            what = wrong("path %zu: %g, not %g", i, (double)got[i], (double)want[i]);
    free(want);
    return what;
}

const Bench bench_paths = {
    .name = "paths", .set = "more", .sizes = {{NULL, 512, 45}, {NULL, 8, 8}},
    .make = paths_make, .native = paths_native, .check = paths_check,
};
