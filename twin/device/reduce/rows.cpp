// SPDX-License-Identifier: Apache-2.0
#include "device/reduce/rows.h"

#include <algorithm>
#include <cstring>

#include "core/library_steps.h"
#include "device/lanes/arithmetic.h"
#include "device/lanes/reduce.h"
#include "device/library/call.h"
#include "device/library/elementwise.h"
#include "device/reduce/pattern.h"

namespace twin::reduce {
namespace {

using advanced::Call;
using advanced::RoundUp;

/// Sums a row in levels, like RepeatReduceSum calls. A level sums each repeat of the level before.
struct RowSum {
    Dtype dtype;
    bool saturate;
    uint32_t size = SizeOf(dtype);
    uint32_t perRepeat = kRepeatBytes / size;
    lanes::SumFn sum = lanes::BestReduce().sum[static_cast<size_t>(dtype)];

    const uint8_t* operator()(const uint8_t* row, uint32_t count) const {
        const size_t words = count / perRepeat + 1;
        auto* level = reinterpret_cast<uint8_t*>(advanced::Row(0, words));
        auto* next = reinterpret_cast<uint8_t*>(advanced::Row(1, words));
        do {
            Level(level, row, count);
            count = (count + perRepeat - 1) / perRepeat;
            row = level;
            std::swap(level, next);
        } while (count > 1);
        return row;
    }

    void Level(uint8_t* dst, const uint8_t* src, uint32_t count) const {
        const uint32_t whole = count / perRepeat;
        for (uint32_t done = 0; done < whole; done += lanes::kReduceBatch) {
            const size_t repeats = std::min<size_t>(lanes::kReduceBatch, whole - done);
            sum(dst + done * size, src + uint64_t{done} * kRepeatBytes, nullptr, repeats, perRepeat,
                saturate);
        }
        const uint32_t tail = (count - whole * perRepeat) * size;
        if (tail > 0) {
            uint8_t last[kRepeatBytes] = {};
            uint8_t active[kRepeatBytes] = {};
            std::memcpy(last, src + uint64_t{whole} * kRepeatBytes, tail);
            std::memset(active, 0xFF, tail);
            sum(dst + whole * size, last, active, 1, perRepeat, saturate);
        }
    }
};

void CheckShape(const RowReduction& what) {
    if (what.rows > 0 && what.count >= 1 && what.count <= what.pitch &&
        what.pitch * SizeOf(what.dtype) % kBlockBytes == 0) {
        return;
    }
    Fail("T703",
         "shape not taken: %s of %u rows of %s with inner %u and n %u; outter is at least 1, n "
         "from 1 "
         "to inner, inner a multiple of 32 B\n  try: inner = n rounded up to 32 B",
         Name(what.api), what.rows, Name(what.dtype), what.pitch, what.count);
}

void StoreMean(uint8_t* dst, const RowReduction& what, const uint8_t* sum) {
    const float share = 1.0F / static_cast<float>(what.count);
    if (what.wide) {
        float mean;
        std::memcpy(&mean, sum, sizeof(mean));
        advanced::StoreOne(dst, what.dtype, 0, mean * share);
        return;
    }
    uint8_t scalar[sizeof(float)];
    advanced::StoreOne(scalar, what.dtype, 0, share);
    const auto muls = static_cast<size_t>(lanes::ScalarOp::Muls);
    lanes::BestArithmetic().scalar[muls][static_cast<size_t>(what.dtype)](dst, sum, scalar, 1);
}

}  // namespace

uint32_t SumScratch(uint32_t n, uint32_t typeSize) {
    const uint32_t repeats = (n * typeSize + kRepeatBytes - 1) / kRepeatBytes;
    return static_cast<uint32_t>(RoundUp(uint64_t{repeats} * typeSize, kBlockBytes));
}

uint32_t MeanScratch(uint32_t n, uint32_t typeSize, uint32_t accTypeSize) {
    const uint32_t repeats = (n * accTypeSize + kRepeatBytes - 1) / kRepeatBytes;
    const uint64_t row = RoundUp(uint64_t{n} * typeSize, kBlockBytes) / typeSize;
    const uint64_t copy = accTypeSize > typeSize ? row * accTypeSize : 0;
    return static_cast<uint32_t>(RoundUp(repeats, kBlockBytes) + copy);
}

uint32_t XorSumScratch(uint32_t elements, uint32_t typeSize, bool reuse) {
    const uint64_t part = RoundUp(elements, kBlockBytes) * typeSize;
    return static_cast<uint32_t>((reuse ? 2 : 3) * std::max<uint64_t>(part, kRepeatBytes));
}

void CheckPattern(const char* api, const uint32_t shape[], bool padded, uint32_t scratch,
                  uint32_t needed) {
    if (shape[0] == 0 || shape[1] == 0 || !padded) {
        Fail("T703",
             "shape not taken: %s of %u rows of %u elements, srcInnerPad %s; neither is 0, and on "
             "A2 and A3 rows are padded to 32 B (true)",
             api, shape[0], shape[1], padded ? "true" : "false");
    }
    if (scratch < needed) {
        Fail("T700",
             "scratch too small: %s finds %u B, it takes at least %u B\n  try: the size that the "
             "Get%sMaxMinTmpSize function of the host side gives",
             api, scratch, needed, api);
    }
}

void CheckFlagRows(const char* api, uint32_t last) {
    if (Self().strict && last > kBlockBytes / 2 && last < kBlockBytes) {
        Fail("T703",
             "shape not taken: %s of rows of %u uint8_t elements; of rows of 17 to 31 elements the "
             "library's code reduces only the first 16\n  try: rows padded to 32 elements",
             api, last);
    }
}

void RunRows(const RowReduction& what, const Operand& dst, const Operand& src,
             const advanced::Tmp& tmp, Location where) {
    Call call(what.api, where);
    if (!call) {
        return;
    }
    CheckShape(what);
    const uint32_t size = SizeOf(what.dtype);
    const Dtype sumType = what.wide ? Dtype::F32 : what.dtype;
    const bool oneRepeat = what.count * size <= kRepeatBytes && !what.wide;
    const uint64_t need =
        what.mean ? MeanScratch(what.count, size, SizeOf(sumType)) : SumScratch(what.count, size);
    const uint64_t pitch = uint64_t{what.pitch} * size;
    call.shape() = {0, what.wide ? 1U : 0U, what.rows, what.pitch, what.count, 0, 0};
    uint8_t* to = call.Write(Arg::DstTensor, dst, uint64_t{what.rows} * size);
    const uint8_t* from =
        call.Read(Arg::SrcTensor, src, Runs{uint64_t{what.count} * size, Level{what.rows, pitch}});
    call.Take(tmp, {need, oneRepeat ? 0 : need});
    call.issue().Reads(Register::Ctrl);
    call.RunRows(what.dtype, uint64_t{what.rows} * what.count, what.count, false, [&] {
        const RowSum sum{sumType, !call.core().CtrlBit(kCtrlInfNan)};
        for (uint32_t i = 0; i < what.rows; ++i, to += size, from += pitch) {
            const uint8_t* row = from;
            if (what.wide) {
                float* floats = advanced::Row(2, what.count);
                advanced::Load(floats, row, what.dtype, what.count);
                row = reinterpret_cast<const uint8_t*>(floats);
            }
            const uint8_t* result = sum(row, what.count);
            if (what.mean) {
                StoreMean(to, what, result);
            } else {
                std::memcpy(to, result, size);
            }
        }
    });
}

void RunXorSum(const Operand& dst, const Operand& src0, const Operand& src1,
               const advanced::Tmp& tmp, uint32_t count, bool reuse, Location where) {
    Call call(Opcode::ReduceXorSum, where);
    if (!call) {
        return;
    }
    if (count == 0) {
        Fail("T703", "shape not taken: ReduceXorSum of 0 elements; calCount is at least 1");
    }
    const uint64_t bytes = uint64_t{count} * sizeof(int16_t);
    const uint64_t need = RoundUp(count, kBlockBytes) * sizeof(int16_t) * (reuse ? 2 : 3);
    uint8_t* to = call.Write(Arg::DstTensor, dst, sizeof(int16_t));
    const auto* a = reinterpret_cast<const int16_t*>(call.Read(Arg::Src0Tensor, src0, bytes));
    const auto* b =
        reinterpret_cast<const int16_t*>(call.Read(Arg::Src1Tensor, src1, bytes, reuse));
    call.shape().form = reuse ? 1 : 0;
    call.Take(tmp, {need, need});
    call.Run(Dtype::I16, count, Overlap::InPlace, [&] {
        float* values = advanced::Row(2, count);
        for (uint32_t i = 0; i < count; ++i) {
            values[i] = static_cast<float>(static_cast<int16_t>(a[i] ^ b[i]));
        }
        // Like one accumulating instruction, adds the sums of the repeats one after the other.
        constexpr uint32_t kPerRepeat = kRepeatBytes / sizeof(float);
        const RowSum sum{Dtype::F32, false};
        float total = 0;
        for (uint32_t done = 0; done < count; done += kPerRepeat) {
            const uint8_t* part = sum(reinterpret_cast<const uint8_t*>(values + done),
                                      std::min(kPerRepeat, count - done));
            float repeat;
            std::memcpy(&repeat, part, sizeof(repeat));
            total += repeat;
        }
        lanes::BestCasts().cast[static_cast<size_t>(Dtype::I16)][static_cast<size_t>(Dtype::F32)](
            to, &total, 1, lanes::Round::Nearest);
    });
}

}  // namespace twin::reduce

