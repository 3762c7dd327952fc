/* SPDX-License-Identifier: Apache-2.0 */
/*
 * type_test.c - the type table: identity, text, layout, questions, conversions.
 */
#include "bench.h"

#include <string.h>

static Bench bench;
static TypeTable *const t = &bench.types;

static int setup(void **state)
{
    (void)state;
    bench_init(&bench);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    bench_fini(&bench);
    return 0;
}

static const Type *ty(const char *text)
{
    return bench_type(&bench, text);
}

static const char *str(const Type *type)
{
    return type_string(&bench.arena, type);
}

static Expr *name_expr(Decl *decl, const char *text, bool parenthesized)
{
    Expr *e = ARENA_NEW(&bench.arena, Expr);
    Name *name = ARENA_NEW(&bench.arena, Name);
    name->text = str_of(text);
    e->kind = EXPR_NAME;
    e->parenthesized = parenthesized;
    e->name.ident.name = name;
    e->name.decl = decl;
    return e;
}

/* A structure with these members, complete with the layout that is given. */
static const Type *make_struct(const char *name, const Type *const *types, uint32_t count,
                               uint32_t align, uint64_t size)
{
    Decl *d = ARENA_NEW(&bench.arena, Decl);
    d->kind = DECL_STRUCT;
    d->ident.name = ARENA_NEW(&bench.arena, Name);
    d->ident.name->text = str_of(name);
    d->structure.nmembers = count;
    d->structure.members = ARENA_ARRAY(&bench.arena, Member, count);
    for (uint32_t i = 0; i < count; i++)
        d->structure.members[i].type = types[i];
    const Type *made = type_struct(t, d);
    type_struct_set_layout(t, made, align, size);
    return made;
}

/* ---- identity ---- */

static void test_the_same_parts_make_the_same_type(void **state)
{
    (void)state;
    assert_ptr_equal(type_vector(t, t->f32, 3), type_vector(t, t->f32, 3));
    assert_ptr_not_equal(type_vector(t, t->f32, 3), type_vector(t, t->f32, 4));
    assert_ptr_not_equal(type_vector(t, t->f32, 3), type_vector(t, t->i32, 3));
    assert_ptr_equal(type_matrix(t, t->f16, 2, 3), type_matrix(t, t->f16, 2, 3));
    assert_ptr_not_equal(type_matrix(t, t->f16, 2, 3), type_matrix(t, t->f16, 3, 2));
    assert_ptr_equal(type_array_fixed(t, t->i32, 8), type_array_fixed(t, t->i32, 8));
    assert_ptr_not_equal(type_array_fixed(t, t->i32, 8), type_array_fixed(t, t->i32, 9));
    assert_ptr_not_equal(type_array_fixed(t, t->i32, 8), type_array_runtime(t, t->i32));
    assert_ptr_not_equal(type_pointer(t, t->i32, SPACE_STORAGE, ACCESS_READ),
                         type_reference(t, t->i32, SPACE_STORAGE, ACCESS_READ));
    assert_ptr_not_equal(type_pointer(t, t->i32, SPACE_STORAGE, ACCESS_READ),
                         type_pointer(t, t->i32, SPACE_STORAGE, ACCESS_READ_WRITE));
    assert_ptr_not_equal(type_sampler(t, true), type_sampler(t, false));
    assert_ptr_equal(type_atomic(t, t->u32), type_atomic(t, t->u32));
    assert_ptr_equal(type_buffer_fixed(t, 64), type_buffer_fixed(t, 64));
    assert_ptr_not_equal(type_buffer_fixed(t, 64), type_buffer_runtime(t));
    assert_ptr_not_equal(type_buffer_fixed(t, 64), type_array_fixed(t, t->u32, 64));
    assert_ptr_equal(
        type_texture(t, TEXTURE_STORAGE, DIM_2D, NULL, TEXEL_r32uint, ACCESS_WRITE),
        type_texture(t, TEXTURE_STORAGE, DIM_2D, NULL, TEXEL_r32uint, ACCESS_WRITE));
    assert_ptr_not_equal(
        type_texture(t, TEXTURE_STORAGE, DIM_2D, NULL, TEXEL_r32uint, ACCESS_WRITE),
        type_texture(t, TEXTURE_STORAGE, DIM_2D, NULL, TEXEL_r32sint, ACCESS_WRITE));
    /* What a kind of texture does not have does not distinguish it. */
    assert_ptr_equal(
        type_texture(t, TEXTURE_DEPTH, DIM_2D, t->f32, TEXEL_r32uint, ACCESS_WRITE),
        type_texture(t, TEXTURE_DEPTH, DIM_2D, NULL, TEXEL_rgba8unorm, ACCESS_NONE));
}

