// SPDX-License-Identifier: Apache-2.0
/*
 * group.c - turns the nodes of one group into values over one domain.
 *
 * in     a Group: root, core, and which nodes are computed inside it
 * out    its domain; loads with affine accesses, operations, bindings
 * knows  strides: views of values that are computed on the way become other accesses to what
 *        these read, so nothing is copied for them
 * not    WGSL
 */
#include "tensor/plan_priv.h"

#include <string.h>

#define NONE UINT32_MAX

void access_add(Access *a, const Access *b, int64_t times)
{
    for (uint32_t d = 0; d < MAX_RANK; d++)
        a->stride[d] += b->stride[d] * times;
    a->offset += b->offset * times;
}

static bool access_equal(const Access *a, const Access *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool fail(Group *g, const weft_tensor *node, const char *why)
{
    g->blame = node->mark_index;
    g->why = why;
    return false;
}

/* ---- coordinates ---- */

/*
 * The coordinates in `shape` of the position that `a` gives in a contiguous tensor of that
 * shape. False if they are no affine functions of the domain's coordinates, as when an axis of
 * the domain runs over several axes of the shape.
 */
static bool access_coords(Access *coord, const Group *g, const Access *a, uint32_t rank,
                          const uint64_t *shape)
{
    int64_t contiguous[MAX_RANK], rest = a->offset;
    shape_contiguous(contiguous, rank, shape);
    for (uint32_t j = 0; j < rank; j++) {
        coord[j] = (Access){.offset = shape[j] > 1 ? rest / contiguous[j] : 0};
        rest -= coord[j].offset * contiguous[j];
    }
    if (rest != 0)
        return false;
    for (uint32_t d = 0; d < g->rank; d++) {
        int64_t s = a->stride[d] < 0 ? -a->stride[d] : a->stride[d];
        int64_t sign = a->stride[d] < 0 ? -1 : 1;
        if (g->size[d] <= 1)
            continue;
        for (uint32_t j = 0; j < rank && s; j++)
            if (shape[j] > 1) {
                coord[j].stride[d] = sign * (s / contiguous[j]);
                s %= contiguous[j];
            }
    }
    for (uint32_t d = 0; d < g->rank; d++)
        if (g->size[d] == 0)
            return true;            /* never computed */
    for (uint32_t j = 0; j < rank; j++) {
        int64_t low = coord[j].offset, high = low;
        for (uint32_t d = 0; d < g->rank; d++) {
            int64_t reach = coord[j].stride[d] * ((int64_t)g->size[d] - 1);
            if (reach < 0)
                low += reach;
            else
                high += reach;
        }
        if (low < 0 || high >= (int64_t)shape[j])
            return false;
    }
    return true;
}

/* The axes of `shape` that `strides` walk like one axis are one: what is left of their number. */
static uint32_t join_axes(uint64_t *shape, int64_t *strides, uint32_t rank)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < rank; j++) {
        if (shape[j] == 1)
            continue;
        bool joins = n > 0 && strides[n - 1] == strides[j] * (int64_t)shape[j];
        uint64_t size = joins ? shape[n - 1] * shape[j] : shape[j];
        n += joins ? 0 : 1;
        shape[n - 1] = size;
        strides[n - 1] = strides[j];
    }
    return n;
}

/* The access to input x of node t, whose own element is at `a`. An axis of the domain may run over
 * several axes of t where x has them in the same order, or repeats one element along them. */
static bool input_access(Access *out, Group *g, const weft_tensor *t, const weft_tensor *x,
                         const Access *a, const Access *coord, bool affine)
{
    int64_t  strides[MAX_RANK];
    uint64_t shape[MAX_RANK];
    Access   joined[MAX_RANK];
    tensor_broadcast_strides(strides, x, t->rank, t->shape);
    *out = (Access){.offset = x->offset};
    uint32_t rank = t->rank;
    if (!affine) {
        memcpy(shape, t->shape, sizeof shape);
        rank = join_axes(shape, strides, rank);
        coord = joined;
        if (!access_coords(joined, g, a, rank, shape))
            return fail(g, t, "it is read in another order than its inputs");
    }
    for (uint32_t j = 0; j < rank; j++)
        access_add(out, &coord[j], strides[j]);
    return true;
}

/* ---- bindings ---- */

