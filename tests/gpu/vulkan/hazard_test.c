// SPDX-License-Identifier: Apache-2.0
/*
 * hazard_test.c - a barrier where a command depends on an earlier one, and nowhere else.
 */
#include "support/test.h"

#include <stdbool.h>
#include <string.h>

#include "base/macro.h"
#include "gpu/vulkan/hazard.h"

/* One use of a buffer; true: it needs a barrier, which is then made. */
static bool use(Hazards *h, HazardUse *u, uint64_t start, uint64_t end, bool write)
{
    HazardRange range = {start, end, write};
    bool        must = hazard_conflicts(h, u, range);
    if (must)
        hazards_barrier(h);
    hazard_add(h, u, range);
    return must;
}

static void test_which_uses_wait(void **state)
{
    static const struct { bool first, second; uint64_t start, end; bool waits; } rows[] = {
        {false, false, 0, 16, false},           /* read after read                */
        {true, false, 0, 16, true},             /* read after write               */
        {false, true, 0, 16, true},             /* write after read               */
        {true, true, 0, 16, true},              /* write after write              */
        {true, true, 16, 32, false},            /* beside it                      */
        {true, false, 15, 32, true},            /* one byte in common             */
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        Hazards   h;
        HazardUse u = {0};
        hazards_init(&h);
        assert_false(use(&h, &u, 0, 16, rows[i].first));
        assert_int_equal(use(&h, &u, rows[i].start, rows[i].end, rows[i].second), rows[i].waits);
    }
}

static void test_a_barrier_is_for_all(void **state)
{
    (void)state;
    Hazards   h;
    HazardUse a = {0}, b = {0};
    hazards_init(&h);
    use(&h, &a, 0, 16, true);
    use(&h, &b, 0, 16, true);
    assert_true(use(&h, &a, 0, 16, false));
    assert_false(use(&h, &b, 0, 16, false));    /* the barrier for `a` was enough */
}

/* However many ranges there are: never a barrier too few, compared with bytes. */
static void test_random_uses(void **state)
{
    (void)state;
    enum { SIZE = 256 };
    uint8_t   read[SIZE], written[SIZE];
    uint32_t  seed = 7;
    Hazards   h;
    HazardUse u = {0};
    hazards_init(&h);
    memset(read, 0, sizeof read);
    memset(written, 0, sizeof written);
    for (int round = 0; round < 20000; round++) {
        seed = seed * 1664525u + 1013904223u;
        uint64_t start = seed >> 8 & 0xff, end = MIN_OF(start + 1 + (seed >> 16 & 7), SIZE);
        bool     write = seed >> 20 & 1, must = false;
        for (uint64_t i = start; i < end; i++)
            must = must || written[i] || (write && read[i]);
        uint64_t epoch = h.epoch;
        bool     waited = use(&h, &u, start, end, write);
        assert_true(waited || !must);
        if (h.epoch != epoch) {
            memset(read, 0, sizeof read);
            memset(written, 0, sizeof written);
        }
        memset((write ? written : read) + start, 1, end - start);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_uses_wait),
        cmocka_unit_test(test_a_barrier_is_for_all),
        cmocka_unit_test(test_random_uses),
    };
    return cmocka_run_group_tests_name("hazard", tests, NULL, NULL);
}
