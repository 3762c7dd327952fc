/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists_test.c - the inverted file: recall, insertion after training, removal, files.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "reference.h"

#define DIM 12u

/* Software drivers take long. */
static uint32_t rows_to_try(void)
{
    return getenv("WEFT_TEST_BACKEND") ? 1500 : 6000;
}

static weft_vectors_index *trained(weft_context *ctx, const float *rows, uint32_t count,
                                   weft_vectors_metric metric)
{
    weft_vectors_index *index = weft_vectors_index_create(ctx, &(weft_vectors_index_desc){
        .dimension = DIM, .metric = metric, .list_threshold = WEFT_OFF});
    weft_vectors_rows all = {.data = rows, .count = count};
    assert_true(weft_vectors_index_insert(index, &all, NULL));
    assert_true(weft_vectors_index_train(index, NULL, NULL));
    return index;
}

static void test_recall_is_what_was_asked_for(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    uint32_t      count = rows_to_try();
    float        *rows = reference_rows(count, DIM, 40, 11);
    (void)state;
    for (int metric = 0; metric < 3; metric++) {
        weft_vectors_index *index = trained(ctx, rows, count, (weft_vectors_metric)metric);
        weft_vectors_index_info info;
        double all, some;
        assert_true(weft_vectors_index_get_info(&info, index));
        assert_true(info.lists > 70 && info.probes >= 1 && info.probes < info.lists);
        assert_true(info.recall >= 0.95);
        assert_true(weft_vectors_index_recall(&all, index, 10, info.lists, 100));
        assert_true(all == 1);
        assert_true(weft_vectors_index_recall(&some, index, 10, 1, 100));
        assert_true(some <= 1 && some > 0.1);
        weft_vectors_index_release(index);
    }
    free(rows);
    fixture_release(ctx);
}

static void test_an_exact_search_ignores_lists(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float        *rows = reference_rows(3000, DIM, 20, 12);
    uint64_t      ids[10];
    double        scores[10];
    weft_vectors_match m[10];
    (void)state;
    weft_vectors_index *index = trained(ctx, rows, 3000, WEFT_VECTORS_EUCLIDEAN);
    for (uint32_t i = 0; i < 20; i++) {
        const float      *q = rows + (size_t)i * 61 * DIM;
        weft_vectors_rows one = {.data = q, .count = 1};
        reference_search(ids, scores, q, rows, 3000, DIM, WEFT_VECTORS_EUCLIDEAN, 10);
        assert_true(weft_vectors_index_search(m, index, &one,
                                              &(weft_vectors_search){.exact = true}));
        for (int k = 0; k < 10; k++)
            assert_int_equal(m[k].id, ids[k]);
    }
    weft_vectors_index_release(index);
    free(rows);
    fixture_release(ctx);
}

/* Vectors that come after the training are found by themselves; removed ones are not. */
static void test_trained_indexes_change(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float        *rows = reference_rows(4000, DIM, 30, 13);
    weft_vectors_match m[1];
    uint64_t           gone[500];
    (void)state;
    weft_vectors_index *index = trained(ctx, rows, 2000, WEFT_VECTORS_COSINE);
    weft_vectors_rows   more = {.data = rows + 2000 * DIM, .count = 2000};
    assert_true(weft_vectors_index_insert(index, &more, NULL));
    for (uint64_t i = 0; i < 500; i++)
        gone[i] = i * 8;
    assert_true(weft_vectors_index_remove(index, gone, 500));
    for (uint64_t i = 0; i < 4000; i += 24000 / rows_to_try()) {
        weft_vectors_rows one = {.data = rows + i * DIM, .count = 1};
        assert_true(weft_vectors_index_search(m, index, &one, &(weft_vectors_search){.count = 1}));
        if (i % 8 == 0)
            assert_true(m[0].id != i);
        else
            assert_int_equal(m[0].id, i);
    }
    weft_vectors_index_release(index);
    free(rows);
    fixture_release(ctx);
}

