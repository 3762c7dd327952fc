#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""optimize.py - `weft inspect --optimize`: rewritten kernels give the same, faster or refused.

    tests/inspect/optimize.py WEFT

Each kernel that may be changed runs as it is and rewritten, on sizes that no workgroup
divides; results must be equal. Exchanged axes and vector loads must touch strictly fewer
cache lines, and at least LEAST_BETTER kernels must do so; another workgroup size alone must
keep every access. Kernels that must not be changed come back as they were, with a reason: at
least LEAST_REFUSED of them. Random kernels are changed or not, and give the same results.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

WEFT = sys.argv[1]
N, M = 37, 53                                   # along x and y
LEAST_BETTER = 20                               # kernels with strictly better accesses
LEAST_REFUSED = 10                              # kernels that come back as they were
ROW, LINE = 16, 64                              # neighbouring invocations; bytes

HEAD = """
@group(0) @binding(0) var<storage> a : array<f32>;
@group(0) @binding(1) var<storage, read_write> c : array<f32>;
struct Size { n : u32, m : u32 }
@group(0) @binding(2) var<uniform> p : Size;
"""
ID = "(@builtin(global_invocation_id) id : vec3u)"
AT = "id.x * p.m + id.y"                        # columns
GUARD2 = "if (id.x >= p.n || id.y >= p.m) { return; }"


def kernel(size, body):
    return f"{HEAD}@compute @workgroup_size({size}) fn main{ID} {{ {body} }}"


# Better along y: other axes, perhaps another size, too.
SWAPPED = {
    "columns 8x8": kernel("8, 8", GUARD2 + "c[id.x * p.m + id.y] = a[id.x * p.m + id.y] + 1.0;"),
    "columns 16x16": kernel("16, 16", GUARD2 + "c[id.x * p.m + id.y] = 2.0 * a[id.x * p.m + id.y];"),
    "columns 4x4": kernel("4, 4", GUARD2 + "c[id.x * p.m + id.y] = a[id.x * p.m + id.y];"),
    "columns 32x2": kernel("32, 2", GUARD2 + "c[id.x * p.m + id.y] = -a[id.x * p.m + id.y];"),
    "columns, else": kernel("8, 8", "if (id.x < p.n && id.y < p.m) { c[id.x * p.m + id.y] = a[id.y]; }"),
    "columns with a name": kernel("16, 8", GUARD2 + "let i = id.x * p.m + id.y; c[i] = a[i] * a[i];"),
    "a column sum": kernel("16, 16", GUARD2 + "var s = 0.0; for (var k = 0u; k < 5u; k++) "
                           "{ s += a[id.x * p.m + id.y] * f32(k); } c[id.x * p.m + id.y] = s;"),
    "two columns": kernel("8, 16", GUARD2 + "c[id.x * p.m + id.y] = a[id.x * p.m + id.y] + a[id.y];"),
    "the name is taken": kernel("8, 8", GUARD2 + "let id_in = 1.0; c[id.x * p.m + id.y] = "
                                "a[id.x * p.m + id.y] + id_in;"),
    "nested guard": kernel("8, 8", "if (id.x < p.n) { if (id.y < p.m) { "
                           "c[id.x * p.m + id.y] = a[id.x * p.m + id.y]; } }"),
    "a fixed width": kernel("8, 8", GUARD2 + f"c[id.x * {M}u + id.y] = a[id.x * {M}u + id.y] + 0.5;"),
    "added to what is there": kernel("16, 16", GUARD2 + f"c[{AT}] += a[{AT}];"),
    "neighbours in a column": kernel("8, 8", GUARD2 + f"let i = {AT}; c[i] = a[max(i, 1u) - 1u] + a[i] + a[i + 1u];"),
    "two stores": kernel("16, 4", GUARD2 + f"if (id.y % 2u == 0u) {{ c[{AT}] = a[{AT}]; }} "
                         f"else {{ c[{AT}] = 1.0; }}"),
    "a function of columns": HEAD + "fn f(x : f32) -> f32 { return x * x + 1.0; }\n@compute @workgroup_size(8, 8)\n"
                             f"fn main{ID} {{ {GUARD2} c[{AT}] = f(a[{AT}]); }}",
    "a function of the place": HEAD + "fn at(x : u32, y : u32) -> u32 { return x * p.m + y; }\n"
                               "@compute @workgroup_size(8, 8)\n"
                               f"fn main{ID} {{ {GUARD2} c[at(id.x, id.y)] = a[at(id.x, id.y)]; }}",
    "stored without a load": kernel("4, 8", GUARD2 + f"c[{AT}] = f32(id.x + 100u * id.y);"),
    "names for both axes": kernel("32, 8", "let row = id.x; let column = id.y; if (row >= p.n || column >= p.m) "
                                  "{ return; } c[row * p.m + column] = a[row * p.m + column] - 1.0;"),
}

