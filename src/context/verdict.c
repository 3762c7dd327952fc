// SPDX-License-Identifier: Apache-2.0
/*
 * verdict.c - whether the device could make a kernel that is compiled while its user goes on.
 *
 * in     a pipeline whose creation returned before its kernel was compiled
 * out    the compiler's error, at the latest with the first results that need the kernel
 * knows  error scopes of webgpu.h: one that is popped completes after the compiler
 * not    how kernels are compiled (pipeline.c), how work is waited for (futures.c)
 *
 * A device leaves out work whose kernel it could not make. Without the verdict such work would
 * look like work that is done.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context_priv.h"

struct Verdict {
    atomic_uint refs;                   /* of the pipeline and of the callback         */
    atomic_bool known;
    Lock        lock;                   /* one thread waits, others for it             */
    WGPUFuture  future;
    bool        done, failed;
    char        why[800];
};

void verdict_release(Verdict *v)
{
    if (!v || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) != 1)
        return;
    lock_fini(&v->lock);
    free(v);
}

static void on_scope(WGPUPopErrorScopeStatus status, WGPUErrorType type, WGPUStringView message,
                     void *user1, void *user2)
{
    Verdict *v = user1;
    (void)user2;
    if (!v)
        return;
    v->failed = status == WGPUPopErrorScopeStatus_Success && type != WGPUErrorType_NoError;
    snprintf(v->why, sizeof v->why, "%.*s",
             message.data ? (int)MIN_OF(message.length, sizeof v->why - 1) : 0,
             message.data ? message.data : "");
    v->done = true;
    atomic_store_explicit(&v->known, true, memory_order_release);
    verdict_release(v);
}

void verdict_begin(Device *d)
{
    d->lib.procs.DevicePushErrorScope(d->device, WGPUErrorFilter_Internal);
}

Verdict *verdict_end(Device *d)
{
    Verdict *v = calloc(1, sizeof *v);
    WGPUPopErrorScopeCallbackInfo info = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
    info.mode = library_callback_mode(&d->lib);
    info.callback = on_scope;
    info.userdata1 = v;
    if (v) {
        lock_init(&v->lock);
        atomic_init(&v->refs, 2);
    }
    WGPUFuture future = d->lib.procs.DevicePopErrorScope(d->device, info);
    if (v)
        v->future = future;
    if (v && future.id == 0) {          /* there will be no callback */
        atomic_init(&v->refs, 1);
        verdict_release(v);
        v = NULL;
    }
    return v;
}

/* Waits for the compiler. */
static bool is_good(Device *d, Verdict *v)
{
    if (!atomic_load_explicit(&v->known, memory_order_acquire)) {
        lock_take(&v->lock);
        if (!v->done)
            library_wait(&d->lib, v->future, &v->done);
        lock_give(&v->lock);
    }
    return !v->failed;
}

bool context_pipeline_wait(weft_context *ctx, const weft_pipeline *p)
{
    if (!p->verdict || is_good(ctx->device, p->verdict))
        return true;
    const char *names[] = {p->label, NULL};
    return context_need_device(ctx)
        && context_fail_names(ctx, WEFT_ERROR_COMPILE, names, "%s: %s", p->label,
                              p->verdict->why[0] ? p->verdict->why
                                                 : "the device cannot compile it");
}

bool verdict_check(weft_context *ctx, const weft_pipeline *p)
{
    return !p->verdict || !atomic_load_explicit(&p->verdict->known, memory_order_acquire)
        || context_pipeline_wait(ctx, p);
}

/* ---- kernels in use whose verdict is not known ---- */

bool verdicts_note(weft_context *ctx, weft_pipeline *p)
{
    Verdicts *all = &ctx->verdicts;
    if (!p->verdict || atomic_load_explicit(&p->verdict->known, memory_order_acquire))
        return verdict_check(ctx, p);
    for (uint32_t i = 0; i < all->count; i++)
        if (all->list[i].pipeline == p)
            return true;
    if (all->count == all->room) {
        uint32_t    room = all->room ? all->room * 2 : 8;
        VerdictUse *more = realloc(all->list, room * sizeof *more);
        if (!more)
            return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a dispatch");
        all->list = more;
        all->room = room;
    }
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    all->list[all->count++] = (VerdictUse){p, ctx->recorder.serial};
    return true;
}

bool verdicts_wait(weft_context *ctx, uint64_t before)
{
    Verdicts *all = &ctx->verdicts;
    bool      ok = true;
    uint32_t  kept = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        VerdictUse use = all->list[i];
        if (use.serial >= before) {
            all->list[kept++] = use;
            continue;
        }
        ok = context_pipeline_wait(ctx, use.pipeline) && ok;
        pipeline_unref(use.pipeline);
    }
    all->count = kept;
    return ok;
}

void verdicts_fini(weft_context *ctx)
{
    for (uint32_t i = 0; i < ctx->verdicts.count; i++)
        pipeline_unref(ctx->verdicts.list[i].pipeline);
    free(ctx->verdicts.list);
    ctx->verdicts = (Verdicts){0};
}
