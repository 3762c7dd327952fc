/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer.h - what the files for libweft share: contexts, errors, options, long calls.
 *
 * in     calls from lib/ with handles, numbers, texts, bytes and objects of options
 * out    calls of libweft, and its results as handles, numbers, bytes or errors
 * knows  Node-API, the headers in include/weft
 * not    the meaning of a layer's arguments: its file (context.c, tensor.c, ...) has it
 *
 * To add a layer:
 *   1. objects.def gets a row for each kind of object that JavaScript shall hold.
 *   2. src/LAYER.c has one static function for each call, and `LAYER_functions`, a table that
 *      addon.h declares and addon.c lists; CMakeLists.txt names the file (scripts/build.js
 *      takes all of src/).
 *   3. A function reads its arguments (arg_*(), option_*()), enters the context with
 *      call_enter(), calls the library, and returns by call_give(), call_done() or a js_*().
 *      Whatever failed before call_enter() makes that false, and is thrown.
 *
 *          static napi_value softmax(Call *c)
 *          {
 *              weft_tensor *x = arg_owned(c, 0, KIND_TENSOR);
 *              const int axis = arg_i32(c, 1);
 *              return call_enter(c) ? call_give(c, KIND_TENSOR, weft_tensor_softmax(x, axis))
 *                                   : NULL;
 *          }
 *
 *   4. Calls that may take longer than some milliseconds are jobs (below), or use futures of
 *      webgpu.h: see tensor_data.c.
 *   5. lib/LAYER.js makes classes of it, LAYER.js, LAYER.mjs and LAYER.d.ts at the top of the
 *      package are its face, and `exports` and `files` in package.json name them.
 */
#ifndef WEFT_NODE_LAYER_H_
#define WEFT_NODE_LAYER_H_

#include "addon.h"

#include <weft/context.h>
#include <weft/model.h>
#include <weft/pool.h>
#include <weft/grad.h>
#include <weft/store.h>
#include <weft/tensor.h>
#include <weft/vectors.h>

/* ---- contexts: home.c ---- */

/*
 * A context of libweft and the lock of the thread that uses it. Counted: every handle of an
 * object made from the context has a reference, so finalizers may come in any order. What is
 * collected while another thread has the context is released when that thread leaves, or by
 * the next one that enters.
 */
Home         *home_create(weft_context *ctx);   /* takes over the reference; NULL: no memory */
Home         *home_retain(Home *home);
void          home_release(Home *home);
weft_context *home_context(const Home *home);
/* Waits until no other thread uses the context. Not to be nested. */
void          home_enter(Home *home);
void          home_leave(Home *home);
/* Releases an object of the context, now or as soon as the context is free. */
void          home_drop(Home *home, Handle *handle);
/* Jobs of the same context run one after another: job.c. */
JobQueue     *home_jobs(Home *home);
JobQueue     *job_queue_create(void);           /* NULL: no memory */
void          job_queue_free(JobQueue *queue);
/* An event that each message of the context's log repeats; released with the context. */
void          home_set_log(Home *home, Event *log);
/* Counts the futures that JavaScript waits for: answer.c. */
void          home_await(Home *home, int more);

/* ---- errors: failure.c ---- */

/* An error on its way to JavaScript, where it is a WeftError. */
typedef struct Failure {
    weft_error_kind kind;
    char           *message;                    /* NULL: there was no memory for it */
    char           *names[WEFT_ERROR_NAMES];
} Failure;

/* Takes the error out of the context, which has none afterwards. */
void       failure_take(Failure *f, weft_context *ctx);
void       failure_set(Failure *f, weft_error_kind kind, const char *message);
void       failure_fini(Failure *f);
napi_value failure_value(Env *env, const Failure *f);

