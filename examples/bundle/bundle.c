// SPDX-License-Identifier: Apache-2.0
/*
 * bundle.c - bundle adjustment with terms of the program's own.
 *
 *     bundle [PROBLEM.txt]
 *
 * in     a problem of Bundle Adjustment in the Large; without one a small one of its own making
 * out    a summary; how uncertain the cameras' focal lengths are
 *
 * weft_solve_file_open() reads such files; here the graph, the batch and the problem are made by
 * hand for the small scene, with a robust loss, one camera held, and covariance at the end.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/solve.h>

enum { CAMERAS = 8, POINTS = 200, CAMERA = 7, OBSERVATIONS = CAMERAS * POINTS };

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

/* A camera is a rotation (axis times angle), a translation and a focal length. */
static weft_grad_graph *reprojection(weft_context *ctx)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node c[CAMERA], p[3], pixel[2];
    weft_grad_input(c, g, "camera", CAMERA);
    weft_grad_input(p, g, "point", 3);
    weft_grad_data(pixel, g, "pixel", 2);
    weft_grad_vec3 q = weft_grad_rotate_axis(g, (weft_grad_vec3){c[0], c[1], c[2]},
                                             (weft_grad_vec3){p[0], p[1], p[2]});
    q = weft_grad_vec3_add(g, q, (weft_grad_vec3){c[3], c[4], c[5]});
    weft_grad_node x = weft_grad_mul(g, c[6], weft_grad_div(g, q.x, q.z));
    weft_grad_node y = weft_grad_mul(g, c[6], weft_grad_div(g, q.y, q.z));
    weft_grad_output(g, weft_grad_sub(g, x, pixel[0]), "x");
    weft_grad_output(g, weft_grad_sub(g, y, pixel[1]), "y");
    return g;
}

/* Cameras on an arc around points, what they see with some noise, and a start that is off. */
static void make_scene(double *x, uint32_t (*index)[2], double (*pixel)[2])
{
    uint64_t seed = 1;
    double *points = x + CAMERA * CAMERAS;
    for (int i = 0; i < 3 * POINTS; i++)
        points[i] = random_unit(&seed);
    for (int c = 0; c < CAMERAS; c++) {
        double *camera = x + CAMERA * c, angle = 0.15 * (c - CAMERAS / 2.0);
        camera[1] = angle;          /* about y */
        camera[5] = 6;
        camera[6] = 800;
        for (int p = 0; p < POINTS; p++) {
            const double *q = points + 3 * p;
            int at = c * POINTS + p;
            double depth = cos(angle) * q[2] - sin(angle) * q[0] + 6;
            index[at][0] = (uint32_t)(CAMERA * c);
            index[at][1] = (uint32_t)(CAMERA * CAMERAS + 3 * p);
            pixel[at][0] = 800 * (cos(angle) * q[0] + sin(angle) * q[2]) / depth;
            pixel[at][1] = 800 * q[1] / depth;
            for (int k = 0; k < 2; k++)
                pixel[at][k] += 0.3 * random_unit(&seed) + (at % 97 == 0 ? 40 : 0);
        }
    }
    for (int i = 0; i < CAMERA * CAMERAS; i++)
        x[i] += i % CAMERA == 6 ? 30 * random_unit(&seed) : 0.02 * random_unit(&seed);
    for (int i = 0; i < 3 * POINTS; i++)
        points[i] += 0.05 * random_unit(&seed);
}

static bool own_scene(weft_context *ctx)
{
    enum { PARAMETERS = CAMERA * CAMERAS + 3 * POINTS };
    static double x[PARAMETERS], pixel[OBSERVATIONS][2];
    static uint32_t index[OBSERVATIONS][2];
    const weft_solve_loss loss = {.kind = WEFT_SOLVE_HUBER, .a = 1};
    make_scene(x, index, pixel);

    weft_grad_graph *g = reprojection(ctx);
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = OBSERVATIONS, .parameter_count = PARAMETERS, .index = index[0],
        .data = pixel[0]});
    weft_solve_problem *p = weft_solve_problem_create(ctx, &(weft_solve_problem_desc){
        .parameter_count = PARAMETERS, .label = "scene"});
    weft_solve_add(p, b, &loss);
    weft_solve_set_fixed(p, 0, 6, true);            /* where the first camera is ... */
    weft_solve_set_fixed(p, CAMERA + 3, 1, true);   /* ... and how large everything is */

    weft_solve_result r;
    bool ok = weft_solve(&r, x, p, NULL);
    if (ok)
        fputs(weft_solve_summary(p), stdout);
    weft_solve_covariance *v = ok ? weft_solve_covariance_create(p, x, NULL) : NULL;
    for (uint32_t c = 0; v && c < CAMERAS; c++) {
        double variance;
        weft_solve_covariance_block(&variance, v, CAMERA * c + 6, 1, CAMERA * c + 6, 1);
        printf("  focal length of camera %u: %.2f +- %.2f\n", c, x[CAMERA * c + 6],
               sqrt(variance));
    }
    ok = ok && v && r.converged && fabs(x[6] - 800) < 20;
    weft_solve_covariance_release(v);
    weft_solve_problem_release(p);
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
    return ok;
}

static bool file_scene(weft_context *ctx, const char *path)
{
    weft_solve_file *f = weft_solve_file_open(ctx, path, NULL);
    bool ok = f && weft_solve(NULL, weft_solve_file_x(f), weft_solve_file_problem(f), NULL);
    if (ok)
        fputs(weft_solve_summary(weft_solve_file_problem(f)), stdout);
    weft_solve_file_release(f);
    return ok;
}

int main(int argc, char **argv)
{
    weft_context *ctx = weft_context_create(NULL);
    bool ok = argc > 1 ? file_scene(ctx, argv[1]) : own_scene(ctx);
    if (weft_context_error(ctx)->kind)
        fprintf(stderr, "%s\n", weft_context_error(ctx)->message);
    weft_context_release(ctx);
    return ok ? 0 : 1;
}
