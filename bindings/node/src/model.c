// SPDX-License-Identifier: Apache-2.0
/*
 * model.c - weft/model.h for JavaScript: loading, tokens, prompts of conversations.
 *
 * in     calls of lib/model/
 * out    models with a session, tokenizers, templates; their facts
 * knows  the options of a model by name
 * not    generating text: model_session.c
 *
 * A tokenizer and a template are made on a context of their own, without a device, so that a
 * text can be tokenized while the model's context computes.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* ---- facts ---- */

static void set_text(napi_env n, napi_value v, const char *name, const char *text)
{
    js_set(n, v, name, js_text(n, text));
}

static void set_number(napi_env n, napi_value v, const char *name, double number)
{
    js_set(n, v, name, js_number(n, number));
}

napi_value model_info_value(napi_env n, const weft_model *model)
{
    weft_model_info i = { 0 };
    napi_value      v = js_object(n);
    weft_model_info_get(&i, model);
    set_text(n, v, "architecture", i.architecture);
    set_text(n, v, "name", i.name);
    set_text(n, v, "type", i.type);
    set_text(n, v, "device", i.device);
    set_text(n, v, "fallback", i.fallback && *i.fallback ? i.fallback : NULL);
    set_number(n, v, "parameters", (double)i.parameters);
    set_number(n, v, "weight_bytes", (double)i.weight_bytes);
    set_number(n, v, "vocabulary", i.vocabulary);
    set_number(n, v, "context", i.context);
    set_number(n, v, "embedding", i.embedding);
    set_number(n, v, "layers", i.layers);
    set_number(n, v, "heads", i.heads);
    set_number(n, v, "kv_heads", i.kv_heads);
    set_number(n, v, "head_size", i.head_size);
    set_number(n, v, "feed_forward", i.feed_forward);
    set_number(n, v, "experts", i.experts);
    js_set(n, v, "generates", js_bool(n, i.generates));
    return v;
}

/* ---- loading ---- */

typedef struct LoadJob {
    ModelJob                base;
    weft_model_desc         desc;
    weft_model_session_desc session_desc;
    weft_model             *model;
    weft_model_session     *session;
} LoadJob;

static bool load_run(Job *job)
{
    LoadJob *l = (LoadJob *)job;
    l->desc.progress = job_progress;
    l->desc.user = job;
    l->model = weft_model_create(home_context(job->home), &l->desc);
    l->session = weft_model_session_create(l->model, &l->session_desc);
    return l->session != NULL;
}

/* { model, session, info } */
static napi_value load_result(napi_env n, Job *job)
{
    LoadJob   *l = (LoadJob *)job;
    napi_value v = js_object(n);
    weft_model_session_desc s = { 0 };
    js_set(n, v, "info", model_info_value(n, l->model));
    weft_model_session_desc_get(&s, l->session);
    set_number(n, v, "context_length", s.context);
    js_set(n, v, "model", handle_new_owned(n, KIND_MODEL, l->model, 0, job->home));
    js_set(n, v, "session", handle_new_owned(n, KIND_MODEL_SESSION, l->session, 0, job->home));
    l->model = NULL;
    l->session = NULL;
    return v;
}

static void load_fini(Job *job)
{
    LoadJob *l = (LoadJob *)job;
    weft_model_session_release(l->session);
    weft_model_release(l->model);
    model_job_fini(job);
}

static const char *const load_names[] = {
    "path", "name", "architecture", "activations", "memory_limit", "self_test", "fallback",
    "context_length", "batch", "cache", "prefix_reuse", NULL,
};
static const char *const precisions[] = { "auto", "f32", "int8", NULL };
static const char *const caches[] = { "auto", "f32", "f16", "q8_0", NULL };

static uint32_t option_u32(Call *c, napi_value options, const char *name)
{
    const uint64_t n = option_u64(c, options, name, 0);
    if (n > UINT32_MAX)
        call_fail(c, WEFT_ERROR_INVALID, "%s: too large", name);
    return (uint32_t)n;
}

/* Options that are on unless they are false. */
static bool is_off(Call *c, napi_value options, const char *name)
{
    return option(c, options, name) && !option_bool(c, options, name);
}

static void read_load_options(Call *c, LoadJob *l, napi_value o)
{
    weft_model_session_desc *s = &l->session_desc;
    options_check(c, o, "Model.load", load_names);
    l->desc.path = model_keep_text(c, l, option_text(c, o, "path"));
    l->desc.name = model_keep_text(c, l, option_text(c, o, "name"));
    l->desc.architecture = model_keep_text(c, l, option_text(c, o, "architecture"));
    l->desc.activations = (weft_model_precision)option_word(c, o, "activations", precisions);
    l->desc.memory_limit = option_u64(c, o, "memory_limit", 0);
    l->desc.no_self_test = is_off(c, o, "self_test");
    l->desc.no_fallback = is_off(c, o, "fallback");
    s->context = option_u32(c, o, "context_length");
    s->batch = option_u32(c, o, "batch");
    s->cache = (weft_model_cache)option_word(c, o, "cache", caches);
    s->no_prefix_reuse = is_off(c, o, "prefix_reuse");
}

