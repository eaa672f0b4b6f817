# SPDX-License-Identifier: Apache-2.0
"""cannery.load_op_host must load op_host sources: their tilings, and their whole operators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.errors import AclnnError, CanneryError, CompileError

pytestmark = pytest.mark.twin_only("tiling without a call is the twin's")

FIXTURE = Path(__file__).parents[2] / "fixtures/msopgen/AddCustom"
TENSOR = ".ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND})"
DEFINITION = """
namespace ops {
class NAME : public OpDef {
public:
    explicit NAME(const char* name) : OpDef(name) {
        this->Input("x")TENSOR;
        this->Input("mask").ParamType(OPTIONAL).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y")TENSOR;
        this->Attr("scale").AttrType(OPTIONAL).Float(1.0);
        this->AICore().SetTiling(optiling::TilingOfNAME).AddConfig("ascend910b");
    }
};
OP_ADD(NAME);
}
""".replace("TENSOR", TENSOR)
STRUCT_FORM = """
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
enum class Mode : uint8_t { kSmall = 1, kLarge };
struct Base { int16_t first; };
namespace deep { struct Part { uint8_t a; int64_t b; }; }
namespace {
struct Data : Base {
    static constexpr int kNothing = 3;
    bool flag;
    double real;
    Mode mode;
    deep::Part parts[2];
    union { uint32_t whole; uint16_t half[2]; };
    const int32_t grid[2][3];
    size_t bytes;
    char letter;
    void* nowhere;
};
}
namespace optiling {
static ge::graphStatus TilingOfNAME(gert::TilingContext* context) {
    auto* data = const_cast<Data*>(context->GetTilingData<Data>());
    const auto& shape = context->GetInputShape(0)->GetStorageShape();
    data->first = -7;
    data->flag = context->GetOptionalInputShape(1) != nullptr;
    data->real = *context->GetAttrs()->GetFloat(0);
    data->mode = Mode::kLarge;
    data->parts[1].b = shape.GetDim(0) / (shape.GetDim(0) - 13);
    data->whole = 0x00020001;
    const_cast<int32_t&>(data->grid[1][2]) = 6;
    context->SetTilingKey(42);
    context->SetBlockDim(3);
    context->GetWorkspaceSizes(2)[1] = 64;
    return ge::GRAPH_SUCCESS;
}
}
"""


def write(folder: Path, name: str, text: str, op: str = "Scale") -> Path:
    path = folder / name
    path.write_text(text.replace("NAME", op))
    return path


@pytest.mark.release
def test_a_sample_of_msopgen_runs_end_to_end() -> None:
    op = cannery.load_op_host(FIXTURE / "op_host")
    assert op.operators == ("AddCustom",)
    tiling = op.tiling([((8, 2048), "float16")] * 2, {"scale": 0.5})
    assert tiling.fields == {"size": 16384, "tileSize": 1024, "scale": 0.5}
    assert tiling.block_dim == 8
    random = np.random.default_rng(5)
    x, y = (random.standard_normal((3, 65), np.float32) for _ in range(2))
    kernel = FIXTURE / "op_kernel/add_custom.cpp"
    np.testing.assert_array_equal(op(kernel, [x, y], {"scale": 2.0}), x + 2 * y)
    half = op(kernel, [x.astype(np.float16), y.astype(np.float16)])
    np.testing.assert_array_equal(half, x.astype(np.float16) + y.astype(np.float16))
    own = np.empty_like(x)
    assert op(str(kernel), [x, y], outputs=[own], soc="Ascend910B4") is own
    np.testing.assert_array_equal(own, x + y)
    with pytest.raises(AclnnError, match="int32") as error:
        op(kernel, [x.astype(np.int32)] * 2)
    assert error.value.status == 161002


def test_fields_of_a_struct(tmp_path: Path) -> None:
    op = cannery.load_op_host(write(tmp_path, "scale.cpp", STRUCT_FORM + DEFINITION)).Scale
    tiling = op.tiling([((26,), "float32")], {"scale": 0.1})
    assert (tiling.status, tiling.key, tiling.block_dim) == (0, 42, 3)
    assert tiling.workspaces == (0, 64)
    assert tiling["first"] == -7
    assert tiling["flag"] is False
    assert tiling["real"] == np.float32(0.1)
    assert tiling["mode"] == 2
    assert tiling["parts"][1] == {"a": 0, "b": 2}
    assert (tiling["whole"], tiling["half"]) == (0x00020001, [1, 2])
    assert tiling["grid"] == [[0, 0, 0], [0, 0, 6]]
    assert tiling.array.dtype["parts"].subdtype[0].fields["b"][1] == 8
    assert op.tiling([((26,), "float32"), ((1,), "float32")])["flag"] is True
    assert op.definition is not None
    assert op.definition["inputs"][1]["param_type"] == "optional"


@pytest.mark.release
def test_a_fault_of_the_tiling_function_is_a_refusal(tmp_path: Path) -> None:
    op = cannery.load_op_host(write(tmp_path, "scale.cpp", STRUCT_FORM + DEFINITION))
    for _ in range(3):
        refused = op.tiling([((13,), "float32")])
        assert refused.status == 561002
        assert "division by zero" in refused.message
    assert op.tiling([((26,), "float32")]).ok
    text = STRUCT_FORM.replace("data->whole =", "*(volatile int*)8 = 1; data->whole =")
    op = cannery.load_op_host(write(tmp_path, "bad.cpp", text + DEFINITION))
    assert "0x8" in op.tiling([((26,), "float32")]).message
    text = STRUCT_FORM.replace("data->whole =", "throw 3; data->whole =")
    op = cannery.load_op_host(write(tmp_path, "bad.cpp", text + DEFINITION))
    assert "threw" in op.tiling([((26,), "float32")]).message


CLASS_FORM = """
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(NAMEData)
TILING_DATA_FIELD_DEF(uint8_t, small);
TILING_DATA_FIELD_DEF_ARR(int64_t, 3, list);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);
TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, softmax);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(NAME, NAMEData)
static ge::graphStatus TilingOfNAME(gert::TilingContext* context) {
    NAMEData data;
    FORM
    int64_t list[] = {1, -2, 3};
    data.set_small(200);
    data.set_list(list);
    data.cube.set_baseM(16);
    data.softmax.set_srcM(5);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), 4096);
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}
}
"""


@pytest.mark.release
@pytest.mark.parametrize("form", ["", "data.SetDataPtr(context->GetRawTilingData()->GetData());"])
def test_fields_of_a_class(tmp_path: Path, form: str) -> None:
    path = write(tmp_path, "scale.cpp", CLASS_FORM.replace("FORM", form) + DEFINITION)
    tiling = cannery.load_op_host(path).tiling([((4,), "float32")])
    assert list(tiling.fields) == ["small", "list", "cube", "softmax"]
    assert tiling["small"] == 200
    assert tiling["list"] == [1, -2, 3]
    assert tiling["cube"]["baseM"] == 16
    assert tiling["softmax"]["srcM"] == 5
    assert tiling.array["cube"].dtype.itemsize == 200


@pytest.mark.slow
def test_data_that_is_copied_as_bytes(tmp_path: Path) -> None:
    text = """
