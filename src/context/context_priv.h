// SPDX-License-Identifier: Apache-2.0
/*
 * context_priv.h - the parts of a context, for the files of this folder.
 *
 *   Device      what contexts share: library, device, queue, compiled kernels; thread-safe
 *   Memory      budget, pools of free buffers, evictors
 *   Recorder    the command encoder that dispatches go into, uniform data, bind groups
 *   Futures     asynchronous reads and completions that are under way
 */
#ifndef WEFT_CONTEXT_CONTEXT_PRIV_H
#define WEFT_CONTEXT_CONTEXT_PRIV_H

#include <stdatomic.h>

#include "context/context.h"
#include "context/library.h"
#include "context/platform_priv.h"

/* ---- the device ---- */

/* Loss and errors of a device, told on any thread. It outlives the device until the lost
 * callback has run. */
typedef struct DeviceState {
    atomic_uint refs;
    Lock        lock;
    atomic_bool lost;
    atomic_uint error_count;            /* of uncaptured errors                        */
    char        lost_why[512], error[1024];
} DeviceState;

/* Compiled kernels by their text, the least recently used leave. */
typedef struct PipelineCache {
    Lock            lock;
    weft_pipeline **buckets;            /* [bucket_count], chained by `next`           */
    uint32_t        bucket_count, count, limit;
    uint64_t        tick;
} PipelineCache;

typedef struct Device {
    atomic_uint      refs;
    Arena            arena;             /* of the texts in `info`                      */
    Library          lib;
    WGPUAdapter      adapter;
    WGPUDevice       device;
    WGPUQueue        queue;
    DeviceState     *state;
    weft_device_info info;
    bool             deadline;          /* dispatches have one                         */
    PipelineCache    cache;
    atomic_ullong    next_id;           /* of pipelines and buffers                    */
} Device;

/* Opens a device, or says why not in `why` with its kind. */
Device *device_create(const weft_context_desc *desc, weft_error_kind *kind, char *why,
                      size_t why_size);
Device *device_retain(Device *d);
void    device_release(Device *d);
bool    device_available(const weft_context_desc *desc, char *why, size_t why_size);
/* Errors of the calls between the two are caught: false, and `why` has one of them. */
void    device_scope_begin(Device *d);
bool    device_scope_end(Device *d, char *why, size_t why_size);

/* ---- pipelines ---- */

#define PIPELINE_MAX_GROUPS   4u
#define PIPELINE_MAX_BINDINGS 64u

/* The bindings of one group are adjacent. */
typedef struct PipelineGroup {
    uint32_t            first, count;   /* of weft_pipeline.bindings                   */
    uint32_t            dynamic_count;  /* uniform bindings with a dynamic offset      */
    WGPUBindGroupLayout layout;         /* NULL: the group is empty                    */
} PipelineGroup;

/* What became of a kernel that is compiled while its user goes on (verdict.c). */
typedef struct Verdict Verdict;

struct weft_pipeline {
    atomic_uint            refs;        /* a user's reference also holds the device    */
    Device                *device;      /* not held by the cache's reference           */
    uint64_t               id;
    WGPUComputePipeline    gpu;
    Verdict               *verdict;     /* NULL: it is compiled                        */
    PipelineGroup          groups[PIPELINE_MAX_GROUPS];
    uint32_t               group_count;
    weft_pipeline_binding *bindings;    /* [binding_count], malloc'ed with the texts   */
    uint32_t               binding_count;
    uint32_t               workgroup[3];
    char                  *label;
    /* of the cache */
    weft_pipeline         *next;
    uint64_t               hash, last_use;
    char                  *key;         /* text, entry, constants                      */
    size_t                 key_size;
};

void pipeline_cache_init(PipelineCache *c, uint32_t limit);
void pipeline_cache_fini(PipelineCache *c, Device *d);
/* With a reference, or NULL. */
weft_pipeline *pipeline_cache_find(Device *d, uint64_t hash, const char *key, size_t key_size);
/* The cache's own one if another thread was faster; takes over `p`, gives a reference. */
weft_pipeline *pipeline_cache_add(weft_context *ctx, weft_pipeline *p);
void           pipeline_unref(weft_pipeline *p);

/* ---- verdicts on kernels ---- */

