// SPDX-License-Identifier: Apache-2.0
/*
 * pretending_driver.c - a Vulkan driver that claims to be of another machine.
 *
 * in     WEFT_PRETEND: a row of machines.c; WEFT_PRETEND_OVER: the manifest of the driver
 *        that does the work
 * out    that driver with the properties, features, queues and memory of the machine. What
 *        the machine does not have is refused, heaps get full, and new memory holds what
 *        others have left there.
 * knows  the loader's interface to drivers
 *
 * It is below the validation layer, which so takes what it says for the truth.
 */
#include "machines.h"

#include <vulkan/vk_icd.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "reorder.h"

#define PORTABILITY "VK_KHR_portability_subset"
#define GARBAGE     0xa5
#define MOST_FILLED (UINT64_C(4) << 20)     /* bytes of an allocation that hold it */

/* The real functions in front of which there is one of ours. */
#define REAL(X)                                                                        \
    X(GetPhysicalDeviceProperties) X(GetPhysicalDeviceProperties2)                     \
    X(GetPhysicalDeviceFeatures) X(GetPhysicalDeviceFeatures2)                         \
    X(GetPhysicalDeviceQueueFamilyProperties) X(GetPhysicalDeviceQueueFamilyProperties2) \
    X(GetPhysicalDeviceMemoryProperties) X(GetPhysicalDeviceMemoryProperties2)         \
    X(EnumerateDeviceExtensionProperties) X(CreateDevice) X(GetDeviceProcAddr)         \
    X(GetDeviceQueue) X(CreateCommandPool) X(AllocateMemory) X(FreeMemory)             \
    X(MapMemory) X(GetBufferMemoryRequirements) X(CreateShaderModule)                  \
    X(CreateComputePipelines) X(WaitForFences)

static struct {
    PFN_vkGetInstanceProcAddr get;
    PFN_vkNegotiateLoaderICDInterfaceVersion negotiate;
#define X(name) PFN_vk##name name;
    REAL(X)
#undef X
    PFN_vkUnmapMemory UnmapMemory;      /* has none                               */
} real;

static const Machine *m;

/* ---- the driver below ---- */

/* The library that a manifest names; relative names are meant from its folder. */
static void *open_driver(const char *manifest)
{
    char   text[4096], path[4096];
    FILE  *file = manifest ? fopen(manifest, "r") : NULL;
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = '\0';
    const char *key = strstr(text, "\"library_path\""), *colon = key ? strchr(key, ':') : NULL;
    char       *name = colon ? strchr(colon, '"') : NULL;
    char       *end = name ? strchr(name + 1, '"') : NULL;
    if (!end)
        return NULL;
    *end = '\0';
    const char *folder_end = strrchr(manifest, '/');
    int         folder = name[1] == '.' && folder_end ? (int)(folder_end - manifest) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, manifest, name + 1);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *symbol(void *library, const char *name)
{
    return library ? dlsym(library, name) : NULL;
}

static bool open_once(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!m) {
        void *library = open_driver(getenv("WEFT_PRETEND_OVER"));
        void *get = symbol(library, "vk_icdGetInstanceProcAddr");
        void *negotiate = symbol(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
        memcpy(&real.get, &get, sizeof get);
        memcpy(&real.negotiate, &negotiate, sizeof negotiate);
        m = driver_machine_find(getenv("WEFT_PRETEND"));
    }
    pthread_mutex_unlock(&lock);
    return m && real.get;
}

/* ---- features ---- */

