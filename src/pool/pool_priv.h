// SPDX-License-Identifier: Apache-2.0
/*
 * pool_priv.h - the parts of a pool, for the files of this folder.
 *
 *   probe.c        finds devices, in processes of their own
 *   measure.c      measures a device; profile.c keeps profiles on disk
 *   program.c      kernels that were seen: reflection, analysis, compiled once a device
 *   arguments.c    named inputs and outputs become the bindings of a program
 *   groups.c       how many workgroups run
 *   estimate.c     what a dispatch costs on a device
 *   choose.c       which devices fit, in which order, and why
 *   schedule.c     queues: priorities, fair shares, stealing, batches
 *   worker.c       the threads that take work from the queues
 *   engine.c       runs a batch on the device: upload, dispatch, read
 *   lend.c         memory of the caller that a device uses in place
 *   failover.c     lost devices, and what becomes of their work
 *   resident.c     data that stays on devices; memory.c its accounts
 *   divide.c       one dispatch over several devices
 *   monitor.c      counts, baselines, alerts
 *   execute.c, client.c, pool.c    the calls of weft/pool.h
 *
 * Everything below is guarded by weft_pool.lock, except what a comment says belongs to the
 * owner of a device (Device.busy) or does not change.
 */
#ifndef WEFT_POOL_POOL_PRIV_H
#define WEFT_POOL_POOL_PRIV_H

#include <stdatomic.h>

#include <weft/kernel.h>
#include <weft/pool.h>

#include "base/arena.h"
#include "base/clock.h"
#include "pool/platform_priv.h"

#define MAX_DEVICES   32u
#define MAX_BINDINGS  64u
#define INLINE_ARGS   8u                /* bindings without an allocation              */
#define BATCH_MOST    64u               /* executions in one submit                    */

typedef struct Program   Program;
typedef struct Flow      Flow;
typedef struct PoolDevice PoolDevice;
typedef struct Copy      Copy;

/* ---- errors ---- */

/* Sets the error unless there is one; always false. `name` may be NULL. */
bool pool_fail(weft_pool_error *error, weft_error_kind kind, const char *name, const char *fmt,
               ...) PRINTF_LIKE(4, 5);

/* ---- devices: what a probe finds; does not change ---- */

typedef struct DeviceFound {
    const char *word;                   /* opens it again, with the library; NULL: default */
    const char *library;                /* path; NULL: Weft's own                      */
    const char *name, *vendor, *architecture, *driver, *description;
    const char *backend, *type;
    char        id[20];
    bool        hardware_gpu, f16, f64, subgroups;
    bool        foreign;                /* not Weft's own code: it may hang in a call  */
    uint64_t    memory;
    WGPULimits  limits;
} DeviceFound;

typedef struct Source {
    const char *library, *error;        /* library NULL: Weft's own                    */
    uint32_t    devices;
} Source;

/* ---- costs ---- */

/* A dispatch as a whole, whatever the device. */
typedef struct Cost {
    double floats, halves, integers, functions;
    double traffic;                     /* bytes loaded and stored                     */
    double footprint;                   /* different bytes among them                  */
    double invocations;
} Cost;

typedef struct Estimate {
    double compute_ns, memory_ns, launch_ns, upload_ns, read_ns, queue_ns;
    double learned;                     /* factor on the larger of compute and memory  */
    double run_ns;                      /* launch + learned work                       */
    double total_ns;
} Estimate;

/* ---- programs ---- */

typedef struct ProgramDevice {
    weft_pipeline *pipeline;            /* of the device's owner                       */
    uint32_t       generation;          /* of the device when it was made              */
    double         learned;             /* log of measured / estimated                 */
    uint32_t       learned_count;
    bool           ran;
} ProgramDevice;

struct Program {
    uint32_t       refs;
    uint64_t       hash, last_use;
    char          *key;                 /* text, entry, constants                      */
    size_t         key_size;
    Program       *next;                /* in its bucket                               */
    const char    *wgsl;                /* inside key                                  */
    const char    *entry;               /* inside module                               */
    weft_constant *constants;           /* with names inside key                       */
    uint32_t       constant_count;
    weft_wgsl     *module;
    const weft_entry_point *point;
    weft_specialized special;
    weft_kernel   *kernel;              /* NULL: it cannot be analysed                 */
    weft_kernel_info info;
    bool           needs_f16, needs_f64, needs_subgroups;
    weft_pool_error error;              /* it does not compile                         */
    bool           has_cost;
    uint64_t       cost_key;            /* of the arguments that `cost` is for         */
    Cost           cost;
    ProgramDevice  on[MAX_DEVICES];
};

/* Finds or makes it, with a reference. NULL without memory. Not under the lock. */
Program *program_get(weft_pool *pool, const weft_execute_desc *desc);
void     program_release(weft_pool *pool, Program *p);
void     programs_fini(weft_pool *pool);
/* The program of the rewritten kernel instead of `p`, whose reference goes; `p` itself if
 * nothing can be better. */
Program *program_optimized(weft_pool *pool, Program *p, bool *axes_swapped);
/* By the owner of the device; NULL: the engine has the error. */
weft_pipeline *program_pipeline(Program *p, PoolDevice *d, uint64_t *compile_ns);

typedef struct Programs {
    Program **buckets;                  /* [bucket_count]                              */
    uint32_t  bucket_count, count, limit;
    uint64_t  tick;
} Programs;

/* ---- executions ---- */

/* One binding of the program. */
typedef struct Arg {
    const uint8_t  *in;                 /* first contents; NULL: zeros                 */
    uint8_t        *own_in;             /* malloc'ed copy behind `in`, or NULL         */
    uint64_t        in_size, size;      /* bytes given, bytes bound                    */
    weft_pool_data *data;               /* instead; a reference                        */
    bool            input;              /* something was given                         */
    bool            members;            /* ... by members                              */
    bool            output;             /* it is read back, or `data` is written       */
    bool            split;
    uint8_t        *out;                /* where it goes; NULL: own_out                */
    uint8_t        *own_out;
    uint64_t        out_size;           /* bytes of the variable                       */
    bool            widen;              /* f32 in the kernel, f64 at `out`: twice as many */
    uint64_t        row_bytes, rows;    /* of the first axis                           */
    bool            lend;               /* devices that can work in its memory: `out` of
                                           outputs, else `in`                          */
    weft_buffer    *buffer;             /* while it runs; of the device's owner        */
    weft_buffer    *source;             /* what `buffer` starts with; NULL: needs none */
} Arg;

/* Bytes of an output at its place. */
static inline uint64_t arg_out_bytes(const Arg *a)
{
    return a->widen ? a->out_size * 2 : a->out_size;
}

typedef enum ExecState {
    EXEC_NEW = 0, EXEC_BLOCKED, EXEC_QUEUED, EXEC_RUNNING, EXEC_COPYING, EXEC_ENDED,
} ExecState;

/* BARRIER: a call that reads or writes args[0].data on the host, in its turn. */
typedef enum ExecKind { EXEC_KERNEL = 0, EXEC_BARRIER } ExecKind;

struct weft_execution {
    atomic_uint        refs;
    bool               heap;            /* malloc'ed; else on the stack of its caller  */
    ExecKind           kind;
    weft_pool         *pool;
    weft_pool_context *ctx;
    Program           *program;
    Arg               *args;            /* [arg_count]                                 */
    Arg                inline_args[INLINE_ARGS];
    uint32_t           arg_count;
    uint32_t           groups[3];
    char               label[64];
    weft_policy        policy;
    char               word[64];        /* names the device                            */
    int32_t            priority;
    uint64_t           deadline;        /* by clock_ns(); CLOCK_NEVER: none            */
    uint64_t           time_limit;      /* ns; 0: none                                 */
    uint64_t           memory;          /* bytes of its buffers                        */
    bool               no_retry, pinned, solo, charged;
    atomic_bool        cancel;          /* the owner may look without the lock         */
    weft_execute_callback callback;
    void              *user;
    /* scheduling */
    ExecState          state;
    PoolDevice        *device;
    Estimate           estimate;
    Flow              *flow;
    weft_execution    *next, *prev;     /* in the flow                                 */
    weft_execution    *timed_next, *timed_prev;
    bool               timed;
    weft_execution    *told_next;
    uint64_t           made_at, queued_at, began_at;
    uint32_t           losses;          /* of devices while it ran alone               */
    pthread_cond_t     ended;
    bool               has_cond;
    uint32_t           waiters;
    /* dependencies by resident data */
    uint32_t           blockers;
    weft_execution   **blocked;         /* these wait for it                           */
    uint32_t           blocked_count, blocked_capacity;
    /* parts */
    weft_execution    *whole;           /* this one is a part of it                    */
    weft_execution   **parts;           /* [part_count]: it is divided into them       */
    uint32_t           part_count, parts_left;
    weft_execute_report report;
    weft_execute_report work;           /* of the device's owner, which may hang: becomes
                                           the report when it ends                     */
};

