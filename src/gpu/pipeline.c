// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline.c - compute pipelines: an entry point with its layout, ready to run.
 *
 * in     a shader module, an entry point, constants, a layout or the wish for one
 * out    a pipeline; at once, or by a future when the compiler is through
 * knows  WebGPU 10.1 (automatic layouts, bindings of shaders against layouts)
 * not    how kernels are made and kept (module.c)
 *
 * Everything is checked on the calling thread. What a backend refuses to compile is
 * heard of later: it goes to the error scope that was open, or to the callback.
 *
 * Kernels are made ahead, on other threads. A program that makes pipelines and does not
 * use them, as one that tries out shaders, gets them on demand after the first few.
 */
#include <math.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define MAX_KEY   65536u                    /* bytes in the name of a constant */
#define MAX_AHEAD 16u                       /* kernels made ahead, and none used */

static void pipeline_free(Object *o)
{
    WGPUComputePipeline p = (WGPUComputePipeline)o;
    kernel_slot_unref(p->kernel);
    if (p->module)
        object_unref(&p->module->base);
    if (p->layout)
        object_unref(&p->layout->base);
    free(p->bindings);
}

static const ObjectClass compute_pipeline_class = {"compute pipeline", pipeline_free};

/* ---- what is asked for ---- */

/* A descriptor on its way to a pipeline. */
typedef struct Plan {
    KernelWait              wait;       /* on the heap: for the kernel            */
    Task                    task;       /* and then for the event thread          */
    WGPUComputePipeline     pipeline;   /* referenced                             */
    WGPUShaderModule        module;     /* referenced, once it is found to be good */
    const weft_entry_point *entry;      /* of the module                          */
    OverrideSetting        *settings;   /* owned, with their keys                 */
    uint32_t                nsettings;
    Future                 *future;     /* asynchronous: referenced               */
    Scope                  *scope;      /* otherwise: for errors; NULL: none      */
    Outcome                 outcome;
} Plan;

static const char *constant_fault(Fault *f, const WGPUConstantEntry *c)
{
    View key;
    if (chain_none_fault(f, "WGPUConstantEntry", c->nextInChain)
        || view_fault(f, "the key of a constant", c->key))
        return f->text;
    view_of(c->key, &key);
    if (key.len > MAX_KEY)
        return fault(f, "the key of a constant has %zu bytes, and no override is called that",
                     key.len);
    if (!isfinite(c->value))
        return fault(f, "the constant '%.*s' is not finite", VIEW_ARG(key));
    return NULL;
}

/* Copies the constants with their keys, which the program may take back. */
static const char *take_constants(Plan *plan, const WGPUComputeState *state)
{
    Fault *f = &plan->outcome.fault;
    size_t bytes = 0;
    View   key;
    if (state->constantCount && !state->constants)
        return fault(f, "constants is NULL with a count of %zu", state->constantCount);
    if (state->constantCount > UINT32_MAX / sizeof(OverrideSetting))
        return fault(f, "%zu constants are too many", state->constantCount);
    for (size_t i = 0; i < state->constantCount; i++) {
        if (constant_fault(f, &state->constants[i]))
            return f->text;
        view_of(state->constants[i].key, &key);
        bytes += key.len;
    }
    if (state->constantCount == 0)
        return NULL;
    plan->settings = malloc(state->constantCount * sizeof *plan->settings + bytes);
    if (!plan->settings)
        return "out of memory";
    char *text = (char *)(plan->settings + state->constantCount);
    for (size_t i = 0; i < state->constantCount; i++) {
        view_of(state->constants[i].key, &key);
        if (key.len)
            memcpy(text, key.data, key.len);
        plan->settings[i] = (OverrideSetting){{text, (uint32_t)key.len},
                                              state->constants[i].value};
        text += key.len;
    }
    plan->nsettings = (uint32_t)state->constantCount;
    return NULL;
}

static bool name_is(const char *name, View v)
{
    return strlen(name) == v.len && memcmp(name, v.data, v.len) == 0;
}

