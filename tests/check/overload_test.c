// SPDX-License-Identifier: Apache-2.0
/*
 * overload_test.c - the tables of overloads have no holes, and resolution
 * prefers what WGSL prefers.
 */
#include <stdio.h>
#include <string.h>

#include "support/test.h"

#include "check/check_priv.h"
#include "check/overload_match_priv.h"

typedef struct Fixture {
    Arena     arena;
    TypeTable types;
} Fixture;

static int set_up(void **state)
{
    static Fixture f;
    arena_init(&f.arena, 0);
    type_table_init(&f.types, &f.arena);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    arena_fini(&f->arena);
    return 0;
}

/* ---- types by their names ---- */

static const Type *scalar_named(Fixture *f, const char *name)
{
    TypeTable *t = &f->types;
    const struct { const char *name; const Type *type; } scalars[] = {
        {"bool", t->boolean}, {"i32", t->i32}, {"u32", t->u32}, {"f32", t->f32},
        {"f16", t->f16}, {"ai", t->abstract_int}, {"af", t->abstract_float},
    };
    for (size_t i = 0; i < COUNTOF(scalars); i++)
        if (strcmp(scalars[i].name, name) == 0)
            return scalars[i].type;
    return NULL;
}

/* "f32", "vec3 f32", "mat2x3 af", "ptr_atomic u32", "tex2d f32", "store2d", ... */
static const Type *type_named(Fixture *f, const char *text)
{
    char head[32], of[32] = "";
    TypeTable *t = &f->types;
    assert_true(sscanf(text, "%31s %31s", head, of) >= 1);
    const Type *scalar = scalar_named(f, of);
    if (scalar_named(f, head))
        return scalar_named(f, head);
    if (strncmp(head, "vec", 3) == 0)
        return type_vector(t, scalar, (uint32_t)(head[3] - '0'));
    if (strncmp(head, "mat", 3) == 0)
        return type_matrix(t, scalar, (uint32_t)(head[3] - '0'), (uint32_t)(head[5] - '0'));
    if (strcmp(head, "ptr_atomic") == 0)
        return type_pointer(t, type_atomic(t, scalar), SPACE_STORAGE, ACCESS_READ_WRITE);
    if (strcmp(head, "ptr_array") == 0)
        return type_pointer(t, type_array_runtime(t, scalar), SPACE_STORAGE, ACCESS_READ);
    if (strcmp(head, "ptr_wg") == 0)
        return type_pointer(t, scalar, SPACE_WORKGROUP, ACCESS_READ_WRITE);
    if (strcmp(head, "ptr_fn") == 0)
        return type_pointer(t, scalar, SPACE_FUNCTION, ACCESS_READ_WRITE);
    if (strcmp(head, "ptr_wg_atomic") == 0)
        return type_pointer(t, type_atomic(t, scalar), SPACE_WORKGROUP, ACCESS_READ_WRITE);
    if (strcmp(head, "tex2d") == 0)
        return type_texture(t, TEXTURE_SAMPLED, DIM_2D, scalar, 0, ACCESS_NONE);
    if (strcmp(head, "tex2da") == 0)
        return type_texture(t, TEXTURE_SAMPLED, DIM_2D_ARRAY, scalar, 0, ACCESS_NONE);
    if (strcmp(head, "depth2d") == 0)
        return type_texture(t, TEXTURE_DEPTH, DIM_2D, NULL, 0, ACCESS_NONE);
    if (strcmp(head, "store2d_r") == 0)
        return type_texture(t, TEXTURE_STORAGE, DIM_2D, NULL, TEXEL_rgba8uint, ACCESS_READ);
    if (strcmp(head, "store2d_w") == 0)
        return type_texture(t, TEXTURE_STORAGE, DIM_2D, NULL, TEXEL_rgba8uint, ACCESS_WRITE);
    if (strcmp(head, "sampler") == 0)
        return type_sampler(t, false);
    fail_msg("no type '%s'", text);
    return NULL;
}

/* Resolves `name` for comma-separated types; the text of "params -> result". */
static const char *resolved(Fixture *f, Overloads set, const char *target, const char *args,
                            bool all_const, bool f16)
{
    const Type *types[8];
    uint32_t n = 0;
    char copy[160];
    snprintf(copy, sizeof copy, "%s", args);
    for (char *p = strtok(copy, ","); p; p = strtok(NULL, ","))
        types[n++] = type_named(f, p);
    OverloadQuery q = {
        .types = &f->types, .f16 = f16, .all_const = all_const,
        .explicit_ = target ? type_named(f, target) : NULL, .args = types, .nargs = n,
    };
    OverloadMatch match;
    if (!overload_resolve(&q, set, &match)) {
        for (uint32_t i = 0; i < set.count; i++)
            overload_miss(&q, &set.rows[i], &f->arena);
        return "none";
    }
    Text out = {.arena = &f->arena};
    for (uint32_t i = 0; i < n; i++)
        text_printf(&out, "%s%s", i ? ", " : "", type_string(&f->arena, match.params[i]));
    text_printf(&out, " -> %s", type_string(&f->arena, match.result));
    return out.data;
}

/* ---- the tables ---- */

static void test_builtin_names_are_sorted_and_found(void **state)
{
    (void)state;
    for (int i = 0; i < BUILTIN_ID_COUNT; i++) {
        BuiltinId id;
        if (i)
            assert_true(strcmp(builtin_name((BuiltinId)(i - 1)), builtin_name((BuiltinId)i)) < 0);
        assert_true(builtin_find(str_of(builtin_name((BuiltinId)i)), &id));
        assert_int_equal(id, i);
    }
}

static void test_other_names_are_not_found(void **state)
{
    static const char *const names[] = {"", "ab", "absx", "zzz", "vec3", "Abs", "textureSampl"};
    (void)state;
    for (size_t i = 0; i < COUNTOF(names); i++) {
        BuiltinId id;
        assert_false(builtin_find(str_of(names[i]), &id));
    }
}

static void assert_pattern(const char *where, Str pattern, bool may_be_result)
{
    Pattern p = pattern_of(pattern);
    if (p.kind == PATTERN_NONE || (p.kind == PATTERN_RESULT && !may_be_result))
        fail_msg("%s: '%.*s' is not a type", where, STR_ARG(pattern));
    if (p.kind == PATTERN_SHAPED || p.kind == PATTERN_VECTOR || p.kind == PATTERN_MATRIX
        || p.kind == PATTERN_ATOMIC) {
        PatternKind inner = pattern_of(p.inner).kind;
        assert_true(inner == PATTERN_SCALAR || inner == PATTERN_SCALAR_VAR
                    || inner == PATTERN_CHANNEL);
    }
    if (p.kind == PATTERN_POINTER) {
        Str list = p.inner;
        pattern_next(&list);
        assert_pattern(where, pattern_next(&list), false);
        assert_true(pattern_next(&list).len > 0);
    }
}

static void assert_row(const char *name, const Overload *row, bool named)
{
    uint32_t n = overload_param_count(row);
    assert_true(n <= OVERLOAD_MAX_PARAMS);
    for (uint32_t i = 0; i < n; i++) {
        Param p = overload_param(row, i);
        assert_true(named == (p.name.len > 0));
        assert_pattern(name, p.type, false);
        assert_true(!p.has_range || p.low <= p.high);
    }
    if (row->template_[0])
        assert_pattern(name, str_of(row->template_), false);
    if (row->result[0])
        assert_pattern(name, str_of(row->result), true);
}

static void test_every_row_is_in_the_language(void **state)
{
    Fixture *f = *state;
    for (int id = 0; id < BUILTIN_ID_COUNT; id++) {
        Overloads set = builtin_overloads((BuiltinId)id);
        assert_true(set.count > 0);
        for (uint32_t i = 0; i < set.count; i++) {
            assert_row(builtin_name((BuiltinId)id), &set.rows[i], true);
            /* All rows of a function take a template argument, or none does. */
            assert_true((set.rows[i].template_[0] != 0) == (set.rows[0].template_[0] != 0));
            Text text = {.arena = &f->arena};
            overload_print(&text, builtin_name((BuiltinId)id), &set.rows[i], true);
            assert_non_null(strchr(text.data, '('));
        }
    }
}

