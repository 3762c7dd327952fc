/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_test.c - weft_execute_array(): which variable is the array and which the result, sizes,
 * errors; the pool of the process, also after fork().
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

static const char double_f32[] =
    "@group(0) @binding(1) var<storage, read> x : array<f32>;\n"
    "@group(0) @binding(2) var<storage, read_write> y : array<f32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "  if id.x < arrayLength(&y) { y[id.x] = x[id.x] * 2.0; }\n"
    "}\n";
static const char in_place_f64[] =
    "enable weft_f64;\n"
    "@group(0) @binding(0) var<storage, read_write> v : array<f64>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "  if id.x < arrayLength(&v) { v[id.x] = v[id.x] / f64(3); }\n"
    "}\n";
static const char sums_f32[] =
    "@group(0) @binding(0) var<storage, read> x : array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> sums : array<f32, 2>;\n"
    "@compute @workgroup_size(1) fn main() {\n"
    "  for (var i = 0u; i < arrayLength(&x); i++) { sums[i % 2] += x[i]; }\n"
    "}\n";

typedef struct World {
    weft_pool         *pool;
    weft_pool_context *ctx;
} World;

static World start(void)
{
    World w = {.pool = fixture_pool(NULL)};
    w.ctx = fixture_context(w.pool);
    return w;
}

static void test_an_array_becomes_another(void **state)
{
    (void)state;
    World    w = start();
    float    x[100], y[200];
    uint64_t count = 200;
    weft_execute_report r;
    for (int i = 0; i < 100; i++)
        x[i] = (float)i;
    assert_true(weft_execute_array(y, &count, w.ctx, &(weft_execute_array_desc){
        .wgsl = double_f32, .type = WEFT_SCALAR_F32, .data = x, .count = 100}, &r));
    expect_ok(&r);
    assert_int_equal(count, 100);
    for (int i = 0; i < 100; i++)
        assert_true(y[i] == (float)(2 * i));
    fixture_release(w.pool, w.ctx);
}

static void test_a_kernel_changes_the_array_in_place(void **state)
{
    (void)state;
    World        w = start();
    const double x[3] = {1, 2, 10};
    double       y[3];
    uint64_t     count = 3;
    assert_true(weft_execute_array(y, &count, w.ctx, &(weft_execute_array_desc){
        .wgsl = in_place_f64, .type = WEFT_SCALAR_F64, .data = x, .count = 3, .groups = {1}},
        NULL));
    for (int i = 0; i < 3; i++)
        assert_true(y[i] == x[i] / 3);
    fixture_release(w.pool, w.ctx);
}

static void test_f64_is_converted_for_a_kernel_of_f32(void **state)
{
    (void)state;
    World        w = start();
    const double x[3] = {0.5, -2, 1e10};
    double       y[3];
    uint64_t     count = 3;
    weft_execute_report r;
    weft_execute_array(y, &count, w.ctx, &(weft_execute_array_desc){
        .wgsl = double_f32, .type = WEFT_SCALAR_F64, .data = x, .count = 3}, &r);
    expect_ok(&r);
    for (int i = 0; i < 3; i++)
        assert_true(y[i] == x[i] * 2);
    count = 2;
    weft_execute_array(y, &count, w.ctx, &(weft_execute_array_desc){
        .wgsl = sums_f32, .type = WEFT_SCALAR_F64, .data = x, .count = 3, .groups = {1}}, &r);
    expect_ok(&r);
    assert_int_equal(count, 2);
    assert_true(y[0] == (double)(0.5f + 1e10f) && y[1] == -2);
    fixture_release(w.pool, w.ctx);
}

static void test_a_result_with_a_size_needs_that_room(void **state)
{
    (void)state;
    World       w = start();
    const float x[5] = {1, 2, 3, 4, 5};
    float       y[2] = {9, 9};
    uint64_t    count = 0;
    weft_execute_report r;
    const weft_execute_array_desc d = {
        .wgsl = sums_f32, .type = WEFT_SCALAR_F32, .data = x, .count = 5, .groups = {1}};
    assert_true(weft_execute_array(NULL, &count, w.ctx, &d, &r));
    assert_int_equal(count, 2);
    count = 1;
    assert_false(weft_execute_array(y, &count, w.ctx, &d, &r));
    expect_error(&r, WEFT_ERROR_SHAPE, "there is room for 1");
    assert_int_equal(count, 2);
    assert_true(y[0] == 9 && y[1] == 9);
    assert_true(weft_execute_array(y, &count, w.ctx, &d, &r));
    assert_true(y[0] == 9 && y[1] == 6);
    fixture_release(w.pool, w.ctx);
}

