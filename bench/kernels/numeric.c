/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numeric.c - benchmarks that arithmetic limits.
 */
#include "kernels/kernels.h"
#include "native/native.h"

#include <math.h>

/* ---- softmax ---- */

static void softmax_make(Work *w)
{
    uint32_t rows = w->size[1], cols = w->size[0];
    work_floats(w, (size_t)rows * cols, 7, -8, 8);
    work_array(w, (size_t)rows * cols * sizeof(float));
    work_run(w, NULL, rows, 1, 0);
    w->out = 1;
    w->flops = 5.0 * rows * cols;
    w->bytes = 8.0 * rows * cols;
}

static void softmax_native(const Work *w)
{
    native_softmax(w->array[1].data, w->array[0].data, w->size[1], w->size[0]);
}

static double softmax_want(const Work *w, size_t i)
{
    size_t cols = w->size[0];
    const float *x = w->array[0].data, *row = x + i / cols * cols;
    double most = -INFINITY, sum = 0;
    for (size_t k = 0; k < cols; k++)
        most = fmax(most, (double)row[k]);
    for (size_t k = 0; k < cols; k++)
        sum += exp((double)row[k] - most);
    return exp((double)x[i] - most) / sum;
}

static const char *softmax_check(const Work *w, const void *out)
{
    return check_sample(w, out, w->array[1].size / sizeof(float), 40, softmax_want, 1e-5);
}

const Bench bench_softmax = {
    .name = "softmax", .set = "common", .sizes = {{"cols", 1024, 512}, {NULL, 2048, 8}},
    .make = softmax_make, .native = softmax_native, .check = softmax_check,
};

/* ---- the fractal ---- */

static void mandelbrot_make(Work *w)
{
    uint32_t width = w->size[0], height = w->size[1];
    work_array(w, (size_t)width * height * sizeof(uint32_t));
    work_run(w, NULL, width / 8, height / 8, 0);
    w->bytes = 4.0 * width * height;
}

static void mandelbrot_native(const Work *w)
{
    native_mandelbrot(w->array[0].data, w->size[0], w->size[1], w->size[2]);
}

/* It is chaotic at the rim: the inside, the far outside and the mean are checked. */
static const char *mandelbrot_check(const Work *w, const void *out)
{
    const uint32_t *count = out;
    size_t width = w->size[0], height = w->size[1];
    uint32_t inside = count[height / 2 * width + width * 700 / 1024];
    double sum = 0;
    if (inside != w->size[2])
        return wrong("inside point: got %u", inside);
    if (count[0] > 3)
        return wrong("outside point: got %u", count[0]);
    for (size_t i = 0; i < width * height; i++)
        sum += count[i];
    double mean = sum / (double)(width * height);
    return mean > 40 && mean < 90 ? NULL : wrong("the mean is %g", mean);
}

const Bench bench_mandelbrot = {
    .name = "mandelbrot", .set = "common",
    .sizes = {{"width", 1024, 64}, {"height", 512, 32}, {"limit", 256, 256}},
    .make = mandelbrot_make, .native = mandelbrot_native, .check = mandelbrot_check,
};

/* ---- bodies that attract each other ---- */

static void nbody_make(Work *w)
{
    uint32_t n = w->size[0];
    work_floats(w, 4 * (size_t)n, 9, -1, 1);
    work_array(w, 4 * (size_t)n * sizeof(float));
    work_run(w, NULL, n / 256, 1, 0);
    work_extra(w, 3 * (size_t)n * sizeof(float));
    w->out = 1;
    w->flops = 20.0 * n * n;
    w->bytes = 32.0 * n;
}

static void nbody_native(const Work *w)
{
    native_nbody(w->array[1].data, w->array[0].data, w->extra, w->size[0]);
}

static double nbody_want(const Work *w, size_t i)
{
    const float *p = w->array[0].data, *me = p + i / 4 * 4;
    size_t axis = i % 4;
    double sum = 0;
    for (size_t k = 0; k < w->size[0] && axis < 3; k++) {
        const float *it = p + 4 * k;
        double d[3] = {(double)it[0] - (double)me[0], (double)it[1] - (double)me[1],
                       (double)it[2] - (double)me[2]};
        double r = 1 / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01);
        sum += d[axis] * r * r * r;
    }
    return sum;
}

