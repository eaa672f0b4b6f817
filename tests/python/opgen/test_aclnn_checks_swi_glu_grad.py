# SPDX-License-Identifier: Apache-2.0
"""Tests every refusal of the public SwiGluGrad function; its checks need no runtime."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aclnn_library import BF16, FLOAT, FLOAT16, FRACTAL_NZ, INT32, NCHW, NCL, AclnnLibrary


@pytest.fixture(scope="module")
def library(root: Path, generated: Path, tmp_path_factory: pytest.TempPathFactory) -> AclnnLibrary:
    folder = tmp_path_factory.mktemp("checks")
    return AclnnLibrary(root, generated, folder, "swi_glu_grad", "SwiGluGrad")


@pytest.fixture(autouse=True)
def freed(library: AclnnLibrary) -> Iterator[None]:
    with library.tensors():
        yield


def call(library: AclnnLibrary, y_grad: Any, x: Any, out: Any, dim: int = -1) -> Any:
    """Makes a call; AclnnLibrary.of makes the tensors from `y_grad`, `x` and `out`."""
    return library.call(library.of(y_grad), library.of(x), dim, library.of(out))


@pytest.mark.parametrize("dtype", [FLOAT16, BF16, FLOAT])
def test_accepts(library: AclnnLibrary, dtype: int) -> None:
    x = {"shape": (2, 3, 4), "dtype": dtype}
    assert call(library, {"shape": (2, 3, 2), "dtype": dtype}, x, x)[::2] == (0, True)
    y_grad = {"shape": (1, 3, 4), "dtype": dtype}
    assert call(library, y_grad, x, x, dim=0)[::2] == (0, True)
    assert call(library, y_grad, x, x, dim=-3)[::2] == (0, True)


def test_accepts_strided_inputs_and_plain_formats(library: AclnnLibrary) -> None:
    x = {"shape": (4, 6), "strides": (1, 4), "layout": NCHW}
    y_grad = {"shape": (4, 3), "strides": (0, 0), "layout": NCL}
    assert call(library, y_grad, x, (4, 6))[::2] == (0, True)


def test_strides_of_dimensions_of_one_do_not_matter(library: AclnnLibrary) -> None:
    out = {"shape": (1, 6), "strides": (77, 1)}
    assert call(library, (1, 3), (1, 6), out)[::2] == (0, True)


@pytest.mark.parametrize(("position", "name"), [(0, "yGrad"), (1, "x"), (2, "out")])
def test_null_tensor(library: AclnnLibrary, position: int, name: str) -> None:
    tensors: list[Any] = [(4, 3), (4, 6), (4, 6)]
    tensors[position] = None
    status, sentence, reached = call(library, *tensors)
    assert (status, reached) == (161001, False)
    assert sentence == f"{name} is a null pointer; it is required"


@pytest.mark.parametrize(("absent", "name"), [("size", "workspaceSize"), ("executor", "executor")])
def test_null_results(library: AclnnLibrary, absent: str, name: str) -> None:
    tensors = library.of((4, 3)), library.of((4, 6)), -1, library.of((4, 6))
    status, sentence, reached = library.call(*tensors, **{absent: False})
    assert (status, reached) == (161001, False)
    assert f"{name} is a null pointer" in sentence


NO_ELEMENT = "and so no element; empty tensors are not supported"
#: Cases: (y_grad, x, out), dim, status and message. A tuple is a shape; a dict has "shape" and
#: keywords of AclnnLibrary.tensor.
REFUSED: dict[str, tuple[Any, Any, Any, int, int, str]] = {
    "dtype nobody takes": (
        (4, 3), {"shape": (4, 6), "dtype": INT32}, (4, 6), -1, 161002,
        "x has dtype int32; expected float16, bfloat16 or float32",
    ),
    "unknown dtype": (
        (4, 3), (4, 6), {"shape": (4, 6), "dtype": 26}, -1, 161002,
        "out has dtype number 26; expected float16, bfloat16 or float32",
    ),
    "mixed dtypes": (
        {"shape": (4, 3), "dtype": FLOAT}, (4, 6), (4, 6), -1, 161002,
        "these dtypes do not go together: yGrad float32, x float16, out float16; expected one of "
        "the rows (float16, float16, float16), (bfloat16, bfloat16, bfloat16), "
        "(float32, float32, float32)",
    ),
    "private format": (
        (4, 3), {"shape": (4, 6), "layout": FRACTAL_NZ}, (4, 6), -1, 161002,
        "x has format FRACTAL_NZ; expected ND",
    ),
    "dtype before shape": (
        (4, 3), {"shape": (), "dtype": INT32}, (4, 6), -1, 161002, "x has dtype int32; expected",
    ),
    "scalar": ((), (), (), 0, 161002, "x has shape [] with 0 dimensions; expected 1 to 8"),
    "rank 9": (
        (1,) * 9, (1,) * 8 + (2,), (1,) * 8 + (2,), -1, 161002,
        "x has shape [1, 1, 1, 1, 1, 1, 1, 1, 2] with 9 dimensions; expected 1 to 8",
    ),
    "empty": ((0, 3), (0, 6), (0, 6), -1, 161002, f"x has shape [0, 6] {NO_ELEMENT}"),
    "empty halves": ((4, 0), (4, 0), (4, 0), -1, 161002, f"x has shape [4, 0] {NO_ELEMENT}"),
    "dim beyond": (
        (4, 3), (4, 6), (4, 6), 2, 161002, "dim is 2; expected -2 to 1, since x has 2 dimensions",
    ),
    "dim before": (
        (4, 3), (4, 6), (4, 6), -3, 161002, "dim is -3; expected -2 to 1, since x has 2 dimensions",
    ),
    "smallest dim": ((4, 3), (4, 6), (4, 6), -(2**63), 161002, "dim is -9223372036854775808;"),
    "y_grad length": (
        (4, 4), (4, 6), (4, 6), -1, 161002,
        "yGrad has shape [4, 4]; expected [4, 3], the shape of x with dimension 1 halved",
    ),
    "y_grad rank": (
        (12,), (4, 6), (4, 6), -1, 161002,
        "yGrad has shape [12]; expected [4, 3], the shape of x with dimension 1 halved",
    ),
    "y_grad along another dim": (
        (4, 3), (4, 6), (4, 6), 0, 161002,
        "yGrad has shape [4, 3]; expected [2, 6], the shape of x with dimension 0 halved",
    ),
    "out shape": (
        (4, 3), (4, 6), (4, 3), -1, 161002, "out has shape [4, 3]; expected [4, 6], the shape of x",
    ),
    "out strides": (
        (4, 3), (4, 6), {"shape": (4, 6), "strides": (1, 4)}, -1, 161002,
        "out has strides [1, 4]; expected [6, 1], a contiguous tensor",
    ),
    "odd": (
        (4, 3), (4, 7), (4, 7), -1, 561002,
        "x has shape [4, 7] and so odd length 7 in dimension 1; expected an even length",
    ),
    "odd although what follows is even": ((1, 2), (3, 2), (3, 2), 0, 561002, "x has shape [3, 2]"),
    "odd, y_grad rounded up": ((4, 4), (4, 7), (4, 7), -1, 561002, "x has shape [4, 7]"),
    "odd, y_grad wrong elsewhere": ((3, 3), (4, 7), (4, 7), -1, 161002, "yGrad has shape [3, 3]"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_refuses(library: AclnnLibrary, case: tuple[Any, ...]) -> None:
    *tensors, dim, status, expected = case
    got_status, sentence, reached = call(library, *tensors, dim=dim)
    assert (got_status, reached) == (status, False)
    assert sentence.startswith(expected)
