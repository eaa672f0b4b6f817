# SPDX-License-Identifier: Apache-2.0
"""Stores compiled kernels on disk: one manifest per request, and the libraries that it names."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cannery.compile.manifest import Manifest, read_regular
from cannery.errors import CompileError

__all__ = ["Entry", "KernelCache", "digest"]

_MAX_BYTES = 1 << 30
_PRIVATE = 0o700
_GATE = "gate.lock"
_ALIVE = "alive.lock"


def digest(parts: Iterable[str]) -> str:
    """Returns one hash of several strings; ("ab", "c") and ("a", "bc") have different hashes."""
    state = hashlib.sha256()
    for part in parts:
        data = os.fsencode(part)
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def _changed_since(path: str, started_ns: int) -> bool:
    try:
        return os.stat(path).st_mtime_ns > started_ns
    except OSError:
        return True


@dataclass(frozen=True)
class Entry:
    """A compiled kernel in the cache."""

    libraries: tuple[Path, ...]  #: the first library is the one to load
    dependencies: tuple[str, ...]  #: the files that the compiler read
    warnings: tuple[str, ...]  #: the compiler's warnings


class KernelCache:
    """Keeps manifests and libraries in one folder. Readers need no lock, because files appear only
    when they are complete. The folder must be private, because this process runs what is in it.
    """

    def __init__(self, folder: Path, max_bytes: int = _MAX_BYTES) -> None:
        self._folder = folder / "kernels"
        self._max_bytes = max_bytes

    def find(self, key: str) -> Entry | None:
        """Returns the kernel of `key`; None if a library is missing or a source has changed."""
        with self._reporting():
            if not self._is_private():
                return None
        manifest = Manifest.read(self._manifest(key))
        if manifest is None:
            return None
        libraries = {self._folder / name: digest for name, digest in manifest.libraries.items()}
        for library, expected in libraries.items():
            content = read_regular(library)
            if content is None or hashlib.sha256(content).hexdigest() != expected:
                return None
        if not manifest.current():
            return None
        _touch(self._manifest(key), *libraries)
        return Entry(tuple(libraries), tuple(manifest.dependencies), manifest.warnings)

    def dependencies(self, key: str) -> list[str]:
        """Returns the files that the manifest of `key` names; none if there is no manifest."""
        manifest = Manifest.read(self._manifest(key))
        return [] if manifest is None else list(manifest.dependencies)

    def store(
        self,
        key: str,
        compiled: Sequence[Path],
        dependencies: Iterable[str] | None,
        started_ns: int,
        warnings: Sequence[str] = (),
    ) -> Entry:
        """Moves the libraries `compiled` from a folder of `workspace` into the cache. They keep
        their suffixes (.cube.so), by which the twin finds the other library of a kernel.

        started_ns: the time before the compiler ran. If a dependency changed later, or if
        `dependencies` is None, no manifest is written: the kernel can be used now, but later
        requests do not find it.   warnings: the compiler's warnings, which later requests repeat.
        """
        paths = list(dependencies or ())
        contents = [hashlib.sha256(path.read_bytes()).hexdigest() for path in compiled]
        # The name of a library is a hash of its content, so a library that a process has loaded is
        # never replaced by another one.
        stem = digest(contents)[:32]
        libraries = [self._folder / f"{stem}.{path.name.partition('.')[2]}" for path in compiled]
        names = [library.name for library in libraries]
        manifest = None
        if dependencies is not None:
            known = dict(zip(names, contents, strict=True))
            manifest = Manifest.describe(known, paths, warnings)
        for path, library in zip(compiled, libraries, strict=True):
            os.replace(path, library)
        if manifest is not None and not any(_changed_since(path, started_ns) for path in paths):
            partial = compiled[0].with_name("manifest.json")
            partial.write_text(manifest.text(), encoding="ascii")
            os.replace(partial, self._manifest(key))
        self._trim(*libraries, self._manifest(key))
        return Entry(tuple(libraries), tuple(paths), tuple(warnings))

    @contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """Locks `key`, so that other processes that need the same kernel wait. The lock is freed
        even if this process is killed.
        """
        with self._reporting():
            self._prepare()
            with _locked(self._folder / f"{key}.lock"):
                yield

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """Yields a temporary folder on the file system of the cache, so that results can be moved
        into the cache in one step.
        """
        with self._reporting():
            self._prepare()
            with _locked(self._folder / _GATE):
                self._remove_leftovers()
                folder = Path(tempfile.mkdtemp(dir=self._folder, prefix="build-"))
                alive = _take(folder / _ALIVE, create=True)
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
                if alive is not None:
                    _release(alive)

    def _prepare(self) -> None:
        for folder in (self._folder.parent, self._folder):
            folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        self._is_private()

    def _is_private(self) -> bool:
        """Returns whether the cache folder exists, and makes it unreadable for other users. Raises
        CompileError if other users can write to it or may have written to it.
        """
        try:
            status = self._folder.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        if stat.S_ISLNK(status.st_mode):  # the target of the link may have other uses
            self._refuse("is a link")
        if status.st_uid != os.geteuid():
            self._refuse(f"belongs to user {status.st_uid}, not to {os.geteuid()}")
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            self._refuse(f"can be written by others (mode {stat.S_IMODE(status.st_mode):04o})")
        if stat.S_IMODE(status.st_mode) != _PRIVATE:
            self._folder.chmod(_PRIVATE)
        return True

    def _refuse(self, why: str) -> None:
        raise CompileError(
            f"the kernel cache {self._folder} {why}; who can write there can run code as you. "
            "Remove it, or set CANNERY_CACHE_DIR to a folder of your own"
        )

    def _remove_leftovers(self) -> None:
        """Removes the folders of killed builds; a running build holds the lock in its folder. The
        caller holds the lock _GATE, so no other process is creating a folder now.
        """
        for folder in self._folder.glob("build-*"):
            alive = _take(folder / _ALIVE, create=False)
            if alive is not None or not (folder / _ALIVE).exists():
                shutil.rmtree(folder, ignore_errors=True)
            if alive is not None:
                _release(alive)
        for path in self._folder.glob("*.lock"):
            held = None if path.name == _GATE else _take(path, create=False)
            if held is not None:
                path.unlink(missing_ok=True)
                _release(held)

    def _trim(self, *kept: Path) -> None:
        """Removes the least recently used kernels until the cache is below its limit. The libraries
        of a kernel are removed together.
        """
        groups: dict[str, list[tuple[int, int, Path]]] = {}
        for path in self._folder.iterdir():
            # Another process may remove the file at any time.
            with contextlib.suppress(FileNotFoundError):
                status = path.lstat()
                if path.suffix in (".so", ".json") and stat.S_ISREG(status.st_mode):
                    group = groups.setdefault(path.name.partition(".")[0], [])
                    group.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for group in groups.values() for _, size, _ in group)
        for group in sorted(groups.values(), key=max):
            if total <= self._max_bytes:
                return
            for _, size, path in group:
                if path not in kept:
                    path.unlink(missing_ok=True)
                    total -= size

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise CompileError(
                f"the kernel cache {self._folder} cannot be used ({error}); "
                "set CANNERY_CACHE_DIR to a writable folder"
            ) from error

    def _manifest(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def _touch(*paths: Path) -> None:
    """Sets the files' times to now, to record their use; a read-only cache is no error."""
    for path in paths:
        with contextlib.suppress(OSError):
            os.utime(path)


def _take(path: Path, create: bool) -> int | None:
    """Locks a file and returns its descriptor; None if another process has locked the file, or if
    the file does not exist.
    """
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if create else 0)
    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Waits until it can lock the file `path`; removes the file at the end."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # The previous owner may have removed the file meanwhile; then other processes lock a
            # new file.
            if _is_still(path, descriptor):
                try:
                    yield
                finally:
                    path.unlink(missing_ok=True)
                return
        finally:
            _release(descriptor)


def _release(descriptor: int) -> None:
    # Closing alone would not free the lock, because a process that was forked meanwhile has the
    # file open, too.
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
