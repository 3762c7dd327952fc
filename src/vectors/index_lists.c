// SPDX-License-Identifier: Apache-2.0
/*
 * index_lists.c - the inverted file: clusters of vectors, so that a search reads only the lists
 * near its query.
 *
 * in     the vectors of an index
 * out    centres (k-means over a sample), vectors regrouped by list, the number of lists that a
 *        search has to read for the wanted recall
 * knows  units.c, index_blocks.c
 * not    how a search reads lists
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/index_priv.h"

#define ITERATIONS     8u
#define SAMPLES_A_LIST 64u
#define SAMPLE_BYTES   (64u << 20)
#define RECALL_SAMPLES 256u
#define RECALL_COUNT   10u

typedef struct Trainer {
    IndexCore    *core;
    weft_context *ctx;
    uint32_t      dim, lists;
    uint32_t     *slots;                /* of all vectors; the first ones are the sample  */
    uint64_t      count;
    uint32_t      samples;
    weft_buffer  *sample;               /* [samples + TILE][dim]                          */
    weft_buffer  *ones;                 /* [most rows of a chunk]                         */
    weft_buffer  *centre;               /* [dim]                                          */
    weft_buffer  *nearest;
    uint32_t     *near;                 /* the same in memory                             */
    Units         units;
    Blocks        blocks;               /* the vectors regrouped                          */
    weft_progress progress;
    void         *user;
    uint64_t      done, total;
} Trainer;

static bool step(Trainer *t)
{
    t->done++;
    if (!t->progress || t->progress(t->user, MIN_OF(t->done, t->total), t->total))
        return true;
    return context_fail(t->ctx, WEFT_ERROR_CANCELLED, "%s: the training was cancelled",
                        t->core->desc.label);
}

static uint32_t list_count(const IndexCore *c)
{
    uint64_t n = c->ids.count;
    uint64_t lists = c->desc.lists ? c->desc.lists : (uint64_t)(2 * sqrt((double)n));
    return (uint32_t)MAX_OF(MIN_OF(MIN_OF(lists, n / 8), MAX_LISTS), 1);
}

/* ---- the sample ---- */

/* Draws the sample: the first t->samples of the shuffled slots. */
static void shuffle(Trainer *t)
{
    uint64_t state = t->core->desc.seed + 1;
    for (uint32_t i = 0; i < t->samples; i++) {
        uint64_t k = i + random_next(&state) % (t->count - i);
        uint32_t slot = t->slots[i];
        t->slots[i] = t->slots[k];
        t->slots[k] = slot;
    }
}

/* The mean of rows[count][dim], on the device. */
static weft_buffer *mean_of(Trainer *t, weft_buffer *rows, uint32_t count)
{
    double      *sums = host_array(t->ctx, t->dim, sizeof *sums);
    float       *means = host_array(t->ctx, t->dim, sizeof *means);
    weft_buffer *mean = NULL;
    if (sums && means && columns_add(sums, t->ctx, rows, count, t->dim)) {
        for (uint32_t i = 0; i < t->dim; i++)
            means[i] = (float)(sums[i] / count);
        mean = device_copy(t->ctx, means, t->dim * 4ull, "centre");
    }
    free(sums);
    free(means);
    return mean;
}

static bool draw_sample(Trainer *t)
{
    uint64_t bytes = ((uint64_t)t->samples + TILE) * t->dim * 4;
    shuffle(t);
    weft_buffer *raw = device_bytes(t->ctx, bytes, "sample");
    t->sample = device_bytes(t->ctx, bytes, "sample less the centre");
    bool ok = raw && t->sample && blocks_load(&t->core->blocks, t->ctx, raw, t->slots, t->samples);
    t->centre = ok ? mean_of(t, raw, t->samples) : NULL;
    ok = t->centre && rows_shift(t->ctx, t->sample, raw, t->centre, t->samples, t->dim);
    weft_buffer_release(raw);
    return ok;
}

/* ---- clusters ---- */

/* Sample row first + i becomes the centre targets[i]. */
static bool seed_centres(Trainer *t, const uint32_t *targets, uint32_t count, uint32_t first)
{
    uint32_t *slots = host_array(t->ctx, t->samples, sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xff, t->samples * sizeof *slots);
    for (uint32_t i = 0; i < count; i++)
        slots[(first + i) % t->samples] = targets ? targets[i] : i;
    bool ok = blocks_store_into(t->ctx, t->units.weights, t->dim, t->sample, t->ones, slots,
                                t->samples)
           && units_update_bias(&t->units, t->ctx);
    free(slots);
    return ok;
}

