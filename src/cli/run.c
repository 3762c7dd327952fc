// SPDX-License-Identifier: Apache-2.0
/*
 * run.c - `weft run`: one entry point, with data.
 *
 * in     a file, values for its bindings, what is wanted from them
 * out    results: printed, in files, as pictures; how long it took
 * knows  what happens in which order (run_priv.h says who does it)
 * not    what is below webgpu.h
 */
#include "cli/run_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const Option options[] = {
    {"entry", 0, "NAME", "the entry point (default: the only one)"},
    {"groups", 0, "X,Y,Z", "workgroups to run (default: auto, from the data)"},
    {"in", 0, "NAME=VALUE", "a value for a binding, as NAME=VALUE alone is"},
    {"out", 0, "NAME[=FILE]", "a binding to print or to write (default: print all written)"},
    {"image", 0, "NAME=FILE", "write FILE.png[:WxH[:FORMAT]]; on a terminal show it, too"},
    {"set", 0, "NAME=VALUE", "give an override a value, by name or @id"},
    {"first", 0, "N", "print the first N elements of an array (default: 64)"},
    {"all", 0, NULL, "print all elements"},
    {"time", 0, "[N]", "run N times more (default: 10), and tell how long it takes"},
    {"adapter", 0, "NAME", "cpu, vulkan, or a part of a name that 'weft devices' shows"},
    {"threads", 0, "N", "threads of the CPU device (default: one for each core)"},
    {"lanes", 0, "N", "invocations at a time on the CPU: 1, 4, 8, 16 (default: what suits)"},
    {"cpu", 0, "NAME", "compile for this processor, such as x86-64-v3 (default: this one)"},
    {"deadline", 0, "SECONDS", "give up after that long"},
    {"no-cache", 0, NULL, "compile anew, and keep nothing"},
    {"json", 0, NULL, "print JSON, for programs"},
    {"quiet", 'q', NULL, "no remarks, no pictures on the terminal"},
    {"color", 0, "WHEN", "auto (default: on a terminal, unless NO_COLOR is set), always, never"},
    {0},
};

/* ---- messages ---- */

bool run_fail(Run *r, const char *fmt, ...)
{
    char    text[4096];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    cli_flush(r->cli);
    cli_complain(r->cli, "%s", text);
    r->error = arena_printf(&r->cli->arena, "%s", text);
    return false;
}

void run_note(Run *r, const char *fmt, ...)
{
    char    text[1024];
    va_list args;
    if (r->quiet || r->json)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    cli_flush(r->cli);
    cli_complain(r->cli, "%s", text);
}

/* ---- steps ---- */

static bool load(Run *r, int *status)
{
    *status = entry_load(r->cli, r->file, &r->source, &r->wgsl);
    if (r->source.why)
        r->error = arena_printf(&r->cli->arena, "cannot read %s: %s", r->source.name,
                                r->source.why);
    if (*status != CLI_OK)
        return false;
    *status = CLI_TROUBLE;
    const char *why = entry_choose(r->cli, r->wgsl, &r->entry);
    return !why || run_fail(r, "%s", why);
}

static bool specialize(Run *r, int *status)
{
    char why[512];
    settings_settle(r->cli, r->wgsl, &r->settings);
    if (weft_wgsl_specialize(r->wgsl, r->entry->name, r->settings.data, r->settings.len,
                             &r->special, why, sizeof why))
        return true;
    *status = CLI_FOUND;
    return run_fail(r, "'%s' cannot become a pipeline: %s", r->entry->name, why);
}

static bool open_device(Run *r)
{
    const char *why = device_open(&r->device, &r->cli->arena, &r->device_desc);
    return !why || run_fail(r, "%s", why);
}

