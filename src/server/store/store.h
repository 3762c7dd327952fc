// SPDX-License-Identifier: Apache-2.0
/*
 * store.h - what survives: jobs, results, named buffers, used tokens.
 *
 * in     changes, from any thread; many are committed together
 * out    a call back once a change is durable; records
 * knows  a change of a job's state is conditional: an end is recorded once
 * not    SQL (sqlite.c), HTTP, workers
 *
 * One interface for back ends (StoreBackend), so that a shared store can be a second one.
 * Ownership  an op belongs to the store from store_submit() until its call back; its
 *            pointers must live that long.
 * Threads    store_submit() and reads from any thread; call backs on a thread of the store,
 *            or inside store_help().
 */
#ifndef WEFT_SERVER_STORE_H
#define WEFT_SERVER_STORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "server/metrics/metrics.h"

#define STORE_ID_SIZE 27u               /* 26 characters and NUL                          */
#define STORE_TENANT_SIZE 129u          /* the longest name, and NUL                      */
#define STORE_SCHEMA  2

typedef enum JobState {
    JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED, JOB_STATE_COUNT
} JobState;

const char *job_state_name(JobState state);
bool        job_state_find(const char *name, JobState *state);
static inline bool job_state_is_final(JobState s) { return s >= JOB_DONE; }

typedef struct StoreBlob {
    const void *data;
    size_t      size;
} StoreBlob;

/* Figures of a finished job. */
typedef struct JobFigures {
    uint64_t compile_ns, run_ns, total_ns, cpu_ns, ops;
    uint32_t groups[3], cached;
} JobFigures;

/* Texts are never NULL; times are milliseconds since 1970, 0: not yet. */
typedef struct JobRecord {
    char        id[STORE_ID_SIZE];
    const char *tenant, *origin, *subject, *trace;
    const char *idem;                   /* idempotency key; "": none                      */
    uint8_t     request_hash[32];
    JobState    state;
    int         priority;
    uint32_t    attempt;
    int64_t     created, started, finished;
    int         error;                  /* weft_error_kind                                */
    const char *message;
    uint64_t    bytes;                  /* stored for it                                  */
    JobFigures  figures;
    StoreBlob   spec;                   /* packed JobSpec; gone once it has ended         */
    StoreBlob   outputs;                /* packed, see jobs/result.h                      */
} JobRecord;

typedef struct BufferRecord {
    const char *name;
    uint32_t    scalar;                 /* WireScalar                                     */
    uint64_t    size;
    int64_t     updated;
    StoreBlob   bytes;                  /* not in listings                                */
} BufferRecord;

typedef enum StoreKind {
    STORE_PUT_JOB,                      /* job                                            */
    STORE_START_JOB,                    /* job.id, job.attempt, job.started               */
    STORE_END_JOB,                      /* job: id, state, error, outputs, …; buffers     */
    STORE_RETURN_JOB,                   /* job.id, job.attempt: a claim that was no attempt */
    STORE_PUT_BUFFER,                   /* job.tenant, buffers[0]                         */
    STORE_DELETE_BUFFER,                /* job.tenant, buffers[0].name                    */
    STORE_USE_TOKEN,                    /* token, expires: applied if it was not used yet */
    STORE_SWEEP,                        /* jobs that ended before `expires`, or after `later`
                                           if that is not 0, go, STORE_SWEEP_MOST of them */
} StoreKind;

#define STORE_SWEEP_MOST 250u           /* jobs: other changes wait meanwhile             */

/* What a sweep took away from a tenant. */
typedef struct StoreFreed {
    char     tenant[STORE_TENANT_SIZE];
    uint64_t bytes;
} StoreFreed;

/* Why a new job was not put, beside a failure. */
typedef enum StoreRefusal {
    STORE_NOT_REFUSED, STORE_KEY_EXISTS, STORE_QUOTA_JOBS, STORE_QUOTA_BYTES, STORE_QUEUE_FULL,
} StoreRefusal;

typedef struct StoreOp StoreOp;
struct StoreOp {
    StoreOp      *next;
    StoreKind     kind;
    JobRecord     job;
    BufferRecord *buffers;              /* [buffer_count]                                 */
    uint32_t      buffer_count;
    const char   *token;
    int64_t       expires, later, ttl_ms;   /* of a sweep: the same, counted from now     */
    uint64_t      nonce;                /* the store's: tells a repetition from another op */
    const char   *runner;               /* PUT_JOB: kind of worker                        */
    uint64_t      quota_jobs, quota_bytes, quota_all;   /* PUT_JOB in a shared store      */
    bool          kept;                 /* PUT_JOB: this server claims it at once         */
    bool          any_attempt;          /* END_JOB: not only of job.attempt               */
    StoreRefusal  refusal;              /* out: of PUT_JOB, with ok and not applied       */
    char          existing[STORE_ID_SIZE];  /* out: the job with the key                  */
    bool          same_request;         /* out: it was made by the same request           */
    StoreFreed   *freed;                /* SWEEP: [STORE_SWEEP_MOST], for what follows    */
    uint32_t      freed_count;          /* out: jobs that are gone; 0: not known          */
    bool          more;                 /* out: so many went that others may be due, too  */
    bool          applied;              /* out: it changed something                      */
    bool          ok;                   /* out: it is written; in done(): it is durable   */
    /* It survives the death of this process, not yet a power cut. NULL: not reported. Not
     * called where the change failed. */
    void        (*written)(void *user, StoreOp *op);
    void        (*done)(void *user, StoreOp *op);
    void         *user, *owner;         /* the submitter's                                */
};

typedef struct StoreDesc {
    const char *folder;
    bool        full_sync;
    Metrics    *metrics;
    const char *url, *prefix;           /* of a shared store                              */
    const char *server;                 /* name of this one, the same after a restart     */
} StoreDesc;

