# SPDX-License-Identifier: Apache-2.0
"""Tests calls of operators from Python through a generated C function, which must receive values
of each type in a prototype."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import _runtime
from cannery.opgen.build import build
from cannery.opgen.loader import load_prototypes
from cannery.opgen.render import Renderer, write_if_different

COMPILER = os.environ.get("CXX") or shutil.which("g++") or "c++"

#: A public function that stores its arguments as text.
FAKE = """
#include <cstdio>
#include <cstring>
#include <string>
#include "aclnnop/aclnn_all_kinds.h"

static std::string given;
static int executors;

static std::string Text(const aclTensor *tensor) {
    if (tensor == nullptr) {
        return "null ";
    }
    int64_t *dims = nullptr;
    uint64_t count = 0;
    aclGetViewShape(tensor, &dims, &count);
    std::string text = "tensor of";
    for (uint64_t i = 0; i < count; ++i) {
        text += " " + std::to_string(dims[i]);
    }
    delete[] dims;
    return text + "; ";
}

static std::string Text(const aclIntArray *array) {
    uint64_t size = 0;
    if (array == nullptr) {
        return "null ";
    }
    aclGetIntArraySize(array, &size);
    return "array of " + std::to_string(size) + "; ";
}

aclnnStatus aclnnAllKindsGetWorkspaceSize(
    const aclTensor *outputGrad, aclTensor *weight, const aclIntArray *actSeqLenOptionalOptional,
    const aclIntArray *groupList, int64_t compressBlockSize, float inputWeight, double slope,
    bool transposeX, char *layoutOptionalOptional, const aclIntArray *tuningConfigOptional,
    aclTensor *inputGradOut, const aclTensor *weightGradOutOptional, uint64_t *workspaceSize,
    aclOpExecutor **executor) {
    char numbers[200];
    std::snprintf(numbers, sizeof(numbers), "%lld %.9g %.17g %d ", (long long)compressBlockSize,
                  inputWeight, slope, transposeX);
    given = Text(outputGrad) + Text(weight) + Text(actSeqLenOptionalOptional) + Text(groupList) +
            numbers + layoutOptionalOptional + " " + Text(tuningConfigOptional) +
            Text(inputGradOut) + Text(weightGradOutOptional);
    *workspaceSize = 48;
    *executor = reinterpret_cast<aclOpExecutor *>(&executors);
    return compressBlockSize < 0 ? 161002 : 0;
}

aclnnStatus aclnnAllKinds(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream) {
    given += workspace != nullptr && size == 48 && (void *)executor == &executors ? "run" : "wrong";
    return 0;
}

extern "C" __attribute__((visibility("default"))) const char *Given() { return given.c_str(); }
"""


def compile_library(folder: Path, name: str, sources: list[Path], root: Path) -> Path:
    out = folder / name
    command = [str(COMPILER), "-std=c++17", "-shared", "-fPIC", "-fvisibility=hidden"]
    command += ["-Wall", "-Wextra", "-Werror", f"-I{folder}/include", f"-I{root}/twin/include"]
    command += [*map(str, sources), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def folder(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a project with one operator, whose public function only reads its parameters."""
    folder = tmp_path_factory.mktemp("project with an operator")
    loaded = load_prototypes(repository / "tests/fixtures/op_proto")
    for path, text in Renderer([build(*each) for each in loaded], whole_project=True).render():
        write_if_different(folder / path, text)
    fake = folder / "fake.cpp"
    fake.write_text(FAKE)
    compile_library(folder, "libcust_opapi.so", [fake], repository)
    calls = sorted((folder / "calls").glob("*.cpp"))
    compile_library(folder, "libcannery_calls.so", calls, repository)
    return folder


