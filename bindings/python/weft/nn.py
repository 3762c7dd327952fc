# SPDX-License-Identifier: Apache-2.0
"""Operators of neural networks: activations, norms, convolutions, attention, quantisation."""
from __future__ import annotations

import ctypes
from typing import Any, Sequence

from . import _abi, errors
from ._library import lib
from .tensor import Tensor, op

__all__ = ["attention", "avg_pool", "batch_norm", "conv1d", "conv2d", "conv_transpose",
           "dequantize", "dequantize_linear", "elu", "gelu", "group_norm", "hard_sigmoid",
           "hard_swish", "instance_norm", "layer_norm", "leaky_relu", "linear", "log_softmax",
           "masked_fill", "matmul_quantized", "max_pool", "mish", "quantize",
           "quantize_dynamic", "quantize_linear", "relu", "resize", "rms_norm", "rope", "scatter",
           "scatter_nd", "sigmoid", "silu", "softmax", "softplus", "softsign", "unfold"]


def _activation(name: str):
    function = getattr(lib, f"weft_tensor_{name}")

    def apply(x: Tensor, /) -> Tensor:
        return op(x.context, function, x)
    apply.__name__ = apply.__qualname__ = name
    return apply


relu = _activation("relu")
silu = _activation("silu")
sigmoid = _activation("sigmoid")
softplus = _activation("softplus")
hard_swish = _activation("hard_swish")
hard_sigmoid = _activation("hard_sigmoid")
mish = _activation("mish")
softsign = _activation("softsign")


def gelu(x: Tensor, /, *, tanh: bool = False) -> Tensor:
    return op(x.context, lib.weft_tensor_gelu, x, int(tanh))


def leaky_relu(x: Tensor, /, slope: float = 0.01) -> Tensor:
    return op(x.context, lib.weft_tensor_leaky_relu, x, slope)


def elu(x: Tensor, /, alpha: float = 1.0) -> Tensor:
    return op(x.context, lib.weft_tensor_elu, x, alpha)


def softmax(x: Tensor, /, *, axis: int = -1) -> Tensor:
    return op(x.context, lib.weft_tensor_softmax, x, axis)


def log_softmax(x: Tensor, /, *, axis: int = -1) -> Tensor:
    return op(x.context, lib.weft_tensor_log_softmax, x, axis)


# ---- norms ----

def layer_norm(x: Tensor, gain: Tensor | None = None, bias: Tensor | None = None,
               epsilon: float = 0.0) -> Tensor:
    """Over the last axis; epsilon 0: 1e-5."""
    return op(x.context, lib.weft_tensor_layer_norm, x, gain, bias, epsilon)


def rms_norm(x: Tensor, gain: Tensor | None = None, epsilon: float = 0.0) -> Tensor:
    return op(x.context, lib.weft_tensor_rms_norm, x, gain, epsilon)


def batch_norm(x: Tensor, mean: Tensor, variance: Tensor, gain: Tensor | None = None,
               bias: Tensor | None = None, epsilon: float = 0.0) -> Tensor:
    return op(x.context, lib.weft_tensor_batch_norm, x, mean, variance, gain, bias, epsilon)


def group_norm(x: Tensor, groups: int, gain: Tensor | None = None, bias: Tensor | None = None,
               epsilon: float = 0.0) -> Tensor:
    return op(x.context, lib.weft_tensor_group_norm, x, groups, gain, bias, epsilon)


def instance_norm(x: Tensor, gain: Tensor | None = None, bias: Tensor | None = None,
                  epsilon: float = 0.0) -> Tensor:
    return op(x.context, lib.weft_tensor_instance_norm, x, gain, bias, epsilon)


# ---- layers ----

_ACTIVATIONS = {None: 0, "relu": 1, "gelu": 2, "gelu_tanh": 3, "silu": 4, "sigmoid": 5, "tanh": 6}


def _activation_number(name: str | None) -> int:
    if name not in _ACTIVATIONS:
        raise errors.InvalidError(f"unknown activation {name!r}")
    return _ACTIVATIONS[name]


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None,
           activation: str | None = None) -> Tensor:
    """activation(x[..., K] x transpose(weight[N, K]) + bias[N])"""
    return op(x.context, lib.weft_tensor_linear, x, weight, bias, _activation_number(activation))


