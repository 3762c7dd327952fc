// SPDX-License-Identifier: Apache-2.0
/*
 * buffer_test.c - making buffers, mapping them, giving them back.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define WAIT        WGPUCallbackMode_WaitAnyOnly
#define PROCESS     WGPUCallbackMode_AllowProcessEvents
#define SPONTANEOUS WGPUCallbackMode_AllowSpontaneous

enum {                                          /* usages, for tables */
    MAP_READ = 1, MAP_WRITE = 2, COPY_SRC = 4, COPY_DST = 8, INDEX = 0x10, VERTEX = 0x20,
    UNIFORM = 0x40, STORAGE = 0x80, INDIRECT = 0x100, QUERY_RESOLVE = 0x200,
};

/* ---- making ---- */

static void test_rules_of_a_descriptor(void **state)
{
    (void)state;
    static const struct {
        uint64_t usage, size;
        bool     mapped;
        const char *fault;                      /* NULL: it is right */
    } rows[] = {
        {COPY_DST, 0, false, NULL},
        {COPY_DST, 5, false, NULL},
        {COPY_DST, 0, true, NULL},
        {0x3fc, 256, true, NULL},
        {MAP_READ, 16, true, NULL},
        {MAP_READ | COPY_DST, 16, false, NULL},
        {MAP_WRITE | COPY_SRC, 16, false, NULL},
        {STORAGE, 268435456, false, NULL},
        {0, 16, false, "the usage is empty"},
        {0x400, 16, false, "the usage 0x400 has bits that mean nothing: 0x400"},
        {UINT64_MAX, 16, false,
         "the usage 0xffffffffffffffff has bits that mean nothing: 0xfffffffffffffc00"},
        {MAP_READ | MAP_WRITE, 16, false, "the usage MapRead may only be combined with CopyDst"},
        {MAP_READ | COPY_SRC, 16, false, "the usage MapRead may only be combined with CopyDst"},
        {MAP_READ | COPY_DST | STORAGE, 16, false,
         "the usage MapRead may only be combined with CopyDst"},
        {MAP_WRITE | COPY_DST, 16, false, "the usage MapWrite may only be combined with CopySrc"},
        {MAP_WRITE | UNIFORM, 16, false, "the usage MapWrite may only be combined with CopySrc"},
        {STORAGE, 268435457, false, "size 268435457 is above maxBufferSize, 268435456"},
        {STORAGE, UINT64_MAX, false,
         "size 18446744073709551615 is above maxBufferSize, 268435456"},
        {STORAGE, 5, true, "size 5 with mappedAtCreation must be a multiple of 4"},
    };
    Fixture *fx = fixture_open(NULL);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
        d.label = sv("weights");
        d.usage = rows[i].usage;
        d.size = rows[i].size;
        d.mappedAtCreation = rows[i].mapped;
        WGPUBuffer b = wgpuDeviceCreateBuffer(fx->device, &d);
        assert_non_null(b);
        if (rows[i].fault) {
            char message[300];
            snprintf(message, sizeof message, "buffer 'weights': %s", rows[i].fault);
            expect_fault(fx, message);
        } else {
            expect_none(fx);
        }
        assert_int_equal(b->base.valid, rows[i].fault == NULL);
        assert_true(wgpuBufferGetSize(b) == rows[i].size);
        assert_true(wgpuBufferGetUsage(b) == rows[i].usage);
        assert_int_equal(wgpuBufferGetMapState(b), rows[i].mapped
                             ? WGPUBufferMapState_Mapped : WGPUBufferMapState_Unmapped);
        wgpuBufferRelease(b);
    }
    fixture_close(fx);
}

