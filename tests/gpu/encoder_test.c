// SPDX-License-Identifier: Apache-2.0
/*
 * encoder_test.c - command encoders, compute passes, dispatches, queries.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

enum {
    COPY_SRC = 4, COPY_DST = 8, UNIFORM = 0x40, STORAGE = 0x80, INDIRECT = 0x100,
    QUERY_RESOLVE = 0x200,
};

static WGPUCommandEncoder new_encoder(Fixture *fx)
{
    WGPUCommandEncoderDescriptor d = WGPU_COMMAND_ENCODER_DESCRIPTOR_INIT;
    d.label = sv("e");
    return wgpuDeviceCreateCommandEncoder(fx->device, &d);
}

/* Finishes the encoder and expects this fault of it, or none. */
static void expect_finish(Fixture *fx, WGPUCommandEncoder encoder, const char *why)
{
    expect_none(fx);                            /* until then nothing is said */
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(encoder, NULL);
    assert_non_null(c);
    if (why) {
        char message[700];
        snprintf(message, sizeof message, "command encoder 'e': %s", why);
        expect_fault(fx, message);
    } else {
        expect_none(fx);
    }
    assert_int_equal(c->base.valid, why == NULL);
    wgpuQueueSubmit(fx->queue, 1, &c);
    if (why)
        expect_fault(fx, "queue: a command buffer is an error object");
    wgpuCommandBufferRelease(c);
    wgpuCommandEncoderRelease(encoder);
}

/* ---- copies ---- */

static void test_rules_of_copies(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer src = make_buffer(fx, "src", COPY_SRC, 64);
    WGPUBuffer dst = make_buffer(fx, "dst", COPY_DST, 32);
    WGPUBuffer both = make_buffer(fx, "both", COPY_SRC | COPY_DST, 64);
    WGPUBuffer bad = make_buffer(fx, "bad", 0, 64);
    fx->nerrors = 0;
    const struct {
        WGPUBuffer from; uint64_t from_at; WGPUBuffer to; uint64_t to_at, size; const char *fault;
    } rows[] = {
        {src, 0, dst, 0, 32, NULL},
        {src, 60, dst, 28, 4, NULL},
        {src, 64, dst, 32, 0, NULL},
        {src, 32, dst, 0, WGPU_WHOLE_SIZE, NULL},
        {src, 64, dst, 0, WGPU_WHOLE_SIZE, NULL},
        {dst, 0, dst, 0, 4, "the source 'dst' has no usage CopySrc"},
        {src, 0, src, 0, 4, "the destination 'src' has no usage CopyDst"},
        {NULL, 0, dst, 0, 4, "the source is NULL"},
        {src, 0, NULL, 0, 4, "the destination is NULL"},
        {bad, 0, dst, 0, 4, "the source 'bad' is an error object"},
        {both, 0, both, 32, 4, "the source 'both' and the destination are the same buffer"},
        {src, 0, dst, 0, 6, "the size 6 must be a multiple of 4"},
        {src, 2, dst, 0, 4, "the source offset 2 must be a multiple of 4"},
        {src, 0, dst, 2, 4, "the destination offset 2 must be a multiple of 4"},
        {src, 62, dst, 0, WGPU_WHOLE_SIZE, "the size 2 must be a multiple of 4"},
        {src, 64, dst, 0, 4,
         "the offset 64 and the size 4 go beyond the end of the source 'src', 64"},
        {src, 68, dst, 0, WGPU_WHOLE_SIZE,
         "the offset 68 and the size 0 go beyond the end of the source 'src', 64"},
        {src, 0, dst, 4, 32, "the offset 4 and the size 32 go beyond the end of the destination "
                             "'dst', 32"},
        {src, 0, dst, 0, WGPU_WHOLE_SIZE,
         "the offset 0 and the size 64 go beyond the end of the destination 'dst', 32"},
        {src, UINT64_MAX - 3, dst, 0, 8, "the offset 18446744073709551612 and the size 8 go beyond "
                                         "the end of the source 'src', 64"},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        WGPUCommandEncoder e = new_encoder(fx);
        wgpuCommandEncoderCopyBufferToBuffer(e, rows[i].from, rows[i].from_at, rows[i].to,
                                             rows[i].to_at, rows[i].size);
        char why[300];
        snprintf(why, sizeof why, "CopyBufferToBuffer: %s", rows[i].fault ? rows[i].fault : "");
        expect_finish(fx, e, rows[i].fault ? why : NULL);
    }
    const struct { WGPUBuffer to; uint64_t offset, size; const char *fault; } clears[] = {
        {dst, 0, 32, NULL},
        {dst, 4, WGPU_WHOLE_SIZE, NULL},
        {dst, 32, 0, NULL},
        {src, 0, 4, "the buffer 'src' has no usage CopyDst"},
        {NULL, 0, 4, "the buffer is NULL"},
        {bad, 0, 4, "the buffer 'bad' is an error object"},
        {dst, 0, 3, "the size 3 must be a multiple of 4"},
        {dst, 1, 4, "the offset 1 must be a multiple of 4"},
        {dst, 28, 8, "the offset 28 and the size 8 go beyond the end of the buffer 'dst', 32"},
        {dst, 36, WGPU_WHOLE_SIZE, "the offset 36 and the size 0 go beyond the end of the buffer "
                                   "'dst', 32"},
    };
    for (size_t i = 0; i < COUNTOF(clears); i++) {
        WGPUCommandEncoder e = new_encoder(fx);
        wgpuCommandEncoderClearBuffer(e, clears[i].to, clears[i].offset, clears[i].size);
        char why[300];
        snprintf(why, sizeof why, "ClearBuffer: %s", clears[i].fault ? clears[i].fault : "");
        expect_finish(fx, e, clears[i].fault ? why : NULL);
    }
    wgpuBufferRelease(src);
    wgpuBufferRelease(dst);
    wgpuBufferRelease(both);
    wgpuBufferRelease(bad);
    fixture_close(fx);
}

