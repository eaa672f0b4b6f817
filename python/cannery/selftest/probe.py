# SPDX-License-Identifier: Apache-2.0
"""One thing that the twin predicts and nobody has seen a card do."""

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
    """A prediction with its page, and how to see what happens."""

    name: str
    page: str  #: below docs/
    prediction: str
    #: What was observed, and whether it is what was predicted.
    observe: Callable[[], tuple[str, bool]]


@dataclass(frozen=True)
class Finding:
    """state: agrees, differs, failed (it could not be observed) or not run."""

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
    """Compares bits, NaN with NaN whatever its payload."""
    same = got.view(f"u{got.itemsize}") == want.view(f"u{want.itemsize}")
    if got.dtype.kind == "f":
        same |= np.isnan(got) & np.isnan(want)
    wrong = np.flatnonzero(~same)
    if not wrong.size:
        return f"{got.size} elements as predicted", True
    shown = ", ".join(f"[{i}] {got[i]!r} instead of {want[i]!r}" for i in wrong[:8].tolist())
    return f"{wrong.size} of {got.size} elements differ: {shown}", False
