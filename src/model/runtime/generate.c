// SPDX-License-Identifier: Apache-2.0
/*
 * generate.c - text from a prompt or from the messages of a conversation.
 *
 * in     a session, a prompt, how tokens are chosen and when to stop
 * out    an answer, piece by piece and whole
 * knows  tokenizers, samplers, templates, decode.c
 * not    kernels
 */
#include "model/runtime/runtime_priv.h"

#include <stdlib.h>
#include <string.h>

typedef struct Generation {
    weft_model_session *s;
    const weft_model_generate_desc *d;
    weft_model_sampler *sampler, *own;
    weft_model_decoder *decoder;
    weft_token *prompt;
    size_t      prompt_count, reused;
    char       *text;                   /* of the answer so far, NUL-terminated    */
    size_t      size, room, shown;      /* shown: given to on_text                 */
    uint32_t    tokens;
    weft_model_stop stop;
    double      prompt_seconds, seconds;
} Generation;

static weft_context *context_of(const Generation *g)
{
    return g->s->model->ctx;
}

static bool no_memory(const Generation *g)
{
    return context_fail(context_of(g), WEFT_ERROR_MEMORY, "no memory to generate text");
}

/* ---- the prompt ---- */

static bool tokenize(Generation *g, const char *text, size_t size, uint32_t flags)
{
    weft_model_tokenizer *t = g->s->model->tokenizer;
    g->prompt_count = weft_model_tokenize_bound(t, size);
    g->prompt = malloc((g->prompt_count + 1) * sizeof *g->prompt);
    if (!g->prompt)
        return no_memory(g);
    if (!weft_model_tokenize(g->prompt, &g->prompt_count, t, text, size, flags))
        return false;
    if (g->prompt_count == 0)
        return context_fail(context_of(g), WEFT_ERROR_INVALID, "the prompt has no tokens");
    if (g->prompt_count >= g->s->desc.context)
        return context_fail(context_of(g), WEFT_ERROR_MEMORY,
                            "the prompt has %zu tokens; the context has room for %u and an answer",
                            g->prompt_count, g->s->desc.context - 1);
    return true;
}

/* Tokens at the start of the prompt that the cache has already. The last one is always
 * computed: its logits are wanted. */
static size_t common_prefix(const Generation *g)
{
    const Sequence *q = &g->s->sequences[g->d->sequence];
    size_t n = 0;
    if (g->s->desc.no_prefix_reuse)
        return 0;
    while (n < q->length && n + 1 < g->prompt_count && q->tokens[n] == g->prompt[n] &&
           q->places[n] == n)
        n++;
    return n;
}

static bool decode(Generation *g, const weft_token *tokens, size_t count)
{
    uint32_t *sequences = NULL, one = g->d->sequence;
    weft_model_batch b = {.tokens = tokens, .count = count, .sequences = &one};
    if (count > 1) {
        sequences = malloc(count * sizeof *sequences);
        if (!sequences)
            return no_memory(g);
        for (size_t i = 0; i < count; i++)
            sequences[i] = one;
        b.sequences = sequences;
    }
    g->s->want_hidden = false;
    bool ok = decode_batch(g->s, &b, NULL);
    free(sequences);
    return ok;
}

static bool read_prompt(Generation *g)
{
    double start = seconds_now();
    g->reused = common_prefix(g);
    if (!weft_model_session_trim(g->s, g->d->sequence, (uint32_t)g->reused, UINT32_MAX))
        return false;
    for (size_t at = g->reused; at < g->prompt_count;) {
        size_t n = g->prompt_count - at < g->s->desc.batch ? g->prompt_count - at
                                                           : g->s->desc.batch;
        if (!decode(g, g->prompt + at, n))
            return false;
        at += n;
        if (g->d->on_prompt && !g->d->on_prompt(g->d->user, at, g->prompt_count))
            return context_fail(context_of(g), WEFT_ERROR_CANCELLED,
                                "reading the prompt was cancelled");
    }
    for (size_t i = 0; i < g->prompt_count; i++)
        if (!weft_model_sampler_accept(g->sampler, g->prompt[i], false))
            return false;
    g->prompt_seconds = seconds_now() - start;
    return true;
}

/* ---- text ---- */

static bool append(Generation *g, const char *text, size_t size)
{
    if (g->size + size + 1 > g->room) {
        size_t room = 2 * g->room + size + 256;
        char  *more = realloc(g->text, room);
        if (!more)
            return no_memory(g);
        g->text = more;
        g->room = room;
    }
    if (size)
        memcpy(g->text + g->size, text, size);
    g->size += size;
    g->text[g->size] = '\0';
    return true;
}

