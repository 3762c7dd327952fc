// SPDX-License-Identifier: Apache-2.0
/*
 * worth_priv.h - an estimate of what a kernel costs and saves (worth.c).
 */
#ifndef WEFT_GRAD_WORTH_PRIV_H
#define WEFT_GRAD_WORTH_PRIV_H

#include "grad/graph_priv.h"

/* The time of immediate evaluation of all instances, roughly. */
double grad_evaluate_ns(const weft_grad_graph *graph, uint32_t count, bool derivatives);
/* `derivatives`: more than values is computed. `f64`: the kernel computes in f64. */
bool grad_kernel_worth(const weft_grad_graph *graph, uint32_t count, bool derivatives, bool f64);

#endif
