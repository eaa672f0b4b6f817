# SPDX-License-Identifier: Apache-2.0
"""Tests every refusal of the public MoeTokenPermuteWithRoutingMap function; its checks need no
runtime."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aclnn_library import BF16, FLOAT, FLOAT16, FRACTAL_NZ, INT32, INT64, NCL, AclnnLibrary

TYPE = "MoeTokenPermuteWithRoutingMap"
NULLPTR, INVALID, TILING = 161001, 161002, 561002
INT8, BOOL = 2, 12  # values of aclDataType
TENSORS = ("tokens", "map", "probs", "permute_tokens", "permute_probs", "indices")


@pytest.fixture(scope="module")
def library(root: Path, generated: Path, tmp_path_factory: pytest.TempPathFactory) -> AclnnLibrary:
    folder = tmp_path_factory.mktemp("checks")
    return AclnnLibrary(root, generated, folder, "moe_token_permute_with_routing_map", TYPE)


@pytest.fixture(autouse=True)
def freed(library: AclnnLibrary) -> Iterator[None]:
    with library.tensors():
        yield


def of(dtype: int, *shape: int, **options: Any) -> dict[str, Any]:
    return {"shape": shape, "dtype": dtype, **options}


#: A correct call: 4 tokens of 5 elements, 3 experts, k = 2; with padding, the capacity is 2.
GOOD: dict[str, Any] = {
    "tokens": (4, 5), "map": of(INT8, 4, 3), "probs": (4, 3), "rows": 8, "pad": 0,
    "permute_tokens": (8, 5), "permute_probs": (8,), "indices": of(INT32, 8),
}  # fmt: skip
PAD: dict[str, Any] = {
    "pad": 1, "permute_tokens": (6, 5), "permute_probs": (6,), "indices": of(INT32, 6),
}  # fmt: skip
NO_PROBS: dict[str, Any] = {"probs": None, "permute_probs": None}


def call(library: AclnnLibrary, results: dict[str, bool] | None = None, **changes: Any) -> Any:
    """Calls phase 1 with GOOD and the replacements `changes`; AclnnLibrary.of makes the tensors."""
    given = {**GOOD, **changes}
    for name in TENSORS:
        given[name] = library.of(given[name])
    return library.call(*given.values(), **(results or {}))


@pytest.mark.parametrize("dtype", [FLOAT16, BF16, FLOAT])
@pytest.mark.parametrize("kind", [INT8, BOOL])
def test_accepts_all_rows_and_both_modes(library: AclnnLibrary, dtype: int, kind: int) -> None:
    for mode in ({}, PAD):
        call_of = {**GOOD, **mode, "map": of(kind, 4, 3)}
        for name in ("tokens", "probs", "permute_tokens", "permute_probs"):
            call_of[name] = of(dtype, *call_of[name])
        assert call(library, **call_of)[::2] == (0, True)
        assert call(library, **{**call_of, **NO_PROBS})[::2] == (0, True)


def test_accepts_any_strides_and_plain_formats(library: AclnnLibrary) -> None:
    assert call(
        library,
        tokens=of(FLOAT16, 4, 5, strides=(1, 4), layout=NCL),
        map=of(INT8, 4, 3, strides=(1, 4)),
        probs=of(FLOAT16, 4, 3, strides=(0, 0)),
        permute_tokens=of(FLOAT16, 8, 5, strides=(1, 8), layout=NCL),
        permute_probs=of(FLOAT16, 8, strides=(3,)),
        indices=of(INT32, 8, strides=(2,)),
    )[::2] == (0, True)


@pytest.mark.parametrize("rows", [8, 9, 11])
def test_rounds_down(library: AclnnLibrary, rows: int) -> None:
    assert call(library, rows=rows)[::2] == (0, True)


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        ("tokens", "tokens"),
        ("map", "routingMap"),
        ("permute_tokens", "permuteTokensOut"),
        ("indices", "sortedIndicesOut"),
    ],
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
    "probs without their output": (
        {"permute_probs": None, "tokens": of(INT64, 1)}, NULLPTR,
        "permuteProbsOutOptional is a null pointer, but probsOptional is not; expected both",
    ),
    "an output without probs": (
        {"probs": None, "rows": -1}, NULLPTR,
        "probsOptional is a null pointer, but permuteProbsOutOptional is not; expected both",
    ),
    "dtype of the tokens": (
        {"tokens": of(INT32, 4, 5)}, INVALID,
        "tokens has dtype int32; expected bfloat16, float16 or float32",
    ),
    "dtype of the map": (
        {"map": of(INT32, 4, 3)}, INVALID, "routingMap has dtype int32; expected bool or int8",
    ),
    "dtype of the indices": (
        {"indices": of(INT64, 8)}, INVALID, "sortedIndicesOut has dtype int64; expected int32",
    ),
    "float probs for 16-bit tokens": (
        {"probs": of(FLOAT, 4, 3)}, INVALID, "these dtypes do not go together: tokens float16",
    ),
    "dtype of the permuted tokens": (
        {"permute_tokens": of(BF16, 8, 5)}, INVALID, "these dtypes do not go together",
    ),
    "private format": (
        {"tokens": of(FLOAT16, 4, 5, layout=FRACTAL_NZ)}, INVALID,
        "tokens has format FRACTAL_NZ; expected ND",
    ),
    "rank of the tokens": (
        {"tokens": (4, 5, 1)}, INVALID,
        "tokens has shape [4, 5, 1]; expected two dimensions, (T, H)",
    ),
    "rank of the map": (
        {"map": of(INT8, 12)}, INVALID,
        "routingMap has shape [12]; expected two dimensions, (T, E)",
    ),
    "shape of the probs": (
        {"probs": (3, 4)}, INVALID, "probsOptional has shape [3, 4]; expected [4, 3]",
    ),
    "tokens": (
        {"map": of(INT8, 16777215, 3), **NO_PROBS}, INVALID,
        "routingMap has shape [16777215, 3]; expected both dimensions below 16777215",
    ),
    "experts": (
        {"map": of(INT8, 4, 16777215), **NO_PROBS}, INVALID,
        "routingMap has shape [4, 16777215]; expected both dimensions below 16777215",
    ),
    "negative rows": (
        {"rows": -1}, INVALID, "numOutTokens is -1; expected 0 to 12, the elements of routingMap",
    ),
    "more rows than elements": ({"rows": 13}, INVALID, "numOutTokens is 13; expected 0 to 12"),
    "rows of an empty map": (
        {"map": of(INT8, 0, 3), "tokens": (0, 5), **NO_PROBS}, INVALID,
        "numOutTokens is 8; expected 0 to 0",
    ),
    "rows of the output": (
        {"permute_tokens": (6, 5)}, INVALID,
        "permuteTokensOut has shape [6, 5]; expected two dimensions, the first 8",
    ),
    "rows of the output with padding": (
        {**PAD, "permute_tokens": (8, 5)}, INVALID,
        "permuteTokensOut has shape [8, 5]; expected two dimensions, the first 6",
    ),
    "rank of the output": ({"permute_tokens": (40,)}, INVALID, "permuteTokensOut has shape [40]"),
    "length of the probs": (
        {"permute_probs": (9,)}, INVALID, "permuteProbsOutOptional has shape [9]; expected [8]",
    ),
    "length of the indices": (
        {"indices": of(INT32, 8, 1)}, INVALID, "sortedIndicesOut has shape [8, 1]; expected [8]",
    ),
    "negative stride of the tokens": (
        {"permute_tokens": of(FLOAT16, 8, 5, strides=(-5, 1))}, INVALID,
        "permuteTokensOut has strides [-5, 1]; expected none below 0",
    ),
    "negative stride of the indices": (
        {"indices": of(INT32, 8, strides=(-1,))}, INVALID,
        "sortedIndicesOut has strides [-1]; expected none below 0",
    ),
    "tokens that the map does not have": (
        {"tokens": (5, 5)}, TILING,
        "tokens has shape [5, 5] and routingMap [4, 3]; expected the same first dimension",
    ),
    "columns of the output": (
        {"permute_tokens": (8, 4)}, TILING,
        "permuteTokensOut has shape [8, 4]; expected rows of 5 elements",
    ),
    "too many experts for a token": (
        {
            "map": of(INT8, 4, 600), "rows": 4 * 513, "permute_tokens": (2052, 5),
            "indices": of(INT32, 2052), **NO_PROBS,
        }, TILING,
        "numOutTokens is 2052, that is 513 experts for each of 4 tokens; expected at most 512",
    ),
    "too many rows": (
        {
            "tokens": (1 << 20, 5), "map": of(INT8, 1 << 20, 16), "rows": 1 << 24,
            "permute_tokens": (1 << 24, 5), "indices": of(INT32, 1 << 24), **NO_PROBS,
        }, TILING,
        "numOutTokens is 16777216 and the result has 16777216 rows; expected fewer than 16777215",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(library: AclnnLibrary, case: str) -> None:
    changes, status, start = REFUSED[case]
    given, sentence, reached = call(library, **changes)
    assert (given, reached) == (status, False)
    assert sentence.startswith(start)


def test_limits_of_the_sort_are_none_with_padding(library: AclnnLibrary) -> None:
    rows = 16 << 20
    assert call(
        library,
        tokens=(1 << 20, 5), map=of(INT8, 1 << 20, 16), rows=rows, pad=1,
        permute_tokens=(rows, 5), indices=of(INT32, rows), **NO_PROBS,
    )[::2] == (0, True)  # fmt: skip


def test_empty_results_reach_the_inner_function(library: AclnnLibrary) -> None:
    """A call with an empty result is correct, although it launches no kernel."""
    nothing = {"permute_tokens": (0, 5), "permute_probs": (0,), "indices": of(INT32, 0)}
    for pad, rows in ((0, 0), (0, 3), (1, 2)):
        assert call(library, **nothing, rows=rows, pad=pad)[::2] == (0, True)
    for shape in ((0, 3), (4, 0)):
        changes = {"tokens": (shape[0], 5), "map": of(INT8, *shape), "probs": shape, "rows": 0}
        assert call(library, **nothing, **changes)[::2] == (0, True)
    no_columns = {"tokens": (4, 0), "permute_tokens": (8, 0)}
    assert call(library, **no_columns)[::2] == (0, True)
    assert call(library, **no_columns, **NO_PROBS)[::2] == (0, True)
