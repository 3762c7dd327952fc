// SPDX-License-Identifier: Apache-2.0
/*
 * future_test.c - who calls back, when, on which thread, and in which order.
 */
#include "fixture.h"

#include <sched.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define WAIT        WGPUCallbackMode_WaitAnyOnly
#define PROCESS     WGPUCallbackMode_AllowProcessEvents
#define SPONTANEOUS WGPUCallbackMode_AllowSpontaneous

static WGPUFuture work_done(Fixture *fx, Told *t, WGPUCallbackMode mode)
{
    return wgpuQueueOnSubmittedWorkDone(fx->queue, work_info(t, mode));
}

static void submit_clear(Fixture *fx, WGPUBuffer b)
{
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    wgpuCommandEncoderClearBuffer(encoder, b, 0, WGPU_WHOLE_SIZE);
    submit(fx, encoder);
}

static WGPUWaitStatus wait(Fixture *fx, WGPUFuture f, uint64_t timeout, bool completed)
{
    WGPUFutureWaitInfo info = {.future = f, .completed = 55};
    WGPUWaitStatus status = wgpuInstanceWaitAny(fx->instance, 1, &info, timeout);
    if (status != WGPUWaitStatus_Error)
        assert_int_equal(info.completed, completed);
    return status;
}

/* ---- modes ---- */

static void test_each_mode_is_heard_where_it_may(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    Told w = TOLD_INIT, p = TOLD_INIT, s = TOLD_INIT;
    WGPUFuture fw = work_done(fx, &w, WAIT);
    WGPUFuture fp = work_done(fx, &p, PROCESS);
    WGPUFuture fs = work_done(fx, &s, SPONTANEOUS);
    assert_int_equal(w.count, 0);
    assert_int_equal(p.count, 0);
    assert_int_equal(s.count, 1);                   /* complete at once: within the call */
    assert_true(pthread_equal(s.thread, pthread_self()));
    wgpuInstanceProcessEvents(fx->instance);
    assert_int_equal(w.count, 0);
    assert_int_equal(p.count, 1);
    assert_int_equal(wait(fx, fw, 0, true), WGPUWaitStatus_Success);
    assert_int_equal(w.count, 1);
    wgpuInstanceProcessEvents(fx->instance);
    assert_int_equal(wait(fx, fw, 0, true), WGPUWaitStatus_Success);
    assert_int_equal(wait(fx, fp, 0, true), WGPUWaitStatus_Success);
    assert_int_equal(wait(fx, fs, UINT64_MAX, true), WGPUWaitStatus_Success);
    assert_int_equal(w.count + p.count + s.count, 3);
    fixture_close(fx);
}

static void test_work_under_way(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_CopyDst, 16);
    Told w = TOLD_INIT, p = TOLD_INIT, s = TOLD_INIT;
    null_hold();
    submit_clear(fx, b);
    WGPUFuture fw = work_done(fx, &w, WAIT);
    WGPUFuture fp = work_done(fx, &p, PROCESS);
    WGPUFuture fs = work_done(fx, &s, SPONTANEOUS);
    WGPUFutureWaitInfo all[] = {{fw, 1}, {fp, 1}, {fs, 1}};
    wgpuInstanceProcessEvents(fx->instance);
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 3, all, 0), WGPUWaitStatus_TimedOut);
    for (int i = 0; i < 3; i++)
        assert_false(all[i].completed);
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 3, all, 3000000), WGPUWaitStatus_TimedOut);
    assert_int_equal(w.count + p.count + told_count(&s), 0);
    null_let_go();
    told_wait(&s);                                  /* by itself, on a thread of the library */
    assert_false(pthread_equal(s.thread, pthread_self()));
    assert_int_equal(wait(fx, fw, UINT64_MAX, true), WGPUWaitStatus_Success);
    assert_true(pthread_equal(w.thread, pthread_self()));
    assert_int_equal(p.count, 0);
    wgpuInstanceProcessEvents(fx->instance);
    assert_int_equal(p.count, 1);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_callbacks_come_in_order(void **state)
{
    (void)state;
    enum { COUNT = 20 };
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_CopyDst, 16);
    WGPUBuffer m = make_buffer(fx, "m", WGPUBufferUsage_CopyDst | WGPUBufferUsage_MapRead, 16);
    static const WGPUCallbackMode modes[] = {WAIT, PROCESS, SPONTANEOUS};
    for (size_t k = 0; k < COUNTOF(modes); k++) {
        Told t[COUNT], map = TOLD_INIT;
        WGPUFutureWaitInfo infos[COUNT + 1];
        null_hold();
        submit_clear(fx, m);
        infos[COUNT].future = wgpuBufferMapAsync(m, WGPUMapMode_Read, 0, 16,
                                                 map_info(&map, modes[k]));
        for (int i = 0; i < COUNT; i++) {
            t[i] = (Told)TOLD_INIT;
            if (i % 3 == 0)
                submit_clear(fx, b);
            infos[COUNT - 1 - i].future = work_done(fx, &t[i], modes[k]);
        }
        null_let_go();
        wait_idle(fx);
        if (modes[k] == WAIT)
            assert_int_equal(wgpuInstanceWaitAny(fx->instance, COUNT + 1, infos, 0),
                             WGPUWaitStatus_Success);
        else if (modes[k] == PROCESS)
            wgpuInstanceProcessEvents(fx->instance);
        else
            told_wait(&t[COUNT - 1]);
        assert_int_equal(map.count, 1);
        assert_int_equal(map.status, WGPUMapAsyncStatus_Success);
        assert_true(map.order < t[0].order);
        for (int i = 1; i < COUNT; i++)
            assert_true(t[i - 1].order < t[i].order);
        wgpuBufferUnmap(m);
    }
    wgpuBufferRelease(b);
    wgpuBufferRelease(m);
    fixture_close(fx);
}

/* ---- waiting ---- */

static void test_waits_that_are_wrong(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL), *other = fixture_open(NULL);
    WGPUFutureWaitInfo infos[65] = {{{0}, 0}};
    Told t = TOLD_INIT, q = TOLD_INIT, o = TOLD_INIT;
    assert_int_equal(wgpuInstanceWaitAny(NULL, 0, NULL, 0), WGPUWaitStatus_Error);
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 0, NULL, 0), WGPUWaitStatus_Success);
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 1, NULL, 0), WGPUWaitStatus_Error);
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 1, infos, 0), WGPUWaitStatus_Error);
    infos[0].future.id = UINT64_MAX;
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 1, infos, 0), WGPUWaitStatus_Error);
    expect_log(fx, "WaitAny: a future is not one of this instance");
    infos[0].future = wgpuDeviceGetLostFuture(other->device);
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 1, infos, 0), WGPUWaitStatus_Error);
    infos[0].future = work_done(fx, &q, WAIT);
    infos[1].future = wgpuDevicePopErrorScope(fx->device, scope_info(&t, WAIT));
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 2, infos, 1), WGPUWaitStatus_Error);
    expect_log(fx, "WaitAny: a wait with a timeout mixes futures of a queue with others");
    assert_int_equal(q.count + t.count, 0);
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 2, infos, 0), WGPUWaitStatus_Success);
    assert_int_equal(q.count, 1);
    assert_int_equal(t.count, 1);
    for (size_t i = 0; i < COUNTOF(infos); i++)
        infos[i].future = infos[0].future;
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 65, infos, 1), WGPUWaitStatus_Error);
    expect_log(fx, "WaitAny: 65 futures with a timeout are more than timedWaitAnyMaxCount, 64");
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 64, infos, 1), WGPUWaitStatus_Success);
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 65, infos, 0), WGPUWaitStatus_Success);
    WGPUInstance plain = instance_create(NULL, null_backends);
    infos[0].future = wgpuInstanceRequestAdapter(plain, NULL, adapter_callback(&o, WAIT));
    assert_int_equal(wgpuInstanceWaitAny(plain, 1, infos, 1), WGPUWaitStatus_Error);
    assert_int_equal(wgpuInstanceWaitAny(plain, 1, infos, 0), WGPUWaitStatus_Success);
    wgpuAdapterRelease(o.object);
    wgpuInstanceRelease(plain);
    wgpuQueueRelease(other->queue);
    wgpuDeviceRelease(other->device);
    wgpuAdapterRelease(other->adapter);
    wgpuInstanceRelease(other->instance);
    free(other);
    fixture_close(fx);
}

