/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execute_test.c - weft_execute(): results, types and shapes that are checked, workgroups,
 * asynchronous executions, resident data.
 */
#include "support/test.h"

#include <math.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

/* ---- results ---- */

static void test_a_kernel_runs(void **state)
{
    (void)state;
    weft_pool          *pool = fixture_pool(NULL);
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob            j;
    scale_init(&j, 1000, 3);
    for (int i = 0; i < 3; i++) {
        memset(j.y, 0, 1000 * sizeof *j.y);
        assert_true(weft_execute(ctx, &j.desc, &r));
        expect_ok(&r);
        scale_check(&j);
    }
    assert_int_equal(r.groups[0], 16);
    assert_int_equal(r.workgroup_size[0], 64);
    assert_int_equal(r.compile_ns, 0);
    assert_int_equal(r.bytes_read, 4000);
    assert_int_equal(r.bytes_uploaded, 4008);
    assert_int_equal(r.attempts, 1);
    assert_int_equal(r.device_index, 0);
    assert_true(r.id == 3 && r.run_ns > 0 && r.total_ns >= r.run_ns);
    assert_true(weft_execute(ctx, &j.desc, NULL));
    scale_fini(&j);
    fixture_release(pool, ctx);
}

static void test_variables_start_with_zeros(void **state)
{
    (void)state;
    static const char text[] =
        "@group(0) @binding(0) var<storage, read_write> y : array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> scratch : array<u32, 64>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x % 2u == 0u { y[id.x] += id.x + scratch[id.x]; }\n"
        "  scratch[id.x] = 77u;\n"
        "}\n";
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = fixture_context(pool);
    for (int i = 0; i < 4; i++) {
        uint32_t y[64];
        weft_execute_report r;
        memset(y, 0xAB, sizeof y);
        weft_execute(ctx, &(weft_execute_desc){
            .wgsl = text, .output_count = 1,
            .outputs = &(weft_execute_output){.name = "y", .size = sizeof y, .data = y}}, &r);
        expect_ok(&r);
        for (uint32_t k = 0; k < 64; k++)
            assert_int_equal(y[k], k % 2 ? 0 : k);
    }
    fixture_release(pool, ctx);
}

static void test_a_variable_is_input_and_output(void **state)
{
    (void)state;
    static const char text[] =
        "@group(0) @binding(3) var<storage, read_write> v : array<vec2<i32>>;\n"
        "override step : i32 = 1;\n"
        "@compute @workgroup_size(32) fn up(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x < arrayLength(&v) { v[id.x] += step; }\n"
        "}\n"
        "@compute @workgroup_size(32) fn other() { v[0] = vec2i(-1); }\n";
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = fixture_context(pool);
    int32_t            v[100];
    weft_execute_report r;
    for (int i = 0; i < 100; i++)
        v[i] = i;
    weft_execute(ctx, &(weft_execute_desc){
        .wgsl = text, .entry = "up", .input_count = 1, .output_count = 1, .constant_count = 1,
        .constants = &(weft_constant){"step", 5},
        .inputs = &(weft_execute_input){.name = "v", .type = WEFT_SCALAR_I32, .rank = 2,
                                        .shape = {50, 2}, .data = v},
        .outputs = &(weft_execute_output){.name = "v", .data = v}}, &r);
    expect_ok(&r);
    assert_int_equal(r.groups[0], 2);
    for (int i = 0; i < 100; i++)
        assert_int_equal(v[i], i + 5);
    fixture_release(pool, ctx);
}

