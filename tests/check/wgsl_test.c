// SPDX-License-Identifier: Apache-2.0
/*
 * wgsl_test.c - the public weft/wgsl.h: what any program may do with it, right and
 * wrong.
 */
#include "support/test.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/wgsl.h>

#define COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

static weft_wgsl *make(const char *source)
{
    weft_wgsl *m = weft_wgsl_create(&(weft_wgsl_desc){.source = source});
    assert_non_null(m);
    return m;
}

/* A module that must be fine; says what is wrong with it if it is not. */
static weft_wgsl *make_ok(const char *source)
{
    weft_wgsl *m = make(source);
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(m); i++) {
        const weft_diagnostic *d = weft_wgsl_diagnostic_get(m, i);
        print_error("%u:%u: %s\n", d->place.line, d->place.column, d->message);
    }
    assert_true(weft_wgsl_ok(m));
    return m;
}

static bool has_id(const weft_wgsl *m, const char *id)
{
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(m); i++)
        if (strcmp(weft_wgsl_diagnostic_get(m, i)->id, id) == 0)
            return true;
    return false;
}

/* ---- arguments ---- */

static void test_nothing_given_is_a_diagnostic(void **state)
{
    (void)state;
    weft_wgsl *none = weft_wgsl_create(NULL);
    weft_wgsl *empty = weft_wgsl_create(&(weft_wgsl_desc){0});
    assert_false(weft_wgsl_ok(none));
    assert_true(has_id(none, "no_source"));
    assert_true(has_id(empty, "no_source"));
    assert_int_equal(weft_wgsl_diagnostic_get(none, 0)->place.line, 0);
    assert_null(weft_wgsl_line(none, 1, NULL));
    weft_wgsl_release(none);
    weft_wgsl_release(empty);
}

static void test_no_module_has_nothing(void **state)
{
    (void)state;
    char message[64] = "unchanged";
    size_t size = 7;
    weft_wgsl_release(NULL);
    assert_false(weft_wgsl_ok(NULL));
    assert_int_equal(weft_wgsl_diagnostic_count(NULL), 0);
    assert_null(weft_wgsl_diagnostic_get(NULL, 0));
    assert_null(weft_wgsl_line(NULL, 1, &size));
    assert_int_equal(size, 0);
    assert_int_equal(weft_wgsl_entry_point_count(NULL), 0);
    assert_null(weft_wgsl_entry_point_get(NULL, 0));
    assert_null(weft_wgsl_override_get(NULL, 0));
    assert_null(weft_wgsl_struct_get(NULL, 0));
    assert_false(weft_wgsl_specialize(NULL, "main", NULL, 3, NULL, message, sizeof message));
    assert_string_equal(message, "the module has errors");
    assert_false(weft_wgsl_specialize(NULL, NULL, NULL, 0, NULL, NULL, 0));
}

static void test_indices_past_the_end_give_null(void **state)
{
    (void)state;
    weft_wgsl *m = make_ok("override o = 1; struct S { x : i32 }\n"
                           "@compute @workgroup_size(1) fn f() {}");
    assert_non_null(weft_wgsl_entry_point_get(m, 0));
    assert_null(weft_wgsl_entry_point_get(m, 1));
    assert_null(weft_wgsl_override_get(m, UINT32_MAX));
    assert_null(weft_wgsl_struct_get(m, 1));
    assert_null(weft_wgsl_diagnostic_get(m, 0));
    assert_null(weft_wgsl_line(m, 0, NULL));
    assert_null(weft_wgsl_line(m, 3, NULL));
    assert_non_null(weft_wgsl_line(m, 2, NULL));
    weft_wgsl_release(m);
}

static void test_an_empty_text_is_a_module(void **state)
{
    (void)state;
    weft_wgsl *m = make_ok("");
    assert_int_equal(weft_wgsl_entry_point_count(m), 0);
    assert_int_equal(weft_wgsl_struct_count(m), 0);
    weft_wgsl_release(m);
}

