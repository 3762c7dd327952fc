// SPDX-License-Identifier: Apache-2.0
/*
 * index_search.c - the nearest vectors of queries.
 *
 * in     queries, the blocks of an index, the centres of its inverted file
 * out    ids and scores, best first
 * knows  kernels/scan.wgsl, scan_one.wgsl, maxima.wgsl, select.wgsl
 * not    how vectors got into the blocks
 *
 * Scores of a part of the queries and blocks are computed into one buffer, then the best are
 * selected from it. A place among the scores stands for a slot: its block is the place / 16th
 * that was scanned.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/index_priv.h"

#define SCORE_BYTES (64u << 20)         /* of scores at a time                            */
#define SPAN        4096u               /* scores of a workgroup of `maxima`              */
#define LIST_QUERIES 256u               /* queries through the inverted file at a time    */

typedef struct Found {
    uint32_t score;                     /* bits of an f32                                 */
    uint32_t place;                     /* UINT32_MAX: none                               */
} Found;

typedef struct Search {
    IndexCore   *core;
    weft_context *ctx;
    weft_buffer *queries;               /* [rows][dim], prepared                          */
    weft_buffer *scores, *maxima, *found;
    Found       *results;               /* [queries of a part][count]                     */
    uint32_t     count;                 /* neighbours                                     */
    bool         apart;                 /* distances, not products                        */
} Search;

/* ---- kernels ---- */

static bool need(weft_buffer **buffer, weft_context *ctx, uint64_t bytes, const char *label)
{
    if (*buffer && weft_buffer_size(*buffer) >= bytes)
        return true;
    weft_buffer_release(*buffer);
    *buffer = device_bytes(ctx, bytes, label);
    return *buffer != NULL;
}

/* What one kernel scans. */
typedef struct Scan {
    weft_buffer *data, *live;
    weft_buffer *list;                  /* NULL: blocks 0 to count - 1                    */
    uint32_t     list_at, count;
    uint32_t     first;                 /* block of the scores                            */
    uint32_t     query, queries;
    uint32_t     stride;                /* scores of a query                              */
} Scan;

static bool scan_one(Search *s, const Scan *n)
{
    struct { uint32_t dim, count, first, width, number, all, list_at; } p = {
        s->core->desc.dimension, n->count, n->first, GROUPS, n->query, !n->list, n->list_at};
    uint32_t groups[2];
    vectors_groups(groups, n->count);
    KernelKind kind = s->apart ? KERNEL_SCAN_ONE_APART : KERNEL_SCAN_ONE_DOT;
    return vectors_run(s->ctx, &(KernelRun){
        .pipeline = vectors_kernel(s->ctx, kind, false),
        .buffers = {n->data, n->live, n->list ? n->list : n->live, s->queries, s->scores},
        .params = &p, .params_size = sizeof p, .groups = {groups[0], groups[1]}});
}

static bool scan_many(Search *s, const Scan *n)
{
    struct { uint32_t dim, count, first, width, number, stride; } p = {
        s->core->desc.dimension, n->count, n->first, GROUPS, n->query, n->stride};
    uint32_t groups[2];
    vectors_groups(groups, n->count);
    KernelKind kind = s->apart ? KERNEL_SCAN_APART : KERNEL_SCAN_DOT;
    return vectors_run(s->ctx, &(KernelRun){
        .pipeline = vectors_kernel(s->ctx, kind, false),
        .buffers = {n->data, n->live, s->queries, s->scores}, .params = &p,
        .params_size = sizeof p,
        .groups = {groups[0], groups[1], (n->queries + TILE - 1) / TILE}});
}

static bool scan(Search *s, const Scan *n)
{
    return n->queries == 1 ? scan_one(s, n) : scan_many(s, n);
}

/* The best `k` of each query's `places` scores, from element `to` of s->found on. */
static bool select_best(Search *s, uint32_t queries, uint32_t places, uint32_t k, uint32_t to)
{
    uint32_t spans = (places + SPAN - 1) / SPAN;
    struct { uint32_t count, stride, spans; } m = {places, places, spans};
    struct { uint32_t count, stride, spans, k, to; } p = {places, places, spans, k, to};
    return need(&s->maxima, s->ctx, (uint64_t)queries * spans * 64 * 4, "largest scores")
        && vectors_run(s->ctx, &(KernelRun){
            .pipeline = vectors_kernel(s->ctx, KERNEL_MAXIMA, false),
            .buffers = {s->scores, s->maxima}, .params = &m, .params_size = sizeof m,
            .groups = {spans, queries}})
        && vectors_run(s->ctx, &(KernelRun){
            .pipeline = vectors_kernel(s->ctx, KERNEL_SELECT, s->apart),
            .buffers = {s->scores, s->maxima, s->found}, .params = &p, .params_size = sizeof p,
            .groups = {queries}});
}

