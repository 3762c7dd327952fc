// SPDX-License-Identifier: Apache-2.0
/*
 * machines.c - see the header. Memory, queues and limits are those of real GPUs, with heaps
 * as small as WebGPU allows.
 */
#include "machines.h"

#include <string.h>

#include "base/macro.h"

#define MIB      (UINT64_C(1) << 20)
#define LOCAL    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define VISIBLE  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
#define COHERENT VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
#define CACHED   VK_MEMORY_PROPERTY_HOST_CACHED_BIT
#define AMD      (VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD                    \
                  | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD)

#define FAMILY(flags, bits) \
    {.queueFlags = (flags), .queueCount = 1, .timestampValidBits = (bits), \
     .minImageTransferGranularity = {1, 1, 1}}
#define GRAPHICS VK_QUEUE_GRAPHICS_BIT
#define COMPUTE  VK_QUEUE_COMPUTE_BIT
#define TRANSFER VK_QUEUE_TRANSFER_BIT

/* ---- limits ---- */

/* No more than what WebGPU promises, and Vulkan's least where that is less. */
static void least(VkPhysicalDeviceLimits *l)
{
    l->maxBoundDescriptorSets = 4;
    l->maxPerStageDescriptorUniformBuffers = 12;
    l->maxPerStageDescriptorStorageBuffers = 8;
    l->maxDescriptorSetUniformBuffers = 72;
    l->maxDescriptorSetStorageBuffers = 24;
    l->maxPerStageResources = 128;
    l->maxUniformBufferRange = 65536;
    l->maxStorageBufferRange = 134217728;
    l->minUniformBufferOffsetAlignment = 256;
    l->minStorageBufferOffsetAlignment = 256;
    l->maxPushConstantsSize = 128;
    l->maxComputeSharedMemorySize = 16384;
    l->maxComputeWorkGroupInvocations = 256;
    l->maxComputeWorkGroupSize[0] = l->maxComputeWorkGroupSize[1] = 256;
    l->maxComputeWorkGroupSize[2] = 64;
    for (int i = 0; i < 3; i++)
        l->maxComputeWorkGroupCount[i] = 65535;
    l->nonCoherentAtomSize = 256;
    l->maxMemoryAllocationCount = 4096;
    l->timestampPeriod = 52.0833f;
}

/* Few resources for all kinds together. */
static void few_resources(VkPhysicalDeviceLimits *l)
{
    l->maxPerStageResources = 25;
}

static void old_workgroups(VkPhysicalDeviceLimits *l)
{
    l->maxComputeWorkGroupInvocations = 128;
    l->maxComputeWorkGroupSize[0] = l->maxComputeWorkGroupSize[1] = 128;
}

static void old_uniforms(VkPhysicalDeviceLimits *l)
{
    l->maxUniformBufferRange = 16384;
}

static void slow_clock(VkPhysicalDeviceLimits *l)
{
    l->timestampPeriod = 83.3333f;
}

/* ---- the table ---- */

