// SPDX-License-Identifier: Apache-2.0
/*
 * ask.c - what is asked of a space: subscriptions, recent vectors, searches, pictures.
 *
 * in     tasks of clients and calls
 * out    answers
 * knows  recent events, the process
 * not    where the question came from
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/live/live_priv.h"

/* ---- state and metrics ---- */

void state_send(Live *l, Space *s, Client *only)
{
    if (!only && !s->listeners[CHANNEL_STATE])
        return;
    Arena arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    text_printf(&text, "{\"type\":\"state\",\"state\":\"%s\",\"vectors\":{\"count\":%llu,"
                "\"dimension\":%u,\"indexing\":%s},\"view\":%s,\"timestamp\":",
                state_name(jobs_state(l->parts.jobs)), (unsigned long long)s->count,
                s->dimension, l->engine ? "true" : "false", s->view ? s->view : "null");
    put_time(&text, live_now());
    text_char(&text, '}');
    send_text(l, s, CHANNEL_STATE, text.data, text.len, only);
    arena_fini(&arena);
}

void metrics_send(Live *l, Space *s)
{
    const Metrics *m = l->desc.metrics;
    Arena          arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    text_printf(&text, "{\"type\":\"metrics\",\"connections\":%lld,\"messages\":{\"in\":%lld,"
                "\"out\":%lld},\"jobs\":{\"submitted\":%lld,\"done\":%lld,\"failed\":%lld,"
                "\"queued\":%lld,\"running\":%lld},\"vectors\":{\"count\":%llu,\"backlog\":%zu},"
                "\"timestamp\":",
                (long long)metrics_get(m, METRIC_SOCKETS, 0),
                (long long)metrics_get(m, METRIC_MESSAGES, 0),
                (long long)metrics_get(m, METRIC_MESSAGES, 1),
                (long long)metrics_get(m, METRIC_SUBMITTED, 0),
                (long long)metrics_get(m, METRIC_FINISHED, 0),
                (long long)metrics_get(m, METRIC_FINISHED, 1),
                (long long)metrics_get(m, METRIC_QUEUED, 0),
                (long long)metrics_get(m, METRIC_RUNNING, 0), (unsigned long long)s->count,
                l->engine ? engine_backlog(l->engine) : 0);
    put_time(&text, live_now());
    text_char(&text, '}');
    send_text(l, s, CHANNEL_METRICS, text.data, text.len, NULL);
    arena_fini(&arena);
}

/* ---- subscriptions ---- */

static void send_event(Live *l, Space *s, const Event *e, Client *c)
{
    if (e->batch)
        send_frames(l, s, CHANNEL_VECTORS,
                    frames_of_batch(e->batch, forms_needed(s, CHANNEL_VECTORS, c)), c);
    else
        send_text(l, s, CHANNEL_JOBS, e->text, e->bytes, c);
}

/* Events after `since` that are still there. */
static void resume(Live *l, Space *s, Client *c, uint64_t since, uint32_t mask)
{
    for (uint32_t i = 0; i < s->held; i++) {
        const Event *e = &s->events[(s->first + i) % s->room];
        if (e->seq > since && mask & 1u << (e->batch ? CHANNEL_VECTORS : CHANNEL_JOBS))
            send_event(l, s, e, c);
    }
}

static void put_channels(Text *out, uint32_t mask)
{
    bool any = false;
    for (uint32_t i = 0; i < CHANNEL_COUNT; i++)
        if (mask & 1u << i) {
            text_printf(out, "%s\"%s\"", any ? "," : "", channel_name((Channel)i));
            any = true;
        }
}

static void tell_subscribed(Live *l, Task *t, const Space *s, bool asks, bool resumed)
{
    Client *c = t->asker.client;
    Arena   arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    text_add(&text, STR("\"channels\":["));
    put_channels(&text, c->hub_mask);
    text_printf(&text, "],\"binary\":%s,\"dimension\":%u,\"seq\":%llu,\"stream\":\"%s\"",
                c->hub_form >= FORM_BINARY ? "true" : "false", s->dimension,
                (unsigned long long)atomic_load(&s->seq), l->stream);
    if (asks)
        text_printf(&text, ",\"resumed\":%s", resumed ? "true" : "false");
    asker_answer(l, &t->asker, "subscribed", &text);
    arena_fini(&arena);
}

/* The form of vectors for a client: 1 binary, 0 not, -1 as its protocol has it. */
static Form form_for(const Client *c, int binary)
{
    if (binary < 0)
        return c->hub_form;
    return binary ? (c->headed ? FORM_HEADED : FORM_BINARY) : c->text_form;
}

