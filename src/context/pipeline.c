// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline.c - compiled kernels: reflection, compilation, precompilation in parallel.
 *
 * in     WGSL, an entry point, constants
 * out    pipelines with their bindings by name; errors with the place in the text
 * knows  weft/wgsl.h for checks and reflection, webgpu.h for compilation
 * not    which kernels are kept (pipeline_cache.c)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/wgsl.h>

#include "base/clock.h"
#include "context/context_priv.h"

/* A kernel on its way: from its text to a pipeline. */
typedef struct Making {
    weft_context       *ctx;
    weft_pipeline_desc  desc;
    weft_pipeline      *pipeline;       /* without its gpu pipeline until that is made */
    WGPUShaderModule    module;
    WGPUPipelineLayout  layout;
    WGPUComputePipeline gpu;
    WGPUFuture          future;
    uint64_t            start;          /* ns                                          */
    bool                done;
    bool                wait;           /* until it is compiled                        */
    char                why[1024];      /* what the device says                        */
} Making;

/* ---- keys ---- */

static size_t put(char *out, size_t at, const void *data, size_t size)
{
    if (out)
        memcpy(out + at, data, size);
    return at + size;
}

/* The text, the entry point and the constants as one string of bytes. */
static size_t write_key(char *out, const weft_pipeline_desc *d)
{
    const char *entry = d->entry ? d->entry : "";
    size_t at = put(out, 0, d->wgsl, strlen(d->wgsl) + 1);
    at = put(out, at, entry, strlen(entry) + 1);
    for (uint32_t i = 0; i < d->constant_count; i++) {
        at = put(out, at, d->constants[i].name, strlen(d->constants[i].name) + 1);
        at = put(out, at, &d->constants[i].value, sizeof d->constants[i].value);
    }
    return at;
}

static uint64_t hash_key(const char *key, size_t size)
{
    uint64_t h = size * 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, key + i, MIN_OF(size - i, 8));
        h = (h ^ word) * 0xFF51AFD7ED558CCDu;
        h ^= h >> 32;
    }
    return h;
}

static bool check_desc(weft_context *ctx, const weft_pipeline_desc *d)
{
    if (!context_need_device(ctx))
        return false;
    if (!d || !d->wgsl)
        return context_fail(ctx, WEFT_ERROR_INVALID, "pipeline: the WGSL is NULL");
    if (d->constant_count && !d->constants)
        return context_fail(ctx, WEFT_ERROR_INVALID, "pipeline: constant_count without constants");
    for (uint32_t i = 0; i < d->constant_count; i++)
        if (!d->constants[i].name)
            return context_fail(ctx, WEFT_ERROR_INVALID, "pipeline: constant %u has no name", i);
    return true;
}

/* ---- reflection ---- */

static const char *label_of(const weft_pipeline_desc *d)
{
    return d->label ? d->label : d->entry ? d->entry : "kernel";
}

static bool fail_compile(weft_context *ctx, const weft_pipeline_desc *d, const char *why)
{
    const char *names[] = {label_of(d), NULL};
    return context_fail_names(ctx, WEFT_ERROR_COMPILE, names, "%s: %s", names[0], why);
}

static bool check_diagnostics(weft_context *ctx, const weft_pipeline_desc *d,
                              const weft_wgsl *module)
{
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(module); i++) {
        const weft_diagnostic *e = weft_wgsl_diagnostic_get(module, i);
        char text[800];
        if (e->severity != WEFT_SEVERITY_ERROR)
            continue;
        snprintf(text, sizeof text, "%u:%u: %s", e->place.line, e->place.column, e->message);
        return fail_compile(ctx, d, text);
    }
    return weft_wgsl_ok(module) || fail_compile(ctx, d, "the kernel is not valid");
}

