// SPDX-License-Identifier: Apache-2.0
/*
 * future.c - things that will happen, and the three ways to look at them.
 *
 * in     completions, from any thread
 * out    each callback exactly once, on a thread its mode allows
 * knows  wgpuInstanceWaitAny(), wgpuInstanceProcessEvents(), the event thread
 * not    what the futures are about: each has a function that runs its callback
 *
 * A future goes from PENDING to READY to FIRING, and out of the table when its
 * callback has returned. An id that was given and is not in the table any more is
 * complete; those of other instances are known by their upper bits. The thread that
 * turns READY into FIRING, under the lock, runs the callback.
 * A wait sleeps on a condition of its own, which hangs on the futures waited for.
 */
#include <stdlib.h>

#include "base/core.h"
#include "gpu/gpu_priv.h"

#define FIRST_BUCKETS 64u
#define ID_BITS       40                    /* of an id: the rest is the instance's */
#define SPIN          8000u                 /* ns before a wait with a timeout sleeps */

typedef struct Waiter {
    pthread_cond_t woken_up;
    bool           woken;
} Waiter;

struct WaitNode {
    Waiter    *waiter;
    Future    *future;                      /* referenced */
    WaitNode  *next, **link;
};

bool mode_is_valid(WGPUCallbackMode mode)
{
    return mode == WGPUCallbackMode_WaitAnyOnly
           || mode == WGPUCallbackMode_AllowProcessEvents
           || mode == WGPUCallbackMode_AllowSpontaneous;
}

/* ---- the table, under the lock ---- */

static Future **bucket_of(Futures *fs, uint64_t id)
{
    return &fs->buckets[id & (fs->nbuckets - 1)];
}

static Future *find(Futures *fs, uint64_t id)
{
    Future *f = fs->nbuckets ? *bucket_of(fs, id) : NULL;
    while (f && f->id != id)
        f = f->hash_next;
    return f;
}

/* Without memory the chains get longer; false: not even the first table. */
static bool grow(Futures *fs)
{
    uint32_t n = fs->nbuckets ? fs->nbuckets * 2 : FIRST_BUCKETS;
    Future **buckets = calloc(n, sizeof *buckets);
    if (!buckets)
        return fs->nbuckets > 0;
    Futures old = *fs;
    fs->buckets = buckets;
    fs->nbuckets = n;
    for (uint32_t i = 0; i < old.nbuckets; i++) {
        for (Future *f = old.buckets[i], *next; f; f = next) {
            Future **b = bucket_of(fs, f->id);
            next = f->hash_next;
            f->hash_next = *b;
            *b = f;
        }
    }
    free(old.buckets);
    return true;
}

static void list_append(FutureList *l, Future *f)
{
    f->list = l;
    f->list_prev = l->last;
    f->list_next = NULL;
    if (l->last)
        l->last->list_next = f;
    else
        l->first = f;
    l->last = f;
}

/* Out of the list it is in, if it is in one. */
static void list_leave(Future *f)
{
    FutureList *l = f->list;
    if (!l)
        return;
    if (f->list_prev)
        f->list_prev->list_next = f->list_next;
    else
        l->first = f->list_next;
    if (f->list_next)
        f->list_next->list_prev = f->list_prev;
    else
        l->last = f->list_prev;
    f->list = NULL;
}

static bool insert(Futures *fs, Future *f)
{
    if (fs->count >= fs->nbuckets && !grow(fs))
        return false;
    f->id = ++fs->last_id;
    Future **b = bucket_of(fs, f->id);
    f->hash_next = *b;
    *b = f;
    f->tracked = true;
    if (f->mode == WGPUCallbackMode_AllowProcessEvents && f->source)
        list_append(&fs->asked, f);
    fs->count++;
    future_ref(f);
    return true;
}

static void take_out(Futures *fs, Future *f)
{
    Future **link = bucket_of(fs, f->id);
    while (*link != f)
        link = &(*link)->hash_next;
    *link = f->hash_next;
    f->tracked = false;
    fs->count--;
}

/* ---- states, under the lock ---- */

static void wake_waiters(Future *f)
{
    for (WaitNode *n = f->waiters; n; n = n->next) {
        n->waiter->woken = true;
        pthread_cond_signal(&n->waiter->woken_up);
    }
}

