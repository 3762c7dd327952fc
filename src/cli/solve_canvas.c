// SPDX-License-Identifier: Apache-2.0
/*
 * solve_canvas.c - drawing into a picture: lines, dots, small text, a frame with numbers.
 *
 * in     coordinates of a chart
 * out    pixels
 * knows  picture.c
 * not    what is drawn
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/solve.h"

/* ---- the picture ---- */

bool canvas_make(Canvas *c, Cli *cli, uint32_t width, uint32_t height)
{
    *c = (Canvas){.picture = {width, height, malloc((size_t)width * height * 4)}};
    if (!c->picture.rgba) {
        cli_complain(cli, "no memory for a picture of %u x %u", width, height);
        return false;
    }
    memset(c->picture.rgba, 255, (size_t)width * height * 4);
    return true;
}

bool canvas_write(Canvas *c, Cli *cli, const char *path)
{
    const char *why = NULL;
    bool ok = picture_write_png(&c->picture, &cli->arena, path, &why);
    if (!ok)
        cli_complain(cli, "%s: %s", path, why);
    picture_release(&c->picture);
    return ok;
}

static void blend(Canvas *c, int x, int y, Colour colour, double strength)
{
    if (x < 0 || y < 0 || x >= (int)c->picture.width || y >= (int)c->picture.height)
        return;
    uint8_t *p = c->picture.rgba + ((size_t)y * c->picture.width + (size_t)x) * 4;
    const uint8_t to[3] = {colour.r, colour.g, colour.b};
    strength = fmin(fmax(strength, 0), 1);
    for (int i = 0; i < 3; i++)
        p[i] = (uint8_t)(p[i] + (to[i] - p[i]) * strength + 0.5);
}

/* ---- lines and dots, smooth at their edges ---- */

static double to_x(const Canvas *c, double x)
{
    return c->x + (x - c->left) / (c->right - c->left) * c->width;
}

static double to_y(const Canvas *c, double y)
{
    return c->y + (c->high - y) / (c->high - c->low) * c->height;
}

static void pixel_line(Canvas *c, double x0, double y0, double x1, double y1, double width,
                       Colour colour, double strength)
{
    double dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy, reach = width / 2 + 1;
    int left = (int)floor(fmin(x0, x1) - reach), right = (int)ceil(fmax(x0, x1) + reach);
    int top = (int)floor(fmin(y0, y1) - reach), bottom = (int)ceil(fmax(y0, y1) + reach);
    left = left < 0 ? 0 : left;
    top = top < 0 ? 0 : top;
    right = right >= (int)c->picture.width ? (int)c->picture.width - 1 : right;
    bottom = bottom >= (int)c->picture.height ? (int)c->picture.height - 1 : bottom;
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            double px = x + 0.5 - x0, py = y + 0.5 - y0;
            double t = length > 0 ? fmin(fmax((px * dx + py * dy) / length, 0), 1) : 0;
            double far = hypot(px - t * dx, py - t * dy);
            if (far < reach)
                blend(c, x, y, colour, strength * (width / 2 + 0.5 - far));
        }
}

/* Only what is inside the frame: lines are cut (Liang-Barsky). */
void canvas_line(Canvas *c, double x0, double y0, double x1, double y1, double width,
                 Colour colour, double strength)
{
    double a = to_x(c, x0), b = to_y(c, y0), dx = to_x(c, x1) - a, dy = to_y(c, y1) - b;
    double t0 = 0, t1 = 1;
    const double p[4] = {-dx, dx, -dy, dy};
    const double q[4] = {a - c->x, c->x + c->width - a, b - c->y, c->y + c->height - b};
    if (!isfinite(a + b + dx + dy))
        return;
    for (int i = 0; i < 4; i++) {
        if (p[i] == 0 && q[i] < 0)
            return;
        if (p[i] < 0)
            t0 = fmax(t0, q[i] / p[i]);
        else if (p[i] > 0)
            t1 = fmin(t1, q[i] / p[i]);
    }
    if (t0 <= t1)
        pixel_line(c, a + t0 * dx, b + t0 * dy, a + t1 * dx, b + t1 * dy, width, colour, strength);
}

