// SPDX-License-Identifier: Apache-2.0
/*
 * solve_plot.c - pictures of solves: points with a curve, positions before and after.
 *
 * in     coordinates
 * out    PNG files
 * knows  solve_canvas.c
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/solve.h"

static const Colour blue = {31, 97, 180}, orange = {224, 116, 16}, silver = {170, 170, 170};

#define TITLE_MOST 70

/* A title that fits. */
static const char *shortened(Arena *arena, const char *title)
{
    return strlen(title) <= TITLE_MOST ? title
                                       : arena_printf(arena, "%.*s...", TITLE_MOST - 3, title);
}

static void include(double *low, double *high, double value)
{
    if (!isfinite(value))
        return;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

bool plot_fit(Cli *cli, const char *path, const char *title, const double *x, const double *y,
              uint32_t count, const double *curve_x, const double *curve_y, uint32_t curve_count)
{
    Canvas c;
    if (!canvas_make(&c, cli, 1000, 700))
        return false;
    c.left = c.low = INFINITY;
    c.right = c.high = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        include(&c.left, &c.right, x[i]);
        include(&c.low, &c.high, y[i]);
    }
    canvas_frame(&c, 110, 50, 860, 590, false, shortened(&cli->arena, title));
    double radius = count <= 200 ? 4 : count <= 2000 ? 2.5 : 1.5;
    for (uint32_t i = 0; i < count; i++)
        canvas_dot(&c, x[i], y[i], radius, blue, count <= 2000 ? 0.8 : 0.4);
    for (uint32_t i = 1; i < curve_count; i++)
        canvas_line(&c, curve_x[i - 1], curve_y[i - 1], curve_x[i], curve_y[i], 2.5, orange, 1);
    return canvas_write(&c, cli, path);
}

/* ---- positions ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The range of one coordinate without the 1 % farthest at either end: some points of a bundle
 * adjustment are far away. */
static void range_of(const double *points, uint32_t count, uint32_t axis, bool all, double *low,
                     double *high)
{
    double *sorted = malloc((count + 1ull) * sizeof *sorted);
    *low = 0;
    *high = 1;
    if (!sorted || count == 0) {
        free(sorted);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = points[3ull * i + axis];
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    uint32_t cut = all ? 0 : count / 100;
    *low = sorted[cut];
    *high = sorted[count - 1 - cut];
    free(sorted);
}

static void draw_edges(Canvas *c, const PlotCloud *p, const double *points, const uint32_t axis[2],
                       Colour colour, double strength)
{
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const double *a = points + 3ull * p->edges[2ull * i];
        const double *b = points + 3ull * p->edges[2ull * i + 1];
        canvas_line(c, a[axis[0]], a[axis[1]], b[axis[0]], b[axis[1]], 1.2, colour, strength);
    }
}

static void draw_view(Canvas *c, const PlotCloud *p, const uint32_t axis[2], double x, double width,
                      const char *title)
{
    bool graph = p->edge_count > 0;
    double low, high;
    range_of(p->after, p->count, axis[0], graph, &c->left, &c->right);
    range_of(p->after, p->count, axis[1], graph, &c->low, &c->high);
    if (graph) {
        range_of(p->before, p->count, axis[0], true, &low, &high);
        include(&c->left, &c->right, low);
        include(&c->left, &c->right, high);
        range_of(p->before, p->count, axis[1], true, &low, &high);
        include(&c->low, &c->high, low);
        include(&c->low, &c->high, high);
    }
    canvas_frame(c, x, 50, width, width, true, title);
    draw_edges(c, p, p->before, axis, silver, 0.7);
    draw_edges(c, p, p->after, axis, blue, 0.8);
    for (uint32_t i = p->count; !graph && i-- > 0;) {
        bool camera = i < p->marked;
        const double *a = p->before + 3ull * i, *b = p->after + 3ull * i;
        canvas_dot(c, a[axis[0]], a[axis[1]], camera ? 3 : 1.2, silver, 0.6);
        canvas_dot(c, b[axis[0]], b[axis[1]], camera ? 3.5 : 1.2, camera ? orange : blue, 0.8);
    }
}

bool plot_positions(Cli *cli, const char *path, const PlotCloud *p)
{
    static const uint32_t plan[2] = {0, 1}, side[2] = {0, 2};
    Canvas c;
    if (!canvas_make(&c, cli, p->space ? 1500 : 800, 760))
        return false;
    draw_view(&c, p, plan, 100, 620, "x and y");
    if (p->space)
        draw_view(&c, p, side, 850, 620, "x and z");
    canvas_text(&c, 100, 725, 0, "grey: before", silver);
    canvas_text(&c, 300, 725, 0, "blue: after", blue);
    if (p->marked > 0)
        canvas_text(&c, 490, 725, 0, "orange: cameras", orange);
    return canvas_write(&c, cli, path);
}
