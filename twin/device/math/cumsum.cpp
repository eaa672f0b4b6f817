// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "core/library_steps.h"
#include "core/tmp_size.h"
#include "device/lanes/arithmetic.h"
#include "device/library/call.h"
#include "device/math/functions.h"

namespace twin::advanced {
namespace {

struct CumSumForm {
    static constexpr uint32_t kLastAxis = 1, kLastRow = 2;
};

void CheckInfo(const AscendC::CumSumInfo& info, uint32_t size) {
    if (info.outter == 0 || info.inner == 0 || uint64_t{info.inner} * size % kBlockBytes != 0) {
        Fail("T703",
             "shape not taken: CumSum of %u rows of %u elements of %u B; neither is 0 and rows are "
             "a multiple of 32 B\n  try: pad the rows",
             info.outter, info.inner, size);
    }
}

void SumRows(std::vector<float>& values, uint64_t rows, uint64_t columns) {
    for (uint64_t i = columns; i < rows * columns; ++i) {
        values[i] = values[i - columns] + values[i];
    }
}

void SumColumns(std::vector<float>& values, uint64_t rows, uint64_t columns) {
    for (uint64_t row = 0; row < rows; ++row) {
        float* row0 = values.data() + row * columns;
        for (uint64_t i = 1; i < columns; ++i) {
            row0[i] = row0[i - 1] + row0[i];
        }
    }
}

void Store(uint8_t* dst, const float* values, Dtype dtype, uint64_t count) {
    if (dtype == Dtype::F32) {
        std::memcpy(dst, values, count * sizeof(float));
    } else {
        lanes::BestCasts().cast[static_cast<size_t>(Dtype::F16)][static_cast<size_t>(Dtype::F32)](
            dst, values, count, lanes::Round::None);
    }
}

std::vector<float> Load(const uint8_t* src, Dtype dtype, uint64_t count) {
    std::vector<float> values(count);
    if (dtype == Dtype::F32) {
        std::memcpy(values.data(), src, count * sizeof(float));
    } else {
        lanes::BestCasts().cast[static_cast<size_t>(Dtype::F32)][static_cast<size_t>(Dtype::F16)](
            values.data(), src, count, lanes::Round::None);
    }
    return values;
}

}  // namespace

void RunCumSum(Dtype dtype, const Operand& dst, const Operand& lastRow, const Operand& src,
               const AscendC::CumSumConfig& config, const AscendC::CumSumInfo& info, const Tmp& tmp,
               Location where) {
    Call call(Opcode::CumSum, where);
    if (!call) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    CheckInfo(info, size);
    const uint64_t count = uint64_t{info.outter} * info.inner;
    const uint64_t rowBytes = uint64_t{info.inner} * size;
    const uint32_t form = (config.isLastAxis ? CumSumForm::kLastAxis : 0) |
                          (config.outputLastRow ? CumSumForm::kLastRow : 0);
    call.shape() = {0, form, info.outter, info.inner, info.inner, 0, 0};
    uint8_t* to = call.Write(Arg::DstTensor, dst, count * size);
    const uint8_t* from = call.Read(Arg::SrcTensor, src, count * size);
    uint8_t* last =
        config.outputLastRow ? call.Write(Arg::LastRowTensor, lastRow, rowBytes) : nullptr;
    const TmpSize said = CumSumTmp(size, info.outter, info.inner, config.isLastAxis);
    call.Take(tmp, {said.min, said.max});
    call.Run(dtype, count, Overlap::InPlace, [&] {
        std::vector<float> values = Load(from, dtype, count);
        (config.isLastAxis ? SumColumns : SumRows)(values, info.outter, info.inner);
        for (float& value : values) {
            value = value + 0.0F;  // the library moves results by Adds of 0, so -0 becomes 0
        }
        Store(to, values.data(), dtype, count);
        call.Saturate(to, dtype, count);
        if (last != nullptr) {
            std::memcpy(last, to + count * size - rowBytes, rowBytes);
        }
    });
}

}  // namespace twin::advanced

namespace twin {

void CumSumSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1);
    if (s.Has(advanced::CumSumForm::kLastAxis)) {
        s.Unlisted({dst, src, s.Operand(2)});
        return s.Barrier();
    }
    const bool half = s.Half();
    const int64_t h = s.Columns();
    const View sums = half ? s.Floats(s.n) : dst, from = half ? sums : src;
    if (half) {
        s.Cast(sums, src);
    } else {
        s.Count(h).Adds(dst, src);
    }
    for (int64_t i = 1; i < s.Rows(); ++i) {
        s.Count(h).Add(sums[i * h], sums[i * h - h], from[i * h]);
    }
    s.If(half).Cast(dst, sums);
    s.If(s.Has(advanced::CumSumForm::kLastRow)).Count(h).Adds(s.Operand(2), dst[s.n - h]);
}

}  // namespace twin