void canvas_dot(Canvas *c, double x, double y, double radius, Colour colour, double strength)
{
    double px = to_x(c, x), py = to_y(c, y);
    if (px < c->x || px > c->x + c->width || py < c->y || py > c->y + c->height ||
        !isfinite(px + py))
        return;
    pixel_line(c, px, py, px, py, 2 * radius, colour, strength);
}

/* ---- text ---- */

/* Characters from ' ' to '~' of 5 x 8 pixels: columns from the left, the lowest bit on top. */
static const uint8_t font[][5] = {
    {0, 0, 0, 0, 0}, {0, 0, 95, 0, 0}, {0, 7, 0, 7, 0}, {20, 127, 20, 127, 20},
    {36, 42, 127, 42, 18}, {35, 19, 8, 100, 98}, {54, 73, 85, 34, 80}, {0, 5, 3, 0, 0},
    {0, 28, 34, 65, 0}, {0, 65, 34, 28, 0}, {20, 8, 62, 8, 20}, {8, 8, 62, 8, 8},
    {0, 80, 48, 0, 0}, {8, 8, 8, 8, 8}, {0, 96, 96, 0, 0}, {32, 16, 8, 4, 2},
    {62, 81, 73, 69, 62}, {0, 66, 127, 64, 0}, {66, 97, 81, 73, 70}, {33, 65, 69, 75, 49},
    {24, 20, 18, 127, 16}, {39, 69, 69, 69, 57}, {60, 74, 73, 73, 48}, {1, 113, 9, 5, 3},
    {54, 73, 73, 73, 54}, {6, 73, 73, 41, 30}, {0, 54, 54, 0, 0}, {0, 86, 54, 0, 0},
    {8, 20, 34, 65, 0}, {20, 20, 20, 20, 20}, {0, 65, 34, 20, 8}, {2, 1, 81, 9, 6},
    {50, 73, 121, 65, 62}, {126, 17, 17, 17, 126}, {127, 73, 73, 73, 54}, {62, 65, 65, 65, 34},
    {127, 65, 65, 34, 28}, {127, 73, 73, 73, 65}, {127, 9, 9, 9, 1}, {62, 65, 73, 73, 122},
    {127, 8, 8, 8, 127}, {0, 65, 127, 65, 0}, {32, 64, 65, 63, 1}, {127, 8, 20, 34, 65},
    {127, 64, 64, 64, 64}, {127, 2, 12, 2, 127}, {127, 4, 8, 16, 127}, {62, 65, 65, 65, 62},
    {127, 9, 9, 9, 6}, {62, 65, 81, 33, 94}, {127, 9, 25, 41, 70}, {70, 73, 73, 73, 49},
    {1, 1, 127, 1, 1}, {63, 64, 64, 64, 63}, {31, 32, 64, 32, 31}, {63, 64, 56, 64, 63},
    {99, 20, 8, 20, 99}, {7, 8, 112, 8, 7}, {97, 81, 73, 69, 67}, {0, 127, 65, 65, 0},
    {2, 4, 8, 16, 32}, {0, 65, 65, 127, 0}, {4, 2, 1, 2, 4}, {64, 64, 64, 64, 64},
    {0, 1, 2, 4, 0}, {32, 84, 84, 84, 120}, {127, 72, 68, 68, 56}, {56, 68, 68, 68, 32},
    {56, 68, 68, 72, 127}, {56, 84, 84, 84, 24}, {8, 126, 9, 1, 2}, {24, 164, 164, 164, 124},
    {127, 8, 4, 4, 120}, {0, 68, 125, 64, 0}, {32, 64, 68, 61, 0}, {127, 16, 40, 68, 0},
    {0, 65, 127, 64, 0}, {124, 4, 24, 4, 120}, {124, 8, 4, 4, 120}, {56, 68, 68, 68, 56},
    {252, 36, 36, 36, 24}, {24, 36, 36, 36, 252}, {124, 8, 4, 4, 8}, {72, 84, 84, 84, 32},
    {4, 63, 68, 64, 32}, {60, 64, 64, 32, 124}, {28, 32, 64, 32, 28}, {60, 64, 48, 64, 60},
    {68, 40, 16, 40, 68}, {28, 160, 160, 160, 124}, {68, 100, 84, 76, 68}, {0, 8, 54, 65, 0},
    {0, 0, 127, 0, 0}, {0, 65, 54, 8, 0}, {8, 4, 8, 16, 8},
};

#define GLYPH 6                         /* pixels from one character to the next          */
#define SCALE 2

void canvas_text(Canvas *c, double x, double y, double align, const char *text, Colour colour)
{
    size_t length = strlen(text);
    int left = (int)(x - align * (double)(length * GLYPH * SCALE)), top = (int)y;
    for (size_t i = 0; i < length; i++) {
        unsigned char glyph = (unsigned char)text[i];
        glyph = glyph < 32 || glyph > 126 ? '?' : glyph;
        for (int column = 0; column < 5; column++)
            for (int row = 0; row < 8; row++)
                for (int k = 0; font[glyph - 32][column] >> row & 1 && k < SCALE * SCALE; k++)
                    blend(c, left + ((int)i * GLYPH + column) * SCALE + k % SCALE,
                          top + row * SCALE + k / SCALE, colour, 1);
    }
}

/* ---- the frame ---- */

static const Colour grey = {120, 120, 120}, pale = {225, 225, 225}, dark = {40, 40, 40};

/* 1, 2 or 5 times a power of ten, so that about `count` steps cover the span. */
static double round_step(double span, double count)
{
    double step = pow(10, floor(log10(span / count))), over = span / count / step;
    return step * (over < 1.5 ? 1 : over < 3.5 ? 2 : over < 7.5 ? 5 : 10);
}

static void widen(double *low, double *high)
{
    if (!(*high > *low)) {
        double half = fmax(fabs(*low), 1) / 2;
        *low -= half;
        *high += half;
    }
    double margin = 0.05 * (*high - *low);
    *low -= margin;
    *high += margin;
}

/* Both axes get the larger scale. */
static void make_equal(Canvas *c)
{
    double across = (c->right - c->left) / c->width, up = (c->high - c->low) / c->height;
    double scale = fmax(across, up);
    double x = (c->left + c->right) / 2, y = (c->low + c->high) / 2;
    c->left = x - scale * c->width / 2;
    c->right = x + scale * c->width / 2;
    c->low = y - scale * c->height / 2;
    c->high = y + scale * c->height / 2;
}

static const char *number_text(char *text, size_t size, double value, double step)
{
    snprintf(text, size, "%.5g", fabs(value) < step / 1000 ? 0 : value);
    return text;
}

void canvas_frame(Canvas *c, double x, double y, double width, double height, bool equal,
                  const char *title)
{
    char text[32];
    c->x = x;
    c->y = y;
    c->width = width;
    c->height = height;
    widen(&c->left, &c->right);
    widen(&c->low, &c->high);
    if (equal)
        make_equal(c);
    double step = round_step(c->right - c->left, width / 130);
    for (double at = ceil(c->left / step) * step; at <= c->right; at += step) {
        canvas_line(c, at, c->low, at, c->high, 1, pale, 1);
        canvas_text(c, to_x(c, at), y + height + 8, 0.5, number_text(text, sizeof text, at, step),
                    grey);
    }
    step = round_step(c->high - c->low, height / 70);
    for (double at = ceil(c->low / step) * step; at <= c->high; at += step) {
        canvas_line(c, c->left, at, c->right, at, 1, pale, 1);
        canvas_text(c, x - 8, to_y(c, at) - 7, 1, number_text(text, sizeof text, at, step), grey);
    }
    pixel_line(c, x, y, x, y + height, 1.5, grey, 1);
    pixel_line(c, x, y + height, x + width, y + height, 1.5, grey, 1);
    canvas_text(c, x + width / 2, y - 24, 0.5, title, dark);
}
