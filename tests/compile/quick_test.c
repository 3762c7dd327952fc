// SPDX-License-Identifier: Apache-2.0
/*
 * quick_test.c - small kernels are made quickly for small dispatches, and well for
 * large ones; with few lanes, but not fewer than a subgroup has.
 */
#define _DEFAULT_SOURCE

#include "support/test.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macro.h"
#include "compile/compile.h"
#include "syntax/syntax.h"

#define HEAD "@group(0) @binding(0) var<storage, read_write> b : array<u32>;\n"
#define ONE  "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g : vec3u) "

typedef struct Made {
    Arena         arena;
    KernelCache  *cache;
    const Kernel *kernel;
} Made;

static void made_init(Made *m, const char *source)
{
    arena_init(&m->arena, 0);
    Diag diag = {.arena = &m->arena};
    const Module *module = compile_front(&m->arena, str_of(source), &diag);
    assert_non_null(module);
    m->cache = kernel_cache_create(&(KernelCacheDesc){.no_disk = true});
    m->kernel = kernel_get(m->cache, module, module->info->entry_points.data[0], NULL, 0,
                           &(CompileOptions){.assume = ASSUME_INNER}, &diag);
    assert_non_null(m->kernel);
}

static void made_fini(Made *m)
{
    kernel_release(m->cache, m->kernel);
    kernel_cache_release(m->cache);
    arena_fini(&m->arena);
}

static bool suits(const Kernel *k, uint32_t x, uint32_t y, uint32_t z)
{
    static uint32_t words[1 << 12];
    const KernelBuffer buffer = {words, sizeof words};
    ProofBox box;
    return kernel_suits(k, &(KernelDispatch){.buffers = &buffer, .num_workgroups = {x, y, z}},
                        NULL, &box);
}

static void test_few_workgroups_of_a_small_kernel(void **state)
{
    static const struct { const char *source; bool many, very_many; } cases[] = {
        {HEAD ONE "{ b[g.x % 8] = 1; }", false, false},
        {HEAD ONE "{ for (var i = 0; i < 8; i++) { b[g.x % 8] += 1; } }", false, false},
        {HEAD ONE "{ for (var i = 5; i < 3; i--) { b[g.x % 8] += 1; } }", false, false},
        /* Already one workgroup takes long. */
        {HEAD ONE "{ for (var i = 0u; i < 2000000; i++) { b[g.x % 8] += i; } }", true, true},
        /* Nobody knows how long. */
        {HEAD ONE "{ for (var i = 0u; i < b[0]; i++) { b[g.x % 8] += i; } }", true, true},
        {HEAD ONE "{ loop { b[g.x % 8] += 1; if b[1] > 5 { break; } } }", true, true},
        {HEAD ONE "{ for (var i = 2; i < 3; i--) { b[g.x % 8] += 1; } }", true, true},
        {HEAD ONE "{ for (var i = 0; i < 2147483647; i += 3) { b[g.x % 8] += 1; } }", true, true},
        {HEAD ONE "{ for (var i = 0; i < 8; i++) { if b[0] == 1 { i = 0; } } }", true, true},
        /* Many invocations in each. */
        {HEAD "@compute @workgroup_size(2) fn main() { b[0] = 1; }", true, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Made m;
        made_init(&m, cases[i].source);
        assert_true(suits(m.kernel, 1, 1, 1));
        assert_int_equal(suits(m.kernel, 60000, 100, 2), cases[i].many);
        assert_int_equal(suits(m.kernel, 65535, 65535, 65535), cases[i].very_many);
        made_fini(&m);
    }
}

static void run(const Kernel *k, uint32_t *words, size_t size, uint32_t groups)
{
    const atomic_uint stop = 0;
    const KernelBuffer buffer = {words, size};
    KernelDispatch d = {.buffers = &buffer, .stop = &stop, .num_workgroups = {groups, 1, 1}};
    assert_int_equal(k->run(&d, NULL, 0, groups, 0, 0), 0);
}

static void test_both_do_the_same(void **state)
{
    Made m;
    (void)state;
    made_init(&m, HEAD ONE "{ for (var i = 0u; i < 5; i++) { b[g.x] += g.x * i; } }");
    Diag diag = {.arena = &m.arena};
    const Kernel *good = kernel_assuming(m.cache, m.kernel,
                                         kernel_assumes_less(m.kernel, false), &diag);
    assert_non_null(good);
    uint32_t x[40] = {0}, y[40] = {0};
    run(m.kernel, x, sizeof x, 40);
    run(good, y, sizeof y, 40);
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(x[i], 10 * i);
        assert_int_equal(y[i], 10 * i);
    }
    kernel_release(m.cache, good);
    made_fini(&m);
}

