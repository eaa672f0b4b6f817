# SPDX-License-Identifier: Apache-2.0
"""`cannery run`: compares operators with their golden; prints times and the twin's GM traffic."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from itertools import groupby

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from cannery import _runtime, cases, packages, project_settings, settings
from cannery.checked_operator import reported_to
from cannery.cli import output, table, ub_maps
from cannery.cli.result import Result
from cannery.cli.selection import Selection
from cannery.cli.stats import record
from cannery.compile.ub_map import UbMap, save
from cannery.errors import CanneryError
from cannery.outputs import POISON_BYTE, filled_with
from cannery.testing.compare import Comparison
from cannery.testing.sizes import naming

__all__ = ["Selection", "run", "run_case"]


def run(selection: Selection, as_json: bool) -> bool:
    """Runs every selected case and prints the results; returns True if all are correct."""
    chosen = selection.chosen(cases.names_here())
    backend = settings.current_backend()
    with project_settings.applied(packages.root()):
        soc = _runtime.native().soc_name()
        checks = settings.checks()
        if not as_json:
            table.begin(chosen, backend, soc, checks)
        results: list[Result] = []
        with _progress(as_json) as progress:
            for _, group in groupby(chosen, key=lambda case: (case.size, case.op)):
                done = [_named_case(case, selection, progress) for case in group]
                if not as_json:
                    table.show(done, backend)
                results += done
    maps = [each for result in results for each in result.maps]
    if selection.picture is not None:
        save(maps, selection.picture)
    if as_json:
        document = {"ok": all(r.ok for r in results), "backend": backend, "soc": soc}
        document |= {**checks, "seed": selection.seed}
        output.print_json({**document, "results": [result.fields() for result in results]})
    else:
        ub_maps.show(maps)
    return all(result.ok for result in results)


def _named_case(case: cases.Case, selection: Selection, progress: Progress) -> Result:
    with naming(case.argument):
        return _run_case(case, selection, progress)


def _run_case(case: cases.Case, selection: Selection, progress: Progress) -> Result:
    workloads = cases.find(case.op)
    label = f"{case.op} {case.dtype.name} {case.size}"
    task = progress.add_task(f"{label}: inputs", total=None)
    prepared = workloads.prepare(case, selection.seed)
    backend = settings.current_backend()
    progress.update(task, description=f"{label}: {backend}")
    # Checks and dumps cost time, so this call is checked, and _seconds() times another call.
    maps: list[UbMap] | None = [] if selection.ub_map else None
    with record(selection.dump, maps, selection.dump_values) as traffic:
        outputs, unwritten = _checked_call(prepared)
    seconds = _seconds(prepared)
    got = {name: array for name, array in outputs.items() if array is not None}
    total = sum(array.size for array in got.values())
    progress.update(task, description=f"{label}: golden", total=total)
    comparisons = {
        name: Comparison(
            *(array.dtype, array.shape, workloads.rules.get(name, "close")),
            workloads.off_by.get(name, 0) if array.dtype.kind in "iu" else 0,
        )
        for name, array in got.items()
    }
    golden_seconds = _compare(prepared, got, comparisons, progress, task)
    progress.remove_task(task)
    ideal = prepared.ideal_bytes
    times = (seconds, golden_seconds)
    found = (tuple(maps or ()), unwritten)
    return Result(case, comparisons, traffic, ideal, backend, *times, *found)


def _checked_call(
    prepared: cases.CaseRun,
) -> tuple[Mapping[str, cases.Array | None], tuple[str, ...]]:
    """Calls the operator with filled outputs; returns the outputs, and a text for each output that
    the operator has not written completely.
    """
    gaps: list[str] = []
    with reported_to(lambda text, _: gaps.append(text)), filled_with(POISON_BYTE):
        outputs = prepared.call()
    return outputs, tuple(gaps)


def _seconds(prepared: cases.CaseRun) -> float:
    """Returns the time of a call without checks."""
    off = "off" if settings.current_backend() == "twin" else ...
    with settings.use(hazards=off), filled_with(None):
        start = time.perf_counter()
        prepared.call()
        return time.perf_counter() - start


def run_case(case: cases.Case) -> Result:
    """Runs one case without printing anything; checks its launches as the settings say."""
    with _progress(quiet=True) as progress:
        return _run_case(case, Selection(), progress)


def _compare(
    prepared: cases.CaseRun,
    got: dict[str, cases.Array],
    comparisons: dict[str, Comparison],
    progress: Progress,
    task: TaskID,
) -> float:
    """Compares the outputs with their golden, block by block; returns the time of golden()."""
    flat = {name: array.reshape(-1) for name, array in got.items()}
    seconds = 0.0
    start = time.perf_counter()
    for block in prepared.golden():
        seconds += time.perf_counter() - start
        part = flat[block.output][block.part]
        comparisons[block.output].update(part, block.want, block.scale, block.bound)
        progress.advance(task, block.want.size)
        start = time.perf_counter()
    for name, array in got.items():
        if comparisons[name].count != array.size:
            raise CanneryError(
                f"golden of {name} covers {comparisons[name].count} of {array.size} elements"
            )
    return seconds


@contextlib.contextmanager
def _progress(quiet: bool) -> Iterator[Progress]:
    console = output.progress_console()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=quiet or not console.is_terminal
    ) as progress:
        yield progress