/* Bytes that a tenant has in the store. Of jobs: every one of them is read. A shared store
 * counts both as those of jobs. */
typedef enum StoreBytes { STORE_JOB_BYTES, STORE_BUFFER_BYTES } StoreBytes;

typedef enum StoreClaim {
    STORE_CLAIMED, STORE_ENDED, STORE_MISSING, STORE_UNREACHABLE
} StoreClaim;

/* A job whose worker stopped sending heartbeats. */
typedef struct StaleJob {
    char     id[STORE_ID_SIZE];
    const char *tenant, *runner;        /* in the arena                                   */
    uint64_t place;                     /* of its message in the queue; 0: none           */
} StaleJob;

/* What several servers need of a store that they share. One thread at a time. */
typedef struct StoreShared {
    /* Begins an attempt: out->attempt is its number, and only an end with that number will
     * count, unless a later attempt has begun. With the spec. `again`: this server claimed it
     * before and got no answer; if the claim was carried out, it is the same attempt. */
    StoreClaim (*claim)(void *s, Arena *arena, const char *id, bool again, JobRecord *out);
    bool       (*touch)(void *s, const char *const *ids, uint32_t count);
    uint32_t   (*stale)(void *s, Arena *arena, uint64_t ms, StaleJob *out, uint32_t room);
    bool       (*place)(void *s, const char *id, uint64_t place);
    /* Changes of this job will be told to all servers. */
    bool       (*follow)(void *s, const char *id);
    /* The same as job_get() and buffer_get(), beside other reads. */
    bool       (*job_get)(void *s, Arena *arena, const char *id, bool with_blobs,
                          JobRecord *out);
    bool       (*buffer_get)(void *s, Arena *arena, const char *tenant, const char *name,
                             BufferRecord *out);
    /* Does it answer, and may it be trusted with jobs? If not, `why`. */
    bool       (*health)(void *s, char *why, size_t size);
} StoreShared;

typedef struct StoreBackend {
    const char *name;
    void *(*open)(const StoreDesc *desc, char *why, size_t size);
    void  (*close)(void *s);
    /* Carries out all changes, in order; sets `applied` and `ok` of each. What failed for
     * one must not take the others down. */
    void  (*apply)(void *s, StoreOp *ops);
    /* Makes everything durable that was applied before the call; on another thread than
     * apply(). NULL: it is so after apply(). */
    bool  (*sync)(void *s);
    /* Reads: into an arena; false: not found, or it cannot be read. */
    bool  (*job_get)(void *s, Arena *arena, const char *id, bool with_blobs, JobRecord *out);
    bool  (*job_by_key)(void *s, Arena *arena, const char *tenant, const char *idem,
                        JobRecord *out);
    /* Newest first; `after` is the id of the last one seen, "": from the newest. `states`
     * has bit 1 << JobState. Returns how many, at most `room`. */
    uint32_t (*job_list)(void *s, Arena *arena, const char *tenant, uint32_t states,
                         const char *after, JobRecord *out, uint32_t room);
    /* Calls back for every job that has not ended, oldest first. */
    bool  (*unfinished)(void *s, void (*each)(void *user, const JobRecord *job), void *user);
    bool  (*buffer_get)(void *s, Arena *arena, const char *tenant, const char *name,
                        BufferRecord *out);
    uint32_t (*buffer_list)(void *s, Arena *arena, const char *tenant, BufferRecord *out,
                            uint32_t room);
    uint64_t (*bytes_of)(void *s, const char *tenant, StoreBytes what);
    /* How many reads got no answer at all. NULL: none ever. */
    uint64_t (*failures)(const void *s);
    const StoreShared *shared;          /* NULL: one server alone uses it                 */
} StoreBackend;

/* By the name in the configuration; NULL: there is none. */
const StoreBackend *store_backend(const char *name);

typedef struct Store Store;

Store *store_open(const StoreBackend *backend, const StoreDesc *desc, char *why, size_t size);
/* Commits what was submitted, then closes. */
void   store_close(Store *s);
void   store_submit(Store *s, StoreOp *op);
/* The same by a thread that calls store_help() soon: no other thread is woken for it. */
void   store_submit_helped(Store *s, StoreOp *op);
/* Submits a change without waiting for it: it is committed with the next other one, or after
 * store_flush(). */
void   store_defer(Store *s, StoreOp *op);
void   store_flush(Store *s);
/* Carries out changes on the calling thread if the store's own would have to be woken for
 * them first. Call backs happen inside: the caller holds no lock that they take. */
void   store_help(Store *s);
/* Submits and waits. True if it is durable. */
bool   store_apply(Store *s, StoreOp *op);

bool store_job_get(Store *s, Arena *arena, const char *id, bool with_blobs, JobRecord *out);
bool store_job_by_key(Store *s, Arena *arena, const char *tenant, const char *idem,
                      JobRecord *out);
uint32_t store_job_list(Store *s, Arena *arena, const char *tenant, uint32_t states,
                        const char *after, JobRecord *out, uint32_t room);
bool store_unfinished(Store *s, void (*each)(void *user, const JobRecord *job), void *user);
bool store_buffer_get(Store *s, Arena *arena, const char *tenant, const char *name,
                      BufferRecord *out);
uint32_t store_buffer_list(Store *s, Arena *arena, const char *tenant, BufferRecord *out,
                           uint32_t room);
uint64_t store_bytes_of(Store *s, const char *tenant, StoreBytes what);
/* How many reads could not be carried out so far: if it has grown, what was not found may be
 * there all the same. */
uint64_t store_failures(const Store *s);
/* NULL: it is not shared. With it the state to pass. */
const StoreShared *store_shared(const Store *s, void **state);

#endif
