// SPDX-License-Identifier: Apache-2.0
/*
 * immediate.c - evaluation of one instance in f64, with reverse mode on the graph as recorded.
 *
 * in     a graph, inputs and data of one instance
 * out    values and Jacobian; the reference for all kernels. The gradient checker
 * knows  graph_priv.h, value.c
 * not    kernels, transformations: nothing here is shared with derive.c and eliminate.c
 */
#include "grad/immediate_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *custom_without_functions(const weft_grad_graph *graph)
{
    for (uint32_t i = 0; i < graph->customs.len; i++)
        if (!graph->customs.data[i].evaluate)
            return graph->customs.data[i].name;
    return NULL;
}

bool immediate_possible(const weft_grad_graph *graph, const char **custom)
{
    *custom = custom_without_functions(graph);
    return *custom == NULL;
}

/* Nodes whose adjoint passes a choice: a zero there means that the branch was not taken. */
static void find_masked(Immediate *im)
{
    const Nodes *n = &im->graph->nodes;
    for (uint32_t id = n->nodes.len; id-- > 0;) {
        const Node *node = nodes_get(n, id);
        const uint32_t *args = nodes_args(n, id);
        bool choice = node->op == OP_SELECT || node->op == OP_MIN || node->op == OP_MAX;
        for (uint32_t i = 0; i < node->count; i++)
            if (choice || im->masked[id])
                im->masked[args[i]] = true;
    }
}

static void find_active(Immediate *im)
{
    const Nodes *n = &im->graph->nodes;
    for (uint32_t id = 0; id < n->nodes.len; id++) {
        const Node *node = nodes_get(n, id);
        const uint32_t *args = nodes_args(n, id);
        if (node->op == OP_INPUT)
            im->active[id] = im->columns[node->slot] != NODE_NONE;
        for (uint32_t i = 0; i < node->count; i++)
            im->active[id] |= im->active[args[i]];
    }
}

bool immediate_init(Immediate *im, const weft_grad_graph *graph)
{
    *im = (Immediate){.graph = graph};
    size_t count = graph->nodes.nodes.len + 1u;
    im->columns = calloc(graph->inputs + 1u, sizeof *im->columns);
    im->values = calloc(count, sizeof *im->values);
    im->adjoints = calloc(count, sizeof *im->adjoints);
    im->masked = calloc(count, sizeof *im->masked);
    im->active = calloc(count, sizeof *im->active);
    im->reached = calloc(count, sizeof *im->reached);
    if (!im->columns || !im->values || !im->adjoints || !im->masked || !im->active ||
        !im->reached) {
        immediate_fini(im);
        return false;
    }
    grad_columns(im->columns, graph);
    find_active(im);
    find_masked(im);
    return true;
}

void immediate_fini(Immediate *im)
{
    free(im->columns);
    free(im->values);
    free(im->adjoints);
    free(im->masked);
    free(im->active);
    free(im->reached);
    *im = (Immediate){0};
}

/* ---- forward ---- */

static double leaf_value(const Node *node, const double *inputs, const double *data)
{
    switch (node->op) {
    case OP_CONST: return node->value;
    case OP_TINY:  return TINY_F64;
    case OP_INPUT: return inputs[node->slot];
    case OP_DATA:  return data ? data[node->slot] : 0;
    default: BUG("a leaf of a graph is operator %d", node->op);
    }
}

static double node_value(const Immediate *im, const Node *node, const uint32_t *args)
{
    double a[2 * SUM_TERMS + 1];
    for (uint32_t i = 0; i < node->count; i++)
        a[i] = im->values[args[i]];
    if (node->op == OP_GIVEN)
        return a[0];
    if (node->op == OP_CUSTOM) {
        const GradCustom *custom = &im->graph->customs.data[node->slot];
        return custom->evaluate(custom->user, a);
    }
    return grad_value_of((Op)node->op, a, node->count);
}

void immediate_forward(Immediate *im, double *outputs, const double *inputs, const double *data)
{
    const Nodes *n = &im->graph->nodes;
    for (uint32_t id = 0; id < n->nodes.len; id++) {
        const Node *node = nodes_get(n, id);
        im->values[id] = node->count == 0 ? leaf_value(node, inputs, data)
                                          : node_value(im, node, nodes_args(n, id));
    }
    for (uint32_t o = 0; outputs && o < im->graph->outputs.len; o++)
        outputs[o] = im->values[im->graph->outputs.data[o].node];
}

/* ---- reverse ---- */

static void node_partials(const Immediate *im, double *p, PartialKind *kinds, const Node *node,
                          const uint32_t *args, double value)
{
    double a[2 * SUM_TERMS + 1];
    for (uint32_t i = 0; i < node->count; i++) {
        a[i] = im->values[args[i]];
        p[i] = 0;
        kinds[i] = PARTIAL_FACTOR;
    }
    if (node->op == OP_GIVEN)
        for (uint32_t i = 1; i + 1 < node->count; i += 2)
            p[i] = a[i + 1];
    else if (node->op == OP_CUSTOM) {
        const GradCustom *custom = &im->graph->customs.data[node->slot];
        custom->differentiate(custom->user, p, a);
    } else
        grad_value_partials(p, kinds, (Op)node->op, value, a, node->count);
}

static void add_adjoint(Immediate *im, uint32_t id, double value)
{
    im->adjoints[id] += value;
    im->reached[id] = true;
}

