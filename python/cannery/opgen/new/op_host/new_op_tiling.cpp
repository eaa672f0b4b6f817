// SPDX-License-Identifier: Apache-2.0
#include "new_op_tiling.h"

#include <algorithm>
#include <cstdint>

#include "common/chip.h"
#include "common/tiling_math.h"
#include "new_op_interface.h"
#include "register/op_def_registry.h"

namespace optiling {
namespace {

namespace op = ops::NewOpOp;

}  // namespace

ge::graphStatus Tiling4NewOp(gert::TilingContext* context) {
    const gert::StorageShape* shape = context->GetInputShape(op::kInputX);
    const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(op::kInputX);
    NewOpTilingData* tiling = context->GetTilingData<NewOpTilingData>();
    size_t* workspaces = context->GetWorkspaceSizes(1);
    Chip chip;
    if (shape == nullptr || desc == nullptr || tiling == nullptr || workspaces == nullptr ||
        !ReadChip(context, &chip)) {
        return ge::GRAPH_FAILED;
    }
    const int64_t elems = shape->GetStorageShape().GetShapeSize();
    if (elems <= 0) {
        return ge::GRAPH_FAILED;
    }
    // Tiles are whole units of full bandwidth, as large as UB allows, but smaller where some cores
    // would get none.
    const int64_t unit = kGmAlignBytes / FloatBytes(desc->GetDataType());
    const int64_t most = chip.ubBytes / op::kUbBytesPerByte / kGmAlignBytes * unit;
    const int64_t share = RoundUp(CeilDiv(elems, chip.vectorCores), unit);
    const int64_t tileElems = std::min(most, share);
    tiling->elems = elems;
    tiling->tiles = CeilDiv(elems, tileElems);
    tiling->tileElems = static_cast<uint32_t>(tileElems);
    tiling->reserved = 0;
    workspaces[0] = 0;
    context->SetTilingKey(0);
    context->SetBlockDim(static_cast<uint32_t>(std::min(tiling->tiles, chip.vectorCores)));
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling
