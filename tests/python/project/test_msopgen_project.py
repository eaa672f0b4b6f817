# SPDX-License-Identifier: Apache-2.0
"""cannery must build and run an unchanged project of the toolkit's msopgen, with definition and
tiling in op_host and no file in op_proto."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.errors import AclnnError, CanneryError
from cannery.project import Operators

from ..processes import run_code
from ..selection import rest_slow
from .conftest import Run, run_tests, tree

USE = """
import sys, numpy as np
from cannery.project import Operators
add = Operators.of_project(sys.argv[1]).find("add_custom")
for dtype in (np.float16, np.float32):
    for size in (1, 1000, 50001):
        x, y = np.random.default_rng(0).standard_normal((2, size)).astype(dtype)
        z = np.full_like(x, np.nan)
        add(x, y, 2.0, z)
        assert np.array_equal(z, x + 2 * y)
"""


@pytest.fixture(scope="module")
def made(repository: Path, cannery: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = repository / "tests/fixtures/msopgen/AddCustom"
    project = Path(shutil.copytree(source, tmp_path_factory.mktemp("von msopgen") / "AddCustom"))
    done = cannery("build", cwd=project)
    assert done.returncode == 0, done.stderr
    kept = {name: data for name, data in tree(project).items() if not name.startswith("build/")}
    assert kept == tree(source)
    return project


def test_editors_know_how_its_kernel_is_compiled(made: Path) -> None:
    entries = json.loads((made / "build/compile_commands.json").read_text())
    (kernel,) = [each for each in entries if Path(each["file"]).parent == made / "op_kernel"]
    done = subprocess.run(
        kernel["arguments"], cwd=kernel["directory"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert any(Path(each["file"]).parent == made / "op_host" for each in entries)


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.release
def test_other_names_formats_and_chips(repository: Path, cannery: Run, tmp_path: Path) -> None:
    """A project may name its kernel by ExtendCfgInfo, use a format that only names axes, and list a
    chip that the twin lacks."""
    source = repository / "tests/fixtures/msopgen/AddCustom"
    project = Path(shutil.copytree(source, tmp_path / "AddCustom"))
    host = project / "op_host/add_custom.cpp"
    text = host.read_text().replace(
        "ge::FORMAT_ND, ge::FORMAT_ND", "ge::FORMAT_NCHW, ge::FORMAT_ND"
    )
    config = (
        "OpAICoreConfig config;\n"
        'config.ExtendCfgInfo("opFile.value", "other_file");\n'
        'config.ExtendCfgInfo("opInterface.value", "other_function");\n'
        'this->AICore().AddConfig("ascend310p");\n'
        'this->AICore().AddConfig("ascend910b", config);\n'
    )
    host.write_text(text.replace('this->AICore().AddConfig("ascend910b");', config))
    kernel = project / "op_kernel/add_custom.cpp"
    made = kernel.read_text().replace("void add_custom(", "void other_function(")
    (project / "op_kernel/other_file.cpp").write_text(made)
    kernel.unlink()
    done = cannery("build", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "AddCustom: not built for ascend310p, which is no A2 or A3" in done.stderr
    run(project)
    model = Operators.of_project(project).model("add_custom")
    assert model["inputs"][0]["formats"] == ["NCHW", "ND"]


NAMED = """
import sys, numpy as np, cannery
project = cannery.project.load(sys.argv[1])
assert dir(project) == ["add_custom"]
x, y = np.arange(6, dtype=np.float16), np.ones(6, np.float16)
assert project.add_custom(x, y).tolist() == (x + 1).tolist()
z = np.empty(6, np.float16)
assert project.add_custom(x, scale=2.0, y=y, z=z) is z and z.tolist() == (x + 2).tolist()
assert project.add_custom(x.reshape(2, 3), y.reshape(2, 3), z=(6,)).shape == (6,)
for call, sentence in {
    lambda: project.add_custom(x): "missing a required argument: 'y'",
    lambda: project.add_custom(x, y, 1, z): "too many positional arguments",
    lambda: project.add_custom(x, y, scales=1): "got an unexpected keyword argument 'scales'",
    lambda: project.add_custom(x, y.astype(np.int8)): "dtypes are x float16, y int8",
    lambda: project.other: "other: AddCustom has add_custom",
}.items():
    try:
        call()
    except (TypeError, AttributeError, cannery.AclnnError) as error:
        assert sentence in str(error), error
    else:
        raise AssertionError(sentence)
