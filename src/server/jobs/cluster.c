// SPDX-License-Identifier: Apache-2.0
/*
 * cluster.c - jobs that several servers share: one accepts a job, any of them runs it.
 *
 * in     jobs from the shared queue; announcements of other servers
 * out    claimed jobs for our workers; the ends of jobs that ran elsewhere
 * knows  a job may run twice after a crash: only the end of its newest attempt counts
 * not    NATS, Redis, HTTP
 *
 * A job is at home where a client waits for it, and held where its ticket is. Nothing here
 * is remembered over a restart: what a server forgets, another finds without a sign of life.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/jobs/jobs_priv.h"

#define TICK_NS    (200u * 1000000u)
#define POLL_NS    (2 * (uint64_t)NS_PER_S)     /* a job that was not heard of is looked up */
#define YIELD_NS   ((uint64_t)NS_PER_S) /* jobs that wait behind their tenant's long ones */
#define EXTRA      6u                   /* jobs taken beyond those that can run            */
#define STALE_ROOM 100u
#define UNANSWERED 64u                  /* claims                                         */

struct Cluster {
    Jobs           *js;
    Feed           *feed;               /* NULL: the queue is our own                      */
    const StoreShared *store;
    void           *state;              /* of the store                                    */
    pthread_mutex_t claims;             /* of the calls of `store`, and of the next two    */
    bool            closed;
    char            unanswered[UNANSWERED][STORE_ID_SIZE];     /* jobs that may be ours      */
    uint32_t        unanswered_next;
    pthread_t       thread, keeper;
    bool            runs, keeps;
    pthread_cond_t  work, keeping;      /* with the lock of the jobs                       */
    char            channel[64];        /* where changes of our jobs are told              */
    char          (*look)[STORE_ID_SIZE];   /* jobs to look up                             */
    uint32_t        look_count, look_room;
    uint64_t        kept_ns, swept_ns, health_ns;
    char            store_fault[256], queue_fault[256];     /* "": none                    */
};

/* ---- tickets ---- */

static void want_for(Cluster *s, const Pool *pool, const char *runner, uint64_t held)
{
    uint64_t limit = pool_limit(pool) + pool_long_jobs(pool) + EXTRA;
    feed_want(s->feed, runner, held < limit ? (uint32_t)(limit - held) : 0);
}

static void want_more(Cluster *s)
{
    Jobs *js = s->js;
    if (js->draining || *s->store_fault)
        return;
    /* Jobs that are kept must not shut out those of the queue. */
    uint64_t held = js->held[JOB_KERNEL] + js->kept;
    uint64_t limit = pool_limit(js->pool) + pool_long_jobs(js->pool) + EXTRA;
    want_for(s, js->pool, "", js->held[JOB_KERNEL] == 0 && held >= limit ? limit - 1 : held);
    if (js->gpu && *pool_figures(js->gpu).device)   /* jobs go to servers that have one */
        want_for(s, js->gpu, JOB_GPU, js->held[JOB_ON_GPU]);
}

static void hold(Jobs *js, Job *job, const char *ticket)
{
    js->kept -= job_is_kept(job);
    js->held[job->who] += !*job->ticket || job_is_kept(job);
    snprintf(job->ticket, sizeof job->ticket, "%s", ticket);
}

void cluster_let_go(Jobs *js, Job *job, ClusterEnd how)
{
    if (!*job->ticket)
        return;
    if (job_is_kept(job)) {
        js->kept--;
        *job->ticket = '\0';
        if (how == CLUSTER_PASS || how == CLUSTER_YIELD)
            job_pass_on(js, job);
        else if (how == CLUSTER_RETURN && job->accepted)
            cluster_add(js, job);       /* else when it is stored */
    } else {
        if (how == CLUSTER_DONE)
            feed_done(js->cluster->feed, job->ticket);
        else if (how == CLUSTER_PASS || how == CLUSTER_YIELD)
            job_pass_back(js, job, how == CLUSTER_YIELD ? YIELD_NS : 0);
        else if (how == CLUSTER_RETURN)
            feed_return(js->cluster->feed, job->ticket, 0);
        *job->ticket = '\0';
        js->held[job->who]--;
    }
    want_more(js->cluster);
}

Feed *cluster_feed(Jobs *js)
{
    return js->cluster->feed;
}

void cluster_add(Jobs *js, Job *job)
{
    job->added_ns = clock_ns();
    feed_add(js->cluster->feed, job->record.id, job->record.tenant, job->runner);
}

void cluster_follow(Jobs *js, const char *id)
{
    Cluster *s = js->cluster;
    pthread_mutex_lock(&s->claims);
    s->store->follow(s->state, id);
    pthread_mutex_unlock(&s->claims);
}

void cluster_want(Jobs *js, const char *runner, uint32_t count)
{
    feed_want(js->cluster->feed, runner, count);
}

/* ---- looking up ---- */

static void look_up(Cluster *s, const char *id)
{
    if (s->look_count == s->look_room) {
        uint32_t room = s->look_room ? s->look_room * 2 : 64;
        void    *more = realloc(s->look, room * sizeof *s->look);
        if (!more)
            return;
        s->look = more;
        s->look_room = room;
    }
    snprintf(s->look[s->look_count++], STORE_ID_SIZE, "%s", id);
    pthread_cond_signal(&s->work);
}

void cluster_look_up(Jobs *js, Job *job)
{
    look_up(js->cluster, job->record.id);
}

/* Takes a job away from our workers: it has ended, or a newer attempt has begun. */
static void stop_here(Jobs *js, Job *job, ClusterEnd how)
{
    job_stop(js, job);
    if (job->queued)
        job->queued = !js->queue_ops->remove(js->queue, job, job->record.tenant, job->runner);
    *job->lease = '\0';
    cluster_let_go(js, job, how);
}

static void take_end(Jobs *js, Job *job, const JobRecord *r)
{
    stop_here(js, job, CLUSTER_DONE);
    snprintf(job->message, sizeof job->message, "%s", r->message);
    pack_fini(&job->outputs);
    pack_raw(&job->outputs, r->outputs.data, r->outputs.size);
    job->record.message = job->message;
    job->record.error = r->error;
    job->record.attempt = r->attempt;
    job->record.started = r->started;
    job->record.finished = r->finished;
    job->record.figures = r->figures;
    job->record.state = r->state;
    job->accepted = true;
    job_uncount(js, job);
    job_change(js, job);
    job_forget(js, job);
}

/* What the store says of a job that is in our table. */
static void take_record(Jobs *js, const char *id, const JobRecord *r, bool found)
{
    Job *job = job_find_live(js, id);
    if (!job || job->ending || job->is_check || !job->accepted)
        return;
    job_ref(job);
    job->heard_ns = clock_ns();
    if (found && job_state_is_final(r->state)) {
        take_end(js, job, r);
    } else if (found && *job->ticket && r->attempt > job->record.attempt) {
        stop_here(js, job, CLUSTER_DROP);
        job->record.attempt = r->attempt;
        if (!job->home)
            job_forget(js, job);
    } else if (found && !*job->ticket && r->state != job->record.state) {
        job->record.state = r->state;
        job->record.attempt = r->attempt;
        job->record.started = r->started;
        job_change(js, job);
    } else if (!found && job->home && !job->follows) {
        job_put_again(js, job);         /* the store has lost it */
    }
    job_unref(js, job);
}

static void look_all(Cluster *s)
{
    Jobs *js = s->js;
    while (s->look_count) {
        char      id[STORE_ID_SIZE];
        Arena     arena;
        JobRecord record;
        char      why[256];
        strcpy(id, s->look[--s->look_count]);
        pthread_mutex_unlock(&js->lock);
        arena_init(&arena, 0);
        pthread_mutex_lock(&s->claims);
        bool found = s->store->job_get(s->state, &arena, id, true, &record);
        bool sure = found || s->store->health(s->state, why, sizeof why);
        pthread_mutex_unlock(&s->claims);
        pthread_mutex_lock(&js->lock);
        if (sure)
            take_record(js, id, &record, found);
        arena_fini(&arena);
        if (!sure)
            s->look_count = 0;          /* the store is gone: later */
    }
}