# Another workgroup size and nothing else.
RESIZED = {
    "rows 8x8": kernel("8, 8", GUARD2 + "c[id.y * p.n + id.x] = a[id.y * p.n + id.x];"),
    "rows 4x16": kernel("4, 16", GUARD2 + "c[id.y * p.n + id.x] = a[id.y * p.n + id.x] + 3.0;"),
    "rows 2x2": kernel("2, 2", GUARD2 + "c[id.y * p.n + id.x] = f32(id.x + 100u * id.y);"),
    "line of 8": kernel("8", "if (id.x < p.n * p.m) { c[id.x] = a[id.x] * 0.5; }"),
    "line of 20": kernel("20", "if (id.x >= p.n * p.m) { return; } c[id.x] = a[id.x];"),
    "line of 2": kernel("2", "if (id.x >= arrayLength(&c)) { return; } c[id.x] = a[id.x] + 7.0;"),
    "line of 1000 / 3": kernel("333 - 300", "if (id.x < arrayLength(&c)) { c[id.x] = a[id.x]; }"),
    "a line with a loop": kernel("4", "if (id.x < p.n) { var s = 0.0; for (var k = 0u; k < p.m; k++) "
                                 "{ s += a[id.x * p.m + k]; } c[id.x] = s; }"),
    "a function": HEAD + "fn f(x : f32) -> f32 { return x * x; }\n@compute @workgroup_size(8)\n"
                  f"fn main{ID} {{ if (id.x < p.n) {{ c[id.x] = f(a[id.x]); }} }}",
    "a size from a constant": HEAD + "const size = 8;\n@compute @workgroup_size(size, size)\n"
                              f"fn main{ID} {{ {GUARD2} c[id.y * p.n + id.x] = a[id.x]; }}",
    "groups of four": kernel("8", "if (4u * id.x + 3u < p.n * p.m) { c[4u * id.x] = a[id.x]; }"),
    "backwards": kernel("16", "if (id.x < p.n) { c[id.x] = a[p.n - 1u - id.x]; }"),
}

LOCAL = "(@builtin(local_invocation_id) l : vec3u, @builtin(workgroup_id) g : vec3u)"
REFUSED = {
    "no guard": kernel("8", "c[id.x] = a[id.x];"),
    "a guard along x alone": kernel("8, 8", "if (id.x < p.n) { c[id.x * p.m + id.y] = 1.0; }"),
    "local ids": f"{HEAD}@compute @workgroup_size(8) fn main{LOCAL} "
                 "{ if (l.x < p.n) { c[g.x * 8u + l.x] = 1.0; } }",
    "the id made by hand": f"{HEAD}@compute @workgroup_size(8) fn main{LOCAL} "
                           "{ let i = g.x * 8u + l.x; if (i < p.n) { c[i] = a[i]; } }",
    "workgroup memory": HEAD + "var<workgroup> t : array<f32, 8>;\n@compute @workgroup_size(8)\n"
                        f"fn main{ID} {{ t[id.x % 8u] = 1.0; if (id.x < p.n) {{ c[id.x] = t[0]; }} }}",
    "a barrier": kernel("8", "storageBarrier(); if (id.x < p.n) { c[id.x] = 1.0; }"),
    "the number of workgroups": f"{HEAD}@compute @workgroup_size(8) fn main("
                                "@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) w : vec3u)"
                                " { if (id.x < p.n) { c[id.x] = f32(w.x); } }",
    "one store without a guard": kernel("8", "c[id.x] = 2.0; if (id.x < p.n) { c[id.x] = 1.0; }"),
    "a guard on data": kernel("8", "if (a[id.x] > 0.0) { c[id.x] = 1.0; }"),
    "a lower limit": kernel("8", "if (id.x > p.n) { c[id.x] = 1.0; }"),
    "either of two limits": kernel("8, 8", f"if (id.x < p.n || id.y < p.m) {{ c[{AT}] += 1.0; }}"),
    "a limit of both axes together": kernel("8, 8", "let i = id.y * p.n + id.x; if (i < arrayLength(&c)) { c[i] = f32(id.x); }"),
    "a loop from the id on": kernel("8", "for (var i = id.x; i < p.n; i += 1024u) { c[i] += 1.0; }"),
    "no limit along z": kernel("8, 1, 4", "if (id.x < p.n) { c[id.z * p.n + id.x] += 1.0; }"),
    "a difference that wraps": kernel("8", "if (p.n - id.x > 5u) { c[id.x] += 1.0; }"),
    "a clamped id": kernel("8", "if (min(id.x, 7u) < p.n) { c[id.x] += 1.0; }"),
    "a remainder": kernel("8", "if (id.x % p.m < p.n) { c[id.x] += 1.0; }"),
    "ids in a structure": HEAD + "struct In { @builtin(local_invocation_index) i : u32 }\n"
                          "@compute @workgroup_size(8) fn main(x : In) { if (x.i < p.n) { c[x.i] = 1.0; } }",
}


