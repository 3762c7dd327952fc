// SPDX-License-Identifier: Apache-2.0
/*
 * model_session.c - weft/model.h for JavaScript: text and vectors from a model.
 *
 * in     calls of lib/model/
 * out    jobs that give texts piece by piece, or vectors
 * knows  the options of sampling by name, with the meanings that other programs give them
 * not    loading: model.c
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* ---- jobs ---- */

/* lib/ keeps the session until the job has ended. */
typedef struct SessionJob {
    ModelJob            base;
    weft_model_session *session;
} SessionJob;

static void session_cancel(Job *job)
{
    weft_model_session_cancel(((SessionJob *)job)->session);
}

/* A job on the session of argument 0; NULL: an argument was bad. It does not enter the context:
 * another job may have it for long. */
static void *session_job_new(Call *c, size_t size, bool (*run)(Job *job))
{
    weft_model_session *session = arg_owned(c, 0, KIND_MODEL_SESSION);
    SessionJob         *j = model_job_new(c, size);
    if (!j)
        return NULL;
    j->base.job.run = run;
    j->base.job.cancel = session_cancel;
    j->base.job.detached = true;
    j->base.job.fini = model_job_fini;
    j->session = session;
    return j;
}

static napi_value session_job_start(Call *c, void *job, uint32_t token)
{
    SessionJob *j = job;
    return call_ok(c) ? job_start(c, &j->base.job, token) : model_job_drop(j);
}

/* ---- options ---- */

/* Zero and less switch these off; in C zero is the default. */
static float setting(Call *c, napi_value o, const char *name)
{
    const double x = option_number(c, o, name, NAN);
    if (option(c, o, name) && !isfinite(x))
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected a number, not %g", name, x);
    return isnan(x) ? 0 : x <= 0 ? (float)WEFT_MODEL_OFF : (float)x;
}

/* Where zero is off in C, too. */
static float plain(Call *c, napi_value o, const char *name)
{
    const double x = option_number(c, o, name, 0);
    if (!isfinite(x))
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected a number, not %g", name, x);
    return (float)x;
}

static int32_t whole(Call *c, napi_value o, const char *name)
{
    const double x = option_number(c, o, name, NAN);
    if (!option(c, o, name))
        return 0;
    if (x != floor(x) || fabs(x) > INT32_MAX)
        call_fail(c, WEFT_ERROR_INVALID, "%s: expected a whole number", name);
    return c->bad ? 0 : x <= 0 ? WEFT_MODEL_OFF : (int32_t)x;
}

/* [token, bias, token, bias, ...]; -Infinity forbids a token. */
static void read_bias(Call *c, void *job, napi_value o, weft_model_sampler_desc *s)
{
    napi_value list = option(c, o, "logit_bias");
    uint32_t   length = 0;
    if (!list || napi_get_array_length(c->napi, list, &length) != napi_ok)
        return;
    weft_model_bias *b = model_keep(c, job, NULL, (length / 2 + 1) * sizeof *b);
    for (uint32_t i = 0; b && i + 1 < length; i += 2) {
        napi_value token = NULL, bias = NULL;
        napi_get_element(c->napi, list, i, &token);
        napi_get_element(c->napi, list, i + 1, &bias);
        b[i / 2] = (weft_model_bias){ (weft_token)value_double(c, token),
                                      (float)value_double(c, bias) };
    }
    s->bias = b;
    s->bias_count = length / 2;
}

static void read_sampling(Call *c, void *job, napi_value o, weft_model_sampler_desc *s)
{
    const float top_p = plain(c, o, "top_p");
    s->temperature = setting(c, o, "temperature");
    s->top_k = whole(c, o, "top_k");
    s->top_p = option(c, o, "top_p") && top_p <= 0 ? 1e-9f : top_p;     /* the likeliest alone */
    s->min_p = setting(c, o, "min_p");
    s->typical_p = plain(c, o, "typical_p");
    s->top_n_sigma = plain(c, o, "top_n_sigma");
    s->xtc_probability = plain(c, o, "xtc_probability");
    s->xtc_threshold = plain(c, o, "xtc_threshold");
    s->repetition_penalty = plain(c, o, "repetition_penalty");
    s->frequency_penalty = plain(c, o, "frequency_penalty");
    s->presence_penalty = plain(c, o, "presence_penalty");
    s->penalty_last_n = whole(c, o, "penalty_last_n");
    s->dry_multiplier = plain(c, o, "dry_multiplier");
    s->dry_base = plain(c, o, "dry_base");
    s->dry_allowed_length = whole(c, o, "dry_allowed_length");
    s->seeded = option(c, o, "seed") != NULL;
    s->seed = option_u64(c, o, "seed", 0);
    read_bias(c, job, o, s);
}

/* ---- generating ---- */

typedef struct GenerateJob {
    SessionJob              base;
    weft_model_generate_desc desc;
    weft_model_grammar_desc grammar;
    const char             *prompt;
    weft_model_answer       answer;
} GenerateJob;

typedef struct Piece {
    size_t size;
    char   text[];
} Piece;

