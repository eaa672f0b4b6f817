# SPDX-License-Identifier: Apache-2.0
"""The table of `cannery run`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from cannery.cli import output

if TYPE_CHECKING:
    from cannery.cli.run import Result

__all__ = ["show"]


def show(results: Sequence[Result], soc: str) -> None:
    """One row per case, and a report below for each that is wrong."""
    table = Table(title=f"twin of {soc}", title_justify="left")
    for heading in ("operator", "dtype", "shape"):
        table.add_column(heading)
    for heading in ("blocks", "worst error / limit"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    for heading in ("GM bytes / ideal", "twin", "golden"):
        table.add_column(heading, justify="right")
    for result in results:
        table.add_row(*_cells(result))
    console = output.console()
    console.print(table)
    for result in results:
        for line in _complaints(result):
            console.print(line, style="red", markup=False, highlight=False, soft_wrap=True)


def _cells(result: Result) -> tuple[str, ...]:
    comparison, traffic = result.comparison, result.traffic
    moved = traffic.gm_read_bytes + traffic.gm_write_bytes
    return (
        result.case.op,
        result.case.dtype.name,
        " x ".join(map(str, result.case.shape)),
        str(traffic.block_dim),
        f"{comparison.worst_relative:.2e} / {comparison.limits.maximum:.2e}",
        "[green]ok[/green]" if result.ok else "[red]WRONG[/red]",
        f"{moved / result.ideal_bytes:.3f}",
        _time(result.twin_seconds),
        _time(result.golden_seconds),
    )


def _complaints(result: Result) -> list[str]:
    lines = [] if result.comparison.ok else [result.comparison.report()]
    if not result.traffic.consistent:
        lines.append(
            f"{result.case.op}: the instruction stream and the GM access checks count different "
            f"traffic: {result.traffic}"
        )
    return lines


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
