# SPDX-License-Identifier: Apache-2.0
"""Compares the speed of functions: they run in turn, and the fastest run of each counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

__all__ = ["best_of"]


def best_of(contenders: Mapping[str, Callable[[], object]], rounds: int = 5) -> dict[str, float]:
    """Returns, for each contender, the seconds of its fastest round of `rounds`. An extra round
    before these is not counted.

    The contenders run in turn, so a slow or fast minute of the machine affects all of them. Results
    are freed outside the measured time.
    """
    best = dict.fromkeys(contenders, float("inf"))
    for number in range(rounds + 1):
        for name, call in contenders.items():
            start = time.perf_counter()
            result = call()
            seconds = time.perf_counter() - start
            del result
            if number > 0:
                best[name] = min(best[name], seconds)
    return best
