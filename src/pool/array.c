// SPDX-License-Identifier: Apache-2.0
/*
 * array.c - the short form of an execution: a kernel, one array in, one array out.
 *
 * in     an array and a kernel whose variables have no names that the caller knows
 * out    the elements of the kernel's first writable variable
 * knows  the declarations of the kernel; the pool of the process for callers without one
 * not    devices, workgroups: it makes a weft_execute_desc, and weft_execute() does the rest
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pool/layout_priv.h"
#include "pool/pool_priv.h"

/* ---- the pool of the process ---- */

/* The one object here that belongs to no caller: the calls that use it have no place for a
 * context. It is made once and never released. */
static struct {
    pthread_once_t     once;
    weft_pool_context *ctx;
    pid_t              process;         /* that made it: its threads do not survive fork() */
} shared = {.once = PTHREAD_ONCE_INIT};

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static void make_shared(void)
{
    const char *adapters[] = {environment("WEFT_ADAPTER"), NULL};
    const char *libraries[] = {environment("WEFT_WEBGPU"), NULL};
    weft_pool  *pool = weft_pool_create(&(weft_pool_desc){
        .adapters = adapters[0] ? adapters : NULL,
        .libraries = libraries[0] ? libraries : NULL,
        .no_own = libraries[0] != NULL,
        /* the CPU device has no driver that could crash */
        .probe_in_process = !libraries[0] && adapters[0] && strcmp(adapters[0], "cpu") == 0,
        .benchmark_timeout = WEFT_OFF,  /* the first call is not to wait seconds for it */
    });
    shared.process = getpid();
    shared.ctx = weft_pool_context_create(pool, &(weft_pool_context_desc){.label = "shared"});
    weft_pool_release(pool);
}

weft_pool_context *weft_pool_shared(void)
{
    pthread_once(&shared.once, make_shared);
    return shared.process == getpid() ? shared.ctx : NULL;
}

/* ---- variables ---- */

/* The variables that the array and the result are. */
typedef struct Roles {
    const weft_wgsl_binding *in, *out;
} Roles;

/* The array is the first variable that is only read, the result the first writable one. A
 * kernel without the former changes the array in place. */
static bool find_roles(Roles *roles, weft_pool_error *error, const weft_entry_point *p)
{
    *roles = (Roles){0};
    for (uint32_t i = 0; i < p->binding_count; i++) {
        const weft_wgsl_binding *b = &p->bindings[i];
        if (b->kind == WEFT_BINDING_STORAGE && !roles->out)
            roles->out = b;
        if (b->kind == WEFT_BINDING_READ_ONLY_STORAGE && !roles->in)
            roles->in = b;
    }
    if (!roles->out)
        return pool_fail(error, WEFT_ERROR_INVALID, NULL, "the kernel has no result: declare a "
                         "variable as var<storage, read_write>");
    if (!roles->in)
        roles->in = roles->out;
    return true;
}

/* Elements of the caller's type in a variable that has a size of its own; else `otherwise`. */
static uint64_t own_count(const weft_type *t, weft_scalar type, uint64_t otherwise)
{
    uint64_t    offset;
    weft_scalar scalar = layout_common_scalar(t);
    uint64_t    bytes = layout_scalar_bytes(type == WEFT_SCALAR_F64 && scalar ? scalar : type);
    return layout_tail(t, &offset) || t->kind == WEFT_TYPE_BYTES ? otherwise : t->size / bytes;
}

/* ---- running ---- */

static bool fail_shared(weft_pool_error *error)
{
    return pool_fail(error, WEFT_ERROR_UNSUPPORTED, NULL, "this process was made by fork() "
                     "after its parent had started Weft: let the child start another program, "
                     "or call Weft first in the child");
}

/* `result` NULL: it only counts. */
static bool run(void *result, uint64_t *count, weft_pool_context *ctx,
                const weft_execute_array_desc *desc, const Roles *roles,
                weft_execute_report *report)
{
    const uint64_t room = *count;
    *count = roles->in == roles->out ? desc->count
           : own_count(roles->out->layout, desc->type, desc->count);
    if (!result)
        return true;
    if (*count > room)
        return pool_fail(&report->error, WEFT_ERROR_SHAPE, roles->out->name, "the result '%s' "
                         "has %llu elements, there is room for %llu", roles->out->name,
                         (unsigned long long)*count, (unsigned long long)room);
    if (desc->count == 0)
        return pool_fail(&report->error, WEFT_ERROR_SHAPE, roles->in->name, "the array has no "
                         "elements");
    return weft_execute(ctx, &(weft_execute_desc){
        .wgsl = desc->wgsl, .entry = desc->entry,
        .inputs = &(weft_execute_input){
            .name = roles->in->name, .type = desc->type, .shape = {desc->count},
            .data = desc->data},
        .input_count = 1,
        .outputs = &(weft_execute_output){
            .name = roles->out->name, .type = desc->type, .shape = {*count}, .data = result},
        .output_count = 1,
        .groups = {desc->groups[0], desc->groups[1], desc->groups[2]},
        .device = desc->device, .time_limit = desc->time_limit, .no_retry = desc->no_retry,
    }, report);
}

bool weft_execute_array(void *result, uint64_t *count, weft_pool_context *ctx,
                        const weft_execute_array_desc *desc, weft_execute_report *report)
{
    weft_execute_report ignored;
    Roles               roles;
    report = report ? report : &ignored;
    *report = (weft_execute_report){.device = "", .device_index = UINT32_MAX};
    ctx = ctx ? ctx : weft_pool_shared();
    if (!ctx)
        return fail_shared(&report->error);
    if (!desc || !desc->wgsl || !count)
        return pool_fail(&report->error, WEFT_ERROR_INVALID, NULL, "%s is NULL",
                         !desc ? "the desc" : !count ? "`count`" : "the WGSL");
    Program *p = program_get(ctx->pool, &(weft_execute_desc){.wgsl = desc->wgsl,
                                                             .entry = desc->entry});
    if (!p)
        return pool_fail(&report->error, WEFT_ERROR_MEMORY, NULL, "no memory for a kernel");
    if (p->error.kind)
        report->error = p->error;
    bool ok = !p->error.kind && find_roles(&roles, &report->error, p->point)
           && run(result, count, ctx, desc, &roles, report);
    program_release(ctx->pool, p);
    return ok;
}

int32_t julia_webgpu_execute(const char *shader, const double *data, size_t data_len,
                             double *result, size_t *result_len)
{
    uint64_t count = result_len ? *result_len : 0;
    if (!result || !result_len)
        return -1;
    bool ok = weft_execute_array(result, &count, NULL, &(weft_execute_array_desc){
        .wgsl = shader, .type = WEFT_SCALAR_F64, .data = data, .count = data_len}, NULL);
    if (ok)
        *result_len = (size_t)count;
    return ok ? 0 : -1;
}
