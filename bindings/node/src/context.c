// SPDX-License-Identifier: Apache-2.0
/*
 * context.c - weft/context.h for JavaScript: devices, memory, counters, log.
 *
 * in     calls of lib/context.js
 * out    contexts, figures about them
 * knows  the options of a context by name
 * not    tensors
 */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

/* ---- options ---- */

static const char *const option_names[] = {
    "share", "adapter", "library", "noDevice", "threads", "deadline", "memoryBudget",
    "hostBudget", "spillDir", "memoryMode", "pipelineLimit", "evalThreshold", "checked",
    "noCache", "log", "label", NULL,
};
static const char *const memory_modes[] = { "balanced", "speed", "low", NULL };

static uint64_t nanoseconds(Call *c, napi_value options)
{
    const double ms = option_number(c, options, "deadline", 0);
    if (!(ms >= 0 && ms <= 1e12))
        call_fail(c, WEFT_ERROR_INVALID, "deadline: expected milliseconds");
    return c->bad ? 0 : (uint64_t)(ms * 1e6);
}

static uint32_t small(Call *c, napi_value options, const char *name)
{
    const uint64_t n = option_u64(c, options, name, 0);
    if (n > UINT32_MAX)
        call_fail(c, WEFT_ERROR_INVALID, "%s: too large", name);
    return (uint32_t)n;
}

/* Its texts live as long as the call; `share` is the context whose device is shared. */
static weft_context_desc read_options(Call *c, napi_value options, Home **share)
{
    weft_context_desc d = { 0 };
    options_check(c, options, "createContext", option_names);
    napi_value with = option(c, options, "share");
    *share = with ? handle_get(c->napi, with, KIND_CONTEXT) : NULL;
    if (with && !*share)
        call_fail(c, WEFT_ERROR_INVALID, "share: expected a context that is not disposed of");
    d.adapter = option_text(c, options, "adapter");
    d.library = option_text(c, options, "library");
    d.no_device = option_bool(c, options, "noDevice");
    d.threads = small(c, options, "threads");
    d.dispatch_deadline = nanoseconds(c, options);
    d.timed_waits_help = true;          /* lib/job.js waits for what was quick before */
    d.memory_budget = option_u64(c, options, "memoryBudget", 0);
    d.host_budget = option_u64(c, options, "hostBudget", 0);
    d.spill_dir = option_text(c, options, "spillDir");
    d.memory_mode = (weft_memory_mode)option_word(c, options, "memoryMode", memory_modes);
    d.pipeline_limit = small(c, options, "pipelineLimit");
    d.eval_threshold = option_u64(c, options, "evalThreshold", 0);
    d.checked = option_bool(c, options, "checked");
    d.no_cache = option_bool(c, options, "noCache");
    d.label = option_text(c, options, "label");
    return d;
}

static void on_log(void *user, weft_log_topic topic, const char *message)
{
    event_repeat(user, topic, (WGPUStringView){ message, WGPU_STRLEN });
}

/* ---- creation ---- */

/* Opens a context on the device of `share`, which another thread may be using. */
static Home *open_home(weft_context_desc *d, Home *share, Event *log, Failure *failure)
{
    if (log) {
        d->log = on_log;
        d->log_user = log;
    }
    if (share) {
        home_enter(share);
        d->share = home_context(share);
    }
    weft_context *ctx = weft_context_create(d);
    if (share)
        home_leave(share);
    if (ctx && weft_context_error(ctx)->kind) {
        failure_take(failure, ctx);
        weft_context_release(ctx);
        event_drop(log);
        return NULL;
    }
    Home *home = ctx ? home_create(ctx) : NULL;
    if (home)
        home_set_log(home, log);
    else
        failure_set(failure, WEFT_ERROR_MEMORY, "no memory for a context");
    if (!home)
        event_drop(log);
    return home;
}

