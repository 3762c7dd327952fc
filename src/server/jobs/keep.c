// SPDX-License-Identifier: Apache-2.0
/*
 * keep.c - jobs of servers that share a store which run where they came in.
 *
 * in     new jobs
 * out    those that do not go through the shared queue, and their way back into it; jobs of the
 *        queue that did not begin here go back, too
 * knows  a client that waits for a job learns nothing of it before its end
 * not    the shared queue and its tickets (cluster.c)
 *
 * A kept job is stored as claimed by its home, in one round trip with its end where it is
 * short. It shows signs of life as every claimed job does; without them others run it.
 */
#include <string.h>

#include "base/clock.h"
#include "server/jobs/jobs_priv.h"

#define KEEP_NS   (4u * 1000000u)       /* wait for a worker; other servers are hardly sooner */
#define KEEP_MOST 256u                  /* jobs                                           */

/* A client waits here for the job, so that a way through the queue and back gains nothing where
 * a worker is free, or soon will be. Not for jobs whose key or named buffers have to be looked
 * up, nor for tenants that may have reached a quota, which the store counts. */
bool job_keep(Jobs *js, Job *job, const JobSpec *spec)
{
    uint64_t limit = pool_limit(js->pool), held = js->held[JOB_KERNEL] + js->kept;
    uint64_t now = clock_ns(), after = held < limit ? 0 : held - limit + 1;
    Tenant  *t = tenant_get(js, job->record.tenant);
    if (!job->waits || job->who != JOB_KERNEL || *job->record.idem || !cluster_is_well(js)
        || !t || (t->refused_ns && now - t->refused_ns < NS_PER_S) || held >= KEEP_MOST)
        return false;
    for (uint32_t i = 0; i < spec->input_count; i++)
        if (spec->inputs[i].kind == WIRE_BUFFER)
            return false;
    bool at_once = after && pool_has_room(js->pool)
                && pool_is_ready(js->pool, job->record.tenant);
    if (after && !at_once
        && (now - js->answered_ns > KEEP_NS || js->served_ns * after / limit > KEEP_NS))
        return false;
    strcpy(job->ticket, JOB_KEPT);
    job->record.attempt = 1;
    job->arrived_ns = now;
    js->kept++;
    return true;
}

static void on_passed(void *user, StoreOp *op)
{
    Job  *job = user;
    Jobs *js = op->owner;
    pthread_mutex_lock(&js->lock);
    js->store_ops--;
    job->start_pending = false;
    if (*job->passed)
        feed_return(cluster_feed(js), job->passed, job->pass_delay);
    else if (job->in_table && !job->ending && !job->refused && !*job->ticket)
        cluster_add(js, job);
    *job->passed = '\0';
    job_unref(js, job);
    pthread_cond_broadcast(&js->calm);
    pthread_mutex_unlock(&js->lock);
}

static void take_claim_back(Jobs *js, Job *job)
{
    job->start_pending = true;
    job->added_ns = clock_ns();
    job->start = (StoreOp){.kind = STORE_RETURN_JOB, .job = job->record, .done = on_passed,
                           .user = job, .owner = js};
    job->record.attempt -= job->record.attempt > 0;
    job_ref(job);
    js->store_ops++;
    store_submit(js->store, &job->start);
}

/* A kept job that has not begun goes to the queue; the claim was not an attempt. */
void job_pass_on(Jobs *js, Job *job)
{
    if (!job->start_pending)            /* else visit_jobs() adds it later */
        take_claim_back(js, job);
}

/* Likewise one that came from the queue. If Redis is slow, the claim counts after all. */
void job_pass_back(Jobs *js, Job *job, uint64_t delay_ns)
{
    if (job->start_pending) {
        feed_return(cluster_feed(js), job->ticket, delay_ns);
        return;
    }
    strcpy(job->passed, job->ticket);
    job->pass_delay = delay_ns;
    job->record.state = JOB_QUEUED;
    take_claim_back(js, job);
}
