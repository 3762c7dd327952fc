#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wheel.py - builds the wheel, with the library and LLVM inside.

    bindings/python/wheel.py [BUILD [FOLDER]]       default: build/release, build/wheel

Needs a build of Weft (`make`), its compiler and LLVM's static libraries. Metadata are those of
pyproject.toml. The wheel needs glibc and nothing else; its name says which glibc.
"""
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

import stage

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))


def project():
    """Name, version, summary, minimal Python from pyproject.toml."""
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as f:
        text = f.read()
    return {key: re.search(rf'^{key} = "(.*)"$', text, re.M)[1]
            for key in ("name", "version", "description", "requires-python")}


def glibc(folder):
    """The newest glibc that a library of the folder asks for: (2, 36)."""
    found = set()
    for name in os.listdir(folder):
        text = subprocess.run(["objdump", "-T", os.path.join(folder, name)], check=True,
                              capture_output=True, text=True).stdout
        found |= {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", text)}
    return max(found)


def metadata(about):
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as f:
        readme = f.read()
    return (f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
            f"Summary: {about['description']}\nLicense: Apache-2.0\n"
            f"Requires-Python: {about['requires-python']}\nProvides-Extra: numpy\n"
            "Requires-Dist: numpy; extra == 'numpy'\n"
            f"Description-Content-Type: text/markdown\n\n{readme}")


def entries(package):
    for folder, _, names in sorted(os.walk(package)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                yield os.path.join("weft", os.path.relpath(path, package)), f.read()


def add(archive, record, name, data):
    """With one date, so that equal contents give equal wheels."""
    info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
    info.external_attr = (0o755 if ".so" in name else 0o644) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record.append(f"{name},sha256={digest},{len(data)}")


def write(path, package, about, tag):
    info, record = f"{about['name']}-{about['version']}.dist-info", []
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries(package):
            add(archive, record, name, data)
        add(archive, record, f"{info}/METADATA", metadata(about).encode())
        add(archive, record, f"{info}/WHEEL", (
            f"Wheel-Version: 1.0\nGenerator: weft\nRoot-Is-Purelib: false\nTag: {tag}\n").encode())
        with open(os.path.join(TOP, "LICENSE"), "rb") as f:
            add(archive, record, f"{info}/LICENSE", f.read())
        record.append(f"{info}/RECORD,,\n")
        archive.writestr(f"{info}/RECORD", "\n".join(record))


def main():
    build, out = (sys.argv[1:] + [None, None])[:2]
    build = os.path.abspath(build or os.path.join(TOP, "build/release"))
    out = os.path.abspath(out or os.path.join(TOP, "build/wheel"))
    os.makedirs(out, exist_ok=True)
    about = project()
    with tempfile.TemporaryDirectory() as work:
        libraries = os.path.join(work, "lib")
        subprocess.run([os.path.join(TOP, "tools/link-bundle"), build, libraries], check=True)
        major, minor = glibc(libraries)
        tag = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"
        package = stage.stage(work, [os.path.join(libraries, n) for n in os.listdir(libraries)],
                              copy=True)
        path = os.path.join(out, f"{about['name']}-{about['version']}-{tag}.whl")
        write(path, package, about, tag)
    print(path)


if __name__ == "__main__":
    main()
