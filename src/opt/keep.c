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
 * of its own, one of which is all that the kernel writes of the variable.
 */
#include "opt/opt_priv.h"

#define DEPTH    12u                /* of an index                                */
#define MAX_COST 12u

#define ID(input) (1u << (input))
#define IDS       (ID(INPUT_WORKGROUP_ID_Z + 1) - 1u)

/* What becomes of one kernel. */
typedef struct Keep {
    Ir        *ir;
    uint32_t   ids;                 /* that the kernel asks for                   */
    const Inst **place;             /* [vars] the only one that is written        */
    bool      *many;                /* [vars] there are others, or atomics        */
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
    const IrVar *var = var_of(place);
    bool another = k->place[var->id] && k->place[var->id] != place;
    k->many[var->id] |= another || inst->op == IR_ATOMIC;
    k->place[var->id] = place;
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

/* Adds the ids that an index is a sum of, times what is the same for all. False: it is
 * something else. */
static bool add_ids(const Inst *v, uint32_t *ids, uint32_t depth)
{
    bool sum = v->op == IR_IADD || v->op == IR_ISUB;
    if (v->op == IR_INPUT) {
        *ids |= ID(v->input) & IDS;
        return v->input <= INPUT_WORKGROUP_ID_Z;
    }
    if (v->op == IR_CONST)
        return true;
    if (v->op == IR_LOAD)
        return var_of(v->args[0])->space == IRSPACE_UNIFORM && v->args[0]->op != IR_ELEM;
    if (depth == 0 || (!sum && v->op != IR_IMUL && v->op != IR_SHL))
        return false;
    return add_ids(v->args[0], ids, depth - 1) && add_ids(v->args[1], ids, depth - 1);
}

static bool is_own(const Keep *k, const Inst *place)
{
    uint32_t ids = 0;
    const IrVar *var = var_of(place);
    if (k->many[var->id] || place->op != IR_ELEM || place->args[0]->mem->kind != MEM_ARRAY ||
        (var->space != IRSPACE_STORAGE && var->space != IRSPACE_WORKGROUP))
        return false;
    uint32_t asked = var->space == IRSPACE_STORAGE
                         ? k->ids : k->ids & (ID(INPUT_LOCAL_INDEX + 1) - 1u);
    return add_ids(place->args[1], &ids, DEPTH) && ids && (asked & ~ids) == 0;
}

/* ---- what was read there ---- */

/* The load of `place` before an IF, if nothing that is written or waited for comes
 * between; NULL: there is none. */
static Inst *load_before(Inst *inst, const Inst *place)
{
    for (Inst *at = inst->prev; at; at = at->prev) {
        if (at->op == IR_LOAD && at->args[0] == place)
            return at;
        if (ir_op_effect((IrOp)at->op) > EFFECT_READ)
            return NULL;
    }
    return NULL;
}

/* The store of a region that does little else; NULL: it is another region. */
static Inst *only_store(const Region *region)
{
    Inst *store = NULL;
    uint32_t cost = 0;
    for (Inst *inst = region->first; inst != region->last; inst = inst->next) {
        if (inst->op == IR_STORE && !store)
            store = inst;
        else if (!flatten_is_cheap(inst) || inst->op == IR_LOAD)
            return NULL;
        else
            cost += inst->type.kind == SCALAR_PLACE ? 0 : inst->type.width;
    }
    return region->last->op == IR_YIELD && cost <= MAX_COST ? store : NULL;
}

static void keep_if(Keep *k, Inst *inst)
{
    const Region *no = inst->flow.regions[1];
    Region *yes = inst->flow.regions[0];
    bool plain = inst->flow.nresults == 0 && no->first == no->last && no->last->op == IR_YIELD;
    Inst *store = plain ? only_store(yes) : NULL;
    Inst *old = store && is_own(k, store->args[0]) ? load_before(inst, store->args[0]) : NULL;
    if (!old)
        return;
    IrCursor c = {k->ir, inst->region, inst, store->span};
    while (yes->first != yes->last) {
        Inst *first = yes->first;
        if (first == store) {
            Inst *condition = ir_splat(&c, inst->args[0], old->type.width);
            ir_store(&c, store->args[0], ir_op3(&c, IR_SELECT, condition, store->args[1], old));
            ir_remove(store);
        } else {
            ir_move_before(first, inst);
        }
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
    k.place = ARENA_ARRAY(ir->arena, const Inst *, ir->vars.len + 1);
    k.many = ARENA_ARRAY(ir->arena, bool, ir->vars.len + 1);
    survey(&k, ir->body);
    walk(&k, ir->body);
}
