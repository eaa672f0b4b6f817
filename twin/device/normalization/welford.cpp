// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/welford.h"

#include <algorithm>
#include <cstring>

#include "device/library/call.h"
#include "device/library/elementwise.h"
#include "device/normalization/rows.h"

namespace twin::norm {
namespace {

/// Bits of CallShape::form. kReuse: the source is scratch. kRest: uncomputed elements are copied.
struct WelfordForm {
    static constexpr uint32_t kReuse = 1, kRest = 2;
};

/// Bits of CallShape::form. kCounted: the caller passes counts. kUneven: the counts are not equal.
struct FinalizeForm {
    static constexpr uint32_t kCounted = 1, kUneven = 2;
};

using advanced::Call;

constexpr uint32_t kLane = 64;  ///< number of floats in a repeat
constexpr uint32_t kResults = 8;

float* Loaded(uint32_t slot, const uint8_t* from, Dtype dtype, uint32_t count) {
    float* row = advanced::Row(slot, count);
    advanced::Load(row, from, dtype, count);
    return row;
}

/// Returns the number of values in each running mean. If `given` is null, `para` has the numbers.
const float* Counts(const uint8_t* given, const AscendC::WelfordFinalizePara& para) {
    float* counts = advanced::Row(2, para.abLength);
    if (given != nullptr) {
        lanes::BestCasts().cast[static_cast<size_t>(Dtype::F32)][static_cast<size_t>(Dtype::I32)](
            counts, given, para.abLength, lanes::Round::None);
        return counts;
    }
    const bool even = para.tailCountLength == 0 || para.tailCount == 0;
    const auto head = static_cast<float>(even ? para.rnLength : para.headCount);
    const auto tail = static_cast<float>(even ? para.rnLength : para.tailCount);
    std::fill(counts, counts + para.headCountLength, head);
    std::fill(counts + para.headCountLength, counts + para.abLength, tail);
    return counts;
}

void StoreResult(uint8_t* dst, float value) {
    const float results[kResults] = {value};
    std::memcpy(dst, results, sizeof(results));
}

}  // namespace

void RunWelfordUpdate(const WelfordTask& task, const advanced::Tmp& tmp,
                      const AscendC::WelfordUpdateParam& para, Location where) {
    Call call(Opcode::WelfordUpdate, where);
    if (!call) {
        return;
    }
    const uint32_t n = para.abComputeLength;
    CheckShape(call, para.rnLength == 1, 1, {para.abLength, n}, task.dtype, "and rnLength is 1");
    const uint64_t all = uint64_t{para.abLength} * sizeof(float);
    const uint64_t written = task.copyRest ? all : n * sizeof(float);
    const bool reuse = task.reuse && task.dtype == Dtype::F32;
    uint8_t* outMean = call.Write(Arg::OutputMean, task.outMean, written);
    uint8_t* outVariance = call.Write(Arg::OutputVariance, task.outVariance, written);
    const uint8_t* inMean = call.Read(Arg::InputMean, task.inMean, written);
    const uint8_t* inVariance = call.Read(Arg::InputVariance, task.inVariance, written);
    const uint8_t* inX = call.Read(Arg::InputX, task.x, uint64_t{n} * SizeOf(task.dtype), reuse);
    const uint32_t form =
        (reuse ? WelfordForm::kReuse : 0) | (task.copyRest ? WelfordForm::kRest : 0);
    call.shape() = {0, form, 1, para.abLength, n, 0, 0};
    const uint64_t lane = (task.dtype == Dtype::F16 ? 3 : reuse ? 1 : 2) * uint64_t{kRepeatBytes};
    call.Take(tmp, {lane, (n + kLane - 1) / kLane * lane});
    // If the source is reused, the library reads the old mean after it has written the new one.
    call.Run(task.dtype, n, reuse ? Overlap::Library : Overlap::InPlace, [&] {
        const float* mean = Loaded(0, inMean, Dtype::F32, n);
        float* x = Loaded(1, inX, task.dtype, n);
        float* distance = advanced::Row(2, n);
        float* next = advanced::Row(3, n);
        float* variance = Loaded(4, inVariance, Dtype::F32, n);
        advanced::Sub(distance, x, mean, n);
        advanced::Muls(next, distance, para.nRec, n);
        advanced::Add(next, next, mean, n);
        advanced::Sub(x, x, next, n);
        advanced::Mul(x, distance, x, n);
        advanced::Add(variance, x, variance, n);
        std::memmove(outMean, inMean, written);
        std::memmove(outVariance, inVariance, written);
        advanced::Store(outMean, Dtype::F32, next, n);
        advanced::Store(outVariance, Dtype::F32, variance, n);
    });
}

void RunWelfordFinalize(const WelfordTask& task, const advanced::Tmp& tmp,
                        const AscendC::WelfordFinalizePara& para, Location where) {
    Call call(Opcode::WelfordFinalize, where);
    if (!call) {
        return;
    }
    const uint32_t n = para.abLength;
    CheckShape(call, para.headCountLength + para.tailCountLength == n, 1, {n, n}, Dtype::F32,
               "and headCountLength + tailCountLength is abLength");
    const uint64_t bytes = uint64_t{n} * sizeof(float);
    const bool even = !task.hasCounts && (para.tailCountLength == 0 || para.tailCount == 0);
    const uint32_t form =
        (task.hasCounts ? FinalizeForm::kCounted : 0) | (even ? 0 : FinalizeForm::kUneven);
    call.shape() = {0, form, 1, n, para.headCountLength, 0, 0};
    uint8_t* outMean = call.Write(Arg::OutputMean, task.outMean, kResults * sizeof(float));
    uint8_t* outVariance =
        call.Write(Arg::OutputVariance, task.outVariance, kResults * sizeof(float));
    const uint8_t* inMean = call.Read(Arg::InputMean, task.inMean, bytes);
    const uint8_t* inVariance = call.Read(Arg::InputVariance, task.inVariance, bytes);
    const uint8_t* given = task.hasCounts ? call.Read(Arg::Counts, task.x, bytes) : nullptr;
    const uint64_t least = 4 * uint64_t{kRepeatBytes};
    const uint64_t piece = advanced::RoundUp(n, kLane) * sizeof(float);
    call.Take(tmp, {least, std::max(least, 2 * uint64_t{kRepeatBytes} + 2 * piece)});
    call.Run(Dtype::F32, n, Overlap::Library, [&] {
        float* mean = Loaded(0, inMean, Dtype::F32, n);
        float* sums = Loaded(1, inVariance, Dtype::F32, n);
        const float* counts = Counts(given, para);
        float* products = advanced::Row(3, n);
        if (even) {
            advanced::Muls(products, mean, para.abRec, n);
        } else {
            advanced::Mul(products, mean, counts, n);
            advanced::Muls(products, products, para.rRec, n);
        }
        const float total = advanced::SumOf(products, n);
        advanced::Adds(mean, mean, -total, n);
        advanced::Mul(mean, mean, mean, n);
        advanced::Mul(mean, mean, counts, n);
        advanced::Add(sums, sums, mean, n);
        advanced::Muls(sums, sums, para.rRec, n);
        StoreResult(outMean, total);
        StoreResult(outVariance, advanced::SumOf(sums, n));
    });
}

}  // namespace twin::norm