static Event *log_event(Call *c, size_t i)
{
    const uint32_t token = arg_u32_or(c, i, 0);
    return token && call_ok(c) ? event_new(c, token, EVENT_WATCHES) : NULL;
}

/* contextCreate(options, logToken) */
static napi_value context_create(Call *c)
{
    Home             *share = NULL;
    weft_context_desc d = read_options(c, c->argv[0], &share);
    Event            *log = log_event(c, 1);
    Failure           failure = { 0 };
    if (!call_ok(c)) {
        event_drop(log);
        return NULL;
    }
    Home *home = open_home(&d, share, log, &failure);
    if (home)
        return handle_new(c->napi, KIND_CONTEXT, home, 0);
    napi_throw(c->napi, failure_value(c->env, &failure));
    failure_fini(&failure);
    return NULL;
}

typedef struct OpenJob {
    Job               job;
    weft_context_desc desc;             /* its texts are in `texts` */
    char             *texts[4];
    Home             *share, *opened;
    Event            *log;
} OpenJob;

static bool open_run(Job *job)
{
    OpenJob *o = (OpenJob *)job;
    Event   *log = o->log;
    o->log = NULL;                      /* the context has it, or it is dropped */
    o->opened = open_home(&o->desc, o->share, log, &job->failure);
    return o->opened != NULL;
}

static napi_value open_result(napi_env napi, Job *job)
{
    OpenJob *o = (OpenJob *)job;
    Home    *home = o->opened;
    o->opened = NULL;
    return handle_new(napi, KIND_CONTEXT, home, 0);
}

static void open_fini(Job *job)
{
    OpenJob *o = (OpenJob *)job;
    home_release(o->opened);
    home_release(o->share);
    event_drop(o->log);
    for (size_t i = 0; i < COUNTOF(o->texts); i++)
        free(o->texts[i]);
}

static const char *keep(OpenJob *o, size_t i, const char *text)
{
    const size_t size = text ? strlen(text) + 1 : 0;
    o->texts[i] = size ? malloc(size) : NULL;
    return o->texts[i] ? memcpy(o->texts[i], text, size) : NULL;
}

/* contextOpen(options, logToken, token): the same on another thread */
static napi_value context_open(Call *c)
{
    Home             *share = NULL;
    weft_context_desc d = read_options(c, c->argv[0], &share);
    OpenJob          *o = call_ok(c) ? calloc(1, sizeof *o) : NULL;
    if (!o)
        return NULL;
    o->job.run = open_run;
    o->job.result = open_result;
    o->job.fini = open_fini;
    o->share = share ? home_retain(share) : NULL;
    o->log = log_event(c, 1);
    o->desc = d;
    o->desc.adapter = keep(o, 0, d.adapter);
    o->desc.library = keep(o, 1, d.library);
    o->desc.spill_dir = keep(o, 2, d.spill_dir);
    o->desc.label = keep(o, 3, d.label);
    return job_start(c, &o->job, arg_u32(c, 2));
}

/* contextAvailable(options): null, or why there would be no device */
static napi_value context_available(Call *c)
{
    Home             *share = NULL;
    weft_context_desc d = read_options(c, c->argv[0], &share);
    char              why[512] = "";
    if (!call_ok(c))
        return NULL;
    return weft_context_available(&d, why, sizeof why) ? js_null(c->napi)
                                                       : js_text(c->napi, why);
}

/* ---- facts ---- */

static napi_value limits_value(napi_env napi, const WGPULimits *limits)
{
    napi_value v = js_object(napi);
#define IN_limits(name) js_set(napi, v, #name, js_number(napi, (double)limits->name));
#define IN_compat(name)
#define LIMIT(in, name, bits) LIMIT_OF(in, name)
#define LIMIT_OF(in, name) IN_##in(name)
#include "limits.def"
#undef LIMIT
#undef LIMIT_OF
#undef IN_limits
#undef IN_compat
    return v;
}

