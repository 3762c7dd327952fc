/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unroll_test.c - which loops a driver that unrolls loops in loops is told to leave alone.
 *
 * in     kernels with nests of loops
 * out    a failure where the marks of the module's loops are not those expected
 */
#include "support/test.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/spirv.h"

#define HEAD                                                                           \
    "@group(0) @binding(0) var<storage, read_write> b : array<u32, 64>;\n"             \
    "@compute @workgroup_size(1) fn main() {\n"                                        \
    "  var t : array<u32, 64>;\n"                                                      \
    "  for (var i = 0u; i < 64u; i++) { t[i] = b[i]; }\n"
#define TAIL "  for (var i = 0u; i < 64u; i++) { b[i] = t[i]; }\n}\n"
#define BODY "{ t[(i * 5u + j) % 61u] ^= t[j] * t[i] + t[(i + j) % 64u]; }"

/* Loops that are marked, and all of them. */
static void count_marks(const char *text, bool unrolls, uint32_t *marked, uint32_t *all)
{
    Arena a;
    Diag diag = {.arena = &a};
    SpirvKernel k;
    SpirvTarget target = {.unrolls_nests = unrolls};
    arena_init(&a, 0);
    const Module *m = compile_front(&a, (Str){text, (uint32_t)strlen(text)}, &diag);
    assert_non_null(m);
    assert_true(spirv_compile(&k, &a, m, m->info->entry_points.data[0], NULL, 0, &target,
                              &diag));
    *marked = *all = 0;
    for (size_t i = 5; i < k.code.count; i += k.code.words[i] >> 16)
        if ((k.code.words[i] & 0xffff) == SpvOpLoopMerge) {
            *all += 1;
            *marked += k.code.words[i + 3] == SpvLoopControlDontUnrollMask;
        }
    arena_fini(&a);
}

static void expect_marks(const char *text, uint32_t wanted)
{
    uint32_t marked, all, none;
    count_marks(text, true, &marked, &all);
    assert_int_equal(marked, wanted);
    assert_true(all > wanted);
    count_marks(text, false, &none, &all);
    assert_int_equal(none, 0);
}

/* 32 * 32 rounds: the outer one is left, the inner one may be unrolled. */
static void test_the_outer_loop_of_a_large_nest(void **state)
{
    (void)state;
    expect_marks(HEAD "for (var i = 0u; i < 32u; i++) { for (var j = 0u; j < 32u; j++) " BODY
                      " }\n" TAIL, 1);
}

static void test_a_small_nest(void **state)
{
    (void)state;
    expect_marks(HEAD "for (var i = 0u; i < 5u; i++) { for (var j = 0u; j < 5u; j++) " BODY
                      " }\n" TAIL, 0);
}

/* What is left as it is counts once, so what is around it may be small. */
static void test_what_is_around_a_marked_loop(void **state)
{
    (void)state;
    expect_marks(HEAD "for (var k = 0u; k < 3u; k++) { for (var i = 0u; i < 32u; i++) {"
                      " for (var j = k; j < 32u + k; j++) " BODY " t[i] += k; } }\n" TAIL, 1);
}

/* Nobody unrolls a loop whose rounds are not known. */
static void test_a_loop_of_unknown_rounds(void **state)
{
    (void)state;
    expect_marks(HEAD "for (var i = 0u; i < b[3]; i++) { for (var j = 0u; j < 32u; j++) " BODY
                      " }\n" TAIL, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_outer_loop_of_a_large_nest),
        cmocka_unit_test(test_a_small_nest),
        cmocka_unit_test(test_what_is_around_a_marked_loop),
        cmocka_unit_test(test_a_loop_of_unknown_rounds),
    };
    return cmocka_run_group_tests_name("spirv_unroll", tests, NULL, NULL);
}
