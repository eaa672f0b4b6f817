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

static_assert(op::kMaxK == op::kSplitElems, "the longest row of x is what a vector core splits");

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

constexpr int64_t kAlignedCols = 256;  // columns of weights in 128 B
constexpr int64_t kBlockCols = 64;     // columns of weights in 32 B

/// Divides `cols` columns into as few panels as possible, of at most `most` columns. If the rows of
/// weights start at multiples of `unit` columns, then so do the rows of all panels. A panel costs
/// as much as its columns and `fixed` more columns.
op::Panels DividePanels(int64_t cols, int64_t most, int64_t unit, int64_t fixed) {
    const int64_t step = cols % unit == 0 ? unit : op::kWeightsPerWord;
    const int64_t rest = cols % most;
    const int64_t left = rest == 0 ? 0 : std::min(cols, most + rest);
    const int64_t tailCols = left <= most ? left : RoundUp(CeilDiv(left, 2), step);
    const int64_t tailWeight = (tailCols + fixed) * most / (most + fixed);
    const int64_t tails = left == 0 ? 0 : CeilDiv(left, tailCols);
    op::Panels panels;
    panels.cols = static_cast<uint32_t>(most);
    panels.tail = static_cast<uint32_t>(cols - left);
    panels.tailCols = static_cast<uint32_t>(tailCols);
    panels.tailWeight = static_cast<uint32_t>(tailWeight);
    panels.weight = static_cast<uint32_t>(cols - left + tails * tailWeight);
    return panels;
}

/// Returns the largest number of experts that have rows.
int64_t ExpertsWithRows(const TilingData& tiling) {
    return std::min<int64_t>(tiling.experts, tiling.rows);
}

/// Returns true if the vector cores unpack the weights to 8 bits: if experts have so many rows that
/// the sums take longer than this. With a k between kResidentK and 2 * kResidentK, digits are fast,
/// because panels of 128 columns of packed weights stay in L1. With a larger k, every tile of
/// digits would load the weights again, so fewer rows are enough.
bool Unpacks(const TilingData& tiling) {
    int64_t manyRows = 1024;
    if (tiling.k > op::kResidentK) {
        manyRows = tiling.k <= 2 * op::kResidentK ? 1408 : 640;
    }
    return tiling.rows >= manyRows * ExpertsWithRows(tiling);
}

/// Panels of unpacked weights, and the rows of weights that stay in L1 together.
struct UnpackedPanels {
    int64_t cols;
    int64_t rows;
};

/// Chooses the panels for which L2 has the least work. A panel reads one byte per row of x and row
/// of weights. Each part of the sums over k is written to L2, and the sum is read and added to y;
/// L2 takes twice as long for written bytes.
UnpackedPanels ChooseUnpacked(int64_t k) {
    constexpr int64_t kCostOfPart = 24;
    UnpackedPanels best = {0, 0};
    int64_t least = 0;
    for (int64_t cols = kBlockCols; cols <= op::kUnpackCols; cols += kBlockCols) {
        const int64_t most =
            op::kUnpackBuffers * (op::kUnpackBufferBytes / cols / op::kKUnit * op::kKUnit);
        const int64_t parts = CeilDiv(k, most);
        const int64_t cost = k * 64 / cols + kCostOfPart * 64 * parts;
        if (least == 0 || cost <= least) {
            least = cost;
            best = {cols, RoundUp(CeilDiv(k, parts), op::kKUnit)};
        }
    }
    return best;
}

/// Returns true if the vector cores load weights into L2 before the cube cores need them: if rows
/// of weights do not start at multiples of 128 B, or if an expert may have narrow panels. Small
/// weights do not take long. With a short k, the vector cores have no time: they compute one sum
/// for so few weights.
bool Prefetches(const TilingData& tiling) {
    constexpr int64_t kSmallBytes = 1 << 20;
    constexpr uint32_t kShortK = 512;
    if (tiling.unpackK != 0 || tiling.k <= kShortK ||
        tiling.cols * tiling.k / 2 * tiling.experts < kSmallBytes) {
        return false;
    }
    return tiling.cols % kAlignedCols != 0 || tiling.rows > op::kFewRows;
}

/// Returns the number of columns of a panel, at most `most`. If many cores shared each tile, one of
/// them would add up the sums of all: that takes longer than it takes to read short rows of
/// weights, if each core has few weights.
int64_t WidthShared(const TilingData& tiling, int64_t most, int64_t cores) {
    constexpr int64_t kFewBytes = 256 * 1024;
    constexpr int64_t kMostParts = 3;
    const int64_t experts = ExpertsWithRows(tiling);
    int64_t cols = most;
    while (cols > op::kMoreCols && kMostParts * experts * CeilDiv(tiling.cols, cols) < cores &&
           experts * tiling.cols * tiling.k / 2 <= kFewBytes * cores) {
        cols /= 2;
    }
    return cols;
}

/// Returns the rows of weights in a step. A tile with a short k is not divided: the work for a part
/// takes longer. If there are few tiles, each is divided between a few cores; more cores take
/// longer, because one of them adds up the sums of all.
int64_t ChooseStep(const TilingData& tiling, int64_t few, int64_t cores) {
    constexpr int64_t kShortK = 256;
    constexpr int64_t kParts = 4;
    if (tiling.k <= kShortK) {
        return tiling.k;
    }
    const int64_t experts = ExpertsWithRows(tiling);
    const int64_t width = tiling.rows <= experts * op::kFewRows ? few : op::kMoreCols;
    const bool share = kParts * experts * CeilDiv(tiling.cols, width) <= cores;
    return share ? RoundUp(CeilDiv(tiling.k, kParts), op::kKUnit) : op::kKUnit;
}

/// Returns true if several cores share each tile, and each has only a few steps of k: its sums then
/// take longer than its weights.
bool SharesTiles(const TilingData& tiling, int64_t cores) {
    constexpr int64_t kFewSteps = 16;
    const int64_t tiles = ExpertsWithRows(tiling) * CeilDiv(tiling.cols, op::kMoreCols);
    return 2 * tiles < cores && tiles * (tiling.k / op::kKUnit) <= kFewSteps * cores;
}

void ChoosePanels(TilingData* tiling, int64_t cores) {
    const int64_t cols = tiling->cols;
    const bool narrow = tiling->k > op::kResidentK && tiling->k <= 2 * op::kResidentK;
    const int64_t few = WidthShared(*tiling, op::kFewCols, cores);
    tiling->few = DividePanels(cols, few, kAlignedCols, 0);
    tiling->some = DividePanels(cols, WidthShared(*tiling, op::kSomeCols, cores), kAlignedCols, 0);
    tiling->more = DividePanels(cols, op::kMoreCols, kAlignedCols, 0);
    // Each panel of unpacked weights loads x, which costs as much as 80 columns.
    constexpr int64_t kRowsCost = 80;
    const int64_t many = narrow ? op::kResidentCols / 2 : op::kResidentCols;
    if (!Unpacks(*tiling)) {
        tiling->blockSlots = op::kBlockSlots;
        tiling->stepK = static_cast<uint32_t>(ChooseStep(*tiling, few, cores));
        tiling->many = DividePanels(cols, many, kBlockCols, 0);
        return;
    }
    const UnpackedPanels unpacked = ChooseUnpacked(tiling->k);
    tiling->unpackK = static_cast<uint32_t>(unpacked.rows);
    tiling->blockSlots = op::kSlots + (tiling->unpackK < tiling->k ? op::kUnpackGroup : 0);
    tiling->stepK = tiling->k;
    tiling->many = DividePanels(cols, unpacked.cols, kBlockCols, kRowsCost);
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
    ChoosePanels(tiling, chip.cubeCores);
    const bool shares = SharesTiles(*tiling, chip.cubeCores);
    tiling->fewRows = shares ? op::kFewRows / 2 : op::kFewRows;
    tiling->wholeRows = shares ? op::kSomeRows : op::kTileRows;
    tiling->prefetch = Prefetches(*tiling) ? 1 : 0;
    const int64_t perCore = CeilDiv(tiling->rows, 2 * chip.cubeCores);
    tiling->splitRows = static_cast<uint32_t>(
        std::min(std::min<int64_t>(op::kSplitElems / tiling->k, perCore), kMaxBlockCount));
    const int64_t slots =
        chip.cubeCores * (int64_t{tiling->blockSlots} * op::kSlotBytes + 2 * op::kNoticeBytes);
    const int64_t operand = tiling->unpackK != 0
                                ? chip.cubeCores * op::kUnpackSlots * op::kUnpackSlotBytes
                                : tiling->rows * 2 * op::DigitPitch(tiling->k);
    workspaces[0] = chip.systemBytes + static_cast<size_t>(slots + operand);
    context->SetTilingKey(0);
    // Even with few units all blocks are used, because they also split x and initialise y.
    context->SetBlockDim(static_cast<uint32_t>(chip.cubeCores));
    context->SetScheduleMode(1);  // blocks wait for each other
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling
