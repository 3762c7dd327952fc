// SPDX-License-Identifier: Apache-2.0
/*
 * device.c - a device: its beginning, its loss, its end.
 *
 * in     an adapter
 * out    a VkDevice with one queue, and what belongs to it
 * knows  the order in which things begin and end
 * not    what they do
 */
#include "gpu/vulkan/vulkan_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"

/* Devices whose work never ended: all that is theirs stays. */
static pthread_mutex_t adrift_lock = PTHREAD_MUTEX_INITIALIZER;
static GpuDevice      *adrift_devices;

/* ---- loss ---- */

void vulkan_device_lose(GpuDevice *d, const void *tag, const char *fmt, ...)
{
    char    why[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    if (!atomic_exchange(&d->lost, true) && d->desc.lost)
        d->desc.lost(d->desc.lost_user, tag, why);
}

/* ---- end ---- */

static void free_graves(GpuDevice *d)
{
    while (d->dead_kernels) {
        GpuKernel *k = d->dead_kernels;
        d->dead_kernels = k->next;
        vulkan_kernel_free(d, k);
    }
    while (d->dead_queries) {
        GpuQueries *q = d->dead_queries;
        d->dead_queries = q->next;
        d->fn.DestroyQueryPool(d->device, q->pool, NULL);
        free(q);
    }
    while (d->dead_buffers) {
        GpuBuffer *b = d->dead_buffers;
        d->dead_buffers = b->next;
        vulkan_buffer_free(d, b);
    }
}

/* All that is the driver's, if it began that far. */
static void free_driver_objects(GpuDevice *d)
{
    for (uint32_t i = 0; i < HELPER_COUNT; i++)
        vulkan_kernel_free(d, d->helpers[i]);
    free_graves(d);
    vulkan_sets_free(d);
    vulkan_queue_free(d);
    vulkan_cache_close(d, d->cache);
    vulkan_heaps_fini(d);
    d->fn.DestroyDevice(d->device, NULL);
}

static void device_end(GpuDevice *d)
{
    vulkan_queue_end(d);
    vulkan_unlisten(&d->listener);
    if (atomic_load(&d->adrift) && !vulkan_queue_is_idle(d)) {
        pthread_mutex_lock(&adrift_lock);
        d->next = adrift_devices;
        adrift_devices = d;
        pthread_mutex_unlock(&adrift_lock);
        return;
    }
    if (d->device)
        free_driver_objects(d);
    pthread_mutex_destroy(&d->grave_lock);
    pthread_mutex_destroy(&d->record_lock);
    free(d->cache_folder);
    free(d);
}

/* A program that ends meanwhile waits: drivers have static objects. */
void vulkan_device_free(GpuDevice *d)
{
    if (!d || !exit_hold())
        return;
    device_end(d);
    exit_release();
}

/* ---- beginning ---- */

static VkResult open_device(GpuDevice *d)
{
    const GpuAdapter *a = d->adapter;
    static const float priority = 1.0f;
    VulkanFeatures     features = a->features;
    vulkan_features_link(&features, a);
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = a->family, .queueCount = 1, .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features.core,
        .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
        .enabledExtensionCount = a->nextensions, .ppEnabledExtensionNames = a->extensions,
    };
    VkResult result = a->vulkan->CreateDevice(a->physical, &info, NULL, &d->device);
    if (result != VK_SUCCESS) {
        d->device = VK_NULL_HANDLE;
        return result;
    }
    if (!vulkan_device_functions(a->vulkan, d->device, &d->fn)) {
        if (d->fn.DestroyDevice)
            d->fn.DestroyDevice(d->device, NULL);
        d->device = VK_NULL_HANDLE;
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    d->fn.GetDeviceQueue(d->device, a->family, 0, &d->handle);
    return VK_SUCCESS;
}

/* What does not need the driver. */
static GpuDevice *device_shell(GpuAdapter *a, const GpuDeviceDesc *desc)
{
    GpuDevice *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->desc = *desc;
    d->adapter = a;
    d->vulkan = a->vulkan;
    d->cache_folder = desc->cache_folder ? strdup(desc->cache_folder) : NULL;
    d->desc.cache_folder = d->cache_folder;
    pthread_mutex_init(&d->record_lock, NULL);
    pthread_mutex_init(&d->grave_lock, NULL);
    hazards_init(&d->hazards);
    d->listener = (VulkanListener){.log = desc->log, .user = desc->log_user};
    vulkan_listen(&d->listener);
    return d;
}

GpuDevice *vulkan_device_new(GpuAdapter *a, const GpuDeviceDesc *desc, Diag *diag)
{
    exit_prepare();
    GpuDevice *d = device_shell(a, desc);
    VkResult   result = d ? open_device(d) : VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result == VK_SUCCESS) {
        vulkan_heaps_init(&d->heaps);
        d->cache = vulkan_cache_open(d);
        d->sets = vulkan_sets_new();
        if (d->sets && vulkan_queue_start(d))
            return d;
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    diag_add(diag, DIAG_device_refused, (Span){0}, "the Vulkan device '%s' cannot be opened: %s",
             a->device, vulkan_result_text(result));
    vulkan_device_free(d);
    return NULL;
}
