// SPDX-License-Identifier: Apache-2.0
/*
 * call.c - calls of the user's functions, inlined.
 *
 * in     a call with its arguments; the body of the function
 * out    the body's instructions: in a BLOCK that `return` leaves or, where the
 *        only return comes last, right here
 * knows  frames; that WGSL has no recursion
 * not    builtin functions
 */
#include "lower/lower_priv.h"

/* ---- where a function returns ---- */

typedef enum Tail {
    TAIL_UNKNOWN,
    TAIL_LAST,                      /* nowhere, or only as its last statement     */
    TAIL_ANYWHERE,
} Tail;

static bool block_returns(const Block *b, bool is_tail);

static bool switch_returns(const Stmt *s)
{
    for (uint32_t i = 0; i < s->switch_.nclauses; i++)
        if (block_returns(s->switch_.clauses[i].block, false))
            return true;
    return false;
}

static bool if_returns(const Stmt *s)
{
    for (uint32_t i = 0; i < s->if_.nclauses; i++)
        if (block_returns(s->if_.clauses[i].block, false))
            return true;
    return block_returns(s->if_.otherwise, false);
}

/* Does the statement return early: anywhere but at its end if it is the last? */
static bool returns_early(const Stmt *s, bool is_tail)
{
    switch (s->kind) {
    case STMT_RETURN: return !is_tail;
    case STMT_BLOCK:  return block_returns(s->block, is_tail);
    case STMT_IF:     return if_returns(s);
    case STMT_SWITCH: return switch_returns(s);
    case STMT_LOOP:   return block_returns(s->loop.body, false);
    case STMT_FOR:    return block_returns(s->for_.body, false);
    case STMT_WHILE:  return block_returns(s->while_.body, false);
    default:          return false;
    }
}

static bool block_returns(const Block *b, bool is_tail)
{
    for (uint32_t i = 0; b && i < b->len; i++)
        if (returns_early(b->stmts[i], is_tail && i + 1 == b->len))
            return true;
    return false;
}

static bool returns_only_last(Lower *l, const Decl *fn)
{
    uint8_t *known = &l->tails[fn->index];
    if (*known == TAIL_UNKNOWN)
        *known = block_returns(fn->fn.body, true) ? TAIL_ANYWHERE : TAIL_LAST;
    return *known == TAIL_LAST;
}

/* ---- results ---- */

static void add_results(Lower *l, Inst *block, const MemType *mem)
{
    if (mem->kind == MEM_VALUE) {
        ir_result(l->ir, block, mem->value.type);
        return;
    }
    for (uint64_t i = 0; i < lower_part_count(mem); i++)
        add_results(l, block, lower_part(mem, i));
}

/* What BREAK brings. A large value is stored in the result's place instead. */
static Val result_leaves(Lower *l, const Expr *value)
{
    Inst *place = l->frame->result.inst;
    if (!value)
        return (Val){0};
    if (!place)
        return lower_value(l, value);
    lower_into(l, place, value);
    return (Val){0};
}

void lower_return(Lower *l, const Expr *value)
{
    Frame *f = l->frame;
    if (f->is_entry) {
        ir_leave(&l->c, IR_RETURN, NULL, 0, NULL);
        l->ended = true;
        return;
    }
    if (!f->block) {                    /* the last statement: just go on */
        if (value)
            f->result = lower_value(l, value);
        return;
    }
    Val v = result_leaves(l, value);
    ir_leave(&l->c, IR_BREAK, f->block, v.n, v.n == 1 ? &v.inst : v.many);
    l->ended = true;
}

/* ---- the call ---- */

/* A pointer to a buffer may be given to a function that sees less of it. */
static Val narrow_buffer(Lower *l, Val pointer, const Type *type)
{
    const MemType *mem = lower_mem(l, type->pointer.of);
    const MemType *now = pointer.inst->mem;
    if (mem->kind != MEM_BYTES || mem->size == 0
            || (now->size != 0 && now->size <= mem->size))
        return pointer;
    return val_place(ir_place_view(&l->c, pointer.inst, ir_i32(&l->c, 0), mem));
}

static Val argument(Lower *l, const Expr *e, const Decl *param)
{
    Val v = lower_value(l, e);
    return param->type->kind == TYPE_POINTER ? narrow_buffer(l, v, param->type) : v;
}

static Val block_result(Lower *l, Frame *f, Inst *block)
{
    if (block->flow.nresults)
        return val_many(l->arena, block->flow.results, block->flow.nresults);
    return f->result;
}

/* The body in a BLOCK, which each `return` leaves. */
static Val inline_block(Lower *l, Frame *f)
{
    const Decl *fn = f->fn;
    bool has_result = fn->type->kind != TYPE_VOID;
    bool large = has_result && lower_is_large(l, fn->type);
    if (large)
        f->result = val_place(lower_var_new(l, IRSPACE_FUNCTION, STR("result"),
                                            lower_type_slots(l, fn->type)));
    Inst *block = f->block = ir_block(&l->c);
    if (has_result && !large)
        add_results(l, block, lower_mem(l, fn->type));

    Saved saved = lower_region_enter(l, block->flow.regions[0]);
    lower_block(l, fn->fn.body);
    if (!l->ended && has_result)        /* an endless loop comes before */
        ir_leave(&l->c, IR_UNREACHABLE, NULL, 0, NULL);
    else if (!l->ended)
        ir_leave(&l->c, IR_BREAK, block, 0, NULL);
    lower_region_leave(l, saved);
    return block_result(l, f, block);
}

static Val inline_body(Lower *l, Frame *f)
{
    if (!returns_only_last(l, f->fn))
        return inline_block(l, f);
    lower_block(l, f->fn->fn.body);
    return f->result;
}

Val lower_call(Lower *l, const Expr *e)
{
    const Decl *fn = e->call.function;
    Frame *outer = l->frame;
    Frame frame = {
        .fn = fn,
        .locals = ARENA_ARRAY(l->arena, Local, fn->fn.info->locals.len),
    };
    for (uint32_t i = 0; i < fn->fn.nparams; i++) {
        Val v = argument(l, e->call.args[i], fn->fn.params[i]);
        lower_bind(l, &frame, fn->fn.params[i], v);
    }
    l->calls++;
    l->frame = &frame;
    Val result = inline_body(l, &frame);
    l->frame = outer;
    return result;
}

void lower_entry(Lower *l, const Decl *entry)
{
    Frame frame = {
        .fn = entry,
        .locals = ARENA_ARRAY(l->arena, Local, entry->fn.info->locals.len),
        .is_entry = true,
    };
    l->frame = &frame;
    for (uint32_t i = 0; i < entry->fn.nparams; i++)
        lower_bind(l, &frame, entry->fn.params[i], lower_input(l, entry->fn.params[i]));
    lower_block(l, entry->fn.body);
    if (!l->ended)
        ir_leave(&l->c, IR_RETURN, NULL, 0, NULL);
    l->frame = NULL;
}
