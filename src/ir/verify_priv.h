// SPDX-License-Identifier: Apache-2.0
/*
 * verify_priv.h - the parts of ir_verify(), and what ir_read() wants of it.
 */
#ifndef WEFT_IR_VERIFY_PRIV_H
#define WEFT_IR_VERIFY_PRIV_H

#include "ir/ir.h"

typedef struct Verify {
    const Ir   *ir;
    bool       *visible;            /* [next_id] may be used where the walk is    */
    bool       *seen;               /* [next_id] ids are unique                   */
    const char *fault;              /* the first                                  */
    const Inst *where;              /* it stands at, or NULL: in no instruction   */
} Verify;

/* Keeps the first fault; always false. */
bool verify_fault(Verify *v, const Inst *inst, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Types of memory and variables. */
bool verify_memory(Verify *v);
/* What ops.def says of one instruction: its shape, and what the comments say. */
bool verify_op(Verify *v, const Inst *inst);

/* ir_verify(), and the instruction at fault. */
const char *verify_ir(const Ir *ir, const Inst **where);

#endif
