# SPDX-License-Identifier: Apache-2.0
"""`cannery new` must write all its files, or none."""

from __future__ import annotations

import copy
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cannery import _runtime
from cannery.opgen import msopgen, scaffold
from cannery.opgen.loader import PrototypeError

from ..processes import run_code
from .conftest import ADD_SCALED, ALL_KINDS, Run, run_tests, tree, write

SEVEN = ["CMakeLists.txt", "build.sh", "op_host", "op_kernel", "op_proto", "python", "tests"]
OPTIONS = ("-c", "ai_core-ascend910b", "-lan", "cpp")


def test_has_the_seven_names(cannery: Run, tmp_path: Path) -> None:
    proto = write(tmp_path, ADD_SCALED)
    done = cannery("new", "-i", proto, *OPTIONS, "-out", "my_project", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    made = tmp_path / "my_project"
    assert set(SEVEN) <= {path.name for path in made.iterdir()}
    listed = [line.strip() for line in done.stdout.splitlines() if line.startswith("  ")]
    assert listed == sorted(name for name in tree(made) if not name.endswith("/"))
    assert os.access(made / "build.sh", os.X_OK)
    everything = b"".join(tree(made).values()).decode().replace("${{", "")  # GitHub's syntax
    for left in ("new_op", "NewOp", "NEW_OP", "{{", "{%", "<<<<<<<", ">>>>>>>"):
        assert left not in everything


def test_msopgens_own_options(cannery: Run, tmp_path: Path) -> None:
    proto = write(tmp_path, ADD_SCALED, ALL_KINDS)
    options = ("-f", "tf", "-c", "ai_core-Ascend910B1,ai_core-ascend910_93", "-lan", "CPP")
    done = cannery("new", "-i", proto, *options, "-op", "AddScaled", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr + done.stdout
    toml = (tmp_path / "op_proto" / "add_scaled.toml").read_text()
    assert 'socs = ["ascend910b", "ascend910_93"]' in toml
    assert not (tmp_path / "op_proto" / "all_kinds.toml").exists()


def test_a_prototype_of_ours(cannery: Run, tmp_path: Path) -> None:
    proto = write(tmp_path, ADD_SCALED)
    assert cannery("new", "-i", proto, *OPTIONS, "-out", "a", cwd=tmp_path).returncode == 0
    toml = tmp_path / "a" / "op_proto" / "add_scaled.toml"
    done = cannery("new", "-i", toml, "-out", "b", "--name", "a", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_adds_an_operator(cannery: Run, tmp_path: Path) -> None:
    one, both = tmp_path / "one", tmp_path / "both"
    for folder, protos in ((one, [ADD_SCALED]), (both, [ADD_SCALED, ALL_KINDS])):
        done = cannery(
            *("new", "-i", write(tmp_path, *protos), *OPTIONS, "-out", folder, "--name", "mine"),
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
    added = cannery(
        *("new", "-i", write(tmp_path, ALL_KINDS), *OPTIONS, "-out", one, "-m", "1"), cwd=tmp_path
    )
    assert added.returncode == 0, added.stderr
    assert tree(one) == tree(both)
    before = tree(one)
    again = cannery(
        *("new", "-i", write(tmp_path, ALL_KINDS), *OPTIONS, "-out", one, "-m", "1"), cwd=tmp_path
    )
    assert again.returncode == 1
    assert "AllKinds: there is already op_proto/all_kinds.toml" in again.stderr
    assert tree(one) == before


def test_python_sources_import(tmp_path: Path) -> None:
    """A project can be imported before a build; only a call fails, and its message names the
    build."""
    make(tmp_path / "mine", [ADD_SCALED, ALL_KINDS])
    code = (
        "import numpy as np, mine; x = np.zeros((2, 3), bool);"
        "same, different, extra = mine.golden.all_kinds(x, x, 1, 0.5);"
        "assert (same.dtype, different.dtype, extra.dtype) == (bool, 'float32', 'float16');"
        "assert mine.__all__[2:] == ['add_scaled', 'all_kinds'];"
        "mine.add_scaled(x, x)"
    )
    done = run_code(code, cwd=tmp_path / "mine" / "python")
    last = done.stderr.splitlines()[-1]
    assert "NotBuiltError: mine: no compiled operators in" in last
    assert f"run `cannery build` in {tmp_path / 'mine'}" in last


@pytest.mark.slow
def test_workers_before_a_build_say_so(tmp_path: Path) -> None:
    make(tmp_path / "mine", [ADD_SCALED])
    for processes in ("0", "2"):
        tests = [sys.executable, "-m", "pytest", "-q", "-n", processes]
        run = subprocess.run(
            tests, cwd=tmp_path / "mine", capture_output=True, text=True, check=False
        )
        assert "INTERNALERROR" not in run.stdout
        assert "run `cannery build` in" in run.stdout + run.stderr


def test_tests_before_a_build_say_so_once(tmp_path: Path) -> None:
    make(tmp_path / "mine", [ADD_SCALED])
    done = run_tests(tmp_path / "mine")
    said = done.stdout + done.stderr
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, said
    assert said.count(f"run `cannery build` in {tmp_path / 'mine'}") == 1, said


def make(target: Path, protos: list[Any], name: str = "mine") -> list[str]:
    return make_at(target, write(target.parent, *protos, name=f"{name}.json"), name)


def make_at(target: Path, proto: Path, name: str = "mine") -> list[str]:
    read = msopgen.read(proto, ["ascend910b"])
    common = _runtime.twin_root() / "operator_sources"
    return scaffold.new_project(target, list(read), name, common)


def changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    proto = copy.deepcopy(ADD_SCALED)
    change(proto)
    return proto


#: Expected messages of `cannery new`, and the changes of a prototype that cause them.
UNFIT = {
    "input x: int4: two of them share a byte": lambda p: p["input_desc"][0].update(
        type=["int4", "float"]
    ),
    "output z: FRACTAL_NZ: orders memory in blocks, and no NumPy array does": lambda p: p[
        "output_desc"
    ][0].update(format="FRACTAL_NZ"),
    "input[0]: x is copied to the outputs, so it must be required": lambda p: p["input_desc"][
        0
    ].update(param_type="optional"),
    "output z: its dtype must depend on x alone, but for float16 it is ": lambda p: p["input_desc"][
        0
    ].update(type=["float16", "float16"]),
    "attr[0].default: is required for an optional attribute": lambda p: p["attr"][0].pop(
        "default_value"
    ),
    "attr[0].default: a required attribute has no default": lambda p: p["attr"][0].update(
        param_type="required"
    ),
    "input[1].name: x is already the name of input[0]": lambda p: p["input_desc"][1].update(
        name="x"
    ),
    "input[0].name: workspace is reserved": lambda p: p["input_desc"][0].update(name="workspace"),
    "attr[0].name: arguments is a name of the skeleton's own": lambda p: p["attr"][0].update(
        name="arguments"
    ),
    "input[0].name: half is reserved": lambda p: p["input_desc"][0].update(name="half"),
    "input[0].name: case is reserved": lambda p: p["input_desc"][0].update(name="case"),
    "input_desc[0].name: must have at most 100 characters": lambda p: p["input_desc"][0].update(
        name="x" * 101
    ),
    "a kernel takes at most 62 inputs and outputs; given: 63": lambda p: p["input_desc"].extend(
        {"name": f"x{i}", "type": ["half", "float"]} for i in range(60)
    ),
    "at most 31 outputs, for a TPipe has 64 buffers; given: 32": lambda p: p["output_desc"].extend(
        {"name": f"z{i}", "type": ["half", "float"]} for i in range(31)
    ),
    "attr[0].name: tiles is a name of the skeleton's own": lambda p: p["attr"][0].update(
        name="tiles"
    ),
    "column 1 repeats column 0": lambda p: [
        each.update(type=["float", "fp32"]) for each in (*p["input_desc"], *p["output_desc"])
    ],
}


@pytest.mark.parametrize("sentence", UNFIT)
def test_refuses_what_it_cannot_make(tmp_path: Path, sentence: str) -> None:
    proto = changed(UNFIT[sentence])
    with pytest.raises(PrototypeError) as caught:
        make(tmp_path / "mine", [proto])
    assert sentence in str(caught.value)
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("op", "sentence"),
    [
        ("Class", "Class: is reserved by C++ or the aclnn signature"),
        ("Double", "Double: is reserved"),
        ("Case", "Case: is reserved"),
        ("Half", "Half: is reserved"),
        ("Operator", "Operator: is reserved"),
        ("Cases", "Cases: cases is a name that every kernel or Python package has; call it Cases"),
        ("Op", "Op: op is a name that every kernel or Python package has"),
        ("Golden", "Golden: golden is a name that every kernel or Python package has; call it Gol"),
    ],
)
def test_refuses_names(tmp_path: Path, op: str, sentence: str) -> None:
    with pytest.raises((scaffold.ScaffoldError, PrototypeError), match=re.escape(sentence)):
        make(tmp_path / "mine", [{**ADD_SCALED, "op": op}])
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    "name", ["my project", "größe", "class", "1st", "a-b", "cannery", "", "numpy", "json"]
)
def test_refuses_package_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(scaffold.ScaffoldError, match="--name"):
        make(tmp_path / "mine", [ADD_SCALED], name)
    assert not (tmp_path / "mine").exists()


def test_faults_are_those_of_the_json(cannery: Run, tmp_path: Path) -> None:
    """Faults are reported at keys of the JSON file, not at keys of op_proto."""
    twice = changed(
        lambda p: [
            each.update(type=["float", "fp32"], format="ND")
            for each in (*p["input_desc"], *p["output_desc"])
        ]
    )
    proto = write(tmp_path, twice)
    done = cannery("new", "-i", proto, *OPTIONS, "-out", "made", cwd=tmp_path)
    assert f"{proto}: AddScaled.input_desc[0].type[1]: column 1 repeats column 0" in done.stderr
    proto = write(tmp_path, changed(lambda p: p["attr"][0].pop("default_value")))
    done = cannery("new", "-i", proto, *OPTIONS, "-out", "made", cwd=tmp_path)
    assert f"{proto}: AddScaled.attr[0].default_value: is required for an" in done.stderr
    assert not (tmp_path / "made").exists()


def test_a_prototype_of_ours_may_have_any_name(cannery: Run, tmp_path: Path) -> None:
    make(tmp_path / "mine", [ADD_SCALED])
    other = tmp_path / "my prototype.toml"
    text = (tmp_path / "mine/op_proto/add_scaled.toml").read_text()
    other.write_text(text.replace('"float16"', '"float17"', 1))
    done = cannery("new", "-i", other, "-out", "made", cwd=tmp_path)
    assert f"{other}: input[0].dtypes[0]: must be one of" in done.stderr
    other.write_text(text)
    assert cannery("new", "-i", other, "-out", "made", cwd=tmp_path).returncode == 0
    assert (tmp_path / "made/op_proto/add_scaled.toml").read_text() == text


def test_folders_with_spaces_and_other_letters(cannery: Run, tmp_path: Path) -> None:
    proto = write(tmp_path, ADD_SCALED)
    done = cannery("new", "-i", proto, *OPTIONS, "-out", "Größe 2", cwd=tmp_path)
    assert done.returncode == 1
    assert "is no name of a Python package; give one of letters, digits and _ with --name" in (
        done.stderr
    )
    assert not (tmp_path / "Größe 2").exists()
    options = (*OPTIONS, "-out", "Größe 2", "--name", "size")
    done = cannery("new", "-i", proto, *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "Größe 2" / "python" / "size" / "ops" / "add_scaled.py").is_file()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("-c", "ai_core-ascend310p"), "-c: expected ascend910b (Atlas A2) or ascend910_93"),
        ((), "-c: is required with JSON, e.g. -c ai_core-ascend910b"),
        ((*OPTIONS, "-lan", "py"), "-lan: expected cpp"),
        ((*OPTIONS, "-f", "keras"), "-f: expected one of tf, tensorflow"),
        ((*OPTIONS, "-op", "Other"), "-op: "),
        ((*OPTIONS, "-m", "2"), "Invalid value for '-m'"),
        ((*OPTIONS, "-m", "1"), "is no project made by `cannery new`"),
    ],
    ids=str,
)
def test_refuses_options(
    cannery: Run, tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    proto = write(tmp_path, ADD_SCALED)
    done = cannery("new", "-i", proto, *options, "-out", "made", cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert sentence in done.stderr
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("there", ["op_host/mine.cpp", "CMakeLists.txt", "python/x.py"])
def test_leaves_an_existing_project_alone(tmp_path: Path, there: str) -> None:
    target = tmp_path / "mine"
    (target / there).parent.mkdir(parents=True)
    (target / there).write_text("mine")
    before = tree(target)
    with pytest.raises(scaffold.ScaffoldError, match="there is already"):
        make(target, [ADD_SCALED])
    assert tree(target) == before


def test_a_folder_with_other_things_is_fine(tmp_path: Path) -> None:
    target = tmp_path / "mine"
    target.mkdir()
    (target / "notes.txt").write_text("mine")
    make(target, [ADD_SCALED])
    assert (target / "notes.txt").read_text() == "mine"


# The command writes 37 files, and then moves each of them, or their folder, to the target.
@pytest.mark.parametrize(
    ("exists", "fails_at"),
    [*((True, at) for at in (0, 1, 20, 37, 38, 73)), *((False, at) for at in (0, 1, 20, 37))],
)
def test_all_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool, fails_at: int
) -> None:
    target = tmp_path / "deep" / "mine"
    if exists:
        target.mkdir(parents=True)
        (target / "notes.txt").write_text("mine")
    write(tmp_path, ADD_SCALED, name="mine.json")
    replace = Path.replace
    count = 0

    def interrupted(self: Path, other: Path) -> Path:
        nonlocal count
        count += 1
        if count > fails_at:
            raise KeyboardInterrupt if fails_at == 1 else OSError(28, "No space left on device")
        return replace(self, other)

    read = msopgen.read(tmp_path / "mine.json", ["ascend910b"])
    common = _runtime.twin_root() / "operator_sources"
    before = tree(tmp_path)
    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises((scaffold.ScaffoldError, KeyboardInterrupt)):
        scaffold.new_project(target, list(read), "mine", common)
    monkeypatch.undo()
    assert tree(tmp_path) == before


def test_adding_is_all_or_nothing_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "mine"
    make(target, [ADD_SCALED])
    read = msopgen.read(write(tmp_path, ALL_KINDS, name="mine.json"), ["ascend910b"])
    before = tree(tmp_path)
    chmod = Path.replace

    def interrupted(self: Path, other: Path) -> Path:
        if self.name == "test_all_kinds.py":
            raise OSError(28, "No space left on device")
        return chmod(self, other)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(scaffold.ScaffoldError, match="No space left on device"):
        scaffold.add_operators(target, list(read), "mine")
    monkeypatch.undo()
    assert tree(tmp_path) == before


def test_a_target_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    before = tree(tmp_path)
    with pytest.raises(scaffold.ScaffoldError, match="file/mine: cannot be written: "):
        make_at(tmp_path / "file" / "mine", write(tmp_path.parent, ADD_SCALED))
    assert tree(tmp_path) == before


def test_the_checkout_has_its_own_way(cannery: Run, repository: Path, tmp_path: Path) -> None:
    proto = write(tmp_path, ADD_SCALED)
    done = cannery("new", "-i", proto, *OPTIONS, "-out", repository, "-m", "1", cwd=tmp_path)
    assert done.returncode == 1
    assert "is cannery's own checkout; run `python tools/opgen --new NAME` there" in done.stderr
    assert not (repository / "op_proto/add_scaled.toml").exists()


def test_pytest_says_nothing_but_results(tmp_path: Path) -> None:
    """pytest must not warn of the module that Python imports for an editable install."""
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "1 passed" in done.stdout
    assert "warnings summary" not in done.stdout, done.stdout
