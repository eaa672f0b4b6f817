# SPDX-License-Identifier: Apache-2.0
"""Prints maps of local memories for the command line."""

from __future__ import annotations

from collections.abc import Sequence

from cannery.cli import output
from cannery.compile.ub_map import UbMap

__all__ = ["show"]


def show(maps: Sequence[UbMap]) -> None:
    """Prints the maps; maps with the same text are printed once."""
    console = output.console()
    for text in dict.fromkeys(map(str, maps)):
        console.print("\n" + text, markup=False, highlight=False, soft_wrap=True)
