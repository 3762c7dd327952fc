// SPDX-License-Identifier: Apache-2.0
/*
 * weft/pool.h - many devices behind one call.
 *
 *     weft_pool         *pool = weft_pool_create(NULL);
 *     weft_pool_context *ctx = weft_pool_context_create(pool, NULL);
 *     weft_execute_report report;
 *     bool ok = weft_execute(ctx, &(weft_execute_desc){
 *         .wgsl = text,
 *         .inputs = (weft_execute_input[]){
 *             { .name = "x", .type = WEFT_SCALAR_F32, .shape = { 1000 }, .data = x },
 *             { .name = "params.scale", .type = WEFT_SCALAR_F32, .data = &scale } },
 *         .input_count = 2,
 *         .outputs = &(weft_execute_output){
 *             .name = "y", .type = WEFT_SCALAR_F32, .shape = { 1000 }, .data = y },
 *         .output_count = 1,
 *     }, &report);
 *     puts(ok ? report.device : report.error.message);
 *     weft_pool_context_release(ctx);
 *     weft_pool_release(pool);
 *
 * A pool finds the devices of the machine, measures each once, picks one for every execution,
 * schedules, watches and survives their loss. A pool context is one user of the pool: it has a
 * quota, an error, named data and a fair share of the devices; thousands may be open. What one
 * context computes or holds no other can see.
 *
 * Ownership  creators give the caller one reference; _release() gives it back and accepts
 *            NULL. Contexts keep their pool alive, data and executions their context.
 *            Releasing a context cancels its queued executions and waits for none.
 * Data       a blocking call reads inputs and writes outputs in place. An asynchronous one
 *            copies its inputs before it returns; the memory of its outputs must stay valid
 *            until the execution has ended. The CPU device computes in the memory of large
 *            inputs and outputs (64 KiB and more, at addresses that are multiples of 16, that
 *            share no bytes with others, of executions without a time limit or deadline); other
 *            devices copy. So inputs must not change during the call, and what an execution that
 *            failed after it began has left in its outputs is not defined. f64 that is given for
 *            a variable of f32 (whole or a member) is converted, to f32 with rounding to nearest,
 *            and back for outputs: each f64 stands for 4 bytes of the variable. Resident data
 *            is not converted. All other differences of type are errors.
 * Threads    everything here may be used from any thread. Callbacks run on threads of the
 *            pool, or inside the call that caused them; they may call everything but
 *            weft_pool_release() of the last reference.
 * Errors     a failed execution has its own error, in its report. The context also keeps the
 *            first one until cleared. NULL objects make calls fail.
 * Not here   analysis of kernels (weft/kernel.h), tensors (weft/tensor.h; on a device of the
 *            pool with weft_pool_open()).
 */
#ifndef WEFT_POOL_H
#define WEFT_POOL_H

#include <weft/context.h>
#include <weft/wgsl.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_pool         weft_pool;
typedef struct weft_pool_context weft_pool_context;
typedef struct weft_pool_data    weft_pool_data;
typedef struct weft_execution    weft_execution;

/* An error as a value: it stays what it is when its origin is gone. */
typedef struct weft_pool_error {
    weft_error_kind kind;           /* WEFT_ERROR_NONE: no error                            */
    char            message[496];   /* one sentence; "" without an error                    */
    char            name[72];       /* the input, output, file or device involved, or ""    */
} weft_pool_error;

/* ---- policies ---- */

/*    policy       name           which of the devices that fit                            */
#define WEFT_POLICIES(X)                                                                     \
    X(FINISH,      "finish",      "the one that is expected to finish first")                \
    X(PERFORMANCE, "performance", "the one that computes it fastest, however long the queue")\
    X(POWER,       "power",       "CPU and integrated GPUs before discrete ones")            \
    X(MEMORY,      "memory",      "the one with the most free memory")                       \
    X(ROUND_ROBIN, "round-robin", "one after the other")                                     \
    X(DEVICE,      "device",      "the one that `device` names, no other")

