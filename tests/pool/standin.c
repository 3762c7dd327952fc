/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standin.c - see standin.h. It replaces some functions of webgpu.h; the others are those of
 * the library that it is linked with.
 */
#include "standin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <webgpu/webgpu.h>
#include <webgpu/weft.h>
#include <weft/kernel.h>

#define MAX_COSTS 4096

typedef struct Cost {
    const void *object;             /* module or pipeline                                   */
    double      flops, functions, bytes, group;     /* per invocation; invocations a group  */
} Cost;

static StandinSettings settings;
static StandinState    state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Cost            costs[MAX_COSTS];
static uint32_t        cost_count;
static Cost            current;     /* of the pipeline that is set                          */
static double          pending_ns;  /* recorded, not submitted                              */
static bool            pending_launch;
static uint64_t        busy_until, live_bytes, random_state = 1;
static WGPUDevice      device_now;

/* ---- the library behind ---- */

static void *real_library(void)
{
    static void *handle;
    if (!handle)
        handle = dlopen(STANDIN_REAL, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        abort();
    return handle;
}

static void find(void *place, const char *name)
{
    void *symbol = dlsym(real_library(), name);
    if (!symbol)
        abort();
    memcpy(place, &symbol, sizeof symbol);
}

#define REAL(name) WGPUProc##name real; find(&real, "wgpu" #name)

/* ---- settings ---- */

__attribute__((visibility("default"))) void standin_configure(const StandinSettings *s)
{
    settings = *s;
    random_state = s->seed * 2 + 1;
}

__attribute__((visibility("default"))) StandinState *standin_state(void)
{
    return &state;
}

static double factor(void)
{
    double now = atomic_load(&state.slowdown);
    return now > 0 ? now : settings.slowdown > 0 ? settings.slowdown : 1;
}

static uint64_t clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t until)
{
    for (uint64_t now = clock_now(); now < until; now = clock_now())
        if (until - now > 150000)
            nanosleep(&(struct timespec){.tv_nsec = (long)((until - now - 100000) % 1000000000)},
                      NULL);
}

static void fault_at(StandinFault crash, StandinFault hang)
{
    if (settings.fault == crash)
        abort();
    while (settings.fault == hang)
        pause();
}

/* ---- time ---- */

static void spend(double ns)
{
    ns *= factor();
    if (ns <= 0)
        return;
    pthread_mutex_lock(&lock);
    uint64_t now = clock_now();
    busy_until = (busy_until > now ? busy_until : now) + (uint64_t)ns;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&state.simulated_ns, (unsigned long long)ns);
}

static double over(double amount, double rate)
{
    return rate > 0 ? amount / rate * 1e9 : 0;
}

static Cost cost_of_text(const char *text)
{
    Cost        c = {0};
    const char *said = strstr(text, "//! flops ");
    weft_kernel_info info;
    weft_kernel *(*create)(const weft_kernel_desc *);
    void (*release)(weft_kernel *);
    void (*get_info)(weft_kernel_info *, const weft_kernel *);
    find(&create, "weft_kernel_create");
    find(&release, "weft_kernel_release");
    find(&get_info, "weft_kernel_get_info");
    weft_kernel *k = create(&(weft_kernel_desc){.wgsl = text});
    if (!k)
        return c;
    get_info(&info, k);
    c.flops = info.float_operations.value;
    c.functions = info.functions.value;
    c.bytes = info.bytes_read.value + info.bytes_written.value;
    c.group = (double)info.workgroup_size[0] * info.workgroup_size[1] * info.workgroup_size[2];
    release(k);
    if (said)
        sscanf(said, "//! flops %lf functions %lf bytes %lf", &c.flops, &c.functions, &c.bytes);
    return c;
}

static void remember(const void *object, Cost c)
{
    pthread_mutex_lock(&lock);
    c.object = object;
    uint32_t at = 0;
    while (at < cost_count && costs[at].object != object)
        at++;
    if (at == MAX_COSTS)
        at = 0;
    costs[at] = c;
    if (at == cost_count && cost_count < MAX_COSTS)
        cost_count++;
    pthread_mutex_unlock(&lock);
}

