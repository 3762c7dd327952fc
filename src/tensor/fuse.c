// SPDX-License-Identifier: Apache-2.0
/*
 * fuse.c - elementwise kernels: how the domain is distributed over invocations, and stores.
 *
 * in     a built Group without a core
 * out    one step
 * knows  what is fast on the CPU device: lanes along the contiguous axis of the result, one row
 *        a workgroup row, so that no lane divides; flat positions for short rows
 *
 *   flat    one invocation an element; coordinates by constant division
 *   rows    x along the last axis, y over the others
 *   packed  one invocation a word of 2 or 4 elements: sub-word stores would race
 */
#include "tensor/plan_priv.h"

#include <string.h>

#define FLAT_SIZE  256u
#define GROUP_CAP  65535u
#define FLAT_ROW   (GROUP_CAP * FLAT_SIZE)  /* invocations of one full row of workgroups    */
#define SHORT_ROW  16u
#define ROW_CAP    32768u
#define TILE       16u

static uint64_t domain_count(const Group *g)
{
    uint64_t n = 1;
    for (uint32_t d = 0; d < g->rank; d++)
        n *= g->size[d];
    return n;
}

/* Coordinates of axes first..last-1 from a position over them. */
static void split_axes(Fuse *e, const char *position, uint32_t axes)
{
    const char *rest = position;
    for (uint32_t d = axes; d-- > 0;) {
        if (d == 0) {
            e->axis[0] = rest;
            break;
        }
        e->axis[d] = arena_printf(e->arena, "c%u", d);
        writer_line(e->w, "let c%u = %s %% %lluu;", d, rest, (unsigned long long)e->g->size[d]);
        if (d > 1 || e->g->size[0] > 1) {
            const char *name = arena_printf(e->arena, "r%u", d);
            writer_line(e->w, "let %s = %s / %lluu;", name, rest,
                        (unsigned long long)e->g->size[d]);
            rest = name;
        }
    }
}

static void fuse_stores(Fuse *e, const char *position)
{
    Group *g = e->g;
    for (uint32_t i = 0; i < g->output_count; i++) {
        const Value *v = &g->values[g->out_value[i]];
        const char *stored = fuse_stored(e, v->name, v->dtype);
        if (g->out_shift[i])
            writer_line(e->w, "y%u[%s + %lldu] = %s;", i, position, (long long)g->out_shift[i],
                        stored);
        else
            writer_line(e->w, "y%u[%s] = %s;", i, position, stored);
    }
}

static bool all_flat(const Group *g)
{
    int64_t contiguous[MAX_RANK];
    for (uint32_t i = 0; i < g->output_count; i++)
        if (g->out_shift[i])
            return false;
    shape_contiguous(contiguous, g->rank, g->size);
    for (uint32_t i = 0; i < g->value_count; i++) {
        const Value *v = &g->values[i];
        bool reads = v->kind == VALUE_LOAD || v->kind == VALUE_INDEXED;
        if (v->kind == VALUE_INDEXED && v->of->rank > 1)
            return false;
        for (uint32_t d = 0; reads && d < g->rank; d++)
            if (v->access.stride[d] != contiguous[d])
                return false;
    }
    return true;
}

static void fuse_flat(Fuse *e, uint32_t groups[3])
{
    uint64_t n = domain_count(e->g);
    writer_begin_main(e->w, FLAT_SIZE, 1, 1, WRITER_ID);
    writer_line(e->w, "let i = id.y * %uu + id.x;", FLAT_ROW);
    e->flat = "i";
    /* Without strides and sizes in its text a kernel serves every shape. */
    if (all_flat(e->g))
        writer_open(e->w, "if i < arrayLength(&y0)");
    else
        writer_open(e->w, "if i < %lluu", (unsigned long long)n);
    if (all_flat(e->g))
        for (uint32_t d = 0; d < e->g->rank; d++)
            e->axis[d] = "i";
    else
        split_axes(e, "i", e->g->rank);
    fuse_values(e, false);
    fuse_stores(e, "i");
    writer_close(e->w);
    writer_end_main(e->w);
    uint64_t all = (n + FLAT_SIZE - 1) / FLAT_SIZE;
    groups[0] = (uint32_t)MIN_OF(all, (uint64_t)GROUP_CAP);
    groups[1] = (uint32_t)((all + GROUP_CAP - 1) / GROUP_CAP);
}

uint32_t fuse_row_width(uint64_t last)
{
    uint32_t best = 256;
    for (uint32_t w = 128; w >= SHORT_ROW; w /= 2)
        if ((last + w - 1) / w * w < (last + best - 1) / best * best)
            best = w;
    return best;
}

/* Whether memory is read along the second last axis: square workgroups then use whole cache
 * lines of it. */
