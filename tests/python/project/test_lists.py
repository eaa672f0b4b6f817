# SPDX-License-Identifier: Apache-2.0
"""Tests operators on lists of tensors (ParamType(DYNAMIC)) and on scalars."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cannery.cli import flags

from ..processes import run_code
from .conftest import Run

pytestmark = [pytest.mark.twin_only("runs a package that was built for the twin")]

USE = """
import sys, numpy as np, cannery, pytest
from cannery.errors import AclnnError, KernelError
project = cannery.project.load(sys.argv[1])
rng = np.random.default_rng(0)
# Tensors of one list may have different ranks, and strided ones are copied (AutoContiguous).
shapes = [(3, 5), (5000,), (2, 3, 4), (), (100, 41)]
for dtype in (np.float16, np.float32):
    x = [np.asarray(rng.standard_normal(shape), dtype) for shape in shapes]
    z = [np.asarray(rng.standard_normal(shape[::-1]), dtype).T for shape in shapes]
    y = project.foreach_axpy(x, z, alpha=2.0)
    assert all(np.array_equal(c, a + 2 * b) for a, b, c in zip(x, z, y, strict=True))
    w = [array.copy() for array in x]
    assert project.foreach_scale(w, 0.5) is w
    assert all(np.array_equal(b, a * dtype(0.5)) for a, b in zip(x, w, strict=True))
    y = project.foreach_shift(x, [1.0, 2.0, 3, 4, 5])
    assert all(np.array_equal(b, a + dtype(i + 1)) for i, (a, b) in enumerate(zip(x, y)))
ones = [np.ones(3, np.float32)]
out = [np.empty(3, np.float32)]
assert project.foreach_shift(ones, [1.0], y=out)[0] is out[0]
assert project.foreach_shift(ones, [1.0], y=[(3,)])[0].tolist() == [2, 2, 2]
assert project.foreach_shift(ones, [np.float32(1)])[0].tolist() == [2, 2, 2]
with pytest.raises(AclnnError, match=r"x\\[0\\] float32, x\\[1\\] float16.* has the rows"):
    project.foreach_shift([*ones, np.ones(2, np.float16)], [1.0, 2.0])
with pytest.raises(AclnnError, match="shifts int32"):
    project.foreach_shift(ones, [np.int32(1)])
with pytest.raises(AclnnError, match="input x is null"):
    project.foreach_shift(None, [1.0])
with pytest.raises(AclnnError, match="input x has 257 tensors; expected at most 256"):
    project.foreach_scale(ones * 257, 1.0)
with pytest.raises(TypeError, match="x: expected a list of NumPy arrays, got ndarray"):
    project.foreach_shift(ones[0], [1.0])
with pytest.raises(TypeError, match=r"x\\[1\\]: expected a NumPy array, got NoneType"):
    project.foreach_shift([*ones, None], [1.0, 1.0])
with pytest.raises(TypeError, match="factor: expected a number, got list"):
    project.foreach_scale(ones, [1.0])
assert project.foreach_zero(out) is None and out[0].tolist() == [0, 0, 0]
ones[0].flags.writeable = False
with pytest.raises(TypeError, match=r"x\\[0\\]: the operator changes this array"):
    project.foreach_zero(ones)
with pytest.raises(TypeError, match=r"x\\[0\\]: the operator changes this array"):
    project.foreach_scale(ones, 1.0)
"""

VALUES = """
import sys, numpy as np, cannery, pytest
from cannery.errors import AclnnError
add = cannery.project.load(sys.argv[1]).add_to
for dtype in (np.float16, np.float32):
    x = np.arange(37, dtype=dtype)
    arrays = [1.0, 8.0, 2.0], [True, False, True], [1, 2]
    out, marks = add(x, *arrays, used=[True, False])
    assert np.array_equal(out, 1.5 + dtype(6.5) * x)
    assert marks.dtype == np.int16 and set(marks.tolist()) == {-2}
    out, _ = add(x, *arrays, used=[False, True], scales=[4.0, 0.5])
    assert np.array_equal(out, 1.5 + dtype(6.5) * x)
with pytest.raises(TypeError, match="weights: expected a sequence of numbers"):
    add(x, ["a"], *arrays[1:], used=[True, False])
with pytest.raises(AclnnError, match="the definition has the rows.*complex64"):
    add(x.astype(np.int8), *arrays, used=[True, False])
