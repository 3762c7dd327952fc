// SPDX-License-Identifier: Apache-2.0
/*
 * adapter.c - a physical device: what it is, what it can do.
 *
 * in     a VkPhysicalDevice
 * out    its info, limits and features in WebGPU's words; what to enable for them
 * knows  Vulkan's properties and features, and which version or extension has each
 * not    devices
 */
#include "gpu/vulkan/vulkan_priv.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Groups, and thereby descriptor sets, that a pipeline may have. */
#define MAX_GROUPS 8u
/* Workgroups in a dimension: what the check of indirect dispatches counts with. */
#define MAX_WORKGROUPS 65535u
/* Bytes of one allocation that all of Vulkan 1.1 allows. */
#define LEAST_ALLOCATION (UINT64_C(1) << 30)
/* Those whose device has it must enable it. The headers have no name for it by default. */
#define PORTABILITY_SUBSET "VK_KHR_portability_subset"

/* ---- features ---- */

/* A struct of features: in the core from `since` on, before that in an extension. */
typedef struct FeatureRow {
    size_t          at;                 /* in VulkanFeatures                      */
    VkStructureType type;
    uint32_t        since;              /* 0: never                               */
    const char     *extension;
} FeatureRow;

static const FeatureRow rows[] = {
#define ROW(member, type, since, extension) \
    {offsetof(VulkanFeatures, member), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type##_FEATURES, \
     since, extension}
    ROW(storage16, 16BIT_STORAGE, VK_API_VERSION_1_1, "VK_KHR_16bit_storage"),
    ROW(float16, SHADER_FLOAT16_INT8, VK_API_VERSION_1_2, "VK_KHR_shader_float16_int8"),
    ROW(subgroup_types, SHADER_SUBGROUP_EXTENDED_TYPES, VK_API_VERSION_1_2,
        "VK_KHR_shader_subgroup_extended_types"),
    ROW(standard_layout, UNIFORM_BUFFER_STANDARD_LAYOUT, VK_API_VERSION_1_2,
        "VK_KHR_uniform_buffer_standard_layout"),
    ROW(zero_init, ZERO_INITIALIZE_WORKGROUP_MEMORY, VK_API_VERSION_1_3,
        "VK_KHR_zero_initialize_workgroup_memory"),
    ROW(dot_product, SHADER_INTEGER_DOT_PRODUCT, VK_API_VERSION_1_3,
        "VK_KHR_shader_integer_dot_product"),
    ROW(subgroup_size, SUBGROUP_SIZE_CONTROL, VK_API_VERSION_1_3,
        "VK_EXT_subgroup_size_control"),
    {offsetof(VulkanFeatures, robust2),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, 0, "VK_EXT_robustness2"},
#undef ROW
};
_Static_assert(COUNTOF(rows) + 1 <= VULKAN_MAX_EXTENSIONS, "no room for the extensions");

static bool has_extension(const GpuAdapter *a, const char *name)
{
    for (uint32_t i = 0; i < a->nextensions; i++)
        if (strcmp(a->extensions[i], name) == 0)
            return true;
    return false;
}

static bool has_row(const GpuAdapter *a, const FeatureRow *row)
{
    return (row->since && a->version >= row->since) || has_extension(a, row->extension);
}

void vulkan_features_link(VulkanFeatures *f, const GpuAdapter *a)
{
    f->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    void **link = &f->core.pNext;
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        if (!has_row(a, &rows[i]))
            continue;
        VkBaseOutStructure *s = (void *)((char *)f + rows[i].at);
        s->sType = rows[i].type;
        *link = s;
        link = (void **)&s->pNext;
    }
    *link = NULL;
}

static void add_extension(GpuAdapter *a, const char *name, const VkExtensionProperties *list,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].extensionName, name) == 0) {
            a->extensions[a->nextensions++] = name;
            break;
        }
}

/* The extensions that the driver has and a row needs, or that must be enabled. False: the
 * driver fails. */
