// SPDX-License-Identifier: Apache-2.0
/*
 * options.c - the command line of one command.
 *
 * in     arguments, the command's table of options
 * out    options and operands; messages that say what was meant
 * not    what the options do
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* ---- suggestions ---- */

#define MAX_WORD 64

/* How many letters must change (Levenshtein), for words up to MAX_WORD. */
static uint32_t distance(const char *from, const char *to)
{
    size_t   n = strlen(from), m = strlen(to);
    uint32_t row[MAX_WORD + 1];
    if (n > MAX_WORD || m > MAX_WORD)
        return UINT32_MAX;
    for (size_t j = 0; j <= m; j++)
        row[j] = (uint32_t)j;
    for (size_t i = 1; i <= n; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= m; j++) {
            uint32_t change = diagonal + (from[i - 1] != to[j - 1]);
            uint32_t other = MIN_OF(row[j], row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = MIN_OF(change, other);
        }
    }
    return row[m];
}

const char *options_nearest(const char *word, const char *(*name)(uint32_t))
{
    const char *best = NULL;
    uint32_t    least = (uint32_t)MIN_OF(strlen(word), (size_t)MAX_WORD) / 3 + 1;
    for (uint32_t i = 0; name(i); i++) {
        uint32_t d = distance(word, name(i));
        if (d <= least && (!best || d < least)) {
            best = name(i);
            least = d;
        }
    }
    return best;
}

/* ---- parsing ---- */

static const Option *option_find(const Cli *cli, Str name)
{
    for (const Option *o = cli->command->options; o->name; o++)
        if (str_eq(str_of(o->name), name))
            return o;
    return NULL;
}

static const Option *option_of_letter(const Cli *cli, char letter)
{
    for (const Option *o = cli->command->options; o->name; o++)
        if (o->letter == letter)
            return o;
    return NULL;
}

static bool unknown_option(Cli *cli, Str name)
{
    const Option *near = NULL;
    const char   *word = arena_printf(&cli->arena, "%.*s", STR_ARG(name));
    uint32_t      least = name.len / 3 + 2;
    for (const Option *o = cli->command->options; o->name; o++) {
        uint32_t d = distance(word, o->name);
        if (d < least) {
            least = d;
            near = o;
        }
    }
    if (near)
        cli_complain(cli, "there is no option '--%s'; did you mean '--%s'?", word,
                     near->name);
    else
        cli_complain(cli, "there is no option '--%s'; see 'weft help %s'", word,
                     cli->command->name);
    return false;
}

/* One argument that begins with "--"; `next` is what follows it, or NULL. Sets
 * *taken if `next` was its value. */
static bool parse_long(Cli *cli, const char *arg, const char *next, bool *taken)
{
    const char   *name = arg + 2;
    const char   *equals = strchr(name, '=');
    size_t        len = equals ? (size_t)(equals - name) : strlen(name);
    const Option *o = option_find(cli, (Str){name, (uint32_t)len});
    Given         given = {o, equals ? equals + 1 : NULL};
    if (!o)
        return unknown_option(cli, (Str){name, (uint32_t)len});
    if (equals && !o->value) {
        cli_complain(cli, "'--%s' takes no value", o->name);
        return false;
    }
    if (!equals && o->value) {
        if (!next) {
            cli_complain(cli, "'--%s' needs a value: --%s=%s", o->name, o->name,
                         o->value);
            return false;
        }
        given.value = next;
        *taken = true;
    }
    VEC_PUSH(&cli->arena, &cli->given, given);
    return true;
}

/* "-q", "-qv": letters that take no value. */
static bool parse_letters(Cli *cli, const char *arg)
{
    for (const char *at = arg + 1; *at; at++) {
        const Option *o = option_of_letter(cli, *at);
        if (!o || o->value) {
            cli_complain(cli, "there is no option '-%c'; see 'weft help %s'", *at,
                         cli->command->name);
            return false;
        }
        VEC_PUSH(&cli->arena, &cli->given, ((Given){o, NULL}));
    }
    return true;
}

bool options_parse(Cli *cli, int argc, char **argv)
{
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i];
        bool        taken = false;
        if (only_operands || arg[0] != '-' || arg[1] == '\0')
            VEC_PUSH(&cli->arena, &cli->operands, arg);
        else if (strcmp(arg, "--") == 0)
            only_operands = true;
        else if (arg[1] == '-') {
            if (!parse_long(cli, arg, i + 1 < argc ? argv[i + 1] : NULL, &taken))
                return false;
        } else if (!parse_letters(cli, arg))
            return false;
        i += taken;
    }
    return true;
}

bool options_find(const Cli *cli, const char *name, const char **value)
{
    for (uint32_t i = cli->given.len; i-- > 0;) {
        if (strcmp(cli->given.data[i].option->name, name) != 0)
            continue;
        if (value)
            *value = cli->given.data[i].value;
        return true;
    }
    return false;
}

/* ---- options of several commands ---- */

static bool terminal_wants_color(void)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no_color && *no_color)
        return false;
    return isatty(STDOUT_FILENO) && (!term || strcmp(term, "dumb") != 0);
}

bool options_color(Cli *cli)
{
    const char *when = "auto";
    options_find(cli, "color", &when);
    if (strcmp(when, "auto") == 0)
        cli->color = terminal_wants_color();
    else if (strcmp(when, "always") == 0 || strcmp(when, "never") == 0)
        cli->color = strcmp(when, "always") == 0;
    else {
        cli_complain(cli, "--color is 'auto', 'always' or 'never', not '%s'", when);
        return false;
    }
    return true;
}

static bool is_name(const char *word, const char *(*name)(uint32_t))
{
    for (uint32_t i = 0; name(i); i++)
        if (strcmp(word, name(i)) == 0)
            return true;
    return false;
}

static bool unknown_feature(Cli *cli, const char *option, const char *word,
                            const char *(*name)(uint32_t))
{
    const char *near = options_nearest(word, name);
    if (near)
        cli_complain(cli, "--%s: there is no '%s'; did you mean '%s'?", option, word, near);
    else {
        Text all = {.arena = &cli->arena};
        for (uint32_t i = 0; name(i); i++)
            text_printf(&all, "%s%s", i ? ", " : "", name(i));
        cli_complain(cli, "--%s: there is no '%s'; there are %s", option, word, all.data);
    }
    return false;
}

bool options_features(Cli *cli, const char *option, const char *(*name)(uint32_t),
                      const char *const **list)
{
    VEC(const char *) found = {0};
    bool given = false;
    for (uint32_t i = 0; i < cli->given.len; i++) {
        if (strcmp(cli->given.data[i].option->name, option) != 0)
            continue;
        given = true;
        const char *at = cli->given.data[i].value;
        while (*at) {
            size_t      len = strcspn(at, ",");
            const char *word = arena_printf(&cli->arena, "%.*s", (int)len, at);
            if (*word && !is_name(word, name))
                return unknown_feature(cli, option, word, name);
            if (*word)
                VEC_PUSH(&cli->arena, &found, word);
            at += len + (at[len] == ',');
        }
    }
    VEC_PUSH(&cli->arena, &found, NULL);
    *list = given ? found.data : NULL;
    return true;
}
