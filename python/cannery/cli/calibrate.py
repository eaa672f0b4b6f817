# SPDX-License-Identifier: Apache-2.0
"""`cannery profile --calibrate`: compares modelled times with a user's measurements on a card."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path

from cannery.cli import output
from cannery.cli.profile import measure
from cannery.cli.run_kernel import KernelLaunch, names_a_kernel
from cannery.cli.selection import Selection

__all__ = ["show"]

_NEEDED = ("kernel", "shape", "us")
_KNOWN = (*_NEEDED, "dtype", "blocks")


@dataclass(frozen=True)
class _Point:
    """One measurement on a card: a line of the CSV file."""

    kernel: str
    shape: str
    us: float
    dtype: str | None = None
    blocks: int = 1

    def target(self) -> Selection | KernelLaunch:
        if names_a_kernel(self.kernel):
            return KernelLaunch(self.kernel, self.blocks, tuple(self.shape.split()))
        return Selection(self.kernel, self.dtype, self.shape)


def show(file: Path, warm: bool, as_json: bool) -> None:
    """Prints the measured and the modelled time of each point, and the mean of the errors."""
    found = []
    for point in _read(file):
        modelled = sum(x.task_us for x in measure(point.target(), warm).launches)
        found.append((point, modelled))
    error = math.exp(sum(abs(math.log(us / p.us)) for p, us in found) / len(found))
    if as_json:
        points = [
            {
                "kernel": point.kernel,
                "shape": point.shape,
                "measured_us": point.us,
                "modelled_us": us,
                "ratio": us / point.us,
            }
            for point, us in found
        ]
        output.print_json({"ok": True, "points": points, "geometric_mean_error": error})
        return
    table = output.plain_table()
    for heading in ("kernel", "shape", "measured us", "modelled us", "ratio"):
        table.add_column(heading, justify="left" if heading in ("kernel", "shape") else "right")
    for point, us in found:
        table.add_row(
            point.kernel, point.shape, f"{point.us:g}", f"{us:.2f}", f"{us / point.us:.3f}"
        )
    output.console().print(table)
    output.print_paragraph(f"Geometric mean of the errors: {error:.3f}.")


def _read(file: Path) -> list[_Point]:
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            reader = csv.DictReader(lines, skipinitialspace=True)
            columns = tuple(reader.fieldnames or ())
            if any(each not in columns for each in _NEEDED) or not set(columns) <= set(_KNOWN):
                raise ValueError(
                    f"--calibrate: {file}: expected the columns {', '.join(_NEEDED)}, and perhaps "
                    f"dtype and blocks; got {', '.join(columns) or 'nothing'}"
                )
            points = [_point(file, number, row) for number, row in enumerate(reader, 2)]
    except OSError as error:
        raise ValueError(f"--calibrate: {file}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"--calibrate: {file} is no CSV file ({error})") from None
    if not points:
        raise ValueError(f"--calibrate: {file}: expected a line for each measurement, got none")
    return points


def _point(file: Path, number: int, row: dict[str, str]) -> _Point:
    try:
        us, blocks = float(row["us"]), int(row.get("blocks") or 1)
        good = math.isfinite(us) and us > 0 and blocks > 0 and None not in row
    except (TypeError, ValueError):
        good = False
    if not good:
        values = ", ".join(map(str, row.values()))
        raise ValueError(
            f"--calibrate: {file}, line {number}: expected microseconds above 0 and as many fields "
            f"as columns, got {values}"
        )
    return _Point(row["kernel"], row["shape"], us, row.get("dtype") or None, blocks)
