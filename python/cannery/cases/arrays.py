# SPDX-License-Identifier: Apache-2.0
"""Arrays that the command line describes, such as float32[4096]=ones."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cannery.outputs import POISON_BYTE
from cannery.testing.random import normal
from cannery.testing.sizes import check_size, naming

__all__ = ["array_of", "extents_of", "is_output", "load_array", "value_of"]

Array = npt.NDArray[Any]

_ARRAY = re.compile(r"(?P<dtype>[a-z]\w*)\[(?P<shape>[^\]]*)\](?:=(?P<fill>.+))?\Z", re.DOTALL)
_EXTENTS = re.compile(r"\s*[0-9]+\s*(?:[x,]\s*[0-9]+\s*)*")
_FILLS = ("random", "zeros", "ones", "arange", "poison")
_FORMS = "float32[4096], float16[2,16]=zeros, x.npy, int8[64]=x.bin, or a number"


def is_output(text: str) -> bool:
    """Returns whether `text`, a value of --arg, describes an array that is filled with poison. The
    kernel must write all elements of such an array.
    """
    found = _ARRAY.match(text)
    return found is not None and found["fill"] == "poison"


def value_of(text: str, rng: np.random.Generator) -> Any:
    """Returns the array or the number that `text`, a value of --arg, describes."""
    array = array_of(text, rng)
    if array is not None:
        return array
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (lambda word: int(word, 0), float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if number in (math.inf, -math.inf) and "inf" not in text.lower():
            raise ValueError(f"--arg: expected a number below 1.8e308, got {text[:40]!r}")
        return number
    raise ValueError(f"--arg: expected {_FORMS}, got {text!r}")


def array_of(text: str, rng: np.random.Generator) -> Array | None:
    """Returns the array that `text` describes; None if `text` does not describe an array."""
    found = _ARRAY.match(text)
    if found is not None:
        return _array(text, found, rng)
    return load_array("--arg", Path(text)) if text.endswith(".npy") else None


def _array(text: str, found: re.Match[str], rng: np.random.Generator) -> Array:
    dtype = _dtype(text, found["dtype"])
    shape = _shape(text, found["shape"])
    check_size("--arg", shape, dtype)
    with naming("--arg"):
        return _filled(text, shape, dtype, found["fill"] or "random", rng)


def _filled(
    text: str, shape: tuple[int, ...], dtype: np.dtype[Any], fill: str, rng: np.random.Generator
) -> Array:
    if fill == "random":
        return _random(rng, shape, dtype)
    if fill in ("zeros", "ones"):
        return np.full(shape, 0 if fill == "zeros" else 1, dtype)
    if fill == "arange":
        return np.arange(math.prod(shape)).astype(dtype).reshape(shape)
    if fill == "poison":
        return (
            np.full(math.prod(shape) * dtype.itemsize, POISON_BYTE, np.uint8)
            .view(dtype)
            .reshape(shape)
        )
    if not os.path.exists(fill):
        raise ValueError(f"--arg: {text}: expected {', '.join(_FILLS)} or a file, got {fill!r}")
    try:
        data = np.fromfile(fill, np.uint8)
    except OSError as error:
        raise ValueError(f"--arg: {text}: {fill}: {error.strerror or error}") from None
    expected = math.prod(shape) * dtype.itemsize
    if data.size != expected:
        raise ValueError(f"--arg: {text}: expected {expected} bytes in {fill}, got {data.size}")
    return data.view(dtype).reshape(shape)


def _random(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Returns standard normal values; for an integer dtype, small whole numbers."""
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -16, 17, shape).astype(dtype)
    return normal(rng, shape, dtype)


def _dtype(text: str, name: str) -> np.dtype[Any]:
    try:
        dtype: np.dtype[Any] = np.dtype(_bfloat16() if name == "bfloat16" else name)
    except TypeError:
        raise ValueError(f"--arg: {text}: {name!r} is no dtype; expected {_FORMS}") from None
    # NumPy gives 2 for the types of other packages, such as bfloat16, whose kind is V.
    if dtype.kind not in "biufc" and dtype.isbuiltin != 2:
        raise ValueError(f"--arg: {text}: expected an array of numbers, got dtype {name}")
    return dtype


def _bfloat16() -> Any:
    import ml_dtypes

    return ml_dtypes.bfloat16


def _shape(text: str, extents: str) -> tuple[int, ...]:
    shape = () if not extents.strip() else extents_of(extents)
    if shape is None:
        kind = "smaller" if _EXTENTS.fullmatch(extents) else "whole"
        raise ValueError(f"--arg: {text}: expected {kind} numbers in brackets, got {extents!r}")
    return shape


def extents_of(text: str) -> tuple[int, ...] | None:
    """Returns a shape from a text such as 128,4096 or 128x4096; None for any other text, and for
    numbers of several thousand digits, which Python does not convert.
    """
    if _EXTENTS.fullmatch(text) is None:
        return None
    try:
        return tuple(map(int, re.split("[x,]", text)))
    except ValueError:
        return None


def load_array(option: str, path: Path) -> Array:
    """Returns the array of an .npy file; raises ValueError if the file contains Python objects,
    because loading them could run code. The message names `option`.
    """
    try:
        array: Array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise ValueError(
            f"{option}: {path}: expected an .npy file with one array ({error})"
        ) from None
    return np.ascontiguousarray(array)