/* ---- what other servers say ---- */

/* "ID STATE ATTEMPT", or nothing: something may have been missed. */
static void on_message(void *user, const BusMessage *m)
{
    Cluster   *s = user;
    Jobs    *js = s->js;
    char     text[96] = "", id[STORE_ID_SIZE];
    unsigned state, attempt;
    memcpy(text, m->data ? m->data : "", MIN_OF(m->size, sizeof text - 1));
    pthread_mutex_lock(&js->lock);
    for (uint32_t i = 0; !m->data && i < JOBS_BUCKETS; i++)
        for (Job *job = js->table[i]; job; job = job->next)
            job->heard_ns = 0;
    if (m->data && sscanf(text, "%26s %u %u", id, &state, &attempt) == 3) {
        Job *job = job_find_live(js, id);
        if (job && !job->ending && !job->is_check && state >= JOB_DONE) {
            look_up(s, id);
        } else if (job && !job->ending && !*job->ticket && state == JOB_RUNNING) {
            job->heard_ns = clock_ns();
            job->record.state = JOB_RUNNING;
            job->record.attempt = attempt;
            job->record.started = jobs_now_ms();
            job_change(js, job);
        }
    }
    pthread_mutex_unlock(&js->lock);
}

/* ---- jobs that come ---- */

/* Why a claimed job cannot run. */
typedef struct Fault {
    weft_error_kind kind;               /* WEFT_ERROR_NONE: it can                        */
    char            why[256];
} Fault;

/* Named buffers of a claimed job, as run.c would gather them. */
static void gather(Cluster *s, Arena *arena, const JobRecord *r, const JobSpec *spec, Pack *tail,
                   Fault *fault)
{
    for (uint32_t i = 0; i < spec->input_count; i++) {
        BufferRecord b;
        char         name[WIRE_MAX_NAME + 1] = "";
        if (spec->inputs[i].kind != WIRE_BUFFER)
            continue;
        memcpy(name, spec->inputs[i].data, MIN_OF(spec->inputs[i].size, WIRE_MAX_NAME));
        if (!s->store->buffer_get(s->state, arena, r->tenant, name, &b)) {
            fault->kind = WEFT_ERROR_NOT_FOUND;
            snprintf(fault->why, sizeof fault->why, "there is no buffer '%s'", name);
            return;
        }
        pack_bytes(tail, b.bytes.data, b.bytes.size);
    }
}

static Job *adopt(Jobs *js, const JobRecord *r, const JobSpec *spec)
{
    Job *job = job_restore(r, spec);
    if (!job)
        return NULL;
    job_enter(js, job, NULL);
    job_unref(js, job);                 /* the table has it */
    return job;
}

/* With the lock. */
static void begin(Cluster *s, const JobRecord *r, const JobSpec *spec, Pack *tail,
                  const char *ticket, const Fault *fault)
{
    Jobs *js = s->js;
    Job  *job = job_find_live(js, r->id);
    if (js->draining || (job && (job->ending || *job->ticket))) {
        feed_return(s->feed, ticket, job ? NS_PER_S : 0);
        return;
    }
    if (!job && !(job = adopt(js, r, spec))) {
        feed_return(s->feed, ticket, NS_PER_S);
        return;
    }
    hold(js, job, ticket);
    pack_fini(&job->tail);
    job->tail = *tail;
    *tail = (Pack){0};
    job->record.attempt = r->attempt;
    job->arrived_ns = clock_ns();
    if (fault->kind != WEFT_ERROR_NONE) {
        job_end(js, job, JOB_FAILED, fault->kind, fault->why);
    } else if (r->attempt > js->config.workers_attempts
               || (r->attempt > 1 && !js->config.adapt_fallback)) {
        char why[128];
        snprintf(why, sizeof why, "the worker process died (attempt %u)", r->attempt - 1);
        job_end(js, job, JOB_FAILED, WEFT_ERROR_DEVICE_LOST, why);
    } else {
        job->record.state = JOB_QUEUED;
        job->queued = js->queue_ops->push(js->queue, &(QueueItem){
            job->record.tenant, job->runner, job->record.priority, job});
        jobs_pump(js);
    }
    want_more(s);
}

/* Reads a claimed job. One that a newer Weft stored is left to the servers that know it; one
 * that no server can read ends. */
static StoreClaim read_claimed(Cluster *s, Arena *arena, const JobRecord *r, JobSpec *spec,
                               Pack *tail, Fault *fault)
{
    Unpack   u = {.data = r->spec.data, .size = r->spec.size};
    uint64_t failures = store_failures(s->js->store);
    if (job_spec_unpack(&u, spec)) {
        gather(s, arena, r, spec, tail, fault);
        return store_failures(s->js->store) == failures ? STORE_CLAIMED : STORE_UNREACHABLE;
    }
    if (job_is_newer(s->js, r))
        return STORE_UNREACHABLE;
    *spec = (JobSpec){.wgsl = "", .runner = ""};
    fault->kind = WEFT_ERROR_FORMAT;
    snprintf(fault->why, sizeof fault->why, JOB_UNREADABLE);
    return STORE_CLAIMED;
}

/* It was asked for before the server began to end. No claim: that would count as an attempt. */
static bool refuse_while_draining(Cluster *s, const char *ticket)
{
    pthread_mutex_lock(&s->js->lock);
    bool draining = s->js->draining;
    pthread_mutex_unlock(&s->js->lock);
    if (draining)
        feed_return(s->feed, ticket, 0);
    return draining;
}

/* The queue gives a job once more that we have: it took us for dead. No attempt is counted. */
static bool have_already(Cluster *s, const char *id, const char *ticket)
{
    pthread_mutex_lock(&s->js->lock);
    Job *job = job_find_live(s->js, id);
    bool have = job && *job->ticket;
    if (have) {
        hold(s->js, job, ticket);
        feed_keep(s->feed, ticket);
    }
    pthread_mutex_unlock(&s->js->lock);
    return have;
}

/* A claim whose answer did not come may have been carried out; it is not another attempt when it
 * is repeated, or a job would fail because Redis hangs. With `claims`. */
static StoreClaim claim(Cluster *s, Arena *arena, const char *id, JobRecord *out, JobSpec *spec,
                        Pack *tail, Fault *fault)
{
    uint32_t at = 0;
    while (at < UNANSWERED && strcmp(s->unanswered[at], id) != 0)
        at++;
    bool       again = at < UNANSWERED;
    StoreClaim result = s->store->claim(s->state, arena, id, again, out);
    if (result == STORE_CLAIMED)
        result = read_claimed(s, arena, out, spec, tail, fault);
    if (again && result != STORE_UNREACHABLE)
        *s->unanswered[at] = '\0';
    else if (!again && result == STORE_UNREACHABLE)
        strcpy(s->unanswered[s->unanswered_next++ % UNANSWERED], id);
    return result;
}

/* On a thread of the feed. */
static void on_job(void *user, const char *id, const char *ticket)
{
    Cluster  *s = user;
    Arena     arena;
    JobRecord record;
    Pack      tail = {0};
    Fault     fault = {WEFT_ERROR_NONE, ""};
    if (have_already(s, id, ticket) || refuse_while_draining(s, ticket))
        return;
    JobSpec  *spec = calloc(1, sizeof *spec);
    arena_init(&arena, 0);
    pthread_mutex_lock(&s->claims);
    StoreClaim what = s->closed ? STORE_UNREACHABLE
                    : strlen(id) == STORE_ID_SIZE - 1 && spec
                    ? claim(s, &arena, id, &record, spec, &tail, &fault) : STORE_MISSING;
    pthread_mutex_unlock(&s->claims);
    if (what == STORE_CLAIMED) {
        pthread_mutex_lock(&s->js->lock);
        begin(s, &record, spec, &tail, ticket, &fault);
        pthread_mutex_unlock(&s->js->lock);
    } else if (what == STORE_UNREACHABLE) {
        feed_return(s->feed, ticket, NS_PER_S);     /* it is tried again, perhaps elsewhere */
    } else {
        feed_done(s->feed, ticket);     /* it has ended, or was deleted */
    }
    pack_fini(&tail);
    arena_fini(&arena);
    free(spec);
}