/* Cuts the answer at a stop text. False: there is none. */
static bool cut_at_stop(Generation *g)
{
    char *first = NULL;
    for (size_t i = 0; i < g->d->stop_count; i++) {
        const char *stop = g->d->stop[i];
        char *at = *stop ? strstr(g->text + g->shown, stop) : NULL;
        if (at && (!first || at < first))
            first = at;
    }
    if (!first)
        return false;
    g->size = (size_t)(first - g->text);
    *first = '\0';
    return true;
}

/* Bytes at the end that may be the beginning of a stop text. */
static size_t held_back(const Generation *g)
{
    size_t most = 0, hidden = g->size - g->shown;
    for (size_t i = 0; i < g->d->stop_count; i++) {
        size_t len = strlen(g->d->stop[i]);
        for (size_t n = len < hidden ? len : hidden; n > most; n--)
            if (memcmp(g->text + g->size - n, g->d->stop[i], n) == 0)
                most = n;
    }
    return most;
}

/* Gives what is certain to the caller. False: it wants no more. */
static bool show(Generation *g, const weft_model_choice *choice, bool all)
{
    size_t to = g->size - (all ? 0 : held_back(g));
    char   after = g->text[to];
    g->text[to] = '\0';
    bool go_on = !g->d->on_text || g->d->on_text(g->d->user, &(weft_model_piece){
        .text = g->text + g->shown, .size = to - g->shown, .choice = choice,
        .index = g->tokens ? g->tokens - 1 : 0});
    g->text[to] = after;
    g->shown = to;
    return go_on;
}

/* ---- tokens ---- */

static bool ends(const Generation *g, weft_token token)
{
    weft_model_token_info info;
    return !g->d->ignore_end && weft_model_token_info_get(&info, g->s->model->tokenizer, token) &&
           info.ends;
}

/* One token. Sets g->stop if it was the last; false after an error. */
static bool step(Generation *g, uint32_t most)
{
    const weft_model *m = g->s->model;
    weft_model_choice choice;
    const char *text = NULL;
    size_t      size = 0;
    double      start = seconds_now();
    if (!weft_model_sampler_sample(&choice, g->sampler, weft_model_session_logits(g->s, 0),
                                   m->params.vocabulary) ||
        !weft_model_sampler_accept(g->sampler, choice.token, true))
        return false;
    g->s->timings.sample_seconds += seconds_now() - start;
    if (ends(g, choice.token)) {
        g->stop = WEFT_MODEL_STOP_END;
        return true;
    }
    g->tokens++;
    if (!weft_model_decoder_push(&text, &size, g->decoder, choice.token) || !append(g, text, size))
        return false;
    if (cut_at_stop(g))
        g->stop = WEFT_MODEL_STOP_TEXT;
    else if (!show(g, &choice, false))
        g->stop = WEFT_MODEL_STOP_CALLER;
    else if (g->tokens >= most)
        g->stop = WEFT_MODEL_STOP_LENGTH;
    else if (g->s->sequences[g->d->sequence].length >= g->s->desc.context)
        g->stop = WEFT_MODEL_STOP_CONTEXT;
    else if (__atomic_load_n(&g->s->cancelled, __ATOMIC_ACQUIRE))
        g->stop = WEFT_MODEL_STOP_CANCELLED;
    return g->stop || decode(g, &choice.token, 1);
}

static bool finish_text(Generation *g)
{
    const char *text = NULL;
    size_t      size = 0;
    if (g->stop != WEFT_MODEL_STOP_TEXT &&
        (!weft_model_decoder_finish(&text, &size, g->decoder) || !append(g, text, size)))
        return false;
    if (g->size > g->shown && g->stop != WEFT_MODEL_STOP_CALLER)
        show(g, NULL, true);
    return true;
}

static bool answer(Generation *g)
{
    double   start = seconds_now();
    uint32_t most = g->d->max_tokens ? g->d->max_tokens : UINT32_MAX;
    if (!append(g, "", 0))
        return false;
    while (!g->stop)
        if (!step(g, most)) {
            if (weft_context_error(context_of(g))->kind != WEFT_ERROR_CANCELLED)
                return false;
            weft_context_error_clear(context_of(g));
            g->stop = WEFT_MODEL_STOP_CANCELLED;
        }
    g->seconds = seconds_now() - start;
    return finish_text(g);
}

/* ---- the whole ---- */

