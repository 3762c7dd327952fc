// SPDX-License-Identifier: Apache-2.0
/*
 * tune.c - `weft tune`: finds the fastest workgroup size of a kernel, with its data.
 *
 * in     a file and data, as for `weft run`
 * out    the fastest size that gives the same results; the tuner remembers it for the device
 * knows  weft/kernel.h, which sizes are legal; the tuner of weft/context.h
 * not    where data comes from (run_data.c)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/context.h>
#include <weft/kernel.h>

#include "base/clock.h"
#include "cli/run_priv.h"

#define MAX_SIZES   128u
#define LEAST_ALL   8u                  /* invocations of a workgroup                */
#define MOST_ALL    1024u
#define BAR_WIDTH   32
#define TURNS       7

static const Option options[] = {
    {"entry", 0, "NAME", "the entry point (default: the only one)"},
    {"groups", 'g', "X[,Y[,Z]]", "workgroups of the size as written (default: as for 'weft run')"},
    {"set", 0, "NAME=VALUE", "give an override a value, by name or @id"},
    {"adapter", 0, "NAME", "cpu, vulkan, or a part of a name that 'weft devices' shows"},
    {"threads", 0, "N", "threads of the CPU device (default: one for each core)"},
    {"seconds", 0, "S", "time to measure (default: 2)"},
    {"again", 0, NULL, "measure, even if a result is remembered"},
    {"write", 0, "FILE", "write the kernel with the fastest size; - is standard output"},
    {"json", 0, NULL, "print JSON, for programs"},
    {"quiet", 'q', NULL, "no remarks, no progress bar"},
    {"color", 0, "WHEN", "auto (default: on a terminal, unless NO_COLOR is set), always, never"},
    {0},
};

typedef struct Tune {
    Run          *r;
    weft_context *ctx;
    weft_kernel  *kernel;
    weft_kernel_info info;
    uint32_t      sizes[MAX_SIZES][3];  /* the first is as written                   */
    uint32_t      count, refused;
    uint64_t      invocations[3];
    weft_buffer **buffers;              /* [bound_count]                             */
    weft_binding *bindings;
    bool          bar;
} Tune;

/* ---- sizes ---- */

static bool fits(const Tune *t, const uint32_t size[3])
{
    const WGPULimits *l = &weft_context_device(t->ctx)->limits;
    const uint32_t most[3] = {l->maxComputeWorkgroupSizeX, l->maxComputeWorkgroupSizeY,
                              l->maxComputeWorkgroupSizeZ};
    uint64_t all = (uint64_t)size[0] * size[1] * size[2];
    for (int i = 0; i < 3; i++)
        if (size[i] > most[i]
            || (t->invocations[i] + size[i] - 1) / size[i] > l->maxComputeWorkgroupsPerDimension)
            return false;
    return all <= l->maxComputeInvocationsPerWorkgroup;
}

static void add_size(Tune *t, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t size[3] = {x, y, z};
    if (t->count == MAX_SIZES || !fits(t, size))
        return;
    for (uint32_t i = 0; i < t->count; i++)
        if (memcmp(t->sizes[i], size, sizeof size) == 0)
            return;
    if (t->count && !weft_kernel_resize(t->kernel, size))
        return;                         /* an axis without a limit */
    memcpy(t->sizes[t->count++], size, sizeof size);
}

/* Powers of two along the axes that have more than one invocation; wide ones are not tried
 * where there is less to do. */
static void list_sizes(Tune *t)
{
    const uint32_t *is = t->info.workgroup_size;
    bool two = t->invocations[1] > 1, three = t->invocations[2] > 1;
    add_size(t, is[0], is[1], is[2]);
    for (uint32_t x = 1; x <= MOST_ALL; x *= 2)
        for (uint32_t y = 1; y <= (two ? 64u : 1u); y *= 2)
            for (uint32_t z = 1; z <= (three ? 8u : 1u); z *= 2) {
                uint64_t all = (uint64_t)x * y * z;
                bool needed = x < 2 * t->invocations[0] && y < 2 * t->invocations[1]
                           && z < 2 * t->invocations[2];
                if (all >= LEAST_ALL && all <= MOST_ALL && needed)
                    add_size(t, x, y, z);
            }
}

/* ---- running ---- */

static weft_pipeline *pipeline(Tune *t, weft_context *ctx, const uint32_t size[3])
{
    Run           *r = t->r;
    weft_constant *constants = ARENA_ARRAY(&r->cli->arena, weft_constant, r->settings.len);
    bool           same = memcmp(size, t->info.workgroup_size, 3 * sizeof *size) == 0;
    for (uint32_t i = 0; i < r->settings.len; i++)
        constants[i] = (weft_constant){r->settings.data[i].key, r->settings.data[i].value};
    return weft_pipeline_create(ctx, &(weft_pipeline_desc){
        .wgsl = same ? arena_printf(&r->cli->arena, "%.*s", (int)r->source.size, r->source.text)
                     : weft_kernel_resize(t->kernel, size),
        .entry = r->entry->name, .constants = constants, .constant_count = r->settings.len});
}

static bool dispatch(void *user, weft_context *ctx, const uint32_t size[3])
{
    Tune          *t = user;
    weft_pipeline *p = pipeline(t, ctx, size);
    weft_dispatch  d = {.pipeline = p, .bindings = t->bindings,
                        .binding_count = t->r->bound_count};
    for (int i = 0; i < 3; i++)
        d.groups[i] = (uint32_t)((t->invocations[i] + size[i] - 1) / size[i]);
    bool ok = p && weft_context_dispatch(ctx, &d);
    weft_pipeline_release(p);
    return ok;
}

static bool write_inputs(Tune *t)
{
    for (uint32_t i = 0; i < t->r->bound_count; i++) {
        const Bound *b = &t->r->bounds[i];
        if (!weft_buffer_write(t->buffers[i], 0, b->bytes, b->size))
            return false;
    }
    return true;
}

static bool make_buffers(Tune *t)
{
    Run *r = t->r;
    t->buffers = ARENA_ARRAY(&r->cli->arena, weft_buffer *, r->bound_count);
    t->bindings = ARENA_ARRAY(&r->cli->arena, weft_binding, r->bound_count);
    for (uint32_t i = 0; i < r->bound_count; i++) {
        const Bound *b = &r->bounds[i];
        if (!b->is_buffer)
            return run_fail(r, "'%s' is immediate data, which tuning cannot give", b->name);
        t->buffers[i] = weft_buffer_create(t->ctx, &(weft_buffer_desc){
            .size = b->size, .usage = b->uniform ? WGPUBufferUsage_Uniform
                                                 | WGPUBufferUsage_CopyDst : 0,
            .label = b->name});
        t->bindings[i] = (weft_binding){.buffer = t->buffers[i]};
    }
    return true;
}

/* ---- equal results ---- */

/* Runs once from the given data; the bytes of what is written go to `out`. */
static bool run_once(Tune *t, const uint32_t size[3], uint8_t **out)
{
    if (!write_inputs(t) || !dispatch(t, t->ctx, size))
        return false;
    for (uint32_t i = 0; i < t->r->bound_count; i++) {
        const Bound *b = &t->r->bounds[i];
        if (b->writable && !weft_buffer_read(out[i], t->buffers[i], 0, b->size))
            return false;
    }
    return true;
}

static uint8_t **result_blocks(Tune *t)
{
    Arena    *a = &t->r->cli->arena;
    uint8_t **blocks = ARENA_ARRAY(a, uint8_t *, t->r->bound_count);
    for (uint32_t i = 0; i < t->r->bound_count; i++)
        if (t->r->bounds[i].writable)
            blocks[i] = arena_alloc(a, (size_t)t->r->bounds[i].size);
    return blocks;
}