static void become_ready(Futures *fs, Future *f)
{
    f->state = FUTURE_READY;
    f->order = ++fs->last_order;
    list_leave(f);
    if (f->mode != WGPUCallbackMode_WaitAnyOnly)
        list_append(&fs->ready, f);
    wake_waiters(f);
}

/* The caller runs the callback, once the lock is given back. */
static void claim(Future *f)
{
    list_leave(f);
    f->state = FUTURE_FIRING;
    f->thread = thread_id();
}

/* Runs the callback of a claimed future. Without the lock. */
static void run(Future *f, bool cancelled)
{
    Futures *fs = &f->instance->futures;
    f->fire(f, cancelled);
    pthread_mutex_lock(&fs->lock);
    bool tracked = f->tracked;
    if (tracked)
        take_out(fs, f);
    wake_waiters(f);
    pthread_mutex_unlock(&fs->lock);
    if (tracked)
        future_unref(f);
}

/* ---- making and completing ---- */

Future *future_new(WGPUInstance instance, WGPUCallbackMode mode,
                   void (*fire)(Future *f, bool cancelled))
{
    Future *f = object_memory(sizeof *f);
    if (!f)
        return NULL;
    atomic_init(&f->refs, 1);
    f->instance = instance;
    f->mode = mode;
    f->fire = fire;
    object_ref(&instance->base);
    return f;
}

void future_ref(Future *f)
{
    atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
}

void future_unref(Future *f)
{
    if (!f || atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) != 1)
        return;
    WGPUInstance instance = f->instance;
    object_unref(f->object);
    free(f->message);
    free(f);
    object_unref(&instance->base);
}

WGPUFuture future_track(Future *f)
{
    Futures *fs = &f->instance->futures;
    pthread_mutex_lock(&fs->lock);
    bool ok = !fs->closed && insert(fs, f);
    if (!ok)
        claim(f);
    uint64_t id = ok ? f->id : 0;
    pthread_mutex_unlock(&fs->lock);
    if (!ok)
        run(f, true);
    return (WGPUFuture){id};
}

bool future_override(Future *f, int status, const char *message)
{
    Futures *fs = &f->instance->futures;
    char    *copy = message ? strdup(message) : NULL, *old = copy;
    pthread_mutex_lock(&fs->lock);
    bool pending = f->state == FUTURE_PENDING;
    if (f->state != FUTURE_FIRING) {
        old = f->message;
        f->status = status;
        f->message = copy;
        if (pending)
            become_ready(fs, f);
    }
    pthread_mutex_unlock(&fs->lock);
    free(old);
    return pending;
}

bool future_ready(Future *f, int status, const char *message)
{
    Futures *fs = &f->instance->futures;
    char    *copy = message ? strdup(message) : NULL;
    pthread_mutex_lock(&fs->lock);
    bool pending = f->state == FUTURE_PENDING;
    if (pending) {
        f->status = status;
        f->message = copy;
        copy = NULL;
        become_ready(fs, f);
    }
    pthread_mutex_unlock(&fs->lock);
    free(copy);
    return pending;
}

void future_give_object(Future *f, Object *object)
{
    Futures *fs = &f->instance->futures;
    pthread_mutex_lock(&fs->lock);
    bool open = f->state == FUTURE_PENDING;
    if (open)
        f->object = object;
    pthread_mutex_unlock(&fs->lock);
    if (!open)
        object_unref(object);
}

static bool claim_spontaneous(Future *f)
{
    Futures *fs = &f->instance->futures;
    pthread_mutex_lock(&fs->lock);
    bool mine = f->state == FUTURE_READY;
    if (mine)
        claim(f);
    pthread_mutex_unlock(&fs->lock);
    return mine;
}

void future_settle(Future *f)
{
    if (f->mode == WGPUCallbackMode_AllowSpontaneous && claim_spontaneous(f))
        run(f, false);
}

static void fire_on_event_thread(Task *task)
{
    Future *f = (Future *)task;             /* its first member */
    future_settle(f);
    future_unref(f);
}
_Static_assert(offsetof(Future, task) == 0, "a future's task comes first");

