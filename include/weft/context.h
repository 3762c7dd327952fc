// SPDX-License-Identifier: Apache-2.0
/*
 * weft/context.h - a device with its queue, kernel cache, memory budget and errors.
 *
 *     weft_context *ctx = weft_context_create(NULL);
 *     puts(weft_context_device(ctx)->reason);          which device, and why
 *     ... tensors, gradients, models on ctx ...
 *     if (weft_context_error(ctx)->kind)
 *         puts(weft_context_error(ctx)->message);
 *     weft_context_release(ctx);
 *
 * A context refers to a device that several contexts may share (`share` below): device,
 * queue and compiled kernels are common; memory budget, errors, counters and names belong to
 * the context. Kernels run through any library with webgpu.h: Weft's own, or the one that
 * `library` or the environment variable WEFT_WEBGPU names; libraries may differ between the
 * contexts of one process.
 *
 * Ownership  creators give the caller one reference; _release() gives it back and accepts
 *            NULL. Objects keep their context alive. Releasing what queued work still uses
 *            is safe. Strings that a context hands out live until the next call that changes
 *            them, at most as long as the context.
 * Threads    a context and everything made from it belong to one thread at a time. Contexts
 *            that share a device may run on different threads.
 * Errors     creators return NULL, actions return false; weft_context_error() has the reason.
 *            The first error is kept until weft_context_error_clear(). A NULL object passed
 *            to a call makes it fail the same way, so that a chain is checked once. A failed
 *            call leaves everything as it was.
 * Not here   shapes and operations (weft/tensor.h), several devices (weft/pool.h).
 */
#ifndef WEFT_CONTEXT_H
#define WEFT_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <webgpu/webgpu.h>
#include <weft/api.h>
#include <weft/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_context  weft_context;
typedef struct weft_buffer   weft_buffer;
typedef struct weft_pipeline weft_pipeline;

/* Switches a limit or a default off where 0 means "the default". */
#define WEFT_OFF UINT64_MAX

/* Reports progress of a long call: `done` of `total`. Returning false cancels the call,
 * which then fails with WEFT_ERROR_CANCELLED. */
typedef bool (*weft_progress)(void *user, uint64_t done, uint64_t total);

/* ---- creation ---- */

typedef enum weft_log_topic {
    WEFT_LOG_DEVICE = 1,            /* detection and choice of the device                   */
    WEFT_LOG_COMPILE,               /* kernels compiled, cached, evicted                    */
    WEFT_LOG_MEMORY,                /* allocation, pooling, eviction                        */
    WEFT_LOG_OPERATION,             /* each dispatch                                        */
    WEFT_LOG_ERROR,                 /* each error as it is recorded                         */
} weft_log_topic;

/* One sentence, on the thread of the context. The context must not be used in it. */
typedef void (*weft_log)(void *user, weft_log_topic topic, const char *message);

/* What to prefer when memory is short. */
typedef enum weft_memory_mode {
    WEFT_MEMORY_BALANCED = 0,       /* pools small buffers, moves idle tensors near the budget */
    WEFT_MEMORY_SPEED,              /* keeps everything on the device until the budget is hit  */
    WEFT_MEMORY_LOW,                /* keeps no spare buffers, evaluates and moves early       */
} weft_memory_mode;