static bool add_bind(Group *g, uint32_t *out, const weft_tensor *x)
{
    const TensorState *s = g->graph->s;
    bool     pending = tensor_is_pending(x);
    Slot     slot = {.kind = pending ? SLOT_NODE : SLOT_LEAF,
                     .index = pending ? tensor_root(x)->mark_index : x->mark_index};
    uint32_t limit = MIN_OF(s->storage_limit, (uint32_t)MAX_BINDS) - g->output_count;
    for (uint32_t i = 0; i < g->bind_count; i++)
        if (g->binds[i].slot.kind == slot.kind && g->binds[i].slot.index == slot.index
            && g->binds[i].dtype == (weft_dtype)x->dtype) {
            *out = i;
            return true;
        }
    if (g->bind_count >= limit)
        return false;
    Bind *b = &g->binds[g->bind_count];
    *b = (Bind){.slot = slot, .dtype = (weft_dtype)x->dtype};
    b->name = arena_printf(g->arena, "x%u", g->bind_count);
    if (!pending) {
        uint64_t start, end, unit = weft_dtype_bytes(b->dtype, 1);
        leaf_range(&start, &end, x);
        b->offset = unit ? (int64_t)(start / unit) : 0;
    }
    g->uses_f16 |= b->dtype == WEFT_F16 && s->f16;
    g->uses_f64 |= b->dtype == WEFT_F64;
    *out = g->bind_count++;
    return true;
}

/* ---- values ---- */

static uint32_t find_value(const Group *g, ValueKind kind, const weft_tensor *of,
                           const Access *a, bool pre)
{
    for (uint32_t i = 0; i < g->value_count; i++) {
        const Value *v = &g->values[i];
        if (v->kind == kind && v->of == of && v->pre == pre && access_equal(&v->access, a))
            return i;
    }
    return NONE;
}

static uint32_t add_value(Group *g, const Value *v)
{
    if (g->value_count == MAX_VALUES)
        return NONE;
    g->values[g->value_count] = *v;
    return g->value_count++;
}

/* The reader goes to memory if it is computed inside the group, else the last value that is:
 * what it reads then no longer takes bindings here. */
static bool no_room(Group *g, const weft_tensor *reader)
{
    static const char why[] = "the kernel reads as much memory as the device allows";
    const uint32_t *group_of = g->graph->group_of;
    if (reader && group_of[reader->mark_index] != NONE && g->core != (int64_t)reader->mark_index)
        return fail(g, reader, why);
    for (uint32_t i = g->value_count; i-- > 0;) {
        const Value *v = &g->values[i];
        bool computed = v->kind == VALUE_OP || v->kind == VALUE_INDEXED || v->kind == VALUE_CORE;
        if (computed && group_of[v->of->mark_index] != NONE)
            return fail(g, v->of, why);
    }
    BUG("a single operator does not fit a kernel");
}

static bool build(Group *g, uint32_t *out, const weft_tensor *x, const Access *a, bool pre,
                  const weft_tensor *reader);

static bool build_load(Group *g, uint32_t *out, const weft_tensor *x, const Access *a, bool pre,
                       const weft_tensor *reader)
{
    *out = find_value(g, VALUE_LOAD, x, a, pre);
    if (*out != NONE)
        return true;
    Value v = {.kind = VALUE_LOAD, .of = x, .dtype = (weft_dtype)x->dtype, .access = *a,
               .pre = pre};
    if (!add_bind(g, &v.bind, x))
        return no_room(g, reader);
    *out = add_value(g, &v);
    return *out != NONE || no_room(g, reader);
}

static bool build_scalar(Group *g, uint32_t *out, const weft_tensor *t, bool pre,
                         const weft_tensor *reader)
{
    Access none = {.offset = 0};
    *out = find_value(g, VALUE_SCALAR, t, &none, pre);
    if (*out != NONE)
        return true;
    Value v = {.kind = VALUE_SCALAR, .of = t, .dtype = (weft_dtype)t->dtype, .pre = pre};
    v.args[0] = NONE;
    if (!scalar_is_literal(t)) {
        if (g->scalar_count == MAX_SCALARS)
            return no_room(g, reader);
        v.args[0] = g->scalar_count;
        g->scalars[g->scalar_count++] = t->mark_index;
    }
    g->uses_f64 |= v.dtype == WEFT_F64;
    *out = add_value(g, &v);
    return *out != NONE || no_room(g, reader);
}

static bool build_op(Group *g, uint32_t *out, const weft_tensor *t, const Access *a, bool pre)
{
    Access coord[MAX_RANK], in;
    *out = find_value(g, VALUE_OP, t, a, pre);
    if (*out != NONE)
        return true;
    Value v = {.kind = VALUE_OP, .of = t, .dtype = (weft_dtype)t->dtype, .access = *a,
               .pre = pre};
    bool affine = access_coords(coord, g, a, t->rank, t->shape);
    for (uint32_t k = 0; k < t->input_count; k++) {
        if (!input_access(&in, g, t, t->inputs[k], a, coord, affine)
            || !build(g, &v.args[k], t->inputs[k], &in, pre, t))
            return false;
    }
    g->uses_f64 |= t->dtype == WEFT_F64 || t->arg_dtype == WEFT_F64;
    *out = add_value(g, &v);
    return *out != NONE || no_room(g, t);
}

