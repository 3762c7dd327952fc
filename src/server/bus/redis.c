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
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/bus/bus_priv.h"

#define SILENCE_NS (4 * (uint64_t)NS_PER_S)     /* then the connection is taken for broken */

/* One message, numbered, kept and announced: "NUMBER DATA". A message that comes again, because
 * its sender got no reply, has its number already. Numbers stay above those that the sender
 * knows, even if Redis has lost them. */
static const char keep_script[] =
    "local key, sent = KEYS[1], KEYS[1]..':sent:'..ARGV[3] "
    "local last, of = string.match(redis.call('GET', sent) or '', '^(%d+) (%d+)$') "
    "if last == ARGV[4] then return tonumber(of) end "
    "local n = redis.call('INCR', key..':number') "
    "if n <= tonumber(ARGV[5]) then "
    "n = tonumber(ARGV[5]) + 1 redis.call('SET', key..':number', n) end "
    "redis.call('SET', sent, ARGV[4]..' '..n, 'EX', 3600) "
    "redis.call('RPUSH', key..':list', n..' '..ARGV[1]) "
    "redis.call('LTRIM', key..':list', -tonumber(ARGV[2]), -1) "
    "redis.call('PUBLISH', key, n..' '..ARGV[1]) "
    "return n";

/* The last number, at least the one that is known, and messages after another one. Those that
 * are kept have numbers without gaps, or else smaller ones come along. */
static const char replay_script[] =
    "local key, known = KEYS[1], tonumber(ARGV[1]) "
    "local n = tonumber(redis.call('GET', key..':number') or '0') "
    "if n < known then n = known redis.call('SET', key..':number', n) end "
    "local after, room = tonumber(ARGV[2]), tonumber(ARGV[3]) "
    "if after >= n or room == 0 then return {n} end "
    "local size = redis.call('LLEN', key..':list') "
    "local from = math.max(size - (n - after), 0) "
    "local out = redis.call('LRANGE', key..':list', from, from + room - 1) "
    "table.insert(out, 1, n) "
    "return out";

static void channel_key(const Bus *b, const char *channel, bool kept, char *out, size_t size)
{
    snprintf(out, size, "%s%s:%s", b->prefix, kept ? "kept" : "bus", channel);
}

/* Sends a command and reads its reply; NULL if Redis cannot be reached. A connection that a
 * restart broke shows it only at its next use: the command is sent once more, then. With
 * `sending`. */
static redisReply *call_twice(Bus *b, const RedisCommand *c)
{
    redisReply *reply = NULL;
    for (int tries = 0; !reply && tries < 2; tries++) {
        bool fresh = !b->out.context;
        b->out.retry_ns = 0;            /* bus_is_up() tells when not to try */
        if (!redis_link_open(&b->out) || (reply = redis_call(&b->out, c)) || fresh)
            break;
    }
    return reply;
}

/* What keep_script needs beside the message. */
static void put_sender(Bus *b, RedisCommand *c, const char *channel)
{
    redis_number(c, BUS_KEPT);
    redis_number(c, (int64_t)(b->id >> 1));
    redis_number(c, (int64_t)++b->sent);
    redis_number(c, (int64_t)bus_known(b, channel, 0));
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
    pthread_mutex_lock(&b->sending);
    if (kept)
        put_sender(b, c, channel);
    redisReply *reply = call_twice(b, c);
    pthread_mutex_unlock(&b->sending);
    bool ok = reply && reply->type == REDIS_REPLY_INTEGER;
    if (ok && kept)
        bus_known(b, channel, (uint64_t)reply->integer);
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

bool bus_redis_replay(Bus *b, Arena *arena, const char *channel, uint64_t number,
                      BusMessage *out, uint32_t room, uint32_t *count, uint64_t *newest)
{
    RedisCommand c = {0};
    char         key[160];
    channel_key(b, channel, true, key, sizeof key);
    redis_text(&c, "EVAL");
    redis_text(&c, replay_script);
    redis_number(&c, 1);
    redis_text(&c, key);
    redis_number(&c, (int64_t)bus_known(b, channel, 0));
    redis_number(&c, (int64_t)MIN_OF(number, (uint64_t)INT64_MAX));
    redis_number(&c, room);
    pthread_mutex_lock(&b->sending);
    redisReply *all = call_twice(b, &c);
    pthread_mutex_unlock(&b->sending);
    bool ok = all && all->type == REDIS_REPLY_ARRAY && all->elements
           && all->element[0]->type == REDIS_REPLY_INTEGER;
    *count = 0;
    *newest = ok ? (uint64_t)all->element[0]->integer : 0;
    for (size_t i = 1; ok && i < all->elements && *count < room; i++) {
        const redisReply *e = all->element[i];
        const char       *data;
        uint64_t          own;
        if (e->type != REDIS_REPLY_STRING || !split(e->str, (size_t)e->len, &own, &data))
            continue;
        size_t size = (size_t)(e->str + e->len - data);
        if (own > number)
            out[(*count)++] = (BusMessage){channel, own, arena_copy(arena, data, size + 1), size};
    }
    if (ok)
        bus_known(b, channel, *newest);
    if (all)
        freeReplyObject(all);
    return ok;
}

/* ---- listening ---- */

static bool write_all(Bus *b)
{
    for (int sent = 0; !sent;)
        if (redisBufferWrite(b->in.context, &sent) != REDIS_OK)
            return false;
    return true;
}

/* Subscribes to channels of new listeners; the first *seen listeners are subscribed already. */
static bool subscribe_all(Bus *b, uint32_t *seen)
{
    pthread_mutex_lock(&b->lock);
    uint32_t total = b->listener_count;
    pthread_mutex_unlock(&b->lock);
    for (uint32_t i = *seen; i < total; i++) {
        RedisCommand c = {0};
        char         plain[160], kept[160];
        channel_key(b, b->listeners[i].channel, false, plain, sizeof plain);
        channel_key(b, b->listeners[i].channel, true, kept, sizeof kept);
        redis_text(&c, "SUBSCRIBE");
        redis_text(&c, plain);
        redis_text(&c, kept);
        if (!redis_append(&b->in, &c) || !write_all(b))
            return false;
    }
    *seen = total;
    return true;
}

/* A connection on which nothing comes may be broken without a sign, so Redis is asked for one.
 * False: there was none. */
static bool is_alive(Bus *b)
{
    RedisCommand c = {0};
    uint64_t     now = clock_ns();
    if (b->asked_ns)
        return now - b->asked_ns < SILENCE_NS;
    if (now - b->heard_ns < NS_PER_S)
        return true;
    b->asked_ns = now;
    redis_text(&c, "PING");
    return redis_append(&b->in, &c) && write_all(b);
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
    if (channel) {
        bus_deliver(b, &(BusMessage){channel, 0, data->str, (size_t)data->len});
    } else if ((channel = key_channel(b, key, true))
             && split(data->str, (size_t)data->len, &number, &rest)) {
        bus_known(b, channel, number);
        bus_deliver(b, &(BusMessage){channel, number, rest,
                                     (size_t)(data->str + data->len - rest)});
    }
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
    b->heard_ns = clock_ns();
    b->asked_ns = 0;
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
    b->heard_ns = clock_ns();
    b->asked_ns = 0;
    if (subscribe_all(b, seen))
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
        while (ok && !atomic_load(&b->stopping))
            ok = listen_once(b) && subscribe_all(b, &seen) && is_alive(b);
        atomic_store(&b->subscribed, 0);
        redis_link_drop(&b->in, "the connection broke");
    }
    return NULL;
}

bool bus_redis_open(Bus *b, const char *url, char *why, size_t size)
{
    if (!redis_link_init(&b->out, url, why, size) || !redis_link_init(&b->in, url, why, size))
        return false;
    if (getrandom(&b->id, sizeof b->id, 0) != (ssize_t)sizeof b->id)
        b->id = clock_ns() * 0x9e3779b97f4a7c15u;
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
