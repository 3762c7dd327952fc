// SPDX-License-Identifier: Apache-2.0
/*
 * sequence.c - the sequences of a cache: lengths, holes, copies.
 *
 * in     a session, positions
 * out    which cells of the cache hold which position
 * not    computing (decode.c), files (state.c)
 */
#include "model/runtime/runtime_priv.h"

#include <string.h>

uint32_t weft_model_session_length(const weft_model_session *s, uint32_t sequence)
{
    return s && sequence < s->desc.sequences ? s->sequences[sequence].next : 0;
}

static bool has_sequence(const weft_model_session *s, uint32_t sequence)
{
    if (!s)
        return false;
    if (sequence < s->desc.sequences)
        return true;
    return context_fail(s->model->ctx, WEFT_ERROR_INVALID,
                        "there is no sequence %u; the session has %u", sequence,
                        s->desc.sequences);
}

bool session_write_places(weft_model_session *s, uint32_t sequence, uint32_t from)
{
    const Sequence *q = &s->sequences[sequence];
    uint64_t at = (uint64_t)sequence * s->cells + from;
    bool     ok = true;
    for (uint32_t i = 0; i < s->model->nstages && ok && from < q->length; i++)
        ok = weft_buffer_write(s->scratch[i].places, at * 4, q->places + from,
                               (uint64_t)(q->length - from) * 4);
    return ok;
}

bool weft_model_session_trim(weft_model_session *s, uint32_t sequence, uint32_t from, uint32_t to)
{
    if (!has_sequence(s, sequence))
        return false;
    Sequence *q = &s->sequences[sequence];
    for (uint32_t i = 0; i < q->length; i++)
        if (q->places[i] >= from && q->places[i] < to)
            q->places[i] = UINT32_MAX;
    while (q->length && q->places[q->length - 1] == UINT32_MAX)
        q->length--;
    q->next = q->length ? q->places[q->length - 1] + 1 : 0;
    return session_write_places(s, sequence, 0) || model_fail(s->model);
}

void weft_model_session_clear(weft_model_session *s)
{
    for (uint32_t i = 0; s && i < s->desc.sequences; i++)
        s->sequences[i].length = s->sequences[i].next = 0;
}

bool weft_model_session_copy(weft_model_session *s, uint32_t to, uint32_t from)
{
    if (!has_sequence(s, to) || !has_sequence(s, from))
        return false;
    if (to == from)
        return true;
    const Params *p = &s->model->params;
    uint64_t cells = (uint64_t)p->kv_heads * s->cells * 4;
    uint64_t k = cells * cache_words(s->cache, p->key_size);
    uint64_t v = cells * cache_words(s->cache, p->value_size);
    uint64_t ks = cells * cache_scales(s->cache, p->key_size);
    uint64_t vs = cells * cache_scales(s->cache, p->value_size), first = 4ull * s->value_scales;
    bool ok = true;
    for (uint32_t i = 0; i < p->layers && ok; i++)
        ok = weft_buffer_copy(s->keys[i], to * k, s->keys[i], from * k, k) &&
             weft_buffer_copy(s->values[i], to * v, s->values[i], from * v, v) &&
             (ks == 0 ||
              (weft_buffer_copy(s->scales[i], to * ks, s->scales[i], from * ks, ks) &&
               weft_buffer_copy(s->scales[i], first + to * vs, s->scales[i], first + from * vs,
                                vs)));
    if (!ok)
        return model_fail(s->model);
    Sequence *a = &s->sequences[to];
    const Sequence *b = &s->sequences[from];
    memcpy(a->tokens, b->tokens, s->desc.context * sizeof *a->tokens);
    memcpy(a->places, b->places, s->desc.context * sizeof *a->places);
    a->length = b->length;
    a->next = b->next;
    return session_write_places(s, to, 0) || model_fail(s->model);
}
