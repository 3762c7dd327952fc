// SPDX-License-Identifier: Apache-2.0
/*
 * embed.c - requests for vectors in the worker process of a model, a few texts at a time:
 * those who wait for text, and other requests for vectors, have their turns in between.
 *
 * in     requests as JSON
 * out    vectors, once all of a request are there
 * knows  weft/model.h
 * not    sequences (slots.c), when it is whose turn (model_worker.c)
 */
#include <stdlib.h>

#include "base/macro.h"
#include "server/models/model_priv.h"

void embed_begin(Worker *w, uint64_t id, json_t *request)
{
    json_object_set_new(request, "id", json_integer((json_int_t)id));
    json_object_set_new(request, "rows", json_array());
    json_object_set_new(request, "tokens", json_integer(0));
    json_array_append(w->embedding, request);
}

static size_t count_tokens(Worker *w, const json_t *text)
{
    size_t n = 0;
    return weft_model_tokenize(NULL, &n, weft_model_tokenizer_of(w->model),
                               json_string_value(text), json_string_length(text), 0) ? n : 0;
}

/* The next texts of a request: as many as fit into a step, at least one. */
static size_t next_texts(Worker *w, const json_t *request, const char *texts[EMBED_TEXTS],
                         size_t *tokens)
{
    json_t *input = json_object_get(request, "input");
    size_t  at = json_array_size(json_object_get(request, "rows")), count = 0;
    *tokens = 0;
    while (count < EMBED_TEXTS && at + count < json_array_size(input)) {
        json_t *text = json_array_get(input, at + count);
        size_t  n = count_tokens(w, text);
        if (count && *tokens + n > STEP_TOKENS)
            break;
        *tokens += n;
        texts[count++] = json_string_value(text);
    }
    return count;
}

static void add_rows(json_t *rows, const float *vectors, size_t count, uint32_t width)
{
    for (size_t i = 0; i < count; i++) {
        json_t *row = json_array();
        for (uint32_t j = 0; j < width; j++)
            json_array_append_new(row, json_real((double)vectors[i * width + j]));
        json_array_append_new(rows, row);
    }
}

/* True once the request has its answer. */
static bool embed_part(Worker *w, uint64_t id, json_t *request)
{
    const char *texts[EMBED_TEXTS];
    size_t      tokens, count = next_texts(w, request, texts, &tokens);
    json_t     *rows = json_object_get(request, "rows");
    uint32_t    width = w->info.embedding;
    float      *vectors = malloc(MAX_OF(count, 1) * width * sizeof *vectors);
    if (!vectors || !weft_model_session_embed(vectors, w->embeds, texts, count, NULL)) {
        reply_fault(w, id);
        free(vectors);
        return true;
    }
    add_rows(rows, vectors, count, width);
    free(vectors);
    json_int_t sum = json_integer_value(json_object_get(request, "tokens")) + (json_int_t)tokens;
    json_object_set_new(request, "tokens", json_integer(sum));
    if (json_array_size(rows) < json_array_size(json_object_get(request, "input")))
        return false;
    reply_send(w, id, WIRE_PIECE_LAST, json_pack("{s:O, s:I}", "embeddings", rows,
                                                  "prompt_tokens", sum));
    return true;
}

void embed_step(Worker *w)
{
    json_t *request = json_incref(json_array_get(w->embedding, 0));
    if (!request)
        return;
    json_array_remove(w->embedding, 0);
    uint64_t id = (uint64_t)json_integer_value(json_object_get(request, "id"));
    if (!embed_part(w, id, request)) {
        json_array_append(w->embedding, request);
        reply_send(w, id, WIRE_PIECE, json_object());   /* has its client left meanwhile? */
    }
    json_decref(request);
}
