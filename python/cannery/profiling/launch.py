# SPDX-License-Identifier: Apache-2.0
"""One profiled launch, as users see it: its times, advice about them, and files that show it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO

from cannery.errors import CanneryError
from cannery.profiling.advice import Advice, advise
from cannery.profiling.bound import Bound, bound_of, range_of
from cannery.profiling.times import LaunchTimes
from cannery.profiling.trace import write_trace

__all__ = ["Launch"]


@contextmanager
def _written(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """Opens a new file for writing; raises CanneryError if that fails."""
    target = Path(path)
    try:
        with target.open("w", encoding="utf-8", newline="\n") as file:
            yield file
    except OSError as error:
        raise CanneryError(
            f"{path}: cannot be written ({error.strerror})\n"
            "  try: a file in a folder that exists and has room"
        ) from None


class Launch(LaunchTimes):
    """One profiled launch. All its times are modelled."""

    def __repr__(self) -> str:
        least, most = self.task_us_range
        return (
            f"<modelled launch of {self.kernel}, {self.task_us:.2f} us ({least:.2f} to {most:.2f}) "
            f"on {self.soc}>"
        )

    @cached_property
    def bound(self) -> Bound:
        """What takes the largest part of the task: the start of the launch, or a busy resource."""
        return bound_of(self)

    @cached_property
    def task_us_range(self) -> tuple[float, float]:
        """The range in which the time on a chip is expected: least and most microseconds. Measured
        costs of the model have an error of at most a factor of 1.2, derived and guessed ones of 2.
        """
        return range_of(self)

    def trace(self, path: str | os.PathLike[str], *, all_cores: bool | None = None) -> str:
        """Writes a Chrome trace, which ui.perfetto.dev and chrome://tracing show: a process for
        each core, a track for each of its pipes, arrows from flags to the instructions that wait
        for them, counters of the use of UB and of GM.

        all_cores: False shows the slowest, the median and the fastest block, True shows all; None
        means True for launches of at most 250000 instructions, otherwise False. With False, the
        trace leaves out the end of these blocks if they have more than 250000 instructions. The
        trace never has instructions whose times the profile does not keep (`left_out`).

        Returns a sentence about what was left out.
        """
        with _written(path) as file:
            return write_trace(self, file, all_cores)

    def html(self, path: str | os.PathLike[str]) -> None:
        """Writes an HTML page that needs no network. It shows what takes time, what to change
        first, and the source lines that take most time.
        """
        from cannery.profiling.page import render  # loads Jinja, which no other call needs

        text = render(self)
        with _written(path) as file:
            file.write(text)

    @cached_property
    def advice(self) -> Advice:
        """What limits the launch (`.what`), and what to change first, with the modelled gain
        (`.do`).
        """
        return advise(self)