/* Keeps the sizes whose results are those of the kernel as written. */
static bool keep_equal(Tune *t)
{
    uint8_t **first = result_blocks(t), **other = result_blocks(t);
    uint32_t  kept = 1;
    if (!run_once(t, t->sizes[0], first))
        return run_fail(t->r, "%s", weft_context_error(t->ctx)->message);
    for (uint32_t i = 1; i < t->count; i++) {
        bool same = run_once(t, t->sizes[i], other);
        if (weft_context_error(t->ctx)->kind == WEFT_ERROR_DEVICE_LOST)
            return run_fail(t->r, "%s", weft_context_error(t->ctx)->message);
        weft_context_error_clear(t->ctx);
        for (uint32_t k = 0; same && k < t->r->bound_count; k++)
            same = !first[k] || memcmp(first[k], other[k], (size_t)t->r->bounds[k].size) == 0;
        if (same)
            memcpy(t->sizes[kept++], t->sizes[i], sizeof t->sizes[i]);
    }
    t->refused = t->count - kept;
    t->count = kept;
    return true;
}

/* ---- measuring ---- */

static bool progress(void *user, uint64_t done, uint64_t total)
{
    const Tune *t = user;
    if (!t->bar)
        return true;
    int full = (int)(BAR_WIDTH * done / (total ? total : 1));
    fprintf(stderr, "\r[%.*s%.*s] %llu of %llu sizes%s", full,
            "################################", BAR_WIDTH - full,
            "................................", (unsigned long long)done,
            (unsigned long long)total, done == total ? "\r\033[K" : "");
    fflush(stderr);
    return true;
}

/* The median ms of one dispatch. */
static double measure(Tune *t, const uint32_t size[3])
{
    double ms[TURNS];
    for (int i = 0; i < TURNS; i++) {
        uint64_t start = clock_ns();
        if (!dispatch(t, t->ctx, size) || !weft_context_wait(t->ctx))
            return 0;
        ms[i] = (double)(clock_ns() - start) * 1e-6;
        for (int k = i; k > 0 && ms[k] < ms[k - 1]; k--) {
            double swap = ms[k];
            ms[k] = ms[k - 1];
            ms[k - 1] = swap;
        }
    }
    return ms[TURNS / 2];
}

static const char *kernel_key(Tune *t)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < t->r->source.size; i++)
        h = (h ^ (uint8_t)t->r->source.text[i]) * 0x100000001B3u;
    for (uint32_t i = 0; i < t->r->settings.len; i++)
        h = (h ^ (uint64_t)(t->r->settings.data[i].value * 65536)) * 0x100000001B3u;
    return arena_printf(&t->r->cli->arena, "tune %016llx %s %llux%llux%llu",
                        (unsigned long long)h, t->r->entry->name,
                        (unsigned long long)t->invocations[0],
                        (unsigned long long)t->invocations[1],
                        (unsigned long long)t->invocations[2]);
}

/* ---- telling ---- */

static bool write_kernel(Tune *t, const uint32_t best[3])
{
    const char *path = NULL;
    if (!options_find(t->r->cli, "write", &path) || !path)
        return true;
    const char *text = weft_kernel_resize(t->kernel, best);
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
    bool  ok = text && file && fputs(text, file) >= 0;
    if (file && file != stdout)
        ok = fclose(file) == 0 && ok;
    return ok || run_fail(t->r, "cannot write %s", path);
}

static void tell(Tune *t, const uint32_t best[3], double as_written, double fastest)
{
    Run  *r = t->r;
    Text *out = &r->cli->out;
    const weft_device_info *d = weft_context_device(t->ctx);
    const uint32_t *is = t->info.workgroup_size;
    if (r->json) {
        text_printf(out, "{\"workgroup_size\":[%u,%u,%u],\"as_written\":[%u,%u,%u],"
                    "\"ms\":%.6g,\"as_written_ms\":%.6g,\"sizes\":%u,\"refused\":%u,"
                    "\"device\":", best[0], best[1], best[2], is[0], is[1], is[2], fastest,
                    as_written, t->count, t->refused);
        json_text(out, d->name);
        text_add(out, STR("}\n"));
        return;
    }
    text_printf(out, "workgroups of %s: %.4g ms on %s\n", run_size_text(r, best), fastest,
                d->name);
    if (memcmp(best, is, 3 * sizeof *best) == 0)
        text_printf(out, "  as written, the fastest of %u sizes\n", t->count);
    else
        text_printf(out, "  as written, %s: %.4g ms; %.3g times as long\n",
                    run_size_text(r, is), as_written, fastest > 0 ? as_written / fastest : 1);
    if (t->refused)
        text_printf(out, "  %u other sizes cannot run here, or give other results\n",
                    t->refused);
}

