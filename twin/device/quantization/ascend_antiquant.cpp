// SPDX-License-Identifier: Apache-2.0
#include "device/quantization/ascend_antiquant.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/float16.h"
#include "core/library_steps.h"
#include "core/tmp_size.h"
#include "device/lanes/arithmetic.h"
#include "device/library/call.h"
#include "device/library/elementwise.h"

namespace twin::advanced {
namespace {

struct AntiQuantForm {
    static constexpr uint32_t kOffset = 1, kNumber = 2, kTransposed = 4, kUnlisted = 8;
};

using Kind = AntiQuantFactor::Kind;

constexpr auto kBf16 = static_cast<size_t>(Dtype::Bf16);

/// Shape [rows, columns] of src: [K, N], or [N, K] if src is transposed. The K rows of [K, N] form
/// `groups` groups; all rows of a group use the same row of scales and offsets.
struct Shape {
    uint64_t elements;
    uint64_t rows;
    uint64_t columns;
    uint64_t groups;
};

[[noreturn]] void RefuseShape(const Shape& shape, uint32_t k, const char* rule) {
    Fail("T703",
         "shape not taken: AscendAntiQuant of %llu elements, K %u, rows of %llu; %s\n  try: check "
         "K, the tensors' sizes and AntiQuantShapeInfo",
         static_cast<unsigned long long>(shape.elements), k,
         static_cast<unsigned long long>(shape.columns), rule);
}

Shape ShapeOf(const AntiQuantTypes& types, const Operand& src, const AntiQuantFactor& scale,
              bool offset, uint32_t k) {
    Shape shape = {uint64_t{src.bytes} * (types.from == Dtype::I4 ? 2 : 1), 0, 0, 1};
    if (k == 0 || shape.elements % k != 0) {
        RefuseShape(shape, k, "src has a whole number of K");
    }
    const uint64_t n = shape.elements / k;
    shape.rows = types.transposed ? n : k;
    shape.columns = types.transposed ? k : n;
    if (scale.kind != Kind::Tensor) {
        return shape;
    }
    // Scale and offset have the shape [groups, N], or [N, 1] if src is transposed.
    const uint64_t perBlock = types.from == Dtype::I4 ? 64 : 32;
    if (shape.columns % perBlock != 0) {
        RefuseShape(shape, k, "rows are a multiple of 32 B");
    }
    if (types.transposed) {
        if (scale.height != n || scale.width > 1) {
            RefuseShape(shape, k,
                        "transposed, scale and offset are [N, 1], which AntiQuantShapeInfo or the "
                        "tensors' ShapeInfo says; groups are not modelled");
        }
    } else if (offset) {
        if (scale.height > 1) {
            RefuseShape(shape, k, "with an offset there is one group: [1, N]");
        }
    } else {
        shape.groups = scale.height;
        if (shape.groups == 0 || scale.width != n || k % shape.groups != 0) {
            RefuseShape(shape, k,
                        "without an offset scale is [groups, N], which AntiQuantShapeInfo or the "
                        "tensor's ShapeInfo says, and K is a multiple of groups");
        }
    }
    return shape;
}

uint64_t FactorCount(const AntiQuantTypes& types, const Shape& shape) {
    return types.transposed ? shape.rows : shape.groups * shape.columns;
}

/// The scales or offsets of one row of src, in the type of the computation: half or float.
class FactorRow {
public:
    FactorRow(Call& call, Arg name, const AntiQuantTypes& types, const AntiQuantFactor& factor,
              const Shape& shape)
        : types_(types),
          shape_(shape),
          half_(shape.columns, FloatToHalf(factor.number)),
          wide_(shape.columns, factor.number) {
        if (factor.kind == Kind::Tensor) {
            constexpr uint64_t kSize = sizeof(uint16_t);
            const uint64_t row = shape.columns * kSize;
            const Runs order = types.transposed
                                   ? Runs{kSize, {shape.columns, 0}, {shape.rows, kSize}}
                                   : Runs{row, {shape.rows / shape.groups, 0}, {shape.groups, row}};
            values_ = call.Read(name, factor.place, order);
        }
    }
    const void* Of(uint64_t row) {
        if (values_ != nullptr) {
            Load(row);
        }
        return types_.to == Dtype::F16 ? static_cast<const void*>(half_.data()) : wide_.data();
    }

private:
    void Load(uint64_t row) {
        const uint64_t group = row / (shape_.rows / shape_.groups);
        const uint64_t first = types_.transposed ? row : group * shape_.columns;
        for (uint64_t i = 0; i < shape_.columns; ++i) {
            uint16_t bits;
            const uint64_t at = first + (types_.transposed ? 0 : i);
            std::memcpy(&bits, values_ + at * sizeof(bits), sizeof(bits));
            half_[i] = bits;
            wide_[i] = Bfloat16ToFloat(bits);
        }
    }

