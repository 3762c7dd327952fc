// SPDX-License-Identifier: Apache-2.0
/*
 * mandelbrot.c - a picture of the Mandelbrot set.
 *
 *     mandelbrot [FILE.ppm]
 *
 * in     ../mandelbrot.wgsl
 * out    the picture in FILE, and a small one in characters
 */
#include "common.h"

enum { WIDTH = 960, HEIGHT = 640, GROUP = 8 };

typedef struct View {                   /* as in the kernel */
    float    centre[2];
    float    scale;
    uint32_t limit;
    uint32_t size[2];
} View;

static bool is_inside(uint32_t pixel)
{
    return (pixel & 0xffffff) == 0;
}

/* What lies below the real axis is the image of what lies above. */
static int differences_from_mirror(const uint32_t *pixels)
{
    int count = 0;
    for (int y = 0; y < HEIGHT / 2; y++)
        for (int x = 0; x < WIDTH; x++)
            count += pixels[y * WIDTH + x] != pixels[(HEIGHT - 1 - y) * WIDTH + x];
    return count;
}

static int brightness(uint32_t pixel)   /* 0 ... 765 */
{
    return (int)((pixel & 0xff) + (pixel >> 8 & 0xff) + (pixel >> 16 & 0xff));
}

static void print_small(const uint32_t *pixels)
{
    static const char inks[] = ".:-=+*%";
    for (int y = HEIGHT / 48; y < HEIGHT; y += HEIGHT / 24) {
        for (int x = WIDTH / 144; x < WIDTH; x += WIDTH / 72) {
            uint32_t pixel = pixels[y * WIDTH + x];
            putchar(is_inside(pixel) ? '@' : inks[brightness(pixel) * 7 / 766]);
        }
        putchar('\n');
    }
}

static void save(const char *path, const uint32_t *pixels)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        fatal("cannot write ", text(path));
    fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int shift = 0; shift < 24; shift += 8)
            putc((int)(pixels[i] >> shift & 0xff), file);
    if (fclose(file) != 0)
        fatal("cannot write ", text(path));
    printf("%s: %d x %d pixels\n", path, WIDTH, HEIGHT);
}

int main(int argc, char **argv)
{
    static uint32_t pixels[WIDTH * HEIGHT];
    const View view = {{-0.7f, 0.0f}, 3.6f / WIDTH, 300, {WIDTH, HEIGHT}};

    Gpu gpu = gpu_open();
    char *wgsl = kernel_read("mandelbrot.wgsl");
    WGPUComputePipeline mandelbrot = pipeline_create(&gpu, wgsl, "mandelbrot");
    WGPUBuffer buffers[] = {
        buffer_create(&gpu, WGPUBufferUsage_Uniform, sizeof view, &view),
        buffer_create(&gpu, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc, sizeof pixels,
                      NULL),
    };
    WGPUBindGroup group = bind_group_create(&gpu, mandelbrot, 2, buffers);

    double start = seconds();
    dispatch(&gpu, mandelbrot, group, (WIDTH + GROUP - 1) / GROUP,
             (HEIGHT + GROUP - 1) / GROUP);
    buffer_read(&gpu, buffers[1], pixels, sizeof pixels);
    double time = seconds() - start;

    print_small(pixels);
    printf("%d x %d pixels in %.1f ms\n", WIDTH, HEIGHT, time * 1e3);
    if (argc > 1)
        save(argv[1], pixels);

    int differences = differences_from_mirror(pixels);
    printf("%d pixels differ from their mirror image\n", differences);
    wgpuBindGroupRelease(group);
    wgpuBufferRelease(buffers[1]);
    wgpuBufferRelease(buffers[0]);
    wgpuComputePipelineRelease(mandelbrot);
    gpu_close(&gpu);
    free(wgsl);
    return verdict(differences == 0 && is_inside(pixels[HEIGHT / 2 * WIDTH + WIDTH / 2])
                   && !is_inside(pixels[0]));
}
