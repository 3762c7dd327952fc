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

#include "base/clock.h"
#include "server/live/live_priv.h"

#define CHANNEL_NAME "live"

#define PATIENCE_NS (10 * (uint64_t)NS_PER_S)   /* of requests, without a bus             */
#define REPLAY_ROOM 64u                 /* messages that are asked for at once            */
#define MAX_UNSENT  1024u

/* A receipt that waits for its message to come back. */
typedef struct Waiting Waiting;
struct Waiting {
    Waiting *next;
    Space   *space;
    uint64_t nonce, rows, number, since_ns;
    Receipt *receipt;
};

/* A job's end that the bus did not take yet. */
typedef struct Unsent Unsent;
struct Unsent {
    Unsent *next;
    Space  *space;
    char   *text, id[STORE_ID_SIZE];
};

static bool has_bus(Live *l)
{
    return bus_is_up(l->desc.bus);
}

void waiting_free(Live *l)
{
    for (Waiting *w = l->waiting, *next; w; w = next) {
        next = w->next;
        receipt_end(l, w->receipt, WEFT_ERROR_IO, "the server ends");
        free(w);
    }
    l->waiting = NULL;
    for (Unsent *u = l->unsent, *next; u; u = next) {
        next = u->next;
        free(u->text);
        free(u);
    }
    l->unsent = NULL;
}

static Receipt *unlink_waiting(Waiting **at)
{
    Waiting *w = *at;
    Receipt *r = w->receipt;
    w->space->coming -= MIN_OF(w->rows, w->space->coming);
    *at = w->next;
    free(w);
    return r;
}

static Receipt *take_waiting(Live *l, uint64_t nonce)
{
    for (Waiting **at = &l->waiting; *at; at = &(*at)->next)
        if ((*at)->nonce == nonce)
            return unlink_waiting(at);
    return NULL;
}