static void test_copies_and_clears_do_what_they_say(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    uint32_t words[16], back[16];
    for (uint32_t i = 0; i < 16; i++)
        words[i] = i + 1;
    WGPUBuffer a = make_buffer(fx, "a", COPY_SRC | COPY_DST, 64);
    WGPUBuffer b = make_buffer(fx, "b", COPY_SRC | COPY_DST, 64);
    wgpuQueueWriteBuffer(fx->queue, a, 0, words, 64);
    WGPUCommandEncoder e = new_encoder(fx);
    wgpuCommandEncoderCopyBufferToBuffer(e, a, 16, b, 8, 32);
    wgpuCommandEncoderClearBuffer(e, a, 4, 8);
    submit(fx, e);
    read_back(fx, b, back, 64);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(back[i], i >= 2 && i < 10 ? i + 3 : 0);
    read_back(fx, a, back, 64);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(back[i], i == 1 || i == 2 ? 0 : i + 1);
    wgpuBufferRelease(a);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

/* ---- states of encoders ---- */

static void test_the_first_fault_is_the_one_reported(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUCommandEncoder e = new_encoder(fx);
    wgpuCommandEncoderPopDebugGroup(e);
    wgpuCommandEncoderClearBuffer(e, NULL, 0, 4);
    expect_finish(fx, e, "PopDebugGroup: no debug group is open");
    fixture_close(fx);
}

static void test_an_encoder_that_is_finished(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUCommandEncoder e = new_encoder(fx);
    wgpuCommandBufferRelease(wgpuCommandEncoderFinish(e, NULL));
    WGPUCommandBuffer again = wgpuCommandEncoderFinish(e, NULL);
    expect_fault(fx, "command encoder 'e': Finish: it has ended already");
    wgpuCommandBufferRelease(again);
    wgpuCommandEncoderInsertDebugMarker(e, sv("m"));
    expect_fault(fx, "command encoder 'e': InsertDebugMarker: it has ended already");
    wgpuCommandEncoderClearBuffer(e, NULL, 0, 4);
    expect_fault(fx, "command encoder 'e': ClearBuffer: it has ended already");
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    expect_fault(fx, "command encoder 'e': BeginComputePass: it has ended already");
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    expect_none(fx);
    wgpuComputePassEncoderEnd(pass);
    expect_fault(fx, "compute pass: End: it is not the open pass of its encoder");
    wgpuComputePassEncoderRelease(pass);
    wgpuCommandEncoderRelease(e);
    fixture_close(fx);
}

static void test_a_pass_locks_its_encoder(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBuffer b = make_buffer(fx, "b", COPY_DST, 64);
    WGPUCommandEncoder e = new_encoder(fx);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuCommandEncoderClearBuffer(e, b, 0, 4);
    wgpuComputePassEncoderEnd(pass);
    expect_finish(fx, e, "ClearBuffer: a pass is open, so the encoder is locked");
    wgpuComputePassEncoderRelease(pass);
    /* The open pass is the one that ends the lock. */
    e = new_encoder(fx);
    pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    WGPUComputePassEncoder second = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderEnd(second);
    expect_fault(fx, "compute pass: End: it is not the open pass of its encoder");
    wgpuComputePassEncoderEnd(pass);
    expect_finish(fx, e, "BeginComputePass: a pass is open, so the encoder is locked");
    wgpuComputePassEncoderEnd(pass);
    expect_fault(fx, "compute pass: End: it has ended already");
    wgpuComputePassEncoderRelease(second);
    wgpuComputePassEncoderRelease(pass);
    /* Never ended; released is not ended. */
    e = new_encoder(fx);
    pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderRelease(pass);
    expect_finish(fx, e, "Finish: a pass is still open");
    /* Finished under the pass, which goes on without effect. */
    e = new_encoder(fx);
    pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuCommandEncoderAddRef(e);
    expect_finish(fx, e, "Finish: a pass is still open");
    wgpuComputePassEncoderSetPipeline(pass, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    wgpuComputePassEncoderPushDebugGroup(pass, sv("x"));
    wgpuComputePassEncoderEnd(pass);
    expect_fault(fx, "compute pass: End: it is not the open pass of its encoder");
    wgpuCommandEncoderRelease(e);
    wgpuComputePassEncoderRelease(pass);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

static void test_a_pass_that_has_ended(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUCommandEncoder e = new_encoder(fx);
    WGPUComputePassDescriptor d = {.label = sv("p")};
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, &d);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderSetPipeline(pass, NULL);
    expect_fault(fx, "compute pass 'p': SetPipeline: it has ended already");
    wgpuComputePassEncoderSetBindGroup(pass, 0, NULL, 0, NULL);
    expect_fault(fx, "compute pass 'p': SetBindGroup: it has ended already");
    wgpuComputePassEncoderSetImmediates(pass, 0, NULL, 0);
    expect_fault(fx, "compute pass 'p': SetImmediates: it has ended already");
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    expect_fault(fx, "compute pass 'p': DispatchWorkgroups: it has ended already");
    wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, NULL, 0);
    expect_fault(fx, "compute pass 'p': DispatchWorkgroupsIndirect: it has ended already");
    wgpuComputePassEncoderInsertDebugMarker(pass, sv(""));
    expect_fault(fx, "compute pass 'p': InsertDebugMarker: it has ended already");
    wgpuComputePassEncoderSetLabel(pass, sv("q"));
    wgpuComputePassEncoderAddRef(pass);
    wgpuComputePassEncoderRelease(pass);
    wgpuComputePassEncoderRelease(pass);
    expect_finish(fx, e, NULL);
    fixture_close(fx);
}

static void test_debug_groups_are_balanced(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUCommandEncoder e = new_encoder(fx);
    wgpuCommandEncoderPushDebugGroup(e, sv("a"));
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderPushDebugGroup(pass, sv("b"));
    wgpuComputePassEncoderInsertDebugMarker(pass, sv("c"));
    wgpuComputePassEncoderPopDebugGroup(pass);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    wgpuCommandEncoderInsertDebugMarker(e, sv(NULL));
    wgpuCommandEncoderPopDebugGroup(e);
    expect_finish(fx, e, NULL);
    e = new_encoder(fx);
    wgpuCommandEncoderPushDebugGroup(e, sv("a"));
    wgpuCommandEncoderPushDebugGroup(e, sv("b"));
    expect_finish(fx, e, "Finish: 2 debug groups are still open");
    e = new_encoder(fx);
    pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderPushDebugGroup(pass, sv("a"));
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    expect_finish(fx, e, "compute pass: End: 1 debug groups are still open");
    e = new_encoder(fx);
    pass = wgpuCommandEncoderBeginComputePass(e, NULL);
    wgpuComputePassEncoderPopDebugGroup(pass);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    expect_finish(fx, e, "compute pass: PopDebugGroup: no debug group is open");
    e = new_encoder(fx);
    wgpuCommandEncoderPushDebugGroup(e, (WGPUStringView){NULL, 3});
    expect_finish(fx, e, "PushDebugGroup: the label is NULL with a length of 3");
    e = new_encoder(fx);
    wgpuCommandEncoderInsertDebugMarker(e, (WGPUStringView){NULL, 3});
    expect_finish(fx, e, "InsertDebugMarker: the label is NULL with a length of 3");
    fixture_close(fx);
}

static void test_descriptors_that_are_wrong(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUChainedStruct stray = {NULL, WGPUSType_ShaderSourceWGSL};
    WGPUCommandEncoderDescriptor ed = {.nextInChain = &stray};
    WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(fx->device, &ed);
    expect_fault(fx, "command encoder: WGPUCommandEncoderDescriptor has a struct in its chain that "
                     "does not belong there: sType 0x00000002");
    wgpuCommandBufferRelease(wgpuCommandEncoderFinish(e, NULL));
    assert_int_equal(fx->nerrors, 1);           /* what comes of it is wrong, too */
    fx->nerrors = 0;
    wgpuCommandEncoderRelease(e);
    e = new_encoder(fx);
    WGPUCommandBufferDescriptor cd = {.nextInChain = &stray};
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, &cd);
    expect_fault(fx, "command encoder 'e': WGPUCommandBufferDescriptor has a struct in its chain "
                     "that does not belong there: sType 0x00000002");
    wgpuCommandBufferSetLabel(c, sv("c"));
    wgpuCommandBufferAddRef(c);
    wgpuCommandBufferRelease(c);
    wgpuCommandBufferRelease(c);
    wgpuCommandEncoderSetLabel(e, sv("f"));
    wgpuCommandEncoderRelease(e);
    e = new_encoder(fx);
    WGPUComputePassDescriptor pd = {.nextInChain = &stray};
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, &pd);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    expect_finish(fx, e, "compute pass: BeginComputePass: WGPUComputePassDescriptor has a struct "
                         "in its chain that does not belong there: sType 0x00000002");
    assert_null(wgpuDeviceCreateCommandEncoder(NULL, NULL));
    assert_null(wgpuCommandEncoderFinish(NULL, NULL));
    assert_null(wgpuCommandEncoderBeginComputePass(NULL, NULL));
    fixture_close(fx);
}

