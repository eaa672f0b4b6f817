// SPDX-License-Identifier: Apache-2.0
#include "nsa_compress_grad_tiling.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/chip.h"
#include "common/output_strides.h"
#include "common/tiling_math.h"
#include "nsa_compress_grad_interface.h"
#include "register/op_def_registry.h"

namespace optiling {
namespace {

namespace op = ops::NsaCompressGradOp;

constexpr int64_t kUnitRows = op::kUnitRows;
static_assert(kUnitRows == op::kGrain, "a window is whole units of rows");
constexpr int64_t kLanes = op::kLanes;
constexpr int64_t kElemBytes = 2;
constexpr int64_t kTileBuffers = 2;
// A repeat stride has 8 bits and counts blocks of 16 elements.
constexpr int64_t kMaxTileWidth = 255 * 16;
// A repeat count has 8 bits; 240 is the largest multiple of 16 below 256.
constexpr int64_t kMaxTileRows = 240;

// Costs in cycles of a vector core, for the choice of a tile. Only their ratios matter.
constexpr int64_t kInstructionHead = 22;
constexpr int64_t kCastHead = 32;
constexpr int64_t kBarrier = 15;
constexpr int64_t kTileOverhead = 300;
constexpr int64_t kGmSectorBytes = 512;   // an unaligned row loads whole sectors of this size
constexpr int64_t kGmBytesPerCycle = 17;  // bandwidth of one core while all of them read

/// Numbers from the shapes, the attributes and the hardware, with which a tile is chosen.
struct Problem {
    int64_t rows = 0;
    int64_t heads = 0;
    int64_t headDim = 0;
    int64_t windows = 0;
    int64_t blockSize = 0;
    int64_t stride = 0;
    int64_t cores = 0;
    int64_t ubBytes = 0;
    size_t systemBytes = 0;
    std::vector<int64_t> ends;  ///< for each sequence, the row after its last row
    bool hasEnds = false;
    std::vector<int64_t> inputGradStrides;
    std::vector<int64_t> weightGradStrides;
};

struct TileShape {
    int64_t heads = 0;
    int64_t rows = 0;
    int64_t windows = 0;  ///< largest number of windows that overlap the tile