static bool is_transposed(const Group *g)
{
    for (uint32_t i = 0; i < g->value_count; i++) {
        const Access *a = &g->values[i].access;
        int64_t across = a->stride[g->rank - 1], along = a->stride[g->rank - 2];
        if (g->values[i].kind == VALUE_LOAD && (along == 1 || along == -1)
            && (across > TILE || across < -(int64_t)TILE))
            return true;
    }
    return false;
}

static void fuse_rows(Fuse *e, uint32_t groups[3])
{
    Group   *g = e->g;
    uint64_t last = g->size[g->rank - 1], rows = domain_count(g) / last;
    uint32_t wide = is_transposed(g) ? TILE : fuse_row_width(last), high = 256 / wide;
    writer_begin_main(e->w, wide, high, 1, WRITER_ID);
    const char *row = "id.y";
    if (rows > (uint64_t)ROW_CAP * high) {
        writer_line(e->w, "let row = id.z * %uu + id.y;", ROW_CAP * high);
        row = "row";
    }
    writer_open(e->w, "if id.x < %lluu && %s < %lluu", (unsigned long long)last, row,
                (unsigned long long)rows);
    split_axes(e, row, g->rank - 1);
    e->axis[g->rank - 1] = "id.x";
    const char *at = arena_printf(e->arena, "%s * %lluu + id.x", row, (unsigned long long)last);
    writer_line(e->w, "let i = %s;", at);
    e->flat = "i";
    fuse_values(e, false);
    fuse_stores(e, "i");
    writer_close(e->w);
    writer_end_main(e->w);
    uint64_t tall = (rows + high - 1) / high;
    groups[0] = (uint32_t)((last + wide - 1) / wide);
    groups[1] = (uint32_t)MIN_OF(tall, (uint64_t)ROW_CAP);
    groups[2] = (uint32_t)((tall + ROW_CAP - 1) / ROW_CAP);
}

static void fuse_packed(Fuse *e, uint32_t pack, uint32_t groups[3])
{
    Group   *g = e->g;
    uint64_t n = domain_count(g), words = (n + pack - 1) / pack;
    const Value *v;
    writer_begin_main(e->w, FLAT_SIZE, 1, 1, WRITER_ID);
    writer_line(e->w, "let w = id.y * %uu + id.x;", FLAT_ROW);
    writer_open(e->w, "if w < %lluu", (unsigned long long)words);
    writer_line(e->w, "var word = 0u;");
    writer_open(e->w, "for (var k = 0u; k < %uu; k++)", pack);
    writer_line(e->w, "let i = w * %uu + k;", pack);
    writer_open(e->w, "if i < %lluu", (unsigned long long)n);
    e->flat = "i";
    split_axes(e, "i", g->rank);
    fuse_values(e, false);
    v = &g->values[g->out_value[0]];
    writer_line(e->w, "word |= (%s) << (k * %uu);", fuse_stored(e, v->name, v->dtype),
                32 / pack);
    writer_close(e->w);
    writer_close(e->w);
    writer_line(e->w, "y0[w] = word;");
    writer_close(e->w);
    writer_end_main(e->w);
    uint64_t all = (words + FLAT_SIZE - 1) / FLAT_SIZE;
    groups[0] = (uint32_t)MIN_OF(all, (uint64_t)GROUP_CAP);
    groups[1] = (uint32_t)((all + GROUP_CAP - 1) / GROUP_CAP);
}

bool fuse_domain(Planner *p, Group *g, const Slot *outs)
{
    const weft_tensor *root = p->graph->nodes[g->root];
    uint32_t pack = store_pack(p->graph->s, (weft_dtype)root->dtype);
    uint32_t groups[3] = {1, 1, 1}, slot_count;
    Writer   body;
    Slot    *slots;
    const char *types[8];
    writer_init(&body, p->arena);
    Fuse e = {.p = p, .g = g, .arena = p->arena, .w = &body};
    if (pack > 1)
        fuse_packed(&e, pack, groups);
    else if (g->rank <= 1 || g->size[g->rank - 1] < SHORT_ROW)
        fuse_flat(&e, groups);
    else
        fuse_rows(&e, groups);
    for (uint32_t i = 0; i < g->output_count; i++)
        types[i] = store_type(p->graph->s, (weft_dtype)p->graph->nodes[g->outputs[i]]->dtype);
    const char *title = group_title(g);
    const char *text = fuse_module(&e, pack > 1 || !all_flat(g) ? title : "elementwise", NULL,
                                   writer_text(&body), outs, types, g->output_count, &slots,
                                   &slot_count);
    return planner_step(p, g, title, text, slots, slot_count, groups);
}

bool fuse_elementwise(Planner *p, Group *g)
{
    Slot outs[8] = {{0}};
    group_collapse(g);
    for (uint32_t i = 0; i < g->output_count; i++)
        outs[i] = (Slot){.kind = SLOT_NODE, .index = g->outputs[i]};
    return group_fits_bindings(g) ? fuse_domain(p, g, outs) : fuse_split_domain(p, g, outs);
}
