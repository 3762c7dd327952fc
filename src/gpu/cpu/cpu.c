// SPDX-License-Identifier: Apache-2.0
/*
 * cpu.c - the CPU as a device: one adapter, always there.
 *
 * in     calls of the API through GpuBackend
 * out    a device of threads and memory
 * knows  its parts (cpu_priv.h)
 * not    webgpu.h
 */
#include "gpu/cpu/cpu_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/core.h"

struct GpuAdapter {
    int unused;
};

static GpuAdapter the_adapter;

static uint64_t physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 1ull << 30;
}

#define CACHE_FILE "/sys/devices/system/cpu/cpu0/cache/index3/size"

/* Of the last level. The system asks the machine itself, which in a virtual one may
 * name that of all its neighbours, so its file comes first. */
static uint64_t cache_size(void)
{
    unsigned long kilobytes = 0;
    FILE *file = fopen(CACHE_FILE, "r");
    if (file) {
        if (fscanf(file, "%lu", &kilobytes) != 1)
            kilobytes = 0;
        fclose(file);
    }
    return kilobytes ? kilobytes * 1024ull : 32ull << 20;
}

/* ---- the adapter ---- */

static GpuAdapter *cpu_adapter(uint32_t index)
{
    return index == 0 ? &the_adapter : NULL;
}

/* Indices have 32 bits, and elements at least two bytes. */
#define MAX_BINDING (4ull << 30)

static GpuLimits cpu_limits(void)
{
    uint64_t memory = physical_memory();
    uint64_t most = memory < MAX_BINDING ? memory / 4 * 4 : MAX_BINDING;
    return (GpuLimits){
        .max_bind_groups = 4, .max_bindings_per_bind_group = 1000,
        .max_dynamic_uniform_buffers = 16, .max_dynamic_storage_buffers = 16,
        .max_storage_buffers = 64, .max_uniform_buffers = 64,
        .max_uniform_binding = most, .max_storage_binding = most, .max_buffer = memory,
        .min_uniform_alignment = 32, .min_storage_alignment = 32,
        .max_workgroup_storage = 65536,
        .max_invocations = 1024, .max_workgroup_size = {1024, 1024, 1024},
        .max_workgroups = 65535, .max_immediates = 256,
    };
}

static void cpu_adapter_info(GpuAdapter *a, GpuAdapterInfo *out)
{
    (void)a;
    *out = (GpuAdapterInfo){
        .kind = GPU_CPU, .vendor = "weft", .architecture = "cpu", .device = "CPU",
        .description = "the CPU, all lanes of its vector units",
        .subgroup_min = 4, .subgroup_max = 32,
        .has_f16 = compile_has_f16(), .has_f64 = true, .has_timestamps = true,
        .has_subgroups = true, .has_subgroup_sizes = true,
        .memory = physical_memory(), .limits = cpu_limits(),
    };
}

/* ---- the device ---- */

static void cpu_device_destroy(GpuDevice *d)
{
    if (!d)
        return;
    queue_free(d->queue);
    watch_free(d->watch);
    pool_free(d->pool);
    buffer_pool_free(d->buffers);
    kernel_cache_release(d->cache);
    free(d);
}

static uint32_t thread_count(uint32_t asked)
{
    if (asked)
        return asked < 1024 ? asked : 1024;
    return core_useful_count();
}

static GpuDevice *cpu_device_create(GpuAdapter *a, const GpuDeviceDesc *desc, Diag *diag)
{
    (void)a;
    GpuDevice *d = calloc(1, sizeof *d);
    if (!d)
        goto failed;
    d->desc = *desc;
    d->desc.cpu = NULL;                 /* the caller's */
    Machine machine;
    if (desc->cpu && !compile_find_machine(&machine, desc->cpu, true, diag)) {
        free(d);
        return NULL;
    }
    d->limits = cpu_limits();
    d->cache_size = cache_size();
    d->cache = kernel_cache_create(&(KernelCacheDesc){
        .folder = desc->cache_folder, .no_disk = desc->no_disk_cache,
        .off = desc->no_cache, .machine = desc->cpu ? &machine : NULL});
    d->buffers = buffer_pool_new(physical_memory());
    d->pool = pool_new(thread_count(desc->threads));
    d->watch = desc->deadline ? watch_new(desc->deadline) : NULL;
    d->queue = queue_new(d);
    if (d->cache && d->buffers && d->pool && d->queue && (d->watch || !desc->deadline))
        return d;
failed:
    cpu_device_destroy(d);
    diag_add(diag, DIAG_out_of_memory, (Span){0}, "no memory or threads for a device");
    return NULL;
}

static GpuBuffer *cpu_buffer_create(GpuDevice *d, uint64_t size, bool mappable)
{
    (void)mappable;
    return buffer_new(d->buffers, size);
}

static GpuBuffer *cpu_buffer_wrap(GpuDevice *d, void *data, uint64_t size)
{
    (void)d;
    return buffer_wrap(data, size);
}

static void cpu_buffer_destroy(GpuDevice *d, GpuBuffer *b)
{
    buffer_free(d->buffers, b);
}

static void *cpu_buffer_data(GpuDevice *d, GpuBuffer *b)
{
    (void)d;
    return b->data;
}

/* ---- kernels and queries ---- */

/* True if kernels are compiled in tiers: a quick version first, the fast one once it pays.
 * WEFT_TIERS=off makes timings repeatable. */
static bool has_tiers(void)
{
    const char *word = getenv("WEFT_TIERS");
    return !word || strcmp(word, "off") != 0;
}

static GpuKernel *cpu_kernel_create(GpuDevice *d, const Module *m, const Decl *entry,
                                    const OverrideSetting *settings, uint32_t nsettings,
                                    Diag *diag)
{
    CompileOptions options = {.lanes = d->desc.lanes, .assume = KERNEL_ASSUMES,
                              .quick = has_tiers()};
    const Kernel *kernel = kernel_get(d->cache, m, entry, settings, nsettings, &options, diag);
    GpuKernel *k = kernel ? calloc(1, sizeof *k) : NULL;
    if (!kernel)
        return NULL;
    if (!k) {
        kernel_release(d->cache, kernel);
        diag_add(diag, DIAG_out_of_memory, entry->span, "no memory for a kernel");
        return NULL;
    }
    k->forms[KERNEL_ASSUMES] = kernel;
    return k;
}

static void cpu_kernel_destroy(GpuDevice *d, GpuKernel *k)
{
    if (!k)
        return;
    for (uint32_t i = 0; i < ASSUME_COUNT; i++)
        kernel_release(d->cache, k->forms[i]);
    free(k);
}

static GpuQueries *cpu_queries_create(GpuDevice *d, uint32_t count)
{
    (void)d;
    GpuQueries *q = calloc(1, sizeof *q + (size_t)count * sizeof q->times[0]);
    if (q)
        q->count = count;
    return q;
}

static void cpu_queries_destroy(GpuDevice *d, GpuQueries *q)
{
    (void)d;
    free(q);
}

static bool cpu_submit(GpuDevice *d, GpuSubmit *s)
{
    return queue_submit(d->queue, s);
}

/* How long a dispatch will take is not known, only how long it took. */
static bool cpu_help(GpuDevice *d, uint64_t limit)
{
    return (limit == GPU_FOREVER || d->desc.timed_help) && queue_help(d->queue, limit);
}

const GpuBackend gpu_cpu_backend = {
    .name = "cpu",
    .adapter = cpu_adapter,
    .adapter_info = cpu_adapter_info,
    .device_create = cpu_device_create,
    .device_destroy = cpu_device_destroy,
    .buffer_create = cpu_buffer_create,
    .buffer_wrap = cpu_buffer_wrap,
    .buffer_destroy = cpu_buffer_destroy,
    .buffer_data = cpu_buffer_data,
    .kernel_create = cpu_kernel_create,
    .kernel_destroy = cpu_kernel_destroy,
    .queries_create = cpu_queries_create,
    .queries_destroy = cpu_queries_destroy,
    .submit = cpu_submit,
    .help = cpu_help,
};
