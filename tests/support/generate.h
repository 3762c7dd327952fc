/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/generate.h - random kernels that are valid WGSL and end.
 *
 * in     a number
 * out    the text of a kernel, the same for the same number
 *
 * What a kernel computes does not depend on anything that WGSL leaves open: indices
 * are in bounds, loops count to small numbers, floats stay small and whole, so that
 * every way of computing them gives the same bits. Two ways of running one kernel
 * can so be held against each other byte by byte.
 *
 * Bindings, all of group 0:
 *   0  var<storage> words : array<u32, GENERATE_WORDS>       any numbers
 *   1  var<storage, read_write> out : array<u32>             GENERATE_INVOCATIONS
 *   2  var<storage, read_write> sums : array<atomic<u32>, 4>
 */
#ifndef WEFT_SUPPORT_GENERATE_H
#define WEFT_SUPPORT_GENERATE_H

#include "base/text.h"

#define GENERATE_WORDS       64u
#define GENERATE_GROUPS      2u
#define GENERATE_GROUP_SIZE  20u        /* not a multiple of any number of lanes  */
#define GENERATE_INVOCATIONS (GENERATE_GROUPS * GENERATE_GROUP_SIZE)

void generate_kernel(Text *out, uint64_t seed);

#endif
