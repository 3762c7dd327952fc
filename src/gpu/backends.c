// SPDX-License-Identifier: Apache-2.0
/*
 * backends.c - the kinds of device that this library is built with.
 */
#include "gpu/gpu.h"

const GpuBackend *const gpu_backends[] = {
    &gpu_cpu_backend,
    &gpu_vulkan_backend,
    NULL,
};