    TileShape() = default;
    TileShape(const Problem& problem, int64_t tileHeads, int64_t tileRows)
        : heads(tileHeads),
          rows(tileRows),
          windows(CeilDiv(tileRows + problem.blockSize - 1, problem.stride)) {}
};

/// Returns the UB bytes of all buffers that the kernel may need. Includes buffers for lists of
/// sequences and for strided outputs even if they are not needed: the tile decides the order of
/// additions, which must not depend on these features.
int64_t UbBytesOf(const Problem& problem, const TileShape& tile) {
    const int64_t width = tile.heads * problem.headDim;
    const int64_t weights = tile.heads * problem.blockSize;
    const int64_t tiles = kTileBuffers * (tile.rows + tile.windows) * width * kElemBytes;
    const int64_t gradients = tile.windows * width * static_cast<int64_t>(sizeof(float));
    const int64_t lanes = weights * kLanes * static_cast<int64_t>(sizeof(float));
    const int64_t chunks = 2 * tile.rows * kLanes * static_cast<int64_t>(sizeof(float)) + 256;
    const int64_t weightBuffers =
        problem.blockSize * kBlockBytes + weights * (kBlockBytes + sizeof(float));
    const int64_t ends = op::kEndsInUb * 8;
    const int64_t spread = problem.headDim * kBlockBytes;
    return tiles + gradients + lanes + chunks + weightBuffers + ends + spread;
}

/// Returns the bytes of GM that are read for one row of a tile; as many bytes are written.
int64_t RowBytesInGm(const Problem& problem, int64_t heads) {
    const int64_t bytes = heads * problem.headDim * kElemBytes;
    if (heads == problem.heads || bytes % kGmSectorBytes == 0) {
        return bytes;
    }
    return (bytes / kGmSectorBytes + 2) * kGmSectorBytes;
}

/// Estimates cycles per row and head: vector instructions or GM traffic, whichever is slower.
double CostOf(const Problem& problem, const TileShape& tile) {
    const int64_t chunks = CeilDiv(problem.headDim, kLanes);
    const int64_t casts = 2 * (kCastHead + tile.rows) + kInstructionHead + tile.rows;
    // Each window needs two instructions per chunk of kLanes columns, with two cycles per row.
    const int64_t windows = tile.windows * (2 * kInstructionHead + kBarrier) +
                            4 * tile.rows * problem.blockSize / problem.stride;
    const int64_t vector = tile.heads * chunks * (casts + windows) + kTileOverhead;
    const int64_t traffic = 2 * tile.rows * RowBytesInGm(problem, tile.heads) / kGmBytesPerCycle;
    return static_cast<double>(std::max(vector, traffic)) /
           static_cast<double>(tile.rows * tile.heads);
}

/// Chooses the cheapest tile: for each number of heads it tries the largest number of rows that
/// fits. Returns false if no tile fits.
bool ChooseTile(const Problem& problem, TileShape* best) {
    double lowest = 0;
    for (int64_t step = 1; step <= op::kSumHeads; step *= 2) {
        const int64_t heads = std::min(step, problem.heads);
        for (int64_t rows = kMaxTileRows; rows >= kUnitRows; rows -= kUnitRows) {
            const TileShape tile(problem, heads, rows);
            if (heads * problem.headDim > kMaxTileWidth || tile.windows > op::kMaxTileWindows ||
                UbBytesOf(problem, tile) > problem.ubBytes) {
                continue;
            }
            const double cost = CostOf(problem, tile);
            if (best->heads == 0 || cost < lowest) {
                *best = tile;
                lowest = cost;
            }
            break;
        }
    }
    return best->heads > 0;
}

bool ReadShapes(gert::TilingContext* context, Problem* problem) {
    const gert::StorageShape* outputGrad = context->GetInputShape(op::kInputOutputGrad);
    const gert::StorageShape* input = context->GetInputShape(op::kInputInput);
    const gert::StorageShape* weight = context->GetInputShape(op::kInputWeight);
    if (outputGrad == nullptr || input == nullptr || weight == nullptr) {
        return false;
    }
    const gert::Shape& dy = outputGrad->GetStorageShape();
    const gert::Shape& x = input->GetStorageShape();
    const gert::Shape& w = weight->GetStorageShape();
    if (dy.GetDimNum() != 3 || x.GetDimNum() != 3 || w.GetDimNum() != 2) {
        return false;
    }
    problem->windows = dy.GetDim(0);
    problem->rows = x.GetDim(0);
    problem->heads = x.GetDim(1);
    problem->headDim = x.GetDim(2);
    return problem->rows > 0 && problem->heads > 0 && problem->headDim > 0 &&
           dy.GetDim(1) == problem->heads && dy.GetDim(2) == problem->headDim &&
           w.GetDim(0) == problem->blockSize && w.GetDim(1) == problem->heads &&
           problem->heads <= op::kMaxHeads && problem->headDim <= op::kMaxHeadDim &&
           problem->headDim % kUnitRows == 0 &&
           ReadOutputStrides(context, op::kAttrInputGradStrides, x, &problem->inputGradStrides) &&
           ReadOutputStrides(context, op::kAttrWeightGradStrides, w, &problem->weightGradStrides);
}

bool ReadAttrs(gert::TilingContext* context, Problem* problem) {
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    if (attrs == nullptr || attrs->GetInt(op::kAttrCompressBlockSize) == nullptr ||
        attrs->GetInt(op::kAttrCompressStride) == nullptr) {
        return false;
    }
    problem->blockSize = *attrs->GetInt(op::kAttrCompressBlockSize);
    problem->stride = *attrs->GetInt(op::kAttrCompressStride);
    return problem->stride > 0 && problem->stride < problem->blockSize &&
           problem->blockSize <= op::kMaxBlockSize && problem->blockSize % kUnitRows == 0 &&
           problem->stride % kUnitRows == 0;
}

int64_t WindowsOf(const Problem& problem, int64_t length) {
    return op::Windows(length, problem.blockSize, problem.stride);
}

/// Reads the ends of the sequences, and checks them against the number of rows and windows.
bool ReadEnds(gert::TilingContext* context, Problem* problem) {
    const gert::Tensor* tensor = context->GetOptionalInputTensor(op::kInputActSeqLenOptional);
    problem->hasEnds = tensor != nullptr;
    if (!problem->hasEnds) {
        problem->ends.assign(1, problem->rows);
    } else if (tensor->GetData<int64_t>() == nullptr || tensor->GetShapeSize() < 1) {
        return false;
    } else {
        const int64_t* ends = tensor->GetData<int64_t>();
        problem->ends.assign(ends, ends + tensor->GetShapeSize());
    }
    int64_t begin = 0;
    int64_t windows = 0;
    for (const int64_t end : problem->ends) {
        if (end < begin || end > problem->rows) {
            return false;
        }
        windows += WindowsOf(*problem, end - begin);
        begin = end;
    }
    return windows == problem->windows;
}

bool ReadPlatform(gert::TilingContext* context, Problem* problem) {
    Chip chip;
    if (!ReadChip(context, &chip)) {
        return false;
    }
    problem->ubBytes = chip.ubBytes;
    problem->systemBytes = chip.systemBytes;
    problem->cores = std::min<int64_t>(chip.vectorCores, op::kMaxBlocks);
    return true;
}

/// Returns `start`, moved forward to the sequence that contains `row`.
NsaCompressGradStart Advance(const Problem& problem, NsaCompressGradStart start, int64_t row) {
    const int64_t count = static_cast<int64_t>(problem.ends.size());
    while (start.sequence + 1 < count && problem.ends[start.sequence] <= row) {
        const int64_t end = problem.ends[start.sequence];
        start.windows += WindowsOf(problem, end - start.firstRow);
        start.firstRow = end;
        ++start.sequence;
    }
    return start;
}

/// Sets for each block the sequence of its first row. Each group of heads begins at row 0.
void FillStarts(const Problem& problem, int64_t blocks, int64_t units, int64_t unitsPerGroup,
                NsaCompressGradStart* starts) {
    NsaCompressGradStart start = {0, 0, 0};
    int64_t lastUnit = 0;
    for (int64_t block = 0; block < blocks; ++block) {
        const int64_t first = FirstOfShare(units, blocks, block);
        const int64_t unit = first % unitsPerGroup;
        start = unit < lastUnit ? NsaCompressGradStart{0, 0, 0} : start;
        start = Advance(problem, start, unit * kUnitRows);
        starts[block] = start;
        lastUnit = unit;
    }
}

void FillTiling(const Problem& problem, const TileShape& tile, int64_t blocks,
                NsaCompressGradTilingData* tiling) {
    const int64_t unitsPerGroup = CeilDiv(problem.rows, kUnitRows);
    tiling->rows = problem.rows;
    tiling->windows = problem.windows;
    tiling->sequences = problem.hasEnds ? static_cast<int64_t>(problem.ends.size()) : 0;
    std::copy(problem.inputGradStrides.begin(), problem.inputGradStrides.end(),
              tiling->inputGradStrides);
    std::copy(problem.weightGradStrides.begin(), problem.weightGradStrides.end(),
              tiling->weightGradStrides);
    tiling->heads = static_cast<uint32_t>(problem.heads);
    tiling->headDim = static_cast<uint32_t>(problem.headDim);
    tiling->blockSize = static_cast<uint32_t>(problem.blockSize);
    tiling->stride = static_cast<uint32_t>(problem.stride);
    tiling->headsPerGroup = static_cast<uint32_t>(tile.heads);
    tiling->rowsPerTile = static_cast<uint32_t>(tile.rows);
    tiling->windowsPerTile = static_cast<uint32_t>(tile.windows);
    tiling->reserved = 0;
    FillStarts(problem, blocks, unitsPerGroup * CeilDiv(problem.heads, tile.heads), unitsPerGroup,
               tiling->starts);
}

}  // namespace

ge::graphStatus Tiling4NsaCompressGrad(gert::TilingContext* context) {
    Problem problem;
    TileShape tile;
    if (!ReadAttrs(context, &problem) || !ReadShapes(context, &problem) ||
        !ReadEnds(context, &problem) || !ReadPlatform(context, &problem) ||
        !ChooseTile(problem, &tile)) {
        return ge::GRAPH_FAILED;
    }
    NsaCompressGradTilingData* tiling = context->GetTilingData<NsaCompressGradTilingData>();
    size_t* workspaces = context->GetWorkspaceSizes(1);
    if (tiling == nullptr || workspaces == nullptr) {
        return ge::GRAPH_FAILED;
    }
    const int64_t groups = CeilDiv(problem.heads, tile.heads);
    const int64_t units = groups * CeilDiv(problem.rows, kUnitRows);
    const int64_t blocks = std::min(problem.cores, units);
    FillTiling(problem, tile, blocks, tiling);
    const int64_t slotBytes = tile.heads * problem.blockSize * static_cast<int64_t>(sizeof(float));
    workspaces[0] = problem.systemBytes + static_cast<size_t>((blocks + groups - 1) * slotBytes);
    context->SetTilingKey(0);
    context->SetBlockDim(static_cast<uint32_t>(blocks));
    context->SetScheduleMode(1);  // blocks wait for each other before they add the partial sums
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling
