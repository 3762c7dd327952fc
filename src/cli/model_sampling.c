// SPDX-License-Identifier: Apache-2.0
/*
 * model_sampling.c - how tokens are chosen, from options with the names of llama.cpp.
 *
 * in     options
 * out    weft_model_generate_desc
 * knows  that zero is a value on the command line, and the default in C
 * not    how tokens are chosen
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/model_load.h"

/* ---- numbers ---- */

typedef enum Zero { ZERO_IS_OFF, ZERO_STAYS } Zero;

#define FLOAT(name, field, zero) {name, offsetof(weft_model_sampler_desc, field), true, zero}
#define WHOLE(name, field, zero) {name, offsetof(weft_model_sampler_desc, field), false, zero}
static const struct {
    const char *name;
    size_t      at;
    bool        real;
    Zero        zero;
} numbers[] = {
    FLOAT("temperature", temperature, ZERO_IS_OFF),
    WHOLE("top-k", top_k, ZERO_IS_OFF),
    FLOAT("min-p", min_p, ZERO_IS_OFF),
    FLOAT("typical", typical_p, ZERO_STAYS),
    FLOAT("top-nsigma", top_n_sigma, ZERO_STAYS),
    FLOAT("xtc-probability", xtc_probability, ZERO_STAYS),
    FLOAT("xtc-threshold", xtc_threshold, ZERO_STAYS),
    FLOAT("repeat-penalty", repetition_penalty, ZERO_STAYS),
    FLOAT("frequency-penalty", frequency_penalty, ZERO_STAYS),
    FLOAT("presence-penalty", presence_penalty, ZERO_STAYS),
    WHOLE("repeat-last-n", penalty_last_n, ZERO_IS_OFF),
    FLOAT("dry-multiplier", dry_multiplier, ZERO_STAYS),
    FLOAT("dry-base", dry_base, ZERO_STAYS),
    WHOLE("dry-allowed-length", dry_allowed_length, ZERO_STAYS),
    WHOLE("dry-penalty-last-n", dry_last_n, ZERO_IS_OFF),
};

static bool read_numbers(Cli *cli, weft_model_sampler_desc *s)
{
    for (size_t i = 0; i < COUNTOF(numbers); i++) {
        double value = 0;
        if (!options_given(cli, numbers[i].name))
            continue;
        if (!options_real(cli, numbers[i].name, &value))
            return false;
        if (!numbers[i].real && (value != floor(value) || fabs(value) > INT32_MAX)) {
            cli_complain(cli, "--%s: %g is not a whole number", numbers[i].name, value);
            return false;
        }
        if (value <= 0 && numbers[i].zero == ZERO_IS_OFF)
            value = WEFT_MODEL_OFF;
        char *at = (char *)s + numbers[i].at;
        if (numbers[i].real)
            memcpy(at, &(float){(float)value}, sizeof(float));
        else
            memcpy(at, &(int32_t){(int32_t)value}, sizeof(int32_t));
    }
    return true;
}

static bool read_others(Cli *cli, weft_model_sampler_desc *s)
{
    double top_p = 0.95, seed = -1;
    if (!options_real(cli, "top-p", &top_p) || !options_real(cli, "seed", &seed))
        return false;
    s->top_p = top_p <= 0 ? 1e-9f : (float)top_p;       /* 0: the likeliest alone */
    s->seeded = seed >= 0;
    s->seed = seed >= 0 ? (uint64_t)seed : 0;
    return true;
}

/* ---- lists ---- */

/* Values of an option that may be repeated. */
static const char **values_of(Cli *cli, const char *name, size_t *count)
{
    const char **list = ARENA_ARRAY(&cli->arena, const char *, cli->given.len + 1);
    *count = 0;
    for (uint32_t i = 0; i < cli->given.len; i++)
        if (strcmp(cli->given.data[i].option->name, name) == 0)
            list[(*count)++] = cli->given.data[i].value;
    return list;
}

/* TOKEN+BIAS or TOKEN-BIAS; "-inf" forbids a token. */
static bool read_bias(weft_model_bias *out, Cli *cli, const char *text)
{
    char *end = NULL;
    long  token = strtol(text, &end, 10);
    bool  ok = end != text && (*end == '+' || *end == '-') && token >= 0 && token <= INT32_MAX;
    if (ok) {
        const char *number = end;
        out->token = (weft_token)token;
        out->bias = strtof(number, &end);
        ok = end != number && *end == '\0' && !isnan(out->bias);
    }
    if (!ok)
        cli_complain(cli, "--logit-bias: '%s' is not TOKEN+BIAS or TOKEN-BIAS", text);
    return ok;
}

static bool read_lists(Cli *cli, weft_model_generate_desc *out)
{
    weft_model_sampler_desc *s = &out->sampling;
    const char **texts = values_of(cli, "logit-bias", &s->bias_count);
    weft_model_bias *bias = ARENA_ARRAY(&cli->arena, weft_model_bias, s->bias_count + 1);
    for (size_t i = 0; i < s->bias_count; i++)
        if (!read_bias(&bias[i], cli, texts[i]))
            return false;
    s->bias = bias;
    out->stop = values_of(cli, "stop", &out->stop_count);
    texts = values_of(cli, "dry-sequence-breaker", &s->dry_breaker_count);
    s->dry_breakers = s->dry_breaker_count ? texts : NULL;
    return true;
}

/* ---- grammars ---- */

/* The text of an option, or of the file that another one names; NULL: neither is given. */
static bool read_text(Cli *cli, const char *name, const char *file_name, Source *source,
                      const char **text, size_t *size)
{
    const char *file = NULL;
    if (options_find(cli, name, text)) {
        *size = strlen(*text);
        return true;
    }
    if (!options_find(cli, file_name, &file))
        return true;
    *source = input_read(&cli->arena, file);
    if (source->why)
        cli_complain(cli, "%s: %s", source->name, source->why);
    *text = source->text;
    *size = source->size;
    return !source->why;
}

static bool read_grammar(ModelRun *r, weft_model_sampler_desc *out)
{
    Source grammar = {0}, schema = {0};
    weft_model_grammar_desc d = {.tokenizer = weft_model_tokenizer_of(r->model)};
    bool ok = read_text(r->cli, "grammar", "grammar-file", &grammar, &d.gbnf, &d.gbnf_size) &&
              read_text(r->cli, "json-schema", "json-schema-file", &schema, &d.json_schema,
                        &d.json_schema_size);
    if (ok && (d.gbnf || d.json_schema)) {
        r->grammar = weft_model_grammar_create(r->ctx, &d);
        ok = r->grammar != NULL;
        if (!ok)
            model_run_complain(r);
    }
    out->grammar = r->grammar;
    input_release(&grammar);
    input_release(&schema);
    return ok;
}

bool model_sampling(ModelRun *r, weft_model_generate_desc *out)
{
    return read_numbers(r->cli, &out->sampling) && read_others(r->cli, &out->sampling) &&
           read_lists(r->cli, out) && read_grammar(r, &out->sampling);
}
