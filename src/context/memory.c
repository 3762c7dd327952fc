// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - device memory of a context: a budget, free buffers kept by size class, and
 * layers that give memory back when it is short.
 *
 * in     sizes
 * out    device buffers, reused where possible
 * knows  that the queue runs in order, so that a free buffer may be used again at once
 * not    what is in the buffers (buffer.c, transfer.c)
 */
#include <stdlib.h>

#include "context/buffer_priv.h"

#define SMALL_STEP 256u                 /* bytes between the smallest classes          */
#define SMALL_MAX  2048u
#define EVICT_CHUNK ((uint64_t)256 << 10)
#define WIDER      2u                   /* larger classes that also satisfy a request  */

/* ---- size classes: steps of 256 bytes, then eight a power of two ---- */

static uint32_t log2_floor(uint64_t n)
{
    uint32_t bits = 0;
    while (n >>= 1)
        bits++;
    return bits;
}

uint32_t pool_class(uint64_t size, uint64_t *capacity)
{
    if (size <= SMALL_MAX) {
        uint32_t index = size ? (uint32_t)((size - 1) / SMALL_STEP) : 0;
        *capacity = (uint64_t)(index + 1) * SMALL_STEP;
        return index;
    }
    uint32_t bits = log2_floor(size - 1);               /* 2^bits < size <= 2^(bits + 1) */
    uint64_t step = (uint64_t)1 << (bits - 3);
    uint64_t part = (size - 1 - ((uint64_t)1 << bits)) / step;
    *capacity = ((uint64_t)1 << bits) + (part + 1) * step;
    return 8 + (bits - 11) * 8 + (uint32_t)part;
}

/* ---- start and end ---- */

void memory_init(weft_context *ctx)
{
    Memory        *m = &ctx->memory;
    const uint64_t wish = ctx->desc.memory_budget;
    uint64_t       memory = ctx->device ? ctx->device->info.memory : 0;
    m->counts.budget = wish == WEFT_OFF || (wish == 0 && memory == 0) ? UINT64_MAX
                     : wish ? wish : memory / 4 * 3;
    ctx->desc.memory_budget = m->counts.budget;
    m->pool_limit = ctx->desc.memory_mode == WEFT_MEMORY_LOW ? 0
                  : ctx->desc.memory_mode == WEFT_MEMORY_SPEED ? UINT64_MAX
                  : m->counts.budget / 4;
}

static void note_peak(Memory *m)
{
    m->counts.peak = MAX_OF(m->counts.peak, m->counts.live + m->counts.pooled);
}

/* ---- an account outside ---- */

void context_set_account(weft_context *ctx, const ContextAccount *account)
{
    ctx->memory.account = *account;
}

static void account_give(weft_context *ctx, uint64_t bytes)
{
    if (ctx->memory.account.give)
        ctx->memory.account.give(ctx->memory.account.user, bytes);
}

/* Free buffers are given back before the account's refusal is an error. */
static bool account_take(weft_context *ctx, uint64_t bytes)
{
    const ContextAccount *a = &ctx->memory.account;
    char why[400] = "";
    if (!a->take || a->take(a->user, bytes, why, sizeof why))
        return true;
    weft_context_trim(ctx, 0);
    return a->take(a->user, bytes, why, sizeof why)
        || context_fail(ctx, WEFT_ERROR_MEMORY, "%s: %s", ctx->desc.label, why);
}

void buffer_destroy(weft_buffer *b)
{
    const Procs *p = &b->ctx->device->lib.procs;
    if (b->kind == BUFFER_BORROWED) {
        recorder_forget(b->ctx, b);
    } else {
        if (recorder_uses(b->ctx, b))
            weft_context_submit(b->ctx);
        p->BufferDestroy(b->gpu);
        if (b->kind != BUFFER_LENT)
            account_give(b->ctx, b->capacity);
    }
    p->BufferRelease(b->gpu);
    free(b);
}