/* Centres without vectors begin again at other vectors of the sample. */
static bool reseed_empty(Trainer *t, uint32_t round)
{
    uint32_t *empty = host_array(t->ctx, t->lists, sizeof *empty), n = 0;
    if (!empty)
        return false;
    for (uint32_t i = 0; i < t->lists; i++)
        if (t->units.counts[i] == 0)
            empty[n++] = i;
    bool ok = n == 0 || seed_centres(t, empty, n, t->lists * (round + 1));
    free(empty);
    return ok;
}

static bool cluster(Trainer *t)
{
    if (!units_init(&t->units, t->ctx, t->lists, t->dim) || !seed_centres(t, NULL, t->lists, 0))
        return false;
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        if (!step(t) || !units_best(&t->units, t->ctx, t->nearest, t->sample, t->samples)
            || !weft_buffer_read(t->near, t->nearest, 0, t->samples * 8ull)
            || !units_begin_pass(&t->units, t->ctx)
            || !units_add(&t->units, t->ctx, t->sample, t->near, t->samples)
            || !units_end_pass(&t->units, t->ctx) || !units_take_means(&t->units, t->ctx)
            || !(i + 1 == ITERATIONS || reseed_empty(t, i)))
            return false;
    }
    return true;
}

/* ---- regrouping ---- */

static bool move_chunk(Trainer *t, weft_buffer *raw, weft_buffer *rows, uint32_t *slots,
                       uint32_t count, uint32_t *moved)
{
    if (!blocks_load(&t->core->blocks, t->ctx, raw, slots, count)
        || !rows_shift(t->ctx, rows, raw, t->centre, count, t->dim)
        || !units_best(&t->units, t->ctx, t->nearest, rows, count)
        || !weft_buffer_read(t->near, t->nearest, 0, count * 8ull))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        moved[i] = blocks_take(&t->blocks, t->ctx, t->near[2 * i]);
        if (moved[i] == NO_SLOT)
            return false;
    }
    if (!blocks_store(&t->blocks, t->ctx, raw, t->ones, moved, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        blocks_set_live(&t->blocks, moved[i], true, t->core->blocks.ids[slots[i]]);
    return true;
}

static bool regroup(Trainer *t, uint32_t chunk)
{
    uint64_t     bytes = ((uint64_t)chunk + TILE) * t->dim * 4;
    weft_buffer *raw = device_bytes(t->ctx, bytes, "vectors");
    weft_buffer *rows = device_bytes(t->ctx, bytes, "vectors less the centre");
    uint32_t    *moved = host_array(t->ctx, chunk, sizeof *moved);
    bool ok = raw && rows && moved && blocks_init(&t->blocks, t->ctx, t->dim, t->lists);
    for (uint64_t at = 0; ok && at < t->count; at += chunk)
        ok = step(t) && move_chunk(t, raw, rows, t->slots + at,
                                   (uint32_t)MIN_OF(t->count - at, chunk), moved);
    weft_buffer_release(raw);
    weft_buffer_release(rows);
    free(moved);
    return ok && blocks_flush(&t->blocks);
}

/* ---- recall ---- */

/* How many of the neighbours `is` are among those of `want`, the query itself left out. */
static uint32_t common(const weft_vectors_match *want, const weft_vectors_match *is,
                       uint32_t count, uint64_t self, uint32_t *of)
{
    uint32_t hits = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (want[i].id == self || want[i].id == WEFT_VECTORS_NONE)
            continue;
        ++*of;
        for (uint32_t k = 0; k < count; k++)
            if (is[k].id == want[i].id) {
                hits++;
                break;
            }
    }
    return hits;
}

/* Stored vectors as queries, with their true neighbours. */
typedef struct Truth {
    uint32_t            samples, count;
    uint64_t           *ids;            /* [samples]                                      */
    float              *queries;        /* [samples][dim]                                 */
    weft_vectors_match *exact, *found;  /* [samples][count]                               */
} Truth;

static void truth_fini(Truth *t)
{
    free(t->ids);
    free(t->queries);
    free(t->exact);
    free(t->found);
}

static bool truth_search(IndexCore *c, weft_vectors_match *out, const Truth *t, uint32_t probes)
{
    weft_vectors_rows rows = {.data = t->queries, .count = t->samples};
    return core_search(c, out, &(SearchDesc){.queries = &rows, .owner = c->ctx,
                                             .count = t->count, .probes = probes});
}

