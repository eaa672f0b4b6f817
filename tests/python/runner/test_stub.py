# SPDX-License-Identifier: Apache-2.0
"""The committed stub of the native functions is what the prototypes say."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from cannery import _runtime


def test_committed_stub_is_the_generated_one(repository: Path, tmp_path: Path) -> None:
    opgen = [sys.executable, "-m", "cannery.opgen"]
    arguments = ["--proto", repository / "op_proto", "--out", tmp_path]
    subprocess.run([*opgen, *arguments], check=True)
    committed = repository / "python" / "cannery" / "_native" / "ops.pyi"
    assert committed.read_text() == (tmp_path / "python" / "ops.pyi").read_text()


def test_stub_names_every_native_function(repository: Path) -> None:
    stub = ast.parse((repository / "python" / "cannery" / "_native" / "ops.pyi").read_text())
    declared = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    native = _runtime.native_module().ops
    assert declared == {name for name in dir(native) if not name.startswith("_")}
