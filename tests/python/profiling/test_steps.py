# SPDX-License-Identifier: Apache-2.0
"""The model has a cost for each instruction of calls that the twin records step by step."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.profiling import Launch

from .by_hand import FUNCTION, HEAD, entry

pytestmark = [
    pytest.mark.twin_only("a card is measured, not modelled"),
    pytest.mark.hazards_off("kernels copy whole buffers out, also where the call writes less"),
]

#: Calls: (instructions of the kernel, opcode and cycles of the instructions of the vector unit).
CALLS: dict[str, tuple[str, list[tuple[str, float]]]] = {
    # The first instruction reduces 32 repeats to 32 pairs of value and index, the second one these
    # pairs. The third one is in the library for inputs with more levels.
    "reduce_max": (
        "ReduceMax(dst, src, f, int32_t(n));",
        [("ReduceMax", 20 + 32 * 7), ("ReduceMax", 20 + 7), ("ReduceMax", 20 + 7)],
    ),
    "reduce_min_with_index": (
        "ReduceMin(dst, src, f, int32_t(n), true);",
        [("ReduceMin", 20 + 32 * 7), ("ReduceMin", 20 + 7)],
    ),
    "reduce_sum": ("ReduceSum(dst, src, f, int32_t(n));", [("ReduceSum", 32 + 32 * 7)]),
    "sort": (
        """
        auto index = f[32];  // in other groups of banks than src
        ArithProgression(index.template ReinterpretCast<int32_t>(), int32_t(0), int32_t(1), 32);
        Sort<float, false>(dst, src, index.template ReinterpretCast<uint32_t>(), f, 4);
        """,
        [*[("Adds", 23)] * 3, ("Sort", 24 + 128 / 2)],
    ),
    "extract": (
        "Extract(dst, dst[1024].template ReinterpretCast<uint32_t>(), src, 4);",
        [("Extract", 2 + 4 * 14), ("Extract", 2 + 4 * 14)],
    ),
    # A repeat takes 12 cycles, and 2 cycles for each 256 B.
    "gather_mask_in_one_repeat": (
        "uint64_t kept = 0; GatherMask(dst, src, 1, true, n, {1, 1, 8, 0}, kept); ResetMask();",
        [("GatherMask", 2 + 12 + 32 * 2)],
    ),
    "gather_mask_of_short_rows": (
        "uint64_t kept = 0; GatherMask(dst, src, 7, true, 13, {1, 40, 2, 0}, kept); ResetMask();",
        [("GatherMask", 2 + 40 * 14)],
    ),
    "gather": (
        """
        auto offsets = f[64];  // in other groups of banks than the element that is read
        Duplicate(offsets.template ReinterpretCast<int32_t>(), 32, 64);
        Gather(dst, src, offsets.template ReinterpretCast<uint32_t>(), 0U, 64U);
        """,
        [("Duplicate", 17 + 1), ("Gather", 16 + 64 * 0.1875)],
    ),
    "compares": (
        "Compares(tmp, src, 1.0f, CMPMODE::LT, n);",
        [("Compares", 22 + 32)],
    ),
    "cast_dequant": (
        """
        SetDeqScale(half(1.0f));
        CastDequant(tmp.template ReinterpretCast<half>(), src.template ReinterpretCast<int32_t>(),
                    n);
        """,
        [("CastDequant", 23 + 32)],
    ),
}


def profiled(name: str, shared_cache: Path) -> Launch:
    functions = list(CALLS)
    text = HEAD + "".join(
        FUNCTION % (each, 2048, "float", 65536, "float", 2048, CALLS[each][0]) for each in functions
    )
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(text + entry(functions), "work")
    x = np.arange(2048, dtype=np.float32)
    with cannery.profile() as p:
        kernel(1, x.view(np.uint8), np.zeros_like(x).view(np.uint8), functions.index(name))
    return p.launches[0]


@pytest.mark.parametrize("name", CALLS)
def test_costs(name: str, shared_cache: Path) -> None:
    launch = profiled(name, shared_cache)
    assert launch.estimated == ()
    got = [(each.opcode, each.cycles) for each in launch.instructions if each.pipe == "V"]
    work = [each for each in got if "Flag" not in each[0] and each[0] != "PipeBarrier"]
    assert work[1:-1] == CALLS[name][1]


def test_reduction_waits_for_the_scalar_unit(shared_cache: Path) -> None:
    """The last step of ReduceMax is on the scalar unit: it waits for the vector unit, copies the
    result, and lets the vector unit wait."""
    launch = profiled("reduce_max", shared_cache)
    calls = [each for each in launch.operations if each["call"] == "ReduceMax"]
    assert {(each["opcode"], each["pipe"]) for each in calls} == {
        *(("ReduceMax", "V"), ("ReduceMax", "S"), ("PipeBarrier", "V")),
        *(("SetFlag", "V"), ("WaitFlag", "S"), ("SetFlag", "S")),
        *(("WaitFlag", "V"), ("WaitFlag", "MTE3")),
    }
    waits = [each for each in launch.instructions if each.waits_for == "V_S"]
    assert [(each.opcode, each.pipe) for each in waits] == [("WaitFlag", "S")]


#: Cycles per element and constant cycles of whole library calls of floats on Atlas A2, with their
#: barriers. The vendor's fusion compiler (ge, autofuse) contains these figures.
VENDOR = {
    "Sigmoid": (0.1256, 115.97),
    "Tanh": (0.1570, 153.93),
    "Erf": (0.6038, 458.29),
    "Sign": (0.1701, 119.07),
}


@pytest.mark.parametrize("n", [512, 2048])
def test_library_calls_take_what_the_vendor_says(n: int, shared_cache: Path) -> None:
    """The vector instructions of a call, with their barriers, take about as long as the vendor's
    figures of the whole call say."""
    text = HEAD + "".join(
        FUNCTION % (call, n, "float", 65536, "float", n, f"{call}(dst, src, tmp, n);")
        for call in VENDOR
    )
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(text + entry(list(VENDOR)), "work")
    x = np.full(n, 0.5, np.float32)
    ratios = []
    for which, (each, constant) in enumerate(VENDOR.values()):
        with cannery.profile() as p:
            kernel(1, x.view(np.uint8), np.zeros_like(x).view(np.uint8), which)
        vector = [step for step in p.launches[0].instructions if step.pipe == "V"]
        work = [step for step in vector if "Flag" not in step.opcode]
        work = work[1:-1]  # without the Duplicate before the call and the Adds behind it
        end = work[-1].start_us + work[-1].us
        ratios.append((end - work[0].start_us) * 1800 / (each * n + constant))
    assert math.exp(np.mean(np.abs(np.log(ratios)))) < 1.2
    assert max(ratios) < 1.35
    assert min(ratios) > 0.8


def test_no_instruction_is_guessed() -> None:
    """Every instruction of the vector unit has a cost, and every call has steps or a formula."""
    page = Path(__file__).resolve().parents[3] / "docs" / "timing.md"
    table = page.read_text("utf-8").partition("| timed | calls |")[2].partition("\n\n")[0]
    assert "by their steps" in table
    assert "guessed" not in table
