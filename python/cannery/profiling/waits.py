# SPDX-License-Identifier: Apache-2.0
"""Computes how long pipes wait, and for what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cannery.profiling.times import LaunchTimes

__all__ = ["NO_WORK", "OTHER_CORE", "Wait", "Waits"]

OTHER_CORE = "other cores"
NO_WORK = "its next instruction"
_OWN = {"other core": OTHER_CORE, "issue": NO_WORK}

#: Descriptions of the pipes that set flags.
_MEANING = {
    "MTE2": "loads from GM",
    "MTE3": "stores to GM",
    "MTE1": "loads into L0",
    "FIX": "copies out of L0C",
    "V": "vector instructions",
    "M": "the cube unit",
    "S": "the scalar unit",
}


@dataclass(frozen=True)
class Wait:
    """All waits of one pipe for one reason, on the cores of a kind."""

    kind: str
    pipe: str
    reason: str  #: such as "MTE2_V (loads from GM)", "other core", "barrier"
    us: float  #: mean waiting time of the cores
    share: float  #: share of the cores' time
    file: str  #: source file of the line with the longest wait
    line: int


class Waits:
    """The waits in one launch, by kind of core, pipe and reason."""

    def __init__(self, launch: LaunchTimes) -> None:
        self._launch = launch

    def longest(self, kind: str) -> Wait | None:
        """Returns the longest wait of `kind`: of pipe V or M, or of a core for another core."""
        found = [
            each
            for each in self.all
            if each.kind == kind
            and (
                (each.pipe in ("V", "M") and each.reason != NO_WORK)
                or (each.pipe == "S" and each.reason == OTHER_CORE)
            )
        ]
        most = max(found, key=lambda each: each.share, default=None)
        if most is not None and most.reason.startswith("MTE1_"):
            # The pipe waits for loads into L0, so the longest wait of these loads is the cause.
            return next(iter(self.of(most.kind, "MTE1")), most)
        return most

    def of(self, kind: str, pipe: str) -> list[Wait]:
        """Returns the waits of one pipe, longest first."""
        return [each for each in self.all if (each.kind, each.pipe) == (kind, pipe)]

    @cached_property
    def all(self) -> list[Wait]:
        """All waits, longest first."""
        launch = self._launch
        ticks: dict[tuple[str, str, str], dict[int, int]] = {}
        # The twin has added up the waits of all instructions, also of those that are not kept.
        for kind, pipe, why, operation, took in launch.header["waits"]:
            reason = launch.reasons[why] or launch.operations[operation]["act"]
            places = ticks.setdefault((kind, pipe, reason), {})
            places[operation] = places.get(operation, 0) + took
        found = [self._wait(key, places) for key, places in ticks.items()]
        return sorted(found, key=lambda each: -each.us)

    def _wait(self, key: tuple[str, str, str], places: dict[int, int]) -> Wait:
        kind, pipe, reason = key
        cores = [core for core in self._launch.cores if core["kind"] == kind]
        took = sum(places.values())
        whole = max(1, sum(core["end"] - core["start"] for core in cores))
        most = self._launch.operations[max(places, key=lambda operation: places[operation])]
        return Wait(
            *(kind, pipe, _words(reason), self._launch.us(took / len(cores)), took / whole),
            *(most["file"], most["line"]),
        )


def _words(reason: str) -> str:
    if reason in _OWN:
        return _OWN[reason]
    giver, found, _ = reason.partition("_")
    return f"{reason} ({_MEANING[giver]})" if found and giver in _MEANING else reason