static void test_many_bindings_and_structures(void **state)
{
    (void)state;
    static const char text[] =
        "struct In { count : u32, @align(16) values : array<f32> }\n"
        "struct P { first : vec3<f32>, k : array<vec4<f32>, 2>, last : i32 }\n"
        "@group(0) @binding(0) var<storage, read> a : In;\n"
        "@group(1) @binding(0) var<uniform> p : P;\n"
        "@group(0) @binding(2) var<storage, read> b0 : array<f32>;\n"
        "@group(0) @binding(3) var<storage, read> b1 : array<f32>;\n"
        "@group(0) @binding(4) var<storage, read> b2 : array<f32>;\n"
        "@group(0) @binding(5) var<storage, read> b3 : array<f32>;\n"
        "@group(0) @binding(6) var<storage, read> b4 : array<f32>;\n"
        "@group(0) @binding(7) var<storage, read> b5 : array<f32>;\n"
        "@group(1) @binding(5) var<uniform> q : vec4<f32>;\n"
        "@group(2) @binding(1) var<storage, read_write> y : array<f32>;\n"
        "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  let i = id.x;\n"
        "  y[i] = a.values[i] + f32(a.count) + p.first.y + p.k[1].z + f32(p.last) + q.w\n"
        "       + b0[i] + b1[i] + b2[i] + b3[i] + b4[i] + b5[i];\n"
        "}\n";
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = fixture_context(pool);
    float    values[4] = {1, 2, 3, 4}, ones[4] = {1, 1, 1, 1}, y[4] = {0}, k[8] = {[6] = 100};
    uint32_t count = 10;
    int32_t  last = -7;
    float    first[3] = {0, 1000, 0}, q[4] = {0, 0, 0, 20000};
    weft_execute_input in[] = {
        {.name = "a.values", .type = WEFT_SCALAR_F32, .shape = {4}, .data = values},
        {.name = "a.count", .type = WEFT_SCALAR_U32, .data = &count},
        {.name = "p.first", .type = WEFT_SCALAR_F32, .data = first},
        {.name = "p.k", .data = k}, {.name = "p.last", .data = &last}, {.name = "q", .data = q},
        {.name = "b0", .size = 16, .data = ones}, {.name = "b1", .size = 16, .data = ones},
        {.name = "b2", .size = 16, .data = ones}, {.name = "b3", .size = 16, .data = ones},
        {.name = "b4", .size = 16, .data = ones}, {.name = "b5", .size = 16, .data = ones},
    };
    weft_execute_report r;
    weft_execute(ctx, &(weft_execute_desc){
        .wgsl = text, .inputs = in, .input_count = 12, .output_count = 1,
        .outputs = &(weft_execute_output){.name = "y", .size = 16, .data = y}}, &r);
    expect_ok(&r);
    for (int i = 0; i < 4; i++)
        assert_float_equal(y[i], values[i] + 10 + 1000 + 100 - 7 + 20000 + 6, 0);
    fixture_release(pool, ctx);
}

/* f64 for f32: whole variables and members, to a place and without one; not on devices. */
static void test_f64_is_converted_to_f32(void **state)
{
    (void)state;
    weft_pool          *pool = fixture_pool(NULL);
    weft_pool_context  *ctx = fixture_context(pool);
    double              x[] = {0.1, 1e300, -2, 3}, scale = 0.7;
    weft_execute_report r;
    ScaleJob            j;
    uint64_t            size = 0;
    scale_init(&j, 4, 1);
    j.inputs[0].type = j.inputs[1].type = j.output.type = WEFT_SCALAR_F64;
    j.inputs[0].data = x;
    j.inputs[1].data = &scale;
    j.output.data = NULL;
    weft_execution *e = weft_execute_async(ctx, &j.desc);
    assert_true(weft_execution_wait(e, UINT64_MAX) && weft_execution_report(&r, e));
    expect_ok(&r);
    const double *y = weft_execution_output(e, "y", &size);
    assert_int_equal(size, sizeof x);
    assert_true(y[0] == (double)((float)0.1 * (float)0.7));
    assert_true(isinf(y[1]) && y[2] == (double)(-2 * (float)0.7));
    weft_execution_release(e);

    weft_pool_data *data = weft_pool_data_create(ctx, &(weft_pool_data_desc){
        .type = WEFT_SCALAR_F64, .shape = {4}, .data = x});
    j.inputs[0] = (weft_execute_input){.name = "x", .resident = data};
    weft_execute(ctx, &j.desc, &r);
    expect_error(&r, WEFT_ERROR_TYPE, "not converted");
    weft_pool_data_release(data);
    scale_fini(&j);
    fixture_release(pool, ctx);
}

/* ---- what is refused ---- */

typedef struct Refused {
    const char         *text;
    weft_execute_input  in[3];
    weft_execute_output out[2];
    weft_error_kind     kind;
    const char         *part;
} Refused;

#define XY "@group(0) @binding(0) var<storage, read> x : array<f32>;\n"                       \
           "@group(0) @binding(1) var<storage, read_write> y : array<f32>;\n"                 \
           "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) " \
           "{ y[id.x] = x[id.x]; }\n"
#define V3 "@group(0) @binding(0) var<storage, read_write> y : array<vec3<f32>>;\n"           \
           "@compute @workgroup_size(64) fn main() { y[0] = vec3f(1); }\n"
