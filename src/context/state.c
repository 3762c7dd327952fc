// SPDX-License-Identifier: Apache-2.0
/*
 * state.c - what a context remembers for its users: the first error, log, counters, the
 * state of the layers above.
 *
 * in     errors and counts of every layer
 * out    weft_context_error(), the log callback, counters by name
 * not    devices, except for their loss
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "context/context_priv.h"

/* ---- errors ---- */

static const weft_error no_context = {.kind = WEFT_ERROR_INVALID,
                                      .message = "the context is NULL"};

const weft_error *weft_context_error(const weft_context *ctx)
{
    return ctx ? &ctx->error : &no_context;
}

void weft_context_error_clear(weft_context *ctx)
{
    if (ctx)
        ctx->error = (weft_error){.message = ""};
}

static void keep_names(weft_context *ctx, const char *const *names)
{
    for (uint32_t i = 0; names && names[i] && i < WEFT_ERROR_NAMES; i++) {
        snprintf(ctx->names[i], sizeof ctx->names[i], "%s", names[i]);
        ctx->error.names[i] = ctx->names[i];
        ctx->error.name_count = i + 1;
    }
}

PRINTF_LIKE(4, 0)
static bool fail(weft_context *ctx, weft_error_kind kind, const char *const *names,
                 const char *fmt, va_list args)
{
    char text[sizeof ctx->message];
    if (!ctx)
        return false;
    vsnprintf(text, sizeof text, fmt, args);
    context_bump(ctx, COUNTER_ERRORS, 1);
    context_log(ctx, WEFT_LOG_ERROR, "%s: %s", weft_error_kind_name(kind), text);
    if (ctx->error.kind)
        return false;
    ctx->error = (weft_error){.kind = kind, .message = ctx->message};
    memcpy(ctx->message, text, sizeof text);
    keep_names(ctx, names);
    return false;
}

bool context_fail(weft_context *ctx, weft_error_kind kind, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fail(ctx, kind, NULL, fmt, args);
    va_end(args);
    return false;
}

bool context_fail_names(weft_context *ctx, weft_error_kind kind, const char *const *names,
                        const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fail(ctx, kind, names, fmt, args);
    va_end(args);
    return false;
}

static bool is_lost(const weft_context *ctx)
{
    return ctx->device
        && atomic_load_explicit(&ctx->device->state->lost, memory_order_acquire);
}

bool context_ok(const weft_context *ctx)
{
    return ctx && !ctx->error.kind && (ctx->device || ctx->desc.no_device) && !is_lost(ctx);
}

static bool fail_lost(weft_context *ctx)
{
    DeviceState *s = ctx->device->state;
    char         why[sizeof s->lost_why];
    lock_take(&s->lock);
    memcpy(why, s->lost_why, sizeof why);
    lock_give(&s->lock);
    return context_fail(ctx, WEFT_ERROR_DEVICE_LOST, "%s: the device was lost: %s",
                        ctx->desc.label, why);
}

bool context_need_device(weft_context *ctx)
{
    if (!ctx)
        return false;
    if (!ctx->device)
        return context_fail(ctx, ctx->open_kind, "%s", ctx->open_why);
    return is_lost(ctx) ? fail_lost(ctx) : true;
}

bool context_check_device(weft_context *ctx)
{
    DeviceState *s = ctx->device->state;
    uint32_t     count = atomic_load_explicit(&s->error_count, memory_order_acquire);
    if (is_lost(ctx))
        return fail_lost(ctx);
    if (count == ctx->seen_errors)
        return true;
    char text[sizeof s->error];
    ctx->seen_errors = count;
    /* Commands with a kernel that could not be made are an error, too: it is the better one. */
    if (!verdicts_wait(ctx, UINT64_MAX))
        return false;
    lock_take(&s->lock);
    memcpy(text, s->error, sizeof text);
    lock_give(&s->lock);
    return context_fail(ctx, WEFT_ERROR_INTERNAL, "%s: the device reports: %s",
                        ctx->desc.label, text);
}

/* ---- log ---- */

bool context_logs(const weft_context *ctx)
{
    return ctx && ctx->desc.log;
}

void context_log(weft_context *ctx, weft_log_topic topic, const char *fmt, ...)
{
    char    text[2048];
    va_list args;
    if (!context_logs(ctx))
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ctx->desc.log(ctx->desc.log_user, topic, text);
}

/* ---- counters ---- */

void state_init(weft_context *ctx)
{
    static const weft_counter builtin[COUNTER_BUILTIN_COUNT] = {
#define X(id, title, measure) [COUNTER_##id] = {.name = title, .unit = measure},
        CONTEXT_COUNTERS(X)
#undef X
    };
    memcpy(ctx->counters, builtin, sizeof builtin);
    ctx->counter_count = COUNTER_BUILTIN_COUNT;
    ctx->error.message = "";
}

/* Literals usually have one address, so most searches compare pointers alone. */
static weft_counter *find_counter(weft_context *ctx, const char *name)
{
    for (uint32_t i = 0; i < ctx->counter_count; i++)
        if (ctx->counters[i].name == name)
            return &ctx->counters[i];
    for (uint32_t i = 0; i < ctx->counter_count; i++)
        if (strcmp(ctx->counters[i].name, name) == 0)
            return &ctx->counters[i];
    return NULL;
}

static weft_counter *get_counter(weft_context *ctx, const char *name, const char *unit)
{
    weft_counter *c = find_counter(ctx, name);
    if (c)
        return c;
    BUG_IF(ctx->counter_count == MAX_COUNTERS, "too many counters for '%s'", name);
    c = &ctx->counters[ctx->counter_count++];
    *c = (weft_counter){.name = name, .unit = unit};
    return c;
}

void context_count(weft_context *ctx, const char *name, const char *unit, uint64_t add)
{
    if (ctx)
        get_counter(ctx, name, unit)->value += add;
}

void context_gauge(weft_context *ctx, const char *name, const char *unit, uint64_t value)
{
    if (ctx)
        get_counter(ctx, name, unit)->value = value;
}

uint32_t weft_context_counter_count(const weft_context *ctx)
{
    return ctx ? ctx->counter_count : 0;
}

bool weft_context_counter_get(weft_counter *out, const weft_context *ctx, uint32_t index)
{
    if (!ctx || !out || index >= ctx->counter_count)
        return false;
    *out = ctx->counters[index];
    return true;
}

uint64_t weft_context_counter(const weft_context *ctx, const char *name)
{
    for (uint32_t i = 0; ctx && name && i < ctx->counter_count; i++)
        if (strcmp(ctx->counters[i].name, name) == 0)
            return ctx->counters[i].value;
    return 0;
}

/* ---- slots ---- */

void *context_slot(const weft_context *ctx, ContextSlot slot)
{
    return ctx ? ctx->slots[slot].state : NULL;
}

void context_set_slot(weft_context *ctx, ContextSlot slot, void *state, void (*fini)(void *))
{
    ctx->slots[slot] = (Slot){state, fini};
}
