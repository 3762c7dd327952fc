// SPDX-License-Identifier: Apache-2.0
/*
 * run.c - jobs go to workers and come back.
 *
 * in     the queue, the pool's answers
 * out    ended jobs, or jobs that wait again
 * knows  answers of workers are not trusted: outputs must be as the spec says
 * not    processes (worker/pool.c), what is stored how
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/jobs/jobs_priv.h"

/* ---- starting ---- */

/* Jobs that start in one pool. */
typedef struct Pump {
    Jobs *js;
    Pool *pool;
} Pump;

static bool tenant_is_ready(void *user, const char *tenant)
{
    Pump   *p = user;
    Tenant *t = tenant_get(p->js, tenant);
    return t && tenant_may_run(p->js, t) && pool_is_ready(p->pool, tenant);
}

/* The named buffers that a spec asks for. False: the job has ended with an error, or (*gone) the
 * store does not answer. */
static bool gather_buffers(Jobs *js, Job *job, Pack *tail, bool *gone)
{
    uint64_t failures = store_failures(js->store);
    JobSpec *spec = calloc(1, sizeof *spec);
    Unpack   u = {.data = job->spec.data, .size = job->spec.size};
    Arena    arena;
    bool     ok = spec && job_spec_unpack(&u, spec);
    arena_init(&arena, 0);
    for (uint32_t i = 0; ok && i < spec->input_count; i++) {
        if (spec->inputs[i].kind != WIRE_BUFFER)
            continue;
        BufferRecord b;
        char         name[WIRE_MAX_NAME + 1] = "";
        memcpy(name, spec->inputs[i].data, MIN_OF(spec->inputs[i].size, WIRE_MAX_NAME));
        ok = store_buffer_get(js->store, &arena, job->record.tenant, name, &b);
        *gone = !ok && store_failures(js->store) != failures;
        if (ok) {
            pack_bytes(tail, b.bytes.data, b.bytes.size);
        } else if (!*gone) {
            char why[256];
            snprintf(why, sizeof why, "there is no buffer '%.*s'", (int)WIRE_MAX_NAME, name);
            job_end(js, job, JOB_FAILED, WEFT_ERROR_NOT_FOUND, why);
        }
    }
    arena_fini(&arena);
    free(spec);
    return ok && !tail->failed;
}

static void on_started(void *user, StoreOp *op)
{
    Job  *job = user;
    Jobs *js = op->owner;
    pthread_mutex_lock(&js->lock);
    job->start_pending = false;
    js->store_ops--;
    job_unref(js, job);
    pthread_mutex_unlock(&js->lock);
}

/* Further attempts are recorded, so that a job that kills its workers ends one day, even if
 * the server is restarted meanwhile. */
static void record_attempt(Jobs *js, Job *job)
{
    if (job->is_check || job->record.attempt < 2 || job->start_pending || js->feeds)
        return;
    job->start_pending = true;
    job->start = (StoreOp){.kind = STORE_START_JOB, .job = job->record, .done = on_started,
                           .user = job, .owner = js};
    job_ref(job);
    js->store_ops++;
    store_submit(js->store, &job->start);
}

/* False: it has to wait. */
static bool start(Jobs *js, Job *job)
{
    Pack tail = {0};
    bool gone = false;
    bool ok = job->is_check || js->feeds || gather_buffers(js, job, &tail, &gone);
    if (!ok) {
        pack_fini(&tail);
        if (gone)
            return false;
        job_end(js, job, JOB_FAILED, WEFT_ERROR_MEMORY, "out of memory");
        return true;
    }
    bool started = pool_start(job_pool(js, job), &(PoolJob){
        .tenant = job->record.tenant, .job = job,
        .kind = job->is_check ? WIRE_CHECK : WIRE_RUN, .time_limit = job->time_limit,
        .answer_limit = job->is_check ? 8u << 20 : job->output_bytes + (256u << 10),
        .head = job->spec.data, .head_size = job->spec.size,
        .tail = js->feeds ? job->tail.data : tail.data,
        .tail_size = js->feeds ? job->tail.size : tail.size});
    pack_fini(&tail);
    return started;
}

