// SPDX-License-Identifier: Apache-2.0
/*
 * resize.c - whether results depend on the workgroup size.
 *
 * in     an entry point, its IR, its guards (walk.c)
 * out    Inspect.info.resizable with the reason
 *
 * They do not if an invocation knows its global id alone, shares nothing with its
 * workgroup, and stores nothing beyond a limit: with another size there may be other
 * invocations behind the last one. An axis with one invocation needs no limit; it stays as
 * it is.
 */
#include "inspect/inspect_priv.h"

#include "check/module.h"

static const char *io_reason(Inspect *n, const IoAttrs *io)
{
    if (!io || io->builtin == IO_NO_BUILTIN || io->builtin == IO_global_invocation_id)
        return NULL;
    Str source = n->module->source;
    return arena_printf(&n->arena, "the kernel uses %.*s", (int)(io->span.end - io->span.start),
                        source.data + io->span.start);
}

/* What an entry point is told besides its global id; NULL: nothing. */
static const char *other_input(Inspect *n)
{
    const char *why = NULL;
    for (uint32_t i = 0; i < n->entry->fn.nparams && !why; i++) {
        const Decl *p = n->entry->fn.params[i];
        why = io_reason(n, p->var.io);
        if (p->type->kind != TYPE_STRUCT)
            continue;
        const Decl *decl = p->type->structure.decl;
        for (uint32_t k = 0; k < decl->structure.nmembers && !why; k++)
            why = io_reason(n, decl->structure.members[k].io);
    }
    return why;
}

static const char *shared_memory(const Inspect *n)
{
    for (uint32_t i = 0; i < n->ir->vars.len; i++)
        if (n->ir->vars.data[i]->space == IRSPACE_WORKGROUP)
            return "the kernel has workgroup memory";
    return n->info.barriers ? "invocations of a workgroup wait for each other" : NULL;
}

static bool has_subgroups(const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_SUBGROUP)
            return true;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (has_subgroups(inst->flow.regions[i]))
                    return true;
    }
    return false;
}

bool resize_may_change(const Inspect *n, uint32_t axis)
{
    return n->writes_limited[axis];
}

static const char *no_limit(Inspect *n, uint32_t axis)
{
    return arena_printf(&n->arena, "a store has no limit along %c, so that more invocations would "
                                   "store more", "xyz"[axis]);
}

void resize_run(Inspect *n)
{
    const char *why_not = other_input(n);
    if (!why_not)
        why_not = shared_memory(n);
    if (!why_not && has_subgroups(n->ir->body))
        why_not = "the kernel uses subgroups";
    for (uint32_t axis = 0; axis < 3 && !why_not; axis++)
        if (!resize_may_change(n, axis) && n->ir->workgroup_size[axis] > 1)
            why_not = no_limit(n, axis);
    bool any = false;
    for (uint32_t axis = 0; axis < 3; axis++)
        any |= resize_may_change(n, axis);
    if (!why_not && !any)
        why_not = no_limit(n, 0);
    n->info.resizable = !why_not;
    n->info.resizable_reason =
        why_not ? why_not : "invocations know their global id alone, and stores have limits";
}
