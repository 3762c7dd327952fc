// SPDX-License-Identifier: Apache-2.0
/*
 * space.c - what a tenant has: recent events, listeners, the way of new vectors.
 *
 * in     batches and jobs in their order
 * out    events for listeners
 * knows  the ring of recent events
 * not    how clients are written to, the store's records, the process
 */
#include <stdlib.h>
#include <string.h>

#include "server/live/live_priv.h"

#define MAX_EVENTS 4096u

Space *space_first(Live *l)
{
    pthread_mutex_lock(&l->lock);
    Space *s = l->spaces;               /* what follows it does not change */
    pthread_mutex_unlock(&l->lock);
    return s;
}

Space *space_find(Live *l, const char *tenant)
{
    pthread_mutex_lock(&l->lock);
    Space *s = l->spaces;
    while (s && strcmp(s->tenant, tenant) != 0)
        s = s->next;
    pthread_mutex_unlock(&l->lock);
    return s;
}

/* Without loading: for the sockets' thread, too. */
Space *space_open(Live *l, const char *tenant)
{
    pthread_mutex_lock(&l->lock);
    Space *s = l->spaces;
    while (s && strcmp(s->tenant, tenant) != 0)
        s = s->next;
    if (!s && (s = calloc(1, sizeof *s))) {
        strncpy(s->tenant, tenant, sizeof s->tenant - 1);
        s->next = l->spaces;
        l->spaces = s;
    }
    pthread_mutex_unlock(&l->lock);
    return s;
}

static void event_fini(Event *e)
{
    batch_release(e->batch);
    free(e->text);
}

static void forget_events(Space *s)
{
    for (; s->held; s->held--, s->first = (s->first + 1) % s->room)
        event_fini(&s->events[s->first]);
    s->held_bytes = 0;
}

/* As before it was loaded; but what the store has not got stays in `tail`. */
static void forget(Live *l, Space *s)
{
    forget_events(s);
    s->loaded = false;
    s->dimension = 0;
    s->count = s->next_id = 0;
    json_decref(s->feed);
    s->feed = NULL;
    free(s->view);
    s->view = NULL;
    if (l->engine && s->fed)
        engine_call(l->engine, &(EngineCall){.op = ENGINE_DROP, .space = s, .ordered = true});
    s->fed = 0;
}

Space *space_get(Live *l, const char *tenant)
{
    Space *s = space_open(l, tenant);
    if (!s || s->loaded)
        return s;
    s->loaded = true;
    bool ok = keep_load(l, s);
    s->dropped_seq = atomic_load(&s->seq);      /* jobs are not kept */
    if (ok && spread_load(l, s))
        return s;
    forget(l, s);
    return NULL;
}

Space *space_for(Live *l, Task *t)
{
    Space *s = space_get(l, t->tenant);
    if (!s)
        asker_fail(l, &t->asker, WEFT_ERROR_IO, "the vectors cannot be loaded: the store of the "
                   "servers does not answer: try again");
    return s;
}

void space_again(Live *l, Space *s)
{
    s->wanted = true;
    forget(l, s);
    if (!space_get(l, s->tenant))
        log_event(l->desc.log, LOG_WARN, "vectors", "they cannot be loaded now", "weft.tenant",
                  s->tenant, NULL);
}

void space_free(Space *s)
{
    forget_events(s);
    free(s->events);
    free(s->view);
    free(s->som);
    for (uint32_t i = 0; i < s->awaited_count; i++)
        client_release(s->awaited[i].client);
    pack_fini(&s->tail);
    json_decref(s->feed);
    free(s);
}

static bool grow_events(Space *s)
{
    uint32_t room = s->room ? s->room * 2 : 64;
    Event   *grown = malloc(room * sizeof *grown);
    if (!grown)
        return false;
    for (uint32_t i = 0; i < s->held; i++)
        grown[i] = s->events[(s->first + i) % s->room];
    free(s->events);
    s->events = grown;
    s->first = 0;
    s->room = room;
    return true;
}

void space_remember(Live *l, Space *s, Event e)
{
    while (s->held && (s->held == MAX_EVENTS
                       || s->held_bytes + e.bytes > l->desc.config->live_history)) {
        s->held_bytes -= s->events[s->first].bytes;
        s->dropped_seq = s->events[s->first].seq;
        event_fini(&s->events[s->first]);
        s->first = (s->first + 1) % s->room;
        s->held--;
    }
    if (s->held == s->room && !grow_events(s)) {
        event_fini(&e);
        return;
    }
    s->events[(s->first + s->held++) % s->room] = e;
    s->held_bytes += e.bytes;
}

Event *space_event(Space *s, uint64_t seq)
{
    uint32_t low = 0, high = s->held;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        Event   *e = &s->events[(s->first + middle) % s->room];
        if (e->seq == seq)
            return e;
        if (e->seq < seq)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int by_seq(const void *a, const void *b)
{
    const Event *x = a, *y = b;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

void space_sort(Space *s)
{
    Event *sorted = s->held ? malloc(s->room * sizeof *sorted) : NULL;
    if (!sorted)
        return;
    for (uint32_t i = 0; i < s->held; i++)
        sorted[i] = s->events[(s->first + i) % s->room];
    qsort(sorted, s->held, sizeof *sorted, by_seq);
    free(s->events);
    s->events = sorted;
    s->first = 0;
}

void space_take(Live *l, Space *s, Batch *b, bool mine)
{
    if (!s->dimension)
        s->dimension = b->dimension;
    if (!l->engine)
        s->count += b->count;
    for (uint32_t i = 0; i < b->count; i++)
        s->next_id = b->ids[i] >= s->next_id ? b->ids[i] + 1 : s->next_id;
    atomic_store(&s->seq, b->seq);
    s->batch_seq = b->seq;
    uint32_t needed = forms_needed(s, CHANNEL_VECTORS, NULL);
    if (needed)
        send_frames(l, s, CHANNEL_VECTORS, frames_of_batch(b, needed), NULL);
    if (mine)
        keep_batch(l, s, b);
    space_remember(l, s, (Event){.seq = b->seq, .batch = batch_retain(b), .bytes = b->bytes});
}

void space_clear(Live *l, Space *s, bool mine)
{
    static const char cleared[] = "{\"type\":\"vectors_cleared\"}";
    forget_events(s);
    s->dropped_seq = s->cleared_seq = atomic_load(&s->seq);
    s->dimension = 0;
    s->count = s->next_id = 0;
    free(s->som);
    s->som = NULL;
    pack_fini(&s->tail);
    s->tail = (Pack){0};
    s->tail_dirty = s->changed = s->picture_dirty = false;
    json_decref(s->feed);
    s->feed = NULL;
    if (mine)
        keep_clear(l, s);
    if (l->engine)
        engine_call(l->engine, &(EngineCall){.op = ENGINE_DROP, .space = s,
                                             .ordered = true});
    send_text(l, s, CHANNEL_VECTORS, cleared, sizeof cleared - 1, NULL);
}
