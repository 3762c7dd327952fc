// SPDX-License-Identifier: Apache-2.0
/*
 * buffer.c - buffers, and memory that is staged for a submit.
 *
 * in     sizes, and where the memory should be
 * out    a VkBuffer with memory behind it
 * knows  that memory of the driver's is not zeroed
 * not    who uses a buffer when (record.c)
 *
 * What the host can reach is zeroed here; the rest by the first command that uses it.
 */
#include "gpu/vulkan/vulkan_priv.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE (UINT64_C(256) << 10)    /* of staged memory, at the least */

#define ALL_USES (VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT    \
                  | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT                                   \
                  | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT                                   \
                  | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT)

GpuBuffer *vulkan_buffer_new(GpuDevice *d, uint64_t size, VulkanPlace place, bool zeroed)
{
    VkMemoryRequirements need;
    if (size > UINT64_MAX / 2)
        return NULL;
    GpuBuffer *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->size = size;
    b->room = (MAX_OF(size, 4) + 15) / 16 * 16;
    b->id = atomic_fetch_add(&d->next_id, 1) + 1;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = b->room, .usage = ALL_USES,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };
    if (d->fn.CreateBuffer(d->device, &info, NULL, &b->handle) != VK_SUCCESS) {
        free(b);
        return NULL;
    }
    d->fn.GetBufferMemoryRequirements(d->device, b->handle, &need);
    if (vulkan_memory_take(d, place, &need, &b->memory) != VK_SUCCESS
        || d->fn.BindBufferMemory(d->device, b->handle, vulkan_memory_handle(&b->memory),
                                  b->memory.offset) != VK_SUCCESS) {
        vulkan_buffer_free(d, b);
        return NULL;
    }
    if (zeroed && b->memory.data)
        memset(b->memory.data, 0, b->room);
    b->unset = zeroed && !b->memory.data;
    return b;
}

void vulkan_buffer_free(GpuDevice *d, GpuBuffer *b)
{
    if (!b)
        return;
    d->fn.DestroyBuffer(d->device, b->handle, NULL);
    vulkan_memory_give(d, &b->memory);
    free(b);
}

/* ---- staging ---- */

bool vulkan_staging_take(GpuDevice *d, VulkanStaging *s, uint64_t size, uint64_t align,
                         VulkanPiece *out)
{
    uint64_t at = (s->used + align - 1) / align * align;
    if (!s->chunks || at > s->chunks->room || size > s->chunks->room - at) {
        GpuBuffer *chunk = vulkan_buffer_new(d, MAX_OF(size, CHUNK_SIZE), PLACE_HOST, false);
        if (!chunk)
            return false;
        chunk->next = s->chunks;
        s->chunks = chunk;
        at = 0;
    }
    s->used = at + size;
    *out = (VulkanPiece){s->chunks, at, (char *)s->chunks->memory.data + at};
    return true;
}

/* Keeps one chunk of the usual size for the next time. */
void vulkan_staging_clear(GpuDevice *d, VulkanStaging *s)
{
    GpuBuffer *kept = NULL;
    while (s->chunks) {
        GpuBuffer *chunk = s->chunks;
        s->chunks = chunk->next;
        if (!kept && chunk->room == CHUNK_SIZE)
            kept = chunk;
        else
            vulkan_buffer_free(d, chunk);
    }
    if (kept)
        kept->next = NULL;
    *s = (VulkanStaging){.chunks = kept};
}
