/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes.c - WGSL modules that grow in one way each.
 *
 * in     how often
 * out    the text of a valid module
 * not    the front end
 */
#include "front/front.h"

#include <ctype.h>

/* ---- a module as people write them ---- */

/* One chapter is a kernel with what it needs; an '@' without a word stands for its
 * number. */
static const char *const chapter =
    "// Chapter @: particles on a grid, with a histogram of their energies.\n"
    "struct Particle@ {\n"
    "  position: vec3f,\n"
    "  mass: f32,\n"
    "  velocity: vec3f,\n"
    "  kind: u32,\n"
    "}\n"
    "struct Settings@ { size: vec3u, step: f32, origin: vec3f, drag: f32, }\n"
    "const bins@ = 64u;\n"
    "override reach@: f32 = 1.5;\n"
    "@group(0) @binding(0) var<uniform> settings@: Settings@;\n"
    "@group(0) @binding(1) var<storage, read> before@: array<Particle@>;\n"
    "@group(0) @binding(2) var<storage, read_write> after@: array<Particle@>;\n"
    "@group(0) @binding(3) var<storage, read_write> energies@: array<atomic<u32>, bins@>;\n"
    "var<workgroup> tally@: array<atomic<u32>, bins@>;\n"
    "\n"
    "/* How much one particle pulls at another, by their distance. */\n"
    "fn pull@(from_here: vec3f, other: Particle@) -> vec3f {\n"
    "  let d = other.position - from_here;\n"
    "  let square = dot(d, d) + 1e-4;\n"
    "  if (square > reach@ * reach@) { return vec3f(); }\n"
    "  return d * (other.mass * inverseSqrt(square) / square);\n"
    "}\n"
    "fn cell@(p: vec3f) -> u32 {\n"
    "  let c = vec3u(clamp((p - settings@.origin) * 0.25, vec3f(0.0),\n"
    "                      vec3f(settings@.size - 1u)));\n"
    "  return (c.z * settings@.size.y + c.y) * settings@.size.x + c.x;\n"
    "}\n"
    "fn mix_bits@(x: u32) -> u32 {\n"
    "  var h = x ^ 0x9e3779b9u;\n"
    "  h = (h ^ (h >> 16u)) * 0x85ebca6bu;\n"
    "  return h ^ (h >> 13u);\n"
    "}\n"
    "@compute @workgroup_size(64)\n"
    "fn advance@(@builtin(global_invocation_id) id: vec3u,\n"
    "            @builtin(local_invocation_index) lane: u32) {\n"
    "  atomicStore(&tally@[lane], 0u);\n"
    "  workgroupBarrier();\n"
    "  let count = arrayLength(&before@);\n"
    "  if (id.x < count) {\n"
    "    var p = before@[id.x];\n"
    "    var force = vec3f(0.0, -9.81, 0.0) * p.mass;\n"
    "    for (var i = 0u; i < min(count, 32u); i++) {\n"
    "      force += pull@(p.position, before@[(id.x + i) % count]);\n"
    "    }\n"
    "    switch (p.kind & 3u) {\n"
    "      case 0u: { force *= 0.5; }\n"
    "      case 1u, 2u: { force -= settings@.drag * p.velocity; }\n"
    "      default: { p.kind = mix_bits@(p.kind + cell@(p.position)); }\n"
    "    }\n"
    "    p.velocity += settings@.step * force / max(p.mass, 1e-6);\n"
    "    p.position += settings@.step * p.velocity;\n"
    "    let energy = 0.5 * p.mass * dot(p.velocity, p.velocity);\n"
    "    atomicAdd(&tally@[min(u32(energy), bins@ - 1u)], 1u);\n"
    "    after@[id.x] = p;\n"
    "  }\n"
    "  workgroupBarrier();\n"
    "  atomicAdd(&energies@[lane], atomicLoad(&tally@[lane]));\n"
    "}\n"
    "\n";

static void write_chapters(Text *out, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        for (const char *at = chapter; *at; at++)
            if (*at == '@' && !isalpha((unsigned char)at[1]))
                text_printf(out, "%u", n);
            else
                text_printf(out, "%c", *at);
}

/* ---- one thing many times ---- */

static void write_statements(Text *out, uint32_t count)
{
    text_add(out, STR("fn f(a: u32) -> u32 {\n  var x = a;\n"));
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "  x = (x << %uu) ^ (x + %uu);\n", i % 31 + 1, i);
    text_add(out, STR("  return x;\n}\n"));
}

static void write_terms(Text *out, uint32_t count)
{
    text_add(out, STR("fn f(a: f32) -> f32 {\n  return a"));
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, " + a * %u.5%s", i, i % 8 == 7 ? "\n   " : "");
    text_add(out, STR(";\n}\n"));
}

static void write_functions(Text *out, uint32_t count)
{
    text_add(out, STR("fn f0(x: i32) -> i32 { return x; }\n"));
    for (uint32_t i = 1; i <= count; i++)
        text_printf(out, "fn f%u(x: i32) -> i32 { return f%u(x) + f%u(x + 1); }\n", i, i - 1,
                    i / 2);
    text_printf(out, "@compute @workgroup_size(1) fn main() { _ = f%u(1); }\n", count);
}

static void write_constants(Text *out, uint32_t count)
{
    text_add(out, STR("const c0 = 1u;\n"));
    for (uint32_t i = 1; i <= count; i++)
        text_printf(out, "const c%u = (c%u * 7u + c%u) %% 1000u;\n", i, i - 1, i / 2);
}

static void write_variables(Text *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "var<private> v%u: f32;\n", i);
    text_add(out, STR("@compute @workgroup_size(1) fn main() {\n"));
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "  v%u = v%u + 1.0;\n", i, (i + 1) % count);
    text_add(out, STR("}\n"));
}

static void write_entry_points(Text *out, uint32_t count)
{
    text_add(out, STR("@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
                      "fn work(i: u32) -> u32 { return data[i] * 3u + 1u; }\n"));
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "@compute @workgroup_size(64) fn e%u(@builtin(global_invocation_id) "
                         "id: vec3u) { data[id.x] = work(id.x + %uu); }\n", i, i);
}

static void write_branches(Text *out, uint32_t count)
{
    text_add(out, STR("var<workgroup> w: u32;\n@compute @workgroup_size(64)\n"
                      "fn main(@builtin(local_invocation_index) l: u32) {\n  var x = l;\n"));
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "  if (x > %uu) { x += %uu; } else { x ^= %uu; }\n"
                         "  if (workgroupUniformLoad(&w) == %uu) { workgroupBarrier(); }\n",
                    i, i + 1, i, i);
    text_add(out, STR("}\n"));
}

const Shape shapes[] = {
    {"chapters", "a module of many kernels", 17, write_chapters},
    {"statements", "one long function", 1000, write_statements},
    {"terms", "one long expression", 4000, write_terms},
    {"functions", "functions that call each other", 1000, write_functions},
    {"constants", "constants made from each other", 1000, write_constants},
    {"variables", "variables of one entry point", 500, write_variables},
    {"entry points", "entry points of one variable", 500, write_entry_points},
    {"branches", "branches and barriers", 500, write_branches},
    {NULL, NULL, 0, NULL},
};
