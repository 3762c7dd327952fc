// SPDX-License-Identifier: Apache-2.0
/*
 * model_template.c - `weft model template`: the prompt that a conversation becomes.
 *
 * in     a GGUF file or a template, messages
 * out    the prompt, as it is given to the model
 * knows  weft/model.h
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/model.h"

enum { MAX_TEXT = 64 << 20 };

static const Option options[] = {
    {"template", 0, "NAME", "a built-in template, or a file with Jinja"},
    {"messages", 0, "FILE", "messages as JSON; standard input without it"},
    {"user", 0, "TEXT", "instead of --messages: what the user says"},
    {"system", 0, "TEXT", "with --user: what the system says first"},
    {"tools", 0, "FILE", "a JSON list of tools"},
    {"no-prompt", 0, NULL, "end after the last message: the model is not to answer"},
    {"source", 0, NULL, "print the template itself"},
    {"list", 'l', NULL, "list the built-in templates"},
    {0},
};

static bool given(const Cli *cli, const char *name)
{
    return options_find(cli, name, &(const char *){NULL});
}

static bool read_text(Cli *cli, const char *name, Source *source)
{
    *source = input_read_limited(&cli->arena, name, MAX_TEXT);
    if (source->why)
        cli_complain(cli, "%s: %s", source->name, source->why);
    return !source->why;
}

/* ---- the template ---- */

static bool is_builtin(const char *name)
{
    for (uint32_t i = 0; weft_model_template_name(i); i++)
        if (strcmp(weft_model_template_name(i), name) == 0)
            return true;
    return false;
}

static bool is_file(const char *name)
{
    struct stat info;
    return stat(name, &info) == 0;
}

/* The one that --template names, or the file's. NULL after a message. */
static weft_model_template *open_template(Cli *cli, const ModelFile *m)
{
    weft_model_template_desc desc = {.file = m->file};
    const char              *name = NULL;
    Source                   source = {0};
    bool                     ok = true;
    if (options_find(cli, "template", &name) && !is_builtin(name) && is_file(name)) {
        ok = read_text(cli, name, &source);
        desc.source = source.text ? source.text : "";
        desc.source_size = source.size;
    } else {
        desc.name = name;
    }
    weft_model_template *t = ok ? weft_model_template_create(m->ctx, &desc) : NULL;
    if (ok && !t)
        model_complain(cli, m);
    input_release(&source);
    return t;
}

/* ---- the conversation ---- */

typedef struct Conversation {
    weft_model_message     messages[2];
    size_t                 count;
    weft_model_render_desc render;
    Source                 json, tools;
} Conversation;

static bool read_conversation(Cli *cli, Conversation *c)
{
    const char *name = "-", *text = NULL;
    c->render.no_generation_prompt = given(cli, "no-prompt");
    if (options_find(cli, "tools", &name)) {
        if (!read_text(cli, name, &c->tools))
            return false;
        c->render.tools = arena_printf(&cli->arena, "%.*s", (int)c->tools.size, c->tools.text);
    }
    if (options_find(cli, "user", &text)) {
        const char *system = NULL;
        if (options_find(cli, "system", &system))
            c->messages[c->count++] = (weft_model_message){.role = "system", .content = system};
        c->messages[c->count++] = (weft_model_message){.role = "user", .content = text};
        return true;
    }
    name = "-";
    options_find(cli, "messages", &name);
    if (!read_text(cli, name, &c->json))
        return false;
    const char *start = c->json.text;
    size_t      size = c->json.size, blank = 0;
    while (blank < size && strchr(" \t\r\n", start[blank]))
        blank++;
    c->render.variables = arena_printf(&cli->arena, blank < size && start[blank] == '['
                                                        ? "{\"messages\": %.*s}" : "%.*s",
                                       (int)size, start);
    return true;
}

static int render(Cli *cli, const ModelFile *m, const weft_model_template *t)
{
    Conversation c = {0};
    size_t       size = 0;
    char        *text = NULL;
    int          status = CLI_TROUBLE;
    if (!read_conversation(cli, &c))
        goto done;
    if (!weft_model_template_render(NULL, &size, t, c.messages, c.count, &c.render)) {
        status = model_complain(cli, m);
        goto done;
    }
    text = malloc(size + 1);
    if (!text) {
        cli_complain(cli, "out of memory");
        goto done;
    }
    if (weft_model_template_render(text, &size, t, c.messages, c.count, &c.render)) {
        text_add(&cli->out, (Str){text, (uint32_t)size});
        status = CLI_OK;
    } else {
        status = model_complain(cli, m);
    }
done:
    free(text);
    input_release(&c.json);
    input_release(&c.tools);
    return status;
}

/* ---- the command ---- */

static int list_templates(Cli *cli)
{
    for (uint32_t i = 0; weft_model_template_name(i); i++)
        text_printf(&cli->out, "%s\n", weft_model_template_name(i));
    return CLI_OK;
}

static int run_template(Cli *cli)
{
    ModelFile            m = {0};
    weft_model_template *t = NULL;
    int                  status = CLI_TROUBLE;
    if (given(cli, "list"))
        return list_templates(cli);
    if (cli->operands.len > 1) {
        cli_complain(cli, "one file at a time; messages are given with --messages or --user");
        return CLI_TROUBLE;
    }
    if (cli->operands.len == 0 && given(cli, "template"))
        m.ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    else if (!model_open(cli, &m, &(weft_gguf_desc){.header_only = true}))
        goto done;
    t = open_template(cli, &m);
    if (t && given(cli, "source")) {
        size_t      size;
        const char *source = weft_model_template_source(t, &size);
        text_add(&cli->out, (Str){source, (uint32_t)size});
        text_char(&cli->out, '\n');
        status = CLI_OK;
    } else if (t) {
        status = render(cli, &m, t);
    }
done:
    weft_model_template_release(t);
    model_close(&m);
    return status;
}

const Command cli_model_template = {
    .name = "model template", .operands = "[FILE]",
    .purpose = "Print the prompt that a conversation becomes in a model's chat template.",
    .more = "Without FILE, --template is needed. Messages are a JSON list of objects with\n"
            "\"role\" and \"content\", or an object with \"messages\" and further variables.\n"
            "The prompt is printed as it is, without a line end.\n",
    .options = options, .run = run_template,
};