/* The file in memory, which lib/ keeps as long as the model; none if a path is given. */
static const void *file_bytes(Call *c, size_t i, size_t *size)
{
    *size = 0;
    return i < c->argc && !value_is_undefined(c, c->argv[i]) ? arg_bytes(c, i, size) : NULL;
}

/* modelLoad(context, options, bytes, token) */
static napi_value model_load(Call *c)
{
    arg_context(c, 0);
    size_t         size = 0;
    const void    *data = file_bytes(c, 2, &size);
    const uint32_t token = arg_u32(c, 3);
    LoadJob       *l = model_job_new(c, sizeof *l);
    if (!l)
        return NULL;
    read_load_options(c, l, c->argv[1]);
    l->desc.data = data;
    l->desc.size = size;
    if (!call_ok(c))
        return model_job_drop(l);
    l->base.job.run = load_run;
    l->base.job.result = load_result;
    l->base.job.fini = load_fini;
    return job_start(c, &l->base.job, token);
}

/* ---- vocabularies ---- */

typedef struct VocabularyJob {
    ModelJob              base;
    weft_gguf_desc        desc;
    weft_model_tokenizer *tokenizer;
    weft_model_template  *tmpl;
} VocabularyJob;

/* A file without a vocabulary works with ids; a template that cannot be used is none. */
static bool vocabulary_run(Job *job)
{
    VocabularyJob *v = (VocabularyJob *)job;
    weft_context  *ctx = home_context(job->home);
    weft_gguf     *file = weft_gguf_create(ctx, &v->desc);
    const weft_gguf_value *kind = weft_gguf_value_find(file, "tokenizer.ggml.model");
    bool ok = file != NULL;
    if (ok && kind && kind->kind == WEFT_GGUF_STRING && strcmp(kind->text, "no_vocab") != 0) {
        v->tokenizer = weft_model_tokenizer_create(ctx, file);
        ok = v->tokenizer != NULL;
    }
    if (ok && weft_gguf_value_find(file, "tokenizer.chat_template")) {
        v->tmpl = weft_model_template_create(ctx, &(weft_model_template_desc){ .file = file });
        weft_context_error_clear(ctx);
    }
    weft_gguf_release(file);
    return ok;
}

/* { tokenizer, template }, each null if there is none */
static napi_value vocabulary_result(napi_env n, Job *job)
{
    VocabularyJob *j = (VocabularyJob *)job;
    napi_value     v = js_object(n);
    js_set(n, v, "tokenizer", handle_new_owned(n, KIND_TOKENIZER, j->tokenizer, 0, job->home));
    js_set(n, v, "template", handle_new_owned(n, KIND_TEMPLATE, j->tmpl, 0, job->home));
    j->tokenizer = NULL;
    j->tmpl = NULL;
    return v;
}

static void vocabulary_fini(Job *job)
{
    VocabularyJob *v = (VocabularyJob *)job;
    weft_model_template_release(v->tmpl);
    weft_model_tokenizer_release(v->tokenizer);
    model_job_fini(job);
}

/* modelVocabulary(context, path, bytes, token) */
static napi_value model_vocabulary(Call *c)
{
    arg_context(c, 0);
    const char    *path = arg_text(c, 1);
    size_t         size = 0;
    const void    *data = file_bytes(c, 2, &size);
    const uint32_t token = arg_u32(c, 3);
    VocabularyJob *v = model_job_new(c, sizeof *v);
    if (!v)
        return NULL;
    v->desc = (weft_gguf_desc){ .path = model_keep_text(c, v, path), .data = data, .size = size,
                                .header_only = true };
    if (!call_ok(c))
        return model_job_drop(v);
    v->base.job.run = vocabulary_run;
    v->base.job.result = vocabulary_result;
    v->base.job.fini = vocabulary_fini;
    return job_start(c, &v->base.job, token);
}

/* modelTokenize(tokenizer, text, flags): an ArrayBuffer of i32 */
static napi_value model_tokenize(Call *c)
{
    weft_model_tokenizer *t = arg_owned(c, 0, KIND_TOKENIZER);
    const WGPUStringView  text = arg_string(c, 1);
    const uint32_t        flags = arg_u32(c, 2);
    if (!call_enter(c))
        return NULL;
    size_t      count = weft_model_tokenize_bound(t, text.length);
    weft_token *tokens = malloc((count + 1) * sizeof *tokens);
    if (!tokens) {
        call_fail(c, WEFT_ERROR_MEMORY, "no memory for %zu tokens", count);
        return NULL;
    }
    if (weft_model_tokenize(tokens, &count, t, text.data, text.length, flags))
        return js_bytes(c->napi, tokens, count * sizeof *tokens);
    free(tokens);
    return call_throw(c);
}