static void test_a_timeout_is_kept(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_CopyDst, 16);
    Told t = TOLD_INIT;
    null_hold();
    submit_clear(fx, b);
    WGPUFuture f = work_done(fx, &t, WAIT);
    uint64_t start = clock_ns();
    assert_int_equal(wait(fx, f, 20000000, false), WGPUWaitStatus_TimedOut);
    assert_true(clock_ns() - start >= 20000000);
    null_let_go();
    assert_int_equal(wait(fx, f, UINT64_MAX - 1, true), WGPUWaitStatus_Success);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_one_of_many_is_enough(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer idle = make_buffer(fx, "idle", WGPUBufferUsage_MapWrite, 16);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_CopyDst, 16);
    Told work = TOLD_INIT, map = TOLD_INIT;
    null_hold();
    submit_clear(fx, b);
    WGPUFutureWaitInfo infos[] = {
        {work_done(fx, &work, WAIT), 0},
        {wgpuBufferMapAsync(idle, WGPUMapMode_Write, 0, 16, map_info(&map, WAIT)), 0},
        {{0}, 0},
    };
    infos[2].future = infos[1].future;              /* twice: no harm */
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 3, infos, UINT64_MAX),
                     WGPUWaitStatus_Success);
    assert_false(infos[0].completed);
    assert_true(infos[1].completed && infos[2].completed);
    assert_int_equal(map.count, 1);
    assert_int_equal(work.count, 0);
    null_let_go();
    wait_idle(fx);
    assert_int_equal(wait(fx, infos[0].future, 0, true), WGPUWaitStatus_Success);
    wgpuBufferRelease(b);
    wgpuBufferRelease(idle);
    fixture_close(fx);
}

/* ---- callbacks that call back ---- */

typedef struct Nest {
    Fixture   *fx;
    WGPUFuture own;
    Told       inner;
    int        calls;
} Nest;

static void on_nested(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *context,
                      void *unused)
{
    Nest *n = context;
    (void)status, (void)message, (void)unused;
    n->calls++;
    if (n->own.id)                                  /* our own future: complete, not stuck */
        assert_int_equal(wait(n->fx, n->own, UINT64_MAX, true), WGPUWaitStatus_Success);
    wgpuBufferRelease(make_buffer(n->fx, "within", WGPUBufferUsage_CopyDst, 16));
    assert_int_equal(wait(n->fx, work_done(n->fx, &n->inner, WAIT), UINT64_MAX, true),
                     WGPUWaitStatus_Success);
    wgpuInstanceProcessEvents(n->fx->instance);
}

static void test_callbacks_may_call_the_api(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_CopyDst, 16);
    static const WGPUCallbackMode modes[] = {WAIT, PROCESS, SPONTANEOUS};
    for (size_t i = 0; i < COUNTOF(modes); i++) {
        Nest n = {.fx = fx, .inner = TOLD_INIT};
        WGPUQueueWorkDoneCallbackInfo info = {NULL, modes[i], on_nested, &n, NULL};
        null_hold();
        submit_clear(fx, b);
        n.own = wgpuQueueOnSubmittedWorkDone(fx->queue, info);
        null_let_go();
        if (modes[i] == PROCESS) {
            wait_idle(fx);
            wgpuInstanceProcessEvents(fx->instance);
        }
        wait_for(fx, n.own);
        assert_int_equal(n.calls, 1);
        assert_int_equal(n.inner.count, 1);
    }
    wgpuBufferRelease(b);
    fixture_close(fx);
}

typedef struct Again {
    Fixture *fx;
    int      left, calls;
} Again;

