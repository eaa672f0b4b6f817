# SPDX-License-Identifier: Apache-2.0
"""Finds the operators of a project: in the vendor folder of its Python package, or in the project's
folder if there is no package. `load` returns a project without a package.
"""

from __future__ import annotations

import inspect
import os
from typing import Any

import ml_dtypes
import numpy as np

from cannery.errors import CanneryError
from cannery.ops import arguments
from cannery.vendor_folder import Operators, built_in, operator

__all__ = ["NamedOperator", "Operators", "Project", "built_in", "load", "operator", "signature"]


class NamedOperator:
    """An operator of a project without a Python package. Inputs and attributes are passed by
    position or name.

    Outputs are new arrays with the shape of the first input. To change this, pass an output by
    name: an array to write to, or a shape. An input that is also an output (in the definition, both
    have one name) is changed and returned.
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
        for name in (tensor["py_name"] for tensor in self._model["inputs"] if tensor["in_place"]):
            if values[name] is not None:
                arguments.check_changed(name, values[name])
        for output, dtype in zip(self._model["outputs"], self._output_dtypes(values), strict=True):
            name = output["py_name"]
            if not output["in_place"] and not isinstance(values[name], np.ndarray):
                values[name] = self._fresh(output, values[name], values, dtype)
        params = [param["py_name"] for param in self._model["params"]]
        self._operators.find(self._model["snake"])(*(values[name] for name in params))
        results = tuple(values[name] for name in outputs)
        return results[0] if len(results) == 1 else results

    def _output_dtypes(self, values: dict[str, Any]) -> list[np.dtype[Any]]:
        """Returns the outputs' dtypes in the first combination that has the dtypes of the given
        arrays. If no combination has these dtypes, returns the outputs' dtypes in the first
        combination; the operator then reports the error.
        """
        arrays = [
            (tensor["dtypes"], values[tensor["py_name"]].dtype.name)
            for tensor in (*self._model["inputs"], *self._model["outputs"])
            if isinstance(values[tensor["py_name"]], np.ndarray)
        ]
        fitting = (
            row
            for row in range(self._model["rows"])
            if all(dtypes[row] == dtype for dtypes, dtype in arrays)
        )
        row = next(fitting, 0)
        names = [output["dtypes"][row] for output in self._model["outputs"]]
        return [np.dtype(getattr(ml_dtypes, name, name)) for name in names]

    def _fresh(
        self, output: dict[str, Any], given: Any, values: dict[str, Any], dtype: np.dtype[Any]
    ) -> Any:
        if given is not None:
            return arguments.output_array(tuple(given), dtype)
        first = values[self._model["inputs"][0]["py_name"]]
        wanted = output["param_type"] == "required" and isinstance(first, np.ndarray)
        return arguments.output_array(first.shape, dtype) if wanted else None


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
        if entry["param_type"] == "required":
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
