# SPDX-License-Identifier: Apache-2.0
"""Families of generated kernels: each a function of a size n that gives WGSL.

A family repeats one thing that programs repeat: statements, branches, loops, calls,
members, bindings. Doubling n doubles the text, so a compiler whose time is linear
takes twice as long. FAMILIES maps a name to (function, first n).
"""

FAMILIES = {}

HEAD = """@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<storage, read> k: array<u32>;
"""


def family(n):
    """Registers a generator with the size at which measuring starts."""
    def add(make):
        FAMILIES[make.__name__] = (make, n)
        return make
    return add


def kernel(body, head="", size=64, params="@builtin(global_invocation_id) id: vec3u"):
    return (f"{HEAD}{head}@compute @workgroup_size({size})\nfn main({params}) {{\n"
            f"{body}\n}}\n")


def repeated(line, n, start="var x = a[id.x];", end="b[id.x] = x;", head="", **options):
    """n lines, in which {i} is the number of the line and {p} the one before."""
    lines = "\n".join("  " + line.replace("{i}", str(i)).replace("{p}", str(max(i - 1, 0)))
                      .replace("{c}", f"{0.5 + i % 97 / 128}") for i in range(n))
    return kernel(f"  {start}\n{lines}\n  {end}", head, **options)


# ---- statements, one after the other ----

@family(2500)
def straight(n):
    return repeated("x = x * {c} + 0.25;", n)


@family(2500)
def straight_mixed(n):
    kinds = ["x = sin(x) + {c};", "x = exp(-x * x);", "x = {c} / (x + 2.0);", "x = x * {c} + a[id.x];"]
    lines = "\n".join("  " + kinds[i % 4].replace("{c}", f"{0.5 + i % 97 / 128}") for i in range(n))
    return kernel(f"  var x = a[id.x];\n{lines}\n  b[id.x] = x;")


@family(125)
def pows(n):
    return repeated("x = pow(abs(x) + {c}, 1.5 + x);", n)


@family(500)
def sincos(n):
    return repeated("x = sin(x) + cos(x * {c});", n)


@family(250)
def sincos_wide(n):
    return repeated("x += sin(a[id.x + {i}u]);", n)


@family(500)
def exps(n):
    return repeated("x = exp(x * {c}) - 1.0;", n)


@family(250)
def functions_of_many_kinds(n):
    names = ["sin", "cos", "tan", "exp", "log", "atan", "tanh", "sinh", "asinh", "sqrt", "log2", "exp2"]
    lines = "\n".join(f"  x = {names[i % len(names)]}(abs(x) + {i % 7}.5);" for i in range(n))
    return kernel(f"  var x = a[id.x];\n{lines}\n  b[id.x] = x;")


@family(250)
def divisions(n):
    return repeated("x = (x + {c}) / (x * x + 1.5);", n)


@family(250)
def vector_math(n):
    return repeated("v = normalize(v * {c} + vec4f(1, 2, 3, f32(id.x)));", n, "var v = vec4f(a[id.x]);",
                    "b[id.x] = v.x + v.y + v.z + v.w;")


def graph(n, kinds, leaves=16):
    """A random graph of scalar operations, each value used later: as gradients are."""
    state, lines = 12345, [f"  let v{i} = a[id.x * {leaves}u + {i}u];" for i in range(leaves)]
    for i in range(leaves, n + leaves):
        state = (state * 1103515245 + 12345) & 0x7fffffff
        p, q = i - 1 - state % 7 % i, i - 1 - (state >> 8) % min(i, 64)
        operation = kinds[(state >> 16) % len(kinds)].format(p=f"v{p}", q=f"v{q}")
        lines.append(f"  let v{i} = {operation};")
    total = " + ".join(f"v{i}" for i in range(n, n + leaves))
    return kernel("\n".join(lines) + f"\n  b[id.x] = {total};")


@family(2500)
def gradient(n):
    return graph(n, ["{p} * {q}", "{p} + {q}", "{p} - 0.5 * {q}", "{p} * 0.75"])


@family(1250)
def gradient_math(n):
    return graph(n, ["{p} * {q}", "{p} + {q}", "sin({p})", "exp(-{p} * {p})", "{p} / ({q} * {q} + 1.0)",
                     "{p} - {q}", "cos({q}) * {p}", "{p} * 0.5"])