PARAMETERS = [
    ("output_grad", "input"),
    ("weight", "input"),
    ("act_seq_len_optional", "int_array"),
    ("group_list", "int_array"),
    ("compress_block_size", "int"),
    ("input_weight", "float"),
    ("slope", "double"),
    ("transpose_x", "bool"),
    ("layout_optional", "string"),
    ("tuning_config", "int_array"),
    ("input_grad", "output"),
    ("weight_grad", "output"),
]
VALUES = {
    "output_grad": np.zeros((2, 3), np.float16),
    "weight": None,
    "act_seq_len_optional": None,
    "group_list": [4, 5],
    "compress_block_size": -(2**40) + 2**41,
    "input_weight": 0.1,
    "slope": 0.1,
    "transpose_x": True,
    "layout_optional": "T" * 40,
    "tuning_config": np.arange(3),
    "input_grad": np.zeros((7,), np.float16),
    "weight_grad": None,
}


@pytest.fixture(scope="module")
def call(folder: Path) -> Any:
    native = _runtime.native()
    library = native.OperatorLibrary([str(folder)], os.fsencode(folder / "libcannery_calls.so"))
    assert library.path == str(folder / "libcust_opapi.so")
    operator = native.Operator(library, "all_kinds", "aclnnAllKinds", PARAMETERS)
    return lambda **changes: operator(*{**VALUES, **changes}.values())


def test_prototype_says_what_the_values_are(repository: Path) -> None:
    (loaded,) = load_prototypes(repository / "tests/fixtures/op_proto")
    op = build(*loaded)
    assert [(param.py_name, param.value) for param in op.params] == PARAMETERS


def test_every_kind_of_value_arrives(folder: Path, call: Any) -> None:
    call()
    given = ctypes.CDLL(str(folder / "libcust_opapi.so")).Given
    given.restype = ctypes.c_char_p
    assert given().decode() == (
        f"tensor of 2 3; null null array of 2; {2**40} 0.100000001 0.10000000000000001 1 "
        f"{'T' * 40} array of 3; tensor of 7; null run"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"output_grad": 3}, "output_grad: expected a NumPy array or None, got int"),
        ({"compress_block_size": "3"}, "compress_block_size: expected a 64-bit integer, got str"),
        ({"compress_block_size": 2**63}, "compress_block_size: expected a 64-bit integer, got int"),
        ({"compress_block_size": 0.5}, "compress_block_size: expected a 64-bit integer, got float"),
        ({"slope": "x"}, "slope: expected a number, got str"),
        ({"input_weight": None}, "input_weight: expected a number, got NoneType"),
        ({"transpose_x": "x"}, "transpose_x: expected True or False, got str"),
        ({"layout_optional": 5}, "layout_optional: expected a string, got int"),
        ({"layout_optional": "T\0"}, "layout_optional: expected no null character in it"),
        ({"one": 1}, "aclnnAllKinds: expected 12 values, got 13"),
    ],
    ids=str,
)
def test_other_values_are_type_errors(call: Any, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call(**changes)
    assert str(caught.value) == message
    call()


def test_refusal_names_phase_1(call: Any) -> None:
    with pytest.raises(cannery.AclnnError, match="aclnnAllKindsGetWorkspaceSize") as caught:
        call(compress_block_size=-1)
    assert caught.value.status == 161002


def test_a_library_that_lacks_something_is_named(folder: Path, tmp_path: Path) -> None:
    native = _runtime.native()
    calls = os.fsencode(folder / "libcannery_calls.so")
    with pytest.raises(RuntimeError, match=r"cannot open libcust_opapi\.so, tried:\n  .*nowhere"):
        native.OperatorLibrary([str(tmp_path / "nowhere")], calls)
    with pytest.raises(RuntimeError, match=r"missing\.so"):
        native.OperatorLibrary([str(folder)], os.fsencode(tmp_path / "missing.so"))
    library = native.OperatorLibrary([str(folder)], calls)
    with pytest.raises(
        RuntimeError, match=r"no .* has aclnnOtherGetWorkspaceSize, searched:\n.*opapi\.so"
    ):
        native.Operator(library, "all_kinds", "aclnnOther", PARAMETERS)
    with pytest.raises(RuntimeError, match=r"libcannery_calls\.so has no symbol other_call"):
        native.Operator(library, "other", "aclnnAllKinds", PARAMETERS)
    with pytest.raises(ValueError, match="kind of a parameter"):
        native.Operator(library, "all_kinds", "aclnnAllKinds", [("x", "tensor")])
