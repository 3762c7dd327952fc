// SPDX-License-Identifier: Apache-2.0
/*
 * random_graph.c - random graphs of every operator.
 *
 * in     a seed
 * out    a graph
 * knows  weft/grad.h
 * not    how graphs are evaluated
 */
#include "random_graph.h"

uint32_t random_below(Random *r, uint32_t n)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((r->state >> 33) % n);
}

double random_between(Random *r, double low, double high)
{
    return low + (high - low) * random_below(r, 1u << 30) / (double)(1u << 30);
}

static weft_grad_node num(weft_grad_graph *g, double v)
{
    return weft_grad_constant(g, v);
}

/* In (-limit, limit), smooth. */
static weft_grad_node bounded(weft_grad_graph *g, weft_grad_node a, double limit)
{
    return weft_grad_mul(g, num(g, limit), weft_grad_tanh(g, a));
}

static weft_grad_node positive(weft_grad_graph *g, weft_grad_node a, double least)
{
    return weft_grad_add(g, num(g, least), weft_grad_square(g, bounded(g, a, 2)));
}

weft_grad_node random_apply(weft_grad_graph *g, weft_grad_op op, const weft_grad_node *args,
                            uint32_t count)
{
    weft_grad_node a[8] = {0};
    for (uint32_t i = 0; i < count && i < 8; i++)
        a[i] = bounded(g, args[i], 3);
    switch (op) {
    case WEFT_GRAD_LOG: case WEFT_GRAD_SQRT: case WEFT_GRAD_RSQRT: case WEFT_GRAD_RECIPROCAL:
        a[0] = positive(g, a[0], 0.3); break;
    case WEFT_GRAD_ASIN: case WEFT_GRAD_ACOS: case WEFT_GRAD_ATANH:
        a[0] = bounded(g, a[0], 0.8); break;
    case WEFT_GRAD_TAN: a[0] = bounded(g, a[0], 1.2); break;
    case WEFT_GRAD_ACOSH: a[0] = positive(g, a[0], 1.2); break;
    case WEFT_GRAD_POW: a[0] = positive(g, a[0], 0.3); break;
    case WEFT_GRAD_DIV: case WEFT_GRAD_MOD: a[1] = positive(g, a[1], 0.5); break;
    case WEFT_GRAD_ATAN2: a[1] = positive(g, a[1], 0.2); break;
    default: break;
    }
    return weft_grad_apply(g, op, a, count);
}

weft_grad_graph *random_graph(weft_context *ctx, Random *r, const RandomGraphDesc *desc)
{
    static weft_grad_node pool[8192];
    uint32_t count = 0;
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    for (uint32_t b = 0; b < desc->blocks; b++) {
        uint32_t size = 1 + random_below(r, 6);
        if (b > 0 && random_below(r, 5) == 0)
            weft_grad_fixed(pool + count, g, NULL, size);
        else
            weft_grad_input(pool + count, g, NULL, size);
        count += size;
    }
    if (desc->data > 0)
        weft_grad_data(pool + count, g, "d", desc->data);
    count += desc->data;
    pool[count++] = num(g, 0.75);
    pool[count++] = num(g, 2);
    for (uint32_t i = 0; i < desc->operators && count < 8192; i++) {
        weft_grad_op op = (weft_grad_op)(1 + random_below(r, WEFT_GRAD_OP_COUNT - 1));
        uint32_t arity = 0;
        weft_grad_op_name(op, &arity);
        if (arity == 0)
            arity = 1 + random_below(r, 6);
        weft_grad_node args[8];
        for (uint32_t k = 0; k < arity; k++) {
            uint32_t recent = count < 24 ? count : 24;
            args[k] = random_below(r, 3) ? pool[count - 1 - random_below(r, recent)]
                                         : pool[random_below(r, count)];
        }
        pool[count++] = random_apply(g, op, args, arity);
    }
    for (uint32_t o = 0; o < desc->outputs; o++)
        weft_grad_output(g, pool[count - 1 - o], NULL);
    return g;
}
