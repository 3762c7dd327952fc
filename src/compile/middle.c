// SPDX-License-Identifier: Apache-2.0
/*
 * middle.c - from a typed module to optimised IR, the same for every back end.
 *
 * in     a typed module, an entry point, override values
 * out    IR after all passes that assume nothing
 * knows  their order
 * not    how any of them works; what comes after
 */
#include "compile/middle.h"

#include "opt/opt.h"

void middle_verify(const Ir *ir, const char *stage)
{
#ifndef NDEBUG
    const char *fault = ir_verify(ir);
    BUG_IF(fault, "after %s: %s", stage, fault);
#else
    (void)ir;
    (void)stage;
#endif
}

static bool look(const MiddleJob *job, const Ir *ir, const char *stage)
{
    middle_verify(ir, stage);
    return !job->look || job->look(job->context, ir, stage);
}

Ir *middle_run(Arena *arena, const MiddleJob *job)
{
    Specialization special = {0};
    const KernelSource *s = &job->source;
    if (!check_specialize(&special, arena, s->module, s->entry, s->settings, s->nsettings,
                          job->diag))
        return NULL;
    Ir  *ir = lower_entry_point(arena, s->module, s->entry, &special, job->diag);
    bool more = ir && look(job, ir, "lower");
    if (ir)
        ir->fuses_f64 = job->fuses_f64;
    for (uint32_t i = 0; i < opt_pass_count && more; i++) {
        opt_passes[i].run(ir);
        more = look(job, ir, opt_passes[i].name);
    }
    return ir;
}
