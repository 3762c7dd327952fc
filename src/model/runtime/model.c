// SPDX-License-Identifier: Apache-2.0
/*
 * model.c - the object weft_model: a file, its weights on a device, its tokenizer.
 *
 * in     a GGUF file, a context
 * out    weft_model, or an error; estimates before loading
 * knows  what belongs to a model
 * not    how it computes (forward.c)
 */
#include "model/runtime/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

static weft_gguf *open_file(weft_context *ctx, const weft_model_desc *d)
{
    if (d->file)
        return weft_gguf_retain(d->file);
    return weft_gguf_create(ctx, &(weft_gguf_desc){.path = d->path, .data = d->data,
                                                   .size = d->size});
}

static char *name_of(const weft_model *m, const weft_model_desc *d)
{
    weft_gguf_info info = {0};
    weft_gguf_info_get(&info, m->file);
    const char *slash = d->path ? strrchr(d->path, '/') : NULL;
    const char *name = d->name ? d->name
                       : info.name && *info.name ? info.name
                       : slash ? slash + 1 : d->path ? d->path : "model";
    return strdup(name);
}

static bool fill_info(weft_model *m)
{
    const Params  *p = &m->params;
    weft_gguf_info file = {0};
    weft_gguf_info_get(&file, m->file);
    Text devices = {.arena = &m->arena};
    for (uint32_t i = 0; i < m->nstages; i++)
        text_printf(&devices, "%s%s", i ? ", " : "", weft_context_device(m->stages[i].ctx)->name);
    m->info = (weft_model_info){
        .architecture = p->arch->name, .name = m->name, .type = file.type,
        .parameters = file.elements, .weight_bytes = m->weights.bytes,
        .vocabulary = p->vocabulary, .context = p->context, .embedding = p->embedding,
        .layers = p->layers, .heads = p->heads, .kv_heads = p->kv_heads,
        .head_size = p->key_size, .feed_forward = p->feed_forward,
        .experts = p->experts, .experts_used = p->experts_used,
        .generates = !(p->arch->traits & TRAIT_BIDIRECTIONAL),
        .device = devices.data, .fallback = m->fallback ? m->fallback : "",
    };
    return true;
}

/* NULL, without an error, if the file has none that can be used. */
static weft_model_template *template_from(const weft_model *m)
{
    const weft_gguf_value *v = weft_gguf_value_find(m->file, "tokenizer.chat_template");
    if (!v || v->kind != WEFT_GGUF_STRING)
        return NULL;
    weft_model_template *t = weft_model_template_create(m->ctx, &(weft_model_template_desc){
        .file = m->file});
    if (!t) {
        context_log(m->ctx, WEFT_LOG_ERROR, "the chat template of '%s' cannot be used: %s", m->name,
                    weft_context_error(m->ctx)->message);
        weft_context_error_clear(m->ctx);
    }
    return t;
}

/* Files without one work with ids alone. */
static bool has_vocabulary(const weft_gguf *file)
{
    const weft_gguf_value *v = weft_gguf_value_find(file, "tokenizer.ggml.model");
    return v && v->kind == WEFT_GGUF_STRING && strcmp(v->text, "no_vocab") != 0;
}

/* ---- on devices ---- */

static bool place_on(weft_model *m, weft_context *ctx, const weft_model_desc *d)
{
    Sizes          sizes;
    weft_gguf_info info = {0};
    weft_gguf_info_get(&info, m->file);
    if (!stages_measure(&sizes, ctx, &m->arena, m->file, &m->params) ||
        !stages_make(m, ctx, d, &sizes))
        return false;
    Loader l = {.ctx = ctx, .stages = m->stages, .file = m->file, .arena = &m->arena,
                .progress = d->progress, .user = d->user, .total = info.tensor_size};
    if (!weights_load(&m->weights, &l, &m->params) || !fill_info(m))
        return false;
    for (uint32_t i = 0; i < m->nstages; i++)
        if (!weft_context_wait(m->stages[i].ctx))
            return false;
    return d->no_self_test || selftest_run(m);
}

static void unplace(weft_model *m)
{
    tensors_unshare(m);
    weights_release(&m->weights, &m->params);
    m->weights = (Weights){0};
    stages_release(m);
}

/* Is this an error of the device, and is there another device to try? */
static bool may_fall_back(const weft_model *m, const weft_model_desc *d)
{
    switch (weft_context_error(m->ctx)->kind) {
    case WEFT_ERROR_UNSUPPORTED: case WEFT_ERROR_COMPILE: case WEFT_ERROR_MEMORY:
    case WEFT_ERROR_DEVICE_LOST: case WEFT_ERROR_INTERNAL:
        return !d->no_fallback && d->memory_limit == 0 &&
               strcmp(weft_context_device(m->ctx)->backend, "cpu") != 0;
    default: return false;
    }
}

static bool place(weft_model *m, const weft_model_desc *d)
{
    if (place_on(m, m->ctx, d))
        return true;
    model_fail(m);
    if (!may_fall_back(m, d))
        return false;
    m->fallback = arena_printf(&m->arena, "%s: %s", weft_context_device(m->ctx)->name,
                               weft_context_error(m->ctx)->message);
    context_log(m->ctx, WEFT_LOG_DEVICE, "'%s' runs on the CPU device instead: %s", m->name,
                m->fallback);
    unplace(m);
    weft_context_error_clear(m->ctx);
    weft_context *cpu = weft_context_create(&(weft_context_desc){.adapter = "cpu"});
    bool ok = cpu && context_need_device(cpu) && place_on(m, cpu, d);
    if (!ok) {
        model_fail(m);
        context_fail(m->ctx, WEFT_ERROR_MEMORY, "no CPU device to fall back to");
    }
    weft_context_release(cpu);
    return ok;
}