static void on_placed(void *user, const char *id, uint64_t place)
{
    Cluster *s = user;
    pthread_mutex_lock(&s->js->lock);
    Job *job = job_find_live(s->js, id);
    if (job)
        job->place = place;
    pthread_mutex_unlock(&s->js->lock);
}

static void on_data(void *user, const char *subject, const void *data, size_t size)
{
    Cluster *s = user;
    if (s->js->desc.on_data)
        s->js->desc.on_data(s->js->desc.user, subject, data, size);
}

/* ---- from time to time ---- */

/* Should another server, or a job of another tenant, have its turn instead? */
static ClusterEnd what_of_waiting(const Cluster *s, const Job *job, uint64_t now)
{
    Jobs    *js = s->js;
    uint64_t waits = now - job->arrived_ns;
    if (!job->queued || !*job->ticket)
        return CLUSTER_DONE;
    if (job->who == JOB_FOREIGN)
        return waits > js->config.queue_ack_wait ? CLUSTER_PASS : CLUSTER_DONE;
    if (job_is_kept(job))
        return waits > JOB_PASS_NS ? CLUSTER_PASS : CLUSTER_DONE;
    return waits > YIELD_NS && pool_is_crowded(job_pool(js, job), job->record.tenant)
         ? CLUSTER_YIELD : CLUSTER_DONE;
}

/* Of every live job: is it kept, placed, heard of? With the lock. */
static uint32_t visit_jobs(Cluster *s, uint64_t now, bool keep, const char **ids, uint32_t room)
{
    Jobs    *js = s->js;
    uint32_t n = 0;
    for (uint32_t i = 0; i < JOBS_BUCKETS; i++)
        for (Job *job = js->table[i], *next; job; job = next) {
            next = job->next;
            if (job->is_check || !job->accepted || job->ending)
                continue;
            ClusterEnd how = what_of_waiting(s, job, now);
            if (how != CLUSTER_DONE) {
                stop_here(js, job, how);
                if (!job->home)
                    job_forget(js, job);
                continue;
            }
            if (*job->ticket && keep && n < room)
                ids[n++] = job->record.id;
            if (!*job->ticket && !job->place && !job->follows && now - job->added_ns > POLL_NS)
                cluster_add(js, job);
            if (!*job->ticket && now - job->heard_ns > POLL_NS && s->look_count < 256) {
                job->heard_ns = now;
                look_up(s, job->record.id);
            }
        }
    return n;
}

bool cluster_is_well(const Jobs *js)
{
    return !*js->cluster->store_fault;
}

static void keep_all(Cluster *s, uint64_t now)
{
    Jobs       *js = s->js;
    bool        keep = now - s->kept_ns > js->config.queue_ack_wait / 3;
    const char *ids[4096];
    char      (*copies)[STORE_ID_SIZE] = NULL;
    uint32_t    n = visit_jobs(s, now, keep, ids, 4096);
    if (!keep)
        return;
    s->kept_ns = now;
    copies = n ? malloc(n * sizeof *copies) : NULL;
    for (uint32_t i = 0; copies && i < n; i++) {
        strcpy(copies[i], ids[i]);
        ids[i] = copies[i];
    }
    pthread_mutex_unlock(&js->lock);
    pthread_mutex_lock(&s->claims);
    if (copies)
        s->store->touch(s->state, ids, n);
    pthread_mutex_unlock(&s->claims);
    pthread_mutex_lock(&js->lock);
    free(copies);
}

/* Jobs without a sign of life whose message the queue does not have are added again. Called
 * without the lock. */
static void rescue(Cluster *s)
{
    StaleJob jobs[STALE_ROOM];
    Arena    arena;
    arena_init(&arena, 0);
    pthread_mutex_lock(&s->claims);
    uint32_t n = s->store->stale(s->state, &arena,
                                 s->js->config.queue_ack_wait * 2 / 1000000, jobs, STALE_ROOM);
    pthread_mutex_unlock(&s->claims);
    for (uint32_t i = 0; i < n; i++)
        if (!jobs[i].place || feed_has(s->feed, jobs[i].place, jobs[i].id) == 0)
            feed_add(s->feed, jobs[i].id, jobs[i].tenant, jobs[i].runner);
    arena_fini(&arena);
}

