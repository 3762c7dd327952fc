# SPDX-License-Identifier: Apache-2.0
"""DLPack in and out: arrays of other libraries become tensors without a copy by us, tensors are
exported from a copy in memory of the host."""
from __future__ import annotations

import ctypes
import math
from typing import Any

from . import _dtypes, errors
from ._library import lib
from .context import Context
from .tensor import Tensor, op


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32),
                ("dtype", _DataType), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]

_INT, _UINT, _FLOAT, _BFLOAT, _BOOL = 0, 1, 2, 4, 6
_CODES = {"int": _INT, "uint": _UINT, "float": _FLOAT, "bool": _BOOL}
_HOST = (1, 3, 11, 13)                  # CPU, and memory of GPUs that the host can read

_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
_python.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]

_NAME, _USED = b"dltensor", b"used_dltensor"        # must live as long as capsules


# ---- out ----

_exported: dict[int, Any] = {}          # address of the managed tensor -> what it needs


@_Deleter
def _delete(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _drop(capsule):
    """The destructor of a capsule that was not consumed. Its reference is gone: only C functions may see it."""
    is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
        ("PyCapsule_IsValid", _python))
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", _python))
    if is_valid(capsule, _NAME):
        _exported.pop(get(capsule, _NAME), None)


def export(t: Tensor, copy: Any = None) -> Any:
    """A capsule with a copy of the elements."""
    if copy is False:
        raise errors.InvalidError("a tensor is exported with a copy")
    if t.dtype.code == "bf16":
        code = _BFLOAT
    elif t.dtype.kind in _CODES:
        code = _CODES[t.dtype.kind]
    else:
        raise errors.DTypeError(f"DLPack has no type {t.dtype}")
    data = ctypes.create_string_buffer(t.nbytes + 64)
    start = (ctypes.addressof(data) + 63) & ~63
    if t.size:
        t._read(start, t.nbytes)
    strides = [math.prod(t.shape[i + 1:]) for i in range(t.ndim)]
    shape_array = (ctypes.c_int64 * max(1, t.ndim))(*t.shape)
    stride_array = (ctypes.c_int64 * max(1, t.ndim))(*strides)
    managed = _Managed(_DLTensor(start, _Device(1, 0), t.ndim,
                                 _DataType(code, t.dtype.bits, 1), shape_array, stride_array, 0),
                       None, _delete)
    address = ctypes.addressof(managed)
    _exported[address] = (managed, data, shape_array, stride_array)
    return _python.PyCapsule_New(address, _NAME, ctypes.cast(_drop, ctypes.c_void_p))


# ---- in ----

class _Taken:
    """Memory of another library: given back when it is not needed any more."""

    def __init__(self, managed):
        self._managed = managed

    def __del__(self):
        if self._managed.contents.deleter:
            self._managed.contents.deleter(self._managed)


def _dtype(raw: _DataType) -> _dtypes.DType:
    for d in _dtypes.ALL:
        code = _BFLOAT if d.code == "bf16" else _CODES[d.kind]
        if (raw.code, raw.bits, raw.lanes) == (code, d.bits, 1):
            return d
    raise errors.DTypeError(f"DLPack type {raw.code} of {raw.bits} bits is not a type of tensors")


def _strided(raw: _DLTensor, shape: tuple) -> bool:
    """Whether the elements are not one after the other."""
    if not raw.strides:
        return False
    expected = 1
    for i in reversed(range(raw.ndim)):
        if shape[i] != 1 and raw.strides[i] != expected:
            return math.prod(shape) > 0
        expected *= shape[i]
    return False


def take(value: Any, context: Context, copy: bool | None) -> Tensor:
    """The tensor of a DLPack capsule, or of an object that gives one."""
    from ._creation import create
    if isinstance(value, Tensor):
        return op(value.context, lib.weft_tensor_copy, value) if copy else value
    if hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] not in _HOST:
        raise errors.UnsupportedError("only arrays in memory of the host can be taken over")
    capsule = value.__dlpack__() if hasattr(value, "__dlpack__") else value
    if not _python.PyCapsule_IsValid(capsule, _NAME):
        raise errors.InvalidError("not a DLPack capsule, or one that was used")
    managed = ctypes.cast(_python.PyCapsule_GetPointer(capsule, _NAME), ctypes.POINTER(_Managed))
    raw = managed.contents.tensor
    shape = tuple(raw.shape[i] for i in range(raw.ndim))
    dtype = _dtype(raw.dtype)
    address = (raw.data or 0) + raw.byte_offset
    _python.PyCapsule_SetName(capsule, _USED)
    taken = _Taken(managed)
    if not _strided(raw, shape):
        size = math.prod(shape) * dtype.itemsize
        return create(context, dtype, shape, address, size, None if copy else taken)
    return _gather(context, dtype, shape, raw, address, copy, taken)


def _gather(context: Context, dtype: _dtypes.DType, shape: tuple, raw: _DLTensor, address: int,
            copy: bool | None, taken: _Taken) -> Tensor:
    """Elements with strides: the whole range is a tensor, and a view selects from it."""
    from ._creation import create
    strides = [raw.strides[i] for i in range(raw.ndim)]
    low = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides))
    high = sum(max(0, (n - 1) * s) for n, s in zip(shape, strides))
    size = (high - low + 1) * dtype.itemsize
    line = create(context, dtype, (high - low + 1,), address + low * dtype.itemsize, size,
                  None if copy else taken)
    view = op(context, lib.weft_tensor_as_strided, line, len(shape),
              (ctypes.c_uint64 * 8)(*shape), (ctypes.c_int64 * 8)(*strides), -low)
    return op(context, lib.weft_tensor_contiguous, view)