static napi_value build_piece(napi_env napi, void *data)
{
    const Piece *p = data;
    return js_string(napi, (WGPUStringView){ p->text, p->size });
}

static bool on_text(void *user, const weft_model_piece *piece)
{
    GenerateJob *g = user;
    Piece       *p = piece->size ? malloc(sizeof *p + piece->size) : NULL;
    if (p) {
        p->size = piece->size;
        memcpy(p->text, piece->text, piece->size);
        job_emit(&g->base.base.job, build_piece, free, p);
    }
    return !job_is_cancelled(&g->base.base.job);
}

static bool on_prompt(void *user, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    return !job_is_cancelled(user);
}

static bool generate_run(Job *job)
{
    GenerateJob        *g = (GenerateJob *)job;
    weft_context       *ctx = home_context(job->home);
    weft_model_grammar *grammar = NULL;
    bool                ok = true;
    if (g->grammar.gbnf || g->grammar.json_schema) {
        g->grammar.tokenizer = weft_model_tokenizer_of(weft_model_session_model(g->base.session));
        grammar = weft_model_grammar_create(ctx, &g->grammar);
        ok = grammar != NULL;
    }
    g->desc.sampling.grammar = grammar;
    g->desc.on_text = on_text;
    g->desc.on_prompt = on_prompt;
    g->desc.user = g;
    ok = ok && weft_model_session_generate(&g->answer, g->base.session, g->prompt, &g->desc);
    weft_model_grammar_release(grammar);
    return ok;
}

static napi_value generate_result(napi_env n, Job *job)
{
    static const char *const stops[] = { "", "length", "end", "stop", "cancelled", "cancelled",
                                         "context" };
    const weft_model_answer *a = &((GenerateJob *)job)->answer;
    napi_value v = js_object(n);
    js_set(n, v, "text", js_string(n, (WGPUStringView){ a->text, a->size }));
    js_set(n, v, "stop", js_text(n, stops[a->stop]));
    js_set(n, v, "tokens", js_number(n, a->tokens));
    js_set(n, v, "prompt_tokens", js_number(n, a->prompt_tokens));
    js_set(n, v, "reused_tokens", js_number(n, a->reused_tokens));
    js_set(n, v, "seconds", js_number(n, a->seconds));
    js_set(n, v, "prompt_seconds", js_number(n, a->prompt_seconds));
    return v;
}

static void generate_fini(Job *job)
{
    weft_model_answer_fini(&((GenerateJob *)job)->answer);
    model_job_fini(job);
}

static void read_stops(Call *c, GenerateJob *g, napi_value o)
{
    napi_value list = option(c, o, "stop");
    uint32_t   count = 0;
    if (!list || napi_get_array_length(c->napi, list, &count) != napi_ok)
        return;
    const char **texts = model_keep(c, g, NULL, (count + 1) * sizeof *texts);
    for (uint32_t i = 0; texts && i < count && !c->bad; i++) {
        napi_value v = NULL;
        napi_get_element(c->napi, list, i, &v);
        texts[i] = model_keep_text(c, g, value_string(c, v).data);
        if (!texts[i])
            call_fail(c, WEFT_ERROR_INVALID, "stop: expected texts");
    }
    g->desc.stop = texts;
    g->desc.stop_count = count;
}

static const char *const generate_names[] = {
    "max_tokens", "stop", "ignore_end", "special", "affixes", "temperature", "top_k", "top_p",
    "min_p", "typical_p", "top_n_sigma", "xtc_probability", "xtc_threshold", "repetition_penalty",
    "frequency_penalty", "presence_penalty", "penalty_last_n", "dry_multiplier", "dry_base",
    "dry_allowed_length", "seed", "logit_bias", "grammar", "json_schema", NULL,
};

static void read_generate_options(Call *c, GenerateJob *g, napi_value o)
{
    options_check(c, o, "generate", generate_names);
    const uint64_t most = option_u64(c, o, "max_tokens", 0);
    g->desc.max_tokens = most > UINT32_MAX ? 0 : (uint32_t)most;
    g->desc.ignore_end = option_bool(c, o, "ignore_end");
    if (option_bool(c, o, "special"))
        g->desc.tokenize |= WEFT_MODEL_TOKENIZE_SPECIAL;
    if (option(c, o, "affixes") && !option_bool(c, o, "affixes"))
        g->desc.tokenize |= WEFT_MODEL_TOKENIZE_NO_AFFIXES;
    g->grammar.gbnf = model_keep_text(c, g, option_text(c, o, "grammar"));
    g->grammar.json_schema = model_keep_text(c, g, option_text(c, o, "json_schema"));
    if (g->grammar.gbnf && g->grammar.json_schema)
        call_fail(c, WEFT_ERROR_INVALID, "grammar and json_schema: only one of them can be given");
    read_stops(c, g, o);
    read_sampling(c, g, o, &g->desc.sampling);
}

