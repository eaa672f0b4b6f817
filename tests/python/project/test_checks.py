# SPDX-License-Identifier: Apache-2.0
"""`pytest`, `cannery run` and Python calls in a project must find hazards and unwritten outputs
without being asked, and must say which checks ran."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ..processes import run_code
from .conftest import ADD_SCALED, Run, build, run_tests
from .test_new import make
from .test_project_build import edit

STORE = "        Store(zGm_[first], zLocal, elems);\n"
FREE = "        zQueue_.FreeTensor(zLocal);\n"
#: Frees the output's buffer before the copy to GM; the hazard checker reports this as T821.
RACE = {STORE + FREE: FREE + STORE}
#: Writes only the first 16 elements of each tile.
GAP = {STORE: "        Store(zGm_[first], zLocal, elems < 16 ? elems : 16);\n"}
#: Tests for the projects; they check only the shape of the result.
SHAPE_ONLY = """
import numpy as np
import pytest
import my_project

def call():
    x = np.ones((4, 100), np.float16)
    assert my_project.add_scaled(x, x).shape == x.shape

def test_shape():
    call()

@pytest.mark.incomplete_outputs("only its shape matters")
def test_allowed():
    call()

@pytest.mark.hazards_off("only its shape matters")
def test_without_hazards():
    call()
"""
CALL = """
import warnings
import numpy as np, cannery, my_project
x = np.ones((4, 100), np.float16)
try:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        my_project.add_scaled(x, x)
    print("done", *(f"{each.category.__name__} {each.message}" for each in caught))
except cannery.HazardError as error:
    print("HazardError", error.code, error.level)
"""


@pytest.fixture(autouse=True)
def no_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unsets CANNERY_HAZARDS, which this repository's tests set for programs that they start."""
    monkeypatch.delenv("CANNERY_HAZARDS")


