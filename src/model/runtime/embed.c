// SPDX-License-Identifier: Apache-2.0
/*
 * embed.c - vectors from texts.
 *
 * in     texts
 * out    one vector each: the hidden states of its tokens, pooled and normalised
 * knows  tokenizers, decode.c
 */
#include "model/runtime/runtime_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void pool(float *out, const float *rows, size_t count, uint32_t n, weft_model_pooling how)
{
    const float *row = how == WEFT_MODEL_POOLING_LAST ? rows + (count - 1) * n : rows;
    if (how != WEFT_MODEL_POOLING_MEAN) {
        memcpy(out, row, n * sizeof *out);
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += rows[i * n + k];
        out[k] = (float)(sum / (double)count);
    }
}

static void normalize(float *v, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += (double)v[i] * v[i];
    double scale = sum > 0 ? 1 / sqrt(sum) : 0;
    for (uint32_t i = 0; i < n; i++)
        v[i] = (float)(v[i] * scale);
}

/* Damaged weights give NaN. */
static bool is_finite(const float *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

/* All rows of one text, in s->hidden. */
static bool hidden_states(weft_model_session *s, const weft_token *tokens, size_t count)
{
    bool *outputs = malloc(count * sizeof *outputs);
    if (!outputs)
        return context_fail(s->model->ctx, WEFT_ERROR_MEMORY, "no memory to embed a text");
    memset(outputs, 1, count * sizeof *outputs);
    weft_model_session_clear(s);
    s->want_hidden = true;
    bool ok = decode_batch(s, &(weft_model_batch){.tokens = tokens, .count = count,
                                                  .outputs = outputs}, NULL);
    s->want_hidden = false;
    free(outputs);
    return ok;
}

bool weft_model_session_encode(float *out, weft_model_session *s, const weft_token *tokens,
                               size_t count)
{
    if (!s || weft_context_error(s->model->ctx)->kind)
        return false;
    if (!tokens || count == 0 || !out)
        return context_fail(s->model->ctx, WEFT_ERROR_INVALID,
                            "there are no tokens to encode, or no place for the result");
    __atomic_store_n(&s->cancelled, 0, __ATOMIC_RELEASE);
    bool ok = hidden_states(s, tokens, count);
    if (ok)
        memcpy(out, s->hidden, count * s->model->params.embedding * sizeof *out);
    weft_model_session_clear(s);
    return ok;
}

/* What the vocabulary puts after each text stays its end. */
static size_t truncate(weft_token *tokens, size_t count, size_t most,
                       const weft_model_tokenizer *tokenizer)
{
    weft_model_tokenizer_info t = {0};
    weft_model_tokenizer_info_get(&t, tokenizer);
    if (t.add_eos || t.add_sep)
        tokens[most - 1] = tokens[count - 1];
    return most;
}

static bool embed_one(float *out, weft_model_session *s, const char *text,
                      const weft_model_embed_desc *d)
{
    weft_model *m = s->model;
    size_t count = weft_model_tokenize_bound(m->tokenizer, strlen(text));
    weft_token *tokens = malloc((count + 1) * sizeof *tokens);
    bool ok = tokens && weft_model_tokenize(tokens, &count, m->tokenizer, text, strlen(text),
                                            d->tokenize);
    if (!tokens)
        context_fail(m->ctx, WEFT_ERROR_MEMORY, "no memory to embed a text");
    if (ok && count > s->desc.context && d->truncate)
        count = truncate(tokens, count, s->desc.context, m->tokenizer);
    if (ok && (count == 0 || count > s->desc.context))
        ok = context_fail(m->ctx, WEFT_ERROR_INVALID,
                          count ? "a text has %zu tokens; the context has room for %u"
                                : "a text has no tokens", count, s->desc.context);
    ok = ok && hidden_states(s, tokens, count);
    free(tokens);
    if (!ok)
        return false;
    pool(out, s->hidden, count, m->params.embedding,
         d->pooling ? d->pooling : m->params.pooling);
    if (!is_finite(out, m->params.embedding))
        return context_fail(m->ctx, WEFT_ERROR_INTERNAL,
                            "the vector of a text has numbers that are not finite");
    if (!d->no_normalize)
        normalize(out, m->params.embedding);
    return true;
}

bool weft_model_session_embed(float *out, weft_model_session *s, const char *const *texts,
                              size_t count, const weft_model_embed_desc *desc)
{
    static const weft_model_embed_desc defaults;
    const weft_model_embed_desc *d = desc ? desc : &defaults;
    if (!s || weft_context_error(s->model->ctx)->kind)
        return false;
    if (!s->model->tokenizer)
        return context_fail(s->model->ctx, WEFT_ERROR_UNSUPPORTED, "'%s' has no vocabulary",
                            s->model->name);
    __atomic_store_n(&s->cancelled, 0, __ATOMIC_RELEASE);
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = embed_one(out + i * s->model->params.embedding, s, texts[i], d);
    weft_model_session_clear(s);
    return ok && tensors_share_copy(s->model, "embeddings", out, count,
                                    s->model->params.embedding);
}
