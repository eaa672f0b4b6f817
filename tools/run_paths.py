# SPDX-License-Identifier: Apache-2.0
"""Fails if a library searches for other libraries in a folder that is not relative to its own.

Every entry of the run path must begin with $ORIGIN, the library's folder. An empty entry would mean
the current folder. A path of the build machine may belong to another user on another machine.
"""

from __future__ import annotations

import argparse
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

#: Numbers from <elf.h>: the program headers and tags that lead to the run path.
PT_LOAD, PT_DYNAMIC = 1, 2
DT_STRTAB, DT_RPATH, DT_RUNPATH = 5, 15, 29


def segments(elf: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yields the type, file offset, address and size of each segment of a 64-bit ELF file."""
    (start,) = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<2H", elf, 54)
    for i in range(count):
        kind, _, offset, address, _, length = struct.unpack_from("<2I4Q", elf, start + i * size)
        yield kind, offset, address, length


def run_paths(elf: bytes) -> list[str]:
    """Returns the entries of DT_RPATH and DT_RUNPATH."""
    loaded = [s for s in segments(elf) if s[0] == PT_LOAD]
    dynamic = [
        struct.unpack_from("<2Q", elf, offset + at)
        for kind, offset, _, length in segments(elf)
        if kind == PT_DYNAMIC
        for at in range(0, length, 16)
    ]
    strings = next((value for tag, value in dynamic if tag == DT_STRTAB), 0)
    table = next((o + strings - a for _, o, a, n in loaded if a <= strings < a + n), 0)
    entries = []
    for tag, value in dynamic:
        if tag in (DT_RPATH, DT_RUNPATH):
            end = elf.index(b"\0", table + value)
            entries += elf[table + value : end].decode().split(":")
    return entries


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(6) == b"\x7fELF\x02\x01"


def find_faults(root: Path) -> Iterator[str]:
    libraries = [p for p in sorted(root.rglob("*.so")) if p.is_file() and is_elf(p)]
    if not libraries:
        yield f"{root}: has no library to look at"
    for path in libraries:
        for entry in run_paths(path.read_bytes()):
            if entry != "$ORIGIN" and not entry.startswith("$ORIGIN/"):
                yield f"{path}: run path {entry!r}, expected $ORIGIN or a folder relative to it"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    faults = list(find_faults(parser.parse_args(argv).root))
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
