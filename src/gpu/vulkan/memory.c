// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - blocks of device memory, and who has which part of them.
 *
 * in     what a buffer requires, and where it should be
 * out    a part of a block
 * knows  types of memory, how many allocations a driver bears
 * not    buffers
 *
 * Drivers allow few allocations (4096 at the least) and are slow to make them, so
 * small ones share a block. Blocks that the host can reach stay mapped.
 */
#include "gpu/vulkan/vulkan_priv.h"

#include <stdlib.h>

#define BLOCK_SIZE  (UINT64_C(64) << 20)
#define BLOCK_LEAST (UINT64_C(1) << 20)

struct VulkanBlock {
    VulkanBlock   *next;
    VkDeviceMemory memory;
    void          *data;            /* NULL: out of the host's reach              */
    uint32_t       type;
    bool           alone;           /* one part has it all                        */
    Heap           heap;
};

void vulkan_heaps_init(VulkanHeaps *h)
{
    pthread_mutex_init(&h->lock, NULL);
}

static void block_free(GpuDevice *d, VulkanBlock *b)
{
    d->fn.FreeMemory(d->device, b->memory, NULL);
    heap_fini(&b->heap);
    free(b);
}

void vulkan_heaps_fini(GpuDevice *d)
{
    while (d->heaps.blocks) {
        VulkanBlock *b = d->heaps.blocks;
        d->heaps.blocks = b->next;
        block_free(d, b);
    }
    pthread_mutex_destroy(&d->heaps.lock);
}

/* ---- types ---- */

#define LOCAL    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define VISIBLE  (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define CACHED   VK_MEMORY_PROPERTY_HOST_CACHED_BIT
#define NEVER    (VK_MEMORY_PROPERTY_PROTECTED_BIT                                      \
                  | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD                          \
                  | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT)

/* What is wanted, best first; ends with 0, which any type meets. */
static const VkMemoryPropertyFlags shared_wishes[] = {
    LOCAL | VISIBLE | CACHED, LOCAL | VISIBLE, VISIBLE | CACHED, VISIBLE, 0};
static const VkMemoryPropertyFlags device_wishes[] = {LOCAL, 0};
static const VkMemoryPropertyFlags host_wishes[] = {VISIBLE | CACHED, VISIBLE, 0};

static bool suits(const GpuAdapter *a, VulkanPlace place, uint32_t type,
                  VkMemoryPropertyFlags wish)
{
    VkMemoryPropertyFlags has = a->memory.memoryTypes[type].propertyFlags;
    return (has & wish) == wish && !(has & NEVER)
           && (place != PLACE_HOST || (has & VISIBLE) == VISIBLE);
}

/* The types of memory for a place, best first: when the heap of one is full, the next one
 * is to do. Returns how many there are. */
static uint32_t find_types(const GpuAdapter *a, VulkanPlace place, uint32_t bits,
                           uint32_t types[VK_MAX_MEMORY_TYPES])
{
    const VkMemoryPropertyFlags *wish = a->shares_memory ? shared_wishes
                                        : place == PLACE_HOST ? host_wishes : device_wishes;
    uint32_t count = 0;
    for (;; wish++) {
        for (uint32_t i = 0; i < a->memory.memoryTypeCount; i++)
            if (bits & 1u << i && suits(a, place, i, *wish)) {
                types[count++] = i;
                bits &= ~(1u << i);
            }
        if (!*wish)
            return count;
    }
}

/* ---- blocks ---- */

static uint64_t heap_size(const GpuAdapter *a, uint32_t type)
{
    return a->memory.memoryHeaps[a->memory.memoryTypes[type].heapIndex].size;
}

/* Small heaps are not to be used up by one block. */
static uint64_t block_size(const GpuAdapter *a, uint32_t type)
{
    return MAX_OF(MIN_OF(BLOCK_SIZE, heap_size(a, type) / 16), BLOCK_LEAST);
}