@pytest.fixture(scope="module")
def made(cannery: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Builds a project with the change RACE in its kernel ("race"), and one with GAP ("gap")."""
    found = {}
    for name, change in (("race", RACE), ("gap", GAP)):
        folder = tmp_path_factory.mktemp(name) / "my_project"
        make(folder, [ADD_SCALED], "my_project")
        edit(folder / "op_kernel/add_scaled/kernel.h", change)
        (folder / "tests/test_shape.py").write_text(SHAPE_ONLY)
        build(cannery, folder)
        found[name] = folder
    return found


def chosen(project: Path, text: str) -> None:
    file = project / "pyproject.toml"
    file.write_text(file.read_text().partition("\n[tool.cannery]")[0] + text)


pytestmark = pytest.mark.twin_only("runs a package that was built for the twin")


@pytest.mark.slow
def test_a_projects_tests_find_a_race(made: dict[str, Path]) -> None:
    done = run_tests(made["race"])
    assert done.returncode == 1
    assert "T821" in done.stdout
    assert "1 passed" in done.stdout
    assert "cannery: hazards auto-sync, mode strict; 1 test with hazards off\n" in done.stdout


@pytest.mark.slow
def test_option_environment_and_project_choose_the_level(
    made: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = made["race"]
    try:
        chosen(project, '\n[tool.cannery]\nhazards = "off"\nmode = "pedantic"\n')
        done = run_tests(project)
        assert "cannery: hazards off, mode pedantic" in done.stdout
        assert done.returncode == 0, done.stdout
        assert "HazardError" not in run_code(CALL, cwd=project / "python").stdout
        monkeypatch.setenv("CANNERY_HAZARDS", "auto-sync")
        done = run_tests(project, "-n", "2")
        assert "cannery: hazards auto-sync, mode pedantic" in done.stdout
        assert "T821" in done.stdout
        done = run_tests(project, "--hazards=off", "--mode=hardware")
        assert "cannery: hazards off, mode hardware" in done.stdout
        assert done.returncode == 0, done.stdout
    finally:
        chosen(project, "")


@pytest.mark.slow
def test_cannery_run_finds_a_race(made: dict[str, Path], cannery: Run) -> None:
    words = ("run", "add_scaled", "--dtype", "float16", "--shape", "64,100", "--json")
    done = cannery(*words, cwd=made["race"])
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert (answer["error"]["code"], answer["error"]["level"]) == ("T821", "auto-sync")
    done = cannery(*words, "--hazards", "off", "--mode", "pedantic", cwd=made["race"])
    answer = json.loads(done.stdout)
    assert (answer["ok"], answer["hazards"], answer["mode"]) == (True, "off", "pedantic")


@pytest.mark.slow
def test_python_calls_are_checked(made: dict[str, Path]) -> None:
    done = run_code(CALL, cwd=made["race"] / "python")
    assert done.stdout == "HazardError T821 auto-sync\n", done.stderr
    done = run_code(CALL, cwd=made["gap"] / "python")
    assert done.stdout.startswith("done IncompleteOutputWarning output z of AddScaled: "), (
        done.stdout + done.stderr
    )


@pytest.mark.slow
def test_unwritten_elements_fail_a_test(made: dict[str, Path], cannery: Run) -> None:
    done = run_tests(made["gap"], "tests/test_shape.py")
    assert "2 failed, 1 passed" in done.stdout, done.stdout
    assert "output z of AddScaled: " in done.stdout
    assert "of 400 elements were never written; the first gap has " in done.stdout
    for hidden in (["-p", "no:warnings"], ["-W", "ignore"]):
        done = run_tests(made["gap"], "tests/test_shape.py", *hidden)
        assert "2 failed, 1 passed" in done.stdout, done.stdout
    words = ("run", "add_scaled", "--dtype", "float16", "--shape", "4,100", "--json")
    done = cannery(*words, cwd=made["gap"])
    assert done.returncode == 1
    (result,) = json.loads(done.stdout)["results"]
    assert not result["ok"]
    (text,) = result["unwritten"]
    assert text.startswith("output z of AddScaled: ")


MARKS: dict[str, Any] = {
    "hazards_off: expected the reason": "@pytest.mark.hazards_off\ndef test_it():\n    pass\n",
    "incomplete_outputs: expected the reason": "@pytest.mark.incomplete_outputs()\n"
    "def test_it():\n    pass\n",
    "1 passed": "@pytest.mark.hazards_off('races')\ndef test_it():\n"
    "    import os\n    assert os.environ['CANNERY_HAZARDS'] == 'off'\n",
}


@pytest.mark.parametrize("expected", MARKS)
def test_a_test_without_a_check_says_why(tmp_path: Path, expected: str) -> None:
    (tmp_path / "test_it.py").write_text("import pytest\n" + MARKS[expected])
    done = run_tests(tmp_path)
    assert expected in done.stdout + done.stderr
    assert "cannery: " not in done.stdout  # this folder is no project


FAULTS = {
    'hazards = "on"': "tool.cannery.hazards: expected one of off, auto-sync, explicit, got 'on'",
    "level = 1": "tool.cannery.level: unknown key; known are hazards, mode",
    "mode = [1]": "tool.cannery.mode: expected one of strict, hardware, pedantic, got [1]",
}


@pytest.mark.parametrize("line", FAULTS)
def test_wrong_settings_of_a_project(tmp_path: Path, cannery: Run, line: str) -> None:
    make(tmp_path / "mine", [ADD_SCALED])
    chosen(tmp_path / "mine", f"\n[tool.cannery]\n{line}\n")
    done = run_tests(tmp_path / "mine")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert FAULTS[line] in done.stderr
    done = cannery("run", "add_scaled", cwd=tmp_path / "mine")
    assert done.returncode == 1
    assert FAULTS[line] in done.stderr


WRONG_SETTINGS = {
    "CANNERY_HAZARDS": "CANNERY_HAZARDS: expected one of off, auto-sync, explicit, got 'bogus'",
    "CANNERY_MODE": "CANNERY_MODE: expected one of strict, hardware, pedantic, got 'bogus'",
    "CANNERY_SOC": "CANNERY_SOC: expected one of Ascend910B1, ",
    "CANNERY_BACKEND": "CANNERY_BACKEND: expected one of twin, npu, got 'bogus'",
}


@pytest.mark.parametrize("variable", WRONG_SETTINGS)
def test_a_wrong_setting_is_told_before_any_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    make(tmp_path / "mine", [ADD_SCALED])
    monkeypatch.setenv(variable, "bogus")
    done = run_tests(tmp_path / "mine", "--collect-only")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert WRONG_SETTINGS[variable] in done.stderr


def test_options_override_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "mine"
    make(project, [ADD_SCALED])
    (project / "tests/test_settings.py").write_text(
        "import cannery.settings, os, pytest\n\n"
        "def test_it():\n"
        "    assert cannery.settings.current_backend() == 'twin'\n"
        "    assert os.environ['CANNERY_SOC'] == 'Ascend910B4'\n"
        "    assert cannery.settings.checks() == {'hazards': 'auto-sync', 'mode': 'strict'}\n"
    )
    monkeypatch.setenv("CANNERY_BACKEND", "npu")
    monkeypatch.setenv("CANNERY_SOC", "bogus")
    options = ("--backend", "twin", "--soc", "Ascend910B4", "tests/test_settings.py")
    done = run_tests(project, *options)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert "cannery: hazards auto-sync, mode strict\n" in done.stdout
