// SPDX-License-Identifier: Apache-2.0
/*
 * compute_test.c - the whole way on a device: from WGSL to numbers in a buffer.
 *
 * On the CPU device, or with WEFT_TEST_BACKEND=vulkan on the first Vulkan device.
 */
#include "support/test.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
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

typedef struct Gpu {
    WGPUInstance instance;
    WGPUAdapter  adapter;
    WGPUDevice   device;
    WGPUQueue    queue;
    int          lost;
    WGPUDeviceLostReason reason;
    char         message[500];
} Gpu;

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                       WGPUStringView message, void *gpu, void *unused)
{
    (void)unused;
    if (status != WGPURequestAdapterStatus_Success)
        fail_msg("%.*s", (int)message.length, message.data);
    ((Gpu *)gpu)->adapter = adapter;
}

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message,
                      void *gpu, void *unused)
{
    (void)unused;
    if (status != WGPURequestDeviceStatus_Success)
        fail_msg("%.*s", (int)message.length, message.data);
    ((Gpu *)gpu)->device = device;
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
    Gpu *gpu = context;
    (void)device, (void)unused;
    gpu->lost++;
    gpu->reason = reason;
    snprintf(gpu->message, sizeof gpu->message, "%.*s", (int)message.length, message.data);
}

static bool on_vulkan(void)
{
    const char *backend = getenv("WEFT_TEST_BACKEND");
    return backend && strcmp(backend, "vulkan") == 0;
}

static Gpu *gpu_open(uint64_t deadline)
{
    static const WGPUInstanceFeatureName timed = WGPUInstanceFeatureName_TimedWaitAny;
    static const WGPUFeatureName features[] = {WGPUFeatureName_TimestampQuery};
    Gpu *gpu = calloc(1, sizeof *gpu);
    WGPUWeftInstanceOptions options = WGPU_WEFT_INSTANCE_OPTIONS_INIT;
    options.cacheMode = WGPUWeftCacheMode_Memory;
    gpu->instance = wgpuCreateInstance(&(WGPUInstanceDescriptor){&options.chain, 1, &timed, NULL});
    WGPURequestAdapterOptions o = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    o.backendType = on_vulkan() ? WGPUBackendType_Vulkan : WGPUBackendType_WeftCPU;
    wgpuInstanceRequestAdapter(gpu->instance, &o, (WGPURequestAdapterCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_adapter, gpu, NULL});
    WGPUWeftDeviceOptions weft = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    weft.dispatchDeadlineNS = deadline;
    weft.threadCount = 2;
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.nextInChain = &weft.chain;
    d.requiredFeatureCount = COUNTOF(features);
    d.requiredFeatures = features;
    d.deviceLostCallbackInfo = (WGPUDeviceLostCallbackInfo){
        NULL, WGPUCallbackMode_AllowProcessEvents, on_lost, gpu, NULL};
    d.uncapturedErrorCallbackInfo.callback = on_error;
    wgpuAdapterRequestDevice(gpu->adapter, &d, (WGPURequestDeviceCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_device, gpu, NULL});
    gpu->queue = wgpuDeviceGetQueue(gpu->device);
    return gpu;
}

static void gpu_close(Gpu *gpu)
{
    wgpuQueueRelease(gpu->queue);
    wgpuDeviceRelease(gpu->device);
    wgpuAdapterRelease(gpu->adapter);
    wgpuInstanceRelease(gpu->instance);
    free(gpu);
}

static WGPUStringView sv(const char *text)
{
    return (WGPUStringView){text, WGPU_STRLEN};
}

/* ---- short ways ---- */

static WGPUBuffer buffer(Gpu *gpu, WGPUBufferUsage usage, uint64_t size, const void *data)
{
    WGPUBufferDescriptor d = {.usage = usage, .size = size, .mappedAtCreation = data != NULL};
    WGPUBuffer b = wgpuDeviceCreateBuffer(gpu->device, &d);
    if (data) {
        memcpy(wgpuBufferGetMappedRange(b, 0, size), data, size);
        wgpuBufferUnmap(b);
    }
    return b;
}

