# SPDX-License-Identifier: Apache-2.0
"""Describes the operands of an instruction as text, in the form of `cannery run --dump`."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from cannery.profiling.times import LaunchTimes

__all__ = ["OperandTexts"]


class OperandTexts:
    """Describes the operands of one launch's instructions. Instructions that differ only in their
    addresses share an operation, whose text is made once.
    """

    def __init__(self, launch: LaunchTimes) -> None:
        self._operations = launch.operations
        self._ranges = launch.header["gm"]
        self._begins = [begin for _, begin, _ in self._ranges]
        self._made: dict[int, list[str]] = {}

    def text(self, operation: int, addresses: list[int]) -> str:
        """Returns the text for one instruction, from its operation and its addresses in GM."""
        pieces = self.pieces(operation)
        if len(pieces) == 1:
            return pieces[0]
        places = [self.place(address) for address in addresses]
        return "".join(
            piece + (places[i] if i < len(places) else "") for i, piece in enumerate(pieces)
        )

    def pieces(self, operation: int) -> list[str]:
        """Returns the parts of the text before, between and after the addresses in GM."""
        made = self._made.get(operation)
        if made is None:
            operands = self._operations[operation]["operands"]
            made = self._made[operation] = "; ".join(map(_words, operands)).split("\0")
        return made

    def place(self, address: int) -> str:
        """Returns an address in GM as text: the argument, and the offset from its start."""
        at = bisect_right(self._begins, address) - 1
        if at < 0:
            return f"GM {address:#x}"
        label, begin, _ = self._ranges[at]
        return f"{label}+{address - begin:#x}"


def _words(operand: list[Any]) -> str:
    _, memory, write, begin, bytes_, count, stride, repeats, far, queue, slot = operand
    local = memory if begin is None else f"{memory}+{begin:#07x}"
    place = "\0" if memory == "GM" else local
    text = f"{'write' if write else 'read'} {place} "
    if repeats > 1:
        text += f"{repeats} x " + (f"{count} x " if count > 1 else "") + f"{bytes_} B"
        text += f" every {stride} B and {far} B" if count > 1 else f" every {far} B"
    elif count > 1:
        text += f"{count} x {bytes_} B every {stride} B"
    else:
        text += f"{bytes_} B"
    if queue >= 0:
        text += f" [queue {queue} buffer {slot}]"
    return text
