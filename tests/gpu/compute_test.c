// SPDX-License-Identifier: Apache-2.0
/*
 * compute_test.c - the whole way on the CPU: from WGSL to numbers in a buffer.
 */
#include "support/test.h"

#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <webgpu/webgpu.h>
#include <webgpu/weft.h>

#include "base/macro.h"

enum { MAP_READ = 1, COPY_SRC = 4, COPY_DST = 8, UNIFORM = 0x40, STORAGE = 0x80,
       INDIRECT = 0x100, QUERY_RESOLVE = 0x200 };

/* ---- a device ---- */

typedef struct Cpu {
    WGPUInstance instance;
    WGPUAdapter  adapter;
    WGPUDevice   device;
    WGPUQueue    queue;
    int          lost;
    WGPUDeviceLostReason reason;
    char         message[500];
} Cpu;

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                       WGPUStringView message, void *cpu, void *unused)
{
    (void)message, (void)unused;
    assert_int_equal(status, WGPURequestAdapterStatus_Success);
    ((Cpu *)cpu)->adapter = adapter;
}

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message,
                      void *cpu, void *unused)
{
    (void)unused;
    if (status != WGPURequestDeviceStatus_Success)
        fail_msg("%.*s", (int)message.length, message.data);
    ((Cpu *)cpu)->device = device;
}

static void on_error(const WGPUDevice *device, WGPUErrorType type, WGPUStringView message,
                     void *unused1, void *unused2)
{
    (void)device, (void)type, (void)unused1, (void)unused2;
    fail_msg("%.*s", (int)message.length, message.data);
}

static void on_lost(const WGPUDevice *device, WGPUDeviceLostReason reason,
                    WGPUStringView message, void *context, void *unused)
{
    Cpu *cpu = context;
    (void)device, (void)unused;
    cpu->lost++;
    cpu->reason = reason;
    snprintf(cpu->message, sizeof cpu->message, "%.*s", (int)message.length, message.data);
}

static Cpu *cpu_open(uint64_t deadline)
{
    static const WGPUInstanceFeatureName timed = WGPUInstanceFeatureName_TimedWaitAny;
    static const WGPUFeatureName features[] = {WGPUFeatureName_TimestampQuery};
    Cpu *cpu = calloc(1, sizeof *cpu);
    WGPUWeftInstanceOptions options = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    options.cacheMode = WGPUWeftCacheMode_Memory;
    cpu->instance = wgpuCreateInstance(&(WGPUInstanceDescriptor){&options.chain, 1, &timed, NULL});
    WGPURequestAdapterOptions o = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    o.backendType = WGPUBackendType_WeftCPU;
    wgpuInstanceRequestAdapter(cpu->instance, &o, (WGPURequestAdapterCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_adapter, cpu, NULL});
    WGPUWeftDeviceOptions weft = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    weft.dispatchDeadlineNS = deadline;
    weft.threadCount = 2;
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.nextInChain = &weft.chain;
    d.requiredFeatureCount = COUNTOF(features);
    d.requiredFeatures = features;
    d.deviceLostCallbackInfo = (WGPUDeviceLostCallbackInfo){
        NULL, WGPUCallbackMode_AllowProcessEvents, on_lost, cpu, NULL};
    d.uncapturedErrorCallbackInfo.callback = on_error;
    wgpuAdapterRequestDevice(cpu->adapter, &d, (WGPURequestDeviceCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_device, cpu, NULL});
    cpu->queue = wgpuDeviceGetQueue(cpu->device);
    return cpu;
}

static void cpu_close(Cpu *cpu)
{
    wgpuQueueRelease(cpu->queue);
    wgpuDeviceRelease(cpu->device);
    wgpuAdapterRelease(cpu->adapter);
    wgpuInstanceRelease(cpu->instance);
    free(cpu);
}

static WGPUStringView sv(const char *text)
{
    return (WGPUStringView){text, WGPU_STRLEN};
}

/* ---- short ways ---- */

