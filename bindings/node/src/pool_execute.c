// SPDX-License-Identifier: Apache-2.0
/*
 * pool_execute.c - executions of kernels on a pool: as promises, or blocking.
 *
 * in     calls of lib/pool.js: options, inputs and outputs as flat arrays
 * out    { report, outputs } in an event, or at once
 * knows  weft/pool.h; that outputs without a place are memory of their execution, which an
 *        ArrayBuffer then keeps
 * not    typed arrays and types by name: lib/pool.js
 */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

enum { STATUS_DONE = 1, STATUS_FAILED = 2 };        /* as in lib/job.js */
enum { FIELDS = 4 };                                /* name, type, shape, place */

/* What a call asks for. Its memory is that of the call. */
typedef struct Request {
    weft_execute_desc    desc;
    weft_execute_input  *inputs;
    weft_execute_output *outputs;
    bool                 has_places;    /* all outputs have one */
} Request;

/* ---- arguments ---- */

static void read_three(Call *c, napi_value options, const char *name, uint32_t out[3])
{
    napi_value list = option(c, options, name), v = NULL;
    uint32_t   count = 0;
    if (!list)
        return;
    if (napi_get_array_length(c->napi, list, &count) != napi_ok || count > 3) {
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected an array of at most 3 numbers", name);
        return;
    }
    for (uint32_t i = 0; i < count && !c->bad; i++) {
        double n = -1;
        if (napi_get_element(c->napi, list, i, &v) != napi_ok
            || napi_get_value_double(c->napi, v, &n) != napi_ok || !(n >= 0 && n < 4294967296.0))
            call_fail(c, WEFT_ERROR_INVALID, "%s: expected numbers of workgroups or "
                      "invocations", name);
        else
            out[i] = (uint32_t)n;
    }
}

/* constants: [name, value, name, value, ...] */
static void read_constants(Call *c, Request *r, napi_value options)
{
    napi_value list = option(c, options, "constants"), v = NULL;
    uint32_t   count = 0;
    if (!list || napi_get_array_length(c->napi, list, &count) != napi_ok || !count)
        return;
    weft_constant *all = call_alloc(c, count / 2, sizeof *all);
    for (uint32_t i = 0; all && i < count / 2 && !c->bad; i++) {
        napi_get_element(c->napi, list, 2 * i, &v);
        all[i].name = value_string(c, v).data;
        napi_get_element(c->napi, list, 2 * i + 1, &v);
        all[i].value = value_double(c, v);
    }
    r->desc.constants = all;
    r->desc.constant_count = count / 2;
}

static void read_options(Call *c, Request *r, napi_value o)
{
    weft_execute_desc *d = &r->desc;
    const char *policy = option_text(c, o, "policy");
    d->wgsl = option_text(c, o, "wgsl");
    d->entry = option_text(c, o, "entry");
    d->policy = policy ? weft_policy_find(policy) : WEFT_POLICY_DEFAULT;
    d->device = option_text(c, o, "device");
    d->priority = (int32_t)option_number(c, o, "priority", 0);
    d->deadline = (uint64_t)(option_number(c, o, "deadline", 0) * 1e6);
    d->time_limit = (uint64_t)(option_number(c, o, "timeLimit", 0) * 1e6);
    d->memory_limit = option_u64(c, o, "memoryLimit", 0);
    d->optimize = option_bool(c, o, "optimize");
    d->no_retry = option_bool(c, o, "noRetry");
    d->label = option_text(c, o, "label");
    read_three(c, o, "groups", d->groups);
    read_three(c, o, "invocations", d->invocations);
    read_constants(c, r, o);
    if (policy && !d->policy)
        call_fail(c, WEFT_ERROR_INVALID, "policy: there is no '%s'", policy);
    if (!d->wgsl)
        call_fail(c, WEFT_ERROR_INVALID, "execute: 'wgsl' is missing");
}

