// SPDX-License-Identifier: Apache-2.0
// Plans calls of NsaCompressGrad and checks their tiling data.
#ifndef TESTS_CPP_OP_HOST_NSA_COMPRESS_GRAD_CALL_H
#define TESTS_CPP_OP_HOST_NSA_COMPRESS_GRAD_CALL_H

#include <algorithm>
#include <memory>
#include <string>

#include "nsa_compress_grad_tiling.h"
#include "plan.h"

using twin::host::OpNode;
using TilingData = NsaCompressGradTilingData;
using BaseTilingData = NsaCompressGradBaseTilingData;

namespace op = ops::NsaCompressGradOp;

struct Call {
    int64_t rows = 80;
    int64_t heads = 2;
    int64_t dim = 16;
    int64_t block = 32;
    int64_t stride = 16;
    Dims ends;             ///< ends of the sequences; empty if the call has none
    int64_t windows = -1;  ///< number of windows; -1: as many as the sequences have
    Dims inputGradStrides = {0};
    Dims weightGradStrides = {0};
    Dims weight;  ///< shape of weight; empty: the shape is (block, heads)
    ge::DataType dtype = ge::DT_FLOAT16;
};

inline int64_t WindowsOf(const Call& call, int64_t length) {
    return length < call.block ? 0 : (length - call.block) / call.stride + 1;
}

inline int64_t AllWindows(const Call& call) {
    if (call.windows >= 0) {
        return call.windows;
    }
    if (call.ends.empty()) {
        return WindowsOf(call, call.rows);
    }
    int64_t begin = 0;
    int64_t windows = 0;
    for (int64_t end : call.ends) {
        windows += WindowsOf(call, end - begin);
        begin = end;
    }
    return windows;
}

inline std::unique_ptr<OpNode> NodeOf(Call& call, const char* soc) {
    std::unique_ptr<OpNode> node = MakeNode<TilingData>("NsaCompressGrad", soc);
    const Dims weight = call.weight.empty() ? Dims{call.block, call.heads} : call.weight;
    node->AddInput({AllWindows(call), call.heads, call.dim}, call.dtype, ge::FORMAT_ND);
    node->AddInput({call.rows, call.heads, call.dim}, call.dtype, ge::FORMAT_ND);
    node->AddInput(weight, call.dtype, ge::FORMAT_ND);
    if (call.ends.empty()) {
        node->AddAbsentInput();
    } else {
        node->AddInput({static_cast<int64_t>(call.ends.size())}, ge::DT_INT64, ge::FORMAT_ND,
                       call.ends.data());
    }
    node->AddOutput({call.rows, call.heads, call.dim}, call.dtype, ge::FORMAT_ND);
    node->AddOutput(weight, call.dtype, ge::FORMAT_ND);
    node->Attrs().Add(call.block);
    node->Attrs().Add(call.stride);
    node->Attrs().Add(int64_t{0});
    node->Attrs().Add(std::string("TND"));
    node->Attrs().Add(call.inputGradStrides);
    node->Attrs().Add(call.weightGradStrides);
    return node;
}

inline Planned<TilingData> Plan(Call call, const char* soc = "Ascend910B2") {
    return PlanNode<TilingData>(NodeOf(call, soc));
}

/// Returns true if tiling refuses a correct call after `change` was applied to it.
template <typename Change>
bool Refused(Change change) {
    Call call;
    change(call);
    return !Plan(call).ok;
}

inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Returns the sum of the sizes of all buffers that the kernel allocates in UB.
inline int64_t UbBytes(const BaseTilingData& t) {
    const int64_t width = t.headsPerGroup * t.headDim;
    const int64_t weights = t.headsPerGroup * t.blockSize;
    const int64_t tiles = (3 * t.rowsPerTile + 2 * t.windowsPerTile) * width * 2;
    const int64_t floats = t.windowsPerTile * width + weights * 64 + 2 * t.rowsPerTile * 64 + 64;
    const int64_t spread = t.inputGradStrides[2] == 1 ? 0 : t.headDim * 32;
    return tiles + 4 * floats + weights * 32 + t.blockSize * 36 + weights * 4 + spread +
           (t.sequences > 0 ? 1024 : 0);
}

/// Compares the sequence and row at which each block starts with the results of a simple search.
inline void CheckStarts(const Call& call, const TilingData& data, int64_t blocks) {
    const BaseTilingData& t = data;
    const Dims ends = call.ends.empty() ? Dims{call.rows} : call.ends;
    const int64_t perGroup = t.unitsPerGroup;
    const int64_t units = perGroup * CeilDiv(t.heads, t.headsPerGroup);
    for (int64_t block = 0; block < blocks; ++block) {
        const int64_t first = block * (units / blocks) + std::min(block, units % blocks);
        const int64_t row = first % perGroup * 16;
        size_t sequence = 0;
        int64_t begin = 0;
        int64_t windows = 0;
        while (sequence + 1 < ends.size() && ends[sequence] <= row) {
            windows += WindowsOf(call, ends[sequence] - begin);
            begin = ends[sequence++];
        }
        CHECK_EQ(data.starts[block].sequence, static_cast<int64_t>(sequence));
        CHECK_EQ(data.starts[block].firstRow, begin);
        CHECK_EQ(data.starts[block].windows, windows);
    }
}

