// SPDX-License-Identifier: Apache-2.0
/*
 * gpu_priv.h - the objects of webgpu.h, and what the files of this folder share.
 *
 * One file is one kind of object. Each function of webgpu.h goes the same way:
 * resolve defaults, find the fault (a sentence or NULL), act.
 *
 * Objects    counted by `refs`; the API's references and those of other objects
 *            count alike. Devices and instances count the API's once more, since
 *            the last of these ends them. An object keeps its device alive.
 * Locks      in the order they may be taken; none is held while user code runs:
 *              submit_lock    of a queue: the order of submits
 *              lock           of a queue: serials, batches, map states, writes
 *              lock           of a device: loss, error scopes
 *              lock           of a shader module: its kernels
 *              label_lock     of a device: the labels of its objects
 *              lock           of an instance's futures
 *              lock           of a list of tasks
 *            Encoders and passes have none: one thread at a time uses them.
 * User code  callbacks run on the thread that waits, that processes events, or
 *            that calls (what is complete at once, errors); those of work that
 *            completes by itself run on the instance's event thread. A backend's
 *            threads never run any.
 */
#ifndef WEFT_GPU_GPU_PRIV_H
#define WEFT_GPU_GPU_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <webgpu/webgpu.h>
#include <webgpu/weft.h>
#include <weft/wgsl.h>

#include "base/fork.h"
#include "base/clock.h"
#include "base/macro.h"
#include "gpu/gpu.h"

/* What adapters promise at most, whatever the backend says: bounds of our arrays
 * and bit sets. */
#define MAX_BIND_GROUPS     8u
#define MAX_BINDINGS        65536u
#define MAX_DYNAMIC_BUFFERS 64u
#define MAX_IMMEDIATES      256u            /* bytes; one bit for 4 in a uint64_t */

/* Futures in one wait with a timeout: the instance limit timedWaitAnyMaxCount. */
#define MAX_TIMED_WAIT      64u

/* ---- faults.c: sentences, strings, chains ---- */

/* Room for the sentence that says what is wrong. */
typedef struct Fault {
    char text[768];
} Fault;

