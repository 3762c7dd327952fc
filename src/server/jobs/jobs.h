// SPDX-License-Identifier: Apache-2.0
/*
 * jobs.h - the life of jobs: accepted, queued, run, ended, each end recorded once.
 *
 * in     packed specs of tenants; answers of workers, ours and foreign ones
 * out    durable states and results, waiters woken; figures, alerts
 * knows  store, queue, worker pool, quotas
 * not    HTTP, JSON, authentication
 *
 * Ownership  a Job is counted: jobs_submit() and jobs_find() give a reference, job_release()
 *            takes it back.
 * Threads    any. Waiters are called with the lock held: they may only wake a thread.
 */
#ifndef WEFT_SERVER_JOBS_H
#define WEFT_SERVER_JOBS_H

#include <weft/error.h>

#include "server/bus/bus.h"
#include "server/config/config.h"
#include "server/metrics/metrics.h"
#include "server/metrics/state.h"
#include "server/store/store.h"
#include "server/worker/worker.h"

typedef struct Jobs Jobs;
typedef struct Job  Job;

typedef struct JobsDesc {
    const Config *config;
    const char   *folder;               /* of the data                                    */
    const char   *server;               /* name of this one among several                 */
    const char   *program;              /* for workers; NULL: this one                    */
    Metrics      *metrics;
    const Log    *log;
    /* A job starts in a worker: the audit log counts it. With the lock. */
    void        (*on_start)(void *user, const JobRecord *job);
    /* A job has ended here, for good; `publish` names the output with vectors, "": none. With
     * the lock: it may only copy. */
    void        (*on_end)(void *user, const JobRecord *job, const char *publish);
    /* The server is in another state. With the lock. */
    void        (*on_state)(void *user, State from, StateEvent event, State to);
    Bus          *bus;                  /* to other servers; NULL: none                   */
    /* A message of a subject of jobs_listen(); on another thread. */
    void        (*on_data)(void *user, const char *subject, const void *data, size_t size);
    void         *user;
} JobsDesc;

/* NULL: `why` says it. Jobs that had not ended are queued again. */
Jobs *jobs_open(const JobsDesc *desc, char *why, size_t size);
/* Takes no more jobs; waits for running ones, at most the drain time-out. */
void  jobs_drain(Jobs *js);
void  jobs_close(Jobs *js);
/* Takes quotas, limits and thresholds of a configuration over. */
void  jobs_reload(Jobs *js, const Config *config);
/* Deletes ended jobs that are older than store.result_ttl. */
void  jobs_sweep(Jobs *js);

/* ---- submitting ---- */

typedef struct JobWaiter JobWaiter;
struct JobWaiter {
    JobWaiter *next;
    bool       every;                   /* woken at every change; else when it is durable */
    void     (*wake)(void *user);
    void      *user;
};

typedef struct JobSubmit {
    const char *tenant, *origin, *subject, *trace, *idem;
    uint8_t     request_hash[32];
    int         priority;
    bool        waits;                  /* a client waits for the end                     */
    Pack       *spec;                   /* its bytes are taken over                       */
    const JobSpec *parsed;              /* the same; only read during the call            */
    JobWaiter  *waiter;                 /* NULL: none                                     */
} JobSubmit;

/* The job, new or, with the same idempotency key and request, the one that exists (then
 * *existed). NULL: *kind and `why`; with *existed the job has ended, and `why` is its id. */
Job *jobs_submit(Jobs *js, const JobSubmit *submit, bool *existed, weft_error_kind *kind,
                 char *why, size_t size);
/* Asks a worker to check WGSL; the report is in the job's view when it has ended. */
Job *jobs_check(Jobs *js, const JobSubmit *submit, weft_error_kind *kind, char *why, size_t size);

/* A job of the tenant that another server accepted, as if it were ours: it can be watched.
 * NULL: there is none, or it has ended. */
Job *jobs_follow(Jobs *js, const char *tenant, const char *id);

/* ---- looking ---- */

typedef struct JobView {
    JobRecord   record;                 /* texts live as long as the job                  */
    bool        accepted;               /* durable                                        */
    bool        refused;                /* the store did not take it                      */
    double      progress;               /* 0 to 1                                         */
    const char *report;                 /* of a check                                     */
    const char *moved;                  /* id of the job that has its key; "": none       */
    uint64_t    changes;                /* counts state changes                           */
} JobView;

void job_view(Jobs *js, Job *job, JobView *out);
/* A live job of the tenant; NULL: there is none (it may be in the store). */
Job *jobs_find(Jobs *js, const char *tenant, const char *id);
void job_watch(Jobs *js, Job *job, JobWaiter *waiter);
void job_unwatch(Jobs *js, Job *job, JobWaiter *waiter);
void job_release(Jobs *js, Job *job);
/* Cancels; false: it has ended already. */
bool jobs_cancel(Jobs *js, Job *job);
/* The state of live jobs, for listings of stored ones. */
void jobs_overlay(Jobs *js, JobRecord *records, uint32_t count);

