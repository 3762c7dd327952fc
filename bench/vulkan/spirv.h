/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv.h - how long Weft takes to make SPIR-V of a kernel.
 */
#ifndef WEFT_BENCH_VULKAN_SPIRV_H
#define WEFT_BENCH_VULKAN_SPIRV_H

/* Seconds of processor time, the median of several, from the text of the WGSL to the
 * words of its entry point `main`: in both forms, with checks of indices and without, as
 * for a driver that can do no more than Vulkan 1.1 asks. */
double spirv_seconds(const char *wgsl);

#endif
