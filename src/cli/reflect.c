// SPDX-License-Identifier: Apache-2.0
/*
 * reflect.c - `weft reflect`: what a module declares.
 *
 * in     a file; values for overrides
 * out    tables of entry points, bindings, overrides and structures, or JSON
 */
#include "cli/cli.h"
#include "cli/reflect_priv.h"

static const Option options[] = {
    {"json", 0, NULL, "print JSON, for programs"},
    {"set", 0, "NAME=VALUE", "give an override a value, by name or @id; may be repeated"},
    {"color", 0, "WHEN", "auto (default: on a terminal, unless NO_COLOR is set), always, never"},
    {0},
};

/* ---- words ---- */

const char *reflect_stage(weft_stage stage)
{
    static const char *const words[] = {
        [WEFT_STAGE_VERTEX] = "vertex",
        [WEFT_STAGE_FRAGMENT] = "fragment",
        [WEFT_STAGE_COMPUTE] = "compute",
    };
    return words[stage];
}

const char *reflect_binding_kind(weft_binding_kind kind)
{
    static const char *const words[] = {
        [WEFT_BINDING_UNIFORM] = "uniform",
        [WEFT_BINDING_STORAGE] = "storage",
        [WEFT_BINDING_READ_ONLY_STORAGE] = "read-only-storage",
        [WEFT_BINDING_SAMPLER] = "sampler",
        [WEFT_BINDING_COMPARISON_SAMPLER] = "comparison-sampler",
        [WEFT_BINDING_TEXTURE] = "texture",
        [WEFT_BINDING_STORAGE_TEXTURE] = "storage-texture",
        [WEFT_BINDING_EXTERNAL_TEXTURE] = "external-texture",
    };
    return words[kind];
}

const char *reflect_scalar(weft_scalar scalar)
{
    static const char *const words[] = {
        [WEFT_SCALAR_BOOL] = "bool", [WEFT_SCALAR_I32] = "i32",
        [WEFT_SCALAR_U32] = "u32", [WEFT_SCALAR_F32] = "f32",
        [WEFT_SCALAR_F16] = "f16", [WEFT_SCALAR_F64] = "f64",
    };
    return words[scalar];
}

const char *reflect_default(Arena *a, const weft_override *o)
{
    if (!o->default_known)
        return NULL;
    if (o->type == WEFT_SCALAR_BOOL)
        return o->default_value != 0 ? "true" : "false";
    bool whole = o->type == WEFT_SCALAR_I32 || o->type == WEFT_SCALAR_U32;
    return arena_printf(a, "%.*g", whole ? 17 : 9, o->default_value);
}

/* ---- entry points ---- */

static void show_bindings(Cli *cli, const weft_entry_point *e)
{
    Table t = {.arena = &cli->arena, .indent = "  ", .columns = 7};
    static const char *const head[] = {"group", "binding", "name", "kind", "type",
                                       "access", "min bytes"};
    table_row(&t, head);
    for (uint32_t i = 0; i < e->binding_count; i++) {
        const weft_wgsl_binding *b = &e->bindings[i];
        const char *row[] = {
            arena_printf(&cli->arena, "%u", b->group),
            arena_printf(&cli->arena, "%u", b->binding),
            b->name, reflect_binding_kind(b->kind), b->type, b->access,
            b->min_size ? arena_printf(&cli->arena, "%llu", (unsigned long long)b->min_size)
                        : "-",
        };
        table_row(&t, row);
    }
    if (e->binding_count)
        table_print(&cli->out, &t);
}

static void show_overrides_used(Cli *cli, const weft_wgsl *m, const weft_entry_point *e)
{
    for (uint32_t i = 0; i < e->override_count; i++) {
        const weft_override *o = weft_wgsl_override_get(m, e->overrides[i]);
        text_printf(&cli->out, "%s%s", i ? ", " : "  overrides: ", o->name);
    }
    if (e->override_count)
        text_char(&cli->out, '\n');
}

static void show_size(Text *out, const uint32_t size[3], uint64_t memory)
{
    text_printf(out, ", workgroup size %u x %u x %u", size[0], size[1], size[2]);
    if (memory)
        text_printf(out, ", %llu bytes of workgroup memory", (unsigned long long)memory);
}

/* What pipeline creation makes of an entry point. */
typedef struct Outcome {
    bool             ok;
    weft_specialized special;
    char             why[512];
} Outcome;

static void show_compute(Text *out, const weft_entry_point *e, const Outcome *outcome)
{
    if (outcome->ok)
        show_size(out, outcome->special.workgroup_size, outcome->special.workgroup_memory);
    else if (e->size_known)
        show_size(out, e->workgroup_size, e->workgroup_memory);
    else
        text_add(out, STR(", overrides decide the workgroup size"));
}