static WGPUBuffer buffer(Cpu *cpu, WGPUBufferUsage usage, uint64_t size, const void *data)
{
    WGPUBufferDescriptor d = {.usage = usage, .size = size, .mappedAtCreation = data != NULL};
    WGPUBuffer b = wgpuDeviceCreateBuffer(cpu->device, &d);
    if (data) {
        memcpy(wgpuBufferGetMappedRange(b, 0, size), data, size);
        wgpuBufferUnmap(b);
    }
    return b;
}

static WGPUComputePipeline pipeline(Cpu *cpu, const char *code, size_t count,
                                    const WGPUConstantEntry *constants)
{
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code = sv(code);
    WGPUShaderModuleDescriptor md = {&wgsl.chain, sv("module")};
    WGPUShaderModule m = wgpuDeviceCreateShaderModule(cpu->device, &md);
    WGPUComputePipelineDescriptor d = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    d.label = sv("kernel");
    d.compute.module = m;
    d.compute.constantCount = count;
    d.compute.constants = constants;
    WGPUComputePipeline p = wgpuDeviceCreateComputePipeline(cpu->device, &d);
    wgpuShaderModuleRelease(m);
    return p;
}

static WGPUBindGroup bind(Cpu *cpu, WGPUComputePipeline p, uint32_t group, uint32_t count,
                          const WGPUBuffer *buffers)
{
    WGPUBindGroupEntry e[4];
    for (uint32_t i = 0; i < count; i++) {
        e[i] = (WGPUBindGroupEntry)WGPU_BIND_GROUP_ENTRY_INIT;
        e[i].binding = i;
        e[i].buffer = buffers[i];
    }
    WGPUBindGroupLayout l = wgpuComputePipelineGetBindGroupLayout(p, group);
    WGPUBindGroupDescriptor d = {.layout = l, .entryCount = count, .entries = e};
    WGPUBindGroup g = wgpuDeviceCreateBindGroup(cpu->device, &d);
    wgpuBindGroupLayoutRelease(l);
    return g;
}

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *got, void *unused)
{
    (void)message, (void)unused;
    *(WGPUMapAsyncStatus *)got = status;
}

static void read_back(Cpu *cpu, WGPUBuffer from, void *out, uint64_t size)
{
    WGPUBuffer to = buffer(cpu, MAP_READ | COPY_DST, size, NULL);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(cpu->device, NULL);
    wgpuCommandEncoderCopyBufferToBuffer(e, from, 0, to, 0, size);
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, NULL);
    wgpuQueueSubmit(cpu->queue, 1, &c);
    wgpuCommandBufferRelease(c);
    wgpuCommandEncoderRelease(e);
    WGPUMapAsyncStatus status = 0;
    WGPUFutureWaitInfo wait = {wgpuBufferMapAsync(to, WGPUMapMode_Read, 0, size,
        (WGPUBufferMapCallbackInfo){NULL, WGPUCallbackMode_WaitAnyOnly, on_map, &status, NULL}), 0};
    assert_int_equal(wgpuInstanceWaitAny(cpu->instance, 1, &wait, UINT64_MAX),
                     WGPUWaitStatus_Success);
    assert_int_equal(status, WGPUMapAsyncStatus_Success);
    memcpy(out, wgpuBufferGetConstMappedRange(to, 0, size), size);
    wgpuBufferRelease(to);
}

typedef struct Pass {
    Cpu                   *cpu;
    WGPUCommandEncoder     encoder;
    WGPUComputePassEncoder pass;
} Pass;

static Pass begin(Cpu *cpu, WGPUComputePipeline p, WGPUBindGroup g)
{
    Pass pass = {.cpu = cpu, .encoder = wgpuDeviceCreateCommandEncoder(cpu->device, NULL)};
    pass.pass = wgpuCommandEncoderBeginComputePass(pass.encoder, NULL);
    wgpuComputePassEncoderSetPipeline(pass.pass, p);
    if (g)
        wgpuComputePassEncoderSetBindGroup(pass.pass, 0, g, 0, NULL);
    return pass;
}

