# SPDX-License-Identifier: Apache-2.0
"""Checks includes inside the twin. A folder of twin/device may include only folders on lower floors
(tools/floors.py), and headers must not include each other in a circle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath

import twin_headers
from floors import DEVICE_FLOORS, floor_numbers

DEVICE = "twin/device/"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)

_FLOOR_OF = floor_numbers(DEVICE_FLOORS)


def _folder(path: str) -> str | None:
    """Returns the folder of twin/device that contains a file; None for other files."""
    parts = path.removeprefix(DEVICE).split("/")
    return parts[0] if path.startswith(DEVICE) and len(parts) > 1 else None


def upward_includes(path: str, text: str) -> Iterator[str]:
    """Yields a fault for each included header that is in another folder of twin/device, unless that
    folder is on a lower floor.
    """
    own = _folder(path)
    if own is None:
        return
    if own not in _FLOOR_OF:
        yield f"{path}: {DEVICE}{own} lies on no floor (DEVICE_FLOORS in tools/floors.py)"
        return
    for match in INCLUDE.finditer(text):
        other = _folder(f"twin/{match.group(1)}")
        if other in (None, own) or _FLOOR_OF.get(other, len(DEVICE_FLOORS)) < _FLOOR_OF[own]:
            continue
        line = text.count("\n", 0, match.start()) + 1
        yield f"{path}:{line}: {own} may not include {other}, which does not lie below it"


def rings(root: Path, files: list[str]) -> Iterator[str]:
    """Yields a fault if headers of the twin, including generated ones, include each other in a
    circle.
    """
    texts = {
        path: (root / path).read_text("utf-8")
        for path in files
        if path.startswith("twin/") and path.endswith(".h")
    }
    if (root / twin_headers.TABLE).is_file():
        try:
            written = twin_headers.generate(root)
        except twin_headers.TableError as error:
            yield str(error)
            return
        texts |= {f"{twin_headers.ROOTS[0]}/{name}": text for name, text in written.items()}
    graph = {path: set(_included(path, text, texts)) for path, text in texts.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        ring = list(reversed(error.args[1]))
        yield f"{ring[0]}: includes itself by way of {', '.join(ring[1:])}"


def _included(path: str, text: str, known: dict[str, str]) -> Iterator[str]:
    folders = (PurePosixPath(path).parent.as_posix(), *twin_headers.ROOTS)
    for header in INCLUDE.findall(text):
        found = next((f"{root}/{header}" for root in folders if f"{root}/{header}" in known), None)
        if found:
            yield found
