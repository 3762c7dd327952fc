// SPDX-License-Identifier: Apache-2.0
/*
 * error.c - where errors of a device go: to a scope of the calling thread, to the
 * uncaptured-error callback, to the log, or nowhere once the device is lost.
 *
 * in     a type and a sentence, on the thread whose call was wrong
 * out    scopes that remember their first error; callbacks
 * knows  WebGPU 22.3 (error scopes); scopes are per thread in the C API
 * not    why anything is an error
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

/* ---- scopes, with the device's lock ---- */

static ScopeStack *find_stack(WGPUDevice device)
{
    uint64_t    me = thread_id();
    ScopeStack *s = device->scopes;
    while (s && s->thread != me)
        s = s->next;
    return s;
}

static ScopeStack *get_stack(WGPUDevice device)
{
    ScopeStack *s = find_stack(device);
    if (!s && (s = calloc(1, sizeof *s))) {
        s->thread = thread_id();
        s->next = device->scopes;
        device->scopes = s;
    }
    return s;
}

static bool push(ScopeStack *s, WGPUErrorFilter filter)
{
    Scope *scope = calloc(1, sizeof *scope);
    if (!scope)
        return false;
    *scope = (Scope){.outer = s->top, .filter = filter, .type = WGPUErrorType_NoError};
    s->top = scope;
    return true;
}

static void scope_free(Scope *scope)
{
    if (!scope)
        return;
    free(scope->message);
    free(scope);
}

static bool takes(WGPUErrorFilter filter, WGPUErrorType type)
{
    switch (filter) {
    case WGPUErrorFilter_Validation:  return type == WGPUErrorType_Validation;
    case WGPUErrorFilter_OutOfMemory: return type == WGPUErrorType_OutOfMemory;
    case WGPUErrorFilter_Internal:    return type == WGPUErrorType_Internal;
    default:                          return false;
    }
}

/* The innermost scope of this thread for errors of this type; NULL: none. */
static Scope *find_scope(WGPUDevice device, WGPUErrorType type)
{
    ScopeStack *s = find_stack(device);
    Scope      *scope = s ? s->top : NULL;
    while (scope && !takes(scope->filter, type))
        scope = scope->outer;
    return scope;
}

/* It remembers the first one. */
static void scope_take(Scope *scope, WGPUErrorType type, const char *message)
{
    if (scope->type != WGPUErrorType_NoError)
        return;
    scope->type = type;
    scope->message = strdup(message);
}

/* True: a scope of this thread took the error. */
static bool scope_takes(WGPUDevice device, WGPUErrorType type, const char *message)
{
    Scope *scope = find_scope(device, type);
    if (scope)
        scope_take(scope, type, message);
    return scope != NULL;
}

/* Removes the stack of a thread that has no scope open any more. */
static void drop_stack(WGPUDevice device, ScopeStack *s)
{
    ScopeStack **link = &device->scopes;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    free(s);
}

void error_scopes_free(WGPUDevice device)
{
    while (device->scopes) {
        ScopeStack *s = device->scopes;
        while (s->top) {
            Scope *scope = s->top;
            s->top = scope->outer;
            scope_free(scope);
        }
        drop_stack(device, s);
    }
}

/* ---- reporting ---- */

/* To a scope of this thread, if those are asked, or else to the callback, or to the log. */
static void report(WGPUDevice device, WGPUErrorType type, const char *message, bool scopes)
{
    const WGPUUncapturedErrorCallbackInfo *to = &device->uncaptured;
    pthread_mutex_lock(&device->lock);
    bool heard = device_is_lost(device) || (scopes && scope_takes(device, type, message));
    if (!heard && to->callback)
        device->reporting++;
    pthread_mutex_unlock(&device->lock);
    if (!heard && !to->callback)
        instance_log(device->instance, "%s", message);
    if (heard || !to->callback)
        return;
    device_ref(device);                 /* the callback may release it */
    to->callback(&device, type, string_view(message), to->userdata1, to->userdata2);
    pthread_mutex_lock(&device->lock);
    bool last = --device->reporting == 0 && device->lost_waits;
    if (last)
        device->lost_waits = false;
    pthread_mutex_unlock(&device->lock);
    if (last)
        device_tell_lost(device, true);
    device_unref(device);
}

void device_error(WGPUDevice device, WGPUErrorType type, const char *fmt, ...)
{
    if (device_is_lost(device))
        return;
    char    message[1280];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    report(device, type, message, true);
}

void device_uncaptured(WGPUDevice device, WGPUErrorType type, const char *message)
{
    report(device, type, message, false);
}

