// SPDX-License-Identifier: Apache-2.0
/*
 * kernel.c - compiled entry points: made on threads of the instance, and kept for the
 * next pipeline that asks for the same.
 *
 * in     an entry point of a module, values for its constants
 * out    a KernelSlot at once, checked against all limits; its code later
 * knows  check/check.h, which limits an entry point must keep
 * not    layouts and bindings (pipeline.c), what waits for the code (queue.c)
 *
 * A slot is MAKING until a thread has compiled it, and then READY or FAILED for good.
 * The thread starts on request, which may be long after the slot is got.
 * A failed kernel is not kept: the next request tries again.
 */
#include <stdlib.h>

#include "base/exit.h"
#include "gpu/gpu_priv.h"

#define MAX_KERNELS       64u               /* kept though no pipeline uses them */
#define SPECIALIZE_MEMORY ((size_t)256 << 20)

/* ---- references ---- */

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

void kernels_drop(WGPUShaderModule module)
{
    while (module->kernels) {
        KernelSlot *slot = module->kernels;
        module->kernels = slot->next;
        kernel_slot_unref(slot);
    }
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

/* ---- checking ---- */

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
        m->slot->subgroup_size = s.subgroup_size;
    }
}

typedef struct Placed {
    Outcome          *out;
    const Making     *m;
    const Diagnostic *d;
    Arena             arena;
} Placed;

static void place_fault(void *context)
{
    Placed   *p = context;
    LineTable lines;
    line_table_init(&lines, &p->arena, p->m->module->source);
    Place at = line_table_place(&lines, p->d->span);
    fault(&p->out->fault, "%u:%u: %s", at.line, at.column, p->d->message);
}

