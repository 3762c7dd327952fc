// SPDX-License-Identifier: Apache-2.0
/*
 * template.c - chat templates of weft/model.h.
 *
 * in     Jinja of a file, of a caller, or built in; messages
 * out    the text of a prompt
 * knows  contexts, GGUF's metadata, the variables that templates expect
 * not    Jinja itself (jinja.h)
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include <weft/model.h>

#include "context/context.h"
#include "model/jinja.h"
#include "model/template_priv.h"

#define MAX_STEPS  1000000u
#define MAX_OUTPUT ((size_t)64 << 20)
#define MEMORY     ((size_t)512 << 20)          /* of the values of one rendering          */

struct weft_model_template {
    atomic_uint   refs;
    weft_context *ctx;
    Jinja         jinja;
    char         *source;
    size_t        source_size;
    char         *bos, *eos;
    uint64_t      max_steps;
    size_t        max_output;
    bool          no_system;        /* it drops or refuses messages of the system          */
};

static bool fail(weft_context *ctx, const Fault *f)
{
    static const weft_error_kind kinds[] = {
        [FAULT_NONE] = WEFT_ERROR_INTERNAL, [FAULT_FORMAT] = WEFT_ERROR_FORMAT,
        [FAULT_UNSUPPORTED] = WEFT_ERROR_UNSUPPORTED, [FAULT_LIMIT] = WEFT_ERROR_QUOTA,
        [FAULT_RAISED] = WEFT_ERROR_INVALID,
    };
    return context_fail(ctx, kinds[f->kind], "%s", f->text);
}

static char *copy(const char *text, size_t size)
{
    char *out = malloc(size + 1);
    if (out) {
        memcpy(out, text, size);
        out[size] = '\0';
    }
    return out;
}

/* ---- creation ---- */

/* The text of a special token of a file, such as tokenizer.ggml.bos_token_id; "" if the file
 * does not have it. */
static char *special_text(const weft_gguf *file, const char *key)
{
    const weft_gguf_value *id = file ? weft_gguf_value_find(file, key) : NULL;
    const weft_gguf_value *tokens =
        file ? weft_gguf_value_find(file, "tokenizer.ggml.tokens") : NULL;
    weft_gguf_value        text;
    if (!id || !tokens || tokens->element != WEFT_GGUF_STRING || id->i < 0 ||
        !weft_gguf_element(&text, file, tokens, (uint64_t)id->i))
        return copy("", 0);
    return copy(text.text, text.size);
}

/* Where the Jinja text comes from. */
static bool find_source(const char **source, size_t *size, weft_context *ctx,
                        const weft_model_template_desc *d)
{
    *size = d->source_size;
    *source = d->source;
    if (d->source) {
        if (*size == 0 || *size == WEFT_MODEL_TEXT)
            *size = strlen(d->source);
    } else if (d->name) {
        *source = template_builtin_find(d->name);
        const char *near = template_builtin_near(d->name);
        if (!*source)
            return context_fail(ctx, WEFT_ERROR_NOT_FOUND,
                                "there is no chat template '%.100s'%s%s%s", d->name,
                                near ? "; did you mean '" : "", near ? near : "",
                                near ? "'?" : "");
        *size = strlen(*source);
    } else {
        const weft_gguf_value *v =
            d->file ? weft_gguf_value_find(d->file, "tokenizer.chat_template") : NULL;
        if (!v || v->kind != WEFT_GGUF_STRING)
            return context_fail(
                ctx, WEFT_ERROR_NOT_FOUND, "%s: name a built-in one, such as chatml",
                d->file ? "the file has no chat template" : "no template was given");
        *source = v->text;
        *size = v->size;
    }
    return *size <= JINJA_MAX_SOURCE
           || context_fail(ctx, WEFT_ERROR_QUOTA, "the template has more than %u bytes",
                           JINJA_MAX_SOURCE);
}

static bool shows_system(const weft_model_template *t, bool with);

static bool make(weft_model_template *t, const weft_model_template_desc *d)
{
    const char *source;
    size_t      size;
    Fault       fault = {0};
    if (!find_source(&source, &size, t->ctx, d))
        return false;
    t->max_steps = d->max_steps ? d->max_steps : MAX_STEPS;
    t->max_output = d->max_output ? MIN_OF(d->max_output, (size_t)INT32_MAX) : MAX_OUTPUT;
    t->source = copy(source, size);
    t->source_size = size;
    t->bos = d->bos ? copy(d->bos, strlen(d->bos))
                    : special_text(d->file, "tokenizer.ggml.bos_token_id");
    t->eos = d->eos ? copy(d->eos, strlen(d->eos))
                    : special_text(d->file, "tokenizer.ggml.eos_token_id");
    if (!t->source || !t->bos || !t->eos)
        return context_fail(t->ctx, WEFT_ERROR_MEMORY, "no memory for a template");
    if (!jinja_parse(&t->jinja, (Str){t->source, (uint32_t)size}, &fault))
        return fail(t->ctx, &fault);
    t->no_system = !shows_system(t, true) && shows_system(t, false);
    return true;
}

