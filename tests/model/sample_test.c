// SPDX-License-Identifier: Apache-2.0
/*
 * sample_test.c - the steps of sampling: what each leaves, and how often each token is drawn.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "model/sample.h"

enum { MOST = 16 };

typedef struct Row {
    Candidate  data[MOST];
    Candidates c;
} Row;

/* Candidates whose probabilities are these; the list ends with a negative one. */
static void fill(Row *r, const float *p)
{
    size_t n = 0;
    for (; p[n] >= 0; n++)
        r->data[n] = (Candidate){.token = (int32_t)n, .logit = logf(p[n])};
    r->c = (Candidates){.data = r->data, .count = n};
}

static void expect(Row *r, const float *want)
{
    size_t n = 0;
    sample_softmax(&r->c);
    for (; want[n] >= 0; n++) {
        assert_true(n < r->c.count);
        if (fabsf(r->c.data[n].p - want[n]) > 1e-5f)
            fail_msg("candidate %zu has %f instead of %f", n, (double)r->c.data[n].p,
                     (double)want[n]);
    }
    assert_int_equal(r->c.count, n);
}

#define P(...) ((const float[]){__VA_ARGS__, -1})

static void test_cuts(void **state)
{
    (void)state;
    const float *p = P(0.1f, 0.2f, 0.3f, 0.4f);
    Row          r;
    Candidate    scratch[MOST];

    fill(&r, p); sample_top_k(&r.c, 2);                   expect(&r, P(4 / 7.f, 3 / 7.f));
    fill(&r, p); sample_top_k(&r.c, 0);                   expect(&r, p);
    fill(&r, p); sample_top_k(&r.c, 99);                  expect(&r, P(0.4f, 0.3f, 0.2f, 0.1f));
    fill(&r, p); sample_top_p(&r.c, 0.65f, 1);            expect(&r, P(4 / 7.f, 3 / 7.f));
    fill(&r, p); sample_top_p(&r.c, 0.01f, 1);            expect(&r, P(1));
    fill(&r, p); sample_top_p(&r.c, 0.01f, 3);            expect(&r, P(4 / 9.f, 3 / 9.f, 2 / 9.f));
    fill(&r, p); sample_top_p(&r.c, 1, 1);                expect(&r, p);
    fill(&r, p); sample_min_p(&r.c, 0.6f, 1);             expect(&r, P(3 / 7.f, 4 / 7.f));
    fill(&r, p); sample_min_p(&r.c, 1.5f, 1);             expect(&r, P(1));
    fill(&r, p); sample_min_p(&r.c, 1.5f, 2);             expect(&r, P(4 / 7.f, 3 / 7.f));
    fill(&r, p); sample_min_p(&r.c, 0, 1);                expect(&r, p);
    fill(&r, p); sample_top_n_sigma(&r.c, 0.9f);          expect(&r, P(0, 0, 3 / 7.f, 4 / 7.f));
    fill(&r, p); sample_top_n_sigma(&r.c, 0);             expect(&r, p);
    fill(&r, P(0.9f, 0.05f, 0.05f)); sample_typical(&r.c, 0.5f, 1, scratch); expect(&r, P(1));
    fill(&r, P(0.4f, 0.2f, 0.2f, 0.2f)); sample_typical(&r.c, 0.55f, 1, scratch);
    expect(&r, P(1 / 3.f, 1 / 3.f, 1 / 3.f));
    fill(&r, p); sample_temperature(&r.c, 0);             expect(&r, P(0, 0, 0, 1));
    fill(&r, p); sample_temperature(&r.c, 0.5f);
    expect(&r, P(1 / 30.f, 4 / 30.f, 9 / 30.f, 16 / 30.f));
}

static void test_xtc_removes_the_likeliest(void **state)
{
    (void)state;
    const float *p = P(0.4f, 0.3f, 0.2f, 0.1f);
    Twister      t;
    Row          r;
    twister_init(&t, 1);
    fill(&r, p); sample_xtc(&r.c, 1, 0.15f, 1, &t);       expect(&r, P(2 / 3.f, 1 / 3.f));
    fill(&r, p); sample_xtc(&r.c, 1, 0.35f, 1, &t);       expect(&r, p);
    fill(&r, p); sample_xtc(&r.c, 1, 0.05f, 3, &t);       expect(&r, p);
    fill(&r, p); sample_xtc(&r.c, 0, 0.15f, 1, &t);       expect(&r, p);
    fill(&r, p); sample_xtc(&r.c, 1, 0.51f, 1, &t);       expect(&r, p);
    int removed = 0;
    for (int i = 0; i < 4000; i++) {
        fill(&r, p);
        sample_xtc(&r.c, 0.25f, 0.15f, 1, &t);
        removed += r.c.count == 2;
    }
    assert_in_range(removed, 880, 1120);
}

static void test_penalties(void **state)
{
    (void)state;
    const int32_t history[] = {3, 0, 1, 1};
    uint32_t      counts[MOST] = {0};
    Candidate     data[] = {{0, 2, 0}, {1, -2, 0}, {2, 2, 0}, {3, 2, 0}};
    Candidates    c = {.data = data, .count = 4};
    sample_penalties(&c, (History){history, 4}, (PenaltyParams){3, 2, 0.5f, 0.25f}, counts, 4);
    assert_float_equal(data[0].logit, 2 / 2.0 - 0.75, 1e-6);
    assert_float_equal(data[1].logit, -2 * 2.0 - 1.25, 1e-6);
    assert_float_equal(data[2].logit, 2, 0);
    assert_float_equal(data[3].logit, 2, 0);            /* too long ago                    */
    for (size_t i = 0; i < MOST; i++)
        assert_int_equal(counts[i], 0);
}

