// SPDX-License-Identifier: Apache-2.0
// An operator that only tests use: definition, tiling and inference as an operator project writes
// them (C++11).
#include <cstring>

#include "acl/acl.h"
#include "probe_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

static ge::graphStatus TilingOfHostProbe(gert::TilingContext* context) {
    const gert::RuntimeAttrs* const attrs = context->GetAttrs();
    const int64_t mode = *attrs->GetInt(0);
    const char* const text = attrs->GetStr(1);
    if (std::strcmp(text, "refuse") == 0) {
        ACL_APP_LOG(ACL_ERROR, "text is \"refuse\"; expected anything else");
        return ge::GRAPH_FAILED;
    }
    if (std::strcmp(text, "no blocks") != 0) {
        context->SetBlockDim(1);
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    ProbeTiling* const tiling = context->GetTilingData<ProbeTiling>();
    tiling->elems =
        static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    tiling->mode = static_cast<int32_t>(mode);
    const gert::Tensor* const indices = context->GetOptionalInputTensor(1);
    tiling->indices = indices == nullptr ? 0 : static_cast<uint32_t>(indices->GetShapeSize());
    const gert::TypedContinuousVector<int64_t>* const sizes = attrs->GetListInt(2);
    size_t* const workspaces = context->GetWorkspaceSizes(sizes->GetSize());
    for (size_t i = 0; i < sizes->GetSize(); ++i) {
        workspaces[i] = static_cast<size_t>(sizes->GetData()[i]);
    }
    context->SetTilingKey(0);  // the kernel names no key
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ops {

class HostProbe : public OpDef {
public:
    explicit HostProbe(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("indices")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_INT64, ge::DT_INT64})
            .ValueDepend(OPTIONAL);
        this->Output("out").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
        this->Attr("mode").AttrType(OPTIONAL).Int(kProbeCopy);
        this->Attr("text").AttrType(OPTIONAL).String("plain");
        this->Attr("sizes").AttrType(OPTIONAL).ListInt({16 << 20});
        this->AICore().SetTiling(optiling::TilingOfHostProbe).AddConfig("ascend910b");
    }
};
OP_ADD(HostProbe);

/// An operator without kernels. Its input has neither AutoContiguous nor IgnoreContiguous, and
/// calls whose outputs are empty launch it, too.
class StrictProbe : public OpDef {
public:
    explicit StrictProbe(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).Follow("x");
        this->AICore()
            .SetTiling(optiling::TilingOfHostProbe)
            .LaunchWithZeroEleOutputTensors(true)
            .AddConfig("ascend910b")
            .AddConfig("ascend910_93");
    }
};
OP_ADD(StrictProbe);

}  // namespace ops
