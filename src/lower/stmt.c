// SPDX-License-Identifier: Apache-2.0
/*
 * stmt.c - statements that do not branch.
 *
 * in     typed statements
 * out    instructions; variables
 * knows  WGSL 9
 * not    control flow (flow.c)
 */
#include "lower/lower_priv.h"

/* ---- declarations ---- */

static void declare_var(Lower *l, const Decl *d)
{
    Inst *place = lower_var_new(l, IRSPACE_FUNCTION, d->ident.name->text,
                                lower_type_slots(l, d->type));
    if (d->var.init)
        lower_into(l, place, d->var.init);
    else
        lower_clear(l, place);
    lower_bind(l, l->frame, d, val_place(place));
}

static void declare(Lower *l, const Decl *d)
{
    if (d->kind == DECL_VAR)
        declare_var(l, d);
    else if (d->kind == DECL_LET)
        lower_bind(l, l->frame, d, lower_value(l, d->var.init));
}

/* ---- assignment ---- */

static void assign(Lower *l, const Stmt *s)
{
    const Expr *rhs = s->assign.rhs;
    Slot to = lower_slot(l, s->assign.lhs);
    /* What is read whole is written whole: either the same memory or another. */
    bool direct = !to.component && (rhs->kind == EXPR_LOAD || lower_constant(l, rhs));
    if (direct)
        lower_into(l, to.place, rhs);
    else
        lower_slot_store(l, to, lower_value(l, rhs));
}

static void compound(Lower *l, const Stmt *s)
{
    const Expr *lhs = s->compound.lhs, *rhs = s->compound.rhs;
    Slot to = lower_slot(l, lhs);
    Val x = lower_slot_load(l, to);
    Val y = lower_value(l, rhs);
    const Type *type = lhs->type->pointer.of;
    lower_slot_store(l, to, lower_binary(l, s->compound.op, type, x, rhs->type, y));
}

static void increment(Lower *l, const Stmt *s)
{
    Slot to = lower_slot(l, s->increment.lhs);
    Val x = lower_slot_load(l, to);
    IrOp op = s->increment.decrement ? IR_ISUB : IR_IADD;
    lower_slot_store(l, to, val_one(ir_op2(&l->c, op, x.inst, ir_i32(&l->c, 1))));
}

/* ---- statements ---- */

static void stmt(Lower *l, const Stmt *s)
{
    switch (s->kind) {
    case STMT_BLOCK:        lower_block(l, s->block);               break;
    case STMT_DECL:         declare(l, s->decl);                    break;
    case STMT_ASSIGN:       assign(l, s);                           break;
    case STMT_COMPOUND:     compound(l, s);                         break;
    case STMT_INCREMENT:    increment(l, s);                        break;
    case STMT_PHONY:        lower_effects(l, s->phony.rhs);         break;
    case STMT_CALL:         lower_effects(l, s->call.call);         break;
    case STMT_IF:           lower_if(l, s);                         break;
    case STMT_SWITCH:       lower_switch(l, s);                     break;
    case STMT_LOOP:         lower_loop(l, s);                       break;
    case STMT_FOR:          lower_for(l, s);                        break;
    case STMT_WHILE:        lower_while(l, s);                      break;
    case STMT_BREAK:        lower_break(l);                         break;
    case STMT_CONTINUE:     lower_continue(l);                      break;
    case STMT_RETURN:       lower_return(l, s->return_.value);      break;
    case STMT_CONST_ASSERT:                                         break;
    default:                BUG("a kernel with %s", stmt_kind_name(s->kind));
    }
}

void lower_stmt(Lower *l, const Stmt *s)
{
    Span outer = lower_enter(l, s->span);
    stmt(l, s);
    lower_leave(l, outer);
}

void lower_block(Lower *l, const Block *block)
{
    for (uint32_t i = 0; i < block->len && !l->ended; i++)
        lower_stmt(l, block->stmts[i]);
}
