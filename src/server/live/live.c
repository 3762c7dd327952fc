// SPDX-License-Identifier: Apache-2.0
/*
 * live.c - the hub: one thread that does everything about tenants' vectors, in one order.
 *
 * in     tasks of HTTP, sockets, jobs, the bus and the process of vectors
 * out    answers to who asked
 * knows  tasks and their order
 * not    what a task does (ask.c, ingest.c, job_events.c)
 */
#define _GNU_SOURCE
#include "server/live/live_priv.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define TICK (NS_PER_S / 10)

int64_t live_now(void)
{
    return jobs_now_ms();
}

Store *live_store(Live *l)
{
    return jobs_store(l->parts.jobs);
}

/* ---- tasks ---- */

Task *task_new(void (*run)(Live *, Task *), const char *tenant, size_t bytes)
{
    Task *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->run = run;
    t->bytes = sizeof *t + bytes;
    t->binary = -1;
    snprintf(t->tenant, sizeof t->tenant, "%s", tenant);
    return t;
}

void task_free(Live *l, Task *t)
{
    if (!t)
        return;
    asker_drop(&t->asker);
    batch_release(t->batch);
    pack_fini(&t->data);
    free(t->text);
    if (t->extra)
        t->free_extra(l, t->extra);
    free(t);
}

bool hub_push(Live *l, Task *t, bool urgent)
{
    if (!t)
        return false;
    pthread_mutex_lock(&l->lock);
    bool ok = !l->stopping && (urgent || l->backlog < LIVE_BACKLOG);
    if (ok) {
        Task ***last = urgent ? &l->last_urgent : &l->last_task;
        **last = t;
        *last = &t->next;
        l->backlog += t->bytes;
        pthread_cond_signal(&l->change);
    }
    pthread_mutex_unlock(&l->lock);
    if (!ok)
        task_free(l, t);
    return ok;
}

/* The next task; NULL: it is time for a tick, or (*end) there will be none. */
static Task *hub_pop(Live *l, bool *end)
{
    pthread_mutex_lock(&l->lock);
    if (!l->urgent && !l->tasks && l->outbox) {
        pthread_mutex_unlock(&l->lock);
        send_flush(l);
        pthread_mutex_lock(&l->lock);
    }
    uint64_t until = clock_ns() + TICK;
    while (!l->urgent && !l->tasks && !l->stopping && clock_wait(&l->change, &l->lock, until))
        ;
    Task **first = l->urgent ? &l->urgent : &l->tasks, *t = *first;
    if (t) {
        *first = t->next;
        if (!*first) {
            if (first == &l->urgent)
                l->last_urgent = &l->urgent;
            else
                l->last_task = &l->tasks;
        }
        l->backlog -= t->bytes;
    }
    *end = !t && l->stopping;
    pthread_mutex_unlock(&l->lock);
    return t;
}

/* ---- who asked ---- */

static void call_unref(LiveCall *c)
{
    if (c && atomic_fetch_sub(&c->refs, 1) == 1) {
        free(c->text);
        free(c);
    }
}

void asker_drop(Asker *a)
{
    call_unref(a->call);
    client_release(a->client);
    *a = (Asker){.call = NULL};
}

/* Takes the text over. */
static void call_end(LiveCall *c, weft_error_kind kind, char *text)
{
    pthread_mutex_lock(&c->live->lock);
    if (!c->ended) {
        c->ended = true;
        c->kind = text ? kind : WEFT_ERROR_MEMORY;
        c->text = text;
        text = NULL;
        if (c->wake)
            c->wake(c->user);
    }
    pthread_mutex_unlock(&c->live->lock);
    free(text);
}

static const char *kind_name(weft_error_kind kind)
{
    static const char *const kinds[] = {"none",
#define X(kind, name, http, meaning) name,
        WEFT_ERROR_KINDS(X)
#undef X
    };
    return (size_t)kind < COUNTOF(kinds) ? kinds[kind] : "internal";
}

static void put_request(Text *out, const Asker *a)
{
    if (!*a->request)
        return;
    text_add(out, STR(",\"request\":"));
    text_json(out, str_of(a->request));
}

