// SPDX-License-Identifier: Apache-2.0
/*
 * main.c - the command `weft`: what it can do, as a table.
 *
 * in     a command line
 * out    an exit status: 0 all well, 1 the WGSL has errors, 2 other trouble
 * not    what the commands do
 */
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/near.h"
#include "cli/cli.h"

static const Command *const commands[] = {
    &cli_run, &cli_check, &cli_reflect, &cli_inspect, &cli_tune, &cli_compile, &cli_devices,
    &cli_explain, &cli_model, &cli_vectors, &cli_solve, &cli_serve, &cli_submit, &cli_jobs,
    &cli_key, &cli_audit, &cli_worker, &cli_version, &cli_help,
};

static const char *command_name(uint32_t index)
{
    return index < COUNTOF(commands) ? commands[index]->name : NULL;
}

static const Command *command_find(const char *name)
{
    for (size_t i = 0; i < COUNTOF(commands); i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* The word of a part of a group after the group's own: "info" of "model info". */
static const char *part_word(const Command *group, const Command *part)
{
    return part->name + strlen(group->name) + 1;
}

static const Command *part_find(const Command *group, const char *word)
{
    for (const Command *const *part = group->parts; *part; part++)
        if (strcmp(part_word(group, *part), word) == 0)
            return *part;
    return NULL;
}

/* ---- output ---- */

/* Is this the start of a character that would move a terminal's cursor, or worse?
 * Sets *bytes to its length. */
static bool is_control(const char *at, size_t *bytes)
{
    unsigned char c = (unsigned char)at[0], next = c ? (unsigned char)at[1] : 0;
    *bytes = 1;
    if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
        *bytes = 2;
        return true;
    }
    return (c < 0x20 && c != '\n') || c == 0x7f;
}

void cli_complain(const Cli *cli, const char *fmt, ...)
{
    char    text[4096];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fflush(stdout);                     /* what was found before comes before */
    if (cli->command)
        fprintf(stderr, "weft %s: ", cli->command->name);
    else
        fprintf(stderr, "weft: ");
    size_t bytes;
    for (const char *at = text; *at; at += bytes)
        if (is_control(at, &bytes))
            fputs("\xef\xbf\xbd", stderr);
        else
            fputc(*at, stderr);
    fputc('\n', stderr);
}

void cli_flush(Cli *cli)
{
    if (cli->out.len)
        fwrite(cli->out.data, 1, cli->out.len, stdout);
    cli->out.len = 0;
}

void cli_flush_aside(Cli *cli)
{
    fflush(stdout);
    if (cli->out.len)
        fwrite(cli->out.data, 1, cli->out.len, stderr);
    cli->out.len = 0;
}

double cli_now_ms(void)
{
    return (double)clock_ns() * 1e-6;
}

/* ---- help and version ---- */

static void print_option(Text *out, const Command *command, const Option *o)
{
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    char left[64];
    if (o->value && o->value[0] == '[')
        snprintf(left, sizeof left, "%s--%s[=%s", letter, o->name, o->value + 1);
    else
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value ? "=" : "",
                 o->value ? o->value : "");
    text_printf(out, "  %-26s %s", left, o->help);
    const char *before = "; also ";
    for (const OptionAlias *a = command->aliases; a && a->also; a++) {
        if (strcmp(a->name, o->name) != 0)
            continue;
        text_printf(out, "%s%s%s", before, a->also[0] == '-' ? "" : "--", a->also);
        before = ", ";
    }
    text_printf(out, "\n");
}

static void print_group_help(Text *out, const Command *group)
{
    text_printf(out, "usage: weft %s PART [OPTION...] [OPERAND...]\n\n%s\n\nparts\n", group->name,
                group->purpose);
    for (const Command *const *part = group->parts; *part; part++)
        text_printf(out, "  %-10s %s\n", part_word(group, *part), (*part)->purpose);
    text_printf(out, "\n'weft help %s PART' says more.\n", group->name);
}

static void print_command_help(Text *out, const Command *command)
{
    if (command->parts) {
        print_group_help(out, command);
        return;
    }
    text_printf(out, "usage: weft %s%s%s%s\n\n%s\n", command->name,
                command->options->name ? " [OPTION...]" : "",
                *command->operands ? " " : "", command->operands, command->purpose);
    if (*command->more)
        text_printf(out, "\n%s", command->more);
    if (command->options->name)
        text_printf(out, "\noptions\n");
    for (const Option *o = command->options; o->name; o++)
        if (o->help)
            print_option(out, command, o);
}

static void print_help(Text *out)
{
    text_printf(out, "usage: weft COMMAND [OPTION...] [OPERAND...]\n\n"
                     "Runs, checks and explains WGSL compute kernels; reads language "
                     "models.\n\ncommands\n");
    for (size_t i = 0; i < COUNTOF(commands); i++)
        text_printf(out, "  %-10s %s\n", commands[i]->name, commands[i]->purpose);
    text_printf(out, "\n'weft help COMMAND' says more.\n"
                     "Exit status: 0 all well, 1 the WGSL has errors, 2 other trouble.\n");
}

static int unknown_command(const Cli *cli, const char *name)
{
    const char *near = options_nearest(name, command_name);
    if (near)
        cli_complain(cli, "there is no command '%s'; did you mean '%s'?", name, near);
    else
        cli_complain(cli, "there is no command '%s'; 'weft help' lists them", name);
    return CLI_TROUBLE;
}

static int unknown_part(const Cli *cli, const Command *group, const char *word)
{
    Near near = near_begin(str_of(word));
    for (const Command *const *part = group->parts; *part; part++)
        near_consider(&near, str_of(part_word(group, *part)));
    if (near.found.data)
        cli_complain(cli, "there is no command '%s %s'; did you mean '%s %.*s'?", group->name, word,
                     group->name, STR_ARG(near.found));
    else
        cli_complain(cli, "there is no command '%s %s'; 'weft help %s' lists them", group->name,
                     word, group->name);
    return CLI_TROUBLE;
}

static int run_help(Cli *cli)
{
    if (cli->operands.len == 0) {
        print_help(&cli->out);
        return CLI_OK;
    }
    const Command *command = command_find(cli->operands.data[0]);
    if (!command)
        return unknown_command(cli, cli->operands.data[0]);
    if (cli->operands.len > (command->parts ? 2 : 1)) {
        cli_complain(cli, "one command at a time");
        return CLI_TROUBLE;
    }
    if (cli->operands.len == 2) {
        const Command *group = command;
        command = part_find(group, cli->operands.data[1]);
        if (!command)
            return unknown_part(cli, group, cli->operands.data[1]);
    }
    print_command_help(&cli->out, command);
    return CLI_OK;
}

static int run_version(Cli *cli)
{
    if (cli->operands.len) {
        cli_complain(cli, "takes no operand");
        return CLI_TROUBLE;
    }
    text_printf(&cli->out, "weft %s\n", WEFT_VERSION);
    return CLI_OK;
}

static const Option no_options[] = {{0}};

const Command cli_help = {
    .name = "help", .operands = "[COMMAND]",
    .purpose = "Say what weft, or one command, can do.",
    .more = "", .options = no_options, .run = run_help,
};

const Command cli_version = {
    .name = "version", .operands = "",
    .purpose = "Print the version.",
    .more = "", .options = no_options, .run = run_version,
};

/* ---- start ---- */

typedef struct Start {
    Cli    cli;
    int    argc;
    char **argv;
    int    status;
} Start;

/* The command that the first argument names, --help and --version among them. */
static const Command *command_of(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return &cli_help;
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return &cli_version;
    return command_find(word);
}

static bool wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

/* Runs a command, or what follows the name of a group, with the arguments behind it. */
static int run_command(Cli *cli, const Command *command, int argc, char **argv)
{
    if (command->parts && argc > 0 && argv[0][0] != '-') {
        const Command *part = part_find(command, argv[0]);
        return part ? run_command(cli, part, argc - 1, argv + 1)
                    : unknown_part(cli, command, argv[0]);
    }
    if (wants_help(argc, argv)) {
        print_command_help(&cli->out, command);
        return CLI_OK;
    }
    if (command->parts) {
        cli_complain(cli, "'%s' needs a command after it; 'weft help %s' lists them",
                     command->name, command->name);
        return CLI_TROUBLE;
    }
    cli->command = command;
    return options_parse(cli, argc, argv) ? command->run(cli) : CLI_TROUBLE;
}

static void run(void *context)
{
    Start *s = context;
    Cli   *cli = &s->cli;
    s->status = CLI_TROUBLE;
    if (s->argc < 2) {
        fprintf(stderr, "usage: weft COMMAND ...; 'weft help' lists the commands\n");
        return;
    }
    const char    *word = s->argv[1];
    const Command *command = command_of(word);
    if (!command && word[0] == '-')
        cli_complain(cli, "there is no option '%s' before a command; see 'weft help'", word);
    else if (!command)
        unknown_command(cli, word);
    else
        s->status = run_command(cli, command, s->argc - 2, s->argv + 2);
    cli_flush(cli);
}

int main(int argc, char **argv)
{
    /* For the width of characters; everything else stays as in the C locale. */
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        setlocale(LC_CTYPE, "");
    Start start = {.argc = argc, .argv = argv};
    arena_init(&start.cli.arena, 0);
    start.cli.out.arena = &start.cli.arena;
    if (!arena_try(&start.cli.arena, run, &start)) {
        fprintf(stderr, "weft: out of memory\n");
        start.status = CLI_TROUBLE;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("weft: cannot write");
        start.status = CLI_TROUBLE;
    }
    arena_fini(&start.cli.arena);
    return start.status;
}
