# SPDX-License-Identifier: Apache-2.0
"""How speed is compared: contenders warm, in turns, in one process; the best round of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

__all__ = ["best_of"]


def best_of(contenders: Mapping[str, Callable[[], object]], rounds: int = 5) -> dict[str, float]:
    """Seconds of the best of `rounds` rounds of each contender, after one that does not count.

    Turns, so that a slower or faster minute of the machine hits all of them. A result is freed
    outside the clock.
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
