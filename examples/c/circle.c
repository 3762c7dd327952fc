// SPDX-License-Identifier: Apache-2.0
/*
 * circle.c - fits a circle to points, with derivatives by weft/grad.h.
 *
 * in     100,000 points near a circle
 * out    centre and radius, by Gauss-Newton steps
 *
 * The graph is the residual of one point; the batch evaluates it for all points in one
 * dispatch and adds up the normal equations, so that nothing but ten numbers is read back.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/grad.h>

enum { POINTS = 100000 };

static weft_grad_graph *residual(weft_context *ctx)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node circle[3], point[2];
    weft_grad_input(circle, g, "circle", 3);        /* centre x, y, radius */
    weft_grad_data(point, g, "point", 2);
    weft_grad_node dx = weft_grad_sub(g, point[0], circle[0]);
    weft_grad_node dy = weft_grad_sub(g, point[1], circle[1]);
    weft_grad_node distance = weft_grad_hypot(g, dx, dy);
    weft_grad_output(g, weft_grad_sub(g, distance, circle[2]), "distance from the circle");
    return g;
}

static double *points_near(double cx, double cy, double radius)
{
    double *xy = (double *)malloc(2 * POINTS * sizeof *xy);
    for (int i = 0; xy && i < POINTS; i++) {
        double angle = i * 0.001, noise = 0.05 * sin(i * 12.9898);
        xy[2 * i] = cx + (radius + noise) * cos(angle);
        xy[2 * i + 1] = cy + (radius + noise) * sin(angle);
    }
    return xy;
}

/* Solves the symmetric system h d = g; h is the upper triangle by rows. */
static void solve(double d[3], const double h[6], const double g[3])
{
    double a = h[0], b = h[1], c = h[2], e = h[3], f = h[4], i = h[5];
    double m0 = e * i - f * f, m1 = c * f - b * i, m2 = b * f - c * e;
    double det = a * m0 + b * m1 + c * m2;
    d[0] = (m0 * g[0] + m1 * g[1] + m2 * g[2]) / det;
    d[1] = (m1 * g[0] + (a * i - c * c) * g[1] + (b * c - a * f) * g[2]) / det;
    d[2] = (m2 * g[0] + (b * c - a * f) * g[1] + (a * e - b * b) * g[2]) / det;
}

int main(void)
{
    weft_context *ctx = weft_context_create(NULL);
    weft_grad_graph *graph = residual(ctx);
    double *xy = points_near(3, -2, 5);

    weft_grad_batch_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.graph = graph;
    desc.count = POINTS;
    desc.data = xy;
    desc.parameter_count = 3;
    weft_grad_batch *batch = weft_grad_batch_create(ctx, &desc);

    double x[3] = {0, 0, 1}, gradient[3], normal[6], cost = 0, step[3];
    for (int i = 0; i < 8; i++) {
        weft_grad_evaluation e;
        memset(&e, 0, sizeof e);
        e.x = x;
        e.gradient = gradient;
        e.normal = normal;
        e.cost = &cost;
        if (!weft_grad_batch_evaluate(batch, &e))
            break;
        printf("cost %12.4f   centre %8.4f %8.4f   radius %7.4f\n", cost, x[0], x[1], x[2]);
        solve(step, normal, gradient);
        for (int k = 0; k < 3; k++)
            x[k] -= step[k];
    }
    bool ok = weft_context_error(ctx)->kind == WEFT_ERROR_NONE && fabs(x[0] - 3) < 1e-2 &&
              fabs(x[1] + 2) < 1e-2 && fabs(x[2] - 5) < 1e-2;
    if (weft_context_error(ctx)->kind != WEFT_ERROR_NONE)
        fprintf(stderr, "%s\n", weft_context_error(ctx)->message);
    weft_grad_batch_release(batch);
    weft_grad_graph_release(graph);
    weft_context_release(ctx);
    free(xy);
    return ok ? 0 : 1;
}
