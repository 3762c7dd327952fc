// SPDX-License-Identifier: Apache-2.0
/*
 * kernel.c - the user's own kernels on tensors.
 *
 * in     WGSL with named, typed, shaped inputs and outputs
 * out    runs: new tensors as outputs, exact ranges of inputs bound by the variable's name
 * knows  reflection (weft/wgsl.h)
 * not    the graph: a run evaluates its inputs and is dispatched at once
 */
#include <stdlib.h>
#include <string.h>
#include <weft/wgsl.h>

#include "tensor/tensor_priv.h"

#define MAX_SLOTS 32u
#define UNMATCHED UINT32_MAX

typedef struct KernelSlot {
    char      *name;
    weft_dtype dtype;               /* 0: any that fits                                     */
    weft_dtype declared;            /* of the variable's array; 0: something else           */
    uint32_t   rank;
    uint64_t   shape[MAX_RANK];
    uint32_t   binding;             /* of the pipeline                                      */
    bool       writable;
} KernelSlot;

struct weft_tensor_kernel {
    weft_context  *ctx;
    char          *name;
    weft_pipeline *pipeline;
    KernelSlot     inputs[MAX_SLOTS], outputs[MAX_SLOTS];
    uint32_t       input_count, output_count;
    int64_t        params;          /* binding of the uniform variable, or -1               */
};

void weft_tensor_kernel_release(weft_tensor_kernel *k)
{
    if (!k)
        return;
    weft_context *ctx = k->ctx;
    for (uint32_t i = 0; i < MAX_SLOTS; i++) {
        free(k->inputs[i].name);
        free(k->outputs[i].name);
    }
    weft_pipeline_release(k->pipeline);
    free(k->name);
    free(k);
    weft_context_release(ctx);
}

/* ---- making ---- */

static bool desc_fault(weft_context *ctx, const weft_tensor_kernel_desc *d)
{
    const char *name = d->name ? d->name : "kernel";
    if (!d->wgsl)
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: no WGSL", name);
    if (d->input_count > MAX_SLOTS || d->output_count > MAX_SLOTS || !d->output_count
        || (d->input_count && !d->inputs) || !d->outputs)
        return context_fail(ctx, WEFT_ERROR_INVALID, "%s: a kernel has 1 to %u outputs and at most "
                            "as many inputs", name, MAX_SLOTS);
    return true;
}

/* The element type of a variable `array<T>`, if it is one that tensors have. */
static weft_dtype declared_type(const weft_type *t)
{
    if (t && t->kind == WEFT_TYPE_STRUCT && t->structure && t->structure->member_count == 1)
        t = t->structure->members[0].layout;
    while (t && t->kind != WEFT_TYPE_SCALAR)
        t = t->element;
    if (!t)
        return WEFT_DTYPE_NONE;
    switch (t->scalar) {
    case WEFT_SCALAR_F32: return WEFT_F32;
    case WEFT_SCALAR_F16: return WEFT_F16;
    case WEFT_SCALAR_I32: return WEFT_I32;
    case WEFT_SCALAR_U32: return WEFT_U32;
    default:              return WEFT_DTYPE_NONE;
    }
}

static const weft_entry_point *entry_of(const weft_wgsl *module, const char *name)
{
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(module); i++) {
        const weft_entry_point *e = weft_wgsl_entry_point_get(module, i);
        if (name ? strcmp(e->name, name) == 0 : e->stage == WEFT_STAGE_COMPUTE)
            return e;
    }
    return NULL;
}

static void slot_take(KernelSlot *slot, const weft_tensor_kernel *k, uint32_t i, uint64_t *taken)
{
    slot->binding = i;
    slot->writable = weft_pipeline_binding_get(k->pipeline, i)->writable;
    *taken |= UINT64_C(1) << i;
}

/* The variable of the slot's name. False with the error set: it cannot be what the slot is. */
static bool match_name(weft_tensor_kernel *k, KernelSlot *slot, uint64_t *taken, bool output)
{
    uint32_t n = weft_pipeline_binding_count(k->pipeline);
    slot->binding = UNMATCHED;
    for (uint32_t i = 0; slot->name && i < n && i < 64; i++) {
        const weft_pipeline_binding *b = weft_pipeline_binding_get(k->pipeline, i);
        if (*taken >> i & 1 || b->uniform || strcmp(b->name, slot->name) != 0)
            continue;
        if (output && !b->writable)
            return context_fail_names(k->ctx, WEFT_ERROR_INVALID,
                                      (const char *const[]){b->name, NULL},
                                      "%s: the output '%s' is declared read-only", k->name,
                                      b->name);
        slot_take(slot, k, i, taken);
        return true;
    }
    return true;
}

/* For a slot without such a variable the first storage variable in order that no slot has and,
 * for outputs, that is writable. */
static bool match_order(weft_tensor_kernel *k, KernelSlot *slot, uint64_t *taken, bool output)
{
    uint32_t n = weft_pipeline_binding_count(k->pipeline);
    if (slot->binding != UNMATCHED)
        return true;
    for (uint32_t i = 0; i < n && i < 64; i++) {
        const weft_pipeline_binding *b = weft_pipeline_binding_get(k->pipeline, i);
        if (*taken >> i & 1 || b->uniform || (output && !b->writable))
            continue;
        slot_take(slot, k, i, taken);
        return true;
    }
    return context_fail_names(k->ctx, WEFT_ERROR_NOT_FOUND,
                              (const char *const[]){slot->name ? slot->name : "?", NULL},
                              "%s: no variable is left for the %s '%s'", k->name,
                              output ? "output" : "input", slot->name ? slot->name : "?");
}

static bool slot_fill(KernelSlot *slot, const weft_tensor_kernel *k, const weft_tensor_slot *s)
{
    if (s->rank > MAX_RANK || (s->dtype && !weft_dtype_name(s->dtype)))
        return context_fail(k->ctx, WEFT_ERROR_INVALID, "%s: the slot '%s' has rank %u and type %d",
                            k->name, s->name ? s->name : "?", s->rank, (int)s->dtype);
    slot->dtype = s->dtype;
    slot->rank = s->rank;
    memcpy(slot->shape, s->shape, sizeof slot->shape);
    if (s->name && !(slot->name = strdup(s->name)))
        return context_fail(k->ctx, WEFT_ERROR_MEMORY, "no memory for a kernel");
    return true;
}

static bool match_all(weft_tensor_kernel *k)
{
    uint64_t taken = 0;
    uint32_t n = weft_pipeline_binding_count(k->pipeline);
    k->params = -1;
    for (uint32_t i = 0; i < n && i < 64; i++)
        if (weft_pipeline_binding_get(k->pipeline, i)->uniform)
            k->params = i;
    /* Names first, so that order fills what they leave. */
    bool ok = true;
    for (uint32_t i = 0; i < k->input_count && ok; i++)
        ok = match_name(k, &k->inputs[i], &taken, false);
    for (uint32_t i = 0; i < k->output_count && ok; i++)
        ok = match_name(k, &k->outputs[i], &taken, true);
    for (uint32_t i = 0; i < k->input_count && ok; i++)
        ok = match_order(k, &k->inputs[i], &taken, false);
    for (uint32_t i = 0; i < k->output_count && ok; i++)
        ok = match_order(k, &k->outputs[i], &taken, true);
    if (!ok)
        return false;
    for (uint32_t i = 0; i < n && i < 64; i++) {
        const weft_pipeline_binding *b = weft_pipeline_binding_get(k->pipeline, i);
        if (!(taken >> i & 1) && (int64_t)i != k->params)
            return context_fail_names(k->ctx, WEFT_ERROR_NOT_FOUND,
                                      (const char *const[]){b->name, NULL},
                                      "%s: no input or output is given for the variable '%s'",
                                      k->name, b->name);
    }
    return true;
}