typedef enum weft_policy {
    WEFT_POLICY_DEFAULT = 0,        /* the context's, else the pool's, else FINISH          */
#define X(policy, name, which) WEFT_POLICY_##policy,
    WEFT_POLICIES(X)
#undef X
    WEFT_POLICY_COUNT
} weft_policy;

WEFT_API const char *weft_policy_name(weft_policy policy);        /* NULL: no such policy    */
WEFT_API weft_policy weft_policy_find(const char *name);          /* 0: no such policy       */

/* ---- alerts and samples ---- */

typedef enum weft_alert_kind {
    WEFT_ALERT_SPEED = 1,           /* a kernel runs slower than its baseline on the device */
    WEFT_ALERT_MEMORY,              /* memory in use is near the budget                     */
    WEFT_ALERT_ERRORS,              /* executions fail too often                            */
    WEFT_ALERT_DEVICE,              /* a device was lost, came back or is given up          */
} weft_alert_kind;

typedef struct weft_alert {
    weft_alert_kind kind;
    uint32_t        device;         /* index                                                */
    const char     *subject;        /* kernel or device; valid during the call              */
    double          value;          /* speed / baseline, share of the budget, share of
                                       failed executions, number of losses                  */
    double          limit;          /* what `value` is compared with                        */
    const char     *message;        /* one sentence                                         */
} weft_alert;

/* An execution that is still running after a sample interval. */
typedef struct weft_sample {
    uint64_t    execution;          /* weft_execute_report.id                               */
    uint32_t    device;
    const char *kernel;             /* label                                                */
    uint64_t    elapsed_ns;         /* since it began to run                                */
    uint64_t    expected_ns;        /* 0: unknown                                           */
    uint64_t    device_memory;      /* bytes in use on the device                           */
    uint32_t    queued;             /* executions that wait for the device                  */
} weft_sample;

typedef void (*weft_alert_callback)(void *user, const weft_alert *alert);
typedef void (*weft_sample_callback)(void *user, const weft_sample *sample);

/* ---- the pool ---- */

typedef struct weft_pool_desc {
    const char *const *libraries;   /* paths of more libraries with webgpu.h, ended by NULL
                                       NULL: Weft's own alone                               */
    bool         no_own;            /* do without Weft's own devices                        */
    const char *const *adapters;    /* keep devices that one of these words means: "cpu",
                                       "gpu", "vulkan", part of a name; ended by NULL
                                       NULL: keep all                                       */
    bool         probe_in_process;  /* trust libraries: find devices without a process of
                                       their own                                            */
    uint64_t     probe_timeout;     /* ns for each library            0: 10 s               */
    uint64_t     benchmark_timeout; /* ns to measure each device      0: 3 s; WEFT_OFF: none,
                                       profiles are then cached or rough guesses            */
    const char  *cache_dir;         /* where profiles are kept        NULL: weft/ in
                                       $XDG_CACHE_HOME or ~/.cache                          */
    bool         no_cache;          /* neither profiles nor compiled kernels on disk        */
    uint32_t     threads;           /* of the CPU device              0: all cores          */
    uint64_t     dispatch_deadline; /* ns a dispatch, on Weft's own devices: a kernel that
                                       takes longer loses its device  0: none               */
    uint64_t     time_limit;        /* ns an execution may run        0: none               */
    uint64_t     memory_limit;      /* bytes on all devices together  0: none               */
    uint64_t     device_memory;     /* bytes on each device           0: 3/4 of its memory  */
    uint64_t     host_limit;        /* bytes of copies on the host    0: a quarter of the
                                       machine's memory                                     */
    weft_policy  policy;            /* 0: WEFT_POLICY_FINISH                                */
    const char  *device;            /* for WEFT_POLICY_DEVICE                               */
    uint32_t     retries;           /* runs after a loss of the device  0: 3                */
    uint64_t     backoff_ns;        /* before a lost device is opened again, doubled after
                                       each loss up to 2^8 times      0: 10 ms              */
    uint32_t     give_up;           /* losses in a row without a success between them after
                                       which a device is not used any more   0: 16          */
    uint32_t     program_limit;     /* kernels remembered             0: 1,024              */
    double       alert_speed;       /* share of the baseline          0: 0.9                */
    double       alert_memory;      /* share of the budget            0: 0.9                */
    double       alert_errors;      /* share of executions            0: 0.01               */
    uint64_t     sample_ns;         /* interval of samples            0: 100 ms             */
    weft_alert_callback  alert;
    weft_sample_callback sample;
    void        *user;              /* of both                                              */
} weft_pool_desc;

/* Finds the devices. NULL for desc means all defaults. Returns NULL only without memory: a
 * pool without a device exists, says why in weft_pool_source_get(), and every execution on
 * it fails. */
WEFT_API weft_pool *weft_pool_create(const weft_pool_desc *desc);
WEFT_API weft_pool *weft_pool_retain(weft_pool *pool);
WEFT_API void       weft_pool_release(weft_pool *pool);

/* Where devices came from: a library, and what went wrong with it. */
typedef struct weft_pool_source {
    const char *library;            /* path, or "weft"                                      */
    uint32_t    devices;            /* found                                                */
    const char *error;              /* NULL: none                                           */
} weft_pool_source;

WEFT_API uint32_t weft_pool_source_count(const weft_pool *pool);
WEFT_API bool     weft_pool_source_get(weft_pool_source *out, const weft_pool *pool,
                                       uint32_t index);

/* ---- devices ---- */

/* Rates that were measured with kernels of the pool. */
typedef struct weft_profile {
    double   f32_rate;              /* float operations/s, fused multiply-add counts 2      */
    double   f16_rate;              /* 0: no f16                                            */
    double   i32_rate;              /* integer operations/s                                 */
    double   function_rate;         /* exp, sin, ... /s                                     */
    double   bandwidth;             /* bytes/s, read and written, beyond the caches         */
    double   cache_bandwidth;       /* bytes/s of data that stays in the caches             */
    uint64_t cache_size;            /* bytes up to which that holds                         */
    double   launch_ns;             /* an empty dispatch, from submit to completion         */
    double   upload_rate;           /* bytes/s from the host                                */
    double   read_rate;             /* bytes/s to the host                                  */
    uint64_t memory;                /* bytes; 0: unknown                                    */
    bool     measured;              /* false: guessed from the kind of device               */
    bool     cached;                /* it came from the file of profiles                    */
} weft_profile;

typedef enum weft_device_state {
    WEFT_DEVICE_READY = 1,
    WEFT_DEVICE_LOST,               /* it will be opened again after a pause                */
    WEFT_DEVICE_GIVEN_UP,           /* it was lost too often, or hangs in its library       */
} weft_device_state;

typedef struct weft_pool_device {
    uint32_t    index;
    const char *id;                 /* the same on every start: 16 hexadecimal digits of the
                                       identity below                                       */
    const char *name, *vendor, *architecture, *driver;
    const char *backend, *type;     /* as in weft_device_info                               */
    const char *library;
    bool        hardware_gpu, f16, f64, subgroups;
    uint64_t    memory;             /* bytes; 0 if unknown                                  */
    WGPULimits  limits;
    weft_profile profile;
    weft_device_state state;
    uint32_t    losses;
    uint32_t    queued;             /* executions that wait                                 */
    uint64_t    backlog_ns;         /* expected time of what waits and runs                 */
    uint64_t    memory_used, memory_budget;     /* bytes; budget UINT64_MAX: no limit       */
} weft_pool_device;

WEFT_API uint32_t weft_pool_device_count(const weft_pool *pool);
/* Texts live as long as the pool. */
WEFT_API bool     weft_pool_device_get(weft_pool_device *out, const weft_pool *pool,
                                       uint32_t index);
/* By id, by number ("#1"), by backend ("cpu", "vulkan"), "gpu", or part of the name.
 * UINT32_MAX: none. */
WEFT_API uint32_t weft_pool_device_find(const weft_pool *pool, const char *word);
/* Measures the device again and replaces the cached profile. In a process of its own, unless
 * probe_in_process. False: *why, of `why_size` bytes, says why; it may be NULL. */
WEFT_API bool     weft_pool_device_measure(weft_pool *pool, uint32_t index, char *why,
                                           size_t why_size);

/* ---- contexts ---- */

typedef struct weft_pool_context_desc {
    const char *label;              /* for messages                   NULL: "context"       */
    uint64_t    memory_quota;       /* bytes on all devices           0: none               */
    uint32_t    execution_quota;    /* that wait or run at a time     0: none               */
    uint64_t    time_quota;         /* ns of devices in total         0: none               */
    uint32_t    weight;             /* of its share of a busy device  0: 1; at most 1,000   */
    weft_policy policy;             /* 0: the pool's                                        */
    const char *device;             /* for WEFT_POLICY_DEVICE                               */
} weft_pool_context_desc;

/* NULL without a pool, without memory or with an unknown policy. */
WEFT_API weft_pool_context *weft_pool_context_create(weft_pool *pool,
                                                     const weft_pool_context_desc *desc);
WEFT_API weft_pool_context *weft_pool_context_retain(weft_pool_context *ctx);
WEFT_API void               weft_pool_context_release(weft_pool_context *ctx);

/* The first error since the last clear. True if there is one. */
WEFT_API bool weft_pool_context_error(weft_pool_error *out, const weft_pool_context *ctx);
WEFT_API void weft_pool_context_error_clear(weft_pool_context *ctx);

typedef struct weft_pool_usage {
    uint64_t memory, memory_peak;   /* bytes on devices                                     */
    uint64_t device_ns;             /* time of devices so far                               */
    uint64_t executions;            /* that ended                                           */
    uint64_t errors;                /* of them                                              */
    uint32_t waiting, running;
} weft_pool_usage;

WEFT_API void weft_pool_context_usage(weft_pool_usage *out, const weft_pool_context *ctx);

/* A context of weft/context.h on the device that `device` names (NULL: the one that the
 * policy prefers), for tensors, gradients and models: it shares the device with the pool, and
 * its memory counts toward the quotas and limits. Never NULL but without memory: as with
 * weft_context_create() the context carries its error. */
WEFT_API weft_context *weft_pool_open(weft_pool_context *ctx, const char *device);

/* ---- data that stays on devices ---- */

typedef struct weft_pool_data_desc {
    const char *name;               /* unique in its context; for weft_pool_data_find()
                                       NULL: none                                           */
    weft_scalar type;               /* 0: bytes                                             */
    uint32_t    rank;               /* 0: one axis                                          */
    uint64_t    shape[8];           /* with rank 0, shape[0] 0 means: as `size` says        */
    const void *data;               /* copied                         NULL: zeros           */
    uint64_t    size;               /* bytes                          0: as the shape says  */
    bool        device_only;        /* keep no copy on the host once it is on a device: less
                                       memory, but the loss of the device loses the data    */
} weft_pool_data_desc;

/* Copies to devices happen when executions need them. NULL: the context has the error. */
WEFT_API weft_pool_data *weft_pool_data_create(weft_pool_context *ctx,
                                               const weft_pool_data_desc *desc);
WEFT_API weft_pool_data *weft_pool_data_retain(weft_pool_data *data);
WEFT_API void            weft_pool_data_release(weft_pool_data *data);
/* With a reference; NULL: this context has no data of that name, which is no error. */
WEFT_API weft_pool_data *weft_pool_data_find(weft_pool_context *ctx, const char *name);
WEFT_API uint64_t        weft_pool_data_size(const weft_pool_data *data);       /* bytes     */
/* Both wait for executions that were submitted before and use the data. */
WEFT_API bool weft_pool_data_read(void *out, weft_pool_data *data, uint64_t offset,
                                  uint64_t size);
