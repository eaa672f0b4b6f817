# SPDX-License-Identifier: Apache-2.0
"""`cannery build` and pytest must work in a new project, report mistakes, and compile only what has
changed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cannery.testing.toolkit import make_toolkit

from ..processes import run_code
from .conftest import ADD_SCALED, Run, build, run_tests, write

TO_COMPUTE = "        AscendC::DataCopy(zLocal, in, RoundUp(elems, kElemsPerBlock<TZ>));\n"
#: A change of the kernel, which then computes x + alpha * y instead of a copy.
KERNEL = {
    TO_COMPUTE: (
        "        AscendC::LocalTensor<TY> y = yQueue_.template DeQue<TY>();\n"
        "        AscendC::Muls(y, y, static_cast<TY>(tiling_.alpha), elems);\n"
        "        AscendC::Add(zLocal, in, y, elems);\n"
        "        yQueue_.FreeTensor(y);\n"
    ),
    "        inQueue_.EnQue(in);\n": (
        "        inQueue_.EnQue(in);\n"
        "        AscendC::LocalTensor<TY> y = yQueue_.template AllocTensor<TY>();\n"
        "        Load(y, yGm_[first], elems);\n"
        "        yQueue_.EnQue(y);\n"
    ),
    "        pipe->InitBuffer(zQueue_": (
        "        pipe->InitBuffer(yQueue_, kBuffers, tiling_.tileElems * sizeof(TY));\n"
        "        pipe->InitBuffer(zQueue_"
    ),
    "kBuffers> inQueue_;\n": (
        "kBuffers> inQueue_;\n    AscendC::TQue<AscendC::TPosition::VECIN, kBuffers> yQueue_;\n"
    ),
}
GOLDEN = {
    "return np.ascontiguousarray(x).copy()": "return x.astype(np.float64) + alpha * y",
}


def edit(path: Path, changes: dict[str, str]) -> None:
    text = path.read_text()
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text)


@pytest.fixture(scope="module")
def made(cannery: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds a project in a folder whose name has a space and letters that are not ASCII."""
    folder = tmp_path_factory.mktemp("eine größere ")
    proto = write(folder, ADD_SCALED)
    options = ("-c", "ai_core-ascend910b", "-lan", "cpp", "-out", "my_project")
    done = cannery("new", "-i", proto, *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    answer = build(cannery, folder / "my_project")
    assert answer["packages"] == [str(folder / "my_project/build/opp/vendors/my_project")]
    return folder / "my_project"


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    """Returns a copy of the built project, which a test may change."""
    return Path(shutil.copytree(made, tmp_path / "my_project", symlinks=True))


@pytest.mark.release
@pytest.mark.twin_only("runs a package that was built for the twin")
def test_passes_as_made(made: Path) -> None:
    done = run_tests(made)
    assert done.returncode == 0, done.stdout
    assert "30 passed" in done.stdout


@pytest.mark.release
def test_editors_know_how_every_source_is_compiled(cannery: Run, project: Path) -> None:
    header = '#include "kernel_operator.h"\nusing Own = AscendC::LocalTensor<DTYPE_X>;\n'
    (project / "op_kernel/own.h").write_text(header)
    build(cannery, project)
    build(cannery, project)
    database = project / "build" / "compile_commands.json"
    entries = json.loads(database.read_text())
    files = [Path(entry["file"]) for entry in entries]
    sources = [*project.glob("op_kernel/**/*.h"), *project.glob("op_kernel/**/*.cpp")]
    assert project / "op_kernel/own.h" in sources
    assert sorted(path for path in files if path.is_relative_to(project / "op_kernel")) == sorted(
        sources
    )
    assert project / "op_host/add_scaled_tiling.cpp" in files
    for entry in entries:
        if Path(entry["file"]) in sources:
            command = [*entry["arguments"], "-Werror"]
            done = subprocess.run(
                command, cwd=entry["directory"], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            assert done.stdout == ""


def test_commands_in_the_readme_and_in_ci(cannery: Run, made: Path) -> None:
    """The steps to a card are numbered, and every command of a new project exists."""
    page = (made / "README.md").read_text()
    steps = re.findall(r"^(\d)\. (.*)$", page.partition("## To a card")[2], re.MULTILINE)
    assert [int(number) for number, _ in steps] == list(range(1, 8))
    workflow = (made / ".github/workflows/test.yml").read_text()
    assert "vars.CANNERY || 'cannery'" in workflow
    runs = re.findall(r"- run: (.*)", workflow)
    assert runs[1:] == ["./build.sh test", "cannery package"]
    named = {words for text in (page, *runs) for words in re.findall(r"cannery ([a-z]+)\b", text)}
    assert {"build", "package", "doctor", "docs", "run", "list", "new"} <= named
    for command in sorted(named):
        done = cannery(command, "--help", cwd=made)
        assert done.returncode == 0, done.stderr
    assert cannery("docs", "on-a-card", cwd=made).returncode == 0


def test_a_second_build_does_nothing(cannery: Run, made: Path) -> None:
    assert build(cannery, made)["steps"] == 0


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.release
def test_a_kernel_that_its_file_launches(cannery: Run, project: Path) -> None:
    kernel = project / "op_kernel/add_scaled.cpp"
    launch = """
void start(void* stream, uint8_t* x, uint8_t* y, uint8_t* z, uint8_t* space, uint8_t* tiling) {
    add_scaled<<<8, nullptr, stream>>>(x, y, z, space, tiling);
}
"""
    before = kernel.read_text()
    kernel.write_text(before + launch)
    assert build(cannery, project)["steps"] > 0
    assert "30 passed" in run_tests(project).stdout
    # The message has the line in the user's file.
    lines = (before + launch).count("\n")
    kernel.write_text(before + launch + "int broken = nothing;\n")
    done = cannery("build", cwd=project)
    assert f"op_kernel/add_scaled.cpp:{lines + 1}:" in done.stdout + done.stderr


@pytest.mark.release
@pytest.mark.twin_only("runs a package that was built for the twin")
def test_two_builds_at_once(cannery: Run, project: Path) -> None:
    with ThreadPoolExecutor() as pool:
        both = list(pool.map(lambda _: build(cannery, project), range(2)))
    # The copied project must be built again. One process compiles it, the other compiles nothing.
    packages = {package for answer in both for package in answer["packages"]}
    assert packages == {str(project / "build/opp/vendors/my_project")}
    assert sorted(answer["steps"] == 0 for answer in both) == [False, True]
    assert "30 passed" in run_tests(project).stdout


@pytest.mark.release
def test_xdist_and_options(made: Path) -> None:
    done = run_tests(made, "-n", "2", "--soc", "Ascend910B4", "--backend", "twin", "-vv")
    assert done.returncode == 0, done.stdout
    assert "30 passed" in done.stdout
    assert "row1-float32-Ascend910B4" in done.stdout
    assert "Ascend910B2" not in done.stdout


@pytest.mark.hazards_off("asks for a card")
@pytest.mark.release
def test_installed_in_a_toolkit(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The backend npu finds the project's package in a toolkit."""
    toolkit = make_toolkit(tmp_path / "ascend", [made / "build/opp/vendors/my_project"])
    for name, value in toolkit.environment.items():
        monkeypatch.setenv(name, value)
    done = run_tests(made, "--backend", "npu")
    assert "24 passed, 6 skipped" in done.stdout, done.stdout
    (toolkit.opp / "vendors/my_project/op_api/lib/libcust_opapi.so").unlink()
    done = run_tests(made, "--backend", "npu", "-x")
    assert "compiled operators (libcust_opapi.so)" in done.stdout


@pytest.mark.twin_only("a machine without a toolkit")
@pytest.mark.hazards_off("asks for a card")
@pytest.mark.release
def test_options_that_are_wrong(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run_tests(made, "--soc", "Ascend310P")
    assert done.returncode == 4
    assert "--soc: expected one of Ascend910B1" in done.stderr
    done = run_tests(made, "--backend", "npu", "-x")
    assert done.returncode == 1
    assert "this machine lacks what backend 'npu' needs" in done.stdout
    monkeypatch.setenv("CANNERY_HAZARDS", "explicit")
    done = run_tests(made, "--backend", "npu")
    assert done.returncode == 4
    assert "which a card does not have" in done.stderr


@pytest.mark.release
@pytest.mark.twin_only("runs a package that was built for the twin")
def test_kernel_and_golden_change_together(cannery: Run, made: Path) -> None:
    kernel = made / "op_kernel/add_scaled/kernel.h"
    golden = made / "python/my_project/golden/add_scaled.py"
    before = kernel.read_text(), golden.read_text()
    try:
        edit(kernel, KERNEL)
        # The build compiles both kernels and copies the source, but compiles nothing of op_host.
        answer = build(cannery, made)
        assert 2 < answer["steps"] < 8
        assert "30 failed" in run_tests(made).stdout
        edit(golden, GOLDEN)
        assert "30 passed" in run_tests(made).stdout
        kernel.write_text(before[0])
        build(cannery, made)
        assert "30 failed" in run_tests(made).stdout
    finally:
        kernel.write_text(before[0])
        golden.write_text(before[1])
        build(cannery, made)


def test_a_kernel_that_is_not_marked_is_refused(cannery: Run, made: Path) -> None:
    kernel = made / "op_kernel/add_scaled.cpp"
    before = kernel.read_text()
    try:
        kernel.write_text(before.replace("__global__ ", ""))
        done = cannery("build", cwd=made)
    finally:
        kernel.write_text(before)
    assert done.returncode == 1
    assert re.search(r"add_scaled\.cpp:\d+: error: add_scaled is not marked __glob", done.stderr)
    assert 'try: extern "C" __global__ __aicore__ void add_scaled(...)' in done.stderr


@pytest.mark.release
def test_compile_errors_are_shown(cannery: Run, made: Path) -> None:
    kernel = made / "op_kernel/add_scaled/kernel.h"
    before = kernel.read_text()
    try:
        kernel.write_text(before.replace("AscendC::DataCopy(zLocal", "AscendC::DataCopied(zLocal"))
        done = cannery("build", cwd=made)
        assert done.returncode == 1
        assert "op_kernel/add_scaled/kernel.h:" in done.stderr
        assert "DataCopied" in done.stderr
        assert "Traceback" not in done.stderr
        # Both rows of dtypes have this error. The output has it once, without the long commands;
        # the log file has everything.
        assert done.stderr.count(": error: ") == 1
        assert "-std=c++17" not in done.stderr
        said = (made / "build/build.log").read_text()
        assert said.count("FAILED: ") == 2
        assert "-std=c++17" in said
        changed = "cannery: op_kernel/add_scaled/kernel.h changed after the latest successful build"
        assert changed in run_tests(made).stdout
    finally:
        kernel.write_text(before)
        build(cannery, made)


@pytest.mark.release
def test_a_broken_prototype_is_named(cannery: Run, made: Path) -> None:
    proto = made / "op_proto/add_scaled.toml"
    before = proto.read_text()
    try:
        proto.write_text(before.replace('"float32"', '"float33"', 1))
        done = cannery("build", cwd=made)
        assert done.returncode == 1
        assert "op_proto/add_scaled.toml: input[0].dtypes[1]: must be one of" in done.stderr
        assert 'given: "float33"' in done.stderr
    finally:
        proto.write_text(before)
        build(cannery, made)


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.release
def test_a_kernel_that_ignores_an_attribute_fails(cannery: Run, made: Path) -> None:
    kernel = made / "op_kernel/add_scaled/kernel.h"
    golden = made / "python/my_project/golden/add_scaled.py"
    before = kernel.read_text(), golden.read_text()
    ignores = {
        **KERNEL,
        TO_COMPUTE: KERNEL[TO_COMPUTE].replace("tiling_.alpha", "1.0f"),
    }
    try:
        edit(kernel, ignores)
        edit(golden, GOLDEN)
        build(cannery, made)
        assert "10 failed, 20 passed" in run_tests(made).stdout
    finally:
        kernel.write_text(before[0])
        golden.write_text(before[1])
        build(cannery, made)


@pytest.mark.release
@pytest.mark.twin_only("runs a package that was built for the twin")
def test_the_command_line_knows_the_operators(cannery: Run, made: Path) -> None:
    """The commands know the project's operators in every folder of the project."""
    folder = made / "op_kernel"
    listed = cannery("list", cwd=folder).stdout
    assert listed.startswith("add_scaled (my_project): float16, float32\n")
    assert "swi_glu_grad: " in listed
    shown = cannery("list", "AddScaled", cwd=folder).stdout
    assert "my_project.add_scaled(x, y, alpha=1.0)" in shown
    done = cannery("run", "--size", "small", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [(result["op"], result["dtype"]) for result in found["results"]] == [
        ("add_scaled", "float16"),
        ("add_scaled", "float32"),
    ]
    options = ("--dtype", "float32", "--shape", "3,5", "--attr", "alpha=2.5")
    done = cannery("run", "add_scaled", *options, "--json", cwd=folder)
    (result,) = json.loads(done.stdout)["results"]
    assert (result["ok"], result["shape"], result["attrs"]) == (True, [3, 5], {"alpha": 2.5})
    # Outside of the project, the operator is unknown.
    done = cannery("run", "add_scaled", cwd=made.parent)
    assert done.returncode == 2
    assert "OP: expected one of grouped_matmul" in done.stderr


@pytest.mark.release
@pytest.mark.twin_only("runs a package that was built for the twin")
def test_two_packages_with_one_operator(cannery: Run, made: Path, tmp_path: Path) -> None:
    """A process refuses a second operator of the same name, as the runtime would run one kernel for
    both operators."""
    proto = write(tmp_path, ADD_SCALED, {**ADD_SCALED, "op": "OtherScaled"})
    assert cannery("new", "-i", proto, "-c", "ai_core-ascend910b", "-out", "other", cwd=tmp_path)
    build(cannery, tmp_path / "other")
    code = (
        f"import sys; sys.path[:0] = [{str(made / 'python')!r}, 'other/python']\n"
        "import numpy as np, my_project, other\n"
        "x = np.arange(6, dtype=np.float32)\n"
        "for call in (my_project.add_scaled, other.other_scaled): assert (call(x, x) == x).all()\n"
        "other.add_scaled(x, x)\n"
    )
    done = run_code(code, cwd=tmp_path)
    assert "CanneryError: add_scaled: this process has the operator of" in done.stderr, done.stderr


@pytest.mark.release
@pytest.mark.twin_only("runs a package that was built for the twin")
def test_a_kernel_of_another_name(cannery: Run, project: Path) -> None:
    proto = project / "op_proto/add_scaled.toml"
    edit(proto, {"\n[[attr]]": '\n[kernel]\nfile = "moved"\nfunction = "moved_too"\n\n[[attr]]'})
    text = (project / "op_kernel/add_scaled.cpp").read_text()
    moved = text.replace("void add_scaled(", "void moved_too(")
    (project / "op_kernel/moved.cpp").write_text(moved)
    (project / "op_kernel/add_scaled.cpp").unlink()
    build(cannery, project)
    assert "30 passed" in run_tests(project).stdout
    made = (project / "build/generated/op_host/add_scaled_def.cpp").read_text()
    assert 'config.ExtendCfgInfo("opFile.value", "moved");' in made


def test_no_project_here(cannery: Run, tmp_path: Path) -> None:
    done = cannery("build", cwd=tmp_path)
    assert done.returncode == 1
    assert (
        "is not a project of operators: expected CMakeLists.txt and op_proto/*.toml, or"
        in done.stderr
    )


@pytest.mark.release
@pytest.mark.parametrize("name", ["a;b", "a|b", 'a"b', "a\\b", "a:b", "[a]", "a\nb"])
def test_paths_that_cannot_be(cannery: Run, made: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    shutil.copytree(made, folder, ignore=shutil.ignore_patterns("build"))
    done = cannery("build", cwd=folder)
    assert done.returncode == 1
    assert "which CMake, ninja or ASCEND_CUSTOM_OPP_PATH cannot take; move it" in done.stderr
    assert not (folder / "build").exists()


@pytest.mark.release
def test_no_compiler(cannery: Run, made: Path, tmp_path: Path) -> None:
    done = cannery("build", cwd=made, PATH=str(tmp_path), CXX="")
    assert done.returncode == 1
    assert "no C++ compiler on PATH" in done.stderr
    assert "apt install g++" in done.stderr


@pytest.mark.release
def test_a_test_without_its_operator_is_told(made: Path, tmp_path: Path) -> None:
    for mark, sentence in (("", "operator_row needs"), ("other", "other.toml: no such prototype")):
        test = tmp_path / f"test_{mark or 'none'}.py"
        decorator = f"@pytest.mark.operator({mark!r})\n" if mark else ""
        test.write_text(f"import pytest\n{decorator}def test_it(operator_row): pass\n")
        done = run_tests(made, "--rootdir", str(made), str(test))
        assert done.returncode != 0
        assert sentence in done.stdout + done.stderr
