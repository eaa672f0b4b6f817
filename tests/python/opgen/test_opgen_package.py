# SPDX-License-Identifier: Apache-2.0
"""A package must describe its operators in the toolkit's format."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cannery.opgen.cli import main
from cannery.opgen.dtypes import DTYPES, FORMATS, acl_format

SOCS = ("ascend910b", "ascend910_93")

OPTIONAL_ALONE = """
type = "RowsOfOptional"
category = "vector"
summary = "Rows that differ in an optional input alone."
doc = "Rows that differ in an optional input alone."
socs = ["ascend910b"]

[[input]]
name = "x"
param_type = "required"
dtypes = ["float16", "float16", "float32"]
auto_contiguous = true
shape = "(n)"
doc = "Any."

[[input]]
name = "scale"
param_type = "optional"
dtypes = ["float32", "float16", "float32"]
auto_contiguous = true
shape = "(n)"
doc = "Any."

[[output]]
name = "y"
param_type = "required"
dtypes = ["float16", "float16", "float32"]
shape = "(n)"
doc = "Any."
"""


def document(folder: Path, soc: str, name: str) -> dict[str, Any]:
    found = json.loads((folder / "package" / soc / name).read_text())
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("soc", SOCS)
def test_ops_info(generated: Path, root: Path, soc: str) -> None:
    info = document(generated, soc, f"aic-{soc}-ops-info.json")
    assert len(info) == len(list((root / "op_proto").glob("*.toml")))
    assert info["SwiGluGrad"]["input1"] == {
        "name": "x",
        "dtype": "float16,bfloat16,float32",
        "format": "ND,ND,ND",
        "unknownshape_format": "ND,ND,ND",
        "paramType": "required",
        "shape": "all",
    }
    assert info["SwiGluGrad"]["attr"] == {"list": "dim"}
    assert info["SwiGluGrad"]["attr_dim"] == {
        "type": "int",
        "value": "all",
        "paramType": "optional",
        "defaultValue": "-1",
    }
    assert info["SwiGluGrad"]["opFile"] == {"value": "swi_glu_grad"}
    assert info["NsaCompressGrad"]["input3"]["valueDepend"] == "optional"


@pytest.mark.parametrize("soc", SOCS)
def test_every_row_finds_its_kernel(generated: Path, soc: str) -> None:
    config = document(generated, soc, "binary_info_config.json")
    binaries = config["SwiGluGrad"]["binaryList"]
    assert [(each["simplifiedKey"], each["binPath"]) for each in binaries] == [
        ([f"SwiGluGrad/d=0,p=1/{n},2/{n},2/{n},2"], f"twin/swi_glu_grad/swi_glu_grad_{i}.so")
        for i, n in enumerate((1, 27, 0))
    ]
    wrappers = {path.stem for path in (generated / "kernel").glob("*.cpp")}
    named = [Path(e["binPath"]).stem for op in config.values() for e in op["binaryList"]]
    assert sorted(named) == sorted(wrappers)


def test_rows_alike_in_all_required_tensors_share_a_kernel(proto_dir: Path, tmp_path: Path) -> None:
    (proto_dir / "rows_of_optional.toml").write_text(OPTIONAL_ALONE)
    assert main(["--proto", str(proto_dir), "--out", str(tmp_path / "out")]) == 0
    kernels = sorted(path.name for path in (tmp_path / "out/kernel").glob("rows_of_optional*"))
    assert kernels == ["rows_of_optional_0.cpp", "rows_of_optional_2.cpp"]
    config = document(tmp_path / "out", "ascend910b", "binary_info_config.json")
    keys = [each["simplifiedKey"] for each in config["RowsOfOptional"]["binaryList"]]
    assert keys == [["RowsOfOptional/d=0,p=1/1,2/1,2"], ["RowsOfOptional/d=0,p=1/0,2/0,2"]]
    # The list of the other SoC has no entry for the operator.
    assert "RowsOfOptional" not in document(
        tmp_path / "out", "ascend910_93", "binary_info_config.json"
    )


def test_numbers_are_those_of_the_headers(root: Path) -> None:
    text = (root / "twin/include/acl/acl_base.h").read_text()
    values = {name: int(value) for name, value in re.findall(r"(ACL_\w+) = (\d+)", text)}
    assert {dtype.acl: dtype.number for dtype in DTYPES.values()}.items() <= values.items()
    assert {acl_format(name): n for name, n in FORMATS.items()}.items() <= values.items()
