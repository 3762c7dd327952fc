// SPDX-License-Identifier: Apache-2.0
/*
 * tenant.c - what tenants and origins use, and what they may use.
 *
 * in     requests, jobs, bytes
 * out    yes or no, before anything is allocated for them
 * knows  auth.quotas of the configuration
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/jobs/jobs_priv.h"

static uint32_t hash_text(const char *text)
{
    uint32_t h = 2166136261u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

Tenant *tenant_get(Jobs *js, const char *name)
{
    Tenant **at = &js->tenants[hash_text(name) % TENANT_BUCKETS];
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at)
        return *at;
    Tenant *t = calloc(1, sizeof *t);
    char   *copy = t ? strdup(name) : NULL;
    if (!copy) {
        free(t);
        return NULL;
    }
    t->name = copy;
    t->stale = t->stale_buffers = true;
    *at = t;
    return t;
}

uint64_t tenant_stored(Jobs *js, Tenant *t)
{
    if (t->stale)
        t->stored = store_bytes_of(js->store, t->name, STORE_JOB_BYTES);
    if (t->stale_buffers)
        t->buffers = store_bytes_of(js->store, t->name, STORE_BUFFER_BYTES);
    t->stale = t->stale_buffers = false;
    return t->stored + t->buffers;
}

/* Reading all jobs of a tenant again would take long: their bytes are counted as they come
 * and go. */
void tenant_add_stored(Tenant *t, uint64_t more, uint64_t less)
{
    t->stored = t->stored + more > less ? t->stored + more - less : 0;
}

void tenant_add_room(Jobs *js, Tenant *t, int64_t bytes)
{
    t->room += (uint64_t)bytes;
    js->room += (uint64_t)bytes;
    metrics_add(js->desc.metrics, METRIC_REQUEST_MEMORY, 0, bytes);
}

static void new_minute(Tenant *t)
{
    uint64_t minute = clock_ns() / NS_PER_S / 60;
    if (t->minute != minute) {
        t->minute = minute;
        t->time_ns = t->ops = t->tokens = 0;
    }
}

static bool refuse(weft_error_kind *kind, char *why, size_t size, const char *what,
                   uint64_t limit)
{
    *kind = WEFT_ERROR_QUOTA;
    snprintf(why, size, "quota: %s (%llu)", what, (unsigned long long)limit);
    return false;
}

static bool tenant_admit(Jobs *js, Tenant *t, uint64_t memory, weft_error_kind *kind,
                         char *why, size_t size)
{
    const Config *c = &js->config;
    if (!c->sec_limits)
        return true;
    new_minute(t);
    if (t->live >= c->quota_queued)
        return refuse(kind, why, size, "too many jobs wait or run", c->quota_queued);
    if (memory > c->quota_memory)
        return refuse(kind, why, size, "the job asks for more memory than the tenant has",
                      c->quota_memory);
    if (t->time_ns >= c->quota_time)
        return refuse(kind, why, size, "the dispatch time of this minute is used up, in ns",
                      c->quota_time);
    if (t->ops >= c->quota_ops)
        return refuse(kind, why, size, "the operations of this minute are used up",
                      c->quota_ops);
    return true;
}

/* Can jobs of the profile gpu run here? */
static bool admit_gpu(Jobs *js, weft_error_kind *kind, char *why, size_t size)
{
    PoolFigures f = js->gpu ? pool_figures(js->gpu) : (PoolFigures){0};
    if (js->gpu && (js->feeds || f.ready || f.busy || !*f.fault))
        return true;
    *kind = js->gpu ? WEFT_ERROR_DEVICE_LOST : WEFT_ERROR_UNSUPPORTED;
    if (js->gpu)
        snprintf(why, size, "no worker of the profile gpu starts: %.200s", f.fault);
    else
        snprintf(why, size, "the profile gpu is off: workers.gpu.enabled turns it on");
    return false;
}

bool jobs_admit(Jobs *js, const JobSubmit *s, const JobSpec *spec, weft_error_kind *kind,
                char *why, size_t size)
{
    Tenant *t = tenant_get(js, s->tenant), *o = *s->origin ? tenant_get(js, s->origin) : NULL;
    *kind = WEFT_ERROR_QUOTA;
    if (!t) {
        *kind = WEFT_ERROR_MEMORY;
        snprintf(why, size, "out of memory");
    } else if (js->draining) {
        *kind = WEFT_ERROR_DEVICE_LOST;
        snprintf(why, size, "the server is shutting down");
    } else if (js->queue_ops->depth(js->queue) >= js->config.queue_max) {
        *kind = WEFT_ERROR_DEVICE_LOST;
        snprintf(why, size, "the queue is full");
    } else if (s->waits && js->waiting >= js->config.perf_contexts) {
        snprintf(why, size, "too many jobs at a time: concurrent_contexts_limit is %llu",
                 (unsigned long long)js->config.perf_contexts);
    } else if (js->config.sec_limits && !js->cluster
               && tenant_stored(js, t) + s->spec->size > js->config.quota_stored) {
        snprintf(why, size, "quota: stored bytes (%llu)",
                 (unsigned long long)js->config.quota_stored);
    } else if (js->config.sec_limits && t->room + s->spec->size > js->config.quota_requests) {
        snprintf(why, size, "quota: too much memory is in use for requests (%llu)",
                 (unsigned long long)js->config.quota_requests);
    } else if (js->room + s->spec->size > js->config.request_memory) {
        *kind = WEFT_ERROR_DEVICE_LOST;
        snprintf(why, size, "too much memory is in use for requests of all tenants (%llu)",
                 (unsigned long long)js->config.request_memory);
    } else {
        return (!spec->profile || !*spec->profile || admit_gpu(js, kind, why, size))
            && tenant_admit(js, t, spec->memory_limit, kind, why, size)
            && (!o || tenant_admit(js, o, spec->memory_limit, kind, why, size));
    }
    return false;
}

