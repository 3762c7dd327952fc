// SPDX-License-Identifier: Apache-2.0
/*
 * compile_memory_test.c - the C library has no more memory for the threads that compile, from
 * some allocation on: the pipeline fails with an error, and the next one is made.
 *
 * The program's own malloc(), calloc() and realloc() stand before the C library's.
 */
#include "support/test.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/device.h"

#ifdef __GLIBC__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static _Thread_local bool is_main;          /* never runs out                     */
static atomic_bool        failing;
static atomic_long        left;             /* allocations until there are none   */

static bool fails(void)
{
    if (!atomic_load(&failing) || is_main || atomic_fetch_sub(&left, 1) > 0)
        return false;
    errno = ENOMEM;
    return true;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

static void on_pipeline(WGPUCreatePipelineAsyncStatus status, WGPUComputePipeline pipeline,
                        WGPUStringView message, void *out, void *unused)
{
    (void)unused, (void)message;    /* there may be no memory for one             */
    *(WGPUCreatePipelineAsyncStatus *)out = status;
    if (pipeline)
        wgpuComputePipelineRelease(pipeline);
}

/* Whether there is a pipeline though the compilers have memory for `n` allocations only;
 * each number is another kernel. */
static bool compiles(const TestDevice *d, uint32_t number, long n)
{
    char source[400];
    snprintf(source, sizeof source,
             "@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n"
             "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {\n"
             "  for (var k = 0u; k < %uu; k++) { if (a[i.x] > 1) { a[i.x + k] = sin(a[k]); } }\n"
             "}\n", number);
    WGPUShaderSourceWGSL text = WGPU_SHADER_SOURCE_WGSL_INIT;
    text.code = (WGPUStringView){source, WGPU_STRLEN};
    WGPUShaderModule module = wgpuDeviceCreateShaderModule(
        d->device, &(WGPUShaderModuleDescriptor){.nextInChain = &text.chain});
    WGPUComputePipelineDescriptor desc = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    desc.compute.module = module;
    WGPUCreatePipelineAsyncStatus status = WGPUCreatePipelineAsyncStatus_CallbackCancelled;
    atomic_store(&left, n);
    atomic_store(&failing, n >= 0);
    WGPUFutureWaitInfo wait = {wgpuDeviceCreateComputePipelineAsync(d->device, &desc,
        (WGPUCreateComputePipelineAsyncCallbackInfo){
            NULL, WGPUCallbackMode_WaitAnyOnly, on_pipeline, &status, NULL}), false};
    while (!wait.completed)
        (void)wgpuInstanceWaitAny(d->instance, 1, &wait, 1000000);
    atomic_store(&failing, false);
    wgpuShaderModuleRelease(module);
    return status == WGPUCreatePipelineAsyncStatus_Success;
}

static void test_no_memory_for_compilers(void **state)
{
    TestDevice d;
    uint32_t   number = 1, failures = 0;
    (void)state;
    is_main = true;
    test_device_open(&d);
    assert_true(compiles(&d, number++, -1));
    for (long n = 0; n < 100000; n += 1 + n / 8) {
        if (compiles(&d, number++, n))
            break;
        failures++;
        if (failures % 8 == 0)
            assert_true(compiles(&d, number++, -1));
    }
    assert_true(failures > 10);
    assert_true(compiles(&d, number++, -1));
    test_device_close(&d);
}
#else
static void test_no_memory_for_compilers(void **state)
{
    (void)state;
    skip();                         /* no other names for the functions            */
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_memory_for_compilers),
    };
    if (test_device_is_vulkan())
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
