// SPDX-License-Identifier: Apache-2.0
/*
 * entry.c - the kernel that a command line means: a file, one entry point of it.
 *
 * in     the operand FILE, --entry
 * out    a checked module and a compute entry point, or messages
 * not    what is done with it
 */
#include <string.h>

#include "cli/cli.h"

static void list_entry_points(const weft_wgsl *m, Text *out)
{
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(m); i++) {
        const weft_entry_point *e = weft_wgsl_entry_point_get(m, i);
        if (e->stage == WEFT_STAGE_COMPUTE)
            text_printf(out, "%s%s", out->len ? ", " : "", e->name);
    }
}

static const weft_entry_point *find_named(const weft_wgsl *m, const char *name)
{
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(m); i++)
        if (strcmp(weft_wgsl_entry_point_get(m, i)->name, name) == 0)
            return weft_wgsl_entry_point_get(m, i);
    return NULL;
}

/* The first compute entry point; sets *count to how many there are. */
static const weft_entry_point *find_compute(const weft_wgsl *m, uint32_t *count)
{
    const weft_entry_point *first = NULL;
    for (uint32_t i = weft_wgsl_entry_point_count(m); i-- > 0;) {
        const weft_entry_point *e = weft_wgsl_entry_point_get(m, i);
        if (e->stage == WEFT_STAGE_COMPUTE) {
            first = e;
            ++*count;
        }
    }
    return first;
}

const char *entry_choose(Cli *cli, const weft_wgsl *m, const weft_entry_point **out)
{
    const char *name = NULL;
    uint32_t    count = 0;
    Text        all = {.arena = &cli->arena};
    options_find(cli, "entry", &name);
    const weft_entry_point *e = find_compute(m, &count);
    list_entry_points(m, &all);
    if (!e)
        return "the module has no compute entry point: nothing to run";
    if (!name && count > 1)
        return arena_printf(&cli->arena, "the module has %u compute entry points; name one "
                            "with --entry: %s", count, all.data);
    if (name)
        e = find_named(m, name);
    if (!e)
        return arena_printf(&cli->arena, "there is no entry point '%s'; there are %s", name,
                            all.data);
    if (e->stage != WEFT_STAGE_COMPUTE)
        return arena_printf(&cli->arena, "'%s' is not a compute entry point; there are %s", name,
                            all.data);
    *out = e;
    return NULL;
}

int entry_load(Cli *cli, const char *name, Source *source, weft_wgsl **out)
{
    bool json = options_find(cli, "json", NULL);
    *source = input_read(&cli->arena, name);
    weft_wgsl *m = source->why ? NULL : input_check(source, NULL, NULL);
    if (!m) {
        cli_complain(cli, "cannot read %s: %s", source->name,
                     source->why ? source->why : "out of memory");
        return CLI_TROUBLE;
    }
    *out = m;
    for (uint32_t i = 0; !json && i < weft_wgsl_diagnostic_count(m); i++)
        show_diagnostic(cli, source->name, m, weft_wgsl_diagnostic_get(m, i), false);
    if (!weft_wgsl_ok(m))
        return CLI_FOUND;
    cli_flush_aside(cli);               /* warnings: results come on standard output */
    return CLI_OK;
}
