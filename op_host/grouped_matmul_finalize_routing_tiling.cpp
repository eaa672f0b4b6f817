// SPDX-License-Identifier: Apache-2.0
#include "grouped_matmul_finalize_routing_tiling.h"

#include <algorithm>
#include <cstdint>

#include "common/chip.h"
#include "common/tiling_math.h"
#include "grouped_matmul_finalize_routing_interface.h"
#include "register/op_def_registry.h"

namespace optiling {
namespace {

namespace op = ops::GroupedMatmulFinalizeRoutingOp;
using op::TilingData;

constexpr int64_t kColUnit = 64;  // columns of 4-bit weights in 32 B, the width of a fractal in L1
static_assert(op::kMaxK == op::kSplitElems, "the longest row of x is what a vector core splits");
// Possible numbers of rows of a unit of work. Larger units read the weights less often; smaller
// units keep all cores busy if one expert has most of the rows.
constexpr int64_t kUnitRows[] = {4096, 2048, 1024, 512};

/// Returns true if UB has room to split the longest row of x into two 4-bit digits.
bool FitsIntoUb(const Chip& chip) {
    return chip.ubBytes >= int64_t{op::kSplitElems} * op::kSplitUbBytesPerElem;
}

const gert::Shape* ShapeOf(const gert::StorageShape* shape, size_t rank) {
    const bool fits = shape != nullptr && shape->GetStorageShape().GetDimNum() == rank;
    return fits ? &shape->GetStorageShape() : nullptr;
}

bool ReadShapes(gert::TilingContext* context, TilingData* tiling) {
    const gert::Shape* x = ShapeOf(context->GetInputShape(op::kInputX), 2);
    const gert::Shape* w = ShapeOf(context->GetInputShape(op::kInputW), 3);
    const gert::Shape* shared = ShapeOf(context->GetInputShape(op::kInputSharedInput), 2);
    const gert::Shape* y = ShapeOf(context->GetOutputShape(0), 2);
    if (x == nullptr || w == nullptr || shared == nullptr || y == nullptr) {
        return false;
    }
    const int64_t k = x->GetDim(1);
    tiling->rows = x->GetDim(0);
    tiling->cols = w->GetDim(2) * op::kWeightsPerWord;
    tiling->tokens = y->GetDim(0);
    tiling->sharedRows = shared->GetDim(0);
    tiling->k = static_cast<uint32_t>(k);
    tiling->experts = static_cast<uint32_t>(w->GetDim(0));
    return tiling->rows > 0 && w->GetDim(0) > 0 && tiling->tokens > 0 &&
           tiling->cols > op::kNAbove && k > op::kKAbove && k % op::kKUnit == 0 && k <= op::kMaxK &&
           w->GetDim(1) == k && y->GetDim(1) == tiling->cols && shared->GetDim(1) == tiling->cols;
}

bool ReadAttrs(gert::TilingContext* context, TilingData* tiling) {
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    if (attrs == nullptr || attrs->GetFloat(op::kAttrSharedInputWeight) == nullptr ||
        attrs->GetInt(op::kAttrSharedInputOffset) == nullptr ||
        attrs->GetInt(op::kAttrGroupListType) == nullptr) {
        return false;
    }
    tiling->sharedWeight = *attrs->GetFloat(op::kAttrSharedInputWeight);
    tiling->sharedOffset = *attrs->GetInt(op::kAttrSharedInputOffset);
    tiling->cumulative = *attrs->GetInt(op::kAttrGroupListType) == 0 ? 1 : 0;
    return tiling->sharedOffset >= 0 && tiling->sharedOffset + tiling->sharedRows <= tiling->tokens;
}

/// Returns the cycles that a cube core needs to load one row of `cols` weights: 32 B per cycle, or
/// 70 % of this if rows do not start at a multiple of 128 B, plus a fixed cost.
double RowCycles(int64_t cols) {
    const double cycles = static_cast<double>(cols) / 2 / 32;
    return (cols % 256 == 0 ? cycles : cycles / 0.7) + 1.3;
}

/// Returns true if weights with `k` rows stay in L1 until all rows of x have been multiplied.
bool Resident(uint32_t k) { return k <= 2 * op::kResidentK; }

/// Returns the largest number of columns of a panel (the weights that are in L1 together). With
/// several passes that share the weights in L1, L1 is the limit; otherwise L0C is the limit.
int64_t WidestPanel(uint32_t k, int64_t passes, int64_t digitRows) {
    constexpr int64_t kL0cElems = 32 * 1024;
    if (passes == 1 || !Resident(k)) {
        return kL0cElems / digitRows / kColUnit * kColUnit;
    }
    return k <= op::kResidentK ? op::kResidentCols : op::kResidentCols / 2;
}

/// Estimates the cycles for `rows` rows of an expert and `cols` columns, panel by panel. The first
/// pass of a panel loads the weights; later passes load them only if they do not stay in L1. Every
/// pass loads the digits of its rows from the L2 cache.
double UnitCycles(const TilingData& tiling, int64_t rows, int64_t cols) {
    constexpr double kUnitOverhead = 1000;
    constexpr double kDigitRowCycles =
        6;  // per 512 digits: 4 to load them, 2 because tiles and y also use the L2 cache
    const double k = tiling.k;
    const int64_t passes = CeilDiv(rows, op::kTileRows);
    const int64_t digitRows = RoundUp(CeilDiv(2 * rows, passes), 16);
    const int64_t panels = CeilDiv(cols, WidestPanel(tiling.k, passes, digitRows));
    const int64_t panelCols = CeilDiv(cols, panels);
    const double weights = k * RowCycles(panelCols);
    const double digits = static_cast<double>(digitRows) * k / 512 * kDigitRowCycles;
    const int64_t fractals = digitRows / 16 * CeilDiv(panelCols, 16);
    const double product = static_cast<double>(fractals) * k / 64;
    const double first = std::max(weights + digits, product);
    const double later = Resident(tiling.k) ? std::max(digits, product) : first;
    return static_cast<double>(panels) * (first + static_cast<double>(passes - 1) * later) +
           kUnitOverhead;
}

/// Returns true if the kernel reads every weight only once: all rows of an expert are in one unit,
/// and no later pass must load the weights again.
bool ReadsWeightsOnce(const TilingData& tiling, int64_t rowsOfExpert) {
    return rowsOfExpert <= tiling.unitRows && (rowsOfExpert <= op::kTileRows || Resident(tiling.k));
}

/// Estimates the number of units that the busiest cube core computes. Units with few rows take
/// equally long. Units with many rows take different times, so half a unit is added on average.
double Rounds(int64_t units, int64_t cubes, int64_t rowsOfExpert) {
    const double whole = static_cast<double>(CeilDiv(units, cubes));
    if (rowsOfExpert <= op::kTileRows) {
        return whole;
    }
    return std::max(whole, static_cast<double>(units) / static_cast<double>(cubes) + 0.5);
}

/// Chooses the unit size with which all cores end earliest. Assumes that all experts have equally
/// many rows. Wide units read long rows of weights; small units balance the cores better.
void ChooseUnits(const Chip& chip, TilingData* tiling) {
    const int64_t experts = std::min<int64_t>(tiling->experts, tiling->rows);
    const int64_t rows = CeilDiv(tiling->rows, experts);
    const int64_t rowsOfLarger =
        rows + rows / 4;  // an expert with slightly more rows than average needs no second unit
    const int64_t most = std::min<int64_t>(op::kMaxUnitCols, RoundUp(tiling->cols, kColUnit));
    double best = 0;
    for (const int64_t unitRows : kUnitRows) {
        const int64_t parts = CeilDiv(rowsOfLarger, unitRows);
        for (int64_t cols = most; cols > 0; cols -= kColUnit) {
            const int64_t units = experts * parts * CeilDiv(tiling->cols, cols);
            const double cost = Rounds(units, chip.cubeCores, rows) *
                                UnitCycles(*tiling, CeilDiv(rows, parts), cols);
            if (best == 0 || cost < best) {
                best = cost;
                tiling->unitRows = static_cast<uint32_t>(unitRows);
                tiling->unitCols = static_cast<uint32_t>(cols);
            }
        }
    }
    tiling->weightsOnce = ReadsWeightsOnce(*tiling, rowsOfLarger) ? 1 : 0;
}

}  // namespace

/// Fills the tiling data. The library's matmul tiling is not used: it has no operand that consists
/// of two interleaved digits, and it does not count how often each expert's weights are read.
ge::graphStatus Tiling4GroupedMatmulFinalizeRouting(gert::TilingContext* context) {
    TilingData* tiling = context->GetTilingData<TilingData>();
    size_t* workspaces = context->GetWorkspaceSizes(1);
    if (tiling == nullptr || workspaces == nullptr) {
        return ge::GRAPH_FAILED;
    }
    *tiling = TilingData();
    Chip chip;
    if (!ReadChip(context, &chip) || !FitsIntoUb(chip) || !ReadShapes(context, tiling) ||
        !ReadAttrs(context, tiling)) {
        return ge::GRAPH_FAILED;
    }
    ChooseUnits(chip, tiling);
    const int64_t perCore = CeilDiv(tiling->rows, 2 * chip.cubeCores);
    tiling->splitRows = static_cast<uint32_t>(
        std::min(std::min<int64_t>(op::kSplitElems / tiling->k, perCore), kMaxBlockCount));
    const int64_t slots = chip.cubeCores * op::kSlots * op::kSlotBytes;
    workspaces[0] = chip.systemBytes + static_cast<size_t>(slots + tiling->rows * tiling->k);
    context->SetTilingKey(0);
    // Even with few units all blocks are used, because they also split x and initialise y.
    context->SetBlockDim(static_cast<uint32_t>(chip.cubeCores));
    context->SetScheduleMode(1);  // blocks wait for each other
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling
