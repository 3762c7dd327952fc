// SPDX-License-Identifier: Apache-2.0
/*
 * sampler.c - samplers of weft/model.h: the chain from logits to one token.
 *
 * in     weft_model_sampler_desc, rows of logits, tokens that were accepted
 * out    weft_model_choice
 * knows  the order of the steps and their defaults, which are those of llama.cpp's command
 * not    what a step does (sample.c, sample_history.c)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/model.h>

#include "base/clock.h"
#include "base/macro.h"
#include "context/context.h"
#include "model/sampler_priv.h"
#include "model/tokenizer_priv.h"

#define MAX_HISTORY  (1 << 20)      /* tokens that a sampler remembers at most             */
#define MAX_LOGITS   (1u << 24)

/* A descriptor with every default filled in. */
typedef struct Settings {
    float         temperature, top_p, min_p, typical_p, top_n_sigma;
    float         xtc_probability, xtc_threshold;
    int32_t       top_k;
    size_t        min_keep;
    PenaltyParams penalties;
    DryParams     dry;
    uint32_t      logprobs;
} Settings;

struct weft_model_sampler {
    weft_context         *ctx;
    weft_model_tokenizer *tokenizer;            /* NULL: none                              */
    weft_model_grammar   *grammar;              /* NULL: none                              */
    weft_model_grammar   *grammar_start;        /* its state when the sampler was made     */
    Settings              set;
    Breakers              breakers;
    weft_model_bias      *bias;
    size_t                bias_count;
    uint64_t              seed;
    Twister               draw, xtc;
    int32_t              *history;              /* [2 * history_cap]                       */
    size_t                history_len, history_cap;
    /* for rows of `room` logits */
    Candidate            *candidates, *scratch;
    uint32_t             *counts, *mask;
    int32_t              *repeats;              /* [history_cap]                           */
    weft_model_logprob   *top;
    size_t                room;
};

/* ---- settings ---- */

/* WEFT_MODEL_OFF, or WEFT_OFF converted to a float. */
static bool is_off(float v)
{
    return v < 0 || v > 1e18f;
}

/* Zero is the default, "off" becomes a value that switches the step off. */
static float resolve(float v, float zero, float off)
{
    return v == 0 ? zero : is_off(v) ? off : v;
}

static size_t last_n(int32_t v, size_t zero)
{
    return v == 0 ? zero : v < 0 ? 0 : (size_t)MIN_OF(v, MAX_HISTORY);
}

static Settings settings_resolve(const weft_model_sampler_desc *d)
{
    return (Settings){
        .temperature = resolve(d->temperature, 0.8f, 0),
        .top_k = d->top_k == 0 ? 40 : d->top_k,
        .top_p = resolve(d->top_p, 0.95f, 1),
        .min_p = resolve(d->min_p, 0.05f, 0),
        .typical_p = resolve(d->typical_p, 1, 1),
        .top_n_sigma = resolve(d->top_n_sigma, 0, 0),
        .xtc_probability = resolve(d->xtc_probability, 0, 0),
        .xtc_threshold = resolve(d->xtc_threshold, 0.1f, 1),
        .min_keep = d->min_keep ? d->min_keep : 1,
        .penalties = {.last_n = last_n(d->penalty_last_n, 64),
                      .repeat = resolve(d->repetition_penalty, 1, 1),
                      .frequency = d->frequency_penalty,
                      .presence = d->presence_penalty},
        .dry = {.multiplier = resolve(d->dry_multiplier, 0, 0),
                .base = resolve(d->dry_base, 1.75f, 0),
                .allowed = d->dry_allowed_length == 0 ? 2 : MAX_OF(d->dry_allowed_length, 0),
                .last_n = last_n(d->dry_last_n, 64)},
        .logprobs = d->logprobs,
    };
}

/* What is wrong with a descriptor, or NULL. */
static const char *settings_fault(const weft_model_sampler_desc *d, const weft_model_tokenizer *t)
{
    const float all[] = {d->temperature, d->top_p, d->min_p, d->typical_p, d->top_n_sigma,
                         d->xtc_probability, d->xtc_threshold, d->repetition_penalty,
                         d->frequency_penalty, d->presence_penalty, d->dry_multiplier, d->dry_base};
    for (size_t i = 0; i < COUNTOF(all); i++)
        if (!isfinite(all[i]))
            return "a setting is not a finite number";
    if (d->bias_count && !d->bias)
        return "bias_count without bias";
    for (size_t i = 0; i < d->bias_count; i++)
        if (isnan(d->bias[i].bias) || d->bias[i].bias == INFINITY)
            return "a bias must be a number below infinity";
    if (d->dry_multiplier > 0 && !is_off(d->dry_multiplier) && !t)
        return "DRY needs a tokenizer";
    if (d->dry_breaker_count && !d->dry_breakers)
        return "dry_breaker_count without dry_breakers";
    return NULL;
}

/* ---- creation ---- */

static uint64_t random_seed(const void *address)
{
    uint64_t x = clock_ns() ^ (uint64_t)(uintptr_t)address << 17;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return (x ^ x >> 31) & UINT32_MAX;
}

static void start_random(weft_model_sampler *s)
{
    uint32_t seed = (uint32_t)(s->seed ^ s->seed >> 32);
    twister_init(&s->draw, seed);
    twister_init(&s->xtc, seed);
}

static bool make_breakers(weft_model_sampler *s, const weft_model_sampler_desc *d)
{
    static const char *const usual[] = {"\n", ":", "\"", "*"};
    if (s->set.dry.multiplier == 0 || s->set.dry.base < 1 || s->set.dry.last_n == 0)
        return true;
    return d->dry_breakers
               ? breakers_init(&s->breakers, s->tokenizer, d->dry_breakers, d->dry_breaker_count)
               : breakers_init(&s->breakers, s->tokenizer, usual, COUNTOF(usual));
}

/* Room for the history, the biases, the breakers. */
static bool make_parts(weft_model_sampler *s, const weft_model_sampler_desc *d)
{
    s->history_cap = MAX_OF(MAX_OF(s->set.penalties.last_n, s->set.dry.last_n), (size_t)1);
    s->history = malloc(2 * s->history_cap * sizeof *s->history);
    s->repeats = malloc(s->history_cap * sizeof *s->repeats);
    s->bias = malloc((d->bias_count + 1) * sizeof *s->bias);
    if (!s->history || !s->repeats || !s->bias || !make_breakers(s, d))
        return false;
    if (d->bias_count)
        memcpy(s->bias, d->bias, d->bias_count * sizeof *s->bias);
    s->bias_count = d->bias_count;
    return true;
}

weft_model_sampler *weft_model_sampler_create(weft_context *ctx, weft_model_tokenizer *tokenizer,
                                              const weft_model_sampler_desc *desc)
{
    weft_model_sampler_desc d = desc ? *desc : (weft_model_sampler_desc){0};
    const char             *fault = settings_fault(&d, tokenizer);
    weft_model_sampler     *s = NULL;
    bool                    ok = false;
    if (fault) {
        context_fail(ctx, WEFT_ERROR_INVALID, "sampler: %s", fault);
        goto done;
    }
    s = calloc(1, sizeof *s);
    if (!s)
        goto done;
    s->ctx = weft_context_retain(ctx);
    s->tokenizer = weft_model_tokenizer_retain(tokenizer);
    s->set = settings_resolve(&d);
    s->seed = d.seed || d.seeded ? d.seed : random_seed(s);
    start_random(s);
    if (d.grammar) {
        s->grammar_start = weft_model_grammar_copy(d.grammar);
        s->grammar = weft_model_grammar_copy(d.grammar);
    }
    ok = make_parts(s, &d) && (!d.grammar || (s->grammar && s->grammar_start));
    s->set.dry.breakers = s->breakers.data;
    s->set.dry.breaker_count = s->breakers.count;
done:
    if (ok)
        return s;
    context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a sampler");
    weft_model_sampler_release(s);
    return NULL;
}

