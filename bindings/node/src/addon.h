/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addon.h - what the files of the addon share.
 *
 * in     calls from lib/, with arguments that lib/ has already converted
 * out    calls of webgpu.h
 * knows  Node-API, webgpu.h, webgpu/weft.h
 * not    WebIDL: what a JavaScript value means is decided in lib/; libweft: layer.h
 *
 * The addon is flat: a function for each of webgpu.h that JavaScript needs, with
 * handles, numbers, strings and arrays of these as arguments. lib/ alone calls it,
 * so a wrong argument is our mistake; it throws, and never reaches the library.
 */
#ifndef WEFT_NODE_ADDON_H_
#define WEFT_NODE_ADDON_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <node_api.h>
#include <webgpu/webgpu.h>
#include <webgpu/weft.h>

#define COUNTOF(a) (sizeof(a) / sizeof((a)[0]))

/* ---- environments: event.c ---- */

/*
 * One for each Node.js environment: the main thread, and each worker. Counted:
 * the environment has one reference, each event on its way another, because the
 * library may call back when the environment is already gone.
 */
typedef struct Env      Env;
typedef struct Event    Event;
typedef struct Handle   Handle;
typedef struct Home     Home;       /* layer.h */
typedef struct Answer   Answer;
typedef struct Job      Job;
typedef struct JobQueue JobQueue;
typedef struct Jobs     Jobs;

/* `dispatch` is called in the loop of `napi` for each event, `fail` makes an error of its
 * kind, message and names. `owned` is freed with the Env, and also if it cannot be made, which
 * gives NULL. */
Env *env_create(napi_env napi, napi_value dispatch, napi_value fail, void *owned);
/* fail(), on the thread of the environment. */
napi_value env_fail(Env *env);
napi_env env_napi(const Env *env);
/* The jobs that are under way: job.c. */
Jobs *env_jobs(Env *env);
Jobs *jobs_create(void);                /* NULL: no memory */
void  jobs_end(Jobs *jobs);             /* cancels all, and waits for those that run */
void  jobs_free(Jobs *jobs);

/* Calls `dispatch` for all events that are there, from within a call on its thread. */
void env_deliver(Env *env);

/* Keeps the process from ending, until it is off as often as it was on. */
void env_hold(Env *env, bool on);

/* ---- handles: handle.c ---- */

typedef enum Kind {
    KIND_NONE,
#define KIND(name, Name) KIND_##name,
#include "kinds.def"
#undef KIND
#define OBJECT(name, release) KIND_##name,
#include "objects.def"
#undef OBJECT
    KIND_CONTEXT,                   /* a Home */
    KIND_JOB,
    KIND_ANSWER,
    KIND_COUNT
} Kind;

/* A JavaScript value that owns one reference to `object`, and gives it back when it
 * is collected. NULL gives null. `bytes`: memory that V8 should know it holds. */
napi_value handle_new(napi_env napi, Kind kind, void *object, uint64_t bytes);
/* The same for an object of a context, which gets one more reference. */
napi_value handle_new_owned(napi_env napi, Kind kind, void *object, uint64_t bytes, Home *home);
/* The object behind a handle of that kind, or NULL. */
void *handle_get(napi_env napi, napi_value value, Kind kind);
Kind handle_kind(napi_env napi, napi_value value);
/* NULL: it is not a handle. */
Handle *handle_find(napi_env napi, napi_value value);
/* Its object, NULL once it was closed or if it is another kind; its context. */
void *handle_object(const Handle *h, Kind kind);
Home *handle_home(const Handle *h);
bool  handle_is_closed(const Handle *h);
/* Gives the object back before the handle is collected. */
void  handle_close(napi_env napi, napi_value value);
/* A list of handles whose objects wait to be released: home.c. */
void    handle_link(Handle *h, Handle *next);
Handle *handle_release(Handle *h);  /* releases the object, frees the handle; the next one */
/* The memory is gone before the handle is. */
void handle_bytes_drop(napi_env napi, napi_value value);
void object_release(Kind kind, void *object);

/* ---- calls: call.c ---- */

#define CALL_ARGS 12

/* One call from JavaScript: its arguments, and memory that lives as long as it. */
typedef struct Call {
    napi_env   napi;
    Env       *env;
    Home      *home;                /* of the arguments, if they have one */
    bool       entered;
    size_t     argc;
    napi_value argv[CALL_ARGS];
    void      *blocks;              /* what call_alloc() gave, in a list */
    bool       bad;                 /* an argument was not what it had to be */
    char       small[512];          /* for short strings */
    size_t     small_used;
} Call;

