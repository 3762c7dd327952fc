// SPDX-License-Identifier: Apache-2.0
/*
 * queue.c - carrying command buffers out, and knowing when it is done.
 *
 * in     command buffers
 * out    batches for the backend, in order; futures that complete with them
 * knows  serials: each batch has one, and a buffer remembers the last that uses it
 * not    how anything is recorded or carried out; writes (write.c)
 *
 * submit_lock keeps the order: batches get their serials and go to the backend in
 * one go.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/exit.h"
#include "gpu/gpu_priv.h"

_Static_assert((int)WGPUMapAsyncStatus_Success == (int)WGPUQueueWorkDoneStatus_Success,
               "what waits for a batch ends with one status");

void queue_init(WGPUQueue queue, WGPUDevice device, char *label)
{
    queue->device = device;
    queue->label = label;
    pthread_mutex_init(&queue->submit_lock, NULL);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->written, NULL);
}

void queue_fini(WGPUQueue queue)
{
    BUG_IF(queue->first || queue->writes, "a queue ends with work to do");
    free(queue->label);
    pthread_cond_destroy(&queue->written);
    pthread_mutex_destroy(&queue->lock);
    pthread_mutex_destroy(&queue->submit_lock);
}

void queue_report(WGPUQueue queue, WGPUErrorType type, const char *sentence)
{
    char        name[192];
    WGPUDevice  device = queue->device;
    pthread_mutex_lock(&device->label_lock);
    if (queue->label)
        snprintf(name, sizeof name, "queue '%s'", queue->label);
    else
        snprintf(name, sizeof name, "queue");
    pthread_mutex_unlock(&device->label_lock);
    device_error(device, type, "%s: %s", name, sentence);
}

/* ---- batches ---- */

void queue_mark(WGPUBuffer buffer, Batch *b)
{
    buffer->last_use = b->serial;
    buffer->last_batch = b;
}

static void mark_uses(Batch *b)
{
    for (uint32_t i = 0; i < b->nrefs; i++) {
        Object *o = b->refs[i];
        if (o->class == &buffer_class) {
            queue_mark((WGPUBuffer)o, b);
        } else if (o->class == &bind_group_class) {
            WGPUBindGroup group = (WGPUBindGroup)o;
            for (uint32_t k = 0; k < group->nentries; k++)
                queue_mark(group->entries[k].buffer, b);
        }
    }
}

/* Gives the batch its place. With the lock and submit_lock. */
static void enqueue(WGPUQueue queue, Batch *b)
{
    b->serial = ++queue->serial;
    b->next = NULL;
    if (queue->last)
        queue->last->next = b;
    else
        queue->first = b;
    queue->last = b;
    if (!queue->unsent)
        queue->unsent = b;
    mark_uses(b);
}

/* The last serial that is done once the batch is. */
static uint64_t completed_with(const struct WGPUQueueImpl *queue, const Batch *b)
{
    if (queue->first != b)
        return queue->completed;
    return b->next ? b->serial : queue->serial;
}

/* The batch is complete, and so is what came before it. A backend that loses its
 * device may give up a later batch first; then the last one completes them all. */
static void dequeue(WGPUQueue queue, Batch *b)
{
    Batch   **link = &queue->first, *before = NULL;
    uint64_t  completed = completed_with(queue, b);
    while (*link != b) {
        before = *link;
        link = &before->next;
    }
    *link = b->next;
    if (queue->last == b)
        queue->last = before;
    queue->completed = completed;
}

static void wait_for(Batch *b, Future *f)
{
    future_ref(f);
    f->batch_next = NULL;
    if (b->waiting_last)
        b->waiting_last->batch_next = f;
    else
        b->waiting = f;
    b->waiting_last = f;
}

/* Completes what waits for the batch, and takes it out of the batch: a list by
 * batch_next, with its references, before `rest`. */
static Future *complete_waiting(Batch *b, Future *rest)
{
    Future *first = b->waiting;
    if (!first)
        return rest;
    for (Future *f = first; f; f = f->batch_next)
        future_ready(f, WGPUQueueWorkDoneStatus_Success, NULL);
    b->waiting_last->batch_next = rest;
    b->waiting = b->waiting_last = NULL;
    return first;
}

static void tell_waiting(Future *list, bool user_thread)
{
    while (list) {
        Future *f = list;
        list = f->batch_next;
        future_tell(f, user_thread);
        future_unref(f);
    }
}

/*
 * The backend is done with a batch. All that it held is released before its completion
 * is announced, so that a waiter that then releases everything finds nothing left. The
 * device lives until we return: its backend waits for us.
 */