static void test_a_size_may_cut_the_text_or_hold_nul(void **state)
{
    (void)state;
    const char text[] = "const a = 1;\0const b = 2;";
    weft_wgsl *cut = weft_wgsl_create(&(weft_wgsl_desc){.source = text, .source_size = 12});
    assert_true(weft_wgsl_ok(cut));
    weft_wgsl *nul = weft_wgsl_create(
        &(weft_wgsl_desc){.source = text, .source_size = sizeof text - 1});
    assert_true(has_id(nul, "nul_in_source"));
    weft_wgsl_release(cut);
    weft_wgsl_release(nul);
}

static void test_a_text_too_long_is_a_diagnostic(void **state)
{
    (void)state;
    size_t size = ((size_t)32 << 20) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, ' ', size);
    weft_wgsl *m = weft_wgsl_create(&(weft_wgsl_desc){.source = text, .source_size = size});
    assert_true(has_id(m, "source_too_long"));
    weft_wgsl_release(m);
    free(text);
}

static void test_the_text_is_copied(void **state)
{
    (void)state;
    char text[] = "fn first() {}\nfn second() {}";
    size_t size;
    weft_wgsl *m = make_ok(text);
    memset(text, 'x', sizeof text - 1);
    const char *line = weft_wgsl_line(m, 2, &size);
    assert_int_equal(size, 14);
    assert_memory_equal(line, "fn second() {}", 14);
    weft_wgsl_release(m);
}

/* ---- features ---- */

static void test_features_can_be_taken_away(void **state)
{
    (void)state;
    static const char *const nothing[] = {NULL};
    static const char *const f16[] = {"f16", "no_such_extension", NULL};
    const char *text = "enable f16; const x = 1h;";
    weft_wgsl *none = weft_wgsl_create(&(weft_wgsl_desc){.source = text, .enables = nothing});
    weft_wgsl *some = weft_wgsl_create(&(weft_wgsl_desc){.source = text, .enables = f16});
    assert_true(has_id(none, "extension_unavailable"));
    assert_true(weft_wgsl_ok(some));
    weft_wgsl_release(none);
    weft_wgsl_release(some);

    const char *uniform = "struct S { a : array<f32, 4> }\n"
                          "@group(0) @binding(0) var<uniform> u : S;";
    weft_wgsl *strict = weft_wgsl_create(
        &(weft_wgsl_desc){.source = uniform, .language = nothing});
    weft_wgsl *standard = weft_wgsl_create(&(weft_wgsl_desc){.source = uniform});
    assert_true(has_id(strict, "uniform_layout"));
    assert_true(weft_wgsl_ok(standard));
    weft_wgsl_release(strict);
    weft_wgsl_release(standard);
}

static void test_features_have_names(void **state)
{
    (void)state;
    bool f16 = false, buffer_view = false;
    for (uint32_t i = 0; weft_wgsl_enable_name(i); i++)
        f16 |= strcmp(weft_wgsl_enable_name(i), "f16") == 0;
    for (uint32_t i = 0; weft_wgsl_language_name(i); i++)
        buffer_view |= strcmp(weft_wgsl_language_name(i), "buffer_view") == 0;
    assert_true(f16);
    assert_true(buffer_view);
    assert_null(weft_wgsl_enable_name(UINT32_MAX));
    assert_null(weft_wgsl_language_name(UINT32_MAX));
}

/* ---- diagnostics ---- */

static void test_diagnostics_are_in_the_order_of_the_text(void **state)
{
    (void)state;
    weft_wgsl *m = make("fn f() { let x = nowhere; }\n"
                        "@align(3) fn g() {}\n"
                        "@vertex fn h() {}\n"
                        "const a = 1u + 1i;\n"
                        "fn f() {}\n");
    uint32_t count = weft_wgsl_diagnostic_count(m);
    assert_true(count >= 5);
    for (uint32_t i = 1; i < count; i++)
        assert_true(weft_wgsl_diagnostic_get(m, i - 1)->place.byte_offset
                    <= weft_wgsl_diagnostic_get(m, i)->place.byte_offset);
    weft_wgsl_release(m);
}

