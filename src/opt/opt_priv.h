// SPDX-License-Identifier: Apache-2.0
/*
 * opt_priv.h - what the passes share.
 */
#ifndef WEFT_OPT_OPT_PRIV_H
#define WEFT_OPT_OPT_PRIV_H

#include "opt/opt.h"

/* What replaces what, by id; looked through when operands are read. */
typedef struct Forward {
    Inst   **to;                    /* [count]                                    */
    uint32_t count;
} Forward;

void  forward_init(Forward *f, Ir *ir);
Inst *forward_get(const Forward *f, Inst *inst);
void  forward_set(Forward *f, const Inst *from, Inst *to);
/* Reads all operands of `inst` through the table. */
void  forward_args(const Forward *f, Inst *inst);
/* The same for every instruction of a region and inside. */
void  forward_region(const Forward *f, Region *region);

/* leavers.c: for each construct the instructions that leave it or come back. */
typedef VEC(Inst *) LeaverList;
typedef struct Leavers {
    Arena      *arena;
    LeaverList *of;                 /* [next_id], by construct                    */
} Leavers;

void leavers_init(Leavers *l, Ir *ir);
/* Which operand of a leaver goes to result i, to parameter i of the body, to
 * parameter i of the continuing region; UINT32_MAX: none. */
uint32_t leaver_result(const Inst *leaver, uint32_t i);
uint32_t leaver_param(const Inst *leaver, const Inst *loop, uint32_t i);
uint32_t leaver_continued(const Inst *leaver, uint32_t i);

/* same.c: are two values made the same way, from the same parameters, results and loads? */
bool same_value(const Inst *x, const Inst *y);
/* same.c: true for a value that is one number in a whole dispatch: a constant, or memory that
 * is never written. */
bool value_is_fixed(const Inst *v);

/* flatten.c: is it quicker done than jumped over, and harmless where it is not asked for? */
bool flatten_is_cheap(const Inst *inst);

/* digits.c: takes quotients and remainders of x * c + y for x and y, where ranges allow. */
void opt_digits(Ir *ir, const Facts *f);

/* cut.c: drops what cannot be reached. */
void opt_cut(Ir *ir);

/* fold.c: the constant that `inst` computes; false: unknown. Operands of `inst`
 * are constants. */
bool fold_constant(const Inst *inst, IrConstant *out);
/* ---- component.c ---- */

typedef struct Component {
    uint32_t key;                   /* of a vector and a number; 0: free          */
    Inst    *made;
} Component;

/* Those that were made in one walk through the body, in its order. */
typedef struct Components {
    Arena     *arena;
    Component *slots;               /* hash table, open                           */
    uint32_t   mask, count;
} Components;

void  components_init(Components *k, Ir *ir);
/* Component i of a vector, made at `c` if it is new. */
Inst *component_get(Components *k, IrCursor *c, Inst *v, uint32_t i);
/* Is a value of integers or truths that are computed component by component? */
bool  component_is_apart(const Inst *v);

/* simplify.c: can a value that was made before be used in a region? */
bool value_is_visible(const Inst *v, const Region *from);

/* fold.c: a simpler value that is equal to `inst`, made at `c` if it is new; NULL:
 * none. */
Inst *fold_identity(Components *k, IrCursor *c, const Inst *inst);

/* reassociate.c: the same for sums and products of integers. */
Inst *reassociate(IrCursor *c, const Inst *inst);

/* ---- copy.c ---- */

typedef struct Copy {
    Ir      *ir;
    Inst   **map;                   /* [count] instruction to what stands for it  */
    uint32_t count;                 /* instructions there were at the start: only
                                       they can be copied                         */
} Copy;

Copy  copy_new(Ir *ir);
Inst *copy_of(const Copy *p, Inst *inst);
Inst *copy_inst(Copy *p, IrCursor *c, const Inst *inst);
void  copy_region(Copy *p, Region *to, const Inst *first);

/* ---- loops.c ---- */

/* Is there one instruction in a region, `op`? */
bool  region_only(const Region *r, IrOp op);
/* The IF that every round starts with, if it does nothing but leave the loop or not;
 * NULL: there is none. */
Inst *loop_guard(const Inst *loop);

typedef struct LoopSurvey {
    uint32_t insts;
    uint64_t work;                  /* the same, those of loops in it several times */
    bool     barrier;
} LoopSurvey;

/* Is the guard the only way out, and the end of the body the only one to the next
 * round? */
bool loop_is_plain(const Inst *loop, const Inst *guard, LoopSurvey *out);

/* unroll.c: replaces a plain loop by as many copies of its body. */
void loop_unroll(Ir *ir, Inst *loop, uint32_t trips);

/* Gives values to the parameters of a region; all are read before any is set. */
void copy_params(Copy *p, const Region *to, Inst *const *values);
/* Copies [first, end); NULL: to the last. */
void copy_range(Copy *p, IrCursor *c, const Inst *first, const Inst *end);

#endif
