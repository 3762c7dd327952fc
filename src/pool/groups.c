// SPDX-License-Identifier: Apache-2.0
/*
 * groups.c - how many workgroups to run.
 *
 * in     counts of workgroups or invocations, or neither
 * out    weft_execution.groups
 * knows  the limits that a kernel compares its id with; shapes of outputs
 * not    limits of devices (choose.c)
 */
#include <math.h>
#include <string.h>

#include "pool/layout_priv.h"
#include "pool/pool_priv.h"

static bool set(weft_execution *e, uint32_t axis, double invocations)
{
    double groups = ceil(invocations / e->program->special.workgroup_size[axis]);
    if (groups > UINT32_MAX)
        return exe_fail(e, WEFT_ERROR_INVALID, NULL, "%.0f workgroups in %c are too many",
                         groups, "xyz"[axis]);
    e->groups[axis] = groups < 1 ? 1 : (uint32_t)groups;
    return true;
}

static bool any(const uint32_t n[3])
{
    return n[0] || n[1] || n[2];
}

/* Elements of the first output, or of the first variable that is written. */
static const Arg *first_written(const weft_execution *e, const weft_execute_desc *desc,
                                double *elements)
{
    const weft_entry_point *p = e->program->point;
    const Arg *found = NULL;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        uint64_t         offset;
        const weft_type *t = p->bindings[i].layout;
        const weft_type *array = t->kind == WEFT_TYPE_ARRAY ? t : layout_tail(t, &offset);
        bool first = desc->output_count
                   ? e->args[i].output && desc->outputs[0].name
                     && strcmp(desc->outputs[0].name, p->bindings[i].name) == 0
                   : p->bindings[i].kind == WEFT_BINDING_STORAGE && !found;
        if (!first)
            continue;
        found = &e->args[i];
        *elements = array && array->stride ? (double)(found->size / array->stride) : 1;
    }
    return found;
}

/* An invocation for each element: along x, or along x and y for shapes with two axes. */
static bool by_output(weft_execution *e, const weft_execute_desc *desc, uint32_t axis)
{
    const weft_specialized *s = &e->program->special;
    double      elements = 1;
    const Arg  *a = first_written(e, desc, &elements);
    bool        flat = s->workgroup_size[1] == 1 && s->workgroup_size[2] == 1
                    && !e->program->info.uses_axis[1];
    if (!a)
        return set(e, axis, 1);
    if (flat)
        return set(e, axis, axis == 0 ? elements : 1);
    if (a->rows && (double)a->rows < elements && axis < 2)
        return set(e, axis, axis == 1 ? (double)a->rows : elements / (double)a->rows);
    return exe_fail(e, WEFT_ERROR_INVALID, NULL, "how many workgroups of %u x %u x %u to run "
                     "does not follow from the kernel and its data: give `groups` or "
                     "`invocations`", s->workgroup_size[0], s->workgroup_size[1],
                     s->workgroup_size[2]);
}

static bool automatic(weft_execution *e, const weft_execute_desc *desc)
{
    const Program *p = e->program;
    for (uint32_t axis = 0; axis < 3; axis++) {
        double extent = estimate_extent(e, axis);
        bool   used = !p->kernel || p->info.uses_axis[axis] || axis == 0
                   || p->special.workgroup_size[axis] > 1;
        if (extent > 0 ? !set(e, axis, extent) : used ? !by_output(e, desc, axis)
                                                      : !set(e, axis, 1))
            return false;
    }
    return true;
}

bool groups_set(weft_execution *e, const weft_execute_desc *desc)
{
    if (any(desc->groups)) {
        for (uint32_t i = 0; i < 3; i++)
            e->groups[i] = desc->groups[i] ? desc->groups[i] : 1;
        return true;
    }
    if (any(desc->invocations)) {
        for (uint32_t i = 0; i < 3; i++)
            if (!set(e, i, desc->invocations[i] ? desc->invocations[i] : 1))
                return false;
        return true;
    }
    return automatic(e, desc);
}