static bool truth_init(Truth *t, IndexCore *c, uint32_t samples, uint32_t count)
{
    uint64_t  state = c->desc.seed + 2;
    uint32_t *slots = core_slots(c);
    *t = (Truth){.samples = (uint32_t)MIN_OF(samples, c->ids.count),
                 .count = MIN_OF(count + 1, WEFT_VECTORS_MAX_COUNT)};
    t->ids = host_array(c->ctx, t->samples, sizeof *t->ids);
    t->queries = host_array(c->ctx, (uint64_t)t->samples * c->desc.dimension, sizeof *t->queries);
    t->exact = host_array(c->ctx, (uint64_t)t->samples * t->count, sizeof *t->exact);
    t->found = host_array(c->ctx, (uint64_t)t->samples * t->count, sizeof *t->found);
    bool ok = slots && t->ids && t->queries && t->exact && t->found;
    for (uint32_t i = 0; ok && i < t->samples; i++) {
        uint64_t k = i + random_next(&state) % (c->ids.count - i);
        uint32_t slot = slots[k];
        slots[k] = slots[i];
        slots[i] = slot;
        t->ids[i] = c->blocks.ids[slot];
    }
    ok = ok && core_rows(c, t->queries, slots, t->samples) && truth_search(c, t->exact, t, 0);
    free(slots);
    return ok;
}

static bool truth_recall(double *out, IndexCore *c, Truth *t, uint32_t probes)
{
    uint32_t hits = 0, of = 0;
    if (!truth_search(c, t->found, t, probes))
        return false;
    for (uint32_t i = 0; i < t->samples; i++)
        hits += common(t->exact + (uint64_t)i * t->count, t->found + (uint64_t)i * t->count,
                       t->count, t->ids[i], &of);
    *out = of ? (double)hits / of : 1;
    return true;
}

bool core_recall(IndexCore *c, double *out, uint32_t count, uint32_t probes, uint32_t samples)
{
    Truth t = {0};
    *out = 1;
    if (c->centres.count == 0 || c->ids.count == 0)
        return true;
    bool ok = truth_init(&t, c, samples, count) && truth_recall(out, c, &t, probes);
    truth_fini(&t);
    return ok;
}

/* The fewest lists, in steps of 1, 2, 3, 4, 6, 8, 12, ..., that reach the wanted recall. */
static bool choose_probes(IndexCore *c)
{
    Truth t = {0};
    bool  ok = truth_init(&t, c, RECALL_SAMPLES, RECALL_COUNT);
    for (uint32_t probes = 1; ok;) {
        c->probes = MIN_OF(probes, c->centres.count);
        ok = truth_recall(&c->recall, c, &t, c->probes);
        if (c->recall >= c->desc.recall || c->probes == c->centres.count)
            break;
        bool power = (probes & (probes - 1)) == 0;
        probes = probes < 2 ? 2 : power ? probes / 2 * 3 : probes / 3 * 4;
    }
    truth_fini(&t);
    return ok;
}

/* ---- the whole ---- */

void core_drop_centres(IndexCore *c)
{
    units_fini(&c->centres);
    weft_buffer_release(c->centre_live);
    weft_buffer_release(c->centre);
    c->centre_live = c->centre = NULL;
    c->probes = 0;
    c->recall = 1;
}

static weft_buffer *live_masks(weft_context *ctx, const Units *u)
{
    uint32_t    *masks = host_array(ctx, u->blocks, sizeof *masks);
    weft_buffer *live = NULL;
    for (uint32_t i = 0; masks && i < u->blocks; i++) {
        uint32_t n = MIN_OF(BLOCK, u->count - i * BLOCK);
        masks[i] = (1u << n) - 1;
    }
    if (masks)
        live = device_copy(ctx, masks, u->blocks * 4ull, "masks of centres");
    free(masks);
    return live;
}

bool core_set_centres(IndexCore *c, const float *rows, uint32_t count, const float *centre)
{
    Units u = {0};
    if (!units_init(&u, c->ctx, count, c->desc.dimension))
        return false;
    weft_buffer *live = live_masks(c->ctx, &u);
    weft_buffer *mean = device_copy(c->ctx, centre, c->desc.dimension * 4ull, "centre");
    Blocks       blocks = {0};
    if (!live || !mean || !units_set(&u, c->ctx, rows)
        || !blocks_init(&blocks, c->ctx, c->desc.dimension, count)) {
        units_fini(&u);
        weft_buffer_release(live);
        weft_buffer_release(mean);
        return false;
    }
    core_drop_centres(c);
    blocks_fini(&c->blocks);
    c->blocks = blocks;
    c->centres = u;
    c->centre_live = live;
    c->centre = mean;
    return true;
}

