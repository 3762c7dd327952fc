// SPDX-License-Identifier: Apache-2.0
/*
 * main.c - what the calls of webgpu.h cost.
 *
 *     calls [--small] [--tsv]
 *
 * in     nothing
 * out    microseconds a call: the median and the shortest of many rounds, as a table or
 *        as lines of name, median, shortest with tabs between them
 * knows  webgpu.h alone, so that it runs on other libraries (examples/c/on)
 * not    kernels and their speed (bench/kernels)
 */
#include "common.h"

enum { ROUNDS = 51, DISPATCHES = 1000, LARGE = 4 << 20 };

static const char wgsl[] =
    "@group(0) @binding(0) var<storage, read_write> x : array<u32>;\n"
    "@compute @workgroup_size(64)\n"
    "fn count(@builtin(local_invocation_index) i : u32) {\n"
    "  x[i] += 1u;\n"
    "}\n";

typedef struct Bench {
    Gpu                 gpu;
    WGPUShaderModule    module;
    WGPUBindGroupLayout layout;
    WGPUPipelineLayout  pipeline_layout;
    WGPUComputePipeline pipeline;
    WGPUBuffer          buffer;
    WGPUBuffer          large;          /* to be mapped, LARGE bytes          */
    uint64_t            large_sum;      /* of its words                       */
    WGPUBindGroup       group, other;   /* both have the buffer               */
    uint32_t            dispatches;     /* all that were submitted */
} Bench;

/* ---- waiting for the queue ---- */

static void work_done(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *done,
                      void *unused)
{
    (void)unused;
    if (status != WGPUQueueWorkDoneStatus_Success)
        fatal("the queue: ", message);
    *(bool *)done = true;
}

static void finish_queue(const Bench *b)
{
    bool done = false;
    WGPUQueueWorkDoneCallbackInfo then = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
    then.mode = WGPUCallbackMode_AllowProcessEvents;
    then.callback = work_done;
    then.userdata1 = &done;
    gpu_wait(&b->gpu, wgpuQueueOnSubmittedWorkDone(b->gpu.queue, then), &done);
}

/* ---- what is measured: each does its work `count` times ---- */

static void create_buffers(Bench *b, uint32_t count)
{
    WGPUBufferDescriptor desc = WGPU_BUFFER_DESCRIPTOR_INIT;
    desc.usage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst;
    desc.size = 1024;
    for (uint32_t i = 0; i < count; i++)
        wgpuBufferRelease(wgpuDeviceCreateBuffer(b->gpu.device, &desc));
}

static WGPUBindGroup group_create(const Bench *b)
{
    WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
    entry.buffer = b->buffer;
    WGPUBindGroupDescriptor desc = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    desc.layout = b->layout;
    desc.entryCount = 1;
    desc.entries = &entry;
    return wgpuDeviceCreateBindGroup(b->gpu.device, &desc);
}

static void create_groups(Bench *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        wgpuBindGroupRelease(group_create(b));
}

static WGPUComputePipeline known_pipeline_create(const Bench *b)
{
    WGPUComputePipelineDescriptor desc = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    desc.layout = b->pipeline_layout;
    desc.compute.module = b->module;
    return wgpuDeviceCreateComputePipeline(b->gpu.device, &desc);
}

/* The same shader module: its kernel is known. */
static void create_pipelines(Bench *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        wgpuComputePipelineRelease(known_pipeline_create(b));
}

static void got_pipeline(WGPUCreatePipelineAsyncStatus status, WGPUComputePipeline pipeline,
                         WGPUStringView message, void *done, void *unused)
{
    (void)unused;
    if (status != WGPUCreatePipelineAsyncStatus_Success)
        fatal("a pipeline: ", message);
    wgpuComputePipelineRelease(pipeline);
    *(bool *)done = true;
}

