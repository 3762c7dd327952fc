// SPDX-License-Identifier: Apache-2.0
/*
 * store.c - group commit: changes that arrive while others are written share the next batch,
 * and one wait for the disk serves all that were written before it.
 *
 * in     changes, from any thread
 * out    call backs once they are written, and once they are durable
 * knows  a back end applies a list of changes
 * not    SQL
 */
#include "server/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"

#define MAX_BATCH 512u

static const char *const state_names[] = {
    [JOB_QUEUED] = "queued", [JOB_RUNNING] = "running", [JOB_DONE] = "done",
    [JOB_FAILED] = "failed", [JOB_CANCELLED] = "cancelled",
};
_Static_assert(COUNTOF(state_names) == JOB_STATE_COUNT, "a state has no name");

/* Changes in order. */
typedef struct OpList {
    StoreOp *first, **last;
} OpList;

struct Store {
    const StoreBackend *backend;
    void           *state;
    Metrics        *metrics;
    pthread_t       writer, syncer;
    uint32_t        threads;            /* that run                                       */
    pthread_mutex_t lock;               /* of the lists                                   */
    pthread_cond_t  more, unsynced;
    pthread_mutex_t reading;            /* of the back end's reads                        */
    OpList          waiting;            /* to be written                                  */
    OpList          written;            /* to become durable                              */
    bool            urgent;             /* a waiting change is waited for                 */
    bool            busy;               /* a batch is being written                       */
    bool            stopping, stopped;  /* the writer has ended                           */
};

const char *job_state_name(JobState state)
{
    return state < JOB_STATE_COUNT ? state_names[state] : "unknown";
}

bool job_state_find(const char *name, JobState *state)
{
    for (uint32_t i = 0; i < JOB_STATE_COUNT; i++)
        if (strcmp(state_names[i], name) == 0) {
            *state = (JobState)i;
            return true;
        }
    return false;
}

/* ---- writing ---- */

static void list_add(OpList *l, StoreOp *first, StoreOp **last)
{
    *l->last = first;
    l->last = last;
}

/* Takes up to MAX_BATCH changes off the list. */
static StoreOp *take_batch(Store *s)
{
    StoreOp *first = s->waiting.first, *at = first;
    for (uint32_t n = 1; at && at->next && n < MAX_BATCH; n++)
        at = at->next;
    if (at) {
        s->waiting.first = at->next;
        at->next = NULL;
    }
    if (!s->waiting.first) {
        s->waiting.last = &s->waiting.first;
        s->urgent = false;
    }
    return first;
}

static void call_done(StoreOp *ops)
{
    for (StoreOp *op = ops, *next; op; op = next) {
        next = op->next;                /* the call back may free the op */
        op->done(op->user, op);
    }
}

static void count(Store *s, const StoreOp *ops, uint64_t start)
{
    uint32_t n = 0, failed = 0;
    for (const StoreOp *op = ops; op; op = op->next, n++)
        failed += !op->ok;
    metrics_time(s->metrics, METRIC_COMMIT_TIME, clock_ns() - start);
    metrics_add(s->metrics, METRIC_COMMITS, 0, 1);
    metrics_add(s->metrics, METRIC_WRITES, 0, n);
    metrics_add(s->metrics, METRIC_STORE_ERRORS, 0, failed);
}

/* One batch, with the lock held on entry and on return. */
static void commit(Store *s)
{
    StoreOp *ops = take_batch(s), **last = NULL;
    s->busy = true;
    pthread_mutex_unlock(&s->lock);
    uint64_t start = clock_ns();
    s->backend->apply(s->state, ops);
    count(s, ops, start);
    for (StoreOp *op = ops; op; op = op->next) {
        if (op->ok && op->written)
            op->written(op->user, op);
        last = &op->next;
    }
    if (!s->backend->sync)
        call_done(ops);
    pthread_mutex_lock(&s->lock);
    s->busy = false;
    if (s->backend->sync && ops) {
        list_add(&s->written, ops, last);
        pthread_cond_signal(&s->unsynced);
    }
    if (s->waiting.first && s->urgent)
        pthread_cond_signal(&s->more);
}

static void *writer_main(void *user)
{
    Store *s = user;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (s->busy || (!(s->waiting.first && s->urgent) && !s->stopping))
            pthread_cond_wait(&s->more, &s->lock);
        if (!s->waiting.first)
            break;
        commit(s);
    }
    s->stopped = true;
    pthread_cond_signal(&s->unsynced);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Everything that was written while the disk was busy becomes durable at once. */
static void *syncer_main(void *user)
{
    Store *s = user;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->written.first && !s->stopped)
            pthread_cond_wait(&s->unsynced, &s->lock);
        StoreOp *ops = s->written.first;
        if (!ops)
            break;
        s->written = (OpList){NULL, &s->written.first};
        pthread_mutex_unlock(&s->lock);
        bool ok = s->backend->sync(s->state);
        for (StoreOp *op = ops; op; op = op->next)
            op->ok = op->ok && ok;
        call_done(ops);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

