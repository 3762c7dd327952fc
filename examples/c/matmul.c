// SPDX-License-Identifier: Apache-2.0
/*
 * matmul.c - the product of two matrices, and how fast it goes.
 *
 * in     ../matmul.wgsl: tiles in workgroup memory, any size of matrix
 * out    the largest error in a sample of the elements; operations per second
 */
#include <math.h>

#include "common.h"

/* Not multiples of the tile, so that the edges are tried too. */
enum { M = 500, N = 700, K = 300, TILE = 16, TIMES = 5, SAMPLE = 1000 };

static float noise(uint32_t *state)             /* -1 ... 1 */
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 23) - 1.0f;
}

/* The largest difference to the same sums in double precision. */
static double largest_error(const float *a, const float *b, const float *c)
{
    double largest = 0;
    for (uint32_t s = 0; s < SAMPLE; s++) {
        uint32_t row = s * 7919u % M, column = s * 104729u % N;
        double   sum = 0;
        for (uint32_t i = 0; i < K; i++)
            sum += (double)a[row * K + i] * b[i * N + column];
        largest = fmax(largest, fabs(sum - c[row * N + column]));
    }
    return largest;
}

int main(void)
{
    static float a[M * K], b[K * N], c[M * N];
    const uint32_t shape[3] = {M, N, K};
    uint32_t state = 1;
    for (int i = 0; i < M * K; i++)
        a[i] = noise(&state);
    for (int i = 0; i < K * N; i++)
        b[i] = noise(&state);

    Gpu gpu = gpu_open();
    char *wgsl = kernel_read("matmul.wgsl");
    WGPUComputePipeline matmul = pipeline_create(&gpu, wgsl, "matmul");
    WGPUBuffer buffers[] = {
        buffer_create(&gpu, WGPUBufferUsage_Uniform, sizeof shape, shape),
        buffer_create(&gpu, WGPUBufferUsage_Storage, sizeof a, a),
        buffer_create(&gpu, WGPUBufferUsage_Storage, sizeof b, b),
        buffer_create(&gpu, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc, sizeof c, NULL),
    };
    WGPUBindGroup group = bind_group_create(&gpu, matmul, 4, buffers);

    double best = 1e9, total = 0;
    for (int i = 0; i < TIMES && total < 1; i++, total += best) {
        double start = seconds();
        dispatch(&gpu, matmul, group, (N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
        buffer_read(&gpu, buffers[3], c, sizeof c);
        best = fmin(best, seconds() - start);
    }
    double error = largest_error(a, b, c);
    printf("[%d x %d] [%d x %d]: largest error %.1e\n", M, K, K, N, error);
    printf("%.2f ms with reading back, %.1f GFLOP/s\n", best * 1e3,
           2.0 * M * N * K / best * 1e-9);

    wgpuBindGroupRelease(group);
    for (int i = 0; i < 4; i++)
        wgpuBufferRelease(buffers[i]);
    wgpuComputePipelineRelease(matmul);
    gpu_close(&gpu);
    free(wgsl);
    return verdict(error < 1e-4);
}
