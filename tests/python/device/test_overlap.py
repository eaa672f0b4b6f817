# SPDX-License-Identifier: Apache-2.0
"""Operands that overlap must be refused only if a repeat overwrites what a later repeat reads. In
the model, each repeat first reads all of its sources and then writes."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery

from .conftest import Compile

Array = np.ndarray[Any, Any]
WORDS = 4096
OPS = (
    *("adds_count", "adds_mask", "adds_bits", "cast_wide", "cast_narrow", "gather", "compare"),
    *("move", "copy"),
)


@dataclass(frozen=True)
class Case:
    op: str
    dst: int
    src: int
    count: int
    repeats: int = 1
    blk: tuple[int, int] = (1, 1)
    rep: tuple[int, int] = (8, 8)
    offsets: int = 0

    def pack(self) -> bytes:
        return struct.pack(
            "<11I", OPS.index(self.op), WORDS, self.dst, self.src, self.offsets, self.count,
            self.repeats, *self.blk, *self.rep,
        )  # fmt: skip

    def masked(self) -> bool:
        return self.op in ("adds_mask", "adds_bits", "copy")

    def elements(self) -> list[Array]:
        """Returns the indices of the elements of each repeat."""
        if self.op == "adds_bits":
            bits = [element for element in range(32) if self.count >> element & 1]
            return [np.array(bits)] * self.repeats
        if self.op == "move":  # each block counts as a repeat
            return [np.arange(8)] * (self.repeats * self.count)
        if self.masked():
            return [np.arange(self.count)] * self.repeats
        return [np.arange(at, min(at + 64, self.count)) for at in range(0, self.count, 64)]

    def places(self, start: int, side: int, size: float) -> list[Array]:
        """Returns, for each repeat, the addresses of an operand's elements."""
        if self.op == "move":
            run = self.count + self.rep[side]
            blocks = [r * run + block for r in range(self.repeats) for block in range(self.count)]
            return [start + block * 32 + np.arange(8) * 4 for block in blocks]
        if not self.masked():
            return [start + (chosen * size).astype(np.int64) for chosen in self.elements()]
        block, repeat = self.blk[side] * 32, self.rep[side] * 32
        return [
            start + r * repeat + chosen // 8 * block + chosen % 8 * 4
            for r, chosen in enumerate(self.elements())
        ]


SIZES = {"cast_wide": (4, 2), "cast_narrow": (2, 4)}


def run_model(case: Case, image: Array) -> tuple[Array, bool]:
    """Returns the bytes of UB after the call, and if a repeat overwrote a later repeat's source."""
    out = image.copy()
    dst_size, src_size = SIZES.get(case.op, (4, 4))
    written = np.zeros(image.nbytes, bool)
    conflict = False
    sources = case.places(case.src, 1, src_size)
    targets = case.places(case.dst, 0, dst_size)
    for repeat, (listed, target) in enumerate(zip(sources, targets, strict=True)):
        source = listed
        reads = [(source, src_size)]
        if case.op == "gather":
            table = case.offsets + case.elements()[repeat] * 4
            conflict |= bool(written[spread(table, 4)].any())
            source = case.src + out[spread(table, 4)].view(np.uint32).astype(np.int64)
            reads = [(source, 4)]
        for places, size in reads:
            conflict |= bool(written[spread(places, size)].any())
        taken = out[spread(source, src_size)]
        if case.op == "compare":
            bits = np.packbits(taken.view(np.float32) > 0, bitorder="little")
            at = case.dst + repeat * 8 + np.arange(8)
            out[at] = bits
        else:
            at = spread(target, dst_size)
            out[at] = compute(case.op, taken)
        written[at] = True
    return out, conflict


def spread(places: Array, size: int) -> Array:
    return (places[:, None] + np.arange(size)).reshape(-1)


def compute(op: str, taken: Array) -> Array:
    if op.startswith("adds"):
        return (taken.view(np.float32) + np.float32(1)).view(np.uint8)
    if op == "cast_wide":
        return taken.view(np.float16).astype(np.float32).view(np.uint8)
    if op == "cast_narrow":
        with np.errstate(over="ignore"):
            return taken.view(np.float32).astype(np.float16).view(np.uint8)
    return taken


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("overlap", {})


def image_for(case: Case, seed: int) -> Array:
    """Returns bytes for UB: small numbers, and offsets if the case needs them."""
    rng = np.random.default_rng(seed)
    image = rng.integers(-8, 8, WORDS).astype(np.float32).view(np.uint8)
    if case.op in ("cast_wide",):
        image = rng.integers(-8, 8, 2 * WORDS).astype(np.float16).view(np.uint8)
    if case.op == "gather":
        table = rng.integers(0, 512, case.count).astype(np.uint32) * 4
        image = image.copy()
        image[case.offsets : case.offsets + table.nbytes] = table.view(np.uint8)
    return image


