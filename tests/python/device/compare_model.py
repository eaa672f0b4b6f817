# SPDX-License-Identifier: Apache-2.0
"""Models Compare and Select in NumPy."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .rearrange_machine import Array, Case
from .vector_model import read, write

OPS = (
    *("Compare", "CompareScalar", "Compares", "Register"),
    *("Select", "SelectScalar", "SelectRegister"),
)
MODES: tuple[Callable[[Any, Any], Any], ...] = (
    operator.lt, operator.gt, operator.eq, operator.le, operator.ge, operator.ne,
)  # fmt: skip


def pack_bits(flags: Array) -> Array:
    return np.packbits(flags.astype(np.uint8), bitorder="little")


def compared(case: Case, image: Array, repeat: int) -> Array:
    """Returns the results of the comparison for all elements of one repeat."""
    elements = np.arange(case.lanes)
    a = read(image, case.places(1, repeat, elements), case.type)
    if case.op in ("Compare", "Register"):
        b = read(image, case.places(2, repeat, elements), case.type)
    else:
        b = np.frombuffer(case.scalar, case.type)
    mode = MODES[2] if case.dtype == "int32_t" else MODES[case.mode]
    return np.asarray(mode(a, b))


def compare(image: Array, case: Case) -> Array:
    """Returns the bytes of UB after Compare, which ignores masks and writes a bit per element."""
    out = image.copy()
    whole = case.count // case.lanes if case.form == "count" else case.repeats
    for repeat in range(whole):
        bits = pack_bits(compared(case, image, repeat))
        start = case.dst + repeat * case.lanes // 8
        out[start : start + bits.size] = bits
    return out


def compare_register(image: Array, case: Case) -> Array:
    """Returns the bytes of UB after a Compare that writes 16 bytes: flags of active elements."""
    flags = np.zeros(128, bool)
    for _, elements in list(case.active())[:1]:
        flags[elements] = compared(case, image, 0)[elements]
    out = image.copy()
    out[case.dst : case.dst + 16] = pack_bits(flags)
    return out


def select(image: Array, case: Case) -> Array:
    """Returns the bytes of UB after any form of Select."""
    out = image.copy()
    bits = np.unpackbits(image[case.sel :], bitorder="little")
    scalar = np.frombuffer(case.scalar, case.type)
    if case.op == "SelectRegister" and case.mode == 1:
        scalar = image[case.src1 : case.src1 + case.type.itemsize].view(case.type)
    for repeat, elements in case.active():
        if elements.size == 0:
            continue
        first = 0 if case.mode == 0 else repeat * case.lanes
        a = read(out, case.places(1, repeat, elements), case.type)
        if case.mode == 1:
            b = np.repeat(scalar, elements.size)
        else:
            b = read(out, case.places(2, repeat, elements), case.type)
        chosen = np.where(bits[first + elements] == 1, a, b)
        write(out, case.places(0, repeat, elements), chosen)
    return out
