# SPDX-License-Identifier: Apache-2.0
"""The documents of --json must match docs/json.md. Most of these tests check errors."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cannery.cli import output
from cannery.cli.codes import codes
from cannery.cli.error_fields import error_fields
from cannery.errors import CanneryError, CompileError, KernelError, NotBuiltError

from ..processes import run_cannery

PAGE = (Path(__file__).parents[3] / "docs/json.md").read_text("utf-8")
SCHEMA = json.loads(PAGE.partition("```json\n")[2].partition("```")[0])

COPY = """#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void copy(GM_ADDR x, GM_ADDR y) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    yGm.SetGlobalBuffer((__gm__ float*)y, 64);
    LocalTensor<float> tile = buffer.Get<float>();
    DataCopy(tile, xGm, 64);
    DataCopy(yGm, tile, 64);
}
"""


def document(*words: str | Path, cwd: Path, status: int, **env: str) -> dict[str, Any]:
    done = run_cannery(*words, "--json", cwd=cwd, env={**os.environ, **env})
    assert done.returncode == status, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout, parse_constant=pytest.fail)
    Draft202012Validator.check_schema(SCHEMA)
    faults = [str(error) for error in Draft202012Validator(SCHEMA).iter_errors(found)]
    assert faults == []
    assert list(found)[:2] == ["version", "ok"]
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("json")
    (path / "copy.cpp").write_text(COPY)
    wait = COPY.replace("DataCopy(tile, xGm, 64)", "WaitFlag<HardEvent::MTE2_V>(0)")
    (path / "wait.cpp").write_text(wait.replace("copy(", "wait("))
    (path / "broken.cpp").write_text(COPY.replace("tile, 64", "tile, sixty"))
    return path


RUN = ("run", "copy.cpp:copy", "--arg", "float32[64]", "--arg")
#: Commands that fail: their words, status, and some fields of the error.
FAILING: dict[str, tuple[tuple[str, ...], int, dict[str, Any]]] = {
    "kernel": (
        (*RUN, "float32[32]", "--hazards", "off"),
        1,
        {
            "type": "KernelError",
            "code": "T101",
            "rule": "GM out of bounds",
            "argument": "y",
            "fix": "clip the last tile to the elements that are left (DataCopyPad copies any "
            "number of bytes)",
            "second": {"core": "0 AIV", "pipe": None, "opcode": None, "line": 13},
            "line": 13,
            "status": 507035,
            "first": None,
            "missing": None,
            "hazards": None,
        },
    ),
    "hazard": (
        (*RUN, "float32[64]"),
        1,
        {
            "type": "HazardError",
            "code": "T801",
            "rule": "Read before the write has ended",
            "missing": "SetFlag<HardEvent::MTE2_MTE3> after line 12, WaitFlag before line 13",
            "fix": "SetFlag<HardEvent::MTE2_MTE3> after line 12, WaitFlag before line 13",
            "first": {"core": "0 AIV", "pipe": "MTE2", "opcode": "DataCopy", "line": 12},
            "second": {"core": "0 AIV", "pipe": "MTE3", "opcode": "DataCopy", "line": 13},
            "level": "auto-sync",
            "incomplete": False,
        },
    ),
    "error that is a finding": (
        ("run", "wait.cpp:wait", *RUN[2:], "float32[64]"),
        1,
        {
            "type": "HazardError",
            "code": "T303",
            "rule": "deadlock",
            "fix": "SetFlag<HardEvent::MTE2_V>(0) earlier in program order",
            "missing": "SetFlag<HardEvent::MTE2_V>(0) before line 12",
            "second": {"core": "0 AIV", "pipe": "V", "opcode": "WaitFlag", "line": 12},
        },
    ),
    "launch": (
        RUN[:-1],
        1,
        {"code": "T602", "rule": "wrong number of arguments", "second": None, "file": None},
    ),
    "compilation": (
        ("run", "broken.cpp:copy", *RUN[2:], "float32[64]"),
        1,
        {"type": "CompileError", "code": None, "line": 13, "core": None, "status": None},
    ),
    "wrong name of a kernel": (
        ("run", "copy.cpp:copi", *RUN[2:], "float32[64]"),
        2,
        {"type": "ValueError", "argument": "OP"},
    ),
    "operator": (
        ("run", "swi_glu_grad", "--size", "small", "--dtype", "float32", "--attr", "dim=7"),
        1,
        {
            "type": "AclnnError",
            "argument": "dim",
            "rule": "-2 to 1, since x has 2 dimensions",
            "status": 161002,
            "name": "ACLNN_ERR_PARAM_INVALID",
        },
    ),
    "option": (
        ("run", "swi_glu_grad", "--size", "huge"),
        2,
        {"type": "ValueError", "argument": "--size", "rule": "small, medium, large"},
    ),
    "argument with advice": (
        ("explain", "T999"),
        2,
        {
            "argument": "CODE",
            "rule": "T107 or a status such as 161002",
            "fix": "`cannery explain` lists all",
        },
    ),
    "unknown option": (("run", "--nope"), 2, {"type": "NoSuchOption", "argument": "--nope"}),
    "option without a value": (("new", "-c", "ai_core-ascend910b"), 2, {"argument": "-i"}),
    "wrong number": (("build", "-j", "none"), 2, {"type": "BadParameter", "argument": "-j"}),
    "no project": (
        ("build",),
        1,
        {
            "type": "CanneryError",
            "argument": None,
            "rule": "CMakeLists.txt and op_proto/*.toml, or op_host/*.cpp as msopgen writes them, "
            "or a CMakeLists.txt that calls npu_op_package",
            "fix": "`cannery new` makes one",
        },
    ),
}


def _contains(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            _contains(found.get(key, "no such key"), value) for key, value in wanted.items()
        )
    return bool(found == wanted)


@pytest.mark.twin_only("codes and hazards are the twin's")
@pytest.mark.parametrize("name", FAILING)
def test_fields_of_errors(folder: Path, name: str) -> None:
    words, status, wanted = FAILING[name]
    found = document(*words, cwd=folder, status=status)
    assert found["ok"] is False
    for field, value in wanted.items():
        assert _contains(found["error"][field], value), (field, found["error"][field])


@pytest.mark.twin_only("a setting of the twin")
def test_a_setting_is_an_argument(folder: Path) -> None:
    found = document(*RUN, "float32[64]", cwd=folder, status=1, CANNERY_HAZARDS="on")
    error = found["error"]
    assert (error["argument"], error["rule"]) == ("CANNERY_HAZARDS", "off, auto-sync or explicit")


@pytest.mark.twin_only("codes are the twin's")
def test_the_page_shows_a_real_document(folder: Path) -> None:
    shown = PAGE.partition("to an array of 32:\n\n")[2].partition("\n## ")[0]
    words = (*RUN, "float32[32]", "--hazards", "off")
    found = document(*words, cwd=folder, status=1)
    text = found["error"].pop("message")
    expected = json.loads(shown)
    assert text.startswith(expected["error"].pop("message").removesuffix(" ..."))
    for place in (found["error"], found["error"]["second"]):
        place["file"] = Path(place["file"]).name
    assert found == expected


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("list", "swi_glu_grad"),
        ("explain",),
        ("explain", "T101"),
        ("explain", "161002"),
        ("docs",),
        ("docs", "json"),
        ("examples",),
        ("flags",),
        ("run", "swi_glu_grad", "--size", "small", "--dtype", "float32"),
    ],
    ids=" ".join,
)
def test_documents_of_commands_that_succeed(tmp_path: Path, words: tuple[str, ...]) -> None:
    found = document(*words, cwd=tmp_path, status=0)
    assert (found["version"], found["ok"]) == (1, True)


@pytest.mark.parametrize(
    ("error", "fields"),
    [
        (
            CompileError("kernel 'k' does not compile:\nk.cpp:3: error\ntry: define `k` in k.cpp"),
            {"fix": "define `k` in k.cpp", "argument": None},
        ),
        (
            CompileError(
                "kernel 'k' does not compile for vector cores:\nk.h:9:3:   required from here\n"
                "my dir/k.cpp:4:9: error: Cast: float from int8_t is not available on A2/A3\n"
                "try: Cast to half first"
            ),
            {
                "file": "my dir/k.cpp",
                "line": 4,
                "rule": "Cast: float from int8_t is not available on A2/A3",
                "fix": "Cast to half first",
            },
        ),
        (
            CompileError("kernel 'k' uses ...:\nk.cpp:7: the standard library: vector\ntry: ..."),
            {"file": "k.cpp", "line": 7, "rule": "the standard library: vector"},
        ),
        (CompileError("no C++ compiler on PATH; install one"), {"file": None, "line": None}),
        (TypeError("threads: expected a whole number, got 'a; b'"), {"fix": None}),
        (
            ValueError(
                "OP: expected one of a, b, got 'c; d'; those of a project are in its folder"
            ),
            {"fix": "those of a project are in its folder", "rule": "one of a, b"},
        ),
        (
            CanneryError("/srv/a: cannot be read"),
            {"argument": None, "rule": None, "message": "/srv/a: cannot be read"},
        ),
        (
            NotBuiltError("mine: no compiled operators in /srv/b; run `cannery build` in /srv"),
            {"argument": None, "fix": "run `cannery build` in /srv"},
        ),
        (CanneryError("add_scaled: mine has no operators"), {"argument": None}),
        (ValueError("add_scaled: expected a name"), {"argument": "add_scaled"}),
        (CanneryError("--gdb: gdb is not on PATH"), {"argument": "--gdb"}),
        (
            KernelError(
                "T104 Misaligned: x\n  at the kernel's start   core 2 AIV\n  k returned 1", 1
            ),
            {"code": "T104", "line": None, "fix": "see below"},
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_fields_come_from_the_message(error: Exception, fields: dict[str, Any]) -> None:
    found = error_fields(error)
    if fields.get("fix") == "see below":
        fields = {**fields, "fix": " ".join(codes()["T104"]["remedy"].split())}
    assert {name: found[name] for name in fields} == fields


@pytest.mark.twin_only("programs of cannery cc run on the twin")
def test_a_program_that_fails_is_not_ok(tmp_path: Path) -> None:
    source = tmp_path / "fails.cpp"
    source.write_text('#include <cstdio>\nint main() { puts("said"); return 3; }\n')
    words = ("cc", source, "-o", tmp_path / "fails", "--run")
    found = document(*words, cwd=tmp_path, status=3)
    assert (found["ok"], found["status"]) == (False, 3)


def test_numbers_that_json_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"worst": [float("nan"), {"x": -float("inf")}, 1.5], "none": None})
    shown = json.loads(capsys.readouterr().out)
    assert shown == {"version": 1, "ok": True, "worst": [None, {"x": None}, 1.5], "none": None}