@family(1250)
def gradient_stores(n):
    lines = ["  let v0 = a[id.x];"]
    for i in range(1, n):
        lines.append(f"  let v{i} = v{i - 1} * a[id.x + {i % 64}u] + v{max(i - 9, 0)};")
        if i % 4 == 0:
            lines.append(f"  b[id.x * {n}u + {i}u] = v{i};")
    return kernel("\n".join(lines))


@family(100)
def ints(n):
    return repeated("x = (x ^ (x >> ({i}u % 31u))) * 2654435761u + {i}u;", n, "var x = k[id.x];", "b[id.x] = f32(x);")


@family(100)
def sha(n):
    return repeated("x = ((x << 7u) | (x >> 25u)) + (y ^ {i}u); y = ((y << 9u) | (y >> 23u)) ^ (x & 0x5a5a5a5au);", n,
                    "var x = k[id.x]; var y = x + 1u;", "b[id.x] = f32(x ^ y);")


@family(1600)
def distinct_constants(n):
    return repeated("x = x * 0.{i} + {i}.5; y = (y ^ 1{i}7u) + {i}u * 40503u;", n,
                    "var x = a[id.x]; var y = k[id.x];", "b[id.x] = x + f32(y);")


@family(200)
def integer_vectors(n):
    return repeated("v = (v ^ vec4u({i}u, 9{i}u, 5u, 7u)) * 3u + (v >> vec4u({i}u % 31u));", n,
                    "var v = vec4u(k[id.x]);", "b[id.x] = f32(v.x + v.y + v.z + v.w);")


@family(100)
def integer_divisions(n):
    return repeated("x = x / (k[{i}] + 1u) + x % (id.x + {i}u);", n, "var x = k[id.x];", "b[id.x] = f32(x);")


@family(500)
def selects(n):
    return repeated("x = select(x * {c}, x + 1.0, x > {c});", n)


@family(100)
def long_expression(n):
    return kernel("  b[id.x] = " + " + ".join(f"a[id.x] * {i % 9}.5" for i in range(n)) + ";")


@family(25)
def deep_expression(n):
    return kernel("  b[id.x] = " + "(" * n + "a[id.x]" + "".join(f" * 1.{i % 9} + 0.5)" for i in range(n)) + ";")


# ---- variables and memory ----

@family(250)
def many_variables(n):
    head = "\n".join(f"  var v{i} = a[id.x] * {i}.5;" for i in range(n))
    return kernel(head + "\n" + "\n".join(f"  v{i} += v{(i * 7 + 1) % n};" for i in range(n)) +
                  "\n  b[id.x] = " + " + ".join(f"v{i}" for i in range(n)) + ";")


@family(250)
def private_variables(n):
    head = "\n".join(f"var<private> p{i}: f32;" for i in range(n)) + "\n"
    return kernel("\n".join(f"  p{i} = a[id.x] + p{(i + 1) % n} * {i}.5;" for i in range(n)) +
                  "\n  b[id.x] = " + " + ".join(f"p{i}" for i in range(n)) + ";", head)


@family(500)
def loads(n):
    return repeated("x += a[id.x + {i}u];", n)


@family(500)
def loads_variable(n):
    return repeated("x += a[id.x * {i}u + k[{i}]];", n)


@family(500)
def stores(n):
    return repeated("b[id.x + {i}u] = x * {c};", n, end="")


@family(125)
def load_store(n):
    return repeated("b[id.x + {i}u] = b[id.x + {i}u + 1u] * {c} + x;", n, end="")


@family(125)
def gathers(n):
    return repeated("x += a[k[id.x + {i}u]];", n)


@family(25)
def matrix_dynamic(n):
    return repeated("x += m[(k[id.x] + {i}u) & 3u].y; m[(id.x + {i}u) & 3u] = vec4f(x);", n,
                    "var m: mat4x4f; var x = a[id.x];")


@family(50)
def array_dynamic(n):
    return repeated("t[(k[id.x] + {i}u) & 15u] += x; x += t[(id.x * 3u + {i}u) & 15u];", n,
                    "var t: array<f32, 16>; var x = a[id.x];")


@family(50)
def pointers(n):
    head = "fn step(p: ptr<function, array<f32, 16>>, i: u32) { (*p)[i & 15u] += (*p)[(i + 1u) & 15u]; }\n"
    return repeated("step(&t, k[id.x] + {i}u);", n, "var t: array<f32, 16>; t[0] = a[id.x];",
                    "b[id.x] = t[0] + t[7];", head)