weft_model_sampler *weft_model_sampler_copy(const weft_model_sampler *from)
{
    if (!from)
        return NULL;
    weft_model_sampler *s = calloc(1, sizeof *s);
    if (!s)
        goto failed;
    *s = (weft_model_sampler){.ctx = weft_context_retain(from->ctx),
                              .tokenizer = weft_model_tokenizer_retain(from->tokenizer),
                              .set = from->set, .seed = from->seed, .draw = from->draw,
                              .xtc = from->xtc, .bias_count = from->bias_count,
                              .history_cap = from->history_cap, .history_len = from->history_len};
    s->history = malloc(2 * s->history_cap * sizeof *s->history);
    s->repeats = malloc(s->history_cap * sizeof *s->repeats);
    s->bias = malloc((s->bias_count + 1) * sizeof *s->bias);
    s->grammar = weft_model_grammar_copy(from->grammar);
    s->grammar_start = weft_model_grammar_copy(from->grammar_start);
    if (!s->history || !s->repeats || !s->bias || !breakers_copy(&s->breakers, &from->breakers) ||
        !s->grammar != !from->grammar || !s->grammar_start != !from->grammar_start)
        goto failed;
    memcpy(s->history, from->history, s->history_len * sizeof *s->history);
    memcpy(s->bias, from->bias, s->bias_count * sizeof *s->bias);
    s->set.dry.breakers = s->breakers.data;
    return s;
failed:
    context_fail(from->ctx, WEFT_ERROR_MEMORY, "no memory for a sampler");
    weft_model_sampler_release(s);
    return NULL;
}

void weft_model_sampler_release(weft_model_sampler *s)
{
    if (!s)
        return;
    weft_model_grammar_release(s->grammar);
    weft_model_grammar_release(s->grammar_start);
    breakers_fini(&s->breakers);
    free(s->history);
    free(s->repeats);
    free(s->bias);
    free(s->candidates);
    free(s->scratch);
    free(s->counts);
    free(s->mask);
    free(s->top);
    weft_model_tokenizer_release(s->tokenizer);
    weft_context_release(s->ctx);
    free(s);
}

void weft_model_sampler_reset(weft_model_sampler *s)
{
    if (!s)
        return;
    s->history_len = 0;
    start_random(s);
    if (s->grammar_start) {
        weft_model_grammar *fresh = weft_model_grammar_copy(s->grammar_start);
        if (fresh) {
            weft_model_grammar_release(s->grammar);
            s->grammar = fresh;
        }
    }
}

uint64_t weft_model_sampler_seed(const weft_model_sampler *s)
{
    return s ? s->seed : 0;
}

/* ---- one row of logits ---- */

static bool make_room(weft_model_sampler *s, size_t count)
{
    if (count <= s->room)
        return true;
    free(s->candidates);
    free(s->scratch);
    free(s->counts);
    free(s->mask);
    free(s->top);
    s->room = 0;
    s->candidates = malloc(count * sizeof *s->candidates);
    s->scratch = malloc(count * sizeof *s->scratch);
    s->counts = calloc(count, sizeof *s->counts);
    s->mask = malloc((count + 31) / 32 * sizeof *s->mask);
    s->top = malloc(MIN_OF(count, (size_t)s->set.logprobs + 1) * sizeof *s->top);
    if (!s->candidates || !s->scratch || !s->counts || !s->mask || !s->top)
        return context_fail(s->ctx, WEFT_ERROR_MEMORY,
                            "no memory to sample from %zu logits", count);
    s->room = count;
    return true;
}

/* The log of the sum of all exponentials: logit minus this is the log-probability. */
static bool normalizer(double *out, weft_context *ctx, const float *logits, size_t count)
{
    float  max = -INFINITY;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(logits[i]) || logits[i] == INFINITY)
            return context_fail(ctx, WEFT_ERROR_INVALID,
                                "logit %zu is %s: the model's output is wrong", i,
                                isnan(logits[i]) ? "NaN" : "infinite");
        max = fmaxf(max, logits[i]);
    }
    for (size_t i = 0; i < count; i++)
        sum += expf(logits[i] - max);
    *out = max + log(sum);
    return true;
}

