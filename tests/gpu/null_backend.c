// SPDX-License-Identifier: Apache-2.0
/*
 * null_backend.c - see the header.
 */
#include "null_backend.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

NullKnobs  null_knobs;
NullCounts null_counts;
_Thread_local volatile int null_allocating;

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  gate_moved = PTHREAD_COND_INITIALIZER;
static bool            held, kernels_held, ends_held;
static int             kernels_waiting, ends_waiting;
static GpuDevice      *newest;

struct GpuAdapter {
    GpuAdapterKind kind;
    const char    *device, *description;
};

struct GpuDevice {
    GpuDeviceDesc   desc;
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  more;
    GpuSubmit      *first, *last;
    bool            ending;
    const void     *last_tag;
};

struct GpuBuffer {
    bool          mappable;
    uint64_t      size;
    unsigned char data[];
};

struct GpuKernel {
    char     name[32];
    uint32_t immediates;
};

struct GpuQueries {
    uint32_t count;
    uint64_t values[];
};

/* Zeroed; tests that let allocations fail spare these. */
static void *need(size_t size)
{
    null_allocating++;
    void *p = calloc(1, size);
    null_allocating--;
    return p;
}

/* ---- gates ---- */

static void set_gate(bool *which, bool value)
{
    pthread_mutex_lock(&gate);
    *which = value;
    pthread_cond_broadcast(&gate_moved);
    pthread_mutex_unlock(&gate);
}

void null_hold(void)           { set_gate(&held, true); }
void null_let_go(void)         { set_gate(&held, false); }
void null_hold_kernels(void)   { set_gate(&kernels_held, true); }
void null_let_kernels_go(void) { set_gate(&kernels_held, false); }
void null_hold_ends(void)      { set_gate(&ends_held, true); }
void null_let_ends_go(void)    { set_gate(&ends_held, false); }

static void pass_gate(bool *which)
{
    pthread_mutex_lock(&gate);
    while (*which)
        pthread_cond_wait(&gate_moved, &gate);
    pthread_mutex_unlock(&gate);
}

/* Counts who is there. */
static void pass_counted_gate(const bool *which, int *waiting)
{
    pthread_mutex_lock(&gate);
    ++*waiting;
    pthread_cond_broadcast(&gate_moved);
    while (*which)
        pthread_cond_wait(&gate_moved, &gate);
    --*waiting;
    pthread_mutex_unlock(&gate);
}

static void wait_for_count(const int *waiting, int count)
{
    pthread_mutex_lock(&gate);
    while (*waiting < count)
        pthread_cond_wait(&gate_moved, &gate);
    pthread_mutex_unlock(&gate);
}

void null_wait_for_kernels(int count) { wait_for_count(&kernels_waiting, count); }
void null_wait_for_end(void)          { wait_for_count(&ends_waiting, 1); }

void null_reset(void)
{
    null_knobs.no_device = null_knobs.no_memory = null_knobs.no_kernel = false;
    null_knobs.far_memory = null_knobs.at_once = null_knobs.gives_up = false;
    null_let_go();
    null_let_kernels_go();
    null_let_ends_go();
    null_counts.kernels_made = null_counts.submits = null_counts.dispatches = 0;
    null_counts.watches = 0;
}

/* ---- adapters ---- */

static GpuAdapter adapters[] = {
    {GPU_DISCRETE, "null-large", "The Null Device, large"},
    {GPU_INTEGRATED, "null-small", "The Null Device, small"},
    {GPU_CPU, "null-cpu", "The Null Device, by hand"},
};

static GpuAdapter *find_adapter(uint32_t index)
{
    return index < COUNTOF(adapters) ? &adapters[index] : NULL;
}

static void adapter_info(GpuAdapter *a, GpuAdapterInfo *out)
{
    *out = (GpuAdapterInfo){
        .kind = a->kind, .vendor = "weft", .architecture = "null", .device = a->device,
        .description = a->description, .vendor_id = 7, .device_id = 9,
        .subgroup_min = 4, .subgroup_max = 32,
        .has_f16 = true, .has_f64 = true, .has_timestamps = a->kind != GPU_CPU,
        .has_subgroups = true,
        .has_subgroup_sizes = true,
        .limits = {
            .max_bind_groups = 32, .max_bindings_per_bind_group = 2000,
            .max_dynamic_uniform_buffers = 10, .max_dynamic_storage_buffers = 6,
            .max_storage_buffers = 16, .max_uniform_buffers = 14,
            .max_uniform_binding = 1 << 20, .max_storage_binding = 1u << 30,
            .max_buffer = UINT64_MAX, .min_uniform_alignment = 16,
            .min_storage_alignment = 64, .max_workgroup_storage = 32768,
            .max_invocations = 1024, .max_workgroup_size = {1024, 1024, 128},
            .max_workgroups = 100000, .max_immediates = 128,
        },
    };
}

/* ---- carrying out ---- */

