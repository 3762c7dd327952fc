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
 * Nobody else may write there meanwhile. Whoever does, races with the invocation that has
 * read it; but kernels do race, so it is asked for more: each invocation stores in a place
 * of its own, and nothing else of the variable is written. Of its own are x[i], with i made
 * from the ids, and also x[i ^ d] for those whose i is below that: sorting networks.
 */
#include "opt/opt_priv.h"

#define DEPTH    12u                /* of an index                                */
#define MAX_COST 12u

#define ID(input) (1u << (input))
#define IDS       (ID(INPUT_WORKGROUP_ID_Z + 1) - 1u)

/* What is written of a variable. */
typedef struct Written {
    const Inst *place[2];
    bool        more;               /* in other places, or by atomics             */
} Written;

typedef struct Keep {
    Ir      *ir;
    uint32_t ids;                   /* that the kernel asks for                   */
    Written *written;               /* [vars]                                     */
} Keep;

static const IrVar *var_of(const Inst *place)
{
    while (place->op != IR_VAR)
        place = place->args[0];
    return place->var;
}

static void note_write(Keep *k, const Inst *inst)
{
    const Inst *place = inst->args[0];
    Written *w = &k->written[var_of(place)->id];
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
            k->ids |= ID(inst->input) & IDS;
        if (inst->op == IR_STORE || inst->op == IR_ATOMIC)
            note_write(k, inst);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                survey(k, inst->flow.regions[i]);
    }
}

/* ---- a place of one's own ---- */

static bool is_uniform_word(const Inst *load)
{
    return var_of(load->args[0])->space == IRSPACE_UNIFORM && load->args[0]->op != IR_ELEM;
}

/* What an id is multiplied by: a number, and one value that is the same for all. */
typedef struct Factor {
    uint32_t    number;             /* 0: the id is not there                     */
    const Inst *common;             /* NULL: none                                 */
} Factor;

typedef struct Sum {
    Factor   of[INPUT_WORKGROUP_ID_Z + 1];
    uint32_t ids;
} Sum;

/* Adds v times a factor. False: it is no sum of different ids. */
static bool add_term(Sum *s, const Inst *v, Factor by, uint32_t depth)
{
    if (v->op == IR_INPUT) {
        if (v->input > INPUT_WORKGROUP_ID_Z || s->of[v->input].number)
            return false;
        s->of[v->input] = by;
        s->ids |= ID(v->input);
        return true;
    }
    if (v->op == IR_CONST || (v->op == IR_LOAD && is_uniform_word(v)))
        return true;
    if (v->op == IR_IADD && depth)
        return add_term(s, v->args[0], by, depth - 1) && add_term(s, v->args[1], by, depth - 1);
    if (v->op != IR_IMUL || !depth)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        const Inst *factor = v->args[i], *of = v->args[1 - i];
        if (factor->op == IR_CONST)
            return add_term(s, of, (Factor){by.number * factor->constant.bits[0], by.common},
                            depth - 1);
        if (factor->op == IR_LOAD && is_uniform_word(factor) && !by.common)
            return add_term(s, of, (Factor){by.number, factor}, depth - 1);
    }
    return false;
}

static bool same_factor(Factor x, Factor y)
{
    return x.number == y.number &&
           (x.common == y.common || (x.common && y.common && same_value(x.common, y.common)));
}

/* Do workgroups along an axis, of `size` local ids, follow each other? */
static bool is_row(Factor local, Factor group, uint32_t size)
{
    local.number = local.number ? local.number * size : group.number;
    return !group.number || same_factor(local, group);
}

/* Is a sum another one for each of its ids, as far as axes reach? Rows that are longer
 * than what y is multiplied by are wrong without us, too. */
static bool is_unique(const Sum *s, const uint32_t size[3])
{
    const Factor *local = &s->of[INPUT_LOCAL_ID_X], *group = &s->of[INPUT_WORKGROUP_ID_X];
    Factor index = s->of[INPUT_LOCAL_INDEX];
    if (index.number)
        return !local[0].number && !local[1].number && !local[2].number && !group[1].number &&
               !group[2].number && is_row(index, group[0], size[0] * size[1] * size[2]);
    for (uint32_t i = 0; i < 3; i++) {
        if (!is_row(local[i], group[i], size[i]))
            return false;
        for (uint32_t k = 0; k < i; k++) {
            Factor x = local[i].number ? local[i] : group[i];
            Factor y = local[k].number ? local[k] : group[k];
            if (x.number && y.number && same_factor(x, y))
                return false;
        }
    }
    return true;
}

