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

static const Inst *next_value(const Inst *loop, uint32_t i)
{
    const Inst *end = loop->flow.regions[1]->last;
    if (end->op == IR_NEXT)
        return end->args[i];
    return end->op == IR_BREAK_IF ? end->args[1 + loop->flow.nresults + i] : NULL;
}

/* What is added to p each round; NULL: something else happens to it. */
static const Inst *step_value(const Inst *loop, const Inst *p)
{
    const Inst *next = next_value(loop, p->index);
    if (!next || next->op != IR_IADD)
        return NULL;
    return next->args[0] == p ? next->args[1] : next->args[1] == p ? next->args[0] : NULL;
}

/* (limit - first) / step */
static Symbol counted(Inspect *n, const Inst *loop, const Inst *p, const Inst *test,
                      const Inst *step)
{
    Symbol limit = expr_of(n, test->args[1], false);
    Symbol first = expr_of(n, loop->args[p->index], true);
    Symbol by = expr_of(n, step, true), minus = symbol_scale(&first, -1);
    Symbol span = symbol_add(&limit, &minus);
    if (test->op == IR_ULE || test->op == IR_SLE) {
        Symbol one = symbol_number(1);
        span = symbol_add(&span, &one);
    }
    return symbol_divide(&n->symbols, &span, &by);
}

Symbol expr_rounds(Inspect *n, const Inst *loop)
{
    const Region *body = loop->flow.regions[0];
    uint32_t known = analysis_rounds(loop), line, column;
    if (known)
        return symbol_number(known);
    for (uint32_t i = 0; i < body->nparams; i++) {
        const Inst *p = body->params[i], *test = analysis_loop_test(loop, p);
        const Inst *step = test ? step_value(loop, p) : NULL;
        if (step)
            return counted(n, loop, p, test, step);
    }
    inspect_place(n, loop->span, &line, &column);
    return symbol_name(&n->symbols, arena_printf(&n->arena, "rounds of line %u", line));
}