/* A pipeline that is created between the two calls returns before its kernel is compiled. */
void     verdict_begin(Device *d);
Verdict *verdict_end(Device *d);        /* NULL: no memory                             */
void     verdict_release(Verdict *v);
/* False with the error set if the kernel is known to have failed; does not wait. */
bool     verdict_check(weft_context *ctx, const weft_pipeline *p);

typedef struct VerdictUse {
    weft_pipeline *pipeline;            /* a reference                                 */
    uint64_t       serial;              /* of the recording with its first dispatch    */
} VerdictUse;

typedef struct Verdicts {
    VerdictUse *list;
    uint32_t    count, room;
} Verdicts;

/* Called for each dispatch; false with the error set if the kernel failed already. */
bool verdicts_note(weft_context *ctx, weft_pipeline *p);
/* The kernels of all recordings before this serial; false with the error set if one failed. */
bool verdicts_wait(weft_context *ctx, uint64_t before);
void verdicts_fini(weft_context *ctx);

/* ---- buffers ---- */

typedef enum BufferKind {
    BUFFER_POOLED,                      /* storage and copies                          */
    BUFFER_STAGING,                     /* for reading back; pooled, too               */
    BUFFER_OTHER,                       /* any other usage: not pooled                 */
    BUFFER_MAPPED,                      /* mapped at first: not pooled                 */
    BUFFER_BORROWED,
    BUFFER_LENT,                        /* over memory of the host: not counted        */
} BufferKind;

struct weft_buffer {
    weft_context   *ctx;
    uint32_t        refs;
    BufferKind      kind;
    bool            owned;              /* by a slot: does not keep the context alive  */
    WGPUBuffer      gpu;
    WGPUBufferUsage usage;
    uint64_t        size;               /* as the user asked for it                    */
    uint64_t        capacity;           /* of the device's buffer                      */
    uint64_t        id;                 /* never used twice                            */
    uint64_t        recorded;           /* serial of the last recording that uses it   */
    weft_buffer    *next;               /* in the pool                                 */
};

#define POOL_CLASSES 512u

typedef struct Pool {
    weft_buffer *free[POOL_CLASSES];
    uint64_t     bytes;
} Pool;

typedef struct Evictor {
    ContextEvict evict;
    void        *user;
} Evictor;

#define MAX_EVICTORS 8u

typedef struct Memory {
    weft_memory counts;
    Pool        pool, staging;
    uint64_t    pool_limit;             /* bytes kept free                             */
    Evictor     evictors[MAX_EVICTORS];
    uint32_t    evictor_count;
    bool        evicting;
    ContextAccount account;             /* take NULL: none                             */
} Memory;

void         memory_init(weft_context *ctx);
void         memory_fini(weft_context *ctx);
/* A staging buffer of at least `size` bytes; returned by weft_buffer_release(). */
weft_buffer *memory_staging(weft_context *ctx, uint64_t size);

/* ---- recording ---- */

#define UNIFORM_BLOCK  (128u << 10)     /* bytes                                       */
#define UNIFORM_MAX    1024u            /* bytes of one value                          */
#define UNIFORM_SLOTS  1024u            /* of the table that finds equal values        */
#define BIND_SETS      1024u            /* of two bind groups each                     */
#define SUBMIT_AFTER   64u              /* dispatches                                  */

typedef struct BindEntry {
    uint64_t buffer, offset, size;      /* buffer: its id                              */
} BindEntry;

typedef struct BindGroup {
    uint64_t      hash, pipeline;
    uint32_t      group, count;
    BindEntry    *entries;              /* [count]                                     */
    WGPUBindGroup gpu;
} BindGroup;

typedef struct UniformSlot {
    uint32_t hash, offset, size;        /* size 0: free                                */
} UniformSlot;

typedef struct Uniforms {
    weft_buffer *buffer;
    uint8_t     *data;                  /* [UNIFORM_BLOCK]                             */
    uint32_t     used, sent;            /* bytes: handed out, written to the device    */
    uint32_t     align;
    UniformSlot  slots[UNIFORM_SLOTS];
} Uniforms;

