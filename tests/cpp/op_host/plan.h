// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "host/op_node.h"
#include "register/op_def_registry.h"
#include "soc/soc.h"
#include "tiling/platform/platform_ascendc.h"

using Dims = std::vector<int64_t>;

/// SoCs of A2 and A3. The list has an SoC for each number of cores that exists.
const char* const kSocs[] = {"Ascend910B1", "Ascend910B2",    "Ascend910B3",
                             "Ascend910B4", "Ascend910_9391", "Ascend910_9362"};

/// A call, its tiling, and the numbers of cores and UB bytes for which the tiling was computed.
template <typename TilingData>
struct Planned {
    std::unique_ptr<twin::host::OpNode> node;
    bool ok = false;
    TilingData tiling = {};
    int64_t cores = 0;
    uint64_t ubBytes = 0;
};

template <typename TilingData>
std::unique_ptr<twin::host::OpNode> MakeNode(const char* type, const char* soc) {
    return std::unique_ptr<twin::host::OpNode>(
        new twin::host::OpNode(type, *twin::FindSoc(soc), sizeof(TilingData)));
}

template <typename TilingData>
Planned<TilingData> PlanNode(std::unique_ptr<twin::host::OpNode> node) {
    Planned<TilingData> planned;
    planned.node = std::move(node);
    std::string error;
    planned.ok = RunTiling(planned.node.get(), &error) == ge::GRAPH_SUCCESS;
    if (planned.ok) {
        CHECK_EQ(planned.node->tilingData.GetDataSize(), sizeof(TilingData));
        planned.tiling = *static_cast<const TilingData*>(planned.node->tilingData.GetData());
    }
    platform_ascendc::PlatformAscendC platform(&planned.node->platform);
    planned.cores = platform.GetCoreNumAiv();
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, planned.ubBytes);
    return planned;
}
