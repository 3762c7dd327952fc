# SPDX-License-Identifier: Apache-2.0
"""onnx_file.py - reads the part of ONNX files that single-operator test cases use.

in     bytes of a ModelProto or a TensorProto (protocol buffers)
out    nodes with attributes, tensors as NumPy arrays
not    sequences, maps, optional values, strings, subgraphs: those raise Unsupported
"""
import struct

import numpy as np


class Unsupported(Exception):
    """The file uses something that this reader leaves out."""


DTYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32,
          7: np.int64, 9: np.bool_, 10: np.float16, 11: np.float64, 12: np.uint32, 13: np.uint64}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Yields (number, value): an int, or the bytes of a length-delimited field."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        elif wire == 5:
            value, at = data[at:at + 4], at + 4
        elif wire == 1:
            value, at = data[at:at + 8], at + 8
        else:
            raise Unsupported(f"wire type {wire}")
        yield number, value


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def packed(value):
    """A repeated integer field: packed bytes, or one value."""
    if isinstance(value, int):
        return [signed(value)]
    out, at = [], 0
    while at < len(value):
        one, at = varint(value, at)
        out.append(signed(one))
    return out


def tensor(data):
    dims, kind, raw, numbers = [], 0, None, []
    for number, value in fields(data):
        if number == 1:
            dims += packed(value)
        elif number == 2:
            kind = value
        elif number == 4:
            numbers += struct.unpack(f"<{len(value) // 4}f", value)
        elif number in (5, 7, 11):
            numbers += packed(value)
        elif number == 6:
            raise Unsupported("strings")
        elif number == 9:
            raw = value
        elif number == 10:
            numbers += struct.unpack(f"<{len(value) // 8}d", value)
    if kind not in DTYPES:
        raise Unsupported(f"element type {kind}")
    if raw is not None:
        array = np.frombuffer(bytes(raw), DTYPES[kind])
    elif kind == 10:
        array = np.array(numbers, np.uint16).view(np.float16)
    else:
        array = np.array(numbers).astype(DTYPES[kind])
    return array.reshape(dims)


def attribute(data):
    name, kind, values = "", 0, {}
    for number, value in fields(data):
        if number == 1:
            name = value.decode()
        elif number == 20:
            kind = value
        else:
            values.setdefault(number, []).append(value)
    if kind == 1:
        return name, struct.unpack("<f", values[2][0])[0]
    if kind == 2:
        return name, signed(values.get(3, [0])[0])
    if kind == 3:
        return name, values.get(4, [b""])[0].decode()
    if kind == 4:
        return name, tensor(values[5][0])
    if kind == 6:
        out = []
        for value in values.get(7, []):
            out += struct.unpack(f"<{len(value) // 4}f", value)
        return name, out
    if kind == 7:
        out = []
        for value in values.get(8, []):
            out += packed(value)
        return name, out
    if kind == 8:
        return name, [v.decode() for v in values.get(9, [])]
    raise Unsupported(f"attribute of kind {kind}")


class Node:
    def __init__(self, data):
        self.inputs, self.outputs, self.op, self.domain, self.attr = [], [], "", "", {}
        for number, value in fields(data):
            if number == 1:
                self.inputs.append(value.decode())
            elif number == 2:
                self.outputs.append(value.decode())
            elif number == 4:
                self.op = value.decode()
            elif number == 5:
                name, what = attribute(value)
                self.attr[name] = what
            elif number == 7:
                self.domain = value.decode()


def value_name(data):
    for number, value in fields(data):
        if number == 1:
            return value.decode()
    return ""


class Model:
    """nodes, inputs and outputs by name, initializers, opset."""

    def __init__(self, data):
        self.nodes, self.inputs, self.outputs, self.constants, self.opset = [], [], [], {}, 0
        for number, value in fields(data):
            if number == 7:
                self.graph(value)
            elif number == 8:
                parts = dict(fields(value))
                if not parts.get(1):
                    self.opset = parts.get(2, 0)

    def graph(self, data):
        for number, value in fields(data):
            if number == 1:
                self.nodes.append(Node(value))
            elif number == 5:
                name = dict(fields(value)).get(8, b"").decode()
                self.constants[name] = tensor(value)
            elif number == 11:
                self.inputs.append(value_name(value))
            elif number == 12:
                self.outputs.append(value_name(value))