static void on_again(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *context,
                     void *unused)
{
    Again *a = context;
    (void)status, (void)message, (void)unused;
    a->calls++;
    if (a->left-- > 0)
        wgpuQueueOnSubmittedWorkDone(
            a->fx->queue, (WGPUQueueWorkDoneCallbackInfo){NULL, PROCESS, on_again, a, NULL});
}

static void test_events_do_not_breed_without_end(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    Again    a = {fx, 5, 0};
    wgpuQueueOnSubmittedWorkDone(
        fx->queue, (WGPUQueueWorkDoneCallbackInfo){NULL, PROCESS, on_again, &a, NULL});
    for (int i = 1; i <= 6; i++) {
        wgpuInstanceProcessEvents(fx->instance);
        assert_int_equal(a.calls, i);
    }
    wgpuInstanceProcessEvents(fx->instance);
    assert_int_equal(a.calls, 6);
    fixture_close(fx);
}

/* ---- the instance goes first ---- */

static void test_the_last_release_cancels(void **state)
{
    (void)state;
    Fixture fx = {.lock = PTHREAD_MUTEX_INITIALIZER};
    fx.instance = fixture_instance(&fx);
    Told a = TOLD_INIT, d = TOLD_INIT, lost = TOLD_INIT;
    wgpuInstanceRequestAdapter(fx.instance, NULL, adapter_callback(&a, SPONTANEOUS));
    fx.adapter = a.object;
    WGPUDeviceDescriptor desc = WGPU_DEVICE_DESCRIPTOR_INIT;
    desc.deviceLostCallbackInfo = lost_info(&lost, SPONTANEOUS);
    wgpuAdapterRequestDevice(fx.adapter, &desc, device_callback(&d, SPONTANEOUS));
    fx.device = d.object;
    fx.queue = wgpuDeviceGetQueue(fx.device);
    WGPUBuffer b = make_buffer(&fx, "b", WGPUBufferUsage_CopyDst | WGPUBufferUsage_MapRead, 16);
    WGPUShaderModule m = make_module(&fx, "@compute @workgroup_size(1) fn f() {}");
    Told map = TOLD_INIT, work = TOLD_INIT, adapter = TOLD_INIT, pipeline = TOLD_INIT,
         scope = TOLD_INIT, device = TOLD_INIT;
    null_hold();
    null_hold_kernels();
    submit_clear(&fx, b);
    WGPUComputePipelineDescriptor pd = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    pd.compute.module = m;
    wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 16, map_info(&map, WAIT));
    wgpuQueueOnSubmittedWorkDone(fx.queue, work_info(&work, SPONTANEOUS));
    wgpuInstanceRequestAdapter(fx.instance, NULL, adapter_callback(&adapter, WAIT));
    wgpuDeviceCreateComputePipelineAsync(fx.device, &pd, pipeline_info(&pipeline, PROCESS));
    wgpuDevicePopErrorScope(fx.device, scope_info(&scope, PROCESS));
    Told adapter2 = TOLD_INIT;
    wgpuInstanceRequestAdapter(fx.instance, NULL, adapter_callback(&adapter2, SPONTANEOUS));
    wgpuAdapterRequestDevice(adapter2.object, NULL, device_callback(&device, WAIT));
    wgpuInstanceRelease(fx.instance);
    assert_int_equal(map.status, WGPUMapAsyncStatus_CallbackCancelled);
    assert_int_equal(work.status, WGPUQueueWorkDoneStatus_CallbackCancelled);
    assert_int_equal(adapter.status, WGPURequestAdapterStatus_CallbackCancelled);
    assert_int_equal(pipeline.status, WGPUCreatePipelineAsyncStatus_CallbackCancelled);
    assert_int_equal(scope.status, WGPUPopErrorScopeStatus_CallbackCancelled);
    assert_int_equal(device.status, WGPURequestDeviceStatus_CallbackCancelled);
    assert_int_equal(lost.status, WGPUDeviceLostReason_CallbackCancelled);
    assert_ptr_equal(lost.object, fx.device);
    assert_null(adapter.object);
    assert_null(pipeline.object);
    assert_null(device.object);
    assert_string_equal(map.message, "the instance was released first");
    assert_int_equal(wgpuBufferGetMapState(b), WGPUBufferMapState_Unmapped);
    /* What is asked for later is cancelled at once; the device still works. */
    Told late = TOLD_INIT;
    assert_int_equal(wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 16,
                                        map_info(&late, WAIT)).id, 0);
    assert_int_equal(late.status, WGPUMapAsyncStatus_CallbackCancelled);
    null_let_go();
    null_let_kernels_go();
    submit_clear(&fx, b);
    wgpuShaderModuleRelease(m);
    wgpuBufferRelease(b);
    wgpuQueueRelease(fx.queue);
    wgpuDeviceRelease(fx.device);
    wgpuAdapterRelease(fx.adapter);
    wgpuAdapterRelease(adapter2.object);
    assert_int_equal(lost.count, 1);
    assert_int_equal(map.count + work.count + pipeline.count, 3);
}

