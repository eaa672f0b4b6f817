# SPDX-License-Identifier: Apache-2.0
"""Advice for a launch: what to change first, and how much time this would save by the model.

For each possible limit, such as a pipe, one function makes the advice. _longer_copies returns an
empty text if longer copies would not help; another function then makes the advice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cannery.profiling.bound import START_UP, bound_of
from cannery.profiling.copies import Copies, copies_of
from cannery.profiling.start_advice import start_advice
from cannery.profiling.times import LaunchTimes
from cannery.profiling.waits import OTHER_CORE, Wait, Waits

__all__ = ["Advice", "advise"]

_WORTH = 1.05  #: a smaller speed-up is not worth a change
_BUSY = 0.5  #: a resource that is busy for this share of the time is the limit
_SIZES = (16384, 32768, 65536)  #: bytes per copy that the model tries
_LONGER = 4  #: factor for the length of instructions that the advice tries


@dataclass(frozen=True)
class Advice:
    """The advice for one launch."""

    what: str  #: what limits the launch
    do: str  #: what to change first, and what this would save by the model

    def __str__(self) -> str:
        return f"{self.what} {self.do}"


def advise(launch: LaunchTimes) -> Advice:
    """Returns what limits a launch, and what to change first."""
    advice = _advise(launch)
    bound = bound_of(launch)
    if bound.guessed < _BUSY:
        return advice
    guessed = ", ".join((*launch.estimated, *launch.formulas)[:3])
    share = _share(bound.guessed)
    return Advice(f"{advice.what} {share} of the time is guessed ({guessed}).", advice.do)


def _advise(launch: LaunchTimes) -> Advice:
    bound = bound_of(launch)
    waits = Waits(launch)
    kind, _, pipe = bound.resource.rpartition(" ")
    if bound.resource == START_UP:
        what = f"Start-up-bound: {_share(bound.share)} of the time is start-up ({bound.terms})."
        return Advice(what, start_advice(launch))
    if bound.resource in ("HBM", "L2") and bound.share >= _BUSY:
        what = f"{bound.resource}-bound: it is busy for {_share(bound.share)} of the time."
        return Advice(_with_waits(what, waits.longest(_main_kind(launch))), _memory(launch))
    if not kind or bound.share < _BUSY:
        return Advice(
            f"Nothing is busy for even half of the time: {bound.resource} for "
            f"{_share(bound.share)}, {bound.second} for {_share(bound.second_share)}.",
            _overlap(launch, waits),
        )
    what = f"{pipe}-bound: the busiest {kind} works in it for {_share(bound.share)} of the time."
    ways: dict[str, Callable[[LaunchTimes, str], str]] = {
        "MTE2": lambda launch, kind: _longer_copies(launch, kind, True) or _memory(launch),
        "MTE3": lambda launch, kind: _longer_copies(launch, kind, False) or _memory(launch),
        "V": _vector,
        "M": _cube,
        "S": _scalar,
    }
    way = ways.get(pipe, _hottest)
    return Advice(_with_waits(what, waits.longest(kind)), way(launch, kind))


def _main_kind(launch: LaunchTimes) -> str:
    """Returns the kind of core that the advice is about: cube cores if the kernel uses them."""
    return "AIC" if "AIC" in launch.busy_us else "AIV"


def _with_waits(what: str, most: Wait | None) -> str:
    if most is None or most.share < 0.1:
        return what
    waits = f"{most.kind} {most.pipe} waits for {most.reason}"
    return f"{what} {waits} for {_share(most.share)} of its cores' time."


def _memory(launch: LaunchTimes) -> str:
    busier = max(
        (copies_of(launch, kind, load) for kind in launch.busy_us for load in (True, False)),
        key=lambda copies: 0 if copies is None else copies.bytes,
        default=None,
    )
    if busier is not None:
        longer = _longer_copies(launch, busier.kind, busier.load)
        if longer:
            return longer
    held = sum(size for label, _, size in launch.header["gm"] if "workspace" not in label)
    ideal = launch.roofline.bytes_us
    per_us = launch.hbm_bytes / ideal if ideal else 0.0
    if held and launch.hbm_bytes > 1.2 * held:
        return (
            f"Move fewer bytes: HBM moves {_bytes(launch.hbm_bytes)}, "
            f"{launch.hbm_bytes / held:.1f} times what the arguments hold; each byte "
            f"once would take {_us(held / per_us)}. Keep what is used again in the core, or let "
            "cores that use it run at the same time."
        )
    return (
        f"The copies are long enough and each byte comes once: {_bytes(launch.hbm_bytes)} of HBM "
        f"take {_us(ideal)} at least. Only fewer or smaller data help: fuse this with what "
        "makes its inputs, or with what reads its outputs."
    )


def _longer_copies(launch: LaunchTimes, kind: str, load: bool) -> str:
    copies = copies_of(launch, kind, load)
    if copies is None:
        return ""
    per_core = copies.bytes / copies.cores
    now = copies.us_now()
    tried = {
        size: copies.us_with(size)
        for size in _SIZES
        if copies.mean_bytes < size <= max(per_core, 1)
        or (size == _SIZES[0] and copies.row_bytes < 512)
    }
    good = [size for size, us in tried.items() if now > _WORTH * us]
    if not good:
        return ""
    size = next((x for x in good if tried[x] <= 1.05 * min(tried.values())), good[0])
    rows = "rows of the " if copies.row_bytes < 0.9 * copies.mean_bytes else ""
    return (
        f"Make the {rows}{'loads' if load else 'stores'} longer: {_shape(copies)}. "
        f"The same bytes in contiguous copies of {_bytes(size)} would keep the "
        f"{'MTE2' if load else 'MTE3'} of a core busy for {_us(tried[size])} instead of {_us(now)} "
        f"({now / tried[size]:.1f} x)."
    )


def _shape(copies: Copies) -> str:
    text = f"copies of {_bytes(copies.mean_bytes)} on average"
    if copies.row_bytes < 0.9 * copies.mean_bytes:
        text += f", in rows of {_bytes(copies.row_bytes)}"
    return text


def _vector(launch: LaunchTimes, kind: str) -> str:
    busy = launch.busy_us[kind]["V"]
    cores = sum(core["kind"] == kind for core in launch.cores)
    own = [each for each in launch.operations if each["pipe"] == "V"]
    conflicts = launch.us(sum(each["conflicts"] for each in own)) / cores
    heads = launch.us(sum(each["head"] * each["count"] for each in own)) / cores
    longer = heads * (1 - 1 / _LONGER)
    if conflicts >= max(longer, 0.05 * busy):
        worst = max(own, key=lambda each: each["conflicts"])
        return (
            "Place operands in different banks of UB: conflicts take "
            f"{_share(conflicts / busy)} of V's time, most at "
            f"{_place(worst['file'], worst['line'])}; without them V would be busy for "
            f"{_us(busy - conflicts)} instead of {_us(busy)}. Sources an odd multiple of 256 B "
            "apart do not meet."
        )
    if longer >= 0.1 * busy:
        return (
            f"Let each vector instruction do more: {_share(heads / busy)} of V's time is their "
            f"heads. Instructions {_LONGER} times as long would keep V busy for "
            f"{_us(busy - longer)} instead of {_us(busy)}."
        )
    return _hottest(launch, kind, "V")


def _cube(launch: LaunchTimes, kind: str) -> str:
    busy = launch.busy_us[kind]["M"]
    cores = sum(core["kind"] == kind for core in launch.cores)
    own = [each for each in launch.operations if each["pipe"] == "M" and each["count"]]
    heads = launch.us(sum(each["head"] * each["count"] for each in own)) / cores
    if heads >= 0.1 * busy:
        return (
            f"Give each Mmad a larger block: {_share(heads / busy)} of M's time is heads. Blocks "
            f"{_LONGER} times as large would keep M busy for "
            f"{_us(busy - heads * (1 - 1 / _LONGER))} instead of {_us(busy)}."
        )
    return (
        f"The cube unit is used well: the products alone take {_us(launch.roofline.arithmetic_us)}."
    )


def _scalar(launch: LaunchTimes, kind: str) -> str:
    calls = sum(each["count"] for each in launch.operations)
    cores = max(1, len(launch.cores))
    issue = launch.us(sum(each["issue"] * each["count"] for each in launch.operations)) / cores
    if issue < 0.3 * launch.busy_us[kind]["S"]:
        return _hottest(launch, kind, "S")
    return (
        f"Make fewer calls: a core makes {calls / cores:.0f}, whose issue alone takes "
        f"{_us(issue)}. Half as many, each with twice the count or the repeats, would take "
        f"{_us(issue / 2)}."
    )


def _overlap(launch: LaunchTimes, waits: Waits) -> str:
    core = max(launch.cores, key=lambda each: each["end"] - each["start"])
    took = launch.us(core["end"] - core["start"])
    best = launch.us(max(core["busy"]))
    most = waits.longest(_main_kind(launch))
    if most is not None and most.reason == OTHER_CORE:
        return (
            f"Let cores wait less for each other: that takes {_us(most.us)} of a core's "
            f"{_us(launch.core_us)}, most of it at {_place(most.file, most.line)}; without it "
            f"{_us(launch.core_us - most.us)} would be left."
        )
    where = ""
    if most is not None:
        where = (
            f" {most.kind} {most.pipe} waits for {most.reason} for {_share(most.share)} of its "
            f"cores' time, most of it at {_place(most.file, most.line)}."
        )
    return (
        f"Let the pipes work at the same time (two buffers in a queue, copies asked for earlier):"
        f"{where} The slowest core takes {_us(took)}; with everything overlapped its busiest pipe "
        f"would set {_us(best)}."
    )


def _hottest(launch: LaunchTimes, kind: str, pipe: str = "") -> str:
    pipe = pipe or bound_of(launch).resource.rpartition(" ")[2]
    if not launch.lines:
        return "The kernel makes no call of Ascend C: shorten what its scalar unit computes."
    line = max(launch.lines, key=lambda line: line.pipes.get(pipe, 0.0))
    us = line.pipes.get(pipe, 0.0)
    total = sum(each.pipes.get(pipe, 0.0) for each in launch.lines) or 1.0
    return (
        f"Begin with {', '.join(line.opcodes[:2])} at {_place(line.file, line.line)}: "
        f"{_share(us / total)} of {kind}'s {pipe}; without it {_us(total - us)} of {_us(total)} "
        "would be left, mean of the cores."
    )


def _place(file: str, line: int) -> str:
    return f"{Path(file).name}:{line}"


def _share(share: float) -> str:
    return f"{100 * share:.0f} %"


def _us(us: float) -> str:
    return f"{us:.3g} us" if us < 1000 else f"{us:.0f} us"


def _bytes(number: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.3g} {unit}"
        number /= 1024
    return f"{number:.3g} GiB"
