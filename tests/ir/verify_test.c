// SPDX-License-Identifier: Apache-2.0
/*
 * verify_test.c - each rule of ir.h and ops.def: a kernel that keeps it, and
 * kernels that break it.
 */
#include "support/test.h"

#include "support/irtext.h"

static Arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_fini(&arena);
    return 0;
}

/* Values of every type, places, and then the lines of a case. */
#define VALUES                                                                     \
    IRTEXT_HEAD                                                                    \
    "type t4 = value i32 stride 4 atomic\n"                                        \
    "type t5 = bytes 0\n"                                                          \
    "type t6 = value f32x4 stride 4\n"                                             \
    "var v2 workgroup \"counter\" t4\n"                                            \
    "var v3 uniform \"u\" t0 group 0 binding 2\n"                                  \
    "var v4 storage \"raw\" t5 group 0 binding 3\n"                                \
    "var v5 private \"own\" t6\n"                                                  \
    "var v6 private \"eight\" t2\n"                                                \
    "{\n"                                                                          \
    "%0 = const bool 1\n"                                                          \
    "%1 = const i32 2\n"                                                           \
    "%2 = const f32 0\n"                                                           \
    "%3 = const f16 0\n"                                                           \
    "%4 = const boolx2 1 1\n"                                                      \
    "%5 = const i32x2 1 1\n"                                                       \
    "%6 = const f32x2 0 0\n"                                                       \
    "%7 = const f16x2 0 0\n"                                                       \
    "%10 = var v0\n"                                                               \
    "%11 = elem %10 %1\n"                                                          \
    "%12 = var v2\n"                                                               \
    "%13 = var v3\n"                                                               \
    "%14 = var v4\n"                                                               \
    "%15 = var v5\n"                                                               \
    "%16 = var v1\n"                                                               \
    "%17 = elem %16 %1\n"                                                          \
    "%18 = var v6\n"

/* What is wrong with a kernel that has these lines; NULL: nothing. */
static const char *fault_of(const char *lines)
{
    Diag diag = {.arena = &arena};
    const char *text = arena_printf(&arena, "%s%s%%99 = return\n}\n", VALUES, lines);
    Ir *ir = ir_read(&arena, str_of(text), &diag);
    return ir ? NULL : diag.list.data[0].message;
}

typedef struct Case {
    const char *lines, *says;           /* says NULL: the kernel is right          */
} Case;

static void check(const Case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *fault = fault_of(cases[i].lines);
        if (!cases[i].says && fault)
            fail_msg("'%s' is rejected: %s", cases[i].lines, fault);
        if (cases[i].says && !fault)
            fail_msg("'%s' is accepted", cases[i].lines);
        if (cases[i].says && !strstr(fault, cases[i].says))
            fail_msg("'%s': '%s' instead of '%s'", cases[i].lines, fault, cases[i].says);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"%20 = iadd i32 %1 %1\n", NULL},
        {"%20 = iadd i32 %1\n", "too few operands"},
        {"%20 = iadd i32 %1 %1 %1\n", "too many operands"},
        {"%20 = iadd %1 %1\n", "a result of this type is not allowed"},
        {"%20 = iadd f32 %2 %2\n", "a result of this type is not allowed"},
        {"%20 = iadd i32 %1 %2\n", "operand 1 (%2) has the wrong type"},
        {"%20 = iadd i32 %1 %5\n", "operand 1 (%5) has the wrong type"},
        {"%20 = iadd i32 %1 %10\n", "operand 1 (%10) has the wrong type"},
        {"%20 = select f32x2 %4 %6 %6\n", NULL},
        {"%20 = select f32x2 %0 %6 %6\n", "operand 0 (%0) has the wrong type"},
        {"%20 = s2f f16x2 %5\n", NULL},
        {"%20 = s2f f16x2 %1\n", "has the wrong type"},
        {"%20 = ieq boolx2 %5 %5\n", NULL},
        {"%20 = ieq bool %5 %5\n", "has the wrong type"},
        {"%20 = feq bool %2 %2\n", NULL},
        {"%20 = feq bool %1 %1\n", "not of the form"},
        {"%20 = feq bool %2 %3\n", "not of the form"},
        {"%20 = f2s i32 %3\n", NULL},
        {"%20 = f2s i32 %1\n", "not of the form"},
        {"%20 = bitcast f32 %1\n", NULL},
        {"%20 = bitcast i32 %3\n", "not of the form"},
        {"%20 = bitcast f16 %3\n", "a result of this type is not allowed"},
        {"%20 = frexp.exp i32x2 %7\n", NULL},
        {"%20 = frexp.exp i32x2 %5\n", "not of the form"},
    };
    check(cases, COUNTOF(cases));
}

static void test_vectors(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"%20 = vec i32x3 %1 %1 %1\n", NULL},
        {"%20 = vec i32x3 %1 %1\n", "not of the form"},
        {"%20 = vec i32 %1\n", "not of the form"},
        {"%20 = vec i32x2 %1 %2\n", "has the wrong type"},
        {"%20 = extract i32 %5 #1\n", NULL},
        {"%20 = extract i32 %5 #2\n", "not of the form"},
        {"%20 = extract i32 #0\n", "too few operands"},
        {"%20 = extract f32 %5 #1\n", "not of the form"},
        {"%20 = extract.at f32 %6 %1\n", NULL},
        {"%20 = extract.at f32 %6 %2\n", "has the wrong type"},
        {"%20 = extract.at f32 %5 %1\n", "not of the form"},
        {"%20 = insert.at f32x2 %6 %2 %1\n", NULL},
        {"%20 = insert.at f32x2 %6 %1 %1\n", "has the wrong type"},
        {"%20 = swizzle f32x4 %6 #xyyx\n", NULL},
        {"%20 = swizzle f32x4 %6 #xyzx\n", "not of the form"},
        {"%20 = swizzle i32x4 %6 #xyyx\n", "not of the form"},
        {"%20 = all bool %4\n", NULL},
        {"%20 = all bool %5\n", "not of the form"},
        {"%20 = all boolx2 %4\n", "not of the form"},
        {"%20 = pack.half i32 %7\n", NULL},
        {"%20 = pack.half i32 %6\n", "not of the form"},
        {"%20 = unpack.half f16x2 %1\n", NULL},
        {"%20 = unpack.half f16 %1\n", "not of the form"},
    };
    check(cases, COUNTOF(cases));
}

static void test_places_and_memory(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"%20 = load i32 %11\n", NULL},
        {"%20 = load f32 %11\n", "not of the form"},
        {"%20 = load i32 %10\n", "not of the form"},
        {"%20 = load i32 %1\n", "has the wrong type"},
        {"%20 = load i32 %12\n", "not of the form"},
        {"%20 = store %11 %1\n", NULL},
        {"%20 = store %11 %2\n", "not of the form"},
        {"%20 = store %11\n", "too few operands"},
        {"%20 = store %17 %1\n", "not of the form"},
        {"%20 = store %13 %1\n", "not of the form"},
        {"%20 = elem %15 %1\n%21 = store %20 %2\n", NULL},
        {"%20 = elem %15 %2\n", "has the wrong type"},
        {"%20 = length i32 %10\n", NULL},
        {"%20 = length i32 %14\n", NULL},
        {"%20 = length i32 %18\n", "not of the form"},
        {"%20 = length i32 %1\n", "not of the form"},
        {"%20 = view %14 %1 t0\n%21 = load i32 %20\n", NULL},
        {"%20 = view %10 %1 t0\n", "not of the form"},
        {"%20 = view %14 %1\n", "a type of memory is needed"},
        {"%20 = barrier #1\n", NULL},
        {"%20 = barrier #0\n", "not of the form"},
    };
    check(cases, COUNTOF(cases));
}

static void test_atomics_and_subgroups(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"%20 = atomic i32 %12 #0\n", NULL},
        {"%20 = atomic i32 %12 %1 #0\n", "not of the form"},
        {"%20 = atomic %12 %1 #1\n", NULL},
        {"%20 = atomic i32 %12 %1 #1\n", "a result of this type is not allowed"},
        {"%20 = atomic i32 %12 %1 #2\n", NULL},
        {"%20 = atomic %12 %1 #2\n", "a result of this type is not allowed"},
        {"%20 = atomic i32 %12 %2 #2\n", "not of the form"},
        {"%20 = atomic i32 %12 %1 #12\n", "not of the form"},
        {"%20 = atomic i32 %12 %1 %1 #12\n", NULL},
        {"%20 = atomic i32 %11 %1 #2\n", "not of the form"},
        {"%20 = subgroup i32 %1 #0\n", NULL},
        {"%20 = subgroup f32 %1 #0\n", "not of the form"},
        {"%20 = subgroup i32 %1 #2\n", "not of the form"},
        {"%20 = subgroup f32 %2 #2\n", NULL},
        {"%20 = subgroup f32 %2 #8\n", "not of the form"},
        {"%20 = subgroup i32x4 %0 #17\n", NULL},
        {"%20 = subgroup bool %0 #17\n", "not of the form"},
        {"%20 = subgroup f32 %2 %1 #18\n", NULL},
        {"%20 = subgroup f32 %2 #18\n", "not of the form"},
        {"%20 = subgroup bool #20\n", NULL},
        {"%20 = subgroup bool %0 #20\n", "not of the form"},
    };
    check(cases, COUNTOF(cases));
}

