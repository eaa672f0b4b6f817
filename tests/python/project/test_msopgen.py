# SPDX-License-Identifier: Apache-2.0
"""cannery must use each field of msopgen's JSON, or refuse the field in a message with its name."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cannery.opgen import msopgen
from cannery.opgen.loader import PrototypeError


def read(folder: Path, *protos: Any) -> list[dict[str, Any]]:
    path = folder / "proto.json"
    path.write_text(json.dumps(list(protos)), "utf-8")
    return msopgen.read(path, ["ascend910b"])


def test_what_a_prototype_says(tmp_path: Path, proto: dict[str, Any]) -> None:
    (made,) = read(tmp_path, proto)
    assert made["type"] == "AddScaled"
    assert made["socs"] == ["ascend910b"]
    dtypes = ["float16", "float32"]
    for tensor in (*made["input"], *made["output"]):
        assert (tensor["dtypes"], tensor["formats"]) == (dtypes, ["ND", "ND"])
        assert tensor["param_type"] == "required"
    assert [tensor["name"] for tensor in made["input"]] == ["x", "y"]
    (alpha,) = made["attr"]
    assert (alpha["name"], alpha["type"], alpha["param_type"]) == ("alpha", "float", "optional")
    assert alpha["default"] == 1.0
    assert made["doc"] == "Every output is a copy of x.\n"


def test_one_object_is_a_list_of_one(tmp_path: Path, proto: dict[str, Any]) -> None:
    path = tmp_path / "proto.json"
    path.write_text(json.dumps(proto))
    assert [made["type"] for made in msopgen.read(path, ["ascend910b"])] == ["AddScaled"]


def test_one_type_or_format_stands_for_all(tmp_path: Path, proto: dict[str, Any]) -> None:
    proto["input_desc"][0] |= {"type": "int8", "format": ["ND", "ND"]}
    (made,) = read(tmp_path, proto)
    assert made["input"][0]["dtypes"] == ["int8", "int8"]
    doc = "Every output is a copy of x; an output of another dtype is filled with zeros.\n"
    assert made["doc"] == doc


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        ("int", 25, 25),
        ("int", "25", 25),
        ("int", " -3 ", -3),
        ("float", 1, 1.0),
        ("float", "1.0", 1.0),
        ("float", "1e-5", 1e-5),
        ("float", "3", 3.0),
        ("bool", "False", False),
        ("bool", "true", True),
        ("bool", True, True),
        ("string", "25", "25"),
        ("list_int", [1, 2], [1, 2]),
        ("list_int", "[1, 2]", [1, 2]),
        ("list_int", "1, 2", [1, 2]),
        ("list_int", "{1, 2}", [1, 2]),
        ("list_int", "{}", []),
        ("list_int", {}, []),
        ("list_int", {"a": 1}, ValueError),
        ("list_int", "{1", ValueError),
        ("list_int", "7", ValueError),
        ("int", "1.5", ValueError),
        ("int", True, ValueError),
        ("int", "x", ValueError),
        ("float", "nan", ValueError),
        ("float", math.inf, ValueError),
        ("float", "1e999", ValueError),
        ("float", "1e39", ValueError),
        ("float", 3.4028234e38, 3.4028234e38),
        ("string", "a\0b", ValueError),
        ("string", "\ud800", ValueError),
        ("float", None, ValueError),
        ("bool", 1, ValueError),
        ("bool", "yes", ValueError),
        ("string", 5, ValueError),
        ("list_int", "[1.5]", ValueError),
        pytest.param("list_int", "[" * 100000, ValueError, id="deep"),
        pytest.param("list_int", "1," + "[" * 100000, ValueError, id="deep without brackets"),
    ],
    ids=str,
)
def test_default_values(kind: str, given: Any, value: Any) -> None:
    if value is ValueError:
        with pytest.raises(ValueError):  # noqa: PT011  callers make the message
            msopgen.parse_default(kind, given)
    else:
        got = msopgen.parse_default(kind, given)
        assert (type(got), got) == (type(value), value)


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Returns a function that sets the value at `path`, e.g. "input_desc.0.type". The value `...`
    deletes the key."""
    *steps, last = path.split(".")

    def apply(proto: Any) -> None:
        for step in steps:
            proto = proto[int(step) if step.isdigit() else step]
        key = int(last) if last.isdigit() else last
        if value is ...:
            del proto[key]
        else:
            proto[key] = value

    return apply


REFUSED: list[tuple[str, Any, str]] = [
    ("op", ..., "[0].op: must be PascalCase letters and digits, as in AddCustom; given: nothing"),
    ("op", "add", '[0].op: must be PascalCase letters and digits, as in AddCustom; given: "add"'),
    ("language", "py", 'AddScaled.language: must be cpp; given: "py"'),
    ("author", "me", "AddScaled.author: unknown field; known are op, language, input_desc"),
    ("input_desc", ..., "AddScaled.input_desc: must be a list with at least one tensor"),
    ("input_desc", {}, "AddScaled.input_desc: must be a list with at least one tensor; given: {}"),
    ("output_desc", [], "AddScaled.output_desc: must be a list with at least one tensor"),
    ("attr", 3, "AddScaled.attr: must be a list; given: 3"),
    ("attr.0", "alpha", 'AddScaled.attr[0]: must be an object; given: "alpha"'),
    ("input_desc.0.name", ..., "AddScaled.input_desc[0].name: must be letters, digits and single"),
    ("input_desc.0.name", "größe", "AddScaled.input_desc[0].name: must be letters, digits and"),
    ("input_desc.0.typ", "x", "AddScaled.input_desc[0].typ: unknown field; known are name, param"),
    ("input_desc.0.type", ..., "AddScaled.input_desc[0].type: must be one of float, fp32, float32"),
    ("input_desc.1.type", ["fp16", "double"], "AddScaled.input_desc[1].type: must be one of float"),
    (
        "input_desc.1.type",
        ["fp16", "resource"],
        "AddScaled.input_desc[1].type: must be one of float",
    ),
    (
        "input_desc.0.format",
        "NC1HWC0",
        "AddScaled.input_desc[0].format: must be one of ND, NCHW, NHWC, HWCN, NDHWC, NCDHW, NC, N",
    ),
    ("input_desc.0.format", ["ND"] * 3, "AddScaled.input_desc[0].format: must be one, or as many"),
    ("input_desc.0.format", [], "AddScaled.input_desc[0].format: must name at least one"),
    (
        "input_desc.0.param_type",
        "dynamic",
        "AddScaled.input_desc[0].param_type: must be required or optional, for a new operator",
    ),
    ("output_desc.0.type", ["half"] * 3, "AddScaled"),
    (
        "attr.0.type",
        "list_float",
        "AddScaled.attr[0].type: must be one of int, float, string, bool",
    ),
    (
        "attr.0.type",
        ...,
        "AddScaled.attr[0].type: must be one of int, float, string, bool, list_int",
    ),
    (
        "attr.0.default_value",
        "x",
        "AddScaled.attr[0].default_value: must be of type float of 32 bits, as JSON",
    ),
]


