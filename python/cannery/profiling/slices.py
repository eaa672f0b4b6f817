# SPDX-License-Identifier: Apache-2.0
"""Reduces the timeline of a launch for a page: a limited number of slices, in whole nanoseconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cannery.profiling.operands import OperandTexts
from cannery.profiling.startup import intervals
from cannery.profiling.times import PIPES, LaunchTimes
from cannery.profiling.tracks import WAITS, Chosen, Tracks, total_bytes

__all__ = ["Slices"]

Ints = npt.NDArray[np.int64]
_LEVELS = 400  #: largest number of changes of UB usage that are shown per core


@dataclass
class _Track:
    core: int
    pipe: int
    rows: Ints
    begin: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    end: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


class Slices:
    """The timeline slices of the chosen cores of a launch. If there are more than `most`, short
    neighbours are merged.
    """

    def __init__(self, launch: LaunchTimes, chosen: list[Chosen], most: int) -> None:
        self._launch = launch
        self._tracks = Tracks(launch)
        self._begin, self._end = self._tracks.shown_ns
        self._rows = launch.instructions.rows
        self._texts = OperandTexts(launch)
        self._chosen = chosen
        self._waits = self._tracks.is_act(*WAITS)
        self._found = [
            track for each in chosen for core in each.cores for track in self._of_core(core)
        ]
        #: neighbouring slices shorter than this number of ns are merged; 0: none are merged
        self.step = self._step(most)

    def _of_core(self, core: int) -> list[_Track]:
        part = self._tracks.of_core(core)
        found = []
        for pipe in range(len(PIPES)):
            rows = np.flatnonzero(self._rows["pipe"][part] == pipe) + part.start
            rows = rows[self._begin[rows] < self._tracks.until_ns]
            if len(rows):
                rows = rows[np.lexsort((rows, self._end[rows], self._begin[rows]))]
                found.append(_Track(core, pipe, rows, self._begin[rows], self._end[rows]))
        return found

    def _starts(self, track: _Track, step: int) -> Ints:
        """Returns the indices of a track's instructions at which a new slice begins."""
        if step == 0 or not len(track.rows):
            return np.arange(len(track.rows))
        long = track.end - track.begin >= step
        bins = track.begin // step
        new = np.ones(len(track.rows), bool)
        new[1:] = (bins[1:] != bins[:-1]) | long[1:] | long[:-1]
        return np.flatnonzero(new)

    def _step(self, most: int) -> int:
        step = 0
        while sum(len(self._starts(track, step)) for track in self._found) > most:
            step = max(8, 2 * step)
        return step

    def data(self) -> dict[str, Any]:
        """Returns the data for the page's script (templates/page.js)."""
        operations: dict[int, int] = {}
        slice_of = np.full(len(self._rows), -1, np.int64)
        tracks, total = {}, 0
        for track in self._found:
            starts = self._starts(track, self.step)
            slice_of[track.rows] = (
                total + np.searchsorted(starts, np.arange(len(track.rows)), side="right") - 1
            )
            total += len(starts)
            tracks[track.core, track.pipe] = self._slices(track, starts, operations)
        cores = [
            {
                "name": self._launch.core_name(core),
                "role": each.role,
                "tracks": [tracks[key] for key in tracks if key[0] == core],
                "start": self._start(core),
                "ub": self._ub(core),
            }
            for each in self._chosen
            for core in each.cores
        ]
        return {
            "cores": cores,
            "operations": [self._operation(number) for number in operations],
            "arrows": self._arrows(slice_of),
            "gm": self._gm(),
            "step": self.step,
            "reasons": {
                str(why): self._launch.reasons[why]
                for why in np.unique(self._rows["why"]).tolist()
                if self._launch.reasons[why]
            },
        }

    def _slices(self, track: _Track, starts: Ints, operations: dict[int, int]) -> dict[str, Any]:
        took = track.end - track.begin
        ends = np.append(starts[1:], len(track.rows))
        begin, end = track.begin[starts], track.end[ends - 1]
        works = np.where(self._waits[track.rows], 0, took)
        busy = np.add.reduceat(works, starts) if len(starts) else works
        # A slice has the name of its longest instruction.
        order = np.lexsort((-took, np.searchsorted(starts, np.arange(len(took)), side="right")))
        leader = track.rows[order[starts]] if len(starts) else track.rows
        numbers = [
            operations.setdefault(number, len(operations))
            for number in self._rows["operation"][leader].tolist()
        ]
        found: dict[str, Any] = {
            "pipe": PIPES[track.pipe],
            "gap": (begin - np.append(0, end[:-1])[: len(begin)]).tolist(),
            "took": (end - begin).tolist(),
            "op": numbers,
            "why": self._rows["why"][leader].tolist(),
        }
        if self.step:
            found["count"] = (ends - starts).tolist()
            whole = np.maximum(1, end - begin)
            found["busy"] = np.minimum(100, 100 * busy // whole).tolist()
        found["at"] = self._addresses(leader)
        return found

    def _addresses(self, rows: Ints) -> list[int]:
        """Returns the addresses in GM of the instructions `rows`, one after another."""
        found: list[int] = []
        first = self._tracks.first_address[rows].tolist()
        for number, at in zip(self._rows["operation"][rows].tolist(), first, strict=True):
            count = len(self._texts.pieces(number)) - 1
            found += self._launch.addresses[at : at + count].tolist()
        return found

    def _operation(self, number: int) -> list[Any]:
        of = self._launch.operations[number]
        moved = max(
            sum(total_bytes(x) for x in of["operands"] if x[2] == write) for write in (0, 1)
        )
        flag = ""
        if of["event"] >= 0:
            flag = f"{self._launch.header['events'][of['event']]} {of['id']}"
        elif of["act"].startswith("cross"):
            flag = f"between cores, {of['id']}"
        place = [of["file"], of["line"]]
        return [
            *(of["opcode"], of["call"], of["dtype"], of["act"], flag, moved, *place),
            self._texts.pieces(number),
        ]

    def _arrows(self, slice_of: Ints) -> list[int]:
        """Returns the arrows as a flat list of pairs: one slice sets a flag, the other waits."""
        pairs = slice_of[self._tracks.flows].reshape(-1, 2)
        pairs = pairs[(pairs >= 0).all(axis=1)]
        pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
        return [int(each) for each in pairs.ravel()]

    def _start(self, core: int) -> list[list[Any]]:
        """Returns the terms before the core's first instruction, with begin and end in ns."""
        found = intervals(self._launch.cores, core)
        times = self._tracks.ns(np.array([each[1:] for each in found], np.int64)).tolist()
        return [[term, *time] for (term, *_), time in zip(found, times, strict=True)]

    def _ub(self, core: int) -> list[list[int]]:
        time, level = self._tracks.ub_in_use(core)
        time = self._tracks.ns(time)
        known = time < self._tracks.until_ns
        time, level = time[known], level[known]
        if len(time) > _LEVELS:  # each merged interval gets its largest value
            edges = np.unique(np.linspace(0, len(time), _LEVELS, endpoint=False).astype(np.int64))
            level = np.append(np.maximum.reduceat(level, edges), level[-1])
            time = np.append(time[edges], time[-1])
        return [time.tolist(), level.tolist()]

    def _gm(self) -> dict[str, Any]:
        buckets = 400
        width, loads, stores = self._tracks.gm_bytes(buckets)
        return {
            "ranges": [[label, begin] for label, begin, _ in self._launch.header["gm"]],
            "width": width * self._tracks.tick_ns,
            "loads": loads.tolist(),
            "stores": stores.tolist(),
        }