static const char *nbody_check(const Work *w, const void *out)
{
    return check_sample(w, out, 4 * (size_t)w->size[0], 40, nbody_want, 2e-3);
}

const Bench bench_nbody = {
    .name = "nbody", .set = "common", .sizes = {{"n", 8192, 512}},
    .make = nbody_make, .native = nbody_native, .check = nbody_check,
};

/* ---- prices of options ---- */

static void options_make(Work *w)
{
    uint32_t n = w->size[0], seed = 41;
    float *o = work_array(w, 4 * (size_t)n * sizeof *o);
    for (uint32_t i = 0; i < n; i++, o += 4) {
        o[0] = (float)(10 + 90 * random_next(&seed));
        o[1] = (float)(10 + 90 * random_next(&seed));
        o[2] = (float)(0.2 + 5 * random_next(&seed));
        o[3] = (float)(0.1 + 0.5 * random_next(&seed));
    }
    work_array(w, 2 * (size_t)n * sizeof(float));
    work_run(w, NULL, (n + 63) / 64, 1, 0);
    w->out = 1;
    w->bytes = 24.0 * n;
}

static void options_native(const Work *w)
{
    native_options(w->array[1].data, w->array[0].data, w->size[0]);
}

static double normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static double options_want(const Work *w, size_t i)
{
    const float *o = (const float *)w->array[0].data + i / 2 * 4;
    double price = (double)o[0], strike = (double)o[1], years = (double)o[2];
    double volatility = (double)o[3], rate = 0.02, spread = volatility * sqrt(years);
    double d = (log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
    double later = strike * exp(-rate * years);
    double call = price * normal(d) - later * normal(d - spread);
    return i % 2 ? call + later - price : call;
}

static const char *options_check(const Work *w, const void *out)
{
    return check_sample(w, out, 2 * (size_t)w->size[0], 2001, options_want, 1e-4);
}

const Bench bench_options = {
    .name = "options", .set = "more", .sizes = {{NULL, 1 << 20, 1000}},
    .make = options_make, .native = options_native, .check = options_check,
};

/* ---- norms ---- */

static void norm_make(Work *w)
{
    uint32_t cols = w->size[0], rows = w->size[1];
    work_floats(w, (size_t)rows * cols, 65, -1, 2);
    work_floats(w, cols, 66, 0.5, 1.5);
    work_floats(w, cols, 67, -1, 1);
    work_array(w, (size_t)rows * cols * sizeof(float));
    work_run(w, NULL, rows, 1, 0);
    w->out = 3;
    w->bytes = 8.0 * rows * cols;
}

static void norm_native(const Work *w)
{
    native_norm(w->array[3].data, w->array[0].data, w->array[1].data, w->array[2].data,
                w->size[1], w->size[0]);
}

static double norm_want(const Work *w, size_t i)
{
    size_t cols = w->size[0];
    const float *x = w->array[0].data, *row = x + i / cols * cols;
    const float *scale = w->array[1].data, *shift = w->array[2].data;
    double sum = 0, square = 0;
    for (size_t k = 0; k < cols; k++) {
        sum += (double)row[k];
        square += (double)row[k] * (double)row[k];
    }
    double mean = sum / (double)cols, variance = square / (double)cols - mean * mean;
    return ((double)x[i] - mean) / sqrt(variance + 1e-5) * (double)scale[i % cols]
         + (double)shift[i % cols];
}

static const char *norm_check(const Work *w, const void *out)
{
    return check_sample(w, out, w->array[3].size / sizeof(float), 40, norm_want, 1e-4);
}

const Bench bench_norm = {
    .name = "norm", .set = "more", .sizes = {{"cols", 768, 300}, {NULL, 1024, 5}},
    .make = norm_make, .native = norm_native, .check = norm_check,
};
