// SPDX-License-Identifier: Apache-2.0
/*
 * faults_test.c - a driver in which any one function fails, or is missing.
 *
 * Each case is a process of its own, with the loader of faulty_loader.c. It runs one
 * program: buffers, a kernel, an indirect dispatch, timestamps, several submits. Either
 * all its numbers are right, or something said in words what went wrong. Sanitizers see
 * what leaks or crashes. Of functions that are missing every fourth is tried: they are
 * all found in one place.
 *
 *     faults_test              all cases
 *     faults_test program      the program alone, as the environment has it
 *     faults_test leave        one that ends while its work is under way
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
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
#include "calls.h"

enum { RIGHT = 0, WRONG = 1, NO_ADAPTER = 10, NO_DEVICE, REPORTED };

enum { MAP_READ = 1, COPY_SRC = 4, COPY_DST = 8, STORAGE = 0x80, INDIRECT = 0x100,
       QUERY_RESOLVE = 0x200 };

/* ---- the program ---- */

typedef struct Program {
    WGPUInstance instance;
    WGPUAdapter  adapter;
    WGPUDevice   device;
    WGPUQueue    queue;
    pthread_mutex_t lock;
    char         why[600];              /* the first thing that was said          */
} Program;

#define PROGRAM {.lock = PTHREAD_MUTEX_INITIALIZER}

static void note(Program *p, WGPUStringView text)
{
    pthread_mutex_lock(&p->lock);
    if (!p->why[0])
        snprintf(p->why, sizeof p->why, "%.*s", (int)text.length, text.data ? text.data : "");
    pthread_mutex_unlock(&p->lock);
}

static bool was_said(Program *p)
{
    wgpuInstanceProcessEvents(p->instance);
    pthread_mutex_lock(&p->lock);
    bool said = p->why[0] != '\0';
    pthread_mutex_unlock(&p->lock);
    return said;
}

/* Whether something was said, or is within the time: errors come on a thread of their own,
 * or wait for the events to be processed. */
static bool is_said(Program *p, int seconds)
{
    bool said = was_said(p);
    for (int i = 0; i < seconds * 100 && !said; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        said = was_said(p);
    }
    return said;
}

static void on_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                       WGPUStringView message, void *p, void *unused)
{
    (void)status, (void)unused;
    ((Program *)p)->adapter = adapter;
    if (!adapter)
        note(p, message);
}

static void on_device(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message,
                      void *p, void *unused)
{
    (void)status, (void)unused;
    ((Program *)p)->device = device;
    if (!device)
        note(p, message);
}

static void on_error(const WGPUDevice *device, WGPUErrorType type, WGPUStringView message,
                     void *p, void *unused)
{
    (void)device, (void)type, (void)unused;
    note(p, message);
}

static void on_lost(const WGPUDevice *device, WGPUDeviceLostReason reason,
                    WGPUStringView message, void *p, void *unused)
{
    (void)device, (void)unused;
    if (reason == WGPUDeviceLostReason_Unknown)
        note(p, message);
}

static void open_adapter(Program *p)
{
    static const WGPUInstanceFeatureName timed = WGPUInstanceFeatureName_TimedWaitAny;
    p->instance = wgpuCreateInstance(&(WGPUInstanceDescriptor){NULL, 1, &timed, NULL});
    WGPURequestAdapterOptions o = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    o.backendType = WGPUBackendType_Vulkan;
    wgpuInstanceRequestAdapter(p->instance, &o, (WGPURequestAdapterCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_adapter, p, NULL});
}

