# SPDX-License-Identifier: Apache-2.0
"""Draws how local memories are divided, as an SVG document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from cannery.compile.ub_layout import MOST_ROWS, Buffer, Layout, Row, letter, rows, summary

__all__ = ["LINE", "Picture"]

_WIDTH = 960
_LEFT = 70
_BAR_WIDTH = _WIDTH - _LEFT - 20
_BAR_HEIGHT = 28
LINE = 18  #: height of a line of text
_WIDE = 0.61  #: width of a character, relative to the size of its font
_FREE = "#f4f4f4"
_LOOSE = "#9a9a9a"
_COLOURS = (
    *("#8ecae6", "#ffb703", "#90be6d", "#f4978e", "#cdb4db", "#f9dc5c"),
    *("#7fc8a9", "#e5989b", "#a3b18a", "#89c2d9", "#f2a65a", "#b8b8ff"),
)
# Matches the characters that XML cannot contain.
_NO_TEXT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Picture:
    """A picture that grows downwards: each call adds something below the earlier parts."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._y = 10

    def skip(self, height: int) -> None:
        self._y += height

    def text(
        self, x: float, text: str, size: int = 12, bold: bool = False, colour: str = "#222"
    ) -> None:
        """Adds a text, in as many lines as it needs."""
        most = int((_WIDTH - 10 - x) / (_WIDE * size))
        for at in range(0, max(len(text), 1), most):
            self._y += max(LINE, size + 6)
            self._label(x, self._y, text[at : at + most], size, bold, colour)

    def memory(self, layout: Layout, memory: str, size: int) -> None:
        """Adds a bar for a memory, and below it a list of its buffers."""
        self.text(_LEFT, summary(layout, memory, size))
        top = self._y + 5
        self._label(10, top + 19, memory, 14, True, "#222")
        self._rectangle(_LEFT, top, _BAR_WIDTH, _FREE, f"{memory}, {size} B")
        listed = [row for row in rows(layout, memory, size) if row.mark != "."]
        # Touched bytes outside of buffers are drawn first, so that buffers cover them.
        for row in sorted(listed, key=lambda row: row.mark != "+"):
            for piece in row.pieces:
                x = _LEFT + _BAR_WIDTH * piece.begin / size
                width = _BAR_WIDTH * min(piece.bytes, max(size - piece.begin, 0)) / size
                hint = f"0x{piece.begin:x} to 0x{piece.end:x}, {piece.bytes} B: {row.what}"
                self._rectangle(x, top, width, _colour(row), hint)
                if isinstance(piece, Buffer):
                    self._used(piece, x, top, width)
                    self._label_inside(piece, x, top, width)
        self._y = top + _BAR_HEIGHT
        self._scale(size)
        for line in _listed(listed):
            self.text(_LEFT + 18, line[1])
            self._swatch(line[0])
        self.skip(6)

    def document(self) -> str:
        height = self._y + 20
        return "\n".join(
            [
                '<?xml version="1.0" encoding="UTF-8"?>',
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
                f'viewBox="0 0 {_WIDTH} {height}" font-family="monospace">',
                '<rect width="100%" height="100%" fill="#ffffff"/>',
                *self._parts,
                "</svg>\n",
            ]
        )

    def _scale(self, size: int) -> None:
        self._y += 12
        self._label(_LEFT, self._y, "0x0", 10, False, "#777")
        end = f"0x{size:x}"
        at = _LEFT + _BAR_WIDTH - len(end) * 6.1
        self._label(at, self._y, end, 10, False, "#777")

    def _used(self, buffer: Buffer, x: float, top: int, width: float) -> None:
        """Draws a line at the bottom of a buffer. Its length shows the share of the buffer's bytes
        that instructions touched.
        """
        share = width * buffer.touched / buffer.bytes if buffer.bytes else 0
        if share > 0:
            self._parts.append(
                f'<rect x="{x:.2f}" y="{top + _BAR_HEIGHT - 4}" width="{share:.2f}" height="4" '
                'fill="#333" fill-opacity="0.55"/>'
            )

    def _label_inside(self, buffer: Buffer, x: float, top: int, width: float) -> None:
        for text in (f"{buffer.kind} #{buffer.queue}[{buffer.slot}]", letter(buffer)):
            if len(text) * _WIDE * 12 + 6 < width:
                self._label(x + 3, top + 17, text, 12, False, "#222")
                return

    def _swatch(self, colour: str | None) -> None:
        if colour is not None:
            self._parts.append(
                f'<rect x="{_LEFT}" y="{self._y - 10}" width="12" height="12" fill="{colour}" '
                'stroke="#555" stroke-width="0.5"/>'
            )

    def _rectangle(self, x: float, y: int, width: float, colour: str, hint: str) -> None:
        self._parts.append(
            f'<rect x="{x:.2f}" y="{y}" width="{max(width, 0.5):.2f}" height="{_BAR_HEIGHT}" '
            f'fill="{colour}" stroke="#555" stroke-width="0.5"><title>{_safe(hint)}</title></rect>'
        )

    def _label(self, x: float, y: float, text: str, size: int, bold: bool, colour: str) -> None:
        weight = ' font-weight="bold"' if bold else ""
        self._parts.append(
            f'<text x="{x:.2f}" y="{y}" font-size="{size}"{weight} fill="{colour}" '
            f'xml:space="preserve">{_safe(text)}</text>'
        )


def _listed(found: Sequence[Row]) -> Iterator[tuple[str | None, str]]:
    for row in found[:MOST_ROWS]:
        yield _colour(row), f"{row.mark}  0x{row.begin:05x}  {row.bytes:>14}  {row.what}"
    if len(found) > MOST_ROWS:
        yield None, f"... and {len(found) - MOST_ROWS} more"


def _colour(row: Row) -> str:
    first = row.pieces[0]
    return _COLOURS[first.queue % len(_COLOURS)] if isinstance(first, Buffer) else _LOOSE


def _safe(text: str) -> str:
    return escape(_NO_TEXT.sub("?", text))
