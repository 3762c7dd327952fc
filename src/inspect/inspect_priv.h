// SPDX-License-Identifier: Apache-2.0
/*
 * inspect_priv.h - the state of one analysis, and who does what inside inspect/.
 *
 *   inspect.c    the object of weft/kernel.h: front end, passes, the order of what follows
 *   symbol.c     counts with names
 *   expr.c       what an integer of the IR is, as a count with names
 *   step.c       how a value changes from one invocation to its neighbour
 *   walk.c       accesses, operations and branches, with how often they happen
 *   extent.c     how many invocations store anything
 *   registers.c  values that are alive at a time
 *   resize.c     whether the workgroup size may change
 *   hints.c      what to do about it
 *   rewrite.c    the same kernel with other axes and another workgroup size
 *   quads.c    ... with vectors loaded instead of four words
 *   json.c       everything as JSON
 */
#ifndef WEFT_INSPECT_INSPECT_PRIV_H
#define WEFT_INSPECT_INSPECT_PRIV_H

#include <weft/kernel.h>

#include "analysis/analysis.h"
#include "check/check.h"
#include "inspect/symbol.h"
#include "ir/ir.h"

/* How a value differs between neighbours along an axis. */
typedef enum StepKind { STEP_UNKNOWN, STEP_NONE, STEP_AFFINE, STEP_VARYING } StepKind;

#define STEP_LONG UINT32_MAX

typedef struct Step {
    StepKind kind;
    Symbol   by;                        /* AFFINE                                  */
    uint32_t period;                    /* 0: holds everywhere; else it breaks once in so many
                                           invocations; LONG: how many is unknown  */
} Step;

/* A condition that holds for what is being looked at. */
typedef struct Guard {
    const Inst *condition;
    bool        border;                 /* neighbours agree but for the last ones  */
    bool        holds;                  /* false: the opposite of the condition    */
} Guard;

/* How many invocations along an axis store anything. */
typedef struct Extent {
    enum { EXTENT_NONE = 0, EXTENT_KNOWN, EXTENT_UNKNOWN } state;   /* NONE: no store yet */
    Symbol limit;
} Extent;

typedef struct Inspect {
    Arena        arena;
    Diag         diag;
    Module      *module;
    LineTable    lines;
    Ir          *ir;
    const Decl  *entry;
    Facts       *facts;                 /* of one row of the workgroup             */
    SymbolTable  symbols;
    Step        *steps[3];              /* [next_id] along x, y, z                 */
    VEC(uint32_t) stepped[3];           /* ids whose steps were found, in that order */
    const Inst **owners;                /* [next_id] of RESULT: the construct      */

    VEC(weft_kernel_access) accesses;
    VEC(const Inst *)       access_insts;
    VEC(Symbol)             times;      /* of accesses                             */
    VEC(Symbol)             counts;     /* by weft_kernel_count.id                 */
    VEC(Guard)              guards;     /* while walking                           */
    VEC(weft_kernel_hint)   hints;
    Symbol       floats, integers, functions, read, written;
    double       work, divergent_work;
    bool         writes_limited[3];     /* every write has a limit along x, y, z   */
    Extent       extents[3];
    weft_kernel_info info;
    const char  *error;
    const char  *json;
    weft_kernel_optimized optimized;
} Inspect;

struct weft_kernel {
    Inspect          inspect;
    weft_kernel_desc desc;
    bool             ok;
};

/* ---- expr.c ---- */

/* A number of the IR; `ids_are_zero`: as the first invocation has it. */
Symbol      expr_of(Inspect *n, const Inst *v, bool ids_are_zero);
/* "params.k", "x[3]": a place in words. */
const char *expr_place(Inspect *n, const Inst *place);
Symbol      expr_rounds(Inspect *n, const Inst *loop);
/* What parameter i of a loop is in the next round; NULL: it depends on the way there. */
const Inst *expr_next(const Inspect *n, const Inst *loop, uint32_t i);

/* ---- step.c ---- */

/* axis 0: x, 1: y. */
Step step_of(Inspect *n, const Inst *v, uint32_t axis);
Step step_of_place(Inspect *n, const Inst *place, uint32_t axis);   /* in bytes     */
/* Do neighbours agree on a condition; do they but for some at a border? */
bool step_is_border(Inspect *n, const Inst *condition, uint32_t axis);

/* ---- the others ---- */

void walk_run(Inspect *n);
/* A store happens under the guards. */
void extent_note_store(Inspect *n);
/* Whether a guard ends what happens along the axis: no invocation beyond some id comes here. */
bool extent_is_limit(Inspect *n, const Guard *guard, uint32_t axis);
void extent_run(Inspect *n);
uint32_t registers_estimate(Inspect *n);
void resize_run(Inspect *n);
/* Whether the workgroup may have another size along the axis, if it is resizable at all. */
bool resize_may_change(const Inspect *n, uint32_t axis);
void hints_run(Inspect *n);
void rewrite_run(Inspect *n);
/* Whether accesses are better with x and y exchanged, all together. */
bool rewrite_swap_pays(Inspect *n);
const char *rewrite_size(Inspect *n, const uint32_t size[3]);
const char *json_write(Inspect *n);

uint32_t inspect_scalar_bytes(IrType type);
/* Lines and columns from 1. */
void inspect_place(const Inspect *n, Span span, uint32_t *line, uint32_t *column);
weft_kernel_count inspect_count(Inspect *n, const Symbol *s);

#endif