static void test_ids_are_places_in_the_table(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 3000; n++)
        type_array_fixed(t, t->i32, n);
    for (uint32_t i = 0; i < t->all.len; i++)
        assert_int_equal(t->all.data[i]->id, i);
    uint32_t count = t->all.len;
    for (uint64_t n = 1; n <= 3000; n++)
        assert_int_equal(type_array_fixed(t, t->i32, n)->array.count, n);
    assert_int_equal(t->all.len, count);
}

static void test_override_sizes_are_the_same_only_as_plain_names(void **state)
{
    (void)state;
    Decl size = {.kind = DECL_OVERRIDE}, other = {.kind = DECL_OVERRIDE};
    const Type *a = type_array_override(t, t->i32, name_expr(&size, "size", false));
    assert_ptr_equal(a, type_array_override(t, t->i32, name_expr(&size, "size", false)));
    assert_ptr_not_equal(a, type_array_override(t, t->i32, name_expr(&other, "other", false)));
    assert_ptr_not_equal(a, type_array_override(t, t->i32, name_expr(&size, "size", true)));
    assert_ptr_not_equal(a, type_array_override(t, t->u32, name_expr(&size, "size", false)));
    Expr sum = {.kind = EXPR_BINARY}, same_sum = {.kind = EXPR_BINARY};
    assert_ptr_not_equal(type_array_override(t, t->i32, &sum),
                         type_array_override(t, t->i32, &same_sum));
    assert_ptr_equal(type_array_override(t, t->i32, &sum),
                     type_array_override(t, t->i32, &sum));
    assert_ptr_equal(type_buffer_override(t, name_expr(&size, "size", false)),
                     type_buffer_override(t, name_expr(&size, "size", false)));
}

static void test_a_structure_is_its_declaration(void **state)
{
    (void)state;
    const Type *members[] = {t->i32};
    const Type *a = make_struct("A", members, 1, 4, 4);
    const Type *b = make_struct("A", members, 1, 4, 4);
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(a, type_struct(t, a->structure.decl));
}

/* ---- text ---- */

