// SPDX-License-Identifier: Apache-2.0
/*
 * spirv.h - from a checked module to SPIR-V, and what a device must know of it.
 *
 * in     a Module, an entry point, override values, what the driver can do
 * out    a SpirvKernel
 * knows  the pipeline: lower, opt, emit/spirv
 * not    Vulkan, caches
 *
 * Threads  may be called from any thread at any time.
 */
#ifndef WEFT_COMPILE_SPIRV_H
#define WEFT_COMPILE_SPIRV_H

#include "check/check.h"
#include "emit/spirv/spirv.h"
#include "opt/proof.h"

typedef struct SpirvBinding {
    uint32_t group, binding;
    bool     is_uniform;            /* else a storage buffer                      */
    bool     read_only;             /* never written by this kernel               */
} SpirvBinding;

typedef struct SpirvKernel {
    SpirvCode     code;
    SpirvBinding *bindings;         /* [nbindings] that the kernel uses, by group,
                                       then binding                               */
    uint32_t      nbindings;
    uint32_t      immediate_bytes;  /* of push constants, from 0 on; 0: none      */
    uint32_t      workgroup_size[3];
    uint64_t      workgroup_bytes;  /* workgroup memory                           */
    bool          uses_subgroups;
    Proof         proof;            /* what its dispatches must fulfil; buffers are
                                       numbered as bindings                       */
} SpirvKernel;

/*
 * The kernel of `entry` with these overrides. Everything it points to is in `arena`,
 * which must be initialised; memory running out is a diagnostic, too. False after a
 * diagnostic.
 */
bool spirv_compile(SpirvKernel *out, Arena *arena, const Module *m, const Decl *entry,
                   const OverrideSetting *settings, uint32_t nsettings,
                   const SpirvTarget *target, Diag *diag);

/*
 * The same, without checks of indices that out->proof settles: it may only run where
 * that holds. For drivers that do not keep accesses inside of buffers by themselves.
 */
bool spirv_compile_assuming(SpirvKernel *out, Arena *arena, const Module *m,
                            const Decl *entry, const OverrideSetting *settings,
                            uint32_t nsettings, const SpirvTarget *target, Diag *diag);

/* Whether a proof holds for a dispatch; sizes: [nbindings] bytes of what is bound. */
bool spirv_proof_holds(const Proof *proof, const uint64_t *sizes, uint32_t nbindings,
                       const uint32_t num_workgroups[3]);

#endif
