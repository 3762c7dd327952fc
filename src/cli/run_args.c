// SPDX-License-Identifier: Apache-2.0
/*
 * run_args.c - the command line of `weft run` becomes wishes.
 *
 * in     options and operands
 * out    Run: what to read, what to write, what to ask of the device
 * not    the kernel: whether there are such bindings is for run_plan.c
 */
#include "cli/run_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_FIRST 64                /* elements of an array that are printed     */
#define DEFAULT_RUNS  10

/* ---- NAME=VALUE ---- */

static Wish wish_of(Run *r, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return (Wish){.name = text};
    return (Wish){
        .name = arena_printf(&r->cli->arena, "%.*s", (int)(equals - text), text),
        .value = equals + 1,
    };
}

static bool add_wish(Run *r, Wishes *list, const char *option, const char *text, bool needs_value)
{
    Wish w = wish_of(r, text);
    if (!*w.name || (needs_value && !w.value))
        return run_fail(r, "%s needs NAME=VALUE, not '%s'", option, text);
    VEC_PUSH(&r->cli->arena, list, w);
    return true;
}

static bool parse_wishes(Run *r)
{
    for (uint32_t i = 0; i < r->cli->given.len; i++) {
        const Given *g = &r->cli->given.data[i];
        const char  *name = g->option->name;
        bool         ok = true;
        if (strcmp(name, "in") == 0)
            ok = add_wish(r, &r->in, "--in", g->value, true);
        else if (strcmp(name, "out") == 0)
            ok = add_wish(r, &r->out, "--out", g->value, false);
        else if (strcmp(name, "image") == 0)
            ok = add_wish(r, &r->image, "--image", g->value, true);
        if (!ok)
            return false;
    }
    for (uint32_t i = 1; i < r->cli->operands.len; i++) {
        const char *text = r->cli->operands.data[i];
        if (!strchr(text, '='))
            return run_fail(r, "'%s' is one file too many; what follows the file gives "
                            "values, as in x=1,2,3", text);
        if (!add_wish(r, &r->in, "a value", text, true))
            return false;
    }
    return true;
}

/* ---- numbers ---- */

/* A whole number from `low` to `high`. */
static bool parse_whole(Run *r, const char *option, uint64_t low, uint64_t high, uint64_t *out)
{
    const char *text = NULL;
    if (!options_find(r->cli, option, &text) || !text)
        return true;
    if (count_parse(str_of(text), out) && *out >= low && *out <= high)
        return true;
    return run_fail(r, "--%s is a whole number from %llu to %llu, not '%s'", option,
                    (unsigned long long)low, (unsigned long long)high, text);
}

static bool parse_lanes(Run *r)
{
    uint64_t lanes = 0;
    if (!parse_whole(r, "lanes", 1, 16, &lanes))
        return false;
    r->device_desc.lanes = (uint32_t)lanes;
    if (lanes == 0 || lanes == 1 || lanes == 4 || lanes == 8 || lanes == 16)
        return true;
    return run_fail(r, "--lanes is 1, 4, 8 or 16, not %llu", (unsigned long long)lanes);
}

static bool parse_deadline(Run *r)
{
    const char *text;
    char       *end;
    if (!options_find(r->cli, "deadline", &text))
        return true;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0) || seconds > 1e9)
        return run_fail(r, "--deadline is a number of seconds above 0, not '%s'", text);
    r->device_desc.deadline = (uint64_t)ceil(seconds * 1e9);
    return true;
}

static bool parse_device(Run *r)
{
    uint64_t threads = 0;
    options_find(r->cli, "adapter", &r->device_desc.adapter);
    options_find(r->cli, "cpu", &r->device_desc.cpu);
    r->device_desc.no_cache = options_find(r->cli, "no-cache", NULL);
    if (!parse_whole(r, "threads", 1, 1024, &threads))
        return false;
    r->device_desc.threads = (uint32_t)threads;
    return parse_lanes(r) && parse_deadline(r);
}

/* "X", "X,Y", "X,Y,Z" or "auto". */
static bool parse_groups(Run *r)
{
    const char *text = "auto";
    options_find(r->cli, "groups", &text);
    r->auto_groups = strcmp(text, "auto") == 0;
    if (r->auto_groups)
        return true;
    const char *at = text;
    r->asked_groups[1] = r->asked_groups[2] = 1;
    for (int i = 0; i < 3; i++) {
        size_t   len = strcspn(at, ",");
        uint64_t n;
        if (!count_parse((Str){at, (uint32_t)len}, &n) || n > UINT32_MAX)
            break;
        r->asked_groups[i] = (uint32_t)n;
        at += len;
        if (!*at)
            return true;
        at++;
    }
    return run_fail(r, "--groups is auto, or one to three whole numbers, X,Y,Z, not '%s'", text);
}

static bool parse_amounts(Run *r)
{
    uint64_t runs = DEFAULT_RUNS;
    r->first = DEFAULT_FIRST;
    if (!parse_whole(r, "first", 0, UINT32_MAX, &r->first)
        || !parse_whole(r, "time", 1, 1000000, &runs))
        return false;
    if (options_find(r->cli, "time", NULL))
        r->times.runs = (uint32_t)runs;
    return true;
}

bool run_args(Run *r)
{
    Cli *cli = r->cli;
    r->json = options_find(cli, "json", NULL);
    r->quiet = options_find(cli, "quiet", NULL);
    r->all = options_find(cli, "all", NULL);
    if (cli->operands.len == 0)
        return run_fail(r, "no file; name one, or - for standard input");
    r->file = cli->operands.data[0];
    return options_color(cli) && settings_parse(cli, &r->settings) && parse_wishes(r)
        && parse_device(r) && parse_groups(r) && parse_amounts(r);
}
