# SPDX-License-Identifier: Apache-2.0
"""`cannery new`: makes a project of operators from a prototype in JSON (msopgen) or TOML."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from cannery import _runtime
from cannery.cli import output
from cannery.errors import CanneryError
from cannery.opgen import msopgen, msopgen_layout, names, scaffold
from cannery.opgen.loader import PrototypeError

__all__ = ["make"]

_LAYOUTS = ("cannery", "msopgen")
_FRAMEWORKS = ("tf", "tensorflow", "caffe", "pytorch", "ms", "mindspore", "onnx", "aclnn")


def make(
    source: Path,
    compute_unit: str | None,
    language: str,
    framework: str,
    target: Path,
    mode: int,
    op: str | None,
    name: str | None,
    layout: str,
    as_json: bool,
) -> None:
    """Writes the files and prints their names. Raises ValueError for wrong options and CanneryError
    for other problems.
    """
    _check(language, framework, layout, name)
    if layout == "msopgen":
        _make_as_msopgen(source, compute_unit, framework.lower(), target, mode, op, as_json)
        return
    protos: list[dict[str, Any] | Path] = []
    try:
        protos = _prototypes(source, compute_unit, op)
        package = name or _package_of(target, mode)
        if mode == 1 and package == "cannery":
            raise scaffold.ScaffoldError(
                f"{target}: is cannery's own checkout; run `python tools/opgen --new NAME` there"
            )
        if mode == 1:
            written = scaffold.add_operators(target, protos, package)
        else:
            common = _runtime.twin_root() / "operator_sources"
            written = scaffold.new_project(target, protos, package, common)
    except PrototypeError as error:
        types = [proto["type"] for proto in protos if isinstance(proto, dict)]
        problems = [msopgen.in_words_of(source, types, problem) for problem in error.problems]
        raise CanneryError("\n".join(problems)) from None
    except scaffold.ScaffoldError as error:
        raise CanneryError(str(error)) from None
    if as_json:
        output.print_json(
            {"ok": True, "project": str(target), "package": package, "files": written}
        )
        return
    _print_files(written)
    output.print_paragraph(
        f"{target} is a project whose operators copy their first input. Next, in that folder: "
        "`cannery build`, then `pytest`. Your computation goes into op_kernel/<op>/kernel.h and "
        f"python/{package}/golden/<op>.py."
    )


def _check(language: str, framework: str, layout: str, name: str | None) -> None:
    if language.lower() != "cpp":
        raise ValueError(f"-lan: expected cpp, the language of Ascend C, got {language!r}")
    if framework.lower() not in _FRAMEWORKS:
        raise ValueError(f"-f: expected one of {', '.join(_FRAMEWORKS)}, got {framework!r}")
    if layout not in _LAYOUTS:
        raise ValueError(f"--layout: expected {' or '.join(_LAYOUTS)}, got {layout!r}")
    if layout == "msopgen" and name is not None:
        raise ValueError(
            "--name: this layout has no Python package; vendor_name is in its CMakePresets.json"
        )


def _make_as_msopgen(
    source: Path,
    compute_unit: str | None,
    framework: str,
    target: Path,
    mode: int,
    op: str | None,
    as_json: bool,
) -> None:
    """Writes the files that the toolkit's msopgen writes, and prints their names."""
    if source.suffix.lower() != ".json":
        raise ValueError(f"-i: expected a prototype in JSON, as for msopgen, got {str(source)!r}")
    socs = _socs(compute_unit)
    try:
        written, ignored = msopgen_layout.make(source, socs, op, framework, target, mode == 1)
    except PrototypeError as error:
        raise CanneryError("\n".join(error.problems)) from None
    except scaffold.ScaffoldError as error:
        raise CanneryError(str(error)) from None
    for line in ignored:
        sys.stderr.write(line + "\n")
    if as_json:
        output.print_json({"ok": True, "project": str(target), "files": written})
        return
    _print_files(written)
    output.print_paragraph(
        f"{target} has the files that msopgen writes. `cannery build` in that folder builds it for "
        "the twin, and ./build.sh also makes build_out/custom_opp_*.run."
    )


def _print_files(written: list[str]) -> None:
    for path in written:
        output.console().print(f"  {path}", highlight=False, markup=False, soft_wrap=True)


def _socs(compute_unit: str | None) -> list[str]:
    if compute_unit is None:
        raise ValueError("-c: is required with JSON, e.g. -c ai_core-ascend910b")
    return msopgen.parse_socs(compute_unit)


def _prototypes(
    source: Path, compute_unit: str | None, op: str | None
) -> list[dict[str, Any] | Path]:
    if source.suffix.lower() == ".toml":
        if compute_unit is not None:
            raise ValueError("-c: a prototype in TOML names its SoCs itself")
        if not source.is_file():
            raise PrototypeError([f"{source}: (file): cannot be read: No such file"])
        return [source]
    if source.suffix.lower() != ".json":
        raise ValueError(
            f"-i: expected a prototype in JSON, as for msopgen, or in TOML, got {str(source)!r}"
        )
    protos = msopgen.read(source, _socs(compute_unit), scaffold.problems)
    if op is not None:
        protos = [proto for proto in protos if proto["type"] == op]
        if not protos:
            raise ValueError(f"-op: {source} has no operator {op!r}")
    return list(protos)


def _package_of(target: Path, mode: int) -> str:
    """Returns the name of the Python package: for a new project the folder's name, otherwise the
    name of the existing package.
    """
    if mode == 1:
        found = sorted(path.parent.parent.name for path in target.glob("python/*/ops/__init__.py"))
        if len(found) != 1:
            raise scaffold.ScaffoldError(
                f"{target}: is no project made by `cannery new`: expected one folder "
                f"python/<package>/ops, found {len(found)}"
            )
        return found[0]
    return re.sub(r"[-. ]", "_", names.snake_case(target.resolve().name))