static void test_notes_have_places(void **state)
{
    (void)state;
    weft_wgsl *m = make("const a = 1;\nconst a = 2;");
    const weft_diagnostic *d = weft_wgsl_diagnostic_get(m, 0);
    assert_string_equal(d->id, "redeclared");
    assert_int_equal(d->severity, WEFT_SEVERITY_ERROR);
    assert_int_equal(d->place.line, 2);
    assert_int_equal(d->place.column, 7);
    assert_int_equal(d->note_count, 1);
    assert_int_equal(d->notes[0].place.line, 1);
    assert_int_equal(d->notes[0].place.byte_offset, 6);
    weft_wgsl_release(m);
}

/* U+1F600 is one character, four bytes, two UTF-16 units. */
static void test_places_count_utf16_units(void **state)
{
    (void)state;
    weft_wgsl *m = make("/* \xf0\x9f\x98\x80\xf0\x9f\x98\x80 */\n"
                        "/* \xc3\xa9\xf0\x9f\x98\x80 */ const a = nowhere;");
    assert_int_equal(weft_wgsl_diagnostic_count(m), 1);
    weft_place p = weft_wgsl_diagnostic_get(m, 0)->place;
    assert_int_equal(p.line, 2);
    assert_int_equal(p.column, 21);             /* 3 + 1 + 2 + 4 + 10 units before */
    assert_int_equal(p.end_line, 2);
    assert_int_equal(p.end_column, 28);
    assert_int_equal(p.offset, 11 + 20);        /* 10 units and a line break first */
    assert_int_equal(p.length, 7);
    assert_int_equal(p.byte_offset, 15 + 23);
    assert_int_equal(p.byte_length, 7);
    weft_wgsl_release(m);
}

static void test_the_number_of_diagnostics_is_limited(void **state)
{
    (void)state;
    char text[4000] = "";
    for (int i = 0; i < 150; i++)
        strcat(text, "const x = y;\n");
    weft_wgsl *m = make(text);
    assert_int_equal(weft_wgsl_diagnostic_count(m), 101);
    assert_string_equal(weft_wgsl_diagnostic_get(m, 100)->id, "too_many_diagnostics");
    weft_wgsl_release(m);
    m = weft_wgsl_create(&(weft_wgsl_desc){.source = text, .diagnostic_limit = 3});
    assert_int_equal(weft_wgsl_diagnostic_count(m), 4);
    weft_wgsl_release(m);
    m = weft_wgsl_create(&(weft_wgsl_desc){.source = text, .diagnostic_limit = UINT32_MAX});
    assert_true(weft_wgsl_diagnostic_count(m) >= 299);
    weft_wgsl_release(m);
}

static void test_every_diagnostic_is_explained(void **state)
{
    (void)state;
    uint32_t count = 0;
    for (; weft_diagnostic_id(count); count++) {
        const char *sentence = weft_diagnostic_explain(weft_diagnostic_id(count));
        assert_non_null(sentence);
        assert_true(strlen(sentence) > 10);
    }
    assert_true(count > 50);
    assert_null(weft_diagnostic_explain("no_such_diagnostic"));
    assert_null(weft_diagnostic_explain(NULL));
    assert_null(weft_diagnostic_id(UINT32_MAX));
}

/* ---- memory ---- */

static const char *const kernel =
    "override n : u32 = 4;\n"
    "struct S { a : vec3<f32>, b : array<mat2x2<f32>, 3> }\n"
    "@group(0) @binding(0) var<storage, read_write> s : S;\n"
    "var<workgroup> w : array<f32, n * 2u>;\n"
    "fn f(x : f32) -> f32 { return x / f32(n); }\n"
    "@compute @workgroup_size(n, 2) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "  w[id.x % 4] = f(s.a.x); workgroupBarrier(); s.a.y = w[0];\n"
    "}\n";

