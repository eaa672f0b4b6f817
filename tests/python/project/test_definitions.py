# SPDX-License-Identifier: Apache-2.0
"""Tests what cannery reads of the definitions (OpDef) in a project of the toolkit's msopgen."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cannery.opgen import definitions, rules

from ..processes import run_code
from .conftest import Run

DEFINITION = """
#include <cstdio>
#include "register/op_def_registry.h"
namespace ops {
class Second : public OpDef {
public:
    explicit Second(const char* name) : OpDef(name) {
        this->Input("first").ParamType(REQUIRED).DataType({ge::DT_BF16}).AutoContiguous();
        this->Input("ends").ParamType(OPTIONAL).DataType({ge::DT_INT64}).ValueDepend(OPTIONAL);
        this->Output("out_one").ParamType(REQUIRED).DataType({ge::DT_BOOL});
        this->Attr("a").AttrType(REQUIRED).Int();
        this->Attr("b").AttrType(OPTIONAL).Int(-9223372036854775807 - 1);
        this->Attr("c").AttrType(OPTIONAL).Float(0.1);
        this->Attr("d").AttrType(OPTIONAL).Bool(true);
        this->Attr("e").AttrType(OPTIONAL).String("a\\"\\\\\\n\\xc3\\xa4");
        this->Attr("f").AttrType(OPTIONAL).ListInt({1, -2});
        this->Attr("g").AttrType(OPTIONAL).ListFloat({1, 0.5});
        this->Attr("h").AttrType(OPTIONAL).ListBool({true, false});
        this->AICore().AddConfig("ascend910_93");
        this->AICore().AddConfig("ascend310p");
    }
};
OP_ADD(Second);
class First : public OpDef {
public:
    explicit First(const char* name) : OpDef(name) { puts("\\n[what operators print"); }
};
OP_ADD(First);
class Third : public OpDef {
public:
    explicit Third(const char* name) : OpDef(name) {
        this->Input("x").DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).FormatList({ge::FORMAT_ND});
        this->Input("index").DataTypeList({ge::DT_INT32, ge::DT_INT64});
        this->Input("same").Follow("index");
        this->Output("x").DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).FormatList({ge::FORMAT_ND});
        OpAICoreConfig other, ours;
        other.Input("x").ParamType(DYNAMIC).DataType({ge::DT_BF16});
        ours.Input("last").ParamType(OPTIONAL).DataTypeList({ge::DT_INT8});
        this->AICore().AddConfig("ascend950", other);
        this->AICore().AddConfig("ascend910b", ours);
        this->AICore().AddConfig("ascend910_93", ours);
    }
};
OP_ADD(Third);
class Blocks : public OpDef {
public:
    explicit Blocks(const char* name) : OpDef(name) {
        this->Input("x")
            .DataType({ge::DT_FLOAT16, ge::DT_COMPLEX64, ge::DT_DOUBLE, ge::DT_FLOAT16})
            .Format({ge::FORMAT_NC1HWC0, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_NC1HWC0});
        this->Input("value").DataTypeList({ge::DT_FLOAT}).Scalar().To("x");
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Blocks);
class Chips : public OpDef {
public:
    explicit Chips(const char* name) : OpDef(name) {
        this->Input("x").DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Output("y").Follow("x");
        OpAICoreConfig config;
        config.Input("x").DataType({ge::DT_FLOAT, ge::DT_BF16});
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93", config);
    }
};
OP_ADD(Chips);
class Uneven : public OpDef {
public:
    explicit Uneven(const char* name) : OpDef(name) {
        this->Input("x").DataType({ge::DT_FLOAT16});
        this->Output("y").DataType({ge::DT_FLOAT16});
        OpAICoreConfig config;
        config.Input("x").ParamType(OPTIONAL).DataType({ge::DT_FLOAT});
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93", config);
    }
};
OP_ADD(Uneven);
static ge::graphStatus Check(const ge::Operator&, ge::AscendString&) { return ge::GRAPH_SUCCESS; }
static optiling::OpCheckFuncHelper helper(FUNC_CHECK_SUPPORTED, "With", Check);
class With : public OpDef {
public:
    explicit With(const char* name) : OpDef(name) {
        this->Input("x").DataType({ge::DT_FLOAT16});
        this->AICore().SetCheckSupport(Check).SetOpSelectFormat(Check).AddConfig("ascend910b");
        this->MC2().HcclGroup("group");
    }
};
OP_ADD(With);
}  // namespace ops
"""


def test_what_is_read_of_a_definition(cannery: Run, tmp_path: Path) -> None:
    from cannery.cli import adopt

    (tmp_path / "op_host").mkdir()
    (tmp_path / "op_host/all.cpp").write_text(DEFINITION)
    (tmp_path / "build").mkdir()
    described: list[Any] = adopt._describe(adopt._compile(tmp_path, tmp_path / "build"))
    types = [entry["type"] for entry in described]
    assert types == ["Blocks", "Chips", "First", "Second", "Third", "Uneven", "With"]
    assert definitions.left_out(described) == ["Blocks: not built for complex64"]
    ((blocks,), faults) = definitions.prototypes(described[:1])
    assert (faults, rules.check(blocks, "blocks")) == ([], [])
    x, value = blocks["input"]  # a repeated row is left out, too
    assert (x["dtypes"], x["formats"]) == (["float16", "float64"], ["NC1HWC0", "ND"])
    assert (value["scalar"], value["dtypes"], blocks["output"]) == ("scalar", ["float32"] * 2, [])
    ((chips,), faults) = definitions.prototypes(described[1:2])
    assert (faults, rules.check(chips, "chips")) == ([], [])
    rows = dict(zip(chips["input"][0]["dtypes"], chips["row_socs"], strict=True))
    both = ["ascend910_93", "ascend910b"]
    assert rows == {"float32": both, "bfloat16": both[:1], "float16": both[1:]}
    ((proto, third), faults) = definitions.prototypes(described[3:5])
    assert faults == []
    _, faults = definitions.prototypes(described[5:])
    assert faults == [
        "Uneven: the definition has other parameters for ascend910b than for ascend910_93, apart "
        "from dtypes and formats; the twin takes one definition for both",
        "With: the definition uses MC2, for communication between devices, which the twin does not "
        "model",
    ]
    # DataTypeList: each type with each row of the others. What another chip has does not count.
    rows = {each["name"]: each["dtypes"] for each in third["input"]}
    assert rows == {
        "x": ["float16", "float16", "float32", "float32"],
        "index": ["int32", "int64", "int32", "int64"],
        "same": ["int32", "int64", "int32", "int64"],
        "last": ["int8"] * 4,
    }
    assert third["output"][0]["dtypes"] == rows["x"]
    assert rules.check(third, "third") == []
    assert proto["socs"] == ["ascend910_93"]
    first, ends = proto["input"]
    assert (first["dtypes"], first["formats"]) == (["bfloat16"], ["ND"])
    assert (first["auto_contiguous"], first["value_depend"]) == (True, False)
    assert (ends["param_type"], ends["value_depend"]) == ("optional", True)
    assert proto["output"][0]["dtypes"] == ["bool"]
    kinds = ["int", "int", "float", "bool", "string", "list_int", "list_float", "list_bool"]
    assert [attr["type"] for attr in proto["attr"]] == kinds
    assert "default" not in proto["attr"][0]
    defaults = [attr["default"] for attr in proto["attr"][1:]]
    assert np.float32(defaults.pop(1)) == np.float32(0.1)
    assert defaults == [-(2**63), True, 'a"\\\nä', [1, -2], [1.0, 0.5], [True, False]]
    assert rules.check(proto, "second") == []


IN_PLACE = """
import sys, numpy as np, cannery, pytest
add = cannery.project.load(sys.argv[1]).add_custom
x, y = np.arange(5000, dtype=np.float32), np.ones(5000, np.float32)
assert add(x, y, scale=2.0) is x
assert np.array_equal(x, np.arange(5000, dtype=np.float32) + 2)
x.flags.writeable = False
with pytest.raises(TypeError, match="x: the operator changes this array, but it is read-only"):
    add(x, y)
