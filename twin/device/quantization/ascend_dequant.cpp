// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "core/library_steps.h"
#include "core/tmp_size.h"
#include "device/lanes/arithmetic.h"
#include "device/library/call.h"
#include "device/quantization/ascend_quant.h"

namespace twin::advanced {
namespace {

struct DequantForm {
    static constexpr uint32_t kTensor = 1, kFloats = 2, kPairs = 4, kNarrow = 8;
};

using AscendC::DequantParams;

constexpr uint32_t kAligned = 8;  // number of elements in a block of int32_t

/// The elements to compute: `rows` rows of `n`, then `tail` elements of one more row.
struct Plan {
    uint64_t rows;
    uint64_t n;
    uint64_t used;  ///< number of elements of a row that are computed
    uint64_t tail;
    uint64_t pitch;  ///< distance between rows of dst, in elements
    uint64_t given;  ///< number of rows for which the source has room

    /// Calls visit(row, elements, padding) for every row.
    template <typename Visit>
    void ForRows(Visit visit) const {
        for (uint64_t i = 0; i < rows; ++i) {
            visit(i, used, n - used);
        }
        if (tail != 0) {
            visit(rows, tail, uint64_t{0});
        }
    }
};

uint32_t Elements(const Operand& operand, Dtype dtype) { return operand.bytes / SizeOf(dtype); }

void CheckParams(const DequantParams& p) {
    if (p.n == 0 || p.n % kAligned != 0 || p.calCount == 0 || p.calCount > p.n) {
        Fail("T703",
             "shape not taken: AscendDequant of m %u, n %u, calCount %u; n is a multiple of 8, "
             "calCount 1 to n\n  try: pad the rows",
             p.m, p.n, p.calCount);
    }
}

/// Returns the shape of a call without DequantParams: rows are as long as the scale.
DequantParams ImpliedParams(const Operand& src, const DequantScale& scale, uint32_t total) {
    const uint32_t scales = Elements(scale.place, scale.dtype);
    const uint32_t elements = Elements(src, Dtype::I32);
    if (scales == 0 || elements % scales != 0 || total == 0 || total > elements) {
        Fail("T703",
             "shape not taken: AscendDequant of %u of %u elements by %u scales; without "
             "DequantParams the source is a multiple of the scale\n  try: pass DequantParams",
             total, elements, scales);
    }
    return {elements / scales, scales, scales};
}

Plan PlanOf(Dtype dtype, const Operand& src, const DequantScale& scale, const DequantShape& shape) {
    DequantParams p = shape.rows ? shape.params : ImpliedParams(src, scale, shape.total);
    CheckParams(p);
    const uint64_t total = shape.rows ? uint64_t{p.m} * p.n : shape.total;
    const uint64_t perBlock = kBlockBytes / SizeOf(dtype);
    if (shape.singleRow && p.m == 1 && p.calCount % perBlock == 0 && p.n % p.calCount == 0) {
        p = {p.n / p.calCount, p.calCount, p.calCount};
    }
    return {total / p.n, p.n, p.calCount, total % p.n, RoundUp(p.n, perBlock), p.m};
}

void Describe(const Plan& plan, Dtype dtype, const DequantScale& scale, Call& call) {
    CallShape& shape = call.shape();
    const bool floats = scale.tensor && scale.dtype == Dtype::F32;
    const bool pairs = scale.tensor && SizeOf(scale.dtype) == sizeof(uint64_t);
    shape.form = (scale.tensor ? DequantForm::kTensor : 0) | (floats ? DequantForm::kFloats : 0) |
                 (pairs ? DequantForm::kPairs : 0) |
                 (dtype != Dtype::F32 ? DequantForm::kNarrow : 0);
    shape.rows = static_cast<uint32_t>(plan.rows);
    shape.columns = static_cast<uint32_t>(plan.n);
    shape.valid = static_cast<uint32_t>(plan.used);
    shape.once = static_cast<uint32_t>(plan.given);
    shape.level = static_cast<uint32_t>(plan.tail);
}

/// Returns the scales as floats; `from` is null if the scale is a number.
std::vector<float> Scales(const uint8_t* from, const DequantScale& scale, uint64_t count) {
    std::vector<float> values(count, scale.number);
    for (uint64_t i = 0; from != nullptr && i < count; ++i) {
        if (scale.dtype == Dtype::Bf16) {
            uint16_t bits;
            std::memcpy(&bits, from + i * sizeof(bits), sizeof(bits));
            values[i] = Bfloat16ToFloat(bits);
        } else {  // the low 32 bits of a uint64_t are the float
            const uint64_t step = SizeOf(scale.dtype);
            std::memcpy(&values[i], from + i * step, sizeof(float));
        }
    }
    return values;
}

/// Computes one row: `n` results, then `padding` elements whose values are undefined (poison).
struct RowStep {
    Dtype dtype;
    const std::vector<float>& scales;
    std::vector<float> row = std::vector<float>(scales.size());

