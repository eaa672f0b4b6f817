// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/sort/topk.h"

namespace twin::sort {
namespace {

constexpr int32_t kPair = 8;  ///< bytes of a score with its index
constexpr int32_t kGroupOf32 = 32;
constexpr int32_t kMaskBytes = 64;
constexpr int32_t kIndexBytes = 4;

int32_t RoundUp(int32_t value, int32_t unit) { return (value + unit - 1) / unit * unit; }

/// Sets the bits `first`, `first` + step, ... for the places begin..begin+per-1 of the first k.
uint32_t MaskBits(int32_t k, int32_t begin, int32_t per, int32_t step, int32_t first) {
    uint32_t bits = 0;
    for (int32_t i = 0; i < std::min(per, k - begin); ++i) {
        bits |= 1U << (i * step + first);
    }
    return bits;
}

/// GatherMask patterns that keep the first k of 32 pairs.
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