static JobDesc describe_job(Run *r)
{
    Arena       *a = &r->cli->arena;
    JobConstant *constants = ARENA_ARRAY(a, JobConstant, r->settings.len);
    JobBinding  *bindings = ARENA_ARRAY(a, JobBinding, r->bound_count);
    JobDesc desc = {
        .source = r->source.size ? r->source.text : "", .source_size = r->source.size,
        .entry = r->entry->name, .constants = constants, .constant_count = r->settings.len,
        .bindings = bindings,
        .groups = {r->groups[0], r->groups[1], r->groups[2]},
        .deadline_ms = (double)r->device_desc.deadline * 1e-6,
    };
    for (uint32_t i = 0; i < r->settings.len; i++)
        constants[i] = (JobConstant){r->settings.data[i].key, r->settings.data[i].value};
    for (uint32_t i = 0; i < r->bound_count; i++) {
        const Bound *b = &r->bounds[i];
        if (b->is_buffer)
            bindings[desc.binding_count++] = (JobBinding){b->group, b->binding, b->uniform,
                                                          b->size, NULL};
        else {
            desc.immediates = b->bytes;
            desc.immediate_size = (uint32_t)b->size;
        }
    }
    return desc;
}

/* Bytes that the device has are not needed here any more, unless it runs again. */
static void upload(Run *r)
{
    for (uint32_t i = 0; i < r->bound_count; i++) {
        Bound *b = &r->bounds[i];
        if (!b->is_buffer)
            continue;
        job_write(&r->job, b->index, b->bytes);
        if (r->times.runs && b->writable)
            continue;
        free(b->bytes);
        b->bytes = NULL;
    }
}

static bool execute(Run *r)
{
    JobDesc     desc = describe_job(r);
    const char *why = job_compile(&r->job, &r->device, &desc);
    if (!why)
        why = job_bind(&r->job);
    if (why)
        return run_fail(r, "%s", why);
    upload(r);
    why = job_settle(&r->job);
    if (!why)
        why = job_run(&r->job, &r->times.first_ms);
    if (why)
        return run_fail(r, "%s", why);
    return run_read(r) && (!r->times.runs || run_timing(r));
}

/* ---- the command ---- */

bool run_prepare(Run *r, int *status)
{
    *status = CLI_TROUBLE;
    return run_args(r) && load(r, status) && run_plan(r) && specialize(r, status)
        && run_plan_outputs(r) && open_device(r) && run_data(r) && run_pictures(r)
        && run_groups(r);
}

static int go(Run *r)
{
    int  status;
    bool ok = run_prepare(r, &status) && execute(r) && run_outputs(r);
    return ok ? CLI_OK : status;
}

void run_clean_up(Run *r)
{
    for (uint32_t i = 0; i < r->bound_count; i++) {
        Bound *b = &r->bounds[i];
        for (uint32_t k = 0; k < b->pieces.len; k++)
            value_close(&b->pieces.data[k].value);
        free(b->bytes);
        free(b->result);
    }
    job_close(&r->job);
    device_close(&r->device);
    weft_wgsl_release(r->wgsl);
    input_release(&r->source);
}

static int run(Cli *cli)
{
    Run r = {.cli = cli};
    int status = go(&r);
    if (r.json && status != CLI_OK)
        json_run_failed(&r);
    cli_flush(cli);
    run_clean_up(&r);
    return status;
}

const Command cli_run = {
    .name = "run", .operands = "FILE [NAME=VALUE...]",
    .purpose = "Run an entry point with data, and show what comes out.",
    .more =
        "A FILE of - is standard input. NAME is a binding (x, or 0.1 for group 0, binding\n"
        "1), a member of its structure (view.scale), or an override. VALUE is one of\n"
        "\n"
        "  1,2.5,0xff  0..1023  0*64    numbers, ranges, repetitions, with commas\n"
        "  zeros:N  ones:N  size:N      N elements; of a fixed size: without :N\n"
        "  random:N[:SEED[:LOW:HIGH]]   floats from 0 to 1 and any integers, or a range\n"
        "  @FILE                        .npy, .txt, .csv; others are bytes as they are\n"
        "\n"
        "Numbers go to the members of a type in their order; gaps are left out. What is\n"
        "written but not given starts as zeros.\n",
    .options = options, .run = run,
};
