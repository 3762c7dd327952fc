// SPDX-License-Identifier: Apache-2.0
/*
 * compile.c - `weft compile`: what the compiler for the CPU makes of a kernel.
 *
 * in     a file, an entry point, override values
 * out    a report, or what one stage of the compiler leaves
 * knows  compile/, as the only command: stages are nothing that webgpu.h shows
 */
#include "compile/compile.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "compile/pipeline.h"

static const Option options[] = {
    {"entry", 0, "NAME", "the entry point (default: all, or for --dump the only one)"},
    {"dump", 0, "STAGE", "print what this stage of the compiler leaves; 'list' lists them"},
    {"set", 0, "NAME=VALUE", "give an override a value, by name or @id; may be repeated"},
    {"lanes", 0, "N", "invocations at a time: 1, 4, 8, 16 or 32 (default: what suits)"},
    {"cpu", 0, "NAME", "the processor to compile for, such as x86-64-v3 (default: this one)"},
    {"assume", 0, "WHAT", "of workgroups: nothing (default), bounds, inner, usual"},
    {"quick", 0, NULL, "the version that a device makes first, which LLVM optimises little"},
    {"color", 0, "WHEN", "auto (default: on a terminal, unless NO_COLOR is set), always, never"},
    {0},
};

typedef struct Compile {
    Cli             *cli;
    const char      *stage;             /* NULL: a report                            */
    CompileOptions   options;
    Machine          machine;
    Settings         settings;
    Source           source;
    weft_wgsl       *wgsl;              /* for diagnostics and reflection            */
    const Module    *module;
    Diag             diag;
    OverrideSetting *overrides;         /* [settings.len]                            */
    double           front_ms;
} Compile;

/* ---- options ---- */

static void list_stages(Text *out)
{
    for (const char *const *stage = compile_stages(); *stage; stage++)
        text_printf(out, "%s\n", *stage);
}

static const char *stage_name(uint32_t index)
{
    return compile_stages()[index];
}

static bool parse_stage(Compile *k)
{
    if (!options_find(k->cli, "dump", &k->stage))
        return true;
    for (uint32_t i = 0; stage_name(i); i++)
        if (strcmp(stage_name(i), k->stage) == 0)
            return true;
    const char *near = options_nearest(k->stage, stage_name);
    if (near)
        cli_complain(k->cli, "there is no stage '%s'; did you mean '%s'?", k->stage, near);
    else
        cli_complain(k->cli, "there is no stage '%s'; --dump=list lists them", k->stage);
    return false;
}

static bool parse_lanes(Compile *k)
{
    static const uint32_t allowed[] = {1, 4, 8, 16, 32};
    const char *text;
    if (!options_find(k->cli, "lanes", &text))
        return true;
    char         *end;
    unsigned long lanes = strtoul(text, &end, 10);
    for (size_t i = 0; i < COUNTOF(allowed); i++)
        if (end != text && !*end && lanes == allowed[i]) {
            k->options.lanes = allowed[i];
            return true;
        }
    cli_complain(k->cli, "--lanes is 1, 4, 8, 16 or 32, not '%s'", text);
    return false;
}

static bool parse_cpu(Compile *k)
{
    const char *name;
    if (!options_find(k->cli, "cpu", &name))
        return true;
    Diag diag = {.arena = &k->cli->arena};
    if (compile_find_machine(&k->machine, name, false, &diag)) {
        k->options.machine = &k->machine;
        return true;
    }
    cli_complain(k->cli, "%s", diag.list.data[0].message);
    return false;
}

/* What the form of a kernel takes for granted that runs where it was proved. */
static bool parse_assume(Compile *k)
{
    static const char *const names[] = {
        [ASSUME_NOTHING] = "nothing", [ASSUME_BOUNDS] = "bounds", [ASSUME_INNER] = "inner",
        [ASSUME_USUAL] = "usual",
    };
    const char *text;
    if (!options_find(k->cli, "assume", &text))
        return true;
    for (uint32_t i = 0; i < COUNTOF(names); i++)
        if (strcmp(text, names[i]) == 0) {
            k->options.assume = (Assumptions)i;
            return true;
        }
    cli_complain(k->cli, "--assume is nothing, bounds, inner or usual, not '%s'", text);
    return false;
}

/* ---- one entry point ---- */

/* Diagnostics of the compiler have the places of the text they came from. */
static void show_faults(Compile *k)
{
    LineTable lines;
    Str       text = {k->source.text, (uint32_t)k->source.size};
    line_table_init(&lines, &k->cli->arena, text);
    for (uint32_t i = 0; i < k->diag.list.len; i++) {
        const Diagnostic *d = &k->diag.list.data[i];
        weft_diagnostic   shown = {
            .severity = (weft_severity)d->severity, .id = diag_id_name(d->id),
            .message = d->message,
        };
        if (d->span.end) {
            Place at = line_table_place(&lines, d->span);
            shown.place = (weft_place){
                .line = at.line, .column = at.column, .end_line = at.end_line,
                .end_column = at.end_column, .byte_offset = d->span.start,
                .byte_length = d->span.end - d->span.start,
            };
        }
        show_diagnostic(k->cli, k->source.name, k->wgsl, &shown, false);
    }
    k->diag.list.len = 0;
}