/* ---- the quick version and the other round alike ---- */

#define FLOATS \
    "@group(0) @binding(0) var<storage> x : array<f32>;\n" \
    "@group(0) @binding(1) var<storage, read_write> y : array<f32>;\n" \
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n" \
    "  let i = id.x; let a = x[i]; let b = x[(i * 7) & 255]; let c = x[(i + 3) & 255];\n"

static const char *const rounding[] = {
    FLOATS "y[i] = a * b + c; }",
    FLOATS "y[i] = c - a * b; }",
    FLOATS "y[i] = a * b - b * c; }",
    FLOATS "let p = a * b; y[i] = select(p + c, p - c, a > b); }",
    FLOATS "var s = 0.0; for (var k = 0u; k < 9; k++) { s += x[k] * a + b * c; } y[i] = s; }",
    FLOATS "var s = c; for (var k = 0u; k < u32(a * 10); k++) { s = s * a + b; } y[i] = s; }",
    FLOATS "let v = vec3f(a, b, c);"
           "y[i] = dot(v, v.yzx) + length(v) + inverseSqrt(dot(v, v) + 0.1); }",
    FLOATS "let m = mat3x3f(a, b, c, b, c, a, c, a, b); y[i] = (m * (m * vec3f(a, 1, b))).y; }",
    FLOATS "y[i] = sin(a * b + 1) + exp(c) / (a + 2) - pow(a, 1.5) + a % b; }",
    FLOATS "if (a > b) { y[i] = a * c + b; } else { y[i] = fma(a, b, c) + mix(a, b, c) * c; } }",
    FLOATS "var p = a * a; if (b > 0.5) { p = p + c; } y[i] = p * p + 0.25; }",
};

#define NFLOATS 256u

static const Kernel *make(Made *m, const Module *module, uint32_t lanes, bool quick)
{
    Diag diag = {.arena = &m->arena};
    const Kernel *k = kernel_get(m->cache, module, module->info->entry_points.data[0], NULL, 0,
                                 &(CompileOptions){.lanes = lanes, .quick = quick}, &diag);
    assert_non_null(k);
    return k;
}

static void run_floats(const Kernel *k, const float *x, float *y)
{
    const atomic_uint stop = 0;
    const KernelBuffer buffers[] = {{(void *)(uintptr_t)x, NFLOATS * sizeof *x},
                                    {y, NFLOATS * sizeof *y}};
    KernelDispatch d = {.buffers = buffers, .stop = &stop, .num_workgroups = {4, 1, 1}};
    void *memory = aligned_alloc(KERNEL_ALIGN, k->memory_size + KERNEL_ALIGN);
    assert_int_equal(k->run(&d, memory, 0, 4, 0, 0), 0);
    free(memory);
}

static void check_rounding(const char *source, uint32_t lanes)
{
    Made  m = {0};
    float x[NFLOATS], quick[NFLOATS], good[NFLOATS];
    for (uint32_t i = 0; i < NFLOATS; i++)
        x[i] = (float)((i * 2654435761u >> 8) + 1u) / 16777259.0f;
    arena_init(&m.arena, 0);
    Diag diag = {.arena = &m.arena};
    const Module *module = compile_front(&m.arena, str_of(source), &diag);
    assert_non_null(module);
    m.cache = kernel_cache_create(&(KernelCacheDesc){.no_disk = true});
    const Kernel *a = make(&m, module, lanes, true), *b = make(&m, module, lanes, false);
    run_floats(a, x, quick);
    run_floats(b, x, good);
    assert_memory_equal(quick, good, sizeof quick);
    kernel_release(m.cache, a);
    m.kernel = b;
    made_fini(&m);
}