static void mark_running(Jobs *js, Job *job)
{
    job->running = true;
    job->started_ns = clock_ns();
    job->record.state = JOB_RUNNING;
    job->record.started = jobs_now_ms();
    job->record.attempt += !*job->ticket;       /* a claim has counted it */
    job->tenant->memory += job->memory_limit;
    js->running++;
    job_ref(job);                       /* of the worker */
    if (js->desc.config->mon_realtime)
        metrics_time(js->desc.metrics, METRIC_WAIT_TIME, job->started_ns - job->submitted_ns);
    if (!job->is_check && js->desc.on_start)
        js->desc.on_start(js->desc.user, &job->record);
    record_attempt(js, job);
    job_change(js, job);
}

static void pump(Jobs *js, Pool *pool, const char *runner)
{
    Pump p = {js, pool};
    while (!js->draining && pool_has_room(pool)) {
        Job *job = js->queue_ops->take(js->queue, runner, tenant_is_ready, &p);
        if (!job)
            return;
        job->queued = false;
        job_ref(job);
        if (start(js, job)) {
            if (!job->ending && job->in_table)
                mark_running(js, job);
        } else {
            job->queued = js->queue_ops->push(js->queue, &(QueueItem){
                job->record.tenant, job->runner, job->record.priority, job});
            job_unref(js, job);
            return;
        }
        job_unref(js, job);
    }
}

void jobs_pump(Jobs *js)
{
    if (js->pool)
        pump(js, js->pool, "");
    if (js->gpu)
        pump(js, js->gpu, JOB_GPU);
}

/* ---- answers ---- */

static bool read_outputs(Unpack *u, const JobSpec *spec, Pack *out)
{
    result_pack_begin(out, spec->output_count);
    for (uint32_t i = 0; i < spec->output_count; i++) {
        const WireOutput *o = &spec->outputs[i];
        JobOutput         r = {.name = o->name, .dims = o->dims};
        memcpy(r.shape, o->shape, sizeof r.shape);
        r.scalar = (WireScalar)unpack_u32(u);
        r.bytes = unpack_bytes(u, &r.size);
        if (u->failed || r.size != o->size || r.scalar > WIRE_U8)
            return false;
        result_pack(out, &r);
    }
    return !out->failed;
}

/* Outputs with a buffer's name are kept under it, in the same transaction as the end. */
static bool name_buffers(Job *job, const JobSpec *spec)
{
    JobOutput outputs[WIRE_MAX_INPUTS];
    StoreBlob blob = {job->outputs.data, job->outputs.size};
    uint32_t  count = result_unpack(blob, outputs, WIRE_MAX_INPUTS), named = 0;
    size_t    names = 0;
    for (uint32_t i = 0; i < count; i++)
        if (*spec->outputs[i].buffer) {
            named++;
            names += strlen(spec->outputs[i].buffer) + 1;
        }
    if (named == 0)
        return true;
    free(job->buffers);
    job->buffers = calloc(1, named * sizeof *job->buffers + names);
    if (!job->buffers)
        return false;
    char *at = (char *)(job->buffers + named);
    job->buffer_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!*spec->outputs[i].buffer)
            continue;
        strcpy(at, spec->outputs[i].buffer);
        job->buffers[job->buffer_count++] = (BufferRecord){
            .name = at, .scalar = outputs[i].scalar, .size = outputs[i].size,
            .updated = jobs_now_ms(), .bytes = {outputs[i].bytes, outputs[i].size}};
        at += strlen(at) + 1;
    }
    return true;
}

bool job_take_outputs(Jobs *js, Job *job, const uint8_t *bytes, size_t size)
{
    (void)js;
    JobSpec *spec = calloc(1, sizeof *spec);
    Unpack   u = {.data = job->spec.data, .size = job->spec.size};
    Unpack   answer = {.data = bytes, .size = size};
    pack_fini(&job->outputs);
    bool ok = spec && job_spec_unpack(&u, spec) && read_outputs(&answer, spec, &job->outputs)
           && name_buffers(job, spec);
    if (!ok)
        pack_fini(&job->outputs);
    free(spec);
    return ok;
}

void job_retry(Jobs *js, Job *job, const char *message)
{
    if (*job->ticket) {
        /* Any server may try it next; the one that does counts the attempts. */
        metrics_add(js->desc.metrics, METRIC_RETRIED, 0, 1);
        job->record.state = JOB_QUEUED;
        job_change(js, job);
        cluster_let_go(js, job, CLUSTER_RETURN);
        if (!job->home)
            job_forget(js, job);
        return;
    }
    if (job->record.attempt >= js->config.workers_attempts || !js->config.adapt_fallback) {
        char why[512];
        snprintf(why, sizeof why, "%s (attempt %u)", message, job->record.attempt);
        job_end(js, job, JOB_FAILED, WEFT_ERROR_DEVICE_LOST, why);
        return;
    }
    metrics_add(js->desc.metrics, METRIC_RETRIED, 0, 1);
    job->record.state = JOB_QUEUED;
    job->queued = js->queue_ops->push(js->queue, &(QueueItem){
        job->record.tenant, job->runner, job->record.priority + 1, job});
    if (!job->queued)
        job_end(js, job, JOB_FAILED, WEFT_ERROR_MEMORY, "out of memory");
    else
        job_change(js, job);
}