static void open_device(Program *p)
{
    static const WGPUFeatureName features[] = {WGPUFeatureName_TimestampQuery};
    const char *deadline = getenv("WEFT_FAULT_DEADLINE");
    WGPUWeftDeviceOptions weft = WGPU_WEFT_DEVICE_OPTIONS_INIT;
    weft.dispatchDeadlineNS = deadline ? 20000000000u : 0;
    WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
    d.nextInChain = &weft.chain;
    d.requiredFeatureCount = COUNTOF(features);
    d.requiredFeatures = features;
    d.uncapturedErrorCallbackInfo = (WGPUUncapturedErrorCallbackInfo){NULL, on_error, p, NULL};
    d.deviceLostCallbackInfo = (WGPUDeviceLostCallbackInfo){
        NULL, WGPUCallbackMode_AllowProcessEvents, on_lost, p, NULL};
    wgpuAdapterRequestDevice(p->adapter, &d, (WGPURequestDeviceCallbackInfo){
        NULL, WGPUCallbackMode_AllowSpontaneous, on_device, p, NULL});
}

static WGPUBuffer make_buffer(Program *p, WGPUBufferUsage usage, uint64_t size)
{
    WGPUBufferDescriptor d = {.usage = usage, .size = size};
    return wgpuDeviceCreateBuffer(p->device, &d);
}

static WGPUComputePipeline make_pipeline(Program *p)
{
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code = (WGPUStringView){
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "  a[id.x] = 3 * a[id.x] + 1;\n"
        "}\n", WGPU_STRLEN};
    WGPUShaderModule m = wgpuDeviceCreateShaderModule(
        p->device, &(WGPUShaderModuleDescriptor){&wgsl.chain, {NULL, 0}});
    WGPUComputePipelineDescriptor d = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    d.compute.module = m;
    WGPUComputePipeline pipeline = wgpuDeviceCreateComputePipeline(p->device, &d);
    wgpuShaderModuleRelease(m);
    return pipeline;
}

static WGPUBindGroup make_group(Program *p, WGPUComputePipeline pipeline, WGPUBuffer buffer)
{
    WGPUBindGroupEntry e = WGPU_BIND_GROUP_ENTRY_INIT;
    e.buffer = buffer;
    WGPUBindGroupLayout l = wgpuComputePipelineGetBindGroupLayout(pipeline, 0);
    WGPUBindGroupDescriptor d = {.layout = l, .entryCount = 1, .entries = &e};
    WGPUBindGroup group = wgpuDeviceCreateBindGroup(p->device, &d);
    wgpuBindGroupLayoutRelease(l);
    return group;
}

/* Dispatches once directly and once indirectly, with a timestamp around it. */
static void compute(Program *p, WGPUComputePipeline pipeline, WGPUBindGroup group,
                    WGPUBuffer counts, WGPUQuerySet times)
{
    WGPUCommandEncoder        e = wgpuDeviceCreateCommandEncoder(p->device, NULL);
    WGPUPassTimestampWrites   w = {NULL, times, 0, 1};
    WGPUComputePassDescriptor d = {.timestampWrites = &w};
    WGPUComputePassEncoder    pass = wgpuCommandEncoderBeginComputePass(e, &d);
    wgpuComputePassEncoderSetPipeline(pass, pipeline);
    wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 4, 1, 1);
    wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, counts, 0);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit_commands(p->queue, e);
}

#define COUNT        256u
#define ROUNDS       3u
#define MOST_SECONDS 20             /* until somebody has said what is wrong */

static bool numbers_are_right(const uint32_t *got)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t want = i;
        for (uint32_t k = 0; k < 2 * ROUNDS; k++)
            want = 3 * want + 1;
        if (got[i] != want)
            return false;
    }
    return true;
}