static void test_hostile_descriptors(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = wgpuDeviceCreateBuffer(fx->device, NULL);
    expect_fault(fx, "buffer: the descriptor is NULL");
    assert_false(b->base.valid);
    wgpuBufferRelease(b);
    WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
    d.usage = WGPUBufferUsage_CopyDst;
    d.nextInChain = &(WGPUChainedStruct){NULL, WGPUSType_ShaderSourceWGSL};
    wgpuBufferRelease(wgpuDeviceCreateBuffer(fx->device, &d));
    expect_fault(fx, "buffer: WGPUBufferDescriptor has a struct in its chain that does not belong "
                     "there: sType 0x00000002");
    d.nextInChain = NULL;
    d.label = (WGPUStringView){NULL, 77};
    wgpuBufferRelease(wgpuDeviceCreateBuffer(fx->device, &d));
    expect_fault(fx, "buffer: the label is NULL with a length of 77");
    d.label = (WGPUStringView){NULL, 0};
    wgpuBufferRelease(wgpuDeviceCreateBuffer(fx->device, &d));
    assert_null(wgpuDeviceCreateBuffer(NULL, &d));
    assert_int_equal(wgpuBufferGetSize(NULL), 0);
    assert_int_equal(wgpuBufferGetUsage(NULL), 0);
    assert_int_equal(wgpuBufferGetMapState(NULL), WGPUBufferMapState_Unmapped);
    assert_null(wgpuBufferGetMappedRange(NULL, 0, 0));
    assert_int_equal(wgpuBufferReadMappedRange(NULL, 0, NULL, 0), WGPUStatus_Error);
    wgpuBufferUnmap(NULL);
    wgpuBufferDestroy(NULL);
    wgpuBufferAddRef(NULL);
    wgpuBufferRelease(NULL);
    fixture_close(fx);
}

