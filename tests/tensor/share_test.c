/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share_test.c - sharing by owner and name, scopes, references.
 */
#include "support/test.h"

#include <string.h>

#include "context/fixture.h"
#include "tensor/tensor_priv.h"
#include "tensors.h"

static void test_owners_grant_access(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *x = tensor_count(ctx, SHAPE(4), 1);
    assert_true(weft_share_put(ctx, "bert", "embedding", x));
    assert_null(weft_share_get(ctx, "bert", "embedding", "vit"));
    fixture_expect_error(ctx, WEFT_ERROR_DENIED, "vit");
    assert_true(weft_share_grant(ctx, "bert", "embedding", "vit"));
    weft_tensor *seen = weft_share_get(ctx, "bert", "embedding", "vit");
    assert_ptr_equal(seen, x);
    EXPECT(seen, 1, 2, 3, 4);
    assert_true(weft_share_revoke(ctx, "bert", "embedding", "vit"));
    assert_null(weft_share_get(ctx, "bert", "embedding", "vit"));
    fixture_expect_error(ctx, WEFT_ERROR_DENIED, "embedding");
    assert_null(weft_share_get(ctx, "bert", "nothing", NULL));
    fixture_expect_error(ctx, WEFT_ERROR_NOT_FOUND, "Tensor nothing not found for model bert");
    weft_tensor_release(seen);
    assert_int_equal(weft_share_release(ctx, "bert"), 1);
}

static void test_one_reference_per_reader_and_name(void **state)
{
    weft_context   *ctx = *state;
    weft_share_info info;
    weft_tensor    *x = tensor_count(ctx, SHAPE(4), 1);
    assert_true(weft_share_put(ctx, "a", "x", x) && weft_share_grant(ctx, "a", "x", "b"));
    for (int i = 0; i < 5; i++)
        weft_tensor_release(weft_share_get(ctx, "a", "x", "b"));
    assert_true(weft_share_get_info(&info, ctx, 0));
    assert_int_equal(info.references, 2);
    assert_int_equal(info.reader_count, 1);
    assert_int_equal(info.bytes, 16);
    assert_string_equal(info.owner, "a");
    assert_int_equal(info.location, WEFT_LOCATION_DEVICE);
    assert_int_equal(weft_share_bytes(ctx, "b"), 16);
    assert_true(weft_share_drop(ctx, "a", "x", "b"));
    assert_int_equal(weft_share_bytes(ctx, "b"), 0);
    assert_false(weft_share_drop(ctx, "a", "x", "b"));
    fixture_expect_error(ctx, WEFT_ERROR_NOT_FOUND, "b holds no reference");
    assert_true(weft_share_drop(ctx, "a", "x", NULL));
    assert_int_equal(weft_share_count(ctx), 0);
}

static void test_views_keep_replaced_memory(void **state)
{
    weft_context *ctx = *state;
    weft_tensor  *old = tensor_count(ctx, SHAPE(6), 0), *new = tensor_count(ctx, SHAPE(2), 50);
    weft_tensor  *view = weft_tensor_narrow(old, 0, 2, 3);
    assert_true(weft_share_put(ctx, "m", "w", old));
    assert_true(weft_share_put(ctx, "m", "v", view));
    assert_int_equal(weft_share_bytes(ctx, "m"), 24);       /* shared storage counts once */
    assert_true(weft_share_put(ctx, "m", "w", new));
    weft_tensor *got = weft_share_get(ctx, "m", "w", NULL);
    EXPECT(got, 50, 51);
    EXPECT(view, 2, 3, 4);
    assert_int_equal(weft_share_bytes(ctx, "m"), 32);
    weft_tensor_release(got);
    assert_int_equal(weft_share_release(ctx, "m"), 2);
}

static void test_memory_goes_with_the_last_reference(void **state)
{
    (void)state;
    weft_context *ctx = fixture_context(NULL);
    TensorState  *s = tensor_state(ctx);
    weft_tensor  *x = tensor_count(ctx, SHAPE(1000), 1);
    assert_true(weft_share_put(ctx, "m", "w", x));
    weft_tensor_release(x);
    assert_ptr_not_equal(s->lru.newer, &s->lru);
    assert_true(weft_share_drop(ctx, "m", "w", NULL));
    assert_ptr_equal(s->lru.newer, &s->lru);
    /* what is still shared goes with the context */
    x = tensor_count(ctx, SHAPE(1000), 1);
    assert_true(weft_share_put(ctx, "m", "w", x) && weft_share_grant(ctx, "m", "w", "n"));
    weft_tensor_release(weft_share_get(ctx, "m", "w", "n"));
    weft_tensor_release(x);
    fixture_release(ctx);
}

static void test_scopes_release_all_but_what_is_kept(void **state)
{
    weft_context *ctx = *state;
    TensorState  *s = tensor_state(ctx);
    weft_tensor_scope_begin(ctx);
    weft_tensor *x = tensor_count(ctx, SHAPE(4), 0), *kept;
    weft_tensor_scope_begin(ctx);
    weft_tensor *y = weft_tensor_add_scalar(weft_tensor_mul_scalar(x, 2), 1);
    weft_tensor *released = weft_tensor_copy(x);
    weft_tensor_release(released);              /* allowed inside */
    kept = y;
    weft_tensor_scope_end(ctx, &kept, 1);
    EXPECT(kept, 1, 3, 5, 7);
    assert_int_equal(weft_tensor_references(kept), 1);
    weft_tensor *retained = weft_tensor_retain(kept);
    weft_tensor_scope_end(ctx, NULL, 0);
    EXPECT(retained, 1, 3, 5, 7);
    weft_tensor_release(retained);
    assert_ptr_equal(s->lru.newer, &s->lru);
    assert_ptr_equal(s->scope->first, NULL);
}

static void test_released_early_is_safe(void **state)
{
    weft_context *ctx = *state;
    weft_tensor_scope_begin(ctx);
    weft_tensor *x = tensor_count(ctx, SHAPE(3), 0), *y = weft_tensor_exp(x);
    weft_tensor *z = weft_tensor_log(y);
    weft_tensor_release(x);
    weft_tensor_release(y);
    EXPECT(z, 0, 1, 2);
    /* a stale handle is recognised while its slot is free */
    assert_null(weft_tensor_exp(y));
    weft_context_error_clear(ctx);
    weft_tensor_release(y);
    assert_int_equal(weft_tensor_rank(y), 0);
    weft_tensor_scope_end(ctx, NULL, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tensors_setup, tensors_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_owners_grant_access),
        TEST(test_one_reference_per_reader_and_name),
        TEST(test_views_keep_replaced_memory),
        cmocka_unit_test(test_memory_goes_with_the_last_reference),
        TEST(test_scopes_release_all_but_what_is_kept),
        TEST(test_released_early_is_safe),
    };
    return cmocka_run_group_tests_name("tensor_share", tests, NULL, NULL);
}
