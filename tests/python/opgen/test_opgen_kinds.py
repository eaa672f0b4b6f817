# SPDX-License-Identifier: Apache-2.0
"""Tests every kind of parameter in every template, with an operator that only this test has."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cannery._runtime import twin_root
from cannery.opgen.cli import main

# These tests need a compiler. Without one they fail; they are not skipped.
COMPILER = os.environ.get("CXX") or shutil.which("g++") or "c++"

SIGNATURE = (
    "aclnnStatus aclnnAllKindsGetWorkspaceSize( const aclTensor *outputGrad, "
    "aclTensor *weight, const aclIntArray *actSeqLenOptionalOptional, "
    "const aclIntArray *groupList, int64_t compressBlockSize, float inputWeight, double slope, "
    "bool transposeX, char *layoutOptionalOptional, const aclIntArray *tuningConfigOptional, "
    "aclTensor *inputGradOut, const aclTensor *weightGradOutOptional, "
    "uint64_t *workspaceSize, aclOpExecutor **executor)"
)
#: The inner signature follows only op_build's rules. It also has attributes that the public
#: signature lacks.
INNER_SIGNATURE = (
    "aclnnStatus aclnnInnerAllKindsGetWorkspaceSize( const aclTensor *outputGrad, "
    "const aclTensor *weightOptional, const aclIntArray *actSeqLenOptionalOptional, "
    "const aclIntArray *groupList, int64_t compressBlockSize, double inputWeight, double slope, "
    "int64_t outputRows, bool transposeX, char *layoutOptionalOptional, "
    "const aclIntArray *tuningConfigOptional, const aclIntArray *inputGradStridesOptional, "
    "const aclIntArray *weightGradStridesOptional, "
    "const aclTensor *inputGradOut, const aclTensor *weightGradOutOptional, "
    "uint64_t *workspaceSize, aclOpExecutor **executor)"
)


@pytest.fixture(scope="module")
def kinds(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kinds")
    proto_dir = Path(shutil.copytree(root / "op_proto", folder / "op_proto"))
    shutil.copy(root / "tests/fixtures/op_proto/all_kinds.toml", proto_dir)
    out = folder / "out"
    assert main(["--proto", str(proto_dir), "--out", str(out)]) == 0
    return out


def text(kinds: Path, path: str) -> str:
    return re.sub(r"\s+", " ", (kinds / path).read_text())


def test_signature(kinds: Path) -> None:
    assert SIGNATURE in text(kinds, "include/aclnnop/aclnn_all_kinds.h")
    page = text(kinds, "docs/all_kinds.md")
    assert SIGNATURE.removesuffix(")") in page
    for inner in ("output_rows", "input_grad_strides", "outputRows", "inputGradStrides"):
        assert inner not in page


def test_inner_signature(kinds: Path) -> None:
    for name in ("aclnnInner_all_kinds.h", "aclnnInner_all_kinds.cpp"):
        assert INNER_SIGNATURE in text(kinds, f"op_host/{name}")


def test_inner_call(kinds: Path) -> None:
    body = text(kinds, "op_host/aclnnInner_all_kinds.cpp")
    assert (
        "call.Input(outputGrad); call.Input(weightOptional); "
        "call.Input(actSeqLenOptionalOptional); call.Input(groupList); "
        "call.Attr(compressBlockSize); call.Attr(static_cast<float>(inputWeight)); "
        "call.Attr(static_cast<float>(slope)); call.Attr(outputRows); "
        "call.Attr(transposeX); call.Attr(layoutOptionalOptional); "
        "call.Attr(tuningConfigOptional); call.Attr(inputGradStridesOptional); "
        "call.Attr(weightGradStridesOptional); call.Output(inputGradOut); "
        "call.Output(weightGradOutOptional); return" in body
    )


def test_definition(kinds: Path) -> None:
    body = text(kinds, "op_host/all_kinds_def.cpp")
    for part in (
        'Input("weight") .ParamType(OPTIONAL) .DataType({ge::DT_INT8, ge::DT_INT4})'
        " .Format({ge::FORMAT_FRACTAL_NZ, ge::FORMAT_ND})",
        'Input("actSeqLenOptional") .ParamType(OPTIONAL) .ValueDepend(OPTIONAL)',
        'Input("group_list") .ParamType(REQUIRED) .ValueDepend(REQUIRED)',
        'Attr("compressBlockSize").AttrType(REQUIRED).Int();',
        'Attr("input_weight").AttrType(OPTIONAL).Float(1.0f);',
        'Attr("transpose_x").AttrType(OPTIONAL).Bool(false);',
        'Attr("layoutOptional").AttrType(OPTIONAL).String("TND");',
        'Attr("tuning_config").AttrType(OPTIONAL).ListInt({0});',
        'Attr("output_rows").AttrType(REQUIRED).Int();',
        'Attr("input_grad_strides").AttrType(OPTIONAL).ListInt({0});',
        'Output("inputGrad") .ParamType(REQUIRED) .IgnoreContiguous()',
        'Output("weight_grad") .ParamType(OPTIONAL) .IgnoreContiguous()',
    ):
        assert part in body


def test_graph_prototype(kinds: Path) -> None:
    body = text(kinds, "graph/all_kinds_proto.h")
    for part in (
        ".OPTIONAL_INPUT(actSeqLenOptional, TensorType({DT_INT64}))",
        ".OUTPUT(weight_grad, TensorType({DT_FLOAT}))",
        ".REQUIRED_ATTR(compressBlockSize, Int)",
        '.ATTR(layoutOptional, String, "TND")',
        ".ATTR(tuning_config, ListInt, {0})",
    ):
        assert part in body


def test_checks_look_at_tensors_and_required_pointers(kinds: Path) -> None:
    body = text(kinds, "op_host/all_kinds_checks.h")
    assert (
        'pointers[] = { {"outputGrad", outputGrad}, {"groupList", groupList}, '
        '{"inputGradOut", inputGradOut}, {"workspaceSize", workspaceSize}, '
        '{"executor", executor}, }' in body
    )
    assert "const char* function, const aclTensor *outputGrad, const aclTensor *weight," in body
    assert "{ACL_FLOAT16, ACL_INT8, ACL_FLOAT16, ACL_FLOAT}" in body
    assert "{ACL_FORMAT_ND, ACL_FORMAT_FRACTAL_NZ, ACL_FORMAT_ND, ACL_FORMAT_ND}" in body


def test_msopgen_defaults_are_text(kinds: Path) -> None:
    attrs = json.loads((kinds / "msopgen/all_kinds.json").read_text())[0]["attr"]
    defaults = {attr["name"]: attr.get("default_value") for attr in attrs}
    assert defaults == {
        "compressBlockSize": None,
        "input_weight": "1.0",
        "slope": "0.5",
        "output_rows": None,
        "transpose_x": "false",
        "layoutOptional": "TND",
        "tuning_config": "[0]",
        "input_grad_strides": "[0]",
        "weight_grad_strides": "[0]",
    }


def test_calls_take_what_is_public(kinds: Path) -> None:
    body = text(kinds, "calls/all_kinds_call.cpp")
    assert body.endswith(
        "(phase1)( static_cast<const aclTensor *>(values[0]), "
        "const_cast<aclTensor *>(static_cast<const aclTensor *>(values[1])), "
        "static_cast<const aclIntArray *>(values[2]), static_cast<const aclIntArray *>(values[3]), "
        "*static_cast<const int64_t *>(values[4]), *static_cast<const float *>(values[5]), "
        "*static_cast<const double *>(values[6]), *static_cast<const bool *>(values[7]), "
        "const_cast<char *>(static_cast<const char *>(values[8])), "
        "static_cast<const aclIntArray *>(values[9]), "
        "const_cast<aclTensor *>(static_cast<const aclTensor *>(values[10])), "
        "static_cast<const aclTensor *>(values[11]), workspaceSize, executor); } "
    )


@pytest.mark.parametrize(
    ("path", "standard"),
    [
        ("op_host/all_kinds_def.cpp", "c++11"),
        ("op_host/all_kinds_checks.h", "c++11"),
        ("op_host/aclnn_all_kinds_phase2.cpp", "c++11"),
        ("include/aclnnop/aclnn_all_kinds.h", "c++11"),
        ("op_host/aclnnInner_all_kinds.cpp", "c++17"),
    ],
)
def test_compiles(root: Path, kinds: Path, path: str, standard: str) -> None:
    folders = [root / "op_host/aclnn", twin_root() / "include"]
    folders += [kinds / "op_host", kinds / "include"]
    command = [str(COMPILER), "-x", "c++", f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra"]
    command += [f"-I{folder}" for folder in folders] + [str(kinds / path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_one_name_for_an_input_and_an_output(proto_dir: Path, tmp_path: Path) -> None:
    """Such an output has no parameter in C: the input is not const, and its name ends with Ref."""
    path = proto_dir / "swi_glu_grad.toml"
    path.write_text(path.read_text().replace('name = "x_grad"', 'name = "x"'))
    out = tmp_path / "out"
    assert main(["--proto", str(proto_dir), "--out", str(out)]) == 0
    parameters = "const aclTensor *yGrad, aclTensor *xRef, int64_t dim, uint64_t *workspaceSize"
    assert f"GetWorkspaceSize( {parameters}" in text(out, "include/aclnnop/aclnn_swi_glu_grad.h")
    (inner,) = out.rglob("aclnnInner_swi_glu_grad.cpp")
    calls = "call.Input(yGrad); call.Input(xRef); call.Attr(dim); call.Output(xRef);"
    assert calls in " ".join(inner.read_text().split())
    (kernel,) = out.rglob("swi_glu_grad_0.cpp")
    assert kernel.read_text().count("#define DTYPE_X ") == 1
