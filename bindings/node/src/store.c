// SPDX-License-Identifier: Apache-2.0
/*
 * store.c - weft/store.h for JavaScript: files of tensors.
 *
 * in     calls of lib/store.js
 * out    stores, entries, tensors; writing is done by jobs
 * knows  the options of a store by name
 * not    tensors, but as handles
 */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

static const char *const formats[] = {
    "auto", "safetensors", "sharded", "npy", "npz", "folder", NULL,
};

/* storeOpen(context, options) */
static napi_value store_open(Call *c)
{
    static const char *const names[] = { "path", "format", "model", "write", "replace", "verify",
                                         "shardSize", "quota", NULL };
    weft_context   *ctx = arg_context(c, 0);
    napi_value      options = c->argc > 1 ? c->argv[1] : js_undefined(c->napi);
    weft_store_desc d = { 0 };
    options_check(c, options, "openStore", names);
    d.path = option_text(c, options, "path");
    d.format = (weft_store_format)option_word(c, options, "format", formats);
    d.model = option_text(c, options, "model");
    d.write = option_bool(c, options, "write");
    d.replace = option_bool(c, options, "replace");
    d.verify = option_bool(c, options, "verify");
    d.shard_size = option_u64(c, options, "shardSize", 0);
    d.quota = option_u64(c, options, "quota", 0);
    if (!c->bad && !d.path)
        call_fail(c, WEFT_ERROR_INVALID, "openStore: the option 'path' is missing");
    return call_enter(c) ? call_give(c, KIND_STORE, weft_store_open(ctx, &d)) : NULL;
}

static napi_value entry_value(napi_env n, const weft_store_entry *e)
{
    napi_value v = js_object(n), shape = js_array(n, e->rank);
    for (uint32_t i = 0; i < e->rank; i++)
        js_push(n, shape, i, js_number(n, (double)e->shape[i]));
    js_set(n, v, "name", js_text(n, e->name));
    js_set(n, v, "type", js_text(n, e->type));
    js_set(n, v, "dtype", js_text(n, weft_dtype_name(e->dtype)));
    js_set(n, v, "shape", shape);
    js_set(n, v, "bytes", js_number(n, (double)e->bytes));
    if (e->checksum)
        js_set(n, v, "checksum", js_text(n, e->checksum));
    return v;
}

static napi_value store_entries(Call *c)
{
    const weft_store *s = arg_owned(c, 0, KIND_STORE);
    weft_store_entry  e;
    if (!call_enter(c))
        return NULL;
    napi_value list = js_array(c->napi, 0);
    for (uint32_t i = 0; weft_store_entry_get(&e, s, i); i++)
        js_push(c->napi, list, i, entry_value(c->napi, &e));
    return list;
}

static napi_value store_find(Call *c)
{
    const weft_store *s = arg_owned(c, 0, KIND_STORE);
    const char       *name = arg_text(c, 1);
    weft_store_entry  e;
    if (!call_enter(c))
        return NULL;
    return name && weft_store_find(&e, s, name) ? entry_value(c->napi, &e) : js_null(c->napi);
}

/* storeMetadata(store): an object of texts */
static napi_value store_metadata(Call *c)
{
    const weft_store *s = arg_owned(c, 0, KIND_STORE);
    const char       *key;
    if (!call_enter(c))
        return NULL;
    napi_value v = js_object(c->napi);
    for (uint32_t i = 0; (key = weft_store_metadata_key(s, i)); i++)
        js_set(c->napi, v, key, js_text(c->napi, weft_store_metadata(s, key)));
    return v;
}

static napi_value store_get(Call *c)
{
    weft_store *s = arg_owned(c, 0, KIND_STORE);
    const char *name = arg_text(c, 1);
    return call_enter(c) ? call_give(c, KIND_TENSOR, weft_store_get(s, name)) : NULL;
}

/* storeRead(store, name, bytes) */
static napi_value store_read(Call *c)
{
    weft_store *s = arg_owned(c, 0, KIND_STORE);
    const char *name = arg_text(c, 1);
    size_t      size = 0;
    void       *to = arg_bytes(c, 2, &size);
    return call_enter(c) ? call_done(c, weft_store_read(to, size, s, name)) : NULL;
}

/* storePutData(store, name, dtype, shape, bytes) */
static napi_value store_put_data(Call *c)
{
    weft_store     *s = arg_owned(c, 0, KIND_STORE);
    const char     *name = arg_text(c, 1);
    weft_store_data d = { .dtype = arg_dtype(c, 2) };
    size_t          size = 0;
    d.rank = arg_shape(c, 3, d.shape);
    d.data = arg_bytes(c, 4, &size);
    d.bytes = size;
    return call_enter(c) ? call_done(c, weft_store_put_data(s, name, &d)) : NULL;
}

static napi_value store_remove(Call *c)
{
    weft_store *s = arg_owned(c, 0, KIND_STORE);
    const char *name = arg_text(c, 1);
    return call_enter(c) ? call_done(c, weft_store_remove(s, name)) : NULL;
}

static napi_value store_set_metadata(Call *c)
{
    weft_store *s = arg_owned(c, 0, KIND_STORE);
    const char *key = arg_text(c, 1), *value = arg_text(c, 2);
    return call_enter(c) ? call_done(c, weft_store_set_metadata(s, key, value)) : NULL;
}

/* ---- the folder ---- */

