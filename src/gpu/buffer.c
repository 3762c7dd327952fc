// SPDX-License-Identifier: Apache-2.0
/*
 * buffer.c - memory of the device: making it, giving it back.
 *
 * in     descriptors
 * out    buffers
 * knows  WebGPU chapter 5 (buffers) but for mapping; when memory is idle
 * not    maps (map.c), commands that use buffers
 *
 * A buffer that is mapped at creation and out of the host's reach, or that could
 * not be made, has staging memory: the program cannot tell.
 */
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define HOST_ALIGN 16u              /* bytes, of the program's memory             */

/* ---- usages ---- */

static const struct {
    WGPUBufferUsage usage;
    const char     *name;
} usages[] = {
    {0x1, "MapRead"}, {0x2, "MapWrite"}, {0x4, "CopySrc"}, {0x8, "CopyDst"},
    {0x10, "Index"}, {0x20, "Vertex"}, {0x40, "Uniform"}, {0x80, "Storage"},
    {0x100, "Indirect"}, {0x200, "QueryResolve"},
};

#define ALL_USAGES UINT64_C(0x3ff)

static const char *usage_name(WGPUBufferUsage usage)
{
    for (size_t i = 0; i < COUNTOF(usages); i++)
        if (usages[i].usage == usage)
            return usages[i].name;
    return "?";
}

const char *buffer_use_fault(Fault *f, WGPUBuffer buffer, const char *what,
                             WGPUDevice device, WGPUBufferUsage usage)
{
    if (object_fault(f, buffer ? &buffer->base : NULL, what, device))
        return f->text;
    if (buffer->usage & usage)
        return NULL;
    char role[ROLE_SIZE];
    return fault(f, "%s has no usage %s", object_role(&buffer->base, what, role),
                 usage_name(usage));
}

const char *buffer_unavailable(WGPUBuffer buffer)
{
    if (buffer->destroyed)
        return "destroyed";
    if (buffer->map_state == WGPUBufferMapState_Unmapped || buffer->map_refused)
        return NULL;
    return "mapped";
}

/* ---- memory, with the queue's lock ---- */

static void list_add(WGPUQueue queue, WGPUBuffer b)
{
    b->next = queue->buffers;
    b->prev = NULL;
    if (b->next)
        b->next->prev = b;
    queue->buffers = b;
    b->listed = true;
}

static void list_remove(WGPUQueue queue, WGPUBuffer b)
{
    if (!b->listed)
        return;
    if (b->prev)
        b->prev->next = b->next;
    else
        queue->buffers = b->next;
    if (b->next)
        b->next->prev = b->prev;
    b->next = b->prev = NULL;
    b->listed = false;
}

static bool is_idle(const struct WGPUBufferImpl *b, uint64_t done)
{
    return b->last_use <= done && b->writing == 0;
}

static void give_memory_back(WGPUBuffer b)
{
    WGPUDevice device = b->base.device;
    if (b->gpu && !b->gpu_gone)
        device->backend->buffer_destroy(device->gpu, b->gpu);
    if (b->host_gone && !b->gpu_gone)
        b->host_gone(b->host_user1, b->host_user2);
    b->gpu_gone = true;
}

WGPUBuffer buffers_collect(WGPUQueue queue, uint64_t done)
{
    WGPUBuffer idle = NULL, *link = &queue->trash;
    while (*link) {
        WGPUBuffer b = *link;
        if (!is_idle(b, done)) {
            link = &b->next;
            continue;
        }
        *link = b->next;
        give_memory_back(b);
        b->next = idle;
        idle = b;
    }
    return idle;
}

void buffers_unref(WGPUBuffer list)
{
    while (list) {
        WGPUBuffer b = list;
        list = b->next;
        object_unref(&b->base);
    }
}

/* Ends a map, pending or not. */
void buffer_forget_map(WGPUBuffer b)
{
    b->map_state = WGPUBufferMapState_Unmapped;
    b->map_refused = false;
    b->map_data = NULL;
    b->taken.len = b->shown.len = 0;
}

static void abort_map(WGPUBuffer b, const char *why, Future **tell)
{
    Future *f = b->map_future;
    future_override(f, WGPUMapAsyncStatus_Aborted, why);
    b->map_future = NULL;
    f->tell_next = *tell;
    *tell = f;
    buffer_forget_map(b);
}

