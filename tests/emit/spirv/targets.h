/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets.h - drivers that the tests emit SPIR-V for.
 */
#ifndef WEFT_TESTS_EMIT_SPIRV_TARGETS_H
#define WEFT_TESTS_EMIT_SPIRV_TARGETS_H

#include "emit/spirv/spirv.h"

typedef struct NamedTarget {
    const char *name;
    SpirvTarget target;
} NamedTarget;

static const NamedTarget targets[] = {
    {"the least", {0}},
    {"with f64", {.has_f64 = true}},
    {"with f16 alone", {.has_f16 = true, .merges_loads = true, .reruns_loops = true}},
    {"with f16 in storage", {.has_f16 = true, .has_storage16 = true, .rounds_even16 = true}},
    {"with all of it",
     {.has_f16 = true, .has_f64 = true, .has_storage16 = true, .has_uniform16 = true,
      .has_push16 = true, .keeps_inf_nan64 = true,
      .has_uniform_standard_layout = true, .has_int_dot = true, .has_zero_workgroup = true,
      .robust_storage = true, .robust_uniform = true, .keeps_inf_nan16 = true,
      .keeps_inf_nan32 = true, .rounds_even16 = true}},
    {"with SPIR-V 1.5",
     {.version = 0x00010500u, .has_f16 = true, .has_f64 = true, .has_storage16 = true,
      .has_uniform16 = true, .has_uniform_standard_layout = true, .has_zero_workgroup = true,
      .robust_storage = true, .row_lanes = 8, .breaks_first = true,
      .unrolls_initializers = true, .unrolls_nests = true, .tests_continue = true,
      .forgets_returns = true, .loads_by_lane = true}},
};

#endif
