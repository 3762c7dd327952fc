// SPDX-License-Identifier: Apache-2.0
/*
 * verify.c - whether an Ir is as ir.h and ops.def say.
 *
 * in     an Ir
 * out    the first fault as a sentence, or NULL
 * knows  the table, the rules of regions and constructs
 * not    whether the program makes sense
 */
#include "ir/verify_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool verify_fault(Verify *v, const Inst *inst, const char *fmt, ...)
{
    va_list args;
    char text[200];
    if (v->fault)
        return false;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const char *op = inst && inst->op < IR_OP_COUNT ? ir_op_name((IrOp)inst->op) : "none";
    v->where = inst;
    v->fault = inst ? arena_printf(v->ir->arena, "%%%u (%s): %s", inst->id, op, text)
                    : arena_printf(v->ir->arena, "%s", text);
    return false;
}

/* ---- constructs ---- */

static bool same_types(Verify *v, const Inst *inst, Inst *const *to, uint32_t n,
                       Inst *const *from, uint32_t nfrom)
{
    if (n != nfrom)
        return verify_fault(v, inst, "gives %u values where %u are taken", nfrom, n);
    for (uint32_t i = 0; i < n; i++)
        if (!ir_type_eq(to[i]->type, from[i]->type))
            return verify_fault(v, inst, "value %u has the wrong type", i);
    return true;
}

/* Which region of `construct` holds an instruction; NULL: none. */
static const Region *side_of(const Inst *inst, const Inst *construct)
{
    const Region *r = inst->region;
    while (r->owner && r->owner != construct)
        r = r->owner->region;
    return r->owner ? r : NULL;
}

/* May `inst` leave for `to`? The continuing part of a loop ends in one place. */
static bool can_leave(const Inst *inst, const Inst *to)
{
    const Region *side = to ? side_of(inst, to) : NULL;
    return side && (to->op != IR_LOOP || side == to->flow.regions[0]);
}

static bool check_break_if(Verify *v, const Inst *inst, const Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    uint32_t results = loop->flow.nresults;
    if (inst->nargs != 1 + results + body->nparams)
        return verify_fault(v, inst, "wrong number of operands");
    return same_types(v, inst, loop->flow.results, results, inst->args + 1, results) &&
           same_types(v, inst, body->params, body->nparams, inst->args + 1 + results,
                      body->nparams);
}

static bool check_leave(Verify *v, const Inst *inst)
{
    const Inst *owner = inst->region->owner, *to = inst->target;
    bool at_end_of_loop = owner && owner->op == IR_LOOP &&
                          inst->region == owner->flow.regions[1];
    switch (inst->op) {
    case IR_YIELD:
        if (!owner || owner->op != IR_IF)
            return verify_fault(v, inst, "stands outside of an if");
        return same_types(v, inst, owner->flow.results, owner->flow.nresults, inst->args,
                          inst->nargs);
    case IR_NEXT:
        if (!at_end_of_loop)
            return verify_fault(v, inst, "stands outside of continuing");
        return same_types(v, inst, owner->flow.regions[0]->params,
                          owner->flow.regions[0]->nparams, inst->args, inst->nargs);
    case IR_BREAK_IF:
        return at_end_of_loop ? check_break_if(v, inst, owner)
                              : verify_fault(v, inst, "stands outside of continuing");
    case IR_BREAK:
        if (!can_leave(inst, to) || to->op == IR_IF)
            return verify_fault(v, inst, "has no construct to leave");
        return same_types(v, inst, to->flow.results, to->flow.nresults, inst->args,
                          inst->nargs);
    case IR_CONTINUE:
        if (!can_leave(inst, to) || to->op != IR_LOOP)
            return verify_fault(v, inst, "has no loop to continue");
        return same_types(v, inst, to->flow.regions[1]->params,
                          to->flow.regions[1]->nparams, inst->args, inst->nargs);
    default:
        return true;
    }
}

