// SPDX-License-Identifier: Apache-2.0
/*
 * live_fuzz.c - messages of live clients from any bytes: JSON and binary, with a head or without.
 *
 * The first byte says how: bit 0 binary, bit 1 the sub-protocol with heads, bit 2 without the
 * right to submit jobs, the rest the announced dimension. What client.c makes of a message is
 * checked where the hub would take it over; the other parts of the server are stand-ins here.
 */
#include <stdlib.h>
#include <string.h>

#include "server/live/live_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct Socket {
    Client  *client;
    uint32_t scopes, offered;
};

static Space  space = {.tenant = "fuzz"};
static Batch *taken;                    /* rows that the hub was given                    */

/* ---- the socket ---- */

void *socket_user(const Socket *k) { return k->client; }
uint32_t socket_scopes(const Socket *k) { return k->scopes; }
const char *socket_tenant(const Socket *k) { (void)k; return space.tenant; }
bool socket_deflates(const Socket *k) { (void)k; return false; }
void socket_set_user(Socket *k, void *user) { k->client = user; }
void socket_close(Socket *k, uint16_t code, const char *why) { (void)k, (void)code, (void)why; }

bool socket_offer(Socket *k, Frame *f)
{
    (void)f;
    k->offered++;
    return true;
}

/* ---- the hub ---- */

#define TASK(name) void name(Live *l, Task *t) { (void)l; (void)t; abort(); }
TASK(task_subscribe) TASK(task_unsubscribe) TASK(task_request) TASK(task_ping)
TASK(task_submit) TASK(task_view)

Space *space_open(Live *l, const char *tenant) { (void)l, (void)tenant; return &space; }
Space *space_get(Live *l, const char *tenant) { return space_open(l, tenant); }
Space *space_for(Live *l, Task *t) { return space_open(l, t->tenant); }
Space *space_first(Live *l) { (void)l; return &space; }
void listeners_set(Live *l, Client *c, uint32_t mask, Form form)
{
    (void)l, (void)c, (void)mask, (void)form;
}

bool jobs_count_request(Jobs *j, const char *tenant, const char *origin)
{
    (void)j, (void)tenant, (void)origin;
    return true;
}

bool jobs_may_store(Jobs *j, const char *tenant, uint64_t bytes)
{
    (void)j, (void)tenant, (void)bytes;
    return true;
}

size_t engine_backlog(Engine *e) { (void)e; return 0; }
int64_t live_now(void) { return 0; }

void log_event(const Log *log, LogLevel level, const char *action, const char *message, ...)
{
    (void)log, (void)level, (void)action, (void)message;
}

void asker_drop(Asker *a)
{
    client_release(a->client);
    *a = (Asker){.call = NULL};
}

void asker_fail(Live *l, Asker *a, weft_error_kind kind, const char *fmt, ...)
{
    (void)l, (void)kind, (void)fmt;
    asker_drop(a);
}

void asker_answer(Live *l, Asker *a, const char *type, const Text *members)
{
    (void)l, (void)type, (void)members;
    asker_drop(a);
}

Task *task_new(void (*run)(Live *, Task *), const char *tenant, size_t bytes)
{
    Task *t = calloc(1, sizeof *t);
    if (t) {
        t->run = run;
        t->bytes = bytes;
        strcpy(t->tenant, tenant);
    }
    return t;
}

void task_free(Live *l, Task *t)
{
    (void)l;
    asker_drop(&t->asker);
    batch_release(t->batch);
    free(t->text);
    free(t);
}

/* An event has rows that clients and the process can take. */
void spread(Live *l, Space *s, const Spread *what)
{
    const Batch *b = what->batch;
    uint64_t     row;
    (void)s;
    if (!b->count || !b->dimension
        || vectors_fault(b->data, (uint64_t)b->count * b->dimension, b->dimension, true, &row))
        abort();
    Frames f = frames_of_batch(b, 1u << FORM_TEXT | 1u << FORM_DEFLATED | 1u << FORM_BINARY
                               | 1u << FORM_HEADED);
    frames_release(&f);
    batch_release(taken);
    taken = batch_retain(what->batch);
    batch_release(what->batch);
    receipt_end(l, what->receipt, WEFT_ERROR_NONE, "");
}

bool hub_push(Live *l, Task *t, bool urgent)
{
    (void)urgent;
    if (!t)
        return false;
    if (t->run == task_ingest)
        task_ingest(l, t);
    else if (t->mask >> CHANNEL_COUNT && t->mask != UINT32_MAX)
        abort();
    task_free(l, t);
    return true;
}

/* ---- the end of it ---- */

/* What was taken comes through the bus of several servers as it was. */
static void pack_again(void)
{
    Pack p = {0};
    batch_pack(&p, taken);
    Unpack u = {.data = p.data, .size = p.size};
    Batch *b = batch_unpack(&u);
    if (!b || b->count != taken->count
        || memcmp(b->data, taken->data, (size_t)b->count * b->dimension * sizeof *b->data) != 0)
        abort();
    batch_release(b);
    pack_fini(&p);
    batch_release(taken);
    taken = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Config config = {.vectors_max = 1u << 20, .vectors_tenants = 4};
    static Live   live = {.desc = {.config = &config}, .no_zeros = true};
    if (!size)
        return 0;
    Socket socket = {.scopes = data[0] & 4 ? 0 : UINT32_MAX};
    if (data[0] & 2)
        client_open_headed(&live, &socket);
    else
        client_open(&live, &socket);
    socket.client->sends = data[0] >> 3;
    client_message(&live, &socket, !(data[0] & 1), data + 1, size - 1);
    if (taken)
        pack_again();
    client_close(&live, &socket);
    Unpack u = {.data = data, .size = size};
    batch_release(batch_unpack(&u));
    return 0;
}
