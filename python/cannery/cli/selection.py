# SPDX-License-Identifier: Apache-2.0
"""The cases that the options of `cannery run` select."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cannery import cases

__all__ = ["Selection"]

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
    soc: str | None = None
    seed: int = 0
    dump: Path | None = None
    ub_map: bool = False
    picture: Path | None = None  #: file for a picture of the maps
    dump_values: int | None = None

    def chosen(self, usual: list[str] | None = None) -> list[cases.Case]:
        """Returns every case that the options select; raises ValueError for a wrong option. If the
        options name no operator, those in `usual` are selected, by default cannery's own.
        """
        if self.shape is not None and self.size is not None:
            raise ValueError("--shape and --size exclude each other")
        if self.op is None and (self.shape is not None or self.attrs or self.dim is not None):
            raise ValueError("--shape, --attr and --dim: name the operator that gets them")
        workloads = [cases.find(op) for op in ([self.op] if self.op else usual or cases.names())]
        found = [case for each in workloads for case in self._cases_of(each)]
        found.sort(key=lambda case: case.size != "small")
        if not found:
            raise ValueError(f"--dtype: no operator has {self.dtype!r}")
        if self.dump is not None:
            _check_dump(self.dump, found)
        return found

    def _cases_of(self, workloads: cases.Workloads) -> Iterator[cases.Case]:
        dtypes = [each for each in workloads.dtypes if self.dtype in (None, each.name)]
        if not dtypes and self.op is not None:
            known = ", ".join(each.name for each in workloads.dtypes)
            raise ValueError(f"--dtype: {workloads.op} has {known}, got {self.dtype!r}")
        attrs = self._parse_attrs(workloads)
        try:
            if self.shape is not None:
                shape = _parse_shape(self.shape)
                yield from (workloads.custom(shape, dtype, attrs) for dtype in dtypes)
                return
            for size in [self.size] if self.size else _DEFAULT_SIZES:
                yield from (workloads.case(size, dtype, attrs) for dtype in dtypes)
        except ValueError as error:
            raise ValueError(f"--{error}") from None

    def _parse_attrs(self, workloads: cases.Workloads) -> dict[str, cases.AttrValue]:
        """Returns the given attributes; each has the type of the attribute's default value."""
        given = list(self.attrs) + ([] if self.dim is None else [f"dim={self.dim}"])
        parsed: dict[str, cases.AttrValue] = {}
        for text in given:
            name, separator, value = text.partition("=")
            if not separator:
                raise ValueError(f"--attr: expected NAME=VALUE, got {text!r}")
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


def _parse_shape(text: str) -> tuple[int, ...]:
    """Returns a shape from 128,4096 or 128x4096; an empty text is the shape of a scalar."""
    try:
        shape = tuple(int(part) for part in text.replace("x", ",").split(",") if part.strip())
    except ValueError:
        raise ValueError(f"shape: expected whole numbers as in 128,4096, got {text!r}") from None
    if any(extent < 0 for extent in shape):
        raise ValueError(f"shape: expected no negative extent, got {text!r}")
    return shape


def _check_dump(dump: Path, found: list[cases.Case]) -> None:
    if dump.suffix not in (".txt", ".jsonl"):
        raise ValueError(f"--dump: expected FILE.txt or FILE.jsonl, got {str(dump)!r}")
    if len(found) != 1:
        raise ValueError(
            f"--dump: holds one launch, but {len(found)} cases are chosen; "
            "add OP, --dtype and --size"
        )
