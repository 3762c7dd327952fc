// SPDX-License-Identifier: Apache-2.0
/*
 * band_test.c - workgroups along y that run as one: which kernels have them do so, and
 * that each still does what it does alone.
 */
#include "support/test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "compile/compile.h"
#include "emit/llvm/emit.h"
#include "syntax/syntax.h"

#define DEPTH 40u                   /* terms of a sum                             */
#define WIDE  32u                   /* columns                                    */
#define MOST  240u                  /* rows                                       */

#define HEAD "const n = 32u; const depth = 40u;" \
             "@group(0) @binding(0) var<storage, read> a : array<f32>;" \
             "@group(0) @binding(1) var<storage, read> b : array<f32>;" \
             "@group(0) @binding(2) var<storage, read_write> c : array<f32>;"
#define IDS  "(@builtin(global_invocation_id) i : vec3u," \
             " @builtin(local_invocation_id) l : vec3u, @builtin(workgroup_id) g : vec3u," \
             " @builtin(local_invocation_index) q : u32)"
#define SUM(x, y) "var s = 0.0; for (var k = 0u; k < depth; k++) { s += " x " * " y "; }"
#define PLAIN SUM("a[i.y * depth + k]", "b[k * n + i.x]") "c[i.y * n + i.x] = s;"

typedef struct Row {
    const char *source;
    uint32_t    lanes, band;
    uint32_t    size[2];            /* of a workgroup                             */
    bool        product;            /* of a and b                                 */
    const char *why;
} Row;

/* With 8 lanes, and 12 registers for sums. */
static const Row rows[] = {
    {HEAD "@compute @workgroup_size(8, 8) fn main" IDS "{" PLAIN "}",
     8, 3, {8, 8}, true, "8 + 8 + 8 are 12 + 12"},
    {HEAD "@compute @workgroup_size(8, 16) fn main" IDS "{" PLAIN "}",
     8, 3, {8, 16}, true, "three times 16 are four times 12"},
    {HEAD "@compute @workgroup_size(16, 16) fn main" IDS "{" PLAIN "}",
     16, 3, {16, 16}, true, "two registers each: eight times 6"},
    {HEAD "@compute @workgroup_size(8, 4) fn main" IDS "{" PLAIN "}",
     8, 3, {8, 4}, true, "one time 12"},
    {HEAD "@compute @workgroup_size(8, 12) fn main" IDS "{" PLAIN "}",
     8, 0, {8, 12}, true, "they fill the registers alone"},
    {HEAD "@compute @workgroup_size(16, 4) fn main" IDS "{" PLAIN "}",
     8, 3, {16, 4}, true, "two columns of one time 12"},
    {HEAD "@compute @workgroup_size(32, 8) fn main" IDS "{" PLAIN "}",
     16, 3, {32, 8}, true, "two columns of four times 6"},
    {HEAD "@compute @workgroup_size(32, 6) fn main" IDS "{" PLAIN "}",
     16, 0, {32, 6}, true, "two columns that fill the registers alone"},
    {HEAD "@compute @workgroup_size(32, 1) fn main" IDS "{" PLAIN "}",
     16, 6, {32, 1}, true, "six rows fill the registers"},
    {HEAD "@compute @workgroup_size(32) fn main" IDS "{"
     SUM("a[g.y * depth + k]", "b[k * n + q]") "c[g.y * n + q] = s; }",
     16, 6, {32, 1}, true, "the same by the index of the invocation"},
    {HEAD "@compute @workgroup_size(32, 3, 2) fn main" IDS "{"
     SUM("a[(g.y * 6 + l.z * 3 + l.y) * depth + k]", "b[k * n + i.x]")
     "c[(g.y * 6 + l.z * 3 + l.y) * n + i.x] = s; }",
     8, 2, {32, 6}, true, "three dimensions"},
    {HEAD "@compute @workgroup_size(8, 8) fn main" IDS "{"
     SUM("a[i.y * depth + k]", "b[(k + g.y % 2) * n % 1200 + i.x]") "c[i.y * n + i.x] = s; }",
     8, 0, {8, 8}, false, "each loads something else"},
    {HEAD "@compute @workgroup_size(8, 8) fn main" IDS "{"
     "if g.y % 2 == 0 {" PLAIN "} else { c[i.y * n + i.x] = 1; } }",
     8, 0, {8, 8}, false, "they go different ways"},
    {HEAD "var<workgroup> w : array<f32, 64>;"
     "@compute @workgroup_size(8, 8) fn main" IDS "{"
     "w[l.y * 8 + l.x] = 1; workgroupBarrier();" PLAIN "c[i.y * n + i.x] += w[63 - l.x]; }",
     8, 0, {8, 8}, false, "each has memory of its own"},
    {HEAD "@compute @workgroup_size(8, 8) fn main" IDS "{ c[i.y * n + i.x] = a[i.y]; }",
     8, 0, {8, 8}, false, "there is no loop"},
};

typedef struct Made {
    Arena         arena;
    KernelCache  *cache;
    const Kernel *kernel;
} Made;

