// SPDX-License-Identifier: Apache-2.0
/*
 * async.c - three ways to hear that a buffer is mapped.
 *
 * in     a kernel that looks for primes
 * out    how many there are, in three stretches of numbers
 *
 * A callback runs when the program looks. What counts as looking is its mode:
 * WaitAnyOnly: a wait for just this future. AllowProcessEvents: any look at the
 * instance, as from an event loop. AllowSpontaneous: at any time, on any thread,
 * where it may do little more than read what is mapped.
 */
#define _POSIX_C_SOURCE 200809L         /* nanosleep() */
#include <pthread.h>

#include "common.h"

enum { STRETCH = 20000, GROUP = 64, PRIMES_BELOW_60000 = 6057 };

static const char wgsl[] =
    "override first : u32;\n"
    "@group(0) @binding(0) var<storage, read_write> count : atomic<u32>;\n"
    "@compute @workgroup_size(64)\n"
    "fn primes(@builtin(global_invocation_id) id : vec3u) {\n"
    "  let n = first + id.x;\n"
    "  if id.x >= 20000u || n < 2u {\n"
    "    return;\n"
    "  }\n"
    "  for (var d = 2u; d * d <= n; d++) {\n"
    "    if n % d == 0u {\n"
    "      return;\n"
    "    }\n"
    "  }\n"
    "  atomicAdd(&count, 1u);\n"
    "}\n";

typedef struct Stretch {
    WGPUBuffer staging;
    uint32_t   count;
    pthread_t  thread;                  /* that ran the callback */
    bool       done;
} Stretch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;    /* of every Stretch */

/* Submits the search; the count ends up in stretch->staging. */
static void start(const Gpu *gpu, WGPUShaderModule module, uint32_t first, Stretch *stretch)
{
    WGPUConstantEntry from = WGPU_CONSTANT_ENTRY_INIT;
    from.key = text("first");
    from.value = first;
    WGPUComputePipelineDescriptor desc = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    desc.compute.module = module;
    desc.compute.constantCount = 1;
    desc.compute.constants = &from;
    WGPUComputePipeline primes = wgpuDeviceCreateComputePipeline(gpu->device, &desc);
    WGPUBuffer count = buffer_create(gpu, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc,
                                     4, NULL);
    WGPUBindGroup group = bind_group_create(gpu, primes, 1, &count);
    stretch->staging = buffer_create(
        gpu, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, 4, NULL);
    dispatch(gpu, primes, group, (STRETCH + GROUP - 1) / GROUP, 1);
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu->device, NULL);
    wgpuCommandEncoderCopyBufferToBuffer(encoder, count, 0, stretch->staging, 0, 4);
    submit(gpu, encoder);
    /* Submitted work keeps alive what it needs. */
    wgpuBindGroupRelease(group);
    wgpuBufferRelease(count);
    wgpuComputePipelineRelease(primes);
}

static void got_count(WGPUMapAsyncStatus status, WGPUStringView message, void *user,
                      void *unused)
{
    Stretch *stretch = (Stretch *)user;
    (void)unused;
    if (status != WGPUMapAsyncStatus_Success)
        fatal("cannot map: ", message);
    pthread_mutex_lock(&lock);
    memcpy(&stretch->count, wgpuBufferGetConstMappedRange(stretch->staging, 0, 4), 4);
    stretch->thread = pthread_self();
    stretch->done = true;
    pthread_mutex_unlock(&lock);
}

static bool is_done(const Stretch *stretch)
{
    pthread_mutex_lock(&lock);
    bool done = stretch->done;
    pthread_mutex_unlock(&lock);
    return done;
}

static WGPUFuture map(Stretch *stretch, WGPUCallbackMode mode)
{
    WGPUBufferMapCallbackInfo then = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    then.mode = mode;
    then.callback = got_count;
    then.userdata1 = stretch;
    return wgpuBufferMapAsync(stretch->staging, WGPUMapMode_Read, 0, 4, then);
}

static void nap(void)
{
    const struct timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, NULL);
}

int main(void)
{
    Gpu gpu = gpu_open();
    WGPUShaderModule module = module_create(&gpu, wgsl);
    Stretch s[3];
    memset(s, 0, sizeof s);
    for (uint32_t i = 0; i < 3; i++)
        start(&gpu, module, i * STRETCH, &s[i]);
    map(&s[0], WGPUCallbackMode_AllowSpontaneous);
    map(&s[1], WGPUCallbackMode_AllowProcessEvents);
    WGPUFutureWaitInfo wait = WGPU_FUTURE_WAIT_INFO_INIT;
    wait.future = map(&s[2], WGPUCallbackMode_WaitAnyOnly);

    /* A library without threads of its own still needs to be looked at. */
    for (int naps = 0; !is_done(&s[0]); naps++)
        naps < 1000 ? nap() : wgpuInstanceProcessEvents(gpu.instance);
    printf("%u primes below %d, heard on %s thread\n", s[0].count, STRETCH,
           pthread_equal(s[0].thread, pthread_self()) ? "this" : "another");

    int looks = 0;
    for (; !is_done(&s[1]); looks++)
        wgpuInstanceProcessEvents(gpu.instance);
    printf("%u more below %d, after %d looks\n", s[1].count, 2 * STRETCH, looks);

    /* A timeout of 0 looks once and does not sleep. */
    while (!wait.completed)
        wgpuInstanceWaitAny(gpu.instance, 1, &wait, gpu.can_sleep ? UINT64_MAX : 0);
    printf("%u more below %d, says the wait\n", s[2].count, 3 * STRETCH);

    for (int i = 0; i < 3; i++)
        wgpuBufferRelease(s[i].staging);
    wgpuShaderModuleRelease(module);
    gpu_close(&gpu);
    return verdict(s[0].count + s[1].count + s[2].count == PRIMES_BELOW_60000);
}