    const uint8_t* values_ = nullptr;
    AntiQuantTypes types_;
    Shape shape_;
    std::vector<uint16_t> half_;
    std::vector<float> wide_;
};

/// Computes dst = (src + offset) * scale; `offsets` may be null.
void Dequantise(uint8_t* dst, const uint8_t* src, const AntiQuantTypes& types, FactorRow* offsets,
                FactorRow& scales, const Shape& shape) {
    const lanes::CastTable& casts = lanes::BestCasts();
    const lanes::CastFn toHalf = casts.cast[kF16][static_cast<size_t>(types.from)];
    const auto& arithmetic = lanes::BestArithmetic();
    const size_t work = types.to == Dtype::F16 ? kF16 : kF32;
    const auto add = arithmetic.binary[static_cast<size_t>(lanes::BinaryOp::Add)][work];
    const auto mul = arithmetic.binary[static_cast<size_t>(lanes::BinaryOp::Mul)][work];
    const uint64_t n = shape.columns;
    std::vector<uint16_t> half(n + 1);
    std::vector<float> wide(n);
    for (uint64_t row = 0; row < shape.rows; ++row) {
        const uint64_t first = row * n;
        toHalf(half.data(), src + (types.from == Dtype::I4 ? first / 2 : first), n,
               lanes::Round::None);
        void* values = half.data();
        if (work == kF32) {
            casts.cast[kF32][kF16](wide.data(), half.data(), n, lanes::Round::None);
            values = wide.data();
        }
        if (offsets != nullptr) {
            add(values, values, offsets->Of(row), n);
        }
        mul(values, values, scales.Of(row), n);
        uint8_t* to = dst + first * sizeof(uint16_t);
        if (work == kF32) {
            casts.cast[kBf16][kF32](to, wide.data(), n, lanes::Round::Rint);
        } else {
            std::memcpy(to, half.data(), n * sizeof(uint16_t));
        }
    }
}

/// Returns the scratch sizes of a call. Half results use scratch only for transposed factors.
TmpNeed NeedOf(const AntiQuantTypes& types, const AntiQuantFactor& scale, bool offset,
               const Shape& shape, const Tmp& tmp) {
    const uint64_t factors = FactorCount(types, shape);
    if (types.to == Dtype::Bf16) {
        const bool number = scale.kind != Kind::Tensor;
        const TmpSize said =
            AntiQuantTmp(shape.rows, shape.elements, number ? 1 : factors, types.transposed);
        return {said.min, std::max(said.min, said.max)};
    }
    const uint64_t spread = kBlockBytes * factors * (offset ? 2 : 1);
    const bool taken = types.transposed && scale.kind == Kind::Tensor && tmp.given &&
                       tmp.place.bytes >= spread && shape.columns < 4096;
    return {0, taken ? spread : 0};
}

void Describe(const AntiQuantTypes& types, const AntiQuantFactor& scale, bool offset,
              const Shape& shape, Call& call) {
    CallShape& steps = call.shape();
    const bool unlisted = types.to == Dtype::Bf16 || types.from == Dtype::I4;
    steps.form = (offset ? AntiQuantForm::kOffset : 0) |
                 (scale.kind != Kind::Tensor ? AntiQuantForm::kNumber : 0) |
                 (types.transposed ? AntiQuantForm::kTransposed : 0) |
                 (unlisted ? AntiQuantForm::kUnlisted : 0);
    steps.rows = static_cast<uint32_t>(shape.rows);
    steps.columns = static_cast<uint32_t>(shape.columns);
    steps.level = static_cast<uint32_t>(shape.groups);
}

}  // namespace

void RunAntiQuant(const AntiQuantTypes& types, const Operand& dst, const Operand& src,
                  const AntiQuantFactor& offset, const AntiQuantFactor& scale, uint32_t k,
                  const Tmp& tmp, Location where) {
    Call call(Opcode::AscendAntiQuant, where);
    if (!call || src.bytes == 0) {
        return;
    }
    const bool shifted = offset.kind != Kind::None;
    const Shape shape = ShapeOf(types, src, scale, shifted, k);
    Describe(types, scale, shifted, shape, call);
    uint8_t* to = call.Write(Arg::Dst, dst, shape.elements * sizeof(uint16_t));
    const uint8_t* from = call.Read(Arg::Src, src, src.bytes);
    FactorRow scales(call, Arg::Scale, types, scale, shape);
    FactorRow offsets(call, Arg::Offset, types, offset, shape);
    call.Take(tmp, NeedOf(types, scale, shifted, shape, tmp));
    call.Run(types.from, shape.elements, Overlap::Library, [&] {
        Dequantise(to, from, types, shifted ? &offsets : nullptr, scales, shape);
        call.Saturate(to, types.to, shape.elements);
    });
}

}  // namespace twin::advanced

