# SPDX-License-Identifier: Apache-2.0
"""Element types of tensors, and the questions that the array API standard asks of them."""
from __future__ import annotations

import builtins
import dataclasses
from typing import Any

from . import errors
from ._library import encoded, lib


class DType:
    """An element type: `weft.float32`. `code` is its name in Weft, "f32"."""

    __slots__ = ("name", "code", "number", "kind", "bits")

    def __init__(self, name: str, code: str, kind: str, bits: int):
        self.name, self.code, self.kind, self.bits = name, code, kind, bits
        self.number = lib.weft_dtype_find(encoded(code))

    @property
    def itemsize(self) -> int:
        return self.bits // 8

    def __repr__(self):
        return f"weft.{self.name}"

    def __str__(self):
        return self.name

    def __eq__(self, other):
        return self is other or (isinstance(other, (str, type)) and find(other, None) is self)

    def __hash__(self):
        return hash(self.name)

    def __reduce__(self):
        return find, (self.name,)


bool = DType("bool", "bool", "bool", 8)
int8 = DType("int8", "i8", "int", 8)
int32 = DType("int32", "i32", "int", 32)
int64 = DType("int64", "i64", "int", 64)
uint8 = DType("uint8", "u8", "uint", 8)
uint32 = DType("uint32", "u32", "uint", 32)
float16 = DType("float16", "f16", "float", 16)
bfloat16 = DType("bfloat16", "bf16", "float", 16)
float32 = DType("float32", "f32", "float", 32)
float64 = DType("float64", "f64", "float", 64)

ALL = (bool, int8, int32, int64, uint8, uint32, float16, bfloat16, float32, float64)
_BY_NAME = {**{d.name: d for d in ALL}, **{d.code: d for d in ALL}}
_BY_NUMBER = {d.number: d for d in ALL}
_BY_TYPE = {builtins.bool: bool, int: int32, float: float32}
_MISSING: Any = object()


def find(value: Any, default: Any = _MISSING) -> DType:
    """A type by object, name ("float32", "f32"), Python type or NumPy type."""
    if isinstance(value, DType):
        return value
    found = _BY_TYPE.get(value) if isinstance(value, type) else _BY_NAME.get(value) \
        if isinstance(value, str) else None
    if found is None:
        name = getattr(value, "name", None) or getattr(value, "__name__", None)
        found = _BY_NAME.get({"bool_": "bool"}.get(name, name))
    if found is None:
        if default is not _MISSING:
            return default
        raise errors.DTypeError(f"{value!r} is not a type of tensors")
    return found


def by_number(number: int) -> DType:
    """Of a weft_dtype; quantised types have no DType and are named by the library."""
    found = _BY_NUMBER.get(number)
    if found is None:
        code = lib.weft_dtype_name(number).decode()
        found = _BY_NUMBER[number] = DType(code, code, "quantized", 0)
    return found


# ---- the standard's questions ----

_KINDS = {"bool": ("bool",), "signed integer": ("int",), "unsigned integer": ("uint",),
          "integral": ("int", "uint"), "real floating": ("float",), "complex floating": (),
          "numeric": ("int", "uint", "float")}


def isdtype(dtype: DType, kind: Any) -> builtins.bool:
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return dtype.kind in _KINDS[kind]
    if isinstance(kind, DType):
        return dtype is kind
    raise errors.InvalidError(f"unknown kind of types {kind!r}")


_RANK = {"bool": 0, "i8": 1, "u8": 1, "i32": 2, "u32": 2, "i64": 3, "f16": 4, "bf16": 4, "f32": 5,
         "f64": 6}


def promote(a: DType, b: DType) -> DType:
    """As weft/tensor.h: i32 with u32 gives i32, f16 with bf16 f32."""
    if a is b:
        return a
    if {a.code, b.code} == {"f16", "bf16"}:
        return float32
    if _RANK[a.code] == _RANK[b.code]:
        return int32 if a.kind != b.kind else a
    return a if _RANK[a.code] > _RANK[b.code] else b


def result_type(*values: Any) -> DType:
    """Of types, tensors and Python numbers, which are weak."""
    strong = [find(getattr(v, "dtype", v)) for v in values
              if not isinstance(v, (builtins.bool, int, float))]
    weak = [v for v in values if isinstance(v, (builtins.bool, int, float))]
    if not strong:
        strong = [find(type(v)) for v in weak]
    found = strong[0]
    for d in strong[1:]:
        found = promote(found, d)
    for v in weak:
        if isinstance(v, float) and found.kind != "float":
            found = float32
        elif not isinstance(v, builtins.bool) and found is bool:
            found = int32
    return found


def can_cast(source: Any, target: DType) -> builtins.bool:
    source = find(getattr(source, "dtype", source))
    return promote(source, target) is target


@dataclasses.dataclass(frozen=True)
class Finfo:
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclasses.dataclass(frozen=True)
class Iinfo:
    bits: int
    max: int
    min: int
    dtype: DType


_FLOATS = {"f16": (2.0**-10, 65504.0, 2.0**-14),
           "bf16": (2.0**-7, float.fromhex("0x1.fep127"), 2.0**-126),
           "f32": (2.0**-23, float.fromhex("0x1.fffffep127"), 2.0**-126),
           "f64": (2.0**-52, float.fromhex("0x1.fffffffffffffp1023"), 2.0**-1022)}


def finfo(value: Any) -> Finfo:
    dtype = find(getattr(value, "dtype", value))
    if dtype.kind != "float":
        raise errors.DTypeError(f"{dtype} is not a floating-point type")
    eps, largest, smallest = _FLOATS[dtype.code]
    return Finfo(dtype.bits, eps, largest, -largest, smallest, dtype)


def iinfo(value: Any) -> Iinfo:
    dtype = find(getattr(value, "dtype", value))
    if dtype.kind not in ("int", "uint"):
        raise errors.DTypeError(f"{dtype} is not an integer type")
    if dtype.kind == "uint":
        return Iinfo(dtype.bits, 2**dtype.bits - 1, 0, dtype)
    return Iinfo(dtype.bits, 2**(dtype.bits - 1) - 1, -2**(dtype.bits - 1), dtype)
