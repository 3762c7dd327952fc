// SPDX-License-Identifier: Apache-2.0
/*
 * open.c - opens, drains and closes the jobs of a server.
 *
 * in     a configuration, a folder
 * out    store, queue and pool, with the jobs of an earlier run queued again
 * not    the life of one job (jobs.c, run.c)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/core.h"
#include "server/jobs/jobs_priv.h"

bool job_is_newer(Jobs *js, const JobRecord *r)
{
    uint32_t format = job_spec_format(r->spec.data, r->spec.size);
    char     number[24];
    if (format <= WIRE_SPEC_FORMAT)
        return false;
    snprintf(number, sizeof number, "%u", format);
    log_event(js->desc.log, LOG_WARN, "job-format", "a job was stored by a newer Weft, and waits "
              "for one", "weft.job", r->id, "weft.format", number, NULL);
    return true;
}

/* A job of an earlier run: it waits again. One that cannot be read ends. */
static void requeue(void *user, const JobRecord *r)
{
    Jobs    *js = user;
    JobSpec *spec = calloc(1, sizeof *spec);
    Unpack   u = {.data = r->spec.data, .size = r->spec.size};
    bool     known = spec && job_spec_unpack(&u, spec);
    if (spec && !known)
        *spec = (JobSpec){.wgsl = "", .runner = ""};
    Job *job = spec && (known || !job_is_newer(js, r)) ? job_restore(r, spec) : NULL;
    if (job) {
        job_enter(js, job, NULL);
        if (!known && js->queue_ops->remove(js->queue, job, r->tenant, "")) {
            job->queued = false;
            job_end(js, job, JOB_FAILED, WEFT_ERROR_FORMAT, JOB_UNREADABLE);
        }
        job_unref(js, job);
    }
    free(spec);
}

/* Jobs are stored with the wall clock's time. If that jumps, results must neither vanish at
 * once nor stay for years: they are due result_ttl of steady time after the jump. */
static void watch_clock(Jobs *js)
{
    uint64_t now = clock_ns();
    int64_t  offset = jobs_now_ms() - (int64_t)(now / 1000000);
    int64_t  jump = offset - js->clock_offset;
    if (!js->clock_offset || (jump > -2000 && jump < 2000)) {
        js->clock_offset = offset;      /* slow corrections are followed */
    } else {
        char text[64];
        snprintf(text, sizeof text, "the wall clock jumped by %lld ms", (long long)jump);
        log_event(js->desc.log, LOG_WARN, "clock-jump", text, NULL);
        js->clock_offset = offset;
        js->clock_ahead = MAX_OF(js->clock_ahead + jump, 0);
        js->clock_back = js->clock_back || jump < 0;
        js->clock_until = now + js->config.result_ttl;
    }
    if (now >= js->clock_until)
        js->clock_ahead = 0;
}

static void on_room(void *user)
{
    Jobs    *js = user;
    uint64_t now = clock_ns();
    jobs_pump(js);
    if (now - js->checked_ns < NS_PER_S / 2)
        return;
    js->checked_ns = now;
    watch_clock(js);
    jobs_check_leases(js, now);
    store_flush(js->store);
    jobs_retry_ends(js, now);
    alerts_tick(js);
}

/* A job that has just ended is committed here: waking the store's thread would take longer
 * than the commit. */
static void on_idle(void *user)
{
    Jobs *js = user;
    store_help(js->store);
}

static void on_change(void *user, uint32_t worker, int pid, State from, StateEvent event,
                      State to)
{
    Jobs *js = user;
    char  number[24], process[24];
    metrics_add(js->desc.metrics, METRIC_TRANSITIONS, 1, 1);
    if (event == EVENT_SPAWN || event == EVENT_OPENED || event == EVENT_DIE)
        metrics_add(js->desc.metrics, METRIC_WORKER_EVENTS,
                    event == EVENT_SPAWN ? 0 : event == EVENT_OPENED ? 1 : 2, 1);
    bool each_job = event == EVENT_WORK || event == EVENT_NO_WORK;
    if (each_job && js->desc.log->level > LOG_DEBUG)
        return;
    snprintf(number, sizeof number, "%u", worker);
    snprintf(process, sizeof process, "%d", pid);
    bool lost = event == EVENT_DIE && !js->closing;
    log_event(js->desc.log, lost ? LOG_WARN : each_job ? LOG_DEBUG : LOG_INFO, "device-state",
              state_name(to), "weft.worker", number, "process.pid", process, "weft.from",
              state_name(from), "weft.event", state_event_name(event), NULL);
}

