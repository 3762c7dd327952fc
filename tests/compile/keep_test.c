/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep_test.c - where what some invocations store is stored by all, and where it must not
 * be: others may write there.
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "base/macro.h"
#include "compile/compile.h"
#include "syntax/syntax.h"

static const struct {
    const char *size, *unless, *index;      /* unless: they return                */
    bool        all;
    const char *why;
} rows[] = {
    {"64",   "false",     "id.x",                 true,  "an element for each invocation"},
    {"64",   "false",     "id.x * 2 + 1",         true,  "every other element"},
    {"64",   "false",     "w.x * 64 + i",         true,  "the same by the index"},
    {"8, 8", "false",     "w.x * 64 + i",         true,  "a workgroup's, one after the other"},
    {"8, 8", "false",     "w.x * 64 + l.y * 8 + l.x",        true,  "the same by its ids"},
    {"8, 8", "false",     "w.x * 100 + l.y * 12 + l.x + n",  true,  "with gaps, from n on"},
    {"8, 8", "id.x >= n", "id.y * n + id.x",      true,  "rows"},
    {"8, 8", "id.x >= n", "id.x + n * id.y + 7",  true,  "rows that begin elsewhere"},
    {"8, 8", "id.x >= n || id.y >= n", "id.x * n + id.y",    true,  "columns"},
    {"8, 8", "id.x >= 100", "id.y * 100 + id.x",  true,  "rows of a known length"},
    {"8, 8", "false",     "id.y * n + id.x",      false, "rows may be longer than n"},
    {"8, 8", "false",     "id.y * 100 + id.x",    false, "or than 100"},
    {"8, 8", "id.x > n",  "id.y * n + id.x",      false, "by one"},
    {"8, 8", "id.y >= n", "id.y * n + id.x",      false, "there may be few of them"},
    {"8, 8", "id.x >= n && id.y >= n", "id.y * n + id.x",    false, "either will do"},
    {"8, 8", "id.x >= n", "id.y / 2 * n + id.x",  false, "two rows at one place"},
    {"8, 8", "false",     "w.x * 64 + l.y * 7 + l.x",        false, "rows overlap"},
    {"8, 8", "false",     "id.x",                 false, "an element for a column"},
    {"64",   "false",     "id.x * n",             false, "n may be zero"},
    {"64",   "false",     "id.x * 2048",          false, "past 2^32"},
    {"64",   "false",     "id.x * 65536 * 65536", false, "all of them"},
    {"8, 8", "false",     "id.x + id.y",          false, "diagonals"},
    {"8, 8", "false",     "id.x * id.y",          false, "products"},
    {"8, 8", "false",     "id.x * n + id.y * n",  false, "diagonals, further apart"},
    {"64",   "false",     "w.x + l.x",            false, "workgroups overlap"},
    {"64",   "false",     "w.x * 32 + l.x",       false, "by half"},
    {"64",   "false",     "w.x * 32 + i",         false, "by half, by the index"},
    {"8, 8", "false",     "w.x * 8 + i",          false, "by more"},
    {"64",   "false",     "id.x / 2",             false, "two for an element"},
    {"64",   "false",     "a[id.x]",              false, "nobody knows"},
};

/* Partners by i ^ d, of which the first one stores in both places. */
static const struct {
    const char *before, *d, *after;
    bool        all;
    const char *why;
} pairs[] = {
    {"", "n", "",     true,  "the same pairs in the whole dispatch"},
    {"", "4", "",     true,  "known pairs"},
    {"let d = workgroupUniformLoad(&own);", "d", "", false, "other workgroups have others"},
    {"for (var d = 1u; d < 256; d *= 2)", "d", "",   false, "others are in another round"},
    {"", "n", "x[id.x] = 3;",                        false, "others store alone"},
    {"", "id.y", "",  false, "no pairs"},
};

/* The kernel in 8 lanes, well inside the grid. */
static const char *assumed(Arena *arena, const char *source)
{
    Diag diag = {.arena = arena};
    Text out = {.arena = arena};
    const Module *m = compile_front(arena, str_of(source), &diag);
    assert_non_null(m);
    assert_true(compile_dump(&out, "assume", m, module_find_entry_point(m, STR("main")), NULL, 0,
                             &(CompileOptions){.lanes = 8, .assume = ASSUME_INNER}, &diag));
    return out.data;
}

/* Is there no IF left? */
static bool is_stored_by_all(Arena *arena, const char *size, const char *unless,
                             const char *index)
{
    char source[2048];
    snprintf(source, sizeof source,
             "@group(0) @binding(0) var<uniform> n : u32;\n"
             "@group(0) @binding(1) var<storage> a : array<u32>;\n"
             "@group(0) @binding(2) var<storage, read_write> x : array<u32>;\n"
             "@compute @workgroup_size(%s) fn main(@builtin(global_invocation_id) id : vec3u,\n"
             "    @builtin(local_invocation_id) l : vec3u, @builtin(workgroup_id) w : vec3u,\n"
             "    @builtin(local_invocation_index) i : u32) {\n"
             "  if %s { return; }\n"
             "  let at = %s;\n"
             "  let old = x[at];\n"
             "  if a[at] < old { x[at] = a[at]; }\n"
             "}\n", size, unless, index);
    return !strstr(assumed(arena, source), "= if ");
}

static void test_stores_of_some_and_of_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        Arena arena;
        arena_init(&arena, 0);
        bool all = is_stored_by_all(&arena, rows[i].size, rows[i].unless, rows[i].index);
        if (all != rows[i].all)
            fail_msg("x[%s] unless %s is stored by %s: %s", rows[i].index, rows[i].unless,
                     all ? "all" : "some", rows[i].why);
        arena_fini(&arena);
    }
}

static bool are_stored_by_all(Arena *arena, const char *before, const char *d,
                              const char *after)
{
    char source[2048];
    snprintf(source, sizeof source,
             "@group(0) @binding(0) var<uniform> n : u32;\n"
             "@group(0) @binding(1) var<storage, read_write> x : array<u32>;\n"
             "var<workgroup> own : u32;\n"
             "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
             "  %s {\n"
             "    let i = id.x;\n"
             "    let p = i ^ %s;\n"
             "    if i < p {\n"
             "      let a = x[i];\n"
             "      let b = x[p];\n"
             "      if b < a { x[i] = b; x[p] = a; }\n"
             "    }\n"
             "  }\n"
             "  %s\n"
             "}\n", before, d, after);
    return strstr(assumed(arena, source), "= select ");
}

static void test_pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(pairs); i++) {
        Arena arena;
        arena_init(&arena, 0);
        bool all = are_stored_by_all(&arena, pairs[i].before, pairs[i].d, pairs[i].after);
        if (all != pairs[i].all)
            fail_msg("x[i ^ %s] is stored by %s: %s", pairs[i].d, all ? "all" : "some",
                     pairs[i].why);
        arena_fini(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stores_of_some_and_of_all),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests_name("keep", tests, NULL, NULL);
}