static void find_declared(weft_tensor_kernel *k, const weft_tensor_kernel_desc *d)
{
    weft_wgsl *module = weft_wgsl_create(&(weft_wgsl_desc){.source = d->wgsl});
    const weft_entry_point *e = module && weft_wgsl_ok(module) ? entry_of(module, d->entry) : NULL;
    for (uint32_t b = 0; e && b < e->binding_count; b++)
        for (uint32_t i = 0; i < MAX_SLOTS; i++) {
            weft_dtype t = declared_type(e->bindings[b].layout);
            if (i < k->input_count && k->inputs[i].binding == b)
                k->inputs[i].declared = t;
            if (i < k->output_count && k->outputs[i].binding == b)
                k->outputs[i].declared = t;
        }
    weft_wgsl_release(module);
}

weft_tensor_kernel *weft_tensor_kernel_create(weft_context *ctx,
                                              const weft_tensor_kernel_desc *d)
{
    if (!ctx || !d || !context_ok(ctx) || !context_need_device(ctx) || !desc_fault(ctx, d))
        return NULL;
    weft_tensor_kernel *k = calloc(1, sizeof *k);
    bool ok = k != NULL;
    if (!ok) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a kernel");
        return NULL;
    }
    k->ctx = weft_context_retain(ctx);
    k->name = strdup(d->name ? d->name : "kernel");
    k->pipeline = weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = d->wgsl, .entry = d->entry, .constants = d->constants,
        .constant_count = d->constant_count, .label = d->name });
    ok = k->name && k->pipeline;
    for (uint32_t i = 0; i < d->input_count && ok; i++, k->input_count++)
        ok = slot_fill(&k->inputs[i], k, &d->inputs[i]);
    for (uint32_t i = 0; i < d->output_count && ok; i++, k->output_count++)
        ok = slot_fill(&k->outputs[i], k, &d->outputs[i]);
    if (!ok || !match_all(k)) {
        weft_tensor_kernel_release(k);
        return NULL;
    }
    find_declared(k, d);
    return k;
}

/* ---- running ---- */

typedef struct KernelRun {
    weft_tensor_kernel    *k;
    const weft_tensor_run *run;
    weft_tensor           *in[MAX_SLOTS];       /* bound: the input or a copy of it         */
    weft_tensor           *out[MAX_SLOTS];
    weft_binding           bindings[2 * MAX_SLOTS + 1];
} KernelRun;

/* Bits of the declared type are bits of the tensor's: packed types are read as u32. */
static bool type_fits(weft_dtype declared, weft_dtype dtype)
{
    if (!declared || declared == dtype)
        return true;
    bool packed = weft_dtype_bytes(dtype, 1) != 4 && dtype != WEFT_F16;
    return declared == WEFT_U32 && packed;
}

static bool shape_fits(const KernelSlot *s, const weft_tensor *t)
{
    if (s->rank == 0)
        return true;
    bool fits = s->rank == t->rank;
    for (uint32_t i = 0; i < s->rank && fits; i++)
        fits = s->shape[i] == WEFT_INFER || s->shape[i] == 0 || s->shape[i] == t->shape[i];
    return fits;
}

static bool check_input(const weft_tensor_kernel *k, const KernelSlot *s, const weft_tensor *t)
{
    const char *var = weft_pipeline_binding_get(k->pipeline, s->binding)->name;
    const char *const names[] = {var, NULL};
    weft_dtype  d = (weft_dtype)t->dtype;
    if ((s->dtype && s->dtype != d) || !type_fits(s->declared, d))
        return context_fail_names(k->ctx, WEFT_ERROR_TYPE, names,
                                  "%s: the input '%s' is %s, not %s", k->name, var,
                                  weft_dtype_name(s->dtype ? s->dtype : s->declared),
                                  tensor_text(t));
    if (!shape_fits(s, t))
        return context_fail_names(k->ctx, WEFT_ERROR_SHAPE, names,
                                  "%s: the input '%s' has the shape %s, not %s", k->name, var,
                                  shape_text(s->rank, s->shape), tensor_text(t));
    if (t->count == 0)
        return context_fail_names(k->ctx, WEFT_ERROR_SHAPE, names, "%s: the input '%s' is empty",
                                  k->name, var);
    return true;
}