void task_subscribe(Live *l, Task *t)
{
    Space   *s = space_for(l, t);
    if (!s)
        return;
    Client  *c = client_retain(t->asker.client);
    uint32_t fresh = t->mask & ~c->hub_mask;
    bool     asks = t->since != UINT64_MAX;
    bool     same = !*t->name || strcmp(t->name, l->stream) == 0;
    uint64_t newest = atomic_load(&s->seq);
    listeners_set(l, c, c->hub_mask | t->mask, form_for(c, t->binary));
    send_mask(l, c, c->hub_mask, c->hub_form);
    bool resumes = asks && same && t->since <= newest;
    bool whole = resumes && t->since >= s->dropped_seq;
    tell_subscribed(l, t, s, asks, whole);
    if (resumes)
        resume(l, s, c, t->since, c->hub_mask);
    if (fresh & 1u << CHANNEL_SOM) {
        s->changed = true;              /* a newer one comes soon */
        if (s->som)
            send_text(l, s, CHANNEL_SOM, s->som, strlen(s->som), c);
    }
    if (fresh & 1u << CHANNEL_STATE)
        state_send(l, s, c);
    client_release(c);
}

void task_unsubscribe(Live *l, Task *t)
{
    Client *c = t->asker.client;
    listeners_set(l, c, c->hub_mask & ~t->mask, c->hub_form);
    send_mask(l, c, c->hub_mask, c->hub_form);
    Arena arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    text_add(&text, STR("\"channels\":["));
    put_channels(&text, c->hub_mask);
    text_char(&text, ']');
    asker_answer(l, &t->asker, "unsubscribed", &text);
    arena_fini(&arena);
}

void task_ping(Live *l, Task *t)
{
    Space *s = t->asker.client->space;
    Arena  arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    text_printf(&text, "\"seq\":%llu,\"stream\":\"%s\",\"timestamp\":",
                (unsigned long long)atomic_load(&s->seq), l->stream);
    put_time(&text, live_now());
    asker_answer(l, &t->asker, "pong", &text);
    arena_fini(&arena);
}

/* ---- recent vectors ---- */

/* The newest batches with `limit` vectors after `since`: the first event of them, and how many
 * vectors of it. */
static uint32_t find_recent(const Space *s, uint64_t limit, uint64_t since, uint32_t *of_first)
{
    uint32_t from = s->held;
    *of_first = 0;
    while (from && limit) {
        const Event *e = &s->events[(s->first + from - 1) % s->room];
        if (e->seq <= since)
            break;
        from--;
        if (!e->batch)
            continue;
        *of_first = (uint32_t)MIN_OF(limit, e->batch->count);
        limit -= *of_first;
    }
    return from;
}

static void each_recent(Live *l, Space *s, Task *t,
                        void (*each)(Live *, Space *, Batch *, void *), void *user)
{
    uint32_t of_first, from = find_recent(s, t->limit, t->since, &of_first);
    bool     first = true;
    for (uint32_t i = from; i < s->held; i++) {
        Batch *b = s->events[(s->first + i) % s->room].batch;
        if (!b)
            continue;
        Batch *part = first && of_first < b->count ? batch_tail(b, of_first) : batch_retain(b);
        first = false;
        if (part)
            each(l, s, part, user);
        batch_release(part);
    }
}

/* What a client is owed, as much as its queue surely takes; the rest when it has drained. */
static void send_owed(Live *l, Space *s, Client *c)
{
    uint64_t sent = 0, most = l->desc.config->live_queue / 2;
    uint32_t needed = forms_needed(s, CHANNEL_VECTORS, c);
    uint64_t scale = c->hub_form < FORM_BINARY ? 4 : 1;     /* numbers are longer in JSON */
    for (uint32_t i = 0; i < s->held; i++) {
        const Event *e = &s->events[(s->first + i) % s->room];
        if (!e->batch || e->seq <= c->owed_since || e->seq > c->owed_until)
            continue;
        if (sent && sent + e->bytes * scale > most)
            break;
        bool   part = c->owed_rows && c->owed_rows < e->batch->count;
        Batch *b = part ? batch_tail(e->batch, c->owed_rows) : batch_retain(e->batch);
        c->owed_rows = 0;
        c->owed_since = e->seq;
        sent += e->bytes * scale;
        if (b)
            send_frames(l, s, CHANNEL_VECTORS, frames_of_batch(b, needed), c);
        batch_release(b);
    }
    c->owed_waits = sent > 0;
    if (c->owed_waits)
        send_wait(l, c);
}