static const weft_entry_point *find_entry(weft_context *ctx, const weft_pipeline_desc *d,
                                          const weft_wgsl *module)
{
    const weft_entry_point *found = NULL;
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(module); i++) {
        const weft_entry_point *e = weft_wgsl_entry_point_get(module, i);
        if (e->stage != WEFT_STAGE_COMPUTE || (d->entry && strcmp(e->name, d->entry) != 0))
            continue;
        if (found) {
            fail_compile(ctx, d, "there are several compute entry points: name one");
            return NULL;
        }
        found = e;
    }
    if (!found && d->entry)
        context_fail(ctx, WEFT_ERROR_NOT_FOUND, "%s: there is no compute entry point '%s'",
                     label_of(d), d->entry);
    else if (!found)
        fail_compile(ctx, d, "there is no compute entry point");
    return found;
}

static bool check_entry(weft_context *ctx, const weft_pipeline_desc *d,
                        const weft_entry_point *e)
{
    if (e->immediate_size)
        return context_fail(ctx, WEFT_ERROR_UNSUPPORTED,
                            "%s: var<immediate> is not available here: use a uniform", label_of(d));
    if (e->binding_count > PIPELINE_MAX_BINDINGS)
        return context_fail(ctx, WEFT_ERROR_UNSUPPORTED, "%s: %u bindings, at most %u are "
                            "possible", label_of(d), e->binding_count, PIPELINE_MAX_BINDINGS);
    for (uint32_t i = 0; i < e->binding_count; i++) {
        const weft_wgsl_binding *b = &e->bindings[i];
        if (b->kind > WEFT_BINDING_READ_ONLY_STORAGE)
            return context_fail(ctx, WEFT_ERROR_UNSUPPORTED, "%s: '%s' is not a buffer",
                                label_of(d), b->name);
        if (b->group >= PIPELINE_MAX_GROUPS)
            return context_fail(ctx, WEFT_ERROR_UNSUPPORTED,
                                "%s: '%s' is in group %u, groups are below %u", label_of(d),
                                b->name, b->group, PIPELINE_MAX_GROUPS);
    }
    return true;
}

/* Bindings with their names behind them, in one block. */
static bool copy_bindings(weft_pipeline *p, const weft_entry_point *e)
{
    size_t size = e->binding_count * sizeof *p->bindings, text = size;
    for (uint32_t i = 0; i < e->binding_count; i++)
        size += strlen(e->bindings[i].name) + 1;
    p->bindings = malloc(size ? size : 1);
    if (!p->bindings)
        return false;
    char *at = (char *)p->bindings + text;
    for (uint32_t i = 0; i < e->binding_count; i++) {
        const weft_wgsl_binding *b = &e->bindings[i];
        size_t length = strlen(b->name) + 1;
        memcpy(at, b->name, length);
        p->bindings[i] = (weft_pipeline_binding){
            .name = at, .group = b->group, .binding = b->binding,
            .uniform = b->kind == WEFT_BINDING_UNIFORM,
            .writable = b->kind == WEFT_BINDING_STORAGE, .min_size = b->min_size};
        at += length;
    }
    p->binding_count = e->binding_count;
    return true;
}

static void find_groups(weft_pipeline *p, const WGPULimits *limits)
{
    uint32_t uniforms = 0;
    for (uint32_t i = 0; i < p->binding_count; i++) {
        PipelineGroup *g = &p->groups[p->bindings[i].group];
        if (g->count++ == 0)
            g->first = i;
        g->dynamic_count += p->bindings[i].uniform;
        uniforms += p->bindings[i].uniform;
        p->group_count = p->bindings[i].group + 1;
    }
    for (uint32_t g = 0; uniforms > limits->maxDynamicUniformBuffersPerPipelineLayout
                         && g < p->group_count; g++)
        p->groups[g].dynamic_count = 0;
}

static bool specialize(Making *m, const weft_wgsl *module, const weft_entry_point *e)
{
    const weft_pipeline_desc *d = &m->desc;
    weft_specialized     is = {0};
    char                 why[800];
    weft_override_value *values = calloc(d->constant_count + 1, sizeof *values);
    if (!values)
        return context_fail(m->ctx, WEFT_ERROR_MEMORY, "no memory for a kernel");
    for (uint32_t i = 0; i < d->constant_count; i++)
        values[i] = (weft_override_value){d->constants[i].name, d->constants[i].value};
    bool ok = weft_wgsl_specialize(module, e->name, values, d->constant_count, &is, why,
                                   sizeof why);
    free(values);
    if (!ok)
        return fail_compile(m->ctx, d, why);
    memcpy(m->pipeline->workgroup, is.workgroup_size, sizeof is.workgroup_size);
    return true;
}