void asker_fail(Live *l, Asker *a, weft_error_kind kind, const char *fmt, ...)
{
    char    why[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    if (a->call)
        call_end(a->call, kind, strdup(why));
    if (a->client) {
        Arena arena;
        arena_init(&arena, 0);
        Text text = {.arena = &arena};
        text_printf(&text, "{\"type\":\"error\",\"kind\":\"%s\",\"reason\":", kind_name(kind));
        text_json(&text, str_of(why));
        put_request(&text, a);
        text_char(&text, '}');
        send_text(l, a->client->space, CHANNEL_STATE, text.data, text.len, a->client);
        arena_fini(&arena);
    }
    asker_drop(a);
}

void asker_answer(Live *l, Asker *a, const char *type, const Text *members)
{
    Arena arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    text_char(&text, '{');
    if (a->client)
        text_printf(&text, "\"type\":\"%s\"%s", type, members->len ? "," : "");
    if (members->len)
        text_add(&text, (Str){members->data, (uint32_t)members->len});
    if (a->client)
        put_request(&text, a);
    text_char(&text, '}');
    if (a->client)
        send_text(l, a->client->space, CHANNEL_STATE, text.data, text.len, a->client);
    else if (a->call)
        call_end(a->call, WEFT_ERROR_NONE, strndup(text.data, text.len));
    arena_fini(&arena);
    asker_drop(a);
}

/* ---- calls ---- */

static void (*const asks[])(Live *, Task *) = {
    [LIVE_INGEST] = task_ingest, [LIVE_LIST] = task_list, [LIVE_SEARCH] = task_search,
    [LIVE_PLACES] = task_places, [LIVE_MAP] = task_map, [LIVE_PLANE] = task_plane,
    [LIVE_VIEW] = task_view, [LIVE_CLEAR] = task_clear,
};

static Task *call_task(LiveCall *c, const LiveRequest *r, const char **why)
{
    Task *t = task_new(asks[r->ask], r->tenant, r->vectors.numbers * sizeof(float));
    if (!t)
        return NULL;
    atomic_fetch_add(&c->refs, 1);
    t->asker.call = c;
    t->ask = r->ask;
    t->id = r->id;
    t->limit = r->limit;
    t->since = r->since;
    t->by_id = r->by_id;
    t->flag = r->exact;
    t->text = r->text ? strdup(r->text) : NULL;
    *why = r->vectors.numbers ? task_set_vectors(t, &r->vectors) : NULL;
    if (r->ask == LIVE_PLACES)
        pack_raw(&t->data, r->vectors.ids, r->limit * sizeof(uint64_t));
    return t;
}

LiveCall *live_call(Live *l, const LiveRequest *r)
{
    LiveCall   *c = calloc(1, sizeof *c);
    const char *why = NULL;
    if (!c)
        return NULL;
    *c = (LiveCall){.live = l, .wake = r->wake, .user = r->user};
    atomic_init(&c->refs, 1);
    Task *t = call_task(c, r, &why);
    if (t && why) {
        call_end(c, WEFT_ERROR_SHAPE, strdup(why));
        task_free(l, t);
    } else if (!hub_push(l, t, r->ask != LIVE_INGEST)) {
        call_end(c, WEFT_ERROR_QUOTA, strdup("too much waits to be indexed: try again later"));
    }
    return c;
}

bool live_call_ended(LiveCall *c, weft_error_kind *kind, const char **text)
{
    pthread_mutex_lock(&c->live->lock);
    bool ended = c->ended;
    *kind = c->kind;
    *text = c->text ? c->text : "out of memory";
    pthread_mutex_unlock(&c->live->lock);
    return ended;
}

void live_call_release(LiveCall *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->live->lock);
    c->wake = NULL;
    pthread_mutex_unlock(&c->live->lock);
    call_unref(c);
}

/* ---- the thread ---- */

/* Of each space: what has to be kept, and pictures that are due. */
static void tick(Live *l)
{
    uint64_t now = clock_ns();
    if (now - l->ticked_ns < TICK)
        return;
    bool second = now / NS_PER_S != l->ticked_ns / NS_PER_S;
    l->ticked_ns = now;
    spread_tick(l);
    if (second)
        keep_retry(l);
    for (Space *s = space_first(l); s; s = s->next) {
        if (s->wanted && !s->loaded)
            space_get(l, s->tenant);
        if (l->engine)
            engine_refresh(l, s, now);
        if (second)
            keep_flush(l, s);
        if (second && s->listeners[CHANNEL_METRICS])
            metrics_send(l, s);
    }
}