bool core_assign(IndexCore *c, const RowReader *r, uint32_t *nearest)
{
    weft_buffer *rows = rows_buffer(r, "rows less the centre");
    weft_buffer *near = device_bytes(c->ctx, ((uint64_t)r->chunk + TILE) * 8, "nearest lists");
    bool ok = rows && near && rows_prepare(r, rows, c->centre)
           && units_best(&c->centres, c->ctx, near, rows, r->rows)
           && weft_buffer_read(nearest, near, 0, r->rows * 8ull);
    weft_buffer_release(rows);
    weft_buffer_release(near);
    return ok;
}

/* Puts what was trained in the place of what was there. */
static void adopt(Trainer *t, weft_buffer *live)
{
    IndexCore *c = t->core;
    core_drop_centres(c);
    blocks_fini(&c->blocks);
    c->blocks = t->blocks;
    c->centres = t->units;
    c->centre = t->centre;
    c->centre_live = live;
    c->trained = t->count;
    t->blocks = (Blocks){0};
    t->units = (Units){0};
    t->centre = NULL;
    for (uint32_t slot = 0; slot < c->blocks.used * BLOCK; slot++)
        if (blocks_is_live(&c->blocks, slot))
            id_map_put(&c->ids, c->blocks.ids[slot], slot);
}

static bool train(Trainer *t)
{
    uint64_t row = t->dim * 4ull;
    uint32_t chunk = (uint32_t)MIN_OF(MAX_OF(CHUNK_BYTES / row, 64), CHUNK_ROWS);
    uint64_t most = MAX_OF(SAMPLE_BYTES / row, t->lists);
    t->samples = (uint32_t)MIN_OF(MIN_OF((uint64_t)t->lists * SAMPLES_A_LIST, most),
                                  MIN_OF(t->count, 200000));
    uint64_t rows = MAX_OF(t->samples, chunk) + TILE;
    t->total = ITERATIONS + (t->count + chunk - 1) / chunk;
    t->slots = core_slots(t->core);
    t->nearest = device_bytes(t->ctx, rows * 8, "nearest lists");
    t->near = host_array(t->ctx, rows * 2, sizeof *t->near);
    t->ones = device_ones(t->ctx, rows);
    if (!t->slots || !t->nearest || !t->near || !t->ones || !draw_sample(t) || !cluster(t))
        return false;
    weft_buffer_release(t->sample);
    t->sample = NULL;
    weft_buffer *live = live_masks(t->ctx, &t->units);
    if (!live || !regroup(t, chunk)) {
        weft_buffer_release(live);
        return false;
    }
    adopt(t, live);
    return true;
}

bool core_train(IndexCore *c, weft_progress progress, void *user)
{
    Trainer t = {.core = c, .ctx = c->ctx, .dim = c->desc.dimension, .count = c->ids.count,
                 .lists = list_count(c), .progress = progress, .user = user};
    bool ok = train(&t);
    free(t.slots);
    free(t.near);
    weft_buffer_release(t.sample);
    weft_buffer_release(t.ones);
    weft_buffer_release(t.centre);
    weft_buffer_release(t.nearest);
    units_fini(&t.units);
    blocks_fini(&t.blocks);
    return ok && choose_probes(c);
}

bool weft_vectors_index_train(weft_vectors_index *index, weft_progress progress, void *user)
{
    IndexCore *c = index_enter(index);
    if (!c)
        return false;
    if (c->ids.count < 256)
        return index_leave(index, context_fail(c->ctx, WEFT_ERROR_INVALID, "%s: %llu vectors are "
                           "too few for an inverted file", c->desc.label,
                           (unsigned long long)c->ids.count));
    return index_leave(index, core_train(c, progress, user));
}

bool weft_vectors_index_recall(double *out, weft_vectors_index *index, uint32_t count,
                               uint32_t probes, uint32_t samples)
{
    IndexCore *c = index_enter(index);
    if (!c)
        return false;
    count = count ? count : RECALL_COUNT;
    samples = samples ? samples : RECALL_SAMPLES;
    if (count >= WEFT_VECTORS_MAX_COUNT || samples > 65536)
        return index_leave(index, context_fail(c->ctx, WEFT_ERROR_INVALID, "%s: %u neighbours of "
                                               "%u samples are too many", c->desc.label, count,
                                               samples));
    return index_leave(index, core_recall(c, out, count, probes ? probes : c->probes, samples));
}
