# SPDX-License-Identifier: Apache-2.0
"""Computes the fields of tilings of normalizations from the meaning of the toolkit's fields."""

from __future__ import annotations

from typing import NamedTuple

Words = tuple[int | float, ...]


class Cut(NamedTuple):
    """Splits `total` elements into rounds of `once`. `total` and `once` are multiples of `row`."""

    total: int
    once: int
    row: int

    @property
    def tail(self) -> int:
        return self.total % self.once


def bsh(
    b: int, s: int, h: int, valid: int, size: int, rows: int, pieces: int = 3
) -> tuple[Words, int]:
    """Returns fields of LayerNormTiling or DeepNormTiling for `rows` rows at once, and the bytes
    of scratch."""
    cut = Cut(b * s * h, min(rows, b * s) * h, h)
    stats = (b * s + 7) // 8 * 8
    first = 0 if size == 4 else 2 * stats
    scratch = first + pieces * cut.once
    words = (
        b, s, h, valid, cut.total, b * s, pieces, 0, stats, stats, stats, scratch, cut.once, first,
        first + cut.once, first + 2 * cut.once, cut.total // cut.once, cut.once, cut.tail,
        cut.total - cut.tail, cut.once // h, cut.tail // h, b * s - cut.tail // h, cut.once,
        cut.once // h, 1.0 / valid,
    )  # fmt: skip
    return words, 4 * scratch


def separate(a: int, r: int, pitch: int, rows: int) -> tuple[Words, int]:
    """Returns the fields of LayerNormSeparateTiling and the bytes of scratch."""
    cut = Cut(a * pitch, min(rows, a) * pitch, pitch)
    stats = (a + 7) // 8 * 8
    scratch = stats + max(2 * cut.once, 4 * pitch)
    words = (
        a, r, 0, 0, 0.0, 0.0, cut.total, a, 2, 0, stats, scratch, cut.once, stats,
        stats + cut.once, 0, cut.total // cut.once, cut.once, cut.tail, cut.total - cut.tail,
        cut.once // pitch, cut.tail // pitch, a - cut.tail // pitch, cut.once, cut.once // pitch,
        1.0 / r,
    )  # fmt: skip
    return words, 4 * scratch


def rms(b: int, s: int, h: int, valid: int, size: int, rows: int) -> tuple[Words, int]:
    """Returns the fields of RmsNormTiling and the bytes of scratch."""
    rows = min(rows, b * s)
    full, tail = divmod(b * s, rows)
    align = (rows + 7) // 8 * 8
    words = (
        b, s, h, valid, 1.0 / valid, rows * h, rows, align, full, full * rows * h, tail * h, tail
    )  # fmt: skip
    return words, 4 * (align + rows * h * (1 if size == 4 else 2))


def batch(b: int, columns: int, size: int, once: int) -> tuple[Words, int]:
    """Returns the fields of BatchNormTiling for `once` columns at a time, and the scratch bytes."""
    once = min(once, columns)
    full, tail = divmod(columns, once)
    stats = 0 if size == 4 else 2 * ((columns + 7) // 8 * 8)
    piece = once * b
    scratch = stats + 3 * piece
    words = (
        b, columns, 0, (columns + 7) // 8 * 8, scratch, piece, stats, stats + piece,
        stats + 2 * piece, full, tail * b, full * once, tail, full * once, piece, once, 1.0 / b,
        4, once // 8, columns // 16,
    )  # fmt: skip
    return words, 4 * scratch


def group(
    n: int, c: int, hw: int, g: int, size: int, rows: int, pieces: int = 3
) -> tuple[Words, int]:
    """Returns the fields of GroupNormTiling for `rows` groups at once, and the scratch bytes."""
    align = (hw * size + 31) // 32 * 32 // size
    d = c // g
    cut = Cut(n * c * align, min(rows, n * g) * d * align, d * align)
    stats = (n * g + 7) // 8 * 8
    first = 0 if size == 4 else 2 * stats
    scratch = first + pieces * cut.once
    words = (
        n, c, hw, g, d, align, cut.row, cut.total, n * g, pieces, 0, stats, stats, stats, scratch,
        cut.once, first, first + cut.once, first + 2 * cut.once, cut.total // cut.once, cut.once,
        cut.tail, cut.total - cut.tail, cut.once // cut.row, cut.tail // cut.row,
        n * g - cut.tail // cut.row, cut.once, cut.once // cut.row, 1.0 / (d * hw), 0,
    )  # fmt: skip
    return words, 4 * scratch


def grad(
    b: int, s: int, h: int, valid: int, size: int, rows: int, reuse: bool
) -> tuple[Words, int]:
    """Returns the fields of LayerNormGradTiling and the bytes of scratch. Unused fields are 0."""
    pieces = 9 if size == 2 else 4 if reuse else 6
    once = rows * h
    scratch = 4 * pieces * once
    full, tail = divmod(b * s * h, once)
    words = (
        scratch, b, s, h, valid, once, rows, full, tail, tail // h, *[0] * 18, 1.0 / valid,
        2.0 / valid,
    )  # fmt: skip
    return words, scratch


def grad_beta(b: int, s: int, h: int, size: int, rows: int) -> tuple[Words, int]:
    """Returns the fields of LayerNormGradBetaTiling and the bytes of scratch."""
    cut = Cut(b * s * h, min(rows, b * s) * h, h)
    last = 2 * h + cut.once if size == 2 else 0
    scratch = last + cut.once
    words = (
        scratch, b, s, h, h, cut.total, b * s, cut.once, 2 if size == 2 else 1,
        cut.total // cut.once, cut.tail, cut.total - cut.tail, cut.tail // h, cut.once,
        cut.once // h, 0, h if size == 2 else 0, 2 * h if size == 2 else 0, last, 0,
    )  # fmt: skip
    return words, 4 * scratch
