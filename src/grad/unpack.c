// SPDX-License-Identifier: Apache-2.0
/*
 * unpack.c - from positions and entries to instances, outputs, inputs and parameters.
 *
 * in     buffers as kernels wrote them
 * out    the caller's arrays; plans of the sums over instances
 * knows  batch_priv.h
 * not    devices
 */
#include "grad/batch_priv.h"

#include <stdlib.h>
#include <string.h>

/* The element of an entry of one owner. */
static uint64_t element(const weft_grad_batch *b, const Part *part, const Program *p,
                        uint32_t owner, uint32_t entry)
{
    uint32_t instance = p->first[PART_SUMS], all = p->entries.len;
    if (b->layout == WEFT_GRAD_AOS)
        return (uint64_t)owner * all + entry;
    if (b->layout == WEFT_GRAD_SOA)
        return (uint64_t)entry * part->layout.slots + owner;
    return entry < instance ? layout_element(owner, instance, entry)
                            : layout_element(owner, all - instance, entry - instance);
}

/* Where the results of one instance are: those of its owner, at steps of entries. */
typedef struct Source {
    const double *f64;              /* one of both                                          */
    const float  *f32;
    uint64_t      step;
} Source;

static Source source_of(const weft_grad_batch *b, const Part *part, const Program *p,
                        uint32_t owner, const void *results)
{
    uint64_t at = element(b, part, p, owner, 0);
    Source s = {.step = b->layout == WEFT_GRAD_AOS ? 1
                        : b->layout == WEFT_GRAD_SOA ? part->layout.slots : EMIT_LANES};
    if (part->f64)
        s.f64 = results ? (const double *)results + at : NULL;
    else
        s.f32 = results ? (const float *)results + at : NULL;
    return s;
}

static double get(const Source *s, uint32_t entry)
{
    return s->f64 ? s->f64[entry * s->step] : (double)s->f32[entry * s->step];
}

/* One function for each type: with one for both, each number would ask for its type. */
#define UNPACK_ROW(NAME, TYPE)                                                               \
    static void NAME(double *row, const uint32_t *column, const weft_grad_entry *pattern,    \
                     uint32_t columns, const TYPE *from, uint64_t step)                      \
    {                                                                                        \
        for (uint32_t c = 0; c < columns; c++)                                               \
            row[column[c]] = pattern[c].stored < 0                                           \
                                 ? pattern[c].constant                                       \
                                 : (double)from[(uint32_t)pattern[c].stored * step];         \
    }
UNPACK_ROW(unpack_row_f64, double)
UNPACK_ROW(unpack_row_f32, float)

static void unpack_jacobian(const weft_grad_batch *b, const Program *p, double *jacobian,
                            const Source *from)
{
    uint32_t columns = p->columns;
    uint64_t first = p->first[PART_JACOBIAN] * from->step;
    if (columns < b->input_count)
        memset(jacobian, 0, (size_t)b->outputs * b->input_count * sizeof *jacobian);
    for (uint32_t o = 0; o < b->outputs; o++, jacobian += b->input_count) {
        const weft_grad_entry *pattern = p->pattern + (size_t)o * columns;
        if (from->f32)
            unpack_row_f32(jacobian, b->column, pattern, columns, from->f32 + first, from->step);
        else                        /* NULL if all of the Jacobian is constant              */
            unpack_row_f64(jacobian, b->column, pattern, columns,
                           from->f64 ? from->f64 + first : NULL, from->step);
    }
}

static void unpack_instance(const weft_grad_batch *b, const Part *part, const Program *p,
                            const weft_grad_evaluation *e, const void *results, uint32_t i,
                            uint32_t position)
{
    size_t instance = (size_t)part->begin + i;
    Source from = source_of(b, part, p, position, results);
    for (uint32_t o = 0; o < b->outputs; o++) {
        if (e->values)
            e->values[instance * b->outputs + o] = get(&from, p->first[PART_VALUES] + o);
        if (e->directional)
            e->directional[instance * b->outputs + o] = get(&from, p->first[PART_TANGENT] + o);
    }
    if (e->jacobian)
        unpack_jacobian(b, p, e->jacobian + instance * b->outputs * b->input_count, &from);
}

/* False without memory. */
static bool find_placed(Part *part)
{
    const Layout *l = &part->layout;
    if (part->placed)
        return true;
    part->placed = malloc(((size_t)l->slots + 1) * sizeof *part->placed);
    for (uint32_t at = 0; part->placed && at < l->slots; at++)
        part->placed[at] = NODE_NONE;
    for (uint32_t i = 0; part->placed && i < part->count; i++)
        part->placed[l->position[i]] = i;
    return part->placed != NULL;
}

/* In the order of positions, where there is memory for that: the results of sixteen instances
 * are in the same lines of memory. */
