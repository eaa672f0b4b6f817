# SPDX-License-Identifier: Apache-2.0
"""Decides whether a result is correct, and reports where it is not."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Literal

import ml_dtypes
import numpy as np
import numpy.typing as npt

from cannery.errors import OneSidedErrorWarning
from cannery.testing.signs import Signs

__all__ = [
    "Comparison",
    "Rule",
    "Tolerance",
    "assert_close",
    "assert_identical",
    "assert_within",
    "tolerance",
]

Array = npt.NDArray[Any]
#: How results must match. "close": within the limits of `tolerance`. "exact": the same bits.
#: "bound": |got - want| at most the bound of each element.
Rule = Literal["close", "exact", "bound"]

_BLOCK_ELEMS = 1 << 15  # small enough that temporary arrays fit into the caches of a CPU core
_DENOMINATOR_FLOOR = 1e-7  # from the published standard; keeps relative errors finite at 0


@dataclass(frozen=True)
class Tolerance:
    """Limits of the relative error: its mean and its maximum. Elements with |want| < small also
    pass if their absolute error is at most `absolute`.
    """

    mean: float
    maximum: float
    small: float
    absolute: float


# The generic precision standard that CANN publishes, with the rule for small values from CANN's
# public benchmark suite.
_TOLERANCES = {
    np.dtype(np.float16): Tolerance(2**-10, 10 * 2**-10, 2**-11, 2**-16),
    np.dtype(ml_dtypes.bfloat16): Tolerance(2**-7, 10 * 2**-7, 2**-8, 2**-16),
    np.dtype(np.float32): Tolerance(2**-13, 10 * 2**-13, 2**-14, 2**-30),
}
_EXACT = Tolerance(0.0, 0.0, 0.0, 0.0)
_BOUND = Tolerance(1.0, 1.0, 0.0, 0.0)  # here a relative error is the error divided by its bound


def tolerance(dtype: npt.DTypeLike) -> Tolerance:
    """Returns the limits for results of `dtype`; integers must be equal. Raises TypeError for other
    floats.
    """
    resolved = np.dtype(dtype)
    if resolved in _TOLERANCES:
        return _TOLERANCES[resolved]
    if resolved.kind in "biu":
        return _EXACT
    raise TypeError(
        f"dtype: no precision rule for {resolved}; "
        "expected float16, bfloat16, float32 or an integer"
    )


@dataclass
class Comparison:
    """Compares a result with its golden, block by block.

    dtype: the dtype of the operator's result; it selects the limits of the rule "close".
    shape: the shape of the whole result, for coordinates in the report.
    off_by: the largest difference of integers, for the rule "close".
    With the rule "bound", a relative error is the error divided by its bound.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    rule: Rule = "close"
    off_by: int = 0
    count: int = 0
    mismatches: int = 0
    first: int | None = None
    first_values: tuple[float, float] = (0.0, 0.0)
    worst_relative: float = 0.0
    worst_absolute: float = 0.0
    _relative_sum: float = 0.0
    limits: Tolerance = field(init=False)
    _signs: Signs = field(default_factory=Signs)

    def __post_init__(self) -> None:
        if type(self.off_by) is not int or self.off_by < 0:
            raise ValueError(f"off_by: expected a whole number from 0, got {self.off_by!r}")
        if self.off_by and (self.rule != "close" or self.dtype.kind not in "iu"):
            raise ValueError(
                f"off_by: for integers with the rule 'close'; this is {self.dtype.name} with the "
                f"rule {self.rule!r}"
            )
        fixed = {"exact": _EXACT, "bound": _BOUND}
        self.limits = fixed.get(self.rule) or tolerance(self.dtype)

    @property
    def mean_relative(self) -> float:
        return self._relative_sum / self.count if self.count else 0.0

    @property
    def ok(self) -> bool:
        if self.mismatches or self.limits is _EXACT or self.limits is _BOUND:
            return self.mismatches == 0
        return self.count == 0 or self.mean_relative < self.limits.mean

    @property
    def one_sided(self) -> str:
        """Says on which side of the golden all errors are; empty if they are on both sides."""
        return self._signs.told() if self.rule == "close" else ""

    def update(
        self, got: Array, want: Array, scale: Array | None = None, bound: Array | None = None
    ) -> None:
        """Adds the next elements in C order.

        want: the golden, in float64; with the rule "exact", in the dtype of `got`.
        scale: only for the rule "close"; see assert_close.   bound: required by the rule "bound".
        """
        if self.rule == "exact" and got.dtype != want.dtype:
            raise TypeError(f"golden: expected dtype {got.dtype}, as the result, got {want.dtype}")
        if (self.rule == "bound") != (bound is not None):
            raise ValueError(f"bound: for the rule 'bound', and only there; this is {self.rule!r}")
        # At most one of scale and bound is given.
        beside = bound if scale is None else scale
        flat_got, flat_want = got.reshape(-1), want.reshape(-1)
        flat_beside = None if beside is None else beside.reshape(-1)
        for start in range(0, flat_got.size, _BLOCK_ELEMS):
            part = slice(start, start + _BLOCK_ELEMS)
            self._update_block(
                flat_got[part], flat_want[part], None if flat_beside is None else flat_beside[part]
            )

    def _update_block(self, got: Array, want: Array, beside: Array | None) -> None:
        if self.limits is _EXACT:
            wrong = _bits(got) != _bits(want) if self.rule == "exact" else got != want
            if not wrong.any():
                self.count += got.size
                return
            if self.off_by:
                self._signs.note(got, want, want)
                wrong = ~(_difference(got, want) <= self.off_by)
        result, reference = got.astype(np.float64), want.astype(np.float64)
        if self.limits is _EXACT:
            error = relative = _distance(result, reference, wrong)
        elif self.limits is _BOUND:
            error, relative, wrong = _bounded_errors(result, reference, beside)
        else:
            with np.errstate(all="ignore"):
                self._signs.note(result, reference, want.astype(got.dtype).astype(np.float64))
            error, relative, wrong = self._float_errors(result, reference, beside)
        self.worst_absolute = max(self.worst_absolute, float(error.max(initial=0.0)))
        self.worst_relative = max(self.worst_relative, float(relative.max(initial=0.0)))
        self._relative_sum += float(relative.sum())
        wrong_count = int(np.count_nonzero(wrong))
        if wrong_count and self.first is None:
            index = int(np.argmax(wrong))
            self.first = self.count + index
            self.first_values = (float(result[index]), float(reference[index]))
        self.mismatches += wrong_count
        self.count += got.size

    def _float_errors(
        self, got: Array, want: Array, scale: Array | None
    ) -> tuple[Array, Array, Array]:
        limits = self.limits
        with np.errstate(all="ignore"):
            rounded = want.astype(self.dtype)
            error = np.abs(got - want)
            magnitude = np.abs(want)
            denominator = magnitude if scale is None else np.fmax(magnitude, scale)
            relative = error / (denominator + _DENOMINATOR_FLOOR)
        finite = np.isfinite(got) & np.isfinite(rounded)
        if not finite.all():
            # A value that overflows in the result's dtype must become the same infinity, and NaN
            # must become NaN.
            special = ~finite
            a, b = got[special], rounded[special].astype(np.float64)
            error[special] = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.inf)
            relative[special] = error[special]
        small = magnitude < limits.small
        if small.any():
            relative[small & (error <= limits.absolute)] = 0.0
        return error, relative, relative >= limits.maximum

    def report(self) -> str:
        """Returns a text that says what is wrong, where, by how much, and what was allowed."""
        how = {"close": "", "exact": " bit for bit", "bound": " within its bounds"}[self.rule]
        how = f" within {self.off_by}" if self.off_by else how
        lines = [f"{self.dtype.name} result of shape {self.shape} does not match its golden{how}"]
        if self.first is not None:
            where = (
                tuple(int(i) for i in np.unravel_index(self.first, self.shape))
                if self.shape
                else ()
            )
            share = 100 * self.mismatches / self.count
            lines.append(f"  wrong elements: {self.mismatches} of {self.count} ({share:.3g} %)")
            got, want = self.first_values
            lines.append(f"  first at {where}: got {got!r}, expected {want!r}")
        lines.append(f"  worst absolute error: {self.worst_absolute:.6g}")
        lines.append(
            f"  worst relative error: {self.worst_relative:.6g} (limit {self.limits.maximum:.6g})"
        )
        lines.append(
            f"  mean relative error:  {self.mean_relative:.6g} (limit {self.limits.mean:.6g})"
        )
        return "\n".join(lines)