def _two(value: int | Sequence[int]) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (*value, *value)[:2]


def _conv(stride, dilation, groups, padding, activation, output_padding=0) -> Any:
    raw = _abi.weft_conv(groups=groups, activation=_activation_number(activation))
    raw.stride[:], raw.dilation[:] = _two(stride), _two(dilation)
    raw.pad_before[:] = raw.pad_after[:] = _two(padding)
    raw.output_pad[:] = _two(output_padding)
    return ctypes.byref(raw)


def conv1d(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, stride: Any = 1,
           dilation: Any = 1, groups: int = 1, padding: Any = 0,
           activation: str | None = None) -> Tensor:
    return op(x.context, lib.weft_tensor_conv1d, x, weight, bias,
              _conv(stride, dilation, groups, padding, activation))


def conv2d(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, stride: Any = 1,
           dilation: Any = 1, groups: int = 1, padding: Any = 0,
           activation: str | None = None) -> Tensor:
    """x[N, C, H, W], weight[O, C / groups, KH, KW], bias[O]"""
    return op(x.context, lib.weft_tensor_conv2d, x, weight, bias,
              _conv(stride, dilation, groups, padding, activation))


def conv_transpose(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, stride: Any = 1,
                   dilation: Any = 1, groups: int = 1, padding: Any = 0, output_padding: Any = 0,
                   activation: str | None = None) -> Tensor:
    return op(x.context, lib.weft_tensor_conv_transpose, x, weight, bias,
              _conv(stride, dilation, groups, padding, activation, output_padding))


def _window(size, stride, dilation, padding, ceil=False, include_padding=False) -> Any:
    raw = _abi.weft_pool2d(ceil=ceil, include_padding=include_padding)
    raw.size[:], raw.stride[:] = _two(size), _two(stride or 0)
    raw.dilation[:] = _two(dilation)
    raw.pad_before[:] = raw.pad_after[:] = _two(padding)
    return ctypes.byref(raw)


def max_pool(x: Tensor, size: Any, *, stride: Any = None, dilation: Any = 1, padding: Any = 0,
             ceil: bool = False) -> Tensor:
    return op(x.context, lib.weft_tensor_max_pool, x,
              _window(size, stride, dilation, padding, ceil))


def avg_pool(x: Tensor, size: Any, *, stride: Any = None, padding: Any = 0, ceil: bool = False,
             include_padding: bool = False) -> Tensor:
    return op(x.context, lib.weft_tensor_avg_pool, x,
              _window(size, stride, 1, padding, ceil, include_padding))


def unfold(x: Tensor, size: Any, *, stride: Any = 1, dilation: Any = 1, padding: Any = 0) -> Tensor:
    """The windows as columns: [N, C * window, places]"""
    return op(x.context, lib.weft_tensor_unfold, x, _window(size, stride, dilation, padding))


_RESIZE = {"nearest": 0, "linear": 1, "cubic": 2}


def resize(x: Tensor, size: Any, mode: str = "linear", *, align_corners: bool = False,
           antialias: bool = False) -> Tensor:
    """x[N, C, H, W] (or [N, C, L]) in another size."""
    if mode not in _RESIZE:
        raise errors.InvalidError(f"the mode is one of {', '.join(_RESIZE)}, not {mode!r}")
    raw = _abi.weft_resize(mode=_RESIZE[mode], grid=int(align_corners), antialias=antialias)
    raw.size[:] = _two(size)
    return op(x.context, lib.weft_tensor_resize, x, ctypes.byref(raw))


def attention(q: Tensor, k: Tensor, v: Tensor, *, mask: Tensor | None = None,
              causal: bool = False, window: int = 0, scale: float = 0.0,
              soft_cap: float = 0.0) -> Tensor:
    """softmax(q k^T scale + mask) v for q[B, H, T, D], k[B, G, S, D], v[B, G, S, E]"""
    raw = _abi.weft_attention(mask=_pointer(mask), causal=causal, window=window, scale=scale,
                              soft_cap=soft_cap)
    return op(q.context, lib.weft_tensor_attention, q, k, v, ctypes.byref(raw))


