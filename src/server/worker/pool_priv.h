// SPDX-License-Identifier: Apache-2.0
/*
 * pool_priv.h - what the files of the pool share.
 */
#ifndef WEFT_SERVER_POOL_PRIV_H
#define WEFT_SERVER_POOL_PRIV_H

#include <sys/types.h>

#include "server/metrics/state.h"
#include "server/worker/worker.h"

#define POOL_MAX        256u
#define POOL_MAX_TENANT 128u

typedef struct Worker {
    State       state;                  /* DEVICE_…                                       */
    uint32_t    index;
    pid_t       pid;
    int         fd;                     /* -1: none                                       */
    char        tenant[POOL_MAX_TENANT];/* "": none yet                                   */
    uint64_t    since;                  /* start, or the end of the last job              */
    uint64_t    began;                  /* of the job that runs                           */
    uint64_t    deadline;               /* CLOCK_NEVER: none                              */
    void       *job;
    uint64_t    number;                 /* of the job, as the answer has to repeat it     */
    uint64_t    answer_limit;
    bool        timed_out;
    uint8_t    *pending;                /* malloc'ed: not sent yet                        */
    size_t      pending_size, pending_at;
    WireHead    head;                   /* being received                                 */
    size_t      head_at;
    uint8_t    *payload;                /* malloc'ed [head.size + 1]                      */
    size_t      payload_at;
} Worker;

struct Pool {
    PoolDesc    desc;
    pthread_t   thread;
    bool        thread_runs;
    bool        stopping;
    bool        demand;                 /* a tenant waits for a worker                    */
    bool        profiled;               /* a worker was told to measure the device        */
    uint32_t    failures;               /* workers in a row that died before their hello  */
    uint64_t    not_before;             /* then the next one is started                   */
    int         epoll, wake;
    uint64_t    waits_until;            /* the thread looks at deadlines then             */
    uint64_t    look_at;                /* then jobs that wait may have room              */
    uint64_t    next_number;
    Worker      workers[POOL_MAX];
    PoolFigures figures;
};

/* Has the worker a process? */
static inline bool worker_is_alive(const Worker *w)
{
    return w->state != DEVICE_ABSENT && w->state != DEVICE_LOST;
}

/* pool_spawn.c */
void worker_step(Pool *p, Worker *w, StateEvent event);
bool worker_spawn(Pool *p, Worker *w);
/* Kills the process and frees everything. DIE leaves a place to recover, RETIRE a free one. */
void worker_end(Pool *p, Worker *w, StateEvent event);

/* pool_io.c: false if the worker has to be ended. */
bool worker_send(Pool *p, Worker *w, const PoolJob *job);
bool worker_flush(Pool *p, Worker *w);
bool worker_receive(Pool *p, Worker *w);

#endif
