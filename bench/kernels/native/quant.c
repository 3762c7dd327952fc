// SPDX-License-Identifier: Apache-2.0
/*
 * quant.c - products with matrices in 4 bits, in C and by ggml.
 */
#include "native/native.h"

#include <stdlib.h>
#include <string.h>

#include <omp.h>

/* ---- C ---- */

/* Of normal numbers. */
static float scale_of(uint16_t half)
{
    uint32_t bits = (half & 0x8000u) << 16 | ((half & 0x7fffu) + (112u << 10)) << 13;
    float    scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static void unpack(int8_t *to, float *scale, const Q4Block *row, size_t blocks)
{
    for (size_t b = 0; b < blocks; b++) {
        scale[b] = scale_of(row[b].scale);
        for (size_t i = 0; i < 16; i++) {
            to[b * Q4_BLOCK + i] = (int8_t)((row[b].pair[i] & 15) - 8);
            to[b * Q4_BLOCK + 16 + i] = (int8_t)((row[b].pair[i] >> 4) - 8);
        }
    }
}

static float dot(const int8_t *a, const int8_t *x, const float *a_scale, const float *x_scale,
                 size_t blocks)
{
    float sum = 0;
    for (size_t b = 0; b < blocks; b++) {
        int32_t part = 0;
        for (size_t i = 0; i < Q4_BLOCK; i++)
            part += a[b * Q4_BLOCK + i] * x[b * Q4_BLOCK + i];
        sum += (float)part * a_scale[b] * x_scale[b];
    }
    return sum;
}

void native_q4(float *restrict y, const Q4Block *restrict a, const int8_t *restrict x,
               const float *restrict scale, size_t rows, size_t cols, size_t tokens)
{
    size_t blocks = cols / Q4_BLOCK;
#pragma omp parallel
    {
        int8_t *row = malloc(cols);
        float  *row_scale = malloc(blocks * sizeof *row_scale);
        if (!row || !row_scale)
            abort();
#pragma omp for schedule(static)
        for (size_t r = 0; r < rows; r++) {
            unpack(row, row_scale, a + r * blocks, blocks);
            for (size_t t = 0; t < tokens; t++)
                y[t * rows + r] = dot(row, x + t * cols, row_scale, scale + t * blocks, blocks);
        }
        free(row);
        free(row_scale);
    }
}

/* ---- ggml ---- */

#ifdef WEFT_BENCH_GGML

#include <ggml-cpu.h>
#include <ggml.h>

bool native_has_ggml(void)
{
    return true;
}

/* The graph of the last call: it is the same for all turns of a match. */
typedef struct Product {
    struct ggml_context *context;
    struct ggml_tensor  *a, *x, *y;
    struct ggml_cgraph  *graph;
    struct ggml_cplan    plan;
} Product;

static void product_init(Product *p, size_t rows, size_t cols, size_t tokens)
{
    ggml_cpu_init();
    struct ggml_init_params params = {.mem_size = 1 << 20, .no_alloc = true};
    p->context = ggml_init(params);
    p->a = ggml_new_tensor_2d(p->context, GGML_TYPE_Q4_0, (int64_t)cols, (int64_t)rows);
    p->x = ggml_new_tensor_2d(p->context, GGML_TYPE_F32, (int64_t)cols, (int64_t)tokens);
    p->y = ggml_mul_mat(p->context, p->a, p->x);
    p->graph = ggml_new_graph_custom(p->context, 16, false);
    ggml_build_forward_expand(p->graph, p->y);
    p->plan = ggml_graph_plan(p->graph, omp_get_max_threads(), NULL);
    p->plan.work_data = malloc(p->plan.work_size);
    if (!p->plan.work_data)
        abort();
}

static void product_fini(Product *p)
{
    free(p->plan.work_data);
    ggml_free(p->context);
}

void native_ggml_q4(float *y, const Q4Block *a, const float *x, size_t rows, size_t cols,
                    size_t tokens)
{
    static Product p;
    if (!p.context || p.a->data != a) {
        if (p.context)
            product_fini(&p);
        product_init(&p, rows, cols, tokens);
    }
    p.a->data = (void *)a;
    p.x->data = (void *)x;
    p.y->data = y;
    if (ggml_graph_compute(p.graph, &p.plan) != GGML_STATUS_SUCCESS)
        abort();
}

#else

bool native_has_ggml(void)
{
    return false;
}

void native_ggml_q4(float *y, const Q4Block *a, const float *x, size_t rows, size_t cols,
                    size_t tokens)
{
    (void)y, (void)a, (void)x, (void)rows, (void)cols, (void)tokens;
}

#endif