/* A shape of i32 or f32 with 2^64 + 64 bytes. */
#define WRAPS_TO_64 8589410320, 536903681
#define IN(...)  {{.name = "x", __VA_ARGS__}}
#define OUT(...) {{.name = "y", __VA_ARGS__}}

static void test_wrong_arguments_are_refused(void **state)
{
    (void)state;
    static float f[64];
    static const Refused all[] = {
        {NULL, {{0}}, {{0}}, WEFT_ERROR_INVALID, "the WGSL is NULL"},
        {"fn", {{0}}, {{0}}, WEFT_ERROR_COMPILE, "kernel: 1:3: "},
        {"fn f() {}", {{0}}, {{0}}, WEFT_ERROR_COMPILE, "no compute entry point"},
        {XY, {{0}}, OUT(.size = 64), WEFT_ERROR_NOT_FOUND, "the input 'x'"},
        {XY, IN(.size = 64, .data = f), {{0}}, WEFT_ERROR_SHAPE, "'y': give a shape"},
        {XY, IN(.data = f), OUT(.size = 64), WEFT_ERROR_SHAPE, "'x': give a shape"},
        {XY, IN(.size = 64), OUT(.size = 64), WEFT_ERROR_INVALID, "neither data"},
        {XY, IN(.size = 63, .data = f), OUT(.size = 64), WEFT_ERROR_SHAPE, "not a whole number"},
        {XY, IN(.type = WEFT_SCALAR_I32, .shape = {4}, .data = f), OUT(.size = 64),
         WEFT_ERROR_TYPE, "'x' is 'array<f32>' in the kernel, but i32"},
        {XY, IN(.type = WEFT_SCALAR_F32, .shape = {4}, .size = 17, .data = f), OUT(.size = 64),
         WEFT_ERROR_SHAPE, "the shape has 16 bytes"},
        {XY, IN(.type = 99, .shape = {4}, .data = f), OUT(.size = 64), WEFT_ERROR_TYPE,
         "unknown type 99"},
        {XY, IN(.rank = 9, .data = f), OUT(.size = 64), WEFT_ERROR_SHAPE, "rank 9"},
        {XY, IN(.rank = 2, .shape = {4, 0}, .data = f), OUT(.size = 64), WEFT_ERROR_SHAPE,
         "no elements"},
        {XY, IN(.rank = 3, .shape = {1u << 31, 1u << 31, 1u << 31}, .data = f), OUT(.size = 64),
         WEFT_ERROR_SHAPE, "too large"},
        {XY, IN(.rank = 2, .shape = {WRAPS_TO_64}, .type = WEFT_SCALAR_F32, .data = f),
         OUT(.size = 64), WEFT_ERROR_SHAPE, "too large"},
        {XY, IN(.size = 64, .data = f), {{.name = "x", .size = 64}}, WEFT_ERROR_INVALID,
         "only reads it"},
        {XY, IN(.size = 64, .data = f), {{.name = "z", .size = 64}}, WEFT_ERROR_NOT_FOUND,
         "output 'z': the kernel uses no such variable; it has 'x', 'y'"},
        {XY, {{.name = "x.a", .size = 64, .data = f}}, OUT(.size = 64), WEFT_ERROR_NOT_FOUND,
         "no such member"},
        {XY, {{.name = "x", .size = 64, .data = f}, {.name = "x", .size = 64, .data = f}},
         OUT(.size = 64), WEFT_ERROR_EXISTS, "'x' is given twice"},
        {XY, {{.size = 64, .data = f}}, OUT(.size = 64), WEFT_ERROR_INVALID, "has no name"},
        {V3, {{0}}, OUT(.type = WEFT_SCALAR_F32, .rank = 2, .shape = {3, 3}), WEFT_ERROR_SHAPE,
         "each 'vec3<f32>' takes 16 bytes"},
        {fixture_scale, {{.name = "x", .size = 64, .data = f}, {.name = "params", .size = 8,
          .type = WEFT_SCALAR_F32, .data = f}}, OUT(.size = 64), WEFT_ERROR_TYPE,
         "'params' is a 'Params' of several types"},
        {fixture_scale, {{.name = "x", .size = 64, .data = f}, {.name = "params", .size = 12,
          .data = f}}, OUT(.size = 64), WEFT_ERROR_SHAPE, "of 8 bytes in the kernel, 12"},
        {fixture_scale, {{.name = "x", .size = 64, .data = f}, {.name = "params", .data = f},
          {.name = "params.n", .data = f}}, OUT(.size = 64), WEFT_ERROR_EXISTS, "all of"},
        {fixture_scale, {{.name = "x", .size = 64, .data = f}, {.name = "params.n",
          .type = WEFT_SCALAR_F32, .data = f}}, OUT(.size = 64), WEFT_ERROR_TYPE, "'u32'"},
    };
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = fixture_context(pool);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const Refused *t = &all[i];
        uint32_t ins = 0, outs = 0;
        weft_execute_report r;
        while (ins < 3 && (t->in[ins].name || t->in[ins].data))
            ins++;
        while (outs < 2 && t->out[outs].name)
            outs++;
        assert_false(weft_execute(ctx, &(weft_execute_desc){
            .wgsl = t->text, .inputs = t->in, .input_count = ins, .outputs = t->out,
            .output_count = outs}, &r));
        expect_error(&r, t->kind, t->part);
        weft_execution *e = weft_execute_async(ctx, &(weft_execute_desc){
            .wgsl = t->text, .inputs = t->in, .input_count = ins, .outputs = t->out,
            .output_count = outs});
        assert_true(weft_execution_wait(e, WEFT_OFF));
        assert_true(weft_execution_report(&r, e));
        expect_error(&r, t->kind, t->part);
        weft_execution_release(e);
    }
    weft_pool_error error;
    assert_true(weft_pool_context_error(&error, ctx));
    assert_string_equal(error.message, "the WGSL is NULL");
    weft_pool_context_error_clear(ctx);
    assert_false(weft_pool_context_error(&error, ctx));
    fixture_release(pool, ctx);
}

