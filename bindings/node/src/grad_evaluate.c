// SPDX-License-Identifier: Apache-2.0
/*
 * grad_evaluate.c - values, Jacobians and gradients of several batches at once, for JavaScript.
 *
 * in     batches of one context and the parameters that they share
 * out    their results one after the other; the sum of their gradients
 * knows  how many evaluations may be under way at once
 * not    which function of JavaScript an instance is
 */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

#define WAVE 16                     /* batches under way, each with a gradient of its own */

typedef struct Evaluation {
    weft_context     *ctx;
    weft_grad_batch **batch;
    uint32_t          count;
    const double     *x;
    uint64_t          parameter_count;
    weft_grad_weights weighting;
    double           *values, *jacobian, *gradient;     /* NULL: not wanted */
    double           *scratch;      /* [WAVE][parameter_count] */
    bool              overlaps;     /* batches run while others are read: it pays where the way to
                                       the device is long */
} Evaluation;

/* What a batch adds to the arrays. */
typedef struct Sizes {
    uint64_t values, jacobian;
} Sizes;

static Sizes sizes_of(const weft_grad_batch *b)
{
    weft_grad_batch_info info = { 0 };
    weft_grad_batch_get_info(&info, b);
    const uint64_t values = (uint64_t)info.count * info.outputs;
    return (Sizes){ values, values * info.inputs };
}

typedef struct Slot {
    WGPUFuture future;
    bool       done, ok;
} Slot;

static void on_done(void *user, bool ok)
{
    Slot *s = user;
    s->done = true;
    s->ok = ok;
}

static void start(Evaluation *e, Slot *s, uint32_t at, uint32_t slot, Sizes *offset)
{
    const Sizes size = sizes_of(e->batch[at]);
    weft_grad_evaluation v = {
        .x = e->x, .weighting = e->weighting,
        .values = e->values ? e->values + offset->values : NULL,
        .jacobian = e->jacobian && size.jacobian ? e->jacobian + offset->jacobian : NULL,
        .gradient = e->gradient ? e->scratch + slot * e->parameter_count : NULL,
    };
    if (e->overlaps)
        s->future = weft_grad_batch_evaluate_async(e->batch[at], &v, on_done, s);
    else
        on_done(s, weft_grad_batch_evaluate(e->batch[at], &v));
    offset->values += size.values;
    offset->jacobian += size.jacobian;
}

/* Adds the results of a wave, in the order of the batches. */
static bool finish(Evaluation *e, Slot *slots, uint32_t count)
{
    bool ok = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!slots[i].done)
            weft_context_wait_future(e->ctx, slots[i].future, WEFT_OFF);
        ok = ok && slots[i].done && slots[i].ok;
        const double *from = e->scratch + i * e->parameter_count;
        for (uint64_t p = 0; ok && e->gradient && p < e->parameter_count; p++)
            e->gradient[p] += from[p];
    }
    return ok;
}

static bool evaluate(Evaluation *e)
{
    const weft_device_info *device = weft_context_device(e->ctx);
    e->overlaps = device && strcmp(device->backend, "cpu") != 0;
    const uint32_t wave = e->count < WAVE ? e->count : WAVE;
    Sizes          offset = { 0 };
    bool           ok = true;
    if (e->gradient) {
        memset(e->gradient, 0, e->parameter_count * sizeof(double));
        e->scratch = malloc((wave * e->parameter_count + 1) * sizeof(double));
        if (!e->scratch)
            return false;
    }
    for (uint32_t i = 0; ok && i < e->count; i += WAVE) {
        Slot           slots[WAVE] = { { { 0 }, false, false } };
        const uint32_t n = e->count - i < WAVE ? e->count - i : WAVE;
        for (uint32_t k = 0; k < n; k++)
            start(e, &slots[k], i + k, k, &offset);
        ok = finish(e, slots, n);
    }
    free(e->scratch);
    e->scratch = NULL;
    return ok;
}

/* ---- at once ---- */

static double *results(Call *c, size_t i, uint64_t count)
{
    size_t  room = 0;
    double *data = arg_array(c, i, napi_float64_array, &room);
    if (!c->bad && data && room < count)
        call_fail(c, WEFT_ERROR_INVALID, "gradEvaluate: an array of %llu numbers for %llu",
                  (unsigned long long)room, (unsigned long long)count);
    return data;
}

static Evaluation read_evaluation(Call *c, Sizes *total)
{
    Evaluation   e = { 0 };
    size_t       found = 0;
    void *const *list = arg_owned_list(c, 0, KIND_GRAD_BATCH, &e.count);
    e.batch = c->bad ? NULL : call_alloc(c, e.count + 1, sizeof *e.batch);
    for (uint32_t i = 0; e.batch && i < e.count; i++) {
        e.batch[i] = list[i];
        const Sizes size = sizes_of(e.batch[i]);
        weft_grad_batch_info info = { 0 };
        weft_grad_batch_get_info(&info, e.batch[i]);
        e.parameter_count = info.parameter_count;
        total->values += size.values;
        total->jacobian += size.jacobian;
    }
    e.x = arg_array(c, 1, napi_float64_array, &found);
    e.weighting = arg_bool(c, 2) ? WEFT_GRAD_ONES : WEFT_GRAD_RESIDUALS;
    if (!c->bad && found != e.parameter_count)
        call_fail(c, WEFT_ERROR_INVALID, "gradEvaluate: %llu parameters, not %llu",
                  (unsigned long long)found, (unsigned long long)e.parameter_count);
    return e;
}

