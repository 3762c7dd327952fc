// SPDX-License-Identifier: Apache-2.0
/*
 * bind.c - descriptor sets: made, filled and reused.
 *
 * in     a kernel's group, and the buffers bound there
 * out    a descriptor set with these buffers
 * knows  descriptor pools
 * not    commands
 *
 * A set is found again by the kernel, the group and the identities of its buffers, which
 * are never used twice: one whose buffer is gone is never found again, and goes when
 * there are too many.
 */
#include "gpu/vulkan/vulkan_priv.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS     256u
#define MOST_SETS   1024u           /* kept; those under way come on top          */
#define POOL_SETS   64u

typedef struct Pool Pool;
struct Pool {
    Pool            *next;
    VkDescriptorPool handle;
    uint32_t         live;          /* sets                                       */
};

typedef struct Bound {
    uint64_t buffer, offset, size;  /* buffer: its id                             */
} Bound;

typedef struct Set Set;
struct Set {
    Set             *next;          /* in the bucket                              */
    Pool            *pool;
    VkDescriptorSet  handle;
    uint64_t         hash, kernel, serial;
    uint32_t         group, count;
    Bound            bound[];
};

struct VulkanSets {
    Pool    *pools;                 /* the first one has room, or none has        */
    Set     *buckets[BUCKETS];
    uint32_t count;
};

VulkanSets *vulkan_sets_new(void)
{
    return calloc(1, sizeof(VulkanSets));
}

/* ---- keys ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

static uint64_t hash_of(const GpuKernel *k, uint32_t group, const GpuBinding *const *bindings,
                        uint32_t count)
{
    uint64_t h = mix(k->id, group);
    for (uint32_t i = 0; i < count; i++) {
        h = mix(h, bindings[i]->buffer->id);
        h = mix(mix(h, bindings[i]->offset), bindings[i]->size);
    }
    return h;
}

static bool is_same(const Set *s, uint64_t hash, const GpuKernel *k, uint32_t group,
                    const GpuBinding *const *bindings, uint32_t count)
{
    if (s->hash != hash || s->kernel != k->id || s->group != group || s->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (s->bound[i].buffer != bindings[i]->buffer->id
            || s->bound[i].offset != bindings[i]->offset || s->bound[i].size != bindings[i]->size)
            return false;
    return true;
}

/* ---- pools ---- */

static VkResult pool_new(GpuDevice *d, uint32_t descriptors)
{
    VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MAX_OF(POOL_SETS * 4, descriptors)},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MAX_OF(POOL_SETS * 2, descriptors)},
    };
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
        .maxSets = POOL_SETS, .poolSizeCount = COUNTOF(sizes), .pPoolSizes = sizes,
    };
    Pool *p = calloc(1, sizeof *p);
    if (!p)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = d->fn.CreateDescriptorPool(d->device, &info, NULL, &p->handle);
    if (result != VK_SUCCESS) {
        free(p);
        return result;
    }
    p->next = d->sets->pools;
    d->sets->pools = p;
    return VK_SUCCESS;
}

static VkResult allocate(GpuDevice *d, VkDescriptorSetLayout layout, Pool *p,
                         VkDescriptorSet *out)
{
    VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = p->handle, .descriptorSetCount = 1, .pSetLayouts = &layout,
    };
    return d->fn.AllocateDescriptorSets(d->device, &info, out);
}

/* From a pool that has room, or from a new one. */
static VkResult set_handle(GpuDevice *d, VkDescriptorSetLayout layout, Set *s)
{
    for (Pool *p = d->sets->pools; p; p = p->next) {
        if (p->live >= POOL_SETS)
            continue;
        VkResult result = allocate(d, layout, p, &s->handle);
        if (result == VK_SUCCESS) {
            s->pool = p;
            p->live++;
            return result;
        }
        if (result != VK_ERROR_OUT_OF_POOL_MEMORY && result != VK_ERROR_FRAGMENTED_POOL)
            return result;
    }
    VkResult result = pool_new(d, s->count);
    if (result == VK_SUCCESS)
        result = allocate(d, layout, d->sets->pools, &s->handle);
    if (result == VK_SUCCESS) {
        s->pool = d->sets->pools;
        s->pool->live++;
    }
    return result;
}

static void set_free(GpuDevice *d, Set *s)
{
    if (s->pool) {
        d->fn.FreeDescriptorSets(d->device, s->pool->handle, 1, &s->handle);
        s->pool->live--;
    }
    d->sets->count--;
    free(s);
}

/* ---- letting go ---- */

typedef bool Unwanted(const Set *s, const void *context);

