// SPDX-License-Identifier: Apache-2.0
/*
 * keep.c - a store that only some invocations make becomes one of all: the others store
 * what they have read there.
 *
 * in     an Ir
 * out    the same without IFs around such stores
 * why    whether lanes store is hard to foresee, and a jump or a mask cost more than to
 *        store what is there
 *
 *     if v < x[i] { x[i] = v }                      x[i] = select(v < x[i], v, x[i])
 *
 * No other invocation may write there meanwhile. That would be a race with the invocation
 * that has read it; but kernels do race, so more is required: each invocation stores in a place
 * of its own, and nothing else of the variable is written. Of its own are
 *
 *     x[i]              with i made from the ids, each stepping over what others reach
 *     x[row * n + i]    for those whose i is below n: a matrix. Its rows are apart unless
 *                       they are so many that numbers wrap, which the kernel then asks
 *     x[i ^ d]          for those whose i is below that: sorting networks
 */
#include "opt/opt_priv.h"

#define DEPTH       12u             /* of an index                                */
#define MAX_COST    12u
#define MOST_GROUPS 65535u          /* along an axis                              */

#define ID(input) (1u << (input))
#define LOCAL_IDS (ID(INPUT_LOCAL_INDEX + 1) - 1u)
#define IDS       (ID(INPUT_WORKGROUP_ID_Z + 1) - 1u)

/* What is written of a variable. */
typedef struct Written {
    const Inst *place[2];
    bool        more;               /* in other places, or by atomics             */
    VEC(const Inst *) stores;
} Written;

typedef struct Keep {
    Ir      *ir;
    uint32_t ids;                   /* by which invocations can differ            */
    Written *written;               /* [vars]                                     */
} Keep;

static void note_write(Keep *k, const Inst *inst)
{
    const Inst *place = inst->args[0];
    Written *w = &k->written[ir_place_root(place)->id];
    VEC_PUSH(k->ir->arena, &w->stores, inst);
    for (uint32_t i = 0; i < 2; i++) {
        if (!w->place[i])
            w->place[i] = place;
        if (same_value(w->place[i], place)) {
            w->more |= inst->op == IR_ATOMIC;
            return;
        }
    }
    w->more = true;
}

static void survey(Keep *k, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_INPUT)
            k->ids |= inst->input <= INPUT_WORKGROUP_ID_Z ? ID(inst->input) : 0;
        if (inst->op == IR_ATOMIC)
            k->ids = IDS;               /* also where ids are the same */
        if (inst->op == IR_STORE || inst->op == IR_ATOMIC)
            note_write(k, inst);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                survey(k, inst->flow.regions[i]);
    }
}

/* ---- a place of one's own ---- */

/* Numbers that ids are multiplied by, all added up. */
typedef struct Sum {
    uint64_t times[INPUT_WORKGROUP_ID_Z + 1];
    uint32_t ids;                   /* that are there                             */
} Sum;

/* Adds v, `times` times. False: it is no sum of different ids. */
static bool add_term(Sum *s, const Inst *v, uint64_t times, uint32_t depth)
{
    if (v->op == IR_INPUT) {
        if (v->input > INPUT_WORKGROUP_ID_Z || s->ids & ID(v->input))
            return false;
        s->times[v->input] = times;
        s->ids |= ID(v->input);
        return true;
    }
    if (value_is_fixed(v))
        return true;
    if (v->op == IR_IADD && depth)
        return add_term(s, v->args[0], times, depth - 1) &&
               add_term(s, v->args[1], times, depth - 1);
    for (uint32_t i = 0; i < 2 && v->op == IR_IMUL && depth; i++)
        if (v->args[i]->op == IR_CONST) {
            times *= v->args[i]->constant.bits[0];
            return times <= UINT32_MAX && add_term(s, v->args[1 - i], times, depth - 1);
        }
    return false;
}

/* How many numbers an id may be. */
static uint32_t count_of(IrInput id, const uint32_t size[3])
{
    return id <= INPUT_LOCAL_ID_Z       ? size[id]
           : id == INPUT_LOCAL_INDEX    ? size[0] * size[1] * size[2]
                                        : MOST_GROUPS;
}

static IrInput least_of(const Sum *s, uint32_t ids)
{
    IrInput least = INPUT_COUNT;
    for (uint32_t i = 0; i <= INPUT_WORKGROUP_ID_Z; i++)
        if (ids & ID(i) && (least == INPUT_COUNT || s->times[i] < s->times[least]))
            least = (IrInput)i;
    return least;
}

