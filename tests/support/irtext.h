/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/irtext.h - kernels written down as IR, for tests of one stage alone.
 *
 *     Ir *ir = irtext_read(&arena, IRTEXT_I32 "{\n  %0 = return\n}\n");
 *     assert_string_equal(irtext_print(ir), ...);
 */
#ifndef WEFT_SUPPORT_IRTEXT_H
#define WEFT_SUPPORT_IRTEXT_H

#include "ir/ir.h"

/* The lines before the body: a kernel of 64 invocations with the array of numbers
 * v0 that it may write, the read-only v1, and types for them. */
#define IRTEXT_HEAD                                                                \
    "kernel \"k\" size 64 1 1\n"                                                   \
    "type t0 = value i32 stride 4\n"                                               \
    "type t1 = array t0 count 0 stride 4\n"                                        \
    "type t2 = array t0 count 8 stride 4\n"                                        \
    "type t3 = value f32 stride 4\n"                                               \
    "var v0 storage \"out\" t1 group 0 binding 0\n"                                \
    "var v1 storage \"in\" t1 group 0 binding 1 read\n"

/* Reads a text that must be right; fails the test with the diagnostic if not. */
Ir *irtext_read(Arena *a, const char *text);
/* NUL-terminated, in the Ir's arena. */
const char *irtext_print(const Ir *ir);
/* From the first line of the body on, without the head. */
const char *irtext_body(const Ir *ir);
/* The instruction of an id. */
const Inst *irtext_inst(const Ir *ir, uint32_t id);
/* The first of an operation in the order of the text; NULL: none. */
const Inst *irtext_find(const Ir *ir, IrOp op);
uint32_t irtext_count(const Ir *ir, IrOp op);

#endif
