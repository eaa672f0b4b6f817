# SPDX-License-Identifier: Apache-2.0
"""Shapes at which an operator's tiling makes one tile, tiles that fill the local memory, and
several tiles for each core. This module knows nothing about the kernel; it only calls the tiling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cannery.errors import CanneryError

if TYPE_CHECKING:
    from cannery.optiling import Tiling

__all__ = ["TILES", "rows_for"]

#: The values for the parameter `tiles` of `OperatorRow.shape`.
TILES = ("one-tile", "full-ub", "three-tiles", "tail")

#: The largest numbers of elements: for a call of the tiling, and for a test.
_MOST_ASKED = 1 << 30
_MOST_RUN = 1 << 25
#: A number of the tiling that three doublings of the extent do not change is at its limit.
_STEADY = 3

Ask = Callable[[int], "Tiling"]
Numbers = Mapping[str, Any]


def rows_for(tiles: str, ask: Ask, elems: int) -> int:
    """Returns the first extent of a shape for which the tiling makes these tiles.

    ask: returns the tiling for a first extent; the other extents stay the same.   elems: the
    product of the other extents.

    Doubles the first extent until the tiling refuses it. Some numbers of the tiling grow to the
    end, such as the number of all tiles. Other numbers stop at a limit of the chip: the number of
    blocks, and the size of a tile that fills the local memory. At the smallest extent with all
    limits, each core has one full tile. Raises CanneryError if no number grows and then stops.
    """
    if tiles not in TILES:
        raise ValueError(f"tiles: expected one of {', '.join(TILES)}, got {tiles!r}")
    if tiles == "one-tile":
        return 1
    full = _first_full(ask, elems)
    rows = {"full-ub": full, "three-tiles": 3 * full, "tail": 3 * full + 1}[tiles]
    if rows * elems > _MOST_RUN:
        raise CanneryError(
            f"tiling: {tiles}: needs {rows} rows of {elems} elements, too many for a test\n"
            "  try: a shape of your own for this test"
        )
    return rows


def _first_full(ask: Ask, elems: int) -> int:
    """Returns the smallest first extent for which all numbers with a limit are at their limits."""
    answers = _answers(ask, elems)
    steady = answers[-_STEADY - 1 :]
    limits = {
        name: value
        for name, value in answers[-1].items()
        if all(answer.get(name) == value for answer in steady) and answers[0].get(name) != value
    }
    if not limits:
        raise CanneryError(
            "tiling: no number of it grows with the first extent and then stops, so it does not "
            f"tell where a tile fills the local memory: {dict(answers[-1])}\n"
            "  try: shapes of your own in this test: the largest tile, three tiles for each core"
        )
    high = 1 << next(step for step, answer in enumerate(answers) if _has(answer, limits))
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _has(_numbers(ask(middle)), limits) else (middle, high)
    return high


def _answers(ask: Ask, elems: int) -> list[Numbers]:
    """Returns the numbers of the tilings for 1, 2, 4, ... rows."""
    answers: list[Numbers] = []
    rows = 1
    while rows * elems <= _MOST_ASKED or not answers:
        tiling = ask(rows)
        if not tiling.ok:
            break
        answers.append(_numbers(tiling))
        rows *= 2
    if not answers:
        raise CanneryError(f"tiling: refuses the smallest shape: {tiling.message}")
    return answers


def _has(answer: Numbers, limits: Numbers) -> bool:
    return all(answer.get(name) == value for name, value in limits.items())


def _numbers(tiling: Tiling) -> Numbers:
    return {"block_dim": tiling.block_dim, **dict(_flat("", tiling.fields))}


def _flat(prefix: str, fields: Numbers) -> list[tuple[str, Any]]:
    found = []
    for name, value in fields.items():
        if isinstance(value, Mapping):
            found += _flat(f"{prefix}{name}.", value)
        else:
            found.append((prefix + name, value))
    return found
