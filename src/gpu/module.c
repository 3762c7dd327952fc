// SPDX-License-Identifier: Apache-2.0
/*
 * module.c - shader modules: WGSL in, messages out; and the kernels made of them.
 *
 * in     WGSL text
 * out    a checked module, its messages; compiled entry points, each kept for the
 *        next pipeline that asks for the same
 * knows  weft/wgsl.h, check/check.h; which limits an entry point must keep
 * not    layouts and bindings (pipeline.c)
 */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

#define MAX_KERNELS       64u               /* kept though no pipeline uses them */
#define SPECIALIZE_MEMORY ((size_t)256 << 20)

/* ---- kernels: references ---- */

void kernel_slot_unref(KernelSlot *slot)
{
    if (!slot || atomic_fetch_sub_explicit(&slot->refs, 1, memory_order_acq_rel) != 1)
        return;
    WGPUDevice device = slot->device;
    if (slot->gpu)
        device->backend->kernel_destroy(device->gpu, slot->gpu);
    free(slot->settings);
    free(slot);
    device_unref(device);
}

static void kernel_slot_ref(KernelSlot *slot)
{
    atomic_fetch_add_explicit(&slot->refs, 1, memory_order_relaxed);
}

/* ---- modules ---- */

static void module_free(Object *o)
{
    WGPUShaderModule module = (WGPUShaderModule)o;
    while (module->kernels) {
        KernelSlot *slot = module->kernels;
        module->kernels = slot->next;
        kernel_slot_unref(slot);
    }
    weft_wgsl_release(module->wgsl);
    pthread_cond_destroy(&module->built);
    pthread_mutex_destroy(&module->lock);
}

static const ObjectClass shader_module_class = {"shader module", module_free};

static const char *source_fault(Fault *f, const WGPUShaderModuleDescriptor *d, View *code)
{
    static const WGPUSType allowed[] = {WGPUSType_ShaderSourceWGSL,
                                        WGPUSType_ShaderSourceSPIRV};
    const WGPUChainedStruct *found[2];
    if (chain_fault(f, "WGPUShaderModuleDescriptor", d->nextInChain, allowed, 2, found)
        || view_fault(f, "the label", d->label))
        return f->text;
    if (found[1])
        return "Weft takes no SPIR-V; the instance feature ShaderSourceSPIRV is not there";
    if (!found[0])
        return "there is no WGPUShaderSourceWGSL in the chain";
    WGPUStringView text = ((const WGPUShaderSourceWGSL *)found[0])->code;
    if (view_fault(f, "the code", text))
        return f->text;
    view_of(text, code);
    return NULL;
}

static uint32_t count_errors(const weft_wgsl *wgsl, const weft_diagnostic **first)
{
    uint32_t errors = 0;
    *first = NULL;
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(wgsl); i++) {
        const weft_diagnostic *d = weft_wgsl_diagnostic_get(wgsl, i);
        if (d->severity == WEFT_SEVERITY_ERROR && errors++ == 0)
            *first = d;
    }
    return errors;
}

static const char *wgsl_fault(Fault *f, const weft_wgsl *wgsl)
{
    const weft_diagnostic *d;
    uint32_t errors = count_errors(wgsl, &d);
    if (weft_wgsl_ok(wgsl))
        return NULL;
    if (!d)
        return "the module has errors";
    char more[64] = "";
    if (errors > 1)
        snprintf(more, sizeof more, " (and %u more)", errors - 1);
    if (d->place.line == 0)
        return fault(f, "%s%s", d->message, more);
    return fault(f, "%u:%u: %s%s", d->place.line, d->place.column, d->message, more);
}

static weft_wgsl *check(WGPUDevice device, View code)
{
    const char *enables[FEATURE_WGSL_MAX];
    features_wgsl(device->features, enables);
    return weft_wgsl_create(&(weft_wgsl_desc){
        .source = code.len ? code.data : "",
        .source_size = code.len,
        .enables = enables,
    });
}

