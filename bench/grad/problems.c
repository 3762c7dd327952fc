/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problems.c - reads and makes the problems of bench/grad.
 *
 * in     a file in the format of Bundle Adjustment in the Large, a mesh (OFF), sizes
 * out    a Problem
 */
#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool allocate(Problem *p)
{
    p->index = calloc((size_t)p->count * p->blocks + 1, sizeof *p->index);
    p->data = calloc((size_t)p->count * p->data_count + 1, sizeof *p->data);
    p->x = calloc(p->parameter_count + 1u, sizeof *p->x);
    return p->index && p->data && p->x;
}

void problem_fini(Problem *p)
{
    free(p->index);
    free(p->data);
    free(p->x);
    *p = (Problem){0};
}

bool problem_bundle(Problem *p, const char *path)
{
    FILE *file = fopen(path, "r");
    uint32_t cameras = 0, points = 0;
    *p = (Problem){.kind = PROBLEM_BUNDLE, .name = "bundle", .blocks = 2, .outputs = 2,
                   .inputs = 12, .data_count = 2};
    bool ok = file && fscanf(file, "%u %u %u", &cameras, &points, &p->count) == 3;
    p->parameter_count = cameras * 9 + points * 3;
    ok = ok && allocate(p);
    for (uint32_t i = 0; ok && i < p->count; i++) {
        uint32_t camera, point;
        ok = fscanf(file, "%u %u %lf %lf", &camera, &point, &p->data[2 * i],
                    &p->data[2 * i + 1]) == 4 && camera < cameras && point < points;
        p->index[2 * i] = camera * 9;
        p->index[2 * i + 1] = cameras * 9 + point * 3;
    }
    for (uint32_t i = 0; ok && i < p->parameter_count; i++)
        ok = fscanf(file, "%lf", &p->x[i]) == 1;
    if (file)
        fclose(file);
    if (!ok)
        fprintf(stderr, "%s: cannot be read as a bundle adjustment problem\n", path);
    return ok;
}

/* ---- a mesh ---- */

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Directed edges, each once, by origin. */
static uint64_t *edges_of(FILE *file, uint32_t faces, uint32_t *count)
{
    uint64_t *edges = malloc((size_t)faces * 6 * sizeof *edges + 1);
    uint32_t total = 0;
    for (uint32_t f = 0; edges && f < faces; f++) {
        uint32_t n, v[3];
        if (fscanf(file, "%u %u %u %u", &n, &v[0], &v[1], &v[2]) != 4 || n != 3)
            break;
        for (int k = 0; k < 3; k++) {
            uint64_t a = v[k], b = v[(k + 1) % 3];
            edges[total++] = a << 32 | b;
            edges[total++] = b << 32 | a;
        }
    }
    *count = 0;
    if (!edges)
        return NULL;
    qsort(edges, total, sizeof *edges, compare_u64);
    for (uint32_t i = 0; i < total; i++)
        if (i == 0 || edges[i] != edges[i - 1])
            edges[(*count)++] = edges[i];
    return edges;
}

/* Parameters: positions of the vertices, then their rotations. */
static bool fill_arap(Problem *p, const uint64_t *edges, const double *v, uint32_t vertices)
{
    p->parameter_count = vertices * 6;
    if (!allocate(p))
        return false;
    for (uint32_t i = 0; i < vertices * 3; i++) {
        p->x[i] = v[i] * (1 + 0.1 * sin(i));
        p->x[vertices * 3 + i] = 0.3 * cos(i);
    }
    for (uint32_t e = 0; e < p->count; e++) {
        uint32_t a = (uint32_t)(edges[e] >> 32), b = (uint32_t)edges[e];
        p->index[3 * e] = 3 * a;
        p->index[3 * e + 1] = 3 * b;
        p->index[3 * e + 2] = 3 * vertices + 3 * a;
        for (int k = 0; k < 3; k++)
            p->data[3 * e + k] = v[3 * a + k] - v[3 * b + k];
    }
    return true;
}

bool problem_arap(Problem *p, const char *path)
{
    FILE *file = fopen(path, "r");
    uint32_t vertices = 0, faces = 0, ignored;
    *p = (Problem){.kind = PROBLEM_ARAP, .name = "arap", .blocks = 3, .outputs = 3, .inputs = 9,
                   .data_count = 3};
    bool ok = file && fscanf(file, "OFF %u %u %u", &vertices, &faces, &ignored) == 3 &&
              vertices < 1000000 && faces < 4000000;
    double *v = ok ? calloc(vertices * 3 + 1, sizeof *v) : NULL;
    for (uint32_t i = 0; v && ok && i < vertices * 3; i++)
        ok = fscanf(file, "%lf", &v[i]) == 1;
    uint64_t *edges = v && ok ? edges_of(file, faces, &p->count) : NULL;
    ok = edges && p->count > 0 && fill_arap(p, edges, v, vertices);
    free(edges);
    free(v);
    if (file)
        fclose(file);
    if (!ok)
        fprintf(stderr, "%s: cannot be read as a mesh of triangles\n", path);
    return ok;
}

/* ---- Gaussian fits: a exp(-(t - m)^2 / (2 s^2)) + b ---- */

bool problem_gauss(Problem *p, uint32_t fits, uint32_t points)
{
    *p = (Problem){.kind = PROBLEM_GAUSS, .name = "gauss", .count = fits * points, .blocks = 1,
                   .outputs = 1, .inputs = 4, .data_count = 2, .parameter_count = fits * 4};
    if (!allocate(p))
        return false;
    for (uint32_t f = 0; f < fits; f++) {
        double truth[4] = {1 + 0.1 * sin(f), 0.2 * cos(f), 0.5, 0.1};
        p->x[4 * f] = 1.1;
        p->x[4 * f + 1] = 0.1 * cos(f);
        p->x[4 * f + 2] = 0.45;
        p->x[4 * f + 3] = 0;
        for (uint32_t i = 0; i < points; i++) {
            size_t at = (size_t)f * points + i;
            double t = -2 + 4.0 * i / (points - 1), z = (t - truth[1]) / truth[2];
            p->index[at] = 4 * f;
            p->data[2 * at] = t;
            p->data[2 * at + 1] = truth[0] * exp(-0.5 * z * z) + truth[3];
        }
    }
    return true;
}