static void batch_done(void *user)
{
    Batch     *b = user;
    WGPUDevice device = b->device;
    WGPUQueue  queue = &device->queue;
    WGPUBuffer idle;
    batch_drop_refs(b);
    pthread_mutex_lock(&queue->lock);
    while ((idle = buffers_collect(queue, completed_with(queue, b)))) {
        pthread_mutex_unlock(&queue->lock);
        buffers_unref(idle);
        pthread_mutex_lock(&queue->lock);
    }
    dequeue(queue, b);
    bool    last = device_drop_ref(device);
    Future *waiting = complete_waiting(b, NULL);
    pthread_mutex_unlock(&queue->lock);
    batch_recycle(b, device);
    tell_waiting(waiting, false);
    if (last)
        device_reap(device);
}

/* Fills in kernels that were not there when dispatches were recorded; false: one is
 * still not. A batch with one that could not be made does nothing: its pipeline's error
 * was reported, and is one of all that uses it. */
static bool find_kernels(Batch *b)
{
    for (uint32_t i = 0; b->unready && i < b->ncommands; i++) {
        const GpuCommand *c = &b->commands[i];
        if ((c->kind != GPU_DISPATCH && c->kind != GPU_DISPATCH_INDIRECT)
            || c->dispatch.launch->kernel)
            continue;
        const struct WGPUComputePipelineImpl *pipeline = c->dispatch.launch->tag;
        KernelState state = kernel_state(pipeline->kernel);
        if (state == KERNEL_MAKING)
            return false;
        c->dispatch.launch->kernel = pipeline->kernel->gpu;
        b->unready--;
        if (state == KERNEL_FAILED)
            b->ncommands = b->unready = 0;
    }
    return true;
}

static void send(WGPUQueue queue, Batch *b)
{
    WGPUDevice device = queue->device;
    b->submit = (GpuSubmit){.commands = b->commands, .count = b->ncommands,
                            .done = batch_done, .user = b};
    device->backend->submit(device->gpu, &b->submit);
}

/* A program that ends waits for what is held up here as it does for what was sent: what a
 * thread of ours sends while exit() is under way finds a driver that is half gone. */
static void hold_exit(WGPUQueue queue)
{
    bool hold = queue->unsent != NULL;
    if (hold && !queue->holds_exit)
        exit_work_begins();
    if (!hold && queue->holds_exit)
        exit_work_ends();
    queue->holds_exit = hold;
}

/* Sends what has its place in the queue, in order, up to the first that waits for a
 * kernel. With submit_lock. */
static void send_all(WGPUQueue queue)
{
    while (queue->unsent && find_kernels(queue->unsent)) {
        Batch *b = queue->unsent;
        queue->unsent = b->next;            /* once sent, `b` may be gone */
        send(queue, b);
    }
    hold_exit(queue);
}

void queue_resume(WGPUQueue queue)
{
    pthread_mutex_lock(&queue->submit_lock);
    send_all(queue);
    pthread_mutex_unlock(&queue->submit_lock);
}

bool queue_assist(WGPUQueue queue, uint64_t limit)
{
    WGPUDevice device = queue->device;
    return device->backend->help && device->backend->help(device->gpu, limit);
}

bool queue_needs_watch(WGPUQueue queue, WGPUCallbackMode mode)
{
    return mode == WGPUCallbackMode_AllowSpontaneous
           || (mode == WGPUCallbackMode_AllowProcessEvents && !queue->device->backend->help);
}

/* With the lock. */
static void watch(WGPUQueue queue)
{
    WGPUDevice device = queue->device;
    if (device->backend->watch)
        device->backend->watch(device->gpu);
}

/* A backend that is told of work that is done already would take it for work to come, and
 * call a thread for the next. */
void queue_watch(WGPUQueue queue)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->first || queue->writes)
        watch(queue);
    pthread_mutex_unlock(&queue->lock);
}

/* Gives the writes that wait their place in the queue. With both locks. */
static void enqueue_writes(WGPUQueue queue)
{
    Batch *b = queue->writes;
    queue->writes = NULL;
    if (b)
        enqueue(queue, b);
}

void queue_flush(WGPUQueue queue)
{
    pthread_mutex_lock(&queue->submit_lock);
    pthread_mutex_lock(&queue->lock);
    enqueue_writes(queue);
    pthread_mutex_unlock(&queue->lock);
    send_all(queue);
    pthread_mutex_unlock(&queue->submit_lock);
}

/* The same, where there are any, and then takes the lock. */
static void flush_and_lock(WGPUQueue queue)
{
    pthread_mutex_lock(&queue->lock);
    if (!queue->writes)
        return;
    pthread_mutex_unlock(&queue->lock);
    queue_flush(queue);
    pthread_mutex_lock(&queue->lock);
}

/* The writes will not come to pass: what they use waits for what is before them. */
static void forget_writes(WGPUQueue queue, Batch *writes)
{
    for (uint32_t i = 0; writes && i < writes->nrefs; i++) {
        WGPUBuffer buffer = (WGPUBuffer)writes->refs[i];
        if (buffer->last_batch == writes) {
            buffer->last_use = queue->serial;
            buffer->last_batch = queue->last;
        }
    }
}