/* ---- results ---- */

static float score_of(Found f)
{
    float v;
    memcpy(&v, &f.score, sizeof v);
    return v;
}

static bool before(const IndexCore *c, const weft_vectors_match *a, const weft_vectors_match *b)
{
    if (a->id == WEFT_VECTORS_NONE || b->id == WEFT_VECTORS_NONE)
        return a->id != WEFT_VECTORS_NONE && b->id == WEFT_VECTORS_NONE;
    if (a->score != b->score)
        return (c->desc.metric == WEFT_VECTORS_EUCLIDEAN) == (a->score < b->score);
    return a->id < b->id;
}

/* Puts a match into its place among out[count], if it has one. */
static void merge(const IndexCore *c, weft_vectors_match *out, uint32_t count,
                  weft_vectors_match m)
{
    if (!before(c, &m, &out[count - 1]))
        return;
    uint32_t at = count - 1;
    for (; at > 0 && before(c, &m, &out[at - 1]); at--)
        out[at] = out[at - 1];
    out[at] = m;
}

/* Takes the found places of one query; picked[i] is the i-th block that was scanned, NULL:
 * block first + i. */
static void take_found(Search *s, weft_vectors_match *out, const Found *found, uint32_t k,
                       const uint32_t *picked, uint32_t first)
{
    const Blocks *b = &s->core->blocks;
    for (uint32_t i = 0; i < k && found[i].place != UINT32_MAX; i++) {
        uint32_t block = found[i].place / BLOCK;
        uint32_t slot = (picked ? picked[block] : first + block) * BLOCK + found[i].place % BLOCK;
        merge(s->core, out, s->count, (weft_vectors_match){b->ids[slot], score_of(found[i])});
    }
}

/* ---- all blocks ---- */

/* Scans the blocks from `first`, where a segment begins, to `end` for a part of the queries. */
static bool scan_segments(Search *s, uint32_t first, uint32_t end, uint32_t query,
                          uint32_t queries)
{
    const Blocks *b = &s->core->blocks;
    for (uint32_t at = first; at < end;) {
        const Segment *g = blocks_segment(b, at);
        uint32_t       last = MIN_OF(end, g->first + g->blocks);
        if (!scan(s, &(Scan){
                .data = g->data, .live = g->live, .count = last - g->first,
                .first = g->first - first, .query = query, .queries = queries,
                .stride = (end - first) * BLOCK}))
            return false;
        at = last;
    }
    return true;
}

/* The end of a part of the blocks that begins with a segment and whose scores fit. */
static uint32_t part_end(const Blocks *b, uint32_t first)
{
    uint32_t most = SCORE_BYTES / 4 / BLOCK, end = first;
    while (end < b->used) {
        const Segment *g = blocks_segment(b, end);
        uint32_t       last = MIN_OF(b->used, g->first + g->blocks);
        if (end > first && last - first > most)
            break;
        end = last;
    }
    return end;
}

static bool search_part(Search *s, weft_vectors_match *out, uint32_t first, uint32_t end,
                        uint32_t query_count)
{
    uint32_t places = (end - first) * BLOCK, k = MIN_OF(s->count, places);
    uint64_t fit = SCORE_BYTES / 4 / places;
    uint32_t step = fit < TILE ? 1 : (uint32_t)MIN_OF(fit / TILE * TILE, 4096);
    for (uint32_t q = 0; q < query_count; q += step) {
        uint32_t n = MIN_OF(step, query_count - q);
        uint64_t rows = n == 1 ? 1 : (n + TILE - 1) / TILE * TILE;
        if (!need(&s->scores, s->ctx, rows * places * 4, "scores")
            || !need(&s->found, s->ctx, (uint64_t)n * k * sizeof(Found), "found places")
            || !scan_segments(s, first, end, q, n) || !select_best(s, n, places, k, 0)
            || !weft_buffer_read(s->results, s->found, 0, (uint64_t)n * k * sizeof(Found)))
            return false;
        for (uint32_t i = 0; i < n; i++)
            take_found(s, out + (uint64_t)(q + i) * s->count, s->results + (uint64_t)i * k, k,
                       NULL, first);
    }
    return true;
}

static bool search_all(Search *s, weft_vectors_match *out, uint32_t query_count)
{
    const Blocks *b = &s->core->blocks;
    for (uint32_t first = 0; first < b->used;) {
        uint32_t end = part_end(b, first);
        if (!search_part(s, out, first, end, query_count))
            return false;
        first = end;
    }
    return true;
}

/* ---- through the inverted file ---- */

