# SPDX-License-Identifier: Apache-2.0
"""Draws docs/architecture.svg from docs/architecture.toml: boxes on a grid, and arrows between
them.

With --check it writes nothing and fails if the picture is outdated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SOURCE, PICTURE = "docs/architecture.toml", "docs/architecture.svg"
MARGIN, HEADER = 16, 40
#: Fill and border of each kind of box.
COLORS = {
    "ours": ("#e8f1fb", "#2f6db3"),
    "twin": ("#e9f6ec", "#2e8b57"),
    "made": ("#f4effa", "#7a52b3"),
    "card": ("#f2f2f2", "#777777"),
}


@dataclass(frozen=True)
class Box:
    """A rectangle of grid cells with a title and lines of text."""

    id: str
    at: tuple[int, int]
    size: tuple[int, int]
    kind: str
    title: str
    text: list[str] = field(default_factory=list)

    def place(self, cell: tuple[int, int]) -> tuple[float, float, float, float]:
        """Returns the left, top, right and bottom edges. There is a gap between boxes in
        neighbouring columns.
        """
        (column, row), (columns, rows), (width, height) = self.at, self.size, cell
        left, top = MARGIN + column * width, HEADER + row * height
        return left + 8, top, left + columns * width - 8, top + rows * height


def draw_box(box: Box, cell: tuple[int, int]) -> Iterator[str]:
    left, top, right, bottom = box.place(cell)
    fill, border = COLORS[box.kind]
    yield (
        f'<rect x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}" '
        f'rx="6" fill="{fill}" stroke="{border}"/>'
    )
    yield f'<text x="{left + 12:g}" y="{top + 24:g}" font-weight="bold">{escape(box.title)}</text>'
    for i, line in enumerate(box.text):
        yield f'<text x="{left + 12:g}" y="{top + 47 + 20 * i:g}">{escape(line)}</text>'


def ends(
    source: tuple[float, float, float, float], target: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """Returns the points where an arrow between two boxes begins and ends: x1, y1, x2, y2."""
    left, right = max(source[0], target[0]), min(source[2], target[2])
    top, bottom = max(source[1], target[1]), min(source[3], target[3])
    if left < right:
        x = (left + right) / 2
        return (
            (x, source[3], x, target[1]) if source[3] <= target[1] else (x, source[1], x, target[3])
        )
    if top < bottom:
        y = (top + bottom) / 2
        return (
            (source[2], y, target[0], y) if source[2] <= target[0] else (source[0], y, target[2], y)
        )
    raise ValueError(f"{SOURCE}: an arrow joins boxes that share neither columns nor rows")


def draw_arrow(
    boxes: dict[str, Box], arrow: dict[str, Any], cell: tuple[int, int]
) -> Iterator[str]:
    x1, y1, x2, y2 = ends(boxes[arrow["from"]].place(cell), boxes[arrow["to"]].place(cell))
    yield (
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="#444" '
        'marker-end="url(#head)"/>'
    )
    if "label" in arrow:
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        beside = f'x="{x + 8:g}" y="{y + 4:g}"'
        above = f'x="{x:g}" y="{y - 6:g}" text-anchor="middle"'
        yield (
            f'<text {above if y1 == y2 else beside} fill="#444" font-style="italic">'
            f"{escape(arrow['label'])}</text>"
        )


def draw(root: Path) -> str:
    data = tomllib.loads((root / SOURCE).read_text("utf-8"))
    cell = (data["cell"][0], data["cell"][1])
    boxes = {entry["id"]: Box(**entry) for entry in data["box"]}
    width = max(box.place(cell)[2] for box in boxes.values()) + MARGIN
    height = max(box.place(cell)[3] for box in boxes.values()) + MARGIN
    lines = [
        f"<!-- Made from {SOURCE} by tools/draw.py. -->",
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(data['title'])}</title>",
        '<defs><marker id="head" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="#444"/></marker></defs>',
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
        f'<text x="{MARGIN + 8}" y="25" font-size="16">{escape(data["title"])}</text>',
    ]
    for box in boxes.values():
        lines += draw_box(box, cell)
    for arrow in data["arrow"]:
        lines += draw_arrow(boxes, arrow, cell)
    return "\n".join([*lines, "</svg>"]) + "\n"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args(argv)
    picture = arguments.root / PICTURE
    text = draw(arguments.root)
    if not arguments.check:
        picture.write_text(text, "utf-8")
    elif not picture.is_file() or picture.read_text("utf-8") != text:
        print(f"{PICTURE}: outdated; run python tools/draw.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