static void charge(Jobs *js, Job *job, uint64_t time_ns, uint64_t ops)
{
    tenant_charge(js, job->tenant, time_ns, ops);
    if (job->origin)
        tenant_charge(js, job->origin, time_ns, ops);
}

/* A run that gave no result reports no figures: all its time with the worker counts, or
 * jobs that fail, are cancelled or reach their time limit would cost nothing. */
static void charge_unfinished(Jobs *js, Job *job)
{
    if (!job->is_check && !job->refused)
        charge(js, job, clock_ns() - job->started_ns, 0);
}

static void leave_worker(Jobs *js, Job *job)
{
    job->running = false;
    js->running--;
    job->tenant->memory -= job->memory_limit;
}

void job_stop(Jobs *js, Job *job)
{
    if (!job->running || *job->lease)
        return;
    pool_cancel(job_pool(js, job), job);
    charge_unfinished(js, job);
    leave_worker(js, job);
    job_unref(js, job);
}

static void note_figures(Jobs *js, Job *job, const WireDone *d)
{
    uint64_t total = clock_ns() - job->submitted_ns, inside = d->run_ns + d->compile_ns;
    uint64_t overhead = total > inside ? total - inside : 0;
    job->record.figures = (JobFigures){
        .compile_ns = d->compile_ns, .run_ns = d->run_ns, .total_ns = total,
        .cpu_ns = d->cpu_ns, .ops = d->ops, .cached = d->cached,
        .groups = {d->groups[0], d->groups[1], d->groups[2]}};
    charge(js, job, d->run_ns, d->ops);
    metrics_add(js->desc.metrics, METRIC_COMPILED, 0, !d->cached);
    metrics_add(js->desc.metrics, METRIC_OPERATIONS, 0, (int64_t)d->ops);
    metrics_add(js->desc.metrics, METRIC_CPU_TIME, 0, (int64_t)d->cpu_ns);
    if (js->config.mon_realtime) {
        metrics_time(js->desc.metrics, METRIC_RUN_TIME, d->run_ns);
        metrics_time(js->desc.metrics, METRIC_OVERHEAD_TIME, overhead);
    }
    alerts_job(js, job, d, overhead);
}

static void take_check(Jobs *js, Job *job, const PoolAnswer *a)
{
    job->report = strdup(a->report ? a->report : "");
    if (job->report && *job->report)
        job_end(js, job, JOB_DONE, WEFT_ERROR_NONE, "");
    else
        job_end(js, job, JOB_FAILED, WEFT_ERROR_INTERNAL, "the worker gave no report");
}

void jobs_on_answer(void *user, void *pointer, const PoolAnswer *a)
{
    Jobs *js = user;
    Job  *job = pointer;
    js->on_pool_thread = true;
    js->answered_ns = clock_ns();
    js->served_ns = js->served_ns - js->served_ns / 8 + (js->answered_ns - job->started_ns) / 8;
    leave_worker(js, job);
    bool done = !a->died && a->kind == WEFT_ERROR_NONE;
    bool taken = done && !job->is_check && !job->refused
              && job_take_outputs(js, job, a->outputs, a->outputs_size);
    if (!taken)
        charge_unfinished(js, job);
    if (job->refused)
        job_end(js, job, JOB_FAILED, WEFT_ERROR_IO, "the store did not take the job");
    else if (a->died)
        job_retry(js, job, a->message);
    else if (!done)
        job_end(js, job, JOB_FAILED, a->kind, a->message);
    else if (job->is_check)
        take_check(js, job, a);
    else if (!taken)
        job_end(js, job, JOB_FAILED, WEFT_ERROR_INTERNAL, "the worker's answer is damaged");
    else {
        note_figures(js, job, &a->done);
        job_end(js, job, JOB_DONE, WEFT_ERROR_NONE, "");
    }
    job_unref(js, job);
    pthread_cond_broadcast(&js->calm);
    jobs_pump(js);
    js->on_pool_thread = false;
}