@pytest.mark.parametrize(("path", "value", "sentence"), REFUSED, ids=str)
def test_refused_by_name(
    tmp_path: Path, proto: dict[str, Any], path: str, value: Any, sentence: str
) -> None:
    change(path, value)(proto)
    with pytest.raises(PrototypeError) as caught:
        read(tmp_path, proto)
    assert any(
        problem.startswith(f"{tmp_path / 'proto.json'}: {sentence}")
        for problem in caught.value.problems
    ), caught.value.problems


def test_all_faults_at_once(tmp_path: Path, proto: dict[str, Any]) -> None:
    proto["input_desc"][0]["type"] = ["double", "float"]
    proto["attr"][0]["type"] = "tensor"
    with pytest.raises(PrototypeError) as caught:
        read(tmp_path, proto, proto)
    assert len(caught.value.problems) == 3  # the third one: the operator occurs twice
    assert "op: AddScaled is there twice" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "(file): must be JSON in UTF-8"),
        ('[{"op": "Add', "(file): must be JSON in UTF-8"),
        ("[" * 100000, "(file): brackets are nested too deeply"),
        ("[]", "(file): must have an operator"),
        ("3", "[0]: must be an object; given: 3"),
        ("[null]", "[0]: must be an object; given: nothing"),
        ('{"op": "A\ud800"}', "[0].op"),
        ('{"op": "Add", "op": "Sub"}', "Sub.op: is there twice"),
        ('{"op": "Add", "attr": [{"name": "a", "name": "b"}]}', "Add.attr[0].name: is there twice"),
        ('{"op": "A' + "b" * 100 + '"}', "[0].op: must have at most 100 characters"),
    ],
    ids=[
        *("empty", "cut", "deep", "none", "number", "null", "half a character"),
        *("twice", "inside", "long"),
    ],
)
def test_no_prototype(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "proto.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(PrototypeError) as caught:
        msopgen.read(path, ["ascend910b"])
    assert f"{path}: " in str(caught.value)
    if "character" not in sentence and "\ud800" not in text:
        assert sentence in str(caught.value)


def test_a_byte_order_mark_and_spaces_are_no_fault(tmp_path: Path, proto: dict[str, Any]) -> None:
    proto["input_desc"][0] |= {"name": " x", "type": [" fp16", "float "]}
    path = tmp_path / "proto.json"
    path.write_text(json.dumps(proto), "utf-8-sig")
    (made,) = msopgen.read(path, ["ascend910b"])
    assert made["input"][0]["name"] == "x"
    assert made["input"][0]["dtypes"] == ["float16", "float32"]


def test_formats_that_name_axes(tmp_path: Path, proto: dict[str, Any]) -> None:
    proto["input_desc"][0]["format"] = ["ND", "NCHW"]
    (made,) = read(tmp_path, proto)
    assert made["input"][0]["formats"] == ["ND", "NCHW"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "proto.json")
    with pytest.raises(PrototypeError, match="cannot be read: Not a file"):
        msopgen.read(tmp_path / "proto.json", ["ascend910b"])


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(PrototypeError, match="cannot be read: No such file"):
        msopgen.read(tmp_path / "missing.json", ["ascend910b"])
    with pytest.raises(PrototypeError, match="cannot be read"):
        msopgen.read(tmp_path, ["ascend910b"])
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (msopgen.MAX_BYTES + 1))
    with pytest.raises(PrototypeError, match="at most 10485760 bytes"):
        msopgen.read(large, ["ascend910b"])


@pytest.mark.parametrize(
    ("text", "socs"),
    [
        ("ai_core-ascend910b", ["ascend910b"]),
        ("ai_core-Ascend910B2", ["ascend910b"]),
        ("aicore-ascend910_93", ["ascend910_93"]),
        ("ai_core-ascend910b,ai_core-Ascend910_9391", ["ascend910b", "ascend910_93"]),
        ("ai_core-ascend910b1, ai_core-ascend910b4", ["ascend910b"]),
        ("ai_core-ascend310p", None),
        ("ai_core-ascend910", None),
        ("ai_core", None),
        ("aicpu", None),
        ("vector_core-ascend910b", None),
        ("", None),
    ],
)
def test_socs(text: str, socs: list[str] | None) -> None:
    if socs is None:
        with pytest.raises(ValueError, match=r"-c: expected (ai_core-<soc>|ascend910b)"):
            msopgen.parse_socs(text)
    else:
        assert msopgen.parse_socs(text) == socs