static void test_values_are_seen_where_they_are_defined(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"%20 = block {\n%21 = iadd i32 %1 %1\n%22 = break of %20\n}\n", NULL},
        {"%20 = block {\n%21 = iadd i32 %1 %1\n%22 = break of %20\n}\n%23 = not i32 %21\n",
         "operand 0 (%21) is not visible here"},
        {"%20 = if %0 -> %21 i32 {\n%22 = yield %1\n} {\n%23 = yield %1\n}\n"
         "%24 = not i32 %21\n", NULL},
        {"%20 = if %0 -> %21 i32 {\n%22 = yield %21\n} {\n%23 = yield %1\n}\n",
         "operand 0 (%21) is not visible here"},
        {"%20 = if %0 {\n%21 = not i32 %1\n%22 = yield\n} {\n%23 = not i32 %21\n"
         "%24 = yield\n}\n", "operand 0 (%21) is not visible here"},
        {"%20 = loop %1 { %21 i32\n%22 = continue of %20\n} {\n%23 = not i32 %21\n"
         "%24 = next %23\n}\n", NULL},
        {"%20 = loop %1 { %21 i32\n%22 = not i32 %21\n%23 = continue of %20\n} {\n"
         "%24 = next %22\n}\n", "operand 0 (%22) is not visible here"},
        {"%20 = loop %1 { %21 i32\n%22 = break of %20\n} {\n%24 = next %21\n}\n"
         "%25 = not i32 %21\n", "operand 0 (%21) is not visible here"},
        {"%20 = block {\n%21 = break of %20\n}\n%22 = not i32 %20\n", "has the wrong type"},
    };
    check(cases, COUNTOF(cases));
}

static void test_constructs(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"%20 = if %0 {\n%21 = yield\n}\n", "1 regions"},
        {"%20 = if %0 {\n%21 = yield\n} {\n}\n", "a region that does not end"},
        {"%20 = if %1 {\n%21 = yield\n} {\n%22 = yield\n}\n", "has the wrong type"},
        {"%20 = if %0 { %21 i32\n%22 = yield\n} {\n%23 = yield\n}\n",
         "a region with parameters"},
        {"%20 = if %0 {\n%21 = break of %20\n} {\n%22 = yield\n}\n",
         "has no construct to leave"},
        {"%20 = if %0 -> %21 i32 {\n%22 = yield %1\n} {\n%23 = yield\n}\n",
         "gives 0 values where 1 are taken"},
        {"%20 = if %0 -> %21 i32 {\n%22 = yield %2\n} {\n%23 = yield %1\n}\n",
         "value 0 has the wrong type"},
        {"%20 = if %0 -> %21 i32 {\n%22 = return\n} {\n%23 = yield %1\n}\n", NULL},
        {"%20 = block {\n%21 = yield\n}\n", "stands outside of an if"},
        {"%20 = block {\n%21 = break of %20\n%22 = break of %20\n}\n",
         "something stands after it"},
        {"%20 = block {\n%21 = continue of %20\n}\n", "has no loop to continue"},
        {"%20 = switch %1 {\n%21 = break of %20\n}\n", NULL},
        {"%20 = switch %1\n", "0 regions"},
        {"%20 = switch %1 case 5:1 {\n%21 = break of %20\n}\n", "a case without region"},
        {"%20 = switch %1 case 5:0 case 4:0 case 5:1 {\n%21 = break of %20\n} {\n"
         "%22 = break of %20\n}\n", "a value with two cases"},
    };
    check(cases, COUNTOF(cases));
}

static void test_loops(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"%20 = loop {\n%21 = continue of %20\n} {\n%22 = next\n}\n", NULL},
        {"%20 = loop {\n%21 = next\n} {\n%22 = next\n}\n", "stands outside of continuing"},
        {"%20 = loop {\n%21 = break.if %0\n} {\n%22 = next\n}\n",
         "stands outside of continuing"},
        {"%20 = loop %1 {\n%21 = continue of %20\n} {\n%22 = next\n}\n",
         "gives 1 values where 0 are taken"},
        {"%20 = loop %1 { %21 i32\n%22 = continue of %20\n} {\n%23 = next\n}\n",
         "gives 0 values where 1 are taken"},
        {"%20 = loop { %21 i32\n%22 = continue of %20\n} {\n%23 = next %1\n}\n",
         "gives 0 values where 1 are taken"},
        {"%20 = loop {\n%22 = continue of %20\n} { %21 i32\n%23 = next\n}\n",
         "gives 0 values where 1 are taken"},
        {"%20 = loop -> %21 f32 {\n%22 = continue of %20\n} {\n%23 = break.if %0 %2\n}\n", NULL},
        {"%20 = loop -> %21 f32 {\n%22 = continue of %20\n} {\n%23 = break.if %0 %1\n}\n",
         "value 0 has the wrong type"},
        {"%20 = loop -> %21 f32 {\n%22 = continue of %20\n} {\n%23 = break.if %0\n}\n",
         "wrong number of operands"},
        {"%20 = loop {\n%21 = continue of %20\n} {\n%22 = break of %20\n}\n",
         "has no construct to leave"},
        {"%20 = loop {\n%21 = continue of %20\n} {\n%22 = if %0 {\n%23 = continue of %20\n} {\n"
         "%24 = yield\n}\n%25 = next\n}\n", "has no loop to continue"},
    };
    check(cases, COUNTOF(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_places_and_memory),
        cmocka_unit_test(test_atomics_and_subgroups),
        cmocka_unit_test(test_values_are_seen_where_they_are_defined),
        cmocka_unit_test(test_constructs),
        cmocka_unit_test(test_loops),
    };
    return cmocka_run_group_tests_name("ir_verify", tests, setup, teardown);
}