static const struct { uint32_t bit; VkStructureType type; size_t at; } features[] = {
#define FEATURE(bit, type, structure, member) \
    {HIDE_##bit, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, offsetof(structure, member)}
    FEATURE(FLOAT16, SHADER_FLOAT16_INT8_FEATURES, VkPhysicalDeviceShaderFloat16Int8Features,
            shaderFloat16),
    FEATURE(FLOAT16, VULKAN_1_2_FEATURES, VkPhysicalDeviceVulkan12Features, shaderFloat16),
    FEATURE(STORAGE16, 16BIT_STORAGE_FEATURES, VkPhysicalDevice16BitStorageFeatures,
            storageBuffer16BitAccess),
    FEATURE(STORAGE16, VULKAN_1_1_FEATURES, VkPhysicalDeviceVulkan11Features,
            storageBuffer16BitAccess),
    FEATURE(UNIFORM16, 16BIT_STORAGE_FEATURES, VkPhysicalDevice16BitStorageFeatures,
            uniformAndStorageBuffer16BitAccess),
    FEATURE(UNIFORM16, VULKAN_1_1_FEATURES, VkPhysicalDeviceVulkan11Features,
            uniformAndStorageBuffer16BitAccess),
    FEATURE(PUSH16, 16BIT_STORAGE_FEATURES, VkPhysicalDevice16BitStorageFeatures,
            storagePushConstant16),
    FEATURE(PUSH16, VULKAN_1_1_FEATURES, VkPhysicalDeviceVulkan11Features, storagePushConstant16),
    FEATURE(SUBGROUP_TYPES, SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES,
            VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures, shaderSubgroupExtendedTypes),
    FEATURE(SUBGROUP_TYPES, VULKAN_1_2_FEATURES, VkPhysicalDeviceVulkan12Features,
            shaderSubgroupExtendedTypes),
    FEATURE(STANDARD_LAYOUT, UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES,
            VkPhysicalDeviceUniformBufferStandardLayoutFeatures, uniformBufferStandardLayout),
    FEATURE(STANDARD_LAYOUT, VULKAN_1_2_FEATURES, VkPhysicalDeviceVulkan12Features,
            uniformBufferStandardLayout),
    FEATURE(ZERO_INIT, ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES,
            VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures,
            shaderZeroInitializeWorkgroupMemory),
    FEATURE(ZERO_INIT, VULKAN_1_3_FEATURES, VkPhysicalDeviceVulkan13Features,
            shaderZeroInitializeWorkgroupMemory),
    FEATURE(DOT, SHADER_INTEGER_DOT_PRODUCT_FEATURES,
            VkPhysicalDeviceShaderIntegerDotProductFeatures, shaderIntegerDotProduct),
    FEATURE(DOT, VULKAN_1_3_FEATURES, VkPhysicalDeviceVulkan13Features, shaderIntegerDotProduct),
    FEATURE(SIZE_CONTROL, SUBGROUP_SIZE_CONTROL_FEATURES,
            VkPhysicalDeviceSubgroupSizeControlFeatures, subgroupSizeControl),
    FEATURE(SIZE_CONTROL, VULKAN_1_3_FEATURES, VkPhysicalDeviceVulkan13Features,
            subgroupSizeControl),
    FEATURE(ROBUST2, ROBUSTNESS_2_FEATURES_EXT, VkPhysicalDeviceRobustness2FeaturesEXT,
            robustBufferAccess2),
#undef FEATURE
};

static VkBool32 *feature_at(void *structure, size_t at)
{
    return (VkBool32 *)(void *)((char *)structure + at);
}

static void hide_core(VkPhysicalDeviceFeatures *f)
{
    if (m->hidden & HIDE_CORE)
        *f = (VkPhysicalDeviceFeatures){.robustBufferAccess = f->robustBufferAccess};
}

static VKAPI_ATTR void VKAPI_CALL my_GetPhysicalDeviceFeatures(VkPhysicalDevice d,
                                                               VkPhysicalDeviceFeatures *f)
{
    real.GetPhysicalDeviceFeatures(d, f);
    hide_core(f);
}

static VKAPI_ATTR void VKAPI_CALL my_GetPhysicalDeviceFeatures2(VkPhysicalDevice d,
                                                                VkPhysicalDeviceFeatures2 *f)
{
    real.GetPhysicalDeviceFeatures2(d, f);
    hide_core(&f->features);
    for (VkBaseOutStructure *s = (void *)f; s; s = s->pNext)
        for (size_t i = 0; i < COUNTOF(features); i++)
            if (s->sType == features[i].type && m->hidden & features[i].bit)
                *feature_at(s, features[i].at) = VK_FALSE;
}

/* Is one enabled that the machine does not have? */
static bool asks_for_hidden(const VkDeviceCreateInfo *info)
{
    bool asks = false;
    for (VkBaseOutStructure *s = (void *)(uintptr_t)info; s; s = s->pNext)
        for (size_t i = 0; i < COUNTOF(features); i++)
            asks |= s->sType == features[i].type && m->hidden & features[i].bit
                    && *feature_at(s, features[i].at);
    return asks;
}

/* ---- properties ---- */

static void change_properties(VkPhysicalDeviceProperties *p)
{
    p->apiVersion = m->version ? m->version : p->apiVersion;
    p->deviceType = m->type ? m->type : p->deviceType;
    if (m->limits)
        m->limits(&p->limits);
    if (m->most_allocations)
        p->limits.maxMemoryAllocationCount = m->most_allocations;
}

static VKAPI_ATTR void VKAPI_CALL my_GetPhysicalDeviceProperties(VkPhysicalDevice d,
                                                                 VkPhysicalDeviceProperties *p)
{
    real.GetPhysicalDeviceProperties(d, p);
    change_properties(p);
}

static void change_subgroups(VkSubgroupFeatureFlags *operations, VkShaderStageFlags *stages)
{
    *operations &= ~m->no_operations;
    if (m->no_subgroups)
        *stages &= ~(VkShaderStageFlags)VK_SHADER_STAGE_COMPUTE_BIT;
}

static VKAPI_ATTR void VKAPI_CALL my_GetPhysicalDeviceProperties2(VkPhysicalDevice d,
                                                                  VkPhysicalDeviceProperties2 *p)
{
    real.GetPhysicalDeviceProperties2(d, p);
    change_properties(&p->properties);
    for (VkBaseOutStructure *s = (void *)p; s; s = s->pNext) {
        VkPhysicalDeviceSubgroupProperties     *subgroup = (void *)s;
        VkPhysicalDeviceMaintenance3Properties *memory = (void *)s;
        VkPhysicalDeviceVulkan11Properties     *both = (void *)s;
        VkPhysicalDeviceSubgroupSizeControlProperties *sizes = (void *)s;
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES
            && m->sizes_vary) {
            sizes->minSubgroupSize = 4;
            sizes->maxSubgroupSize = 64;
        }
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
            change_subgroups(&subgroup->supportedOperations, &subgroup->supportedStages);
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
            change_subgroups(&both->subgroupSupportedOperations, &both->subgroupSupportedStages);
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES
            && m->most_allocation)
            memory->maxMemoryAllocationSize = m->most_allocation;
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES
            && m->most_allocation)
            both->maxMemoryAllocationSize = m->most_allocation;
    }
}

