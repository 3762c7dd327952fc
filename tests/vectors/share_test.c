/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share_test.c - one thread inserts while others search.
 */
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "reference.h"

#define DIM    6u
#define BATCH  50u
#define BATCHES 30u

typedef struct Shared {
    weft_vectors_index *index;
    weft_context       *ctx;
    const float        *rows;           /* [BATCH * BATCHES][DIM]                         */
    atomic_uint         inserted;       /* batches whose insert has returned              */
    atomic_uint         wrong;
} Shared;

/* Every vector of an insert that has returned is found as its own nearest. */
static void *search(void *user)
{
    Shared             *s = user;
    weft_context       *ctx = weft_context_create(&(weft_context_desc){.share = s->ctx});
    weft_vectors_index *index = weft_vectors_index_share(ctx, s->index);
    uint64_t            state = 5;
    for (uint32_t n = 0; n < BATCHES;) {
        n = atomic_load(&s->inserted);
        if (n == 0)
            continue;
        uint64_t i = (uint64_t)((reference_random(&state) + 1) / 2 * n * BATCH) % (n * BATCH);
        weft_vectors_match m[1];
        weft_vectors_rows  one = {.data = s->rows + i * DIM, .count = 1};
        if (!weft_vectors_index_search(m, index, &one, &(weft_vectors_search){.count = 1})
            || m[0].id != i)
            atomic_fetch_add(&s->wrong, 1);
    }
    /* An error of one thread is not the other's. */
    weft_vectors_rows none = {0};
    if (weft_vectors_index_insert(index, &none, NULL)
        || weft_context_error(ctx)->kind != WEFT_ERROR_INVALID)
        atomic_fetch_add(&s->wrong, 1);
    weft_vectors_index_release(index);
    weft_context_release(ctx);
    return NULL;
}

static void test_threads_search_while_one_inserts(void **state)
{
    Shared    s = {.ctx = fixture_context(NULL)};
    pthread_t threads[2];
    float    *rows = reference_rows(BATCH * BATCHES, DIM, 0, 21);
    (void)state;
    s.rows = rows;
    s.index = weft_vectors_index_create(s.ctx, &(weft_vectors_index_desc){
        .dimension = DIM, .list_threshold = 800});
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, search, &s), 0);
    for (uint32_t i = 0; i < BATCHES; i++) {
        weft_vectors_rows batch = {.data = rows + (size_t)i * BATCH * DIM, .count = BATCH};
        assert_true(weft_vectors_index_insert(s.index, &batch, NULL));
        atomic_fetch_add(&s.inserted, 1);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(s.wrong, 0);
    weft_vectors_index_release(s.index);
    fixture_release(s.ctx);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_search_while_one_inserts),
    };
    return cmocka_run_group_tests_name("vectors_share", tests, NULL, NULL);
}
