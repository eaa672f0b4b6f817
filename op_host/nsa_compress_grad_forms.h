// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_NSA_COMPRESS_GRAD_FORMS_H
#define OP_HOST_NSA_COMPRESS_GRAD_FORMS_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/chip.h"
#include "common/tiling_math.h"
#include "nsa_compress_grad_interface.h"
#include "nsa_compress_grad_tiling.h"

namespace optiling {
namespace nsa_compress_grad {

namespace op = ops::NsaCompressGradOp;

constexpr int64_t kUnitRows = op::kUnitRows;
static_assert(kUnitRows == op::kGrain, "a window is whole units of rows");
constexpr int64_t kLanes = op::kLanes;
constexpr int64_t kElemBytes = 2;
constexpr int64_t kFloatBytes = 4;
constexpr int64_t kTileBuffers = 2;
// V, MTE2 and MTE3 have one each; a store may take longer than the other steps of a tile.
constexpr int64_t kRowBuffers = 3;
// A repeat stride has 8 bits and counts blocks of 16 elements.
constexpr int64_t kMaxTileWidth = 255 * 16;
// A repeat count has 8 bits; 240 is the largest multiple of 16 below 256.
constexpr int64_t kMaxTileRows = 240;

// Costs in cycles, for the choice of a tile and of a form.
constexpr int64_t kHead = 24;            // of a vector instruction, and its barrier
constexpr int64_t kTileOverhead = 500;   // calls of queues, and the search for windows
constexpr int64_t kGmSectorBytes = 512;  // an unaligned row loads whole sectors of this size
constexpr int64_t kGmGrainBytes = 128;   // a row is aligned if it begins at a multiple of this
// Bandwidths of one vector core while all of them read and write.
constexpr int64_t kGmBytesPerCycle = 17;
constexpr int64_t kL2LoadBytesPerCycle = 61;
constexpr int64_t kL2StoreBytesPerCycle = 31;
// L2 merges a store that is shorter than a grain with other bytes, as slowly as a store of so many.
constexpr int64_t kShortStoreBytes = 900;
constexpr int64_t kCubeStart = 5500;  // start of both kinds of cores, and more partial sums

// Until the cube cores have the weights, and the copies out of L0C after the last load.
constexpr int64_t kCubeWeights = 6000;
constexpr int64_t kSearch = 80;  // for each sequence before the first one of a block
constexpr int64_t kFixHead = 20;
constexpr int64_t kFixBytesPerCycle = 68;
constexpr int64_t kLoadBytesPerCycle = 128;
constexpr int64_t kLoadHeads = 24;      // of the loads of a product
constexpr int64_t kProductCalls = 140;  // of a cube core's scalar unit for a product

// Memories of a cube core.
constexpr int64_t kFractalRows = 16;
constexpr int64_t kL1Bytes = 512 * 1024;
constexpr int64_t kL0bHalfFractals = 64;
constexpr int64_t kL0cFractals = 128;
// Large tiles have few calls, but make the first and last one of a core longer.
constexpr int64_t kMinCubeTileBytes = 48 * 1024;
constexpr int64_t kMaxCubeTileBytes = 128 * 1024;
constexpr int64_t kCubeTiles = 8;           // a core has at least so many, if they are not small
constexpr int64_t kMinCubeRowBytes = 1024;  // GM is slow for shorter rows
constexpr int64_t kMaxCubeRowBytes = 4096;  // longer rows are not faster
constexpr int64_t kCubeTileGroups = 4;      // a tile has at least so many groups, if rows are long

/// Numbers from the shapes, the attributes and the hardware, with which a tile is chosen.
struct Problem {
    int64_t rows = 0;
    int64_t heads = 0;
    int64_t headDim = 0;
    int64_t windows = 0;
    int64_t blockSize = 0;
    int64_t stride = 0;
    Chip chip;
    int64_t cores = 0;          ///< number of vector cores
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
inline int64_t UbBytesOf(const Problem& problem, const TileShape& tile) {
    const int64_t width = tile.heads * problem.headDim;
    const int64_t weights = tile.heads * problem.blockSize;
    const int64_t rows = kRowBuffers * tile.rows + kTileBuffers * tile.windows;
    const int64_t gradients = tile.windows * width * kFloatBytes;
    const int64_t lanes = weights * kLanes * kFloatBytes;
    const int64_t chunks = 2 * tile.rows * kLanes * kFloatBytes + 256;
    const int64_t weightBuffers =
        problem.blockSize * (kBlockBytes + kFloatBytes) + weights * (kBlockBytes + kFloatBytes);
    const int64_t ends = op::kEndsInUb * 8;
    const int64_t spread = problem.headDim * kBlockBytes;
    return rows * width * kElemBytes + gradients + lanes + chunks + weightBuffers + ends + spread;
}

/// Estimates the cycles of a vector core for rows of `bytes` bytes of a tile: HBM reads them, and
/// L2 serves the loads and the stores in turn. Rows of `stored` bytes are written, the same bytes
/// in all.
inline double GmCycles(const Problem& problem, int64_t bytes, int64_t stored) {
    const int64_t all = problem.heads * problem.headDim * kElemBytes;
    // All heads are one run. Otherwise, one of `offsets` rows begins at a multiple of a grain. The
    // others load all of their sectors, if they have more than one.
    const int64_t offsets = kGmGrainBytes / std::min(bytes & -bytes, kGmGrainBytes);
    const double unaligned = bytes == all ? 0 : 1 - 1 / static_cast<double>(offsets);
    const double more = static_cast<double>(std::min(bytes, kGmSectorBytes));
    const double read = static_cast<double>(bytes) + unaligned * more;
    const double merged = stored < std::min(all, kGmGrainBytes) ? kShortStoreBytes : 0;
    const double written = static_cast<double>(bytes) * (1 + merged / static_cast<double>(stored));
    return std::max(read / kGmBytesPerCycle,
                    read / kL2LoadBytesPerCycle + written / kL2StoreBytesPerCycle);
}

/// Estimates the cycles of V for a chunk of kLanes columns of a tile. Most instructions take one
/// cycle for each row, MulAddDst takes two. Each window needs an instruction for each gradient.
inline int64_t ChunkCycles(const Problem& problem, const TileShape& tile, bool weightGrad) {
    const int64_t windows = CeilDiv(tile.rows + problem.blockSize - problem.stride, problem.stride);
    const int64_t products = tile.rows * problem.blockSize / problem.stride;
    const int64_t whole = kHead + tile.rows;
    const int64_t sums = windows * kHead + 2 * products;
    // inputGrad: zeros at first or the sum with 0.0 at last, the cast, and the products. If windows
    // overlap in pairs, the first product of a row is a Mul.
    const int64_t first = problem.blockSize <= 2 * problem.stride ? tile.rows : 0;
    return 2 * whole - first + sums + (weightGrad ? whole + sums : 0);
}

/// Estimates the cycles of V per row and head.
inline double VectorCost(const Problem& problem, const TileShape& tile, bool weightGrad) {
    const int64_t chunks = CeilDiv(problem.headDim, kLanes);
    const int64_t cycles =
        tile.heads * chunks * ChunkCycles(problem, tile, weightGrad) + kTileOverhead;
    return static_cast<double>(cycles) / static_cast<double>(tile.rows * tile.heads);
}

/// Estimates cycles per row and head: vector instructions or GM traffic, whichever is slower.
inline double CostOf(const Problem& problem, const TileShape& tile, bool weightGrad) {
    const int64_t bytes = tile.heads * problem.headDim * kElemBytes;
    return std::max(VectorCost(problem, tile, weightGrad),
                    GmCycles(problem, bytes, bytes) / static_cast<double>(tile.heads));
}

/// Chooses the cheapest tile of the vector cores, which compute inputGrad and, if `weightGrad`,
/// also weightGrad: for each number of heads it tries the largest number of rows that fits. Returns
/// false if no tile fits.
inline bool ChooseTile(const Problem& problem, bool weightGrad, TileShape* best,
                       int64_t mostHeads = op::kSumHeads, int64_t mostRows = kMaxTileRows) {
    double lowest = 0;
    for (int64_t step = 1; step <= mostHeads; step *= 2) {
        const int64_t heads = std::min(step, problem.heads);
        for (int64_t rows = mostRows; rows >= kUnitRows; rows -= kUnitRows) {
            const TileShape tile(problem, heads, rows);
            if (heads * problem.headDim > kMaxTileWidth || tile.windows > op::kMaxTileWindows ||
                UbBytesOf(problem, tile) > problem.chip.ubBytes) {
                continue;
            }
            const double cost = CostOf(problem, tile, weightGrad);
            if (best->heads == 0 || cost < lowest) {
                *best = tile;
                lowest = cost;
            }
            break;
        }
    }
    return best->heads > 0;
}

/// Returns the number of windows that overlap a group of rows of the cube cores.
inline int64_t Overlaps(const Problem& problem) {
    return CeilDiv(problem.blockSize, problem.stride);
}

/// Returns true if the cube cores can write inputGrad: a copy out of L0C writes rows of contiguous
/// elements.
inline bool CanStoreInputGrad(const Problem& problem) {
    const std::vector<int64_t>& strides = problem.inputGradStrides;
    return strides[2] == 1 && strides[0] > 0 && strides[0] <= INT32_MAX;
}

/// Returns the bytes of input that a tile of the cube cores should have.
inline int64_t CubeTileBytes(const Problem& problem) {
    const int64_t bytes = problem.rows * problem.heads * problem.headDim * kElemBytes;
    const int64_t share = bytes / problem.chip.cubeCores;
    return std::min(kMaxCubeTileBytes, std::max(kMinCubeTileBytes, share / kCubeTiles));
}

/// Returns how many groups of rows of `heads` heads a cube core can load at a time; 0 if none.
inline int64_t CubeGroupsPerTile(const Problem& problem, bool inputGrad, int64_t heads) {
    const int64_t headBytes = problem.headDim * kElemBytes;
    const int64_t fractals = problem.stride / kFractalRows;  // of the rows of a group
    const int64_t interior = op::kCubeWindows - Overlaps(problem) + 1;
    // Two products for inputGrad need room in L0C.
    const int64_t results = inputGrad ? 2 * fractals * problem.headDim / kFractalRows : 0;
    const int64_t fits = std::min(kL0bHalfFractals, (kL0cFractals - results) / heads) / fractals;
    const int64_t weightBytes = inputGrad ? heads * problem.stride * kFractalRows * kElemBytes : 0;
    const int64_t rows =
        (kL1Bytes - weightBytes) / (kTileBuffers * heads * headBytes) - op::kCubeWindows;
    const int64_t wanted =
        std::max<int64_t>(1, CubeTileBytes(problem) / (problem.stride * heads * headBytes));
    return std::max<int64_t>(0, std::min({interior, fits, rows / problem.stride, wanted}));
}

/// Returns the number of groups of rows of which all windows exist.
inline int64_t CountCubeGroups(const Problem& problem) {
    int64_t groups = 0;
    int64_t begin = 0;
    for (const int64_t end : problem.ends) {
        const int64_t windows = op::Windows(end - begin, problem.blockSize, problem.stride);
        groups += std::max<int64_t>(0, windows - Overlaps(problem) + 1);
        begin = end;
    }
    return groups;
}

/// Chooses the tile of the cube cores, which compute weightGrad and, if `inputGrad`, also
/// inputGrad: so many heads that rows are long, and as many groups of rows as fit. Sets `groups` to
/// 0 if no tile fits, or if no rows have all their windows.
inline NsaCompressGradCubeTiling ChooseCubeTile(const Problem& problem, bool inputGrad) {
    NsaCompressGradCubeTiling cube = {0, 0, 0, 0, 0, 0};
    int64_t heads = 0;
    int64_t groupsPerTile = 0;
    int64_t bytes = CubeTileBytes(problem) / (kCubeTileGroups * problem.stride);
    bytes = std::min(kMaxCubeRowBytes, std::max(kMinCubeRowBytes, bytes));
    for (; groupsPerTile == 0 && bytes >= kGmSectorBytes; bytes /= 2) {
        const int64_t allBytes = problem.heads * problem.headDim * kElemBytes;
        heads = CeilDiv(problem.heads, std::max<int64_t>(1, allBytes / bytes));
        groupsPerTile = CubeGroupsPerTile(problem, inputGrad, heads);
    }
    const int64_t groups = CountCubeGroups(problem);
    if (groupsPerTile == 0 || groups == 0) {
        return cube;
    }
    cube.groups = groups;
    cube.heads = static_cast<uint32_t>(heads);
    cube.groupsPerTile = static_cast<uint32_t>(groupsPerTile);
    if (inputGrad) {
        const int64_t pieces = groups * CeilDiv(problem.heads, heads);
        const int64_t most = CeilDiv(pieces, problem.chip.cubeCores);  // pieces of a core
        const int64_t headGroups = CeilDiv(most - 1, groups) + 1;
        cube.inputGrad = 1;
        cube.headsOfBlock = static_cast<uint32_t>(headGroups * heads);
        cube.splits = 1;
    }
    return cube;
}

/// Estimates the cycles of a launch, of which vector cores compute `share` of weightGrad.
inline double CyclesOf(const Problem& problem, const TileShape& tile, double share) {
    const double cores = static_cast<double>(problem.cores);
    const double rows = static_cast<double>(problem.rows * problem.heads);
    const double cost =
        (1 - share) * CostOf(problem, tile, false) + share * CostOf(problem, tile, true);
    return rows / cores * cost;
}

/// Which cores compute what, and their tiles.
struct Form {
    TileShape tile;
    /// No groups: vector cores compute both gradients.
    NsaCompressGradCubeTiling cube = {0, 0, 0, 0, 0, 0};
};

/// Estimates the cycles of a launch in which cube cores compute both gradients: GM, or the slowest
/// pipe of a cube core for a group of rows and a head. FIX copies out 68 B per cycle, MTE1 loads
/// 128.
inline double CubeCycles(const Problem& problem, const NsaCompressGradCubeTiling& tile) {
    const int64_t bytes = problem.stride * problem.headDim * kElemBytes;
    const int64_t products = problem.blockSize % problem.stride == 0 ? 1 : 2;
    const int64_t fix = products * kFixHead + bytes / kFixBytesPerCycle;
    const int64_t gradients = products * problem.headDim * kFractalRows * kElemBytes;
    const int64_t mte1 = (bytes + gradients) / kLoadBytesPerCycle + products * kLoadHeads;
    const int64_t slowest = std::max({fix, mte1, products * kProductCalls});
    const double work = static_cast<double>(problem.rows * problem.heads) /
                        static_cast<double>(problem.chip.cubeCores * problem.stride);
    const int64_t headBytes = problem.headDim * kElemBytes;
    const double gm = static_cast<double>(problem.rows * problem.heads) /
                      static_cast<double>(problem.cores * tile.heads) *
                      GmCycles(problem, tile.heads * headBytes, headBytes);
    return std::max(work * static_cast<double>(slowest), gm);
}

/// Returns the number of rows that vector cores process if cube cores compute both gradients.
inline int64_t RowsOfEnds(const Problem& problem, const NsaCompressGradCubeTiling& cube) {
    return problem.rows - cube.groups * problem.stride;
}

/// Chooses the tile of the vector cores for these rows. They are at both ends of each sequence, so
/// tiles need no more rows than an end has, and all cores should have tiles.
inline bool ChooseTileOfEnds(const Problem& problem, const NsaCompressGradCubeTiling& cube,
                             TileShape* tile) {
    const int64_t ends = 2 * static_cast<int64_t>(problem.ends.size());
    const int64_t rows = RoundUp(CeilDiv(RowsOfEnds(problem, cube), ends), kUnitRows);
    const int64_t heads = std::max<int64_t>(1, ends * problem.heads / problem.cores);
    return ChooseTile(problem, true, tile, std::min<int64_t>(heads, op::kSumHeads),
                      std::min(rows, kMaxTileRows));
}

/// Chooses the form that is fastest according to the estimates. Returns false if no tile fits.
inline bool ChooseForm(const Problem& problem, Form* form) {
    if (!ChooseTile(problem, true, &form->tile)) {
        return false;
    }
    TileShape tile;
    const NsaCompressGradCubeTiling weights = ChooseCubeTile(problem, false);
    if (weights.groups == 0 || problem.cores != 2 * problem.chip.cubeCores ||
        !ChooseTile(problem, false, &tile)) {
        return true;
    }
    // Vector cores process the rows at both ends of a sequence, and a tile of which some rows are
    // there takes almost as long as if all were.
    const double rows = static_cast<double>(problem.rows);
    const double outside = static_cast<double>(RowsOfEnds(problem, weights));
    const double ends = static_cast<double>(problem.ends.size()) * static_cast<double>(tile.rows);
    const double vector = CyclesOf(problem, form->tile, 1);
    const int64_t start = kCubeStart + kSearch * static_cast<int64_t>(problem.ends.size());
    const double mixed = CyclesOf(problem, tile, std::min(1.0, std::max(outside, ends) / rows)) +
                         static_cast<double>(start);
    if (mixed < vector) {
        form->tile = tile;
        form->cube = weights;
    }
    TileShape tileOfEnds;
    const NsaCompressGradCubeTiling both = ChooseCubeTile(problem, true);
    if (both.groups == 0 || !ChooseTileOfEnds(problem, both, &tileOfEnds)) {
        return true;
    }
    const double cube =
        std::max(CubeCycles(problem, both), outside / rows * CyclesOf(problem, tileOfEnds, 1)) +
        static_cast<double>(start + kCubeWeights);
    if (cube < std::min(mixed, vector)) {
        form->tile = tileOfEnds;
        form->cube = both;
    }
    if (!CanStoreInputGrad(problem)) {
        // The same tiles: they decide in which order numbers are added, and strides must not.
        form->cube.inputGrad = 0;
        form->cube.headsOfBlock = 0;
    }
    return true;
}

}  // namespace nsa_compress_grad
}  // namespace optiling

#endif  // OP_HOST_NSA_COMPRESS_GRAD_FORMS_H