void object_report(const Object *object, WGPUErrorType type, const char *sentence)
{
    char name[192];
    if (!object->device)
        return;
    object_name(object, name, sizeof name);
    device_error(object->device, type, "%s: %s", name, sentence);
}

/* ---- the API ---- */

void wgpuDevicePushErrorScope(WGPUDevice device, WGPUErrorFilter filter)
{
    if (!device)
        return;
    if (filter != WGPUErrorFilter_Validation && filter != WGPUErrorFilter_OutOfMemory
        && filter != WGPUErrorFilter_Internal) {
        device_error(device, WGPUErrorType_Validation,
                     "PushErrorScope: the filter %u is not one there is", (unsigned)filter);
        return;
    }
    pthread_mutex_lock(&device->lock);
    ScopeStack *s = get_stack(device);
    bool        ok = s && push(s, filter);
    pthread_mutex_unlock(&device->lock);
    if (!ok)
        device_error(device, WGPUErrorType_OutOfMemory, "PushErrorScope: out of memory");
}

static void fire_scope(Future *f, bool cancelled)
{
    f->callback.scope(cancelled ? WGPUPopErrorScopeStatus_CallbackCancelled
                                : (WGPUPopErrorScopeStatus)f->status,
                      cancelled ? WGPUErrorType_NoError : f->error,
                      cancelled ? string_view("the instance was released first")
                                : future_message(f),
                      f->userdata1, f->userdata2);
}

/* Completes the future of a scope that was popped, which it frees, and to which no error
 * can come any more. NULL: there was none, which does not matter on a lost device. Runs
 * no user code. */
static void complete_pop(WGPUDevice device, Scope *scope, Future *f)
{
    bool        lost = device_is_lost(device);
    const char *message = lost ? NULL : scope ? scope->message
                               : "PopErrorScope: this thread has no error scope open";
    f->error = scope && !lost ? scope->type : WGPUErrorType_NoError;
    future_ready(f, scope || lost ? (int)WGPUPopErrorScopeStatus_Success
                                  : (int)WGPUPopErrorScopeStatus_Error, message);
    scope_free(scope);
}

/* The innermost scope of this thread, or NULL. If errors may still come to it, it has
 * the future from now on, and *later is true. */
static Scope *pop(WGPUDevice device, Future *f, bool *later)
{
    pthread_mutex_lock(&device->lock);
    ScopeStack *s = find_stack(device);
    Scope      *scope = s ? s->top : NULL;
    if (scope && !(s->top = scope->outer))
        drop_stack(device, s);
    *later = scope && scope->held > 0;
    if (*later) {
        future_ref(f);
        scope->popped = f;
    }
    pthread_mutex_unlock(&device->lock);
    return scope;
}

Scope *scope_hold(WGPUDevice device, WGPUErrorType type)
{
    pthread_mutex_lock(&device->lock);
    Scope *scope = find_scope(device, type);
    if (scope)
        scope->held++;
    pthread_mutex_unlock(&device->lock);
    return scope;
}

void scope_settle(WGPUDevice device, Scope *scope, WGPUErrorType type, const char *message)
{
    Future *f = NULL;
    pthread_mutex_lock(&device->lock);
    if (type != WGPUErrorType_NoError)
        scope_take(scope, type, message);
    if (--scope->held == 0)
        f = scope->popped;
    pthread_mutex_unlock(&device->lock);
    if (!f)
        return;
    complete_pop(device, scope, f);
    future_post(f);
    future_unref(f);
}

WGPUFuture wgpuDevicePopErrorScope(WGPUDevice device,
                                   WGPUPopErrorScopeCallbackInfo callbackInfo)
{
    if (!device
        || !callback_is_usable(device->instance, "PopErrorScope", callbackInfo.mode,
                               callbackInfo.callback != NULL))
        return (WGPUFuture){0};
    Future *f = future_new(device->instance, callbackInfo.mode, fire_scope);
    if (!f)
        return (WGPUFuture){0};
    f->callback.scope = callbackInfo.callback;
    f->userdata1 = callbackInfo.userdata1;
    f->userdata2 = callbackInfo.userdata2;
    f->error = WGPUErrorType_NoError;
    WGPUFuture id = future_track(f);
    Fault      why;
    bool       later = false;
    if (chain_none_fault(&why, "WGPUPopErrorScopeCallbackInfo", callbackInfo.nextInChain)) {
        future_ready(f, WGPUPopErrorScopeStatus_Error, why.text);
    } else {
        Scope *scope = pop(device, f, &later);
        if (!later)
            complete_pop(device, scope, f);
    }
    future_settle(f);
    future_unref(f);
    return id;
}
