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

/* Tells every listener that messages may have been lost. */
static void tell_gap(Bus *b)
{
    for (uint32_t i = 0; i < b->listener_count; i++) {
        Listener l = b->listeners[i];
        l.on_message(l.user, &(BusMessage){.channel = l.channel});
    }
}

static void take(Bus *b, const redisReply *r)
{
    char plain[160], kept[160];
    if (r->type != REDIS_REPLY_ARRAY || r->elements != 3
        || r->element[0]->type != REDIS_REPLY_STRING
        || strcmp(r->element[0]->str, "message") != 0)
        return;
    channel_key(b, "", false, plain, sizeof plain);
    channel_key(b, "", true, kept, sizeof kept);
    const char       *key = r->element[1]->str;
    const redisReply *data = r->element[2];
    if (strncmp(key, plain, strlen(plain)) == 0) {
        bus_deliver(b, &(BusMessage){key + strlen(plain), 0, data->str, (size_t)data->len});
        return;
    }
    const char *rest;
    uint64_t    number;
    if (strncmp(key, kept, strlen(kept)) == 0
        && split(data->str, (size_t)data->len, &number, &rest))
        bus_deliver(b, &(BusMessage){key + strlen(kept), number, rest,
                                     (size_t)(data->str + data->len - rest)});
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
        atomic_store(&b->up, true);
        tell_gap(b);
        bool ok = true;
        while (ok && !atomic_load(&b->stopping)) {
            ok = listen_once(b);
            if (ok && seen < b->listener_count)
                ok = subscribe_all(b, seen, &seen);
        }
        atomic_store(&b->up, false);
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
