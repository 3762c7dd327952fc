// SPDX-License-Identifier: Apache-2.0
/*
 * context_tune.c - the fastest workgroup size of a kernel, from JavaScript.
 *
 * in     WGSL with the overrides wx, wy and wz as its workgroup size, sizes of its buffers
 * out    one of the candidates: measured once, then remembered by the library
 * knows  weft_context_tune()
 * not    what the kernel computes
 */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

#define MAX_CANDIDATES 32
#define MAX_BUFFERS 8

typedef struct TuneJob {
    Job          job;
    char        *name, *wgsl;
    uint64_t     bytes[MAX_BUFFERS];    /* of the storage buffers, in the order of bindings */
    uint32_t     buffer_count;
    void        *params;                /* of the uniform variable, which comes last */
    uint32_t     params_size;
    uint32_t     items[3];              /* invocations that the work needs */
    uint32_t     candidates[MAX_CANDIDATES][3];
    uint32_t     candidate_count;
    uint64_t     time_limit;
    bool         again;
    weft_buffer *buffers[MAX_BUFFERS];
    uint32_t     best[3];
} TuneJob;

static bool measure(void *user, weft_context *ctx, const uint32_t size[3])
{
    TuneJob            *t = user;
    const weft_constant constants[] = { { "wx", size[0] }, { "wy", size[1] }, { "wz", size[2] } };
    weft_binding        bindings[MAX_BUFFERS + 1] = { { 0 } };
    weft_pipeline      *p = weft_pipeline_create(ctx, &(weft_pipeline_desc){
                             .wgsl = t->wgsl, .constants = constants,
                             .constant_count = COUNTOF(constants), .label = t->name });
    weft_dispatch       d = { .pipeline = p, .bindings = bindings };
    for (uint32_t i = 0; i < t->buffer_count; i++)
        bindings[d.binding_count++].buffer = t->buffers[i];
    if (t->params_size) {
        bindings[d.binding_count].data = t->params;
        bindings[d.binding_count++].data_size = t->params_size;
    }
    for (int i = 0; i < 3; i++)
        d.groups[i] = (t->items[i] + size[i] - 1) / size[i];
    const bool ok = p && weft_context_dispatch(ctx, &d);
    weft_pipeline_release(p);
    return ok;
}

static bool tune_run(Job *job)
{
    TuneJob      *t = (TuneJob *)job;
    weft_context *ctx = home_context(job->home);
    for (uint32_t i = 0; i < t->buffer_count; i++) {
        t->buffers[i] = weft_buffer_create(ctx, &(weft_buffer_desc){ .size = t->bytes[i] });
        if (!t->buffers[i])
            return false;
    }
    return weft_context_tune(t->best, ctx, &(weft_tune_desc){
        .kernel = t->name, .candidates = (const uint32_t (*)[3])t->candidates,
        .candidate_count = t->candidate_count, .run = measure, .user = t,
        .time_limit = t->time_limit, .again = t->again,
        .progress = job_progress, .progress_user = job });
}

static napi_value tune_result(napi_env napi, Job *job)
{
    const TuneJob *t = (TuneJob *)job;
    napi_value     list = js_array(napi, 3);
    for (uint32_t i = 0; i < 3; i++)
        js_push(napi, list, i, js_number(napi, t->best[i]));
    return list;
}

static void tune_fini(Job *job)
{
    TuneJob *t = (TuneJob *)job;
    for (uint32_t i = 0; i < t->buffer_count; i++)
        weft_buffer_release(t->buffers[i]);
    free(t->name);
    free(t->wgsl);
    free(t->params);
}

static void *copy(const void *from, size_t size)
{
    void *made = malloc(size ? size : 1);
    return made && size ? memcpy(made, from, size) : made;
}

static uint32_t read_numbers(Call *c, size_t i, uint64_t *out, uint32_t limit)
{
    const uint32_t count = arg_length(c, i);
    if (!c->bad && count > limit)
        call_fail(c, WEFT_ERROR_INVALID, "tune: at most %u numbers, not %u", limit, count);
    for (uint32_t at = 0; at < count && !c->bad; at++)
        out[at] = value_u64_or(c, arg_element(c, i, at), 0);
    return c->bad ? 0 : count;
}

/* contextTune(context, name, wgsl, bytes, params, items, candidates, timeLimitNs, again, token):
 * candidates are three numbers each; params undefined: no uniform variable */
static napi_value context_tune(Call *c)
{
    uint64_t    items[3] = { 1, 1, 1 }, flat[3 * MAX_CANDIDATES] = { 0 };
    size_t      params_size = 0;
    arg_context(c, 0);
    const char *name = arg_text(c, 1), *wgsl = arg_text(c, 2);
    TuneJob    *t = c->bad || !name || !wgsl ? NULL : calloc(1, sizeof *t);
    if (!t)
        return call_ok(c), NULL;
    t->buffer_count = read_numbers(c, 3, t->bytes, MAX_BUFFERS);
    const void *params = value_is_undefined(c, c->argv[4]) ? NULL : arg_bytes(c, 4, &params_size);
    read_numbers(c, 5, items, 3);
    t->candidate_count = read_numbers(c, 6, flat, 3 * MAX_CANDIDATES) / 3;
    t->time_limit = arg_u64(c, 7);
    t->again = arg_bool(c, 8);
    const uint32_t token = arg_u32(c, 9);
    for (uint32_t i = 0; i < 3 * t->candidate_count; i++) {
        t->candidates[i / 3][i % 3] = (uint32_t)flat[i];
        c->bad |= flat[i] < 1 || flat[i] > 65535;
    }
    for (int i = 0; i < 3; i++)
        t->items[i] = (uint32_t)items[i];
    if (!call_ok(c)) {
        free(t);
        return NULL;
    }
    t->name = copy(name, strlen(name) + 1);
    t->wgsl = copy(wgsl, strlen(wgsl) + 1);
    t->params = copy(params, params_size);
    t->params_size = (uint32_t)params_size;
    t->job = (Job){ .run = tune_run, .result = tune_result, .fini = tune_fini, .home = c->home };
    return job_start(c, &t->job, token);
}

const Function context_tune_functions[] = {
    { "contextTune", context_tune },
    { 0 },
};