/* ---- fair queues ---- */

/* The executions of one context that wait for one device. */
struct Flow {
    weft_pool_context *ctx;
    PoolDevice        *device;
    Flow              *next;            /* of the context                              */
    weft_execution    *first, *last;    /* by priority, then by age                    */
    double             vtime;           /* ns of the device / weight                   */
    uint32_t           at;              /* in the heap; UINT32_MAX: not in it          */
};

/* ---- resident data ---- */

/* Data on one device. */
struct Copy {
    weft_pool_data *data;
    PoolDevice     *device;
    weft_buffer    *buffer;             /* of the device's owner                       */
    uint32_t        generation;
    uint64_t        last_use;
    uint32_t        in_use;             /* by the batch that runs                      */
    Copy           *next, *prev;        /* of the device                               */
};

struct weft_pool_data {
    atomic_uint        refs;
    weft_pool_context *ctx;
    weft_pool_data    *next, *prev;     /* of the context                              */
    char              *name;
    weft_scalar        type;
    uint32_t           rank;
    uint64_t           shape[8], size, capacity;    /* capacity: a multiple of 4       */
    bool               device_only;
    uint8_t           *host;            /* [capacity]; NULL: not kept                  */
    bool               host_valid;
    bool               zero;            /* all zeros: no copy exists anywhere          */
    Copy               copies[MAX_DEVICES];     /* valid where buffer is not NULL and
                                                   the version is the newest           */
    uint64_t           versions[MAX_DEVICES], version;
    bool               broken;          /* its writer failed                           */
    bool               lost;            /* the only copy was on a lost device          */
    weft_execution   **users;           /* unfinished ones, in order                   */
    uint32_t           user_count, user_capacity;
};

/* ---- monitor ---- */

typedef struct Baseline {
    uint64_t hash, invocations;
    uint32_t device;
    uint32_t count_recent;
    char     kernel[64];
    uint64_t count;
    double   middle, deviation;         /* ns                                          */
    float    recent[8];                 /* ns; ring                                    */
    bool     alerted;
    uint64_t last_use;
} Baseline;

#define ERROR_WINDOW 256u

typedef struct Monitor {
    weft_pool_snapshot all, device[MAX_DEVICES];
    Baseline *baselines;                /* [BASELINES], open addressing                */
    uint32_t  baseline_count;
    uint8_t   outcomes[MAX_DEVICES][ERROR_WINDOW];  /* 1: failed; ring                 */
    uint32_t  outcome_at[MAX_DEVICES], outcome_count[MAX_DEVICES];
    uint32_t  outcome_failed[MAX_DEVICES];
    bool      errors_alerted[MAX_DEVICES], memory_alerted[MAX_DEVICES];
    bool      limit_alerted;
} Monitor;

/* An alert that waits to be told. */
typedef struct AlertNode {
    struct AlertNode *next;
    weft_alert        alert;
    char              subject[80], message[240];
} AlertNode;

/* ---- the device ---- */