static void test_null_objects(void **state)
{
    (void)state;
    weft_execute_report r;
    weft_pool_error     error;
    weft_pool_usage     usage;
    assert_false(weft_execute(NULL, NULL, &r));
    expect_error(&r, WEFT_ERROR_INVALID, "the context is NULL");
    assert_null(weft_execute_async(NULL, NULL));
    assert_null(weft_pool_context_create(NULL, NULL));
    assert_true(weft_pool_context_error(&error, NULL));
    weft_pool_context_usage(&usage, NULL);
    assert_false(weft_execution_cancel(NULL));
    assert_null(weft_execution_output(NULL, "y", NULL));
    assert_null(weft_pool_data_create(NULL, NULL));
    assert_int_equal(weft_pool_device_count(NULL), 0);
    assert_int_equal(weft_pool_device_find(NULL, "cpu"), UINT32_MAX);
    weft_context *open = weft_pool_open(NULL, NULL);
    assert_int_equal(weft_context_error(open)->kind, WEFT_ERROR_INVALID);
    weft_context_release(open);
    weft_pool_release(NULL);
    weft_pool_context_release(NULL);
    weft_execution_release(NULL);
    weft_pool_data_release(NULL);
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = fixture_context(pool);
    assert_false(weft_execute(ctx, NULL, &r));
    assert_null(weft_pool_context_create(pool, &(weft_pool_context_desc){.policy = 99}));
    fixture_release(pool, ctx);
}

/* ---- workgroups ---- */

static void check_groups(weft_pool_context *ctx, const char *text, const weft_execute_desc *more,
                         uint32_t x, uint32_t y, uint32_t z)
{
    weft_execute_desc   d = *more;
    weft_execute_report r;
    d.wgsl = text;
    weft_execute(ctx, &d, &r);
    expect_ok(&r);
    assert_int_equal(r.groups[0], x);
    assert_int_equal(r.groups[1], y);
    assert_int_equal(r.groups[2], z);
}

