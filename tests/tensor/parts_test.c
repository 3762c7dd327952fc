/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts_test.c - tensors above the limit of a binding: every kind of kernel gives what it gives
 * where its tensors fit.
 */
#include "support/test.h"

#include <stdlib.h>

#include "context/fixture.h"
#include "tensor/tensor_priv.h"
#include "tensors.h"

#define ROWS    96u
#define COLUMNS 100u
#define LIMIT   12288               /* bytes; a tensor of ROWS x COLUMNS has 38,400         */

typedef struct Inputs {
    weft_tensor *x;                 /* [ROWS, COLUMNS], large                               */
    weft_tensor *row, *few;         /* [COLUMNS] and [3, COLUMNS], small                    */
} Inputs;

static weft_tensor *own(weft_tensor *x)
{
    return weft_tensor_copy(weft_tensor_transpose(x, 0, 1));
}

static weft_tensor *product(const Inputs *in)
{
    weft_tensor *y = weft_tensor_matmul(in->few, weft_tensor_transpose(in->x, 0, 1));
    return weft_tensor_add_scalar(y, 1);
}

static weft_tensor *large_product(const Inputs *in)
{
    weft_tensor *y = weft_tensor_matmul(in->x, own(in->x));
    return weft_tensor_relu(weft_tensor_matmul(y, in->x));
}

static weft_tensor *linear(const Inputs *in)
{
    return weft_tensor_linear(in->few, in->x, NULL, WEFT_ACTIVATION_GELU);
}

static weft_tensor *softmax(const Inputs *in)  { return weft_tensor_softmax(in->x, -1); }
static weft_tensor *softmax0(const Inputs *in) { return weft_tensor_log_softmax(in->x, 0); }

static weft_tensor *norm(const Inputs *in)
{
    return weft_tensor_layer_norm(in->x, in->row, in->row, 0);
}

static weft_tensor *transpose(const Inputs *in) { return own(in->x); }

static weft_tensor *concat(const Inputs *in)
{
    return weft_tensor_concat((weft_tensor *const[]){in->x, in->few, in->x}, 3, 0);
}

static weft_tensor *take(const Inputs *in)
{
    weft_context *ctx = weft_tensor_context(in->x);
    return weft_tensor_take(in->x, tensor_of(ctx, WEFT_I32, SHAPE(4), VALUES(95, 0, 40, -1)), 0);
}

static weft_tensor *bytes(const Inputs *in)
{
    weft_tensor *x = weft_tensor_cast(weft_tensor_mul_scalar(in->x, 100), WEFT_I8);
    return weft_tensor_cast(own(weft_tensor_tile(x, (const uint64_t[]){2, 2})), WEFT_F32);
}

static weft_tensor *halves(const Inputs *in)
{
    weft_tensor *x = weft_tensor_tile(weft_tensor_cast(in->x, WEFT_F16), (const uint64_t[]){1, 2});
    return weft_tensor_sum(weft_tensor_softmax(x, 0), WEFT_AXIS(1));
}

static weft_tensor *scan(const Inputs *in) { return weft_tensor_cumsum(in->x, 0, NULL); }

static weft_tensor *position(const Inputs *in)
{
    return weft_tensor_argmax(weft_tensor_square(in->x), 1, false);
}

static weft_tensor *sort(const Inputs *in) { return weft_tensor_sort(in->x, 1, true); }

static weft_tensor *topk(const Inputs *in)
{
    weft_tensor *y = NULL;
    weft_tensor_topk(&y, NULL, in->x, 5, 1, false);
    return y;
}

static weft_tensor *blocks(const Inputs *in)
{
    weft_tensor *part = weft_tensor_narrow(in->x, 1, 0, 96);
    weft_tensor *x = weft_tensor_tile(part, (const uint64_t[]){1, 2});
    return weft_tensor_dequantize(weft_tensor_quantize(x, WEFT_Q8_0));
}

