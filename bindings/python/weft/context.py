# SPDX-License-Identifier: Apache-2.0
"""A device for tensors, solvers and models: weft/context.h.

A context serves one call at a time; calls from several threads wait for each other. Objects that
the garbage collector finds on another thread are released by the next call."""
from __future__ import annotations

import collections
import ctypes
import threading
from typing import Any

from . import _abi, errors
from ._library import OFF, Handle, Once, encoded, lib, text
from . import _library

__all__ = ["Context", "default_context", "set_default_context"]


def usable(args: tuple) -> None:
    """Raises the error of an argument that was released, which ctypes hides in its own."""
    for a in args:
        if isinstance(a, Handle):
            a._as_parameter_


class Context(Handle):
    """A device with its memory budget.

    adapter    "cpu", "gpu", "vulkan", a number or part of a name; None: the best
    library    path of a library with webgpu.h; None: Weft's own
    checked    indices that kernels read are validated
    no_device  for files and texts alone
    """

    __slots__ = ("_lock", "_garbage", "_calls", "writes")
    _release = lib.weft_context_release
    _what = "context"

    def __init__(self, adapter: str | None = None, *, library: str | None = None,
                 no_device: bool = False, threads: int = 0, memory_budget: int | None = None,
                 dispatch_deadline: float | None = None, checked: bool = False,
                 cache: bool = True, label: str | None = None):
        from .pool import nanoseconds
        desc = _abi.weft_context_desc(
            adapter=encoded(adapter), library=encoded(library), no_device=no_device,
            threads=threads, memory_budget=OFF if memory_budget == -1 else memory_budget or 0,
            dispatch_deadline=nanoseconds(dispatch_deadline), checked=checked,
            no_cache=not cache, label=encoded(label))
        pointer = lib.weft_context_create(ctypes.byref(desc))
        if not pointer:
            raise errors.MemoryError("no memory for a context")
        self._lock = threading.RLock()
        self._garbage: collections.deque = collections.deque()
        self._calls = 0                 # C calls that may call back into Python
        self.writes = 0                 # counts what may change elements of tensors in place
        super().__init__(pointer)
        if lib.weft_context_error(pointer) and not no_device:
            self.check()

    # ---- calls ----

    def call(self, function: Any, *args: Any) -> Any:
        """Calls a function of the library; its failure becomes an exception."""
        with self._lock:
            if self._garbage:
                self._drain()
            self._as_parameter_
            try:
                result = function(*args)
            except ctypes.ArgumentError:
                usable(args)
                raise
            if not result:
                self.check()
                raise errors.InternalError(f"{function.__name__} failed without an error")
            return result

    def call_out(self, function: Any, *args: Any) -> Any:
        """The same for calls that run callbacks of Python: nothing is released meanwhile."""
        with self._lock:
            self._calls += 1
            try:
                return self.call(function, *args)
            finally:
                self._calls -= 1

    def ask(self, function: Any, *args: Any) -> Any:
        """A call that cannot fail."""
        with self._lock:
            self._as_parameter_
            try:
                return function(*args)
            except ctypes.ArgumentError:
                usable(args)
                raise

    def check(self) -> None:
        """Raises the error of the context, if it has one."""
        raw = _abi.weft_error.from_address(lib.weft_context_error(self))
        if not raw.kind:
            return
        names = [text(raw.names[i]) for i in range(raw.name_count)]
        error = errors.make(text(lib.weft_error_kind_name(raw.kind)), text(raw.message), names)
        lib.weft_context_error_clear(self)
        raise error

    # ---- objects that go ----

    def give_back(self, release: Any, pointer: int) -> None:
        """Releases an object of this context: now, or when the context is free."""
        if self._generation != _library.generation:
            return
        if not self._calls and self._lock.acquire(blocking=False):
            try:
                release(pointer)        # it keeps the context alive, released or not
            finally:
                self._lock.release()
        else:
            self._garbage.append((release, pointer))

    def _drain(self) -> None:
        while self._garbage and not self._calls:
            release, pointer = self._garbage.popleft()
            release(pointer)

    def release(self) -> None:
        if self._generation != _library.generation:
            self._pointer = None
            return
        with self._lock:
            if self._pointer:
                self._drain()
            super().release()

    close = release

    # ---- the device ----

    @property
    def device(self) -> dict:
        """Name, backend, features of the device."""
        pointer = self.ask(lib.weft_context_device, self)
        if not pointer:
            return {}
        raw = _abi.weft_device_info.from_address(pointer)
        return {n: text(v) if isinstance(v := getattr(raw, n), bytes) else v
                for n, _ in raw._fields_ if n != "limits"}

    @property
    def memory(self) -> dict:
        """Bytes in use: live, peak, pooled, host, disk, evicted, budget."""
        raw = _abi.weft_memory()
        self.ask(lib.weft_context_memory, ctypes.byref(raw), self)
        return {n: getattr(raw, n) for n, _ in raw._fields_}

    def counter(self, name: str) -> int:
        """A counter such as "tensor.kernels"."""
        return self.ask(lib.weft_context_counter, self, encoded(name))

    def trim(self, keep: int = 0) -> None:
        """Frees pooled buffers."""
        self.ask(lib.weft_context_trim, self, keep)

    def wait(self) -> None:
        """Until the device has finished what was asked of it."""
        self.call(lib.weft_context_wait, self)


class Owned(Handle):
    """An object that belongs to a context, and to its lock."""

    __slots__ = ("context",)

    def __init__(self, pointer: int, context: Context):
        super().__init__(pointer)
        self.context = context

    @property
    def _as_parameter_(self) -> int:
        pointer = Handle._as_parameter_.fget(self)
        if not self.context._pointer:
            raise errors.InvalidError(f"the context of this {self._what} was released")
        return pointer

    def release(self) -> None:
        pointer, self._pointer = self._pointer, None
        if pointer and self._generation == _library.generation:
            self.context.give_back(type(self)._release, pointer)

    close = release


_default = Once(Context)
_chosen: Context | None = None


def default_context() -> Context:
    """The context of functions that are given none: the best device."""
    if _chosen is not None:
        return _chosen
    return _default.get()


def set_default_context(context: Context | None) -> None:
    """Makes another context the default; None: the best device again."""
    global _chosen
    _chosen = context