def check(kernel: Callable[..., None], case: Case, seed: int = 1) -> bool:
    """Runs the case and returns whether it was refused; the model must agree."""
    image = image_for(case, seed)
    want, conflict = run_model(case, image)
    out = np.empty_like(image)
    try:
        kernel(1, image, out, tiling=case.pack())
    except cannery.KernelError as error:
        refusal = error
    else:
        refusal = None
    if refusal is not None:
        assert refusal.code == "T405", refusal
        assert conflict, f"refused, but no later repeat reads it: {case}\n{refusal}"
        return True
    assert not conflict, f"a repeat overwrites what a later one reads: {case}"
    np.testing.assert_array_equal(out, want)
    return False


@pytest.mark.parametrize("count", [64, 100, 512, 1000])
def test_widening_cast_from_the_upper_half(kernel: Any, count: int) -> None:
    assert not check(kernel, Case("cast_wide", dst=0, src=(count * 2 + 31) // 32 * 32, count=count))


def test_widening_cast_in_place(kernel: Any) -> None:
    assert not check(kernel, Case("cast_wide", dst=0, src=0, count=64))
    assert check(kernel, Case("cast_wide", dst=0, src=0, count=128))


def test_narrowing_in_place(kernel: Any) -> None:
    assert not check(kernel, Case("cast_narrow", dst=0, src=0, count=1000))
    assert not check(kernel, Case("cast_narrow", dst=32, src=64, count=1000))


def test_gather_in_place(kernel: Any) -> None:
    assert not check(kernel, Case("gather", dst=0, src=0, count=64, offsets=8192))
    assert not check(kernel, Case("gather", dst=8192, src=0, count=640, offsets=8192))
    assert check(kernel, Case("gather", dst=0, src=0, count=128, offsets=8192))


def test_shifted(kernel: Any) -> None:
    assert not check(kernel, Case("adds_count", dst=32, src=0, count=64))
    assert check(kernel, Case("adds_count", dst=32, src=0, count=65))
    assert not check(kernel, Case("adds_count", dst=0, src=32, count=640))


OFFSETS = st.integers(0, 24).map(lambda n: n * 32)


@settings(max_examples=150)
@given(dst=OFFSETS, src=OFFSETS, count=st.integers(1, 300), seed=st.integers(0, 99),
       op=st.sampled_from(["adds_count", "cast_wide", "cast_narrow", "gather"]))  # fmt: skip
def test_any_count(kernel: Any, op: str, dst: int, src: int, count: int, seed: int) -> None:
    check(kernel, Case(op, dst=dst, src=src, count=count, offsets=8192), seed)


@settings(max_examples=60)
@given(dst=OFFSETS, src=OFFSETS, repeats=st.integers(1, 12), seed=st.integers(0, 99))
def test_any_compare(kernel: Any, dst: int, src: int, repeats: int, seed: int) -> None:
    check(kernel, Case("compare", dst=dst, src=src, count=64 * repeats), seed)


@settings(max_examples=150)
@given(data=st.data())
def test_any_mask(kernel: Any, data: st.DataObject) -> None:
    draw = data.draw
    # With these strides, the blocks and the repeats of dst do not overlap.
    block = st.integers(1, 3)
    dst_block = draw(block)
    case = Case(
        draw(st.sampled_from(["adds_mask", "copy"])), dst=draw(OFFSETS), src=draw(OFFSETS),
        count=draw(st.integers(1, 64)), repeats=draw(st.integers(1, 8)),
        blk=(dst_block, draw(block)), rep=(draw(st.integers(22, 30)), draw(st.integers(0, 30))),
    )  # fmt: skip
    check(kernel, case, draw(st.integers(0, 99)))


@settings(max_examples=100)
@given(dst=OFFSETS, src=OFFSETS, bits=st.integers(1, 2**32 - 1), repeats=st.integers(1, 8),
       blk=st.integers(0, 3), rep=st.integers(0, 30), seed=st.integers(0, 99))  # fmt: skip
def test_any_bits(
    kernel: Any, dst: int, src: int, bits: int, repeats: int, blk: int, rep: int, seed: int
) -> None:
    case = Case("adds_bits", dst, src, bits, repeats=repeats, blk=(1, blk), rep=(8, rep))
    check(kernel, case, seed)


def test_the_last_element_is_not_the_furthest(kernel: Any) -> None:
    """With block stride 0, element 8 lies before element 1, and only element 1 is overwritten."""
    case = Case("adds_bits", dst=32, src=0, count=0x102, repeats=2, blk=(1, 0), rep=(8, 1))
    assert check(kernel, case)


@settings(max_examples=100)
@given(dst=OFFSETS, src=OFFSETS, count=st.integers(1, 12), repeats=st.integers(1, 6),
       gaps=st.tuples(st.integers(0, 4), st.integers(0, 4)), seed=st.integers(0, 99))  # fmt: skip
def test_any_copy_inside_ub(
    kernel: Any, dst: int, src: int, count: int, repeats: int, gaps: tuple[int, int], seed: int
) -> None:
    check(kernel, Case("move", dst, src, count, repeats=repeats, rep=gaps), seed)


def test_a_copy_inside_ub_works_block_by_block(kernel: Any) -> None:
    assert check(kernel, Case("move", dst=32, src=0, count=4, rep=(0, 0)))
    assert not check(kernel, Case("move", dst=0, src=32, count=4, rep=(0, 0)))
    assert not check(kernel, Case("move", dst=0, src=0, count=4, repeats=3, rep=(1, 1)))


def test_accumulating_in_place(kernel: Any) -> None:
    """With repeat stride 0, each repeat continues from the previous repeat's result."""
    case = Case("adds_mask", dst=64, src=64, count=64, repeats=5, rep=(0, 0))
    image = image_for(case, 3)
    out = np.empty_like(image)
    kernel(1, image, out, tiling=case.pack())
    want = image.copy().view(np.float32)
    want[16:80] += 5
    np.testing.assert_array_equal(out.view(np.float32), want)


EMPTY_LIST = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void merge(GM_ADDR) {
    TPipe pipe;
    TBuf<QuePosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 8192);
    LocalTensor<float> from = buffer.Get<float>()[1024];
    LocalTensor<float> to = buffer.Get<float>();
    Duplicate(from, 1.0F, 256);
    MrgSortSrcList<float> lists(from, from[64], to[64], to[64]);
    const uint16_t lengths[4] = {32, 32, 0, 0};
    MrgSort<float>(to, lists, MrgSort4Info(lengths, false, 0b0111, 1));
}
"""


def test_an_operand_without_bytes_overlaps_nothing() -> None:
    cannery.compile_kernel(EMPTY_LIST, "merge")(1, np.zeros(8, np.float32))


GATHER_OVER_OFFSETS = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void gather(GM_ADDR blocks) {
    TPipe pipe;
    TBuf<QuePosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 16384);
    LocalTensor<uint32_t> all = buffer.Get<uint32_t>();
    LocalTensor<uint32_t> offsets = all[2048];
    GlobalTensor<int32_t> mode;
    mode.SetGlobalBuffer((__gm__ int32_t*)blocks);
    Duplicate(offsets, uint32_t(0), 512);
    Duplicate(all, uint32_t(0x7fffff00), 512);
    PipeBarrier<PIPE_ALL>();
    if (mode.GetValue(0) != 0) {
        Gatherb(offsets, all, offsets, 8, GatherRepeatParams(1, 8));
    } else {
        Gather(offsets[64], all, offsets, 0, 256);
    }
}
"""


@pytest.mark.parametrize("blocks", [0, 1])
def test_offsets_that_a_gather_overwrites_are_looked_at_again(blocks: int) -> None:
    """Strict mode refuses the overlap. In hardware mode, the second repeat reads wrong offsets."""
    kernel = cannery.compile_kernel(GATHER_OVER_OFFSETS, "gather")
    for mode, code in (("strict", "T405"), ("hardware", "T424")):
        with cannery.use(mode=mode), pytest.raises(cannery.KernelError) as caught:
            kernel(1, np.full(8, blocks, np.int32))
        assert caught.value.code == code, caught.value


GATHER_OVER_UNUSED = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void gather(GM_ADDR) {
    TPipe pipe;
    TBuf<QuePosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 16384);
    LocalTensor<uint32_t> all = buffer.Get<uint32_t>();
    LocalTensor<uint32_t> offsets = all[2048];
    Duplicate(all, uint32_t(0), 8);
    Duplicate(offsets, uint32_t(0), 128);
    Gather(offsets[16], all, offsets, 0, uint64_t(8), 2, 8);
}
"""


def test_offsets_outside_the_mask_are_not_read(tmp_path: Path) -> None:
    kernel = cannery.compile_kernel(GATHER_OVER_UNUSED, "gather")
    kernel(1, np.zeros(8, np.int32), dump=tmp_path / "dump.jsonl")
    records = [json.loads(line) for line in (tmp_path / "dump.jsonl").read_text().splitlines()]
    (gather,) = [record for record in records if record.get("opcode") == "Gather"]
    (table,) = [each for each in gather["ranges"] if each["operand"] == "srcOffset"]
    assert (table["bytes"], table["count"], table["stride"]) == (32, 2, 256)