/* ---- resolution ---- */

typedef struct Case {
    const char *name, *target, *args, *want;
} Case;

static void assert_cases(Fixture *f, const Case *cases, size_t count, bool all_const, bool f16)
{
    for (size_t i = 0; i < count; i++) {
        BuiltinId id;
        assert_true(builtin_find(str_of(cases[i].name), &id));
        const char *got = resolved(f, builtin_overloads(id), cases[i].target, cases[i].args,
                                   all_const, f16);
        if (strcmp(got, cases[i].want))
            fail_msg("%s(%s): %s, not %s", cases[i].name, cases[i].args, got, cases[i].want);
    }
}

static void test_constants_stay_abstract_where_they_can(void **state)
{
    static const Case cases[] = {
        {"abs",     NULL, "ai",          "abstract-int -> abstract-int"},
        {"abs",     NULL, "vec3 af",     "vec3<abstract-float> -> vec3<abstract-float>"},
        {"sin",     NULL, "ai",          "abstract-float -> abstract-float"},
        {"min",     NULL, "ai,af",       "abstract-float, abstract-float -> abstract-float"},
        {"min",     NULL, "ai,u32",      "u32, u32 -> u32"},
        {"min",     NULL, "af,f16",      "f16, f16 -> f16"},
        {"clamp",   NULL, "ai,i32,ai",   "i32, i32, i32 -> i32"},
        {"firstLeadingBit", NULL, "ai",  "i32 -> i32"},
        {"quantizeToF16", NULL, "ai",    "f32 -> f32"},
        {"dot4U8Packed", NULL, "ai,ai",  "u32, u32 -> u32"},
        {"ldexp",   NULL, "af,ai",       "abstract-float, abstract-int -> abstract-float"},
        {"ldexp",   NULL, "af,i32",      "abstract-float, i32 -> abstract-float"},
        {"ldexp",   NULL, "f16,ai",      "f16, i32 -> f16"},
        {"ldexp",   NULL, "vec2 ai,vec2 ai",
            "vec2<abstract-float>, vec2<abstract-int> -> vec2<abstract-float>"},
        {"select",  NULL, "ai,af,bool",
            "abstract-float, abstract-float, bool -> abstract-float"},
    };
    assert_cases(*state, cases, COUNTOF(cases), true, true);
}

static void test_one_runtime_argument_makes_all_concrete(void **state)
{
    static const Case cases[] = {
        {"abs",    NULL, "ai",            "i32 -> i32"},
        {"abs",    NULL, "af",            "f32 -> f32"},
        {"select", NULL, "ai,ai,bool",    "i32, i32, bool -> i32"},
        {"select", NULL, "vec2 ai,vec2 af,vec2 bool",
            "vec2<f32>, vec2<f32>, vec2<bool> -> vec2<f32>"},
        {"ldexp",  NULL, "af,i32",        "f32, i32 -> f32"},
        {"clamp",  NULL, "u32,ai,ai",     "u32, u32, u32 -> u32"},
        {"mix",    NULL, "vec3 f32,vec3 af,af", "vec3<f32>, vec3<f32>, f32 -> vec3<f32>"},
        {"textureLoad", NULL, "tex2d u32,vec2 ai,ai",
            "texture_2d<u32>, vec2<i32>, i32 -> vec4<u32>"},
        {"textureLoad", NULL, "store2d_r,vec2 u32",
            "texture_storage_2d<rgba8uint, read>, vec2<u32> -> vec4<u32>"},
        {"textureStore", NULL, "store2d_w,vec2 i32,vec4 ai",
            "texture_storage_2d<rgba8uint, write>, vec2<i32>, vec4<u32> -> void"},
        {"textureGather", NULL, "ai,tex2d i32,sampler,vec2 ai,vec2 ai",
            "i32, texture_2d<i32>, sampler, vec2<f32>, vec2<i32> -> vec4<i32>"},
        {"textureGather", NULL, "depth2d,sampler,vec2 f32",
            "texture_depth_2d, sampler, vec2<f32> -> vec4<f32>"},
        {"atomicAdd", NULL, "ptr_atomic u32,ai",
            "ptr<storage, atomic<u32>, read_write>, u32 -> u32"},
        {"arrayLength", NULL, "ptr_array f32", "ptr<storage, array<f32>, read> -> u32"},
        {"workgroupUniformLoad", NULL, "ptr_wg f32", "ptr<workgroup, f32> -> f32"},
        {"workgroupUniformLoad", NULL, "ptr_wg_atomic i32",
            "ptr<workgroup, atomic<i32>> -> i32"},
    };
    assert_cases(*state, cases, COUNTOF(cases), false, true);
}

static void test_what_fits_no_row_is_refused(void **state)
{
    static const Case cases[] = {
        {"abs",       NULL, "bool",             "none"},
        {"abs",       NULL, "",                 "none"},
        {"abs",       NULL, "i32,i32",          "none"},
        {"abs",       NULL, "mat2x2 f32",       "none"},
        {"sin",       NULL, "i32",              "none"},
        {"sign",      NULL, "u32",              "none"},
        {"min",       NULL, "i32,u32",          "none"},
        {"min",       NULL, "vec2 f32,f32",     "none"},
        {"min",       NULL, "vec2 f32,vec3 f32", "none"},
        {"cross",     NULL, "vec2 f32,vec2 f32", "none"},
        {"determinant", NULL, "mat2x3 f32",     "none"},
        {"select",    NULL, "vec2 f32,vec2 f32,vec3 bool", "none"},
        {"select",    NULL, "mat2x2 f32,mat2x2 f32,bool", "none"},
        {"ldexp",     NULL, "f32,u32",          "none"},
        {"ldexp",     NULL, "vec2 f32,i32",     "none"},
        {"atomicAdd", NULL, "ptr_wg u32,u32",   "none"},
        {"atomicAdd", NULL, "ptr_atomic u32,i32", "none"},
        {"arrayLength", NULL, "ptr_wg u32",     "none"},
        {"workgroupUniformLoad", NULL, "ptr_fn u32", "none"},
        {"textureStore", NULL, "store2d_r,vec2 i32,vec4 u32", "none"},
        {"textureLoad", NULL, "store2d_w,vec2 i32", "none"},
        {"textureSample", NULL, "tex2d i32,sampler,vec2 f32", "none"},
        {"textureSample", NULL, "tex2da f32,sampler,vec2 f32", "none"},
    };
    assert_cases(*state, cases, COUNTOF(cases), false, true);
}

static void test_f16_must_be_enabled(void **state)
{
    static const Case cases[] = {
        {"bitcast", "i32", "vec2 af", "none"},
        {"bitcast", "f32", "vec2 ai", "none"},
        {"abs",     NULL,  "af",      "abstract-float -> abstract-float"},
    };
    assert_cases(*state, cases, COUNTOF(cases), true, false);
}

