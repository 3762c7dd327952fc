# SPDX-License-Identifier: Apache-2.0
"""Scalar graphs, their derivatives, and batches of instances on a device: weft/grad.h.

    g = weft.solve.Graph()
    cx, cy, r = g.input("circle", 3)
    px, py = g.data("point", 2)
    g.output((px - cx).hypot(py - cy) - r)
    batch = weft.solve.Batch(g, 3, data=points)
    values, jacobian = batch.evaluate([0, 0, 1], jacobian=True)
"""
from __future__ import annotations

import ctypes
from typing import Any

from . import _abi, errors
from ._buffers import SIZES, memory
from ._library import encoded, lib, text
from .context import Context, Owned, default_context

__all__ = ["Batch", "Graph", "Node", "doubles"]


def doubles(value: Any) -> Any:
    """Numbers as an array of C doubles: of lists, or of memory of float64."""
    found = None if isinstance(value, (list, tuple)) else memory(value)
    if found is not None and found.type == "f64":
        return (ctypes.c_double * (found.size // SIZES["f64"])).from_buffer_copy(
            ctypes.string_at(found.address, found.size))
    if hasattr(value, "tolist"):
        value = value.tolist()
    flat: list = []
    _flatten(list(value), flat)
    return (ctypes.c_double * len(flat))(*flat)


def _flatten(value: Any, out: list) -> None:
    for v in value:
        if isinstance(v, (list, tuple)):
            _flatten(v, out)
        elif hasattr(v, "tolist"):
            _flatten([v.tolist()], out)
        else:
            out.append(float(v))


class Node:
    """A number of a graph. Python's operators and the operators of weft/grad.h, as methods, make
    further nodes: (a * b).sin()."""

    __slots__ = ("graph", "number")

    def __init__(self, graph: "Graph", number: int):
        self.graph, self.number = graph, number

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        number = lib.weft_grad_op_find(name.encode())
        if not number:
            raise AttributeError(f"graphs have no operator '{name}'")
        return lambda *args: self.graph.apply(name, self, *args)


def _node_operator(name: str, reflected: bool):
    def apply(self, other):
        if not isinstance(other, (Node, int, float)):
            return NotImplemented
        return self.graph.apply(name, *((other, self) if reflected else (self, other)))
    return apply


for _python, _name in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow",
                       "mod": "mod"}.items():
    setattr(Node, f"__{_python}__", _node_operator(_name, False))
    setattr(Node, f"__r{_python}__", _node_operator(_name, True))
