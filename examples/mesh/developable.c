// SPDX-License-Identifier: Apache-2.0
/*
 * developable.c - makes a sphere of triangles developable: a few flat pieces with creases between
 * them, as if it were folded from sheet metal.
 *
 *     developable [LEVELS] [PICTURE.png]
 *
 * in     an icosphere of 10 * 4^LEVELS + 2 vertices
 * out    the energy before and after L-BFGS; a picture of both
 *
 * The energy of a vertex (mesh_energy.h) is an objective, not a sum of squares: weft_solve() takes
 * its sum over all vertices, one batch for each number of neighbours.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/solve.h>

#include "../c/mesh_energy.h"
#include "picture.h"

/* Instances by their number of neighbours become terms of the problem. */
static weft_solve_problem *make_problem(weft_context *ctx, const Mesh *mesh)
{
    weft_solve_problem *p = weft_solve_problem_create(ctx, &(weft_solve_problem_desc){
        .parameter_count = 3 * mesh->vertices, .label = "developable sphere"});
    weft_grad_set *set = weft_grad_set_create(ctx);
    weft_grad_graph *graphs[MESH_VALENCE + 1] = {0};
    for (uint32_t v = 0; v < mesh->vertices; v++) {
        uint32_t index[MESH_VALENCE + 1], valence = mesh->valence[v];
        if (!graphs[valence])
            graphs[valence] = mesh_vertex_graph(ctx, valence);
        index[0] = 3 * v;
        for (uint32_t i = 0; i < valence; i++)
            index[1 + i] = 3 * mesh->ring[v][i];
        weft_grad_set_add(set, graphs[valence], index, NULL);
    }
    for (uint32_t i = 0; i < weft_grad_set_topologies(set); i++) {
        weft_grad_batch *b = weft_grad_set_batch(NULL, set, i, &(weft_grad_batch_desc){
            .parameter_count = 3 * mesh->vertices});
        weft_solve_add_objective(p, b, 1);
        weft_grad_batch_release(b);
    }
    for (uint32_t i = 0; i <= MESH_VALENCE; i++)
        weft_grad_graph_release(graphs[i]);
    weft_grad_set_release(set);
    return p;
}

static void draw(Picture *p, const Mesh *mesh, uint32_t x)
{
    View view = {.turn = 0.5, .tilt = 0.35, .x = x, .size = 500, .flat = true};
    view_fit(&view, mesh->position, mesh->vertices);
    picture_mesh(p, &view, mesh->position, mesh->vertices, mesh->face, mesh->faces);
}

int main(int argc, char **argv)
{
    int levels = argc > 1 ? atoi(argv[1]) : 3;
    if (levels < 0 || levels > 7) {
        fprintf(stderr, "usage: developable [LEVELS from 0 to 7] [PICTURE.png]\n");
        return 2;
    }
    weft_context *ctx = weft_context_create(NULL);
    Mesh mesh = mesh_icosphere(levels);
    Picture picture = picture_make(1000, 500);
    draw(&picture, &mesh, 0);
    weft_solve_problem *p = make_problem(ctx, &mesh);
    weft_solve_result r;
    bool ok = weft_solve(&r, mesh.position, p, &(weft_solve_options){
        .method = WEFT_SOLVE_LBFGS, .max_iterations = 200, .cost_tolerance = 1e-7});
    if (ok) {
        printf("%u vertices: energy %.4f, after %u iterations %.4f, %.3f s\n", mesh.vertices,
               r.initial_cost, r.iterations, r.final_cost, r.seconds);
        draw(&picture, &mesh, 500);
        ok = argc < 3 || picture_write(&picture, argv[2]);
    } else
        fprintf(stderr, "%s\n", weft_context_error(ctx)->message);
    ok = ok && r.final_cost < 0.8 * r.initial_cost;
    picture_free(&picture);
    mesh_free(&mesh);
    weft_solve_problem_release(p);
    weft_context_release(ctx);
    return ok ? 0 : 1;
}
