# SPDX-License-Identifier: Apache-2.0
"""Prepares a launch for timelines: a track for each core and pipe, with arrows and curves.

In the model, instructions of one pipe may overlap. On a track, an instruction that overlaps the
previous one is drawn from the end of the previous one, so its drawn length is its `cycles`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cannery.profiling.times import LaunchTimes

__all__ = ["Chosen", "Tracks", "choose"]

#: The values of `act` for instructions that wait; all other instructions do something.
WAITS = ("wait", "cross wait", "barrier", "all cores")

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Chosen:
    """The cores of one block."""

    role: str  #: "slowest", "median", "fastest"; "" if all blocks are shown
    cores: tuple[int, ...]


def choose(launch: LaunchTimes) -> list[Chosen]:
    """Returns the slowest, the median and the fastest block."""
    blocks: dict[int, list[int]] = {}
    for number, core in enumerate(launch.cores):
        blocks.setdefault(core["block"], []).append(number)

    def ticks(block: int) -> int:
        cores = [launch.cores[number] for number in blocks[block]]
        return int(max(x["end"] for x in cores) - min(x["start"] for x in cores))

    order = sorted(blocks, key=lambda block: (-ticks(block), block))
    places = {0: "slowest", len(order) // 2: "median", len(order) - 1: "fastest"}
    if len(order) < 3:
        places.pop(1, None)
        places |= {1: "fastest"} if len(order) == 2 else {0: "only"}
    return [
        Chosen(places[place], tuple(blocks[order[place]]))
        for place in sorted(places)
        if place < len(order)
    ]


class Tracks:
    """The tracks of one launch. Times are in ticks of the model. A row is one instruction; the
    number of a row is the index in `launch.instructions`.
    """

    def __init__(self, launch: LaunchTimes) -> None:
        self.launch = launch
        self.rows = launch.instructions.rows
        self.acts = np.array([each["act"] for each in launch.operations], dtype=object)
        self._operation = self.rows["operation"]
        self._edges = np.searchsorted(self.rows["core"], np.arange(len(launch.cores) + 1))

    def of_core(self, core: int) -> slice:
        """Returns the range of a core's rows (instructions), in program order."""
        return slice(int(self._edges[core]), int(self._edges[core + 1]))

    @cached_property
    def until(self) -> int:
        """The time in ticks before which every instruction of the launch that begins has a row."""
        found = [np.iinfo(np.int64).max]
        for number, core in enumerate(self.launch.cores):
            part = self.of_core(number)
            if part.stop - part.start < core["instructions"]:
                # The scalar unit issues in order, so later instructions do not begin earlier.
                last = self.rows["issued"][part.stop - 1] if part.stop > part.start else 0
                found.append(int(last))
        return min(found)

    @cached_property
    def shown_ns(self) -> tuple[Ints, Ints]:
        """The times in ns at which each instruction begins and ends on its track."""
        begin = self.rows["start"].astype(np.int64)
        end = begin + self.rows["ticks"].astype(np.int64)
        for core in range(len(self.launch.cores)):
            part = self.of_core(core)
            for pipe in np.unique(self.rows["pipe"][part]):
                where = np.flatnonzero(self.rows["pipe"][part] == pipe) + part.start
                done = np.maximum.accumulate(end[where])
                end[where] = done
                begin[where[1:]] = np.maximum(begin[where[1:]], done[:-1])
        return self.ns(begin), self.ns(end)

    @property
    def until_ns(self) -> int:
        """`until` in whole nanoseconds."""
        complete = self.until == np.iinfo(np.int64).max
        return self.until if complete else int(self.until * self.tick_ns)

    @cached_property
    def tick_ns(self) -> float:
        """The nanoseconds in one tick of the launch's clock."""
        return self.launch.us(1) * 1e3

    def ns(self, ticks: Ints) -> Ints:
        """Returns whole nanoseconds, rounded down, so that adjacent slices remain adjacent."""
        return np.asarray(np.floor(ticks * self.tick_ns), np.int64)

    def is_act(self, *acts: str) -> npt.NDArray[np.bool_]:
        """Returns, for each instruction, whether its kind of action is one of `acts`."""
        wanted = np.isin(self.acts.astype(str), acts)
        return np.asarray(wanted[self._operation], bool)

    def issuing(self, core: int) -> tuple[Ints, Ints, Ints]:
        """Returns the intervals in which the scalar unit computed and issued instructions without a
        gap: begin, end, and the number of instructions.
        """
        part = self.of_core(core)
        work = self.launch.scalar_work[part].astype(np.int64)
        # An instruction of the scalar unit itself has its own slice behind the work.
        shown = (self.rows["pipe"][part] != 0) | (work != 0)
        rows, work = self.rows[part][shown], work[shown]
        takes = np.array([each["issue"] for each in self.launch.operations], np.int64)
        own = rows["pipe"] == 0
        end = np.where(own, rows["start"], rows["issued"]).astype(np.int64)
        begin = end - work - np.where(own, 0, takes[rows["operation"]]) if len(rows) else end
        where = np.flatnonzero(begin[1:] != end[:-1]) + 1
        first = np.concatenate([[0], where])[: len(rows)].astype(np.int64)
        last = np.concatenate([where, [len(rows)]])[: len(rows) or 0].astype(np.int64)
        return begin[first], end[last - 1], last - first

    @cached_property
    def first_address(self) -> Ints:
        """For each instruction, the index of its first GM address in `launch.addresses`."""
        counts = np.array([_in_gm(each) for each in self.launch.operations], np.int64)
        ends = np.cumsum(counts[self._operation]) if len(self.rows) else np.zeros(0, np.int64)
        return ends - counts[self._operation] if len(self.rows) else ends

    @cached_property
    def flows(self) -> Ints:
        """Pairs of row numbers: an instruction that sets a flag, the instruction that waits."""
        return np.concatenate([self._flags(), self._cross_flags()])

    def _numbers(self, field: str, rows: Ints) -> Ints:
        """Returns a field of the operation of each row in `rows`."""
        of = np.array([each[field] for each in self.launch.operations], np.int64)
        return of[self._operation[rows]] if len(rows) else np.zeros(0, np.int64)

    def _flags(self) -> Ints:
        """Returns pairs of row numbers: the n-th set and n-th wait of one core, event and ID."""
        sets, waits = np.flatnonzero(self.is_act("set")), np.flatnonzero(self.is_act("wait"))
        _, of_set, of_wait = np.intersect1d(
            self._places(sets), self._places(waits), assume_unique=True, return_indices=True
        )
        pairs = np.column_stack([sets[of_set], waits[of_wait]])
        return pairs[np.argsort(pairs[:, 0])]

    def _places(self, rows: Ints) -> Ints:
        """Returns a different number for each row: its core, event, ID, and its index among the
        rows with the same three.
        """
        key = self.rows["core"][rows].astype(np.int64) << 16
        key |= self._numbers("event", rows) << 8 | self._numbers("id", rows)
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        first = np.searchsorted(ordered, ordered)  # the first row with the same key
        key[order] = ordered << 32 | np.arange(len(rows)) - first
        return key

    def _cross_flags(self) -> Ints:
        """Returns pairs of row numbers for flags between cores: the last set, and the wait."""
        raised = self._raised()
        taken: dict[tuple[int, int], int] = {}
        pairs = []
        rows = np.flatnonzero(self.is_act("cross wait"))
        for row, flag in zip(rows.tolist(), self._numbers("id", rows).tolist(), strict=True):
            key = (int(self.rows["core"][row]), flag)
            number = taken.get(key, 0)
            taken[key] = number + 1
            if number < len(raised.get(key, ())):
                pairs.append((raised[key][number], row))
        return np.array(pairs, np.int64).reshape(-1, 2)

    def _raised(self) -> dict[tuple[int, int], list[int]]:
        """Returns, for each core and flag, the instructions that raised the flag, in order of time.
        If several cores must set a flag, the last one raises it.
        """
        cores = self.launch.cores
        sets: dict[tuple[int, int, str, int], dict[int, list[int]]] = {}
        rows = np.flatnonzero(self.is_act("cross set"))
        flags, modes = self._numbers("id", rows).tolist(), self._numbers("mode", rows).tolist()
        for row, flag, mode in zip(rows.tolist(), flags, modes, strict=True):
            core = int(self.rows["core"][row])
            block = -1 if mode == 0 else cores[core]["block"]
            group = (mode, flag, cores[core]["kind"], block)
            sets.setdefault(group, {}).setdefault(core, []).append(row)
        raised: dict[tuple[int, int], list[int]] = {}
        for (mode, flag, kind, block), members in sets.items():
            targets = [
                number
                for number, core in enumerate(cores)
                if (mode == 0 or core["block"] == block) and (core["kind"] == kind) != (mode == 2)
            ]
            for together in zip(*members.values(), strict=False):
                last = max(together, key=lambda row: (int(self.rows["start"][row]), row))
                for target in targets:
                    raised.setdefault((target, flag), []).append(last)
        for found in raised.values():
            found.sort(key=lambda row: int(self.rows["start"][row]))
        return raised

    def ub_in_use(self, core: int) -> tuple[Ints, Ints]:
        """Returns times, and for each time the bytes of UB whose content will still be read."""
        spans = [_ub_spans(each) for each in self.launch.operations]
        edges = np.unique(
            [edge for each in spans for begin, end, _ in each for edge in (begin, end)]
        )
        if len(edges) > _MOST_PIECES:
            edges = np.arange(0, int(edges[-1]) + _PIECE, _PIECE)
        reads = np.zeros((len(spans), max(1, len(edges) - 1)), bool)
        writes = np.zeros_like(reads)
        for number, each in enumerate(spans):
            for low, high, write in each:
                first, last = np.searchsorted(edges, [low, high], side="left")
                (writes if write else reads)[number, first:last] = True
        part = self.of_core(core)
        operation = self._operation[part]
        start = self.rows["start"][part].astype(np.int64)
        end = start + self.rows["ticks"][part].astype(np.int64)
        times, changes = np.zeros(0, np.int64), np.zeros(0, np.int64)
        for piece in range(len(edges) - 1):
            from_, until = _lives(reads[operation, piece], writes[operation, piece], start, end)
            size = int(edges[piece + 1] - edges[piece])
            # Each piece is added at once: all of them together would need much memory.
            times, place = np.unique(np.concatenate([times, from_, until]), return_inverse=True)
            sizes = np.repeat([size, -size], [len(from_), len(until)])
            change = np.concatenate([changes, sizes])
            changes = np.zeros(len(times), np.int64)
            np.add.at(changes, place, change)
        level = np.cumsum(changes)
        keep = np.diff(level, prepend=-1) != 0
        return times[keep], level[keep]

    def gm_bytes(self, buckets: int) -> tuple[int, Ints, Ints]:
        """Returns the width of a bucket in ticks, and the bytes that all cores load and store in
        each bucket.
        """
        begin = self.rows["start"].astype(np.int64)
        end = begin + self.rows["ticks"].astype(np.int64)
        width = -(-max(1, self.launch.header["task"]) // buckets)
        found = []
        copies = self.is_act("copy")
        for write in (False, True):
            bytes_ = np.array([_gm_bytes(each, write) for each in self.launch.operations], np.int64)
            where = np.flatnonzero(copies)
            moved = bytes_[self._operation[where]] if len(where) else np.zeros(0, np.int64)
            found.append(_spread(begin[where], end[where], moved, width, buckets))
        # After `until`, the rows are only a part of the instructions.
        known = np.arange(1, buckets + 1) * width <= self.until
        return width, np.where(known, found[0], 0), np.where(known, found[1], 0)


_MOST_PIECES = 512
_PIECE = 1024


def _in_gm(operation: dict[str, Any]) -> int:
    return sum(operand[1] == "GM" for operand in operation["operands"])


def _gm_bytes(operation: dict[str, Any], write: bool) -> int:
    return sum(
        total_bytes(operand)
        for operand in operation["operands"]
        if operand[1] == "GM" and bool(operand[2]) == write
    )


def total_bytes(operand: list[Any]) -> int:
    """Returns the bytes that an operand touches. twin/timing/operation_table.cpp defines the form
    of operands.
    """
    return int(operand[4] * operand[5] * operand[7])


def _ub_spans(operation: dict[str, Any]) -> list[tuple[int, int, bool]]:
    spans = []
    for _, memory, write, begin, bytes_, count, stride, repeats, far, *_ in operation["operands"]:
        if memory == "UB" and begin is not None and bytes_ * count * repeats:
            span = (count - 1) * stride + (repeats - 1) * far + bytes_
            spans.append((begin, begin + span, bool(write)))
    return spans


def _lives(
    reads: npt.NDArray[np.bool_], writes: npt.NDArray[np.bool_], start: Ints, end: Ints
) -> tuple[Ints, Ints]:
    """Returns the lifetimes of contents: from each write to the last read before the next write."""
    used = np.flatnonzero(reads | writes)
    first = np.flatnonzero(writes[used])
    if not len(first):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    used = used[first[0] :]
    first = first - first[0]
    until = np.where(reads[used], end[used], 0)
    last = np.maximum.reduceat(until, first)
    # If a write also reads its operand, the write ends the lifetime of the earlier content.
    both = reads[used[first]]
    last[:-1] = np.where(both[1:], np.maximum(last[:-1], start[used[first[1:]]]), last[:-1])
    begun = start[used[first]]
    return begun, np.maximum(last, begun)


def _spread(begin: Ints, end: Ints, moved: Ints, width: int, buckets: int) -> Ints:
    """Spreads each copy's bytes evenly over its time; the sum stays exact."""
    edges = np.arange(1, buckets + 1, dtype=np.float64) * width
    end = np.maximum(end, begin + 1)
    rate = moved / (end - begin)
    total = np.rint(_ramps(begin, rate, edges) - _ramps(end, rate, edges)).astype(np.int64)
    total[-1] = moved.sum()
    return np.diff(total, prepend=0)


def _ramps(
    begin: Ints, rate: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Returns, at each edge, the sum of ramps that start at `begin` and grow with `rate`."""
    order = np.argsort(begin, kind="stable")
    rates = np.concatenate([[0.0], np.cumsum(rate[order])])
    offsets = np.concatenate([[0.0], np.cumsum(rate[order] * begin[order])])
    place = np.searchsorted(begin[order], edges)
    return np.asarray(edges * rates[place] - offsets[place], np.float64)
