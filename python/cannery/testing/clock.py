# SPDX-License-Identifier: Apache-2.0
"""Compares speed: the contenders take turns in one process, and the best round of each counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

__all__ = ["best_of"]


def best_of(contenders: Mapping[str, Callable[[], object]], rounds: int = 5) -> dict[str, float]:
    """Returns the seconds of the best of `rounds` rounds of each contender, after one round that
    does not count.

    Because they take turns, a slow or fast minute of the machine affects all of them. A result is
    freed outside the measured time.
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
