// SPDX-License-Identifier: Apache-2.0
/*
 * call_priv.h - what call.c, construct.c and operator.c share.
 */
#ifndef WEFT_CHECK_CALL_PRIV_H
#define WEFT_CHECK_CALL_PRIV_H

#include "check/check_priv.h"
#include "check/overload_priv.h"

/* Checks all arguments of a call and applies the load rule; false if one has the
 * error type. */
bool call_check_args(Checker *c, Expr *e);
/* The latest stage of the arguments; EVAL_CONST if there are none. */
EvalStage call_stage(const Expr *e);
/* Arguments of a call that need no memory of the arena. */
#define CALL_FEW 16
/* The values of the arguments, NULL where there is none: in `few` [CALL_FEW] if
 * they fit. *all is whether every argument has one. */
const Value *const *call_values(Checker *c, const Expr *e, const Value **few, bool *all);
/* Converts a checked operand or argument, which is known to be feasible. False
 * if the value does not fit, which is reported. */
bool call_convert(Checker *c, Expr **slot, const Type *to);
/* Gives a constant its value; NULL after a diagnostic of the folder. Where
 * nothing is evaluated (a quiet folder), NULL leaves it without one. */
void call_set_value(Checker *c, Expr *e, const Value *value);

Overloads operator_unary_rows(UnOp op);
Overloads operator_binary_rows(BinOp op);

/* ---- builtin_rule.c ---- */

/* Rules about the arguments of a builtin call beyond their types. False after a
 * diagnostic. */
bool builtin_check_row(Checker *c, const Expr *e, const Overload *row);
/* Rules about the values of arguments: those of fold_check_builtin() and ours, for
 * what is known by now: values[i] is NULL where unknown. Also for overrides, at
 * pipeline creation; `bytes` is then the size of an override-sized buffer that
 * is viewed, and 0 otherwise. False after a diagnostic. */
bool builtin_check_early(FoldContext *f, const ModuleInfo *info, const Expr *e,
                         const Value *const *values, uint64_t bytes);

/* Where a view must fit into its buffer. */
typedef struct ViewEnd {
    uint64_t    bytes;                  /* from the start of the buffer; 0: none  */
    const Expr *view;                   /* the call that needs them               */
} ViewEnd;

/* The bytes that a view needs, as far as offset and size are known. */
uint64_t builtin_view_end(const Expr *e, const Value *const *values);

/* ---- view.c ---- */

/* Who knows the values and sizes that views depend on. */
typedef struct ViewPass {
    Arena *arena;
    const ModuleInfo *info;
    Diag  *diag;
    void  *context;
    /* NULL: not known yet. */
    const Value *(*value)(void *context, const Expr *e);
    /* Bytes of a buffer type; 0: not known yet. */
    uint64_t     (*bytes)(void *context, const Type *buffer);
} ViewPass;

/* Views of buffers that came through parameters without a size must fit into
 * the buffers that are passed. `functions`: callees before callers. */
void view_functions(const ViewPass *pass, Decl *const *functions, uint32_t count);

#endif