static bool find_extensions(GpuAdapter *a)
{
    VkExtensionProperties *list = NULL;
    uint32_t               count = 0;
    const Vulkan          *v = a->vulkan;
    if (v->EnumerateDeviceExtensionProperties(a->physical, NULL, &count, NULL) != VK_SUCCESS)
        return false;
    list = calloc(count + 1, sizeof *list);
    bool ok = list && v->EnumerateDeviceExtensionProperties(a->physical, NULL, &count, list)
                          >= VK_SUCCESS;
    for (size_t r = 0; ok && r < COUNTOF(rows); r++)
        if (!rows[r].since || a->version < rows[r].since)
            add_extension(a, rows[r].extension, list, count);
    if (ok)
        add_extension(a, PORTABILITY_SUBSET, list, count);
    free(list);
    return ok;
}

/* Keeps of what the driver offers what kernels use, to be enabled. */
static void find_features(GpuAdapter *a)
{
    VulkanFeatures has = {0}, *use = &a->features;
    vulkan_features_link(&has, a);
    a->vulkan->GetPhysicalDeviceFeatures2(a->physical, &has.core);
    *use = (VulkanFeatures){0};
#define USE(member) use->member = has.member
    USE(storage16.storageBuffer16BitAccess);
    USE(storage16.uniformAndStorageBuffer16BitAccess);
    USE(storage16.storagePushConstant16);
    USE(float16.shaderFloat16);
    USE(core.features.shaderFloat64);
    USE(subgroup_types.shaderSubgroupExtendedTypes);
    USE(standard_layout.uniformBufferStandardLayout);
    USE(zero_init.shaderZeroInitializeWorkgroupMemory);
    USE(dot_product.shaderIntegerDotProduct);
    /* The weaker kind alone is of no use: the code keeps to bounds by itself, and would
     * only pay for both. */
    USE(robust2.robustBufferAccess2);
    use->core.features.robustBufferAccess = use->robust2.robustBufferAccess2;
    USE(subgroup_size.subgroupSizeControl);
#undef USE
}

/* ---- properties ---- */

typedef struct Properties {
    VkPhysicalDeviceProperties2                core;
    VkPhysicalDeviceMaintenance3Properties     maintenance3;
    VkPhysicalDeviceSubgroupProperties         subgroup;
    VkPhysicalDeviceDriverProperties           driver;
    VkPhysicalDeviceFloatControlsProperties    floats;
    VkPhysicalDeviceSubgroupSizeControlProperties sizes;
    VkPhysicalDeviceMaintenance4Properties     maintenance4;
} Properties;

static void chain(void ***link, void *next, VkStructureType type)
{
    VkBaseOutStructure *s = next;
    s->sType = type;
    s->pNext = NULL;
    **link = s;
    *link = (void **)&s->pNext;
}

