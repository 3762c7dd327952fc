// SPDX-License-Identifier: Apache-2.0
/*
 * failure.c - errors of libweft become errors of JavaScript.
 *
 * in     the error of a context, on any thread; wrong arguments
 * out    a WeftError with kind, message and names: thrown, or for a promise
 * knows  weft/error.h
 * not    the class: lib/ gave a function that makes one
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

static char *copy(const char *text)
{
    const size_t size = text ? strlen(text) + 1 : 0;
    char *made = size ? malloc(size) : NULL;
    return made ? memcpy(made, text, size) : NULL;
}

void failure_take(Failure *f, weft_context *ctx)
{
    const weft_error *e = weft_context_error(ctx);
    failure_set(f, e->kind ? e->kind : WEFT_ERROR_INTERNAL,
                e->kind ? e->message : "the call failed without an error");
    for (uint32_t i = 0; i < e->name_count && i < WEFT_ERROR_NAMES; i++)
        f->names[i] = copy(e->names[i]);
    weft_context_error_clear(ctx);
}

void failure_set(Failure *f, weft_error_kind kind, const char *message)
{
    failure_fini(f);
    f->kind = kind;
    f->message = copy(message);
}

void failure_fini(Failure *f)
{
    free(f->message);
    for (uint32_t i = 0; i < WEFT_ERROR_NAMES; i++)
        free(f->names[i]);
    *f = (Failure){ 0 };
}

napi_value failure_value(Env *env, const Failure *f)
{
    napi_env   napi = env_napi(env);
    napi_value names = js_array(napi, 0), error = NULL;
    uint32_t   count = 0;
    for (uint32_t i = 0; i < WEFT_ERROR_NAMES; i++)
        if (f->names[i])
            js_push(napi, names, count++, js_text(napi, f->names[i]));
    napi_value argv[] = {
        js_text(napi, weft_error_kind_name(f->kind)),
        js_text(napi, f->message ? f->message : "out of memory"),
        names,
    };
    napi_call_function(napi, js_undefined(napi), env_fail(env), COUNTOF(argv), argv, &error);
    return error;
}

static void throw_failure(Call *c, Failure *f)
{
    bool pending = false;
    napi_is_exception_pending(c->napi, &pending);
    napi_value error = pending ? NULL : failure_value(c->env, f);
    if (error)
        napi_throw(c->napi, error);
    failure_fini(f);
}

napi_value call_throw(Call *c)
{
    Failure f = { 0 };
    failure_take(&f, home_context(c->home));
    throw_failure(c, &f);
    return NULL;
}

void call_fail(Call *c, weft_error_kind kind, const char *format, ...)
{
    char    text[512];
    Failure f = { 0 };
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    c->bad = true;
    failure_set(&f, kind, text);
    throw_failure(c, &f);
}
