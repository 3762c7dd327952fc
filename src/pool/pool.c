// SPDX-License-Identifier: Apache-2.0
/*
 * pool.c - making and releasing a pool; its sources and devices; choices in words.
 *
 * in     a descriptor
 * out    a pool with the devices that probe.c found
 * knows  the order in which its parts end
 * not    executions
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/files.h"
#include "pool/pool_priv.h"

/* ---- descriptors ---- */

/* The one place where zero becomes a real value. */
static weft_pool_desc resolve(const weft_pool_desc *desc)
{
    weft_pool_desc d = desc ? *desc : (weft_pool_desc){0};
    uint64_t       memory = platform_memory();
    if (!d.probe_timeout)
        d.probe_timeout = 10ull * NS_PER_S;
    if (d.probe_timeout > 3600ull * NS_PER_S)
        d.probe_timeout = 3600ull * NS_PER_S;
    if (!d.benchmark_timeout)
        d.benchmark_timeout = 3ull * NS_PER_S;
    if (!d.host_limit)
        d.host_limit = memory ? memory / 4 : WEFT_OFF;
    if (!d.policy)
        d.policy = d.device ? WEFT_POLICY_DEVICE : WEFT_POLICY_FINISH;
    if (!d.retries)
        d.retries = 3;
    if (!d.backoff_ns)
        d.backoff_ns = 10000000;
    if (d.backoff_ns > 60ull * NS_PER_S)
        d.backoff_ns = 60ull * NS_PER_S;
    if (!d.give_up)
        d.give_up = 16;
    if (!d.program_limit)
        d.program_limit = 1024;
    if (!(d.alert_speed > 0))
        d.alert_speed = 0.9;
    if (!(d.alert_memory > 0))
        d.alert_memory = 0.9;
    if (!(d.alert_errors > 0))
        d.alert_errors = 0.01;
    if (!d.sample_ns)
        d.sample_ns = 100000000;
    return d;
}

static const char *keep(weft_pool *pool, const char *text)
{
    return text ? arena_printf(&pool->arena, "%s", text) : NULL;
}

