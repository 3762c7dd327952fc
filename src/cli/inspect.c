// SPDX-License-Identifier: Apache-2.0
/*
 * inspect.c - `weft inspect`: what a kernel will do, without running it.
 *
 * in     a file; an entry point; values for overrides
 * out    accesses with their patterns, counts, hints; JSON; or the kernel rewritten
 * knows  weft/kernel.h
 */
#include "cli/cli.h"

#include <string.h>
#include <weft/kernel.h>

static const Option options[] = {
    {"json", 0, NULL, "print JSON, for programs"},
    {"optimize", 0, NULL, "print the kernel with better axes and workgroup size"},
    {"entry", 0, "NAME", "the entry point (default: the only one)"},
    {"set", 0, "NAME=VALUE", "give an override a value, by name or @id; may be repeated"},
    {"color", 0, "WHEN", "auto (default: on a terminal, unless NO_COLOR is set), always, never"},
    {0},
};

/* ---- for people ---- */

static void show_counts(Cli *cli, const weft_kernel_info *i)
{
    text_printf(&cli->out, "entry point '%s', workgroups of %u x %u x %u\n", i->entry,
                i->workgroup_size[0], i->workgroup_size[1], i->workgroup_size[2]);
    text_printf(&cli->out, "  per invocation: %s float operations, %s functions, %s integer "
                "operations\n", i->float_operations.text, i->functions.text,
                i->integer_operations.text);
    text_printf(&cli->out, "  bytes: %s read, %s written; %.3g operations per byte\n",
                i->bytes_read.text, i->bytes_written.text, i->intensity);
    text_printf(&cli->out, "  about %u registers, %llu bytes of workgroup memory, %u barrier%s\n",
                i->registers, (unsigned long long)i->workgroup_memory, i->barriers,
                i->barriers == 1 ? "" : "s");
    text_printf(&cli->out, "  branches: %u, of which neighbours take %u differently\n", i->branches,
                i->divergent_branches);
    text_printf(&cli->out, "  the workgroup size %s change: %s\n",
                i->resizable ? "may" : "must not", i->resizable_reason);
}

static void show_accesses(Cli *cli, const weft_kernel *k)
{
    Table t = {.arena = &cli->arena, .indent = "  ", .columns = 7};
    static const char *const head[] = {"line", "variable", "access", "pattern", "stride",
                                       "bytes", "times"};
    table_row(&t, head);
    for (uint32_t i = 0; i < weft_kernel_access_count(k); i++) {
        const weft_kernel_access *a = weft_kernel_access_get(k, i);
        const char *row[] = {
            arena_printf(&cli->arena, "%u", a->line), a->variable,
            a->atomic ? "atomic" : a->write ? "store" : "load",
            weft_kernel_pattern_name(a->pattern), a->stride_text,
            arena_printf(&cli->arena, "%u", a->bytes), a->times.text,
        };
        table_row(&t, row);
    }
    if (weft_kernel_access_count(k))
        table_print(&cli->out, &t);
}

static void show_hints(Cli *cli, const char *file, const weft_kernel *k)
{
    for (uint32_t i = 0; i < weft_kernel_hint_count(k); i++) {
        const weft_kernel_hint *h = weft_kernel_hint_get(k, i);
        text_printf(&cli->out, "%s:%u:%u: %s [%s]\n    %s; expected gain %.2g times\n", file,
                    h->line, h->column, h->message, h->id, h->reason, h->gain);
    }
}

static void optimized_json(Cli *cli, const weft_kernel_optimized *o)
{
    text_printf(&cli->out, "{\"workgroup_size\":[%u,%u,%u],\"axes_swapped\":%s,\"changes\":[",
                o->workgroup_size[0], o->workgroup_size[1], o->workgroup_size[2],
                o->axes_swapped ? "true" : "false");
    for (uint32_t i = 0; i < o->change_count; i++) {
        text_printf(&cli->out, "%s", i ? "," : "");
        text_json(&cli->out, str_of(o->changes[i]));
    }
    text_add(&cli->out, STR("],\"wgsl\":"));
    text_json(&cli->out, str_of(o->wgsl));
    text_add(&cli->out, STR("}\n"));
}

static int show_optimized(Cli *cli, weft_kernel *k)
{
    weft_kernel_optimized o;
    weft_kernel_optimize(&o, k);
    if (options_find(cli, "json", NULL)) {
        optimized_json(cli, &o);
        return CLI_OK;
    }
    for (uint32_t i = 0; i < o.change_count; i++)
        text_printf(&cli->out, "// %s\n", o.changes[i]);
    if (o.axes_swapped)
        text_add(&cli->out, STR("// exchange x and y of the workgroup counts, too\n"));
    text_printf(&cli->out, "%s", o.wgsl);
    return CLI_OK;
}

/* ---- the command ---- */

static int inspect(Cli *cli, const Source *s, weft_kernel *k)
{
    if (!k || weft_kernel_error(k)) {
        cli_complain(cli, "%s: %s", s->name, k ? weft_kernel_error(k) : "out of memory");
        return k ? CLI_FOUND : CLI_TROUBLE;
    }
    if (options_find(cli, "optimize", NULL))
        return show_optimized(cli, k);
    if (options_find(cli, "json", NULL)) {
        text_printf(&cli->out, "%s\n", weft_kernel_json(k));
        return CLI_OK;
    }
    weft_kernel_info info;
    weft_kernel_get_info(&info, k);
    show_counts(cli, &info);
    show_accesses(cli, k);
    show_hints(cli, s->name, k);
    return CLI_OK;
}

static int run(Cli *cli)
{
    Settings settings = {0};
    if (!options_color(cli) || !settings_parse(cli, &settings))
        return CLI_TROUBLE;
    if (cli->operands.len != 1) {
        cli_complain(cli, "%s", cli->operands.len ? "one file at a time"
                                                  : "no file; name one, or - for standard input");
        return CLI_TROUBLE;
    }
    Source s = input_read(&cli->arena, cli->operands.data[0]);
    if (s.why) {
        cli_complain(cli, "cannot read %s: %s", s.name, s.why);
        return CLI_TROUBLE;
    }
    const char *entry = NULL;
    options_find(cli, "entry", &entry);
    weft_kernel *k = weft_kernel_create(&(weft_kernel_desc){
        .wgsl = s.text, .wgsl_size = s.size, .entry = entry,
        .constants = settings.data, .constant_count = settings.len,
    });
    int status = inspect(cli, &s, k);
    cli_flush(cli);
    weft_kernel_release(k);
    input_release(&s);
    return status;
}

const Command cli_inspect = {
    .name = "inspect", .operands = "FILE",
    .purpose = "Show memory accesses, counts and hints of a kernel, without running it.",
    .more = "A FILE of - is standard input. Counts are per invocation; names in them are\n"
            "values that are known when the kernel runs.\n",
    .options = options, .run = run,
};