static void test_any_memory_limit_ends_well(void **state)
{
    (void)state;
    bool ran_out = false, fitted = false;
    for (size_t limit = 1; limit < 600000; limit += 1 + limit / 16) {
        weft_wgsl *m = weft_wgsl_create(
            &(weft_wgsl_desc){.source = kernel, .memory_limit = limit});
        assert_non_null(m);
        if (weft_wgsl_ok(m)) {
            fitted = true;
            assert_int_equal(weft_wgsl_entry_point_count(m), 1);
        } else {
            ran_out = true;
            assert_true(has_id(m, "out_of_memory"));
            assert_int_equal(weft_wgsl_entry_point_count(m), 0);
        }
        weft_wgsl_release(m);
    }
    assert_true(ran_out);
    assert_true(fitted);
}

/* ---- reflection ---- */

typedef struct Layout {
    const char *name;
    uint64_t    offset, size;
    uint32_t    align;
} Layout;

static void check_layout(const weft_struct *s, const char *name, uint64_t size, uint32_t align,
                         const Layout *members, size_t count)
{
    assert_string_equal(s->name, name);
    assert_int_equal(s->size, size);
    assert_int_equal(s->align, align);
    assert_int_equal(s->member_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(s->members[i].name, members[i].name);
        assert_int_equal(s->members[i].offset, members[i].offset);
        assert_int_equal(s->members[i].size, members[i].size);
        assert_int_equal(s->members[i].align, members[i].align);
    }
}

/* The two examples of WGSL's section on structure member layout. */
static void test_structures_are_laid_out_as_the_specification_shows(void **state)
{
    (void)state;
    static const Layout a[] = {{"u", 0, 4, 4}, {"v", 4, 4, 4}, {"w", 8, 8, 8}, {"x", 16, 4, 4}};
    static const Layout b[] = {{"a", 0, 8, 8},    {"b", 16, 12, 16}, {"c", 28, 4, 4},
                               {"d", 32, 4, 4},   {"e", 40, 24, 8},  {"f", 64, 12, 16},
                               {"g", 80, 72, 8},  {"h", 152, 4, 4}};
    weft_wgsl *m = make_ok(
        "struct A { u : f32, v : f32, w : vec2<f32>, x : f32 }\n"
        "struct B { a : vec2<f32>, b : vec3<f32>, c : f32, d : f32, e : A, f : vec3<f32>,\n"
        "           g : array<A, 3>, h : i32 }\n");
    check_layout(weft_wgsl_struct_get(m, 0), "A", 24, 8, a, COUNTOF(a));
    check_layout(weft_wgsl_struct_get(m, 1), "B", 160, 16, b, COUNTOF(b));
    assert_string_equal(weft_wgsl_struct_get(m, 1)->members[6].type, "array<A, 3>");
    weft_wgsl_release(m);

    static const Layout a2[] = {{"u", 0, 4, 4}, {"v", 4, 4, 4}, {"w", 8, 8, 8}, {"x", 16, 16, 4}};
    static const Layout b2[] = {{"a", 0, 8, 8},    {"b", 16, 12, 16}, {"c", 28, 4, 4},
                                {"d", 32, 4, 4},   {"e", 48, 32, 16}, {"f", 80, 12, 16},
                                {"g", 96, 96, 8},  {"h", 192, 4, 4}};
    m = make_ok(
        "struct A { u : f32, v : f32, w : vec2<f32>, @size(16) x : f32 }\n"
        "struct B { a : vec2<f32>, b : vec3<f32>, c : f32, d : f32, @align(16) e : A,\n"
        "           f : vec3<f32>, g : array<A, 3>, h : i32 }\n");
    check_layout(weft_wgsl_struct_get(m, 0), "A", 32, 8, a2, COUNTOF(a2));
    check_layout(weft_wgsl_struct_get(m, 1), "B", 208, 16, b2, COUNTOF(b2));
    weft_wgsl_release(m);
}

