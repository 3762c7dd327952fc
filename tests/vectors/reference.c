/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.c - plain C beside the kernels.
 */
#include "support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reference.h"

double reference_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 1073741824.0 - 1;
}

float *reference_rows(uint32_t count, uint32_t dim, uint32_t clusters, uint64_t seed)
{
    float *rows = malloc((size_t)count * dim * sizeof *rows);
    assert_non_null(rows);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t centre = 1000 + i % (clusters ? clusters : 1);
        for (uint32_t d = 0; d < dim; d++) {
            double at = clusters ? 2 * reference_random(&centre) : 0;
            double near = reference_random(&seed) + reference_random(&seed);
            rows[(size_t)i * dim + d] = (float)(at + near * (clusters ? 0.4 : 1));
        }
    }
    return rows;
}

double reference_score(const float *a, const float *b, uint32_t dim, weft_vectors_metric metric)
{
    double dot = 0, aa = 0, bb = 0, apart = 0;
    for (uint32_t i = 0; i < dim; i++) {
        dot += (double)a[i] * b[i];
        aa += (double)a[i] * a[i];
        bb += (double)b[i] * b[i];
        apart += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    }
    switch (metric) {
    case WEFT_VECTORS_COSINE: return dot / sqrt(aa * bb);
    case WEFT_VECTORS_DOT: return dot;
    default: return sqrt(apart);
    }
}

void reference_search(uint64_t *ids, double *scores, const float *query, const float *rows,
                      uint32_t count, uint32_t dim, weft_vectors_metric metric, uint32_t k)
{
    bool     small = metric == WEFT_VECTORS_EUCLIDEAN;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        double   s = reference_score(query, rows + (size_t)i * dim, dim, metric);
        uint32_t at = n < k ? n++ : k;
        for (; at > 0 && (small ? s < scores[at - 1] : s > scores[at - 1]); at--)
            if (at < k) {
                scores[at] = scores[at - 1];
                ids[at] = ids[at - 1];
            }
        if (at < k) {
            scores[at] = s;
            ids[at] = i;
        }
    }
}
