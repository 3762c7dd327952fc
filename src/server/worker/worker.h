// SPDX-License-Identifier: Apache-2.0
/*
 * worker.h - a worker process, and the pool of them that the server keeps.
 *
 * in     jobs as packed specs, each for one tenant
 * out    answers, or the reason why there is none
 * knows  processes, sockets, the sandbox
 * not    HTTP, the store, what tenants may do
 *
 * Threads    every function of the pool is called with the lock of its owner held; the
 *            pool's own thread takes that lock before it calls back.
 */
#ifndef WEFT_SERVER_WORKER_H
#define WEFT_SERVER_WORKER_H

#include <pthread.h>

#include <weft/error.h>

#include "server/metrics/state.h"
#include "server/worker/wire.h"

/* The body of `weft worker --fd N`: serves messages until the socket closes. Returns the
 * exit status of the process. */
typedef struct WorkerDesc {
    int      fd;
    bool     sandboxed, profile;
    bool     gpu;                       /* a Vulkan device, in the weaker sandbox         */
    uint32_t threads;
    uint64_t address_space;             /* bytes; 0: no limit                             */
} WorkerDesc;

int worker_main(const WorkerDesc *desc);

typedef struct Pool Pool;

/* What became of a job. Pointers are good during the call. */
typedef struct PoolAnswer {
    weft_error_kind kind;               /* NONE: done                                     */
    const char     *message;
    bool            died;               /* the worker ended without an answer             */
    WireDone        done;
    const char     *report;             /* JSON of a check                                */
    const uint8_t  *outputs;            /* what executor_run() packed, checked            */
    size_t          outputs_size;
} PoolAnswer;

typedef struct PoolDesc {
    pthread_mutex_t *lock;              /* of the owner                                   */
    const char *program;                /* the command to execute   NULL: /proc/self/exe  */
    uint32_t    max, spare, running, threads;
    uint64_t    address_space;
    uint64_t    start_timeout;          /* nanoseconds                                    */
    bool        sandboxed, profile, gpu;
    /* A job ended; with the lock. */
    void      (*on_answer)(void *user, void *job, const PoolAnswer *answer);
    /* A place became free, or time passed: the owner may start jobs; with the lock. */
    void      (*on_room)(void *user);
    /* Answers were handled, and the pool's thread is about to wait; without the lock.
     * NULL: nothing happens. */
    void      (*on_idle)(void *user);
    /* A worker's device changed its state; with the lock. */
    void      (*on_change)(void *user, uint32_t worker, int pid, State from, StateEvent event,
                           State to);
    void       *user;
} PoolDesc;

typedef struct PoolFigures {
    uint32_t workers, ready, busy;
    uint64_t started, died, killed;
    uint32_t protections;               /* bits of SandboxPart that hold in every worker  */
    char     device[256];
    char     fault[256];                /* why the last worker opened no device           */
    double   bandwidth, arithmetic;     /* of the profile; 0: none                        */
} PoolFigures;

Pool *pool_open(const PoolDesc *desc);
/* Ends all workers. Without the lock. */
void  pool_close(Pool *p);

/* May one more job run, of some tenant? Beyond the limit only one of a tenant of whom none
 * runs, and only beside jobs that run for long: theirs must not keep others waiting. */
bool  pool_has_room(Pool *p);
/* May this tenant take the room, and is a worker ready? If not, one will be made so. */
bool  pool_is_ready(Pool *p, const char *tenant);
/* Starts a job. The message is sent from `head`, then `tail`; the pool copies only what the
 * socket does not take at once. False: no worker is ready; on_room() is called later. */
typedef struct PoolJob {
    const char *tenant;
    void       *job;                    /* for on_answer()                                */
    WireKind    kind;                   /* WIRE_RUN, WIRE_CHECK or WIRE_PROBE             */
    uint64_t    time_limit;             /* nanoseconds                                    */
    uint64_t    answer_limit;           /* most bytes that a right answer can have        */
    const void *head, *tail;            /* tail may be NULL                               */
    size_t      head_size, tail_size;
} PoolJob;

bool  pool_start(Pool *p, const PoolJob *job);
/* Ends the worker of a job without an answer; the job is not called back. */
void  pool_cancel(Pool *p, void *job);
/* Do jobs that run for long, of this tenant among them, take all the room? */
bool        pool_is_crowded(const Pool *p, const char *tenant);
/* Jobs that may run at a time, beside those that run for long. */
uint32_t    pool_limit(const Pool *p);
uint32_t    pool_long_jobs(const Pool *p);
PoolFigures pool_figures(const Pool *p);
/* The process ids of workers with a job (busy) or all; returns how many. For tests. */
uint32_t    pool_pids(const Pool *p, int *pids, uint32_t room, bool busy);

#endif
