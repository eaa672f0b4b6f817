# SPDX-License-Identifier: Apache-2.0
"""The cases that the options of `cannery run` select."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cannery import cases
from cannery.cases.arrays import array_of, extents_of

__all__ = ["Selection", "named_shapes"]

Shapes = Mapping[str, tuple[int, ...]]

_DEFAULT_SIZES = ("small", "medium")
_BOOLS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class Selection:
    """Options of `cannery run` for operators, as the user gave them."""

    op: str | None = None
    dtype: str | None = None
    shape: str | None = None
    attrs: tuple[str, ...] = ()
    dim: int | None = None
    size: str | None = None
    seed: int = 0
    dump: Path | None = None
    ub_map: bool = False
    picture: Path | None = None  #: file for a picture of the maps
    dump_values: int | None = None
    shapes: tuple[str, ...] = ()  #: NAME=EXTENTS of single inputs
    args: tuple[str, ...] = ()  #: NAME=ARRAY of single inputs

    def chosen(self, usual: list[str] | None = None) -> list[cases.Case]:
        """Returns every case that the options select; raises ValueError for a wrong option. If the
        options name no operator, those in `usual` are selected, by default cannery's own.
        """
        if self.shape is not None and self.size is not None:
            raise ValueError("--shape and --size exclude each other")
        given = (self.shape, *self.shapes, *self.args, *self.attrs, self.dim)
        if self.op is None and any(each is not None for each in given):
            raise ValueError("--shape, --arg, --attr and --dim: name the operator that gets them")
        workloads = [cases.find(op) for op in ([self.op] if self.op else usual or cases.names())]
        found = [case for each in workloads for case in self._cases_of(each)]
        found.sort(key=lambda case: case.size != "small")
        if not found:
            raise ValueError(f"--dtype: no operator has {self.dtype!r}")
        if self.dump is not None:
            _check_dump(self.dump, found)
        return found

    def _cases_of(self, workloads: cases.Workloads) -> list[cases.Case]:
        dtypes = [each for each in workloads.dtypes if self.dtype in (None, each.name)]
        if not dtypes and self.op is not None:
            known = ", ".join(each.name for each in workloads.dtypes)
            raise ValueError(f"--dtype: {workloads.op} has {known}, got {self.dtype!r}")
        attrs = self._parse_attrs(workloads)
        shapes, args = self._parse_inputs(workloads)
        fitting = [dtype for dtype in dtypes if not args or workloads.takes(dtype, args)]
        if args and not fitting:
            given = ", ".join(f"{name} {array.dtype.name}" for name, array in args.items())
            raise ValueError(
                f"--arg: {workloads.op} has no combination of dtypes with {given}; "
                f"`cannery list {workloads.op}` shows the combinations"
            )
        sizes = [self.size] if self.size else _DEFAULT_SIZES
        try:
            shape = self._first_shape(workloads, shapes, args)
            if shape is not None:
                found = [workloads.custom(shape, dtype, attrs) for dtype in fitting]
            else:
                found = [workloads.case(size, dtype, attrs) for size in sizes for dtype in fitting]
        except ValueError as error:
            raise ValueError(f"--{error}") from None
        return [replace(case, shapes=shapes, args=args) for case in found]

    def _first_shape(
        self, workloads: cases.Workloads, shapes: Shapes, args: Mapping[str, cases.Array]
    ) -> tuple[int, ...] | None:
        """Returns the shape that the user gives for the first input; None if --size decides it."""
        first = workloads.inputs[0] if workloads.inputs else ""
        shape = args[first].shape if first in args else shapes.get(first)
        if shape is None:
            return None if self.shape is None else _parse_shape(self.shape)
        if self.shape is not None or self.size is not None:
            other = "--size" if self.shape is None else f"--shape {self.shape}"
            raise ValueError(f"shape: {first} has a shape of its own, which excludes {other}")
        return shape

    def _parse_inputs(self, workloads: cases.Workloads) -> tuple[Shapes, dict[str, cases.Array]]:
        """Returns the shapes and the arrays that the user gives for single inputs."""
        rng = np.random.default_rng(self.seed)
        shapes: dict[str, tuple[int, ...]] = {}
        args: dict[str, cases.Array] = {}
        for option, texts in (("--shape", self.shapes), ("--arg", self.args)):
            for text in texts:
                name, _, value = text.partition("=")
                _check_input(option, name, workloads)
                if name in shapes or name in args:
                    raise ValueError(f"{option}: {name} is given twice")
                if option == "--shape":
                    shapes[name] = _parse_shape(value, "--shape")
                    continue
                array = array_of(value, rng)
                if array is None:
                    raise ValueError(
                        f"--arg: expected NAME=ARRAY, as in {name}=float32[1024]=ones or "
                        f"{name}=x.npy, got {text!r}"
                    )
                args[name] = array
        return shapes, args

    def _parse_attrs(self, workloads: cases.Workloads) -> dict[str, cases.AttrValue]:
        """Returns the given attributes; each has the type of the attribute's default value."""
        given = list(self.attrs) + ([] if self.dim is None else [f"dim={self.dim}"])
        parsed: dict[str, cases.AttrValue] = {}
        for text in given:
            name, separator, value = text.partition("=")
            if not separator:
                raise ValueError(f"--attr: expected NAME=VALUE, got {text!r}")
            if name in workloads.lists:
                raise ValueError(
                    f"--attr: {name} of {workloads.op} is a list, and --attr gives no lists; the "
                    "command uses the default, or [1] if the attribute is required\n  try: a "
                    f"Python call of {workloads.op} with {name}=[...]"
                )
            if name not in workloads.attrs:
                known = ", ".join(workloads.attrs) or "no attributes"
                raise ValueError(f"--attr: {workloads.op} has {known}, got {name!r}")
            parsed[name] = _parse_value(name, value, workloads.attrs[name])
        return parsed


