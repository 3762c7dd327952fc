// SPDX-License-Identifier: Apache-2.0
/*
 * api_models.c - language models for clients of OpenAI's API.
 *
 * in     requests in OpenAI's form
 * out    answers in its form, whole or as server-sent events
 * knows  models/, what `openai` of npm expects
 * not    how text is computed
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "server/http/openai.h"

/* ---- writing answers ---- */

static void put_usage(json_t *to, const json_t *last)
{
    json_int_t prompt = json_integer_value(json_object_get(last, "prompt_tokens"));
    json_int_t answer = json_integer_value(json_object_get(last, "completion_tokens"));
    json_object_set_new(to, "usage", json_pack(
        "{s:I, s:I, s:I, s:{s:I}}", "prompt_tokens", prompt, "completion_tokens", answer,
        "total_tokens", prompt + answer, "prompt_tokens_details", "cached_tokens",
        json_integer_value(json_object_get(last, "cached_tokens"))));
}

static json_t *answer_head(const Answer *a)
{
    const char *object = a->form == FORM_TEXT ? "text_completion"
                       : a->stream ? "chat.completion.chunk" : "chat.completion";
    return json_pack("{s:s, s:s, s:I, s:s}", "id", a->id, "object", object, "created",
                     (json_int_t)a->created, "model", a->model);
}

/* Log-probabilities of tokens in the form of chats, or of texts. */
static json_t *logprobs_of(const Answer *a, json_t *tokens)
{
    json_t *one, *alternative;
    size_t  i, k;
    if (!a->logprobs)
        return json_null();
    if (a->form == FORM_CHAT)
        return json_pack("{s:O, s:n}", "content", tokens, "refusal");
    json_t *names = json_array(), *values = json_array(), *tops = json_array();
    json_array_foreach(tokens, i, one) {
        json_t *top = json_object();
        json_array_append(names, json_object_get(one, "token"));
        json_array_append(values, json_object_get(one, "logprob"));
        json_array_foreach(json_object_get(one, "top_logprobs"), k, alternative)
            json_object_set(top, json_string_value(json_object_get(alternative, "token")),
                            json_object_get(alternative, "logprob"));
        json_array_append_new(tops, top);
    }
    return json_pack("{s:o, s:o, s:o}", "tokens", names, "token_logprobs", values,
                     "top_logprobs", tops);
}

static json_t *choice_of(const Answer *a, const char *text, size_t size, json_t *tokens,
                         const char *finish)
{
    json_t *choice = json_pack("{s:i, s:o, s:s?}", "index", 0, "logprobs",
                               logprobs_of(a, tokens), "finish_reason", finish);
    if (a->form == FORM_TEXT) {
        json_object_set_new(choice, "text", json_stringn(text, size));
        return choice;
    }
    json_t *message = size || !a->stream ? json_pack("{s:s%}", "content", text, size)
                                         : json_object();
    if (!a->stream || !a->begun)
        json_object_set_new(message, "role", json_string("assistant"));
    json_object_set_new(choice, a->stream ? "delta" : "message", message);
    return choice;
}

/* ---- whole answers ---- */

static void answer_json_value(Request *r, int status, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    Text  out = {.arena = &r->arena};
    text_add(&out, str_of(text ? text : "{}"));
    text_char(&out, '\n');
    answer_json(r, status, &out);
    free(text);
    json_decref(value);
}

static bool answer_failure(Request *r, const json_t *piece)
{
    json_t     *e = json_object_get(piece, "error");
    const char *message = json_string_value(json_object_get(e, "message"));
    if (!e)
        return false;
    if (json_is_true(json_object_get(e, "overflow")))
        r->error_code = "context_length_exceeded";
    answer_error(r, 0, (weft_error_kind)json_integer_value(json_object_get(e, "kind")), "%s",
                 message ? message : "");
    return true;
}

static json_t *base64_json(Arena *arena, const void *bytes, size_t size)
{
    size_t room = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);
    char  *text = ARENA_ARRAY(arena, char, room);
    return json_string(sodium_bin2base64(text, room, bytes, size,
                                         sodium_base64_VARIANT_ORIGINAL));
}