/* ---- the command ---- */

static bool seconds_option(Run *r, uint64_t *ns)
{
    const char *text = NULL;
    char       *end;
    *ns = 2ull * NS_PER_S;
    if (!options_find(r->cli, "seconds", &text) || !text)
        return true;
    double s = strtod(text, &end);
    if (end == text || *end || !(s > 0) || s > 3600)
        return run_fail(r, "--seconds: '%s' is not a number from 0 to 3600", text);
    *ns = (uint64_t)(s * 1e9);
    return true;
}

static bool analyse(Tune *t, int *status)
{
    Run *r = t->r;
    t->kernel = weft_kernel_create(&(weft_kernel_desc){
        .wgsl = r->source.text, .wgsl_size = r->source.size, .entry = r->entry->name,
        .constants = r->settings.data, .constant_count = r->settings.len});
    const char *why = t->kernel ? weft_kernel_error(t->kernel) : "out of memory";
    if (why)
        return run_fail(r, "%s", why);
    weft_kernel_get_info(&t->info, t->kernel);
    *status = CLI_FOUND;
    return t->info.resizable
        || run_fail(r, "the workgroup size must not change: %s", t->info.resizable_reason);
}

static bool open_context(Tune *t)
{
    t->ctx = weft_context_create(&(weft_context_desc){
        .adapter = t->r->device_desc.adapter, .threads = t->r->device_desc.threads,
        .label = "tune"});
    return !weft_context_error(t->ctx)->kind
        || run_fail(t->r, "%s", weft_context_error(t->ctx)->message);
}

static int tune(Tune *t)
{
    Run     *r = t->r;
    int      status;
    uint32_t best[3];
    uint64_t limit;
    if (!run_prepare(r, &status) || !analyse(t, &status))
        return status;
    if (!seconds_option(r, &limit) || !open_context(t))
        return CLI_TROUBLE;
    for (int i = 0; i < 3; i++)
        t->invocations[i] = (uint64_t)r->groups[i] * t->info.workgroup_size[i];
    list_sizes(t);
    t->bar = !r->quiet && !r->json && isatty(STDERR_FILENO);
    if (!make_buffers(t) || !keep_equal(t))
        return CLI_TROUBLE;
    bool ok = weft_context_tune(best, t->ctx, &(weft_tune_desc){
        .kernel = kernel_key(t), .candidates = (const uint32_t (*)[3])t->sizes,
        .candidate_count = t->count, .run = dispatch, .user = t, .time_limit = limit,
        .again = options_find(r->cli, "again", NULL), .progress = progress,
        .progress_user = t});
    if (!ok)
        return run_fail(r, "%s", weft_context_error(t->ctx)->message), CLI_TROUBLE;
    tell(t, best, measure(t, t->info.workgroup_size), measure(t, best));
    cli_flush(r->cli);
    return write_kernel(t, best) ? CLI_OK : CLI_TROUBLE;
}

static int run(Cli *cli)
{
    Run  r = {.cli = cli};
    Tune t = {.r = &r};
    if (!options_color(cli))
        return CLI_TROUBLE;
    int status = tune(&t);
    cli_flush(cli);
    for (uint32_t i = 0; t.buffers && i < r.bound_count; i++)
        weft_buffer_release(t.buffers[i]);
    weft_context_release(t.ctx);
    weft_kernel_release(t.kernel);
    run_clean_up(&r);
    return status;
}

const Command cli_tune = {
    .name = "tune", .operands = "FILE [NAME=VALUE...]",
    .purpose = "Find the fastest workgroup size of a kernel, with its data.",
    .more = "FILE and NAME=VALUE are as for 'weft run'. Sizes whose results differ from those of\n"
            "the kernel as written are left out. The result is remembered for the device.\n",
    .options = options, .run = run,
};