static Cost recall(const void *object)
{
    Cost c = {0};
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < cost_count; i++)
        if (costs[i].object == object)
            c = costs[i];
    pthread_mutex_unlock(&lock);
    return c;
}

/* ---- instance and adapter ---- */

WGPUInstance wgpuCreateInstance(const WGPUInstanceDescriptor *desc)
{
    fault_at(STANDIN_CRASH_INSTANCE, STANDIN_HANG_INSTANCE);
    if (settings.fault == STANDIN_EXIT_INSTANCE)
        _exit(7);
    REAL(CreateInstance);
    return real(desc);
}

/* It has one adapter, the CPU device. */
WGPUFuture wgpuInstanceRequestAdapter(WGPUInstance instance,
                                      const WGPURequestAdapterOptions *options,
                                      WGPURequestAdapterCallbackInfo info)
{
    WGPURequestAdapterOptions     wish = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    WGPUWeftRequestAdapterOptions none = WGPU_WEFT_REQUEST_ADAPTER_OPTIONS_INIT;
    bool first = true;
    fault_at(STANDIN_CRASH_ADAPTER, STANDIN_HANG_ADAPTER);
    for (const WGPUChainedStruct *c = options ? options->nextInChain : NULL; c; c = c->next) {
        if (c->sType != WGPUSType_WeftRequestAdapterOptions)
            continue;
        WGPUStringView name = ((const WGPUWeftRequestAdapterOptions *)c)->name;
        first = !name.data || strncmp(name.data, "#0", 2) == 0;
    }
    wish.backendType = WGPUBackendType_WeftCPU;
    if (!first || settings.fault == STANDIN_NO_ADAPTER) {
        wish.backendType = WGPUBackendType_Undefined;
        none.name = (WGPUStringView){"#99", WGPU_STRLEN};
        wish.nextInChain = &none.chain;
    }
    REAL(InstanceRequestAdapter);
    return real(instance, &wish, info);
}

WGPUStatus wgpuAdapterGetInfo(WGPUAdapter adapter, WGPUAdapterInfo *info)
{
    WGPUAdapterInfo    is = WGPU_ADAPTER_INFO_INIT;
    WGPUChainedStruct *chain = info->nextInChain;
    REAL(AdapterGetInfo);
    WGPUProcAdapterInfoFreeMembers free_members;
    find(&free_members, "wgpuAdapterInfoFreeMembers");
    real(adapter, &is);
    const char *name = settings.name ? settings.name : "standin";
    free_members(is);
    *info = (WGPUAdapterInfo)WGPU_ADAPTER_INFO_INIT;
    info->nextInChain = chain;
    info->vendor = (WGPUStringView){"weft tests", 10};
    info->device = (WGPUStringView){name, strlen(name)};
    info->description = (WGPUStringView){"stands before another library", 29};
    info->backendType = WGPUBackendType_Vulkan;
    info->adapterType = !settings.type ? WGPUAdapterType_CPU
                      : strcmp(settings.type, "discrete") == 0 ? WGPUAdapterType_DiscreteGPU
                                                               : WGPUAdapterType_IntegratedGPU;
    for (WGPUChainedStruct *c = chain; c; c = c->next)
        if (c->sType == WGPUSType_WeftAdapterInfo) {
            ((WGPUWeftAdapterInfo *)c)->memory = settings.memory ? settings.memory
                                                                 : (uint64_t)8 << 30;
            ((WGPUWeftAdapterInfo *)c)->driver = (WGPUStringView){"1.0", 3};
        }
    return WGPUStatus_Success;
}

void wgpuAdapterInfoFreeMembers(WGPUAdapterInfo info)
{
    (void)info;
}

void wgpuAdapterGetFeatures(WGPUAdapter adapter, WGPUSupportedFeatures *features)
{
    REAL(AdapterGetFeatures);
    real(adapter, features);
    WGPUFeatureName *list;
    memcpy(&list, &features->features, sizeof list);
    for (size_t i = 0; settings.no_f16 && i < features->featureCount; i++)
        if (list[i] == WGPUFeatureName_ShaderF16)
            list[i] = list[features->featureCount - 1] == WGPUFeatureName_ShaderF16
                    ? WGPUFeatureName_TimestampQuery : list[features->featureCount - 1];
}

