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
    """The shape of an input does not fit the prototype, or does not follow from the others.
    `name` is the Python name of the input.
    """

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name


class Shapes:
    """The shapes of all inputs of one call."""

    def __init__(self, op: Operator, shape: Shape, given: Mapping[str, Shape]) -> None:
        """shape: the shape of the first input.   given: shapes by the inputs' Python names.

        Raises ShapeError if these shapes contradict the prototype or each other.
        """
        self._op = op
        self._default = shape
        self._given = dict(given)
        self._given.setdefault(op.inputs[0].py_name, shape)
        #: For each named extent, such as N: its value, and the input that has set this value.
        self._extents: dict[str, tuple[Shape, str]] = {}
        for name in given:
            self.check(name)
        known = [tensor for tensor in op.inputs if tensor.py_name in self._given]
        for tensor in known:
            self._bind(tensor, self._given[tensor.py_name])
        for tensor in known:
            self._compare(tensor, self._given[tensor.py_name])

    def __getitem__(self, name: str) -> Shape:
        """Returns the shape of an input. Raises ShapeError if the prototype describes the shape
        by an extent or an input that has no known value.
        """
        if name in self._given:
            return self._given[name]
        tensor = self._tensors[name]
        like = _LIKE.match(tensor.shape)
        if like is not None:
            return self[self._earlier(tensor, like[1])]
        parts = _parts(tensor)
        if parts is None:
            return self._default
        return tuple(extent for part in parts for extent in self._extent(tensor, part))

    def check(self, name: str) -> None:
        """Raises ShapeError if the operator has no input of this name."""
        if name not in self._tensors:
            known = ", ".join(self._tensors)
            raise ShapeError(f"{self._op.snake} has the inputs {known}, got {name!r}", name)

    @property
    def _tensors(self) -> dict[str, Tensor]:
        return {tensor.py_name: tensor for tensor in self._op.inputs}

    def _earlier(self, tensor: Tensor, named: str) -> str:
        """Returns the Python name of the input `named`, which must be before `tensor`."""
        earlier = self._op.inputs[: self._op.inputs.index(tensor)]
        for each in earlier:
            if named in (each.name, each.py_name):
                return each.py_name
        known = ", ".join(each.py_name for each in earlier)
        expected = f"one of the inputs before it, {known}" if known else "extents, as it is first"
        raise ShapeError(
            f"{tensor.py_name} of {self._op.snake} has the shape {tensor.shape}; expected "
            f"{expected}, got {named!r}",
            tensor.py_name,
        )

    def _extent(self, tensor: Tensor, part: str) -> Shape:
        if part.isdecimal():
            return (int(part),)
        if part not in self._extents:
            name = tensor.py_name
            raise ShapeError(
                f"{name} of {self._op.snake} has the shape {tensor.shape}, and no other input "
                f"tells {part}; expected the shape of {name}, too",
                name,
            )
        return self._extents[part][0]

    def _bind(self, tensor: Tensor, shape: Shape) -> None:
        """Reads the values of named extents, such as N, from the shape of an input. Raises
        ShapeError if the shape does not fit the prototype, or if an input with another value of an
        extent was read before.
        """
        parts = _parts(tensor)
        if parts is None:
            return
        dots = parts.index("...") if "..." in parts else len(parts)
        behind = len(parts) - dots - 1
        if len(shape) < len(parts) - 1 if behind >= 0 else len(shape) != len(parts):
            raise self._unfit(tensor, shape)
        values: list[Shape] = [(extent,) for extent in shape[:dots]]
        if behind >= 0:
            end = len(shape) - behind
            values += [shape[dots:end], *((extent,) for extent in shape[end:])]
        for part, value in zip(parts, values, strict=True):
            if part.isdecimal():
                if value != (int(part),):
                    raise self._unfit(tensor, shape)
                continue
            before, giver = self._extents.setdefault(part, (value, tensor.py_name))
            if before != value:
                raise self._unfit(tensor, shape, f"{giver} tells that {part} is {_text(before)}")

    def _compare(self, tensor: Tensor, shape: Shape) -> None:
        """Raises ShapeError if the prototype says that two inputs have the same shape, but their
        shapes differ.
        """
        like = _LIKE.match(tensor.shape)
        if like is None:
            return
        other = self._earlier(tensor, like[1])
        if self[other] != shape:
            raise self._unfit(tensor, shape, f"{other} has the shape {_text(self[other])}")

    def _unfit(self, tensor: Tensor, shape: Shape, reason: str = "") -> ShapeError:
        return ShapeError(
            f"{tensor.py_name} of {self._op.snake} has the shape {tensor.shape}"
            f"{', and ' + reason if reason else ''}, got {_text(shape)}",
            tensor.py_name,
        )


def _text(shape: Shape) -> str:
    return ",".join(map(str, shape)) or "a scalar"


def _parts(tensor: Tensor) -> list[str] | None:
    """Returns the names and numbers in the text `shape` of a tensor; None for any other text."""
    found = _LIST.match(tensor.shape)
    if found is None:
        return None
    parts = [part.strip() for part in found[1].split(",") if part.strip()]
    readable = all(_EXTENT.fullmatch(part) for part in parts) and parts.count("...") <= 1
    return parts if readable else None
