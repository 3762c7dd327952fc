/* SPDX-License-Identifier: Apache-2.0 */
/*
 * constants_test.c - functions with very many constants load them from tables.
 *
 * in     kernels with as many different constants as asked for: in lanes, in vectors whose
 *        elements differ, and where branches meet
 * out    a failure if a number is wrong, or if constants are where they do not belong
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "kernel.h"

/* Lines with fewer constants in all than go to tables, and with more. */
#define FEW_CASES    300u           /* of two or three                             */
#define MANY_CASES   600u
#define FEW_WORDS    400u           /* of two                                      */
#define MANY_WORDS   600u
#define MANY_MEETING 1100u          /* of one                                      */
#define MOST         (3 * MANY_MEETING)
#define GROUP 16u
#define TABLE "Lconstants"          /* in assembly                                */

typedef void WriteKernel(Text *t, uint32_t lines);

static const uint32_t lane_counts[] = {1, 8, 16};

static const char head[] =
    "@group(0) @binding(0) var<storage, read> k : array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b : array<f32>;\n"
    "@group(0) @binding(2) var<storage, read_write> w : array<u32>;\n"
    "@compute @workgroup_size(16)\n"
    "fn main(@builtin(global_invocation_id) id : vec3u,\n"
    "        @builtin(local_invocation_index) l : u32) {\n";

/* ---- kernels, and what they compute ---- */

/* Each lane takes its own case. All numbers are exact, however they are rounded. With 8 lanes
 * `x` is known, and the results are vectors whose elements differ. */
static void write_cases(Text *t, uint32_t n)
{
    text_printf(t, "%s  var x = f32(id.x & 7u) + 0.5;\n  switch (k[id.x]) {\n", head);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    case %uu: { x = x * %u.5 + %u.25; }\n", 3 * i + 1, i + 1, 2 * i);
    text_printf(t, "    default: { x = -1.0; }\n  }\n  b[id.x] = x;\n}\n");
}

static float case_result(uint32_t id, uint32_t key, uint32_t n)
{
    uint32_t i = key / 3;
    if (key % 3 != 1 || i >= n)
        return -1.0f;
    return ((float)(id & 7) + 0.5f) * ((float)(i + 1) + 0.5f) + (float)(2 * i) + 0.25f;
}

/* All invocations take one case, after which their ways meet. */
static void write_meeting(Text *t, uint32_t n)
{
    text_printf(t, "%s  var x = 0.0;\n  switch (k[0]) {\n", head);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "    case %uu: { x = %u.5; w[id.x] = %uu; }\n", 3 * i + 1,
                    (i * 7919 + 5) % 100003, i);
    text_printf(t, "    default: { x = -1.0; }\n  }\n  b[id.x] = x;\n}\n");
}

static float meeting_result(uint32_t key, uint32_t n)
{
    uint32_t i = key / 3;
    return key % 3 == 1 && i < n ? (float)((i * 7919 + 5) % 100003) + 0.5f : -1.0f;
}

/* Integers; with 16 lanes the multiples of `l` are vectors of known numbers. */
static void write_words(Text *t, uint32_t n)
{
    text_printf(t, "%s  var u = k[id.x];\n", head);
    for (uint32_t i = 0; i < n; i++)
        text_printf(t, "  u = (u ^ (l * %uu)) + %uu;\n", i * 2654435761u + 7, i * 40503 + 11);
    text_printf(t, "  w[id.x] = u;\n}\n");
}

static uint32_t word_result(uint32_t id, uint32_t u, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        u = (u ^ (id % GROUP * (i * 2654435761u + 7))) + (i * 40503 + 11);
    return u;
}

/* ---- results ---- */

static void open_kernel(TestKernel *k, WriteKernel *write, uint32_t n, uint32_t lanes)
{
    Arena arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    write(&text, n);
    test_kernel_open(k, text.data, lanes, NULL);
    arena_fini(&arena);
}

typedef struct Data {
    uint32_t k[MOST + GROUP];
    float    b[MOST + GROUP];
    uint32_t w[MOST + GROUP];
} Data;