/* ---- the device ---- */

WGPUFuture wgpuAdapterRequestDevice(WGPUAdapter adapter, const WGPUDeviceDescriptor *desc,
                                    WGPURequestDeviceCallbackInfo info)
{
    WGPUDeviceDescriptor wish = *desc;
    WGPULimits           beyond = WGPU_LIMITS_INIT;
    fault_at(STANDIN_CRASH_DEVICE, STANDIN_HANG_DEVICE);
    if (settings.fault == STANDIN_NO_DEVICE || atomic_load(&state.refuse_devices)) {
        beyond.maxBindGroups = 1000;
        wish.requiredLimits = &beyond;
    } else {
        atomic_fetch_add(&state.devices_opened, 1);
    }
    REAL(AdapterRequestDevice);
    return real(adapter, &wish, info);
}

WGPUQueue wgpuDeviceGetQueue(WGPUDevice device)
{
    REAL(DeviceGetQueue);
    pthread_mutex_lock(&lock);
    device_now = device;
    live_bytes = 0;
    pending_ns = 0;
    pthread_mutex_unlock(&lock);
    return real(device);
}

WGPUBuffer wgpuDeviceCreateBuffer(WGPUDevice device, const WGPUBufferDescriptor *desc)
{
    WGPUBufferDescriptor wish = *desc;
    REAL(DeviceCreateBuffer);
    pthread_mutex_lock(&lock);
    if (settings.memory && live_bytes + wish.size > settings.memory)
        wish.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_MapWrite;    /* an error */
    else
        live_bytes += wish.size;
    pthread_mutex_unlock(&lock);
    return real(device, &wish);
}

void wgpuBufferDestroy(WGPUBuffer buffer)
{
    REAL(BufferDestroy);
    WGPUProcBufferGetSize get_size;
    find(&get_size, "wgpuBufferGetSize");
    uint64_t size = get_size(buffer);
    pthread_mutex_lock(&lock);
    live_bytes -= size < live_bytes ? size : live_bytes;
    pthread_mutex_unlock(&lock);
    real(buffer);
}

/* ---- kernels ---- */

WGPUShaderModule wgpuDeviceCreateShaderModule(WGPUDevice device,
                                              const WGPUShaderModuleDescriptor *desc)
{
    REAL(DeviceCreateShaderModule);
    WGPUShaderModule module = real(device, desc);
    const WGPUShaderSourceWGSL *source = (const WGPUShaderSourceWGSL *)desc->nextInChain;
    char *text = strndup(source->code.data, source->code.length == WGPU_STRLEN
                                            ? strlen(source->code.data) : source->code.length);
    remember(module, cost_of_text(text));
    free(text);
    return module;
}

WGPUComputePipeline wgpuDeviceCreateComputePipeline(WGPUDevice device,
                                                    const WGPUComputePipelineDescriptor *desc)
{
    REAL(DeviceCreateComputePipeline);
    WGPUComputePipeline pipeline = real(device, desc);
    remember(pipeline, recall(desc->compute.module));
    return pipeline;
}

typedef struct Waiting {
    WGPUCreateComputePipelineAsyncCallbackInfo info;
    Cost                                       cost;
} Waiting;

static void on_pipeline(WGPUCreatePipelineAsyncStatus status, WGPUComputePipeline pipeline,
                        WGPUStringView message, void *user1, void *user2)
{
    Waiting *w = user1;
    (void)user2;
    if (pipeline)
        remember(pipeline, w->cost);
    w->info.callback(status, pipeline, message, w->info.userdata1, w->info.userdata2);
    free(w);
}

WGPUFuture wgpuDeviceCreateComputePipelineAsync(WGPUDevice device,
                                                const WGPUComputePipelineDescriptor *desc,
                                                WGPUCreateComputePipelineAsyncCallbackInfo info)
{
    REAL(DeviceCreateComputePipelineAsync);
    Waiting *w = malloc(sizeof *w);
    *w = (Waiting){info, recall(desc->compute.module)};
    info.callback = on_pipeline;
    info.userdata1 = w;
    return real(device, desc, info);
}

