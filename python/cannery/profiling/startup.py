# SPDX-License-Identifier: Apache-2.0
"""What takes time before the cores of a launch compute, by term. docs/timing.md explains the terms
and names the sources of their times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["TERMS", "intervals", "mask_of", "terms_of"]

#: The terms, in the order of timing::Startup in twin/timing/startup.h, with what takes the time.
TERMS = {
    "launch": "the scheduler begins and ends the launch",
    "blocks": "blocks begin one after another",
    "core": "a core begins",
    "mix": "cores of both kinds begin",
    "code": "code comes into the instruction caches",
    "tiling": "the scalar unit reads the tiling data",
    "pipe": "TPipe and its buffers are made",
    "pages": "addresses of pages are translated",
    "matmul": "the scalar unit prepares Matmul",
}

_BLOCKS, _CORE, _MIX = (list(TERMS).index(term) for term in ("blocks", "core", "mix"))


def mask_of(without: Iterable[str]) -> int:
    """Returns the bits of the terms. Raises ValueError if a name is unknown."""
    if isinstance(without, str):
        without = (without,)
    mask = 0
    for name in without:
        if name not in TERMS:
            raise ValueError(
                f"profile: without={name!r}; expected terms of the start: {', '.join(TERMS)}"
            )
        mask |= 1 << list(TERMS).index(name)
    return mask


def terms_of(mask: int) -> tuple[str, ...]:
    """Returns the terms of a mask."""
    return tuple(name for index, name in enumerate(TERMS) if mask >> index & 1)


def intervals(cores: Sequence[dict[str, Any]], core: int) -> list[tuple[str, int, int]]:
    """Returns what happens before the first instruction of `core`: terms with begin and end, in
    ticks. `cores` is the list of all cores in the header of a profile.
    """
    of = cores[core]
    own = min(each["startup"][_CORE] for each in cores)
    found = [("core", of["start"], of["start"] + own)]
    mix, blocks = of["startup"][_MIX], of["startup"][_BLOCKS]
    if of["start"] == mix + blocks:  # otherwise, an earlier block ran on the core until then
        found = [("mix", 0, mix), ("blocks", mix, mix + blocks), *found]
    return [each for each in found if each[1] < each[2]]
