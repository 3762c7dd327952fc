// SPDX-License-Identifier: Apache-2.0
/*
 * send.c - from the hub to clients: frames in their order, the latest for those that are slow.
 *
 * in     frames of the hub
 * out    queues of sockets
 * knows  both threads: a delivery is made on the hub's and runs on the sockets'
 * not    what frames contain
 *
 * A client whose queue is full gets no more until it has drained; then it is told how many
 * messages of each channel it missed, and gets the latest of each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/live/live_priv.h"

#define MAX_OUTBOX 256u

/* Work for the sockets' thread. */
typedef struct Delivery Delivery;
struct Delivery {
    Delivery *next;
    Space   *space;
    Client  *only;                      /* a reference; NULL: all that listen             */
    Channel  channel;
    Frames   frames;
    bool     sets_mask, waits;
    uint32_t mask;
    Form     form;
};

/* ---- one client ---- */

static void hold(Client *c, Channel channel, Frame *f)
{
    c->behind = true;
    if (c->pending[channel]) {
        c->missed[channel]++;
        frame_release(c->pending[channel]);
    }
    c->pending[channel] = frame_retain(f);
}

static void offer(Client *c, Channel channel, Frame *f)
{
    if (c->behind || !socket_offer(c->socket, f))
        hold(c, channel, f);
}

/* The announcement that pending vectors need. False if the queue has no room for it. */
static bool announce_pending(Client *c)
{
    if (!c->announce)
        return true;
    if (!socket_offer(c->socket, c->announce))
        return false;
    c->announced = c->announce_dimension;
    frame_release(c->announce);
    c->announce = NULL;
    return true;
}

/* Vectors without a head: their dimension comes before them, also if they have to wait. */
static void deliver_binary(Client *c, const Frames *f)
{
    frame_release(c->announce);         /* of vectors that these replace */
    c->announce = NULL;
    if (f->announce && c->announced != f->dimension) {
        c->announce = frame_retain(f->announce);
        c->announce_dimension = f->dimension;
        if (!c->behind && !announce_pending(c))
            c->behind = true;
    }
    offer(c, CHANNEL_VECTORS, f->form[FORM_BINARY]);
}

static void deliver(Client *c, Channel channel, const Frames *f, Form form)
{
    Frame *frame = f->form[form] ? f->form[form] : f->form[FORM_TEXT];
    if (!frame || !c->socket)
        return;
    if (frame == f->form[FORM_BINARY])
        deliver_binary(c, f);
    else
        offer(c, channel, frame);
}

/* How many of each channel were lost, before the latest come. */
static bool tell_missed(Client *c)
{
    char   text[512];
    size_t at = (size_t)snprintf(text, sizeof text, "{\"type\":\"missed\",\"channels\":{");
    bool   any = false;
    for (uint32_t i = 0; i < CHANNEL_COUNT; i++)
        if (c->missed[i]) {
            at += (size_t)snprintf(text + at, sizeof text - at, "%s\"%s\":%llu", any ? "," : "",
                                   channel_name((Channel)i), (unsigned long long)c->missed[i]);
            any = true;
        }
    at += (size_t)snprintf(text + at, sizeof text - at, "},\"seq\":%llu}",
                           (unsigned long long)atomic_load(&c->space->seq));
    Frame *f = any ? frame_text(text, at) : NULL;
    bool   ok = !any || (f && socket_offer(c->socket, f));
    frame_release(f);
    return ok;
}

static void ask_for_more(Live *l, Client *c)
{
    Task *t = task_new(task_more, c->space->tenant, 0);
    c->waits = false;
    if (t)
        t->asker.client = client_retain(c);
    hub_push(l, t, true);
}

void client_drain(void *live, Socket *socket)
{
    Client *c = socket_user(socket);
    if (c && c->waits)
        ask_for_more(live, c);
    if (!c || !c->behind)
        return;
    c->behind = false;
    if (!announce_pending(c) || !tell_missed(c)) {
        c->behind = true;
        return;
    }
    memset(c->missed, 0, sizeof c->missed);
    for (uint32_t i = 0; i < CHANNEL_COUNT; i++) {
        Frame *f = c->pending[i];
        c->pending[i] = NULL;
        if (f)
            offer(c, (Channel)i, f);
        frame_release(f);
    }
}

/* ---- on the sockets' thread ---- */

static void deliver_one(const Delivery *d)
{
    Client *only = d->only;
    if (only && d->sets_mask) {
        only->mask = d->mask;
        only->form = d->form;
    } else if (only && d->waits) {
        only->waits = only->socket != NULL;
        if (only->waits)
            socket_want_drain(only->socket);
    } else if (only) {
        deliver(only, d->channel, &d->frames,
                d->channel == CHANNEL_VECTORS ? only->form : only->text_form);
    } else {
        for (Client *c = d->space->clients; c; c = c->next)
            if (c->mask & 1u << d->channel)
                deliver(c, d->channel, &d->frames,
                        d->channel == CHANNEL_VECTORS ? c->form : c->text_form);
    }
}

static void delivery_free(Delivery *d)
{
    frames_release(&d->frames);
    client_release(d->only);
    free(d);
}

static void run_deliveries(void *user)
{
    for (Delivery *d = user, *next; d; d = next) {
        next = d->next;
        deliver_one(d);
        delivery_free(d);
    }
}

/* What the hub has for clients goes to the sockets' thread together, once the hub has nothing
 * else to do: then it leaves in one write, too. */
void send_flush(Live *l)
{
    Delivery *first = l->outbox;
    l->outbox = NULL;
    l->last_outbox = &l->outbox;
    l->outbox_count = 0;
    if (!first || (l->parts.sockets && sockets_post(l->parts.sockets, run_deliveries, first)))
        return;
    for (Delivery *next; first; first = next) {
        next = first->next;
        delivery_free(first);
    }
}

static void post(Live *l, const Delivery *what)
{
    Delivery *d = malloc(sizeof *d);
    if (!d) {
        Frames frames = what->frames;
        frames_release(&frames);
        client_release(what->only);
        return;
    }
    *d = *what;
    *l->last_outbox = d;
    l->last_outbox = &d->next;
    if (++l->outbox_count >= MAX_OUTBOX)
        send_flush(l);
}

/* ---- for the hub ---- */

void send_frames(Live *l, Space *s, Channel channel, Frames frames, Client *only)
{
    post(l, &(Delivery){.space = s, .only = only ? client_retain(only) : NULL,
                        .channel = channel, .frames = frames});
}

uint32_t forms_needed(const Space *s, Channel channel, const Client *only)
{
    uint32_t needed = 0;
    if (only)
        return 1u << (channel == CHANNEL_VECTORS ? only->hub_form : only->text_form);
    if (!s->listeners[channel])
        return 0;
    if (channel != CHANNEL_VECTORS)
        return (s->texts[FORM_TEXT] ? 1u << FORM_TEXT : 0)
             | (s->texts[FORM_DEFLATED] ? 1u << FORM_DEFLATED : 0);
    for (uint32_t i = 0; i < FORM_COUNT; i++)
        needed |= s->forms[i] ? 1u << i : 0;
    return needed;
}

void send_text(Live *l, Space *s, Channel channel, const char *text, size_t size, Client *only)
{
    /* In the channel of vectors a text goes to clients of every form. */
    uint32_t needed = forms_needed(s, channel, only);
    if (needed)
        send_frames(l, s, channel, frames_of_text(text, size, needed | 1u << FORM_TEXT), only);
}

void send_mask(Live *l, Client *c, uint32_t mask, Form form)
{
    post(l, &(Delivery){.only = client_retain(c), .sets_mask = true, .mask = mask,
                        .form = form});
}

void send_wait(Live *l, Client *c)
{
    post(l, &(Delivery){.only = client_retain(c), .waits = true});
}

static void count_form(Space *s, const Client *c, int step)
{
    if (c->hub_mask & 1u << CHANNEL_VECTORS)
        s->forms[c->hub_form] += (uint32_t)step;
    if (c->hub_mask)
        s->texts[c->text_form] += (uint32_t)step;
}

void listeners_set(Live *l, Client *c, uint32_t mask, Form form)
{
    Space *s = c->space;
    count_form(s, c, -1);
    for (uint32_t i = 0; i < CHANNEL_COUNT; i++) {
        uint32_t bit = 1u << i;
        int      step = (mask & bit ? 1 : 0) - (c->hub_mask & bit ? 1 : 0);
        s->listeners[i] += (uint32_t)step;
        if (i == CHANNEL_JOBS)
            atomic_fetch_add(&l->job_listeners, (uint32_t)step);
        if (i == CHANNEL_STATE)
            atomic_fetch_add(&l->state_listeners, (uint32_t)step);
    }
    c->hub_mask = mask;
    c->hub_form = form;
    count_form(s, c, 1);
}