# Words that become vectors: the loads of `a` before and after.
WORDS = 1960
FIXED = f"""@group(0) @binding(0) var<storage, read> a : array<f32, {WORDS}>;
@group(0) @binding(1) var<storage, read_write> c : array<f32>;
"""
HERE = f"if (id.x < {WORDS // 4}u) "


def words(body, head=FIXED):
    return f"{head}@compute @workgroup_size(64) fn main{ID} {{ {body} }}"


VECTORS = {
    "a sum": (words(HERE + "{ let i = 4u * id.x; c[id.x] = a[i] + a[i + 1u] + a[i + 2u] + a[i + 3u]; }"), 1),
    "another order": (words(HERE + "{ let i = id.x << 2u; c[id.x] = a[3u + i] - a[i + 1u] * a[i] + a[i + 2u]; }"), 1),
    "each index by itself": (words(HERE + "{ c[id.x] = max(max(a[4u * id.x], a[id.x * 4u + 1u]), "
                                   "max(a[4u * id.x + 2u], a[4u * id.x + 3u])); }").replace(
                                       "id.x * 4u", "4u * id.x"), 1),
    "two groups": (words(f"if (id.x < {WORDS // 8}u) {{ let i = 8u * id.x; c[id.x] = a[i] + a[i + 1u] + a[i + 2u] "
                         "+ a[i + 3u] + a[i + 4u] * a[i + 5u] - a[i + 6u] / (a[i + 7u] + 1.0); }"), 2),
    "constants": (words(HERE + "{ c[id.x] = a[4] + a[5] + a[6] + a[7]; }"), 1),
    "a loop": (words(HERE + "{ var s = 0.0; for (var k = 0u; k < 10u; k++) { let i = 4u * k; "
                     "s += a[i] * a[i + 1u] + a[i + 2u] * a[i + 3u]; } c[id.x] = s; }"), 1),
    "a signed index": (words(HERE + "{ let i = 4 * i32(id.x); c[id.x] = a[i] + a[i + 1] + a[i + 2] + a[i + 3]; }"), 1),
}
WORDS_KEPT = {
    "no fixed size": words(HERE + "{ let i = 4u * id.x; c[id.x] = a[i] + a[i + 1u] + a[i + 2u] + a[i + 3u]; }",
                           FIXED.replace(f", {WORDS}", "")),
    "perhaps outside": words("let i = 4u * id.x; c[id.x] = a[i] + a[i + 1u] + a[i + 2u] + a[i + 3u];"),
    "three of four": words(HERE + "{ let i = 4u * id.x; c[id.x] = a[i] + a[i + 1u] + a[i + 2u]; }"),
    "not a multiple": words(HERE + "{ let i = 4u * id.x + 1u; if (i < 1000u) { c[id.x] = a[i] + a[i + 1u] + a[i + 2u] "
                            "+ a[i + 3u]; } }"),
    "another access": words(HERE + "{ let i = 4u * id.x; c[id.x] = a[i] + a[i + 1u] + a[i + 2u] + a[i + 3u]; "
                            "c[id.x + 490u] = a[id.x]; }"),
    "a size that four does not divide": words(HERE.replace("490", "480") + "{ let i = 4u * id.x; c[id.x] = a[i] + a[i + 1u] "
                                              "+ a[i + 2u] + a[i + 3u]; }", FIXED.replace("1960", "1957")),
    "two statements": words(HERE + "{ let i = 4u * id.x; let s = a[i] + a[i + 1u]; c[id.x] = s + a[i + 2u] + a[i + 3u]; }"),
    "a function that changes the index": words(
        HERE + "{ var i = id.x; c[id.x] = bump(&i) + a[4u * i] + a[4u * i + 1u] + a[4u * i + 2u] + a[4u * i + 3u]; }",
        FIXED + "fn bump(p : ptr<function, u32>) -> f32 { *p = (*p + 1u) % 490u; return 0.0; }\n"),
}


