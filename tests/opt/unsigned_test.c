/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsigned_test.c - which signed operations become unsigned.
 */
#include "support/test.h"

#include "opt/opt.h"
#include "support/irtext.h"

/* %4 is not negative and at most 63; %6 is any number; %8 is positive, %9 negative. */
#define HEAD                                                                       \
    IRTEXT_HEAD "{\n"                                                              \
    "  %1 = var v0\n"                                                              \
    "  %2 = const i32 0x0\n"                                                       \
    "  %3 = elem %1 %2\n"                                                          \
    "  %4 = input i32 #0\n"                                                        \
    "  %6 = load i32 %3\n"                                                         \
    "  %8 = const i32 0x7\n"                                                       \
    "  %9 = const i32 0xfffffff9\n"
#define TAIL "  %99 = return\n}\n"

static void test_operations(void **state)
{
    static const struct {
        const char *what, *inst;
        IrOp        op;
    } cases[] = {
        {"a quotient of an id", "sdiv i32 %4 %8", IR_UDIV},
        {"a remainder of an id", "srem i32 %4 %8", IR_UREM},
        {"a quotient of any number", "sdiv i32 %6 %8", IR_SDIV},
        {"a quotient by any number", "sdiv i32 %4 %6", IR_SDIV},
        {"a quotient by a negative number", "sdiv i32 %4 %9", IR_SDIV},
        {"a comparison", "slt bool %4 %8", IR_ULT},
        {"a comparison with any number", "sle bool %4 %6", IR_SLE},
        {"the smaller", "smin i32 %4 %8", IR_UMIN},
        {"the larger", "smax i32 %8 %4", IR_UMAX},
        {"the larger of a negative number", "smax i32 %9 %4", IR_SMAX},
        {"a shift", "sar i32 %4 %8", IR_SHR},
        {"a shift by any number", "sar i32 %4 %6", IR_SHR},
        {"a shift of any number", "sar i32 %6 %8", IR_SAR},
        {"a sum stays", "iadd i32 %4 %8", IR_IADD},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Arena arena;
        arena_init(&arena, 0);
        const char *text = arena_printf(&arena, "%s  %%20 = %s\n%s", HEAD, cases[i].inst, TAIL);
        Ir *ir = irtext_read(&arena, text);
        opt_unsigned(ir);
        IrOp op = (IrOp)irtext_inst(ir, 20)->op;
        if (op != cases[i].op)
            fail_msg("%s: %s", cases[i].what, ir_op_name(op));
        arena_fini(&arena);
    }
}

/* The quotient of one operation is known to be small in the next. */
static void test_chains(void **state)
{
    Arena arena;
    (void)state;
    arena_init(&arena, 0);
    Ir *ir = irtext_read(&arena, HEAD "  %20 = sdiv i32 %4 %8\n  %21 = srem i32 %20 %8\n" TAIL);
    opt_unsigned(ir);
    assert_int_equal(irtext_inst(ir, 21)->op, IR_UREM);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
