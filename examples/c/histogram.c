// SPDX-License-Identifier: Apache-2.0
/*
 * histogram.c - how often each letter occurs, counted with atomics.
 *
 *     histogram [FILE]
 *
 * in     ../histogram.wgsl; the bytes of FILE, or else of the kernel itself
 * out    the letters as bars; whether the counts are those of a plain loop
 */
#include "common.h"

enum { BINS = 256, GROUPS = 8, MOST = 16 << 20 };

/* Reads up to MOST bytes; the rest of the last word is zeros. */
static size_t read_bytes(const char *path, unsigned char *bytes)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, MOST, file) : 0;
    if (size == 0)
        fatal("cannot read ", text(path));
    fclose(file);
    return size;
}

static void print_letters(const uint32_t *counts)
{
    uint32_t most = 1;
    for (int c = 'a'; c <= 'z'; c++)
        most = counts[c] > most ? counts[c] : most;
    for (int c = 'a'; c <= 'z'; c++)
        printf("%c %8u %.*s\n", c, counts[c], (int)(50.0 * counts[c] / most),
               "##################################################");
}

int main(int argc, char **argv)
{
    char *wgsl = kernel_read("histogram.wgsl");
    unsigned char *bytes = (unsigned char *)calloc(1, MOST + 4);
    if (!bytes)
        return EXIT_FAILURE;
    size_t size = argc > 1 ? read_bytes(argv[1], bytes) : strlen(wgsl);
    if (argc == 1)
        memcpy(bytes, wgsl, size);
    size_t padded = (size + 3) / 4 * 4;
    uint32_t counts[BINS], wanted[BINS] = {0};
    for (size_t i = 0; i < padded; i++)
        wanted[bytes[i]]++;

    Gpu gpu = gpu_open();
    WGPUComputePipeline histogram = pipeline_create(&gpu, wgsl, "histogram");
    WGPUBuffer buffers[] = {
        buffer_create(&gpu, WGPUBufferUsage_Storage, padded, bytes),
        buffer_create(&gpu, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc, sizeof counts,
                      NULL),
    };
    WGPUBindGroup group = bind_group_create(&gpu, histogram, 2, buffers);
    dispatch(&gpu, histogram, group, GROUPS, 1);
    buffer_read(&gpu, buffers[1], counts, sizeof counts);

    print_letters(counts);
    printf("%zu bytes\n", size);
    bool right = memcmp(counts, wanted, sizeof counts) == 0;
    wgpuBindGroupRelease(group);
    wgpuBufferRelease(buffers[1]);
    wgpuBufferRelease(buffers[0]);
    wgpuComputePipelineRelease(histogram);
    gpu_close(&gpu);
    free(bytes);
    free(wgsl);
    return verdict(right);
}