static void find_properties(const GpuAdapter *a, Properties *p)
{
    *p = (Properties){.core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    void **link = &p->core.pNext;
    chain(&link, &p->maintenance3, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
    chain(&link, &p->subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
    if (a->version >= VK_API_VERSION_1_2) {
        chain(&link, &p->driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
        chain(&link, &p->floats, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
    }
    if (a->version >= VK_API_VERSION_1_3
        || has_extension(a, "VK_EXT_subgroup_size_control"))
        chain(&link, &p->sizes,
              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
    if (a->version >= VK_API_VERSION_1_3)
        chain(&link, &p->maintenance4,
              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
    a->vulkan->GetPhysicalDeviceProperties2(a->physical, &p->core);
}

/* The family of queues to use: one that computes, rather with timestamps. */
static bool find_family(GpuAdapter *a)
{
    VkQueueFamilyProperties list[32];
    uint32_t count = COUNTOF(list), best = UINT32_MAX;
    a->vulkan->GetPhysicalDeviceQueueFamilyProperties(a->physical, &count, list);
    for (uint32_t i = 0; i < MIN_OF(count, COUNTOF(list)); i++) {
        if (!(list[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || !list[i].queueCount)
            continue;
        if (best == UINT32_MAX || (!list[best].timestampValidBits && list[i].timestampValidBits))
            best = i;
    }
    if (best == UINT32_MAX)
        return false;
    a->family = best;
    a->timestamp_bits = list[best].timestampValidBits;
    return true;
}

/* ---- memory ---- */

static uint64_t largest_heap(const GpuAdapter *a, VkMemoryHeapFlags flags)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < a->memory.memoryHeapCount; i++)
        if ((a->memory.memoryHeaps[i].flags & flags) == flags)
            most = MAX_OF(most, a->memory.memoryHeaps[i].size);
    return most;
}

static bool has_memory_type(const GpuAdapter *a, VkMemoryPropertyFlags flags)
{
    for (uint32_t i = 0; i < a->memory.memoryTypeCount; i++)
        if ((a->memory.memoryTypes[i].propertyFlags & flags) == flags)
            return true;
    return false;
}

/* ---- words ---- */

static const char *vendor_name(uint32_t id)
{
    static const struct { uint32_t id; const char *name; } vendors[] = {
        {0x1002, "amd"}, {0x10de, "nvidia"}, {0x8086, "intel"}, {0x13b5, "arm"},
        {0x5143, "qualcomm"}, {0x1010, "imagination"}, {0x106b, "apple"},
        {0x14e4, "broadcom"}, {0x144d, "samsung"}, {0x1ae0, "google"}, {0x10005, "mesa"},
    };
    for (size_t i = 0; i < COUNTOF(vendors); i++)
        if (vendors[i].id == id)
            return vendors[i].name;
    return "";
}

static GpuAdapterKind kind_of(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return GPU_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:  return GPU_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:          return GPU_SOFTWARE;
    default:                                   return GPU_INTEGRATED;
    }
}

/* Of Mesa, and on the CPU. */
static bool is_lavapipe(const GpuAdapter *a)
{
    return a->properties.vendorID == VK_VENDOR_ID_MESA
           && a->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

#define VENDOR_GOOGLE 0x1ae0u

static bool is_swiftshader(const GpuAdapter *a)
{
    return a->properties.vendorID == VENDOR_GOOGLE
           && a->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* Users of lavapipe are told what no kernel can be kept from. */
static void find_words(GpuAdapter *a, const Properties *p)
{
    uint32_t v = a->properties.apiVersion;
    if (p->driver.driverName[0])
        snprintf(a->driver, sizeof a->driver, "%s%s%s", p->driver.driverName,
                 p->driver.driverInfo[0] ? " " : "", p->driver.driverInfo);
    else
        snprintf(a->driver, sizeof a->driver, "version 0x%x", a->properties.driverVersion);
    snprintf(a->description, sizeof a->description, "%s, Vulkan %u.%u.%u%s", a->driver,
             VK_API_VERSION_MAJOR(v), VK_API_VERSION_MINOR(v), VK_API_VERSION_PATCH(v),
             is_lavapipe(a) ? "; it ends loops after 65535 rounds" : "");
}

/* ---- limits ---- */

static uint32_t least(uint32_t a, uint32_t b)
{
    return MIN_OF(a, b);
}

/* Every binding of a group may be used by one stage: both of Vulkan's bounds count, and
 * that of all resources together. */
static void buffer_limits(GpuLimits *out, const VkPhysicalDeviceLimits *l)
{
    uint32_t both = l->maxPerStageResources;
    out->max_uniform_buffers = least(least(l->maxPerStageDescriptorUniformBuffers,
                                           l->maxDescriptorSetUniformBuffers), 64);
    out->max_storage_buffers = least(least(l->maxPerStageDescriptorStorageBuffers,
                                           l->maxDescriptorSetStorageBuffers), 64);
    if (both < out->max_uniform_buffers + out->max_storage_buffers) {
        out->max_uniform_buffers = least(out->max_uniform_buffers, both / 2);
        out->max_storage_buffers = both - out->max_uniform_buffers;
    }
    /* Offsets are added before a buffer is bound: these are ordinary bindings. */
    out->max_dynamic_uniform_buffers = least(16, out->max_uniform_buffers);
    out->max_dynamic_storage_buffers = least(16, out->max_storage_buffers);
}

/* What is set aside for an integrated GPU may be little: buffers go elsewhere too. */
static GpuLimits limits_of(const GpuAdapter *a, const Properties *p)
{
    const VkPhysicalDeviceLimits *l = &a->properties.limits;
    uint64_t memory = a->info.kind == GPU_DISCRETE ? a->info.memory : largest_heap(a, 0);
    uint64_t buffer = MIN_OF(a->max_allocation, memory);
    if (p->maintenance4.maxBufferSize)
        buffer = MIN_OF(buffer, p->maintenance4.maxBufferSize);
    GpuLimits out = {
        .max_bind_groups = least(l->maxBoundDescriptorSets, MAX_GROUPS),
        .max_bindings_per_bind_group = 1000,
        .max_uniform_binding = l->maxUniformBufferRange & ~3u,
        .max_storage_binding = l->maxStorageBufferRange & ~3u,
        .max_buffer = buffer & ~UINT64_C(255),      /* what comes of it is no more */
        .min_uniform_alignment = (uint32_t)l->minUniformBufferOffsetAlignment,
        .min_storage_alignment = (uint32_t)l->minStorageBufferOffsetAlignment,
        .max_workgroup_storage = l->maxComputeSharedMemorySize,
        .max_invocations = l->maxComputeWorkGroupInvocations,
        .max_workgroups = MAX_WORKGROUPS,
        .max_immediates = least(l->maxPushConstantsSize, 256),
    };
    for (uint32_t i = 0; i < 3; i++) {
        out.max_workgroup_size[i] = l->maxComputeWorkGroupSize[i];
        out.max_workgroups = least(out.max_workgroups, l->maxComputeWorkGroupCount[i]);
    }
    buffer_limits(&out, l);
    return out;
}

/* ---- the adapter ---- */

/* What WGSL's subgroups are made of. */
#define SUBGROUP_NEEDS                                                                  \
    (VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT                       \
     | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT              \
     | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT       \
     | VK_SUBGROUP_FEATURE_QUAD_BIT)

static bool subgroups_do(const Properties *p, bool with_f16, bool extended)
{
    return (p->subgroup.supportedOperations & SUBGROUP_NEEDS) == SUBGROUP_NEEDS
           && p->subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT
           && p->subgroup.subgroupSize >= 4 && p->subgroup.subgroupSize <= 128
           && (!with_f16 || extended);
}

static bool can_broadcast(const Properties *p)
{
    return p->subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT
           && p->subgroup.supportedOperations & VK_SUBGROUP_FEATURE_BALLOT_BIT;
}

static void find_target(GpuAdapter *a, const Properties *p)
{
    const VulkanFeatures *f = &a->features;
    a->target = (SpirvTarget){
        .version = a->version >= VK_API_VERSION_1_2 ? SPIRV_1_4 : SPIRV_1_3,
        .has_f16 = f->float16.shaderFloat16,
        .has_f64 = f->core.features.shaderFloat64,
        .has_storage16 = f->storage16.storageBuffer16BitAccess,
        .has_uniform16 = f->storage16.uniformAndStorageBuffer16BitAccess,
        .has_push16 = f->storage16.storagePushConstant16,
        .has_uniform_standard_layout = f->standard_layout.uniformBufferStandardLayout,
        .has_int_dot = f->dot_product.shaderIntegerDotProduct,
        /* SwiftShader lets each subgroup zero all of the memory, word by word. */
        .has_zero_workgroup = f->zero_init.shaderZeroInitializeWorkgroupMemory
                              && !is_swiftshader(a),
        .robust_storage = f->robust2.robustBufferAccess2,
        .robust_uniform = f->robust2.robustBufferAccess2,
        .keeps_inf_nan16 = p->floats.shaderSignedZeroInfNanPreserveFloat16,
        .keeps_inf_nan32 = p->floats.shaderSignedZeroInfNanPreserveFloat32,
        .keeps_inf_nan64 = p->floats.shaderSignedZeroInfNanPreserveFloat64,
        .rounds_even16 = p->floats.shaderRoundingModeRTEFloat16,
        .row_lanes = is_lavapipe(a) ? p->subgroup.subgroupSize : 0,
        .merges_loads = is_swiftshader(a),
        .reruns_loops = is_swiftshader(a) || is_lavapipe(a),
        .forgets_returns = is_lavapipe(a),
        .unrolls_initializers = is_lavapipe(a),
        .unrolls_nests = is_lavapipe(a),
        .breaks_first = is_lavapipe(a),
        .tests_continue = is_lavapipe(a),
        .loads_by_lane = is_lavapipe(a) && can_broadcast(p),
    };
}

static void find_info(GpuAdapter *a, const Properties *p)
{
    const VulkanFeatures *f = &a->features;
    bool f16 = f->float16.shaderFloat16 && f->storage16.storageBuffer16BitAccess
               && f->storage16.uniformAndStorageBuffer16BitAccess;
    uint64_t memory = largest_heap(a, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT);
    a->max_allocation = p->maintenance3.maxMemoryAllocationSize
                            ? p->maintenance3.maxMemoryAllocationSize : LEAST_ALLOCATION;
    a->info = (GpuAdapterInfo){
        .kind = kind_of(a->properties.deviceType),
        .vendor = vendor_name(a->properties.vendorID), .architecture = "",
        .device = a->device, .description = a->description, .driver = a->driver,
        .vendor_id = a->properties.vendorID, .device_id = a->properties.deviceID,
        .subgroup_min = p->subgroup.subgroupSize, .subgroup_max = p->subgroup.subgroupSize,
        .has_f16 = f16, .has_f64 = f->core.features.shaderFloat64,
        .has_timestamps = a->timestamp_bits && a->properties.limits.timestampPeriod > 0,
        .has_subgroups = subgroups_do(p, f16, f->subgroup_types.shaderSubgroupExtendedTypes),
        .memory = memory ? memory : largest_heap(a, 0),
    };
    a->sizes_vary = f->subgroup_size.subgroupSizeControl && p->sizes.minSubgroupSize >= 4
                    && p->sizes.maxSubgroupSize <= 128
                    && p->sizes.minSubgroupSize < p->sizes.maxSubgroupSize;
    if (a->sizes_vary) {
        a->info.subgroup_min = p->sizes.minSubgroupSize;
        a->info.subgroup_max = p->sizes.maxSubgroupSize;
    }
    a->info.limits = limits_of(a, p);
}

/* Why there can be no device, or NULL. */
static const char *find_unfitness(GpuAdapter *a)
{
    if (a->version < VK_API_VERSION_1_1)
        return "it has Vulkan 1.0, and 1.1 is needed";
    if (!find_family(a))
        return "it has no queue that computes";
    if (!find_extensions(a))
        return "its driver does not say what it can do";
    a->vulkan->GetPhysicalDeviceMemoryProperties(a->physical, &a->memory);
    if (!has_memory_type(a, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
                                | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
        return "none of its memory is within the host's reach";
    return NULL;
}

void vulkan_adapter_init(GpuAdapter *a, const Vulkan *v, VkPhysicalDevice physical)
{
    Properties p;
    *a = (GpuAdapter){.vulkan = v, .physical = physical};
    v->GetPhysicalDeviceProperties(physical, &a->properties);
    a->version = MIN_OF(a->properties.apiVersion, v->version);
    snprintf(a->device, sizeof a->device, "%s", a->properties.deviceName);
    const char *unfit = find_unfitness(a);
    if (unfit) {
        a->info = (GpuAdapterInfo){.unfit = unfit, .kind = kind_of(a->properties.deviceType),
                                   .device = a->device};
        return;
    }
    find_properties(a, &p);
    find_features(a);
    find_words(a, &p);
    find_target(a, &p);
    find_info(a, &p);
    a->shares_memory = a->info.kind != GPU_DISCRETE
                       && has_memory_type(a, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
                                                 | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
                                                 | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}
