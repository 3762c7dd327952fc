// SPDX-License-Identifier: Apache-2.0
/*
 * text.c - the kernel of a graph as text, for people and for other implementations.
 *
 * in     a graph, products, dialect, layout
 * out    WGSL
 * knows  program.c, emit.c
 * not    devices
 */
#include "grad/emit_priv.h"

static const char *desc_fault(const weft_grad_kernel_desc *d)
{
    if ((uint32_t)d->dialect > WEFT_GRAD_WGSL_F32)
        return "unknown dialect";
    if ((uint32_t)d->layout > WEFT_GRAD_AOS)
        return "unknown layout";
    if ((uint32_t)d->weights > WEFT_GRAD_GIVEN)
        return "unknown weights";
    if (d->products & ~31u)
        return "unknown products";
    return NULL;
}

bool grad_kernels_possible(const weft_grad_graph *graph, const char **custom)
{
    for (uint32_t i = 0; i < graph->customs.len; i++)
        if (!graph->customs.data[i].value) {
            *custom = graph->customs.data[i].name;
            return false;
        }
    return true;
}

const char *weft_grad_graph_wgsl(weft_grad_graph *graph, const weft_grad_kernel_desc *desc)
{
    weft_grad_kernel_desc d = desc ? *desc : (weft_grad_kernel_desc){0};
    const char *custom, *fault = desc_fault(&d);
    Canon canon;
    Program p;
    Kernel kernel;
    if (!grad_complete(graph))
        return NULL;
    if (fault)
        return grad_fail(graph, WEFT_ERROR_INVALID, "%s", fault), NULL;
    if (!grad_kernels_possible(graph, &custom)) {
        context_fail(graph->ctx, WEFT_ERROR_UNSUPPORTED,
                     "%s: custom operator '%s' has no WGSL", graph->label, custom);
        return NULL;
    }
    if (!canon_make(&canon, graph))
        return NULL;
    bool fuse = d.dialect != WEFT_GRAD_WGSL_F32 && d.layout == WEFT_GRAD_AUTO &&
                d.products & ~(uint32_t)WEFT_GRAD_VALUES;
    grad_program_make(&p, canon.graph, &(ProgramSpec){d.products ? d.products : WEFT_GRAD_VALUES,
                                                 d.weights, NODE_NONE, fuse});
    arena_fini(&graph->text);
    arena_init(&graph->text, 0);
    grad_emit(&kernel, &graph->text, &p, &(KernelSpec){.dialect = d.dialect,
                                                         .layout = d.layout});
    grad_program_fini(&p);
    weft_grad_graph_release(canon.graph);
    return kernel.text;
}
