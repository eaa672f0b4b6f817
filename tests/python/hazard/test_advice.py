# SPDX-License-Identifier: Apache-2.0
"""Tests the advice of findings: which of two accesses must come first, in which round of a loop,
and why bytes are no valid data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cannery

from ..selection import rest_slow
from ..sources import BUFFERS, HEAD, findings, floats, line_of

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")

GATHER = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    Duplicate(tile, 1.0F, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm[GetBlockIdx() * 64], tile, 64);  // written
    BARRIER
    if (GetBlockIdx() == READER) {{
        DataCopy(tile, gm, 256);  // read
    }}
}}
"""


@pytest.mark.parametrize("reader", [0, 3])
def test_the_order_is_that_of_the_program(reader: int) -> None:
    """The advice does not depend on the core that reads what all cores have written."""
    text = GATHER.replace("BARRIER", "PipeBarrier<PIPE_ALL>();").replace("READER", str(reader))
    (hazard,) = findings(text, 4, floats(256)).hazards
    written, read = line_of(text, "// written"), line_of(text, "// read")
    assert (hazard.code, hazard.kind) == ("T811", "RAW inter-core")
    assert hazard.first is not None
    assert (hazard.first.line, hazard.second.line) == (written, read)
    assert hazard.missing == f"SyncAll() on all cores after line {written} and before line {read}"


def test_the_barrier_of_the_advice_mends_the_kernel() -> None:
    text = GATHER.replace("BARRIER", "SyncAll();").replace("READER", "0")
    cannery.compile_kernel(HEAD + text, "k")(4, floats(256))


RING = """
extern "C" __global__ __aicore__ void k(GM_ADDR work, int32_t rounds, int32_t free) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer((__gm__ float*)work);
    for (int32_t round = 0; round < rounds; ++round) {
        if ASCEND_IS_AIC {
            LocalTensor<half> a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
            LocalTensor<float> co(TPosition::CO1, 0, 256);
            if (free != 0 && round >= 2) {
                CrossCoreWaitFlag(1);
            }
            PipeBarrier<PIPE_ALL>();
            InitConstValue(a2, InitConstValueParams<half>(1, 1, 0, half(1.0F)));
            InitConstValue(b2, InitConstValueParams<half>(1, 1, 0, half(1.0F)));
            PipeBarrier<PIPE_ALL>();
            Mmad(co, a2, b2, MmadParams(16, 16, 16, 0, false, true));
            PipeBarrier<PIPE_ALL>();
            Fixpipe(gm[round % 2 * 256], co, FixpipeParamsV220(16, 16, 16, 16, false));  // product
            CrossCoreSetFlag<2, PIPE_FIX>(0);
        }
        if ASCEND_IS_AIV {
            LocalTensor<float> tile(TPosition::VECIN, 0, 256);
            CrossCoreWaitFlag(0);
            PipeBarrier<PIPE_MTE2>();
            DataCopy(tile, gm[round % 2 * 256], 256);  // read
            if (free != 0 && round < rounds - 2) {
                CrossCoreSetFlag<2, PIPE_MTE2>(1);
            }
        }
    }
}
"""


@pytest.mark.parametrize("rounds", [3, 40])
def test_flags_in_one_direction_miss_the_other_one(rounds: int) -> None:
    """The cube core signals that a slot of the workspace is ready, but no vector core signals that
    the slot is free. After 15 rounds the flag's counter overflows, too (T317). The finding T317
    comes after its cause."""
    error = findings(RING, 1, floats(512), np.int32(rounds), np.int32(0))
    product, read = line_of(RING, "// product"), line_of(RING, "// read")
    assert [hazard.code for hazard in error.hazards] == ["T812", "T317"][: 1 + (rounds > 15)]
    assert error.hazards[0].missing == (
        f"CrossCoreSetFlag<2, PIPE_MTE2> after line {read} on AIV, "
        f"CrossCoreWaitFlag before line {product} of a later round on AIC"
    )
    if rounds > 15:
        assert error.hazards[1].second.opcode == "CrossCoreSet"
        assert "flag 0 was set 16 times more often" in str(error)


@pytest.mark.parametrize("rounds", [3, 40])
def test_flags_in_both_directions(rounds: int) -> None:
    cannery.compile_kernel(HEAD + RING, "k")(1, floats(512), np.int32(rounds), np.int32(1))


def test_too_many_sets_are_an_error_without_the_checker() -> None:
    kernel = cannery.compile_kernel(HEAD + RING, "k")
    with cannery.use(hazards="off"), pytest.raises(cannery.KernelError) as caught:
        kernel(1, floats(512), np.int32(40), np.int32(0))
    assert caught.value.code == "T317"


