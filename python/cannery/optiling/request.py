# SPDX-License-Identifier: Apache-2.0
"""Converts Python values to a request for tiling; raises TypeError for values that do not fit."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from cannery.opgen.names import snake_case

__all__ = ["DTYPES", "FORMATS", "attr_list", "dtype_name", "numpy_dtype", "tensor_list"]

#: Names of dtypes in NumPy and ml_dtypes. _ALIASES has further names, such as those of C++.
DTYPES = (
    *("float16", "bfloat16", "float32", "float64", "int4", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128"),
)
_ALIASES = {"half": "float16", "bf16": "bfloat16", "float": "float32", "double": "float64"}
#: The numbers of ge::Format.
FORMATS = {
    "NCHW": 0,
    "NHWC": 1,
    "ND": 2,
    "NC1HWC0": 3,
    "FRACTAL_Z": 4,
    "HWCN": 16,
    "NDHWC": 27,
    "FRACTAL_NZ": 29,
    "NCDHW": 30,
    "NDC1HWC0": 32,
    "NC": 35,
    "NCL": 47,
}
_ND = FORMATS["ND"]


def dtype_name(where: str, dtype: Any) -> str:
    """Returns the name of a dtype, which can be given in any of NumPy's forms or as an alias."""
    try:
        return _known_dtype(dtype)
    except TypeError:
        raise TypeError(
            f"{where}: expected a dtype, one of {', '.join(DTYPES)}, got {dtype!r}"
        ) from None


@functools.lru_cache(maxsize=128)
def _known_dtype(dtype: Any) -> str:
    name = _ALIASES.get(dtype, dtype) if isinstance(dtype, str) else np.dtype(dtype).name
    if name not in DTYPES:
        raise TypeError
    return name


def numpy_dtype(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name, name))


def tensor_list(
    kind: str, given: Sequence[Any], params: Sequence[dict[str, Any]] | None
) -> list[dict[str, Any] | list[dict[str, Any]] | None]:
    """Returns one entry for each parameter of the definition; without a definition, one for each
    given tensor. The entry of a dynamic parameter is a list.
    """
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise TypeError(
            f"{kind}s: expected a list of (shape, dtype), arrays and None, got {given!r}"
        )
    if params is not None and len(given) > len(params):
        names = ", ".join(param["name"] for param in params)
        raise TypeError(f"{kind}s: got {len(given)}; the operator has {len(params)}: {names}")
    tensors: list[dict[str, Any] | list[dict[str, Any]] | None] = []
    for index, one in enumerate(given):
        param = None if params is None else params[index]
        where = f"{kind} {index if param is None else param['name']}"
        reads_values = param is None or bool(param["value_depend"]) or bool(param["scalar"])
        if param is not None and param["param_type"] == "dynamic":
            tensors.append(_tensors(where, one, reads_values))
        else:
            tensors.append(None if one is None else _tensor(where, one, reads_values))
    missing = 0 if params is None else len(params) - len(given)
    return [*tensors, *[None] * missing]


def _tensors(where: str, given: Any, reads_values: bool) -> list[dict[str, Any]]:
    if not isinstance(given, list | tuple):
        raise TypeError(f"{where}: is dynamic: expected a list of tensors, got {given!r}")
    return [_tensor(f"{where}[{i}]", one, reads_values) for i, one in enumerate(given)]


def _tensor(where: str, given: Any, reads_values: bool) -> dict[str, Any]:
    if isinstance(given, np.ndarray):
        if reads_values and not given.flags.c_contiguous:
            raise ValueError(f"{where}: tiling reads its values: expected a C-contiguous array")
        return {
            "shape": list(given.shape),
            "dtype": dtype_name(where, given.dtype),
            "format": _ND,
            "values": given.ctypes.data if reads_values and given.size else 0,
        }
    pair = isinstance(given, tuple | list) and 2 <= len(given) <= 3
    if not pair or not isinstance(given[0], Iterable):
        raise TypeError(
            f"{where}: expected (shape, dtype), (shape, dtype, format), an array or None, "
            f"got {given!r}"
        )
    shape, dtype, *rest = given
    form = rest[0] if rest else "ND"
    if form not in FORMATS:
        raise ValueError(f"{where}: expected a format of {', '.join(FORMATS)}, got {form!r}")
    return {
        "shape": _sizes(where, shape),
        "dtype": dtype_name(where, dtype),
        "format": FORMATS[form],
        "values": 0,
    }


def _sizes(where: str, shape: Any) -> list[int]:
    try:
        sizes = [operator.index(size) for size in shape]
    except TypeError:
        raise TypeError(f"{where}: expected a shape of whole numbers, got {shape!r}") from None
    if any(not -(2**63) <= size < 2**63 for size in sizes):
        raise ValueError(f"{where}: {tuple(sizes)}: a size does not fit 64 bits")
    return sizes


def attr_list(
    attrs: Mapping[str, Any], definition: dict[str, Any] | None
) -> list[tuple[str, Any] | None]:
    """Returns the attributes in the definition's order. Without a definition, the given order is
    used, and the values decide the types.
    """
    if not isinstance(attrs, Mapping):
        raise TypeError(f"attrs: expected a mapping of names to values, got {attrs!r}")
    if definition is None:
        return [
            None if value is None else (kind := _kind_of(name, value), _encode(name, kind, value))
            for name, value in attrs.items()
        ]
    known = definition["attrs"]
    by_name = {snake_case(attr["name"]): attr for attr in known}
    given = {}
    for name, value in attrs.items():
        attr = by_name.get(snake_case(name)) if isinstance(name, str) else None
        if attr is None:
            names = ", ".join(attr["name"] for attr in known) or "none"
            raise TypeError(
                f"attrs: {definition['type']} has no attribute {name!r}; it has {names}"
            )
        if value is not None:
            given[attr["name"]] = (attr["type"], _encode(name, attr["type"], value))
    return [given.get(attr["name"]) for attr in known]


def _kind_of(name: str, value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "Bool"
    for kind, types in (("Int", int | np.integer), ("Float", float | np.floating), ("String", str)):
        if isinstance(value, types):
            return kind
    if isinstance(value, Sequence) and value:
        inner = _kind_of(name, value[0])
        if inner in ("Bool", "Int", "Float", "ListInt"):
            return f"List{inner}"
    raise TypeError(f"attribute {name}: no type of attributes fits {value!r}")


def _encode(name: str, kind: str, value: Any) -> Any:
    if kind.startswith("List"):
        if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
            raise TypeError(f"attribute {name}: expected a list, got {value!r}")
        return [_encode(name, kind.removeprefix("List"), item) for item in value]
    expected, convert = _CONVERSIONS[kind]
    try:
        return convert(value)
    except (TypeError, ValueError):
        raise TypeError(f"attribute {name}: expected {expected}, got {value!r}") from None


def _truth(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError
    return bool(value)


def _whole(value: Any) -> int:
    number = operator.index(value)
    if isinstance(value, bool) or not -(2**63) <= number < 2**63:
        raise ValueError
    return number


def _real(value: Any) -> str:
    if isinstance(value, str):
        raise TypeError
    return repr(float(value))


def _words(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


_CONVERSIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "Bool": ("True or False", _truth),
    "Int": ("a whole number of 64 bits", _whole),
    "Float": ("a number", _real),
    "String": ("a string", _words),
}
