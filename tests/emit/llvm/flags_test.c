/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flags_test.c - what a caller may tell a kernel about its dispatch changes no result.
 *
 * in     kernels that have other code for some flag of KernelDispatch
 * out    a failure if that code does something else
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "kernel.h"

#define COUNT 1000u                     /* numbers: not all of the last workgroup  */
#define GROUP 64u
#define GROUPS ((COUNT + GROUP - 1) / GROUP)
#define ROOM  (COUNT + 56u)             /* so that what is beyond the end shows    */

static const uint32_t lane_counts[] = {1, 4, 8, 16, 32};

/* ---- past the caches ---- */

static const char *const stream_wgsl[] = {
    "@group(0) @binding(0) var<storage> x : array<u32>;"
    "@group(0) @binding(1) var<storage, read_write> y : array<u32>;"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {"
    "  if (id.x >= arrayLength(&y)) { return; }"
    "  y[id.x] = x[id.x] * 3u + id.x;"
    "}",
    "@group(0) @binding(0) var<storage> x : array<u32>;"
    "@group(0) @binding(1) var<storage, read_write> y : array<u32>;"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {"
    "  y[id.x] = x[id.x] * 3u + id.x;"
    "}",
};

/* All alignments of the result that a binding may have, and more. */
static void check_stream(const TestKernel *k, uint32_t shift, uint32_t flags)
{
    uint32_t *x = aligned_alloc(KERNEL_ALIGN, 2 * ROOM * sizeof *x);
    assert_non_null(x);
    uint32_t *y = x + ROOM + shift;
    for (uint32_t i = 0; i < COUNT; i++)
        x[i] = i * 2654435761u;
    memset(x + COUNT, 0xa5, (2 * ROOM - COUNT) * sizeof *x);
    KernelBuffer buffers[] = {{x, COUNT * sizeof *x}, {y, (COUNT - shift) * sizeof *y}};
    test_kernel_run_with(k, buffers, GROUPS, flags);
    for (uint32_t i = 0; i < COUNT - shift; i++)
        assert_int_equal(y[i], x[i] * 3u + i);
    assert_int_equal(y[-1], 0xa5a5a5a5u);
    assert_int_equal(y[COUNT - shift], 0xa5a5a5a5u);
    free(x);
}

static void test_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(stream_wgsl); i++)
        for (size_t n = 0; n < COUNTOF(lane_counts); n++) {
            TestKernel k;
            test_kernel_open(&k, stream_wgsl[i], lane_counts[n], NULL);
            for (uint32_t shift = 0; shift <= 17; shift++) {
                check_stream(&k, shift, 0);
                check_stream(&k, shift, KERNEL_STREAMS);
            }
            test_kernel_close(&k);
        }
}

/* ---- no other threads ---- */

static const char *const atomic_wgsl =
    "@group(0) @binding(0) var<storage> x : array<u32>;"
    "@group(0) @binding(1) var<storage, read_write> a : array<atomic<u32>, 256>;"
    "@group(0) @binding(2) var<storage, read_write> old : array<u32>;"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u,"
    "                                     @builtin(local_invocation_index) l : u32) {"
    "  let v = x[id.x];"
    "  atomicAdd(&a[v & 15u], v);"
    "  atomicSub(&a[16u + (v >> 28u)], v);"
    "  atomicMax(&a[32u + (v & 15u)], v);"
    "  atomicMin(&a[48u + (v & 15u)], v);"
    "  atomicXor(&a[64u + l], v);"
    "  atomicAdd(&a[255], 1u);"
    "  var r = atomicOr(&a[128u + (v & 7u)], v);"
    "  r += atomicExchange(&a[136u + (v & 7u)], v);"
    "  if ((v & 1u) == 0u) { r += atomicAnd(&a[144u + l], v); }"
    "  let c = atomicCompareExchangeWeak(&a[208u + (v & 3u)], 0u, v);"
    "  old[id.x] = r + c.old_value + u32(c.exchanged);"
    "}";

typedef struct Atomics {
    uint32_t a[256], old[COUNT];
} Atomics;

static void run_atomics(const TestKernel *k, uint32_t flags, Atomics *out)
{
    static uint32_t x[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        x[i] = (i + 1) * 2654435761u >> i % 3;
    memset(out, 0x33, sizeof *out);
    memset(out->a + 208, 0, 16);
    KernelBuffer buffers[] = {{x, sizeof x}, {out->a, sizeof out->a}, {out->old, sizeof out->old}};
    test_kernel_run_with(k, buffers, COUNT / GROUP, flags);
}

static void test_alone(void **state)
{
    static Atomics among, alone;
    (void)state;
    for (size_t n = 0; n < COUNTOF(lane_counts); n++) {
        TestKernel k;
        test_kernel_open(&k, atomic_wgsl, lane_counts[n], NULL);
        run_atomics(&k, 0, &among);
        run_atomics(&k, KERNEL_ALONE, &alone);
        assert_memory_equal(&among, &alone, sizeof among);
        assert_int_equal(among.a[255], 0x33333333u + COUNT / GROUP * GROUP);
        test_kernel_close(&k);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
