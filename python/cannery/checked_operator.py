# SPDX-License-Identifier: Apache-2.0
"""A compiled operator as a Python callable. A call applies the settings of the operator's project,
and reports elements of new outputs that the operator did not write.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
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
    """Takes the parameters of the operator's C function, in the same order; tensors are arrays."""

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
            if param["value"] == "output"
        }

    def __call__(self, *values: Any) -> None:
        settings = {
            name: value for name, value in self._defaults.items() if not os.environ.get(name)
        }
        self._native(*values, settings=settings)
        left = {index: outputs.untouched(values[index]) for index in self._outputs}
        if any(mask is not None for mask in left.values()):
            self._look_again(values, left, settings)

    def _look_again(
        self, values: tuple[Any, ...], left: Mapping[int, Any], settings: Mapping[str, str]
    ) -> None:
        """Calls the operator again with outputs that are filled with another byte. An element is
        unwritten if it contains the fill byte after the first call and after the second call.
        """
        again = list(values)
        for index in self._outputs:
            if isinstance(values[index], np.ndarray):
                again[index] = outputs.refilled(values[index])
        self._native(*again, settings={**settings, **_SILENT})
        for index, mask in left.items():
            second = None if mask is None else outputs.untouched(again[index])
            if second is None or not (mask & second).any():
                continue
            gap = outputs.gap(mask & second, values[index].shape)
            report(f"output {self._outputs[index]} of {self._type}: {gap}", _ADVICE)