weft_model_template *weft_model_template_create(weft_context *ctx,
                                                const weft_model_template_desc *desc)
{
    static const weft_model_template_desc none;
    weft_model_template *t = calloc(1, sizeof *t);
    if (!t) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a template");
        return NULL;
    }
    t->refs = 1;
    t->ctx = weft_context_retain(ctx);
    if (make(t, desc ? desc : &none))
        return t;
    weft_model_template_release(t);
    return NULL;
}

weft_model_template *weft_model_template_retain(weft_model_template *tmpl)
{
    if (tmpl)
        atomic_fetch_add(&tmpl->refs, 1);
    return tmpl;
}

void weft_model_template_release(weft_model_template *tmpl)
{
    if (!tmpl || atomic_fetch_sub(&tmpl->refs, 1) != 1)
        return;
    jinja_fini(&tmpl->jinja);
    free(tmpl->source);
    free(tmpl->bos);
    free(tmpl->eos);
    weft_context_release(tmpl->ctx);
    free(tmpl);
}

const char *weft_model_template_source(const weft_model_template *tmpl, size_t *size)
{
    if (!tmpl)
        return NULL;
    if (size)
        *size = tmpl->source_size;
    return tmpl->source;
}

/* ---- rendering ---- */

typedef struct Prompt {
    const weft_model_template *t;
    const weft_model_message  *messages;
    size_t                     count;
    weft_model_render_desc     desc;
    Arena                     *arena;
    Value                      variables;
    Fault                     *fault;
    bool                       no_null;     /* messages without a content have ""      */
} Prompt;

static void add(Arena *a, Value dict, const char *key, Value v)
{
    dict_set(a, dict.dict, value_text(key), v);
}

/* Adds the members of a JSON object; `what` is for messages. */
static bool add_object(Prompt *p, Value to, const char *json, const char *what)
{
    Value v;
    if (!json)
        return true;
    if (!value_read_json(&v, p->arena, str_of(json), p->fault))
        return false;
    if (v.kind != VALUE_DICT)
        return fault_set(p->fault, FAULT_FORMAT, "%s must be a JSON object, it is a %s", what,
                         value_kind_name(v));
    for (uint32_t i = 0; i < v.dict->len; i++)
        dict_set(p->arena, to.dict, v.dict->data[i].key, v.dict->data[i].value);
    return true;
}

static bool add_messages(Prompt *p)
{
    Value list = value_list(p->arena);
    for (size_t i = 0; i < p->count; i++) {
        const weft_model_message *m = &p->messages[i];
        Value                     v = value_dict(p->arena);
        size_t size = m->content ? m->content_size ? m->content_size : strlen(m->content) : 0;
        if (size == WEFT_MODEL_TEXT)
            size = strlen(m->content);
        if (!m->role || size > INT32_MAX)
            return fault_set(p->fault, FAULT_FORMAT, "message %zu has %s", i,
                             m->role ? "more than 2 GiB" : "no role");
        add(p->arena, v, "role", value_text(m->role));
        add(p->arena, v, "content",
            m->content   ? value_str((Str){m->content, (uint32_t)size})
            : p->no_null ? value_text("") : value_none());
        if (!add_object(p, v, m->extra, "extra"))
            return false;
        list_push(p->arena, list.list, v);
    }
    add(p->arena, p->variables, "messages", list);
    return true;
}

/* Templates without a place for the system get its message before the user's first. */
static void merge_system(Prompt *p)
{
    Value *messages = dict_find_text(p->variables.dict, "messages"), merged = value_list(p->arena);
    if (!messages || messages->kind != VALUE_LIST || messages->list->len < 2)
        return;
    const Value *first = messages->list->data;
    if (first[0].kind != VALUE_DICT || first[1].kind != VALUE_DICT)
        return;
    const Value *role = dict_find_text(first[0].dict, "role");
    const Value *system = dict_find_text(first[0].dict, "content");
    const Value *user = dict_find_text(first[1].dict, "content");
    if (!role || !value_is(*role, "system") || !system || system->kind != VALUE_STRING || !user ||
        user->kind != VALUE_STRING)
        return;
    Text text = {.arena = p->arena};
    text_printf(&text, "%.*s\n%.*s", STR_ARG(system->s), STR_ARG(user->s));
    add(p->arena, first[1], "content", value_str((Str){text.data, (uint32_t)text.len}));
    for (uint32_t i = 1; i < messages->list->len; i++)
        list_push(p->arena, merged.list, messages->list->data[i]);
    *messages = merged;
}

