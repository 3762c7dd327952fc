// SPDX-License-Identifier: Apache-2.0
/*
 * cut_test.c - long straight code is cut into parts wherever its end falls.
 *
 * A chain of products is one instruction longer each time: among so many lengths as a part has
 * instructions there is every remainder.
 */
#include "support/test.h"

#include "compile/pipeline.h"
#include "syntax/syntax.h"

#define LONGEST_WHOLE 2000u         /* of emit/llvm/cut.c: what is longer is cut           */
#define PART          500u

static void compile_chain(uint32_t products)
{
    Arena arena;
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    Text t = {.arena = &arena};
    text_printf(&t, "@group(0) @binding(0) var<storage, read_write> a : array<f32>;\n"
                    "@compute @workgroup_size(1) fn main() {\n  let b = a[1];\n  var x = a[0];\n");
    for (uint32_t i = 0; i < products; i++)
        text_printf(&t, "x *= b;\n");
    text_printf(&t, "  a[0] = x;\n}\n");
    const Module *module = compile_front(&arena, str_of(t.data), &diag);
    assert_non_null(module);
    CompiledObject o = {0};
    CompileJob job = {.source = {module, module->info->entry_points.data[0], NULL, 0},
                      .options = {.lanes = 1, .quick = true}};
    assert_true(pipeline_run(&o, &job, &diag));
    compiled_object_fini(&o);
    arena_fini(&arena);
}

static void test_code_of_every_length(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < PART; n++)
        compile_chain(LONGEST_WHOLE + n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code_of_every_length),
    };
    return cmocka_run_group_tests_name("cut", tests, NULL, NULL);
}