static void test_types_have_the_sizes_of_the_specification(void **state)
{
    (void)state;
    static const struct { const char *type; uint64_t size; uint32_t align; } rows[] = {
        {"i32", 4, 4}, {"f16", 2, 2}, {"atomic<u32>", 4, 4},
        {"vec2<f32>", 8, 8}, {"vec2<f16>", 4, 4}, {"vec3<u32>", 12, 16}, {"vec3<f16>", 6, 8},
        {"vec4<i32>", 16, 16}, {"vec4<f16>", 8, 8},
        {"mat2x2<f32>", 16, 8}, {"mat3x2<f32>", 24, 8}, {"mat4x2<f32>", 32, 8},
        {"mat2x3<f32>", 32, 16}, {"mat3x3<f32>", 48, 16}, {"mat4x3<f32>", 64, 16},
        {"mat2x4<f32>", 32, 16}, {"mat3x4<f32>", 48, 16}, {"mat4x4<f32>", 64, 16},
        {"mat2x2<f16>", 8, 4}, {"mat3x2<f16>", 12, 4}, {"mat4x2<f16>", 16, 4},
        {"mat2x3<f16>", 16, 8}, {"mat3x3<f16>", 24, 8}, {"mat4x3<f16>", 32, 8},
        {"mat2x4<f16>", 16, 8}, {"mat3x4<f16>", 24, 8}, {"mat4x4<f16>", 32, 8},
        {"array<vec3<f32>, 8>", 128, 16}, {"array<f16, 3>", 6, 2},
        {"array<mat2x3<f16>, 2>", 32, 8},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        char text[128];
        snprintf(text, sizeof text, "enable f16; struct S { x : %s }", rows[i].type);
        weft_wgsl *m = make_ok(text);
        const weft_struct *s = weft_wgsl_struct_get(m, 0);
        assert_int_equal(s->members[0].size, rows[i].size);
        assert_int_equal(s->members[0].align, rows[i].align);
        assert_string_equal(s->members[0].type, rows[i].type);
        weft_wgsl_release(m);
    }
}

static void test_structures_with_bool_have_no_layout_to_share(void **state)
{
    (void)state;
    weft_wgsl *m = make_ok("struct S { a : bool, b : f32 }\n"
                           "struct R { n : u32, all : array<vec4<f32>> }");
    assert_int_equal(weft_wgsl_struct_get(m, 0)->align, 0);
    assert_int_equal(weft_wgsl_struct_get(m, 0)->members[1].offset, 0);
    assert_int_equal(weft_wgsl_struct_get(m, 1)->size, 16);
    assert_int_equal(weft_wgsl_struct_get(m, 1)->align, 16);
    weft_wgsl_release(m);
}

