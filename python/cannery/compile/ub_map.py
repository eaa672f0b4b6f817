# SPDX-License-Identifier: Apache-2.0
"""Who had which part of the local memories in a launch, as text and as a picture."""

from __future__ import annotations

import itertools
import json
import os
import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cannery.errors import CanneryError

__all__ = ["Buffer", "Cores", "Layout", "Piece", "UbMap", "read_ub_map"]

_CELLS = 48
MOST_ROWS = 64  #: of a memory, in lists
_LETTERS = string.digits + string.ascii_lowercase + string.ascii_uppercase + "@$"


@dataclass(frozen=True)
class Piece:
    """Bytes of a memory."""

    memory: str
    begin: int
    bytes: int

    @property
    def end(self) -> int:
        """One behind the last."""
        return self.begin + self.bytes


@dataclass(frozen=True)
class Buffer(Piece):
    """A buffer of a queue (its slot), a TBuf, or a LocalTensor at an address of its own."""

    touched: int  #: bytes of it, in blocks of 32, that instructions read or wrote
    queue: int  #: in order of InitBuffer
    slot: int
    kind: str  #: "VECIN", "VECOUT", "TBuf", "LocalTensor"
    file: str
    line: int  #: of InitBuffer


@dataclass(frozen=True)
class Layout:
    """Buffers that existed at the same time: from the first InitBuffer on, or from the first one
    after a Reset, until the next Reset or the end of the pipe.
    """

    times: int  #: it existed so often
    buffers: tuple[Buffer, ...]
    loose: tuple[Piece, ...]  #: touched by instructions, and of no buffer

    def taken(self, memory: str) -> int:
        """Bytes that buffers cover."""
        return sum(piece.bytes for piece in _union(b for b in self.buffers if b.memory == memory))

    def free(self, memory: str, size: int) -> tuple[Piece, ...]:
        """What no buffer covers."""
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
    names: tuple[str, ...]  #: "3 AIV"; the second vector core of a block is "3 AIV1"
    layouts: tuple[Layout, ...]
    more: int  #: further layouts that were not kept
    _most: dict[str, int]
    _last: dict[str, int]

    def most(self, memory: str) -> int:
        """Bytes that buffers covered at most, at one time."""
        return self._most[memory]

    def last(self, memory: str) -> int:
        """The same of the layout that came last: what was there at the end."""
        return self._last[memory]