static uint32_t read_shape(Call *c, napi_value list, uint64_t out[8])
{
    uint32_t   count = 0;
    napi_value v = NULL;
    if (napi_get_array_length(c->napi, list, &count) != napi_ok)
        return 0;                                   /* null: not given */
    if (count > 8) {
        call_fail(c, WEFT_ERROR_SHAPE, "a shape has at most 8 axes, not %u", count);
        return 0;
    }
    for (uint32_t i = 0; i < count && !c->bad; i++) {
        napi_get_element(c->napi, list, i, &v);
        out[i] = value_u64_or(c, v, 0);
    }
    return count;
}

/* Bytes of a view, or resident data; both NULL for null. */
static void *read_place(Call *c, napi_value v, weft_pool_data **resident, size_t *size)
{
    void   *data = NULL;
    Handle *h = handle_find(c->napi, v);
    *resident = handle_object(h, KIND_POOL_DATA);
    *size = 0;
    if (h && handle_is_closed(h))
        call_fail(c, WEFT_ERROR_INVALID, "the data was disposed of");
    if (!h && napi_get_typedarray_info(c->napi, v, NULL, size, &data, NULL, NULL) != napi_ok)
        *size = 0;
    return data;
}

static void read_input(Call *c, weft_execute_input *in, uint32_t at)
{
    size_t size;
    in->name = value_string(c, arg_element(c, 3, at)).data;
    in->type = (weft_scalar)value_u32(c, arg_element(c, 3, at + 1));
    in->rank = read_shape(c, arg_element(c, 3, at + 2), in->shape);
    in->data = read_place(c, arg_element(c, 3, at + 3), &in->resident, &size);
    in->size = size;
}

static void read_output(Call *c, weft_execute_output *out, uint32_t at)
{
    size_t size;
    out->name = value_string(c, arg_element(c, 4, at)).data;
    out->type = (weft_scalar)value_u32(c, arg_element(c, 4, at + 1));
    out->rank = read_shape(c, arg_element(c, 4, at + 2), out->shape);
    out->data = read_place(c, arg_element(c, 4, at + 3), &out->resident, &size);
    out->size = size;
}

/* (context, token, options, inputs, outputs) */
static weft_pool_context *read_request(Call *c, Request *r)
{
    weft_pool_context *ctx = arg_owned(c, 0, KIND_POOL_CONTEXT);
    const uint32_t     inputs = arg_length(c, 3) / FIELDS, outputs = arg_length(c, 4) / FIELDS;
    *r = (Request){ .has_places = true };
    if (!call_ok(c))
        return NULL;
    read_options(c, r, c->argv[2]);
    r->inputs = call_alloc(c, inputs + 1, sizeof *r->inputs);
    r->outputs = call_alloc(c, outputs + 1, sizeof *r->outputs);
    for (uint32_t i = 0; i < inputs && !c->bad; i++)
        read_input(c, &r->inputs[i], i * FIELDS);
    for (uint32_t i = 0; i < outputs && !c->bad; i++) {
        read_output(c, &r->outputs[i], i * FIELDS);
        r->has_places &= r->outputs[i].data || r->outputs[i].resident;
    }
    r->desc.inputs = r->inputs;
    r->desc.input_count = inputs;
    r->desc.outputs = r->outputs;
    r->desc.output_count = outputs;
    return call_ok(c) ? ctx : NULL;
}

/* ---- results ---- */

static napi_value report_value(napi_env n, const weft_execute_report *r)
{
    const struct { const char *name; double value; } rows[] = {
        { "id", (double)r->id },
        { "queueMs", (double)r->queue_ns / 1e6 }, { "compileMs", (double)r->compile_ns / 1e6 },
        { "uploadMs", (double)r->upload_ns / 1e6 }, { "runMs", (double)r->run_ns / 1e6 },
        { "readMs", (double)r->read_ns / 1e6 }, { "totalMs", (double)r->total_ns / 1e6 },
        { "bytesUploaded", (double)r->bytes_uploaded }, { "bytesRead", (double)r->bytes_read },
        { "memory", (double)r->memory }, { "attempts", r->attempts }, { "parts", r->parts } };
    napi_value v = js_object(n), groups = js_array(n, 3), size = js_array(n, 3);
    for (size_t i = 0; i < COUNTOF(rows); i++)
        js_set(n, v, rows[i].name, js_number(n, rows[i].value));
    for (uint32_t i = 0; i < 3; i++) {
        js_push(n, groups, i, js_number(n, r->groups[i]));
        js_push(n, size, i, js_number(n, r->workgroup_size[i]));
    }
    js_set(n, v, "device", js_text(n, r->device));
    js_set(n, v, "groups", groups);
    js_set(n, v, "workgroupSize", size);
    js_set(n, v, "note", js_text(n, r->note));
    return v;
}