static void *hub_main(void *user)
{
    Live *l = user;
    for (bool end = false; !end;) {
        Task *t = hub_pop(l, &end);
        if (t) {
            t->run(l, t);
            task_free(l, t);
        }
        tick(l);
    }
    for (Space *s = space_first(l); s; s = s->next)
        keep_flush(l, s);
    return NULL;
}

/* ---- opening ---- */

Live *live_open(const LiveDesc *desc, char *why, size_t size)
{
    const Config *c = desc->config;
    uint8_t       random[8];
    Live *l = calloc(1, sizeof *l);
    if (!l) {
        snprintf(why, size, "out of memory");
        return NULL;
    }
    l->desc = *desc;
    l->no_zeros = strcmp(c->vectors_metric, "cosine") == 0;
    l->last_urgent = &l->urgent;
    l->last_task = &l->tasks;
    l->last_outbox = &l->outbox;
    pthread_mutex_init(&l->lock, NULL);
    clock_cond_init(&l->change);
    randombytes_buf(random, sizeof random);
    if (desc->shared)                   /* numbers come from the shared bus */
        memset(random, 0xce, sizeof random);
    sodium_bin2hex(l->stream, sizeof l->stream, random, sizeof random);
    return l;
}

bool live_start(Live *l, const LiveParts *parts, char *why, size_t size)
{
    l->parts = *parts;
    l->engine = l->desc.config->vectors_enabled ? engine_start(l) : NULL;
    if (l->desc.shared)
        bus_subscribe(l->desc.bus, "live", bus_take, l);
    l->started = pthread_create(&l->thread, NULL, hub_main, l) == 0;
    if (!l->started || (l->desc.config->vectors_enabled && !l->engine)) {
        snprintf(why, size, "a thread cannot be started");
        return false;
    }
    if (*l->desc.config->vectors_watch && !(l->watch = watch_open(l, why, size)))
        return false;
    return true;
}

void live_stop(Live *l)
{
    if (!l)
        return;
    watch_close(l->watch);
    l->watch = NULL;
    pthread_mutex_lock(&l->lock);
    l->stopping = true;
    pthread_cond_broadcast(&l->change);
    pthread_mutex_unlock(&l->lock);
    if (l->started)
        pthread_join(l->thread, NULL);
    l->started = false;
    engine_close(l->engine);
    l->engine = NULL;
    waiting_free(l);
    send_flush(l);
}

void live_close(Live *l)
{
    if (!l)
        return;
    live_stop(l);
    for (Task *t = l->tasks, *next; t; t = next) {
        next = t->next;
        task_free(l, t);
    }
    for (Space *s = l->spaces, *next; s; s = next) {
        next = s->next;
        space_free(s);
    }
    keep_free(l);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->change);
    free(l);
}

void live_protocols(Live *l, SocketProtocol out[LIVE_PROTOCOLS])
{
    out[0] = (SocketProtocol){.name = "", .on_open = client_open, .on_message = client_message,
                              .on_drain = client_drain, .on_close = client_close, .user = l};
    out[1] = out[0];
    out[1].name = "weft.live";
    out[1].on_open = client_open_headed;
}

static void task_state(Live *l, Task *t)
{
    Arena arena;
    arena_init(&arena, 0);
    for (Space *s = space_first(l); s; s = s->next)
        if (s->listeners[CHANNEL_STATE]) {
            Text text = {.arena = &arena};
            text_printf(&text, "{\"type\":\"state\",\"state\":\"%s\",\"previous\":\"%s\","
                        "\"event\":\"%s\",\"timestamp\":", state_name((State)t->id),
                        state_name((State)t->limit), state_event_name((StateEvent)t->since));
            put_time(&text, live_now());
            text_char(&text, '}');
            send_text(l, s, CHANNEL_STATE, text.data, text.len, NULL);
        }
    arena_fini(&arena);
}

void live_state_changed(Live *l, State from, StateEvent event, State to)
{
    if (atomic_load(&l->state_listeners) == 0)
        return;
    Task *t = task_new(task_state, "", 0);
    if (t) {
        t->id = to;
        t->limit = from;
        t->since = event;
    }
    hub_push(l, t, true);
}
