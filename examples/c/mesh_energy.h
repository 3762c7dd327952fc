// SPDX-License-Identifier: Apache-2.0
/*
 * mesh_energy.h - an icosphere, and the energy of one vertex as a graph: mesh_energy.c and
 * bench/grad use both.
 */
#ifndef WEFT_EXAMPLES_MESH_ENERGY_H
#define WEFT_EXAMPLES_MESH_ENERGY_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <weft/grad.h>

enum { MESH_VALENCE = 8 };          /* most neighbours of a vertex */

typedef struct Mesh {
    uint32_t  vertices, faces;
    double   *position;             /* [vertices][3]                                */
    uint32_t (*face)[3];            /* counter-clockwise                            */
    uint32_t *valence;              /* [vertices]                                   */
    uint32_t (*ring)[MESH_VALENCE]; /* [vertices] neighbours, counter-clockwise     */
} Mesh;

static inline void mesh_free(Mesh *m)
{
    free(m->position);
    free(m->face);
    free(m->valence);
    free(m->ring);
}

/* The vertex halfway between a and b, on the unit sphere; made at the first request. */
static inline uint32_t mesh_middle(Mesh *m, uint32_t *made, uint32_t *table, uint32_t cap,
                                   uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint32_t at = (low * 2654435761u ^ high * 40503u) % cap;
    while (table[3 * at] != 0 && (table[3 * at] != low + 1 || table[3 * at + 1] != high))
        at = (at + 1) % cap;
    if (table[3 * at] != 0)
        return table[3 * at + 2];
    double p[3], length = 0;
    for (int k = 0; k < 3; k++) {
        p[k] = m->position[3 * a + k] + m->position[3 * b + k];
        length += p[k] * p[k];
    }
    for (int k = 0; k < 3; k++)
        m->position[3 * *made + k] = p[k] / sqrt(length);
    table[3 * at] = low + 1;
    table[3 * at + 1] = high;
    table[3 * at + 2] = *made;
    return (*made)++;
}

/* The neighbours of each vertex in order: after `from` comes the third corner of the triangle
 * (vertex, from, third). */
static inline void mesh_rings(Mesh *m)
{
    uint32_t (*next)[2 * MESH_VALENCE] =
        (uint32_t (*)[2 * MESH_VALENCE])calloc(m->vertices, sizeof *next);
    for (uint32_t f = 0; f < m->faces; f++)
        for (int k = 0; k < 3; k++) {
            uint32_t v = m->face[f][k], at = m->valence[v]++;
            next[v][2 * at] = m->face[f][(k + 1) % 3];
            next[v][2 * at + 1] = m->face[f][(k + 2) % 3];
        }
    for (uint32_t v = 0; v < m->vertices; v++) {
        uint32_t from = next[v][0];
        for (uint32_t i = 0; i < m->valence[v]; i++) {
            m->ring[v][i] = from;
            uint32_t at = 0;
            while (next[v][2 * at] != from)
                at++;
            from = next[v][2 * at + 1];
        }
    }
    free(next);
}

