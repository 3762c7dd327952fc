// SPDX-License-Identifier: Apache-2.0
/*
 * vectors_plot.c - pictures of maps and clouds.
 *
 * in     values of units, coordinates of points
 * out    PNG files
 * knows  picture.c
 * not    where the numbers come from
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/vectors.h"

#define CLOUD_SIDE 800u
#define MAP_SIDE   800u                 /* about, of the larger side                      */

/* From dark blue over green to yellow, of even steps in brightness. */
static void colour(uint8_t *rgba, double t)
{
    static const uint8_t stops[][3] = {
        {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37},
    };
    double   at = fmin(fmax(t, 0), 1) * (COUNTOF(stops) - 1);
    uint32_t i = (uint32_t)fmin(at, COUNTOF(stops) - 2);
    for (int k = 0; k < 3; k++)
        rgba[k] = (uint8_t)(stops[i][k] + (stops[i + 1][k] - stops[i][k]) * (at - i) + 0.5);
    rgba[3] = 255;
}

static bool write_picture(Cli *cli, const char *path, Picture *p)
{
    const char *why = NULL;
    bool        ok = picture_write_png(p, &cli->arena, path, &why);
    if (!ok)
        cli_complain(cli, "%s: %s", path, why);
    picture_release(p);
    return ok;
}

static bool new_picture(Cli *cli, Picture *p, uint32_t width, uint32_t height)
{
    *p = (Picture){width, height, calloc((size_t)width * height, 4)};
    if (!p->rgba)
        cli_complain(cli, "no memory for a picture of %u x %u", width, height);
    return p->rgba != NULL;
}

static void find_range(double range[2], const float *values, uint64_t count, uint64_t step)
{
    range[0] = range[1] = count ? values[0] : 0;
    for (uint64_t i = 0; i < count; i++) {
        range[0] = fmin(range[0], values[i * step]);
        range[1] = fmax(range[1], values[i * step]);
    }
    if (!(range[1] > range[0]))
        range[1] = range[0] + 1;
}

/* ---- maps ---- */

/* The unit whose position is nearest to a point. */
static uint32_t unit_at(const weft_vectors_map *map, double x, double y)
{
    const weft_vectors_map_desc *d = weft_vectors_map_get_desc(map);
    double   row_height = d->grid == WEFT_VECTORS_HEXAGONAL ? sqrt(0.75) : 1, best = INFINITY;
    uint32_t found = 0;
    int64_t  row = (int64_t)floor(y / row_height);
    for (int64_t r = row - 1; r <= row + 2; r++)
        for (int64_t c = (int64_t)floor(x) - 1; c <= (int64_t)floor(x) + 2; c++) {
            double at[2];
            if (r < 0 || c < 0 || r >= d->height || c >= d->width)
                continue;
            uint32_t unit = (uint32_t)r * d->width + (uint32_t)c;
            weft_vectors_map_position(at, map, unit);
            double apart = hypot(at[0] - x, at[1] - y);
            if (apart < best) {
                best = apart;
                found = unit;
            }
        }
    return best < 0.75 ? found : UINT32_MAX;
}

bool plot_map(Cli *cli, const char *path, const weft_vectors_map *map, const float *values)
{
    const weft_vectors_map_desc *d = weft_vectors_map_get_desc(map);
    bool     hexagonal = d->grid == WEFT_VECTORS_HEXAGONAL;
    double   range[2], width = d->width + (hexagonal ? 0.5 : 0);
    double   height = hexagonal ? (d->height - 1) * sqrt(0.75) + 1.155 : d->height;
    double   scale = fmax(floor(MAP_SIDE / fmax(width, height)), 2);
    Picture  p;
    if (!new_picture(cli, &p, (uint32_t)ceil(width * scale), (uint32_t)ceil(height * scale)))
        return false;
    find_range(range, values, (uint64_t)d->width * d->height, 1);
    for (uint32_t y = 0; y < p.height; y++)
        for (uint32_t x = 0; x < p.width; x++) {
            uint8_t *rgba = p.rgba + ((size_t)y * p.width + x) * 4;
            uint32_t unit = unit_at(map, (x + 0.5) / scale - 0.5,
                                    (y + 0.5) / scale - (hexagonal ? 0.5775 : 0.5));
            if (unit == UINT32_MAX)
                memset(rgba, 255, 4);
            else
                colour(rgba, (values[unit] - range[0]) / (range[1] - range[0]));
        }
    return write_picture(cli, path, &p);
}

/* ---- clouds ---- */

static void dot(Picture *p, double x, double y, const uint8_t *rgba)
{
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int64_t px = (int64_t)floor(x) + dx, py = (int64_t)floor(y) + dy;
            if ((dx && dy) || px < 0 || py < 0 || px >= p->width || py >= p->height)
                continue;
            memcpy(p->rgba + ((size_t)py * p->width + (size_t)px) * 4, rgba, 4);
        }
}

bool plot_cloud(Cli *cli, const char *path, const float *points, uint64_t count,
                uint32_t components)
{
    double  range[3][2];
    Picture p;
    if (!new_picture(cli, &p, CLOUD_SIDE, CLOUD_SIDE))
        return false;
    memset(p.rgba, 255, (size_t)p.width * p.height * 4);
    for (uint32_t i = 0; i < 3; i++)
        find_range(range[i], points + i % components, count, components);
    double side = fmax(range[0][1] - range[0][0], range[1][1] - range[1][0]) * 1.05;
    double scale = CLOUD_SIDE / side;
    for (uint64_t i = 0; i < count; i++) {
        const float *at = points + i * components;
        uint8_t      rgba[4];
        double       y = components > 1 ? at[1] : 0, z = components > 2 ? at[2] : at[0];
        double       middle = components > 1 ? (range[1][0] + range[1][1]) / 2 : 0;
        const double *depth = range[components > 2 ? 2 : 0];
        colour(rgba, (z - depth[0]) / (depth[1] - depth[0]) * 0.9);
        dot(&p, (at[0] - (range[0][0] + range[0][1]) / 2) * scale + CLOUD_SIDE / 2.0,
            CLOUD_SIDE / 2.0 - (y - middle) * scale, rgba);
    }
    return write_picture(cli, path, &p);
}
