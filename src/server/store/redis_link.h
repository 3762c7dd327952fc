// SPDX-License-Identifier: Apache-2.0
/*
 * redis_link.h - one connection to Redis that comes back by itself.
 *
 * in     an address, commands
 * out    replies; or none, and another try later
 * knows  hiredis, RESP2
 * not    what is stored (redis.c), what is announced (bus/)
 *
 * Threads    one at a time; each user has a link of its own.
 */
#ifndef WEFT_SERVER_REDIS_LINK_H
#define WEFT_SERVER_REDIS_LINK_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REDIS_ARGS 400u                 /* 64 named buffers have 320                     */

typedef struct RedisLink {
    char          host[256], user[128], password[256];
    int           port, database;
    uint64_t      timeout_ns;           /* of connecting and of every reply               */
    redisContext *context;              /* NULL: not connected                            */
    uint64_t      retry_ns;             /* no try before                                  */
    /* Called on every new connection; false closes it again. NULL: nothing to do. */
    bool        (*on_connect)(void *user, struct RedisLink *link);
    void         *owner;
    char          error[256];           /* why it is not connected                        */
} RedisLink;

/* redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]. False: `why`. */
bool redis_link_init(RedisLink *l, const char *url, char *why, size_t size);
/* Connects if it is not. False: `error` says why; it is tried again after a pause. */
bool redis_link_open(RedisLink *l);
void redis_link_drop(RedisLink *l, const char *why);
void redis_link_fini(RedisLink *l);

/* A command in parts, each with its length. */
typedef struct RedisCommand {
    int         count;
    const char *args[REDIS_ARGS];
    size_t      sizes[REDIS_ARGS];
    char        numbers[REDIS_ARGS][24];
} RedisCommand;

void redis_text(RedisCommand *c, const char *text);
void redis_bytes(RedisCommand *c, const void *data, size_t size);
void redis_number(RedisCommand *c, int64_t value);

/* Adds a command to those that are sent with the next reply's reading. */
bool        redis_append(RedisLink *l, const RedisCommand *c);
/* The next reply, which the caller frees; NULL: the connection broke and was dropped. */
redisReply *redis_reply(RedisLink *l);
/* One command and its reply; NULL as for redis_reply(), or if the link is not connected. */
redisReply *redis_call(RedisLink *l, const RedisCommand *c);

#endif
