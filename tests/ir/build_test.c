// SPDX-License-Identifier: Apache-2.0
/*
 * build_test.c - making, moving and removing instructions; types of memory that
 * are made once.
 */
#include "support/test.h"

#include "support/irtext.h"

static Arena arena;
static Ir   *ir;
static IrCursor c;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    ir = ir_new(&arena, STR("k"));
    c = (IrCursor){.ir = ir, .region = ir->body};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_fini(&arena);
    return 0;
}

static void expect_body(const char *body)
{
    assert_null(ir_verify(ir));
    assert_string_equal(irtext_body(ir), body);
}

static void test_an_empty_kernel_needs_an_end(void **state)
{
    (void)state;
    assert_non_null(ir_verify(ir));
    ir_leave(&c, IR_RETURN, NULL, 0, NULL);
    expect_body("{\n  %0 = return\n}\n");
}

static void test_types_follow_from_operands(void **state)
{
    (void)state;
    Inst *x = ir_const(&c, (IrType){SCALAR_F16, 3}, (IrConstant){{1, 2, 3}});
    Inst *less = ir_op2(&c, IR_FLT, x, x);
    Inst *both = ir_op3(&c, IR_SELECT, less, x, x);
    Inst *any = ir_op1(&c, IR_ANY, less);
    ir_leave(&c, IR_RETURN, NULL, 0, NULL);
    assert_true(ir_type_eq(less->type, (IrType){SCALAR_BOOL, 3}));
    assert_true(ir_type_eq(both->type, x->type));
    assert_true(ir_type_eq(any->type, IR_BOOL));
    assert_null(ir_verify(ir));
}

static void test_parts_of_vectors(void **state)
{
    (void)state;
    Inst *x = ir_f32(&c, 1.5f);
    assert_ptr_equal(ir_splat(&c, x, 1), x);
    assert_ptr_equal(ir_extract(&c, x, 0), x);
    Inst *v = ir_splat(&c, x, 3);
    ir_swizzle(&c, v, (const uint8_t[]){2, 0}, 2);
    ir_swizzle(&c, v, (const uint8_t[]){1}, 1);
    ir_leave(&c, IR_RETURN, NULL, 0, NULL);
    expect_body("{\n"
                "  %0 = const f32 0x3fc00000\n"
                "  %1 = vec f32x3 %0 %0 %0\n"
                "  %2 = swizzle f32x2 %1 #zx\n"
                "  %3 = extract f32 %1 #1\n"
                "  %4 = return\n"
                "}\n");
}

static void test_a_cursor_before_an_instruction(void **state)
{
    (void)state;
    Inst *end = ir_leave(&c, IR_RETURN, NULL, 0, NULL);
    c.before = end;
    Inst *x = ir_i32(&c, 1);
    c.before = x;
    ir_i32(&c, 2);
    expect_body("{\n  %2 = const i32 0x2\n  %1 = const i32 0x1\n  %0 = return\n}\n");
}

static void test_instructions_are_removed_and_moved(void **state)
{
    (void)state;
    Inst *x = ir_i32(&c, 1), *y = ir_i32(&c, 2), *z = ir_i32(&c, 3);
    ir_leave(&c, IR_RETURN, NULL, 0, NULL);
    ir_remove(y);
    assert_null(y->region);
    ir_move_before(z, x);
    expect_body("{\n  %2 = const i32 0x3\n  %0 = const i32 0x1\n  %3 = return\n}\n");
    ir_remove(z);
    ir_remove(x);
    expect_body("{\n  %3 = return\n}\n");
}

static void test_a_construct_moves_with_its_results(void **state)
{
    (void)state;
    Inst *yes = ir_bool(&c, true);
    Inst *outer = ir_block(&c);
    ir_leave(&c, IR_RETURN, NULL, 0, NULL);
    IrCursor in = {.ir = ir, .region = outer->flow.regions[0]};
    Inst *end = ir_leave(&in, IR_BREAK, outer, 0, NULL);
    c.before = outer;
    Inst *choice = ir_if(&c, yes);
    Inst *result = ir_result(ir, choice, IR_BOOL);
    for (int i = 0; i < 2; i++) {
        IrCursor way = {.ir = ir, .region = choice->flow.regions[i]};
        ir_leave(&way, IR_YIELD, NULL, 1, &yes);
    }
    assert_ptr_equal(result->region, ir->body);
    ir_move_before(choice, end);
    assert_ptr_equal(result->region, outer->flow.regions[0]);
    assert_null(ir_verify(ir));
}

static void test_a_loop_has_a_parameter_for_each_first_value(void **state)
{
    (void)state;
    Inst *firsts[] = {ir_i32(&c, 0), ir_f32(&c, 1)};
    Inst *loop = ir_loop(&c, 2, firsts);
    ir_leave(&c, IR_RETURN, NULL, 0, NULL);
    IrCursor in = {.ir = ir, .region = loop->flow.regions[0]};
    assert_int_equal(in.region->nparams, 2);
    assert_true(ir_type_eq(in.region->params[1]->type, IR_F32));
    Inst *leave = ir_leave(&in, IR_CONTINUE, loop, 0, NULL);
    in.region = loop->flow.regions[1];
    Inst *next = ir_leave(&in, IR_NEXT, NULL, 2, firsts);
    assert_null(ir_verify(ir));
    ir_param(ir, loop->flow.regions[1], IR_BOOL);
    assert_non_null(ir_verify(ir));             /* CONTINUE brings nothing for it */
    c.before = loop;
    ir_add_arg(ir, leave, ir_bool(&c, false));
    assert_null(ir_verify(ir));
    ir_add_arg(ir, next, firsts[0]);
    assert_non_null(ir_verify(ir));             /* and now NEXT brings too much   */
}

