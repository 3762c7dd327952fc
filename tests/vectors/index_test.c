/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_test.c - exact search, insertion, removal, files, and what is refused.
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reference.h"

static weft_vectors_rows rows_of(const float *data, uint64_t count)
{
    return (weft_vectors_rows){.data = data, .count = count};
}

static weft_vectors_index *make(weft_context *ctx, uint32_t dim, weft_vectors_metric metric)
{
    weft_vectors_index *index = weft_vectors_index_create(ctx, &(weft_vectors_index_desc){
        .dimension = dim, .metric = metric});
    fixture_no_error(ctx);
    assert_non_null(index);
    return index;
}

/* All queries at once and one at a time give what the reference gives. */
static void compare(weft_context *ctx, uint32_t count, uint32_t dim, uint32_t queries,
                    uint32_t k, weft_vectors_metric metric)
{
    float *rows = reference_rows(count, dim, 0, 7 + count);
    float *q = reference_rows(queries, dim, 0, 99);
    weft_vectors_index *index = make(ctx, dim, metric);
    weft_vectors_match *out = calloc((size_t)queries * k, sizeof *out);
    uint64_t ids[64];
    double   scores[64];
    assert_true(weft_vectors_index_insert(index, &(weft_vectors_rows){rows, count, NULL}, NULL));
    weft_vectors_rows all = rows_of(q, queries);
    assert_true(weft_vectors_index_search(out, index, &all, &(weft_vectors_search){.count = k}));
    for (uint32_t i = 0; i < queries; i++) {
        weft_vectors_match one[64];
        weft_vectors_rows  single = rows_of(q + (size_t)i * dim, 1);
        assert_true(weft_vectors_index_search(one, index, &single,
                                              &(weft_vectors_search){.count = k}));
        reference_search(ids, scores, q + (size_t)i * dim, rows, count, dim, metric, k);
        for (uint32_t j = 0; j < k; j++) {
            weft_vectors_match m = out[(size_t)i * k + j];
            if (j >= count) {
                assert_true(m.id == WEFT_VECTORS_NONE && one[j].id == WEFT_VECTORS_NONE);
                continue;
            }
            double close = 2e-5 * (1 + fabs(scores[j]));
            assert_true(fabs(m.score - scores[j]) < close);
            assert_true(fabs(one[j].score - scores[j]) < close);
            double other = reference_score(q + (size_t)i * dim, rows + m.id * dim, dim, metric);
            assert_true(m.id == ids[j] || fabs(other - scores[j]) < close);
        }
    }
    free(rows);
    free(q);
    free(out);
    weft_vectors_index_release(index);
}

