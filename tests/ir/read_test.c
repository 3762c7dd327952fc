// SPDX-License-Identifier: Apache-2.0
/*
 * read_test.c - texts that are kernels, and texts that are none.
 */
#include "support/test.h"

#include <stdio.h>

#include "support/irtext.h"

static Arena arena;
/* tests/ir/kernels/forms.ir: every kind of line, payload and construct. */
static char     whole[8192];
static uint32_t whole_len;

static int setup(void **state)
{
    (void)state;
    FILE *in = fopen(WEFT_TEST_DIR "/kernels/forms.ir", "rb");
    if (!in)
        return -1;
    whole_len = (uint32_t)fread(whole, 1, sizeof whole - 1, in);
    fclose(in);
    arena_init(&arena, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_fini(&arena);
    return 0;
}

/* ---- what is read ---- */

static void test_all_kinds_of_lines_are_read(void **state)
{
    (void)state;
    Ir *ir = irtext_read(&arena, whole);
    assert_string_equal(irtext_print(ir), whole);
    assert_int_equal(ir->next_id, 1001);
    assert_true(str_eq(ir->name, STR("a \"name\" \n\xc3\xa4")));
}

static void test_what_is_read_is_what_it_says(void **state)
{
    (void)state;
    Ir *ir = irtext_read(&arena, whole);
    assert_int_equal(ir->workgroup_size[1], 4);
    assert_int_equal(ir->mem_types.data[5]->structure.fields[1].offset, 24);
    assert_int_equal(ir->vars.data[0]->group, 1);
    assert_int_equal(ir->vars.data[0]->binding, 2);
    assert_false(ir->vars.data[0]->read_only);
    assert_true(ir->vars.data[2]->read_only);
    assert_int_equal(ir->vars.data[4]->data[1], UINT32_MAX);
    assert_null(ir->vars.data[5]->data);
    assert_false(irtext_inst(ir, 5)->in_bounds);
    assert_true(irtext_inst(ir, 9)->in_bounds);
    assert_int_equal(irtext_inst(ir, 13)->swizzle[3], 1);
    assert_int_equal(irtext_inst(ir, 21)->atomic, ATOMIC_COMPARE_EXCHANGE);
    assert_int_equal(irtext_inst(ir, 30)->flow.cases.values[2], UINT32_MAX);
    assert_int_equal(irtext_inst(ir, 30)->flow.nregions, 2);
    assert_ptr_equal(irtext_inst(ir, 46)->target, irtext_inst(ir, 40));
    assert_ptr_equal(irtext_inst(ir, 48)->region, irtext_inst(ir, 40)->flow.regions[1]);
    assert_ptr_equal(irtext_inst(ir, 10)->mem, ir->mem_types.data[9]);
}

static void test_spans_are_places_in_the_text(void **state)
{
    (void)state;
    Ir *ir = irtext_read(&arena, whole);
    const Inst *inst = irtext_inst(ir, 49);
    assert_memory_equal(whole + inst->span.start, "%49", 3);
}

static void test_blanks_do_not_matter(void **state)
{
    (void)state;
    Ir *ir = irtext_read(&arena, "kernel   \"k\"\tsize 1 2 0x3 \r\n{ \n\t%7 =  return\n }\n");
    assert_string_equal(irtext_print(ir), "kernel \"k\" size 1 2 3\n{\n  %7 = return\n}\n");
    ir = irtext_read(&arena, "kernel \"k\" size 16 1 1  subgroup 8  team 0x3  band 2  turned\n{\n"
                             "  %7 = return\n}\n");
    assert_int_equal(ir->team, 3);
    assert_int_equal(ir->band, 2);
    assert_true(ir->turned);
    assert_string_equal(irtext_print(ir),
                        "kernel \"k\" size 16 1 1 subgroup 8 team 3 band 2 turned\n{\n"
                        "  %7 = return\n}\n");
}

/* ---- what is not ---- */

static const struct { const char *text, *says; uint32_t line; } wrong[] = {
    {"", "the text ends where 'kernel' is needed", 1},
    {"kern", "'kern' stands where 'kernel' is needed", 1},
    {"kernel k size 1 1 1\n", "'k' stands where a string is needed", 1},
    {"kernel \"k size 1 1 1\n", "where a string is needed", 1},
    {"kernel \"\\q\" size 1 1 1\n", "not one that is written so", 1},
    {"kernel \"\\ud800\" size 1 1 1\n", "not one that is written so", 1},
    {"kernel \"\\u12\" size 1 1 1\n", "not one that is written so", 1},
    {"kernel \"\xff\" size 1 1 1\n", "not one that is written so", 1},
    {"kernel \"k\" size 1 1\n", "the line ends where a number", 1},
    {"kernel \"k\" size 1 1 4294967296\n", "a number up to 4294967295 is needed", 1},
    {"kernel \"k\" size 1 1 0x\n", "a number up to 4294967295 is needed", 1},
    {"kernel \"k\" size 1 1 1 1\n", "the end of the line is needed", 1},
    {"kernel \"k\" size 1 1 1\n", "the text ends where '{' is needed", 2},
    {"kernel \"k\" size 1 1 1\n{\n", "the text ends where the name of an instruction", 3},
    {"kernel \"k\" size 1 1 1\n{\n}\n", "a region that does not end", 0},
    {"kernel \"k\" size 0 1 1\n{\n  %0 = return\n}\n", "a workgroup of 0 invocations", 0},
    {"kernel \"k\" size 65536 65536 1\n{\n  %0 = return\n}\n", "a workgroup of 4294967296", 0},
    {"kernel \"k\" size 8 1 1 subgroup\n", "the line ends where a number", 1},
    {"kernel \"k\" size 6 1 1 subgroup 6\n{\n  %0 = return\n}\n", "subgroups of 6", 0},
    {"kernel \"k\" size 4 2 1 subgroup 8\n{\n  %0 = return\n}\n", "subgroups of 8", 0},
    {"kernel \"k\" size 8 1 1 team\n", "the line ends where a number", 1},
    {"kernel \"k\" size 8 1 1 turned team 3\n", "'team' stands where the end of the line", 1},
    {"kernel \"k\" size 8 1 1 band\n", "the line ends where a number", 1},
    {"kernel \"k\" size 8 1 1 band 7\n{\n  %0 = return\n}\n", "a band of 7", 0},
    {"kernel \"k\" size 64 1 1 team 0x2000000\n{\n  %0 = return\n}\n", "a team of 33554432", 0},
    {"kernel \"k\" size 1 1 1\n{\n  %0 = return\n}\nx", "'x' stands where the end of the text", 5},
    {"kernel \"k\" size 1 1 1\n{\n  %16777217 = return\n}\n", "the name of an instruction", 3},
};

/* Types and variables, after the line of the kernel, before an empty body. */
static const struct { const char *text, *says; } wrong_memory[] = {
    {"type t1 = value i32 stride 4\n", "the next type is t0"},
    {"type t0 = thing\n", "value, array, struct or bytes is needed"},
    {"type t0 = value i64 stride 4\n", "a type is needed"},
    {"type t0 = value i32x5 stride 4\n", "a type is needed"},
    {"type t0 = value i32 stride 2\n", "components of a size that they do not have"},
    {"type t0 = value f32 stride 4 atomic\n", "only an i32 is atomic"},
    {"type t0 = array t0 count 4 stride 4\n", "there is no type t0 before this"},
    {"type t0 = value i32 stride 4\ntype t1 = value i32 stride 4\n", "the same as t0"},
    {"type t0 = value i32x2 stride 4\ntype t1 = array t0 count 2 stride 4\n",
     "elements that overlap"},
    {"type t0 = value i32 stride 4\ntype t1 = array t0 count 2 stride 6\n",
     "elements that are not aligned"},
    {"type t0 = value i32 stride 4\ntype t1 = array t0 count 2 stride 0\n", "has no size"},
    {"type t0 = value i32 stride 4\n"
     "type t1 = array t0 count 0xffffffffffffffff stride 4\n", "has no size"},
    {"type t0 = value i32 stride 4\ntype t1 = array t0 count 0xffffffffff stride 4\n",
     "an array of another size"},
    {"type t0 = value i32 stride 4\ntype t1 = array t0 count 0 stride 4\n"
     "type t2 = array t1 count 2 stride 8\n", "elements that an array cannot have"},
    {"type t0 = value i32 stride 4\ntype t1 = array t0 count 3 stride 4 matrix\n",
     "a matrix without columns"},
    {"type t0 = struct \"S\" align 4 size 4\n", "without members"},
    {"type t0 = value i32 stride 4\ntype t1 = struct \"S\" align 3 size 4 \"x\" t0 at 0\n",
     "without members or alignment"},
    {"type t0 = value i32 stride 4\n"
     "type t1 = struct \"S\" align 4 size 8 \"x\" t0 at 4 \"y\" t0 at 0\n", "overlaps"},
    {"type t0 = value i32 stride 4\ntype t1 = struct \"S\" align 4 size 8 \"x\" t0 at 2\n",
     "not aligned"},
    {"type t0 = value i32 stride 4\ntype t1 = struct \"S\" align 4 size 2 \"x\" t0 at 0\n",
     "a structure of another size"},
    {"type t0 = value i32 stride 4\ntype t1 = array t0 count 0 stride 4\n"
     "type t2 = struct \"S\" align 4 size 8 \"x\" t1 at 0 \"y\" t0 at 4\n",
     "a type that it cannot have"},
    {"var v0 storage \"x\" t0 group 0 binding 0\n", "there is no type t0 before this"},
    {"type t0 = value i32 stride 4\nvar v1 private \"x\" t0\n", "the next variable is v0"},
    {"type t0 = value i32 stride 4\nvar v0 handle \"x\" t0\n", "an address space is needed"},
    {"type t0 = value i32 stride 4\nvar v0 storage \"x\" t0\n", "'group' is needed"},
    {"type t0 = value i32 stride 4\nvar v0 private \"x\" t0 group 0 binding 0\n",
     "the end of the line is needed"},
    {"type t0 = value i32 stride 4\nvar v0 constant \"x\" t0 data 0x1 0x2\n",
     "2 slots of data for a variable of 1"},
    {"type t0 = value f16 stride 2\nvar v0 private \"x\" t0\n", "not laid out in slots"},
    {"type t0 = value i32 stride 4\ntype t1 = array t0 count 0 stride 4\n"
     "var v0 workgroup \"x\" t1\n", "a variable of no known size"},
    {"type t0 = value i32 stride 4\ntype t1 = array t0 count 0x20000000 stride 4\n"
     "var v0 workgroup \"x\" t1\n", "a variable of no known size"},
};

/* Bodies, after IRTEXT_HEAD; a return follows. */
static const struct { const char *text, *says; } wrong_bodies[] = {
    {"%0 = nonsense\n", "an operation is needed"},
    {"%0 = param i32\n", "an operation is needed"},
    {"%0 return\n", "'=' is needed"},
    {"0 = return\n", "the name of an instruction is needed"},
    {"%0 = const i32\n", "a number up to"},
    {"%0 = const i32 1 2\n", "the end of the line is needed"},
    {"%0 = const 1\n", "'1' stands where the end of the line is needed"},
    {"%0 = const i32 1\n%0 = const i32 1\n", "%0 is there already"},
    {"%0 = iadd i32 %1 %1\n", "there is no %1 before this"},
    {"%0 = input i32 #14\n", "the number of an input is needed"},
    {"%0 = barrier #8\n", "the sum of barriers is needed"},
    {"%0 = var v2\n", "there is no variable v2"},
    {"%0 = var v0\n%1 = field %0 #0\n", "there is no member 0"},
    {"%0 = field #0\n", "there is no member 0"},
    {"%0 = const i32 1\n%1 = elem %0 %0\n", "a place that has no elements"},
    {"%0 = var v0\n%1 = const i32 0\n%2 = elem %0 %1\n%3 = elem %2 %1\n",
     "a place that has no elements"},
    {"%0 = const f32x2 0 0\n%1 = swizzle f32x2 %0 #xyz\n", "for each of the result"},
    {"%0 = const f32x2 0 0\n%1 = swizzle f32x2 %0 #xq\n", "a list of x, y, z, w"},
    {"%0 = const i32 0\n%1 = break of %0\n", "%0 is not around this"},
    {"%0 = block {\n%1 = break of %0\n}\n%2 = break of %0\n", "%0 is not around this"},
    {"%0 = const i32 0\n%1 = switch %0 case 1 0 {\n%2 = break of %1\n}\n", "':' is needed"},
    {"%0 = const bool 2\n", "not of the form that its operation has"},
    {"%0 = const f16 0x10000\n", "not of the form"},
    {"%0 = if {\n%1 = yield\n} {\n%2 = yield\n}\n", "too few operands"},
};

static void expect_fault(const char *text, const char *says, uint32_t line)
{
    Diag diag = {.arena = &arena};
    LineTable lines;
    if (ir_read(&arena, str_of(text), &diag))
        fail_msg("this was read: %s", text);
    assert_int_equal(diag.errors, 1);
    const Diagnostic *d = &diag.list.data[0];
    if (!strstr(d->message, says))
        fail_msg("'%s' instead of '%s'", d->message, says);
    line_table_init(&lines, &arena, str_of(text));
    if (line)
        assert_int_equal(line_table_place(&lines, d->span).line, line);
    assert_true(d->span.end <= strlen(text));
}

static void test_texts_that_are_no_kernels_are_rejected(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(wrong); i++)
        expect_fault(wrong[i].text, wrong[i].says, wrong[i].line);
    for (size_t i = 0; i < COUNTOF(wrong_memory); i++)
        expect_fault(arena_printf(&arena, "kernel \"k\" size 1 1 1\n%s{\n  %%0 = return\n}\n",
                                  wrong_memory[i].text), wrong_memory[i].says, 0);
    for (size_t i = 0; i < COUNTOF(wrong_bodies); i++)
        expect_fault(arena_printf(&arena, "%s{\n%s%%99 = return\n}\n", IRTEXT_HEAD,
                                  wrong_bodies[i].text), wrong_bodies[i].says, 0);
}