static void test_places(void **state)
{
    (void)state;
    const MemType *f = ir_mem_value(ir, IR_F32, false, 4);
    const MemType *v = ir_mem_value(ir, (IrType){SCALAR_F32, 3}, false, 4);
    const MemType *list = ir_mem_array(ir, v, 0, 16, false);
    MemField fields[] = {{f, 0, STR("n")}, {list, 16, STR("list")}};
    const MemType *s = ir_mem_struct(ir, STR("S"), fields, 2, 16, 16);
    IrVar *var = ir_var_new(ir, IRSPACE_STORAGE, STR("s"), s);
    Inst *one = ir_i32(&c, 1);
    Inst *place = ir_place_field(&c, ir_place_var(&c, var), 1);
    place = ir_place_elem(&c, place, one);
    assert_ptr_equal(place->mem, v);
    place = ir_place_elem(&c, place, one);
    assert_ptr_equal(place->mem, f);
    Inst *x = ir_load(&c, place);
    assert_true(ir_type_eq(x->type, IR_F32));
    ir_store(&c, place, x);
    ir_leave(&c, IR_RETURN, NULL, 0, NULL);
    assert_null(ir_verify(ir));
}

/* ---- types of memory ---- */

static void test_equal_types_are_one(void **state)
{
    (void)state;
    const MemType *i = ir_mem_value(ir, IR_I32, false, 4);
    MemField fields[] = {{i, 0, STR("x")}, {i, 4, STR("y")}};
    assert_ptr_equal(i, ir_mem_value(ir, IR_I32, false, 4));
    assert_ptr_equal(ir_mem_array(ir, i, 3, 4, false), ir_mem_array(ir, i, 3, 4, false));
    assert_ptr_equal(ir_mem_struct(ir, STR("S"), fields, 2, 4, 8),
                     ir_mem_struct(ir, STR("S"), fields, 2, 4, 8));
    assert_ptr_equal(ir_mem_bytes(ir, 12), ir_mem_bytes(ir, 12));
}

static void test_types_that_differ_are_two(void **state)
{
    (void)state;
    const MemType *i = ir_mem_value(ir, IR_I32, false, 4);
    const MemType *h = ir_mem_value(ir, IR_F16, false, 2);
    MemField fields[] = {{i, 0, STR("x")}, {i, 4, STR("y")}};
    MemField renamed[] = {{i, 0, STR("x")}, {i, 4, STR("z")}};
    MemField moved[] = {{i, 0, STR("x")}, {i, 8, STR("y")}};
    const MemType *s = ir_mem_struct(ir, STR("S"), fields, 2, 4, 16);
    assert_ptr_not_equal(i, ir_mem_value(ir, IR_F32, false, 4));
    assert_ptr_not_equal(i, ir_mem_value(ir, IR_I32, true, 4));
    assert_ptr_not_equal(h, ir_mem_value(ir, IR_F16, false, 4));
    assert_ptr_not_equal(ir_mem_array(ir, i, 3, 4, false), ir_mem_array(ir, i, 4, 4, false));
    assert_ptr_not_equal(ir_mem_array(ir, i, 3, 4, false), ir_mem_array(ir, i, 3, 8, false));
    assert_ptr_not_equal(s, ir_mem_struct(ir, STR("T"), fields, 2, 4, 16));
    assert_ptr_not_equal(s, ir_mem_struct(ir, STR("S"), renamed, 2, 4, 16));
    assert_ptr_not_equal(s, ir_mem_struct(ir, STR("S"), moved, 2, 4, 16));
    assert_ptr_not_equal(s, ir_mem_struct(ir, STR("S"), fields, 2, 8, 16));
    assert_ptr_not_equal(s, ir_mem_struct(ir, STR("S"), fields, 1, 4, 16));
    for (uint32_t k = 0; k < ir->mem_types.len; k++)
        assert_int_equal(ir->mem_types.data[k]->id, k);
}

static void test_sizes_of_types(void **state)
{
    (void)state;
    const MemType *v = ir_mem_value(ir, (IrType){SCALAR_F16, 3}, false, 2);
    assert_int_equal(v->size, 6);
    assert_int_equal(v->align, 2);
    assert_int_equal(ir_mem_array(ir, v, 5, 8, true)->size, 40);
    assert_int_equal(ir_mem_array(ir, v, 0, 8, false)->size, 0);
    assert_int_equal(ir_mem_bytes(ir, 0)->size, 0);
}

/* ---- the table ---- */

static void test_every_row_of_the_table_is_filled_in(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < IR_OP_COUNT; i++) {
        IrOp op = (IrOp)i;
        assert_true(strlen(ir_op_name(op)) > 0);
        assert_non_null(strchr("Tp-", ir_op_shape(op)[0]));
        assert_int_equal(ir_op_shape(op)[0] == 'T', strlen(ir_op_kinds(op)) > 0);
        assert_int_equal(ir_op_ends_region(op) || ir_op_is_construct(op),
                         ir_op_effect(op) == EFFECT_FLOW);
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(ir_op_name(op), ir_op_name((IrOp)k));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_an_empty_kernel_needs_an_end),
        TEST(test_types_follow_from_operands),
        TEST(test_parts_of_vectors),
        TEST(test_a_cursor_before_an_instruction),
        TEST(test_instructions_are_removed_and_moved),
        TEST(test_a_construct_moves_with_its_results),
        TEST(test_a_loop_has_a_parameter_for_each_first_value),
        TEST(test_places),
        TEST(test_equal_types_are_one),
        TEST(test_types_that_differ_are_two),
        TEST(test_sizes_of_types),
        TEST(test_every_row_of_the_table_is_filled_in),
    };
    return cmocka_run_group_tests_name("ir_build", tests, NULL, NULL);
}
