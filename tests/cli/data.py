#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""data.py - data files for the tests of the command, made and read without it.

    tests/cli/data.py make FILE.npy TYPE SHAPE NUMBER...     data.py make x.npy '<f4' 2,3 1 2 ...
    tests/cli/data.py bytes FILE FORMAT NUMBER...            as Python's struct.pack
    tests/cli/data.py npy FILE.npy                           prints head and numbers
    tests/cli/data.py unpack FILE FORMAT                     prints what struct.unpack gives
    tests/cli/data.py png FILE.png                           prints size, then rows of pixels
"""
import ast
import re
import struct
import sys
import zlib

FORMATS = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
           "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}


def numbers(kind, words):
    return [float(w) if kind in "efd" else int(w, 0) for w in words]


def make(path, kind, shape, *words):
    shape = tuple(int(n) for n in shape.split(",") if n)
    head = str({"descr": kind, "fortran_order": False, "shape": shape}).encode() + b"\n"
    code = FORMATS[kind[1:]]
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
        f.write(struct.pack(f"{kind[0].replace('|', '<')}{len(words)}{code}",
                            *numbers(code, words)))


def make_bytes(path, form, *words):
    codes = "".join(c * int(n or 1) for n, c in re.findall(r"(\d*)([a-zA-Z])", form) if c != "x")
    with open(path, "wb") as f:
        f.write(struct.pack(form, *(numbers(c, [w])[0] for c, w in zip(codes, words))))


def show_npy(path):
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    size = struct.unpack("<H", data[8:10])[0]
    assert (10 + size) % 64 == 0, "the numbers are not aligned"
    head = ast.literal_eval(data[10:10 + size].decode())
    kind = head["descr"]
    values = [v for (v,) in struct.iter_unpack(kind[0] + FORMATS[kind[1:]], data[10 + size:])]
    print(kind, head["fortran_order"], head["shape"], *values)


def unpack(path, form):
    with open(path, "rb") as f:
        print(*struct.unpack(form, f.read()))


def unfilter(kind, row, before, step):
    for i in range(len(row)):
        left = row[i - step] if i >= step else 0
        up = before[i]
        corner = before[i - step] if i >= step else 0
        if kind == 4:
            p = left + up - corner
            add = min((abs(p - left), 0, left), (abs(p - up), 1, up),
                      (abs(p - corner), 2, corner))[2]
        else:
            add = (0, left, up, (left + up) // 2)[kind]
        row[i] = (row[i] + add) & 255
    return row


def show_png(path):
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert zlib.crc32(name + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        if name == b"IHDR":
            width, height, depth, kind = struct.unpack(">IIBB", body[:10])
            assert (depth, kind) == (8, 6), "not RGBA with 8 bits"
        elif name == b"IDAT":
            packed += body
        at += 12 + size
    raw = zlib.decompress(packed)
    print(f"{width} x {height}")
    before = bytearray(width * 4)
    for y in range(height):
        start = y * (1 + width * 4)
        before = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + width * 4]), before, 4)
        print(*(before[i:i + 4].hex() for i in range(0, width * 4, 4)))


def main():
    commands = {"make": make, "bytes": make_bytes, "npy": show_npy, "unpack": unpack,
                "png": show_png}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