/// Returns the number of groups of rows that all their windows overlap.
inline int64_t CubeGroups(const Call& call) {
    const int64_t overlaps = CeilDiv(call.block, call.stride);
    int64_t groups = 0;
    int64_t begin = 0;
    for (const int64_t end : call.ends.empty() ? Dims{call.rows} : call.ends) {
        groups += std::max<int64_t>(0, WindowsOf(call, end - begin) - overlaps + 1);
        begin = end;
    }
    return groups;
}

/// Checks that the tiles fit into the memories of a cube core, and returns the bytes of its slots.
inline int64_t CheckCube(const Call& call, const BaseTilingData& t, int64_t cubeCores) {
    const int64_t columns = t.cube.groupsPerTile * t.stride;
    const int64_t width = t.cube.heads * t.headDim;
    CHECK_EQ(t.cube.groups, CubeGroups(call));
    CHECK(t.cube.heads >= 1 && t.cube.heads <= t.heads);
    CHECK(t.cube.groupsPerTile >= 1);
    CHECK(t.cube.groupsPerTile + CeilDiv(t.blockSize, t.stride) - 1 <= 16);
    CHECK(2 * (columns + 16) * width * 2 <= 512 * 1024);  // L1
    CHECK(columns * 16 * 2 <= 32 * 1024);                 // half of L0B
    const int64_t results = t.cube.inputGrad != 0 ? 2 * t.stride * t.headDim : 0;
    CHECK(4 * (t.cube.heads * 16 * columns + results) <= 128 * 1024);  // L0C
    CHECK(t.cube.inputGrad == 0 || t.inputGradStrides[2] == 1);
    return (cubeCores + CeilDiv(t.heads, t.cube.heads) - 1) * t.cube.heads * 16 * columns * 4;
}

inline void CheckPlan(const Call& call, const char* soc) {
    const Planned<TilingData> planned = Plan(call, soc);
    CHECK(planned.ok);
    const BaseTilingData& t = planned.tiling;
    CHECK(UbBytes(t) <= static_cast<int64_t>(planned.ubBytes));
    // Repeat counts and strides of instructions have 8 bits.
    CHECK(t.rowsPerTile >= 16 && t.rowsPerTile <= 255);
    CHECK(t.headsPerGroup * t.headDim / 16 <= 255);
    CHECK(t.headsPerGroup * t.blockSize / 8 <= 255);
    CHECK_EQ(t.windowsPerTile, CeilDiv(t.rowsPerTile + t.blockSize - 1, t.stride));
    CHECK(t.windowsPerTile <= op::kMaxTileWindows);
    const bool cube = t.cube.groups > 0;
    const int64_t groups = CeilDiv(t.heads, t.headsPerGroup);
    const int64_t vectors =
        cube ? planned.cores : std::min(planned.cores, groups * CeilDiv(t.rows, 16));
    CHECK_EQ(t.vectorBlocks, vectors);
    CHECK(t.unitsPerGroup >= CeilDiv(t.rows, 16));
    if (vectors % groups == 0) {
        CHECK_EQ(t.unitsPerGroup % (vectors / groups), 0);
        CHECK(t.unitsPerGroup - CeilDiv(t.rows, 16) < vectors / groups);
    } else {
        CHECK_EQ(t.unitsPerGroup, CeilDiv(t.rows, 16));
    }
    CHECK_EQ(planned.node->result.blockDim, cube ? vectors / 2 : vectors);
    CHECK_EQ(planned.node->result.scheduleMode, 1u);
    CHECK_EQ(planned.node->result.workspaceCount, 1u);
    const int64_t partials = (vectors + groups - 1) * t.headsPerGroup * t.blockSize * 4;
    CHECK_EQ(t.cubeSlotsAt, partials);
    const int64_t slots = cube ? CheckCube(call, t, vectors / 2) : 0;
    CHECK_EQ(t.cubeWeightsAt, partials + slots);
    const int64_t weights = cube ? vectors / 2 * t.cube.headsOfBlock * t.stride * 16 * 2 : 0;
    CHECK_EQ(planned.node->result.workspaces[0],
             16777216u + static_cast<uint64_t>(partials + slots + weights));
    const bool searched = call.ends.size() <= op::kMaxSearched;
    CHECK_EQ(planned.node->result.tilingKey,
             static_cast<uint64_t>(cube       ? NSA_COMPRESS_GRAD_KEY_CUBE
                                   : searched ? NSA_COMPRESS_GRAD_KEY_VECTOR
                                              : NSA_COMPRESS_GRAD_KEY_SEQUENCES));
    if (!searched) {
        CheckStarts(call, planned.tiling, vectors);
    }
}

#endif  // TESTS_CPP_OP_HOST_NSA_COMPRESS_GRAD_CALL_H