static void test_memory_that_is_not_to_be_had(void **state)
{
    (void)state;
    WGPULimits wish = WGPU_LIMITS_INIT;
    wish.maxBufferSize = UINT64_MAX - 1;
    Fixture *fx = fixture_open(&(FixtureDesc){.limits = &wish});
    WGPUBuffer b = make_buffer(fx, "huge", WGPUBufferUsage_CopyDst, UINT64_MAX - 100);
    expect_error(fx, WGPUErrorType_OutOfMemory,
                 "buffer 'huge': there is no memory for 18446744073709551515 bytes");
    assert_non_null(b);
    uint32_t word = 0;
    wgpuQueueWriteBuffer(fx->queue, b, 0, &word, 4);
    expect_fault(fx, "queue: WriteBuffer to buffer 'huge': the buffer 'huge' is an error "
                     "object");
    wgpuBufferRelease(b);
    WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
    d.usage = WGPUBufferUsage_CopyDst;
    d.size = UINT64_MAX - 103;
    d.mappedAtCreation = WGPU_TRUE;
    assert_null(wgpuDeviceCreateBuffer(fx->device, &d));
    expect_error(fx, WGPUErrorType_OutOfMemory,
                 "buffer: there is no memory for 18446744073709551512 bytes");
    expect_log(fx, "CreateBuffer: there is no memory to map 18446744073709551512 bytes");
    /* The device has none, but the host has: as if nothing were wrong, until unmapped. */
    d.size = 64;
    null_knobs.no_memory = true;
    b = wgpuDeviceCreateBuffer(fx->device, &d);
    null_knobs.no_memory = false;
    expect_error(fx, WGPUErrorType_OutOfMemory, "buffer: there is no memory for 64 bytes");
    memset(wgpuBufferGetMappedRange(b, 0, WGPU_WHOLE_MAP_SIZE), 1, 64);
    wgpuBufferUnmap(b);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_buffers_start_as_zeros(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_MapRead, 4096);
    unsigned char bytes[4096], zeros[4096] = {0};
    read_buffer(fx, b, 0, bytes, sizeof bytes);
    assert_memory_equal(bytes, zeros, sizeof bytes);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

/* ---- mapped at creation ---- */

static void test_contents_from_creation(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {         /* with and without staging memory */
        null_knobs.far_memory = far;
        Fixture *fx = fixture_open(NULL);
        WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
        d.usage = WGPUBufferUsage_CopySrc | WGPUBufferUsage_Storage;
        d.size = 64;
        d.mappedAtCreation = WGPU_TRUE;
        WGPUBuffer b = wgpuDeviceCreateBuffer(fx->device, &d);
        assert_int_equal(wgpuBufferGetMapState(b), WGPUBufferMapState_Mapped);
        uint32_t *words = wgpuBufferGetMappedRange(b, 0, 32);
        assert_non_null(words);
        assert_int_equal((uintptr_t)words % 16, 0);
        for (uint32_t i = 0; i < 8; i++) {
            assert_int_equal(words[i], 0);
            words[i] = 100 + i;
        }
        uint32_t more[2] = {7, 8};
        assert_int_equal(wgpuBufferWriteMappedRange(b, 32, more, 8), WGPUStatus_Success);
        assert_int_equal(wgpuBufferWriteMappedRange(b, 16, more, 8), WGPUStatus_Error);
        wgpuBufferUnmap(b);
        assert_int_equal(wgpuBufferGetMapState(b), WGPUBufferMapState_Unmapped);
        uint32_t back[16];
        read_back(fx, b, back, sizeof back);
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(back[i], 100 + i);
        assert_int_equal(back[8], 7);
        assert_int_equal(back[9], 8);
        assert_int_equal(back[10], 0);
        wgpuBufferRelease(b);
        b = wgpuDeviceCreateBuffer(fx->device, &d);
        wgpuBufferDestroy(b);                   /* mapped, and so unmapped */
        assert_int_equal(wgpuBufferGetMapState(b), WGPUBufferMapState_Unmapped);
        wgpuBufferUnmap(b);
        wgpuBufferRelease(b);
        b = wgpuDeviceCreateBuffer(fx->device, &d);
        wgpuBufferRelease(b);                   /* or not at all */
        d.usage = 0;                            /* wrong, and mapped all the same */
        b = wgpuDeviceCreateBuffer(fx->device, &d);
        expect_fault(fx, "buffer: the usage is empty");
        assert_non_null(wgpuBufferGetMappedRange(b, 0, 64));
        wgpuBufferUnmap(b);
        assert_null(wgpuBufferGetMappedRange(b, 0, 64));
        wgpuBufferRelease(b);
        fixture_close(fx);
    }
}

/* ---- mapping ---- */

static void expect_map(Fixture *fx, WGPUBuffer b, WGPUMapMode mode, size_t offset, size_t size,
                       int status, const char *message)
{
    Told t = TOLD_INIT;
    wait_for(fx, wgpuBufferMapAsync(b, mode, offset, size, map_info(&t, WAIT)));
    if (message) {
        char whole[400];
        snprintf(whole, sizeof whole, "buffer 'b': %s", message);
        assert_string_equal(t.message, message);
        expect_fault(fx, whole);
    } else {
        assert_string_equal(t.message, "");
    }
    assert_int_equal(t.status, status);
}

static void test_rules_of_maps(void **state)
{
    (void)state;
    static const struct {
        uint64_t    usage, mode;
        size_t      offset, size;
        const char *fault;                      /* NULL: it is right */
    } rows[] = {
        {MAP_READ, 1, 0, 16, NULL},
        {MAP_READ, 1, 8, 8, NULL},
        {MAP_READ, 1, 16, 0, NULL},
        {MAP_READ, 1, 0, WGPU_WHOLE_MAP_SIZE, NULL},
        {MAP_READ, 1, 16, WGPU_WHOLE_MAP_SIZE, NULL},
        {MAP_WRITE, 2, 0, 4, NULL},
        {MAP_WRITE, 1, 0, 16, "to be mapped for reading it needs the usage MapRead"},
        {MAP_READ, 2, 0, 16, "to be mapped for writing it needs the usage MapWrite"},
        {STORAGE, 1, 0, 16, "to be mapped for reading it needs the usage MapRead"},
        {MAP_READ, 0, 0, 16, "the map mode 0x0 must be Read or Write"},
        {MAP_READ, 3, 0, 16, "the map mode 0x3 must be Read or Write"},
        {MAP_READ, UINT64_C(1) << 40 | 1, 0, 16,
         "the map mode 0x10000000001 must be Read or Write"},
        {MAP_READ, 1, 4, 8, "the offset 4 of the map must be a multiple of 8"},
        {MAP_READ, 1, 0, 6, "the size 6 of the map must be a multiple of 4"},
        {MAP_READ, 1, 8, 12, "a map with the offset 8 and the size 12 goes beyond its end, 16"},
        {MAP_READ, 1, 24, 0, "a map with the offset 24 and the size 0 goes beyond its end, 16"},
        {MAP_READ, 1, 24, WGPU_WHOLE_MAP_SIZE,
         "a map with the offset 24 and the size 0 goes beyond its end, 16"},
        {MAP_READ, 1, SIZE_MAX - 7, 16,
         "a map with the offset 18446744073709551608 and the size 16 goes beyond its end, 16"},
        {MAP_READ, 1, 8, SIZE_MAX - 3,
         "a map with the offset 8 and the size 18446744073709551612 goes beyond its end, 16"},
    };
    Fixture *fx = fixture_open(NULL);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        WGPUBuffer b = make_buffer(fx, "b", rows[i].usage, 16);
        expect_map(fx, b, rows[i].mode, rows[i].offset, rows[i].size,
                   rows[i].fault ? WGPUMapAsyncStatus_Error : WGPUMapAsyncStatus_Success,
                   rows[i].fault);
        assert_int_equal(wgpuBufferGetMapState(b), rows[i].fault ? WGPUBufferMapState_Unmapped
                                                                 : WGPUBufferMapState_Mapped);
        wgpuBufferRelease(b);
    }
    fixture_close(fx);
}

