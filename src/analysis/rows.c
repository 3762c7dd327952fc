// SPDX-License-Identifier: Apache-2.0
/*
 * rows.c - loops in which each lane goes along a row of its own.
 *
 * in     facts
 * out    whether several rounds of a loop may be taken at once, and which loads and
 *        stores of it then are of one word after the other in each lane
 * why    a[row * n + j], with rows in lanes and j counting, touches as many places in
 *        a round as there are lanes; several rounds of a lane are one vector
 *
 * Rounds are taken at once where all of them are known to come: the loop counts up by
 * one to a limit that stays, nothing else leaves it. What is read never changes; what is
 * written is written by one store, and nothing else in the loop looks at it.
 */
#include "analysis/analysis_priv.h"

#define DEPTH 8u                    /* of an index                                */
#define NEAR  4                     /* elements from lane to lane in one wide load */
#define BESIDE 2                    /* the same that need no rows                 */
#define MOST  48u                   /* instructions of a round                    */

/* ---- what stays ---- */

static bool is_inside(const Inst *loop, const Inst *inst)
{
    for (const Region *r = inst->region; r; r = r->owner ? r->owner->region : NULL)
        if (r->owner == loop)
            return true;
    return false;
}

static bool never_changes(const Inst *place)
{
    const IrVar *var = ir_place_root(place);
    return ir_var_is_read_only(var) && var->space != IRSPACE_CONSTANT;
}

static bool stays(const Inst *loop, const Inst *inst, uint32_t depth)
{
    if (!is_inside(loop, inst))
        return true;
    bool known = inst->op == IR_LOAD ? never_changes(inst->args[0])
                                     : ir_op_effect((IrOp)inst->op) == EFFECT_PURE;
    if (!known || inst->op == IR_PARAM || inst->op == IR_RESULT || depth == 0)
        return false;
    for (uint32_t i = 0; i < inst->nargs; i++)
        if (!stays(loop, inst->args[i], depth - 1))
            return false;
    return true;
}

/* ---- which loops ---- */

static bool only_yields(const Region *r)
{
    return r->first == r->last && r->last->op == IR_YIELD && r->last->nargs == 0;
}

/* The condition of the IF that is the loop's only way out, if it is "p < limit". */
static const Inst *test_of(const Facts *f, const Inst *loop, const Inst *end)
{
    const Inst *c = end->args[0], *leave = end->flow.regions[1]->last;
    while (c->op == IR_UNIFORM)
        c = c->args[0];
    if ((c->op != IR_ULT && c->op != IR_SLT) || !only_yields(end->flow.regions[0]) ||
        end->flow.regions[1]->first != leave || leave->op != IR_BREAK || leave->target != loop)
        return NULL;
    const Inst *p = c->args[0], *limit = c->args[1];
    bool one = fact_of(f, p)->shape <= SHAPE_GROUP && fact_of(f, limit)->shape <= SHAPE_GROUP;
    return one && p->op == IR_PARAM && p->region == loop->flow.regions[0] &&
                   stays(loop, limit, DEPTH)
               ? c
               : NULL;
}

static bool counts_by_one(const Inst *loop, const Inst *p)
{
    const Inst *end = loop->flow.regions[1]->last;
    const Inst *next = end->op == IR_NEXT ? end->args[p->index] : NULL;
    return next && next->op == IR_IADD && next->args[0] == p && next->args[1]->op == IR_CONST &&
           next->args[1]->constant.bits[0] == 1;
}

/* Plain instructions, and IFs of such; how many. UINT32_MAX: there are others. */
static uint32_t plain_size(const Inst *first, const Inst *end)
{
    uint32_t n = 0;
    for (const Inst *inst = first; inst != end && n <= MOST; inst = inst->next, n++) {
        bool ends = ir_op_ends_region((IrOp)inst->op);
        if (ends && inst->op != IR_YIELD)
            return UINT32_MAX;
        if (!ir_op_is_construct((IrOp)inst->op))
            continue;
        for (uint32_t i = 0; i < inst->flow.nregions; i++) {
            uint32_t more = inst->op == IR_IF
                                ? plain_size(inst->flow.regions[i]->first, NULL)
                                : UINT32_MAX;
            if (more > MOST)
                return UINT32_MAX;
            n += more;
        }
    }
    return n <= MOST ? n : UINT32_MAX;
}

const Inst *analysis_row_test(const Facts *f, const Inst *loop)
{
    const Region *body = loop->flow.regions[0], *next = loop->flow.regions[1];
    const Inst *end = body->first, *last = body->last;
    while (end && ir_op_effect((IrOp)end->op) <= EFFECT_READ)
        end = end->next;
    if (!end || end->op != IR_IF || fact_of(f, loop)->apart || fact_of(f, loop)->wide ||
        fact_of(f, loop)->continues_apart || last->op != IR_CONTINUE || last->target != loop)
        return NULL;
    const Inst *test = test_of(f, loop, end);
    if (!test || !counts_by_one(loop, test->args[0]))
        return NULL;
    uint32_t size = plain_size(end->next, last), more = plain_size(next->first, next->last);
    return size <= MOST && more <= MOST ? test : NULL;
}

/* ---- which loads ---- */