static void destroy(WGPUBuffer b)
{
    WGPUQueue queue = &b->base.device->queue;
    if (b->destroyed)
        return;
    b->destroyed = true;
    list_remove(queue, b);
    buffer_forget_map(b);
    staging_free(b->staging);
    b->staging = NULL;
    if (is_idle(b, queue->completed)) {
        give_memory_back(b);
    } else if (object_try_ref(&b->base)) {      /* else it is freed, memory and all */
        b->next = queue->trash;
        queue->trash = b;
    }
}

void buffer_end(WGPUBuffer b, bool and_destroy, const char *why, Future **tell)
{
    if (b->map_future)
        abort_map(b, why, tell);
    if (and_destroy)
        destroy(b);
}

static void buffer_free(Object *o)
{
    WGPUBuffer b = (WGPUBuffer)o;
    WGPUQueue  queue = &o->device->queue;
    pthread_mutex_lock(&queue->lock);
    list_remove(queue, b);
    pthread_mutex_unlock(&queue->lock);
    give_memory_back(b);
    staging_free(b->staging);
    free(b->taken.data);
    free(b->shown.data);
}

const ObjectClass buffer_class = {"buffer", buffer_free};

/* ---- making one ---- */

static const char *usage_fault(Fault *f, WGPUBufferUsage usage)
{
    if (usage == 0)
        return "the usage is empty";
    if (usage & ~ALL_USAGES)
        return fault(f, "the usage 0x%llx has bits that mean nothing: 0x%llx",
                     (unsigned long long)usage, (unsigned long long)(usage & ~ALL_USAGES));
    if (usage & WGPUBufferUsage_MapRead
        && usage & ~(WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst))
        return "the usage MapRead may only be combined with CopyDst";
    if (usage & WGPUBufferUsage_MapWrite
        && usage & ~(WGPUBufferUsage_MapWrite | WGPUBufferUsage_CopySrc))
        return "the usage MapWrite may only be combined with CopySrc";
    return NULL;
}

/* The program's memory that the chain has, or NULL; *why says what is wrong with the chain. */
static const WGPUWeftHostMemory *find_host(const char **why, Fault *f,
                                           const WGPUBufferDescriptor *d)
{
    static const WGPUSType allowed[] = {WGPUSType_WeftHostMemory};
    const WGPUChainedStruct *found[] = {NULL};
    *why = d->nextInChain ? chain_fault(f, "WGPUBufferDescriptor", d->nextInChain, allowed, 1,
                                        found)
                          : NULL;
    return (const WGPUWeftHostMemory *)(const void *)found[0];
}

static const char *host_fault(Fault *f, const WGPUWeftHostMemory *host, uint64_t size,
                              WGPUDevice device)
{
    if (!device->backend->buffer_wrap)
        return "memory of the program is for the CPU device alone: WGPUWeftHostMemory";
    if (!host->data)
        return "the data of WGPUWeftHostMemory is NULL";
    if ((uintptr_t)host->data % HOST_ALIGN)
        return fault(f, "the data of WGPUWeftHostMemory must be aligned to %u bytes", HOST_ALIGN);
    if (!size || size % 4)
        return fault(f, "size %llu of the program's memory must be a multiple of 4 and not 0",
                     (unsigned long long)size);
    return NULL;
}

static const char *descriptor_fault(Fault *f, const WGPUBufferDescriptor *d,
                                    const WGPUWeftHostMemory *host, WGPUDevice device)
{
    const char *why;
    uint64_t    most = device->limits.limits.maxBufferSize;
    if (view_fault(f, "the label", d->label))
        return f->text;
    if (host && (why = host_fault(f, host, d->size, device)))
        return why;
    if ((why = usage_fault(f, d->usage)))
        return why;
    if (d->size > most)
        return fault(f, "size %llu is above maxBufferSize, %llu", (unsigned long long)d->size,
                     (unsigned long long)most);
    if (d->mappedAtCreation && d->size % 4)
        return fault(f, "size %llu with mappedAtCreation must be a multiple of 4",
                     (unsigned long long)d->size);
    return NULL;
}