def weft(*args):
    run = subprocess.run([WEFT, *args], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"weft {' '.join(args)}: {run.stderr}")
    return run.stdout


def output(path, groups):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    values = {"a[": f"a=0..{N * M - 1}", "p.": f"p={N},{M}"}
    data = [value for use, value in values.items() if use in text]
    return weft("run", "--quiet", "--all", "--groups=" + ",".join(map(str, groups)), path,
                f"c=zeros:{N * M}", *data)


def groups_for(size, line, swapped=False):
    across, down = (N * M, 1) if line else (M, N) if swapped else (N, M)
    return [-(-across // size[0]), -(-down // size[1]), 1]


def inspect(path):
    return json.loads(weft("inspect", "--json", path))


def storage(found):
    """(variable, pattern, stride, bytes) of each access of a storage buffer."""
    return [(x["variable"], x["pattern"], x["stride"], x["bytes"])
            for x in found["accesses"] if x["space"] == "storage"]


def lines(found):
    """Cache lines that ROW neighbouring invocations touch, over all accesses."""
    total = 0
    for _, pattern, stride, _ in storage(found):
        known = pattern != "gathered" and stride.lstrip("-").isdigit()
        step = abs(int(stride)) if known else LINE
        total += max(1, min(ROW, ROW * step // LINE))
    return total


def save(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def check_same(before, after, better, old, new):
    """The rewritten kernel has the size that was said, a good one, and gives the same results."""
    if new != better["workgroup_size"]:
        return f"says {better['workgroup_size']} and has {new}"
    if not 64 <= new[0] * new[1] * new[2] <= 256 or new[0] % 16:
        return f"has workgroups of {new}"
    line = old[1] == 1
    one = output(before, groups_for(old, line))
    two = output(after, groups_for(new, line, better["axes_swapped"]))
    return None if one == two else "gives other results"


def rewrite(folder, text):
    before = save(folder, "before.wgsl", text)
    better = json.loads(weft("inspect", "--optimize", "--json", before))
    return before, save(folder, "after.wgsl", better["wgsl"]), better


def check_swapped(folder, name, text):
    before, after, better = rewrite(folder, text)
    if not better["axes_swapped"]:
        return f"was not changed: {better['changes']}"
    old, new = inspect(before), inspect(after)
    if lines(new) >= lines(old):
        return f"touches {lines(new)} lines, before {lines(old)}"
    bad = [x for x in storage(new) if x[1] not in ("contiguous", "uniform")]
    return f"still has {bad}" if bad else check_same(before, after, better, old["workgroup_size"],
                                                     new["workgroup_size"])


def check_resized(folder, name, text):
    before, after, better = rewrite(folder, text)
    if better["wgsl"] == text or better["axes_swapped"]:
        return f"was changed otherwise: {better['changes']}"
    old, new = inspect(before), inspect(after)
    if storage(old) != storage(new):
        return "has other accesses"
    if old["workgroup_size"] == new["workgroup_size"]:
        return "has the size that it had"
    return check_same(before, after, better, old["workgroup_size"], new["workgroup_size"])


def check_refused(folder, name, text):
    path = save(folder, "before.wgsl", text)
    same = json.loads(weft("inspect", "--optimize", "--json", path))
    if same["wgsl"] != text:
        return "was changed"
    return None if same["changes"][0].startswith("nothing was changed: ") else "gives no reason"


def run_words(path):
    return weft("run", "--quiet", "--all", "--groups=8", path, f"a=0..{WORDS - 1}", "c=zeros:980")


def check_vectors(folder, name, pair):
    text, groups = pair
    before, after, better = rewrite(folder, text)
    if "'a' is loaded in vectors of four" not in better["changes"]:
        return f"was not changed: {better['changes']}"
    old, new = inspect(before), inspect(after)
    narrow, wide = ([x[3] for x in storage(found) if x[0] == "a"] for found in (old, new))
    if narrow != [4] * 4 * groups or wide != [16] * groups:
        return f"loads {wide}, before {narrow}"
    if lines(new) >= lines(old):
        return f"touches {lines(new)} lines, before {lines(old)}"
    return None if run_words(before) == run_words(after) else "gives other results"


def check_words(folder, name, text):
    path = save(folder, "before.wgsl", text)
    same = json.loads(weft("inspect", "--optimize", "--json", path))
    return "was changed" if "vec4" in same["wgsl"] else None


RANDOM = 60


def random_kernel(r):
    """A kernel without races on one or two axes, whose guard may or may not be a limit."""
    one = r.random() < 0.4
    size = r.choice(["8", "4", "20", "64", "1"]) if one else r.choice(["8, 8", "4, 16", "1, 8", "16, 2", "8, 1", "16, 16"])
    at = "id.x" if one else r.choice([AT, AT, "id.y * p.n + id.x"])
    if one:
        guard = r.choice(["id.x < p.n * p.m", "id.x <= p.n", "id.x < 100u", "!(id.x >= p.m)", "id.x + 3u < p.n",
                          "4u * id.x < p.m", "id.x > 5u", "p.n * p.m - id.x > 3u", "id.x % 7u < 3u", "true"])
    else:
        guard = r.choice(["id.x < p.n && id.y < p.m", "all(id.xy < vec2u(p.n, p.m))", "!(id.x >= p.n || id.y >= p.m)",
                          f"id.x < p.n && id.y < p.m && {at} < p.m * 5u", "id.x < p.n || id.y < p.m",
                          "id.x < p.n", "id.y < p.m && id.x > 2u && id.x < p.n"])
    value = r.choice([f"a[{at}]", f"a[{at}] * f32(id.x)", f"a[({at}) / 3u] + a[({at}) % 5u]", "f32(id.y) + 1.0",
                      f"a[min({at}, 50u)]", f"a[4u * id.x] + a[4u * id.x + 1u]"])
    inner = r.choice(["c[{at}] = {value};", "c[{at}] += {value};", "let i = {at}; c[i] = -({value});",
                      "for (var k = 0u; k < 3u; k++) {{ c[{at}] += {value}; }}",
                      "if (a[{at}] > 20.0) {{ c[{at}] = {value}; }} else {{ c[{at}] = 0.5; }}"]).format(at=at, value=value)
    body = r.choice([f"if ({guard}) {{ {inner} }}", f"if (!({guard})) {{ return; }} {inner}"])
    # Places of two axes are apart only inside of the limits.
    return kernel(size, body if one else "if (id.x >= p.n || id.y >= p.m) { return; } " * (r.random() < 0.5) + body)


def check_random(folder, text):
    before, after, better = rewrite(folder, text)
    if better["wgsl"] == text:
        return None if better["changes"] else "gives no reason"
    old, new = inspect(before)["workgroup_size"], inspect(after)["workgroup_size"]
    if new != better["workgroup_size"]:
        return f"says {better['workgroup_size']} and has {new}"
    line = ", " not in text.split("@workgroup_size(")[1].split(")")[0]
    one = output(before, groups_for(old, line))
    two = output(after, groups_for(new, line, better["axes_swapped"]))
    return None if one == two else "gives other results"


def main():
    passed = failed = better = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for table, check in ((SWAPPED, check_swapped), (RESIZED, check_resized), (REFUSED, check_refused),
                             (VECTORS, check_vectors), (WORDS_KEPT, check_words)):
            for name, text in table.items():
                why = check(folder, name, text)
                passed += not why
                failed += bool(why)
                better += not why and check in (check_swapped, check_vectors)
                refused += not why and check is check_refused
                if why:
                    print(f"{name}: {why}")
        for seed in range(RANDOM):
            text = random_kernel(random.Random(seed))
            why = check_random(folder, text)
            passed += not why
            failed += bool(why)
            if why:
                print(f"random kernel {seed}: {why}\n{text}")
    if better < LEAST_BETTER:
        print(f"only {better} kernels have better accesses")
        failed += 1
    if refused < LEAST_REFUSED:
        print(f"only {refused} kernels were refused")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
