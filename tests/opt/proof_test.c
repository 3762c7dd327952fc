// SPDX-License-Identifier: Apache-2.0
/*
 * proof_test.c - ranges keep what 32-bit arithmetic can give, and boxes end where a
 * proof does.
 */
#include "support/test.h"

#include "base/macro.h"
#include "opt/proof.h"

#define ANY_LOW ((uint32_t)INT32_MIN)

static bool holds(ProofNode *nodes, uint32_t n, ProofCheck check)
{
    Proof p = {.nodes = nodes, .nnodes = n, .checks = &check, .nchecks = 1};
    ProofGiven given = {NULL, {1, 1, 1}};
    ProofBox box = {{0, 0, 0}, {1, 1, 1}};
    assert_true(proof_is_sound(&p, 0));
    return proof_holds(&p, &given, &box);
}

/* a op b, for two ranges, lies in [low, high] and comes to both ends. */
static void expect(ProofOp op, uint32_t c, const uint32_t a[2], const uint32_t b[2],
                   uint32_t low, uint32_t high)
{
    ProofNode nodes[] = {
        {PROOF_RANGE, a[0], a[1], 0}, {PROOF_RANGE, b[0], b[1], 0}, {(uint32_t)op, 0, 1, c},
        {PROOF_RANGE, low, low, 0},   {PROOF_RANGE, high, high, 0},
    };
    const uint32_t or_equal = PROOF_EQUAL | PROOF_SIGNED;
    assert_true(holds(nodes, COUNTOF(nodes), (ProofCheck){2, 4, or_equal}));
    assert_true(holds(nodes, COUNTOF(nodes), (ProofCheck){3, 2, or_equal}));
    assert_false(holds(nodes, COUNTOF(nodes), (ProofCheck){2, 4, PROOF_SIGNED}));
    assert_false(holds(nodes, COUNTOF(nodes), (ProofCheck){3, 2, PROOF_SIGNED}));
}

#define R(a, b) (const uint32_t[2]){(uint32_t)(a), (uint32_t)(b)}
#define EXPECT(op, x, y, low, high) expect(op, 0, x, y, (uint32_t)(low), (uint32_t)(high))

static void test_arithmetic(void **state)
{
    (void)state;
    EXPECT(PROOF_ADD, R(5, 9), R(-2, 1), 3, 10);
    EXPECT(PROOF_SUB, R(5, 9), R(-2, 1), 4, 11);
    EXPECT(PROOF_MUL, R(-3, 2), R(-5, 7), -21, 15);
    EXPECT(PROOF_SHL, R(-3, 2), R(4, 4), -48, 32);
    EXPECT(PROOF_DIV, R(10, 99), R(2, 5), 2, 49);
    EXPECT(PROOF_DIV, R(10, 99), R(0, 5), 0, 99);       /* x / 0 is x */
    EXPECT(PROOF_REM, R(10, 99), R(8, 8), 0, 7);
    EXPECT(PROOF_REM, R(3, 6), R(8, 9), 3, 6);
    EXPECT(PROOF_SHR, R(-1, -1), R(28, 28), 15, 15);
    EXPECT(PROOF_SAR, R(-17, 17), R(3, 3), -3, 2);
    EXPECT(PROOF_AND, R(0, 100), R(7, 7), 0, 7);
    EXPECT(PROOF_OR, R(0, 100), R(7, 7), 0, 127);
    EXPECT(PROOF_SMIN, R(ANY_LOW, INT32_MAX), R(9, 9), INT32_MIN, 9);
    EXPECT(PROOF_SMAX, R(ANY_LOW, INT32_MAX), R(0, 0), 0, INT32_MAX);
    EXPECT(PROOF_MIN, R(-1, -1), R(4, 6), 4, 6);        /* -1 is large here */
    EXPECT(PROOF_SDIV, R(9, 20), R(2, 3), 3, 10);
    EXPECT(PROOF_JOIN, R(1, 2), R(8, 9), 1, 9);
}

/* What may wrap around is any number. */
static void test_wrapping(void **state)
{
    (void)state;
    EXPECT(PROOF_MUL, R(0, 1 << 20), R(0, 1 << 20), INT32_MIN, INT32_MAX);
    EXPECT(PROOF_DIV, R(-1, 1), R(1, 1), INT32_MIN, INT32_MAX);
    EXPECT(PROOF_SDIV, R(-4, 4), R(2, 2), INT32_MIN, INT32_MAX);
}

