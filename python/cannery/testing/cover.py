# SPDX-License-Identifier: Apache-2.0
"""Checks that the parts of the blocks cover every element of an operator's work exactly once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

__all__ = ["uncovered"]

#: A part of the work: (begin, end) in each of its dimensions.
Box = tuple[tuple[int, int], ...]


def uncovered(work: int | tuple[int, ...], blocks: Sequence[Any]) -> str:
    """Returns a text that says what is wrong; empty if the blocks cover everything exactly once.

    work: the number of elements, or a tuple with the extent of each dimension.
    blocks: the part of each block: (begin, end), a tuple with a (begin, end) for each dimension, a
    range, or a list of such parts.
    """
    extents = (work,) if isinstance(work, int) else tuple(work)
    boxes = [(box, block) for block, given in enumerate(blocks) for box in _boxes(given)]
    for box, block in boxes:
        if len(box) != len(extents):
            return f"block {block} has {_told(box)}; expected {len(extents)} pairs (begin, end)"
        for (begin, end), extent in zip(box, extents, strict=True):
            if not 0 <= begin <= end <= extent:
                return f"block {block} has {_told(box)}, which is not in {work}"
    boxes = [(box, block) for box, block in boxes if _volume(box)]
    if len(extents) == 1:
        return _line(extents[0], sorted((box[0], block) for box, block in boxes))
    return _space(extents, boxes)


def _boxes(given: Any) -> Iterator[Box]:
    if isinstance(given, range):
        if given.step == 1:
            yield ((given.start, max(given.start, given.stop)),)
        else:
            yield from (((at, at + 1),) for at in given)
    elif isinstance(given, list):
        for one in given:
            yield from _boxes(one)
    elif isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], int):
        yield (given,)
    elif isinstance(given, tuple):
        yield given
    else:
        raise TypeError(f"blocks: expected (begin, end), a range or a list of them, got {given!r}")


def _line(extent: int, pieces: Sequence[tuple[tuple[int, int], int]]) -> str:
    """Checks the parts of work with one dimension; they are sorted by their beginnings."""
    if not pieces:
        return "" if extent == 0 else f"0..{extent} is no block's"
    for ((_, end), block), ((begin, _), other) in pairwise(pieces):
        if begin > end:
            return f"{end}..{begin} of {extent} is no block's: block {block} ends before it"
        if begin < end:
            return f"{begin}..{end} of {extent} is of block {block} and of block {other}"
    (first, _), last = pieces[0][0], pieces[-1][0][1]
    if first > 0:
        return f"0..{first} of {extent} is no block's"
    return "" if last == extent else f"{last}..{extent} of {extent} is no block's"


def _space(extents: tuple[int, ...], boxes: Sequence[tuple[Box, int]]) -> str:
    open_: list[tuple[Box, int]] = []  # earlier boxes that end after `box` begins, in dimension 0
    for box, block in sorted(boxes):
        open_ = [(other, number) for other, number in open_ if other[0][1] > box[0][0]]
        for other_box, other in open_:
            both = tuple(
                (max(begin, start), min(end, stop))
                for (begin, end), (start, stop) in zip(box, other_box, strict=True)
            )
            if all(begin < end for begin, end in both):
                return f"{_told(both)} is of block {other} and of block {block}"
        open_.append((box, block))
    # The boxes are disjoint and inside the work. So they cover it if the sum of volumes is right.
    missing = math.prod(extents) - sum(_volume(box) for box, _ in boxes)
    return "" if missing == 0 else f"{missing} of {math.prod(extents)} pieces are no block's"


def _volume(box: Box) -> int:
    return math.prod(end - begin for begin, end in box)


def _told(box: Box) -> str:
    return " x ".join(f"{begin}..{end}" for begin, end in box)
