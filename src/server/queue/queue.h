// SPDX-License-Identifier: Apache-2.0
/*
 * queue.h - where jobs wait: fair between tenants, by priority within one.
 *
 * in     jobs with tenant, kind of worker and priority
 * out    the next job that may start
 * knows  tenants take turns
 * not    what a job is; durability (the store keeps jobs, the queue is rebuilt from it)
 *
 * One interface, so that a queue shared by several servers can be a second implementation.
 * Threads    called with the lock of its owner held.
 */
#ifndef WEFT_SERVER_QUEUE_H
#define WEFT_SERVER_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Queue Queue;

typedef struct QueueItem {
    const char *tenant;                 /* lives as long as the item                      */
    const char *runner;                 /* kind of worker                                 */
    int         priority;               /* higher ones first                              */
    void       *job;
} QueueItem;

typedef struct QueueBackend {
    const char *name;
    Queue     *(*open)(void);
    void       (*close)(Queue *q);
    /* False: no memory. */
    bool       (*push)(Queue *q, const QueueItem *item);
    /* The next job for a runner, or NULL. `ready` says whether a tenant's turn may be
     * taken now (NULL: always). */
    void      *(*take)(Queue *q, const char *runner, bool (*ready)(void *, const char *tenant),
                       void *user);
    /* Takes a job out of the queue; false if it is not in it. */
    bool       (*remove)(Queue *q, void *job, const char *tenant, const char *runner);
    size_t     (*depth)(const Queue *q);
} QueueBackend;

/* By the name in the configuration; NULL: there is none. */
const QueueBackend *queue_backend(const char *name);

#endif