static bool open_pools(Jobs *js)
{
    const Config *c = &js->config;
    uint64_t running = c->workers_running ? c->workers_running : 2u * core_useful_count();
    PoolDesc desc = {
        .lock = &js->lock, .program = js->desc.program, .max = (uint32_t)c->workers_max,
        .spare = (uint32_t)c->workers_spare, .running = (uint32_t)running,
        .threads = (uint32_t)c->workers_threads, .address_space = c->workers_memory,
        .start_timeout = c->adapt_discovery + (c->adapt_profile ? c->adapt_benchmark : 0),
        .sandboxed = c->sec_sandbox, .profile = c->adapt_profile,
        .on_answer = jobs_on_answer, .on_room = on_room, .on_idle = on_idle,
        .on_change = on_change, .user = js};
    js->pool = pool_open(&desc);
    if (!c->workers_gpu)
        return js->pool != NULL;
    desc.gpu = true;
    desc.max = (uint32_t)c->workers_gpu_max;
    desc.spare = 1;
    desc.running = (uint32_t)c->workers_gpu_running;
    js->gpu = pool_open(&desc);
    return js->pool && js->gpu;
}

Jobs *jobs_open(const JobsDesc *desc, char *why, size_t size)
{
    Jobs *js = calloc(1, sizeof *js);
    if (!js) {
        snprintf(why, size, "out of memory");
        return NULL;
    }
    js->desc = *desc;
    js->config = *desc->config;
    js->state = SERVER_STARTING;
    metrics_set(desc->metrics, METRIC_STATE, SERVER_STARTING, 1);
    pthread_mutex_init(&js->lock, NULL);
    clock_cond_init(&js->calm);
    const StoreBackend *backend = store_backend(js->config.store_kind);
    bool nats = strcmp(js->config.queue_kind, "nats") == 0;
    js->queue_ops = queue_backend(nats ? "embedded" : js->config.queue_kind);
    if (!backend || !js->queue_ops) {
        snprintf(why, size, "there is no %s '%s'", backend ? "queue" : "store",
                 backend ? js->config.queue_kind : js->config.store_kind);
        goto failed;
    }
    js->queue = js->queue_ops->open();
    js->store = store_open(backend, &(StoreDesc){
        .folder = desc->folder, .metrics = desc->metrics,
        .full_sync = strcmp(js->config.store_sync, "normal") != 0,
        .url = js->config.store_url, .prefix = js->config.store_prefix,
        .server = desc->server}, why, size);
    if (!js->queue || !js->store || !cluster_open(js, why, size))
        goto failed;
    pthread_mutex_lock(&js->lock);
    jobs_step(js, EVENT_OPENED);
    watch_clock(js);
    if (!js->feeds)
        store_unfinished(js->store, requeue, js);
    pthread_mutex_unlock(&js->lock);
    if (open_pools(js) && cluster_start(js))
        return js;
    snprintf(why, size, "the worker pool does not start");
failed:
    jobs_close(js);
    return NULL;
}

void jobs_drain(Jobs *js)
{
    uint64_t until = clock_ns() + js->config.drain_timeout;
    pthread_mutex_lock(&js->lock);
    js->draining = true;
    jobs_step(js, EVENT_DRAIN);
    cluster_drain(js);
    store_flush(js->store);
    while ((js->running || js->store_ops) && clock_wait(&js->calm, &js->lock, until))
        ;
    pthread_mutex_unlock(&js->lock);
}

void jobs_reload(Jobs *js, const Config *config)
{
    pthread_mutex_lock(&js->lock);
    /* Texts stay those of the first configuration: store and queue cannot change. */
    Config old = js->config;
    js->config = *config;
    js->config.store_kind = old.store_kind;
    js->config.store_sync = old.store_sync;
    js->config.store_answer = old.store_answer;
    js->config.queue_kind = old.queue_kind;
    js->config.store_url = old.store_url;
    js->config.store_prefix = old.store_prefix;
    js->config.queue_url = old.queue_url;
    js->config.queue_name = old.queue_name;
    js->config.queue_ack_wait = old.queue_ack_wait;
    pthread_mutex_unlock(&js->lock);
}

/* What tenants have stored is less now; where the store does not say whose, it is read anew
 * when they come again. */
