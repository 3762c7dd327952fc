/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f64.c - benchmarks in f64.
 */
#include "kernels/kernels.h"
#include "native/native.h"

#include <math.h>

static const char *check_doubles(const Work *w, const double *out, size_t n,
                                 double (*want)(const Work *w, size_t i))
{
    for (size_t i = 0; i < n; i += n / 40 + 1) {
        double expected = want(w, i);
        if (fabs(out[i] - expected) > 1e-11 * (1 + fabs(expected)))
            return wrong("element %zu: got %.17g, want %.17g", i, out[i], expected);
    }
    return NULL;
}

/* ---- z = a x + y ---- */

static void saxpy_make(Work *w)
{
    size_t n = w->size[0];
    work_doubles(w, n, 1, -1, 1);
    work_doubles(w, n, 2, -1, 1);
    work_array(w, n * sizeof(double));
    work_run(w, NULL, (uint32_t)((n + 255) / 256), 1, 0);
    w->out = 2;
    w->bytes = 24.0 * (double)n;
}

static void saxpy_native(const Work *w)
{
    native_saxpy_f64(w->array[2].data, w->array[0].data, w->array[1].data, 2.5, w->size[0]);
}

static double saxpy_want(const Work *w, size_t i)
{
    const double *x = w->array[0].data, *y = w->array[1].data;
    return 2.5 * x[i] + y[i];
}

static const char *saxpy_check(const Work *w, const void *out)
{
    return check_doubles(w, out, w->size[0], saxpy_want);
}

const Bench bench_saxpy_f64 = {
    /* caches hold it in neither precision */
    .name = "saxpy_f64", .set = "f64", .sizes = {{NULL, 1 << 23, 4096}}, .make = saxpy_make,
    .native = saxpy_native, .check = saxpy_check,
};

/* ---- matrix product ---- */

static void matmul_make(Work *w)
{
    size_t n = w->size[0];
    work_doubles(w, n * n, 3, -1, 1);
    work_doubles(w, n * n, 4, -1, 1);
    work_array(w, n * n * sizeof(double));
    work_run(w, NULL, w->size[0] / 16, w->size[0] / 16, 0);
    w->out = 2;
    w->flops = 2.0 * (double)n * (double)n * (double)n;
}

static void matmul_native(const Work *w)
{
    native_matmul_f64(w->array[2].data, w->array[0].data, w->array[1].data, w->size[0]);
}

static double matmul_want(const Work *w, size_t i)
{
    const double *a = w->array[0].data, *b = w->array[1].data;
    size_t n = w->size[0];
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[i / n * n + k] * b[k * n + i % n];
    return sum;
}

static const char *matmul_check(const Work *w, const void *out)
{
    return check_doubles(w, out, (size_t)w->size[0] * w->size[0], matmul_want);
}

const Bench bench_matmul_f64 = {
    .name = "matmul_f64", .set = "f64", .sizes = {{"n", 512, 32}}, .make = matmul_make,
    .native = matmul_native, .check = matmul_check,
};

/* ---- bodies ---- */

static void nbody_make(Work *w)
{
    size_t n = w->size[0];
    work_doubles(w, 4 * n, 9, -1, 1);
    work_array(w, 4 * n * sizeof(double));
    work_run(w, NULL, w->size[0] / 256, 1, 0);
    work_extra(w, 3 * n * sizeof(double));
    w->out = 1;
}

static void nbody_native(const Work *w)
{
    native_nbody_f64(w->array[1].data, w->array[0].data, w->extra, w->size[0]);
}

static double nbody_want(const Work *w, size_t i)
{
    const double *p = w->array[0].data, *me = p + i / 4 * 4;
    double sum = 0;
    for (size_t k = 0; k < w->size[0] && i % 4 < 3; k++) {
        const double *it = p + 4 * k;
        double d[3] = {it[0] - me[0], it[1] - me[1], it[2] - me[2]};
        sum += d[i % 4] / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01);
    }
    return sum;
}

static const char *nbody_check(const Work *w, const void *out)
{
    return check_doubles(w, out, 4 * (size_t)w->size[0], nbody_want);
}

const Bench bench_nbody_f64 = {
    .name = "nbody_f64", .set = "f64", .sizes = {{"n", 4096, 512}}, .make = nbody_make,
    .native = nbody_native, .check = nbody_check,
};

/* ---- softmax ---- */

static void softmax_make(Work *w)
{
    size_t n = (size_t)w->size[0] * w->size[1];
    work_doubles(w, n, 7, -8, 8);
    work_array(w, n * sizeof(double));
    work_run(w, NULL, w->size[1] / 64, 1, 0);
    w->out = 1;
}

static void softmax_native(const Work *w)
{
    native_softmax_f64(w->array[1].data, w->array[0].data, w->size[0], w->size[1]);
}

static double softmax_want(const Work *w, size_t i)
{
    const double *x = w->array[0].data;
    size_t rows = w->size[1], row = i % rows;
    double sum = 0;
    for (size_t k = 0; k < w->size[0]; k++)
        sum += exp(x[k * rows + row] - x[i]);
    return 1 / sum;
}

static const char *softmax_check(const Work *w, const void *out)
{
    return check_doubles(w, out, (size_t)w->size[0] * w->size[1], softmax_want);
}

const Bench bench_softmax_f64 = {
    .name = "softmax_f64", .set = "f64", .sizes = {{"cols", 64, 64}, {NULL, 4096, 128}},
    .make = softmax_make, .native = softmax_native, .check = softmax_check,
};
