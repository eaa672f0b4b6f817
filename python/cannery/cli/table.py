# SPDX-License-Identifier: Apache-2.0
"""Prints the result table of `cannery run`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from cannery import cases
from cannery.cli import output

if TYPE_CHECKING:
    from rich.table import Table

    from cannery.cli.result import Result
    from cannery.testing.compare import Comparison

__all__ = ["begin", "show"]


def begin(chosen: Sequence[cases.Case], backend: str, soc: str, checks: Mapping[str, str]) -> None:
    """Prints how many cases will run, on which device, and how their launches are checked."""
    where = f"the twin of {soc}" if backend == "twin" else soc
    cases_of = f"{len(chosen)} case{'s' * (len(chosen) > 1)}"
    operators = len({case.op for case in chosen})
    text = f"{cases_of} of {operators} operator{'s' * (operators > 1)} on {where}"
    output.console().print(f"{text}, compared with NumPy", highlight=False)
    if checks:
        text = f"{output.told(checks)}; the times are those of a second run, which is not checked"
        output.console().print(text, highlight=False)


def show(results: Sequence[Result], backend: str) -> None:
    """Prints one row per case of one operator, then a report for each wrong case."""
    console = output.console()
    console.print(f"\n[bold]{results[0].case.op}[/bold]", highlight=False)
    console.print(_table(results, backend))
    for result in results:
        for line in _complaints(result):
            console.print(line, style="red", markup=False, highlight=False, soft_wrap=True)
        for name, each in result.outputs.items():
            if each.ok and each.one_sided:
                line = f"{result.case.op}, {name}: {each.one_sided}"
                console.print(line, style="yellow", markup=False, highlight=False, soft_wrap=True)


def _table(results: Iterable[Result], backend: str) -> Table:
    table = output.plain_table()
    table.add_column("dtype", no_wrap=True)
    table.add_column("shape")
    # The minimum width fits the longest name of an output.
    table.add_column("worst error / limit", justify="right", min_width=15)
    table.add_column("verdict", no_wrap=True)
    table.add_column("GM bytes / ideal", justify="right", max_width=8)
    for heading in (backend, "golden"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        table.add_row(*_cells(result))
    return table


def _cells(result: Result) -> tuple[str, ...]:
    traffic = result.traffic
    moved = traffic.gm_read_bytes + traffic.gm_write_bytes if traffic else None
    return (
        result.case.dtype.name,
        _shapes(result) + _attrs(result),
        "\n".join(_error(name, result) for name in result.outputs),
        "[green]ok[/green]" if result.ok else "[red]WRONG[/red]",
        f"{moved / result.ideal_bytes:.3f}" if moved and result.ideal_bytes else "-",
        _time(result.seconds),
        _time(result.golden_seconds),
    )


def _shapes(result: Result) -> str:
    own = result.case.given_shapes
    every = {"": result.case.shape, **own}
    return ", ".join(f"{name} {' x '.join(map(str, each))}".strip() for name, each in every.items())


def _attrs(result: Result) -> str:
    """Returns the attributes whose values differ from those of the workload."""
    usual = cases.find(result.case.op).attrs
    changed = {k: v for k, v in result.case.attrs.items() if v != usual.get(k)}
    return "".join(f", {name}={value}" for name, value in changed.items())


def _error(name: str, result: Result) -> str:
    """Returns a cell with the largest relative error of an output, and the allowed error."""
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
    lines += result.unwritten
    if result.traffic and not result.traffic.consistent:
        lines.append(
            f"{result.case.op}: the instruction stream and the GM access checks count different "
            f"traffic: {result.traffic}"
        )
    return lines


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
