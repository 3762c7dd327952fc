// SPDX-License-Identifier: Apache-2.0
/*
 * emit_priv.h - programs as WGSL.
 *
 * Element e of an owner p (an instance's position, or a run of instances) in a blocked buffer
 * with E elements for each is  (p / 16 * E + e) * 16 + p % 16.
 */
#ifndef WEFT_GRAD_EMIT_PRIV_H
#define WEFT_GRAD_EMIT_PRIV_H

#include "grad/program_priv.h"

#define EMIT_LANES 16u              /* instances of one block                               */
#define EMIT_GROUP 64u              /* invocations of a workgroup                           */
#define EMIT_STRIDE (32768u * EMIT_GROUP)   /* invocations in x, if y is used               */

typedef enum KernelMode {
    KERNEL_PLAIN,                   /* an invocation is an instance                         */
    KERNEL_SHARED,                  /* the same, and a workgroup has one block in common    */
    KERNEL_RUNS,                    /* an invocation is a run of instances with equal blocks */
} KernelMode;

/* Bindings in this order; those that a kernel does not use are left out. */
typedef enum KernelBinding {
    BINDING_PARAMETERS,             /* [rows] vec4                                          */
    BINDING_INDEX,                  /* blocked u32: row of each block of an owner           */
    BINDING_SHARED,                 /* [workgroups] u32: row of the common block            */
    BINDING_LENGTHS,                /* [runs] u32                                           */
    BINDING_DATA,                   /* blocked real                                         */
    BINDING_WEIGHTS,                /* blocked real                                         */
    BINDING_TANGENT,                /* [rows] vec4                                          */
    BINDING_RESULTS,                /* blocked real, written                                */
    BINDING_SUMS,                   /* blocked real (f64 in mixed precision), written       */
    BINDING_COUNT
} KernelBinding;

typedef struct KernelSpec {
    weft_grad_dialect dialect;
    weft_grad_layout  layout;       /* SOA and AOS have KERNEL_PLAIN alone                  */
    KernelMode        mode;
    uint32_t          run;          /* most instances of a run                              */
    bool              uneven;       /* runs have different lengths                          */
    bool              large;        /* more workgroups than one dimension has               */
    bool              sums_f64;     /* mixed precision                                      */
} KernelSpec;

typedef struct Kernel {
    const char *text;
    bool        bound[BINDING_COUNT];
    bool        weights, tangent;   /* follow the data of an instance, in SOA and AOS       */
} Kernel;

/* The text lives in `arena`. The graph must not have custom operators without WGSL. */
void grad_emit(Kernel *out, Arena *arena, const Program *p, const KernelSpec *spec);

#endif
