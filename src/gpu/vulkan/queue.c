// SPDX-License-Identifier: Apache-2.0
/*
 * queue.c - submits, and the thread that waits for them.
 *
 * in     command lists
 * out    their effects, in order; `done` of each
 * knows  fences, the deadline
 * not    how commands are recorded (record.c)
 *
 * A submit is recorded and given to the driver by the thread that calls; the queue's own
 * thread, or one that waits anyway, waits for the fences in order and says what is done.
 * Waking a thread costs more than an empty dispatch: the queue's own thread is woken for
 * completions that a callback wants and no thread waits for, and some time after a submit
 * for all others.
 * With a deadline each dispatch is a flight of its own, so that its time can be told, and
 * what was too long has a name. Nothing stops a dispatch on a GPU: a device whose deadline
 * has passed is lost and adrift. Nothing of it is freed until its work has ended after
 * all; if it does not, never.
 */
#include "gpu/vulkan/vulkan_priv.h"

#include <stdlib.h>

#include "base/exit.h"

#define MOST_SPARE   16u
#define GRACE        5000000u       /* ns in which others may wait for a flight   */
#define GLANCES      10u            /* at a fence, before the thread sleeps       */
#define GLANCE_EVERY 500u           /* ns                                         */
#define LAST_CHANCE  50000000u      /* ns that overdue work is waited for at the end */

/* ---- flights ---- */

static void flight_free(GpuDevice *d, VulkanFlight *f)
{
    if (!f)
        return;
    while (f->staging.chunks) {
        GpuBuffer *chunk = f->staging.chunks;
        f->staging.chunks = chunk->next;
        vulkan_buffer_free(d, chunk);
    }
    d->fn.DestroyFence(d->device, f->fence, NULL);
    d->fn.DestroyCommandPool(d->device, f->pool, NULL);
    free(f);
}

static VulkanFlight *flight_new(GpuDevice *d, VkResult *result)
{
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = d->adapter->family,
    };
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VulkanFlight *f = calloc(1, sizeof *f);
    *result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (!f)
        return NULL;
    *result = d->fn.CreateCommandPool(d->device, &pool, NULL, &f->pool);
    VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = f->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1,
    };
    if (*result == VK_SUCCESS)
        *result = d->fn.AllocateCommandBuffers(d->device, &buffer, &f->commands);
    if (*result == VK_SUCCESS)
        *result = d->fn.CreateFence(d->device, &fence, NULL, &f->fence);
    if (*result == VK_SUCCESS)
        return f;
    flight_free(d, f);
    return NULL;
}

/* One that is to be used again; NULL: there is none. With the lock. */
static VulkanFlight *spare_take(VulkanQueue *q)
{
    VulkanFlight *f = q->spare;
    if (f) {
        q->spare = f->next;
        q->nspare--;
    }
    return f;
}

/* A spare one, or a new one in place of NULL, begins to be recorded. NULL with *result. */
static VulkanFlight *flight_begin(GpuDevice *d, VulkanFlight *f, VkResult *result)
{
    static const VkCommandBufferBeginInfo once = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    *result = VK_SUCCESS;
    if (f)
        *result = d->fn.ResetCommandPool(d->device, f->pool, 0);
    if (f && *result == VK_SUCCESS)
        *result = d->fn.ResetFences(d->device, 1, &f->fence);
    if (!f)
        f = flight_new(d, result);
    if (*result == VK_SUCCESS)
        *result = d->fn.BeginCommandBuffer(f->commands, &once);
    if (*result == VK_SUCCESS)
        return f;
    flight_free(d, f);
    return NULL;
}

/* One that is empty and being recorded. With record_lock. NULL with *result. */
static VulkanFlight *flight_take(GpuDevice *d, VkResult *result)
{
    VulkanQueue  *q = &d->queue;
    VulkanFlight *f = q->ready;
    q->ready = NULL;
    if (f)
        return f;
    pthread_mutex_lock(&q->lock);
    f = spare_take(q);
    pthread_mutex_unlock(&q->lock);
    return flight_begin(d, f, result);
}

/* It is complete, or was never sent: what it had is free again. */
static void flight_clear(GpuDevice *d, VulkanFlight *f)
{
    if (f->staging.chunks && exit_hold()) {
        vulkan_staging_clear(d, &f->staging);
        exit_release();
    }
    *f = (VulkanFlight){.pool = f->pool, .commands = f->commands, .fence = f->fence,
                        .staging = f->staging};
}

/* Keeps a clear one for later; false: there are enough of them, or it was never more than
 * an end. With the lock. */
