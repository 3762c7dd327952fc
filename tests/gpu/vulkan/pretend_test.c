// SPDX-License-Identifier: Apache-2.0
/*
 * pretend_test.c - one program on many machines (machines.c).
 *
 * Each is a process of its own, with the driver of pretending_driver.c below the validation
 * layer. Machines that WebGPU cannot have are left out with a reason; on the others all
 * numbers are right, what the device claims to have can be used to the last byte, and what
 * it does not have is refused.
 *
 *     pretend_test             all machines
 *     pretend_test NAME...     these
 *     pretend_test --run       the program, on the machine that WEFT_PRETEND names
 *
 * WEFT_PRETEND_MANIFESTS is the folder of the driver's manifests, WEFT_PRETEND_WEFT the
 * command `weft`, which lists machines.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <webgpu/webgpu.h>
#include <webgpu/weft.h>

#include "base/macro.h"
#include "calls.h"
#include "machines.h"

enum { MAP_READ = 1, MAP_WRITE = 2, COPY_SRC = 4, COPY_DST = 8, UNIFORM = 0x40, STORAGE = 0x80,
       INDIRECT = 0x100, QUERY_RESOLVE = 0x200 };

/* What ends a process: how many things were wrong, and otherwise what the device has. */
enum { WRONG = 1, HAS = 64, HAS_F16 = 1, HAS_SUBGROUPS = 2, HAS_TIMESTAMPS = 4 };

typedef struct Program {
    const Machine *machine;
    WGPUInstance   instance;
    WGPUAdapter    adapter;
    WGPUDevice     device;
    WGPUQueue      queue;
    WGPULimits     limits;
    bool           has_f16, has_subgroups, has_timestamps;
    char           why[800];            /* the first thing that was said          */
    int            errors, wrong;
} Program;

static void complain(Program *p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    printf("%s: ", p->machine->name);
    vprintf(fmt, args);
    printf("%s%s\n", p->why[0] ? ": " : "", p->why);
    va_end(args);
    p->wrong++;
}

/* ---- beginning ---- */

static void note(Program *p, WGPUStringView text)
{
    if (!p->why[0])
        snprintf(p->why, sizeof p->why, "%.*s", (int)text.length, text.data ? text.data : "");
}

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                       WGPUStringView message, void *p, void *unused)
{
    (void)status, (void)unused;
    ((Program *)p)->adapter = adapter;
    note(p, message);
}

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message,
                      void *p, void *unused)
{
    (void)status, (void)unused;
    ((Program *)p)->device = device;
    note(p, message);
}

static void on_error(const WGPUDevice *device, WGPUErrorType type, WGPUStringView message,
                     void *p, void *unused)
{
    (void)device, (void)type, (void)unused;
    note(p, message);
    ((Program *)p)->errors++;
}

static void on_lost(const WGPUDevice *device, WGPUDeviceLostReason reason,
                    WGPUStringView message, void *p, void *unused)
{
    if (reason != WGPUDeviceLostReason_Destroyed)
        on_error(device, WGPUErrorType_Internal, message, p, unused);
}

static void open_adapter(Program *p)
{
    WGPUInstanceFeatureName features[] = {WGPUInstanceFeatureName_TimedWaitAny};
    WGPUInstanceDescriptor  d = {.requiredFeatureCount = 1, .requiredFeatures = features};
    WGPURequestAdapterOptions o = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    o.backendType = WGPUBackendType_Vulkan;
    p->instance = wgpuCreateInstance(&d);
    wgpuInstanceRequestAdapter(p->instance, &o, (WGPURequestAdapterCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_adapter, p, NULL});
}

/* With all that the adapter has. */
static void open_device(Program *p)
{
    WGPUSupportedFeatures has = WGPU_SUPPORTED_FEATURES_INIT;
    wgpuAdapterGetFeatures(p->adapter, &has);
    wgpuAdapterGetLimits(p->adapter, &p->limits);
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.requiredFeatureCount = has.featureCount;
    d.requiredFeatures = has.features;
    d.requiredLimits = &p->limits;
    d.uncapturedErrorCallbackInfo = (WGPUUncapturedErrorCallbackInfo){NULL, on_error, p, NULL};
    d.deviceLostCallbackInfo = (WGPUDeviceLostCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_lost, p, NULL};
    wgpuAdapterRequestDevice(p->adapter, &d, (WGPURequestDeviceCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_device, p, NULL});
    for (size_t i = 0; i < has.featureCount; i++) {
        p->has_f16 |= has.features[i] == WGPUFeatureName_ShaderF16;
        p->has_subgroups |= has.features[i] == WGPUFeatureName_Subgroups;
        p->has_timestamps |= has.features[i] == WGPUFeatureName_TimestampQuery;
    }
    wgpuSupportedFeaturesFreeMembers(has);
}

/* ---- buffers ---- */

#define PLAIN (STORAGE | UNIFORM | INDIRECT | COPY_SRC | COPY_DST | QUERY_RESOLVE)

static WGPUBuffer make_buffer(Program *p, WGPUBufferUsage usage, uint64_t size)
{
    WGPUBufferDescriptor d = {.usage = usage, .size = size};
    return wgpuDeviceCreateBuffer(p->device, &d);
}

/* With these bytes in it from the beginning. */
static WGPUBuffer buffer_of(Program *p, const void *data, size_t size)
{
    WGPUBufferDescriptor d = {.usage = PLAIN, .size = size, .mappedAtCreation = true};
    WGPUBuffer b = wgpuDeviceCreateBuffer(p->device, &d);
    void      *at = wgpuBufferGetMappedRange(b, 0, size);
    if (at)
        memcpy(at, data, size);
    wgpuBufferUnmap(b);
    return b;
}

/* ---- kernels ---- */

#define MAX_BOUND 160u

typedef struct Bound {
    WGPUBuffer buffer;
    uint64_t   offset, size;            /* size 0: all of it                      */
} Bound;

typedef struct Dispatch {
    uint32_t   groups;
    WGPUBuffer counts;                  /* NULL: `groups`                         */
    uint64_t   at;                      /* of the counts                          */
    WGPUQuerySet times;                 /* NULL: none                             */
    uint32_t   immediates;              /* bytes; all zeros                       */
} Dispatch;

static WGPUComputePipeline make_pipeline(Program *p, const char *source)
{
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code = (WGPUStringView){source, WGPU_STRLEN};
    WGPUShaderModule module = wgpuDeviceCreateShaderModule(
        p->device, &(WGPUShaderModuleDescriptor){&wgsl.chain, {NULL, 0}});
    WGPUComputePipelineDescriptor d = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    d.compute.module = module;
    WGPUComputePipeline pipeline = wgpuDeviceCreateComputePipeline(p->device, &d);
    wgpuShaderModuleRelease(module);
    return pipeline;
}

/* Binding i of group 0 is bound[i]. */
static WGPUBindGroup make_group(Program *p, WGPUComputePipeline pipeline, const Bound *bound,
                                uint32_t count)
{
    WGPUBindGroupEntry entries[MAX_BOUND];
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = (WGPUBindGroupEntry)WGPU_BIND_GROUP_ENTRY_INIT;
        entries[i].binding = i;
        entries[i].buffer = bound[i].buffer;
        entries[i].offset = bound[i].offset;
        entries[i].size = bound[i].size ? bound[i].size : WGPU_WHOLE_SIZE;
    }
    WGPUBindGroupLayout layout = wgpuComputePipelineGetBindGroupLayout(pipeline, 0);
    WGPUBindGroupDescriptor d = {.layout = layout, .entryCount = count, .entries = entries};
    WGPUBindGroup group = wgpuDeviceCreateBindGroup(p->device, &d);
    wgpuBindGroupLayoutRelease(layout);
    return group;
}

static void run(Program *p, const char *source, const Bound *bound, uint32_t count,
                const Dispatch *what)
{
    static const char   immediates[4096];
    WGPUComputePipeline pipeline = make_pipeline(p, source);
    WGPUBindGroup       group = make_group(p, pipeline, bound, count);
    WGPUCommandEncoder  e = wgpuDeviceCreateCommandEncoder(p->device, NULL);
    WGPUPassTimestampWrites   w = {NULL, what->times, 0, 1};
    WGPUComputePassDescriptor d = {.timestampWrites = what->times ? &w : NULL};
    WGPUComputePassEncoder    pass = wgpuCommandEncoderBeginComputePass(e, &d);
    wgpuComputePassEncoderSetPipeline(pass, pipeline);
    wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, NULL);
    if (what->counts)
        wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, what->counts, what->at);
    if (what->immediates)
        wgpuComputePassEncoderSetImmediates(pass, 0, immediates, what->immediates);
    if (!what->counts)
        wgpuComputePassEncoderDispatchWorkgroups(pass, what->groups, 1, 1);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit_commands(p->queue, e);
    wgpuBindGroupRelease(group);
    wgpuComputePipelineRelease(pipeline);
}

