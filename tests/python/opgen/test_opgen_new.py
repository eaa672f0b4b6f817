# SPDX-License-Identifier: Apache-2.0
"""`opgen --new` must make a complete operator that compiles and refuses bad arguments, and
docs/add-an-op.md must be true."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from aclnn_library import COMPILER

from cannery._runtime import twin_root
from cannery.opgen.cli import main
from cannery.opgen.outputs import OUTPUTS

from ..selection import rest_slow

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import docs_gate  # noqa: E402
import layout_gate  # noqa: E402

#: Names that no real operator has, so they never exist in the checkout that the tests copy.
NAMES = ["OpOfTheTests", "op_of_the_tests_with_a_name_that_makes_lines_rather_long_v2"]


def checkout(folder: Path) -> Path:
    """Returns a copy of the files that a new operator needs, which the test may change."""
    ignore = shutil.ignore_patterns("*.pyc", "__pycache__", "build", "*.so")
    for part in (
        "op_proto",
        "op_kernel",
        "op_host",
        "docs",
        "python/cannery",
        "tests",
        "tools",
    ):
        shutil.copytree(ROOT / part, folder / part, ignore=ignore)
    return folder


@pytest.fixture(scope="module", params=rest_slow(NAMES))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = checkout(tmp_path_factory.mktemp("checkout"))
    assert main(["--proto", str(root / "op_proto"), "--new", request.param]) == 0
    assert main(["--proto", str(root / "op_proto"), "--out", str(root / "generated")]) == 0
    return root


def new_operator(made: Path) -> str:
    known = {path.stem for path in (ROOT / "op_proto").glob("*.toml")}
    (op,) = {path.stem for path in (made / "op_proto").glob("*.toml")} - known
    return op


def test_nothing_is_missing(made: Path) -> None:
    assert layout_gate.find_faults(made) == []
    left = [path for path in made.rglob("*new_op*") if "opgen/new/" not in path.as_posix()]
    assert left == []


def test_committed_pages_are_the_generated_ones(made: Path) -> None:
    page = f"{new_operator(made)}.md"
    assert (made / "docs/api" / page).read_text() == (made / "generated/docs" / page).read_text()
    assert (made / "docs/operators.md").read_text() == (made / "generated/operators.md").read_text()


def test_links_lead_to_its_page(made: Path) -> None:
    """Only faults of the operator's own page count, because this checkout lacks other pages."""
    page = f"docs/api/{new_operator(made)}.md"
    assert [fault for fault in docs_gate.find_faults(made) if fault.startswith(page)] == []


@pytest.mark.parametrize("registry", ["golden", "ops", "cases"])
def test_registered_once_and_in_order(made: Path, registry: str) -> None:
    op = new_operator(made)
    tree = ast.parse((made / "python/cannery" / registry / "__init__.py").read_text())
    modules = [node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)]
    own = [module for module in modules if module.startswith(f"cannery.{registry}.")]
    assert own == sorted(own)
    assert own.count(f"cannery.{registry}.{op}") == 1
    if registry != "cases":
        (exported,) = (
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        )
        assert exported == sorted(exported)
        assert exported.count(op) == 1


def test_python_sources_import(made: Path) -> None:
    """The golden and the cases import in a separate process without a native library."""
    op = new_operator(made)
    code = (
        "import numpy as np; from cannery import cases, golden; "
        f"run = cases.find({op!r}); assert run.op == {op!r}; "
        f"x = np.arange(6.0).reshape(2, 3).T; got = golden.{op}(x); "
        "assert got.tobytes() == np.ascontiguousarray(x).tobytes()"
    )
    # -S turns off the editable install, which would find another copy of cannery.
    paths = [str(made / "python"), str(Path(np.__file__).parents[1])]
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {paths!r}; {code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=made)
    assert done.returncode == 0, done.stderr


def test_host_sources_compile(made: Path) -> None:
    op = new_operator(made)
    folders = [made / "op_host/aclnn", made / "op_kernel", twin_root() / "include"]
    folders += [made / "generated/op_host", made / "generated/include"]
    sources = [made / f"op_host/{op}_{part}.cpp" for part in ("tiling", "infershape")]
    sources += [made / f"op_host/aclnn/aclnn_{op}.cpp", made / f"generated/op_host/{op}_def.cpp"]
    command = [str(COMPILER), "-std=c++11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{folder}" for folder in folders]
    done = subprocess.run(
        [*command, *map(str, sources)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.release
def test_own_tests_of_the_checks_pass(made: Path) -> None:
    """The generated tests pass; they build the public function with fake getters."""
    op = new_operator(made)
    for part in ("include", "device", "core", "soc", "host"):
        target = made / "twin" / part
        target.parent.mkdir(exist_ok=True)
        if not target.exists():
            target.symlink_to(ROOT / "twin" / part)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["--rootdir", str(made), f"--confcutdir={made / 'tests/python/opgen'}"]
    command += ["-c", str(ROOT / "pyproject.toml")]
    command += [str(made / f"tests/python/opgen/test_aclnn_checks_{op}.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=made)
    assert done.returncode == 0, done.stdout + done.stderr


REFUSED = {
    "swi_glu_grad": "swi_glu_grad: there is already op_proto/swi_glu_grad.toml",
    "relu-6": "relu-6: must be letters and digits, as in relu6_grad or Relu6Grad",
    "_private": "_private: must be letters and digits",
    "top_2k": "top_2k: the type would be Top2k and its files top2k; call it so",
    "int": "int: is reserved by C++ or the aclnn signature",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    root = checkout(tmp_path)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert main(["--proto", str(root / "op_proto"), "--new", name]) == 1
    assert capsys.readouterr().err.startswith(REFUSED[name])
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def table(heading: str) -> list[list[str]]:
    """Returns the cells of the first table after `heading` in docs/add-an-op.md, row by row."""
    page = (ROOT / "docs/add-an-op.md").read_text()
    rows = re.search(r"^\|.*?(?=\n\n)", page[page.index(heading) :], re.M | re.S)
    assert rows is not None
    return [line.split("|")[1:-1] for line in rows.group().splitlines()[2:]]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_page_lists_the_files_that_the_gate_demands() -> None:
    listed = [code(row[1])[0].replace("<op>", "{op}") for row in table("# Add an operator")]
    assert sorted(listed) == sorted(layout_gate.OPERATOR_FILES)


def test_page_lists_what_the_generator_writes() -> None:
    listed = [code(row[0])[0] for row in table("## 2. What the generator writes")]
    written = [output.path.replace("{snake}", "{op}") for output in OUTPUTS]
    written = [path.replace("{", "<").replace("}", ">") for path in written]
    assert sorted(listed) == sorted(written)


def test_page_lists_the_keys_of_a_prototype() -> None:
    schema = json.loads((ROOT / "python/cannery/opgen/schema.json").read_text())
    keys = {
        "| Key | Meaning |": schema["properties"],
        "| Key of a tensor |": {
            **schema["$defs"]["input"]["properties"],
            **schema["$defs"]["output"]["properties"],
        },
        "| Key of an attribute |": schema["$defs"]["attr"]["properties"],
    }
    for heading, known in keys.items():
        listed = [name for row in table(heading) for name in code(row[0])]
        assert sorted(listed) == sorted(known), heading