static void test_entry_points_list_what_they_use(void **state)
{
    (void)state;
    weft_wgsl *m = make_ok(
        "override o : u32 = 3; @id(9) override p : f32; override unused = 1;\n"
        "struct R { n : u32, all : array<vec3<f32>> }\n"
        "@group(1) @binding(0) var<storage, read_write> a : R;\n"
        "@group(0) @binding(5) var<uniform> b : vec3<f32>;\n"
        "@group(0) @binding(4) var t : texture_storage_2d<r32float, read_write>;\n"
        "@group(0) @binding(3) var c : sampler_comparison;\n"
        "@group(0) @binding(2) var<storage> runtime : array<vec2<u32>>;\n"
        "@group(7) @binding(7) var other : texture_2d<f32>;\n"
        "var<workgroup> w : array<f32, 5>; var<workgroup> v : array<f32, o>;\n"
        "var<workgroup> flags : array<bool, 4>;\n"
        "fn deep() { _ = c; _ = &runtime; w[0] = p; v[0] = 1; flags[0] = true; }\n"
        "@compute @workgroup_size(8, 4) fn main() { a.n = u32(b.x); _ = t; deep(); }\n"
        "@fragment fn f() -> @location(0) vec4f { _ = other; return vec4f(); }\n");
    assert_int_equal(weft_wgsl_entry_point_count(m), 2);
    const weft_entry_point *e = weft_wgsl_entry_point_get(m, 0);
    assert_string_equal(e->name, "main");
    assert_int_equal(e->stage, WEFT_STAGE_COMPUTE);
    assert_true(e->size_known);
    assert_int_equal(e->workgroup_size[0] * 100 + e->workgroup_size[1] * 10
                     + e->workgroup_size[2], 841);
    assert_int_equal(e->workgroup_memory, 32 + 16);     /* 20 and 16 bytes, each to 16 */
    static const struct { uint32_t group, binding; weft_binding_kind kind; const char *type;
                          const char *access; uint64_t min; } wanted[] = {
        {0, 2, WEFT_BINDING_READ_ONLY_STORAGE, "array<vec2<u32>>", "read", 8},
        {0, 3, WEFT_BINDING_COMPARISON_SAMPLER, "sampler_comparison", "read", 0},
        {0, 4, WEFT_BINDING_STORAGE_TEXTURE, "texture_storage_2d<r32float, read_write>",
         "read_write", 0},
        {0, 5, WEFT_BINDING_UNIFORM, "vec3<f32>", "read", 12},
        {1, 0, WEFT_BINDING_STORAGE, "R", "read_write", 32},
    };
    assert_int_equal(e->binding_count, COUNTOF(wanted));
    for (size_t i = 0; i < COUNTOF(wanted); i++) {
        assert_int_equal(e->bindings[i].group, wanted[i].group);
        assert_int_equal(e->bindings[i].binding, wanted[i].binding);
        assert_int_equal(e->bindings[i].kind, wanted[i].kind);
        assert_string_equal(e->bindings[i].type, wanted[i].type);
        assert_string_equal(e->bindings[i].access, wanted[i].access);
        assert_int_equal(e->bindings[i].min_size, wanted[i].min);
    }
    assert_int_equal(e->override_count, 2);
    assert_int_equal(weft_wgsl_override_count(m), 3);
    const weft_override *o = weft_wgsl_override_get(m, 0), *p = weft_wgsl_override_get(m, 1);
    assert_true(o->has_default && o->default_known && o->default_value == 3);
    assert_int_equal(o->type, WEFT_SCALAR_U32);
    assert_true(p->has_id && p->id == 9 && !p->has_default);
    e = weft_wgsl_entry_point_get(m, 1);
    assert_int_equal(e->stage, WEFT_STAGE_FRAGMENT);
    assert_int_equal(e->binding_count, 1);
    assert_int_equal(e->bindings[0].kind, WEFT_BINDING_TEXTURE);
    weft_wgsl_release(m);
}

/* "array<vec3<f32>, 2> 32/16 [2 x 16 vec3<f32> 12/16 [3 x 4 f32 4/4]]": name, size,
 * alignment, then what it is made of. */
static void describe(char **at, char *end, const weft_type *t)
{
    *at += snprintf(*at, (size_t)(end - *at), "%s %llu/%u", t->name,
                    (unsigned long long)t->size, t->align);
    if (t->kind == WEFT_TYPE_STRUCT) {
        for (uint32_t i = 0; i < t->structure->member_count; i++) {
            const weft_member *m = &t->structure->members[i];
            *at += snprintf(*at, (size_t)(end - *at), "%s%s@%llu ", i ? ", " : " {", m->name,
                            (unsigned long long)m->offset);
            describe(at, end, m->layout);
        }
        *at += snprintf(*at, (size_t)(end - *at), "}");
    } else if (t->element) {
        *at += snprintf(*at, (size_t)(end - *at), " [%llu x %llu ",
                        (unsigned long long)t->count, (unsigned long long)t->stride);
        describe(at, end, t->element);
        *at += snprintf(*at, (size_t)(end - *at), "]");
    }
}

