// SPDX-License-Identifier: Apache-2.0
/*
 * picture.c - draws triangles and dots, writes PNG files.
 *
 * in     positions, triangles, a view
 * out    a picture
 */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Picture picture_make(uint32_t width, uint32_t height)
{
    Picture p = {width, height, NULL, NULL};
    size_t pixels = (size_t)width * height;
    p.rgb = (uint8_t *)malloc(3 * pixels);
    p.depth = (float *)malloc(pixels * sizeof(float));
    if (!p.rgb || !p.depth)
        abort();
    memset(p.rgb, 255, 3 * pixels);
    for (size_t i = 0; i < pixels; i++)
        p.depth[i] = -INFINITY;
    return p;
}

void picture_free(Picture *p)
{
    free(p->rgb);
    free(p->depth);
}

/* ---- PNG ---- */

static uint32_t crc_of(uint32_t crc, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
    }
    return crc;
}

static void put_be32(uint8_t out[4], uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void write_chunk(FILE *file, const char *type, const uint8_t *data, uint32_t size)
{
    uint8_t number[4];
    put_be32(number, size);
    fwrite(number, 1, 4, file);
    fwrite(type, 1, 4, file);
    if (size > 0)
        fwrite(data, 1, size, file);
    uint32_t crc = crc_of(crc_of(0xffffffffu, (const uint8_t *)type, 4), data, size);
    put_be32(number, ~crc);
    fwrite(number, 1, 4, file);
}

/* The rows as one zlib stream of stored blocks. */
static uint8_t *pack(const Picture *p, uint32_t *size)
{
    uint32_t row = 3 * p->width + 1, raw = row * p->height, blocks = (raw + 65534) / 65535;
    uint8_t *out = (uint8_t *)malloc(raw + 5 * blocks + 6), *at = out;
    uint32_t a = 1, b = 0, left = raw;
    if (!out)
        abort();
    *at++ = 0x78;
    *at++ = 1;
    for (uint32_t i = 0, room = 0; i < raw; i++, room--) {
        if (room == 0) {
            room = left < 65535 ? left : 65535;
            left -= room;
            const uint8_t head[5] = {left == 0, (uint8_t)room, (uint8_t)(room >> 8),
                                     (uint8_t)~room, (uint8_t)(~room >> 8)};
            memcpy(at, head, 5);
            at += 5;
        }
        uint8_t byte = i % row == 0 ? 0 : p->rgb[(size_t)(i / row) * (row - 1) + i % row - 1];
        *at++ = byte;
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    put_be32(at, b << 16 | a);
    *size = (uint32_t)(at + 4 - out);
    return out;
}

bool picture_write(const Picture *p, const char *path)
{
    static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
    uint8_t head[13] = {0};
    uint32_t size;
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    put_be32(head, p->width);
    put_be32(head + 4, p->height);
    head[8] = 8;                    /* bits */
    head[9] = 2;                    /* red, green, blue */
    uint8_t *data = pack(p, &size);
    fwrite(magic, 1, 8, file);
    write_chunk(file, "IHDR", head, 13);
    write_chunk(file, "IDAT", data, size);
    write_chunk(file, "IEND", NULL, 0);
    free(data);
    return fclose(file) == 0;
}

/* ---- drawing ---- */

void view_fit(View *v, const double *position, uint32_t vertices)
{
    v->reach = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < vertices; i++) {
            low = fmin(low, position[3 * i + k]);
            high = fmax(high, position[3 * i + k]);
        }
        v->centre[k] = (low + high) / 2;
        v->reach = fmax(v->reach, 0.6 * (high - low));
    }
}

static void turn(double out[3], const View *v, const double p[3])
{
    double x = p[0] - v->centre[0], y = p[1] - v->centre[1], z = p[2] - v->centre[2];
    double c = cos(v->turn), s = sin(v->turn), rx = c * x + s * z, rz = c * z - s * x;
    double a = cos(v->tilt), b = sin(v->tilt);
    out[0] = v->x + v->size / 2.0 * (1 + rx / v->reach);
    out[1] = v->y + v->size / 2.0 * (1 - (a * y - b * rz) / v->reach);
    out[2] = (b * y + a * rz) / v->reach * v->size / 2.0;
}

static void normal_of(double out[3], const double *a, const double *b, const double *c)
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
}

/* Shades for how much a surface faces the light; its back is darker. */
static double shade_of(const double n[3])
{
    static const double light[3] = {0.4, -0.55, 0.73};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), dot = 0;
    for (int k = 0; k < 3; k++)
        dot += light[k] * n[k] / (length > 0 ? length : 1);
    return 0.25 + 0.75 * fmax(dot, 0);
}

static void fill(Picture *p, const View *view, const double *const corner[3], const double shade[3])
{
    const double *a = corner[0], *b = corner[1], *c = corner[2];
    double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    int left = (int)fmax(fmin(fmin(a[0], b[0]), c[0]), view->x);
    int right = (int)fmin(fmax(fmax(a[0], b[0]), c[0]) + 1, view->x + view->size);
    int top = (int)fmax(fmin(fmin(a[1], b[1]), c[1]), view->y);
    int bottom = (int)fmin(fmax(fmax(a[1], b[1]), c[1]) + 1, view->y + view->size);
    for (int y = top; y < bottom && area != 0; y++)
        for (int x = left; x < right; x++) {
            double px = x + 0.5, py = y + 0.5;
            double u = ((b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)) / area;
            double v = ((c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)) / area;
            double w = 1 - u - v, z = u * a[2] + v * b[2] + w * c[2];
            size_t at = (size_t)y * p->width + (size_t)x;
            if (u < 0 || v < 0 || w < 0 || z <= (double)p->depth[at])
                continue;
            double s = u * shade[0] + v * shade[1] + w * shade[2];
            static const double colour[3] = {120, 165, 215};
            p->depth[at] = (float)z;
            for (int k = 0; k < 3; k++)
                p->rgb[3 * at + (size_t)k] = (uint8_t)fmin(255, 30 + s * colour[k]);
        }
}

void picture_mesh(Picture *p, const View *view, const double *position, uint32_t vertices,
                  uint32_t (*face)[3], uint32_t faces)
{
    double *seen = (double *)calloc(3 * (size_t)vertices, sizeof(double));
    double *normal = (double *)calloc(3 * (size_t)vertices, sizeof(double));
    if (!seen || !normal)
        abort();
    for (uint32_t i = 0; i < vertices; i++)
        turn(seen + 3 * i, view, position + 3 * i);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t f = 0; f < faces; f++) {
            const double *corner[3];
            double n[3], shade[3];
            for (int k = 0; k < 3; k++)
                corner[k] = seen + 3 * face[f][k];
            normal_of(n, corner[0], corner[1], corner[2]);
            for (int k = 0; k < 3; k++)     /* y grows downwards: turn them outwards */
                n[k] = -n[k];
            for (int k = 0; pass == 0 && k < 9; k++)
                normal[3 * face[f][k / 3] + k % 3] += n[k % 3];
            for (int k = 0; k < 3; k++)
                shade[k] = shade_of(view->flat ? n : normal + 3 * face[f][k]);
            if (pass == 1)
                fill(p, view, corner, shade);
        }
    free(seen);
    free(normal);
}

void picture_dot(Picture *p, double x, double y, double radius, const uint8_t colour[3])
{
    for (int py = (int)(y - radius); py <= (int)(y + radius); py++)
        for (int px = (int)(x - radius); px <= (int)(x + radius); px++) {
            double far = hypot(px + 0.5 - x, py + 0.5 - y);
            if (far > radius || px < 0 || py < 0 || px >= (int)p->width || py >= (int)p->height)
                continue;
            memcpy(p->rgb + 3 * ((size_t)py * p->width + (size_t)px), colour, 3);
        }
}
