// SPDX-License-Identifier: Apache-2.0
/*
 * spirv.h - from IR to a SPIR-V module with one compute kernel.
 *
 * in     a verified Ir; what the driver can do
 * out    words for vkCreateShaderModule: entry point "main", descriptor set =
 *        @group, binding = @binding, immediates = push constants
 * knows  SPIR-V (its enumerants come from <spirv/unified1/spirv.h>)
 * not    WGSL, devices, Vulkan
 */
#ifndef WEFT_EMIT_SPIRV_SPIRV_H
#define WEFT_EMIT_SPIRV_SPIRV_H

#include "ir/ir.h"

#define SPIRV_1_3 0x00010300u
#define SPIRV_1_4 0x00010400u

/*
 * What the driver can do. Zero is the least: Vulkan 1.1 without any feature. A field
 * may only be true if the feature that its comment names is enabled in the device.
 */
typedef struct SpirvTarget {
    uint32_t version;               /* 0: SPIRV_1_3; at most what the driver takes  */
    bool has_f16;                   /* shaderFloat16                                */
    bool has_f64;                   /* shaderFloat64                                */
    bool fuses_f64;                 /* Fma of f64 rounds once; not on lavapipe      */
    bool has_storage16;             /* storageBuffer16BitAccess                     */
    bool has_uniform16;             /* uniformAndStorageBuffer16BitAccess           */
    bool has_push16;                /* storagePushConstant16                        */
    bool has_uniform_standard_layout; /* uniformBufferStandardLayout                */
    bool has_int_dot;               /* shaderIntegerDotProduct                      */
    bool has_zero_workgroup;        /* shaderZeroInitializeWorkgroupMemory, and not
                                       slower than a kernel that does it itself     */
    bool robust_storage;            /* robustBufferAccess2: an access to a storage
                                       buffer never leaves its binding              */
    bool robust_uniform;            /* the same for uniform buffers                 */
    bool keeps_inf_nan16;           /* shaderSignedZeroInfNanPreserveFloat16        */
    bool keeps_inf_nan32;           /* shaderSignedZeroInfNanPreserveFloat32        */
    bool keeps_inf_nan64;           /* shaderSignedZeroInfNanPreserveFloat64        */
    bool rounds_even16;             /* shaderRoundingModeRTEFloat16                 */
    uint32_t row_lanes;             /* lavapipe: lanes that it fills with invocations
                                       of one row alone, so that short rows waste
                                       them and break up subgroups. 0: as it should */
    bool merges_loads;              /* SwiftShader: what is loaded from read-only buffers
                                       is taken for known later, also in lanes that
                                       were off then; so no buffer is said to be one */
    bool reruns_loops;              /* SwiftShader, lavapipe: invocations that have left a
                                       loop compute its values again with the others, and
                                       load zeros; only phis keep theirs            */
    bool forgets_returns;           /* lavapipe: behind a loop that it takes to have one
                                       round, and in which who does not continue leaves it,
                                       those go on who have returned                */
    bool unrolls_initializers;      /* lavapipe: an initialiser becomes a store of each
                                       element, and a thousand of them take its compiler
                                       minutes                                      */
    bool unrolls_nests;             /* lavapipe: loops that go through an array of the
                                       invocation's own are unrolled, whatever is in them,
                                       and loops in loops as well: ten thousand
                                       instructions take its compiler a minute      */
    bool breaks_first;              /* lavapipe: its compiler gives up if the first
                                       invocation's value is that of floats          */
    bool loads_by_lane;             /* lavapipe: each load goes through the lanes one by
                                       one. So what is the same in all of them is loaded by
                                       the first and broadcast; with row_lanes        */
    bool tests_continue;            /* lavapipe: the continue construct stands at the head
                                       of the loop, behind a test, and each value that
                                       comes from there costs a select in each round.
                                       Variables do not, and become values            */
} SpirvTarget;

typedef struct SpirvCode {
    const uint32_t *words;
    size_t          count;
} SpirvCode;

/*
 * In `arena`, and under the caller's arena_try(). False after a diagnostic: the
 * kernel needs what the target does not have.
 */
bool spirv_emit(Arena *arena, const Ir *ir, const SpirvTarget *target, Diag *diag,
                SpirvCode *out);

/* The module as text in the form that spirv-as reads, an instruction a line. */
void spirv_print(Text *out, SpirvCode code);

#endif
