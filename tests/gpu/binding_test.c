// SPDX-License-Identifier: Apache-2.0
/*
 * binding_test.c - bind group layouts, pipeline layouts, bind groups.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define UNIFORM   WGPUBufferBindingType_Uniform
#define STORAGE   WGPUBufferBindingType_Storage
#define READ_ONLY WGPUBufferBindingType_ReadOnlyStorage

enum { VERTEX = 1, FRAGMENT = 2, COMPUTE = 4 };

static WGPUBindGroupLayoutEntry entry(uint32_t binding, WGPUShaderStage stages,
                                      WGPUBufferBindingType type)
{
    WGPUBindGroupLayoutEntry e = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
    e.binding = binding;
    e.visibility = stages;
    e.buffer.type = type;
    return e;
}

static WGPUBindGroupLayout make_layout(Fixture *fx, size_t count,
                                       const WGPUBindGroupLayoutEntry *entries)
{
    WGPUBindGroupLayoutDescriptor d = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
    d.entryCount = count;
    d.entries = entries;
    return wgpuDeviceCreateBindGroupLayout(fx->device, &d);
}

static void expect_layout(Fixture *fx, size_t count, const WGPUBindGroupLayoutEntry *entries,
                          const char *why)
{
    WGPUBindGroupLayout layout = make_layout(fx, count, entries);
    assert_non_null(layout);
    if (why) {
        char message[400];
        snprintf(message, sizeof message, "bind group layout: %s", why);
        expect_fault(fx, message);
    } else {
        expect_none(fx);
    }
    assert_int_equal(layout->base.valid, why == NULL);
    wgpuBindGroupLayoutRelease(layout);
}

/* ---- bind group layouts ---- */

static void test_layouts_of_buffers(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    expect_layout(fx, 0, NULL, NULL);
    WGPUBindGroupLayoutEntry e[3] = {
        entry(7, COMPUTE, STORAGE), entry(0, COMPUTE | FRAGMENT, READ_ONLY),
        entry(999, 0, WGPUBufferBindingType_Undefined),
    };
    e[1].buffer.hasDynamicOffset = 3;           /* anything but zero is true */
    e[2].buffer.minBindingSize = UINT64_MAX;
    WGPUBindGroupLayout layout = make_layout(fx, 3, e);
    assert_int_equal(layout->nentries, 3);
    assert_int_equal(layout->entries[0].binding, 0);    /* sorted */
    assert_int_equal(layout->entries[1].binding, 7);
    assert_int_equal(layout->entries[2].type, UNIFORM); /* what Undefined means */
    assert_int_equal(layout->dynamic_count, 1);
    wgpuBindGroupLayoutSetLabel(layout, sv("l"));
    wgpuBindGroupLayoutAddRef(layout);
    wgpuBindGroupLayoutRelease(layout);
    wgpuBindGroupLayoutRelease(layout);
    fixture_close(fx);
}

static void test_entries_that_are_wrong(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBindGroupLayoutEntry e[2] = {entry(1, COMPUTE, STORAGE), entry(1, COMPUTE, UNIFORM)};
    expect_layout(fx, 2, e, "binding 1 is there twice");
    e[0] = entry(1000, COMPUTE, STORAGE);
    expect_layout(fx, 1, e, "binding 1000 must be below maxBindingsPerBindGroup, 1000");
    e[0] = entry(0, 8, STORAGE);
    expect_layout(fx, 1, e, "binding 0: the visibility 0x8 has bits that mean nothing");
    e[0] = entry(0, VERTEX | COMPUTE, STORAGE);
    expect_layout(fx, 1, e, "binding 0: a storage buffer that is not read-only cannot be visible "
                            "to vertex shaders");
    e[0] = entry(0, VERTEX, READ_ONLY);
    expect_layout(fx, 1, e, NULL);
    e[0] = entry(0, COMPUTE, (WGPUBufferBindingType)5);
    expect_layout(fx, 1, e, "binding 0: the buffer type 5 is not one there is");
    e[0] = entry(0, COMPUTE, STORAGE);
    e[0].bindingArraySize = 2;
    expect_layout(fx, 1, e, "binding 0: bindingArraySize 2 must be 0");
    e[0] = entry(3, COMPUTE, WGPUBufferBindingType_BindingNotUsed);
    expect_layout(fx, 1, e, "binding 3 must be one of buffer, sampler, texture, storageTexture and "
                            "an external texture, and is 0 of them");
    e[0].sampler.type = WGPUSamplerBindingType_Filtering;
    expect_layout(fx, 1, e, "binding 3 is a sampler; Weft has no textures and samplers");
    e[0].texture.sampleType = WGPUTextureSampleType_Float;
    expect_layout(fx, 1, e, "binding 3 must be one of buffer, sampler, texture, storageTexture and "
                            "an external texture, and is 2 of them");
    e[0] = entry(3, COMPUTE, WGPUBufferBindingType_BindingNotUsed);
    e[0].storageTexture.access = WGPUStorageTextureAccess_WriteOnly;
    expect_layout(fx, 1, e, "binding 3 is a storage texture; Weft has no textures and samplers");
    e[0].storageTexture.access = WGPUStorageTextureAccess_BindingNotUsed;
    WGPUExternalTextureBindingLayout external = WGPU_EXTERNAL_TEXTURE_BINDING_LAYOUT_INIT;
    e[0].nextInChain = &external.chain;
    expect_layout(fx, 1, e, "binding 3 is an external texture; Weft has no textures and samplers");
    WGPUChainedStruct stray = {NULL, WGPUSType_ShaderSourceWGSL};
    e[0] = entry(0, COMPUTE, STORAGE);
    e[0].nextInChain = &stray;
    expect_layout(fx, 1, e, "WGPUBindGroupLayoutEntry has a struct in its chain that does not "
                            "belong there: sType 0x00000002");
    e[0].nextInChain = NULL;
    e[0].buffer.nextInChain = &stray;
    expect_layout(fx, 1, e, "WGPUBufferBindingLayout has a struct in its chain that does not "
                            "belong there: sType 0x00000002");
    expect_layout(fx, 1, NULL, "entries is NULL with a count of 1");
    expect_layout(fx, SIZE_MAX, e, "18446744073709551615 entries are more than "
                                   "maxBindingsPerBindGroup, 1000");
    WGPUBindGroupLayout layout = wgpuDeviceCreateBindGroupLayout(fx->device, NULL);
    expect_fault(fx, "bind group layout: the descriptor is NULL");
    wgpuBindGroupLayoutRelease(layout);
    fixture_close(fx);
}

static void test_limits_on_layouts(void **state)
{
    (void)state;
    static const struct {
        WGPUBufferBindingType type;
        WGPUShaderStage       stages;
        bool                  dynamic;
        uint32_t              most;
        const char           *fault;            /* of one more */
    } rows[] = {
        {UNIFORM, COMPUTE, false, 12,
         "13 uniform buffers for compute shaders are more than "
         "maxUniformBuffersPerShaderStage, 12"},
        {UNIFORM, FRAGMENT, false, 12,
         "13 uniform buffers for fragment shaders are more than "
         "maxUniformBuffersPerShaderStage, 12"},
        {UNIFORM, VERTEX, false, 12,
         "13 uniform buffers for vertex shaders are more than maxUniformBuffersPerShaderStage, 12"},
        {STORAGE, COMPUTE, false, 8,
         "9 storage buffers for compute shaders are more than maxStorageBuffersPerShaderStage, 8"},
        {READ_ONLY, COMPUTE, false, 8,
         "9 storage buffers for compute shaders are more than maxStorageBuffersPerShaderStage, 8"},
        {STORAGE, FRAGMENT, false, 8,
         "9 storage buffers for fragment shaders are more than "
         "maxStorageBuffersInFragmentStage, 8"},
        {READ_ONLY, VERTEX, false, 8,
         "9 storage buffers for vertex shaders are more than maxStorageBuffersInVertexStage, 8"},
        {UNIFORM, COMPUTE, true, 8, "9 uniform buffers with dynamic offsets are more than "
                                    "maxDynamicUniformBuffersPerPipelineLayout, 8"},
        {STORAGE, 0, true, 4, "5 storage buffers with dynamic offsets are more than "
                              "maxDynamicStorageBuffersPerPipelineLayout, 4"},
        {READ_ONLY, COMPUTE, true, 4, "5 storage buffers with dynamic offsets are more than "
                                      "maxDynamicStorageBuffersPerPipelineLayout, 4"},
        {STORAGE, 0, false, 20, NULL},          /* nobody sees them: nothing counts */
    };
    Fixture *fx = fixture_open(NULL);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        WGPUBindGroupLayoutEntry e[24];
        for (uint32_t k = 0; k <= rows[i].most; k++) {
            e[k] = entry(k, rows[i].stages, rows[i].type);
            e[k].buffer.hasDynamicOffset = rows[i].dynamic;
        }
        expect_layout(fx, rows[i].most, e, NULL);
        expect_layout(fx, rows[i].most + 1, e, rows[i].fault);
        if (!rows[i].fault)
            continue;
        /* The same over two groups of a pipeline layout. */
        WGPUBindGroupLayout both[2] = {make_layout(fx, rows[i].most, e),
                                       make_layout(fx, 1, e)};
        WGPUPipelineLayoutDescriptor d = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
        d.bindGroupLayoutCount = 2;
        d.bindGroupLayouts = both;
        wgpuPipelineLayoutRelease(wgpuDeviceCreatePipelineLayout(fx->device, &d));
        char message[400];
        snprintf(message, sizeof message, "pipeline layout: %s", rows[i].fault);
        expect_fault(fx, message);
        d.bindGroupLayoutCount = 1;
        wgpuPipelineLayoutRelease(wgpuDeviceCreatePipelineLayout(fx->device, &d));
        wgpuBindGroupLayoutRelease(both[0]);
        wgpuBindGroupLayoutRelease(both[1]);
    }
    fixture_close(fx);
}

static void test_layouts_that_are_equal(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBindGroupLayoutEntry e[2] = {entry(0, COMPUTE, STORAGE), entry(1, COMPUTE, UNIFORM)};
    WGPUBindGroupLayoutEntry turned[2] = {e[1], e[0]};
    WGPUBindGroupLayout a = make_layout(fx, 2, e), b = make_layout(fx, 2, turned);
    assert_true(layout_equal(a, b));
    for (int i = 0; i < 5; i++) {
        WGPUBindGroupLayoutEntry other[2] = {e[0], e[1]};
        if (i == 0) other[1].binding = 2;
        if (i == 1) other[1].visibility = COMPUTE | FRAGMENT;
        if (i == 2) other[1].buffer.type = READ_ONLY;
        if (i == 3) other[1].buffer.hasDynamicOffset = WGPU_TRUE;
        if (i == 4) other[1].buffer.minBindingSize = 16;
        WGPUBindGroupLayout c = make_layout(fx, 2, other);
        assert_false(layout_equal(a, c));
        wgpuBindGroupLayoutRelease(c);
    }
    WGPUBindGroupLayout c = make_layout(fx, 1, e);
    assert_false(layout_equal(a, c));
    wgpuBindGroupLayoutRelease(a);
    wgpuBindGroupLayoutRelease(b);
    wgpuBindGroupLayoutRelease(c);
    fixture_close(fx);
}

/* ---- pipeline layouts ---- */