static void test_states_that_forbid_a_map(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_MapRead, 16);
    Told first = TOLD_INIT;
    WGPUFuture pending = wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 16, map_info(&first, WAIT));
    assert_int_equal(wgpuBufferGetMapState(b), WGPUBufferMapState_Pending);
    assert_null(wgpuBufferGetConstMappedRange(b, 0, 16));
    expect_log(fx, "GetConstMappedRange: buffer 'b': it is not mapped");
    expect_map(fx, b, WGPUMapMode_Read, 0, 16, WGPUMapAsyncStatus_Error,
               "a map is already pending");
    wait_for(fx, pending);
    assert_int_equal(first.status, WGPUMapAsyncStatus_Success);
    expect_map(fx, b, WGPUMapMode_Read, 0, 16, WGPUMapAsyncStatus_Error, "it is already mapped");
    wgpuBufferUnmap(b);
    wgpuBufferUnmap(b);
    expect_map(fx, b, WGPUMapMode_Read, 0, 16, WGPUMapAsyncStatus_Success, NULL);
    wgpuBufferDestroy(b);
    wgpuBufferDestroy(b);
    expect_map(fx, b, WGPUMapMode_Read, 0, 16, WGPUMapAsyncStatus_Error,
               "it is destroyed and cannot be mapped");
    wgpuBufferRelease(b);
    b = make_buffer(fx, "b", 0, 16);
    expect_fault(fx, "buffer 'b': the usage is empty");
    expect_map(fx, b, WGPUMapMode_Read, 0, 16, WGPUMapAsyncStatus_Error,
               "it is an error object");
    wgpuBufferRelease(b);
    fixture_close(fx);
}

/* Nobody has heard yet that the map was wrong, and still the queue has the buffer. */
static void test_a_map_that_is_wrong_keeps_nobody_off(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", MAP_READ | COPY_DST, 16);
    uint32_t words[4] = {1, 2, 3, 4}, got[4];
    Told t = TOLD_INIT;
    WGPUFuture f = wgpuBufferMapAsync(b, WGPUMapMode_Read, 4, 8, map_info(&t, WAIT));
    expect_fault(fx, "buffer 'b': the offset 4 of the map must be a multiple of 8");
    assert_int_equal(wgpuBufferGetMapState(b), WGPUBufferMapState_Pending);
    wgpuQueueWriteBuffer(fx->queue, b, 0, words, sizeof words);
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    wgpuCommandEncoderClearBuffer(e, b, 0, 4);
    submit(fx, e);
    expect_none(fx);
    wait_for(fx, f);
    assert_int_equal(t.status, WGPUMapAsyncStatus_Error);
    assert_int_equal(wgpuBufferGetMapState(b), WGPUBufferMapState_Unmapped);
    read_buffer(fx, b, 0, got, sizeof got);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[3], 4);
    /* The next one that is right keeps the queue off again. */
    f = wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 8, map_info(&t, WAIT));
    wgpuQueueWriteBuffer(fx->queue, b, 0, words, sizeof words);
    expect_fault(fx, "queue: WriteBuffer to buffer 'b': the buffer is mapped");
    wait_for(fx, f);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_reading_without_a_map(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    enum { COUNT = 5000 };                      /* more than is copied under the lock */
    uint32_t words[COUNT], got[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        words[i] = i * 2654435761u;
    WGPUBuffer b = make_buffer(fx, "b", STORAGE | COPY_SRC | COPY_DST, sizeof words);
    WGPUBuffer closed = make_buffer(fx, "closed", STORAGE | COPY_DST, 16);
    WGPUBuffer mapped = make_buffer(fx, "mapped", MAP_WRITE | COPY_SRC, 16);
    wgpuQueueWriteBuffer(fx->queue, b, 0, words, sizeof words);
    wait_idle(fx);
    assert_int_equal(wgpuWeftBufferRead(b, 0, got, sizeof got), WGPUStatus_Success);
    assert_memory_equal(got, words, sizeof words);
    uint8_t bytes[7];
    assert_int_equal(wgpuWeftBufferRead(b, 9, bytes, sizeof bytes), WGPUStatus_Success);
    assert_memory_equal(bytes, (const uint8_t *)words + 9, sizeof bytes);
    assert_int_equal(wgpuWeftBufferRead(b, sizeof words, NULL, 0), WGPUStatus_Success);
    assert_int_equal(wgpuWeftBufferRead(NULL, 0, got, 4), WGPUStatus_Error);
    assert_int_equal(wgpuWeftBufferRead(b, 0, NULL, 4), WGPUStatus_Error);
    assert_int_equal(wgpuWeftBufferRead(b, sizeof words - 4, got, 8), WGPUStatus_Error);
    assert_int_equal(wgpuWeftBufferRead(b, UINT64_MAX - 3, got, 8), WGPUStatus_Error);
    assert_int_equal(wgpuWeftBufferRead(closed, 0, got, 4), WGPUStatus_Error);
    Told t = TOLD_INIT;
    wait_for(fx, wgpuBufferMapAsync(mapped, WGPUMapMode_Write, 0, 16, map_info(&t, WAIT)));
    assert_int_equal(wgpuWeftBufferRead(mapped, 0, got, 4), WGPUStatus_Error);
    wgpuBufferUnmap(mapped);
    wgpuBufferDestroy(b);
    assert_int_equal(wgpuWeftBufferRead(b, 0, got, 4), WGPUStatus_Error);
    expect_none(fx);
    wgpuBufferRelease(b);
    wgpuBufferRelease(closed);
    wgpuBufferRelease(mapped);
    fixture_close(fx);
}

static void test_a_map_that_is_ended_early(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    for (int i = 0; i < 3; i++) {
        WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_MapRead, 16);
        Told t = TOLD_INIT;
        WGPUFuture f = wgpuBufferMapAsync(b, WGPUMapMode_Read, i == 2 ? 4 : 0, 8,
                                          map_info(&t, PROCESS));
        if (i == 2)
            expect_fault(fx, "buffer 'b': the offset 4 of the map must be a multiple of 8");
        if (i == 1)
            wgpuBufferDestroy(b);
        else
            wgpuBufferUnmap(b);
        assert_int_equal(t.count, 0);
        assert_int_equal(wgpuBufferGetMapState(b), WGPUBufferMapState_Unmapped);
        wgpuInstanceProcessEvents(fx->instance);
        assert_int_equal(t.count, 1);
        assert_int_equal(t.status, WGPUMapAsyncStatus_Aborted);
        assert_string_equal(t.message,
                            i == 1 ? "the buffer was destroyed before the map was complete"
                                   : "the buffer was unmapped before the map was complete");
        wait_for(fx, f);
        if (i != 1)                             /* it can be mapped anew */
            expect_map(fx, b, WGPUMapMode_Read, 0, 16, WGPUMapAsyncStatus_Success, NULL);
        wgpuBufferRelease(b);
    }
    /* Spontaneous: within the call that ends it. */
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, 16);
    Told t = TOLD_INIT;
    null_hold();
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    wgpuCommandEncoderClearBuffer(encoder, b, 0, 16);
    submit(fx, encoder);
    wgpuBufferMapAsync(b, WGPUMapMode_Read, 0, 8, map_info(&t, SPONTANEOUS));
    assert_int_equal(told_count(&t), 0);
    wgpuBufferUnmap(b);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.status, WGPUMapAsyncStatus_Aborted);
    null_let_go();
    wait_idle(fx);
    assert_int_equal(told_count(&t), 1);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_a_map_waits_for_its_own_work_only(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer used = make_buffer(fx, "used", WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst,
                                  16);
    WGPUBuffer other = make_buffer(fx, "other", WGPUBufferUsage_MapRead
                                                    | WGPUBufferUsage_CopyDst, 16);
    Told u = TOLD_INIT, o = TOLD_INIT;
    null_hold();
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    wgpuCommandEncoderClearBuffer(encoder, used, 0, 16);
    submit(fx, encoder);
    WGPUFuture fu = wgpuBufferMapAsync(used, WGPUMapMode_Read, 0, 16, map_info(&u, WAIT));
    WGPUFuture fo = wgpuBufferMapAsync(other, WGPUMapMode_Read, 0, 16, map_info(&o, WAIT));
    wait_for(fx, fo);                           /* the queue is held: nothing else to wait for */
    assert_int_equal(o.status, WGPUMapAsyncStatus_Success);
    WGPUFutureWaitInfo info = {.future = fu};
    assert_int_equal(wgpuInstanceWaitAny(fx->instance, 1, &info, 1000000),
                     WGPUWaitStatus_TimedOut);
    null_let_go();
    wait_for(fx, fu);
    assert_int_equal(u.status, WGPUMapAsyncStatus_Success);
    wgpuBufferRelease(used);
    wgpuBufferRelease(other);
    fixture_close(fx);
}

