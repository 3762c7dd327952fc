/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphs.h - the problems of bench/grad as graphs.
 */
#ifndef WEFT_BENCH_GRAD_GRAPHS_H
#define WEFT_BENCH_GRAD_GRAPHS_H

#include <weft/grad.h>

#include "problems.h"

weft_grad_graph *graph_of(weft_context *ctx, ProblemKind kind);
/* A graph of about `nodes` nodes, a tenth of them functions if asked for. */
weft_grad_graph *graph_large(weft_context *ctx, uint32_t nodes, bool functions);

#endif
