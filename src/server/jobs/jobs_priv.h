// SPDX-License-Identifier: Apache-2.0
/*
 * jobs_priv.h - what the files of jobs/ share. All functions are called with the lock.
 */
#ifndef WEFT_SERVER_JOBS_PRIV_H
#define WEFT_SERVER_JOBS_PRIV_H

#include <string.h>

#include "server/jobs/jobs.h"
#include "server/queue/feed.h"
#include "server/queue/queue.h"

#define JOBS_BUCKETS  4096u
#define TENANT_BUCKETS 256u
#define ALERT_MAX     16u
#define BASELINES     256u
#define JOB_GPU       "-gpu"           /* where jobs of the profile gpu wait: no runner's name */
#define JOB_KEPT      "-"              /* the ticket of a job that did not go through the queue */
#define JOB_UNREADABLE "the job was stored by another version of Weft, in a form that this one " \
                       "cannot read: submit it again"

/* What a tenant, or an origin, uses now. */
typedef struct Cluster  Cluster;            /* cluster.c                                        */
typedef struct Tenant Tenant;
struct Tenant {
    Tenant  *next;
    char    *name;
    uint64_t live;                      /* jobs that wait or run                          */
    uint64_t memory;                    /* bytes of running jobs                          */
    uint64_t stored, buffers;           /* bytes of jobs, of named buffers                */
    bool     stale, stale_buffers;      /* they have to be read again                     */
    uint64_t room;                      /* bytes of requests and jobs in memory           */
    uint64_t refused_ns;                /* when the store refused a job of it             */
    uint64_t connections;
    uint64_t second, requests;          /* requests in that second                        */
    uint64_t minute, time_ns, ops;      /* of jobs ended in that minute                   */
    uint64_t tokens;                    /* of models, likewise                            */
};

/* Who runs a job: workers of ours, by profile, or foreign ones. */
typedef enum JobWho { JOB_KERNEL, JOB_ON_GPU, JOB_FOREIGN, JOB_WHO_COUNT } JobWho;

struct Job {
    Job        *next;                   /* in its bucket                                  */
    uint32_t    refs;
    JobRecord   record;                 /* texts in `texts`                               */
    char       *texts;
    Pack        spec;
    uint64_t    room;                   /* its bytes that are counted for the tenant      */
    const char *runner, *publish;       /* in `texts`                                     */
    JobWho      who;                    /* who runs it                                    */
    uint64_t    memory_limit, time_limit, ops_limit, output_bytes, wgsl_hash;
    bool        is_check, waits;
    bool        in_table, counted, queued, running, ending;
    bool        accepted, refused, cancelled;
    uint64_t    submitted_ns, started_ns;
    double      progress;
    uint64_t    changes;
    char       *report;                 /* malloc'ed                                      */
    Pack        outputs;                /* as stored                                      */
    JobWaiter  *waiters;
    Tenant     *tenant, *origin;        /* origin may be NULL                             */
    char        lease[40];              /* "": not leased                                 */
    uint64_t    lease_until;
    StoreOp     put, start, end;
    bool        start_pending;
    char        message[1024];
    /* of jobs that servers share */
    bool        home;                   /* accepted here: it stays until it has ended     */
    bool        follows;                /* another server accepted it                     */
    char        ticket[FEED_TICKET];    /* "": it is not held here                        */
    char        passed[FEED_TICKET];    /* given back once the claim is taken back        */
    uint64_t    pass_delay;             /* then others may have it after these ns         */
    Pack        tail;                   /* its named buffers, while it is held            */
    uint64_t    place;                  /* in the queue; 0: not known                     */
    bool        place_stored;
    uint64_t    added_ns, heard_ns, arrived_ns;
    char        moved[STORE_ID_SIZE];   /* its key is this job's                          */
    BufferRecord *buffers;              /* for the end                                    */
    uint32_t    buffer_count;
};

/* Runs of one kernel with one shape. */
typedef struct Baseline {
    uint64_t key, runs;
    double   best_ns, recent_ns;
} Baseline;

struct Jobs {
    JobsDesc        desc;
    Config          config;             /* the values; texts are the owner's              */
    pthread_mutex_t lock;
    pthread_cond_t  calm;               /* a job ended                                    */
    Store          *store;
    const QueueBackend *queue_ops;
    Queue          *queue;
    Pool           *pool, *gpu;         /* gpu: NULL if that profile is off               */
    State           state;
    bool            draining, store_failed, closing;
    uint32_t        ends_refused;       /* by the store: they are tried again              */
    Cluster          *cluster;             /* NULL: this server is alone                     */
    bool            feeds;              /* jobs come from a shared queue                  */
    uint64_t        held[JOB_WHO_COUNT];/* jobs with a ticket of the shared queue         */
    uint64_t        kept;               /* jobs that run here without one                 */
    uint64_t        served_ns;          /* what a worker takes for a job, on average      */
    uint64_t        answered_ns;        /* when one gave an answer                        */
    bool            on_pool_thread;     /* which calls store_help() before it waits       */
    Job            *table[JOBS_BUCKETS];
    uint64_t        live, running, waiting, store_ops;
    uint64_t        room;               /* bytes of requests and jobs in memory           */
    Tenant         *tenants[TENANT_BUCKETS];
    uint64_t        checked_ns, swept_ns;
    StoreOp         sweep;
    StoreFreed      freed[STORE_SWEEP_MOST];
    int64_t         clock_offset;       /* ms of the wall clock beyond the steady one     */
    int64_t         clock_ahead;        /* ms that it jumped forward; 0 after clock_until */
    bool            clock_back;         /* it jumped back before clock_until              */
    uint64_t        clock_until;        /* results of before the jump are due by then     */
    bool            sweeping;
    Alert           alerts[ALERT_MAX];
    Baseline        baselines[BASELINES];
    uint64_t        recent_jobs, recent_failures;
    uint64_t        recent_overhead[128];
    uint32_t        overhead_at;
};

