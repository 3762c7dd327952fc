// SPDX-License-Identifier: Apache-2.0
/*
 * profile.c - `weft devices --profile`: what the devices of a pool measured, with plots.
 *
 * in     a pool
 * out    a table, bars, the rooflines of all devices in one plot; JSON
 * knows  weft/pool.h
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <weft/pool.h>

#include "cli/cli.h"
#include "cli/profile.h"

#define BAR      30
#define COLUMNS  61                     /* of the plot                               */
#define ROWS     14
#define LEAST_X  (-4.0)                 /* log2 of operations per byte               */
#define MOST_X   8.0

/* ---- numbers ---- */

static const char *rate_text(Arena *a, double value, const char *unit)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    size_t i = 0;
    while (value >= 1000 && i + 1 < COUNTOF(prefix)) {
        value /= 1000;
        i++;
    }
    return arena_printf(a, "%.3g %s%s", value, prefix[i], unit);
}

typedef struct Measure {
    const char *name, *unit;
    double    (*get)(const weft_profile *p);
} Measure;

#define GET(field) static double get_##field(const weft_profile *p) { return p->field; }
GET(f32_rate) GET(f16_rate) GET(i32_rate) GET(function_rate) GET(bandwidth)
GET(cache_bandwidth) GET(upload_rate) GET(read_rate)
#undef GET

static double get_launch(const weft_profile *p)
{
    return p->launch_ns * 1e-9;
}

static const Measure measures[] = {
    {"f32 arithmetic", "op/s", get_f32_rate}, {"f16 arithmetic", "op/s", get_f16_rate},
    {"integer arithmetic", "op/s", get_i32_rate}, {"functions", "/s", get_function_rate},
    {"memory bandwidth", "B/s", get_bandwidth}, {"cache bandwidth", "B/s", get_cache_bandwidth},
    {"upload", "B/s", get_upload_rate}, {"read-back", "B/s", get_read_rate},
    {"launch", "s", get_launch},
};

/* ---- bars ---- */

static const char *time_text(Arena *a, double seconds)
{
    return seconds < 1e-3 ? arena_printf(a, "%.3g us", seconds * 1e6)
                          : arena_printf(a, "%.3g ms", seconds * 1e3);
}

/* One measure of all devices, each with a bar beside it. */
static void bars(Cli *cli, const weft_pool_device *devices, uint32_t count, const Measure *m)
{
    double most = 0;
    text_printf(&cli->out, "\n%s\n", m->name);
    for (uint32_t i = 0; i < count; i++)
        most = fmax(most, m->get(&devices[i].profile));
    for (uint32_t i = 0; i < count; i++) {
        double value = m->get(&devices[i].profile);
        int    length = most > 0 ? (int)(BAR * value / most + 0.5) : 0;
        const char *text = value <= 0 ? "none"
                         : strcmp(m->unit, "s") == 0 ? time_text(&cli->arena, value)
                         : rate_text(&cli->arena, value, m->unit);
        text_printf(&cli->out, "  %c  %-12s ", (int)('a' + i % 26), text);
        for (int k = 0; k < length; k++)
            text_char(&cli->out, '#');
        text_char(&cli->out, '\n');
    }
}

/* ---- rooflines ---- */

static double roof(const weft_profile *p, double intensity)
{
    return fmin(p->f32_rate, p->bandwidth * intensity);
}

static void fill_plot(char plot[ROWS][COLUMNS + 1], const weft_pool_device *devices,
                      uint32_t count, double low, double high)
{
    for (uint32_t d = count; d-- > 0;) {        /* the first device on top */
        for (int x = 0; x < COLUMNS; x++) {
            double at = LEAST_X + (MOST_X - LEAST_X) * x / (COLUMNS - 1);
            double y = log10(roof(&devices[d].profile, exp2(at)));
            int row = (int)((y - low) / (high - low) * (ROWS - 1) + 0.5);
            if (row >= 0 && row < ROWS)
                plot[ROWS - 1 - row][x] = (char)('a' + d % 26);
        }
    }
}