/* How to make a context. Every field may be left zero. */
typedef struct weft_context_desc {
    weft_context *share;            /* use this context's device      NULL: open a device   */
    const char   *adapter;          /* "cpu", "gpu", "vulkan", a number or part of a name
                                       NULL: $WEFT_ADAPTER, else a hardware GPU, the CPU
                                       device, a software Vulkan driver, in this order      */
    const char   *library;          /* path of a library with webgpu.h
                                       NULL: $WEFT_WEBGPU, else Weft's own                  */
    bool          no_device;        /* for files and texts alone: what needs a device fails
                                       with WEFT_ERROR_UNSUPPORTED                          */
    uint32_t      threads;          /* of the CPU device              0: all cores          */
    uint64_t      dispatch_deadline;/* nanoseconds per dispatch       0: none               */
    bool          timed_waits_help; /* waits with a timeout run work on the calling thread if it
                                       took no longer before; sooner, but the timeout may pass */
    uint64_t      memory_budget;    /* bytes on the device            0: 3/4 of its memory;
                                       WEFT_OFF: no limit                                   */
    uint64_t      host_budget;      /* bytes of moved tensors on the host
                                       0: a quarter of the machine's; WEFT_OFF: no limit    */
    const char   *spill_dir;        /* where tensors beyond the host budget go
                                       NULL: nowhere, running out is an error               */
    weft_memory_mode memory_mode;
    uint32_t      pipeline_limit;   /* compiled kernels kept in memory, least recently used
                                       leave                          0: 1,024              */
    uint64_t      eval_threshold;   /* bytes of pending results that start an evaluation
                                       0: 256 MiB; WEFT_OFF: never                          */
    bool          checked;          /* indices and values read by kernels are validated, as
                                       far as the operator says so; slower                  */
    bool          no_cache;         /* compiled kernels are not kept on disk                */
    weft_log      log;              /* debug mode                     NULL: silent          */
    void         *log_user;
    const char   *label;            /* for messages                   NULL: "context"       */
} weft_context_desc;

/* NULL for desc means all defaults. Never returns NULL, unless there is no memory for the
 * context itself: a context whose device could not be opened carries the error, and every
 * call on it fails with that. */
WEFT_API weft_context *weft_context_create(const weft_context_desc *desc);
WEFT_API weft_context *weft_context_retain(weft_context *ctx);
WEFT_API void          weft_context_release(weft_context *ctx);

/* Whether a context with this descriptor would get a device, without making one. If not and
 * `why` is not NULL, writes one sentence of at most `why_size` bytes. */
WEFT_API bool weft_context_available(const weft_context_desc *desc, char *why, size_t why_size);

/* ---- errors ---- */

/* Never NULL; kind WEFT_ERROR_NONE without an error (and WEFT_ERROR_INVALID for ctx NULL). */
WEFT_API const weft_error *weft_context_error(const weft_context *ctx);
WEFT_API void              weft_context_error_clear(weft_context *ctx);

/* ---- the device ---- */

typedef struct weft_device_info {
    const char *name;               /* "AMD EPYC, 2 threads, AVX-512"                       */
    const char *vendor, *architecture, *driver;
    const char *backend;            /* "cpu", "vulkan", "d3d12", "metal", "opengl"          */
    const char *type;               /* "CPU", "integrated GPU", "discrete GPU", "unknown"   */
    const char *library;            /* path, or "weft"                                      */
    const char *reason;             /* one sentence: which device was chosen, and why       */
    bool        hardware_gpu;
    bool        f16, f64, subgroups, timestamps;
    uint64_t    memory;             /* bytes; 0 if unknown                                  */
    WGPULimits  limits;
} weft_device_info;

/* NULL without a device. */
WEFT_API const weft_device_info *weft_context_device(const weft_context *ctx);

/* The objects of webgpu.h behind the context: borrowed, for programs that mix both. They
 * must be used with the functions of the same library. NULL without a device. */
WEFT_API WGPUInstance weft_context_wgpu_instance(weft_context *ctx);
WEFT_API WGPUDevice   weft_context_wgpu_device(weft_context *ctx);
WEFT_API WGPUQueue    weft_context_wgpu_queue(weft_context *ctx);
/* A function of that library by name ("wgpuQueueSubmit"); NULL if it has none. */
WEFT_API WGPUProc     weft_context_wgpu_proc(weft_context *ctx, const char *name);

/* ---- buffers: pooled device memory inside the budget ---- */

typedef struct weft_buffer_desc {
    uint64_t         size;          /* bytes, rounded up to 4         0: data_size          */
    WGPUBufferUsage  usage;         /* 0: Storage | CopySrc | CopyDst                       */
    const void      *data;          /* first contents, copied         NULL: zeros           */
    uint64_t         data_size;
    bool             uninitialized; /* contents may be anything: the caller writes all      */
    WGPUBuffer       borrow;        /* wrap this buffer instead; it is not destroyed and not
                                       counted                        NULL: allocate        */
    const char      *label;         /* NULL: "buffer"                                       */
} weft_buffer_desc;

