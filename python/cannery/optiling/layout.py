# SPDX-License-Identifier: Apache-2.0
"""Makes NumPy dtypes for tiling data, whose fields a tiling class or a plain struct declares."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from cannery.optiling import calls
from cannery.optiling.dwarf import DebugInfo

__all__ = ["Form", "dtype_of", "form_dtype", "values_of"]

#: A part of tiling data, as the twin reports it: its offset, its size in bytes, and its type. The
#: type is the number of a tiling class, or a function's signature that contains a struct's name.
Form = tuple[int, int, int | str]
_C_TYPES = {
    **{
        f"{sign}int{bits}_t": f"{sign[:1] or 'i'}{bits // 8}"
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
    "float": "f4",
    "double": "f8",
    "bool": "?",
    "char": "i1",
    "size_t": "u8",
    "int": "i4",
    "unsigned": "u4",
    "unsignedint": "u4",
    "long": "i8",
    "longlong": "i8",
}
_STRUCT = re.compile(r"\bT = ([^;]*?)(?:;.*)?\]$")


@functools.cache
def form_dtype(number: int) -> np.dtype[Any]:
    """Returns the dtype of a tiling class (BEGIN_TILING_DATA_DEF), by its number."""
    return _class_dtype(json.loads(calls.form(number)))


@functools.cache
def _class_name(number: int) -> str:
    return str(json.loads(calls.form(number))["name"])


def _class_dtype(form: dict[str, Any]) -> np.dtype[Any]:
    names, formats, offsets = [], [], []
    for name, c_type, offset, element_bytes, count, nested in form["fields"]:
        if nested is not None:
            dtype = _class_dtype(nested)
        else:
            dtype = np.dtype(_C_TYPES.get(re.sub(r"std::|\s", "", c_type), "V0"))
            # The type is an enumeration, or a type that only the user's source defines.
            if dtype.itemsize != element_bytes:
                kind = "u" if element_bytes in (1, 2, 4, 8) else "V"
                dtype = np.dtype(f"{kind}{element_bytes}")
        names.append(name)
        formats.append((dtype, (count,)) if count else dtype)
        offsets.append(offset)
    fields = {"names": names, "formats": formats, "offsets": offsets, "itemsize": form["bytes"]}
    return np.dtype(fields)  # type: ignore[call-overload,no-any-return]


def dtype_of(library: Path, forms: tuple[Form, ...], size: int) -> np.dtype[Any] | None:
    """Returns the dtype of `size` bytes of tiling data that the functions of `library` write; None
    if their fields are not known.
    """
    if not forms:
        return _only_struct(library, size)
    parts = [(offset, *_part(library, form)) for offset, _, form in forms]
    known = [(offset, name, dtype) for offset, name, dtype in parts if dtype is not None]
    if not known:
        return None
    if len(known) == 1 and known[0][0] == 0:
        dtype = known[0][2]
        return dtype if dtype.itemsize == size else _widened(dtype, size)
    fields = {
        "names": [name for _, name, _ in known],
        "formats": [dtype for *_, dtype in known],
        "offsets": [offset for offset, *_ in known],
        "itemsize": size,
    }
    return np.dtype(fields)  # type: ignore[call-overload,no-any-return]


def _widened(dtype: np.dtype[Any], size: int) -> np.dtype[Any] | None:
    """Returns the dtype with padding at its end, so that it has `size` bytes; None if its fields do
    not fit.
    """
    if dtype.itemsize > size:
        return None
    found: Any = dtype.fields or {}
    fields = {
        "names": list(found),
        "formats": [field[0] for field in found.values()],
        "offsets": [field[1] for field in found.values()],
        "itemsize": size,
    }
    return np.dtype(fields)  # type: ignore[call-overload,no-any-return]


def _part(library: Path, form: int | str) -> tuple[str, np.dtype[Any] | None]:
    if isinstance(form, int):
        return _class_name(form), form_dtype(form)
    found = _STRUCT.search(form)
    if found is None:
        return form, None
    name = re.sub(r"\{anonymous\}|\(anonymous namespace\)", "(anonymous)", found.group(1).strip())
    return name, _debug_info(library).record(name)


def _only_struct(library: Path, size: int) -> np.dtype[Any] | None:
    """Returns the dtype of data that was copied as bytes: the dtype of the only struct with this
    size and with "tiling" in its name; None if there are none or several.
    """
    if size == 0:
        return None
    info = _debug_info(library)
    names = info.records(lambda name: "tiling" in name.rpartition("::")[2].lower(), size)
    return info.record(names[0]) if len(names) == 1 else None


@functools.lru_cache(maxsize=16)
def _debug_info(library: Path) -> DebugInfo:
    return DebugInfo(library.read_bytes())


def values_of(item: Any) -> Any:
    """Returns a structured scalar as Python's own numbers, lists and dictionaries."""
    if isinstance(item, np.void) and item.dtype.names is not None:
        return {name: values_of(item[name]) for name in item.dtype.names}
    if isinstance(item, np.ndarray):
        return [values_of(one) for one in item]
    return item.item() if isinstance(item, np.generic) else item