Store      *jobs_store(Jobs *js);
State       jobs_state(Jobs *js);
/* What is wrong with the store or queue that servers share; false: nothing. */
bool        jobs_fault(Jobs *js, char *why, size_t size);
/* Takes messages of a subject of the shared queue's service, one server each. */
bool        jobs_listen(Jobs *js, const char *subject);
PoolFigures jobs_pool(Jobs *js);
/* The workers of the profile gpu. False: it is off. */
bool jobs_gpu(Jobs *js, PoolFigures *out);

/* What a tenant or an origin uses now. */
typedef struct TenantFigures {
    const char *name;                   /* lives as long as the jobs                      */
    uint64_t    jobs;                   /* that wait or run                               */
    uint64_t    memory;                 /* bytes of running jobs                          */
    uint64_t    stored;                 /* bytes in the store                             */
    uint64_t    connections;
    uint64_t    time_ns, operations;    /* of jobs that ended in this minute              */
} TenantFigures;

/* At most `room` of them; returns how many were written. */
uint32_t jobs_tenants(Jobs *js, TenantFigures *out, uint32_t room);

/* ---- quotas ---- */

/* Counts a request of a tenant, and of an origin ("": none). False: too many in this
 * second. */
bool jobs_count_request(Jobs *js, const char *tenant, const char *origin);
/* Counts an open connection of a tenant (+1, -1). False: too many; then it is not counted. */
bool jobs_count_connection(Jobs *js, const char *tenant, int step);
typedef enum JobsRoom { ROOM_TAKEN, ROOM_TENANT_FULL, ROOM_FULL } JobsRoom;

/* Counts memory that a request of the tenant needs, and that it needs no longer. */
JobsRoom jobs_take_room(Jobs *js, const char *tenant, uint64_t bytes);
void jobs_give_room(Jobs *js, const char *tenant, uint64_t bytes);
/* Seconds until the quotas of a minute begin anew. */
unsigned jobs_next_minute(void);
/* May the tenant, and the origin ("": none), use a language model? Counts what it used. */
bool jobs_may_generate(Jobs *js, const char *tenant, const char *origin);
void jobs_generated(Jobs *js, const char *tenant, const char *origin, uint64_t tokens);
/* May the tenant store so many more bytes? */
bool jobs_may_store(Jobs *js, const char *tenant, uint64_t bytes);
/* Its named buffers changed: their bytes are counted anew. */
void jobs_buffers_changed(Jobs *js, const char *tenant);

/* ---- foreign workers ---- */

typedef struct Lease {
    Job        *job;                    /* a reference                                    */
    const void *spec;                   /* packed; lives as long as the job               */
    size_t      spec_size;
    char        id[STORE_ID_SIZE];      /* of the job                                     */
    char        token[40];              /* proves the lease                               */
} Lease;

/* The next job for a kind of worker; false: none waits. */
bool jobs_lease(Jobs *js, const char *runner, const char *worker, Lease *out);
/* Keeps a lease; false: it has ended. */
bool jobs_heartbeat(Jobs *js, const char *token, double progress);
/* The outputs of a leased job, packed as by executor_run(); or an error. False: the lease
 * has ended, or (then *kind is set) the outputs do not fit. */
bool jobs_lease_done(Jobs *js, const char *token, const uint8_t *outputs, size_t size,
                     weft_error_kind *kind, char *why, size_t why_size);
bool jobs_lease_failed(Jobs *js, const char *token, const char *message, bool retry);

/* ---- alerts ---- */

typedef struct Alert {
    char    name[64], detail[256];
    bool    active;
    int64_t since;                      /* milliseconds since 1970                        */
    uint64_t count;
} Alert;

uint32_t jobs_alerts(Jobs *js, Alert *out, uint32_t room);

/* ---- results ---- */

typedef struct JobOutput {
    const char    *name;
    WireScalar     scalar;
    uint32_t       dims;
    uint64_t       shape[WIRE_MAX_DIMS];
    const uint8_t *bytes;
    uint64_t       size;
} JobOutput;

/* Outputs as they are stored. Returns how many were read; the pointers go into `blob`. */
uint32_t result_unpack(StoreBlob blob, JobOutput *out, uint32_t room);
void     result_pack_begin(Pack *p, uint32_t count);
void     result_pack(Pack *p, const JobOutput *output);

/* Milliseconds since 1970. A new id: 26 characters that sort by time. */
int64_t jobs_now_ms(void);
void    jobs_new_id(char out[STORE_ID_SIZE]);
/* Is it the form of an id? */
bool jobs_id_ok(const char *text);

#endif