/* Frees one pool, the largest buffers first, down to `keep` bytes; returns what it freed. */
static uint64_t trim_pool(weft_context *ctx, Pool *pool, uint64_t keep)
{
    uint64_t freed = 0;
    for (uint32_t i = POOL_CLASSES; i-- > 0 && pool->bytes > keep;) {
        while (pool->free[i] && pool->bytes > keep) {
            weft_buffer *b = pool->free[i];
            pool->free[i] = b->next;
            pool->bytes -= b->capacity;
            ctx->memory.counts.pooled -= b->capacity;
            freed += b->capacity;
            buffer_destroy(b);
        }
    }
    return freed;
}

void memory_fini(weft_context *ctx)
{
    if (!ctx->device)
        return;
    trim_pool(ctx, &ctx->memory.pool, 0);
    trim_pool(ctx, &ctx->memory.staging, 0);
}

void weft_context_trim(weft_context *ctx, uint64_t keep)
{
    if (!ctx || !ctx->device)
        return;
    uint64_t freed = trim_pool(ctx, &ctx->memory.staging, keep);
    freed += trim_pool(ctx, &ctx->memory.pool, keep - MIN_OF(keep, ctx->memory.staging.bytes));
    if (freed)
        context_log(ctx, WEFT_LOG_MEMORY, "%llu bytes of free buffers given back",
                    (unsigned long long)freed);
}

void weft_context_memory(weft_memory *out, const weft_context *ctx)
{
    if (out)
        *out = ctx ? ctx->memory.counts : (weft_memory){0};
}

void weft_context_memory_reset_peak(weft_context *ctx)
{
    if (!ctx)
        return;
    ctx->memory.counts.peak = 0;
    note_peak(&ctx->memory);
}

/* ---- pressure ---- */

void context_add_evictor(weft_context *ctx, ContextEvict evict, void *user)
{
    Memory *m = &ctx->memory;
    BUG_IF(m->evictor_count == MAX_EVICTORS, "too many evictors");
    m->evictors[m->evictor_count++] = (Evictor){evict, user};
}

void context_remove_evictor(weft_context *ctx, ContextEvict evict, void *user)
{
    Memory  *m = &ctx->memory;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->evictor_count; i++)
        if (m->evictors[i].evict != evict || m->evictors[i].user != user)
            m->evictors[kept++] = m->evictors[i];
    m->evictor_count = kept;
}

void context_account_moved(weft_context *ctx, int64_t host, int64_t disk, uint64_t evicted)
{
    weft_memory *c = &ctx->memory.counts;
    c->host += (uint64_t)host;
    c->disk += (uint64_t)disk;
    c->evicted += evicted;
}

static uint64_t in_use(const Memory *m)
{
    return m->counts.live + m->counts.pooled;
}

/* Asks the layers until `bytes` more fit. */
static void evict(weft_context *ctx, uint64_t bytes)
{
    Memory *m = &ctx->memory;
    if (m->evicting)
        return;
    m->evicting = true;
    for (uint32_t i = 0; i < m->evictor_count; i++) {
        uint64_t room = m->counts.budget - MIN_OF(m->counts.budget, m->counts.live);
        if (room >= bytes)
            break;
        uint64_t freed = m->evictors[i].evict(m->evictors[i].user, bytes - room);
        context_bump(ctx, COUNTER_EVICTIONS, 1);
        context_log(ctx, WEFT_LOG_MEMORY, "%llu bytes evicted, %llu were needed",
                    (unsigned long long)freed, (unsigned long long)(bytes - room));
    }
    m->evicting = false;
}

/* What allocations leave free for the staging buffer through which an evictor reads. */
static uint64_t reserve(const Memory *m, BufferKind kind)
{
    bool through = kind == BUFFER_STAGING && m->evicting;
    return m->evictor_count && !through ? context_evict_chunk(m->counts.budget) : 0;
}

uint64_t context_evict_chunk(uint64_t budget)
{
    return MIN_OF(budget / 16, EVICT_CHUNK) & ~(uint64_t)(SMALL_STEP - 1);
}

/* Makes `bytes` fit into the budget; false if nothing helps. Memory of buffers that are
 * given back is free once the work that uses them is done, so this waits for it. */
