// SPDX-License-Identifier: Apache-2.0
/*
 * worth.c - whether a kernel is worth its compilation.
 *
 * in     a canonical graph, the number of instances, what is computed
 * out    estimates from the operators alone: the same for every run of a program
 * knows  ops.def, what compilers take for each operator (measured on the CPU device)
 * not    kernels, devices
 *
 * A compilation takes as long as thousands of immediate evaluations. It is worth it if it is
 * short, or if immediate evaluation would take as long within EVALUATIONS evaluations.
 */
#include "grad/worth_priv.h"

#define EVALUATIONS   1000
#define SHORT_NS      250e6
#define COMPILE_NS    10e6          /* of an empty kernel                                   */
#define STATEMENT_NS  60e3          /* of an addition                                       */
#define EVALUATE_NS   4.0           /* of one node beside its arithmetic, 1 ns an addition  */
#define FUNCTION_COST 10u           /* operators that cost as much are functions            */

/* Statements that a node becomes, in additions. f64 has its functions in each place that calls
 * them, f32 calls them. */
static double statements(const Node *n, bool f64)
{
    uint8_t cost = grad_op_info[n->op].cost;
    if (cost == 0)
        return 0;
    if (n->op == OP_SUM || cost < FUNCTION_COST)
        return 1;
    if (!f64)
        return 2;
    switch (n->op) {
    case OP_SIN: case OP_COS: case OP_TAN: return 40;
    case OP_POW:                           return 60;
    default:                               return 8;
    }
}

double grad_evaluate_ns(const weft_grad_graph *graph, uint32_t count, bool derivatives)
{
    double ns = 0;
    for (uint32_t i = 0; i < graph->nodes.nodes.len; i++)
        ns += grad_op_info[nodes_get(&graph->nodes, i)->op].cost + EVALUATE_NS;
    /* The reverse pass goes through all nodes once more for each output. */
    return ns * count * (derivatives ? 1 + graph->outputs.len : 1);
}

bool grad_kernel_worth(const weft_grad_graph *graph, uint32_t count, bool derivatives, bool f64)
{
    double ns = 0;
    for (uint32_t i = 0; i < graph->nodes.nodes.len; i++)
        ns += statements(nodes_get(&graph->nodes, i), f64) * STATEMENT_NS;
    /* A derivative has about two statements for each one of its value. */
    ns = COMPILE_NS + (derivatives ? 3 * ns : ns);
    return ns <= SHORT_NS || ns <= EVALUATIONS * grad_evaluate_ns(graph, count, derivatives);
}