/* The places of jobs that are still waiting are kept, so that others can look there. */
static void store_places(Cluster *s)
{
    Jobs *js = s->js;
    char (*ids)[STORE_ID_SIZE] = malloc(256 * sizeof *ids);
    uint64_t places[256];
    uint32_t n = 0;
    for (uint32_t i = 0; ids && i < JOBS_BUCKETS; i++)
        for (Job *job = js->table[i]; job && n < 256; job = job->next)
            if (job->place && !job->place_stored && !job->ending) {
                strcpy(ids[n], job->record.id);
                places[n++] = job->place;
                job->place_stored = true;
            }
    pthread_mutex_unlock(&js->lock);
    pthread_mutex_lock(&s->claims);
    for (uint32_t i = 0; i < n; i++)
        s->store->place(s->state, ids[i], places[i]);
    pthread_mutex_unlock(&s->claims);
    pthread_mutex_lock(&js->lock);
    free(ids);
}

static void check_health(Cluster *s)
{
    Jobs *js = s->js;
    char  store[256] = "", queue[256] = "";
    pthread_mutex_unlock(&js->lock);
    pthread_mutex_lock(&s->claims);
    bool ok = s->store->health(s->state, store, sizeof store);
    pthread_mutex_unlock(&s->claims);
    if (s->feed && feed_is_up(s->feed, queue, sizeof queue))
        *queue = '\0';
    pthread_mutex_lock(&js->lock);
    if (strcmp(s->queue_fault, queue) != 0)
        alert_set(js, "queue", *queue, *queue ? queue : "NATS is back");
    strcpy(s->store_fault, ok ? "" : store);
    strcpy(s->queue_fault, queue);
    jobs_store_health(js, ok);
    if (ok && s->feed)
        want_more(s);
    else if (ok)
        jobs_pump(js);                  /* jobs may wait for their buffers */
}

static void tick(Cluster *s)
{
    Jobs    *js = s->js;
    uint64_t now = clock_ns();
    if (now - s->health_ns > NS_PER_S) {
        s->health_ns = now;
        check_health(s);
    }
    if (!s->feed)
        return;
    store_flush(js->store);             /* kept jobs that take long become visible */
    keep_all(s, now);
    store_places(s);
    pthread_mutex_unlock(&js->lock);
    feed_tick(s->feed);
    if (now - s->swept_ns > js->config.queue_ack_wait && !*s->store_fault && !*s->queue_fault) {
        s->swept_ns = now;
        rescue(s);
    }
    pthread_mutex_lock(&js->lock);
}

/* Tells the queue that jobs are still ours. On a thread of its own, which does not wait for
 * Redis: a job whose server is silent goes to another. */
static void *keeper_main(void *user)
{
    Cluster *s = user;
    Jobs    *js = s->js;
    uint64_t period = MIN_OF(js->config.queue_ack_wait / 4, 5 * (uint64_t)NS_PER_S);
    pthread_mutex_lock(&js->lock);
    while (!js->closing) {
        for (uint32_t i = 0; i < JOBS_BUCKETS; i++)
            for (Job *job = js->table[i]; job; job = job->next)
                if (*job->ticket && !job_is_kept(job))
                    feed_keep(s->feed, job->ticket);
        clock_wait(&s->keeping, &js->lock, clock_ns() + MAX_OF(period, TICK_NS / 4));
    }
    pthread_mutex_unlock(&js->lock);
    return NULL;
}

static void *thread_main(void *user)
{
    Cluster *s = user;
    Jobs  *js = s->js;
    pthread_mutex_lock(&js->lock);
    for (uint64_t next = 0; !js->closing;) {
        look_all(s);
        if (clock_ns() >= next) {
            tick(s);
            next = clock_ns() + TICK_NS;
        }
        if (!s->look_count && !js->closing)
            clock_wait(&s->work, &js->lock, next);
    }
    pthread_mutex_unlock(&js->lock);
    return NULL;
}

