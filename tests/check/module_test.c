// SPDX-License-Identifier: Apache-2.0
/*
 * module_test.c - check_module() as a whole: what it tells of a module, and that
 * size and shape of a module cannot hurt it.
 */
#include "support/test.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check/check.h"
#include "syntax/syntax.h"
#include "verify.h"

/* Hostile builds move arrays at every push, and sanitizers are slow: smaller
 * sizes tell as much there. */
#if defined(WEFT_STRESS)
#define MANY 1000
#elif defined(__SANITIZE_ADDRESS__)
#define MANY 100000
#else
#define MANY 1000000
#endif

typedef struct Bench {
    Arena   arena;
    Text    source;
    Diag    diag;
    CheckOptions options;
    Module *module;
    bool    ok;
} Bench;

static int setup(void **state)
{
    static Bench bench;
    bench = (Bench){0};
    arena_init(&bench.arena, 0);
    bench.source.arena = &bench.arena;
    bench.diag.arena = &bench.arena;
    *state = &bench;
    return 0;
}

static int teardown(void **state)
{
    Bench *b = *state;
    arena_fini(&b->arena);
    return 0;
}

static void check(Bench *b)
{
    Str source = {b->source.data, (uint32_t)b->source.len};
    b->module = syntax_parse(&b->arena, source, &b->diag);
    b->ok = check_module(b->module, &b->options, &b->diag);
    if (!b->ok)
        return;
    const char *fault = verify_module(b->module);
    if (fault)
        fail_msg("%s", fault);
}

static void check_text(Bench *b, const char *source)
{
    text_add(&b->source, str_of(source));
    check(b);
}

static void assert_ok(const Bench *b)
{
    for (uint32_t i = 0; i < b->diag.list.len; i++)
        print_error("%u: %s\n", b->diag.list.data[i].span.start, b->diag.list.data[i].message);
    assert_true(b->ok);
}

/* There is exactly one diagnostic, this one. */
static void assert_one(const Bench *b, DiagId id)
{
    assert_false(b->ok);
    assert_int_equal(b->diag.list.len, 1);
    assert_string_equal(diag_id_name(b->diag.list.data[0].id), diag_id_name(id));
}

static const Decl *find(const Bench *b, const char *name)
{
    for (uint32_t i = 0; i < b->module->decls.len; i++) {
        const Decl *d = b->module->decls.data[i];
        if (d->ident.name && str_eq(d->ident.name->text, str_of(name)))
            return d;
    }
    fail_msg("no declaration '%s'", name);
    return NULL;
}

/* ---- what the typed module tells ---- */

static void test_the_dump_shows_types_and_values(void **state)
{
    Bench *b = *state;
    Text dump = {.arena = &b->arena};
    check_text(b, "fn f(p : i32) -> f32 {\n"
                  "  var x = p + n;\n"
                  "  if x > o { x += 1; }\n"
                  "  return f32(x);\n"
                  "}\n"
                  "const n = 2;\n"
                  "override o : i32;\n");
    assert_ok(b);
    check_dump_module(&dump, b->module);
    assert_string_equal(dump.data,
        "const n: abstract-int = (2: abstract-int);\n"
        "override o: i32;\n"
        "fn f(p: i32) -> f32 {\n"
        "  var<function, read_write> x: i32 = ((p: i32) + (2i: i32): i32);\n"
        "  if ((load (x: ref<function, i32>): i32) > (o: i32 override): bool) {\n"
        "    (x: ref<function, i32>) += (1i: i32);\n"
        "  }\n"
        "  return (f32((load (x: ref<function, i32>): i32)): f32);\n"
        "}\n");
}

