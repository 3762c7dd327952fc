// SPDX-License-Identifier: Apache-2.0
/*
 * event.c - from the threads of the library to the event loop.
 *
 * in     callbacks of webgpu.h, on any thread
 * out    calls of lib/'s dispatch function, on the thread of the environment, in
 *        the order the callbacks came
 * knows  Node-API's thread-safe functions
 * not    what the events mean: a token, three numbers, a text, an object
 *
 * A thread-safe function serves as a bell only; the events wait in a list of ours.
 * It is referenced while there are events that hold the process, so that a program
 * that waits for nothing ends. All of an event is allocated when it is asked for:
 * a callback has no way to fail.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "addon.h"

struct Env {
    atomic_uint              refs;
    napi_env                 napi;      /* on its thread only */
    napi_ref                 dispatch, fail;
    void                    *owned;
    Jobs                    *jobs;
    pthread_t                thread;
    uint32_t                 holds;     /* on its thread only: events that hold the process */
    pthread_mutex_t          lock;      /* guards what follows */
    napi_threadsafe_function bell;      /* NULL: the environment has gone */
    Event                   *first, **last;
};

typedef struct Message {
    char    *text;
    size_t   length;
    uint32_t type;
    double   place[4];                  /* line, column, offset, length */
} Message;

struct Event {
    Event    *next;
    Env      *env;                      /* referenced */
    uint32_t  token;
    uint32_t  status, detail;
    bool      holds;
    char     *text;
    size_t    length;
    Kind      kind;                     /* of `object`, which is owned */
    void     *object;
    Message  *messages;
    size_t    nmessages;
    EventBuild build;                   /* of what dispatch() gets, if not NULL */
    void     (*end)(void *data);
    void      *data;
};

static const uint32_t REFUSED = 0;      /* no status of webgpu.h is zero */

/* ---- lifetime ---- */

static void event_free(Event *e)
{
    for (size_t i = 0; i < e->nmessages; i++)
        free(e->messages[i].text);
    free(e->messages);
    free(e->text);
    object_release(e->kind, e->object);
    if (e->end)
        e->end(e->data);
    free(e);
}

/* ---- objects that arrive without a listener ---- */

typedef struct Orphan {
    Kind  kind;
    void *object;
} Orphan;

static void *orphan_release(void *data)
{
    const Orphan *o = data;
    object_release(o->kind, o->object);
    free(data);
    return NULL;
}

/* A callback must not release what it is given: another thread does. Without memory
 * for that the object stays. */
static void orphan(Event *e)
{
    pthread_t thread;
    Orphan *o = e->object ? malloc(sizeof *o) : NULL;
    if (o) {
        *o = (Orphan){ e->kind, e->object };
        if (pthread_create(&thread, NULL, orphan_release, o))
            free(o);
        else
            pthread_detach(thread);
    }
    e->object = NULL;
}

static void env_release(Env *env)
{
    if (atomic_fetch_sub(&env->refs, 1) > 1)
        return;
    pthread_mutex_destroy(&env->lock);
    jobs_free(env->jobs);
    free(env->owned);
    free(env);
}

/* All that waits, taken out of the list. */
static Event *take_all(Env *env)
{
    pthread_mutex_lock(&env->lock);
    Event *e = env->first;
    env->first = NULL;
    env->last = &env->first;
    pthread_mutex_unlock(&env->lock);
    return e;
}

static void drop_all(Env *env)
{
    for (Event *e = take_all(env), *next; e; e = next) {
        next = e->next;
        event_free(e);
        env_release(env);
    }
}

/* The environment ends. What comes from now on is dropped where it comes. */
static void env_end(void *data)
{
    Env *env = data;
    pthread_mutex_lock(&env->lock);
    napi_threadsafe_function bell = env->bell;
    env->bell = NULL;
    pthread_mutex_unlock(&env->lock);
    if (bell)
        napi_release_threadsafe_function(bell, napi_tsfn_abort);
    jobs_end(env->jobs);
    drop_all(env);
    env_release(env);
}

/* ---- in the loop ---- */

