// SPDX-License-Identifier: Apache-2.0
/*
 * index_blocks.c - vectors in blocks of 16, blocks in segments of device memory and in lists.
 *
 * in     rows on the device, slots
 * out    the same rows in blocks; masks of the lanes that hold a vector
 * knows  kernels/store_rows.wgsl, load_rows.wgsl
 * not    ids beyond an array of them, searches
 *
 * Segments double in size up to SEGMENT_BYTES, so that growing never copies a vector and a
 * small index is small.
 */
#include <stdlib.h>
#include <string.h>

#include "vectors/index_priv.h"

#define FIRST_BLOCKS  64u
#define SEGMENT_BYTES (128u << 20)

bool blocks_init(Blocks *b, weft_context *ctx, uint32_t dim, uint32_t lists)
{
    *b = (Blocks){.dim = dim, .list_count = lists};
    b->lists = host_array(ctx, lists, sizeof *b->lists);
    return b->lists != NULL;
}

void blocks_fini(Blocks *b)
{
    for (uint32_t i = 0; i < b->segment_count; i++) {
        weft_buffer_release(b->segments[i].data);
        weft_buffer_release(b->segments[i].live);
        free(b->segments[i].masks);
    }
    for (uint32_t i = 0; b->lists && i < b->list_count; i++) {
        free(b->lists[i].blocks.data);
        free(b->lists[i].free.data);
    }
    free(b->segments);
    free(b->lists);
    free(b->ids);
    free(b->owner);
    *b = (Blocks){0};
}

uint64_t blocks_bytes(const Blocks *b)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < b->segment_count; i++)
        sum += weft_buffer_size(b->segments[i].data) + weft_buffer_size(b->segments[i].live);
    return sum;
}

/* ---- growing ---- */

static bool array_push(SlotArray *a, weft_context *ctx, uint32_t value)
{
    if (a->count == a->room) {
        uint32_t  room = a->room ? a->room * 2 : 16;
        uint32_t *data = realloc(a->data, (size_t)room * sizeof *data);
        if (!data)
            return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for %u slots", room);
        a->data = data;
        a->room = room;
    }
    a->data[a->count++] = value;
    return true;
}

static uint32_t next_size(const Blocks *b, weft_context *ctx)
{
    uint64_t most = weft_context_device(ctx)->limits.maxStorageBufferBindingSize;
    uint64_t limit = MAX_OF(MIN_OF(most, SEGMENT_BYTES) / ((uint64_t)b->dim * BLOCK * 4), 1);
    uint64_t want = b->segment_count ? (uint64_t)b->segments[b->segment_count - 1].blocks * 2
                                     : FIRST_BLOCKS;
    return (uint32_t)MIN_OF(want, limit);
}

static bool grow_arrays(Blocks *b, weft_context *ctx, uint32_t more)
{
    if (b->segment_count == MAX_SEGMENTS || b->room > UINT32_MAX / BLOCK - more)
        return context_fail(ctx, WEFT_ERROR_MEMORY, "the index cannot grow further");
    if (b->segment_count == b->segment_room) {
        uint32_t room = b->segment_room ? b->segment_room * 2 : 16;
        Segment *segments = realloc(b->segments, room * sizeof *segments);
        if (!segments)
            return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for %u segments", room);
        b->segments = segments;
        b->segment_room = room;
    }
    uint64_t *ids = realloc(b->ids, ((uint64_t)b->room + more) * BLOCK * sizeof *ids);
    if (!ids)
        return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for the ids of %u blocks", more);
    b->ids = ids;
    uint32_t *owner = realloc(b->owner, ((uint64_t)b->room + more) * sizeof *owner);
    if (!owner)
        return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for the lists of %u blocks", more);
    b->owner = owner;
    return true;
}

static bool add_segment(Blocks *b, weft_context *ctx)
{
    Segment s = {.first = b->room, .blocks = next_size(b, ctx)};
    if (!grow_arrays(b, ctx, s.blocks))
        return false;
    s.data = device_bytes(ctx, (uint64_t)s.blocks * b->dim * BLOCK * 4, "vectors");
    s.live = weft_buffer_create(ctx, &(weft_buffer_desc){
        .size = (uint64_t)s.blocks * 4, .label = "masks of blocks"});
    s.masks = host_array(ctx, s.blocks, sizeof *s.masks);
    if (!s.data || !s.live || !s.masks) {
        weft_buffer_release(s.data);
        weft_buffer_release(s.live);
        free(s.masks);
        return false;
    }
    b->segments[b->segment_count++] = s;
    b->room += s.blocks;
    return true;
}

/* ---- slots ---- */

uint32_t blocks_take(Blocks *b, weft_context *ctx, uint32_t list)
{
    List *l = &b->lists[list];
    if (l->free.count)
        return l->free.data[--l->free.count];
    if (l->blocks.count == 0 || l->filled == BLOCK) {
        if ((b->used == b->room && !add_segment(b, ctx)) || !array_push(&l->blocks, ctx, b->used))
            return NO_SLOT;
        b->owner[b->used++] = list;
        l->filled = 0;
    }
    return l->blocks.data[l->blocks.count - 1] * BLOCK + l->filled++;
}

