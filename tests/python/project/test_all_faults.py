# SPDX-License-Identifier: Apache-2.0
"""`cannery new` must report all faults of a JSON file at once, but no fault that another fault
causes."""

from __future__ import annotations

import copy
import keyword
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from cannery.cli import new
from cannery.errors import CanneryError
from cannery.opgen import skeleton
from cannery.opgen.rules import RESERVED

from .conftest import write

BOTH = ["float", "half"]
PROTO: dict[str, Any] = {
    "op": "Probe",
    "language": "cpp",
    "input_desc": [
        {"name": "x", "type": BOTH, "format": ["ND", "NCHW"]},
        {"name": "y", "type": BOTH, "format": "ND"},
        {"name": "w", "type": BOTH},
    ],
    "output_desc": [{"name": "z", "type": BOTH}, {"name": "v", "type": BOTH}],
    "attr": [
        {"name": "alpha", "type": "float", "param_type": "optional", "default_value": "1.0"},
        {"name": "beta", "type": "int", "param_type": "optional", "default_value": "1"},
        {"name": "gamma", "type": "bool", "param_type": "required"},
    ],
}


def at(list_: str, index: int, **values: Any) -> Callable[[Any], None]:
    return lambda proto: proto[list_][index].update(values)


def without(list_: str, index: int, key: str) -> Callable[[Any], None]:
    return lambda proto: proto[list_][index].pop(key)


def instead(list_: str, index: int, value: Any) -> Callable[[Any], None]:
    def change(proto: Any) -> None:
        proto[list_][index] = value

    return change


#: Each change causes one fault, whose line begins with the key. No two change the same place.
FAULTS: dict[str, Callable[[Any], None]] = {
    "Probe.language: must be cpp": lambda proto: proto.update(language="py"),
    "Probe.extra: unknown field": lambda proto: proto.update(extra=1),
    "Probe.input_desc[0].name: class is reserved": at("input_desc", 0, name="class"),
    "Probe.input_desc[1].param_type: must be required or optional": at(
        "input_desc", 1, param_type="dynamic"
    ),
    "Probe.input_desc[1].name: must be letters": at("input_desc", 1, name="1"),
    "Probe.input_desc[2].name: pipe is a name of the skeleton's own": at(
        "input_desc", 2, name="pipe"
    ),
    "Probe.input_desc w: FRACTAL_NZ: orders memory in blocks": at(
        "input_desc", 2, format=["FRACTAL_NZ", "ND"]
    ),
    "Probe.output_desc[0]: must be an object": instead("output_desc", 0, "z"),
    "Probe.output_desc[1].type: must be one of": at("output_desc", 1, type=["float", "str"]),
    "Probe.output_desc[1].name: must have at most 100": at("output_desc", 1, name="v" * 101),
    "Probe.attr[0].type: must be one of": at("attr", 0, type="list_bool"),
    "Probe.attr[1].default_value: is required for an optional": without("attr", 1, "default_value"),
    "Probe.attr[1].name: tiles is a name of the skeleton's own": at("attr", 1, name="tiles"),
    "Probe.attr[2].default_value: a required attribute has no": at("attr", 2, default_value=True),
}
#: Changes that exclude one of FAULTS, because they change the same place.
RESTS: dict[str, Callable[[Any], None]] = {
    "Probe: all tensors must have the same number of types": at("input_desc", 2, type=["half"] * 3),
    "Probe.input_desc[1].format: must be one, or as many": at("input_desc", 1, format=["ND"] * 3),
    "Probe.input_desc[0].type[1]: column 1 repeats column 0": lambda proto: [
        each.update(type=["float"] * 2, format="ND")
        for each in (*proto["input_desc"], *proto["output_desc"])
    ],
    "Probe.output_desc z: its dtype must depend on x alone, but for float32 it is ": lambda proto: (
        proto["input_desc"][0].update(type=["float", "float"])
    ),
    "[0].op: must be PascalCase": lambda proto: proto.update(op="probe"),
    "Probe.op: Golden": lambda proto: proto.update(op="Golden"),
    "Probe.output_desc: must be a list with at least one": lambda proto: proto.update(
        output_desc=[]
    ),
    "Probe.attr[0].default_value: must be of type float": at("attr", 0, default_value="much"),
    "Probe.attr[0].param_type: must be one of": at("attr", 0, param_type="maybe"),
}


def faults(folder: Path, changes: Iterable[Callable[[Any], None]]) -> list[str]:
    """Returns the lines that `cannery new` prints for a file with these changes."""
    proto = copy.deepcopy(PROTO)
    for change in changes:
        change(proto)
    source = write(folder, proto)
    options = (source, "ai_core-ascend910b", "cpp", "tf", folder / "p", 0)
    with pytest.raises(CanneryError) as caught:
        new.make(*options, None, None, "cannery", False)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(f"{source}: ") for line in lines), lines
    return [line.removeprefix(f"{source}: ") for line in lines]


@pytest.mark.parametrize("told", [*FAULTS, *RESTS])
def test_one_fault_is_one_line(tmp_path: Path, told: str) -> None:
    (line,) = faults(tmp_path, [{**FAULTS, **RESTS}[told]])
    assert line.startswith(told.replace("Probe.op: Golden", "Golden.op: Golden: golden is a name"))


def test_two_faults_are_two_lines(tmp_path: Path) -> None:
    for pair in combinations(FAULTS, 2):
        lines = faults(tmp_path, [FAULTS[told] for told in pair])
        expected = [told.replace("input_desc w: ", "input_desc") for told in pair]
        assert len(lines) == len(expected), (pair, lines)
        for told in pair:
            assert any(line.startswith(told.partition(" w: ")[0]) for line in lines), (told, lines)


def test_all_faults_are_told(tmp_path: Path) -> None:
    lines = faults(tmp_path, FAULTS.values())
    assert len(lines) == len(FAULTS), lines
    # If the operator's type has a fault, too, the keys begin with the operator's index.
    lines = faults(tmp_path, [*FAULTS.values(), RESTS["[0].op: must be PascalCase"]])
    assert len(lines) == len(FAULTS) + 1, lines
    assert [line for line in lines if not line.startswith("[0].")] == []


def test_columns_that_are_not_known_hide_nothing_else(tmp_path: Path) -> None:
    for told in list(RESTS)[:2]:
        others = [
            change
            for name, change in FAULTS.items()
            if "attr" in name or name.endswith(("reserved", "own"))
        ]
        lines = faults(tmp_path, [RESTS[told], *others])
        assert len(lines) == len(others) + 1, (told, lines)


def test_two_operators(tmp_path: Path) -> None:
    """Faults of one operator do not hide those of another."""
    first, second = copy.deepcopy(PROTO), {**copy.deepcopy(PROTO), "op": "Other"}
    FAULTS["Probe.language: must be cpp"](first)
    FAULTS["Probe.attr[1].name: tiles is a name of the skeleton's own"](second)
    source = write(tmp_path, first, second)
    options = (source, "ai_core-ascend910b", "cpp", "tf", tmp_path / "p", 0)
    with pytest.raises(CanneryError) as caught:
        new.make(*options, None, None, "cannery", False)
    assert str(caught.value).splitlines() == [
        f"{source}: Other.attr[1].name: tiles is a name of the skeleton's own",
        f'{source}: Probe.language: must be cpp; given: "py"',
    ]


def test_a_reserved_name_is_told_once() -> None:
    """A name in both lists would be reported twice."""
    reserved = {*RESERVED, *keyword.kwlist}
    assert reserved & (skeleton._TAKEN | skeleton._PYTHON_TAKEN) == set()