static bool make_room(weft_context *ctx, uint64_t bytes, BufferKind kind)
{
    Memory  *m = &ctx->memory;
    uint64_t budget = m->counts.budget - reserve(m, kind);
    if (bytes <= budget && in_use(m) <= budget - bytes)
        return true;
    if (bytes <= budget) {
        uint64_t before = m->counts.pooled + m->counts.live;
        weft_context_trim(ctx, 0);
        evict(ctx, bytes + reserve(m, kind));
        weft_context_trim(ctx, 0);
        if (before != m->counts.pooled + m->counts.live)
            weft_context_wait(ctx);
    }
    if (bytes <= budget && in_use(m) <= budget - bytes)
        return true;
    return context_fail(ctx, WEFT_ERROR_MEMORY,
                        "%s: a buffer of %llu bytes does not fit into the memory budget of %llu "
                        "bytes, of which %llu are in use", ctx->desc.label,
                        (unsigned long long)bytes, (unsigned long long)m->counts.budget,
                        (unsigned long long)m->counts.live);
}

/* ---- taking and giving back ---- */

static weft_buffer *take_from(Pool *pool, uint32_t class, uint64_t not_recorded)
{
    weft_buffer **link = &pool->free[class];
    for (uint32_t i = 0; *link && i < 8; i++, link = &(*link)->next) {
        weft_buffer *b = *link;
        if (b->recorded == not_recorded)
            continue;
        *link = b->next;
        pool->bytes -= b->capacity;
        return b;
    }
    return NULL;
}

static weft_buffer *reuse(weft_context *ctx, Pool *pool, uint32_t class, bool idle)
{
    Memory      *m = &ctx->memory;
    weft_buffer *b = NULL;
    uint32_t     last = MIN_OF(class + WIDER, POOL_CLASSES - 1);
    for (uint32_t i = class; i <= last && !b; i++)
        b = take_from(pool, i, idle ? ctx->recorder.serial : UINT64_MAX);
    if (!b)
        return NULL;
    m->counts.pooled -= b->capacity;
    m->counts.live += b->capacity;
    context_bump(ctx, COUNTER_BUFFERS_REUSED, 1);
    return b;
}

weft_buffer *memory_take(weft_context *ctx, BufferKind kind, WGPUBufferUsage usage,
                         uint64_t size, bool idle)
{
    uint64_t     capacity = size;
    Memory      *m = &ctx->memory;
    Pool        *pool = kind == BUFFER_STAGING ? &m->staging : &m->pool;
    uint32_t     class = pool_class(size, &capacity);
    bool         pooled = kind == BUFFER_POOLED || kind == BUFFER_STAGING;
    weft_buffer *b = pooled ? reuse(ctx, pool, class, idle) : NULL;
    if (b)
        return b;
    capacity = MIN_OF(capacity, ctx->device->info.limits.maxBufferSize & ~(uint64_t)3);
    if (!pooled || capacity < size)
        capacity = size;
    if (!make_room(ctx, capacity, kind) || !account_take(ctx, capacity))
        return NULL;
    b = buffer_allocate(ctx, usage, capacity, kind == BUFFER_MAPPED);
    if (!b) {
        account_give(ctx, capacity);
        return NULL;
    }
    b->kind = kind;
    m->counts.live += capacity;
    note_peak(m);
    context_bump(ctx, COUNTER_BUFFERS, 1);
    return b;
}

void memory_give(weft_buffer *b)
{
    weft_context *ctx = b->ctx;
    Memory       *m = &ctx->memory;
    uint64_t      unused;
    Pool         *pool = b->kind == BUFFER_STAGING ? &m->staging : &m->pool;
    if (b->kind == BUFFER_BORROWED || b->kind == BUFFER_LENT) {
        buffer_destroy(b);
        return;
    }
    m->counts.live -= b->capacity;
    if (b->kind == BUFFER_OTHER || b->kind == BUFFER_MAPPED || ctx->closing ||
        m->counts.pooled + b->capacity > m->pool_limit) {
        buffer_destroy(b);
        return;
    }
    uint32_t class = pool_class(b->capacity, &unused);
    b->next = pool->free[class];
    pool->free[class] = b;
    pool->bytes += b->capacity;
    m->counts.pooled += b->capacity;
}

weft_buffer *memory_staging(weft_context *ctx, uint64_t size)
{
    weft_buffer *b = memory_take(ctx, BUFFER_STAGING,
                                 WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, size, true);
    if (b)
        buffer_begin(b, size);
    return b;
}
