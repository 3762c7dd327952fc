/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - benchmarks that the memory limits.
 */
#include "kernels/kernels.h"
#include "native/native.h"

/* ---- saxpy ---- */

static void saxpy_make(Work *w)
{
    uint32_t n = w->size[0];
    work_floats(w, n, 1, -1, 1);
    work_floats(w, n, 2, -1, 1);
    work_array(w, n * sizeof(float));
    work_run(w, NULL, n / 256, 1, 0);
    w->out = 2;
    w->flops = 2.0 * n;
    w->bytes = 12.0 * n;
}

static void saxpy_native(const Work *w)
{
    native_saxpy(w->array[2].data, w->array[0].data, w->array[1].data, 2.5f, w->size[0]);
}

static void saxpy_stream(const Work *w)
{
    native_saxpy_stream(w->array[2].data, w->array[0].data, w->array[1].data, 2.5f,
                        w->size[0]);
}

static double saxpy_want(const Work *w, size_t i)
{
    const float *x = w->array[0].data, *y = w->array[1].data;
    return (double)(float)(2.5 * (double)x[i] + (double)y[i]);
}

static const char *saxpy_check(const Work *w, const void *out)
{
    return check_sample(w, out, w->size[0], 1000, saxpy_want, 1e-6);
}

const Bench bench_saxpy = {
    .name = "saxpy", .set = "common", .sizes = {{NULL, 1 << 22, 1 << 10}},
    .make = saxpy_make, .native = saxpy_native, .check = saxpy_check,
    .rival = {"AVX2 stream", saxpy_stream},
};

/* ---- reduce ---- */

static void reduce_make(Work *w)
{
    size_t n = w->size[1];
    work_floats(w, n, 21, 0, 1);
    work_array(w, w->size[0] * sizeof(float));
    work_array(w, sizeof(float));
    work_run(w, "parts", w->size[0], 1, 1 << 0 | 1 << 1);
    work_run(w, "whole", 1, 1, 1 << 1 | 1 << 2);
    w->out = 2;
    w->bytes = 4.0 * (double)n;
}

static void reduce_native(const Work *w)
{
    float *total = w->array[2].data;
    *total = native_reduce(w->array[0].data, w->size[1]);
}

static double reduce_want(const Work *w, size_t i)
{
    const float *x = w->array[0].data;
    double sum = 0;
    for (size_t k = i; k < w->size[1]; k++)
        sum += (double)x[k];
    return sum;
}

static const char *reduce_check(const Work *w, const void *out)
{
    return check_sample(w, out, 1, 1, reduce_want, 1e-5);
}

const Bench bench_reduce = {
    .name = "reduce", .set = "more", .sizes = {{"groups", 256, 2}, {NULL, 1 << 22, 1 << 12}},
    .make = reduce_make, .native = reduce_native, .check = reduce_check,
};

/* ---- scan ---- */

static void scan_make(Work *w)
{
    uint32_t n = w->size[0], seed = 22;
    uint32_t *x = work_array(w, n * sizeof *x);
    work_array(w, n * sizeof(uint32_t));
    work_array(w, n / 1024 * sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++)
        x[i] = (uint32_t)(1000 * random_next(&seed));
    work_run(w, "blocks", n / 1024, 1, 0);
    work_run(w, "sums", 1, 1, 1 << 2);
    work_run(w, "add", n / 1024, 1, 1 << 1 | 1 << 2);
    w->out = 1;
    w->bytes = 8.0 * n;
}

static void scan_native(const Work *w)
{
    native_scan(w->array[1].data, w->array[0].data, w->size[0]);
}

static const char *scan_check(const Work *w, const void *out)
{
    const uint32_t *x = w->array[0].data, *y = out;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < w->size[0]; i++)
        if (y[i] != (sum += x[i]))
            return wrong("element %u: got %u, want %u", i, y[i], sum);
    return NULL;
}

const Bench bench_scan = {
    .name = "scan", .set = "more", .sizes = {{NULL, 1 << 22, 1 << 12}},
    .make = scan_make, .native = scan_native, .check = scan_check,
};

/* ---- transpose ---- */

static void transpose_make(Work *w)
{
    uint32_t n = w->size[0];
    work_floats(w, (size_t)n * n, 23, -1, 1);
    work_array(w, (size_t)n * n * sizeof(float));
    work_run(w, NULL, n / 16, n / 16, 0);
    w->out = 1;
    w->bytes = 8.0 * n * n;
}

static void transpose_native(const Work *w)
{
    native_transpose(w->array[1].data, w->array[0].data, w->size[0]);
}

static double transpose_want(const Work *w, size_t i)
{
    const float *a = w->array[0].data;
    size_t n = w->size[0];
    return (double)a[i % n * n + i / n];
}

static const char *transpose_check(const Work *w, const void *out)
{
    size_t n = w->array[1].size / sizeof(float);
    return check_sample(w, out, n, n, transpose_want, 0);
}

const Bench bench_transpose = {
    .name = "transpose", .set = "more", .sizes = {{"n", 2048, 64}},
    .make = transpose_make, .native = transpose_native, .check = transpose_check,
};