static void test_bitcast_prefers_the_identity_of_its_words(void **state)
{
    static const Case cases[] = {
        {"bitcast", "f32",      "ai",           "i32 -> f32"},
        {"bitcast", "i32",      "ai",           "i32 -> i32"},
        {"bitcast", "u32",      "ai",           "abstract-int -> u32"},
        {"bitcast", "vec3 u32", "vec3 ai",      "vec3<abstract-int> -> vec3<u32>"},
        {"bitcast", "u32",      "af",           "f32 -> u32"},
        {"bitcast", "f16",      "af",           "f16 -> f16"},
        {"bitcast", "vec2 f16", "u32",          "u32 -> vec2<f16>"},
        {"bitcast", "u32",      "vec2 f16",     "vec2<f16> -> u32"},
        {"bitcast", "vec2 i32", "vec4 f16",     "vec4<f16> -> vec2<i32>"},
        {"bitcast", "vec4 f16", "vec2 f32",     "vec2<f32> -> vec4<f16>"},
        {"bitcast", "vec4 f16", "vec4 f16",     "vec4<f16> -> vec4<f16>"},
        {"bitcast", "vec4 u32", "vec4 f32",     "vec4<f32> -> vec4<u32>"},
        {"bitcast", "bool",     "u32",          "none"},
        {"bitcast", "u32",      "bool",         "none"},
        {"bitcast", "vec3 f16", "vec2 f32",     "none"},
        {"bitcast", "vec2 u32", "u32",          "none"},
        {"bitcast", "f16",      "u32",          "none"},
        {"bitcast", "u32",      "f16",          "none"},
    };
    assert_cases(*state, cases, COUNTOF(cases), true, true);
}

/* ---- every constant function can be evaluated ---- */

static const Value *value_of(Fixture *f, const Type *t, double x)
{
    const Value *parts[4];
    switch (t->kind) {
    case TYPE_BOOL:
        return value_bool(&f->arena, &f->types, x != 0);
    case TYPE_I32:
    case TYPE_U32:
    case TYPE_ABSTRACT_INT:
        return value_int(&f->arena, t, (int64_t)x);
    case TYPE_VECTOR:
    case TYPE_MATRIX:
        for (uint64_t i = 0; i < value_part_count(t); i++)
            parts[i] = value_of(f, type_element(&f->types, t), x);
        return value_composite(&f->arena, t, parts);
    default:
        return value_real(&f->arena, t, x);
    }
}

/* Calls one row with `scalar` for S and N components; argument `more` is x + 1, the
 * others are x. Is there a value? */
static bool row_folds(Fixture *f, BuiltinId id, const Overload *row, uint32_t scalar,
                      uint32_t width, double x, uint32_t more)
{
    OverloadQuery q = {.types = &f->types, .f16 = true, .all_const = true};
    Env env;
    env_init(&env, &q, row);
    env.set[VAR_S] = scalar;
    env.dim[0] = width;
    env.dim[1] = env.dim[2] = 3;
    const Value *args[OVERLOAD_MAX_PARAMS];
    uint32_t n = overload_param_count(row);
    for (uint32_t i = 0; i < n; i++)
        args[i] = value_of(f, env_build(&env, overload_param(row, i).type), x + (i == more));
    const Type *result = env_build(&env, str_of(row->result));
    FoldContext fold = {.arena = &f->arena, .types = &f->types};
    const Value *v = fold_builtin(&fold, (Span){0}, id, result, args, n);
    if (v)
        assert_ptr_equal(v->type, result);
    return v != NULL;
}

static void assert_row_folds(Fixture *f, BuiltinId id, const Overload *row)
{
    static const double xs[] = {1, 0.5, 0, 2};
    uint32_t scalars = row->where & SCALAR_ALL ? row->where & SCALAR_ALL : SCALAR_F32;
    for (uint32_t bit = 1; bit <= scalars; bit <<= 1) {
        for (uint32_t width = 1; bit & scalars && width <= 4; width++) {
            bool ok = strstr(row->params, "vecN") && width == 1;
            for (size_t i = 0; !ok && i < 2 * COUNTOF(xs); i++)
                ok = row_folds(f, id, row, bit, width, xs[i / 2], 1 + i % 2);
            if (!ok)
                fail_msg("%s(%s) has no value for scalar %u, width %u", builtin_name(id),
                         row->params, bit, width);
        }
    }
}

static void test_every_constant_function_has_values(void **state)
{
    for (int id = 0; id < BUILTIN_ID_COUNT; id++) {
        Overloads set = builtin_overloads((BuiltinId)id);
        if (!(builtin_flags((BuiltinId)id) & BUILTIN_CONST))
            continue;
        for (uint32_t i = 0; i < set.count; i++)
            assert_row_folds(*state, (BuiltinId)id, &set.rows[i]);
    }
}