/* ---- making: first what the text says, then what the device does ---- */

static void pipeline_free(weft_pipeline *p)
{
    const Procs *procs = &p->device->lib.procs;
    if (p->gpu)
        procs->ComputePipelineRelease(p->gpu);
    verdict_release(p->verdict);
    for (uint32_t i = 0; i < PIPELINE_MAX_GROUPS; i++)
        if (p->groups[i].layout)
            procs->BindGroupLayoutRelease(p->groups[i].layout);
    free(p->bindings);
    free(p->label);
    free(p->key);
    free(p);
}

void pipeline_unref(weft_pipeline *p)
{
    if (atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1)
        pipeline_free(p);
}

/* Takes over `key`. */
static weft_pipeline *pipeline_new(weft_context *ctx, const weft_pipeline_desc *d, char *key,
                                   size_t key_size, uint64_t hash)
{
    weft_pipeline *p = calloc(1, sizeof *p);
    char          *label = strdup(label_of(d));
    if (!p || !label) {
        free(p);
        free(label);
        free(key);
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a kernel");
        return NULL;
    }
    atomic_init(&p->refs, 1);
    p->device = ctx->device;
    p->id = atomic_fetch_add_explicit(&ctx->device->next_id, 1, memory_order_relaxed);
    p->label = label;
    p->key = key;
    p->key_size = key_size;
    p->hash = hash;
    return p;
}

static bool reflect(Making *m, const weft_wgsl *module)
{
    weft_context           *ctx = m->ctx;
    const weft_entry_point *e = NULL;
    if (!check_diagnostics(ctx, &m->desc, module) || !(e = find_entry(ctx, &m->desc, module))
        || !check_entry(ctx, &m->desc, e) || !specialize(m, module, e))
        return false;
    if (!copy_bindings(m->pipeline, e))
        return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a kernel");
    find_groups(m->pipeline, &ctx->device->info.limits);
    return true;
}

static WGPUBindGroupLayout make_group_layout(weft_pipeline *p, const PipelineGroup *g)
{
    WGPUBindGroupLayoutEntry entries[PIPELINE_MAX_BINDINGS];
    for (uint32_t i = 0; i < g->count; i++) {
        const weft_pipeline_binding *b = &p->bindings[g->first + i];
        entries[i] = (WGPUBindGroupLayoutEntry)WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
        entries[i].binding = b->binding;
        entries[i].visibility = WGPUShaderStage_Compute;
        entries[i].buffer.type = b->uniform ? WGPUBufferBindingType_Uniform
                               : b->writable ? WGPUBufferBindingType_Storage
                               : WGPUBufferBindingType_ReadOnlyStorage;
        entries[i].buffer.hasDynamicOffset = b->uniform && g->dynamic_count;
        entries[i].buffer.minBindingSize = b->min_size;
    }
    WGPUBindGroupLayoutDescriptor wish = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
    wish.entryCount = g->count;
    wish.entries = entries;
    return p->device->lib.procs.DeviceCreateBindGroupLayout(p->device->device, &wish);
}

static void make_layouts(Making *m)
{
    weft_pipeline      *p = m->pipeline;
    WGPUBindGroupLayout layouts[PIPELINE_MAX_GROUPS];
    for (uint32_t i = 0; i < p->group_count; i++)
        layouts[i] = p->groups[i].layout = make_group_layout(p, &p->groups[i]);
    WGPUPipelineLayoutDescriptor wish = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
    wish.bindGroupLayoutCount = p->group_count;
    wish.bindGroupLayouts = layouts;
    m->layout = p->device->lib.procs.DeviceCreatePipelineLayout(p->device->device, &wish);
}

static void make_module(Making *m)
{
    Device *d = m->ctx->device;
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code = (WGPUStringView){m->desc.wgsl, strlen(m->desc.wgsl)};
    WGPUShaderModuleDescriptor wish = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    wish.nextInChain = &wgsl.chain;
    m->module = d->lib.procs.DeviceCreateShaderModule(d->device, &wish);
}

