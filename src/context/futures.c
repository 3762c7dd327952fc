// SPDX-License-Identifier: Apache-2.0
/*
 * futures.c - waiting for the device: blocking, by futures, by polling; reading buffers.
 *
 * in     work that was submitted
 * out    callbacks on the thread of the context, each exactly once; bytes of buffers
 * knows  futures of webgpu.h: they complete in a wait of this context alone, so that no
 *        callback runs on the thread of another context
 * not    what the work is
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "context/context_priv.h"

/* Something under way: a map of a staging buffer, or the end of all submitted work. */
struct Pending {
    weft_context      *ctx;             /* NULL: the context is gone                   */
    Pending           *next;
    WGPUFuture         future;
    uint64_t           serial;          /* of the first recording that it is not about */
    weft_buffer       *staging;         /* of a read                                   */
    uint64_t           skip, size;      /* bytes before the wanted ones; wanted ones   */
    weft_read_callback on_read;
    weft_done_callback on_done;
    void              *user;
    bool              *finished;        /* of a blocking wait; NULL: not blocking      */
};

/* ---- completion ---- */

static void unlink_pending(Pending *op)
{
    Pending **link = &op->ctx->pending;
    while (*link && *link != op)
        link = &(*link)->next;
    if (*link)
        *link = op->next;
}

static Pending *pending_new(weft_context *ctx)
{
    Pending *op = calloc(1, sizeof *op);
    if (!op) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a future");
        return NULL;
    }
    op->ctx = ctx;
    op->next = ctx->pending;
    ctx->pending = op;
    return op;
}

static void call_back(const Pending *op, bool ok, const void *data)
{
    if (op->on_read)
        op->on_read(op->user, ok, ok ? data : NULL, ok ? op->size : 0);
    if (op->on_done)
        op->on_done(op->user, ok);
}

/* The context may be released in the callback: what it needs is done before. */
static void complete(Pending *op, bool ok, const void *data)
{
    weft_context *ctx = op->ctx;
    weft_buffer  *staging = op->staging;
    unlink_pending(op);
    context_ref(ctx);
    if (!ok)
        context_check_device(ctx);
    call_back(op, ok, data);
    if (op->finished)
        *op->finished = true;
    if (staging) {
        if (data)
            ctx->device->lib.procs.BufferUnmap(staging->gpu);
        weft_buffer_release(staging);
    }
    free(op);
    context_unref(ctx);
}

void futures_drop(weft_context *ctx)
{
    while (ctx->pending) {
        Pending *op = ctx->pending;
        ctx->pending = op->next;
        op->ctx = NULL;                 /* on_map() and on_done() free it */
        context_fail(ctx, WEFT_ERROR_CANCELLED, "the context was released first");
        call_back(op, false, NULL);
        weft_buffer_release(op->staging);
    }
}

/* A lost device tells of it a little later than of the work it was lost with. */
static bool fail_mapping(weft_context *ctx, WGPUStringView message)
{
    for (int ms = 0; ms < 1000 && !atomic_load(&ctx->device->state->lost); ms++) {
        ctx->device->lib.procs.InstanceProcessEvents(ctx->device->lib.instance);
        platform_sleep(1000000);
    }
    if (!context_check_device(ctx))
        return false;
    return context_fail(ctx, WEFT_ERROR_INTERNAL, "a buffer cannot be read: %.*s",
                        message.data ? (int)MIN_OF(message.length, 400) : 0,
                        message.data ? message.data : "");
}

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *user1, void *user2)
{
    Pending *op = user1;
    (void)user2;
    if (!op->ctx) {
        free(op);
        return;
    }
    weft_context *ctx = op->ctx;
    const void   *data = NULL;
    if (status == WGPUMapAsyncStatus_Success)
        data = ctx->device->lib.procs.BufferGetConstMappedRange(
            op->staging->gpu, 0, (size_t)((op->skip + op->size + 3) & ~(uint64_t)3));
    bool ok = data && verdicts_wait(ctx, op->serial);
    if (ok)
        context_bump(ctx, COUNTER_READ, op->size);
    else if (!data)
        fail_mapping(ctx, message);
    complete(op, ok, data ? (const uint8_t *)data + op->skip : NULL);
}

