// SPDX-License-Identifier: Apache-2.0
/*
 * quick_test.c - small kernels are made quickly for small dispatches, and well for
 * large ones; with few lanes, but not fewer than a subgroup has.
 */
#define _DEFAULT_SOURCE

#include "support/test.h"

#include <stdatomic.h>
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
                        &box);
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
    const Kernel *good = kernel_assuming_less(m.cache, m.kernel, &diag);
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
        cmocka_unit_test(test_nothing_beyond_the_end_is_read),
        cmocka_unit_test(test_small_workgroups_have_few_lanes),
    };
    return cmocka_run_group_tests_name("quick", tests, NULL, NULL);
}
