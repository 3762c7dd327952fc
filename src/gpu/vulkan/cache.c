// SPDX-License-Identifier: Apache-2.0
/*
 * cache.c - the driver's pipeline cache, kept on disk.
 *
 * in     the folder that kernels are kept in (compile/folder.h)
 * out    a VkPipelineCache; a file for each driver and device
 * knows  the head that Vulkan puts before every driver's data
 * not    what the driver keeps in it
 *
 * A file that is not exactly as expected is ignored: drivers are not to be trusted with
 * damaged data. It is written when a device ends, if anything was added.
 */
#include "gpu/vulkan/vulkan_priv.h"

#include <stdlib.h>
#include <string.h>

#include "compile/folder.h"

#define MAGIC     0x314b5657u       /* "WVK1" */
#define MAX_CACHE (UINT64_C(32) << 20)

/* Before the driver's data. */
typedef struct FileHead {
    uint32_t magic, version;        /* of the driver                              */
    uint64_t size, checksum;        /* of the driver's data                       */
} FileHead;

static uint64_t file_name(const GpuAdapter *a)
{
    struct { uint32_t magic, vendor, device, version; uint8_t uuid[VK_UUID_SIZE]; } key = {
        MAGIC, a->properties.vendorID, a->properties.deviceID, a->properties.driverVersion, {0}};
    memcpy(key.uuid, a->properties.pipelineCacheUUID, VK_UUID_SIZE);
    return bytes_hash(&key, sizeof key);
}

/* Is it a cache of this very driver and device? */
static bool is_of_driver(const GpuAdapter *a, const void *data, size_t size)
{
    VkPipelineCacheHeaderVersionOne head;
    if (size < sizeof head)
        return false;
    memcpy(&head, data, sizeof head);
    return head.headerSize >= sizeof head && head.headerSize <= size
           && head.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE
           && head.vendorID == a->properties.vendorID && head.deviceID == a->properties.deviceID
           && memcmp(head.pipelineCacheUUID, a->properties.pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

static bool file_is_good(const GpuAdapter *a, const void *bytes, size_t size)
{
    FileHead head;
    if (size < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    const char *data = (const char *)bytes + sizeof head;
    return head.magic == MAGIC && head.version == a->properties.driverVersion
           && head.size == size - sizeof head && head.size <= MAX_CACHE
           && head.checksum == bytes_hash(data, head.size) && is_of_driver(a, data, head.size);
}

static bool folder_of(const GpuDevice *d, CacheFolder *out)
{
    if (d->desc.no_cache || d->desc.no_disk_cache)
        return false;
    folder_init(out, d->cache_folder, FOLDER_LIMIT);
    return out->path != NULL;
}

VkPipelineCache vulkan_cache_open(GpuDevice *d)
{
    CacheFolder     folder = {0};
    VkPipelineCache cache = VK_NULL_HANDLE;
    size_t          size = 0;
    char           *bytes = NULL;
    VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    if (d->desc.no_cache)
        return VK_NULL_HANDLE;
    if (folder_of(d, &folder))
        bytes = folder_read(&folder, file_name(d->adapter), &size);
    if (bytes && file_is_good(d->adapter, bytes, size)) {
        info.pInitialData = bytes + sizeof(FileHead);
        info.initialDataSize = size - sizeof(FileHead);
    }
    if (d->fn.CreatePipelineCache(d->device, &info, NULL, &cache) != VK_SUCCESS)
        cache = VK_NULL_HANDLE;
    else
        d->cache_size = info.initialDataSize;
    free(bytes);
    folder_fini(&folder);
    return cache;
}

/* The file as it is to be; NULL: there is nothing to be written. */
static char *file_make(GpuDevice *d, VkPipelineCache cache, size_t *size)
{
    FileHead head = {.magic = MAGIC, .version = d->adapter->properties.driverVersion};
    size_t   n = 0;
    if (d->fn.GetPipelineCacheData(d->device, cache, &n, NULL) != VK_SUCCESS
        || n > MAX_CACHE || n == d->cache_size)
        return NULL;
    char *bytes = malloc(sizeof head + n);
    if (!bytes)
        return NULL;
    char *data = bytes + sizeof head;
    if (d->fn.GetPipelineCacheData(d->device, cache, &n, data) != VK_SUCCESS
        || !is_of_driver(d->adapter, data, n)) {
        free(bytes);
        return NULL;
    }
    head.size = n;
    head.checksum = bytes_hash(data, n);
    memcpy(bytes, &head, sizeof head);
    *size = sizeof head + n;
    return bytes;
}

void vulkan_cache_close(GpuDevice *d, VkPipelineCache cache)
{
    CacheFolder folder = {0};
    size_t      size = 0;
    if (!cache)
        return;
    if (!atomic_load(&d->lost) && folder_of(d, &folder)) {
        char *bytes = file_make(d, cache, &size);
        if (bytes)
            folder_write(&folder, file_name(d->adapter), bytes, size);
        free(bytes);
    }
    folder_fini(&folder);
    d->fn.DestroyPipelineCache(d->device, cache, NULL);
}
