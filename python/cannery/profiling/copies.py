# SPDX-License-Identifier: Apache-2.0
"""The copies of a launch, and the modelled time if the same bytes were copied in other sizes."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from cannery.profiling.library import twin
from cannery.profiling.times import LaunchTimes
from cannery.profiling.tracks import total_bytes

__all__ = ["Copies", "copies_of"]

_MOST_BYTES = 1 << 18  #: most bytes per core that are tried; more do not change the rate
_MOST_COPIES = 4096


class _TwinCopies(ctypes.Structure):
    """The parameters of twinCopyMicros, the same struct as in twin/timing/copy_time.h."""

    _fields_ = (
        *(("load", ctypes.c_bool), ("cube", ctypes.c_bool), ("cores", ctypes.c_uint32)),
        *(("copies", ctypes.c_uint64), ("run_bytes", ctypes.c_uint64)),
        *(("runs", ctypes.c_uint64), ("pitch", ctypes.c_uint64)),
    )


@dataclass(frozen=True)
class Copies:
    """The copies of one pipe on all cores of a kind: their number, bytes and average size."""

    launch: LaunchTimes
    kind: str
    load: bool
    count: int
    bytes: int
    rows: int
    pitch: int  #: distance between the rows of the copies that move most bytes
    cores: int

    @property
    def mean_bytes(self) -> float:
        """The mean number of bytes in a copy."""
        return self.bytes / self.count

    @property
    def row_bytes(self) -> float:
        """The mean number of bytes in one row of a copy; the bytes of a row are contiguous."""
        return self.bytes / self.rows

    def us_now(self) -> float:
        """Returns the modelled microseconds in which one core copies its bytes, in copies of the
        present size, while the other cores copy, too.
        """
        rows = max(1, round(self.mean_bytes / self.row_bytes))
        row = max(1, round(self.mean_bytes / rows))
        return self._us(row, rows, max(row, self.pitch))

    def us_with(self, size: int) -> float:
        """Does the same as `us_now`, but for contiguous copies of `size` bytes."""
        return self._us(size, 1, size)

    def _us(self, row: int, rows: int, pitch: int) -> float:
        per_core = self.bytes / self.cores
        tried = max(1, min(_MOST_COPIES, int(min(per_core, _MOST_BYTES) // (row * rows))))
        copies = _TwinCopies(self.load, self.kind == "AIC", self.cores, tried, row, rows, pitch)
        us = float(twin().twinCopyMicros(self.launch.soc.encode(), ctypes.byref(copies)))
        return us * per_core / (tried * row * rows)


def copies_of(launch: LaunchTimes, kind: str, load: bool) -> Copies | None:
    """Returns the loads from GM, or the stores to GM, of a kind of core; None if there are none."""
    pipe = "MTE2" if load else "MTE3"
    count = moved = rows = most = pitch = 0
    for each in launch.operations:
        if each["pipe"] != pipe or each["act"] != "copy":
            continue
        count += each["count"]
        for operand in each["operands"]:
            if operand[1] != "GM":
                continue
            moved += total_bytes(operand) * each["count"]
            rows += operand[5] * operand[7] * each["count"]
            if total_bytes(operand) * each["count"] > most:
                most, pitch = total_bytes(operand) * each["count"], _pitch(operand)
    cores = sum(core["kind"] == kind for core in launch.cores)
    if not count or not moved or not rows or not cores:
        return None
    return Copies(launch, kind, load, count, moved, rows, pitch, cores)


def _pitch(operand: list[Any]) -> int:
    return int(operand[6] if operand[5] > 1 else operand[8])