static void pull_back(Immediate *im, uint32_t id)
{
    const Nodes *n = &im->graph->nodes;
    const Node *node = nodes_get(n, id);
    const uint32_t *args = nodes_args(n, id);
    double p[2 * SUM_TERMS + 1], adjoint = im->adjoints[id];
    PartialKind kinds[2 * SUM_TERMS + 1];
    if (adjoint == 0 && im->masked[id])
        return;
    node_partials(im, p, kinds, node, args, im->values[id]);
    for (uint32_t i = 0; i < node->count; i++) {
        if (!im->active[args[i]])
            continue;
        if (kinds[i] == PARTIAL_TAKEN)
            add_adjoint(im, args[i], adjoint);
        else if (kinds[i] == PARTIAL_FACTOR && p[i] != 0)
            add_adjoint(im, args[i], adjoint * p[i]);
    }
}

/* Adds seed * d output / d input to gradient[columns], from the values of the last forward. */
void immediate_reverse(Immediate *im, double *gradient, uint32_t output, double seed)
{
    const Nodes *n = &im->graph->nodes;
    uint32_t top = im->graph->outputs.data[output].node;
    memset(im->adjoints, 0, (top + 1u) * sizeof *im->adjoints);
    memset(im->reached, 0, (top + 1u) * sizeof *im->reached);
    add_adjoint(im, top, seed);
    for (uint32_t id = top + 1; id-- > 0;) {
        if (!im->active[id] || !im->reached[id])
            continue;
        const Node *node = nodes_get(n, id);
        if (node->count > 0)
            pull_back(im, id);
        else if (node->op == OP_INPUT && im->columns[node->slot] != NODE_NONE)
            gradient[im->columns[node->slot]] += im->adjoints[id];
    }
}

/* ---- public ---- */

static bool ready(Immediate *im, weft_grad_graph *graph, const double *inputs)
{
    const char *custom;
    if (!grad_complete(graph))
        return false;
    if (!inputs && graph->inputs > 0)
        return context_fail(graph->ctx, WEFT_ERROR_INVALID, "%s: inputs is NULL", graph->label);
    if (!immediate_possible(graph, &custom))
        return context_fail(graph->ctx, WEFT_ERROR_UNSUPPORTED,
                            "%s: custom operator '%s' has no functions for immediate evaluation",
                            graph->label, custom);
    if (!immediate_init(im, graph))
        return context_fail(graph->ctx, WEFT_ERROR_MEMORY, "%s: no memory for %u nodes",
                            graph->label, graph->nodes.nodes.len);
    return true;
}

static void evaluate(Immediate *im, double *values, double *jacobian, const double *inputs,
                     const double *data)
{
    immediate_forward(im, values, inputs, data);
    if (!jacobian)
        return;
    uint32_t columns = im->graph->active, rows = im->graph->outputs.len;
    memset(jacobian, 0, (size_t)rows * columns * sizeof *jacobian);
    for (uint32_t o = 0; o < rows; o++)
        immediate_reverse(im, jacobian + (size_t)o * columns, o, 1);
}

bool weft_grad_graph_evaluate(double *values, double *jacobian, weft_grad_graph *graph,
                              const double *inputs, const double *data)
{
    Immediate im;
    if (!ready(&im, graph, inputs))
        return false;
    evaluate(&im, values, jacobian, inputs, data);
    immediate_fini(&im);
    return true;
}

typedef struct Check {
    double   *inputs, *jacobian, *above, *below;
    double    worst;
    uint32_t  output, input;
} Check;

static void check_column(Check *c, Immediate *im, const double *data, uint32_t slot, double h)
{
    uint32_t column = im->columns[slot], rows = im->graph->outputs.len;
    double x = c->inputs[slot], step = h * fmax(1, fabs(x));
    volatile double up = x + step, down = x - step;     /* the steps as they are rounded */
    c->inputs[slot] = up;
    immediate_forward(im, c->above, c->inputs, data);
    c->inputs[slot] = down;
    immediate_forward(im, c->below, c->inputs, data);
    c->inputs[slot] = x;
    for (uint32_t o = 0; o < rows; o++) {
        double exact = c->jacobian[(size_t)o * im->graph->active + column];
        double error = fabs((c->above[o] - c->below[o]) / (up - down) - exact) /
                       fmax(1, fabs(exact));
        if (error > c->worst || isnan(error)) {
            c->worst = isnan(error) ? INFINITY : error;
            c->output = o;
            c->input = column;
        }
    }
}

bool weft_grad_graph_check(double *error, uint32_t *output, uint32_t *input,
                           weft_grad_graph *graph, const double *inputs, const double *data,
                           double h)
{
    Immediate im;
    if (!ready(&im, graph, inputs))
        return false;
    size_t rows = graph->outputs.len;
    Check c = {.inputs = calloc(graph->inputs + 1u, sizeof(double)),
               .jacobian = calloc(rows * graph->active + 1, sizeof(double)),
               .above = calloc(rows, sizeof(double)), .below = calloc(rows, sizeof(double))};
    bool ok = c.inputs && c.jacobian && c.above && c.below;
    if (ok) {
        memcpy(c.inputs, inputs, graph->inputs * sizeof(double));
        evaluate(&im, c.above, c.jacobian, inputs, data);
        for (uint32_t slot = 0; slot < graph->inputs; slot++)
            if (im.columns[slot] != NODE_NONE)
                check_column(&c, &im, data, slot, h > 0 ? h : 1e-6);
        *error = c.worst;
        if (output)
            *output = c.output;
        if (input)
            *input = c.input;
    } else
        context_fail(graph->ctx, WEFT_ERROR_MEMORY, "%s: no memory for the check", graph->label);
    free(c.inputs);
    free(c.jacobian);
    free(c.above);
    free(c.below);
    immediate_fini(&im);
    return ok;
}
