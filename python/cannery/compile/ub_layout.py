# SPDX-License-Identifier: Apache-2.0
"""Describes how the local memories of a core are divided into buffers and free pieces, and makes a
table that lists these parts.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "MOST_ROWS",
    "Buffer",
    "Cores",
    "Layout",
    "Piece",
    "Row",
    "core_names",
    "headings",
    "letter",
    "rows",
    "summary",
]

MOST_ROWS = 64  #: largest number of rows in the table of a memory
_LETTERS = string.digits + string.ascii_lowercase + string.ascii_uppercase + "@$"


@dataclass(frozen=True)
class Piece:
    """A range of bytes of a memory."""

    memory: str
    begin: int
    bytes: int

    @property
    def end(self) -> int:
        """The address after the last byte."""
        return self.begin + self.bytes


@dataclass(frozen=True)
class Buffer(Piece):
    """One buffer (slot) of a queue, a TBuf, or a LocalTensor with an explicit address."""

    touched: int  #: number of bytes in the 32-byte blocks that instructions read or wrote
    queue: int  #: number of the queue in the order of InitBuffer calls
    slot: int
    kind: str  #: such as "VECIN", "VECOUT", "TBuf", "LocalTensor"
    file: str
    line: int  #: line of the InitBuffer call


@dataclass(frozen=True)
class Layout:
    """Buffers that existed at the same time. A layout begins at the first InitBuffer of a pipe, or
    the first InitBuffer after a Reset. It ends at the next Reset or at the end of the pipe.
    """

    times: int  #: how often this layout existed
    buffers: tuple[Buffer, ...]
    loose: tuple[Piece, ...]  #: bytes that instructions touched and that belong to no buffer

    def taken(self, memory: str) -> int:
        """Returns the number of bytes that buffers cover."""
        return sum(piece.bytes for piece in _union(b for b in self.buffers if b.memory == memory))

    def free(self, memory: str, size: int) -> tuple[Piece, ...]:
        """Returns the pieces that no buffer covers."""
        ends = [0, *(p.end for p in _union(b for b in self.buffers if b.memory == memory))]
        begins = [*(p.begin for p in _union(b for b in self.buffers if b.memory == memory)), size]
        return tuple(
            Piece(memory, end, begin - end)
            for end, begin in zip(ends, begins, strict=True)
            if begin > end
        )


@dataclass(frozen=True)
class Cores:
    """Cores of one kind whose memories were divided in the same way."""

    kind: str  #: "AIC" or "AIV"
    names: tuple[str, ...]  #: such as "3 AIV"; the second vector core of block 3 is "3 AIV1"
    layouts: tuple[Layout, ...]
    more: int  #: number of further layouts that were not kept
    _most: dict[str, int]
    _last: dict[str, int]

    def most(self, memory: str) -> int:
        """Returns the largest number of bytes that buffers covered at one time."""
        return self._most[memory]

    def last(self, memory: str) -> int:
        """Returns the number of bytes that buffers covered in the last layout."""
        return self._last[memory]


def _union(pieces: Iterable[Piece]) -> list[Piece]:
    """Returns the pieces merged where they touch or overlap, in order."""
    merged: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: piece.begin):
        if merged and piece.begin <= merged[-1].end:
            end = max(piece.end, merged[-1].end)
            merged[-1] = Piece(piece.memory, merged[-1].begin, end - merged[-1].begin)
        else:
            merged.append(Piece(piece.memory, piece.begin, piece.bytes))
    return merged


def letter(buffer: Buffer) -> str:
    """Returns the letter that represents the buffer's queue in maps and messages."""
    return _LETTERS[buffer.queue % len(_LETTERS)]


@dataclass(frozen=True)
class Row:
    """A row in the table of a memory: consecutive buffers of one queue, a free piece, or a piece
    that instructions read or wrote although no buffer covers the piece.
    """

    mark: str
    pieces: tuple[Piece, ...]
    what: str

    @property
    def begin(self) -> int:
        return self.pieces[0].begin

    @property
    def bytes(self) -> str:
        many = f"{len(self.pieces)} x " if len(self.pieces) > 1 else ""
        return f"{many}{self.pieces[0].bytes} B"


def rows(layout: Layout, memory: str, size: int) -> list[Row]:
    """Returns the rows of the table of a memory, in the order of addresses."""
    buffers = [buffer for buffer in layout.buffers if buffer.memory == memory]
    found = []
    for _, group in itertools.groupby(buffers, key=lambda b: (b.queue, b.bytes, b.file, b.line)):
        found.append(_row(tuple(group)))
    found += [Row(".", (piece,), "free") for piece in layout.free(memory, size)]
    found += [Row("+", (p,), "touched, of no buffer") for p in layout.loose if p.memory == memory]
    return sorted(found, key=lambda row: (row.begin, row.mark))


def _row(buffers: tuple[Buffer, ...]) -> Row:
    first = buffers[0]
    touched, total = (sum(b.touched for b in buffers), sum(b.bytes for b in buffers))
    used = f"touched {touched} B" if touched < total else "all touched"
    where = f"{Path(first.file).name}:{first.line}" if first.line else "?"
    return Row(
        letter(first),
        buffers,
        f"{first.kind} #{first.queue}, {where}, {used if touched else 'never touched'}",
    )


def core_names(cores: Cores) -> str:
    """Returns the names of the cores, for example "8 AIV: 0 AIV to 7 AIV"."""
    first, last = cores.names[0], cores.names[-1]
    return f"{len(cores.names)} {cores.kind}: {first}" + (f" to {last}" if last != first else "")


def headings(cores: Cores) -> Iterator[tuple[str, Layout | None]]:
    """Yields each layout with its heading; one empty layout if the cores had no buffers. If the map
    lacks some layouts, the last pair has their number as its heading, and None as its layout.
    """
    count = len(cores.layouts)
    for number, layout in enumerate(cores.layouts or (Layout(0, (), ()),), 1):
        times = f", {layout.times} times" if layout.times > 1 else ""
        yield (f"layout {number} of {count}{times}" if count > 1 or times else ""), layout
    if cores.more:
        yield f"and {cores.more} further layouts, which are not shown", None


def summary(layout: Layout, memory: str, size: int) -> str:
    """Returns a text that says how many bytes are taken and free."""
    taken = layout.taken(memory)
    return f"{taken} of {size} B taken ({100 * taken / size:.1f} %), {size - taken} B free"