static void test_what_is_written_is_there_the_next_time(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_MapWrite | WGPUBufferUsage_CopySrc, 64);
    expect_map(fx, b, WGPUMapMode_Write, 16, 32, WGPUMapAsyncStatus_Success, NULL);
    uint32_t *p = wgpuBufferGetMappedRange(b, 16, 32);
    p[0] = 11;
    p[7] = 18;
    wgpuBufferUnmap(b);
    uint32_t back[16];
    read_back(fx, b, back, sizeof back);
    assert_int_equal(back[4], 11);
    assert_int_equal(back[11], 18);
    expect_map(fx, b, WGPUMapMode_Write, 0, 64, WGPUMapAsyncStatus_Success, NULL);
    const uint32_t *q = wgpuBufferGetConstMappedRange(b, 16, 4);
    assert_int_equal(*q, 11);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

/* ---- ranges ---- */

static void test_rules_of_ranges(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_MapWrite, 64);
    expect_map(fx, b, WGPUMapMode_Write, 16, 40, WGPUMapAsyncStatus_Success, NULL);
    static const struct { size_t offset, size; const char *fault; } rows[] = {
        {20, 4, "the offset 20 of the range must be a multiple of 8"},
        {16, 2, "the size 2 of the range must be a multiple of 4"},
        {8, 4, "the range from 8 of 4 bytes is not within what is mapped, 16 to 56"},
        {16, 44, "the range from 16 of 44 bytes is not within what is mapped, 16 to 56"},
        {16, WGPU_WHOLE_MAP_SIZE,
         "the range from 16 of 48 bytes is not within what is mapped, 16 to 56"},
        {64, 0, "the range from 64 of 0 bytes is not within what is mapped, 16 to 56"},
        {SIZE_MAX - 7, 4,
         "the range from 18446744073709551608 of 4 bytes is not within what is mapped, 16 to 56"},
        {16, SIZE_MAX - 3,
         "the range from 16 of 18446744073709551612 bytes is not within what is mapped, 16 to 56"},
    };
    char message[300];
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        assert_null(wgpuBufferGetMappedRange(b, rows[i].offset, rows[i].size));
        snprintf(message, sizeof message, "GetMappedRange: buffer 'b': %s", rows[i].fault);
        expect_log(fx, message);
        assert_null(wgpuBufferGetConstMappedRange(b, rows[i].offset, rows[i].size));
        if (rows[i].size == WGPU_WHOLE_MAP_SIZE)
            continue;
        char data[64];
        assert_int_equal(wgpuBufferReadMappedRange(b, rows[i].offset, data, rows[i].size),
                         WGPUStatus_Error);
        assert_int_equal(wgpuBufferWriteMappedRange(b, rows[i].offset, data, rows[i].size),
                         WGPUStatus_Error);
    }
    /* Read and Write take sizes as they are. */
    assert_int_equal(wgpuBufferReadMappedRange(b, 16, message, WGPU_WHOLE_MAP_SIZE),
                     WGPUStatus_Error);
    assert_int_equal(wgpuBufferReadMappedRange(b, 16, NULL, 4), WGPUStatus_Error);
    assert_int_equal(wgpuBufferWriteMappedRange(b, 16, NULL, 4), WGPUStatus_Error);
    assert_int_equal(wgpuBufferWriteMappedRange(b, 16, NULL, 0), WGPUStatus_Success);
    assert_non_null(wgpuBufferGetMappedRange(b, 56, 0));
    wgpuBufferRelease(b);
    b = make_buffer(fx, "b", WGPUBufferUsage_MapRead, 64);
    expect_map(fx, b, WGPUMapMode_Read, 0, 64, WGPUMapAsyncStatus_Success, NULL);
    assert_null(wgpuBufferGetMappedRange(b, 0, 64));
    expect_log(fx, "GetMappedRange: buffer 'b': it is mapped for reading alone");
    assert_int_equal(wgpuBufferWriteMappedRange(b, 0, message, 4), WGPUStatus_Error);
    assert_non_null(wgpuBufferGetConstMappedRange(b, 0, 64));
    wgpuBufferRelease(b);
    fixture_close(fx);
}