/* contextDevice(context): null without a device */
static napi_value context_device(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    if (!call_enter(c))
        return NULL;
    const weft_device_info *d = weft_context_device(ctx);
    napi_env n = c->napi;
    if (!d)
        return js_null(n);
    napi_value v = js_object(n);
    js_set(n, v, "name", js_text(n, d->name));
    js_set(n, v, "vendor", js_text(n, d->vendor));
    js_set(n, v, "architecture", js_text(n, d->architecture));
    js_set(n, v, "driver", js_text(n, d->driver));
    js_set(n, v, "backend", js_text(n, d->backend));
    js_set(n, v, "type", js_text(n, d->type));
    js_set(n, v, "library", js_text(n, d->library));
    js_set(n, v, "reason", js_text(n, d->reason));
    js_set(n, v, "hardwareGpu", js_bool(n, d->hardware_gpu));
    js_set(n, v, "f16", js_bool(n, d->f16));
    js_set(n, v, "f64", js_bool(n, d->f64));
    js_set(n, v, "subgroups", js_bool(n, d->subgroups));
    js_set(n, v, "timestamps", js_bool(n, d->timestamps));
    js_set(n, v, "memory", js_number(n, (double)d->memory));
    js_set(n, v, "limits", limits_value(n, &d->limits));
    return v;
}

/* A number of bytes; no limit is Infinity. */
static napi_value bytes_value(napi_env napi, uint64_t bytes)
{
    return js_number(napi, bytes == UINT64_MAX ? (double)INFINITY : (double)bytes);
}

static napi_value context_memory(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    weft_memory   m;
    if (!call_enter(c))
        return NULL;
    weft_context_memory(&m, ctx);
    napi_env   n = c->napi;
    napi_value v = js_object(n);
    js_set(n, v, "live", bytes_value(n, m.live));
    js_set(n, v, "peak", bytes_value(n, m.peak));
    js_set(n, v, "pooled", bytes_value(n, m.pooled));
    js_set(n, v, "host", bytes_value(n, m.host));
    js_set(n, v, "disk", bytes_value(n, m.disk));
    js_set(n, v, "evicted", bytes_value(n, m.evicted));
    js_set(n, v, "budget", bytes_value(n, m.budget));
    return v;
}

static napi_value context_reset_peak(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    if (call_enter(c))
        weft_context_memory_reset_peak(ctx);
    return NULL;
}

static napi_value context_trim(Call *c)
{
    weft_context  *ctx = arg_context(c, 0);
    const uint64_t bytes = arg_u64(c, 1);
    if (call_enter(c))
        weft_context_trim(ctx, bytes);
    return NULL;
}

/* contextCounters(context): an object of numbers by dotted name */
static napi_value context_counters(Call *c)
{
    weft_context *ctx = arg_context(c, 0);
    weft_counter  counter;
    if (!call_enter(c))
        return NULL;
    napi_value v = js_object(c->napi);
    for (uint32_t i = 0; weft_context_counter_get(&counter, ctx, i); i++)
        js_set(c->napi, v, counter.name, js_number(c->napi, (double)counter.value));
    return v;
}

static void on_done(void *user, bool ok)
{
    if (ok)
        answer_done(user, NULL, NULL, NULL);
    else
        answer_failed(user);
}

/* contextDone(slot, waitNs, context): when all work so far is done */
static napi_value context_done(Call *c)
{
    weft_context *ctx = arg_context(c, 2);
    Answer       *a = call_enter(c) ? answer_new(c) : NULL;
    return a ? call_answer(c, a, weft_context_done_async(ctx, on_done, a)) : NULL;
}

const Function context_functions[] = {
    { "contextCreate",    context_create },
    { "contextOpen",      context_open },
    { "contextAvailable", context_available },
    { "contextDevice",    context_device },
    { "contextMemory",    context_memory },
    { "contextResetPeak", context_reset_peak },
    { "contextTrim",      context_trim },
    { "contextCounters",  context_counters },
    { "contextDone",      context_done },
    { 0 },
};
