// SPDX-License-Identifier: Apache-2.0
/*
 * job.c - calls of the library that take long, on threads off the event loop.
 *
 * in     jobs of the layers
 * out    one event each when it is done, events of progress before it
 * knows  threads; that the jobs of one context run one after another
 * not    what the jobs do
 *
 * A context with jobs has one thread, which ends with its last job. When the environment ends
 * all of its jobs are cancelled, and it waits for those that run: the library must not work
 * on while the process takes its memory down.
 */
#include <pthread.h>
#include <stdlib.h>

#include "layer.h"

enum { STATUS_DONE = 1, STATUS_FAILED = 2, STATUS_NOTICE = 3 };     /* as in lib/job.js */

struct Jobs {
    pthread_mutex_t lock;
    pthread_cond_t  idle;
    Job            *first;              /* all that were started and have not ended */
};

struct JobQueue {
    pthread_mutex_t lock;
    Job            *first, **last;
    bool            running;            /* a thread takes jobs from here */
};

/* ---- the jobs of an environment ---- */

Jobs *jobs_create(void)
{
    Jobs *jobs = calloc(1, sizeof *jobs);
    if (!jobs)
        return NULL;
    if (pthread_mutex_init(&jobs->lock, NULL)) {
        free(jobs);
        return NULL;
    }
    if (pthread_cond_init(&jobs->idle, NULL)) {
        pthread_mutex_destroy(&jobs->lock);
        free(jobs);
        return NULL;
    }
    return jobs;
}

void jobs_free(Jobs *jobs)
{
    if (!jobs)
        return;
    pthread_cond_destroy(&jobs->idle);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}

static void cancel(Job *job)
{
    atomic_store(&job->cancelled, true);
    if (job->cancel)
        job->cancel(job);
}

void jobs_end(Jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    for (Job *j = jobs->first; j; j = j->all_next)
        cancel(j);
    while (jobs->first)
        pthread_cond_wait(&jobs->idle, &jobs->lock);
    pthread_mutex_unlock(&jobs->lock);
}

static void jobs_add(Jobs *jobs, Job *job)
{
    pthread_mutex_lock(&jobs->lock);
    job->all_next = jobs->first;
    job->all_prev = &jobs->first;
    if (jobs->first)
        jobs->first->all_prev = &job->all_next;
    jobs->first = job;
    pthread_mutex_unlock(&jobs->lock);
}

static void jobs_remove(Jobs *jobs, Job *job)
{
    pthread_mutex_lock(&jobs->lock);
    *job->all_prev = job->all_next;
    if (job->all_next)
        job->all_next->all_prev = job->all_prev;
    job->all_prev = NULL;
    if (!jobs->first)
        pthread_cond_broadcast(&jobs->idle);
    pthread_mutex_unlock(&jobs->lock);
}

/* ---- one job ---- */

/* Frees what the job itself holds, once. */
static void finish(Job *job)
{
    Home *home = job->detached ? NULL : job->home;
    if (!job->fini)
        return;
    if (home)
        home_enter(home);
    job->fini(job);
    job->fini = NULL;
    if (home)
        home_leave(home);
}

void job_release(Job *job)
{
    if (!job || atomic_fetch_sub(&job->refs, 1) > 1)
        return;
    finish(job);
    failure_fini(&job->failure);
    home_release(job->home);
    free(job);
}

static void end_data(void *data)
{
    job_release(data);
}

/* Not when the handle is collected: a later job may have the context by then, and the event loop
 * would wait for its end. */
static void end_result(void *data)
{
    finish(data);
    job_release(data);
}

static napi_value build_result(napi_env napi, void *data)
{
    Job *job = data;
    if (job->failure.kind)
        return failure_value(job->env, &job->failure);
    if (!job->result)
        return js_undefined(napi);
    Home *home = job->detached ? NULL : job->home;
    if (home)
        home_enter(home);
    napi_value v = job->result(napi, job);
    if (home)
        home_leave(home);
    return v;
}

static bool run_entered(Job *job)
{
    if (job->home)
        home_enter(job->home);
    const bool ok = job->run(job);
    if (!ok && !job->failure.kind && job->home)
        failure_take(&job->failure, home_context(job->home));
    if (job->home)
        home_leave(job->home);
    return ok;
}