static bool generation_init(Generation *g)
{
    const weft_model *m = g->s->model;
    if (!m->info.generates || !m->tokenizer)
        return context_fail(m->ctx, WEFT_ERROR_UNSUPPORTED, "'%s' cannot generate text: %s",
                            m->name, m->tokenizer ? "it only embeds" : "it has no vocabulary");
    if (g->d->sequence >= g->s->desc.sequences)
        return context_fail(m->ctx, WEFT_ERROR_INVALID, "there is no sequence %u", g->d->sequence);
    if (!g->d->sampler)
        g->own = weft_model_sampler_create(m->ctx, m->tokenizer, &g->d->sampling);
    g->sampler = g->d->sampler ? g->d->sampler : g->own;
    g->decoder = weft_model_decoder_create(m->ctx, m->tokenizer, 0);
    return g->sampler && g->decoder;
}

static void generation_fini(Generation *g)
{
    weft_model_sampler_release(g->own);
    weft_model_decoder_release(g->decoder);
    free(g->prompt);
    free(g->text);
}

static bool generate(weft_model_answer *out, weft_model_session *s, const char *prompt,
                     size_t size, uint32_t flags, const weft_model_generate_desc *d)
{
    Generation g = {.s = s, .d = d};
    __atomic_store_n(&s->cancelled, 0, __ATOMIC_RELEASE);
    bool ok = generation_init(&g) && tokenize(&g, prompt, size, flags) && read_prompt(&g) &&
              answer(&g);
    if (ok && out) {
        *out = (weft_model_answer){
            .text = g.text, .size = g.size, .stop = g.stop,
            .prompt_tokens = (uint32_t)g.prompt_count, .reused_tokens = (uint32_t)g.reused,
            .tokens = g.tokens, .prompt_seconds = g.prompt_seconds, .seconds = g.seconds};
        g.text = NULL;                  /* the caller owns it now */
    }
    generation_fini(&g);
    return ok;
}

void weft_model_answer_fini(weft_model_answer *answer)
{
    if (answer) {
        free(answer->text);
        *answer = (weft_model_answer){0};
    }
}

bool weft_model_session_generate(weft_model_answer *out, weft_model_session *s, const char *prompt,
                                 const weft_model_generate_desc *desc)
{
    static const weft_model_generate_desc defaults;
    const weft_model_generate_desc *d = desc ? desc : &defaults;
    if (!s || weft_context_error(s->model->ctx)->kind)
        return false;
    if (!prompt)
        return context_fail(s->model->ctx, WEFT_ERROR_INVALID, "no prompt was given");
    return generate(out, s, prompt, strlen(prompt), d->tokenize, d);
}

/* The text of a conversation; the caller frees it. */
static char *rendered(size_t *size, weft_model_session *s, const weft_model_message *messages,
                      size_t count, const weft_model_generate_desc *d)
{
    weft_model_template *t = d->tmpl ? d->tmpl : s->model->tmpl;
    if (!t) {
        context_fail(s->model->ctx, WEFT_ERROR_NOT_FOUND,
                     "'%s' has no chat template: give one by name", s->model->name);
        return NULL;
    }
    if (!weft_model_template_render(NULL, size, t, messages, count, d->render))
        return NULL;
    char *text = malloc(*size + 1);
    if (!text)
        context_fail(s->model->ctx, WEFT_ERROR_MEMORY, "no memory for a prompt");
    else if (!weft_model_template_render(text, size, t, messages, count, d->render)) {
        free(text);
        return NULL;
    }
    return text;
}

/* A BOS that the template wrote is not added again. */
static uint32_t chat_flags(const weft_model *m, const char *text, size_t size)
{
    weft_model_tokenizer_info info;
    weft_model_token_info     bos;
    uint32_t flags = WEFT_MODEL_TOKENIZE_SPECIAL;
    if (weft_model_tokenizer_info_get(&info, m->tokenizer) && info.bos != WEFT_TOKEN_NONE &&
        weft_model_token_info_get(&bos, m->tokenizer, info.bos) && size >= bos.size &&
        memcmp(text, bos.text, bos.size) == 0)
        flags |= WEFT_MODEL_TOKENIZE_NO_AFFIXES;
    return flags;
}

bool weft_model_session_chat(weft_model_answer *out, weft_model_session *s,
                             const weft_model_message *messages, size_t count,
                             const weft_model_generate_desc *desc)
{
    static const weft_model_generate_desc defaults;
    const weft_model_generate_desc *d = desc ? desc : &defaults;
    size_t size = 0;
    if (!s || weft_context_error(s->model->ctx)->kind)
        return false;
    char *text = rendered(&size, s, messages, count, d);
    bool  ok = text && generate(out, s, text, size, chat_flags(s->model, text, size), d);
    free(text);
    return ok;
}