"""


@pytest.mark.release
@pytest.mark.twin_only("runs a package that was built for the twin")
def test_called_by_name(made: Path) -> None:
    done = run_code(NAMED, made)
    assert done.returncode == 0, done.stderr


TEST = """
import cannery, pytest

@pytest.mark.operator("add_custom")
def test_it(operator_row, assert_close):
    x, y = operator_row.inputs((3, 65)).values()
    z = cannery.project.load(".").add_custom(x, y, scale=2.0)
    assert_close(z, x.astype("float64") + 2.0 * y.astype("float64"))
"""


@pytest.mark.slow
@pytest.mark.twin_only("runs a package that was built for the twin")
def test_rows_in_its_own_tests(made: Path) -> None:
    (made / "tests").mkdir()
    (made / "tests/test_add_custom.py").write_text(TEST)
    done = run_tests(made, "--rootdir", ".")
    shutil.rmtree(made / "tests")
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_the_command_line_knows_it(made: Path, cannery: Run) -> None:
    assert cannery("list", cwd=made).stdout.startswith("add_custom (AddCustom): float16, float32\n")
    shown = cannery("list", "add_custom", cwd=made).stdout
    assert "cannery.project.load(...).add_custom(x, y, scale=1.0, *, z=None)" in shown
    done = cannery("run", "add_custom", cwd=made)
    assert done.returncode == 1
    assert "AddCustom has no golden that its result could be compared with" in done.stderr


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.release
def test_a_kernel_with_a_value_is_refused_when_called(
    repository: Path, cannery: Run, tmp_path: Path
) -> None:
    source = repository / "tests/fixtures/msopgen/AddCustom"
    project = Path(shutil.copytree(source, tmp_path / "AddCustom"))
    kernel = project / "op_kernel/add_custom.cpp"
    text = kernel.read_text().replace(
        "GM_ADDR tiling) {", "uint64_t bits) {\n    GM_ADDR tiling = (GM_ADDR)bits;"
    )
    assert "uint64_t bits" in text
    kernel.write_text(text)
    done = cannery("build", cwd=project)
    assert done.returncode == 0, done.stderr
    x = np.ones(8, np.float16)
    with pytest.raises(AclnnError, match="5 parameters, 4 of them pointers") as caught:
        Operators.of_project(project).find("add_custom")(x, x, 2.0, np.empty_like(x))
    assert caught.value.status == 561003, caught.value


def run(project: Path) -> None:
    done = run_code(USE, project)
    assert done.returncode == 0, done.stderr


@pytest.mark.twin_only("runs a package that was built for the twin")
def test_runs_unchanged(made: Path) -> None:
    run(made)


def test_its_tiling_without_a_run(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made / "op_kernel")
    for name in ("AddCustom", "add_custom"):
        tiling = cannery.tiling(name, [((8, 2048), "float16")] * 2, {"scale": 0.5})
        assert tiling.ok, tiling.message
        assert tiling.fields == {"size": 16384, "tileSize": 1024, "scale": 0.5}
    assert cannery.tiling("AddCustom", [((8,), "int8")] * 2).status == 161002


def test_has_everything_that_a_package_has(made: Path) -> None:
    package = made / "build/opp/vendors/customize"
    for name in ("op_api/lib/libcust_opapi.so", "op_api/include/aclnnop/aclnn_add_custom.h"):
        assert (package / name).is_file()
    model = Operators.of_project(made).model("add_custom")
    assert model["socs"] == ["ascend910b"]
    assert model["inputs"][0]["dtypes"] == ["float16", "float32"]
    assert [(attr["name"], attr["default"]) for attr in model["attrs"]] == [("scale", 1.0)]
    header = (package / "op_api/include/aclnnop/aclnn_add_custom.h").read_text()
    assert "double scale" in header


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.release
def test_builds_what_changed(made: Path, cannery: Run) -> None:
    def steps() -> int:
        done = cannery("build", "--json", cwd=made)
        assert done.returncode == 0, done.stderr + done.stdout
        return int(json.loads(done.stdout)["steps"])

    assert steps() == 0
    kernel = made / "op_kernel/add_custom.cpp"
    kernel.write_text(kernel.read_text() + "\n")
    # The kernel does not set its type, so each of its two dtype combinations is built for vector
    # cores and for cube cores. One more step collects hazard-ok comments.
    assert steps() == 10
    host = made / "op_host/add_custom.cpp"
    host.write_text(host.read_text() + "\n")
    # op_host gives two libraries: one for tiling, and one for shape inference.
    assert steps() == 4
    assert steps() == 0
    run(made)


#: Cases: a text of op_host/add_custom.cpp, its replacement, and the expected message.
FAULTS = {
    "OP_ADD is missing": ("OP_ADD(AddCustom);", "", "no operator; expected OP_ADD"),
    "another chip": (
        '"ascend910b"',
        '"ascend310p"',
        'op_host/add_custom.cpp:60: write "ascend910b" instead of "ascend310p" for Atlas A2',
    ),
    "a virtual tensor": (
        'this->Input("y")\n            .ParamType(REQUIRED)',
        'this->Input("y")\n            .ParamType(VIRTUAL)',
        "op_host/add_custom.cpp:46: AddCustom: parameter y of the definition uses ParamType(VIRT",
    ),
    "an attribute that we lack": (
        ".Float(1.0)",
        ".ListListInt({{1}})",
        "op_host/add_custom.cpp:56: AddCustom: scale: ListListInt",
    ),
    "another format": (
        ".Format({ge::FORMAT_ND, ge::FORMAT_ND})",
        ".Format({ge::FORMAT_FRACTAL_ZN_LSTM, ge::FORMAT_FRACTAL_ZN_LSTM})",
        "AddCustom: x: format 38; the twin has ND, NCHW, NHWC, HWCN, NDHWC, NCDHW, NC, NCL, FRACT",
    ),
    "dtypes that we lack": (
        "ge::DT_FLOAT16, ge::DT_FLOAT",
        "ge::DT_COMPLEX64, ge::DT_COMPLEX64",
        "AddCustom: x: complex64; the",
    ),
    "a reserved name": ('Input("x")', 'Input("workspace")', "input[0].name: workspace is reserved"),
    "no C++": ("class AddCustom", "class class AddCustom", "op_host cannot be compiled:"),
    "a crash": (
        "explicit AddCustom(const char* name) : OpDef(name) {",
        "explicit AddCustom(const char* name) : OpDef(name) { *(volatile int*)8 = 1;",
        "the definitions in op_host cannot be read: the process ended with -11",
    ),
    "an exception": (
        "explicit AddCustom(const char* name) : OpDef(name) {",
        'explicit AddCustom(const char* name) : OpDef(name) { throw std::runtime_error("my own");',
        "my own",
    ),
}


@pytest.mark.parametrize("fault", rest_slow(FAULTS))
def test_faults_are_named(repository: Path, cannery: Run, tmp_path: Path, fault: str) -> None:
    source = repository / "tests/fixtures/msopgen/AddCustom"
    project = Path(shutil.copytree(source, tmp_path / "AddCustom"))
    host = project / "op_host/add_custom.cpp"
    old, new, sentence = FAULTS[fault]
    text = host.read_text()
    assert old in text
    host.write_text("#include <stdexcept>\n" + text.replace(old, new))
    done = cannery("build", cwd=project)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project / "build/opp").exists()


@pytest.mark.parametrize(
    ("presets", "expected"),
    [
        (None, "vendors/customize"),
        ('{"configurePresets": [{"cacheVariables": {"vendor_name": "mine"}}]}', "vendors/mine"),
        ("{", "names no vendor_name as msopgen writes it"),
        ("{}", "names no vendor_name as msopgen writes it"),
        pytest.param("[" * 100000, "names no vendor_name as msopgen writes it", id="deep"),
        (
            '{"configurePresets": [{"cacheVariables": {"vendor_name": {"value": "a b"}}}]}',
            "vendor_name: expected letters, digits, _ and -, got 'a b'",
        ),
    ],
)
def test_vendor(tmp_path: Path, presets: str | None, expected: str) -> None:
    from cannery.cli import adopt
    from cannery.errors import CanneryError

    if presets is not None:
        (tmp_path / "CMakePresets.json").write_text(presets)
    if expected.startswith("vendors/"):
        assert adopt._vendor(tmp_path) == expected.removeprefix("vendors/")
    else:
        with pytest.raises(CanneryError) as caught:
            adopt._vendor(tmp_path)
        assert expected in str(caught.value)


def test_no_folder_of_a_project(tmp_path: Path) -> None:
    with pytest.raises(CanneryError, match="gone: no such folder; expected that of a project"):
        cannery.project.load(tmp_path / "gone")
