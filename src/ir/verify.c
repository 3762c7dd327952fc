// SPDX-License-Identifier: Apache-2.0
/*
 * verify.c - whether an Ir is as ir.h and ops.def say.
 *
 * in     an Ir
 * out    the first fault as a sentence, or NULL
 * knows  the table, the rules of regions and constructs
 * not    whether the program makes sense
 */
#include "ir/ir.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Instructions that may be used where the walk is, by a mark an id. */
typedef struct Verify {
    const Ir *ir;
    bool     *visible;              /* [next_id]                                  */
    bool     *seen;                 /* [next_id] ids are unique                   */
    const char *fault;
} Verify;

static PRINTF_LIKE(3, 4) bool fault(Verify *v, const Inst *inst, const char *fmt, ...)
{
    va_list args;
    char text[200];
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!v->fault)
        v->fault = arena_printf(v->ir->arena, "%%%u (%s): %s", inst->id,
                                ir_op_name((IrOp)inst->op), text);
    return false;
}

/* ---- shapes ---- */

static bool kind_allowed(const Inst *inst)
{
    static const char letters[] = {'-', 'b', 'i', 'f', 'h'};
    return inst->type.kind <= SCALAR_F16 &&
           strchr(ir_op_kinds((IrOp)inst->op), letters[inst->type.kind]) != NULL;
}

static bool operand_fits(char letter, const Inst *inst, const Inst *arg)
{
    IrType t = inst->type, a = arg->type;
    switch (letter) {
    case 'T': return ir_type_eq(t, a);
    case 'U': return a.width == t.width && a.kind >= SCALAR_BOOL && a.kind <= SCALAR_F16;
    case 'B': return a.kind == SCALAR_BOOL && a.width == t.width;
    case 'b': return ir_type_eq(a, IR_BOOL);
    case 'I': return a.kind == SCALAR_I32 && a.width == t.width;
    case 'i': return ir_type_eq(a, IR_I32);
    case 'F': return a.kind == SCALAR_F32 && a.width == t.width;
    case 'E': return a.kind == t.kind && a.width == 1;
    case 'p': return ir_type_eq(a, IR_PLACE);
    default: return true;
    }
}

static bool check_shape(Verify *v, const Inst *inst)
{
    const char *shape = ir_op_shape((IrOp)inst->op);
    if (shape[0] == 'T' && inst->type.width && !kind_allowed(inst))
        return fault(v, inst, "a result of this type is not allowed");
    if (shape[0] == 'p' && (!ir_type_eq(inst->type, IR_PLACE) || !inst->mem))
        return fault(v, inst, "a place without memory");
    const char *letter = shape + 1;
    for (uint32_t i = 0; i < inst->nargs; i++) {
        if (!*letter)
            return fault(v, inst, "too many operands");
        if (!operand_fits(*letter, inst, inst->args[i]))
            return fault(v, inst, "operand %u (%%%u) has the wrong type", i,
                         inst->args[i]->id);
        bool repeats = letter[1] == '*';
        if (!repeats && *letter != '*')
            letter++;
    }
    bool rest_optional = *letter == '\0' || letter[1] == '*' || *letter == '?';
    return rest_optional ? true : fault(v, inst, "too few operands");
}

static bool check_special(Verify *v, const Inst *inst)
{
    switch (inst->op) {
    case IR_VEC:
        return inst->nargs == inst->type.width ? true : fault(v, inst, "not a scalar each");
    case IR_EXTRACT:
        return inst->index < inst->args[0]->type.width
                   ? true : fault(v, inst, "no component %u", inst->index);
    case IR_SWIZZLE:
        for (uint32_t c = 0; c < inst->type.width; c++)
            if (inst->swizzle[c] >= inst->args[0]->type.width)
                return fault(v, inst, "no component %u", inst->swizzle[c]);
        return true;
    case IR_LOAD:
        return inst->args[0]->mem->kind == MEM_VALUE &&
                       ir_type_eq(inst->args[0]->mem->value.type, inst->type)
                   ? true : fault(v, inst, "loads another type");
    case IR_STORE:
        return inst->args[0]->mem->kind == MEM_VALUE &&
                       ir_type_eq(inst->args[0]->mem->value.type, inst->args[1]->type)
                   ? true : fault(v, inst, "stores another type");
    default:
        return true;
    }
}

/* ---- constructs ---- */

static bool same_types(Verify *v, const Inst *inst, Inst *const *to, uint32_t n,
                       Inst *const *from, uint32_t nfrom)
{
    if (n != nfrom)
        return fault(v, inst, "gives %u values where %u are taken", nfrom, n);
    for (uint32_t i = 0; i < n; i++)
        if (!ir_type_eq(to[i]->type, from[i]->type))
            return fault(v, inst, "value %u has the wrong type", i);
    return true;
}

