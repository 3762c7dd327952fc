/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integer.c - benchmarks on integers.
 */
#include "kernels/kernels.h"
#include "native/native.h"

/* ---- histogram ---- */

static void histogram_make(Work *w)
{
    size_t n = w->size[0];
    uint32_t seed = 11;
    uint32_t *value = work_array(w, n * sizeof *value);
    uint32_t *want = w->extra = memory_new(256 * sizeof *want);
    work_array(w, 256 * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++) {
        double x = 256 * random_next(&seed);
        value[i] = (uint32_t)(x * random_next(&seed));
        want[value[i]]++;
    }
    work_step(w, STEP_CLEAR)->to = 1;
    work_run(w, NULL, 256, 1, 1);
    w->out = 1;
    w->bytes = 4.0 * (double)n;
}

static void histogram_native(const Work *w)
{
    native_histogram(w->array[1].data, w->array[0].data, w->size[0]);
}

static const char *histogram_check(const Work *w, const void *out)
{
    return check_words(out, w->extra, 256);
}

const Bench bench_histogram = {
    .name = "histogram", .set = "common", .sizes = {{NULL, 1 << 22, 1 << 12}},
    .make = histogram_make, .native = histogram_native, .check = histogram_check,
};
