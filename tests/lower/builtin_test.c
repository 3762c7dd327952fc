/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin_test.c - every builtin function that a kernel may call can be lowered.
 */
#include "support/test.h"

#include "check/module.h"
#include "lower/lower_priv.h"

static bool kernels_may_call(BuiltinId id)
{
    return (builtin_stages(id) & 1u << STAGE_COMPUTE)
        && !(builtin_flags(id) & (BUILTIN_TEXTURE | BUILTIN_FRAGMENT_ONLY));
}

static void test_every_builtin_of_kernels_has_a_row(void **state)
{
    (void)state;
    uint32_t with = 0, without = 0;
    for (uint32_t i = 0; i < BUILTIN_ID_COUNT; i++) {
        BuiltinId id = (BuiltinId)i;
        if (lower_has_builtin(id) != kernels_may_call(id))
            print_error("%s\n", builtin_name(id));
        assert_int_equal(lower_has_builtin(id), kernels_may_call(id));
        with += lower_has_builtin(id);
        without += !lower_has_builtin(id);
    }
    assert_true(with > 100 && without > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_builtin_of_kernels_has_a_row),
    };
    return cmocka_run_group_tests_name("lower_builtin", tests, NULL, NULL);
}
