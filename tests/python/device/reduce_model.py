# SPDX-License-Identifier: Apache-2.0
"""Models reductions in NumPy: the effect of one call on an image of UB."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

GROUPS = ("BlockReduceSum", "BlockReduceMax", "BlockReduceMin", "PairReduceSum")
EXTREMES = ("WholeReduceMax", "WholeReduceMin")
ALIASES = {
    "ReduceRepeatSum": "WholeReduceSum",
    "ReduceRepeatMax": "WholeReduceMax",
    "ReduceRepeatMin": "WholeReduceMin",
    "ReduceDataBlockSum": "BlockReduceSum",
    "ReduceDataBlockMax": "BlockReduceMax",
    "ReduceDataBlockMin": "BlockReduceMin",
    "ReducePairElem": "PairReduceSum",
    "RepeatReduceSum": "WholeReduceSum",
}
STEPS = ("ReduceSum", "ReduceMax", "ReduceMin")
OPS = (*GROUPS, "WholeReduceSum", *EXTREMES, *ALIASES, *STEPS)
FORMS = ("count", "mask_count", "mask_bits", "register")
VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX = range(4)


@dataclass(frozen=True)
class Case:
    """Describes one call. Operands are byte offsets in UB; their sizes are in bytes."""

    op: str
    dtype: str
    form: str = "count"
    count: int = 0
    repeats: int = 1
    low: int = 0
    high: int = 0
    dst: int = 0
    src: int = 0
    work: int = 0
    dst_bytes: int = 0
    src_bytes: int = 0
    work_bytes: int = 0
    dst_rep: int = 1
    src_blk: int = 1
    src_rep: int = 8
    order: int = VALUE_INDEX
    index: bool = False
    counter: bool = False
    registers: int = 0
    saturate: bool = False

    def pack(self, words: int) -> bytes:
        """Returns the bytes of the kernel's ReduceCase."""
        numbers = (
            *(OPS.index(self.op), int(self.dtype == "half"), FORMS.index(self.form), self.count),
            *(self.repeats, self.dst, self.src, self.work),
            *(self.dst_bytes, self.src_bytes, self.work_bytes),
            *(self.dst_rep, self.src_blk, self.src_rep, self.order, int(self.index)),
            *(int(self.counter), self.registers, int(self.saturate), words),
        )
        return struct.pack("<20i2Q", *numbers, self.low, self.high)

    @property
    def kind(self) -> np.dtype[Any]:
        return np.dtype(np.float16 if self.dtype == "half" else np.float32)

    @property
    def lanes(self) -> int:
        return 256 // self.kind.itemsize

    @property
    def name(self) -> str:
        return ALIASES.get(self.op, self.op)

    @property
    def unit(self) -> int:
        """Returns the number of bytes for each unit of dstRepStride."""
        size = self.kind.itemsize
        if self.name.startswith("Block"):
            return 8 * size
        if self.name.startswith("Pair"):
            return 128
        if self.name == "WholeReduceSum" or self.order == ONLY_VALUE:
            return size
        return 4 if self.order == ONLY_INDEX else 2 * size

    def active(self) -> Iterator[tuple[int, Array]]:
        """Yields each repeat with a mask of its active elements, in the hardware's order."""
        elements = np.arange(self.lanes)
        total = self.count if self.form == "count" else self.low if self.counter else None
        if self.counter and self.form == "mask_count":
            total = self.count
        if total is not None:
            for repeat in range(-(-total // self.lanes)):
                yield repeat, elements + repeat * self.lanes < total
            return
        if self.form == "mask_count":
            chosen = elements < self.count
        else:
            mask = self.low | self.high << 64
            chosen = np.array([mask >> int(e) & 1 for e in elements], bool)
        for repeat in range(self.repeats):
            yield repeat, chosen

    def source(self, repeat: int, active: Array) -> Array:
        """Returns the byte addresses of the active elements of a repeat."""
        size = self.kind.itemsize
        element = np.flatnonzero(active)
        block, inside = element // (32 // size), element % (32 // size)
        return self.src + repeat * self.src_rep * 32 + block * self.src_blk * 32 + inside * size


def read(image: Array, places: Array, kind: np.dtype[Any]) -> Array:
    return np.ascontiguousarray(image[places[:, None] + np.arange(kind.itemsize)]).view(kind)[:, 0]


def load(image: Array, case: Case, repeat: int, active: Array) -> Array:
    """Returns the elements of a repeat. Elements that the mask excludes are zero."""
    values = np.zeros(case.lanes, case.kind)
    values[active] = read(image, case.source(repeat, active), case.kind)
    return values


def finite(values: Array, saturate: bool) -> Array:
    """Replaces infinities and NaN in half, as saturation mode does."""
    if not saturate or values.dtype != np.float16:
        return values
    return np.nan_to_num(values, nan=0.0, posinf=65504, neginf=-65504)


def tree(values: Array, active: Array, saturate: bool) -> tuple[Array, Array]:
    """Adds each pair of neighbours once in the element type; a lone element is copied."""
    a, b = values[0::2], values[1::2]
    has_a, has_b = active[0::2], active[1::2]
    with np.errstate(all="ignore"):
        both = (a + b).astype(values.dtype)
    sums = np.where(has_a & has_b, both, np.where(has_a, a, b))
    return finite(sums, saturate), has_a | has_b


def total(values: Array, active: Array, saturate: bool = False) -> Any:
    while len(values) > 1:
        values, active = tree(values, active, saturate)
    return values[0]


def best(values: Array, active: Array, largest: bool) -> int:
    """Returns the index of the first NaN, or else of the first largest or smallest element."""
    chosen = -1
    for place in np.flatnonzero(active):
        value, held = values[place], values[chosen]
        better = bool(value > held if largest else value < held) or bool(np.isnan(value))
        if chosen < 0 or (better and not np.isnan(held)):
            chosen = int(place)
    return chosen


def put(image: Array, place: int, value: Any) -> None:
    image[place : place + value.nbytes] = np.frombuffer(value.tobytes(), np.uint8)


def bits(index: int, size: int) -> Any:
    return np.uint16(index & 0xFFFF) if size == 2 else np.uint32(index)


def store_extreme(image: Array, case: Case, place: int, value: Any, index: int) -> None:
    size = case.kind.itemsize
    if case.order == ONLY_INDEX:
        put(image, place, np.uint32(index))
    elif case.order == INDEX_VALUE:
        put(image, place, bits(index, size))
        put(image, place + size, value)
    else:
        put(image, place, value)
        if case.order == VALUE_INDEX:
            put(image, place + size, bits(index, size))


def reduce_groups(image: Array, case: Case, place: int, values: Array, active: Array) -> None:
    width = 2 if case.name.startswith("Pair") else 32 // case.kind.itemsize
    for group in range(case.lanes // width):
        part = slice(group * width, group * width + width)
        if not active[part].any():
            continue
        if case.name.endswith("Sum"):
            result = total(values[part], active[part], case.saturate)
        else:
            index = best(values[part], active[part], case.name.endswith("Max"))
            result = finite(values, case.saturate)[part][index]
        put(image, place + group * case.kind.itemsize, result)


def in_one_step(image: Array, case: Case) -> None:
    for repeat, active in case.active():
        if not active.any():
            continue
        values = load(image, case, repeat, active)
        place = case.dst + repeat * case.dst_rep * case.unit
        if case.name in GROUPS:
            reduce_groups(image, case, place, values, active)
        elif case.name == "WholeReduceSum":
            put(image, place, total(values, active, case.saturate))
        else:
            index = best(values, active, case.name.endswith("Max"))
            store_extreme(image, case, place, finite(values, case.saturate)[index], index)


def in_steps(image: Array, case: Case) -> None:
    """Models the results of ReduceSum, ReduceMax and ReduceMin, but not the contents of the work
    buffer."""
    repeats = [(r, a, load(image, case, r, a)) for r, a in case.active() if a.any()]
    if not repeats:
        return
    if case.op == "ReduceSum":
        sums = np.array([total(v, active, case.saturate) for _, active, v in repeats], case.kind)
        if case.form in ("mask_count", "mask_bits"):
            put(image, case.dst, tree_of_sums(sums, case))
            return
        result = sums[0]
        with np.errstate(all="ignore"):
            for value in sums[1:]:
                result = finite((result + value).astype(case.kind), case.saturate)
        put(image, case.dst, result)
        return
    largest = case.op == "ReduceMax"
    winners = [(r, best(values, active, largest)) for r, active, values in repeats]
    values = np.array([v[i] for (_, _, v), (_, i) in zip(repeats, winners, strict=True)])
    winner = best(values, np.ones(len(values), bool), largest)
    repeat, index = winners[winner]
    put(image, case.dst, finite(values, case.saturate)[winner])
    if case.index:
        index += repeat * case.src_rep * (32 // case.kind.itemsize)
        put(image, case.dst + case.kind.itemsize, bits(index, case.kind.itemsize))


def tree_of_sums(sums: Array, case: Case) -> Any:
    while len(sums) > 1:
        level = []
        for start in range(0, len(sums), case.lanes):
            group = sums[start : start + case.lanes]
            present = np.arange(case.lanes) < len(group)
            padded = np.pad(group, (0, case.lanes - len(group)))
            level.append(total(padded, present, case.saturate))
        sums = np.array(level, sums.dtype)
    return sums[0]


def simulate(image: Array, case: Case) -> Array:
    """Returns the bytes of UB after the call. The bytes of the work buffer stay unchanged."""
    image = image.copy()
    (in_steps if case.op in STEPS else in_one_step)(image, case)
    return image


def work_elements(case: Case) -> int:
    """Returns the number of work buffer elements that the API documentation requires."""
    lanes, per_block = case.lanes, 32 // case.kind.itemsize
    repeats = max(case.count // lanes, 1) if case.form == "count" else case.repeats

    def aligned(count: int) -> int:
        return -(-count // per_block) * per_block

    if case.op == "ReduceSum":
        return 0 if case.form in ("count", "register") else aligned(repeats)
    first = aligned(repeats * 2)
    if not case.index:
        return first
    second = -(-repeats * 2 // lanes) * 2
    if second == 2:
        return first + aligned(second)
    return first + aligned(second) + aligned(-(-second // lanes) * 2)