static WGPUComputePipeline pipeline(Gpu *gpu, const char *code, size_t count,
                                    const WGPUConstantEntry *constants)
{
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code = sv(code);
    WGPUShaderModuleDescriptor md = {&wgsl.chain, sv("module")};
    WGPUShaderModule m = wgpuDeviceCreateShaderModule(gpu->device, &md);
    WGPUComputePipelineDescriptor d = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    d.label = sv("kernel");
    d.compute.module = m;
    d.compute.constantCount = count;
    d.compute.constants = constants;
    WGPUComputePipeline p = wgpuDeviceCreateComputePipeline(gpu->device, &d);
    wgpuShaderModuleRelease(m);
    return p;
}

static WGPUBindGroup bind(Gpu *gpu, WGPUComputePipeline p, uint32_t group, uint32_t count,
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
    WGPUBindGroup g = wgpuDeviceCreateBindGroup(gpu->device, &d);
    wgpuBindGroupLayoutRelease(l);
    return g;
}

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *got, void *unused)
{
    (void)message, (void)unused;
    *(WGPUMapAsyncStatus *)got = status;
}

static void read_back(Gpu *gpu, WGPUBuffer from, void *out, uint64_t size)
{
    WGPUBuffer to = buffer(gpu, MAP_READ | COPY_DST, size, NULL);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(gpu->device, NULL);
    wgpuCommandEncoderCopyBufferToBuffer(e, from, 0, to, 0, size);
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, NULL);
    wgpuQueueSubmit(gpu->queue, 1, &c);
    wgpuCommandBufferRelease(c);
    wgpuCommandEncoderRelease(e);
    WGPUMapAsyncStatus status = 0;
    WGPUFutureWaitInfo wait = {wgpuBufferMapAsync(to, WGPUMapMode_Read, 0, size,
        (WGPUBufferMapCallbackInfo){NULL, WGPUCallbackMode_WaitAnyOnly, on_map, &status, NULL}), 0};
    assert_int_equal(wgpuInstanceWaitAny(gpu->instance, 1, &wait, UINT64_MAX),
                     WGPUWaitStatus_Success);
    assert_int_equal(status, WGPUMapAsyncStatus_Success);
    memcpy(out, wgpuBufferGetConstMappedRange(to, 0, size), size);
    wgpuBufferRelease(to);
}

typedef struct Pass {
    Gpu                   *gpu;
    WGPUCommandEncoder     encoder;
    WGPUComputePassEncoder pass;
} Pass;

static Pass begin(Gpu *gpu, WGPUComputePipeline p, WGPUBindGroup g)
{
    Pass pass = {.gpu = gpu, .encoder = wgpuDeviceCreateCommandEncoder(gpu->device, NULL)};
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
    wgpuQueueSubmit(p.gpu->queue, 1, &c);
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
            static Gpu *volatile gpu;
            static WGPUComputePipeline volatile p;
            gpu = gpu_open(0);
            p = pipeline(gpu,
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
    Gpu *gpu = gpu_open(0);
    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(2 * i);
    }
    WGPUComputePipeline p = pipeline(gpu,
        "override a: f32;\n"
        "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"
        "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "  if (id.x < arrayLength(&y)) { y[id.x] += a * x[id.x]; }\n"
        "}\n", 1, &(WGPUConstantEntry){NULL, sv("a"), 3});
    WGPUBuffer bx = buffer(gpu, STORAGE, sizeof x, x), by = buffer(gpu, STORAGE | COPY_SRC,
                                                                     sizeof y, y);
    WGPUBindGroup g = bind(gpu, p, 0, 2, (WGPUBuffer[]){bx, by});
    Pass pass = begin(gpu, p, g);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, (N + 63) / 64, 1, 1);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, (N + 63) / 64, 1, 1);
    end(pass);
    read_back(gpu, by, y, sizeof y);
    for (int i = 0; i < N; i++)
        assert_true(y[i] == (float)(8 * i));
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(bx);
    wgpuBufferRelease(by);
    wgpuComputePipelineRelease(p);
    gpu_close(gpu);
}

/* Runs a kernel on `in` and gives back what it leaves in `out`, of as many words. */
static void run_on(const char *code, const uint32_t *in, uint32_t nin, uint32_t *out,
                   uint32_t nout, uint32_t x, uint32_t y)
{
    Gpu *gpu = gpu_open(0);
    WGPUComputePipeline p = pipeline(gpu, code, 0, NULL);
    WGPUBuffer b[] = {buffer(gpu, STORAGE, 4ull * nin, in),
                      buffer(gpu, STORAGE | COPY_SRC, 4ull * nout, NULL)};
    WGPUBindGroup g = bind(gpu, p, 0, 2, b);
    Pass pass = begin(gpu, p, g);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, x, y, 1);
    end(pass);
    read_back(gpu, b[1], out, 4ull * nout);
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(b[0]);
    wgpuBufferRelease(b[1]);
    wgpuComputePipelineRelease(p);
    gpu_close(gpu);
}

