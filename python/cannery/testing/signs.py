# SPDX-License-Identifier: Apache-2.0
"""Finds out if all errors are on one side of the golden, as with a wrong rounding mode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Signs"]

Array = npt.NDArray[Any]

#: At least 64 different golden values must have errors. That all 64 signs are equal by chance has
#: the probability 2^-63. Equal values have equal errors, so they count once.
_ENOUGH = 64
_SAMPLE = 4096

#: For each side on which all errors can be: the text for the user.
_MEANING = {
    "below": "no result is above the golden, as after CAST_FLOOR",
    "above": "no result is below the golden, as after CAST_CEIL",
    "inside": "no result is farther from zero than the golden, as after CAST_TRUNC",
    "outside": "no result is nearer to zero than the golden, as after rounding away from zero",
}


@dataclass
class Signs:
    """Collects the sides of the golden on which wrong results are."""

    errors: int = 0
    _seen: set[str] = field(default_factory=set)
    _values: set[float] = field(default_factory=set)

    def note(self, got: Array, want: Array, rounded: Array) -> None:
        """Adds results and golden values. `rounded` is the golden in the dtype of the results: a
        result that equals it is no error, but shows on which side of the golden results can be.
        Does nothing if all four sides have results already.
        """
        if len(self._seen) == len(_MEANING):
            return
        with np.errstate(all="ignore"):
            wrong = (got != want) & np.isfinite(got) & np.isfinite(want)
            result, reference, error = got[wrong], want[wrong], (got != rounded)[wrong]
            if result.size == 0:
                return
            above = result > reference
            positive = reference > 0
        outside = (above == positive) | (reference == 0)
        sides = {"below": ~above, "above": above, "inside": ~outside, "outside": outside}
        self._seen |= {name for name, there in sides.items() if there.any()}
        self.errors += int(error.sum())
        if len(self._values) < _ENOUGH:
            self._values.update(np.unique(reference[error][:_SAMPLE]).tolist())

    def told(self) -> str:
        """Names the side on which all errors are; empty without one, or if errors are too few."""
        if len(self._values) < _ENOUGH:
            return ""
        for name, meaning in _MEANING.items():
            opposite = {"below": "above", "inside": "outside"}
            other = opposite.get(name) or {v: k for k, v in opposite.items()}[name]
            if other not in self._seen:
                return (
                    f"all {self.errors} errors have one sign: {meaning}\n"
                    "  try: the rounding mode of the last Cast (CAST_RINT rounds to the nearest), "
                    "or a golden that rounds as the operator does"
                )
        return ""