static void on_done(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *user1,
                    void *user2)
{
    Pending *op = user1;
    (void)message;
    (void)user2;
    if (!op->ctx) {
        free(op);
        return;
    }
    bool ok = status == WGPUQueueWorkDoneStatus_Success && verdicts_wait(op->ctx, op->serial)
           && context_check_device(op->ctx);
    complete(op, ok, NULL);
}

/* ---- starting ---- */

static WGPUFuture start_done(weft_context *ctx, Pending *op)
{
    Device *d = ctx->device;
    WGPUQueueWorkDoneCallbackInfo info = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
    info.mode = library_callback_mode(&d->lib);
    info.callback = on_done;
    info.userdata1 = op;
    op->serial = ctx->recorder.serial;
    op->future = d->lib.procs.QueueOnSubmittedWorkDone(d->queue, info);
    return op->future;
}

static WGPUFuture start_map(weft_context *ctx, Pending *op)
{
    Device *d = ctx->device;
    WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    info.mode = library_callback_mode(&d->lib);
    info.callback = on_map;
    info.userdata1 = op;
    op->serial = ctx->recorder.serial;
    op->future = d->lib.procs.BufferMapAsync(op->staging->gpu, WGPUMapMode_Read, 0,
                                             (size_t)((op->skip + op->size + 3) & ~(uint64_t)3),
                                             info);
    return op->future;
}

static bool check_read(weft_buffer *b, uint64_t offset, uint64_t size)
{
    if (!context_need_device(b->ctx))
        return false;
    if (offset > b->size || size > b->size - offset)
        return context_fail(b->ctx, WEFT_ERROR_INVALID,
                            "read: offset %llu and size %llu are beyond the buffer's %llu bytes",
                            (unsigned long long)offset, (unsigned long long)size,
                            (unsigned long long)b->size);
    if (!(b->usage & WGPUBufferUsage_CopySrc))
        return context_fail(b->ctx, WEFT_ERROR_INVALID,
                            "read: the buffer lacks the usage CopySrc");
    return true;
}

/* Copies into a staging buffer, submits, and begins to map it; NULL with the error set. */
static Pending *start_read(weft_buffer *b, uint64_t offset, uint64_t size)
{
    weft_context *ctx = b->ctx;
    uint64_t      skip = offset % 4, whole = (skip + size + 3) & ~(uint64_t)3;
    weft_buffer  *staging = memory_staging(ctx, MAX_OF(whole, 4));
    Pending      *op = staging ? pending_new(ctx) : NULL;
    bool ok = op && (whole == 0 || weft_buffer_copy(staging, 0, b, offset - skip, whole))
           && weft_context_submit(ctx);
    if (!ok) {
        weft_buffer_release(staging);
        if (op)
            unlink_pending(op);
        free(op);
        return NULL;
    }
    context_own_buffer(staging);        /* a read under way keeps no context alive */
    op->staging = staging;
    op->skip = skip;
    op->size = size;
    return op;
}

WGPUFuture weft_buffer_read_async(weft_buffer *buffer, uint64_t offset, uint64_t size,
                                  weft_read_callback callback, void *user)
{
    Pending *op = NULL;
    if (buffer && !callback)
        context_fail(buffer->ctx, WEFT_ERROR_INVALID, "read: the callback is NULL");
    else if (buffer && check_read(buffer, offset, size))
        op = start_read(buffer, offset, size);
    if (!op) {
        if (callback)
            callback(user, false, NULL, 0);
        return (WGPUFuture){0};
    }
    op->on_read = callback;
    op->user = user;
    return start_map(buffer->ctx, op);
}

WGPUFuture weft_context_done_async(weft_context *ctx, weft_done_callback callback, void *user)
{
    Pending *op = NULL;
    if (ctx && !callback)
        context_fail(ctx, WEFT_ERROR_INVALID, "done: the callback is NULL");
    else if (ctx && context_need_device(ctx) && weft_context_submit(ctx))
        op = pending_new(ctx);
    if (!op) {
        if (callback)
            callback(user, false);
        return (WGPUFuture){0};
    }
    op->on_done = callback;
    op->user = user;
    return start_done(ctx, op);
}

