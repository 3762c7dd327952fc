// SPDX-License-Identifier: Apache-2.0
/*
 * explain.c - what evaluating a tensor would run, or ran.
 *
 * in     a tensor
 * out    a text: kernels with their WGSL, and why fusion stopped
 * not    buffers: nothing is evaluated
 */
#include <stdlib.h>
#include <string.h>

#include "tensor/plan_priv.h"

static void explain_plan(Text *t, const Plan *plan)
{
    text_printf(t, "%u kernel%s\n", plan->step_count, plan->step_count == 1 ? "" : "s");
    text_printf(t, "%s", plan->notes ? plan->notes : "");
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const Step *s = &plan->steps[i];
        text_printf(t, "\nkernel %u: %s, %u x %u x %u workgroups\n\n%s", i + 1, s->label,
                    s->groups[0], s->groups[1], s->groups[2], s->text);
    }
}

char *weft_tensor_explain(weft_tensor *t)
{
    if (!TENSOR_ARGS("explain", t))
        return NULL;
    weft_tensor *root = tensor_root(t);
    Graph        g = {.s = t->state};
    Plan        *plan = root->plan;
    Arena        arena;
    if (!root->storage && graph_collect(&g, t->state, &root, 1))
        plan = plan_for(&g);
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    if (plan)
        explain_plan(&text, plan);
    else
        text_printf(&text, "no kernels: the elements were given\n");
    char *out = strdup(text.data);
    if (!out)
        context_fail(t->ctx, WEFT_ERROR_MEMORY, "no memory for an explanation");
    arena_fini(&arena);
    graph_fini(&g);
    return context_ok(t->ctx) ? out : (free(out), NULL);
}

void weft_string_release(char *text)
{
    free(text);
}
