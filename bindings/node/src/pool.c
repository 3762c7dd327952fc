// SPDX-License-Identifier: Apache-2.0
/*
 * pool.c - pools, their devices, contexts and resident data in JavaScript.
 *
 * in     calls of lib/pool.js
 * out    handles; devices, usage and counters as objects
 * knows  weft/pool.h: its objects may be used from any thread, so they have no Home
 * not    executions: pool_execute.c
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static uint64_t option_ns(Call *c, napi_value options, const char *name)
{
    const double value = option_number(c, options, name, 0);
    if (value == (double)INFINITY)
        return WEFT_OFF;
    if (!(value >= 0 && value < 1e12)) {
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected milliseconds", name);
        return 0;
    }
    return (uint64_t)(value * 1e6);
}

/* ---- creation ---- */

enum { MAX_WORDS = 32 };

typedef struct PoolJob {
    Job            job;
    weft_pool_desc desc;
    const char    *adapters[MAX_WORDS + 1], *libraries[MAX_WORDS + 1];
    char          *texts[2 * MAX_WORDS + 2];
    uint32_t       text_count;
    bool           shared;
    weft_pool     *pool;
    weft_pool_context *ctx;             /* shared: not owned */
} PoolJob;

static const char *keep(PoolJob *p, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (copy)
        p->texts[p->text_count++] = copy;
    return copy;
}

/* An array of texts; NULL if there is none. */
static const char *const *keep_list(Call *c, PoolJob *p, napi_value options, const char *name,
                                    const char **out)
{
    napi_value list = option(c, options, name), v = NULL;
    uint32_t   count = 0;
    if (!list)
        return NULL;
    if (napi_get_array_length(c->napi, list, &count) != napi_ok || count > MAX_WORDS) {
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected an array of at most %d texts", name,
                  MAX_WORDS);
        return NULL;
    }
    for (uint32_t i = 0; i < count && !c->bad; i++) {
        napi_get_element(c->napi, list, i, &v);
        const WGPUStringView s = value_string(c, v);
        if (c->bad || !s.data)
            call_fail(c, WEFT_ERROR_INVALID, "%s: expected texts", name);
        else
            out[i] = keep(p, s.data);
    }
    return out;
}

static uint32_t option_policy(Call *c, napi_value options)
{
    const char *name = option_text(c, options, "policy");
    const weft_policy policy = name ? weft_policy_find(name) : WEFT_POLICY_DEFAULT;
    if (name && !policy)
        call_fail(c, WEFT_ERROR_INVALID, "policy: there is no '%s'", name);
    return policy;
}

static void read_options(Call *c, PoolJob *p, napi_value o)
{
    static const char *const names[] = {
        "libraries", "noOwn", "adapters", "probeTimeout", "benchmarkTimeout", "cacheDir",
        "noCache", "threads", "deadline", "timeLimit", "memoryLimit", "deviceMemory",
        "hostLimit", "policy", "device", "retries", "giveUp", "programLimit", NULL };
    options_check(c, o, "createPool", names);
    p->desc = (weft_pool_desc){
        .libraries = keep_list(c, p, o, "libraries", p->libraries),
        .no_own = option_bool(c, o, "noOwn"),
        .adapters = keep_list(c, p, o, "adapters", p->adapters),
        .probe_timeout = option_ns(c, o, "probeTimeout"),
        .benchmark_timeout = option_ns(c, o, "benchmarkTimeout"),
        .cache_dir = keep(p, option_text(c, o, "cacheDir")),
        .no_cache = option_bool(c, o, "noCache"),
        .threads = (uint32_t)option_u64(c, o, "threads", 0),
        .dispatch_deadline = option_ns(c, o, "deadline"),
        .time_limit = option_ns(c, o, "timeLimit"),
        .memory_limit = option_u64(c, o, "memoryLimit", 0),
        .device_memory = option_u64(c, o, "deviceMemory", 0),
        .host_limit = option_u64(c, o, "hostLimit", 0),
        .policy = option_policy(c, o),
        .device = keep(p, option_text(c, o, "device")),
        .retries = (uint32_t)option_u64(c, o, "retries", 0),
        .give_up = (uint32_t)option_u64(c, o, "giveUp", 0),
        .program_limit = (uint32_t)option_u64(c, o, "programLimit", 0),
    };
}

static bool pool_run(Job *job)
{
    PoolJob *p = (PoolJob *)job;
    if (p->shared)
        p->ctx = weft_pool_shared();
    else
        p->pool = weft_pool_create(&p->desc);
    if (!p->pool && !p->ctx)
        failure_set(&job->failure, WEFT_ERROR_MEMORY, "no memory for a pool");
    return p->pool || p->ctx;
}

static napi_value pool_result(napi_env napi, Job *job)
{
    PoolJob   *p = (PoolJob *)job;
    weft_pool *pool = p->pool;
    p->pool = NULL;
    return p->shared ? handle_new(napi, KIND_POOL_CONTEXT, weft_pool_context_retain(p->ctx), 0)
                     : handle_new(napi, KIND_POOL, pool, 0);
}

static void pool_fini(Job *job)
{
    PoolJob *p = (PoolJob *)job;
    weft_pool_release(p->pool);
    for (uint32_t i = 0; i < p->text_count; i++)
        free(p->texts[i]);
}

static napi_value pool_start(Call *c, bool shared, size_t token)
{
    PoolJob *p = calloc(1, sizeof *p);
    if (!p) {
        call_fail(c, WEFT_ERROR_MEMORY, "no memory for a pool");
        return NULL;
    }
    p->job.run = pool_run;
    p->job.result = pool_result;
    p->job.fini = pool_fini;
    p->shared = shared;
    if (!shared)
        read_options(c, p, c->argv[0]);
    const uint32_t number = arg_u32(c, token);
    if (!call_ok(c)) {
        pool_fini(&p->job);
        free(p);
        return NULL;
    }
    return job_start(c, &p->job, number);
}

/* poolCreate(options, token): a job that gives a pool */
static napi_value pool_create(Call *c)
{
    return pool_start(c, false, 1);
}

/* poolShared(token): a job that gives the context that the process shares */
static napi_value pool_shared(Call *c)
{
    return pool_start(c, true, 0);
}

/* poolContext(pool, options) */
static napi_value pool_context(Call *c)
{
    static const char *const names[] = { "label", "memoryQuota", "executionQuota", "timeQuota",
                                         "weight", "policy", "device", NULL };
    weft_pool *pool = arg_owned(c, 0, KIND_POOL);
    napi_value o = c->argv[1];
    options_check(c, o, "context", names);
    const weft_pool_context_desc d = {
        .label = option_text(c, o, "label"),
        .memory_quota = option_u64(c, o, "memoryQuota", 0),
        .execution_quota = (uint32_t)option_u64(c, o, "executionQuota", 0),
        .time_quota = option_ns(c, o, "timeQuota"),
        .weight = (uint32_t)option_u64(c, o, "weight", 0),
        .policy = option_policy(c, o),
        .device = option_text(c, o, "device"),
    };
    if (!call_ok(c))
        return NULL;
    weft_pool_context *ctx = weft_pool_context_create(pool, &d);
    if (!ctx)
        call_fail(c, WEFT_ERROR_INVALID, "context: a weight is at most 1,000, and the policy "
                  "'device' needs a device");
    return ctx ? handle_new(c->napi, KIND_POOL_CONTEXT, ctx, 0) : NULL;
}

/* ---- devices ---- */

static napi_value profile_value(napi_env n, const weft_profile *p)
{
    napi_value v = js_object(n);
    js_set(n, v, "f32Rate", js_number(n, p->f32_rate));
    js_set(n, v, "f16Rate", js_number(n, p->f16_rate));
    js_set(n, v, "i32Rate", js_number(n, p->i32_rate));
    js_set(n, v, "functionRate", js_number(n, p->function_rate));
    js_set(n, v, "bandwidth", js_number(n, p->bandwidth));
    js_set(n, v, "cacheBandwidth", js_number(n, p->cache_bandwidth));
    js_set(n, v, "launchMs", js_number(n, p->launch_ns / 1e6));
    js_set(n, v, "uploadRate", js_number(n, p->upload_rate));
    js_set(n, v, "readRate", js_number(n, p->read_rate));
    js_set(n, v, "measured", js_bool(n, p->measured));
    return v;
}