static void test_both_round_alike(void **state)
{
    static const uint32_t lanes[] = {1, 4, 8, 16};
    (void)state;
    for (size_t i = 0; i < COUNTOF(rounding); i++)
        for (size_t n = 0; n < COUNTOF(lanes); n++)
            check_rounding(rounding[i], lanes[n]);
}

/* The fast version takes the place of the quick one, and is found by others. */
static void check_improves(Assumptions what)
{
    Made  m = {0};
    float x[NFLOATS], quick[NFLOATS], good[NFLOATS];
    for (uint32_t i = 0; i < NFLOATS; i++)
        x[i] = (float)i / 7.0f;
    arena_init(&m.arena, 0);
    Diag diag = {.arena = &m.arena};
    const Module *module = compile_front(&m.arena, str_of(rounding[8]), &diag);
    const Decl   *entry = module->info->entry_points.data[0];
    const CompileOptions options = {.assume = what, .quick = true};
    m.cache = kernel_cache_create(&(KernelCacheDesc){.no_disk = true});
    m.kernel = kernel_get(m.cache, module, entry, NULL, 0, &options, &diag);
    assert_non_null(m.kernel);
    assert_true(m.kernel->quick);
    KernelFn *first = m.kernel->run;
    run_floats(m.kernel, x, quick);
    kernel_improve(m.cache, m.kernel);
    kernel_improve(m.cache, m.kernel);
    for (uint32_t i = 0; i < 60000 && m.kernel->run == first; i++)
        usleep(1000);
    assert_true(m.kernel->run != first);
    run_floats(m.kernel, x, good);
    assert_memory_equal(quick, good, sizeof quick);
    const Kernel *other = kernel_get(m.cache, module, entry, NULL, 0, &options, &diag);
    assert_false(other->quick);
    kernel_release(m.cache, other);
    made_fini(&m);
}

static void test_hot_kernels_improve(void **state)
{
    (void)state;
    check_improves(ASSUME_BOUNDS);
    check_improves(ASSUME_NOTHING);
}

/* A choice between numbers, one of them the last before memory that is not there. */
static void test_nothing_beyond_the_end_is_read(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char  *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    Made   m;
    (void)state;
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    made_init(&m, "@group(0) @binding(0) var<storage, read_write> b : array<f32>;\n" ONE
                  "{ let x = f32(g.x & 1); b[0] = select(-6.0, b[1], x == 0.0); }");
    float *numbers = (float *)(void *)(pages + page) - 2;
    numbers[1] = 2.5f;
    run(m.kernel, (uint32_t *)(void *)numbers, 8, 1);
    assert_true(numbers[0] == 2.5f);
    made_fini(&m);
    munmap(pages, 2 * page);
}

static void test_small_workgroups_have_few_lanes(void **state)
{
    static const struct { const char *source; uint32_t least, most; } cases[] = {
        {HEAD ONE "{ b[0] = 1; }", 1, 1},
        {HEAD "@compute @workgroup_size(3) fn main() { b[0] = 1; }", 1, 4},
        {"enable subgroups;" HEAD "@compute @workgroup_size(1)"
         "fn main(@builtin(subgroup_size) n : u32) { b[0] = n; }", 4, 32},
        {"enable subgroups;" HEAD "@compute @workgroup_size(2)"
         "fn main() { b[0] = subgroupAdd(1u); }", 4, 32},
        {"enable subgroup_size_control;" HEAD "@compute @workgroup_size(64) @subgroup_size(4)"
         "fn main() { b[0] = subgroupAdd(1u); }", 4, 4},
        {"enable subgroup_size_control;" HEAD "@compute @workgroup_size(64) @subgroup_size(32)"
         "fn main() { b[0] = 1; }", 32, 32},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        Made m;
        made_init(&m, cases[i].source);
        assert_in_range(m.kernel->lanes, cases[i].least, cases[i].most);
        made_fini(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_workgroups_of_a_small_kernel),
        cmocka_unit_test(test_both_do_the_same),
        cmocka_unit_test(test_both_round_alike),
        cmocka_unit_test(test_hot_kernels_improve),
        cmocka_unit_test(test_nothing_beyond_the_end_is_read),
        cmocka_unit_test(test_small_workgroups_have_few_lanes),
    };
    return cmocka_run_group_tests_name("quick", tests, NULL, NULL);
}
