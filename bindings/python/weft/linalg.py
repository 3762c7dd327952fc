# SPDX-License-Identifier: Apache-2.0
"""Products and linear algebra: the array API's `linalg` as far as weft/tensor.h has it."""
from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple, Sequence

from . import _abi, _dtypes, errors
from ._library import encoded, lib
from ._manipulation import broadcast_to, matrix_transpose, moveaxis, permute_dims, reshape
from .tensor import Tensor, axes_of, op, pointers

__all__ = ["cholesky", "cross", "det", "diagonal", "einsum", "inv", "matmul", "matrix_norm",
           "matrix_power", "matrix_transpose", "outer", "qr", "slogdet", "solve", "tensordot",
           "trace", "triangular_solve", "vecdot", "vector_norm"]


# ---- products ----

def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    if x1.ndim == 0 or x2.ndim == 0:
        raise errors.ShapeError("matmul() is for rank 1 and more")
    return op(x1.context, lib.weft_tensor_matmul, x1, x2)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    return op(x1.context, lib.weft_tensor_outer, x1, x2)


def einsum(equation: str, *tensors: Tensor) -> Tensor:
    """Sums of products over named axes: einsum("bij,bjk->bik", a, b)."""
    if not tensors:
        raise errors.InvalidError("einsum() needs tensors")
    return op(tensors[0].context, lib.weft_tensor_einsum, encoded(equation), pointers(tensors),
              len(tensors))


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2
              ) -> Tensor:
    if isinstance(axes, int):
        axes = list(range(x1.ndim - axes, x1.ndim)), list(range(axes))
    a, b = axes_of(tuple(axes[0]), x1.ndim), axes_of(tuple(axes[1]), x2.ndim)
    if [x1.shape[i] for i in a] != [x2.shape[i] for i in b]:
        raise errors.ShapeError(f"the axes {axes} of {x1.shape} and {x2.shape} differ in size")
    free_a = [i for i in range(x1.ndim) if i not in a]
    free_b = [i for i in range(x2.ndim) if i not in b]
    shape_a, shape_b = [x1.shape[i] for i in free_a], [x2.shape[i] for i in free_b]
    inner = math.prod(x1.shape[i] for i in a)
    left = reshape(permute_dims(x1, free_a + a), (math.prod(shape_a), inner))
    right = reshape(permute_dims(x2, b + free_b), (inner, math.prod(shape_b)))
    return reshape(matmul(left, right), (*shape_a, *shape_b))


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    from ._elementwise import multiply
    from ._reductions import sum
    if axis >= 0 or axis < -min(x1.ndim, x2.ndim) or x1.shape[axis] != x2.shape[axis]:
        raise errors.ShapeError(f"axis {axis} of {x1.shape} and {x2.shape}")
    dtype = _dtypes.result_type(x1, x2)
    return sum(multiply(moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)), axis=-1, dtype=dtype)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    from ._elementwise import multiply, subtract
    from ._manipulation import broadcast_arrays, stack
    if axis >= 0 or x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise errors.ShapeError(f"cross() needs 3 elements along axis {axis}")
    x1, x2 = broadcast_arrays(x1, x2)
    a, b = ([op(t.context, lib.weft_tensor_select, t, axis, i) for i in range(3)]
            for t in (x1, x2))
    parts = [subtract(multiply(a[i], b[j]), multiply(a[j], b[i]))
             for i, j in ((1, 2), (2, 0), (0, 1))]
    return stack(parts, axis=axis)


# ---- parts of matrices ----

def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    return op(x.context, lib.weft_tensor_diagonal, x, -2, -1, offset)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    from ._reductions import sum
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


# ---- factors and systems ----

class QR(NamedTuple):
    Q: Tensor
    R: Tensor


class Slogdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    return op(x.context, lib.weft_tensor_cholesky, x, upper)


def qr(x: Tensor, /, *, mode: str = "reduced") -> QR:
    if mode != "reduced":
        raise errors.UnsupportedError(f"qr() in the mode {mode!r}: only 'reduced'")
    q, r = ctypes.c_void_p(), ctypes.c_void_p()
    x.context.call(lib.weft_tensor_qr, ctypes.byref(q), ctypes.byref(r), x)
    return QR(Tensor(q.value, x.context), Tensor(r.value, x.context))


def det(x: Tensor, /) -> Tensor:
    return op(x.context, lib.weft_tensor_det, x)


def slogdet(x: Tensor, /) -> Slogdet:
    from ._elementwise import abs, log, sign
    found = det(x)
    return Slogdet(sign(found), log(abs(found)))


def inv(x: Tensor, /) -> Tensor:
    return op(x.context, lib.weft_tensor_inv, x)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    if x2.ndim != 1 and x1.shape[:-2] != x2.shape[:-2]:
        from ._manipulation import broadcast_shapes
        batch = broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
        x1 = broadcast_to(x1, (*batch, *x1.shape[-2:]))
        x2 = broadcast_to(x2, (*batch, *x2.shape[-2:]))
    elif x2.ndim == 1 and x1.ndim > 2:
        wide = broadcast_to(reshape(x2, (x2.size, 1)), (*x1.shape[:-1], 1))
        return reshape(solve(x1, wide), x1.shape[:-1])
    return op(x1.context, lib.weft_tensor_solve, x1, x2)


def triangular_solve(a: Tensor, b: Tensor, /, *, upper: bool = False, unit: bool = False
                     ) -> Tensor:
    """y with a y = b for a triangular matrix a."""
    raw = _abi.weft_triangular(upper=upper, unit=unit)
    return op(a.context, lib.weft_tensor_triangular_solve, a, b, ctypes.byref(raw))


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    from ._creation import eye
    if n < 0:
        return matrix_power(inv(x), -n)
    if n == 0:
        return broadcast_to(eye(x.shape[-1], dtype=x.dtype, context=x.context), x.shape)
    half = matrix_power(x, n // 2) if n > 1 else None
    out = x if half is None else matmul(half, half)
    return matmul(out, x) if n > 1 and n % 2 else out


# ---- norms ----

def vector_norm(x: Tensor, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2
                ) -> Tensor:
    from ._elementwise import abs, astype, not_equal, pow
    from ._reductions import max, min, norm, sum
    if ord in (1, 2):
        return norm(x, axis=axis, order=ord, keepdims=keepdims)
    if ord == 0:
        return astype(sum(not_equal(x, 0), axis=axis, keepdims=keepdims), x.dtype)
    if math.isinf(ord):
        return (max if ord > 0 else min)(abs(x), axis=axis, keepdims=keepdims)
    return pow(sum(pow(abs(x), float(ord)), axis=axis, keepdims=keepdims), 1 / ord)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    from ._elementwise import abs
    from ._reductions import max, min, sum
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord not in (1, -1, math.inf, -math.inf):
        raise errors.UnsupportedError(f"matrix_norm() of order {ord!r} needs singular values")
    axis = -2 if ord in (1, -1) else -1
    lines = sum(abs(x), axis=axis, keepdims=True)
    out = (max if ord > 0 else min)(lines, axis=-1 if axis == -2 else -2, keepdims=True)
    return out if keepdims else reshape(out, x.shape[:-2])


Tensor.__matmul__ = lambda self, other: matmul(self, other) \
    if isinstance(other, Tensor) else NotImplemented        # type: ignore[attr-defined]