static void test_entry_points_know_what_they_reach(void **state)
{
    Bench *b = *state;
    check_text(b, "@compute @workgroup_size(w) fn main() { outer(); }\n"
                  "@fragment fn frag() {}\n"
                  "fn outer() { inner(); _ = p; }\n"
                  "fn inner() { a[0] = 1; }\n"
                  "fn unused() { _ = q; outer(); }\n"
                  "var<workgroup> a : Items;\n"
                  "alias Items = array<i32, n + 1>;\n"
                  "override n = m;\n"
                  "override m = 3;\n"
                  "override w = 1u;\n"
                  "override other = 1;\n"
                  "var<private> p : i32 = k;\n"
                  "override k = 2;\n"
                  "var<private> q : i32;\n");
    assert_ok(b);
    const FnInfo *main_ = find(b, "main")->fn.info;
    static const char *const used[] = {"a", "n", "m", "w", "p", "k"};
    assert_int_equal(main_->globals.len, 6);
    for (size_t i = 0; i < COUNTOF(used); i++) {
        bool found = false;
        for (uint32_t k = 0; k < main_->globals.len; k++)
            found |= main_->globals.data[k] == find(b, used[i]);
        assert_true(found);
    }
    assert_int_equal(main_->reached.len, 3);
    assert_ptr_equal(main_->reached.data[2], find(b, "main"));
    assert_int_equal(find(b, "frag")->fn.info->globals.len, 0);
    assert_int_equal(find(b, "inner")->fn.info->stages_called_from, 1u << STAGE_COMPUTE);
    assert_int_equal(find(b, "unused")->fn.info->stages_called_from, 0);
    assert_int_equal(b->module->info->entry_points.len, 2);
    assert_ptr_equal(b->module->info->entry_points.data[0], find(b, "main"));
}

static void test_override_expressions_are_listed(void **state)
{
    Bench *b = *state;
    check_text(b, "override o = 2;\n"
                  "fn f(x : i32, a : array<i32, 4>) -> i32 {\n"
                  "  let y = x + (o * 2 + 1);\n"        /* o * 2 + 1; the sum */
                  "  var z = o;\n"                      /* o */
                  "  z /= o;\n"                         /* o; the division */
                  "  if false && o == 1 { }\n"          /* nothing: false */
                  "  return a[o] + 1 + 2;\n"            /* o; the index */
                  "}\n");
    assert_ok(b);
    const FnInfo *f = find(b, "f")->fn.info;
    assert_int_equal(f->override_exprs.len, 4);
    assert_int_equal(f->override_exprs.data[0]->kind, EXPR_BINARY);
    assert_int_equal(f->override_uses.len, 3);
    assert_int_equal(f->override_uses.data[0]->kind, EXPR_BINARY);
    assert_int_equal(f->override_uses.data[1]->binary.op, BINOP_DIV);
    assert_int_equal(f->override_uses.data[2]->kind, EXPR_INDEX);
}

static void test_callees_come_first(void **state)
{
    Bench *b = *state;
    check_text(b, "fn a() { b(); c(); } fn b() { c(); } fn c() {} fn d() { a(); }");
    assert_ok(b);
    const ModuleInfo *info = b->module->info;
    assert_int_equal(info->functions.len, 4);
    assert_ptr_equal(info->functions.data[0], find(b, "c"));
    assert_ptr_equal(info->functions.data[1], find(b, "b"));
    assert_ptr_equal(info->functions.data[2], find(b, "a"));
    assert_ptr_equal(info->functions.data[3], find(b, "d"));
}

/* ---- features that are not available ---- */

typedef struct FeatureCase {
    int         language;
    DiagId      id;
    const char *source;
} FeatureCase;

static const FeatureCase feature_cases[] = {
    {LANGUAGE_pointer_composite_access, DIAG_feature_unavailable,
     "fn f(p : ptr<function, vec2f>) { p.x = 1; }"},
    {LANGUAGE_pointer_composite_access, DIAG_feature_unavailable,
     "fn f(p : ptr<function, array<i32, 2>>) { p[0] = 1; }"},
    {LANGUAGE_unrestricted_pointer_parameters, DIAG_invalid_parameter_type,
     "fn f(p : ptr<workgroup, i32>) {}"},
    {LANGUAGE_unrestricted_pointer_parameters, DIAG_pointer_argument,
     "fn f(p : ptr<function, i32>) {} fn g() { var a : array<i32, 2>; f(&a[0]); }"},
    {LANGUAGE_texture_and_sampler_let, DIAG_invalid_declared_type,
     "@group(0) @binding(0) var s : sampler; fn f() { let t = s; }"},
    {LANGUAGE_readonly_and_readwrite_storage_textures, DIAG_feature_unavailable,
     "@group(0) @binding(0) var t : texture_storage_2d<r32uint, read>;"},
    {LANGUAGE_immediate_address_space, DIAG_unresolved_name, "var<immediate> i : u32;"},
    {LANGUAGE_buffer_view, DIAG_unresolved_name,
     "@group(0) @binding(0) var<storage> b : buffer;"},
    {LANGUAGE_buffer_view, DIAG_invalid_store_type, "alias P = ptr<uniform, array<u32>>;"},
    {LANGUAGE_texture_formats_tier1, DIAG_unresolved_name,
     "@group(0) @binding(0) var t : texture_storage_2d<r8unorm, write>;"},
    {LANGUAGE_linear_indexing, DIAG_feature_unavailable, "requires linear_indexing;"},
};

/* Each is accepted with all features, and has one error without the one it uses. */
static void test_language_features_can_be_missing(void **state)
{
    for (size_t i = 0; i < COUNTOF(feature_cases); i++) {
        const FeatureCase *f = &feature_cases[i];
        Bench *b = *state;
        check_text(b, f->source);
        assert_ok(b);
        teardown(state);
        setup(state);
        b->options.language = ~(1u << f->language);
        check_text(b, f->source);
        if (b->ok)
            print_error("%s\n", f->source);
        assert_one(b, f->id);
        teardown(state);
        setup(state);
    }
}

static void test_extensions_can_be_missing(void **state)
{
    Bench *b = *state;
    b->options.enables = 1u << ENABLE_subgroups;
    check_text(b, "enable subgroups; enable f16; var<private> a : f16; const b = 1h;");
    assert_one(b, DIAG_extension_unavailable);
    teardown(state);
    setup(state);
    b->options.none_enabled = true;
    check_text(b, "enable f16;");
    assert_one(b, DIAG_extension_unavailable);
}

/* ---- sizes and shapes ---- */

static void test_a_million_declarations_in_reverse_order(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < MANY; i++)
        text_printf(&b->source, "const a%d=a%d;", i, i + 1);
    text_printf(&b->source, "const a%d=7;const_assert a0==7;", MANY);
    check(b);
    assert_ok(b);
    assert_int_equal(find(b, "a0")->var.value->integer, 7);
}

static void test_a_long_chain_of_calls(void **state)
{
    Bench *b = *state;
    int n = MANY / 4;
    for (int i = 0; i < n; i++)
        text_printf(&b->source, "fn f%d(){f%d();g%d++;}var<private>g%d:u32;", i, i + 1, i, i);
    text_printf(&b->source, "fn f%d(){}", n);
    check(b);
    assert_ok(b);
}

static void test_a_circle_of_a_million_is_one_error(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < MANY; i++)
        text_printf(&b->source, "const a%d=a%d;", i, (i + 1) % MANY);
    check(b);
    assert_one(b, DIAG_cyclic_declaration);
    assert_in_range(b->diag.list.data[0].notes.len, 1, 8);
}

static void test_circles_that_share_members_are_one_error(void **state)
{
    Bench *b = *state;
    text_printf(&b->source, "fn r(){");
    for (int i = 0; i < MANY / 10; i++)
        text_printf(&b->source, "f%d();", i);
    text_printf(&b->source, "}");
    for (int i = 0; i < MANY / 10; i++)
        text_printf(&b->source, "fn f%d(){r();f%d();}", i, i / 2);
    check(b);
    assert_one(b, DIAG_recursion);
}

static void chain(Bench *b, const char *before, const char *term, const char *op,
                  const char *after)
{
    text_printf(&b->source, "%s%s", before, term);
    for (int i = 1; i < MANY; i++)
        text_printf(&b->source, "%s%s", op, term);
    text_printf(&b->source, "%s", after);
    check(b);
}

static void test_a_million_terms_that_are_constant(void **state)
{
    Bench *b = *state;
    chain(b, "const sum = ", "1", "+", ";");
    assert_ok(b);
    assert_int_equal(find(b, "sum")->var.value->integer, MANY);
}

static void test_a_million_terms_that_are_not(void **state)
{
    Bench *b = *state;
    chain(b, "fn f(a : vec2f) -> vec2f { return ", "a", "*", "; }");
    assert_ok(b);
}

static void test_a_million_conditions(void **state)
{
    Bench *b = *state;
    chain(b, "override o = true; fn f(a : bool) -> bool { return a && ", "o", "&&", "; }");
    assert_ok(b);
    assert_int_equal(find(b, "f")->fn.info->override_exprs.len, MANY);
}

static void switch_of(Bench *b, int cases)
{
    text_printf(&b->source, "fn f(i : i32) { switch i { case ");
    for (int i = 0; i < cases; i++)
        text_printf(&b->source, "%d,", i * 7 % cases);
    text_printf(&b->source, " {} default {} } }");
    check(b);
}

static void test_a_wide_switch(void **state)
{
    switch_of(*state, 1023);
    assert_ok(*state);
}

static void test_a_switch_that_is_too_wide(void **state)
{
    switch_of(*state, 17000);
    assert_one(*state, DIAG_limit_exceeded);
}

static void test_the_same_case_many_times(void **state)
{
    Bench *b = *state;
    text_printf(&b->source, "fn f(i : i32) { switch i { case ");
    for (int i = 0; i < 10000; i++)
        text_printf(&b->source, "1,");
    text_printf(&b->source, " {} default {} } }");
    check(b);
    assert_int_equal(b->diag.errors, 9999);
    assert_int_equal(b->diag.list.data[0].id, DIAG_duplicate_case);
}

static void structure_of(Bench *b, int members)
{
    text_printf(&b->source, "struct S {");
    for (int i = 0; i < members; i++)
        text_printf(&b->source, "m%d:u32,", i);
    text_printf(&b->source, "} fn f(s : S) -> u32 { var x = 0u;");
    for (int i = 0; i < members; i++)
        text_printf(&b->source, "x+=s.m%d;", i);
    text_printf(&b->source, "return x; }");
    check(b);
}

static void test_a_structure_with_many_members(void **state)
{
    structure_of(*state, MANY < 16383 ? 1023 : 16383);
    assert_ok(*state);
}

static void test_a_structure_with_too_many_members(void **state)
{
    structure_of(*state, 16384);
    assert_one(*state, DIAG_limit_exceeded);
}

/* Half a billion scalars: facts about types must not count them. */
static void test_structures_that_double(void **state)
{
    Bench *b = *state;
    text_printf(&b->source, "struct S0 { a : f32 }");
    for (int i = 1; i <= 29; i++)
        text_printf(&b->source, "struct S%d { a : S%d, b : S%d }", i, i - 1, i - 1);
    text_printf(&b->source, "@group(0) @binding(0) var<storage> s : S29;");
    check(b);
    assert_ok(b);
    assert_true(find(b, "s")->type->size == 4ull << 29);
}

/* A value of 2^24 elements costs as much as its type: nothing is stored in it. */
static void test_constants_that_are_large(void **state)
{
    Bench *b = *state;
    check_text(b, "const zero = array<array<array<i32, 256>, 256>, 256>();"
                  "const one = zero[255][255][255] + 1; const_assert one == 1;");
    assert_ok(b);
    assert_true(b->arena.used < 1u << 20);
}

/* Each array has twice the elements of the one before. */
static void test_constants_that_double(void **state)
{
    Bench *b = *state;
    text_printf(&b->source, "const a0 = vec4(1, 2, 3, 4);");
    for (int i = 1; i <= 100; i++)
        text_printf(&b->source, "const a%d = array(a%d, a%d);", i, i - 1, i - 1);
    check(b);
    assert_false(b->ok);
    assert_int_equal(b->diag.list.data[0].id, DIAG_limit_exceeded);
    assert_in_range(b->diag.errors, 1, 2);
    assert_true(b->arena.used < 64u << 20);
}

/* Every call has two choices of types at each of its levels. */
static void test_overloads_within_overloads(void **state)
{
    Bench *b = *state;
    text_printf(&b->source, "const x = ");
    for (int i = 0; i < 400; i++)
        text_printf(&b->source, "max(vec3(1, 2.5, select(1, 2, true)), ");
    text_printf(&b->source, "vec3(0)");
    for (int i = 0; i < 400; i++)
        text_char(&b->source, ')');
    text_printf(&b->source, ";const_assert x.z == 2;");
    check(b);
    assert_ok(b);
}

/* 2^1000 ways through the functions, each way another flow of values. */
static void test_calls_that_double(void **state)
{
    Bench *b = *state;
    text_printf(&b->source, "alias P = ptr<function, i32>;"
                            "fn f0(a : P, b : P) -> i32 { *a += *b; return *a; }");
    for (int i = 1; i <= 1000; i++)
        text_printf(&b->source, "fn f%d(a : P, b : P) -> i32 { return f%d(a, b) + f%d(b, a); }", i,
                    i - 1, i - 1);
    text_printf(&b->source, "@compute @workgroup_size(1) fn main() { var x = 1; var y = 2;"
                            "if f1000(&x, &y) == 3 { workgroupBarrier(); } }");
    check(b);
    assert_ok(b);
}

static void test_pointers_of_pointers(void **state)
{
    Bench *b = *state;
    text_printf(&b->source, "fn g(p : ptr<function, i32>) { *p = 1; }"
                            "fn f() { var x : i32; let p0 = &x;");
    for (int i = 1; i < MANY / 4; i++)
        text_printf(&b->source, "let p%d=&*p%d;g(p%d);", i, i - 1, i);
    text_printf(&b->source, "}");
    check(b);
    assert_ok(b);
}

static void test_unknown_names_do_not_take_long(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < MANY / 10; i++)
        text_printf(&b->source, "const abcdef%d=1;", i);
    text_printf(&b->source, "fn f() {");
    for (int i = 0; i < MANY / 10; i++)
        text_printf(&b->source, "_=abcdeg%d;", i);
    text_printf(&b->source, "}");
    check(b);
    assert_int_equal(b->diag.errors, MANY / 10);
}

static void test_a_name_of_a_megabyte(void **state)
{
    Bench *b = *state;
    text_printf(&b->source, "const x = ");
    for (int i = 0; i < MANY; i++)
        text_char(&b->source, 'a');
    text_printf(&b->source, ";");
    check(b);
    assert_one(b, DIAG_unresolved_name);
    assert_in_range(strlen(b->diag.list.data[0].message), 1, 2000);
}

/* Every entry point reaches every function: too much to list, and said so. */
static void test_entry_points_times_functions(void **state)
{
    Bench *b = *state;
    int n = MANY < 20000 ? MANY : 20000;
    for (int i = 0; i < n; i++)
        text_printf(&b->source, "fn f%d(){f%d();}@compute @workgroup_size(1)fn e%d(){f0();}",
                    i, i + 1, i);
    text_printf(&b->source, "fn f%d(){}", n);
    check(b);
    if (n < 20000)
        assert_ok(b);
    else
        assert_one(b, DIAG_limit_exceeded);
}

/* Functions that use ever more variables, with pointers so that it matters. */
static void test_variables_times_functions(void **state)
{
    Bench *b = *state;
    int n = MANY < 20000 ? MANY : 20000;
    text_printf(&b->source, "fn p(q : ptr<private, u32>) { *q = 1; }");
    for (int i = 0; i < n; i++)
        text_printf(&b->source, "var<private>g%d:u32;fn f%d(){f%d();g%d++;p(&g%d);}", i, i,
                    i + 1, i, i);
    text_printf(&b->source, "fn f%d(){}", n);
    check(b);
    if (n < 20000)
        assert_ok(b);
    else
        assert_one(b, DIAG_limit_exceeded);
}

static void test_many_module_scope_names(void **state)
{
    Bench *b = *state;
    for (int i = 0; i < MANY / 10; i++)
        text_printf(&b->source, "@id(%d) override o%d:u32;var<private>v%d=o%d;"
                                "struct S%d{a:u32}alias A%d=S%d;", i % 60000, i, i, i, i, i, i);
    check(b);
    if (MANY / 10 <= 60000)
        assert_ok(b);
    else
        assert_int_equal(b->diag.errors, MANY / 10 - 60000);     /* ids used twice */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_dump_shows_types_and_values),
        TEST(test_entry_points_know_what_they_reach),
        TEST(test_override_expressions_are_listed),
        TEST(test_callees_come_first),
        TEST(test_language_features_can_be_missing),
        TEST(test_extensions_can_be_missing),
        TEST(test_a_million_declarations_in_reverse_order),
        TEST(test_a_long_chain_of_calls),
        TEST(test_a_circle_of_a_million_is_one_error),
        TEST(test_circles_that_share_members_are_one_error),
        TEST(test_a_million_terms_that_are_constant),
        TEST(test_a_million_terms_that_are_not),
        TEST(test_a_million_conditions),
        TEST(test_a_wide_switch),
        TEST(test_a_switch_that_is_too_wide),
        TEST(test_the_same_case_many_times),
        TEST(test_a_structure_with_many_members),
        TEST(test_a_structure_with_too_many_members),
        TEST(test_structures_that_double),
        TEST(test_constants_that_are_large),
        TEST(test_constants_that_double),
        TEST(test_overloads_within_overloads),
        TEST(test_calls_that_double),
        TEST(test_pointers_of_pointers),
        TEST(test_unknown_names_do_not_take_long),
        TEST(test_a_name_of_a_megabyte),
        TEST(test_entry_points_times_functions),
        TEST(test_variables_times_functions),
        TEST(test_many_module_scope_names),
    };
    return cmocka_run_group_tests_name("module", tests, NULL, NULL);
}