/* True: what could be read is right, or nothing could. */
static bool work(Program *p)
{
    static const uint32_t counts[] = {4, 1, 1};
    uint32_t start[COUNT], got[COUNT];
    uint64_t got_times[2] = {1, 2};
    for (uint32_t i = 0; i < COUNT; i++)
        start[i] = i;
    WGPUComputePipeline pipeline = make_pipeline(p);
    WGPUBuffer   a = make_buffer(p, STORAGE | COPY_SRC | COPY_DST, sizeof start);
    WGPUBuffer   n = make_buffer(p, INDIRECT | COPY_DST, sizeof counts);
    WGPUBuffer   t = make_buffer(p, QUERY_RESOLVE | COPY_SRC, sizeof got_times);
    WGPUQuerySetDescriptor qd = {.type = WGPUQueryType_Timestamp, .count = 2};
    WGPUQuerySet times = wgpuDeviceCreateQuerySet(p->device, &qd);
    WGPUBindGroup group = make_group(p, pipeline, a);
    wgpuQueueWriteBuffer(p->queue, a, 0, start, sizeof start);
    wgpuQueueWriteBuffer(p->queue, n, 0, counts, sizeof counts);
    for (uint32_t i = 0; i < ROUNDS; i++)
        compute(p, pipeline, group, n, times);
    bool right = !copy_out(p->instance, p->device, a, got, sizeof got) || numbers_are_right(got)
                 || is_said(p, MOST_SECONDS);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(p->device, NULL);
    wgpuCommandEncoderResolveQuerySet(e, times, 0, 2, t, 0);
    submit_commands(p->queue, e);
    right = right && (!copy_out(p->instance, p->device, t, got_times, sizeof got_times)
                      || (got_times[0] && got_times[0] <= got_times[1])
                      || is_said(p, MOST_SECONDS));
    wgpuBindGroupRelease(group);
    wgpuQuerySetRelease(times);
    wgpuBufferRelease(a);
    wgpuBufferRelease(n);
    wgpuBufferRelease(t);
    wgpuComputePipelineRelease(pipeline);
    return right;
}

static int run_program(void)
{
    Program p = PROGRAM;
    int     end = RIGHT;
    open_adapter(&p);
    if (!p.adapter)
        end = NO_ADAPTER;
    if (p.adapter)
        open_device(&p);
    if (p.adapter && !p.device)
        end = NO_DEVICE;
    if (p.device) {
        p.queue = wgpuDeviceGetQueue(p.device);
        bool right = work(&p);
        end = !right ? WRONG : is_said(&p, 0) ? REPORTED : RIGHT;
        wgpuQueueRelease(p.queue);
        wgpuDeviceRelease(p.device);
    }
    if (end != RIGHT && !is_said(&p, MOST_SECONDS))
        end = WRONG;                    /* a failure without words */
    wgpuAdapterRelease(p.adapter);
    wgpuInstanceRelease(p.instance);
    fprintf(stderr, "%s", p.why);
    return end;
}

/* While exit() runs what was registered for it, the driver's static objects go: nobody may
 * give it work any more. */
static void nothing_is_sent(void)
{
    const char *name = getenv("WEFT_VULKAN_LOADER");
    void       *loader = dlopen(name, RTLD_NOW), *symbol = loader ? dlsym(loader, "faulty_submits")
                                                                  : NULL;
    int       (*submits)(void);
    if (!symbol)
        _exit(WRONG);
    memcpy(&submits, &symbol, sizeof symbol);
    int before = submits();
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    if (submits() != before) {
        fprintf(stderr, "work is sent while the program ends");
        _exit(WRONG);
    }
}

/* Ends in the middle of its work, with everything still there. */
static int leave(void)
{
    static Program p = PROGRAM;
    static const uint32_t counts[] = {4, 1, 1};
    open_adapter(&p);
    if (p.adapter)
        open_device(&p);
    if (!p.device)
        return WRONG;
    p.queue = wgpuDeviceGetQueue(p.device);
    WGPUComputePipeline pipeline = make_pipeline(&p);
    WGPUBuffer   a = make_buffer(&p, STORAGE | COPY_SRC | COPY_DST, COUNT * sizeof(uint32_t));
    WGPUBuffer   n = make_buffer(&p, INDIRECT | COPY_DST, sizeof counts);
    WGPUQuerySetDescriptor qd = {.type = WGPUQueryType_Timestamp, .count = 2};
    WGPUQuerySet times = wgpuDeviceCreateQuerySet(p.device, &qd);
    WGPUBindGroup group = make_group(&p, pipeline, a);
    wgpuQueueWriteBuffer(p.queue, n, 0, counts, sizeof counts);
    for (uint32_t i = 0; i < 4 * ROUNDS; i++)
        compute(&p, pipeline, group, n, times);
    atexit(nothing_is_sent);
    exit(is_said(&p, 0) ? WRONG : RIGHT);
}

