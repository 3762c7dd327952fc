/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sphere.c - section "sphere" of bench/solve: a sphere of triangles becomes developable, by
 * Levenberg-Marquardt and by L-BFGS.
 *
 * in     levels of an icosphere
 * out    times and costs
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/solve.h>

#include "bench_solve.h"
#include "mesh_energy.h"

/* One residual for each vertex, or its energy as an objective. */
static weft_solve_problem *make_problem(weft_context *ctx, const Mesh *mesh, bool squares)
{
    weft_solve_problem *p = weft_solve_problem_create(ctx, &(weft_solve_problem_desc){
        .parameter_count = 3 * mesh->vertices});
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
        if (squares)
            weft_solve_add(p, b, NULL);
        else
            weft_solve_add_objective(p, b, 1);
        weft_grad_batch_release(b);
    }
    for (uint32_t i = 0; i <= MESH_VALENCE; i++)
        weft_grad_graph_release(graphs[i]);
    weft_grad_set_release(set);
    return p;
}

/* Exactly `iterations`, unless no step decreases the cost. */
static void run(const Options *o, int levels, bool squares, uint32_t iterations)
{
    weft_context *ctx = weft_context_create(&(weft_context_desc){
        .adapter = "cpu", .threads = o->threads});
    Mesh mesh = mesh_icosphere(levels);
    size_t size = 3 * mesh.vertices * sizeof(double);
    double *x = malloc(size), seconds[64], start = now();
    weft_solve_result r = {0};
    weft_solve_problem *p = make_problem(ctx, &mesh, squares);
    for (uint32_t turn = 0; x && turn < o->turns + 1; turn++) {
        memcpy(x, mesh.position, size);
        if (!weft_solve(&r, x, p, &(weft_solve_options){
                .method = squares ? WEFT_SOLVE_LEVENBERG_MARQUARDT : WEFT_SOLVE_LBFGS,
                .max_iterations = iterations, .cost_tolerance = WEFT_SOLVE_NEVER,
                .gradient_tolerance = WEFT_SOLVE_NEVER, .parameter_tolerance = WEFT_SOLVE_NEVER})) {
            fprintf(stderr, "bench/solve: sphere: %s\n", weft_context_error(ctx)->message);
            exit(1);
        }
        seconds[turn] = turn ? r.seconds : now() - start;
    }
    double first = seconds[0];
    printf("  %-19s %6u vertices, %6u parameters   %2u iterations: %8.1f ms, with all set-up "
           "%8.1f ms   cost %.6g to %.6g\n", weft_solve_method_name(r.method), mesh.vertices,
           3 * mesh.vertices, r.iterations, 1e3 * median(seconds + 1, o->turns), 1e3 * first,
           r.initial_cost, r.final_cost);
    fflush(stdout);
    if (!(r.final_cost < 0.9 * r.initial_cost)) {
        fprintf(stderr, "bench/solve: sphere: the cost does not decrease\n");
        exit(1);
    }
    free(x);
    mesh_free(&mesh);
    weft_solve_problem_release(p);
    weft_context_release(ctx);
}

void section_sphere(const Options *o)
{
    run(o, o->small ? 1 : 2, true, 50);
    for (int levels = o->small ? 2 : 4; levels <= (o->small ? 2 : 5); levels++)
        run(o, levels, false, 50);
}
