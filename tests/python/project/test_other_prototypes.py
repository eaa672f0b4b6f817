# SPDX-License-Identifier: Apache-2.0
"""Builds whole projects of unusual prototypes: names, every kind of parameter, and an operator that
cannery also has."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..processes import run_code
from .conftest import ADD_SCALED, ALL_KINDS, Run, build, run_tests, write

#: Operators with the names of C functions. Their tensor formats, such as NCHW, only name axes.
C_NAMES = ("Abs", "Exp", "Div", "Min", "Round", "Select")


@pytest.mark.release
@pytest.mark.twin_only("runs a package that was built for the twin")
def test_operators_that_are_called_as_c_functions(cannery: Run, tmp_path: Path) -> None:
    tensor = {"type": ["half", "half"], "format": ["NCHW", "ND"]}
    protos = [
        {
            "op": op,
            "input_desc": [{"name": "x", **tensor}],
            "output_desc": [{"name": "y", **tensor}],
        }
        for op in (*C_NAMES, "Cast", "Real", "Text")
    ]
    proto = write(tmp_path, *protos)
    options = ("-c", "ai_core-ascend910b", "-out", "named")
    assert cannery("new", "-i", proto, *options, cwd=tmp_path).returncode == 0
    build(cannery, tmp_path / "named")
    done = run_tests(tmp_path / "named")
    assert f"{9 * 2 * 10} passed" in done.stdout, done.stdout


@pytest.mark.release
def test_every_kind_of_parameter(cannery: Run, tmp_path: Path) -> None:
    proto = write(tmp_path, ALL_KINDS, ADD_SCALED)
    units = "ai_core-ascend910b,ai_core-ascend910_93"
    done = cannery("new", "-i", proto, "-c", units, "-out", "all_of_it", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    project = tmp_path / "all_of_it"
    build(cannery, project)
    done = run_tests(project)
    assert done.returncode == 0, done.stdout
    assert "150 passed" in done.stdout  # 5 rows of dtypes x 2 chip families x 15 tests


@pytest.mark.release
def test_an_operator_of_ours_is_shadowed(cannery: Run, tmp_path: Path) -> None:
    """If a project has an operator that cannery also has, the whole process uses the project's
    operator, as on a card."""
    proto = write(tmp_path, {**ADD_SCALED, "op": "SwiGluGrad"})
    options = ("-c", "ai_core-ascend910b", "-out", "mine")
    assert cannery("new", "-i", proto, *options, cwd=tmp_path).returncode == 0
    build(cannery, tmp_path / "mine")
    code = (
        "import sys, numpy as np; sys.path.insert(0, 'python'); import cannery, mine;"
        "x = np.arange(6, dtype=np.float32);"
        "assert (mine.swi_glu_grad(x, x) == x).all();"
        "print(cannery.swi_glu_grad(x[:3], x))"
    )
    done = run_code(code, cwd=tmp_path / "mine")
    # The public function is cannery's, but it uses the project's definition.
    assert "cannery.errors.AclnnError: SwiGluGrad: attribute alpha" in done.stderr, done.stderr
