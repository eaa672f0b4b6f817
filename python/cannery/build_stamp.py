# SPDX-License-Identifier: Apache-2.0
"""Notes when a project's operators were built, and finds the sources that have changed since."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["changed_sources", "noted"]

_STAMP = "cannery-built"
_SUFFIXES = {".asc", ".cc", ".cce", ".cmake", ".cpp", ".cxx", ".h", ".hpp", ".inc", ".inl"}
#: Folders of a project whose files `cannery build` does not read.
_OTHER = {"build", "docs", "framework", "python", "tests"}


@contextlib.contextmanager
def noted(folder: Path) -> Iterator[None]:
    """Notes the time at which a build in `folder` began, if the build ends without an error."""
    begun = folder / f"{_STAMP}.new"
    begun.touch()  # a file has the same clock as the sources
    yield
    begun.replace(folder / _STAMP)


def changed_sources(project: Path) -> list[str]:
    """Returns the sources that were changed after the latest successful `cannery build` began."""
    try:
        built = (project / "build" / _STAMP).stat().st_mtime_ns
    except OSError:
        return []
    return sorted(
        str(path.relative_to(project)) for path in _sources(project) if _changed(path) > built
    )


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # a link to a file that does not exist
        return 0


def _sources(project: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(project):
        top = Path(folder) == project
        folders[:] = [
            each
            for each in folders
            if not each.startswith((".", "build_")) and not (top and each in _OTHER)
        ]
        protos = Path(folder) == project / "op_proto"
        for name in files:
            suffix = Path(name).suffix
            is_proto = protos and suffix == ".toml"
            if suffix in _SUFFIXES or is_proto or name == "CMakeLists.txt":
                yield Path(folder) / name