/* Columns of a matrix whose rows fall into the same sets of a cache: loops over them go
 * slice by slice for several workgroups at a time. */
static void expect_columns(uint32_t rows)
{
    enum { ROWS = 68, PITCH = 1024, GROUPS = 70, COLUMNS = 32 };
    static uint32_t in[ROWS * PITCH], out[GROUPS * COLUMNS];
    char code[640];
    for (uint32_t i = 0; i < ROWS * PITCH; i++)
        in[i] = i * 2654435761u >> 7;
    snprintf(code, sizeof code,
             "@group(0) @binding(0) var<storage, read> b: array<u32>;\n"
             "@group(0) @binding(1) var<storage, read_write> c: array<u32>;\n"
             "@compute @workgroup_size(16)\n"
             "fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) l: u32) {\n"
             "  var sum = w.x;\n"
             "  for (var k = 0u; k < %uu; k++) {\n"
             "    sum = sum * 3u + (k ^ w.x) * b[k * 1024u + w.y * 16u + l];\n"
             "  }\n"
             "  c[w.x * 32u + w.y * 16u + l] = sum;\n"
             "}\n", rows);
    run_on(code, in, ROWS * PITCH, out, GROUPS * COLUMNS, GROUPS, COLUMNS / 16);
    for (uint32_t i = 0; i < GROUPS * COLUMNS; i++) {
        uint32_t sum = i / COLUMNS;
        for (uint32_t k = 0; k < rows; k++)
            sum = sum * 3 + (k ^ i / COLUMNS) * in[k * PITCH + i % COLUMNS];
        assert_int_equal(out[i], sum);
    }
}

static void test_columns_of_many_workgroups(void **state)
{
    (void)state;
    expect_columns(64);             /* whole slices  */
    expect_columns(68);             /* and some rest */
}

/* Workgroups of an image, inside and at its borders. */
static void test_images_of_many_workgroups(void **state)
{
    (void)state;
    enum { WIDE = 16 * 7, HIGH = 8 * 6 };
    static uint32_t in[WIDE * HIGH], out[WIDE * HIGH];
    for (uint32_t i = 0; i < WIDE * HIGH; i++)
        in[i] = i * 2654435761u >> 9;
    run_on("@group(0) @binding(0) var<storage, read> now: array<u32>;\n"
           "@group(0) @binding(1) var<storage, read_write> next: array<u32>;\n"
           "fn at(x: i32, y: i32) -> u32 {\n"
           "  if (x < 0 || y < 0 || x >= 112 || y >= 48) { return 7u; }\n"
           "  return now[u32(y * 112 + x)];\n"
           "}\n"
           "@compute @workgroup_size(16, 8) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
           "  let x = i32(id.x);\n"
           "  let y = i32(id.y);\n"
           "  next[id.y * 112u + id.x] = at(x - 1, y) + 3u * at(x + 1, y) + 5u * at(x, y - 1)\n"
           "    + 9u * at(x, y + 1) + id.x + id.y * 1000u;\n"
           "}\n", in, WIDE * HIGH, out, WIDE * HIGH, WIDE / 16, HIGH / 8);
    for (uint32_t i = 0; i < WIDE * HIGH; i++) {
        uint32_t x = i % WIDE, y = i / WIDE;
        uint32_t west = x ? in[i - 1] : 7, east = x + 1 < WIDE ? in[i + 1] : 7;
        uint32_t north = y ? in[i - WIDE] : 7, south = y + 1 < HIGH ? in[i + WIDE] : 7;
        assert_int_equal(out[i], west + 3 * east + 5 * north + 9 * south + x + y * 1000);
    }
}

/* Bindings may be declared in any order; the lists of the library are sorted. */
static void test_bindings_in_any_order(void **state)
{
    (void)state;
    Gpu *gpu = gpu_open(0);
    WGPUComputePipeline p = pipeline(gpu,
        "@group(0) @binding(2) var<storage, read> c: u32;\n"
        "@group(0) @binding(0) var<storage, read> a: u32;\n"
        "@group(0) @binding(3) var<storage, read_write> out: u32;\n"
        "@group(0) @binding(1) var<storage, read> b: u32;\n"
        "@compute @workgroup_size(1) fn main() { out = a + 10 * b + 100 * c; }\n", 0, NULL);
    WGPUBuffer buffers[4];
    for (uint32_t i = 0; i < 4; i++)
        buffers[i] = buffer(gpu, STORAGE | COPY_SRC, 4, &(uint32_t){i + 1});
    WGPUBindGroup g = bind(gpu, p, 0, 4, buffers);
    Pass pass = begin(gpu, p, g);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 1, 1, 1);
    end(pass);
    uint32_t got;
    read_back(gpu, buffers[3], &got, sizeof got);
    assert_int_equal(got, 321);
    wgpuBindGroupRelease(g);
    for (uint32_t i = 0; i < 4; i++)
        wgpuBufferRelease(buffers[i]);
    wgpuComputePipelineRelease(p);
    gpu_close(gpu);
}

static void test_workgroups_share_memory(void **state)
{
    (void)state;
    Gpu *gpu = gpu_open(0);
    WGPUComputePipeline p = pipeline(gpu,
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
        "var<workgroup> w: array<u32, 64>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32,\n"
        "                                     @builtin(workgroup_id) g: vec3<u32>) {\n"
        "  w[i] = i + g.x;\n"
        "  workgroupBarrier();\n"
        "  if (i == 0) { var s = 0u; for (var k = 0; k < 64; k++) { s += w[k]; } out[g.x] = s; }\n"
        "}\n", 0, NULL);
    WGPUBuffer out = buffer(gpu, STORAGE | COPY_SRC, 400, NULL);
    WGPUBindGroup g = bind(gpu, p, 0, 1, &out);
    Pass pass = begin(gpu, p, g);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 100, 1, 1);
    end(pass);
    uint32_t sums[100];
    read_back(gpu, out, sums, sizeof sums);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(sums[i], 2016 + 64 * i);
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(out);
    wgpuComputePipelineRelease(p);
    gpu_close(gpu);
}

static void test_counts_and_data_of_a_dispatch(void **state)
{
    (void)state;
    Gpu *gpu = gpu_open(0);
    WGPUComputePipeline p = pipeline(gpu,
        "struct I { a: u32, b: vec2<u32> } var<immediate> data: I;\n"
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
        "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3<u32>,\n"
        "                                    @builtin(num_workgroups) n: vec3<u32>) {\n"
        "  let i = g.x + n.x * (g.y + n.y * g.z);\n"
        "  out[i] += data.a + 10 * data.b.x + 100 * data.b.y;\n"
        "}\n", 0, NULL);
    uint32_t counts[] = {9, 2, 3, 4}, words[32];
    WGPUBuffer in = buffer(gpu, INDIRECT, sizeof counts, counts);
    WGPUBuffer out = buffer(gpu, STORAGE | COPY_SRC, 128, NULL);
    WGPUBindGroup g = bind(gpu, p, 0, 1, &out);
    Pass pass = begin(gpu, p, g);
    const uint32_t data[] = {1, 0, 2, 3}, less[] = {5};
    wgpuComputePassEncoderSetImmediates(pass.pass, 0, data, sizeof data);
    wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass.pass, in, 4);
    wgpuComputePassEncoderSetImmediates(pass.pass, 0, less, sizeof less);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 2, 1, 1);
    end(pass);
    read_back(gpu, out, words, sizeof words);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], (i < 24 ? 321 : 0) + (i < 2 ? 325 : 0));
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(in);
    wgpuBufferRelease(out);
    wgpuComputePipelineRelease(p);
    gpu_close(gpu);
}

/* Dispatches that repeat the one before, and some that differ from it in one thing only:
 * the counts, the data, the buffer, the pipeline. Binding the same again is no change.
 * Then all of it once more. */
static void test_dispatches_again_and_changed(void **state)
{
    (void)state;
    Gpu *gpu = gpu_open(0);
    static const char code[] =
        "override factor = 1u; var<immediate> data: u32;\n"
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
        "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3<u32>) {\n"
        "  out[g.x] += factor * data;\n"
        "}\n";
    WGPUConstantEntry thousand = {.key = sv("factor"), .value = 1000};
    WGPUComputePipeline p[2] = {pipeline(gpu, code, 0, NULL), pipeline(gpu, code, 1, &thousand)};
    WGPUBuffer    out[2];
    WGPUBindGroup g[2], other;
    for (int i = 0; i < 2; i++) {
        out[i] = buffer(gpu, STORAGE | COPY_SRC, 16, NULL);
        g[i] = bind(gpu, p[0], 0, 1, &out[i]);
    }
    other = bind(gpu, p[1], 0, 1, &out[1]);
    for (int turn = 0; turn < 2; turn++) {
        Pass pass = begin(gpu, p[0], g[0]);
        wgpuComputePassEncoderSetImmediates(pass.pass, 0, (const uint32_t[]){1}, 4);
        for (uint32_t i = 0; i < 3; i++)
            wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 1, 1, 1);
        wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 3, 1, 1);
        wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 3, 1, 1);
        wgpuComputePassEncoderSetImmediates(pass.pass, 0, (const uint32_t[]){10}, 4);
        wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 3, 1, 1);
        wgpuComputePassEncoderSetBindGroup(pass.pass, 0, g[1], 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 2, 1, 1);
        wgpuComputePassEncoderSetBindGroup(pass.pass, 0, g[1], 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 3, 1, 1);
        wgpuComputePassEncoderSetPipeline(pass.pass, p[1]);
        wgpuComputePassEncoderSetBindGroup(pass.pass, 0, other, 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 3, 1, 1);
        end(pass);
    }
    uint32_t words[4];
    read_back(gpu, out[0], words, sizeof words);
    assert_memory_equal(words, ((const uint32_t[]){30, 24, 24, 0}), sizeof words);
    read_back(gpu, out[1], words, sizeof words);
    assert_memory_equal(words, ((const uint32_t[]){20040, 20040, 20020, 0}), sizeof words);
    wgpuBindGroupRelease(other);
    for (int i = 0; i < 2; i++) {
        wgpuBindGroupRelease(g[i]);
        wgpuBufferRelease(out[i]);
        wgpuComputePipelineRelease(p[i]);
    }
    gpu_close(gpu);
}

static void test_timestamps_rise(void **state)
{
    (void)state;
    Gpu *gpu = gpu_open(0);
    WGPUQuerySetDescriptor qd = {.type = WGPUQueryType_Timestamp, .count = 2};
    WGPUQuerySet q = wgpuDeviceCreateQuerySet(gpu->device, &qd);
    WGPUBuffer   out = buffer(gpu, QUERY_RESOLVE | COPY_SRC, 16, NULL);
    WGPUComputePipeline p = pipeline(gpu, "@compute @workgroup_size(1) fn main() {}", 0, NULL);
    WGPUPassTimestampWrites w = {NULL, q, 0, 1};
    WGPUComputePassDescriptor pd = {.timestampWrites = &w};
    Pass pass = {.gpu = gpu, .encoder = wgpuDeviceCreateCommandEncoder(gpu->device, NULL)};
    pass.pass = wgpuCommandEncoderBeginComputePass(pass.encoder, &pd);
    wgpuComputePassEncoderSetPipeline(pass.pass, p);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 10, 1, 1);
    end(pass);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(gpu->device, NULL);
    wgpuCommandEncoderResolveQuerySet(e, q, 0, 2, out, 0);
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, NULL);
    wgpuQueueSubmit(gpu->queue, 1, &c);
    wgpuCommandBufferRelease(c);
    wgpuCommandEncoderRelease(e);
    uint64_t times[2];
    read_back(gpu, out, times, sizeof times);
    assert_true(times[0] > 0 && times[0] <= times[1]);
    wgpuComputePipelineRelease(p);
    wgpuBufferRelease(out);
    wgpuQuerySetRelease(q);
    gpu_close(gpu);
}

/* Threads that wait may do the queue's work. Each divides by 3 and reads it back, many
 * times; what comes out is rounded to nearest whatever the thread's own rounding. */
typedef struct Waits {
    Gpu                *gpu;
    WGPUComputePipeline pipeline;
    int                 rounding;
} Waits;