void queue_lose(WGPUQueue queue, bool user_thread)
{
    Future *maps = NULL, *waiting = NULL;
    pthread_mutex_lock(&queue->lock);
    Batch *writes = queue->writes;
    queue->writes = NULL;
    forget_writes(queue, writes);
    /* The mapped ranges of a device that failed by itself stay valid: the program may be
     * reading them. */
    for (WGPUBuffer b = queue->buffers, next; b; b = next) {
        next = b->next;
        buffer_end(b, user_thread, "the device was lost", &maps);
    }
    for (Batch *b = queue->first; b; b = b->next)
        waiting = complete_waiting(b, waiting);
    WGPUBuffer idle = buffers_collect(queue, queue->completed);
    pthread_mutex_unlock(&queue->lock);
    buffers_unref(idle);
    batch_free(writes);
    futures_tell(maps, user_thread);
    tell_waiting(waiting, user_thread);
}

/* ---- submitting ---- */

static const char *buffer_fault(Fault *f, WGPUBuffer buffer)
{
    char        name[192];
    const char *state = buffer_unavailable(buffer);
    if (!state)
        return NULL;
    object_name(&buffer->base, name, sizeof name);
    return fault(f, "it uses %s, which is %s", name, state);
}

/* Does the host write to something it uses just now? */
static bool is_being_written(const Object *o)
{
    if (o->class == &buffer_class)
        return ((const struct WGPUBufferImpl *)o)->writing;
    bool any = false;
    if (o->class == &bind_group_class) {
        const struct WGPUBindGroupImpl *group = (const struct WGPUBindGroupImpl *)o;
        for (uint32_t i = 0; i < group->nentries; i++)
            any = any || group->entries[i].buffer->writing;
    }
    return any;
}

/* Waits until the host writes to nothing the command buffer uses, which is soon.
 * True: it had to, and gave back the lock meanwhile. */
static bool wait_for_writes(WGPUQueue queue, WGPUCommandBuffer c)
{
    bool waited = false;
    if (!c || c->base.device != queue->device || !c->batch)
        return false;
    for (uint32_t i = 0; c->batch && i < c->batch->nrefs; i++) {
        while (c->batch && is_being_written(c->batch->refs[i])) {
            pthread_cond_wait(&queue->written, &queue->lock);
            waited = true;
        }
    }
    return waited;
}

static const char *use_fault(Fault *f, Object *o)
{
    if (o->class == &buffer_class)
        return buffer_fault(f, (WGPUBuffer)o);
    if (o->class == &bind_group_class) {
        WGPUBindGroup group = (WGPUBindGroup)o;
        for (uint32_t i = 0; i < group->nentries; i++)
            if (buffer_fault(f, group->entries[i].buffer))
                return f->text;
    }
    if (o->class == &query_set_class && ((WGPUQuerySet)o)->destroyed) {
        char name[192];
        object_name(o, name, sizeof name);
        return fault(f, "it uses %s, which is destroyed", name);
    }
    return NULL;
}

static const char *command_buffer_fault(Fault *f, WGPUQueue queue, WGPUCommandBuffer c)
{
    Fault inner;
    char  name[192];
    if (object_fault(f, c ? &c->base : NULL, "a command buffer", queue->device))
        return f->text;
    const char *why = NULL;
    if (c->seen)
        why = "it is there twice";
    else if (!c->batch)
        why = "it was submitted before";
    for (uint32_t i = 0; !why && i < c->batch->nrefs; i++)
        why = use_fault(&inner, c->batch->refs[i]);
    if (!why)
        return NULL;
    object_name(&c->base, name, sizeof name);
    return fault(f, "%s: %s", name, why);
}

/* Looks at all of them; marks show what is there twice. With the lock. */
static const char *submit_fault(Fault *f, WGPUQueue queue, size_t count,
                                const WGPUCommandBuffer *commands)
{
    const char *why = NULL;
    bool        waited;
    do {
        waited = false;
        for (size_t i = 0; i < count; i++)
            waited = wait_for_writes(queue, commands[i]) || waited;
    } while (waited);
    for (size_t i = 0; i < count && !why; i++) {
        why = command_buffer_fault(f, queue, commands[i]);
        if (!why)
            commands[i]->seen = true;
    }
    for (size_t i = 0; i < count; i++)
        if (commands[i] && commands[i]->base.device == queue->device)
            commands[i]->seen = false;
    return why;
}