static void test_types_are_trees_down_to_their_scalars(void **state)
{
    (void)state;
    static const struct { const char *type, *wanted; } rows[] = {
        {"u32", "u32 4/4"},
        {"atomic<i32>", "atomic<i32> 4/4"},
        {"vec3<f32>", "vec3<f32> 12/16 [3 x 4 f32 4/4]"},
        {"vec4h", "vec4<f16> 8/8 [4 x 2 f16 2/2]"},
        {"mat2x3<f32>", "mat2x3<f32> 32/16 [2 x 16 vec3<f32> 12/16 [3 x 4 f32 4/4]]"},
        {"mat4x2h", "mat4x2<f16> 16/4 [4 x 4 vec2<f16> 4/4 [2 x 2 f16 2/2]]"},
        {"array<vec3<u32>, 2>",
         "array<vec3<u32>, 2> 32/16 [2 x 16 vec3<u32> 12/16 [3 x 4 u32 4/4]]"},
        {"array<array<f32, 3>>",
         "array<array<f32, 3>> 0/4 [0 x 12 array<f32, 3> 12/4 [3 x 4 f32 4/4]]"},
        {"Outer", "Outer 0/16 {in@0 Inner 16/16 {v@0 vec3<f32> 12/16 [3 x 4 f32 4/4], "
                  "w@12 f32 4/4}, many@16 array<Inner> 0/16 [0 x 16 Inner 16/16 "
                  "{v@0 vec3<f32> 12/16 [3 x 4 f32 4/4], w@12 f32 4/4}]}"},
        {"buffer", "buffer 0/0"},
        {"buffer<64>", "buffer<64> 64/0"},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        char text[512], got[512], *at = got;
        snprintf(text, sizeof text,
                 "enable f16; requires buffer_view;\n"
                 "struct Outer { in : Inner, many : array<Inner> }\n"
                 "struct Inner { v : vec3<f32>, w : f32 }\n"
                 "@group(0) @binding(0) var<storage, read_write> x : %s;\n"
                 "@compute @workgroup_size(1) fn f() { _ = &x; }", rows[i].type);
        weft_wgsl *m = make_ok(text);
        const weft_type *t = weft_wgsl_entry_point_get(m, 0)->bindings[0].layout;
        describe(&at, got + sizeof got, t);
        assert_string_equal(got, rows[i].wanted);
        weft_wgsl_release(m);
    }
}

static void test_what_is_no_buffer_has_no_layout(void **state)
{
    (void)state;
    weft_wgsl *m = make_ok("struct S { a : bool, b : f32 }\n"
                           "@group(0) @binding(0) var t : texture_2d<f32>;\n"
                           "@compute @workgroup_size(1) fn f() { _ = t; }");
    assert_null(weft_wgsl_entry_point_get(m, 0)->bindings[0].layout);
    assert_null(weft_wgsl_entry_point_get(m, 0)->immediate_layout);
    assert_null(weft_wgsl_struct_get(m, 0)->members[1].layout);
    weft_wgsl_release(m);
}

static void test_immediate_data_has_a_size(void **state)
{
    (void)state;
    weft_wgsl *m = make_ok("struct S { a : vec3<f32>, b : u32 } var<immediate> i : S;\n"
                           "@compute @workgroup_size(1) fn f() { _ = i.b; }\n"
                           "@compute @workgroup_size(1) fn g() {}");
    const weft_entry_point *f = weft_wgsl_entry_point_get(m, 0);
    assert_int_equal(f->immediate_size, 16);
    assert_string_equal(f->immediate_name, "i");
    assert_ptr_equal(f->immediate_layout->structure, weft_wgsl_struct_get(m, 0));
    assert_null(weft_wgsl_entry_point_get(m, 1)->immediate_name);
    assert_int_equal(weft_wgsl_entry_point_get(m, 1)->immediate_size, 0);
    weft_wgsl_release(m);
}