/* Device memory for a buffer that is right; false: there is none. */
static bool allocate(WGPUBuffer b, const WGPUWeftHostMemory *host)
{
    const uint64_t unit = 16;
    WGPUDevice     device = b->base.device;
    bool mappable = b->usage & (WGPUBufferUsage_MapRead | WGPUBufferUsage_MapWrite);
    uint64_t size = MAX_OF(unit, (b->size + unit - 1) / unit * unit);
    b->gpu = host ? device->backend->buffer_wrap(device->gpu, host->data, b->size)
                  : device->backend->buffer_create(device->gpu, size, mappable);
    if (!b->gpu)
        return false;
    b->data = device->backend->buffer_data(device->gpu, b->gpu);
    BUG_IF(mappable && !b->data, "a mappable buffer is out of reach");
    pthread_mutex_lock(&device->queue.lock);
    list_add(&device->queue, b);
    pthread_mutex_unlock(&device->queue.lock);
    return true;
}

/* False: there is no memory for the map. */
static bool map_at_creation(WGPUBuffer b)
{
    if (!b->data && !(b->staging = b->size <= SIZE_MAX ? staging_new((size_t)b->size) : NULL))
        return false;
    b->map_state = WGPUBufferMapState_Mapped;
    b->map_mode = WGPUMapMode_Write;
    b->map_range = (Range){0, b->size};
    b->map_data = b->staging ? b->staging : b->data;
    return true;
}

/* The buffer has memory, or is an error that was told. From here on it sees to the callback of
 * the program's memory. */
static void settle(WGPUBuffer b, const WGPUWeftHostMemory *host, const char *why)
{
    Fault f;
    b->base.valid = !why && !device_is_lost(b->base.device);
    if (why)
        object_report(&b->base, WGPUErrorType_Validation, why);
    if (b->base.valid && !allocate(b, host)) {
        b->base.valid = false;
        object_report(&b->base, WGPUErrorType_OutOfMemory,
                      fault(&f, "there is no memory for %llu bytes",
                            (unsigned long long)b->size));
    }
    if (host && host->callback && b->base.valid) {
        b->host_gone = host->callback;
        b->host_user1 = host->userdata1;
        b->host_user2 = host->userdata2;
    } else if (host && host->callback) {
        host->callback(host->userdata1, host->userdata2);
    }
}

WGPUBuffer wgpuDeviceCreateBuffer(WGPUDevice device, const WGPUBufferDescriptor *descriptor)
{
    static const WGPUBufferDescriptor nothing = {0};
    if (!device)
        return NULL;
    device_notice_fork(device);
    Fault       f;
    const WGPUBufferDescriptor *d = descriptor ? descriptor : &nothing;
    const char *why = NULL;
    const WGPUWeftHostMemory *host = find_host(&why, &f, d);
    if (!why)
        why = descriptor ? descriptor_fault(&f, d, host, device) : "the descriptor is NULL";
    WGPUBuffer b = object_new(&buffer_class, sizeof *b, device, d->label);
    if (!b) {
        if (host && host->callback)
            host->callback(host->userdata1, host->userdata2);
        return NULL;
    }
    b->size = d->size;
    b->usage = d->usage;
    b->map_state = WGPUBufferMapState_Unmapped;
    settle(b, host, why);
    if (d->mappedAtCreation && !map_at_creation(b)) {
        instance_log(device->instance, "CreateBuffer: there is no memory to map %llu bytes",
                     (unsigned long long)d->size);
        object_unref(&b->base);
        return NULL;
    }
    return b;
}

OBJECT_FUNCTIONS(Buffer, buffer)

uint64_t wgpuBufferGetSize(WGPUBuffer buffer)
{
    return buffer ? buffer->size : 0;
}

WGPUBufferUsage wgpuBufferGetUsage(WGPUBuffer buffer)
{
    return buffer ? buffer->usage : WGPUBufferUsage_None;
}

WGPUBufferMapState wgpuBufferGetMapState(WGPUBuffer buffer)
{
    if (!buffer)
        return WGPUBufferMapState_Unmapped;
    WGPUQueue queue = &buffer->base.device->queue;
    pthread_mutex_lock(&queue->lock);
    WGPUBufferMapState state = buffer->map_state;
    pthread_mutex_unlock(&queue->lock);
    return state;
}

/* ---- ending ---- */

void wgpuBufferDestroy(WGPUBuffer buffer)
{
    if (!buffer)
        return;
    WGPUQueue queue = &buffer->base.device->queue;
    Future   *tell = NULL;
    pthread_mutex_lock(&queue->lock);
    buffer_end(buffer, true, "the buffer was destroyed before the map was complete", &tell);
    pthread_mutex_unlock(&queue->lock);
    futures_tell(tell, true);
}