static const Inst *index_of(const Inst *place)
{
    bool known = place && place->op == IR_ELEM && place->args[0]->mem->kind == MEM_ARRAY;
    return known ? place->args[1] : NULL;
}

/* Is an index another for each invocation? */
static bool is_own_index(const Keep *k, const IrVar *var, const Inst *index)
{
    Sum      sum = {.ids = 0};
    uint32_t asked = k->ids;
    if (var->space == IRSPACE_WORKGROUP)
        asked &= ID(INPUT_LOCAL_INDEX + 1) - 1u;
    else if (var->space != IRSPACE_STORAGE)
        return false;
    return add_term(&sum, index, (Factor){1, NULL}, DEPTH) && sum.ids &&
           (asked & ~sum.ids) == 0 && is_unique(&sum, k->ir->workgroup_size);
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

/* Is a value one for all invocations? */
static bool is_common(const Inst *v, uint32_t depth)
{
    if (v->op == IR_CONST || v->op == IR_UNIFORM)
        return true;
    if (v->op == IR_LOAD)
        return is_uniform_word(v);
    if (depth == 0 || v->nargs == 0 || v->op == IR_RESULT)
        return v->op == IR_PARAM && depth && is_common_param(v, depth);
    if (ir_op_effect((IrOp)v->op) != EFFECT_PURE)
        return false;
    for (uint32_t i = 0; i < v->nargs; i++)
        if (!is_common(v->args[i], depth - 1))
            return false;
    return true;
}

/* Is y = x ^ what is the same for all, and known to be above x in the region? */
static bool is_partner(const Region *region, const Inst *x, const Inst *y)
{
    if (y->op != IR_XOR)
        return false;
    uint32_t k = same_value(y->args[0], x) ? 0 : 1;
    if (!same_value(y->args[k], x) || !is_common(y->args[1 - k], DEPTH))
        return false;
    for (; region->owner; region = region->owner->region) {
        const Inst *owner = region->owner, *c = owner->op == IR_IF ? owner->args[0] : NULL;
        if (c && c->op == IR_ULT && owner->flow.regions[0] == region &&
            same_value(c->args[0], x) && same_value(c->args[1], y))
            return true;
    }
    return false;
}

/* Are all places that the kernel writes of a variable those of one invocation alone,
 * whenever it is in the region? */
static bool is_own(const Keep *k, const Region *region, const IrVar *var)
{
    const Written *w = &k->written[var->id];
    const Inst *x = index_of(w->place[0]), *y = index_of(w->place[1]);
    if (w->more || !x)
        return false;
    if (!w->place[1])
        return is_own_index(k, var, x);
    if (!y)
        return false;
    return (is_own_index(k, var, x) && is_partner(region, x, y)) ||
           (is_own_index(k, var, y) && is_partner(region, y, x));
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

/* Does a region do little else than to store where it has read? */
static bool is_kept(const Keep *k, Inst *inst, const Region *region)
{
    uint32_t cost = 0, stores = 0;
    if (region->last->op != IR_YIELD)
        return false;
    for (Inst *at = region->first; at != region->last; at = at->next) {
        if (at->op == IR_STORE) {
            if (!is_own(k, inst->region, var_of(at->args[0])) ||
                !load_before(inst, at->args[0]))
                return false;
            stores++;
        } else if (!flatten_is_cheap(at) || at->op == IR_LOAD) {
            return false;
        } else {
            cost += at->type.kind == SCALAR_PLACE ? 0 : at->type.width;
        }
    }
    return stores > 0 && stores <= 2 && cost <= MAX_COST;
}

static void keep_if(Keep *k, Inst *inst)
{
    const Region *no = inst->flow.regions[1];
    Region *yes = inst->flow.regions[0];
    if (inst->flow.nresults || no->first != no->last || no->last->op != IR_YIELD ||
        !is_kept(k, inst, yes))
        return;
    IrCursor c = {k->ir, inst->region, inst, inst->span};
    Inst *stores[2], *old[2];
    uint32_t n = 0;
    for (Inst *at = yes->first; at != yes->last; at = at->next)
        if (at->op == IR_STORE) {
            old[n] = load_before(inst, at->args[0]);
            stores[n++] = at;
        }
    while (yes->first != yes->last)
        ir_move_before(yes->first, inst);
    for (uint32_t i = 0; i < n; i++) {
        c.before = stores[i];
        Inst *condition = ir_splat(&c, inst->args[0], old[i]->type.width);
        stores[i]->args[1] = ir_op3(&c, IR_SELECT, condition, stores[i]->args[1], old[i]);
    }
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