@family(50)
def matrices(n):
    return repeated("m = m * mat4x4f({c}, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);", n,
                    "var m = mat4x4f(a[id.x], 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);",
                    "b[id.x] = m[0].x + m[1].y + m[2].z + m[3].w;")


@family(100)
def structure_copy(n):
    head = "struct S { " + ", ".join(f"m{i}: f32" for i in range(n)) + " }\n" \
           "@group(1) @binding(0) var<storage, read> s: array<S>;\n" \
           "@group(1) @binding(1) var<storage, read_write> t: array<S>;\n"
    return kernel("  t[id.x] = s[id.x];", head)


@family(100)
def structure_big(n):
    head = "struct S { " + ", ".join(f"m{i}: f32" for i in range(n)) + " }\n" \
           "@group(1) @binding(0) var<storage, read_write> s: array<S>;\n"
    return kernel("  var x = s[id.x];\n" + "\n".join(f"  x.m{i} += x.m{(i + 1) % n};" for i in range(n)) +
                  "\n  s[id.x] = x;", head)


@family(100)
def atomics(n):
    head = "@group(1) @binding(0) var<storage, read_write> c: array<atomic<u32>>;\n"
    return repeated("atomicAdd(&c[(id.x + {i}u) & 255u], k[{i}]);", n, end="b[id.x] = x;", head=head)


@family(50)
def workgroup_tiles(n):
    head = "var<workgroup> t: array<f32, 256>;\n"
    return repeated("t[(id.x * {i}u) & 255u] = x; x += t[(id.x + {i}u) & 255u];", n, head=head)


# ---- control flow ----

@family(25)
def nested_if(n):
    return kernel("  var x = a[id.x];\n" + "".join(f"if (x > {i}.5) {{ x = x * 1.5 - {i}.0;\n" for i in range(n)) +
                  "}" * n + "\n  b[id.x] = x;")


@family(25)
def nested_else(n):
    return kernel("  var x = a[id.x];\n" +
                  "".join(f"if (x > {i}.5) {{ x += 1.0; }} else {{ x = x * 1.5;\n" for i in range(n)) +
                  "}" * n + "\n  b[id.x] = x;")


@family(15)
def nested_loops(n):
    return kernel("  var x = a[id.x];\n" +
                  "".join(f"for (var i{i} = 0u; i{i} < k[{i}]; i{i}++) {{ x = x * 1.5 + f32(i{i});\n"
                          for i in range(n)) + "}" * n + "\n  b[id.x] = x;")


@family(15)
def nested_loops_varying(n):
    return kernel("  var x = a[id.x];\n" +
                  "".join(f"for (var i{i} = 0u; i{i} < k[id.x + {i}u]; i{i}++) {{ x = x * 1.5 + f32(i{i});\n"
                          for i in range(n)) + "}" * n + "\n  b[id.x] = x;")


@family(15)
def nested_switch(n):
    return kernel("  var x = a[id.x];\n" +
                  "".join(f"switch (k[id.x] + {i}u) {{ case 1u: {{ x += 1.0; }} default: {{ x *= 1.5;\n"
                          for i in range(n)) + "} }" * n + "\n  b[id.x] = x;")


@family(100)
def if_with_stores(n):
    return repeated("if (x > {c}) { b[id.x + {i}u] = x; x = x * {c}; }", n)


@family(100)
def if_uniform(n):
    return repeated("if (k[{i}] > 3u) { b[id.x + {i}u] = x; x = x * {c}; }", n)


@family(100)
def else_if(n):
    return kernel("  var x = a[id.x];\n  " + " else ".join(f"if (x < {i}.0) {{ b[id.x + {i}u] = x * {i}.5; }}"
                                                        for i in range(n)) + "\n  b[id.x] = x;")


@family(800)
def switch_cases(n):
    return kernel("  var x = a[id.x];\n  switch (k[id.x]) {\n" +
                  "\n".join(f"case {i}u: {{ x = x * {i}.5 + a[{i}]; }}" for i in range(n)) +
                  "\ndefault: { x = 0.0; } }\n  b[id.x] = x;")


@family(50)
def loops(n):
    return repeated("for (var i = 0u; i < k[{i}]; i++) { x = x * {c} + a[i]; }", n)


@family(50)
def loops_varying(n):
    return repeated("for (var i = 0u; i < k[id.x]; i++) { x = x * {c} + a[i + {i}u]; }", n)