static void uncount_swept(Jobs *js, const StoreOp *op)
{
    for (uint32_t i = 0; i < op->freed_count; i++) {
        Tenant *t = tenant_get(js, op->freed[i].tenant);
        if (t)
            tenant_add_stored(t, 0, op->freed[i].bytes);
    }
    for (uint32_t i = 0; op->applied && !op->freed_count && i < TENANT_BUCKETS; i++)
        for (Tenant *t = js->tenants[i]; t; t = t->next)
            t->stale = true;
}

static void on_swept(void *user, StoreOp *op)
{
    Jobs *js = user;
    pthread_mutex_lock(&js->lock);
    js->store_ops--;
    log_event(js->desc.log, LOG_DEBUG, "sweep", op->applied ? "results were deleted"
                                                            : "no result is due", NULL);
    if (op->ok)
        uncount_swept(js, op);
    /* More may be due: other changes had their turn in between. */
    js->sweeping = op->ok && op->more && !js->closing && !js->draining;
    if (js->sweeping) {
        js->store_ops++;
        store_submit(js->store, &js->sweep);
    }
    pthread_mutex_unlock(&js->lock);
}

/* After a jump back, ends that seem to be in the future are due once all of before are. */
static int64_t sweep_later(Jobs *js)
{
    if (!js->clock_back || clock_ns() < js->clock_until)
        return 0;
    js->clock_back = false;
    return jobs_now_ms() + 1000;
}

void jobs_sweep(Jobs *js)
{
    pthread_mutex_lock(&js->lock);
    watch_clock(js);
    if (!js->sweeping) {
        js->sweeping = true;
        js->store_ops++;
        js->sweep = (StoreOp){.kind = STORE_SWEEP, .done = on_swept, .user = js,
                              .freed = js->freed,
                              .later = sweep_later(js),
                              .ttl_ms = (int64_t)(js->config.result_ttl / 1000000),
                              .expires = jobs_now_ms() - js->clock_ahead
                                       - (int64_t)(js->config.result_ttl / 1000000)};
        store_submit(js->store, &js->sweep);
    }
    pthread_mutex_unlock(&js->lock);
}

static void free_tables(Jobs *js)
{
    for (uint32_t i = 0; i < JOBS_BUCKETS; i++)
        while (js->table[i])
            job_forget(js, js->table[i]);
    for (uint32_t i = 0; i < TENANT_BUCKETS; i++)
        for (Tenant *t = js->tenants[i], *next; t; t = next) {
            next = t->next;
            free(t->name);
            free(t);
        }
}

void jobs_close(Jobs *js)
{
    if (!js)
        return;
    pthread_mutex_lock(&js->lock);
    js->closing = js->draining = true;
    pthread_mutex_unlock(&js->lock);
    cluster_close(js);
    pool_close(js->pool);
    pool_close(js->gpu);
    js->pool = js->gpu = NULL;
    store_close(js->store);
    js->store = NULL;
    cluster_free(js);
    pthread_mutex_lock(&js->lock);
    free_tables(js);
    jobs_step(js, EVENT_STOP);
    pthread_mutex_unlock(&js->lock);
    if (js->queue)
        js->queue_ops->close(js->queue);
    pthread_mutex_destroy(&js->lock);
    pthread_cond_destroy(&js->calm);
    free(js);
}

Store *jobs_store(Jobs *js)
{
    return js->store;
}

State jobs_state(Jobs *js)
{
    pthread_mutex_lock(&js->lock);
    State s = js->state;
    pthread_mutex_unlock(&js->lock);
    return s;
}

PoolFigures jobs_pool(Jobs *js)
{
    pthread_mutex_lock(&js->lock);
    PoolFigures f = pool_figures(js->pool), g = js->gpu ? pool_figures(js->gpu) : (PoolFigures){0};
    metrics_set(js->desc.metrics, METRIC_WORKERS, 0, f.workers - f.ready - f.busy
                                                   + g.workers - g.ready - g.busy);
    metrics_set(js->desc.metrics, METRIC_WORKERS, 1, f.ready + g.ready);
    metrics_set(js->desc.metrics, METRIC_WORKERS, 2, f.busy + g.busy);
    metrics_set(js->desc.metrics, METRIC_RUNNING, 0, (int64_t)js->running);
    metrics_set(js->desc.metrics, METRIC_QUEUED, 0,
                (int64_t)js->queue_ops->depth(js->queue));
    pthread_mutex_unlock(&js->lock);
    return f;
}

bool jobs_gpu(Jobs *js, PoolFigures *out)
{
    pthread_mutex_lock(&js->lock);
    bool on = js->gpu != NULL;
    if (on)
        *out = pool_figures(js->gpu);
    pthread_mutex_unlock(&js->lock);
    return on;
}