for _python, _name in {"lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}.items():
    setattr(Node, f"__{_python}__", _node_operator(_name, False))
Node.__neg__ = lambda self: self.graph.apply("neg", self)      # type: ignore[attr-defined]
Node.__abs__ = lambda self: self.graph.apply("abs", self)      # type: ignore[attr-defined]


class Graph(Owned):
    """One topology: the residuals of one observation, the energy of one vertex."""

    __slots__ = ()
    _release = lib.weft_grad_graph_release
    _what = "graph"

    def __init__(self, label: str | None = None, *, context: Context | None = None):
        context = context or default_context()
        desc = _abi.weft_grad_graph_desc(label=encoded(label))
        super().__init__(context.call(lib.weft_grad_graph_create, context, ctypes.byref(desc)),
                         context)

    def _block(self, function: Any, name: str | None, size: int) -> list[Node]:
        out = (ctypes.c_uint64 * max(1, size))()
        self.context.call(function, out, self, encoded(name), size)
        return [Node(self, n) for n in out[:size]]

    def input(self, name: str | None, size: int) -> list[Node]:
        """Parameters that are differentiated."""
        return self._block(lib.weft_grad_input, name, size)

    def fixed(self, name: str | None, size: int) -> list[Node]:
        """Parameters that are not differentiated."""
        return self._block(lib.weft_grad_fixed, name, size)

    def data(self, name: str | None, size: int) -> list[Node]:
        """Numbers that each instance has for itself."""
        return self._block(lib.weft_grad_data, name, size)

    def constant(self, value: float) -> Node:
        return Node(self, self.context.call(lib.weft_grad_constant, self, float(value)))

    def apply(self, name: str, *args: Any) -> Node:
        """Any operator by its name."""
        number = lib.weft_grad_op_find(encoded(name))
        if not number:
            raise errors.NotFoundError(f"graphs have no operator '{name}'", "not-found", (name,))
        nodes = [a if isinstance(a, Node) else self.constant(a) for a in args]
        if any(n.graph is not self for n in nodes):
            raise errors.InvalidError("the nodes belong to different graphs")
        raw = (ctypes.c_uint64 * max(1, len(nodes)))(*[n.number for n in nodes])
        return Node(self, self.context.call(lib.weft_grad_apply, self, number, raw, len(nodes)))

    def output(self, node: Node, name: str | None = None) -> None:
        """Declares a result."""
        self.context.call(lib.weft_grad_output, self, node.number, encoded(name))

    @property
    def info(self) -> dict:
        raw = _abi.weft_grad_graph_info()
        self.context.call(lib.weft_grad_graph_get_info, ctypes.byref(raw), self)
        return {n: getattr(raw, n) for n, _ in raw._fields_}

    def evaluate(self, inputs: Any, data: Any = ()) -> tuple[list[float], list[list[float]]]:
        """Values and Jacobian of one instance, on the calling thread."""
        info = self.info
        x, d = doubles(inputs), doubles(data)
        if len(x) != info["inputs"] or len(d) != info["data"]:
            raise errors.ShapeError(f"{info['inputs']} inputs and {info['data']} data numbers are "
                                    f"needed, {len(x)} and {len(d)} are given")
        values = (ctypes.c_double * max(1, info["outputs"]))()
        rows = (ctypes.c_double * max(1, info["outputs"] * info["inputs"]))()
        self.context.call(lib.weft_grad_graph_evaluate, values, rows, self, x, d)
        n = info["inputs"]
        return list(values[:info["outputs"]]), [list(rows[i * n:(i + 1) * n])
                                                for i in range(info["outputs"])]

    def wgsl(self) -> str:
        """The kernel that evaluates it, with its derivatives."""
        desc = _abi.weft_grad_kernel_desc(products=_abi.WEFT_GRAD_VALUES
                                          | _abi.WEFT_GRAD_JACOBIAN)
        return text(self.context.call(lib.weft_grad_graph_wgsl, self, ctypes.byref(desc)))


class Batch(Owned):
    """A graph for many instances. `index` has, for each instance, the place of each block in the
    parameter vector; without it all instances use the same parameters."""

    __slots__ = ("parameters", "info")
    _release = lib.weft_grad_batch_release
    _what = "batch"

    def __init__(self, graph: Graph, parameters: int, *, count: int | None = None,
                 data: Any = None, index: Any = None, label: str | None = None):
        info, context = graph.info, graph.context
        numbers = None if data is None else doubles(data)
        places = None if index is None else [int(v) for v in doubles(index)]
        if count is None:
            count = len(numbers) // info["data"] if numbers is not None and info["data"] else \
                len(places) // info["blocks"] if places is not None and info["blocks"] else 1
        for have, each, what in ((numbers, info["data"], "data"),
                                 (places, info["blocks"], "index")):
            if have is not None and len(have) != count * each:
                raise errors.ShapeError(f"{what}: {len(have)} numbers for {count} instances of "
                                        f"{each}")
        desc = _abi.weft_grad_batch_desc(graph=graph._as_parameter_, count=count,
                                         parameter_count=parameters, label=encoded(label))
        if numbers is not None:
            desc.data = ctypes.addressof(numbers)
        if places is not None:
            raw = (ctypes.c_uint32 * max(1, len(places)))(*places)
            desc.index = ctypes.addressof(raw)
        super().__init__(context.call(lib.weft_grad_batch_create, context, ctypes.byref(desc)),
                         context)
        self.parameters = parameters
        self.info = _abi.weft_grad_batch_info()
        context.call(lib.weft_grad_batch_get_info, ctypes.byref(self.info), self)

    def evaluate(self, x: Any, *, jacobian: bool = False, gradient: bool = False) -> Any:
        """Values [count][outputs]; with them, if asked for, Jacobians [count][outputs][inputs]
        and the gradient of half the sum of squares. Flat arrays of C doubles."""
        i, x = self.info, doubles(x)
        if len(x) != self.parameters:
            raise errors.ShapeError(f"{len(x)} numbers for {self.parameters} parameters")
        sizes = [i.count * i.outputs, i.count * i.outputs * i.inputs if jacobian else 0,
                 self.parameters if gradient else 0]
        out = [(ctypes.c_double * max(1, n))() for n in sizes]
        raw = _abi.weft_grad_evaluation(x=ctypes.addressof(x), values=ctypes.addressof(out[0]))
        if jacobian:
            raw.jacobian = ctypes.addressof(out[1])
        if gradient:
            raw.gradient = ctypes.addressof(out[2])
        self.context.call(lib.weft_grad_batch_evaluate, self, ctypes.byref(raw))
        found = [list(o[:n]) for o, n, wanted in zip(out, sizes, (True, jacobian, gradient))
                 if wanted]
        return found[0] if len(found) == 1 else tuple(found)