def rope(x: Tensor, *, positions: Tensor | None = None, frequencies: Tensor | None = None,
         base: float = 0.0, dims: int = 0, interleaved: bool = False) -> Tensor:
    """Rotary position embedding of x[..., T, D]."""
    raw = _abi.weft_rope(positions=_pointer(positions), frequencies=_pointer(frequencies),
                         base=base, dims=dims, interleaved=interleaved)
    return op(x.context, lib.weft_tensor_rope, x, ctypes.byref(raw))


def _pointer(t: Tensor | None) -> int | None:
    return None if t is None else t._as_parameter_


# ---- indexing ----

def masked_fill(x: Tensor, mask: Tensor, value: float) -> Tensor:
    return op(x.context, lib.weft_tensor_masked_fill, x, mask, value)


_SCATTER = {"set": 0, "add": 1, "mul": 2, "max": 3, "min": 4}


def scatter(x: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0,
            how: str = "set") -> Tensor:
    """x with out[indices[i][j]][j] from updates[i][j], for axis 0."""
    return op(x.context, lib.weft_tensor_scatter, x, indices, updates, axis, _SCATTER[how])


def scatter_nd(x: Tensor, indices: Tensor, updates: Tensor, *, how: str = "set") -> Tensor:
    """By tuples: indices[I..., n], updates[I..., the axes of x after the first n]."""
    return op(x.context, lib.weft_tensor_scatter_nd, x, indices, updates, _SCATTER[how])


# ---- quantisation ----

def _quantized(name: str) -> int:
    number = lib.weft_dtype_find(name.encode())
    if not number:
        raise errors.DTypeError(f"unknown type {name!r}")
    return number


def quantize(x: Tensor, dtype: str) -> Tensor:
    """As blocks of 32 along the last axis: "q4_0" or "q8_0"."""
    return op(x.context, lib.weft_tensor_quantize, x, _quantized(dtype))


def dequantize(q: Tensor) -> Tensor:
    return op(q.context, lib.weft_tensor_dequantize, q)


def _scales(scale: Tensor, zero: Tensor | None, axis: int) -> Any:
    return ctypes.byref(_abi.weft_scales(scale=_pointer(scale), zero=_pointer(zero), axis=axis))


def quantize_linear(x: Tensor, scale: Tensor, zero: Tensor | None = None, *, axis: int = 0,
                    dtype: str = "i8") -> Tensor:
    """clip(round(x / scale) + zero)"""
    return op(x.context, lib.weft_tensor_quantize_linear, x, _scales(scale, zero, axis),
              _quantized(dtype))


def dequantize_linear(q: Tensor, scale: Tensor, zero: Tensor | None = None, *,
                      axis: int = 0) -> Tensor:
    return op(q.context, lib.weft_tensor_dequantize_linear, q, _scales(scale, zero, axis))


_PER = {"tensor": 0, "axis": 1, "block": 2}


def quantize_dynamic(x: Tensor, dtype: str = "i8", *, per: str = "tensor", axis: int = 0,
                     block: int = 0) -> tuple[Tensor, Tensor, Tensor | None]:
    """Values, scales and zeros, chosen from the elements."""
    raw = _abi.weft_quantize(dtype=_quantized(dtype), per=_PER[per], axis=axis, block=block)
    out = [ctypes.c_void_p() for _ in range(3)]
    x.context.call(lib.weft_tensor_quantize_dynamic, *map(ctypes.byref, out), x, ctypes.byref(raw))
    values, scale, zero = (Tensor(p.value, x.context) if p.value else None for p in out)
    return values, scale, zero


def matmul_quantized(x: Tensor, w: Tensor, scale: Tensor | None = None,
                     zero: Tensor | None = None, *, axis: int = 0) -> Tensor:
    """x[..., K] times the transpose of the quantised w[N, K]."""
    return op(x.context, lib.weft_tensor_matmul_quantized, x, w,
              None if scale is None else _scales(scale, zero, axis))

