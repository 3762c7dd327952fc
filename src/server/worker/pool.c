// SPDX-License-Identifier: Apache-2.0
/*
 * pool.c - the worker processes of a server: which one gets a job, when one is replaced.
 *
 * in     jobs of tenants
 * out    answers; a pool that refills by itself
 * knows  a worker serves one tenant until it ends
 * not    jobs' contents, HTTP
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/worker/pool_priv.h"

#define WAKE_INDEX UINT32_MAX
#define PATIENCE   4u                   /* failed starts after which there are pauses     */
#define LONG_NS    (100u * 1000000u)    /* a job that runs for longer is a long one       */

static void wake(Pool *p)
{
    uint64_t one = 1;
    ssize_t  n = write(p->wake, &one, sizeof one);
    (void)n;                            /* a full counter wakes as well */
}

/* ---- ends ---- */

/* Where no worker finds a device, starting them at once again would keep a core busy. */
static void delay_starts(Pool *p)
{
    p->failures++;
    if (p->failures >= PATIENCE)
        p->not_before = clock_ns() + MIN_OF(p->failures - PATIENCE + 1, 10) * (NS_PER_S / 2);
}

/* Ends a worker, and tells its job's owner if it had a job. */
static void lose(Pool *p, Worker *w)
{
    void *job = w->state == DEVICE_BUSY ? w->job : NULL;
    bool  late = w->timed_out;
    if (job)
        p->figures.busy--;
    if (late)
        p->figures.killed++;
    else
        p->figures.died++;
    if (w->state == DEVICE_INITIALISING || w->state == DEVICE_RECOVERING)
        delay_starts(p);
    worker_end(p, w, EVENT_DIE);
    if (job)
        p->desc.on_answer(p->desc.user, job, &(PoolAnswer){
            .kind = late ? WEFT_ERROR_TIMEOUT : WEFT_ERROR_DEVICE_LOST, .died = !late,
            .message = late ? "the job did not finish within its time limit"
                            : "the worker process died"});
}

static void check_deadlines(Pool *p, uint64_t now)
{
    for (uint32_t i = 0; i < p->desc.max; i++) {
        Worker *w = &p->workers[i];
        if (!worker_is_alive(w) || w->deadline > now)
            continue;
        w->timed_out = w->state == DEVICE_BUSY;
        lose(p, w);
    }
}

/* ---- refilling ---- */

static uint32_t count_unassigned(const Pool *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->desc.max; i++)
        n += worker_is_alive(&p->workers[i]) && !*p->workers[i].tenant;
    return n;
}

static Worker *find_place(Pool *p)
{
    for (uint32_t i = 0; i < p->desc.max; i++)
        if (!worker_is_alive(&p->workers[i]))
            return &p->workers[i];
    return NULL;
}

/* The idle worker of a tenant that was used least recently. */
static Worker *find_oldest_idle(Pool *p)
{
    Worker *oldest = NULL;
    for (uint32_t i = 0; i < p->desc.max; i++) {
        Worker *w = &p->workers[i];
        if (w->state == DEVICE_READY && *w->tenant && (!oldest || w->since < oldest->since))
            oldest = w;
    }
    return oldest;
}

/* True if a worker could not be started: then it is tried again later. */
static bool refill(Pool *p)
{
    uint32_t want = p->desc.spare + (p->demand ? 1 : 0);
    if (p->not_before && clock_ns() < p->not_before)
        return true;
    while (!p->stopping && count_unassigned(p) < want) {
        Worker *place = find_place(p);
        if (!place && p->demand && count_unassigned(p) == 0 && (place = find_oldest_idle(p)))
            worker_end(p, place, EVENT_RETIRE);
        if (!place)
            return false;
        if (!worker_spawn(p, place))
            return true;
    }
    p->demand = false;
    return false;
}

/* ---- the thread ---- */

static int wait_ms(Pool *p, uint64_t now, bool retry)
{
    uint64_t next = now + (retry ? 100 : 1000) * (uint64_t)1000000;
    if (p->look_at > now)
        next = MIN_OF(next, p->look_at);
    for (uint32_t i = 0; i < p->desc.max; i++)
        if (worker_is_alive(&p->workers[i]))
            next = MIN_OF(next, p->workers[i].deadline);
    p->waits_until = next;
    return next <= now ? 0 : (int)((next - now + 999999) / 1000000);
}

static void handle(Pool *p, const struct epoll_event *event)
{
    if (event->data.u32 == WAKE_INDEX) {
        uint64_t count;
        ssize_t  n = read(p->wake, &count, sizeof count);
        (void)n;
        return;
    }
    Worker *w = &p->workers[event->data.u32];
    if (!worker_is_alive(w))
        return;
    bool ok = true;
    if (event->events & EPOLLOUT)
        ok = worker_flush(p, w);
    if (ok && (event->events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        ok = worker_receive(p, w);
    if (!ok)
        lose(p, w);
}

static void *thread_main(void *user)
{
    Pool *p = user;
    struct epoll_event events[64];
    pthread_mutex_lock(p->desc.lock);
    while (!p->stopping) {
        bool retry = refill(p);
        int  ms = wait_ms(p, clock_ns(), retry);
        pthread_mutex_unlock(p->desc.lock);
        if (p->desc.on_idle)
            p->desc.on_idle(p->desc.user);
        int n = epoll_wait(p->epoll, events, (int)COUNTOF(events), ms);
        pthread_mutex_lock(p->desc.lock);
        for (int i = 0; i < n; i++)
            handle(p, &events[i]);
        check_deadlines(p, clock_ns());
        p->desc.on_room(p->desc.user);
    }
    for (uint32_t i = 0; i < p->desc.max; i++)
        worker_end(p, &p->workers[i], EVENT_DIE);
    pthread_mutex_unlock(p->desc.lock);
    return NULL;
}

/* ---- what the owner calls ---- */

Pool *pool_open(const PoolDesc *desc)
{
    Pool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->desc = *desc;
    p->desc.max = MIN_OF(MAX_OF(p->desc.max, 1), POOL_MAX);
    p->desc.spare = MIN_OF(p->desc.spare, p->desc.max);
    for (uint32_t i = 0; i < POOL_MAX; i++)
        p->workers[i] = (Worker){.index = i, .state = DEVICE_ABSENT, .fd = -1};
    p->epoll = epoll_create1(EPOLL_CLOEXEC);
    p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = WAKE_INDEX};
    if (p->epoll < 0 || p->wake < 0 || epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->wake, &event) != 0
        || pthread_create(&p->thread, NULL, thread_main, p) != 0) {
        pool_close(p);
        return NULL;
    }
    p->thread_runs = true;
    return p;
}

