// SPDX-License-Identifier: Apache-2.0
#include "device/sort/topk.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "device/lanes/arithmetic.h"
#include "device/library/tiling_rules.h"
#include "device/sort/pairs.h"

namespace twin::sort {
namespace {

using advanced::Call;

constexpr int32_t kMostInner = 4096;
constexpr int32_t kSmallInner = 32;

void CheckShape(const Topk& topk) {
    const TopkShape& s = topk.shape;
    const bool inner = s.small ? s.inner == kSmallInner
                               : s.inner > 0 && s.inner % kSmallInner == 0 && s.inner <= kMostInner;
    if (inner && s.outter >= 1 && topk.valid >= 1 && topk.valid <= s.inner && s.k >= 1 &&
        s.k <= topk.valid) {
        return;
    }
    Fail("T703",
         "shape not taken: TopK of the best %d of n = %d in %d rows of inner %d; %s, n from 1 to "
         "inner, k from 1 to n\n  try: pad the rows to 32 elements with numbers that lose",
         s.k, topk.valid, s.outter, s.inner,
         s.small ? "in TOPK_NSMALL inner is 32" : "inner is a multiple of 32 up to 4096");
}

void CheckTiling(const Topk& topk) {
    const TopkTiling& got = topk.tiling;
    const TopkTiling want = MakeTopkTiling(topk.shape);
    const auto rule = [](const char* name, auto value, auto expected) {
        return advanced::FieldRule{name, static_cast<uint64_t>(value),
                                   static_cast<uint64_t>(expected)};
    };
#define TWIN_RULE(FIELD) rule(#FIELD, got.FIELD, want.FIELD)
    advanced::CheckFields("TopK", {TWIN_RULE(innerDataSize), TWIN_RULE(maskOffset),
                                   TWIN_RULE(tmpLocalSize), TWIN_RULE(kAlignFourBytes)});
    if (topk.shape.small) {
        advanced::CheckFields(
            "TopK",
            {TWIN_RULE(allDataSize), TWIN_RULE(topkMrgSrc1MaskSizeOffset),
             TWIN_RULE(topkNSmallSrcIndexOffset), TWIN_RULE(vreduceIdxMask0),
             TWIN_RULE(vreduceIdxMask1), TWIN_RULE(vreduceValMask0), TWIN_RULE(vreduceValMask1),
             TWIN_RULE(vreducehalfValMask0), TWIN_RULE(vreducehalfValMask7)});
        return;
    }
    advanced::CheckFields(
        "TopK", {TWIN_RULE(sortRepeat), TWIN_RULE(mrgSortRepeat), TWIN_RULE(kAlignTwoBytes),
                 TWIN_RULE(maskVreducev2FourBytes), TWIN_RULE(maskVreducev2TwoBytes),
                 TWIN_RULE(mrgSortSrc1offset), TWIN_RULE(mrgSortSrc2offset),
                 TWIN_RULE(mrgSortSrc3offset), TWIN_RULE(mrgSortTwoQueueSrc1Offset),
                 TWIN_RULE(srcIndexOffset), TWIN_RULE(copyUbToUbBlockCount)});
#undef TWIN_RULE
}

/// Places of a row's k best, best first.
class Ranking {
public:
    const uint32_t* operator()(const Topk& topk, const uint8_t* row) {
        const uint32_t size = SizeOf(topk.dtype);
        for (int32_t i = 0; i < topk.shape.inner; ++i) {
            const int32_t key = KeyOf(row + i * size, topk.dtype);
            keys_[i] = topk.shape.largest || key == INT32_MAX ? key : -key;
        }
        uint32_t* const end = order_ + topk.shape.inner;
        std::iota(order_, end, 0U);
        std::partial_sort(order_, order_ + topk.shape.k, end, [this](uint32_t a, uint32_t b) {
            return keys_[a] != keys_[b] ? keys_[a] > keys_[b] : a < b;
        });
        return order_;
    }

private:
    int32_t keys_[kMostInner];
    uint32_t order_[kMostInner];
};

void CheckPadding(const Topk& topk, int32_t row, const uint32_t* order) {
    const uint32_t* end = order + topk.shape.k;
    const uint32_t* found = std::find_if(
        order, end, [&](uint32_t place) { return place >= static_cast<uint32_t>(topk.valid); });
    if (found != end) {
        Fail("T721",
             "padding counts: TopK takes element %u of row %d, of which only n = %d are valid\n  "
             "try: fill the rest of the row with numbers that lose: -inf, or inf for the smallest",
             *found, row, topk.valid);
    }
}

/// What multiplying with -1, once before and once after, leaves of NaN and numbers.
void NegateTwice(Dtype dtype, uint8_t* values, int32_t count) {
    uint8_t minusOne[4] = {0, 0, 0x80, 0xBF};
    const uint8_t half[4] = {0, 0xBC, 0, 0};
    if (dtype == Dtype::F16) {
        std::memcpy(minusOne, half, sizeof(half));
    }
    const auto muls =
        lanes::BestArithmetic()
            .scalar[static_cast<size_t>(lanes::ScalarOp::Muls)][static_cast<size_t>(dtype)];
    muls(values, values, minusOne, static_cast<size_t>(count));
    muls(values, values, minusOne, static_cast<size_t>(count));
}

void StoreRow(const Topk& topk, const Call& call, int32_t row, const uint32_t* order) {
    const TopkShape& s = topk.shape;
    const uint32_t size = SizeOf(topk.dtype);
    const uint64_t perBlock = kBlockBytes / size;
    const uint64_t valuePitch = s.small ? s.k : advanced::RoundUp(s.k, perBlock);
    const uint64_t indexPitch = s.small ? s.k : advanced::RoundUp(s.k, kBlockBytes / 4);
    const uint8_t* src = call.At(2) + uint64_t{static_cast<uint32_t>(row * s.inner)} * size;
    uint8_t* values = call.At(0) + row * valuePitch * size;
    uint8_t* indices = call.At(1) + row * indexPitch * sizeof(int32_t);
    const uint8_t* given = s.initIndex ? call.At(3) : nullptr;
    if (given != nullptr && s.small) {
        given += uint64_t{static_cast<uint32_t>(row * s.inner)} * sizeof(int32_t);
    }
    const bool finished = topk.finishes && call.At(s.initIndex ? 4 : 3)[row] != 0;
    for (int32_t i = 0; i < s.k; ++i) {
        std::memcpy(values + i * size, src + order[i] * size, size);
        int32_t index = finished ? topk.valid : static_cast<int32_t>(order[i]);
        if (!finished && given != nullptr) {
            std::memcpy(&index, given + order[i] * sizeof(int32_t), sizeof(index));
        }
        std::memcpy(indices + i * sizeof(index), &index, sizeof(index));
    }
    if (!s.largest) {
        NegateTwice(topk.dtype, values, s.k);
    }
}

void AddParts(const Topk& topk, Call* call) {
    const TopkShape& s = topk.shape;
    const uint64_t size = SizeOf(topk.dtype);
    const auto rows = static_cast<uint64_t>(s.outter);
    const auto elements = rows * static_cast<uint64_t>(s.inner);
    const auto pitch = [&](uint64_t bytes) {
        const uint64_t row = static_cast<uint64_t>(s.k) * bytes;
        return s.small ? row : advanced::RoundUp(row, kBlockBytes);
    };
    call->Add({"dstValueLocal", topk.value, rows * pitch(size), true});
    call->Add({"dstIndexLocal", topk.index, rows * pitch(sizeof(int32_t)), true});
    call->Add({"srcLocal", topk.src, elements * size});
    if (s.initIndex) {
        const uint64_t count = s.small ? elements : static_cast<uint64_t>(s.inner);
        call->Add({"srcIndexLocal", topk.srcIndex, count * sizeof(int32_t)});
    }
    if (topk.finishes) {
        call->Add({"finishLocal", topk.finish, rows});
    }
}

}  // namespace

void RunTopk(const Topk& topk, const advanced::Tmp& tmp, Location where) {
    Call call("TopK", where);
    if (!call) {
        return;
    }
    CheckShape(topk);
    if (call.core().strict) {
        CheckTiling(topk);
    }
    AddParts(topk, &call);
    const bool sound = call.Check(advanced::InPlace::Breaks);
    const auto need = static_cast<uint64_t>(MakeTopkTiling(topk.shape).tmpLocalSize);
    const uint64_t bytes = need * SizeOf(topk.dtype);
    call.Take(tmp, {bytes, bytes});
    thread_local Ranking rank;
    for (int32_t i = 0; sound && i < topk.shape.outter; ++i) {
        const auto at = static_cast<uint64_t>(i) * static_cast<uint64_t>(topk.shape.inner);
        const uint32_t* order = rank(topk, call.At(2) + at * SizeOf(topk.dtype));
        if (call.core().strict && !topk.shape.initIndex) {
            CheckPadding(topk, i, order);
        }
        StoreRow(topk, call, i, order);
    }
    if (!sound) {
        call.Spoil();
    }
    call.Finish(topk.dtype,
                static_cast<uint64_t>(topk.shape.inner) * static_cast<uint64_t>(topk.shape.outter));
}

}  // namespace twin::sort