WGPUShaderModule wgpuDeviceCreateShaderModule(WGPUDevice device,
                                              const WGPUShaderModuleDescriptor *descriptor)
{
    static const WGPUShaderModuleDescriptor nothing = {0};
    if (!device)
        return NULL;
    Fault       f;
    View        code = {0};
    const WGPUShaderModuleDescriptor *d = descriptor ? descriptor : &nothing;
    const char *why = descriptor ? source_fault(&f, d, &code) : "the descriptor is NULL";
    WGPUShaderModule module = object_new(&shader_module_class, sizeof *module, device,
                                         d->label);
    if (!module)
        return NULL;
    pthread_mutex_init(&module->lock, NULL);
    pthread_cond_init(&module->built, NULL);
    WGPUErrorType type = WGPUErrorType_Validation;
    bool          lost = device_is_lost(device);
    if (!why && !lost) {
        module->wgsl = check(device, code);
        why = module->wgsl ? wgsl_fault(&f, module->wgsl) : "out of memory";
        type = module->wgsl ? type : WGPUErrorType_OutOfMemory;
    }
    module->base.valid = !why && !lost;
    if (why)
        object_report(&module->base, type, why);
    return module;
}

OBJECT_FUNCTIONS(ShaderModule, shaderModule)

/* ---- messages ---- */

static const WGPUCompilationMessageType message_types[] = {
    [WEFT_SEVERITY_INFO] = WGPUCompilationMessageType_Info,
    [WEFT_SEVERITY_WARNING] = WGPUCompilationMessageType_Warning,
    [WEFT_SEVERITY_ERROR] = WGPUCompilationMessageType_Error,
};

/* Places in bytes, as the C API has them. */
static void set_place(WGPUCompilationMessage *m, const weft_wgsl *wgsl, weft_place place)
{
    size_t size;
    if (place.line == 0)
        return;
    const char *start = weft_wgsl_line(wgsl, 1, &size);
    const char *line = weft_wgsl_line(wgsl, place.line, &size);
    m->lineNum = place.line;
    m->linePos = place.byte_offset - (uint64_t)(line - start) + 1;
    m->offset = place.byte_offset;
    m->length = place.byte_length;
}

static WGPUCompilationMessage message_of(const weft_wgsl *wgsl, const char *text,
                                         WGPUCompilationMessageType type, weft_place place)
{
    WGPUCompilationMessage m = {.message = string_view(text), .type = type};
    set_place(&m, wgsl, place);
    return m;
}

/* Each diagnostic, and each of its notes as an Info after it. */
static size_t write_messages(const weft_wgsl *wgsl, WGPUCompilationMessage *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(wgsl); i++) {
        const weft_diagnostic *d = weft_wgsl_diagnostic_get(wgsl, i);
        if (out)
            out[count] = message_of(wgsl, d->message, message_types[d->severity], d->place);
        count++;
        for (uint32_t k = 0; k < d->note_count; k++, count++)
            if (out)
                out[count] = message_of(wgsl, d->notes[k].message,
                                        WGPUCompilationMessageType_Info, d->notes[k].place);
    }
    return count;
}

static void fire_info(Future *f, bool cancelled)
{
    WGPUCompilationInfo     info = {0};
    WGPUCompilationMessage *messages = NULL;
    const weft_wgsl        *wgsl = ((WGPUShaderModule)f->object)->wgsl;
    if (!cancelled && wgsl) {
        size_t count = write_messages(wgsl, NULL);
        messages = calloc(count ? count : 1, sizeof *messages);
        if (messages) {
            info.messageCount = write_messages(wgsl, messages);
            info.messages = messages;
        }
    }
    f->callback.info(cancelled ? WGPUCompilationInfoRequestStatus_CallbackCancelled
                               : WGPUCompilationInfoRequestStatus_Success,
                     &info, f->userdata1, f->userdata2);
    free(messages);
}

WGPUFuture wgpuShaderModuleGetCompilationInfo(WGPUShaderModule shaderModule,
                                              WGPUCompilationInfoCallbackInfo callbackInfo)
{
    Fault why;
    if (!shaderModule)
        return (WGPUFuture){0};
    WGPUInstance instance = shaderModule->base.device->instance;
    if (!callback_is_usable(instance, "GetCompilationInfo", callbackInfo.mode,
                            callbackInfo.callback != NULL))
        return (WGPUFuture){0};
    Future *f = future_new(instance, callbackInfo.mode, fire_info);
    if (!f)
        return (WGPUFuture){0};
    if (chain_none_fault(&why, "WGPUCompilationInfoCallbackInfo", callbackInfo.nextInChain))
        object_report(&shaderModule->base, WGPUErrorType_Validation, why.text);
    f->callback.info = callbackInfo.callback;
    f->userdata1 = callbackInfo.userdata1;
    f->userdata2 = callbackInfo.userdata2;
    f->object = &shaderModule->base;
    object_ref(&shaderModule->base);
    WGPUFuture id = future_track(f);
    future_ready(f, WGPUCompilationInfoRequestStatus_Success, NULL);
    future_settle(f);
    future_unref(f);
    return id;
}

/* ---- facts about an entry point that weft/wgsl.h does not tell ---- */

static bool has_builtin(const Decl *fn, IoBuiltin builtin)
{
    for (uint32_t i = 0; i < fn->fn.nparams; i++) {
        const Decl *p = fn->fn.params[i];
        if (p->var.io && p->var.io->builtin == builtin)
            return true;
        if (p->type->kind != TYPE_STRUCT)
            continue;
        const Decl *s = p->type->structure.decl;
        for (uint32_t k = 0; k < s->structure.nmembers; k++)
            if (s->structure.members[k].io->builtin == builtin)
                return true;
    }
    return false;
}

/* The most workgroups of which each has a number in 32 bits, if the kernel asks for
 * such numbers; 0: it does not. */
static uint64_t max_total(const Decl *fn, const uint32_t size[3])
{
    uint64_t per_group = (uint64_t)size[0] * size[1] * size[2];
    if (has_builtin(fn, IO_global_invocation_index))
        return UINT32_MAX / per_group;
    return has_builtin(fn, IO_workgroup_index) ? UINT32_MAX : 0;
}

static uint64_t slots_between(uint64_t start, uint64_t end)
{
    uint64_t bits = 0;
    for (uint64_t slot = start / 4; slot * 4 < MIN_OF(end, MAX_IMMEDIATES); slot++)
        bits |= UINT64_C(1) << slot;
    return bits;
}

/* The 4-byte slots of immediate data that hold a value of the type, not its padding:
 * WGSL's AccessibleSlots. Types nest as deep as the text says, which is bounded. */
static uint64_t accessible_slots(const Type *t, uint64_t at)
{
    uint64_t bits = 0;
    if (t->kind == TYPE_STRUCT) {
        const Decl *s = t->structure.decl;
        for (uint32_t i = 0; i < s->structure.nmembers; i++)
            bits |= accessible_slots(s->structure.members[i].type,
                                     at + s->structure.members[i].offset);
        return bits;
    }
    if (t->kind != TYPE_MATRIX)
        return slots_between(at, at + t->size);
    uint64_t scalar = t->matrix.of->size;
    uint64_t stride = scalar * (t->matrix.rows == 3 ? 4 : t->matrix.rows);
    for (uint32_t c = 0; c < t->matrix.columns; c++)
        bits |= slots_between(at + c * stride, at + c * stride + t->matrix.rows * scalar);
    return bits;
}

static uint64_t immediate_slots(const Decl *fn)
{
    for (uint32_t i = 0; i < fn->fn.info->globals.len; i++) {
        const Decl *d = fn->fn.info->globals.data[i];
        if (d->kind == DECL_VAR && d->var.space == SPACE_IMMEDIATE)
            return accessible_slots(d->type, 0);
    }
    return 0;
}

/* ---- making a kernel ---- */

typedef struct Making {
    KernelSlot   *slot;
    const Module *module;
    const Decl   *entry;
    Arena         arena;
    Diag          diag;
    bool          ok;
} Making;

static void specialize(void *context)
{
    Making        *m = context;
    Specialization s = {0};
    m->ok = check_specialize(&s, &m->arena, m->module, m->entry, m->slot->settings,
                             m->slot->nsettings, &m->diag);
    if (m->ok) {
        memcpy(m->slot->workgroup_size, s.workgroup_size, sizeof s.workgroup_size);
        m->slot->workgroup_bytes = s.workgroup_bytes;
    }
}