/* The tensor itself if its elements lie together at an offset that may be bound, else a copy. */
static weft_tensor *bindable(weft_tensor *t)
{
    uint64_t at = weft_dtype_bytes((weft_dtype)t->dtype, (uint64_t)t->offset);
    bool     fits = tensor_is_contiguous(t) && at % t->state->offset_align == 0;
    weft_tensor *x = fits || dtype_is_block((weft_dtype)t->dtype) ? weft_tensor_retain(t)
                                                                  : weft_tensor_copy(t);
    if (x && tensor_is_pending(x) && !tensor_evaluate(x->state, &x, 1)) {
        weft_tensor_release(x);
        x = NULL;
    }
    return x;
}

static bool bind(KernelRun *r, const KernelSlot *s, weft_tensor *t)
{
    weft_binding *b = &r->bindings[s->binding];
    Storage      *st = tensor_root(t)->storage;
    const weft_pipeline_binding *is = weft_pipeline_binding_get(r->k->pipeline, s->binding);
    st->busy = true;
    b->buffer = storage_device(st);
    b->offset = weft_dtype_bytes((weft_dtype)t->dtype, (uint64_t)t->offset);
    b->size = (weft_tensor_bytes(t) + 3) & ~UINT64_C(3);
    if (b->buffer && b->size < is->min_size)
        return context_fail_names(r->k->ctx, WEFT_ERROR_SHAPE,
                                  (const char *const[]){is->name, NULL},
                                  "%s: '%s' needs %llu bytes, %s has %llu", r->k->name, is->name,
                                  (unsigned long long)is->min_size, tensor_text(t),
                                  (unsigned long long)b->size);
    return b->buffer != NULL;
}

static weft_tensor *make_output(KernelRun *r, const KernelSlot *s, const weft_tensor_slot *now)
{
    const weft_tensor *first = r->k->input_count ? r->in[0] : NULL;
    weft_dtype d = now && now->dtype ? now->dtype : s->dtype ? s->dtype : s->declared;
    uint32_t   rank = now ? now->rank : s->rank;
    const uint64_t *shape = now ? now->shape : s->shape;
    bool given = false;
    for (uint32_t i = 0; i < rank && i < MAX_RANK; i++)
        given |= shape[i] != 0;
    if (!given && first) {
        rank = first->rank;
        shape = first->shape;
    }
    for (uint32_t i = 0; i < rank && i < MAX_RANK; i++)
        if (shape[i] == WEFT_INFER || (!given && !first)) {
            context_fail(r->k->ctx, WEFT_ERROR_SHAPE, "%s: the shape of the output '%s' is not "
                         "known; give it in weft_tensor_run", r->k->name,
                         s->name ? s->name : "?");
            return NULL;
        }
    weft_tensor_desc desc = {.dtype = d, .rank = rank};
    if (rank <= MAX_RANK)
        memcpy(desc.shape, shape, rank * sizeof *shape);
    return weft_tensor_create(r->k->ctx, &desc);
}

/* One invocation for each element of the first output: flat, or by axes if the workgroup has
 * several dimensions. */
static bool auto_groups(uint32_t groups[3], const KernelRun *r)
{
    const weft_tensor *t = r->out[0];
    uint32_t size[3];
    uint64_t n[3] = {t->count, 1, 1};
    weft_pipeline_workgroup_size(size, r->k->pipeline);
    if (size[1] * size[2] > 1 && t->rank > 1) {
        n[0] = t->shape[t->rank - 1];
        n[1] = t->shape[t->rank - 2];
        n[2] = t->count / MAX_OF(n[0] * n[1], 1u);
    }
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t need = (n[i] + size[i] - 1) / size[i];
        if (need > 65535)
            return context_fail(r->k->ctx, WEFT_ERROR_UNSUPPORTED, "%s: %s needs %llu workgroups; "
                                "the device runs 65535 in a dimension: give groups", r->k->name,
                                tensor_text(t), (unsigned long long)need);
        groups[i] = (uint32_t)MAX_OF(need, 1u);
    }
    return true;
}

