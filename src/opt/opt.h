// SPDX-License-Identifier: Apache-2.0
/*
 * opt.h - changes to the IR that both back ends gain from.
 *
 * Each pass leaves the IR verified; passes.c lists them in order.
 */
#ifndef WEFT_OPT_OPT_H
#define WEFT_OPT_OPT_H

#include "analysis/analysis.h"
#include "ir/ir.h"
#include "opt/proof.h"

/* FUNCTION and PRIVATE variables whose parts are only reached through constant
 * paths become values: structures and arrays are split, then each scalar or
 * vector part becomes parameters and results of the constructs it crosses. */
void opt_promote(Ir *ir);
/* Loops of a few iterations, by which alone arrays of one invocation are indexed, are
 * unrolled, and these arrays promoted. */
void opt_unroll_arrays(Ir *ir);
/* What is known now is computed now; identities; extract of vec and swizzle;
 * constant conditions choose their region; results and parameters that are
 * always one value become that value. */
void opt_simplify(Ir *ir);
/* IFs with a few cheap operations in them: both ways are taken, and the results
 * selected. */
void opt_flatten(Ir *ir);
/* Functions of f64 become operations that every device rounds alike. */
void opt_f64(Ir *ir);
/* Equal pure operations on equal operands are made once (scoped by regions);
 * loads of read-only memory count as pure. */
void opt_merge(Ir *ir);
/* Loads of places that the region has loaded or stored before, with no write to them
 * between, give what is known. */
void opt_again(Ir *ir);
/* Secondary induction variables of loops are rewritten in terms of the one that is tested. */
void opt_induction(Ir *ir);
/* Signed operations on values that are never negative become unsigned. */
void opt_unsigned(Ir *ir);
/* Removes dead code; also unused parameters and results. */
void opt_prune(Ir *ir);
/* Variables that no place names any more; the others are numbered anew. */
void opt_drop_vars(Ir *ir);

/* Takes for granted what a dispatch will prove: indices in bounds; from ASSUME_INNER on also
 * that nothing happens which only happens at the borders of a grid; with ASSUME_USUAL that
 * signed numbers which are divided are not negative, and that index arithmetic is regular
 * for the lanes of `facts` (NULL: for any number of lanes nothing is); and that there are at most
 * `most_groups` workgroups, if that is not 0. The IR holds only for workgroups
 * for which the proof does. The variables must not be renumbered afterwards: the proof
 * names buffers by their order. */
void opt_assume(Ir *ir, Assumptions what, uint32_t most_groups, const Facts *facts, Proof *out);

/* For lanes: x and y change places where more lies side by side along y (Ir.turned).
 * `lanes`: 0 for those that suit. */
void opt_turn(Ir *ir, uint32_t lanes, uint32_t native);
/* For lanes, `lanes` of them, `native` in a vector register: workgroup memory that is but
 * a copy of memory is not made. */
void opt_untile(Ir *ir, uint32_t lanes, uint32_t native);
/* For lanes: what both ways of an IF store at their end is stored after it. */
void opt_sink(Ir *ir);
/* For lanes: what some invocations store where all have read is stored by all. */
void opt_keep(Ir *ir);

/* For lanes: loops around barriers that go round a few times become that many copies. */
void opt_unroll(Ir *ir);
/* The same for loops in which lanes load one word after the other, `lanes` of them. False:
 * there are none. */
bool opt_unroll_runs(Ir *ir, uint32_t lanes, uint32_t native);
/* For lanes: loops that invocations leave one by one have a copy before them, for as
 * long as all of the workgroup stay. */
void opt_peel(Ir *ir);

/* For lanes: long loops over memory that neighbouring workgroups share go slice by slice,
 * for Ir.team workgroups at a time. */
void opt_slice(Ir *ir);
/* For lanes, the same numbers of them: workgroups along y that load the same run as one
 * (Ir.band). */
void opt_band(Ir *ir, uint32_t lanes, uint32_t native);

/* For lanes, those of the facts: code that divides what counts up from lane to lane by what
 * lanes share has a copy for lane groups in which the quotients are shared. True: there is
 * some, and the facts are no longer right. */
bool opt_quotients(Ir *ir, const Facts *facts);

typedef struct OptPass {
    const char *name;                   /* for --dump=NAME                        */
    void      (*run)(Ir *ir);
    const char *why;
} OptPass;

extern const OptPass opt_passes[];      /* in order                               */
extern const uint32_t opt_pass_count;

#endif
