// SPDX-License-Identifier: Apache-2.0
/*
 * keep.c - vectors and their picture in the store.
 *
 * in     batches; states of map and projection; the view of a page
 * out    the same after a restart, here or on another server
 * knows  names of buffers in the store that clients cannot use
 * not    what is in the states
 *
 * Vectors are kept in segments, which only grow: "weft/vectors/SERVER/00000007". The last one is
 * written again each second while it grows. weft/vectors/picture has the number of the last
 * event that map and projection know.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/live/live_priv.h"

#define PREFIX       "weft/vectors/"
#define SEGMENT_SIZE (256u << 10)
#define MAX_SEGMENTS 16384u
#define PICTURE_TIME (5 * (uint64_t)NS_PER_S)

/* ---- writing ---- */

static void segment_name(const Live *l, uint32_t number, char out[WIRE_MAX_NAME])
{
    snprintf(out, WIRE_MAX_NAME, PREFIX "%s/%08u", l->desc.server, number);
}

/* A change on its way to the store. */
typedef struct Write Write;
struct Write {
    Write       *next;
    StoreOp      op;
    BufferRecord buffer;
    Live        *live;
    char         tenant[LIVE_TENANT], name[WIRE_MAX_NAME];
    Pack         bytes;
    uint64_t     cleared_seq;           /* of the space, when it was written              */
    bool         latest;                /* a newer write makes it useless                 */
};

static void write_free(Write *w)
{
    pack_fini(&w->bytes);
    free(w);
}

/* On the store's thread. */
static void on_written(void *user, StoreOp *op)
{
    Write *w = user;
    Live  *l = w->live;
    if (op->ok) {
        write_free(w);
        return;
    }
    log_event(l->desc.log, LOG_WARN, "vectors", "the store did not take them: again soon",
              "weft.tenant", w->tenant, "weft.name", w->name, NULL);
    pthread_mutex_lock(&l->lock);
    w->next = l->unkept;
    l->unkept = w;
    pthread_mutex_unlock(&l->lock);
}

/* What is written again as a whole anyway, with what has come since. */
static bool is_kept_later(Live *l, Space *s, const Write *w)
{
    char tail[WIRE_MAX_NAME];
    segment_name(l, s->segment, tail);
    s->tail_dirty = s->tail_dirty || (strcmp(w->name, tail) == 0 && s->tail.size);
    s->picture_dirty = s->picture_dirty || strcmp(w->name, PREFIX "picture") == 0;
    if (strcmp(w->name, PREFIX "view") == 0)
        keep_view(l, s);
    return w->latest || strcmp(w->name, tail) == 0;
}

void keep_retry(Live *l)
{
    pthread_mutex_lock(&l->lock);
    Write *list = l->unkept;
    l->unkept = NULL;
    pthread_mutex_unlock(&l->lock);
    for (Write *w = list, *next; w; w = next) {
        next = w->next;
        Space *s = space_find(l, w->tenant);
        bool   cleared = w->op.kind == STORE_PUT_BUFFER && w->cleared_seq != s->cleared_seq;
        if (cleared || is_kept_later(l, s, w))
            write_free(w);
        else
            store_submit(live_store(l), &w->op);
    }
}

void keep_free(Live *l)
{
    for (Write *w = l->unkept, *next; w; w = next) {
        next = w->next;
        write_free(w);
    }
    l->unkept = NULL;
}

/* Takes the bytes over; NULL: deletes. */
static void put(Live *l, const Space *s, const char *name, Pack *bytes)
{
    Write *w = calloc(1, sizeof *w);
    if (!w || (bytes && bytes->failed)) {
        free(w);
        if (bytes)
            pack_fini(bytes);
        return;
    }
    w->live = l;
    w->cleared_seq = s->cleared_seq;
    w->latest = bytes && strrchr(name, '/') == name + strlen(PREFIX) - 1;
    strcpy(w->tenant, s->tenant);
    snprintf(w->name, sizeof w->name, "%s", name);
    if (bytes)
        w->bytes = *bytes;
    w->buffer = (BufferRecord){.name = w->name, .size = w->bytes.size, .updated = live_now(),
                               .bytes = {w->bytes.data, w->bytes.size}};
    w->op = (StoreOp){.kind = bytes ? STORE_PUT_BUFFER : STORE_DELETE_BUFFER,
                      .job = {.tenant = w->tenant}, .buffers = &w->buffer, .buffer_count = 1,
                      .done = on_written, .user = w};
    store_submit(live_store(l), &w->op);
}

static void put_tail(Live *l, Space *s)
{
    Pack copy = {0};
    char name[WIRE_MAX_NAME];
    pack_raw(&copy, s->tail.data, s->tail.size);
    segment_name(l, s->segment, name);
    put(l, s, name, &copy);
    s->tail_dirty = false;
}

void keep_batch(Live *l, Space *s, const Batch *b)
{
    batch_pack(&s->tail, b);
    s->tail_dirty = true;
    s->picture_dirty = true;
    if (s->tail.size < SEGMENT_SIZE)
        return;
    char name[WIRE_MAX_NAME];
    put_tail(l, s);
    segment_name(l, s->segment, name);
    if (s->feed)
        json_array_append_new(s->feed, json_string(name));
    jobs_buffers_changed(l->parts.jobs, s->tenant);
    pack_fini(&s->tail);
    s->tail = (Pack){0};
    s->segment++;
}

static void on_state(Live *l, EngineCall *call, const EngineAnswer *a)
{
    Space   *s = call->space;
    Unpack   u = a->data;
    uint64_t map_size, projection_size;
    if (a->kind != WEFT_ERROR_NONE)
        return;
    const uint8_t *map = unpack_bytes(&u, &map_size);
    const uint8_t *projection = unpack_bytes(&u, &projection_size);
    Pack p = {0};
    if (u.failed)
        return;
    pack_u64(&p, s->indexed_seq);
    pack_bytes(&p, map, map_size);
    pack_bytes(&p, projection, projection_size);
    put(l, s, PREFIX "picture", &p);
}

void keep_flush(Live *l, Space *s)
{
    uint64_t now = clock_ns();
    if (s->tail_dirty)
        put_tail(l, s);
    if (!s->picture_dirty || !l->engine || s->fed != engine_generation(l->engine)
        || now - s->picture_ns < PICTURE_TIME)
        return;
    s->picture_dirty = false;
    s->picture_ns = now;
    engine_call(l->engine, &(EngineCall){.op = ENGINE_STATE, .space = s, .done = on_state});
}

void keep_view(Live *l, Space *s)
{
    Pack p = {0};
    pack_text(&p, s->view ? s->view : "");
    put(l, s, PREFIX "view", &p);
}

/* ---- reading ---- */

typedef struct Segment {
    const char *name;
    uint64_t    seq;                    /* of its first batch                             */
    uint32_t    number;                 /* of ours; UINT32_MAX: another server's          */
} Segment;

static int by_seq(const void *a, const void *b)
{
    const Segment *x = a, *y = b;
    return x->seq < y->seq ? -1 : x->seq > y->seq ? 1 : strcmp(x->name, y->name);
}

/* The segments of all servers, oldest first, in the arena. */
static uint32_t find_segments(Live *l, const Space *s, Arena *arena, Segment **out)
{
    BufferRecord *all = calloc(MAX_SEGMENTS, sizeof *all);
    uint32_t      count = all ? store_buffer_list(live_store(l), arena, s->tenant, all,
                                                  MAX_SEGMENTS) : 0, n = 0;
    char          own[WIRE_MAX_NAME];
    snprintf(own, sizeof own, PREFIX "%s/", l->desc.server);
    *out = ARENA_ARRAY(arena, Segment, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const char *slash = strrchr(all[i].name, '/');
        if (strncmp(all[i].name, PREFIX, strlen(PREFIX)) != 0 || strlen(slash) != 9)
            continue;
        bool mine = strncmp(all[i].name, own, strlen(own)) == 0;
        (*out)[n++] = (Segment){all[i].name, 0, mine ? (uint32_t)strtoul(slash + 1, NULL, 10)
                                                     : UINT32_MAX};
    }
    free(all);
    return n;
}

