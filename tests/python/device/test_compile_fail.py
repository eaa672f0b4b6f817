# SPDX-License-Identifier: Apache-2.0
"""The sources in tests/compile_fail must not compile, and the message must name the mistake."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import cannery

FOLDER = Path(__file__).resolve().parents[2] / "compile_fail"

#: Texts that the compiler's message must contain for the last statement of each source.
MESSAGES = {
    "barrier_of_scalar_pipe": r"PipeBarrier<PIPE_S> does not exist",
    "cast_bfloat16_to_half": r"Cast: half from bfloat16_t is not available on A2/A3",
    "dtype_add_bfloat16": r"Add: this type is not supported on A2/A3; it takes half, float",
    "dtype_duplicate_int8": r"Duplicate: this type is not supported on A2/A3",
    "dtype_exp_int32": r"Exp: this type is not supported on A2/A3; it takes half, float",
    "dtype_not_float": r"Not: this type is not supported on A2/A3; it takes int16_t, uint16_t",
    "dtype_reduce_int32": r"ReduceSum: this type is not supported on A2/A3; it takes half, float",
    "kernel_with_owner": "copied byte by byte; this parameter is a reference, or owns something",
    "literal_adds_double": r"Adds: the tensors are of float, the scalar is double",
    "literal_duplicate_int": r"Duplicate: the tensors are of float, the scalar is int",
    "literal_muls_int": r"Muls: the tensors are of float, the scalar is int",
    "operand_types_differ": r"Add: the tensors have different types, float and half",
    "padding_mode": r"DataCopyPad with a PaddingMode is for other chips; on A2 and A3 it has no mo",
    "proposal_sort": r"RpSort16 works on region proposals.*use Sort32",
    "queue_tscm": r"TSCM has a type of its own",
    "queue_without_a_way": r"no way between the memories of these positions",
    "tiling_without_struct": r"GET_TILING_DATA_needs_REGISTER_TILING_DEFAULT",
    "unmodelled_api": r".VectorPadding. was not declared",
}


def refusal(name: str) -> str:
    try:
        cannery.compile_kernel(FOLDER / f"{name}.cpp", name)
    except cannery.CompileError as error:
        return str(error)
    return ""


@pytest.fixture(scope="module")
def refusals() -> dict[str, str]:
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(MESSAGES, pool.map(refusal, MESSAGES), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_does_not_compile(refusals: dict[str, str], name: str) -> None:
    text = refusals[name]
    assert text, f"{name}.cpp compiles"
    assert re.search(MESSAGES[name], text, re.DOTALL), text
    assert "error" in text


def test_every_source_is_tried() -> None:
    assert {path.stem for path in FOLDER.glob("*.cpp")} == {*MESSAGES, "good"}


def test_the_frame_compiles() -> None:
    cannery.compile_kernel(FOLDER / "good.cpp", "good")
