# SPDX-License-Identifier: Apache-2.0
"""NsaCompressGrad must refuse bad arguments with a status and a message that names the argument."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import cannery
from cannery.testing import strided_outputs

Array = npt.NDArray[Any]

NULLPTR, INVALID, TILING = 161001, 161002, 561002

VALID: dict[str, Any] = {
    "windows": 4, "rows": 80, "heads": 2, "dim": 16, "block": 32, "stride": 16,
}  # fmt: skip


def call(**changed: Any) -> dict[str, Any]:
    """Returns the arguments of a valid call: float16, one sequence. `changed` has new sizes, from
    which the arrays are made, or new arguments."""
    extent = {name: changed.pop(name, value) for name, value in VALID.items()}
    dtype = changed.pop("dtype", np.float16)
    arguments = {
        "output_grad": np.ones((extent["windows"], extent["heads"], extent["dim"]), dtype),
        "input": np.ones((extent["rows"], extent["heads"], extent["dim"]), dtype),
        "weight": np.ones((extent["block"], extent["heads"]), dtype),
        "compress_block_size": extent["block"],
        "compress_stride": extent["stride"],
    }
    return {**arguments, **changed}


def refuse(status: int, word: str, **changed: Any) -> None:
    with pytest.raises(cannery.AclnnError) as caught:
        cannery.nsa_compress_grad(**call(**changed))
    assert caught.value.status == status, str(caught.value)
    assert word in str(caught.value)


def halves(*shape: int) -> Array:
    return np.ones(shape, np.float16)


def test_the_call_that_the_others_change_is_valid() -> None:
    input_grad, weight_grad = cannery.nsa_compress_grad(**call())
    assert input_grad.astype(int)[:, 0, 0].tolist() == [1] * 16 + [2] * 48 + [1] * 16
    assert (weight_grad == 64).all()


@pytest.mark.parametrize(("argument", "word"), [
    ("output_grad", "outputGrad"), ("input", "input"), ("weight", "weight"),
])  # fmt: skip
def test_null_pointers_come_first(argument: str, word: str) -> None:
    refuse(NULLPTR, word, **{argument: None})
    refuse(NULLPTR, word, **{argument: None, "stride": 7, "act_seq_len": [-1], "dim": 7})


@pytest.mark.parametrize(
    "dtype",
    [
        *("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "bool"),
        *("complex64", "float8_e4m3fn"),
    ],
)
def test_dtypes(dtype: str) -> None:
    resolved = np.dtype(getattr(ml_dtypes, dtype, dtype))
    refuse(INVALID, "dtype", dtype=resolved)
    refuse(INVALID, "dtype", dtype=resolved, stride=7, act_seq_len_type=3)


@pytest.mark.parametrize("argument", ["output_grad", "input", "weight"])
def test_dtypes_that_differ(argument: str) -> None:
    other = call()[argument].astype(ml_dtypes.bfloat16)
    refuse(INVALID, "dtype", **{argument: other})


@pytest.mark.parametrize("layout", ["BSND", "tnd", "", "TND ", "TND\0", "\0", "TN\udc44"])
def test_layout(layout: str) -> None:
    refuse(INVALID, "layout", layout=layout)


def test_no_layout_is_tnd() -> None:
    cannery.nsa_compress_grad(**call(layout=None))


@pytest.mark.parametrize("kind", [1, -1, 2**40])
def test_act_seq_len_type(kind: int) -> None:
    refuse(INVALID, "actSeqLenType", act_seq_len_type=kind)
    refuse(INVALID, "actSeqLenType", act_seq_len_type=kind, stride=7)


@pytest.mark.parametrize(("argument", "shape", "word"), [
    ("output_grad", (4, 2), "outputGrad"), ("output_grad", (4, 2, 16, 1), "outputGrad"),
    ("output_grad", (4, 3, 16), "outputGrad"), ("output_grad", (4, 2, 32), "outputGrad"),
    ("output_grad", (), "outputGrad"), ("input", (), "input"), ("input", (80, 32), "input"),
    ("input", (80,), "input"),
    ("input", (80, 2, 16, 1), "input"), ("weight", (32,), "weight"),
    ("weight", (32, 2, 1), "weight"), ("weight", (32, 3), "weight"), ("weight", (2, 32), "weight"),
    ("weight", (48, 2), "weight"),
])  # fmt: skip
def test_shapes(argument: str, shape: tuple[int, ...], word: str) -> None:
    refuse(INVALID, word, **{argument: halves(*shape)})
    refuse(INVALID, word, **{argument: halves(*shape)}, act_seq_len=[80])


@pytest.mark.parametrize("extent", ["windows", "rows", "heads", "dim", "block"])
def test_empty_tensors(extent: str) -> None:
    refuse(INVALID, "0", **{extent: 0})


@pytest.mark.parametrize(("ends", "word"), [
    ([], "no element"), ([-1, 80], "act_seq_len[0] is -1"), ([50, 49, 80], "act_seq_len[1] is 49"),
    ([40, 81], "act_seq_len[1] is 81"), ([2**62], "act_seq_len[0]"), ([-(2**63)], "act_seq_len"),
])  # fmt: skip
def test_act_seq_len(ends: list[int], word: str) -> None:
    refuse(INVALID, word, act_seq_len=ends)
    if ends:  # these errors are reported before errors of tiling
        refuse(INVALID, word, act_seq_len=ends, stride=24)
        refuse(INVALID, word, act_seq_len=ends, stride=0)


@pytest.mark.parametrize("windows", [1, 3, 5, 80])
def test_number_of_windows(windows: int) -> None:
    refuse(INVALID, "outputGrad", windows=windows)
    refuse(INVALID, "expected 4 windows", windows=windows, act_seq_len=[80])
    refuse(INVALID, "expected 2 windows", act_seq_len=[40, 80])


def test_windows_are_counted_before_the_rules_of_tiling() -> None:
    refuse(INVALID, "expected 3 windows", windows=9, stride=24)
    refuse(INVALID, "expected 3 windows", windows=9, stride=24, act_seq_len=[80])
    refuse(INVALID, "expected 2 windows", windows=9, stride=48, act_seq_len=[80])


@pytest.mark.parametrize(("changed", "word"), [
    ({"block": 33, "windows": 3}, "compressBlockSize is 33"),
    ({"block": 24, "windows": 4}, "compressBlockSize is 24"),
    ({"stride": 8, "windows": 7}, "compressStride is 8"),
    ({"stride": 0}, "compressStride is 0"),
    ({"stride": 0, "act_seq_len": [80]}, "compressStride is 0"),
    ({"stride": 8, "windows": 7, "act_seq_len": [80]}, "compressStride is 8"),
    ({"stride": -16}, "compressStride is -16"),
    ({"stride": 32, "windows": 2}, "compressStride is 32"),
    ({"stride": 48, "windows": 2}, "compressStride is 48"),
    ({"stride": 2**62, "windows": 1}, "compressStride is"),
    ({"dim": 24}, "D = 24"), ({"dim": 8}, "D = 8"), ({"dim": 272}, "D = 272"),
    ({"heads": 129}, "N = 129"),
    ({"block": 144, "rows": 144, "windows": 1}, "compressBlockSize is 144"),
])  # fmt: skip
def test_limits(changed: dict[str, Any], word: str) -> None:
    refuse(TILING, word, **changed)


@pytest.mark.parametrize("block", [0, -1, -16, -(2**63)])
@pytest.mark.parametrize("ends", [None, [80]])
def test_block_sizes_that_no_weight_has(block: int, ends: list[int] | None) -> None:
    word = f"compressBlockSize is {block}"
    refuse(TILING, word, compress_block_size=block, act_seq_len=ends)
    refuse(TILING, word, compress_block_size=block, act_seq_len=ends, stride=0)
    refuse(INVALID, "weight", compress_block_size=block, weight=halves(32, 3), act_seq_len=ends)
    refuse(INVALID, "act_seq_len[0]", compress_block_size=block, act_seq_len=[81])


def test_the_largest_limits_are_accepted() -> None:
    cannery.nsa_compress_grad(**call(heads=128, dim=256, block=128, rows=128, windows=1))


def test_contiguous_outputs_are_not_required() -> None:
    with strided_outputs(3):
        input_grad, _ = cannery.nsa_compress_grad(**call())
    assert not input_grad.flags.c_contiguous


class TestPythonArguments:
    """Tests arguments that only the Python function can receive, not the C API."""

    @pytest.mark.parametrize("argument", ["output_grad", "input", "weight"])
    @pytest.mark.parametrize("wrong", [[[1.0]], 1.0, "x", np.zeros((4, 2), object)], ids=str)
    def test_arrays(self, argument: str, wrong: Any) -> None:
        with pytest.raises(TypeError, match=f"^{argument}: expected"):
            cannery.nsa_compress_grad(**call(**{argument: wrong}))

    @pytest.mark.parametrize(
        "argument", ["compress_block_size", "compress_stride", "act_seq_len_type"]
    )
    @pytest.mark.parametrize("wrong", [1.0, "16", None, True, [16]])
    def test_whole_numbers(self, argument: str, wrong: Any) -> None:
        with pytest.raises(TypeError, match=f"^{argument}: expected a whole number"):
            cannery.nsa_compress_grad(**call(**{argument: wrong}))

    @pytest.mark.parametrize("wrong", [[40.0, 80], ["80"], [None], 80, 3.5, np.array(80)])
    def test_sequences(self, wrong: Any) -> None:
        with pytest.raises(TypeError, match=r"^act_seq_len: expected"):
            cannery.nsa_compress_grad(**call(act_seq_len=wrong))

    @pytest.mark.parametrize("ends", [
        (80,), np.array([80]), np.array([80], np.uint8), [np.int32(80)], range(80, 81),
    ], ids=repr)  # fmt: skip
    def test_any_sequence_of_integers(self, ends: Any) -> None:
        got = cannery.nsa_compress_grad(**call(act_seq_len=ends))
        want = cannery.nsa_compress_grad(**call())
        assert [a.tobytes() for a in got] == [b.tobytes() for b in want]

    @pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
    def test_beyond_64_bits(self, number: int) -> None:
        refuse(INVALID, "compress_stride", compress_stride=number)
        refuse(INVALID, "act_seq_len", act_seq_len=[number])

    def test_layout_is_a_string(self) -> None:
        with pytest.raises(TypeError, match=r"^layout: expected"):
            cannery.nsa_compress_grad(**call(layout=3))