/* With the lock. The block is in the list. */
static VkResult block_new(GpuDevice *d, uint32_t type, uint64_t size, VulkanBlock **out)
{
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = size, .memoryTypeIndex = type,
    };
    VkMemoryPropertyFlags has = d->adapter->memory.memoryTypes[type].propertyFlags;
    VulkanBlock *b = calloc(1, sizeof *b);
    if (!b || !heap_init(&b->heap, size)) {
        free(b);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    b->type = type;
    VkResult result = d->fn.AllocateMemory(d->device, &info, NULL, &b->memory);
    if (result == VK_SUCCESS && (has & VISIBLE) == VISIBLE) {
        result = d->fn.MapMemory(d->device, b->memory, 0, VK_WHOLE_SIZE, 0, &b->data);
        if (result != VK_SUCCESS)
            d->fn.FreeMemory(d->device, b->memory, NULL);
    }
    if (result != VK_SUCCESS) {
        heap_fini(&b->heap);
        free(b);
        return result;
    }
    b->next = d->heaps.blocks;
    d->heaps.blocks = b;
    *out = b;
    return VK_SUCCESS;
}

static void part_init(VulkanMemory *out, VulkanBlock *b, uint64_t offset, uint64_t size)
{
    *out = (VulkanMemory){
        .block = b, .offset = offset, .size = size,
        .data = b->data ? (char *)b->data + offset : NULL,
    };
}

/* With the lock. */
static VkResult take(GpuDevice *d, uint32_t type, uint64_t size, uint64_t align,
                     VulkanMemory *out)
{
    uint64_t     offset = 0, usual = block_size(d->adapter, type);
    VulkanBlock *b = NULL;
    bool         alone = size > usual / 2;
    if (size > d->adapter->max_allocation || size > heap_size(d->adapter, type))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    for (VulkanBlock *x = d->heaps.blocks; x && !alone; x = x->next)
        if (x->type == type && !x->alone && heap_take(&x->heap, size, align, &offset)) {
            part_init(out, x, offset, size);
            return VK_SUCCESS;
        }
    VkResult result = block_new(d, type, alone ? size : usual, &b);
    if (result != VK_SUCCESS && !alone) {           /* perhaps there is as much as that */
        alone = true;
        result = block_new(d, type, size, &b);
    }
    if (result != VK_SUCCESS)
        return result;
    b->alone = alone;
    if (!heap_take(&b->heap, size, align, &offset))
        BUG("a new block has no room");
    part_init(out, b, offset, size);
    return VK_SUCCESS;
}

VkResult vulkan_memory_take(GpuDevice *d, VulkanPlace place, const VkMemoryRequirements *need,
                            VulkanMemory *out)
{
    uint32_t types[VK_MAX_MEMORY_TYPES];
    uint32_t count = find_types(d->adapter, place, need->memoryTypeBits, types);
    uint64_t align = MAX_OF(need->alignment, 64);
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (need->size > UINT64_MAX / 2)
        return result;
    pthread_mutex_lock(&d->heaps.lock);
    for (uint32_t i = 0; i < count && result != VK_SUCCESS; i++)
        result = take(d, types[i], (need->size + 63) / 64 * 64, align, out);
    pthread_mutex_unlock(&d->heaps.lock);
    return result;
}

/* Is another block of its type empty? Then this one may go. */
static bool has_spare(const GpuDevice *d, const VulkanBlock *b)
{
    for (const VulkanBlock *x = d->heaps.blocks; x; x = x->next)
        if (x != b && x->type == b->type && !x->alone && x->heap.live == 0)
            return true;
    return false;
}

void vulkan_memory_give(GpuDevice *d, VulkanMemory *m)
{
    VulkanBlock *b = m->block;
    if (!b)
        return;
    pthread_mutex_lock(&d->heaps.lock);
    heap_give(&b->heap, m->offset, m->size);
    bool goes = b->heap.live == 0 && (b->alone || has_spare(d, b));
    for (VulkanBlock **at = &d->heaps.blocks; goes; at = &(*at)->next)
        if (*at == b) {
            *at = b->next;
            break;
        }
    pthread_mutex_unlock(&d->heaps.lock);
    if (goes)
        block_free(d, b);
    *m = (VulkanMemory){0};
}

VkDeviceMemory vulkan_memory_handle(const VulkanMemory *m)
{
    return m->block->memory;
}