static bool build_indexed(Group *g, uint32_t *out, const weft_tensor *t, const Access *a,
                          bool pre)
{
    *out = find_value(g, VALUE_INDEXED, t, a, pre);
    if (*out != NONE)
        return true;
    Value v = {.kind = VALUE_INDEXED, .of = t, .dtype = (weft_dtype)t->dtype, .access = *a,
               .pre = pre};
    v.coord = ARENA_ARRAY(g->arena, Access, MAX_RANK);
    v.binds = ARENA_ARRAY(g->arena, uint32_t, t->input_count + 1);
    if (!access_coords(v.coord, g, a, t->rank, t->shape))
        return fail(g, t, "its coordinates cannot be told from its consumer's");
    for (uint32_t k = 0; k < t->input_count; k++)
        if (!add_bind(g, &v.binds[k], t->inputs[k]))
            return no_room(g, t);
    *out = add_value(g, &v);
    return *out != NONE || no_room(g, t);
}

/* The result of the core is known at the position of the group's root only. */
static bool build_core(Group *g, uint32_t *out, const weft_tensor *t, const Access *a)
{
    int64_t contiguous[MAX_RANK] = {0};
    const weft_tensor *root = g->graph->nodes[g->root];
    uint64_t kept[MAX_RANK] = {0};
    uint32_t rank = 0;
    for (uint32_t d = 0; d < g->rank; d++)
        kept[rank++] = g->reduced >> d & 1 ? 1 : g->size[d];
    shape_contiguous(contiguous, rank, kept);
    bool same = a->offset == 0 && t->count == root->count;
    for (uint32_t d = 0; d < rank; d++)
        same &= kept[d] <= 1 || a->stride[d] == contiguous[d];
    if (!same)
        return fail(g, t, "its consumer reads it in another order");
    *out = find_value(g, VALUE_CORE, t, a, false);
    if (*out == NONE)
        *out = add_value(g, &(Value){.kind = VALUE_CORE, .of = t, .dtype = (weft_dtype)t->dtype,
                                     .access = *a});
    return *out != NONE || no_room(g, t);
}

/* The value of x's root at position `a` of the root. */
static bool build(Group *g, uint32_t *out, const weft_tensor *x, const Access *a, bool pre,
                  const weft_tensor *reader)
{
    const weft_tensor *t = tensor_root(x);
    if (!tensor_is_pending(x))
        return build_load(g, out, x, a, pre, reader);
    uint32_t node = t->mark_index;
    if (g->core == (int64_t)node)
        return build_core(g, out, t, a);
    bool inside = g->graph->group_of[node] != NONE || node == g->root;
    if (!inside)
        return build_load(g, out, x, a, pre, reader);
    if (t->op == &op_scalar)
        return build_scalar(g, out, t, pre, reader);
    if (t->op->kind == OP_INDEXED)
        return build_indexed(g, out, t, a, pre);
    return build_op(g, out, t, a, pre);
}

/* ---- the domain ---- */

static void domain_of(Group *g, uint32_t rank, const uint64_t *shape)
{
    g->rank = rank;
    memcpy(g->size, shape, rank * sizeof *shape);
}

/*
 * The domain of a reduction has the axes of what it reduces. The result's axes are those that
 * are kept: the root, which has as many elements, must have the same ones, ones apart. Returns
 * the access to the root's elements.
 */
static bool reduce_domain(Group *g, Access *root_access)
{
    const weft_tensor *core = g->graph->nodes[g->core], *root = g->graph->nodes[g->root];
    const weft_tensor *x = core->inputs[0];
    int64_t strides[MAX_RANK];
    uint32_t k = 0;
    domain_of(g, x->rank, x->shape);
    g->reduced = (uint32_t)core->attr.i[1];
    *root_access = (Access){.offset = 0};
    shape_contiguous(strides, root->rank, root->shape);
    for (uint32_t d = 0; d < x->rank; d++) {
        if (g->reduced >> d & 1 || x->shape[d] == 1)
            continue;
        while (k < root->rank && root->shape[k] == 1)
            k++;
        if (k == root->rank || root->shape[k] != x->shape[d])
            return fail(g, core, "its consumer has another shape");
        root_access->stride[d] = strides[k++];
    }
    while (k < root->rank && root->shape[k] == 1)
        k++;
    return k == root->rank ? true : fail(g, core, "its consumer has another shape");
}

