# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels on disk. A manifest per request lists the files it was made from, with their
hashes.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cannery.errors import CompileError

__all__ = ["Entry", "KernelCache", "digest", "file_digest"]


def digest(parts: Iterable[str]) -> str:
    """One hash of several strings; unlike their concatenation it keeps them apart."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def file_digest(path: str | os.PathLike[str]) -> str | None:
    """Hash of a file's content, None when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def _changed_since(path: str, started_ns: int) -> bool:
    try:
        return os.stat(path).st_mtime_ns > started_ns
    except OSError:
        return True


@dataclass(frozen=True)
class Entry:
    """A compiled kernel: its file below the cache folder, and the content of every file it depends
    on.
    """

    library: str
    library_digest: str
    dependencies: dict[str, str]


class KernelCache:
    """Manifests and libraries in one folder. Readers need no lock: files appear complete or not at
    all.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "kernels"

    def find(self, key: str) -> Path | None:
        """The compiled kernel of `key` if every file it was made from is unchanged."""
        entry = self._read(key)
        if entry is None:
            return None
        library = self._folder / entry.library
        current = file_digest(library) == entry.library_digest and all(
            file_digest(path) == content for path, content in entry.dependencies.items()
        )
        return library if current else None

    def store(self, key: str, compiled: Path, dependencies: Iterable[str], started_ns: int) -> Path:
        """Takes over the file `compiled`, which lies in a folder of `workspace`.

        started_ns: time before the compiler ran. A file that changed since may not be what the
        compiler read, so the kernel is used this once and found by nobody.
        """
        content = hashlib.sha256(compiled.read_bytes()).hexdigest()
        hashes = {path: file_digest(path) for path in dependencies}
        # Named by content: a library that a process has loaded is never overwritten.
        library = self._folder / f"{content[:32]}.so"
        os.replace(compiled, library)
        if any(_changed_since(path, started_ns) for path in hashes):
            return library
        manifest = json.dumps(
            {"library": library.name, "library_digest": content, "dependencies": hashes}
        )
        partial = compiled.with_name("manifest.json")
        partial.write_text(manifest)
        os.replace(partial, self._manifest(key))
        return library

    @contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """Holds off others who want to compile the same kernel; freed when its process dies."""
        with self._reporting(), open(self._prepared() / f"{key}.lock", "a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """A temporary folder on the cache's own file system: results move in one step."""
        with (
            self._reporting(),
            tempfile.TemporaryDirectory(dir=self._prepared(), prefix="build-") as name,
        ):
            yield Path(name)

    def _prepared(self) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise CompileError(
                f"the kernel cache {self._folder} cannot be written ({error}); "
                "set CANNERY_CACHE_DIR to a writable folder"
            ) from error

    def _manifest(self, key: str) -> Path:
        return self._folder / f"{key}.json"

    def _read(self, key: str) -> Entry | None:
        try:
            return Entry(**json.loads(self._manifest(key).read_text()))
        except (OSError, ValueError, TypeError):
            return None
