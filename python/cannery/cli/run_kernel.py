# SPDX-License-Identifier: Apache-2.0
"""`cannery run FILE:KERNEL`: launches a kernel once and shows how its arguments changed."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import cannery
from cannery import packages, project_settings, settings
from cannery.cases.arrays import is_output, load_array, value_of
from cannery.cli import output, stats, ub_maps
from cannery.compile import Coverage
from cannery.compile.ub_map import UbMap, save
from cannery.errors import IncompleteOutputError, KernelError

__all__ = ["KernelLaunch", "names_a_kernel", "run"]

Array = npt.NDArray[Any]

_SOURCES = (".asc", ".cce", ".cpp", ".cc", ".cxx", ".C", ".h", ".hpp")
_TARGET = re.compile(r"(?P<file>.*?\.\w+)(?::(?!:)(?P<kernel>.*))?\Z", re.DOTALL)
_SHOWN = 4


def names_a_kernel(target: str | None) -> bool:
    """Returns whether the argument of `cannery run` is FILE or FILE:KERNEL, and not an operator."""
    found = None if target is None else _TARGET.match(target)
    return found is not None and found["file"].endswith(_SOURCES)


@dataclass(frozen=True)
class KernelLaunch:
    """Options of `cannery run FILE:KERNEL`, as the user gave them."""

    target: str
    blocks: int = 1
    args: tuple[str, ...] = ()
    tiling: Path | None = None
    tiling_key: int = 0
    workspace: int = 0
    defines: tuple[str, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    save: Path | None = None
    seed: int = 0
    dump: Path | None = None
    debug: bool = False
    ub_map: bool = False
    picture: Path | None = None  #: file for a picture of the map
    dump_values: int | None = None

    def kernel(self) -> cannery.Kernel:
        """Returns the compiled kernel; raises ValueError if FILE has several and none is named."""
        found = _TARGET.match(self.target)
        if found is None:
            raise ValueError(f"OP: expected FILE:KERNEL, got {self.target!r}")
        file, name = Path(found["file"]), found["kernel"]
        module = cannery.load(file, list(self.defines), self.include_dirs, debug=self.debug)
        if name is None:
            if len(module.kernels) != 1:
                known = ", ".join(f"{file}:{each}" for each in module.kernels)
                raise ValueError(f"OP: {file} has several kernels: {known}")
            name = module.kernels[0]
        try:
            return module[name]
        except KeyError as error:
            raise ValueError(f"OP: {error.args[0]}") from None

    def values(self) -> list[Any]:
        """Returns the arguments for the kernel's parameters."""
        rng = np.random.default_rng(self.seed)
        return [value_of(text, rng) for text in self.args]

    def outputs(self, values: Sequence[Any]) -> list[Array]:
        """Returns the arguments that the kernel must write completely: those with =poison."""
        given = zip(self.args, values, strict=True)
        return [value for text, value in given if is_output(text)]

    def tiling_bytes(self) -> bytes:
        """Returns the value of --tiling: the data of an .npy file, or the bytes of another file."""
        if self.tiling is None:
            return b""
        if self.tiling.suffix == ".npy":
            return load_array("--tiling", self.tiling).tobytes()
        try:
            return self.tiling.read_bytes()
        except OSError as error:
            raise ValueError(f"--tiling: {self.tiling}: {error.strerror}") from None


def run(launch: KernelLaunch, as_json: bool) -> bool:
    """Launches the kernel and prints the result; raises KernelError if the kernel fails. Returns
    False if the kernel left elements of an output unwritten.
    """
    with project_settings.applied(packages.root()):
        checks = settings.checks()
        kernel = launch.kernel()
        values = launch.values()
        before = [each.copy() if isinstance(each, np.ndarray) else each for each in values]
        required = launch.outputs(values)
        gaps: tuple[str, ...] = ()
        recorded = settings.current_backend() == "twin"  # a card does not tell what it has written
        with _mapped(launch, as_json) as maps:
            try:
                kernel(
                    launch.blocks,
                    *values,
                    workspace=launch.workspace,
                    tiling=launch.tiling_bytes(),
                    tiling_key=launch.tiling_key,
                    dump=launch.dump,
                    dump_values=launch.dump_values,
                    outputs=required if recorded else None,
                )
            except IncompleteOutputError as error:
                gaps = error.gaps
        written = [
            kernel.coverage(each)[0] if recorded and isinstance(each, np.ndarray) else None
            for each in values
        ]
        covered = kernel.coverage() if recorded else ()
    names = [*kernel.arguments[: len(values)]]
    names += [f"argument{position}" for position in range(len(names), len(values))]
    poisoned = [any(value is each for each in required) for value in values]
    rows = [_Row(*each) for each in zip(names, before, values, written, poisoned, strict=True)]
    # `gaps` has a sentence for each gap of an output.
    outputs = {row.name for row in rows if row.poisoned}
    told = [replace(each, holes=()) if each.argument in outputs else each for each in covered]
    saved = {} if launch.save is None else _save(launch.save, rows)
    if as_json:
        fields = [{**row.fields(), **saved.get(row.name, {})} for row in rows]
        drawn = {"ub_map": maps[0].fields()} if maps else {}
        document = {"ok": not gaps, "kernel": kernel.name, **checks, "unwritten": list(gaps)}
        output.print_json({**document, "arguments": fields, **drawn})
    else:
        verdict = "INCOMPLETE" if gaps else "ok"
        blocks = f"{launch.blocks} block{'s' if launch.blocks > 1 else ''}"
        device = f"twin of {_soc()}" if settings.current_backend() == "twin" else _soc()
        title = ", ".join(filter(None, (kernel.name, blocks, device, output.told(checks))))
        _show(f"{title}: {verdict}", rows)
        for each in (*gaps, *(str(each) for each in told if each.holes or each.shared)):
            output.print_paragraph(each, hanging=2)
        ub_maps.show(maps)
        if launch.save is not None:
            output.print_paragraph(f"saved: {', '.join(each['path'] for each in saved.values())}")
    return not gaps


