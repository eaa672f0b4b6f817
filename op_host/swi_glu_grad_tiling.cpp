// SPDX-License-Identifier: Apache-2.0
#include "swi_glu_grad_tiling.h"

#include <algorithm>
#include <cstdint>

#include "common/chip.h"
#include "common/tiling_math.h"
#include "register/op_def_registry.h"
#include "swi_glu_grad_interface.h"

namespace optiling {
namespace {

namespace op = ops::SwiGluGradOp;

// Fixed cost of a tile (flags, start of instructions, short transfers), as a number of elements. It
// prevents that small problems are split into too many tiles. Only its magnitude matters.
constexpr int64_t kTileOverheadElems = 512;

/// Numbers from the shape and the hardware, with which a tile is chosen.
struct Problem {
    int64_t rows = 1;
    int64_t cols = 1;  // number of columns of a and of b, the two parts of x
    int64_t elemBytes = 0;
    int64_t cores = 0;
    int64_t tileElems = 0;  // largest number of elements that one operand of a tile may have in UB
};

/// A tile and its cost: the time of the busiest core, expressed as a number of elements.
struct Choice {
    int64_t rowsPerTile = 0;
    int64_t colsPerTile = 0;
    int64_t cost = INT64_MAX;
};

int64_t CostOf(const Problem& problem, int64_t tiles, int64_t elemsPerTile) {
    return CeilDiv(tiles, problem.cores) * (elemsPerTile + kTileOverheadElems);
}

/// Tries tiles of one or more whole rows, which are best for short rows.
void TryRows(const Problem& problem, Choice* best) {
    const int64_t pitch = RoundUp(problem.cols, kBlockBytes / problem.elemBytes);
    const int64_t most =
        std::min(std::min(problem.tileElems / pitch, problem.rows), kMaxBlockCount);
    for (int64_t rows = 1; rows <= most; ++rows) {
        const int64_t cost = CostOf(problem, CeilDiv(problem.rows, rows), rows * pitch);
        if (cost < best->cost) {
            best->rowsPerTile = rows;
            best->colsPerTile = problem.cols;
            best->cost = cost;
        }
    }
}

/// Tries tiles of a part of one row, which are best for long rows or fewer rows than cores.
void TryCols(const Problem& problem, Choice* best) {
    const int64_t unit = kGmAlignBytes / problem.elemBytes;
    const int64_t largest = problem.tileElems / unit * unit;
    const int64_t units = std::min(CeilDiv(problem.cols, unit), largest / unit);
    for (int64_t count = units; count >= 1; --count) {
        const int64_t cols = count * unit;
        const int64_t cost = CostOf(problem, problem.rows * CeilDiv(problem.cols, cols), cols);
        if (cost < best->cost) {
            best->rowsPerTile = 1;
            best->colsPerTile = cols;
            best->cost = cost;
        }
    }
}

bool ReadShape(gert::TilingContext* context, Problem* problem) {
    const gert::StorageShape* xShape = context->GetInputShape(op::kInputX);
    const gert::StorageShape* yGradShape = context->GetInputShape(op::kInputYGrad);
    const gert::CompileTimeTensorDesc* xDesc = context->GetInputDesc(op::kInputX);
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    if (xShape == nullptr || yGradShape == nullptr || xDesc == nullptr || attrs == nullptr ||
        attrs->GetInt(op::kAttrDim) == nullptr) {
        return false;
    }
    const gert::Shape& x = xShape->GetStorageShape();
    const gert::Shape& yGrad = yGradShape->GetStorageShape();
    const int64_t rank = static_cast<int64_t>(x.GetDimNum());
    int64_t dim = *attrs->GetInt(op::kAttrDim);
    if (rank < 1 || dim < -rank || dim >= rank || yGrad.GetDimNum() != x.GetDimNum()) {
        return false;
    }
    dim = dim < 0 ? dim + rank : dim;
    for (int64_t i = 0; i < rank; ++i) {
        const int64_t size = x.GetDim(i);
        // The length of `dim` itself must be even, not only its product with the inner dimensions.
        if (size <= 0 || (i == dim && size % 2 != 0) ||
            yGrad.GetDim(i) != (i == dim ? size / 2 : size)) {
            return false;
        }
        (i < dim ? problem->rows : problem->cols) *= i == dim ? size / 2 : size;
    }
    problem->elemBytes = FloatBytes(xDesc->GetDataType());
    return true;
}

bool ReadPlatform(gert::TilingContext* context, Problem* problem) {
    Chip chip;
    if (!ReadChip(context, &chip)) {
        return false;
    }
    problem->cores = chip.vectorCores;
    // The size is a multiple of 512 B, so that each operand of a tile starts at a multiple of 32 B
    // in UB for both element sizes.
    const int64_t unit = kGmAlignBytes / problem->elemBytes;
    problem->tileElems = (chip.ubBytes - op::kUbShiftBytes) / op::kUbBytesPerElem / unit * unit;
    return problem->tileElems > 0;
}

}  // namespace

ge::graphStatus Tiling4SwiGluGrad(gert::TilingContext* context) {
    Problem problem;
    if (!ReadShape(context, &problem) || !ReadPlatform(context, &problem)) {
        return ge::GRAPH_FAILED;
    }
    Choice choice;
    TryRows(problem, &choice);
    TryCols(problem, &choice);

    SwiGluGradTilingData* tiling = context->GetTilingData<SwiGluGradTilingData>();
    size_t* workspaces = context->GetWorkspaceSizes(1);
    if (tiling == nullptr || workspaces == nullptr) {
        return ge::GRAPH_FAILED;
    }
    workspaces[0] = 0;
    tiling->rows = problem.rows;
    tiling->cols = problem.cols;
    tiling->rowsPerTile = static_cast<uint32_t>(choice.rowsPerTile);
    tiling->colsPerTile = static_cast<uint32_t>(choice.colsPerTile);
    tiling->colTiles = CeilDiv(problem.cols, choice.colsPerTile);
    tiling->tiles = CeilDiv(problem.rows, choice.rowsPerTile) * tiling->colTiles;
    const int64_t pitch = RoundUp(choice.colsPerTile, kBlockBytes / problem.elemBytes);
    tiling->tileElems =
        static_cast<uint32_t>(RoundUp(choice.rowsPerTile * pitch, int64_t{op::kTileUnit}));
    tiling->reserved = 0;
    context->SetTilingKey(0);
    context->SetBlockDim(static_cast<uint32_t>(std::min(tiling->tiles, problem.cores)));
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling
