/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit_test.c - kernels that grow, nest or reserve without end are refused, soon
 * and with a reason; those that are merely long are lowered.
 */
#include "support/test.h"

#include "base/text.h"
#include "lower/lower.h"
#include "syntax/syntax.h"

/* In hostile builds arrays move at every push, so that length costs its square. */
#ifdef WEFT_STRESS
#define LONG(n) ((n) / 20)
#else
#define LONG(n) (n)
#endif

typedef struct Try {
    Arena   arena;
    Text    source;
    Diag    diag;
    Ir     *ir;
} Try;

static void try_lower(void *context)
{
    Try *t = context;
    Specialization s;
    Str source = {t->source.data, (uint32_t)t->source.len};
    Module *m = syntax_parse(&t->arena, source, &t->diag);
    if (!check_module(m, &(CheckOptions){0}, &t->diag))
        return;
    const Decl *entry = m->info->entry_points.data[0];
    if (check_specialize(&s, &t->arena, m, entry, NULL, 0, &t->diag))
        t->ir = lower_entry_point(&t->arena, m, entry, &s, &t->diag);
}

typedef void Writer(Text *out);

static void run(Try *t, Writer *write)
{
    *t = (Try){0};
    arena_init(&t->arena, (size_t)3 << 30);
    t->source.arena = &t->arena;
    t->diag.arena = &t->arena;
    write(&t->source);
    assert_true(arena_try(&t->arena, try_lower, t));
}

static void expect_lowered(Writer *write)
{
    Try t;
    run(&t, write);
    if (t.diag.list.len)
        print_error("%s\n", t.diag.list.data[0].message);
    assert_non_null(t.ir);
    arena_fini(&t.arena);
}

static void expect_refused(Writer *write, DiagId id)
{
    Try t;
    run(&t, write);
    assert_null(t.ir);
    assert_int_equal(t.diag.list.len, 1);
    assert_string_equal(diag_id_name(t.diag.list.data[0].id), diag_id_name(id));
    arena_fini(&t.arena);
}

#define BUFFER "@group(0) @binding(0) var<storage, read_write> b : array<i32>;\n"
#define MAIN   "@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i : u32) {\n"

/* ---- growth ---- */

static void doubling_calls(Text *out)
{
    text_printf(out, BUFFER "fn f0(x : i32) -> i32 { return x * 3 + 1; }\n");
    for (int i = 1; i < 60; i++)
        text_printf(out, "fn f%d(x : i32) -> i32 { return f%d(x) + f%d(x + 1); }\n", i,
                    i - 1, i - 1);
    text_printf(out, MAIN "b[0] = f59(i32(i)); }\n");
}

static void doubling_empty_calls(Text *out)
{
    text_printf(out, "fn f0() {}\n");
    for (int i = 1; i < 60; i++)
        text_printf(out, "fn f%d() { f%d(); f%d(); }\n", i, i - 1, i - 1);
    text_printf(out, MAIN "f59(); }\n");
}

static void doubling_structs(Text *out)
{
    text_printf(out, BUFFER "struct S0 { a : i32, b : i32 }\n");
    for (int i = 1; i < 14; i++)
        text_printf(out, "struct S%d { a : S%d, b : S%d }\n", i, i - 1, i - 1);
    text_printf(out, MAIN "var s : S13; b[0] = s.a.a.b.a.b.b.a.a.b.a.b.a.a.b; }\n");
}

static void test_growth_without_end_is_refused(void **state)
{
    (void)state;
    expect_refused(doubling_calls, DIAG_kernel_too_large);
    expect_refused(doubling_empty_calls, DIAG_kernel_too_large);
    expect_lowered(doubling_structs);
}

/* ---- depth ---- */

static void chain_of_calls(Text *out, int length, int brackets)
{
    text_printf(out, BUFFER "fn f0(x : i32) -> i32 { return x; }\n");
    for (int i = 1; i < length; i++) {
        text_printf(out, "fn f%d(x : i32) -> i32 { return ", i);
        for (int k = 0; k < brackets; k++)
            text_printf(out, "-(");
        text_printf(out, "f%d(x)", i - 1);
        for (int k = 0; k < brackets; k++)
            text_printf(out, ")");
        text_printf(out, " + 1; }\n");
    }
    text_printf(out, MAIN "b[0] = f%d(i32(i)); }\n", length - 1);
}

static void long_chain(Text *out)       { chain_of_calls(out, 200, 0); }
static void endless_chain(Text *out)    { chain_of_calls(out, LONG(20000), 0); }
static void chain_of_brackets(Text *out) { chain_of_calls(out, LONG(2000), 200); }

static void nested_branches(Text *out)
{
    text_printf(out, BUFFER "fn f0(x : i32) { b[0] = x; }\n");
    for (int i = 1; i < 20; i++) {
        text_printf(out, "fn f%d(x : i32) {\n", i);
        for (int k = 0; k < 100; k++)
            text_printf(out, "if x > %d { ", k);
        text_printf(out, "f%d(x + 1);", i - 1);
        for (int k = 0; k < 100; k++)
            text_printf(out, "}");
        text_printf(out, "}\n");
    }
    text_printf(out, MAIN "f19(i32(i)); }\n");
}

static void test_depth_is_limited(void **state)
{
    (void)state;
    expect_lowered(long_chain);
    expect_refused(endless_chain, DIAG_kernel_too_large);
    expect_refused(chain_of_brackets, DIAG_kernel_too_large);
    expect_refused(nested_branches, DIAG_kernel_too_large);
}

/* ---- length ---- */

static void long_sum(Text *out)
{
    text_printf(out, BUFFER MAIN "b[0] = b[1]");
    for (int i = 0; i < LONG(100000); i++)
        text_printf(out, " + %d", i % 10);
    text_printf(out, "; }\n");
}

static void long_condition(Text *out)
{
    text_printf(out, BUFFER MAIN "if b[0] == 0");
    for (int i = 0; i < LONG(20000); i++)
        text_printf(out, " && b[%d] > 1", i % 10);
    text_printf(out, " { b[0] = 1; } }\n");
}

static void long_if(Text *out)
{
    text_printf(out, BUFFER MAIN);
    for (int i = 0; i < LONG(20000); i++)
        text_printf(out, "%sif b[0] == %d { b[1] = %d; }\n", i ? "else " : "", i, i);
    text_printf(out, "}\n");
}

static void long_switch(Text *out)
{
    text_printf(out, BUFFER MAIN "switch b[0] { default: {}\n");
    for (int i = 0; i < LONG(1000); i++)
        text_printf(out, "case %d: { b[1] = %d; }\n", i, i);
    text_printf(out, "} }\n");
}

static void many_lets(Text *out)
{
    text_printf(out, BUFFER MAIN "loop {\n");
    for (int i = 0; i < LONG(1000); i++)
        text_printf(out, "let x%d = b[%d];\n", i, i);
    text_printf(out, "continuing {\n");
    for (int i = 0; i < LONG(1000); i++)
        text_printf(out, "b[%d] = x%d;\n", i, i);
    text_printf(out, "break if b[0] == 0; } } }\n");
}

static void test_long_texts_are_lowered(void **state)
{
    (void)state;
    expect_lowered(long_sum);
    expect_lowered(long_condition);
    expect_lowered(long_if);
    expect_lowered(long_switch);
    expect_lowered(many_lets);
}

/* ---- memory ---- */

static void large_copy(Text *out)
{
    text_printf(out, "@group(0) @binding(0) var<storage, read_write> b : array<i32, 1000000>;\n"
                MAIN "let before = b; b[0] = before[i]; }\n");
}

static void huge_copy(Text *out)
{
    text_printf(out, "@group(0) @binding(0) var<storage, read_write> "
                "b : array<vec4f, 100000000>;\n"
                MAIN "let before = b; b[0] = before[i]; }\n");
}

static void many_locals(Text *out)
{
    text_printf(out, BUFFER "fn f(x : i32) -> i32 { var a : array<i32, 2000>; "
                "a[x] = x; return a[x + 1]; }\n" MAIN);
    for (int i = 0; i < 200; i++)
        text_printf(out, "b[%d] = f(%d + b[0]);\n", i, i);
    text_printf(out, "}\n");
}

static void huge_stride(Text *out)
{
    text_printf(out, "@group(0) @binding(0) var<storage, read_write> "
                "b : array<array<u32, 800000000>>;\n" MAIN "b[i][i] = 1; }\n");
}

static void test_memory_is_limited(void **state)
{
    (void)state;
    expect_refused(large_copy, DIAG_kernel_too_large);
    expect_refused(huge_copy, DIAG_kernel_too_large);
    expect_refused(many_locals, DIAG_kernel_too_large);
    expect_refused(huge_stride, DIAG_kernel_too_large);
}

/* ---- what kernels cannot do ---- */

static void texture(Text *out)
{
    text_printf(out, BUFFER "@group(0) @binding(1) var t : texture_2d<f32>;\n" MAIN
                "b[0] = i32(textureLoad(t, vec2u(i), 0).x); }\n");
}

static void only_main(Text *out)
{
    text_printf(out, BUFFER MAIN "b[0] = 1; }\n"
                "@group(0) @binding(1) var t : texture_2d<f32>;\n"
                "@fragment fn f() -> @location(0) vec4f { return textureLoad(t, vec2u(), 0); }\n");
}

static void test_textures_are_refused_where_they_are_used(void **state)
{
    (void)state;
    expect_refused(texture, DIAG_not_compiled);
    expect_lowered(only_main);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth_without_end_is_refused),
        cmocka_unit_test(test_depth_is_limited),
        cmocka_unit_test(test_long_texts_are_lowered),
        cmocka_unit_test(test_memory_is_limited),
        cmocka_unit_test(test_textures_are_refused_where_they_are_used),
    };
    return cmocka_run_group_tests_name("limit", tests, NULL, NULL);
}
