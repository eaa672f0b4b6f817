# SPDX-License-Identifier: Apache-2.0
"""Tests assert_close: what it accepts, what it refuses, and its messages."""

from __future__ import annotations

import warnings
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from cannery import OneSidedErrorWarning
from cannery.testing import (
    Comparison,
    assert_close,
    assert_identical,
    assert_within,
    tolerance,
)

BF16 = ml_dtypes.bfloat16
T = {np.float16: 2**-10, BF16: 2**-7, np.float32: 2**-13}
SMALL = {np.float16: (2**-11, 2**-16), BF16: (2**-8, 2**-16), np.float32: (2**-14, 2**-30)}


def pair(dtype: Any, relative: float, wrong: int) -> tuple[Any, Any]:
    """Returns 1000 results, of which `wrong` are off by about `relative`, and the exact values."""
    got = np.ones(1000, dtype)
    want = np.ones(1000)
    want[:wrong] = 1 / (1 + relative)
    return got, want


@pytest.mark.parametrize("dtype", T)
def test_largest_error_is_limited_to_ten_t(dtype: Any) -> None:
    assert_close(*pair(dtype, 9.9 * T[dtype], 1), dtype)
    with pytest.raises(AssertionError, match="wrong elements: 1 of 1000"):
        assert_close(*pair(dtype, 10.1 * T[dtype], 1), dtype)


@pytest.mark.parametrize("dtype", T)
def test_mean_error_is_limited_to_t(dtype: Any) -> None:
    assert_close(*pair(dtype, 0.99 * T[dtype], 1000), dtype)
    with pytest.raises(AssertionError, match="mean relative error"):
        assert_close(*pair(dtype, 1.02 * T[dtype], 1000), dtype)


@pytest.mark.parametrize("dtype", T)
def test_small_elements_pass_on_absolute_error(dtype: Any) -> None:
    small, absolute = SMALL[dtype]
    got = np.full(10, absolute, dtype)
    assert_close(got, np.zeros(10), dtype)
    with pytest.raises(AssertionError):
        assert_close(got * 2, np.zeros(10), dtype)
    # Above the threshold for small numbers, the absolute error does not count.
    want = np.full(4, small * 1.01)
    wrong = (want * (1 + 20 * T[dtype])).astype(dtype)
    with pytest.raises(AssertionError):
        assert_close(wrong, want, dtype)


def test_scale_replaces_the_golden_where_larger() -> None:
    got, want = np.full(4, 1e-3, np.float32), np.full(4, 1.2e-3)
    with pytest.raises(AssertionError):
        assert_close(got, want, np.float32)
    assert_close(got, want, np.float32, scale=np.full(4, 10.0))
    with pytest.raises(AssertionError):
        assert_close(got, want, np.float32, scale=np.full(4, 1e-6))


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_nan_and_infinity_must_meet_their_like() -> None:
    special = np.array([np.nan, np.inf, -np.inf, 70000.0, -70000.0])
    assert_close(special.astype(np.float16), special, np.float16)
    for wrong in (0.0, np.inf, np.nan):
        for index in range(len(special)):
            got = special.astype(np.float16)
            if np.array_equal(got[index], np.float16(wrong), equal_nan=True):
                continue
            got[index] = wrong
            with pytest.raises(AssertionError, match=rf"first at \({index},\)"):
                assert_close(got, special, np.float16)


def test_integers_must_be_equal() -> None:
    values = np.arange(6, dtype=np.int32)
    assert_close(values, values, np.int32)
    with pytest.raises(AssertionError, match="1 of 6"):
        assert_close(values, np.array([0, 1, 2, 3, 4, 6]), np.int32)


def test_report_names_first_index_count_and_worst() -> None:
    got, want = np.ones((3, 4), np.float32), np.ones((3, 4))
    want[1, 2] = 2
    want[2, 3] = 4
    with pytest.raises(AssertionError) as error:
        assert_close(got, want, np.float32)
    text = str(error.value)
    assert "wrong elements: 2 of 12 (16.7 %)" in text
    assert "first at (1, 2): got 1.0, expected 2.0" in text
    assert "worst absolute error: 3" in text


def test_shape_and_dtype_of_the_result() -> None:
    with pytest.raises(AssertionError, match="shape"):
        assert_close(np.ones(2, np.float32), np.ones(3), np.float32)
    with pytest.raises(AssertionError, match="dtype"):
        assert_close(np.ones(2, np.float16), np.ones(2), np.float32)
    with pytest.raises(ValueError, match="scale"):
        assert_close(np.ones(2, np.float32), np.ones(2), np.float32, scale=np.ones(3))
    with pytest.raises(TypeError, match="float64"):
        tolerance(np.float64)


def test_empty_result_is_correct() -> None:
    assert_close(np.ones((0, 3), np.float32), np.ones((0, 3)), np.float32)


def test_blocks_add_up_to_the_whole() -> None:
    rng = np.random.default_rng(0)
    want = rng.standard_normal(3000)
    got = want.astype(np.float16)
    got[2500] = 9
    whole, parts = (Comparison(np.dtype(np.float16), (3000,)) for _ in range(2))
    whole.update(got, want)
    for start in range(0, 3000, 700):
        parts.update(got[start : start + 700], want[start : start + 700])
    assert (parts.first, parts.mismatches, parts.count) == (2500, 1, 3000)
    assert parts.worst_relative == whole.worst_relative
    assert parts.mean_relative == pytest.approx(whole.mean_relative)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, BF16, np.float32, np.int64])
def test_identical(dtype: Any) -> None:
    want = np.arange(12).reshape(3, 4).astype(dtype)
    assert_identical(want.copy(), want)
    got = want.copy()
    got[1, 2] = 0
    with pytest.raises(AssertionError, match=r"bit for bit\n.*1 of 12[^\n]*\n  first at \(1, 2\)"):
        assert_identical(got, want)


def test_identical_means_bits() -> None:
    nan = np.array([0x7FC00000, 0x7FC00001], np.uint32).view(np.float32)
    assert_identical(nan, nan.copy())
    with pytest.raises(AssertionError, match="wrong elements: 2 of 2"):
        assert_identical(nan, nan[::-1].copy())
    with pytest.raises(AssertionError, match="wrong elements: 1 of 1"):
        assert_identical(np.array([-0.0]), np.array([0.0]))
    with pytest.raises(AssertionError, match="expected a result of dtype int32"):
        assert_identical(np.zeros(3, np.int64), np.zeros(3, np.int32))


def test_within() -> None:
    want = np.array([1.0, 2.0, 0.0, 4.0])
    bound = np.array([0.5, 0.25, 0.0, 0.0])
    got = np.array([1.5, 1.75, 0.0, 4.0], np.float32)
    assert_within(got, want, bound, np.float32)
    for index, value in ((0, 1.5001), (1, 2.26), (2, 1e-30), (3, np.nan), (0, np.inf)):
        wrong = got.copy()
        wrong[index] = value
        with pytest.raises(AssertionError, match=rf"first at \({index},\)"):
            assert_within(wrong, want, bound, np.float32)


def test_rules_want_what_they_need() -> None:
    ones = np.ones(3, np.float32)
    with pytest.raises(TypeError, match="expected dtype float32"):
        Comparison(ones.dtype, (3,), "exact").update(ones, ones.astype(np.float64))
    with pytest.raises(ValueError, match="bound"):
        Comparison(ones.dtype, (3,), "bound").update(ones, ones)
    with pytest.raises(ValueError, match="bound"):
        Comparison(ones.dtype, (3,)).update(ones, ones, bound=ones)
    with pytest.raises(ValueError, match="shape of the golden"):
        assert_within(ones, ones, np.ones(2), np.float32)


def test_integers_may_be_off_by_one() -> None:
    """Quantised outputs: a value near the middle of two integers may be rounded up or down."""
    want = np.array([0, 5, -128, 127])
    got = np.array([1, 4, -127, 127], np.int8)
    assert_close(got, want, np.int8, off_by=1)
    assert_close(got, want + 0.4, np.int8, off_by=2)
    with pytest.raises(AssertionError, match="wrong elements: 3 of 4"):
        assert_close(got, want, np.int8)
    got[1] = 3
    with pytest.raises(
        AssertionError, match=r"golden within 1\n  wrong elements: 1 of 4[^\n]*\n  first at \(1,\)"
    ):
        assert_close(got, want, np.int8, off_by=1)
    with pytest.raises(AssertionError, match="wrong elements: 1 of 1"):
        assert_close(np.zeros(1, np.int8), np.array([np.nan]), np.int8, off_by=1)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_off_by_is_exact(dtype: Any) -> None:
    """A double cannot tell these numbers apart."""
    limits = np.iinfo(dtype)
    want = np.array([limits.max, limits.min], dtype)
    got = np.array([limits.max - 1, limits.min + 1], dtype)
    assert_close(got, want, dtype, off_by=1)
    with pytest.raises(AssertionError, match="wrong elements: 2 of 2"):
        assert_close(np.array([limits.max - 2, limits.min + 2], dtype), want, dtype, off_by=1)
    with pytest.raises(AssertionError, match="wrong elements: 2 of 2"):
        assert_close(want[::-1].copy(), want, dtype, off_by=1)


