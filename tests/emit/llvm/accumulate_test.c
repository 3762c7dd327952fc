/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accumulate_test.c - atomics that threads add up for themselves are all there at the end.
 *
 * in     kernels whose atomics have no used result, for each operation and kind of place
 * out    a failure if a call leaves something else than atomics made one by one
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "kernel.h"

#define GROUP  64u
#define GROUPS 30u
#define COUNT  (GROUP * GROUPS)
#define BINS   61u
#define GUARD  4u

static const uint32_t lane_counts[] = {1, 4, 8, 16, 32};

typedef struct Operation {
    const char *name, *type;
    uint32_t    start;
} Operation;

static const Operation operations[] = {
    {"atomicAdd", "u32", 7},          {"atomicSub", "u32", 7},
    {"atomicMax", "u32", 1u << 30},   {"atomicMin", "u32", 3u << 30},
    {"atomicMax", "i32", 0xc0000000}, {"atomicMin", "i32", 1u << 30},
    {"atomicAnd", "u32", ~0u},        {"atomicOr", "u32", 0},
    {"atomicXor", "u32", 12345},
};

static uint32_t combined(size_t op, uint32_t old, uint32_t v)
{
    switch (op) {
    case 0: return old + v;
    case 1: return old - v;
    case 2: return MAX_OF(old, v);
    case 3: return MIN_OF(old, v);
    case 4: return (int32_t)old > (int32_t)v ? old : v;
    case 5: return (int32_t)old < (int32_t)v ? old : v;
    case 6: return old & v;
    case 7: return old | v;
    default: return old ^ v;
    }
}

/* Which bin has the value of invocation `i`, which is invocation `l` of its workgroup;
 * UINT32_MAX: none has. */
typedef uint32_t BinOf(uint32_t i, uint32_t l, uint32_t v);

static uint32_t bin_by_value(uint32_t i, uint32_t l, uint32_t v)
{
    (void)i, (void)l;
    return v % BINS;
}

static uint32_t bin_by_lane(uint32_t i, uint32_t l, uint32_t v)
{
    (void)i, (void)v;
    return l < BINS ? l : UINT32_MAX;
}

static uint32_t bin_known(uint32_t i, uint32_t l, uint32_t v)
{
    (void)i, (void)l, (void)v;
    return 3;
}

static uint32_t bin_of_few(uint32_t i, uint32_t l, uint32_t v)
{
    (void)i, (void)l;
    return v & 1 ? v % BINS : UINT32_MAX;
}

static uint32_t bin_of_group(uint32_t i, uint32_t l, uint32_t v)
{
    (void)l, (void)v;
    return i / GROUP;
}

/* In words: v is the value, x is [i], l and w are numbers of invocation and workgroup. */
static const struct {
    const char *what, *text;
    BinOf      *bin;
} places[] = {
    {"by value", "OP(&b[u32(v) % 61u], v);", bin_by_value},
    {"lane beside lane", "if (l < 61u) { OP(&b[l], v); }", bin_by_lane},
    {"one that is known", "OP(&b[3], v);", bin_known},
    {"after a barrier", "t[l] = v; workgroupBarrier(); OP(&b[3], t[l]);", bin_known},
    {"of some lanes", "if ((u32(v) & 1u) == 1u) { OP(&b[u32(v) % 61u], v); }", bin_of_few},
    {"of the workgroup", "OP(&b[w.x], v);", bin_of_group},
    {"in a loop", "for (var k = 0u; k < 1u + u32(l > 99u); k++) { OP(&b[u32(v) % 61u], v); }",
     bin_by_value},
};

static void kernel_text(char *out, size_t size, const Operation *o, const char *body,
                        const char *array)
{
    char text[400] = "";
    for (const char *p = body; *p; p++) {
        bool is_op = strncmp(p, "OP", 2) == 0;
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%.*s", is_op ? 20 : 1, is_op ? o->name : p);
        p += is_op;
    }
    snprintf(out, size,
             "@group(0) @binding(0) var<storage> x : array<%s>;"
             "@group(0) @binding(1) var<storage, read_write> b : array<atomic<%s>%s>;"
             "var<workgroup> t : array<%s, 64>;"
             "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u,"
             "    @builtin(local_invocation_index) l : u32, @builtin(workgroup_id) w : vec3u) {"
             "  let v = x[id.x]; %s"
             "}", o->type, o->type, array, o->type, text);
}

static void check(const TestKernel *k, size_t op, size_t place, uint32_t groups, uint32_t flags)
{
    static uint32_t x[COUNT], b[BINS + 2 * GUARD], want[BINS + 2 * GUARD];
    for (uint32_t i = 0; i < BINS + 2 * GUARD; i++)
        b[i] = want[i] = operations[op].start;
    for (uint32_t i = 0; i < COUNT; i++)
        x[i] = (i + 1) * 2654435761u;
    for (uint32_t i = 0; i < groups * GROUP; i++) {
        uint32_t bin = places[place].bin(i, i % GROUP, x[i]);
        if (bin != UINT32_MAX)
            want[GUARD + bin] = combined(op, want[GUARD + bin], x[i]);
    }
    KernelBuffer buffers[] = {{x, sizeof x}, {b + GUARD, BINS * sizeof *b}};
    test_kernel_run_with(k, buffers, groups, flags);
    for (uint32_t i = 0; i < BINS + 2 * GUARD; i++)
        if (b[i] != want[i])
            fail_msg("%s of %s %s, %u groups: [%d] is %u, not %u", operations[op].name,
                     operations[op].type, places[place].what, groups, (int)i - (int)GUARD, b[i],
                     want[i]);
}

static void test_all(void **state)
{
    static const char *const arrays[] = {"", ", 61"};
    char text[1200];
    (void)state;
    for (size_t op = 0; op < COUNTOF(operations); op++)
        for (size_t p = 0; p < COUNTOF(places); p++) {
            TestKernel k;
            uint32_t lanes = lane_counts[(op + p) % COUNTOF(lane_counts)];
            kernel_text(text, sizeof text, &operations[op], places[p].text,
                        arrays[(op ^ p) & 1]);
            test_kernel_open(&k, text, lanes, NULL);
            for (uint32_t groups = 1; groups <= GROUPS; groups += GROUPS - 1) {
                check(&k, op, p, groups, 0);
                check(&k, op, p, groups, KERNEL_ALONE);
            }
            test_kernel_close(&k);
        }
}

/* An array that is too large for a thread to have one of its own. */
static void test_large(void **state)
{
    enum { LARGE = 40000 };
    static uint32_t x[COUNT], b[LARGE];
    char text[1200];
    TestKernel k;
    (void)state;
    kernel_text(text, sizeof text, &operations[0], "OP(&b[v], 1u);", "");
    test_kernel_open(&k, text, 8, NULL);
    for (uint32_t i = 0; i < COUNT; i++)
        x[i] = i * 77 % LARGE;
    KernelBuffer buffers[] = {{x, sizeof x}, {b, sizeof b}};
    test_kernel_run_with(&k, buffers, GROUPS, 0);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(b[x[i]], 1);
    test_kernel_close(&k);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