/* lists[queries][probes]: the nearest lists of each query. */
static bool probe(Search *s, Found *lists, weft_buffer *centred, uint32_t query,
                  uint32_t queries, uint32_t probes)
{
    IndexCore *c = s->core;
    Search     p = {.core = c, .ctx = s->ctx, .count = probes,
                    .apart = c->desc.metric != WEFT_VECTORS_DOT, .queries = centred};
    uint32_t   places = c->centres.blocks * BLOCK;
    uint64_t   rows = (queries + TILE - 1) / TILE * TILE;
    bool ok = need(&p.scores, s->ctx, rows * places * 4, "scores of lists")
           && need(&p.found, s->ctx, (uint64_t)queries * probes * sizeof(Found), "found lists")
           && scan(&p, &(Scan){.data = c->centres.weights, .live = c->centre_live,
                               .count = c->centres.blocks, .query = query, .queries = queries,
                               .stride = places})
           && select_best(&p, queries, places, probes, 0)
           && weft_buffer_read(lists, p.found, 0, (uint64_t)queries * probes * sizeof(Found));
    weft_buffer_release(p.scores);
    weft_buffer_release(p.maxima);
    weft_buffer_release(p.found);
    return ok;
}

static int compare_blocks(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The blocks of a query's lists, sorted: those of a segment are then side by side. Returns how
 * many; with out NULL it only counts. */
static uint32_t pick_blocks(uint32_t *out, const IndexCore *c, const Found *lists,
                            uint32_t probes)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < probes && lists[i].place != UINT32_MAX; i++) {
        const SlotArray *blocks = &c->blocks.lists[lists[i].place].blocks;
        if (out)
            memcpy(out + n, blocks->data, blocks->count * sizeof *out);
        n += blocks->count;
    }
    if (out)
        qsort(out, n, sizeof *out, compare_blocks);
    return n;
}

/* Scans picked[count]; `local` is the same with numbers within the segments, at list_at of the
 * buffer `list`. */
static bool scan_picked(Search *s, const uint32_t *picked, uint32_t count, weft_buffer *list,
                        uint32_t list_at, uint32_t query)
{
    const Blocks *b = &s->core->blocks;
    for (uint32_t at = 0; at < count;) {
        const Segment *g = blocks_segment(b, picked[at]);
        uint32_t       n = 0;
        while (at + n < count && picked[at + n] < g->first + g->blocks)
            n++;
        if (!scan(s, &(Scan){.data = g->data, .live = g->live, .list = list,
                             .list_at = list_at + at, .count = n, .first = at, .query = query,
                             .queries = 1, .stride = count * BLOCK}))
            return false;
        at += n;
    }
    return true;
}

typedef struct Picks {
    uint32_t *blocks, *local;           /* of all queries, one after the other            */
    uint32_t *start;                    /* [queries + 1]                                  */
    uint32_t  most;                     /* blocks of one query                            */
} Picks;

static bool picks_init(Picks *p, const Search *s, const Found *lists, uint32_t queries,
                       uint32_t probes)
{
    const IndexCore *c = s->core;
    *p = (Picks){.start = host_array(s->ctx, (uint64_t)queries + 1, sizeof *p->start)};
    if (!p->start)
        return false;
    for (uint32_t i = 0; i < queries; i++) {
        uint32_t n = pick_blocks(NULL, c, lists + (uint64_t)i * probes, probes);
        p->start[i + 1] = p->start[i] + n;
        p->most = MAX_OF(p->most, n);
    }
    p->blocks = host_array(s->ctx, p->start[queries], sizeof *p->blocks);
    p->local = host_array(s->ctx, p->start[queries], sizeof *p->local);
    if (!p->blocks || !p->local)
        return false;
    for (uint32_t i = 0; i < queries; i++)
        pick_blocks(p->blocks + p->start[i], c, lists + (uint64_t)i * probes, probes);
    for (uint32_t i = 0; i < p->start[queries]; i++)
        p->local[i] = p->blocks[i] - blocks_segment(&c->blocks, p->blocks[i])->first;
    return true;
}

static void picks_fini(Picks *p)
{
    free(p->blocks);
    free(p->local);
    free(p->start);
}

