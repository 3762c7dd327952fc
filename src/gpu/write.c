// SPDX-License-Identifier: Apache-2.0
/*
 * write.c - wgpuQueueWriteBuffer(): data on its way into a buffer; wgpuWeftBufferRead(): out of
 * an idle one.
 *
 * in     data, which is the program's again when the call returns
 * out    bytes in the buffer, or a command among the queue's writes; bytes of the buffer
 * knows  which buffers are idle and within reach of the host
 * not    when the writes are submitted (queue.c)
 *
 * A write goes straight into a buffer that is idle and within reach. Others are
 * collected, with their data, in a batch of their own that goes out before anything
 * else does, or when a thread waits. A long copy into the buffer itself is made
 * without the lock: until it is over, submits that use the buffer and maps of it wait,
 * and so do writes to the same bytes.
 */
#include "gpu/gpu_priv.h"

#define COPY_LOCKED  4096u              /* bytes that are copied under the lock */
#define WRITES_LARGE 65536u             /* bytes that get memory of their own */
#define WRITES_MOST  (16u << 20)        /* bytes that wait for a submit */

static const char *write_fault(Fault *f, WGPUQueue queue, WGPUBuffer buffer, uint64_t offset,
                               const void *data, size_t size)
{
    if (buffer_use_fault(f, buffer, "the buffer", queue->device, WGPUBufferUsage_CopyDst))
        return f->text;
    if (size && !data)
        return fault(f, "the data is NULL with a size of %zu", size);
    if (offset % 4)
        return fault(f, "the offset %llu must be a multiple of 4", (unsigned long long)offset);
    if (size % 4)
        return fault(f, "the size %zu must be a multiple of 4", size);
    if (beyond(offset, size, buffer->size))
        return fault(f, "the offset %llu and the size %zu go beyond the end of the buffer, %llu",
                     (unsigned long long)offset, size, (unsigned long long)buffer->size);
    return NULL;
}

static void writing_begins(WGPUBuffer buffer, Range range)
{
    if (buffer->writing++ == 0)
        buffer->written = range;
    buffer->written.start = MIN_OF(buffer->written.start, range.start);
    buffer->written.end = MAX_OF(buffer->written.end, range.end);
}

/* Waits until no other thread writes to these bytes. With the lock. */
static void wait_for_others(WGPUQueue queue, const struct WGPUBufferImpl *buffer, Range range)
{
    while (buffer->writing && range.start < buffer->written.end
           && buffer->written.start < range.end)
        pthread_cond_wait(&queue->written, &queue->lock);
}

/* Into or out of the buffer itself, which is idle. With the lock, which it gives back for the
 * time of a long copy: of the buffer's `range`. */
static void copy_now(WGPUQueue queue, WGPUBuffer buffer, Range range, void *to, const void *from)
{
    size_t size = (size_t)(range.end - range.start);
    if (size <= COPY_LOCKED) {
        memcpy(to, from, size);
        return;
    }
    writing_begins(buffer, range);
    pthread_mutex_unlock(&queue->lock);
    memcpy(to, from, size);
    pthread_mutex_lock(&queue->lock);
    if (--buffer->writing == 0)
        pthread_cond_broadcast(&queue->written);
}

/* Adds a write to those that wait. With the lock; false: no memory. */
static bool add_write(WGPUQueue queue, WGPUBuffer buffer, uint64_t offset, const void *data,
                      size_t size)
{
    if (!queue->writes) {
        queue->writes = batch_new(queue->device);
        if (!queue->writes)
            return false;
        queue->writes->serial = queue->serial + 1;      /* it will be the next */
    }
    Batch *b = queue->writes;
    if (!batch_use(b, &buffer->base))
        return false;
    GpuCommand *c = batch_command(b, GPU_WRITE);
    if (!c)
        return false;
    c->write.to = buffer->gpu;
    c->write.offset = offset;
    c->write.size = size;
    c->write.data = data;
    b->bytes += size;
    queue_mark(buffer, b);
    return true;
}

/* A small write: its data is copied into the batch. With the lock. */
static bool add_small_write(WGPUQueue queue, WGPUBuffer buffer, uint64_t offset,
                            const void *data, size_t size)
{
    if (!add_write(queue, buffer, offset, NULL, size))
        return false;
    Batch *b = queue->writes;
    void  *copy = batch_alloc(b, size);
    if (!copy) {
        b->ncommands--;
        return false;
    }
    memcpy(copy, data, size);
    b->commands[b->ncommands - 1].write.data = copy;
    return true;
}

