# SPDX-License-Identifier: Apache-2.0
"""Weft: WGSL kernels, tensors, solvers and language models on the CPU and on GPUs.

    weft.execute(wgsl, inputs, outputs)     one kernel on named data, on whichever device suits
    weft.asarray(...), weft.matmul(...)     tensors: this module is an array API namespace
    weft.solve                              least squares, curve fits, derivatives
    weft.model                              language models from GGUF files
    weft.nn, weft.linalg, weft.random       more operators; weft.store: files of tensors

Errors are WeftError; `kind` says which. Times are in seconds."""
from __future__ import annotations

import math as _math

from . import _dtypes, linalg, model, nn, random, solve, store
from ._creation import *
from ._dtypes import (DType, bfloat16, bool, can_cast, finfo, float16, float32, float64, iinfo,
                      int8, int32, int64, isdtype, result_type, uint8, uint32)
from ._elementwise import *
from ._info import __array_namespace_info__
from ._manipulation import *
from ._reductions import *
from ._searching import *
from .context import Context, default_context, set_default_context
from .errors import *
from .linalg import einsum, matmul, matrix_transpose, outer, tensordot, vecdot
from .pool import *
from .tensor import Tensor

__version__ = "0.1.0"
__array_api_version__ = "2023.12"

e, inf, nan, pi, newaxis = _math.e, _math.inf, _math.nan, _math.pi, None