static void test_pipeline_layouts(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBindGroupLayoutEntry e = entry(0, COMPUTE, STORAGE);
    WGPUBindGroupLayout good = make_layout(fx, 1, &e), empty = make_layout(fx, 0, NULL);
    e.binding = 4000;
    WGPUBindGroupLayout bad = make_layout(fx, 1, &e);
    fx->nerrors = 0;
    WGPUBindGroupLayout groups[5] = {good, NULL, empty, good, good};
    const WGPUPipelineLayoutDescriptor plain = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
    WGPUPipelineLayoutDescriptor d = plain;
    WGPUPipelineLayout layout = wgpuDeviceCreatePipelineLayout(fx->device, &d);
    assert_true(layout->base.valid);
    wgpuPipelineLayoutRelease(layout);
    d.bindGroupLayouts = groups;
    d.bindGroupLayoutCount = 4;
    d.immediateSize = 64;
    d.label = sv("p");
    layout = wgpuDeviceCreatePipelineLayout(fx->device, &d);
    assert_true(layout->base.valid);
    assert_ptr_equal(layout->groups[0], good);
    assert_null(layout->groups[1]);
    assert_null(layout->groups[2]);             /* empty is as none */
    assert_ptr_equal(layout->groups[3], good);
    wgpuPipelineLayoutSetLabel(layout, sv("other"));
    wgpuPipelineLayoutAddRef(layout);
    wgpuPipelineLayoutRelease(layout);
    wgpuPipelineLayoutRelease(layout);
    const struct { size_t count; uint32_t immediates; const char *fault; } rows[] = {
        {5, 0, "pipeline layout 'p': 5 bind group layouts are more than maxBindGroups, 4"},
        {0, 68, "pipeline layout 'p': immediateSize 68 is above maxImmediateSize, 64"},
        {0, 6, "pipeline layout 'p': immediateSize 6 must be a multiple of 4"},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        d.bindGroupLayoutCount = rows[i].count;
        d.immediateSize = rows[i].immediates;
        layout = wgpuDeviceCreatePipelineLayout(fx->device, &d);
        expect_fault(fx, rows[i].fault);
        assert_false(layout->base.valid);
        wgpuPipelineLayoutRelease(layout);
    }
    d = plain;
    d.bindGroupLayoutCount = 2;
    wgpuPipelineLayoutRelease(wgpuDeviceCreatePipelineLayout(fx->device, &d));
    expect_fault(fx, "pipeline layout: bindGroupLayouts is NULL with a count of 2");
    groups[1] = bad;
    d.bindGroupLayouts = groups;
    wgpuPipelineLayoutRelease(wgpuDeviceCreatePipelineLayout(fx->device, &d));
    expect_fault(fx, "pipeline layout: group 1: the layout is an error object");
    wgpuPipelineLayoutRelease(wgpuDeviceCreatePipelineLayout(fx->device, NULL));
    expect_fault(fx, "pipeline layout: the descriptor is NULL");
    d.nextInChain = &(WGPUChainedStruct){NULL, 3};
    wgpuPipelineLayoutRelease(wgpuDeviceCreatePipelineLayout(fx->device, &d));
    expect_fault(fx, "pipeline layout: WGPUPipelineLayoutDescriptor has a struct in its chain that "
                     "does not belong there: sType 0x00000003");
    wgpuBindGroupLayoutRelease(good);
    wgpuBindGroupLayoutRelease(empty);
    wgpuBindGroupLayoutRelease(bad);
    fixture_close(fx);
}

/* ---- bind groups ---- */

typedef struct Group {
    Fixture                  *fx;
    WGPUBindGroupLayoutEntry  layout;           /* of binding 5 */
    WGPUBufferUsage           usage;
    uint64_t                  buffer_size;
} Group;

static void expect_group(const Group *g, uint64_t offset, uint64_t size, const char *why)
{
    WGPUBindGroupLayout layout = make_layout(g->fx, 1, &g->layout);
    WGPUBuffer          buffer = make_buffer(g->fx, "b", g->usage, g->buffer_size);
    WGPUBindGroupEntry  e = WGPU_BIND_GROUP_ENTRY_INIT;
    e.binding = 5;
    e.buffer = buffer;
    e.offset = offset;
    e.size = size;
    WGPUBindGroupDescriptor d = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    d.label = sv("g");
    d.layout = layout;
    d.entryCount = 1;
    d.entries = &e;
    WGPUBindGroup group = wgpuDeviceCreateBindGroup(g->fx->device, &d);
    assert_non_null(group);
    if (why) {
        char message[400];
        snprintf(message, sizeof message, "bind group 'g': binding 5%s: %s",
                 strncmp(why, "the buffer", 10) == 0 ? "" : ", buffer 'b'", why);
        expect_fault(g->fx, message);
    } else {
        expect_none(g->fx);
    }
    assert_int_equal(group->base.valid, why == NULL);
    wgpuBufferRelease(buffer);                  /* the group keeps it */
    wgpuBindGroupLayoutRelease(layout);
    wgpuBindGroupRelease(group);
}

static void test_pieces_of_buffers(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    Group storage = {fx, entry(5, COMPUTE, STORAGE), WGPUBufferUsage_Storage, 1024};
    Group uniform = {fx, entry(5, COMPUTE, UNIFORM), WGPUBufferUsage_Uniform, 1024};
    expect_group(&storage, 0, WGPU_WHOLE_SIZE, NULL);
    expect_group(&storage, 256, 4, NULL);
    expect_group(&storage, 768, 256, NULL);
    expect_group(&uniform, 512, WGPU_WHOLE_SIZE, NULL);
    expect_group(&uniform, 0, 7, NULL);
    expect_group(&storage, 768, 260, "the offset 768 and the size 260 go beyond the end of the "
                                     "buffer, 1024");
    expect_group(&storage, 2048, WGPU_WHOLE_SIZE, "the offset 2048 and the size 0 go beyond the "
                                                  "end of the buffer, 1024");
    expect_group(&storage, 1024, WGPU_WHOLE_SIZE, "nothing is bound, the size is 0");
    expect_group(&storage, 0, 0, "nothing is bound, the size is 0");
    expect_group(&storage, 256, UINT64_MAX - 1, "the offset 256 and the size 18446744073709551614 "
                                                "go beyond the end of the buffer, 1024");
    expect_group(&storage, 0, 6, "the size 6 of a storage buffer must be a multiple of 4");
    expect_group(&storage, 32, 4, "the offset 32 must be a multiple of "
                                  "minStorageBufferOffsetAlignment, 256");
    expect_group(&uniform, 128, 4, "the offset 128 must be a multiple of "
                                   "minUniformBufferOffsetAlignment, 256");
    uniform.usage = WGPUBufferUsage_Storage;
    expect_group(&uniform, 0, 4, "the buffer 'b' has no usage Uniform");
    storage.usage = WGPUBufferUsage_Uniform;
    expect_group(&storage, 0, 4, "the buffer 'b' has no usage Storage");
    uniform.usage = WGPUBufferUsage_Uniform;
    uniform.buffer_size = 65540;
    expect_group(&uniform, 0, 65536, NULL);
    expect_group(&uniform, 0, WGPU_WHOLE_SIZE, "the size 65540 is above "
                                               "maxUniformBufferBindingSize, 65536");
    storage = (Group){fx, entry(5, COMPUTE, READ_ONLY), WGPUBufferUsage_Storage, 134217732};
    expect_group(&storage, 0, 134217728, NULL);
    expect_group(&storage, 0, 134217732, "the size 134217732 is above "
                                         "maxStorageBufferBindingSize, 134217728");
    storage.buffer_size = 64;
    storage.layout.buffer.minBindingSize = 32;
    expect_group(&storage, 0, 32, NULL);
    expect_group(&storage, 0, 28, "the size 28 is below the layout's minBindingSize, 32");
    fixture_close(fx);
}

static void test_groups_that_are_wrong(void **state)
{
    (void)state;
    Fixture *fx = fixture_open(NULL);
    WGPUBindGroupLayoutEntry le[2] = {entry(0, COMPUTE, STORAGE), entry(9, COMPUTE, STORAGE)};
    WGPUBindGroupLayout layout = make_layout(fx, 2, le);
    WGPUBuffer b = make_buffer(fx, "b", WGPUBufferUsage_Storage, 64);
    WGPUBuffer error = make_buffer(fx, "error", 0, 64);
    fx->nerrors = 0;
    WGPUBindGroupEntry e[2] = {WGPU_BIND_GROUP_ENTRY_INIT, WGPU_BIND_GROUP_ENTRY_INIT};
    e[0].buffer = e[1].buffer = b;
    e[0].binding = 9;                           /* any order */
    WGPUBindGroupDescriptor d = {.layout = layout, .entryCount = 2, .entries = e};
    WGPUBindGroup group = wgpuDeviceCreateBindGroup(fx->device, &d);
    assert_true(group->base.valid);
    wgpuBindGroupSetLabel(group, sv("x"));
    wgpuBindGroupAddRef(group);
    wgpuBindGroupRelease(group);
    wgpuBindGroupRelease(group);
    d.entryCount = 1;
    wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(fx->device, &d));
    expect_fault(fx, "bind group: 1 entries are given, and the layout has 2: binding 0 is missing");
    d.entryCount = 2;
    d.entries = NULL;
    wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(fx->device, &d));
    expect_fault(fx, "bind group: entries is NULL with a count of 2");
    d.entries = e;
    e[1].binding = 9;
    wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(fx->device, &d));
    expect_fault(fx, "bind group: binding 9 is there twice");
    e[1].binding = 4;
    wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(fx->device, &d));
    expect_fault(fx, "bind group: binding 4 is not in the layout");
    e[1].binding = 0;
    e[1].buffer = NULL;
    wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(fx->device, &d));
    expect_fault(fx, "bind group: binding 0: the buffer is NULL");
    e[1].buffer = error;
    wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(fx->device, &d));
    expect_fault(fx, "bind group: binding 0: the buffer 'error' is an error object");
    e[1].buffer = NULL;
    e[1].sampler = wgpuDeviceCreateSampler(fx->device, NULL);
    expect_fault(fx, "sampler: Weft has no samplers");
    wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(fx->device, &d));
    expect_fault(fx, "bind group: binding 0 is given a sampler, and the layout asks for a buffer");
    wgpuSamplerRelease(e[1].sampler);
    e[1].sampler = NULL;
    WGPUExternalTextureBindingEntry external = WGPU_EXTERNAL_TEXTURE_BINDING_ENTRY_INIT;
    e[1].nextInChain = &external.chain;
    wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(fx->device, &d));
    expect_fault(fx, "bind group: binding 0 is given a texture, and the layout asks for a buffer");
    d.layout = NULL;
    wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(fx->device, &d));
    expect_fault(fx, "bind group: the layout is NULL");
    le[1].binding = 0;
    d.layout = make_layout(fx, 2, le);
    fx->nerrors = 0;
    group = wgpuDeviceCreateBindGroup(fx->device, &d);
    expect_fault(fx, "bind group: the layout is an error object");
    wgpuBindGroupRelease(group);
    wgpuBindGroupLayoutRelease(d.layout);
    wgpuBindGroupRelease(wgpuDeviceCreateBindGroup(fx->device, NULL));
    expect_fault(fx, "bind group: the descriptor is NULL");
    wgpuBindGroupLayoutRelease(layout);
    wgpuBufferRelease(error);
    wgpuBufferRelease(b);
    fixture_close(fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts_of_buffers),
        cmocka_unit_test(test_entries_that_are_wrong),
        cmocka_unit_test(test_limits_on_layouts),
        cmocka_unit_test(test_layouts_that_are_equal),
        cmocka_unit_test(test_pipeline_layouts),
        cmocka_unit_test(test_pieces_of_buffers),
        cmocka_unit_test(test_groups_that_are_wrong),
    };
    return cmocka_run_group_tests_name("binding", tests, NULL, NULL);
}
