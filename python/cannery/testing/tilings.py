# SPDX-License-Identifier: Apache-2.0
"""check_tiling: checks an operator's tiling over a grid of calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from cannery import optiling
from cannery.optiling import Tiling
from cannery.testing.cover import uncovered

__all__ = ["check_tiling"]

Value = Callable[[Tiling], Any]
#: Numbers to check: names of fields of the tiling, or {name: function of the tiling}.
Numbers = Mapping[str, Value] | Iterable[str]


def check_tiling(
    op: Any,
    cases: Iterable[Any],
    *,
    soc: str | None = None,
    work: Value | None = None,
    blocks: Callable[[Tiling, int], Any] | None = None,
    ub_bytes: Value | None = None,
    aligned: Mapping[str, Any] | None = None,
    workspace: Value | None = None,
    equal: Mapping[str, Value] | None = None,
    int32: Numbers = (),
    uint32: Numbers = (),
    cores: str = "vector_cores",
) -> int:
    """Asks for the tiling of every case, checks it, and returns the number of cases.

    op: a name as for `cannery.tiling`, or an object with a method `tiling`, as `load_op_host`
    returns.
    cases: each is a list of inputs, or (inputs, attrs). The check fails if the operator refuses a
    case.
    work: the size of the operator's work, an int or a tuple of extents.
    blocks: the part of the work that block b computes: (begin, end), such a pair for each extent, a
    `range`, or a list of such parts. The blocks together must cover the work exactly once.
    ub_bytes: the bytes of UB that a core uses; the UB of the chip must be large enough.
    aligned: {field: unit}, or {name: function that returns (value, unit)}; the value must be a
    multiple of the unit.
    workspace: the bytes of workspace that the kernel uses; tiling must ask for at least as many, in
    addition to the workspace of the system.
    equal: {field: function that returns its exact value}. Python's integers do not overflow, so
    this finds overflows in the tiling.
    int32, uint32: fields, or {name: function}, that must fit into 32 bits in the kernel.
    cores: "vector_cores", or "cube_cores" for mix and cube kernels. There must be at least one
    block, and at most as many blocks as the chip has cores of this kind.

    Raises AssertionError if checks fail. For each of them, the message has the call with the fewest
    input elements, the field, the values and the tiling. Raises ValueError if there are no cases.
    """
    statements: dict[str, Value | None] = {
        "blocks": lambda t: _block_dim(t, cores),
        "work": _cover(work, blocks),
        "ub_bytes": ub_bytes and (lambda t: _at_most(ub_bytes(t), t.chip["ub_bytes"], "of UB")),
        "aligned": lambda t: _aligned(t, aligned or {}),
        "workspace": workspace
        and (lambda t: _at_most(workspace(t), t.user_workspace, "that tiling asked for")),
        "equal": lambda t: _equal(t, equal or {}),
        "int32": lambda t: _fits(t, int32, -(2**31), 2**31 - 1),
        "uint32": lambda t: _fits(t, uint32, 0, 2**32 - 1),
    }
    return _check(op, cases, soc, {name: test for name, test in statements.items() if test})


@dataclass
class _Finding:
    """A check that fails: the number of cases where it fails, and the smallest of these cases."""

    size: float = math.inf
    cases: int = 0
    text: str = ""
    tiling: Tiling | None = field(default=None)


def _check(op: Any, cases: Iterable[Any], soc: str | None, statements: Mapping[str, Value]) -> int:
    findings: dict[str, _Finding] = {}
    count = 0
    for case in cases:
        count += 1
        tiling = _ask(op, case, soc)
        for name, text in _failures(tiling, statements):
            finding = findings.setdefault(name, _Finding())
            finding.cases += 1
            size = _elements(tiling)
            if size < finding.size:
                finding.size, finding.text, finding.tiling = size, text, tiling
    if count == 0:
        raise ValueError("cases: none; a check of nothing always passes")
    if findings:
        raise AssertionError(_report(count, findings))
    return count


def _ask(op: Any, case: Any, soc: str | None) -> Tiling:
    pair = isinstance(case, tuple) and len(case) == 2 and isinstance(case[1], Mapping)
    inputs, attrs = case if pair else (case, None)
    if isinstance(op, str):
        return optiling.tiling(op, inputs, attrs, soc=soc)
    tiling = op.tiling(inputs, attrs, soc=soc)
    if not isinstance(tiling, Tiling):
        raise TypeError(f"op: expected a name or what has a tiling, got {op!r}")
    return tiling


def _failures(tiling: Tiling, statements: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    if not tiling.ok:
        yield "refused", f"status {tiling.status}: {tiling.message}"
        return
    for name, test in statements.items():
        text = test(tiling)
        if text:
            yield name, text


def _block_dim(tiling: Tiling, cores: str) -> str:
    most = tiling.chip[cores]
    if 1 <= tiling.block_dim <= most:
        return ""
    return f"block_dim is {tiling.block_dim}; expected 1 to {most}, the {cores} of {tiling.soc}"


def _cover(work: Value | None, blocks: Callable[[Tiling, int], Any] | None) -> Value | None:
    if (work is None) != (blocks is None):
        raise TypeError("work, blocks: expected both or neither")
    if work is None or blocks is None:
        return None
    return lambda t: uncovered(work(t), [blocks(t, block) for block in range(t.block_dim)])


def _at_most(bytes_: int, limit: int, what: str) -> str:
    return "" if 0 <= bytes_ <= limit else f"{bytes_} bytes; there are {limit} {what}"


def _aligned(tiling: Tiling, aligned: Mapping[str, Any]) -> str:
    for name, unit in aligned.items():
        value, multiple = unit(tiling) if callable(unit) else (tiling[name], unit)
        if value % multiple:
            return f"{name} is {value}, no multiple of {multiple}"
    return ""


def _equal(tiling: Tiling, equal: Mapping[str, Value]) -> str:
    for name, exact in equal.items():
        wanted = exact(tiling)
        if tiling[name] != wanted:
            return f"{name} is {tiling[name]}; expected {wanted}"
    return ""


def _fits(tiling: Tiling, numbers: Numbers, low: int, high: int) -> str:
    if not isinstance(numbers, Mapping):
        numbers = {name: lambda t, name=name: t[name] for name in numbers}
    for name, value in numbers.items():
        number = value(tiling)
        if not low <= number <= high:
            return f"{name} is {number}; 32 bits hold {low} to {high}"
    return ""


def _elements(tiling: Tiling) -> int:
    return sum(math.prod(one[0]) for one in tiling.inputs if one is not None)


def _report(count: int, findings: Mapping[str, _Finding]) -> str:
    first = next(one.tiling for one in findings.values() if one.tiling is not None)
    lines = [f"the tiling of {first.op} on {first.soc}, {count} cases:"]
    for name, finding in findings.items():
        tiling = finding.tiling
        if tiling is None:
            continue
        inputs = ", ".join("None" if one is None else f"{one[0]} {one[1]}" for one in tiling.inputs)
        lines += [
            f"  {name} fails in {finding.cases}; the smallest: {inputs}"
            + (f", {dict(tiling.attrs)}" if tiling.attrs else ""),
            f"    {finding.text}",
        ]
        if tiling.ok:
            fields = ", ".join(f"{key} {value}" for key, value in tiling.fields.items())
            lines.append(f"    key {tiling.key}, block_dim {tiling.block_dim}: {fields}"[:400])
    return "\n".join(lines)
