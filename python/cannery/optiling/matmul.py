# SPDX-License-Identifier: Apache-2.0
"""cannery.matmul_tiling: divides a matrix product into blocks for the Matmul of a kernel."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cannery import settings
from cannery.errors import CanneryError
from cannery.optiling import calls
from cannery.optiling.layout import form_dtype
from cannery.optiling.request import dtype_name

__all__ = ["matmul_tiling", "structured"]

_POSITIONS = {
    name: number
    for number, name in enumerate(
        ("GM", "A1", "A2", "B1", "B2", "C1", "C2", "CO1", "CO2", "VECIN", "VECOUT", "VECCALC")
    )
}
_POSITIONS["TSCM"] = 13
_FORMATS = {
    name: number
    for number, name in enumerate(("ND", "NZ", "ZN", "ZZ", "NN", "ND_ALIGN", "SCALAR", "VECTOR"))
}
_TRAVERSE = {"first_m": 1, "first_n": 2}

Operand = Any  # a dtype, or (position, format, dtype)


def matmul_tiling(
    m: int,
    n: int,
    k: int,
    *,
    a: Operand = "float16",
    b: Operand = "float16",
    c: Operand = "float32",
    bias: Operand | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    cores: int = 1,
    org_shape: Sequence[int] | None = None,
    fix_split: Sequence[int] | None = None,
    single_shape: Sequence[int] | None = None,
    align_split: Sequence[int] | None = None,
    split_k: bool = False,
    split_range: Sequence[int] | None = None,
    buffer_space: Sequence[int] | None = None,
    double_buffer: Sequence[bool] | None = None,
    traverse: str | None = None,
    batch: Sequence[int] | None = None,
    batch_num: int | None = None,
    a_layout: Sequence[int] | None = None,
    b_layout: Sequence[int] | None = None,
    c_layout: Sequence[int] | None = None,
    soc: str | None = None,
) -> npt.NDArray[Any]:
    """Returns the TCubeTiling of C = A B + bias for A of (m, k) and B of (k, n), all sizes in
    elements. It is a structured array without dimensions; pass it as `tiling=` or by value.

    a, b, c, bias: a dtype, or (position, format, dtype), as in ("TSCM", "NZ", "float16"). The
    default position is GM, the default format ND; bias None means that there is none.
    cores: 1 for `MatmulApiTiling`; more for `MultiCoreMatmulTiling` with SetDim(cores). The field
    usedCoreNum then has the number of cores that are used.
    org_shape: (m, n, k) or (m, n, ka, kb) of the whole matrices in GM; the default is the shape
    of the product.
    fix_split: base block (baseM, baseN, baseK); tiling chooses each size that is -1.
    For several cores: single_shape has the sizes of one core's part, align_split has numbers that
    must divide these sizes without rest, split_k says whether K is divided.
    split_range: (maxBaseM, maxBaseN, maxBaseK, minBaseM, minBaseN, minBaseK).
    buffer_space: bytes of (L1, L0C, UB, BT) that tiling may use, -1 for all.
    double_buffer: for each of (A, B, C).   traverse: "first_m" or "first_n".
    batch: (batches of A, batches of B) of equal matrices.   batch_num: SetBatchNum.
    a_layout, b_layout, c_layout: (B, S, N, G, D).   soc: the same as for `cannery.tiling`.

    Raises CanneryError with the tiling's own sentence if there is no tiling, TypeError or
    ValueError for an argument of the wrong type or value, TwinOnlyError with the backend npu.
    """
    return _cut(locals())


#: How many numbers each of these arguments has.
_SETTERS = {
    "org_shape": 4,
    "fix_split": 3,
    "single_shape": 3,
    "align_split": 3,
    "split_range": 6,
    "buffer_space": 4,
    "double_buffer": 3,
    "batch": 2,
    "a_layout": 5,
    "b_layout": 5,
    "c_layout": 5,
}


def _cut(given: dict[str, Any]) -> npt.NDArray[Any]:
    """Computes the tiling from the arguments of matmul_tiling by name."""
    shape = _numbers("m, n, k", (given["m"], given["n"], given["k"]), 3)
    cores = _numbers("cores", (given["cores"],), 1)[0]
    several = [name for name in ("single_shape", "align_split", "split_k") if given[name]]
    if cores == 1 and several:
        raise ValueError(f"{several[0]}: is of several cores; give cores=")
    traverse = given["traverse"]
    if traverse is not None and traverse not in _TRAVERSE:
        raise ValueError(f"traverse: expected {' or '.join(_TRAVERSE)}, got {traverse!r}")
    whole = list(shape if given["org_shape"] is None else given["org_shape"])
    given = {**given, "org_shape": whole if len(whole) == 4 else [*whole, *whole[-1:]]}
    batch_num = given["batch_num"]
    request = {
        "soc": settings.soc_name(given["soc"]),
        "cores": cores,
        "a": _operand("a", given["a"], given["transpose_a"]),
        "b": _operand("b", given["b"], given["transpose_b"]),
        "c": _operand("c", given["c"], False),
        "bias": None if given["bias"] is None else _operand("bias", given["bias"], False),
        "shape": shape,
        "split_k": bool(given["split_k"]),
        "traverse": None if traverse is None else [_TRAVERSE[traverse]],
        "batch_num": None if batch_num is None else _numbers("batch_num", (batch_num,), 1),
    }
    for name, count in _SETTERS.items():
        wish = given[name]
        request[name] = None if wish is None else _numbers(name, wish, count)
    answer = calls.matmul(request)
    if answer["status"] != 0:
        reason = answer["message"] or "no tiling fits the chip's memories"
        sizes = "m {}, n {}, k {}".format(*shape)
        raise CanneryError(f"matmul_tiling of {sizes} on {request['soc']}: {reason}")
    return structured(answer)


def structured(answer: dict[str, Any]) -> npt.NDArray[Any]:
    """Returns the tiling in the twin's answer, as a structured array without dimensions."""
    array: npt.NDArray[Any] = np.ndarray((), form_dtype(answer["form"]), bytearray(answer["data"]))
    return array


def _operand(name: str, given: Operand, transposed: bool) -> dict[str, Any]:
    position, form, dtype = given if isinstance(given, tuple | list) else ("GM", "ND", given)
    if position not in _POSITIONS or form not in _FORMATS:
        raise ValueError(
            f"{name}: expected a dtype, or (position, format, dtype) with a position of "
            f"{', '.join(_POSITIONS)} and a format of {', '.join(_FORMATS)}, got {given!r}"
        )
    return {
        "position": _POSITIONS[position],
        "format": _FORMATS[form],
        "dtype": dtype_name(name, dtype),
        "transposed": bool(transposed),
    }


def _numbers(name: str, given: Sequence[int], count: int) -> list[int]:
    try:
        numbers = [operator.index(number) for number in given]
    except TypeError:
        raise TypeError(f"{name}: expected whole numbers, got {given!r}") from None
    if len(numbers) != count:
        raise ValueError(f"{name}: expected {count} numbers, got {len(numbers)}: {given!r}")
    if any(not -(2**31) <= number < 2**31 for number in numbers):
        raise ValueError(f"{name}: expected numbers of 32 bits, got {given!r}")
    return numbers