static void *divide_and_wait(void *context)
{
    const Waits *w = context;
    WGPUBuffer    out = buffer(w->gpu, STORAGE | COPY_SRC, 4, (const float[]){1});
    WGPUBindGroup g = bind(w->gpu, w->pipeline, 0, 1, &out);
    fesetround(w->rounding);
    float want = 1, got = 0;
    for (int i = 0; i < 50; i++) {
        Pass pass = begin(w->gpu, w->pipeline, g);
        wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 1, 1, 1);
        end(pass);
        read_back(w->gpu, out, &got, sizeof got);
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
    if (on_vulkan())
        skip();                             /* divisions there are not exact */
    Gpu      *gpu = gpu_open(0);
    Waits     waits[COUNTOF(rows)];
    pthread_t threads[COUNTOF(rows)];
    WGPUComputePipeline p = pipeline(gpu,
        "@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n"
        "@compute @workgroup_size(1) fn main() { a[0] = a[0] / 3.0 + 1.0; }\n", 0, NULL);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        pthread_attr_t attr;
        pthread_attr_init(&attr);
        pthread_attr_setstacksize(&attr, rows[i].stack);
        waits[i] = (Waits){gpu, p, rows[i].rounding};
        assert_int_equal(pthread_create(&threads[i], &attr, divide_and_wait, &waits[i]), 0);
        pthread_attr_destroy(&attr);
    }
    for (size_t i = 0; i < COUNTOF(rows); i++)
        pthread_join(threads[i], NULL);
    wgpuComputePipelineRelease(p);
    gpu_close(gpu);
}

/* Each way to hear that work is done, all at once on one queue. */
typedef struct Style {
    WGPUCallbackMode mode;
    uint64_t         timeout;       /* of each wait; without: events are processed */
    bool             waits;
} Style;

typedef struct Hearing {
    Gpu                *gpu;
    WGPUComputePipeline pipeline;
    const Style        *style;
    uint32_t            rounds;
    atomic_uint         heard;
} Hearing;

static void on_heard(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *context,
                     void *unused)
{
    (void)message, (void)unused;
    assert_int_equal(status, WGPUQueueWorkDoneStatus_Success);
    atomic_fetch_add(&((Hearing *)context)->heard, 1);
}

static void hear(Hearing *h, uint32_t round)
{
    WGPUFutureWaitInfo wait = {.future = wgpuQueueOnSubmittedWorkDone(h->gpu->queue,
        (WGPUQueueWorkDoneCallbackInfo){NULL, h->style->mode, on_heard, h, NULL})};
    while (atomic_load(&h->heard) != round) {
        if (h->style->waits)
            wgpuInstanceWaitAny(h->gpu->instance, 1, &wait, h->style->timeout);
        else
            wgpuInstanceProcessEvents(h->gpu->instance);
    }
}

static void *count_and_hear(void *context)
{
    Hearing      *h = context;
    uint32_t      got = 0;
    WGPUBuffer    out = buffer(h->gpu, STORAGE | COPY_SRC, 4, &got);
    WGPUBindGroup g = bind(h->gpu, h->pipeline, 0, 1, &out);
    for (uint32_t i = 1; i <= h->rounds; i++) {
        Pass pass = begin(h->gpu, h->pipeline, g);
        wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 1, 1, 1);
        end(pass);
        hear(h, i);
    }
    read_back(h->gpu, out, &got, sizeof got);
    assert_int_equal(got, 1000 * h->rounds);
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(out);
    return NULL;
}

static void test_work_is_heard_of_in_all_ways(void **state)
{
    static const Style styles[] = {
        {WGPUCallbackMode_WaitAnyOnly, 0, true},
        {WGPUCallbackMode_WaitAnyOnly, 20000, true},
        {WGPUCallbackMode_WaitAnyOnly, 10000000000, true},
        {WGPUCallbackMode_WaitAnyOnly, UINT64_MAX, true},
        {WGPUCallbackMode_AllowProcessEvents, 0, false},
        {WGPUCallbackMode_AllowSpontaneous, 0, false},
    };
    (void)state;
    Gpu      *gpu = gpu_open(0);
    Hearing   all[COUNTOF(styles)];
    pthread_t threads[COUNTOF(styles)];
    WGPUComputePipeline p = pipeline(gpu,
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
        "@compute @workgroup_size(1) fn main() {\n"
        "  for (var i = 0; i < 1000; i++) { a[0] += 1u; }\n"
        "}\n", 0, NULL);
    for (size_t i = 0; i < COUNTOF(styles); i++) {      /* alone, then all together */
        all[i] = (Hearing){gpu, p, &styles[i], 5, 0};
        count_and_hear(&all[i]);
    }
    for (size_t i = 0; i < COUNTOF(styles); i++) {
        all[i] = (Hearing){gpu, p, &styles[i], 20, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, count_and_hear, &all[i]), 0);
    }
    for (size_t i = 0; i < COUNTOF(styles); i++)
        pthread_join(threads[i], NULL);
    wgpuComputePipelineRelease(p);
    gpu_close(gpu);
}

