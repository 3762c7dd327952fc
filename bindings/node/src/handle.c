// SPDX-License-Identifier: Apache-2.0
/*
 * handle.c - native objects in the hands of the garbage collector.
 *
 * in     objects of webgpu.h, one reference each
 * out    JavaScript externals that own it
 * knows  Node-API externals and finalizers
 * not    what the objects are for
 */
#include <stdlib.h>

#include "addon.h"

/* The first word says that an external is ours. */
typedef struct Handle {
    const void *mark;
    Kind        kind;
    void       *object;
    int64_t     bytes;
} Handle;

static const char mark;

typedef void (*ReleaseFn)(void *object);

#define KIND(name, Name) \
    static void release_##name(void *object) { wgpu##Name##Release((WGPU##Name)object); }
#include "kinds.def"
#undef KIND

static const ReleaseFn releases[KIND_COUNT] = {
#define KIND(name, Name) [KIND_##name] = release_##name,
#include "kinds.def"
#undef KIND
};

void object_release(Kind kind, void *object)
{
    if (object)
        releases[kind](object);
}

static void finalize(napi_env napi, void *data, void *hint)
{
    (void)hint;
    Handle *h = data;
    int64_t total;
    if (h->bytes)
        napi_adjust_external_memory(napi, -h->bytes, &total);
    object_release(h->kind, h->object);
    free(h);
}

napi_value handle_new(napi_env napi, Kind kind, void *object, uint64_t bytes)
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
    if (bytes)
        napi_adjust_external_memory(napi, h->bytes, &total);
    return value;
}

static Handle *find(napi_env napi, napi_value value)
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

void *handle_get(napi_env napi, napi_value value, Kind kind)
{
    const Handle *h = find(napi, value);
    return h && h->kind == kind ? h->object : NULL;
}

Kind handle_kind(napi_env napi, napi_value value)
{
    const Handle *h = find(napi, value);
    return h ? h->kind : KIND_NONE;
}

void handle_bytes_drop(napi_env napi, napi_value value)
{
    Handle *h = find(napi, value);
    int64_t total;
    if (!h || !h->bytes)
        return;
    napi_adjust_external_memory(napi, -h->bytes, &total);
    h->bytes = 0;
}
