#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""facts_test - webgpu.h and weft.h are what facts.tsv says, no more and no less.

    tests/webgpu/facts_test.py [CC:CXX ...]     default: gcc:g++ clang:clang++

names      every name the headers declare has a row, and every row a name
procs      src/gpu/procs.def has a row for each function, in order
dialects   the headers compile alone, as C and C++, with each of their switches
C, C++     sizes, offsets, values, defaults and types are those of the table

All of it with each compiler that is there; the first one must be.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True      # the source tree stays as it is

import facts
import header
import probe

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(TOP, "include")
WARN = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wundef", "-I", INCLUDE]
C = ["-x", "c", "-std=c11", "-Wstrict-prototypes"]
CXX = ["-x", "c++", "-std=c++17"]
SWITCHES = ([], ["-DWGPU_SKIP_PROCS"], ["-DWGPU_SKIP_DECLARATIONS"],
            ["-DWGPU_SHARED_LIBRARY"],
            ["-DWGPU_SHARED_LIBRARY", "-DWGPU_IMPLEMENTATION"])


def only_in_one(kind, table, there):
    """Names that the table has and the header lacks, and the other way round."""
    table, there = set(table), set(there)
    return ([f"{kind} {name}: in facts.tsv, not in the header"
             for name in sorted(table - there)]
            + [f"{kind} {name}: in the header, not in facts.tsv"
               for name in sorted(there - table)])


def leaves(h, struct, before=""):
    """The scalars of a struct, however deep: `label.length`."""
    for kind, name in h.structs[struct]:
        if kind in h.structs:
            yield from leaves(h, kind, f"{before}{name}.")
        else:
            yield before + name


def declared(h):
    """The names of each kind that the headers declare."""
    of_macros = {"init": [], "macro": [], "constant": [], "value": []}
    for name, text in h.macros.items():
        kind = ("init" if name.endswith("_INIT") else "macro" if not text
                else "constant" if name.startswith("WGPU_") else "value")
        of_macros[kind].append(name)
    made = [re.search(r"\((WGPU\w+)", h.macros[name])[1]
            for name in of_macros["init"]]
    return {
        "scalar": h.scalars, "handle": h.handles, "enum": h.enums, "flags": h.flags,
        "struct": h.structs, "function": h.functions,
        "init": of_macros["init"], "macro": of_macros["macro"],
        "constant": of_macros["constant"],
        "value": of_macros["value"] + [e for names in h.enums.values() for e in names],
        "flag": [e for names in h.flags.values() for e in names],
        "member": [f"{s}.{m}" for s in h.structs for _, m in h.structs[s]],
        "default": [f"{s}.{leaf}" for s in made for leaf in leaves(h, s)],
        "pointer": [p for p in h.pointers if not re.match("WGPUProc.", p)],
    }


def check_names(rows, h):
    """Both directions, and the counts that the rows of groups carry."""
    faults = []
    there = declared(h)
    for kind in facts.KINDS:
        faults += only_in_one(kind, facts.names(rows, kind), there[kind])
    counts = {"enum": h.enums, "flags": h.flags, "struct": h.structs}
    for fact in rows:
        if fact.name not in counts.get(fact.kind, {}):
            continue
        want, is_ = int(fact.value.split()[-1]), len(counts[fact.kind][fact.name])
        if want != is_:
            faults.append(f"{fact.kind} {fact.name}: want {want} names, has {is_}")
    procs = ["wgpu" + p[len("WGPUProc"):] for p in h.pointers
             if re.match("WGPUProc.", p)]
    return faults + only_in_one("proc type of", facts.names(rows, "function"), procs)


def check_procs(rows):
    path = os.path.join(TOP, "src", "gpu", "procs.def")
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    names = re.findall(r"PROC\((\w+)\)", text)
    rest = re.sub(r"PROC\(\w+\)", "", text).strip()
    faults = [f"procs.def: what is this: {rest}"] if rest else []
    faults += [f"procs.def: {b} stands after {a}"
               for a, b in zip(names, names[1:]) if a >= b]
    table = [name[len("wgpu"):] for name in facts.names(rows, "function")]
    return faults + [f.replace("the header", "procs.def")
                     for f in only_in_one("function", table, names)]


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines() if done.returncode else []


def check_dialects(cc, cxx):
    faults = []
    for name in ("webgpu.h", "weft.h"):
        for switches in SWITCHES:
            for command in ([cc, *C], [cxx, *CXX]):
                faults += run([*command, *WARN, *switches, "-fsyntax-only", "-"],
                              f"#include <webgpu/{name}>\n#include <webgpu/{name}>\n"
                              "int main(void) { return 0; }\n")
    return faults


def check_program(compiler, language, text):
    with tempfile.TemporaryDirectory() as folder:
        exe = os.path.join(folder, "probe")
        faults = run([compiler, *language, *WARN, "-o", exe, "-", "-lm"], text)
        return faults or run([exe])


def pairs(arguments):
    found = []
    for at, pair in enumerate(arguments or ["gcc:g++", "clang:clang++"]):
        cc, cxx = pair.split(":")
        if shutil.which(cc) and shutil.which(cxx):
            found.append((cc, cxx))
        elif at == 0 or arguments:
            raise SystemExit(f"facts_test: {cc} and {cxx} are needed")
    return found


def main():
    compilers = pairs(sys.argv[1:])
    rows = facts.load()
    text = probe.program(rows)
    results = [("names", check_names(rows, header.read(compilers[0][0], INCLUDE))),
               ("procs", check_procs(rows))]
    for cc, cxx in compilers:
        results += [(f"dialects, {cc}", check_dialects(cc, cxx)),
                    (f"C, {cc}", check_program(cc, C, text)),
                    (f"C++, {cxx}", check_program(cxx, CXX, text))]
    for name, faults in results:
        print(f"{name}: {'FAILED' if faults else 'ok'}")
        for fault in faults[:40]:
            print("    " + fault)
        if len(faults) > 40:
            print(f"    and {len(faults) - 40} more")
    failed = sum(1 for _, faults in results if faults)
    print(f"{len(rows)} facts")
    print(f"{len(results) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