/* The first error, with its place in the text if there is one, and memory to find it. */
static void diag_fault(Outcome *out, WGPUErrorType type, const Making *m, const char *otherwise)
{
    out->type = type;
    for (uint32_t i = 0; i < m->diag.list.len; i++) {
        const Diagnostic *d = &m->diag.list.data[i];
        if (d->severity != SEVERITY_ERROR)
            continue;
        Placed p = {.out = out, .m = m, .d = d};
        arena_init(&p.arena, 0);
        if (d->span.end == 0 || !arena_try(&p.arena, place_fault, &p))
            fault(&out->fault, "%s", d->message);
        arena_fini(&p.arena);
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

static const char *subgroup_fault(Fault *f, const KernelSlot *slot)
{
    const GpuAdapterInfo *info = &slot->device->adapter->info;
    uint32_t size = slot->subgroup_size;
    if (size && (size < info->subgroup_min || size > info->subgroup_max))
        return fault(f, "the subgroup size %u is not between subgroupMinSize, %u, and "
                        "subgroupMaxSize, %u", size, info->subgroup_min, info->subgroup_max);
    return NULL;
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

/* Evicts the least recently used kernel if there are many;
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

/* A new kernel, with a reference; NULL: no memory. */
static KernelSlot *slot_new(WGPUShaderModule module, const weft_entry_point *entry,
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
    atomic_init(&slot->refs, 1);
    atomic_init(&slot->state, KERNEL_MAKING);
    slot->device = module->base.device;
    device_ref(slot->device);
    slot->entry = entry;
    slot->nsettings = nsettings;
    return slot;
}

static void add_slot(WGPUShaderModule module, KernelSlot *slot)
{
    kernel_slot_ref(slot);
    slot->used = ++module->clock;
    slot->next = module->kernels;
    module->kernels = slot;
    module->nkernels++;
}

/* ---- making ---- */

static void making_init(Making *m, KernelSlot *slot, WGPUShaderModule module, size_t limit)
{
    *m = (Making){.slot = slot, .module = wgsl_module(module->wgsl)};
    m->entry = module_find_entry_point(m->module, str_of(slot->entry->name));
    arena_init(&m->arena, limit);
    m->diag = (Diag){.arena = &m->arena};
}

/* All but the code; false with the reason. */
static bool slot_check(KernelSlot *slot, WGPUShaderModule module, Outcome *out)
{
    Making m;
    making_init(&m, slot, module, SPECIALIZE_MEMORY);
    out->type = WGPUErrorType_NoError;
    if (!arena_try(&m.arena, specialize, &m) || !m.ok)
        diag_fault(out, WGPUErrorType_Validation, &m, "the entry point needs too much memory");
    else if (size_fault(&out->fault, slot, &slot->device->limits.limits)
             || subgroup_fault(&out->fault, slot))
        out->type = WGPUErrorType_Validation;
    if (out->type == WGPUErrorType_NoError) {
        slot->max_total = max_total(m.entry, slot->workgroup_size);
        slot->immediate_slots = immediate_slots(m.entry);
    }
    arena_fini(&m.arena);
    return out->type == WGPUErrorType_NoError;
}

/* The code. Without a lock; takes long. */
static void slot_compile(KernelSlot *slot, WGPUShaderModule module)
{
    WGPUDevice device = slot->device;
    Making     m;
    if (device_is_lost(device) || !exit_hold()) {
        slot->outcome.type = WGPUErrorType_Internal;
        fault(&slot->outcome.fault, "the device was lost, or the program is ending");
        return;
    }
    making_init(&m, slot, module, 0);
    bool room = arena_reserve(&m.arena, DIAG_ROOM);
    if (room)
        slot->gpu = device->backend->kernel_create(device->gpu, m.module, m.entry,
                                                   slot->settings, slot->nsettings, &m.diag);
    if (!slot->gpu)
        diag_fault(&slot->outcome, WGPUErrorType_Internal, &m,
                   room ? "the kernel could not be compiled" : "no memory to compile the kernel");
    arena_fini(&m.arena);
    exit_release();
}

/* Compiles, and tells who waits for it. Has a reference to the slot and its module. */
static void slot_make(Task *task)
{
    KernelSlot      *slot = (KernelSlot *)task;         /* its first member */
    WGPUShaderModule module = slot->module;
    slot_compile(slot, module);
    pthread_mutex_lock(&module->lock);
    atomic_store_explicit(&slot->state, slot->gpu ? KERNEL_READY : KERNEL_FAILED,
                          memory_order_release);
    KernelWait *waiting = slot->waiting;
    slot->waiting = NULL;
    KernelSlot *old = slot->gpu ? take_oldest(module) : slot;
    if (old == slot)
        remove_slot(module, slot);
    pthread_mutex_unlock(&module->lock);
    queue_resume(&slot->device->queue);
    while (waiting) {
        KernelWait *w = waiting;
        waiting = w->next;
        w->told(w);
    }
    kernel_slot_unref(old);
    kernel_slot_unref(slot);
    object_unref(&module->base);
}
_Static_assert(offsetof(KernelSlot, task) == 0, "a slot's task comes first");

void kernel_slot_start(KernelSlot *slot, WGPUShaderModule module)
{
    if (atomic_exchange(&slot->started, true))
        return;
    kernel_slot_ref(slot);
    object_ref(&module->base);
    slot->module = module;
    slot->task.run = slot_make;
    if (!tasks_add(&slot->device->instance->jobs, &slot->task))
        slot_make(&slot->task);             /* without a thread: here and now */
}

/* ---- for pipelines ---- */

/* The one that is there, referenced; NULL: there is none. */
static KernelSlot *known_slot(WGPUShaderModule module, const weft_entry_point *entry,
                              const OverrideSetting *settings, uint32_t nsettings)
{
    pthread_mutex_lock(&module->lock);
    KernelSlot *slot = find_slot(module, entry, settings, nsettings);
    if (slot)
        kernel_slot_ref(slot);
    pthread_mutex_unlock(&module->lock);
    return slot;
}

KernelSlot *kernel_slot_get(WGPUShaderModule module, const weft_entry_point *entry,
                            const OverrideSetting *settings, uint32_t nsettings, Outcome *out)
{
    KernelSlot *slot = known_slot(module, entry, settings, nsettings);
    if (slot)
        return slot;
    slot = slot_new(module, entry, settings, nsettings);
    if (!slot) {
        out->type = WGPUErrorType_OutOfMemory;
        fault(&out->fault, "out of memory");
        return NULL;
    }
    if (!slot_check(slot, module, out)) {
        kernel_slot_unref(slot);
        return NULL;
    }
    pthread_mutex_lock(&module->lock);
    KernelSlot *other = find_slot(module, entry, settings, nsettings), *old = NULL;
    if (other) {
        kernel_slot_ref(other);             /* another thread was faster */
    } else {
        add_slot(module, slot);
        old = take_oldest(module);
    }
    pthread_mutex_unlock(&module->lock);
    kernel_slot_unref(other ? slot : old);
    return other ? other : slot;
}

bool kernel_slot_wait(KernelSlot *slot, WGPUShaderModule module, KernelWait *wait)
{
    pthread_mutex_lock(&module->lock);
    bool making = kernel_state(slot) == KERNEL_MAKING;
    if (making) {
        wait->next = slot->waiting;
        slot->waiting = wait;
    }
    pthread_mutex_unlock(&module->lock);
    return making;
}
