# SPDX-License-Identifier: Apache-2.0
"""Python code of a project that prints text or calls sys.exit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run, build
from .test_inputs import SCALE
from .test_new import make

#: The modules in which a project's author writes code. A key names the place in the module where a
#: test adds a statement.
MODULES = {
    "cases, import": "python/scaling/cases/scale.py",
    "cases, inputs": "python/scaling/cases/scale.py",
    "golden, import": "python/scaling/golden/scale.py",
    "golden, call": "python/scaling/golden/scale.py",
    "call": "python/scaling/ops/scale.py",
}
NAMES = {
    "cases, import": "scaling.cases.scale",
    "cases, inputs": "scaling.cases.scale: inputs",
    "golden, import": "scaling",
    "golden, call": "scaling.golden.scale",
    "call": "scaling.scale",
}
RUN = ("run", "scale", "--dtype", "float32", "--shape", "4,8", "--attr", "columns=8")


@pytest.fixture(scope="module")
def made(cannery: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("own") / "scaling"
    make(project, [SCALE], "scaling")
    build(cannery, project)
    cases = project / "python/scaling/cases/scale.py"
    cases.parent.mkdir()
    cases.write_text("def inputs(row, shapes, rng):\n    return {}\n")
    return project


def with_statement(project: Path, place: str, statement: str) -> tuple[Path, str]:
    """Adds a statement to a module; returns the module and its former text."""
    module = project / MODULES[place]
    before = module.read_text()
    if place.endswith("import"):
        marker = "from __future__ import annotations\n"
        head, found, tail = before.rpartition(marker)
        module.write_text(f"{head}{found}import os, sys\n{statement}\n{tail}")
    else:
        last = before.rindex("    return " if place != "call" else "    results: ")
        module.write_text(f"{before[:last]}    import os, sys\n    {statement}\n{before[last:]}")
    return module, before


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.slow
@pytest.mark.parametrize("place", MODULES)
def test_what_it_prints_goes_to_stderr(made: Path, cannery: Run, place: str) -> None:
    both = "print('first'); os.write(1, b'second\\n')"
    module, before = with_statement(made, place, both)
    try:
        done = cannery(*RUN, "--json", cwd=made)
        assert json.loads(done.stdout)["ok"]
        assert "first\n" in done.stderr
        assert "second\n" in done.stderr
        assert "first\n" in cannery(*RUN, cwd=made).stdout
    finally:
        module.write_text(before)


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.slow
@pytest.mark.parametrize("place", MODULES)
@pytest.mark.parametrize("code", ["", "0", "3"])
def test_an_exit_is_a_failure(made: Path, cannery: Run, place: str, code: str) -> None:
    module, before = with_statement(made, place, f"sys.exit({code})")
    try:
        done = cannery(*RUN, "--json", cwd=made)
        assert done.returncode == 1
        error = json.loads(done.stdout)["error"]
        assert error["message"].startswith(f"{NAMES[place]}: calls sys.exit({code}), which would")
        assert error["fix"] == "raise an exception instead"
        done = cannery("profile", *RUN[1:], cwd=made)
        assert done.returncode == (place != "golden, call")
    finally:
        module.write_text(before)
