// SPDX-License-Identifier: Apache-2.0
/*
 * library.c - kernels that are written by hand: their bindings, accessors and epilogue.
 *
 * in     a built Group whose core is a library operator
 * out    its steps
 * knows  the embedded kernels
 * not    what the operators compute
 */
#include "tensor/plan_priv.h"

#include <string.h>

extern const EmbeddedKernel tensor_kernels[];

typedef struct LibraryGroup {
    Planner *p;
    Group   *g;
} LibraryGroup;

uint32_t library_temp(LibraryPlan *lp, uint64_t words)
{
    LibraryGroup *lg = lp->group;
    VEC_PUSH(lg->p->arena, &lg->p->temps, words * 4);
    return lg->p->temps.len - 1;
}

const char *library_u32(LibraryPlan *lp, uint64_t value)
{
    return arena_printf(lp->arena, "%uu", (uint32_t)value);
}

void library_flat(uint32_t groups[3], uint64_t count)
{
    uint64_t all = (count + 255) / 256;
    groups[0] = (uint32_t)MIN_OF(all, UINT64_C(65535));
    groups[1] = (uint32_t)((all + 65534) / 65535);
    groups[2] = 1;
}

const char *library_type(LibraryPlan *lp)
{
    return compute_text(dtype_compute((weft_dtype)lp->node->dtype));
}

const char *library_axes_start(LibraryPlan *lp, const LibraryInput *in, uint32_t from, uint32_t to,
                               const char *position)
{
    Text     text = {.arena = lp->arena};
    uint64_t inner = 1, all = 1;
    for (uint32_t d = from; d < to; d++)
        all *= in->shape[d];
    for (uint32_t d = to; d-- > from;) {
        uint64_t n = in->shape[d];
        int64_t  stride = in->strides[d];
        /* Axes that continue the one after them count as one. */
        while (d > from && in->strides[d - 1] == in->strides[d] * (int64_t)in->shape[d])
            n *= in->shape[--d];
        if (n > 1 && stride) {
            text_printf(&text, "%s%s", text.len ? " + " : "", position);
            if (inner > 1)
                text_printf(&text, " / %lluu", (unsigned long long)inner);
            if (inner * n < all)
                text_printf(&text, " %% %lluu", (unsigned long long)n);
            text_printf(&text, " * %uu", (uint32_t)stride);
        }
        inner *= n;
    }
    return text.len ? text.data : "0u";
}

/* Bindings of the core come first in the group; those past them belong to the epilogue, and so
 * do those that an epilogue's value reads as well. */
static bool epilogue_reads(const Group *g, uint32_t bind)
{
    for (uint32_t i = 0; i < g->value_count; i++) {
        const Value *v = &g->values[i];
        if (v->kind == VALUE_LOAD && v->bind == bind)
            return true;
        for (uint32_t k = 0; v->kind == VALUE_INDEXED && k < v->of->input_count; k++)
            if (v->binds[k] == bind)
                return true;
    }
    return false;
}

/* fn finish(c0 : u32, ..., v : T) -> OUT */
static const char *finish_text(LibraryGroup *lg)
{
    Group  *g = lg->g;
    Writer  w;
    const weft_tensor *core = g->graph->nodes[g->core], *root = g->graph->nodes[g->root];
    Compute c = dtype_compute((weft_dtype)core->dtype);
    weft_dtype raw = c == COMPUTE_F64 ? WEFT_F64 : c == COMPUTE_I32 ? WEFT_I32
                     : c == COMPUTE_U32 ? WEFT_U32 : WEFT_F32;
    Text args = {.arena = g->arena};
    writer_init(&w, g->arena);
    Fuse e = {.p = lg->p, .g = g, .arena = g->arena, .w = &w};
    for (uint32_t d = 0; d < g->rank; d++) {
        e.axis[d] = arena_printf(g->arena, "c%u", d);
        text_printf(&args, "c%u : u32, ", d);
    }
    writer_open(&w, "fn finish(%sv : %s) -> %s", args.len ? args.data : "", compute_text(c),
                store_type(g->graph->s, (weft_dtype)root->dtype));
    for (uint32_t i = 0; i < g->value_count; i++)
        if (g->values[i].kind == VALUE_CORE)
            g->values[i].name = fuse_convert(&e, "v", raw, (weft_dtype)core->dtype);
    fuse_values(&e, false);
    const Value *v = &g->values[g->out_value[0]];
    writer_line(&w, "return %s;", fuse_stored(&e, v->name, v->dtype));
    writer_close(&w);
    return writer_text(&w);
}

