/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer_test.c - the WGSL writer: its text is WGSL, its literals read back, its names are
 * legal; texts of embedded kernels.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <weft/wgsl.h>

#include "context/context.h"
#include "context/writer.h"

static Arena arena;

static void expect_wgsl(const char *text)
{
    weft_wgsl *m = weft_wgsl_create(&(weft_wgsl_desc){.source = text});
    if (!weft_wgsl_ok(m))
        fail_msg("%s\n%s", weft_wgsl_diagnostic_get(m, 0)->message, text);
    weft_wgsl_release(m);
}

static void test_a_module_reads_as_written_by_hand(void **state)
{
    (void)state;
    Writer w;
    writer_init(&w, &arena);
    writer_comment(&w, "y = relu(x)\nover %u elements", 12u);
    writer_binding(&w, 0, 0, WRITER_READ, "x", "array<f32>");
    writer_binding(&w, 0, 1, WRITER_READ_WRITE, "y", "array<f32>");
    writer_binding(&w, 1, 0, WRITER_UNIFORM, "n", "u32");
    writer_blank(&w);
    writer_begin_main(&w, 8, 4, 1, WRITER_ID | WRITER_INDEX);
    writer_open(&w, "if id.x < n");
    writer_line(&w, "y[id.x] = max(x[id.x], %s);", writer_literal(&arena, WRITER_F32, 0));
    writer_else(&w);
    writer_line(&w, "y[index] = 1.0;");
    writer_close(&w);
    writer_end_main(&w);
    const char *text = writer_text(&w);
    assert_string_equal(text,
        "// y = relu(x)\n"
        "// over 12 elements\n"
        "@group(0) @binding(0) var<storage, read> x : array<f32>;\n"
        "@group(0) @binding(1) var<storage, read_write> y : array<f32>;\n"
        "@group(1) @binding(0) var<uniform> n : u32;\n"
        "\n"
        "@compute @workgroup_size(8, 4)\n"
        "fn main(@builtin(global_invocation_id) id : vec3u,\n"
        "        @builtin(local_invocation_index) index : u32) {\n"
        "    if id.x < n {\n"
        "        y[id.x] = max(x[id.x], 0.0f);\n"
        "    } else {\n"
        "        y[index] = 1.0;\n"
        "    }\n"
        "}\n");
    expect_wgsl(text);
}

static void test_long_lines_are_kept(void **state)
{
    (void)state;
    Writer w;
    char   name[2000];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    writer_init(&w, &arena);
    writer_line(&w, "%s%s", name, name);
    assert_int_equal(strlen(writer_text(&w)), 2 * 1999 + 1);
}

static void test_literals_read_back(void **state)
{
    (void)state;
    static const double values[] = {
        0, -0.0, 1, -1, 0.1, 1.5, 3.402823466e38, 1.17549435e-38, 1e-45, 1e10, 123456789,
        -2.5e-7, 16777216,
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        float       f = (float)values[i];
        const char *text = writer_literal(&arena, WRITER_F32, f);
        float       back = strtof(text + strspn(text, "(-"), NULL);
        assert_true(back == fabsf(f));
        assert_int_equal(strchr(text, '-') == text + 1, signbit(f) != 0);
        expect_wgsl(arena_printf(&arena, "const x : f32 = %s;", text));
    }
    assert_string_equal(writer_literal(&arena, WRITER_U32, 4294967295.0), "4294967295u");
    assert_string_equal(writer_literal(&arena, WRITER_I32, -7), "-7i");
    expect_wgsl(arena_printf(&arena, "const x : i32 = %s;",
                             writer_literal(&arena, WRITER_I32, -2147483648.0)));
    assert_string_equal(writer_literal(&arena, WRITER_F16, 0.5), "0.5h");
    assert_string_equal(writer_literal(&arena, WRITER_F64, 0.1), "0.1lf");
}

static void test_infinities_and_nan_are_legal(void **state)
{
    (void)state;
    Writer w;
    writer_init(&w, &arena);
    writer_enable(&w, "f16");
    writer_specials(&w);
    writer_binding(&w, 0, 0, WRITER_READ_WRITE, "y", "array<f32>");
    writer_begin_main(&w, 1, 1, 1, 0);
    writer_line(&w, "y[0] = %s;", writer_literal(&arena, WRITER_F32, (double)INFINITY));
    writer_line(&w, "y[1] = %s;", writer_literal(&arena, WRITER_F32, -(double)INFINITY));
    writer_line(&w, "y[2] = %s;", writer_literal(&arena, WRITER_F32, (double)NAN));
    writer_line(&w, "y[3] = f32(%s);", writer_literal(&arena, WRITER_F16, (double)INFINITY));
    writer_end_main(&w);
    expect_wgsl(writer_text(&w));
}

static void test_any_text_becomes_a_name(void **state)
{
    (void)state;
    static const char *const wishes[] = {
        "x", "layer.0.weight", "", "_", "__", "0", "9lives", "if", "vec3", "max", "switch",
        "array", "f32", "\xc3\xa4\xc3\xb6", "a b", "-", "--", "\xff\xfe", "self", "main_",
    };
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        const char *name = writer_name(&arena, wishes[i]);
        assert_true(*name);
        expect_wgsl(arena_printf(&arena, "var<private> %s : f32 = max(1.0, 2.0);", name));
    }
    assert_string_equal(writer_name(&arena, "layer.0.weight"), "layer_0_weight");
    assert_string_equal(writer_name(&arena, "x1"), "x1");
    assert_string_equal(writer_name(&arena, "max"), "max_");
    assert_true(weft_wgsl_is_reserved("while"));
    assert_true(weft_wgsl_is_reserved("vec3f"));
    assert_false(weft_wgsl_is_reserved("weight"));
    assert_false(weft_wgsl_is_reserved(NULL));
}

static void test_kernels_are_found_and_filled_in(void **state)
{
    (void)state;
    static const EmbeddedKernel table[] = {
        {"first", "a ${X} b ${LONG_NAME}${X}\n"}, {"second", "plain"}, {0, 0},
    };
    assert_string_equal(context_kernel_find(table, "second"), "plain");
    const char *text = context_kernel_find(table, "first");
    assert_string_equal(context_kernel_text(&arena, text, "X", "1", "LONG_NAME", "2", NULL),
                        "a 1 b 21\n");
    assert_string_equal(context_kernel_text(&arena, "plain", NULL), "plain");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_module_reads_as_written_by_hand),
        cmocka_unit_test(test_long_lines_are_kept),
        cmocka_unit_test(test_literals_read_back),
        cmocka_unit_test(test_infinities_and_nan_are_legal),
        cmocka_unit_test(test_any_text_becomes_a_name),
        cmocka_unit_test(test_kernels_are_found_and_filled_in),
    };
    arena_init(&arena, 0);
    int failed = cmocka_run_group_tests_name("writer", tests, NULL, NULL);
    arena_fini(&arena);
    return failed;
}