/* sessionGenerate(session, prompt, options, token) */
static napi_value session_generate(Call *c)
{
    const char    *prompt = arg_text(c, 1);
    const uint32_t token = arg_u32(c, 3);
    GenerateJob   *g = session_job_new(c, sizeof *g, generate_run);
    if (!g)
        return NULL;
    if (!prompt)
        call_fail(c, WEFT_ERROR_INVALID, "generate: expected a prompt");
    g->prompt = model_keep_text(c, g, prompt);
    read_generate_options(c, g, c->argv[2]);
    g->base.base.job.result = generate_result;
    g->base.base.job.fini = generate_fini;
    return session_job_start(c, g, token);
}

/* ---- embedding ---- */

typedef struct EmbedJob {
    SessionJob            base;
    weft_model_embed_desc desc;
    const char          **texts;
    uint32_t              count, width;
    float                *vectors;      /* [count][width] */
} EmbedJob;

static bool embed_run(Job *job)
{
    EmbedJob       *e = (EmbedJob *)job;
    weft_model_info info = { 0 };
    weft_model_info_get(&info, weft_model_session_model(e->base.session));
    e->width = info.embedding;
    e->vectors = calloc((size_t)e->count * info.embedding + 1, sizeof *e->vectors);
    if (!e->vectors) {
        failure_set(&job->failure, WEFT_ERROR_MEMORY, "no memory for the vectors");
        return false;
    }
    return weft_model_session_embed(e->vectors, e->base.session, e->texts, e->count, &e->desc);
}

/* [width, an ArrayBuffer of f32] */
static napi_value embed_result(napi_env n, Job *job)
{
    EmbedJob  *e = (EmbedJob *)job;
    napi_value v = js_array(n, 2);
    float     *data = e->vectors;
    e->vectors = NULL;
    js_push(n, v, 0, js_number(n, e->width));
    js_push(n, v, 1, js_bytes(n, data, (size_t)e->count * e->width * sizeof *data));
    return v;
}

static void embed_fini(Job *job)
{
    free(((EmbedJob *)job)->vectors);
    model_job_fini(job);
}

/* sessionEmbed(session, texts, options, token) */
static napi_value session_embed(Call *c)
{
    static const char *const names[] = { "pooling", "normalize", "truncate", "special", NULL };
    static const char *const poolings[] = { "auto", "mean", "cls", "last", NULL };
    const uint32_t token = arg_u32(c, 3);
    EmbedJob      *e = session_job_new(c, sizeof *e, embed_run);
    if (!e)
        return NULL;
    napi_value o = c->argv[2];
    options_check(c, o, "embed", names);
    e->desc.pooling = (weft_model_pooling)option_word(c, o, "pooling", poolings);
    e->desc.no_normalize = option(c, o, "normalize") && !option_bool(c, o, "normalize");
    e->desc.truncate = option_bool(c, o, "truncate");
    e->desc.tokenize = option_bool(c, o, "special") ? WEFT_MODEL_TOKENIZE_SPECIAL : 0;
    e->count = arg_length(c, 1);
    e->texts = c->bad ? NULL : model_keep(c, e, NULL, (e->count + 1) * sizeof *e->texts);
    for (uint32_t i = 0; e->texts && i < e->count && !c->bad; i++) {
        e->texts[i] = model_keep_text(c, e, value_string(c, arg_element(c, 1, i)).data);
        if (!e->texts[i])
            call_fail(c, WEFT_ERROR_INVALID, "embed: expected a text, or a list of texts");
    }
    e->base.base.job.result = embed_result;
    e->base.base.job.fini = embed_fini;
    return session_job_start(c, e, token);
}

/* ---- the cache ---- */

typedef struct StateJob {
    SessionJob  base;
    const char *path;
} StateJob;

static bool save_run(Job *job)
{
    StateJob *s = (StateJob *)job;
    return weft_model_session_save(s->base.session, s->path);
}

static bool restore_run(Job *job)
{
    StateJob *s = (StateJob *)job;
    return weft_model_session_load(s->base.session, s->path);
}

static bool clear_run(Job *job)
{
    weft_model_session_clear(((StateJob *)job)->base.session);
    return true;
}

static napi_value session_state(Call *c, bool (*run)(Job *job), bool has_path)
{
    const char    *path = has_path ? arg_text(c, 1) : NULL;
    const uint32_t token = arg_u32(c, 2);
    StateJob      *s = session_job_new(c, sizeof *s, run);
    if (!s)
        return NULL;
    if (has_path && !path)
        call_fail(c, WEFT_ERROR_INVALID, "expected the path of a file");
    s->path = model_keep_text(c, s, path);
    return session_job_start(c, s, token);
}

static napi_value session_save(Call *c) { return session_state(c, save_run, true); }
static napi_value session_restore(Call *c) { return session_state(c, restore_run, true); }
static napi_value session_clear(Call *c) { return session_state(c, clear_run, false); }

const Function model_session_functions[] = {
    { "sessionGenerate", session_generate },
    { "sessionEmbed",    session_embed },
    { "sessionSave",     session_save },
    { "sessionRestore",  session_restore },
    { "sessionClear",    session_clear },
    { 0 },
};