/* ---- what must be right ---- */

#define COUNT 1024u

static void expect(Program *p, const char *what, WGPUBuffer from, const uint32_t *want,
                   uint32_t count)
{
    uint32_t *got = calloc(count, sizeof *got);
    bool      read = got && copy_out(p->instance, p->device, from, got, count * sizeof *got);
    for (uint32_t i = 0; read && i < count; i++)
        if (got[i] != want[i]) {
            complain(p, "%s: word %u is 0x%x, not 0x%x", what, i, got[i], want[i]);
            break;
        }
    if (!read)
        complain(p, "%s cannot be read", what);
    free(got);
}

static void count_up(uint32_t *out, uint32_t count, uint32_t step)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = i * step + 1;
}

/* What is written arrives, in parts that go different ways; the rest is zeros. */
static void test_writes(Program *p)
{
    enum { WORDS = 1u << 19 };
    uint32_t  *data = calloc(WORDS, sizeof *data), *want = calloc(WORDS, sizeof *want);
    WGPUBuffer b = make_buffer(p, PLAIN, WORDS * sizeof *data);
    const struct { uint32_t from, count; } parts[] = {{0, 1}, {7, 1024}, {2000, 1025},
                                                      {100000, 300000}, {WORDS - 1, 1}};
    for (size_t i = 0; data && want && i < COUNTOF(parts); i++) {
        count_up(data, parts[i].count, (uint32_t)i + 3);
        memcpy(want + parts[i].from, data, parts[i].count * sizeof *data);
        wgpuQueueWriteBuffer(p->queue, b, parts[i].from * sizeof *data, data,
                             parts[i].count * sizeof *data);
    }
    expect(p, "what was written", b, want, WORDS);
    wgpuBufferRelease(b);
    free(data);
    free(want);
}

/* More than the host can reach at a time, one after the other. */
static void test_uploads(Program *p)
{
    enum { WORDS = 3u << 18, ROUNDS = 5, LAST = 1024 };
    uint32_t  *data = calloc(WORDS, sizeof *data);
    WGPUBuffer b = make_buffer(p, PLAIN, ROUNDS * WORDS * sizeof *data);
    WGPUBuffer last = make_buffer(p, PLAIN, ROUNDS * LAST * sizeof *data);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(p->device, NULL);
    for (uint32_t i = 0; data && i < ROUNDS; i++) {
        count_up(data, WORDS, i + 1);
        wgpuQueueWriteBuffer(p->queue, b, i * WORDS * sizeof *data, data, WORDS * sizeof *data);
        wgpuCommandEncoderCopyBufferToBuffer(
            e, b, ((i + 1) * WORDS - LAST) * sizeof *data, last, i * LAST * sizeof *data,
            LAST * sizeof *data);
    }
    submit_commands(p->queue, e);
    for (uint32_t i = 0; data && i < ROUNDS; i++)
        for (uint32_t k = 0; k < LAST; k++)
            data[i * LAST + k] = (WORDS - LAST + k) * (i + 1) + 1;
    expect(p, "what was written in parts", last, data, ROUNDS * LAST);
    wgpuBufferRelease(b);
    wgpuBufferRelease(last);
    free(data);
}

static void test_zeros(Program *p)
{
    static const uint32_t zeros[COUNT];
    WGPUBuffer b = make_buffer(p, PLAIN, sizeof zeros);
    expect(p, "a new buffer", b, zeros, COUNT);
    wgpuBufferRelease(b);
}

/* Through uniforms, workgroup memory that starts with zeros, and a buffer bound from the
 * middle on; indices go beyond its end, which does no harm. */
