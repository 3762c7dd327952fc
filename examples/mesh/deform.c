// SPDX-License-Identifier: Apache-2.0
/*
 * deform.c - as-rigid-as-possible deformation: some vertices of a mesh are moved, the others follow
 * so that each neighbourhood only turns.
 *
 *     deform [MESH.off [PICTURE.png]]
 *
 * in     a mesh; without one a sphere
 * out    the energy of the mesh as it was torn, and after the solve; a picture of both
 *
 * Unknowns are three coordinates and a rotation for each vertex, six numbers. The residual of an
 * edge from a to b is (p_a - p_b) - R_a e, with e the edge at rest: three numbers that depend on
 * nine. The lowest vertices keep their places, the highest are moved and turned.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/solve.h>

#include "../c/mesh_energy.h"
#include "picture.h"

/* ---- the mesh ---- */

/* Object File Format: counts, vertices, triangles. False if it is not one. */
static bool read_off(Mesh *m, const char *path)
{
    unsigned vertices, faces, edges, corners;
    char magic[8];
    FILE *file = fopen(path, "r");
    bool ok = file && fscanf(file, "%7s %u %u %u", magic, &vertices, &faces, &edges) == 4 &&
              strcmp(magic, "OFF") == 0 && vertices > 0 && vertices < 10000000 &&
              faces < 20000000;
    *m = (Mesh){0};
    if (ok) {
        m->vertices = vertices;
        m->faces = faces;
        m->position = calloc(3 * (size_t)vertices, sizeof *m->position);
        m->face = calloc(faces, sizeof *m->face);
        ok = m->position && m->face;
    }
    for (uint32_t i = 0; ok && i < 3 * vertices; i++)
        ok = fscanf(file, "%lf", &m->position[i]) == 1;
    for (uint32_t i = 0; ok && i < faces; i++) {
        uint32_t *f = m->face[i];
        ok = fscanf(file, "%u %u %u %u", &corners, &f[0], &f[1], &f[2]) == 4 && corners == 3 &&
             f[0] < vertices && f[1] < vertices && f[2] < vertices;
    }
    if (file)
        fclose(file);
    return ok;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Each edge in both directions, once. */
static uint64_t *edges_of(const Mesh *m, uint32_t *count)
{
    uint64_t *edges = malloc(6 * ((size_t)m->faces + 1) * sizeof *edges);
    uint32_t all = 0;
    if (!edges)
        abort();
    for (uint32_t f = 0; f < m->faces; f++)
        for (int k = 0; k < 3; k++) {
            uint64_t a = m->face[f][k], b = m->face[f][(k + 1) % 3];
            edges[all++] = a << 32 | b;
            edges[all++] = b << 32 | a;
        }
    qsort(edges, all, sizeof *edges, compare_u64);
    *count = 0;
    for (uint32_t i = 0; i < all; i++)
        if (i == 0 || edges[i] != edges[i - 1])
            edges[(*count)++] = edges[i];
    return edges;
}

/* ---- the problem ---- */

static weft_grad_graph *edge_graph(weft_context *ctx)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node a[6], b[3], e[3];
    weft_grad_input(a, g, "a", 6);
    weft_grad_input(b, g, "b", 3);
    weft_grad_data(e, g, "rest", 3);
    weft_grad_vec3 turned = weft_grad_rotate_axis(g, (weft_grad_vec3){a[3], a[4], a[5]},
                                                  (weft_grad_vec3){e[0], e[1], e[2]});
    weft_grad_vec3 now = weft_grad_vec3_sub(g, (weft_grad_vec3){a[0], a[1], a[2]},
                                            (weft_grad_vec3){b[0], b[1], b[2]});
    weft_grad_vec3 r = weft_grad_vec3_sub(g, now, turned);
    weft_grad_output(g, r.x, "x");
    weft_grad_output(g, r.y, "y");
    weft_grad_output(g, r.z, "z");
    return g;
}