WEFT_API bool weft_pool_data_write(weft_pool_data *data, uint64_t offset, const void *bytes,
                                   uint64_t size);

/* ---- executions ---- */

typedef struct weft_execute_input {
    const char     *name;           /* of a variable, or "params.n": a member of a struct   */
    weft_scalar     type;           /* compared with the kernel's     0: bytes, any type    */
    uint32_t        rank;           /* 0: one axis                                          */
    uint64_t        shape[8];       /* shape[0] 0: as many elements as the variable has, or
                                       as `size` says                                       */
    const void     *data;
    uint64_t        size;           /* bytes                          0: as the shape says  */
    weft_pool_data *resident;       /* instead of `data`                                    */
    bool            split;          /* first axis is divided, see `split_unit`              */
} weft_execute_input;

typedef struct weft_execute_output {
    const char     *name;           /* of a variable                                        */
    weft_scalar     type;
    uint32_t        rank;
    uint64_t        shape[8];       /* as for inputs; all 0: as the input of this name      */
    void           *data;           /* where it goes   NULL: weft_execution_output() has it */
    uint64_t        size;
    weft_pool_data *resident;       /* stays on the device instead; the variable starts with
                                       what the data holds                                  */
    bool            split;
} weft_execute_output;

struct weft_execute_report;
/* Once, when the execution has ended; the report is valid during the call. */
typedef void (*weft_execute_callback)(void *user, weft_execution *execution,
                                      const struct weft_execute_report *report);

typedef struct weft_execute_desc {
    const char *wgsl;               /* NUL-terminated                                       */
    const char *entry;              /* NULL: the only compute entry point                   */
    const weft_constant *constants; /* of overrides                                         */
    uint32_t    constant_count;
    const weft_execute_input  *inputs;      /* every variable that is only read must be here;
                                               others start with zeros                      */
    uint32_t    input_count;
    const weft_execute_output *outputs;     /* writable variables                           */
    uint32_t    output_count;
    uint32_t    groups[3];          /* workgroups; all 0: see `invocations`                 */
    uint32_t    invocations[3];     /* rounded up to workgroups; all 0: automatic, from the
                                       limits that the kernel compares its id with, else an
                                       invocation for each element of the first output      */
    weft_policy policy;             /* 0: the context's                                     */
    const char *device;             /* for WEFT_POLICY_DEVICE, as weft_pool_device_find()   */
    int32_t     priority;           /* larger ones first                                    */
    uint64_t    deadline;           /* ns from now by which it must have ended, or it fails
                                       with WEFT_ERROR_TIMEOUT: it does not begin to run after
                                       that, and is ended soon if it still runs
                                                                      0: none               */
    uint64_t    time_limit;         /* ns it may run                  0: the pool's         */
    uint64_t    memory_limit;       /* bytes on the device            0: none               */
    bool        optimize;           /* run weft_kernel_optimize()'s version of the kernel   */
    bool        no_retry;           /* report the loss of a device instead of running again */
    uint32_t    split_unit;         /* not 0: the dispatch may be divided over devices. The
                                       first axis of each array with `split` is then divided
                                       into parts of a multiple of so many rows; other arrays
                                       are whole everywhere and must not be outputs. x, y or z
                                       of the workgroups, the last above 1, is divided alike */
    const char *split_offset;       /* member that gets the part's first row   NULL: none   */
    const char *split_count;        /* member that gets the part's rows        NULL: none   */
    const char *label;              /* for messages                   NULL: the entry point */
    weft_execute_callback callback; /* asynchronous executions        NULL: none            */
    void       *user;
} weft_execute_desc;

