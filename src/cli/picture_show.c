// SPDX-License-Identifier: Apache-2.0
/*
 * picture_show.c - a picture on a terminal.
 *
 * in     pixels, the size of the terminal
 * out    half blocks: the upper half in the colour of the text, the lower one in
 *        that of its background
 * knows  escape sequences for colours
 * not    whether this is a terminal: the caller asks
 */
#include <stdlib.h>

#include "cli/picture.h"

typedef struct Color {
    uint8_t r, g, b;
} Color;

/* ---- making it smaller ---- */

typedef struct Size {
    uint32_t width, height;
} Size;

/* As large as fits, never larger than it is. A character is one pixel wide and two
 * high, which on most terminals makes pixels square. */
static Size fit(const Picture *p, uint32_t columns, uint32_t rows)
{
    uint64_t width = MAX_OF(1, MIN_OF(p->width, columns));
    uint64_t height = MAX_OF(1, (p->height * width + p->width / 2) / p->width);
    uint64_t most = MAX_OF(2, (uint64_t)rows * 2);
    if (height > most) {
        height = most;
        width = MAX_OF(1, MIN_OF(width, (p->width * height + p->height / 2) / p->height));
    }
    return (Size){(uint32_t)width, (uint32_t)height};
}

/* The mean of the pixels that pixel x, y of the smaller picture stands for, on black. */
static Color mean(const Picture *p, Size size, uint32_t x, uint32_t y)
{
    uint64_t x0 = (uint64_t)x * p->width / size.width;
    uint64_t x1 = MAX_OF(x0 + 1, (uint64_t)(x + 1) * p->width / size.width);
    uint64_t y0 = (uint64_t)y * p->height / size.height;
    uint64_t y1 = MAX_OF(y0 + 1, (uint64_t)(y + 1) * p->height / size.height);
    uint64_t sum[3] = {0}, count = (x1 - x0) * (y1 - y0) * 255;
    for (uint64_t row = y0; row < y1; row++)
        for (uint64_t column = x0; column < x1; column++) {
            const uint8_t *rgba = p->rgba + (row * p->width + column) * 4;
            for (int i = 0; i < 3; i++)
                sum[i] += (uint64_t)rgba[i] * rgba[3];
        }
    return (Color){(uint8_t)(sum[0] / count), (uint8_t)(sum[1] / count),
                   (uint8_t)(sum[2] / count)};
}

/* ---- colours ---- */

/* The nearest of the six levels that the 256 colours have for each channel. */
static uint32_t cube_level(uint8_t value)
{
    static const uint8_t levels[] = {0, 95, 135, 175, 215, 255};
    uint32_t best = 0;
    for (uint32_t i = 1; i < COUNTOF(levels); i++)
        if (abs(levels[i] - value) < abs(levels[best] - value))
            best = i;
    return best;
}

/* A colour as the terminal has it: of 256, or red, green and blue. */
static uint32_t code_of(Color c, bool true_color)
{
    if (true_color)
        return (uint32_t)c.r << 16 | (uint32_t)c.g << 8 | c.b;
    return 16 + 36 * cube_level(c.r) + 6 * cube_level(c.g) + cube_level(c.b);
}

static void paint(Text *out, bool background, uint32_t code, bool true_color)
{
    int which = background ? 48 : 38;
    if (true_color)
        text_printf(out, "\x1b[%d;2;%u;%u;%um", which, code >> 16, code >> 8 & 255, code & 255);
    else
        text_printf(out, "\x1b[%d;5;%um", which, code);
}

void picture_show(Text *out, const Picture *p, uint32_t columns, uint32_t rows,
                  bool true_color)
{
    Size size = fit(p, columns, rows);
    for (uint32_t y = 0; y < size.height; y += 2) {
        uint32_t upper = UINT32_MAX, lower = UINT32_MAX;
        for (uint32_t x = 0; x < size.width; x++) {
            Color    below = y + 1 < size.height ? mean(p, size, x, y + 1) : (Color){0};
            uint32_t u = code_of(mean(p, size, x, y), true_color);
            uint32_t l = code_of(below, true_color);
            if (u != upper)
                paint(out, false, u, true_color);
            if (l != lower)
                paint(out, true, l, true_color);
            text_add(out, STR("\xe2\x96\x80"));
            upper = u;
            lower = l;
        }
        text_add(out, STR("\x1b[0m\n"));
    }
}