static void drop(GpuDevice *d, Unwanted *unwanted, const void *context)
{
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (Set **at = &d->sets->buckets[i]; *at;) {
            Set *s = *at;
            if (!unwanted(s, context)) {
                at = &s->next;
                continue;
            }
            *at = s->next;
            set_free(d, s);
        }
}

static bool is_of_kernel(const Set *s, const void *kernel)
{
    return s->kernel == ((const GpuKernel *)kernel)->id;
}

void vulkan_sets_forget(GpuDevice *d, const GpuKernel *k)
{
    if (d->sets)
        drop(d, is_of_kernel, k);
}

static bool is_older(const Set *s, const void *serial)
{
    return s->serial < *(const uint64_t *)serial;
}

/* Lets about half of those go that are complete: the ones not used for longest, as
 * submits come at an even pace. */
static void make_room(GpuDevice *d)
{
    uint64_t completed = atomic_load(&d->queue.completed), oldest = completed;
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (const Set *s = d->sets->buckets[i]; s; s = s->next)
            oldest = MIN_OF(oldest, s->serial);
    uint64_t limit = oldest + (completed - oldest) / 2 + 1;
    drop(d, is_older, &limit);
}

void vulkan_sets_free(GpuDevice *d)
{
    const uint64_t all = UINT64_MAX;
    if (!d->sets)
        return;
    drop(d, is_older, &all);
    while (d->sets->pools) {
        Pool *p = d->sets->pools;
        d->sets->pools = p->next;
        d->fn.DestroyDescriptorPool(d->device, p->handle, NULL);
        free(p);
    }
    free(d->sets);
    d->sets = NULL;
}

/* ---- finding ---- */

static VkDescriptorType type_of(VulkanSlotKind kind)
{
    return kind == SLOT_UNIFORM ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                    : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

/* The kernel's bindings of a group, of which there are *count. */
static const VulkanBinding *group_bindings(const GpuKernel *k, uint32_t group, uint32_t *count)
{
    uint32_t first = 0, end;
    while (first < k->nbindings && k->bindings[first].group != group)
        first++;
    for (end = first; end < k->nbindings && k->bindings[end].group == group; end++)
        ;
    *count = end - first;
    return k->bindings + first;
}

#define WRITE_AT_ONCE 16u

static void fill(GpuDevice *d, const Set *s, const VulkanBinding *slots,
                 const GpuBinding *const *bindings)
{
    VkDescriptorBufferInfo buffers[WRITE_AT_ONCE];
    VkWriteDescriptorSet   writes[WRITE_AT_ONCE];
    for (uint32_t from = 0; from < s->count; from += WRITE_AT_ONCE) {
        uint32_t n = MIN_OF(s->count - from, WRITE_AT_ONCE);
        for (uint32_t i = 0; i < n; i++) {
            const GpuBinding *b = bindings[from + i];
            buffers[i] = (VkDescriptorBufferInfo){b->buffer->handle, b->offset, b->size};
            writes[i] = (VkWriteDescriptorSet){
                .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = s->handle,
                .dstBinding = slots[from + i].binding, .descriptorCount = 1,
                .descriptorType = type_of(slots[from + i].kind), .pBufferInfo = &buffers[i],
            };
        }
        d->fn.UpdateDescriptorSets(d->device, n, writes, 0, NULL);
    }
}

VkResult vulkan_sets_get(GpuDevice *d, const GpuKernel *k, uint32_t group,
                         const GpuBinding *const *bindings, uint64_t serial,
                         VkDescriptorSet *out)
{
    uint32_t count = 0;
    const VulkanBinding *slots = group_bindings(k, group, &count);
    uint64_t hash = hash_of(k, group, bindings, count);
    for (Set *s = d->sets->buckets[hash % BUCKETS]; s; s = s->next)
        if (is_same(s, hash, k, group, bindings, count)) {
            s->serial = serial;
            *out = s->handle;
            return VK_SUCCESS;
        }
    if (d->sets->count >= MOST_SETS)
        make_room(d);
    Set *s = calloc(1, sizeof *s + count * sizeof s->bound[0]);
    if (!s)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    d->sets->count++;
    s->hash = hash;
    s->kernel = k->id;
    s->serial = serial;
    s->group = group;
    s->count = count;
    for (uint32_t i = 0; i < count; i++)
        s->bound[i] = (Bound){bindings[i]->buffer->id, bindings[i]->offset, bindings[i]->size};
    VkResult result = set_handle(d, k->sets[group], s);
    if (result != VK_SUCCESS) {
        set_free(d, s);
        return result;
    }
    fill(d, s, slots, bindings);
    s->next = d->sets->buckets[hash % BUCKETS];
    d->sets->buckets[hash % BUCKETS] = s;
    *out = s->handle;
    return VK_SUCCESS;
}
