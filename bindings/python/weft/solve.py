# SPDX-License-Identifier: Apache-2.0
"""Least squares, minimisation, curve fits, and the graphs with derivatives behind them:
weft/solve.h and weft/grad.h.

    fit = weft.solve.fit("a*exp(-b*x) + c", {"x": x, "y": y})
    result = weft.solve.least_squares(residuals, [0, 0, 1])

Steps are computed in f64. Numbers come and go as lists, or as anything with the buffer protocol."""
from __future__ import annotations

import ctypes
import math
from typing import Any, Callable, Mapping, Sequence

from . import _abi, errors
from ._buffers import numpy
from ._library import encoded, lib, text
from .context import Context, Owned, default_context
from .grad import Batch, Graph, Node, doubles

__all__ = ["Batch", "Fit", "Graph", "Node", "Problem", "Result", "fit", "least_squares",
           "minimize"]

_LOSSES = ("squares", "huber", "soft-l1", "cauchy", "arctan", "tukey", "tolerant")


def _loss(value: Any) -> Any:
    """A name, or (name, scale[, width]); None: least squares."""
    if value is None:
        return None
    name, *numbers = (value,) if isinstance(value, str) else value
    if name not in _LOSSES:
        raise errors.InvalidError(f"unknown loss {name!r}: one of {', '.join(_LOSSES)}")
    scale, width = (*map(float, numbers), 1.0, 1.0)[:2] if numbers else (1.0, 1.0)
    return _abi.weft_solve_loss(kind=_LOSSES.index(name), a=scale, b=width)


def _byref(raw: Any) -> Any:
    return None if raw is None else ctypes.byref(raw)


class Result:
    """What a solve found: `x`, `cost`, `converged`, `reason`, and the counts of the library."""

    __slots__ = ("x", "_raw", "summary")

    def __init__(self, x: Any, raw: _abi.weft_solve_result, summary: str):
        self.x, self._raw, self.summary = x, raw, summary

    @property
    def cost(self) -> float:
        return self._raw.final_cost

    @property
    def reason(self) -> str:
        return text(lib.weft_solve_termination_name(self._raw.termination))

    @property
    def method(self) -> str:
        return text(lib.weft_solve_method_name(self._raw.method))

    def __getattr__(self, name: str):
        return getattr(self._raw, name)

    def __repr__(self):
        return f"<Result x={list(self.x)} cost={self.cost:g} {self.reason}>"


# ---- options ----

_NUMBERS = {"max_iterations", "cost_tolerance", "gradient_tolerance", "parameter_tolerance",
            "cost_limit", "time_limit", "initial_radius", "max_radius", "nonmonotonic", "history",
            "learning_rate", "beta1", "beta2", "epsilon", "momentum", "weight_decay",
            "gradient_clip", "threads", "mixed", "no_scaling", "linear_iterations",
            "linear_tolerance"}


def _options(options: dict, keep: list, failed: list) -> _abi.weft_solve_options:
    raw = _abi.weft_solve_options()
    for name, value in options.items():
        if name in _NUMBERS:
            setattr(raw, name, value)
        elif name in ("method", "linear"):
            found = ctypes.c_int()
            if not getattr(lib, f"weft_solve_{name}_find")(ctypes.byref(found), encoded(value)):
                raise errors.InvalidError(f"unknown {name} {value!r}")
            setattr(raw, name, found.value)
        elif name == "callback":
            if value is not None:
                raw.callback = _iteration_callback(value, keep, failed)
        else:
            raise TypeError(f"no option '{name}'; there are "
                            + ", ".join(sorted(_NUMBERS | {"callback", "linear", "method"})))
    return raw


class Iteration:
    """One iteration, as a callback sees it."""

    __slots__ = ("iteration", "accepted", "cost", "change", "gradient", "step", "radius",
                 "seconds")

    def __init__(self, raw: _abi.weft_solve_iteration):
        for name in self.__slots__:
            setattr(self, name, getattr(raw, name))


def _iteration_callback(value: Callable, keep: list, failed: list) -> Any:
    """False stops the solve, and so does an exception, which is raised afterwards."""
    def call(_user, iteration):
        try:
            return value(Iteration(_abi.weft_solve_iteration.from_address(iteration))) is not False
        except BaseException as e:
            failed.append(e)
            return False
    callback = _abi.weft_solve_callback(call)
    keep.append(callback)
    return callback


# ---- problems ----

class Problem(Owned):
    """Parameters and terms that depend on them. Solving makes
    1/2 sum of loss(|r_i|^2) + sum of objectives as small as possible."""

    __slots__ = ("parameters", "_keep", "_failed")
    _release = lib.weft_solve_problem_release
    _what = "problem"

    def __init__(self, parameters: int, *, label: str | None = None,
                 context: Context | None = None):
        context = context or default_context()
        desc = _abi.weft_solve_problem_desc(parameter_count=parameters, label=encoded(label))
        super().__init__(context.call(lib.weft_solve_problem_create, context,
                                      ctypes.byref(desc)), context)
        self.parameters = parameters
        self._keep: list = []
        self._failed: list = []

    def add(self, batch: Batch, loss: Any = None) -> None:
        """Residuals: the outputs of the instances of a batch."""
        self.context.call(lib.weft_solve_add, self, batch, _byref(_loss(loss)))

    def add_objective(self, batch: Batch, weight: float = 1.0) -> None:
        """The sum of all outputs; for the methods lbfgs, adam, adamw, sgd."""
        self.context.call(lib.weft_solve_add_objective, self, batch, weight)

    def add_function(self, function: Callable[[list], Sequence[float]], residuals: int, *,
                     jacobian: Callable[[list], Any] | None = None,
                     index: Sequence[int] | None = None, loss: Any = None) -> None:
        """Residuals that Python computes from the parameters (those of `index`). Without a
        jacobian it is approximated by central differences."""
        count = self.parameters if index is None else len(index)
        evaluate = self._evaluate(function, jacobian, residuals, count)
        raw = _abi.weft_solve_function(residual_count=residuals, parameter_count=count)
        raw.evaluate = type(raw.evaluate)(evaluate)
        places = None
        if index is not None:
            places = (ctypes.c_uint32 * count)(*index)
            raw.index = ctypes.addressof(places)
        self._keep += [raw, raw.evaluate, places]
        self.context.call(lib.weft_solve_add_function, self, ctypes.byref(raw),
                          _byref(_loss(loss)))

    def _evaluate(self, function, jacobian, residuals: int, count: int) -> Callable:
        def numbers(value, n):
            flat = [float(v) for v in _flatten(value)]
            if len(flat) != n:
                raise errors.ShapeError(f"the function gives {len(flat)} numbers, not {n}")
            return flat

        def call(_user, out, out_jacobian, x):
            try:
                x = list((ctypes.c_double * count).from_address(x))
                (ctypes.c_double * residuals).from_address(out)[:] = numbers(function(x), residuals)
                if out_jacobian:
                    rows = numbers(jacobian(x), residuals * count) if jacobian else \
                        _differences(function, x, residuals, numbers)
                    (ctypes.c_double * (residuals * count)).from_address(out_jacobian)[:] = rows
                return True
            except (ArithmeticError, ValueError) as e:
                if isinstance(e, errors.WeftError):
                    self._failed.append(e)
                return False            # not defined there: the step is rejected
            except BaseException as e:
                self._failed.append(e)
                return False
        return call

    def set_bounds(self, first: int, lower: Any = None, upper: Any = None) -> None:
        """lower <= x <= upper from parameter `first` on; None: no bound on that side."""
        low, high = (None if b is None else doubles(b) for b in (lower, upper))
        count = len(low if low is not None else high if high is not None else ())
        if low is not None and high is not None and len(low) != len(high):
            raise errors.ShapeError("as many lower bounds as upper ones are needed")
        self.context.call(lib.weft_solve_set_bounds, self, first, count, low, high)

    def set_fixed(self, first: int, count: int = 1, fixed: bool = True) -> None:
        self.context.call(lib.weft_solve_set_fixed, self, first, count, fixed)

    def solve(self, x: Any, **options) -> Result:
        """From the start x. Options are those of weft_solve_options: method ("levenberg-
        marquardt", "dogleg", "gauss-newton", "lbfgs", "adam", "adamw", "sgd"), linear,
        tolerances, limits, callback."""
        values, keep = doubles(x), []
        if len(values) != self.parameters:
            raise errors.ShapeError(f"{len(values)} numbers for {self.parameters} parameters")
        raw, self._failed = _abi.weft_solve_result(), self._failed
        self._failed.clear()
        wanted = _options(options, keep, self._failed)
        try:
            self.context.call_out(lib.weft_solve, ctypes.byref(raw), values, self,
                                  ctypes.byref(wanted))
        except errors.WeftError:
            if not self._failed:
                raise
        if self._failed:
            raise self._failed[0]
        summary = text(self.context.ask(lib.weft_solve_summary, self))
        return Result(_like(x, values), raw, summary)

    def cost(self, x: Any) -> float:
        values, cost = doubles(x), ctypes.c_double()
        self.context.call_out(lib.weft_solve_evaluate, ctypes.byref(cost), None, self, values)
        return cost.value

    def covariance(self, x: Any, *, scaled: bool = True) -> list[list[float]]:
        """Of the parameters at x, usually a solution."""
        n, values = self.parameters, doubles(x)
        desc = _abi.weft_solve_covariance_desc(unscaled=not scaled)
        found = self.context.call_out(lib.weft_solve_covariance_create, self, values,
                                      ctypes.byref(desc))
        out = (ctypes.c_double * (n * n))()
        try:
            self.context.call(lib.weft_solve_covariance_block, out, found, 0, n, 0, n)
        finally:
            lib.weft_solve_covariance_release(found)
        return [list(out[i * n:(i + 1) * n]) for i in range(n)]