void part_unpack(const weft_grad_batch *b, Part *part, const PartKernel *k,
                 const weft_grad_evaluation *e, const void *results)
{
    const Program *p = &k->kernel->program;
    if (!part->layout.position || !find_placed(part)) {
        for (uint32_t i = 0; i < part->count; i++)
            unpack_instance(b, part, p, e, results, i, layout_position(&part->layout, i));
        return;
    }
    for (uint32_t at = 0; at < part->layout.slots; at++)
        if (part->placed[at] != NODE_NONE)
            unpack_instance(b, part, p, e, results, part->placed[at], at);
}

/* ---- sums ---- */

static Contribution *contributions(const Part *part, uint64_t each, uint64_t *most)
{
    *most = each * part->layout.owners;
    Contribution *c = *most < UINT32_MAX ? malloc((*most + 1) * sizeof *c) : NULL;
    if (!c)
        context_fail(part->ctx, WEFT_ERROR_MEMORY, "no memory for sums of %llu contributions",
                     (unsigned long long)*most);
    return c;
}

static bool finish(Sums *s, bool *ready, Part *part, Contribution *c, size_t count)
{
    *ready = sums_make(s, c, count);
    free(c);
    return *ready || context_fail(part->ctx, WEFT_ERROR_MEMORY, "no memory for sums");
}

static uint32_t parameter_of(const weft_grad_batch *b, const Part *part, uint32_t owner,
                             uint32_t column)
{
    return batch_parameter(b, part->begin + part->layout.owner_instance[owner], column);
}

bool part_plan_gradient(weft_grad_batch *b, Part *part, PartKernel *k)
{
    const Program *p = &k->kernel->program;
    uint64_t most, count = 0;
    if (k->gradient_ready)
        return true;
    Contribution *c = contributions(part, p->columns, &most);
    if (!c)
        return false;
    for (uint32_t o = 0; o < part->layout.owners; o++)
        for (uint32_t i = 0; part->layout.owner_instance[o] != NODE_NONE && i < p->columns; i++)
            if (p->gradient[i] >= 0)
                c[count++] = (Contribution){parameter_of(b, part, o, i), (uint32_t)
                    element(b, part, p, o, p->first[PART_GRADIENT] + (uint32_t)p->gradient[i])};
    return finish(&k->gradient, &k->gradient_ready, part, c, count);
}

/* Where two inputs of an instance are one parameter, (i, j) and (j, i) both count. */
bool part_plan_normal(weft_grad_batch *b, Part *part, PartKernel *k)
{
    const Program *p = &k->kernel->program;
    uint64_t most, count = 0;
    if (k->normal_ready)
        return true;
    Contribution *c = contributions(part, 2ull * p->normal.len, &most);
    if (!c)
        return false;
    for (uint32_t o = 0; o < part->layout.owners; o++)
        for (uint32_t i = 0; i < p->normal.len; i++) {
            if (part->layout.owner_instance[o] == NODE_NONE)
                break;
            NormalPair pair = p->normal.data[i];
            uint32_t row = parameter_of(b, part, o, pair.row);
            uint32_t column = parameter_of(b, part, o, pair.column);
            Contribution one = {(uint64_t)MIN_OF(row, column) << 32 | MAX_OF(row, column),
                                (uint32_t)element(b, part, p, o, p->first[PART_NORMAL] + i)};
            c[count++] = one;
            if (row == column && pair.row != pair.column)
                c[count++] = one;
        }
    return finish(&k->normal, &k->normal_ready, part, c, count);
}

bool part_plan_cost(weft_grad_batch *b, Part *part, PartKernel *k)
{
    const Program *p = &k->kernel->program;
    uint64_t most, count = 0;
    if (k->cost_ready)
        return true;
    Contribution *c = contributions(part, 1, &most);
    if (!c)
        return false;
    for (uint32_t o = 0; o < part->layout.owners; o++)
        if (part->layout.owner_instance[o] != NODE_NONE)
            c[count++] = (Contribution){0, (uint32_t)element(b, part, p, o, p->first[PART_COST])};
    return finish(&k->cost, &k->cost_ready, part, c, count);
}

void part_add_gradient(const weft_grad_batch *b, const PartKernel *k, double *gradient,
                       const double *sums)
{
    (void)b;
    for (uint32_t t = 0; t < k->gradient.targets; t++)
        gradient[k->gradient.keys[t]] += sums[t];
}

void part_add_normal(const weft_grad_batch *b, const PartKernel *k, double *normal,
                     const double *sums)
{
    for (uint32_t t = 0; t < k->normal.targets; t++)
        normal[batch_normal_entry(b, (uint32_t)(k->normal.keys[t] >> 32),
                                  (uint32_t)k->normal.keys[t])] += sums[t];
}
