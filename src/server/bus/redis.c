// SPDX-License-Identifier: Apache-2.0
/*
 * redis.c - the bus through Redis: PUBLISH and SUBSCRIBE, and lists of kept messages.
 *
 * in     messages
 * out    messages of all servers
 * knows  a connection that subscribes can do nothing else
 * not    who listens
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/bus/bus_priv.h"

/* One message, numbered, kept and announced: "NUMBER DATA". */
static const char keep_script[] =
    "local n = redis.call('INCR', KEYS[1]..':number') "
    "redis.call('RPUSH', KEYS[1]..':list', n..' '..ARGV[1]) "
    "redis.call('LTRIM', KEYS[1]..':list', -tonumber(ARGV[2]), -1) "
    "redis.call('PUBLISH', KEYS[1], n..' '..ARGV[1]) "
    "return n";

static void channel_key(const Bus *b, const char *channel, bool kept, char *out, size_t size)
{
    snprintf(out, size, "%s%s:%s", b->prefix, kept ? "kept" : "bus", channel);
}

/* Sends a command and reads its reply; NULL if Redis cannot be reached. A connection that a
 * restart broke shows it only at its next use: the command is sent once more, then. */
static redisReply *call_twice(Bus *b, const RedisCommand *c)
{
    redisReply *reply = NULL;
    pthread_mutex_lock(&b->sending);
    for (int tries = 0; !reply && tries < 2; tries++) {
        b->out.retry_ns = 0;
        if (!redis_link_open(&b->out))
            break;
        reply = redis_call(&b->out, c);
    }
    pthread_mutex_unlock(&b->sending);
    return reply;
}

bool bus_redis_publish(Bus *b, const char *channel, const void *data, size_t size, bool kept,
                       uint64_t *number)
{
    RedisCommand *c = calloc(1, sizeof *c);
    char          key[160];
    if (!c)
        return false;
    channel_key(b, channel, kept, key, sizeof key);
    redis_text(c, kept ? "EVAL" : "PUBLISH");
    if (kept) {
        redis_text(c, keep_script);
        redis_number(c, 1);
    }
    redis_text(c, key);
    redis_bytes(c, data, size);
    if (kept)
        redis_number(c, BUS_KEPT);
    redisReply *reply = call_twice(b, c);
    bool ok = reply && reply->type == REDIS_REPLY_INTEGER;
    if (ok && number)
        *number = (uint64_t)reply->integer;
    if (reply)
        freeReplyObject(reply);
    free(c);
    return ok;
}

/* "NUMBER DATA" to its parts. */
static bool split(const char *text, size_t size, uint64_t *number, const char **data)
{
    char *end;
    *number = strtoull(text, &end, 10);
    *data = end + 1;
    return *number && *end == ' ' && (size_t)(end + 1 - text) <= size;
}

uint32_t bus_redis_replay(Bus *b, Arena *arena, const char *channel, uint64_t number,
                          BusMessage *out, uint32_t room, uint64_t *newest)
{
    RedisCommand c = {0};
    char         key[160];
    uint32_t     n = 0;
    uint64_t     last = 0;
    channel_key(b, channel, true, key, sizeof key);
    strcat(key, ":list");
    redis_text(&c, "LRANGE");
    redis_text(&c, key);
    redis_number(&c, 0);
    redis_number(&c, -1);
    redisReply *all = call_twice(b, &c);
    for (size_t i = 0; all && all->type == REDIS_REPLY_ARRAY && i < all->elements; i++) {
        const redisReply *e = all->element[i];
        const char       *data;
        uint64_t          own;
        if (!split(e->str, (size_t)e->len, &own, &data))
            continue;
        last = own;
        size_t size = (size_t)(e->str + e->len - data);
        if (own > number && n < room)
            out[n++] = (BusMessage){channel, own, arena_copy(arena, data, size + 1), size};
    }
    if (all)
        freeReplyObject(all);
    if (newest)
        *newest = last;
    return n;
}

/* ---- listening ---- */

static bool subscribe_all(Bus *b, uint32_t from, uint32_t *count)
{
    pthread_mutex_lock(&b->lock);
    uint32_t total = b->listener_count;
    pthread_mutex_unlock(&b->lock);
    for (uint32_t i = from; i < total; i++) {
        RedisCommand c = {0};
        char         plain[160], kept[160];
        channel_key(b, b->listeners[i].channel, false, plain, sizeof plain);
        channel_key(b, b->listeners[i].channel, true, kept, sizeof kept);
        redis_text(&c, "SUBSCRIBE");
        redis_text(&c, plain);
        redis_text(&c, kept);
        int sent = 0;
        if (!redis_append(&b->in, &c))
            return false;
        while (!sent)
            if (redisBufferWrite(b->in.context, &sent) != REDIS_OK)
                return false;
    }
    *count = total;
    return true;
}

/* The name of the channel behind a key, or NULL. */
static const char *key_channel(const Bus *b, const char *key, bool kept)
{
    char prefix[160];
    channel_key(b, "", kept, prefix, sizeof prefix);
    size_t size = strlen(prefix);
    return strncmp(key, prefix, size) == 0 ? key + size : NULL;
}

/* A subscription is in force. Its listeners learn that messages may have been lost: what was
 * sent before now did not come. Plain channels are subscribed to first. */
static void take_subscribed(Bus *b, const char *key)
{
    const char *channel = key_channel(b, key, true);
    if (!channel)
        return;
    bus_deliver(b, &(BusMessage){.channel = channel});
    atomic_fetch_add(&b->subscribed, 1);
}

static void take_message(Bus *b, const char *key, const redisReply *data)
{
    const char *channel = key_channel(b, key, false), *rest;
    uint64_t    number;
    if (channel)
        bus_deliver(b, &(BusMessage){channel, 0, data->str, (size_t)data->len});
    else if ((channel = key_channel(b, key, true))
             && split(data->str, (size_t)data->len, &number, &rest))
        bus_deliver(b, &(BusMessage){channel, number, rest,
                                     (size_t)(data->str + data->len - rest)});
}

static void take(Bus *b, const redisReply *r)
{
    if (r->type != REDIS_REPLY_ARRAY || r->elements != 3
        || r->element[0]->type != REDIS_REPLY_STRING
        || r->element[1]->type != REDIS_REPLY_STRING)
        return;
    const char *kind = r->element[0]->str;
    if (strcmp(kind, "subscribe") == 0)
        take_subscribed(b, r->element[1]->str);
    else if (strcmp(kind, "message") == 0 && r->element[2]->type == REDIS_REPLY_STRING)
        take_message(b, r->element[1]->str, r->element[2]);
}

/* Waits for messages; false: the connection broke. */
static bool listen_once(Bus *b)
{
    struct pollfd p = {.fd = b->in.context->fd, .events = POLLIN};
    int           ready = poll(&p, 1, 200);
    if (ready <= 0)
        return ready == 0 || errno == EINTR;
    if (redisBufferRead(b->in.context) != REDIS_OK)
        return false;
    for (;;) {
        void *reply = NULL;
        if (redisGetReplyFromReader(b->in.context, &reply) != REDIS_OK)
            return false;
        if (!reply)
            return true;
        take(b, reply);
        freeReplyObject(reply);
    }
}

/* Connects and subscribes. A failed open has set the time of the next try: dropping the link
 * again would move that time on, before it ever comes. */
static bool listen_begin(Bus *b, uint32_t *seen)
{
    if (!redis_link_open(&b->in))
        return false;
    if (subscribe_all(b, 0, seen))
        return true;
    redis_link_drop(&b->in, "the channels cannot be subscribed to");
    return false;
}

static void *listen_main(void *user)
{
    Bus *b = user;
    while (!atomic_load(&b->stopping)) {
        uint32_t seen = 0;
        if (!listen_begin(b, &seen)) {
            nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
            continue;
        }
        bool ok = true;
        while (ok && !atomic_load(&b->stopping)) {
            ok = listen_once(b);
            if (ok && seen < b->listener_count)
                ok = subscribe_all(b, seen, &seen);
        }
        atomic_store(&b->subscribed, 0);
        redis_link_drop(&b->in, "the connection broke");
    }
    return NULL;
}

bool bus_redis_open(Bus *b, const char *url, char *why, size_t size)
{
    if (!redis_link_init(&b->out, url, why, size) || !redis_link_init(&b->in, url, why, size))
        return false;
    b->thread_runs = pthread_create(&b->thread, NULL, listen_main, b) == 0;
    if (!b->thread_runs)
        snprintf(why, size, "a thread cannot be started");
    return b->thread_runs;
}

void bus_redis_close(Bus *b)
{
    atomic_store(&b->stopping, true);
    if (b->thread_runs)
        pthread_join(b->thread, NULL);
    redis_link_fini(&b->in);
    redis_link_fini(&b->out);
}