/* The first error, with its place in the text. */
static void diag_fault(Outcome *out, WGPUErrorType type, const Making *m, const char *otherwise)
{
    out->type = type;
    for (uint32_t i = 0; i < m->diag.list.len; i++) {
        const Diagnostic *d = &m->diag.list.data[i];
        if (d->severity != SEVERITY_ERROR)
            continue;
        if (d->span.end == 0) {
            fault(&out->fault, "%s", d->message);
            return;
        }
        Arena arena;
        arena_init(&arena, 0);
        LineTable lines;
        line_table_init(&lines, &arena, m->module->source);
        Place at = line_table_place(&lines, d->span);
        fault(&out->fault, "%u:%u: %s", at.line, at.column, d->message);
        arena_fini(&arena);
        return;
    }
    fault(&out->fault, "%s", otherwise);
}

static const char *size_fault(Fault *f, const KernelSlot *slot, const WGPULimits *l)
{
    static const char *const names[] = {"maxComputeWorkgroupSizeX",
                                        "maxComputeWorkgroupSizeY",
                                        "maxComputeWorkgroupSizeZ"};
    const uint32_t *size = slot->workgroup_size;
    const uint32_t  most[] = {l->maxComputeWorkgroupSizeX, l->maxComputeWorkgroupSizeY,
                              l->maxComputeWorkgroupSizeZ};
    for (int i = 0; i < 3; i++)
        if (size[i] > most[i])
            return fault(f, "the workgroup size %u is above %s, %u", size[i], names[i], most[i]);
    uint64_t all = (uint64_t)size[0] * size[1] * size[2];
    if (all > l->maxComputeInvocationsPerWorkgroup)
        return fault(f, "a workgroup of %u * %u * %u invocations is above "
                        "maxComputeInvocationsPerWorkgroup, %u", size[0], size[1], size[2],
                     l->maxComputeInvocationsPerWorkgroup);
    if (slot->workgroup_bytes > l->maxComputeWorkgroupStorageSize)
        return fault(f, "%llu bytes of workgroup variables are above "
                        "maxComputeWorkgroupStorageSize, %u",
                     (unsigned long long)slot->workgroup_bytes,
                     l->maxComputeWorkgroupStorageSize);
    return NULL;
}

/* Fills the slot, without the module's lock. May take long. */
static void build(KernelSlot *slot, WGPUShaderModule module, Outcome *out)
{
    WGPUDevice device = slot->device;
    Making     m = {.slot = slot, .module = wgsl_module(module->wgsl)};
    m.entry = module_find_entry_point(m.module, str_of(slot->entry->name));
    arena_init(&m.arena, SPECIALIZE_MEMORY);
    m.diag = (Diag){.arena = &m.arena};
    out->type = WGPUErrorType_NoError;
    if (!arena_try(&m.arena, specialize, &m) || !m.ok)
        diag_fault(out, WGPUErrorType_Validation, &m, "the entry point needs too much memory");
    else if (size_fault(&out->fault, slot, &device->limits.limits))
        out->type = WGPUErrorType_Validation;
    m.arena.limit = 0;                  /* the backend's messages are not under a try */
    if (out->type == WGPUErrorType_NoError) {
        slot->max_total = max_total(m.entry, slot->workgroup_size);
        slot->immediate_slots = immediate_slots(m.entry);
        slot->gpu = device->backend->kernel_create(device->gpu, m.module, m.entry,
                                                   slot->settings, slot->nsettings, &m.diag);
        if (!slot->gpu)
            diag_fault(out, WGPUErrorType_Internal, &m, "the kernel could not be compiled");
    }
    arena_fini(&m.arena);
}

/* ---- keeping kernels, with the module's lock ---- */

static bool is_same(const KernelSlot *slot, const weft_entry_point *entry,
                    const OverrideSetting *settings, uint32_t nsettings)
{
    if (slot->entry != entry || slot->nsettings != nsettings)
        return false;
    for (uint32_t i = 0; i < nsettings; i++)
        if (!str_eq(slot->settings[i].key, settings[i].key)
            || memcmp(&slot->settings[i].value, &settings[i].value, sizeof(double)) != 0)
            return false;
    return true;
}

static KernelSlot *find_slot(WGPUShaderModule module, const weft_entry_point *entry,
                             const OverrideSetting *settings, uint32_t nsettings)
{
    for (KernelSlot *slot = module->kernels; slot; slot = slot->next)
        if (is_same(slot, entry, settings, nsettings)) {
            slot->used = ++module->clock;
            return slot;
        }
    return NULL;
}

static void remove_slot(WGPUShaderModule module, KernelSlot *slot)
{
    KernelSlot **link = &module->kernels;
    while (*link != slot)
        link = &(*link)->next;
    *link = slot->next;
    module->nkernels--;
}