static void answer_embeddings(Request *r, const Answer *a, const json_t *last)
{
    json_t *list = json_array(), *row, *value;
    size_t  i, k;
    json_array_foreach(json_object_get(last, "embeddings"), i, row) {
        float  *floats = ARENA_ARRAY(&r->arena, float, json_array_size(row));
        size_t  bytes = json_array_size(row) * sizeof *floats;
        json_array_foreach(row, k, value)
            floats[k] = (float)json_real_value(value);
        json_t *vector = a->base64 ? base64_json(&r->arena, floats, bytes) : json_incref(row);
        json_array_append_new(list, json_pack("{s:s, s:I, s:o}", "object", "embedding", "index",
                                              (json_int_t)i, "embedding", vector));
    }
    json_t *out = json_pack("{s:s, s:s, s:o}", "object", "list", "model", a->model, "data", list);
    put_usage(out, last);
    answer_json_value(r, 200, out);
}

static void answer_whole(Request *r, Answer *a, const json_t *last)
{
    if (a->form == FORM_EMBED) {
        answer_embeddings(r, a, last);
    } else if (a->form == FORM_TOKENS) {
        answer_json_value(r, 200, json_pack("{s:O}", "tokens", json_object_get(last, "tokens")));
    } else {
        json_t *out = answer_head(a);
        json_object_set_new(out, "choices", json_pack("[o]", choice_of(
            a, a->text.len ? a->text.data : "", a->text.len, a->tokens,
            json_string_value(json_object_get(last, "finish")))));
        put_usage(out, last);
        answer_json_value(r, 200, out);
    }
}

static void charge(Request *r, const json_t *last)
{
    jobs_generated(r->http->desc.jobs, r->who.tenant, r->origin,
                   (uint64_t)json_integer_value(json_object_get(last, "prompt_tokens"))
                   + (uint64_t)json_integer_value(json_object_get(last, "completion_tokens")));
}

