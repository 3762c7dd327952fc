/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain_test.c - the kernels of src/tensor/kernels/plain, which web pages run by themselves,
 * against the operators of the library, with every workgroup size that the pages try.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/macro.h"
#include "support/test.h"

#include "context/fixture.h"
#include "tensors.h"

static const double wides[] = {32, 64, 128, 256};

/* The text of a kernel file. To be freed. */
static char *kernel_text(const char *name)
{
    char  path[512];
    char *text = calloc(1, 8192);
    snprintf(path, sizeof path, WEFT_TEST_DIR "/../../src/tensor/kernels/plain/%s.wgsl",
             name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, 8191, file);
    assert_in_range(length, 1, 8190);
    fclose(file);
    return text;
}

static weft_tensor *random_tensor(weft_context *ctx, uint32_t rank, const uint64_t *shape,
                                  uint64_t seed)
{
    double   values[4096];
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        count *= shape[i];
    assert_in_range(count, 1, 4096);
    for (uint64_t i = 0; i < count; i++)
        values[i] = 4 * random_next(&seed) - 2;
    return tensor_of(ctx, WEFT_F32, rank, shape, values);
}

typedef struct Case {
    const char          *kernel;
    const weft_constant *constants;
    uint32_t             constant_count;
    weft_tensor_run      run;
    weft_tensor_slot     output;
} Case;

static weft_tensor *run(weft_context *ctx, const Case *c, weft_tensor *const *in,
                        const weft_tensor_slot *slots, uint32_t count)
{
    char               *text = kernel_text(c->kernel);
    weft_tensor_kernel *k = weft_tensor_kernel_create(ctx, &(weft_tensor_kernel_desc){
        .name = c->kernel, .wgsl = text, .inputs = slots, .input_count = count,
        .outputs = &c->output, .output_count = 1,
        .constants = c->constants, .constant_count = c->constant_count});
    weft_tensor *y = NULL;
    if (!weft_tensor_kernel_run(&y, k, in, &c->run))
        fail_msg("%s: %s", c->kernel, weft_context_error(ctx)->message);
    weft_tensor_kernel_release(k);
    free(text);
    return y;
}

static const weft_tensor_slot ab[] = {{.name = "a"}, {.name = "b"}};
static const weft_tensor_slot xw[] = {{.name = "x"}, {.name = "weight"}};

static void matmul_case(weft_context *ctx, const char *kernel, const weft_constant *constants,
                        uint32_t count, uint32_t x, uint32_t y)
{
    const uint32_t sizes[3] = {37, 29, 45};
    weft_tensor   *in[2] = {random_tensor(ctx, SHAPE(37, 45), 1),
                            random_tensor(ctx, SHAPE(45, 29), 2)};
    weft_tensor   *c = run(ctx, &(Case){
        kernel, constants, count,
        {.groups = {(29 + x - 1) / x, (37 + y - 1) / y, 1}, .params = sizes, .params_size = 12},
        {.name = "c", .rank = 2, .shape = {37, 29}}}, in, ab, 2);
    expect_same(c, weft_tensor_matmul(in[0], in[1]), 1e-5);
}

static void test_matmul(void **state)
{
    matmul_case(*state, "matmul", NULL, 0, 16, 16);
    matmul_case(*state, "matmul", (const weft_constant[]){{"X", 32}, {"Y", 2}}, 2, 32, 2);
}

static void test_matmul_tiled(void **state)
{
    matmul_case(*state, "matmul_tiled", NULL, 0, 16, 16);
    matmul_case(*state, "matmul_tiled", &(weft_constant){"TILE", 8}, 1, 8, 8);
}

static void test_softmax(void **state)
{
    weft_tensor *x = random_tensor(*state, SHAPE(5, 300), 3);
    for (size_t i = 0; i < COUNTOF(wides); i++) {
        weft_tensor *y = run(*state, &(Case){
            "softmax", &(weft_constant){"WIDE", wides[i]}, 1,
            {.groups = {5, 1, 1}, .params = (uint32_t[]){5, 300}, .params_size = 8},
            {.name = "y", .rank = 2, .shape = {5, 300}}}, &x, xw, 1);
        expect_same(y, weft_tensor_softmax(x, -1), 1e-5);
    }
}

static void test_rmsnorm(void **state)
{
    struct { uint32_t rows, width; float epsilon; } sizes = {4, 200, 1e-5f};
    weft_tensor *in[2] = {random_tensor(*state, SHAPE(4, 200), 4),
                          random_tensor(*state, SHAPE(200), 5)};
    for (size_t i = 0; i < COUNTOF(wides); i++) {
        weft_tensor *y = run(*state, &(Case){
            "rmsnorm", &(weft_constant){"WIDE", wides[i]}, 1,
            {.groups = {4, 1, 1}, .params = &sizes, .params_size = sizeof sizes},
            {.name = "y", .rank = 2, .shape = {4, 200}}}, in, xw, 2);
        expect_same(y, weft_tensor_rms_norm(in[0], in[1], 1e-5), 1e-5);
    }
}

static void test_silu(void **state)
{
    weft_tensor *x = random_tensor(*state, SHAPE(1000), 6);
    for (size_t i = 0; i < COUNTOF(wides); i++) {
        weft_tensor *y = run(*state, &(Case){
            "silu", &(weft_constant){"WIDE", wides[i]}, 1, {.groups = {32, 1, 1}},
            {.name = "y", .rank = 1, .shape = {1000}}}, &x, xw, 1);
        expect_same(y, weft_tensor_silu(x), 1e-5);
    }
}

/* Tokens 7 to 9 of a sequence, three heads of width 8, in double precision. */
static void rope_reference(double *out, const double *x)
{
    for (int t = 0; t < 3; t++)
        for (int h = 0; h < 3; h++)
            for (int i = 0; i < 4; i++) {
                int    at = (t * 3 + h) * 8 + 2 * i;
                double angle = (7 + t) * pow(10000, -2.0 * i / 8);
                out[at] = x[at] * cos(angle) - x[at + 1] * sin(angle);
                out[at + 1] = x[at] * sin(angle) + x[at + 1] * cos(angle);
            }
}

static void test_rope(void **state)
{
    struct { uint32_t tokens, heads, width, offset; float base; } sizes = {3, 3, 8, 7, 10000};
    double want[72];
    weft_tensor *x = random_tensor(*state, SHAPE(3, 3, 8), 7);
    double      *before = tensor_doubles(x);
    rope_reference(want, before);
    free(before);
    for (size_t i = 0; i < COUNTOF(wides); i++) {
        weft_tensor *y = run(*state, &(Case){
            "rope", &(weft_constant){"WIDE", wides[i]}, 1,
            {.groups = {2, 1, 1}, .params = &sizes, .params_size = sizeof sizes},
            {.name = "y", .rank = 3, .shape = {3, 3, 8}}}, &x, xw, 1);
        expect_near(y, want, 72, 1e-4);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_setup, tensors_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_matmul), TEST(test_matmul_tiled), TEST(test_softmax),
        TEST(test_rmsnorm), TEST(test_silu), TEST(test_rope),
    };
    return cmocka_run_group_tests_name("tensor_plain", tests, NULL, NULL);
}
