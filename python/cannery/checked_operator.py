# SPDX-License-Identifier: Apache-2.0
"""A compiled operator as a Python callable. A call applies the settings of the operator's project,
and reports elements of new outputs that the operator did not write.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from cannery import outputs
from cannery.errors import IncompleteOutputWarning

if TYPE_CHECKING:
    from cannery._native import Operator

__all__ = ["CheckedOperator", "report", "reported_to"]

#: Settings that turn checks and recordings off, for a call that only finds unwritten elements.
_SILENT = {
    "CANNERY_HAZARDS": "off",
    **dict.fromkeys(("CANNERY_DUMP", "CANNERY_STATS", "CANNERY_UB_MAP", "CANNERY_COVERAGE"), ""),
}
#: The advice in a message about a gap.
_ADVICE = (
    "\n  try: a kernel that writes every element; if the operator leaves elements unwritten on "
    "purpose, @pytest.mark.incomplete_outputs('reason') allows it in a test"
)

Report = Callable[[str, str], None]
#: The function that `report` calls for a gap; `reported_to` sets it. None: a gap is a warning.
_reported_to: Report | None = None


def report(text: str, advice: str) -> None:
    """Reports a gap in an output of an operator: calls the function that `reported_to` has set. If
    there is none, issues an IncompleteOutputWarning at the line that calls the operator.
    """
    if _reported_to is None:
        warnings.warn(text + advice, IncompleteOutputWarning, stacklevel=5)
    else:
        _reported_to(text, advice)


@contextmanager
def reported_to(function: Report | None) -> Iterator[None]:
    """Within the `with` block, calls function(text, advice) for each gap in an output of an
    operator, even if Python does not show warnings. If `function` is None, issues warnings.
    """
    global _reported_to
    before, _reported_to = _reported_to, function
    try:
        yield
    finally:
        _reported_to = before


class CheckedOperator:
    """Takes the parameters of the operator's C function, in the same order; tensors are arrays, and
    lists of tensors are lists of arrays.
    """

    def __init__(
        self, native: Operator, model: Mapping[str, Any], defaults: Mapping[str, str]
    ) -> None:
        """defaults: environment variables, which a call sets if they are unset or empty."""
        self._native = native
        self._type = model["type"]
        self._defaults = defaults
        self._outputs = {
            index: param["py_name"]
            for index, param in enumerate(model["params"])
            if param["value"] in ("output", "output_list")
        }

    def __call__(self, *values: Any) -> None:
        settings = {
            name: value for name, value in self._defaults.items() if not os.environ.get(name)
        }
        self._native(*values, settings=settings)
        left = [(name, array, outputs.untouched(array)) for name, array in self._arrays(values)]
        if any(mask is not None for _, _, mask in left):
            self._look_again(values, left, settings)

    def _arrays(self, values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
        """Yields the name and the array of each output, and of each array in a list of outputs."""
        for index, name in self._outputs.items():
            if isinstance(values[index], list | tuple):
                for i, array in enumerate(values[index]):
                    yield f"{name}[{i}]", array
            else:
                yield name, values[index]

    def _look_again(
        self,
        values: tuple[Any, ...],
        left: Sequence[tuple[str, Any, Any]],
        settings: Mapping[str, str],
    ) -> None:
        """Calls the operator again with outputs that are filled with another byte. An element is
        unwritten if it contains the fill byte after the first call and after the second call.
        """
        again = list(values)
        for index in self._outputs:
            again[index] = _refilled(values[index])
        self._native(*again, settings={**settings, **_SILENT})
        for (name, array, mask), (_, copy) in zip(left, self._arrays(again), strict=True):
            second = None if mask is None else outputs.untouched(copy)
            if second is None or not (mask & second).any():
                continue
            gap = outputs.gap(mask & second, array.shape)
            report(f"output {name} of {self._type}: {gap}", _ADVICE)


def _refilled(value: Any) -> Any:
    """Returns new arrays for an output or a list of outputs, filled with another byte."""
    if isinstance(value, list | tuple):
        return [_refilled(each) for each in value]
    return outputs.refilled(value) if isinstance(value, np.ndarray) else value
