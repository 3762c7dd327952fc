// SPDX-License-Identifier: Apache-2.0
/*
 * queue_test.c - submitting, writing, the order of things.
 */
#include "fixture.h"

#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define WAIT WGPUCallbackMode_WaitAnyOnly

enum { MAP_READ = 1, MAP_WRITE = 2, COPY_SRC = 4, COPY_DST = 8 };

static WGPUCommandBuffer clear_of(Fixture *fx, WGPUBuffer b)
{
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    wgpuCommandEncoderClearBuffer(e, b, 0, WGPU_WHOLE_SIZE);
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(
        e, &(WGPUCommandBufferDescriptor){.label = sv("c")});
    wgpuCommandEncoderRelease(e);
    return c;
}

/* ---- submitting ---- */

static void test_command_buffers_are_used_once(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", COPY_DST, 16);
    WGPUCommandBuffer c = clear_of(fx, b), d = clear_of(fx, b);
    WGPUCommandBuffer twice[] = {d, d};
    wgpuQueueSubmit(fx->queue, 1, &c);
    wgpuQueueSubmit(fx->queue, 1, &c);
    expect_fault(fx, "queue: command buffer 'c': it was submitted before");
    wgpuQueueSubmit(fx->queue, 2, twice);
    expect_fault(fx, "queue: command buffer 'c': it is there twice");
    wgpuQueueSubmit(fx->queue, 1, &d);          /* used up all the same */
    expect_fault(fx, "queue: command buffer 'c': it was submitted before");
    WGPUCommandBuffer none = NULL;
    wgpuQueueSubmit(fx->queue, 1, &none);
    expect_fault(fx, "queue: a command buffer is NULL");
    wgpuQueueSubmit(fx->queue, 3, NULL);
    expect_fault(fx, "queue: commands is NULL with a count of 3");
    wgpuQueueSubmit(fx->queue, 0, NULL);
    wgpuQueueSubmit(NULL, 0, NULL);
    wait_idle(fx);
    assert_int_equal(null_counts.submits, 1);
    wgpuCommandBufferRelease(c);
    wgpuCommandBufferRelease(d);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_all_or_nothing(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer good = make_buffer(fx, "good", COPY_DST, 16);
    WGPUBuffer mapped = make_buffer(fx, "mapped", COPY_DST | MAP_READ, 16);
    WGPUBuffer dead = make_buffer(fx, "dead", COPY_DST, 16);
    Told t = TOLD_INIT;
    WGPUCommandBuffer two[] = {clear_of(fx, good), clear_of(fx, mapped)};
    WGPUFuture f = wgpuBufferMapAsync(mapped, WGPUMapMode_Read, 0, 16, map_info(&t, WAIT));
    wgpuQueueSubmit(fx->queue, 2, two);         /* pending counts as mapped */
    expect_fault(fx, "queue: command buffer 'c': it uses buffer 'mapped', which is mapped");
    wgpuCommandBufferRelease(two[0]);
    wgpuCommandBufferRelease(two[1]);
    wait_for(fx, f);
    two[0] = clear_of(fx, good);
    two[1] = clear_of(fx, mapped);
    wgpuQueueSubmit(fx->queue, 2, two);
    expect_fault(fx, "queue: command buffer 'c': it uses buffer 'mapped', which is mapped");
    wgpuBufferUnmap(mapped);
    wgpuQueueSubmit(fx->queue, 1, &two[0]);
    expect_fault(fx, "queue: command buffer 'c': it was submitted before");
    wgpuCommandBufferRelease(two[0]);
    wgpuCommandBufferRelease(two[1]);
    two[0] = clear_of(fx, mapped);
    two[1] = clear_of(fx, dead);
    wgpuBufferDestroy(dead);
    wgpuQueueSubmit(fx->queue, 2, two);
    expect_fault(fx, "queue: command buffer 'c': it uses buffer 'dead', which is destroyed");
    wgpuCommandBufferRelease(two[0]);
    wgpuCommandBufferRelease(two[1]);
    two[0] = clear_of(fx, mapped);              /* unmapped by now */
    two[1] = clear_of(fx, good);
    wgpuQueueSubmit(fx->queue, 2, two);
    wgpuCommandBufferRelease(two[0]);
    wgpuCommandBufferRelease(two[1]);
    wait_idle(fx);
    assert_int_equal(null_counts.submits, 2);
    wgpuBufferRelease(good);
    wgpuBufferRelease(mapped);
    wgpuBufferRelease(dead);
    fixture_close(fx);
}

static void test_groups_that_are_only_set_count_too(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(fx, "@group(0) @binding(0) var<storage> a: u32;"
                                         "@compute @workgroup_size(1) fn f() { _ = a; }");
    WGPUComputePipeline p = make_pipeline(fx, m, NULL);
    WGPUBindGroupLayout l = wgpuComputePipelineGetBindGroupLayout(p, 0);
    WGPUBuffer    b = make_buffer(fx, "b", WGPUBufferUsage_Storage, 16);
    WGPUBindGroup g = make_group(fx, l, 1, &b);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderSetBindGroup(pass, 0, g, 0, NULL);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    wgpuBufferDestroy(b);
    submit(fx, e);
    expect_fault(fx, "queue: command buffer: it uses buffer 'b', which is destroyed");
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(b);
    wgpuBindGroupLayoutRelease(l);
    wgpuComputePipelineRelease(p);
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

static void test_empty_work_is_no_work(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit(fx, e);
    wait_idle(fx);
    assert_int_equal(null_counts.submits, 0);
    fixture_close(fx);
}

static void test_many_commands(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    Fixture *fx = fixture_open(NULL);
    WGPUShaderModule m = make_module(fx, "@group(0) @binding(0) var<storage, read_write> a: u32;"
                                         "@compute @workgroup_size(1) fn count() { a = 1; }");
    WGPUComputePipeline p = make_pipeline(fx, m, NULL);
    WGPUBindGroupLayout l = wgpuComputePipelineGetBindGroupLayout(p, 0);
    WGPUBuffer    b[70];
    WGPUBindGroup g[COUNTOF(b)];
    for (size_t i = 0; i < COUNTOF(b); i++) {
        b[i] = make_buffer(fx, "b", WGPUBufferUsage_Storage | COPY_SRC, 4);
        g[i] = make_group(fx, l, 1, &b[i]);
    }
    for (int round = 0; round < 3; round++) {   /* with recycled memory, too */
        WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
        WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
        wgpuComputePassEncoderSetPipeline(pass, p);
        for (int i = 0; i < COUNT; i++) {
            wgpuComputePassEncoderSetBindGroup(pass, 0, g[i % COUNTOF(b)], 0, NULL);
            wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        }
        wgpuComputePassEncoderEnd(pass);
        wgpuComputePassEncoderRelease(pass);
        submit(fx, e);
    }
    for (uint32_t i = 0; i < COUNTOF(b); i++) {
        uint32_t have, want = 3 * (COUNT / COUNTOF(b) + (i < COUNT % COUNTOF(b)));
        read_back(fx, b[i], &have, 4);
        assert_int_equal(have, want);
        wgpuBindGroupRelease(g[i]);
        wgpuBufferRelease(b[i]);
    }
    wgpuBindGroupLayoutRelease(l);
    wgpuComputePipelineRelease(p);
    wgpuShaderModuleRelease(m);
    fixture_close(fx);
}

/* ---- writing ---- */

static void test_rules_of_writes(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", COPY_DST, 16), c = make_buffer(fx, "c", COPY_SRC, 16);
    uint32_t data[8] = {0};
    const struct {
        WGPUBuffer b; uint64_t offset; const void *data; size_t size; const char *fault;
    }
        rows[] = {
            {b, 0, data, 16, NULL}, {b, 16, data, 0, NULL}, {b, 12, data, 4, NULL},
            {b, 0, NULL, 0, NULL},
            {b, 2, data, 4, "queue: WriteBuffer to buffer 'b': the offset 2 must be a multiple of "
                            "4"},
            {b, 0, data, 6, "queue: WriteBuffer to buffer 'b': the size 6 must be a multiple of 4"},
            {b, 4, data, 16, "queue: WriteBuffer to buffer 'b': the offset 4 and the size 16 go "
                             "beyond the end of the buffer, 16"},
            {b, UINT64_MAX - 3, data, 8,
             "queue: WriteBuffer to buffer 'b': the offset 18446744073709551612 and the size 8 go "
             "beyond the end of the buffer, 16"},
            {b, 4, data, SIZE_MAX - 3,
             "queue: WriteBuffer to buffer 'b': the offset 4 and the size 18446744073709551612 go "
             "beyond the end of the buffer, 16"},
            {b, 0, NULL, 4, "queue: WriteBuffer to buffer 'b': the data is NULL with a size of 4"},
            {c, 0, data, 4, "queue: WriteBuffer to buffer 'c': the buffer 'c' has no "
             "usage CopyDst"},
            {NULL, 0, data, 4, "queue: WriteBuffer: the buffer is NULL"},
        };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        wgpuQueueWriteBuffer(fx->queue, rows[i].b, rows[i].offset, rows[i].data, rows[i].size);
        if (rows[i].fault)
            expect_fault(fx, rows[i].fault);
        else
            expect_none(fx);
    }
    WGPUBuffer m = make_buffer(fx, "m", COPY_DST | MAP_READ, 16);
    Told t = TOLD_INIT;
    wait_for(fx, wgpuBufferMapAsync(m, WGPUMapMode_Read, 0, 16, map_info(&t, WAIT)));
    wgpuQueueWriteBuffer(fx->queue, m, 0, data, 4);
    expect_fault(fx, "queue: WriteBuffer to buffer 'm': the buffer is mapped");
    wgpuQueueWriteBuffer(fx->queue, m, 16, NULL, 0);    /* of nothing, too */
    expect_fault(fx, "queue: WriteBuffer to buffer 'm': the buffer is mapped");
    wgpuBufferDestroy(m);
    wgpuQueueWriteBuffer(fx->queue, m, 0, data, 4);
    expect_fault(fx, "queue: WriteBuffer to buffer 'm': the buffer is destroyed");
    wgpuQueueWriteBuffer(fx->queue, m, 0, NULL, 0);
    expect_fault(fx, "queue: WriteBuffer to buffer 'm': the buffer is destroyed");
    wgpuQueueWriteBuffer(NULL, b, 0, data, 4);
    wgpuBufferRelease(m);
    wgpuBufferRelease(b);
    wgpuBufferRelease(c);
    fixture_close(fx);
}

/* Writes and submits by turns: each submit sees the writes before it, and no later
 * ones. In all ways a write can go: now, staged, small, large. */
static void test_writes_keep_their_place(void **state)
{
    (void)state;
    static const size_t sizes[] = {4, 4096, 8192, 65536, 65540, 300000};
    for (int far = 0; far < 2; far++) {
        for (size_t s = 0; s < COUNTOF(sizes); s++) {
            size_t size = sizes[s];
            null_knobs.far_memory = far;
            Fixture *fx = fixture_open(NULL);
            WGPUBuffer b = make_buffer(fx, "b", COPY_DST | COPY_SRC, size);
            WGPUBuffer seen[4];
            char *data = malloc(size), *back = malloc(size);
            for (int hold = 0; hold < 2; hold++) {
                if (hold)
                    null_hold();
                for (int i = 0; i < 4; i++) {
                    seen[i] = make_buffer(fx, "seen", COPY_DST | COPY_SRC, size);
                    memset(data, 10 * hold + i + 1, size);
                    wgpuQueueWriteBuffer(fx->queue, b, 0, data, size);
                    memset(data, 0, size);      /* ours again */
                    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
                    wgpuCommandEncoderCopyBufferToBuffer(e, b, 0, seen[i], 0, size);
                    submit(fx, e);
                }
                null_let_go();
                for (int i = 0; i < 4; i++) {
                    read_back(fx, seen[i], back, size);
                    for (size_t k = 0; k < size; k += size / 4)
                        assert_int_equal(back[k], 10 * hold + i + 1);
                    assert_int_equal(back[size - 1], 10 * hold + i + 1);
                    wgpuBufferRelease(seen[i]);
                }
            }
            free(data);
            free(back);
            wgpuBufferRelease(b);
            fixture_close(fx);
        }
    }
}

static void test_many_writes_are_one_submit(void **state)
{
    (void)state;
    null_knobs.far_memory = true;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", COPY_DST | COPY_SRC, 4000);
    for (uint32_t i = 0; i < 1000; i++)
        wgpuQueueWriteBuffer(fx->queue, b, i * 4, &i, 4);
    wait_idle(fx);
    assert_int_equal(null_counts.submits, 1);
    uint32_t back[1000];
    read_back(fx, b, back, sizeof back);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(back[i], i);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_writes_do_not_pile_up(void **state)
{
    (void)state;
    null_knobs.far_memory = true;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", COPY_DST, 1 << 20);
    void *data = calloc(1, 1 << 20);
    for (int i = 0; i < 40; i++)
        wgpuQueueWriteBuffer(fx->queue, b, 0, data, 1 << 20);
    wait_idle(fx);
    assert_int_equal(null_counts.submits, 3);   /* two when 16 MiB were full, one for the rest */
    free(data);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_writes_that_nobody_waits_for(void **state)
{
    (void)state;
    null_knobs.far_memory = true;
    for (int i = 0; i < 3; i++) {
        Fixture *fx = fixture_open(NULL);
        WGPUBuffer b = make_buffer(fx, "b", COPY_DST, 65540);
        void *data = calloc(1, 65540);
        wgpuQueueWriteBuffer(fx->queue, b, 0, data, 65540);
        wgpuQueueWriteBuffer(fx->queue, b, 0, data, 8);
        if (i == 1)
            wgpuBufferDestroy(b);
        if (i == 2)
            wgpuDeviceDestroy(fx->device);
        wgpuBufferRelease(b);
        free(data);
        fixture_close(fx);
    }
}

static void test_a_map_sees_the_writes_before_it(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        null_knobs.far_memory = far;
        Fixture *fx = fixture_open(NULL);
        WGPUBuffer b = make_buffer(fx, "b", COPY_DST | MAP_READ, 16);
        WGPUBuffer c = make_buffer(fx, "c", COPY_SRC | COPY_DST, 16);
        uint32_t word = 5, back = 0;
        null_hold();                            /* busy, so that the write is staged */
        WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
        wgpuCommandEncoderCopyBufferToBuffer(e, c, 0, b, 0, 16);
        submit(fx, e);
        wgpuQueueWriteBuffer(fx->queue, b, 8, &word, 4);
        null_let_go();
        read_buffer(fx, b, 8, &back, 4);
        assert_int_equal(back, 5);
        wgpuBufferRelease(b);
        wgpuBufferRelease(c);
        fixture_close(fx);
    }
}

static void test_a_backend_that_works_within_the_call(void **state)
{
    (void)state;
    null_knobs.at_once = true;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", COPY_DST | COPY_SRC, 16);
    Told t = TOLD_INIT;
    uint32_t words[4] = {1, 2, 3, 4}, back[4];
    wgpuQueueWriteBuffer(fx->queue, b, 0, words, 16);
    WGPUCommandBuffer three[] = {clear_of(fx, b), clear_of(fx, b), clear_of(fx, b)};
    wgpuQueueSubmit(fx->queue, 3, three);
    wgpuQueueOnSubmittedWorkDone(fx->queue, work_info(&t, WGPUCallbackMode_AllowSpontaneous));
    assert_int_equal(t.count, 1);
    for (int i = 0; i < 3; i++)
        wgpuCommandBufferRelease(three[i]);
    read_back(fx, b, back, 16);
    assert_int_equal(back[0], 0);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

/* Batches before it are still under way when one is given up. */
static void test_a_backend_that_gives_up(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", COPY_DST | COPY_SRC, 16);
    WGPUBuffer d = make_buffer(fx, "d", COPY_DST | COPY_SRC, 16);
    Told t = TOLD_INIT;
    null_hold();
    WGPUCommandBuffer c[] = {clear_of(fx, b), clear_of(fx, d), clear_of(fx, b)};
    wgpuQueueSubmit(fx->queue, 2, c);
    WGPUFuture f = wgpuQueueOnSubmittedWorkDone(fx->queue, work_info(&t, WAIT));
    wgpuBufferDestroy(d);                       /* in use by the second */
    null_knobs.gives_up = true;
    wgpuQueueSubmit(fx->queue, 1, &c[2]);
    wait_for(fx, f);                            /* lost: nobody waits for it any more */
    wait_for(fx, wgpuDeviceGetLostFuture(fx->device));
    assert_int_equal(null_counts.buffers, 2);
    null_let_go();
    for (size_t i = 0; i < COUNTOF(c); i++)
        wgpuCommandBufferRelease(c[i]);
    wgpuBufferRelease(b);
    wgpuBufferRelease(d);
    fixture_close(fx);
}

/* ---- knowing when it is done ---- */

/* A device may leave its work alone until somebody asks. */
static void test_the_backend_knows_who_does_not_wait(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    Told only = TOLD_INIT, other = TOLD_INIT, mapped = TOLD_INIT;
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, 4);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    wgpuCommandEncoderClearBuffer(e, b, 0, 4);
    null_hold();
    submit(fx, e);
    WGPUFutureWaitInfo wait = {.future = wgpuQueueOnSubmittedWorkDone(
        fx->queue, work_info(&only, WGPUCallbackMode_WaitAnyOnly))};
    assert_int_equal(null_counts.watches, 0);
    wgpuInstanceWaitAny(fx->instance, 1, &wait, 0);
    assert_int_equal(null_counts.watches, 1);
    wgpuInstanceWaitAny(fx->instance, 1, &wait, 1000);
    assert_int_equal(null_counts.watches, 2);
    wgpuQueueOnSubmittedWorkDone(fx->queue,
                                 work_info(&other, WGPUCallbackMode_AllowProcessEvents));
    assert_int_equal(null_counts.watches, 3);
    wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 4,
                       map_info(&mapped, WGPUCallbackMode_AllowSpontaneous));
    assert_int_equal(null_counts.watches, 4);
    null_let_go();
    told_wait(&mapped);
    wait_for(fx, wait.future);
    wgpuInstanceProcessEvents(fx->instance);
    assert_int_equal(told_count(&other), 1);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_work_done_with_a_wrong_chain(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    Told t = TOLD_INIT;
    WGPUQueueWorkDoneCallbackInfo info = work_info(&t, WGPUCallbackMode_AllowSpontaneous);
    info.nextInChain = &(WGPUChainedStruct){NULL, 2};
    wgpuQueueOnSubmittedWorkDone(fx->queue, info);
    assert_int_equal(t.status, WGPUQueueWorkDoneStatus_Error);
    assert_string_equal(t.message, "WGPUQueueWorkDoneCallbackInfo has a struct in its chain that "
                                   "does not belong there: sType 0x00000002");
    info = work_info(&t, (WGPUCallbackMode)4);
    assert_int_equal(wgpuQueueOnSubmittedWorkDone(fx->queue, info).id, 0);
    expect_log(fx, "OnSubmittedWorkDone: the callback mode 4 is not one there is");
    assert_int_equal(wgpuQueueOnSubmittedWorkDone(NULL, info).id, 0);
    wgpuQueueAddRef(fx->queue);
    wgpuQueueRelease(fx->queue);
    fixture_close(fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command_buffers_are_used_once),
        cmocka_unit_test(test_all_or_nothing),
        cmocka_unit_test(test_groups_that_are_only_set_count_too),
        cmocka_unit_test(test_empty_work_is_no_work),
        cmocka_unit_test(test_many_commands),
        cmocka_unit_test(test_rules_of_writes),
        cmocka_unit_test(test_writes_keep_their_place),
        cmocka_unit_test(test_many_writes_are_one_submit),
        cmocka_unit_test(test_writes_do_not_pile_up),
        cmocka_unit_test(test_writes_that_nobody_waits_for),
        cmocka_unit_test(test_a_map_sees_the_writes_before_it),
        cmocka_unit_test(test_a_backend_that_works_within_the_call),
        cmocka_unit_test(test_a_backend_that_gives_up),
        cmocka_unit_test(test_the_backend_knows_who_does_not_wait),
        cmocka_unit_test(test_work_done_with_a_wrong_chain),
    };
    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