static void test_dispatch(Program *p)
{
    static const char source[] =
        "struct Half { factor : u32, shift : u32 }\n"
        "@group(0) @binding(0) var<storage, read> a : array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> b : array<u32>;\n"
        "@group(0) @binding(2) var<uniform> u : Half;\n"
        "var<workgroup> w : array<u32, 256>;\n"
        "@compute @workgroup_size(256) fn main(@builtin(local_invocation_index) i : u32,\n"
        "    @builtin(workgroup_id) group : vec3u) {\n"
        "  let at = group.x * 256 + i;\n"
        "  w[(i + 1) % 256] += a[at];\n"
        "  workgroupBarrier();\n"
        "  b[at + u.shift * (at / 512)] = u.factor * w[i];\n"
        "}\n";
    static uint32_t a[COUNT], want[COUNT + 128];
    const uint32_t  uniform[64] = {3, 0x40000000};
    uint32_t        align = p->limits.minStorageBufferOffsetAlignment / 4;
    count_up(a, COUNT, 7);
    for (uint32_t i = 0; i < 512; i++)
        want[align + i] = 3 * a[i / 256 * 256 + (i + 255) % 256];
    want[align + COUNT / 2] = 0;
    WGPUBuffer x = buffer_of(p, a, sizeof a), u = buffer_of(p, uniform, sizeof uniform);
    WGPUBuffer y = make_buffer(p, PLAIN, sizeof want);
    const Bound bound[] = {{x, 0, 0}, {y, align * 4, 512 * 4}, {u, 0, 8}};
    run(p, source, bound, COUNTOF(bound), &(Dispatch){.groups = 2});
    expect(p, "a dispatch", y, want, COUNT);
    static uint32_t untouched[COUNT];
    run(p, source, bound, COUNTOF(bound), &(Dispatch){.groups = 4});    /* may hit b's last word */
    if (copy_out(p->instance, p->device, y, untouched, sizeof untouched))
        for (uint32_t i = 0; i < COUNT; i++)
            if ((i < align || i >= align + 512) && untouched[i]) {
                complain(p, "word %u outside of the binding is written to", i);
                break;
            }
    wgpuBufferRelease(x);
    wgpuBufferRelease(y);
    wgpuBufferRelease(u);
}

/* The counts are not where a storage buffer may begin; too many are none. */
static void test_indirect(Program *p)
{
    static const char source[] =
        "@group(0) @binding(0) var<storage, read_write> a : array<atomic<u32>>;\n"
        "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id : vec3u) {\n"
        "  atomicAdd(&a[id.x], id.y + 1);\n"
        "}\n";
    const uint32_t want[] = {10, 10, 10, 0}, counts[80] = {[67] = 3, [68] = 4, [69] = 1,
                                                           [75] = 1, [76] = 1, [77] = 70000};
    WGPUBuffer n = buffer_of(p, counts, sizeof counts), a = make_buffer(p, PLAIN, sizeof want);
    run(p, source, &(Bound){a, 0, 0}, 1, &(Dispatch){.counts = n, .at = 67 * 4});
    run(p, source, &(Bound){a, 0, 0}, 1, &(Dispatch){.counts = n, .at = 75 * 4});
    expect(p, "an indirect dispatch", a, want, COUNTOF(want));
    wgpuBufferRelease(a);
    wgpuBufferRelease(n);
}

static void test_times(Program *p)
{
    static const char source[] = "@compute @workgroup_size(1) fn main() { }\n";
    uint64_t got[34] = {0};
    if (!p->has_timestamps)
        return;
    WGPUQuerySetDescriptor d = {.type = WGPUQueryType_Timestamp, .count = 2};
    WGPUQuerySet times = wgpuDeviceCreateQuerySet(p->device, &d);
    WGPUBuffer   b = make_buffer(p, PLAIN, sizeof got);
    run(p, source, NULL, 0, &(Dispatch){.groups = 1, .times = times});
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(p->device, NULL);
    wgpuCommandEncoderResolveQuerySet(e, times, 0, 2, b, 256);
    submit_commands(p->queue, e);
    if (!copy_out(p->instance, p->device, b, got, sizeof got) || !got[32] || got[32] > got[33]
        || got[33] - got[32] > UINT64_C(60000000000))
        complain(p, "times are %llu and %llu", (unsigned long long)got[32],
                 (unsigned long long)got[33]);
    wgpuBufferRelease(b);
    wgpuQuerySetRelease(times);
}

/* Where the device does not have it, the kernel is refused. */
static void expect_refusal(Program *p, const char *what, const char *source)
{
    int before = p->errors;
    wgpuComputePipelineRelease(make_pipeline(p, source));
    if (p->errors == before)
        complain(p, "a kernel with %s is not refused", what);
    p->errors = before;
    p->why[0] = '\0';
}