static void failure_from(Failure *f, const weft_pool_error *e)
{
    failure_set(f, e->kind ? e->kind : WEFT_ERROR_INTERNAL, e->message);
    if (*e->name)
        f->names[0] = strdup(e->name);
}

static void memory_end(napi_env napi, void *data, void *hint)
{
    (void)napi, (void)data;
    weft_execution_release(hint);
}

/* The memory of an output as an ArrayBuffer, which keeps the execution; small ones are copied. */
static napi_value output_value(napi_env napi, weft_execution *e, const char *name)
{
    enum { SMALL = 16384 };
    uint64_t    size = 0;
    const void *from = weft_execution_output(e, name, &size);
    napi_value  v = NULL;
    void       *to = NULL;
    if (!from)
        return js_null(napi);                       /* resident */
    if (size > SMALL) {
        void *data;
        memcpy(&data, &from, sizeof data);          /* no other thread accesses it   */
        if (napi_create_external_arraybuffer(napi, data, (size_t)size, memory_end,
                                             weft_execution_retain(e), &v) == napi_ok)
            return v;
        weft_execution_release(e);
    }
    if (napi_create_arraybuffer(napi, (size_t)size, &to, &v) == napi_ok && size)
        memcpy(to, from, (size_t)size);
    return v;
}

/* An execution that JavaScript waits for. */
typedef struct Pending {
    Env                *env;
    Event              *event;
    weft_execution     *execution;      /* referenced once it has ended */
    weft_execute_report report;
    uint32_t            output_count;
    char               *names[];        /* of the outputs, in one block behind */
} Pending;

static void pending_free(void *data)
{
    Pending *p = data;
    weft_execution_release(p->execution);
    free(p);
}

static napi_value outcome(napi_env n, weft_execution *e, const weft_execute_report *report,
                          char *const *names, uint32_t count)
{
    napi_value v = js_object(n), outputs = js_array(n, count);
    for (uint32_t i = 0; e && i < count; i++)
        js_push(n, outputs, i, output_value(n, e, names[i]));
    js_set(n, v, "report", report_value(n, report));
    js_set(n, v, "outputs", outputs);
    return v;
}

static napi_value pending_value(napi_env n, void *data)
{
    Pending *p = data;
    if (!p->report.error.kind)
        return outcome(n, p->execution, &p->report, p->names, p->output_count);
    Failure f = { 0 };
    failure_from(&f, &p->report.error);
    napi_value v = failure_value(p->env, &f);
    failure_fini(&f);
    return v;
}

static Pending *pending_new(Call *c, const Request *r)
{
    size_t size = sizeof(Pending) + r->desc.output_count * sizeof(char *);
    for (uint32_t i = 0; i < r->desc.output_count; i++)
        size += strlen(r->outputs[i].name ? r->outputs[i].name : "") + 1;
    Pending *p = calloc(1, size);
    if (!p) {
        call_fail(c, WEFT_ERROR_MEMORY, "no memory for an execution");
        return NULL;
    }
    char *text = (char *)&p->names[r->desc.output_count];
    p->env = c->env;
    p->output_count = r->desc.output_count;
    for (uint32_t i = 0; i < p->output_count; i++) {
        const char *name = r->outputs[i].name ? r->outputs[i].name : "";
        p->names[i] = strcpy(text, name);
        text += strlen(name) + 1;
    }
    return p;
}

