# SPDX-License-Identifier: Apache-2.0
"""What limits a launch, and the range in which its time lies, from the reliability of the model."""

from __future__ import annotations

from dataclasses import dataclass

from cannery.profiling.times import LaunchTimes

__all__ = ["START_UP", "Bound", "bound_of", "range_of", "start_us"]

START_UP = "start-up"

#: The error of measured costs: docs/timing.md compares copies and vector code with publications.
_MEASURED = 1.25
#: The error of all other times: their costs are derived or guessed.
_DERIVED = 2.0
_MOST = 0.5  #: share of the task from which on guesses are named
_TERMS = 3


@dataclass(frozen=True)
class Bound:
    """What takes the largest part of the task: the start of the launch, or a busy resource."""

    resource: str  #: "start-up", "HBM", "L2", or a pipe such as "AIV MTE2"
    share: float  #: start-up or busy time of the resource, divided by the time of the task
    second: str  #: the resource with the second largest share
    second_share: float
    terms: str = ""  #: the longest terms of the start-up, if it is the resource
    guessed: float = 0.0  #: share of instructions whose cost is a guess or comes from a formula

    def __str__(self) -> str:
        first = _takes(self.resource, self.share, " of the modelled time")
        terms = f" ({self.terms})" if self.terms else ""
        text = f"{first}{terms}, {_takes(self.second, self.second_share)}"
        if self.guessed >= _MOST:
            text += f"; {self.guessed:.0%} is guessed"
        return text


def bound_of(launch: LaunchTimes) -> Bound:
    """Returns what takes the largest and the second largest part of the launch's task."""
    shares = launch.busy_shares | {START_UP: start_us(launch) / launch.task_us}
    (first, share), (second, second_share) = sorted(
        shares.items(), key=lambda each: each[1], reverse=True
    )[:2]
    terms = _terms_text(launch) if first == START_UP else ""
    return Bound(first, share, second, second_share, terms, _guessed(launch))


def range_of(launch: LaunchTimes) -> tuple[float, float]:
    """Returns the range in us in which the task's time is expected.

    The time in which the busiest resource (HBM, L2, or a pipe except S) works follows from measured
    costs. All other time follows from derived costs and guesses: the start, guessed instructions,
    the scalar unit, and waits for flags and for other cores.
    """
    task = launch.task_us
    work = max(share for name, share in launch.busy_shares.items() if not name.endswith(" S"))
    measured = min(work * task, task - start_us(launch)) - _guessed(launch) * task
    measured = max(0.0, measured)
    rest = task - measured
    return measured / _MEASURED + rest / _DERIVED, measured * _MEASURED + rest * _DERIVED


def _terms_text(launch: LaunchTimes) -> str:
    """Returns the longest terms of the launch's start, for example "code 2.1 us, core 1.0 us"."""
    terms = sorted(launch.startup_us.items(), key=lambda each: -each[1])[:_TERMS]
    return ", ".join(f"{term} {us:.1f} us" for term, us in terms)


def start_us(launch: LaunchTimes) -> float:
    """Returns the microseconds of the launch's start on the core that ends last. A pipe may wait
    for a page while the scalar unit waits for code, so the terms alone could exceed the task. The
    time in which the busiest pipe of this core works is not part of the start.
    """
    work = max(launch.last_core["busy"][1:], default=0) if launch.cores else 0
    return min(sum(launch.startup_us.values()), launch.task_us - launch.us(work))


def _guessed(launch: LaunchTimes) -> float:
    """Returns the share of the task in which a core executes instructions without measured cost."""
    share = 0.0
    for each in launch.operations:
        if each["estimated"] or each["formula"]:
            share += launch.us(each["busy"]) / launch.cores_with(each["pipe"])
    return min(1.0, share / launch.task_us)


def _takes(resource: str, share: float, of: str = "") -> str:
    verb = "takes" if resource == START_UP else "is busy for"
    return f"{resource} {verb} {share:.0%}{of}"