struct PoolDevice {
    weft_pool       *pool;
    uint32_t         index;
    DeviceFound      found;
    weft_profile     profile;
    weft_device_state state;
    char             why[200];          /* it was lost or given up                     */
    uint32_t         losses, losses_in_row;
    uint64_t         retry_at;          /* while lost                                  */
    bool             busy;              /* in use                                      */
    bool             stuck;             /* its owner does not come back                */
    uint32_t         generation;
    pthread_cond_t   wake;              /* the worker, and who waits to own it         */
    pthread_t        worker;
    bool             has_worker, worker_idle;
    uint32_t         owners_waiting;
    Flow           **heap;              /* [heap_len]                                  */
    uint32_t         heap_len, heap_cap, queued;
    double           backlog_ns, vclock;
    weft_execution  *running[BATCH_MOST];
    uint32_t         running_count;
    uint64_t         memory_used, memory_peak, memory_budget;
    Copy            *copies;            /* most recently used first                    */
    weft_buffer    **graveyard;         /* buffers that the owner has to release       */
    atomic_uint      graveyard_count;   /* the owner may look without the lock         */
    atomic_uint      loans;             /* buffers over memory of callers              */
    uint32_t         graveyard_capacity;
    weft_context    *engine;            /* of the owner; set under the lock            */
};

struct weft_pool_context {
    atomic_uint        refs;            /* of users, executions and data               */
    uint32_t           user_refs;
    weft_pool         *pool;
    weft_pool_context *next, *prev;
    char              *label;
    uint64_t           memory_quota, time_quota;
    uint32_t           execution_quota, weight;
    weft_policy        policy;
    char              *device;
    weft_pool_error   *error;           /* NULL: none yet                              */
    weft_pool_usage    usage;
    Flow              *flows;
    weft_pool_data    *data;
    bool               closing;
};

struct weft_pool {
    atomic_uint       refs;
    pthread_mutex_t   lock;
    Arena             arena;            /* of texts                                    */
    weft_pool_desc    desc;             /* resolved; its texts are in the arena        */
    Source           *sources;
    uint32_t          source_count;
    PoolDevice        devices[MAX_DEVICES];
    uint32_t          device_count;
    weft_pool_context *contexts;
    uint32_t          context_count;
    Programs          programs;
    Monitor           monitor;
    uint64_t          next_id, next_round;
    uint64_t          memory_used, memory_peak, host_used, host_peak;
    weft_execution   *timed;            /* with a deadline, or running with a limit    */
    pthread_t         watch;
    pthread_cond_t    watch_wake;
    bool              has_watch;
    bool              closing, abandoned;
    uint32_t          stuck_count;      /* threads that have not come back             */
    pthread_cond_t    drained;
    weft_execution   *ended_first, *ended_last;     /* callbacks to run, by told_next  */
    AlertNode        *alerts_first, *alerts_last;
    uint32_t          open_contexts;    /* handed out by weft_pool_open()              */
};

static inline void pool_lock(weft_pool *pool)   { pthread_mutex_lock(&pool->lock); }
static inline void pool_unlock(weft_pool *pool) { pthread_mutex_unlock(&pool->lock); }
/* Unlocks, then runs the callbacks of executions that ended and tells alerts. */
void pool_leave(weft_pool *pool);

void pool_unref(weft_pool *pool);
void pool_finish(weft_pool *pool);        /* once no thread uses it                      */

/* ---- probe.c, measure.c, profile.c ---- */

/* Fills sources and devices. */
void probe_run(weft_pool *pool);
/* In a child or here; false: `why` says why, and *crashed whether the device is at fault. */
bool probe_measure(const weft_pool *pool, const DeviceFound *found, weft_profile *out,
                   char *why, size_t why_size, bool *crashed);
/* Measures until the clock shows `until`; what is left is guessed. False: the device cannot
 * be opened or computes wrongly. */
bool measure_device(weft_profile *out, const weft_context_desc *open, uint64_t until,
                    char *why, size_t why_size);
weft_profile profile_guess(const DeviceFound *found);
bool profile_load(weft_profile *out, const weft_pool *pool, const DeviceFound *found);
void profile_store(const weft_pool *pool, const DeviceFound *found, const weft_profile *p);
/* One row of the file; for tests. The bytes that `text` needs, or whether it was read. */
int  profile_write(char *text, size_t size, const char *id, const weft_profile *p);
bool profile_read(weft_profile *out, const char *row, const char *id);

/* The descriptor that opens the device. */
weft_context_desc engine_desc(const weft_pool *pool, const DeviceFound *found);

/* ---- arguments.c ---- */

/* Fills args and groups of a new execution from the desc; `copy`: inputs are copied. False
 * with the report's error. */