"""

TILING = """
import os, sys, numpy as np, cannery
os.chdir(sys.argv[1])
pair = ((3, 5), np.float16)
t = cannery.tiling("ForeachAxpy", [[pair, ((7,), np.float16)]] * 2, {"alpha": 2.0})
assert t.ok, t.message
assert (t["count"], t["sizes"][:3], t["alpha"]) == (2, [15, 7, 0], 2.0)
assert t.outputs == ([((3, 5), "float16"), ((7,), "float16")],)
refused = cannery.tiling("ForeachAxpy", [[pair], []])
assert refused.message.endswith("inputs: x [(3, 5) float16], z []"), refused.message
"""

ROWS = """
import numpy as np, pytest, cannery
@pytest.mark.operator("foreach_axpy")
def test_axpy(operator_row, assert_close):
    x, z = operator_row.inputs((3, 65)).values()
    y = cannery.project.load(".").foreach_axpy(x, z, alpha=2.0)
    assert len(y) == 2
    for a, b, c in zip(x, z, y):
        assert_close(c, a.astype("float64") + 2.0 * b.astype("float64"))
@pytest.mark.operator("foreach_scale")
def test_scale(operator_row):
    x, factor = operator_row.inputs((3, 65)).values()
    before = [array.copy() for array in x]
    after = cannery.project.load(".").foreach_scale(x, factor)
    assert all(np.array_equal(*pair) for pair in zip(before, after))
"""


@pytest.fixture(scope="module")
def made(repository: Path, cannery: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = repository / "tests/fixtures/msopgen/Foreach"
    project = Path(shutil.copytree(source, tmp_path_factory.mktemp("lists") / "Foreach"))
    done = cannery("build", cwd=project)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "AddTo: not built for complex64\n"
    return project


@pytest.mark.slow
def test_calls_from_python(made: Path) -> None:
    done = run_code(USE, made)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_values_that_tiling_reads_and_initial_values(made: Path) -> None:
    done = run_code(VALUES, made)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_tiling_without_a_call(made: Path) -> None:
    done = run_code(TILING, made)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_rows_of_a_definition(made: Path) -> None:
    from .conftest import run_tests

    (made / "tests").mkdir()
    (made / "tests/test_rows.py").write_text(ROWS)
    done = run_tests(made)
    assert "4 passed" in done.stdout, done.stdout


@pytest.mark.slow
def test_unwritten_outputs_of_a_list_are_reported(made: Path, cannery: Run, tmp_path: Path) -> None:
    project = Path(shutil.copytree(made, tmp_path / "Foreach"))
    kernel = project / "op_kernel/foreach_shift.cpp"
    kernel.write_text(kernel.read_text().replace("data.count", "data.count - 1"))
    done = cannery("build", cwd=project)
    assert done.returncode == 0, done.stderr
    code = """
import sys, numpy as np, cannery
x = [np.ones(3, np.float32), np.ones((2, 2), np.float32)]
cannery.project.load(sys.argv[1]).foreach_shift(x, [1.0, 2.0])
"""
    done = run_code(code, project)
    assert "output y[1] of ForeachShift: 4 of 4 elements were never written" in done.stderr
    assert any(made.glob("build/opp/**/aclnn_foreach_shift.h")), "the original project has changed"


@pytest.mark.slow
def test_a_client_program(repository: Path, made: Path, tmp_path: Path) -> None:
    (vendor,) = (path.parent for path in made.glob("build/opp/vendors/*/version.info"))
    program = tmp_path / "lists"
    command = [os.environ.get("CXX", "g++"), "-std=c++17", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{vendor}/op_api/include", *flags.compile_flags()]
    command += [str(repository / "tests/fixtures/clients/lists.cpp"), "-o", str(program)]
    command += [f"-L{vendor}/op_api/lib", *flags.link_flags()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    paths = {"LD_LIBRARY_PATH": f"{vendor}/op_api/lib", "ASCEND_CUSTOM_OPP_PATH": str(vendor)}
    done = subprocess.run(
        [program], capture_output=True, text=True, check=False, env={**os.environ, **paths}
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[:5] == [
        "2 tensors",
        "first 1 2 3",
        "second 12 13",
        "other address 101 102 103",
        "no list: 161002 aclSetDynamicInputTensorAddr: ForeachShift has no tensor 0 in a dynamic "
        "parameter 1 there",
    ]
    statuses = [line.split(" ")[:3] for line in done.stdout.splitlines()[5:]]
    assert statuses == [
        ["no", "tensor:", "161002"],
        ["in", "place", "303"],
        ["null", "list:", "161001"],
        ["empty", "list:", "561002"],
        ["destroyed", "list:", "161002"],
    ]
