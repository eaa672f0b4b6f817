# SPDX-License-Identifier: Apache-2.0
"""Writes a launch as a Chrome trace, which ui.perfetto.dev and chrome://tracing open.

In the trace, a process is a core, and a thread is one of its pipes. Times are whole nanoseconds, so
that slices of one track cannot overlap when a viewer rounds them. Events are in the order of time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from cannery.profiling.bound import range_of
from cannery.profiling.operands import OperandTexts
from cannery.profiling.startup import TERMS, intervals
from cannery.profiling.times import PIPES, TICKS, LaunchTimes
from cannery.profiling.tracks import Tracks, choose, total_bytes

__all__ = ["MOST_ROWS", "write_trace"]

#: If a launch has more instructions, the trace shows only three blocks, and at most this number of
#: their instructions, unless the user wants all.
MOST_ROWS = 250_000
_BUCKETS = 500
_AT_ONCE = 1 << 16  #: number of events whose places are Python objects at the same time
_CHIP = 1  #: process number in the trace for counters of the whole launch
_FIRST = 2  #: process number in the trace for the first core
_PIPES_MOST = 16

Ints = npt.NDArray[np.int64]
#: The times of events in nanoseconds, and a function that returns the text of event number i.
Stream = tuple[Ints, Callable[[int], str]]


def write_trace(launch: LaunchTimes, file: IO[str], all_cores: bool | None) -> str:
    """Writes the trace; returns a sentence about what was left out, "" for nothing."""
    some = not all_cores if all_cores is not None else launch.instruction_count > MOST_ROWS
    cores = list(range(len(launch.cores)))
    left_out = []
    if some:
        cores = sorted({core for each in choose(launch) for core in each.cores})
        missing = len(launch.cores) - len(cores)
        if missing:
            left_out.append(
                f"{missing} of {len(launch.cores)} cores are left out: those of the slowest, the "
                "median and the fastest block are here; the counters of GM count all cores"
            )
    trace = _Trace(launch, cores, left_out)
    trace.cut(MOST_ROWS if some else launch.instruction_count)
    trace.write(file)
    return "; ".join(left_out)


class _Trace:
    def __init__(self, launch: LaunchTimes, cores: list[int], left_out: list[str]) -> None:
        self._launch = launch
        self._cores = cores
        self._left_out = left_out
        self._tracks = Tracks(launch)
        self._begin, self._end = self._tracks.shown_ns
        self._rows = launch.instructions.rows
        self._texts = OperandTexts(launch)
        self._kept = np.isin(self._rows["core"], cores)
        self._until = self._tracks.until_ns  #: all events of the trace begin before this time

    def cut(self, most: int) -> None:
        """Leaves out the end of the launch, so that the trace has at most `most` instructions."""
        count = sum(self._launch.cores[core]["instructions"] for core in self._cores)
        self._kept &= self._begin < self._until
        begin = self._begin[self._kept]
        if len(begin) == count <= most:
            return
        if len(begin) > most:
            self._until = int(np.partition(begin, most)[most])
            self._kept &= self._begin < self._until
        self._left_out.append(
            f"instructions that begin after the first {self._until / 1e3:.3f} us are left out: "
            f"{np.count_nonzero(self._kept)} of {count} instructions are here"
        )

    def write(self, file: IO[str]) -> None:
        streams = [
            *(self._starts(), self._slices()),
            *(*self._issue_streams(), *self._arrows(), *self._counters()),
        ]
        times = np.concatenate([time for time, _ in streams])
        which = np.repeat(np.arange(len(streams)), [len(time) for time, _ in streams])
        place = np.concatenate([np.arange(len(time)) for time, _ in streams])
        # Of events with the same time, slices come before the arrows that are attached to them.
        order = np.lexsort((place, which, times))
        about = {
            "kernel": self._launch.kernel,
            "soc": self._launch.soc,
            "time": "modelled by cannery, not measured",
            "task_us": self._launch.task_us,
            "task_us_range": range_of(self._launch),
            "startup_us": self._launch.startup_us,
            "gm_bytes": self._launch.gm_bytes,
            "left_out": "; ".join(self._left_out),
        }
        head = {"displayTimeUnit": "ns", "otherData": about}
        file.write(json.dumps(head)[:-1] + ', "traceEvents": [\n')
        file.write(",\n".join(self._names()))
        makers = [make for _, make in streams]
        for begin in range(0, len(order), _AT_ONCE):
            part = order[begin : begin + _AT_ONCE]
            for number, index in zip(which[part].tolist(), place[part].tolist(), strict=True):
                file.write(",\n" + makers[number](index))
        file.write("\n]}\n")

    def _names(self) -> Iterator[str]:
        def name(what: str, pid: int, tid: int, **args: object) -> str:
            return json.dumps({"ph": "M", "name": what, "pid": pid, "tid": tid, "args": args})

        yield name("process_name", _CHIP, 0, name=f"{self._launch.kernel} (modelled)")
        yield name("process_sort_index", _CHIP, 0, sort_index=0)
        if self._left_out:
            yield name("process_labels", _CHIP, 0, labels="; ".join(self._left_out))
        for core in self._cores:
            pid = _FIRST + core
            yield name("process_name", pid, 0, name=f"core {self._launch.core_name(core)}")
            yield name("process_sort_index", pid, 0, sort_index=1 + core)
            pipes = set(np.unique(self._rows["pipe"][self._tracks.of_core(core)]).tolist())
            for pipe in sorted(pipes | {0}):
                tid = _thread(core, pipe)
                yield name("thread_name", pid, tid, name=PIPES[pipe])
                yield name("thread_sort_index", pid, tid, sort_index=pipe)

    def _starts(self) -> Stream:
        """Returns slices for the time before the first instruction of each core."""
        cores = self._launch.cores
        found = [(core, *each) for core in self._cores for each in intervals(cores, core)]
        begin = self._tracks.ns(np.array([each[2] for each in found], np.int64))
        end = self._tracks.ns(np.array([each[3] for each in found], np.int64))
        kept = np.flatnonzero(begin < self._until)

        def event(i: int) -> str:
            core, term = found[kept[i]][:2]
            took = int(end[kept[i]] - begin[kept[i]])
            return (
                f'{{"ph": "X", "name": "start: {term}", "cat": "start", "pid": {_FIRST + core}, '
                f'"tid": {_thread(core, 0)}, "ts": {_us(int(begin[kept[i]]))}, "dur": {_us(took)}, '
                f'"args": {{"what": {json.dumps(TERMS[term])}}}}}'
            )

        return begin[kept], event

    def _slices(self) -> Stream:
        rows = np.flatnonzero(self._kept)
        # Of instructions that begin at the same time on a track, those without duration come first.
        rows = rows[np.lexsort((rows, self._end[rows], self._begin[rows]))]
        # A memoryview makes a Python number when it is read; a list would have all of them.
        begin, end = self._begin[rows].data, self._end[rows].data
        operations = self._rows["operation"][rows].data
        busy = (self._rows["busy"][rows] / TICKS).data
        why = self._rows["why"][rows].data
        core, pipe = self._rows["core"][rows].data, self._rows["pipe"][rows].data
        address = self._tracks.first_address[rows].data
        found = self._launch.addresses
        words = [self._words(number) for number in range(len(self._launch.operations))]
        reasons = [json.dumps(each) for each in self._launch.reasons]
        operands = [
            None if len(pieces) > 1 else json.dumps(pieces[0])
            for pieces in map(self._texts.pieces, range(len(self._launch.operations)))
        ]
        counts = [len(self._texts.pieces(i)) - 1 for i in range(len(operands))]

        def event(i: int) -> str:
            operation = operations[i]
            text = operands[operation]
            if text is None:
                own = found[address[i] : address[i] + counts[operation]].tolist()
                text = json.dumps(self._texts.text(operation, own))
            return (
                f'{words[operation][0]}{_FIRST + core[i]}, "tid": {_thread(core[i], pipe[i])}, '
                f'"ts": {_us(begin[i])}, "dur": {_us(end[i] - begin[i])}, "args": {{'
                f'"cycles": {busy[i]:.1f}, "waits_for": {reasons[why[i]]}, '
                f'"operands": {text}{words[operation][1]}'
            )

        return self._begin[rows], event

    def _words(self, number: int) -> tuple[str, str]:
        """Returns two parts of the JSON text that all slices of an operation share: the text before
        the core's number, and the text after the operands.
        """
        of = self._launch.operations[number]
        moved = max(
            (sum(total_bytes(x) for x in of["operands"] if x[2] == write) for write in (0, 1)),
            default=0,
        )
        args: dict[str, object] = {"bytes": moved, "file:line": f"{of['file']}:{of['line']}"}
        if of["event"] >= 0:
            args |= {"event": self._launch.header["events"][of["event"]], "id": of["id"]}
        elif of["act"] in ("cross set", "cross wait"):
            args["flag"] = of["id"]
        if of["call"]:
            args["call"] = of["call"]
        if of["dtype"]:
            args["dtype"] = of["dtype"]
        name, kind = json.dumps(of["opcode"]), json.dumps(of["act"])
        return f'{{"ph": "X", "name": {name}, "cat": {kind}, "pid": ', f", {json.dumps(args)[1:]}}}"

    def _issue_streams(self) -> Iterator[Stream]:
        for core in self._cores:
            begin, end, counts = self._tracks.issuing(core)
            first = self._tracks.ns(begin)
            last = np.minimum(self._tracks.ns(end), self._until)
            # A slice without length could be drawn behind one that begins at the same time.
            kept = first < last
            yield self._issue_stream(core, first[kept], last[kept], counts[kept])

    def _issue_stream(self, core: int, begin: Ints, end: Ints, counts: Ints) -> Stream:
        def event(i: int) -> str:
            return (
                f'{{"ph": "X", "name": "issue", "cat": "issue", "pid": {_FIRST + core}, '
                f'"tid": {_thread(core, 0)}, "ts": {_us(int(begin[i]))}, '
                f'"dur": {_us(int(end[i] - begin[i]))}, '
                f'"args": {{"instructions": {int(counts[i])}}}}}'
            )

        return begin, event

    def _arrows(self) -> Iterator[Stream]:
        """Yields the arrows, from the end of the instruction that sets a flag to the instruction
        that waits for the flag. The waiting instruction may have begun earlier.
        """
        pairs = self._tracks.flows
        pairs = pairs[self._kept[pairs].all(axis=1)]
        sets, waits = pairs[:, 0], pairs[:, 1]
        left = self._end[sets]
        arrived = np.minimum(np.maximum(left, self._begin[waits]), self._end[waits])
        for phase, rows, time in (("s", sets, left), ("f", waits, arrived)):
            yield self._ends(phase, rows, time)

    def _ends(self, phase: str, rows: Ints, time: Ints) -> Stream:
        bind = ', "bp": "e"' if phase == "f" else ""

        def event(i: int) -> str:
            core, pipe = int(self._rows["core"][rows[i]]), int(self._rows["pipe"][rows[i]])
            return (
                f'{{"ph": "{phase}", "name": "flag", "cat": "flag", "id": {i}{bind}, '
                f'"pid": {_FIRST + core}, "tid": {_thread(core, pipe)}, "ts": {_us(int(time[i]))}}}'
            )

        return time, event

    def _counters(self) -> Iterator[Stream]:
        width, loads, stores = self._tracks.gm_bytes(_BUCKETS)
        edges = self._tracks.ns(np.arange(_BUCKETS + 1) * width)
        per = np.maximum(1, np.diff(edges))

        def moved(i: int) -> str:
            rates = (loads[i] / per[i], stores[i] / per[i]) if i < _BUCKETS else (0, 0)
            return _counter(
                _CHIP, "GM", edges[i], {"loads GB/s": rates[0], "stores GB/s": rates[1]}
            )

        yield edges[edges < self._tracks.until_ns], moved
        for core in self._cores:
            time, level = self._tracks.ub_in_use(core)
            kept = self._tracks.ns(time) < self._until
            if kept.any():
                yield self._level(core, self._tracks.ns(time[kept]), level[kept])

    def _level(self, core: int, time: Ints, level: Ints) -> Stream:
        keep = np.append(time[1:] != time[:-1], True)  # the last event of each nanosecond
        time, level = time[keep], level[keep]
        return time, lambda i: _counter(_FIRST + core, "UB in use", time[i], {"bytes": level[i]})


def _thread(core: int, pipe: int) -> int:
    return (_FIRST + core) * _PIPES_MOST + pipe


def _us(ns: int) -> str:
    return f"{ns // 1000}.{ns % 1000:03d}"


def _counter(pid: int, name: str, time: Any, values: dict[str, Any]) -> str:
    args = ", ".join(f'"{key}": {float(value):.12g}' for key, value in values.items())
    return (
        f'{{"ph": "C", "name": "{name}", "pid": {pid}, "ts": {_us(int(time))}, "args": {{{args}}}}}'
    )
