// SPDX-License-Identifier: Apache-2.0
/*
 * client.c - what clients say.
 *
 * in     messages of sockets, hostile until proved otherwise
 * out    tasks of the hub; errors at once for what is no message
 * knows  the messages of docs/protocol.md
 * not    how they are carried out
 *
 * All of it runs on the sockets' thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/live/live_priv.h"

#define SCOPE_BIT_JOBS 1u               /* SCOPE_JOBS of auth.h, as socket_scopes() has it */
#define MAX_VIEW 16384u

/* ---- the life of a client ---- */

Client *client_retain(Client *c)
{
    atomic_fetch_add(&c->refs, 1);
    return c;
}

void client_release(Client *c)
{
    if (c && atomic_fetch_sub(&c->refs, 1) == 1)
        free(c);
}

static void open_client(Live *l, Socket *socket, bool headed)
{
    Client *c = calloc(1, sizeof *c);
    Space  *s = c ? space_open(l, socket_tenant(socket)) : NULL;
    if (!s) {
        free(c);
        socket_close(socket, 1011, "out of memory");
        return;
    }
    atomic_init(&c->refs, 1);
    c->live = l;
    c->space = s;
    c->socket = socket;
    c->headed = headed;
    c->text_form = socket_deflates(socket) ? FORM_DEFLATED : FORM_TEXT;
    c->form = c->hub_form = headed ? FORM_HEADED : c->text_form;
    c->next = s->clients;
    c->link = &s->clients;
    if (c->next)
        c->next->link = &c->next;
    s->clients = c;
    socket_set_user(socket, c);
}

void client_open(void *live, Socket *socket)
{
    open_client(live, socket, false);
}

void client_open_headed(void *live, Socket *socket)
{
    open_client(live, socket, true);
}

static void task_closed(Live *l, Task *t)
{
    Client *c = t->asker.client;
    Space  *s = c->space;
    listeners_set(l, c, 0, c->hub_form);
    for (uint32_t i = 0; i < s->awaited_count;)
        if (s->awaited[i].client == c) {
            client_release(c);
            s->awaited[i] = s->awaited[--s->awaited_count];
            atomic_fetch_sub(&l->job_listeners, 1);
        } else {
            i++;
        }
}

void client_close(void *live, Socket *socket)
{
    Live   *l = live;
    Client *c = socket_user(socket);
    if (!c)
        return;
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    for (uint32_t i = 0; i < CHANNEL_COUNT; i++) {
        frame_release(c->pending[i]);
        c->pending[i] = NULL;
    }
    frame_release(c->announce);
    c->announce = NULL;
    c->socket = NULL;
    c->mask = 0;
    Task *t = task_new(task_closed, c->space->tenant, 0);
    if (t) {
        t->asker.client = client_retain(c);
        hub_push(l, t, true);
    }
    socket_set_user(socket, NULL);
    client_release(c);
}

/* ---- errors at once ---- */

static void complain(Client *c, const char *kind, const char *reason, const char *request)
{
    Arena arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    text_printf(&text, "{\"type\":\"error\",\"kind\":\"%s\",\"reason\":", kind);
    text_json(&text, str_of(reason));
    if (request && *request) {
        text_add(&text, STR(",\"request\":"));
        text_json(&text, str_of(request));
    }
    text_char(&text, '}');
    Frame *f = frame_text(text.data, text.len);
    if (f && !c->behind)
        socket_offer(c->socket, f);
    frame_release(f);
    arena_fini(&arena);
}

/* ---- messages ---- */

/* A message while it is looked at. */
typedef struct Said {
    Live       *live;
    Client     *client;
    json_t     *root;
    const char *request;
} Said;

static Task *said_task(const Said *m, void (*run)(Live *, Task *), size_t bytes)
{
    Task *t = task_new(run, m->client->space->tenant, bytes);
    if (!t)
        return NULL;
    t->asker.client = client_retain(m->client);
    snprintf(t->asker.request, sizeof t->asker.request, "%s", m->request);
    return t;
}

static void push(const Said *m, Task *t, bool urgent)
{
    if (!hub_push(m->live, t, urgent))
        complain(m->client, "quota", "too much waits to be done: try again later", m->request);
}