static VKAPI_ATTR void VKAPI_CALL
my_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice d, uint32_t *count,
                                          VkQueueFamilyProperties *list)
{
    if (!m->nfamilies) {
        real.GetPhysicalDeviceQueueFamilyProperties(d, count, list);
        return;
    }
    *count = list ? MIN_OF(*count, m->nfamilies) : m->nfamilies;
    if (list)
        memcpy(list, m->families, *count * sizeof *list);
}

static VKAPI_ATTR void VKAPI_CALL
my_GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice d, uint32_t *count,
                                           VkQueueFamilyProperties2 *list)
{
    if (!m->nfamilies) {
        real.GetPhysicalDeviceQueueFamilyProperties2(d, count, list);
        return;
    }
    *count = list ? MIN_OF(*count, m->nfamilies) : m->nfamilies;
    for (uint32_t i = 0; list && i < *count; i++)
        list[i].queueFamilyProperties = m->families[i];
}

static VKAPI_ATTR VkResult VKAPI_CALL
my_EnumerateDeviceExtensionProperties(VkPhysicalDevice d, const char *layer, uint32_t *count,
                                      VkExtensionProperties *list)
{
    VkExtensionProperties all[512];
    uint32_t              n = COUNTOF(all) - 1, kept = 0;
    VkResult result = real.EnumerateDeviceExtensionProperties(d, layer, &n, all);
    if (result != VK_SUCCESS)
        return result;
    for (uint32_t i = 0; i < n && !m->bare; i++)
        if (!(m->hidden & HIDE_ROBUST2) || strcmp(all[i].extensionName, "VK_EXT_robustness2") != 0)
            all[kept++] = all[i];
    if (m->portability)
        all[kept++] = (VkExtensionProperties){PORTABILITY, 1};
    bool fits = !list || *count >= kept;
    *count = list ? MIN_OF(*count, kept) : kept;
    if (list)
        memcpy(list, all, *count * sizeof *list);
    return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

/* ---- devices and queues: the one below has one family ---- */

static VKAPI_ATTR VkResult VKAPI_CALL
my_CreateDevice(VkPhysicalDevice d, const VkDeviceCreateInfo *info,
                const VkAllocationCallbacks *a, VkDevice *out)
{
    const char        *names[64];
    VkDeviceCreateInfo below = *info;
    VkDeviceQueueCreateInfo queue = info->pQueueCreateInfos[0];
    if (asks_for_hidden(info))
        return VK_ERROR_FEATURE_NOT_PRESENT;
    if (info->queueCreateInfoCount != 1 || info->enabledExtensionCount > COUNTOF(names))
        return VK_ERROR_INITIALIZATION_FAILED;
    if (m->nfamilies)
        queue.queueFamilyIndex = 0;
    below.pQueueCreateInfos = &queue;
    below.ppEnabledExtensionNames = names;
    below.enabledExtensionCount = 0;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (strcmp(info->ppEnabledExtensionNames[i], PORTABILITY) != 0)
            names[below.enabledExtensionCount++] = info->ppEnabledExtensionNames[i];
    return real.CreateDevice(d, &below, a, out);
}

static VKAPI_ATTR void VKAPI_CALL my_GetDeviceQueue(VkDevice d, uint32_t family, uint32_t index,
                                                    VkQueue *out)
{
    real.GetDeviceQueue(d, m->nfamilies ? 0 : family, index, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL
my_CreateCommandPool(VkDevice d, const VkCommandPoolCreateInfo *info,
                     const VkAllocationCallbacks *a, VkCommandPool *out)
{
    VkCommandPoolCreateInfo below = *info;
    if (m->nfamilies)
        below.queueFamilyIndex = 0;
    return real.CreateCommandPool(d, &below, a, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL my_WaitForFences(VkDevice d, uint32_t count,
                                                       const VkFence *fences, VkBool32 all,
                                                       uint64_t timeout)
{
    if (m->unordered)
        reorder_run(d);
    return real.WaitForFences(d, count, fences, all,
                              m->impatient ? MIN_OF(timeout, 1000) : timeout);
}

/* ---- kernels ---- */

static pthread_mutex_t module_lock = PTHREAD_MUTEX_INITIALIZER;
static VkShaderModule  asking[16];      /* the last ones that ask for the size    */
static uint32_t        nasking;

#define OP_DECORATE   71u
#define BUILTIN       11u
#define SUBGROUP_SIZE 36u

/* Does the code ask how many invocations its subgroup has? */
static bool asks_for_size(const uint32_t *words, size_t count)
{
    for (size_t i = 5; i < count && words[i] >> 16; i += words[i] >> 16)
        if ((words[i] & 0xffffu) == OP_DECORATE && i + 3 < count && words[i + 2] == BUILTIN
            && words[i + 3] == SUBGROUP_SIZE)
            return true;
    return false;
}

static VKAPI_ATTR VkResult VKAPI_CALL
my_CreateShaderModule(VkDevice d, const VkShaderModuleCreateInfo *info,
                      const VkAllocationCallbacks *a, VkShaderModule *out)
{
    VkResult result = real.CreateShaderModule(d, info, a, out);
    bool     asks = result == VK_SUCCESS && asks_for_size(info->pCode, info->codeSize / 4);
    pthread_mutex_lock(&module_lock);
    for (uint32_t i = 0; i < COUNTOF(asking); i++)
        if (asking[i] == *out)
            asking[i] = VK_NULL_HANDLE;
    if (asks)
        asking[nasking++ % COUNTOF(asking)] = *out;
    pthread_mutex_unlock(&module_lock);
    return result;
}

/* Where sizes vary, a kernel that does not say it knows is told another one. */
static VKAPI_ATTR VkResult VKAPI_CALL
my_CreateComputePipelines(VkDevice d, VkPipelineCache cache, uint32_t count,
                          const VkComputePipelineCreateInfo *infos,
                          const VkAllocationCallbacks *a, VkPipeline *out)
{
    const VkPipelineShaderStageCreateInfo *stage = &infos[0].stage;
    bool asks = false;
    pthread_mutex_lock(&module_lock);
    for (uint32_t i = 0; i < COUNTOF(asking); i++)
        asks = asks || asking[i] == stage->module;
    pthread_mutex_unlock(&module_lock);
    if (m->sizes_vary && asks
        && !(stage->flags & VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT)) {
        fprintf(stderr, "a kernel asks for the size of its subgroup, and gets another\n");
        abort();
    }
    return real.CreateComputePipelines(d, cache, count, infos, a, out);
}

/* ---- memory: the one below has a type that does for all ---- */

typedef struct Allocation {
    VkDeviceMemory memory;              /* NULL: none                             */
    uint32_t       type;
    uint64_t       size;
} Allocation;

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static Allocation      allocations[4096];
static uint32_t        live;
static uint64_t        used[COUNTOF(((Machine *)0)->heaps)];

static void change_memory(VkPhysicalDeviceMemoryProperties *p)
{
    if (!m->ntypes)
        return;
    *p = (VkPhysicalDeviceMemoryProperties){.memoryTypeCount = m->ntypes,
                                            .memoryHeapCount = m->nheaps};
    memcpy(p->memoryTypes, m->types, m->ntypes * sizeof *m->types);
    for (uint32_t i = 0; i < m->nheaps; i++)
        p->memoryHeaps[i] = (VkMemoryHeap){
            m->heaps[i].size, m->heaps[i].local ? VK_MEMORY_HEAP_DEVICE_LOCAL_BIT : 0};
}

static VKAPI_ATTR void VKAPI_CALL
my_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice d, VkPhysicalDeviceMemoryProperties *p)
{
    real.GetPhysicalDeviceMemoryProperties(d, p);
    change_memory(p);
}

static VKAPI_ATTR void VKAPI_CALL
my_GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice d, VkPhysicalDeviceMemoryProperties2 *p)
{
    real.GetPhysicalDeviceMemoryProperties2(d, p);
    change_memory(&p->memoryProperties);
}

static VKAPI_ATTR void VKAPI_CALL my_GetBufferMemoryRequirements(VkDevice d, VkBuffer b,
                                                                 VkMemoryRequirements *out)
{
    real.GetBufferMemoryRequirements(d, b, out);
    if (m->ntypes)
        out->memoryTypeBits = m->buffer_types ? m->buffer_types : (1u << m->ntypes) - 1;
}

/* New memory is what others have left. */
static void fill(VkDevice d, VkDeviceMemory memory, uint64_t size)
{
    void *data = NULL;
    if (real.MapMemory(d, memory, 0, VK_WHOLE_SIZE, 0, &data) != VK_SUCCESS)
        return;
    memset(data, GARBAGE, (size_t)MIN_OF(size, MOST_FILLED));
    real.UnmapMemory(d, memory);
}

/* With the lock. */
static VkResult refusal(uint32_t type, uint64_t size)
{
    const MachineHeap *heap = m->ntypes ? &m->heaps[m->types[type].heapIndex] : NULL;
    uint64_t           room = heap ? (heap->free ? heap->free : heap->size) : UINT64_MAX;
    if (live >= COUNTOF(allocations) || (m->most_allocations && live >= m->most_allocations))
        return VK_ERROR_TOO_MANY_OBJECTS;
    if (heap && size > room - used[m->types[type].heapIndex])
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
my_AllocateMemory(VkDevice d, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *a,
                  VkDeviceMemory *out)
{
    VkMemoryAllocateInfo below = *info;
    uint32_t             i = 0, type = info->memoryTypeIndex;
    if (m->ntypes)
        below.memoryTypeIndex = 0;
    pthread_mutex_lock(&memory_lock);
    VkResult result = refusal(type, info->allocationSize);
    if (result == VK_SUCCESS)
        result = real.AllocateMemory(d, &below, a, out);
    if (result == VK_SUCCESS) {
        while (allocations[i].memory)
            i++;
        allocations[i] = (Allocation){*out, type, info->allocationSize};
        live++;
        if (m->ntypes)
            used[m->types[type].heapIndex] += info->allocationSize;
        fill(d, *out, info->allocationSize);
    }
    pthread_mutex_unlock(&memory_lock);
    return result;
}

static Allocation *find(VkDeviceMemory memory)
{
    for (uint32_t i = 0; i < COUNTOF(allocations); i++)
        if (memory && allocations[i].memory == memory)
            return &allocations[i];
    return NULL;
}

static VKAPI_ATTR void VKAPI_CALL my_FreeMemory(VkDevice d, VkDeviceMemory memory,
                                                const VkAllocationCallbacks *a)
{
    pthread_mutex_lock(&memory_lock);
    Allocation *x = find(memory);
    if (x) {
        if (m->ntypes)
            used[m->types[x->type].heapIndex] -= x->size;
        *x = (Allocation){0};
        live--;
    }
    real.FreeMemory(d, memory, a);
    pthread_mutex_unlock(&memory_lock);
}

/* Nobody flushes what is not coherent, so nobody may map it. */
static VKAPI_ATTR VkResult VKAPI_CALL
my_MapMemory(VkDevice d, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
             VkMemoryMapFlags flags, void **out)
{
    pthread_mutex_lock(&memory_lock);
    const Allocation *x = find(memory);
    VkMemoryPropertyFlags has = x && m->ntypes ? m->types[x->type].propertyFlags
                                               : VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    pthread_mutex_unlock(&memory_lock);
    if (!(has & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)) {
        fprintf(stderr, "memory is mapped that is not coherent\n");
        abort();
    }
    return real.MapMemory(d, memory, offset, size, flags, out);
}

/* ---- finding ---- */

static PFN_vkVoidFunction front(const char *name, PFN_vkVoidFunction found);

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL my_GetDeviceProcAddr(VkDevice d, const char *name)
{
    PFN_vkVoidFunction found = front(name, real.GetDeviceProcAddr(d, name));
    return m->unordered ? reorder_front(name, found, d, real.GetDeviceProcAddr) : found;
}

/* Extensions have the same functions by longer names. */
static bool is_name(const char *name, const char *plain)
{
    size_t length = strlen(plain);
    return strncmp(name, plain, length) == 0
           && (name[length] == '\0' || strcmp(name + length, "KHR") == 0);
}

static PFN_vkVoidFunction front(const char *name, PFN_vkVoidFunction found)
{
    if (!found)
        return NULL;
#define X(function)                                      \
    if (is_name(name, "vk" #function)) {                 \
        real.function = (PFN_vk##function)found;         \
        return (PFN_vkVoidFunction)my_##function;        \
    }
    REAL(X)
#undef X
    return found;
}

/* What nobody else may ask for. */
static void find_own(VkInstance instance)
{
    front("vkMapMemory", real.get(instance, "vkMapMemory"));
    real.UnmapMemory = (PFN_vkUnmapMemory)real.get(instance, "vkUnmapMemory");
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                   const char *name);
VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                   const char *name)
{
    if (!open_once())
        return NULL;
    if (instance && !real.UnmapMemory)
        find_own(instance);
    return front(name, real.get(instance, name));
}

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    if (!open_once())
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    return real.negotiate ? real.negotiate(version) : VK_SUCCESS;
}
