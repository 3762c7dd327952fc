// SPDX-License-Identifier: Apache-2.0
/*
 * answer.c - futures of a context become events of the loop.
 *
 * in     futures of libweft, which complete when their context is polled
 * out    an event each; a call when the queue is done, so that the loop polls in time
 * knows  which functions of webgpu.h call back on a thread of the library
 * not    what was asked for
 */
#include <stdlib.h>

#include "layer.h"

enum { STATUS_DONE = 1, STATUS_FAILED = 2 };        /* as in lib/job.js; 0: pending */

/* Of the thread of its environment alone. */
struct Answer {
    uint32_t   refs;                    /* of the callback, and of the call or its handle */
    uint32_t   status;
    Env       *env;
    Home      *home;                    /* lives: it waits for its answers before it ends */
    Event     *event;                   /* NULL: nothing waits for it yet */
    EventBuild build;
    void     (*end)(void *data);
    void      *data;
    Failure    failure;
};

void answer_release(Answer *a)
{
    if (--a->refs)
        return;
    if (a->end)
        a->end(a->data);
    failure_fini(&a->failure);
    free(a);
}

static void answer_end(void *data)
{
    answer_release(data);
}

Answer *answer_new(Call *c)
{
    Answer *a = calloc(1, sizeof *a);
    if (!a) {
        call_fail(c, WEFT_ERROR_MEMORY, "no memory for a future");
        return NULL;
    }
    a->refs = 2;
    a->env = c->env;
    a->home = c->home;
    home_await(a->home, 1);
    return a;
}

static napi_value build_value(napi_env napi, void *data)
{
    Answer *a = data;
    if (a->status == STATUS_FAILED)
        return failure_value(a->env, &a->failure);
    return a->build ? a->build(napi, a->data) : js_undefined(napi);
}

/* The event takes over a reference. */
static void post(Answer *a)
{
    Event *e = a->event;
    a->event = NULL;
    event_payload(e, build_value, answer_end, a);
    event_post(e, a->status, 0);
}

/* The reference of the callback goes to the event, if one was asked for. */
static void settle(Answer *a, uint32_t status)
{
    a->status = status;
    home_await(a->home, -1);
    if (a->event)
        post(a);
    else
        answer_release(a);
}

void answer_failed(Answer *a)
{
    failure_take(&a->failure, home_context(a->home));
    settle(a, STATUS_FAILED);
}

void answer_refused(Answer *a, weft_error_kind kind, const char *message)
{
    failure_set(&a->failure, kind, message);
    settle(a, STATUS_FAILED);
}

void answer_done(Answer *a, EventBuild build, void (*end)(void *data), void *data)
{
    a->build = build;
    a->end = end;
    a->data = data;
    settle(a, STATUS_DONE);
}

static void leave_and_deliver(Call *c)
{
    home_leave(c->home);
    c->entered = false;
    env_deliver(c->env);
}

napi_value call_answer(Call *c, Answer *a, WGPUFuture future)
{
    weft_context  *ctx = home_context(c->home);
    const uint64_t wait_ns = arg_u64(c, 1);
    napi_value     value = NULL;
    if (!a->status && future.id && wait_ns && !weft_context_wait_future(ctx, future, wait_ns))
        weft_context_error_clear(ctx);              /* it will come later */
    leave_and_deliver(c);
    if (!a->status) {
        js_push(c->napi, c->argv[0], 0, handle_new(c->napi, KIND_ANSWER, a, 0));
        return NULL;
    }
    value = build_value(c->napi, a);
    if (a->status == STATUS_FAILED)
        napi_throw(c->napi, value);
    answer_release(a);
    return value;                       /* which counts for nothing beside an error */
}

/* answerAwait(answer, token): an event when it is there */
static napi_value answer_await(Call *c)
{
    Answer        *a = arg_object(c, 0, KIND_ANSWER);
    const uint32_t token = arg_u32(c, 1);
    if (!call_ok(c) || a->event || !(a->event = event_new(c, token, EVENT_HOLDS)))
        return NULL;
    if (a->status) {                    /* it has come meanwhile */
        a->refs++;
        post(a);
    }
    return NULL;
}

/* contextPoll(context): delivers what is complete */
static napi_value context_poll(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    if (!call_enter(c))
        return NULL;
    weft_context_poll(ctx);
    leave_and_deliver(c);
    return NULL;
}

static void on_work_done(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *user1,
                         void *user2)
{
    (void)message, (void)user2;
    event_post(user1, status, 0);
}

typedef WGPUFuture (*WorkDoneFn)(WGPUQueue queue, WGPUQueueWorkDoneCallbackInfo info);

/* contextCall(context, token): an event when the work that was submitted is done */
static napi_value context_call(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    const uint32_t token = arg_u32(c, 1);
    if (!call_enter(c))
        return NULL;
    const WorkDoneFn work_done =
        (WorkDoneFn)weft_context_wgpu_proc(ctx, "wgpuQueueOnSubmittedWorkDone");
    WGPUQueue queue = weft_context_wgpu_queue(ctx);
    if (!work_done || !queue)
        return call_throw(c);
    Event *e = event_new(c, token, EVENT_HOLDS);
    if (!e)
        return NULL;
    const WGPUQueueWorkDoneCallbackInfo info = {
        NULL, WGPUCallbackMode_AllowSpontaneous, on_work_done, e, NULL };
    event_refuse(e, work_done(queue, info));
    return NULL;
}

const Function answer_functions[] = {
    { "answerAwait", answer_await },
    { "contextPoll", context_poll },
    { "contextCall", context_call },
    { 0 },
};
