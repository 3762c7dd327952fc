/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture.c - see fixture.h.
 */
#include "support/test.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "pool/pool_priv.h"

const char fixture_scale[] =
    "struct Params { scale : f32, n : u32 }\n"
    "@group(0) @binding(0) var<storage, read> x : array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> y : array<f32>;\n"
    "@group(0) @binding(2) var<uniform> params : Params;\n"
    "@compute @workgroup_size(64)\n"
    "fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "    if id.x < params.n { y[id.x] = x[id.x] * params.scale; }\n"
    "}\n";

const char fixture_loop[] =
    "struct Params { n : u32 }\n"
    "@group(0) @binding(0) var<storage, read> x : array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> y : array<u32>;\n"
    "@group(0) @binding(2) var<uniform> params : Params;\n"
    "@compute @workgroup_size(1)\n"
    "fn main() {\n"
    "    var a = x[0];\n"
    "    for (var i = 0u; i < params.n; i++) { a = (a ^ i) * 1664525u + (a >> 3u); }\n"
    "    y[0] = a;\n"
    "}\n";

weft_pool *fixture_pool(const weft_pool_desc *desc)
{
    const char    *backend = getenv("WEFT_TEST_BACKEND");
    const char    *const device[] = {backend ? backend : "cpu", NULL};
    weft_pool_desc d = desc ? *desc : (weft_pool_desc){0};
    if (!d.benchmark_timeout)
        d.benchmark_timeout = WEFT_OFF;
    if (!d.adapters && !d.libraries && !d.no_own)
        d.adapters = device;
    if (!d.cache_dir)
        d.no_cache = d.no_cache || d.libraries;
#ifdef __SANITIZE_THREAD__
    d.probe_in_process = true;
#endif
    weft_pool *pool = weft_pool_create(&d);
    assert_non_null(pool);
    return pool;
}

weft_pool_context *fixture_context(weft_pool *pool)
{
    weft_pool_context *ctx = weft_pool_context_create(pool, NULL);
    assert_non_null(ctx);
    return ctx;
}

/* Writes a file of profiles for the devices of `pool`. */
static void write_profiles(const char *path, weft_pool *pool, const weft_profile *profiles)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (uint32_t i = 0; i < weft_pool_device_count(pool); i++) {
        weft_pool_device d;
        char             row[1024];
        assert_true(weft_pool_device_get(&d, pool, i));
        assert_true(profile_write(row, sizeof row, d.id, &profiles[i]) > 0);
        assert_true(fputs(row, file) >= 0);
    }
    fclose(file);
}

weft_pool *fixture_profiled_pool(const char *const *paths, const weft_profile *profiles)
{
    char           folder[] = "/tmp/weft-pool-XXXXXX", path[64];
    weft_pool_desc desc = {.libraries = paths, .no_own = true, .probe_in_process = true};
    weft_pool     *pool = fixture_pool(&desc);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/profiles.tsv", folder);
    write_profiles(path, pool, profiles);
    weft_pool_release(pool);
    desc.cache_dir = folder;
    pool = fixture_pool(&desc);
    for (uint32_t i = 0; paths[i]; i++) {
        weft_pool_device d;
        assert_true(weft_pool_device_get(&d, pool, i));
        assert_true(d.profile.cached && d.profile.f32_rate == profiles[i].f32_rate);
    }
    unlink(path);
    rmdir(folder);
    return pool;
}

Standin standin_open(uint32_t index, const StandinSettings *s)
{
    static const char *const paths[] = {STANDIN_A, STANDIN_B, STANDIN_C};
    Standin in = {.path = paths[index], .handle = dlopen(paths[index], RTLD_NOW | RTLD_LOCAL)};
    void (*configure)(const StandinSettings *);
    StandinState *(*get_state)(void);
    if (!in.handle)
        fail_msg("%s", dlerror());
    void *symbol = dlsym(in.handle, "standin_configure");
    memcpy(&configure, &symbol, sizeof symbol);
    symbol = dlsym(in.handle, "standin_state");
    memcpy(&get_state, &symbol, sizeof symbol);
    configure(s);
    in.state = get_state();
    memset(in.state, 0, sizeof *in.state);
    return in;
}

void scale_init(ScaleJob *j, uint32_t n, float scale)
{
    *j = (ScaleJob){.n = n, .scale = scale, .x = malloc(n * sizeof(float)),
                    .y = calloc(n, sizeof(float))};
    for (uint32_t i = 0; i < n; i++)
        j->x[i] = (float)i;
    j->inputs[0] = (weft_execute_input){.name = "x", .type = WEFT_SCALAR_F32, .shape = {n},
                                        .data = j->x};
    j->inputs[1] = (weft_execute_input){.name = "params.scale", .type = WEFT_SCALAR_F32,
                                        .data = &j->scale};
    j->inputs[2] = (weft_execute_input){.name = "params.n", .type = WEFT_SCALAR_U32,
                                        .data = &j->n};
    j->output = (weft_execute_output){.name = "y", .type = WEFT_SCALAR_F32, .shape = {n},
                                      .data = j->y};
    j->desc = (weft_execute_desc){.wgsl = fixture_scale, .inputs = j->inputs, .input_count = 3,
                                  .outputs = &j->output, .output_count = 1};
}

void scale_check(const ScaleJob *j)
{
    for (uint32_t i = 0; i < j->n; i++)
        if (j->y[i] != (float)i * j->scale)
            fail_msg("y[%u] is %g, not %g", i, (double)j->y[i], (double)i * (double)j->scale);
}

void scale_fini(ScaleJob *j)
{
    free(j->x);
    free(j->y);
}

void expect_error(const weft_execute_report *r, weft_error_kind kind, const char *part)
{
    if (r->error.kind != kind || !strstr(r->error.message, part))
        fail_msg("expected a %s error with '%s', got %s: %s", weft_error_kind_name(kind), part,
                 weft_error_kind_name(r->error.kind), r->error.message);
}

void expect_ok(const weft_execute_report *r)
{
    if (r->error.kind)
        fail_msg("%s: %s", weft_error_kind_name(r->error.kind), r->error.message);
}

void fixture_release(weft_pool *pool, weft_pool_context *ctx)
{
    weft_pool_usage    u;
    weft_pool_snapshot s;
    /* A thread of the pool may hold an execution for a moment after its end. */
    do {
        weft_pool_context_usage(&u, ctx);
        weft_pool_snapshot_get(&s, pool, UINT32_MAX);
        sched_yield();
    } while (u.memory || s.memory || s.host_memory);
    assert_int_equal(u.waiting + u.running, 0);
    weft_pool_context_release(ctx);
    weft_pool_release(pool);
}
