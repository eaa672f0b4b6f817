# SPDX-License-Identifier: Apache-2.0
"""The modelled times of one launch, its cores, pipes, source lines and instructions."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from cannery.profiling.startup import TERMS, terms_of

__all__ = ["PIPES", "ROW", "TICKS", "Instruction", "LaunchTimes", "Line", "Roofline"]

PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")

#: The record of one instruction in the file that the twin writes (twin/timing/core_clock.h).
ROW = np.dtype(
    [
        *(("start", "<u8"), ("ticks", "<u8"), ("busy", "<u8"), ("issued", "<u8")),
        *(("operation", "<u4"), ("core", "<u2"), ("why", "u1"), ("pipe", "u1")),
    ]
)
TICKS = 1024  # the number of ticks in a cycle
_FLAGS = 64  # from this value on, `why` is the event of a flag
_WHY = ("", "issue", "pipe", "barrier", "other core", "GM", "code")


@dataclass(frozen=True)
class Instruction:
    """One instruction, with the time at which the model ran it."""

    core: str  #: for example "3 AIV"; the second vector core of block 3 is "3 AIV1"
    block: int
    pipe: str
    opcode: str
    start_us: float
    us: float  #: time from the start of the instruction to its result
    cycles: float  #: cycles that the pipe spent on this instruction alone
    #: why the instruction waited: "" no wait, "issue" scalar unit, "pipe" previous instruction,
    #: "barrier", "other core", "GM", "code" (the kernel's code is loaded), or the flag's event,
    #: e.g. "MTE2_V".
    waits_for: str
    file: str
    line: int


class Instructions(Sequence[Instruction]):
    """The instructions of a launch, core by core in program order; of a launch with very many, the
    first of each core (`LaunchTimes.left_out`). An Instruction is made when it is used, from the
    data of the twin.
    """

    def __init__(self, launch: LaunchTimes, rows: npt.NDArray[Any]) -> None:
        self._launch = launch
        self.rows = rows  #: an array of `cannery.profiling.times.ROW`

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Instruction: ...
    @overload
    def __getitem__(self, index: slice) -> Instructions: ...
    def __getitem__(self, index: int | slice) -> Instruction | Instructions:
        if isinstance(index, slice):
            return Instructions(self._launch, self.rows[index])
        return self._of(self.rows[operator.index(index)])

    def __iter__(self) -> Iterator[Instruction]:
        return map(self._of, self.rows)

    def _of(self, row: Any) -> Instruction:
        is_ = self._launch.operations[int(row["operation"])]
        core = self._launch.cores[int(row["core"])]
        us = self._launch.us
        return Instruction(
            *(
                self._launch.core_name(int(row["core"])),
                core["block"],
                PIPES[int(row["pipe"])],
                is_["opcode"],
            ),
            *(us(int(row["start"])), us(int(row["ticks"])), int(row["busy"]) / TICKS),
            *(self._launch.reasons[int(row["why"])], is_["file"], is_["line"]),
        )


@dataclass(frozen=True)
class Line:
    """The cost of the instructions of one source line."""

    file: str
    line: int
    us: float  #: busy time of all pipes, divided by the number of cores
    share: float  #: share of the busy time of all lines
    count: int  #: number of instructions on all cores
    pipes: dict[str, float]  #: `us` for each pipe
    conflicts: float  #: cycles lost to bank conflicts in UB, on all cores
    opcodes: tuple[str, ...]  #: "scalar work" is what the kernel computes before the line's calls


@dataclass(frozen=True)
class Roofline:
    """The shortest time that the launch could take, by the model's own rates."""

    bytes_us: float  #: time for the bytes that HBM moved, at its rate
    arithmetic_us: float  #: time of V or M for the arithmetic alone, on all cores
    ideal_us: float  #: the larger one of bytes_us and arithmetic_us
    ratio: float  #: modelled time divided by ideal_us