static void made_init(Made *m, const Row *row, bool shuffle)
{
    arena_init(&m->arena, 0);
    Diag diag = {.arena = &m->arena};
    const Module *module = compile_front(&m->arena, str_of(row->source), &diag);
    assert_non_null(module);
    m->cache = kernel_cache_create(&(KernelCacheDesc){.no_disk = true});
    m->kernel = kernel_get(m->cache, module, module->info->entry_points.data[0], NULL, 0,
                           &(CompileOptions){.lanes = row->lanes, .shuffle = shuffle,
                                             .assume = ASSUME_INNER}, &diag);
    assert_non_null(m->kernel);
}

static void made_fini(Made *m)
{
    kernel_release(m->cache, m->kernel);
    kernel_cache_release(m->cache);
    arena_fini(&m->arena);
}

typedef struct Data {
    float a[MOST * DEPTH], b[DEPTH * WIDE], c[MOST * WIDE];
} Data;

static void data_fill(Data *d)
{
    for (uint32_t i = 0; i < MOST * DEPTH; i++)
        d->a[i] = (float)(i * 7 % 31) / 16 - 1;
    for (uint32_t i = 0; i < DEPTH * WIDE; i++)
        d->b[i] = (float)(i * 5 % 29) / 8 - 1;
    for (uint32_t i = 0; i < MOST * WIDE; i++)
        d->c[i] = -7;
}

/* The first column of workgroups, of several, is left out. */
static uint32_t first_column(const Row *row)
{
    return row->size[0] < WIDE ? 1 : 0;
}

/* Rows [first, end) of workgroups, `band` at a time. */
static void run(const Kernel *k, Data *d, const Row *row, uint32_t first, uint32_t end,
                uint32_t band)
{
    const atomic_uint stop = 0;
    const KernelBuffer buffers[3] = {{d->a, sizeof d->a}, {d->b, sizeof d->b},
                                     {d->c, sizeof d->c}};
    void *memory = aligned_alloc(KERNEL_ALIGN, (k->memory_size / KERNEL_ALIGN + 1) * KERNEL_ALIGN);
    KernelDispatch dispatch = {.buffers = buffers, .stop = &stop, .band = band, .band_end = end,
                               .num_workgroups = {WIDE / row->size[0], end, 1}};
    for (uint32_t y = first; y < end; y += MAX_OF(band, 1u))
        assert_int_equal(k->run(&dispatch, memory, first_column(row),
                                WIDE / row->size[0], y, 0), 0);
    free(memory);
}

static void compare(const Kernel *k, const Row *row, Data *want, Data *is)
{
    for (uint32_t band = 1; band <= k->band; band++)
        for (uint32_t n = 1; n <= 7 && n * row->size[1] <= MOST; n++)
            for (uint32_t first = 0; first < 2; first++) {
                data_fill(want);
                data_fill(is);
                run(k, want, row, first, n, 0);
                run(k, is, row, first, n, band);
                if (memcmp(want, is, sizeof *is) != 0)
                    fail_msg("%u rows in bands of %u: %s", n, band, row->why);
            }
}

/* The numbers themselves: sums that are exact. */
static void check_sums(const Row *row, const Data *d, uint32_t high)
{
    uint32_t first = first_column(row) * row->size[0];
    for (uint32_t y = 0; y < high; y++)
        for (uint32_t x = 0; x < WIDE; x++) {
            float sum = x < first ? -7.0f : 0.0f;
            for (uint32_t k = 0; x >= first && k < DEPTH; k++)
                sum += d->a[y * DEPTH + k] * d->b[k * WIDE + x];
            if (d->c[y * WIDE + x] != sum)
                fail_msg("row %u, column %u: %s", y, x, row->why);
        }
    assert_true(d->c[high * WIDE + WIDE - 1] == -7);
}

static void check_products(const Kernel *k, const Row *row, Data *d)
{
    for (uint32_t n = 1; n <= 7; n++) {
        data_fill(d);
        run(k, d, row, 0, n, k->band);
        check_sums(row, d, n * row->size[1]);
    }
}

static void check_all(bool shuffle)
{
    Data *want = malloc(sizeof *want), *is = malloc(sizeof *is);
    assert_non_null(want);
    assert_non_null(is);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        Made m;
        made_init(&m, &rows[i], shuffle);
        if (emit_host()->lanes == 8 && m.kernel->band != rows[i].band)
            fail_msg("a band of %u, not %u: %s", m.kernel->band, rows[i].band, rows[i].why);
        compare(m.kernel, &rows[i], want, is);
        if (rows[i].product)
            check_products(m.kernel, &rows[i], is);
        made_fini(&m);
    }
    free(want);
    free(is);
}

static void test_bands_do_what_rows_do(void **state)
{
    (void)state;
    check_all(false);
}

static void test_in_any_order(void **state)
{
    (void)state;
    check_all(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bands_do_what_rows_do),
        cmocka_unit_test(test_in_any_order),
    };
    return cmocka_run_group_tests_name("band", tests, NULL, NULL);
}