/* The batches of the command buffers, used up from now on, as a list by `next`. */
static Batch *take_batches(WGPUQueue queue, size_t count, const WGPUCommandBuffer *commands)
{
    Batch *first = NULL, **end = &first;
    for (size_t i = 0; i < count; i++) {
        WGPUCommandBuffer c = commands[i];
        if (!c || c->base.device != queue->device || !c->batch)
            continue;
        *end = c->batch;
        c->batch->next = NULL;
        end = &c->batch->next;
        c->batch = NULL;
    }
    return first;
}

static void free_batches(Batch *list)
{
    while (list) {
        Batch *b = list;
        list = b->next;
        batch_free(b);
    }
}

/* Enqueues those that have commands; returns the others. With the lock. */
static Batch *enqueue_all(WGPUQueue queue, Batch *list)
{
    Batch *empty = NULL;
    while (list) {
        Batch *b = list;
        list = b->next;
        if (b->ncommands) {
            enqueue(queue, b);
        } else {
            b->next = empty;
            empty = b;
        }
    }
    return empty;
}

void wgpuQueueSubmit(WGPUQueue queue, size_t commandCount, const WGPUCommandBuffer *commands)
{
    Fault       f;
    const char *why = NULL;
    if (!queue)
        return;
    if (commandCount && !commands) {
        queue_report(queue, WGPUErrorType_Validation,
                     fault(&f, "commands is NULL with a count of %zu", commandCount));
        return;
    }
    device_notice_fork(queue->device);
    pthread_mutex_lock(&queue->submit_lock);
    pthread_mutex_lock(&queue->lock);
    bool lost = device_is_lost(queue->device);
    if (!lost)
        why = submit_fault(&f, queue, commandCount, commands);
    Batch *rest = take_batches(queue, commandCount, commands);
    if (!lost && !why) {
        enqueue_writes(queue);
        rest = enqueue_all(queue, rest);
    }
    pthread_mutex_unlock(&queue->lock);
    send_all(queue);
    pthread_mutex_unlock(&queue->submit_lock);
    free_batches(rest);
    if (why)
        queue_report(queue, WGPUErrorType_Validation, why);
}

/* ---- knowing when it is done ---- */

static void fire_work_done(Future *f, bool cancelled)
{
    f->callback.work(cancelled ? WGPUQueueWorkDoneStatus_CallbackCancelled
                               : (WGPUQueueWorkDoneStatus)f->status,
                     cancelled ? string_view("the instance was released first")
                               : future_message(f),
                     f->userdata1, f->userdata2);
}

bool queue_wait(WGPUQueue queue, Batch *b, Future *f)
{
    if (!b || b->serial <= queue->completed || device_is_lost(queue->device))
        return false;
    wait_for(b, f);
    if (queue_needs_watch(queue, f->mode))
        watch(queue);
    return true;
}

WGPUFuture wgpuQueueOnSubmittedWorkDone(WGPUQueue queue,
                                        WGPUQueueWorkDoneCallbackInfo callbackInfo)
{
    Fault why;
    if (!queue)
        return (WGPUFuture){0};
    device_notice_fork(queue->device);
    WGPUInstance instance = queue->device->instance;
    if (!callback_is_usable(instance, "OnSubmittedWorkDone", callbackInfo.mode,
                            callbackInfo.callback != NULL))
        return (WGPUFuture){0};
    Future *f = future_new(instance, callbackInfo.mode, fire_work_done);
    if (!f)
        return (WGPUFuture){0};
    f->callback.work = callbackInfo.callback;
    f->userdata1 = callbackInfo.userdata1;
    f->userdata2 = callbackInfo.userdata2;
    f->source = queue;
    bool wrong = chain_none_fault(&why, "WGPUQueueWorkDoneCallbackInfo",
                                  callbackInfo.nextInChain) != NULL;
    WGPUFuture id = future_track(f);
    flush_and_lock(queue);
    if (wrong)
        future_ready(f, WGPUQueueWorkDoneStatus_Error, why.text);
    else if (!queue_wait(queue, queue->last, f))
        future_ready(f, WGPUQueueWorkDoneStatus_Success, NULL);
    pthread_mutex_unlock(&queue->lock);
    future_settle(f);
    future_unref(f);
    return id;
}

/* ---- references: those of the device ---- */

void wgpuQueueAddRef(WGPUQueue queue)
{
    if (queue)
        device_ref(queue->device);
}

void wgpuQueueRelease(WGPUQueue queue)
{
    if (queue)
        device_unref(queue->device);
}

void wgpuQueueSetLabel(WGPUQueue queue, WGPUStringView label)
{
    Fault f;
    if (!queue)
        return;
    const char *why = view_fault(&f, "the new label", label);
    if (why) {
        queue_report(queue, WGPUErrorType_Validation, why);
        return;
    }
    char *copy = label_copy(label);
    pthread_mutex_lock(&queue->device->label_lock);
    char *old = queue->label;
    queue->label = copy;
    pthread_mutex_unlock(&queue->device->label_lock);
    free(old);
}