/* The reference of the thread goes to the event. */
static void run(Job *job)
{
    Jobs *jobs = env_jobs(job->env);
    bool  ok = false;
    if (job_is_cancelled(job))
        failure_set(&job->failure, WEFT_ERROR_CANCELLED, "the call was cancelled");
    else
        ok = run_entered(job);
    if (!ok && !job->failure.kind)
        failure_set(&job->failure, WEFT_ERROR_INTERNAL, "the call failed without an error");
    Event *e = job->event;
    job->event = NULL;
    event_payload(e, build_result, end_result, job);
    atomic_fetch_add(&job->refs, 1);    /* the event may be over before we are */
    event_post(e, ok ? STATUS_DONE : STATUS_FAILED, 0);
    jobs_remove(jobs, job);
    job_release(job);
}

bool job_is_cancelled(const Job *job)
{
    return atomic_load(&job->cancelled);
}

/* ---- threads ---- */

static bool thread_start(void *(*work)(void *), void *data)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, data))
        return false;
    pthread_detach(thread);
    return true;
}

JobQueue *job_queue_create(void)
{
    JobQueue *q = calloc(1, sizeof *q);
    if (q && pthread_mutex_init(&q->lock, NULL)) {
        free(q);
        return NULL;
    }
    if (q)
        q->last = &q->first;
    return q;
}

void job_queue_free(JobQueue *q)
{
    if (!q)
        return;
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static Job *take(JobQueue *q)
{
    pthread_mutex_lock(&q->lock);
    Job *job = q->first;
    if (job) {
        q->first = job->next;
        if (!q->first)
            q->last = &q->first;
    } else {
        q->running = false;
    }
    pthread_mutex_unlock(&q->lock);
    return job;
}

static void *work_queue(void *data)
{
    Home *home = data;
    Job  *job;
    while ((job = take(home_jobs(home))))
        run(job);
    home_release(home);
    return NULL;
}

static void *work_once(void *data)
{
    run(data);
    return NULL;
}

static bool enqueue(Job *job)
{
    JobQueue *q = home_jobs(job->home);
    bool      ok = true;
    pthread_mutex_lock(&q->lock);
    if (!q->running) {
        home_retain(job->home);
        ok = q->running = thread_start(work_queue, job->home);
    }
    if (ok) {
        *q->last = job;
        q->last = &job->next;
    }
    pthread_mutex_unlock(&q->lock);
    if (!ok)
        home_release(job->home);
    return ok;
}

napi_value job_start(Call *c, Job *job, uint32_t token)
{
    job->token = token;
    job->env = c->env;
    atomic_init(&job->refs, 2);         /* the thread, and the handle */
    if (job->home)
        home_retain(job->home);
    job->event = event_new(c, token, EVENT_HOLDS);
    if (!job->event) {
        atomic_store(&job->refs, 1);
        job_release(job);
        return NULL;
    }
    jobs_add(env_jobs(c->env), job);
    if (job->home ? enqueue(job) : thread_start(work_once, job))
        return handle_new(c->napi, KIND_JOB, job, 0);
    jobs_remove(env_jobs(c->env), job);
    event_drop(job->event);
    atomic_store(&job->refs, 1);
    job_release(job);
    call_fail(c, WEFT_ERROR_MEMORY, "there is no thread for the call");
    return NULL;
}

/* ---- while it runs ---- */

/* jobCancel(handle) */
napi_value job_cancel(Call *c)
{
    Job  *job = arg_object(c, 0, KIND_JOB);
    Jobs *jobs = env_jobs(c->env);
    if (!call_ok(c))
        return NULL;
    pthread_mutex_lock(&jobs->lock);
    if (job->all_prev)                  /* it has not ended */
        cancel(job);
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

static napi_value build_progress(napi_env napi, void *data)
{
    Job *job = data;
    napi_value pair = js_array(napi, 2);
    atomic_store(&job->notified, false);
    js_push(napi, pair, 0, js_number(napi, (double)atomic_load(&job->done)));
    js_push(napi, pair, 1, js_number(napi, (double)atomic_load(&job->total)));
    return pair;
}

/* At most one notice is on its way: a loop that is busy gets the newest figures. */
bool job_progress(void *data, uint64_t done, uint64_t total)
{
    Job *job = data;
    atomic_store(&job->done, done);
    atomic_store(&job->total, total);
    if (!atomic_exchange(&job->notified, true)) {
        Event *e = event_again(job->event);
        if (e) {
            atomic_fetch_add(&job->refs, 1);
            event_payload(e, build_progress, end_data, job);
            event_post(e, STATUS_NOTICE, 0);
        }
    }
    return !job_is_cancelled(job);
}

bool job_emit(Job *job, EventBuild build, void (*end)(void *data), void *data)
{
    Event *e = event_again(job->event);
    if (!e) {
        if (end)
            end(data);
        return false;
    }
    event_payload(e, build, end, data);
    event_post(e, STATUS_NOTICE, 1);
    return !job_is_cancelled(job);
}
