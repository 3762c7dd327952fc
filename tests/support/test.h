/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/test.h - what every unit test includes first: cmocka, with the
 * headers cmocka expects before it.
 *
 *     #include "support/test.h"
 *     #include "base/arena.h"
 *
 *     static void test_an_arena_starts_empty(void **state) { ... }
 *
 *     int main(void)
 *     {
 *         const struct CMUnitTest tests[] = {
 *             cmocka_unit_test(test_an_arena_starts_empty),
 *         };
 *         return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
 *     }
 */
#ifndef WEFT_SUPPORT_TEST_H
#define WEFT_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
