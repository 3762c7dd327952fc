# SPDX-License-Identifier: Apache-2.0
"""Loads libweft and declares its functions; what a child of fork() must not use."""
from __future__ import annotations

import ctypes
import os
import threading
from typing import Any

from . import _abi, errors

_HERE = os.path.dirname(os.path.abspath(__file__))


def _candidates():
    """Where the library may be, first the package's own."""
    if path := os.environ.get("WEFT_LIBRARY"):
        yield path
        return
    for name in ("libweft.so.0", "libweft.so"):
        yield os.path.join(_HERE, "lib", name)
    yield "libweft.so.0"


def _load() -> ctypes.CDLL:
    tried = []
    for path in _candidates():
        if os.sep in path and not os.path.exists(path):
            tried.append(f"{path}: not there")
            continue
        try:
            return ctypes.CDLL(path)
        except OSError as e:
            tried.append(f"{path}: {e}")
    raise ImportError("libweft cannot be loaded:\n  " + "\n  ".join(tried)
                      + "\nSet WEFT_LIBRARY to its path.")


def _declare(lib: ctypes.CDLL) -> None:
    for name, (result, *parameters) in _abi.FUNCTIONS.items():
        try:
            function = getattr(lib, name)
        except AttributeError:
            continue                    # libwebgpu_weft has it
        function.restype = result
        function.argtypes = parameters


lib = _load()
_declare(lib)

OFF = 2**64 - 1

# ---- fork: a child has its parent's objects, but not its threads ----

generation = 0


def _after_fork() -> None:
    global generation
    generation += 1


os.register_at_fork(after_in_child=_after_fork)


class Handle:
    """An object of the library: released once, unusable after that and in children of fork()."""

    __slots__ = ("_pointer", "_generation", "__weakref__")
    _release: Any = None                # function of the library
    _what = "object"

    def __init__(self, pointer: int):
        self._pointer = pointer
        self._generation = generation

    @property
    def _as_parameter_(self) -> int:
        if self._generation != generation:
            raise errors.InvalidError(f"this {self._what} belongs to the parent process: objects "
                                      "cannot be used after fork()")
        if not self._pointer:
            raise errors.InvalidError(f"this {self._what} was released")
        return self._pointer

    def release(self) -> None:
        """Gives the object back. Using it afterwards is an error; releasing again is not."""
        pointer, self._pointer = self._pointer, None
        if pointer and self._generation == generation:
            type(self)._release(pointer)

    close = release

    def __enter__(self):
        self._as_parameter_
        return self

    def __exit__(self, *_):
        self.release()

    def __del__(self):
        if getattr(self, "_pointer", None) and type(self)._release:
            try:
                self.release()
            except Exception:           # the interpreter is ending
                pass


def text(value: bytes | None) -> str:
    return value.decode("utf-8", "replace") if value else ""


def encoded(value: str | os.PathLike | None) -> bytes | None:
    if value is None:
        return None
    data = os.fsencode(value) if isinstance(value, os.PathLike) else str(value).encode()
    if b"\0" in data:
        raise errors.InvalidError("a text must not have a NUL character")
    return data


class Once:
    """Makes a value when it is first asked for; a child of fork() makes its own."""

    def __init__(self, make):
        self._make, self._lock = make, threading.Lock()
        self._value, self._generation = None, -1

    def get(self):
        if self._generation == generation and self._value is not None:
            return self._value
        if self._generation != generation:
            self._lock = threading.Lock()       # the parent's may be held by no thread
        with self._lock:
            if self._value is None or self._generation != generation:
                self._value = self._make()
                self._generation = generation
        return self._value
