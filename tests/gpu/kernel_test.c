// SPDX-License-Identifier: Apache-2.0
/*
 * kernel_test.c - pipelines are there before their kernels are: who waits for a kernel,
 * who does not, and where it is said that one could not be made.
 */
#include "fixture.h"

#include <sched.h>

#include "base/core.h"

#define WAIT        WGPUCallbackMode_WaitAnyOnly
#define PROCESS     WGPUCallbackMode_AllowProcessEvents
#define SPONTANEOUS WGPUCallbackMode_AllowSpontaneous

static const char shader[] =
    "@group(0) @binding(0) var<storage, read_write> x: array<u32, 4>;\n"
    "@compute @workgroup_size(1) fn count() { x[0] = 1; }\n"
    "@compute @workgroup_size(1) fn other() { x[0] = 2; }\n"
    "@compute @workgroup_size(1) fn third() { x[0] = 3; }\n";

#define REFUSED "compute pipeline 'p': the null device does not compile that"

/* A pipeline with a buffer and a bind group for it. */
typedef struct Work {
    WGPUShaderModule    module;
    WGPUComputePipeline pipeline;
    WGPUBuffer          buffer;
    WGPUBindGroup       group;
} Work;

static WGPUComputePipelineDescriptor descriptor(WGPUShaderModule module, const char *entry)
{
    WGPUComputePipelineDescriptor d = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    d.label = sv("p");
    d.compute.module = module;
    d.compute.entryPoint = sv(entry);
    return d;
}

static Work work_open(Fixture *fx, const char *entry)
{
    Work w = {.module = make_module(fx, shader)};
    WGPUComputePipelineDescriptor d = descriptor(w.module, entry);
    w.pipeline = wgpuDeviceCreateComputePipeline(fx->device, &d);
    w.buffer = make_buffer(fx, "x", WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc
                                    | WGPUBufferUsage_CopyDst, 16);
    WGPUBindGroupLayout layout = wgpuComputePipelineGetBindGroupLayout(w.pipeline, 0);
    w.group = make_group(fx, layout, 1, &w.buffer);
    wgpuBindGroupLayoutRelease(layout);
    return w;
}

static void work_close(Work *w)
{
    wgpuBindGroupRelease(w->group);
    wgpuBufferRelease(w->buffer);
    wgpuComputePipelineRelease(w->pipeline);
    wgpuShaderModuleRelease(w->module);
}

