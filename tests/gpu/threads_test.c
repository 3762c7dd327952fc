// SPDX-License-Identifier: Apache-2.0
/*
 * threads_test.c - many threads on one device; releases in every order.
 */
#include "fixture.h"

#include <sched.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define WAIT        WGPUCallbackMode_WaitAnyOnly
#define PROCESS     WGPUCallbackMode_AllowProcessEvents
#define SPONTANEOUS WGPUCallbackMode_AllowSpontaneous

enum { MAP_READ = 1, MAP_WRITE = 2, COPY_SRC = 4, COPY_DST = 8, STORAGE = 0x80 };

enum { THREADS = 4, ROUNDS = 60 };

typedef struct Runner {
    Fixture            *fx;
    WGPUShaderModule    module;
    WGPUComputePipeline pipeline;
    WGPUBuffer          shared;
    uint32_t            number;
    pthread_t           thread;
} Runner;

/* What a thread does with a device, from buffers to mapped results. */
static void *work(void *context)
{
    Runner  *r = context;
    Fixture *fx = r->fx;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        WGPUBuffer in = make_buffer(fx, "in", STORAGE | COPY_DST, 256);
        WGPUBuffer out = make_buffer(fx, "out", STORAGE | COPY_SRC, 256);
        WGPUBuffer back = make_buffer(fx, "back", MAP_READ | COPY_DST, 256);
        WGPUBindGroupLayout layout = wgpuComputePipelineGetBindGroupLayout(r->pipeline, 0);
        WGPUBindGroup group = make_group(fx, layout, 2, (WGPUBuffer[]){in, out});
        uint32_t words[64], have[64];
        for (uint32_t k = 0; k < 64; k++)
            words[k] = r->number * 100000 + i * 100 + k;
        wgpuQueueWriteBuffer(fx->queue, in, 0, words, sizeof words);
        wgpuQueueWriteBuffer(fx->queue, r->shared, r->number * 4, words, 4);
        WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
        WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
        wgpuComputePassEncoderSetPipeline(pass, r->pipeline);
        wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        wgpuComputePassEncoderEnd(pass);
        wgpuComputePassEncoderRelease(pass);
        wgpuCommandEncoderCopyBufferToBuffer(e, out, 0, back, 0, 256);
        wgpuCommandEncoderCopyBufferToBuffer(e, r->shared, 0, back, 0, 4);
        wgpuBufferSetLabel(in, sv("renamed"));
        submit(fx, e);
        wgpuBindGroupRelease(group);
        wgpuBindGroupLayoutRelease(layout);
        wgpuBufferRelease(in);
        if (i % 3 == 0)
            wgpuBufferDestroy(out);
        wgpuBufferRelease(out);
        read_buffer(fx, back, 0, have, sizeof have);
        assert_memory_equal(have + 1, words + 1, sizeof words - 4);
        wgpuBufferRelease(back);
        if (i % 7 == 0)
            wgpuComputePipelineRelease(make_pipeline(fx, r->module, NULL));
        wgpuInstanceProcessEvents(fx->instance);
    }
    return NULL;
}

static void test_threads_share_a_device(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        null_knobs.far_memory = far;
        Fixture *fx = fixture_open(NULL);
        WGPUShaderModule m = make_module(
            fx, "@group(0) @binding(0) var<storage, read> a: array<u32>;"
                "@group(0) @binding(1) var<storage, read_write> b: array<u32>;"
                "@compute @workgroup_size(1) fn copy() { b[0] = a[0]; }");
        WGPUComputePipeline p = make_pipeline(fx, m, NULL);
        WGPUBuffer shared = make_buffer(fx, "shared", COPY_DST | COPY_SRC, 64);
        Runner runners[THREADS];
        for (uint32_t i = 0; i < THREADS; i++) {
            runners[i] = (Runner){fx, m, p, shared, i, 0};
            pthread_create(&runners[i].thread, NULL, work, &runners[i]);
        }
        for (uint32_t i = 0; i < THREADS; i++)
            pthread_join(runners[i].thread, NULL);
        wgpuBufferRelease(shared);
        wgpuComputePipelineRelease(p);
        wgpuShaderModuleRelease(m);
        fixture_close(fx);
    }
}

/* ---- one buffer, mapped, unmapped, destroyed, submitted by many ---- */

