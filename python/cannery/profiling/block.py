# SPDX-License-Identifier: Apache-2.0
"""The `with` block whose launches are profiled, and the files that store profiles."""

from __future__ import annotations

import json
import mmap
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import numpy as np

from cannery import outputs
from cannery.errors import CanneryError, TwinOnlyError
from cannery.profiling.launch import Launch
from cannery.profiling.library import twin
from cannery.profiling.startup import mask_of
from cannery.profiling.times import ROW
from cannery.settings import KEPT_INSTRUCTIONS, current_backend

__all__ = ["MODEL", "Profile", "load_profile", "profile"]

#: The version of the timing model; profiles of different versions are not comparable.
#: twin/timing/profile.cpp has the same number.
MODEL = 8
#: The version of the layout of the files that `Profile.save` writes.
LAYOUT = 4

_blocks = threading.local()


def _stack() -> list[Profile]:
    if not hasattr(_blocks, "stack"):
        _blocks.stack = []
    stack: list[Profile] = _blocks.stack
    return stack


class Profile:
    """Launches with their modelled times, in the order in which they ran."""

    def __init__(
        self,
        launches: list[Launch] | None = None,
        *,
        warm: bool = False,
        without: int = 0,
        keep: int = KEPT_INSTRUCTIONS,
    ) -> None:
        self._launches = [] if launches is None else launches
        self._warm = warm
        self._without = without
        self._keep = keep
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        # With filled outputs, a call could run an operator twice, which would change the profile.
        self._unfilled = outputs.filled_with(None)
        self._read = 0  #: bytes of the file that have been read

    def __repr__(self) -> str:
        return f"<profile of {len(self._launches)} launches>"

    @property
    def launches(self) -> list[Launch]:
        """The launches that have ended; available even while the block runs."""
        self._collect()
        return self._launches

    def __enter__(self) -> Profile:
        if self._folder is not None:
            raise RuntimeError("profile: this block has run; make another one")
        if current_backend() != "twin":
            raise TwinOnlyError(
                "profile: times are the twin's model; on a card msprof measures them: "
                "`cannery docs timing` says how"
            )
        self._folder = tempfile.TemporaryDirectory(prefix="cannery-profile-")
        _stack().append(self)
        self._unfilled.__enter__()
        self._tell(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        stack = _stack()
        if self not in stack:
            raise RuntimeError("profile: the block belongs to the thread that began it")
        stack.remove(self)
        self._unfilled.__exit__(None, None, None)
        self._tell(stack[-1] if stack else None)
        self._collect()
        if self._folder is not None:
            self._folder.cleanup()
        if stack:
            stack[-1]._collect()
            stack[-1]._launches.extend(self._launches)
        if kind is None and not self._launches:
            raise CanneryError(
                "profile: nothing was launched in the block\n"
                "  try: call an operator or a compiled kernel inside it, on this thread"
            )
        return False

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything to a file that `load_profile` and `cannery profile --diff` read."""
        if not self.launches:
            raise CanneryError("profile: there is no launch to save")
        with Path(path).open("wb") as file:
            about = {"cannery_profile": MODEL, "layout": LAYOUT}
            file.write(json.dumps(about).encode() + b"\n")
            for launch in self._launches:
                file.write(json.dumps(launch.header).encode() + b"\n")
                file.write(json.dumps(launch.operations).encode() + b"\n")
                file.write(np.ascontiguousarray(launch.instructions.rows).view(np.uint8).data)
                for each in (launch.addresses, launch.scalar_work):
                    file.write(np.ascontiguousarray(each).view(np.uint8).data)

    def _file(self) -> Path | None:
        return None if self._folder is None else Path(self._folder.name) / "launches"

    def _tell(self, block: Profile | None) -> None:
        """Makes the twin write this thread's launches to the file of `block`; None: to no file."""
        file = None if block is None else block._file()
        name = None if file is None else os.fsencode(file)
        block = self if block is None else block
        twin().twinProfile(name, block._warm, block._without, block._keep)

    def _collect(self) -> None:
        file = self._file()
        if file is None or not file.is_file() or file.stat().st_size == self._read:
            return
        # A mapped file is read only where it is used, and the mapping remains valid when the file
        # is deleted.
        with file.open("rb") as stream:
            data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        self._launches.extend(_parse(data, self._read))
        self._read = len(data)


def profile(
    *, warm: bool = False, without: Iterable[str] = (), keep: int = KEPT_INSTRUCTIONS
) -> Profile:
    """Profiles every launch of a `with` block, by the timing model:

        with cannery.profile() as p:
            cannery.swi_glu_grad(y_grad, x)
        print(p.launches[0].task_us, p.launches[0].bound)

    warm: the second-level cache contains the arguments and the kernel's code when a launch begins;
    otherwise it is empty.
    without: terms of a launch's start that take no time, such as "code" or "tiling"; the names are
    those of `Launch.startup_us`.
    keep: the profile keeps the times of at most this number of instructions per launch, about 300
    bytes of memory for each; see `Launch.left_out`. All totals count every instruction.

    The profile has all launches of the thread that runs the block, also those of inner blocks. The
    results of kernels do not change. Raises CanneryError at the end of the block if nothing was
    launched, and ValueError if an argument is wrong.
    """
    if not 0 <= keep < 1 << 40:
        raise ValueError(f"profile: keep={keep}; expected a number of instructions below 2**40")
    return Profile(warm=warm, without=mask_of(without), keep=keep)


def load_profile(path: str | os.PathLike[str]) -> Profile:
    """Returns the profile that `Profile.save` has written. Raises CanneryError if the file is no
    profile, or comes from another version of the model.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise CanneryError(f"{path}: cannot be read ({error.strerror})") from None
    line = data[: data.find(b"\n") + 1]
    try:
        about = json.loads(line)
        version = about["cannery_profile"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise CanneryError(
            f"{path}: is no profile; p.save(path) after `with cannery.profile() as p: ...` "
            "makes one"
        ) from None
    if version != MODEL:
        raise CanneryError(
            f"{path}: is of version {version} of the model, this is {MODEL}; figures of "
            "different models are not compared\n  try: make it again"
        )
    if about.get("layout") != LAYOUT:
        raise CanneryError(
            f"{path}: was written by another version of cannery\n  try: make it again"
        )
    return Profile(list(_parse(data, len(line))))


def _parse(data: bytes | mmap.mmap, at: int) -> Iterator[Launch]:
    """Yields launches from offset `at` on: each has two lines of JSON, and three arrays."""
    while at < len(data):
        end = data.find(b"\n", at)
        header: dict[str, Any] = json.loads(data[at:end])
        at, end = end + 1, data.find(b"\n", end + 1)
        operations = data[at:end]
        rows = np.frombuffer(data, ROW, header["rows"], end + 1)
        addresses = np.frombuffer(data, "<u8", header["addresses"], end + 1 + rows.nbytes)
        at = end + 1 + rows.nbytes + addresses.nbytes
        scalar_work = np.frombuffer(data, "<u4", header["rows"], at)
        at += scalar_work.nbytes
        if header["status"] == 0:
            if header["stuck"]:
                raise CanneryError(f"profile: the model cannot go on: {header['stuck']}")
            yield Launch(header, operations, rows, addresses, scalar_work)
