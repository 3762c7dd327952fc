// SPDX-License-Identifier: Apache-2.0
/*
 * flow_priv.h - control flow, between those who emit constructs.
 */
#ifndef WEFT_EMIT_LLVM_FLOW_PRIV_H
#define WEFT_EMIT_LLVM_FLOW_PRIV_H

#include "emit/llvm/emit_priv.h"

/* ---- flow.c ---- */

/* Emits a region under `mask`; what does not jump falls to `after`. */
void flow_region(Emit *e, const Region *region, LlvmValue mask, LlvmBlock after);
/* Both ways of an IF, each for the lanes that take it; `t` is open. */
void flow_if_divergent(Emit *e, const Inst *inst, Target *t);

/* ---- mask.c: masks in slots ---- */

LlvmValue mask_slot_take(Emit *e);
LlvmValue mask_slot_load(Emit *e, LlvmValue slot);
void      mask_slot_clear(Emit *e, LlvmValue slot);
void      mask_slot_add(Emit *e, LlvmValue slot, LlvmValue mask);

/* ---- slots.c ---- */

/* Slots of parameters and results, for each component and side. */
LlvmValue *slots_new(Emit *e, Inst *const *insts, uint32_t n);
void       slots_free(Emit *e, Inst *const *insts, uint32_t n, const LlvmValue *slots);
/* Lanes that are off have nothing in them. Without this the values of the round before, of
 * the lane group and even the workgroup before, stay alive up to here. */
void       slots_clear(Emit *e, Inst *const *insts, uint32_t n, const LlvmValue *slots);
void       slots_load(Emit *e, Inst *const *insts, uint32_t n, const LlvmValue *slots);
/* Gives `args` to the slots of `insts`; `slots` NULL: to their contexts. With
 * `meet`, lanes that are off keep what they had. */
void       slots_give(Emit *e, Inst *const *insts, uint32_t n, Inst *const *args,
                      const LlvmValue *slots, LlvmValue meet);

/* ---- construct.c ---- */

/* `exit`: the name of the block after the construct. */
void construct_open(Emit *e, Target *t, const Inst *construct, const char *exit);
/* After a construct: what arrived is active, its results are values. */
void construct_close(Emit *e, Target *t, LlvmValue mask_before);
/* The active lanes, with their values, arrive at the exit of `t`. */
void construct_arrive(Emit *e, Target *t, Inst *const *args);
/* The active lanes leave: BREAK, CONTINUE, RETURN. */
void construct_break(Emit *e, const Inst *inst);
void construct_continue(Emit *e, const Inst *inst);
void construct_return(Emit *e);

/* ---- loop.c ---- */

/* A LOOP whose target is open. */
void loop_emit(Emit *e, const Inst *inst, Target *t);

/* ---- guard.c ---- */

/* An IF for which there is a better way than for any; false: there is none. */
bool guard_if(Emit *e, const Inst *inst);
/* A guard and all that follows it in its region; false: it is none that is worth it. */
bool guard_rest(Emit *e, const Inst *inst);

#endif