/* Channels as bits; false after a complaint. */
static bool read_channels(const Said *m, uint32_t *mask)
{
    json_t *list = json_object_get(m->root, "channels"), *item;
    size_t  i;
    *mask = 0;
    if (list && !json_is_array(list)) {
        complain(m->client, "invalid", "channels: a list of names", m->request);
        return false;
    }
    json_array_foreach(list, i, item) {
        Channel c;
        char    why[160];
        if (channel_find(json_string_value(item), &c)) {
            *mask |= 1u << c;
            continue;
        }
        snprintf(why, sizeof why, "there is no channel '%.40s'; there are vector_updates, "
                 "job_results, som, metrics and state", json_is_string(item)
                 ? json_string_value(item) : "?");
        complain(m->client, "invalid", why, m->request);
        return false;
    }
    return true;
}

static bool read_number(const Said *m, const char *name, uint64_t most, uint64_t *out)
{
    json_t *value = json_object_get(m->root, name);
    if (!value)
        return true;
    if (json_is_integer(value) && json_integer_value(value) >= 0
        && (uint64_t)json_integer_value(value) <= most) {
        *out = (uint64_t)json_integer_value(value);
        return true;
    }
    char why[96];
    snprintf(why, sizeof why, "%s: a whole number from 0 to %llu", name,
             (unsigned long long)most);
    complain(m->client, "invalid", why, m->request);
    return false;
}

static void say_subscribe(const Said *m)
{
    uint32_t mask;
    uint64_t since = UINT64_MAX;
    json_t  *binary = json_object_get(m->root, "binary");
    const char *stream = json_string_value(json_object_get(m->root, "stream"));
    if (!read_channels(m, &mask) || !read_number(m, "since", INT64_MAX, &since))
        return;
    Task *t = said_task(m, task_subscribe, 0);
    if (t) {
        t->mask = mask;
        t->since = since;
        t->binary = json_is_boolean(binary) ? json_is_true(binary) : -1;
        snprintf(t->name, sizeof t->name, "%s", stream ? stream : "");
    }
    push(m, t, true);
}

static void say_unsubscribe(const Said *m)
{
    uint32_t mask;
    if (!read_channels(m, &mask))
        return;
    Task *t = said_task(m, task_unsubscribe, 0);
    if (t)
        t->mask = json_object_get(m->root, "channels") ? mask : UINT32_MAX;
    push(m, t, true);
}

static void say_request_vectors(const Said *m)
{
    uint64_t limit = 100, since = 0;
    if (!read_number(m, "limit", LIVE_MAX_SEND, &limit)
        || !read_number(m, "since", INT64_MAX, &since))
        return;
    Task *t = said_task(m, task_request, 0);
    if (t) {
        t->limit = limit;
        t->since = since;
    }
    push(m, t, true);
}

static void say_ping(const Said *m)
{
    push(m, said_task(m, task_ping, 0), true);
}

static void take_vectors(const Said *m, const LiveVectors *v)
{
    Task       *t = said_task(m, task_ingest, v->numbers * sizeof(float));
    const char *why = t ? task_set_vectors(t, v) : NULL;
    if (why) {
        task_free(m->live, t);
        complain(m->client, "shape", why, m->request);
        return;
    }
    push(m, t, false);
}

static void say_vectors(const Said *m)
{
    Arena       arena;
    LiveVectors v;
    arena_init(&arena, 0);
    const char *why = live_vectors_read(&arena, m->root, &v);
    if (why)
        complain(m->client, "shape", why, m->request);
    else
        take_vectors(m, &v);
    arena_fini(&arena);
}

/* Binary messages without a head follow. */
static void say_vector_stream(const Said *m)
{
    uint64_t dimension = 0;
    if (read_number(m, "dimension", 4096, &dimension))
        m->client->sends = (uint32_t)dimension;
}

static void say_submit_job(const Said *m)
{
    json_t *job = json_object_get(m->root, "job");
    if (!json_is_object(job)) {
        complain(m->client, "invalid", "job: the object that POST /v1/jobs takes", m->request);
        return;
    }
    if (!(socket_scopes(m->client->socket) & SCOPE_BIT_JOBS)) {
        complain(m->client, "denied", "this needs the scope 'jobs'", m->request);
        return;
    }
    Task *t = said_task(m, task_submit, 0);
    if (t && (t->text = json_dumps(job, JSON_COMPACT)))
        t->bytes += strlen(t->text);
    push(m, t, true);
}