/* ---- dispatching ---- */

static const char kernels[] =
    "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
    "@compute @workgroup_size(1) fn copy() { b[0] = a[0]; }\n"
    "@compute @workgroup_size(1) fn nothing() { }\n";

typedef struct Kit {
    Fixture            *fx;
    WGPUShaderModule    module;
    WGPUComputePipeline pipeline;               /* `copy` */
    WGPUBindGroupLayout layout;
    WGPUBuffer          a, b;
    WGPUBindGroup       group;
} Kit;

static Kit kit_open(void)
{
    Kit k = {.fx = fixture_open(NULL)};
    k.module = make_module(k.fx, kernels);
    k.pipeline = make_pipeline(k.fx, k.module, "copy");
    k.layout = wgpuComputePipelineGetBindGroupLayout(k.pipeline, 0);
    k.a = make_buffer(k.fx, "a", STORAGE | COPY_DST, 64);
    k.b = make_buffer(k.fx, "b", STORAGE | COPY_SRC | INDIRECT, 64);
    k.group = make_group(k.fx, k.layout, 2, (WGPUBuffer[]){k.a, k.b});
    expect_none(k.fx);
    return k;
}

static void kit_close(Kit *k)
{
    wgpuBindGroupRelease(k->group);
    wgpuBufferRelease(k->a);
    wgpuBufferRelease(k->b);
    wgpuBindGroupLayoutRelease(k->layout);
    wgpuComputePipelineRelease(k->pipeline);
    wgpuShaderModuleRelease(k->module);
    fixture_close(k->fx);
}

static WGPUComputePassEncoder begin(Kit *k, WGPUCommandEncoder *e)
{
    *e = new_encoder(k->fx);
    WGPUComputePassDescriptor d = {.label = sv("p")};
    return wgpuCommandEncoderBeginComputePass(*e, &d);
}

/* Ends the pass, finishes the encoder, and expects this fault of the pass. */
static void expect_pass(Kit *k, WGPUComputePassEncoder pass, WGPUCommandEncoder e,
                        const char *why)
{
    char message[700];
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    snprintf(message, sizeof message, "compute pass 'p': %s", why ? why : "");
    expect_finish(k->fx, e, why ? message : NULL);
}

static void test_a_dispatch_runs_what_is_set(void **state)
{
    (void)state;
    Kit k = kit_open();
    uint32_t words[16] = {5, 6, 7}, back[16];
    wgpuQueueWriteBuffer(k.fx->queue, k.a, 0, words, 64);
    WGPUCommandEncoder     e;
    WGPUComputePassEncoder pass = begin(&k, &e);
    wgpuComputePassEncoderSetPipeline(pass, k.pipeline);
    wgpuComputePassEncoderSetBindGroup(pass, 0, k.group, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 65535, 1, 65535);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 0, 1, 1);        /* nothing to run */
    /* What is set may go: the commands keep it. */
    wgpuBindGroupAddRef(k.group);
    wgpuBindGroupRelease(k.group);
    expect_pass(&k, pass, e, NULL);
    read_back(k.fx, k.b, back, 64);
    assert_memory_equal(back, words, 64);
    assert_int_equal(null_counts.dispatches, 2);
    kit_close(&k);
}