static bool library_domain(Group *g, Access *root_access)
{
    const weft_tensor *core = g->graph->nodes[g->core], *root = g->graph->nodes[g->root];
    uint64_t size[3] = {0};
    uint32_t rank = 0;
    if (core->op->hook)
        rank = core->op->hook(core, size);
    if (rank)
        domain_of(g, rank, size);
    else
        domain_of(g, root->rank, root->shape);
    *root_access = (Access){.offset = 0};
    shape_contiguous(root_access->stride, g->rank, g->size);
    return true;
}

/* An access with strides of axes that have one element is not told apart from others. */
static void clean(Group *g, Access *a)
{
    for (uint32_t d = 0; d < MAX_RANK; d++)
        if (d >= g->rank || g->size[d] <= 1)
            a->stride[d] = 0;
}

static bool build_reduce_input(Group *g)
{
    const weft_tensor *core = g->graph->nodes[g->core], *x = core->inputs[0];
    Access a = {.offset = x->offset};
    for (uint32_t d = 0; d < x->rank; d++)
        a.stride[d] = x->strides[d];
    clean(g, &a);
    return build(g, &g->core_arg, x, &a, true, NULL);
}

bool group_build(Group *g)
{
    const weft_tensor *root = g->graph->nodes[g->root];
    OpKind kind = g->core >= 0 ? g->graph->nodes[g->core]->op->kind : OP_ELEMENTWISE;
    Access at = {.offset = 0};
    g->value_count = g->bind_count = g->scalar_count = 0;
    g->uses_f16 = g->uses_f64 = false;
    if (kind == OP_REDUCE) {
        if (!reduce_domain(g, &at) || !build_reduce_input(g))
            return false;
    } else if (kind == OP_LIBRARY) {
        const weft_tensor *core = g->graph->nodes[g->core];
        uint32_t bind;
        library_domain(g, &at);
        for (uint32_t k = 0; k < core->input_count; k++)
            if (!add_bind(g, &bind, core->inputs[k]))
                BUG("an operator has more inputs than a kernel has bindings");
    } else {
        domain_of(g, root->rank, root->shape);
        shape_contiguous(at.stride, root->rank, root->shape);
    }
    clean(g, &at);
    for (uint32_t i = 0; i < g->output_count; i++) {
        const weft_tensor *t = g->graph->nodes[g->outputs[i]];
        g->uses_f16 |= t->dtype == WEFT_F16 && g->graph->s->f16;
        g->uses_f64 |= t->dtype == WEFT_F64;
        if (!build(g, &g->out_value[i], t, &at, false, NULL))
            return false;
    }
    return true;
}

/* ---- merging axes ---- */

static bool merges(const Access *a, uint32_t d, const uint64_t *size)
{
    return a->stride[d] == a->stride[d + 1] * (int64_t)size[d + 1];
}

static bool axes_merge(const Group *g, uint32_t d)
{
    if ((g->reduced >> d & 1) != (g->reduced >> (d + 1) & 1))
        return false;
    for (uint32_t i = 0; i < g->value_count; i++) {
        const Value *v = &g->values[i];
        if (v->kind == VALUE_LOAD && !merges(&v->access, d, g->size))
            return false;
        for (uint32_t j = 0; v->kind == VALUE_INDEXED && j < v->of->rank; j++)
            if (!merges(&v->coord[j], d, g->size))
                return false;
    }
    return true;
}

static void access_drop(Access *a, uint32_t d, uint32_t rank)
{
    for (uint32_t i = d; i + 1 < rank; i++)
        a->stride[i] = a->stride[i + 1];
    a->stride[rank - 1] = 0;
}

/* Drops axis d; the axis after it covers both if `merge`. */
static void drop_axis(Group *g, uint32_t d, bool merge)
{
    uint32_t low = g->reduced & ((1u << d) - 1), high = g->reduced >> (d + 1);
    for (uint32_t i = 0; i < g->value_count; i++) {
        Value *v = &g->values[i];
        access_drop(&v->access, d, g->rank);
        for (uint32_t j = 0; v->kind == VALUE_INDEXED && j < v->of->rank; j++)
            access_drop(&v->coord[j], d, g->rank);
    }
    if (merge)
        g->size[d + 1] *= g->size[d];
    for (uint32_t i = d; i + 1 < g->rank; i++)
        g->size[i] = g->size[i + 1];
    g->rank--;
    g->reduced = low | high << d;
}

void group_collapse(Group *g)
{
    for (uint32_t d = 0; d < g->rank;) {
        if (g->size[d] == 1)
            drop_axis(g, d, false);
        else
            d++;
    }
    for (uint32_t d = 0; d + 1 < g->rank;) {
        if (axes_merge(g, d))
            drop_axis(g, d, true);
        else
            d++;
    }
}
