// SPDX-License-Identifier: Apache-2.0
/*
 * device.c - programs on a device of webgpu.h.
 *
 * in     a program with its buffers
 * out    what is in the buffers after it
 * knows  what the device has, and which buffers the entry point uses
 * not    what is right
 */
#include "support/test.h"

#include "device.h"

#include <string.h>

#include <weft/wgsl.h>

#include "base/macro.h"
#include "support/device.h"

static TestDevice the_device;

static TestDevice *open_device(void)
{
    if (!the_device.device)
        test_device_open(&the_device);
    return &the_device;
}

static bool needs(const GenProgram *p, const char *directive)
{
    const char *at = strstr(p->text.data, directive), *end = strchr(p->text.data, '@');
    return at && (!end || at < end);
}

/* Memory of workgroups is counted without arrays whose sizes are overrides. */
static bool is_within_limits(const GenProgram *p, const TestDevice *d)
{
    WGPULimits limits = WGPU_LIMITS_INIT;
    wgpuDeviceGetLimits(d->device, &limits);
    if (p->immediate_size > limits.maxImmediateSize)
        return false;
    weft_wgsl *module = weft_wgsl_create(&(weft_wgsl_desc){.source = p->text.data,
                                                           .source_size = p->text.len});
    const weft_entry_point *entry = weft_wgsl_entry_point_get(module, 0);
    bool ok = !entry || entry->workgroup_memory <= limits.maxComputeWorkgroupStorageSize;
    weft_wgsl_release(module);
    return ok;
}

static bool can_run(const GenProgram *p, uint32_t *subgroup_size)
{
    const TestDevice *d = open_device();
    *subgroup_size = d->subgroup_min;
    if ((needs(p, "enable f16;") && !d->has_f16) ||
        (needs(p, "enable weft_f64;") && !d->has_f64) || !is_within_limits(p, d))
        return false;
    return !p->subgroups || (d->has_subgroups && d->subgroup_min == d->subgroup_max);
}

static const char *run_program_with(const GenProgram *p, const weft_entry_point *entry,
                                    uint8_t *const *data)
{
    TestBuffer      buffers[GEN_MAX_BUFFERS];
    OverrideSetting settings[GEN_MAX_OVERRIDES];
    TestRun run = {.wgsl = p->text, .settings = settings, .nsettings = p->noverrides,
                   .buffers = buffers,
                   .groups = {p->groups[0], p->groups[1], p->groups[2]}};
    for (uint32_t i = 0; i < p->noverrides; i++)
        settings[i] = (OverrideSetting){str_of(p->overrides[i].name), p->overrides[i].value};
    for (uint32_t i = 0; i < entry->binding_count; i++) {
        const weft_wgsl_binding *b = &entry->bindings[i];
        for (uint32_t k = 0; k < p->nbuffers; k++)
            if (p->buffers[k].binding == b->binding)
                buffers[run.nbuffers++] = (TestBuffer){
                    0, b->binding, b->kind == WEFT_BINDING_UNIFORM, data[k],
                    p->buffers[k].size};
    }
    if (entry->immediate_size) {
        run.immediates = p->immediates;
        run.immediate_bytes = p->immediate_size;
    }
    return test_device_run(open_device(), &run);
}

static const char *run(const GenProgram *p, uint8_t *const *data)
{
    weft_wgsl *module = weft_wgsl_create(&(weft_wgsl_desc){.source = p->text.data,
                                                           .source_size = p->text.len});
    const char *wrong = "no entry point";
    if (weft_wgsl_entry_point_count(module) == 1)
        wrong = run_program_with(p, weft_wgsl_entry_point_get(module, 0), data);
    weft_wgsl_release(module);
    return wrong;
}

const RunDevice run_device = {.can_run = can_run, .run = run};