/* Ends receipts whose message cannot come any more, or not soon. */
static void fail_waiting(Live *l)
{
    bool     up = has_bus(l);
    uint64_t now = clock_ns();
    for (Waiting **at = &l->waiting; *at;) {
        const Waiting *w = *at;
        bool lost = !l->behind && w->number && w->number <= l->heard;
        if (lost || (!up && now - w->since_ns > PATIENCE_NS))
            receipt_end(l, unlink_waiting(at), WEFT_ERROR_IO, lost
                        ? "Redis has lost the message: try again"
                        : "the servers' bus does not answer: what was sent may come later");
        else
            at = &(*at)->next;
    }
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
    space_remember(l, s, (Event){.seq = seq, .text = text, .bytes = size});
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

static bool send(Live *l, Space *s, const Spread *what, uint64_t nonce, uint64_t *number)
{
    Pack p = {0};
    pack_u32(&p, what->kind);
    pack_text(&p, l->desc.server);
    pack_u64(&p, nonce);
    pack_text(&p, s->tenant);
    pack_text(&p, what->name ? what->name : "");
    pack_text(&p, what->text ? what->text : "");
    if (what->batch)
        batch_pack(&p, what->batch);
    bool ok = !p.failed && has_bus(l)
           && bus_publish_kept(l->desc.bus, CHANNEL_NAME, p.data, p.size, number);
    pack_fini(&p);
    return ok;
}

static void publish(Live *l, Space *s, const Spread *what)
{
    Waiting *w = calloc(1, sizeof *w);
    uint64_t nonce = ++l->nonce, rows = what->batch ? what->batch->count : 0;
    if (w) {
        *w = (Waiting){l->waiting, s, nonce, rows, 0, clock_ns(), what->receipt};
        s->coming += rows;
        l->waiting = w;
        if (send(l, s, what, nonce, &w->number))
            return;
        take_waiting(l, nonce);
    }
    receipt_end(l, what->receipt, WEFT_ERROR_IO, "the servers' bus cannot be reached");
}

/* Ends of jobs are announced once the bus is up; no request waits for them. */
static void publish_job(Live *l, Space *s, const Spread *what)
{
    Unsent **at = &l->unsent, *u;
    uint32_t count = 0;
    if (!l->unsent && send(l, s, what, ++l->nonce, NULL))
        return;
    for (; *at; at = &(*at)->next)
        count++;
    if (count == MAX_UNSENT || !(u = calloc(1, sizeof *u)))
        return;
    *u = (Unsent){.space = s, .text = strdup(what->text)};
    snprintf(u->id, sizeof u->id, "%s", what->name);
    *at = u;
}

static void send_unsent(Live *l)
{
    while (l->unsent && has_bus(l)) {
        Unsent *u = l->unsent;
        if (u->text && !send(l, u->space, &(Spread){.kind = SPREAD_JOB, .text = u->text,
                                                    .name = u->id}, ++l->nonce, NULL))
            return;
        l->unsent = u->next;
        free(u->text);
        free(u);
    }
}

void spread(Live *l, Space *s, const Spread *what)
{
    if (!l->desc.shared)
        arrive(l, s, what, atomic_load(&s->seq) + (what->kind <= SPREAD_JOB), true);
    else if (what->kind == SPREAD_JOB)
        publish_job(l, s, what);
    else
        publish(l, s, what);
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
    what.receipt = mine ? take_waiting(l, nonce) : NULL;
    arrive(l, s, &what, number, mine);
    atomic_store(&s->seq, number);
    batch_release(what.batch);
}

/* ---- following the channel ----
 *
 * Numbers have no gaps, so a message with a number that is not the next one says that others
 * were missed, as a new connection does. They are asked for, until the bus gives them. */

/* Takes all messages after *at, of one tenant or all; *at becomes the last. False: the bus does
 * not give them now. */
static bool replay(Live *l, uint64_t *at, const char *only, bool *lost)
{
    bool     ok;
    uint64_t newest;
    do {
        BusMessage messages[REPLAY_ROOM];
        Arena      arena;
        uint32_t   n = 0;
        arena_init(&arena, 0);
        ok = bus_replay(l->desc.bus, &arena, CHANNEL_NAME, *at, messages, REPLAY_ROOM, &n,
                        &newest);
        for (uint32_t i = 0; i < n; i++) {
            *lost = *lost || messages[i].number != *at + 1;
            take_message(l, messages[i].data, messages[i].size, messages[i].number, only);
            *at = messages[i].number;
        }
        if (ok && !n && newest > *at) {
            *lost = true;
            *at = newest;
        }
        arena_fini(&arena);
    } while (ok && *at < newest);
    return ok;
}

/* Nothing before the first of our spaces is loaded concerns us. */
static bool tune_in(Live *l)
{
    Arena    arena;
    uint32_t n;
    if (l->tuned)
        return true;
    arena_init(&arena, 0);
    l->tuned = bus_replay(l->desc.bus, &arena, CHANNEL_NAME, UINT64_MAX, NULL, 0, &n, &l->heard);
    arena_fini(&arena);
    return l->tuned;
}

static void catch_up(Live *l)
{
    l->behind = true;
    if (!tune_in(l) || !replay(l, &l->heard, NULL, &l->lost))
        return;
    l->behind = false;
    for (Space *s = l->lost ? space_first(l) : NULL; s; s = s->next)
        if (s->loaded)
            space_again(l, s);
    l->lost = false;
}

bool spread_load(Live *l, Space *s)
{
    uint64_t at;
    bool     lost = false;              /* what is not kept any more is in the store */
    if (!l->desc.shared)
        return true;
    if (!has_bus(l) || !tune_in(l))
        return false;
    at = atomic_load(&s->seq);
    return replay(l, &at, s->tenant, &lost);
}

void spread_tick(Live *l)
{
    if (!l->desc.shared)
        return;
    if (l->behind && has_bus(l))
        catch_up(l);
    fail_waiting(l);
    send_unsent(l);
}

static void task_bus(Live *l, Task *t)
{
    bool next = t->data.size && l->tuned && !l->behind;
    if (next && t->id == l->heard + 1) {
        take_message(l, t->data.data, t->data.size, t->id, NULL);
        l->heard = t->id;
    } else if (!t->data.size || (next && t->id > l->heard)) {
        catch_up(l);
    }
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