static weft_tensor *conv(const Inputs *in)
{
    weft_tensor *x = weft_tensor_reshape(in->x, SHAPE(4, 4, 6, 100));
    weft_tensor *w = weft_tensor_reshape(weft_tensor_narrow(in->few, 1, 0, 48), SHAPE(4, 4, 3, 3));
    return weft_tensor_conv2d(x, w, NULL, &(weft_conv){.pad_before = {1, 1}, .pad_after = {1, 1}});
}

static weft_tensor *attention(const Inputs *in)
{
    weft_tensor *x = weft_tensor_reshape(weft_tensor_narrow(in->x, 0, 0, 48),
                                         SHAPE(1, 4, 24, 50));
    return weft_tensor_attention(x, x, x, &(weft_attention){.causal = true});
}

static weft_tensor *update(const Inputs *in)
{
    return weft_tensor_slice_update(in->x, in->few, 1,
                                    &(weft_range){.start = 5, .stop = 8, .has_start = true,
                                                  .has_stop = true});
}

static weft_tensor *pool(const Inputs *in)
{
    return weft_tensor_max_pool(weft_tensor_reshape(in->x, SHAPE(1, 4, 24, 100)),
                                &(weft_pool2d){.size = {3, 3}, .stride = {1, 2}});
}

static const struct {
    const char *name;
    weft_tensor *(*run)(const Inputs *in);
} cases[] = {
    {"product", product}, {"large product", large_product}, {"linear", linear},
    {"softmax", softmax}, {"log_softmax, axis 0", softmax0}, {"layer_norm", norm},
    {"transposed copy", transpose}, {"concat", concat}, {"take", take}, {"bytes", bytes},
    {"halves", halves}, {"cumsum", scan}, {"argmax", position}, {"sort", sort}, {"topk", topk},
    {"quantized blocks", blocks}, {"conv2d", conv}, {"attention", attention},
    {"slice_update", update}, {"max_pool", pool},
};

static Inputs inputs_on(weft_context *ctx)
{
    uint64_t seed = 11;
    double   v[ROWS * COLUMNS];
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        v[i] = 2 * random_next(&seed) - 1;
    return (Inputs){tensor_of(ctx, WEFT_F32, SHAPE(ROWS, COLUMNS), v),
                    tensor_of(ctx, WEFT_F32, SHAPE(COLUMNS), v),
                    tensor_of(ctx, WEFT_F32, SHAPE(3, COLUMNS), v + 50)};
}

static void test_results_do_not_depend_on_the_limit(void **state)
{
    weft_context *ctx = *state;
    Inputs        whole = inputs_on(ctx);
    const char   *word = getenv("WEFT_TEST_EVERY");     /* for drivers that compile slowly */
    size_t        step = word && atoi(word) > 0 ? (size_t)atoi(word) : 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += step) {
        weft_context *small = fixture_context(&(weft_context_desc){.share = ctx});
        weft_tensor_scope_begin(small);
        Inputs in = inputs_on(small);
        tensor_state(small)->binding_limit = LIMIT;
        weft_tensor *got = cases[i].run(&in), *want = cases[i].run(&whole);
        assert_non_null(want);
        if (!got || !weft_tensor_eval(&got, 1))
            fail_msg("%s: %s", cases[i].name, weft_context_error(small)->message);
        expect_same(got, want, 1e-5);
        weft_tensor_scope_end(small, NULL, 0);
        fixture_release(small);
    }
}

/* More parts than the device has bindings. */
static void test_tensors_that_cannot_be_divided_are_an_error(void **state)
{
    weft_context *ctx = *state;
    Inputs        in = inputs_on(ctx);
    tensor_state(ctx)->binding_limit = 1024;
    weft_tensor *y = softmax0(&in);
    assert_false(weft_tensor_eval(&y, 1));
    fixture_expect_error(ctx, WEFT_ERROR_UNSUPPORTED, "bindings of 1024 bytes");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_setup, tensors_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_results_do_not_depend_on_the_limit),
        TEST(test_tensors_that_cannot_be_divided_are_an_error),
    };
    return cmocka_run_group_tests_name("tensor_parts", tests, NULL, NULL);
}
