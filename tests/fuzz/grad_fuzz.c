// SPDX-License-Identifier: Apache-2.0
/*
 * grad_fuzz.c - any bytes as calls that build a graph: operators, arguments that may be wrong,
 * constants, blocks. What is built is evaluated, differentiated, signed and written as WGSL, which
 * must be valid.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weft/wgsl.h>

#include <weft/grad.h>

#include "base/macro.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Bytes {
    const uint8_t *at, *end;
} Bytes;

static uint32_t next(Bytes *b)
{
    return b->at < b->end ? *b->at++ : 0;
}

#define NODES 512

static weft_grad_node pick(Bytes *b, const weft_grad_node *nodes, uint32_t count)
{
    uint32_t which = next(b) | next(b) << 8;
    if (which == 0xffff)
        return which;               /* not a node */
    return count ? nodes[which % count] : 0;
}

static double constant_of(Bytes *b)
{
    static const double special[] = {0, 1, -1, 2, 0.5, -0.5, 3, 1e300, -1e-300, NAN, INFINITY, 16};
    uint32_t which = next(b);
    return which < COUNTOF(special) ? special[which] : (int)which / 7.0 - 20;
}

/* One call. Returns the number of nodes. */
static uint32_t step(weft_grad_graph *g, Bytes *b, weft_grad_node *nodes, uint32_t count)
{
    uint32_t what = next(b), size;
    weft_grad_node args[16];
    switch (what % 16) {
    case 0:
        size = 1 + next(b) % 5;
        if (what & 16)
            weft_grad_fixed(nodes + count, g, "f", size);
        else
            weft_grad_input(nodes + count, g, what & 32 ? "x" : NULL, size);
        return count + size;
    case 1:
        weft_grad_data(nodes + count, g, "d", 1);
        return count + 1;
    case 2: case 3:
        nodes[count] = weft_grad_constant(g, constant_of(b));
        return count + 1;
    case 4:
        weft_grad_output(g, pick(b, nodes, count), NULL);
        return count;
    case 5:
        for (uint32_t i = 0; i < 6; i++)
            args[i] = pick(b, nodes, count);
        weft_grad_eigenvalues(nodes + count, g, args);
        return count + 3;
    case 6:
        for (uint32_t i = 0; i < 4; i++)
            args[i] = pick(b, nodes, count);
        nodes[count] = weft_grad_with_gradient(g, args[0], args + 1, args + 2, 1);
        return count + 1;
    default: {
        uint32_t op = next(b) % (WEFT_GRAD_OP_COUNT + 1), arity = 0;
        weft_grad_op_name((weft_grad_op)op, &arity);
        size = arity ? arity : 1 + next(b) % 8;
        for (uint32_t i = 0; i < size; i++)
            args[i] = pick(b, nodes, count);
        nodes[count] = weft_grad_apply(g, (weft_grad_op)op, args, size);
        return count + 1;
    }
    }
}

static void check_text(weft_grad_graph *g, weft_grad_kernel_desc desc)
{
    const char *text = weft_grad_graph_wgsl(g, &desc);
    if (!text)
        abort();
    weft_wgsl *module = weft_wgsl_create(&(weft_wgsl_desc){.source = text});
    if (!weft_wgsl_ok(module))
        abort();
    weft_wgsl_release(module);
}

static void use(weft_context *ctx, weft_grad_graph *g, Bytes *b)
{
    weft_grad_graph_info info;
    uint8_t hash[32];
    if (!weft_grad_graph_get_info(&info, g) || info.outputs == 0)
        return;
    double x[NODES], d[NODES], *values = calloc(info.outputs, 8);
    double *j = calloc((size_t)info.outputs * info.inputs + 1, 8);
    double *again = calloc((size_t)info.outputs * info.inputs + 1, 8);
    for (uint32_t i = 0; i < NODES; i++) {
        x[i] = (int)next(b) / 32.0 - 4;
        d[i] = (int)next(b) / 16.0 - 8;
    }
    if (!weft_grad_graph_evaluate(values, j, g, x, d) ||
        !weft_grad_graph_signature(hash, NULL, g))
        abort();
    uint32_t way = next(b);
    check_text(g, (weft_grad_kernel_desc){.dialect = (weft_grad_dialect)(way & 1 ? 2 : 0),
                                          .products = 1 + way % 31,
                                          .weights = (weft_grad_weights)(way % 3),
                                          .layout = (weft_grad_layout)(way / 3 % 3)});
    weft_grad_batch *batch = weft_grad_batch_create(ctx, &(weft_grad_batch_desc){
        .graph = g, .count = 1, .parameter_count = NODES, .data = d});
    if (!weft_grad_batch_evaluate(batch, &(weft_grad_evaluation){
            .x = x, .values = values, .jacobian = again}))
        abort();
    weft_grad_batch_release(batch);
    free(values);
    free(j);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes b = {data, data + size};
    weft_context *ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    weft_grad_graph *g = weft_grad_graph_create(ctx, NULL);
    weft_grad_node nodes[NODES];
    uint32_t count = 0;
    while (b.at < b.end && count < NODES - 8)
        count = step(g, &b, nodes, count);
    use(ctx, g, &b);
    weft_grad_graph_release(g);
    weft_context_release(ctx);
    return 0;
}