/* ---- the whole ---- */

static bool load(weft_model *m, const weft_model_desc *d)
{
    double start = seconds_now();
    m->file = open_file(m->ctx, d);
    if (!m->file || !params_read(&m->params, m->ctx, m->file, d->architecture))
        return false;
    if (has_vocabulary(m->file) &&
        !(m->tokenizer = weft_model_tokenizer_create(m->ctx, m->file)))
        return false;
    m->name = name_of(m, d);
    m->activations = d->activations ? d->activations : WEFT_MODEL_PRECISION_INT8;
    if (!m->name)
        return context_fail(m->ctx, WEFT_ERROR_MEMORY, "no memory for a model");
    if (!place(m, d) || !tensors_share(m))
        return false;
    m->tmpl = template_from(m);
    m->load_seconds = seconds_now() - start;
    return true;
}

typedef struct Loading {
    weft_model            *m;
    const weft_model_desc *d;
    bool                   ok;
} Loading;

static void load_work(void *context)
{
    Loading *l = context;
    l->ok = load(l->m, l->d);
}

weft_model *weft_model_create(weft_context *ctx, const weft_model_desc *desc)
{
    static const weft_model_desc defaults;
    const weft_model_desc *d = desc ? desc : &defaults;
    if (!ctx || weft_context_error(ctx)->kind || !context_need_device(ctx))
        return NULL;
    if (d->device_count && !d->devices) {
        context_fail(ctx, WEFT_ERROR_INVALID, "there is no list of %zu devices", d->device_count);
        return NULL;
    }
    weft_model *m = calloc(1, sizeof *m);
    if (!m) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a model");
        return NULL;
    }
    arena_init(&m->arena, 0);
    m->references = 1;
    m->ctx = weft_context_retain(ctx);
    Loading l = {m, d, false};
    if (!arena_try(&m->arena, load_work, &l))
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory to load the model");
    if (l.ok)
        return m;
    weft_model_release(m);
    return NULL;
}

weft_model *weft_model_retain(weft_model *m)
{
    if (m)
        m->references++;
    return m;
}

void weft_model_release(weft_model *m)
{
    if (!m || --m->references)
        return;
    unplace(m);
    weft_model_template_release(m->tmpl);
    weft_model_tokenizer_release(m->tokenizer);
    weft_gguf_release(m->file);
    weft_context_release(m->ctx);
    free(m->name);
    arena_fini(&m->arena);
    free(m);
}

/* ---- questions ---- */

bool weft_model_info_get(weft_model_info *out, const weft_model *m)
{
    if (m)
        *out = m->info;
    return m != NULL;
}

weft_gguf *weft_model_file(const weft_model *m)
{
    return m ? m->file : NULL;
}

weft_model_tokenizer *weft_model_tokenizer_of(const weft_model *m)
{
    return m ? m->tokenizer : NULL;
}

weft_model_template *weft_model_template_of(const weft_model *m)
{
    return m ? m->tmpl : NULL;
}

/* ---- before loading ---- */

typedef struct Estimate {
    weft_context    *ctx;
    const weft_gguf *file;
    const char      *architecture;
    Arena            arena;
    Params           params;
    Sizes            sizes;
    bool             ok;
} Estimate;

static void estimate_work(void *context)
{
    Estimate *e = context;
    e->ok = params_read(&e->params, e->ctx, e->file, e->architecture) &&
            stages_measure(&e->sizes, e->ctx, &e->arena, e->file, &e->params);
}

/* What the weights take; false after an error. */
static bool estimate(Estimate *e)
{
    if (!context_need_device(e->ctx) || !e->file)
        return false;
    arena_init(&e->arena, 0);
    if (!arena_try(&e->arena, estimate_work, e))
        context_fail(e->ctx, WEFT_ERROR_MEMORY, "no memory to look at a model");
    arena_fini(&e->arena);
    return e->ok;
}

bool weft_model_is_available(weft_context *ctx, const weft_gguf *file)
{
    Estimate e = {.ctx = ctx, .file = file};
    if (!estimate(&e))
        return false;
    uint64_t room = stages_room(ctx);
    return e.sizes.total <= room ||
           context_fail(ctx, WEFT_ERROR_MEMORY,
                        "the model needs %.0f MB of device memory, and %.0f MB are left in the "
                        "budget", (double)e.sizes.total / 1e6, (double)room / 1e6);
}

bool weft_model_estimate(weft_model_memory *out, weft_context *ctx, const weft_gguf *file,
                         const weft_model_desc *model, const weft_model_session_desc *session)
{
    static const weft_model_session_desc defaults;
    Estimate e = {.ctx = ctx, .file = file, .architecture = model ? model->architecture : NULL};
    if (!estimate(&e))
        return false;
    weft_model_memory r = {.weights = e.sizes.total, .available = stages_room(ctx)};
    session_estimate(&r, &e.params, session ? session : &defaults);
    r.total = r.weights + r.cache + r.scratch;
    for (size_t i = 0; model && i < model->device_count; i++)
        r.available += stages_room(model->devices[i]);
    *out = r;
    return true;
}