namespace twin {

namespace {

/// Lists the instructions that sum all elements, `size` elements at a time. Each sum goes to the
/// next element of `sums`. When `sums` has 64 elements, their total replaces the first element.
template <typename Terms>
void SumPieces(CallSteps s, View sums, int64_t size, View first, Terms terms) {
    int64_t slot = 0;
    InParts(s.n, size, [&](int64_t at, int64_t count) {
        const View x = terms(s.Count(count), at);
        norm::SumRows(s, first, sums[slot], x, 1, count);
        s.Barrier();
        ++slot;
        if (slot == 64 && count == size) {
            s.Repeats(1).WholeReduceSum(sums, sums);
            slot = 1;
        }
    });
    s.Repeats(1, slot).WholeReduceSum(sums, sums);
}

}  // namespace

void WelfordFinalizeSteps(CallSteps s) {
    using Form = norm::FinalizeForm;
    const View outMean = s.Operand(0), outVariance = s.Operand(1);
    const View mean = s.Operand(2), variance = s.Operand(3), counts = s.Operand(4);
    const bool counted = s.Has(Form::kCounted), uneven = s.Has(Form::kUneven);
    const int64_t size = std::max<int64_t>((s.Scratch() / 4 - 128) / 128, 1) * 64;
    const View means = s.Floats(64), variances = s.Floats(64), a = s.Floats(size);
    const View b = s.Floats(size);
    const auto head = [&](CallSteps s, int64_t at, View x) {
        s.If(uneven && !counted && s.Valid() > at).Count(std::min(s.Valid() - at, s.n)).Muls(x, x);
    };
    SumPieces(s, means, size, b, [&](CallSteps s, int64_t at) {
        if (counted) {
            s.Cast(a, counts[at]);
            s.Mul(a, mean[at], a);
            s.Muls(a, a);
        } else if (uneven) {
            s.Muls(b, mean[at]);
            s.Muls(a, b);
        } else {
            s.Muls(a, mean[at]);
        }
        head(s, at, a);
        return a;
    });
    SumPieces(s, variances, size, a, [&](CallSteps s, int64_t at) {
        s.Count(1).Adds(a, means);
        s.Count(1).Adds(b, a);
        norm::FillRows(s, a, b, 1, s.n);
        s.Sub(b, mean[at], a);
        s.Mul(a, b, b);
        if (counted) {
            s.Cast(b, counts[at]);
            s.Mul(a, a, b);
            s.Add(b, a, variance[at]);
            s.Muls(b, b);
        } else {
            s.Muls(b, a);
            head(s, at, b);
            s.Add(a, variance[at], b);
            s.Muls(b, a);
        }
        return b;
    });
    s.Count(1).NoBarrier().Adds(outMean, means);
    s.Count(1).Adds(outVariance, variances);
    s.Repeats(1, 7).Duplicate(outMean[1]);
    s.Repeats(1, 7).Duplicate(outVariance[1]);
}

void WelfordUpdateSteps(CallSteps s) {
    using Form = norm::WelfordForm;
    const auto floats = [&](size_t operand) { return s.Operand(operand).As(Dtype::F32); };
    const View mean = floats(0), variance = floats(1), before = floats(2), spread = floats(3);
    const bool half = s.Half(), reuse = s.Has(Form::kReuse) && !half;
    if (s.Has(Form::kRest)) {
        const int64_t rest = Up(s.Columns() - s.Valid(), 8) * 8, at = s.Columns() - rest;
        s.Count(rest).NoBarrier().DataCopy(mean[at], before[at]);
        s.Count(rest).DataCopy(variance[at], spread[at]);
    }
    const int64_t size = s.Scratch() / (256 * (half ? 3 : reuse ? 1 : 2)) * 64;
    const View wide = s.Floats(half ? size : 0), tmp = s.Floats(size), other = s.Floats(size);
    const auto piece = [&](CallSteps s, View mean, View variance, View before, View spread,
                           View src) {
        const View x = half ? wide : src, moved = reuse ? x : other, step = reuse ? tmp : other;
        if (half) {
            s.Barrier();
            s.NoBarrier().Cast(wide, src);
        }
        s.Barrier();
        s.Sub(tmp, x, before);
        s.Muls(step, tmp);
        s.Add(mean, step, before);
        s.If(reuse).Sub(tmp, x, mean);
        s.Sub(moved, x, reuse ? before : mean);
        s.Mul(tmp, tmp, moved);
        s.Add(variance, tmp, spread);
    };
    s.Count(s.Valid()).Pieces(size, {mean, variance, before, spread, s.Operand(4)}, piece);
}

}  // namespace twin
