// SPDX-License-Identifier: Apache-2.0
/*
 * check.c - `weft check`: is this WGSL, and what is wrong with it?
 *
 * in     files
 * out    diagnostics, for people or as JSON; a line that sums up
 */
#include "cli/cli.h"

typedef struct Check {
    Cli               *cli;
    bool               json, quiet;
    const char *const *enables, *const *language;
    uint32_t           files, bad_files, unreadable;
    uint32_t           errors, warnings;
} Check;

static const Option options[] = {
    {"json", 0, NULL, "print JSON, for programs"},
    {"quiet", 'q', NULL, "print errors only, one line each, and no summary"},
    {"color", 0, "WHEN", "auto (default: on a terminal, unless NO_COLOR is set), always, never"},
    {"enable", 0, "LIST", "the extensions that `enable` may name (default: all)"},
    {"language", 0, "LIST", "the language features that there are (default: all)"},
    {0},
};

/* ---- one file ---- */

static void show_file(Check *k, const Source *s, const weft_wgsl *m)
{
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(m); i++) {
        const weft_diagnostic *d = weft_wgsl_diagnostic_get(m, i);
        if (!k->quiet || d->severity == WEFT_SEVERITY_ERROR)
            show_diagnostic(k->cli, s->name, m, d, k->quiet);
    }
    if (s->size == 0 && !k->quiet) {
        show_text(&k->cli->out, str_of(s->name));
        text_add(&k->cli->out, STR(": the file is empty, which is a valid module\n"));
    }
}

static void json_file(Check *k, const Source *s, const weft_wgsl *m)
{
    Text *out = &k->cli->out;
    text_printf(out, "%s{\"file\":", k->files > 1 ? "," : "");
    json_text(out, s->name);
    text_printf(out, ",\"ok\":%s", weft_wgsl_ok(m) ? "true" : "false");
    if (m)
        json_diagnostics(out, m);
    else
        json_unreadable(out, s->why);
    text_char(out, '}');
}

static void count(Check *k, const weft_wgsl *m)
{
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(m); i++) {
        weft_severity severity = weft_wgsl_diagnostic_get(m, i)->severity;
        k->errors += severity == WEFT_SEVERITY_ERROR;
        k->warnings += severity == WEFT_SEVERITY_WARNING;
    }
    k->bad_files += weft_wgsl_diagnostic_count(m) > 0;
}

static void check_file(Check *k, const char *name)
{
    Source     s = input_read(&k->cli->arena, name);
    weft_wgsl *m = s.why ? NULL : input_check(&s, k->enables, k->language);
    if (!m && !s.why)
        s.why = "out of memory";
    k->files++;
    if (!m) {
        k->unreadable++;
        cli_complain(k->cli, "cannot read %s: %s", s.name, s.why);
    } else
        count(k, m);
    if (k->json)
        json_file(k, &s, m);
    else if (m)
        show_file(k, &s, m);
    cli_flush(k->cli);
    weft_wgsl_release(m);
    input_release(&s);
}

/* ---- all files ---- */

static void counted(Text *out, uint32_t n, const char *what)
{
    text_printf(out, "%u %s%s", n, what, n == 1 ? "" : "s");
}

static void sum_up(Check *k)
{
    Text *out = &k->cli->out;
    if (k->errors)
        counted(out, k->errors, "error");
    if (k->errors && k->warnings)
        text_add(out, STR(" and "));
    if (k->warnings)
        counted(out, k->warnings, "warning");
    if (k->errors || k->warnings)
        text_printf(out, " in %u of ", k->bad_files);
    else
        text_add(out, STR("no problems in "));
    counted(out, k->files - k->unreadable, "file");
    text_char(out, '\n');
}

static int run(Cli *cli)
{
    Check k = {.cli = cli,
               .json = options_find(cli, "json", NULL),
               .quiet = options_find(cli, "quiet", NULL)};
    if (!options_color(cli)
        || !options_features(cli, "enable", weft_wgsl_enable_name, &k.enables)
        || !options_features(cli, "language", weft_wgsl_language_name, &k.language))
        return CLI_TROUBLE;
    if (cli->operands.len == 0) {
        cli_complain(cli, "no files; name some, or - for standard input");
        return CLI_TROUBLE;
    }
    if (k.json)
        text_add(&cli->out, STR("{\"files\":["));
    for (uint32_t i = 0; i < cli->operands.len; i++)
        check_file(&k, cli->operands.data[i]);
    if (k.json)
        text_add(&cli->out, STR("]}\n"));
    else if (!k.quiet && k.files > k.unreadable)
        sum_up(&k);
    if (k.unreadable)
        return CLI_TROUBLE;
    return k.errors ? CLI_FOUND : CLI_OK;
}

const Command cli_check = {
    .name = "check", .operands = "FILE...",
    .purpose = "Check WGSL, and show what is wrong with it.",
    .more = "A FILE of - is standard input. A LIST has commas between its names; an empty\n"
            "one means none.\n",
    .options = options, .run = run,
};