static napi_value device_value(napi_env n, const weft_pool_device *d)
{
    static const char *const states[] = { "", "ready", "lost", "given-up" };
    napi_value v = js_object(n);
    js_set(n, v, "index", js_number(n, d->index));
    js_set(n, v, "id", js_text(n, d->id));
    js_set(n, v, "name", js_text(n, d->name));
    js_set(n, v, "vendor", js_text(n, d->vendor));
    js_set(n, v, "architecture", js_text(n, d->architecture));
    js_set(n, v, "driver", js_text(n, d->driver));
    js_set(n, v, "backend", js_text(n, d->backend));
    js_set(n, v, "type", js_text(n, d->type));
    js_set(n, v, "library", js_text(n, d->library));
    js_set(n, v, "hardwareGpu", js_bool(n, d->hardware_gpu));
    js_set(n, v, "f16", js_bool(n, d->f16));
    js_set(n, v, "f64", js_bool(n, d->f64));
    js_set(n, v, "subgroups", js_bool(n, d->subgroups));
    js_set(n, v, "memory", js_number(n, (double)d->memory));
    js_set(n, v, "memoryUsed", js_number(n, (double)d->memory_used));
    js_set(n, v, "state", js_text(n, d->state < COUNTOF(states) ? states[d->state] : ""));
    js_set(n, v, "losses", js_number(n, d->losses));
    js_set(n, v, "queued", js_number(n, d->queued));
    js_set(n, v, "profile", profile_value(n, &d->profile));
    return v;
}

/* poolDevices(pool) */
static napi_value pool_devices(Call *c)
{
    weft_pool       *pool = arg_owned(c, 0, KIND_POOL);
    weft_pool_device d;
    if (!call_ok(c))
        return NULL;
    napi_value list = js_array(c->napi, 0);
    for (uint32_t i = 0; weft_pool_device_get(&d, pool, i); i++)
        js_push(c->napi, list, i, device_value(c->napi, &d));
    return list;
}

/* poolFind(pool, word): the index of a device; -1: none */
static napi_value pool_find(Call *c)
{
    weft_pool  *pool = arg_owned(c, 0, KIND_POOL);
    const char *word = arg_text(c, 1);
    if (!call_ok(c))
        return NULL;
    const uint32_t at = word ? weft_pool_device_find(pool, word) : UINT32_MAX;
    return js_number(c->napi, at == UINT32_MAX ? -1 : (double)at);
}

/* poolSources(pool): where devices came from, and what went wrong */
static napi_value pool_sources(Call *c)
{
    weft_pool       *pool = arg_owned(c, 0, KIND_POOL);
    weft_pool_source s;
    napi_env         n = c->napi;
    if (!call_ok(c))
        return NULL;
    napi_value list = js_array(n, 0);
    for (uint32_t i = 0; weft_pool_source_get(&s, pool, i); i++) {
        napi_value v = js_object(n);
        js_set(n, v, "library", js_text(n, s.library));
        js_set(n, v, "devices", js_number(n, s.devices));
        js_set(n, v, "error", js_text(n, s.error));
        js_push(n, list, i, v);
    }
    return list;
}

/* poolCounters(pool) */
static napi_value pool_counters(Call *c)
{
    weft_pool         *pool = arg_owned(c, 0, KIND_POOL);
    weft_pool_snapshot s;
    if (!call_ok(c) || !weft_pool_snapshot_get(&s, pool, UINT32_MAX))
        return NULL;
    const struct { const char *name; uint64_t value; } rows[] = {
        { "executions", s.executions }, { "failed", s.failed }, { "cancelled", s.cancelled },
        { "timedOut", s.timed_out }, { "retried", s.retried }, { "stolen", s.stolen },
        { "batched", s.batched }, { "divided", s.divided }, { "losses", s.losses },
        { "alerts", s.alerts }, { "bytesUploaded", s.bytes_uploaded },
        { "bytesRead", s.bytes_read }, { "waiting", s.waiting }, { "running", s.running },
        { "contexts", s.contexts }, { "programs", s.programs }, { "memory", s.memory },
        { "memoryPeak", s.memory_peak }, { "hostMemory", s.host_memory } };
    napi_value v = js_object(c->napi);
    for (size_t i = 0; i < COUNTOF(rows); i++)
        js_set(c->napi, v, rows[i].name, js_number(c->napi, (double)rows[i].value));
    return v;
}

/* poolUsage(context) */
static napi_value pool_usage(Call *c)
{
    weft_pool_context *ctx = arg_owned(c, 0, KIND_POOL_CONTEXT);
    weft_pool_usage    u;
    napi_env           n = c->napi;
    if (!call_ok(c))
        return NULL;
    weft_pool_context_usage(&u, ctx);
    napi_value v = js_object(n);
    js_set(n, v, "memory", js_number(n, (double)u.memory));
    js_set(n, v, "memoryPeak", js_number(n, (double)u.memory_peak));
    js_set(n, v, "deviceMs", js_number(n, ms(u.device_ns)));
    js_set(n, v, "executions", js_number(n, (double)u.executions));
    js_set(n, v, "errors", js_number(n, (double)u.errors));
    js_set(n, v, "waiting", js_number(n, u.waiting));
    js_set(n, v, "running", js_number(n, u.running));
    return v;
}