static unsigned char *bytes_of(const GpuBinding *b)
{
    return b->buffer->data + b->offset;
}

static void run_copy(const GpuCommand *c)
{
    const GpuBinding *b = c->dispatch.launch->bindings;
    if (c->dispatch.launch->nbindings >= 2)
        memcpy(bytes_of(&b[1]), bytes_of(&b[0]), MIN_OF(b[0].size, b[1].size));
}

static void run_count(const GpuCommand *c)
{
    if (c->dispatch.launch->nbindings == 0)
        return;
    const GpuBinding *b = &c->dispatch.launch->bindings[c->dispatch.launch->nbindings - 1];
    uint32_t *words = (uint32_t *)(void *)bytes_of(b);
    for (uint64_t i = 0; i < b->size / 4; i++)
        words[i]++;
}

static void run_place(const GpuCommand *c)
{
    uint32_t n = c->dispatch.launch->nbindings;
    if (n == 0)
        return;
    const GpuBinding *last = &c->dispatch.launch->bindings[n - 1];
    uint32_t *words = (uint32_t *)(void *)bytes_of(last);
    for (uint32_t i = 0; i < n && (i * 2 + 2) * 4 <= last->size; i++) {
        words[i * 2] = (uint32_t)c->dispatch.launch->bindings[i].offset;
        words[i * 2 + 1] = (uint32_t)c->dispatch.launch->bindings[i].size;
    }
}

static void run_notes(const GpuCommand *c)
{
    uint32_t n = c->dispatch.launch->nbindings;
    const GpuBinding *last = &c->dispatch.launch->bindings[n - 1];
    if (n && c->dispatch.launch->immediates)
        memcpy(bytes_of(last), c->dispatch.launch->immediates,
               MIN_OF(last->size, c->dispatch.launch->kernel->immediates));
}

static const struct { const char *name; void (*run)(const GpuCommand *c); } kernels[] = {
    {"copy", run_copy}, {"count", run_count}, {"place", run_place}, {"notes", run_notes},
};

static void run_kernel(const GpuCommand *c)
{
    null_counts.dispatches++;
    for (size_t i = 0; i < COUNTOF(kernels); i++)
        if (strcmp(kernels[i].name, c->dispatch.launch->kernel->name) == 0)
            kernels[i].run(c);
}

static void run_indirect(const GpuCommand *c)
{
    uint32_t n[3];
    memcpy(n, c->dispatch.indirect->data + c->dispatch.indirect_offset, sizeof n);
    uint64_t total = (uint64_t)n[0] * n[1] * n[2];
    for (int i = 0; i < 3; i++)
        if (n[i] > c->dispatch.groups[i])
            return;
    if (total == 0 || (c->dispatch.launch->most_groups && total > c->dispatch.launch->most_groups))
        return;
    run_kernel(c);
}

static void run_command(const GpuCommand *c)
{
    switch (c->kind) {
    case GPU_DISPATCH:
        run_kernel(c);
        for (uint32_t i = 0; i < c->dispatch.again; i++)
            run_kernel(c);
        break;
    case GPU_DISPATCH_INDIRECT:
        run_indirect(c);
        break;
    case GPU_COPY:
        memcpy(c->copy.to->data + c->copy.to_offset, c->copy.from->data + c->copy.from_offset,
               c->copy.size);
        break;
    case GPU_CLEAR:
        memset(c->clear.to->data + c->clear.offset, 0, c->clear.size);
        break;
    case GPU_WRITE:
        memcpy(c->write.to->data + c->write.offset, c->write.data, c->write.size);
        break;
    case GPU_TIMESTAMP:
        c->timestamp.queries->values[c->timestamp.index] = clock_ns();
        break;
    case GPU_RESOLVE:
        memcpy(c->resolve.to->data + c->resolve.offset,
               c->resolve.queries->values + c->resolve.first, 8u * c->resolve.count);
        break;
    }
}

static void carry_out(GpuDevice *d, const GpuSubmit *s)
{
    null_counts.submits++;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->commands[i].kind == GPU_DISPATCH)
            d->last_tag = s->commands[i].dispatch.launch->tag;
        run_command(&s->commands[i]);
    }
    s->done(s->user);
}

static GpuSubmit *next_job(GpuDevice *d)
{
    pthread_mutex_lock(&d->lock);
    while (!d->first && !d->ending)
        pthread_cond_wait(&d->more, &d->lock);
    GpuSubmit *job = d->first;
    if (job && !(d->first = job->next))
        d->last = NULL;
    pthread_mutex_unlock(&d->lock);
    return job;
}

static void *run_queue(void *context)
{
    GpuDevice *d = context;
    GpuSubmit *job;
    while ((job = next_job(d))) {
        pass_gate(&held);
        carry_out(d, job);
    }
    return NULL;
}