WEFT_API weft_buffer *weft_buffer_create(weft_context *ctx, const weft_buffer_desc *desc);
WEFT_API weft_buffer *weft_buffer_retain(weft_buffer *buffer);
WEFT_API void         weft_buffer_release(weft_buffer *buffer);
WEFT_API uint64_t     weft_buffer_size(const weft_buffer *buffer);
WEFT_API WGPUBuffer   weft_buffer_wgpu(const weft_buffer *buffer);

/* Writes in queue order: after the dispatches recorded so far. Offsets and sizes may be any
 * number of bytes. */
WEFT_API bool weft_buffer_write(weft_buffer *buffer, uint64_t offset, const void *data,
                                uint64_t size);
WEFT_API bool weft_buffer_copy(weft_buffer *to, uint64_t to_offset, weft_buffer *from,
                               uint64_t from_offset, uint64_t size);
/* Submits what was recorded, waits, copies out. */
WEFT_API bool weft_buffer_read(void *out, weft_buffer *buffer, uint64_t offset, uint64_t size);

/* ok false: the context has the error. `data` is valid during the call. */
typedef void (*weft_read_callback)(void *user, bool ok, const void *data, uint64_t size);
/* The future of webgpu.h: wait with weft_context_wait_future() or the library's own
 * functions. The id 0 means that the call failed and the callback has run. */
WEFT_API WGPUFuture weft_buffer_read_async(weft_buffer *buffer, uint64_t offset, uint64_t size,
                                           weft_read_callback callback, void *user);

/* ---- kernels ---- */

typedef struct weft_constant {
    const char *name;               /* of an `override`, or its @id as decimal digits       */
    double      value;
} weft_constant;

typedef struct weft_pipeline_desc {
    const char          *wgsl;      /* NUL-terminated; copied                               */
    const char          *entry;     /* NULL: the only compute entry point                   */
    const weft_constant *constants;
    uint32_t             constant_count;
    const char          *label;     /* NULL: the entry point                                */
} weft_pipeline_desc;

/* Compiled once per device for the same text, entry and constants; later calls find it in
 * the cache. Fails with WEFT_ERROR_COMPILE and the first diagnostic with its place. Weft's own
 * library compiles on other threads once the kernel is checked: the first dispatch waits. */
WEFT_API weft_pipeline *weft_pipeline_create(weft_context *ctx, const weft_pipeline_desc *desc);
WEFT_API weft_pipeline *weft_pipeline_retain(weft_pipeline *pipeline);
WEFT_API void           weft_pipeline_release(weft_pipeline *pipeline);

/* Compiles several kernels in parallel into the cache. */
WEFT_API bool weft_context_precompile(weft_context *ctx, const weft_pipeline_desc *descs,
                                      uint32_t count, weft_progress progress, void *user);

typedef struct weft_pipeline_binding {
    const char *name;               /* of the variable                                      */
    uint32_t    group, binding;
    bool        uniform, writable;
    uint64_t    min_size;           /* bytes                                                */
} weft_pipeline_binding;

WEFT_API uint32_t weft_pipeline_binding_count(const weft_pipeline *pipeline);
/* In the order of group and binding. NULL if out of range. */
WEFT_API const weft_pipeline_binding *weft_pipeline_binding_get(const weft_pipeline *pipeline,
                                                                uint32_t index);
/* The workgroup size, overrides applied. */
WEFT_API void weft_pipeline_workgroup_size(uint32_t out[3], const weft_pipeline *pipeline);

/* One resource of a dispatch. */
typedef struct weft_binding {
    weft_buffer *buffer;            /* NULL: `data` is a uniform value                      */
    uint64_t     offset;            /* multiple of the device's offset alignment            */
    uint64_t     size;              /* 0: to the end of the buffer                          */
    const void  *data;              /* small uniform data, copied; at most 1,024 bytes      */
    uint32_t     data_size;
} weft_binding;