/* Gives out ranges in turn; each row says which are refused. */
static void test_ranges_do_not_overlap(void **state)
{
    (void)state;
    static const struct {
        struct { size_t offset, size; bool shown, good; } ranges[6];
    } rows[] = {
        {{{8, 8, 0, 1}, {0, 8, 0, 1}, {16, 8, 0, 1}, {8, 8, 0, 0}, {0, 24, 0, 0}}},
        {{{16, 20, 0, 1}, {24, 0, 0, 0}, {16, 0, 0, 1}, {40, 0, 0, 1}, {32, 4, 0, 0}}},
        {{{24, 0, 0, 1}, {16, 20, 0, 0}, {24, 8, 0, 1}, {16, 8, 0, 1}, {24, 0, 0, 1}}},
        {{{0, 16, 1, 1}, {8, 16, 1, 1}, {0, 32, 1, 1}, {16, 4, 0, 0}, {32, 8, 0, 1},
          {32, 4, 1, 0}}},
        {{{40, 8, 1, 1}, {0, 8, 1, 1}, {16, 8, 1, 1}, {8, 40, 1, 1}, {40, 8, 0, 0},
          {48, 8, 0, 1}}},
        {{{0, 64, 0, 1}, {0, 4, 1, 0}, {56, 8, 0, 0}, {0, 0, 1, 1}}},
    };
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_MapWrite, 64);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        expect_map(fx, b, WGPUMapMode_Write, 0, 64, WGPUMapAsyncStatus_Success, NULL);
        char *base = b->map_data;
        for (int k = 0; k < 6 && (rows[i].ranges[k].offset || rows[i].ranges[k].size
                                  || rows[i].ranges[k].good); k++) {
            size_t offset = rows[i].ranges[k].offset, size = rows[i].ranges[k].size;
            const void *p = rows[i].ranges[k].shown
                                ? wgpuBufferGetConstMappedRange(b, offset, size)
                                : wgpuBufferGetMappedRange(b, offset, size);
            assert_ptr_equal(p, rows[i].ranges[k].good ? base + offset : NULL);
        }
        wgpuBufferUnmap(b);                     /* all are given back */
    }
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_many_ranges(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_MapWrite, COUNT * 16);
    expect_map(fx, b, WGPUMapMode_Write, 0, COUNT * 16, WGPUMapAsyncStatus_Success, NULL);
    for (size_t i = 0; i < COUNT; i++)          /* from both ends to the middle */
        assert_non_null(wgpuBufferGetMappedRange(b, (i % 2 ? COUNT - 1 - i / 2 : i / 2) * 16, 8));
    for (size_t i = 0; i < COUNT; i++) {
        assert_null(wgpuBufferGetMappedRange(b, i * 16, 16));
        assert_non_null(wgpuBufferGetMappedRange(b, i * 16 + 8, 8));
    }
    wgpuBufferRelease(b);
    fixture_close(fx);
}

