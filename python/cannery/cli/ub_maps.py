# SPDX-License-Identifier: Apache-2.0
"""Maps of local memories on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from cannery.cli import output
from cannery.compile.ub_map import UbMap

__all__ = ["show"]


def show(maps: Sequence[UbMap]) -> None:
    """One below the other; those that are the same once."""
    console = output.console()
    for text in dict.fromkeys(map(str, maps)):
        console.print("\n" + text, markup=False, highlight=False, soft_wrap=True)
