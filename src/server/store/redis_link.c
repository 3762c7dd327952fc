// SPDX-License-Identifier: Apache-2.0
/*
 * redis_link.c - one connection to Redis that comes back by itself.
 *
 * in     an address, commands
 * out    replies
 * knows  hiredis, RESP2
 * not    what is stored
 */
#include "server/store/redis_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/clock.h"

#define PAUSE_NS   (200u * 1000000u)    /* between tries to connect                       */
#define TIMEOUT_NS (3 * (uint64_t)NS_PER_S)     /* a machine may be busy                  */

/* ---- addresses ---- */

static bool copy_part(char *to, size_t room, const char *from, size_t size)
{
    if (size >= room)
        return false;
    memcpy(to, from, size);
    to[size] = '\0';
    return true;
}

static bool read_host(RedisLink *l, const char *at)
{
    const char *end = at + strcspn(at, ":/");
    char       *rest;
    if (end == at || !copy_part(l->host, sizeof l->host, at, (size_t)(end - at)))
        return false;
    l->port = 6379;
    if (*end == ':') {
        long port = strtol(end + 1, &rest, 10);
        if (rest == end + 1 || port < 1 || port > 65535)
            return false;
        l->port = (int)port;
        end = rest;
    }
    if (*end == '/' && end[1]) {
        long database = strtol(end + 1, &rest, 10);
        if (rest == end + 1 || database < 0 || database > 1000000)
            return false;
        l->database = (int)database;
        end = rest;
    } else if (*end == '/') {
        end++;
    }
    return *end == '\0';
}

bool redis_link_init(RedisLink *l, const char *url, char *why, size_t size)
{
    *l = (RedisLink){.timeout_ns = TIMEOUT_NS};
    if (strncmp(url, "redis://", 8) != 0) {
        snprintf(why, size, "store.url: '%.100s' is not redis://HOST:PORT", url);
        return false;
    }
    const char *at = url + 8, *sign = strrchr(at, '@');
    bool        ok = true;
    if (sign) {
        const char *colon = memchr(at, ':', (size_t)(sign - at));
        ok = colon && copy_part(l->user, sizeof l->user, at, (size_t)(colon - at))
          && copy_part(l->password, sizeof l->password, colon + 1, (size_t)(sign - colon - 1));
        at = sign + 1;
    }
    if (!ok || !read_host(l, at)) {
        snprintf(why, size, "store.url: not redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]");
        return false;
    }
    return true;
}

/* ---- commands ---- */

void redis_bytes(RedisCommand *c, const void *data, size_t size)
{
    c->args[c->count] = data ? data : "";
    c->sizes[c->count++] = data ? size : 0;
}

void redis_text(RedisCommand *c, const char *text)
{
    redis_bytes(c, text, strlen(text));
}

void redis_number(RedisCommand *c, int64_t value)
{
    char *text = c->numbers[c->count];
    int   n = snprintf(text, sizeof c->numbers[0], "%lld", (long long)value);
    redis_bytes(c, text, (size_t)n);
}

bool redis_append(RedisLink *l, const RedisCommand *c)
{
    return l->context && redisAppendCommandArgv(l->context, c->count,
                                                (const char **)(uintptr_t)c->args,
                                                c->sizes) == REDIS_OK;
}

redisReply *redis_reply(RedisLink *l)
{
    void *reply = NULL;
    if (l->context && redisGetReply(l->context, &reply) == REDIS_OK && reply)
        return reply;
    redis_link_drop(l, l->context && l->context->errstr[0] ? l->context->errstr
                                                           : "the connection broke");
    return NULL;
}

redisReply *redis_call(RedisLink *l, const RedisCommand *c)
{
    if (!l->context)                    /* `error` says why, and retry_ns when to try again */
        return NULL;
    if (!redis_append(l, c)) {
        redis_link_drop(l, "out of memory");
        return NULL;
    }
    return redis_reply(l);
}

/* ---- connections ---- */

void redis_link_drop(RedisLink *l, const char *why)
{
    if (why != l->error)
        snprintf(l->error, sizeof l->error, "%s", why);
    if (l->context)
        redisFree(l->context);
    l->context = NULL;
    l->retry_ns = clock_ns() + PAUSE_NS;
}

void redis_link_fini(RedisLink *l)
{
    if (l->context)
        redisFree(l->context);
    l->context = NULL;
}

/* Sends a command whose reply must not be an error. */
static bool demand(RedisLink *l, const RedisCommand *c)
{
    redisReply *r = redis_call(l, c);
    bool        ok = r && r->type != REDIS_REPLY_ERROR;
    if (r && !ok)
        redis_link_drop(l, r->str);
    if (r)
        freeReplyObject(r);
    return ok;
}

static bool log_in(RedisLink *l)
{
    RedisCommand auth = {0}, select = {0};
    redis_text(&auth, "AUTH");
    if (*l->user)
        redis_text(&auth, l->user);
    redis_text(&auth, l->password);
    redis_text(&select, "SELECT");
    redis_number(&select, l->database);
    return (!*l->password || demand(l, &auth)) && (!l->database || demand(l, &select));
}

bool redis_link_open(RedisLink *l)
{
    struct timeval wait = {.tv_sec = (time_t)(l->timeout_ns / NS_PER_S),
                           .tv_usec = (suseconds_t)(l->timeout_ns % NS_PER_S / 1000)};
    if (l->context)
        return true;
    if (clock_ns() < l->retry_ns)
        return false;
    l->context = redisConnectWithTimeout(l->host, l->port, wait);
    if (!l->context || l->context->err) {
        redis_link_drop(l, l->context ? l->context->errstr : "out of memory");
        return false;
    }
    redisSetTimeout(l->context, wait);
    redisEnableKeepAlive(l->context);
    if (!log_in(l) || (l->on_connect && !l->on_connect(l->owner, l))) {
        redis_link_drop(l, l->error);
        return false;
    }
    return true;
}