@family(50)
def loops_constant(n):
    return repeated("for (var i = 0u; i < 16u; i++) { x = x * {c} + a[id.x + i]; }", n)


@family(100)
def loop_of_breaks(n):
    return kernel("  var x = a[id.x];\n  for (var i = 0u; i < 100u; i++) {\n" +
                  "\n".join(f"if (x > {i}.5) {{ x += a[i]; break; }} x = x * 1.5;" for i in range(n)) +
                  "\n}\n  b[id.x] = x;")


@family(100)
def early_returns(n):
    return repeated("if (a[id.x + {i}u] > {c}) { b[id.x] = x; return; } x += {c};", n)


@family(50)
def barriers(n):
    head = "var<workgroup> t: array<f32, 64>;\n"
    params = "@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32"
    return repeated("t[l] = x; workgroupBarrier(); x += t[(l + {i}u) & 63u]; workgroupBarrier();", n,
                    head=head, params=params)


@family(50)
def short_circuit(n):
    return kernel("  var x = a[id.x];\n  if (" + " || ".join(f"(x > {i}.5 && a[id.x + {i}u] < {i}.0)"
                                                            for i in range(n)) + ") { x = 1.0; }\n  b[id.x] = x;")


@family(50)
def nested_or(n):
    return kernel("  var x = a[id.x];\n  if (" + "(" * 2 * n + "x > 0.5" +
                  "".join(f" || a[id.x + {i}u] > {i}.0) && x < {i + 1}.0)" for i in range(n)) +
                  ") { x = 1.0; }\n  b[id.x] = x;")


# ---- declarations ----

@family(250)
def functions(n):
    head = "\n".join(f"fn call{i}(x: f32) -> f32 {{ return x * {i}.5 + 1.0; }}" for i in range(n)) + "\n"
    return repeated("x = call{i}(x);", n, head=head)


@family(125)
def call_chain(n):
    head = "fn call0(x: f32) -> f32 { return x; }\n" + "\n".join(
        f"fn call{i}(x: f32) -> f32 {{ return call{i - 1}(x * {i}.5) + 1.0; }}" for i in range(1, n)) + "\n"
    return kernel(f"  b[id.x] = call{n - 1}(a[id.x]);", head)


@family(25)
def call_of_a_large_function(n):
    head = "fn big(y: f32) -> f32 { var x = y;\n" + "\n".join(f"x = x * {i}.5 + sqrt(x);" for i in range(40)) + \
           "\nreturn x; }\n"
    return repeated("x = big(x);", n, head=head)


@family(25)
def call_with_branches(n):
    head = "fn f(y: f32, i: u32) -> f32 { var x = y; if (x > 1.0) { x = a[i]; } else { b[i] = x; } " \
           "for (var j = 0u; j < i; j++) { x += a[j]; } return x; }\n"
    return repeated("x = f(x, id.x + {i}u);", n, head=head)


@family(100)
def bindings(n):
    head = "\n".join(f"@group(1) @binding({i}) var<storage, read> r{i}: array<f32>;" for i in range(n)) + "\n"
    return repeated("x += r{i}[id.x];", n, head=head)


@family(250)
def constants(n):
    head = "const c0 = 1.0;\n" + "\n".join(f"const c{i} = c{i - 1} * 1.001 + {i}.0;" for i in range(1, n)) + "\n"
    return repeated("x += c{i};", n, head=head)


@family(250)
def overrides(n):
    head = "\n".join(f"override o{i}: f32 = {i}.5;" for i in range(n)) + "\n"
    return repeated("x += o{i} * x;", n, head=head)


@family(1000)
def array_literal(n):
    return kernel(f"  let t = array<f32, {n}>(" + ", ".join(f"{i}.5" for i in range(n)) +
                  f");\n  b[id.x] = t[id.x % {n}u];")