static void *meddle(void *context)
{
    Runner *r = context;
    Told    told[ROUNDS];
    for (uint32_t i = 0; i < ROUNDS; i++) {
        told[i] = (Told)TOLD_INIT;
        wgpuBufferMapAsync(r->shared, WGPUMapMode_Read, 0, 16,
                           map_info(&told[i], i % 2 ? PROCESS : SPONTANEOUS));
        wgpuBufferGetConstMappedRange(r->shared, 0, 16);
        wgpuBufferGetMapState(r->shared);
        WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(r->fx->device, NULL);
        wgpuCommandEncoderClearBuffer(e, r->shared, 0, 16);
        submit(r->fx, e);
        if (i % 5 == r->number)
            wgpuBufferUnmap(r->shared);
        if (i == ROUNDS - 5 && r->number == 1)
            wgpuBufferDestroy(r->shared);
        wgpuInstanceProcessEvents(r->fx->instance);
    }
    wgpuBufferUnmap(r->shared);
    for (uint32_t i = 0; i < ROUNDS; i++) {     /* each is heard of, once */
        while (told_count(&told[i]) == 0)
            wgpuInstanceProcessEvents(r->fx->instance);
        assert_int_equal(told_count(&told[i]), 1);
    }
    return NULL;
}

static void test_threads_fight_over_a_buffer(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer shared = make_buffer(fx, "shared", MAP_READ | COPY_DST, 16);
    Runner runners[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        runners[i] = (Runner){.fx = fx, .shared = shared, .number = i};
        pthread_create(&runners[i].thread, NULL, meddle, &runners[i]);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(runners[i].thread, NULL);
    fx->nerrors = 0;                            /* they were in each other's way */
    wgpuBufferRelease(shared);
    fixture_close(fx);
}

/* ---- writes by the host against submits ---- */

static void *write_large(void *context)
{
    Runner *r = context;
    enum { SIZE = 200000 };
    unsigned char *data = malloc(SIZE);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        memset(data, (int)(r->number * 50 + i), SIZE);
        wgpuQueueWriteBuffer(r->fx->queue, r->shared, 0, data, SIZE);
    }
    free(data);
    return NULL;
}

static void expect_whole(const unsigned char *bytes, size_t size)
{
    for (size_t k = 1; k < size; k++)
        if (bytes[k] != bytes[0])
            fail_msg("torn at %zu", k);
}

static void test_submits_wait_for_writes_by_the_host(void **state)
{
    (void)state;
    enum { SIZE = 200000 };
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer shared = make_buffer(fx, "shared", COPY_SRC | COPY_DST, SIZE);
    Runner runner = {.fx = fx, .shared = shared, .number = 1};
    unsigned char *back = malloc(SIZE);
    pthread_create(&runner.thread, NULL, write_large, &runner);
    for (int i = 0; i < 20; i++) {
        read_back(fx, shared, back, SIZE);      /* never half of one, half of another */
        expect_whole(back, SIZE);
    }
    pthread_join(runner.thread, NULL);
    free(back);
    wgpuBufferRelease(shared);
    fixture_close(fx);
}

static void test_maps_and_writes_wait_for_writes_by_the_host(void **state)
{
    (void)state;
    enum { SIZE = 200000 };
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer shared = make_buffer(fx, "shared", MAP_READ | COPY_DST, SIZE);
    Runner runners[2];
    for (uint32_t i = 0; i < 2; i++) {
        runners[i] = (Runner){.fx = fx, .shared = shared, .number = i};
        pthread_create(&runners[i].thread, NULL, write_large, &runners[i]);
    }
    for (int i = 0; i < 20; i++) {
        Told t = TOLD_INIT;
        wait_for(fx, wgpuBufferMapAsync(shared, WGPUMapMode_Read, 0, SIZE, map_info(&t, WAIT)));
        assert_int_equal(t.status, WGPUMapAsyncStatus_Success);
        expect_whole(wgpuBufferGetConstMappedRange(shared, 0, SIZE), SIZE);
        wgpuBufferUnmap(shared);
        sched_yield();
    }
    for (uint32_t i = 0; i < 2; i++)
        pthread_join(runners[i].thread, NULL);
    fx->nerrors = 0;                            /* some came while it was mapped */
    wgpuBufferRelease(shared);
    fixture_close(fx);
}

