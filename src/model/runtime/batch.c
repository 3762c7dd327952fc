// SPDX-License-Identifier: Apache-2.0
/*
 * batch.c - what a batch of tokens has to be.
 *
 * in     tokens with sequences and positions, as the caller gives them
 * out    a Plan: a cell for each token, or an error that names the token
 * not    computing (decode.c)
 */
#include "model/runtime/runtime_priv.h"

#include <stdlib.h>

static bool check_item(weft_model_session *s, const Item *it, size_t index)
{
    weft_context *ctx = s->model->ctx;
    if (it->token < 0 || (uint32_t)it->token >= s->model->params.vocabulary)
        return context_fail(ctx, WEFT_ERROR_INVALID, "token %zu of the batch is %d; the vocabulary "
                            "has %u", index, (int)it->token, s->model->params.vocabulary);
    if (it->cell >= s->desc.context)
        return context_fail(ctx, WEFT_ERROR_MEMORY,
                            "the cache of sequence %u is full: it has room for %u tokens",
                            it->sequence, s->desc.context);
    if (s->model->weights.positions.rows && it->position >= s->model->weights.positions.rows)
        return context_fail(ctx, WEFT_ERROR_INVALID, "position %u is beyond the model's %u",
                            it->position, s->model->weights.positions.rows);
    return true;
}

/* Sequences as they will be: [sequences] cells and next positions. */
static bool plan_items(Plan *plan, weft_model_session *s, const weft_model_batch *b,
                       uint32_t *cells, uint32_t *next)
{
    for (size_t i = 0; i < b->count; i++) {
        uint32_t q = b->sequences ? b->sequences[i] : 0;
        if (q >= s->desc.sequences)
            return context_fail(s->model->ctx, WEFT_ERROR_INVALID,
                                "token %zu of the batch is of sequence %u; the session has %u", i,
                                q, s->desc.sequences);
        Item *it = &plan->items[i];
        *it = (Item){b->tokens[i], q, b->positions ? b->positions[i] : next[q], cells[q]++, false};
        if (b->positions && it->position < next[q] && cells[q] > 1)
            return context_fail(s->model->ctx, WEFT_ERROR_INVALID,
                                "position %u of token %zu does not follow its sequence, which is "
                                "at %u", it->position, i, next[q]);
        next[q] = it->position + 1;
        it->output = b->outputs && b->outputs[i];
        if (!check_item(s, it, i))
            return false;
    }
    return true;
}

/* Without a wish: the last token of each sequence. */
static void plan_outputs(Plan *plan, const weft_model_batch *b, uint32_t sequences)
{
    if (!b->outputs)
        for (uint32_t q = 0; q < sequences; q++)
            for (size_t i = plan->count; i-- > 0;)
                if (plan->items[i].sequence == q) {
                    plan->items[i].output = true;
                    break;
                }
    for (size_t i = 0; i < plan->count; i++)
        plan->outputs += plan->items[i].output;
}

static void save(Plan *plan, const weft_model_session *s, uint32_t *cells, uint32_t *next)
{
    for (uint32_t i = 0; i < s->desc.sequences; i++) {
        const Sequence *q = &s->sequences[i];
        cells[i] = q->length;
        next[i] = q->next;
        plan->saved[i] = (Saved){q->length, q->next};
    }
}

bool plan_init(Plan *plan, weft_model_session *s, const weft_model_batch *batch)
{
    uint32_t  n = s->desc.sequences;
    uint32_t *cells = malloc(n * sizeof *cells), *next = malloc(n * sizeof *next);
    *plan = (Plan){.items = calloc(batch->count + 1, sizeof *plan->items), .count = batch->count,
                   .saved = malloc(n * sizeof *plan->saved)};
    bool ok = plan->items && plan->saved && cells && next;
    if (ok) {
        save(plan, s, cells, next);
        ok = plan_items(plan, s, batch, cells, next);
        plan_outputs(plan, batch, n);
    } else {
        context_fail(s->model->ctx, WEFT_ERROR_MEMORY, "no memory for a batch");
    }
    free(cells);
    free(next);
    if (!ok)
        plan_fini(plan);
    return ok;
}

void plan_fini(Plan *plan)
{
    free(plan->items);
    free(plan->saved);
    *plan = (Plan){0};
}
