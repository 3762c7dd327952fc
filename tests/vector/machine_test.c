// SPDX-License-Identifier: Apache-2.0
/*
 * machine_test.c - processors by features and by name.
 */
#include "vector/machine.h"

#include <string.h>

#include "support/test.h"

static void test_features_decide(void **state)
{
    (void)state;
    static const struct {
        const char *features;
        uint32_t lanes, registers, dot_lanes;
        bool has_fma, has_masks;
    } rows[] = {
        {"+sse4.2", 4, 16, 0, false, false},
        {"+avx,-avx2,+sse4.2", 4, 16, 0, false, false},
        {"+avx,+avx2,+fma", 8, 16, 0, true, false},
        {"+avx,+avx2,+fma,+avxvnni", 8, 16, 8, true, false},
        {"+avx2,+avx512f,+fma", 16, 32, 0, true, true},
        {"+avx2,+avx512f,+avx512vnni,+fma", 16, 32, 0, true, true},
        {"+avx2,+avx512f,+avx512vl,+avx512vnni,+fma", 16, 32, 16, true, true},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        Machine m = machine_of(MACHINE_X86_64, "x", rows[i].features);
        assert_int_equal(m.lanes, rows[i].lanes);
        assert_int_equal(m.registers, rows[i].registers);
        assert_int_equal(m.dot_lanes, rows[i].dot_lanes);
        assert_int_equal(m.has_fma, rows[i].has_fma);
        assert_int_equal(m.has_mask_registers, rows[i].has_masks);
    }
}

static void test_names(void **state)
{
    (void)state;
    Machine m;
    uint32_t n = 0;
    for (const char *const *name = machine_names(); *name; name++, n++) {
        assert_true(machine_find(&m, *name));
        assert_string_equal(m.name, *name);
        assert_true(m.lanes == 4 || m.lanes == 8 || m.lanes == 16);
        assert_non_null(m.triple);
    }
    assert_true(n > 10);
    assert_true(machine_find(&m, "x86-64-v3") && m.lanes == 8);
    assert_true(machine_find(&m, "x86-64-v4") && m.lanes == 16);
    assert_true(machine_find(&m, "neoverse-n1") && m.lanes == 4 && m.dot_lanes == 4);
    assert_false(machine_find(&m, "x86-64-v"));
    assert_false(machine_find(&m, ""));
}

static void test_what_runs_where(void **state)
{
    (void)state;
    Arena arena;
    Machine haswell, skylake, zen4, arm;
    arena_init(&arena, 0);
    assert_true(machine_find(&haswell, "haswell") && machine_find(&skylake, "skylake-avx512"));
    assert_true(machine_find(&zen4, "znver4") && machine_find(&arm, "cortex-a72"));
    assert_null(machine_missing(&arena, &zen4, &haswell));
    assert_null(machine_missing(&arena, &zen4, &skylake));
    assert_string_equal(machine_missing(&arena, &haswell, &skylake), "avx512f");
    assert_string_equal(machine_missing(&arena, &skylake, &zen4), "avx512vnni");
    assert_non_null(strstr(machine_missing(&arena, &zen4, &arm), "AArch64"));
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features_decide),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_runs_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