static void hold(Env *env)
{
    if (env->holds++ == 0 && env->bell)
        napi_ref_threadsafe_function(env->napi, env->bell);
}

static void unhold(Env *env)
{
    if (--env->holds == 0 && env->bell)
        napi_unref_threadsafe_function(env->napi, env->bell);
}

static napi_value message_value(napi_env napi, const Message *m)
{
    napi_value row = js_array(napi, 6);
    js_push(napi, row, 0, js_string(napi, (WGPUStringView){ m->text, m->length }));
    js_push(napi, row, 1, js_number(napi, m->type));
    for (uint32_t i = 0; i < COUNTOF(m->place); i++)
        js_push(napi, row, 2 + i, js_number(napi, m->place[i]));
    return row;
}

static napi_value payload(napi_env napi, Event *e)
{
    if (e->object) {
        void *object = e->object;
        e->object = NULL;                       /* the handle owns it now */
        return handle_new(napi, e->kind, object, 0);
    }
    if (e->build)
        return e->build(napi, e->data);
    if (!e->messages)
        return js_undefined(napi);
    napi_value rows = js_array(napi, e->nmessages);
    for (size_t i = 0; i < e->nmessages; i++)
        js_push(napi, rows, (uint32_t)i, message_value(napi, &e->messages[i]));
    return rows;
}

static void deliver(napi_env napi, napi_value dispatch, Event *e)
{
    napi_handle_scope scope;
    if (napi_open_handle_scope(napi, &scope) != napi_ok)
        return;
    napi_value argv[] = {
        js_number(napi, e->token),
        js_number(napi, e->status),
        js_number(napi, e->detail),
        js_string(napi, (WGPUStringView){ e->text, e->length }),
        payload(napi, e),
    };
    napi_value error;
    if (napi_call_function(napi, js_undefined(napi), dispatch, COUNTOF(argv), argv, NULL)
            == napi_pending_exception
        && napi_get_and_clear_last_exception(napi, &error) == napi_ok)
        napi_fatal_exception(napi, error);
    napi_close_handle_scope(napi, scope);
}

void env_deliver(Env *env)
{
    napi_env   napi = env->napi;
    napi_value dispatch = NULL;
    if (napi_get_reference_value(napi, env->dispatch, &dispatch) != napi_ok)
        return;
    for (Event *e = take_all(env), *next; e; e = next) {
        next = e->next;
        if (e->holds)
            unhold(env);
        deliver(napi, dispatch, e);
        event_free(e);
        env_release(env);
    }
}

static void ring(napi_env napi, napi_value unused, void *context, void *data)
{
    (void)unused, (void)data;
    if (napi)                                   /* else the environment is going */
        env_deliver(context);
}

/* With its lock, and nothing else. */
static Env *env_alloc(void)
{
    Env *env = calloc(1, sizeof *env);
    Jobs *jobs = env ? jobs_create() : NULL;
    if (!jobs || pthread_mutex_init(&env->lock, NULL)) {
        jobs_free(jobs);
        free(env);
        return NULL;
    }
    env->jobs = jobs;
    return env;
}

Env *env_create(napi_env napi, napi_value dispatch, napi_value fail, void *owned)
{
    Env *env = env_alloc();
    napi_value name;
    if (!env) {
        free(owned);
        return NULL;
    }
    atomic_init(&env->refs, 1);
    env->owned = owned;
    env->napi = napi;
    env->thread = pthread_self();
    env->last = &env->first;
    if (napi_create_reference(napi, dispatch, 1, &env->dispatch) != napi_ok
        || napi_create_reference(napi, fail, 1, &env->fail) != napi_ok
        || napi_create_string_utf8(napi, "weft", NAPI_AUTO_LENGTH, &name) != napi_ok
        || napi_create_threadsafe_function(napi, NULL, NULL, name, 0, 1, NULL, NULL, env,
                                           ring, &env->bell) != napi_ok
        || napi_add_env_cleanup_hook(napi, env_end, env) != napi_ok) {
        env_release(env);
        return NULL;
    }
    napi_unref_threadsafe_function(napi, env->bell);
    return env;
}