void pool_close(Pool *p)
{
    if (!p)
        return;
    if (p->thread_runs) {
        pthread_mutex_lock(p->desc.lock);
        p->stopping = true;
        pthread_mutex_unlock(p->desc.lock);
        wake(p);
        pthread_join(p->thread, NULL);
    }
    if (p->epoll >= 0)
        close(p->epoll);
    if (p->wake >= 0)
        close(p->wake);
    free(p);
}

uint32_t pool_long_jobs(const Pool *p)
{
    uint64_t now = clock_ns();
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->desc.max; i++)
        n += p->workers[i].state == DEVICE_BUSY && now - p->workers[i].began >= LONG_NS;
    return n;
}

/* When the first of the jobs that run becomes a long one. */
static uint64_t next_long(const Pool *p, uint64_t now)
{
    uint64_t next = CLOCK_NEVER;
    for (uint32_t i = 0; i < p->desc.max; i++) {
        const Worker *w = &p->workers[i];
        if (w->state == DEVICE_BUSY && w->began + LONG_NS > now)
            next = MIN_OF(next, w->began + LONG_NS);
    }
    return next;
}

bool pool_has_room(Pool *p)
{
    if (p->stopping || p->figures.busy < p->desc.running)
        return !p->stopping;
    if (p->figures.busy >= p->desc.max)
        return false;
    if (p->figures.busy - pool_long_jobs(p) < p->desc.running)
        return true;
    p->look_at = next_long(p, clock_ns());
    if (p->look_at < p->waits_until) {
        p->waits_until = p->look_at;
        wake(p);
    }
    return false;
}

static bool tenant_runs(const Pool *p, const char *tenant)
{
    for (uint32_t i = 0; i < p->desc.max; i++)
        if (p->workers[i].state == DEVICE_BUSY && strcmp(p->workers[i].tenant, tenant) == 0)
            return true;
    return false;
}

/* A ready worker of the tenant, or one that has none yet. */
static Worker *find_ready(Pool *p, const char *tenant)
{
    Worker *fresh = NULL;
    for (uint32_t i = 0; i < p->desc.max; i++) {
        Worker *w = &p->workers[i];
        if (w->state != DEVICE_READY)
            continue;
        if (strcmp(w->tenant, tenant) == 0)
            return w;
        if (!*w->tenant)
            fresh = w;
    }
    return fresh;
}

bool pool_is_crowded(const Pool *p, const char *tenant)
{
    return pool_long_jobs(p) >= p->desc.running && tenant_runs(p, tenant);
}

bool pool_is_ready(Pool *p, const char *tenant)
{
    if (p->figures.busy >= p->desc.running && tenant_runs(p, tenant))
        return false;
    if (find_ready(p, tenant))
        return true;
    if (!p->demand) {
        p->demand = true;
        wake(p);
    }
    return false;
}

bool pool_start(Pool *p, const PoolJob *job)
{
    if (!pool_has_room(p))
        return false;
    if (!pool_is_ready(p, job->tenant))
        return false;
    Worker *w = find_ready(p, job->tenant);
    bool fresh = !*w->tenant;
    snprintf(w->tenant, sizeof w->tenant, "%s", job->tenant);
    w->number = ++p->next_number;
    if (!worker_send(p, w, job)) {
        p->figures.died++;
        worker_end(p, w, EVENT_DIE);
        wake(p);
        return false;
    }
    worker_step(p, w, EVENT_WORK);
    w->job = job->job;
    w->answer_limit = job->answer_limit;
    w->began = clock_ns();
    w->deadline = w->began + job->time_limit;
    p->figures.busy++;
    if (fresh || w->deadline < p->waits_until)
        wake(p);                        /* to replace the spare worker; to be in time */
    return true;
}

void pool_cancel(Pool *p, void *job)
{
    for (uint32_t i = 0; i < p->desc.max; i++) {
        Worker *w = &p->workers[i];
        if (w->state != DEVICE_BUSY || w->job != job)
            continue;
        p->figures.busy--;
        p->figures.killed++;
        worker_end(p, w, EVENT_DIE);
        wake(p);
        return;
    }
}

uint32_t pool_limit(const Pool *p)
{
    return p->desc.running;
}

PoolFigures pool_figures(const Pool *p)
{
    PoolFigures f = p->figures;
    f.workers = f.ready = 0;
    for (uint32_t i = 0; i < p->desc.max; i++) {
        f.workers += worker_is_alive(&p->workers[i]);
        f.ready += p->workers[i].state == DEVICE_READY;
    }
    return f;
}

uint32_t pool_pids(const Pool *p, int *pids, uint32_t room, bool busy)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->desc.max && n < room; i++)
        if (p->workers[i].state == DEVICE_BUSY || (!busy && worker_is_alive(&p->workers[i])))
            pids[n++] = p->workers[i].pid;
    return n;
}
