# SPDX-License-Identifier: Apache-2.0
"""Finds and launches the kernels of tests/fixtures/kernels/hazard, called the race zoo."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import cannery

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "kernels" / "hazard"


class Family(NamedTuple):
    """A source file. Its kernels are launched with `blocks` blocks, and `out` has `rows` rows, one
    for each core."""

    blocks: int = 1
    rows: int = 1

    @property
    def several_cores(self) -> bool:
        return self.rows > 1


FAMILIES = {
    "local_pairs": Family(),
    "global_values": Family(),
    "queues_flags": Family(),
    "library_calls": Family(),
    "correct_vector": Family(),
    "masks": Family(),
    "element_order": Family(),
    "partial_tiles": Family(),
    "idioms": Family(),
    "vector_cores": Family(3, 3),
    "handover": Family(3, 3),
    "cores_idioms": Family(3, 3),
    "cube_copies": Family(),
    "cube_idioms": Family(),
    "cube_products": Family(),
    "cube_parts": Family(),
    "mix": Family(1, 2),
    "mix_idioms": Family(1, 2),
    "server": Family(1, 2),
}


class Place(NamedTuple):
    """A kernel in its source: its number, whether it has a mistake, and its marked lines."""

    number: int
    race: bool
    first: int | None
    second: int | None


@cache
def places(family: str) -> dict[str, Place]:
    found: dict[str, Place] = {}
    name = ""
    for line, text in enumerate((FOLDER / f"{family}.cpp").read_text().splitlines(), 1):
        begin = re.match(r"(RACE|SILENT)\((\w+)\)", text)
        if begin:
            name = begin[2]
            assert name not in found, f"{family}: two kernels {name}"
            found[name] = Place(len(found), begin[1] == "RACE", None, None)
        mark = re.search(r"// (first|second|first second)$", text)
        if mark:
            old = found[name]
            found[name] = Place(
                old.number,
                old.race,
                line if "first" in mark[1] else old.first,
                line if "second" in mark[1] else old.second,
            )
    return found


def silent() -> Iterator[tuple[str, str]]:
    """Yields the kernels without a mistake."""
    for family in FAMILIES:
        yield from ((family, name) for name, place in places(family).items() if not place.race)


def arrays(family: str) -> tuple[list[Any], Any]:
    """Returns the arguments (in, out, work), and the contents of `out` after a correct kernel."""
    rows = FAMILIES[family].rows
    work = np.zeros(65536, np.uint8)  # plain bytes: kernels use them as several types
    if family.startswith("cube"):
        rng = np.random.default_rng(1)
        operands = rng.integers(-4, 5, (2, 256, 16)).astype(np.float16)
        words = np.full(64, 0x3F800000 | 1 << 46, np.uint64)  # scale 1, signed result
        given = np.concatenate([operands.ravel(), words.view(np.float16)])
        want = operands[0, :16].astype(np.float32) @ operands[1, :16].astype(np.float32).T
    else:
        given = np.tile(np.arange(64, dtype=np.float32), 4)
        want = np.tile(np.arange(64, dtype=np.float32) + 1, (rows, 1))
    given.flags.writeable = False
    return [given, np.full_like(want, -1), work], want


def launch(kernel: Any, family: str, name: str, mended: bool) -> None:
    """Runs one kernel and checks its results, if it has no mistake."""
    place = places(family)[name]
    values, want = arrays(family)
    key = 2 * place.number + mended
    tiling = cannery.matmul_tiling(16, 32, 32) if family == "server" else b""
    with cannery.use(timeout_s=1.0):
        kernel(FAMILIES[family].blocks, *values, tiling=tiling, tiling_key=key)
    if mended or not place.race:
        np.testing.assert_array_equal(values[1], want)