static void end(Pass p)
{
    wgpuComputePassEncoderEnd(p.pass);
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(p.encoder, NULL);
    wgpuQueueSubmit(p.cpu->queue, 1, &c);
    wgpuCommandBufferRelease(c);
    wgpuComputePassEncoderRelease(p.pass);
    wgpuCommandEncoderRelease(p.encoder);
}

/* ---- tests ---- */

/* A program may end at any time, also while its kernels are being compiled. Before any
 * other test: a process with threads is no good to fork. */
static void test_a_program_ends_while_it_compiles(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            /* What is still there is not lost. */
            static Cpu *volatile cpu;
            static WGPUComputePipeline volatile p;
            cpu = cpu_open(0);
            p = pipeline(cpu,
                "@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n"
                "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n"
                "  for (var k = 0u; k < i; k++) { a[i] += sin(a[k]) * pow(a[i], f32(k)); }\n"
                "}\n", 0, NULL);
            assert_non_null(p);
            nanosleep(&(struct timespec){.tv_nsec = i * 2000000}, NULL);
            exit(0);
        }
        int status = 1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static void test_numbers_come_out(void **state)
{
    (void)state;
    enum { N = 1000 };
    Cpu *cpu = cpu_open(0);
    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(2 * i);
    }
    WGPUComputePipeline p = pipeline(cpu,
        "override a: f32;\n"
        "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"
        "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "  if (id.x < arrayLength(&y)) { y[id.x] += a * x[id.x]; }\n"
        "}\n", 1, &(WGPUConstantEntry){NULL, sv("a"), 3});
    WGPUBuffer bx = buffer(cpu, STORAGE, sizeof x, x), by = buffer(cpu, STORAGE | COPY_SRC,
                                                                     sizeof y, y);
    WGPUBindGroup g = bind(cpu, p, 0, 2, (WGPUBuffer[]){bx, by});
    Pass pass = begin(cpu, p, g);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, (N + 63) / 64, 1, 1);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, (N + 63) / 64, 1, 1);
    end(pass);
    read_back(cpu, by, y, sizeof y);
    for (int i = 0; i < N; i++)
        assert_true(y[i] == (float)(8 * i));
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(bx);
    wgpuBufferRelease(by);
    wgpuComputePipelineRelease(p);
    cpu_close(cpu);
}

/* Bindings may be declared in any order; the lists of the library are sorted. */
static void test_bindings_in_any_order(void **state)
{
    (void)state;
    Cpu *cpu = cpu_open(0);
    WGPUComputePipeline p = pipeline(cpu,
        "@group(0) @binding(2) var<storage, read> c: u32;\n"
        "@group(0) @binding(0) var<storage, read> a: u32;\n"
        "@group(0) @binding(3) var<storage, read_write> out: u32;\n"
        "@group(0) @binding(1) var<storage, read> b: u32;\n"
        "@compute @workgroup_size(1) fn main() { out = a + 10 * b + 100 * c; }\n", 0, NULL);
    WGPUBuffer buffers[4];
    for (uint32_t i = 0; i < 4; i++)
        buffers[i] = buffer(cpu, STORAGE | COPY_SRC, 4, &(uint32_t){i + 1});
    WGPUBindGroup g = bind(cpu, p, 0, 4, buffers);
    Pass pass = begin(cpu, p, g);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 1, 1, 1);
    end(pass);
    uint32_t got;
    read_back(cpu, buffers[3], &got, sizeof got);
    assert_int_equal(got, 321);
    wgpuBindGroupRelease(g);
    for (uint32_t i = 0; i < 4; i++)
        wgpuBufferRelease(buffers[i]);
    wgpuComputePipelineRelease(p);
    cpu_close(cpu);
}