static WGPUCommandEncoder encode(Fixture *fx, const Work *w)
{
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderSetPipeline(pass, w->pipeline);
    wgpuComputePassEncoderSetBindGroup(pass, 0, w->group, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    return e;
}

static bool is_complete(Fixture *fx, WGPUFuture f)
{
    WGPUFutureWaitInfo info = {.future = f};
    return wgpuInstanceWaitAny(fx->instance, 1, &info, 0) == WGPUWaitStatus_Success;
}

/* ---- waiting for a kernel ---- */

static void test_the_queue_waits_for_kernels(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    null_hold_kernels();
    Work     w = work_open(fx, "count");
    uint32_t values[4] = {10, 20, 30, 40}, got[4];
    Told     before = TOLD_INIT, after = TOLD_INIT;
    /* What comes before the dispatch does not wait, what comes after it does. */
    wgpuQueueWriteBuffer(fx->queue, w.buffer, 0, values, sizeof values);
    wait_for(fx, wgpuQueueOnSubmittedWorkDone(fx->queue, work_info(&before, WAIT)));
    submit(fx, encode(fx, &w));
    submit(fx, encode(fx, &w));
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    wgpuCommandEncoderClearBuffer(e, w.buffer, 4, 4);
    submit(fx, e);
    WGPUFuture f = wgpuQueueOnSubmittedWorkDone(fx->queue, work_info(&after, WAIT));
    null_wait_for_kernels(1);
    assert_false(is_complete(fx, f));
    assert_int_equal(null_counts.dispatches, 0);
    null_let_kernels_go();
    wait_for(fx, f);
    read_back(fx, w.buffer, got, sizeof got);
    assert_memory_equal(got, ((uint32_t[]){12, 0, 32, 42}), sizeof got);
    work_close(&w);
    fixture_close(fx);
}

static void test_kernels_are_made_side_by_side(void **state)
{
    (void)state;
    static const char *const entries[] = {"count", "other", "third"};
    Fixture *fx = fixture_open(NULL);
    int      most = core_allowed_count() > 1 ? 2 : 1;
    Work     works[COUNTOF(entries)];
    null_hold_kernels();
    for (size_t i = 0; i < COUNTOF(entries); i++)
        works[i] = work_open(fx, entries[i]);
    null_wait_for_kernels(most);
    for (size_t i = COUNTOF(entries); i-- > 0;)
        submit(fx, encode(fx, &works[i]));
    null_let_kernels_go();
    wait_idle(fx);
    assert_int_equal(null_counts.dispatches, COUNTOF(entries));
    for (size_t i = 0; i < COUNTOF(entries); i++)
        work_close(&works[i]);
    fixture_close(fx);
}

static void test_everything_may_go_before_the_kernel_comes(void **state)
{
    (void)state;
    for (int submits = 0; submits < 3; submits++) {
        Fixture *fx = fixture_open(NULL);
        null_hold_kernels();
        Work w = work_open(fx, "count");
        if (submits)
            submit(fx, encode(fx, &w));
        work_close(&w);
        null_wait_for_kernels(1);
        if (submits == 2)
            wgpuDeviceDestroy(fx->device);
        fixture_close(fx);
    }
}

/* A batch is done and gives up its kernel, and a buffer that it used is destroyed. */
static void test_a_buffer_goes_while_its_work_ends(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    Told     t = TOLD_INIT;
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Internal);
    Work w = work_open(fx, "count");
    wait_for(fx, wgpuDevicePopErrorScope(fx->device, scope_info(&t, WAIT)));
    WGPUCommandEncoder e = encode(fx, &w);
    null_hold_ends();
    wgpuComputePipelineRelease(w.pipeline);
    wgpuShaderModuleRelease(w.module);
    wgpuBindGroupRelease(w.group);
    submit(fx, e);
    null_wait_for_end();
    wgpuBufferDestroy(w.buffer);
    wgpuBufferRelease(w.buffer);
    null_let_ends_go();
    wait_idle(fx);
    assert_int_equal(null_counts.buffers, 0);
    fixture_close(fx);
}

/* ---- kernels that cannot be made ---- */

static void test_a_scope_waits_for_kernels(void **state)
{
    (void)state;
    static const WGPUCallbackMode modes[] = {WAIT, PROCESS, SPONTANEOUS};
    for (size_t i = 0; i < 2 * COUNTOF(modes); i++) {
        Fixture *fx = fixture_open(NULL);
        bool     fails = i % 2;
        Told     inner = TOLD_INIT, outer = TOLD_INIT;
        null_knobs.no_kernel = fails;
        null_hold_kernels();
        wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Internal);
        wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Validation);
        Work w = work_open(fx, "count");
        /* Not the one that would not take the error. */
        wait_for(fx, wgpuDevicePopErrorScope(fx->device, scope_info(&inner, WAIT)));
        assert_int_equal(inner.error, WGPUErrorType_NoError);
        WGPUFuture f = wgpuDevicePopErrorScope(fx->device, scope_info(&outer, modes[i / 2]));
        null_wait_for_kernels(1);
        assert_false(is_complete(fx, f));
        null_let_kernels_go();
        if (modes[i / 2] == SPONTANEOUS)
            told_wait(&outer);
        wait_for(fx, f);
        assert_int_equal(outer.status, WGPUPopErrorScopeStatus_Success);
        assert_int_equal(outer.error, fails ? WGPUErrorType_Internal : WGPUErrorType_NoError);
        assert_string_equal(outer.message, fails ? REFUSED : "");
        work_close(&w);
        fixture_close(fx);
    }
}

