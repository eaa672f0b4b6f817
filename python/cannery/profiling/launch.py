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
