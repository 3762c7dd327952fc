#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# check.py - what can be said of Weft.jl without Julia.
#
#   bindings/julia/check.py LIBDIR FOLDER
#
# Reads the structs and ccalls of src/*.jl; a C++ compiler compares layouts and signatures with the
# headers; calls.c, compiled with the structs and signatures that Weft.jl has, calls every function.
# LIBDIR has libweft.so, FOLDER gets the programs.
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
SOURCES = sorted(glob.glob(os.path.join(HERE, "Weft.jl", "src", "*.jl")))

TYPES = {
    "Cvoid": "void", "Bool": "bool", "Cint": "int", "Cuint": "unsigned", "Cdouble": "double",
    "Float64": "double", "Cfloat": "float", "Float32": "float", "UInt8": "uint8_t",
    "Int32": "int32_t", "UInt32": "uint32_t", "Int64": "int64_t", "UInt64": "uint64_t",
    "Csize_t": "size_t", "Cstring": "const char *",
}


def c_type(julia, structs):
    """The C type of an argument or field, and the length of an array (0: none)."""
    julia = julia.strip()
    array = re.fullmatch(r"NTuple\{(\d+), *(.+)\}", julia)
    if array:
        return c_type(array.group(2), structs)[0], int(array.group(1))
    if re.match(r"(Ptr|Ref)\{", julia):
        return "void *", 0
    if julia in structs:
        return "struct jl_" + julia, 0
    if julia not in TYPES:
        sys.exit("a type that C does not have: " + julia)
    return TYPES[julia], 0


def split(text):
    """Parts between commas that are not inside brackets."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "({[") - (c in ")}]")
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return [p.strip() for p in parts + [part] if p.strip()]


def read_sources():
    text = ""
    for path in SOURCES:
        with open(path, encoding="utf-8") as file:
            text += re.sub(r"(?m)#.*$", "", file.read())
    structs = {}
    for name, body in re.findall(r"(?m)^struct (weft_\w+)\n(.*?)^end", text, re.S):
        structs[name] = re.findall(r"(?m)^    (\w+)::(.+)$", body)
    calls = {}
    for found in re.finditer(r"ccall\(\(:(\w+), libweft\),", text):
        rest = split(text[found.end():matching(text, found.start() + 5)])
        add(calls, found.group(1), (rest[0], tuple(split(rest[1].strip()[1:-1]))))
    for kind, arguments in (("UNARY", ("Ptr{Cvoid}",)), ("BINARY", ("Ptr{Cvoid}",) * 2),
                            ("REDUCTION", ("Ptr{Cvoid}", "Ref{weft_axes}"))):
        names = re.search(r"const %s = \((.*?)\)" % kind, text, re.S).group(1)
        for name in re.findall(r":(\w+)", names):
            add(calls, "weft_tensor_" + name, ("Ptr{Cvoid}", arguments))
    return structs, calls


def matching(text, at):
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    sys.exit("a ccall does not end")


def add(calls, name, signature):
    if calls.setdefault(name, signature) != signature:
        sys.exit("%s is called with two signatures" % name)


def write_header(path, structs, calls):
    with open(path, "w", encoding="utf-8") as out:
        out.write("#pragma once\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n")
        for name, fields in structs.items():
            out.write("struct jl_%s {\n" % name)
            for field, julia in fields:
                kind, count = c_type(julia, structs)
                out.write("    %s %s%s;\n" % (kind, field, "[%d]" % count if count else ""))
            out.write("};\n")
        out.write("#ifndef LAYOUTS_ONLY\n")
        for name, (result, arguments) in calls.items():
            kinds = ", ".join(c_type(a, structs)[0] for a in arguments) or "void"
            out.write("%s %s(%s);\n" % (c_type(result, structs)[0], name, kinds))
        out.write("#endif\n")


def write_check(path, structs, calls):
    with open(path, "w", encoding="utf-8") as out:
        out.write("""#include <cstddef>
#include <type_traits>
#include <weft/pool.h>
#include <weft/tensor.h>
#include <weft/solve.h>
#include <weft/model.h>
#define LAYOUTS_ONLY
#include "jl.h"
/* The same in a register: both pointers, or numbers of one size and kind. */
template <class A, class B> constexpr bool alike = std::is_pointer<A>::value
    ? std::is_pointer<B>::value
    : !std::is_pointer<B>::value && sizeof(A) == sizeof(B)
      && std::is_floating_point<A>::value == std::is_floating_point<B>::value;
template <> constexpr bool alike<void, void> = true;
template <class F, class G> struct Same { static constexpr bool value = false; };
template <class R, class S, class... A, class... B> struct Same<R(A...), S(B...)> {
    template <bool... v> struct All {};
    static constexpr bool value = []() {
        if constexpr (sizeof...(A) != sizeof...(B)) return false;
        else return alike<R, S> && (alike<A, B> && ... && true);
    }();
};
""")
        for name, fields in structs.items():
            out.write('static_assert(sizeof(jl_%s) == sizeof(%s), "%s");\n' % (name, name, name))
            for field, julia in fields:
                out.write('static_assert(offsetof(jl_%s, %s) == offsetof(%s, %s), "%s.%s");\n'
                          % (name, field, name, field, name, field))
                out.write('static_assert(sizeof(jl_%s::%s) == sizeof(%s::%s), "%s.%s");\n'
                          % (name, field, name, field, name, field))
        for name, (result, arguments) in calls.items():
            kinds = ", ".join(c_type(a, structs)[0] for a in arguments)
            out.write('static_assert(Same<decltype(%s), %s(%s)>::value, "%s");\n'
                      % (name, c_type(result, structs)[0], kinds, name))


def run(*command, **more):
    if subprocess.run(command, **more).returncode:
        sys.exit("failed: " + " ".join(command))


def main():
    lib, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    structs, calls = read_sources()
    write_header(os.path.join(folder, "jl.h"), structs, calls)
    write_check(os.path.join(folder, "layouts.cpp"), structs, calls)
    run("g++", "-std=c++17", "-fsyntax-only", "-I" + os.path.join(TOP, "include"), "-I" + folder,
        os.path.join(folder, "layouts.cpp"))
    with open(os.path.join(HERE, "calls.c"), encoding="utf-8") as file:
        text = file.read()
    missing = [n for n in calls if not re.search(r"\b%s\b" % n, text)
               and not re.search(r"(UNARY|BINARY|REDUCTION)\(%s," % n.replace("weft_tensor_", ""),
                                 operators())]
    if missing:
        sys.exit("calls.c does not call " + ", ".join(missing))
    program = os.path.join(folder, "calls")
    run("gcc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-g",
        "-I" + folder, "-I" + os.path.join(TOP, "include"), os.path.join(HERE, "calls.c"), "-o",
        program, "-L" + lib, "-lweft", "-Wl,-rpath," + lib, "-lm")
    run(program, os.path.join(TOP, "tests", "model", "seeds", "sentence.gguf"),
        env=dict(os.environ, WEFT_ADAPTER="cpu"))
    print("%d structs, %d functions" % (len(structs), len(calls)))


def operators():
    with open(os.path.join(TOP, "include", "weft", "tensor_ops.def"), encoding="utf-8") as file:
        return file.read()


if __name__ == "__main__":
    main()