static int by_value(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static bool check_cases(Verify *v, const Inst *inst)
{
    const IrCases *cases = &inst->flow.cases;
    uint32_t *sorted = arena_copy(v->ir->arena, cases->values, cases->count * sizeof *sorted);
    qsort(sorted, cases->count, sizeof *sorted, by_value);
    for (uint32_t i = 0; i < cases->count; i++) {
        if (cases->regions[i] >= inst->flow.nregions)
            return verify_fault(v, inst, "a case without region");
        if (i && sorted[i] == sorted[i - 1])
            return verify_fault(v, inst, "a value with two cases");
    }
    return true;
}

static bool check_regions(Verify *v, const Inst *inst)
{
    static const uint32_t counts[] = {[IR_IF - IR_IF] = 2, [IR_LOOP - IR_IF] = 2,
                                      [IR_BLOCK - IR_IF] = 1};
    uint32_t n = inst->flow.nregions;
    if (inst->op == IR_SWITCH ? n == 0 : n != counts[inst->op - IR_IF])
        return verify_fault(v, inst, "%u regions", n);
    for (uint32_t i = 0; i < n; i++)
        if (inst->op != IR_LOOP && inst->flow.regions[i]->nparams)
            return verify_fault(v, inst, "a region with parameters");
    return true;
}

/* ---- walking ---- */

static bool check_region(Verify *v, const Region *region, const Inst *owner);

static bool define(Verify *v, const Inst *inst)
{
    if (inst->id >= v->ir->next_id || v->seen[inst->id])
        return verify_fault(v, inst, "its id is not its own");
    v->seen[inst->id] = v->visible[inst->id] = true;
    return true;
}

static void show(Verify *v, Inst *const *list, uint32_t n, bool visible)
{
    for (uint32_t i = 0; i < n; i++)
        v->visible[list[i]->id] = visible;
}

static bool check_params(Verify *v, const Region *r)
{
    for (uint32_t i = 0; i < r->nparams; i++) {
        const Inst *p = r->params[i];
        if (p->op != IR_PARAM || p->index != i || p->region != r)
            return verify_fault(v, p, "a parameter in the wrong place");
        if (!verify_op(v, p) || !define(v, p))
            return false;
    }
    return true;
}

static bool check_construct(Verify *v, const Inst *inst)
{
    bool loop = inst->op == IR_LOOP;
    if (!check_regions(v, inst))
        return false;
    if (loop && !same_types(v, inst, inst->flow.regions[0]->params,
                            inst->flow.regions[0]->nparams, inst->args, inst->nargs))
        return false;
    if (inst->op == IR_SWITCH && !check_cases(v, inst))
        return false;
    for (uint32_t i = 0; i < inst->flow.nregions; i++) {
        const Region *r = inst->flow.regions[i];
        if (!check_params(v, r) || !check_region(v, r, inst))
            return false;
        if (!(loop && i == 0))
            show(v, r->params, r->nparams, false);
    }
    if (loop)
        show(v, inst->flow.regions[0]->params, inst->flow.regions[0]->nparams, false);
    for (uint32_t i = 0; i < inst->flow.nresults; i++) {
        const Inst *r = inst->flow.results[i];
        if (r->op != IR_RESULT || r->index != i || r->region != inst->region)
            return verify_fault(v, inst, "a result in the wrong place");
        if (!verify_op(v, r) || !define(v, r))
            return false;
    }
    return true;
}

static bool check_operands(Verify *v, const Inst *inst)
{
    for (uint32_t i = 0; i < inst->nargs; i++) {
        const Inst *arg = inst->args[i];
        if (!arg || arg->id >= v->ir->next_id || !v->visible[arg->id])
            return verify_fault(v, inst, "operand %u (%%%u) is not visible here", i,
                         arg ? arg->id : 0);
    }
    return true;
}

static bool check_inst(Verify *v, const Inst *inst, const Region *region)
{
    if (inst->region != region)
        return verify_fault(v, inst, "thinks it is in another region");
    if (inst->op >= IR_OP_COUNT || inst->op == IR_PARAM || inst->op == IR_RESULT)
        return verify_fault(v, inst, "not an instruction of a region");
    if (!check_operands(v, inst) || !verify_op(v, inst))
        return false;
    if (ir_op_is_construct((IrOp)inst->op) && !check_construct(v, inst))
        return false;
    if (ir_op_ends_region((IrOp)inst->op))
        return inst->next ? verify_fault(v, inst, "something stands after it")
                          : check_leave(v, inst) && define(v, inst);
    return define(v, inst);
}

/* What is defined in a region is not visible after it. */
static void hide(Verify *v, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        v->visible[inst->id] = false;
        if (ir_op_is_construct((IrOp)inst->op))
            show(v, inst->flow.results, inst->flow.nresults, false);
    }
}

static bool check_region(Verify *v, const Region *region, const Inst *owner)
{
    if (region->owner != owner || !region->last ||
        !ir_op_ends_region((IrOp)region->last->op))
        return verify_fault(v, owner, "a region that does not end");
    for (const Inst *inst = region->first; inst; inst = inst->next)
        if (!check_inst(v, inst, region))
            return false;
    hide(v, region);
    return true;
}

static bool check_size(Verify *v)
{
    uint64_t all = 1;
    for (int i = 0; i < 3; i++) {
        all *= v->ir->workgroup_size[i];
        if (all == 0 || all > INT32_MAX)
            return verify_fault(v, NULL, "a workgroup of %llu invocations",
                                (unsigned long long)all);
    }
    uint32_t subgroup = v->ir->subgroup_size;
    if ((subgroup & (subgroup - 1)) != 0 ||
        (subgroup && v->ir->workgroup_size[0] % subgroup != 0))
        return verify_fault(v, NULL, "subgroups of %u invocations", subgroup);
    if (all * v->ir->team > INT32_MAX)
        return verify_fault(v, NULL, "a team of %u workgroups", v->ir->team);
    if (v->ir->band > MOST_BAND)
        return verify_fault(v, NULL, "a band of %u workgroups", v->ir->band);
    return true;
}

const char *verify_ir(const Ir *ir, const Inst **where)
{
    Verify v = {.ir = ir};
    v.visible = ARENA_ARRAY(ir->arena, bool, ir->next_id + 1);
    v.seen = ARENA_ARRAY(ir->arena, bool, ir->next_id + 1);
    if (check_size(&v) && verify_memory(&v))
        check_region(&v, ir->body, NULL);
    *where = v.where;
    return v.fault;
}

const char *ir_verify(const Ir *ir)
{
    const Inst *where;
    return verify_ir(ir, &where);
}