/* ---- commands ---- */

void wgpuComputePassEncoderSetPipeline(WGPUComputePassEncoder pass, WGPUComputePipeline pipeline)
{
    REAL(ComputePassEncoderSetPipeline);
    current = recall(pipeline);
    real(pass, pipeline);
}

void wgpuComputePassEncoderDispatchWorkgroups(WGPUComputePassEncoder pass, uint32_t x,
                                              uint32_t y, uint32_t z)
{
    REAL(ComputePassEncoderDispatchWorkgroups);
    double n = (double)x * y * z * current.group;
    double compute = over(n * current.flops, settings.f32_rate)
                   + over(n * current.functions, settings.function_rate);
    double memory = over(n * current.bytes, settings.bandwidth);
    pending_ns += compute > memory ? compute : memory;
    pending_launch = true;
    atomic_fetch_add(&state.dispatches, 1);
    real(pass, settings.fault == STANDIN_WRONG_RESULTS ? 0 : x, y, z);
}

void wgpuCommandEncoderCopyBufferToBuffer(WGPUCommandEncoder encoder, WGPUBuffer from,
                                          uint64_t from_offset, WGPUBuffer to,
                                          uint64_t to_offset, uint64_t size)
{
    REAL(CommandEncoderCopyBufferToBuffer);
    WGPUProcBufferGetUsage usage;
    find(&usage, "wgpuBufferGetUsage");
    if (usage(to) & WGPUBufferUsage_MapRead)
        pending_ns += over((double)size, settings.read_rate);
    real(encoder, from, from_offset, to, to_offset, size);
}

void wgpuQueueWriteBuffer(WGPUQueue queue, WGPUBuffer buffer, uint64_t offset, const void *data,
                          size_t size)
{
    REAL(QueueWriteBuffer);
    spend(over((double)size, settings.upload_rate));
    real(queue, buffer, offset, data, size);
}

static bool lose_now(void)
{
    if (atomic_exchange(&state.lose_next, false))
        return true;
    if (!settings.lose_each)
        return false;
    pthread_mutex_lock(&lock);
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    bool lose = (random_state >> 33) % settings.lose_each == 0;
    pthread_mutex_unlock(&lock);
    return lose;
}

static void lose(void)
{
    WGPUProcDeviceDestroy destroy;
    find(&destroy, "wgpuDeviceDestroy");
    atomic_fetch_add(&state.devices_lost, 1);
    destroy(device_now);
}

void wgpuQueueSubmit(WGPUQueue queue, size_t count, const WGPUCommandBuffer *commands)
{
    REAL(QueueSubmit);
    fault_at(STANDIN_CRASH_SUBMIT, STANDIN_NONE + 1000);
    if (atomic_load(&state.hold_submits)) {
        atomic_fetch_add(&state.held, 1);
        while (atomic_load(&state.hold_submits))
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
        atomic_fetch_sub(&state.held, 1);
    }
    atomic_fetch_add(&state.submits, 1);
    if (lose_now())
        lose();
    real(queue, count, commands);
    spend(pending_ns + (pending_launch ? settings.launch_ns : 0));
    pending_ns = 0;
    pending_launch = false;
}

/* ---- waiting ---- */

static uint64_t end_of_work(void)
{
    pthread_mutex_lock(&lock);
    uint64_t until = busy_until;
    pthread_mutex_unlock(&lock);
    return until;
}

WGPUWaitStatus wgpuInstanceWaitAny(WGPUInstance instance, size_t count, WGPUFutureWaitInfo *list,
                                   uint64_t timeout)
{
    REAL(InstanceWaitAny);
    uint64_t now = clock_now(), until = end_of_work();
    if (until > now && timeout < until - now) {
        sleep_until(now + timeout);
        return WGPUWaitStatus_TimedOut;
    }
    sleep_until(until);
    return real(instance, count, list, timeout);
}