typedef void (*BatchFn)(Live *l, Space *s, Batch *b, void *user);

static void each_packed(Live *l, Space *s, const void *data, size_t size, BatchFn each, void *user)
{
    Unpack u = {.data = data, .size = size};
    while (u.at < u.size) {
        Batch *b = batch_unpack(&u);
        if (!b)
            break;
        each(l, s, b, user);
        batch_release(b);
    }
}

static void each_batch(Live *l, Space *s, const char *name, BatchFn each, void *user)
{
    Arena        arena;
    BufferRecord r;
    arena_init(&arena, 0);
    if (store_buffer_get(live_store(l), &arena, s->tenant, name, &r))
        each_packed(l, s, r.bytes.data, r.bytes.size, each, user);
    arena_fini(&arena);
}

static void note_first(Live *l, Space *s, Batch *b, void *user)
{
    uint64_t *seq = user;
    (void)l;
    (void)s;
    *seq = *seq ? *seq : b->seq;
}

static void note_batch(Live *l, Space *s, Batch *b, void *user)
{
    (void)user;
    s->dimension = s->dimension ? s->dimension : b->dimension;
    for (uint32_t i = 0; i < b->count; i++)
        s->next_id = b->ids[i] >= s->next_id ? b->ids[i] + 1 : s->next_id;
    if (b->seq > atomic_load(&s->seq))
        atomic_store(&s->seq, b->seq);
    s->batch_seq = MAX_OF(s->batch_seq, b->seq);
    s->count += b->count;               /* until the index knows better */
    space_remember(l, s, (Event){.seq = b->seq, .batch = batch_retain(b), .bytes = b->bytes});
}

static void load_view(Live *l, Space *s, Arena *arena)
{
    BufferRecord r;
    if (!store_buffer_get(live_store(l), arena, s->tenant, PREFIX "view", &r))
        return;
    Unpack      u = {.data = r.bytes.data, .size = r.bytes.size};
    const char *text = unpack_text(&u, 1u << 20);
    s->view = *text ? strdup(text) : NULL;
}

bool keep_load(Live *l, Space *s)
{
    Arena    arena;
    Segment *list;
    uint64_t failures = store_failures(live_store(l));
    char     tail[WIRE_MAX_NAME] = "";
    arena_init(&arena, 0);
    if (s->tail.size)                   /* it was loaded before, and memory has the newest */
        segment_name(l, s->segment, tail);
    uint32_t n = find_segments(l, s, &arena, &list);
    for (uint32_t i = 0; i < n; i++) {
        if (!s->tail.size && list[i].number != UINT32_MAX && list[i].number >= s->segment)
            s->segment = list[i].number + 1;
        each_batch(l, s, list[i].name, note_first, &list[i].seq);
    }
    qsort(list, n, sizeof *list, by_seq);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(list[i].name, tail) != 0)
            each_batch(l, s, list[i].name, note_batch, NULL);
    each_packed(l, s, s->tail.data, s->tail.size, note_batch, NULL);
    load_view(l, s, &arena);
    arena_fini(&arena);
    space_sort(s);
    return store_failures(live_store(l)) == failures;
}

void keep_clear(Live *l, Space *s)
{
    Arena    arena;
    Segment *list;
    arena_init(&arena, 0);
    uint32_t n = find_segments(l, s, &arena, &list);
    for (uint32_t i = 0; i < n; i++)
        put(l, s, list[i].name, NULL);
    put(l, s, PREFIX "picture", NULL);
    arena_fini(&arena);
    s->segment++;                       /* a write of the old tail may be on its way */
}

