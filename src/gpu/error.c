// SPDX-License-Identifier: Apache-2.0
/*
 * error.c - where errors of a device go: to a scope of the calling thread, to the
 * uncaptured-error callback, or nowhere once the device is lost.
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
    if (s->count == s->cap) {
        uint32_t cap = s->cap ? s->cap * 2 : 4;
        Scope   *scopes = realloc(s->scopes, cap * sizeof *scopes);
        if (!scopes)
            return false;
        s->scopes = scopes;
        s->cap = cap;
    }
    s->scopes[s->count++] = (Scope){.filter = filter, .type = WGPUErrorType_NoError};
    return true;
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

/* True: a scope of this thread took the error. */
static bool scope_takes(WGPUDevice device, WGPUErrorType type, const char *message)
{
    ScopeStack *s = find_stack(device);
    for (uint32_t i = s ? s->count : 0; i-- > 0;) {
        Scope *scope = &s->scopes[i];
        if (!takes(scope->filter, type))
            continue;
        if (scope->type == WGPUErrorType_NoError) {
            scope->type = type;
            scope->message = strdup(message);
        }
        return true;
    }
    return false;
}

/* Removes the stack of a thread that has no scope open any more. */
static void drop_stack(WGPUDevice device, ScopeStack *s)
{
    ScopeStack **link = &device->scopes;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    free(s->scopes);
    free(s);
}

void error_scopes_free(WGPUDevice device)
{
    while (device->scopes) {
        ScopeStack *s = device->scopes;
        for (uint32_t i = 0; i < s->count; i++)
            free(s->scopes[i].message);
        drop_stack(device, s);
    }
}

/* ---- reporting ---- */

static void report(WGPUDevice device, WGPUErrorType type, const char *message)
{
    const WGPUUncapturedErrorCallbackInfo *to = &device->uncaptured;
    pthread_mutex_lock(&device->lock);
    bool heard = device_is_lost(device) || scope_takes(device, type, message)
                 || !to->callback;
    if (!heard)
        device->reporting++;
    pthread_mutex_unlock(&device->lock);
    if (heard)
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
    report(device, type, message);
}

void device_fault(WGPUDevice device, const char *kind, WGPUStringView label,
                  const char *sentence)
{
    char *name = label_copy(label);
    if (name)
        device_error(device, WGPUErrorType_Validation, "%s '%s': %s", kind, name, sentence);
    else
        device_error(device, WGPUErrorType_Validation, "%s: %s", kind, sentence);
    free(name);
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

/* The innermost scope of this thread; false: there is none. */
static bool pop(WGPUDevice device, Scope *out)
{
    *out = (Scope){.type = WGPUErrorType_NoError};
    pthread_mutex_lock(&device->lock);
    ScopeStack *s = find_stack(device);
    bool        ok = s && s->count > 0;
    if (ok) {
        *out = s->scopes[--s->count];
        if (s->count == 0)
            drop_stack(device, s);
    }
    pthread_mutex_unlock(&device->lock);
    return ok;
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
    Fault why;
    Scope scope = {.type = WGPUErrorType_NoError};
    WGPUPopErrorScopeStatus status = WGPUPopErrorScopeStatus_Success;
    const char *message = NULL;
    if (chain_none_fault(&why, "WGPUPopErrorScopeCallbackInfo", callbackInfo.nextInChain)) {
        status = WGPUPopErrorScopeStatus_Error;
        message = why.text;
    } else if (!pop(device, &scope) && !device_is_lost(device)) {
        status = WGPUPopErrorScopeStatus_Error;
        message = "PopErrorScope: this thread has no error scope open";
    } else if (!device_is_lost(device)) {
        message = scope.message;
    }
    f->error = message && status == WGPUPopErrorScopeStatus_Success ? scope.type
                                                                    : WGPUErrorType_NoError;
    WGPUFuture id = future_track(f);
    future_ready(f, (int)status, message);
    future_settle(f);
    future_unref(f);
    free(scope.message);
    return id;
}