static void wait_for_error(Fixture *fx)
{
    uint32_t count = 0;
    while (!count) {
        pthread_mutex_lock(&fx->lock);
        count = fx->nerrors;
        pthread_mutex_unlock(&fx->lock);
        sched_yield();
    }
}

static void test_without_a_scope_the_callback_hears_of_it(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    null_knobs.no_kernel = true;
    null_hold_kernels();
    Work w = work_open(fx, "count");
    /* Scopes that were opened or closed meanwhile have nothing to do with it. */
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Internal);
    null_let_kernels_go();
    wait_for_error(fx);
    expect_error(fx, WGPUErrorType_Internal, REFUSED);
    Told t = TOLD_INIT;
    wait_for(fx, wgpuDevicePopErrorScope(fx->device, scope_info(&t, WAIT)));
    assert_int_equal(t.error, WGPUErrorType_NoError);
    work_close(&w);
    fixture_close(fx);
}

static void test_asynchronous_creation_tells_it(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(fx, shader);
    WGPUComputePipelineDescriptor d = descriptor(m, "count");
    Told t = TOLD_INIT, u = TOLD_INIT;
    null_knobs.no_kernel = true;
    wait_for(fx, wgpuDeviceCreateComputePipelineAsync(fx->device, &d, pipeline_info(&t, WAIT)));
    assert_int_equal(t.status, WGPUCreatePipelineAsyncStatus_InternalError);
    assert_string_equal(t.message, REFUSED);
    assert_null(t.object);
    null_knobs.no_kernel = false;               /* a failure is not remembered */
    wait_for(fx, wgpuDeviceCreateComputePipelineAsync(fx->device, &d, pipeline_info(&u, WAIT)));
    assert_int_equal(u.status, WGPUCreatePipelineAsyncStatus_Success);
    wgpuComputePipelineRelease(u.object);
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

/* What was recorded before does nothing; afterwards the pipeline is an error object. */
static void test_what_uses_it_does_nothing(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    null_knobs.no_kernel = true;
    null_hold_kernels();
    Work     w = work_open(fx, "count");
    uint32_t got[4], zeros[4] = {0};
    WGPUCommandEncoder e = encode(fx, &w);
    wgpuCommandEncoderCopyBufferToBuffer(e, w.buffer, 0, w.buffer, 0, 0);
    finish(e);
    expect_fault(fx, "command encoder: CopyBufferToBuffer: the source 'x' and the destination are "
                     "the same buffer");
    submit(fx, encode(fx, &w));
    submit(fx, encode(fx, &w));
    null_let_kernels_go();
    wait_for_error(fx);
    expect_error(fx, WGPUErrorType_Internal, REFUSED);
    wait_idle(fx);
    read_back(fx, w.buffer, got, sizeof got);
    assert_memory_equal(got, zeros, sizeof got);
    assert_int_equal(null_counts.dispatches, 0);
    finish(encode(fx, &w));
    expect_fault(fx, "command encoder: compute pass: SetPipeline: " REFUSED);
    work_close(&w);
    fixture_close(fx);
}

/* ---- kernels that nobody uses ---- */

enum { AHEAD = 16, MANY = 100 };        /* pipeline.c's bound, and well above it */

static void open_many(Fixture *fx, Work *works)
{
    for (int i = 0; i < MANY; i++)
        works[i] = work_open(fx, "count");
}

static void close_many(Work *works)
{
    for (int i = 0; i < MANY; i++)
        work_close(&works[i]);
}

static void test_pipelines_that_are_not_used_cost_no_kernels(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    Work     works[MANY];
    Told     t = TOLD_INIT;
    uint32_t got[4];
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Internal);
    open_many(fx, works);
    wait_for(fx, wgpuDevicePopErrorScope(fx->device, scope_info(&t, WAIT)));
    assert_int_equal(null_counts.kernels_made, AHEAD);
    /* One that is used is made, though its module has gone, and the next ones are made
     * ahead again. */
    Work *last = &works[MANY - 1];
    wgpuShaderModuleRelease(last->module);
    submit(fx, encode(fx, last));
    submit(fx, encode(fx, last));
    read_back(fx, last->buffer, got, sizeof got);
    assert_int_equal(got[0], 2);
    assert_int_equal(null_counts.kernels_made, AHEAD + 1);
    last->module = make_module(fx, shader);
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Internal);
    Work next = work_open(fx, "other");
    wait_for(fx, wgpuDevicePopErrorScope(fx->device, scope_info(&t, WAIT)));
    assert_int_equal(null_counts.kernels_made, AHEAD + 2);
    expect_none(fx);
    work_close(&next);
    close_many(works);
    fixture_close(fx);
}