/* gradEvaluate(batches, x, ones, values, jacobian, gradient): arrays may be undefined */
static napi_value grad_evaluate(Call *c)
{
    Sizes      total = { 0 };
    Evaluation e = read_evaluation(c, &total);
    e.values = results(c, 3, total.values);
    e.jacobian = results(c, 4, total.jacobian);
    e.gradient = results(c, 5, e.parameter_count);
    if (!call_enter(c))
        return NULL;
    e.ctx = home_context(c->home);
    return call_done(c, evaluate(&e));
}

/* gradPrepare(batches, ones, wanted): compiles their kernels, several at once where the device
 * does; bits of `wanted` as below */
static napi_value grad_prepare(Call *c)
{
    uint32_t                count = 0;
    void *const            *list = arg_owned_list(c, 0, KIND_GRAD_BATCH, &count);
    const weft_grad_weights weights = arg_bool(c, 1) ? WEFT_GRAD_ONES : WEFT_GRAD_RESIDUALS;
    const uint32_t          products = arg_u32(c, 2);
    if (!call_enter(c))
        return NULL;
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = weft_grad_batch_prepare(list[i], products, weights);
    return call_done(c, ok);
}

/* ---- on another thread ---- */

typedef struct EvaluateJob {
    Job        job;
    Evaluation e;                   /* owns its arrays. The batches live as long as the owner that
                                       lib/ names for the job: handles of them are not closed */
    double    *x;                   /* of `e` */
    Sizes      total;
} EvaluateJob;

static bool evaluate_run(Job *job)
{
    EvaluateJob *j = (EvaluateJob *)job;
    j->e.ctx = home_context(job->home);
    return evaluate(&j->e);
}

static void give(napi_env napi, napi_value object, const char *name, double **data, uint64_t count)
{
    if (*data)
        js_set(napi, object, name, js_bytes(napi, *data, count * sizeof(double)));
    *data = NULL;
}

static napi_value evaluate_result(napi_env napi, Job *job)
{
    EvaluateJob *j = (EvaluateJob *)job;
    napi_value   v = js_object(napi);
    give(napi, v, "values", &j->e.values, j->total.values);
    give(napi, v, "jacobian", &j->e.jacobian, j->total.jacobian);
    give(napi, v, "gradient", &j->e.gradient, j->e.parameter_count);
    return v;
}

static void evaluate_fini(Job *job)
{
    EvaluateJob *j = (EvaluateJob *)job;
    free(j->e.batch);
    free(j->x);
    free(j->e.values);
    free(j->e.jacobian);
    free(j->e.gradient);
}

static void *copy(const void *from, size_t size)
{
    void *made = malloc(size ? size : 1);
    return made && size ? memcpy(made, from, size) : made;
}

/* Room for results that are wanted. */
static bool reserve(double **out, bool wanted, uint64_t count)
{
    *out = wanted ? malloc((count ? count : 1) * sizeof **out) : NULL;
    return !wanted || *out;
}

/* gradEvaluateJob(batches, x, ones, wanted, token): { values, jacobian, gradient } as
 * ArrayBuffers; bits of `wanted`: 1 values, 2 Jacobian, 4 gradient */
static napi_value grad_evaluate_job(Call *c)
{
    Sizes          total = { 0 };
    Evaluation     e = read_evaluation(c, &total);
    const uint32_t wanted = arg_u32(c, 3), token = arg_u32(c, 4);
    if (!call_ok(c))
        return NULL;
    EvaluateJob *j = calloc(1, sizeof *j);
    if (!j) {
        call_fail(c, WEFT_ERROR_MEMORY, "no memory for an evaluation");
        return NULL;
    }
    j->total = total;
    j->e = e;
    j->e.batch = copy(e.batch, e.count * sizeof *e.batch);
    j->e.x = j->x = copy(e.x, e.parameter_count * sizeof *e.x);
    bool ok = reserve(&j->e.values, wanted & 1, total.values);
    ok = reserve(&j->e.jacobian, wanted & 2, total.jacobian) && ok;
    ok = reserve(&j->e.gradient, wanted & 4, e.parameter_count) && ok;
    ok = ok && j->e.batch && j->e.x;
    j->job = (Job){ .run = evaluate_run, .result = evaluate_result, .fini = evaluate_fini,
                    .home = c->home };
    if (ok)
        return job_start(c, &j->job, token);
    evaluate_fini(&j->job);
    free(j);
    call_fail(c, WEFT_ERROR_MEMORY, "no memory for the results of an evaluation");
    return NULL;
}

const Function grad_evaluate_functions[] = {
    { "gradEvaluate",    grad_evaluate },
    { "gradEvaluateJob", grad_evaluate_job },
    { "gradPrepare",     grad_prepare },
    { 0 },
};