static void test_mistakes_are_errors(void **state)
{
    (void)state;
    World       w = start();
    const float x[2] = {1, 2};
    float       y[2];
    static const struct { const char *wgsl; weft_scalar type; uint64_t count; bool data;
                          weft_error_kind kind; const char *part; } cases[] = {
        {"fn main( {}", WEFT_SCALAR_F32, 2, true, WEFT_ERROR_COMPILE, "1:"},
        {"@compute @workgroup_size(1) fn main() {}", WEFT_SCALAR_F32, 2, true,
         WEFT_ERROR_INVALID, "no result"},
        {double_f32, WEFT_SCALAR_I32, 2, true, WEFT_ERROR_TYPE, "'x'"},
        {double_f32, WEFT_SCALAR_F32, 0, true, WEFT_ERROR_SHAPE, "no elements"},
        {double_f32, WEFT_SCALAR_F32, 2, false, WEFT_ERROR_INVALID, "'x'"},
        {NULL, WEFT_SCALAR_F32, 2, true, WEFT_ERROR_INVALID, "WGSL is NULL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weft_execute_report r;
        uint64_t            count = 2;
        assert_false(weft_execute_array(y, &count, w.ctx, &(weft_execute_array_desc){
            .wgsl = cases[i].wgsl, .type = cases[i].type, .count = cases[i].count,
            .data = cases[i].data ? x : NULL}, &r));
        expect_error(&r, cases[i].kind, cases[i].part);
    }
    weft_execute_report r;
    assert_false(weft_execute_array(y, NULL, w.ctx, &(weft_execute_array_desc){
        .wgsl = double_f32}, &r));
    expect_error(&r, WEFT_ERROR_INVALID, "`count` is NULL");
    weft_pool_context_error_clear(w.ctx);
    fixture_release(w.pool, w.ctx);
}

static void test_julia_has_a_form_of_its_own(void **state)
{
    (void)state;
    const double x[3] = {1, 2, 3};
    double       y[3] = {0};
    size_t       room = 2;
    assert_int_equal(julia_webgpu_execute(double_f32, x, 3, y, &room), -1);
    assert_int_equal(room, 2);
    room = 3;
    assert_int_equal(julia_webgpu_execute(double_f32, x, 3, y, &room), 0);
    assert_int_equal(room, 3);
    assert_true(y[0] == 2 && y[1] == 4 && y[2] == 6);
    assert_int_equal(julia_webgpu_execute("fn", x, 3, y, &room), -1);
    assert_int_equal(julia_webgpu_execute(NULL, x, 3, y, &room), -1);
    assert_int_equal(julia_webgpu_execute(double_f32, x, 3, NULL, &room), -1);
    assert_int_equal(julia_webgpu_execute(double_f32, x, 3, y, NULL), -1);
}

static int child(void)
{
    const float x[1] = {1};
    float       y[1];
    uint64_t    count = 1;
    weft_execute_report r;
    if (weft_pool_shared() || weft_execute_array(y, &count, NULL, &(weft_execute_array_desc){
            .wgsl = double_f32, .type = WEFT_SCALAR_F32, .data = x, .count = 1}, &r))
        return 1;
    return r.error.kind == WEFT_ERROR_UNSUPPORTED && strstr(r.error.message, "fork()") ? 0 : 2;
}

static void test_a_fork_has_no_pool(void **state)
{
    (void)state;
    assert_non_null(weft_pool_shared());
    assert_ptr_equal(weft_pool_shared(), weft_pool_shared());
    int   status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(child());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_array_becomes_another),
        cmocka_unit_test(test_a_kernel_changes_the_array_in_place),
        cmocka_unit_test(test_f64_is_converted_for_a_kernel_of_f32),
        cmocka_unit_test(test_a_result_with_a_size_needs_that_room),
        cmocka_unit_test(test_mistakes_are_errors),
        cmocka_unit_test(test_julia_has_a_form_of_its_own),
        cmocka_unit_test(test_a_fork_has_no_pool),
    };
    setenv("WEFT_ADAPTER", "cpu", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