/* jobs.c */
void job_change(Jobs *js, Job *job);
void job_ref(Job *job);
void job_unref(Jobs *js, Job *job);
void job_forget(Jobs *js, Job *job);
void jobs_step(Jobs *js, StateEvent event);
void jobs_store_health(Jobs *js, bool ok);
Job *job_find_live(Jobs *js, const char *id);
/* An ended job is not one of its tenant's any more, even if it is not durable yet. */
void job_uncount(Jobs *js, Job *job);
/* Stores a job once more that the store has lost. */
void job_put_again(Jobs *js, Job *job);
Job *job_new(const JobSubmit *s, const JobSpec *spec);
/* A job as the store has it. NULL: no memory. */
Job *job_restore(const JobRecord *r, const JobSpec *spec);
/* Was it stored by a newer Weft? Then it is logged, and left alone. */
bool job_is_newer(Jobs *js, const JobRecord *record);
/* Puts a new job into the table and the queue. */
void job_enter(Jobs *js, Job *job, JobWaiter *waiter);
/* Ends that the store refused are tried again every second. */
void jobs_retry_ends(Jobs *js, uint64_t now);
/* Ends a job: the end becomes durable, then visible. */
void job_end(Jobs *js, Job *job, JobState state, weft_error_kind kind, const char *message);

/* The pool whose workers run a job that is not a foreign worker's. */
static inline Pool *job_pool(const Jobs *js, const Job *job)
{
    return job->who == JOB_ON_GPU ? js->gpu : js->pool;
}

/* Does it run here without a ticket of the shared queue? */
static inline bool job_is_kept(const Job *job)
{
    return strcmp(job->ticket, JOB_KEPT) == 0;
}

/* run.c */
/* Takes a job away from our worker, if one runs it; the tenant is charged for the time. */
void job_stop(Jobs *js, Job *job);
void jobs_pump(Jobs *js);
void jobs_on_answer(void *user, void *job, const PoolAnswer *answer);
/* Takes outputs as executor_run() packs them. False: they do not fit the spec. */
bool job_take_outputs(Jobs *js, Job *job, const uint8_t *bytes, size_t size);
/* Starts over, or fails after too many attempts. */
void job_retry(Jobs *js, Job *job, const char *message);

/* tenant.c */
Tenant *tenant_get(Jobs *js, const char *name);
/* Bytes that it has stored; reads the store if that is not known. */
uint64_t tenant_stored(Jobs *js, Tenant *t);
/* May a job come in? */
bool    jobs_admit(Jobs *js, const JobSubmit *s, const JobSpec *spec, weft_error_kind *kind,
                   char *why, size_t size);
/* Counts memory of requests and jobs. */
void    tenant_add_room(Jobs *js, Tenant *t, int64_t bytes);
/* Counts bytes of jobs that are stored, or not any more. */
void    tenant_add_stored(Tenant *t, uint64_t more, uint64_t less);
/* May a job of so much memory start now? */
bool    tenant_may_run(Jobs *js, const Tenant *t);
void    tenant_charge(Jobs *js, Tenant *t, uint64_t time_ns, uint64_t ops);

/* cluster.c; all but open, start, close and free with the lock */
typedef enum ClusterEnd {
    CLUSTER_DONE,
    CLUSTER_RETURN,                     /* an attempt was made, another may be            */
    CLUSTER_PASS,                       /* it did not begin here: the claim was no attempt */
    CLUSTER_YIELD,                      /* likewise; others come first                    */
    CLUSTER_DROP,                       /* another server has it                          */
} ClusterEnd;
bool cluster_open(Jobs *js, char *why, size_t size);
bool cluster_start(Jobs *js);
void cluster_drain(Jobs *js);
void cluster_close(Jobs *js);
void cluster_free(Jobs *js);
/* Gives a job's ticket back, if it has one. */
void cluster_let_go(Jobs *js, Job *job, ClusterEnd how);
/* Does the store of the servers answer, as far as is known? */
bool cluster_is_well(const Jobs *js);
Feed *cluster_feed(Jobs *js);
/* Puts an accepted job into the queue. */
void cluster_add(Jobs *js, Job *job);
/* Asks the store soon what has become of a job. */
void cluster_look_up(Jobs *js, Job *job);
void cluster_want(Jobs *js, const char *runner, uint32_t count);
/* Changes of another server's job are told to this one, too. Without the lock. */
void cluster_follow(Jobs *js, const char *id);

/* keep.c */
#define JOB_PASS_NS (200u * 1000000u)   /* a kept job that still waits goes to the queue  */
/* Is a new job to run here, without the shared queue? If so, it is marked. */
bool job_keep(Jobs *js, Job *job, const JobSpec *spec);
/* A kept job that has not begun goes to the queue. */
void job_pass_on(Jobs *js, Job *job);
/* One that came from the queue goes back, and others may have it after `delay_ns`. */
void job_pass_back(Jobs *js, Job *job, uint64_t delay_ns);

/* lease.c */
void jobs_check_leases(Jobs *js, uint64_t now);

/* alerts.c */
void alert_set(Jobs *js, const char *name, bool active, const char *detail);
void alerts_job(Jobs *js, const Job *job, const WireDone *done, uint64_t overhead_ns);
void alerts_tick(Jobs *js);
void alerts_outcome(Jobs *js, bool failed);

#endif