@family(250)
def entry_points(n):
    return HEAD + "\n".join(f"@compute @workgroup_size(64) fn e{i}(@builtin(global_invocation_id) id: vec3u) "
                            f"{{ b[id.x] = a[id.x] * {i}.5; }}" for i in range(n // 10))


# ---- f16 ----

F16 = "enable f16;\n"


@family(100)
def f16_fma(n):
    return F16 + repeated("h = fma(h, f16({c}), h * h);", n, "var h = f16(a[id.x]);", "b[id.x] = f32(h);")


@family(100)
def f16_straight(n):
    return F16 + repeated("h = h * f16({c}) + exp(h) / (h + 2.0h);", n, "var h = vec4h(f16(a[id.x]));",
                          "b[id.x] = f32(h.x + h.w);")


@family(50)
def f16_loads(n):
    head = "@group(1) @binding(0) var<storage, read> h: array<vec4h>;\n"
    return F16 + repeated("v = fma(h[id.x + {i}u], h[id.x * 2u + {i}u], v);", n, "var v = vec4h();",
                          "b[id.x] = f32(v.x + v.y + v.z + v.w);", head)


# ---- f64 ----

F64 = "enable weft_f64;\n"


@family(100)
def f64_straight(n):
    return F64 + repeated("d = d * {c}lf + 0.25lf / (d * d + 1.0lf);", n, "var d = f64(a[id.x]);", "b[id.x] = f32(d);")


@family(25)
def f64_functions(n):
    names = ["sin", "cos", "exp", "log", "atan", "tanh"]
    lines = "\n".join(f"  d = {names[i % len(names)]}(abs(d) + {i % 7}.5lf);" for i in range(n))
    return F64 + kernel(f"  var d = f64(a[id.x]);\n{lines}\n  b[id.x] = f32(d);")


@family(25)
def f64_pows(n):
    return F64 + repeated("d = pow(abs(d) + {c}lf, 1.5lf + d);", n, "var d = f64(a[id.x]);", "b[id.x] = f32(d);")


# ---- more of control flow ----

@family(50)
def state_machine(n):
    cases = "\n".join(f"case {i}u: {{ s = (s * 7u + k[i]) % {n}u; x = x * {i % 9}.5 + 1.0; }}" for i in range(n))
    return kernel("  var x = a[id.x];\n  var s = k[id.x];\n  for (var i = 0u; i < 100u; i++) {\n  switch (s) {\n" + cases +
                  "\n  default: { break; } }\n  }\n  b[id.x] = x;")


@family(25)
def loop_of_continues(n):
    return kernel("  var x = a[id.x];\n  for (var i = 0u; i < k[id.x]; i++) {\n" +
                  "\n".join(f"if (a[i + {i}u] > x) {{ x += {i}.5; continue; }} x = x * 1.5;" for i in range(n)) +
                  "\n}\n  b[id.x] = x;")


@family(25)
def loop_carried(n):
    head = "\n".join(f"  var v{i} = a[id.x + {i}u];" for i in range(n))
    body = "\n".join(f"    v{i} = v{i} * 0.5 + v{(i + 3) % n};" for i in range(n))
    return kernel(head + "\n  for (var i = 0u; i < k[id.x]; i++) {\n" + body + "\n  }\n  b[id.x] = " +
                  " + ".join(f"v{i}" for i in range(n)) + ";")


@family(10)
def loops_nested_constant(n):
    return repeated("for (var i = 0u; i < 4u; i++) { for (var j = 0u; j < 4u; j++) { for (var l = 0u; l < 4u; l++) "
                    "{ x = x * {c} + a[id.x + i * 16u + j * 4u + l]; } } }", n)


@family(10)
def loops_over_arrays(n):
    return repeated("for (var i = 0u; i < 8u; i++) { t[i] += a[id.x + i] * t[(i + 1u) & 7u]; }", n,
                    "var t: array<f32, 8>; var x = 0.0;", "b[id.x] = t[0] + t[5];")


@family(25)
def branches_in_loops(n):
    return repeated("for (var i = 0u; i < k[id.x]; i++) { if (a[i] > {c}) { x += a[i + {i}u]; if (x > 9.0) { break; } } "
                    "else { b[i] = x; } }", n)


@family(25)
def while_loops(n):
    return repeated("while (x > {c}) { x = x * 0.5 - a[u32(x) & 255u]; }", n)


@family(25)
def barriers_in_loops(n):
    head = "var<workgroup> t: array<f32, 64>;\n"
    params = "@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32"
    return repeated("for (var i = 1u; i < 64u; i = i * 2u) { t[l] = x; workgroupBarrier(); x += t[(l + i) & 63u]; "
                    "workgroupBarrier(); }", n, head=head, params=params)


@family(25)
def values_across_barriers(n):
    head = "var<workgroup> t: array<f32, 64>;\n"
    params = "@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32"
    first = "\n".join(f"  let v{i} = a[id.x * {i + 1}u];" for i in range(n))
    body = "\n".join(f"  t[l] = v{i}; workgroupBarrier(); x += t[63u - l] * v{n - 1 - i}; workgroupBarrier();"
                     for i in range(n))
    return kernel(f"  var x = 0.0;\n{first}\n{body}\n  b[id.x] = x;", head, params=params)


# ---- more of memory ----

@family(25)
def structures_private(n):
    head = "struct P { q: vec3f, w: array<f32, 4>, i: u32 }\n"
    return repeated("p[(id.x + {i}u) & 7u].q.y += x; x += p[k[id.x] & 7u].w[{i}u & 3u]; p[{i}u & 7u].i += id.x;", n,
                    "var p: array<P, 8>; var x = a[id.x];", head=head)


@family(50)
def array_copies(n):
    head = "@group(1) @binding(0) var<storage, read_write> s: array<array<f32, 16>>;\n"
    return repeated("var t{i} = s[id.x + {i}u]; t{i}[k[{i}] & 15u] += x; s[id.x + {i}u] = t{i};", n, head=head)


@family(250)
def constant_tables(n):
    head = f"const table = array<f32, {n}>(" + ", ".join(f"{i}.5" for i in range(n)) + ");\n"
    return repeated("x += table[(id.x + {i}u) % " + str(n) + "u];", n // 10, head=head)


@family(50)
def workgroup_atomics(n):
    head = "var<workgroup> c: array<atomic<u32>, 256>;\n"
    return repeated("x += f32(atomicAdd(&c[(id.x * {i}u) & 255u], 1u) + atomicMax(&c[{i}u & 255u], id.x));", n, head=head)


@family(25)
def atomic_exchanges(n):
    head = "@group(1) @binding(0) var<storage, read_write> c: array<atomic<u32>>;\n"
    return repeated("x += f32(atomicCompareExchangeWeak(&c[id.x + {i}u], {i}u, id.x).old_value);", n, head=head)


@family(100)
def swizzles(n):
    return repeated("v = v.wzyx * {c} + vec4f(v.xy, a[id.x + {i}u], v.z); v.y += v.x;", n, "var v = vec4f(a[id.x]);",
                    "b[id.x] = v.x + v.y + v.z + v.w;")


@family(100)
def bit_functions(n):
    return repeated("x = reverseBits(x) ^ countOneBits(x + {i}u) ^ extractBits(x, {i}u & 15u, 7u) ^ firstLeadingBit(x);",
                    n, "var x = k[id.x];", "b[id.x] = f32(x);")


@family(50)
def geometry(n):
    return repeated("v = refract(normalize(v), reflect(v, vec3f(0, 1, 0)), {c}) + cross(v, vec3f(x, {c}, 1)); "
                    "x += distance(v, vec3f({c})) + smoothstep(0.0, 1.0, x);", n,
                    "var x = a[id.x]; var v = vec3f(x, 1, 2);", "b[id.x] = x + v.x;")


@family(25)
def determinants(n):
    return repeated("m = transpose(m) * {c}; m[{i}u & 3u].x = determinant(m);", n,
                    "var m = mat4x4f(a[id.x], 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6);", "b[id.x] = m[0].x;")


@family(50)
def packing(n):
    return repeated("x = pack4x8snorm(unpack4x8snorm(x) * {c}) + pack2x16float(unpack2x16float(x) + {c}) + "
                    "dot4U8Packed(x, {i}u);", n, "var x = k[id.x];", "b[id.x] = f32(x);")


@family(50)
def subgroups(n):
    return "enable subgroups;\n" + repeated("x = subgroupAdd(x) * {c} + subgroupShuffleXor(x, {i}u & 3u) + "
                                            "subgroupInclusiveAdd(x);", n)


# ---- more of calls ----

@family(50)
def calls_with_returns(n):
    head = "fn f(y: f32, i: u32) -> f32 { for (var j = 0u; j < i; j++) { if (a[j] > y) { return a[j] * y; } " \
           "if (a[j] < 0.0) { continue; } } return y + 1.0; }\n"
    return repeated("x = f(x, k[id.x] + {i}u);", n, head=head)


@family(50)
def calls_with_pointers(n):
    head = "struct P { x: f32, y: vec2f, z: array<f32, 4> }\n" \
           "fn f(p: ptr<function, P>, i: u32) { (*p).x += (*p).z[i & 3u]; (*p).y.x = (*p).x; (*p).z[1] = (*p).y.y; }\n"
    return repeated("f(&p, id.x + {i}u);", n, "var p: P; p.x = a[id.x];", "b[id.x] = p.x;", head)


@family(4)
def call_tree(n):
    depth = max(n.bit_length(), 1)
    head = "fn f0(x: f32) -> f32 { return sqrt(x) + 1.0; }\n" + "\n".join(
        f"fn f{i}(x: f32) -> f32 {{ return f{i - 1}(x * {i}.5) + f{i - 1}(x + 2.0) * f{i - 1}(x - 1.0); }}"
        for i in range(1, depth + 3)) + "\n"
    return kernel(f"  b[id.x] = f{depth + 2}(a[id.x]);", head)


@family(50)
def structure_results(n):
    head = "struct R { x: f32, v: vec4f, ok: bool }\n" \
           "fn f(y: R) -> R { var r = y; if (r.ok) { r.x += r.v.y; r.v = r.v.yzwx; } r.ok = r.x > 1.0; return r; }\n"
    return repeated("r = f(r);", n, "var r: R; r.x = a[id.x];", "b[id.x] = r.x + r.v.x;", head)


# ---- what strangers send ----

@family(250)
def pointer_chain(n):
    return kernel("  var x = a[id.x];\n  let p0 = &x;\n" +
                  "\n".join(f"  let p{i} = &*p{i - 1}; *p{i} += {i}.5;" for i in range(1, n)) + "\n  b[id.x] = x;")


@family(1000)
def phony(n):
    return repeated("_ = a[id.x + {i}u] * {c};", n)


@family(2000)
def constant_expression(n):
    return kernel("  const c = " + " + ".join(f"sin({i}.5) * {i}.25" for i in range(n)) + ";\n  b[id.x] = c;")


@family(250)
def constant_chain(n):
    return repeated("const c{i} = f32({i}) * 1.5 + sqrt({i}.0); x += c{i};", n)


@family(250)
def aliases(n):
    head = "alias t0 = f32;\n" + "\n".join(f"alias t{i} = t{i - 1};" for i in range(1, n)) + "\n"
    return repeated("let y{i} : t{i} = x * {c}; x = y{i};", n, head=head)


@family(100)
def override_chain(n):
    head = "override o0 : f32 = 1.5;\n" + "\n".join(f"override o{i} : f32 = o{i - 1} * 1.001 + o{i // 2};"
                                                    for i in range(1, n)) + "\n"
    return repeated("x += o{i} * x;", n, head=head)


@family(1000)
def structures_many(n):
    head = "struct S0 { x : f32 }\n" + "\n".join(f"struct S{i} {{ a : S0, b : array<S{(i - 1) // 2}, 1>, c : f32 }}"
                                                 for i in range(1, n)) + "\n"
    return kernel(f"  var s : S{n - 1}; s.c = a[id.x]; b[id.x] = s.c + s.a.x;", head)


@family(2000)
def constant_vectors(n):
    head = f"const t = array<vec4f, {n}>(" + ", ".join(f"vec4f({i}.5, 1, 2, {i % 7})" for i in range(n)) + ");\n"
    return kernel(f"  b[id.x] = t[k[id.x] % {n}u].x + t[id.x % {n}u].w;", head)


@family(16)
def calls_doubling(n):
    depth = max(n.bit_length(), 1) + 4
    head = "fn f0(x: f32) -> f32 { return x * 1.5 + a[u32(x)]; }\n" + "\n".join(
        f"fn f{i}(x: f32) -> f32 {{ return f{i - 1}(x) + f{i - 1}(x + {i}.0); }}" for i in range(1, depth)) + "\n"
    return kernel(f"  b[id.x] = f{depth - 1}(a[id.x]);", head)


@family(10)
def arrays_nested_dynamic(n):
    return repeated("t[(id.x + {i}u) & 3u][k[{i}] & 3u][(id.x * {i}u) & 3u] += x; x += t[k[id.x] & 3u][{i}u & 3u][id.x & 3u];",
                    n, "var t : array<array<array<f32, 4>, 4>, 4>; var x = a[id.x];")


@family(50)
def arrays_large(n):
    return kernel("".join(f"  var t{i} : array<f32, 64>; t{i}[k[id.x] & 63u] = a[id.x + {i}u];\n" for i in range(n)) +
                  "  var x = 0.0;\n" + "".join(f"  x += t{i}[k[id.x + {i}u] & 63u];\n" for i in range(n)) + "  b[id.x] = x;")


@family(25)
def f16_vectors(n):
    return F16 + repeated("v = v.wzyx * vec4h(f16({c})) + sin(v); w = max(w, v.xyz) / 2.0h; v.x = dot(w, w);", n,
                          "var v = vec4h(f16(a[id.x])); var w = vec3h();", "b[id.x] = f32(v.x + w.y);")


@family(50)
def f16_matrices(n):
    return F16 + repeated("m = m * mat3x3h(1, 2, 3, 4, 5, 6, 7, 8, f16({c}));", n,
                          "var m = mat3x3h(f16(a[id.x]), 0, 0, 0, 1, 0, 0, 0, 1);", "b[id.x] = f32(m[0].x + m[2].y);")


@family(50)
def f16_functions(n):
    names = ["sin", "cos", "tan", "exp", "log", "atan", "tanh", "sinh", "asinh", "sqrt", "log2", "exp2"]
    return F16 + kernel("  var x = f16(a[id.x]);\n" + "\n".join(
        f"  x = {names[i % len(names)]}(abs(x) + {i % 7}.5h);" for i in range(n)) + "\n  b[id.x] = f32(x);")


@family(50)
def private_across_barriers(n):
    head = "var<workgroup> t: array<f32, 64>;\n" + "\n".join(f"var<private> p{i}: f32;" for i in range(n)) + "\n"
    params = "@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32"
    return kernel("  var x = a[id.x];\n" + "\n".join(
        f"  p{i} = x * {i}.5; t[l] = p{i}; workgroupBarrier(); x += t[63u - l]; workgroupBarrier();" for i in range(n)) +
        "\n" + "\n".join(f"  x += p{i};" for i in range(n)) + "\n  b[id.x] = x;", head, params=params)


@family(50)
def arrays_across_barriers(n):
    head = "var<workgroup> t: array<f32, 64>;\n"
    params = "@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32"
    return repeated("q[(l + {i}u) & 15u] += x; t[l] = q[{i}u & 15u]; workgroupBarrier(); x += t[63u - l]; workgroupBarrier();",
                    n, "var q : array<f32, 16>; var x = a[id.x];", head=head, params=params)


@family(100)
def switch_in_a_loop(n):
    return kernel("  var x = a[id.x];\n  for (var i = 0u; i < 100u; i++) { switch ((k[id.x] + i) % 64u) {\n" + "\n".join(
        f"case {i}u: {{ if (x > {i}.0) {{ continue; }} b[id.x + {i}u] = x; x += {i}.5; }}" for i in range(n)) +
        "\ndefault: { break; } } }\n  b[id.x] = x;")


@family(100)
def switch_of_returns(n):
    head = "fn f(x : f32, i : u32) -> f32 { switch (i) {\n" + "\n".join(
        f"case {i}u: {{ return x * {i}.5; }}" for i in range(n)) + "\ndefault: { return 0.0; } } }\n"
    return kernel("  b[id.x] = f(a[id.x], k[id.x]) + f(a[id.x + 1u], k[id.x + 2u]);", head)


@family(250)
def ifs_that_return(n):
    head = "fn f(i : u32) -> f32 {\n" + "\n".join(f"  if (i == {i}u) {{ return {i}.5; }}" for i in range(n)) + \
           "\n  return 0.0; }\n"
    return kernel("  b[id.x] = f(k[id.x]);", head)


@family(50)
def bool_vectors(n):
    return repeated("m = (v > vec4f({c})) | !m; v = select(v, v.yzwx * {c}, m); if (any(m) && !all(m)) { v.x += 1.0; }", n,
                    "var v = vec4f(a[id.x]); var m = vec4<bool>();", "b[id.x] = v.x + v.w;")


@family(50)
def atomics_in_branches(n):
    head = "@group(1) @binding(0) var<storage, read_write> c: array<atomic<i32>>;\n"
    return repeated("if (x > {c}) { atomicAdd(&c[u32(x) & 63u], i32({i})); } else if (atomicLoad(&c[{i}u]) > 3) "
                    "{ atomicMax(&c[id.x], 4); x += 1.0; }", n, head=head)


@family(25)
def structures_of_matrices(n):
    head = "struct S { m : mat4x4f, t : array<vec4f, 4> }\n"
    return repeated("s.t[{i}u & 3u] = s.m * s.t[(id.x + {i}u) & 3u]; s.m[{i}u & 3u] = s.t[1]; let r{i} = s; x += r{i}.t[0].x;",
                    n, "var s : S; var x = a[id.x]; s.m[0].x = x;", head=head)