static void on_pipeline(WGPUCreatePipelineAsyncStatus status, WGPUComputePipeline pipeline,
                        WGPUStringView message, void *user1, void *user2)
{
    Making *m = user1;
    (void)user2;
    m->done = true;
    if (status == WGPUCreatePipelineAsyncStatus_Success)
        m->gpu = pipeline;
    else
        snprintf(m->why, sizeof m->why, "%.*s",
                 message.data ? (int)MIN_OF(message.length, sizeof m->why - 1) : 0,
                 message.data ? message.data : "");
}

/* The pipeline is there at once, and is compiled on other threads while the caller goes on;
 * a dispatch waits for it. Weft's library alone: it has checked the kernel as reflect() did,
 * what remains are the limits of the device, and of the compiler (verdict.c). */
static void compile_behind(Making *m, const WGPUComputePipelineDescriptor *wish)
{
    Device *d = m->ctx->device;
    verdict_begin(d);
    device_scope_begin(d);
    m->gpu = d->lib.procs.DeviceCreateComputePipeline(d->device, wish);
    if (!device_scope_end(d, m->why, sizeof m->why) && m->gpu) {
        d->lib.procs.ComputePipelineRelease(m->gpu);
        m->gpu = NULL;
    }
    m->pipeline->verdict = verdict_end(d);
    m->done = true;
}

static void compile_async(Making *m, const WGPUComputePipelineDescriptor *wish)
{
    Device *d = m->ctx->device;
    WGPUCreateComputePipelineAsyncCallbackInfo info =
        WGPU_CREATE_COMPUTE_PIPELINE_ASYNC_CALLBACK_INFO_INIT;
    info.mode = library_callback_mode(&d->lib);
    info.callback = on_pipeline;
    info.userdata1 = m;
    m->future = d->lib.procs.DeviceCreateComputePipelineAsync(d->device, wish, info);
}

static void start_compile(Making *m)
{
    WGPUConstantEntry *constants = calloc(m->desc.constant_count + 1, sizeof *constants);
    WGPUComputePipelineDescriptor wish = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    make_layouts(m);
    make_module(m);
    for (uint32_t i = 0; constants && i < m->desc.constant_count; i++)
        constants[i] = (WGPUConstantEntry){
            .key = {m->desc.constants[i].name, WGPU_STRLEN},
            .value = m->desc.constants[i].value};
    wish.label = (WGPUStringView){m->pipeline->label, WGPU_STRLEN};
    wish.layout = m->layout;
    wish.compute.module = m->module;
    if (m->desc.entry)
        wish.compute.entryPoint = (WGPUStringView){m->desc.entry, WGPU_STRLEN};
    wish.compute.constantCount = constants ? m->desc.constant_count : 0;
    wish.compute.constants = constants;
    m->start = clock_ns();
    if (m->ctx->device->lib.has_options && !m->wait)
        compile_behind(m, &wish);
    else
        compile_async(m, &wish);
    free(constants);
}

/* Finds the kernel in the cache, or begins to compile it; false with the error set. */
static bool making_begin(Making *m, weft_context *ctx, const weft_pipeline_desc *d, bool wait)
{
    *m = (Making){.ctx = ctx, .done = true, .wait = wait};
    if (!check_desc(ctx, d))
        return false;
    m->desc = *d;
    size_t size = write_key(NULL, d);
    char  *key = malloc(size);
    if (!key)
        return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a kernel");
    write_key(key, d);
    uint64_t hash = hash_key(key, size);
    m->pipeline = pipeline_cache_find(ctx->device, hash, key, size);
    if (m->pipeline) {
        free(key);
        context_bump(ctx, COUNTER_CACHE_HITS, 1);
        return true;
    }
    m->pipeline = pipeline_new(ctx, d, key, size, hash);
    weft_wgsl *module = m->pipeline ? weft_wgsl_create(&(weft_wgsl_desc){.source = d->wgsl}) : NULL;
    if (m->pipeline && !module)
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a kernel");
    bool ok = module && reflect(m, module);
    weft_wgsl_release(module);
    if (ok) {
        m->done = false;
        start_compile(m);
    }
    return ok;
}

