# SPDX-License-Identifier: Apache-2.0
"""The table of `cannery run`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from cannery import cases
from cannery.cli import output

if TYPE_CHECKING:
    from cannery.cli.result import Result
    from cannery.testing.compare import Comparison

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
    traffic = result.traffic
    moved = traffic.gm_read_bytes + traffic.gm_write_bytes
    return (
        result.case.op,
        result.case.dtype.name,
        " x ".join(map(str, result.case.shape)) + _attrs(result),
        str(traffic.block_dim),
        "\n".join(_error(name, result) for name in result.outputs),
        "[green]ok[/green]" if result.ok else "[red]WRONG[/red]",
        f"{moved / result.ideal_bytes:.3f}" if result.ideal_bytes else "-",
        _time(result.twin_seconds),
        _time(result.golden_seconds),
    )


def _attrs(result: Result) -> str:
    """Attributes that are not the workloads' own."""
    usual = cases.find(result.case.op).attrs
    changed = {k: v for k, v in result.case.attrs.items() if v != usual.get(k)}
    return "".join(f", {name}={value}" for name, value in changed.items())


def _error(name: str, result: Result) -> str:
    """What the worst element of an output has of what it may have."""
    each: Comparison = result.outputs[name]
    limit = each.limits.maximum
    text = f"{each.worst_relative:.2e} / {limit:.2e}" if limit else "identical"
    if each.mismatches and not limit:
        text = f"{each.mismatches} wrong"
    return text if len(result.outputs) == 1 else f"{name}: {text}"


def _complaints(result: Result) -> list[str]:
    lines = [
        f"{result.case.op}, {name}: {each.report()}"
        for name, each in result.outputs.items()
        if not each.ok
    ]
    if not result.traffic.consistent:
        lines.append(
            f"{result.case.op}: the instruction stream and the GM access checks count different "
            f"traffic: {result.traffic}"
        )
    return lines


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
