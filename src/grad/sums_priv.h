// SPDX-License-Identifier: Apache-2.0
/*
 * sums_priv.h - sums of instances' contributions to parameters, in a fixed order.
 *
 * made by   sums.c
 * read by   batches
 */
#ifndef WEFT_GRAD_SUMS_PRIV_H
#define WEFT_GRAD_SUMS_PRIV_H

#include "grad/graph_priv.h"

/* One contribution: element `element` of a buffer belongs to the target `key`. */
typedef struct Contribution {
    uint64_t key;
    uint32_t element;
} Contribution;

#define SUMS_LEVELS 5               /* 256^5 contributions                                  */

typedef struct SumsLevel {
    uint32_t  targets;
    uint32_t *start;                /* [targets + 1]                                        */
    uint32_t *list;                 /* [start[targets]]                                     */
    weft_buffer *start_buffer, *list_buffer, *to;
} SumsLevel;

typedef struct Sums {
    uint32_t  targets;
    uint64_t *keys;                 /* [targets] ascending                                  */
    SumsLevel levels[SUMS_LEVELS];
    uint32_t  level_count;
    bool      uploaded;
} Sums;

/* Sorts `c` (stably, by key) and cuts lists into pieces. False without memory. */
bool sums_make(Sums *s, Contribution *c, size_t count);
void sums_fini(Sums *s);
/* Records the dispatches; the result is then in sums_result(). */
bool sums_run(Sums *s, weft_context *ctx, weft_buffer *from, bool f64);
weft_buffer *sums_result(const Sums *s);
/* The same on the host, in f64, from the elements of `from`. out[targets]. False without
 * memory. */
bool sums_host(double *out, const Sums *s, const void *from, bool f64);

#endif