void future_post(Future *f)
{
    Futures *fs = &f->instance->futures;
    if (f->mode != WGPUCallbackMode_AllowSpontaneous)
        return;
    pthread_mutex_lock(&fs->lock);
    bool first = f->state == FUTURE_READY && !f->posted;
    f->posted = f->posted || first;
    pthread_mutex_unlock(&fs->lock);
    if (!first)
        return;
    future_ref(f);
    f->task.run = fire_on_event_thread;
    if (!tasks_add(&f->instance->events, &f->task))
        future_unref(f);                    /* wgpuInstanceProcessEvents() finds it */
}

void future_tell(Future *f, bool user_thread)
{
    if (user_thread)
        future_settle(f);
    else
        future_post(f);
}

void futures_tell(Future *list, bool user_thread)
{
    while (list) {
        Future *f = list;
        list = f->tell_next;
        future_tell(f, user_thread);
        future_unref(f);
    }
}

WGPUStringView future_message(const Future *f)
{
    return string_view(f->message);
}

/* ---- the list of an instance ---- */

/* In a child of fork(): see fork.h. */
static void reset_lock(ForkReset *self)
{
    Futures *fs = (Futures *)(void *)((char *)self - offsetof(Futures, fork_reset));
    pthread_mutex_init(&fs->lock, NULL);
}

void futures_init(Futures *fs)
{
    static atomic_ullong instances;
    *fs = (Futures){0};
    fs->first_id = atomic_fetch_add(&instances, 1) << ID_BITS;
    fs->last_id = fs->first_id;
    pthread_mutex_init(&fs->lock, NULL);
    fork_remember(&fs->fork_reset, reset_lock);
}

void futures_fini(Futures *fs)
{
    fork_forget(&fs->fork_reset);
    BUG_IF(fs->count, "futures are left over");
    free(fs->buckets);
    pthread_mutex_destroy(&fs->lock);
}

/* From bucket *at on. */
static Future *first_unfired(Futures *fs, uint32_t *at)
{
    for (; *at < fs->nbuckets; ++*at)
        for (Future *f = fs->buckets[*at]; f; f = f->hash_next)
            if (f->state != FUTURE_FIRING)
                return f;
    return NULL;
}

void futures_close(WGPUInstance instance)
{
    Futures *fs = &instance->futures;
    Future  *f;
    uint32_t at = 0;
    pthread_mutex_lock(&fs->lock);
    fs->closed = true;                      /* from here on nothing is added */
    while ((f = first_unfired(fs, &at))) {
        claim(f);
        pthread_mutex_unlock(&fs->lock);
        run(f, true);
        pthread_mutex_lock(&fs->lock);
    }
    pthread_mutex_unlock(&fs->lock);
}

/* ---- looking ---- */

/* A queue with futures that process-events completes, not polled since turn `turn`, with a
 * reference to its device; NULL if there is none. */
static WGPUQueue next_asked(Futures *fs, uint64_t turn)
{
    for (Future *f = fs->asked.first; f; f = f->list_next)
        if (f->source->looked_at < turn) {
            f->source->looked_at = turn;
            if (device_try_ref(f->source->device))
                return f->source;
        }
    return NULL;
}

/* Work may be done but for saying so. With the lock, which it gives back meanwhile. */
static void look_at_queues(Futures *fs)
{
    WGPUQueue queue;
    uint64_t  turn = ++fs->looks;
    while ((queue = next_asked(fs, turn))) {
        pthread_mutex_unlock(&fs->lock);
        while (queue_assist(queue, 0))
            ;
        device_unref(queue->device);
        pthread_mutex_lock(&fs->lock);
    }
}

void wgpuInstanceProcessEvents(WGPUInstance instance)
{
    if (!instance)
        return;
    Futures *fs = &instance->futures;
    Future  *f;
    object_ref(&instance->base);            /* a callback may release it */
    pthread_mutex_lock(&fs->lock);
    look_at_queues(fs);
    /* What the callbacks themselves complete is for the next call. */
    uint64_t last = fs->last_order;
    while ((f = fs->ready.first) && f->order <= last) {
        claim(f);
        pthread_mutex_unlock(&fs->lock);
        run(f, false);
        pthread_mutex_lock(&fs->lock);
    }
    pthread_mutex_unlock(&fs->lock);
    object_unref(&instance->base);
}

