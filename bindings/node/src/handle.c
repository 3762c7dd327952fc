// SPDX-License-Identifier: Apache-2.0
/*
 * handle.c - native objects in the hands of the garbage collector.
 *
 * in     objects of webgpu.h and of libweft, one reference each
 * out    JavaScript externals that own it
 * knows  Node-API externals and finalizers; that objects of libweft belong to a context
 * not    what the objects are for
 */
#include <stdlib.h>

#include "layer.h"

/* The first word says that an external is ours. */
struct Handle {
    const void *mark;
    Kind        kind;
    void       *object;             /* NULL: closed */
    int64_t     bytes;
    Home       *home;               /* referenced; NULL: the object needs no context */
    Handle     *next;               /* of those that wait for their context */
};

static const char mark;

typedef void (*ReleaseFn)(void *object);

#define KIND(name, Name) \
    static void release_##name(void *object) { wgpu##Name##Release((WGPU##Name)object); }
#include "kinds.def"
#undef KIND
#define OBJECT(name, release) \
    static void release_##name(void *object) { release(object); }
#include "objects.def"
#undef OBJECT

static void release_CONTEXT(void *object) { home_release(object); }
static void release_JOB(void *object) { job_release(object); }
static void release_ANSWER(void *object) { answer_release(object); }

static const ReleaseFn releases[KIND_COUNT] = {
#define KIND(name, Name) [KIND_##name] = release_##name,
#include "kinds.def"
#undef KIND
#define OBJECT(name, release) [KIND_##name] = release_##name,
#include "objects.def"
#undef OBJECT
    [KIND_CONTEXT] = release_CONTEXT,
    [KIND_JOB] = release_JOB,
    [KIND_ANSWER] = release_ANSWER,
};

void object_release(Kind kind, void *object)
{
    if (object)
        releases[kind](object);
}

void handle_link(Handle *h, Handle *next)
{
    h->next = next;
}

Handle *handle_release(Handle *h)
{
    Handle *next = h->next;
    object_release(h->kind, h->object);
    free(h);
    return next;
}

static void bytes_forget(napi_env napi, Handle *h)
{
    int64_t total;
    if (h->bytes)
        napi_adjust_external_memory(napi, -h->bytes, &total);
    h->bytes = 0;
}

static void finalize(napi_env napi, void *data, void *hint)
{
    (void)hint;
    Handle *h = data;
    Home   *home = h->home;
    bytes_forget(napi, h);
    h->home = NULL;
    if (home && h->object)
        home_drop(home, h);
    else
        handle_release(h);
    home_release(home);
}

napi_value handle_new_owned(napi_env napi, Kind kind, void *object, uint64_t bytes, Home *home)
{
    napi_value value = NULL;
    Handle *h = object ? malloc(sizeof *h) : NULL;
    if (!h) {
        object_release(kind, object);
        napi_get_null(napi, &value);
        return value;
    }
    *h = (Handle){ .mark = &mark, .kind = kind, .object = object, .bytes = (int64_t)bytes };
    if (napi_create_external(napi, h, finalize, NULL, &value) != napi_ok) {
        object_release(kind, object);
        free(h);
        return NULL;
    }
    int64_t total;
    if (home)
        h->home = home_retain(home);
    if (bytes)
        napi_adjust_external_memory(napi, h->bytes, &total);
    return value;
}

napi_value handle_new(napi_env napi, Kind kind, void *object, uint64_t bytes)
{
    return handle_new_owned(napi, kind, object, bytes, NULL);
}

Handle *handle_find(napi_env napi, napi_value value)
{
    napi_valuetype type;
    void *data = NULL;
    if (napi_typeof(napi, value, &type) != napi_ok || type != napi_external)
        return NULL;
    if (napi_get_value_external(napi, value, &data) != napi_ok || !data)
        return NULL;
    Handle *h = data;
    return h->mark == &mark ? h : NULL;
}

void *handle_object(const Handle *h, Kind kind)
{
    return h && h->kind == kind ? h->object : NULL;
}

Home *handle_home(const Handle *h)
{
    return h->home;
}

bool handle_is_closed(const Handle *h)
{
    return !h->object;
}

void *handle_get(napi_env napi, napi_value value, Kind kind)
{
    return handle_object(handle_find(napi, value), kind);
}

Kind handle_kind(napi_env napi, napi_value value)
{
    const Handle *h = handle_find(napi, value);
    return h ? h->kind : KIND_NONE;
}

void handle_bytes_drop(napi_env napi, napi_value value)
{
    Handle *h = handle_find(napi, value);
    if (h)
        bytes_forget(napi, h);
}

void handle_close(napi_env napi, napi_value value)
{
    Handle *h = handle_find(napi, value);
    if (!h || !h->object)
        return;
    void *object = h->object;
    h->object = NULL;
    bytes_forget(napi, h);
    if (h->home)
        home_enter(h->home);
    object_release(h->kind, object);
    if (h->home)
        home_leave(h->home);
}
