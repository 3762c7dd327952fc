// SPDX-License-Identifier: Apache-2.0
/*
 * vulkan.c - Vulkan as a kind of device: the table of the backend.
 *
 * in     calls of the API through GpuBackend
 * out    calls of the parts (vulkan_priv.h)
 * knows  what must wait while the work of a lost device is under way, and that a program
 *        that ends waits for calls of the driver under way: drivers have static objects
 * not    webgpu.h
 */
#include "gpu/vulkan/vulkan_priv.h"

#include <stdlib.h>

#include "base/exit.h"

static GpuAdapter *vulkan_adapter(uint32_t index)
{
    const Vulkan *v = vulkan_get();
    return index < v->nadapters ? &v->adapters[index] : NULL;
}

static void vulkan_adapter_info(GpuAdapter *a, GpuAdapterInfo *out)
{
    *out = a->info;
}

/* ---- buffers ---- */

static GpuBuffer *vulkan_buffer_create(GpuDevice *d, uint64_t size, bool mappable)
{
    return vulkan_buffer_new(d, size, mappable ? PLACE_HOST : PLACE_DEVICE, true);
}

static void vulkan_buffer_destroy(GpuDevice *d, GpuBuffer *b)
{
    if (!b || !exit_hold())
        return;
    if (!atomic_load(&d->adrift)) {
        vulkan_buffer_free(d, b);
    } else {
        pthread_mutex_lock(&d->grave_lock);
        b->next = d->dead_buffers;
        d->dead_buffers = b;
        pthread_mutex_unlock(&d->grave_lock);
    }
    exit_release();
}

static void *vulkan_buffer_data(GpuDevice *d, GpuBuffer *b)
{
    (void)d;
    return b->memory.data;
}

/* ---- kernels and queries ---- */

static void vulkan_kernel_destroy(GpuDevice *d, GpuKernel *k)
{
    if (!k || !exit_hold())
        return;
    if (!atomic_load(&d->adrift)) {
        pthread_mutex_lock(&d->record_lock);
        vulkan_sets_forget(d, k);
        pthread_mutex_unlock(&d->record_lock);
        vulkan_kernel_free(d, k);
    } else {
        pthread_mutex_lock(&d->grave_lock);
        k->next = d->dead_kernels;
        d->dead_kernels = k;
        pthread_mutex_unlock(&d->grave_lock);
    }
    exit_release();
}

static GpuQueries *vulkan_queries_create(GpuDevice *d, uint32_t count)
{
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = count,
    };
    GpuQueries *q = calloc(1, sizeof *q + count * sizeof q->written[0]);
    if (!q)
        return NULL;
    q->count = count;
    if (d->fn.CreateQueryPool(d->device, &info, NULL, &q->pool) != VK_SUCCESS) {
        free(q);
        return NULL;
    }
    return q;
}

static void vulkan_queries_destroy(GpuDevice *d, GpuQueries *q)
{
    if (!q || !exit_hold())
        return;
    if (!atomic_load(&d->adrift)) {
        d->fn.DestroyQueryPool(d->device, q->pool, NULL);
        free(q);
    } else {
        pthread_mutex_lock(&d->grave_lock);
        q->next = d->dead_queries;
        d->dead_queries = q;
        pthread_mutex_unlock(&d->grave_lock);
    }
    exit_release();
}

const GpuBackend gpu_vulkan_backend = {
    .name = "vulkan",
    .has_hardware = vulkan_has_hardware,
    .adapter = vulkan_adapter,
    .adapter_info = vulkan_adapter_info,
    .device_create = vulkan_device_new,
    .device_destroy = vulkan_device_free,
    .buffer_create = vulkan_buffer_create,
    .buffer_destroy = vulkan_buffer_destroy,
    .buffer_data = vulkan_buffer_data,
    .kernel_create = vulkan_kernel_new,
    .kernel_destroy = vulkan_kernel_destroy,
    .queries_create = vulkan_queries_create,
    .queries_destroy = vulkan_queries_destroy,
    .submit = vulkan_queue_submit,
    .help = vulkan_queue_help,
    .watch = vulkan_queue_watch,
};
