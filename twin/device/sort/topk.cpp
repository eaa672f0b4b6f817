// SPDX-License-Identifier: Apache-2.0
#include "device/sort/topk.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "device/lanes/arithmetic.h"
#include "device/library/call.h"
#include "device/library/tmp.h"
#include "device/sort/sort.h"

namespace twin::sort {
namespace {

using advanced::Call;

constexpr int32_t kMostInner = 4096;
constexpr int32_t kSmallInner = 32;

void CheckShape(const Topk& topk) {
    const TopkShape& s = topk.shape;
    if (s.small && topk.finishes) {
        Fail("T703",
             "mode not taken: TopK skips rows that are finished in TOPK_NORMAL only\n  try: "
             "isHasfinish false, or TOPK_NORMAL");
    }
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

/// Finds the indices of the k largest or smallest elements of a row, the most extreme first.
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

/// Multiplies the values by -1 twice, as the library does: once before it sorts, and once after.
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

/// Host addresses of a call's tensors, and the distances in bytes between the results of two rows.
struct Places {
    uint8_t* values;
    uint8_t* indices;
    const uint8_t* src;
    const uint8_t* given;   ///< indices of the source elements; may be null
    const uint8_t* finish;  ///< flags of the finished rows; may be null
    uint64_t valuePitch;
    uint64_t indexPitch;
};

Places NoteAll(const Topk& topk, Call* call) {
    const TopkShape& s = topk.shape;
    const uint64_t size = SizeOf(topk.dtype);
    const auto rows = static_cast<uint64_t>(s.outter);
    const auto k = static_cast<uint64_t>(s.k);
    const auto inner = static_cast<uint64_t>(s.inner);
    const auto pitch = [&](uint64_t bytes) {
        return s.small ? k * bytes : advanced::RoundUp(k * bytes, kBlockBytes);
    };
    Places places = {};
    places.valuePitch = pitch(size);
    places.indexPitch = pitch(sizeof(int32_t));
    places.values =
        call->Write(Arg::DstValueLocal, topk.value, Runs{k * size, Level{rows, places.valuePitch}});
    places.indices = call->Write(Arg::DstIndexLocal, topk.index,
                                 Runs{k * sizeof(int32_t), Level{rows, places.indexPitch}});
    call->issue().As(Dtype::I32);
    places.src = call->Read(Arg::SrcLocal, topk.src, rows * inner * size);
    if (s.initIndex) {
        places.given = call->Read(Arg::SrcIndexLocal, topk.srcIndex,
                                  (s.small ? rows : 1) * inner * sizeof(int32_t));
        call->issue().As(Dtype::I32);
    }
    if (topk.finishes) {
        places.finish = call->Read(Arg::FinishLocal, topk.finish, rows);
    }
    return places;
}

void SetShape(const Topk& topk, CallShape* shape) {
    const TopkShape& s = topk.shape;
    shape->form = (s.largest ? 0 : TopkForm::kSmallest) | (s.initIndex ? TopkForm::kGiven : 0) |
                  (topk.finishes ? TopkForm::kFinishes : 0) | (s.small ? TopkForm::kSmall : 0);
    shape->rows = static_cast<uint32_t>(s.outter);
    shape->columns = static_cast<uint32_t>(s.inner);
    shape->valid = static_cast<uint32_t>(s.k);
}

void StoreRow(const Topk& topk, const Places& places, uint64_t row, const uint32_t* order) {
    const TopkShape& s = topk.shape;
    const uint32_t size = SizeOf(topk.dtype);
    const uint64_t first = row * static_cast<uint64_t>(s.inner);
    uint8_t* values = places.values + row * places.valuePitch;
    uint8_t* indices = places.indices + row * places.indexPitch;
    const uint64_t givenFirst = s.small ? first : 0;
    const bool finished = places.finish != nullptr && places.finish[row] != 0;
    for (int32_t i = 0; i < s.k; ++i) {
        std::memcpy(values + i * size, places.src + (first + order[i]) * size, size);
        int32_t index = finished ? topk.valid : static_cast<int32_t>(order[i]);
        if (!finished && places.given != nullptr) {
            std::memcpy(&index, places.given + (givenFirst + order[i]) * sizeof(index),
                        sizeof(index));
        }
        std::memcpy(indices + i * sizeof(index), &index, sizeof(index));
    }
    if (!s.largest) {
        NegateTwice(topk.dtype, values, s.k);
    }
}

}  // namespace

void RunTopk(const Topk& topk, const advanced::Tmp& tmp, Location where) {
    Call call(Opcode::TopK, where);
    if (!call) {
        return;
    }
    CheckShape(topk);
    SetShape(topk, &call.shape());
    if (call.core().strict) {
        CheckTiling(topk);
    }
    const Places places = NoteAll(topk, &call);
    const auto need = static_cast<uint64_t>(MakeTopkTiling(topk.shape).tmpLocalSize);
    const uint64_t bytes = need * SizeOf(topk.dtype);
    call.Take(tmp, {bytes, bytes});
    const auto inner = static_cast<uint64_t>(topk.shape.inner);
    const auto rows = static_cast<uint64_t>(topk.shape.outter);
    call.Run(topk.dtype, inner * rows, Overlap::Library, [&] {
        thread_local Ranking rank;
        for (uint64_t i = 0; i < rows; ++i) {
            const uint32_t* order = rank(topk, places.src + i * inner * SizeOf(topk.dtype));
            if (call.core().strict && !topk.shape.initIndex) {
                CheckPadding(topk, static_cast<int32_t>(i), order);
            }
            StoreRow(topk, places, i, order);
        }
    });
}

namespace {

constexpr int32_t kPair = 8;  ///< bytes of a score with its index
constexpr int32_t kGroupOf32 = 32;
constexpr int32_t kMaskBytes = 64;
constexpr int32_t kIndexBytes = 4;

int32_t RoundUp(int32_t value, int32_t unit) { return (value + unit - 1) / unit * unit; }

/// Returns a mask in which bit i * step + first is set for each i below `per` with begin + i < k.
uint32_t MaskBits(int32_t k, int32_t begin, int32_t per, int32_t step, int32_t first) {
    uint32_t bits = 0;
    for (int32_t i = 0; i < std::min(per, k - begin); ++i) {
        bits |= 1U << (i * step + first);
    }
    return bits;
}

/// Sets the GatherMask patterns that keep the first `k` of 32 pairs.
void SetMasks(TopkTiling* tiling, int32_t k, uint32_t typeSize) {
    tiling->vreduceIdxMask0 = MaskBits(k, 0, 16, 2, 1);
    tiling->vreduceIdxMask1 = MaskBits(k, 16, 16, 2, 1);
    if (typeSize == sizeof(float)) {
        tiling->vreduceValMask0 = MaskBits(k, 0, 16, 2, 0);
        tiling->vreduceValMask1 = MaskBits(k, 16, 16, 2, 0);
        return;
    }
    uint16_t* const masks[] = {&tiling->vreducehalfValMask0, &tiling->vreducehalfValMask1,
                               &tiling->vreducehalfValMask2, &tiling->vreducehalfValMask3,
                               &tiling->vreducehalfValMask4, &tiling->vreducehalfValMask5,
                               &tiling->vreducehalfValMask6, &tiling->vreducehalfValMask7};
    for (int32_t i = 0; i < 8; ++i) {
        *masks[i] = static_cast<uint16_t>(MaskBits(k, i * 4, 4, 4, 0));
    }
}

void SetNormal(TopkTiling* tiling, const TopkShape& shape) {
    const auto size = static_cast<int32_t>(shape.typeSize);
    const int32_t perPair = kPair / size;
    tiling->innerDataSize = shape.inner * perPair;
    tiling->tmpLocalSize = 2 * tiling->innerDataSize;
    tiling->sortRepeat = static_cast<uint32_t>(shape.inner / kGroupOf32);
    tiling->mrgSortRepeat = shape.inner / 4;
    tiling->kAlignTwoBytes = RoundUp(shape.k, 16);
    tiling->maskOffset =
        shape.outter * (size == 2 ? tiling->kAlignTwoBytes : tiling->kAlignFourBytes);
    tiling->maskVreducev2FourBytes = 2 * shape.k;
    tiling->maskVreducev2TwoBytes = 4 * shape.k;
    tiling->mrgSortSrc1offset = perPair;
    tiling->mrgSortSrc2offset = 2 * perPair;
    tiling->mrgSortSrc3offset = 3 * perPair;
    tiling->mrgSortTwoQueueSrc1Offset = perPair;
    tiling->mrgFourQueueTailPara1 = 2 * shape.inner;
    tiling->mrgFourQueueTailPara2 = kIndexBytes / size;
    tiling->copyUbToUbBlockCount = static_cast<uint32_t>(shape.inner * kPair / 32);
    if (!shape.initIndex) {
        tiling->srcIndexOffset = tiling->tmpLocalSize;
        tiling->tmpLocalSize += shape.inner * kIndexBytes / size;
    }
}

void SetSmall(TopkTiling* tiling, const TopkShape& shape) {
    const auto size = static_cast<int32_t>(shape.typeSize);
    const int32_t elements = shape.inner * shape.outter;
    tiling->innerDataSize = elements * (kPair / size);
    tiling->maskOffset = shape.outter * shape.k;
    tiling->topkMrgSrc1MaskSizeOffset = tiling->innerDataSize + (shape.largest ? 0 : elements);
    tiling->tmpLocalSize = tiling->topkMrgSrc1MaskSizeOffset + kMaskBytes / size;
    if (!shape.initIndex) {
        tiling->topkNSmallSrcIndexOffset = tiling->tmpLocalSize;
        tiling->tmpLocalSize += elements * kIndexBytes / size;
    }
    SetMasks(tiling, shape.k, shape.typeSize);
}

}  // namespace

TopkTiling MakeTopkTiling(const TopkShape& shape) {
    TopkTiling tiling;
    tiling.allDataSize = shape.inner * shape.outter;
    tiling.kAlignFourBytes = RoundUp(shape.k, 8);
    if (shape.small) {
        SetSmall(&tiling, shape);
    } else {
        SetNormal(&tiling, shape);
    }
    return tiling;
}

uint32_t TopkScratch(const TopkShape& shape) {
    const int32_t elements = shape.small ? shape.inner * shape.outter : shape.inner;
    int32_t bytes = elements * kPair * (shape.small ? 1 : 2);
    if (shape.small) {
        bytes += kMaskBytes + (shape.largest ? 0 : elements * kIndexBytes);
    }
    return static_cast<uint32_t>(bytes + (shape.initIndex ? 0 : elements * kIndexBytes));
}

}  // namespace twin::sort
