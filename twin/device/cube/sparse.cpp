// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "device/cube/mmad.h"
#include "device/cube/params.h"
#include "device/cube/product.h"

namespace twin::cube {
namespace {

constexpr char kLoad[] = "LoadDataWithSparse";
constexpr char kMultiply[] = "MmadWithSparse";
constexpr uint32_t kIndexBytes =
    kFractalBytes / 4;           ///< bytes for one fractal: a quarter of its size
constexpr uint32_t kDense = 32;  ///< kept numbers along k in a fractal

/// Puts the two kept numbers of every four back to their places: one fractal becomes two.
void Expand(int8_t* first, int8_t* second, const int8_t* kept, const uint8_t* index) {
    for (uint32_t column = 0; column < kSide; ++column) {
        for (uint32_t group = 0; group < kDense / 2; ++group) {
            const uint32_t fields = index[column * (kDense / 4) + group / 2] >> group % 2 * 4;
            const uint32_t low = fields & 3U;
            const uint32_t high = (fields >> 2 & 3U) + 1;
            const int8_t values[2] = {kept[column * kDense + 2 * group],
                                      kept[column * kDense + 2 * group + 1]};
            if (low > 2 || high > 3 || (low == high && values[0] != 0 && values[1] != 0)) {
                Fail(
                    "T467",
                    "sparse index: %s with the pair (%u, %u) for column %u, group %u, expected two "
                    "fields of 0 to 2 that name two different numbers",
                    kMultiply, low, high - 1, column, group);
            }
            int8_t* half = group < kDense / 4 ? first : second;
            int8_t* four = half + column * kDense + group % (kDense / 4) * 4;
            std::memset(four, 0, 4);
            four[high] = values[1];
            if (values[0] != 0 || low != high) {
                four[low] = values[0];
            }
        }
    }
}

/// Makes a full matrix with twice the rows from one of `rows` x `columns` fractals.
std::vector<int8_t> ExpandAll(const uint8_t* kept, const uint8_t* index, uint32_t rows,
                              uint32_t columns) {
    std::vector<int8_t> full(uint64_t{2} * rows * columns * kFractalBytes);
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < columns; ++column) {
            const uint64_t fractal = uint64_t{row} * columns + column;
            int8_t* first = full.data() + (uint64_t{2 * row} * columns + column) * kFractalBytes;
            Expand(first, first + uint64_t{columns} * kFractalBytes,
                   reinterpret_cast<const int8_t*>(kept + fractal * kFractalBytes),
                   index + fractal * kIndexBytes);
        }
    }
    return full;
}

std::vector<uint8_t>& IndexBuffer(Core& core) {
    std::vector<uint8_t>& buffer = core.cube.sparseIndex;
    if (buffer.empty()) {  // 0xFF is no index
        buffer.assign(core.memoryBytes[static_cast<size_t>(Memory::L0b)] / 4, 0xFF);
    }
    return buffer;
}

}  // namespace

void LoadSparse(const Operand& dst, const Operand& src, const Operand& index,
                const AscendC::LoadData2DParams& params, Location where) {
    Issue issue(Opcode::LoadDataWithSparse, CoreKind::Aic, where);
    if (!issue || params.repeatTimes == 0) {
        return;
    }
    if (params.ifTranspose) {
        Fail("T452", "transpose not available: %s with ifTranspose, expected false", kLoad);
    }
    const Runs kept{uint64_t{params.repeatTimes} * kFractalBytes};
    const Runs fields{uint64_t{params.repeatTimes} * kIndexBytes};
    issue.Type(Dtype::I8);
    issue.Work(params.repeatTimes, kept.bytes);
    issue.Writes(Register::SparseIndex);
    uint8_t* to = WriteFractals(issue, Arg::Dst, dst, Memory::L0b, kept);
    const uint8_t* from =
        issue.Read(Arg::Src, Advance(src, uint64_t{params.startIndex} * kFractalBytes), Memory::L1,
                   kept, kRowBytes);
    const uint8_t* pairs =
        issue.Read(Arg::Idx, Advance(index, uint64_t{params.startIndex} * kIndexBytes), Memory::L1,
                   fields, kRowBytes);
    if (!issue.Ready()) {
        return;
    }
    const auto effect = [&](const auto& bytes) {
        std::memcpy(bytes.Of(Memory::L0b, to), bytes.Of(Memory::L1, from), kept.bytes);
    };
    issue.Moves(effect);
    std::memcpy(IndexBuffer(issue.core()).data() + dst.address / 4, pairs, fields.bytes);
    issue.Done();
}

void MultiplySparse(const Operand& dst, const Operand& a, const Operand& b,
                    const AscendC::MmadParams& params, Location where) {
    Issue issue(Opcode::MmadWithSparse, CoreKind::Aic, where);
    if (!issue || IsEmpty(kMultiply, params)) {
        return;
    }
    Core& core = issue.core();
    if (params.cmatrixSource || params.kDirectionAlign || params.k % (2 * kDense) != 0) {
        Fail("T455",
             "not modelled: %s with k %u, cmatrixSource %d and kDirectionAlign %d, expected a "
             "multiple of 64 and false",
             kMultiply, params.k, params.cmatrixSource, params.kDirectionAlign);
    }
    const auto mCells = static_cast<uint32_t>(CeilDiv(params.m, kSide));
    const auto nCells = static_cast<uint32_t>(CeilDiv(params.n, kSide));
    const uint32_t k = params.k / kDense;  // fractals of A
    const uint64_t cells = uint64_t{mCells} * nCells;
    const bool keeps = !params.cmatrixInitVal || params.isBias;
    const Runs all{cells * kCellBytes};
    issue.Type(Dtype::I8);
    issue.Work(cells * (k / 2), uint64_t{params.m} * params.n * params.k);
    uint8_t* c = WriteFractals(
        issue, Arg::C, dst, Memory::L0c, all, kCellBytes,
        Unrounded(params.m, Dtype::I8) * Unrounded(params.n, Dtype::I8) * sizeof(int32_t));
    const uint8_t* left =
        ReadFractals(issue, Arg::A, a, Memory::L0a, Runs{uint64_t{mCells} * k * kFractalBytes});
    const uint8_t* kept =
        ReadFractals(issue, Arg::B, b, Memory::L0b, Runs{uint64_t{k / 2} * nCells * kFractalBytes});
    if (keeps) {
        issue.Note(Arg::C, Memory::L0c, dst.address, all, false);
    }
    issue.Reads(Register::SparseIndex);
    NoteUnits(issue, params.unitFlag);
    if (!issue.Ready()) {
        return;
    }
    const std::vector<int8_t> right =
        ExpandAll(kept, IndexBuffer(core).data() + b.address / 4, k / 2, nCells);
    WriteUnits(core, dst.address, cells, params.unitFlag, kMultiply);
    // Here A is never read as a plain row, not even with m = 1.
    Product product = {Dtype::I8, {params.m, params.n, params.k, k, false, keeps}, c, left, kept};
    product.fullB = right.data();
    product.Compute(core);
    const auto follow = [&](const ByteMarks& marks) { product.Mark(marks); };
    issue.Follow(follow);
    issue.Done();
}

}  // namespace twin::cube