static void run(const TestKernel *k, Data *d, uint32_t groups)
{
    size_t size = groups * GROUP * 4;
    KernelBuffer all[] = {{d->k, size}, {d->b, size}, {d->w, size}};
    KernelBuffer buffers[COUNTOF(all)];
    for (uint32_t i = 0; i < k->object.nbindings; i++)
        buffers[i] = all[k->object.bindings[i].binding];
    test_kernel_run(k, buffers, groups);
}

static void check_cases(uint32_t n, uint32_t lanes)
{
    static Data d;
    TestKernel k;
    open_kernel(&k, write_cases, n, lanes);
    uint32_t groups = (3 * n + 3) / GROUP + 1;
    for (uint32_t i = 0; i < groups * GROUP; i++)
        d.k[i] = i * 37 % (groups * GROUP);
    run(&k, &d, groups);
    for (uint32_t i = 0; i < groups * GROUP; i++)
        if (d.b[i] != case_result(i, d.k[i], n))
            fail_msg("%u cases, %u lanes: [%u] is %g", n, lanes, i, (double)d.b[i]);
    test_kernel_close(&k);
}

static void check_meeting(uint32_t n, uint32_t lanes)
{
    static Data d;
    TestKernel k;
    open_kernel(&k, write_meeting, n, lanes);
    for (uint32_t key = 0; key < 3 * n + 3; key++) {
        d.k[0] = key;
        run(&k, &d, 1);
        if (d.b[0] != meeting_result(key, n) || d.b[GROUP - 1] != d.b[0])
            fail_msg("%u cases, %u lanes: case %u is %g", n, lanes, key, (double)d.b[0]);
    }
    test_kernel_close(&k);
}

static void check_words(uint32_t n, uint32_t lanes)
{
    static Data d;
    TestKernel k;
    open_kernel(&k, write_words, n, lanes);
    for (uint32_t i = 0; i < 4 * GROUP; i++)
        d.k[i] = i * 0x9e3779b9u;
    run(&k, &d, 4);
    for (uint32_t i = 0; i < 4 * GROUP; i++)
        if (d.w[i] != word_result(i, d.k[i], n))
            fail_msg("%u lines, %u lanes: [%u] is %x", n, lanes, i, d.w[i]);
    test_kernel_close(&k);
}

static void test_results(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(lane_counts); i++) {
        check_cases(MANY_CASES, lane_counts[i]);
        check_meeting(MANY_MEETING, lane_counts[i]);
        check_words(MANY_WORDS, lane_counts[i]);
    }
}

/* ---- code ---- */

static bool has_table(WriteKernel *write, uint32_t n, uint32_t lanes, const Machine *machine)
{
    Arena arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    write(&text, n);
    const char *code = test_kernel_assembly(&arena, text.data, lanes, machine);
    bool has = strstr(code, TABLE) != NULL;
    if (has)                        /* what is left in the pool of the function   */
        assert_null(strstr(code, "CPI0_100:"));
    arena_fini(&arena);
    return has;
}

static void test_many_go_to_tables(void **state)
{
    static const char *const names[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "neoverse-n1"};
    (void)state;
    for (size_t i = 0; i < COUNTOF(names); i++) {
        Machine m;
        assert_true(machine_find(&m, names[i]));
        if (emit_has_target(&m))
            assert_true(has_table(write_words, MANY_WORDS, 16, &m));
    }
    assert_true(has_table(write_cases, MANY_CASES, 8, emit_host()));
    assert_true(has_table(write_meeting, MANY_MEETING, 8, emit_host()));
}

static void test_few_stay(void **state)
{
    (void)state;
    assert_false(has_table(write_cases, FEW_CASES, 8, emit_host()));
    assert_false(has_table(write_words, FEW_WORDS, 16, emit_host()));
}

/* The constants of one lane are words of instructions. */
static void test_integers_of_one_lane_stay(void **state)
{
    (void)state;
    assert_false(has_table(write_words, MANY_WORDS, 1, emit_host()));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_many_go_to_tables),
        cmocka_unit_test(test_few_stay),
        cmocka_unit_test(test_integers_of_one_lane_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