@contextlib.contextmanager
def _mapped(launch: KernelLaunch, as_json: bool) -> Iterator[list[UbMap]]:
    """Records the local-memory maps of a launch for --ub-map; prints them if the launch fails."""
    maps: list[UbMap] = []
    if not launch.ub_map:
        yield maps
        return
    try:
        with stats.record_maps(maps):
            yield maps
    except KernelError:
        if not as_json:
            ub_maps.show(maps)
        raise
    finally:
        if maps and launch.picture is not None:
            save(maps, launch.picture)


@dataclass(frozen=True)
class _Row:
    """One argument, before and after the launch."""

    name: str
    before: Any
    after: Any
    written: Coverage | None  #: None if the argument is not an array, and on a card
    poisoned: bool  #: whether the argument is an output that was filled with a pattern

    @property
    def changed(self) -> int:
        """The number of elements whose bytes have changed."""
        if not isinstance(self.after, np.ndarray):
            return 0
        width = self.after.itemsize
        old, new = (each.reshape(-1).view(np.uint8) for each in (self.before, self.after))
        return int((old.reshape(-1, width) != new.reshape(-1, width)).any(axis=1).sum())

    def fields(self) -> dict[str, Any]:
        if not isinstance(self.after, np.ndarray):
            return {"name": self.name, "value": self.after}
        holes = self.written.holes if self.written is not None else ()
        wide = self.after.reshape(-1)
        numbers = wide.astype(np.float64) if wide.dtype.kind not in "iub" else wide
        counted = numbers
        if self.poisoned:  # elements that the kernel did not write have no value
            left = np.ones(numbers.size, np.bool_)
            for begin, end in holes:
                left[begin : end + 1] = False
            counted = numbers[left]
        finite = counted[np.isfinite(counted)]
        return {
            "name": self.name,
            "dtype": self.after.dtype.name,
            "shape": list(self.after.shape),
            "changed": self.changed,
            "never_written": None if self.written is None else self.written.unwritten,
            "first_gap": list(holes[0]) if holes else None,
            "first": [_plain(each) for each in numbers[:_SHOWN]],
            "min": _plain(finite.min()) if finite.size else None,
            "max": _plain(finite.max()) if finite.size else None,
            "not_finite": int(counted.size - finite.size),
        }


def _show(title: str, rows: Sequence[_Row]) -> None:
    console = output.console()
    console.print(title, highlight=False, markup=False)
    table = output.plain_table()
    for heading in ("argument", "type", "changed", "first elements", "range"):
        table.add_column(heading)
    for row in rows:
        fields = row.fields()
        if "value" in fields:
            table.add_row(row.name, "", "", str(fields["value"]), "")
            continue
        shape = ",".join(map(str, fields["shape"]))
        first = " ".join(f"{each:.4g}" for each in fields["first"])
        size = math.prod(fields["shape"])
        bounds = "" if fields["min"] is None else f"{fields['min']:.4g} to {fields['max']:.4g}"
        bounds += f", {fields['not_finite']} not finite" if fields["not_finite"] else ""
        table.add_row(
            row.name,
            f"{fields['dtype']}\\[{shape}]",
            f"{row.changed} of {size}" if row.changed else "no",
            first + (" ..." if size > _SHOWN else ""),
            bounds,
        )
    console.print(table)


def _soc() -> str:
    from cannery import _runtime

    soc: str = _runtime.native().soc_name()
    return soc


def _plain(value: Any) -> float | int | bool:
    number: float | int | bool = value.item()
    return number


def _save(folder: Path, rows: Sequence[_Row]) -> dict[str, dict[str, str]]:
    """Saves arrays as FOLDER/NAME.npy. Types that NumPy lacks (bfloat16) are saved as bits."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = {}
    for row in rows:
        if isinstance(row.after, np.ndarray):
            path = folder / f"{row.name}.npy"
            own = row.after.dtype.kind != "V" and row.after.dtype.isbuiltin == 1
            bits = row.after if own else row.after.view(f"u{row.after.itemsize}")
            np.save(path, bits)
            saved[row.name] = {"path": str(path)}
    return saved