/* One more than the largest sum, if it is another one for each set of ids; else 0. Each id
 * must step over all that those with smaller steps reach. */
static uint64_t reach_of(const Sum *s, const uint32_t size[3])
{
    uint64_t reach = 1;
    for (uint32_t left = s->ids; left;) {
        IrInput id = least_of(s, left);
        left &= ~ID(id);
        if (s->times[id] < reach)
            return 0;
        reach += s->times[id] * (count_of(id, size) - 1);
    }
    return reach <= UINT32_MAX ? reach : 0;
}

static bool is_unique(const Keep *k, const Inst *v, Sum *sum)
{
    *sum = (Sum){.ids = 0};
    return add_term(sum, v, 1, DEPTH) && sum->ids && reach_of(sum, k->ir->workgroup_size);
}

/* row * pitch + rest, where rest is below the pitch. */
typedef struct Rows {
    Inst *pitch, *rest;             /* NULL: there are none                       */
    Sum   row;
} Rows;

/* Ids that v is made from, if it is rows, whatever the pitch; else 0. */
static uint32_t find_rows(const Keep *k, const Inst *v, Rows *out)
{
    Sum rest;
    while (v->op == IR_IADD && value_is_fixed(v->args[1]))
        v = v->args[0];
    for (uint32_t i = 0; i < 4 && v->op == IR_IADD; i++) {
        const Inst *product = v->args[i & 1];
        if (product->op != IR_IMUL)
            continue;
        *out = (Rows){.pitch = product->args[i >> 1], .rest = v->args[1 - (i & 1)]};
        if (value_is_fixed(out->pitch) && is_unique(k, product->args[1 - (i >> 1)], &out->row) &&
            is_unique(k, out->rest, &rest) && (out->row.ids & rest.ids) == 0)
            return out->row.ids | rest.ids;
    }
    return 0;
}

/* Ids that tell invocations apart which may store in a variable. */
static uint32_t ids_asked(const Keep *k, const IrVar *var, uint32_t have)
{
    uint32_t asked = var->space == IRSPACE_WORKGROUP ? 0 : k->ids & ~LOCAL_IDS;
    for (uint32_t i = 0; i < 3 && !(have & ID(INPUT_LOCAL_INDEX)); i++)
        asked |= k->ir->workgroup_size[i] > 1 ? ID(INPUT_LOCAL_ID_X + i) : 0;
    return asked;
}

/* The index of an element; NULL: it may overlap with one of another index. */
static const Inst *index_of(const Inst *place)
{
    if (!place || place->op != IR_ELEM || place->args[0]->mem->kind != MEM_ARRAY)
        return NULL;
    for (const Inst *at = place; at->op != IR_VAR; at = at->args[0])
        if (at->op == IR_VIEW)
            return NULL;
    return place->args[1];
}

/* ---- what is known ---- */

/* Does x < y follow from a condition? */
static bool follows(const Inst *c, bool truth, const Inst *x, const Inst *y)
{
    while (c->op == IR_UNIFORM)
        c = c->args[0];
    if (c->op == (truth ? IR_AND : IR_OR))
        return follows(c->args[0], truth, x, y) || follows(c->args[1], truth, x, y);
    if (c->op != (truth ? IR_ULT : IR_ULE))
        return false;
    return same_value(c->args[truth ? 0 : 1], x) && same_value(c->args[truth ? 1 : 0], y);
}

/* Is x < y wherever `inst` is reached? */
static bool is_below(const Inst *inst, const Inst *x, const Inst *y)
{
    for (; inst; inst = inst->region->owner) {
        for (const Inst *at = inst->prev; at; at = at->prev) {
            bool yes = at->op == IR_IF && at->flow.regions[0]->last->op == IR_YIELD;
            bool no = at->op == IR_IF && at->flow.regions[1]->last->op == IR_YIELD;
            if (yes != no && follows(at->args[0], yes, x, y))
                return true;
        }
        const Inst *owner = inst->region->owner;
        if (owner && owner->op == IR_IF &&
            follows(owner->args[0], inst->region == owner->flow.regions[0], x, y))
            return true;
    }
    return false;
}

/* Is it for all that store in a variable? */
static bool is_below_for_all(const Keep *k, const IrVar *var, const Inst *x, const Inst *y)
{
    const Written *w = &k->written[var->id];
    for (uint32_t i = 0; i < w->stores.len; i++)
        if (!is_below(w->stores.data[i], x, y))
            return false;
    return true;
}

/* ---- indices ---- */

/* Is an index another for each invocation, if rows are apart? */
static bool is_own_index(const Keep *k, const IrVar *var, const Inst *index, Rows *rows)
{
    Sum sum;
    *rows = (Rows){NULL, NULL, {.ids = 0}};
    if (var->space != IRSPACE_WORKGROUP && var->space != IRSPACE_STORAGE)
        return false;
    uint32_t ids = is_unique(k, index, &sum) ? sum.ids : find_rows(k, index, rows);
    if (!ids || ids_asked(k, var, ids) & ~ids)
        return false;
    return !rows->pitch || is_below_for_all(k, var, rows->rest, rows->pitch);
}

static bool is_common(const Inst *v, uint32_t depth);

/* A counter of a loop: from the same number for all, by the same steps. */
static bool is_common_param(const Inst *p, uint32_t depth)
{
    const Inst *loop = p->region->owner, *end = loop ? loop->flow.regions[1]->last : NULL;
    if (!loop || loop->flow.regions[0] != p->region || end->op != IR_NEXT)
        return false;
    const Inst *next = end->args[p->index];
    bool steps = next->nargs == 2 && next->args[0] == p && next->args[1]->op == IR_CONST &&
                 ir_op_effect((IrOp)next->op) == EFFECT_PURE;
    return steps && is_common(loop->args[p->index], depth - 1);
}

/* Is a value one for all invocations of a workgroup that are there at a time? */
static bool is_common(const Inst *v, uint32_t depth)
{
    if (v->op == IR_UNIFORM || value_is_fixed(v))
        return true;
    if (depth == 0 || v->nargs == 0 || v->op == IR_RESULT)
        return v->op == IR_PARAM && depth && is_common_param(v, depth);
    if (ir_op_effect((IrOp)v->op) != EFFECT_PURE)
        return false;
    for (uint32_t i = 0; i < v->nargs; i++)
        if (!is_common(v->args[i], depth - 1))
            return false;
    return true;
}

/* Is y = x ^ what is the same for all that may store in a variable? */
static bool is_partner(const IrVar *var, const Inst *x, const Inst *y)
{
    if (y->op != IR_XOR)
        return false;
    uint32_t k = same_value(y->args[0], x) ? 0 : 1;
    const Inst *by = y->args[1 - k];
    return same_value(y->args[k], x) &&
           (var->space == IRSPACE_WORKGROUP ? is_common(by, DEPTH) : value_is_fixed(by));
}

/* Are x and its partner y those of one invocation alone, whenever it comes to `inst`? Other
 * workgroups may be anywhere meanwhile. */
static bool is_own_pair(const Keep *k, const Inst *inst, const IrVar *var, const Inst *x,
                        const Inst *y)
{
    Rows rows;
    return is_own_index(k, var, x, &rows) && !rows.pitch && is_partner(var, x, y) &&
           (var->space == IRSPACE_WORKGROUP ? is_below(inst, x, y)
                                            : is_below_for_all(k, var, x, y));
}

/* Are all places that the kernel writes of a variable those of one invocation alone,
 * whenever it comes to `inst`? */
static bool is_own(const Keep *k, const Inst *inst, const IrVar *var, Rows *rows)
{
    const Written *w = &k->written[var->id];
    const Inst *x = index_of(w->place[0]), *y = index_of(w->place[1]);
    *rows = (Rows){NULL, NULL, {.ids = 0}};
    if (w->more || !x)
        return false;
    if (!w->place[1])
        return is_own_index(k, var, x, rows);
    return y && (is_own_pair(k, inst, var, x, y) || is_own_pair(k, inst, var, y, x));
}

/* ---- what was read there ---- */

/* The load of `place` before an IF, if nothing that is written or waited for comes
 * between; NULL: there is none. */
static Inst *load_before(Inst *inst, const Inst *place)
{
    for (Inst *at = inst->prev; at; at = at->prev) {
        if (at->op == IR_LOAD && same_value(at->args[0], place))
            return at;
        if (ir_op_effect((IrOp)at->op) > EFFECT_READ)
            return NULL;
    }
    return NULL;
}

#define MAX_STORES 2u

typedef struct Kept {
    Inst    *stores[MAX_STORES], *old[MAX_STORES];
    Rows     rows[MAX_STORES];
    uint32_t count;
} Kept;