static bool spare_give(VulkanQueue *q, VulkanFlight *f)
{
    if (!f->fence || q->nspare >= MOST_SPARE)
        return false;
    f->next = q->spare;
    q->spare = f;
    q->nspare++;
    return true;
}

/* One that is not kept. */
static void flight_drop(GpuDevice *d, VulkanFlight *f)
{
    if (!f->fence) {
        free(f);
    } else if (exit_hold()) {
        flight_free(d, f);
        exit_release();
    }
}

/* One that was never sent. */
static void flight_give(GpuDevice *d, VulkanFlight *f)
{
    VulkanQueue *q = &d->queue;
    flight_clear(d, f);
    pthread_mutex_lock(&q->lock);
    bool kept = spare_give(q, f);
    pthread_mutex_unlock(&q->lock);
    if (!kept)
        flight_drop(d, f);
}

/* ---- submitting ---- */

static VkResult send(GpuDevice *d, VulkanFlight *f)
{
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1, .pCommandBuffers = &f->commands,
    };
    return d->fn.QueueSubmit(d->handle, 1, &info, f->fence);
}

/* For all that was sent so far. With the lock. */
static void call_now(VulkanQueue *q)
{
    q->call = CALL_NOW;
    q->called_for = q->sent;
}

/* Waking a thread takes longer than an empty dispatch: it is woken at once only for
 * completions that a callback wants and no thread waits for. Also takes a spare flight if
 * `spare` is not NULL. */
static void enqueue(GpuDevice *d, VulkanFlight *f, VulkanFlight **spare)
{
    VulkanQueue *q = &d->queue;
    pthread_mutex_lock(&q->lock);
    f->next = NULL;
    *q->last = f;
    q->last = &f->next;
    VulkanCall before = q->call;
    q->sent = f->serial;
    if (q->awaited || d->desc.deadline)
        call_now(q);
    else
        q->call = MAX_OF(before, CALL_LATER);
    q->awaited = false;
    bool wake = q->call != before;
    if (spare)
        *spare = spare_take(q);
    pthread_mutex_unlock(&q->lock);
    if (wake)
        pthread_cond_signal(&q->more);      /* the caller keeps the device alive */
}

/* Records and sends one flight. With record_lock. NULL, or what went wrong, and whose
 * fault it is. The next one is made ready while the driver is at work on this one; if that
 * fails, it is tried again when there is something to record. */
static const char *fly(GpuDevice *d, GpuSubmit *s, uint32_t *at, const void **tag)
{
    VkResult      result;
    const char   *why = NULL;
    VulkanFlight *spare, *f = flight_take(d, &result);
    if (!f)
        return vulkan_result_text(result);
    f->serial = ++d->queue.serial;
    exit_work_begins();
    if (vulkan_record(d, f, s, at, d->desc.deadline != 0, &why)) {
        result = send(d, f);
        why = result == VK_SUCCESS ? NULL : vulkan_result_text(result);
    }
    *tag = f->tag;
    if (why) {
        flight_give(d, f);
        exit_work_ends();
        return why;
    }
    f->last = *at >= s->count;
    f->submit = s;
    enqueue(d, f, &spare);
    d->queue.ready = flight_begin(d, spare, &result);
    return NULL;
}

/* The submit ends without the rest of its work, but not before what is under way of it.
 * With record_lock. False: no memory. */
static bool end_early(GpuDevice *d, GpuSubmit *s)
{
    VulkanFlight *f = calloc(1, sizeof *f);
    if (!f)
        return false;
    exit_work_begins();
    f->serial = ++d->queue.serial;
    f->last = true;
    f->submit = s;
    enqueue(d, f, NULL);
    return true;
}

/* Of a program that ends only the thread that ends it comes here, with nothing to do. */
bool vulkan_queue_submit(GpuDevice *d, GpuSubmit *s)
{
    exit_prepare();
    bool        held = exit_hold();
    const char *why = NULL;
    const void *tag = NULL;
    uint32_t    at = 0, flown = 0, count = s->count;    /* once it has flown, `s` may be gone */
    bool        later = false;
    pthread_mutex_lock(&d->record_lock);
    bool lost = !held || atomic_load(&d->lost);
    do
        why = lost ? NULL : fly(d, s, &at, &tag);
    while (!lost && !why && ++flown && at < count);
    if (why && flown && !(later = end_early(d, s)))
        atomic_store(&d->adrift, true);     /* nothing of it may be freed yet */
    pthread_mutex_unlock(&d->record_lock);
    if (why)
        vulkan_device_lose(d, tag, "the work cannot be submitted: %s", why);
    if (lost || (why && !later))
        s->done(s->user);
    if (held)
        exit_release();
    return !lost && !why;
}