/* How much further an index is in the next round. False if unknown. */
static bool step_of(const Inst *loop, const Inst *p, const Inst *v, int64_t *by, uint32_t depth)
{
    int64_t x, y;
    *by = v == p;
    if (v == p || stays(loop, v, DEPTH))
        return true;
    bool sum = v->op == IR_IADD || v->op == IR_ISUB;
    if (depth == 0 || (!sum && v->op != IR_IMUL) ||
        !step_of(loop, p, v->args[0], &x, depth - 1) ||
        !step_of(loop, p, v->args[1], &y, depth - 1))
        return false;
    if (sum) {
        *by = v->op == IR_IADD ? x + y : x - y;
        return true;
    }
    const Inst *k = v->args[v->args[0]->op == IR_CONST ? 0 : 1];
    *by = (x + y) * (int32_t)k->constant.bits[0];
    return k->op == IR_CONST && *by > -0x10000 && *by < 0x10000;
}

typedef struct Way {
    int64_t round, lane;            /* bytes from one to the next                 */
    bool    scattered;              /* by lane: unknown                           */
} Way;

/* `proved`: only if all indices are known to be in bounds. */
static bool way_of(const Facts *f, const Inst *loop, const Inst *p, const Inst *place,
                   bool proved, Way *w)
{
    *w = (Way){0};
    for (; place->op != IR_VAR; place = place->args[0]) {
        const MemType *of = place->args[0]->mem;
        if (place->op == IR_FIELD)
            continue;
        if (place->op != IR_ELEM || of->kind != MEM_ARRAY ||
            (proved && !fact_of(f, place)->in_bounds))
            return false;
        const Fact *index = fact_of(f, place->args[1]);
        int64_t by;
        if (!step_of(loop, p, place->args[1], &by, DEPTH))
            return false;
        w->round += by * of->array.stride;
        w->scattered |= index->shape == SHAPE_VARYING;
        if (index->shape == SHAPE_AFFINE)
            w->lane += (int64_t)index->stride * of->array.stride;
    }
    return true;
}

/* Accesses of a variable, in a loop; with atomics, many. */
static uint32_t count_accesses(const Region *region, const IrVar *var)
{
    uint32_t n = 0;
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_ATOMIC || inst->op == IR_SUBGROUP)
            n += 2;
        else if (inst->op == IR_LOAD || inst->op == IR_STORE)
            n += ir_place_root(inst->args[0]) == var;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                n += count_accesses(inst->flow.regions[i], var);
    }
    return n;
}

static bool may_wait(const Facts *f, const Inst *loop, const Inst *access)
{
    const IrVar *var = ir_place_root(access->args[0]);
    if (access->op == IR_LOAD)
        return fact_of(f, access)->shape == SHAPE_VARYING && never_changes(access->args[0]);
    return var->space == IRSPACE_STORAGE &&
           count_accesses(loop->flow.regions[0], var) +
                   count_accesses(loop->flow.regions[1], var) == 1;
}

static bool is_word(IrType type)
{
    return type.width == 1 && (type.kind == SCALAR_F32 || type.kind == SCALAR_I32);
}

/* Bytes of one number of a row; 0: not for this access. Two f16 are loaded as a word. */
static int64_t row_element(const Inst *access)
{
    bool loads = access->op == IR_LOAD;
    IrType type = loads ? access->type : access->args[1]->type;
    if (loads && type.width == 1 && type.kind == SCALAR_F16)
        return 2;
    return is_word(type) ? 4 : 0;
}

bool analysis_is_row(const Facts *f, const Inst *loop, const Inst *p, const Inst *access)
{
    Way w;
    if ((access->op != IR_LOAD && access->op != IR_STORE) ||
        access->region != loop->flow.regions[0])
        return false;
    int64_t size = row_element(access);
    if (!size || !may_wait(f, loop, access) ||
        !way_of(f, loop, p, access->args[0], true, &w))
        return false;
    return w.round == size && (w.scattered || w.lane < 0 || w.lane > size * NEAR);
}

bool analysis_has_rows(const Facts *f, const Inst *loop)
{
    const Inst *test = f->lanes > 1 ? analysis_row_test(f, loop) : NULL;
    for (const Inst *inst = loop->flow.regions[0]->first; test && inst; inst = inst->next)
        if (analysis_is_row(f, loop, test->args[0], inst))
            return true;
    return false;
}

/* ---- loops of a few rounds ---- */

static const Inst *counter_of(const Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    for (uint32_t i = 0; i < body->nparams; i++)
        if (counts_by_one(loop, body->params[i]))
            return body->params[i];
    return NULL;
}

static bool is_shared_memory(const IrVar *var)
{
    return var->space == IRSPACE_STORAGE || var->space == IRSPACE_UNIFORM ||
           var->space == IRSPACE_WORKGROUP;
}

bool analysis_has_runs(const Facts *f, const Inst *loop)
{
    Way w;
    const Inst *p = counter_of(loop);
    for (const Inst *inst = loop->flow.regions[0]->first; p && inst; inst = inst->next)
        if (inst->op == IR_LOAD && is_word(inst->type) &&
            fact_of(f, inst)->shape == SHAPE_VARYING &&
            is_shared_memory(ir_place_root(inst->args[0])) &&
            way_of(f, loop, p, inst->args[0], false, &w) && w.round == 4 &&
            (w.scattered || w.lane < 0 || w.lane > 4 * BESIDE))
            return true;
    return false;
}

/* ---- all loops ---- */

static bool any_has_rows(const Facts *f, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_LOOP && analysis_has_rows(f, inst))
            return true;
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                if (any_has_rows(f, inst->flow.regions[i]))
                    return true;
    }
    return false;
}

bool analysis_suits_native_lanes(const Facts *f)
{
    return f->lanes > f->native && any_has_rows(f, f->ir->body);
}