/* Writes the sentence and returns it: `return fault(f, "size is %u", size);`. */
const char *fault(Fault *f, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A string of the API with its length known. */
typedef struct View {
    const char *data;                       /* NULL: no string                    */
    size_t      len;
} View;

/* False: NULL with a length, which is wrong. */
bool view_of(WGPUStringView s, View *out);
const char *view_fault(Fault *f, const char *what, WGPUStringView s);
/* For "%.*s", cut where it gets long. */
#define VIEW_ARG(v) (int)MIN_OF((v).len, 200), (v).data ? (v).data : ""

static inline WGPUStringView string_view(const char *text)
{
    return (WGPUStringView){text, text ? strlen(text) : 0};
}

/* Dawn's toggles, for programs that were made for it: accepted and ignored, since they do
 * not change results. */
#define STYPE_DAWN_TOGGLES ((WGPUSType)0x0005000A)

/*
 * Walks a chain in which the sTypes of `allowed` may occur, once each. found[i] is
 * the struct of allowed[i], or NULL; `found` may be NULL. Returns what is wrong with
 * the chain, or NULL. `where` names the struct it hangs on.
 */
const char *chain_fault(Fault *f, const char *where, const WGPUChainedStruct *chain,
                        const WGPUSType *allowed, uint32_t nallowed,
                        const WGPUChainedStruct **found);
/* The same where nothing is allowed. */
const char *chain_none_fault(Fault *f, const char *where, const WGPUChainedStruct *chain);

/* a + b > limit, without overflow. */
static inline bool beyond(uint64_t a, uint64_t b, uint64_t limit)
{
    return a > limit || b > limit - a;
}

/* free() for what the API shows as const. */
void free_const(const void *p);
/* A number of this thread's own, never 0 and never given to another. */
uint64_t thread_id(void);

/* ---- tasks.c: threads that do what is asked of them, in order ---- */

typedef struct Task Task;
struct Task {
    Task *next;
    void (*run)(Task *task);                /* may free the task                  */
};

typedef struct Worker Worker;

typedef struct Tasks {
    pthread_mutex_t lock;
    pthread_cond_t  more;                   /* a task came, or the end            */
    Task           *first, *last;
    Worker         *workers;
    uint32_t        max, count, idle;       /* threads                            */
    uint32_t        pending;                /* tasks in the list                  */
    bool            closing;
    uint32_t        generation;             /* fork.h                             */
} Tasks;

/* Threads are started as tasks come, `max` at the most; 1 keeps the order. */
void tasks_init(Tasks *t, uint32_t max);
/* The list is empty by now. Waits for the threads, but not for the calling one if
 * it is one of them: that ends when its task does. */
void tasks_fini(Tasks *t);
/* Makes sure that there is a thread; false: the system refuses. */
bool tasks_start(Tasks *t);
/* False: there is no thread and none to be had; the task is not taken. */
bool tasks_add(Tasks *t, Task *task);

/* ---- object.c: reference counts, labels ---- */

typedef struct Object Object;

typedef struct ObjectClass {
    const char *name;                       /* "bind group layout"                */
    void      (*free)(Object *object);      /* all but the head                   */
} ObjectClass;

struct Object {
    const ObjectClass *class;
    atomic_uint        refs;
    bool               valid;               /* false: an error object             */
    WGPUDevice         device;              /* referenced; NULL: belongs to none  */
    char              *label;               /* NULL: none; label_lock             */
};

/* Zeroed, for what lives short; with free(). NULL: no memory. */
void *object_memory(size_t size);
/* Zeroed, with one reference, valid, with a reference to the device. NULL: no
 * memory, which is reported to the device. */
void *object_new(const ObjectClass *class, size_t size, WGPUDevice device,
                 WGPUStringView label);
void  object_ref(Object *object);
/* For who finds it in a list: false: the last reference is gone, and it is being freed. */
bool  object_try_ref(Object *object);
void  object_unref(Object *object);         /* NULL is allowed                    */
/* Returns what is wrong with the label, or NULL. */
void  object_set_label(Object *object, WGPUStringView label);
char *label_copy(WGPUStringView label);
/* "buffer 'weights'" or "buffer"; `size` bytes at the most. */
void  object_name(const Object *object, char *out, size_t size);
/* "the source 'weights'" or "the source": `what` it is used as. Returns `out`. */
#define ROLE_SIZE 192
const char *object_role(const Object *object, const char *what, char out[ROLE_SIZE]);
/* What is wrong with using `object` for something of `device`, or NULL. */
const char *object_fault(Fault *f, const Object *object, const char *what,
                         WGPUDevice device);

/* The functions AddRef, Release and SetLabel of a plain object. */
#define OBJECT_FUNCTIONS(Name, parameter)                                          \
    void wgpu##Name##AddRef(WGPU##Name parameter)                                  \
    {                                                                              \
        if (parameter)                                                             \
            object_ref(&parameter->base);                                          \
    }                                                                              \
    void wgpu##Name##Release(WGPU##Name parameter)                                 \
    {                                                                              \
        if (parameter)                                                             \
            object_unref(&parameter->base);                                        \
    }                                                                              \
    void wgpu##Name##SetLabel(WGPU##Name parameter, WGPUStringView label)          \
    {                                                                              \
        if (parameter)                                                             \
            object_set_label(&parameter->base, label);                             \
    }

/* ---- future.c ---- */

typedef struct Future Future;
typedef struct WaitNode WaitNode;

typedef struct FutureList {
    Future *first, *last;
} FutureList;

typedef enum FutureState {
    FUTURE_PENDING,
    FUTURE_READY,                           /* complete, the callback has not run */
    FUTURE_FIRING,                          /* the callback runs, or did          */
} FutureState;

struct Future {
    Task         task;                      /* for the event thread               */
    atomic_uint  refs;
    WGPUInstance instance;                  /* referenced                         */
    uint64_t     id;
    WGPUCallbackMode mode;
    WGPUQueue    source;                    /* NULL: of no queue; lives while the
                                               future is PENDING                  */
    /* Runs the callback and gives back what the future holds; without a lock. */
    void       (*fire)(Future *f, bool cancelled);

    /* of the instance's futures lock */
    FutureState  state;
    uint64_t     order;                     /* of becoming ready                  */
    uint64_t     thread;                    /* FIRING: on which                   */
    bool         tracked, posted;           /* in the table; to the event thread  */
    Future      *hash_next;
    FutureList  *list;                      /* that it is in; NULL: none          */
    Future      *list_next, *list_prev;
    WaitNode    *waiters;
    int          status;                    /* of the callback's enumeration      */
    char        *message;                   /* owned; NULL: none                  */

    /* for `fire` */
    union {
        WGPURequestAdapterCallback adapter;
        WGPURequestDeviceCallback device;
        WGPUDeviceLostCallback lost;
        WGPUPopErrorScopeCallback scope;
        WGPUBufferMapCallback map;
        WGPUCompilationInfoCallback info;
        WGPUCreateComputePipelineAsyncCallback compute;
        WGPUCreateRenderPipelineAsyncCallback render;
        WGPUQueueWorkDoneCallback work;
    } callback;
    void  *userdata1, *userdata2;
    Object *object;                         /* what it is about; referenced       */
    WGPUDevice device;                      /* LOST: for the callback             */
    WGPUErrorType error;                    /* scopes                             */
    Future *batch_next;                     /* in a batch's list                  */
    Future *tell_next;                      /* for futures_tell()                 */
};

typedef struct Futures {
    ForkReset       fork_reset;
    pthread_mutex_t lock;
    Future        **buckets;
    uint32_t        nbuckets, count;        /* buckets: a power of two, or 0      */
    uint64_t        first_id, last_id;      /* given: those between, and the last */
    uint64_t        last_order;
    FutureList      ready;                  /* may fire without a wait            */
    FutureList      asked;                  /* pending, of queues: polled when events
                                               are processed                      */
    uint64_t        looks;                  /* that were taken at them            */
    bool            closed;                 /* the instance is gone for the API   */
} Futures;

void futures_init(Futures *fs);
void futures_fini(Futures *fs);
/* Runs all callbacks that still wait as cancelled; later futures are, too. */
void futures_close(WGPUInstance instance);

/* The mode is one there is. */
bool mode_is_valid(WGPUCallbackMode mode);

/* A pending future with one reference, the caller's; NULL: no memory. */
Future *future_new(WGPUInstance instance, WGPUCallbackMode mode,
                   void (*fire)(Future *f, bool cancelled));
void    future_ref(Future *f);
void    future_unref(Future *f);
/* Makes it known under its id. If the instance is gone, fires it as cancelled and
 * answers 0. */
WGPUFuture future_track(Future *f);
/*
 * It has come to pass: `status`, and a message that is copied (NULL: none). False,
 * and nothing happens, if it had already, or is cancelled. Runs no user code: one of
 * the functions below comes next, without a lock.
 */
bool future_ready(Future *f, int status, const char *message);
/* The same, but takes the place of an outcome whose callback has not started yet. */
bool future_override(Future *f, int status, const char *message);
/* What the callback will own, unless it is cancelled first; takes the reference. */
void future_give_object(Future *f, Object *object);
/* Ready on a thread of the API's user: a spontaneous callback runs now. */
void future_settle(Future *f);
/* Ready on any other thread: a spontaneous callback runs on the event thread. */
void future_post(Future *f);
/* One or the other. */
void future_tell(Future *f, bool user_thread);
/* For each of a list by `tell_next`; gives up a reference each. */
void futures_tell(Future *list, bool user_thread);
WGPUStringView future_message(const Future *f);

/* ---- instance.c ---- */

struct WGPUInstanceImpl {
    Object      base;
    atomic_uint external;                   /* references of the API              */
    const GpuBackend *const *backends;      /* ends with NULL                     */
    bool        timed_wait, many_devices;   /* features                           */
    WGPUWeftCacheMode cache_mode;
    char       *cache_folder;               /* NULL: the user's                   */
    WGPUWeftLogCallback log;                /* may be NULL                        */
    void       *log_userdata1, *log_userdata2;
    Futures     futures;
    Tasks       events;                     /* one thread: spontaneous callbacks  */
    Tasks       jobs;                       /* compilers                          */
};

/* wgpuCreateInstance() with backends of the caller's choice. */
WGPUInstance instance_create(const WGPUInstanceDescriptor *descriptor,
                             const GpuBackend *const *backends);
/* Says what is wrong where the API has no other way to. */
void instance_log(WGPUInstance instance, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* False for a callback info that cannot report its own fault; logs it. */
bool callback_is_usable(WGPUInstance instance, const char *function,
                        WGPUCallbackMode mode, bool has_callback);

/* ---- limits.c, features.c ---- */

typedef struct Limits {
    WGPULimits limits;                      /* nextInChain: NULL                  */
    /* of vertex and fragment shaders: buffers, textures                          */
    uint32_t   vertex_buffers, vertex_textures, fragment_buffers, fragment_textures;
} Limits;

/* Limits of an adapter; NULL, or which of them is less than the standard's default. */
const char *limits_of_adapter(Fault *f, Limits *out, const GpuLimits *from);
/* What a device gets that asks for `wish` (NULL: nothing); NULL, or what cannot be. */
const char *limits_of_device(Fault *f, Limits *out, const Limits *adapter,
                             const WGPULimits *wish);
/* For the Get...Limits functions. Returns what is wrong; then nothing is written. */
const char *limits_write(Fault *f, const Limits *from, WGPULimits *out);

/* Features are bits, 1 << (row of the table). */
uint32_t features_of_adapter(const GpuAdapterInfo *info);
/* With those it needs; 0: there is no such feature. */
uint32_t feature_bits(WGPUFeatureName name);
bool     features_write(uint32_t features, WGPUSupportedFeatures *out);
const char *feature_name(WGPUFeatureName name);         /* "ShaderF16", or NULL   */
#define FEATURE_WGSL_MAX 8
/* Names for weft_wgsl_desc.enables, with the NULL at its end. */
void     features_wgsl(uint32_t features, const char *names[FEATURE_WGSL_MAX]);

/* ---- adapter.c ---- */

struct WGPUAdapterImpl {
    Object            base;
    WGPUInstance      instance;             /* referenced                         */
    const GpuBackend *backend;
    GpuAdapter       *gpu;
    GpuAdapterInfo    info;
    Limits            limits;
    uint32_t          features;
    atomic_bool       consumed;             /* a device was made of it            */
};

/* What the functions of adapters and devices answer; what is wrong is logged. */
WGPUStatus adapter_info_get(const struct WGPUAdapterImpl *a, const char *function,
                            WGPUAdapterInfo *out);
WGPUStatus limits_get(WGPUInstance instance, const char *function, const Limits *limits,
                      WGPULimits *out);

/* ---- memory.c: what a list of commands is made of ---- */

typedef struct MemoryBlock MemoryBlock;

/*
 * Commands with all they point to and all they use, on their way from an encoder
 * through a command buffer to the queue. Also the queue's writes. Recycled by the
 * device, so that recording allocates nothing most of the time.
 */
typedef struct Batch Batch;
struct Batch {
    Batch      *next;                       /* of the queue's, or of the spare ones */
    WGPUDevice  device;                     /* referenced while it is not spare   */
    GpuCommand *commands;
    uint32_t    ncommands, command_cap;
    uint32_t    unready;                    /* launches whose kernel is not known */
    Object    **refs;                       /* used by the commands; referenced   */
    uint32_t    nrefs, ref_cap;
    uint32_t   *index;                      /* hash: place in `refs` + 1; 0: none */
    uint32_t    index_cap;                  /* a power of two, or 0               */
    MemoryBlock *blocks;                    /* newest first                       */
    char       *at, *end;                   /* free part of the newest            */
    void       *owned;                      /* malloc'ed, linked by first pointer */
    size_t      bytes;                      /* of writes                          */
    uint64_t    serial;                     /* queue lock, once submitted         */
    GpuSubmit   submit;                     /* what the backend is given          */
    Future     *waiting, *waiting_last;     /* queue lock; each referenced        */
};

Batch *batch_new(WGPUDevice device);        /* NULL: no memory                    */
void   batch_free(Batch *batch);            /* gives up all references; NULL: ok  */
/* batch_free() in three steps, the last of which is to give up the device. */
void   batch_drop_refs(Batch *batch);
void   batch_recycle(Batch *batch, WGPUDevice device);
void   batch_destroy(Batch *batch);         /* a spare one                        */
/* Zeroed if it comes to that; NULL: no memory. */
GpuCommand *batch_command(Batch *batch, GpuCommandKind kind);
/* 16-aligned, not zeroed; lives as long as the batch. NULL: no memory. */
void  *batch_alloc(Batch *batch, size_t size);
/* From staging_new(); from now on the batch's. */
void   batch_own(Batch *batch, void *staging);
void  *staging_new(size_t size);            /* zeroed, 16-aligned; NULL: no memory */
void   staging_free(void *staging);         /* NULL is allowed                    */
/* The commands use `object`; false: no memory. */
bool   batch_use(Batch *batch, Object *object);

/* ---- queue.c, write.c ---- */

struct WGPUQueueImpl {
    WGPUDevice      device;                 /* it is part of it                   */
    char           *label;                  /* label_lock                         */
    pthread_mutex_t submit_lock;
    pthread_mutex_t lock;
    pthread_cond_t  written;                /* a write by the host is over        */
    uint64_t        serial, completed;      /* the last one given, the last one done */
    Batch          *first, *last;           /* submitted and not complete         */
    Batch          *unsent;                 /* the first of those that the backend has
                                               not been given; submit_lock        */
    bool            holds_exit;             /* exit() waits for these; submit_lock */
    Batch          *writes;                 /* not yet submitted; NULL: none      */
    WGPUBuffer      buffers;                /* all that are not destroyed         */
    WGPUBuffer      trash;                  /* destroyed and in use; referenced   */
    uint64_t        looked_at;              /* by which of Futures.looks; of its lock */
};

void queue_init(WGPUQueue queue, WGPUDevice device, char *label);
void queue_fini(WGPUQueue queue);
/* "queue 'q': sentence" */
void queue_report(WGPUQueue queue, WGPUErrorType type, const char *sentence);
/* With the lock: the batch is the last that uses the buffer. */
void queue_mark(WGPUBuffer buffer, Batch *batch);
/* Submits the writes that wait for a submit. Without a lock. */
void queue_flush(WGPUQueue queue);
/* A kernel was made, or will not be: goes on with what waited for it. Without a lock. */
void queue_resume(WGPUQueue queue);
/* The device is lost: wakes all waiters. Without a lock. */
void queue_lose(WGPUQueue queue, bool user_thread);
/* Writes the whole buffer from staging memory, which it takes. With the lock; false:
 * no memory, and nothing is taken. */
bool queue_write_staging(WGPUQueue queue, WGPUBuffer buffer, void *staging);
/* Carries out work on this thread, if no thread does, for `limit` as in GpuBackend.help; false:
 * it did nothing. */
bool queue_assist(WGPUQueue queue, uint64_t limit);
/* Who waits, or processes events, sees to the queue where the device lets him; others do
 * not, and the device must. */
bool queue_needs_watch(WGPUQueue queue, WGPUCallbackMode mode);
/* Submitted work completes without a waiting thread's help. */
void queue_watch(WGPUQueue queue);
/* The batch completes `f`, if it is not complete yet. With the lock; false: it is, or
 * there is none. */
bool queue_wait(WGPUQueue queue, Batch *batch, Future *f);

/* ---- device.c, error.c ---- */

typedef struct Scope Scope;
struct Scope {
    Scope          *outer;
    WGPUErrorFilter filter;
    WGPUErrorType   type;                   /* NoError: it took none              */
    char           *message;
    uint32_t        held;                   /* calls whose errors may come later  */
    Future         *popped;                 /* referenced; NULL: it is still open */
};

typedef struct ScopeStack ScopeStack;       /* the scopes of one thread           */
struct ScopeStack {
    ScopeStack *next;
    uint64_t    thread;
    Scope      *top;
};

struct WGPUDeviceImpl {
    Object            base;
    atomic_uint       external;             /* references of the API              */
    Task              reap;                 /* frees it on the event thread       */
    WGPUAdapter       adapter;              /* referenced                         */
    WGPUInstance      instance;             /* of the adapter                     */
    const GpuBackend *backend;
    GpuDevice        *gpu;
    Limits            limits;
    uint32_t          features;
    bool              has_deadline;         /* each dispatch has: they stay apart */
    struct WGPUQueueImpl queue;
    pthread_mutex_t   label_lock;
    _Atomic(Batch *)  handy;                /* the next to be used; NULL: none    */
    pthread_mutex_t   memory_lock;          /* spare batches                      */
    Batch            *spare;
    uint32_t          nspare;
    atomic_ullong     next_exclusive;       /* numbers of automatic layouts       */
    atomic_uint       idle_kernels;         /* made ahead since a pipeline was used */
    WGPUUncapturedErrorCallbackInfo uncaptured;

    ForkReset         fork_reset;
    pthread_mutex_t   lock;
    atomic_bool       lost;                 /* written under the lock             */
    uint32_t          reporting;            /* uncaptured-error callbacks running */
    bool              lost_waits;           /* the lost future waits for them     */
    WGPUDeviceLostReason lost_reason;
    char             *lost_message;
    Future           *lost_future;          /* referenced                         */
    ScopeStack       *scopes;
};

void device_ref(WGPUDevice device);
void device_unref(WGPUDevice device);
/* A reference, unless the last one is gone already. */
bool device_try_ref(WGPUDevice device);
/* The same on a thread of the backend, which cannot end itself: true if it was the last
 * reference, and then device_reap() lets the event thread do it. */
bool device_drop_ref(WGPUDevice device);
void device_reap(WGPUDevice device);
static inline bool device_is_lost(const struct WGPUDeviceImpl *d)
{
    return atomic_load_explicit(&d->lost, memory_order_acquire);
}
void device_lose(WGPUDevice device, WGPUDeviceLostReason reason, const char *message,
                 bool user_thread);
/* In a child of fork(), a device of the parent is lost from its first use on. On the program's
 * thread, without a lock. */
void device_notice_fork(WGPUDevice device);
/* Completes the lost future once nothing keeps it waiting. */
void device_tell_lost(WGPUDevice device, bool user_thread);

/* Reports an error of this thread's call: to a scope, to the callback, or nowhere if
 * the device is lost. Without a lock. */
void device_error(WGPUDevice device, WGPUErrorType type, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* "buffer 'x': sentence". The callback may release the object's device, which lasts as
 * long as the object does. */
void object_report(const Object *object, WGPUErrorType type, const char *sentence);
/* Straight to the callback, whatever scopes are open; on the event thread. */
void device_uncaptured(WGPUDevice device, WGPUErrorType type, const char *message);
/* The scope of this thread that takes errors of this type, kept for one that may come
 * later; NULL: there is none. Without a lock. */
Scope *scope_hold(WGPUDevice device, WGPUErrorType type);
/* Ends that: the error came, or none did (NoError). On any thread. */
void scope_settle(WGPUDevice device, Scope *scope, WGPUErrorType type, const char *message);
void error_scopes_free(WGPUDevice device);

/* ---- buffer.c, map.c ---- */

typedef struct Range {
    uint64_t start, end;
} Range;

/* Sorted, none overlapping another. */
typedef struct Ranges {
    Range   *data;
    uint32_t len, cap;
} Ranges;

struct WGPUBufferImpl {
    Object          base;
    uint64_t        size;
    WGPUBufferUsage usage;
    GpuBuffer      *gpu;                    /* NULL: it is not valid; never changes */
    void           *data;                   /* its bytes; NULL: out of reach      */
    WGPUWeftHostMemoryCallback host_gone;   /* its bytes are the program's; or NULL */
    void           *host_user1, *host_user2;

    /* of the queue's lock */
    WGPUBuffer      next, prev;             /* in the queue's list                */
    bool            listed, destroyed;
    bool            gpu_gone;               /* `gpu` was given back               */
    uint32_t        writing;                /* writes by the host under way       */
    Range           written;                /* by these, at the most              */
    uint64_t        last_use;               /* serial                             */
    Batch          *last_batch;             /* good while last_use > completed    */
    WGPUBufferMapState map_state;
    WGPUMapMode     map_mode;
    Range           map_range;
    char           *map_data;               /* byte 0 of the buffer               */
    void           *staging;                /* behind map_data; NULL: `data` is   */
    Future         *map_future;             /* PENDING; referenced                */
    bool            map_refused;            /* PENDING: it was wrong and will fail */
    Ranges          taken, shown;           /* given out: to write, to read       */
};

extern const ObjectClass buffer_class;
/* What is wrong with using it this way for something of `device`, or NULL. */
const char *buffer_use_fault(Fault *f, WGPUBuffer buffer, const char *what,
                             WGPUDevice device, WGPUBufferUsage usage);
/* With the queue's lock: "mapped" or "destroyed", which no submit may use; or NULL. */
const char *buffer_unavailable(WGPUBuffer buffer);
/* With the queue's lock: ends maps and, with `destroy`, gives the memory back. What is
 * to be told is added to *tell, by tell_next. */
void buffer_end(WGPUBuffer buffer, bool destroy, const char *why, Future **tell);
/* With the queue's lock: nothing of it is mapped any more. */
void buffer_forget_map(WGPUBuffer buffer);
/* Gives back the memory of destroyed buffers that nothing after `done` uses. With the
 * queue's lock; the references of the list by `next` that it returns are the caller's. */
WGPUBuffer buffers_collect(WGPUQueue queue, uint64_t done);
void buffers_unref(WGPUBuffer list);        /* by `next`; without a lock          */

/* ---- layout.c ---- */

typedef struct LayoutEntry {
    uint32_t        binding;
    WGPUShaderStage visibility;
    WGPUBufferBindingType type;             /* Uniform, Storage, ReadOnlyStorage  */
    bool            dynamic;
    uint32_t        dynamic_index;          /* among the dynamic ones             */
    uint64_t        min_size;
} LayoutEntry;

struct WGPUBindGroupLayoutImpl {
    Object      base;
    uint64_t    exclusive;                  /* of one pipeline; 0: of any         */
    uint32_t    dynamic_count;
    uint32_t    nentries;
    LayoutEntry entries[];                  /* by binding                         */
};

struct WGPUPipelineLayoutImpl {
    Object              base;
    uint32_t            immediate_size;
    WGPUBindGroupLayout groups[MAX_BIND_GROUPS];    /* referenced; NULL: empty    */
};

extern const ObjectClass pipeline_layout_class;

/* Slots that layouts use towards limits. */
typedef struct SlotCount {
    uint32_t dynamic_uniform, dynamic_storage;
    uint32_t uniform[3], storage[3];        /* by stage: vertex, fragment, compute */
} SlotCount;

/* A layout of `exclusive`'s; entries are sorted and valid. NULL: no memory. */
WGPUBindGroupLayout layout_new(WGPUDevice device, const LayoutEntry *entries,
                               uint32_t nentries, uint64_t exclusive);
WGPUBindGroupLayout layout_error(WGPUDevice device);
bool layout_equal(WGPUBindGroupLayout a, WGPUBindGroupLayout b);
const LayoutEntry *layout_find(WGPUBindGroupLayout layout, uint32_t binding);
void slots_add(SlotCount *slots, const LayoutEntry *entry);
const char *slots_fault(Fault *f, const SlotCount *slots, const Limits *limits);
const char *binding_type_name(WGPUBufferBindingType type);      /* "read-only storage" */

/* ---- bind.c ---- */

typedef struct BoundBuffer {
    WGPUBuffer buffer;                      /* referenced                         */
    uint64_t   offset, size;
    bool       whole;                       /* to the end of the buffer           */
} BoundBuffer;

extern const ObjectClass bind_group_class;

struct WGPUBindGroupImpl {
    Object              base;
    WGPUBindGroupLayout layout;             /* referenced                         */
    uint32_t            nentries;
    BoundBuffer         entries[];          /* as in the layout                   */
};

/* ---- module.c ---- */

typedef struct KernelSlot KernelSlot;

struct WGPUShaderModuleImpl {
    Object          base;
    weft_wgsl      *wgsl;                   /* NULL: there is no WGSL             */
    pthread_mutex_t lock;
    KernelSlot     *kernels;
    uint32_t        nkernels;
    uint64_t        clock;
};

/* ---- kernel.c ---- */

/* What came of making something. */
typedef struct Outcome {
    WGPUErrorType type;                     /* NoError: it was made               */
    Fault         fault;
} Outcome;

typedef enum KernelState { KERNEL_MAKING, KERNEL_READY, KERNEL_FAILED } KernelState;

/* Who is to be told when a kernel is made, or is not. */
typedef struct KernelWait KernelWait;
struct KernelWait {
    KernelWait *next;
    void      (*told)(KernelWait *wait);    /* on any thread, without a lock; once */
};

/* An entry point with the values of its constants: compiled once for all the
 * pipelines that use it. */
struct KernelSlot {
    Task             task;                  /* compiles it                        */
    KernelSlot      *next;                  /* of the module; its lock            */
    KernelWait      *waiting;               /* the module's lock                  */
    atomic_uint      refs;                  /* of pipelines, the module, the task */
    WGPUDevice       device;                /* referenced                         */
    uint64_t         used;                  /* of the module's clock              */
    WGPUShaderModule module;                /* MAKING: referenced by the task     */
    const weft_entry_point *entry;          /* of the module: a key               */
    OverrideSetting *settings;              /* keys: copied                       */
    uint32_t         nsettings;
    uint32_t         workgroup_size[3];
    uint64_t         workgroup_bytes;
    uint32_t         subgroup_size;         /* 0: any                             */
    uint64_t         max_total;             /* workgroups in all; 0: no bound     */
    uint64_t         immediate_slots;       /* one bit for 4 bytes that are read  */
    atomic_bool      started;               /* its compilation has started        */
    atomic_int       state;                 /* KernelState; the rest is there once
                                               it is not MAKING                   */
    GpuKernel       *gpu;                   /* NULL: it failed                    */
    Outcome          outcome;               /* FAILED: why                        */
};

static inline KernelState kernel_state(const KernelSlot *slot)
{
    return (KernelState)atomic_load_explicit(&slot->state, memory_order_acquire);
}

/* The entry point with these constants, referenced; NULL with *outcome if they do not
 * fit. Compilation begins when it is started. */
KernelSlot *kernel_slot_get(WGPUShaderModule module, const weft_entry_point *entry,
                            const OverrideSetting *settings, uint32_t nsettings,
                            Outcome *outcome);
/* False: it is not MAKING any more, and `wait` is not told. */
bool kernel_slot_wait(KernelSlot *slot, WGPUShaderModule module, KernelWait *wait);
/* Starts the compilation unless it has started; `module` is the one it was got from. */
void kernel_slot_start(KernelSlot *slot, WGPUShaderModule module);
void kernel_slot_unref(KernelSlot *slot);   /* NULL is allowed                    */
/* The module keeps none any more. */
void kernels_drop(WGPUShaderModule module);

/* ---- pipeline.c ---- */

typedef struct PipelineBinding {
    uint32_t group, binding;
    uint32_t slot;                          /* place in the group's entries       */
    uint64_t min_size;                      /* to be checked at dispatch; 0: known */
} PipelineBinding;

struct WGPUComputePipelineImpl {
    Object             base;
    WGPUPipelineLayout layout;              /* referenced; NULL: not valid        */
    KernelSlot        *kernel;              /* referenced; NULL: not valid        */
    PipelineBinding   *bindings;            /* by group, then binding             */
    uint32_t           nbindings;
    uint32_t           ngroups;             /* last group of the layout + 1       */
    WGPUShaderModule   module;              /* referenced, if the kernel is made on
                                               demand, or else NULL               */
    atomic_bool        on_demand;           /* and not requested yet              */
};

/* It is about to be used: its kernel is made, if that was put off. */
void pipeline_want(WGPUComputePipeline pipeline);

/* What is wrong with using it for something of `device`, or NULL. */
const char *pipeline_fault(Fault *f, WGPUComputePipeline pipeline, WGPUDevice device);

/* ---- query.c ---- */

extern const ObjectClass query_set_class;

struct WGPUQuerySetImpl {
    Object        base;
    WGPUQueryType type;
    uint32_t      count;
    GpuQueries   *gpu;                      /* NULL: occlusion, or not valid      */
    bool          destroyed;                /* queue lock                         */
};

/* ---- encoder.c, pass.c ---- */

typedef enum EncoderState { ENCODER_OPEN, ENCODER_LOCKED, ENCODER_ENDED } EncoderState;

/* What encoders and passes have in common. */
typedef struct Recorder {
    EncoderState state;
    char        *error;                     /* the first fault; NULL: none        */
    uint32_t     debug_depth;
} Recorder;

struct WGPUCommandEncoderImpl {
    Object   base;
    Recorder recorder;
    Batch   *batch;                         /* NULL: ended                        */
    uint32_t passes;                        /* begun so far                       */
    uint32_t open_pass;                     /* LOCKED: by which of them           */
};

struct WGPUCommandBufferImpl {
    Object base;
    Batch *batch;                           /* queue lock; NULL: submitted        */
    bool   seen;                            /* queue lock: in this very submit    */
};

struct WGPUComputePassEncoderImpl {
    Object              base;
    Recorder            recorder;
    WGPUCommandEncoder  encoder;            /* referenced                         */
    uint32_t            number;             /* of the encoder's passes; 0: it locks
                                               nothing                            */
    WGPUQuerySet        end_queries;        /* used by the batch; NULL: none      */
    uint32_t            end_index;
    WGPUComputePipeline pipeline;           /* used by the batch; NULL: none      */
    WGPUBindGroup       groups[MAX_BIND_GROUPS];    /* used by the batch          */
    const uint32_t     *offsets[MAX_BIND_GROUPS];   /* dynamic; in the batch      */
    GpuLaunch          *launch;             /* for what is set; NULL: not made yet */
    const GpuBinding   *bindings;           /* the same                           */
    bool                immediates_good;    /* the copy is of what is set         */
    const void         *immediates_copy;
    uint64_t            immediates_set;     /* one bit for 4 bytes                */
    uint8_t             immediates[MAX_IMMEDIATES];
};

/* The recorder is not open, or wrong already: keeps or reports that; false. */
bool recorder_refuse(Recorder *r, const Object *object, const char *command);

/* Before a command: true if it may be recorded. Otherwise nothing is to be done. */
static inline bool recorder_begin(Recorder *r, const Object *object, const char *command)
{
    return (r->state == ENCODER_OPEN && !r->error) || recorder_refuse(r, object, command);
}

/* The command is wrong: `sentence` is kept if it is the first. */
void recorder_fail(Recorder *r, const char *command, const char *sentence);
void recorder_push_group(Recorder *r, const Object *object, WGPUStringView label);
void recorder_pop_group(Recorder *r, const Object *object);
void recorder_marker(Recorder *r, const Object *object, WGPUStringView label);

/* A pass begins: locks the encoder, and answers the number of the pass. 0: it was not
 * open, which is reported or kept; the pass is then wrong from the start. */
uint32_t encoder_lock(WGPUCommandEncoder encoder, const char *command, Recorder *pass);
/* A pass ends, and with it the lock; what is wrong with the pass is wrong with the
 * encoder. False: it was not the open one, which is reported. */
bool encoder_unlock(WGPUCommandEncoder encoder, uint32_t number, const Object *pass,
                    Recorder *recorder);
/* What is wrong with the writes of a pass, or NULL. */
const char *timestamp_writes_fault(Fault *f, const WGPUPassTimestampWrites *writes,
                                   WGPUDevice device);
/* Records a timestamp; false: no memory. */
bool encoder_timestamp(WGPUCommandEncoder encoder, WGPUQuerySet set, uint32_t index);

#endif