/* ---- messages ---- */

static OverloadMiss miss_of(Fixture *f, const char *name, uint32_t row, const char *args)
{
    const Type *types[8];
    uint32_t n = 0;
    char copy[160];
    BuiltinId id;
    assert_true(builtin_find(str_of(name), &id));
    snprintf(copy, sizeof copy, "%s", args);
    for (char *p = strtok(copy, ","); p; p = strtok(NULL, ","))
        types[n++] = type_named(f, p);
    OverloadQuery q = {.types = &f->types, .args = types, .nargs = n};
    return overload_miss(&q, &builtin_overloads(id).rows[row], &f->arena);
}

static void test_a_miss_says_what_would_fit(void **state)
{
    static const struct { const char *name, *args; uint32_t argument; const char *expected; }
    cases[] = {
        {"clamp", "f32,u32,f32",           1, "'f32'"},
        {"clamp", "vec3 f32,vec3 f32,f32", 2, "'vec3<f32>'"},
        {"clamp", "bool,f32,f32",          0, "i32, u32 or f32, or a vector of these"},
        {"clamp", "ai,ai,bool",            2, "i32, u32 or f32"},
        {"dot",   "vec2 f32,vec3 f32",     1, "'vec2<f32>'"},
        {"dot",   "f32,f32",               0, "a vector of i32, u32 or f32"},
        {"cross", "vec2 f32,vec3 f32",     0, "'vec3<f32>'"},
        {"determinant", "f32",             0, "a square matrix of f32"},
        {"atomicAdd", "u32,u32",           0,
            "a pointer to an atomic in the address space storage, uniform or workgroup"},
        {"atomicAdd", "ptr_atomic u32,i32", 1, "'u32'"},
        {"textureSampleLevel", "f32,f32,f32,f32", 0, "'texture_1d<f32>'"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        OverloadMiss m = miss_of(*state, cases[i].name, 0, cases[i].args);
        assert_int_equal(m.kind, MISS_ARGUMENT);
        assert_int_equal(m.argument, cases[i].argument);
        assert_string_equal(m.expected, cases[i].expected);
    }
}

static void test_another_number_of_arguments_is_a_miss_of_its_own(void **state)
{
    OverloadMiss m = miss_of(*state, "clamp", 0, "f32,f32");
    assert_int_equal(m.kind, MISS_COUNT);
    assert_int_equal(m.argument, 2);
}

static void test_a_signature_reads_like_wgsl(void **state)
{
    Fixture *f = *state;
    static const struct { BuiltinId id; uint32_t row; const char *want; } cases[] = {
        {BUILTIN_clamp, 0, "clamp(e: T, low: T, high: T) -> T, where T is S or vecN<S>; "
                           "S is abstract-int, i32, u32, abstract-float, f32 or f16"},
        {BUILTIN_workgroupBarrier, 0, "workgroupBarrier()"},
        {BUILTIN_quadBroadcast, 0, "quadBroadcast(e: T, id: C) -> T, where T is S or vecN<S>; "
                                   "S is i32, u32, f32 or f16; C is i32 or u32"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Text text = {.arena = &f->arena};
        overload_print(&text, builtin_name(cases[i].id),
                       &builtin_overloads(cases[i].id).rows[cases[i].row], false);
        assert_string_equal(text.data, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin_names_are_sorted_and_found),
        cmocka_unit_test(test_other_names_are_not_found),
        cmocka_unit_test_setup_teardown(test_every_row_is_in_the_language, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_constants_stay_abstract_where_they_can, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_one_runtime_argument_makes_all_concrete, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_fits_no_row_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_f16_must_be_enabled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bitcast_prefers_the_identity_of_its_words, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_every_constant_function_has_values, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_miss_says_what_would_fit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_another_number_of_arguments_is_a_miss_of_its_own,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_signature_reads_like_wgsl, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("overload", tests, NULL, NULL);
}
