// SPDX-License-Identifier: Apache-2.0
/*
 * lease.c - jobs for workers that are other programs: leased, kept by heartbeats, ended.
 *
 * in     requests of foreign workers
 * out    leased specs; ended jobs; jobs whose lease ran out wait again
 * not    HTTP
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "server/jobs/jobs_priv.h"

bool jobs_lease(Jobs *js, const char *runner, const char *worker, Lease *out)
{
    pthread_mutex_lock(&js->lock);
    Job *job = js->draining || !*runner ? NULL
             : js->queue_ops->take(js->queue, runner, NULL, NULL);
    if (js->feeds && *runner && !js->draining)
        cluster_want(js, runner, job ? 0 : 1);
    if (job) {
        uint8_t random[16];
        randombytes_buf(random, sizeof random);
        sodium_bin2hex(job->lease, sizeof job->lease, random, sizeof random);
        job->queued = false;
        job->lease_until = clock_ns() + js->config.lease_time;
        job->started_ns = clock_ns();
        job->record.state = JOB_RUNNING;
        job->record.started = jobs_now_ms();
        job->record.attempt += !*job->ticket;
        *out = (Lease){.job = job, .spec = job->spec.data, .spec_size = job->spec.size};
        strcpy(out->id, job->record.id);
        strcpy(out->token, job->lease);
        job_ref(job);
        if (js->desc.on_start)
            js->desc.on_start(js->desc.user, &job->record);
        log_event(js->desc.log, LOG_DEBUG, "lease", "leased", "weft.job", job->record.id,
                  "weft.worker", worker, NULL);
        job_change(js, job);
    }
    pthread_mutex_unlock(&js->lock);
    return job != NULL;
}

static Job *find_lease(Jobs *js, const char *token)
{
    if (strlen(token) != 32)
        return NULL;
    for (uint32_t i = 0; i < JOBS_BUCKETS; i++)
        for (Job *job = js->table[i]; job; job = job->next)
            if (*job->lease && sodium_memcmp(job->lease, token, 32) == 0)
                return job;
    return NULL;
}

bool jobs_heartbeat(Jobs *js, const char *token, double progress)
{
    pthread_mutex_lock(&js->lock);
    Job *job = find_lease(js, token);
    if (job) {
        job->lease_until = clock_ns() + js->config.lease_time;
        if (progress >= 0 && progress <= 1 && progress != job->progress) {
            job->progress = progress;
            job_change(js, job);
        }
    }
    pthread_mutex_unlock(&js->lock);
    return job != NULL;
}

bool jobs_lease_done(Jobs *js, const char *token, const uint8_t *outputs, size_t size,
                     weft_error_kind *kind, char *why, size_t why_size)
{
    *kind = WEFT_ERROR_NONE;
    pthread_mutex_lock(&js->lock);
    Job *job = find_lease(js, token);
    if (job && !job_take_outputs(js, job, outputs, size)) {
        *kind = WEFT_ERROR_SHAPE;
        snprintf(why, why_size, "the outputs are not those that the job asks for");
        job = NULL;
    } else if (job) {
        *job->lease = '\0';
        job->lease_until = 0;
        job->record.figures.total_ns = clock_ns() - job->submitted_ns;
        job_end(js, job, JOB_DONE, WEFT_ERROR_NONE, "");
    }
    pthread_mutex_unlock(&js->lock);
    return job != NULL;
}

bool jobs_lease_failed(Jobs *js, const char *token, const char *message, bool retry)
{
    pthread_mutex_lock(&js->lock);
    Job *job = find_lease(js, token);
    if (job) {
        *job->lease = '\0';
        job->lease_until = 0;
        if (retry)
            job_retry(js, job, message);
        else
            job_end(js, job, JOB_FAILED, WEFT_ERROR_INVALID, message);
    }
    pthread_mutex_unlock(&js->lock);
    return job != NULL;
}

void jobs_check_leases(Jobs *js, uint64_t now)
{
    for (uint32_t i = 0; i < JOBS_BUCKETS; i++)
        for (Job *job = js->table[i], *next; job; job = next) {
            next = job->next;
            if (!*job->lease || now < job->lease_until)
                continue;
            *job->lease = '\0';
            job->lease_until = 0;
            job_retry(js, job, "the lease of the foreign worker ran out");
        }
}