bool     arguments_set(weft_execution *e, const weft_execute_desc *desc, bool copy);
void     arguments_fini(weft_execution *e);
/* Copies the inputs that are still the caller's. */
bool     arguments_own(weft_execution *e);
/* The first bytes of a member such as "params.n"; NULL: no such member, or not known. */
const uint8_t *arguments_member(const weft_execution *e, const char *path, weft_scalar *type,
                                uint64_t *size);
/* Elements of the runtime-sized array at the end of the binding. */
uint64_t arguments_array_length(const weft_execution *e, const char *name);

/* ---- groups.c ---- */

/* How many workgroups run; under the lock, as it may look at data on the host. */
bool groups_set(weft_execution *e, const weft_execute_desc *desc);

/* ---- estimate.c ---- */

/* Under the lock: what was computed last for the program is remembered. */
Cost     estimate_cost(weft_execution *e);
/* Invocations that the kernel's guards let through along an axis; 0: unknown. */
double   estimate_extent(const weft_execution *e, uint32_t axis);
Estimate estimate_on(const weft_execution *e, const Cost *cost, const PoolDevice *d);
/* Upload, run and read took this long: the program's factor on this device learns from it. */
void     estimate_learn(weft_execution *e, PoolDevice *d, double total_ns);

/* ---- choose.c ---- */

/* Why the device cannot run it; NULL: it can. */
const char *choose_fault(const weft_execution *e, const PoolDevice *d, char *text, size_t size);
/* The device for e; NULL with the report's error. */
PoolDevice *choose_device(weft_execution *e, uint64_t now);
/* e takes e->device: with round-robin the turn is that of the next device. */
void        choose_next_turn(weft_execution *e);
uint32_t    choose_rank(weft_execution *e, weft_pool_choice *out, uint32_t max);
bool        device_matches(const PoolDevice *d, const char *word);

/* ---- schedule.c ---- */

bool schedule_push(weft_execution *e);              /* false: no memory                    */
void schedule_remove(weft_execution *e);            /* from its queue                      */
/* Takes the next batch of a device; returns how many. */
uint32_t schedule_pop(PoolDevice *d, weft_execution **out);
/* Finds something for an idle device in the queue of another one; if nothing, *again is when
 * to look again. */
bool schedule_steal(PoolDevice *d, uint64_t *again);
/* e runs without having waited. */
void schedule_enter(weft_execution *e);
/* It used this much of its device. */
void schedule_charge(weft_execution *e, double ns);
void flows_fini(weft_pool_context *ctx);

/* ---- worker.c ---- */

/* Queues e on its device and sees to it that a worker comes. */
void worker_submit(weft_execution *e);
void worker_notify(PoolDevice *d);
/* Takes an idle device without a queue. */
bool worker_try_own(PoolDevice *d);
void worker_disown(PoolDevice *d);
/* Blocks. False: the device was given up meanwhile. */
bool worker_wait_own(PoolDevice *d);
void worker_watch(weft_execution *e);               /* deadline and limit are observed     */
void worker_unwatch(weft_execution *e);
void workers_stop(weft_pool *pool);
bool workers_are_here(weft_pool *pool);             /* the calling thread is one of them   */

/* ---- engine.c ---- */

/* By the owner, without the lock: runs all of them to their end, or requeues them. */
void engine_run(PoolDevice *d, weft_execution **batch, uint32_t count);
bool engine_open(PoolDevice *d, weft_pool_error *error);

/* ---- lend.c ---- */

/* Decides what a new execution may lend. */
void lend_choose(weft_execution *e);
/* Whether the device uses the memory of the argument in place. */
bool lend_is_used(const Arg *a, const PoolDevice *d);
/* By the owner: the argument's buffer, with the contents that it starts with. False: the engine
 * has the error. */
bool lend_buffer(Arg *a, PoolDevice *d);
/* By the owner: waits until nothing on the device uses what was lent. */
void lend_wait(PoolDevice *d);

/* ---- failover.c ---- */

/* By the owner, without the lock. */
void failover_lose(PoolDevice *d, const char *why);
/* Runs it again, if that is possible; else ends it with `error`. */
void failover_retry(weft_execution *e, PoolDevice *from, const weft_pool_error *error);
/* Under the lock: the queue of a device that is given up goes elsewhere or fails. */
void failover_reroute(PoolDevice *d);
void failover_reopened(PoolDevice *d);              /* under the lock                      */

