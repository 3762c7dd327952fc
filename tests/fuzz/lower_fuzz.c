/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower_fuzz.c - fuzzes the way from any text to optimised IR.
 *
 * in     any bytes, taken as WGSL
 * out    nothing; the IR of every entry point must be whole after lowering and
 *        after each pass, and must not leave its memory when it is run
 */
#include <string.h>

#include "lower/lower.h"
#include "opt/opt.h"
#include "support/interp.h"
#include "syntax/syntax.h"

#define MAX_MEMORY ((size_t)256 << 20)
#define MAX_INVOCATIONS 64u
#define MAX_BUFFER (1u << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Job {
    Arena arena;
    Str   text;
} Job;

/* A buffer for each binding, as small as validation lets one be. */
static bool give_buffers(Arena *a, const Decl *entry, InterpDesc *desc)
{
    const FnInfo *info = entry->fn.info;
    desc->buffers = ARENA_ARRAY(a, InterpBuffer, info->globals.len);
    desc->immediates = arena_alloc(a, MAX_BUFFER);
    desc->immediate_size = MAX_BUFFER;
    for (uint32_t i = 0; i < info->globals.len; i++) {
        const Decl *d = info->globals.data[i];
        if (d->kind != DECL_VAR || !d->var.has_binding)
            continue;
        uint64_t bytes = MAX_OF(info->min_sizes[i], 4u);
        if (bytes > MAX_BUFFER)
            return false;
        desc->buffers[desc->nbuffers++] = (InterpBuffer){
            d->var.group, d->var.binding, arena_alloc(a, (size_t)bytes), (uint32_t)bytes,
        };
    }
    return true;
}

/* What the interpreter says of IR that is wrong, whatever the kernel does. */
static const char *const never[] = {
    "not in bounds", "a view at", "no meaning", "cannot be reached", "no buffer",
    "a promise",
};

static void run(Arena *a, const Decl *entry, const Ir *ir)
{
    InterpDesc desc = {.ir = ir, .max_steps = 20000};
    const uint32_t *n = ir->workgroup_size;
    bool few = n[0] <= MAX_INVOCATIONS && n[1] <= MAX_INVOCATIONS && n[2] <= MAX_INVOCATIONS
            && n[0] * n[1] * n[2] <= MAX_INVOCATIONS;
    if (few && ir->next_id < 20000 && give_buffers(a, entry, &desc)) {
        const char *wrong = interp_run(a, &desc);
        for (size_t i = 0; wrong && i < COUNTOF(never); i++)
            BUG_IF(strstr(wrong, never[i]), "%s", wrong);
    }
}

static void verify(const Ir *ir, const char *after)
{
    const char *fault = ir_verify(ir);
    BUG_IF(fault, "after %s: %s", after, fault);
}

static void lower(Job *job, const Module *m, const Decl *entry)
{
    Diag diag = {.arena = &job->arena};
    Specialization s;
    if (entry->fn.info->stage != STAGE_COMPUTE
            || !check_specialize(&s, &job->arena, m, entry, NULL, 0, &diag))
        return;
    Ir *ir = lower_entry_point(&job->arena, m, entry, &s, &diag);
    BUG_IF(!ir && !diag.errors, "refused without a reason");
    if (!ir)
        return;
    verify(ir, "lower");
    run(&job->arena, entry, ir);
    for (uint32_t i = 0; i < opt_pass_count; i++) {
        opt_passes[i].run(ir);
        verify(ir, opt_passes[i].name);
    }
    run(&job->arena, entry, ir);
}

static void work(void *context)
{
    Job *job = context;
    Diag diag = {.arena = &job->arena};
    Module *m = syntax_parse(&job->arena, job->text, &diag);
    if (!check_module(m, &(CheckOptions){0}, &diag) || diag.errors)
        return;
    for (uint32_t i = 0; i < m->info->entry_points.len; i++)
        lower(job, m, m->info->entry_points.data[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Job job = {.text = {(const char *)data, (uint32_t)size}};
    if (size > 1 << 16)
        return 0;
    arena_init(&job.arena, MAX_MEMORY);
    if (!arena_try(&job.arena, work, &job))
        job.text.len = 0;               /* refused for its size */
    arena_fini(&job.arena);
    return 0;
}