bool tenant_may_run(Jobs *js, const Tenant *t)
{
    return !js->config.sec_limits || t->memory < js->config.quota_memory;
}

void tenant_charge(Jobs *js, Tenant *t, uint64_t time_ns, uint64_t ops)
{
    (void)js;
    new_minute(t);
    t->time_ns += time_ns;
    t->ops += ops;
}

static bool count_request(Jobs *js, const char *name)
{
    Tenant *t = tenant_get(js, name);
    if (!t)
        return false;
    uint64_t second = clock_ns() / NS_PER_S;
    if (t->second != second) {
        t->second = second;
        t->requests = 0;
    }
    return ++t->requests <= js->config.quota_rate || !js->config.sec_limits;
}

bool jobs_count_request(Jobs *js, const char *tenant, const char *origin)
{
    pthread_mutex_lock(&js->lock);
    bool ok = count_request(js, tenant);
    if (ok && *origin)
        ok = count_request(js, origin);
    pthread_mutex_unlock(&js->lock);
    return ok;
}

bool jobs_count_connection(Jobs *js, const char *tenant, int step)
{
    pthread_mutex_lock(&js->lock);
    Tenant *t = tenant_get(js, tenant);
    bool    ok = t && (step < 0 || !js->config.sec_limits
                       || t->connections < js->config.quota_connections);
    if (ok)
        t->connections += (uint64_t)(int64_t)step;
    pthread_mutex_unlock(&js->lock);
    return ok;
}

JobsRoom jobs_take_room(Jobs *js, const char *tenant, uint64_t bytes)
{
    JobsRoom room = ROOM_TAKEN;
    if (bytes == 0)
        return room;
    pthread_mutex_lock(&js->lock);
    const Config *c = &js->config;
    Tenant       *t = tenant_get(js, tenant);
    if (!t || bytes > c->request_memory || js->room > c->request_memory - bytes)
        room = ROOM_FULL;
    else if (c->sec_limits
             && (bytes > c->quota_requests || t->room > c->quota_requests - bytes))
        room = ROOM_TENANT_FULL;
    else
        tenant_add_room(js, t, (int64_t)bytes);
    pthread_mutex_unlock(&js->lock);
    return room;
}

void jobs_give_room(Jobs *js, const char *tenant, uint64_t bytes)
{
    if (bytes == 0)
        return;
    pthread_mutex_lock(&js->lock);
    tenant_add_room(js, tenant_get(js, tenant), -(int64_t)bytes);
    pthread_mutex_unlock(&js->lock);
}

unsigned jobs_next_minute(void)
{
    return (unsigned)(60 - clock_ns() / NS_PER_S % 60);
}

bool jobs_may_generate(Jobs *js, const char *tenant, const char *origin)
{
    pthread_mutex_lock(&js->lock);
    const char *names[] = {tenant, *origin ? origin : tenant};
    bool        ok = true;
    for (int i = 0; i < 2; i++) {
        Tenant *t = tenant_get(js, names[i]);
        if (t)
            new_minute(t);
        ok = ok && t && (!js->config.sec_limits || t->tokens < js->config.quota_tokens);
    }
    pthread_mutex_unlock(&js->lock);
    return ok;
}

void jobs_generated(Jobs *js, const char *tenant, const char *origin, uint64_t tokens)
{
    pthread_mutex_lock(&js->lock);
    Tenant *t = tenant_get(js, tenant), *o = *origin ? tenant_get(js, origin) : NULL;
    if (t) {
        new_minute(t);
        t->tokens += tokens;
    }
    if (o) {
        new_minute(o);
        o->tokens += tokens;
    }
    pthread_mutex_unlock(&js->lock);
}

bool jobs_may_store(Jobs *js, const char *tenant, uint64_t bytes)
{
    pthread_mutex_lock(&js->lock);
    Tenant *t = tenant_get(js, tenant);
    bool    ok = t && (!js->config.sec_limits
                       || (bytes <= js->config.quota_stored
                           && tenant_stored(js, t) <= js->config.quota_stored - bytes));
    pthread_mutex_unlock(&js->lock);
    return ok;
}

void jobs_buffers_changed(Jobs *js, const char *tenant)
{
    pthread_mutex_lock(&js->lock);
    Tenant *t = tenant_get(js, tenant);
    if (t)
        t->stale_buffers = true;
    pthread_mutex_unlock(&js->lock);
}

/* ---- figures ---- */

static TenantFigures figures_of(Jobs *js, Tenant *t)
{
    new_minute(t);
    return (TenantFigures){.name = t->name, .jobs = t->live, .memory = t->memory,
                           .stored = tenant_stored(js, t), .connections = t->connections,
                           .time_ns = t->time_ns, .operations = t->ops};
}

uint32_t jobs_tenants(Jobs *js, TenantFigures *out, uint32_t room)
{
    uint32_t count = 0;
    pthread_mutex_lock(&js->lock);
    for (uint32_t i = 0; i < TENANT_BUCKETS; i++)
        for (Tenant *t = js->tenants[i]; t && count < room; t = t->next)
            out[count++] = figures_of(js, t);
    pthread_mutex_unlock(&js->lock);
    return count;
}
