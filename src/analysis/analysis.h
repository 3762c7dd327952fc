// SPDX-License-Identifier: Apache-2.0
/*
 * analysis.h - facts about a kernel that runs in lanes.
 *
 * in     a verified Ir and the number of lanes
 * out    Facts: for every instruction how its value looks across the lanes of a
 *        lane group, and which numbers it may be; for every construct whether
 *        lanes may part ways in it
 * knows  the IR
 * not    LLVM, SPIR-V
 *
 * A lane group is `lanes` invocations with consecutive local indices that start
 * at a multiple of `lanes`.
 */
#ifndef WEFT_ANALYSIS_ANALYSIS_H
#define WEFT_ANALYSIS_ANALYSIS_H

#include "ir/ir.h"

/* How a value looks across lanes, from the most to the least regular. */
typedef enum Shape {
    SHAPE_UNKNOWN,                  /* not reached by the analysis yet           */
    SHAPE_WORKGROUP,                /* one value for the whole workgroup, or all
                                       workgroups of a team or band              */
    SHAPE_GROUP,                    /* one value for the lane group              */
    SHAPE_AFFINE,                   /* first lane's value + lane * stride (i32,
                                       scalar; wraps)                            */
    SHAPE_VARYING,
} Shape;

/*
 * Constructs.
 *
 * divergent  IF, SWITCH: active lanes may take different ways.
 * apart      the lanes that enter may reach the exit at different times, or not
 *            all of them: some leave further out. Where it is false, all lanes
 *            that enter either reach the exit together or leave together.
 * continues_apart   LOOP: the same for its continuing region.
 * wide       all invocations of the workgroup go through it together, since a
 *            barrier is inside, or a way around a barrier that may still come.
 * far        wide constructs: some invocations leave it from inside another wide
 *            construct, in which the others go on.
 *
 * A BREAK, CONTINUE or RETURN whose target is not apart is taken by all lanes
 * that are in the target, so it is a jump. The others only take lanes away.
 */
typedef struct Fact {
    uint8_t  shape;                 /* Shape, of values                          */
    bool     divergent, apart, continues_apart, wide, far;
    bool     continues_once;        /* LOOP: one CONTINUE leads to continuing    */
    bool     ends_soon;             /* LOOP: after a known, small number of rounds */
    bool     in_bounds;             /* ELEM: the index is below the count        */
    int32_t  stride;                /* AFFINE                                    */
    uint32_t align;                 /* i32 scalars: a power of two that divides the
                                       value (AFFINE: the first lane's)          */
    uint32_t block;                 /* i32 scalars: a power of two; the values of
                                       all invocations of a workgroup lie between
                                       two neighbouring multiples of it. 0: unknown */
    uint32_t low, high;             /* i32 scalars: unsigned range               */
} Fact;

typedef struct Facts {
    const Ir *ir;
    uint32_t  lanes, native;        /* native: in one vector register; 0: any number,
                                       of ranges alone                           */
    Fact     *of;                   /* [ir->next_id], by Inst.id                 */
    bool      has_barrier;          /* anywhere                                  */
    bool      returns_apart;        /* RETURN takes lanes away                   */
    bool      returns_far;          /* some RETURN is inside a wide construct    */
    uint32_t  jam;                  /* analysis_jam() of the whole kernel        */
} Facts;

/* `native`: lanes of one vector register. */
Facts *analysis_run(Arena *a, const Ir *ir, uint32_t lanes, uint32_t native);

/* Facts with nothing but ranges: Fact.low, high and in_bounds. */
Facts *analysis_ranges(Arena *a, const Ir *ir);

/* Shape, stride and align of one instruction that is no construct, from its operands'. */
Fact analysis_transfer(const Facts *f, const Inst *inst);

/* The innermost construct that invocations leave from `first` on, in the region of `leave`,
 * which ends it; NULL: all of them return. */
const Inst *analysis_innermost_left(const Inst *first, const Inst *leave);

/* Do all invocations of a workgroup take the same way through the instructions from
 * `first` to before `end` (NULL: the last)? */
bool analysis_is_together(const Facts *f, const Inst *first, const Inst *end);

/* Lane groups that should go side by side from `first` to before `end`, where
 * analysis_is_together() lets them; without loops there, that of the whole kernel. */
uint32_t analysis_jam(Arena *a, const Facts *f, const Inst *first, const Inst *end);
/* Vector registers that the values fill which an innermost loop keeps alive, for one lane
 * group; those of the worst loop through which all go together. */
uint32_t analysis_registers(Arena *a, const Facts *f, const Inst *first, const Inst *end);
/* As analysis_jam(), where all loops sum up products, so that registers are full of sums: any
 * number of lane groups that are below each other; 0: there is something else in them, or
 * nothing. */
uint32_t analysis_jam_products(Arena *a, const Facts *f, const Inst *first, const Inst *end);

/* Lane groups beside each other in a row of a workgroup; 1: rows are no longer than one. */
uint32_t analysis_columns(const Ir *ir, uint32_t lanes);

/* "p < limit" or "p <= limit", which every round of a loop begins with and without which
 * the loop ends, for a parameter p of its body; NULL: there is no such test. */
const Inst *analysis_loop_test(const Inst *loop, const Inst *p);
/* Upper bound on the trip count; 0 if unknown. */
uint32_t analysis_rounds(const Inst *loop);

/* Are all components of a float known to be numbers from `low` to `high`? */
bool analysis_is_between(const Inst *v, double low, double high);

/* Bits of an i32 scalar that are zero in every invocation. */
uint32_t analysis_zero_bits(const Facts *f, const Inst *v);

/* Lanes that suit the kernel on a machine with `native` lanes a vector: a
 * multiple of it (to hide latency) where registers allow and rows of the
 * workgroup are long enough, never more than the workgroup has invocations
 * rounded up to `native`. */
uint32_t analysis_choose_lanes(const Ir *ir, uint32_t native);

/* Would the kernel be faster with one lane than with those it was looked at with? */
bool analysis_suits_one_lane(const Facts *f);

/* Would it be faster with the lanes of one vector register than with more? */
bool analysis_suits_native_lanes(const Facts *f);

/* "p < limit", the only way out of a loop that counts p up by one and of which several
 * rounds may be taken at once; NULL: it is no such loop. */
const Inst *analysis_row_test(const Facts *f, const Inst *loop);
/* Does a load or store in such a loop go, in each lane, from one word to the next? */
bool analysis_is_row(const Facts *f, const Inst *loop, const Inst *p, const Inst *access);
/* Does any of them? */
bool analysis_has_rows(const Facts *f, const Inst *loop);
/* Do lanes that are apart from each other load one word after the other, round by round? */
bool analysis_has_runs(const Facts *f, const Inst *loop);

/* About how many instructions it takes a thousand lanes to access memory, those in loops
 * counted for many. `scattered`: are some lanes not side by side? */
uint64_t analysis_memory_cost(const Facts *f, bool *scattered);

/* Instructions that one invocation executes at most, those of vectors counted for each
 * component; UINT64_MAX if unknown. */
uint64_t analysis_steps(const Ir *ir);

/* [ir->vars] Workgroup variables that must start with zeros: the others are written before
 * they are read. */
const bool *analysis_zeros(Arena *a, const Ir *ir);

void analysis_print(Text *out, const Facts *facts);

#endif