/* ---- resident data ---- */

static napi_value throw_context(Call *c, weft_pool_context *ctx)
{
    weft_pool_error e = { .kind = WEFT_ERROR_INTERNAL, .message = "the call failed" };
    weft_pool_context_error(&e, ctx);
    weft_pool_context_error_clear(ctx);
    call_fail(c, e.kind, "%s", e.message);
    return NULL;
}

/* poolData(context, name, type, bytes, size): bytes undefined: zeros */
static napi_value pool_data(Call *c)
{
    weft_pool_context *ctx = arg_owned(c, 0, KIND_POOL_CONTEXT);
    weft_pool_data_desc d = { .name = arg_text(c, 1), .type = (weft_scalar)arg_u32(c, 2) };
    size_t size = 0;
    if (!value_is_undefined(c, c->argv[3]))
        d.data = arg_bytes(c, 3, &size);
    d.size = arg_u64_or(c, 4, size);
    if (!call_ok(c))
        return NULL;
    weft_pool_context_error_clear(ctx);
    weft_pool_data *data = weft_pool_data_create(ctx, &d);
    return data ? handle_new(c->napi, KIND_POOL_DATA, data, 0) : throw_context(c, ctx);
}

typedef struct ReadJob {
    Job             job;
    weft_pool_data *data;
    uint64_t        size;
    void           *bytes;
} ReadJob;

static bool read_run(Job *job)
{
    ReadJob *r = (ReadJob *)job;
    r->bytes = malloc(r->size ? (size_t)r->size : 1);
    if (!r->bytes)
        failure_set(&job->failure, WEFT_ERROR_MEMORY, "no memory for resident data");
    else if (!weft_pool_data_read(r->bytes, r->data, 0, r->size))
        failure_set(&job->failure, WEFT_ERROR_DEVICE_LOST, "the resident data is lost with its "
                    "device");
    return !job->failure.kind;
}

static napi_value read_result(napi_env napi, Job *job)
{
    ReadJob *r = (ReadJob *)job;
    void    *bytes = r->bytes;
    r->bytes = NULL;
    return js_bytes(napi, bytes, (size_t)r->size);
}

static void read_fini(Job *job)
{
    ReadJob *r = (ReadJob *)job;
    weft_pool_data_release(r->data);
    free(r->bytes);
}

/* poolDataRead(data, token): a job that gives an ArrayBuffer */
static napi_value pool_data_read(Call *c)
{
    weft_pool_data *data = arg_owned(c, 0, KIND_POOL_DATA);
    const uint32_t  token = arg_u32(c, 1);
    ReadJob        *r = call_ok(c) ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return NULL;
    *r = (ReadJob){ .job = { .run = read_run, .result = read_result, .fini = read_fini },
                    .data = weft_pool_data_retain(data), .size = weft_pool_data_size(data) };
    return job_start(c, &r->job, token);
}

/* poolDataWrite(data, offset, bytes) */
static napi_value pool_data_write(Call *c)
{
    weft_pool_data *data = arg_owned(c, 0, KIND_POOL_DATA);
    const uint64_t  offset = arg_u64(c, 1);
    size_t          size = 0;
    const void     *bytes = arg_bytes(c, 2, &size);
    if (call_ok(c) && !weft_pool_data_write(data, offset, bytes, size))
        call_fail(c, WEFT_ERROR_SHAPE, "%zu bytes from %llu do not fit into data of %llu bytes",
                  size, (unsigned long long)offset,
                  (unsigned long long)weft_pool_data_size(data));
    return NULL;
}

/* poolDataSize(data) */
static napi_value pool_data_size(Call *c)
{
    weft_pool_data *data = arg_owned(c, 0, KIND_POOL_DATA);
    return call_ok(c) ? js_number(c->napi, (double)weft_pool_data_size(data)) : NULL;
}

const Function pool_functions[] = {
    { "poolCreate",    pool_create },
    { "poolShared",    pool_shared },
    { "poolContext",   pool_context },
    { "poolDevices",   pool_devices },
    { "poolFind",      pool_find },
    { "poolSources",   pool_sources },
    { "poolCounters",  pool_counters },
    { "poolUsage",     pool_usage },
    { "poolData",      pool_data },
    { "poolDataRead",  pool_data_read },
    { "poolDataWrite", pool_data_write },
    { "poolDataSize",  pool_data_size },
    { 0 },
};