static napi_value store_models(Call *c)
{
    weft_store      *s = arg_owned(c, 0, KIND_STORE);
    uint32_t         count = 0;
    weft_store_model m;
    napi_env         n = c->napi;
    if (!call_enter(c))
        return NULL;
    if (!weft_store_model_list(s, &count))
        return call_throw(c);
    napi_value list = js_array(n, count);
    for (uint32_t i = 0; i < count && weft_store_model_get(&m, s, i); i++) {
        napi_value v = js_object(n);
        js_set(n, v, "name", js_text(n, m.name));
        js_set(n, v, "bytes", js_number(n, (double)m.bytes));
        js_set(n, v, "tensors", js_number(n, m.tensors));
        js_set(n, v, "created", js_number(n, (double)m.created));
        js_set(n, v, "used", js_number(n, (double)m.used));
        js_push(n, list, i, v);
    }
    return list;
}

static napi_value store_model_delete(Call *c)
{
    weft_store *s = arg_owned(c, 0, KIND_STORE);
    const char *name = arg_text(c, 1);
    return call_enter(c) ? call_done(c, weft_store_model_delete(s, name)) : NULL;
}

static napi_value store_usage(Call *c)
{
    weft_store      *s = arg_owned(c, 0, KIND_STORE);
    weft_store_usage u;
    napi_env         n = c->napi;
    if (!call_enter(c))
        return NULL;
    if (!weft_store_usage_get(&u, s))
        return call_throw(c);
    napi_value v = js_object(n);
    js_set(n, v, "models", js_number(n, u.models));
    js_set(n, v, "objects", js_number(n, u.objects));
    js_set(n, v, "bytes", js_number(n, (double)u.bytes));
    js_set(n, v, "unused", js_number(n, (double)u.unused));
    return v;
}

/* ---- what takes long ---- */

typedef enum StoreAction { STORE_PUT, STORE_COMMIT, STORE_VERIFY, STORE_CLEAN } StoreAction;

typedef struct StoreJob {
    Job          job;
    StoreAction  action;
    weft_store  *store;
    weft_tensor *tensor;                /* put */
    char        *name;
    uint64_t     max_age, freed;        /* clean */
} StoreJob;

static bool store_job_run(Job *job)
{
    StoreJob *s = (StoreJob *)job;
    switch (s->action) {
    case STORE_PUT:    return weft_store_put(s->store, s->name, s->tensor);
    case STORE_COMMIT: return weft_store_commit(s->store);
    case STORE_VERIFY: return weft_store_verify(s->store, job_progress, job);
    case STORE_CLEAN:  return weft_store_clean(s->store, s->max_age, &s->freed);
    }
    return false;
}

static napi_value store_job_result(napi_env napi, Job *job)
{
    const StoreJob *s = (StoreJob *)job;
    return s->action == STORE_CLEAN ? js_number(napi, (double)s->freed) : js_undefined(napi);
}

static void store_job_fini(Job *job)
{
    StoreJob *s = (StoreJob *)job;
    weft_store_release(s->store);
    weft_tensor_release(s->tensor);
    free(s->name);
}

static StoreJob *store_job_new(Call *c, StoreAction action, weft_store *store)
{
    StoreJob *s = call_ok(c) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    *s = (StoreJob){ .job = { .run = store_job_run, .result = store_job_result,
                              .fini = store_job_fini, .home = c->home },
                     .action = action };
    home_enter(c->home);
    s->store = weft_store_retain(store);
    home_leave(c->home);
    return s;
}

/* storePut(store, name, tensor, token) */
static napi_value store_put(Call *c)
{
    weft_store    *store = arg_owned(c, 0, KIND_STORE);
    const char    *name = arg_text(c, 1);
    weft_tensor   *t = arg_owned(c, 2, KIND_TENSOR);
    const uint32_t token = arg_u32(c, 3);
    StoreJob      *s = store_job_new(c, STORE_PUT, store);
    if (!s)
        return NULL;
    home_enter(c->home);
    s->tensor = weft_tensor_retain(t);
    home_leave(c->home);
    if (name && (s->name = malloc(strlen(name) + 1)))
        strcpy(s->name, name);
    return job_start(c, &s->job, token);
}

/* storeCommit(store, token) */
static napi_value store_commit(Call *c)
{
    weft_store    *store = arg_owned(c, 0, KIND_STORE);
    const uint32_t token = arg_u32(c, 1);
    StoreJob      *s = store_job_new(c, STORE_COMMIT, store);
    return s ? job_start(c, &s->job, token) : NULL;
}

/* storeVerify(store, token) */
static napi_value store_verify(Call *c)
{
    weft_store    *store = arg_owned(c, 0, KIND_STORE);
    const uint32_t token = arg_u32(c, 1);
    StoreJob      *s = store_job_new(c, STORE_VERIFY, store);
    return s ? job_start(c, &s->job, token) : NULL;
}

/* storeClean(store, maxAge, token): maxAge undefined: no model goes for its age */
static napi_value store_clean(Call *c)
{
    weft_store    *store = arg_owned(c, 0, KIND_STORE);
    const uint64_t max_age = arg_u64_or(c, 1, WEFT_OFF);
    const uint32_t token = arg_u32(c, 2);
    StoreJob      *s = store_job_new(c, STORE_CLEAN, store);
    if (!s)
        return NULL;
    s->max_age = max_age;
    return job_start(c, &s->job, token);
}

const Function store_functions[] = {
    { "storeOpen",        store_open },
    { "storeEntries",     store_entries },
    { "storeFind",        store_find },
    { "storeMetadata",    store_metadata },
    { "storeGet",         store_get },
    { "storeRead",        store_read },
    { "storePutData",     store_put_data },
    { "storeRemove",      store_remove },
    { "storeSetMetadata", store_set_metadata },
    { "storeModels",      store_models },
    { "storeModelDelete", store_model_delete },
    { "storeUsage",       store_usage },
    { "storePut",         store_put },
    { "storeCommit",      store_commit },
    { "storeVerify",      store_verify },
    { "storeClean",       store_clean },
    { 0 },
};
