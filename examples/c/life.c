// SPDX-License-Identifier: Apache-2.0
/*
 * life.c - Conway's game of life: two boards that take turns.
 *
 * in     ../life.wgsl; a glider
 * out    the board as it goes; after four generations for each cell of its way
 *        round the torus, the glider is back where it was
 *
 * Two bind groups hold the same buffers the other way round, so that what one
 * dispatch writes the next one reads. All generations are one submit.
 */
#include "common.h"

enum { SIZE = 24, GROUP = 8, AROUND = 4 * SIZE };

static void print_board(const uint32_t *board, int generation)
{
    printf("generation %d\n", generation);
    for (int y = 0; y < SIZE; y += 2) {         /* two cells a character */
        for (int x = 0; x < SIZE; x++)
            putchar(" ',;"[board[y * SIZE + x] + 2 * board[(y + 1) * SIZE + x]]);
        putchar('\n');
    }
}

static void play(const Gpu *gpu, WGPUComputePipeline life, const WGPUBindGroup *turns,
                 int generations)
{
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu->device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
    wgpuComputePassEncoderSetPipeline(pass, life);
    for (int i = 0; i < generations; i++) {
        wgpuComputePassEncoderSetBindGroup(pass, 0, turns[i % 2], 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass, SIZE / GROUP, SIZE / GROUP, 1);
    }
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit(gpu, encoder);
}

int main(void)
{
    static const unsigned char glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    const uint32_t size[2] = {SIZE, SIZE};
    uint32_t board[SIZE * SIZE] = {0}, start[SIZE * SIZE];
    for (int i = 0; i < 5; i++)
        board[glider[i][1] * SIZE + glider[i][0]] = 1;
    memcpy(start, board, sizeof start);

    Gpu gpu = gpu_open();
    char *wgsl = kernel_read("life.wgsl");
    WGPUComputePipeline life = pipeline_create(&gpu, wgsl, "life");
    const WGPUBufferUsage usage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc;
    WGPUBuffer shape = buffer_create(&gpu, WGPUBufferUsage_Uniform, sizeof size, size);
    WGPUBuffer a = buffer_create(&gpu, usage, sizeof board, board);
    WGPUBuffer b = buffer_create(&gpu, usage, sizeof board, NULL);
    const WGPUBuffer there[] = {shape, a, b}, back[] = {shape, b, a};
    const WGPUBindGroup turns[2] = {bind_group_create(&gpu, life, 3, there),
                                    bind_group_create(&gpu, life, 3, back)};

    print_board(board, 0);
    play(&gpu, life, turns, AROUND / 2);        /* an even number: the result is in a */
    buffer_read(&gpu, a, board, sizeof board);
    print_board(board, AROUND / 2);
    bool moved = memcmp(board, start, sizeof board) != 0;
    play(&gpu, life, turns, AROUND / 2);
    buffer_read(&gpu, a, board, sizeof board);
    printf("generation %d is %s the first\n", AROUND,
           memcmp(board, start, sizeof board) == 0 ? "the same as" : "different from");

    wgpuBindGroupRelease(turns[1]);
    wgpuBindGroupRelease(turns[0]);
    wgpuBufferRelease(b);
    wgpuBufferRelease(a);
    wgpuBufferRelease(shape);
    wgpuComputePipelineRelease(life);
    gpu_close(&gpu);
    free(wgsl);
    return verdict(moved && memcmp(board, start, sizeof board) == 0);
}