void task_more(Live *l, Task *t)
{
    Space *s = space_get(l, t->tenant);
    if (s)
        send_owed(l, s, t->asker.client);
}

void task_request(Live *l, Task *t)
{
    Space   *s = space_for(l, t);
    if (!s)
        return;
    Client  *c = t->asker.client;
    uint32_t of_first, from = find_recent(s, t->limit, t->since, &of_first);
    if (of_first) {
        while (!s->events[(s->first + from) % s->room].batch)
            from++;
        c->owed_since = s->events[(s->first + from) % s->room].seq - 1;
        c->owed_until = atomic_load(&s->seq);
        c->owed_rows = of_first;
        if (!c->owed_waits)             /* else task_more() sends it */
            send_owed(l, s, c);
        return;
    }
    static const char none[] = "{\"type\":\"vector_batch\",\"vectors\":[],\"count\":0}";
    send_text(l, s, CHANNEL_STATE, none, sizeof none - 1, c);
}

static void put_recent(Live *l, Space *s, Batch *b, void *user)
{
    Text *out = user;
    (void)l;
    (void)s;
    if (out->data[out->len - 1] == '}')
        text_char(out, ',');
    text_char(out, '{');
    put_batch(out, b);
    text_char(out, '}');
}

void task_list(Live *l, Task *t)
{
    Space *s = space_for(l, t);
    if (!s)
        return;
    Arena  arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    text_printf(&text, "\"count\":%llu,\"dimension\":%u,\"seq\":%llu,\"stream\":\"%s\","
                "\"view\":%s,\"batches\":[", (unsigned long long)s->count, s->dimension,
                (unsigned long long)atomic_load(&s->seq), l->stream,
                s->view ? s->view : "null");
    each_recent(l, s, t, put_recent, &text);
    text_char(&text, ']');
    asker_answer(l, &t->asker, "vectors", &text);
    arena_fini(&arena);
}

/* ---- questions to the process ---- */

/* Hands a question on; its answer becomes members through call->done. */
static void ask(Live *l, Space *s, Task *t, EngineOp op, Pack *data,
                void (*done)(Live *, EngineCall *, const EngineAnswer *))
{
    if (!l->engine || data->failed) {
        pack_fini(data);
        asker_fail(l, &t->asker, WEFT_ERROR_UNSUPPORTED, "vectors.enabled is false");
        return;
    }
    engine_ready(l, s);
    engine_call(l->engine, &(EngineCall){.op = op, .space = s, .data = *data,
                                         .asker = t->asker, .done = done,
                                         .ordered = s->indexed_seq < s->fed_seq});
    t->asker = (Asker){.call = NULL};
}

/* Ends a question: true if the answer can be read. */
static bool answered(Live *l, EngineCall *call, const EngineAnswer *a)
{
    if (a->kind != WEFT_ERROR_NONE)
        asker_fail(l, &call->asker, a->kind, "%s", a->message);
    return a->kind == WEFT_ERROR_NONE;
}

static void finish(Live *l, EngineCall *call, const char *type, const Text *text,
                   const Unpack *u)
{
    if (u->failed)
        asker_fail(l, &call->asker, WEFT_ERROR_INTERNAL, "the answer is damaged");
    else
        asker_answer(l, &call->asker, type, text);
}

static float unpack_float(Unpack *u)
{
    const void *p = unpack_raw(u, sizeof(float));
    float       f = 0;
    if (p)
        memcpy(&f, p, sizeof f);
    return f;
}

static void put_label(Text *out, Unpack *u)
{
    const char *label = unpack_text(u, 4096);
    if (!*label)
        return;
    text_add(out, STR(",\"label\":"));
    text_json(out, str_of(label));
}

static void on_found(Live *l, EngineCall *call, const EngineAnswer *a)
{
    if (!answered(l, call, a))
        return;
    Arena  arena;
    Unpack u = a->data;
    arena_init(&arena, 0);
    Text     text = {.arena = &arena};
    uint32_t n = unpack_u32(&u);
    text_add(&text, STR("\"results\":["));
    for (uint32_t i = 0; i < n && !u.failed; i++) {
        text_printf(&text, "%s{\"id\":%llu", i ? "," : "", (unsigned long long)unpack_u64(&u));
        text_printf(&text, ",\"score\":%.7g", (double)unpack_float(&u));
        put_label(&text, &u);
        text_char(&text, '}');
    }
    text_char(&text, ']');
    finish(l, call, "results", &text, &u);
    arena_fini(&arena);
}

