// SPDX-License-Identifier: Apache-2.0
/*
 * slots.c - requests for text in the worker process of a model: one sequence each.
 *
 * in     requests as JSON; logits
 * out    pieces of text, the end
 * knows  weft/model.h
 * not    how sequences are computed together (model_worker.c)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "server/models/model_priv.h"

/* ---- the prompt ---- */

static char *render(Worker *w, const json_t *request, size_t *size)
{
    json_t             *list = json_object_get(request, "messages");
    size_t              count = json_array_size(list);
    weft_model_message *messages = calloc(MAX_OF(count, 1), sizeof *messages);
    weft_model_template *tmpl = weft_model_template_of(w->model), *own = NULL;
    char               *text = NULL;
    for (size_t i = 0; messages && i < count; i++) {
        json_t *m = json_array_get(list, i);
        messages[i].role = json_string_value(json_object_get(m, "role"));
        messages[i].content = json_string_value(json_object_get(m, "content"));
        messages[i].content_size = json_string_length(json_object_get(m, "content"));
    }
    if (!tmpl)                          /* a base model: the plainest form there is */
        tmpl = own = weft_model_template_create(w->ctx, &(weft_model_template_desc){
            .name = "chatml", .file = weft_model_file(w->model)});
    if (messages && weft_model_template_render(NULL, size, tmpl, messages, count, NULL))
        text = malloc(*size + 1);
    if (text && !weft_model_template_render(text, size, tmpl, messages, count, NULL)) {
        free(text);
        text = NULL;
    }
    weft_model_template_release(own);
    free(messages);
    return text;
}

/* Does the text begin with the token that the tokenizer would put before it? */
static bool has_start(const Worker *w, const char *text, size_t size)
{
    weft_model_tokenizer     *t = weft_model_tokenizer_of(w->model);
    weft_model_tokenizer_info info;
    weft_model_token_info     bos;
    return weft_model_tokenizer_info_get(&info, t) && info.bos != WEFT_TOKEN_NONE
        && weft_model_token_info_get(&bos, t, info.bos) && size >= bos.size
        && memcmp(text, bos.text, bos.size) == 0;
}

static bool tokenize(Worker *w, Slot *s, const char *text, size_t size, uint32_t flags)
{
    weft_model_tokenizer *t = weft_model_tokenizer_of(w->model);
    size_t                count = weft_model_tokenize_bound(t, size);
    s->room = count + 64;
    s->tokens = malloc(s->room * sizeof *s->tokens);
    if (!s->tokens || !weft_model_tokenize(s->tokens, &count, t, text, size, flags))
        return false;
    s->count = s->prompt = count;
    return true;
}

static bool read_tokens(Slot *s, const Worker *w, const json_t *list)
{
    s->room = json_array_size(list) + 64;
    s->tokens = malloc(s->room * sizeof *s->tokens);
    for (size_t i = 0; s->tokens && i < json_array_size(list); i++) {
        json_int_t token = json_integer_value(json_array_get(list, i));
        if (token < 0 || token >= (json_int_t)w->info.vocabulary)
            return false;
        s->tokens[s->count++] = (weft_token)token;
    }
    s->prompt = s->count;
    return s->tokens != NULL;
}

static bool make_prompt(Worker *w, Slot *s, const json_t *request)
{
    json_t *prompt = json_object_get(request, "prompt");
    if (json_is_array(prompt))
        return read_tokens(s, w, prompt);
    if (json_is_string(prompt))
        return tokenize(w, s, json_string_value(prompt), json_string_length(prompt), 0);
    size_t size = 0;
    char  *text = render(w, request, &size);
    bool   ok = text && tokenize(w, s, text, size, WEFT_MODEL_TOKENIZE_SPECIAL
                                 | (has_start(w, text, size) ? WEFT_MODEL_TOKENIZE_NO_AFFIXES
                                                             : 0u));
    free(text);
    return ok;
}

/* ---- how tokens are chosen ---- */

/* Zero, or nothing, means off in requests and "the default" in a descriptor. */
static float number(const json_t *request, const char *name, float without, float zero)
{
    json_t *value = json_object_get(request, name);
    double  n = json_is_number(value) ? json_number_value(value) : (double)without;
    return n == 0 ? zero : (float)n;
}

