// SPDX-License-Identifier: Apache-2.0
/*
 * buffer.c - memory of the device: making it, mapping it, giving it back.
 *
 * in     descriptors, ranges
 * out    buffers; pointers into them while they are mapped
 * knows  WebGPU chapter 5 (buffers); which memory the host can reach
 * not    commands that use buffers
 *
 * A map that is asked for is PENDING until its callback runs, which makes it
 * MAPPED; until then unmapping aborts it. A buffer that is mapped at creation and
 * out of the host's reach, or that could not be made, has staging memory: the
 * program cannot tell.
 */
#include <stdlib.h>

#include "gpu/gpu_priv.h"

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
    char name[192];
    object_name(&buffer->base, name, sizeof name);
    return fault(f, "%s, %s, has no usage %s", what, name, usage_name(usage));
}

const char *buffer_unavailable(WGPUBuffer buffer)
{
    if (buffer->destroyed)
        return "destroyed";
    return buffer->map_state != WGPUBufferMapState_Unmapped ? "mapped" : NULL;
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

/* The end of a map, whoever has it. */
static void forget_map(WGPUBuffer b)
{
    b->map_state = WGPUBufferMapState_Unmapped;
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
    forget_map(b);
}

static void destroy(WGPUBuffer b)
{
    WGPUQueue queue = &b->base.device->queue;
    if (b->destroyed)
        return;
    b->destroyed = true;
    list_remove(queue, b);
    forget_map(b);
    staging_free(b->staging);
    b->staging = NULL;
    if (is_idle(b, queue->completed)) {
        give_memory_back(b);
    } else {
        object_ref(&b->base);
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

static const char *descriptor_fault(Fault *f, const WGPUBufferDescriptor *d,
                                    WGPUDevice device)
{
    const char *why;
    uint64_t    most = device->limits.limits.maxBufferSize;
    if (chain_none_fault(f, "WGPUBufferDescriptor", d->nextInChain)
        || view_fault(f, "the label", d->label))
        return f->text;
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
static bool allocate(WGPUBuffer b)
{
    const uint64_t unit = 16;
    WGPUDevice     device = b->base.device;
    bool mappable = b->usage & (WGPUBufferUsage_MapRead | WGPUBufferUsage_MapWrite);
    uint64_t size = MAX_OF(unit, (b->size + unit - 1) / unit * unit);
    b->gpu = device->backend->buffer_create(device->gpu, size, mappable);
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

WGPUBuffer wgpuDeviceCreateBuffer(WGPUDevice device, const WGPUBufferDescriptor *descriptor)
{
    static const WGPUBufferDescriptor nothing = {0};
    if (!device)
        return NULL;
    Fault       f;
    const WGPUBufferDescriptor *d = descriptor ? descriptor : &nothing;
    const char *why = descriptor ? descriptor_fault(&f, d, device) : "the descriptor is NULL";
    if (why)
        device_fault(device, "buffer", d->label, why);
    WGPUBuffer b = object_new(&buffer_class, sizeof *b, device, d->label);
    if (!b)
        return NULL;
    b->size = d->size;
    b->usage = d->usage;
    b->map_state = WGPUBufferMapState_Unmapped;
    b->base.valid = !why && !device_is_lost(device);
    if (b->base.valid && !allocate(b)) {
        b->base.valid = false;
        object_report(&b->base, WGPUErrorType_OutOfMemory,
                      fault(&f, "there is no memory for %llu bytes",
                            (unsigned long long)d->size));
    }
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

/* ---- mapping ---- */

static void fire_map(Future *f, bool cancelled)
{
    WGPUBuffer  b = (WGPUBuffer)f->object;
    WGPUQueue   queue = &b->base.device->queue;
    int         status = cancelled ? WGPUMapAsyncStatus_CallbackCancelled : f->status;
    const char *message = cancelled ? "the instance was released first" : f->message;
    pthread_mutex_lock(&queue->lock);
    bool mine = b->map_future == f;
    if (mine) {
        b->map_future = NULL;
        forget_map(b);
    }
    if (mine && status == WGPUMapAsyncStatus_Success) {
        b->map_state = WGPUBufferMapState_Mapped;
        b->map_data = b->data;
    }
    pthread_mutex_unlock(&queue->lock);
    if (!mine && status == WGPUMapAsyncStatus_Success) {
        status = WGPUMapAsyncStatus_Aborted;
        message = "the buffer was unmapped before the map was complete";
    }
    f->object = NULL;                       /* nothing of ours is left for the callback */
    object_unref(&b->base);
    f->callback.map((WGPUMapAsyncStatus)status, string_view(message), f->userdata1,
                    f->userdata2);
    if (mine)
        future_unref(f);
}

static const char *map_fault(Fault *f, WGPUBuffer b, WGPUMapMode mode, uint64_t offset,
                             uint64_t size)
{
    if (!b->base.valid)
        return "it is an error object";
    if (b->destroyed)
        return "it is destroyed and cannot be mapped";
    if (mode != WGPUMapMode_Read && mode != WGPUMapMode_Write)
        return fault(f, "the map mode 0x%llx must be Read or Write", (unsigned long long)mode);
    if (mode == WGPUMapMode_Read && !(b->usage & WGPUBufferUsage_MapRead))
        return "to be mapped for reading it needs the usage MapRead";
    if (mode == WGPUMapMode_Write && !(b->usage & WGPUBufferUsage_MapWrite))
        return "to be mapped for writing it needs the usage MapWrite";
    if (offset % 8)
        return fault(f, "the offset %llu of the map must be a multiple of 8",
                     (unsigned long long)offset);
    if (size % 4)
        return fault(f, "the size %llu of the map must be a multiple of 4",
                     (unsigned long long)size);
    if (beyond(offset, size, b->size))
        return fault(f, "a map with the offset %llu and the size %llu goes beyond its end, %llu",
                     (unsigned long long)offset, (unsigned long long)size,
                     (unsigned long long)b->size);
    return NULL;
}

static uint64_t resolve_size(const struct WGPUBufferImpl *b, size_t offset, size_t size)
{
    if (size != WGPU_WHOLE_MAP_SIZE)
        return size;
    return offset < b->size ? b->size - offset : 0;
}

/* Begins the map, with the queue's lock. Returns what is wrong. */
static const char *begin_map(Fault *f, WGPUBuffer b, WGPUMapMode mode, uint64_t offset,
                             uint64_t size, Future *future)
{
    WGPUQueue   queue = &b->base.device->queue;
    const char *why;
    if (b->map_state != WGPUBufferMapState_Unmapped) {
        why = b->map_state == WGPUBufferMapState_Pending ? "a map is already pending"
                                                         : "it is already mapped";
        future_ready(future, WGPUMapAsyncStatus_Error, why);
        return why;
    }
    b->map_state = WGPUBufferMapState_Pending;
    b->map_mode = mode;
    b->map_range = (Range){offset, offset + size};
    b->map_future = future;
    future_ref(future);
    why = map_fault(f, b, mode, offset, size);
    if (device_is_lost(b->base.device))
        future_ready(future, WGPUMapAsyncStatus_Aborted, "the device is lost");
    else if (why)
        future_ready(future, WGPUMapAsyncStatus_Error, why);
    else if (b->last_use <= queue->completed || !queue_wait(queue, b->last_batch, future))
        future_ready(future, WGPUMapAsyncStatus_Success, NULL);
    return why;
}

WGPUFuture wgpuBufferMapAsync(WGPUBuffer buffer, WGPUMapMode mode, size_t offset, size_t size,
                              WGPUBufferMapCallbackInfo callbackInfo)
{
    if (!buffer)
        return (WGPUFuture){0};
    WGPUDevice   device = buffer->base.device;
    WGPUInstance instance = device->instance;
    if (!callback_is_usable(instance, "MapAsync", callbackInfo.mode,
                            callbackInfo.callback != NULL))
        return (WGPUFuture){0};
    Future *f = future_new(instance, callbackInfo.mode, fire_map);
    if (!f)
        return (WGPUFuture){0};
    f->callback.map = callbackInfo.callback;
    f->userdata1 = callbackInfo.userdata1;
    f->userdata2 = callbackInfo.userdata2;
    f->source = &device->queue;
    f->object = &buffer->base;
    object_ref(&buffer->base);
    WGPUFuture  id = future_track(f);
    Fault       room;
    const char *why = chain_none_fault(&room, "WGPUBufferMapCallbackInfo",
                                       callbackInfo.nextInChain);
    if (id.id && why) {
        future_ready(f, WGPUMapAsyncStatus_Error, why);
    } else if (id.id) {
        queue_flush(&device->queue);
        pthread_mutex_lock(&device->queue.lock);
        why = begin_map(&room, buffer, mode, offset, resolve_size(buffer, offset, size), f);
        pthread_mutex_unlock(&device->queue.lock);
    }
    if (why)
        object_report(&buffer->base, WGPUErrorType_Validation, why);
    future_settle(f);
    future_unref(f);
    return id;
}

/* ---- mapped ranges: two lists, sorted, without overlap in each ---- */

/* The number of ranges that start before `end`. */
static uint32_t starting_before(const Ranges *rs, uint64_t end)
{
    uint32_t low = 0, high = rs->len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rs->data[middle].start < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* An empty range inside another one overlaps it; at its edge it does not. */
static bool overlaps(const Ranges *rs, Range r)
{
    uint32_t n = starting_before(rs, r.end);
    return n > 0 && rs->data[n - 1].end > r.start;
}

static bool room_for_one(Ranges *rs)
{
    if (rs->len < rs->cap)
        return true;
    uint32_t cap = rs->cap ? rs->cap * 2 : 4;
    Range   *data = realloc(rs->data, cap * sizeof *data);
    if (!data)
        return false;
    rs->data = data;
    rs->cap = cap;
    return true;
}

/* Adds a range, joined with those it overlaps; false: no memory. */
static bool add_range(Ranges *rs, Range r)
{
    if (!room_for_one(rs))
        return false;
    uint32_t end = starting_before(rs, r.end), start = end;
    while (start > 0 && rs->data[start - 1].end > r.start)
        start--;
    if (start < end) {
        r.start = MIN_OF(r.start, rs->data[start].start);
        r.end = MAX_OF(r.end, rs->data[end - 1].end);
    }
    memmove(&rs->data[start + 1], &rs->data[end], (rs->len - end) * sizeof *rs->data);
    rs->data[start] = r;
    rs->len = rs->len - (end - start) + 1;
    return true;
}

/* With the queue's lock. */
static const char *range_fault(Fault *f, WGPUBuffer b, uint64_t offset, uint64_t size,
                               bool to_write)
{
    if (b->map_state != WGPUBufferMapState_Mapped)
        return "it is not mapped";
    if (to_write && b->map_mode != WGPUMapMode_Write)
        return "it is mapped for reading alone";
    if (offset % 8)
        return fault(f, "the offset %llu of the range must be a multiple of 8",
                     (unsigned long long)offset);
    if (size % 4)
        return fault(f, "the size %llu of the range must be a multiple of 4",
                     (unsigned long long)size);
    if (offset < b->map_range.start || beyond(offset, size, b->map_range.end))
        return fault(f, "the range from %llu of %llu bytes is not within what is mapped, "
                        "%llu to %llu", (unsigned long long)offset, (unsigned long long)size,
                     (unsigned long long)b->map_range.start,
                     (unsigned long long)b->map_range.end);
    Range r = {offset, offset + size};
    if (overlaps(&b->taken, r) || (to_write && overlaps(&b->shown, r)))
        return fault(f, "the range from %llu of %llu bytes overlaps one that was given out",
                     (unsigned long long)offset, (unsigned long long)size);
    return NULL;
}

static void log_range(WGPUBuffer b, const char *function, const char *why)
{
    char name[192];
    object_name(&b->base, name, sizeof name);
    instance_log(b->base.device->instance, "%s: %s: %s", function, name, why);
}

/* The memory of a range; with `keep` it counts as given out. */
static char *find_range(WGPUBuffer b, const char *function, uint64_t offset, uint64_t size,
                        bool to_write, bool keep)
{
    Fault     f;
    WGPUQueue queue = &b->base.device->queue;
    char     *memory = NULL;
    pthread_mutex_lock(&queue->lock);
    const char *why = range_fault(&f, b, offset, size, to_write);
    Range r = {offset, offset + size};
    if (!why && keep && !add_range(to_write ? &b->taken : &b->shown, r))
        why = "out of memory";
    if (!why)
        memory = b->map_data + offset;
    pthread_mutex_unlock(&queue->lock);
    if (why)
        log_range(b, function, why);
    return memory;
}

void *wgpuBufferGetMappedRange(WGPUBuffer buffer, size_t offset, size_t size)
{
    if (!buffer)
        return NULL;
    return find_range(buffer, "GetMappedRange", offset, resolve_size(buffer, offset, size),
                      true, true);
}

const void *wgpuBufferGetConstMappedRange(WGPUBuffer buffer, size_t offset, size_t size)
{
    if (!buffer)
        return NULL;
    return find_range(buffer, "GetConstMappedRange", offset,
                      resolve_size(buffer, offset, size), false, true);
}

WGPUStatus wgpuBufferReadMappedRange(WGPUBuffer buffer, size_t offset, void *data, size_t size)
{
    const char *from = buffer && (data || !size)
        ? find_range(buffer, "ReadMappedRange", offset, size, false, false) : NULL;
    if (from && size)
        memcpy(data, from, size);
    return from ? WGPUStatus_Success : WGPUStatus_Error;
}

WGPUStatus wgpuBufferWriteMappedRange(WGPUBuffer buffer, size_t offset, const void *data,
                                      size_t size)
{
    char *to = buffer && (data || !size)
        ? find_range(buffer, "WriteMappedRange", offset, size, true, false) : NULL;
    if (to && size)
        memcpy(to, data, size);
    return to ? WGPUStatus_Success : WGPUStatus_Error;
}

/* ---- ending ---- */

/* What a program wrote into staging memory is written to the buffer; false: it cannot
 * be. With the queue's lock. */
static bool keep_staging(WGPUBuffer b)
{
    bool  ok = true;
    void *staging = b->staging;
    b->staging = NULL;
    if (!staging)
        return true;
    if (b->base.valid && b->size && !device_is_lost(b->base.device)) {
        ok = queue_write_staging(&b->base.device->queue, b, staging);
        if (ok)
            staging = NULL;             /* the queue's now */
    }
    staging_free(staging);
    return ok;
}

void wgpuBufferUnmap(WGPUBuffer buffer)
{
    if (!buffer)
        return;
    WGPUQueue queue = &buffer->base.device->queue;
    Future   *tell = NULL;
    bool      ok = true;
    pthread_mutex_lock(&queue->lock);
    if (buffer->map_future)
        abort_map(buffer, "the buffer was unmapped before the map was complete", &tell);
    if (buffer->map_state == WGPUBufferMapState_Mapped) {
        forget_map(buffer);
        ok = keep_staging(buffer);
    }
    pthread_mutex_unlock(&queue->lock);
    if (!ok)
        object_report(&buffer->base, WGPUErrorType_OutOfMemory,
                      "there is no memory to unmap it");
    futures_tell(tell, true);
}

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