/* One call of wgpuInstanceWaitAny(). */
typedef struct Wait {
    WGPUInstance        instance;
    Futures            *fs;
    WGPUFutureWaitInfo *infos;
    size_t              count;
    Future            **claimed;            /* [count] to be fired by this call   */
    size_t              nclaimed;
    WGPUDevice          device;             /* that it worked for; referenced     */
    Future             *room[8];
    const char         *fault;              /* NULL: it is right                  */
} Wait;

/* Marks what is complete and claims what can be fired. True: something is. */
static bool look(Wait *w)
{
    bool any = false;
    for (size_t i = 0; i < w->count; i++) {
        WGPUFutureWaitInfo *info = &w->infos[i];
        Future *f = find(w->fs, info->future.id);
        info->completed = !f;
        if (f && f->state == FUTURE_READY) {
            claim(f);
            w->claimed[w->nclaimed++] = f;
        }
        /* Inside its own callback, or twice in this list. */
        if (f && f->state == FUTURE_FIRING && f->thread == thread_id())
            info->completed = true;
        any = any || info->completed;
    }
    return any;
}

static int compare_orders(const void *left, const void *right)
{
    const Future *const *x = left, *const *y = right;
    return (*x)->order < (*y)->order ? -1 : (*x)->order > (*y)->order;
}

/* Without the lock. */
static void fire_claimed(Wait *w)
{
    if (w->nclaimed > 1)
        qsort(w->claimed, w->nclaimed, sizeof *w->claimed, compare_orders);
    for (size_t i = 0; i < w->nclaimed; i++)
        run(w->claimed[i], false);
}

/* What the standard forbids to wait for, or NULL; ids that are complete have no source. */
static const char *wait_fault(Wait *w, uint64_t timeout)
{
    WGPUQueue source = NULL;
    bool      first = true;
    for (size_t i = 0; i < w->count; i++) {
        uint64_t id = w->infos[i].future.id;
        if (id <= w->fs->first_id || id > w->fs->last_id)
            return "a future is not one of this instance";
        Future *f = timeout ? find(w->fs, id) : NULL;
        if (!f)
            continue;
        if (!first && f->source != source)
            return "a wait with a timeout mixes futures of a queue with others";
        source = f->source;
        first = false;
    }
    return NULL;
}

static void nodes_attach(Wait *w, WaitNode *nodes, Waiter *waiter)
{
    for (size_t i = 0; i < w->count; i++) {
        Future *f = find(w->fs, w->infos[i].future.id);
        nodes[i] = (WaitNode){.waiter = waiter, .future = f, .next = f->waiters,
                              .link = &f->waiters};
        if (f->waiters)
            f->waiters->link = &nodes[i].next;
        f->waiters = &nodes[i];
        future_ref(f);
    }
}

static void nodes_detach(Wait *w, WaitNode *nodes)
{
    for (size_t i = 0; i < w->count; i++) {
        *nodes[i].link = nodes[i].next;
        if (nodes[i].next)
            nodes[i].next->link = nodes[i].link;
    }
}

/* Sleeps until one of the futures changes; false: the time is over. With the lock. */
static bool sleep_on(Wait *w, uint64_t until)
{
    WaitNode nodes[MAX_TIMED_WAIT];
    Waiter   waiter = {.woken = false};
    clock_cond_init(&waiter.woken_up);
    nodes_attach(w, nodes, &waiter);
    while (!waiter.woken && clock_wait(&waiter.woken_up, &w->fs->lock, until))
        ;
    nodes_detach(w, nodes);
    pthread_mutex_unlock(&w->fs->lock);
    for (size_t i = 0; i < w->count; i++)
        future_unref(nodes[i].future);
    pthread_cond_destroy(&waiter.woken_up);
    pthread_mutex_lock(&w->fs->lock);
    return waiter.woken;
}

/* The queue that has to complete what is waited for, with a reference to its device;
 * NULL: there is none. With the lock. */
static WGPUQueue queue_of(Wait *w)
{
    for (size_t i = 0; i < w->count; i++) {
        Future *f = find(w->fs, w->infos[i].future.id);
        if (f && f->state == FUTURE_PENDING && f->source)
            return device_try_ref(f->source->device) ? f->source : NULL;
    }
    return NULL;
}

static uint64_t time_until(uint64_t until)
{
    uint64_t now = until && until != CLOCK_NEVER ? clock_ns() : 0;
    return until == CLOCK_NEVER ? GPU_FOREVER : until > now ? until - now : 0;
}

/* Does the queue's work until something waited for is complete, unless another thread does it
 * or the time is up. A wait without a timeout polls the device where it can be polled; else the
 * device is told to complete the work itself. Called with the lock, which it releases
 * meanwhile. */
static bool work_for(Wait *w, uint64_t until)
{
    WGPUQueue queue = queue_of(w);
    bool      any = false, helped = queue;
    while (!any && helped) {
        pthread_mutex_unlock(&w->fs->lock);
        helped = queue_assist(queue, time_until(until));
        pthread_mutex_lock(&w->fs->lock);
        any = look(w);
    }
    if (queue && any) {
        w->device = queue->device;
    } else if (queue) {
        pthread_mutex_unlock(&w->fs->lock);
        if (time_until(until) || !queue->device->backend->help)
            queue_watch(queue);
        device_unref(queue->device);
        pthread_mutex_lock(&w->fs->lock);
        any = look(w);
    }
    return any;
}

/* Looks again for a few microseconds before the caller sleeps: short work of a queue is done
 * sooner than a thread wakes up. With the lock, which it gives back meanwhile. */
static bool spin_on(Wait *w, uint64_t until)
{
    uint64_t now = clock_ns(), end = until - now < SPIN ? until : now + SPIN;
    bool     any = false;
    while (!any && now < end) {
        pthread_mutex_unlock(&w->fs->lock);
        for (int i = 0; i < 32; i++)
            core_pause();
        now = clock_ns();
        pthread_mutex_lock(&w->fs->lock);
        any = look(w);
    }
    return any;
}

static WGPUWaitStatus wait_any(Wait *w, uint64_t timeout)
{
    uint64_t       until = timeout ? CLOCK_NEVER : 0;
    WGPUWaitStatus status = WGPUWaitStatus_Error;
    if (timeout && timeout <= (uint64_t)INT64_MAX)  /* the clock is slower than all the rest */
        until = clock_ns() + timeout;
    pthread_mutex_lock(&w->fs->lock);
    w->fault = wait_fault(w, timeout);
    if (!w->fault) {
        bool any = look(w);
        bool time_left = timeout > 0;
        if (!any)
            any = work_for(w, until);
        if (!any && time_left && until != CLOCK_NEVER)
            any = spin_on(w, until);
        while (!any && time_left) {
            time_left = sleep_on(w, until);
            any = look(w);
        }
        status = any ? WGPUWaitStatus_Success : WGPUWaitStatus_TimedOut;
    }
    pthread_mutex_unlock(&w->fs->lock);
    if (w->device)
        device_unref(w->device);
    fire_claimed(w);
    return status;
}

WGPUWaitStatus wgpuInstanceWaitAny(WGPUInstance instance, size_t futureCount,
                                   WGPUFutureWaitInfo *futures, uint64_t timeoutNS)
{
    if (!instance || (futureCount && !futures))
        return WGPUWaitStatus_Error;
    if (timeoutNS && !instance->timed_wait) {
        instance_log(instance, "WaitAny: a timeout of %llu ns needs the instance feature "
                     "TimedWaitAny", (unsigned long long)timeoutNS);
        return WGPUWaitStatus_Error;
    }
    if (timeoutNS && futureCount > MAX_TIMED_WAIT) {
        instance_log(instance, "WaitAny: %zu futures with a timeout are more than "
                     "timedWaitAnyMaxCount, %u", futureCount, MAX_TIMED_WAIT);
        return WGPUWaitStatus_Error;
    }
    if (futureCount == 0)
        return WGPUWaitStatus_Success;
    Wait w = {.instance = instance, .fs = &instance->futures, .infos = futures,
              .count = futureCount};
    w.claimed = futureCount <= COUNTOF(w.room) ? w.room
                                               : calloc(futureCount, sizeof *w.claimed);
    if (!w.claimed)
        return WGPUWaitStatus_Error;
    object_ref(&instance->base);
    WGPUWaitStatus status = wait_any(&w, timeoutNS);
    if (w.fault)
        instance_log(instance, "WaitAny: %s", w.fault);
    object_unref(&instance->base);
    if (w.claimed != w.room)
        free(w.claimed);
    return status;
}
