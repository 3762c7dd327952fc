// SPDX-License-Identifier: Apache-2.0
/*
 * openai.c - requests for text in the form of OpenAI's API.
 *
 * in     JSON of clients
 * out    JSON for the process of a model; or an answer that says what is wrong
 * knows  what is supported, and the limits of numbers
 * not    answers (api_models.c)
 */
#include "server/http/openai.h"

#include <string.h>

#define MAX_STOPS 8u

bool openai_wrong(Request *r, const char *what)
{
    answer_error(r, 400, WEFT_ERROR_INVALID, "%s", what);
    return false;
}

/* Numbers that go to the model as they are: name, least, most. */
static const struct { const char *name; double least, most; } numbers[] = {
    {"temperature", 0, 100}, {"top_p", 0, 1}, {"top_k", 0, 1000000}, {"min_p", 0, 1},
    {"frequency_penalty", -2, 2}, {"presence_penalty", -2, 2}, {"repeat_penalty", 0, 10},
    {"seed", -9e15, 9e15},
};

static bool copy_numbers(Request *r, const json_t *root, json_t *out)
{
    for (size_t i = 0; i < COUNTOF(numbers); i++) {
        json_t *value = json_object_get(root, numbers[i].name);
        double  n = json_number_value(value);
        if (!value || json_is_null(value))
            continue;
        if (!json_is_number(value) || n < numbers[i].least || n > numbers[i].most) {
            answer_error(r, 400, WEFT_ERROR_INVALID, "%s: a number from %g to %g",
                         numbers[i].name, numbers[i].least, numbers[i].most);
            return false;
        }
        json_object_set(out, numbers[i].name, value);
    }
    return true;
}

static bool copy_stops(Request *r, const json_t *root, json_t *out)
{
    json_t *stop = json_object_get(root, "stop"), *list = json_array(), *one;
    size_t  i;
    bool    ok = !stop || json_is_null(stop) || json_is_string(stop)
           || (json_is_array(stop) && json_array_size(stop) <= MAX_STOPS);
    if (json_is_string(stop))
        json_array_append(list, stop);
    json_array_foreach(stop, i, one) {
        ok = ok && json_is_string(one);
        json_array_append(list, one);
    }
    json_object_set_new(out, "stop", list);
    return ok || openai_wrong(r, "stop: a text, or at most 8 texts");
}

static bool copy_limit(Request *r, const json_t *root, json_t *out)
{
    json_t *limit = json_object_get(root, "max_completion_tokens");
    if (!limit)
        limit = json_object_get(root, "max_tokens");
    if (!limit || json_is_null(limit))
        return true;
    if (!json_is_integer(limit) || json_integer_value(limit) < 1)
        return openai_wrong(r, "max_tokens: a whole number above 0");
    json_object_set(out, "max_tokens", limit);
    return true;
}

/* {"type": "json_object"} or {"type": "json_schema", "json_schema": {"schema": …}}. */
static bool copy_format(Request *r, const json_t *root, json_t *out)
{
    json_t     *format = json_object_get(root, "response_format");
    const char *type = json_string_value(json_object_get(format, "type"));
    json_t     *grammar = json_object_get(root, "grammar");
    if (grammar && !json_is_string(grammar))
        return openai_wrong(r, "grammar: a text in GBNF");
    if (grammar)
        json_object_set(out, "grammar", grammar);
    if (!format || json_is_null(format) || (type && strcmp(type, "text") == 0))
        return true;
    if (type && strcmp(type, "json_object") == 0) {
        json_object_set_new(out, "schema", json_pack("{s:s}", "type", "object"));
        return true;
    }
    json_t *schema = json_object_get(json_object_get(format, "json_schema"), "schema");
    if (!type || strcmp(type, "json_schema") != 0 || !json_is_object(schema))
        return openai_wrong(r, "response_format: text, json_object, or json_schema with a schema");
    json_object_set(out, "schema", schema);
    return true;
}

/* `logprobs` is a flag with top_logprobs for chats, and a number for texts. */
static bool copy_logprobs(Request *r, const json_t *root, json_t *out, Answer *a)
{
    json_t *wish = json_object_get(root, "logprobs");
    json_t *top = a->form == FORM_CHAT ? json_object_get(root, "top_logprobs") : wish;
    if (!wish || json_is_null(wish) || json_is_false(wish))
        return true;
    json_int_t count = json_is_integer(top) ? json_integer_value(top) : 0;
    if (count < 0 || count > 20 || (a->form == FORM_CHAT && !json_is_true(wish)))
        return openai_wrong(r, a->form == FORM_CHAT ? "logprobs: true; top_logprobs: 0 to 20"
                                             : "logprobs: 0 to 20");
    a->logprobs = true;
    json_object_set_new(out, "logprobs", json_integer(count + 1));
    return true;
}

static bool copy_bias(Request *r, const json_t *root, json_t *out)
{
    json_t     *bias = json_object_get(root, "logit_bias"), *value;
    const char *key;
    if (!bias || json_is_null(bias))
        return true;
    if (!json_is_object(bias) || json_object_size(bias) > 1024)
        return openai_wrong(r, "logit_bias: an object of token numbers and biases");
    json_object_foreach(bias, key, value)
        if (strspn(key, "0123456789") != strlen(key) || strlen(key) > 9
            || !json_is_number(value))
            return openai_wrong(r, "logit_bias: an object of token numbers and biases");
    json_object_set(out, "logit_bias", bias);
    return true;
}

/* The text of a message: a text, or parts of it. */
static json_t *content_of(const json_t *message)
{
    json_t *content = json_object_get(message, "content"), *part;
    Arena   arena;
    size_t  i;
    if (json_is_string(content))
        return json_incref(content);
    arena_init(&arena, 0);
    Text    text = {.arena = &arena};
    json_t *out = NULL;
    bool    ok = json_is_array(content);
    json_array_foreach(content, i, part) {
        const char *words = json_string_value(json_object_get(part, "text"));
        ok = ok && words;
        if (words)
            text_add(&text, str_of(words));
    }
    if (ok)
        out = json_stringn(text.len ? text.data : "", text.len);
    arena_fini(&arena);
    return out;
}

static bool copy_messages(Request *r, const json_t *root, json_t *out)
{
    static const char *const roles[] = {"system", "developer", "user", "assistant", "tool"};
    json_t *messages = json_object_get(root, "messages"), *list = json_array(), *one;
    size_t  i;
    json_object_set_new(out, "messages", list);
    if (!json_is_array(messages) || json_array_size(messages) == 0)
        return openai_wrong(r, "messages: a list of {role, content}");
    json_array_foreach(messages, i, one) {
        const char *role = json_string_value(json_object_get(one, "role"));
        json_t     *content = content_of(one);
        bool        known = false;
        for (size_t k = 0; role && k < COUNTOF(roles); k++)
            known = known || strcmp(role, roles[k]) == 0;
        if (!known || !content) {
            json_decref(content);
            return openai_wrong(r, "messages: role is system, developer, user, assistant or tool; "
                            "content is text");
        }
        json_array_append_new(list, json_pack("{s:s, s:o}", "role", strcmp(role, "developer") == 0
                                              ? "system" : role, "content", content));
    }
    return true;
}

static bool copy_prompt(Request *r, const json_t *root, json_t *out)
{
    json_t *prompt = json_object_get(root, "prompt"), *one;
    size_t  i;
    if (json_is_array(prompt) && json_array_size(prompt) == 1
        && !json_is_integer(json_array_get(prompt, 0)))
        prompt = json_array_get(prompt, 0);
    bool ok = json_is_string(prompt) || json_is_array(prompt);
    json_array_foreach(prompt, i, one)
        ok = ok && json_is_integer(one);
    if (!ok)
        return openai_wrong(r, "prompt: one text, or a list of tokens");
    json_object_set(out, "prompt", prompt);
    return true;
}

/* Nothing that changes the answer is ignored: what it asks for is not there. */
static bool check_unsupported(Request *r, const json_t *root)
{
    static const char *const lists[] = {"tools", "functions"};
    json_t     *n = json_object_get(root, "n"), *best = json_object_get(root, "best_of");
    json_t     *suffix = json_object_get(root, "suffix"), *part;
    json_t     *stream = json_object_get(root, "stream"), *model = json_object_get(root, "model");
    json_t     *choice = json_object_get(root, "tool_choice");
    const char *how = json_string_value(choice);
    size_t      i;
    for (size_t k = 0; k < COUNTOF(lists); k++)
        if (json_array_size(json_object_get(root, lists[k]))) {
            answer_error(r, 400, WEFT_ERROR_INVALID, "%s: not supported", lists[k]);
            return false;
        }
    if (n && !json_is_null(n) && json_integer_value(n) != 1)
        return openai_wrong(r, "n: only 1 is supported");
    if (best && !json_is_null(best) && json_integer_value(best) != 1)
        return openai_wrong(r, "best_of: only 1 is supported");
    if (choice && !json_is_null(choice)
        && (!how || (strcmp(how, "none") != 0 && strcmp(how, "auto") != 0)))
        return openai_wrong(r, "tool_choice: tools are not supported");
    json_array_foreach(json_object_get(root, "modalities"), i, part)
        if (!json_string_value(part) || strcmp(json_string_value(part), "text") != 0)
            return openai_wrong(r, "modalities: only text is supported");
    if (json_is_true(json_object_get(root, "echo")) || (suffix && !json_is_null(suffix)))
        return openai_wrong(r, "echo and suffix: not supported");
    if (stream && !json_is_null(stream) && !json_is_boolean(stream))
        return openai_wrong(r, "stream: true or false");
    if (model && !json_is_null(model) && !json_is_string(model))
        return openai_wrong(r, "model: a text");
    return true;
}

bool openai_read(Request *r, Answer *a, const json_t *root, json_t *out)
{
    a->stream = json_is_true(json_object_get(root, "stream"));
    a->usage = json_is_true(json_object_get(json_object_get(root, "stream_options"),
                                            "include_usage"));
    return check_unsupported(r, root)
        && (a->form == FORM_CHAT ? copy_messages(r, root, out) : copy_prompt(r, root, out))
        && copy_numbers(r, root, out) && copy_stops(r, root, out) && copy_limit(r, root, out)
        && copy_format(r, root, out) && copy_logprobs(r, root, out, a)
        && copy_bias(r, root, out);
}