/* Does a region do little else than to store where it has read? */
static bool find_kept(const Keep *k, Inst *inst, const Region *region, Kept *out)
{
    uint32_t cost = 0;
    out->count = 0;
    if (region->last->op != IR_YIELD)
        return false;
    for (Inst *at = region->first; at != region->last; at = at->next) {
        if (at->op == IR_STORE) {
            if (out->count == MAX_STORES)
                return false;
            Inst *old = load_before(inst, at->args[0]);
            if (!old || !is_own(k, inst, ir_place_root(at->args[0]), &out->rows[out->count]))
                return false;
            out->stores[out->count] = at;
            out->old[out->count++] = old;
        } else if (!flatten_is_cheap(at) || at->op == IR_LOAD) {
            return false;
        } else {
            cost += at->type.kind == SCALAR_PLACE ? 0 : at->type.width;
        }
    }
    return out->count > 0 && cost <= MAX_COST;
}

/* ---- rows ---- */

/* The last row that there is. */
static Inst *last_row(const Keep *k, IrCursor *c, const Sum *row)
{
    Sum   local = *row;
    local.ids &= LOCAL_IDS;
    Inst *last = ir_i32(c, (uint32_t)reach_of(&local, k->ir->workgroup_size) - 1);
    for (uint32_t i = 0; i < 3; i++)
        if (row->ids & ID(INPUT_WORKGROUP_ID_X + i)) {
            Inst *n = ir_input(c, (IrInput)(INPUT_NUM_WORKGROUPS_X + i));
            n = ir_op2(c, IR_ISUB, n, ir_i32(c, 1));
            n = ir_op2(c, IR_IMUL, n, ir_i32(c, (uint32_t)row->times[INPUT_WORKGROUP_ID_X + i]));
            last = ir_op2(c, IR_IADD, last, n);
        }
    return last;
}

/* Does no index wrap: (last row + 1) * pitch < 2^32? */
static Inst *are_apart(const Keep *k, IrCursor *c, const Rows *rows)
{
    Inst *count = ir_op2(c, IR_IADD, last_row(k, c, &rows->row), ir_i32(c, 1));
    Inst *most = ir_op2(c, IR_UDIV, ir_i32(c, UINT32_MAX), count);
    return ir_op2(c, IR_ULE, rows->pitch, most);
}

/* The condition of an IF, or that rows are apart, if there are some; else NULL. */
static Inst *are_all_apart(const Keep *k, Inst *inst, const Kept *kept)
{
    IrCursor c = {k->ir, inst->region, inst, inst->span};
    Inst *all = NULL;
    for (uint32_t i = 0; i < kept->count; i++)
        if (kept->rows[i].pitch) {
            Inst *apart = are_apart(k, &c, &kept->rows[i]);
            all = all ? ir_op2(&c, IR_AND, all, apart) : apart;
        }
    return all ? ir_op2(&c, IR_OR, ir_op1(&c, IR_UNIFORM, all), inst->args[0]) : NULL;
}

/* ---- the change ---- */

static void keep_if(Keep *k, Inst *inst)
{
    const Region *no = inst->flow.regions[1];
    Region *yes = inst->flow.regions[0];
    Kept kept;
    if (inst->flow.nresults || no->first != no->last || no->last->op != IR_YIELD ||
        !find_kept(k, inst, yes, &kept))
        return;
    Inst *apart = are_all_apart(k, inst, &kept);
    while (!apart && yes->first != yes->last)
        ir_move_before(yes->first, inst);
    for (uint32_t i = 0; i < kept.count; i++) {
        Inst *store = kept.stores[i], *old = kept.old[i];
        IrCursor c = {k->ir, store->region, store, inst->span};
        Inst *condition = ir_splat(&c, inst->args[0], old->type.width);
        store->args[0] = old->args[0];      /* in bounds or not, whatever the condition */
        store->args[1] = ir_op3(&c, IR_SELECT, condition, store->args[1], old);
    }
    if (apart)
        inst->args[0] = apart;
    else
        ir_remove(inst);
}

static void walk(Keep *k, Region *region)
{
    for (Inst *inst = region->first, *next; inst; inst = next) {
        next = inst->next;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            walk(k, inst->flow.regions[i]);
        if (inst->op == IR_IF)
            keep_if(k, inst);
    }
}

void opt_keep(Ir *ir)
{
    Keep k = {.ir = ir};
    k.written = ARENA_ARRAY(ir->arena, Written, ir->vars.len + 1);
    survey(&k, ir->body);
    walk(&k, ir->body);
}