/* ---- waiting ---- */

static bool is_pending(const weft_context *ctx, uint64_t id)
{
    for (const Pending *op = ctx->pending; op; op = op->next)
        if (op->future.id == id)
            return true;
    return false;
}

/* Runs callbacks of complete futures, with or without the library's help. */
static void poll_once(weft_context *ctx, WGPUFuture future)
{
    const Library *lib = &ctx->device->lib;
    WGPUFutureWaitInfo wait = {.future = future};
    if (lib->can_wait)
        lib->procs.InstanceWaitAny(lib->instance, 1, &wait, 0);
    else
        lib->procs.InstanceProcessEvents(lib->instance);
}

static bool wait_until(weft_context *ctx, WGPUFuture future, uint64_t until)
{
    const Library *lib = &ctx->device->lib;
    uint64_t       pause = 1000;
    while (is_pending(ctx, future.id)) {
        uint64_t now = clock_ns();
        if (until != CLOCK_NEVER && now >= until) {
            poll_once(ctx, future);
            return !is_pending(ctx, future.id);
        }
        if (lib->can_wait) {
            WGPUFutureWaitInfo wait = {.future = future};
            uint64_t left = until == CLOCK_NEVER ? UINT64_MAX : until - now;
            if (lib->procs.InstanceWaitAny(lib->instance, 1, &wait, left)
                == WGPUWaitStatus_Error)
                return false;
            continue;
        }
        poll_once(ctx, future);
        if (is_pending(ctx, future.id))
            platform_sleep(pause);
        pause = MIN_OF(pause * 5 / 4, 1000000);
    }
    return true;
}

bool weft_context_wait_future(weft_context *ctx, WGPUFuture future, uint64_t timeout_ns)
{
    if (!ctx || !context_need_device(ctx))
        return false;
    if (future.id == 0)
        return context_fail(ctx, WEFT_ERROR_INVALID, "wait: the future is of a failed call");
    if (!is_pending(ctx, future.id))
        return true;
    context_ref(ctx);
    /* No look before the wait: a wait may carry out the work itself, which a look would hand to
     * another thread. */
    uint64_t now = clock_ns();
    uint64_t until = timeout_ns >= UINT64_MAX - now ? CLOCK_NEVER : now + timeout_ns;
    bool     ok = wait_until(ctx, future, until);
    if (!ok)
        context_fail(ctx, WEFT_ERROR_TIMEOUT, "wait: not complete after %llu ns",
                     (unsigned long long)timeout_ns);
    context_unref(ctx);
    return ok;
}

void weft_context_poll(weft_context *ctx)
{
    if (!ctx || !ctx->device)
        return;
    context_ref(ctx);
    for (Pending *op = ctx->pending; op;) {
        Pending   *next = ctx->device->lib.can_wait ? op->next : NULL;
        WGPUFuture future = op->future;
        poll_once(ctx, future);
        /* A callback may have changed the list: start again if one ran. */
        op = is_pending(ctx, future.id) ? next : ctx->pending;
    }
    context_unref(ctx);
}

/* ---- blocking forms ---- */

static void on_probe(void *user, bool ok, const void *data, uint64_t size)
{
    (void)data;
    (void)size;
    *(bool *)user = ok;
}

/* A deadline that passed loses the device, of which the end of the work says nothing; a
 * buffer of a lost device cannot be mapped. */
static bool probe(weft_context *ctx)
{
    bool         ok = false;
    weft_buffer *staging = memory_staging(ctx, 4);
    Pending     *op = staging ? pending_new(ctx) : NULL;
    if (!op) {
        weft_buffer_release(staging);
        return false;
    }
    context_own_buffer(staging);
    *op = (Pending){.ctx = ctx, .next = op->next, .staging = staging, .size = 4,
                    .on_read = on_probe, .user = &ok};
    WGPUFuture future = start_map(ctx, op);
    return wait_until(ctx, future, CLOCK_NEVER) && ok;
}

static void on_wait(void *user, bool ok)
{
    *(bool *)user = ok;
}