/* The entry point that is meant; NULL after a fault. */
static const weft_entry_point *find_entry(Fault *f, const weft_wgsl *wgsl, View name)
{
    const weft_entry_point *found = NULL;
    uint32_t computes = 0;
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(wgsl); i++) {
        const weft_entry_point *e = weft_wgsl_entry_point_get(wgsl, i);
        if (name.data && name_is(e->name, name)) {
            if (e->stage == WEFT_STAGE_COMPUTE)
                return e;
            fault(f, "the entry point '%s' is not a @compute function", e->name);
            return NULL;
        }
        if (e->stage == WEFT_STAGE_COMPUTE && computes++ == 0)
            found = e;
    }
    if (name.data) {
        if (found)
            fault(f, "the module has no entry point '%.*s'; there is '%s'", VIEW_ARG(name),
                  found->name);
        else
            fault(f, "the module has no entry point '%.*s'", VIEW_ARG(name));
        return NULL;
    }
    if (computes == 1)
        return found;
    fault(f, "no entry point is named, and the module has %u @compute functions", computes);
    return NULL;
}

/* ---- bindings ---- */

static bool is_buffer(const weft_wgsl_binding *b)
{
    return b->kind == WEFT_BINDING_UNIFORM || b->kind == WEFT_BINDING_STORAGE
           || b->kind == WEFT_BINDING_READ_ONLY_STORAGE;
}

static WGPUBufferBindingType binding_type(const weft_wgsl_binding *b)
{
    switch (b->kind) {
    case WEFT_BINDING_STORAGE:           return WGPUBufferBindingType_Storage;
    case WEFT_BINDING_READ_ONLY_STORAGE: return WGPUBufferBindingType_ReadOnlyStorage;
    default:                             return WGPUBufferBindingType_Uniform;
    }
}

static const char *binding_fault(Fault *f, const weft_wgsl_binding *b, WGPUPipelineLayout layout,
                                 const LayoutEntry **entry)
{
    WGPUBindGroupLayout group = b->group < MAX_BIND_GROUPS ? layout->groups[b->group] : NULL;
    const LayoutEntry  *e = group ? layout_find(group, b->binding) : NULL;
    *entry = e;
    if (!e)
        return fault(f, "'%s' has @group(%u) @binding(%u), which the layout does not have",
                     b->name, b->group, b->binding);
    if (e->type != binding_type(b))
        return fault(f, "'%s', @group(%u) @binding(%u), is a %s buffer, and the layout says %s",
                     b->name, b->group, b->binding, binding_type_name(binding_type(b)),
                     binding_type_name(e->type));
    if (!(e->visibility & WGPUShaderStage_Compute))
        return fault(f, "'%s', @group(%u) @binding(%u), is not visible to compute shaders",
                     b->name, b->group, b->binding);
    if (e->min_size && e->min_size < b->min_size)
        return fault(f, "'%s', @group(%u) @binding(%u), needs %llu bytes, and the layout's "
                        "minBindingSize is %llu", b->name, b->group, b->binding,
                     (unsigned long long)b->min_size, (unsigned long long)e->min_size);
    return NULL;
}

/* Finds each binding of the shader in the layout. */
static const char *resolve_bindings(Plan *plan)
{
    WGPUComputePipeline p = plan->pipeline;
    const weft_entry_point *entry = plan->entry;
    p->bindings = calloc(entry->binding_count ? entry->binding_count : 1, sizeof *p->bindings);
    if (!p->bindings)
        return "out of memory";
    for (uint32_t i = 0; i < entry->binding_count; i++) {
        const weft_wgsl_binding *b = &entry->bindings[i];
        const LayoutEntry  *e;
        if (binding_fault(&plan->outcome.fault, b, p->layout, &e))
            return plan->outcome.fault.text;
        p->bindings[i] = (PipelineBinding){
            .group = b->group, .binding = b->binding,
            .slot = (uint32_t)(e - p->layout->groups[b->group]->entries),
            .min_size = e->min_size ? 0 : b->min_size,
        };
    }
    p->nbindings = entry->binding_count;
    for (uint32_t i = 0; i < MAX_BIND_GROUPS; i++)
        if (p->layout->groups[i])
            p->ngroups = i + 1;
    return NULL;
}

static const char *texture_fault(Fault *f, const weft_entry_point *entry)
{
    for (uint32_t i = 0; i < entry->binding_count; i++)
        if (!is_buffer(&entry->bindings[i]))
            return fault(f, "'%s' is of type %s; Weft has no textures and samplers",
                         entry->bindings[i].name, entry->bindings[i].type);
    return NULL;
}

/* ---- automatic layouts ---- */

static const char *auto_fault(Fault *f, const weft_entry_point *entry, const Limits *limits)
{
    const WGPULimits *l = &limits->limits;
    SlotCount slots = {0};
    for (uint32_t i = 0; i < entry->binding_count; i++) {
        const weft_wgsl_binding *b = &entry->bindings[i];
        if (b->group >= l->maxBindGroups)
            return fault(f, "'%s' has @group(%u), which must be below maxBindGroups, %u",
                         b->name, b->group, l->maxBindGroups);
        if (b->binding >= l->maxBindingsPerBindGroup)
            return fault(f, "'%s' has @binding(%u), which must be below "
                            "maxBindingsPerBindGroup, %u", b->name, b->binding,
                         l->maxBindingsPerBindGroup);
        slots_add(&slots, &(LayoutEntry){.type = binding_type(b),
                                         .visibility = WGPUShaderStage_Compute});
    }
    if ((entry->immediate_size + 3) / 4 * 4 > l->maxImmediateSize)
        return fault(f, "%u bytes of immediate data are above maxImmediateSize, %u",
                     entry->immediate_size, l->maxImmediateSize);
    return slots_fault(f, &slots, limits);
}

/* Makes the layout of the group that bindings [*at, ...) belong to. False: no memory. */
static bool add_auto_group(WGPUPipelineLayout layout, const weft_entry_point *entry,
                           uint32_t *at, uint64_t exclusive)
{
    LayoutEntry room[16] = {{0}}, *entries = room;
    uint32_t    first = *at, group = entry->bindings[first].group;
    while (*at < entry->binding_count && entry->bindings[*at].group == group)
        ++*at;
    uint32_t n = *at - first;
    if (n > COUNTOF(room) && !(entries = calloc(n, sizeof *entries)))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const weft_wgsl_binding *b = &entry->bindings[first + i];
        entries[i] = (LayoutEntry){.binding = b->binding, .type = binding_type(b),
                                   .visibility = WGPUShaderStage_Compute,
                                   .min_size = b->min_size};
    }
    layout->groups[group] = layout_new(layout->base.device, entries, n, exclusive);
    if (entries != room)
        free(entries);
    return layout->groups[group] != NULL;
}

static const char *make_auto_layout(Plan *plan)
{
    WGPUDevice  device = plan->pipeline->base.device;
    const char *why = auto_fault(&plan->outcome.fault, plan->entry, &device->limits);
    if (why)
        return why;
    WGPUPipelineLayout layout = object_new(&pipeline_layout_class, sizeof *layout, device,
                                           (WGPUStringView){0});
    plan->pipeline->layout = layout;
    if (!layout)
        return "out of memory";
    uint64_t exclusive = atomic_fetch_add(&device->next_exclusive, 1) + 1;
    layout->immediate_size = (plan->entry->immediate_size + 3) / 4 * 4;
    for (uint32_t i = 0; i < plan->entry->binding_count;)
        if (!add_auto_group(layout, plan->entry, &i, exclusive))
            return "out of memory";
    return NULL;
}

/* ---- checking ---- */

static const char *layout_fault(Plan *plan, WGPUPipelineLayout layout)
{
    Fault *f = &plan->outcome.fault;
    if (texture_fault(f, plan->entry))
        return f->text;
    if (!layout)
        return make_auto_layout(plan);
    if (object_fault(f, &layout->base, "the layout", plan->pipeline->base.device))
        return f->text;
    if (layout->immediate_size < plan->entry->immediate_size)
        return fault(f, "the shader has %u bytes of immediate data, and the layout's "
                        "immediateSize is %u", plan->entry->immediate_size,
                     layout->immediate_size);
    object_ref(&layout->base);
    plan->pipeline->layout = layout;
    return NULL;
}