static const char *const *keep_list(weft_pool *pool, const char *const *list)
{
    uint32_t count = 0;
    if (!list)
        return NULL;
    while (list[count])
        count++;
    const char **copy = ARENA_ARRAY(&pool->arena, const char *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        copy[i] = keep(pool, list[i]);
    return copy;
}

static void keep_texts(weft_pool *pool)
{
    weft_pool_desc *d = &pool->desc;
    d->libraries = keep_list(pool, d->libraries);
    d->adapters = keep_list(pool, d->adapters);
    d->cache_dir = keep(pool, d->cache_dir);
    d->device = keep(pool, d->device);
}

/* ---- creation ---- */

static void start_device(weft_pool *pool, PoolDevice *d)
{
    uint64_t memory = d->found.memory ? d->found.memory : d->profile.memory;
    clock_cond_init(&d->wake);
    d->memory_budget = pool->desc.device_memory ? pool->desc.device_memory
                     : memory ? memory / 4 * 3 : UINT64_MAX;
}

/* Under arena_try(). */
static void find_devices(void *context)
{
    weft_pool *pool = context;
    keep_texts(pool);
    probe_run(pool);
    for (uint32_t i = 0; i < pool->device_count; i++)
        start_device(pool, &pool->devices[i]);
}

weft_pool *weft_pool_create(const weft_pool_desc *desc)
{
    weft_pool *pool = calloc(1, sizeof *pool);
    if (!pool || !monitor_init(&pool->monitor)) {
        free(pool);
        return NULL;
    }
    atomic_init(&pool->refs, 1);
    pthread_mutex_init(&pool->lock, NULL);
    clock_cond_init(&pool->watch_wake);
    pool->desc = resolve(desc);
    if ((uint32_t)pool->desc.policy >= WEFT_POLICY_COUNT)
        pool->desc.policy = WEFT_POLICY_FINISH;
    pool->programs.limit = pool->desc.program_limit;
    arena_init(&pool->arena, 0);
    if (!arena_try(&pool->arena, find_devices, pool)) {
        pool->device_count = 0;
        pool_finish(pool);
        return NULL;
    }
    return pool;
}

weft_pool *weft_pool_retain(weft_pool *pool)
{
    if (pool)
        atomic_fetch_add_explicit(&pool->refs, 1, memory_order_relaxed);
    return pool;
}

/* ---- the end ---- */

void pool_finish(weft_pool *pool)
{
    programs_fini(pool);
    for (uint32_t i = 0; i < pool->device_count; i++) {
        PoolDevice *d = &pool->devices[i];
        graveyard_empty(d);
        weft_context_release(d->engine);
        pthread_cond_destroy(&d->wake);
        free(d->heap);
    }
    BUG_IF(pool->memory_used || pool->host_used, "a pool ends with memory in its accounts");
    pthread_cond_destroy(&pool->watch_wake);
    pthread_mutex_destroy(&pool->lock);
    monitor_fini(&pool->monitor);
    arena_fini(&pool->arena);
    free(pool);
}

/* No context is left, so nothing waits or runs, but for threads that hang in a library. */
static void *pool_stop(void *argument)
{
    weft_pool *pool = argument;
    workers_stop(pool);
    pool_lock(pool);
    bool stuck = pool->stuck_count != 0;
    pool->abandoned = stuck;
    pool_leave(pool);
    if (!stuck)
        pool_finish(pool);
    return NULL;
}

void pool_unref(weft_pool *pool)
{
    pthread_t other;
    if (!pool || atomic_fetch_sub_explicit(&pool->refs, 1, memory_order_acq_rel) != 1)
        return;
    /* The last execution may end on a thread of the pool, which cannot wait for itself. */
    if (!workers_are_here(pool))
        pool_stop(pool);
    else if (platform_thread_start(&other, pool_stop, pool))
        pthread_detach(other);
}

void weft_pool_release(weft_pool *pool)
{
    pool_unref(pool);
}

/* ---- sources, devices ---- */

uint32_t weft_pool_source_count(const weft_pool *pool)
{
    return pool ? pool->source_count : 0;
}

bool weft_pool_source_get(weft_pool_source *out, const weft_pool *pool, uint32_t index)
{
    if (!out || !pool || index >= pool->source_count)
        return false;
    const Source *s = &pool->sources[index];
    *out = (weft_pool_source){.library = s->library ? s->library : "weft",
                              .devices = s->devices, .error = s->error};
    return true;
}

uint32_t weft_pool_device_count(const weft_pool *pool)
{
    return pool ? pool->device_count : 0;
}

static weft_pool *writable(const weft_pool *pool)
{
    weft_pool *w;
    memcpy(&w, &pool, sizeof w);        /* the lock is not part of what is constant */
    return w;
}

bool weft_pool_device_get(weft_pool_device *out, const weft_pool *const_pool, uint32_t index)
{
    weft_pool *pool = writable(const_pool);
    if (!out || !pool || index >= pool->device_count)
        return false;
    const PoolDevice  *d = &pool->devices[index];
    const DeviceFound *f = &d->found;
    pool_lock(pool);
    *out = (weft_pool_device){
        .index = index, .id = f->id, .name = f->name, .vendor = f->vendor,
        .architecture = f->architecture, .driver = f->driver, .backend = f->backend,
        .type = f->type, .library = f->library ? f->library : "weft",
        .hardware_gpu = f->hardware_gpu, .f16 = f->f16, .f64 = f->f64,
        .subgroups = f->subgroups, .memory = f->memory, .limits = f->limits,
        .profile = d->profile, .state = d->state, .losses = d->losses, .queued = d->queued,
        .backlog_ns = (uint64_t)d->backlog_ns, .memory_used = d->memory_used,
        .memory_budget = d->memory_budget,
    };
    pool_unlock(pool);
    return true;
}

uint32_t weft_pool_device_find(const weft_pool *pool, const char *word)
{
    for (uint32_t i = 0; pool && i < pool->device_count; i++)
        if (device_matches(&pool->devices[i], word))
            return i;
    return UINT32_MAX;
}

bool weft_pool_device_measure(weft_pool *pool, uint32_t index, char *why, size_t why_size)
{
    char         text[200];
    weft_profile profile;
    bool         crashed;
    if (!pool || index >= pool->device_count) {
        if (why)
            snprintf(why, why_size, "there is no device %u", index);
        return false;
    }
    PoolDevice *d = &pool->devices[index];
    bool ok = probe_measure(pool, &d->found, &profile, text, sizeof text, &crashed);
    if (ok) {
        profile_store(pool, &d->found, &profile);
        pool_lock(pool);
        d->profile = profile;
        pool_unlock(pool);
    } else if (why) {
        snprintf(why, why_size, "%s", text);
    }
    return ok;
}

/* ---- choices in words ---- */

static size_t add_line(char *out, size_t size, size_t at, const weft_pool *pool,
                       const weft_pool_choice *c, uint32_t rank)
{
    const char *name = pool->devices[c->device].found.name;
    char       *to = at < size ? out + at : NULL;
    size_t      room = at < size ? size - at : 0;
    int n;
    if (!c->fits)
        n = snprintf(to, room, "   %s: cannot: %s\n", name, c->reason);
    else
        n = snprintf(to, room, "%u. %s: %.4g ms: queue %.3g, upload %.3g, launch %.3g, "
                     "arithmetic %.3g or memory %.3g times %.3g, read %.3g; %s\n", rank, name,
                     c->total_ns / 1e6, c->queue_ns / 1e6, c->upload_ns / 1e6,
                     c->launch_ns / 1e6, c->compute_ns / 1e6, c->memory_ns / 1e6, c->learned,
                     c->read_ns / 1e6, c->reason);
    return at + (n > 0 ? (size_t)n : 0);
}

size_t weft_pool_explain(char *out, size_t size, weft_pool_context *ctx,
                         const weft_execute_desc *desc)
{
    weft_pool_choice choices[MAX_DEVICES];
    weft_pool_error  error;
    size_t   at = 0;
    uint32_t count = weft_pool_choose(choices, MAX_DEVICES, ctx, desc);
    if (out && size)
        out[0] = '\0';
    for (uint32_t i = 0; i < count; i++)
        at = add_line(out, out ? size : 0, at, ctx->pool, &choices[i], i + 1);
    if (count == 0) {
        bool failed = weft_pool_context_error(&error, ctx);
        int  n = snprintf(out, out ? size : 0, "%s\n",
                          failed ? error.message : "the pool has no device");
        at = n > 0 ? (size_t)n : 0;
    }
    return at + 1;
}