/* ---- opening ---- */

bool cluster_open(Jobs *js, char *why, size_t size)
{
    void              *state;
    const StoreShared *store = store_shared(js->store, &state);
    bool               nats = strcmp(js->config.queue_kind, "nats") == 0;
    if (!store)
        return true;
    Cluster *s = js->cluster = calloc(1, sizeof *s);
    if (!s) {
        snprintf(why, size, "out of memory");
        return false;
    }
    s->js = js;
    s->store = store;
    s->state = state;
    pthread_mutex_init(&s->claims, NULL);
    clock_cond_init(&s->work);
    clock_cond_init(&s->keeping);
    snprintf(s->channel, sizeof s->channel, "jobs:%s", js->desc.server ? js->desc.server : "");
    if (js->desc.bus) {
        bus_subscribe(js->desc.bus, "jobs", on_message, s);
        bus_subscribe(js->desc.bus, s->channel, on_message, s);
    }
    if (nats && !(s->feed = feed_open(&(FeedDesc){
            .url = js->config.queue_url, .name = js->config.queue_name,
            .ack_wait = js->config.queue_ack_wait, .on_job = on_job, .on_placed = on_placed,
            .on_data = on_data, .user = s}, why, size)))
        return false;
    js->feeds = s->feed != NULL;
    return true;
}

bool cluster_start(Jobs *js)
{
    Cluster *s = js->cluster;
    if (!s)
        return true;
    pthread_mutex_lock(&js->lock);
    if (s->feed)
        want_more(s);
    pthread_mutex_unlock(&js->lock);
    s->runs = pthread_create(&s->thread, NULL, thread_main, s) == 0;
    s->keeps = s->feed && pthread_create(&s->keeper, NULL, keeper_main, s) == 0;
    return s->runs && s->keeps == (s->feed != NULL);
}

/* With the lock: jobs that have not begun go to other servers. */
void cluster_drain(Jobs *js)
{
    if (!js->feeds)
        return;
    feed_want(js->cluster->feed, "", 0);
    for (uint32_t i = 0; i < JOBS_BUCKETS; i++)
        for (Job *job = js->table[i], *next; job; job = next) {
            next = job->next;
            if (job->queued && *job->ticket)
                stop_here(js, job, CLUSTER_PASS);
        }
}

void cluster_close(Jobs *js)
{
    Cluster *s = js->cluster;
    if (!s)
        return;
    pthread_mutex_lock(&js->lock);
    pthread_cond_signal(&s->work);
    pthread_cond_signal(&s->keeping);
    pthread_mutex_unlock(&js->lock);
    if (s->runs)
        pthread_join(s->thread, NULL);
    if (s->keeps)
        pthread_join(s->keeper, NULL);
    s->runs = s->keeps = false;
    pthread_mutex_lock(&s->claims);
    s->closed = true;
    pthread_mutex_unlock(&s->claims);
}

void cluster_free(Jobs *js)
{
    Cluster *s = js->cluster;
    if (!s)
        return;
    feed_close(s->feed);
    pthread_mutex_destroy(&s->claims);
    pthread_cond_destroy(&s->work);
    pthread_cond_destroy(&s->keeping);
    free(s->look);
    free(s);
    js->cluster = NULL;
}

bool jobs_fault(Jobs *js, char *why, size_t size)
{
    pthread_mutex_lock(&js->lock);
    Cluster *s = js->cluster;
    *why = '\0';
    if (s)
        snprintf(why, size, "%s", *s->store_fault ? s->store_fault
                                : *s->queue_fault ? s->queue_fault
                                : !js->desc.bus || bus_is_up(js->desc.bus) ? ""
                                : "Redis cannot be reached: its channels are not subscribed to");
    pthread_mutex_unlock(&js->lock);
    return *why;
}

bool jobs_listen(Jobs *js, const char *subject)
{
    return js->feeds && feed_listen(js->cluster->feed, subject);
}
