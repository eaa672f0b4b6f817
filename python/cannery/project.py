# SPDX-License-Identifier: Apache-2.0
"""Finds the operators of a project: in the vendor folder of its Python package, or in the project's
folder if there is no package. `load` returns a project without a package.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from cannery.errors import CanneryError
from cannery.ops import arguments
from cannery.vendor_folder import Operators, built_in, operator

__all__ = ["NamedOperator", "Operators", "Project", "built_in", "load", "operator", "signature"]


#: Kinds of parameters whose arrays the operator changes.
_CHANGED = ("in_place", "in_place_list")


class NamedOperator:
    """An operator of a project without a Python package. Inputs and attributes are passed by
    position or name.

    Outputs are new arrays with the shape of the first input. To change this, pass an output by
    name: an array to write to, or a shape. An input that is also an output (in the definition, both
    have one name) is changed and returned. An operator without outputs changes its inputs. A
    dynamic input or output is a list of arrays; such an output has, by default, an array for each
    array of the first dynamic input.
    """

    def __init__(self, operators: Operators, model: dict[str, Any]) -> None:
        self._model = model
        self._operators = operators
        self.__signature__ = signature(model)
        self.__doc__ = model["summary"]

    def __call__(self, /, *given: Any, **named: Any) -> Any:
        bound = self.__signature__.bind(*given, **named)
        bound.apply_defaults()
        values = dict(bound.arguments)
        outputs = [output["py_name"] for output in self._model["outputs"]]
        changed = (param for param in self._model["params"] if param["value"] in _CHANGED)
        for name in (param["py_name"] for param in changed):
            for label, array in _labelled(name, values[name]):
                arguments.check_changed(label, array)
        row = self._row(values)
        for tensor in self._model["inputs"]:
            if tensor["scalar"]:
                name = tensor["py_name"]
                values[name] = _scalars(values[name], _numpy_dtype(tensor["dtypes"][row]))
        for output in self._model["outputs"]:
            name = output["py_name"]
            if not output["in_place"]:
                values[name] = self._output(output, values[name], values, row)
        params = [param["py_name"] for param in self._model["params"]]
        self._operators.find(self._model["snake"])(*(values[name] for name in params))
        results = tuple(values[name] for name in outputs)
        return results if len(results) > 1 else results[0] if results else None

    def _row(self, values: dict[str, Any]) -> int:
        """Returns the first combination that has the dtypes of the given arrays. If no combination
        has them, returns 0; the operator then reports the error.
        """
        arrays = [
            (tensor["dtypes"], array.dtype.name)
            for tensor in (*self._model["inputs"], *self._model["outputs"])
            for _, array in _labelled("", values[tensor["py_name"]])
            if isinstance(array, np.ndarray) and not tensor["value_depend"]
        ]
        fitting = (
            row
            for row in range(self._model["rows"])
            if all(dtypes[row] == dtype for dtypes, dtype in arrays)
        )
        return next(fitting, 0)

    def _output(self, output: dict[str, Any], given: Any, values: dict[str, Any], row: int) -> Any:
        """Returns the array, or the list of arrays, to which the operator writes an output."""
        dtype = _numpy_dtype(output["dtypes"][row])
        if output["param_type"] == "dynamic":
            if given is None:
                given = map(np.shape, self._first_list(values))
            return [_fresh(each, dtype) for each in given]
        if given is not None:
            return _fresh(given, dtype)
        first = values[self._model["inputs"][0]["py_name"]]
        first = first[0] if isinstance(first, list | tuple) and first else first
        wanted = output["param_type"] == "required" and isinstance(first, np.ndarray)
        return _fresh(first.shape, dtype) if wanted else None

    def _first_list(self, values: dict[str, Any]) -> list[Any]:
        """Returns the arrays of the first dynamic input."""
        lists = (each for each in self._model["inputs"] if each["param_type"] == "dynamic")
        given = next((values[each["py_name"]] for each in lists), None)
        return list(given) if isinstance(given, list | tuple) else []


def _labelled(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yields the arrays of an argument, each with its name; nothing for None."""
    if isinstance(value, list | tuple):
        yield from ((f"{name}[{i}]", each) for i, each in enumerate(value))
    elif value is not None:
        yield name, value


def _numpy_dtype(name: str) -> np.dtype[Any]:
    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name, name))
    return dtype


def _fresh(given: Any, dtype: np.dtype[Any]) -> Any:
    """Returns `given` if it is an array, otherwise a new array of this shape."""
    return given if isinstance(given, np.ndarray) else arguments.output_array(tuple(given), dtype)


def _scalars(value: Any, dtype: np.dtype[Any]) -> Any:
    """Returns numbers of Python as numbers of this dtype. Numbers of NumPy keep their own dtype."""
    if isinstance(value, list | tuple):
        return [_scalars(each, dtype) for each in value]
    return dtype.type(value) if type(value) in (bool, int, float) else value


class Project:
    """A project; each of its operators is an attribute, which can be called."""

    def __init__(self, operators: Operators) -> None:
        self._operators = operators

    def __getattr__(self, name: str) -> NamedOperator:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            model = self._operators.model(name)
        except CanneryError as error:
            raise AttributeError(str(error)) from None
        return NamedOperator(self._operators, model)

    def __dir__(self) -> list[str]:
        return self._operators.names()


def load(folder: str | os.PathLike[str]) -> Project:
    """Returns the operators that `cannery build` has built in a project's folder, usually in a
    project of msopgen: `cannery.project.load("AddCustom").add_custom(x, y, scale=2.0)`.
    """
    return Project(Operators.of_project(folder))


def signature(model: dict[str, Any]) -> inspect.Signature:
    """Returns the signature of a `NamedOperator`. Required parameters come first; outputs can only
    be passed by name.
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    attrs = [attr for attr in model["attrs"] if not attr["inner_only"]]
    required, optional = [], []
    for entry in (*model["inputs"], *attrs):
        if entry["param_type"] != "optional":
            required.append(inspect.Parameter(entry["py_name"], kind))
        else:
            default = entry.get("default")
            optional.append(inspect.Parameter(entry["py_name"], kind, default=default))
    outputs = [
        inspect.Parameter(output["py_name"], inspect.Parameter.KEYWORD_ONLY, default=None)
        for output in model["outputs"]
        if not output["in_place"]
    ]
    return inspect.Signature([*required, *optional, *outputs])
