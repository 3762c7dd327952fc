#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""declare.py - writes _abi.py: the structures, enumerations and functions of the C headers.

    bindings/python/declare.py FILE [--sizes]

Reads include/weft through the C preprocessor (gcc, or $CC), so that the package always has the
structures of the library that it is built with. --sizes writes nothing: it compares the sizes and
offsets that ctypes computes from FILE with those of the C compiler.
"""
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADERS = ("pool", "tensor", "store", "solve", "model", "wgsl")
# Headers of webgpu.h have other structures; these are parts of ours.
FOREIGN = ("WGPULimits", "WGPUFuture")

SCALARS = {
    "void": "None", "bool": "c_bool", "_Bool": "c_bool", "char": "c_char", "int": "c_int",
    "float": "c_float", "double": "c_double", "size_t": "c_size_t", "unsigned int": "c_uint",
    "uint8_t": "c_uint8", "int8_t": "c_int8", "uint16_t": "c_uint16", "int16_t": "c_int16",
    "uint32_t": "c_uint32", "int32_t": "c_int32", "uint64_t": "c_uint64", "int64_t": "c_int64",
    "WGPUBufferUsage": "c_uint64", "WGPUFlags": "c_uint64",
}


def compiler():
    return os.environ.get("CC", "gcc")


def preprocessed():
    text = "".join(f"#include <weft/{h}.h>\n" for h in HEADERS)
    done = subprocess.run([compiler(), "-E", "-P", "-xc", "-I", os.path.join(TOP, "include"), "-"],
                          input=text, capture_output=True, text=True, check=True)
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", done.stdout)
    return re.sub(r"\s+", " ", text.replace("__extension__", " "))


def statements(text):
    """Declarations at the top level."""
    depth, start = 0, 0
    for i, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        if c == ";" and depth == 0:
            yield text[start:i].strip()
            start = i + 1
        elif c == "}" and depth == 0 and not text[start:i].lstrip().startswith(
                ("typedef", "struct", "enum", "union")):
            start = i + 1               # the body of an inline function


class Declarations:
    """What the headers declare, in their order."""

    def __init__(self):
        self.types = dict(SCALARS)      # C name -> Python expression
        self.opaque = set()
        self.structs = {}               # name -> [(field, expression)]
        self.callbacks = {}
        self.constants = {}
        self.functions = {}

    # ---- types ----

    def expression(self, text):
        """A C type without a name: `const char *`, `uint32_t`, `weft_tensor *const *`."""
        words = re.sub(r"\b(const|struct|enum|restrict)\b", " ", text)
        words = re.sub(r"\s*\*\s*", "*", words).strip()
        base, stars = words.rstrip("*"), words.count("*")
        base = re.sub(r"\s+", " ", base).strip()
        if stars == 0:
            if base not in self.types:
                raise KeyError(f"unknown type '{text}'")
            return self.types[base]
        if base == "char" and stars == 1 and "const" in text:
            return "c_char_p"
        return "c_void_p"

    def parameter(self, text):
        text = text.strip()
        if text in ("void", ""):
            return None
        if "[" in text:
            return "c_void_p"
        if "(*" in text:
            return "c_void_p"
        if text.rstrip().endswith("*"):
            return self.expression(text)
        match = re.fullmatch(r"(.*?[\s*])(\w+)", text)
        if match and (match[1].strip() not in ("const", "struct", "unsigned")):
            return self.expression(match[1])
        return self.expression(text)

    def signature(self, result, parameters):
        args = [self.parameter(p) for p in parameters.split(",")]
        return [self.expression(result)] + [a for a in args if a]

    # ---- declarations ----

    def fields(self, body):
        for item in filter(None, (s.strip() for s in body.split(";"))):
            pointer = re.fullmatch(r"(.+?)\(\*\s*(\w+)\)\s*\((.*)\)", item)
            if pointer:
                yield pointer[2], f"CFUNCTYPE({', '.join(self.signature(pointer[1], pointer[3]))})"
                continue
            if array := re.fullmatch(r".+\(\*\s*(\w+)\)\s*\[.*\]", item):
                yield array[1], "c_void_p"          # a pointer to an array
                continue
            first, *more = item.split(",")
            match = re.fullmatch(r"(.*?)((?:\*\s*(?:const\s+)?)*)(\w+)((?:\s*\[[^\]]*\])*)", first)
            if not match:
                raise ValueError(f"cannot read the field '{item}'")
            base = match[1]
            another = r"\s*((?:\*\s*(?:const\s+)?)*)(\w+)((?:\s*\[[^\]]*\])*)"
            for stars, name, sizes in [(match[2], match[3], match[4])] + [
                    re.fullmatch(another, m).groups() for m in more]:
                expression = self.expression(base + stars)
                for size in reversed(re.findall(r"\[([^\]]*)\]", sizes)):
                    expression = f"{expression} * {eval(size)}"
                yield name, expression

    def struct(self, name, body):
        self.types[name] = name
        self.structs[name] = list(self.fields(body))

    def enumeration(self, name, body):
        self.types[name] = "c_int"
        value = -1
        for item in filter(None, (s.strip() for s in body.split(","))):
            key, _, text = item.partition("=")
            value = eval(text, {}, dict(self.constants)) if text else value + 1
            self.constants[key.strip()] = value

    def statement(self, s):
        if match := re.fullmatch(r"(?:typedef )?enum (\w+)? ?\{(.*)\} ?(\w*)", s):
            if (match[3] or match[1] or "").startswith("weft_"):
                self.enumeration(match[3] or match[1], match[2])
        elif match := re.fullmatch(r"(?:typedef )?struct (\w+) ?\{(.*)\} ?(\w*)", s):
            if match[1].startswith("weft_") or match[1] in FOREIGN:
                self.struct(match[1], match[2])
        elif match := re.fullmatch(r"typedef struct (\w+) (\w+)", s):
            self.opaque.add(match[2])
        elif match := re.fullmatch(r"typedef (.+?)\(\*(\w+)\)\((.*)\)", s):
            if match[2].startswith("weft_"):
                self.callbacks[match[2]] = self.signature(match[1], match[3])
            self.types[match[2]] = match[2] if match[2].startswith("weft_") else "c_void_p"
        elif match := re.fullmatch(r"typedef (struct \w+ ?\*) ?(\w+)", s):
            self.types[match[2]] = "c_void_p"
        elif match := re.fullmatch(r"typedef (\w+) (weft_\w+)", s):
            self.types[match[2]] = self.types[match[1]]
        elif match := re.fullmatch(r"(?:extern )?([\w\s*]+?[\s*])(weft_\w+) ?\((.*)\)", s):
            self.functions[match[2]] = self.signature(match[1], match[3])


def declarations():
    d = Declarations()
    for s in statements(preprocessed()):
        d.statement(s)
    return d


# ---- Python ----

HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Written by declare.py from include/weft.
"""The C interface of libweft for ctypes: constants, structures, functions."""
from ctypes import (CFUNCTYPE, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int,
                    c_int8, c_int16, c_int32, c_int64, c_size_t, c_uint, c_uint8, c_uint16,
                    c_uint32, c_uint64, c_void_p)

'''


def wrapped(head, items, tail):
    """head item, item, ... tail in lines of at most 100 columns."""
    lines, line = [], head
    for i, item in enumerate(items):
        piece = item + (", " if i + 1 < len(items) else tail)
        if len(line) + len(piece) > 99 and line.strip():
            lines.append(line.rstrip())
            line = "    "
        line += piece
    return "\n".join(lines + [line.rstrip()])


def python():
    d = declarations()
    out = [HEAD.rstrip(), "", "# ---- constants ----", ""]
    out += [f"{k} = {v}" for k, v in d.constants.items() if k.startswith("WEFT_")]
    out += ["", "# ---- callbacks and structures ----", ""]
    written = set()
    for name, args in d.callbacks.items():
        out.append(wrapped(f"{name} = CFUNCTYPE(", args, ")"))
        written.add(name)
    for name, fields in d.structs.items():
        out += ["", "", f"class {name}(Structure):"]
        rows = [f'("{n}", {e})' for n, e in fields]
        out.append(wrapped("    _fields_ = [", rows, "]").replace("\n    (", "\n                ("))
    out += ["", "", "# ---- functions: result, parameters ----", "", "FUNCTIONS = {"]
    out += [wrapped(f'    "{n}": (', a, ("," if len(a) == 1 else "") + "),")
            for n, a in d.functions.items()]
    return "\n".join(out + ["}"]) + "\n"


# ---- sizes ----

def check_sizes(path):
    sys.path.insert(0, os.path.dirname(path))
    import ctypes
    import _abi
    d = declarations()
    lines, want = [], []
    for name, fields in d.structs.items():
        here = getattr(_abi, name)
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        want.append((name, ctypes.sizeof(here)))
        for field, _ in fields:
            lines.append(f'printf("%zu\\n", offsetof({name}, {field}));')
            want.append((f"{name}.{field}", getattr(here, field).offset))
    text = "#include <stdio.h>\n" + "".join(f"#include <weft/{h}.h>\n" for h in HEADERS)
    text += "int main(void) {" + "\n".join(lines) + "return 0; }"
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "sizes")
        subprocess.run([compiler(), "-xc", "-I", os.path.join(TOP, "include"), "-o", program, "-"],
                       input=text, text=True, check=True)
        got = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    wrong = [f"{n}: {w} in Python, {g} in C" for (n, w), g in zip(want, got) if w != int(g)]
    sys.exit("\n".join(wrong) if wrong else None)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    path = os.path.abspath(sys.argv[1])
    if "--sizes" in sys.argv:
        check_sizes(path)
    with open(path, "w", encoding="utf-8") as f:
        f.write(python())


if __name__ == "__main__":
    main()
