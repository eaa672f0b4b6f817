# SPDX-License-Identifier: Apache-2.0
"""Records what a compiled kernel was made from, in a JSON file for each request. Another program
may have changed or cut the file, so everything in it is checked before use.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

__all__ = ["FileState", "Manifest", "read_regular"]

_VERSION = 4
_MAX_BYTES = 16 << 20
_LIBRARY = re.compile(r"[0-9a-f]{32}(\.cube)?\.so", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_STAMP_FIELDS = 4

Path = str | os.PathLike[str]
Stamp = tuple[int, ...]


def read_regular(path: Path, limit: int | None = None) -> bytes | None:
    """Returns the content of a regular file of at most `limit` bytes; None for everything else,
    because reading it could block or never end.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > (limit or status.st_size):
                return None
            return file.read()
    except (OSError, ValueError):
        return None


@dataclass(frozen=True)
class FileState:
    """A digest of a file's content, and a stamp: size, times and inode. A file with an unchanged
    stamp has an unchanged content, so the file is not read.
    """

    digest: str
    stamp: Stamp

    @classmethod
    def of(cls, path: Path) -> FileState | None:
        """Returns the state of a file; None if it cannot be read."""
        stamp = _stamp(path)
        content = read_regular(path)
        if stamp is None or content is None:
            return None
        return cls(hashlib.sha256(content).hexdigest(), stamp)

    def holds(self, path: Path) -> bool:
        """Returns whether the file still has the content that `digest` describes."""
        if _stamp(path) == self.stamp:
            return True
        content = read_regular(path)
        return content is not None and hashlib.sha256(content).hexdigest() == self.digest


def _stamp(path: Path) -> Stamp | None:
    """Returns inode, size and times of a file, by which git also decides whether to read a file. No
    program can set the change time (ctime) back.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@dataclass(frozen=True)
class Manifest:
    """A compiled kernel: a digest for each of its libraries, a state for each file that was read
    to compile it, and the compiler's warnings. The first library is the one to load.
    """

    libraries: dict[str, str]
    dependencies: dict[str, FileState]
    warnings: tuple[str, ...]

    def text(self) -> str:
        dependencies = {
            path: [each.digest, *each.stamp] for path, each in self.dependencies.items()
        }
        return json.dumps(
            {
                "version": _VERSION,
                "libraries": self.libraries,
                "dependencies": dependencies,
                "warnings": self.warnings,
            }
        )

    @classmethod
    def read(cls, path: Path) -> Manifest | None:
        """Reads a file that contains the result of `text`; returns None for any other content."""
        content = read_regular(path, _MAX_BYTES)
        if content is None:
            return None
        try:
            fields = json.loads(content)
        except (ValueError, RecursionError):
            return None
        return cls._parse(fields)

    @classmethod
    def _parse(cls, fields: Any) -> Manifest | None:
        names = {"version", "libraries", "dependencies", "warnings"}
        if not isinstance(fields, dict) or fields.keys() != names or fields["version"] != _VERSION:
            return None
        libraries, files = fields["libraries"], fields["dependencies"]
        told = fields["warnings"]
        if not isinstance(told, list) or not all(isinstance(each, str) for each in told):
            return None
        if not isinstance(libraries, dict) or not libraries or not isinstance(files, dict):
            return None
        for name, content in libraries.items():
            if not (_matches(_LIBRARY, name) and _matches(_DIGEST, content)):
                return None
        states = {path: _parse_state(each) for path, each in files.items()}
        return cls._of(libraries, states, told)

    def current(self) -> bool:
        """Returns whether everything that the compiler read is unchanged."""
        return all(state.holds(path) for path, state in self.dependencies.items())

    @classmethod
    def describe(
        cls, libraries: dict[str, str], paths: Iterable[str], warnings: Iterable[str]
    ) -> Manifest | None:
        """Returns the manifest of a compilation; None if one of its files can no longer be read."""
        return cls._of(libraries, {path: FileState.of(path) for path in paths}, warnings)

    @classmethod
    def _of(
        cls,
        libraries: dict[str, str],
        states: dict[str, FileState | None],
        warnings: Iterable[str],
    ) -> Manifest | None:
        known = {path: state for path, state in states.items() if state is not None}
        return cls(libraries, known, tuple(warnings)) if len(known) == len(states) else None


def _matches(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _parse_state(entry: Any) -> FileState | None:
    if not isinstance(entry, list) or len(entry) != 1 + _STAMP_FIELDS:
        return None
    digest, *stamp = entry
    if not _matches(_DIGEST, digest) or not all(type(each) is int for each in stamp):
        return None
    return FileState(digest, tuple(stamp))
