// SPDX-License-Identifier: Apache-2.0
/*
 * exec_check.c - says what a kernel is, without running it; measures the device.
 *
 * in     WGSL
 * out    JSON: diagnostics, entry points with bindings, a verdict
 * knows  weft/wgsl.h
 * not    clearances and quotas (auth/)
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/worker/executor_priv.h"

static const char *severity(weft_severity s)
{
    return s == WEFT_SEVERITY_ERROR ? "error" : s == WEFT_SEVERITY_WARNING ? "warning" : "info";
}

static void tell_diagnostics(Text *out, const weft_wgsl *m)
{
    text_add(out, STR("\"diagnostics\":["));
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(m); i++) {
        const weft_diagnostic *d = weft_wgsl_diagnostic_get(m, i);
        text_printf(out, "%s{\"severity\":\"%s\",\"id\":\"%s\",\"line\":%u,\"column\":%u,"
                    "\"length\":%u,\"message\":", i ? "," : "", severity(d->severity), d->id,
                    d->place.line, d->place.column, d->place.length);
        text_json(out, str_of(d->message));
        text_char(out, '}');
    }
    text_char(out, ']');
}

static void tell_bindings(Text *out, const weft_entry_point *p)
{
    for (uint32_t i = 0; i < p->binding_count; i++) {
        const weft_wgsl_binding *b = &p->bindings[i];
        text_printf(out, "%s{\"name\":\"%s\",\"group\":%u,\"binding\":%u,\"kind\":\"%s\","
                    "\"access\":\"%s\",\"min_size\":%llu,\"type\":", i ? "," : "", b->name,
                    b->group, b->binding, b->kind == WEFT_BINDING_UNIFORM ? "uniform"
                    : b->layout ? "storage" : "other", b->access,
                    (unsigned long long)b->min_size);
        text_json(out, str_of(b->type));
        text_char(out, '}');
    }
}

static void tell_entries(Text *out, const weft_wgsl *m)
{
    uint32_t told = 0;
    text_add(out, STR("\"entry_points\":["));
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(m); i++) {
        const weft_entry_point *p = weft_wgsl_entry_point_get(m, i);
        if (p->stage != WEFT_STAGE_COMPUTE)
            continue;
        text_printf(out, "%s{\"name\":\"%s\",\"workgroup_size\":[%u,%u,%u],"
                    "\"workgroup_memory\":%llu,\"bindings\":[", told++ ? "," : "", p->name,
                    p->workgroup_size[0], p->workgroup_size[1], p->workgroup_size[2],
                    (unsigned long long)p->workgroup_memory);
        tell_bindings(out, p);
        text_add(out, STR("]}"));
    }
    text_char(out, ']');
}

double exec_count_ops(const weft_kernel *k, const weft_override_value *names, uint32_t count)
{
    weft_kernel_info info;
    if (!k || weft_kernel_error(k))
        return 1;
    weft_kernel_get_info(&info, k);
    double ops = weft_kernel_count_value(k, &info.float_operations, names, count)
               + weft_kernel_count_value(k, &info.integer_operations, names, count)
               + weft_kernel_count_value(k, &info.functions, names, count);
    return MAX_OF(ops, 1.0);
}

static void tell(Text *out, const JobSpec *spec, const weft_wgsl *m)
{
    ExecError e = {0};
    bool      ok = weft_wgsl_ok(m);
    text_char(out, '{');
    tell_diagnostics(out, m);
    if (ok && spec->portable && !exec_is_portable(spec, m, &e))
        ok = false;
    if (weft_wgsl_ok(m)) {
        text_char(out, ',');
        tell_entries(out, m);
        weft_kernel *k = weft_kernel_create(&(weft_kernel_desc){
            .wgsl = spec->wgsl, .entry = *spec->entry ? spec->entry : NULL,
            .memory_limit = 64u << 20});
        text_printf(out, ",\"operations_per_invocation\":%.0f", exec_count_ops(k, NULL, 0));
        weft_kernel_release(k);
    }
    text_printf(out, ",\"verdict\":\"%s\"", ok ? "accepted" : "rejected");
    if (*e.message) {
        text_add(out, STR(",\"reason\":"));
        text_json(out, str_of(e.message));
    }
    text_char(out, '}');
}

void executor_check(Executor *x, const JobSpec *spec, Pack *out)
{
    (void)x;
    Arena arena;
    arena_init(&arena, 0);
    Text       text = {.arena = &arena};
    weft_wgsl *m = weft_wgsl_create(&(weft_wgsl_desc){.source = spec->wgsl,
                                                      .memory_limit = 256u << 20});
    if (m)
        tell(&text, spec, m);
    else
        text_add(&text, STR("{\"verdict\":\"rejected\",\"reason\":\"out of memory\"}"));
    pack_text(out, text.data);
    weft_wgsl_release(m);
    arena_fini(&arena);
}

/* ---- profile ---- */

static const char copy_kernel[] =
    "@group(0) @binding(0) var<storage, read> a : array<vec4f>;\n"
    "@group(0) @binding(1) var<storage, read_write> b : array<vec4f>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at : vec3u) {\n"
    "  b[at.x] = a[at.x];\n}\n";

static const char sum_kernel[] =
    "@group(0) @binding(0) var<storage, read_write> b : array<f32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at : vec3u) {\n"
    "  var x = f32(at.x);\n"
    "  for (var i = 0; i < 256; i++) { x = x * 1.0001 + 0.5; }\n"
    "  b[at.x] = x;\n}\n";

#define PROFILE_BYTES (16u << 20)

static bool measure(Executor *x, JobSpec *spec, uint64_t *best, ExecError *e)
{
    *best = UINT64_MAX;
    for (int i = 0; i < 4; i++) {
        Pack     out = {0};
        WireDone done;
        bool     ok = executor_run(x, spec, &out, &done, e);
        pack_fini(&out);
        if (!ok)
            return false;
        *best = MIN_OF(*best, MAX_OF(done.run_ns, 1));
    }
    return true;
}

bool executor_profile(Executor *x, double *bandwidth, double *arithmetic, ExecError *e)
{
    uint8_t *data = calloc(1, PROFILE_BYTES);
    JobSpec *spec = calloc(1, sizeof *spec);
    uint64_t copy = 1, sum = 1;
    bool     ok = data && spec;
    if (ok) {
        *spec = (JobSpec){.wgsl = copy_kernel, .entry = "", .runner = "", .input_count = 1,
                          .output_count = 1};
        spec->inputs[0] = (WireInput){"a", WIRE_BYTES, data, PROFILE_BYTES};
        spec->outputs[0] = (WireOutput){.name = "b", .size = PROFILE_BYTES};
        ok = measure(x, spec, &copy, e);
    }
    if (ok) {
        *spec = (JobSpec){.wgsl = sum_kernel, .entry = "", .runner = "", .output_count = 1};
        spec->outputs[0] = (WireOutput){.name = "b", .size = 1u << 20};
        ok = measure(x, spec, &sum, e);
    }
    /* The copy reads, writes, and is copied once more to be read back. */
    *bandwidth = 4.0 * PROFILE_BYTES / (double)copy * 1e9;
    *arithmetic = 2.0 * 256 * (double)((1u << 20) / 4) / (double)sum * 1e9;
    free(data);
    free(spec);
    return ok;
}