static void on_end(void *user, weft_execution *e, const weft_execute_report *report)
{
    Pending *p = user;
    Event   *event = p->event;
    p->report = *report;
    p->execution = weft_execution_retain(e);
    event_payload(event, pending_value, pending_free, p);
    event_post(event, report->error.kind ? STATUS_FAILED : STATUS_DONE, 0);
}

/* poolExecute(context, token, options, inputs, outputs, waitNs): an event with the outcome; a
 * handle for executionCancel(). Waits for it a moment, so that short ones come at once. */
static napi_value pool_execute(Call *c)
{
    Request            r;
    weft_pool_context *ctx = read_request(c, &r);
    const uint32_t     token = arg_u32(c, 1);
    const uint64_t     wait_ns = arg_u64(c, 5);
    Pending           *p = ctx && call_ok(c) ? pending_new(c, &r) : NULL;
    if (!p)
        return NULL;
    p->event = event_new(c, token, EVENT_HOLDS);
    if (!p->event) {
        free(p);
        return NULL;
    }
    for (uint32_t i = 0; i < r.desc.output_count; i++)
        r.outputs[i].data = NULL;       /* JavaScript may detach it: lib/ copies */
    r.desc.callback = on_end;
    r.desc.user = p;
    weft_execution *e = weft_execute_async(ctx, &r.desc);
    if (!e) {
        event_drop(p->event);
        free(p);
        call_fail(c, WEFT_ERROR_MEMORY, "no memory for an execution");
        return NULL;
    }
    if (wait_ns && weft_execution_wait(e, wait_ns))
        env_deliver(c->env);
    return handle_new(c->napi, KIND_EXECUTION, e, 0);
}

/* poolExecuteSync(context, 0, options, inputs, outputs): the outcome; outputs that have a
 * place are written there */
static napi_value pool_execute_sync(Call *c)
{
    Request             r;
    weft_execute_report report;
    weft_execution     *e = NULL;
    weft_pool_context  *ctx = read_request(c, &r);
    if (!ctx)
        return NULL;
    if (r.has_places) {
        weft_execute(ctx, &r.desc, &report);
    } else if ((e = weft_execute_async(ctx, &r.desc))) {
        weft_execution_wait(e, UINT64_MAX);
        weft_execution_report(&report, e);
    } else {
        call_fail(c, WEFT_ERROR_MEMORY, "no memory for an execution");
        return NULL;
    }
    napi_value v = NULL;
    if (report.error.kind) {
        Failure f = { 0 };
        failure_from(&f, &report.error);
        napi_throw(c->napi, failure_value(c->env, &f));
        failure_fini(&f);
    } else {
        char **names = call_alloc(c, r.desc.output_count + 1, sizeof *names);
        for (uint32_t i = 0; names && i < r.desc.output_count; i++)
            memcpy(&names[i], &r.outputs[i].name, sizeof names[i]);
        v = outcome(c->napi, e, &report, names, r.desc.output_count);
    }
    weft_execution_release(e);
    return v;
}

/* executionCancel(execution) */
static napi_value execution_cancel(Call *c)
{
    weft_execution *e = arg_owned(c, 0, KIND_EXECUTION);
    return call_ok(c) ? js_bool(c->napi, weft_execution_cancel(e)) : NULL;
}

/* poolExplain(context, 0, options, inputs, outputs): which device would run it, and why */
static napi_value pool_explain(Call *c)
{
    Request            r;
    weft_pool_context *ctx = read_request(c, &r);
    const size_t       size = ctx ? weft_pool_explain(NULL, 0, ctx, &r.desc) : 0;
    char              *text = ctx ? call_alloc(c, size + 1, 1) : NULL;
    if (!text)
        return NULL;
    weft_pool_explain(text, size, ctx, &r.desc);
    return js_text(c->napi, text);
}

const Function pool_execute_functions[] = {
    { "poolExecute",     pool_execute },
    { "poolExecuteSync", pool_execute_sync },
    { "poolExplain",     pool_explain },
    { "executionCancel", execution_cancel },
    { 0 },
};