static bool add_large_write(WGPUQueue queue, WGPUBuffer buffer, uint64_t offset,
                            void *staging, size_t size)
{
    if (!staging || !add_write(queue, buffer, offset, staging, size))
        return false;
    batch_own(queue->writes, staging);
    return true;
}

/* Does the write one way or another; returns what is wrong. */
static const char *write(WGPUQueue queue, WGPUBuffer buffer, uint64_t offset,
                         const void *data, size_t size, WGPUErrorType *type, bool *full)
{
    const char *why = NULL;
    bool        ok = true;
    void       *staging = NULL;
    Range       range = {offset, offset + size};
    pthread_mutex_lock(&queue->lock);
    wait_for_others(queue, buffer, range);
    const char *state = buffer_unavailable(buffer);
    bool        idle = buffer->data && buffer->last_use <= queue->completed;
    if (!state && !idle && size > WRITES_LARGE) {
        pthread_mutex_unlock(&queue->lock);
        if ((staging = staging_new(size)))
            memcpy(staging, data, size);
        pthread_mutex_lock(&queue->lock);
        wait_for_others(queue, buffer, range);
        state = buffer_unavailable(buffer);
    }
    if (state) {
        why = strcmp(state, "mapped") == 0 ? "the buffer is mapped" : "the buffer is destroyed";
    } else if (size && !device_is_lost(queue->device)) {
        if (idle && !staging)
            copy_now(queue, buffer, range, (char *)buffer->data + offset, data);
        else if (size > WRITES_LARGE)
            ok = add_large_write(queue, buffer, offset, staging, size);
        else
            ok = add_small_write(queue, buffer, offset, data, size);
        if (ok && size > WRITES_LARGE)
            staging = NULL;                 /* the batch's now, or never made */
    }
    *full = queue->writes && queue->writes->bytes >= WRITES_MOST;
    /* What was destroyed while this thread wrote to it has waited for that. */
    WGPUBuffer gone = buffer->destroyed ? buffers_collect(queue, queue->completed) : NULL;
    pthread_mutex_unlock(&queue->lock);
    buffers_unref(gone);
    staging_free(staging);
    if (!ok) {
        *type = WGPUErrorType_OutOfMemory;
        why = "there is no memory for the data";
    }
    return why;
}

void wgpuQueueWriteBuffer(WGPUQueue queue, WGPUBuffer buffer, uint64_t bufferOffset,
                          const void *data, size_t size)
{
    Fault         f;
    WGPUErrorType type = WGPUErrorType_Validation;
    bool          full = false;
    if (!queue)
        return;
    device_notice_fork(queue->device);
    if (device_is_lost(queue->device))
        return;
    const char *why = write_fault(&f, queue, buffer, bufferOffset, data, size);
    if (!why)
        why = write(queue, buffer, bufferOffset, data, size, &type, &full);
    if (full)
        queue_flush(queue);
    if (why) {
        Fault whole;
        char  name[192] = "";
        if (buffer)
            object_name(&buffer->base, name, sizeof name);
        queue_report(queue, type, fault(&whole, "WriteBuffer%s%s: %s", buffer ? " to " : "",
                                        name, why));
    }
}

bool queue_write_staging(WGPUQueue queue, WGPUBuffer buffer, void *staging)
{
    if (!add_write(queue, buffer, 0, staging, buffer->size))
        return false;
    batch_own(queue->writes, staging);
    return true;
}

WGPUStatus wgpuWeftBufferRead(WGPUBuffer buffer, uint64_t offset, void *data, size_t size)
{
    if (!buffer || !buffer->base.valid || (size && !data) ||
        !(buffer->usage & WGPUBufferUsage_CopySrc) || beyond(offset, size, buffer->size))
        return WGPUStatus_Error;
    WGPUQueue queue = &buffer->base.device->queue;
    Range     range = {offset, offset + size};
    pthread_mutex_lock(&queue->lock);
    wait_for_others(queue, buffer, range);
    bool ok = buffer->data && buffer->last_use <= queue->completed &&
              !buffer_unavailable(buffer) && !device_is_lost(queue->device);
    if (ok && size)
        copy_now(queue, buffer, range, data, (const char *)buffer->data + offset);
    WGPUBuffer gone = buffer->destroyed ? buffers_collect(queue, queue->completed) : NULL;
    pthread_mutex_unlock(&queue->lock);
    buffers_unref(gone);
    return ok ? WGPUStatus_Success : WGPUStatus_Error;
}