static void report(Compile *k, const Decl *entry, const CompiledObject *made, double ms)
{
    Text           *out = &k->cli->out;
    const uint32_t *size = made->workgroup_size;
    text_printf(out, "%.*s: %u lane%s, workgroups of %u x %u x %u%s\n",
                STR_ARG(entry->ident.name->text), made->emitted.lanes,
                made->emitted.lanes == 1 ? "" : "s", size[0], size[1], size[2],
                made->has_barrier ? ", with barriers" : "");
    text_printf(out, "  object code      %zu bytes\n", made->emitted.object_size);
    text_printf(out, "  memory a thread  %llu bytes\n",
                (unsigned long long)made->emitted.memory_size);
    text_printf(out, "  time             %.1f ms checked, %.1f ms compiled\n", k->front_ms, ms);
}

static bool compile_entry(Compile *k, const Decl *entry)
{
    CompileJob     job = {.source = {k->module, entry, k->overrides, k->settings.len},
                          .options = k->options};
    CompiledObject made = {0};
    double         start = cli_now_ms();
    bool           ok;
    if (k->stage)
        ok = compile_dump(&k->cli->out, k->stage, k->module, entry, k->overrides,
                          k->settings.len, &k->options, &k->diag);
    else
        ok = pipeline_run(&made, &job, &k->diag);
    if (ok && !k->stage)
        report(k, entry, &made, cli_now_ms() - start);
    compiled_object_fini(&made);
    show_faults(k);
    return ok;
}

static int compile_named(Compile *k, const char *name)
{
    const Decl *entry = module_find_entry_point(k->module, str_of(name));
    return compile_entry(k, entry) ? CLI_OK : CLI_FOUND;
}

/* Stages before the entry points part look at the whole module. */
static bool is_front_stage(const char *stage)
{
    return strcmp(stage, "tokens") == 0 || strcmp(stage, "ast") == 0
        || strcmp(stage, "typed") == 0;
}

static int compile_asked(Compile *k)
{
    if (k->stage && is_front_stage(k->stage))
        return compile_entry(k, NULL) ? CLI_OK : CLI_FOUND;
    const weft_entry_point *e = NULL;
    bool        all = !k->stage && !options_find(k->cli, "entry", NULL);
    const char *why = entry_choose(k->cli, k->wgsl, &e);
    if (why && !(all && weft_wgsl_entry_point_count(k->wgsl) > 1)) {
        cli_complain(k->cli, "%s", why);
        return CLI_TROUBLE;
    }
    int status = CLI_OK;
    if (!all)
        return compile_named(k, e->name);
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(k->wgsl); i++) {
        e = weft_wgsl_entry_point_get(k->wgsl, i);
        if (e->stage == WEFT_STAGE_COMPUTE && compile_named(k, e->name) != CLI_OK)
            status = CLI_FOUND;
    }
    return status;
}

/* ---- the command ---- */

static void overrides_of(Compile *k)
{
    k->overrides = ARENA_ARRAY(&k->cli->arena, OverrideSetting, k->settings.len);
    for (uint32_t i = 0; i < k->settings.len; i++)
        k->overrides[i] = (OverrideSetting){str_of(k->settings.data[i].key),
                                            k->settings.data[i].value};
}

static int compile_file(Compile *k)
{
    Cli *cli = k->cli;
    int  status = entry_load(cli, cli->operands.data[0], &k->source, &k->wgsl);
    if (status != CLI_OK)
        return status;
    settings_settle(cli, k->wgsl, &k->settings);
    overrides_of(k);
    k->diag = (Diag){.arena = &cli->arena};
    double start = cli_now_ms();
    Str    text = {k->source.size ? k->source.text : "", (uint32_t)k->source.size};
    k->module = compile_front(&cli->arena, text, &k->diag);
    k->front_ms = cli_now_ms() - start;
    BUG_IF(!k->module, "a module was right, and then it was not");
    return compile_asked(k);
}

static int run(Cli *cli)
{
    Compile     k = {.cli = cli};
    const char *stage = "";
    options_find(cli, "dump", &stage);
    if (strcmp(stage, "list") == 0) {
        list_stages(&cli->out);
        return CLI_OK;
    }
    if (!options_color(cli) || !parse_stage(&k) || !parse_lanes(&k) || !parse_cpu(&k)
        || !parse_assume(&k) || !settings_parse(cli, &k.settings))
        return CLI_TROUBLE;
    if (cli->operands.len != 1) {
        cli_complain(cli, "%s", cli->operands.len ? "one file at a time"
                                                  : "no file; name one, or - for standard input");
        return CLI_TROUBLE;
    }
    k.options.quick = options_given(cli, "quick");
    int status = compile_file(&k);
    cli_flush(cli);
    weft_wgsl_release(k.wgsl);
    input_release(&k.source);
    return status;
}

const Command cli_compile = {
    .name = "compile", .operands = "FILE",
    .purpose = "Compile a kernel for this CPU; show how, or what a stage leaves.",
    .more = "A FILE of - is standard input.\n",
    .options = options, .run = run,
};
