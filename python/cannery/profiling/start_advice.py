# SPDX-License-Identifier: Apache-2.0
"""What shortens the start of a launch, and the modelled time after each change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cannery.profiling.bound import start_us
from cannery.profiling.copies import copies_of
from cannery.profiling.startup import TERMS
from cannery.profiling.times import LaunchTimes

__all__ = ["start_advice"]

_WORTH = 0.05  #: a smaller share of the task is not worth a change
_MOST = 3  #: number of changes that the advice names
_ONE_TILE = 65536  #: most bytes of a core's loads that are one tile
_CONSTANT_MATMUL = 4040 / 6540  #: start of Matmul with constant tiling, kMatmulStartConst
_UNIT_US = 0.01  #: a smaller difference between two times does not count


@dataclass(frozen=True)
class _Change:
    us: float  #: the time of the launch after the change
    text: str


def start_advice(launch: LaunchTimes) -> str:
    """Returns the changes that shorten the start most, each with the modelled time after it."""
    most = launch.task_us * (1 - _WORTH)
    found = sorted((each for each in _changes(launch) if each.us <= most), key=lambda each: each.us)
    texts = [f"{each.text}: {each.us:.3g} us." for each in found[:_MOST]]
    head = [f"Of {launch.task_us:.3g} us, each change alone would leave by the model:"]
    return " ".join([*(head if texts else []), *texts, _together(launch)])


def _changes(launch: LaunchTimes) -> Iterator[_Change]:
    terms, task = launch.startup_us, launch.task_us
    yield from _fewer_blocks(launch)
    yield from _code(launch)
    if "tiling" in terms:
        yield _Change(task - terms["tiling"], "Constants in the source instead of tiling data")
    if any(each["opcode"] == "MatmulInit" for each in launch.operations):
        saved = terms.get("matmul", 0.0) * (1 - _CONSTANT_MATMUL)
        yield _Change(task - saved, "Constant tiling of Matmul")
    if "mix" in terms:
        yield _Change(task - terms["mix"], "A kernel of one kind of core")
    if "pipe" in terms:
        yield _Change(
            task - terms["pipe"] / 2,
            "Half as many buffers (and create TPipe outside of the kernel's class, so that the "
            "compiler can keep its members in registers)",
        )
    yield from _one_tile(launch)


def _fewer_blocks(launch: LaunchTimes) -> Iterator[_Change]:
    """Yields the best number of blocks: half, a quarter, ... of the present number."""
    terms, blocks = launch.startup_us, launch.block_dim
    places = launch.header["soc"]["aic" if "AIC" in launch.busy_us else "aiv"]
    if blocks > places:
        waves = -(-blocks // places)
        once = launch.us(min(core["startup"][list(TERMS).index("core")] for core in launch.cores))
        left = launch.task_us - (terms.get("core", 0.0) - once)
        yield _Change(left, f"{places} blocks, each with a loop over the work of {waves}")
        return
    busiest = max(launch.cores, key=_work)
    own = {term: launch.us(us) for term, us in zip(TERMS, busiest["startup"], strict=True)}
    grows, code = launch.last_core["startup"][list(TERMS).index("blocks")], own["code"]
    # The same work on fewer cores. A core does its tiles one after another, so its pipes may not
    # overlap.
    took = launch.us(busiest["end"]) + own["launch"]
    work = max(took - sum(own.values()), launch.us(_work(busiest)))
    start = took - work - own["blocks"]  # less than the sum of its terms if the work overlaps them
    total = launch.us(sum(_work(core) for core in launch.cores))
    best = None
    fewer = blocks
    while fewer > 1:
        fewer = -(-fewer // 2)
        share = fewer / blocks
        us = start + launch.us(grows) * share - code * _turn(launch) * (1 - share)
        us += work * max(1.0, total / fewer / max(launch.us(_work(busiest)), _UNIT_US))
        if best is None or us < best.us - _UNIT_US:
            count = f"{fewer} block{'s' if fewer > 1 else ''}"
            best = _Change(us, f"{count} instead of {blocks}, each with more of the work")
    if best is not None:
        yield best


def _work(core: dict[str, Any]) -> int:
    """Returns the ticks in which the pipes of a core work; it translates a page only once."""
    pages = core["startup"][list(TERMS).index("pages")]
    return max(0, int(sum(core["busy"][1:]) - pages))


def _turn(launch: LaunchTimes) -> float:
    """Returns the share of the waits for code that grows with the number of cores."""
    return max((turn / wait for wait, turn in launch.header["code"].values() if wait), default=0.0)


def _code(launch: LaunchTimes) -> Iterator[_Change]:
    code = launch.startup_us.get("code", 0.0)
    if not code:
        return
    units = max(1.0, code / launch.us(max(wait for wait, _ in launch.header["code"].values())))
    preload = "ICachePreLoad at the begin of the kernel, which requests the code early"
    yield _Change(launch.task_us - code * (1 - 1 / units) * (1 - _turn(launch)), preload)
    yield _Change(launch.task_us - code / 2, "Half as much code (fewer different calls)")


def _one_tile(launch: LaunchTimes) -> Iterator[_Change]:
    for kind in launch.busy_us:
        loads = copies_of(launch, kind, True)
        if loads is None or loads.bytes / loads.cores > _ONE_TILE or loads.count <= loads.cores:
            continue
        busy = launch.busy_us[kind]["MTE2"] - launch.startup_us.get("pages", 0.0)
        saved = busy - loads.us_with(max(1, loads.bytes // loads.cores))
        yield _Change(launch.task_us - saved, f"One tile per {kind} core, loaded by one copy")


def _together(launch: LaunchTimes) -> str:
    once = launch.task_us
    twice = 2 * once - start_us(launch)
    code = launch.startup_us.get("code", 0.0)
    more = "Or give the launch more to do: two of these in one launch would take"
    warm = f"With the code in L2 (`warm=True`): {once - code:.3g} us. " if code else ""
    return f"{warm}{more} {twice:.3g} us instead of {2 * once:.3g} us."
