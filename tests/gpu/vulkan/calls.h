// SPDX-License-Identifier: Apache-2.0
/*
 * calls.h - what programs on strange drivers have in common.
 *
 * Any of their calls may fail: nothing here stops the test.
 */
#ifndef WEFT_TESTS_GPU_VULKAN_CALLS_H
#define WEFT_TESTS_GPU_VULKAN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <webgpu/webgpu.h>

/* Finishes what was recorded, submits it and releases the encoder. */
void submit_commands(WGPUQueue queue, WGPUCommandEncoder encoder);
/* The first bytes of a buffer; false: they cannot be had. */
bool copy_out(WGPUInstance instance, WGPUDevice device, WGPUBuffer from, void *out,
              uint64_t size);

#endif