#include "register/op_def_registry.h"
struct ScaleTilingData { uint32_t one; uint32_t two; float three; };
namespace optiling {
static ge::graphStatus TilingOfNAME(gert::TilingContext* context) {
    ScaleTilingData data{1, 2, 3};
    memcpy_s(context->GetRawTilingData()->GetData(), 4096, &data, sizeof(data));
    context->GetRawTilingData()->SetDataSize(sizeof(data));
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}
}
"""
    path = write(tmp_path, "scale.cpp", text + DEFINITION)
    assert cannery.load_op_host(path).tiling([((4,), "float32")]).fields == {
        "one": 1,
        "two": 2,
        "three": 3.0,
    }


@pytest.mark.slow
def test_several_operators(tmp_path: Path) -> None:
    files = [
        write(tmp_path, f"{op}.cpp", CLASS_FORM.replace("FORM", "") + DEFINITION, op)
        for op in ("First", "Second")
    ]
    host = cannery.load_op_host(files)
    assert host.operators == ("First", "Second")
    assert host["First"].tiling([((4,), "float32")]).op == "First"
    assert host.Second.tiling([((4,), "float32")]).op == "Second"
    with pytest.raises(TypeError, match="several operators, First, Second"):
        host.tiling([((4,), "float32")])
    with pytest.raises(KeyError, match="no operator 'Third'; there are First, Second"):
        host["Third"]
    with pytest.raises(AttributeError, match="no operator 'Third'"):
        host.Third  # noqa: B018


def test_a_tiling_function_without_a_definition(tmp_path: Path) -> None:
    text = STRUCT_FORM + "IMPL_OP_OPTILING(NAME).Tiling(optiling::TilingOfNAME);\n"
    op = cannery.load_op_host(write(tmp_path, "scale.cpp", text)).Scale
    assert op.definition is None
    tiling = op.tiling([((26,), "float32"), None], {"anything": 0.5})
    assert tiling.ok
    assert tiling["real"] == 0.5
    assert tiling["flag"] is False


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("int nothing = 0;\n", CanneryError, "no operator; expected OP_ADD"),
        ("int x = ;\n", CompileError, r"wrong.cpp:1:9: error"),
        (
            "void gone(); int x = (gone(), 0);\n",
            CompileError,
            r"`gone[\s\S]*\ntry: give the sources",
        ),
        (
            STRUCT_FORM + DEFINITION + "ge::graphStatus Other(gert::TilingContext*) { return 0; }\n"
            "IMPL_OP_OPTILING(NAME).Tiling(Other);\n"
            'static auto again = gert::OpImplRegisterV2("NAME")'
            ".Tiling(optiling::TilingOfNAME);\n",
            CanneryError,
            "Scale has two registrations",
        ),
    ],
)
def test_sources_that_are_none(
    tmp_path: Path, text: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        cannery.load_op_host(write(tmp_path, "wrong.cpp", text))


def test_a_file_of_another_language(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"host.asc: expected a C\+\+ source of op_host \(.cpp,"):
        cannery.load_op_host(write(tmp_path, "host.asc", ""))


@pytest.mark.slow
def test_one_definition_in_two_files(tmp_path: Path) -> None:
    files = [write(tmp_path, f"{name}.cpp", STRUCT_FORM + DEFINITION) for name in "ab"]
    with pytest.raises(CanneryError, match=r"Scale has two registrations \(OP_ADD\)"):
        cannery.load_op_host(files)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such file"):
        cannery.load_op_host(tmp_path / "none.cpp")
    with pytest.raises(ValueError, match=r"no \*.cpp in this folder"):
        cannery.load_op_host(tmp_path)
    with pytest.raises(TypeError, match="files: expected paths, got 3"):
        cannery.load_op_host(3)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_changed_source_is_compiled_again(tmp_path: Path) -> None:
    path = write(tmp_path, "scale.cpp", STRUCT_FORM + DEFINITION)
    assert cannery.load_op_host(path).tiling([((26,), "float32")]).key == 42
    path = write(tmp_path, "scale.cpp", STRUCT_FORM.replace("42", "43") + DEFINITION)
    assert cannery.load_op_host(path).tiling([((26,), "float32")]).key == 43


KERNEL = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR mask, GM_ADDR y, GM_ADDR workspace,
                                            GM_ADDR tiling) {
    AscendC::GlobalTensor<float> out;
    out.SetGlobalBuffer((__gm__ float*)y, 8);
    out.SetValue(0, mask == nullptr ? 1.0f : 2.0f);
    out.SetValue(1, TILING_KEY_IS(42) ? 1.0f : 0.0f);
    out.SetValue(2, workspace == nullptr ? 1.0f : 0.0f);
    AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                      AscendC::DcciDst::CACHELINE_OUT>(out);
}
"""


@pytest.mark.slow
def test_a_compiled_kernel_absent_inputs_and_keys(tmp_path: Path) -> None:
    text = STRUCT_FORM.replace("SetBlockDim(3)", "SetBlockDim(1)")
    op = cannery.load_op_host(write(tmp_path, "scale.cpp", text + DEFINITION))
    x = np.zeros(8, np.float32)
    kernel = cannery.compile_kernel(KERNEL, "scale")
    assert op(kernel, [x])[:3].tolist() == [1.0, 1.0, 1.0]
    assert op(kernel, [x, x])[0] == 2.0
    with pytest.raises(TypeError, match="kernel: expected a compiled kernel"):
        op(3, [x])
    with pytest.raises(TypeError, match="arrays: expected arrays and None"):
        op(kernel, [((8,), "float32")])