/* False after the last argument was read: something was wrong, and is thrown. */
bool  call_ok(Call *c);
void  call_end(Call *c);
void *call_alloc(Call *c, size_t count, size_t size);   /* zeroed */

void          *arg_object(Call *c, size_t i, Kind kind);
void          *arg_object_or_null(Call *c, size_t i, Kind kind);
uint32_t       arg_u32(Call *c, size_t i);
uint64_t       arg_u64(Call *c, size_t i);
uint64_t       arg_u64_or(Call *c, size_t i, uint64_t otherwise);   /* undefined */
uint32_t       arg_u32_or(Call *c, size_t i, uint32_t otherwise);
bool           arg_bool(Call *c, size_t i);
WGPUStringView arg_string(Call *c, size_t i);       /* undefined: no string */
/* The bytes of an ArrayBuffer, a view or a SharedArrayBuffer. */
void          *arg_bytes(Call *c, size_t i, size_t *size);

/* Arrays: their length, and an element as if it were an argument. */
uint32_t       arg_length(Call *c, size_t i);
napi_value     arg_element(Call *c, size_t i, uint32_t at);
uint32_t       value_u32(Call *c, napi_value v);
uint64_t       value_u64_or(Call *c, napi_value v, uint64_t otherwise);
double         value_double(Call *c, napi_value v);
WGPUStringView value_string(Call *c, napi_value v);
void          *value_object(Call *c, napi_value v, Kind kind);
bool           value_is_undefined(Call *c, napi_value v);

napi_value js_undefined(napi_env napi);
napi_value js_null(napi_env napi);
napi_value js_number(napi_env napi, double value);
napi_value js_string(napi_env napi, WGPUStringView s);
napi_value js_array(napi_env napi, size_t length);
void       js_push(napi_env napi, napi_value array, uint32_t at, napi_value value);

/* ---- events: event.c ---- */

/*
 * Something that the library will tell, once, on any of its threads. It becomes a
 * call of dispatch(token, status, detail, text, object) in the event loop, where
 * `token` is what lib/ gave with the request.
 */
typedef enum EventLife {
    EVENT_HOLDS,            /* the process does not end before it has come */
    EVENT_WATCHES           /* it may never come, and nothing waits for it */
} EventLife;

/* NULL: no memory, and an error is thrown. */
Event *event_new(Call *c, uint32_t token, EventLife life);
/* From now on the process waits for an event that it only watched. */
void   event_await(Event *e);
/* The request was refused without a future: the event comes at once. */
void   event_refuse(Event *e, WGPUFuture future);

void event_text(Event *e, WGPUStringView text);
void event_object(Event *e, Kind kind, void *object);
void event_messages(Event *e, const WGPUCompilationInfo *info);
/* In the place of an object: what `build` makes of `data` in the loop. `end` is called once,
 * on any thread, also if the event is never delivered. */
typedef napi_value (*EventBuild)(napi_env napi, void *data);
void event_payload(Event *e, EventBuild build, void (*end)(void *data), void *data);
void event_post(Event *e, uint32_t status, uint32_t detail);
/* One more of the same, as errors are: not asked for one by one. */
void event_repeat(Event *e, uint32_t status, WGPUStringView text);
/* A further event for the token of `e`, to be posted; NULL: no memory. */
Event *event_again(const Event *e);
/* Frees an event that will not be posted; on the thread of its environment. */
void event_drop(Event *e);

/* ---- the functions, by file ---- */

typedef struct Function {
    const char *name;
    napi_value (*run)(Call *c);
} Function;

extern const Function instance_functions[];
extern const Function buffer_functions[];
extern const Function binding_functions[];
extern const Function command_functions[];
extern const Function texture_functions[];
extern const Function layer_functions[];
extern const Function answer_functions[];
extern const Function context_functions[];
extern const Function context_tune_functions[];
extern const Function tensor_functions[];
extern const Function tensor_data_functions[];
extern const Function tensor_op_functions[];
extern const Function tensor_dense_functions[];
extern const Function tensor_gpu_functions[];
extern const Function tensor_index_functions[];
extern const Function tensor_kernel_functions[];
extern const Function tensor_math_functions[];
extern const Function store_functions[];
extern const Function vectors_functions[];
extern const Function model_functions[];
extern const Function model_session_functions[];
extern const Function pool_functions[];
extern const Function pool_execute_functions[];
extern const Function grad_functions[];
extern const Function grad_evaluate_functions[];

#endif
