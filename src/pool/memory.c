// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - accounts of memory: of each context, each device and the pool as a whole.
 *
 * in     bytes that are about to be used, or no longer are
 * out    whether quota, budget and limit allow them; at the end all accounts are zero
 * not    where the bytes are; what could be evicted (resident.c)
 *
 * Everything here is under the lock of the pool.
 */
#include "pool/pool_priv.h"

static bool fits(uint64_t used, uint64_t more, uint64_t limit)
{
    return !limit || (more <= limit && used <= limit - more);
}

bool memory_take_device(PoolDevice *d, weft_pool_context *ctx, uint64_t bytes,
                        weft_pool_error *error)
{
    weft_pool *pool = d->pool;
    if (!fits(ctx->usage.memory, bytes, ctx->memory_quota))
        return pool_fail(error, WEFT_ERROR_QUOTA, ctx->label, "%s: %llu bytes are above the "
                         "memory quota of %llu, of which %llu are in use", ctx->label,
                         (unsigned long long)bytes, (unsigned long long)ctx->memory_quota,
                         (unsigned long long)ctx->usage.memory);
    if (!fits(pool->memory_used, bytes, pool->desc.memory_limit))
        return pool_fail(error, WEFT_ERROR_MEMORY, NULL, "%llu bytes are above the pool's memory "
                         "limit of %llu, of which %llu are in use", (unsigned long long)bytes,
                         (unsigned long long)pool->desc.memory_limit,
                         (unsigned long long)pool->memory_used);
    if (!fits(d->memory_used, bytes, d->memory_budget))
        return pool_fail(error, WEFT_ERROR_MEMORY, d->found.name, "%llu bytes are above the "
                         "memory budget of '%s', %llu bytes, of which %llu are in use",
                         (unsigned long long)bytes, d->found.name,
                         (unsigned long long)d->memory_budget,
                         (unsigned long long)d->memory_used);
    ctx->usage.memory += bytes;
    pool->memory_used += bytes;
    d->memory_used += bytes;
    if (ctx->usage.memory > ctx->usage.memory_peak)
        ctx->usage.memory_peak = ctx->usage.memory;
    if (pool->memory_used > pool->memory_peak)
        pool->memory_peak = pool->memory_used;
    if (d->memory_used > d->memory_peak)
        d->memory_peak = d->memory_used;
    monitor_memory(pool, d);
    return true;
}

void memory_give_device(PoolDevice *d, weft_pool_context *ctx, uint64_t bytes)
{
    BUG_IF(bytes > ctx->usage.memory || bytes > d->memory_used || bytes > d->pool->memory_used,
           "more memory is given back than was taken");
    ctx->usage.memory -= bytes;
    d->memory_used -= bytes;
    d->pool->memory_used -= bytes;
    monitor_memory(d->pool, d);
}

bool memory_take_host(weft_pool *pool, uint64_t bytes)
{
    if (!fits(pool->host_used, bytes, pool->desc.host_limit))
        return false;
    pool->host_used += bytes;
    if (pool->host_used > pool->host_peak)
        pool->host_peak = pool->host_used;
    return true;
}

void memory_give_host(weft_pool *pool, uint64_t bytes)
{
    BUG_IF(bytes > pool->host_used, "more host memory is given back than was taken");
    pool->host_used -= bytes;
}
