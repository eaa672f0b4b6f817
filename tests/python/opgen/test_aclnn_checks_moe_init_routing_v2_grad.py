# SPDX-License-Identifier: Apache-2.0
"""Tests every refusal of the public MoeInitRoutingV2Grad function; its checks need no runtime."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aclnn_library import BF16, FLOAT, FLOAT16, FRACTAL_NZ, INT32, INT64, NCL, AclnnLibrary

TYPE = "MoeInitRoutingV2Grad"
NULLPTR, INVALID, TILING = 161001, 161002, 561002


@pytest.fixture(scope="module")
def library(root: Path, generated: Path, tmp_path_factory: pytest.TempPathFactory) -> AclnnLibrary:
    folder = tmp_path_factory.mktemp("checks")
    return AclnnLibrary(root, generated, folder, "moe_init_routing_v2_grad", TYPE)


@pytest.fixture(autouse=True)
def freed(library: AclnnLibrary) -> Iterator[None]:
    with library.tensors():
        yield


def ints(*shape: int) -> dict[str, Any]:
    return {"shape": shape, "dtype": INT32}


GOOD: dict[str, Any] = {
    "grad": (6, 2), "index": ints(6), "top_k": 2, "mode": 0, "active": 0, "out": (3, 2),
}  # fmt: skip


def call(library: AclnnLibrary, results: dict[str, bool] | None = None, **changes: Any) -> Any:
    """Calls phase 1 with GOOD and the replacements `changes`; AclnnLibrary.of makes the tensors."""
    given = {**GOOD, **changes}
    for name in ("grad", "index", "out"):
        given[name] = library.of(given[name])
    return library.call(*given.values(), **(results or {}))


@pytest.mark.parametrize("dtype", [FLOAT16, BF16, FLOAT])
def test_accepts_all_modes(library: AclnnLibrary, dtype: int) -> None:
    def typed(*shape: int) -> dict[str, Any]:
        return {"shape": shape, "dtype": dtype}

    out = typed(3, 2)
    accepted = (0, True)
    assert call(library, grad=typed(6, 2), out=out)[::2] == accepted
    assert call(library, grad=typed(4, 2), out=out, active=4)[::2] == accepted
    assert call(library, grad=typed(99, 2), out=out, active=99)[::2] == accepted
    assert call(library, grad=typed(3, 5, 2), out=out, mode=1)[::2] == accepted
    assert call(library, grad=typed(3, 5, 2), out=out, mode=1, active=7)[::2] == accepted
    for empty in (typed(0, 5, 2), typed(3, 0, 2)):
        assert call(library, grad=empty, out=out, mode=1)[::2] == accepted


def test_accepts_strided_inputs_and_plain_formats(library: AclnnLibrary) -> None:
    grad = {"shape": (6, 2), "strides": (1, 6), "layout": NCL}
    index = {"shape": (6,), "dtype": INT32, "strides": (5,)}
    out = {"shape": (3, 2), "layout": NCL}
    assert call(library, grad=grad, index=index, out=out)[::2] == (0, True)


@pytest.mark.parametrize(
    ("argument", "name"),
    [("grad", "gradExpandedX"), ("index", "expandedRowIdx"), ("out", "out")],
)
def test_null_tensor(library: AclnnLibrary, argument: str, name: str) -> None:
    status, sentence, reached = call(library, **{argument: None})
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
        {"grad": ints(6, 2), "out": ints(3, 2)}, INVALID,
        "gradExpandedX has dtype int32; expected float16, bfloat16 or float32",
    ),
    "dtype of the indices": (
        {"index": {"shape": (6,), "dtype": INT64}}, INVALID,
        "expandedRowIdx has dtype int64; expected int32",
    ),
    "dtype of the output": (
        {"out": {"shape": (3, 2), "dtype": FLOAT}}, INVALID,
        "these dtypes do not go together: gradExpandedX float16, expandedRowIdx int32, out float32",
    ),
    "private format": (
        {"grad": {"shape": (6, 2), "layout": FRACTAL_NZ}}, INVALID,
        "gradExpandedX has format FRACTAL_NZ; expected ND",
    ),
    "output strides": (
        {"out": {"shape": (3, 2), "strides": (1, 3)}}, INVALID,
        "out has strides [1, 3]; expected [2, 1], a contiguous tensor",
    ),
    "mode 2": ({"mode": 2}, TILING, "dropPadMode is 2; expected 0"),
    "mode -1": ({"mode": -1}, TILING, "dropPadMode is -1; expected 0"),
    "top_k 0": ({"top_k": 0}, TILING, "topK is 0; expected 1 or more"),
    "smallest top_k": ({"top_k": -(2**63)}, TILING, "topK is -9223372036854775808;"),
    "largest top_k": (
        {"top_k": 2**63 - 1}, TILING,
        "expandedRowIdx has 6 elements; expected a multiple of topK, which is 9223372036854775807",
    ),
    "active_num": ({"active": -1}, TILING, "activeNum is -1; expected 0"),
    "active_num in drop/pad mode": (
        {"grad": (3, 2, 2), "mode": 1, "active": -1}, TILING, "activeNum is -1; expected 0",
    ),
    "gradient of rank 1": (
        {"grad": (6,)}, TILING,
        "gradExpandedX has shape [6]; expected [rows, H], since dropPadMode is 0",
    ),
    "gradient of rank 0": ({"grad": ()}, TILING, "gradExpandedX has shape []; expected [rows, H]"),
    "gradient of rank 4": (
        {"grad": (3, 1, 2, 2), "mode": 1}, TILING,
        "gradExpandedX has shape [3, 1, 2, 2]; expected [E, C, H], since dropPadMode is 1",
    ),
    "rank 3 in mode 0": ({"grad": (3, 2, 2)}, TILING, "gradExpandedX has shape [3, 2, 2]"),
    "rank 2 in mode 1": ({"mode": 1}, TILING, "gradExpandedX has shape [6, 2]"),
    "indices of rank 2": (
        {"index": ints(3, 2)}, TILING, "expandedRowIdx has shape [3, 2]; expected [N * topK]",
    ),
    "indices of rank 0": ({"index": ints()}, TILING, "expandedRowIdx has shape []"),
    "rows of a dropless call": (
        {"grad": (5, 2)}, TILING,
        "gradExpandedX has 5 rows; expected 6, one per element of expandedRowIdx",
    ),
    "rows of an active call": (
        {"active": 5}, TILING, "gradExpandedX has 6 rows; expected 5, which is activeNum",
    ),
    "output of rank 1": ({"out": (3,)}, TILING, "out has shape [3]; expected [3, 2]"),
    "output of rank 3": ({"out": (3, 2, 1)}, TILING, "out has shape [3, 2, 1]; expected [3, 2]"),
    "output columns": ({"out": (3, 3)}, TILING, "out has shape [3, 3]; expected [3, 2]"),
    "empty output with strides of its own": (
        {"out": {"shape": (0, 2), "strides": (9, 9)}}, TILING, "out has shape [0, 2]",
    ),
    "output rows": ({"out": (6, 2)}, TILING, "out has shape [6, 2]; expected [3, 2]"),
    "top_k does not divide": (
        {"top_k": 4, "out": (1, 2)}, TILING,
        "expandedRowIdx has 6 elements; expected a multiple of topK, which is 4",
    ),
    "no indices": (
        {"grad": (0, 2), "index": ints(0), "out": (0, 2)}, TILING,
        "expandedRowIdx has shape [0]; expected [N * topK], one dimension with at least one",
    ),
    "no columns": (
        {"grad": (6, 0), "out": (3, 0)}, TILING,
        "gradExpandedX has shape [6, 0]; expected rows of at least one element",
    ),
    "fewer than no columns": (
        {"grad": (6, -2), "out": (3, -2)}, TILING,
        "gradExpandedX has shape [6, -2]; expected rows of at least one element",
    ),
    "no columns in drop/pad mode": (
        {"grad": (3, 2, 0), "mode": 1, "out": (3, 0)}, TILING, "gradExpandedX has shape [3, 2, 0]",
    ),
    "no rows in a dropless call": ({"grad": (0, 2)}, TILING, "gradExpandedX has 0 rows"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_refuses(library: AclnnLibrary, case: tuple[dict[str, Any], int, str]) -> None:
    changes, status, expected = case
    got_status, sentence, reached = call(library, **changes)
    assert (got_status, reached) == (status, False)
    assert sentence.startswith(expected)


def test_order_of_the_answers(library: AclnnLibrary) -> None:
    """Null pointers are reported first, then dtypes, then strides, then the rules of tiling."""
    bent = {"shape": (3, 2), "strides": (1, 3)}
    wrong = {"grad": ints(5, 2), "top_k": 0, "out": bent}
    assert call(library, **{**wrong, "index": None})[0] == NULLPTR
    assert "dtype" in call(library, **wrong)[1]
    status, sentence, _ = call(library, **{**wrong, "grad": (5, 2)})
    assert status == INVALID
    assert "strides" in sentence
    assert call(library, **{**wrong, "grad": (5, 2), "out": (3, 2)})[0] == TILING
