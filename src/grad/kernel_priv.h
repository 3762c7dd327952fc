// SPDX-License-Identifier: Apache-2.0
/*
 * kernel_priv.h - compiled programs of a context, found again by topology.
 *
 * made by   kernel.c
 * read by   batches
 */
#ifndef WEFT_GRAD_KERNEL_PRIV_H
#define WEFT_GRAD_KERNEL_PRIV_H

#include "grad/emit_priv.h"

typedef struct GradKernel {
    uint32_t         references;
    weft_grad_graph *graph;         /* canonical                                            */
    uint8_t          hash[32];
    ProgramSpec      what;
    KernelSpec       how;
    Program          program;
    Kernel           text;
    Arena            arena;         /* of the text                                          */
    weft_pipeline   *pipeline;
    bool             compiled;      /* known to be                                          */
} GradKernel;

/* A new reference to the kernel for a canonical graph; made if the context has none. */
GradKernel *grad_kernel_get(weft_context *ctx, const Canon *canon, const ProgramSpec *what,
                       const KernelSpec *how);
/* Waits for the compiler; false with its error. */
bool        grad_kernel_wait(weft_context *ctx, GradKernel *kernel);
/* Whether it is made already. */
bool        grad_kernel_known(weft_context *ctx, const Canon *canon, const ProgramSpec *what,
                              const KernelSpec *how);
void        grad_kernel_release(GradKernel *kernel);

#endif