typedef struct weft_execute_report {
    uint64_t        id;             /* from 1, counted by the pool                          */
    weft_pool_error error;          /* kind WEFT_ERROR_NONE: it ran                         */
    const char     *device;         /* name; "" if it never ran                             */
    uint32_t        device_index;   /* UINT32_MAX if it never ran                           */
    uint32_t        groups[3], workgroup_size[3];
    uint64_t        queue_ns;       /* waiting                                              */
    uint64_t        compile_ns;     /* 0: the kernel was known; a library may compile more of
                                       it during the first run                              */
    uint64_t        upload_ns;      /* writing inputs                                       */
    uint64_t        run_ns;         /* from submit until the results can be read; of all
                                       executions in the same submit together               */
    uint64_t        read_ns;        /* copying outputs to their place                       */
    uint64_t        total_ns;
    uint64_t        bytes_uploaded, bytes_read; /* also of what was used in place           */
    uint64_t        memory;         /* bytes it used on the device, or in place             */
    double          expected_ns;    /* what the choice of the device expected for upload,
                                       run and read; 0: unknown                             */
    double          baseline_ns;    /* of run_ns, for this kernel, size and device; 0: not
                                       known yet                                            */
    uint32_t        attempts;       /* above 1: it ran again after a loss                   */
    uint32_t        parts;          /* above 1: it was divided                              */
    uint32_t        batch;          /* executions in the same submit                        */
    uint32_t        samples;        /* taken while it ran                                   */
    bool            stolen;         /* by a device that had nothing to do                   */
    char            note[200];      /* what was out of the ordinary, or ""                  */
} weft_execute_report;

/* Runs it and waits. `report` may be NULL. */
WEFT_API bool weft_execute(weft_pool_context *ctx, const weft_execute_desc *desc,
                           weft_execute_report *report);

/* Starts it. Wrong arguments are an execution, too, one that has failed: NULL is returned
 * only without memory or context. */
WEFT_API weft_execution *weft_execute_async(weft_pool_context *ctx,
                                            const weft_execute_desc *desc);
WEFT_API weft_execution *weft_execution_retain(weft_execution *execution);
/* Releasing does not cancel. */
WEFT_API void weft_execution_release(weft_execution *execution);
WEFT_API bool weft_execution_done(const weft_execution *execution);
/* True once it has ended, with a result or with an error; false after timeout_ns. */
WEFT_API bool weft_execution_wait(weft_execution *execution, uint64_t timeout_ns);
/* What waits ends at once with WEFT_ERROR_CANCELLED; what runs does when the device has
 * finished it. False if it had ended before. */
WEFT_API bool weft_execution_cancel(weft_execution *execution);
/* False before it has ended. */
WEFT_API bool weft_execution_report(weft_execute_report *out, const weft_execution *execution);
/* An output that was given no place, in memory of the execution; NULL before it has ended, if
 * it failed, or if there is no such output. */
WEFT_API const void *weft_execution_output(const weft_execution *execution, const char *name,
                                           uint64_t *size);

/* ---- one array in, one array out ---- */

/* For programs that have a kernel and an array, and no names: the array is the first variable of
 * the kernel that is only read, in the order of group and binding; the result is the first
 * writable one. A kernel that has no variable which is only read changes the array: it is the
 * result as well. */
typedef struct weft_execute_array_desc {
    const char *wgsl;
    const char *entry;              /* NULL: the only compute entry point                   */
    weft_scalar type;               /* of array and result            0: bytes              */
    const void *data;
    uint64_t    count;              /* elements, at least 1                                 */
    uint32_t    groups[3];          /* workgroups; all 0: automatic                         */
    const char *device;             /* as in weft_execute_desc        NULL: the best        */
    uint64_t    time_limit;         /* ns it may run                  0: the pool's         */
    bool        no_retry;
} weft_execute_array_desc;

/* Runs it and waits. `*count` is the room at `result` in elements on entry, their number on
 * return: that of the variable, or of the array if the variable has no size of its own. Too
 * little room is an error that sets `*count` and runs nothing; result NULL only sets it. ctx
 * NULL: weft_pool_shared(). `report` may be NULL. */
