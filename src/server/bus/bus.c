// SPDX-License-Identifier: Apache-2.0
/*
 * bus.c - the bus within one process, and what both kinds share.
 *
 * in     messages
 * out    calls of listeners
 * not    Redis (redis.c)
 */
#include "server/bus/bus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "server/bus/bus_priv.h"

Bus *bus_open(const BusDesc *desc, char *why, size_t size)
{
    Bus *b = calloc(1, sizeof *b);
    if (!b) {
        snprintf(why, size, "out of memory");
        return NULL;
    }
    b->log = desc->log;
    snprintf(b->prefix, sizeof b->prefix, "%s", desc->prefix ? desc->prefix : "weft:");
    pthread_mutex_init(&b->lock, NULL);
    pthread_mutex_init(&b->sending, NULL);
    b->redis = desc->url != NULL;
    if (b->redis && !bus_redis_open(b, desc->url, why, size)) {
        bus_close(b);
        return NULL;
    }
    return b;
}

void bus_close(Bus *b)
{
    if (!b)
        return;
    if (b->redis)
        bus_redis_close(b);
    for (Channel *c = b->channels, *next; c; c = next) {
        next = c->next;
        for (uint32_t i = 0; i < BUS_KEPT; i++)
            free(c->kept[i].data);
        free(c);
    }
    pthread_mutex_destroy(&b->lock);
    pthread_mutex_destroy(&b->sending);
    free(b);
}

bool bus_subscribe(Bus *b, const char *channel, void (*on_message)(void *, const BusMessage *),
                   void *user)
{
    pthread_mutex_lock(&b->lock);
    bool ok = b->listener_count < BUS_LISTENERS && strlen(channel) <= BUS_MAX_CHANNEL;
    if (ok) {
        Listener *l = &b->listeners[b->listener_count];
        *l = (Listener){.on_message = on_message, .user = user};
        strcpy(l->channel, channel);
        b->listener_count++;
    }
    pthread_mutex_unlock(&b->lock);
    return ok;
}

void bus_deliver(Bus *b, const BusMessage *m)
{
    for (uint32_t i = 0;; i++) {
        pthread_mutex_lock(&b->lock);
        bool     more = i < b->listener_count;
        Listener l = more ? b->listeners[i] : (Listener){0};
        pthread_mutex_unlock(&b->lock);
        if (!more)
            return;
        if (strcmp(l.channel, m->channel) == 0)
            l.on_message(l.user, m);
    }
}

/* ---- within the process ---- */

static Channel *channel_get(Bus *b, const char *name)
{
    Channel **at = &b->channels;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (!*at && strlen(name) <= BUS_MAX_CHANNEL && (*at = calloc(1, sizeof **at)))
        strcpy((*at)->name, name);
    return *at;
}

uint64_t bus_known(Bus *b, const char *channel, uint64_t number)
{
    pthread_mutex_lock(&b->lock);
    Channel *c = channel_get(b, channel);
    if (c)
        number = c->numbers = MAX_OF(c->numbers, number);
    pthread_mutex_unlock(&b->lock);
    return number;
}

static bool keep(Bus *b, const char *name, const void *data, size_t size, uint64_t *number)
{
    uint8_t *copy = malloc(MAX_OF(size, 1));
    pthread_mutex_lock(&b->lock);
    Channel *c = copy ? channel_get(b, name) : NULL;
    if (c) {
        memcpy(copy, data, size);
        *number = ++c->numbers;
        Kept *k = &c->kept[*number % BUS_KEPT];
        free(k->data);
        *k = (Kept){*number, copy, size};
    }
    pthread_mutex_unlock(&b->lock);
    if (!c)
        free(copy);
    return c != NULL;
}

bool bus_publish(Bus *b, const char *channel, const void *data, size_t size)
{
    if (b->redis)
        return bus_redis_publish(b, channel, data, size, false, NULL);
    bus_deliver(b, &(BusMessage){channel, 0, data, size});
    return true;
}

bool bus_publish_kept(Bus *b, const char *channel, const void *data, size_t size,
                      uint64_t *number)
{
    uint64_t own = 0;
    if (b->redis)
        return bus_redis_publish(b, channel, data, size, true, number);
    if (!keep(b, channel, data, size, &own))
        return false;
    if (number)
        *number = own;
    bus_deliver(b, &(BusMessage){channel, own, data, size});
    return true;
}

bool bus_replay(Bus *b, Arena *arena, const char *channel, uint64_t number, BusMessage *out,
                uint32_t room, uint32_t *count, uint64_t *newest)
{
    if (b->redis)
        return bus_redis_replay(b, arena, channel, number, out, room, count, newest);
    uint32_t n = 0;
    pthread_mutex_lock(&b->lock);
    Channel *c = channel_get(b, channel);
    uint64_t last = c ? c->numbers : 0;
    uint64_t first = MAX_OF(MIN_OF(number, last) + 1, last >= BUS_KEPT ? last - BUS_KEPT + 1 : 1);
    for (uint64_t i = first; c && i <= last && n < room; i++) {
        const Kept *k = &c->kept[i % BUS_KEPT];
        out[n++] = (BusMessage){channel, i, arena_copy(arena, k->data, MAX_OF(k->size, 1)),
                                k->size};
    }
    pthread_mutex_unlock(&b->lock);
    *count = n;
    *newest = last;
    return true;
}

bool bus_is_up(Bus *b)
{
    pthread_mutex_lock(&b->lock);
    bool up = !b->redis || atomic_load(&b->subscribed) >= b->listener_count;
    pthread_mutex_unlock(&b->lock);
    return up;
}