def _difference(got: Array, want: Array) -> Array:
    """Returns |got - want|; exact for integers of any width."""
    if got.dtype.kind in "iu" and want.dtype.kind in "iu":
        if np.result_type(got, want).kind == "f":  # NumPy has no type for uint64 and int64
            exact = np.abs(got.astype(object) - want.astype(object))
            capped: Array = np.minimum(exact, 2**64 - 1).astype(np.uint64)
            return capped
        # The subtraction of uint64 wraps around, so it is exact for negative integers, too.
        upper, lower = (np.where(got > want, a, b) for a, b in ((got, want), (want, got)))
        distance: Array = upper.astype(np.uint64) - lower.astype(np.uint64)
        return distance
    with np.errstate(all="ignore"):
        return np.abs(got.astype(np.float64) - want.astype(np.float64))


def _bits(array: Array) -> Array:
    return array.view(f"u{array.itemsize}")


def _distance(got: Array, want: Array, wrong: Array) -> Array:
    """Returns |got - want| where `wrong`, with infinity for NaN; 0 for the other elements."""
    with np.errstate(all="ignore"):
        return np.where(wrong, np.nan_to_num(np.abs(got - want), nan=np.inf), 0.0)


def _bounded_errors(got: Array, want: Array, bound: Array | None) -> tuple[Array, Array, Array]:
    error = _distance(got, want, got != want)
    with np.errstate(all="ignore"):
        relative = np.where(error == 0, 0.0, error / bound)
    return error, relative, ~(relative <= 1.0)