static bool prepare(KernelRun *r, weft_tensor *const *inputs)
{
    weft_tensor_kernel *k = r->k;
    for (uint32_t i = 0; i < k->input_count; i++) {
        if (!check_input(k, &k->inputs[i], inputs[i])
            || (k->inputs[i].writable && !tensor_evaluate_readers(tensor_root(inputs[i])))
            || !(r->in[i] = bindable(inputs[i])) || !bind(r, &k->inputs[i], r->in[i]))
            return false;
    }
    for (uint32_t i = 0; i < k->output_count; i++)
        if (!(r->out[i] = make_output(r, &k->outputs[i],
                                      r->run->outputs ? &r->run->outputs[i] : NULL))
            || !bind(r, &k->outputs[i], r->out[i]))
            return false;
    if (k->params >= 0) {
        const weft_pipeline_binding *b = weft_pipeline_binding_get(k->pipeline,
                                                                   (uint32_t)k->params);
        if (!r->run->params || r->run->params_size < b->min_size)
            return context_fail_names(k->ctx, WEFT_ERROR_INVALID,
                                      (const char *const[]){b->name, NULL},
                                      "%s: the uniform '%s' needs %llu bytes of params, got %u",
                                      k->name, b->name, (unsigned long long)b->min_size,
                                      r->run->params ? r->run->params_size : 0);
        r->bindings[k->params].data = r->run->params;
        r->bindings[k->params].data_size = r->run->params_size;
    }
    return true;
}

static bool dispatch(KernelRun *r)
{
    uint32_t groups[3];
    const uint32_t *g = r->run->groups;
    memcpy(groups, g, sizeof groups);
    if (!g[0] && !g[1] && !g[2] && !auto_groups(groups, r))
        return false;
    return weft_context_dispatch(r->k->ctx, &(weft_dispatch){
        .pipeline = r->k->pipeline, .bindings = r->bindings,
        .binding_count = weft_pipeline_binding_count(r->k->pipeline),
        .groups = {groups[0], groups[1], groups[2]} });
}

/* Copies of writable inputs go back; nothing stays marked as busy. */
static bool conclude(KernelRun *r, weft_tensor *const *inputs, bool ok)
{
    weft_tensor_kernel *k = r->k;
    for (uint32_t i = 0; i < k->input_count; i++) {
        if (!r->in[i])
            continue;
        tensor_root(r->in[i])->storage->busy = false;
        if (k->inputs[i].writable && ok) {
            storage_written(tensor_root(r->in[i])->storage);
            if (r->in[i] != inputs[i])
                ok = weft_tensor_assign(inputs[i], r->in[i]);
        }
        weft_tensor_release(r->in[i]);
    }
    for (uint32_t i = 0; i < k->output_count; i++)
        if (r->out[i])
            tensor_root(r->out[i])->storage->busy = false;
    return ok;
}

bool weft_tensor_kernel_run(weft_tensor **outputs, weft_tensor_kernel *k,
                            weft_tensor *const *inputs, const weft_tensor_run *run)
{
    static const weft_tensor_run plain;
    if (!k || !context_ok(k->ctx))
        return false;
    if (!outputs || (k->input_count && !inputs))
        return context_fail(k->ctx, WEFT_ERROR_INVALID, "%s: no %s are given", k->name,
                            outputs ? "inputs" : "outputs");
    weft_context *ctx = k->input_count ? tensor_args(k->name, inputs, k->input_count) : k->ctx;
    if (!ctx)
        return false;
    if (ctx != k->ctx)
        return context_fail(k->ctx, WEFT_ERROR_INVALID, "%s: the inputs belong to another context",
                            k->name);
    KernelRun r = {.k = k, .run = run ? run : &plain};
    bool ok = prepare(&r, inputs) && dispatch(&r);
    ok = conclude(&r, inputs, ok);
    for (uint32_t i = 0; i < k->output_count; i++) {
        if (!ok)
            weft_tensor_release(r.out[i]);
        outputs[i] = ok ? r.out[i] : NULL;
    }
    context_count(ctx, "tensor.own_kernels", "count", ok);
    return ok;
}