def _parse_value(name: str, text: str, default: cases.AttrValue) -> cases.AttrValue:
    kind = type(default)
    try:
        return _BOOLS[text.lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        expected = "true or false" if kind is bool else f"a value like {default!r}"
        raise ValueError(f"--attr: {name} is {expected}, got {text!r}") from None


def named_shapes(given: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """Splits the values of --shape into the one shape without a name and all NAME=EXTENTS."""
    plain = [text for text in given if "=" not in text]
    if len(plain) > 1:
        raise ValueError(
            f"--shape: expected one shape without a name, got {' and '.join(map(repr, plain))}"
        )
    return (plain[0] if plain else None), tuple(text for text in given if "=" in text)


def _check_input(option: str, name: str, workloads: cases.Workloads) -> None:
    if not workloads.inputs:
        extents = ",".join(workloads.axes) or "EXTENTS"
        raise ValueError(
            f"{option}: {workloads.op} makes its inputs itself; expected --shape {extents}"
        )
    if name not in workloads.inputs:
        known = ", ".join(workloads.inputs)
        raise ValueError(f"{option}: {workloads.op} has the inputs {known}, got {name!r}")


def _parse_shape(text: str, option: str = "shape") -> tuple[int, ...]:
    """Returns a shape from 128,4096 or 128x4096, or from () for a scalar."""
    shape = () if text == "()" else extents_of(text)
    if shape is None:
        raise ValueError(
            f"{option}: expected whole numbers as in 128,4096 or 128x4096, or () for a scalar, "
            f"got {text!r}"
        )
    return shape


def _check_dump(dump: Path, found: list[cases.Case]) -> None:
    if dump.suffix not in (".txt", ".jsonl"):
        raise ValueError(f"--dump: expected FILE.txt or FILE.jsonl, got {str(dump)!r}")
    if len(found) != 1:
        raise ValueError(
            f"--dump: holds one launch, but {len(found)} cases are chosen; "
            "add OP, --dtype and --size"
        )