static const char *stage_fault(Plan *plan, const WGPUComputeState *state)
{
    Fault *f = &plan->outcome.fault;
    View   name;
    if (chain_none_fault(f, "WGPUComputeState", state->nextInChain)
        || view_fault(f, "entryPoint", state->entryPoint)
        || object_fault(f, state->module ? &state->module->base : NULL, "the module",
                        plan->pipeline->base.device))
        return f->text;
    object_ref(&state->module->base);
    plan->module = state->module;
    view_of(state->entryPoint, &name);
    plan->entry = find_entry(f, plan->module->wgsl, name);
    return plan->entry ? take_constants(plan, state) : f->text;
}

/* Fills in the plan and the pipeline, up to the kernel. */
static const char *plan_fault(Plan *plan, const WGPUComputePipelineDescriptor *d)
{
    Fault      *f = &plan->outcome.fault;
    const char *why;
    if (!d)
        return "the descriptor is NULL";
    if (chain_none_fault(f, "WGPUComputePipelineDescriptor", d->nextInChain)
        || view_fault(f, "the label", d->label))
        return f->text;
    if ((why = stage_fault(plan, &d->compute)) || (why = layout_fault(plan, d->layout))
        || (why = resolve_bindings(plan)))
        return why;
    return NULL;
}

/* False: the pipeline cannot even be begun. */
static bool plan_init(Plan *plan, WGPUDevice device, const WGPUComputePipelineDescriptor *d)
{
    *plan = (Plan){.outcome.type = WGPUErrorType_NoError};
    device_notice_fork(device);
    plan->pipeline = object_new(&compute_pipeline_class, sizeof *plan->pipeline, device,
                                d ? d->label : (WGPUStringView){0});
    if (!plan->pipeline)
        return false;
    if (device_is_lost(device)) {
        plan->pipeline->base.valid = false;
        return true;
    }
    const char *why = plan_fault(plan, d);
    if (why) {
        plan->outcome.type = WGPUErrorType_Validation;
        if (why != plan->outcome.fault.text)
            fault(&plan->outcome.fault, "%s", why);
        plan->pipeline->base.valid = false;
    }
    return true;
}

/* Finds the kernel, which may have to be started; false: there is none, or not for this
 * pipeline. */
static bool plan_kernel(Plan *plan)
{
    WGPUComputePipeline p = plan->pipeline;
    if (!p->base.valid)
        return false;
    p->kernel = kernel_slot_get(plan->module, plan->entry, plan->settings, plan->nsettings,
                                &plan->outcome);
    p->base.valid = p->kernel != NULL;
    return p->base.valid;
}

/* The backend has refused. */
static void plan_take_failure(Plan *plan)
{
    const KernelSlot *kernel = plan->pipeline->kernel;
    if (kernel && kernel_state(kernel) == KERNEL_FAILED)
        plan->outcome = kernel->outcome;
}

/* "compute pipeline 'p': sentence" */
static const char *plan_sentence(Fault *f, const Plan *plan)
{
    char name[192];
    object_name(&plan->pipeline->base, name, sizeof name);
    return fault(f, "%s: %s", name, plan->outcome.fault.text);
}

static void plan_fini(Plan *plan)
{
    if (plan->pipeline)
        object_unref(&plan->pipeline->base);
    if (plan->module)
        object_unref(&plan->module->base);
    free(plan->settings);
    future_unref(plan->future);
}

/* A copy that waits for the kernel; false: it is made, or there is no memory. */
static bool plan_wait(const Plan *plan, void (*told)(KernelWait *wait))
{
    KernelSlot *kernel = plan->pipeline->kernel;
    Plan       *copy = NULL;
    if (kernel_state(kernel) != KERNEL_MAKING || !(copy = malloc(sizeof *copy)))
        return false;
    *copy = *plan;
    copy->wait.told = told;
    if (kernel_slot_wait(kernel, plan->module, &copy->wait))
        return true;
    free(copy);
    return false;
}

const char *pipeline_fault(Fault *f, WGPUComputePipeline pipeline, WGPUDevice device)
{
    Fault inner;
    if (object_fault(f, pipeline ? &pipeline->base : NULL, "the pipeline", device))
        return f->text;
    if (kernel_state(pipeline->kernel) != KERNEL_FAILED)
        return NULL;
    Plan plan = {.pipeline = pipeline, .outcome = pipeline->kernel->outcome};
    return fault(f, "%s", plan_sentence(&inner, &plan));
}