static void test_memory_goes_when_the_last_write_to_it_ends(void **state)
{
    (void)state;
    enum { SIZE = 200000 };
    Fixture *fx = fixture_open(NULL);
    for (int i = 0; i < 10; i++) {
        Runner r = {.fx = fx, .number = 1};
        r.shared = make_buffer(fx, "shared", COPY_DST, SIZE);
        pthread_create(&r.thread, NULL, write_large, &r);
        sched_yield();
        wgpuBufferDestroy(r.shared);
        pthread_join(r.thread, NULL);
        assert_int_equal(null_counts.buffers, 0);
        wgpuBufferRelease(r.shared);
    }
    fx->nerrors = 0;
    fixture_close(fx);
}

/* ---- maps against writes that wait for a submit ---- */

typedef struct Crowd {
    Runner      runners[2];
    atomic_bool over;
} Crowd;

static void *write_small(void *context)
{
    Crowd   *crowd = context;
    uint32_t data[4] = {0};
    while (!atomic_load(&crowd->over))
        wgpuQueueWriteBuffer(crowd->runners[0].fx->queue, crowd->runners[0].shared, 0, data, 16);
    return NULL;
}

static void *clear_small(void *context)
{
    Crowd *crowd = context;
    while (!atomic_load(&crowd->over)) {
        Runner *r = &crowd->runners[1];
        WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(r->fx->device, NULL);
        wgpuCommandEncoderClearBuffer(e, r->shared, 0, 16);
        submit(r->fx, e);
    }
    return NULL;
}

/* A write of another thread that comes just before the map is one the map waits for, and
 * so is on its way. */
static void test_a_map_is_not_left_with_a_write_that_nobody_submits(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer shared = make_buffer(fx, "shared", MAP_READ | COPY_DST, 16);
    for (int i = 0; i < 60; i++) {
        Crowd crowd = {.over = false};
        for (uint32_t k = 0; k < 2; k++)
            crowd.runners[k] = (Runner){.fx = fx, .shared = shared};
        pthread_create(&crowd.runners[0].thread, NULL, write_small, &crowd);
        pthread_create(&crowd.runners[1].thread, NULL, clear_small, &crowd);
        for (int k = 0; k < i % 7; k++)
            sched_yield();
        Told t = TOLD_INIT;
        WGPUFuture f = wgpuBufferMapAsync(shared, WGPUMapMode_Read, 0, 16, map_info(&t, WAIT));
        atomic_store(&crowd.over, true);
        for (uint32_t k = 0; k < 2; k++)
            pthread_join(crowd.runners[k].thread, NULL);
        WGPUFutureWaitInfo wait = {f, WGPU_FALSE};
        assert_int_equal(wgpuInstanceWaitAny(fx->instance, 1, &wait, 300 * NS_PER_S),
                         WGPUWaitStatus_Success);
        assert_int_equal(t.status, WGPUMapAsyncStatus_Success);
        wgpuBufferUnmap(shared);
    }
    fx->nerrors = 0;                            /* they came while it was mapped */
    wgpuBufferRelease(shared);
    fixture_close(fx);
}

/* ---- waiting ---- */

static void *wait_too(void *context)
{
    Runner *r = context;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        Told t = TOLD_INIT;
        WGPUFuture f = wgpuQueueOnSubmittedWorkDone(
            r->fx->queue, work_info(&t, (WGPUCallbackMode)(1 + i % 3)));
        wait_for(r->fx, f);
        assert_int_equal(t.count, 1);
    }
    return NULL;
}

static void *keep_busy(void *context)
{
    Runner *r = context;
    for (uint32_t i = 0; i < 4 * ROUNDS; i++) {
        WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(r->fx->device, NULL);
        wgpuCommandEncoderClearBuffer(e, r->shared, 0, 16);
        submit(r->fx, e);
        wgpuInstanceProcessEvents(r->fx->instance);
    }
    return NULL;
}

