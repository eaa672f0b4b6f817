# SPDX-License-Identifier: Apache-2.0
"""Converts Python arguments for the C API. The C functions check the rules of the operators."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cannery.errors import from_status
from cannery.outputs import Array, output_array

__all__ = [
    "Array",
    "boolean",
    "check_changed",
    "input_array",
    "int64",
    "int64_list",
    "output_array",
    "real",
    "text",
]

_PARAM_INVALID = 161002
# NumPy's kinds of numbers. Types of ml_dtypes have the kind "V", like structured types, but the
# scalar type of an ml_dtypes type is not np.void.
_PLAIN_KINDS = "biufc"


def input_array(name: str, value: Any) -> Array | None:
    """Returns `value` as an array that the runtime can describe, or None, which becomes a null
    pointer.

    The array is copied only if it is not aligned, or if a stride is negative or no multiple of the
    item size. Raises TypeError for anything but an ndarray of numbers in native byte order.
    """
    if value is None:
        return None
    check_numbers(name, value)
    itemsize = value.itemsize
    describable = all(
        stride >= 0 and stride % itemsize == 0
        for stride, extent in zip(value.strides, value.shape, strict=True)
        if extent > 1
    )
    if describable and value.flags.aligned:
        return value  # type: ignore[no-any-return]
    copied: Array = np.require(value, requirements=["C", "A"])
    return copied


def check_changed(name: str, value: Any) -> None:
    """Raises TypeError unless `value` is an array of numbers that an operator can change."""
    check_numbers(name, value)
    if not value.flags.writeable:
        raise TypeError(
            f"{name}: the operator changes this array, but it is read-only; pass a copy"
        )


def check_numbers(name: str, value: Any) -> None:
    """Raises TypeError unless `value` is an ndarray whose elements are numbers in native byte
    order.
    """
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name}: expected a NumPy array, got {type(value).__name__}")
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not supported; pass array.filled(...)")
    dtype = value.dtype
    if not dtype.isnative:
        raise TypeError(
            f"{name}: expected native byte order, got {dtype.str}; "
            f"convert it with array.astype(array.dtype.newbyteorder('='))"
        )
    plain = dtype.kind in _PLAIN_KINDS or (dtype.kind == "V" and dtype.type is not np.void)
    if not plain:
        raise TypeError(f"{name}: expected an array of numbers, got dtype {dtype}")


def int64(api: str, name: str, value: Any) -> int:
    """Returns `value` as an integer attribute. Raises TypeError if it is not a whole number, and
    AclnnError (161002) if it needs more than 64 bits.
    """
    if isinstance(value, bool):
        raise TypeError(f"{name}: expected a whole number, got {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name}: expected a whole number, got {value!r} ({type(value).__name__})"
        ) from None
    if not -(2**63) <= number < 2**63:
        raise from_status(_PARAM_INVALID, api, f"{name}: expected a 64-bit integer, got {number}")
    return number


def real(api: str, name: str, value: Any) -> float:
    """Returns `value` as a float attribute. Raises TypeError if it is not a real number, and
    AclnnError (161002) if it is too large.
    """
    if isinstance(value, bool | np.bool_ | str | bytes):
        raise TypeError(f"{name}: expected a number, got {value!r} ({type(value).__name__})")
    try:
        return float(value)
    except OverflowError:
        raise from_status(
            _PARAM_INVALID, api, f"{name}: expected a number below 1.8e308, got a larger integer"
        ) from None
    except (TypeError, ValueError):
        raise TypeError(
            f"{name}: expected a number, got {value!r} ({type(value).__name__})"
        ) from None


def boolean(name: str, value: Any) -> bool:
    """Returns `value` as a bool attribute; raises TypeError unless it is a Python or NumPy bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: expected True or False, got {value!r} ({type(value).__name__})")
    return bool(value)


def int64_list(api: str, name: str, values: Any) -> list[int] | None:
    """Returns `values` as a list of integers, which are checked as by `int64`; None for None."""
    if values is None:
        return None
    try:
        entries = list(values)
    except TypeError:
        raise TypeError(f"{name}: expected a sequence of whole numbers, got {values!r}") from None
    return [int64(api, name, value) for value in entries]


def text(api: str, name: str, value: Any, default: str) -> str:
    """Returns `value` as a string attribute, or `default` for None. Raises AclnnError (161002) if a
    C string cannot have this value.
    """
    if value is None:
        return default
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string or None, got {value!r}")
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise from_status(
            _PARAM_INVALID,
            api,
            f"{name}: expected text without null characters and lone surrogates, got {value!r}",
        )
    return value