/* Lowers what would go on with a repetition, by its length. */
static void test_dry(void **state)
{
    (void)state;
    /* a b c d  a b c: the d would repeat 3 tokens */
    const int32_t history[] = {0, 1, 2, 3, 0, 1, 2};
    uint32_t      counts[8] = {0};
    int32_t       room[8];
    DryParams     p = {.multiplier = 2, .base = 1.5f, .allowed = 2, .last_n = 7};
    for (int with = 0; with < 3; with++) {
        Candidate  data[5] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
        Candidates c = {.data = data, .count = 5};
        int32_t    tail[] = {1};
        Breaker    b[] = {{.head = 3}, {.head = 0, .tail = tail, .tail_count = 1}};
        p.breakers = with == 2 ? &b[1] : b;
        p.breaker_count = with ? 1 : 0;
        sample_dry(&c, (History){history, 7}, &p, counts, 5, room);
        /* a breaker that the token is: none; "a b" leaves one token, which is allowed */
        assert_float_equal(data[3].logit, with ? 0 : -2 * 1.5, 1e-5);
        assert_float_equal(data[0].logit + data[1].logit + data[2].logit + data[4].logit, 0, 0);
        for (size_t i = 0; i < 8; i++)
            assert_int_equal(counts[i], 0);
    }
}

static void test_long_dry_stays_finite(void **state)
{
    (void)state;
    enum { LEN = 3000 };
    static int32_t history[LEN], room[LEN];
    uint32_t       counts[2] = {0};
    Candidate      data[2] = {{0, 0, 0}, {1, 0, 0}};
    Candidates     c = {.data = data, .count = 2};
    sample_dry(&c, (History){history, LEN},
               &(DryParams){.multiplier = 1, .base = 1.75f, .allowed = 2, .last_n = LEN},
               counts, 2, room);
    assert_true(isfinite(data[0].logit) && data[0].logit < -1e30f);
    assert_float_equal(data[1].logit, 0, 0);
}

/* Pearson's statistic of `draws` draws stays below its 99.99 % quantile for 4 degrees. */
static void test_draws_follow_the_distribution(void **state)
{
    (void)state;
    const float *p = P(0.4f, 0.3f, 0.15f, 0.1f, 0.05f);
    enum { DRAWS = 100000 };
    for (uint32_t seed = 0; seed < 5; seed++) {
        Twister t;
        Row     r;
        double  seen[5] = {0}, chi = 0;
        twister_init(&t, seed);
        for (int i = 0; i < DRAWS; i++) {
            fill(&r, p);
            seen[sample_draw(&r.c, &t)]++;
        }
        for (int i = 0; i < 5; i++)
            chi += pow(seen[i] - DRAWS * (double)p[i], 2) / (DRAWS * (double)p[i]);
        if (chi > 23.5)
            fail_msg("seed %u: chi-square %f", seed, chi);
    }
}

/* A choice of one takes a random number, too: later draws do not depend on how many
 * candidates earlier ones had. */
static void test_each_draw_takes_one_random_number(void **state)
{
    (void)state;
    Candidate data[256] = {0};
    Twister   one, two;
    twister_init(&one, 4242);
    twister_init(&two, 4242);
    sample_draw(&(Candidates){.data = data, .count = 1}, &one);
    sample_draw(&(Candidates){.data = data, .count = 2}, &two);
    for (int i = 0; i < 4; i++)
        assert_int_equal(sample_draw(&(Candidates){.data = data, .count = COUNTOF(data)}, &one),
                         sample_draw(&(Candidates){.data = data, .count = COUNTOF(data)}, &two));
}

/* The values that the C++ standard and its distributions give. */
static void test_random_numbers_are_mt19937(void **state)
{
    (void)state;
    Twister t;
    twister_init(&t, 5489);
    for (int i = 0; i < 9999; i++)
        twister_next(&t);
    assert_int_equal(twister_next(&t), 4123659995u);
    twister_init(&t, 42);
    assert_float_equal(twister_double(&t), 0.79654298428784831, 1e-15);
}

static void test_sorting_some_of_many(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    Candidate *data = malloc(COUNT * sizeof *data);
    static const size_t some[] = {1, 2, 40, 256, 19999, COUNT};
    for (size_t k = 0; k < COUNTOF(some); k++) {
        uint32_t seed = 5;
        for (int i = 0; i < COUNT; i++) {
            seed = seed * 1664525u + 1013904223u;
            data[i] = (Candidate){.token = i, .logit = (float)(seed >> 22)};      /* with ties */
        }
        Candidates c = {.data = data, .count = COUNT};
        sample_sort(&c, some[k]);
        for (size_t i = 0; i + 1 < some[k]; i++)
            assert_true(data[i].logit > data[i + 1].logit ||
                        (data[i].logit == data[i + 1].logit && data[i].token < data[i + 1].token));
        for (size_t i = some[k]; i < COUNT; i++)
            assert_true(data[i].logit <= data[some[k] - 1].logit);
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_xtc_removes_the_likeliest),
        cmocka_unit_test(test_penalties),
        cmocka_unit_test(test_dry),
        cmocka_unit_test(test_long_dry_stays_finite),
        cmocka_unit_test(test_draws_follow_the_distribution),
        cmocka_unit_test(test_each_draw_takes_one_random_number),
        cmocka_unit_test(test_random_numbers_are_mt19937),
        cmocka_unit_test(test_sorting_some_of_many),
    };
    return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
