/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/device.h - kernels run on a device of webgpu.h, for tests that compare what
 * comes out.
 *
 * The device is the CPU, or with WEFT_TEST_BACKEND=vulkan the first Vulkan device;
 * VK_ICD_FILENAMES chooses its driver.
 */
#ifndef WEFT_SUPPORT_DEVICE_H
#define WEFT_SUPPORT_DEVICE_H

#include <stdbool.h>
#include <webgpu/webgpu.h>

#include "check/check.h"

typedef struct TestDevice {
    WGPUInstance instance;
    WGPUAdapter  adapter;
    WGPUDevice   device;
    WGPUQueue    queue;
    bool         is_vulkan, has_f16, has_f64, has_subgroups;
    uint32_t     subgroup_min, subgroup_max;
    char         error[1024];           /* the first since the last run; "": none */
} TestDevice;

typedef struct TestBuffer {
    uint32_t group, binding;
    bool     is_uniform;
    void    *data;                      /* before, and then after the run         */
    size_t   size;                      /* bytes                                  */
} TestBuffer;

typedef struct TestRun {
    Str      wgsl, entry;               /* entry.len 0: the only one              */
    const OverrideSetting *settings;
    uint32_t nsettings;
    const TestBuffer *buffers;          /* all that the entry point uses          */
    uint32_t nbuffers;
    const void *immediates;             /* NULL: none                             */
    uint32_t immediate_bytes;
    uint32_t groups[3];
} TestRun;

/* Whether the environment asks for Vulkan. */
bool test_device_is_vulkan(void);
/* Fails the test if there is none. */
void test_device_open(TestDevice *d);
/* Kernels are compiled for another processor, by LLVM's name. */
void test_device_open_for(TestDevice *d, const char *cpu);
void test_device_close(TestDevice *d);
/* What went wrong, or NULL. */
const char *test_device_run(TestDevice *d, const TestRun *run);

#endif