static void test_workgroups_follow_from_the_kernel(void **state)
{
    (void)state;
#define Y "@group(0) @binding(0) var<storage, read_write> y : array<u32>;\n"
#define ID "fn main(@builtin(global_invocation_id) id : vec3u) "
    weft_pool          *pool = fixture_pool(NULL);
    weft_pool_context  *ctx = fixture_context(pool);
    weft_execute_output flat = {.name = "y", .type = WEFT_SCALAR_U32, .shape = {1000}};
    weft_execute_output rows = {.name = "y", .type = WEFT_SCALAR_U32, .rank = 2,
                                .shape = {30, 20}};
    weft_execute_desc a = {.outputs = &flat, .output_count = 1};
    weft_execute_desc b = {.outputs = &rows, .output_count = 1};
    check_groups(ctx, Y "@compute @workgroup_size(64) " ID "{ y[id.x] = 1u; }", &a, 16, 1, 1);
    check_groups(ctx, Y "@compute @workgroup_size(64) " ID
                 "{ if id.x < arrayLength(&y) / 4u { y[id.x] = 1u; } }", &a, 4, 1, 1);
    /* what else is unknown does not matter */
    check_groups(ctx, Y "@compute @workgroup_size(64) " ID
                 "{ if id.x < arrayLength(&y) / 4u { var n = id.x * 3u + y[id.x];"
                 " while n > 5u { n >>= 1u; } y[id.x] = n; } }", &a, 4, 1, 1);
    check_groups(ctx, Y "@compute @workgroup_size(8, 4) " ID
                 "{ if id.x < 20u && id.y < 30u { y[id.y * 20u + id.x] = 1u; } }", &b, 3, 8, 1);
    check_groups(ctx, Y "@compute @workgroup_size(8, 4) " ID "{ y[id.y * 20u + id.x] = 1u; }",
                 &b, 3, 8, 1);
    a.invocations[0] = 129;
    check_groups(ctx, Y "@compute @workgroup_size(64) " ID "{ y[id.x] = 1u; }", &a, 3, 1, 1);
    a.groups[1] = 2;
    check_groups(ctx, Y "@compute @workgroup_size(64) " ID "{ y[id.x] = 1u; }", &a, 1, 2, 1);
    weft_execute_report r;
    weft_execute(ctx, &(weft_execute_desc){
        .wgsl = Y "@compute @workgroup_size(4, 4, 4) " ID "{ y[id.x + id.y + id.z] = 1u; }",
        .outputs = &flat, .output_count = 1}, &r);
    expect_error(&r, WEFT_ERROR_INVALID, "give `groups` or `invocations`");
    weft_execute(ctx, &(weft_execute_desc){
        .wgsl = Y "@compute @workgroup_size(4) " ID "{ y[id.x] = 1u; }", .groups = {70000},
        .outputs = &flat, .output_count = 1}, &r);
    expect_error(&r, WEFT_ERROR_UNSUPPORTED, "70000 workgroups in x are above its limit");
    fixture_release(pool, ctx);
}

static void test_optimized_kernels_give_the_same(void **state)
{
    (void)state;
    static const char text[] =
        "struct P { n : u32, m : u32 }\n"
        "@group(0) @binding(0) var<storage, read_write> y : array<u32>;\n"
        "@group(0) @binding(1) var<uniform> p : P;\n"
        "@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x >= p.n || id.y >= p.m { return; }\n"
        "  y[id.x * p.m + id.y] = id.x * 1000u + id.y;\n"
        "}\n";
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = fixture_context(pool);
    uint32_t y[2][37 * 53], p[2] = {37, 53};
    for (uint32_t i = 0; i < 4; i++) {
        weft_execute_report r;
        weft_execute_desc d = {
            .wgsl = text, .input_count = 1, .output_count = 1, .optimize = i & 1,
            .inputs = &(weft_execute_input){.name = "p", .data = p},
            .outputs = &(weft_execute_output){.name = "y", .size = sizeof y[0],
                                              .data = y[i & 1]}};
        if (i & 2) {
            d.groups[0] = 5;
            d.groups[1] = 7;
        }
        weft_execute(ctx, &d, &r);
        expect_ok(&r);
        if (i & 1)
            assert_memory_equal(y[0], y[1], sizeof y[0]);
    }
    fixture_release(pool, ctx);
}

/* ---- asynchronous ---- */

typedef struct Ended {
    atomic_uint count;
    uint64_t    ids[64];
    sem_t       come;
} Ended;

static void on_end(void *user, weft_execution *e, const weft_execute_report *r)
{
    Ended *all = user;
    assert_true(weft_execution_done(e));
    expect_ok(r);
    all->ids[atomic_fetch_add(&all->count, 1)] = r->id;
    sem_post(&all->come);
}

