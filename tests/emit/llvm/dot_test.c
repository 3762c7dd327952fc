/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dot_test.c - dot products of packed bytes: results on every machine, and which of them
 * become the machine's own instruction.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

#define COUNT 256u

/* s is the sum so far, a a word of the invocation, u a word that all share. */
static const struct {
    const char *what, *term;
    uint32_t    mask_a, mask_u;
    bool        is_signed;
    uint32_t    instructions;           /* vpdpbusd with VNNI and 16 lanes         */
} forms[] = {
    {"signed, first below 128", "dot4I8Packed(a & 0x0f0f0f0fu, u)", 0x0f0f0f0f, ~0u, true, 1},
    {"signed, second below 128", "dot4I8Packed(u, (a >> 1u) & 0x7f7f7f7fu)", 0, ~0u, true, 1},
    {"signed, any", "dot4I8Packed(a, u)", ~0u, ~0u, true, 2},
    {"unsigned, first below 128", "i32(dot4U8Packed(u & 0x7f7f7f7fu, a))", ~0u, 0x7f7f7f7f,
     false, 1},
    {"unsigned, any", "i32(dot4U8Packed(a, u))", ~0u, ~0u, false, 2},
    {"bits that overlap a sign", "dot4I8Packed(a & 0xff0f0f0fu, u)", 0xff0f0f0f, ~0u, true, 2},
};

static int32_t byte_of(uint32_t word, uint32_t i, bool is_signed)
{
    uint32_t b = word >> 8 * i & 255;
    return is_signed && b > 127 ? (int32_t)b - 256 : (int32_t)b;
}

static int32_t expected(size_t f, uint32_t a, uint32_t u)
{
    int32_t sum = 0;
    a = forms[f].mask_a ? a & forms[f].mask_a : a >> 1 & 0x7f7f7f7f;
    u &= forms[f].mask_u;
    for (uint32_t i = 0; i < 4; i++)
        sum += byte_of(a, i, forms[f].is_signed) * byte_of(u, i, forms[f].is_signed);
    return sum;
}

static void kernel_text(char *out, size_t size, size_t f)
{
    snprintf(out, size,
             "@group(0) @binding(0) var<storage> x : array<u32>;"
             "@group(0) @binding(1) var<storage> all : array<u32, 4>;"
             "@group(0) @binding(2) var<storage, read_write> y : array<i32>;"
             "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {"
             "  let a = x[id.x]; let u = all[0]; let s = y[id.x];"
             "  y[id.x] = s + %s;"
             "}", forms[f].term);
}

static void check_results(size_t f, uint32_t lanes, const Machine *machine)
{
    static const uint32_t shared[] = {0x80ff7f01u, 0x80808080u, 0xffffffffu, 0x12345678u};
    char text[1000];
    TestKernel k;
    uint32_t x[COUNT], all[4];
    int32_t  y[COUNT];
    kernel_text(text, sizeof text, f);
    test_kernel_open(&k, text, lanes, machine);
    for (size_t s = 0; s < COUNTOF(shared); s++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            x[i] = i < 4 ? shared[i] : i * 2654435761u;
            y[i] = (int32_t)i - 100;
        }
        all[0] = shared[s];
        KernelBuffer buffers[] = {{x, sizeof x}, {all, sizeof all}, {y, sizeof y}};
        test_kernel_run(&k, buffers, COUNT / 64);
        for (uint32_t i = 0; i < COUNT; i++)
            if (y[i] != (int32_t)i - 100 + expected(f, x[i], all[0]))
                fail_msg("%s, %u lanes: [%u] is %d", forms[f].what, lanes, i, y[i]);
    }
    test_kernel_close(&k);
}

static void test_results_on_this_machine(void **state)
{
    static const uint32_t lanes[] = {1, 4, 8, 16, 32};
    (void)state;
    for (size_t f = 0; f < COUNTOF(forms); f++)
        for (size_t n = 0; n < COUNTOF(lanes); n++)
            check_results(f, lanes[n], NULL);
}

static Machine named(const char *name)
{
    Machine m;
    assert_true(machine_find(&m, name));
    return m;
}

static uint32_t occurrences(const char *text, const char *word)
{
    uint32_t n = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

/* Arm has an instruction for two signed and one for two unsigned operands. */
static void test_instructions_of_arm(void **state)
{
    (void)state;
    Machine neoverse = named("neoverse-n1"), cortex = named("cortex-a72");
    if (!emit_has_target(&neoverse))
        skip();
    for (size_t f = 0; f < COUNTOF(forms); f++) {
        char  text[1000];
        Arena arena;
        arena_init(&arena, 0);
        kernel_text(text, sizeof text, f);
        for (uint32_t lanes = 4; lanes <= 16; lanes *= 2) {
            const char *new = test_kernel_assembly(&arena, text, lanes, &neoverse);
            const char *old = test_kernel_assembly(&arena, text, lanes, &cortex);
            uint32_t sdot = occurrences(new, "\tsdot\t"), udot = occurrences(new, "\tudot\t");
            if (sdot + udot != lanes / 4 || (sdot > 0) != forms[f].is_signed)
                fail_msg("%s: %u sdot, %u udot", forms[f].what, sdot, udot);
            assert_int_equal(occurrences(old, "dot\t"), 0);
        }
        arena_fini(&arena);
    }
}

#if defined(__x86_64__)
static void test_results_without_the_instruction(void **state)
{
    (void)state;
    Machine haswell = named("haswell");
    if (!__builtin_cpu_supports("avx2"))
        skip();
    for (size_t f = 0; f < COUNTOF(forms); f++)
        check_results(f, 8, &haswell);
}

static void test_instructions(void **state)
{
    (void)state;
    Machine haswell = named("haswell"), icelake = named("icelake-server");
    for (size_t f = 0; f < COUNTOF(forms); f++) {
        char  text[1000];
        Arena arena;
        arena_init(&arena, 0);
        kernel_text(text, sizeof text, f);
        const char *new = test_kernel_assembly(&arena, text, 16, &icelake);
        const char *old = test_kernel_assembly(&arena, text, 8, &haswell);
        if (occurrences(new, "vpdpbusd") != forms[f].instructions)
            fail_msg("%s: %u instructions", forms[f].what, occurrences(new, "vpdpbusd"));
        bool one = forms[f].instructions == 1 && forms[f].is_signed;
        if ((occurrences(old, "vpmaddubsw") > 0) != one)
            fail_msg("%s: vpmaddubsw where it may saturate, or not where it may be", forms[f].what);
        arena_fini(&arena);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_on_this_machine),
        cmocka_unit_test(test_instructions_of_arm),
#if defined(__x86_64__)
        cmocka_unit_test(test_results_without_the_instruction),
        cmocka_unit_test(test_instructions),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
