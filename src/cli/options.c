// SPDX-License-Identifier: Apache-2.0
/*
 * options.c - the command line of one command.
 *
 * in     arguments, the command's table of options
 * out    options and operands; messages that say what was meant
 * not    what the options do
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"
#include "cli/cli.h"

/* ---- suggestions ---- */

const char *options_nearest(const char *word, const char *(*name)(uint32_t))
{
    const char *best = NULL;
    Near        near = near_begin(str_of(word));
    for (uint32_t i = 0; name(i); i++)
        if (near_consider(&near, str_of(name(i))))
            best = name(i);
    return best;
}

/* ---- parsing ---- */

static const Option *option_named(const Cli *cli, Str name)
{
    for (const Option *o = cli->command->options; o->name; o++)
        if (str_eq(str_of(o->name), name))
            return o;
    return NULL;
}

static const Option *option_find(const Cli *cli, Str name)
{
    const Option *found = option_named(cli, name);
    for (const OptionAlias *a = cli->command->aliases; a && a->also && !found; a++)
        if (str_eq(str_of(a->also), name))
            found = option_named(cli, str_of(a->name));
    return found;
}

/* "-ctk": NULL if it is letters. */
static const Option *option_of_word(const Cli *cli, const char *arg)
{
    return arg[2] ? option_find(cli, str_of(arg)) : NULL;
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
    Near near = near_begin(name);
    for (const Option *o = cli->command->options; o->name; o++)
        near_consider(&near, str_of(o->name));
    if (near.found.data)
        cli_complain(cli, "there is no option '--%.*s'; did you mean '--%.*s'?",
                     STR_ARG(name), STR_ARG(near.found));
    else
        cli_complain(cli, "there is no option '--%.*s'; see 'weft help %s'", STR_ARG(name),
                     cli->command->name);
    return false;
}

/* An option by its name, with the value after '=', or NULL. */
static bool parse_named(Cli *cli, const Option *o, const char *value, const char *next,
                        bool *taken)
{
    Given given = {o, value};
    if (value && !o->value) {
        cli_complain(cli, "'--%s' takes no value", o->name);
        return false;
    }
    if (!value && o->value && o->value[0] != '[') {
        if (!next) {
            cli_complain(cli, "'--%s' needs a value: --%s=%s", o->name, o->name, o->value);
            return false;
        }
        given.value = next;
        *taken = true;
    }
    VEC_PUSH(&cli->arena, &cli->given, given);
    return true;
}

/* One argument that begins with "--"; `next` is what follows it, or NULL. Sets
 * *taken if `next` was its value. */
static bool parse_long(Cli *cli, const char *arg, const char *next, bool *taken)
{
    const char   *name = arg + 2;
    const char   *equals = strchr(name, '=');
    size_t        len = equals ? (size_t)(equals - name) : strlen(name);
    const Option *o = option_find(cli, (Str){name, (uint32_t)len});
    if (!o)
        return unknown_option(cli, (Str){name, (uint32_t)len});
    return parse_named(cli, o, equals ? equals + 1 : NULL, next, taken);
}

/* "-q", "-qv", "-n 5", "-n5": letters; one that takes a value is the last. */
static bool parse_letters(Cli *cli, const char *arg, const char *next, bool *taken)
{
    for (const char *at = arg + 1; *at; at++) {
        const Option *o = option_of_letter(cli, *at);
        if (!o) {
            cli_complain(cli, "there is no option '-%c'; see 'weft help %s'", *at,
                         cli->command->name);
            return false;
        }
        bool needs = o->value && o->value[0] != '[';
        if (needs && !at[1] && !next) {
            cli_complain(cli, "'-%c' needs a value: -%c %s", *at, *at, o->value);
            return false;
        }
        *taken = needs && !at[1];
        Given given = {o, !needs ? NULL : at[1] ? at + 1 : next};
        VEC_PUSH(&cli->arena, &cli->given, given);
        if (needs)
            return true;
    }
    return true;
}

static bool parse_option(Cli *cli, const char *arg, const char *next, bool *taken)
{
    if (arg[1] == '-')
        return parse_long(cli, arg, next, taken);
    const Option *o = option_of_word(cli, arg);
    return o ? parse_named(cli, o, NULL, next, taken) : parse_letters(cli, arg, next, taken);
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
        else if (!parse_option(cli, arg, i + 1 < argc ? argv[i + 1] : NULL, &taken))
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

/* ---- values ---- */

bool options_given(const Cli *cli, const char *name)
{
    return options_find(cli, name, &(const char *){NULL});
}

bool options_real(Cli *cli, const char *name, double *out)
{
    const char *text = NULL;
    char       *end;
    if (!options_find(cli, name, &text))
        return true;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) {
        cli_complain(cli, "--%s: '%s' is not a number", name, text);
        return false;
    }
    *out = value;
    return true;
}

bool options_uint(Cli *cli, const char *name, uint32_t *out)
{
    double value = *out;
    if (!options_real(cli, name, &value))
        return false;
    if (value < 0 || value > 0x7fffffff || value != floor(value)) {
        cli_complain(cli, "--%s must be a whole number that is not negative", name);
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

/* words: ended by NULL */
bool options_choice(Cli *cli, const char *name, const char *const *words, uint32_t *out)
{
    const char *text = NULL;
    if (!options_find(cli, name, &text))
        return true;
    for (uint32_t i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return true;
        }
    Text known = {.arena = &cli->arena};
    for (uint32_t i = 0; words[i]; i++)
        text_printf(&known, "%s%s", i ? ", " : "", words[i]);
    cli_complain(cli, "--%s: unknown value '%s': expected %s", name, text, known.data);
    return false;
}