WEFT_API bool weft_execute_array(void *result, uint64_t *count, weft_pool_context *ctx,
                                 const weft_execute_array_desc *desc,
                                 weft_execute_report *report);

/* A context on a pool that the whole process shares, made by the first call and never released:
 * borrowed. The environment variables WEFT_ADAPTER and WEFT_WEBGPU choose as they do for
 * weft_context_create(); devices are not measured. NULL: no memory, or the process was made by
 * fork() after its parent had made the pool. */
WEFT_API weft_pool_context *weft_pool_shared(void);

/* The same for f64 in the form that callers from Julia ask for: 0, or -1 for any error. */
WEFT_API int32_t julia_webgpu_execute(const char *shader, const double *data, size_t data_len,
                                      double *result, size_t *result_len);

/* ---- why which device ---- */

typedef struct weft_pool_choice {
    uint32_t device;
    bool     fits;
    char     reason[200];           /* why not, or what decides its time                    */
    double   queue_ns, upload_ns, compute_ns, memory_ns, launch_ns, read_ns;
    double   total_ns;              /* launch, transfers, the larger of compute and memory,
                                       queue                                                */
    double   learned;               /* measured time of this kernel on the device over the
                                       estimate; 1: nothing is known                        */
} weft_pool_choice;

/* What would become of this execution: one row for each device, the best first; returns how
 * many, at most `max`. 0: the desc is wrong, the context has the error. Runs nothing. */
WEFT_API uint32_t weft_pool_choose(weft_pool_choice *out, uint32_t max, weft_pool_context *ctx,
                                   const weft_execute_desc *desc);
/* The same in words, a line for each device. Writes at most `size` bytes with the final NUL;
 * returns the bytes that the whole text needs. */
WEFT_API size_t weft_pool_explain(char *out, size_t size, weft_pool_context *ctx,
                                  const weft_execute_desc *desc);

/* ---- monitor ---- */

#define WEFT_HISTOGRAM_BINS 40

typedef struct weft_histogram {
    uint64_t counts[WEFT_HISTOGRAM_BINS];   /* bin i: 2^i <= value < 2^(i + 1); bin 0 also
                                               holds 0, the last bin everything above       */
    uint64_t count, sum, max;
} weft_histogram;

/* An upper bound of the value below which `share` (0 to 1) of the entries are. */
WEFT_API double weft_histogram_quantile(const weft_histogram *h, double share);

typedef struct weft_pool_snapshot {
    uint64_t executions;            /* that ended                                           */
    uint64_t failed, cancelled, timed_out;
    uint64_t retried, stolen, batched, divided;
    uint64_t losses, alerts;
    uint64_t bytes_uploaded, bytes_read;
    uint64_t evicted;               /* bytes of resident data dropped from devices          */
    uint32_t waiting, running, contexts, programs;
    uint64_t memory, memory_peak, host_memory;  /* bytes                                    */
    weft_histogram queue_ns, compile_ns, upload_ns, run_ns, read_ns, total_ns;
} weft_pool_snapshot;

/* Of one device; UINT32_MAX: of all. */
WEFT_API bool weft_pool_snapshot_get(weft_pool_snapshot *out, const weft_pool *pool,
                                     uint32_t device);

/* What one kernel usually takes at one size on one device: a running median and the usual
 * distance from it, so that single slow runs change little. */
typedef struct weft_baseline {
    char     kernel[64];            /* label or entry point                                 */
    char     signature[20];         /* 16 hexadecimal digits of text, entry, constants      */
    uint32_t device;
    uint64_t invocations;
    uint64_t count;                 /* executions                                           */
    double   run_ns;                /* baseline                                             */
    double   deviation_ns;
    double   recent_ns;             /* median of the last ones                              */
} weft_baseline;

WEFT_API uint32_t weft_pool_baseline_count(const weft_pool *pool);
WEFT_API bool     weft_pool_baseline_get(weft_baseline *out, const weft_pool *pool,
                                         uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