/* ---- at once ---- */

static void report_uncaptured(Task *task)
{
    Plan *plan = (Plan *)(void *)((char *)task - offsetof(Plan, task));
    Fault f;
    device_uncaptured(plan->pipeline->base.device, plan->outcome.type,
                      plan_sentence(&f, plan));
    plan_fini(plan);
    free(plan);
}

/* The kernel of a pipeline that is in use already was made, or was not. */
static void plan_report(KernelWait *wait)
{
    Plan      *plan = (Plan *)wait;         /* its first member */
    WGPUDevice device = plan->pipeline->base.device;
    Fault      f;
    plan_take_failure(plan);
    bool failed = plan->outcome.type != WGPUErrorType_NoError;
    if (plan->scope) {
        scope_settle(device, plan->scope, plan->outcome.type,
                     failed ? plan_sentence(&f, plan) : NULL);
    } else if (failed) {
        plan->task.run = report_uncaptured;
        bool ok = tasks_add(&device->instance->events, &plan->task);
        BUG_IF(!ok, "no event thread");     /* it came with the device */
        return;
    }
    plan_fini(plan);
    free(plan);
}
_Static_assert(offsetof(Plan, wait) == 0, "a plan's wait comes first");

/* True if the kernel is compiled when the pipeline is first used. A failure to compile is
 * then reported there. */
static bool put_off(Plan *plan)
{
    WGPUComputePipeline p = plan->pipeline;
    if (atomic_load(&p->kernel->started))
        return false;
    if (atomic_fetch_add(&p->base.device->idle_kernels, 1) < MAX_AHEAD)
        return false;
    p->module = plan->module;
    object_ref(&p->module->base);
    atomic_store(&p->on_demand, true);
    return true;
}

void pipeline_want(WGPUComputePipeline pipeline)
{
    atomic_uint *idle = &pipeline->base.device->idle_kernels;
    if (atomic_load_explicit(idle, memory_order_relaxed))
        atomic_store_explicit(idle, 0, memory_order_relaxed);
    if (!atomic_load_explicit(&pipeline->on_demand, memory_order_relaxed)
        || !atomic_exchange(&pipeline->on_demand, false))
        return;
    Plan plan = {.pipeline = pipeline, .module = pipeline->module,
                 .outcome.type = WGPUErrorType_NoError};
    object_ref(&pipeline->base);
    object_ref(&plan.module->base);
    bool waits = plan_wait(&plan, plan_report);
    kernel_slot_start(pipeline->kernel, pipeline->module);
    if (!waits)
        plan_fini(&plan);
}

WGPUComputePipeline wgpuDeviceCreateComputePipeline(
    WGPUDevice device, const WGPUComputePipelineDescriptor *descriptor)
{
    Plan plan;
    if (!device || !plan_init(&plan, device, descriptor))
        return NULL;
    WGPUComputePipeline p = plan.pipeline;
    object_ref(&p->base);                   /* the caller's */
    bool made = plan_kernel(&plan), later = made && put_off(&plan);
    if (made && !later) {
        kernel_slot_start(p->kernel, plan.module);
        plan.scope = scope_hold(device, WGPUErrorType_Internal);
        if (plan_wait(&plan, plan_report))
            return p;
        plan_take_failure(&plan);
        if (plan.scope)
            scope_settle(device, plan.scope, WGPUErrorType_NoError, NULL);
    }
    if (plan.outcome.type != WGPUErrorType_NoError)
        object_report(&p->base, plan.outcome.type, plan.outcome.fault.text);
    plan_fini(&plan);
    return p;
}

/* ---- by a future ---- */

static void fire_pipeline(Future *f, bool cancelled)
{
    WGPUComputePipeline p = NULL;
    if (!cancelled) {
        p = (WGPUComputePipeline)f->object;
        f->object = NULL;                   /* the callback's now */
    }
    f->callback.compute(cancelled ? WGPUCreatePipelineAsyncStatus_CallbackCancelled
                                  : (WGPUCreatePipelineAsyncStatus)f->status,
                        p, cancelled ? string_view("the instance was released first")
                                     : future_message(f),
                        f->userdata1, f->userdata2);
}