void task_search(Live *l, Task *t)
{
    Space       *s = space_for(l, t);
    if (!s)
        return;
    const Batch *b = t->batch;
    Pack         p = {0};
    uint64_t     row;
    const char  *fault = b ? vectors_fault(b->data, (uint64_t)b->count * b->dimension,
                                           b->count * b->dimension, l->no_zeros, &row) : NULL;
    if (fault) {
        asker_fail(l, &t->asker, WEFT_ERROR_INVALID, "the vector %s", fault);
        return;
    }
    pack_u32(&p, (uint32_t)t->limit);
    pack_u32(&p, t->flag);
    pack_u32(&p, b ? 0 : t->text ? 2 : 1);
    pack_u64(&p, t->id);
    pack_text(&p, t->text ? t->text : "");
    pack_bytes(&p, b ? b->data : NULL, b ? (uint64_t)b->count * b->dimension * 4 : 0);
    ask(l, s, t, ENGINE_SEARCH, &p, on_found);
}

static void on_places(Live *l, EngineCall *call, const EngineAnswer *a)
{
    if (!answered(l, call, a))
        return;
    Arena  arena;
    Unpack u = a->data;
    arena_init(&arena, 0);
    Text     text = {.arena = &arena};
    uint32_t axes = unpack_u32(&u);
    text_add(&text, STR("\"places\":["));
    for (bool first = true; u.at < u.size && !u.failed && axes <= 3; first = false) {
        float at[5] = {0};
        text_printf(&text, "%s{\"id\":%llu", first ? "" : ",",
                    (unsigned long long)unpack_u64(&u));
        text_printf(&text, ",\"unit\":%u", unpack_u32(&u));
        for (uint32_t i = 0; i < 2 + axes; i++)
            at[i] = unpack_float(&u);
        text_printf(&text, ",\"x\":%.7g,\"y\":%.7g,\"position\":", (double)at[0], (double)at[1]);
        put_numbers(&text, at + 2, axes);
        put_label(&text, &u);
        text_char(&text, '}');
    }
    text_char(&text, ']');
    finish(l, call, "places", &text, &u);
    arena_fini(&arena);
}

void task_places(Live *l, Task *t)
{
    Pack   p = {0};
    Space *s = space_for(l, t);
    if (!s)
        return;
    pack_bytes(&p, t->data.data, t->data.size);
    ask(l, s, t, ENGINE_PLACES, &p, on_places);
}

static void on_map(Live *l, EngineCall *call, const EngineAnswer *a)
{
    if (!answered(l, call, a))
        return;
    Arena  arena;
    Unpack u = a->data;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    picture_put(l, &text, &u);
    finish(l, call, "som_update", &text, &u);
    arena_fini(&arena);
}

void task_map(Live *l, Task *t)
{
    Pack   p = {0};
    Space *s = space_for(l, t);
    if (s)
        ask(l, s, t, ENGINE_SHOW, &p, on_map);
}

static void on_plane(Live *l, EngineCall *call, const EngineAnswer *a)
{
    if (!answered(l, call, a))
        return;
    Arena    arena;
    Unpack   u = a->data;
    uint64_t size;
    uint32_t component = unpack_u32(&u), width = unpack_u32(&u), height = unpack_u32(&u);
    const uint8_t *plane = unpack_bytes(&u, &size);
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    text_printf(&text, "\"width\":%u,\"height\":%u,", width, height);
    if (component != ALL_COMPONENTS)
        text_printf(&text, "\"component\":%u,", component);
    text_add(&text, STR("\"values\":"));
    put_numbers(&text, (const float *)(const void *)plane, size / 4);
    finish(l, call, "plane", &text, &u);
    arena_fini(&arena);
}

void task_plane(Live *l, Task *t)
{
    Pack   p = {0};
    Space *s = space_for(l, t);
    if (!s)
        return;
    pack_u32(&p, (uint32_t)MIN_OF(t->limit, UINT32_MAX));
    ask(l, s, t, ENGINE_PLANE, &p, on_plane);
}

/* ---- changes ---- */

void task_view(Live *l, Task *t)
{
    Space   *s = space_for(l, t);
    Receipt *r = !s ? NULL : receipt_new(&t->asker, "view_set");
    if (r)
        spread(l, s, &(Spread){.kind = SPREAD_VIEW, .text = t->text ? t->text : "null",
                               .receipt = r});
}

void task_clear(Live *l, Task *t)
{
    Space   *s = space_for(l, t);
    Receipt *r = !s ? NULL : receipt_new(&t->asker, "cleared");
    if (r)
        spread(l, s, &(Spread){.kind = SPREAD_CLEAR, .receipt = r});
}
