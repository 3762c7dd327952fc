# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions of the array API standard, and the operators of tensors."""
from __future__ import annotations

import builtins
import math
from typing import Any

from . import _dtypes, errors
from ._library import lib
from .tensor import Tensor, op

Number = (builtins.bool, int, float)


# ---- operands ----

def _is_number(value: Any) -> bool:
    return isinstance(value, Number)


def pair(a: Any, b: Any) -> tuple[Tensor, Tensor]:
    """Two operands as tensors; a number of Python takes the type of the other."""
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        raise errors.DTypeError("one of the operands must be a tensor")
    return _operand(a, b), _operand(b, a)


def _operand(value: Any, other: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    context, dtype = other.context, other.dtype
    if not _is_number(value):
        from ._creation import asarray
        return asarray(value, context=context)
    if isinstance(value, builtins.bool) and dtype is not _dtypes.bool:
        value = int(value)
    if isinstance(value, int) and dtype.kind in ("int", "uint"):
        info = _dtypes.iinfo(dtype)
        if not info.min <= value <= info.max:
            raise OverflowError(f"{value} does not fit {dtype}")
        return op(context, lib.weft_tensor_full, context, dtype.number, 0, None, float(value))
    if isinstance(value, builtins.bool):
        return op(context, lib.weft_tensor_full, context, dtype.number, 0, None, float(value))
    if dtype.kind == "float":
        return op(context, lib.weft_tensor_full, context, dtype.number, 0, None, float(value))
    return op(context, lib.weft_tensor_scalar, context, float(value))


def _binary(name: str):
    function = getattr(lib, f"weft_tensor_{name}")

    def apply(x1: Any, x2: Any, /) -> Tensor:
        a, b = pair(x1, x2)
        return op(a.context, function, a, b)
    return apply


def _unary(name: str):
    function = getattr(lib, f"weft_tensor_{name}")

    def apply(x: Tensor, /) -> Tensor:
        return op(x.context, function, x)
    return apply


def _rounding(name: str):
    """Integers are what they are."""
    function = getattr(lib, f"weft_tensor_{name}")

    def apply(x: Tensor, /) -> Tensor:
        return op(x.context, function if x.dtype.kind == "float" else lib.weft_tensor_copy, x)
    return apply


def _bitwise(integers: str, logical: str):
    """Of booleans these are the logical functions."""
    function = getattr(lib, f"weft_tensor_{integers}")
    on_bool = getattr(lib, f"weft_tensor_{logical}")

    def apply(x1: Any, x2: Any, /) -> Tensor:
        a, b = pair(x1, x2)
        both = a.dtype is _dtypes.bool and b.dtype is _dtypes.bool
        return op(a.context, on_bool if both else function, a, b)
    return apply


# ---- tables: name in the standard, name in weft/tensor.h ----

_UNARY = {"abs": "abs", "acos": "acos", "acosh": "acosh", "asin": "asin", "asinh": "asinh",
          "atan": "atan", "atanh": "atanh", "cos": "cos", "cosh": "cosh", "exp": "exp",
          "expm1": "expm1", "isfinite": "is_finite", "isinf": "is_inf", "isnan": "is_nan",
          "log": "log", "log1p": "log1p", "log2": "log2", "logical_not": "logical_not",
          "negative": "neg", "reciprocal": "reciprocal", "sign": "sign", "sin": "sin",
          "sinh": "sinh", "square": "square", "sqrt": "sqrt", "tan": "tan", "tanh": "tanh",
          "erf": "erf", "rsqrt": "rsqrt", "positive": "copy"}
_ROUNDING = ("ceil", "floor", "round", "trunc")
_BINARY = {"add": "add", "atan2": "atan2", "bitwise_left_shift": "shl", "copysign": "copysign",
           "bitwise_right_shift": "shr", "divide": "div", "equal": "equal", "fmod": "fmod",
           "floor_divide": "floor_div", "greater": "greater", "greater_equal": "greater_equal",
           "hypot": "hypot", "less": "less", "less_equal": "less_equal",
           "logical_and": "logical_and", "logical_or": "logical_or", "logical_xor": "logical_xor",
           "maximum": "maximum", "minimum": "minimum", "multiply": "mul",
           "not_equal": "not_equal", "pow": "pow", "remainder": "remainder", "subtract": "sub"}
_BITWISE = {"bitwise_and": ("bit_and", "logical_and"), "bitwise_or": ("bit_or", "logical_or"),
            "bitwise_xor": ("bit_xor", "logical_xor")}


def _fill(out: dict) -> None:
    made = {**{n: _unary(c) for n, c in _UNARY.items()}, **{n: _rounding(n) for n in _ROUNDING},
            **{n: _binary(c) for n, c in _BINARY.items()},
            **{n: _bitwise(*c) for n, c in _BITWISE.items()}}
    for name, function in made.items():
        function.__name__ = function.__qualname__ = name
    out.update(made)


_fill(globals())


# ---- those with code of their own ----

def bitwise_invert(x: Tensor, /) -> Tensor:
    function = lib.weft_tensor_logical_not if x.dtype is _dtypes.bool else lib.weft_tensor_bit_not
    return op(x.context, function, x)


def log10(x: Tensor, /) -> Tensor:
    return multiply(log(x), 1 / math.log(10))


def logaddexp(x1: Any, x2: Any, /) -> Tensor:
    """log(exp(a) + exp(b)) without overflow; equal infinities stay what they are."""
    from ._searching import where
    a, b = pair(x1, x2)
    top, low = maximum(a, b), minimum(a, b)
    distance = where(equal(top, low), zeros_of(top), subtract(low, top))
    return add(top, log1p(exp(distance)))


def zeros_of(x: Tensor) -> Tensor:
    return op(x.context, lib.weft_tensor_full, x.context, x.dtype.number, 0, None, 0.0)


def signbit(x: Tensor, /) -> Tensor:
    one = op(x.context, lib.weft_tensor_full, x.context, x.dtype.number, 0, None, 1.0)
    return less(copysign(one, x), 0.0)


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    out = x
    if min is not None:
        out = maximum(out, _bound(min, x))
    if max is not None:
        out = minimum(out, _bound(max, x))
    if out is x:
        return op(x.context, lib.weft_tensor_copy, x)
    return out if out.dtype is x.dtype else op(x.context, lib.weft_tensor_cast, out,
                                               x.dtype.number)


def _bound(value: Any, x: Tensor) -> Any:
    """A bound outside the range of integers bounds nothing."""
    if isinstance(value, (int, float)) and x.dtype.kind in ("int", "uint"):
        info = _dtypes.iinfo(x.dtype)
        return int(builtins.max(info.min, builtins.min(info.max, value)))
    return value


def real(x: Tensor, /) -> Tensor:
    return x


def imag(x: Tensor, /) -> Tensor:
    """0: there are no complex types."""
    from ._creation import zeros_like
    return zeros_like(x)


def conj(x: Tensor, /) -> Tensor:
    return x


def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    dtype = _dtypes.find(dtype)
    if dtype is x.dtype:
        return op(x.context, lib.weft_tensor_copy, x) if copy else x
    return op(x.context, lib.weft_tensor_cast, x, dtype.number)


# ---- operators ----

_OPERATORS = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
              "floordiv": "floor_divide", "mod": "remainder", "pow": "pow",
              "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
              "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}
_COMPARISONS = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal",
                "gt": "greater", "ge": "greater_equal"}


def _operator(function: Any, reflected: bool):
    def apply(self, other):
        if not isinstance(other, (Tensor, *Number)) and not hasattr(other, "__array_interface__"):
            return NotImplemented
        return function(other, self) if reflected else function(self, other)
    return apply


def _attach() -> None:
    for name, function in _OPERATORS.items():
        setattr(Tensor, f"__{name}__", _operator(globals()[function], False))
        setattr(Tensor, f"__r{name}__", _operator(globals()[function], True))
    for name, function in _COMPARISONS.items():
        setattr(Tensor, f"__{name}__", _operator(globals()[function], False))
    for name, function in {"neg": "negative", "pos": "positive", "abs": "abs",
                           "invert": "bitwise_invert"}.items():
        setattr(Tensor, f"__{name}__", globals()[function])


_attach()

__all__ = [*_UNARY, *_ROUNDING, *_BINARY, *_BITWISE, "bitwise_invert", "log10", "logaddexp",
           "signbit", "clip", "real", "imag", "conj", "astype"]