static void test_f16(Program *p)
{
    static const char source[] =
        "enable f16;\n"
        "struct S { x : f16, y : vec3<f16>, z : array<vec4<f16>, 2> }\n"
        "@group(0) @binding(0) var<uniform> s : S;\n"
        "@group(0) @binding(1) var<storage, read> a : array<f16>;\n"
        "@group(0) @binding(2) var<storage, read_write> b : array<f16>;\n"
        "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32) {\n"
        "  b[i] = s.x * a[i] + s.y.z + s.z[1][i];\n"
        "}\n";
    /* 2, {0, 0, 1}, {8, 8, 8, 8} twice; 1 2 3 4 */
    const uint32_t s[] = {0x4000, 0, 0, 0x3c00, 0x48004800, 0x48004800, 0x48004800, 0x48004800};
    const uint32_t a[] = {0x40003c00, 0x44004200}, want[] = {0x4a804980, 0x4c404b80};
    if (!p->has_f16) {
        expect_refusal(p, "f16", source);
        return;
    }
    WGPUBuffer u = buffer_of(p, s, sizeof s), x = buffer_of(p, a, sizeof a);
    WGPUBuffer y = make_buffer(p, PLAIN, sizeof want);
    const Bound bound[] = {{u, 0, 0}, {x, 0, 0}, {y, 0, 0}};
    run(p, source, bound, COUNTOF(bound), &(Dispatch){.groups = 1});
    expect(p, "f16", y, want, COUNTOF(want));
    wgpuBufferRelease(u);
    wgpuBufferRelease(x);
    wgpuBufferRelease(y);
}

static void test_subgroups(Program *p)
{
    static const char source[] =
        "enable subgroups;\n"
        "@group(0) @binding(0) var<storage, read_write> a : array<u32, 4>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(subgroup_size) size : u32,\n"
        "    @builtin(subgroup_invocation_id) lane : u32) {\n"
        "  let sum = subgroupAdd(1u);\n"
        "  let next = subgroupShuffleXor(lane, 1u);\n"
        "  let beside = quadSwapX(lane);\n"
        "  let ones = countOneBits(subgroupBallot(true).x);\n"
        "  if (sum == size && next == (lane ^ 1) && beside == next && ones <= size) { a[0] = 1; }\n"
        "  if (lane == 0) { a[1] = size; }\n"
        "}\n";
    uint32_t got[4] = {0};
    if (!p->has_subgroups) {
        expect_refusal(p, "subgroups", source);
        return;
    }
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    wgpuAdapterGetInfo(p->adapter, &info);
    WGPUBuffer a = make_buffer(p, PLAIN, sizeof got);
    run(p, source, &(Bound){a, 0, 0}, 1, &(Dispatch){.groups = 1});
    if (!copy_out(p->instance, p->device, a, got, sizeof got) || got[0] != 1
        || got[1] < info.subgroupMinSize || got[1] > info.subgroupMaxSize)
        complain(p, "subgroups have %u of %u to %u invocations, and are %s", got[1],
                 info.subgroupMinSize, info.subgroupMaxSize, got[0] ? "right" : "wrong");
    wgpuAdapterInfoFreeMembers(info);
    wgpuBufferRelease(a);
}

