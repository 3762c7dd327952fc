// SPDX-License-Identifier: Apache-2.0
/*
 * settings.c - `--set NAME=VALUE`: values for overrides.
 *
 * in     the command line, the overrides of a module
 * out    keys as the API wants them, with their values
 * not    whether an override takes the value: pipeline creation says that
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* "NAME=VALUE" with a number, true or false. */
bool settings_add(Cli *cli, Settings *settings, const char *text)
{
    const char *equals = strchr(text, '=');
    char       *end = NULL;
    if (!equals || equals == text) {
        cli_complain(cli, "--set needs NAME=VALUE, not '%s'", text);
        return false;
    }
    weft_override_value v = {
        .key = arena_printf(&cli->arena, "%.*s", (int)(equals - text), text),
    };
    const char *value = equals + 1;
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
        v.value = strcmp(value, "true") == 0;
    else {
        v.value = strtod(value, &end);
        if (end == value || *end) {
            cli_complain(cli, "--set: '%s' is not a number, true or false", value);
            return false;
        }
    }
    VEC_PUSH(&cli->arena, settings, v);
    return true;
}

bool settings_parse(Cli *cli, Settings *settings)
{
    for (uint32_t i = 0; i < cli->given.len; i++)
        if (strcmp(cli->given.data[i].option->name, "set") == 0
            && !settings_add(cli, settings, cli->given.data[i].value))
            return false;
    return true;
}

void settings_settle(Cli *cli, const weft_wgsl *m, Settings *settings)
{
    for (uint32_t i = 0; i < settings->len; i++)
        for (uint32_t k = 0; k < weft_wgsl_override_count(m); k++) {
            const weft_override *o = weft_wgsl_override_get(m, k);
            if (o->has_id && strcmp(o->name, settings->data[i].key) == 0)
                settings->data[i].key = arena_printf(&cli->arena, "%u", o->id);
        }
}