static void test_workgroups_share_memory(void **state)
{
    (void)state;
    Cpu *cpu = cpu_open(0);
    WGPUComputePipeline p = pipeline(cpu,
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
        "var<workgroup> w: array<u32, 64>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32,\n"
        "                                     @builtin(workgroup_id) g: vec3<u32>) {\n"
        "  w[i] = i + g.x;\n"
        "  workgroupBarrier();\n"
        "  if (i == 0) { var s = 0u; for (var k = 0; k < 64; k++) { s += w[k]; } out[g.x] = s; }\n"
        "}\n", 0, NULL);
    WGPUBuffer out = buffer(cpu, STORAGE | COPY_SRC, 400, NULL);
    WGPUBindGroup g = bind(cpu, p, 0, 1, &out);
    Pass pass = begin(cpu, p, g);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 100, 1, 1);
    end(pass);
    uint32_t sums[100];
    read_back(cpu, out, sums, sizeof sums);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(sums[i], 2016 + 64 * i);
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(out);
    wgpuComputePipelineRelease(p);
    cpu_close(cpu);
}

static void test_counts_and_data_of_a_dispatch(void **state)
{
    (void)state;
    Cpu *cpu = cpu_open(0);
    WGPUComputePipeline p = pipeline(cpu,
        "struct I { a: u32, b: vec2<u32> } var<immediate> data: I;\n"
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
        "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3<u32>,\n"
        "                                    @builtin(num_workgroups) n: vec3<u32>) {\n"
        "  let i = g.x + n.x * (g.y + n.y * g.z);\n"
        "  out[i] += data.a + 10 * data.b.x + 100 * data.b.y;\n"
        "}\n", 0, NULL);
    uint32_t counts[] = {9, 2, 3, 4}, words[32];
    WGPUBuffer in = buffer(cpu, INDIRECT, sizeof counts, counts);
    WGPUBuffer out = buffer(cpu, STORAGE | COPY_SRC, 128, NULL);
    WGPUBindGroup g = bind(cpu, p, 0, 1, &out);
    Pass pass = begin(cpu, p, g);
    const uint32_t data[] = {1, 0, 2, 3}, less[] = {5};
    wgpuComputePassEncoderSetImmediates(pass.pass, 0, data, sizeof data);
    wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass.pass, in, 4);
    wgpuComputePassEncoderSetImmediates(pass.pass, 0, less, sizeof less);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 2, 1, 1);
    end(pass);
    read_back(cpu, out, words, sizeof words);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], (i < 24 ? 321 : 0) + (i < 2 ? 325 : 0));
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(in);
    wgpuBufferRelease(out);
    wgpuComputePipelineRelease(p);
    cpu_close(cpu);
}

static void test_timestamps_rise(void **state)
{
    (void)state;
    Cpu *cpu = cpu_open(0);
    WGPUQuerySetDescriptor qd = {.type = WGPUQueryType_Timestamp, .count = 2};
    WGPUQuerySet q = wgpuDeviceCreateQuerySet(cpu->device, &qd);
    WGPUBuffer   out = buffer(cpu, QUERY_RESOLVE | COPY_SRC, 16, NULL);
    WGPUComputePipeline p = pipeline(cpu, "@compute @workgroup_size(1) fn main() {}", 0, NULL);
    WGPUPassTimestampWrites w = {NULL, q, 0, 1};
    WGPUComputePassDescriptor pd = {.timestampWrites = &w};
    Pass pass = {.cpu = cpu, .encoder = wgpuDeviceCreateCommandEncoder(cpu->device, NULL)};
    pass.pass = wgpuCommandEncoderBeginComputePass(pass.encoder, &pd);
    wgpuComputePassEncoderSetPipeline(pass.pass, p);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 10, 1, 1);
    end(pass);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(cpu->device, NULL);
    wgpuCommandEncoderResolveQuerySet(e, q, 0, 2, out, 0);
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, NULL);
    wgpuQueueSubmit(cpu->queue, 1, &c);
    wgpuCommandBufferRelease(c);
    wgpuCommandEncoderRelease(e);
    uint64_t times[2];
    read_back(cpu, out, times, sizeof times);
    assert_true(times[0] > 0 && times[0] <= times[1]);
    wgpuComputePipelineRelease(p);
    wgpuBufferRelease(out);
    wgpuQuerySetRelease(q);
    cpu_close(cpu);
}

/* Threads that wait may do the queue's work. Each divides by 3 and reads it back, many
 * times; what comes out is rounded to nearest whatever the thread's own rounding. */
typedef struct Waits {
    Cpu                *cpu;
    WGPUComputePipeline pipeline;
    int                 rounding;
} Waits;

