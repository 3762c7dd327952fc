// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline_cache.c - the compiled kernels of a device, the least recently used leave.
 *
 * in     pipelines with their keys
 * out    the same pipeline for the same key, for every context of the device
 * not    how kernels are compiled (pipeline.c)
 */
#include <stdlib.h>
#include <string.h>

#include "context/context_priv.h"

void pipeline_cache_init(PipelineCache *c, uint32_t limit)
{
    lock_init(&c->lock);
    c->limit = MAX_OF(limit, 1);
}

void pipeline_cache_fini(PipelineCache *c, Device *d)
{
    (void)d;
    for (uint32_t i = 0; i < c->bucket_count; i++) {
        for (weft_pipeline *p = c->buckets[i], *next; p; p = next) {
            next = p->next;
            pipeline_unref(p);
        }
    }
    free(c->buckets);
    lock_fini(&c->lock);
}

/* ---- with the lock ---- */

static weft_pipeline *find(PipelineCache *c, uint64_t hash, const char *key, size_t key_size)
{
    weft_pipeline *p = c->bucket_count ? c->buckets[hash % c->bucket_count] : NULL;
    while (p && !(p->hash == hash && p->key_size == key_size
                  && memcmp(p->key, key, key_size) == 0))
        p = p->next;
    if (p) {
        atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
        p->last_use = ++c->tick;
    }
    return p;
}

/* Takes the least recently used one out. */
static weft_pipeline *take_oldest(PipelineCache *c)
{
    weft_pipeline **oldest = NULL;
    for (uint32_t i = 0; i < c->bucket_count; i++)
        for (weft_pipeline **link = &c->buckets[i]; *link; link = &(*link)->next)
            if (!oldest || (*link)->last_use < (*oldest)->last_use)
                oldest = link;
    weft_pipeline *p = *oldest;
    *oldest = p->next;
    c->count--;
    return p;
}

static bool have_buckets(PipelineCache *c)
{
    if (!c->buckets) {
        c->buckets = calloc(1024, sizeof *c->buckets);
        c->bucket_count = c->buckets ? 1024 : 0;
    }
    return c->buckets != NULL;
}

/* ---- each call ---- */

weft_pipeline *pipeline_cache_find(Device *d, uint64_t hash, const char *key, size_t key_size)
{
    lock_take(&d->cache.lock);
    weft_pipeline *p = find(&d->cache, hash, key, key_size);
    lock_give(&d->cache.lock);
    return p;
}

weft_pipeline *pipeline_cache_add(weft_context *ctx, weft_pipeline *p)
{
    PipelineCache *c = &ctx->device->cache;
    weft_pipeline *drop = NULL;
    lock_take(&c->lock);
    weft_pipeline *other = find(c, p->hash, p->key, p->key_size);
    if (other) {
        drop = p;
        p = other;
    } else if (have_buckets(c)) {
        if (c->count >= c->limit)
            drop = take_oldest(c);
        weft_pipeline **bucket = &c->buckets[p->hash % c->bucket_count];
        p->next = *bucket;
        p->last_use = ++c->tick;
        *bucket = p;
        c->count++;
        atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    }
    lock_give(&c->lock);
    if (drop && !other) {
        context_bump(ctx, COUNTER_CACHE_EVICTED, 1);
        context_log(ctx, WEFT_LOG_COMPILE, "%s leaves the cache", drop->label);
    }
    if (drop)
        pipeline_unref(drop);
    return p;
}
