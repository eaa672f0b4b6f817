# SPDX-License-Identifier: Apache-2.0
"""Fails if an operator lacks a file, or if a source includes or names something that the rules of
its folder in tools/floors.py forbid.

Operators do not include the twin's own headers, and the twin does not name any operator. Python
uses the twin and the operators only through their C ABI.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from os.path import normpath
from pathlib import Path

import python_imports
from floors import LAYERS, Layer, folder_rows
from include_graph import rings, upward_includes
from repo import list_files, operators
from twin_headers import TABLE

#: Files that every operator must have.
OPERATOR_FILES = (
    "op_proto/{op}.toml",
    "op_kernel/{op}.cpp",
    "op_kernel/{op}_tiling.h",
    "op_host/{op}_tiling.cpp",
    "op_host/{op}_infershape.cpp",
    "op_host/aclnn/aclnn_{op}.cpp",
    "op_kernel/{op}/*.h",
    "python/cannery/golden/{op}.py",
    "python/cannery/ops/{op}.py",
    "python/cannery/cases/{op}.py",
    "tests/python/ops/test_{op}.py",
    "tests/python/golden/test_golden_{op}.py",
    "tests/cpp/op_host/{op}_test.cpp",
    "tests/python/opgen/test_aclnn_checks_{op}.py",
    "docs/api/{op}.md",
)

#: Patterns of an operator's files. If the operator has no prototype, such a file is a fault.
OPERATOR_GLOBS = (
    "op_kernel/{op}.cpp",
    "op_kernel/{op}_tiling.h",
    "op_host/{op}_tiling.cpp",
    "op_host/{op}_infershape.cpp",
    "op_host/aclnn/aclnn_{op}.cpp",
    "docs/api/{op}.md",
    "docs/profiles/{op}.json",
)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(<[^>]+>|"[^"]+")', re.MULTILINE)
#: Headers of the C++ library and of POSIX.
STANDARD_HEADER = re.compile(r"<(sys/)?[a-z_0-9]+(\.h)?>")


#: A row of the table of folders in CONTRIBUTING.md; its groups are the first and the last column.
FOLDER_ROW = re.compile(r"^\| `([a-z_/0-9]+/)` \|.*\| ([^|]*) \|$", re.MULTILINE)
SOURCES = ("*.h", "*.hpp", "*.cpp", "*.c")


def missing_files(files: set[str], ops: list[str]) -> Iterator[str]:
    for op in ops:
        for pattern in OPERATOR_FILES:
            path = pattern.format(op=op)
            if not any(fnmatch(file, path) for file in files):
                yield f"{path}: missing; every operator has one (docs/add-an-op.md)"


def orphaned_files(files: set[str], ops: list[str]) -> Iterator[str]:
    known = {pattern.format(op=op) for pattern in OPERATOR_GLOBS for op in ops}
    for path in sorted(files - known):
        if any(
            fnmatch(path, pattern.format(op="*")) and path.count("/") == pattern.count("/")
            for pattern in OPERATOR_GLOBS
        ):
            yield f"{path}: belongs to no prototype in op_proto/"


def repeated_names(files: list[str], ops: list[str]) -> Iterator[str]:
    """Yields a fault for each kernel file whose name contains the operator's name. The folder and
    the namespace have this name already.
    """
    for op in ops:
        for path in files:
            if fnmatch(path, f"op_kernel/{op}/*{op}*"):
                yield f"{path}: repeats the operator's name (docs/add-an-op.md, section 4)"


def layer_of(path: str) -> Layer | None:
    """Returns the layer of a C++ source; None for other files and folders."""
    if not any(fnmatch(path, pattern) for pattern in SOURCES):
        return None
    return next((layer for layer in LAYERS if path.startswith(layer.folder)), None)


def wrong_includes(path: str, text: str, files: set[str], layer: Layer) -> Iterator[str]:
    for match in INCLUDE.finditer(text):
        spelled = match.group(1)
        header = normpath(spelled[1:-1])  # core/../device/a.h becomes device/a.h
        if STANDARD_HEADER.fullmatch(spelled):
            continue
        candidates = [normpath(f"{Path(path).parent.as_posix()}/{header}")]
        candidates += [f"{root}/{header}" for root in layer.roots]
        own = any(
            candidate in files and candidate.startswith(layer.folder) for candidate in candidates
        )
        patterns = [pattern for each in layer.allowed for pattern in each.patterns]
        if not own and not any(fnmatch(header, pattern) for pattern in patterns):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {layer.folder} may not include {spelled}"


def forbidden_words(path: str, text: str, words: tuple[str, ...]) -> Iterator[str]:
    for word in words:
        match = re.search(rf"(?<![a-zA-Z]){word}(?![a-zA-Z])", text, re.IGNORECASE)
        if match:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: may not name {match.group()}"


def other_name(path: str, text: str) -> Iterator[str]:
    """Yields a fault if a header only includes one other header. Such a header must be a line of
    the table twin/headers.toml instead.
    """
    code = [line for line in text.splitlines() if line.strip() and not line.startswith("//")]
    lone = len(code) == 2 and INCLUDE.match(code[1])
    if path.startswith("twin/include/") and path.endswith(".h") and lone:
        yield f"{path}: only includes {code[1].split()[1]}; such names stand in {TABLE}"


def operator_words(ops: list[str]) -> tuple[str, ...]:
    """Returns the names of operators that the twin must not contain, such as swi_glu_grad and
    SwiGluGrad.
    """
    pascal = ["".join(part.capitalize() for part in op.split("_")) for op in ops]
    return tuple(ops + pascal)


def no_layer(path: str) -> Iterator[str]:
    """Yields a fault if a source of the twin is in a folder for which there is no Layer."""
    if path.count("/") > 1 and any(fnmatch(path, pattern) for pattern in SOURCES):
        yield f"{path}: lies in no folder of LAYERS in tools/floors.py"


def wrong_folder_table(root: Path, files: list[str]) -> Iterator[str]:
    """Yields a fault for each row of CONTRIBUTING.md's table that is missing, differs from
    tools/floors.py, or names a folder that does not exist.
    """
    page = root / "CONTRIBUTING.md"
    if not page.is_file():
        return
    found = dict(FOLDER_ROW.findall(page.read_text("utf-8")))
    wanted = folder_rows()
    for folder in sorted(found.keys() | wanted.keys()):
        if folder not in found:
            yield f"CONTRIBUTING.md: the table of folders lacks `{folder}`"
        elif folder not in wanted:
            yield f"CONTRIBUTING.md: `{folder}` is no folder of tools/floors.py"
        elif found[folder] != wanted[folder]:
            yield f"CONTRIBUTING.md: `{folder}` may know: {wanted[folder]}"
        elif not any(path.startswith(folder) for path in files):
            yield f"CONTRIBUTING.md: `{folder}` does not exist"


def find_faults(root: Path) -> list[str]:
    files = list_files(root)
    known, ops = set(files), operators(root)
    faults = [*missing_files(known, ops), *orphaned_files(known, ops)]
    faults += repeated_names(files, ops)
    for path in files:
        layer = layer_of(path)
        in_twin = path.startswith("twin/")
        if layer is None and not in_twin:
            continue
        text = (root / path).read_text("utf-8")
        if layer is not None:
            faults += wrong_includes(path, text, known, layer)
            faults += forbidden_words(path, text, layer.forbidden)
        if in_twin:
            faults += forbidden_words(path, text, operator_words(ops))
            faults += other_name(path, text)
            faults += upward_includes(path, text)
            faults += no_layer(path) if layer is None else []
    faults += wrong_folder_table(root, files)
    return [*faults, *rings(root, files), *python_imports.faults(root, files)]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    root = parser.parse_args(argv).root
    faults = find_faults(root)
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
