// SPDX-License-Identifier: Apache-2.0
/*
 * jobs.c - the table of live jobs: how they come, change and go.
 *
 * in     submissions, ends
 * out    durable records, waiters woken
 * knows  a job is visible as accepted, and as ended, only once the store has it
 * not    workers (run.c), quotas (tenant.c), HTTP
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/jobs/jobs_priv.h"

#define HELPED_BYTES 65536u             /* larger results are written by the store's thread */

/* ---- counting ---- */

void job_ref(Job *job)
{
    job->refs++;
}

void job_unref(Jobs *js, Job *job)
{
    if (--job->refs)
        return;
    if (job->room)
        tenant_add_room(js, job->tenant, -(int64_t)job->room);
    pack_fini(&job->spec);
    pack_fini(&job->outputs);
    pack_fini(&job->tail);
    free(job->report);
    free(job->buffers);
    free(job->texts);
    free(job);
}

void job_release(Jobs *js, Job *job)
{
    pthread_mutex_lock(&js->lock);
    job_unref(js, job);
    pthread_mutex_unlock(&js->lock);
}

void job_change(Jobs *js, Job *job)
{
    (void)js;
    bool durable = job->accepted || job->refused || job_state_is_final(job->record.state);
    job->changes++;
    for (JobWaiter *w = job->waiters, *next; w; w = next) {
        next = w->next;
        if (w->every || (durable && (!job->waits || job_state_is_final(job->record.state)
                                     || job->refused)))
            w->wake(w->user);
    }
}

void jobs_step(Jobs *js, StateEvent event)
{
    if (!state_accepts(js->state, event))
        return;
    State from = js->state;
    js->state = state_next(from, event);
    metrics_set(js->desc.metrics, METRIC_STATE, from, 0);
    metrics_set(js->desc.metrics, METRIC_STATE, js->state, 1);
    metrics_add(js->desc.metrics, METRIC_TRANSITIONS, 0, 1);
    if (js->desc.on_state)
        js->desc.on_state(js->desc.user, from, event, js->state);
    LogLevel level = event == EVENT_WORK || event == EVENT_NO_WORK ? LOG_DEBUG
                   : event == EVENT_STORE_FAILED ? LOG_WARN : LOG_INFO;
    log_event(js->desc.log, level, "server-state", state_name(js->state), "weft.from",
              state_name(from), "weft.event", state_event_name(event), NULL);
}

/* ---- the table ---- */

static Job **bucket_of(Jobs *js, const char *id)
{
    uint32_t h = 0;
    for (const char *at = id + 10; *at; at++)
        h = h * 33 + (unsigned char)*at;
    return &js->table[h % JOBS_BUCKETS];
}

static void table_add(Jobs *js, Job *job)
{
    Job **bucket = bucket_of(js, job->record.id);
    job->next = *bucket;
    *bucket = job;
    job->in_table = true;
    job_ref(job);
    js->live++;
    job->tenant->live++;
    if (job->origin)
        job->origin->live++;
    js->waiting += job->waits;
    job->counted = true;
    if (js->live == 1)
        jobs_step(js, EVENT_WORK);
}

void job_uncount(Jobs *js, Job *job)
{
    if (!job->counted)
        return;
    job->counted = false;
    job->tenant->live--;
    if (job->origin)
        job->origin->live--;
    js->waiting -= job->waits;
}

void job_forget(Jobs *js, Job *job)
{
    if (!job->in_table)
        return;
    Job **at = bucket_of(js, job->record.id);
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    job->in_table = false;
    js->live--;
    job_uncount(js, job);
    if (js->live == 0)
        jobs_step(js, EVENT_NO_WORK);
    pthread_cond_broadcast(&js->calm);
    job_unref(js, job);
}

Job *job_find_live(Jobs *js, const char *id)
{
    if (strlen(id) != STORE_ID_SIZE - 1)
        return NULL;
    Job *job = *bucket_of(js, id);
    while (job && strcmp(job->record.id, id) != 0)
        job = job->next;
    return job;
}

Job *jobs_find(Jobs *js, const char *tenant, const char *id)
{
    pthread_mutex_lock(&js->lock);
    Job *job = job_find_live(js, id);
    if (job && (job->is_check || strcmp(job->record.tenant, tenant) != 0))
        job = NULL;
    if (job)
        job_ref(job);
    pthread_mutex_unlock(&js->lock);
    return job;
}

void jobs_overlay(Jobs *js, JobRecord *records, uint32_t count)
{
    pthread_mutex_lock(&js->lock);
    for (uint32_t i = 0; i < count; i++) {
        Job *job = job_find_live(js, records[i].id);
        if (!job)
            continue;
        records[i].state = job->record.state;
        records[i].started = job->record.started;
        records[i].attempt = job->record.attempt;
    }
    pthread_mutex_unlock(&js->lock);
}

void job_watch(Jobs *js, Job *job, JobWaiter *waiter)
{
    pthread_mutex_lock(&js->lock);
    waiter->next = job->waiters;
    job->waiters = waiter;
    pthread_mutex_unlock(&js->lock);
}

void job_unwatch(Jobs *js, Job *job, JobWaiter *waiter)
{
    pthread_mutex_lock(&js->lock);
    for (JobWaiter **at = &job->waiters; *at; at = &(*at)->next)
        if (*at == waiter) {
            *at = waiter->next;
            break;
        }
    pthread_mutex_unlock(&js->lock);
}

void job_view(Jobs *js, Job *job, JobView *out)
{
    pthread_mutex_lock(&js->lock);
    *out = (JobView){.record = job->record, .accepted = job->accepted, .refused = job->refused,
                     .progress = job->progress, .report = job->report,
                     .changes = job->changes, .moved = job->moved};
    out->record.spec = (StoreBlob){job->spec.data, job->spec.size};
    /* Outputs are visible once their job has ended, which is once they are durable. */
    if (job_state_is_final(job->record.state))
        out->record.outputs = (StoreBlob){job->outputs.data, job->outputs.size};
    pthread_mutex_unlock(&js->lock);
}

/* ---- ends ---- */

void jobs_store_health(Jobs *js, bool ok)
{
    if (ok == !js->store_failed)
        return;
    js->store_failed = !ok;
    jobs_step(js, ok ? EVENT_STORE_WORKS : EVENT_STORE_FAILED);
    if (ok && js->live)
        jobs_step(js, EVENT_WORK);
    alert_set(js, "store", !ok, "the store does not take changes: is it full or out of reach?");
}

static void make_visible(Jobs *js, Job *job, const StoreOp *op)
{
    job->record.state = op->job.state;
    job->record.finished = op->job.finished;
    job_uncount(js, job);
    job_change(js, job);
    if (js->desc.on_end) {
        JobRecord ended = job->record;
        ended.outputs = (StoreBlob){job->outputs.data, job->outputs.size};
        js->desc.on_end(js->desc.user, &ended, job->publish);
    }
}

/* On a thread of the store: the end survives this process, and nothing else depends on it. */
static void on_end_written(void *user, StoreOp *op)
{
    Job  *job = user;
    Jobs *js = op->owner;
    if (!op->applied)
        return;
    pthread_mutex_lock(&js->lock);
    jobs_store_health(js, true);
    make_visible(js, job, op);
    pthread_mutex_unlock(&js->lock);
}

/* On a thread of the store. An end that it did not take is tried again: the job has run, and
 * its result must not be lost while the disk is full for a moment. */
static void on_ended(void *user, StoreOp *op)
{
    Job  *job = user;
    Jobs *js = op->owner;
    pthread_mutex_lock(&js->lock);
    js->store_ops--;
    jobs_store_health(js, op->ok);
    if (!op->ok && !job->refused && !js->closing) {
        job->ending = true;
        job->lease_until = clock_ns() + NS_PER_S;       /* then it is tried again */
        js->ends_refused++;
        pthread_mutex_unlock(&js->lock);
        return;
    }
    job->ending = false;
    if (js->feeds && job->refused) {    /* it ran before the store had refused it */
        job_unref(js, job);
        pthread_mutex_unlock(&js->lock);
        return;
    }
    if (js->feeds && op->ok && !op->applied) {
        /* Another server has ended it, or a newer attempt will. */
        cluster_look_up(js, job);
        job_unref(js, job);
        pthread_mutex_unlock(&js->lock);
        return;
    }
    cluster_let_go(js, job, CLUSTER_DONE);
    if (op->ok && op->applied)
        tenant_add_stored(job->tenant, op->job.bytes, job->spec.size);
    job->tenant->stale_buffers = job->tenant->stale_buffers || op->buffer_count;
    if (!job_state_is_final(job->record.state))
        make_visible(js, job, op);
    job_forget(js, job);
    job_unref(js, job);
    pthread_mutex_unlock(&js->lock);
}

static void submit_end(Jobs *js, Job *job)
{
    bool early = job->waits && !job->buffer_count && !*job->record.idem
              && strcmp(js->config.store_answer, "written") == 0;
    js->store_ops++;
    job->end.written = early ? on_end_written : NULL;
    job->end.done = on_ended;
    job->end.user = job;
    job->end.owner = js;
    if (js->on_pool_thread && job->outputs.size <= HELPED_BYTES)
        store_submit_helped(js->store, &job->end);
    else
        store_submit(js->store, &job->end);
}

static void log_end(const Jobs *js, const Job *job, JobState state)
{
    static const char *const outcomes[] = {
        [JOB_DONE] = "success", [JOB_FAILED] = "failure", [JOB_CANCELLED] = "unknown"};
    log_event(js->desc.log, state == JOB_FAILED ? LOG_INFO : LOG_DEBUG, "job-end",
              *job->message ? job->message : "done", "event.outcome", outcomes[state],
              "weft.job", job->record.id, "weft.tenant", job->record.tenant, "traceparent",
              job->record.trace, NULL);
}

void job_end(Jobs *js, Job *job, JobState state, weft_error_kind kind, const char *message)
{
    if (job->ending || job_state_is_final(job->record.state))
        return;
    snprintf(job->message, sizeof job->message, "%s", message);
    job->record.error = (int)kind;
    job->record.message = job->message;
    metrics_add(js->desc.metrics, METRIC_FINISHED,
                state == JOB_DONE ? 0 : state == JOB_FAILED ? 1 : 2, 1);
    alerts_outcome(js, state == JOB_FAILED);
    if (job->is_check) {
        job->record.state = state;
        job_change(js, job);
        job_forget(js, job);
        return;
    }
    log_end(js, job, state);
    job->ending = true;
    job_ref(job);
    job->end = (StoreOp){.kind = STORE_END_JOB, .job = job->record,
                         .buffers = job->buffers, .buffer_count = job->buffer_count};
    job->end.any_attempt = !js->feeds || state == JOB_CANCELLED;
    job->end.job.state = state;
    job->end.job.finished = jobs_now_ms();
    job->end.job.bytes = job->outputs.size;
    job->end.job.outputs = (StoreBlob){job->outputs.data, job->outputs.size};
    submit_end(js, job);
}

bool jobs_cancel(Jobs *js, Job *job)
{
    pthread_mutex_lock(&js->lock);
    bool may = !job->ending && !job_state_is_final(job->record.state);
    if (may) {
        job->cancelled = true;
        job_stop(js, job);
        if (job->queued && js->queue_ops->remove(js->queue, job, job->record.tenant,
                                                 job->runner))
            job->queued = false;
        *job->lease = '\0';
        job_end(js, job, JOB_CANCELLED, WEFT_ERROR_CANCELLED, "cancelled by its owner");
    }
    pthread_mutex_unlock(&js->lock);
    return may;
}

/* Ends that the store refused are tried again every second, even if it has taken others
 * meanwhile. */