/* Has the client gone? libmicrohttpd does not look while a request sleeps. */
static bool client_left(const Answer *a)
{
    char byte;
    return a->fd >= 0 && recv(a->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* A client that left before its answer began. */
static bool stop_unread(Request *r, Answer *a)
{
    if (++a->pieces % 4 != 0 || !client_left(a))
        return false;
    models_release(r->model);
    r->model = NULL;
    json_decref(a->tokens);
    a->tokens = NULL;
    answer_error(r, 0, WEFT_ERROR_CANCELLED, "the client has gone");
    return true;
}

static void wait_whole(Request *r)
{
    Answer *a = r->answer;
    atomic_store(&r->woken, false);
    for (bool ended = false;;) {
        char *text = models_next(r->model, &ended);
        if (!text)
            break;
        json_t *piece = json_loads(text, 0, NULL), *part = json_object_get(piece, "text");
        free(text);
        if (part)
            text_add(&a->text, str_of(json_string_value(part)));
        if (json_object_get(piece, "logprobs"))
            json_array_append(a->tokens, json_object_get(piece, "logprobs"));
        if (ended) {
            charge(r, piece);
            if (!answer_failure(r, piece))
                answer_whole(r, a, piece);
            json_decref(a->tokens);
            a->tokens = NULL;
            json_decref(piece);
            return;
        }
        json_decref(piece);
    }
    if (!stop_unread(r, a))
        request_sleep(r, wait_whole);
}

/* ---- answers as they come ---- */

/* The next piece, or NULL: it has not come yet. */
static json_t *next_piece(Request *r, bool *ended)
{
    char   *text = models_next(r->model, ended);
    json_t *piece = text ? json_loads(text, 0, NULL) : NULL;
    if (text && !piece) {               /* the process of a model is not trusted */
        piece = json_pack("{s:{s:i, s:s}}", "error", "kind", (int)WEFT_ERROR_INTERNAL,
                          "message", "the model's answer is damaged");
        *ended = true;
    }
    free(text);
    return piece;
}

static void put_event(Text *out, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    text_add(out, STR("data: "));
    text_add(out, str_of(text ? text : "{}"));
    text_add(out, STR("\n\n"));
    free(text);
    json_decref(value);
}

static void put_chunk(Text *out, Answer *a, const json_t *piece, bool last)
{
    json_t *part = json_object_get(piece, "text"), *tokens = json_array();
    json_t *chunk = answer_head(a);
    if (json_object_get(piece, "logprobs"))
        json_array_append(tokens, json_object_get(piece, "logprobs"));
    const char *finish = last ? json_string_value(json_object_get(piece, "finish")) : NULL;
    json_object_set_new(chunk, "choices", json_pack("[o]", choice_of(
        a, part ? json_string_value(part) : "", json_string_length(part), tokens, finish)));
    a->begun = true;
    put_event(out, chunk);
    json_decref(tokens);
}

static void put_last(Request *r, Text *out, Answer *a, const json_t *piece)
{
    json_t *e = json_object_get(piece, "error");
    charge(r, piece);
    if (e) {
        put_event(out, json_pack("{s:{s:s, s:O, s:s}}", "error", "kind", error_kind_name(
            (weft_error_kind)json_integer_value(json_object_get(e, "kind"))), "message",
            json_object_get(e, "message"), "type", "server_error"));
        return;
    }
    put_chunk(out, a, piece, true);
    if (a->usage) {
        json_t *chunk = answer_head(a);
        json_object_set_new(chunk, "choices", json_array());
        put_usage(chunk, piece);
        put_event(out, chunk);
    }
    text_add(out, STR("data: [DONE]\n\n"));
}

/* Events of all pieces that have come. */
static void collect(Request *r, Answer *a)
{
    Arena arena;
    arena_init(&arena, 0);
    Text out = {.arena = &arena};
    for (bool ended = false; !a->ended;) {
        json_t *piece = a->first ? a->first : next_piece(r, &ended);
        if (!piece)
            break;
        ended = a->first ? a->first_ends : ended;
        a->first = NULL;
        a->ended = ended;
        if (ended)
            put_last(r, &out, a, piece);
        else if (json_string_length(json_object_get(piece, "text"))
                 || json_object_get(piece, "logprobs") || !a->begun)
            put_chunk(&out, a, piece, false);
        json_decref(piece);
    }
    free(a->rest);
    a->rest = malloc(MAX_OF(out.len, 1));
    a->rest_size = a->rest ? out.len : 0;
    a->rest_at = 0;
    if (a->rest_size)
        memcpy(a->rest, out.data, out.len);
    arena_fini(&arena);
}

static ssize_t read_stream(void *user, uint64_t at, char *to, size_t room)
{
    Request *r = user;
    Answer  *a = r->answer;
    (void)at;
    atomic_store(&r->woken, false);
    if (a->rest_at == a->rest_size && !a->ended)
        collect(r, a);
    size_t n = MIN_OF(room, a->rest_size - a->rest_at);
    if (n) {
        memcpy(to, a->rest + a->rest_at, n);
        a->rest_at += n;
        return (ssize_t)n;
    }
    if (a->ended || atomic_load(&r->http->closing)) {
        free(a->rest);
        a->rest = NULL;
        a->rest_size = a->rest_at = 0;
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    request_sleep(r, NULL);
    return 0;
}

static void free_stream(void *user)
{
    Request *r = user;
    Answer  *a = r->answer;
    json_decref(a->first);
    a->first = NULL;
    free(a->rest);
    a->rest = NULL;
    a->rest_size = a->rest_at = 0;
}

static void answer_stream(Request *r)
{
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, 4096, read_stream, r, free_stream);
    if (response)
        MHD_add_response_header(response, "Content-Type", "text/event-stream");
    answer_response(r, 200, response);
}

/* The status of a stream is sent with its first piece: it may be an error. */
static void wait_first(Request *r)
{
    Answer *a = r->answer;
    bool    ended = false;
    atomic_store(&r->woken, false);
    json_t *piece = next_piece(r, &ended);
    if (!piece) {
        if (!stop_unread(r, a))
            request_sleep(r, wait_first);
    } else if (ended && json_object_get(piece, "error")) {
        charge(r, piece);
        answer_failure(r, piece);
        json_decref(piece);
    } else {
        a->first = piece;
        a->first_ends = ended;
        answer_stream(r);
    }
}

/* ---- handlers ---- */

static Answer *new_answer(Request *r, AnswerForm form, const json_t *root)
{
    Answer     *a = ARENA_NEW(&r->arena, Answer);
    char        id[STORE_ID_SIZE];
    const char *model = json_string_value(json_object_get(root, "model"));
    ModelFigures only[2];
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    jobs_new_id(id);
    a->form = form;
    a->fd = info ? info->connect_fd : -1;
    a->text.arena = &r->arena;
    a->created = jobs_now_ms() / 1000;
    snprintf(a->id, sizeof a->id, "%s-%s", form == FORM_CHAT ? "chatcmpl" : "cmpl", id);
    if (!model && models_list(r->http->desc.models, only, 2) == 1)
        model = only[0].name;
    snprintf(a->model, sizeof a->model, "%s", model ? model : "");
    r->answer = a;
    return a;
}

static void submit(Request *r, Answer *a, json_t *out)
{
    weft_error_kind kind = WEFT_ERROR_MEMORY;
    char            why[512] = "out of memory";
    json_object_set_new(out, "tenant", json_string(r->who.tenant));
    char *text = json_dumps(out, JSON_COMPACT);
    if (!jobs_may_generate(r->http->desc.jobs, r->who.tenant, r->origin)) {
        kind = WEFT_ERROR_QUOTA;
        snprintf(why, sizeof why, "quota: the tokens of this minute are used up");
        r->retry_after = jobs_next_minute();
    } else if (text) {
        atomic_store(&r->woken, false);
        r->model = models_submit(r->http->desc.models, &(ModelSubmit){
            .model = a->model, .tenant = r->who.tenant, .json = text, .wake = request_wake,
            .user = r}, &kind, why, sizeof why);
    }
    free(text);
    guard_audit(r, "generate", r->model != NULL, a->model, r->model ? "" : why);
    if (!r->model) {
        if (kind == WEFT_ERROR_QUOTA)
            metrics_add(r->http->desc.metrics, METRIC_REJECTED, 1, 1);
        answer_error(r, 0, kind, "%s", why);
    } else if (a->stream) {
        wait_first(r);
    } else {
        a->tokens = json_array();
        wait_whole(r);
    }
}

static void generate(Request *r, AnswerForm form)
{
    json_t *root = body_json(r, r->body, r->body_size);
    if (!root)
        return;
    Answer *a = new_answer(r, form, root);
    json_t *out = json_pack("{s:s}", "kind", "generate");
    if (openai_read(r, a, root, out))
        submit(r, a, out);
    json_decref(out);
    json_decref(root);
}

void api_chat(Request *r)
{
    generate(r, FORM_CHAT);
}

void api_completions(Request *r)
{
    generate(r, FORM_TEXT);
}

void api_embeddings(Request *r)
{
    json_t *root = body_json(r, r->body, r->body_size);
    if (!root)
        return;
    Answer     *a = new_answer(r, FORM_EMBED, root);
    json_t     *input = json_object_get(root, "input"), *list = json_array(), *one;
    const char *format = json_string_value(json_object_get(root, "encoding_format"));
    size_t      i;
    bool        ok = json_is_string(input) || (json_is_array(input) && json_array_size(input));
    if (json_is_string(input))
        json_array_append(list, input);
    json_array_foreach(input, i, one) {
        ok = ok && json_is_string(one);
        json_array_append(list, one);
    }
    a->base64 = format && strcmp(format, "base64") == 0;
    json_t *out = json_pack("{s:s, s:o}", "kind", "embed", "input", list);
    if (!ok || json_array_size(list) > 2048)
        openai_wrong(r, "input: a text, or at most 2048 texts");
    else if (json_object_get(root, "dimensions"))
        openai_wrong(r, "dimensions: not supported");
    else
        submit(r, a, out);
    json_decref(out);
    json_decref(root);
}

void api_tokenize(Request *r)
{
    json_t *root = body_json(r, r->body, r->body_size);
    if (!root)
        return;
    Answer *a = new_answer(r, FORM_TOKENS, root);
    json_t *text = json_object_get(root, "content");
    if (!text)
        text = json_object_get(root, "prompt");
    json_t *out = json_pack("{s:s, s:O?, s:b, s:b}", "kind", "tokenize", "text", text, "special",
                            json_is_true(json_object_get(root, "parse_special")), "affixes",
                            json_is_true(json_object_get(root, "add_special")));
    if (!json_is_string(text))
        openai_wrong(r, "content: a text");
    else
        submit(r, a, out);
    json_decref(out);
    json_decref(root);
}

static json_t *show_model(const ModelFigures *f)
{
    return json_pack("{s:s, s:s, s:I, s:s, s:b, s:b, s:i, s:i, s:s}", "id", f->name, "object",
                     "model", "created", (json_int_t)f->created, "owned_by", "weft", "ready",
                     f->ready, "generates", f->generates, "context_length", (int)f->context,
                     "embedding_length", (int)f->embedding, "detail", f->detail);
}

void api_models(Request *r)
{
    ModelFigures figures[MODELS_MAX];
    uint32_t     count = models_list(r->http->desc.models, figures, MODELS_MAX);
    json_t      *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, show_model(&figures[i]));
    answer_json_value(r, 200, json_pack("{s:s, s:o}", "object", "list", "data", list));
}

void api_model(Request *r)
{
    ModelFigures figures[MODELS_MAX];
    uint32_t     count = models_list(r->http->desc.models, figures, MODELS_MAX);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(figures[i].name, r->parts[0]) == 0) {
            answer_json_value(r, 200, show_model(&figures[i]));
            return;
        }
    answer_error(r, 404, WEFT_ERROR_NOT_FOUND, "there is no model '%.80s'", r->parts[0]);
}
