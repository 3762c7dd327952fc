// SPDX-License-Identifier: Apache-2.0
/*
 * call.c - calls of the user's functions, inlined.
 *
 * in     a call with its arguments; the body of the function
 * out    the body's instructions: right here where the only return comes last, as
 *        a tree of IFs where that is possible (return.c), otherwise in a BLOCK that
 *        `return` leaves
 * knows  frames; that WGSL has no recursion
 * not    builtin functions
 */
#include "lower/lower_priv.h"

/* ---- results ---- */

/* What a return brings to a construct. A large value is stored instead. */
Val lower_returned(Lower *l, const Expr *value)
{
    Inst *place = l->frame->result.inst;
    if (!value)
        return (Val){0};
    if (!place)
        return lower_value(l, value);
    lower_into(l, place, value);
    return (Val){0};
}

/* The value of a return that comes last. A large variable of the function itself
 * need not be copied: nothing writes to it any more. */
static Val last_value(Lower *l, const Expr *value)
{
    const Expr *of = value->kind == EXPR_LOAD ? value->load.of : NULL;
    bool is_own = of && of->kind == EXPR_NAME && !of->name.decl->is_global
               && of->name.decl->kind == DECL_VAR;
    if (is_own && lower_is_large(l, value->type))
        return lower_place(l, of);
    return lower_value(l, value);
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
            f->result = last_value(l, value);
        return;
    }
    Val v = lower_returned(l, value);
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

/* The body in a BLOCK, which each `return` leaves. */
static Val inline_block(Lower *l, Frame *f)
{
    const Decl *fn = f->fn;
    bool has_result = fn->type->kind != TYPE_VOID;
    Inst *block = f->block = ir_block(&l->c);
    if (has_result && !f->result.inst)
        lower_results(l, block, lower_mem(l, fn->type));

    Saved saved = lower_region_enter(l, block->flow.regions[0]);
    lower_block(l, fn->fn.body);
    if (!l->ended && has_result)        /* an endless loop comes before */
        ir_leave(&l->c, IR_UNREACHABLE, NULL, 0, NULL);
    else if (!l->ended)
        ir_leave(&l->c, IR_BREAK, block, 0, NULL);
    lower_region_leave(l, saved);
    return f->result.inst ? f->result : lower_results_val(l, block);
}

static Val inline_body(Lower *l, Frame *f)
{
    const Type *type = f->fn->type;
    ReturnForm form = lower_return_form(l, f->fn);
    if (form == RETURNS_LAST) {
        lower_block(l, f->fn->fn.body);
        return f->result;
    }
    if (type->kind != TYPE_VOID && lower_is_large(l, type))
        f->result = val_place(lower_var_new(l, IRSPACE_FUNCTION, STR("result"),
                                            lower_type_slots(l, type)));
    return form == RETURNS_IN_TREE ? lower_tree(l, f) : inline_block(l, f);
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
