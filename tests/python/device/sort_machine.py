# SPDX-License-Identifier: Apache-2.0
"""Runs the sort functions on the twin, and on a model with lists of (score, index)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Pair = tuple[Any, int]

OPS = (
    *("sort32", "merge_info", "merge_counts", "sort_groups", "sort_all"),
    *("extract", "result", "sizes", "concat"),
)
KINDS = {"half": np.dtype(np.float16), "float": np.dtype(np.float32)}


@dataclass(frozen=True)
class Case:
    """Describes one call. Each operand is (first byte, number of bytes) in UB."""

    op: str
    dtype: str
    dst: tuple[int, int] = (0, 0)
    src: tuple[int, int] = (0, 0)
    index: tuple[int, int] = (0, 0)
    tmp: tuple[int, int] = (0, 0)
    lists: tuple[tuple[int, int], ...] = ((0, 0),) * 4
    lengths: tuple[int, ...] = (0, 0, 0, 0)
    valid: int = 15
    suspend: bool = False
    repeats: int = 1

    def pack(self, words: int) -> bytes:
        places = [
            p for place in (self.dst, self.src, self.index, self.tmp, *self.lists) for p in place
        ]
        numbers = (*places, *self.lengths, self.valid, int(self.suspend), self.repeats, words)
        return struct.pack("<26i", OPS.index(self.op), int(self.dtype == "half"), *numbers)


@dataclass
class Image:
    """Builds an image of UB operand by operand, with guard bytes after each operand."""

    rng: np.random.Generator
    data: Array = field(default_factory=lambda: np.zeros(0, np.uint8))

    def add(self, values: Array, align: int = 32) -> tuple[int, int]:
        start = -(-(len(self.data) + 32) // align) * align
        gap = self.rng.integers(0, 256, start - len(self.data), dtype=np.uint8)
        self.data = np.concatenate([self.data, gap, values.view(np.uint8)])
        return start, values.nbytes

    def room(self, nbytes: int) -> tuple[int, int]:
        return self.add(self.rng.integers(0, 256, nbytes, dtype=np.uint8))

    def finished(self) -> Array:
        tail = -(-(len(self.data) + 64) // 32) * 32 - len(self.data)
        return np.concatenate([self.data, self.rng.integers(0, 256, tail, dtype=np.uint8)])


def rank(score: Any) -> tuple[bool, float]:
    """Returns a sort key in which NaN is the largest number and zeros are equal."""
    return (bool(np.isnan(score)), 0.0 if np.isnan(score) else float(score))


def falling(pairs: list[Pair]) -> list[Pair]:
    """Sorts pairs by falling score; equal scores keep their order."""
    out: list[Pair] = []
    for pair in pairs:
        place = len(out)
        while place > 0 and rank(out[place - 1][0]) < rank(pair[0]):
            place -= 1
        out.insert(place, pair)
    return out


def merge(lists: list[list[Pair]], suspend: bool) -> tuple[list[Pair], list[int]]:
    """Merges lists; equal scores keep list order. `suspend` stops the merge when one list ends."""
    taken = [0] * len(lists)
    out: list[Pair] = []
    while any(t < len(part) for t, part in zip(taken, lists, strict=True)):
        if suspend and any(t == len(part) for t, part in zip(taken, lists, strict=True)):
            break
        heads = [
            (i, rank(part[t][0]))
            for i, (t, part) in enumerate(zip(taken, lists, strict=True))
            if t < len(part)
        ]
        largest = max(score for _, score in heads)
        chosen = next(i for i, score in heads if score == largest)
        out.append(lists[chosen][taken[chosen]])
        taken[chosen] += 1
    return out, taken


def encode(pairs: list[Pair], kind: np.dtype[Any]) -> Array:
    """Returns pairs as bytes in memory, with two zero bytes after a score of type half."""
    out = np.zeros((len(pairs), 8), np.uint8)
    if pairs:
        out[:, : kind.itemsize] = (
            np.array([p[0] for p in pairs], kind).view(np.uint8).reshape(len(pairs), -1)
        )
        out[:, 4:] = np.array([p[1] for p in pairs], np.uint32).view(np.uint8).reshape(-1, 4)
    return out.reshape(-1)


def decode(raw: Array, kind: np.dtype[Any]) -> list[Pair]:
    rows = raw.reshape(-1, 8)
    scores = np.ascontiguousarray(rows[:, : kind.itemsize]).view(kind)[:, 0]
    indices = np.ascontiguousarray(rows[:, 4:]).view(np.uint32)[:, 0]
    return list(zip(scores, (int(i) for i in indices), strict=True))


def bits(pairs: list[Pair]) -> list[tuple[bytes, int]]:
    return [(np.asarray(score).tobytes(), index) for score, index in pairs]


class SortMachine:
    """Runs the sort kernel of the fixtures on given bytes of UB."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def run(self, image: Array, case: Case) -> Array:
        out = np.full_like(image, 0xEE)
        self.kernel(1, image, out, tiling=case.pack(len(image) // 4))
        return out

    def check_only_changed(self, before: Array, after: Array, *places: tuple[int, int]) -> None:
        """Checks that only `places` and the last four words, which contain counts, have changed."""
        changed = before != after
        changed[-16:] = False
        for begin, nbytes in places:
            changed[begin : begin + nbytes] = False
        assert not changed.any(), f"byte {np.flatnonzero(changed)[0]} changed"

    def sort(
        self, op: str, dtype: str, scores: Array, indices: Array, rng: np.random.Generator
    ) -> list[Pair]:
        """Runs Sort32, Sort, or Concat and Sort32, and returns the pairs at dst."""
        image = Image(rng)
        src, index = image.add(scores), image.add(indices)
        dst = image.room(len(scores) * 8)
        tmp = image.room(len(scores) * 8 if op == "sort_all" else 0)
        case = Case(op, dtype, dst, src, index, tmp, repeats=len(scores) // 32)
        before = image.finished()
        after = self.run(before, case)
        self.check_only_changed(before, after, dst, tmp)
        return decode(after[dst[0] : sum(dst)], KINDS[dtype])

    def merge(
        self, case: Case, lists: list[list[Pair]], rng: np.random.Generator, repeats: int = 1
    ) -> tuple[list[Pair], list[int]]:
        """Merges up to four lists per repeat; returns the pairs at dst and the counts."""
        kind = KINDS[case.dtype]
        image = Image(rng)
        if repeats == 1:
            places = [image.add(encode(part, kind), align=8) for part in lists]
        else:
            whole = image.add(encode([p for part in lists for p in part], kind))
            size = len(lists[0]) * 8
            places = [(whole[0] + i * size, whole[1] - i * size) for i in range(4)]
        total = sum(len(part) for part in lists)
        if case.suspend:
            total = len(merge(lists, True)[0])
        dst = image.room(total * 8)
        lengths = [len(part) for part in lists[:4]] + [0] * 4
        case = replace(
            case,
            dst=dst,
            lists=(*places, *[(0, 0)] * 4)[:4],
            lengths=tuple(lengths[:4]),
            valid=2 ** min(len(lists), 4) - 1,
            repeats=repeats,
        )
        before = image.finished()
        after = self.run(before, case)
        self.check_only_changed(before, after, dst)
        told = [int(word) for word in after[-16:].view(np.uint32)]
        return decode(after[dst[0] : sum(dst)], kind), told