const Machine machines[] = {
    {.name = "plain"},
    {.name = "discrete", .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     .limits = slow_clock,
     .nheaps = 2, .heaps = {{1024 * MIB, 0, true}, {1024 * MIB, 0, false}},
     .ntypes = 3, .types = {{LOCAL, 0}, {VISIBLE | COHERENT, 1},
                            {VISIBLE | COHERENT | CACHED, 1}}},
    {.name = "small-bar", .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     .nheaps = 3, .heaps = {{8192 * MIB, 0, true}, {8192 * MIB, 0, false}, {246 * MIB, 0, true}},
     .ntypes = 8, .types = {{0, 1}, {0, 1}, {LOCAL, 0}, {LOCAL, 0}, {LOCAL, 0},
                            {VISIBLE | COHERENT, 1}, {VISIBLE | COHERENT | CACHED, 1},
                            {LOCAL | VISIBLE | COHERENT, 2}},
     .buffer_types = 0xf3},
    /* Types that differ from others only in what they may not be used for. */
    {.name = "device-coherent", .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     .nheaps = 3, .heaps = {{768 * MIB, 0, true}, {1024 * MIB, 0, false}, {256 * MIB, 0, true}},
     .ntypes = 8, .types = {{LOCAL, 0}, {VISIBLE | COHERENT, 1}, {LOCAL | VISIBLE | COHERENT, 2},
                            {VISIBLE | COHERENT | CACHED, 1}, {LOCAL | AMD, 0},
                            {VISIBLE | COHERENT | AMD, 1},
                            {LOCAL | VISIBLE | COHERENT | AMD, 2},
                            {VISIBLE | COHERENT | CACHED | AMD, 1}}},
    /* An integrated GPU with a part of the memory set aside, most of it in use. */
    {.name = "carve-out",
     .nheaps = 2, .heaps = {{1024 * MIB, 0, false}, {64 * MIB, 20 * MIB, true}},
     .ntypes = 4, .types = {{LOCAL, 1}, {VISIBLE | COHERENT, 0},
                            {LOCAL | VISIBLE | COHERENT, 1}, {VISIBLE | COHERENT | CACHED, 0}},
     .megabytes = 96},
    /* A buffer that is larger than the heap it would best be in. */
    {.name = "tiny-window",
     .nheaps = 2, .heaps = {{1024 * MIB, 0, true}, {8 * MIB, 0, true}},
     .ntypes = 3, .types = {{LOCAL, 0}, {VISIBLE | COHERENT | CACHED, 0},
                            {LOCAL | VISIBLE | COHERENT, 1}},
     .megabytes = 48},
    {.name = "full-device", .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     .nheaps = 2, .heaps = {{512 * MIB, 8 * MIB, true}, {1024 * MIB, 0, false}},
     .ntypes = 2, .types = {{LOCAL, 0}, {VISIBLE | COHERENT, 1}},
     .megabytes = 64},
    /* A virtual GPU, of which the host can reach little. */
    {.name = "small-reach", .type = VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
     .nheaps = 2, .heaps = {{1024 * MIB, 0, true}, {8 * MIB, 0, false}},
     .ntypes = 2, .types = {{LOCAL, 0}, {VISIBLE | COHERENT | CACHED, 1}}},
    {.name = "not-coherent",
     .nheaps = 1, .heaps = {{1024 * MIB, 0, true}},
     .ntypes = 3, .types = {{LOCAL | VISIBLE | CACHED, 0}, {VISIBLE | CACHED, 0},
                            {VISIBLE | COHERENT, 0}}},
    {.name = "mobile", .limits = least, .hidden = HIDE_ALL & ~(unsigned)HIDE_STORAGE16,
     .version = VK_MAKE_API_VERSION(0, 1, 1, 131), .bare = true,
     .families = {FAMILY(GRAPHICS | COMPUTE | TRANSFER, 0)}, .nfamilies = 1,
     .nheaps = 1, .heaps = {{512 * MIB, 0, true}},
     .ntypes = 2, .types = {{LOCAL | VISIBLE | COHERENT, 0}, {LOCAL | VISIBLE | CACHED, 0}},
     .no_operations = ~(VkSubgroupFeatureFlags)VK_SUBGROUP_FEATURE_BASIC_BIT,
     .most_allocation = 256 * MIB,
     .lacks_f16 = true, .lacks_subgroups = true, .lacks_timestamps = true},

    {.name = "vulkan-1.1", .version = VK_MAKE_API_VERSION(0, 1, 1, 131)},
    {.name = "vulkan-1.2", .version = VK_MAKE_API_VERSION(0, 1, 2, 170)},
    {.name = "nothing-more", .version = VK_MAKE_API_VERSION(0, 1, 1, 70), .bare = true,
     .hidden = HIDE_ALL, .lacks_f16 = true},
    {.name = "portability", .portability = true, .limits = least},

    {.name = "least", .limits = least, .hidden = HIDE_ROBUST2, .most_allocation = 256 * MIB,
     .nheaps = 1, .heaps = {{256 * MIB, 0, true}},
     .ntypes = 1, .types = {{LOCAL | VISIBLE | COHERENT, 0}}, .most_allocations = 8},
    {.name = "few-resources", .limits = few_resources},
    {.name = "half-16", .hidden = HIDE_UNIFORM16 | HIDE_PUSH16, .lacks_f16 = true},
    {.name = "no-push-16", .hidden = HIDE_PUSH16 | HIDE_ZERO_INIT | HIDE_DOT},
    {.name = "no-storage-16", .hidden = HIDE_STORAGE16, .lacks_f16 = true},
    {.name = "no-quads", .no_operations = VK_SUBGROUP_FEATURE_QUAD_BIT, .lacks_subgroups = true},
    {.name = "sizes-vary", .sizes_vary = true},
    {.name = "unordered", .unordered = true,
     .nheaps = 2, .heaps = {{1024 * MIB, 0, true}, {1024 * MIB, 0, false}},
     .ntypes = 2, .types = {{LOCAL, 0}, {VISIBLE | COHERENT | CACHED, 1}}},
    {.name = "impatient", .impatient = true},
    {.name = "no-compute-subgroups", .no_subgroups = true, .lacks_subgroups = true},

    {.name = "queues-apart", .nfamilies = 4,
     .families = {FAMILY(TRANSFER, 64), FAMILY(GRAPHICS | TRANSFER, 64), FAMILY(COMPUTE, 0),
                  FAMILY(COMPUTE | TRANSFER, 36)}},
    {.name = "no-clock", .nfamilies = 2,
     .families = {FAMILY(GRAPHICS | TRANSFER, 64), FAMILY(COMPUTE, 0)}, .lacks_timestamps = true},

    {.name = "no-compute", .nfamilies = 1, .families = {FAMILY(GRAPHICS | TRANSFER, 64)},
     .left_out = "no queue that computes"},
    {.name = "vulkan-1.0", .version = VK_MAKE_API_VERSION(0, 1, 0, 61), .bare = true,
     .hidden = HIDE_ALL, .left_out = "Vulkan 1.0"},
    {.name = "old-workgroups", .limits = old_workgroups,
     .left_out = "maxComputeInvocationsPerWorkgroup is 128"},
    {.name = "old-uniforms", .limits = old_uniforms,
     .left_out = "maxUniformBufferBindingSize is 16384"},
    {.name = "small-allocations", .most_allocation = 128 * MIB,
     .left_out = "maxBufferSize is 134217728"},
};

const uint32_t machine_count = COUNTOF(machines);

const Machine *driver_machine_find(const char *name)
{
    for (uint32_t i = 0; i < machine_count; i++)
        if (name && strcmp(machines[i].name, name) == 0)
            return &machines[i];
    return NULL;
}