def _flatten(value: Any):
    if hasattr(value, "tolist"):
        value = value.tolist()
    for v in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(v, (list, tuple)) or hasattr(v, "tolist"):
            yield from _flatten(v)
        else:
            yield v


def _differences(function: Callable, x: list, residuals: int, numbers: Callable) -> list:
    """The Jacobian by central differences, row by row."""
    columns = []
    for i, value in enumerate(x):
        h = 6e-6 * max(1.0, abs(value))
        after, before = [*x], [*x]
        after[i], before[i] = value + h, value - h
        high, low = numbers(function(after), residuals), numbers(function(before), residuals)
        columns.append([(a - b) / (2 * h) for a, b in zip(high, low)])
    return [column[r] for r in range(residuals) for column in columns]


def _like(x: Any, values: Any) -> Any:
    """A NumPy array where one was given, else a list."""
    np = numpy() if type(x).__module__ == "numpy" else None
    return np.array(values[:]) if np is not None else list(values)


def least_squares(function: Callable[[list], Sequence[float]], x: Any, *,
                  jacobian: Callable[[list], Any] | None = None, bounds: Any = None,
                  loss: Any = None, context: Context | None = None, **options) -> Result:
    """The x with the least sum of squares of function(x), from a start."""
    start = doubles(x)
    count = len(list(_flatten(function(list(start)))))
    problem = Problem(len(start), context=context)
    problem.add_function(function, count, jacobian=jacobian, loss=loss)
    if bounds is not None:
        problem.set_bounds(0, *bounds)
    with problem:
        return problem.solve(x, **options)


def minimize(graph: Graph, x: Any, *, data: Any = None, method: str = "lbfgs",
             context: Context | None = None, **options) -> Result:
    """The x with the least sum of the outputs of a graph."""
    start = doubles(x)
    batch = Batch(graph, len(start), data=data)
    with Problem(len(start), context=graph.context) as problem:
        problem.add_objective(batch)
        return problem.solve(x, method=method, **options)


# ---- curve fits ----