/* However a text is cut short, the answer is a diagnostic. */
static void test_every_prefix_is_rejected(void **state)
{
    (void)state;
    for (uint32_t len = 0; len + 1 < whole_len; len++) {
        Diag diag = {.arena = &arena};
        char *cut = arena_copy(&arena, whole, len);
        assert_null(ir_read(&arena, (Str){cut, len}, &diag));
        assert_int_equal(diag.errors, 1);
    }
}

/* Hostile builds move an array at every push: what they leave behind adds up. */
#ifdef WEFT_STRESS
#define DEEP 2000u
#else
#define DEEP 100000u
#endif

static void test_deep_texts_are_rejected(void **state)
{
    (void)state;
    Text t = {.arena = &arena};
    text_printf(&t, IRTEXT_HEAD "{\n%%0 = const bool 1\n");
    for (uint32_t i = 1; i < DEEP; i++)
        text_printf(&t, "%%%u = if %%0 {\n", i);
    expect_fault(t.data, "regions inside each other", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds_of_lines_are_read),
        cmocka_unit_test(test_what_is_read_is_what_it_says),
        cmocka_unit_test(test_spans_are_places_in_the_text),
        cmocka_unit_test(test_blanks_do_not_matter),
        cmocka_unit_test(test_texts_that_are_no_kernels_are_rejected),
        cmocka_unit_test(test_every_prefix_is_rejected),
        cmocka_unit_test(test_deep_texts_are_rejected),
    };
    return cmocka_run_group_tests_name("ir_read", tests, setup, teardown);
}
