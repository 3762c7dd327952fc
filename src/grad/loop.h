// SPDX-License-Identifier: Apache-2.0
/*
 * loop.h - the normal equations of a graph as statements, for kernels that iterate on the device:
 * the solver writes the kernel around them.
 *
 *     GradLoop *l = grad_loop_make(arena, graph, f64, "lm_");
 *     grad_loop_declare(l, w);              functions, before the entry point
 *     grad_loop_outside(l, w, names);       once for each set of parameters
 *     ... loop over instances ...
 *     grad_loop_inside(l, w, numbers);      for each instance
 *     ... sums of l->gradient, l->normal, l->cost ...
 *
 * knows  graphs, programs, context/writer.h
 * not    what is done with the sums
 */
#ifndef WEFT_GRAD_LOOP_H
#define WEFT_GRAD_LOOP_H

#include <weft/grad.h>

#include "base/arena.h"
#include "context/writer.h"

/* What an instance adds to a sum. */
typedef struct GradTerm {
    const char *value;              /* NULL: 0                                              */
    const char *factors[2];         /* value is their product; NULL: it is none             */
} GradTerm;

typedef struct GradLoop {
    uint32_t     slots;             /* parameters that are used, fixed ones included        */
    uint32_t    *slot_input;        /* [slots] among all of the graph's parameters: blocks one
                                       after the other, fixed ones included                 */
    uint32_t     columns;           /* differentiated ones                                  */
    uint32_t    *column_slot;       /* [columns]                                            */
    uint32_t     data;              /* numbers of an instance that are used                 */
    uint32_t    *data_from;         /* [data] among the graph's                             */
    /* expressions after grad_loop_inside() */
    GradTerm    *gradient;          /* [columns] of half the sum of squares                 */
    GradTerm    *normal;            /* [columns][columns], row <= column                    */
    GradTerm     cost;              /* half the sum of squares                              */
    struct GradLoopState *state;
} GradLoop;

/* Names with this prefix belong to the solver: no node gets one. In `arena`; lives until
 * grad_loop_release(). NULL, with an error on the graph's context, if an
 * operator has no WGSL or there is no memory. */
GradLoop *grad_loop_make(Arena *arena, weft_grad_graph *graph, bool f64, const char *prefix);
void      grad_loop_release(GradLoop *l);
void      grad_loop_declare(GradLoop *l, Writer *w);
/* names[slots]: expressions of the parameters' values. */
void      grad_loop_outside(GradLoop *l, Writer *w, const char *const *names);
/* numbers[data]: expressions of the instance's numbers. */
void      grad_loop_inside(GradLoop *l, Writer *w, const char *const *numbers);
/* How many parameters a graph has, fixed ones included. */
uint32_t  grad_loop_inputs(const weft_grad_graph *graph);
/* A literal in the kernel's precision. */
const char *grad_loop_literal(GradLoop *l, double value);

#endif