static void test_conditions(void **state)
{
    (void)state;
    const uint32_t *all = R(ANY_LOW, INT32_MAX);
    expect(PROOF_WHERE, PROOF_SIGNED, R(-9, 9), R(4, 5), (uint32_t)-9, 4);
    expect(PROOF_WHERE, PROOF_SIGNED | PROOF_EQUAL, R(-9, 9), R(4, 5), (uint32_t)-9, 5);
    expect(PROOF_WHERE, PROOF_SIGNED | PROOF_ABOVE, R(-9, 9), R(4, 5), 5, 9);
    expect(PROOF_WHERE, PROOF_ABOVE | PROOF_EQUAL, R(3, 9), R(4, 5), 4, 9);
    expect(PROOF_WHERE, 0, all, R(7, 7), 0, 6);         /* unsigned: not negative */
}

static void test_counts(void **state)
{
    (void)state;
    expect(PROOF_COUNT_IN, 4, R(1, 1), R(12, 12), 1, 9);
    expect(PROOF_COUNT_UP, 4, R(1, 1), R(12, 12), 1, 13);
    expect(PROOF_SCOUNT_IN, 1 | PROOF_LOOSE, R(-2, -2), R(2, 2), (uint32_t)-2, 2);
    expect(PROOF_SCOUNT_IN, 1, R(5, 5), R(2, 2), 5, 5);
    /* it may go round */
    expect(PROOF_SCOUNT_IN, 1 | PROOF_LOOSE, R(0, 0), R(INT32_MAX, INT32_MAX), ANY_LOW, INT32_MAX);
    expect(PROOF_COUNT_IN, 8, R(0, 0), R(-2, -2), ANY_LOW, INT32_MAX);
}

/* ---- boxes ---- */

/* Workgroups x with from <= 10 * x and 10 * x + 9 < to. */
static bool find(uint32_t groups, uint32_t from, uint32_t to, ProofBox *box)
{
    ProofNode nodes[] = {
        {PROOF_GROUP_ID, 0, 0, 0}, {PROOF_RANGE, 10, 10, 0}, {PROOF_MUL, 0, 1, 0},
        {PROOF_RANGE, 0, 9, 0},    {PROOF_ADD, 2, 3, 0},     {PROOF_RANGE, from, from, 0},
        {PROOF_RANGE, to, to, 0},
    };
    ProofCheck checks[] = {{5, 4, PROOF_EQUAL}, {4, 6, 0}};
    Proof p = {nodes, COUNTOF(nodes), checks, COUNTOF(checks), true, false};
    ProofGiven given = {NULL, {groups, 1, 1}};
    return proof_find_box(&p, &given, box);
}

static void expect_box(uint32_t groups, uint32_t from, uint32_t to, uint32_t first, uint32_t last)
{
    ProofBox box;
    assert_true(find(groups, from, to, &box));
    assert_int_equal(box.first[0], first);
    assert_int_equal(box.last[0], last);
    assert_int_equal(box.last[1] - box.first[1], 1);
}

static void test_boxes(void **state)
{
    (void)state;
    ProofBox box;
    expect_box(100, 0, 1000, 0, 100);
    expect_box(100, 0, 999, 0, 99);
    expect_box(100, 1, 999, 1, 99);
    expect_box(100, 120, 870, 12, 87);
    expect_box(100, 495, 1000, 50, 100);
    for (uint32_t to = 510; to < 1000; to++)
        expect_box(100, 0, to, 0, to / 10);
    for (uint32_t from = 0; from < 500; from++)
        expect_box(100, from, 1000, (from + 9) / 10, 100);
    assert_false(find(100, 700, 1000, &box));   /* the middle is outside */
    assert_false(find(4, 5, 1000, &box));       /* too few to take apart */
    expect_box(4, 0, 1000, 0, 4);
}

static void test_unsound(void **state)
{
    (void)state;
    ProofNode later[] = {{PROOF_ADD, 0, 1, 0}, {PROOF_RANGE, 0, 1, 0}};
    ProofNode buffer[] = {{PROOF_WORD, 3, 0, 0}};
    ProofCheck check = {0, 9, 0};
    assert_false(proof_is_sound(&(Proof){later, 2, NULL, 0, false, false}, 0));
    assert_false(proof_is_sound(&(Proof){buffer, 1, NULL, 0, false, false}, 3));
    assert_true(proof_is_sound(&(Proof){buffer, 1, NULL, 0, false, false}, 4));
    assert_false(proof_is_sound(&(Proof){buffer, 1, &check, 1, false, false}, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_wrapping),
        cmocka_unit_test(test_conditions), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_boxes),      cmocka_unit_test(test_unsound),
    };
    return cmocka_run_group_tests_name("proof", tests, NULL, NULL);
}
