# SPDX-License-Identifier: Apache-2.0
"""Tests every refusal of the public NsaCompressGrad function; its checks need no runtime."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aclnn_library import BF16, FLOAT, FLOAT16, FRACTAL_NZ, NCL, AclnnLibrary

NULLPTR, INVALID, TILING, INFERSHAPE = 161001, 161002, 561002, 561001

TENSORS = ("output_grad", "input", "weight", "input_grad", "weight_grad")
GOOD: dict[str, Any] = {
    "output_grad": (4, 2, 16), "input": (80, 2, 16), "weight": (32, 2), "ends": None, "block": 32,
    "stride": 16, "kind": 0, "layout": b"TND", "input_grad": (80, 2, 16), "weight_grad": (32, 2),
}  # fmt: skip


@pytest.fixture(scope="module")
def library(root: Path, generated: Path, tmp_path_factory: pytest.TempPathFactory) -> AclnnLibrary:
    folder = tmp_path_factory.mktemp("checks")
    return AclnnLibrary(root, generated, folder, "nsa_compress_grad", "NsaCompressGrad")


@pytest.fixture(autouse=True)
def freed(library: AclnnLibrary) -> Iterator[None]:
    with library.tensors():
        yield


def call(library: AclnnLibrary, results: dict[str, bool] | None = None, **changes: Any) -> Any:
    """Calls phase 1 with GOOD and the replacements `changes`; AclnnLibrary.of makes the tensors."""
    given = {**GOOD, **changes}
    for name in TENSORS:
        given[name] = library.of(given[name])
    if given["ends"] is not None:
        given["ends"] = library.int_array(*given["ends"])
    return library.call(*given.values(), **(results or {}))


def all_of(dtype: int) -> dict[str, Any]:
    return {name: {"shape": GOOD[name], "dtype": dtype} for name in TENSORS}


@pytest.mark.parametrize("dtype", [FLOAT16, BF16])
def test_accepts(library: AclnnLibrary, dtype: int) -> None:
    accepted = (0, True)
    assert call(library, **all_of(dtype))[::2] == accepted
    assert call(library, **all_of(dtype), layout=None)[::2] == accepted
    assert call(library, **all_of(dtype), ends=(1, 2, 3))[::2] == accepted  # tiling checks `ends`


def test_accepts_any_strides_and_plain_formats(library: AclnnLibrary) -> None:
    strided = {"shape": (80, 2, 16), "strides": (1, 80, 160), "layout": NCL}
    weights = {"shape": (32, 2), "strides": (1, 40)}
    changed = {"input": strided, "input_grad": strided, "weight": weights, "weight_grad": weights}
    assert call(library, **changed)[::2] == (0, True)


@pytest.mark.parametrize(("argument", "name"), [
    ("output_grad", "outputGrad"), ("input", "input"), ("weight", "weight"),
    ("input_grad", "inputGradOut"), ("weight_grad", "weightGradOut"),
])  # fmt: skip
def test_null_tensor(library: AclnnLibrary, argument: str, name: str) -> None:
    # A null pointer is reported first, whatever else is wrong.
    status, sentence, reached = call(library, **{argument: None}, kind=1, stride=7)
    assert (status, reached) == (NULLPTR, False)
    assert sentence == f"{name} is a null pointer; it is required"


@pytest.mark.parametrize(("absent", "name"), [("size", "workspaceSize"), ("executor", "executor")])
def test_null_results(library: AclnnLibrary, absent: str, name: str) -> None:
    status, sentence, reached = call(library, {absent: False})
    assert (status, reached) == (NULLPTR, False)
    assert f"{name} is a null pointer" in sentence


#: Cases: the changes to the correct call, the status, and the start of the message.
REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "dtype nobody takes": (
        all_of(FLOAT), INVALID, "outputGrad has dtype float32; expected float16 or bfloat16",
    ),
    **{
        f"dtype of {name}": (
            {name: {"shape": GOOD[name], "dtype": BF16}}, INVALID,
            "these dtypes do not go together: outputGrad",
        )
        for name in TENSORS
    },
    "private format": (
        {"weight": {"shape": (32, 2), "layout": FRACTAL_NZ}}, INVALID,
        "weight has format FRACTAL_NZ; expected ND",
    ),
    "dtype before layout": (
        {"layout": b"BSH", **all_of(FLOAT)}, INVALID, "outputGrad has dtype float32",
    ),
    "layout": ({"layout": b"BSH"}, INVALID, 'layoutOptionalOptional is "BSH"; expected "TND"'),
    "kind": ({"kind": 1}, INVALID, "actSeqLenType is 1; expected 0"),
    "rank of output_grad": (
        {"output_grad": (4, 32)}, INVALID, "outputGrad has shape [4, 32]; expected [M, N, D]",
    ),
    "rank of input": ({"input": (80, 32)}, INVALID, "input has shape [80, 32]; expected [T, N, D]"),
    "rank of weight": ({"weight": (64,)}, INVALID, "weight has shape [64]; expected"),
    "no window": ({"output_grad": (0, 2, 16)}, INVALID, "outputGrad has shape [0, 2, 16]"),
    "no row": ({"input": (0, 2, 16)}, INVALID, "input has shape [0, 2, 16]"),
    "no weight": ({"weight": (0, 2)}, INVALID, "weight has shape [0, 2]"),
    "heads differ": (
        {"output_grad": (4, 3, 16)}, INVALID,
        "outputGrad has shape [4, 3, 16]; expected [4, 2, 16]",
    ),
    "dims differ": (
        {"output_grad": (4, 2, 32)}, INVALID,
        "outputGrad has shape [4, 2, 32]; expected [4, 2, 16]",
    ),
    "shape of weight": ({"weight": (48, 2)}, INVALID, "weight has shape [48, 2]; expected [32, 2]"),
    "shape of input_grad": (
        {"input_grad": (81, 2, 16)}, INVALID,
        "inputGradOut has shape [81, 2, 16]; expected [80, 2, 16]",
    ),
    "rank of input_grad": (
        {"input_grad": (2560,)}, INVALID, "inputGradOut has shape [2560]; expected [80, 2, 16]",
    ),
    "shape of weight_grad": (
        {"weight_grad": (2, 32)}, INVALID, "weightGradOut has shape [2, 32]; expected [32, 2]",
    ),
    "no ends": ({"ends": ()}, INVALID, "actSeqLenOptionalOptional has no element"),
    "windows": (
        {"output_grad": (5, 2, 16)}, INVALID, "outputGrad has shape [5, 2, 16]; expected 4 windows",
    ),
    "windows before limits": (
        {"output_grad": (5, 2, 16), "stride": 24}, INVALID, "outputGrad has shape [5, 2, 16]",
    ),
    "stride 0": ({"stride": 0}, TILING, "compressStride is 0; expected a multiple of 16"),
    "stride -16": ({"stride": -16}, TILING, "compressStride is -16; expected"),
    "stride 24": ({"stride": 24, "output_grad": (3, 2, 16)}, TILING, "compressStride is 24"),
    "stride of a block": (
        {"stride": 32, "output_grad": (2, 2, 16)}, TILING,
        "compressStride is 32; expected a multiple of 16 from 16 up, and less than "
        "compressBlockSize, which is 32",
    ),
    "block": (
        {"block": 40, "weight": (40, 2), "weight_grad": (40, 2), "output_grad": (3, 2, 16)},
        TILING, "compressBlockSize is 40; expected a multiple of 16 from 16 to 128",
    ),
    "large block": (
        {
            "block": 144, "weight": (144, 2), "weight_grad": (144, 2), "output_grad": (1, 2, 16),
            "input": (144, 2, 16), "input_grad": (144, 2, 16),
        },
        TILING, "compressBlockSize is 144",
    ),
    "dim 24": (
        {"output_grad": (4, 2, 24), "input": (80, 2, 24), "input_grad": (80, 2, 24)}, TILING,
        "input has shape [80, 2, 24] and so D = 24; expected a multiple of 16 up to 256",
    ),
    "heads": (
        {
            "output_grad": (4, 129, 16), "input": (80, 129, 16), "input_grad": (80, 129, 16),
            "weight": (32, 129), "weight_grad": (32, 129),
        },
        TILING, "input has shape [80, 129, 16] and so N = 129; expected up to 128",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refuses(library: AclnnLibrary, name: str) -> None:
    changes, expected, start = REFUSED[name]
    status, sentence, reached = call(library, **changes)
    assert (status, reached) == (expected, False), sentence
    assert sentence.startswith(start)


def test_ends_that_tiling_refuses(library: AclnnLibrary) -> None:
    with library.inner_status(TILING):
        status, sentence, reached = call(library, ends=(40, 81))
    assert (status, reached) == (INVALID, True)
    assert sentence.startswith("actSeqLenOptionalOptional has 2 elements; expected ends")
    assert "the 80 rows of input" in sentence
    assert "the 4 windows of outputGrad" in sentence


def test_other_failures_of_the_inner_function_stay(library: AclnnLibrary) -> None:
    with library.inner_status(TILING):
        assert call(library)[0] == TILING
    with library.inner_status(INFERSHAPE):
        assert call(library, ends=(40, 80))[0] == INFERSHAPE
