// SPDX-License-Identifier: Apache-2.0
/*
 * context.c - making, sharing and releasing contexts; what their device is.
 *
 * in     a descriptor
 * out    a context, with its device or with the reason why it has none
 * knows  the parts of a context and the order in which they end
 * not    how a device is found (device.c)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context_priv.h"

#define DEFAULT_PIPELINES 1024u
#define DEFAULT_EVAL      ((uint64_t)256 << 20)

/* ---- descriptors ---- */

/* The one place where zero becomes a real value; budgets need the device (memory.c). */
static weft_context_desc resolve(const weft_context_desc *desc)
{
    weft_context_desc d = desc ? *desc : (weft_context_desc){0};
    if (d.pipeline_limit == 0)
        d.pipeline_limit = DEFAULT_PIPELINES;
    if (d.eval_threshold == 0)
        d.eval_threshold = DEFAULT_EVAL;
    if (d.host_budget == 0) {
        uint64_t memory = platform_memory();
        d.host_budget = memory ? memory / 4 : WEFT_OFF;
    }
    if (!d.label)
        d.label = "context";
    return d;
}

static const char *desc_fault(const weft_context_desc *d)
{
    if ((unsigned)d->memory_mode > WEFT_MEMORY_LOW)
        return "unknown memory_mode";
    if (d->share && !d->share->device && !d->no_device)
        return "the context to share with has no device";
    return NULL;
}

static bool copy_text(const char **text)
{
    if (*text)
        *text = strdup(*text);
    return *text != NULL;
}

/* The context owns the texts of its descriptor. */
static bool own_texts(weft_context_desc *d)
{
    bool adapter = d->adapter != NULL, library = d->library != NULL, spill = d->spill_dir != NULL;
    bool ok = copy_text(&d->adapter) == adapter;
    ok = (copy_text(&d->library) == library) && ok;
    ok = (copy_text(&d->spill_dir) == spill) && ok;
    return copy_text(&d->label) && ok;
}

static void free_text(const char *text)
{
    char *own;
    memcpy(&own, &text, sizeof own);
    free(own);
}

static void free_texts(weft_context_desc *d)
{
    free_text(d->adapter);
    free_text(d->library);
    free_text(d->spill_dir);
    free_text(d->label);
}

/* ---- creation ---- */

static void set_open_error(weft_context *ctx, weft_error_kind kind, const char *why)
{
    ctx->open_kind = kind;
    snprintf(ctx->open_why, sizeof ctx->open_why, "%s", why);
}

static void open_device(weft_context *ctx)
{
    const weft_context_desc *d = &ctx->desc;
    const char *fault = desc_fault(d);
    if (fault)
        set_open_error(ctx, WEFT_ERROR_INVALID, fault);
    else if (d->no_device)
        set_open_error(ctx, WEFT_ERROR_UNSUPPORTED, "this context was made without a device");
    else if (d->share)
        ctx->device = device_retain(d->share->device);
    else
        ctx->device = device_create(d, &ctx->open_kind, ctx->open_why, sizeof ctx->open_why);
    if (ctx->device)
        context_log(ctx, WEFT_LOG_DEVICE, "%s%s", d->share ? "shared: " : "",
                    ctx->device->info.reason);
    else if (fault || !d->no_device)
        context_fail(ctx, ctx->open_kind, "%s", ctx->open_why);
}

weft_context *weft_context_create(const weft_context_desc *desc)
{
    weft_context *ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return NULL;
    ctx->refs = 1;
    ctx->desc = resolve(desc);
    state_init(ctx);
    if (!own_texts(&ctx->desc)) {
        free_texts(&ctx->desc);
        free(ctx);
        return NULL;
    }
    open_device(ctx);
    ctx->desc.share = NULL;
    memory_init(ctx);
    if (ctx->device && !recorder_init(ctx)) {
        set_open_error(ctx, WEFT_ERROR_MEMORY, "no memory for a context");
        device_release(ctx->device);
        ctx->device = NULL;
        context_fail(ctx, ctx->open_kind, "%s", ctx->open_why);
    }
    return ctx;
}

bool weft_context_available(const weft_context_desc *desc, char *why, size_t why_size)
{
    weft_context_desc d = resolve(desc);
    const char *fault = desc_fault(&d);
    if (!fault && d.no_device)
        fault = "a context without a device was asked for";
    if (fault) {
        if (why && why_size)
            snprintf(why, why_size, "%s", fault);
        return false;
    }
    return d.share || device_available(&d, why, why_size);
}

/* ---- lifetime ---- */

static void context_destroy(weft_context *ctx)
{
    ctx->closing = true;
    for (uint32_t i = CONTEXT_SLOT_COUNT; i-- > 0;) {
        Slot s = ctx->slots[i];
        if (s.state && s.fini)
            s.fini(s.state);
        ctx->slots[i] = (Slot){0};
    }
    futures_drop(ctx);
    if (ctx->device)
        recorder_fini(ctx);
    verdicts_fini(ctx);
    memory_fini(ctx);
    device_release(ctx->device);
    if (ctx->memory.account.end)
        ctx->memory.account.end(ctx->memory.account.user);
    free_texts(&ctx->desc);
    free(ctx);
}

void context_ref(weft_context *ctx)
{
    ctx->refs++;
}

void context_unref(weft_context *ctx)
{
    BUG_IF(ctx->refs == 0, "a context is released too often");
    if (--ctx->refs == 0 && !ctx->closing)
        context_destroy(ctx);
}

weft_context *weft_context_retain(weft_context *ctx)
{
    if (ctx)
        context_ref(ctx);
    return ctx;
}

void weft_context_release(weft_context *ctx)
{
    if (ctx)
        context_unref(ctx);
}

/* ---- the device ---- */

const weft_context_desc *context_desc(const weft_context *ctx)
{
    return &ctx->desc;
}

bool context_shares_device(const weft_context *a, const weft_context *b)
{
    return a && b && a->device && a->device == b->device;
}

const weft_device_info *weft_context_device(const weft_context *ctx)
{
    return ctx && ctx->device ? &ctx->device->info : NULL;
}

WGPUInstance weft_context_wgpu_instance(weft_context *ctx)
{
    return ctx && ctx->device ? ctx->device->lib.instance : NULL;
}

WGPUDevice weft_context_wgpu_device(weft_context *ctx)
{
    return ctx && ctx->device ? ctx->device->device : NULL;
}

WGPUQueue weft_context_wgpu_queue(weft_context *ctx)
{
    return ctx && ctx->device ? ctx->device->queue : NULL;
}

WGPUProc weft_context_wgpu_proc(weft_context *ctx, const char *name)
{
    return ctx && ctx->device && name ? library_proc(&ctx->device->lib, name) : NULL;
}
