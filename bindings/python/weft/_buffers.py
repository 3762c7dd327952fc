# SPDX-License-Identifier: Apache-2.0
"""Memory of Python objects for the library: addresses, types and shapes through the buffer
protocol, without copies where the memory is contiguous. NumPy is used if it is there."""
from __future__ import annotations

import ctypes
import math
import sys
from typing import Any, NamedTuple

from . import errors

# buffer format -> name of the type; sizes are fixed, so that "l" is found by its size
_FORMATS = {"f": "f32", "e": "f16", "d": "f64", "b": "i8", "B": "u8", "c": "u8", "?": "bool",
            "i": "i32", "I": "u32", "l": "i64", "L": "u64", "q": "i64", "Q": "u64", "h": "i16",
            "H": "u16"}
# the other way: formats of memoryviews
CODES = {"f32": "f", "f16": "e", "f64": "d", "i8": "b", "u8": "B", "bool": "?", "i32": "i",
         "u32": "I", "i64": "q", "bytes": "B"}
SIZES = {"f32": 4, "f16": 2, "bf16": 2, "f64": 8, "i8": 1, "u8": 1, "bool": 1, "i32": 4, "u32": 4,
         "i64": 8, "bytes": 1}
NUMPY = {"f32": "float32", "f16": "float16", "f64": "float64", "i8": "int8", "u8": "uint8",
         "bool": "bool", "i32": "int32", "u32": "uint32", "i64": "int64", "bytes": "uint8"}


def numpy():
    """The module, if it is loaded or can be; else None."""
    global _numpy
    if _numpy is _UNKNOWN:
        try:
            import numpy as module
            _numpy = module
        except ImportError:
            _numpy = None
    return _numpy


_UNKNOWN: Any = object()
_numpy: Any = _UNKNOWN


class _Buffer(ctypes.Structure):
    """Py_buffer"""
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int),
                ("ndim", ctypes.c_int), ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p),
                ("internal", ctypes.c_void_p)]


_get = ctypes.pythonapi.PyObject_GetBuffer
_get.argtypes = [ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int]
_give_back = ctypes.pythonapi.PyBuffer_Release
_give_back.argtypes = [ctypes.POINTER(_Buffer)]


class Memory(NamedTuple):
    """Contiguous memory: `keep` must live as long as the address is used."""
    address: int
    type: str
    shape: tuple
    size: int
    keep: Any


def _address(view: memoryview) -> int:
    raw = _Buffer()
    _get(view, ctypes.byref(raw), 0)
    address = raw.buf
    _give_back(ctypes.byref(raw))
    return address or 0


def _type(format: str, itemsize: int) -> str:
    code = format.lstrip("@=<")
    if format.startswith(">") and sys.byteorder == "little" and itemsize > 1:
        raise errors.DTypeError(f"the buffer format '{format}' is big-endian")
    name = _FORMATS.get(code)
    if name in ("i64", "u64") and itemsize == 4:
        name = name[0] + "32"
    if name is None:
        raise errors.DTypeError(f"the buffer format '{format}' is not a type of Weft")
    return name


def memory(value: Any, writable: bool = False) -> Memory | None:
    """The memory of an object with the buffer protocol; None if it has none. Memory that is not
    contiguous is copied, unless it is to be written."""
    np = _numpy if _numpy is not _UNKNOWN else sys.modules.get("numpy")
    if np is not None and isinstance(value, (np.ndarray, np.generic)):
        return _array_memory(np, value, writable)
    try:
        view = memoryview(value)
    except TypeError:
        return None
    if writable and view.readonly:
        raise errors.InvalidError("the output's memory is read-only")
    if not view.c_contiguous:
        if writable:
            raise errors.InvalidError("the output's memory is not contiguous")
        shape, format = view.shape, view.format
        view = memoryview(view.tobytes())
        return Memory(_address(view), _type(format, view.itemsize), shape, view.nbytes, view)
    kind = _type(view.format, view.itemsize)
    return Memory(_address(view), kind, view.shape, view.nbytes, view)


_ARRAY_TYPES: dict = {}


def _array_memory(np, value, writable: bool) -> Memory:
    kind = _ARRAY_TYPES.get(value.dtype)
    if kind is None:
        if value.dtype.byteorder == ">" or value.dtype.char not in _FORMATS:
            raise errors.DTypeError(f"the NumPy type {value.dtype} is not a type of Weft")
        kind = _ARRAY_TYPES[value.dtype] = _type(value.dtype.char, value.dtype.itemsize)
    if not value.flags.c_contiguous:
        if writable:
            raise errors.InvalidError("the output's memory is not contiguous")
        value = np.ascontiguousarray(value)
    elif not isinstance(value, np.ndarray):
        value = np.asarray(value)
    address, readonly = value.__array_interface__["data"]
    if writable and readonly:
        raise errors.InvalidError("the output's memory is read-only")
    return Memory(address, kind, value.shape, value.nbytes, value)


def allocate(kind: str, shape: tuple) -> tuple[Any, Memory]:
    """A new array for results: of NumPy, else a memoryview with type and shape."""
    np = numpy()
    if np is not None:
        array = np.empty(shape, NUMPY[kind])
        return array, Memory(array.__array_interface__["data"][0], kind, shape, array.nbytes, array)
    size = math.prod(shape) * SIZES[kind]
    flat = memoryview(bytearray(size)) if size else memoryview(b"")
    code = "H" if kind == "f16" else CODES[kind]        # memoryviews have no f16: its bits
    view = flat.cast(code, shape) if size and shape else flat.cast(code)
    return view, Memory(_address(flat) if size else 0, kind, shape, size, view)