static weft_model_bias *read_bias(const json_t *request, size_t *count)
{
    json_t          *map = json_object_get(request, "logit_bias"), *value;
    weft_model_bias *bias = calloc(json_object_size(map) + 1, sizeof *bias);
    const char      *key;
    *count = 0;
    if (bias)
        json_object_foreach(map, key, value)
            bias[(*count)++] = (weft_model_bias){atoi(key), (float)json_number_value(value)};
    return bias;
}

static bool make_grammar(Worker *w, const json_t *request, weft_model_grammar **out)
{
    json_t *schema = json_object_get(request, "schema");
    json_t *gbnf = json_object_get(request, "grammar");
    *out = NULL;
    if (!schema && !gbnf)
        return true;
    char *text = schema ? json_dumps(schema, JSON_COMPACT) : NULL;
    *out = weft_model_grammar_create(w->ctx, &(weft_model_grammar_desc){
        .json_schema = text, .gbnf = schema ? NULL : json_string_value(gbnf),
        .tokenizer = weft_model_tokenizer_of(w->model)});
    free(text);
    return *out != NULL;
}

static bool make_sampler(Worker *w, Slot *s, const json_t *request)
{
    weft_model_grammar *grammar;
    size_t              count;
    if (!make_grammar(w, request, &grammar))
        return false;
    weft_model_bias *bias = read_bias(request, &count);
    json_t          *seed = json_object_get(request, "seed");
    s->sampler = weft_model_sampler_create(w->ctx, weft_model_tokenizer_of(w->model),
        &(weft_model_sampler_desc){
            .temperature = number(request, "temperature", 1, WEFT_MODEL_OFF),
            .top_k = (int32_t)number(request, "top_k", 0, WEFT_MODEL_OFF),
            .top_p = number(request, "top_p", 1, WEFT_MODEL_OFF),
            .min_p = number(request, "min_p", 0, WEFT_MODEL_OFF),
            .repetition_penalty = number(request, "repeat_penalty", 0, 0),
            .frequency_penalty = number(request, "frequency_penalty", 0, 0),
            .presence_penalty = number(request, "presence_penalty", 0, 0),
            .seed = (uint64_t)json_integer_value(seed), .seeded = json_is_integer(seed),
            .bias = bias, .bias_count = count, .grammar = grammar,
            .logprobs = s->logprobs ? s->logprobs - 1 : 0});
    free(bias);
    weft_model_grammar_release(grammar);
    s->decoder = weft_model_decoder_create(w->ctx, weft_model_tokenizer_of(w->model), 0);
    return s->sampler && s->decoder;
}

/* ---- beginning and ending ---- */

void slot_fini(Slot *s)
{
    for (uint32_t i = 0; i < s->stop_count; i++)
        free(s->stops[i]);
    free(s->held);
    weft_model_sampler_release(s->sampler);
    weft_model_decoder_release(s->decoder);
    s->stop_count = 0;
    s->held = NULL;
    s->held_size = 0;
    s->sampler = NULL;
    s->decoder = NULL;
    s->busy = false;
}

/* The tokens stay: the next request of the same tenant may begin with them. */
void slot_end(Worker *w, Slot *s)
{
    (void)w;
    slot_fini(s);
}

static size_t common(const Slot *s, const Slot *fresh)
{
    size_t n = 0;
    while (n < s->cached && n + 1 < fresh->count && s->tokens[n] == fresh->tokens[n])
        n++;
    return n;
}

uint32_t slots_of(const Worker *w, const char *tenant)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->parallel; i++)
        n += w->slots[i].busy && strcmp(w->slots[i].tenant, tenant) == 0;
    return n;
}

/* A free slot: of the same tenant, with the longest common beginning; else any. */
static Slot *choose(Worker *w, const Slot *fresh)
{
    Slot  *best = NULL;
    size_t most = 0;
    for (uint32_t i = 0; i < w->parallel; i++) {
        Slot *s = &w->slots[i];
        if (s->busy)
            continue;
        size_t n = strcmp(s->tenant, fresh->tenant) == 0 ? common(s, fresh) : 0;
        if (!best || n > most || (n == most && !*s->tenant)) {
            best = s;
            most = n;
        }
    }
    return best;
}

/* Caches of other tenants are never used, not even the parts that are equal. */
static void take_over(Worker *w, Slot *to, Slot *fresh)
{
    size_t reused = strcmp(to->tenant, fresh->tenant) == 0 ? common(to, fresh) : 0;
    weft_model_session_trim(w->session, (uint32_t)(to - w->slots), (uint32_t)reused, UINT32_MAX);
    free(to->tokens);
    *to = *fresh;
    to->cached = to->reused = reused;
    to->busy = true;
}

static bool read_request(Worker *w, Slot *s, const json_t *request)
{
    json_t *stops = json_object_get(request, "stop");
    snprintf(s->tenant, sizeof s->tenant, "%s",
             json_string_value(json_object_get(request, "tenant")));
    s->logprobs = (uint32_t)json_integer_value(json_object_get(request, "logprobs"));
    s->ignore_end = json_is_true(json_object_get(request, "ignore_end"));
    for (size_t i = 0; i < json_array_size(stops) && s->stop_count < SLOT_STOPS; i++) {
        const char *text = json_string_value(json_array_get(stops, i));
        if (text && *text)
            s->stops[s->stop_count++] = strdup(text);
    }
    return make_prompt(w, s, request) && make_sampler(w, s, request);
}

bool slot_begin(Worker *w, uint64_t id, json_t *request)
{
    Slot fresh = {.id = id};
    bool room = false;
    for (uint32_t i = 0; i < w->parallel; i++)
        room = room || !w->slots[i].busy;
    if (!room)
        return false;
    if (!read_request(w, &fresh, request)) {
        if (weft_context_error(w->ctx)->kind == WEFT_ERROR_NONE)
            reply_fail(w, id, WEFT_ERROR_INVALID, "prompt: a token that the model does not have");
        else
            reply_fault(w, id);
    } else if (fresh.count == 0 || fresh.count >= w->context) {
        char why[128];
        snprintf(why, sizeof why, "the prompt has %zu tokens; the context has room for %u and an "
                 "answer", fresh.count, w->context - 1);
        reply_send(w, id, WIRE_PIECE_LAST, json_pack(
            "{s:{s:i, s:s, s:b}}", "error", "kind", (int)WEFT_ERROR_INVALID, "message",
            fresh.count ? why : "the prompt has no tokens", "overflow", fresh.count > 0));
    } else {
        json_int_t limit = json_integer_value(json_object_get(request, "max_tokens"));
        size_t     free_room = w->context - fresh.count;
        fresh.limit = (uint32_t)(limit > 0 ? MIN_OF((size_t)limit, free_room) : free_room);
        for (size_t i = 0; i < fresh.count; i++)
            weft_model_sampler_accept(fresh.sampler, fresh.tokens[i], false);
        take_over(w, choose(w, &fresh), &fresh);
        return true;
    }
    slot_fini(&fresh);
    free(fresh.tokens);
    return true;
}

/* ---- text ---- */

/* Adds text to what is held back. */
static bool hold(Slot *s, const char *text, size_t size)
{
    char *more = realloc(s->held, s->held_size + size + 1);
    if (!more)
        return false;
    memcpy(more + s->held_size, text, size);
    s->held = more;
    s->held_size += size;
    s->held[s->held_size] = '\0';
    return true;
}

/* How much of the held text can be sent: all before a stop (then *stopped), or all that is
 * not the beginning of one. */
static size_t sendable(const Slot *s, bool *stopped)
{
    size_t most = s->held_size;
    *stopped = false;
    for (uint32_t i = 0; i < s->stop_count; i++) {
        const char *found = strstr(s->held, s->stops[i]);
        if (found && (size_t)(found - s->held) <= most) {
            most = (size_t)(found - s->held);
            *stopped = true;
        }
    }
    for (uint32_t i = 0; !*stopped && i < s->stop_count; i++)
        for (size_t n = MIN_OF(strlen(s->stops[i]) - 1, s->held_size); n; n--)
            if (memcmp(s->held + s->held_size - n, s->stops[i], n) == 0) {
                most = MIN_OF(most, s->held_size - n);
                break;
            }
    return most;
}