/* ---- the thread ---- */

/* The driver cannot wait for a flight, because the device is lost or for another reason.
 * It is asked for all its work at once, so that none is left that uses what is freed
 * from now on. */
static void let_driver_rest(GpuDevice *d)
{
    pthread_mutex_lock(&d->record_lock);
    VkResult result = d->fn.DeviceWaitIdle(d->device);
    pthread_mutex_unlock(&d->record_lock);
    if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST)
        atomic_store(&d->adrift, true);
}

/* To fall asleep just when a driver on the CPU wakes its threads costs twice: it may get
 * in their way, and is woken again. So a wait begins with some glances at the fence. */
static VkResult glance(GpuDevice *d, const VulkanFlight *f)
{
    VkResult result = VK_TIMEOUT;
    uint64_t now = clock_ns();
    for (uint32_t i = 0; i < GLANCES && result == VK_TIMEOUT; i++) {
        result = d->fn.WaitForFences(d->device, 1, &f->fence, VK_TRUE, 0);
        for (uint64_t next = now + GLANCE_EVERY; result == VK_TIMEOUT && now < next;)
            now = clock_ns();
    }
    return result;
}

/* Waits for up to `limit` ns. Some drivers do not wait forever when they are asked to. */
static VkResult wait_fence(GpuDevice *d, const VulkanFlight *f, uint64_t limit)
{
    VkResult result = limit ? glance(d, f) : VK_TIMEOUT;
    bool     again = result == VK_TIMEOUT;
    while (again) {
        result = d->fn.WaitForFences(d->device, 1, &f->fence, VK_TRUE, limit);
        again = result == VK_TIMEOUT && limit == GPU_FOREVER;
    }
    return result;
}

/* Waits until the flight is complete, or the device is lost. Unless the driver itself
 * gives the device up, the work goes on: then nothing may be freed any more. */
static void wait_for(GpuDevice *d, const VulkanFlight *f)
{
    uint64_t limit = d->desc.deadline ? d->desc.deadline : GPU_FOREVER;
    if (!f->fence || atomic_load(&d->adrift))
        return;
    VkResult result = wait_fence(d, f, limit);
    if (result == VK_SUCCESS)
        return;
    d->overdue = result == VK_TIMEOUT;
    if (d->overdue)
        atomic_store(&d->adrift, true);
    else
        let_driver_rest(d);
    if (d->overdue)
        vulkan_device_lose(d, f->tag, "a dispatch ran longer than its deadline of %llu ms",
                           (unsigned long long)(d->desc.deadline / 1000000u));
    else
        vulkan_device_lose(d, f->tag, "%s", vulkan_result_text(result));
}

/* Waits for a flight. What it had is free again, and who waits for the submit is told. A
 * program that ends waits a while for the device, whose driver may have threads of its own
 * at work. False: it is not over, only given up. */
static bool land(GpuDevice *d, VulkanFlight *f)
{
    GpuSubmit *s = f->submit;
    bool       last = f->last;
    wait_for(d, f);
    exit_work_ends();
    atomic_store(&d->queue.completed, f->serial);
    bool over = !atomic_load(&d->adrift);
    if (over)
        flight_clear(d, f);
    if (last)
        s->done(s->user);
    return over;
}

/* A flight that has landed is kept, if there is a use for it. With the lock, which it may
 * give back meanwhile. */
static void put_away(GpuDevice *d, VulkanFlight *f, bool over)
{
    VulkanQueue *q = &d->queue;
    if (!over) {
        f->next = q->adrift;
        q->adrift = f;
    } else if (!spare_give(q, f)) {
        pthread_mutex_unlock(&q->lock);
        flight_drop(d, f);
        pthread_mutex_lock(&q->lock);
    }
}

/* Is there nothing left to wait for, after `limit` at the latest? */
static bool arrives(GpuDevice *d, const VulkanFlight *f, uint64_t limit)
{
    return limit == GPU_FOREVER || !f->fence || atomic_load(&d->adrift)
           || wait_fence(d, f, limit) != VK_TIMEOUT;
}

/* Takes the first flight out of the list, or puts it back. With the lock. */
static VulkanFlight *take_first(VulkanQueue *q)
{
    VulkanFlight *f = q->first;
    q->first = f->next;
    if (!q->first)
        q->last = &q->first;
    return f;
}

static void put_first(VulkanQueue *q, VulkanFlight *f)
{
    f->next = q->first;
    if (!q->first)
        q->last = &f->next;
    q->first = f;
}

