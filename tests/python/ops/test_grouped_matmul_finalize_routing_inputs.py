# SPDX-License-Identifier: Apache-2.0
"""GroupedMatmulFinalizeRouting must accept any memory layout, and refuse bad arguments."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cannery
from cannery import project, unpack_int4
from cannery.testing import strided_outputs

from .grouped_matmul_cases import check, make

NULLPTR, INVALID, TILING = 161001, 161002, 561002
ARRAYS = (
    "x", "w", "scale", "bias", "pertoken_scale", "group_list", "shared_input", "logit", "row_index",
)  # fmt: skip


def refuse(status: int, **changes: Any) -> str:
    """Calls the operator with changed arguments. Checks that it fails with `status`, and returns
    the message."""
    with pytest.raises(cannery.AclnnError) as caught:
        cannery.grouped_matmul_finalize_routing(**{**make([6, 4]), **changes})
    assert caught.value.status == status
    return str(caught.value)


@pytest.mark.parametrize("name", ARRAYS)
def test_none_is_a_null_pointer(name: str) -> None:
    assert "null pointer" in refuse(NULLPTR, **{name: None})


def test_null_pointers_come_first() -> None:
    assert "biasOptional" in refuse(NULLPTR, bias=None, dtype=3, output_bs=-4)
    assert "x is a null pointer" in refuse(NULLPTR, x=None, dtype=2**63, output_bs=2**63)


def test_null_output() -> None:
    arguments = make([6, 4])
    arrays = [arguments[name] for name in ARRAYS]
    native = project.operator("grouped_matmul_finalize_routing")
    with pytest.raises(cannery.AclnnError, match="y is a null pointer") as caught:
        native(*arrays, 0, 1.0, 0, False, False, 1, None)
    assert caught.value.status == NULLPTR


def test_w_must_be_packed() -> None:
    values = unpack_int4(make([6, 4])["w"])
    assert "int4" in refuse(INVALID, w=values.astype(ml_dtypes.int4))
    assert "int8" in refuse(INVALID, w=values)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"dtype": 1}, "dtype is 1"),
        ({"transpose_x": True}, "transposeX"),
        ({"transpose_w": np.True_}, "transposeW"),
        ({"x": np.zeros((10, 192), np.int32)}, "x has dtype int32"),
        ({"x": np.zeros((10, 256), np.int8)}, "expected the same k"),
        ({"x": np.zeros((10,), np.int8)}, "x has shape [10]"),
        ({"row_index": np.zeros(10, np.int32)}, "rowIndexOptional has dtype int32"),
        ({"logit": np.zeros(9, np.float32)}, "logitOptional has shape [9]"),
        ({"shared_input": np.zeros((0, 72), ml_dtypes.bfloat16)}, "no element"),
        ({"shared_input_offset": 4}, "sharedInputOffset is 4"),
        ({"shared_input_offset": -1}, "sharedInputOffset is -1"),
        ({"shared_input_offset": 2**63}, "shared_input_offset: expected a 64-bit integer"),
        ({"group_list_type": 2}, "groupListType is 2"),
        ({"output_bs": 0}, "output_bs: expected 1 to 10"),
        ({"output_bs": -1}, "output_bs"),
        ({"output_bs": 11}, "output_bs: expected 1 to 10, the rows of x, got 11"),
        ({"output_bs": 10**15}, "output_bs"),
    ],
    ids=str,
)
def test_invalid(changes: dict[str, Any], word: str) -> None:
    assert word in refuse(INVALID, **changes)


def test_the_output_must_be_contiguous() -> None:
    with strided_outputs():
        assert "y has strides" in refuse(INVALID)


def test_rows_that_do_not_fit_into_ub() -> None:
    assert "at most 18432" in refuse(TILING, **make([2], k=18432 + 64))


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"x": [[1]]}, "x: expected a NumPy array, got list"),
        ({"w": np.zeros((2, 192, 9), ">i4")}, "w: expected native byte order"),
        ({"logit": np.zeros(10, object)}, "logit: expected an array of numbers"),
        ({"output_bs": 2.0}, "output_bs: expected a whole number"),
        ({"group_list_type": True}, "group_list_type: expected a whole number"),
        ({"shared_input_weight": "1"}, "shared_input_weight: expected a number"),
        ({"shared_input_weight": None}, "shared_input_weight: expected a number"),
        ({"shared_input_weight": True}, "shared_input_weight: expected a number"),
        ({"transpose_x": 0}, "transpose_x: expected True or False"),
        ({"transpose_w": "no"}, "transpose_w: expected True or False"),
    ],
    ids=str,
)
def test_type_errors(changes: dict[str, Any], word: str) -> None:
    with pytest.raises(TypeError, match=word):
        cannery.grouped_matmul_finalize_routing(**{**make([6, 4]), **changes})


def test_a_weight_beyond_every_float() -> None:
    assert "shared_input_weight" in refuse(INVALID, **make([2], shared_input_weight=10**400))


def test_any_strides() -> None:
    arguments = make([6, 4])
    plain = check(arguments)
    for name in ARRAYS:
        array = arguments[name]
        views = [np.repeat(array, 2, axis=-1)[..., ::2], array[::-1].copy()[::-1]]
        views += [np.asfortranarray(array)] if array.ndim > 1 else []
        for view in views:
            got = cannery.grouped_matmul_finalize_routing(**{**arguments, name: view})
            assert got.tobytes() == plain.tobytes()


def test_one_value_for_every_row() -> None:
    ones = np.broadcast_to(np.float32(1), (10,))
    check(make([6, 4], logit=ones, pertoken_scale=ones))
