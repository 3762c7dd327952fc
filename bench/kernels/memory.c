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
    work_run(w, NULL, n / 256, 1, 1);
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