static bool submit(GpuDevice *d, GpuSubmit *s)
{
    if (null_knobs.at_once) {
        carry_out(d, s);
        return true;
    }
    if (null_knobs.gives_up) {
        d->desc.lost(d->desc.lost_user, NULL, "the null device gives up");
        s->done(s->user);
        return false;
    }
    s->next = NULL;
    pthread_mutex_lock(&d->lock);
    if (d->last)
        d->last->next = s;
    else
        d->first = s;
    d->last = s;
    pthread_cond_signal(&d->more);
    pthread_mutex_unlock(&d->lock);
    return true;
}

/* ---- objects ---- */

static GpuDevice *device_create(GpuAdapter *a, const GpuDeviceDesc *desc, Diag *diag)
{
    (void)a;
    if (null_knobs.no_device) {
        diag_add(diag, DIAG_out_of_memory, (Span){0}, "the null device does not want to");
        return NULL;
    }
    GpuDevice *d = need(sizeof *d);
    BUG_IF(!d, "out of memory");
    d->desc = *desc;
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->more, NULL);
    pthread_create(&d->thread, NULL, run_queue, d);
    null_counts.devices++;
    newest = d;
    return d;
}

static void device_destroy(GpuDevice *d)
{
    BUG_IF(pthread_equal(d->thread, pthread_self()), "a device ends on its own thread");
    pthread_mutex_lock(&d->lock);
    d->ending = true;
    pthread_cond_signal(&d->more);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->more);
    pthread_mutex_destroy(&d->lock);
    free(d);
    null_counts.devices--;
}

static GpuBuffer *buffer_create(GpuDevice *d, uint64_t size, bool mappable)
{
    (void)d;
    if (null_knobs.no_memory || size > (UINT64_C(1) << 32))
        return NULL;
    GpuBuffer *b = need(sizeof *b + size);
    if (b) {
        b->mappable = mappable;
        b->size = size;
        null_counts.buffers++;
    }
    return b;
}

static void buffer_destroy(GpuDevice *d, GpuBuffer *b)
{
    (void)d;
    memset(b->data, 0xdb, MIN_OF(b->size, 4096));       /* whoever looks, sees it */
    free(b);
    null_counts.buffers--;
}

static void *buffer_data(GpuDevice *d, GpuBuffer *b)
{
    (void)d;
    return b->mappable || !null_knobs.far_memory ? b->data : NULL;
}
_Static_assert(offsetof(GpuBuffer, data) % 16 == 0, "mapped memory is aligned to 16");

static GpuKernel *kernel_create(GpuDevice *d, const Module *m, const Decl *entry,
                                const OverrideSetting *settings, uint32_t nsettings, Diag *diag)
{
    (void)d, (void)m, (void)settings, (void)nsettings;
    pass_counted_gate(&kernels_held, &kernels_waiting);
    if (null_knobs.no_kernel) {
        diag_add(diag, DIAG_not_compiled, (Span){0}, "the null device does not compile that");
        return NULL;
    }
    GpuKernel *k = need(sizeof *k);
    BUG_IF(!k, "out of memory");
    Str name = ident_text(entry->ident);
    memcpy(k->name, name.data, MIN_OF(name.len, sizeof k->name - 1));
    for (uint32_t i = 0; i < entry->fn.info->globals.len; i++)
        if (entry->fn.info->globals.data[i]->var.space == SPACE_IMMEDIATE)
            k->immediates = (uint32_t)entry->fn.info->globals.data[i]->type->size;
    null_counts.kernels++;
    null_counts.kernels_made++;
    return k;
}

static void kernel_destroy(GpuDevice *d, GpuKernel *k)
{
    (void)d;
    pass_counted_gate(&ends_held, &ends_waiting);
    free(k);
    null_counts.kernels--;
}

static GpuQueries *queries_create(GpuDevice *d, uint32_t count)
{
    (void)d;
    if (null_knobs.no_memory)
        return NULL;
    GpuQueries *q = need(sizeof *q + count * sizeof *q->values);
    if (q) {
        q->count = count;
        null_counts.queries++;
    }
    return q;
}

static void queries_destroy(GpuDevice *d, GpuQueries *q)
{
    (void)d;
    free(q);
    null_counts.queries--;
}

void null_lose(const char *why, bool blame)
{
    newest->desc.lost(newest->desc.lost_user, blame ? newest->last_tag : NULL, why);
}

static void watch(GpuDevice *d)
{
    (void)d;
    null_counts.watches++;
}

const GpuBackend null_backend = {
    .name = "null",
    .adapter = find_adapter,
    .adapter_info = adapter_info,
    .device_create = device_create,
    .device_destroy = device_destroy,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .buffer_data = buffer_data,
    .kernel_create = kernel_create,
    .kernel_destroy = kernel_destroy,
    .queries_create = queries_create,
    .queries_destroy = queries_destroy,
    .submit = submit,
    .watch = watch,
};

const GpuBackend *const null_backends[] = {&null_backend, NULL};