void store_help(Store *s)
{
    pthread_mutex_lock(&s->lock);
    if (!s->busy && s->waiting.first && s->urgent) {
        commit(s);
        if (s->stopping)
            pthread_cond_signal(&s->more);
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- what others call ---- */

static bool start_threads(Store *s)
{
    if (pthread_create(&s->writer, NULL, writer_main, s) != 0)
        return false;
    s->threads = 1;
    if (s->backend->sync && pthread_create(&s->syncer, NULL, syncer_main, s) == 0)
        s->threads = 2;
    return !s->backend->sync || s->threads == 2;
}

Store *store_open(const StoreBackend *backend, const StoreDesc *desc, char *why, size_t size)
{
    Store *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->backend = backend;
    s->metrics = desc->metrics;
    s->waiting.last = &s->waiting.first;
    s->written.last = &s->written.first;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->reading, NULL);
    pthread_cond_init(&s->more, NULL);
    pthread_cond_init(&s->unsynced, NULL);
    s->state = backend->open(desc, why, size);
    if (!s->state || !start_threads(s)) {
        store_close(s);
        return NULL;
    }
    return s;
}

void store_close(Store *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_signal(&s->more);
    pthread_mutex_unlock(&s->lock);
    if (s->threads > 0)
        pthread_join(s->writer, NULL);
    if (s->threads > 1)
        pthread_join(s->syncer, NULL);
    if (s->state)
        s->backend->close(s->state);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->reading);
    pthread_cond_destroy(&s->more);
    pthread_cond_destroy(&s->unsynced);
    free(s);
}

static void add(Store *s, StoreOp *op, bool urgent, bool wake)
{
    op->next = NULL;
    op->applied = op->ok = false;
    pthread_mutex_lock(&s->lock);
    list_add(&s->waiting, op, &op->next);
    s->urgent = s->urgent || urgent;
    if (wake)
        pthread_cond_signal(&s->more);
    pthread_mutex_unlock(&s->lock);
}

void store_submit(Store *s, StoreOp *op)
{
    add(s, op, true, true);
}

void store_submit_helped(Store *s, StoreOp *op)
{
    add(s, op, true, false);
}

void store_defer(Store *s, StoreOp *op)
{
    add(s, op, false, false);
}

void store_flush(Store *s)
{
    pthread_mutex_lock(&s->lock);
    s->urgent = s->waiting.first != NULL;
    pthread_cond_signal(&s->more);
    pthread_mutex_unlock(&s->lock);
}

typedef struct Waiting {
    pthread_mutex_t lock;
    pthread_cond_t  done;
    bool            is_done;
} Waiting;

static void on_applied(void *user, StoreOp *op)
{
    Waiting *w = user;
    (void)op;
    pthread_mutex_lock(&w->lock);
    w->is_done = true;
    pthread_cond_signal(&w->done);
    pthread_mutex_unlock(&w->lock);
}

bool store_apply(Store *s, StoreOp *op)
{
    Waiting w = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    op->done = on_applied;
    op->user = &w;
    store_submit(s, op);
    pthread_mutex_lock(&w.lock);
    while (!w.is_done)
        pthread_cond_wait(&w.done, &w.lock);
    pthread_mutex_unlock(&w.lock);
    return op->ok;
}

bool store_job_get(Store *s, Arena *arena, const char *id, bool with_blobs, JobRecord *out)
{
    pthread_mutex_lock(&s->reading);
    bool ok = s->backend->job_get(s->state, arena, id, with_blobs, out);
    pthread_mutex_unlock(&s->reading);
    return ok;
}

bool store_job_by_key(Store *s, Arena *arena, const char *tenant, const char *idem,
                      JobRecord *out)
{
    pthread_mutex_lock(&s->reading);
    bool ok = s->backend->job_by_key(s->state, arena, tenant, idem, out);
    pthread_mutex_unlock(&s->reading);
    return ok;
}

uint32_t store_job_list(Store *s, Arena *arena, const char *tenant, uint32_t states,
                        const char *after, JobRecord *out, uint32_t room)
{
    pthread_mutex_lock(&s->reading);
    uint32_t n = s->backend->job_list(s->state, arena, tenant, states, after, out, room);
    pthread_mutex_unlock(&s->reading);
    return n;
}

bool store_unfinished(Store *s, void (*each)(void *user, const JobRecord *job), void *user)
{
    pthread_mutex_lock(&s->reading);
    bool ok = s->backend->unfinished(s->state, each, user);
    pthread_mutex_unlock(&s->reading);
    return ok;
}

bool store_buffer_get(Store *s, Arena *arena, const char *tenant, const char *name,
                      BufferRecord *out)
{
    pthread_mutex_lock(&s->reading);
    bool ok = s->backend->buffer_get(s->state, arena, tenant, name, out);
    pthread_mutex_unlock(&s->reading);
    return ok;
}

uint32_t store_buffer_list(Store *s, Arena *arena, const char *tenant, BufferRecord *out,
                           uint32_t room)
{
    pthread_mutex_lock(&s->reading);
    uint32_t n = s->backend->buffer_list(s->state, arena, tenant, out, room);
    pthread_mutex_unlock(&s->reading);
    return n;
}

uint64_t store_failures(const Store *s)
{
    return s->backend->failures ? s->backend->failures(s->state) : 0;
}

const StoreShared *store_shared(const Store *s, void **state)
{
    *state = s->state;
    return s->backend->shared;
}

uint64_t store_bytes_of(Store *s, const char *tenant, StoreBytes what)
{
    pthread_mutex_lock(&s->reading);
    uint64_t n = s->backend->bytes_of(s->state, tenant, what);
    pthread_mutex_unlock(&s->reading);
    return n;
}
