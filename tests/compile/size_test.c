// SPDX-License-Identifier: Apache-2.0
/*
 * size_test.c - little source becomes little code: what is done for each lane, for each
 * lane group beside the others and for each round of a loop must not multiply.
 */
#include "support/test.h"

#include "base/macro.h"
#include "compile/pipeline.h"
#include "syntax/syntax.h"

#define KIB 1024u

static uint64_t object_size(const char *source, uint32_t lanes)
{
    Arena arena;
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    const Module *module = compile_front(&arena, str_of(source), &diag);
    assert_non_null(module);
    CompiledObject o = {0};
    CompileJob job = {.source = {module, module->info->entry_points.data[0], NULL, 0},
                      .options = {.lanes = lanes}};
    assert_true(pipeline_run(&o, &job, &diag));
    uint64_t size = o.emitted.object_size;
    compiled_object_fini(&o);
    arena_fini(&arena);
    return size;
}

/* One after the other, perhaps beyond the end: for each lane there is little code. */
static const char records[] =
    "struct P { p : vec3f, v : vec3f, m : mat3x3f }\n"
    "@group(0) @binding(0) var<storage> a : array<P>;\n"
    "@group(0) @binding(1) var<storage, read_write> b : array<P>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i : vec3u) {\n"
    "  if i.x < arrayLength(&a) { b[i.x].p = a[i.x].p; b[i.x].v = a[i.x].v; }\n"
    "}\n";

/* Many lane groups side by side, at places that nothing is known of. */
static const char rows[] =
    "enable f16;\n"
    "@group(0) @binding(0) var<storage> table : array<vec4h>;\n"
    "@group(0) @binding(1) var<storage> ids : array<u32>;\n"
    "@group(0) @binding(2) var<storage, read_write> o : array<vec4h>;\n"
    "@compute @workgroup_size(256)\n"
    "fn main(@builtin(local_invocation_id) l : vec3u, @builtin(workgroup_id) g : vec3u) {\n"
    "  let row = ids[g.x] * 1024u;\n"
    "  for (var c = l.x; c < 1024u; c += 256u) { o[g.x * 1024u + c] = table[row + c]; }\n"
    "}\n";

/* Short loops in each other, around accesses of one lane at a time. */
static const char neighbours[] =
    "struct C { v : vec3f, m : f32 }\n"
    "@group(0) @binding(0) var<storage> at : array<vec3f>;\n"
    "@group(0) @binding(1) var<storage> cells : array<C>;\n"
    "@group(0) @binding(2) var<storage, read_write> hits : array<atomic<u32>>;\n"
    "@group(0) @binding(3) var<storage, read_write> o : array<vec3f>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i : vec3u) {\n"
    "  let c = vec3u(at[i.x]);\n"
    "  var sum = vec3f();\n"
    "  for (var x = 0u; x < 3; x++) { for (var y = 0u; y < 3; y++) {\n"
    "    for (var z = 0u; z < 3; z++) {\n"
    "      let n = ((c.x + x) * 64 + c.y + y) * 64 + c.z + z;\n"
    "      sum += cells[n].v * cells[n].m;\n"
    "      atomicAdd(&hits[n], 1u);\n"
    "    } } }\n"
    "  o[i.x] = sum;\n"
    "}\n";

/* Loops of known length in a loop of known length around barriers. */
static const char columns[] =
    "@group(0) @binding(0) var<storage, read_write> m : array<f32>;\n"
    "var<workgroup> largest : u32;\n"
    "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l : u32) {\n"
    "  for (var j = 0u; j < 8; j++) {\n"
    "    if l == 0 {\n"
    "      largest = j;\n"
    "      for (var i = j + 1; i < 12; i++) {\n"
    "        if abs(m[i * 16 + j]) > abs(m[largest * 16 + j]) { largest = i; }\n"
    "      }\n"
    "    }\n"
    "    workgroupBarrier();\n"
    "    for (var c = l; c < 16; c += 64) {\n"
    "      let x = m[j * 16 + c];\n"
    "      m[j * 16 + c] = m[largest * 16 + c];\n"
    "      m[largest * 16 + c] = x;\n"
    "    }\n"
    "    storageBarrier();\n"
    "    for (var i = j + 1 + l; i < 12; i += 64) {\n"
    "      m[i * 16 + j] /= m[j * 16 + j];\n"
    "      for (var k = j + 1; k < 16; k++) { m[i * 16 + k] -= m[i * 16 + j] * m[j * 16 + k]; }\n"
    "    }\n"
    "    workgroupBarrier();\n"
    "    storageBarrier();\n"
    "  }\n"
    "}\n";

static void test_little_source_is_little_code(void **state)
{
    static const struct { const char *source; uint32_t lanes, most; } cases[] = {
        {records, 16, 10 * KIB},
        {rows, 16, 32 * KIB},
        {neighbours, 16, 32 * KIB},
        {columns, 8, 32 * KIB},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++)
        assert_in_range(object_size(cases[i].source, cases[i].lanes), 1, cases[i].most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_little_source_is_little_code),
    };
    return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