    void Run(uint8_t* dst, const uint8_t* src, uint64_t n, uint64_t padding) {
        const auto& casts = lanes::BestCasts().cast;
        const auto wide = static_cast<size_t>(Dtype::F32);
        casts[wide][static_cast<size_t>(Dtype::I32)](row.data(), src, n, lanes::Round::None);
        for (uint64_t i = 0; i < n; ++i) {
            row[i] = row[i] * scales[i];
        }
        if (dtype == Dtype::F32) {
            std::memcpy(dst, row.data(), n * sizeof(float));
        } else {
            casts[static_cast<size_t>(dtype)][wide](dst, row.data(), n, lanes::Round::Rint);
        }
        Poison(dst + n * SizeOf(dtype), padding * SizeOf(dtype));
    }
};

}  // namespace

void RunDequant(Dtype dtype, const Operand& dst, const Operand& src, const DequantScale& scale,
                const DequantShape& shape, const Tmp& tmp, Location where) {
    Call call(Opcode::AscendDequant, where);
    if (!call) {
        return;
    }
    const Plan plan = PlanOf(dtype, src, scale, shape);
    Describe(plan, dtype, scale, call);
    const uint64_t size = SizeOf(dtype);
    const uint64_t dstRow = plan.pitch * size;
    const uint64_t srcRow = plan.n * sizeof(int32_t);
    const uint64_t whole = plan.rows * plan.pitch;
    const uint64_t covered = plan.tail != 0 ? whole + plan.tail : whole - (plan.pitch - plan.n);
    const auto results = [&](const PieceVisitor& visit) {
        plan.ForRows([&](uint64_t row, uint64_t n, uint64_t padding) {
            visit(0, dst.address + row * dstRow, (n + padding) * size);
        });
    };
    const auto sources = [&](const PieceVisitor& visit) {
        plan.ForRows([&](uint64_t row, uint64_t n, uint64_t) {
            visit(0, src.address + row * srcRow, n * sizeof(int32_t));
        });
    };
    // Says which elements belong together: `used` elements of each row, and then the tail.
    const auto inOrder = [&](Dtype type, uint64_t stride) {
        const uint64_t rows = plan.tail != 0 ? plan.rows + 1 : plan.rows;
        call.issue().Last().runs = Runs{plan.used * SizeOf(type), {rows, stride}};
        call.issue().As(type);
    };
    uint8_t* to = call.Write(Arg::DstTensor, dst, covered * size, results);
    inOrder(dtype, dstRow);
    const uint8_t* from =
        call.Read(Arg::SrcTensor, src, plan.rows * srcRow + plan.tail * sizeof(int32_t), sources);
    inOrder(Dtype::I32, srcRow);
    const uint8_t* factors = nullptr;
    if (scale.tensor) {
        factors = call.Read(Arg::DeqScale, scale.place, plan.used * SizeOf(scale.dtype));
        inOrder(scale.dtype, 0);
    }
    const TmpSize said = DequantTmp(plan.rows, plan.n);
    // Even a part of a row needs the scratch memory of a whole row.
    call.Take(tmp, {said.min, std::max(said.min, said.max)});
    call.Run(Dtype::I32, plan.rows * plan.used + plan.tail, Overlap::InPlace, [&] {
        const std::vector<float> scales = Scales(factors, scale, plan.used);
        RowStep step{dtype, scales};
        plan.ForRows([&](uint64_t row, uint64_t n, uint64_t padding) {
            step.Run(to + row * dstRow, from + row * srcRow, n, padding);
        });
        call.Saturate(to, dtype, covered);
    });
}

}  // namespace twin::advanced