void blocks_give(Blocks *b, weft_context *ctx, uint32_t slot)
{
    array_push(&b->lists[b->owner[slot / BLOCK]].free, ctx, slot);
}

const Segment *blocks_segment(const Blocks *b, uint32_t block)
{
    uint32_t low = 0, high = b->segment_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (b->segments[middle].first <= block)
            low = middle;
        else
            high = middle;
    }
    return &b->segments[low];
}

bool blocks_is_live(const Blocks *b, uint32_t slot)
{
    const Segment *s = blocks_segment(b, slot / BLOCK);
    return s->masks[slot / BLOCK - s->first] >> slot % BLOCK & 1;
}

void blocks_set_live(Blocks *b, uint32_t slot, bool live, uint64_t id)
{
    Segment *s = &b->segments[blocks_segment(b, slot / BLOCK) - b->segments];
    uint32_t block = slot / BLOCK - s->first, bit = 1u << slot % BLOCK;
    s->masks[block] = live ? s->masks[block] | bit : s->masks[block] & ~bit;
    b->ids[slot] = id;
    if (s->dirty == s->dirty_end) {
        s->dirty = block;
        s->dirty_end = block + 1;
    }
    s->dirty = MIN_OF(s->dirty, block);
    s->dirty_end = MAX_OF(s->dirty_end, block + 1);
}

bool blocks_flush(Blocks *b)
{
    bool ok = true;
    for (uint32_t i = 0; i < b->segment_count; i++) {
        Segment *s = &b->segments[i];
        if (s->dirty < s->dirty_end)
            ok = weft_buffer_write(s->live, s->dirty * 4ull, s->masks + s->dirty,
                                   (s->dirty_end - s->dirty) * 4ull) && ok;
        s->dirty = s->dirty_end = 0;
    }
    return ok;
}

/* ---- rows ---- */

/* Slots within a segment; false if none is. */
static bool local_slots(uint32_t *out, const Segment *s, const uint32_t *slots, uint32_t count)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        bool here = slots[i] != NO_SLOT && slots[i] / BLOCK - s->first < s->blocks
                    && slots[i] / BLOCK >= s->first;
        out[i] = here ? slots[i] - s->first * BLOCK : NO_SLOT;
        any = any || here;
    }
    return any;
}

bool blocks_store_into(weft_context *ctx, weft_buffer *data, uint32_t dim, weft_buffer *rows,
                       weft_buffer *scale, const uint32_t *slots, uint32_t count)
{
    struct { uint32_t rows, dim; } p = {count, dim};
    weft_buffer *at = device_copy(ctx, slots, (uint64_t)count * 4, "slots of rows");
    bool ok = at && vectors_run(ctx, &(KernelRun){
        .pipeline = vectors_kernel(ctx, KERNEL_STORE_ROWS, false),
        .buffers = {rows, scale, at, data}, .params = &p, .params_size = sizeof p,
        .groups = {(count + 63) / 64}});
    weft_buffer_release(at);
    return ok;
}

static bool load_from(weft_context *ctx, weft_buffer *data, uint32_t dim, weft_buffer *rows,
                      const uint32_t *slots, uint32_t count)
{
    struct { uint32_t rows, dim; } p = {count, dim};
    weft_buffer *at = device_copy(ctx, slots, (uint64_t)count * 4, "slots of rows");
    bool ok = at && vectors_run(ctx, &(KernelRun){
        .pipeline = vectors_kernel(ctx, KERNEL_LOAD_ROWS, false), .buffers = {data, at, rows},
        .params = &p, .params_size = sizeof p, .groups = {(count + 63) / 64}});
    weft_buffer_release(at);
    return ok;
}

bool blocks_store(const Blocks *b, weft_context *ctx, weft_buffer *rows, weft_buffer *scale,
                  const uint32_t *slots, uint32_t count)
{
    uint32_t *local = host_array(ctx, count, sizeof *local);
    bool      ok = local != NULL;
    for (uint32_t i = 0; ok && i < b->segment_count; i++)
        if (local_slots(local, &b->segments[i], slots, count))
            ok = blocks_store_into(ctx, b->segments[i].data, b->dim, rows, scale, local, count);
    free(local);
    return ok;
}

bool blocks_load(const Blocks *b, weft_context *ctx, weft_buffer *rows, const uint32_t *slots,
                 uint32_t count)
{
    uint32_t *local = host_array(ctx, count, sizeof *local);
    bool      ok = local != NULL;
    for (uint32_t i = 0; ok && i < b->segment_count; i++)
        if (local_slots(local, &b->segments[i], slots, count))
            ok = load_from(ctx, b->segments[i].data, b->dim, rows, local, count);
    free(local);
    return ok;
}