/* False: the values that were given do not make a pipeline. */
static bool show_entry_point(Cli *cli, const weft_wgsl *m, const weft_entry_point *e,
                             const Settings *settings)
{
    Outcome outcome = {0};
    outcome.ok = weft_wgsl_specialize(m, e->name, settings->data, settings->len,
                                      &outcome.special, outcome.why, sizeof outcome.why);
    bool failed = settings->len && !outcome.ok;
    text_printf(&cli->out, "entry point '%s': %s", e->name, reflect_stage(e->stage));
    if (e->stage == WEFT_STAGE_COMPUTE)
        show_compute(&cli->out, e, &outcome);
    if (e->immediate_size)
        text_printf(&cli->out, ", %u bytes of immediate data", e->immediate_size);
    text_char(&cli->out, '\n');
    if (failed)
        text_printf(&cli->out, "  cannot become a pipeline: %s\n", outcome.why);
    show_bindings(cli, e);
    show_overrides_used(cli, m, e);
    text_char(&cli->out, '\n');
    return !failed;
}

/* ---- overrides and structures ---- */

static void show_overrides(Cli *cli, const weft_wgsl *m)
{
    Table t = {.arena = &cli->arena, .indent = "  ", .columns = 4};
    static const char *const head[] = {"name", "id", "type", "default"};
    table_row(&t, head);
    for (uint32_t i = 0; i < weft_wgsl_override_count(m); i++) {
        const weft_override *o = weft_wgsl_override_get(m, i);
        const char *value = reflect_default(&cli->arena, o);
        if (!value)
            value = o->has_default ? "an expression" : "none: must be set";
        const char *row[] = {
            o->name, o->has_id ? arena_printf(&cli->arena, "%u", o->id) : "-",
            reflect_scalar(o->type), value,
        };
        table_row(&t, row);
    }
    text_add(&cli->out, STR("overrides\n"));
    table_print(&cli->out, &t);
    text_char(&cli->out, '\n');
}

static const char *number(Arena *a, uint64_t n, bool known)
{
    return known ? arena_printf(a, "%llu", (unsigned long long)n) : "-";
}

static void show_struct(Cli *cli, const weft_struct *s)
{
    Table t = {.arena = &cli->arena, .indent = "  ", .columns = 5};
    static const char *const head[] = {"offset", "align", "size", "name", "type"};
    bool laid_out = s->align != 0;
    text_printf(&cli->out, "struct '%s'", s->name);
    if (laid_out)
        text_printf(&cli->out, ": align %u, size %llu\n", s->align,
                    (unsigned long long)s->size);
    else
        text_add(&cli->out, STR(": not host-shareable\n"));
    table_row(&t, head);
    for (uint32_t i = 0; i < s->member_count; i++) {
        const weft_member *m = &s->members[i];
        const char *row[] = {
            number(&cli->arena, m->offset, laid_out), number(&cli->arena, m->align, laid_out),
            number(&cli->arena, m->size, laid_out && m->size), m->name, m->type,
        };
        table_row(&t, row);
    }
    table_print(&cli->out, &t);
    text_char(&cli->out, '\n');
}

static bool show_module(Cli *cli, const weft_wgsl *m, const Settings *settings)
{
    bool ok = true;
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(m); i++)
        ok = show_entry_point(cli, m, weft_wgsl_entry_point_get(m, i), settings) && ok;
    if (weft_wgsl_override_count(m))
        show_overrides(cli, m);
    for (uint32_t i = 0; i < weft_wgsl_struct_count(m); i++)
        show_struct(cli, weft_wgsl_struct_get(m, i));
    if (cli->out.len == 0)
        text_add(&cli->out, STR("the module declares no entry points, overrides or structures\n"));
    else if (cli->out.data[cli->out.len - 1] == '\n')
        cli->out.len--;                 /* the empty line after the last part */
    return ok;
}

/* ---- the command ---- */

static int reflect(Cli *cli, const Source *s, const weft_wgsl *m, const Settings *settings)
{
    if (options_find(cli, "json", NULL))
        return reflect_json(cli, s->name, m, settings) ? CLI_OK : CLI_FOUND;
    if (weft_wgsl_ok(m))
        return show_module(cli, m, settings) ? CLI_OK : CLI_FOUND;
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(m); i++)
        show_diagnostic(cli, s->name, m, weft_wgsl_diagnostic_get(m, i), false);
    return CLI_FOUND;
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
    int        status = CLI_TROUBLE;
    Source     s = input_read(&cli->arena, cli->operands.data[0]);
    weft_wgsl *m = s.why ? NULL : input_check(&s, NULL, NULL);
    if (m) {
        settings_settle(cli, m, &settings);
        status = reflect(cli, &s, m, &settings);
    } else
        cli_complain(cli, "cannot read %s: %s", s.name, s.why ? s.why : "out of memory");
    cli_flush(cli);
    weft_wgsl_release(m);
    input_release(&s);
    return status;
}

const Command cli_reflect = {
    .name = "reflect", .operands = "FILE",
    .purpose = "Show entry points, bindings, overrides and structure layouts.",
    .more = "A FILE of - is standard input.\n",
    .options = options, .run = run,
};
