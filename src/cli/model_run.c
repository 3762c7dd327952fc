// SPDX-License-Identifier: Apache-2.0
/*
 * model_run.c - `weft model run` and `weft model chat`: text from a model, as it comes.
 *
 * in     a file, a prompt or what a person types
 * out    the text
 * knows  weft/model.h, terminals, signals
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/model_load.h"

/* While a model writes, Ctrl-C stops the answer; at the prompt it ends the program. */
static weft_model_session *volatile interrupted_session;

static void on_interrupt(int signal)
{
    (void)signal;
    weft_model_session_cancel(interrupted_session);
}

static void catch_interrupts(weft_model_session *session)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    interrupted_session = session;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

static void leave_interrupts(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

static bool print_piece(void *user, const weft_model_piece *piece)
{
    bool *shown = user;             /* NULL: of no interest */
    if (shown && piece->size)
        *shown = true;
    fwrite(piece->text, 1, piece->size, stdout);
    fflush(stdout);
    return true;
}

static void print_figures(const ModelRun *r, const weft_model_answer *a)
{
    if (r->quiet)
        return;
    double rate = a->seconds > 0 ? a->tokens / a->seconds : 0;
    uint32_t read = a->prompt_tokens - a->reused_tokens;
    fprintf(stderr, "%u tokens of prompt, %.1f tokens/s; %u of answer, %.1f tokens/s\n",
            a->prompt_tokens, a->prompt_seconds > 0 ? read / a->prompt_seconds : 0, a->tokens,
            rate);
    weft_model_session_desc d;
    if (a->stop == WEFT_MODEL_STOP_CONTEXT && weft_model_session_desc_get(&d, r->session))
        fprintf(stderr, "the answer ends here: the context of %u positions is full; --ctx-size "
                        "sets its size\n", d.context);
}

/* ---- run ---- */

static const Option run_options[] = {
    {"prompt", 'p', "TEXT", "what to go on from (default: standard input)"},
    {"file", 'f', "FILE", "the same from a file"},
    {"escape", 'e', NULL, "\\n, \\t, \\\\ and the like in --prompt stand for characters"},
    {"tokens", 'n', "N", "at most this many (default: as many as the context has room for)"},
    MODEL_SAMPLING_OPTIONS,
    MODEL_DEVICE_OPTIONS,
    {0},
};

static const char *unescaped(Cli *cli, const char *text)
{
    static const char letters[] = "nrt'\"\\", values[] = "\n\r\t'\"\\";
    char *out = arena_printf(&cli->arena, "%s", text), *to = out;
    for (const char *at = text; *at; at++) {
        const char *known = *at == '\\' && at[1] ? strchr(letters, at[1]) : NULL;
        *to++ = known ? values[known - letters] : *at;
        at += known != NULL;
    }
    *to = '\0';
    return out;
}

static bool read_prompt(Cli *cli, Source *source, const char **prompt)
{
    const char *file = "-";
    if (options_find(cli, "prompt", prompt)) {
        if (options_given(cli, "escape"))
            *prompt = unescaped(cli, *prompt);
        return true;
    }
    options_find(cli, "file", &file);
    *source = input_read(&cli->arena, file);
    if (source->why)
        cli_complain(cli, "%s: %s", source->name, source->why);
    *prompt = source->text;
    return !source->why;
}

static int generate(ModelRun *r, const char *prompt)
{
    bool shown = false;
    weft_model_generate_desc d = {.on_text = print_piece, .user = &shown,
                                  .ignore_end = model_option_given(r->cli, "ignore-eos")};
    weft_model_answer a = {0};
    if (!model_option_tokens(r->cli, &d.max_tokens) || !model_sampling(r, &d))
        return CLI_TROUBLE;
    catch_interrupts(r->session);
    bool ok = weft_model_session_generate(&a, r->session, prompt, &d);
    leave_interrupts();
    if (ok || shown)
        printf("\n");
    if (!ok)
        return model_run_complain(r);
    print_figures(r, &a);
    weft_model_answer_fini(&a);
    return CLI_OK;
}

static int run_run(Cli *cli)
{
    ModelRun    r = {0};
    Source      source = {0};
    const char *prompt = NULL;
    int         status = CLI_TROUBLE;
    if (read_prompt(cli, &source, &prompt) && model_run_open(&r, cli, 0, NULL))
        status = generate(&r, prompt);
    model_run_close(&r);
    input_release(&source);
    return status;
}

const Command cli_model_run = {
    .name = "model run", .operands = "FILE",
    .purpose = "Go on from a prompt.",
    .more = "The text is printed as it comes; Ctrl-C ends it.\n",
    .options = run_options, .aliases = model_option_aliases, .run = run_run,
};

/* ---- chat ---- */

static const Option chat_options[] = {
    {"system", 0, "TEXT", "what the model is told first"},
    {"chat-template", 0, "NAME", "a built-in template instead of the file's"},
    {"chat-template-file", 0, "FILE", "a template in Jinja instead"},
    {"tokens", 'n', "N", "of an answer, at most"},
    MODEL_SAMPLING_OPTIONS,
    MODEL_DEVICE_OPTIONS,
    {0},
};

typedef struct Talk {
    ModelRun            *r;
    weft_model_template *tmpl;
    VEC(weft_model_message) messages;
    uint32_t             instructions;  /* messages that /clear leaves             */
} Talk;

static void say(Talk *t, const char *role, const char *text)
{
    weft_model_message m = {.role = role, .content = arena_printf(&t->r->cli->arena, "%s", text)};
    VEC_PUSH(&t->r->cli->arena, &t->messages, m);
}

/* One line, or several that end with a backslash. False at the end of input. */
static bool read_turn(Text *out, bool terminal)
{
    char line[4096];
    if (terminal)
        printf("> ");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        size_t len = strcspn(line, "\n");
        bool   more = len && line[len - 1] == '\\' && line[len] == '\n';
        bool   whole = line[len] == '\n';
        line[more ? len - 1 : len] = '\0';
        text_printf(out, "%s%s", line, more ? "\n" : "");
        if (whole && !more)
            return true;
    }
    return out->len > 0;
}

/* A conversation that has become too long for the context may go on from its start. */
static bool can_go_on(Talk *t)
{
    if (weft_context_error(t->r->ctx)->kind != WEFT_ERROR_MEMORY ||
        t->messages.len <= t->instructions + 1)
        return false;
    cli_complain(t->r->cli, "%s; /clear forgets the conversation",
                 weft_context_error(t->r->ctx)->message);
    weft_context_error_clear(t->r->ctx);
    t->messages.len--;
    return true;
}

/* False: the program ends. */
static bool answer(Talk *t, const char *text, const weft_model_generate_desc *d, int *status)
{
    weft_model_answer a = {0};
    say(t, "user", text);
    catch_interrupts(t->r->session);
    bool ok = weft_model_session_chat(&a, t->r->session, t->messages.data, t->messages.len, d);
    leave_interrupts();
    printf("\n");
    if (!ok && can_go_on(t))
        return true;
    if (!ok) {
        *status = model_run_complain(t->r);
        return false;
    }
    say(t, "assistant", a.text);
    print_figures(t->r, &a);
    weft_model_answer_fini(&a);
    return true;
}

/* False: the program ends. */
static bool turn(Talk *t, const weft_model_generate_desc *d, int *status)
{
    Text text = {.arena = &t->r->cli->arena};
    text_add(&text, STR(""));
    if (!read_turn(&text, isatty(STDIN_FILENO)) ||
        (text.data && (strcmp(text.data, "/exit") == 0 || strcmp(text.data, "/quit") == 0)))
        return false;
    if (text.data && strcmp(text.data, "/clear") == 0) {
        t->messages.len = t->instructions;
        return true;
    }
    return text.len == 0 || answer(t, text.data, d, status);
}

static bool open_template(Talk *t)
{
    Cli   *cli = t->r->cli;
    Source source = {0};
    const char *file = NULL;
    weft_model_template_desc d = {.file = weft_model_file(t->r->model)};
    bool named = options_find(cli, "chat-template", &d.name);
    if (!named && !options_find(cli, "chat-template-file", &file))
        return true;
    if (file)
        source = input_read(&cli->arena, file);
    if (source.why) {
        cli_complain(cli, "%s: %s", source.name, source.why);
        return false;
    }
    d.source = source.text;
    d.source_size = source.size;
    t->tmpl = weft_model_template_create(t->r->ctx, &d);
    if (!t->tmpl)
        model_run_complain(t->r);
    input_release(&source);
    return t->tmpl != NULL;
}

static int chat(ModelRun *r)
{
    Talk t = {.r = r};
    weft_model_generate_desc d = {.on_text = print_piece,
                                  .ignore_end = model_option_given(r->cli, "ignore-eos")};
    const char *system = NULL;
    int status = CLI_TROUBLE;
    if (!model_option_tokens(r->cli, &d.max_tokens) || !model_sampling(r, &d) ||
        !open_template(&t))
        return CLI_TROUBLE;
    d.tmpl = t.tmpl;
    if (options_find(r->cli, "system", &system))
        say(&t, "system", system);
    t.instructions = t.messages.len;
    if (!r->quiet && isatty(STDIN_FILENO))
        fprintf(stderr, "A line that ends with \\ goes on in the next; /clear forgets, /exit ends; "
                        "Ctrl-C stops an answer.\n");
    status = CLI_OK;
    while (turn(&t, &d, &status))
        ;
    weft_model_template_release(t.tmpl);
    return status;
}

static int run_chat(Cli *cli)
{
    ModelRun r = {0};
    int      status = model_run_open(&r, cli, 0, NULL) ? chat(&r) : CLI_TROUBLE;
    model_run_close(&r);
    return status;
}

const Command cli_model_chat = {
    .name = "model chat", .operands = "FILE",
    .purpose = "Talk with a model.",
    .more = "Each line of input is a message; the answers are printed as they come.\n",
    .options = chat_options, .aliases = model_option_aliases, .run = run_chat,
};
