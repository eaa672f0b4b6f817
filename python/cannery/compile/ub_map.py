# SPDX-License-Identifier: Apache-2.0
"""Shows which buffer had which part of the local memories in a launch, as text and as a picture."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cannery.compile.ub_layout import (
    MOST_ROWS,
    Buffer,
    Cores,
    Layout,
    Piece,
    core_names,
    headings,
    letter,
    rows,
    summary,
)
from cannery.compile.ub_picture import LINE, Picture
from cannery.errors import CanneryError

__all__ = ["Buffer", "Cores", "Layout", "Piece", "UbMap", "read_ub_map"]

_CELLS = 48


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
    error: str = ""  #: message if the launch failed; the map then shows the moment of the failure
    #: number of cores after the failed core; the map does not contain these cores
    left_out: int = 0

    def memories(self, cores: Cores) -> tuple[str, ...]:
        """Returns the memories of this kind of core, and other memories in which the kernel created
        buffers on these cores.
        """
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
        """Returns a picture, as an SVG document."""
        return draw([self])

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the picture to a file."""
        save([self], file)

    def fields(self) -> dict[str, Any]:
        """Returns the map as fields for JSON."""
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
    """Writes one picture of several launches; raises ValueError unless the file ends with .svg."""
    path = Path(file)
    if path.suffix != ".svg":
        raise ValueError(f"ub_map: expected FILE.svg, got {str(file)!r}")
    path.write_text(draw(maps), encoding="utf-8")


def draw(maps: Sequence[UbMap]) -> str:
    """Returns a picture with all maps, one below another."""
    page = Picture()
    for number, whole in enumerate(maps):
        page.skip(0 if number == 0 else LINE)
        page.text(10, whole.title, size=15, bold=True)
        for cores in whole.cores:
            page.text(10, core_names(cores), bold=True)
            for heading, layout in headings(cores):
                if heading:
                    page.text(10, heading)
                if layout is not None:
                    for memory in whole.memories(cores):
                        page.memory(layout, memory, whole.sizes[memory])
        for line in whole.error.splitlines():
            page.text(10, line, colour="#b00020")
    return page.document()


def read_ub_map(file: str | os.PathLike[str]) -> list[UbMap]:
    """Returns the maps in a file that CANNERY_UB_MAP names, one for each launch.

    Raises CanneryError if the file has no maps or is cut short.
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
        # The exception has the whole message, so the map shows only its first line.
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
