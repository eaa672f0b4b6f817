# SPDX-License-Identifier: Apache-2.0
"""The shapes of an operator's inputs, from the shape of the first one and the texts in `shape` of
its prototype.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cannery.opgen.model import Operator, Tensor

__all__ = ["ShapeError", "Shapes"]

Shape = tuple[int, ...]

#: Texts of shapes: `x.shape`, or a list such as (N, D) or (..., 4). A comma and words may follow.
_LIKE = re.compile(r"(\w+)\.shape\s*(?:,.*)?\Z", re.DOTALL)
_LIST = re.compile(r"\(([^()]*)\)\s*(?:,.*)?\Z", re.DOTALL)
_EXTENT = re.compile(r"\.\.\.|[A-Za-z_]\w*|\d+")


class ShapeError(ValueError):
    """The shape of an input does not fit the prototype, or does not follow from the others."""


class Shapes:
    """The shapes of all inputs of one call."""

    def __init__(self, op: Operator, shape: Shape, given: Mapping[str, Shape]) -> None:
        """shape: that of the first input.   given: shapes by the inputs' Python names; they replace
        those of the prototype.
        """
        self._op = op
        self._default = shape
        self._given = dict(given)
        self._given.setdefault(op.inputs[0].py_name, shape)
        self._extents: dict[str, Shape] = {}
        for name in given:
            self.check(name)
        for tensor in op.inputs:
            if tensor.py_name in self._given:
                self._bind(tensor, self._given[tensor.py_name])

    def __getitem__(self, name: str) -> Shape:
        """Returns the shape of an input. Raises ShapeError if the prototype describes the shape
        with an extent that no other input has.
        """
        if name in self._given:
            return self._given[name]
        tensor = self._tensors[name]
        like = _LIKE.match(tensor.shape)
        earlier = self._op.inputs[: self._op.inputs.index(tensor)]
        same = [each.py_name for each in earlier if like and like[1] in (each.name, each.py_name)]
        if same:
            return self[same[0]]
        parts = _parts(tensor)
        if parts is None:
            return self._default
        return tuple(extent for part in parts for extent in self._extent(tensor, part))

    def check(self, name: str) -> None:
        """Raises ShapeError if the operator has no input of this name."""
        if name not in self._tensors:
            known = ", ".join(self._tensors)
            raise ShapeError(f"{self._op.snake} has the inputs {known}, got {name!r}")

    @property
    def _tensors(self) -> dict[str, Tensor]:
        return {tensor.py_name: tensor for tensor in self._op.inputs}

    def _extent(self, tensor: Tensor, part: str) -> Shape:
        if part.isdecimal():
            return (int(part),)
        if part not in self._extents:
            name = tensor.py_name
            raise ShapeError(
                f"{name} of {self._op.snake} has the shape {tensor.shape}, and no other input "
                f"tells {part}; expected the shape of {name}, too"
            )
        return self._extents[part]

    def _bind(self, tensor: Tensor, shape: Shape) -> None:
        """Stores the values that the shape of an input gives to named extents, such as N."""
        parts = _parts(tensor)
        if parts is None:
            return
        dots = parts.index("...") if "..." in parts else None
        if len(shape) != len(parts) if dots is None else len(shape) < len(parts) - 1:
            if tensor is not self._op.inputs[0]:
                return  # a test may want the operator's own error for a wrong shape
            raise ShapeError(
                f"{tensor.py_name} of {self._op.snake} has the shape {tensor.shape}, got "
                f"{','.join(map(str, shape))}"
            )
        if dots is not None:
            behind = len(parts) - dots - 1
            middle = shape[dots : len(shape) - behind]
            self._extents.setdefault("...", middle)
            shape = (*shape[:dots], *shape[len(shape) - behind :])
            parts = [part for part in parts if part != "..."]
        for part, extent in zip(parts, shape, strict=True):
            if not part.isdecimal():
                self._extents.setdefault(part, (extent,))


def _parts(tensor: Tensor) -> list[str] | None:
    """Returns the names and numbers in the text `shape` of a tensor; None for any other text."""
    found = _LIST.match(tensor.shape)
    if found is None:
        return None
    parts = [part.strip() for part in found[1].split(",") if part.strip()]
    readable = all(_EXTENT.fullmatch(part) for part in parts) and parts.count("...") <= 1
    return parts if readable else None