static void test_views_decide_the_size_of_a_buffer_without_one(void **state)
{
    (void)state;
    weft_wgsl *m = make_ok(
        "requires buffer_view;\n"
        "struct R { n : vec4<u32>, all : array<vec3<f32>> }\n"
        "@group(0) @binding(0) var<storage> direct : buffer;\n"
        "@group(0) @binding(1) var<storage> through : buffer;\n"
        "@group(0) @binding(2) var<storage> unused : buffer;\n"
        "@group(0) @binding(3) var<uniform> sized : buffer<48>;\n"
        "fn inner(p : ptr<storage, buffer>) { _ = bufferView<R>(p, 16); }\n"
        "fn outer(p : ptr<storage, buffer>) { inner(p); _ = bufferView<f32>(p, 0); }\n"
        "@compute @workgroup_size(1) fn main() {\n"
        "  _ = bufferView<vec2<f32>>(&direct, 8); _ = bufferView<u32>(&direct, 64);\n"
        "  let p = &through; outer(p); _ = &unused; _ = &sized;\n"
        "}\n"
        "@compute @workgroup_size(1) fn other() { _ = bufferView<u32>(&direct, 0); }");
    const weft_entry_point *e = weft_wgsl_entry_point_get(m, 0);
    static const uint64_t wanted[] = {8, 32, 0, 48};
    assert_int_equal(e->binding_count, COUNTOF(wanted));
    for (size_t i = 0; i < COUNTOF(wanted); i++)
        assert_int_equal(e->bindings[i].min_size, wanted[i]);
    assert_int_equal(weft_wgsl_entry_point_get(m, 1)->bindings[0].min_size, 4);
    weft_wgsl_release(m);
}

/* ---- threads ---- */

static void *read_module(void *context)
{
    const weft_wgsl *m = context;
    for (int i = 0; i < 50; i++) {
        weft_specialized out;
        const weft_override_value n = {"n", 1 + i % 8};
        assert_true(weft_wgsl_specialize(m, "main", &n, 1, &out, NULL, 0));
        assert_int_equal(out.workgroup_size[0], 1 + i % 8);
        assert_int_equal(weft_wgsl_entry_point_get(m, 0)->binding_count, 1);
        assert_int_equal(weft_wgsl_struct_get(m, 0)->member_count, 2);
        size_t size;
        assert_non_null(weft_wgsl_line(m, 1, &size));
    }
    return NULL;
}

static void test_threads_may_share_a_module(void **state)
{
    (void)state;
    pthread_t threads[4];
    weft_wgsl *m = make_ok(kernel);
    for (size_t i = 0; i < COUNTOF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_module, m), 0);
    for (size_t i = 0; i < COUNTOF(threads); i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    weft_wgsl_release(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_given_is_a_diagnostic),
        cmocka_unit_test(test_no_module_has_nothing),
        cmocka_unit_test(test_indices_past_the_end_give_null),
        cmocka_unit_test(test_an_empty_text_is_a_module),
        cmocka_unit_test(test_a_size_may_cut_the_text_or_hold_nul),
        cmocka_unit_test(test_a_text_too_long_is_a_diagnostic),
        cmocka_unit_test(test_the_text_is_copied),
        cmocka_unit_test(test_features_can_be_taken_away),
        cmocka_unit_test(test_features_have_names),
        cmocka_unit_test(test_diagnostics_are_in_the_order_of_the_text),
        cmocka_unit_test(test_notes_have_places),
        cmocka_unit_test(test_places_count_utf16_units),
        cmocka_unit_test(test_the_number_of_diagnostics_is_limited),
        cmocka_unit_test(test_every_diagnostic_is_explained),
        cmocka_unit_test(test_any_memory_limit_ends_well),
        cmocka_unit_test(test_structures_are_laid_out_as_the_specification_shows),
        cmocka_unit_test(test_types_have_the_sizes_of_the_specification),
        cmocka_unit_test(test_structures_with_bool_have_no_layout_to_share),
        cmocka_unit_test(test_entry_points_list_what_they_use),
        cmocka_unit_test(test_types_are_trees_down_to_their_scalars),
        cmocka_unit_test(test_what_is_no_buffer_has_no_layout),
        cmocka_unit_test(test_immediate_data_has_a_size),
        cmocka_unit_test(test_views_decide_the_size_of_a_buffer_without_one),
        cmocka_unit_test(test_threads_may_share_a_module),
    };
    return cmocka_run_group_tests_name("wgsl", tests, NULL, NULL);
}