def assert_close(
    got: Array,
    want: Array,
    dtype: npt.DTypeLike,
    scale: Array | None = None,
    *,
    off_by: int = 0,
) -> None:
    """Raises AssertionError with a report unless `got` is a correct `dtype` result for the golden
    `want`.

    The mean relative error must be below T and the largest below 10 T; T is 2^-10 (float16), 2^-7
    (bfloat16), 2^-13 (float32). Elements with |want| below 2^-11, 2^-8, 2^-14 also pass if the
    absolute error is at most 2^-16, 2^-16, 2^-30 (for the same dtypes). The denominator of the
    relative error is |want|, or `scale` (the magnitude of the summed terms) where `scale` is
    larger. Where `want` is NaN, `got` must be NaN; where `want` is beyond the range of `dtype`,
    `got` must be infinity with the same sign.

    Integers and booleans must be equal. off_by: the largest difference of integers. For quantised
    outputs 1 is right, because a value near the middle of two integers may be rounded to either.

    Issues a OneSidedErrorWarning if many errors have the same sign, as with a wrong rounding mode.
    """
    got, want = _checked(got, want, dtype)
    if scale is not None and np.shape(scale) != want.shape:
        raise ValueError(
            f"scale: expected the shape of the golden, {want.shape}, got {np.shape(scale)}"
        )
    comparison = Comparison(np.dtype(dtype), got.shape, off_by=off_by)
    _assert(comparison, got, want, scale=scale)
    if comparison.one_sided:
        warnings.warn(comparison.one_sided, OneSidedErrorWarning, stacklevel=2)


def assert_identical(got: Array, want: Array) -> None:
    """Raises AssertionError with a report unless `got` and `want` have the same dtype, shape and
    bits. NaNs must have the same payload, zeros the same sign.
    """
    want = np.asarray(want)
    got, want = _checked(got, want, want.dtype)
    _assert(Comparison(want.dtype, got.shape, "exact"), got, want)


def assert_within(got: Array, want: Array, bound: Array, dtype: npt.DTypeLike) -> None:
    """Raises AssertionError with a report unless `got` has `dtype` and |got - want| <= bound
    everywhere.

    bound: the largest absolute error of each element, with the shape of `want`. NaN always fails.
    """
    got, want = _checked(got, want, dtype)
    if np.shape(bound) != want.shape:
        raise ValueError(
            f"bound: expected the shape of the golden, {want.shape}, got {np.shape(bound)}"
        )
    _assert(Comparison(np.dtype(dtype), got.shape, "bound"), got, want, bound=np.asarray(bound))


def _checked(got: Array, want: Array, dtype: npt.DTypeLike) -> tuple[Array, Array]:
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != np.dtype(dtype):
        raise AssertionError(f"expected a result of dtype {np.dtype(dtype)}, got {got.dtype}")
    if got.shape != want.shape:
        raise AssertionError(f"expected a result of shape {want.shape}, got {got.shape}")
    return got, want


def _assert(
    comparison: Comparison,
    got: Array,
    want: Array,
    *,
    scale: Array | None = None,
    bound: Array | None = None,
) -> None:
    comparison.update(got, want, scale, bound)
    if not comparison.ok:
        raise AssertionError(comparison.report())