static void test_types_print_as_they_are_written(void **state)
{
    (void)state;
    Decl size = {.kind = DECL_OVERRIDE};
    Expr sum = {.kind = EXPR_BINARY};
    const Type *members[] = {t->i32};
    const Type *light = make_struct("Light", members, 1, 4, 4);
    const struct { const Type *type; const char *want; } cases[] = {
        { t->error, "error" }, { t->void_, "void" }, { t->boolean, "bool" },
        { t->abstract_int, "abstract-int" }, { t->abstract_float, "abstract-float" },
        { t->i32, "i32" }, { t->u32, "u32" }, { t->f32, "f32" }, { t->f16, "f16" },
        { type_vector(t, t->f32, 3), "vec3<f32>" },
        { type_vector(t, t->abstract_int, 2), "vec2<abstract-int>" },
        { type_matrix(t, t->f16, 2, 3), "mat2x3<f16>" },
        { type_array_fixed(t, light, 4), "array<Light, 4>" },
        { type_array_fixed(t, type_array_fixed(t, t->f32, 2), 4294967295u),
          "array<array<f32, 2>, 4294967295>" },
        { type_array_runtime(t, type_vector(t, t->f32, 4)), "array<vec4<f32>>" },
        { type_array_override(t, t->i32, name_expr(&size, "size", false)), "array<i32, size>" },
        { type_array_override(t, t->i32, &sum), "array<i32, override-expression>" },
        { type_atomic(t, t->u32), "atomic<u32>" },
        { type_pointer(t, light, SPACE_STORAGE, ACCESS_READ), "ptr<storage, Light, read>" },
        { type_pointer(t, t->i32, SPACE_FUNCTION, ACCESS_READ_WRITE), "ptr<function, i32>" },
        { type_pointer(t, t->i32, SPACE_IMMEDIATE, ACCESS_READ), "ptr<immediate, i32>" },
        { type_reference(t, t->f32, SPACE_STORAGE, ACCESS_READ_WRITE),
          "ref<storage, f32, read_write>" },
        { type_reference(t, t->f32, SPACE_UNIFORM, ACCESS_READ), "ref<uniform, f32>" },
        { type_sampler(t, false), "sampler" }, { type_sampler(t, true), "sampler_comparison" },
        { type_texture(t, TEXTURE_SAMPLED, DIM_CUBE_ARRAY, t->f32, 0, 0),
          "texture_cube_array<f32>" },
        { type_texture(t, TEXTURE_SAMPLED, DIM_1D, t->u32, 0, 0), "texture_1d<u32>" },
        { type_texture(t, TEXTURE_MULTISAMPLED, DIM_2D, t->i32, 0, 0),
          "texture_multisampled_2d<i32>" },
        { type_texture(t, TEXTURE_DEPTH, DIM_2D_ARRAY, NULL, 0, 0), "texture_depth_2d_array" },
        { type_texture(t, TEXTURE_DEPTH_MULTISAMPLED, DIM_2D, NULL, 0, 0),
          "texture_depth_multisampled_2d" },
        { type_texture(t, TEXTURE_STORAGE, DIM_2D, NULL, TEXEL_rgba8unorm, ACCESS_WRITE),
          "texture_storage_2d<rgba8unorm, write>" },
        { type_texture(t, TEXTURE_STORAGE, DIM_3D, NULL, TEXEL_rg11b10ufloat,
                       ACCESS_READ_WRITE), "texture_storage_3d<rg11b10ufloat, read_write>" },
        { type_texture(t, TEXTURE_EXTERNAL, DIM_2D, NULL, 0, 0), "texture_external" },
        { type_buffer_runtime(t), "buffer" }, { type_buffer_fixed(t, 64), "buffer<64>" },
        { type_buffer_override(t, name_expr(&size, "size", false)), "buffer<size>" },
        { type_result_struct(t, RESULT_FREXP, t->f32), "__frexp_result_f32" },
        { ty("frexp<vec3<f16>>"), "__frexp_result_vec3_f16" },
        { ty("frexp<float>"), "__frexp_result_abstract" },
        { ty("modf<vec4<float>>"), "__modf_result_vec4_abstract" },
        { ty("modf<vec2<f32>>"), "__modf_result_vec2_f32" },
        { type_result_struct(t, RESULT_ATOMIC_COMPARE_EXCHANGE, t->u32),
          "__atomic_compare_exchange_result<u32>" },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        assert_string_equal(str(cases[i].type), cases[i].want);
}

static void test_every_texel_format_has_its_row(void **state)
{
    (void)state;
    uint32_t tier1 = 0;
    assert_int_equal(TEXEL_COUNT, 40);
    for (int i = 0; i < TEXEL_COUNT; i++) {
        const char *name = texel_format_name((TexelFormat)i);
        size_t len = strlen(name);
        TypeKind want = strcmp(name + len - 4, "uint") == 0 ? TYPE_U32
                      : strcmp(name + len - 4, "sint") == 0 ? TYPE_I32 : TYPE_F32;
        assert_int_equal(texel_format_channel((TexelFormat)i), want);
        tier1 += texel_format_is_tier1((TexelFormat)i);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(name, texel_format_name((TexelFormat)j));
    }
    assert_int_equal(tier1, 23);
    assert_false(texel_format_is_tier1(TEXEL_rgba16float));
    assert_true(texel_format_is_tier1(TEXEL_rgba16unorm));
}

/* ---- layout: the table of WGSL 14.4.1 ---- */

static void test_alignment_and_size(void **state)
{
    (void)state;
    static const struct { const char *type; uint32_t align; uint64_t size; } cases[] = {
        { "bool", 4, 4 }, { "i32", 4, 4 }, { "u32", 4, 4 }, { "f32", 4, 4 }, { "f16", 2, 2 },
        { "vec2<bool>", 8, 8 }, { "vec2<i32>", 8, 8 }, { "vec2<f32>", 8, 8 },
        { "vec2<f16>", 4, 4 }, { "vec3<u32>", 16, 12 }, { "vec3<f32>", 16, 12 },
        { "vec3<f16>", 8, 6 }, { "vec4<f32>", 16, 16 }, { "vec4<f16>", 8, 8 },
        { "mat2x2<f32>", 8, 16 }, { "mat2x2<f16>", 4, 8 },
        { "mat3x2<f32>", 8, 24 }, { "mat3x2<f16>", 4, 12 },
        { "mat4x2<f32>", 8, 32 }, { "mat4x2<f16>", 4, 16 },
        { "mat2x3<f32>", 16, 32 }, { "mat2x3<f16>", 8, 16 },
        { "mat3x3<f32>", 16, 48 }, { "mat3x3<f16>", 8, 24 },
        { "mat4x3<f32>", 16, 64 }, { "mat4x3<f16>", 8, 32 },
        { "mat2x4<f32>", 16, 32 }, { "mat2x4<f16>", 8, 16 },
        { "mat3x4<f32>", 16, 48 }, { "mat3x4<f16>", 8, 24 },
        { "mat4x4<f32>", 16, 64 }, { "mat4x4<f16>", 8, 32 },
        { "array<f32, 8>", 4, 32 }, { "array<vec3<f32>, 8>", 16, 128 },
        { "array<vec3<f16>, 3>", 8, 24 }, { "array<array<f16, 3>, 2>", 2, 12 },
        { "int", 0, 0 }, { "vec3<float>", 0, 0 }, { "array<int, 7>", 0, 0 },
        { "frexp<f32>", 4, 8 }, { "frexp<f16>", 4, 8 }, { "frexp<vec3<f32>>", 16, 32 },
        { "frexp<vec2<f16>>", 8, 16 }, { "modf<vec3<f16>>", 8, 16 }, { "modf<f16>", 2, 4 },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const Type *type = ty(cases[i].type);
        assert_int_equal(type->align, cases[i].align);
        assert_int_equal(type->size, cases[i].size);
    }
    const Type *atomic = type_atomic(t, t->u32);
    assert_int_equal(atomic->align, 4);
    assert_int_equal(atomic->size, 4);
    const Type *runtime = type_array_runtime(t, ty("vec3<f32>"));
    assert_int_equal(runtime->align, 16);
    assert_int_equal(runtime->array.stride, 16);
    assert_int_equal(runtime->size, 0);
    assert_int_equal(type_buffer_fixed(t, 12)->size, 12);
    const Type *exchange = type_result_struct(t, RESULT_ATOMIC_COMPARE_EXCHANGE, t->i32);
    assert_int_equal(exchange->size, 8);
}

static void test_sizes_do_not_overflow(void **state)
{
    (void)state;
    const Type *large = type_array_fixed(t, t->u32, 4294967295u);
    assert_int_equal(large->size, 17179869180u);
    assert_true(type_array_size_ok(t->u32, UINT64_C(1) << 60));
    assert_false(type_array_size_ok(t->u32, UINT64_C(1) << 61));
    assert_false(type_array_size_ok(t->u32, UINT64_MAX));
    assert_true(type_array_size_ok(large, (UINT64_C(1) << 63) / 17179869180u));
    assert_false(type_array_size_ok(large, 4294967295u));
    /* Abstract arrays must be able to become concrete. */
    const Type *abstract = type_array_fixed(t, ty("vec3<int>"), UINT64_C(1) << 58);
    assert_int_equal(type_concretize(t, abstract)->size, UINT64_C(1) << 62);
    assert_true(type_array_size_ok(abstract, 1));
    assert_false(type_array_size_ok(abstract, 2));
    const Type *results = ty("frexp<vec4<float>>");
    assert_false(type_array_size_ok(results, UINT64_C(1) << 58));
    assert_true(type_array_size_ok(results, (UINT64_C(1) << 58) - 1));
}

static void test_depth_counts_composites(void **state)
{
    (void)state;
    const Type *members[] = {t->f32, ty("array<mat2x2<f32>, 2>"), ty("vec2<f32>")};
    assert_int_equal(t->f32->depth, 0);
    assert_int_equal(ty("vec2<f32>")->depth, 1);
    assert_int_equal(ty("mat2x2<f32>")->depth, 2);
    assert_int_equal(ty("array<mat2x2<f32>, 2>")->depth, 3);
    assert_int_equal(make_struct("S", members, 3, 8, 48)->depth, 4);
    assert_int_equal(ty("frexp<vec2<f32>>")->depth, 2);
}

/* ---- questions ---- */

enum { PLAIN = 1, MADE = 2, STORED = 4, SHARED = 8, FIXED = 16, CREATION = 32,
       ABSTRACT = 64, ATOMIC = 128, RUNTIME = 256, HALF = 512 };

static int answers(const Type *type)
{
    return (type_is_plain(type) ? PLAIN : 0) | (type_is_constructible(type) ? MADE : 0)
         | (type_is_storable(type) ? STORED : 0) | (type_is_host_shareable(type) ? SHARED : 0)
         | (type_has_fixed_footprint(type) ? FIXED : 0)
         | (type_has_creation_fixed_footprint(type) ? CREATION : 0)
         | (type_is_abstract(type) ? ABSTRACT : 0) | (type_contains_atomic(type) ? ATOMIC : 0)
         | (type_contains_runtime_array(type) ? RUNTIME : 0)
         | (type_contains_f16(type) ? HALF : 0);
}

static void test_questions_about_types(void **state)
{
    (void)state;
    enum { VALUE = PLAIN | MADE | STORED | FIXED | CREATION, NUMBER = VALUE | SHARED };
    Decl size = {.kind = DECL_OVERRIDE};
    const Type *with_bool[] = {t->i32, ty("vec2<bool>")};
    const Type *with_atomic[] = {type_atomic(t, t->i32), t->f16};
    const Type *with_tail[] = {t->i32, type_array_runtime(t, t->f32)};
    const Type *sized = type_array_override(t, t->f32, name_expr(&size, "size", false));
    const struct { const Type *type; int want; } cases[] = {
        { t->boolean, VALUE }, { t->i32, NUMBER }, { t->f16, NUMBER | HALF },
        { t->abstract_int, PLAIN | MADE | FIXED | CREATION | ABSTRACT },
        { ty("vec3<bool>"), VALUE }, { ty("vec3<f32>"), NUMBER },
        { ty("mat2x2<f16>"), NUMBER | HALF },
        { ty("array<vec2<float>, 3>"), PLAIN | MADE | FIXED | CREATION | ABSTRACT },
        { ty("array<vec2<f32>, 3>"), NUMBER },
        { type_atomic(t, t->i32), PLAIN | STORED | SHARED | FIXED | CREATION | ATOMIC },
        { type_array_fixed(t, type_atomic(t, t->i32), 2),
          PLAIN | STORED | SHARED | FIXED | CREATION | ATOMIC },
        { type_array_runtime(t, t->i32), PLAIN | STORED | SHARED | RUNTIME },
        { type_array_runtime(t, t->boolean), PLAIN | STORED | RUNTIME },
        { sized, PLAIN | STORED | FIXED },
        { make_struct("B", with_bool, 2, 8, 16), VALUE },
        { make_struct("A", with_atomic, 2, 4, 8),
          PLAIN | STORED | SHARED | FIXED | CREATION | ATOMIC | HALF },
        { make_struct("R", with_tail, 2, 4, 0), PLAIN | STORED | SHARED | RUNTIME },
        { ty("frexp<f32>"), NUMBER },
        { ty("frexp<float>"), PLAIN | MADE | FIXED | CREATION | ABSTRACT },
        { type_result_struct(t, RESULT_ATOMIC_COMPARE_EXCHANGE, t->i32), VALUE },
        { type_buffer_runtime(t), STORED | SHARED },
        { type_buffer_fixed(t, 4), STORED | SHARED | FIXED | CREATION },
        { type_sampler(t, false), STORED },
        { type_texture(t, TEXTURE_EXTERNAL, DIM_2D, NULL, 0, 0), STORED },
        { type_pointer(t, t->i32, SPACE_FUNCTION, ACCESS_READ_WRITE), 0 },
        { t->void_, 0 },
        { t->error, NUMBER },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        if (answers(cases[i].type) != cases[i].want)
            fail_msg("%s answers %#x, not %#x", str(cases[i].type),
                     (unsigned)answers(cases[i].type), (unsigned)cases[i].want);
}

static void test_an_incomplete_structure_is_no_trouble(void **state)
{
    (void)state;
    Decl d = {.kind = DECL_STRUCT};
    Member members[1] = {{.type = NULL}};
    d.structure.members = members;
    d.structure.nmembers = 1;
    const Type *s = type_struct(t, &d);
    assert_int_equal(answers(s), answers(t->error));
    type_struct_set_layout(t, s, 4, 4);
    assert_int_equal(answers(s), answers(t->error));
    members[0].type = type_atomic(t, t->i32);
    type_struct_set_layout(t, s, 4, 4);
    assert_true(type_contains_atomic(s));
}

static void test_kinds_of_scalar(void **state)
{
    (void)state;
    const struct { const Type *type; bool scalar, number, integer, real; } cases[] = {
        { t->boolean, true, false, false, false },
        { t->abstract_int, true, true, true, false },
        { t->i32, true, true, true, false }, { t->u32, true, true, true, false },
        { t->abstract_float, true, true, false, true },
        { t->f32, true, true, false, true }, { t->f16, true, true, false, true },
        { ty("vec2<f32>"), false, false, false, false },
        { t->error, false, false, false, false },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        assert_int_equal(type_is_scalar(cases[i].type), cases[i].scalar);
        assert_int_equal(type_is_numeric_scalar(cases[i].type), cases[i].number);
        assert_int_equal(type_is_integer_scalar(cases[i].type), cases[i].integer);
        assert_int_equal(type_is_float_scalar(cases[i].type), cases[i].real);
    }
}

static void test_parts_of_types(void **state)
{
    (void)state;
    assert_ptr_equal(type_scalar_of(ty("vec2<f32>")), t->f32);
    assert_ptr_equal(type_scalar_of(ty("mat2x2<f16>")), t->f16);
    assert_ptr_equal(type_scalar_of(t->boolean), t->boolean);
    assert_ptr_equal(type_element(t, ty("vec2<f32>")), t->f32);
    assert_ptr_equal(type_element(t, ty("mat2x3<f32>")), ty("vec3<f32>"));
    assert_ptr_equal(type_element(t, ty("array<u32, 2>")), t->u32);
    assert_null(type_element(t, t->f32));
    assert_null(type_element(t, type_buffer_fixed(t, 4)));
}

/* ---- conversions ---- */

static void test_conversion_ranks(void **state)
{
    (void)state;
    static const struct { const char *from, *to; uint32_t rank; } cases[] = {
        { "f32", "f32", 0 }, { "float", "float", 0 },
        { "float", "f32", 1 }, { "float", "f16", 2 }, { "int", "i32", 3 }, { "int", "u32", 4 },
        { "int", "float", 5 }, { "int", "f32", 6 }, { "int", "f16", 7 },
        { "float", "i32", RANK_INFINITE }, { "float", "int", RANK_INFINITE },
        { "i32", "u32", RANK_INFINITE }, { "i32", "f32", RANK_INFINITE },
        { "i32", "int", RANK_INFINITE }, { "f16", "f32", RANK_INFINITE },
        { "int", "bool", RANK_INFINITE }, { "bool", "i32", RANK_INFINITE },
        { "vec3<int>", "vec3<f16>", 7 }, { "vec3<int>", "vec2<f16>", RANK_INFINITE },
        { "vec3<int>", "i32", RANK_INFINITE }, { "int", "vec3<i32>", RANK_INFINITE },
        { "mat2x3<float>", "mat2x3<f32>", 1 }, { "mat2x3<float>", "mat3x2<f32>", RANK_INFINITE },
        { "array<int, 4>", "array<u32, 4>", 4 },
        { "array<int, 4>", "array<u32, 5>", RANK_INFINITE },
        { "array<vec2<float>, 4>", "array<vec2<f16>, 4>", 2 },
        { "array<array<int, 2>, 3>", "array<array<float, 2>, 3>", 5 },
        { "frexp<float>", "frexp<f32>", 1 }, { "frexp<float>", "frexp<f16>", 2 },
        { "frexp<vec3<float>>", "frexp<vec3<f16>>", 2 },
        { "frexp<vec3<float>>", "frexp<vec2<f16>>", RANK_INFINITE },
        { "modf<float>", "modf<f32>", 1 }, { "modf<float>", "frexp<f32>", RANK_INFINITE },
        { "modf<f32>", "modf<f16>", RANK_INFINITE },
        { "array<modf<float>, 2>", "array<modf<f16>, 2>", 2 },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        if (type_conversion_rank(ty(cases[i].from), ty(cases[i].to)) != cases[i].rank)
            fail_msg("%s to %s", cases[i].from, cases[i].to);
}

static void test_references_rank_by_the_load_rule(void **state)
{
    (void)state;
    const Type *readable = type_reference(t, t->i32, SPACE_FUNCTION, ACCESS_READ_WRITE);
    const Type *writable = type_reference(t, t->i32, SPACE_STORAGE, ACCESS_WRITE);
    assert_int_equal(type_conversion_rank(readable, t->i32), 0);
    assert_int_equal(type_conversion_rank(readable, readable), 0);
    assert_int_equal(type_conversion_rank(readable, t->u32), RANK_INFINITE);
    assert_int_equal(type_conversion_rank(writable, t->i32), RANK_INFINITE);
    assert_int_equal(type_conversion_rank(t->error, t->i32), 0);
    assert_int_equal(type_conversion_rank(readable, t->error), 0);
    assert_int_equal(type_conversion_rank(t->i32, t->error), 0);
}

static void test_buffers_become_smaller_as_arguments(void **state)
{
    (void)state;
    Decl size = {.kind = DECL_OVERRIDE};
    const Type *large = type_pointer(t, type_buffer_fixed(t, 64), SPACE_STORAGE, ACCESS_READ);
    const Type *small = type_pointer(t, type_buffer_fixed(t, 32), SPACE_STORAGE, ACCESS_READ);
    const Type *open = type_pointer(t, type_buffer_runtime(t), SPACE_STORAGE, ACCESS_READ);
    const Type *sized = type_pointer(
        t, type_buffer_override(t, name_expr(&size, "size", false)), SPACE_STORAGE, ACCESS_READ);
    const Type *elsewhere = type_pointer(t, type_buffer_fixed(t, 32), SPACE_UNIFORM, ACCESS_READ);
    assert_int_equal(type_argument_rank(large, small), 1);
    assert_int_equal(type_argument_rank(large, open), 1);
    assert_int_equal(type_argument_rank(sized, open), 1);
    assert_int_equal(type_argument_rank(large, large), 0);
    assert_int_equal(type_argument_rank(small, large), RANK_INFINITE);
    assert_int_equal(type_argument_rank(open, small), RANK_INFINITE);
    assert_int_equal(type_argument_rank(large, sized), RANK_INFINITE);
    assert_int_equal(type_argument_rank(large, elsewhere), RANK_INFINITE);
    assert_int_equal(type_argument_rank(t->abstract_int, t->i32), 3);
    assert_int_equal(type_conversion_rank(large, small), RANK_INFINITE);
}

static void test_concretization(void **state)
{
    (void)state;
    static const struct { const char *from, *to; } cases[] = {
        { "int", "i32" }, { "float", "f32" }, { "u32", "u32" }, { "vec3<int>", "vec3<i32>" },
        { "mat2x3<float>", "mat2x3<f32>" }, { "array<vec2<float>, 3>", "array<vec2<f32>, 3>" },
        { "frexp<float>", "frexp<f32>" }, { "modf<vec3<float>>", "modf<vec3<f32>>" },
        { "array<frexp<float>, 2>", "array<frexp<f32>, 2>" }, { "vec2<f16>", "vec2<f16>" },
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        assert_ptr_equal(type_concretize(t, ty(cases[i].from)), ty(cases[i].to));
    assert_ptr_equal(type_concretize(t, t->error), t->error);
}

static void test_result_structures_have_members(void **state)
{
    (void)state;
    const Decl *d = ty("frexp<vec3<float>>")->structure.decl;
    assert_int_equal(d->structure.nmembers, 2);
    assert_true(str_eq(d->structure.members[0].ident.name->text, STR("fract")));
    assert_ptr_equal(d->structure.members[0].type, ty("vec3<float>"));
    assert_true(str_eq(d->structure.members[1].ident.name->text, STR("exp")));
    assert_ptr_equal(d->structure.members[1].type, ty("vec3<int>"));
    assert_ptr_equal(d->type, ty("frexp<vec3<float>>"));
    d = ty("modf<f16>")->structure.decl;
    assert_true(str_eq(d->structure.members[1].ident.name->text, STR("whole")));
    assert_int_equal(d->structure.members[1].offset, 2);
    assert_non_null(d->structure.members[1].io);
    d = type_result_struct(t, RESULT_ATOMIC_COMPARE_EXCHANGE, t->u32)->structure.decl;
    assert_true(str_eq(d->structure.members[0].ident.name->text, STR("old_value")));
    assert_ptr_equal(d->structure.members[0].type, t->u32);
    assert_true(str_eq(d->structure.members[1].ident.name->text, STR("exchanged")));
    assert_ptr_equal(d->structure.members[1].type, t->boolean);
    d = ty("frexp<f16>")->structure.decl;
    assert_ptr_equal(d->structure.members[1].type, t->i32);
    assert_int_equal(d->structure.members[1].offset, 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_same_parts_make_the_same_type),
        TEST(test_ids_are_places_in_the_table),
        TEST(test_override_sizes_are_the_same_only_as_plain_names),
        TEST(test_a_structure_is_its_declaration),
        TEST(test_types_print_as_they_are_written),
        TEST(test_every_texel_format_has_its_row),
        TEST(test_alignment_and_size),
        TEST(test_sizes_do_not_overflow),
        TEST(test_depth_counts_composites),
        TEST(test_questions_about_types),
        TEST(test_an_incomplete_structure_is_no_trouble),
        TEST(test_kinds_of_scalar),
        TEST(test_parts_of_types),
        TEST(test_conversion_ranks),
        TEST(test_references_rank_by_the_load_rule),
        TEST(test_buffers_become_smaller_as_arguments),
        TEST(test_concretization),
        TEST(test_result_structures_have_members),
    };
    return cmocka_run_group_tests_name("type", tests, NULL, NULL);
}