/* modelDetokenize(tokenizer, bytes of i32, flags) */
static napi_value model_detokenize(Call *c)
{
    weft_model_tokenizer *t = arg_owned(c, 0, KIND_TOKENIZER);
    size_t                size = 0, length = 0;
    const weft_token     *tokens = arg_bytes(c, 1, &size);
    const uint32_t        flags = arg_u32(c, 2);
    const size_t          count = size / sizeof *tokens;
    if (!call_enter(c))
        return NULL;
    if (!weft_model_detokenize(NULL, &length, t, tokens, count, flags))
        return call_throw(c);
    char *text = call_alloc(c, length + 1, 1);
    if (!text || !weft_model_detokenize(text, &length, t, tokens, count, flags))
        return text ? call_throw(c) : NULL;
    return js_string(c->napi, (WGPUStringView){ text, length });
}

/* modelTemplate(context, { name, source, bos, eos }) */
static napi_value model_template(Call *c)
{
    weft_context            *ctx = arg_context(c, 0);
    napi_value               o = c->argv[1];
    weft_model_template_desc d = { .name = option_text(c, o, "name"),
                                   .source = option_text(c, o, "source"),
                                   .bos = option_text(c, o, "bos"),
                                   .eos = option_text(c, o, "eos") };
    return call_enter(c) ? call_give(c, KIND_TEMPLATE, weft_model_template_create(ctx, &d)) : NULL;
}

/* Elements 3i, 3i + 1 and 3i + 2 of argument `at`: role, content, further members as JSON. */
static weft_model_message *read_messages(Call *c, size_t at, uint32_t *count)
{
    *count = arg_length(c, at) / 3;
    weft_model_message *m = c->bad ? NULL : call_alloc(c, *count + 1, sizeof *m);
    for (uint32_t i = 0; m && i < *count && !c->bad; i++) {
        const WGPUStringView role = value_string(c, arg_element(c, at, 3 * i)),
                             content = value_string(c, arg_element(c, at, 3 * i + 1)),
                             extra = value_string(c, arg_element(c, at, 3 * i + 2));
        m[i] = (weft_model_message){ .role = role.data, .content = content.data,
                                     .content_size = content.data ? content.length : 0,
                                     .extra = extra.data };
    }
    return m;
}

/* modelRender(template, messages, { generation_prompt, tools, variables }) */
static napi_value model_render(Call *c)
{
    weft_model_template   *t = arg_owned(c, 0, KIND_TEMPLATE);
    uint32_t               count = 0;
    size_t                 size = 0;
    weft_model_message    *m = read_messages(c, 1, &count);
    napi_value             o = c->argv[2];
    weft_model_render_desc d = { .no_generation_prompt = is_off(c, o, "generation_prompt"),
                                 .tools = option_text(c, o, "tools"),
                                 .variables = option_text(c, o, "variables") };
    if (!call_enter(c))
        return NULL;
    if (!weft_model_template_render(NULL, &size, t, m, count, &d))
        return call_throw(c);
    char *text = call_alloc(c, size + 1, 1);
    if (!text || !weft_model_template_render(text, &size, t, m, count, &d))
        return text ? call_throw(c) : NULL;
    return js_string(c->napi, (WGPUStringView){ text, size });
}

/* modelSpecials(tokenizer): { bos, eos, ... }, ids of special tokens; null: none */
static napi_value model_specials(Call *c)
{
    weft_model_tokenizer     *t = arg_owned(c, 0, KIND_TOKENIZER);
    weft_model_tokenizer_info i = { 0 };
    if (!call_enter(c) || !weft_model_tokenizer_info_get(&i, t))
        return NULL;
    const struct { const char *name; weft_token token; } all[] = {
        { "bos", i.bos }, { "eos", i.eos }, { "eot", i.eot }, { "eom", i.eom },
        { "unk", i.unk }, { "sep", i.sep }, { "pad", i.pad }, { "mask", i.mask },
    };
    napi_value v = js_object(c->napi);
    for (size_t k = 0; k < COUNTOF(all); k++)
        js_set(c->napi, v, all[k].name, all[k].token == WEFT_TOKEN_NONE
                                            ? js_null(c->napi)
                                            : js_number(c->napi, all[k].token));
    return v;
}

const Function model_functions[] = {
    { "modelLoad",       model_load },
    { "modelVocabulary", model_vocabulary },
    { "modelTokenize",   model_tokenize },
    { "modelDetokenize", model_detokenize },
    { "modelTemplate",   model_template },
    { "modelRender",     model_render },
    { "modelSpecials",   model_specials },
    { 0 },
};
