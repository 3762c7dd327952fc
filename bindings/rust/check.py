#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# check.py - compares the declarations of weft-sys with the headers, as bindgen reads them.
#
#   bindings/rust/check.py
#
# Every function, struct, constant and type that weft-sys declares must be in the headers with the
# same types in the same order. Without bindgen the check is left out.
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
HEADERS = ["pool", "tensor", "solve", "model"]


def clean(text):
    """Text without comments, paths of std and differences of white space."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"(::)?std::(os::raw|option)::|(::)?core::option::", "", text)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ?([(){}\[\]<>,;:=*&-]) ?", r"\1", text)
    return re.sub(r",([)}>])", r"\1", text)


def parameter_types(text):
    """The types of `a:T,b:fn(x:U)->V`; the names of parameters do not count."""
    return re.sub(r"\b\w+:(?!:)", "", text)


def declarations(text):
    """name -> what it is, for all that Rust code declares."""
    text = clean(text)
    found = {}
    for name, params, result in re.findall(r"pub fn (weft_\w+|julia_\w+)\((.*?)\)((?:->[^;{]*)?);", text):
        found["fn " + name] = parameter_types(params) + result
    for name, body in re.findall(r"pub struct (\w+)\{(.*?)\}", text):
        if "_unused" not in body and "_private" not in body:
            found["struct " + name] = body.replace("pub ", "").rstrip(",")
    for name, kind, value in re.findall(r"pub const (\w+):(\w+)=(-?\d+);", text):
        found["const " + name] = kind + "=" + value
    for name, what in re.findall(r"pub type (\w+)=(.*?);", text):
        found["type " + name] = parameter_types(what)
    return found


def read_headers(names):
    with tempfile.NamedTemporaryFile("w", suffix=".h") as header:
        header.write("".join("#include <weft/%s.h>\n" % name for name in HEADERS))
        header.flush()
        options = ["--no-prepend-enum-name", "--no-layout-tests", "--no-doc-comments",
                   "--default-enum-style", "consts", "--size_t-is-usize"]
        for name in names:
            options += ["--allowlist-function", name]
        include = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True,
                                 text=True, check=True).stdout.strip()
        result = subprocess.run(["bindgen", header.name] + options +
                                ["--", "-I" + os.path.join(TOP, "include"), "-I" + include],
                                capture_output=True, text=True)
        if result.returncode:
            sys.exit("bindgen failed:\n" + result.stderr)
        return declarations(result.stdout)


def main():
    if not shutil.which("bindgen"):
        print("left out: bindgen is missing; tools/setup integration installs it")
        return 0
    ours = {}
    for path in sorted(glob.glob(os.path.join(HERE, "weft-sys", "src", "*.rs"))):
        if not path.endswith("lib.rs"):
            with open(path, encoding="utf-8") as file:
                ours.update(declarations(file.read()))
    functions = [key[3:] for key in ours if key.startswith("fn ")]
    theirs = read_headers(functions)
    wrong = 0
    for key, text in ours.items():
        if theirs.get(key) != text:
            wrong += 1
            print("%s\n    weft-sys  %s\n    headers   %s" % (key, text, theirs.get(key, "not there")))
    structs = sum(key.startswith("struct ") for key in ours)
    print("%d functions, %d structs, %d declarations in all, %d wrong"
          % (len(functions), structs, len(ours), wrong))
    return 1 if wrong or len(functions) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