/* ---- giving back ---- */

static void test_memory_goes_when_its_work_is_done(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer a = make_buffer(fx, "a", WGPUBufferUsage_CopyDst, 16);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_CopyDst, 16);
    null_hold();
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(fx->device, NULL);
    wgpuCommandEncoderClearBuffer(encoder, a, 0, 16);
    submit(fx, encoder);
    wgpuBufferDestroy(a);
    wgpuBufferDestroy(b);
    assert_int_equal(null_counts.buffers, 1);   /* `a` is in use */
    null_let_go();
    wait_idle(fx);
    assert_int_equal(null_counts.buffers, 0);
    wgpuBufferRelease(a);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_of_a_descriptor),
        cmocka_unit_test(test_hostile_descriptors),
        cmocka_unit_test(test_memory_that_is_not_to_be_had),
        cmocka_unit_test(test_buffers_start_as_zeros),
        cmocka_unit_test(test_contents_from_creation),
        cmocka_unit_test(test_rules_of_maps),
        cmocka_unit_test(test_states_that_forbid_a_map),
        cmocka_unit_test(test_a_map_that_is_wrong_keeps_nobody_off),
        cmocka_unit_test(test_a_map_that_is_ended_early),
        cmocka_unit_test(test_a_map_waits_for_its_own_work_only),
        cmocka_unit_test(test_what_is_written_is_there_the_next_time),
        cmocka_unit_test(test_reading_without_a_map),
        cmocka_unit_test(test_rules_of_ranges),
        cmocka_unit_test(test_ranges_do_not_overlap),
        cmocka_unit_test(test_many_ranges),
        cmocka_unit_test(test_memory_goes_when_its_work_is_done),
    };
    return cmocka_run_group_tests_name("buffer", tests, NULL, NULL);
}
