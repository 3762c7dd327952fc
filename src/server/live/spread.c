// SPDX-License-Identifier: Apache-2.0
/*
 * spread.c - events get their number and come to every server.
 *
 * in     events of this server; messages of the bus
 * out    the same events, numbered, on every server in the same order
 * knows  the bus: its numbers, gaps, messages that come back to who sent them
 * not    what clients get
 *
 * A server alone numbers events itself. With others every event goes through a kept channel of
 * the bus, which numbers them for all; vectors get their ids when they come from there, so that
 * all servers agree on them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/live/live_priv.h"

#define CHANNEL_NAME "live"

/* A receipt that waits for its message to come back. */
typedef struct Waiting Waiting;
struct Waiting {
    Waiting *next;
    uint64_t nonce, rows;
    Receipt *receipt;
};

void waiting_free(Live *l)
{
    for (Waiting *w = l->waiting, *next; w; w = next) {
        next = w->next;
        receipt_end(l, w->receipt, WEFT_ERROR_IO, "the server ends");
        free(w);
    }
    l->waiting = NULL;
}

static Receipt *take_waiting(Live *l, Space *s, uint64_t nonce)
{
    for (Waiting **at = &l->waiting; *at; at = &(*at)->next)
        if ((*at)->nonce == nonce) {
            Waiting *w = *at;
            Receipt *r = w->receipt;
            s->coming -= MIN_OF(w->rows, s->coming);
            *at = w->next;
            free(w);
            return r;
        }
    return NULL;
}

/* ---- arrivals ---- */

static void arrive_batch(Live *l, Space *s, Batch *b, bool mine, Receipt *r)
{
    if (s->dimension && s->dimension != b->dimension) {
        receipt_end(l, r, WEFT_ERROR_SHAPE, "another server took vectors of another dimension");
        return;
    }
    if (b->ids[0] == UINT64_MAX)
        for (uint32_t i = 0; i < b->count; i++)
            b->ids[i] = s->next_id + i;
    if (r) {
        pack_raw(&r->ids, b->ids, b->count * sizeof *b->ids);
        r->dimension = b->dimension;
        r->seq = b->seq;
    }
    if (l->engine)
        engine_ready(l, s);             /* before they are among those that are kept */
    space_take(l, s, b, mine);
    if (l->engine)
        engine_add(l, s, b, r);
    else
        receipt_end(l, r, WEFT_ERROR_NONE, "");
}

/* A job's members become an event with a number. */
static void arrive_job(Live *l, Space *s, uint64_t seq, const char *members, const char *id)
{
    size_t room = strlen(members) + 64;
    char  *text = malloc(room);
    if (!text)
        return;
    size_t size = (size_t)snprintf(text, room, "{\"type\":\"job_completed\",\"seq\":%llu,%s}",
                                   (unsigned long long)seq, members);
    atomic_store(&s->seq, seq);
    send_text(l, s, CHANNEL_JOBS, text, size, NULL);
    job_awaited(l, s, id, text, size);
    space_remember(l, s, (Event){seq, NULL, text, size});
}

static void arrive(Live *l, Space *s, const Spread *what, uint64_t seq, bool mine)
{
    switch (what->kind) {
    case SPREAD_BATCH:
        what->batch->seq = seq;
        arrive_batch(l, s, what->batch, mine, what->receipt);
        return;
    case SPREAD_JOB:
        arrive_job(l, s, seq, what->text, what->name);
        break;
    case SPREAD_CLEAR:
        space_clear(l, s, mine);
        break;
    case SPREAD_VIEW:
        free(s->view);
        s->view = strdup(what->text);
        if (mine)
            keep_view(l, s);
        state_send(l, s, NULL);
        break;
    }
    receipt_end(l, what->receipt, WEFT_ERROR_NONE, "");
}

/* ---- through the bus ---- */

static void publish(Live *l, Space *s, const Spread *what)
{
    Pack     p = {0};
    Waiting *w = calloc(1, sizeof *w);
    uint64_t nonce = ++l->nonce, rows = what->batch ? what->batch->count : 0;
    pack_u32(&p, what->kind);
    pack_text(&p, l->desc.server);
    pack_u64(&p, nonce);
    pack_text(&p, s->tenant);
    pack_text(&p, what->name ? what->name : "");
    pack_text(&p, what->text ? what->text : "");
    if (what->batch)
        batch_pack(&p, what->batch);
    bool ok = w && !p.failed;
    if (ok) {
        *w = (Waiting){l->waiting, nonce, rows, what->receipt};
        s->coming += rows;
        l->waiting = w;
        ok = bus_publish_kept(l->desc.bus, CHANNEL_NAME, p.data, p.size, NULL);
        if (!ok)
            take_waiting(l, s, nonce);
    } else {
        free(w);
    }
    if (!ok)
        receipt_end(l, what->receipt, WEFT_ERROR_IO, "the servers' bus cannot be reached");
    pack_fini(&p);
}

void spread(Live *l, Space *s, const Spread *what)
{
    if (l->desc.shared)
        publish(l, s, what);
    else
        arrive(l, s, what, atomic_load(&s->seq) + (what->kind <= SPREAD_JOB), true);
    batch_release(what->batch);
}

/* One message of the bus; those of spaces that are not open here wait in the store. */
static void take_message(Live *l, const void *data, size_t size, uint64_t number,
                         const char *only)
{
    Unpack      u = {.data = data, .size = size};
    Spread      what = {.kind = (SpreadKind)unpack_u32(&u)};
    bool        mine = strcmp(unpack_text(&u, 256), l->desc.server) == 0;
    uint64_t    nonce = unpack_u64(&u);
    const char *tenant = unpack_text(&u, LIVE_TENANT);
    what.name = unpack_text(&u, 256);
    what.text = unpack_text(&u, UINT32_MAX);
    Space *s = u.failed || (only && strcmp(only, tenant) != 0) ? NULL : space_find(l, tenant);
    if (!s || !s->loaded || number <= atomic_load(&s->seq))
        return;
    what.batch = what.kind == SPREAD_BATCH ? batch_unpack(&u) : NULL;
    if (u.failed || (what.kind == SPREAD_BATCH && !what.batch))
        return;
    what.receipt = mine ? take_waiting(l, s, nonce) : NULL;
    arrive(l, s, &what, number, mine);
    atomic_store(&s->seq, number);
    batch_release(what.batch);
}

void bus_catch_up(Live *l, Space *s)
{
    if (!l->desc.shared)
        return;
    Arena       arena;
    BusMessage *messages = calloc(BUS_KEPT, sizeof *messages);
    arena_init(&arena, 0);
    uint32_t n = messages ? bus_replay(l->desc.bus, &arena, CHANNEL_NAME, atomic_load(&s->seq),
                                       messages, BUS_KEPT, NULL) : 0;
    for (uint32_t i = 0; i < n; i++)
        take_message(l, messages[i].data, messages[i].size, messages[i].number, s->tenant);
    arena_fini(&arena);
    free(messages);
}

static void task_bus(Live *l, Task *t)
{
    if (t->data.size)
        take_message(l, t->data.data, t->data.size, t->id, NULL);
    for (Space *s = t->data.size ? NULL : space_first(l); s; s = s->next)
        if (s->loaded)
            bus_catch_up(l, s);
}

void bus_take(void *live, const BusMessage *m)
{
    Task *t = task_new(task_bus, "", m->size);
    if (!t)
        return;
    t->id = m->number;
    if (m->data)
        pack_raw(&t->data, m->data, m->size);
    hub_push(live, t, true);
}