/* Waits for the compiler. NULL with the error set; else a reference. */
static weft_pipeline *making_end(Making *m)
{
    weft_context  *ctx = m->ctx;
    const Procs   *p = &ctx->device->lib.procs;
    weft_pipeline *made = m->pipeline;
    bool           fresh = m->module != NULL;
    m->pipeline = NULL;
    if (!m->done)
        library_wait(&ctx->device->lib, m->future, &m->done);
    if (m->layout)
        p->PipelineLayoutRelease(m->layout);
    if (m->module)
        p->ShaderModuleRelease(m->module);
    if (!fresh && !verdict_check(ctx, made)) {
        pipeline_unref(made);
        return NULL;
    }
    if (!fresh)
        return made;
    made->gpu = m->gpu;
    if (!made->gpu || !context_check_device(ctx)) {
        if (!made->gpu)
            fail_compile(ctx, &m->desc, m->why[0] ? m->why : "the device cannot compile it");
        pipeline_unref(made);
        return NULL;
    }
    context_bump(ctx, COUNTER_COMPILES, 1);
    context_bump(ctx, COUNTER_COMPILE_NS, clock_ns() - m->start);
    context_log(ctx, WEFT_LOG_COMPILE, "%s %s in %.1f ms", made->label,
                m->future.id ? "compiled" : "checked, is being compiled",
                (double)(clock_ns() - m->start) * 1e-6);
    return pipeline_cache_add(ctx, made);
}

static void making_abandon(Making *m)
{
    if (m->pipeline)
        pipeline_unref(m->pipeline);
}

/* ---- the API ---- */

weft_pipeline *weft_pipeline_create(weft_context *ctx, const weft_pipeline_desc *desc)
{
    Making m;
    if (!ctx)
        return NULL;
    if (!making_begin(&m, ctx, desc, false)) {
        making_abandon(&m);
        return NULL;
    }
    weft_pipeline *p = making_end(&m);
    if (p)
        device_retain(ctx->device);
    return p;
}

weft_pipeline *weft_pipeline_retain(weft_pipeline *pipeline)
{
    if (pipeline) {
        atomic_fetch_add_explicit(&pipeline->refs, 1, memory_order_relaxed);
        device_retain(pipeline->device);
    }
    return pipeline;
}

void weft_pipeline_release(weft_pipeline *pipeline)
{
    if (!pipeline)
        return;
    Device *d = pipeline->device;
    pipeline_unref(pipeline);
    device_release(d);
}

bool weft_context_precompile(weft_context *ctx, const weft_pipeline_desc *descs, uint32_t count,
                             weft_progress progress, void *user)
{
    if (!ctx || !context_need_device(ctx))
        return false;
    if (count && !descs)
        return context_fail(ctx, WEFT_ERROR_INVALID, "precompile: count without descriptors");
    Making *all = calloc((size_t)count + 1, sizeof *all);
    if (!all)
        return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for %u kernels", count);
    bool ok = true;
    uint32_t begun = 0;
    for (; begun < count && ok; begun++)
        if (!(ok = making_begin(&all[begun], ctx, &descs[begun], true)))
            making_abandon(&all[begun]);
    begun -= !ok;
    for (uint32_t i = 0; i < begun; i++) {
        weft_pipeline *p = making_end(&all[i]);
        if (p)
            pipeline_unref(p);          /* the cache has its own reference */
        ok = ok && p;
        if (ok && progress && !progress(user, i + 1, count))
            ok = context_fail(ctx, WEFT_ERROR_CANCELLED, "precompile: cancelled");
    }
    free(all);
    return ok;
}

uint32_t weft_pipeline_binding_count(const weft_pipeline *pipeline)
{
    return pipeline ? pipeline->binding_count : 0;
}

const weft_pipeline_binding *weft_pipeline_binding_get(const weft_pipeline *pipeline,
                                                       uint32_t index)
{
    return pipeline && index < pipeline->binding_count ? &pipeline->bindings[index] : NULL;
}

void weft_pipeline_workgroup_size(uint32_t out[3], const weft_pipeline *pipeline)
{
    for (int i = 0; i < 3; i++)
        out[i] = pipeline ? pipeline->workgroup[i] : 0;
}
