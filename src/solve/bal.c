// SPDX-License-Identifier: Apache-2.0
/*
 * bal.c - Bundle Adjustment in the Large: cameras, points, observations.
 *
 * in     "cameras points observations", an observation on each line (camera, point, x, y), then
 *        nine numbers of each camera (rotation as axis times angle, translation, focal length,
 *        two of radial distortion) and three of each point
 * out    a problem: reprojection errors in pixels
 * knows  weft/grad.h
 * not    solving
 */
#include "solve/file_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CAMERA 9u

/* ---- reading ---- */

/* The least bytes that so many things need: sizes from outside are believed no further. */
static bool plausible(Words *s, const weft_solve_file_info *i)
{
    uint64_t least = 8ull * i->observations + 2ull * (CAMERA * (uint64_t)i->cameras +
                                                      3ull * i->points);
    if (i->cameras == 0 || i->points == 0 || i->observations == 0)
        return words_fail(s, "%u cameras, %u points and %u observations: none may be 0", i->cameras,
                         i->points, i->observations);
    if (least / 2 > (uint64_t)(s->end - s->at))
        return words_fail(s, "%u cameras, %u points and %u observations do not fit into a file of "
                         "this size", i->cameras, i->points, i->observations);
    if (CAMERA * (uint64_t)i->cameras + 3ull * i->points > INT32_MAX)
        return words_fail(s, "too many parameters");
    return true;
}

static bool read_observations(weft_solve_file *f, Words *s)
{
    for (uint32_t i = 0; i < f->info.observations; i++) {
        uint32_t *index = f->index + 2ull * i;
        double *pixel = f->pixels + 2ull * i;
        if (!words_uint(s, &index[0], false, "the camera of an observation") ||
            !words_uint(s, &index[1], false, "the point of an observation") ||
            !words_real(s, &pixel[0], false, "x of an observation") ||
            !words_real(s, &pixel[1], false, "y of an observation"))
            return false;
        if (index[0] >= f->info.cameras)
            return words_fail(s, "there is no camera %u; the file has %u", index[0],
                             f->info.cameras);
        if (index[1] >= f->info.points)
            return words_fail(s, "there is no point %u; the file has %u", index[1],
                             f->info.points);
    }
    return true;
}

bool bal_read(weft_solve_file *f, Words *s)
{
    weft_solve_file_info *i = &f->info;
    if (!words_uint(s, &i->cameras, false, "the number of cameras") ||
        !words_uint(s, &i->points, false, "the number of points") ||
        !words_uint(s, &i->observations, false, "the number of observations") || !plausible(s, i))
        return false;
    i->format = WEFT_SOLVE_FORMAT_BAL;
    i->dimensions = 3;
    i->parameter_count = CAMERA * i->cameras + 3 * i->points;
    f->index = malloc(2ull * i->observations * sizeof *f->index);
    f->pixels = malloc(2ull * i->observations * sizeof *f->pixels);
    f->x = malloc(i->parameter_count * sizeof *f->x);
    if (!f->index || !f->pixels || !f->x)
        return context_fail(f->ctx, WEFT_ERROR_MEMORY, "%s: no memory", f->name);
    if (!read_observations(f, s))
        return false;
    for (uint32_t k = 0; k < i->parameter_count; k++)
        if (!words_real(s, &f->x[k], false, k < CAMERA * i->cameras ? "a number of a camera"
                                                                   : "a number of a point"))
            return false;
    Word rest = words_next(s, false);
    return rest.size == 0 || words_fail(s, "the file should end here, with the last point");
}

/* ---- the problem ---- */

/* Snavely's camera: the image is in the plane z = -1, distorted radially. */
static weft_grad_graph *graph_make(weft_context *ctx)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, &(weft_grad_graph_desc){
        .label = "reprojection"});
    weft_grad_node c[CAMERA], p[3], o[2];
    weft_grad_input(c, g, "camera", CAMERA);
    weft_grad_input(p, g, "point", 3);
    weft_grad_data(o, g, "pixel", 2);
    weft_grad_vec3 q = weft_grad_rotate_axis(g, (weft_grad_vec3){c[0], c[1], c[2]},
                                             (weft_grad_vec3){p[0], p[1], p[2]});
    q = weft_grad_vec3_add(g, q, (weft_grad_vec3){c[3], c[4], c[5]});
    weft_grad_node x = weft_grad_neg(g, weft_grad_div(g, q.x, q.z));
    weft_grad_node y = weft_grad_neg(g, weft_grad_div(g, q.y, q.z));
    weft_grad_node r2 = weft_grad_add(g, weft_grad_square(g, x), weft_grad_square(g, y));
    weft_grad_node bend = weft_grad_add(g, c[7], weft_grad_mul(g, c[8], r2));
    weft_grad_node d = weft_grad_add(g, weft_grad_constant(g, 1), weft_grad_mul(g, r2, bend));
    weft_grad_node f = weft_grad_mul(g, c[6], d);
    weft_grad_output(g, weft_grad_sub(g, weft_grad_mul(g, f, x), o[0]), "x");
    weft_grad_output(g, weft_grad_sub(g, weft_grad_mul(g, f, y), o[1]), "y");
    return g;
}

bool bal_problem(weft_solve_file *f)
{
    uint32_t count = f->info.observations, *index = malloc(2ull * count * sizeof *index);
    if (!index)
        return context_fail(f->ctx, WEFT_ERROR_MEMORY, "%s: no memory", f->name);
    for (uint32_t i = 0; i < count; i++) {
        index[2ull * i] = CAMERA * f->index[2ull * i];
        index[2ull * i + 1] = CAMERA * f->info.cameras + 3 * f->index[2ull * i + 1];
    }
    bool ok = file_add_term(f, graph_make(f->ctx), count, index, f->pixels);
    free(index);
    return ok;
}

/* -transpose(R) t */
void bal_centre(double out[3], const double camera[9])
{
    const double *w = camera, *t = camera + 3;
    double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), c = cos(angle);
    double a = angle > 0 ? sin(angle) / angle : 1, along = w[0] * t[0] + w[1] * t[1] + w[2] * t[2];
    double b = angle > 0 ? (1 - c) / (angle * angle) * along : 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = -(c * t[i] - a * (w[j] * t[k] - w[k] * t[j]) + b * w[i]);
    }
}

bool bal_write(const weft_solve_file *f, FILE *to)
{
    const weft_solve_file_info *i = &f->info;
    fprintf(to, "%u %u %u\n", i->cameras, i->points, i->observations);
    for (uint32_t k = 0; k < i->observations; k++)
        fprintf(to, "%u %u     %.17g %.17g\n", f->index[2ull * k], f->index[2ull * k + 1],
                f->pixels[2ull * k], f->pixels[2ull * k + 1]);
    for (uint32_t k = 0; k < i->parameter_count; k++)
        fprintf(to, "%.17g\n", f->x[k]);
    return !ferror(to);
}
