# SPDX-License-Identifier: Apache-2.0
"""Tests `read_dump`, `Kernel.who_wrote` and `Kernel.coverage`: which core wrote which bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.testing import assert_written

from ..selection import rest_slow

pytestmark = [
    pytest.mark.twin_only("a card has no record of a launch"),
    pytest.mark.hazards_off("block 0 writes over a part of what block 1 wrote, and so on purpose"),
]

# Every block writes 16 elements, the last one only 8. Then block 0 overwrites the first 8 elements
# of block 1, and every block adds to `sum`.
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void two(GM_ADDR x, GM_ADDR out, GM_ADDR sum) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<float> a = buf.Get<float>();
    GlobalTensor<float> from, to, total;
    from.SetGlobalBuffer((__gm__ float*)x, 64);
    to.SetGlobalBuffer((__gm__ float*)out, 64);
    total.SetGlobalBuffer((__gm__ float*)sum, 8);
    DataCopy(a, from, 16);
    PipeBarrier<PIPE_ALL>();
    uint32_t block = GetBlockIdx();
    DataCopy(to[block * 16], a, block + 1 == GetBlockNum() ? 8 : 16);  // first
    if (block == 0) {
        DataCopy(to[16], a, 8);  // second
    }
    SetAtomicAdd<float>();
    DataCopy(total, a, 8);
    SetAtomicNone();
    PipeBarrier<PIPE_ALL>();
}
"""


def line_of(mark: str) -> int:
    (line,) = [i for i, text in enumerate(SOURCE.splitlines(), 1) if text.endswith(f"// {mark}")]
    return line


@pytest.fixture(scope="module", params=rest_slow([False, True]), ids=["release", "debug"])
def kernel(request: pytest.FixtureRequest, shared_cache: Path) -> cannery.Kernel:
    with cannery.use(cache_dir=shared_cache):
        return cannery.compile_kernel(SOURCE, "two", debug=request.param)


def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.ones((4, 16), np.float32), np.zeros((4, 16), np.float32), np.zeros(8, np.float32)


@pytest.mark.parametrize("record", [True, False])
def test_who_wrote(kernel: cannery.Kernel, record: bool) -> None:
    x, out, total = arrays()
    kernel(4, x, out, total, record=record)
    before = out.copy()
    first = kernel.who_wrote(out, (0, 3))
    assert first is not None
    assert (first.core, first.line, first.pipe) == ("0 AIV", line_of("first"), "MTE3")
    assert first.file.endswith("two.cpp")
    twice = kernel.who_wrote("out", 17)
    assert twice is not None
    assert {(each.core, each.line) for each in (twice, *twice.others)} == {
        ("1 AIV", line_of("first")),
        ("0 AIV", line_of("second")),
    }
    assert kernel.who_wrote(out, (3, 8)) is None
    assert kernel.who_wrote(out, -1) is None
    assert kernel.who_wrote(x, 0) is None
    assert np.array_equal(out, before)


FORMS = """
#include "kernel_operator.h"
using namespace AscendC;
#define PUT(at) DataCopy(g[at], a, 8);
extern "C" __global__ __aicore__ void forms(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 1024);
    LocalTensor<float> a = buf.Get<float>();
    GlobalTensor<float> g;
    g.SetGlobalBuffer((__gm__ float*)out, 256);
    InitGlobalMemory(g, 64, 2.0f);  // fill
    PipeBarrier<PIPE_ALL>();
    Duplicate(a, 1.0f, 256);
    PipeBarrier<PIPE_ALL>();
    DataCopy(g[32], a, DataCopyParams(4, 2, 0, 6));  // stripes
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(g[49], a, {1, 4, 0, 0, 0});  // pad
    auto put = [&](uint32_t at) {
        DataCopy(g[at], a, 8);  // lambda
    };
    PipeBarrier<PIPE_ALL>();
    put(224);
    PUT(232)  // macro
    SetAtomicAdd<float>();
    DataCopy(g[240], a, 8);  // atomic
    SetAtomicNone();
    g(255) = 3.0f;  // scalar
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(g);
    PipeBarrier<PIPE_ALL>();
}
"""