with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
    add(x, y, z=y)
"""


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.slow
def test_one_name_for_an_input_and_an_output(
    repository: Path, cannery: Run, tmp_path: Path
) -> None:
    """The kernel gets the tensor's address twice; the C function has one parameter, x + Ref."""
    source = repository / "tests/fixtures/msopgen/AddCustom"
    project = Path(shutil.copytree(source, tmp_path / "AddCustom"))
    host = project / "op_host/add_custom.cpp"
    host.write_text(host.read_text().replace('Output("z")', 'Output("x")'))
    kernel = project / "op_kernel/add_custom.cpp"
    text = kernel.read_text().replace("DTYPE_Z", "DTYPE_X").replace("GM_ADDR z", "GM_ADDR x_ref")
    kernel.write_text(
        text.replace("op.Init(x, y, z", "op.Init(x, y, x_ref").replace(
            "(__gm__ DTYPE_X*)z", "(__gm__ DTYPE_X*)x_ref"
        )
    )
    done = cannery("build", cwd=project)
    assert done.returncode == 0, done.stderr
    (header,) = project.glob("build/opp/**/aclnnop/aclnn_add_custom.h")
    flat = " ".join(header.read_text().split())
    assert "GetWorkspaceSize( aclTensor *xRef, const aclTensor *y, double scale, uint64" in flat
    done = run_code(IN_PLACE, project)
    assert done.returncode == 0, done.stderr


PER_CHIP = """
import sys, numpy as np, cannery, pytest
from cannery.errors import AclnnError
chips = {"Ascend910B2": (np.float16, np.int32), "Ascend910_9391": (np.int32, np.float16)}
for soc, (own, other) in chips.items():
    with cannery.use(soc=soc):
        add = cannery.project.load(sys.argv[1]).add_custom
        for dtype in (np.float32, own):
            x = np.arange(300).astype(dtype)
            assert np.array_equal(add(x, x, scale=2.0), 3 * x)
        with pytest.raises(AclnnError, match="the definition has the rows") as caught:
            add(x.astype(other), x.astype(other))
        assert np.dtype(other).name not in str(caught.value).split("has the rows")[1]
"""


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.slow
def test_other_dtypes_for_a2_than_for_a3(repository: Path, cannery: Run, tmp_path: Path) -> None:
    source = repository / "tests/fixtures/msopgen/AddCustom"
    project = Path(shutil.copytree(source, tmp_path / "AddCustom"))
    host = project / "op_host/add_custom.cpp"
    own = """
        OpAICoreConfig config;
        for (const char* input : {"x", "y"}) {
            config.Input(input).DataType({ge::DT_FLOAT, ge::DT_INT32});
        }
        config.Output("z").DataType({ge::DT_FLOAT, ge::DT_INT32});
        this->AICore().AddConfig("ascend910_93", config);
    """
    common = 'this->AICore().AddConfig("ascend910b");'
    host.write_text(host.read_text().replace(common, common + own))
    done = cannery("build", cwd=project)
    assert done.returncode == 0, done.stderr
    done = run_code(PER_CHIP, project)
    assert done.returncode == 0, done.stderr