/* Records the scans and selections of all queries, then reads once. */
static bool search_picked(Search *s, weft_vectors_match *out, const Picks *p, uint32_t query,
                          uint32_t queries)
{
    uint32_t     k = s->count;
    uint64_t     bytes = (uint64_t)queries * k * sizeof(Found);
    weft_buffer *list = device_copy(s->ctx, p->local, MAX_OF(p->start[queries], 1) * 4ull,
                                    "blocks of lists");
    bool ok = list && need(&s->scores, s->ctx, (uint64_t)MAX_OF(p->most, 1) * BLOCK * 4, "scores")
           && need(&s->found, s->ctx, bytes, "found places");
    for (uint32_t i = 0; ok && i < queries; i++) {
        uint32_t count = p->start[i + 1] - p->start[i];
        if (count)
            ok = scan_picked(s, p->blocks + p->start[i], count, list, p->start[i], query + i)
              && select_best(s, 1, count * BLOCK, k, i * k);
    }
    ok = ok && weft_buffer_read(s->results, s->found, 0, bytes);
    for (uint32_t i = 0; ok && i < queries; i++)
        if (p->start[i + 1] > p->start[i])
            take_found(s, out + (uint64_t)i * s->count, s->results + (uint64_t)i * k, k,
                       p->blocks + p->start[i], 0);
    weft_buffer_release(list);
    return ok;
}

static bool search_lists(Search *s, weft_vectors_match *out, weft_buffer *centred,
                         uint32_t query_count, uint32_t probes)
{
    Found *lists = host_array(s->ctx, (uint64_t)LIST_QUERIES * probes, sizeof *lists);
    bool   ok = lists != NULL;
    for (uint32_t q = 0; ok && q < query_count; q += LIST_QUERIES) {
        uint32_t n = MIN_OF(LIST_QUERIES, query_count - q);
        Picks    p = {0};
        ok = probe(s, lists, centred, q, n, probes) && picks_init(&p, s, lists, n, probes)
          && search_picked(s, out + (uint64_t)q * s->count, &p, q, n);
        picks_fini(&p);
    }
    free(lists);
    return ok;
}

/* ---- the whole ---- */

static bool search_chunk(Search *s, const RowReader *r, weft_vectors_match *out, uint32_t probes)
{
    IndexCore   *c = s->core;
    weft_buffer *centred = NULL;
    bool         ok = rows_prepare(r, s->queries, c->zeros);
    if (ok && probes) {
        centred = rows_buffer(r, "queries less the centre");
        ok = centred
          && rows_prepare(r, centred, c->desc.metric == WEFT_VECTORS_DOT ? c->zeros : c->centre)
          && search_lists(s, out, centred, r->rows, MIN_OF(probes, c->centres.count));
    } else if (ok) {
        ok = search_all(s, out, r->rows);
    }
    weft_buffer_release(centred);
    return ok;
}

bool core_search(IndexCore *c, weft_vectors_match *out, const SearchDesc *d)
{
    RowReader r;
    Search    s = {.core = c, .ctx = c->ctx, .count = d->count,
                   .apart = c->desc.metric == WEFT_VECTORS_EUCLIDEAN};
    if (!rows_open(&r, c->ctx, d->owner, &(RowsDesc){
            .rows = d->queries, .dim = c->desc.dimension, .label = c->desc.label,
            .normalise = c->desc.metric == WEFT_VECTORS_COSINE}))
        return false;
    uint64_t done = 0;
    s.queries = rows_buffer(&r, "queries");
    s.results = host_array(c->ctx, (uint64_t)MIN_OF(r.count, 4096) * d->count, sizeof *s.results);
    bool ok = s.queries && s.results;
    for (uint64_t i = 0; ok && i < r.count * d->count; i++)
        out[i] = (weft_vectors_match){.id = WEFT_VECTORS_NONE, .score = NAN};
    while (ok && done < r.count && rows_next(&r)) {
        ok = search_chunk(&s, &r, out + r.first * d->count, c->centres.count ? d->probes : 0);
        done = r.at;
    }
    ok = ok && done == r.count;
    weft_buffer_release(s.queries);
    weft_buffer_release(s.scores);
    weft_buffer_release(s.maxima);
    weft_buffer_release(s.found);
    free(s.results);
    rows_close(&r);
    return ok;
}

bool weft_vectors_index_search(weft_vectors_match *out, weft_vectors_index *index,
                               const weft_vectors_rows *queries,
                               const weft_vectors_search *options)
{
    IndexCore          *c = index_enter(index);
    weft_vectors_search o = options ? *options : (weft_vectors_search){0};
    if (!c)
        return false;
    if (o.count == 0)
        o.count = 10;
    if (o.count > WEFT_VECTORS_MAX_COUNT)
        return index_leave(index, context_fail(c->ctx, WEFT_ERROR_INVALID, "%s: a search finds at "
                                               "most %u neighbours, not %u", c->desc.label,
                                               WEFT_VECTORS_MAX_COUNT, o.count));
    uint32_t probes = o.exact ? 0 : o.probes ? o.probes : c->probes;
    context_count(index->ctx, "vectors.searches", "count", 1);
    return index_leave(index, core_search(c, out, &(SearchDesc){
        .queries = queries, .owner = index->ctx, .count = o.count, .probes = probes}));
}