/* Waits for the first flight, `limit` ns at the most. With the lock, which it gives back
 * meanwhile. False: it is where it was. */
static bool land_first(GpuDevice *d, uint64_t limit)
{
    VulkanQueue  *q = &d->queue;
    VulkanFlight *f = take_first(q);
    bool          over = false;
    q->busy = true;
    pthread_mutex_unlock(&q->lock);
    bool landed = arrives(d, f, limit);
    if (landed)
        over = land(d, f);
    pthread_mutex_lock(&q->lock);
    if (landed)
        put_away(d, f, over);
    else
        put_first(q, f);
    q->busy = false;
    /* Who waited for this flight may have sent another already, and waits for that. */
    if (q->call == CALL_NOW && (!q->first || q->first->serial > q->called_for))
        q->call = q->first ? CALL_LATER : CALL_NONE;
    return landed;
}

/* Leaves the flights to possible waiters for a moment. A flight that is there before and
 * after has no waiter. With the lock. */
static void give_others_time(VulkanQueue *q)
{
    uint64_t serial = q->first ? q->first->serial : 0, until = clock_ns() + GRACE;
    while (q->call == CALL_LATER && !q->ends && clock_wait(&q->more, &q->lock, until))
        ;
    if (q->call == CALL_LATER && !q->first)
        q->call = CALL_NONE;
    else if (q->call == CALL_LATER && q->first->serial == serial)
        call_now(q);
}

static void *queue_main(void *argument)
{
    GpuDevice   *d = argument;
    VulkanQueue *q = &d->queue;
    pthread_mutex_lock(&q->lock);
    while (q->first || q->busy || !q->ends) {
        if (q->first && !q->busy && (q->call == CALL_NOW || q->ends))
            land_first(d, GPU_FOREVER);
        else if (q->call == CALL_LATER)
            give_others_time(q);
        else
            pthread_cond_wait(&q->more, &q->lock);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

/* With a deadline the thread is there already, and counts the time of each flight. */
bool vulkan_queue_help(GpuDevice *d, uint64_t limit)
{
    VulkanQueue *q = &d->queue;
    if (d->desc.deadline && limit != GPU_FOREVER)
        return false;
    pthread_mutex_lock(&q->lock);
    bool mine = q->first && !q->busy, called = q->call == CALL_NOW;
    if (mine) {
        mine = land_first(d, limit);
        if (q->call == CALL_NOW || (called && q->call == CALL_LATER) || q->ends)
            pthread_cond_signal(&q->more);
    }
    pthread_mutex_unlock(&q->lock);
    return mine;
}

void vulkan_queue_watch(GpuDevice *d)
{
    VulkanQueue *q = &d->queue;
    pthread_mutex_lock(&q->lock);
    if (!q->first && !q->busy)
        q->awaited = true;
    else if (q->first) {
        bool called = q->call == CALL_NOW;
        call_now(q);
        if (!called && !q->busy)
            pthread_cond_signal(&q->more);
    }
    pthread_mutex_unlock(&q->lock);
}

/* ---- its life ---- */

bool vulkan_queue_start(GpuDevice *d)
{
    VulkanQueue *q = &d->queue;
    q->last = &q->first;
    pthread_mutex_init(&q->lock, NULL);
    clock_cond_init(&q->more);
    q->started = pthread_create(&q->thread, NULL, queue_main, d) == 0;
    return q->started;
}

void vulkan_queue_end(GpuDevice *d)
{
    VulkanQueue *q = &d->queue;
    if (!q->started)
        return;
    pthread_mutex_lock(&q->lock);
    q->ends = true;
    pthread_cond_signal(&q->more);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    q->started = false;
}

/* Work that is not overdue will end, and is waited for as long as it may take. */
bool vulkan_queue_is_idle(GpuDevice *d)
{
    uint64_t limit = d->overdue ? LAST_CHANCE : d->desc.deadline ? d->desc.deadline : GPU_FOREVER;
    for (VulkanFlight *f = d->queue.adrift; f; f = f->next)
        if (f->fence && wait_fence(d, f, limit) != VK_SUCCESS)
            return false;
    return true;
}

static void free_list(GpuDevice *d, VulkanFlight *list)
{
    while (list) {
        VulkanFlight *f = list;
        list = f->next;
        flight_free(d, f);
    }
}

void vulkan_queue_free(GpuDevice *d)
{
    VulkanQueue *q = &d->queue;
    if (!q->last)
        return;
    flight_free(d, q->ready);
    free_list(d, q->spare);
    free_list(d, q->adrift);
    pthread_cond_destroy(&q->more);
    pthread_mutex_destroy(&q->lock);
}
