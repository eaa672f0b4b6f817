# SPDX-License-Identifier: Apache-2.0
"""`cannery run`: operators on the twin against their golden, with times and traffic."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from cannery import _runtime, cases, settings
from cannery.cli import output, table
from cannery.cli.stats import Traffic, record
from cannery.testing.compare import Comparison

__all__ = ["Selection", "run"]

_DEFAULT_SIZES = ("small", "medium")


@dataclass(frozen=True)
class Selection:
    """The options of the command, as given."""

    op: str | None
    dtype: str | None
    shape: str | None
    dim: int
    size: str | None
    soc: str | None
    seed: int
    dump: Path | None

    def chosen(self) -> list[cases.Case]:
        """Every case that the options ask for. ValueError names a wrong option."""
        if self.shape is not None and self.size is not None:
            raise ValueError("--shape and --size exclude each other")
        if self.size is not None and self.size not in cases.SIZES:
            raise ValueError(f"--size: expected one of {', '.join(cases.SIZES)}, got {self.size!r}")
        chosen = [cases.find(op) for op in ([self.op] if self.op else cases.names())]
        if self.shape is not None and len(chosen) > 1:
            raise ValueError("--shape: name the operator that gets it")
        found = [case for workloads in chosen for case in self._cases_of(workloads)]
        if self.dump is not None:
            _check_dump(self.dump, found)
        return found

    def _cases_of(self, workloads: cases.Workloads) -> Iterator[cases.Case]:
        dtypes = [each for each in workloads.dtypes if self.dtype in (None, each.name)]
        if not dtypes:
            known = ", ".join(each.name for each in workloads.dtypes)
            raise ValueError(f"--dtype: {workloads.op} has {known}, got {self.dtype!r}")
        if self.shape is not None:
            shape = _parse_shape(self.shape)
            yield from (workloads.custom(shape, self.dim, dtype) for dtype in dtypes)
            return
        for size in [self.size] if self.size else _DEFAULT_SIZES:
            yield from (workloads.case(size, dtype) for dtype in dtypes)


def _check_dump(dump: Path, found: list[cases.Case]) -> None:
    if dump.suffix not in (".txt", ".jsonl"):
        raise ValueError(f"--dump: expected FILE.txt or FILE.jsonl, got {str(dump)!r}")
    if len(found) != 1:
        raise ValueError(
            f"--dump: holds one launch, but {len(found)} cases are chosen; "
            "add OP, --dtype and --size"
        )


@dataclass(frozen=True)
class Result:
    """What one case gave."""

    case: cases.Case
    comparison: Comparison
    traffic: Traffic
    ideal_bytes: int
    twin_seconds: float
    golden_seconds: float

    @property
    def ok(self) -> bool:
        return self.comparison.ok and self.traffic.consistent

    def fields(self) -> dict[str, Any]:
        limits = self.comparison.limits
        return {
            "op": self.case.op,
            "dtype": self.case.dtype.name,
            "shape": list(self.case.shape),
            "dim": self.case.dim,
            "size": self.case.size,
            "block_dim": self.traffic.block_dim,
            "ok": self.ok,
            "worst_relative_error": self.comparison.worst_relative,
            "worst_relative_limit": limits.maximum,
            "mean_relative_error": self.comparison.mean_relative,
            "mean_relative_limit": limits.mean,
            "worst_absolute_error": self.comparison.worst_absolute,
            "mismatches": self.comparison.mismatches,
            "twin_seconds": self.twin_seconds,
            "golden_seconds": self.golden_seconds,
            **self.traffic.fields(),
            "ideal_bytes": self.ideal_bytes,
        }


def run(selection: Selection, as_json: bool) -> bool:
    """Runs and prints every case; True when all of them are correct."""
    chosen = selection.chosen()
    choices = {"soc": selection.soc} if selection.soc else {}
    with settings.use(**choices):
        soc = _runtime.native().soc_name()
        with _progress(as_json) as progress:
            results = [_run_case(case, selection, progress) for case in chosen]
    if as_json:
        document = {"ok": all(r.ok for r in results), "soc": soc, "seed": selection.seed}
        output.print_json({**document, "results": [result.fields() for result in results]})
    else:
        table.show(results, soc)
    return all(result.ok for result in results)


def _run_case(case: cases.Case, selection: Selection, progress: Progress) -> Result:
    workloads = cases.find(case.op)
    label = f"{case.op} {case.dtype.name} {case.size}"
    task = progress.add_task(f"{label}: inputs", total=int(np.prod(case.shape, dtype=np.int64)))
    prepared = workloads.prepare(case, selection.seed)
    progress.update(task, description=f"{label}: twin")
    # Observed and timed runs are apart: recording the stream costs time.
    with record(selection.dump) as traffic:
        prepared.call()
    start = time.perf_counter()
    got = prepared.call()
    twin_seconds = time.perf_counter() - start
    progress.update(task, description=f"{label}: golden")
    comparison = Comparison(case.dtype, got.shape)
    golden_seconds = 0.0
    flat = got.reshape(-1)
    start = time.perf_counter()
    for block in prepared.golden():
        golden_seconds += time.perf_counter() - start
        comparison.update(flat[block.part], block.want, block.scale)
        progress.advance(task, block.want.size)
        start = time.perf_counter()
    progress.remove_task(task)
    return Result(
        case, comparison, traffic, workloads.ideal_bytes(case), twin_seconds, golden_seconds
    )


@contextlib.contextmanager
def _progress(quiet: bool) -> Iterator[Progress]:
    console = output.progress_console()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=quiet or not console.is_terminal
    ) as progress:
        yield progress


def _parse_shape(text: str) -> tuple[int, ...]:
    """128,4096 or 128x4096; an empty text is the shape of a scalar."""
    try:
        shape = tuple(int(part) for part in text.replace("x", ",").split(",") if part.strip())
    except ValueError:
        raise ValueError(f"--shape: expected whole numbers as in 128,4096, got {text!r}") from None
    if any(extent < 0 for extent in shape):
        raise ValueError(f"--shape: expected no negative extent, got {text!r}")
    return shape