static void test_asynchronous_executions(void **state)
{
    (void)state;
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = fixture_context(pool);
    Ended              ended = {0};
    sem_init(&ended.come, 0, 0);
    ScaleJob           j[50];
    weft_execution    *e[50];
    for (uint32_t i = 0; i < 50; i++) {
        scale_init(&j[i], 10 + i, (float)i);
        j[i].desc.callback = on_end;
        j[i].desc.user = &ended;
        if (i % 3 == 0)
            j[i].output.data = NULL;
        e[i] = weft_execute_async(ctx, &j[i].desc);
        memset(j[i].x, 0xFF, (10 + i) * sizeof *j[i].x);    /* it was copied */
    }
    for (uint32_t i = 0; i < 50; i++) {
        weft_execute_report r;
        uint64_t            size = 0;
        assert_true(weft_execution_wait(e[i], WEFT_OFF));
        assert_true(weft_execution_report(&r, e[i]));
        expect_ok(&r);
        const void *out = weft_execution_output(e[i], "y", &size);
        assert_int_equal(out != NULL, i % 3 == 0);
        if (out) {
            assert_int_equal(size, (10 + i) * sizeof *j[i].y);
            memcpy(j[i].y, out, size);
        }
        scale_check(&j[i]);
        assert_false(weft_execution_cancel(e[i]));
        weft_execution_release(e[i]);
        scale_fini(&j[i]);
    }
    for (int i = 0; i < 50; i++)        /* callbacks may come after the wait returns */
        sem_wait(&ended.come);
    assert_int_equal(atomic_load(&ended.count), 50);
    sem_destroy(&ended.come);
    fixture_release(pool, ctx);
}

/* ---- resident data ---- */

static weft_execute_desc scale_resident(ScaleJob *j, weft_pool_data *x, weft_pool_data *y)
{
    j->inputs[0] = (weft_execute_input){.name = "x", .resident = x};
    j->output = (weft_execute_output){.name = "y", .resident = y};
    return j->desc;
}