static bool is_inside(const Inst *inst, const Inst *construct)
{
    for (const Inst *c = inst->region->owner; c; c = c->region->owner)
        if (c == construct)
            return true;
    return false;
}

static bool check_break_if(Verify *v, const Inst *inst, const Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    uint32_t results = loop->flow.nresults;
    if (inst->nargs != 1 + results + body->nparams)
        return fault(v, inst, "wrong number of operands");
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
            return fault(v, inst, "stands outside of an if");
        return same_types(v, inst, owner->flow.results, owner->flow.nresults, inst->args,
                          inst->nargs);
    case IR_NEXT:
        if (!at_end_of_loop)
            return fault(v, inst, "stands outside of continuing");
        return same_types(v, inst, owner->flow.regions[0]->params,
                          owner->flow.regions[0]->nparams, inst->args, inst->nargs);
    case IR_BREAK_IF:
        return at_end_of_loop ? check_break_if(v, inst, owner)
                              : fault(v, inst, "stands outside of continuing");
    case IR_BREAK:
        if (!is_inside(inst, to) || to->op == IR_IF)
            return fault(v, inst, "has no construct to leave");
        return same_types(v, inst, to->flow.results, to->flow.nresults, inst->args,
                          inst->nargs);
    case IR_CONTINUE:
        if (!is_inside(inst, to) || to->op != IR_LOOP)
            return fault(v, inst, "has no loop to continue");
        return same_types(v, inst, to->flow.regions[1]->params,
                          to->flow.regions[1]->nparams, inst->args, inst->nargs);
    default:
        return true;
    }
}

static bool check_cases(Verify *v, const Inst *inst)
{
    for (uint32_t i = 0; i < inst->flow.cases.count; i++)
        if (inst->flow.cases.regions[i] >= inst->flow.nregions)
            return fault(v, inst, "a case without region");
    return inst->flow.nregions ? true : fault(v, inst, "no region");
}

/* ---- walking ---- */

static bool check_region(Verify *v, const Region *region, const Inst *owner);

static bool define(Verify *v, const Inst *inst)
{
    if (inst->id >= v->ir->next_id || v->seen[inst->id])
        return fault(v, inst, "its id is not its own");
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
    for (uint32_t i = 0; i < r->nparams; i++)
        if (r->params[i]->index != i || r->params[i]->region != r || !define(v, r->params[i]))
            return fault(v, r->params[i], "a parameter in the wrong place");
    return true;
}

static bool check_construct(Verify *v, const Inst *inst)
{
    bool loop = inst->op == IR_LOOP;
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
    for (uint32_t i = 0; i < inst->flow.nresults; i++)
        if (inst->flow.results[i]->index != i || !define(v, inst->flow.results[i]))
            return fault(v, inst, "a result in the wrong place");
    return true;
}

static bool check_operands(Verify *v, const Inst *inst)
{
    for (uint32_t i = 0; i < inst->nargs; i++) {
        const Inst *arg = inst->args[i];
        if (!arg || arg->id >= v->ir->next_id || !v->visible[arg->id])
            return fault(v, inst, "operand %u (%%%u) is not visible here", i,
                         arg ? arg->id : 0);
    }
    return true;
}

static bool check_inst(Verify *v, const Inst *inst, const Region *region)
{
    if (inst->region != region)
        return fault(v, inst, "thinks it is in another region");
    if (!check_operands(v, inst) || !check_shape(v, inst) || !check_special(v, inst))
        return false;
    if (ir_op_is_construct((IrOp)inst->op) && !check_construct(v, inst))
        return false;
    if (ir_op_ends_region((IrOp)inst->op))
        return inst->next ? fault(v, inst, "something stands after it")
                          : check_leave(v, inst);
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
    static const Inst nowhere;
    if (region->owner != owner || !region->last ||
        !ir_op_ends_region((IrOp)region->last->op))
        return fault(v, owner ? owner : &nowhere, "a region that does not end");
    for (const Inst *inst = region->first; inst; inst = inst->next)
        if (!check_inst(v, inst, region))
            return false;
    hide(v, region);
    return true;
}

const char *ir_verify(const Ir *ir)
{
    Verify v = {.ir = ir};
    v.visible = ARENA_ARRAY(ir->arena, bool, ir->next_id + 1);
    v.seen = ARENA_ARRAY(ir->arena, bool, ir->next_id + 1);
    check_region(&v, ir->body, NULL);
    return v.fault;
}
