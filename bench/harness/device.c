/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.c - the WGSL side of a benchmark, on the CPU device.
 *
 * in     WGSL, the work it does
 * out    launches, from submit to completion; the result
 * knows  gpu.h
 * not    kernels, C
 */
#include "harness/bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"
#include "syntax/syntax.h"

struct Device {
    const GpuBackend *gpu;
    GpuDevice        *device;
    pthread_mutex_t   lock;
    pthread_cond_t    done;
    bool              is_done;
};

struct Runner {
    Device     *device;
    const Work *work;
    GpuBuffer  *buffer[MAX_BUFFERS];
    GpuKernel  *kernel[MAX_STEPS];      /* of the step; NULL: that of an earlier one */
    GpuBinding  binding[MAX_STEPS][MAX_BUFFERS];
    GpuCommand  command[MAX_STEPS];
};

static void lost(void *user, const void *tag, const char *why)
{
    (void)user;
    (void)tag;
    stop("the device was lost: %s", why);
}

Device *device_open(const DeviceDesc *desc)
{
    Device *d = calloc(1, sizeof *d);
    Arena arena;
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    if (!d)
        stop("no memory");
    d->gpu = &gpu_cpu_backend;
    d->device = d->gpu->device_create(d->gpu->adapter(0), &(GpuDeviceDesc){
        .threads = desc->threads, .cache_folder = desc->cache,
        .no_disk_cache = !desc->cache, .no_cache = !desc->cache, .lost = lost}, &diag);
    if (!d->device)
        stop("no device");
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->done, NULL);
    arena_fini(&arena);
    return d;
}

void device_close(Device *d)
{
    if (!d)
        return;
    d->gpu->device_destroy(d->device);
    pthread_cond_destroy(&d->done);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

/* ---- kernels ---- */

static GpuKernel *compile(Device *d, const char *wgsl, const char *entry)
{
    Arena arena;
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    GpuKernel *k = NULL;
    Module *m = syntax_parse(&arena, (Str){wgsl, (uint32_t)strlen(wgsl)}, &diag);
    if (check_module(m, &(CheckOptions){0}, &diag)) {
        const Decl *e = module_find_entry_point(m, (Str){entry, (uint32_t)strlen(entry)});
        k = e ? d->gpu->kernel_create(d->device, m, e, NULL, 0, &diag) : NULL;
    }
    for (uint32_t i = 0; i < diag.list.len; i++)
        fprintf(stderr, "%s\n", diag.list.data[i].message);
    if (!k)
        stop("%s: no kernel", entry);
    arena_fini(&arena);
    return k;
}

double device_compile(Device *d, const char *wgsl, const char *entry)
{
    double begin = now();
    GpuKernel *k = compile(d, wgsl, entry);
    double end = now();
    d->gpu->kernel_destroy(d->device, k);
    return end - begin;
}

/* ---- work ---- */

static void signal_done(void *user)
{
    Device *d = user;
    pthread_mutex_lock(&d->lock);
    d->is_done = true;
    pthread_cond_signal(&d->done);
    pthread_mutex_unlock(&d->lock);
}

static GpuKernel *kernel_of(Runner *r, uint32_t i, const char *wgsl)
{
    const Step *s = r->work->step;
    const char *entry = s[i].entry ? s[i].entry : "main";
    for (uint32_t k = 0; k < i; k++)
        if (r->kernel[k] && strcmp(s[k].entry ? s[k].entry : "main", entry) == 0)
            return r->command[k].dispatch.kernel;
    return r->kernel[i] = compile(r->device, wgsl, entry);
}

static uint32_t bind(Runner *r, uint32_t i)
{
    const Step *s = &r->work->step[i];
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->work->narrays; k++) {
        if (s->bound && !(s->bound >> k & 1))
            continue;
        bool part = r->work->array[k].is_uniform;
        r->binding[i][n++] = (GpuBinding){0, k, r->buffer[k], part ? s->offset : 0,
                                          part ? s->size : r->work->array[k].size};
    }
    return n;
}

static void set_command(Runner *r, uint32_t i, const char *wgsl)
{
    const Step *s = &r->work->step[i];
    GpuCommand *c = &r->command[i];
    switch (s->kind) {
    case STEP_RUN:
        c->kind = GPU_DISPATCH;
        c->dispatch.kernel = kernel_of(r, i, wgsl);
        c->dispatch.bindings = r->binding[i];
        c->dispatch.nbindings = bind(r, i);
        c->dispatch.groups[0] = s->groups[0];
        c->dispatch.groups[1] = s->groups[1];
        c->dispatch.groups[2] = 1;
        break;
    case STEP_COPY:
        c->kind = GPU_COPY;
        c->copy.from = r->buffer[s->from];
        c->copy.to = r->buffer[s->to];
        c->copy.size = r->work->array[s->to].size;
        break;
    case STEP_CLEAR:
        c->kind = GPU_CLEAR;
        c->clear.to = r->buffer[s->to];
        c->clear.size = r->work->array[s->to].size;
        break;
    }
}

Runner *runner_new(Device *d, const char *wgsl, const Work *w)
{
    Runner *r = calloc(1, sizeof *r);
    if (!r)
        stop("no memory");
    r->device = d;
    r->work = w;
    for (uint32_t i = 0; i < w->narrays; i++) {
        r->buffer[i] = d->gpu->buffer_create(d->device, w->array[i].size, true);
        if (!r->buffer[i])
            stop("no memory");
        memcpy(d->gpu->buffer_data(d->device, r->buffer[i]), w->array[i].data,
               w->array[i].size);
    }
    for (uint32_t i = 0; i < w->nsteps; i++)
        set_command(r, i, wgsl);
    return r;
}

void runner_free(Runner *r)
{
    if (!r)
        return;
    Device *d = r->device;
    for (uint32_t i = 0; i < r->work->nsteps; i++)
        d->gpu->kernel_destroy(d->device, r->kernel[i]);
    for (uint32_t i = 0; i < r->work->narrays; i++)
        d->gpu->buffer_destroy(d->device, r->buffer[i]);
    free(r);
}

void runner_launch(Runner *r)
{
    Device *d = r->device;
    d->is_done = false;
    d->gpu->submit(d->device, &(GpuSubmit){r->command, r->work->nsteps, signal_done, d});
    pthread_mutex_lock(&d->lock);
    while (!d->is_done)
        pthread_cond_wait(&d->done, &d->lock);
    pthread_mutex_unlock(&d->lock);
}

void *runner_result(Runner *r)
{
    const Array *a = &r->work->array[r->work->out];
    void *copy = memory_new(a->size);
    memcpy(copy, r->device->gpu->buffer_data(r->device->device, r->buffer[r->work->out]),
           a->size);
    return copy;
}
