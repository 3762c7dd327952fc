/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quant.c - benchmarks: products with matrices in 4 bits (Q4_0 of GGUF).
 *
 * in     sizes
 * out    the same numbers twice: interleaved for the kernels, and as GGUF files have them
 *        for C and ggml
 * knows  that ggml quantises vectors itself; the largest byte of each block is 127 and its
 *        scale is in f16, so that it finds the bytes that the others are given
 */
#include "kernels/kernels.h"
#include "native/native.h"

#include <math.h>
#include <string.h>

enum { COLS, ROWS, TOKENS };            /* Work.size                              */
enum { OUT = 4 };

#define GROUP 16u                       /* rows that are interleaved              */

/* What C and ggml work on; in Work.extra, one after the other. */
typedef struct Plain {
    float   *x;                         /* [tokens][cols]: scale * byte           */
    float   *scale;                     /* [tokens][cols / 32]                    */
    Q4Block *a;                         /* [rows][cols / 32]                      */
    int8_t  *bytes;                     /* [tokens][cols]                         */
} Plain;

static Plain plain_of(const Work *w)
{
    size_t cols = w->size[COLS], tokens = w->size[TOKENS], blocks = cols / Q4_BLOCK;
    Plain p = {.x = w->extra};
    p.scale = p.x + tokens * cols;
    p.a = (Q4Block *)(p.scale + tokens * blocks);
    p.bytes = (int8_t *)(p.a + w->size[ROWS] * blocks);
    return p;
}

static size_t plain_size(const Work *w)
{
    size_t cols = w->size[COLS], tokens = w->size[TOKENS], blocks = cols / Q4_BLOCK;
    return tokens * (cols * 5 + blocks * 4) + w->size[ROWS] * blocks * sizeof(Q4Block);
}

/* ---- data ---- */

/* A number in f16 from 1/512 to 1/256. */
static uint16_t some_half(uint32_t *seed)
{
    return (uint16_t)((15 - 9) << 10 | (uint32_t)(1024 * random_next(seed)));
}

static float value_of(uint16_t half)
{
    return ldexpf(1024.0f + (half & 1023), (half >> 10) - 25);
}

static void weights(const Work *w, const Plain *p)
{
    size_t blocks = w->size[COLS] / Q4_BLOCK;
    uint8_t  *words = w->array[0].data;
    uint16_t *scales = w->array[1].data;
    uint32_t seed = 71;
    for (size_t r = 0; r < w->size[ROWS]; r++)
        for (size_t b = 0; b < blocks; b++) {
            Q4Block *to = &p->a[r * blocks + b];
            size_t at = r / GROUP * blocks + b;
            to->scale = scales[at * GROUP + r % GROUP] = some_half(&seed);
            for (size_t i = 0; i < sizeof to->pair; i++) {
                to->pair[i] = (uint8_t)(256 * random_next(&seed));
                words[((at * 4 + i / 4) * GROUP + r % GROUP) * 4 + i % 4] = to->pair[i];
            }
        }
}

/* A block of a vector, as bytes and as floats. */
static void vector_block(const Plain *p, size_t at, uint32_t *seed)
{
    p->scale[at] = value_of(some_half(seed));
    for (size_t i = 0; i < Q4_BLOCK; i++) {
        size_t to = at * Q4_BLOCK + i;
        p->bytes[to] = (int8_t)(i == 0 ? 127 : 254 * random_next(seed) - 127);
        p->x[to] = p->scale[at] * p->bytes[to];
    }
}

static void vectors(const Work *w, const Plain *p)
{
    size_t tokens = w->size[TOKENS], blocks = w->size[COLS] / Q4_BLOCK;
    int8_t *x = w->array[2].data;
    float  *xs = w->array[3].data;
    uint32_t seed = 72;
    for (size_t t = 0; t < tokens; t++)
        for (size_t b = 0; b < blocks; b++) {
            size_t from = t * blocks + b, to = b * tokens + t;
            int sum = 0;
            vector_block(p, from, &seed);
            for (size_t i = 0; i < Q4_BLOCK; i++) {
                int8_t v = p->bytes[from * Q4_BLOCK + i];
                x[((b * 8 + i / 4) * tokens + t) * 4 + i % 4] = v;
                sum += v;
            }
            xs[2 * to] = p->scale[from];
            xs[2 * to + 1] = 8 * p->scale[from] * (float)sum;
        }
}

static void arrays(Work *w)
{
    size_t rows = w->size[ROWS], tokens = w->size[TOKENS], blocks = w->size[COLS] / Q4_BLOCK;
    work_array(w, rows * blocks * 16);
    work_array(w, rows * blocks * 2);
    work_array(w, tokens * w->size[COLS]);
    work_array(w, tokens * blocks * 8);
    work_array(w, tokens * rows * sizeof(float));
    work_extra(w, plain_size(w));
    Plain p = plain_of(w);
    weights(w, &p);
    vectors(w, &p);
    w->out = OUT;
    w->flops = 2.0 * (double)(rows * tokens) * w->size[COLS];
    w->bytes = (double)(rows * blocks * sizeof(Q4Block));
}

static void matvec_make(Work *w)
{
    arrays(w);
    work_run(w, NULL, w->size[ROWS] / GROUP, 1, 0);
}

static void prefill_make(Work *w)
{
    arrays(w);
    work_run(w, NULL, w->size[TOKENS] / 8, w->size[ROWS] / GROUP, 0);
}

/* ---- players ---- */

static void native(const Work *w)
{
    Plain p = plain_of(w);
    native_q4(w->array[OUT].data, p.a, p.bytes, p.scale, w->size[ROWS], w->size[COLS],
              w->size[TOKENS]);
}

static void ggml(const Work *w)
{
    Plain p = plain_of(w);
    native_ggml_q4(w->array[OUT].data, p.a, p.x, w->size[ROWS], w->size[COLS], w->size[TOKENS]);
}

static double want(const Work *w, size_t i)
{
    Plain p = plain_of(w);
    size_t cols = w->size[COLS], blocks = cols / Q4_BLOCK;
    const Q4Block *row = p.a + i % w->size[ROWS] * blocks;
    const float *x = p.x + i / w->size[ROWS] * cols;
    double sum = 0;
    for (size_t k = 0; k < cols; k++) {
        const Q4Block *b = &row[k / Q4_BLOCK];
        size_t at = k % Q4_BLOCK;
        int q = at < 16 ? b->pair[at] & 15 : b->pair[at - 16] >> 4;
        sum += (double)value_of(b->scale) * (q - 8) * (double)x[k];
    }
    return sum;
}

static const char *check(const Work *w, const void *out)
{
    return check_sample(w, out, (size_t)w->size[ROWS] * w->size[TOKENS], 300, want, 1e-4);
}

#define QUANT(made) .set = "quant", .make = made, .native = native, .check = check, \
    .rival = {"ggml", ggml}

const Bench bench_q4_matvec = {
    .name = "q4_matvec", .sizes = {{"K", 2048, 64}, {NULL, 5632, 32}, {NULL, 1, 1}},
    QUANT(matvec_make),
};

const Bench bench_q4_prefill = {
    .name = "q4_prefill", .sizes = {{"K", 2048, 64}, {"N", 5632, 32}, {"T", 128, 16}},
    QUANT(prefill_make),
};
