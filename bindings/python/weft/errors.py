# SPDX-License-Identifier: Apache-2.0
"""Exceptions. Each carries the kind that weft/error.h defines, so that programs need not compare
texts: `except weft.WeftError as e: e.kind == "not-found"`. The subclasses are also what a Python
programmer expects: a ShapeError is a ValueError, a NotFoundError a LookupError."""
from __future__ import annotations

import builtins
from typing import Sequence


class WeftError(Exception):
    """An error of Weft: `kind`, `message`, `names` (inputs, tensors, files involved)."""

    kind: str = "internal"

    def __init__(self, message: str, kind: str | None = None, names: Sequence[str] = ()):
        super().__init__(message)
        self.message = message
        self.kind = kind or type(self).kind
        self.names = tuple(names)

    def __reduce__(self):
        return type(self), (self.message, self.kind, self.names)


class UnsupportedError(WeftError, NotImplementedError):
    kind = "unsupported"


class InvalidError(WeftError, ValueError):
    kind = "invalid"


class ShapeError(WeftError, ValueError):
    kind = "shape"


class DTypeError(WeftError, TypeError):
    kind = "type"


class NotFoundError(WeftError, LookupError):
    kind = "not-found"


class ExistsError(WeftError, ValueError):
    kind = "exists"


class CompileError(WeftError, ValueError):
    kind = "compile"


class FormatError(WeftError, ValueError):
    kind = "format"


class MemoryError(WeftError, builtins.MemoryError):  # noqa: A001 - weft.MemoryError
    kind = "memory"


class QuotaError(WeftError):
    kind = "quota"


class DeniedError(WeftError, PermissionError):
    kind = "denied"


class CancelledError(WeftError):
    kind = "cancelled"


class TimeoutError(WeftError, builtins.TimeoutError):  # noqa: A001 - weft.TimeoutError
    kind = "timeout"


class DeviceLostError(WeftError):
    kind = "device-lost"


class IOError(WeftError, OSError):  # noqa: A001 - weft.IOError
    kind = "io"


class InternalError(WeftError):
    kind = "internal"


__all__ = ["WeftError", *[c.__name__ for c in WeftError.__subclasses__()]]
_CLASSES = {c.kind: c for c in WeftError.__subclasses__()}


def make(kind: str, message: str, names: Sequence[str] = ()) -> WeftError:
    """The exception of a kind."""
    return _CLASSES.get(kind, WeftError)(message, kind, names)