static void on_release(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *context,
                       void *t)
{
    Fixture *fx = context;
    wgpuQueueRelease(fx->queue);
    wgpuDeviceRelease(fx->device);
    wgpuAdapterRelease(fx->adapter);
    wgpuInstanceRelease(fx->instance);
    told(t, (int)status, message, NULL);
}

/* Everything goes in a callback: on the event thread, which then ends itself. */
static void test_a_callback_may_release_everything(void **state)
{
    (void)state;
    static const WGPUCallbackMode modes[] = {WAIT, PROCESS, SPONTANEOUS};
    for (size_t i = 0; i < COUNTOF(modes); i++) {
        Fixture *fx = fixture_open(NULL);
        WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_CopyDst, 16);
        Told t = TOLD_INIT;
        null_hold();
        submit_clear(fx, b);
        wgpuBufferRelease(b);
        WGPUFuture f = wgpuQueueOnSubmittedWorkDone(
            fx->queue, (WGPUQueueWorkDoneCallbackInfo){NULL, modes[i], on_release, fx, &t});
        WGPUFutureWaitInfo info = {.future = f};
        if (modes[i] == PROCESS) {
            null_let_go();
            wait_idle(fx);
            wgpuInstanceProcessEvents(fx->instance);
        } else if (modes[i] == WAIT) {
            null_let_go();
            wgpuInstanceWaitAny(fx->instance, 1, &info, UINT64_MAX);
        } else {
            null_let_go();
        }
        told_wait(&t);
        while (null_counts.devices)                 /* the last batch may end after us */
            sched_yield();
        free(fx);
    }
}

static void test_work_may_outlive_every_handle(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        Fixture *fx = fixture_open(NULL);
        WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_CopyDst, 16);
        null_hold();
        submit_clear(fx, b);
        wgpuBufferRelease(b);
        wgpuQueueRelease(fx->queue);
        wgpuDeviceRelease(fx->device);
        wgpuAdapterRelease(fx->adapter);
        wgpuInstanceRelease(fx->instance);
        assert_int_equal(null_counts.devices, 1);
        null_let_go();
        while (null_counts.devices)
            sched_yield();
        free(fx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_mode_is_heard_where_it_may),
        cmocka_unit_test(test_work_under_way),
        cmocka_unit_test(test_callbacks_come_in_order),
        cmocka_unit_test(test_waits_that_are_wrong),
        cmocka_unit_test(test_a_timeout_is_kept),
        cmocka_unit_test(test_one_of_many_is_enough),
        cmocka_unit_test(test_callbacks_may_call_the_api),
        cmocka_unit_test(test_events_do_not_breed_without_end),
        cmocka_unit_test(test_the_last_release_cancels),
        cmocka_unit_test(test_a_callback_may_release_everything),
        cmocka_unit_test(test_work_may_outlive_every_handle),
    };
    return cmocka_run_group_tests_name("future", tests, NULL, NULL);
}