/* ---- cases ---- */

#define MOST_TIME 60000             /* ms for one of them */

typedef struct Tally {
    uint32_t cases, failed, right, missing, reported;
} Tally;

/* The program in a process of its own; what it says goes into `said`. */
static int spawn(const char *self, const char *what, const char *fault, bool deadline, char *said,
                 size_t size)
{
    int    ends[2], status = 0;
    size_t got = 0;
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        setenv("WEFT_FAULT", fault, 1);
        if (deadline)
            setenv("WEFT_FAULT_DEADLINE", "1", 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execl(self, self, what, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, MOST_TIME) == 0)
        kill(child, SIGKILL);           /* it says nothing and does not end */
    for (ssize_t n; (n = read(ends[0], said + got, size - 1 - got)) > 0;)
        got += (size_t)n;
    said[got] = '\0';
    char rest[512];
    while (read(ends[0], rest, sizeof rest) > 0)
        ;
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void try(Tally *t, const char *self, const char *name, const char *mode, int n,
                bool deadline)
{
    char fault[128], said[4000];
    snprintf(fault, sizeof fault, "%s:%s:%d", name, mode, n);
    int end = spawn(self, "program", fault, deadline, said, sizeof said);
    t->cases++;
    t->right += end == RIGHT;
    t->missing += end == NO_ADAPTER || end == NO_DEVICE;
    t->reported += end == REPORTED;
    if (end == RIGHT || end == NO_ADAPTER || end == NO_DEVICE || end == REPORTED)
        return;
    t->failed++;
    printf("%s%s: ends with %d: %s\n", fault, deadline ? " with a deadline" : "", end, said);
}

static const char *const functions[] = {
#define FRONT(name, parameters, arguments) #name,
#include "faulty_functions.def"
#undef FRONT
};

static const char *const all_functions[] = {
#define GLOBAL(name)   #name,
#define INSTANCE(name) #name,
#define DEVICE(name)   #name,
#define OPTIONAL(name)
#include "gpu/vulkan/functions.def"
#undef OPTIONAL
#undef DEVICE
#undef INSTANCE
#undef GLOBAL
};

int main(int argc, char **argv)
{
    Tally t = {0};
    char  said[4000];
    if (argc > 1 && strcmp(argv[1], "program") == 0)
        return run_program();
    if (argc > 1 && strcmp(argv[1], "leave") == 0)
        return leave();
    int plain = spawn(argv[0], "program", "none", false, said, sizeof said);
    if (plain != RIGHT) {
        printf("without a fault it ends with %d: %s\n", plain, said);
        return 1;
    }
    for (int i = 0; i < 4; i++) {
        int end = spawn(argv[0], "leave", i & 2 ? "CreateComputePipelines:slow" : "none", i & 1,
                        said, sizeof said);
        t.failed += end != RIGHT;
        if (end != RIGHT)
            printf("in the middle of its work it ends with %d: %s\n", end, said);
    }
    for (size_t i = 0; i < COUNTOF(all_functions); i += 4)
        try(&t, argv[0], all_functions[i], "missing", 0, false);
    if (t.missing != t.cases) {
        printf("an adapter works without one of the functions\n");
        t.failed++;
    }
    for (size_t i = 0; i < COUNTOF(functions); i++) {
        try(&t, argv[0], functions[i], "memory", 0, false);
        try(&t, argv[0], functions[i], "lost", 2, true);
    }
    printf("%u cases: %u right all the same, %u without a device, %u reported, %u wrong\n",
           t.cases, t.right, t.missing, t.reported, t.failed);
    return t.failed != 0;
}
