# SPDX-License-Identifier: Apache-2.0
"""Writes a project that the toolkit can build for a card. It has the folders op_host and op_kernel,
with definitions made from the prototypes, and the files of cann/, which call the toolkit's CMake
functions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import msopgen
from .build import build
from .loader import load_prototypes
from .model import Operator
from .render import Renderer
from .scaffold import ScaffoldError, render_text, write_all

TREE = Path(__file__).parent / "cann"
SOCS = tuple(msopgen.SOCS)

#: Patterns of the generated files that the toolkit's project needs, and their paths in that
#: project. op_build makes all other files.
_GENERATED = {
    r"op_host/(\w+_(?:def\.cpp|interface\.h))": r"op_host/\1",
    r"op_host/(\w+_checks\.h)": r"op_host/\1",
    r"op_host/(aclnn_\w+_(?:phase2|forward)\.cpp)": r"op_host/aclnn/\1",
    r"include/(aclnnop/\w+\.h)": r"op_host/aclnn/include/\1",
}


def export(project: Path, target: Path, vendor: str, socs: tuple[str, ...] = ()) -> list[str]:
    """Writes the project; returns its files as paths below `target`, which must be new or empty.

    socs: some of SOCS; the default is every SoC that a prototype names.
    Raises PrototypeError or ScaffoldError before it has written anything.
    """
    ops = [build(source, proto) for source, proto in load_prototypes(project / "op_proto")]
    socs = _checked_socs(ops, socs)
    if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9_-]*", vendor):
        raise ScaffoldError(f"vendor: expected letters, digits, _ and -, got {vendor!r}")
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise ScaffoldError(f"{target}: is there already and not empty; choose another folder")
    files = toolkit_files(vendor, socs, twin=False)
    for path, text in [*_sources(project), *_generated(project, ops)]:
        if path in files:
            raise ScaffoldError(f"{project}: {path} has the name of a file that is made; rename it")
        files[path] = text
    missing = [op.kernel_file for op in ops if f"op_kernel/{op.kernel_file}.cpp" not in files]
    if missing:
        raise ScaffoldError(
            f"{project}: no op_kernel/{missing[0]}.cpp, the only name that the toolkit looks for"
        )
    write_all(target, files)
    return sorted(files)


def toolkit_files(vendor: str, socs: Sequence[str], twin: bool) -> dict[str, str]:
    """Returns the files of a project for which a toolkit needs nothing else, by their paths.

    twin: whether build.sh may build the project for the twin if there is no toolkit.
    """
    files = {path.relative_to(TREE).as_posix(): _read(path) for path in _files(TREE)}
    files["build.sh"] = render_text(files.pop("build.sh.jinja"), twin=twin)
    files["CMakePresets.json"] = _presets(vendor, socs)
    return files


def _checked_socs(ops: list[Operator], socs: tuple[str, ...]) -> tuple[str, ...]:
    declared = [soc for soc in SOCS if any(soc in op.socs for op in ops)]
    for soc in socs:
        if soc not in declared:
            raise ScaffoldError(
                f"soc: {soc!r} is none that the prototypes name; expected {' or '.join(declared)}"
            )
    return socs or tuple(declared)


def _sources(project: Path) -> Iterator[tuple[str, str]]:
    """Yields the files that are not generated: those of op_host and op_kernel."""
    for folder in ("op_host", "op_kernel"):
        for path in _files(project / folder):
            yield path.relative_to(project).as_posix(), _read(path)


def _generated(project: Path, ops: list[Operator]) -> Iterator[tuple[str, str]]:
    for path, text in Renderer(ops, whole_project=True).render():
        written = path.replace("_forward.cpp", ".cpp").replace("op_host/", "op_host/aclnn/")
        if path.endswith("_forward.cpp") and (project / written).is_file():
            continue  # the project has its own public function
        for pattern, place in _GENERATED.items():
            found = re.fullmatch(pattern, path)
            if found:
                yield found.expand(place), text


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith((".", "__")) for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise ScaffoldError(f"{path}: cannot be read as a source: {error}") from None


def _presets(vendor: str, socs: Sequence[str]) -> str:
    """Returns CMakePresets.json with the same variables as in the toolkit's own file."""
    variables = {
        "CMAKE_BUILD_TYPE": ("STRING", "Release"),
        "ENABLE_SOURCE_PACKAGE": ("BOOL", "True"),
        "ENABLE_BINARY_PACKAGE": ("BOOL", "True"),
        "ASCEND_COMPUTE_UNIT": ("STRING", ";".join(socs)),
        "ENABLE_TEST": ("BOOL", "True"),
        "vendor_name": ("STRING", vendor),
        "ASCEND_CANN_PACKAGE_PATH": ("PATH", "/usr/local/Ascend/latest"),
        "ASCEND_PYTHON_EXECUTABLE": ("STRING", "python3"),
        "CMAKE_INSTALL_PREFIX": ("PATH", "${sourceDir}/build_out"),
        "ENABLE_CROSS_COMPILE": ("BOOL", "False"),
        "CMAKE_CROSS_PLATFORM_COMPILER": ("PATH", "/usr/bin/aarch64-linux-gnu-g++"),
        "ASCEND_PACK_SHARED_LIBRARY": ("BOOL", "False"),
    }
    preset = {
        "name": "default",
        "displayName": "Operators for a card",
        "generator": "Unix Makefiles",  # the toolkit's functions call $(MAKE)
        "binaryDir": "${sourceDir}/build_out",
        "cacheVariables": {
            name: {"type": kind, "value": value} for name, (kind, value) in variables.items()
        },
    }
    least = {"major": 3, "minor": 19, "patch": 0}
    document = {"version": 1, "cmakeMinimumRequired": least, "configurePresets": [preset]}
    return json.dumps(document, indent=4) + "\n"