static json_t *token_json(Worker *w, weft_token token, float logprob)
{
    char   text[256];
    size_t size = sizeof text;
    if (!weft_model_detokenize(text, &size, weft_model_tokenizer_of(w->model), &token, 1,
                               WEFT_MODEL_DETOKENIZE_SPECIAL))
        size = 0;
    json_t *bytes = json_array(), *name = json_stringn(text, size);
    for (size_t i = 0; i < size; i++)
        json_array_append_new(bytes, json_integer((unsigned char)text[i]));
    if (!name)                          /* a part of a character */
        name = json_string("\xef\xbf\xbd");
    return json_pack("{s:o, s:i, s:f, s:o}", "token", name, "id", (int)token, "logprob",
                     isfinite(logprob) ? (double)logprob : -9999.0, "bytes", bytes);
}

static json_t *logprobs_json(Worker *w, const Slot *s, const weft_model_choice *c)
{
    json_t *own = token_json(w, c->token, c->logprob), *top = json_array();
    for (uint32_t i = 0; i < c->top_count && i + 1 < s->logprobs; i++)
        json_array_append_new(top, token_json(w, c->top[i].token, c->top[i].logprob));
    json_object_set_new(own, "top_logprobs", top);
    return own;
}

static void finish(Worker *w, Slot *s, const char *why)
{
    reply_send(w, s->id, WIRE_PIECE_LAST, json_pack(
        "{s:s%, s:s, s:i, s:i, s:i}", "text", s->held ? s->held : "", s->held_size, "finish", why,
        "prompt_tokens", (int)s->prompt, "completion_tokens", (int)(s->count - s->prompt),
        "cached_tokens", (int)s->reused));
    slot_end(w, s);
}

static bool add_token(Slot *s, weft_token token)
{
    if (s->count == s->room) {
        weft_token *more = realloc(s->tokens, 2 * s->room * sizeof *more);
        if (!more)
            return false;
        s->tokens = more;
        s->room *= 2;
    }
    s->tokens[s->count++] = token;
    return true;
}

/* Sends what can be sent; true: a stop was found, and the rest is dropped. */
static bool send_text(Worker *w, Slot *s, const weft_model_choice *c)
{
    bool    stopped;
    size_t  size = sendable(s, &stopped);
    json_t *piece = json_pack("{s:s%}", "text", s->held, size);
    if (s->logprobs)
        json_object_set_new(piece, "logprobs", logprobs_json(w, s, c));
    memmove(s->held, s->held + size, s->held_size - size + 1);
    s->held_size = stopped ? 0 : s->held_size - size;
    s->held[s->held_size] = '\0';
    reply_send(w, s->id, WIRE_PIECE, piece);
    return stopped;
}

void slot_advance(Worker *w, Slot *s, const float *logits)
{
    weft_model_choice     choice;
    weft_model_token_info info;
    const char           *text = "";
    size_t                size = 0;
    if (!weft_model_sampler_sample(&choice, s->sampler, logits, w->info.vocabulary)
        || !weft_model_sampler_accept(s->sampler, choice.token, true)) {
        reply_fault(w, s->id);
        slot_end(w, s);
        return;
    }
    bool ends = weft_model_token_info_get(&info, weft_model_tokenizer_of(w->model), choice.token)
             && info.ends && !s->ignore_end;
    if (ends) {
        finish(w, s, "stop");
        return;
    }
    if (!add_token(s, choice.token)
        || !weft_model_decoder_push(&text, &size, s->decoder, choice.token)
        || !hold(s, text, size)) {
        reply_fail(w, s->id, WEFT_ERROR_MEMORY, "out of memory");
        slot_end(w, s);
        return;
    }
    bool stopped = send_text(w, s, &choice);
    bool full = s->count - s->prompt >= s->limit || s->count >= w->context;
    if (full && !stopped && weft_model_decoder_finish(&text, &size, s->decoder))
        hold(s, text, size);
    if (stopped || full)
        finish(w, s, stopped ? "stop" : "length");
}
