// SPDX-License-Identifier: Apache-2.0
/*
 * budget_test.c - a kernel that would take more than a gigabyte to compile is refused before
 * LLVM's passes, with a diagnostic that says so; one of half its size is compiled.
 */
#define _DEFAULT_SOURCE

#include "support/test.h"

#include <sys/resource.h>

#include "base/text.h"
#include "compile/pipeline.h"
#include "syntax/syntax.h"

#define MOST_KB (1200u << 10)       /* of the process                             */

/* Values that are used much later, and a store for each fourth. */
static Str chain(Arena *a, uint32_t lines)
{
    Text t = {.arena = a};
    text_printf(&t, "@group(0) @binding(0) var<storage> a : array<f32>;\n"
                    "@group(0) @binding(1) var<storage, read_write> b : array<f32>;\n"
                    "@compute @workgroup_size(64)"
                    "fn main(@builtin(global_invocation_id) id : vec3u) {\n"
                    "  let v0 = a[id.x];\n");
    for (uint32_t i = 1; i < lines; i++) {
        text_printf(&t, "  let v%u = v%u * a[id.x + %uu] + v%u;\n", i, i - 1, i % 64,
                    i > 9 ? i - 9 : 0);
        if (i % 4 == 0)
            text_printf(&t, "  b[id.x * %uu + %uu] = v%u;\n", lines, i, i);
    }
    text_char(&t, '}');
    return (Str){t.data, (uint32_t)t.len};
}

/* Why it is not compiled; 0: it is. */
static DiagId refusal(uint32_t lines)
{
    Arena arena;
    CompiledObject o = {0};
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    const Module *module = compile_front(&arena, chain(&arena, lines), &diag);
    assert_non_null(module);
    CompileJob job = {.source = {module, module->info->entry_points.data[0], NULL, 0},
                      .options = {.lanes = 16, .quick = true}};
    bool ok = pipeline_run(&o, &job, &diag);
    assert_int_equal(diag.errors, !ok);
    DiagId why = ok ? (DiagId)0 : diag.list.data[0].id;
    compiled_object_fini(&o);
    arena_fini(&arena);
    return why;
}

static void test_what_takes_a_gigabyte_is_refused(void **state)
{
    struct rusage usage;
    (void)state;
    assert_int_equal(refusal(2000), 0);
    assert_int_equal(refusal(100000), DIAG_kernel_too_large);
    assert_int_equal(refusal(2000), 0);
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < MOST_KB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_takes_a_gigabyte_is_refused),
    };
    return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