class Fit(Owned):
    """A formula that was fitted to columns of numbers: `parameters` and `errors` by name."""

    __slots__ = ("info", "parameters", "errors", "starts", "_columns")
    _release = lib.weft_solve_fit_release
    _what = "fit"

    def __init__(self, pointer: int, columns: list[str], context: Context):
        super().__init__(pointer, context)
        self._columns = columns
        self.info = _abi.weft_solve_fit_info()
        context.call(lib.weft_solve_fit_get_info, ctypes.byref(self.info), self)
        self.parameters, self.errors, self.starts = {}, {}, {}
        raw = _abi.weft_solve_fit_parameter()
        for i in range(self.info.parameters):
            context.call(lib.weft_solve_fit_parameter_get, ctypes.byref(raw), self, i)
            name = text(raw.name)
            self.parameters[name], self.errors[name] = raw.value, raw.error
            self.starts[name] = raw.start

    @property
    def converged(self) -> bool:
        return self.info.result.converged

    @property
    def r2(self) -> float:
        return self.info.r2

    @property
    def rms(self) -> float:
        return self.info.rms

    @property
    def summary(self) -> str:
        return text(self.info.summary)

    def covariance(self, a: str, b: str) -> float:
        names = list(self.parameters)
        for name in (a, b):
            if name not in names:
                raise errors.NotFoundError(f"no parameter '{name}'", "not-found", (name,))
        return self.context.ask(lib.weft_solve_fit_covariance, self, names.index(a),
                                names.index(b))

    def __call__(self, **columns) -> list[float]:
        """The model for other values of the columns that the formula uses."""
        unknown = set(columns) - set(self._columns)
        if unknown or not columns:
            raise errors.NotFoundError(f"the columns are {', '.join(self._columns)}")
        rows = max(len(doubles(v)) for v in columns.values())
        table = _table({c: columns.get(c, [0.0] * rows) for c in self._columns})
        out = (ctypes.c_double * rows)()
        self.context.call(lib.weft_solve_fit_evaluate, out, self, table, rows)
        return list(out)

    def __repr__(self):
        found = ", ".join(f"{n} = {v:g} ± {self.errors[n]:.2g}"
                          for n, v in self.parameters.items())
        return f"<Fit {found}; r2 = {self.r2:.6g}>"


def _table(columns: Mapping[str, Any]) -> Any:
    """Columns as rows of doubles."""
    values = [doubles(v) for v in columns.values()]
    if len({len(v) for v in values}) > 1:
        raise errors.ShapeError("the columns have different lengths: " + ", ".join(
            f"{n} {len(v)}" for n, v in zip(columns, values)))
    rows = len(values[0]) if values else 0
    out = (ctypes.c_double * (rows * len(values)))()
    for i, column in enumerate(values):
        out[i::len(values)] = column[:]
    return out


def fit(formula: str, columns: Mapping[str, Any], *, observed: str | None = None,
        sigma: str | None = None, start: Mapping[str, float] | None = None,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        fixed: Mapping[str, float] | None = None, loss: Any = None, trials: int = 0,
        context: Context | None = None, **options) -> Fit:
    """Fits a formula such as "a*exp(-b*x) + c" to columns of numbers. Names that are not columns
    are the parameters; without a start, many are tried."""
    context = context or default_context()
    names = [encoded(n) for n in columns]
    table = _table(columns)
    guesses = _guesses(start or {}, bounds or {}, fixed or {})
    keep, failed = [], []
    desc = _abi.weft_solve_fit_desc(
        formula=encoded(formula), column_count=len(names), data=ctypes.addressof(table),
        count=len(table) // max(1, len(names)), observed=encoded(observed), sigma=encoded(sigma),
        guess_count=len(guesses), trials=trials)
    name_array, raw_loss = (ctypes.c_char_p * max(1, len(names)))(*names), _loss(loss)
    desc.columns, desc.guesses = ctypes.addressof(name_array), ctypes.addressof(guesses)
    if raw_loss is not None:
        desc.loss = ctypes.addressof(raw_loss)
    if options:
        wanted = _options(options, keep, failed)
        desc.options = ctypes.addressof(wanted)
    pointer = context.call_out(lib.weft_solve_fit_create, context, ctypes.byref(desc))
    made = Fit(pointer, list(columns), context)
    if failed:
        raise failed[0]
    return made


def _guesses(start: Mapping, bounds: Mapping, fixed: Mapping) -> Any:
    names = list({**start, **bounds, **fixed})
    rows = (_abi.weft_solve_guess * max(1, len(names)))()
    for row, name in zip(rows, names):
        row.name = encoded(name)
        row.start = float(fixed.get(name, start.get(name, math.nan)))
        row.lower, row.upper = map(float, bounds.get(name, (0, 0)))
        row.fixed = name in fixed
    return rows if names else (_abi.weft_solve_guess * 0)()


