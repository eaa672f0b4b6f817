# SPDX-License-Identifier: Apache-2.0
"""Tests of operators that may round integers up or down: `OFF_BY`, and `off_by` in tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run, build, run_tests
from .test_new import make
from .test_project_build import edit

QUANTISE: dict[str, Any] = {
    "op": "Quantise",
    "input_desc": [{"name": "x", "type": ["int8"]}],
    "output_desc": [{"name": "y", "type": ["int8"]}],
}
#: The kernel copies x, so all results but 127 are one less than this golden.
GOLDEN = {"return np.ascontiguousarray(x).copy()": "return np.minimum(x.astype(np.int16) + 1, 127)"}
TEST = """
import pytest
import quantising

@pytest.mark.operator("quantise")
@pytest.mark.parametrize("off_by", [0, 1])
def test_it(operator_row, assert_close, off_by):
    inputs = operator_row.inputs((9, 100))
    got, want = quantising.quantise(**inputs), quantising.golden.quantise(**inputs)
    assert_close(got, want, off_by=off_by)
"""
RUN = ("run", "quantise", "--shape", "64,100")


@pytest.fixture(scope="module")
def made(cannery: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("off") / "quantising"
    make(project, [QUANTISE], "quantising")
    edit(project / "python/quantising/golden/quantise.py", GOLDEN)
    (project / "tests/test_quantise.py").write_text(TEST)
    build(cannery, project)
    return project


@pytest.mark.slow
@pytest.mark.twin_only("runs a package that was built for the twin")
def test_off_by_one(made: Path, cannery: Run) -> None:
    done = run_tests(made)
    assert "1 failed, 1 passed" in done.stdout
    assert "OneSidedErrorWarning: all " in done.stdout
    assert cannery(*RUN, cwd=made).returncode == 1
    cases = made / "python/quantising/cases/quantise.py"
    cases.parent.mkdir()
    cases.write_text('OFF_BY = {"y": 1}\n')
    done = cannery(*RUN, cwd=made)
    assert done.returncode == 0, done.stdout
    assert "quantise, y: all " in done.stdout
    assert "have one sign: no result is above the golden" in done.stdout
    (result,) = json.loads(cannery(*RUN, "--json", cwd=made).stdout)["results"]
    assert result["outputs"]["y"]["one_sided"].startswith("all ")
    for wrong in ('{"z": 1}', '{"y": -1}', '{"y": 0.5}'):
        cases.write_text(f"OFF_BY = {wrong}\n")
        done = cannery(*RUN, cwd=made)
        assert done.returncode == 1
        assert "quantising.cases.quantise.OFF_BY: expected whole numbers for y, got" in done.stderr
    cases.write_text("OFF_BY = [1]\n")
    done = cannery(*RUN, cwd=made)
    assert (done.returncode, done.stdout.count("Traceback")) == (1, 0)
    assert "quantising.cases.quantise.OFF_BY: expected a dictionary, got [1]" in done.stderr
    cases.unlink()


@pytest.mark.slow
@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("(x, x)", "ValueError: zip() argument 2 is longer than argument 1"),
        ("x[:2]", "golden of y covers 200 of 6400"),
    ],
)
def test_a_golden_that_fails_is_an_error(made: Path, cannery: Run, wrong: str, text: str) -> None:
    golden = made / "python/quantising/golden/quantise.py"
    before = golden.read_text()
    golden.write_text(before.replace(next(iter(GOLDEN.values())), f"return {wrong}"))
    done = cannery(*RUN, "--json", cwd=made)
    golden.write_text(before)
    assert text in json.loads(done.stdout)["error"]["message"], done.stdout
    assert done.returncode == 1
