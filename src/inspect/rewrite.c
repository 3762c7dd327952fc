// SPDX-License-Identifier: Apache-2.0
/*
 * rewrite.c - the same kernel with x and y exchanged, with another workgroup size, with vectors
 * loaded instead of four words (quads.c).
 *
 * in     a kernel whose results do not depend on the workgroup size
 * out    Inspect.optimized: text, size, what was changed or why nothing was
 * knows  the text of the entry point's attributes and parameters
 *
 * Exchanging the axes keeps the body as it is: the parameter gets another name, and the
 * body starts with `let id = other.yxz;`.
 */
#include "inspect/rewrite_priv.h"

#include "check/module.h"

#define GOOD_LEAST 64u                  /* invocations of a workgroup              */
#define GOOD_MOST  256u
#define GOOD_ROW   16u

void rewrite_edit(Rewrite *r, uint32_t start, uint32_t end, const char *text)
{
    Edit e = {start, end, text};
    VEC_PUSH(&r->n->arena, &r->edits, e);
}

static void note(Rewrite *r, const char *text)
{
    VEC_PUSH(&r->n->arena, &r->changes, text);
}

/* ---- is it worth it? ---- */

static double pattern_cost(const Step *step, uint32_t bytes)
{
    if (step->kind == STEP_NONE)
        return 0.1;
    if (step->kind == STEP_VARYING)
        return 8;
    bool known = symbol_is_number(&step->by);
    double by = known ? symbol_value(&step->by, NULL, 0, 1) : 64;
    by = (by < 0 ? -by : by) / bytes;
    return by > 8 ? 8 : by < 1 ? 1 : by;
}

static double axis_cost(Inspect *n, uint32_t axis)
{
    double all = 0;
    for (uint32_t i = 0; i < n->accesses.len; i++) {
        const weft_kernel_access *a = &n->accesses.data[i];
        if (a->space != WEFT_KERNEL_STORAGE)
            continue;
        Step step = step_of_place(n, n->access_insts.data[i]->args[0], axis);
        all += pattern_cost(&step, a->bytes) * symbol_value(&n->times.data[i], NULL, 0, 1000);
    }
    return all;
}

/* ---- the axes ---- */

/* The only parameter, a global id; NULL: it is another. */
static const Decl *id_parameter(const Inspect *n)
{
    const Decl *p = n->entry->fn.nparams == 1 ? n->entry->fn.params[0] : NULL;
    return p && p->var.io && p->var.io->builtin == IO_global_invocation_id ? p : NULL;
}

static bool occurs(Str source, const char *word)
{
    size_t len = strlen(word);
    for (uint32_t i = 0; i + len <= source.len; i++)
        if (memcmp(source.data + i, word, len) == 0)
            return true;
    return false;
}

const char *rewrite_name(Inspect *n, Str name, const char *suffix, uint32_t from)
{
    const char *wish = from ? arena_printf(&n->arena, "%.*s_%s%u", STR_ARG(name), suffix, from)
                            : arena_printf(&n->arena, "%.*s_%s", STR_ARG(name), suffix);
    for (uint32_t i = from + 2; occurs(n->module->source, wish); i++)
        wish = arena_printf(&n->arena, "%.*s_%s%u", STR_ARG(name), suffix, i);
    return wish;
}

bool rewrite_swap_pays(Inspect *n)
{
    return axis_cost(n, 1) * 1.5 <= axis_cost(n, 0);
}

static void swap_axes(Rewrite *r)
{
    Inspect    *n = r->n;
    const Decl *id = id_parameter(n);
    if (n->ir->workgroup_size[1] == 1 || !rewrite_swap_pays(n))
        return;
    if (!id) {
        note(r, "x and y were not exchanged: the global id is not the only parameter");
        return;
    }
    Str         name = ident_text(id->ident);
    const char *other = rewrite_name(n, name, "in", 0);
    uint32_t    body = n->entry->fn.body->span.start + 1;
    rewrite_edit(r, id->ident.span.start, id->ident.span.end, other);
    rewrite_edit(r, body, body,
                 arena_printf(&n->arena, "\n  let %.*s = %s.yxz;", STR_ARG(name), other));
    r->swapped = true;
    r->size[0] = n->ir->workgroup_size[1];
    r->size[1] = n->ir->workgroup_size[0];
    note(r, "x and y were exchanged: accesses are contiguous along y");
}

/* ---- the size ---- */

static bool is_good(const uint32_t size[3])
{
    uint64_t all = (uint64_t)size[0] * size[1] * size[2];
    return all >= GOOD_LEAST && all <= GOOD_MOST && size[0] % GOOD_ROW == 0;
}

static void resize(Rewrite *r)
{
    uint32_t rows = r->size[1] > 1 ? 8 : 1;
    if (is_good(r->size) || r->size[2] > 1 || r->size[0] == 1)
        return;                         /* with one invocation, an axis may have no limit */
    note(r, arena_printf(&r->n->arena, "workgroups have %u x %u invocations instead of %u x %u",
                         rows == 1 ? 64 : 32, rows, r->size[0], r->size[1]));
    r->size[0] = rows == 1 ? 64 : 32;
    r->size[1] = rows;
}

static void write_size(Rewrite *r)
{
    const Attrs *attrs = &r->n->entry->attrs;
    for (uint32_t i = 0; i < attrs->len; i++)
        if (attrs->data[i].kind == ATTR_WORKGROUP_SIZE)
            rewrite_edit(r, attrs->data[i].span.start, attrs->data[i].span.end,
                 arena_printf(&r->n->arena, "@workgroup_size(%u, %u, %u)", r->size[0],
                              r->size[1], r->size[2]));
}

/* ---- the text ---- */

static void sort_edits(Rewrite *r)
{
    for (uint32_t i = 1; i < r->edits.len; i++)
        for (uint32_t k = i; k > 0 && r->edits.data[k].start < r->edits.data[k - 1].start; k--) {
            Edit e = r->edits.data[k];
            r->edits.data[k] = r->edits.data[k - 1];
            r->edits.data[k - 1] = e;
        }
}

static const char *edited(Rewrite *r)
{
    Str  source = r->n->module->source;
    Text out = {.arena = &r->n->arena};
    uint32_t at = 0;
    sort_edits(r);
    for (uint32_t i = 0; i < r->edits.len; i++) {
        text_add(&out, (Str){source.data + at, r->edits.data[i].start - at});
        text_printf(&out, "%s", r->edits.data[i].text);
        at = r->edits.data[i].end;
    }
    text_add(&out, (Str){source.data + at, source.len - at});
    return out.data;
}

const char *rewrite_size(Inspect *n, const uint32_t size[3])
{
    Rewrite r = {.n = n, .size = {size[0], size[1], size[2]}};
    for (uint32_t axis = 0; axis < 3; axis++)
        if (size[axis] != n->ir->workgroup_size[axis] && !resize_may_change(n, axis))
            return NULL;
    write_size(&r);
    return edited(&r);
}

void rewrite_run(Inspect *n)
{
    Rewrite r = {.n = n};
    const uint32_t *size = n->ir->workgroup_size;
    for (uint32_t i = 0; i < 3; i++)
        r.size[i] = size[i];
    if (n->info.resizable) {
        swap_axes(&r);
        resize(&r);
    }
    bool resized = r.size[0] != size[0] || r.size[1] != size[1] || r.swapped;
    if (resized)
        write_size(&r);
    bool changed = quads_run(&r) || resized;
    if (!n->info.resizable)
        note(&r, arena_printf(&n->arena, "%s: %s", changed ? "axes and workgroup size were kept"
                                                          : "nothing was changed",
                              n->info.resizable_reason));
    if (!changed && r.changes.len == 0)
        note(&r, "nothing was changed: axes and workgroup size suit the kernel");
    const char *original = arena_printf(&n->arena, "%.*s", STR_ARG(n->module->source));
    n->optimized = (weft_kernel_optimized){
        .original = original, .wgsl = changed ? edited(&r) : original,
        .workgroup_size = {r.size[0], r.size[1], r.size[2]}, .axes_swapped = r.swapped,
        .changes = r.changes.data, .change_count = r.changes.len,
    };
}
