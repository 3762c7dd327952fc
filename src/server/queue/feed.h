// SPDX-License-Identifier: Apache-2.0
/*
 * feed.h - the queue that several servers share: which of them gets which job.
 *
 * in     ids of jobs, with tenant and kind of worker
 * out    each id to one server at a time, again if that does not finish it
 * knows  NATS JetStream: a work queue with explicit acknowledgement
 * not    what a job is; the order within a server (queue.h), results (the store)
 *
 * Tenants are spread over lanes, and servers ask all lanes in turn: a tenant with many jobs
 * delays only those that share its lane. A ticket is the right to run a job: it is kept by
 * feed_keep() and given back by feed_done() or feed_return(); otherwise it runs out and the
 * job goes to another server.
 *
 * Threads    everything from any thread; call backs on threads of the feed.
 */
#ifndef WEFT_SERVER_FEED_H
#define WEFT_SERVER_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FEED_LANES  8u
#define FEED_TICKET 160u                /* bytes of a ticket                              */

typedef struct Feed Feed;

typedef struct FeedDesc {
    const char *url, *name;             /* of the stream                                  */
    uint64_t    ack_wait;               /* nanoseconds that a ticket is good for          */
    /* A job came, and its ticket. */
    void      (*on_job)(void *user, const char *id, const char *ticket);
    /* A job is in the queue, at this place. */
    void      (*on_placed)(void *user, const char *id, uint64_t place);
    /* Messages of another subject, see feed_listen(). */
    void      (*on_data)(void *user, const char *subject, const void *data, size_t size);
    void       *user;
} FeedDesc;

/* NULL: `why`. A server that cannot be reached now is no error. */
Feed *feed_open(const FeedDesc *desc, char *why, size_t size);
void  feed_close(Feed *f);
/* Is it connected, with stream and consumers in place? If not, `why`. */
bool  feed_is_up(Feed *f, char *why, size_t size);

/* Adds a job; on_placed() follows. False: not connected. */
bool  feed_add(Feed *f, const char *id, const char *tenant, const char *runner);
/* Is a job at this place? -1: unknown. Waits for an answer. */
int   feed_has(Feed *f, uint64_t place, const char *id);
/* How many more jobs of a kind this server could take now; "": for our own workers. */
void  feed_want(Feed *f, const char *runner, uint32_t count);
/* Asks again where requests ran out; to be called a few times a second. */
void  feed_tick(Feed *f);

void  feed_keep(Feed *f, const char *ticket);
void  feed_done(Feed *f, const char *ticket);
void  feed_return(Feed *f, const char *ticket, uint64_t delay_ns);

/* Calls on_data() for messages of a plain subject, shared among all servers that listen. */
bool  feed_listen(Feed *f, const char *subject);

#endif