bool weft_context_wait(weft_context *ctx)
{
    bool finished = false, ok = false;
    if (!ctx || !context_need_device(ctx) || !weft_context_submit(ctx))
        return false;
    Pending *op = pending_new(ctx);
    if (!op)
        return false;
    op->finished = &finished;
    op->on_done = on_wait;
    op->user = &ok;
    WGPUFuture future = start_done(ctx, op);
    if (!finished && !wait_until(ctx, future, CLOCK_NEVER))
        return context_fail(ctx, WEFT_ERROR_INTERNAL, "the library cannot wait for its work");
    if (ctx->device->deadline && !probe(ctx))
        return false;
    return context_check_device(ctx)
        && (ok || context_fail(ctx, WEFT_ERROR_INTERNAL, "the device did not finish its work"));
}

/* Large reads go in parts, two at a time: while one is copied out, the device copies the next,
 * and the staging buffers stay in the caches. */
#define READ_PART ((uint64_t)4 << 20)
#define READ_DIRECT ((uint64_t)64 << 10)    /* bytes from which no staging buffer is used      */

typedef struct ReadAnswer {
    uint8_t   *out;
    WGPUFuture future;
    bool       begun, ok;
} ReadAnswer;

static void on_blocking_read(void *user, bool ok, const void *data, uint64_t size)
{
    ReadAnswer *a = user;
    if (ok)
        memcpy(a->out, data, (size_t)size);
    a->ok = ok;
}

static bool read_begin(ReadAnswer *a, weft_buffer *b, uint64_t offset, uint64_t size, uint8_t *out)
{
    Pending *op = start_read(b, offset, size);
    *a = (ReadAnswer){.out = out, .begun = op != NULL};
    if (!op)
        return false;
    op->on_read = on_blocking_read;
    op->user = a;
    a->future = start_map(b->ctx, op);
    return true;
}

static bool read_end(ReadAnswer *a, weft_context *ctx)
{
    if (!a->begun)
        return true;
    a->begun = false;
    if (!wait_until(ctx, a->future, CLOCK_NEVER))
        return context_fail(ctx, WEFT_ERROR_INTERNAL, "the library cannot wait for its work");
    return a->ok;
}

static bool read_parts(uint8_t *out, weft_buffer *b, uint64_t offset, uint64_t size)
{
    ReadAnswer answers[2] = {0};
    uint64_t   part = size > 2 * READ_PART ? READ_PART : size;
    bool       ok = true;
    for (uint64_t at = 0, i = 0; ok && at < size; at += part, i++) {
        ok = read_end(&answers[i % 2], b->ctx);
        ok = ok && read_begin(&answers[i % 2], b, offset + at, MIN_OF(part, size - at), out + at);
    }
    for (int i = 0; i < 2; i++)
        ok = read_end(&answers[i], b->ctx) && ok;
    return ok;
}

/* Straight out of the buffer, where its memory is the host's and large enough that this pays.
 * *done: the bytes are there. False on errors. */
static bool read_direct(uint8_t *out, weft_buffer *b, uint64_t offset, uint64_t size, bool *done)
{
    Device *d = b->ctx->device;
    *done = false;
    if (!d->lib.procs.WeftBufferRead || strcmp(d->info.backend, "cpu") != 0 || size < READ_DIRECT)
        return true;
    if (!weft_context_wait(b->ctx))
        return false;
    *done = d->lib.procs.WeftBufferRead(b->gpu, offset, out, (size_t)size) == WGPUStatus_Success;
    if (*done)
        context_bump(b->ctx, COUNTER_READ, size);
    return true;
}

bool weft_buffer_read(void *out, weft_buffer *buffer, uint64_t offset, uint64_t size)
{
    bool done;
    if (!buffer)
        return false;
    if (!out && size)
        return context_fail(buffer->ctx, WEFT_ERROR_INVALID, "read: there is no place for it");
    if (!check_read(buffer, offset, size))
        return false;
    if (!read_direct(out, buffer, offset, size, &done))
        return false;
    return done || size == 0 || read_parts(out, buffer, offset, size);
}
