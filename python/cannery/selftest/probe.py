# SPDX-License-Identifier: Apache-2.0
"""Runs probes: each compares a prediction of the twin with what a card does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cannery.errors import CanneryError, TwinOnlyError

__all__ = ["Array", "Finding", "Probe", "differences", "run"]

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Probe:
    """A prediction of the twin, the docs page about it, and a function that tests it."""

    name: str
    page: str  #: path of the docs page, relative to docs/
    prediction: str
    #: Returns a text of what was observed, and whether this agrees with the prediction.
    observe: Callable[[], tuple[str, bool]]


@dataclass(frozen=True)
class Finding:
    """The result of one probe. `state` is agrees, differs, failed (an error prevented the
    observation) or not run.
    """

    name: str
    page: str
    prediction: str
    state: str
    observed: str


def run(probes: list[Probe]) -> Iterator[Finding]:
    for probe in probes:
        try:
            observed, agrees = probe.observe()
            state = "agrees" if agrees else "differs"
        except TwinOnlyError as error:
            observed, state = str(error), "not run"
        except (CanneryError, OSError, ValueError) as error:
            observed, state = f"{type(error).__name__}: {error}", "failed"
        yield Finding(probe.name, probe.page, probe.prediction, state, observed)


def differences(got: Array, want: Array) -> tuple[str, bool]:
    """Compares the bits of two arrays; any two NaNs are equal. Returns a text, and whether all
    elements are equal.
    """
    same = got.view(f"u{got.itemsize}") == want.view(f"u{want.itemsize}")
    if got.dtype.kind == "f":
        same |= np.isnan(got) & np.isnan(want)
    wrong = np.flatnonzero(~same)
    if not wrong.size:
        return f"{got.size} elements as predicted", True
    shown = ", ".join(f"[{i}] {got[i]!r} instead of {want[i]!r}" for i in wrong[:8].tolist())
    return f"{wrong.size} of {got.size} elements differ: {shown}", False