/* A kernel with as much of everything as there may be. */
static void test_limits(Program *p)
{
    const WGPULimits *l = &p->limits;
    static char source[32768];
    uint32_t    n = l->maxStorageBuffersPerShaderStage, k = l->maxUniformBuffersPerShaderStage;
    size_t      at = 0;
    Bound       bound[MAX_BOUND];
    uint32_t    word[64] = {1};
    if (n + k > MAX_BOUND || l->maxImmediateSize < 16) {
        complain(p, "there are %u storage and %u uniform buffers", n, k);
        return;
    }
#define ADD(...) at += (size_t)snprintf(source + at, sizeof source - at, __VA_ARGS__)
    ADD("requires immediate_address_space;\nstruct I { i0 : vec4u,");
    for (uint32_t i = 1; i < l->maxImmediateSize / 16; i++)
        ADD(" i%u : vec4u,", i);
    ADD(" }\nvar<immediate> given : I;\n");
    for (uint32_t i = 0; i < n + k; i++)
        ADD("@group(0) @binding(%u) var<%s> v%u : %s;\n", i,
            i < n ? "storage, read_write" : "uniform", i, i < n ? "array<u32>" : "vec4u");
    ADD("var<workgroup> w : array<u32, %u>;\n", l->maxComputeWorkgroupStorageSize / 4);
    ADD("@compute @workgroup_size(%u) fn main(@builtin(local_invocation_index) i : u32) {\n"
        "  w[i] = i; w[%u - i] = 1; workgroupBarrier();\n"
        "  if (i == %u) { v0[0] = 0",
        MIN_OF(l->maxComputeInvocationsPerWorkgroup, l->maxComputeWorkgroupSizeX),
        l->maxComputeWorkgroupStorageSize / 4 - 1,
        MIN_OF(l->maxComputeInvocationsPerWorkgroup, l->maxComputeWorkgroupSizeX) - 1);
    for (uint32_t i = 1; i < n; i++)
        ADD("+ v%u[0]", i);
    for (uint32_t i = n; i < n + k; i++)
        ADD("+ v%u.x", i);
    ADD("+ w[w[0]] * 0 + given.i0.x + given.i%u.w; }\n}\n", l->maxImmediateSize / 16 - 1);
#undef ADD
    WGPUBuffer out = make_buffer(p, PLAIN, 16), in = buffer_of(p, word, sizeof word);
    for (uint32_t i = 0; i < n + k; i++)
        bound[i] = i < n ? (Bound){make_buffer(p, PLAIN, 4), 0, 0} : (Bound){in, 0, 0};
    for (uint32_t i = 1; i < n; i++)
        wgpuQueueWriteBuffer(p->queue, bound[i].buffer, 0, word, 4);
    wgpuBufferRelease(bound[0].buffer);
    bound[0].buffer = out;
    run(p, source, bound, n + k,
        &(Dispatch){.groups = 1, .immediates = l->maxImmediateSize / 16 * 16});
    expect(p, "a kernel at the limits", out, (uint32_t[]){n - 1 + k}, 1);
    for (uint32_t i = 0; i < n; i++)
        wgpuBufferRelease(bound[i].buffer);
    wgpuBufferRelease(in);
}

/* Buffers find room in another heap when the best one is full. */
static void test_room(Program *p)
{
    enum { MOST = 64 };
    WGPUBuffer buffers[MOST];
    uint32_t   count = MIN_OF(p->machine->megabytes / 12, MOST);
    const uint32_t word = 0x1234567;
    const uint64_t size = 12u << 20;
    for (uint32_t i = 0; i < count; i++) {
        buffers[i] = make_buffer(p, i % 2 ? MAP_READ | COPY_DST : PLAIN, size);
        wgpuQueueWriteBuffer(p->queue, buffers[i], size - 4, &word, 4);
    }
    for (uint32_t i = 0; i < count; i += 2) {
        WGPUBuffer last = make_buffer(p, COPY_SRC | COPY_DST, 4);
        WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(p->device, NULL);
        wgpuCommandEncoderCopyBufferToBuffer(e, buffers[i], size - 4, last, 0, 4);
        submit_commands(p->queue, e);
        expect(p, "a large buffer", last, &word, 1);
        wgpuBufferRelease(last);
    }
    for (uint32_t i = 0; i < count; i++)
        wgpuBufferRelease(buffers[i]);
}

static void (*const tests[])(Program *) = {
    test_zeros, test_writes, test_uploads, test_dispatch, test_indirect, test_times, test_f16,
    test_subgroups, test_limits, test_room,
};

/* ---- one machine ---- */

static void use_device(Program *p)
{
    p->queue = wgpuDeviceGetQueue(p->device);
    for (size_t i = 0; i < COUNTOF(tests); i++) {
        tests[i](p);
        wgpuInstanceProcessEvents(p->instance);
        if (p->errors)
            complain(p, "test %zu reports errors", i);
        p->errors = 0;
        p->why[0] = '\0';
    }
    wgpuQueueRelease(p->queue);
    wgpuDeviceRelease(p->device);
}

static int run_machine(void)
{
    Program p = {.machine = driver_machine_find(getenv("WEFT_PRETEND"))};
    if (!p.machine)
        return WRONG;
    open_adapter(&p);
    const char *left_out = p.machine->left_out;
    if (left_out && (p.adapter || !strstr(p.why, left_out)))
        complain(&p, "is not left out because of '%s'", left_out);
    if (!left_out && !p.adapter)
        complain(&p, "is left out");
    if (p.adapter)
        open_device(&p);
    if (p.adapter && !p.device)
        complain(&p, "has no device");
    if (p.device)
        use_device(&p);
    wgpuAdapterRelease(p.adapter);
    wgpuInstanceRelease(p.instance);
    return p.wrong ? WRONG : HAS | (p.has_f16 ? HAS_F16 : 0)
                                 | (p.has_subgroups ? HAS_SUBGROUPS : 0)
                                 | (p.has_timestamps ? HAS_TIMESTAMPS : 0);
}

