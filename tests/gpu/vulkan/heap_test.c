// SPDX-License-Identifier: Apache-2.0
/*
 * heap_test.c - ranges of a block: none overlaps another, all come together again.
 */
#include "support/test.h"

#include <stdbool.h>
#include <string.h>

#include "base/macro.h"
#include "gpu/vulkan/heap.h"

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void test_what_is_given_back_joins(void **state)
{
    (void)state;
    Heap     h;
    uint64_t a, b, c, d;
    assert_true(heap_init(&h, 1024));
    assert_true(heap_take(&h, 256, 64, &a));
    assert_true(heap_take(&h, 256, 64, &b));
    assert_true(heap_take(&h, 512, 64, &c));
    assert_false(heap_take(&h, 1, 1, &d));
    heap_give(&h, a, 256);
    heap_give(&h, c, 512);
    assert_int_equal(h.nfree, 2);
    assert_true(heap_take(&h, 200, 64, &d));
    assert_int_equal(d, a);                     /* the tightest */
    heap_give(&h, d, 200);
    heap_give(&h, b, 256);
    assert_int_equal(h.nfree, 1);
    assert_true(heap_take(&h, 1024, 64, &a));
    heap_give(&h, a, 1024);
    heap_fini(&h);
}

/* Every byte has one owner at the most; alignments hold. */
static void test_random_ranges_never_overlap(void **state)
{
    (void)state;
    enum { SIZE = 4096, MOST = 200 };
    static uint8_t owned[SIZE];
    struct { uint64_t offset, size; } live[MOST];
    uint32_t count = 0, seed = 1;
    Heap     h;
    memset(owned, 0, sizeof owned);
    assert_true(heap_init(&h, SIZE));
    for (int round = 0; round < 20000; round++) {
        uint64_t size = next_random(&seed) % 128 + 1, at;
        uint64_t align = 1u << next_random(&seed) % 7;
        if (count < MOST && next_random(&seed) % 2 && heap_take(&h, size, align, &at)) {
            assert_int_equal(at % align, 0);
            assert_true(at + size <= SIZE);
            for (uint64_t i = at; i < at + size; i++)
                assert_int_equal(owned[i]++, 0);
            live[count].offset = at;
            live[count++].size = size;
        } else if (count) {
            uint32_t k = next_random(&seed) % count;
            memset(owned + live[k].offset, 0, live[k].size);
            heap_give(&h, live[k].offset, live[k].size);
            live[k] = live[--count];
        }
    }
    while (count) {
        count--;
        heap_give(&h, live[count].offset, live[count].size);
    }
    assert_int_equal(h.nfree, 1);
    assert_int_equal(h.free[0].size, SIZE);
    heap_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_given_back_joins),
        cmocka_unit_test(test_random_ranges_never_overlap),
    };
    return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