static void test_waits_and_events_meet(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", COPY_DST, 16);
    Runner runners[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        runners[i] = (Runner){.fx = fx, .shared = b, .number = i};
        pthread_create(&runners[i].thread, NULL, i ? wait_too : keep_busy, &runners[i]);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(runners[i].thread, NULL);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void *destroy(void *context)
{
    wgpuDeviceDestroy(context);
    return NULL;
}

static void test_a_device_ends_under_its_users(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        Fixture *fx = fixture_open(NULL);
        WGPUBuffer b = make_buffer(fx, "b", COPY_DST, 16);
        Runner runner = {.fx = fx, .shared = b};
        pthread_t ender;
        pthread_create(&runner.thread, NULL, keep_busy, &runner);
        pthread_create(&ender, NULL, destroy, fx->device);
        pthread_join(ender, NULL);
        pthread_join(runner.thread, NULL);
        fx->nerrors = 0;
        wgpuBufferRelease(b);
        fixture_close(fx);
    }
}

/* The queue gives the last references to its buffers back while the device looks for
 * buffers to destroy. */
static void test_a_device_is_destroyed_as_its_work_ends(void **state)
{
    (void)state;
    for (int i = 0; i < 150; i++) {
        Fixture *fx = fixture_open(NULL);
        for (int k = 0; k < 8; k++) {
            WGPUBuffer b = make_buffer(fx, "b", COPY_DST, 16);
            WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
            wgpuCommandEncoderClearBuffer(e, b, 0, 16);
            submit(fx, e);
            wgpuBufferRelease(b);
        }
        wgpuDeviceDestroy(fx->device);
        fixture_close(fx);
    }
}

/* ---- releases in every order ---- */

typedef struct Things {
    void *object[9];
    void (*release[9])(void *object);
} Things;

#define RELEASER(Name) \
    static void release_##Name(void *o) { wgpu##Name##Release(o); }
RELEASER(Instance)
RELEASER(Adapter)
RELEASER(Device)
RELEASER(Queue)
RELEASER(Buffer)
RELEASER(BindGroup)
RELEASER(ComputePipeline)
RELEASER(CommandEncoder)
RELEASER(CommandBuffer)

static Things make_things(Fixture *fx)
{
    WGPUShaderModule m = make_module(fx, "@group(0) @binding(0) var<storage, read_write> a: u32;"
                                         "@compute @workgroup_size(1) fn count() { a = 1; }");
    WGPUComputePipeline p = make_pipeline(fx, m, NULL);
    WGPUBindGroupLayout l = wgpuComputePipelineGetBindGroupLayout(p, 0);
    WGPUBuffer    b = make_buffer(fx, "b", STORAGE, 16);
    WGPUBindGroup g = make_group(fx, l, 1, &b);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderSetPipeline(pass, p);
    wgpuComputePassEncoderSetBindGroup(pass, 0, g, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, NULL);
    wgpuBindGroupLayoutRelease(l);
    wgpuShaderModuleRelease(m);
    return (Things){
        {fx->instance, fx->adapter, fx->device, fx->queue, b, g, p, e, c},
        {release_Instance, release_Adapter, release_Device, release_Queue, release_Buffer,
         release_BindGroup, release_ComputePipeline, release_CommandEncoder,
         release_CommandBuffer},
    };
}

static void test_releases_in_any_order(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 150; round++) {
        Fixture *fx = fixture_open(NULL);
        Things   t = make_things(fx);
        if (round % 2)
            wgpuQueueSubmit(fx->queue, 1, (WGPUCommandBuffer *)&t.object[8]);
        for (uint32_t left = COUNTOF(t.object); left > 0; left--) {
            seed = seed * 1664525u + 1013904223u;
            uint32_t pick = (seed >> 8) % left;
            t.release[pick](t.object[pick]);
            t.object[pick] = t.object[left - 1];
            t.release[pick] = t.release[left - 1];
        }
        while (null_counts.devices)             /* the submitted work ends by itself */
            sched_yield();
        assert_int_equal(null_counts.buffers, 0);
        assert_int_equal(null_counts.kernels, 0);
        free(fx);
        null_reset();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_share_a_device),
        cmocka_unit_test(test_threads_fight_over_a_buffer),
        cmocka_unit_test(test_submits_wait_for_writes_by_the_host),
        cmocka_unit_test(test_maps_and_writes_wait_for_writes_by_the_host),
        cmocka_unit_test(test_memory_goes_when_the_last_write_to_it_ends),
        cmocka_unit_test(test_a_map_is_not_left_with_a_write_that_nobody_submits),
        cmocka_unit_test(test_waits_and_events_meet),
        cmocka_unit_test(test_a_device_ends_under_its_users),
        cmocka_unit_test(test_a_device_is_destroyed_as_its_work_ends),
        cmocka_unit_test(test_releases_in_any_order),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