static void *divide_and_wait(void *context)
{
    const Waits *w = context;
    WGPUBuffer    out = buffer(w->cpu, STORAGE | COPY_SRC, 4, (const float[]){1});
    WGPUBindGroup g = bind(w->cpu, w->pipeline, 0, 1, &out);
    fesetround(w->rounding);
    float want = 1, got = 0;
    for (int i = 0; i < 50; i++) {
        Pass pass = begin(w->cpu, w->pipeline, g);
        wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 1, 1, 1);
        end(pass);
        read_back(w->cpu, out, &got, sizeof got);
        assert_int_equal(fegetround(), w->rounding);
        fesetround(FE_TONEAREST);
        want = want / 3 + 1;
        fesetround(w->rounding);
        assert_true(got == want);
    }
    fesetround(FE_TONEAREST);
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(out);
    return NULL;
}

static void test_threads_that_wait_do_the_work(void **state)
{
    static const struct { int rounding; size_t stack; } rows[] = {
        {FE_TONEAREST, 8u << 20}, {FE_UPWARD, 8u << 20}, {FE_DOWNWARD, 8u << 20},
        {FE_UPWARD, 256u << 10},            /* too small to help */
    };
    (void)state;
    Cpu      *cpu = cpu_open(0);
    Waits     waits[COUNTOF(rows)];
    pthread_t threads[COUNTOF(rows)];
    WGPUComputePipeline p = pipeline(cpu,
        "@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n"
        "@compute @workgroup_size(1) fn main() { a[0] = a[0] / 3.0 + 1.0; }\n", 0, NULL);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        pthread_attr_t attr;
        pthread_attr_init(&attr);
        pthread_attr_setstacksize(&attr, rows[i].stack);
        waits[i] = (Waits){cpu, p, rows[i].rounding};
        assert_int_equal(pthread_create(&threads[i], &attr, divide_and_wait, &waits[i]), 0);
        pthread_attr_destroy(&attr);
    }
    for (size_t i = 0; i < COUNTOF(rows); i++)
        pthread_join(threads[i], NULL);
    wgpuComputePipelineRelease(p);
    cpu_close(cpu);
}

/* A kernel that never ends is stopped, and the device with it. */
static void test_a_deadline_ends_the_device(void **state)
{
    (void)state;
    Cpu *cpu = cpu_open(50000000);
    WGPUComputePipeline p = pipeline(cpu,
        "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;\n"
        "@compute @workgroup_size(1) fn main() {\n"
        "  while (atomicLoad(&a[0]) == 0) { atomicAdd(&a[1], 1u); }\n"
        "}\n", 0, NULL);
    WGPUBuffer out = buffer(cpu, STORAGE, 16, NULL);
    WGPUBindGroup g = bind(cpu, p, 0, 1, &out);
    Pass pass = begin(cpu, p, g);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 1, 1, 1);
    end(pass);
    WGPUFutureWaitInfo wait = {wgpuDeviceGetLostFuture(cpu->device), 0};
    assert_int_equal(wgpuInstanceWaitAny(cpu->instance, 1, &wait, UINT64_MAX),
                     WGPUWaitStatus_Success);
    assert_int_equal(cpu->lost, 1);
    assert_int_equal(cpu->reason, WGPUDeviceLostReason_Unknown);
    assert_memory_equal(cpu->message, "compute pipeline 'kernel': ", 27);
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(out);
    wgpuComputePipelineRelease(p);
    cpu_close(cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_program_ends_while_it_compiles),
        cmocka_unit_test(test_numbers_come_out),
        cmocka_unit_test(test_bindings_in_any_order),
        cmocka_unit_test(test_workgroups_share_memory),
        cmocka_unit_test(test_counts_and_data_of_a_dispatch),
        cmocka_unit_test(test_timestamps_rise),
        cmocka_unit_test(test_threads_that_wait_do_the_work),
        cmocka_unit_test(test_a_deadline_ends_the_device),
    };
    return cmocka_run_group_tests_name("compute", tests, NULL, NULL);
}
