# SPDX-License-Identifier: Apache-2.0
"""Makes prototypes in the format of msopgen, and runs the command line."""

from __future__ import annotations

import copy
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..processes import run_cannery, run_pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

#: A prototype with two inputs, two dtypes and a float attribute.
ADD_SCALED: dict[str, Any] = {
    "op": "AddScaled",
    "language": "cpp",
    "input_desc": [
        {"name": "x", "param_type": "required", "format": ["ND"], "type": ["float16", "float32"]},
        {"name": "y", "param_type": "required", "format": "ND", "type": ["fp16", "float"]},
    ],
    "output_desc": [
        {"name": "z", "param_type": "required", "format": ["ND", "ND"], "type": ["half", "fp32"]}
    ],
    "attr": [{"name": "alpha", "param_type": "optional", "type": "float", "default_value": "1.0"}],
}

#: A prototype with every kind of tensor and attribute that a new operator may have.
ALL_KINDS: dict[str, Any] = {
    "op": "AllKinds",
    "input_desc": [
        {"name": "mask", "type": ["bool", "int8", "int64"], "format": ["ND"]},
        {"name": "other_one", "type": ["bfloat16"] * 3, "param_type": "optional"},
        {"name": "third", "type": ["uint32", "int16", "uint8"]},
    ],
    "output_desc": [
        {"name": "same", "type": ["bool", "int8", "int64"]},
        {"name": "different", "type": ["float32", "uint64", "bfloat16"]},
        {"name": "extra", "type": ["float16"] * 3, "param_type": "optional"},
    ],
    "attr": [
        {"name": "rows", "type": "int", "param_type": "required"},
        {"name": "ratio", "type": "float", "param_type": "required"},
        {"name": "flag", "type": "bool", "param_type": "optional", "default_value": "True"},
        {"name": "layout", "type": "string", "param_type": "optional", "default_value": 'a"\\b'},
        {"name": "sizes", "type": "list_int", "param_type": "optional", "default_value": "[1, -2]"},
        {"name": "count", "type": "int", "param_type": "optional", "default_value": 25},
    ],
}


@pytest.fixture
def proto() -> dict[str, Any]:
    """Returns a prototype that a test may change."""
    return copy.deepcopy(ADD_SCALED)


@pytest.fixture(scope="session")
def cannery() -> Run:
    """Returns a function that runs `cannery` in the folder `cwd`, as users do."""

    def run(
        *arguments: str | Path, cwd: Path, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return run_cannery(*arguments, cwd=cwd, env={**os.environ, "COLUMNS": "200", **environment})

    return run


def write(folder: Path, *protos: Any, name: str = "proto.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(list(protos)), "utf-8")
    return path


def tree(folder: Path) -> dict[str, bytes]:
    """Returns the contents of every file below `folder`; names of folders end with a slash."""
    return {
        path.relative_to(folder).as_posix() + "/" * path.is_dir(): b""
        if path.is_dir()
        else path.read_bytes()
        for path in folder.rglob("*")
    }


def run_tests(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run_pytest(*options, cwd=project)


def build(cannery: Run, project: Path) -> dict[str, Any]:
    done = cannery("build", "--json", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
