# SPDX-License-Identifier: Apache-2.0
"""`cannery export`: writes a project that a CANN toolkit can build for a card."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

from cannery.cli import output
from cannery.cli.adopt import is_adoptable
from cannery.errors import CanneryError
from cannery.opgen import export as exporter
from cannery.opgen import msopgen
from cannery.opgen.loader import PrototypeError
from cannery.opgen.scaffold import ScaffoldError

__all__ = ["parse_socs", "show", "vendor_of", "write"]

_VENDOR = re.compile(r"^\s*cannery_add_operators\(\s*VENDOR\s+\"?([A-Za-z0-9_-]+)", re.MULTILINE)


def show(
    project: Path, target: Path, socs: tuple[str, ...], vendor: str | None, as_json: bool
) -> None:
    """Writes the project and prints how to build it; raises CanneryError if this fails."""
    written = write(project, target, socs, vendor)
    if as_json:
        output.print_json({"ok": True, "project": str(target), "files": written})
        return
    output.print_paragraph(
        f"{target} has {len(written)} files. With a CANN toolkit this leaves "
        "build_out/custom_opp_*.run there:"
    )
    script = shlex.quote(str(target / "build.sh"))
    sys.stdout.write(f"    source <toolkit>/set_env.sh\n    bash {script}\n")


def write(project: Path, target: Path, socs: tuple[str, ...], vendor: str | None) -> list[str]:
    """Writes the project; returns its files as paths below `target`."""
    if is_adoptable(project):
        raise CanneryError(
            f"{project.absolute()}: msopgen made this project; its own build.sh builds it with a "
            "toolkit"
        )
    try:
        return exporter.export(project, target, vendor or vendor_of(project), socs)
    except (PrototypeError, ScaffoldError) as error:
        raise CanneryError(str(error)) from None


def parse_socs(text: str | None) -> tuple[str, ...]:
    """Returns the SoC families of a list with commas; none if there is no list."""
    parts = () if text is None else text.split(",")
    return tuple(dict.fromkeys(msopgen.soc_family(part.strip(), "--soc") for part in parts))


def vendor_of(project: Path) -> str:
    """Returns the VENDOR of cannery_add_operators() in the project's CMakeLists.txt."""
    path = project / "CMakeLists.txt"
    try:
        found = _VENDOR.search(path.read_text("utf-8"))
    except OSError:
        raise CanneryError(
            f"{project.absolute()}: is not a project of operators: no CMakeLists.txt; "
            "`cannery new` makes one"
        ) from None
    if found is None:
        raise CanneryError(
            f"{path}: names no VENDOR in cannery_add_operators; give it with --vendor"
        )
    return found[1]