static void test_the_threshold_trains(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float        *rows = reference_rows(2000, DIM, 10, 14);
    weft_vectors_index_info info;
    (void)state;
    weft_vectors_index *index = weft_vectors_index_create(ctx, &(weft_vectors_index_desc){
        .dimension = DIM, .list_threshold = 1000, .lists = 20});
    weft_vectors_rows some = {.data = rows, .count = 900};
    assert_true(weft_vectors_index_insert(index, &some, NULL));
    assert_true(weft_vectors_index_get_info(&info, index));
    assert_int_equal(info.lists, 0);
    some = (weft_vectors_rows){.data = rows + 900 * DIM, .count = 1100};
    assert_true(weft_vectors_index_insert(index, &some, NULL));
    assert_true(weft_vectors_index_get_info(&info, index));
    assert_int_equal(info.lists, 20);
    assert_int_equal(info.count, 2000);
    weft_vectors_index_release(index);
    free(rows);
    fixture_release(ctx);
}

static bool cancel(void *user, uint64_t done, uint64_t total)
{
    uint64_t *calls = user;
    assert_true(done <= total);
    return ++*calls < 3;
}

static void test_training_can_be_cancelled(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    float        *rows = reference_rows(1000, DIM, 10, 15);
    uint64_t      calls = 0;
    weft_vectors_index_info info;
    weft_vectors_match      m[1];
    (void)state;
    weft_vectors_index *index = weft_vectors_index_create(ctx, &(weft_vectors_index_desc){
        .dimension = DIM});
    weft_vectors_rows all = {.data = rows, .count = 1000}, few = {.data = rows, .count = 1};
    assert_true(weft_vectors_index_insert(index, &few, NULL));
    assert_false(weft_vectors_index_train(index, NULL, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "too few");
    assert_true(weft_vectors_index_insert(index, &all, NULL));
    assert_false(weft_vectors_index_train(index, cancel, &calls));
    fixture_expect_error(ctx, WEFT_ERROR_CANCELLED, "cancelled");
    assert_true(weft_vectors_index_get_info(&info, index));
    assert_int_equal(info.lists, 0);
    assert_true(weft_vectors_index_search(m, index, &few, &(weft_vectors_search){.count = 1}));
    assert_int_equal(m[0].id, 0);
    weft_vectors_index_release(index);
    free(rows);
    fixture_release(ctx);
}

static void test_files_hold_the_lists(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    char          name[64];
    float        *rows = reference_rows(1500, DIM, 10, 16);
    weft_vectors_match      a[10], b[10];
    weft_vectors_index_info before, after;
    (void)state;
    snprintf(name, sizeof name, "/tmp/weft-lists-%ld.safetensors", (long)getpid());
    weft_vectors_index *index = trained(ctx, rows, 1500, WEFT_VECTORS_COSINE);
    weft_vectors_rows   one = {.data = rows, .count = 1};
    assert_true(weft_vectors_index_get_info(&before, index));
    assert_true(weft_vectors_index_search(a, index, &one, NULL));
    assert_true(weft_vectors_index_save(index, name));
    weft_vectors_index_release(index);
    index = weft_vectors_index_load(ctx, name, NULL);
    assert_non_null(index);
    assert_true(weft_vectors_index_get_info(&after, index));
    assert_int_equal(before.lists, after.lists);
    assert_int_equal(before.probes, after.probes);
    assert_true(weft_vectors_index_search(b, index, &one, NULL));
    for (int i = 0; i < 10; i++)
        assert_int_equal(a[i].id, b[i].id);
    weft_vectors_index_release(index);
    free(rows);
    unlink(name);
    fixture_release(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recall_is_what_was_asked_for),
        cmocka_unit_test(test_an_exact_search_ignores_lists),
        cmocka_unit_test(test_trained_indexes_change),
        cmocka_unit_test(test_the_threshold_trains),
        cmocka_unit_test(test_training_can_be_cancelled),
        cmocka_unit_test(test_files_hold_the_lists),
    };
    return cmocka_run_group_tests_name("vectors_lists", tests, NULL, NULL);
}