static void test_what_a_dispatch_needs(void **state)
{
    (void)state;
    Kit k = kit_open();
    WGPUCommandEncoder     e;
    WGPUComputePassEncoder pass = begin(&k, &e);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    expect_pass(&k, pass, e, "DispatchWorkgroups: no pipeline is set");
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetPipeline(pass, k.pipeline);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    expect_pass(&k, pass, e, "DispatchWorkgroups: the pipeline uses group 0, and no bind group is "
                             "set there");
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetPipeline(pass, k.pipeline);
    wgpuComputePassEncoderSetBindGroup(pass, 0, k.group, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    wgpuComputePassEncoderSetBindGroup(pass, 0, NULL, 0, NULL);     /* taken away */
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    expect_pass(&k, pass, e, "DispatchWorkgroups: the pipeline uses group 0, and no bind group is "
                             "set there");
    static const uint32_t counts[][3] = {{65536, 1, 1}, {1, 65536, 1}, {1, 1, UINT32_MAX}};
    for (size_t i = 0; i < COUNTOF(counts); i++) {
        pass = begin(&k, &e);
        wgpuComputePassEncoderSetPipeline(pass, k.pipeline);
        wgpuComputePassEncoderSetBindGroup(pass, 0, k.group, 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass, counts[i][0], counts[i][1], counts[i][2]);
        char why[300];
        snprintf(why, sizeof why, "DispatchWorkgroups: the workgroup counts %u, %u, %u must each "
                 "be at most maxComputeWorkgroupsPerDimension, 65535", counts[i][0],
                 counts[i][1], counts[i][2]);
        expect_pass(&k, pass, e, why);
    }
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetPipeline(pass, NULL);
    expect_pass(&k, pass, e, "SetPipeline: the pipeline is NULL");
    WGPUComputePipeline bad = make_pipeline(k.fx, k.module, "nowhere");
    k.fx->nerrors = 0;
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetPipeline(pass, bad);
    expect_pass(&k, pass, e, "SetPipeline: the pipeline is an error object");
    wgpuComputePipelineRelease(bad);
    /* A pipeline without bindings heeds no groups. */
    WGPUComputePipeline plain = make_pipeline(k.fx, k.module, "nothing");
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetPipeline(pass, plain);
    wgpuComputePassEncoderSetBindGroup(pass, 3, k.group, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    expect_pass(&k, pass, e, NULL);
    wgpuComputePipelineRelease(plain);
    kit_close(&k);
}

static void test_groups_that_do_not_fit(void **state)
{
    (void)state;
    Kit k = kit_open();
    WGPUCommandEncoder     e;
    WGPUComputePassEncoder pass;
    WGPUComputePipeline    twin = make_pipeline(k.fx, k.module, "copy");
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetPipeline(pass, twin);
    wgpuComputePassEncoderSetBindGroup(pass, 0, k.group, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    expect_pass(&k, pass, e, "DispatchWorkgroups: group 0: bind group was not made with the layout "
                             "of this pipeline, which is automatic and its own, or was made for "
                             "another such pipeline");
    wgpuComputePipelineRelease(twin);
    /* Explicit layouts: equal ones are one. */
    WGPUBindGroupLayoutEntry le[2] = {WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT,
                                      WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT};
    le[0].visibility = le[1].visibility = WGPUShaderStage_Compute;
    le[1].binding = 1;
    le[0].buffer.type = WGPUBufferBindingType_ReadOnlyStorage;
    le[1].buffer.type = WGPUBufferBindingType_Storage;
    WGPUBindGroupLayoutDescriptor ld = {.entryCount = 2, .entries = le};
    WGPUBindGroupLayout one = wgpuDeviceCreateBindGroupLayout(k.fx->device, &ld);
    WGPUBindGroupLayout two = wgpuDeviceCreateBindGroupLayout(k.fx->device, &ld);
    le[1].buffer.minBindingSize = 4;
    WGPUBindGroupLayout three = wgpuDeviceCreateBindGroupLayout(k.fx->device, &ld);
    WGPUPipelineLayoutDescriptor pd = {.bindGroupLayoutCount = 1, .bindGroupLayouts = &one};
    WGPUComputePipelineDescriptor cd = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    cd.layout = wgpuDeviceCreatePipelineLayout(k.fx->device, &pd);
    cd.compute.module = k.module;
    cd.compute.entryPoint = sv("copy");
    WGPUComputePipeline p = wgpuDeviceCreateComputePipeline(k.fx->device, &cd);
    WGPUBindGroup good = make_group(k.fx, two, 2, (WGPUBuffer[]){k.a, k.b});
    WGPUBindGroup other = make_group(k.fx, three, 2, (WGPUBuffer[]){k.a, k.b});
    expect_none(k.fx);
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetPipeline(pass, p);
    wgpuComputePassEncoderSetBindGroup(pass, 0, good, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    expect_pass(&k, pass, e, NULL);
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetPipeline(pass, p);
    wgpuComputePassEncoderSetBindGroup(pass, 0, other, 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    expect_pass(&k, pass, e, "DispatchWorkgroups: group 0: the layout of bind group is not that of "
                             "the pipeline");
    wgpuBindGroupRelease(good);
    wgpuBindGroupRelease(other);
    wgpuComputePipelineRelease(p);
    wgpuPipelineLayoutRelease(cd.layout);
    wgpuBindGroupLayoutRelease(one);
    wgpuBindGroupLayoutRelease(two);
    wgpuBindGroupLayoutRelease(three);
    kit_close(&k);
}

/* A pipeline with an explicit layout of storage buffers 0 and 1 (read-only, written)
 * and uniform 2, all with dynamic offsets if `dynamic`. */
typedef struct Explicit {
    WGPUBindGroupLayout layout;
    WGPUPipelineLayout  pipeline_layout;
    WGPUComputePipeline pipeline;
} Explicit;

static Explicit explicit_open(Kit *k, WGPUShaderModule m, const char *entry, bool dynamic,
                              uint64_t min_size)
{
    Explicit x;
    static const WGPUBufferBindingType types[] = {WGPUBufferBindingType_ReadOnlyStorage,
                                                  WGPUBufferBindingType_Storage,
                                                  WGPUBufferBindingType_Uniform};
    WGPUBindGroupLayoutEntry le[3];
    for (uint32_t i = 0; i < 3; i++) {
        le[i] = (WGPUBindGroupLayoutEntry)WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
        le[i].binding = i;
        le[i].visibility = WGPUShaderStage_Compute;
        le[i].buffer.type = types[i];
        le[i].buffer.hasDynamicOffset = dynamic;
        le[i].buffer.minBindingSize = min_size;
    }
    WGPUBindGroupLayoutDescriptor ld = {.entryCount = 3, .entries = le};
    x.layout = wgpuDeviceCreateBindGroupLayout(k->fx->device, &ld);
    WGPUPipelineLayoutDescriptor pd = {.bindGroupLayoutCount = 1, .bindGroupLayouts = &x.layout};
    x.pipeline_layout = wgpuDeviceCreatePipelineLayout(k->fx->device, &pd);
    WGPUComputePipelineDescriptor cd = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    cd.layout = x.pipeline_layout;
    cd.compute.module = m;
    cd.compute.entryPoint = sv(entry);
    x.pipeline = wgpuDeviceCreateComputePipeline(k->fx->device, &cd);
    expect_none(k->fx);
    return x;
}

static void explicit_close(Explicit *x)
{
    wgpuComputePipelineRelease(x->pipeline);
    wgpuPipelineLayoutRelease(x->pipeline_layout);
    wgpuBindGroupLayoutRelease(x->layout);
}

static WGPUBindGroup bind_three(Kit *k, WGPUBindGroupLayout layout, const WGPUBuffer b[3],
                                const uint64_t offset[3], const uint64_t size[3])
{
    WGPUBindGroupEntry e[3];
    for (uint32_t i = 0; i < 3; i++) {
        e[i] = (WGPUBindGroupEntry)WGPU_BIND_GROUP_ENTRY_INIT;
        e[i].binding = i;
        e[i].buffer = b[i];
        e[i].offset = offset[i];
        e[i].size = size[i];
    }
    WGPUBindGroupDescriptor d = {.layout = layout, .entryCount = 3, .entries = e};
    WGPUBindGroup group = wgpuDeviceCreateBindGroup(k->fx->device, &d);
    expect_none(k->fx);
    return group;
}

static const char three_bindings[] =
    "@group(0) @binding(0) var<storage, read> a: array<vec4<u32>>;\n"
    "@group(0) @binding(2) var<uniform> u: vec4<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
    "@compute @workgroup_size(1) fn place() { b[0] = a[0].x + u.x; }\n"
    "@compute @workgroup_size(1) fn nothing() {}\n";

static void test_buffers_that_clash(void **state)
{
    (void)state;
    enum { WHOLE = 0 };
    Kit k = kit_open();
    WGPUShaderModule m = make_module(k.fx, three_bindings);
    Explicit   x = explicit_open(&k, m, "nothing", false, 0);
    WGPUBuffer s = make_buffer(k.fx, "s", STORAGE | UNIFORM, 1024);
    WGPUBuffer t = make_buffer(k.fx, "t", STORAGE | UNIFORM, 1024);
    WGPUBuffer u = make_buffer(k.fx, "u", STORAGE | UNIFORM, 1024);
    const struct { WGPUBuffer b[3]; uint64_t offset[3], size[3]; const char *fault; } rows[] = {
        {{s, t, u}, {0, 0, 0}, {256, 256, 256}, NULL},
        {{s, t, s}, {0, 0, 0}, {256, 256, 256}, NULL},          /* read and read */
        {{s, s, u}, {0, 512, 0}, {256, 256, 256},
         "DispatchWorkgroups: buffer 's' is bound as writable storage and in another way, too"},
        {{s, t, t}, {0, 0, 512}, {256, 256, 256},
         "DispatchWorkgroups: buffer 't' is bound as writable storage and in another way, too"},
    };
    WGPUCommandEncoder     e;
    WGPUComputePassEncoder pass;
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        WGPUBindGroup g = bind_three(&k, x.layout, rows[i].b, rows[i].offset, rows[i].size);
        pass = begin(&k, &e);
        wgpuComputePassEncoderSetPipeline(pass, x.pipeline);
        wgpuComputePassEncoderSetBindGroup(pass, 0, g, 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        expect_pass(&k, pass, e, rows[i].fault);
        wgpuBindGroupRelease(g);
    }
    explicit_close(&x);
    wgpuShaderModuleRelease(m);
    /* Two writable pieces of one buffer, in two groups. */
    m = make_module(k.fx, "@group(0) @binding(0) var<storage, read_write> a: array<u32>;"
                          "@group(1) @binding(0) var<storage, read_write> b: array<u32>;"
                          "@compute @workgroup_size(1) fn f() { a[0] = b[0]; }");
    WGPUComputePipeline p = make_pipeline(k.fx, m, NULL);
    WGPUBindGroupLayout l0 = wgpuComputePipelineGetBindGroupLayout(p, 0);
    WGPUBindGroupLayout l1 = wgpuComputePipelineGetBindGroupLayout(p, 1);
    static const struct { uint64_t at[2], size[2]; bool good; } pieces[] = {
        {{0, 256}, {256, 256}, true}, {{256, 0}, {256, 256}, true},
        {{0, 256}, {260, 4}, false}, {{256, 0}, {4, 512}, false}, {{0, 0}, {4, 4}, false},
    };
    for (size_t i = 0; i < COUNTOF(pieces); i++) {
        WGPUBindGroup g[2];
        for (int n = 0; n < 2; n++) {
            WGPUBindGroupEntry be = WGPU_BIND_GROUP_ENTRY_INIT;
            be.buffer = s;
            be.offset = pieces[i].at[n];
            be.size = pieces[i].size[n];
            WGPUBindGroupDescriptor gd = {.layout = n ? l1 : l0, .entryCount = 1, .entries = &be};
            g[n] = wgpuDeviceCreateBindGroup(k.fx->device, &gd);
        }
        pass = begin(&k, &e);
        wgpuComputePassEncoderSetPipeline(pass, p);
        wgpuComputePassEncoderSetBindGroup(pass, 0, g[0], 0, NULL);
        wgpuComputePassEncoderSetBindGroup(pass, 1, g[1], 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        expect_pass(&k, pass, e, pieces[i].good ? NULL
                        : "DispatchWorkgroups: buffer 's' is bound as writable storage twice, and "
                          "the bindings overlap");
        wgpuBindGroupRelease(g[0]);
        wgpuBindGroupRelease(g[1]);
    }
    wgpuBindGroupLayoutRelease(l0);
    wgpuBindGroupLayoutRelease(l1);
    wgpuComputePipelineRelease(p);
    wgpuShaderModuleRelease(m);
    wgpuBufferRelease(s);
    wgpuBufferRelease(t);
    wgpuBufferRelease(u);
    kit_close(&k);
}

static void test_sizes_are_checked_at_the_dispatch(void **state)
{
    (void)state;
    Kit k = kit_open();
    WGPUShaderModule m = make_module(k.fx, three_bindings);
    Explicit   x = explicit_open(&k, m, "place", false, 0);
    WGPUBuffer s = make_buffer(k.fx, "s", STORAGE, 1024), t = make_buffer(k.fx, "t", STORAGE, 1024);
    WGPUBuffer u = make_buffer(k.fx, "u", UNIFORM, 1024);
    static const struct { uint64_t size[3]; const char *fault; } rows[] = {
        {{16, 4, 16}, NULL},
        {{12, 4, 16}, "DispatchWorkgroups: @group(0) @binding(0): 12 bytes are bound, and the "
                      "shader needs 16"},
        {{16, 4, 12}, "DispatchWorkgroups: @group(0) @binding(2): 12 bytes are bound, and the "
                      "shader needs 16"},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        WGPUBindGroup g = bind_three(&k, x.layout, (WGPUBuffer[]){s, t, u},
                                     (uint64_t[]){0, 0, 0}, rows[i].size);
        WGPUCommandEncoder     e;
        WGPUComputePassEncoder pass = begin(&k, &e);
        wgpuComputePassEncoderSetPipeline(pass, x.pipeline);
        wgpuComputePassEncoderSetBindGroup(pass, 0, g, 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        expect_pass(&k, pass, e, rows[i].fault);
        wgpuBindGroupRelease(g);
    }
    explicit_close(&x);
    wgpuShaderModuleRelease(m);
    wgpuBufferRelease(s);
    wgpuBufferRelease(t);
    wgpuBufferRelease(u);
    kit_close(&k);
}

static void test_dynamic_offsets(void **state)
{
    (void)state;
    Kit k = kit_open();
    WGPUShaderModule m = make_module(k.fx, three_bindings);
    Explicit   x = explicit_open(&k, m, "place", true, 16);
    WGPUBuffer s = make_buffer(k.fx, "s", STORAGE, 2048);
    WGPUBuffer t = make_buffer(k.fx, "t", STORAGE | COPY_SRC, 2048);
    WGPUBuffer u = make_buffer(k.fx, "u", UNIFORM, 2048);
    WGPUBuffer three[] = {s, t, u};
    WGPUBindGroup g = bind_three(&k, x.layout, three, (uint64_t[]){256, 0, 512},
                                 (uint64_t[]){512, 1024, WGPU_WHOLE_SIZE});
    const struct {
        uint32_t index; size_t count; uint32_t offsets[4]; const char *fault;
    } rows[] = {
        {0, 3, {256, 0, 1280}, NULL},
        {3, 3, {0, 1024, 0}, NULL},
        {4, 3, {0, 0, 0}, "SetBindGroup: the group index 4 must be below maxBindGroups, 4"},
        {0, 2, {0, 0, 0}, "SetBindGroup: 2 dynamic offsets are given, and the bind group has 3"},
        {0, 4, {0, 0, 0}, "SetBindGroup: 4 dynamic offsets are given, and the bind group has 3"},
        {0, 3, {0, 32, 0}, "SetBindGroup: binding 1: the dynamic offset 32 must be a multiple of "
                           "minStorageBufferOffsetAlignment, 256"},
        {0, 3, {0, 0, 64}, "SetBindGroup: binding 2: the dynamic offset 64 must be a multiple of "
                           "minUniformBufferOffsetAlignment, 256"},
        {0, 3, {1536, 0, 0}, "SetBindGroup: binding 0: the dynamic offset 1536 moves 512 bytes at "
                             "256 beyond the end of the buffer 's', 2048"},
        {0, 3, {0, 1280, 0}, "SetBindGroup: binding 1: the dynamic offset 1280 moves 1024 bytes at "
                             "0 beyond the end of the buffer 't', 2048"},
        {0, 3, {0, 0, 1536}, "SetBindGroup: binding 2: the dynamic offset 1536 moves 16 bytes at "
                             "512 beyond the end of the buffer 'u', 2048"},
        {0, 3, {0, 0, 0xffffff00}, "SetBindGroup: binding 2: the dynamic offset 4294967040 moves "
         "16 bytes at 512 beyond the end of the buffer 'u', 2048"},
    };
    WGPUCommandEncoder     e;
    WGPUComputePassEncoder pass;
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        pass = begin(&k, &e);
        wgpuComputePassEncoderSetBindGroup(pass, rows[i].index, g, rows[i].count,
                                           rows[i].offsets);
        expect_pass(&k, pass, e, rows[i].fault);
    }
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetBindGroup(pass, 0, g, 3, NULL);
    expect_pass(&k, pass, e, "SetBindGroup: dynamicOffsets is NULL with a count of 3");
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetBindGroup(pass, 0, NULL, 1, rows[0].offsets);
    expect_pass(&k, pass, e, "SetBindGroup: 1 dynamic offsets are given, and no bind group");
    WGPUBindGroup bad = make_group(k.fx, x.layout, 1, &s);
    k.fx->nerrors = 0;
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetBindGroup(pass, 0, bad, 3, rows[0].offsets);
    expect_pass(&k, pass, e, "SetBindGroup: the bind group is an error object");
    wgpuBindGroupRelease(bad);
    /* They move the bindings, and are copied. The kernel writes places and sizes by
     * binding: those of 0 and 1 and 2, at the start of what is bound as 2. */
    uint32_t offsets[3] = {256, 1024, 1280}, back[512];
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetPipeline(pass, x.pipeline);
    wgpuComputePassEncoderSetBindGroup(pass, 0, g, 3, offsets);
    memset(offsets, 0, sizeof offsets);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    expect_pass(&k, pass, e, NULL);
    wait_idle(k.fx);
    memcpy(back, u->data, sizeof back);
    const uint32_t want[] = {512, 512, 1024, 1024, 1792, 256};
    assert_memory_equal(back + 1792 / 4, want, sizeof want);
    wgpuBindGroupRelease(g);
    explicit_close(&x);
    wgpuShaderModuleRelease(m);
    wgpuBufferRelease(s);
    wgpuBufferRelease(t);
    wgpuBufferRelease(u);
    kit_close(&k);
}

static void test_indirect_dispatches(void **state)
{
    (void)state;
    Kit k = kit_open();
    WGPUBuffer in = make_buffer(k.fx, "in", INDIRECT | COPY_DST, 24);
    WGPUBuffer plain = make_buffer(k.fx, "plain", COPY_DST, 24);
    const struct { WGPUBuffer b; uint64_t offset; const char *fault; } rows[] = {
        {in, 0, NULL}, {in, 12, NULL},
        {in, 16, "12 bytes at the indirect offset 16 go beyond the end of the buffer 'in', 24"},
        {in, UINT64_MAX - 3, "12 bytes at the indirect offset 18446744073709551612 go beyond the "
                             "end of the buffer 'in', 24"},
        {in, 2, "the indirect offset 2 must be a multiple of 4"},
        {plain, 0, "the indirect buffer 'plain' has no usage Indirect"},
        {NULL, 0, "the indirect buffer is NULL"},
        {k.b, 0, "the indirect buffer 'b' is bound as writable storage, too"},
    };
    WGPUCommandEncoder     e;
    WGPUComputePassEncoder pass;
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        pass = begin(&k, &e);
        wgpuComputePassEncoderSetPipeline(pass, k.pipeline);
        wgpuComputePassEncoderSetBindGroup(pass, 0, k.group, 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, rows[i].b, rows[i].offset);
        char why[300];
        snprintf(why, sizeof why, "DispatchWorkgroupsIndirect: %s",
                 rows[i].fault ? rows[i].fault : "");
        expect_pass(&k, pass, e, rows[i].fault ? why : NULL);
    }
    pass = begin(&k, &e);
    wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, in, 0);
    expect_pass(&k, pass, e, "DispatchWorkgroupsIndirect: no pipeline is set");
    wait_idle(k.fx);
    null_counts.dispatches = 0;
    static const struct { uint32_t counts[3]; int runs; } values[] = {
        {{1, 2, 3}, 1}, {{0, 1, 1}, 0}, {{65535, 1, 1}, 1}, {{65536, 1, 1}, 0},
    };
    int runs = 0;
    for (size_t i = 0; i < COUNTOF(values); i++) {
        wgpuQueueWriteBuffer(k.fx->queue, in, 12, values[i].counts, 12);
        pass = begin(&k, &e);
        wgpuComputePassEncoderSetPipeline(pass, k.pipeline);
        wgpuComputePassEncoderSetBindGroup(pass, 0, k.group, 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, in, 12);
        expect_pass(&k, pass, e, NULL);
        wait_idle(k.fx);
        runs += values[i].runs;
        assert_int_equal(null_counts.dispatches, runs);
    }
    wgpuBufferRelease(in);
    wgpuBufferRelease(plain);
    kit_close(&k);
}

static void test_workgroups_that_are_numbered(void **state)
{
    (void)state;
    static const struct { const char *code; uint32_t good[3], bad[3]; } rows[] = {
        {"@compute @workgroup_size(8) fn f(@builtin(workgroup_index) i: u32) { _ = i; }",
         {65535, 65535, 1}, {65535, 65535, 2}},
        {"struct In { @builtin(global_invocation_index) i: u32 }"
         "@compute @workgroup_size(8, 2) fn f(in: In) { _ = in.i; }",
         {16384, 16383, 1}, {16384, 16384, 1}},
        {"@compute @workgroup_size(8) fn f(@builtin(global_invocation_index) i: u32) {_ = i;}",
         {65535, 8192, 1}, {65535, 65535, 1}},
    };
    Kit k = kit_open();
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        WGPUShaderModule    m = make_module(k.fx, rows[i].code);
        WGPUComputePipeline p = make_pipeline(k.fx, m, NULL);
        for (int bad = 0; bad < 2; bad++) {
            const uint32_t *n = bad ? rows[i].bad : rows[i].good;
            WGPUCommandEncoder     e;
            WGPUComputePassEncoder pass = begin(&k, &e);
            wgpuComputePassEncoderSetPipeline(pass, p);
            wgpuComputePassEncoderDispatchWorkgroups(pass, n[0], n[1], n[2]);
            char why[300];
            snprintf(why, sizeof why, "DispatchWorkgroups: %u * %u * %u workgroups are more than "
                                      "can be numbered in 32 bits, and the shader uses "
                                      "workgroup_index or global_invocation_index", n[0], n[1],
                     n[2]);
            expect_pass(&k, pass, e, bad ? why : NULL);
        }
        assert_true(p->kernel->max_total > 0);
        wgpuComputePipelineRelease(p);
        wgpuShaderModuleRelease(m);
    }
    kit_close(&k);
}

/* ---- immediate data ---- */

static void test_immediate_data(void **state)
{
    (void)state;
    Kit k = kit_open();
    WGPUShaderModule m = make_module(
        k.fx, "struct S { a: u32, b: vec3<f32>, c: mat2x3<f32> }\n"
              "var<immediate> i: S;\n"
              "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n"
              "@compute @workgroup_size(1) fn notes() { b[0] = i.a; }\n");
    WGPUComputePipeline p = make_pipeline(k.fx, m, NULL);
    WGPUBindGroupLayout l = wgpuComputePipelineGetBindGroupLayout(p, 0);
    WGPUBuffer          out = make_buffer(k.fx, "out", STORAGE | COPY_SRC, 64);
    WGPUBindGroup       g = make_group(k.fx, l, 1, &out);
    /* a at 0; b at 16 to 28; c at 32 to 44 and 48 to 60: the rest is padding. */
    assert_true(p->kernel->immediate_slots == 0x7771);
    uint32_t words[16], back[16];
    for (uint32_t i = 0; i < 16; i++)
        words[i] = 0x100 + i;
    static const struct {
        struct { uint32_t offset; size_t size; } sets[4];
        const char *fault;
    } rows[] = {
        {{{0, 64}}, NULL},
        {{{0, 4}, {16, 12}, {32, 28}}, NULL},
        {{{0, 4}, {16, 12}, {32, 12}, {48, 12}}, NULL},
        {{{16, 48}}, "DispatchWorkgroups: the shader reads immediate data at byte 0, which is not "
                     "set"},
        {{{0, 24}, {32, 32}}, "DispatchWorkgroups: the shader reads immediate data at byte 24, "
                              "which is not set"},
        {{{2, 4}}, "SetImmediates: the offset 2 must be a multiple of 4"},
        {{{0, 6}}, "SetImmediates: the size 6 must be a multiple of 4"},
        {{{0, 68}}, "SetImmediates: the offset 0 and the size 68 go beyond maxImmediateSize, 64"},
        {{{64, 4}}, "SetImmediates: the offset 64 and the size 4 go beyond maxImmediateSize, 64"},
        {{{UINT32_MAX - 3, 4}}, "SetImmediates: the offset 4294967292 and the size 4 go beyond "
                                "maxImmediateSize, 64"},
        {{{4, SIZE_MAX - 3}}, "SetImmediates: the offset 4 and the size 18446744073709551612 go "
                              "beyond maxImmediateSize, 64"},
    };
    WGPUCommandEncoder     e;
    WGPUComputePassEncoder pass;
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        pass = begin(&k, &e);
        for (int n = 0; n < 4 && rows[i].sets[n].size; n++)
            wgpuComputePassEncoderSetImmediates(pass, rows[i].sets[n].offset, words,
                                                rows[i].sets[n].size);
        wgpuComputePassEncoderSetPipeline(pass, p);
        wgpuComputePassEncoderSetBindGroup(pass, 0, g, 0, NULL);
        wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
        expect_pass(&k, pass, e, rows[i].fault);
    }
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetImmediates(pass, 0, NULL, 4);
    expect_pass(&k, pass, e, "SetImmediates: the data is NULL with a size of 4");
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetImmediates(pass, 64, NULL, 0);
    expect_pass(&k, pass, e, NULL);
    /* Each dispatch sees what was set before it. */
    pass = begin(&k, &e);
    wgpuComputePassEncoderSetPipeline(pass, p);
    wgpuComputePassEncoderSetBindGroup(pass, 0, g, 0, NULL);
    wgpuComputePassEncoderSetImmediates(pass, 0, words, 64);
    wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
    uint32_t late = 99;
    wgpuComputePassEncoderSetImmediates(pass, 16, &late, 4);
    expect_pass(&k, pass, e, NULL);
    read_back(k.fx, out, back, 64);
    assert_memory_equal(back, words, 60);
    wgpuBindGroupRelease(g);
    wgpuBufferRelease(out);
    wgpuBindGroupLayoutRelease(l);
    wgpuComputePipelineRelease(p);
    wgpuShaderModuleRelease(m);
    kit_close(&k);
}

/* ---- queries ---- */

static WGPUQuerySet make_queries(Fixture *fx, WGPUQueryType type, uint32_t count)
{
    WGPUQuerySetDescriptor d = {.label = sv("q"), .type = type, .count = count};
    return wgpuDeviceCreateQuerySet(fx->device, &d);
}

static void test_query_sets(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUQuerySet q = make_queries(fx, WGPUQueryType_Timestamp, 2);
    expect_fault(fx, "query set 'q': timestamps need the device feature TimestampQuery");
    wgpuQuerySetRelease(q);
    fixture_close(fx);
    static const WGPUFeatureName timestamps = WGPUFeatureName_TimestampQuery;
    fx = fixture_open(&(FixtureDesc){.features = &timestamps, .nfeatures = 1});
    q = make_queries(fx, WGPUQueryType_Timestamp, 4096);
    assert_int_equal(wgpuQuerySetGetCount(q), 4096);
    assert_int_equal(wgpuQuerySetGetType(q), WGPUQueryType_Timestamp);
    wgpuQuerySetSetLabel(q, sv("r"));
    wgpuQuerySetAddRef(q);
    wgpuQuerySetRelease(q);
    wgpuQuerySetRelease(q);
    wgpuQuerySetRelease(make_queries(fx, WGPUQueryType_Occlusion, 0));
    wgpuQuerySetRelease(make_queries(fx, WGPUQueryType_Timestamp, 0));
    q = make_queries(fx, WGPUQueryType_Timestamp, 4097);
    expect_fault(fx, "query set 'q': the count 4097 is above the most there may be, 4096");
    assert_int_equal(wgpuQuerySetGetCount(q), 4097);
    wgpuQuerySetRelease(q);
    wgpuQuerySetRelease(make_queries(fx, (WGPUQueryType)3, 1));
    expect_fault(fx, "query set 'q': the query type 3 is not one there is");
    null_knobs.no_memory = true;
    wgpuQuerySetRelease(make_queries(fx, WGPUQueryType_Timestamp, 9));
    null_knobs.no_memory = false;
    expect_error(fx, WGPUErrorType_OutOfMemory, "query set 'q': there is no memory for 9 queries");
    wgpuQuerySetRelease(wgpuDeviceCreateQuerySet(fx->device, NULL));
    expect_fault(fx, "query set: the descriptor is NULL");
    assert_null(wgpuDeviceCreateQuerySet(NULL, NULL));
    fixture_close(fx);
}

static void test_timestamps_of_passes(void **state)
{
    (void)state;
    static const WGPUFeatureName timestamps = WGPUFeatureName_TimestampQuery;
    Fixture *fx = fixture_open(&(FixtureDesc){.features = &timestamps, .nfeatures = 1});
    WGPUQuerySet q = make_queries(fx, WGPUQueryType_Timestamp, 8);
    WGPUQuerySet occlusion = make_queries(fx, WGPUQueryType_Occlusion, 8);
    WGPUBuffer   out = make_buffer(fx, "out", QUERY_RESOLVE | COPY_SRC, 512);
    const uint32_t none = WGPU_QUERY_SET_INDEX_UNDEFINED;
    const struct { WGPUQuerySet q; uint32_t first, last; const char *fault; } rows[] = {
        {q, 0, 1, NULL}, {q, 3, none, NULL}, {q, none, 7, NULL},
        {q, none, none, "timestampWrites sets neither index"},
        {q, 5, 5, "both indices of timestampWrites are 5"},
        {q, 8, 1, "beginningOfPassWriteIndex 8 is not in the query set 'q', which has 8"},
        {q, 1, 8, "endOfPassWriteIndex 8 is not in the query set 'q', which has 8"},
        {occlusion, 0, 1, "the query set 'q' is not one of timestamps"},
        {NULL, 0, 1, "the query set is NULL"},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        WGPUPassTimestampWrites w = {NULL, rows[i].q, rows[i].first, rows[i].last};
        WGPUComputePassDescriptor d = {.timestampWrites = &w};
        WGPUCommandEncoder e = new_encoder(fx);
        WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(e, &d);
        wgpuComputePassEncoderEnd(pass);
        wgpuComputePassEncoderRelease(pass);
        char why[300];
        snprintf(why, sizeof why, "compute pass: BeginComputePass: %s",
                 rows[i].fault ? rows[i].fault : "");
        expect_finish(fx, e, rows[i].fault ? why : NULL);
    }
    WGPUCommandEncoder e = new_encoder(fx);
    wgpuCommandEncoderWriteTimestamp(e, q, 2);
    wgpuCommandEncoderResolveQuerySet(e, q, 0, 8, out, 256);
    submit(fx, e);
    uint64_t values[64];
    read_back(fx, out, values, sizeof values);
    const uint64_t *v = values + 32;
    assert_true(v[0] > 0 && v[0] <= v[1] && v[1] <= v[3] && v[3] <= v[7] && v[7] <= v[2]);
    assert_true(v[4] == 0 && v[5] == 0 && v[6] == 0);
    e = new_encoder(fx);
    wgpuCommandEncoderWriteTimestamp(e, q, 8);
    expect_finish(fx, e, "WriteTimestamp: the index 8 is not in the query set 'q', which has 8");
    e = new_encoder(fx);
    wgpuCommandEncoderWriteTimestamp(e, occlusion, 0);
    expect_finish(fx, e, "WriteTimestamp: the query set 'q' is not one of timestamps");
    const struct {
        WGPUQuerySet q; uint32_t first, count; WGPUBuffer to; uint64_t offset; const char *fault;
    } resolves[] = {
        {q, 7, 1, out, 0, NULL}, {q, 0, 0, out, 512, NULL}, {occlusion, 0, 8, out, 256, NULL},
        {q, 8, 0, out, 0, "0 queries from 8 on are not in the query set 'q', which has 8"},
        {q, 4, 5, out, 0, "5 queries from 4 on are not in the query set 'q', which has 8"},
        {q, 4, UINT32_MAX, out, 0,
         "4294967295 queries from 4 on are not in the query set 'q', which has 8"},
        {q, 0, 8, out, 128, "the destination offset 128 must be a multiple of 256"},
        {q, 0, 8, out, 512, "the offset 512 and the size 64 go beyond the end of the destination "
                            "'out', 512"},
        {NULL, 0, 8, out, 0, "the query set is NULL"},
        {q, 0, 8, NULL, 0, "the destination is NULL"},
    };
    for (size_t i = 0; i < COUNTOF(resolves); i++) {
        e = new_encoder(fx);
        wgpuCommandEncoderResolveQuerySet(e, resolves[i].q, resolves[i].first, resolves[i].count,
                                          resolves[i].to, resolves[i].offset);
        char why[300];
        snprintf(why, sizeof why, "ResolveQuerySet: %s",
                 resolves[i].fault ? resolves[i].fault : "");
        expect_finish(fx, e, resolves[i].fault ? why : NULL);
    }
    read_back(fx, out, values, sizeof values);
    for (int i = 0; i < 8; i++)                 /* occlusion: nothing was ever hidden */
        assert_true(v[i] == 0);
    WGPUBuffer plain = make_buffer(fx, "plain", COPY_DST, 512);
    e = new_encoder(fx);
    wgpuCommandEncoderResolveQuerySet(e, q, 0, 8, plain, 0);
    expect_finish(fx, e, "ResolveQuerySet: the destination 'plain' has no usage "
                         "QueryResolve");
    /* A set that is destroyed cannot be submitted. */
    e = new_encoder(fx);
    wgpuCommandEncoderWriteTimestamp(e, q, 0);
    WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, NULL);
    wgpuQuerySetDestroy(q);
    wgpuQuerySetDestroy(q);
    wgpuQueueSubmit(fx->queue, 1, &c);
    expect_fault(fx, "queue: command buffer: it uses query set 'q', which is destroyed");
    wgpuCommandBufferRelease(c);
    wgpuCommandEncoderRelease(e);
    wgpuBufferRelease(plain);
    wgpuBufferRelease(out);
    wgpuQuerySetRelease(q);
    wgpuQuerySetRelease(occlusion);
    fixture_close(fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_of_copies),
        cmocka_unit_test(test_copies_and_clears_do_what_they_say),
        cmocka_unit_test(test_the_first_fault_is_the_one_reported),
        cmocka_unit_test(test_an_encoder_that_is_finished),
        cmocka_unit_test(test_a_pass_locks_its_encoder),
        cmocka_unit_test(test_a_pass_that_has_ended),
        cmocka_unit_test(test_debug_groups_are_balanced),
        cmocka_unit_test(test_descriptors_that_are_wrong),
        cmocka_unit_test(test_a_dispatch_runs_what_is_set),
        cmocka_unit_test(test_what_a_dispatch_needs),
        cmocka_unit_test(test_groups_that_do_not_fit),
        cmocka_unit_test(test_buffers_that_clash),
        cmocka_unit_test(test_sizes_are_checked_at_the_dispatch),
        cmocka_unit_test(test_dynamic_offsets),
        cmocka_unit_test(test_indirect_dispatches),
        cmocka_unit_test(test_workgroups_that_are_numbered),
        cmocka_unit_test(test_immediate_data),
        cmocka_unit_test(test_query_sets),
        cmocka_unit_test(test_timestamps_of_passes),
    };
    return cmocka_run_group_tests_name("encoder", tests, NULL, NULL);
}
