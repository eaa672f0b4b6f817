# SPDX-License-Identifier: Apache-2.0
"""A compiled operator as a Python callable. A call applies the settings of the operator's project,
and warns of elements of new outputs that the operator did not write.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cannery import outputs
from cannery.errors import IncompleteOutputWarning

if TYPE_CHECKING:
    from cannery._native import Operator

__all__ = ["CheckedOperator"]

#: Settings that turn checks and recordings off, for a call that only finds unwritten elements.
_SILENT = {
    "CANNERY_HAZARDS": "off",
    **dict.fromkeys(("CANNERY_DUMP", "CANNERY_STATS", "CANNERY_UB_MAP"), ""),
}


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
            warnings.warn(
                f"output {self._outputs[index]} of {self._type}: {gap}\n"
                "  try: a kernel that writes every element; if the operator leaves elements "
                "unwritten on purpose, "
                "@pytest.mark.filterwarnings('ignore::cannery.IncompleteOutputWarning') allows it "
                "in a test",
                IncompleteOutputWarning,
                stacklevel=4,  # the line that calls the operator's Python function
            )