def test_off_by_is_for_integers() -> None:
    ones = np.ones(3, np.float32)
    with pytest.raises(ValueError, match=r"off_by: for integers .* this is float32"):
        assert_close(ones, ones, np.float32, off_by=1)
    with pytest.raises(ValueError, match="off_by: expected a whole number from 0, got -1"):
        assert_close(np.ones(3, np.int8), ones, np.int8, off_by=-1)


#: Functions that round values, by the sentence of the warning for their errors.
ROUNDINGS = {
    "no result is above the golden, as after CAST_FLOOR": np.floor,
    "no result is below the golden, as after CAST_CEIL": np.ceil,
    "no result is farther from zero than the golden, as after CAST_TRUNC": np.trunc,
    "no result is nearer to zero than the golden": lambda x: np.sign(x) * np.ceil(np.abs(x)),
}


def rounded(how: Any, dtype: Any) -> tuple[Any, Any]:
    """Returns values that `how` has rounded to a mantissa of eight bits, and the exact values."""
    want = np.random.default_rng(3).standard_normal(5000)
    _, exponent = np.frexp(want)
    return np.ldexp(how(np.ldexp(want, 8 - exponent)), exponent - 8).astype(dtype), want


@pytest.mark.parametrize("sentence", ROUNDINGS)
def test_errors_of_one_sign_draw_a_warning(sentence: str) -> None:
    how = ROUNDINGS[sentence]
    with pytest.warns(OneSidedErrorWarning, match=rf"all \d+ errors have one sign: {sentence}"):
        assert_close(*rounded(how, BF16), BF16)
    want = np.random.default_rng(3).uniform(-100, 100, 5000)
    with pytest.warns(OneSidedErrorWarning, match=sentence):
        assert_close(how(want).astype(np.int8), want, np.int8, off_by=1)


def test_errors_of_both_signs_draw_none() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", OneSidedErrorWarning)
        assert_close(*rounded(np.rint, BF16), BF16)
        want = np.random.default_rng(3).uniform(-100, 100, 5000)
        assert_close(np.rint(want).astype(np.int8), want, np.int8, off_by=1)
        # All elements have the same value, so all their errors count as one error.
        assert_close(np.full(5000, 0.1, np.float32), np.full(5000, 0.1), np.float32)
        # A few errors can have one sign by chance.
        few = np.arange(1, 60) / 10
        assert_close(np.floor(few * 2**20).astype(np.float32) / 2**20, few, np.float32)


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        (lambda x: np.exp(-x), np.float16),
        (lambda x: 1 / (1 + np.exp(-x)), np.float16),
        (np.tanh, np.float32),
        (lambda x: x + 1e-9, np.float16),
    ],
)
def test_rounded_results_have_no_errors_of_one_sign(function: Any, dtype: Any) -> None:
    want = function(np.linspace(20, 100, 1000))
    with warnings.catch_warnings():
        warnings.simplefilter("error", OneSidedErrorWarning)
        assert_close(want.astype(dtype), want, dtype)


def test_results_beside_a_golden_of_zero_are_farther_from_zero() -> None:
    want = np.arange(100, dtype=np.int32)
    got = np.where(want == 0, 1, want - 1).astype(np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error", OneSidedErrorWarning)
        assert_close(got, want, np.int32, off_by=1)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (np.array([-1]), np.array([2**64 - 1], np.uint64)),
        (np.array([2**62 + 1]), np.array([2**62 + 200], np.uint64)),
    ],
)
def test_off_by_is_exact_between_signed_and_unsigned(got: Any, want: Any) -> None:
    with pytest.raises(AssertionError):
        assert_close(got, want, np.int64, off_by=1)


@pytest.mark.parametrize("off_by", [1.5, float("nan"), float("inf"), True, "1", None, -1])
def test_off_by_is_a_whole_number(off_by: Any) -> None:
    with pytest.raises(ValueError, match="off_by: expected a whole number from 0"):
        assert_close(np.ones(4, np.int8), np.ones(4, np.int8), np.int8, off_by=off_by)