static void test_search_finds_what_c_finds(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    (void)state;
    static const struct { uint32_t count, dim, queries, k; } cases[] = {
        {1, 1, 1, 1}, {3, 2, 2, 5}, {16, 3, 3, 16}, {17, 4, 9, 4}, {100, 5, 8, 10},
        {5000, 100, 11, 10}, {20000, 7, 5, 37}, {1500, 384, 3, 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int metric = 0; metric < 3; metric++)
            compare(ctx, cases[i].count, cases[i].dim, cases[i].queries, cases[i].k,
                    (weft_vectors_metric)metric);
    fixture_release(ctx);
}

static void test_an_empty_index_finds_nothing(void **state)
{
    weft_context       *ctx = fixture_context(NULL);
    weft_vectors_index *index = make(ctx, 3, WEFT_VECTORS_COSINE);
    weft_vectors_match  m[2];
    float               q[3] = {1, 2, 3};
    (void)state;
    weft_vectors_rows one = rows_of(q, 1), none = rows_of(q, 0);
    assert_true(weft_vectors_index_search(m, index, &one, &(weft_vectors_search){.count = 2}));
    assert_true(m[0].id == WEFT_VECTORS_NONE && m[1].id == WEFT_VECTORS_NONE);
    assert_true(weft_vectors_index_insert(index, &none, NULL));
    assert_true(weft_vectors_index_search(m, index, &none, NULL));
    weft_vectors_index_release(index);
    fixture_release(ctx);
}

static void test_ids_are_inserted_replaced_and_removed(void **state)
{
    weft_context       *ctx = fixture_context(NULL);
    weft_vectors_index *index = make(ctx, 2, WEFT_VECTORS_EUCLIDEAN);
    const float         rows[] = {0, 0, 1, 0, 2, 0, 3, 0};
    const uint64_t      ids[] = {10, 40, 20, 30}, some[] = {40, 20}, moved[] = {10};
    const float         far[] = {100, 0};
    float               back[4];
    uint64_t            all[8];
    weft_vectors_match  m[4];
    weft_vectors_index_info info;
    (void)state;
    weft_vectors_rows four = rows_of(rows, 4), one = rows_of(rows, 1), away = rows_of(far, 1);
    assert_true(weft_vectors_index_insert(index, &four, ids));
    assert_true(weft_vectors_index_search(m, index, &one, &(weft_vectors_search){.count = 4}));
    assert_int_equal(m[0].id, 10);
    assert_int_equal(m[1].id, 40);
    assert_int_equal(m[3].id, 30);
    assert_true(weft_vectors_index_remove(index, some, 2));
    assert_true(weft_vectors_index_search(m, index, &one, &(weft_vectors_search){.count = 4}));
    assert_int_equal(m[1].id, 30);
    assert_true(m[2].id == WEFT_VECTORS_NONE && isnan(m[2].score));
    assert_true(weft_vectors_index_replace(index, &away, moved));
    assert_true(weft_vectors_index_search(m, index, &one, &(weft_vectors_search){.count = 2}));
    assert_int_equal(m[0].id, 30);
    assert_true(m[1].id == 10 && m[1].score == 100);
    assert_true(weft_vectors_index_insert(index, &one, NULL));      /* after the largest: 41 */
    assert_int_equal(weft_vectors_index_ids(all, index, 8), 3);
    assert_true(weft_vectors_index_has(index, 41) && !weft_vectors_index_has(index, 40));
    assert_true(weft_vectors_index_get(back, index, (uint64_t[]){30, 41}, 2));
    assert_true(back[0] == 3 && back[1] == 0 && back[2] == 0);
    assert_true(weft_vectors_index_get_info(&info, index));
    assert_int_equal(info.count, 3);
    assert_int_equal(info.dimension, 2);
    assert_true(info.lists == 0 && info.recall == 1 && info.bytes > 0);
    weft_vectors_index_release(index);
    fixture_release(ctx);
}

/* Slots of removed vectors are used again: the memory of an index that changes stays. */
static void test_removed_slots_are_reused(void **state)
{
    weft_context       *ctx = fixture_context(NULL);
    weft_vectors_index *index = make(ctx, 8, WEFT_VECTORS_DOT);
    float              *rows = reference_rows(500, 8, 0, 3);
    uint64_t            ids[500], bytes = 0;
    weft_vectors_index_info info;
    (void)state;
    weft_vectors_rows all = rows_of(rows, 500);
    for (int round = 0; round < 10; round++) {
        for (uint64_t i = 0; i < 500; i++)
            ids[i] = i * 7 + (uint64_t)round;
        assert_true(weft_vectors_index_insert(index, &all, ids));
        assert_true(weft_vectors_index_get_info(&info, index));
        assert_true(bytes == 0 || bytes == info.bytes);
        bytes = info.bytes;
        assert_true(weft_vectors_index_remove(index, ids, 500));
    }
    free(rows);
    weft_vectors_index_release(index);
    fixture_release(ctx);
}

static void test_bad_rows_change_nothing(void **state)
{
    weft_context       *ctx = fixture_context(NULL);
    weft_vectors_index *index = make(ctx, 2, WEFT_VECTORS_COSINE);
    float               rows[] = {1, 2, 3, 4, 0, 0, 5, 6};
    const uint64_t      twice[] = {1, 2, 3, 1}, ids[] = {1, 2, 3, 4};
    (void)state;
    weft_vectors_rows four = rows_of(rows, 4), two = rows_of(rows, 2);
    assert_false(weft_vectors_index_insert(index, &four, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "row 2 consists of zeros");
    rows[5] = NAN;
    assert_false(weft_vectors_index_insert(index, &four, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "row 2 has a number that is not finite");
    rows[5] = -INFINITY;
    assert_false(weft_vectors_index_insert(index, &four, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "row 2 has a number that is not finite");
    rows[5] = 1e30f;
    assert_false(weft_vectors_index_insert(index, &four, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "row 2 has a number above 1e15");
    rows[5] = 1;
    assert_false(weft_vectors_index_insert(index, &four, twice));
    fixture_expect_error(ctx, WEFT_ERROR_EXISTS, "the id 1 comes twice");
    assert_int_equal(weft_vectors_index_ids(NULL, index, 0), 0);
    assert_true(weft_vectors_index_insert(index, &four, ids));
    assert_false(weft_vectors_index_insert(index, &two, ids));
    fixture_expect_error(ctx, WEFT_ERROR_EXISTS, "the id 1 is there already");
    assert_false(weft_vectors_index_insert(index, &two, (uint64_t[]){9, UINT64_MAX}));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "above 2^63");
    assert_false(weft_vectors_index_remove(index, (uint64_t[]){1, 77}, 2));
    fixture_expect_error(ctx, WEFT_ERROR_NOT_FOUND, "no id 77");
    assert_false(weft_vectors_index_insert(index, NULL, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "there are no rows");
    weft_vectors_match m[1];
    assert_false(weft_vectors_index_search(m, index, &two, &(weft_vectors_search){.count = 5000}));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "at most 4096");
    assert_int_equal(weft_vectors_index_ids(NULL, index, 0), 4);
    weft_vectors_index_release(index);
    fixture_release(ctx);
}

static void test_descriptors_are_checked(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    (void)state;
    assert_null(weft_vectors_index_create(ctx, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "dimension is zero");
    assert_null(weft_vectors_index_create(ctx, &(weft_vectors_index_desc){.dimension = 1u << 20}));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "above 65,536");
    assert_null(weft_vectors_index_create(ctx, &(weft_vectors_index_desc){
        .dimension = 4, .metric = (weft_vectors_metric)9}));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "no such metric");
    weft_vectors_index *index = weft_vectors_index_create(ctx, &(weft_vectors_index_desc){
        .dimension = 1, .capacity = 2, .metric = WEFT_VECTORS_DOT, .label = "tiny"});
    const float rows[] = {1, 2, 3};
    weft_vectors_rows three = rows_of(rows, 3), two = rows_of(rows, 2);
    assert_false(weft_vectors_index_insert(index, &three, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_MEMORY, "tiny: 2 vectors are its capacity");
    assert_true(weft_vectors_index_insert(index, &two, NULL));
    weft_vectors_index_release(index);
    assert_false(weft_vectors_index_insert(NULL, &two, NULL));
    fixture_release(ctx);
}

static void test_tensors_are_rows(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    int32_t       numbers[] = {3, 4, 0, 5, 12, 0};
    float         back[6];
    (void)state;
    weft_tensor *t = weft_tensor_create(ctx, &(weft_tensor_desc){
        .dtype = WEFT_I32, .rank = 2, .shape = {3, 2}, .data = numbers});
    weft_tensor *turned = weft_tensor_transpose(t, 0, 1);       /* a view: [2, 3] */
    weft_vectors_index *index = make(ctx, 3, WEFT_VECTORS_COSINE);
    assert_true(weft_vectors_index_insert(index, &(weft_vectors_rows){.tensor = turned}, NULL));
    assert_true(weft_vectors_index_get(back, index, (uint64_t[]){0, 1}, 2));
    const float want[] = {3 / sqrtf(153), 0, 12 / sqrtf(153), 4 / sqrtf(41), 5 / sqrtf(41), 0};
    for (int i = 0; i < 6; i++)
        assert_true(fabsf(back[i] - want[i]) < 1e-6f);
    assert_false(weft_vectors_index_insert(index, &(weft_vectors_rows){.tensor = t}, NULL));
    fixture_expect_error(ctx, WEFT_ERROR_SHAPE, "[count, 3]");
    weft_vectors_index_release(index);
    weft_tensor_release(turned);
    weft_tensor_release(t);
    fixture_release(ctx);
}

static void test_files_hold_an_index(void **state)
{
    weft_context *ctx = fixture_context(NULL);
    char          path[] = "/tmp/weft-vectors-XXXXXX", name[64];
    float        *rows = reference_rows(300, 9, 0, 5);
    weft_vectors_match a[10], b[10];
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snprintf(name, sizeof name, "%s.safetensors", path);
    weft_vectors_index *index = make(ctx, 9, WEFT_VECTORS_COSINE);
    uint64_t            ids[300];
    for (uint64_t i = 0; i < 300; i++)
        ids[i] = 1000 - i;
    weft_vectors_rows all = rows_of(rows, 300), one = rows_of(rows, 1);
    assert_true(weft_vectors_index_insert(index, &all, ids));
    assert_true(weft_vectors_index_remove(index, ids + 5, 3));
    assert_true(weft_vectors_index_search(a, index, &one, NULL));
    assert_true(weft_vectors_index_save(index, name));
    weft_vectors_index_release(index);
    index = weft_vectors_index_load(ctx, name, NULL);
    assert_non_null(index);
    assert_true(weft_vectors_index_search(b, index, &one, NULL));
    for (int i = 0; i < 10; i++)
        assert_true(a[i].id == b[i].id && a[i].score == b[i].score);
    assert_int_equal(weft_vectors_index_ids(NULL, index, 0), 297);
    weft_vectors_index_release(index);
    assert_null(weft_vectors_index_load(ctx, path, NULL));          /* an empty file */
    fixture_expect_error(ctx, WEFT_ERROR_FORMAT, "");
    free(rows);
    unlink(name);
    unlink(path);
    fixture_release(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search_finds_what_c_finds),
        cmocka_unit_test(test_an_empty_index_finds_nothing),
        cmocka_unit_test(test_ids_are_inserted_replaced_and_removed),
        cmocka_unit_test(test_removed_slots_are_reused),
        cmocka_unit_test(test_bad_rows_change_nothing),
        cmocka_unit_test(test_descriptors_are_checked),
        cmocka_unit_test(test_tensors_are_rows),
        cmocka_unit_test(test_files_hold_an_index),
    };
    return cmocka_run_group_tests_name("vectors_index", tests, NULL, NULL);
}