/* Attainable f32 operations a second over operations per byte, both logarithmic. */
static void rooflines(Cli *cli, const weft_pool_device *devices, uint32_t count)
{
    char   plot[ROWS][COLUMNS + 1];
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        low = fmin(low, log10(roof(&devices[i].profile, exp2(LEAST_X))));
        high = fmax(high, log10(devices[i].profile.f32_rate));
    }
    low = floor(low);
    high = ceil(high);
    for (int y = 0; y < ROWS; y++) {
        memset(plot[y], ' ', COLUMNS);
        plot[y][COLUMNS] = '\0';
    }
    fill_plot(plot, devices, count, low, high);
    text_add(&cli->out, STR("\nf32 operations a second, by operations per byte of memory\n"));
    for (int y = 0; y < ROWS; y++) {
        const char *label = y == 0 || y == ROWS - 1
            ? rate_text(&cli->arena, pow(10, y == 0 ? high : low), "op/s") : "";
        text_printf(&cli->out, "  %10s |%s\n", label, plot[y]);
    }
    text_printf(&cli->out, "  %10s +", "");
    for (int x = 0; x < COLUMNS; x++)
        text_char(&cli->out, '-');
    text_printf(&cli->out, "\n  %10s  1/16           1/2              4             32"
                "          256\n", "");
}

/* ---- all of it ---- */

static void json_profile(Text *out, const weft_profile *p)
{
    text_printf(out, "{\"measured\":%s,\"cached\":%s,\"f32_rate\":%.6g,\"f16_rate\":%.6g,"
                "\"i32_rate\":%.6g,\"function_rate\":%.6g,\"bandwidth\":%.6g,"
                "\"cache_bandwidth\":%.6g,\"cache_size\":%llu,\"launch_ns\":%.6g,"
                "\"upload_rate\":%.6g,\"read_rate\":%.6g}", p->measured ? "true" : "false",
                p->cached ? "true" : "false", p->f32_rate, p->f16_rate, p->i32_rate,
                p->function_rate, p->bandwidth, p->cache_bandwidth,
                (unsigned long long)p->cache_size, p->launch_ns, p->upload_rate, p->read_rate);
}

static void tell_json(Cli *cli, const weft_pool *pool, const weft_pool_device *devices,
                      uint32_t count)
{
    text_add(&cli->out, STR("{\"devices\":["));
    for (uint32_t i = 0; i < count; i++) {
        text_printf(&cli->out, "%s{\"id\":\"%s\",\"name\":", i ? "," : "", devices[i].id);
        json_text(&cli->out, devices[i].name);
        text_printf(&cli->out, ",\"backend\":\"%s\",\"profile\":", devices[i].backend);
        json_profile(&cli->out, &devices[i].profile);
        text_char(&cli->out, '}');
    }
    text_add(&cli->out, STR("],\"sources\":["));
    weft_pool_source s;
    for (uint32_t i = 0; weft_pool_source_get(&s, pool, i); i++) {
        text_printf(&cli->out, "%s{\"library\":", i ? "," : "");
        json_text(&cli->out, s.library);
        text_printf(&cli->out, ",\"devices\":%u,\"error\":", s.devices);
        json_text(&cli->out, s.error ? s.error : "");
        text_char(&cli->out, '}');
    }
    text_add(&cli->out, STR("]}\n"));
}

static void tell(Cli *cli, const weft_pool *pool, const weft_pool_device *devices,
                 uint32_t count)
{
    weft_pool_source s;
    for (uint32_t i = 0; i < count; i++) {
        const weft_pool_device *d = &devices[i];
        text_printf(&cli->out, "%c  ", (int)('a' + i % 26));
        show_text(&cli->out, str_of(d->name));
        text_printf(&cli->out, " (%s, %s), id %s%s\n", d->type, d->backend, d->id,
                    d->profile.cached ? ", measured before"
                    : d->profile.measured ? ", measured now" : ", not measured: rough guesses");
    }
    for (uint32_t i = 0; weft_pool_source_get(&s, pool, i); i++)
        if (s.error)
            cli_complain(cli, "%s: %s", s.library, s.error);
    for (size_t i = 0; i < COUNTOF(measures) && count; i++)
        bars(cli, devices, count, &measures[i]);
    if (count)
        rooflines(cli, devices, count);
}

int profile_show(Cli *cli, bool json, bool again)
{
    const char *own = getenv("WEFT_WEBGPU");
    const char *libraries[2] = {own && *own && strcmp(own, "weft") != 0 ? own : NULL, NULL};
    weft_pool  *pool = weft_pool_create(&(weft_pool_desc){
        .libraries = libraries, .no_own = libraries[0] != NULL});
    uint32_t    count = weft_pool_device_count(pool);
    weft_pool_device *devices = ARENA_ARRAY(&cli->arena, weft_pool_device, count);
    char        why[200];
    for (uint32_t i = 0; i < count; i++) {
        if (again && !weft_pool_device_measure(pool, i, why, sizeof why))
            cli_complain(cli, "%s", why);
        weft_pool_device_get(&devices[i], pool, i);
    }
    if (json)
        tell_json(cli, pool, devices, count);
    else
        tell(cli, pool, devices, count);
    cli_flush(cli);
    weft_pool_release(pool);
    return count ? CLI_OK : CLI_TROUBLE;
}