class LaunchTimes:
    """The modelled times of one launch."""

    def __init__(
        self,
        header: dict[str, Any],
        operations: bytes,
        rows: npt.NDArray[Any],
        addresses: npt.NDArray[np.uint64],
        scalar_work: npt.NDArray[np.uint32],
    ) -> None:
        self._header = header
        self._operations = operations
        #: the addresses in GM of all operands, in the order of the instructions
        self.addresses = addresses
        #: for each of `instructions`, the ticks of the scalar work before it
        self.scalar_work = scalar_work
        self._memory = header["memory"]
        self._soc = header["soc"]
        self.kernel: str = header["kernel"]
        self.kernel_type: str = header["kernel_type"]
        self.block_dim: int = header["block_dim"]
        self.tiling_key: int = header["tiling_key"]
        self.soc: str = self._soc["name"]
        #: whether the L2 contained the arguments when the launch began
        self.warm: bool = bool(header["warm"])
        #: terms of the start that took no time: the argument `without` of `cannery.profile`
        self.without = terms_of(header["without"])
        self.cores: list[dict[str, Any]] = header["cores"]
        self.instructions = Instructions(self, rows)

    @property
    def header(self) -> dict[str, Any]:
        """The data about the whole launch that the twin wrote."""
        return self._header

    @property
    def instruction_count(self) -> int:
        """The number of instructions that the launch executed."""
        return sum(int(core["instructions"]) for core in self.cores)

    @property
    def left_out(self) -> str:
        """A sentence about the instructions that `instructions` does not contain; "" if it contains
        all of them.
        """
        kept, count = len(self.instructions), self.instruction_count
        if kept == count:
            return ""
        return (
            f"The profile keeps the times of the first {kept} of {count} instructions (of each "
            "core the same number, if it has so many); all totals count all instructions."
        )

    @cached_property
    def operations(self) -> list[dict[str, Any]]:
        """The different instructions; `operation` in a ROW is an index of this list."""
        found: list[dict[str, Any]] = json.loads(self._operations)
        return found

    def us(self, ticks: float) -> float:
        """Returns the microseconds of a time in ticks; a tick is 1/1024 of a cycle."""
        return ticks / TICKS / float(self._soc["mhz"])

    def core_name(self, core: int) -> str:
        """Returns the name of a core, as in `Instruction.core`."""
        of = self.cores[core]
        return f"{of['block']} {of['kind']}{of['sub_block'] or ''}"

    @cached_property
    def reasons(self) -> list[str]:
        """The reasons for waits; `why` in a ROW is an index of this list."""
        names = [*_WHY, *[""] * (_FLAGS - len(_WHY))]
        return names + [str(name) for name in self._header["events"]]

    @property
    def task_us(self) -> float:
        """The time from the launch to the end of the slowest core, including the cost of a
        launch.
        """
        return self.us(self._header["task"])

    @property
    def core_us(self) -> float:
        """The mean time of the cores that ran."""
        return self._mean([core["end"] - core["start"] for core in self.cores])

    def _mean(self, ticks: list[int]) -> float:
        return self.us(sum(ticks) / max(1, len(ticks)))

    @cached_property
    def last_core(self) -> dict[str, Any]:
        """The core that ends last, which decides the time of the task."""
        return max(self.cores, key=lambda core: core["end"])

    @cached_property
    def startup_us(self) -> dict[str, float]:
        """What the start of the launch took on the core that ends last, by term
        (cannery.profiling.startup.TERMS); terms without time are left out.
        """
        ticks = zip(TERMS, self.last_core["startup"], strict=True)
        return {term: self.us(each) for term, each in ticks if each}

    @cached_property
    def busy_us(self) -> dict[str, dict[str, float]]:
        """The mean busy time of the cores that ran, by kind of core (AIV, AIC) and pipe."""
        busy = {}
        for kind in ("AIV", "AIC"):
            cores = [core["busy"] for core in self.cores if core["kind"] == kind]
            if cores:
                busy[kind] = {
                    pipe: self._mean([each[i] for each in cores]) for i, pipe in enumerate(PIPES)
                }
        return busy

    @cached_property
    def busy_shares(self) -> dict[str, float]:
        """The busy time of each resource, divided by the time of the task. Resources are "HBM",
        "L2", and the busiest pipe of each kind, such as "AIV MTE2".
        """
        task = max(1, self._header["task"])
        shares = {"HBM": self._memory["hbm_busy"] / task, "L2": self._memory["l2_busy"] / task}
        for core in self.cores:
            for pipe, ticks in zip(PIPES, core["busy"], strict=True):
                name = f"{core['kind']} {pipe}"
                shares[name] = max(shares.get(name, 0.0), ticks / task)
        return shares

    def cores_with(self, pipe: str) -> int:
        """Returns the number of cores on which this pipe worked; at least 1."""
        number = PIPES.index(pipe)
        return max(1, sum(1 for core in self.cores if core["busy"][number] > 0))

    @cached_property
    def roofline(self) -> Roofline:
        """The least time that the bytes and the arithmetic of the launch take."""
        bytes_us = self.hbm_bytes / (self._soc["hbm_gbs"] * 1e3)
        work = dict.fromkeys(PIPES, 0.0)
        for each in self.operations:
            work[each["pipe"]] += each["work"]
        arithmetic = self.us(max(work["V"] / self._soc["aiv"], work["M"] / self._soc["aic"]))
        ideal = max(bytes_us, arithmetic)
        ratio = self.task_us / ideal if ideal > 0 else float("inf")
        return Roofline(bytes_us, arithmetic, ideal, ratio)

    @property
    def hbm_bytes(self) -> int:
        """The bytes that were read from HBM and written to it during the launch."""
        return int(self._memory["hbm_read"] + self._memory["hbm_written"])

    @property
    def gm_bytes(self) -> int:
        """The bytes that the cores loaded and stored."""
        return int(self._memory["load_bytes"] + self._memory["store_bytes"])

    @property
    def l2_hit_rate(self) -> float:
        """The share of the loaded bytes that were in the second-level cache; 0.0 without loads."""
        return float(self._memory["l2_hit"] / max(1, self._memory["l2_read"]))

    @property
    def bank_conflicts(self) -> float:
        """The cycles that were lost to bank conflicts in UB, on all cores."""
        return float(sum(core["conflicts"] for core in self.cores) / TICKS)

    @property
    def estimated(self) -> tuple[str, ...]:
        """Instructions that have no row in the table of costs; their cost is a guess."""
        return tuple(sorted({each["opcode"] for each in self.operations if each["estimated"]}))

    @property
    def formulas(self) -> tuple[str, ...]:
        """Library calls that a formula times, because the twin does not list their instructions."""
        return tuple(sorted({each["opcode"] for each in self.operations if each["formula"]}))

    @property
    def uncounted(self) -> tuple[str, ...]:
        """Files with functions whose scalar work is not counted, or the kernel's name if nothing of
        the launch is counted: what the kernel computes between its calls then has no time.
        """
        return tuple(self._header["uncounted"])

    @cached_property
    def lines(self) -> list[Line]:
        """The cost of each source line, the most expensive first."""
        found: dict[tuple[str, int], list[dict[str, Any]]] = {}
        for each in self.operations:
            found.setdefault((each["file"], each["line"]), []).append(each)
        total = max(1, sum(each["busy"] for each in self.operations))
        lines = [self._line(*place, each, total) for place, each in found.items()]
        return sorted(lines, key=lambda line: (-line.us, line.file, line.line))

    def _line(self, file: str, line: int, found: list[dict[str, Any]], total: int) -> Line:
        cores = max(1, len(self.cores))
        pipes: dict[str, float] = {}
        for each in found:
            pipes[each["pipe"]] = pipes.get(each["pipe"], 0.0) + self.us(each["busy"] / cores)
        busy = sum(each["busy"] for each in found)
        return Line(
            *(file, line, self.us(busy / cores), busy / total),
            *(sum(each["count"] for each in found), pipes),
            sum(each["conflicts"] for each in found) / TICKS,
            tuple(dict.fromkeys(each["opcode"] for each in found)),
        )