napi_value env_fail(Env *env)
{
    napi_value fail = NULL;
    napi_get_reference_value(env->napi, env->fail, &fail);
    return fail;
}

napi_env env_napi(const Env *env)
{
    return env->napi;
}

Jobs *env_jobs(Env *env)
{
    return env->jobs;
}

void env_hold(Env *env, bool on)
{
    if (on)
        hold(env);
    else if (env->holds)
        unhold(env);
}

/* ---- events ---- */

Event *event_new(Call *c, uint32_t token, EventLife life)
{
    Event *e = calloc(1, sizeof *e);
    if (!e) {
        napi_throw_range_error(c->napi, NULL, "out of memory");
        c->bad = true;
        return NULL;
    }
    e->env = c->env;
    e->token = token;
    atomic_fetch_add(&c->env->refs, 1);
    if (life == EVENT_HOLDS)
        event_await(e);
    return e;
}

void event_await(Event *e)
{
    if (e->holds)
        return;
    e->holds = true;
    hold(e->env);
}

void event_refuse(Event *e, WGPUFuture future)
{
    if (future.id == 0)
        event_post(e, REFUSED, 0);
}

/* Without memory the text is lost, and the event still comes. */
static char *copy(WGPUStringView s, size_t *length)
{
    const size_t n = !s.data ? 0 : s.length == WGPU_STRLEN ? strlen(s.data) : s.length;
    char *text = n ? malloc(n) : NULL;
    *length = text ? n : 0;
    if (text)
        memcpy(text, s.data, n);
    return text;
}

void event_text(Event *e, WGPUStringView text)
{
    e->text = copy(text, &e->length);
}

void event_object(Event *e, Kind kind, void *object)
{
    e->kind = kind;
    e->object = object;
}

void event_messages(Event *e, const WGPUCompilationInfo *info)
{
    if (!info || !info->messageCount)
        return;
    e->messages = calloc(info->messageCount, sizeof *e->messages);
    if (!e->messages)
        return;
    for (size_t i = 0; i < info->messageCount; i++) {
        const WGPUCompilationMessage *from = &info->messages[i];
        Message *m = &e->messages[e->nmessages++];
        m->text = copy(from->message, &m->length);
        m->type = from->type;
        m->place[0] = (double)from->lineNum;
        m->place[1] = (double)from->linePos;
        m->place[2] = (double)from->offset;
        m->place[3] = (double)from->length;
    }
}

void event_payload(Event *e, EventBuild build, void (*end)(void *data), void *data)
{
    e->build = build;
    e->end = end;
    e->data = data;
}

void event_post(Event *e, uint32_t status, uint32_t detail)
{
    Env *env = e->env;
    e->status = status;
    e->detail = detail;
    /* What our own call brought about is delivered before the process ends. */
    if (pthread_equal(pthread_self(), env->thread) && env->bell)
        event_await(e);
    pthread_mutex_lock(&env->lock);
    const bool open = env->bell != NULL;
    if (open) {
        const bool first = !env->first;
        *env->last = e;
        env->last = &e->next;
        if (first)
            napi_call_threadsafe_function(env->bell, NULL, napi_tsfn_nonblocking);
    }
    pthread_mutex_unlock(&env->lock);
    if (!open) {
        orphan(e);
        event_free(e);
        env_release(env);
    }
}

Event *event_again(const Event *e)
{
    Event *again = calloc(1, sizeof *again);
    if (!again)
        return NULL;
    again->env = e->env;
    again->token = e->token;
    atomic_fetch_add(&e->env->refs, 1);
    return again;
}

void event_repeat(Event *e, uint32_t status, WGPUStringView text)
{
    Event *again = event_again(e);
    if (!again)
        return;
    event_text(again, text);
    event_post(again, status, 1);
}

void event_drop(Event *e)
{
    if (!e)
        return;
    Env *env = e->env;
    if (e->holds)
        unhold(env);
    event_free(e);
    env_release(env);
}
