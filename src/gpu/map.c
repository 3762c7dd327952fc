// SPDX-License-Identifier: Apache-2.0
/*
 * map.c - buffers mapped: asking for it, reading and writing, ending it.
 *
 * in     ranges of buffers
 * out    a callback when the queue is done with the buffer; pointers into it
 * knows  WebGPU 5.2 (buffer mapping), which ranges were given out
 * not    who uses buffers, and until when (queue.c)
 *
 * A map that is asked for is PENDING until its callback runs, which makes it
 * MAPPED; until then unmapping aborts it. One that was wrong is PENDING until its
 * callback has said so, and the queue may use the buffer meanwhile.
 */
#include <stdlib.h>

#include "gpu/gpu_priv.h"

/* ---- asking ---- */

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
        buffer_forget_map(b);
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
    b->map_refused = why != NULL;
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
    device_notice_fork(device);
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
        WGPUQueue queue = &device->queue;
        pthread_mutex_lock(&queue->lock);
        while (buffer->writing)             /* by other threads, and soon over */
            pthread_cond_wait(&queue->written, &queue->lock);
        why = begin_map(&room, buffer, mode, offset, resolve_size(buffer, offset, size), f);
        bool writes = queue->writes != NULL;
        device_ref(device);                 /* a callback may release it meanwhile */
        pthread_mutex_unlock(&queue->lock);
        if (writes) {                       /* the map may wait for one of these */
            queue_flush(queue);
            if (queue_needs_watch(queue, callbackInfo.mode))
                queue_watch(queue);
        }
        device_unref(device);
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
    buffer_end(buffer, false, "the buffer was unmapped before the map was complete", &tell);
    if (buffer->map_state == WGPUBufferMapState_Mapped) {
        buffer_forget_map(buffer);
        ok = keep_staging(buffer);
    }
    pthread_mutex_unlock(&queue->lock);
    if (!ok)
        object_report(&buffer->base, WGPUErrorType_OutOfMemory,
                      "there is no memory to unmap it");
    futures_tell(tell, true);
}
