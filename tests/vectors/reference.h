/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - vectors for the tests, and plain C in double that does what the kernels do.
 */
#ifndef WEFT_TESTS_VECTORS_REFERENCE_H
#define WEFT_TESTS_VECTORS_REFERENCE_H

#include <weft/vectors.h>

#include "context/fixture.h"

/* rows[count][dim] around `clusters` centres (0: one cloud around the origin), by the seed.
 * malloc'ed. */
float *reference_rows(uint32_t count, uint32_t dim, uint32_t clusters, uint64_t seed);
double reference_random(uint64_t *state);           /* from -1 to 1 */

double reference_score(const float *a, const float *b, uint32_t dim, weft_vectors_metric metric);
/* The nearest `k` of rows[count][dim], best first: row numbers and scores. */
void reference_search(uint64_t *ids, double *scores, const float *query, const float *rows,
                      uint32_t count, uint32_t dim, weft_vectors_metric metric, uint32_t k);

#endif