static void prepare(void *context)
{
    Prompt *p = context;
    p->variables = value_dict(p->arena);
    add(p->arena, p->variables, "bos_token", value_text(p->t->bos));
    add(p->arena, p->variables, "eos_token", value_text(p->t->eos));
    add(p->arena, p->variables, "add_generation_prompt", value_bool(!p->desc.no_generation_prompt));
    if (!add_messages(p))
        return;
    if (p->desc.tools) {
        Value tools;
        if (!value_read_json(&tools, p->arena, str_of(p->desc.tools), p->fault))
            return;
        add(p->arena, p->variables, "tools", tools);
    }
    if (add_object(p, p->variables, p->desc.variables, "variables") && p->t->no_system)
        merge_system(p);
}

static bool has_null(const Prompt *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (!p->messages[i].content)
            return true;
    return false;
}

static bool render_once(Str *text, Prompt *p)
{
    const weft_model_template *t = p->t;
    if (!arena_try(p->arena, prepare, p))
        fault_set(p->fault, FAULT_LIMIT, "the messages need too much memory");
    if (p->fault->kind != FAULT_NONE)
        return false;
    JinjaRender how = {.variables = p->variables,
                       .max_steps = t->max_steps,
                       .max_output = t->max_output,
                       .now = p->desc.now ? p->desc.now : (int64_t)time(NULL)};
    return jinja_render(text, p->arena, &t->jinja, &how, p->fault);
}

/* Many templates take a message's content for a string without looking: where that fails and a
 * message has none (a call of a tool), it is the empty string. */
static bool render(Str *text, Prompt *p)
{
    if (render_once(text, p))
        return true;
    if (p->no_null || !has_null(p) || p->fault->kind == FAULT_LIMIT ||
        p->fault->kind == FAULT_RAISED)
        return false;
    Fault first = *p->fault;
    *p->fault = (Fault){0};
    p->no_null = true;
    bool ok = render_once(text, p);
    if (!ok)
        *p->fault = first;
    return ok;
}

/* Whether a conversation renders, and, with a message of the system, shows that. */
static bool shows_system(const weft_model_template *t, bool with)
{
    static const weft_model_message messages[] = {{.role = "system", .content = "system-probe"},
                                                  {.role = "user", .content = "user-probe"}};
    Arena  arena;
    Fault  fault = {0};
    Str    text = {0};
    Prompt p = {.t = t, .messages = messages + !with, .count = 1 + with, .arena = &arena,
                .fault = &fault};
    arena_init(&arena, MEMORY);
    bool rendered = render(&text, &p), shown = !with;
    for (uint32_t i = 0; rendered && !shown && i + 12 <= text.len; i++)
        shown = memcmp(text.data + i, "system-probe", 12) == 0;
    arena_fini(&arena);
    return rendered && shown;
}

bool weft_model_template_render(char *out, size_t *size, const weft_model_template *tmpl,
                                const weft_model_message *messages, size_t count,
                                const weft_model_render_desc *desc)
{
    Arena  arena;
    Fault  fault = {0};
    Str    text = {0};
    if (!tmpl)
        return false;
    if (!size || (count && !messages))
        return context_fail(tmpl->ctx, WEFT_ERROR_INVALID, "render: %s is NULL",
                            size ? "messages" : "size");
    Prompt p = {.t = tmpl, .messages = messages, .count = count, .arena = &arena, .fault = &fault};
    if (desc)
        p.desc = *desc;
    arena_init(&arena, MEMORY);
    bool ok = render(&text, &p) || fail(tmpl->ctx, &fault);
    if (ok && out && *size < text.len)
        ok = context_fail(tmpl->ctx, WEFT_ERROR_INVALID,
                          "the prompt has %u bytes, there is room for %zu", text.len,
                          *size);
    else if (ok && out)
        memcpy(out, text.data, text.len);
    if (text.data)
        *size = text.len;
    arena_fini(&arena);
    return ok;
}
