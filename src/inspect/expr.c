// SPDX-License-Identifier: Apache-2.0
/*
 * expr.c - what an integer of the IR is, as a count with names.
 *
 * in     a value
 * out    a sum of products of numbers and of names that the kernel's author knows
 * knows  the IR
 * not    how values differ between invocations (step.c)
 */
#include "inspect/inspect_priv.h"

#include <string.h>

#define MAX_DEPTH 12u
#define MAX_TEXT  48u                   /* bytes of source that are quoted         */

static Symbol expr_in(Inspect *n, const Inst *v, bool ids_are_zero, uint32_t depth);

/* ---- words ---- */

/* The source of a value, in one line; or its place if that is long. */
static const char *source_text(Inspect *n, const Inst *v)
{
    Str source = n->module->source;
    uint32_t len = v->span.end > v->span.start ? v->span.end - v->span.start : 0;
    uint32_t line, column;
    inspect_place(n, v->span, &line, &column);
    if (len == 0 || len > MAX_TEXT || v->span.end > source.len ||
        memchr(source.data + v->span.start, '\n', len))
        return arena_printf(&n->arena, "value of line %u", line);
    return arena_printf(&n->arena, "%.*s", (int)len, source.data + v->span.start);
}

const char *expr_place(Inspect *n, const Inst *place)
{
    if (place->op == IR_VAR)
        return arena_printf(&n->arena, "%.*s", STR_ARG(place->var->name));
    const char *outer = expr_place(n, place->args[0]);
    if (place->op == IR_FIELD) {
        Str name = place->args[0]->mem->structure.fields[place->index].name;
        return arena_printf(&n->arena, "%s.%.*s", outer, STR_ARG(name));
    }
    if (place->op == IR_ELEM && place->args[1]->op == IR_CONST)
        return arena_printf(&n->arena, "%s[%u]", outer, place->args[1]->constant.bits[0]);
    return arena_printf(&n->arena, "%s[...]", outer);
}

static const char *input_name(IrInput input)
{
    static const char *const names[INPUT_COUNT] = {
        "local_invocation_id.x", "local_invocation_id.y", "local_invocation_id.z",
        "local_invocation_index", "workgroup_id.x", "workgroup_id.y", "workgroup_id.z",
        "num_workgroups.x", "num_workgroups.y", "num_workgroups.z",
        "subgroup_invocation_id", "subgroup_size", "subgroup_id", "num_subgroups",
    };
    return names[input];
}

static Symbol input_symbol(Inspect *n, const Inst *v, bool ids_are_zero)
{
    bool is_id = v->input <= INPUT_WORKGROUP_ID_Z || v->input == INPUT_SUBGROUP_LANE ||
                 v->input == INPUT_SUBGROUP_ID;
    if (ids_are_zero && is_id)
        return symbol_number(0);
    return symbol_name(&n->symbols, input_name(v->input));
}

/* Has a place no index but constants? */
static bool is_fixed(const Inst *place)
{
    for (; place->op != IR_VAR; place = place->args[0])
        if (place->op != IR_FIELD && place->args[1]->op != IR_CONST)
            return false;
    return true;
}

/* ---- operations ---- */

static Symbol binary(Inspect *n, const Inst *v, const Symbol *a, const Symbol *b)
{
    SymbolTable *t = &n->symbols;
    Symbol minus;
    switch (v->op) {
    case IR_IADD: return symbol_add(a, b);
    case IR_ISUB: minus = symbol_scale(b, -1); return symbol_add(a, &minus);
    case IR_IMUL: return symbol_multiply(t, a, b);
    case IR_SHL:
        if (v->args[1]->op == IR_CONST)
            return symbol_scale(a, (double)(1u << (v->args[1]->constant.bits[0] & 31)));
        break;
    case IR_SHR: case IR_SAR:
        if (v->args[1]->op == IR_CONST)
            return symbol_scale(a, 1.0 / (double)(1u << (v->args[1]->constant.bits[0] & 31)));
        break;
    case IR_UDIV: case IR_SDIV: return symbol_divide(t, a, b);
    case IR_UMIN: case IR_SMIN:
        if (symbol_is_number(a) && symbol_is_number(b))
            return symbol_value(a, NULL, 0, 1) < symbol_value(b, NULL, 0, 1) ? *a : *b;
        break;
    default: break;
    }
    return symbol_name(t, source_text(n, v));
}

static bool is_arithmetic(const Inst *v)
{
    return v->nargs == 2 && v->op >= IR_IADD && v->op <= IR_SAR && v->type.width == 1;
}