namespace twin {

namespace {

/// Lists the instructions for a call in which each row of dst has its own factors.
void AntiQuantTransposed(CallSteps s, View dst, View scale, View offset) {
    const bool shifts = s.Has(advanced::AntiQuantForm::kOffset);
    const int64_t rows = s.Rows(), k = s.Columns();
    const View a = s.Work(Dtype::F16, 16 * rows), b = s.Work(Dtype::F16, 16 * rows);
    const auto scaleRows = [&](CallSteps each, View y, int64_t row) {
        each.If(shifts).Add(y, y, b[16 * row].By(0, 1));
        each.Mul(y, y, a[16 * row].By(0, 1));
    };
    s.Repeats(rows / 8).Brcb(a, scale);
    s.If(shifts).Repeats(rows / 8).Brcb(b, offset);
    for (int64_t i = 0; i < k / 128; ++i) {
        scaleRows(s.Count(128 * rows), dst[128 * i].By(1, k / 16), 0);
    }
    if (k % 128 != 0) {
        InParts(rows, 255, [&](int64_t row, int64_t m) {
            scaleRows(s.Repeats(m, k % 128), dst[row * k + k / 128 * 128].By(1, k / 16), row);
        });
    }
}

/// Lists the instructions for a call in which each column has its own scale and offset.
void AntiQuantShifted(CallSteps s, View dst, View scale, View offset) {
    const int64_t k = s.Columns();
    const auto scaleColumns = [&](CallSteps each, int64_t row, int64_t column) {
        const View y = dst[row * k + column].By(1, k / 16);
        each.Add(y, y, offset[column].By(1, 0));
        each.Mul(y, y, scale[column].By(1, 0));
    };
    InParts(s.Rows(), 255, [&](int64_t row, int64_t m) {
        for (int64_t j = 0; j < k / 128; ++j) {
            scaleColumns(s.Count(128 * m), row, 128 * j);
        }
        if (k % 128 != 0) {
            scaleColumns(s.Repeats(m, k % 128), row, k / 128 * 128);
        }
    });
}

}  // namespace

void AscendAntiQuantSteps(CallSteps s) {
    using Form = advanced::AntiQuantForm;
    const View dst = s.Operand(0).As(Dtype::F16), src = s.Operand(1).As(Dtype::I8);
    const View scale = s.Operand(2).As(Dtype::F16), offset = s.Operand(3).As(Dtype::F16);
    const bool shifts = s.Has(Form::kOffset);
    const int64_t rows = s.Rows(), k = s.Columns();
    const bool crowded = s.Scratch() < 32 * rows * (shifts ? 2 : 1) || k >= 4096;
    if (s.Has(Form::kUnlisted) || (!s.Has(Form::kNumber) && s.Has(Form::kTransposed) && crowded)) {
        s.Unlisted({dst, src, scale, offset});
        return s.Barrier();
    }
    if (!s.Has(Form::kNumber | Form::kTransposed) && !shifts) {
        for (int64_t j = 0; j < rows; ++j) {
            s.Count(k).Cast(dst[j * k], src[j * k]);
            s.Count(k).Mul(dst[j * k], scale[j / (rows / s.Level()) * k], dst[j * k]);
        }
        return;
    }
    s.Cast(dst, src);
    if (s.Has(Form::kNumber)) {
        s.If(shifts).Adds(dst, dst);
        s.Muls(dst, dst);
    } else if (s.Has(Form::kTransposed)) {
        AntiQuantTransposed(s, dst, scale, offset);
    } else {
        AntiQuantShifted(s, dst, scale, offset);
    }
}

}  // namespace twin