/* Hands the pipeline, or the reason why there is none, to the future, and releases
 * all that the plan holds. Waiters are woken last. */
static void plan_complete(Plan *plan)
{
    static const WGPUCreatePipelineAsyncStatus statuses[] = {
        [WGPUErrorType_NoError] = WGPUCreatePipelineAsyncStatus_Success,
        [WGPUErrorType_Validation] = WGPUCreatePipelineAsyncStatus_ValidationError,
        [WGPUErrorType_OutOfMemory] = WGPUCreatePipelineAsyncStatus_InternalError,
        [WGPUErrorType_Internal] = WGPUCreatePipelineAsyncStatus_InternalError,
    };
    WGPUComputePipeline p = plan->pipeline;
    Future             *f = plan->future;
    Fault               why;
    plan->future = NULL;
    plan_take_failure(plan);
    /* A lost device has no errors to tell. */
    WGPUErrorType type = device_is_lost(p->base.device) ? WGPUErrorType_NoError
                                                        : plan->outcome.type;
    if (type == WGPUErrorType_NoError) {
        future_give_object(f, &p->base);
        plan->pipeline = NULL;
    } else {
        plan_sentence(&why, plan);
    }
    plan_fini(plan);
    future_ready(f, (int)statuses[type], type == WGPUErrorType_NoError ? NULL : why.text);
    future_unref(f);
}

static void plan_deliver(KernelWait *wait)
{
    Plan   *plan = (Plan *)wait;            /* its first member */
    Future *f = plan->future;
    future_ref(f);
    plan_complete(plan);
    free(plan);
    future_post(f);
    future_unref(f);
}

WGPUFuture wgpuDeviceCreateComputePipelineAsync(
    WGPUDevice device, const WGPUComputePipelineDescriptor *descriptor,
    WGPUCreateComputePipelineAsyncCallbackInfo callbackInfo)
{
    Plan plan;
    if (!device
        || !callback_is_usable(device->instance, "CreateComputePipelineAsync",
                               callbackInfo.mode, callbackInfo.callback != NULL)
        || !plan_init(&plan, device, descriptor))
        return (WGPUFuture){0};
    Future *f = future_new(device->instance, callbackInfo.mode, fire_pipeline);
    if (!f) {
        plan_fini(&plan);
        return (WGPUFuture){0};
    }
    f->callback.compute = callbackInfo.callback;
    f->userdata1 = callbackInfo.userdata1;
    f->userdata2 = callbackInfo.userdata2;
    plan.future = f;
    if (plan.outcome.type == WGPUErrorType_NoError && !device_is_lost(device)
        && chain_none_fault(&plan.outcome.fault, "WGPUCreateComputePipelineAsyncCallbackInfo",
                            callbackInfo.nextInChain)) {
        plan.outcome.type = WGPUErrorType_Validation;
        plan.pipeline->base.valid = false;
    }
    future_ref(f);
    WGPUFuture id = future_track(f);
    bool made = plan_kernel(&plan);
    if (made)
        kernel_slot_start(plan.pipeline->kernel, plan.module);
    if (!made || !plan_wait(&plan, plan_deliver)) {
        plan_complete(&plan);
        future_settle(f);
    }
    future_unref(f);
    return id;
}

OBJECT_FUNCTIONS(ComputePipeline, computePipeline)

WGPUBindGroupLayout wgpuComputePipelineGetBindGroupLayout(WGPUComputePipeline computePipeline,
                                                          uint32_t groupIndex)
{
    if (!computePipeline)
        return NULL;
    Fault      f;
    WGPUDevice device = computePipeline->base.device;
    uint32_t   most = device->limits.limits.maxBindGroups;
    const char *why = NULL;
    if (!computePipeline->base.valid)
        why = "it is an error object and has no bind group layouts";
    else if (groupIndex >= most)
        why = fault(&f, "the group index %u must be below maxBindGroups, %u", groupIndex, most);
    if (why) {
        object_report(&computePipeline->base, WGPUErrorType_Validation, why);
        return layout_error(device);
    }
    WGPUBindGroupLayout layout = computePipeline->layout->groups[groupIndex];
    if (!layout)
        return layout_new(device, NULL, 0, 0);
    object_ref(&layout->base);
    return layout;
}
