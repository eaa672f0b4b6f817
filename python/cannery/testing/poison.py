# SPDX-License-Identifier: Apache-2.0
"""Outputs that show what an operator did not write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cannery.ops import arguments

__all__ = ["POISON_BYTE", "poisoned_outputs"]

POISON_BYTE = 0xCB  # the twin's; as float16 -15.6, as bfloat16 and float32 -2.67e7


@contextmanager
def poisoned_outputs(byte: int = POISON_BYTE) -> Iterator[None]:
    """Outputs of operators called inside start with every byte `byte`: a gap is no lucky zero."""
    before = arguments.poison
    arguments.poison = byte
    try:
        yield
    finally:
        arguments.poison = before
