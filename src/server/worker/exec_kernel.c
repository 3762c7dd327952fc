// SPDX-License-Identifier: Apache-2.0
/*
 * exec_kernel.c - the kernels of a worker: compiled once, kept, replaced by age.
 *
 * in     WGSL, an entry point, constants
 * out    a pipeline with its reflection
 * knows  webgpu.h, weft/wgsl.h
 * not    buffers (exec_run.c)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/worker/executor_priv.h"

#define CHECK_MEMORY (256u << 20)       /* for the text alone; its data is counted apart  */

static const char *const no_features[] = {NULL};

/* ---- portability ---- */

bool exec_is_portable(const JobSpec *spec, const weft_wgsl *m, ExecError *e)
{
    weft_wgsl *strict = weft_wgsl_create(&(weft_wgsl_desc){
        .source = spec->wgsl, .enables = no_features, .language = no_features});
    bool ok = strict && weft_wgsl_ok(strict);
    if (!ok)
        exec_fail(e, WEFT_ERROR_UNSUPPORTED, "the kernel is not portable: %s",
                  strict && weft_wgsl_diagnostic_count(strict)
                      ? weft_wgsl_diagnostic_get(strict, 0)->message : "it uses extensions");
    weft_wgsl_release(strict);
    for (uint32_t i = 0; ok && i < weft_wgsl_entry_point_count(m); i++) {
        const weft_entry_point *p = weft_wgsl_entry_point_get(m, i);
        const uint32_t *s = p->workgroup_size;
        if (p->workgroup_memory > 16384)
            ok = exec_fail(e, WEFT_ERROR_UNSUPPORTED, "the kernel is not portable: '%s' uses "
                           "more than 16,384 bytes of workgroup memory", p->name);
        else if (p->size_known && (s[0] > 256 || s[1] > 256 || s[2] > 64
                                   || (uint64_t)s[0] * s[1] * s[2] > 256))
            ok = exec_fail(e, WEFT_ERROR_UNSUPPORTED, "the kernel is not portable: '%s' has "
                           "more than 256 invocations in a workgroup", p->name);
    }
    return ok;
}

/* ---- compiling ---- */

static bool choose_entry(ExecKernel *k, const JobSpec *spec, ExecError *e)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(k->module); i++) {
        const weft_entry_point *p = weft_wgsl_entry_point_get(k->module, i);
        if (p->stage != WEFT_STAGE_COMPUTE || (*spec->entry && strcmp(spec->entry, p->name)))
            continue;
        k->entry = p;
        found++;
    }
    if (found == 1)
        return true;
    if (*spec->entry)
        return exec_fail(e, WEFT_ERROR_NOT_FOUND, "no compute entry point '%s'", spec->entry);
    return exec_fail(e, WEFT_ERROR_INVALID, found ? "the module has several compute entry "
                     "points: name one in \"entry\"" : "the module has no compute entry point");
}

static bool check_module(ExecKernel *k, const JobSpec *spec, ExecError *e)
{
    k->module = weft_wgsl_create(&(weft_wgsl_desc){
        .source = spec->wgsl,
        .memory_limit = CHECK_MEMORY});
    if (!k->module)
        return exec_fail(e, WEFT_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(k->module); i++) {
        const weft_diagnostic *d = weft_wgsl_diagnostic_get(k->module, i);
        if (d->severity == WEFT_SEVERITY_ERROR)
            return exec_fail(e, WEFT_ERROR_COMPILE, "%u:%u: %s [%s]", d->place.line,
                             d->place.column, d->message, d->id);
    }
    return (!spec->portable || exec_is_portable(spec, k->module, e)) && choose_entry(k, spec, e);
}

static bool specialize(ExecKernel *k, const JobSpec *spec, ExecError *e)
{
    weft_override_value values[WIRE_MAX_INPUTS];
    for (uint32_t i = 0; i < spec->constant_count; i++)
        values[i] = (weft_override_value){spec->constants[i].name, spec->constants[i].value};
    char why[1024];
    if (weft_wgsl_specialize(k->module, k->entry->name, values, spec->constant_count, &k->size,
                             why, sizeof why))
        return true;
    return exec_fail(e, WEFT_ERROR_COMPILE, "%s", why);
}

static bool make_pipeline(Executor *x, ExecKernel *k, const JobSpec *spec, ExecError *e)
{
    WGPUConstantEntry constants[WIRE_MAX_INPUTS];
    for (uint32_t i = 0; i < spec->constant_count; i++)
        constants[i] = (WGPUConstantEntry){
            .key = {spec->constants[i].name, WGPU_STRLEN}, .value = spec->constants[i].value};
    exec_watch(x);
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code = (WGPUStringView){spec->wgsl, WGPU_STRLEN};
    WGPUShaderModuleDescriptor text = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    text.nextInChain = &wgsl.chain;
    WGPUShaderModule module = wgpuDeviceCreateShaderModule(x->device, &text);
    WGPUComputePipelineDescriptor wish = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    wish.compute.module = module;
    wish.compute.entryPoint = (WGPUStringView){k->entry->name, WGPU_STRLEN};
    wish.compute.constantCount = spec->constant_count;
    wish.compute.constants = constants;
    k->pipeline = wgpuDeviceCreateComputePipeline(x->device, &wish);
    bool ok = exec_caught(x, WEFT_ERROR_COMPILE, e);
    wgpuShaderModuleRelease(module);
    return ok;
}

/* ---- the cache ---- */

static void make_key(Pack *key, const JobSpec *spec)
{
    pack_text(key, spec->wgsl);
    pack_text(key, spec->entry);
    pack_u32(key, spec->portable);
    for (uint32_t i = 0; i < spec->constant_count; i++) {
        pack_text(key, spec->constants[i].name);
        pack_raw(key, &spec->constants[i].value, sizeof(double));
    }
}


static ExecKernel *find(Executor *x, const Pack *key)
{
    for (uint32_t i = 0; i < EXEC_KERNELS; i++) {
        ExecKernel *k = &x->kernels[i];
        if (k->key && k->key_size == key->size && memcmp(k->key, key->data, key->size) == 0)
            return k;
    }
    return NULL;
}

/* A free place, or that of the kernel which was not used for longest. */
static ExecKernel *take_place(Executor *x)
{
    ExecKernel *oldest = &x->kernels[0];
    for (uint32_t i = 0; i < EXEC_KERNELS; i++) {
        if (!x->kernels[i].key)
            return &x->kernels[i];
        if (x->kernels[i].used < oldest->used)
            oldest = &x->kernels[i];
    }
    exec_kernel_fini(oldest);
    return oldest;
}

ExecKernel *exec_kernel(Executor *x, const JobSpec *spec, bool *cached, ExecError *e)
{
    Pack key = {0};
    make_key(&key, spec);
    ExecKernel *k = key.failed ? NULL : find(x, &key);
    *cached = k != NULL;
    if (k || key.failed) {
        pack_fini(&key);
        if (k)
            k->used = ++x->clock;
        else
            exec_fail(e, WEFT_ERROR_MEMORY, "out of memory");
        return k;
    }
    k = take_place(x);
    *k = (ExecKernel){.key = key.data, .key_size = key.size, .used = ++x->clock};
    if (check_module(k, spec, e) && specialize(k, spec, e) && make_pipeline(x, k, spec, e)) {
        k->analysis = weft_kernel_create(&(weft_kernel_desc){
            .wgsl = spec->wgsl, .entry = k->entry->name, .memory_limit = 64u << 20});
        return k;
    }
    exec_kernel_fini(k);
    return NULL;
}