static void put_field(const Said *m, const char *name, char *out, size_t size)
{
    json_t *value = json_object_get(m->root, name);
    *out = '\0';
    if (json_is_number(value))
        snprintf(out, size, "%.9g", json_number_value(value));
    else if (json_is_string(value))
        snprintf(out, size, "%.*s", (int)size - 1, json_string_value(value));
    else if (json_is_object(value)) {
        char *text = json_dumps(value, JSON_COMPACT);
        if (text && strlen(text) < size)
            strcpy(out, text);
        free(text);
    }
}

/* What a page measures of its own device goes to the log. */
static void say_client_metrics(const Said *m)
{
    char adapter[256], limits[2048], bytes[32], compute[32], read_back[32], frame[32];
    put_field(m, "adapter", adapter, sizeof adapter);
    put_field(m, "limits", limits, sizeof limits);
    put_field(m, "buffer_bytes", bytes, sizeof bytes);
    put_field(m, "compute_ms", compute, sizeof compute);
    put_field(m, "readback_ms", read_back, sizeof read_back);
    put_field(m, "frame_ms", frame, sizeof frame);
    log_event(m->live->desc.log, LOG_INFO, "client-metrics", "a page measured its device",
              "weft.tenant", m->client->space->tenant, "weft.client.adapter", adapter,
              "weft.client.limits", limits, "weft.client.buffer_bytes", bytes,
              "weft.client.compute_ms", compute, "weft.client.readback_ms", read_back,
              "weft.client.frame_ms", frame, NULL);
}

static void say_set_view(const Said *m)
{
    json_t *view = json_object_get(m->root, "view");
    char   *text = json_is_object(view) ? json_dumps(view, JSON_COMPACT) : NULL;
    if (!text || strlen(text) > MAX_VIEW) {
        free(text);
        complain(m->client, "invalid", "view: an object of at most 16 KiB", m->request);
        return;
    }
    Task *t = said_task(m, task_view, 0);
    if (t)
        t->text = text;
    else
        free(text);
    push(m, t, true);
}

static const struct { const char *type; void (*say)(const Said *m); } types[] = {
    {"subscribe", say_subscribe}, {"unsubscribe", say_unsubscribe},
    {"request_vectors", say_request_vectors}, {"ping", say_ping},
    {"submit_job", say_submit_job}, {"client_metrics", say_client_metrics},
    {"vectors", say_vectors}, {"vector_stream", say_vector_stream}, {"set_view", say_set_view},
};

static void take_object(const Said *m)
{
    const char *type = json_string_value(json_object_get(m->root, "type"));
    for (size_t i = 0; type && i < COUNTOF(types); i++)
        if (strcmp(types[i].type, type) == 0) {
            types[i].say(m);
            return;
        }
    complain(m->client, "invalid", type ? "unknown type; there are subscribe, unsubscribe, "
             "request_vectors, ping, submit_job, client_metrics, vectors, vector_stream and "
             "set_view" : "a message is an object with a type", m->request);
}

static void take_text(Live *l, Client *c, const char *data, size_t size)
{
    json_error_t error;
    json_t      *root = json_loadb(data, size, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        char why[256];
        snprintf(why, sizeof why, "the message is not JSON: line %d: %s", error.line, error.text);
        complain(c, "format", why, "");
        return;
    }
    const char *request = json_string_value(json_object_get(root, "request"));
    take_object(&(Said){l, c, root, request && strlen(request) < 64 ? request : ""});
    json_decref(root);
}

void client_message(void *live, Socket *socket, bool text, const void *data, size_t size)
{
    Live   *l = live;
    Client *c = socket_user(socket);
    if (!c)
        return;
    if (!jobs_count_request(l->parts.jobs, c->space->tenant, "")) {
        complain(c, "quota", "quota: too many requests in this second", "");
        return;
    }
    if (text) {
        take_text(l, c, data, size);
        return;
    }
    Arena       arena;
    LiveVectors v;
    arena_init(&arena, 0);
    const char *why = binary_read(&arena, data, size, c->headed, c->sends, &v);
    if (why)
        complain(c, "shape", why, "");
    else
        take_vectors(&(Said){l, c, NULL, ""}, &v);
    arena_fini(&arena);
}