static void write_accessor(Writer *w, LibraryGroup *lg, const char *name, weft_dtype dtype)
{
    Fuse    e = {.p = lg->p, .g = lg->g, .arena = lg->g->arena, .w = w};
    Compute c = dtype_compute(dtype);
    writer_open(w, "fn %s_at(i : u32) -> %s", name, compute_text(c));
    writer_line(w, "return %s;", fuse_load(&e, dtype, name, "i"));
    writer_close(w);
}

static const char *binding_type(LibraryGroup *lg, const LibraryBinding *b)
{
    const Group *g = lg->g;
    const weft_tensor *core = g->graph->nodes[g->core], *root = g->graph->nodes[g->root];
    switch (b->use) {
    case USE_INPUT:
        return store_type(g->graph->s, (weft_dtype)core->inputs[b->index]->dtype);
    case USE_OUTPUT:
        return store_type(g->graph->s, (weft_dtype)root->dtype);
    default:
        return b->type ? b->type : "f32";
    }
}

static Slot binding_slot(LibraryGroup *lg, const LibraryBinding *b)
{
    const Group *g = lg->g;
    const weft_tensor *x;
    switch (b->use) {
    case USE_INPUT:
        x = g->graph->nodes[g->core]->inputs[b->index];
        return tensor_is_pending(x) ? (Slot){.kind = SLOT_NODE, .index = tensor_root(x)->mark_index}
                                    : (Slot){.kind = SLOT_LEAF, .index = x->mark_index};
    case USE_OUTPUT:
        return (Slot){.kind = SLOT_NODE, .index = g->root};
    default:
        return (Slot){.kind = SLOT_TEMP, .index = b->index};
    }
}

typedef struct Declared {
    Slot     slots[LIBRARY_MAX_BINDINGS + MAX_BINDS + 1];
    uint32_t count;
} Declared;

static void declare_bindings(Writer *m, Declared *d, LibraryGroup *lg, const LibraryKernel *k)
{
    Group *g = lg->g;
    for (const LibraryBinding *b = k->bindings;
         b < k->bindings + LIBRARY_MAX_BINDINGS && b->name; b++) {
        bool writes = b->use == USE_OUTPUT || b->use == USE_TEMP_WRITE;
        writer_binding(m, 0, d->count, writes ? WRITER_READ_WRITE : WRITER_READ, b->name,
                       arena_printf(g->arena, "array<%s>", binding_type(lg, b)));
        d->slots[d->count++] = binding_slot(lg, b);
    }
    for (uint32_t i = 0; k->finish && i < g->bind_count; i++) {
        if (!epilogue_reads(g, i))
            continue;
        writer_binding(m, 0, d->count, WRITER_READ, g->binds[i].name,
                       arena_printf(g->arena, "array<%s>",
                                    store_type(g->graph->s, g->binds[i].dtype)));
        d->slots[d->count++] = g->binds[i].slot;
    }
}

/* What ${DECLARE} stands for. `text` is the kernel around it: it may call the functions of
 * elementwise_helpers.c. */
static const char *declare(Declared *d, LibraryGroup *lg, const LibraryKernel *k,
                           const char *text)
{
    Group      *g = lg->g;
    Writer      m, fns;
    const char *finish = k->finish ? finish_text(lg) : "";
    const weft_tensor *core = g->graph->nodes[g->core];
    writer_init(&fns, g->arena);
    for (const LibraryBinding *b = k->bindings;
         b < k->bindings + LIBRARY_MAX_BINDINGS && b->name; b++)
        if (b->use == USE_INPUT)
            write_accessor(&fns, lg, b->name, (weft_dtype)core->inputs[b->index]->dtype);
        else if (b->use == USE_TEMP_READ)
            writer_line(&fns, "fn %s_at(i : u32) -> %s {\n  return %s[i];\n}", b->name,
                        binding_type(lg, b), b->name);
    const char *accessors = writer_text(&fns);
    writer_init(&m, g->arena);
    if (g->uses_f16)
        writer_enable(&m, "f16");
    if (g->uses_f64)
        writer_enable(&m, "weft_f64");
    declare_bindings(&m, d, lg, k);
    if (k->finish && g->scalar_count) {
        writer_open(&m, "struct Scalars");
        for (uint32_t i = 0; i < g->scalar_count; i++)
            writer_line(&m, "s%u : %s,", i, fuse_scalar_type(g, i));
        writer_close(&m);
        writer_binding(&m, 0, d->count, WRITER_UNIFORM, "scalars", "Scalars");
        d->slots[d->count++] = (Slot){.kind = SLOT_SCALARS};
    }
    if (g->specials)
        writer_specials(&m);
    helpers_write(&m, g->arena, arena_printf(g->arena, "%s%s%s", accessors, finish, text));
    writer_line(&m, "%s%s", accessors, finish);
    return writer_text(&m);
}

bool library_kernel(LibraryPlan *lp, const LibraryKernel *k)
{
    LibraryGroup *lg = lp->group;
    Declared      d = {.count = 0};
    const char   *file = context_kernel_find(tensor_kernels, k->name);
    const char *p[LIBRARY_MAX_PARAMS + 2 * LIBRARY_MAX_NUMBERS + 5] = {"DECLARE",
                                                                       "${DECLARE}", "T"};
    uint32_t      n = 4;
    p[3] = library_type(lp);
    for (uint32_t i = 0; i < LIBRARY_MAX_NUMBERS && k->numbers[i].name; i++) {
        p[n++] = k->numbers[i].name;
        p[n++] = library_u32(lp, k->numbers[i].value);
    }
    memcpy(p + n, k->params, sizeof k->params);
    const char *text = context_kernel_fill(lp->arena, file, p);
    if (k->repeat)
        text = context_kernel_repeat(lp->arena, text, 'r', k->repeat);
    const char *const declared[] = {"DECLARE", declare(&d, lg, k, text), NULL};
    text = context_kernel_fill(lp->arena, text, declared);
    for (uint32_t i = 0; i < 3; i++)
        if (k->groups[i] > 65535)
            return context_fail(lp->ctx, WEFT_ERROR_UNSUPPORTED, "%s: the result %s is too large "
                                "for one dispatch", lp->node->op->name, tensor_text(lp->node));
    return planner_step(lg->p, lg->g, k->finish ? group_title(lg->g) : k->name, text, d.slots,
                        d.count, k->groups);
}

bool fuse_library(Planner *p, Group *g)
{
    const weft_tensor *core = g->graph->nodes[g->core];
    LibraryInput *in = ARENA_ARRAY(p->arena, LibraryInput, core->input_count + 1);
    for (uint32_t k = 0; k < core->input_count; k++) {
        const weft_tensor *x = core->inputs[k];
        uint64_t start = 0, end, unit = weft_dtype_bytes((weft_dtype)x->dtype, 1);
        if (!tensor_is_pending(x))
            leaf_range(&start, &end, x);
        in[k] = (LibraryInput){.dtype = (weft_dtype)x->dtype, .rank = x->rank,
                               .offset = x->offset - (int64_t)(unit ? start / unit : 0)};
        memcpy(in[k].shape, x->shape, sizeof x->shape);
        memcpy(in[k].strides, x->strides, sizeof x->strides);
    }
    LibraryGroup lg = {p, g};
    LibraryPlan  lp = {.arena = p->arena, .ctx = p->graph->s->ctx, .node = core, .in = in,
                       .group = &lg};
    return core->op->plan(&lp);
}
