// SPDX-License-Identifier: Apache-2.0
/*
 * timing.c - `weft run --time`: how long compiling and running take.
 *
 * in     a job that has run once
 * out    Times; lines for people, JSON for programs
 *
 * Each run starts with the same data, which are written before the clock starts. The
 * clock runs from the submission to the moment when the program knows that the work
 * is done.
 */
#include "cli/run_priv.h"

#include <stdlib.h>

/* ---- measuring ---- */

static int compare(const void *left, const void *right)
{
    double x = *(const double *)left, y = *(const double *)right;
    return x < y ? -1 : x > y;
}

static void write_again(Run *r)
{
    for (uint32_t i = 0; i < r->bound_count; i++)
        if (r->bounds[i].writable)
            job_write(&r->job, r->bounds[i].index, r->bounds[i].bytes);
}

static const char *measure_runs(Run *r, double *ms)
{
    for (uint32_t i = 0; i < r->times.runs; i++) {
        write_again(r);
        const char *why = job_settle(&r->job);
        if (!why)
            why = job_run(&r->job, &ms[i]);
        if (why)
            return why;
    }
    return NULL;
}

/* A device without a cache compiles anew; other libraries have compiled anew when they
 * did it first. */
static const char *measure_cold(Run *r)
{
    Device      fresh = {0};
    Job         job = {0};
    DeviceDesc  desc = r->device_desc;
    const char *why;
    r->times.cold_ms = r->job.compile_ms;
    if (!r->device.lib.has_options)
        return NULL;
    desc.no_cache = true;
    why = device_open(&fresh, &r->cli->arena, &desc);
    if (!why)
        why = job_compile(&job, &fresh, &r->job.desc);
    r->times.cold_ms = job.compile_ms;
    job.desc.binding_count = 0;         /* the buffers are the other job's */
    job_close(&job);
    device_close(&fresh);
    return why;
}

bool run_timing(Run *r)
{
    Times  *t = &r->times;
    double *ms = ARENA_ARRAY(&r->cli->arena, double, t->runs);
    for (uint32_t i = 0; i < r->bound_count; i++)
        t->bytes += r->bounds[i].is_buffer ? r->bounds[i].size : 0;
    const char *why = measure_runs(r, ms);
    if (!why)
        why = measure_cold(r);
    if (!why)
        why = job_compile_again(&r->job, &t->cached_ms);
    if (why)
        return run_fail(r, "%s", why);
    qsort(ms, t->runs, sizeof *ms, compare);
    t->min_ms = ms[0];
    t->max_ms = ms[t->runs - 1];
    t->median_ms = t->runs % 2 ? ms[t->runs / 2]
                               : (ms[t->runs / 2 - 1] + ms[t->runs / 2]) / 2;
    return true;
}

/* ---- telling ---- */

/* "12.3 ms", with three digits that count. In the arena. */
static const char *time_text(Run *r, double ms)
{
    static const struct { double scale; const char *unit; } units[] = {
        {1e6, "ns"}, {1e3, "us"}, {1, "ms"}, {1e-3, "s"},
    };
    size_t i = 0;
    while (i + 1 < COUNTOF(units) && ms * units[i].scale >= 1000)
        i++;
    double value = ms * units[i].scale;
    return arena_printf(&r->cli->arena, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value,
                        units[i].unit);
}

static double per_second(double amount, double ms)
{
    return ms > 0 ? amount / ms * 1e3 : 0;
}

static double workgroup_count(const Run *r)
{
    return (double)r->groups[0] * r->groups[1] * r->groups[2];
}

void times_print(Run *r)
{
    const Times      *t = &r->times;
    const AdapterInfo *d = &r->device.info;
    Text             *out = &r->cli->out;
    text_printf(out, "device   ");
    show_text(out, str_of(d->device));
    text_add(out, STR(" ("));
    show_text(out, str_of(*d->description ? d->description : d->type));
    text_printf(out, ")\ncompile  %s cold, %s cached\n", time_text(r, t->cold_ms),
                time_text(r, t->cached_ms));
    text_printf(out, "first    %s from the text of the kernel to its result\n",
                time_text(r, t->cold_ms + t->first_ms));
    text_printf(out, "run      min %s, median %s, max %s, of %u\n", time_text(r, t->min_ms),
                time_text(r, t->median_ms), time_text(r, t->max_ms), t->runs);
    text_printf(out, "rate     %.3g workgroups/s", per_second(workgroup_count(r), t->median_ms));
    if (t->bytes)
        text_printf(out, ", %.3g GB/s with each buffer counted once",
                    per_second((double)t->bytes, t->median_ms) * 1e-9);
    text_char(out, '\n');
}

void times_json(Run *r)
{
    const Times *t = &r->times;
    text_printf(&r->cli->out,
                ",\"time\":{\"compile_cold_ms\":%.6g,\"compile_cached_ms\":%.6g,\"runs\":%u,"
                "\"first_ms\":%.6g,\"min_ms\":%.6g,\"median_ms\":%.6g,\"max_ms\":%.6g,"
                "\"workgroups_per_second\":%.6g,\"bytes\":%llu,\"bytes_per_second\":%.6g}",
                t->cold_ms, t->cached_ms, t->runs, t->first_ms, t->min_ms, t->median_ms,
                t->max_ms, per_second(workgroup_count(r), t->median_ms),
                (unsigned long long)t->bytes, per_second((double)t->bytes, t->median_ms));
}