static void test_what_fails_on_demand_is_heard_of(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    Work     works[MANY];
    Told     t = TOLD_INIT;
    wgpuDevicePushErrorScope(fx->device, WGPUErrorFilter_Internal);
    open_many(fx, works);
    /* Those that are made ahead are there before the others cannot be made. */
    wait_for(fx, wgpuDevicePopErrorScope(fx->device, scope_info(&t, WAIT)));
    null_knobs.no_kernel = true;
    submit(fx, encode(fx, &works[MANY - 1]));
    wait_for_error(fx);
    expect_error(fx, WGPUErrorType_Internal, REFUSED);
    wait_idle(fx);
    assert_int_equal(null_counts.dispatches, 0);
    finish(encode(fx, &works[MANY - 1]));
    expect_fault(fx, "command encoder: compute pass: SetPipeline: " REFUSED);
    close_many(works);
    fixture_close(fx);
}

/* ---- many at once ---- */

typedef struct Maker {
    Fixture  *fx;
    uint32_t  number;
    pthread_t thread;
} Maker;

static void *make_many(void *context)
{
    static const char *const entries[] = {"count", "other", "third"};
    const Maker *m = context;
    for (uint32_t i = 0; i < 20; i++) {
        Told t = TOLD_INIT;
        wgpuDevicePushErrorScope(m->fx->device, WGPUErrorFilter_Internal);
        Work w = work_open(m->fx, entries[(m->number + i) % COUNTOF(entries)]);
        submit(m->fx, encode(m->fx, &w));
        wait_for(m->fx, wgpuDevicePopErrorScope(m->fx->device, scope_info(&t, WAIT)));
        assert_int_equal(t.status, WGPUPopErrorScopeStatus_Success);
        assert_string_equal(t.message, t.error == WGPUErrorType_Internal ? REFUSED : "");
        work_close(&w);
    }
    return NULL;
}

/* Some are refused, and the device may end meanwhile. */
static void test_threads_make_kernels(void **state)
{
    (void)state;
    for (int round = 0; round < 4; round++) {
        Fixture *fx = fixture_open(NULL);
        Maker    makers[4];
        for (uint32_t i = 0; i < COUNTOF(makers); i++) {
            makers[i] = (Maker){.fx = fx, .number = i};
            pthread_create(&makers[i].thread, NULL, make_many, &makers[i]);
        }
        for (int i = 0; i < 50; i++) {
            null_knobs.no_kernel = i % 2;
            sched_yield();
        }
        if (round % 2)
            wgpuDeviceDestroy(fx->device);
        for (uint32_t i = 0; i < COUNTOF(makers); i++)
            pthread_join(makers[i].thread, NULL);
        fx->nerrors = 0;                        /* of what uses the refused ones */
        fixture_close(fx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_queue_waits_for_kernels),
        cmocka_unit_test(test_kernels_are_made_side_by_side),
        cmocka_unit_test(test_everything_may_go_before_the_kernel_comes),
        cmocka_unit_test(test_a_buffer_goes_while_its_work_ends),
        cmocka_unit_test(test_a_scope_waits_for_kernels),
        cmocka_unit_test(test_without_a_scope_the_callback_hears_of_it),
        cmocka_unit_test(test_asynchronous_creation_tells_it),
        cmocka_unit_test(test_what_uses_it_does_nothing),
        cmocka_unit_test(test_pipelines_that_are_not_used_cost_no_kernels),
        cmocka_unit_test(test_what_fails_on_demand_is_heard_of),
        cmocka_unit_test(test_threads_make_kernels),
    };
    return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