/* Kernels that never end; some look as if they did. */
static const char *const endless[] = {
    "while (atomicLoad(&a[0]) == 0) { atomicAdd(&a[1], 1u); }",
    "for (var i = 0u; ; i++) {\n"
    "  if (i >= 4u) { if (atomicLoad(&a[0]) == 0u) { continue; } break; }\n"
    "  atomicAdd(&a[1], i);\n"
    "}",
    "for (var i = l; i < 10u; i += atomicLoad(&a[0])) { atomicAdd(&a[1], i); }",
    "for (var i = 0u; i < 4u; i++) { loop { if (atomicLoad(&a[0]) == 1u) { break; } } }",
};

/* Is stopped, and the device with it. */
static void expect_stopped(const char *body)
{
    char source[512];
    Gpu *gpu = gpu_open(50000000);
    snprintf(source, sizeof source,
             "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;\n"
             "@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32)\n"
             "{ %s }\n", body);
    WGPUComputePipeline p = pipeline(gpu, source, 0, NULL);
    WGPUBuffer out = buffer(gpu, STORAGE, 16, NULL);
    WGPUBindGroup g = bind(gpu, p, 0, 1, &out);
    Pass pass = begin(gpu, p, g);
    /* Some drivers end endless loops, but not so many of them. */
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, 65535, 65535, 1);
    end(pass);
    WGPUFutureWaitInfo wait = {wgpuDeviceGetLostFuture(gpu->device), 0};
    assert_int_equal(wgpuInstanceWaitAny(gpu->instance, 1, &wait, UINT64_MAX),
                     WGPUWaitStatus_Success);
    assert_int_equal(gpu->lost, 1);
    assert_int_equal(gpu->reason, WGPUDeviceLostReason_Unknown);
    assert_memory_equal(gpu->message, "compute pipeline 'kernel': ", 27);
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(out);
    wgpuComputePipelineRelease(p);
    gpu_close(gpu);
}

static void test_a_deadline_ends_the_device(void **state)
{
    (void)state;
    /* What a driver does with more than one of them is not ours to say. */
    for (size_t i = 0; i < (on_vulkan() ? 1 : COUNTOF(endless)); i++)
        expect_stopped(endless[i]);
}

/* ---- memory of the program ---- */

static void on_gone(void *count, void *unused)
{
    (void)unused;
    ++*(int *)count;
}

static void on_scope(WGPUPopErrorScopeStatus status, WGPUErrorType type, WGPUStringView message,
                     void *out, void *unused)
{
    (void)status, (void)type, (void)unused;
    snprintf(out, 300, "%.*s", (int)message.length, message.data);
}

/* What is wrong with such a buffer, or "". */
static WGPUBuffer wrap(Gpu *gpu, void *data, uint64_t size, int *gone, char why[300])
{
    WGPUWeftHostMemory host = WGPU_WEFT_HOST_MEMORY_INIT;
    host.data = data;
    host.callback = gone ? on_gone : NULL;
    host.userdata1 = gone;
    WGPUBufferDescriptor d = {.nextInChain = &host.chain, .size = size,
                              .usage = STORAGE | COPY_SRC | COPY_DST};
    why[0] = '\0';
    wgpuDevicePushErrorScope(gpu->device, WGPUErrorFilter_Validation);
    WGPUBuffer b = wgpuDeviceCreateBuffer(gpu->device, &d);
    wgpuDevicePopErrorScope(gpu->device, (WGPUPopErrorScopeCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_scope, why, NULL});
    return b;
}

static void expect_no_wrap(Gpu *gpu, void *data, uint64_t size, const char *part)
{
    char why[300];
    int  gone = 0;
    WGPUBuffer b = wrap(gpu, data, size, &gone, why);
    assert_non_null(strstr(why, part));
    assert_int_equal(gone, 1);
    wgpuBufferRelease(b);
    assert_int_equal(gone, 1);
}

/* A kernel, a copy and a clear on it. `in` and `out`: n words. */
static void use_wrapped(Gpu *gpu, uint32_t *in, uint32_t *out, uint32_t n)
{
    static const char text[] =
        "@group(0) @binding(0) var<storage, read> x : array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> y : array<u32>;\n"
        "@compute @workgroup_size(64) fn f(@builtin(global_invocation_id) at : vec3u) {\n"
        "  y[at.x] = x[at.x] + 1; }\n";
    const uint64_t size = n * sizeof *in;
    int            gone[2] = {0};
    char           why[300];
    WGPUBuffer b[2] = {wrap(gpu, in, size, &gone[0], why), wrap(gpu, out, size, &gone[1], why)};
    WGPUBuffer copy = buffer(gpu, COPY_SRC | COPY_DST, size, NULL);
    WGPUComputePipeline p = pipeline(gpu, text, 0, NULL);
    WGPUBindGroup       g = bind(gpu, p, 0, 2, b);
    assert_string_equal(why, "");
    Pass pass = begin(gpu, p, g);
    wgpuComputePassEncoderDispatchWorkgroups(pass.pass, n / 64, 1, 1);
    wgpuComputePassEncoderEnd(pass.pass);
    wgpuCommandEncoderCopyBufferToBuffer(pass.encoder, b[1], 0, copy, 0, size);
    wgpuCommandEncoderClearBuffer(pass.encoder, b[1], 4, size - 8);
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(pass.encoder, NULL);
    wgpuQueueSubmit(gpu->queue, 1, &c);
    wgpuCommandBufferRelease(c);
    wgpuComputePassEncoderRelease(pass.pass);
    wgpuCommandEncoderRelease(pass.encoder);
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(b[0]);
    uint32_t *got = malloc(size);
    read_back(gpu, copy, got, size);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(got[i], in[i] + 1);
        assert_int_equal(out[i], i == 0 || i == n - 1 ? in[i] + 1 : 0);
    }
    assert_int_equal(gone[1], 0);
    wgpuBufferDestroy(b[1]);
    assert_int_equal(gone[1], 1);
    wgpuBufferRelease(b[1]);
    wgpuBufferRelease(copy);
    wgpuComputePipelineRelease(p);
    free(got);
    assert_int_equal(gone[0], 1);
    assert_int_equal(gone[1], 1);
}

static void test_memory_of_the_program(void **state)
{
    (void)state;
    enum { N = 1 << 18 };
    Gpu      *gpu = gpu_open(0);
    uint32_t *in = aligned_alloc(16, N * sizeof *in), *out = aligned_alloc(16, N * sizeof *out);
    for (uint32_t i = 0; i < N; i++)
        in[i] = i * 2654435761u;
    if (on_vulkan()) {
        expect_no_wrap(gpu, in, N * sizeof *in, "for the CPU device alone");
    } else {
        expect_no_wrap(gpu, NULL, 64, "is NULL");
        expect_no_wrap(gpu, in + 1, 64, "aligned to 16");
        expect_no_wrap(gpu, in, 6, "multiple of 4 and not 0");
        expect_no_wrap(gpu, in, 0, "multiple of 4 and not 0");
        use_wrapped(gpu, in, out, N);
    }
    gpu_close(gpu);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_program_ends_while_it_compiles),
        cmocka_unit_test(test_numbers_come_out),
        cmocka_unit_test(test_columns_of_many_workgroups),
        cmocka_unit_test(test_images_of_many_workgroups),
        cmocka_unit_test(test_bindings_in_any_order),
        cmocka_unit_test(test_workgroups_share_memory),
        cmocka_unit_test(test_counts_and_data_of_a_dispatch),
        cmocka_unit_test(test_dispatches_again_and_changed),
        cmocka_unit_test(test_timestamps_rise),
        cmocka_unit_test(test_threads_that_wait_do_the_work),
        cmocka_unit_test(test_work_is_heard_of_in_all_ways),
        cmocka_unit_test(test_memory_of_the_program),
    };
    const struct CMUnitTest deadline[] = {
        cmocka_unit_test(test_a_deadline_ends_the_device),
    };
    if (argc == 1 || strcmp(argv[1], "deadline") != 0)
        return cmocka_run_group_tests_name("compute", tests, NULL, NULL);
    int failed = cmocka_run_group_tests_name("deadline", deadline, NULL, NULL);
    fflush(NULL);
    _Exit(failed);              /* a driver may be at work still, and not bear exit() */
}