/* Another shader module with the same text, until its pipeline is complete. */
static void create_modules(Bench *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool done = false;
        WGPUComputePipelineDescriptor desc = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
        desc.compute.module = module_create(&b->gpu, wgsl);
        WGPUCreateComputePipelineAsyncCallbackInfo then =
            WGPU_CREATE_COMPUTE_PIPELINE_ASYNC_CALLBACK_INFO_INIT;
        then.mode = WGPUCallbackMode_AllowProcessEvents;
        then.callback = got_pipeline;
        then.userdata1 = &done;
        gpu_wait(&b->gpu, wgpuDeviceCreateComputePipelineAsync(b->gpu.device, &desc, then),
                 &done);
        wgpuShaderModuleRelease(desc.compute.module);
    }
}

static void write_buffers(Bench *b, uint32_t count)
{
    const uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++)
        wgpuQueueWriteBuffer(b->gpu.queue, b->buffer, 512, &value, sizeof value);
}

/* Four sums, which do not wait for one another: the memory is what takes the time. */
static uint64_t sum(const uint64_t *words, size_t count)
{
    uint64_t sums[4] = {0};
    for (size_t i = 0; i < count; i += 4) {
        sums[0] += words[i];
        sums[1] += words[i + 1];
        sums[2] += words[i + 2];
        sums[3] += words[i + 3];
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

/* Until its memory is there to be read. */
static const uint64_t *map_large(Bench *b)
{
    bool done = false;
    WGPUBufferMapCallbackInfo then = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    then.mode = WGPUCallbackMode_AllowProcessEvents;
    then.callback = got_map;
    then.userdata1 = &done;
    gpu_wait(&b->gpu, wgpuBufferMapAsync(b->large, WGPUMapMode_Read, 0, LARGE, then), &done);
    return (const uint64_t *)wgpuBufferGetConstMappedRange(b->large, 0, LARGE);
}

static void map_large_only(Bench *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!map_large(b))
            fatal("a mapped buffer ", text("is nowhere"));
        wgpuBufferUnmap(b->large);
    }
}

/* Every word of it is looked at. */
static void map_large_and_read(Bench *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (sum(map_large(b), LARGE / sizeof(uint64_t)) != b->large_sum)
            fatal("a mapped buffer ", text("holds other data"));
        wgpuBufferUnmap(b->large);
    }
}

static void submit_nothing(Bench *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        wgpuQueueSubmit(b->gpu.queue, 0, NULL);
        finish_queue(b);
    }
}

static void submit_empty(Bench *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(b->gpu.device, NULL);
        WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
        wgpuComputePassEncoderEnd(pass);
        wgpuComputePassEncoderRelease(pass);
        submit(&b->gpu, encoder);
        finish_queue(b);
    }
}