namespace twin {

namespace {

/// Lists instructions that sum each row in levels. A level sums each repeat of the level before.
void SumRows(CallSteps s, View dst, View src) {
    const int64_t per = kRepeatBytes / SizeOf(s.Type()), first = Up(s.Valid(), per);
    const View sums = s.Work(s.Type(), first);
    for (int64_t row = 0; row < s.Rows(); ++row) {
        const View from = src[row * s.Columns()];
        if (first == 1) {
            s.Count(s.Valid()).NoBarrier().RepeatReduceSum(dst[row], from);
            continue;
        }
        s.Count(s.Valid()).RepeatReduceSum(sums, from);
        for (int64_t left = first; left > 1; left = Up(left, per)) {
            s.Count(left).RepeatReduceSum(left <= per ? dst[row] : sums, sums);
        }
    }
}

}  // namespace

void SumSteps(CallSteps s) { SumRows(s, s.Operand(0), s.Operand(1)); }

void MeanSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1);
    if (!s.Has(1)) {
        SumRows(s, dst, src);
        s.If(s.Valid() <= kRepeatBytes / SizeOf(s.Type())).Barrier();
        return s.Count(s.Rows()).NoBarrier().Muls(dst, dst);
    }
    // Sums of half are computed in float.
    const View x = s.Floats(s.Columns()), sums = s.Floats(64);
    for (int64_t row = 0; row < s.Rows(); ++row) {
        s.Count(s.Valid()).Cast(x, src[row * s.Columns()]);
        s.Count(s.Valid()).RepeatReduceSum(sums, x);
        for (int64_t left = Up(s.Valid(), 64); left > 1; left = Up(left, 64)) {
            s.Count(left).RepeatReduceSum(sums, sums);
        }
        s.Count(1).Muls(sums, sums);
        s.Count(1).Cast(x.As(Dtype::F16), sums);
        s.Count(1).NoBarrier().RepeatReduceSum(dst[row], x.As(Dtype::F16));
    }
}

void ReduceXorSumSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1), other = s.Operand(2);
    const int64_t size = s.Part(s.Has(1) ? 2 : 3, sizeof(int16_t));
    const View a = s.Work(Dtype::I16, size), b = s.Work(Dtype::I16, size);
    const View sums = a.As(Dtype::F32);
    s.NoBarrier().And(a, src, other);
    s.Or(b, src, other);
    s.Not(a, a);
    s.And(b, a, b);
    s.Cast(sums, b);
    s.NoBarrier().ReduceSum(sums);
    s.ToScalar();
    s.Write(sums);
    s.ToVector();
    s.Barrier();
    s.Count(1).Cast(dst, sums);
}

}  // namespace twin
