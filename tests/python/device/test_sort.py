# SPDX-License-Identifier: Apache-2.0
"""Compares Sort32, MrgSort, Sort, Concat and Extract with a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cannery

from .sort_machine import KINDS, Array, Case, Image, Pair, SortMachine, bits, encode, falling, merge
from .vector_machine import values

FLOATS = ("half", "float")


@pytest.fixture(scope="module")
def machine(compile_device: Callable[..., Any]) -> SortMachine:
    return SortMachine(compile_device("sort"))


def pairs_of(scores: Array, indices: Array) -> list[Pair]:
    return list(zip(scores, (int(i) for i in indices), strict=True))


def falling_pairs(
    dtype: str, count: int, rng: np.random.Generator, few: bool = False
) -> list[Pair]:
    scores = rng.integers(0, 9, count).astype(KINDS[dtype]) if few else values(dtype, count, rng)
    return falling(pairs_of(scores, rng.integers(0, 2**32, count, dtype=np.uint32)))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["sort32", "sort_groups", "concat"])
@pytest.mark.parametrize("repeats", [1, 4, 255])
def test_groups_of_32(
    machine: SortMachine, rng: np.random.Generator, op: str, dtype: str, repeats: int
) -> None:
    scores = values(dtype, 32 * repeats, rng)
    scores[: 32 * repeats : 3] = rng.integers(-2, 3, len(scores[::3]))  # some scores are equal
    indices = rng.integers(0, 2**32, len(scores), dtype=np.uint32)
    got = machine.sort(op, dtype, scores, indices, rng)
    given_pairs = pairs_of(scores, indices)
    for group in range(repeats):
        part = slice(group * 32, group * 32 + 32)
        assert bits(got[part]) == bits(falling(given_pairs[part]))


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_scores(machine: SortMachine, rng: np.random.Generator, dtype: str) -> None:
    """Sort32 puts NaN first, then infinity; zeros of either sign keep their order."""
    kind = KINDS[dtype]
    limits = np.finfo(kind)
    scores = np.array(
        [0.0, -0.0, np.nan, np.inf, -np.inf, -np.nan, 1.0, -1.0, 0.0, -0.0, limits.max,
         limits.min, limits.smallest_subnormal, -limits.smallest_subnormal] + [-np.inf] * 18,
        kind,
    )  # fmt: skip
    got = machine.sort("sort32", dtype, scores, np.arange(32, dtype=np.uint32), rng)
    order = [index for _, index in got]
    assert order[:6] == [2, 5, 3, 10, 6, 12]
    assert order[6:10] == [0, 1, 8, 9]
    assert bits(got) == bits(falling(pairs_of(scores, np.arange(32, dtype=np.uint32))))


def test_bytes_between_the_parts_of_a_half_pair_are_poison(
    machine: SortMachine, rng: np.random.Generator
) -> None:
    image = Image(rng)
    src, index = image.add(np.zeros(32, np.float16)), image.add(np.zeros(32, np.uint32))
    dst = image.room(256)
    out = machine.run(image.finished(), Case("sort32", "half", dst, src, index))
    assert np.isnan(out[dst[0] :][:256].view(np.float16)[1::4]).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("repeats", [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 20, 21, 64, 65, 100])
def test_full_sort(
    machine: SortMachine, rng: np.random.Generator, dtype: str, repeats: int
) -> None:
    scores = rng.integers(-50, 50, 32 * repeats).astype(KINDS[dtype])
    indices = np.arange(len(scores), dtype=np.uint32)
    got = machine.sort("sort_all", dtype, scores, indices, rng)
    order = np.argsort(-scores, kind="stable")
    assert [index for _, index in got] == list(order)
    assert [float(score) for score, _ in got] == list(scores[order])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["merge_info", "merge_counts"])
@pytest.mark.parametrize(
    "lengths",
    [(32, 32), (1, 40), (0, 5), (3, 0, 9), (32, 32, 32, 32), (1, 1, 1, 1), (5, 90, 2, 33)],
)
def test_merges(
    machine: SortMachine, rng: np.random.Generator, dtype: str, op: str, lengths: tuple[int, ...]
) -> None:
    for few in (False, True):
        lists = [falling_pairs(dtype, n, rng, few) for n in lengths]
        got, told = machine.merge(Case(op, dtype), lists, rng)
        assert bits(got) == bits(merge(lists, False)[0])
        if op == "merge_counts":
            assert told == [7, 7, 7, 7], "sortedNum is written with suspension only"


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["merge_info", "merge_counts"])
@pytest.mark.parametrize("lengths", [(32, 32), (1, 40), (20, 7, 9), (32, 31, 30, 29), (1, 1, 1, 1)])
def test_suspended_merges(
    machine: SortMachine, rng: np.random.Generator, dtype: str, op: str, lengths: tuple[int, ...]
) -> None:
    for few in (False, True):
        lists = [falling_pairs(dtype, n, rng, few) for n in lengths]
        got, told = machine.merge(Case(op, dtype, suspend=True), lists, rng)
        want, taken = merge(lists, True)
        assert bits(got) == bits(want)
        assert told == [*taken, 0, 0][:4]


@pytest.mark.parametrize("dtype", FLOATS)
def test_repeated_merges(machine: SortMachine, rng: np.random.Generator, dtype: str) -> None:
    lists = [falling_pairs(dtype, 16, rng) for _ in range(12)]
    got, _ = machine.merge(Case("merge_info", dtype), lists, rng, repeats=3)
    want = [pair for i in range(0, 12, 4) for pair in merge(lists[i : i + 4], False)[0]]
    assert bits(got) == bits(want)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("repeats", [0, 1, 6])
def test_extract(machine: SortMachine, rng: np.random.Generator, dtype: str, repeats: int) -> None:
    kind = KINDS[dtype]
    pairs = falling_pairs(dtype, 32 * repeats, rng)
    image = Image(rng)
    src = image.add(encode(pairs, kind))
    dst, index = image.room(len(pairs) * kind.itemsize), image.room(len(pairs) * 4)
    before = image.finished()
    after = machine.run(before, Case("extract", dtype, dst, src, index, repeats=repeats))
    machine.check_only_changed(before, after, dst, index)
    scores = after[dst[0] : sum(dst)].view(kind)
    indices = after[index[0] : sum(index)].view(np.uint32)
    assert bits(pairs_of(scores, indices)) == bits(pairs)


def test_half_extract_gathers_twice_the_indices_on_the_chip(
    machine: SortMachine, rng: np.random.Generator
) -> None:
    image = Image(rng)
    src = image.add(encode([(np.float16(1), i) for i in range(64)], KINDS["half"]))
    dst, index = image.room(64), image.room(256)
    cannery.use(mode="hardware")
    after = machine.run(image.finished(), Case("extract", "half", dst, src, index))
    assert list(after[index[0] : sum(index)].view(np.uint32)) == list(range(64))


def test_sizes_count_elements(machine: SortMachine) -> None:
    for dtype, per_pair in (("half", 4), ("float", 2)):
        told = machine.run(np.zeros(512, np.uint8), Case("sizes", dtype))[-16:].view(np.uint32)
        assert list(told[:2]) == [32 * per_pair, 100 * per_pair]


def test_zero_repeats_do_nothing(machine: SortMachine, rng: np.random.Generator) -> None:
    image = rng.integers(0, 256, 4096, dtype=np.uint8)
    for op in ("sort32", "sort_all", "merge_info", "extract", "concat"):
        case = Case(op, "float", (0, 256), (512, 128), (1024, 128), (2048, 256), repeats=0)
        machine.check_only_changed(image, machine.run(image, case))


LISTS = ((1024, 128), (1152, 128), (1280, 128), (1408, 128))
ERRORS: list[tuple[str, dict[str, Any]]] = [
    ("T430", {"op": "sort32", "repeats": 256}),
    ("T430", {"op": "sort_all", "repeats": -1}),
    ("T430", {"op": "extract", "repeats": 300}),
    ("T430", {"op": "concat", "repeats": 256}),
    ("T430", {"op": "merge_info", "repeats": 256}),
    ("T430", {"op": "merge_counts", "repeats": -2}),
    ("T435", {"op": "merge_info", "valid": 1}),
    ("T435", {"op": "merge_counts", "valid": 14}),
    ("T435", {"op": "merge_info", "lengths": (16, 4096, 16, 16)}),
    ("T436", {"op": "merge_info", "repeats": 2, "valid": 7}),
    ("T436", {"op": "merge_info", "repeats": 2, "lengths": (16, 16, 16, 15)}),
    ("T436", {"op": "merge_counts", "repeats": 2, "suspend": True}),
    ("T437", {"op": "merge_info", "suspend": True, "lengths": (16, 0, 16, 16)}),
    ("T434", {"op": "result"}),
    ("T104", {"op": "sort32", "src": (1040, 128)}),
    ("T104", {"op": "merge_info", "lists": ((1028, 128), *LISTS[1:])}),
    ("T104", {"op": "merge_info", "dst": (8, 512)}),
    ("T107", {"op": "sort32", "dst": (0, 128)}),
    ("T107", {"op": "sort32", "index": (2048, 64)}),
    ("T107", {"op": "merge_info", "dst": (0, 256)}),
    ("T107", {"op": "sort_all", "repeats": 2, "tmp": (4096, 256)}),
    ("T107", {"op": "extract", "src": (1024, 128)}),
    ("T405", {"op": "sort32", "src": (0, 128)}),
    ("T405", {"op": "sort32", "dst": (1984, 256)}),
    ("T405", {"op": "merge_info", "dst": (1024, 512)}),
    ("T405", {"op": "sort_all", "tmp": (32, 512)}),
    ("T405", {"op": "extract", "dst": (1024, 128), "src": (1024, 256)}),
]


@pytest.mark.parametrize(("code", "fields"), ERRORS)
def test_errors(machine: SortMachine, code: str, fields: dict[str, Any]) -> None:
    layout = {
        "dtype": "float", "dst": (0, 512), "src": (1024, 512), "index": (2048, 512),
        "tmp": (4096, 512), "lists": LISTS, "lengths": (16, 16, 16, 16),
    }  # fmt: skip
    with pytest.raises(cannery.KernelError) as caught:
        machine.run(np.zeros(8192, np.uint8), Case(**{**layout, **fields}))
    assert caught.value.code == code, str(caught.value)


def test_hardware_merges_once_where_repeats_have_no_effect(
    machine: SortMachine, rng: np.random.Generator
) -> None:
    cannery.use(mode="hardware")
    lists = [falling_pairs("float", 16, rng) for _ in range(3)]
    image = Image(rng)
    places = [image.add(encode(part, KINDS["float"])) for part in lists]
    dst = image.room(3 * 16 * 8)
    case = Case("merge_info", "float", dst, lists=(*places, (0, 0)), lengths=(16, 16, 16, 0))
    before = image.finished()
    after = machine.run(before, replace(case, valid=7, repeats=9))
    machine.check_only_changed(before, after, dst)


@given(
    dtype=st.sampled_from(FLOATS),
    lengths=st.lists(st.integers(1, 60), min_size=2, max_size=4),
    suspend=st.booleans(),
    few=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_merge(
    machine: SortMachine, dtype: str, lengths: list[int], suspend: bool, few: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    lists = [falling_pairs(dtype, n, rng, few) for n in lengths]
    got, told = machine.merge(Case("merge_info", dtype, suspend=suspend), lists, rng)
    want, taken = merge(lists, suspend)
    assert bits(got) == bits(want)
    if suspend:
        assert told == [*taken, 0, 0][:4]
