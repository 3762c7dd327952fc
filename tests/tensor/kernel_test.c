/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_test.c - the user's own kernels: matching of variables, shapes, views, errors.
 */
#include "support/test.h"

#include "context/fixture.h"
#include "tensors.h"

static const char scale_add[] =
    "override factor : f32 = 2;\n"
    "@group(0) @binding(0) var<storage, read> left : array<f32>;\n"
    "@group(0) @binding(1) var<storage, read> right : array<f32>;\n"
    "@group(0) @binding(2) var<storage, read_write> result : array<f32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "  if id.x < arrayLength(&result) { result[id.x] = left[id.x] + factor * right[id.x]; }\n"
    "}\n";

static weft_tensor_kernel *kernel(weft_context *ctx, const weft_tensor_slot *in, uint32_t n,
                                  const char *wgsl)
{
    return weft_tensor_kernel_create(ctx, &(weft_tensor_kernel_desc){
        .name = "mine", .wgsl = wgsl, .inputs = in, .input_count = n,
        .outputs = &(weft_tensor_slot){.name = "result"}, .output_count = 1 });
}

static void test_variables_match_by_name(void **state)
{
    weft_context *ctx = *state;
    /* given in the other order than declared */
    weft_tensor_kernel *k = kernel(ctx, (const weft_tensor_slot[]){{.name = "right"},
                                                                   {.name = "left"}}, 2,
                                   scale_add);
    weft_tensor *a = tensor_count(ctx, SHAPE(2, 3), 0), *b = tensor_count(ctx, SHAPE(2, 3), 10);
    weft_tensor *y = NULL;
    assert_true(weft_tensor_kernel_run(&y, k, (weft_tensor *const[]){a, b}, NULL));
    expect_shape(y, SHAPE(2, 3));
    EXPECT(y, 10, 13, 16, 19, 22, 25);
    weft_tensor_kernel_release(k);
}

static void test_unnamed_slots_match_by_order(void **state)
{
    weft_context *ctx = *state;
    weft_tensor_kernel *k = weft_tensor_kernel_create(ctx, &(weft_tensor_kernel_desc){
        .wgsl = scale_add, .inputs = (const weft_tensor_slot[]){{0}, {0}}, .input_count = 2,
        .outputs = (const weft_tensor_slot[]){{0}}, .output_count = 1,
        .constants = &(weft_constant){"factor", 100}, .constant_count = 1 });
    weft_tensor *y = NULL, *a = tensor_count(ctx, SHAPE(3), 1), *b = tensor_count(ctx, SHAPE(3), 1);
    assert_true(weft_tensor_kernel_run(&y, k, (weft_tensor *const[]){a, b}, NULL));
    EXPECT(y, 101, 202, 303);
    /* lazy inputs are evaluated, results go on in the graph */
    assert_true(weft_tensor_kernel_run(&y, k, (weft_tensor *const[]){weft_tensor_neg(a), b},
                                       NULL));
    EXPECT(weft_tensor_add_scalar(y, 1), 100, 199, 298);
    weft_tensor_kernel_release(k);
}

/* A name that no variable has does not take the variable that another slot names. */
static void test_names_match_before_order(void **state)
{
    weft_context *ctx = *state;
    static const char wgsl[] =
        "@group(0) @binding(0) var<storage, read_write> result : array<f32>;\n"
        "@group(0) @binding(1) var<storage, read_write> start : array<f32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x < arrayLength(&start) { result[id.x] = start[id.x] + 1; }\n"
        "}\n";
    weft_tensor_kernel *k = kernel(ctx, &(weft_tensor_slot){.name = "x"}, 1, wgsl);
    weft_tensor *x = tensor_count(ctx, SHAPE(3), 1), *y = NULL;
    assert_true(weft_tensor_kernel_run(&y, k, &x, NULL));
    EXPECT(y, 2, 3, 4);
    EXPECT(x, 1, 2, 3);
    weft_tensor_kernel_release(k);
    const weft_tensor_slot both[] = {{.name = "x"}, {.name = "z"}};
    assert_null(kernel(ctx, both, 2, wgsl));
    fixture_expect_error(ctx, WEFT_ERROR_NOT_FOUND, "the input 'z'");
}

static void test_views_bind_exact_ranges(void **state)
{
    weft_context *ctx = *state;
    weft_tensor_kernel *k = kernel(ctx, (const weft_tensor_slot[]){{.name = "left"},
                                                                   {.name = "right"}}, 2,
                                   scale_add);
    weft_tensor *x = tensor_count(ctx, SHAPE(4, 64), 0), *y = NULL;
    weft_tensor *row = weft_tensor_select(x, 0, 2);          /* an offset of 512 bytes */
    weft_tensor *odd = weft_tensor_narrow(weft_tensor_select(x, 0, 1), 0, 3, 5);
    assert_true(weft_tensor_kernel_run(&y, k, (weft_tensor *const[]){row, row}, NULL));
    expect_shape(y, SHAPE(64));
    weft_tensor *want = weft_tensor_mul_scalar(row, 3);
    expect_same(y, want, 0);
    assert_true(weft_tensor_kernel_run(&y, k, (weft_tensor *const[]){odd, odd}, NULL));
    EXPECT(y, 201, 204, 207, 210, 213);
    weft_tensor_kernel_release(k);
}

static void test_writable_inputs_change_in_place(void **state)
{
    weft_context *ctx = *state;
    static const char wgsl[] =
        "@group(0) @binding(0) var<storage, read_write> counts : array<i32>;\n"
        "@group(0) @binding(1) var<storage, read_write> result : array<i32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x < arrayLength(&counts) { result[id.x] = counts[id.x]; counts[id.x] += 1; }\n"
        "}\n";
    weft_tensor_kernel *k = kernel(ctx, &(weft_tensor_slot){.name = "counts"}, 1, wgsl);
    weft_tensor *x = tensor_of(ctx, WEFT_I32, SHAPE(2, 3), VALUES(1, 2, 3, 4, 5, 6)), *y = NULL;
    weft_tensor *before = weft_tensor_add_scalar(x, 0);
    assert_true(weft_tensor_kernel_run(&y, k, &x, NULL));
    EXPECT(x, 2, 3, 4, 5, 6, 7);
    EXPECT(before, 1, 2, 3, 4, 5, 6);
    weft_tensor *column = weft_tensor_select(x, 1, 1);       /* not contiguous: copied back */
    assert_true(weft_tensor_kernel_run(&y, k, &column, NULL));
    EXPECT(y, 3, 6);
    EXPECT(x, 2, 4, 4, 5, 7, 7);
    weft_tensor_kernel_release(k);
}

static void test_params_groups_and_shapes_of_a_run(void **state)
{
    weft_context *ctx = *state;
    static const char wgsl[] =
        "struct Params { rows : u32, columns : u32 }\n"
        "@group(0) @binding(0) var<uniform> params : Params;\n"
        "@group(0) @binding(1) var<storage, read> x : array<f32>;\n"
        "@group(0) @binding(2) var<storage, read_write> result : array<f32>;\n"
        "@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if id.x < params.rows && id.y < params.columns {\n"
        "    result[id.y * params.rows + id.x] = x[id.x * params.columns + id.y];\n"
        "  }\n"
        "}\n";
    weft_tensor_kernel *k = kernel(ctx, &(weft_tensor_slot){.name = "x", .rank = 2,
                                       .shape = {WEFT_INFER, WEFT_INFER}}, 1, wgsl);
    weft_tensor   *x = tensor_count(ctx, SHAPE(10, 20), 0), *y = NULL;
    const uint32_t params[] = {10, 20};
    weft_tensor_run run = {.params = params, .params_size = sizeof params,
        .outputs = &(weft_tensor_slot){.rank = 2, .shape = {20, 10}}};
    assert_true(weft_tensor_kernel_run(&y, k, &x, &run));
    expect_same(y, weft_tensor_transpose(x, 0, 1), 0);
    assert_false(weft_tensor_kernel_run(&y, k, &x, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "'params' needs 8 bytes");
    weft_tensor *flat = tensor_count(ctx, SHAPE(5), 0);
    assert_false(weft_tensor_kernel_run(&y, k, &flat, &run));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "'x'");
    weft_tensor_kernel_release(k);
}

static void test_errors_name_the_binding(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *y = NULL;
    assert_null(kernel(ctx, &(weft_tensor_slot){.name = "left"}, 1, scale_add));
    fixture_expect_error(ctx, WEFT_ERROR_NOT_FOUND, "'right'");
    assert_null(kernel(ctx, NULL, 0, "@compute @workgroup_size(1) fn main() { let x = ; }"));
    fixture_expect_error(ctx, WEFT_ERROR_COMPILE, "1:");
    weft_tensor_kernel *k = kernel(ctx, (const weft_tensor_slot[]){{.name = "left"},
                                                                   {.name = "right"}}, 2,
                                   scale_add);
    weft_tensor *f = tensor_count(ctx, SHAPE(4), 0), *i = weft_tensor_cast(f, WEFT_I32);
    assert_false(weft_tensor_kernel_run(&y, k, (weft_tensor *const[]){f, i}, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_TYPE, "'right' is f32");
    weft_tensor *none = weft_tensor_narrow(f, 0, 0, 0);
    assert_false(weft_tensor_kernel_run(&y, k, (weft_tensor *const[]){f, none}, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "'right' is empty");
    assert_false(weft_tensor_kernel_run(&y, k, (weft_tensor *const[]){f, NULL}, NULL));
    assert_false(weft_tensor_kernel_run(&y, k, NULL, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "no inputs");
    assert_false(weft_tensor_kernel_run(NULL, k, (weft_tensor *const[]){f, f}, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "no outputs");
    weft_tensor_kernel_release(k);
    assert_null(y);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_setup, tensors_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_variables_match_by_name),
        TEST(test_unnamed_slots_match_by_order),
        TEST(test_names_match_before_order),
        TEST(test_views_bind_exact_ranges),
        TEST(test_writable_inputs_change_in_place),
        TEST(test_params_groups_and_shapes_of_a_run),
        TEST(test_errors_name_the_binding),
    };
    return cmocka_run_group_tests_name("tensor_kernel", tests, NULL, NULL);
}