namespace twin {

namespace {

void DequantFactors(CallSteps s, View factors, View scale) {
    using Form = advanced::DequantForm;
    const CallSteps used = s.Count(s.Valid());
    if (!s.Has(Form::kTensor)) {
        used.Duplicate(factors);
        used.Adds(factors, factors);
    } else if (s.Has(Form::kFloats)) {
        used.Adds(factors, scale);
    } else if (s.Has(Form::kPairs)) {
        const auto count = static_cast<uint64_t>(used.n);
        s.Do(Opcode::GatherMask, 1, 2 * count,
             {{factors, Runs{count * sizeof(float)}},
              {scale.As(Dtype::F32), Runs{2 * count * sizeof(float)}}});
    } else {
        used.Cast(factors, scale);
    }
}

/// Lists the instructions of x * factors for m rows of x, and for `rest` elements of one more row.
void DequantScaled(CallSteps s, View x, View factors, int64_t m, int64_t rest) {
    const int64_t columns = s.Columns(), used = s.Valid();
    if (m > 0 && columns > 2040) {
        for (int64_t j = 0; j < m; ++j) {
            s.Count(used).NoBarrier().Mul(x[j * columns], x[j * columns], factors);
        }
        s.Barrier();
    } else if (m > 0) {
        const auto row = [&](int64_t e) { return x[e].By(1, columns / 8); };
        for (int64_t e = 0; e < used / 64 * 64; e += 64) {
            s.Count(64 * m).NoBarrier().Mul(row(e), row(e), factors[e].By(1, 0));
        }
        s.Barrier();
        const int64_t e = used / 64 * 64;
        InParts(e < used ? m : 0, 255, [&](int64_t at, int64_t count) {
            const View y = row(e + at * columns);
            s.Repeats(count, used % 64).Mul(y, y, factors[e].By(1, 0));
        });
    }
    s.If(rest != 0).Count(rest).Mul(x[m * columns], x[m * columns], factors);
}

}  // namespace

void AscendDequantSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1), scale = s.Operand(2);
    const int64_t columns = s.Columns(), used = Up(s.Valid(), 8) * 8;
    const bool narrow = s.Has(advanced::DequantForm::kNarrow);
    const int64_t pitch = narrow ? Up(columns, 16) * 16 : columns;
    const View factors = s.Floats(used);
    const int64_t size = std::min((s.Scratch() / 4 - used) / columns, s.Once()) * columns;
    const View x = s.Floats(size);
    DequantFactors(s, factors, scale);
    InParts(s.Rows() * columns + s.Level(), size, [&](int64_t first, int64_t count) {
        const int64_t m = count / columns, rest = count % columns;
        const View to = dst[first / columns * pitch];
        s.Count(count).Cast(x, src[first]);
        DequantScaled(s, x, factors, m, rest);
        if (!narrow) {
            s.Count(count).Adds(to, x);
        } else if (pitch == columns) {
            s.Count(count).Cast(to, x);
        } else {
            for (int64_t j = 0; j < m; ++j) {
                s.Count(columns).NoBarrier().Cast(to[j * pitch], x[j * columns]);
            }
            s.Barrier();
            s.If(rest != 0).Count(rest).Cast(to[m * pitch], x[m * columns]);
        }
    });
}

}  // namespace twin