void jobs_retry_ends(Jobs *js, uint64_t now)
{
    for (uint32_t i = 0; js->ends_refused && i < JOBS_BUCKETS; i++)
        for (Job *job = js->table[i]; job; job = job->next)
            if (job->ending && job->lease_until && now >= job->lease_until) {
                job->lease_until = 0;
                js->ends_refused--;
                submit_end(js, job);
            }
}

/* ---- submitting ---- */

static char *put_text(char **at, const char *text)
{
    char  *start = *at;
    size_t size = strlen(text) + 1;
    memcpy(start, text, size);
    *at += size;
    return start;
}

Job *job_new(const JobSubmit *s, const JobSpec *spec)
{
    Job   *job = calloc(1, sizeof *job);
    const char *publish = spec->publish ? spec->publish : "";
    bool   gpu = spec->profile && strcmp(spec->profile, "gpu") == 0;
    const char *runner = gpu ? JOB_GPU : spec->runner;
    size_t size = strlen(s->tenant) + strlen(s->origin) + strlen(s->subject)
                + strlen(s->trace) + strlen(s->idem) + strlen(runner)
                + strlen(publish) + 7;
    char  *texts = job ? malloc(size) : NULL;
    if (!texts) {
        free(job);
        return NULL;
    }
    char *at = job->texts = texts;
    job->refs = 1;
    job->record = (JobRecord){
        .tenant = put_text(&at, s->tenant), .origin = put_text(&at, s->origin),
        .subject = put_text(&at, s->subject), .trace = put_text(&at, s->trace),
        .idem = put_text(&at, s->idem), .priority = s->priority, .message = "",
        .created = jobs_now_ms(),
    };
    job->runner = put_text(&at, runner);
    job->who = gpu ? JOB_ON_GPU : *runner ? JOB_FOREIGN : JOB_KERNEL;
    job->publish = put_text(&at, publish);
    memcpy(job->record.request_hash, s->request_hash, sizeof job->record.request_hash);
    jobs_new_id(job->record.id);
    job->waits = s->waits;
    job->spec = *s->spec;
    *s->spec = (Pack){0};
    job->memory_limit = spec->memory_limit;
    job->time_limit = spec->time_limit;
    job->ops_limit = spec->ops_limit;
    job->submitted_ns = clock_ns();
    for (uint32_t i = 0; i < spec->output_count; i++)
        job->output_bytes += spec->outputs[i].size;
    for (const char *c = spec->wgsl; *c; c++)
        job->wgsl_hash = (job->wgsl_hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    return job;
}

Job *job_restore(const JobRecord *r, const JobSpec *spec)
{
    Pack      copy = {0};
    JobSubmit s = {.tenant = r->tenant, .origin = r->origin, .subject = r->subject,
                   .trace = r->trace, .idem = r->idem, .priority = r->priority, .spec = &copy,
                   .parsed = spec};
    memcpy(s.request_hash, r->request_hash, sizeof s.request_hash);
    pack_raw(&copy, r->spec.data, r->spec.size);
    Job *job = copy.failed ? NULL : job_new(&s, spec);
    pack_fini(&copy);
    if (job) {
        memcpy(job->record.id, r->id, sizeof r->id);
        job->record.created = r->created;
        job->record.attempt = r->attempt;
        job->accepted = true;
    }
    return job;
}

static const struct { weft_error_kind kind; const char *message; } refusals[] = {
    [STORE_NOT_REFUSED] = {WEFT_ERROR_IO, "the store did not take the job: is it full or out of "
                                          "reach?"},
    [STORE_KEY_EXISTS] = {WEFT_ERROR_EXISTS, "the idempotency key was used with another "
                                             "request"},
    [STORE_QUOTA_JOBS] = {WEFT_ERROR_QUOTA, "quota: too many jobs wait or run"},
    [STORE_QUOTA_BYTES] = {WEFT_ERROR_QUOTA, "quota: stored bytes"},
    [STORE_QUEUE_FULL] = {WEFT_ERROR_DEVICE_LOST, "the queue is full"},
};

static void refuse(Jobs *js, Job *job, const StoreOp *op)
{
    if (job->queued)
        job->queued = !js->queue_ops->remove(js->queue, job, job->record.tenant, job->runner);
    if (job->running && !js->feeds)
        return;
    if (js->feeds)
        cluster_let_go(js, job, CLUSTER_DROP);
    job->record.state = JOB_FAILED;
    job->record.error = (int)refusals[op->refusal].kind;
    job->record.message = refusals[op->refusal].message;
    job_forget(js, job);
}

/* On the store's thread: the job is durable, or was refused. */
static void on_put(void *user, StoreOp *op)
{
    Job  *job = user;
    Jobs *js = op->owner;
    pthread_mutex_lock(&js->lock);
    js->store_ops--;
    jobs_store_health(js, op->ok);
    bool put = op->ok && op->refusal == STORE_NOT_REFUSED;
    if (op->refusal == STORE_KEY_EXISTS && op->same_request) {
        strcpy(job->moved, op->existing);
        job->refused = true;
        job_forget(js, job);
    } else {
        job->accepted = put;
        job->refused = !put;
        job->tenant->refused_ns = put ? job->tenant->refused_ns : clock_ns();
        tenant_add_stored(job->tenant, put ? job->spec.size : 0, 0);
        if (!put && (!job->ending || js->feeds))
            refuse(js, job, op);
        else if (put && js->feeds && !*job->ticket && !job->ending && !job->start_pending)
            cluster_add(js, job);
    }
    job->heard_ns = clock_ns();
    job_change(js, job);
    job_unref(js, job);
    pthread_mutex_unlock(&js->lock);
}

static void submit_put(Jobs *js, Job *job)
{
    job_ref(job);                       /* of the change in the store */
    job->put = (StoreOp){.kind = STORE_PUT_JOB, .job = job->record, .done = on_put, .user = job,
                         .owner = js, .runner = job->runner};
    job->put.job.spec = (StoreBlob){job->spec.data, job->spec.size};
    job->put.job.bytes = job->spec.size;
    if (js->config.sec_limits) {
        job->put.quota_jobs = js->config.quota_queued;
        job->put.quota_bytes = js->config.quota_stored;
    }
    job->put.quota_all = js->config.queue_max;
    job->put.kept = *job->ticket;
    js->store_ops++;
    /* A client that waits for the end learns nothing before: one transaction is enough. */
    if (job->waits && (!js->cluster || job->put.kept))
        store_defer(js->store, &job->put);
    else
        store_submit(js->store, &job->put);
}

void job_put_again(Jobs *js, Job *job)
{
    cluster_let_go(js, job, CLUSTER_DONE);
    job->record.state = JOB_QUEUED;
    job->accepted = job->place_stored = false;
    job->place = 0;
    submit_put(js, job);
}

void job_enter(Jobs *js, Job *job, JobWaiter *waiter)
{
    job->tenant = tenant_get(js, job->record.tenant);
    job->origin = *job->record.origin ? tenant_get(js, job->record.origin) : NULL;
    job->room = job->spec.size;
    tenant_add_room(js, job->tenant, (int64_t)job->room);
    if (waiter) {
        waiter->next = NULL;
        job->waiters = waiter;
    }
    table_add(js, job);
    if (js->feeds && !job->is_check && !*job->ticket)
        return;                         /* it comes back with a ticket, here or elsewhere */
    job->queued = js->queue_ops->push(js->queue, &(QueueItem){
        job->record.tenant, job->runner, job->record.priority, job});
}

/* The live job with this key, or NULL. */
static Job *find_key(Jobs *js, const char *tenant, const char *idem)
{
    for (uint32_t i = 0; i < JOBS_BUCKETS; i++)
        for (Job *job = js->table[i]; job; job = job->next)
            if (*job->record.idem && strcmp(job->record.idem, idem) == 0
                && strcmp(job->record.tenant, tenant) == 0)
                return job;
    return NULL;
}

/* A job with this key that has ended. Looked for after the live ones: a job leaves the
 * table only once its end is in the store. */
static bool find_stored_key(Jobs *js, const JobSubmit *s, bool *existed, weft_error_kind *kind,
                            char *why, size_t size)
{
    Arena     arena;
    JobRecord record;
    arena_init(&arena, 0);
    bool found = store_job_by_key(js->store, &arena, s->tenant, s->idem, &record);
    if (found && memcmp(record.request_hash, s->request_hash, 32) != 0) {
        *kind = WEFT_ERROR_EXISTS;
        snprintf(why, size, "the idempotency key was used with another request");
    } else if (found) {
        *existed = true;
        *kind = WEFT_ERROR_NONE;
        snprintf(why, size, "%s", record.id);
    }
    arena_fini(&arena);
    return found;
}

Job *jobs_submit(Jobs *js, const JobSubmit *s, bool *existed, weft_error_kind *kind, char *why,
                 size_t size)
{
    Job *job = NULL;
    *existed = false;
    pthread_mutex_lock(&js->lock);
    if (*s->idem && (job = find_key(js, s->tenant, s->idem))) {
        if (memcmp(job->record.request_hash, s->request_hash, 32) != 0) {
            *kind = WEFT_ERROR_EXISTS;
            snprintf(why, size, "the idempotency key was used with another request");
            job = NULL;
            goto done;
        }
        *existed = true;
        job_ref(job);
        if (s->waiter) {
            s->waiter->next = job->waiters;
            job->waiters = s->waiter;
        }
        goto done;
    }
    if (*s->idem && !js->cluster && find_stored_key(js, s, existed, kind, why, size))
        goto done;
    if (!jobs_admit(js, s, s->parsed, kind, why, size))
        goto done;
    job = job_new(s, s->parsed);
    if (!job) {
        *kind = WEFT_ERROR_MEMORY;
        snprintf(why, size, "out of memory");
        goto done;
    }
    job->home = true;
    if (js->feeds)
        job_keep(js, job, s->parsed);
    job_enter(js, job, s->waiter);
    submit_put(js, job);
    metrics_add(js->desc.metrics, METRIC_SUBMITTED, 0, 1);
    jobs_pump(js);
done:
    pthread_mutex_unlock(&js->lock);
    return job;
}

Job *jobs_follow(Jobs *js, const char *tenant, const char *id)
{
    Arena     arena;
    JobRecord r;
    Job      *job = jobs_find(js, tenant, id);
    JobSpec  *spec = job || !js->feeds ? NULL : calloc(1, sizeof *spec);
    if (!spec)
        return job;
    arena_init(&arena, 0);
    bool   found = strlen(id) == STORE_ID_SIZE - 1
              && store_job_get(js->store, &arena, id, true, &r)
              && strcmp(r.tenant, tenant) == 0 && !job_state_is_final(r.state);
    Unpack u = {.data = found ? r.spec.data : NULL, .size = found ? r.spec.size : 0};
    if (found)
        cluster_follow(js, id);
    pthread_mutex_lock(&js->lock);
    if (found && (job = job_find_live(js, id))) {
        job_ref(job);
    } else if (found && job_spec_unpack(&u, spec) && (job = job_restore(&r, spec))) {
        job->record.state = r.state;
        job->home = job->follows = true;
        job_enter(js, job, NULL);
    }
    pthread_mutex_unlock(&js->lock);
    arena_fini(&arena);
    free(spec);
    return job;
}

Job *jobs_check(Jobs *js, const JobSubmit *s, weft_error_kind *kind, char *why, size_t size)
{
    pthread_mutex_lock(&js->lock);
    Job *job = jobs_admit(js, s, s->parsed, kind, why, size) ? job_new(s, s->parsed) : NULL;
    if (job) {
        job->is_check = job->accepted = true;
        job_enter(js, job, s->waiter);
        jobs_pump(js);
    }
    pthread_mutex_unlock(&js->lock);
    return job;
}