/* Throws the error of the entered context. NULL. */
napi_value call_throw(Call *c);
/* Throws a WeftError, unless something is being thrown already. Sets c->bad. */
void       call_fail(Call *c, weft_error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- calls: layer.c ---- */

/* The object behind a handle of objects.def. Its context becomes the context of the call. */
void *arg_owned(Call *c, size_t i, Kind kind);
void *arg_owned_or_null(Call *c, size_t i, Kind kind);      /* null, undefined: NULL */
/* An array of handles: `*count` objects, which live as long as the call. */
void *const *arg_owned_list(Call *c, size_t i, Kind kind, uint32_t *count);
/* A handle of a context, which becomes the context of the call. */
weft_context *arg_context(Call *c, size_t i);

int         arg_i32(Call *c, size_t i);
weft_dtype  arg_dtype(Call *c, size_t i);                   /* undefined: none */
int64_t     arg_i64(Call *c, size_t i);
double      arg_double(Call *c, size_t i);
const char *arg_text(Call *c, size_t i);                    /* undefined, null: NULL */
/* At most `limit` whole numbers of an array; their count. */
uint32_t    arg_i64_list(Call *c, size_t i, int64_t *out, uint32_t limit);
uint32_t    arg_shape(Call *c, size_t i, uint64_t out[WEFT_MAX_RANK]);
uint32_t    arg_ranges(Call *c, size_t i, weft_range out[WEFT_MAX_RANK]);

/* The numbers of a typed array of that type, in place; NULL where it is undefined. */
void       *arg_array(Call *c, size_t i, napi_typedarray_type type, size_t *count);

/* Options: members of an object. What is undefined or null has the value `otherwise`. */
void        options_check(Call *c, napi_value object, const char *what,
                          const char *const *names);        /* up to NULL: the known ones */
napi_value  option(Call *c, napi_value object, const char *name);   /* NULL: not there */
double      option_number(Call *c, napi_value object, const char *name, double otherwise);
uint64_t    option_u64(Call *c, napi_value object, const char *name, uint64_t otherwise);
bool        option_bool(Call *c, napi_value object, const char *name);
const char *option_text(Call *c, napi_value object, const char *name);
/* The place of the text in `words` (up to NULL), 0 where it is not there. */
uint32_t    option_word(Call *c, napi_value object, const char *name,
                        const char *const *words);

/* Checks all arguments and enters the context of the call, until its end. False: thrown. */
bool        call_enter(Call *c);
/* A handle of what the library gave, of the context of the call; NULL throws its error. */
napi_value  call_give(Call *c, Kind kind, void *object);
/* `ok` false throws the error of the context; else undefined. */
napi_value  call_done(Call *c, bool ok);

/* Memory from malloc() becomes an ArrayBuffer, without a copy where it is large. */
napi_value  js_bytes(napi_env napi, void *data, size_t size);
napi_value  js_text(napi_env napi, const char *text);       /* NULL: null */
napi_value  js_bool(napi_env napi, bool value);
napi_value  js_object(napi_env napi);
void        js_set(napi_env napi, napi_value object, const char *name, napi_value value);

/* ---- futures of webgpu.h: answer.c ---- */

/*
 * What a callback of the library will answer, once. The callbacks run on the thread of the
 * environment, inside calls that have entered the context, and so never call JavaScript.
 *
 * A function for a future has two arguments first: an array, and nanoseconds to wait. It enters
 * the context, makes an answer, starts the future with it, and ends with call_answer(). In lib/,
 * context[ANSWERS].ask() makes a promise of it.
 */
Answer *answer_new(Call *c);                        /* NULL: thrown */
void    answer_failed(Answer *a);                   /* with the error of the context */
void    answer_refused(Answer *a, weft_error_kind kind, const char *message);
/* With what `build` makes of `data`, later; `end` frees it. build NULL: undefined. */
void    answer_done(Answer *a, EventBuild build, void (*end)(void *data), void *data);
/* Ends the call: waits for `future`, and gives the value, or throws; else the array gets a handle
 * for answerAwait(). */
napi_value call_answer(Call *c, Answer *a, WGPUFuture future);
void    answer_release(Answer *a);

/* ---- long calls: job.c ---- */

/*
 * A call of the library on a thread of its own, which ends as a promise. The layer embeds
 * this as the first member of its struct, from calloc(), fills in the functions, and hands
 * it to job_start().
 */
struct Job {
    bool       (*run)(Job *job);                /* on the thread */
    napi_value (*result)(napi_env napi, Job *job);  /* in the loop, if run() was true; NULL:
                                                   the promise gives undefined */
    void       (*fini)(Job *job);               /* of what the layer put into its struct, not
                                                   of the struct; any thread */
                                                /* all three with the context entered */
    void       (*cancel)(Job *job);             /* any thread, while it waits or runs, without
                                                   the context; NULL: nothing to hurry */
    Home        *home;                          /* NULL: none; else retained by job_start() */
    bool         detached;                      /* result() and fini() do without the context:
                                                   the loop must not wait for the next job */
    Failure      failure;                       /* set by run() when it is false and the
                                                   context does not have the error */
    /* of job.c */
    atomic_uint  refs;
    atomic_bool  cancelled, notified;
    atomic_ullong done, total;
    uint32_t     token;
    Env         *env;
    Event       *event;
    Job         *next, *all_next, **all_prev;
};

/* Starts it, after earlier jobs of the same context; a handle for jobCancel(handle). The job
 * is owned by job.c from now on, also if this fails and throws. */
napi_value job_start(Call *c, Job *job, uint32_t token);
/* A weft_progress: tells JavaScript, and is false once the job was cancelled. */
bool       job_progress(void *job, uint64_t done, uint64_t total);
void       job_release(Job *job);
napi_value job_cancel(Call *c);
bool       job_is_cancelled(const Job *job);
/* Sends JavaScript a value in the middle of run(): built in the loop by `build(napi, data)`,
 * then freed by `end`; in order, and before the result. */
bool       job_emit(Job *job, EventBuild build, void (*end)(void *data), void *data);

#endif
