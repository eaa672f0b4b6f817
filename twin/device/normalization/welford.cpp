// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/welford.h"

#include <algorithm>
#include <cstring>

#include "device/library/floats.h"

namespace twin::norm {
namespace {

using advanced::Call;

constexpr uint32_t kLane = 64;  ///< floats of a repeat
constexpr uint32_t kResults = 8;

float* Loaded(uint32_t slot, const uint8_t* from, Dtype dtype, uint32_t count) {
    float* row = advanced::Row(slot, count);
    advanced::Load(row, from, dtype, count);
    return row;
}

}  // namespace

void RunWelfordUpdate(const WelfordTask& task, const advanced::Tmp& tmp,
                      const AscendC::WelfordUpdateParam& para, Location where) {
    Call call("WelfordUpdate", where);
    if (!call) {
        return;
    }
    const uint32_t n = para.abComputeLength;
    CheckShape(call, para.rnLength == 1, 1, {para.abLength, n}, task.dtype, "and rnLength is 1");
    const uint64_t all = uint64_t{para.abLength} * sizeof(float);
    const uint64_t written = task.copyRest ? all : n * sizeof(float);
    AddAll(&call, {{"outputMean", task.outMean, written, true},
                   {"outputVariance", task.outVariance, written, true},
                   {"inputMean", task.inMean, written},
                   {"inputVariance", task.inVariance, written},
                   {"inputX", task.x, uint64_t{n} * SizeOf(task.dtype)}});
    const bool reuse = task.reuse && task.dtype == Dtype::F32;
    // Reusing the source needs the old mean once more after the new one is there.
    const bool sound = call.Check(reuse ? advanced::InPlace::Breaks : advanced::InPlace::Works);
    const uint64_t lane = (task.dtype == Dtype::F16 ? 3 : reuse ? 1 : 2) * uint64_t{kRepeatBytes};
    call.Take(tmp, {lane, (n + kLane - 1) / kLane * lane});
    const float* mean = Loaded(0, call.At(2), Dtype::F32, n);
    float* x = Loaded(1, call.At(4), task.dtype, n);
    float* distance = advanced::Row(2, n);
    float* next = advanced::Row(3, n);
    float* variance = Loaded(4, call.At(3), Dtype::F32, n);
    advanced::Sub(distance, x, mean, n);
    advanced::Muls(next, distance, para.nRec, n);
    advanced::Add(next, next, mean, n);
    advanced::Sub(x, x, next, n);
    advanced::Mul(x, distance, x, n);
    advanced::Add(variance, x, variance, n);
    std::memmove(call.At(0), call.At(2), written);
    std::memmove(call.At(1), call.At(3), written);
    advanced::Store(call.At(0), Dtype::F32, next, n);
    advanced::Store(call.At(1), Dtype::F32, variance, n);
    if (!sound) {
        call.Spoil();
    }
    if (reuse) {
        advanced::Poison(call.core(), task.x.address, uint64_t{n} * sizeof(float));
    }
    call.Finish(task.dtype, n);
}

namespace {

/// How many values each running mean stands for.
const float* Counts(const WelfordTask& task, const Call& call,
                    const AscendC::WelfordFinalizePara& para) {
    float* counts = advanced::Row(2, para.abLength);
    if (task.hasCounts) {
        lanes::BestCasts().cast[static_cast<size_t>(Dtype::F32)][static_cast<size_t>(Dtype::I32)](
            counts, call.At(4), para.abLength, lanes::Round::None);
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

void RunWelfordFinalize(const WelfordTask& task, const advanced::Tmp& tmp,
                        const AscendC::WelfordFinalizePara& para, Location where) {
    Call call("WelfordFinalize", where);
    if (!call) {
        return;
    }
    const uint32_t n = para.abLength;
    CheckShape(call, para.headCountLength + para.tailCountLength == n, 1, {n, n}, Dtype::F32,
               "and headCountLength + tailCountLength is abLength");
    const uint64_t bytes = uint64_t{n} * sizeof(float);
    AddAll(&call, {{"outputMean", task.outMean, kResults * sizeof(float), true},
                   {"outputVariance", task.outVariance, kResults * sizeof(float), true},
                   {"inputMean", task.inMean, bytes},
                   {"inputVariance", task.inVariance, bytes}});
    if (task.hasCounts) {
        call.Add({"counts", task.x, bytes});
    }
    const bool sound = call.Check(advanced::InPlace::Breaks);
    const uint64_t least = 4 * uint64_t{kRepeatBytes};
    const uint64_t piece = advanced::RoundUp(n, kLane) * sizeof(float);
    call.Take(tmp, {least, std::max(least, 2 * uint64_t{kRepeatBytes} + 2 * piece)});
    float* mean = Loaded(0, call.At(2), Dtype::F32, n);
    float* sums = Loaded(1, call.At(3), Dtype::F32, n);
    const float* counts = Counts(task, call, para);
    float* products = advanced::Row(3, n);
    const bool even = !task.hasCounts && (para.tailCountLength == 0 || para.tailCount == 0);
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
    StoreResult(call.At(0), total);
    StoreResult(call.At(1), advanced::SumOf(sums, n));
    if (!sound) {
        call.Spoil();
    }
    call.Finish(Dtype::F32, n);
}

}  // namespace twin::norm