/* `by_turns`: each has another bind group than the one before. */
static void encode_dispatches(Bench *b, uint32_t count, bool by_turns)
{
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(b->gpu.device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
    wgpuComputePassEncoderSetPipeline(pass, b->pipeline);
    wgpuComputePassEncoderSetBindGroup(pass, 0, b->group, 0, NULL);
    for (uint32_t i = 0; i < count; i++) {
        if (by_turns)
            wgpuComputePassEncoderSetBindGroup(pass, 0, i % 2 ? b->group : b->other, 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    }
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit(&b->gpu, encoder);
    b->dispatches += count;
}

static void submit_together(Bench *b, uint32_t count)
{
    encode_dispatches(b, count, false);
    finish_queue(b);
}

static void submit_by_turns(Bench *b, uint32_t count)
{
    encode_dispatches(b, count, true);
    finish_queue(b);
}

static void submit_singly(Bench *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        encode_dispatches(b, 1, false);
    finish_queue(b);
}

static void submit_and_wait(Bench *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        submit_together(b, 1);
}

static const struct {
    const char *name;
    void      (*run)(Bench *b, uint32_t count);
    uint32_t    count;                  /* in a round */
} measures[] = {
    {"a buffer of 1 KiB, made and released", create_buffers, 1000},
    {"a bind group, made and released", create_groups, 1000},
    {"a pipeline of a known kernel, made and released", create_pipelines, 1000},
    {"the same from a new shader module, to completion", create_modules, 100},
    {"4 bytes written to a buffer", write_buffers, 1000},
    {"4 MiB mapped and unmapped", map_large_only, 100},
    {"4 MiB mapped, read and unmapped", map_large_and_read, 10},
    {"a submit of nothing, to its completion", submit_nothing, 200},
    {"a submit of an empty pass, to its completion", submit_empty, 200},
    {"a dispatch, 1000 in one command buffer, to completion", submit_together, DISPATCHES},
    {"the same, another bind group each time", submit_by_turns, DISPATCHES},
    {"a dispatch, 1000 submits, to completion of all", submit_singly, DISPATCHES},
    {"a dispatch, 1000 submits, to completion of each", submit_and_wait, DISPATCHES},
};

/* ---- measuring ---- */

/* Its memory is written to, so that its pages exist, as those of a buffer that is read do. */
static void open_large(Bench *b)
{
    const size_t count = LARGE / sizeof(uint64_t);
    uint64_t *words = malloc(LARGE);
    if (!words)
        fatal("there is ", text("no memory"));
    for (size_t i = 0; i < count; i++)
        words[i] = i * 0x9E3779B97F4A7C15u;
    b->large_sum = sum(words, count);
    b->large = buffer_create(&b->gpu, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, LARGE,
                             NULL);
    wgpuQueueWriteBuffer(b->gpu.queue, b->large, 0, words, LARGE);
    finish_queue(b);
    free(words);
}

static void open_bench(Bench *b)
{
    memset(b, 0, sizeof *b);
    b->gpu = gpu_open();
    b->module = module_create(&b->gpu, wgsl);
    WGPUBindGroupLayoutEntry entry = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
    entry.visibility = WGPUShaderStage_Compute;
    entry.buffer.type = WGPUBufferBindingType_Storage;
    WGPUBindGroupLayoutDescriptor desc = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
    desc.entryCount = 1;
    desc.entries = &entry;
    b->layout = wgpuDeviceCreateBindGroupLayout(b->gpu.device, &desc);
    WGPUPipelineLayoutDescriptor layouts = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
    layouts.bindGroupLayoutCount = 1;
    layouts.bindGroupLayouts = &b->layout;
    b->pipeline_layout = wgpuDeviceCreatePipelineLayout(b->gpu.device, &layouts);
    b->pipeline = known_pipeline_create(b);
    b->buffer = buffer_create(&b->gpu, WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst
                                           | WGPUBufferUsage_CopySrc, 1024, NULL);
    open_large(b);
    b->group = group_create(b);
    b->other = group_create(b);
}

static void close_bench(Bench *b)
{
    wgpuBindGroupRelease(b->group);
    wgpuBindGroupRelease(b->other);
    wgpuBufferRelease(b->large);
    wgpuBufferRelease(b->buffer);
    wgpuComputePipelineRelease(b->pipeline);
    wgpuPipelineLayoutRelease(b->pipeline_layout);
    wgpuBindGroupLayoutRelease(b->layout);
    wgpuShaderModuleRelease(b->module);
    gpu_close(&b->gpu);
}

static int compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static bool has_option(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    bool small = has_option(argc, argv, "--small"), tsv = has_option(argc, argv, "--tsv");
    int  rounds = small ? 3 : ROUNDS;
    Bench b;
    open_bench(&b);
    if (!tsv)
        printf("microseconds%46s%10s\n", "median", "shortest");
    for (size_t m = 0; m < sizeof measures / sizeof measures[0]; m++) {
        double   times[ROUNDS];
        uint32_t count = small ? 10 : measures[m].count;
        for (int i = 0; i < rounds; i++) {
            double start = seconds();
            measures[m].run(&b, count);
            times[i] = (seconds() - start) / count * 1e6;
        }
        qsort(times, (size_t)rounds, sizeof times[0], compare);
        printf(tsv ? "%s\t%.3f\t%.3f\n" : "%-54s%8.2f%10.2f\n", measures[m].name,
               times[rounds / 2], times[0]);
        finish_queue(&b);
    }
    uint32_t count = 0;
    buffer_read(&b.gpu, b.buffer, &count, sizeof count);
    bool right = count == b.dispatches;
    close_bench(&b);
    if (tsv)
        return right ? EXIT_SUCCESS : EXIT_FAILURE;
    printf("%u dispatches\n", b.dispatches);
    return verdict(right);
}
