// SPDX-License-Identifier: Apache-2.0
/*
 * mesh_energy.c - makes a sphere of triangles developable, with derivatives by weft/grad.h.
 *
 * in     an icosphere
 * out    the energy before and after some steps of gradient descent
 *
 * The energy of a vertex is small where the normals of its triangles fall into two groups,
 * each nearly constant: a crease between two planes. Every way to split the ring of triangles
 * in two is tried, and the best one counts. There is one graph for each valence, and one
 * dispatch for each of them, whatever the number of vertices.
 */
#include "mesh_energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One batch for each valence. */
static uint32_t make_batches(weft_grad_batch **batches, weft_context *ctx, const Mesh *mesh)
{
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
    weft_grad_batch_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.parameter_count = 3 * mesh->vertices;
    uint32_t count = weft_grad_set_topologies(set);
    for (uint32_t i = 0; i < count && i < MESH_VALENCE; i++)
        batches[i] = weft_grad_set_batch(NULL, set, i, &desc);
    for (uint32_t i = 0; i <= MESH_VALENCE; i++)
        weft_grad_graph_release(graphs[i]);
    weft_grad_set_release(set);
    return count;
}

/* Energy and gradient: the batches share the parameters. */
static double energy(double *gradient, weft_grad_batch *const *batches, uint32_t count,
                     const double *x, double *scratch, uint32_t parameters)
{
    double total = 0;
    for (uint32_t p = 0; p < parameters; p++)
        gradient[p] = 0;
    for (uint32_t i = 0; i < count; i++) {
        double cost = 0;
        weft_grad_evaluation e;
        memset(&e, 0, sizeof e);
        e.x = x;
        e.weighting = WEFT_GRAD_ONES;
        e.gradient = scratch;
        e.cost = &cost;
        if (!weft_grad_batch_evaluate(batches[i], &e))
            return NAN;
        total += cost;
        for (uint32_t p = 0; p < parameters; p++)
            gradient[p] += scratch[p];
    }
    return total;
}

int main(void)
{
    Mesh mesh = mesh_icosphere(3);
    weft_context *ctx = weft_context_create(NULL);
    weft_grad_batch *batches[MESH_VALENCE];
    uint32_t count = make_batches(batches, ctx, &mesh), parameters = 3 * mesh.vertices;
    double *gradient = (double *)calloc(parameters, sizeof(double));
    double *scratch = (double *)calloc(parameters, sizeof(double));

    double first = energy(gradient, batches, count, mesh.position, scratch, parameters);
    double last = first;
    printf("%u vertices, %u topologies, energy %.4f\n", mesh.vertices, count, first);
    for (int step = 0; step < 60; step++) {
        for (uint32_t p = 0; p < parameters; p++)
            mesh.position[p] -= 0.0002 * gradient[p];
        last = energy(gradient, batches, count, mesh.position, scratch, parameters);
    }
    printf("after 60 steps: %.4f\n", last);
    bool ok = weft_context_error(ctx)->kind == WEFT_ERROR_NONE && last < 0.9 * first;
    if (weft_context_error(ctx)->kind != WEFT_ERROR_NONE)
        fprintf(stderr, "%s\n", weft_context_error(ctx)->message);
    for (uint32_t i = 0; i < count; i++)
        weft_grad_batch_release(batches[i]);
    weft_context_release(ctx);
    free(gradient);
    free(scratch);
    mesh_free(&mesh);
    return ok ? 0 : 1;
}
