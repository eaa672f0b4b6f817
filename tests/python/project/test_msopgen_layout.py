# SPDX-License-Identifier: Apache-2.0
"""`cannery new --layout msopgen` must write the files of the toolkit's generator, from all JSON
that the generator takes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cannery.opgen import msopgen_layout
from cannery.opgen.loader import PrototypeError
from cannery.opgen.msopgen_types import ATTR_FUNCTIONS, GE_TYPES

from ..export.conftest import make_home, shell
from ..processes import run_code
from .conftest import Run, write

SMALL: dict[str, Any] = {
    "op": "HalfCopy",
    "input_desc": [{"name": "x", "type": ["float16"], "format": ["ND"], "param_type": "required"}],
    "output_desc": [{"name": "z", "type": ["float16"], "format": ["ND"]}],
    "attr": [{"name": "eps", "type": ["float"], "default_value": 1e-5, "param_type": "optional"}],
}
ARGUMENTS = ("-i", "proto.json", "-c", "ai_core-Ascend910B2", "-lan", "cpp", "-out", "made")
#: The files of every new project; CMake copies the rest of cmake/ and scripts/ from the toolkit.
COMMON = {
    *("CMakeLists.txt", "CMakePresets.json", "build.sh", "cmake/config.cmake"),
    *("framework/CMakeLists.txt", "op_host/CMakeLists.txt", "op_kernel/CMakeLists.txt"),
}
RUN = """
import sys, numpy as np, cannery
for shape in ((1,), (3, 65), (70000,)):
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float16)
    assert np.array_equal(cannery.project.load(sys.argv[1]).half_copy(x), x)
"""


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def sources(op: str) -> set[str]:
    return {f"op_host/{op}.cpp", f"op_host/{op}_tiling.h", f"op_kernel/{op}.cpp"}


def new(cannery: Run, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return cannery("new", "--layout", "msopgen", *ARGUMENTS, *options, cwd=folder)


def test_files(cannery: Run, tmp_path: Path) -> None:
    write(tmp_path, SMALL)
    done = new(cannery, tmp_path)
    assert done.returncode == 0, done.stderr
    made = tmp_path / "made"
    plugin = {f"framework/tf_plugin/{name}" for name in ("CMakeLists.txt",)}
    plugin.add("framework/tf_plugin/tensorflow_half_copy_plugin.cc")
    assert files(made) == COMMON | sources("half_copy") | plugin
    variables = json.loads((made / "CMakePresets.json").read_text())["configurePresets"][0][
        "cacheVariables"
    ]
    assert variables["vendor_name"]["value"] == "customize"
    assert variables["ASCEND_COMPUTE_UNIT"]["value"] == "ascend910b"
    assert os.access(made / "build.sh", os.X_OK)
    assert "there is already" in new(cannery, tmp_path).stderr

    write(tmp_path, {**SMALL, "op": "Other"})
    assert new(cannery, tmp_path, "-m", "1", "-f", "pytorch").returncode == 0
    assert files(made) == COMMON | sources("half_copy") | sources("other") | plugin


@pytest.fixture(scope="module")
def made(cannery: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("layout")
    write(folder, SMALL)
    assert new(cannery, folder).returncode == 0
    done = cannery("build", cwd=folder / "made")
    assert done.returncode == 0, done.stderr
    return folder / "made"


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.slow
def test_builds_and_runs_unchanged(made: Path) -> None:
    done = run_code(RUN, made)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_build_sh_without_a_toolkit(made: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ASCEND_")}
    clean["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), clean["PATH"]])
    done = subprocess.run(
        ["./build.sh"], cwd=made, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "no package for a card, but for cannery's twin" in done.stderr
    assert len(list(made.glob("build_out/custom_opp_*.run"))) == 1


@pytest.mark.release
def test_a_toolkit_builds_it(cannery: Run, tmp_path: Path) -> None:
    write(tmp_path, SMALL)
    assert new(cannery, tmp_path, "-f", "aclnn").returncode == 0
    made = tmp_path / "made"
    home = make_home(tmp_path / "home")
    done = subprocess.run(
        ["./build.sh"],
        cwd=made,
        env={**os.environ, **shell(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (package,) = made.glob("build_out/custom_opp_*.run")
    subprocess.run(["sh", package, "--quiet", f"--install-path={tmp_path}/opp"], check=True)
    assert (tmp_path / "opp/vendors/customize/op_api/include/aclnn_half_copy.h").is_file()


def read(folder: Path, *protos: Any) -> msopgen_layout.Definition:
    (op,), _ = msopgen_layout.read(write(folder, *protos))
    return op


def test_types_and_formats(tmp_path: Path) -> None:
    tensor = {"name": "x", "type": ["IndexNumberType", "fp32"], "format": ["NC1HWC0", "ND"]}
    proto = {**SMALL, "input_desc": [tensor], "output_desc": []}
    (x,) = read(tmp_path, proto).inputs
    assert x.types == ["DT_INT32", "DT_INT64", "DT_FLOAT"]
    assert x.formats == ["NC1HWC0", "NC1HWC0", "ND"]
    for word, types in GE_TYPES.items():
        tensor |= {"type": word, "format": "ND", "param_type": "dynamic"}
        (x,) = read(tmp_path, proto).inputs
        assert (x.types, x.kind) == (list(types), "dynamic")


@pytest.mark.slow
def test_every_type_compiles_in_a_definition(cannery: Run, tmp_path: Path) -> None:
    """All names of types and functions exist, in the headers that a definition includes."""
    kinds = [*GE_TYPES]
    attrs = [
        {"name": f"a{i}", "type": [kind], "param_type": "optional", "default_value": value}
        for i, (kind, value) in enumerate(DEFAULTS.items())
    ]
    needed = [{"name": f"b{i}", "type": kind} for i, kind in enumerate(ATTR_FUNCTIONS)]
    tensors = [{"name": "x", "type": kinds}, {"name": "y", "type": kinds, "param_type": "dynamic"}]
    write(
        tmp_path,
        {"op": "All", "input_desc": tensors, "output_desc": tensors, "attr": attrs + needed},
    )
    assert set(DEFAULTS) == set(ATTR_FUNCTIONS)
    assert new(cannery, tmp_path, "-f", "caffe").returncode == 0
    done = cannery("build", cwd=tmp_path / "made")
    assert done.returncode == 1
    # The definition compiles; then the error names what the twin lacks.
    assert "ListListInt; expected Int, Float" in done.stderr
    kernel = (tmp_path / "made/op_kernel/all.cpp").read_text()
    assert "GM_ADDR x, GM_ADDR y, GM_ADDR x_ref, GM_ADDR y_ref" in kernel


DEFAULTS: dict[str, Any] = {
    "int": "25",
    "float": 1e-05,
    "string": 'a"b',
    "bool": "False",
    "list_int": [1, -2],
    "list_float": "[0.5, 2]",
    "list_bool": "{true, false}",
    "list_list_int": "{{1, 2}, {3}}",
}


def test_defaults(tmp_path: Path) -> None:
    attrs = [
        {"name": kind, "type": kind, "param_type": "optional", "default_value": value}
        for kind, value in DEFAULTS.items()
    ]
    literals = [attr.default for attr in read(tmp_path, {**SMALL, "attr": attrs}).attrs]
    assert literals == [
        "25",
        "1e-05f",
        '"a\\"b"',
        "false",
        "{1, -2}",
        "{0.5f, 2.0f}",
        "{true, false}",
        "{{1, 2}, {3}}",
    ]


def test_what_msopgen_ignores(cannery: Run, tmp_path: Path) -> None:
    tensor = {"name": " x ", "type": "int8", "param_type": "must", "shape": "all"}
    path = write(tmp_path, {**SMALL, "input_desc": [tensor, tensor], "author": "me"})
    (op,), ignored = msopgen_layout.read(path)
    assert [(each.name, each.kind, each.formats) for each in op.inputs] == [
        ("x", "required", ["ND"])
    ]
    assert "HalfCopy.author: ignored; known are op, language" in ignored[0]
    assert any(
        "input_desc[0].param_type: is none of required, optional" in line for line in ignored
    )
    done = new(cannery, tmp_path)
    assert done.returncode == 0
    assert "HalfCopy.input_desc[0].shape: ignored" in done.stderr


FAULTS = {
    "op": ("Add-Custom", "[0].op: must be a C++ name of at most 100 characters; given: Add-Custom"),
    "input_desc.0.type": (["int7"], "HalfCopy.input_desc[0].type: must be one of float, fp32"),
    "input_desc.0.format": (["ND"] * 2, "all tensors must have the same number of types; given: x"),
    "input_desc.0.name": (None, "input_desc[0].name: must be a C++ name"),
    "input_desc": ({}, "HalfCopy.input_desc: must be a list"),
    "output_desc.0": ("z", "HalfCopy.output_desc[0]: must be an object; given: z"),
    "attr.0.type": (["int", "float"], "attr[0].type: must be one of int, float, string"),
    "attr.0.default_value": ("x", "HalfCopy.attr[0].default_value: must be of type float"),
}


@pytest.mark.parametrize("place", FAULTS)
def test_faults(tmp_path: Path, place: str) -> None:
    value, sentence = FAULTS[place]
    proto: Any = json.loads(json.dumps(SMALL))
    *path, last = [int(part) if part.isdigit() else part for part in place.split(".")]
    target = proto
    for part in path:
        target = target[part]
    target[last] = value
    with pytest.raises(PrototypeError, match=re.escape(sentence)):
        read(tmp_path, proto)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--layout", "flat"), "--layout: expected cannery or msopgen, got 'flat'"),
        (("--name", "mine"), "--name: this layout has no Python package"),
        (("-op", "Gone"), "-op: proto.json has no operator 'Gone'"),
        (("-m", "1"), "is no project to add to: it has no op_host"),
    ],
)
def test_options(cannery: Run, tmp_path: Path, options: tuple[str, ...], sentence: str) -> None:
    write(tmp_path, SMALL)
    done = new(cannery, tmp_path, *options)
    assert done.returncode != 0
    assert sentence in done.stderr
    assert not (tmp_path / "made").exists()