@pytest.mark.parametrize("debug", rest_slow([False, True]))
def test_writers_of_every_form(shared_cache: Path, debug: bool) -> None:
    with cannery.use(cache_dir=shared_cache):
        forms = cannery.compile_kernel(FORMS, "forms", debug=debug)
    out = np.zeros(256, np.float32)
    forms(1, out, record=True)
    runs = [
        ("fill", 0, 32),
        ("stripes", 32, 48),
        ("fill", 48, 49),
        ("pad", 49, 50),
        ("fill", 50, 64),
    ]
    runs += [
        ("", 64, 96),
        ("stripes", 96, 112),
        ("", 112, 160),
        ("stripes", 160, 176),
        ("", 176, 224),
    ]
    # The lambda and the macro overwrite the fourth stripe, elements 224 to 239.
    runs += [("lambda", 224, 232), ("macro", 232, 240), ("atomic", 240, 248), ("", 248, 255)]
    lines = FORMS.splitlines()
    for mark, first, end in [*runs, ("scalar", 255, 256)]:
        for element in (first, end - 1):
            writer = forms.who_wrote(out, element)
            found = "" if writer is None else lines[writer.line - 1].partition("// ")[2]
            assert found == mark, (element, writer)


def test_coverage(kernel: cannery.Kernel) -> None:
    x, out, total = arrays()
    kernel(4, x, out, total, record=True)
    of_out, of_total = kernel.coverage()
    assert (of_out.argument, of_out.holes, of_out.shared) == ("out", ((56, 63),), ((16, 23),))
    assert not of_out.complete
    assert (
        str(of_out)
        == "out: 64 elements; 8 never written: 56 to 63; 8 written by two cores: 16 to 23"
    )
    # Atomic copies of several cores to the same elements do not count as shared.
    assert (of_total.argument, of_total.holes, of_total.shared) == ("sum", (), ())


def test_coverage_of_chosen_arrays_and_of_one_array_twice(kernel: cannery.Kernel) -> None:
    x, out, total = arrays()
    kernel(4, x, out, total, outputs=())
    of_x, of_out = kernel.coverage("x", out)
    assert (of_x.argument, of_x.holes, of_x.unwritten) == ("x", ((0, 63),), 64)
    assert (of_out.argument, of_out.holes) == ("out", ((56, 63),))
    # Two arguments that share memory: `out` begins 8 elements after `x`.
    both = np.ones(72, np.float32)
    first, second = both[:64], both[8:]
    kernel(1, first, second, total, outputs=())
    found = {each.argument: each.holes for each in kernel.coverage()}
    assert found["out"] == ((8, 15), (24, 63))
    assert found["x"] == ((0, 7), (16, 23), (32, 63))


def test_outputs_must_be_complete(kernel: cannery.Kernel) -> None:
    x, out, total = arrays()
    gap = "output out of kernel two: 8 of 64 elements were never written; the first gap has 8 "
    for chosen in (out, "out", [out], ["out"]):
        with pytest.raises(cannery.IncompleteOutputError) as caught:
            kernel(4, x, out, total, outputs=chosen)
        assert str(caught.value).startswith(gap + "elements and begins at (3, 8)\n  try: ")
        assert caught.value.gaps == (gap + "elements and begins at (3, 8)",)
    assert set(out[3, 8:].tobytes()) == {0xCB}
    kernel(4, x, out, total, outputs=[])
    out.flags.writeable = False
    with pytest.raises(ValueError, match="outputs: out is an array that is not writable"):
        kernel(4, x, out, total, outputs=[out])
    with pytest.raises(
        ValueError, match=r"outputs: expected an array of .*\(x, out, sum\), got 'z'"
    ):
        kernel(4, x, out, total, outputs=["z"])


def test_an_output_that_the_kernel_only_adds_to_is_not_complete(kernel: cannery.Kernel) -> None:
    x, out, total = arrays()
    with pytest.raises(cannery.IncompleteOutputError) as caught:
        kernel(4, x, out, total, outputs=["sum", "out"])
    added, gap = caught.value.gaps
    assert added == (
        "output sum of kernel two: 8 of 8 elements were added to (SetAtomic...), but never written "
        "before; the first is 0"
    )
    assert gap.startswith("output out of kernel two: 8 of 64 elements were never written; ")
    assert kernel.coverage(total)[0].added == ((0, 7),)
    assert kernel.coverage(out)[0].added == ()


POINTERS = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void pointers(GM_ADDR out, GM_ADDR other) {
    for (uint32_t i = 0; i < 100; ++i) {
        ((__gm__ int32_t*)out)[i] = i;
    }
}
"""


def test_a_kernel_that_writes_through_a_pointer(shared_cache: Path) -> None:
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(POINTERS, "pointers", portable=False)
    out, other = np.zeros((2, 100), np.int32)
    kernel(1, out, other, outputs=[out])
    assert kernel.coverage() == ()  # writes through a pointer are not recorded
    with pytest.raises(cannery.IncompleteOutputError, match=r"other .* 100 of 100 elements were"):
        kernel(1, out, other, outputs=[out, other])


def test_assert_written(kernel: cannery.Kernel) -> None:
    x, out, total = arrays()
    kernel(4, x, out, total)
    assert_written(kernel, total)
    for chosen in ((), (out,), ("sum", "out")):
        with pytest.raises(AssertionError, match="kernel two: out: 64 elements; 8 never written"):
            assert_written(kernel, *chosen)
    with pytest.raises(AssertionError, match="kernel two: x: 64 elements; 64 never written"):
        assert_written(kernel, x)


def test_mistakes(kernel: cannery.Kernel, tmp_path: Path) -> None:
    x, out, total = arrays()
    fresh = cannery.compile.kernel.Kernel(kernel.libraries, "two", kernel.arguments)
    with pytest.raises(cannery.CanneryError, match="no call has come to its end yet"):
        fresh.coverage()
    with pytest.raises(ValueError, match="record: with dump the file has the stream"):
        kernel(4, x, out, total, record=True, dump=tmp_path / "a.jsonl")
    kernel(4, x, out, total)
    with pytest.raises(
        ValueError, match=r"array: expected an array of the launch \(x, out, sum\), got 'y'"
    ):
        kernel.who_wrote("y", 0)
    with pytest.raises(ValueError, match="got another array"):
        kernel.who_wrote(out.copy(), 0)
    for element in (64, -65, (4, 0), (0, 0, 0)):
        with pytest.raises(IndexError, match="is not in out of shape"):
            kernel.who_wrote(out, element)
    for wrong in (1.5, "3", None):
        with pytest.raises(TypeError, match="element: expected a whole number or a tuple"):
            kernel.who_wrote(out, wrong)  # type: ignore[arg-type]
    kernel(4, x, np.zeros_like(out), total)
    with pytest.raises(cannery.CanneryError, match="an array of its last call is gone"):
        kernel.coverage()


def test_read_dump(kernel: cannery.Kernel, tmp_path: Path) -> None:
    dump = tmp_path / "stream.jsonl"
    kernel(4, *arrays(), dump=dump)
    records = cannery.read_dump(dump)
    assert {record["launch"] for record in records} == {0}
    assert {record["kernel"] for record in records} == {"two"}
    assert [r["block"] for r in records] == sorted(r["block"] for r in records)
    copies = [r for r in records if r["line"] == line_of("second")]
    assert [(r["block"], r["opcode"], r["elements"]) for r in copies] == [(0, "DataCopy", 8)]
    text = dump.read_text()
    (tmp_path / "twice.jsonl").write_text(text + text)
    assert {record["launch"] for record in cannery.read_dump(tmp_path / "twice.jsonl")} == {0, 1}


@pytest.mark.parametrize(
    "content",
    [
        *("{", "[1]\n", "1\n", '{"opcode": "Add"}\n', "\x00"),
        pytest.param("[" * 100000, id="deep"),
    ],
)
def test_no_dump(tmp_path: Path, content: str) -> None:
    (tmp_path / "bad.jsonl").write_text(content)
    with pytest.raises(cannery.CanneryError, match="is no dump of a launch, or is cut short"):
        cannery.read_dump(tmp_path / "bad.jsonl")
    with pytest.raises(cannery.CanneryError, match="cannot be read"):
        cannery.read_dump(tmp_path / "none.jsonl")
    with pytest.raises(ValueError, match=r"expected FILE\.jsonl"):
        cannery.read_dump(tmp_path / "stream.txt")
