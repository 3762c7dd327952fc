// SPDX-License-Identifier: Apache-2.0
/*
 * squeezenet.c - the image encoder: SqueezeNet 1.1.
 *
 * in     its weights (npy), pictures
 * out    scores of the 1,000 classes of ImageNet
 * knows  the network: squeeze and expand layers
 * not    names of classes
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "encoders.h"

enum { SIDE = 224, CONVOLUTIONS = 26, FIRES = 8 };

struct SqueezeNet {
    weft_context *ctx;
    weft_tensor  *weights[CONVOLUTIONS], *biases[CONVOLUTIONS];
};

static weft_tensor *load(weft_context *ctx, const char *folder, int index, const char *part)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/weights/squeezenet0_conv%d_%s.npy", folder, index, part);
    weft_store  *store = weft_store_open(ctx, &(weft_store_desc){ .path = path });
    weft_tensor *t = weft_store_get(store, "array");
    weft_store_release(store);
    return t;
}

SqueezeNet *squeezenet_create(weft_context *ctx, const char *folder)
{
    SqueezeNet *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    n->ctx = ctx;
    for (int i = 0; i < CONVOLUTIONS; i++) {
        n->weights[i] = load(ctx, folder, i, "weight");
        n->biases[i] = load(ctx, folder, i, "bias");
    }
    if (!weft_context_error(ctx)->kind)
        return n;
    squeezenet_release(n);
    return NULL;
}

void squeezenet_release(SqueezeNet *n)
{
    if (!n)
        return;
    for (int i = 0; i < CONVOLUTIONS; i++) {
        weft_tensor_release(n->weights[i]);
        weft_tensor_release(n->biases[i]);
    }
    free(n);
}

static weft_tensor *conv(const SqueezeNet *n, int i, weft_tensor *x, uint32_t stride, uint32_t pad)
{
    return weft_tensor_conv2d(x, n->weights[i], n->biases[i], &(weft_conv){
        .stride = { stride, stride }, .pad_before = { pad, pad }, .pad_after = { pad, pad },
        .activation = WEFT_ACTIVATION_RELU });
}

static weft_tensor *halve(weft_tensor *x)
{
    return weft_tensor_max_pool(x, &(weft_pool2d){
        .size = { 3, 3 }, .stride = { 2, 2 }, .ceil = true });
}

/* Each fire module squeezes by a 1x1 convolution, and expands by one of 1x1 and one of 3x3. */
weft_tensor *squeezenet_scores(const SqueezeNet *n, weft_tensor *x)
{
    weft_tensor_scope_begin(n->ctx);
    weft_tensor *y = halve(conv(n, 0, x, 2, 0));
    for (int fire = 0; fire < FIRES; fire++) {
        if (fire == 2 || fire == 4)
            y = halve(y);
        weft_tensor *squeezed = conv(n, 3 * fire + 1, y, 1, 0);
        weft_tensor *parts[] = { conv(n, 3 * fire + 2, squeezed, 1, 0),
                                 conv(n, 3 * fire + 3, squeezed, 1, 1) };
        y = weft_tensor_concat(parts, 2, 1);
    }
    y = weft_tensor_mean(conv(n, 25, y, 1, 0), &(weft_axes){ .count = 2, .axes = { 2, 3 } });
    weft_tensor_scope_end(n->ctx, &y, 1);
    return y;
}

/* ---- pictures ---- */

static float pixel(const Picture *p, int64_t x, int64_t y, int c)
{
    x = x < 0 ? 0 : x >= p->width ? p->width - 1 : x;
    y = y < 0 ? 0 : y >= p->height ? p->height - 1 : y;
    return p->rgb[(y * p->width + x) * 3 + c];
}

static float bilinear(const Picture *p, double x, double y, int c)
{
    const double  x0 = floor(x), y0 = floor(y);
    const float   wx = (float)(x - x0), wy = (float)(y - y0);
    const int64_t i = (int64_t)x0, j = (int64_t)y0;
    const float   above = pixel(p, i, j, c) * (1 - wx) + pixel(p, i + 1, j, c) * wx;
    const float   below = pixel(p, i, j + 1, c) * (1 - wx) + pixel(p, i + 1, j + 1, c) * wx;
    return above * (1 - wy) + below * wy;
}

/* The middle square, scaled to 224 x 224 and normalized, into out[3][224][224]. */
static void crop(float *out, const Picture *p)
{
    static const float mean[] = { 0.485f, 0.456f, 0.406f };
    static const float deviation[] = { 0.229f, 0.224f, 0.225f };
    const double side = p->width < p->height ? p->width : p->height, step = side / SIDE;
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                const double fx = (p->width - side) / 2 + (x + 0.5) * step - 0.5;
                const double fy = (p->height - side) / 2 + (y + 0.5) * step - 0.5;
                *out++ = (bilinear(p, fx, fy, c) / 255 - mean[c]) / deviation[c];
            }
}

weft_tensor *squeezenet_encode(const SqueezeNet *n, const Picture *pictures, uint32_t count)
{
    float       *data = malloc((size_t)count * 3 * SIDE * SIDE * sizeof *data);
    weft_tensor *y = NULL;
    if (!data)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        crop(data + (size_t)i * 3 * SIDE * SIDE, &pictures[i]);
    weft_tensor_scope_begin(n->ctx);
    y = weft_tensor_softmax(squeezenet_scores(n, weft_tensor_create(n->ctx, &(weft_tensor_desc){
        .rank = 4, .shape = { count, 3, SIDE, SIDE }, .data = data })), -1);
    weft_tensor_scope_end(n->ctx, &y, 1);
    free(data);
    return y;
}