static Symbol expr_in(Inspect *n, const Inst *v, bool ids_are_zero, uint32_t depth)
{
    if (v->op == IR_CONST)
        return symbol_number((double)(int32_t)v->constant.bits[0]);
    if (v->op == IR_INPUT)
        return input_symbol(n, v, ids_are_zero);
    if (v->op == IR_LENGTH)
        return symbol_name(&n->symbols, arena_printf(&n->arena, "arrayLength(&%s)",
                                                     expr_place(n, v->args[0])));
    if (v->op == IR_LOAD)
        return symbol_name(&n->symbols, is_fixed(v->args[0]) ? expr_place(n, v->args[0])
                                                             : source_text(n, v));
    if (v->op == IR_UNIFORM || v->op == IR_BITCAST)
        return expr_in(n, v->args[0], ids_are_zero, depth);
    if (depth == 0 || !is_arithmetic(v))
        return symbol_name(&n->symbols, source_text(n, v));
    Symbol a = expr_in(n, v->args[0], ids_are_zero, depth - 1);
    Symbol b = expr_in(n, v->args[1], ids_are_zero, depth - 1);
    return binary(n, v, &a, &b);
}

Symbol expr_of(Inspect *n, const Inst *v, bool ids_are_zero)
{
    return expr_in(n, v, ids_are_zero, MAX_DEPTH);
}

/* ---- loops ---- */

const Inst *expr_next(const Inspect *n, const Inst *loop, uint32_t i)
{
    const Inst *end = loop->flow.regions[1]->last, *body = loop->flow.regions[0]->last;
    const Inst *next = end->op == IR_NEXT       ? end->args[i]
                       : end->op == IR_BREAK_IF ? end->args[1 + loop->flow.nresults + i] : NULL;
    bool from_body = next && next->op == IR_PARAM && next->region == loop->flow.regions[1];
    if (!from_body)
        return next;
    return n->facts->of[loop->id].continues_once && body->op == IR_CONTINUE &&
           body->target == loop ? body->args[next->index] : NULL;
}

/* What is added to p each round. False: something else happens to it, or neighbours add something
 * else each. */
static bool step_of_loop(Inspect *n, const Inst *loop, const Inst *p, Symbol *by)
{
    const Inst *next = expr_next(n, loop, p->index), *added = NULL;
    if (next && (next->op == IR_IADD || next->op == IR_ISUB) && next->args[0] == p)
        added = next->args[1];
    else if (next && next->op == IR_IADD && next->args[1] == p)
        added = next->args[0];
    if (!added || step_of(n, added, 0).kind != STEP_NONE)
        return false;
    *by = expr_of(n, added, true);
    if (next->op == IR_ISUB)
        *by = symbol_scale(by, -1);
    return true;
}

/* The comparison that keeps a loop going, as `first < second` and the like. */
typedef struct Test {
    const Inst *first, *second;
    bool        or_equal, unequal;      /* unequal: first != second                */
} Test;

static bool ends(const Region *r, const Inst *loop)
{
    return r->last && (r->last->op == IR_RETURN ||
                       (r->last->op == IR_BREAK && r->last->target == loop));
}

static bool find_test(const Inst *loop, Test *out)
{
    const Inst *inst = loop->flow.regions[0]->first;
    while (inst && !ir_op_is_construct((IrOp)inst->op))
        inst = inst->next;
    if (!inst || inst->op != IR_IF)
        return false;
    const Inst *c = inst->args[0];
    uint32_t    way = 1;                /* that is taken where it does not hold    */
    for (; c->op == IR_UNIFORM || c->op == IR_NOT; c = c->args[0])
        way ^= c->op == IR_NOT;
    bool less = c->op >= IR_SLT && c->op <= IR_ULE;
    if (c->op == IR_IEQ)
        way ^= 1;
    if ((!less && c->op != IR_IEQ && c->op != IR_INE) || !ends(inst->flow.regions[way], loop))
        return false;
    *out = (Test){c->args[0], c->args[1], c->op == IR_SLE || c->op == IR_ULE, !less};
    return true;
}

/* Rounds of a loop whose test compares p: (limit - first) / step. */
static bool counted(Inspect *n, const Inst *loop, const Inst *p, const Test *test, Symbol *out)
{
    bool   down = test->second == p;
    Symbol by, limit, minus, first = expr_of(n, loop->args[p->index], true);
    if ((!down && test->first != p) || !step_of_loop(n, loop, p, &by))
        return false;
    limit = expr_of(n, down ? test->first : test->second, false);
    double number = symbol_is_number(&by) ? symbol_value(&by, NULL, 0, 1) : 0;
    if (test->unequal)
        down = number < 0;
    if (symbol_is_number(&by) ? (down ? number >= 0 : number <= 0) : down)
        return false;
    minus = symbol_scale(down ? &limit : &first, -1);
    Symbol span = symbol_add(down ? &first : &limit, &minus);
    if (test->or_equal) {
        Symbol one = symbol_number(1);
        span = symbol_add(&span, &one);
    }
    by = symbol_scale(&by, down ? -1 : 1);
    *out = symbol_divide(&n->symbols, &span, &by);
    return true;
}

Symbol expr_rounds(Inspect *n, const Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    uint32_t known = analysis_rounds(loop), line, column;
    Test     test;
    Symbol   rounds;
    if (known)
        return symbol_number(known);
    bool   tested = find_test(loop, &test);
    for (uint32_t i = 0; tested && i < body->nparams; i++)
        if (counted(n, loop, body->params[i], &test, &rounds))
            return rounds;
    inspect_place(n, loop->span, &line, &column);
    return symbol_name(&n->symbols, arena_printf(&n->arena, "rounds of line %u", line));
}
