# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/performance.md, and the picture of ratios against sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kernels.grid import AWKWARD

__all__ = ["write_page"]

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "performance.md"
PICTURE = DOCS / "performance.svg"

Figures = Mapping[str, Any]
Table = Mapping[str, Mapping[str, Figures]]

_HEADER = (
    "| launch | modelled us | roofline us | ratio | what is busiest | HBM | GM | balance |\n"
    "|---|---|---|---|---|---|---|---|\n"
)


def write_page(table: Table, ratio: Callable[[Any], float], misses: Callable[[Any], bool]) -> None:
    """Replaces the part between "<!-- OP -->" and "<!-- end -->" for each operator of `table`."""
    text = PAGE.read_text(encoding="utf-8")
    for op, rows in table.items():
        before, start, rest = text.partition(f"<!-- {op} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not start or not end:
            raise SystemExit(f"{PAGE}: expected <!-- {op} --> and then <!-- end -->")
        lines = [_row(name, each, ratio, misses) for name, each in rows.items()]
        text = before + start + _HEADER + "".join(lines) + end + after
    PAGE.write_text(text, encoding="utf-8")
    PICTURE.write_text(_picture(table), encoding="utf-8")


def _row(
    name: str, each: Figures, ratio: Callable[[Any], float], misses: Callable[[Any], bool]
) -> str:
    kind = "" if each["kind"] == AWKWARD else f"{each['kind']}: "
    mark = " (!)" if misses(each) else ""
    return (
        f"| {kind}{name} | {each['us']:.1f} | {each['ideal_us']:.1f} ({each['ideal_term']}) | "
        f"{ratio(each):.2f}{mark} | {each['binds']} {each['share']:.0%} | {each['hbm']:.2f} | "
        f"{each['gm']:.2f} | {each['balance']:.2f} |\n"
    )


_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 800, 360, 56, 16, 48
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
_LEGEND = 300
_LEAST_BYTES = 100_000  # a launch with fewer bytes lasts as long as its start


def _picture(table: Table) -> str:
    """Returns an SVG with a point for each launch: its bytes, and its ratio to the roofline."""
    points = [
        (i, each["bytes"], each["us"] / each["ideal_us"])
        for i, rows in enumerate(table.values())
        for each in rows.values()
        if each["bytes"] >= _LEAST_BYTES
    ]
    low = math.floor(math.log10(min(each[1] for each in points)))
    high = math.ceil(math.log10(max(each[1] for each in points)))
    top = math.ceil(math.log10(max(each[2] for each in points)))

    def x(count: float) -> float:
        return _LEFT + (math.log10(count) - low) / (high - low) * (_WIDTH - _LEFT - _LEGEND)

    def y(value: float) -> float:
        height = _HEIGHT - _TOP - _BOTTOM
        return _TOP + height * (1 - math.log10(value) / top)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12" role="img" '
        'aria-label="Modelled time divided by roofline, against the bytes of the launch">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
    ]
    for power in range(low, high + 1):
        at = x(10.0**power)
        parts.append(f'<path d="M{at:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#ddd"/>')
        parts.append(_text(at, _HEIGHT - _BOTTOM + 16, _bytes(power), "middle"))
    for value in (each for p in range(top) for each in (10**p, 2 * 10**p, 5 * 10**p)):
        parts.append(f'<path d="M{_LEFT} {y(value):.1f}H{_WIDTH - _LEGEND}" stroke="#ddd"/>')
        parts.append(_text(_LEFT - 6, y(value) + 4, f"{value} x", "end"))
    for i, count, value in points:
        place = f'cx="{x(count):.1f}" cy="{y(value):.1f}"'
        parts.append(f'<circle {place} r="3.5" fill="{_COLOURS[i]}" fill-opacity="0.8"/>')
    for i, op in enumerate(table):
        at = _TOP + 18 * i + 8
        parts.append(f'<circle cx="{_WIDTH - _LEGEND + 16}" cy="{at}" r="4" fill="{_COLOURS[i]}"/>')
        parts.append(_text(_WIDTH - _LEGEND + 26, at + 4, op, "start"))
    middle = (_LEFT + _WIDTH - _LEGEND) / 2
    parts.append(_text(middle, _HEIGHT - 10, "bytes that the launch must move", "middle"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _bytes(power: int) -> str:
    unit = ("B", "kB", "MB", "GB", "TB")[power // 3]
    return f"{10 ** (power % 3)} {unit}"