@dataclass(frozen=True)
class UbMap:
    """The local memories of one launch. `print` shows it; `svg()` and `save(FILE.svg)` draw it."""

    kernel: str
    kernel_type: str
    tiling_key: int
    block_dim: int
    soc: str
    sizes: dict[str, int]  #: bytes of each memory that the kernel may use
    cores: tuple[Cores, ...]
    error: str = ""  #: of a launch that failed: the memories are those of that moment
    left_out: int = 0  #: cores above the one that failed: how far they came is up to the schedule

    def memories(self, cores: Cores) -> tuple[str, ...]:
        """What cores of this kind have, and what they only allocate in."""
        own = [name for name in self.sizes if (name == "UB") == (cores.kind == "AIV")]
        used = {buffer.memory for layout in cores.layouts for buffer in layout.buffers}
        return tuple(name for name in self.sizes if name in own or name in used)

    @property
    def title(self) -> str:
        blocks = f"{self.block_dim} block{'s' if self.block_dim > 1 else ''}"
        key = f"tiling key {self.tiling_key}"
        return f"{self.kernel}, {key}, {blocks}, {self.kernel_type} on {self.soc}"

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def svg(self) -> str:
        """A picture: a whole SVG document."""
        from cannery.compile.ub_map_svg import draw

        return draw([self])

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the picture."""
        save([self], file)

    def fields(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "kernel": self.kernel,
            "kernel_type": self.kernel_type,
            "tiling_key": self.tiling_key,
            "block_dim": self.block_dim,
            "soc": self.soc,
            "error": self.error,
            "left_out": self.left_out,
            "memories": self.sizes,
            "cores": [_fields(self, cores) for cores in self.cores],
        }


def save(maps: Sequence[UbMap], file: str | os.PathLike[str]) -> None:
    """One picture of several launches; ValueError for a file of another kind."""
    from cannery.compile.ub_map_svg import draw

    path = Path(file)
    if path.suffix != ".svg":
        raise ValueError(f"ub_map: expected FILE.svg, got {str(file)!r}")
    path.write_text(draw(maps), encoding="utf-8")


def read_ub_map(file: str | os.PathLike[str]) -> list[UbMap]:
    """The maps in a file that CANNERY_UB_MAP names, one for each launch.

    Raises CanneryError when the file is none or is cut short.
    """
    path = Path(file)
    try:
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        return [_map_of(json.loads(line)) for line in lines]
    except OSError as error:
        raise CanneryError(f"file: {path} cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError) as error:
        raise CanneryError(
            f"file: {path} is no map of launches, or is cut short ({error})"
        ) from None


def _map_of(record: dict[str, Any]) -> UbMap:
    return UbMap(
        *(record["kernel"], record["kernel_type"], record["tiling_key"], record["block_dim"]),
        *(record["soc"], dict(record["memories"])),
        tuple(
            Cores(
                cores["kind"],
                tuple(cores["names"]),
                tuple(_layout_of(layout) for layout in cores["layouts"]),
                cores["more"],
                dict(cores["most"]),
                dict(cores["last"]),
            )
            for cores in record["cores"]
        ),
        record["message"],
        record["left_out"],
    )


def _layout_of(record: dict[str, Any]) -> Layout:
    buffers = sorted(
        (Buffer(**buffer) for buffer in record["buffers"]),
        key=lambda buffer: (buffer.memory, buffer.begin, buffer.queue, buffer.slot),
    )
    return Layout(record["times"], tuple(buffers), tuple(Piece(**p) for p in record["loose"]))


def _union(pieces: Iterable[Piece]) -> list[Piece]:
    """Apart from each other, in order."""
    merged: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: piece.begin):
        if merged and piece.begin <= merged[-1].end:
            end = max(piece.end, merged[-1].end)
            merged[-1] = Piece(piece.memory, merged[-1].begin, end - merged[-1].begin)
        else:
            merged.append(Piece(piece.memory, piece.begin, piece.bytes))
    return merged


def _fields(whole: UbMap, cores: Cores) -> dict[str, Any]:
    memories = whole.memories(cores)
    return {
        "kind": cores.kind,
        "names": list(cores.names),
        "most": {memory: cores.most(memory) for memory in memories},
        "last": {memory: cores.last(memory) for memory in memories},
        "more": cores.more,
        "layouts": [
            {
                "times": layout.times,
                "buffers": [vars(buffer) for buffer in layout.buffers],
                "free": [
                    vars(piece)
                    for memory in memories
                    for piece in layout.free(memory, whole.sizes[memory])
                ],
                "loose": [vars(piece) for piece in layout.loose],
            }
            for layout in cores.layouts
        ],
    }


# --- as text ---


def letter(buffer: Buffer) -> str:
    """That stands for its queue in bars, as in messages."""
    return _LETTERS[buffer.queue % len(_LETTERS)]


@dataclass(frozen=True)
class Row:
    """Buffers of one queue that follow each other, or a piece that is free or of no buffer."""

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
    """All of a memory, in order of addresses."""
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


def _bar(layout: Layout, memory: str, size: int) -> str:
    cells = []
    for cell in range(_CELLS):
        low, high = size * cell // _CELLS, size * (cell + 1) // _CELLS
        middle = (low + high) // 2
        inside = [b for b in layout.buffers if _covers(b, memory, low, high)]
        best = next((b for b in inside if b.begin <= middle < b.end), inside[0] if inside else None)
        loose = any(_covers(piece, memory, low, high) for piece in layout.loose)
        cells.append(letter(best) if best else "+" if loose else ".")
    return "".join(cells)


def _covers(piece: Piece, memory: str, low: int, high: int) -> bool:
    return piece.memory == memory and piece.begin < high and piece.end > low


def core_names(cores: Cores) -> str:
    """For example 8 AIV: 0 AIV to 7 AIV."""
    first, last = cores.names[0], cores.names[-1]
    return f"{len(cores.names)} {cores.kind}: {first}" + (f" to {last}" if last != first else "")


def headings(cores: Cores) -> Iterator[tuple[str, Layout | None]]:
    """Layouts with what tells them apart, an empty one where nothing was placed; None: not kept."""
    count = len(cores.layouts)
    for number, layout in enumerate(cores.layouts or (Layout(0, (), ()),), 1):
        times = f", {layout.times} times" if layout.times > 1 else ""
        yield (f"layout {number} of {count}{times}" if count > 1 or times else ""), layout
    if cores.more:
        yield f"and {cores.more} further layouts, which are not shown", None


def summary(layout: Layout, memory: str, size: int) -> str:
    """What is taken and what is free."""
    taken = layout.taken(memory)
    return f"{taken} of {size} B taken ({100 * taken / size:.1f} %), {size - taken} B free"


def _lines(whole: UbMap) -> Iterator[str]:
    yield whole.title
    for cores in whole.cores:
        yield core_names(cores)
        memories = whole.memories(cores)
        if len(cores.layouts) > 1:
            for memory in memories:
                if cores.most(memory):
                    most, last = cores.most(memory), cores.last(memory)
                    yield f"  {memory}: at most {most} B taken at once, {last} B at the end"
        for heading, layout in headings(cores):
            if heading:
                yield f"  {heading}"
            if layout is not None:
                for memory in memories:
                    yield from _memory_lines(layout, memory, whole.sizes[memory])
    yield from _failure_lines(whole)


def _failure_lines(whole: UbMap) -> Iterator[str]:
    if whole.left_out:
        many = "the core" if whole.left_out == 1 else f"the {whole.left_out} cores"
        yield f"without {many} above the one that failed: how far they came depends on the schedule"
    if whole.error:
        # The rest of it is said by the exception.
        yield f"failed, and the memories were these: {whole.error.splitlines()[0]}"


def _memory_lines(layout: Layout, memory: str, size: int) -> Iterator[str]:
    bar = _bar(layout, memory, size)
    yield f"  {memory:3} |{bar}| {summary(layout, memory, size)}"
    found = rows(layout, memory, size)
    if all(row.mark == "." for row in found):
        return
    for row in found[:MOST_ROWS]:
        yield f"      {row.mark}  0x{row.begin:05x}  {row.bytes:>14}  {row.what}"
    if len(found) > MOST_ROWS:
        yield f"      ... and {len(found) - MOST_ROWS} more"