static void test_data_with_wrong_shapes(void **state)
{
    (void)state;
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = fixture_context(pool);
    weft_pool_error    error;
    const weft_pool_data_desc wrong[] = {
        {.type = WEFT_SCALAR_F32, .rank = 2, .shape = {WRAPS_TO_64}},
        {.type = WEFT_SCALAR_F32, .rank = 3, .shape = {1u << 31, 1u << 31, 1u << 31}},
        {.type = WEFT_SCALAR_F32, .rank = 2, .shape = {4, 0}},
        {.type = WEFT_SCALAR_F32, .shape = {4}, .size = 17},
        {.size = UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        weft_pool_context_error_clear(ctx);
        assert_null(weft_pool_data_create(ctx, &wrong[i]));
        assert_true(weft_pool_context_error(&error, ctx));
        assert_int_equal(error.kind, WEFT_ERROR_SHAPE);
    }
    fixture_release(pool, ctx);
}

static void test_resident_data(void **state)
{
    (void)state;
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob j;
    scale_init(&j, 500, 2);
    weft_pool_data *x = weft_pool_data_create(ctx, &(weft_pool_data_desc){
        .name = "x", .type = WEFT_SCALAR_F32, .shape = {500}, .data = j.x});
    weft_pool_data *y = weft_pool_data_create(ctx, &(weft_pool_data_desc){
        .type = WEFT_SCALAR_F32, .shape = {500}, .device_only = true});
    assert_non_null(x);
    assert_non_null(y);
    weft_execute_desc d = scale_resident(&j, x, y);
    weft_execute(ctx, &d, &r);
    expect_ok(&r);
    assert_true(r.bytes_uploaded >= 2000);
    weft_execute(ctx, &d, &r);
    assert_int_equal(r.bytes_uploaded, 8);      /* only the parameters */
    assert_int_equal(r.bytes_read, 0);
    assert_true(weft_pool_data_read(j.y, y, 0, 2000));
    scale_check(&j);
    /* y = 2 * y, in the order of the calls. */
    d = scale_resident(&j, y, x);
    for (int i = 0; i < 3; i++) {
        weft_execution *e = weft_execute_async(ctx, &d);
        weft_execution_release(e);
        weft_execute_desc back = scale_resident(&j, x, y);
        e = weft_execute_async(ctx, &back);
        weft_execution_release(e);
        d = scale_resident(&j, y, x);
    }
    assert_true(weft_pool_data_read(j.y, y, 0, 2000));
    for (uint32_t i = 0; i < 500; i++)
        assert_float_equal(j.y[i], (float)i * 128, 0);
    weft_pool_data *again = weft_pool_data_find(ctx, "x");
    assert_ptr_equal(again, x);
    weft_pool_data_release(again);
    float seven[2] = {7, 8};
    assert_true(weft_pool_data_write(x, 4, seven, sizeof seven));
    assert_true(weft_pool_data_read(j.y, x, 0, 2000));
    assert_true(j.y[1] == 7 && j.y[2] == 8 && j.y[3] == 3 * 64);
    assert_false(weft_pool_data_read(j.y, x, 1996, 8));
    assert_false(weft_pool_data_write(x, 2004, j.y, 0));
    weft_pool_data_release(x);
    assert_null(weft_pool_data_find(ctx, "x"));
    weft_pool_data_release(y);
    scale_fini(&j);
    fixture_release(pool, ctx);
}

static void test_contexts_do_not_see_each_other(void **state)
{
    (void)state;
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *a = fixture_context(pool), *b = fixture_context(pool);
    weft_execute_report r;
    ScaleJob j;
    scale_init(&j, 64, 1);
    weft_pool_data *x = weft_pool_data_create(a, &(weft_pool_data_desc){
        .name = "secret", .type = WEFT_SCALAR_F32, .shape = {64}, .data = j.x});
    assert_null(weft_pool_data_find(b, "secret"));
    weft_pool_data *own = weft_pool_data_create(b, &(weft_pool_data_desc){
        .name = "secret", .size = 16});
    assert_non_null(own);               /* names belong to contexts */
    assert_null(weft_pool_data_create(b, &(weft_pool_data_desc){.name = "secret", .size = 4}));
    weft_pool_error error;
    weft_pool_context_error(&error, b);
    assert_int_equal(error.kind, WEFT_ERROR_EXISTS);
    j.inputs[0] = (weft_execute_input){.name = "x", .resident = x};
    weft_execute(b, &j.desc, &r);
    expect_error(&r, WEFT_ERROR_DENIED, "belongs to another context");
    assert_false(weft_pool_context_error(&error, a));
    /* Buffers of a are used again for b, but never with what a left in them. */
    static const char peek[] =
        "@group(0) @binding(0) var<storage, read_write> y : array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x == 0u { y[1] |= 0u; }\n}\n";
    j.inputs[0] = (weft_execute_input){.name = "x", .size = 256, .data = j.x};
    for (int i = 0; i < 20; i++) {
        uint32_t seen[64];
        weft_execute(a, &j.desc, &r);
        expect_ok(&r);
        weft_execute(b, &(weft_execute_desc){
            .wgsl = peek, .output_count = 1, .outputs = &(weft_execute_output){
                .name = "y", .size = sizeof seen, .data = seen}}, &r);
        expect_ok(&r);
        for (int k = 0; k < 64; k++)
            assert_int_equal(seen[k], 0);
    }
    weft_pool_data_release(x);
    weft_pool_data_release(own);
    scale_fini(&j);
    weft_pool_context_release(b);
    fixture_release(pool, a);
}

static void test_thousands_of_contexts(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    weft_pool          *pool = fixture_pool(NULL);
    weft_pool_context **all = calloc(COUNT, sizeof *all);
    weft_pool_data    **data = calloc(COUNT, sizeof *data);
    weft_pool_snapshot  s;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t own[4] = {i, i + 1, i + 2, i + 3};
        all[i] = fixture_context(pool);
        data[i] = weft_pool_data_create(all[i], &(weft_pool_data_desc){
            .name = "own", .size = sizeof own, .data = own});
    }
    weft_pool_snapshot_get(&s, pool, UINT32_MAX);
    assert_int_equal(s.contexts, COUNT);
    for (uint32_t i = 0; i < COUNT; i += 5) {
        uint32_t            y[4] = {0};
        weft_execute_report r;
        weft_pool_data     *own = weft_pool_data_find(all[i], "own");
        assert_ptr_equal(own, data[i]);
        weft_execute(all[i], &(weft_execute_desc){
            .wgsl = "@group(0) @binding(0) var<storage, read> x : array<u32>;\n"
                    "@group(0) @binding(1) var<storage, read_write> y : array<u32>;\n"
                    "@compute @workgroup_size(4)\n"
                    "fn main(@builtin(global_invocation_id) id : vec3u) "
                    "{ y[id.x] = 2u * x[id.x]; }\n",
            .inputs = &(weft_execute_input){.name = "x", .resident = own}, .input_count = 1,
            .outputs = &(weft_execute_output){.name = "y", .size = sizeof y, .data = y},
            .output_count = 1}, &r);
        expect_ok(&r);
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(y[k], 2 * (i + k));
        weft_pool_data_release(own);
    }
    for (uint32_t i = 1; i < COUNT; i++) {
        weft_pool_data_release(data[i]);
        weft_pool_context_release(all[i]);
    }
    weft_pool_data_release(data[0]);
    weft_pool_context *last = all[0];
    free(all);
    free(data);
    fixture_release(pool, last);
}