/* The tokens that bias and grammar leave. */
static bool collect(Candidates *c, weft_model_sampler *s, const float *logits, size_t count)
{
    *c = (Candidates){.data = s->candidates};
    for (size_t i = 0; i < count; i++)
        s->candidates[i] = (Candidate){.token = (int32_t)i, .logit = logits[i]};
    for (size_t i = 0; i < s->bias_count; i++)
        if (s->bias[i].token >= 0 && (size_t)s->bias[i].token < count)
            s->candidates[s->bias[i].token].logit += s->bias[i].bias;
    if (s->grammar) {
        memset(s->mask, 0, (count + 31) / 32 * sizeof *s->mask);
        if (!weft_model_grammar_mask(s->mask, (count + 31) / 32, s->grammar))
            return false;
    }
    for (size_t i = 0; i < count; i++)
        if (s->candidates[i].logit != -INFINITY &&
            (!s->grammar || (s->mask[i / 32] >> i % 32 & 1)))
            s->candidates[c->count++] = s->candidates[i];
    if (c->count == 0)
        return context_fail(s->ctx, WEFT_ERROR_INVALID, "%s allow no token",
                            s->grammar ? "the grammar and the biases" : "the biases");
    return true;
}

/* The likeliest tokens of the model's own distribution. */
static void report_top(weft_model_choice *out, weft_model_sampler *s, const float *logits,
                       size_t count, double norm)
{
    size_t     n = MIN_OF((size_t)s->set.logprobs, count);
    Candidates c = {.data = s->scratch, .count = count};
    for (size_t i = 0; i < count && n > 0; i++)
        s->scratch[i] = (Candidate){.token = (int32_t)i, .logit = logits[i]};
    if (n > 0)
        sample_sort(&c, n);
    for (size_t i = 0; i < n; i++)
        s->top[i] = (weft_model_logprob){s->scratch[i].token, (float)(s->scratch[i].logit - norm)};
    out->top = n > 0 ? s->top : NULL;
    out->top_count = (uint32_t)n;
}

bool weft_model_sampler_sample(weft_model_choice *out, weft_model_sampler *s, const float *logits,
                               size_t count)
{
    double     norm = 0;
    Candidates c;
    if (!s)
        return false;
    if (!out || !logits || count == 0 || count > MAX_LOGITS)
        return context_fail(s->ctx, WEFT_ERROR_INVALID,
                            "sample: from 1 to %u logits are needed", MAX_LOGITS);
    if (s->grammar && s->tokenizer && count < s->tokenizer->info.count)
        return context_fail(s->ctx, WEFT_ERROR_INVALID, "sample: %zu logits for %u tokens", count,
                            s->tokenizer->info.count);
    if (!make_room(s, count) || !normalizer(&norm, s->ctx, logits, count)
        || !collect(&c, s, logits, count))
        return false;

    const Settings *set = &s->set;
    History         h = {s->history, s->history_len};
    sample_penalties(&c, h, set->penalties, s->counts, count);
    sample_dry(&c, h, &set->dry, s->counts, count, s->repeats);
    sample_top_n_sigma(&c, set->top_n_sigma);
    sample_top_k(&c, set->top_k);
    sample_typical(&c, set->typical_p, set->min_keep, s->scratch);
    sample_top_p(&c, set->top_p, set->min_keep);
    sample_min_p(&c, set->min_p, set->min_keep);
    sample_xtc(&c, set->xtc_probability, set->xtc_threshold, set->min_keep, &s->xtc);
    sample_temperature(&c, set->temperature);
    const Candidate *drawn = &c.data[sample_draw(&c, &s->draw)];

    *out = (weft_model_choice){.token = drawn->token, .probability = drawn->p,
                               .logprob = (float)(logits[drawn->token] - norm)};
    report_top(out, s, logits, count, norm);
    return true;
}

bool weft_model_sampler_accept(weft_model_sampler *s, weft_token token, bool generated)
{
    if (!s)
        return false;
    if (token < 0 || (s->tokenizer && (uint32_t)token >= s->tokenizer->info.count))
        return context_fail(s->ctx, WEFT_ERROR_INVALID, "accept: there is no token %d", token);
    if (generated && s->grammar && !weft_model_grammar_accept(s->grammar, token))
        return false;
    if (s->history_len == 2 * s->history_cap) {
        memmove(s->history, s->history + s->history_cap, s->history_cap * sizeof *s->history);
        s->history_len = s->history_cap;
    }
    s->history[s->history_len++] = token;
    return true;
}
