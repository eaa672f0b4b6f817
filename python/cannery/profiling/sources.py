# SPDX-License-Identifier: Apache-2.0
"""Collects the source lines that take most time and the lines around them, with their texts if the
files still exist.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path

from cannery.profiling.times import LaunchTimes, Line

__all__ = ["Sources"]

_AROUND = 2  #: lines shown before and after an expensive line
_WIDEST = 200  #: characters shown of a line


@dataclass(frozen=True)
class _Shown:
    number: int
    text: str
    cost: Line | None
    gap: bool  #: whether lines before this line are left out


@dataclass(frozen=True)
class _File:
    name: str
    path: str
    found: bool
    lines: list[_Shown]
    share: float


class Sources:
    """The source lines of one launch that take most time."""

    def __init__(self, launch: LaunchTimes, root: Path | None, hottest: int) -> None:
        self._root = root
        dear: dict[str, dict[int, Line]] = {}
        for line in [each for each in launch.lines if each.us > 0][:hottest]:
            dear.setdefault(line.file, {})[line.line] = line
        self._paths = {file: self._path(file) for file in dear}
        self.files = [self._file(file, lines) for file, lines in dear.items()]
        self.missing = [each.path for each in self.files if not each.found]

    def name(self, file: str) -> str:
        """Returns the name of a file, relative to the root if it is below the root."""
        path = self._path(file)
        if self._root is not None and path.is_relative_to(self._root):
            return path.relative_to(self._root).as_posix()
        return str(path)

    def digests(self) -> dict[str, str]:
        """Returns a hash of each file whose lines are shown."""
        return {
            self.name(file): hashlib.sha256(self._paths[file].read_bytes()).hexdigest()[:16]
            for file, shown in zip(self._paths, self.files, strict=True)
            if shown.found
        }

    def _path(self, file: str) -> Path:
        """Returns the path of a file. Files of the operators have names relative to the folder of
        their build, which may no longer exist, so the files are searched below the root.
        """
        plain = Path(normpath(file))
        if plain.is_absolute():
            return plain
        below = [part for part in plain.parts if part != ".."]
        return Path(self._root or Path.cwd(), *below)

    def _file(self, file: str, costs: dict[int, Line]) -> _File:
        path = self._paths[file]
        try:
            texts = path.read_text("utf-8", errors="replace").splitlines()
        except OSError:
            texts = []
        share = sum(line.share for line in costs.values())
        found = bool(texts)
        numbers = sorted(costs)
        if found:
            near = {n + i for n in numbers for i in range(-_AROUND, _AROUND + 1)}
            numbers = sorted({n for n in near if 0 < n <= len(texts)} | set(numbers))
        shown = []
        last = 0
        for number in numbers:
            text = texts[number - 1] if number <= len(texts) else ""
            text = text.expandtabs(4)
            text = text if len(text) <= _WIDEST else f"{text[:_WIDEST]} ..."
            gap = found and last != 0 and number != last + 1
            shown.append(_Shown(number, text, costs.get(number), gap))
            last = number
        return _File(path.name, self.name(file), found, shown, share)