/* ---- resident.c, memory.c ---- */

/* Under the lock: e waits for unfinished users of its data. False without memory. */
bool resident_depend(weft_execution *e);
/* Under the lock: e has ended; `began`: it may have written. */
void resident_finish(weft_execution *e, bool ok, bool began);
/* Under the lock: whether all data of e can be had; else the report's error is set. */
bool resident_usable(weft_execution *e);
/* By the owner, without the lock: the buffer of `data` on the device, kept until
 * resident_done(); NULL with the error. */
weft_buffer *resident_buffer(weft_pool_data *data, PoolDevice *d, weft_pool_error *error,
                             uint64_t *uploaded);
/* Under the lock, by the owner. */
void resident_done(weft_pool_data *data, PoolDevice *d, bool written);
/* By the owner, without the lock: brings the newest contents to the host. */
bool resident_fetch(weft_pool_data *data, PoolDevice *d, weft_pool_error *error);
/* Under the lock: forgets all copies on a device; their buffers go to the graveyard. */
void resident_drop_all(PoolDevice *d, bool lost);
bool resident_is_on(const weft_pool_data *data, const PoolDevice *d);
/* The device with the only valid copy; NULL: the host has it too, or no copy is valid. */
PoolDevice *resident_only_on(const weft_pool_data *data);
/* By the owner, without the lock: frees copies that are not in use (ContextEvict). */
uint64_t resident_evict(void *device, uint64_t bytes);
/* By the owner, without the lock: releases what others dropped meanwhile. */
void graveyard_empty(PoolDevice *d);
void data_unref(weft_pool_data *data);              /* without the lock                    */

/* Under the lock. False: a quota, a limit or the budget is exhausted. */
bool memory_take_device(PoolDevice *d, weft_pool_context *ctx, uint64_t bytes,
                        weft_pool_error *error);
void memory_give_device(PoolDevice *d, weft_pool_context *ctx, uint64_t bytes);
bool memory_take_host(weft_pool *pool, uint64_t bytes);
void memory_give_host(weft_pool *pool, uint64_t bytes);

/* ---- divide.c ---- */

/* Under no lock. True: e was divided and its parts are queued. */
bool divide(weft_execution *e, const weft_execute_desc *desc);
void divide_part_ended(weft_execution *part);       /* under the lock                      */
void divide_cancel(weft_execution *whole);          /* under the lock                      */

/* ---- monitor.c ---- */

bool monitor_init(Monitor *m);
void monitor_fini(Monitor *m);
void monitor_ended(weft_pool *pool, weft_execution *e);
/* A run of a kernel: its baseline before this run, 0 if none. */
double monitor_baseline(weft_pool *pool, uint64_t hash, const char *kernel, uint32_t device,
                        uint64_t invocations, double run_ns);
void monitor_outcome(weft_pool *pool, uint32_t device, bool failed);
void monitor_memory(weft_pool *pool, PoolDevice *d);
void monitor_device(weft_pool *pool, PoolDevice *d, const char *what);
void monitor_tell(weft_pool *pool, AlertNode *alerts);      /* without the lock            */

/* ---- execute.c ---- */

/* On the heap or in place; it holds its context. */
weft_execution *exe_new(weft_pool_context *ctx);
void exe_init(weft_execution *e, weft_pool_context *ctx);
void exe_fini(weft_execution *e);
void exe_ref(weft_execution *e);
void exe_unref(weft_execution *e);                 /* not under the lock                  */
/* Under the lock: the one way in which an execution ends; the report's error decides how.
 * Its callback runs in pool_leave(). */
void exe_end(weft_execution *e);
bool exe_fail(weft_execution *e, weft_error_kind kind, const char *name, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* Under the lock: on its way once nothing blocks it. */
void exe_start(weft_execution *e);
void exe_submit(weft_execution *e);                /* under the lock: from NEW on         */
void exe_wait(weft_execution *e);                  /* under the lock                      */
void exe_cancel(weft_execution *e);                /* under the lock                      */

/* ---- client.c ---- */

void client_unref(weft_pool_context *ctx);
void client_note_error(weft_pool_context *ctx, const weft_pool_error *error);

#endif
