# SPDX-License-Identifier: Apache-2.0
"""Tests every refusal of the public GroupedMatmulFinalizeRouting function in the order of its
checks, which need no runtime."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aclnn_library import (
    BF16,
    FLOAT,
    FLOAT16,
    FRACTAL_NZ,
    INT32,
    INT64,
    NCHW,
    NCL,
    ND,
    AclnnLibrary,
)

TYPE = "GroupedMatmulFinalizeRouting"
NULLPTR, INVALID, TILING = 161001, 161002, 561002
INT8, INT4 = 2, 29  # values of aclDataType

E, M, K, N, BS, SHARED = 3, 10, 192, 72, 7, 4
DTYPES = {
    "x": INT8, "w": INT32, "scale": INT64, "bias": FLOAT, "pertoken_scale": FLOAT,
    "group_list": INT64, "shared_input": BF16, "logit": FLOAT, "row_index": INT64, "y": FLOAT,
}  # fmt: skip
#: Parameters after `bias` in the versions V2 and later of the aclnn function.
QUANTISATION = ("offset_tensor", "antiquant_scale", "antiquant_offset")
NAMES = {
    name: name if name in ("x", "w", "y") else f"{camel}Optional"
    for name, camel in zip(
        DTYPES,
        (
            "x", "w", "scale", "bias", "pertokenScale", "groupList", "sharedInput", "logit",
            "rowIndex", "y",
        ),
        strict=True,
    )
}  # fmt: skip


def shapes(
    e: int = E, m: int = M, k: int = K, n: int = N, bs: int = BS, shared: int = SHARED
) -> dict[str, tuple[int, ...]]:
    return {
        "x": (m, k), "w": (e, k, n // 8), "scale": (e, 1, n), "bias": (e, n),
        "pertoken_scale": (m,), "group_list": (e,), "shared_input": (shared, n), "logit": (m,),
        "row_index": (m,), "y": (bs, n),
    }  # fmt: skip


@pytest.fixture(scope="module")
def library(root: Path, generated: Path, tmp_path_factory: pytest.TempPathFactory) -> AclnnLibrary:
    folder = tmp_path_factory.mktemp("checks")
    return AclnnLibrary(root, generated, folder, "grouped_matmul_finalize_routing", TYPE)


@pytest.fixture(autouse=True)
def freed(library: AclnnLibrary) -> Iterator[None]:
    with library.tensors():
        yield


def call(
    library: AclnnLibrary, extents: dict[str, int] | None = None, **changes: Any
) -> tuple[int, str, bool]:
    """Makes a call that is correct except for `extents` and `changes`. A changed tensor is None, a
    shape, or keywords of AclnnLibrary.tensor. `size` and `executor` may be False."""
    tensors = []
    for name, shape in shapes(**(extents or {})).items():
        change = changes.pop(name, {})
        if change is not None and not isinstance(change, dict):
            change = {"shape": change}
        spec = None if change is None else {"shape": shape, "dtype": DTYPES[name], **change}
        tensors.append(library.of(spec))
    attrs: dict[str, Any] = {
        "dtype": 0, "weight": 1.0, "offset": 0, "transpose_x": False, "transpose_w": False,
        "list_type": 1,
    }  # fmt: skip
    results = {name: changes.pop(name) for name in ("size", "executor", "entry") if name in changes}
    given = [library.of(changes.pop(name, None)) for name in QUANTISATION]
    hint = changes.pop("tuning", None)
    attrs.update(changes)
    assert len(attrs) == 6, changes
    attrs["weight"] = ctypes.c_float(attrs["weight"])
    entry = results.get("entry", "")
    if entry not in ("", "WeightNz"):
        tensors[4:4] = given
    hints = [hint] if entry in ("V3", "WeightNzV2") else []
    return library.call(*tensors[:-1], *attrs.values(), *hints, tensors[-1], **results)


@pytest.mark.parametrize(
    "extents",
    [
        {},
        {"e": 256},
        {"k": 18432},
        {"m": 7},
        {"e": 1, "m": 1, "bs": 1, "shared": 1},
        {"shared": BS},
        {"k": 2048, "n": 7168},
    ],
    ids=str,
)
def test_accepts(library: AclnnLibrary, extents: dict[str, int]) -> None:
    for kind in (0, 1):
        assert call(library, extents, list_type=kind)[::2] == (0, True)


def test_accepts_strided_inputs_and_any_weight(library: AclnnLibrary) -> None:
    assert call(library, x={"strides": (1, M)}, w={"strides": (0, 0, 5)})[::2] == (0, True)
    assert call(library, logit={"strides": (3,)}, weight=-0.5)[::2] == (0, True)
    assert call(library, offset=BS - SHARED)[::2] == (0, True)


@pytest.mark.parametrize("name", list(DTYPES))
def test_null_tensor(library: AclnnLibrary, name: str) -> None:
    # A null pointer is reported first, whatever else is wrong.
    status, sentence, reached = call(library, **{name: None}, dtype=1, transpose_w=True)
    assert (status, reached) == (NULLPTR, False)
    assert sentence == f"{NAMES[name]} is a null pointer; it is required"


@pytest.mark.parametrize(("absent", "name"), [("size", "workspaceSize"), ("executor", "executor")])
def test_null_results(library: AclnnLibrary, absent: str, name: str) -> None:
    status, sentence, _ = call(library, **{absent: False})
    assert (status, sentence) == (NULLPTR, f"{name} is a null pointer; it is required")


#: Cases in the order of the checks: (sizes, changed arguments, start of the message).
REFUSED: list[tuple[dict[str, int], dict[str, Any], str]] = [
    ({}, {"dtype": 1}, "dtype is 1; expected 0, float32"),
    ({}, {"w": (E, K * N // 8)}, f"w has shape [3, {K * N // 8}]; expected [e, k, n / 8], 3 dim"),
    ({}, {"w": (E, K, N // 8, 1)}, "w has shape [3, 192, 9, 1]; expected [e, k, n / 8], 3 dim"),
    ({}, {"transpose_x": True}, "transposeX is true; expected false"),
    ({}, {"transpose_w": True}, "transposeW is true; expected false"),
    ({}, {"w": {"dtype": INT8}}, "w has dtype int8; expected int32, each holding 8"),
    ({}, {"w": {"dtype": INT4}}, "w has dtype int4; expected int32, each holding 8"),
    ({}, {"scale": (E, N)}, "scaleOptional has shape [3, 72]; expected [e, 1, n], 3 dimensions"),
    ({}, {"bias": (E * N,)}, "biasOptional has shape [216]; expected [e, n], 2 dimensions"),
    (
        {},
        {"pertoken_scale": (M, 1)},
        "pertokenScaleOptional has shape [10, 1]; expected [m], 1",
    ),
    ({}, {"group_list": (E, 1)}, "groupListOptional has shape [3, 1]; expected [e], 1 dimension"),
    ({}, {"logit": ()}, "logitOptional has shape []; expected [m], 1 dimension"),
    ({}, {"row_index": (1, M)}, "rowIndexOptional has shape [1, 10]; expected [m], 1 dimension"),
    ({}, {"shared_input": (N,)}, "sharedInputOptional has shape [72]; expected [rows, n], 2 dim"),
    ({}, {"x": (M, 1, K)}, "x has shape [10, 1, 192]; expected [m, k], 2 dimensions"),
    ({}, {"y": (BS * N,)}, "y has shape [504]; expected [bs, n], 2 dimensions"),
    ({}, {"x": {"dtype": INT32}}, "x has dtype int32; expected int8"),
    ({}, {"scale": {"dtype": FLOAT}}, "scaleOptional has dtype float32; expected int64"),
    ({}, {"bias": {"dtype": BF16}}, "biasOptional has dtype bfloat16; expected float32"),
    ({}, {"pertoken_scale": {"dtype": FLOAT16}}, "pertokenScaleOptional has dtype float16; exp"),
    ({}, {"group_list": {"dtype": INT32}}, "groupListOptional has dtype int32; expected int64"),
    ({}, {"shared_input": {"dtype": FLOAT}}, "sharedInputOptional has dtype float32; expected bf"),
    ({}, {"logit": {"dtype": INT64}}, "logitOptional has dtype int64; expected float32"),
    ({}, {"row_index": {"dtype": INT32}}, "rowIndexOptional has dtype int32; expected int64"),
    ({}, {"y": {"dtype": BF16}}, "y has dtype bfloat16; expected float32"),
    ({}, {"w": {"layout": FRACTAL_NZ}}, "w has format FRACTAL_NZ; expected ND"),
    (
        {},
        {"x": (M, K + 64)},
        "x has shape [10, 256] and w has shape [3, 192, 9]; expected the",
    ),
    ({"n": 64}, {}, "w has shape [3, 192, 8]; expected more than 64 columns"),
    ({"k": 200}, {}, "x has shape [10, 200]; expected k, which is x.shape[1], as a multiple of 64"),
    ({"k": 128}, {}, "x has shape [10, 128]; expected k, which is x.shape[1], as a multiple of 64"),
    ({"bs": M + 1}, {}, "y has shape [11, 72]; expected at most as many rows as x, which has 10"),
    ({}, {"y": (BS, N + 8)}, "y has shape [7, 80]; expected 72 columns, 8 * w.shape[2]"),
    ({}, {"y": {"strides": (1, BS)}}, "y has strides [1, 7]; expected [72, 1], a contiguous"),
    ({}, {"offset": -1}, "sharedInputOffset is -1; expected 0 or more"),
    ({}, {"list_type": 2}, "groupListType is 2; expected 0 (cumulative sums) or 1 (counts)"),
    ({}, {"list_type": -1}, "groupListType is -1;"),
    ({}, {"scale": (E, 2, N)}, "scaleOptional has shape [3, 2, 72]; expected [3, 1, 72], which"),
    ({}, {"bias": (E, N + 1)}, "biasOptional has shape [3, 73]; expected [3, 72], which is [e, n]"),
    ({}, {"pertoken_scale": (M - 1,)}, "pertokenScaleOptional has shape [9]; expected [10]"),
    ({}, {"logit": (M + 1,)}, "logitOptional has shape [11]; expected [10], which is [m]"),
    ({}, {"row_index": (BS,)}, "rowIndexOptional has shape [7]; expected [10], which is [m]"),
    ({}, {"group_list": (E + 1,)}, "groupListOptional has shape [4]; expected [3], which is [e]"),
    ({}, {"shared_input": (SHARED, 8)}, "sharedInputOptional has shape [4, 8]; expected [4, 72]"),
    ({"shared": BS + 1}, {}, "sharedInputOptional has 8 rows and sharedInputOffset is 0; expected"),
    ({}, {"offset": 4}, "sharedInputOptional has 4 rows and sharedInputOffset is 4; expected both"),
    ({}, {"offset": 2**63 - 1}, "sharedInputOptional has 4 rows and sharedInputOffset is 9223372"),
    ({"e": 0}, {}, "w has shape [0, 192, 9] and so no element"),
    ({"m": 0, "bs": 0, "shared": 0}, {}, "x has shape [0, 192] and so no element"),
    ({"shared": 0}, {}, "sharedInputOptional has shape [0, 72] and so no element"),
    ({"bs": 0, "shared": 0}, {}, "sharedInputOptional has shape [0, 72] and so no element"),
    ({}, {"x": {"layout": NCHW}}, "x has format NCHW; expected ND"),
    ({}, {"y": {"layout": NCL}}, "y has format NCL; expected ND"),
    ({"e": 257}, {}, "w has shape [257, 192, 9]; expected at most 256 experts"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[case[2][:40] for case in REFUSED])
def test_refuses(library: AclnnLibrary, case: tuple[Any, Any, str]) -> None:
    extents, changes, expected = case
    status, sentence, reached = call(library, extents, **changes)
    assert (status, reached) == (INVALID, False)
    assert sentence.startswith(expected)


def test_k_that_does_not_fit_into_ub_is_a_rule_of_tiling(library: AclnnLibrary) -> None:
    status, sentence, reached = call(library, {"k": 18432 + 64})
    assert (status, reached) == (TILING, False)
    assert sentence.startswith("x has shape [10, 18496]; expected k, which is x.shape[1], of at mo")
    # After the limit of k, only the number of experts is checked.
    assert call(library, {"k": 18432 + 64}, x={"layout": NCL})[0] == INVALID
    assert call(library, {"k": 18432 + 64, "e": 257})[0] == TILING


def test_the_first_broken_rule_answers(library: AclnnLibrary) -> None:
    """The first broken rule is reported. The loop adds faults from the last rule to the first."""
    faults: dict[str, Any] = {}
    for fault, expected in (
        ({"logit": {"layout": NCL}}, "logitOptional has format"),
        ({"group_list": (E + 1,)}, "groupListOptional has shape"),
        ({"list_type": 3}, "groupListType is 3"),
        ({"y": (M + 1, N)}, "y has shape"),
        ({"row_index": {"dtype": INT32}}, "rowIndexOptional has dtype"),
        ({"bias": (E,)}, "biasOptional has shape"),
        ({"w": {"dtype": INT8}}, "w has dtype"),
        ({"transpose_w": True}, "transposeW is true"),
        ({"dtype": 1}, "dtype is 1"),
    ):
        faults.update(fault)
        assert call(library, **faults)[1].startswith(expected)


def test_nd_is_the_only_format(library: AclnnLibrary) -> None:
    for name in DTYPES:
        assert call(library, **{name: {"layout": ND}})[0] == 0
        assert call(library, **{name: {"layout": NCL}})[0] == INVALID


@pytest.mark.parametrize("entry", ["V2", "V3"])
def test_later_functions_are_the_first_one(library: AclnnLibrary, entry: str) -> None:
    assert call(library, entry=entry)[::2] == (0, True)
    for change, status in (({"logit": None}, NULLPTR), ({"dtype": 1}, INVALID), ({"k": 64}, None)):
        extents = change if status is None else {}
        changes = {} if status is None else change
        first = call(library, extents, **changes)
        assert first[0] == (status or INVALID)
        assert call(library, extents, entry=entry, **changes) == first


def test_the_hint_for_tiling_is_taken(library: AclnnLibrary) -> None:
    hint = library.int_array(8)
    assert call(library, entry="V3", tuning=hint)[::2] == (0, True)


@pytest.mark.parametrize("entry", ["V2", "V3"])
@pytest.mark.parametrize(
    ("name", "parameter"),
    list(zip(QUANTISATION, ("offset", "antiquantScale", "antiquantOffset"), strict=True)),
)
def test_other_quantisations_are_refused(
    library: AclnnLibrary, entry: str, name: str, parameter: str
) -> None:
    given = {name: {"shape": (E, 1, N), "dtype": FLOAT}}
    status, sentence, reached = call(library, entry=entry, **given)
    assert (status, reached) == (INVALID, False)
    assert sentence.startswith(f"{parameter}Optional is given; expected nullptr: ")
    # A null pointer for a required argument is reported first.
    assert call(library, entry=entry, x=None, **given)[0] == NULLPTR


@pytest.mark.parametrize("entry", ["WeightNz", "WeightNzV2"])
def test_no_kernel_for_fractal_weights(library: AclnnLibrary, entry: str) -> None:
    for dtype in (INT8, INT4, INT32):
        weights = {"shape": (E, K, N), "dtype": dtype, "layout": FRACTAL_NZ}
        status, sentence, reached = call(library, entry=entry, w=weights)
        assert (status, reached) == (INVALID, False)
        assert "for which this package has no kernel" in sentence
    status, sentence, reached = call(library, entry=entry)
    assert (status, reached) == (INVALID, False)
    assert "w has format ND; expected FRACTAL_NZ" in sentence
    assert call(library, entry=entry, w=None)[0] == NULLPTR
