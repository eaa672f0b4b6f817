# SPDX-License-Identifier: Apache-2.0
"""Tests every refusal of the public NewOp function. The tests need no runtime."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aclnn_library import BF16, FLOAT, FLOAT16, FRACTAL_NZ, INT32, NCHW, AclnnLibrary


@pytest.fixture(scope="module")
def library(root: Path, generated: Path, tmp_path_factory: pytest.TempPathFactory) -> AclnnLibrary:
    return AclnnLibrary(root, generated, tmp_path_factory.mktemp("checks"), "new_op", "NewOp")


@pytest.fixture(autouse=True)
def freed(library: AclnnLibrary) -> Iterator[None]:
    with library.tensors():
        yield


def call(library: AclnnLibrary, x: Any, out: Any) -> Any:
    """Calls the function with tensors in the form of AclnnLibrary.of."""
    return library.call(library.of(x), library.of(out))


@pytest.mark.parametrize("dtype", [FLOAT16, BF16, FLOAT])
def test_accepts(library: AclnnLibrary, dtype: int) -> None:
    x = {"shape": (2, 3, 4), "dtype": dtype}
    assert call(library, x, x)[::2] == (0, True)


def test_accepts_strided_inputs_and_plain_formats(library: AclnnLibrary) -> None:
    x = {"shape": (4, 6), "strides": (1, 4), "layout": NCHW}
    assert call(library, x, (4, 6))[::2] == (0, True)


@pytest.mark.parametrize(("position", "name"), [(0, "x"), (1, "out")])
def test_null_tensor(library: AclnnLibrary, position: int, name: str) -> None:
    tensors: list[Any] = [(4, 6), (4, 6)]
    tensors[position] = None
    status, sentence, reached = call(library, *tensors)
    assert (status, reached) == (161001, False)
    assert sentence == f"{name} is a null pointer; it is required"


@pytest.mark.parametrize(("absent", "name"), [("size", "workspaceSize"), ("executor", "executor")])
def test_null_results(library: AclnnLibrary, absent: str, name: str) -> None:
    tensors = library.of((4, 6)), library.of((4, 6))
    status, sentence, reached = library.call(*tensors, **{absent: False})
    assert (status, reached) == (161001, False)
    assert f"{name} is a null pointer" in sentence


#: Refused calls: x, out, message of status 161002. A tuple is a shape; a dict has more fields.
REFUSED: dict[str, tuple[Any, Any, str]] = {
    "dtype nobody takes": (
        {"shape": (4, 6), "dtype": INT32}, (4, 6),
        "x has dtype int32; expected float16, bfloat16 or float32",
    ),
    "mixed dtypes": (
        {"shape": (4, 6), "dtype": FLOAT}, (4, 6),
        "these dtypes do not go together: x float32, out float16; expected one of the rows",
    ),
    "private format": (
        {"shape": (4, 6), "layout": FRACTAL_NZ}, (4, 6), "x has format FRACTAL_NZ; expected ND",
    ),
    "scalar": ((), (), "x has shape [] with 0 dimensions; expected 1 to 8"),
    "rank 9": ((1,) * 9, (1,) * 9, "x has shape [1, 1, 1, 1, 1, 1, 1, 1, 1] with 9 dimensions"),
    "empty": ((0, 6), (0, 6), "x has shape [0, 6] and so no element"),
    "out shape": ((4, 6), (4, 3), "out has shape [4, 3]; expected [4, 6], the shape of x"),
    "out strides": (
        (4, 6), {"shape": (4, 6), "strides": (1, 4)},
        "out has strides [1, 4]; expected [6, 1], a contiguous tensor",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_refuses(library: AclnnLibrary, case: tuple[Any, ...]) -> None:
    *tensors, expected = case
    status, sentence, reached = call(library, *tensors)
    assert (status, reached) == (161002, False)
    assert sentence.startswith(expected)
