// SPDX-License-Identifier: Apache-2.0
/*
 * wide_priv.h - workgroups with barriers, between wide.c, segment.c and context.c.
 */
#ifndef WEFT_EMIT_LLVM_WIDE_PRIV_H
#define WEFT_EMIT_LLVM_WIDE_PRIV_H

#include "emit/llvm/emit_priv.h"

/* ---- segment.c ---- */

/* What a segment is: code, and what gives its values to the construct that it leaves, or
 * NULL. */
typedef struct Segment {
    const Inst *first, *end;        /* end: NULL: to the last                     */
    void      (*give)(Emit *e, const Inst *leave);
    const Inst *leave;
} Segment;

/* Its code for all lane groups. */
void      segment_emit(Emit *e, const Segment *s);
/* Masks of who has left, one a lane group, all off at this point. */
LlvmValue segment_away_new(Emit *e);

/* ---- context.c ---- */

/* Emit.contexts, for the kernel's body: what belongs where. */
void      context_init(Emit *e);
/* Does a segment end before this instruction? */
bool      context_cuts(const Emit *e, const Inst *inst);
/* Does another segment look for this value in a context? */
bool      context_is_kept(const Emit *e, const Inst *inst);
/* A segment starts: where code goes before its first lane group, and before its code. */
void      context_start(Emit *e, LLVMBuilderRef before, LLVMBuilderRef preamble);
/* After a segment: what was given counts from now on. */
void      context_take_given(Emit *e);
/* A value that the whole workgroup shares, between segments. */
LlvmValue context_between(Emit *e, const Inst *inst);

#endif