/* Takes out the one that nobody has used for the longest time, if there are many;
 * the caller gives up its reference. */
static KernelSlot *take_oldest(WGPUShaderModule module)
{
    KernelSlot *oldest = NULL;
    if (module->nkernels <= MAX_KERNELS)
        return NULL;
    for (KernelSlot *slot = module->kernels; slot; slot = slot->next)
        if (atomic_load(&slot->refs) == 1 && (!oldest || slot->used < oldest->used))
            oldest = slot;
    if (oldest)
        remove_slot(module, oldest);
    return oldest;
}

/* The settings and their keys, in one block; NULL: no memory. */
static OverrideSetting *copy_settings(const OverrideSetting *from, uint32_t count)
{
    size_t bytes = count * sizeof *from;
    for (uint32_t i = 0; i < count; i++)
        bytes += from[i].key.len;
    OverrideSetting *to = malloc(bytes ? bytes : 1);
    if (!to)
        return NULL;
    char *text = (char *)(to + count);
    for (uint32_t i = 0; i < count; i++) {
        to[i] = (OverrideSetting){{text, from[i].key.len}, from[i].value};
        if (from[i].key.len)
            memcpy(text, from[i].key.data, from[i].key.len);
        text += from[i].key.len;
    }
    return to;
}

/* With two references, the module's and the caller's. */
static KernelSlot *add_slot(WGPUShaderModule module, const weft_entry_point *entry,
                            const OverrideSetting *settings, uint32_t nsettings)
{
    KernelSlot *slot = calloc(1, sizeof *slot);
    if (!slot)
        return NULL;
    slot->settings = copy_settings(settings, nsettings);
    if (!slot->settings) {
        free(slot);
        return NULL;
    }
    atomic_init(&slot->refs, 2);
    slot->device = module->base.device;
    device_ref(slot->device);
    slot->entry = entry;
    slot->nsettings = nsettings;
    slot->building = true;
    slot->used = ++module->clock;
    slot->next = module->kernels;
    module->kernels = slot;
    module->nkernels++;
    return slot;
}

/* One that is there and complete, referenced; waits for another thread that is just
 * making it. */
static KernelSlot *wait_for_slot(WGPUShaderModule module, const weft_entry_point *entry,
                                 const OverrideSetting *settings, uint32_t nsettings)
{
    KernelSlot *slot;
    while ((slot = find_slot(module, entry, settings, nsettings)) && slot->building)
        pthread_cond_wait(&module->built, &module->lock);
    if (slot)
        kernel_slot_ref(slot);
    return slot;
}

KernelSlot *module_find_kernel(WGPUShaderModule module, const weft_entry_point *entry,
                               const OverrideSetting *settings, uint32_t nsettings)
{
    pthread_mutex_lock(&module->lock);
    KernelSlot *slot = find_slot(module, entry, settings, nsettings);
    if (slot && slot->building)
        slot = NULL;
    if (slot)
        kernel_slot_ref(slot);
    pthread_mutex_unlock(&module->lock);
    return slot;
}

KernelSlot *module_kernel(WGPUShaderModule module, const weft_entry_point *entry,
                          const OverrideSetting *settings, uint32_t nsettings, Outcome *out)
{
    out->type = WGPUErrorType_NoError;
    pthread_mutex_lock(&module->lock);
    KernelSlot *slot = wait_for_slot(module, entry, settings, nsettings);
    bool        mine = !slot;
    if (mine)
        slot = add_slot(module, entry, settings, nsettings);
    pthread_mutex_unlock(&module->lock);
    if (!slot) {
        out->type = WGPUErrorType_OutOfMemory;
        fault(&out->fault, "out of memory");
    }
    if (!slot || !mine)
        return slot;

    build(slot, module, out);
    pthread_mutex_lock(&module->lock);
    slot->building = false;
    KernelSlot *old = slot->gpu ? take_oldest(module) : slot;
    if (!slot->gpu)
        remove_slot(module, slot);
    pthread_cond_broadcast(&module->built);
    pthread_mutex_unlock(&module->lock);
    kernel_slot_unref(old);
    if (out->type == WGPUErrorType_NoError)
        return slot;
    kernel_slot_unref(slot);
    return NULL;
}