/* An icosahedron, each triangle cut into four `levels` times. */
static inline Mesh mesh_icosphere(int levels)
{
    static const double t = 1.61803398874989484820;
    const double corners[12][3] = {{-1, t, 0}, {1, t, 0}, {-1, -t, 0}, {1, -t, 0},
                                   {0, -1, t}, {0, 1, t}, {0, -1, -t}, {0, 1, -t},
                                   {t, 0, -1}, {t, 0, 1}, {-t, 0, -1}, {-t, 0, 1}};
    static const uint32_t first[20][3] = {
        {0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
        {11, 10, 2}, {10, 7, 6}, {7, 1, 8}, {3, 9, 4}, {3, 4, 2}, {3, 2, 6}, {3, 6, 8},
        {3, 8, 9}, {4, 9, 5}, {2, 4, 11}, {6, 2, 10}, {8, 6, 7}, {9, 8, 1}};
    Mesh m;
    uint32_t faces = 20, made = 12;
    m.faces = 20u << (2 * levels);
    m.vertices = m.faces / 2 + 2;
    m.position = (double *)calloc(3 * m.vertices, sizeof(double));
    m.face = (uint32_t (*)[3])calloc(m.faces, sizeof *m.face);
    m.valence = (uint32_t *)calloc(m.vertices, sizeof(uint32_t));
    m.ring = (uint32_t (*)[MESH_VALENCE])calloc(m.vertices, sizeof *m.ring);
    uint32_t cap = 4 * m.vertices + 64;
    uint32_t *table = (uint32_t *)calloc(3 * cap, sizeof(uint32_t));
    for (uint32_t i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++)
            m.position[3 * i + k] = corners[i][k] / sqrt(1 + t * t);
    for (uint32_t f = 0; f < 20; f++)
        for (int k = 0; k < 3; k++)
            m.face[f][k] = first[f][k];
    for (int level = 0; level < levels; level++, faces *= 4)
        for (uint32_t f = 0; f < faces; f++) {
            uint32_t v[3], h[3];
            for (int k = 0; k < 3; k++)
                v[k] = m.face[f][k];
            for (int k = 0; k < 3; k++)
                h[k] = mesh_middle(&m, &made, table, cap, v[k], v[(k + 1) % 3]);
            for (int k = 0; k < 3; k++) {
                uint32_t *to = m.face[faces + 3 * f + k];
                to[0] = v[k];
                to[1] = h[k];
                to[2] = h[(k + 2) % 3];
                m.face[f][k] = h[k];
            }
        }
    free(table);
    mesh_rings(&m);
    return m;
}

static inline weft_grad_vec3 mesh_vec3(const weft_grad_node n[3])
{
    weft_grad_vec3 v = {n[0], n[1], n[2]};
    return v;
}

/* Sum of squares minus |sum|^2 / count: how much `count` unit normals differ. */
static inline weft_grad_node mesh_variance(weft_grad_graph *g, weft_grad_vec3 sum, uint32_t count)
{
    weft_grad_node n = weft_grad_constant(g, count), inverse = weft_grad_constant(g, 1.0 / count);
    return weft_grad_sub(g, n, weft_grad_mul(g, inverse, weft_grad_vec3_dot(g, sum, sum)));
}

/* The energy of a vertex with `valence` neighbours. Blocks: the vertex, then its ring. */
static inline weft_grad_graph *mesh_vertex_graph(weft_context *ctx, uint32_t valence)
{
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_vec3 ring[MESH_VALENCE], normal[MESH_VALENCE], prefix[MESH_VALENCE + 1];
    weft_grad_node n[3], best = 0;
    weft_grad_input(n, g, "vertex", 3);
    weft_grad_vec3 centre = mesh_vec3(n);
    for (uint32_t i = 0; i < valence; i++) {
        weft_grad_input(n, g, "neighbour", 3);
        ring[i] = weft_grad_vec3_sub(g, mesh_vec3(n), centre);
    }
    prefix[0].x = prefix[0].y = prefix[0].z = weft_grad_constant(g, 0);
    for (uint32_t i = 0; i < valence; i++) {
        normal[i] = weft_grad_vec3_normalise(
            g, weft_grad_vec3_cross(g, ring[i], ring[(i + 1) % valence]));
        prefix[i + 1] = weft_grad_vec3_add(g, prefix[i], normal[i]);
    }
    for (uint32_t p = 0; p < valence; p++)
        for (uint32_t q = p + 1; q <= valence; q++) {
            uint32_t inside = q - p;
            if (q == valence)           /* the rest of [0, p) */
                continue;
            weft_grad_vec3 one = weft_grad_vec3_sub(g, prefix[q], prefix[p]);
            weft_grad_vec3 two = weft_grad_vec3_sub(g, prefix[valence], one);
            weft_grad_node total = weft_grad_add(g, mesh_variance(g, one, inside),
                                                 mesh_variance(g, two, valence - inside));
            best = best ? weft_grad_min(g, best, total) : total;
        }
    weft_grad_output(g, best, "energy");
    return g;
}

#endif