/* Bindings in the order of weft_pipeline_binding_get(). */
typedef struct weft_dispatch {
    weft_pipeline      *pipeline;
    const weft_binding *bindings;
    uint32_t            binding_count;
    uint32_t            groups[3];  /* workgroups; 0 counts as 1; a dispatch with more than
                                       65,535 in x, y or z is an error                      */
} weft_dispatch;

/* Records a dispatch. It runs after everything recorded before, when the context submits:
 * by weft_context_submit(), by a read, or when enough is recorded. */
WEFT_API bool weft_context_dispatch(weft_context *ctx, const weft_dispatch *dispatch);
WEFT_API bool weft_context_submit(weft_context *ctx);
/* Submits and waits until the device has finished all of this context's work. */
WEFT_API bool weft_context_wait(weft_context *ctx);

typedef void (*weft_done_callback)(void *user, bool ok);
WEFT_API WGPUFuture weft_context_done_async(weft_context *ctx, weft_done_callback callback,
                                            void *user);
/* Waits for a future of this context. timeout_ns WEFT_OFF: without limit; 0: only polls.
 * False with WEFT_ERROR_TIMEOUT if it is not complete by then. */
WEFT_API bool weft_context_wait_future(weft_context *ctx, WGPUFuture future,
                                       uint64_t timeout_ns);
/* Runs the callbacks of futures that are complete. */
WEFT_API void weft_context_poll(weft_context *ctx);

/* ---- memory, counters ---- */

typedef struct weft_memory {
    uint64_t live;                  /* bytes of device buffers in use by this context       */
    uint64_t peak;                  /* most of live + pooled so far                         */
    uint64_t pooled;                /* free buffers kept for reuse                          */
    uint64_t host;                  /* tensors moved to the host                            */
    uint64_t disk;                  /* tensors moved to disk                                */
    uint64_t evicted;               /* bytes moved off the device so far                    */
    uint64_t budget;                /* UINT64_MAX: no limit                                 */
} weft_memory;

WEFT_API void weft_context_memory(weft_memory *out, const weft_context *ctx);
WEFT_API void weft_context_memory_reset_peak(weft_context *ctx);
/* Frees pooled buffers until at most `keep` bytes of them are left. */
WEFT_API void weft_context_trim(weft_context *ctx, uint64_t keep);

/* Counters and timings of every layer that works on this context, under dotted names:
 * "context.dispatches", "tensor.kernels", "grad.cache_hits", "model.decode_ns". */
typedef struct weft_counter {
    const char *name;
    const char *unit;               /* "count", "bytes", "ns"                               */
    uint64_t    value;
} weft_counter;

WEFT_API uint32_t weft_context_counter_count(const weft_context *ctx);
WEFT_API bool     weft_context_counter_get(weft_counter *out, const weft_context *ctx,
                                           uint32_t index);
/* The value by name; 0 if the counter does not exist yet. */
WEFT_API uint64_t weft_context_counter(const weft_context *ctx, const char *name);

/* ---- tuning of workgroup sizes ---- */

/* Measures one candidate: dispatches the kernel with this workgroup size on ctx (without
 * waiting). False if the candidate cannot run. */
typedef bool (*weft_tune_run)(void *user, weft_context *ctx, const uint32_t size[3]);

typedef struct weft_tune_desc {
    const char     *kernel;         /* what is tuned: "matmul.f32 1024x1024x1024"           */
    const uint32_t (*candidates)[3];
    uint32_t        candidate_count;
    weft_tune_run   run;
    void           *user;
    uint64_t        time_limit;     /* nanoseconds                    0: 200 ms             */
    bool            again;          /* measure even if a result is remembered               */
    weft_progress   progress;
    void           *progress_user;
} weft_tune_desc;

/* The fastest candidate for this kernel on this device. Results are remembered in one file
 * per user ($XDG_CACHE_HOME/weft/tune.tsv), so the search runs once. With time_limit WEFT_OFF
 * nothing is measured: the remembered result or the first candidate. */
WEFT_API bool weft_context_tune(uint32_t out[3], weft_context *ctx, const weft_tune_desc *desc);

#ifdef __cplusplus
}
#endif

#endif