def test_a_scalar_write_between_two_pipes_orders_them() -> None:
    """At auto-sync, SetValue waits for Duplicate and the second copy waits for SetValue. So the
    second copy comes after Duplicate. The first copy, which has no flag, does not change this."""
    text = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    Duplicate(tile, 1.0F, 64);   // fill
    DataCopy(gm, tile, 64);      // early
    tile.SetValue(0, 2.0F);
    DataCopy(gm[64], tile, 64);  // again
}}
"""
    error = findings(text, 1, floats(128))
    assert [(h.first.line, h.second.line) for h in error.hazards if h.first] == [
        (line_of(text, "// fill"), line_of(text, "// early"))
    ]


ROWS = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    DataCopyPad(tile, gm, DataCopyExtParams(4, 13 * 4, 0, 0, 0),
                DataCopyPadExtParams<float>(false, 0, 0, 0.0F));  // rows
    PipeBarrier<PIPE_ALL>();
    COPY  // out
}}
"""


def test_filler_between_rows() -> None:
    """Each row of DataCopyPad starts at a multiple of 32 B."""
    text = ROWS.replace("COPY", "DataCopyPad(gm, tile, DataCopyExtParams(1, 52 * 4, 0, 0, 0));")
    (hazard,) = findings(text, 1, floats(64)).hazards
    assert hazard.code == "T822"
    assert hazard.missing.endswith(
        "each row starts at a multiple of 32 B in UB: "
        "rows of 13 elements are 16 elements apart there"
    )
    text = ROWS.replace("COPY", "DataCopyPad(gm, tile, DataCopyExtParams(4, 13 * 4, 0, 0, 0));")
    cannery.compile_kernel(HEAD + text, "k")(1, floats(64))


def test_a_line_that_runs_again() -> None:
    text = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    for (int32_t i = 0; i < 4; ++i) {{
        DataCopy(tile, gm, 64);  // again
        AFTER
    }}
}}
"""
    (hazard,) = findings(text.replace("AFTER", ""), 1, floats(64)).hazards
    assert hazard.code == "T803"
    assert hazard.missing == (
        f"PipeBarrier<PIPE_MTE2> after line {line_of(text, '// again')}, before this line runs "
        "again (in the next round of a loop, or in the next call)"
    )
    mended = text.replace("AFTER", "PipeBarrier<PIPE_MTE2>();")
    cannery.compile_kernel(HEAD + mended, "k")(1, floats(64))


@pytest.mark.parametrize(
    ("calls", "text"),
    [
        (
            "DataCopy(tile, gm, 64); Adds(more, tile, 1.0F, 64);",
            "SetFlag<HardEvent::MTE2_V> after DataCopy in line {0}, WaitFlag before Adds in "
            "line {0}",
        ),
        (
            "Duplicate(tile, 1.0F, 64); Adds(more, tile, 1.0F, 64);",
            "PipeBarrier<PIPE_V> between Duplicate in line {0} and Adds in line {0}",
        ),
    ],
)
def test_two_calls_in_one_line(calls: str, text: str) -> None:
    source = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    {calls}  // both
}}
"""
    with cannery.use(hazards="explicit"):
        (hazard,) = findings(source, 1, floats(64)).hazards
    assert hazard.missing == text.format(line_of(source, "// both"))


PADDED = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    PREPARE
    DataCopyPad(tile, gm, DataCopyExtParams(1, 37 * 4, 0, 0, 0),
                DataCopyPadExtParams<float>(PADDING));  // in
    PipeBarrier<PIPE_ALL>();
    ReduceSum(more, tile, more[64], 40);  // sum
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(gm, more, DataCopyExtParams(1, 4, 0, 0, 0));
}}
"""


@pytest.mark.parametrize(
    ("padding", "prepare", "text", "mended"),
    rest_slow(
        [
            (
                "false, 0, 0, 0.0F",
                "",
                "isPad = true, a padding value and rightPadding = 3 "
                "(3 elements behind each row are filler)",
                "true, 0, 3, 0.0F",
            ),
            (
                "true, 0, 0, 0.0F",
                "",
                "rightPadding = 3 (3 elements behind each row are filler)",
                "true, 0, 3, 0.0F",
            ),
            (
                "true, 0, 2, 0.0F",
                "",
                "rightPadding = 3, not 2 (1 element behind each row is filler)",
                "true, 0, 3, 0.0F",
            ),
            (
                "true, 2, 0, 0.0F",
                "",
                "rightPadding = 1 (1 element behind each row is filler)",
                "true, 2, 1, 0.0F",
            ),
            (
                "false, 1, 2, 0.0F",
                "",
                "isPad = true and a padding value for leftPadding = 1 and rightPadding = 2",
                "true, 1, 2, 0.0F",
            ),
            (
                "false, 0, 0, 0.0F",
                "SetPadValue(0.0F);",
                "rightPadding = 3 (3 elements behind each row are filler)",
                "false, 0, 3, 0.0F",
            ),
        ]
    ),
)
def test_the_padding_that_is_missing(padding: str, prepare: str, text: str, mended: str) -> None:
    """A value alone does not pad: T822 names the counts, and the kernel that has them is right."""
    source = PADDED.replace("PREPARE", prepare)
    wrong = source.replace("PADDING", padding)
    (hazard,) = findings(wrong, 1, floats(64)).hazards
    assert hazard.code == "T822"
    sums = line_of(wrong, "// sum")
    assert hazard.first is not None
    assert hazard.missing == (
        f"{text} in line {hazard.first.line}, or only the valid elements in line {sums}"
    )
    cannery.compile_kernel(HEAD + source.replace("PADDING", mended), "k")(1, floats(64))


MASKS = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    DataCopy(tile, gm, 128);
    PipeBarrier<PIPE_ALL>();
    MASK  // mask
    Adds<float, false>(more, tile, 1.0F, MASK_PLACEHOLDER, 2, {{1, 1, 8, 8}});  // adds
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm, more, 128);  // out
}}
"""


