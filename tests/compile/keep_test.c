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
    const char *size, *index;
    bool        all;
    const char *why;
} rows[] = {
    {"64",   "id.x",                   true,  "an element for each invocation"},
    {"64",   "id.x * 2 + 1",           true,  "every other element"},
    {"64",   "w.x * 64 + i",           true,  "the same by the index"},
    {"8, 8", "id.y * n + id.x",        true,  "rows of a length that is given"},
    {"8, 8", "id.y * 100 + id.x",      true,  "rows of a known length"},
    {"8, 8", "id.x * n + id.y",        true,  "columns"},
    {"8, 8", "w.x * 64 + i",           true,  "a workgroup's, one after the other"},
    {"8, 8", "id.x + id.y",            false, "diagonals: many invocations for an element"},
    {"8, 8", "id.x * id.y",            false, "products"},
    {"8, 8", "id.x * n + id.y * n",    false, "diagonals, further apart"},
    {"64",   "w.x + l.x",              false, "workgroups overlap"},
    {"64",   "w.x * 32 + l.x",         false, "by half"},
    {"64",   "w.x * 32 + i",           false, "by half, by the index"},
    {"8, 8", "w.x * 8 + i",            false, "by more"},
    {"64",   "id.x / 2",               false, "two for an element"},
    {"64",   "a[id.x]",                false, "nobody knows"},
};

/* Is there no IF left? */
static bool is_stored_by_all(Arena *arena, const char *size, const char *index)
{
    char source[2048];
    Diag diag = {.arena = arena};
    Text out = {.arena = arena};
    snprintf(source, sizeof source,
             "@group(0) @binding(0) var<uniform> n : u32;\n"
             "@group(0) @binding(1) var<storage> a : array<u32>;\n"
             "@group(0) @binding(2) var<storage, read_write> x : array<u32>;\n"
             "@compute @workgroup_size(%s) fn main(@builtin(global_invocation_id) id : vec3u,\n"
             "    @builtin(local_invocation_id) l : vec3u, @builtin(workgroup_id) w : vec3u,\n"
             "    @builtin(local_invocation_index) i : u32) {\n"
             "  let at = %s;\n"
             "  let old = x[at];\n"
             "  if a[at] < old { x[at] = a[at]; }\n"
             "}\n", size, index);
    const Module *m = compile_front(arena, str_of(source), &diag);
    assert_non_null(m);
    assert_true(compile_dump(&out, "sink", m, module_find_entry_point(m, STR("main")), NULL, 0,
                             &(CompileOptions){.lanes = 8, .assume = ASSUME_INNER}, &diag));
    return !strstr(out.data, "= if ");
}

static void test_stores_of_some_and_of_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        Arena arena;
        arena_init(&arena, 0);
        bool all = is_stored_by_all(&arena, rows[i].size, rows[i].index);
        if (all != rows[i].all)
            fail_msg("x[%s] is stored by %s: %s", rows[i].index, all ? "all" : "some",
                     rows[i].why);
        arena_fini(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stores_of_some_and_of_all),
    };
    return cmocka_run_group_tests_name("keep", tests, NULL, NULL);
}
