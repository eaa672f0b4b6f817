# SPDX-License-Identifier: Apache-2.0
"""Compares Select in its three modes and all forms with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery

from .compare_model import OPS, select
from .conftest import Compile
from .rearrange_machine import Case, RearrangeMachine, new_image, same
from .vector_shapes import shapes

DST, SRC0, SRC1, SEL, ADDRESS, SIZE = 0, 60000, 120000, 183000 // 32 * 32, 187000, 187936
SCRATCH = 188416
SMALL = {"dst": 0, "src0": 8192, "src1": 16384, "sel": 24576}
# UB ends at 184 KiB, where the scratch begins. The operands of the widest shapes do not fit.
SHAPES = {name: shape for name, shape in shapes(4).items() if name not in ("far", "repeats-255")}


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> RearrangeMachine:
    return RearrangeMachine(
        compile_device("compare", {f"OP_{op}": i for i, op in enumerate(OPS)}), OPS
    )


def shaped(dtype: str, name: str) -> dict[str, Any]:
    return shapes(2 if dtype == "half" else 4)[name]


def places() -> dict[str, int]:
    return {"dst": DST, "src0": SRC0, "src1": SRC1, "sel": SEL}


@pytest.mark.parametrize("dtype", ["half", "float"])
@pytest.mark.parametrize("mode", [0, 2])
@pytest.mark.parametrize("name", [n for n, s in SHAPES.items() if s.get("form") != "register"])
def test_tensor(
    unit: RearrangeMachine, rng: np.random.Generator, dtype: str, mode: int, name: str
) -> None:
    case = Case("Select", dtype, mode=mode, **places(), **shaped(dtype, name))
    image = new_image(rng, SIZE)
    same(unit.run(image, case), select(image, case))


@pytest.mark.parametrize("dtype", ["half", "float"])
@pytest.mark.parametrize("name", [n for n, s in SHAPES.items() if s.get("form") != "register"])
def test_scalar(unit: RearrangeMachine, rng: np.random.Generator, dtype: str, name: str) -> None:
    kind = np.float16 if dtype == "half" else np.float32
    for value in (0.0, -1.5, np.nan, np.inf):
        case = Case(
            "SelectScalar", dtype, mode=1, scalar=kind(value).tobytes(), **places(),
            **shaped(dtype, name),
        )  # fmt: skip
        image = new_image(rng, SIZE)
        same(unit.run(image, case), select(image, case))


@pytest.mark.parametrize("dtype", ["half", "float"])
@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("name", ["register", "counter"])
def test_registers(
    unit: RearrangeMachine, rng: np.random.Generator, dtype: str, mode: int, name: str
) -> None:
    case = Case("SelectRegister", dtype, mode=mode, **places(), **shaped(dtype, name))
    # In mode 2, `count` is the byte offset of the tensor that stores the address of the mask.
    case = Case(**{**case.__dict__, "count": ADDRESS // 32 * 32})
    image = new_image(rng, SIZE)
    if mode == 1:  # CMPMASK contains copies of the scalar
        width = case.type.itemsize
        image[SRC1 : SRC1 + 16] = np.tile(image[SRC1 : SRC1 + width], 16 // width)
    same(unit.run(image, case), select(image, case))


def test_in_place(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    for same_as in ("src0", "src1"):
        case = Case("Select", "float", mode=2, count=777, **{**SMALL, "dst": SMALL[same_as]})
        image = new_image(rng, 32768)
        same(unit.run(image, case), select(image, case))


@settings(max_examples=40)
@given(data=st.data())
def test_any_strides(unit: RearrangeMachine, data: st.DataObject) -> None:
    draw = data.draw
    small = st.integers(0, 6)
    case = Case(
        "Select", draw(st.sampled_from(["half", "float"])), "mask_bits",
        draw(st.sampled_from([0, 2])), repeats=draw(st.integers(0, 9)),
        blk=(draw(st.integers(1, 3)), draw(small), draw(small)),
        rep=(draw(st.integers(24, 30)), draw(small), draw(small)),
        low=draw(st.integers(0, 2**64 - 1)), high=0, **SMALL,
    )  # fmt: skip
    image = new_image(np.random.default_rng(draw(st.integers(0, 2**32))), 32768)
    same(unit.run(image, case), select(image, case))


@pytest.mark.hazards_off("the results are copied out with what the scratch left")
def test_the_scratch_is_an_error_only_where_it_is_used(
    unit: RearrangeMachine, rng: np.random.Generator
) -> None:
    image = new_image(rng, SCRATCH + 96)
    cases = {
        0: Case("Select", "float", mode=0, count=64, **SMALL),
        1: Case("SelectScalar", "half", mode=1, count=64, scalar=b"\x12\x34", **SMALL),
        2: Case("Select", "half", mode=2, count=64, **SMALL),
    }
    same(unit.run(image, cases[0]), select(image, cases[0]))
    for mode in (1, 2):
        with pytest.raises(cannery.KernelError, match="184 KiB") as caught:
            unit.run(image, cases[mode])
        assert caught.value.code == "T422"
    with cannery.use(mode="hardware"):
        want = select(image, cases[1])
        want[SCRATCH : SCRATCH + 64] = np.tile(np.array([0x12, 0x34], np.uint8), 32)
        same(unit.run(image, cases[1]), want)
        got = unit.run(image, cases[2])
        same(got[:SCRATCH], select(image, cases[2])[:SCRATCH])
        assert np.all(got[SCRATCH:].view(np.uint32) == SMALL["sel"])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"mode": 1}, "T421"),
        ({"op": "SelectScalar", "mode": 0}, "T421"),
        ({"sel": 8}, "T104"),
        ({"sel": 32736, "count": 1024}, "T107"),
        ({"sel": 0, "count": 512}, "T405"),
        ({"dst": 8192 + 32}, "T405"),
        ({"count": -1}, "T402"),
        ({"form": "mask_count", "low": 65}, "T403"),
    ],
)
def test_refused(
    unit: RearrangeMachine, rng: np.random.Generator, change: dict[str, Any], code: str
) -> None:
    case = Case(**{"op": "Select", "mode": 2, "count": 128, **SMALL, **change})
    with pytest.raises(cannery.KernelError) as caught:
        unit.run(new_image(rng, 32768), case)
    assert caught.value.code == code
