// SPDX-License-Identifier: Apache-2.0
/*
 * bus.h - messages between the servers of a deployment.
 *
 * in     messages on named channels
 * out    the same messages to every subscriber on every server, this one included
 * knows  Redis, or nothing but this process
 * not    what messages mean
 *
 * Two kinds of channel. A plain one delivers to who listens now. A kept one numbers its
 * messages across all servers, without gaps, and remembers the last BUS_KEPT of them: a
 * client that was away, or comes to another server, asks for those after a number.
 *
 * Ownership  bus_open() to bus_close(); subscriptions last as long as the bus.
 * Threads    everything from any thread; call backs on the bus's own thread, or, without
 *            Redis, inside bus_publish().
 */
#ifndef WEFT_SERVER_BUS_H
#define WEFT_SERVER_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "server/metrics/metrics.h"

#define BUS_KEPT        1024u
#define BUS_MAX_CHANNEL 63u             /* bytes of a channel's name                      */

typedef struct Bus Bus;

typedef struct BusMessage {
    const char *channel;
    uint64_t    number;                 /* of a kept channel, from 1; 0: plain            */
    const void *data;                   /* good during the call                           */
    size_t      size;
} BusMessage;

typedef struct BusDesc {
    const char *url;                    /* of Redis; NULL: within this process            */
    const char *prefix;                 /* of channels and keys in Redis                  */
    const Log  *log;
} BusDesc;

/* NULL: `why`. A Redis that cannot be reached is no error: the bus connects when it can. */
Bus *bus_open(const BusDesc *desc, char *why, size_t size);
void bus_close(Bus *b);

/* True once the message is on its way; that takes seconds where Redis hangs. A kept message is
 * never there twice, and after false it may be on its way all the same. */
bool bus_publish(Bus *b, const char *channel, const void *data, size_t size);
/* The same on a kept channel; *number (may be NULL) is the message's. */
bool bus_publish_kept(Bus *b, const char *channel, const void *data, size_t size,
                      uint64_t *number);

/* Calls back for every message of a channel from now on. With a message whose `data` is
 * NULL: some may have been lost, because the connection is new. */
bool bus_subscribe(Bus *b, const char *channel, void (*on_message)(void *, const BusMessage *),
                   void *user);

/* Kept messages after `number`, oldest first, in the arena: *count of them, at most `room`.
 * *newest is the channel's last number. False: they cannot be had now. */
bool bus_replay(Bus *b, Arena *arena, const char *channel, uint64_t number, BusMessage *out,
                uint32_t room, uint32_t *count, uint64_t *newest);

/* Do messages of other servers arrive on every channel, if they are meant to? */
bool bus_is_up(Bus *b);

#endif
