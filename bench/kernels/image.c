/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.c - benchmarks on images and grids.
 */
#include "kernels/kernels.h"
#include "native/native.h"

/* sizes[0] and [1] of all */
#define WIDTH  w->size[0]
#define HEIGHT w->size[1]
#define SIZES  {{"width", 2048, 64}, {"height", 1024, 32}}

static size_t pixels(const Work *w)
{
    return (size_t)WIDTH * HEIGHT;
}

/* ---- 3x3 ---- */

static void conv3x3_make(Work *w)
{
    work_floats(w, pixels(w), 61, 0, 1);
    work_floats(w, 9, 62, -1, 1);
    work_array(w, pixels(w) * sizeof(float));
    work_run(w, NULL, WIDTH / 32, HEIGHT / 8, 0);
    w->out = 2;
    w->flops = 18.0 * (double)pixels(w);
    w->bytes = 8.0 * (double)pixels(w);
}

static void conv3x3_native(const Work *w)
{
    native_conv3x3(w->array[2].data, w->array[0].data, w->array[1].data, WIDTH, HEIGHT);
}

static double conv3x3_want(const Work *w, size_t i)
{
    const float *image = w->array[0].data, *weight = w->array[1].data;
    long width = WIDTH, height = HEIGHT, x = (long)i % width, y = (long)i / width;
    double sum = 0;
    for (long dy = -1; dy <= 1; dy++)
        for (long dx = -1; dx <= 1; dx++)
            if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
                sum += (double)weight[3 * dy + dx + 4]
                     * (double)image[(y + dy) * width + x + dx];
    return sum;
}

static const char *conv3x3_check(const Work *w, const void *out)
{
    return check_sample(w, out, pixels(w), pixels(w), conv3x3_want, 1e-5);
}

const Bench bench_conv3x3 = {
    .name = "conv3x3", .set = "more", .sizes = SIZES,
    .make = conv3x3_make, .native = conv3x3_native, .check = conv3x3_check,
};

/* ---- separable ---- */

#define RIM 8                       /* pixels, both sides together                */

static void convsep_make(Work *w)
{
    work_floats(w, (size_t)(WIDTH + RIM) * (HEIGHT + RIM), 63, 0, 1);
    work_array(w, (size_t)WIDTH * (HEIGHT + RIM) * sizeof(float));
    work_array(w, pixels(w) * sizeof(float));
    work_run(w, "rows", WIDTH / 64, (HEIGHT + RIM) / 4, 1 << 0 | 1 << 1);
    work_run(w, "columns", WIDTH / 64, HEIGHT / 4, 1 << 1 | 1 << 2);
    w->out = 2;
    w->flops = 36.0 * (double)pixels(w);
    w->bytes = 16.0 * (double)pixels(w);
}

static void convsep_native(const Work *w)
{
    native_convsep(w->array[2].data, w->array[1].data, w->array[0].data, WIDTH, HEIGHT);
}

static double convsep_want(const Work *w, size_t i)
{
    static const double taps[9] = {0.02, 0.06, 0.12, 0.18, 0.24, 0.18, 0.12, 0.06, 0.02};
    const float *image = w->array[0].data;
    size_t x = i % WIDTH, y = i / WIDTH;
    double sum = 0;
    for (size_t dy = 0; dy <= RIM; dy++)
        for (size_t dx = 0; dx <= RIM; dx++)
            sum += taps[dy] * taps[dx] * (double)image[(y + dy) * (WIDTH + RIM) + x + dx];
    return sum;
}

static const char *convsep_check(const Work *w, const void *out)
{
    return check_sample(w, out, pixels(w), 10007, convsep_want, 1e-5);
}

const Bench bench_convsep = {
    .name = "convsep", .set = "more", .sizes = SIZES,
    .make = convsep_make, .native = convsep_native, .check = convsep_check,
};

/* ---- blur ---- */

static void blur_make(Work *w)
{
    uint32_t seed = 64;
    uint32_t *image = work_array(w, 4 * pixels(w));
    for (size_t i = 0; i < pixels(w); i++)
        image[i] = (uint32_t)(4294967296.0 * random_next(&seed));
    work_array(w, 4 * pixels(w));
    work_array(w, 4 * pixels(w));
    work_run(w, "across", WIDTH / 16, HEIGHT / 16, 1 << 0 | 1 << 1);
    work_run(w, "down", WIDTH / 16, HEIGHT / 16, 1 << 1 | 1 << 2);
    w->out = 2;
    w->bytes = 16.0 * (double)pixels(w);
}

static void blur_native(const Work *w)
{
    native_blur(w->array[2].data, w->array[1].data, w->array[0].data, WIDTH, HEIGHT);
}

static long inside(long x, long n)
{
    return x < 0 ? 0 : x < n ? x : n - 1;
}

/* One channel, in 256ths and without rounding between the passes. */
static long blur_want(const Work *w, long x, long y, int channel)
{
    static const long taps[5] = {1, 4, 6, 4, 1};
    const uint8_t *image = w->array[0].data;
    long sum = 0;
    for (long dy = 0; dy < 5; dy++)
        for (long dx = 0; dx < 5; dx++) {
            long at = inside(y + dy - 2, HEIGHT) * (long)WIDTH + inside(x + dx - 2, WIDTH);
            sum += taps[dy] * taps[dx] * image[4 * at + channel];
        }
    return sum;
}

/* Both passes round, each by half a step at most. */
static const char *blur_check(const Work *w, const void *out)
{
    const uint8_t *got = out;
    for (size_t i = 0; i < pixels(w); i += i % WIDTH < 3 ? 1 : 5)
        for (int c = 0; c < 4; c++) {
            long want = blur_want(w, (long)(i % WIDTH), (long)(i / WIDTH), c);
            long off = 256 * (long)got[4 * i + (size_t)c] - want;
            if (off < -260 || off > 260)
                return wrong("pixel %zu, channel %d: got %d, want %.3f", i, c,
                             got[4 * i + (size_t)c], (double)want / 256);
        }
    return NULL;
}

const Bench bench_blur = {
    .name = "blur", .set = "more", .sizes = SIZES,
    .make = blur_make, .native = blur_native, .check = blur_check,
};

/* ---- life ---- */

static void life_make(Work *w)
{
    uint32_t seed = 65;
    uint32_t *cell = work_array(w, pixels(w) * sizeof *cell);
    work_array(w, pixels(w) * sizeof *cell);
    for (size_t i = 0; i < pixels(w); i++)
        cell[i] = random_next(&seed) < 0.35;
    work_run(w, NULL, WIDTH / 16, HEIGHT / 16, 0);
    w->out = 1;
    w->bytes = 8.0 * (double)pixels(w);
}

static void life_native(const Work *w)
{
    native_life(w->array[1].data, w->array[0].data, WIDTH, HEIGHT);
}

static const char *life_check(const Work *w, const void *out)
{
    const uint32_t *now = w->array[0].data, *next = out;
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++) {
            uint32_t around = 0, alive = now[y * WIDTH + x];
            for (size_t k = 0; k < 9; k++)
                around += now[(y + HEIGHT + k / 3 - 1) % HEIGHT * WIDTH
                              + (x + WIDTH + k % 3 - 1) % WIDTH];
            uint32_t want = around - alive == 3 || (alive && around - alive == 2);
            if (next[y * WIDTH + x] != want)
                return wrong("cell %zu, %zu: got %u, want %u", x, y, next[y * WIDTH + x], want);
        }
    return NULL;
}

const Bench bench_life = {
    .name = "life", .set = "more", .sizes = SIZES,
    .make = life_make, .native = life_native, .check = life_check,
};