static void test_quotas(void **state)
{
    (void)state;
    weft_pool         *pool = fixture_pool(&(weft_pool_desc){.memory_limit = 100000});
    weft_pool_context *small = weft_pool_context_create(pool, &(weft_pool_context_desc){
        .memory_quota = 1000, .label = "small"});
    weft_pool_context *timed = weft_pool_context_create(pool, &(weft_pool_context_desc){
        .time_quota = 1});
    weft_execute_report r;
    ScaleJob j, large;
    scale_init(&j, 100, 1);
    scale_init(&large, 20000, 1);
    weft_execute(small, &j.desc, &r);
    expect_ok(&r);
    j.desc.memory_limit = 100;
    weft_execute(small, &j.desc, &r);
    expect_error(&r, WEFT_ERROR_MEMORY, "the limit is 100");
    j.desc.memory_limit = 0;
    weft_execute(small, &large.desc, &r);
    expect_error(&r, WEFT_ERROR_QUOTA, "small: 160008 bytes are above the memory quota of 1000");
    weft_execute(timed, &large.desc, &r);
    expect_error(&r, WEFT_ERROR_MEMORY, "the pool's memory limit of 100000");
    weft_execute(timed, &j.desc, &r);
    expect_ok(&r);
    weft_execute(timed, &j.desc, &r);
    expect_error(&r, WEFT_ERROR_QUOTA, "has used its quota of 1 ns");
    weft_pool_usage u;
    weft_pool_context_usage(&u, small);
    assert_int_equal(u.executions, 3);
    assert_int_equal(u.errors, 2);
    assert_int_equal(u.memory_peak, 808);
    scale_fini(&j);
    scale_fini(&large);
    weft_pool_context_release(timed);
    fixture_release(pool, small);
}

static void test_contexts_of_the_layer_below(void **state)
{
    (void)state;
    weft_pool         *pool = fixture_pool(NULL);
    weft_pool_context *ctx = weft_pool_context_create(pool, &(weft_pool_context_desc){
        .memory_quota = 1 << 20});
    weft_pool_usage u;
    weft_context   *open = weft_pool_open(ctx, "#0");
    assert_int_equal(weft_context_error(open)->kind, WEFT_ERROR_NONE);
    float        x[4] = {1, 2, 3, 4}, y[4] = {0};
    weft_buffer *b = weft_buffer_create(open, &(weft_buffer_desc){.data = x, .data_size = 16});
    assert_true(weft_buffer_read(y, b, 0, 16));
    assert_memory_equal(x, y, 16);
    weft_pool_context_usage(&u, ctx);
    assert_true(u.memory > 0);
    assert_null(weft_buffer_create(open, &(weft_buffer_desc){.size = 2 << 20}));
    assert_int_equal(weft_context_error(open)->kind, WEFT_ERROR_MEMORY);
    weft_buffer_release(b);
    weft_pool_context_release(ctx);     /* the open one keeps it */
    weft_context_release(open);
    weft_pool_context *other = fixture_context(pool);
    open = weft_pool_open(other, "quantum");
    assert_int_equal(weft_context_error(open)->kind, WEFT_ERROR_NOT_FOUND);
    weft_context_release(open);
    fixture_release(pool, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_kernel_runs),
        cmocka_unit_test(test_variables_start_with_zeros),
        cmocka_unit_test(test_a_variable_is_input_and_output),
        cmocka_unit_test(test_many_bindings_and_structures),
        cmocka_unit_test(test_f64_is_converted_to_f32),
        cmocka_unit_test(test_wrong_arguments_are_refused),
        cmocka_unit_test(test_null_objects),
        cmocka_unit_test(test_workgroups_follow_from_the_kernel),
        cmocka_unit_test(test_optimized_kernels_give_the_same),
        cmocka_unit_test(test_asynchronous_executions),
        cmocka_unit_test(test_data_with_wrong_shapes),
        cmocka_unit_test(test_resident_data),
        cmocka_unit_test(test_contexts_do_not_see_each_other),
        cmocka_unit_test(test_thousands_of_contexts),
        cmocka_unit_test(test_quotas),
        cmocka_unit_test(test_contexts_of_the_layer_below),
    };
    return cmocka_run_group_tests_name("pool_execute", tests, NULL, NULL);
}