static weft_solve_problem *make_problem(weft_context *ctx, const Mesh *m)
{
    uint32_t count, parameters = 6 * m->vertices;
    uint64_t *edges = edges_of(m, &count);
    uint32_t *index = malloc(2 * (size_t)count * sizeof *index);
    double *rest = malloc(3 * (size_t)count * sizeof *rest);
    if (!index || !rest)
        abort();
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = (uint32_t)(edges[i] >> 32), b = (uint32_t)edges[i];
        index[2 * i] = 6 * a;
        index[2 * i + 1] = 6 * b;
        for (int k = 0; k < 3; k++)
            rest[3 * i + k] = m->position[3 * a + k] - m->position[3 * b + k];
    }
    weft_grad_graph *g = edge_graph(ctx);
    weft_grad_batch *b = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = count, .parameter_count = parameters, .index = index, .data = rest});
    weft_solve_problem *p = weft_solve_problem_create(ctx, &(weft_solve_problem_desc){
        .parameter_count = parameters, .label = "as rigid as possible"});
    weft_solve_add(p, b, NULL);
    const weft_solve_manifold rotation = {.kind = WEFT_SOLVE_SO3};
    for (uint32_t v = 0; v < m->vertices; v++)
        weft_solve_set_manifold(p, 6 * v + 3, &rotation);
    weft_grad_batch_release(b);
    weft_grad_graph_release(g);
    free(edges);
    free(index);
    free(rest);
    return p;
}

/* The start: the mesh at rest, its lowest part held, its highest part moved. */
static void place(double *x, weft_solve_problem *p, const Mesh *m)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t v = 0; v < m->vertices; v++) {
        low = fmin(low, m->position[3 * v + 1]);
        high = fmax(high, m->position[3 * v + 1]);
    }
    double height = high - low;
    for (uint32_t v = 0; v < m->vertices; v++) {
        double *to = x + 6 * v, at = (m->position[3 * v + 1] - low) / height;
        memcpy(to, m->position + 3 * v, 3 * sizeof *to);
        to[3] = to[4] = to[5] = 0;
        if (at > 0.85) {            /* bent over, and to the side */
            double c = cos(-0.9), s = sin(-0.9), dx = to[0], dy = to[1] - (low + 0.6 * height);
            to[0] = c * dx - s * dy;
            to[1] = low + 0.6 * height + s * dx + c * dy;
        }
        if (at > 0.85 || at < 0.08)
            weft_solve_set_fixed(p, 6 * v, 3, true);
    }
}

static void draw(Picture *p, const Mesh *m, const double *x, uint32_t at, const View *like)
{
    double *position = malloc(3 * (size_t)m->vertices * sizeof *position);
    if (!position)
        abort();
    for (uint32_t v = 0; v < m->vertices; v++)
        memcpy(position + 3 * v, x + 6 * v, 3 * sizeof *position);
    View view = *like;
    view.x = at;
    picture_mesh(p, &view, position, m->vertices, m->face, m->faces);
    free(position);
}

/* ---- the program ---- */

static bool solve(weft_context *ctx, const Mesh *m, const char *path)
{
    weft_solve_problem *p = make_problem(ctx, m);
    double *x = malloc(6 * (size_t)m->vertices * sizeof *x);
    weft_solve_result r = {0};
    View view = {.turn = 0.3, .tilt = 0.15, .size = 600};
    Picture picture = picture_make(1200, 600);
    if (!x)
        abort();
    place(x, p, m);
    view_fit(&view, m->position, m->vertices);
    view.reach *= 1.4;
    draw(&picture, m, x, 0, &view);
    bool ok = weft_solve(&r, x, p, NULL);
    if (ok) {
        fputs(weft_solve_summary(p), stdout);
        draw(&picture, m, x, 600, &view);
        ok = !path || picture_write(&picture, path);
    } else
        fprintf(stderr, "%s\n", weft_context_error(ctx)->message);
    picture_free(&picture);
    free(x);
    weft_solve_problem_release(p);
    return ok && r.converged && r.final_cost < 0.2 * r.initial_cost;
}

int main(int argc, char **argv)
{
    Mesh mesh;
    if (argc > 1 && !read_off(&mesh, argv[1])) {
        fprintf(stderr, "%s is not a mesh of triangles in Object File Format\n", argv[1]);
        mesh_free(&mesh);
        return 2;
    }
    if (argc <= 1)
        mesh = mesh_icosphere(3);
    weft_context *ctx = weft_context_create(NULL);
    bool ok = solve(ctx, &mesh, argc > 2 ? argv[2] : NULL);
    weft_context_release(ctx);
    mesh_free(&mesh);
    return ok ? 0 : 1;
}