@pytest.mark.parametrize(
    ("mask", "text"),
    [
        ("SetVectorMask<float>(40);", "80 of 128 elements: the mask of line {mask}"),
        ("SetVectorMask<float>(0, 0xFF00FF00FF00FF00);", "64 of 128 elements"),
    ],
)
def test_a_mask_that_leaves_elements_out(mask: str, text: str) -> None:
    source = MASKS.replace("MASK  //", f"{mask}  //")
    (hazard,) = findings(source, 1, floats(128)).hazards
    assert (hazard.code, hazard.second.line) == ("T820", line_of(source, "// out"))
    want = f"Adds in line {line_of(source, '// adds')} wrote only {text}"
    assert want.format(mask=line_of(source, "// mask")) in hazard.missing
    whole = source.replace(mask, "ResetMask();")
    cannery.compile_kernel(HEAD + whole, "k")(1, floats(128))


def test_a_mask_of_the_call_itself() -> None:
    source = MASKS.replace("MASK  //", "//").replace(
        "<float, false>(more, tile, 1.0F, MASK_PLACEHOLDER", "(more, tile, 1.0F, uint64_t{40}"
    )  # fmt: skip
    (hazard,) = findings(source, 1, floats(128)).hazards
    assert "wrote only 80 of 128 elements: its mask excludes the others" in hazard.missing


def test_a_mask_in_counter_mode() -> None:
    source = MASKS.replace(
        "MASK  //", "SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(100);  //"
    )
    source = source.replace("// out", "// out\n    SetMaskNorm(); ResetMask();")
    (hazard,) = findings(source, 1, floats(128)).hazards
    assert (
        f"Adds in line {line_of(source, '// adds')} wrote only 100 elements: the mask of line "
        f"{line_of(source, '// mask')} excludes the others" in hazard.missing
    )


def test_a_mask_that_leaves_filler() -> None:
    """The kernel overwrites filler with zeros, but the mask leaves out some of the filler."""
    text = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    DataCopyPad(tile, gm, DataCopyExtParams(1, 10 * 4, 0, 0, 0),
                DataCopyPadExtParams<float>(false, 0, 0, 0.0F));
    PipeBarrier<PIPE_ALL>();
    uint64_t bits[2] = {{0x3C00, 0}};
    Duplicate(tile, 0.0F, bits, 1, 1, 8);  // clears
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm, tile, 16);
}}
"""
    (hazard,) = findings(text, 1, floats(64)).hazards
    assert hazard.code == "T822"
    assert f"Duplicate in line {line_of(text, '// clears')} wrote only 4 of 64" in hazard.missing
    kernel = cannery.compile_kernel(HEAD + text.replace("0x3C00", "0xFC00"), "k")
    kernel(1, floats(64))


def test_hints_name_the_header_of_a_line(tmp_path: Path) -> None:
    (tmp_path / "copy.h").write_text(
        "template <typename From, typename To>\n"
        "__aicore__ inline void Load(To tile, From gm) {\n"
        "    AscendC::DataCopy(tile, gm, 64);\n"
        "    AscendC::Adds(tile, tile, 1.0F, 64);\n"
        "}\n"
    )
    text = f"""
#include "copy.h"
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    Load(tile, gm);
}}
"""
    kernel = cannery.compile_kernel(HEAD + text, "k", include_dirs=[tmp_path])
    with pytest.raises(cannery.HazardError) as caught:
        kernel(1, floats(64))
    assert [hazard.missing for hazard in caught.value.hazards] == [
        "SetFlag<HardEvent::MTE2_V> after line 3 of copy.h, WaitFlag before line 4 of copy.h"
    ]