/* ---- all of them ---- */

static void become(const Machine *m, bool twice)
{
    const char *folder = getenv("WEFT_PRETEND_MANIFESTS");
    const char *name = m->portability ? "portability" : "pretend";
    char        manifests[4096];
    if (twice)
        snprintf(manifests, sizeof manifests, "%s/%s.json:%s/twin.json", folder, name, folder);
    else
        snprintf(manifests, sizeof manifests, "%s/%s.json", folder, name);
    setenv("WEFT_PRETEND", m->name, 1);
    setenv("VK_ICD_FILENAMES", manifests, 1);
    setenv("VK_DRIVER_FILES", manifests, 1);
}

static int spawn(const char *self, const Machine *m)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        become(m, false);
        execl(self, self, "--run", (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What the device should have there, if it has `plain` on the driver as it is. */
static int wanted(const Machine *m, int plain)
{
    if (m->left_out)
        return HAS;
    return plain & ~((m->lacks_f16 ? HAS_F16 : 0) | (m->lacks_subgroups ? HAS_SUBGROUPS : 0)
                     | (m->lacks_timestamps ? HAS_TIMESTAMPS : 0));
}

/* How often `weft devices` says a word; -1: it fails. */
static int listed(const char *machine, bool twice, const char *word)
{
    static char text[1 << 16];
    char        command[4096];
    int         count = 0;
    become(driver_machine_find(machine), twice);
    snprintf(command, sizeof command, "'%s' devices", getenv("WEFT_PRETEND_WEFT"));
    FILE  *pipe = popen(command, "r");
    size_t size = pipe ? fread(text, 1, sizeof text - 1, pipe) : 0;
    text[size] = '\0';
    if (!pipe || pclose(pipe) != 0)
        return -1;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        count++;
    return count;
}

/* Two GPUs of one kind are two; what is left out is listed with the reason. */
static uint32_t test_lists(void)
{
    static const struct { const char *machine; bool twice; const char *word; int want; } lists[] = {
        {"plain", false, ", vulkan)", 1},
        {"plain", true, ", vulkan)", 2},
        {"plain", false, "left out", 0},
        {"discrete", false, "there is no GPU", 0},
        {"old-workgroups", false, ", vulkan)", 0},
        {"old-workgroups", true, "(maxComputeInvocationsPerWorkgroup is 128, where", 2},
    };
    uint32_t failed = 0;
    for (size_t i = 0; i < COUNTOF(lists); i++) {
        int got = listed(lists[i].machine, lists[i].twice, lists[i].word);
        if (got == lists[i].want)
            continue;
        printf("the list of %s%s has '%s' %d times\n", lists[i].machine,
               lists[i].twice ? ", twice," : "", lists[i].word, got);
        failed++;
    }
    return failed;
}

static bool is_named(const Machine *m, int argc, char **argv)
{
    bool named = argc < 2;
    for (int i = 1; i < argc; i++)
        named = named || strcmp(argv[i], m->name) == 0;
    return named;
}

int main(int argc, char **argv)
{
    uint32_t failed = 0, tried = 0;
    if (argc > 1 && strcmp(argv[1], "--run") == 0)
        return run_machine();
    if (!getenv("WEFT_PRETEND_MANIFESTS") || !getenv("WEFT_PRETEND_WEFT")) {
        printf("WEFT_PRETEND_MANIFESTS and WEFT_PRETEND_WEFT are not set\n");
        return 1;
    }
    int plain = spawn(argv[0], &machines[0]);
    if (!(plain & HAS) || plain >= 2 * HAS) {
        printf("the driver as it is ends with %d\n", plain);
        return 1;
    }
    for (uint32_t i = 1; i < machine_count; i++) {
        const Machine *m = &machines[i];
        if (!is_named(m, argc, argv))
            continue;
        int end = spawn(argv[0], m);
        tried++;
        if (end == wanted(m, plain))
            continue;
        failed++;
        printf("%s ends with %d, not %d\n", m->name, end, wanted(m, plain));
    }
    if (argc < 2)
        failed += test_lists();
    printf("%u machines, %u wrong\n", tried, failed);
    return failed != 0;
}
