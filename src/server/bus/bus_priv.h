// SPDX-License-Identifier: Apache-2.0
/*
 * bus_priv.h - what the files of bus/ share.
 */
#ifndef WEFT_SERVER_BUS_PRIV_H
#define WEFT_SERVER_BUS_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "server/bus/bus.h"
#include "server/store/redis_link.h"

#define BUS_LISTENERS 32u

typedef struct Listener {
    char   channel[BUS_MAX_CHANNEL + 1];
    void (*on_message)(void *, const BusMessage *);
    void  *user;
} Listener;

/* A kept message of this process. */
typedef struct Kept {
    uint64_t number;
    uint8_t *data;                      /* malloc'ed                                      */
    size_t   size;
} Kept;

typedef struct Channel Channel;
struct Channel {
    Channel *next;
    char     name[BUS_MAX_CHANNEL + 1];
    uint64_t numbers;                   /* the last one that is known here                */
    Kept     kept[BUS_KEPT];            /* by number modulo BUS_KEPT                      */
};

struct Bus {
    bool            redis;
    char            prefix[64];
    const Log      *log;
    pthread_mutex_t lock;               /* of listeners and channels                      */
    Listener        listeners[BUS_LISTENERS];
    uint32_t        listener_count;
    Channel        *channels;
    pthread_mutex_t sending;            /* of `out`                                       */
    RedisLink       out, in;
    uint64_t        id, sent;           /* of messages of `out`: a random number, a count */
    uint64_t        heard_ns, asked_ns; /* of `in`: its last sign of life; of the question
                                           for one, 0: none is open                       */
    pthread_t       thread;
    bool            thread_runs;
    atomic_bool     stopping;
    atomic_uint     subscribed;         /* listeners whose channel Redis has confirmed    */
};

/* Hands a message to the listeners of its channel. Without the lock. */
void bus_deliver(Bus *b, const BusMessage *m);
/* The last number of a kept channel that is known here, at least `number` from now on. */
uint64_t bus_known(Bus *b, const char *channel, uint64_t number);

bool     bus_redis_open(Bus *b, const char *url, char *why, size_t size);
void     bus_redis_close(Bus *b);
bool     bus_redis_publish(Bus *b, const char *channel, const void *data, size_t size,
                           bool kept, uint64_t *number);
bool     bus_redis_replay(Bus *b, Arena *arena, const char *channel, uint64_t number,
                          BusMessage *out, uint32_t room, uint32_t *count,
                          uint64_t *newest);

#endif
