// SPDX-License-Identifier: Apache-2.0
/*
 * target_priv.h - between emit.c and target.c.
 */
#ifndef WEFT_EMIT_LLVM_TARGET_PRIV_H
#define WEFT_EMIT_LLVM_TARGET_PRIV_H

#include "emit/llvm/emit_priv.h"

#define EMIT_ENTRY_NAME "weft_kernel"

/* Fills e->module; e->context, builders, arena, facts and options are set. */
void emit_module(Emit *e);

/* After LLVM's passes, on machines without mask registers. */
void widen_masks(Emit *e);

/* Marks e->function with the machine's features and what LLVM may assume. */
void target_attributes(Emit *e);

#endif