typedef struct Recorder {
    WGPUCommandEncoder     encoder;
    WGPUComputePassEncoder pass;
    uint64_t               pipeline;    /* id of the one set in the pass; 0: none      */
    WGPUBindGroup          groups[PIPELINE_MAX_GROUPS];     /* set in the pass         */
    uint64_t               serial;      /* of this recording, from 1                   */
    uint32_t               dispatches;
    Uniforms               uniforms;
    BindGroup             *bind_groups; /* [BIND_SETS * 2]                             */
} Recorder;

bool recorder_init(weft_context *ctx);
void recorder_fini(weft_context *ctx);
/* An encoder without an open pass; NULL with the error set. */
WGPUCommandEncoder recorder_encoder(weft_context *ctx);
/* The open pass, or a new one; NULL with the error set. */
WGPUComputePassEncoder recorder_pass(weft_context *ctx);
/* Whether commands that are not submitted yet use the buffer. */
bool recorder_uses(const weft_context *ctx, const weft_buffer *b);
void recorder_mark(weft_context *ctx, weft_buffer *b);
/* The cache forgets bind groups with this buffer. */
void recorder_forget(weft_context *ctx, const weft_buffer *b);

/* The bind group of a group of the pipeline; NULL with the error set. */
WGPUBindGroup bind_group_get(weft_context *ctx, const weft_pipeline *p, uint32_t group,
                             const weft_binding *bindings);
/* Where the value is in the uniform buffer; false: the block is full. */
bool uniforms_put(Uniforms *u, const void *data, uint32_t size, uint32_t *offset);
/* Writes new values to the device; then the block may be used anew. */
void uniforms_send(weft_context *ctx);
void uniforms_restart(Uniforms *u);

/* ---- futures ---- */

typedef struct Pending Pending;

void futures_drop(weft_context *ctx);   /* the callbacks run with ok false             */

/* ---- the context ---- */

/*    name                      unit   */
#define CONTEXT_COUNTERS(X)              \
    X(DISPATCHES,     "context.dispatches",      "count") \
    X(SUBMITS,        "context.submits",         "count") \
    X(COMPILES,       "context.compiles",        "count") \
    X(COMPILE_NS,     "context.compile_ns",      "ns")    \
    X(CACHE_HITS,     "context.pipeline_hits",   "count") \
    X(CACHE_EVICTED,  "context.pipelines_evicted", "count") \
    X(BIND_GROUPS,    "context.bind_groups",     "count") \
    X(BUFFERS,        "context.buffers_created", "count") \
    X(BUFFERS_REUSED, "context.buffers_reused",  "count") \
    X(WRITTEN,        "context.bytes_written",   "bytes") \
    X(READ,           "context.bytes_read",      "bytes") \
    X(EVICTIONS,      "context.evictions",       "count") \
    X(ERRORS,         "context.errors",          "count")

typedef enum ContextCounter {
#define X(id, name, unit) COUNTER_##id,
    CONTEXT_COUNTERS(X)
#undef X
    COUNTER_BUILTIN_COUNT
} ContextCounter;

#define MAX_COUNTERS 128u

typedef struct Slot {
    void  *state;
    void (*fini)(void *state);
} Slot;

struct weft_context {
    uint32_t          refs;
    weft_context_desc desc;             /* resolved, its texts copied                  */
    Device           *device;           /* NULL: none                                  */
    weft_error_kind   open_kind;        /* why there is none                           */
    char              open_why[1024];
    weft_error        error;
    char              message[1024];
    char              names[WEFT_ERROR_NAMES][128];
    uint32_t          seen_errors;      /* of the device's error_count                 */
    weft_counter      counters[MAX_COUNTERS];
    uint32_t          counter_count;
    Slot              slots[CONTEXT_SLOT_COUNT];
    Memory            memory;
    Recorder          recorder;
    Verdicts          verdicts;
    Pending          *pending;
    bool              closing;
};

static inline void context_bump(weft_context *ctx, ContextCounter counter, uint64_t add)
{
    ctx->counters[counter].value += add;
}

void state_init(weft_context *ctx);
/* Records errors that the device reported meanwhile, and its loss. False if it did. */
bool context_check_device(weft_context *ctx);
/* The calls of an object that outlives its context's last user. */
void context_ref(weft_context *ctx);
void context_unref(weft_context *ctx);

#endif