/* ---- feeding the process ---- */

static void feed_batch(Live *l, Space *s, Batch *b, void *user)
{
    uint64_t known = *(uint64_t *)user;
    Event   *e = space_event(s, b->seq);
    if (e && e->fed == s->fed)
        return;
    if (e)
        e->fed = s->fed;
    engine_feed(l, s, b, b->seq > known);
}

/* What has come meanwhile, here and on other servers, is recent. */
static void feed_recent(Live *l, Space *s)
{
    for (uint32_t i = 0; i < s->held; i++) {
        Batch *b = s->events[(s->first + i) % s->room].batch;
        if (b)
            feed_batch(l, s, b, &s->picture_seq);
    }
}

static void feed_picture(Live *l, Space *s)
{
    Arena        arena;
    BufferRecord r;
    arena_init(&arena, 0);
    s->picture_seq = 0;
    if (store_buffer_get(live_store(l), &arena, s->tenant, PREFIX "picture", &r)) {
        Unpack   u = {.data = r.bytes.data, .size = r.bytes.size};
        uint64_t seq = unpack_u64(&u), map_size, projection_size;
        const uint8_t *map = unpack_bytes(&u, &map_size);
        const uint8_t *projection = unpack_bytes(&u, &projection_size);
        Pack p = {0};
        pack_bytes(&p, map, map_size);
        pack_bytes(&p, projection, projection_size);
        if (!u.failed && !p.failed) {
            s->picture_seq = seq;
            engine_call(l->engine, &(EngineCall){.op = ENGINE_RESTORE, .space = s, .data = p});
        } else {
            pack_fini(&p);
        }
    }
    arena_fini(&arena);
}

void keep_feed(Live *l, Space *s)
{
    Arena    arena;
    Segment *list;
    uint64_t failures = store_failures(live_store(l));
    json_decref(s->feed);
    s->feed = json_array();
    s->feed_at = 0;
    arena_init(&arena, 0);
    uint32_t n = find_segments(l, s, &arena, &list);
    char     tail[WIRE_MAX_NAME];
    segment_name(l, s->segment, tail);
    for (uint32_t i = 0; i < n; i++)
        each_batch(l, s, list[i].name, note_first, &list[i].seq);
    qsort(list, n, sizeof *list, by_seq);
    for (uint32_t i = 0; i < n; i++)    /* the tail comes from memory */
        if (strcmp(list[i].name, tail) != 0)
            json_array_append_new(s->feed, json_string(list[i].name));
    arena_fini(&arena);
    feed_picture(l, s);
    if (store_failures(live_store(l)) == failures)
        keep_feed_more(l, s);
    else
        s->feed_begins = true;          /* from the start, once the store is there */
}

void keep_feed_more(Live *l, Space *s)
{
    if (s->feed_begins && s->feed) {
        s->feed_begins = false;
        s->fed = 0;                     /* engine_ready() begins again */
        engine_call(l->engine, &(EngineCall){.op = ENGINE_DROP, .space = s, .ordered = true});
        return;
    }
    while (s->feed && engine_backlog(l->engine) < LIVE_BACKLOG / 4) {
        if (s->feed_at < json_array_size(s->feed)) {
            uint64_t    failures = store_failures(live_store(l));
            const char *name = json_string_value(json_array_get(s->feed, s->feed_at));
            each_batch(l, s, name, feed_batch, &s->picture_seq);
            if (store_failures(live_store(l)) != failures)
                return;                 /* the same again at the next tick */
            s->feed_at++;
            continue;
        }
        each_packed(l, s, s->tail.data, s->tail.size, feed_batch, &s->picture_seq);
        feed_recent(l, s);
        json_decref(s->feed);
        s->feed = NULL;
    }
}
